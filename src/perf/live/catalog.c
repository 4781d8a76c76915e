/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "perf/live/catalog.h"

#include <errno.h>
#include <fnmatch.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/i18n.h"
#include "perf/event/attr.h"
#include "perf/event/event.h"
#include "perf/event/model.h"
#include "perf/live/open.h"
#include "perf/event/pmu.h"
#include "perf/live/refusal.h"
#include "perf/live/tracepoints.h"
#include "perf/event/sysfile.h"
#include "perf/event/tracefs.h"

struct catalog {
	const char *glob;
	const struct event_env *env;
	catalog_receiver *receive;
	void *context;
	size_t count;
	bool tracepoint_known; /* the verdict on the first one, which stands for all */
	int tracepoint_error;
};

static bool name_matches(const char *glob, const char *name)
{
	if (!glob || !*glob)
		return true;
	if (strpbrk(glob, "*?["))
		return !fnmatch(glob, name, 0);
	return strstr(name, glob) != NULL;
}

/* Ways to have an event, the best first. */
static const struct variant {
	bool count, user;
	const char *note;
} variants[] = {
	{ false, false, "" },
	{ true, false, N_("can be counted, but not sampled") },
	{ false, true, N_("only for your own processes, outside the kernel (:u)") },
	{ true, true, N_("only counted, for your own processes, outside the kernel (:u)") },
};

/* A descriptor, or a negative errno. */
static int open_as(const struct evsel *e, int leader)
{
	bool wide = e->per_cpu_only && e->cpus.count;
	struct perf_event_attr attr;

	evsel_attr_init(e, &attr);
	attr.disabled = 1;
	return perf_open(&attr, wide ? -1 : 0, wide ? (int)e->cpus.items[0] : -1, leader, 0);
}

/* Parts of slots are refused everywhere but in a group that `slots` of their PMU leads. */
static int open_leader(const struct evsel *part)
{
	struct evsel slots = *part;

	slots.role = EVSEL_COUNT;
	slots.slots = SLOTS_WHOLE;
	slots.config = (part->config & ~(uint64_t)EVSEL_SLOTS_CODE) | EVSEL_SLOTS_CONFIG;
	return open_as(&slots, -1);
}

static int try_open(const struct evsel *e, const struct variant *variant)
{
	struct evsel as = *e;
	int leader = -1, fd;

	as.role = variant->count ? EVSEL_COUNT : as.role;
	as.exclude_kernel |= variant->user;
	if (as.slots == SLOTS_PART) {
		leader = open_leader(&as);
		if (leader < 0)
			return -leader;
	}
	fd = open_as(&as, leader);
	if (fd >= 0)
		close(fd);
	if (leader >= 0)
		close(leader);
	return fd < 0 ? -fd : 0;
}

/* 0 and a note, or an errno: of the first way, since that is the one that was wanted. */
static int probe(const struct evsel *e, const char **note)
{
	int first = 0;

	for (size_t i = 0; i < sizeof(variants) / sizeof(variants[0]); i++) {
		int error = try_open(e, &variants[i]);

		*note = variants[i].note;
		if (!error)
			return 0;
		if (!i)
			first = error;
	}
	return first;
}

/* The event that reports switches of a CPU's tasks: see cpugroup.c. */
static int probe_time(void)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_CONTEXT_SWITCHES,
		.sample_period = 1,
		.disabled = 1,
		.context_switch = 1,
	};
	int fd = perf_open(&attr, -1, 0, -1, 0);

	if (fd >= 0)
		close(fd);
	return fd < 0 ? -fd : 0;
}

/* 0, or a positive errno, of which ERR may tell the reason. */
static int probe_event(struct catalog *c, const struct evsel *e, const char **note,
		       struct error *err)
{
	const struct tracepoint_family *f = tracepoints_of(e);

	*note = "";
	if (evsel_is_made(e))
		return f && f->probe && f->probe(e, c->env, err) ? ENOENT : probe_time();
	if (e->type != PERF_TYPE_TRACEPOINT)
		return probe(e, note);
	if (!c->tracepoint_known)
		c->tracepoint_error = probe(e, note);
	c->tracepoint_known = true;
	return c->tracepoint_error;
}

/* Hands over the event called NAME.  One that does not parse is the kernel's to explain. */
static void list_event(struct catalog *c, const char *name, const char *kind, const char *help)
{
	struct catalog_event out = { .name = name, .kind = _(kind), .help = *help ? _(help) : "" };
	struct evlist *l;
	struct error err = { "" };
	char *refusal = NULL;
	const char *note = "";

	if (!name_matches(c->glob, name))
		return;
	l = evlist_new();
	if (evlist_parse_in(l, name, c->env, &err) < 0) {
		out.error = EINVAL;
		out.why = err.text;
	} else {
		out.error = probe_event(c, l->items[0], &note, &err);
		refusal = out.error && !*err.text ? refusal_text(out.error) : NULL;
		out.why = refusal ? refusal : *err.text ? err.text : *note ? _(note) : "";
	}
	c->receive(c->context, &out);
	c->count++;
	free(refusal);
	evlist_free(l);
}

static void list_table(struct catalog *c)
{
	for (enum event_id id = EVENT_OTHER + 1; id < EVENT_IDS; id++) {
		const struct event_info *info = event_at(id);

		list_event(c, info->name,
			   info->type == PERF_TYPE_HARDWARE ? N_("hardware") : N_("software"),
			   info->help);
	}
}

static void list_caches(struct catalog *c)
{
	char name[EVENT_CACHE_NAME_MAX];
	size_t cursor = 0;
	uint64_t config;

	while (!event_cache_next(&cursor, &config, name))
		list_event(c, name, N_("cache"), "");
}

static void list_pmu(struct catalog *c, const char *pmu)
{
	char **events;
	int count = pmu_events(c->env, pmu, &events);

	for (int i = 0; i < count; i++) {
		char *name = mem_printf("%s/%s/", pmu, events[i]);

		list_event(c, name, N_("PMU"), "");
		free(name);
	}
	sysfile_names_free(events, count);
}

static void list_pmus(struct catalog *c)
{
	char **names;
	int count = pmu_names(c->env, "*", &names);

	for (int i = 0; i < count; i++)
		list_pmu(c, names[i]);
	sysfile_names_free(names, count);
}

static void list_model_event(void *context, const char *name, const char *help)
{
	list_event(context, name, N_("CPU model"), help);
}

/* They are some thousands. */
static void list_model(struct catalog *c)
{
	if (c->glob && *c->glob)
		model_each(list_model_event, c);
}

static void list_subsystem(struct catalog *c, const char *events, const char *subsystem)
{
	char *path = mem_printf("%s/%s", events, subsystem), **names;
	int count = sysfile_names(path, "*", &names);
	uint64_t id;

	for (int i = 0; i < count; i++) {
		char *name = mem_printf("%s:%s", subsystem, names[i]);

		if (name_matches(c->glob, name) && !tracefs_id(events, subsystem, names[i], &id))
			list_event(c, name, N_("tracepoint"), "");
		free(name);
	}
	sysfile_names_free(names, count);
	free(path);
}

static void list_tracepoints(struct catalog *c, struct error *err)
{
	char *events = tracefs_events(c->env, err), **names;
	int count;

	if (!events)
		return;
	count = sysfile_names(events, "*", &names);
	for (int i = 0; i < count; i++)
		list_subsystem(c, events, names[i]);
	sysfile_names_free(names, count);
	free(events);
}

size_t catalog_list(const char *glob, const struct event_env *env, catalog_receiver *receive,
		    void *context, struct error *err)
{
	struct catalog c = { .glob = glob, .env = env, .receive = receive, .context = context };

	err->text[0] = '\0';
	list_table(&c);
	list_caches(&c);
	list_pmus(&c);
	list_model(&c);
	list_tracepoints(&c, err);
	return c.count;
}
