/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "perf/wakeup.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/i18n.h"
#include "perf/event.h"
#include "perf/live.h"
#include "perf/open.h"
#include "perf/refusal.h"
#include "perf/sysfile.h"
#include "perf/tracefs.h"

#define FORMAT_BYTES_MAX (64u * 1024)
#define INITIAL_PID_NAMESPACE 0xEFFFFFFCu	/* PROC_PID_INIT_INO in include/linux/proc_ns.h */

bool evsel_is_delay(const struct evsel *e)
{
	return evsel_is_time(e) && e->config == EVENT_TIME_RUN_DELAY;
}

/* The records' own pids are those of our namespace; what is in a tracepoint's data is not. */
static bool pids_are_ours(void)
{
	struct stat st;

	return stat("/proc/self/ns/pid", &st) < 0 || st.st_ino == INITIAL_PID_NAMESPACE;
}

static bool format_read(struct wakeups *w, const char *events, const char *name)
{
	char *path = mem_printf("%s/sched/%s/format", events, name);
	char *text = mem_alloc(FORMAT_BYTES_MAX);
	int size = sysfile_read(path, text, FORMAT_BYTES_MAX);
	bool found = size > 0 && trace_format_id(text, (size_t)size, &w->tracepoint) &&
		     trace_format_field(text, (size_t)size, "pid", &w->tid);

	free(text);
	free(path);
	return found;
}

int wakeups_find(struct wakeups *w, const struct event_env *env, struct error *err)
{
	char *events;
	bool found;

	if (!pids_are_ours())
		return error_set(err, _("the kernel tells wake-ups by pids of the initial pid "
					"namespace, which is not ptop's"));
	events = tracefs_events(env, err);
	if (!events)
		return -1;
	found = format_read(w, events, "sched_waking") || format_read(w, events, "sched_wakeup");
	free(events);
	return found ? 0 : error_set(err, _("this kernel has no tracepoint sched:sched_waking"));
}

/* The event of one CPU; a descriptor or a negative errno. */
static int waking_open(const struct live *l, const struct cpu *c)
{
	struct perf_event_attr attr = { .size = sizeof(attr), .type = PERF_TYPE_TRACEPOINT,
					.config = l->wakeups.tracepoint, .sample_period = 1 };
	int fd, err;

	live_attr_finish(l, &l->wakeup_layout, NULL, &attr);
	fd = perf_open(&attr, -1, (int)c->number, -1, 0);
	if (fd < 0)
		return fd;
	err = perf_control(fd, PERF_EVENT_IOC_SET_OUTPUT, (uintptr_t)c->groups.output_fd);
	if (!err)
		return fd;
	close(fd);
	return err;
}

static void events_refuse(struct live *l, int error, const char *why)
{
	const struct evlist *events = l->source.evlist;

	char *reason = why ? mem_strdup(why) : refusal_text(error);

	l->wakeups.told = false;
	for (size_t i = 0; i < events->count; i++) {
		struct evsel *e = events->items[i];

		if (!evsel_is_delay(e) || e->removed)
			continue;
		live_refuse(l, i, error);
		free(e->why);
		e->why = mem_strdup(reason);
		if (e->is_default)
			live_note(l, _("Wake-ups are not measured: %s."), reason);
	}
	free(reason);
}

void wakeups_close(struct cpu *c)
{
	if (c->wakeup_fd >= 0)
		close(c->wakeup_fd);
	c->wakeup_fd = -1;
	c->wakeup_id = 0;
}

void wakeups_open(struct live *l, struct cpu *c)
{
	uint64_t id;
	int fd;

	if (!l->wakeups.told)
		return;
	fd = waking_open(l, c);
	if (fd >= 0 && perf_control(fd, PERF_EVENT_IOC_ID, (uintptr_t)&id) < 0) {
		close(fd);
		fd = -EOPNOTSUPP;
	}
	if (fd >= 0) {
		c->wakeup_fd = fd;
		c->wakeup_id = id;
		return;
	}
	/* Where one CPU does not tell, the others must not seem to be all. */
	events_refuse(l, -fd, NULL);
	for (size_t i = 0; i < l->cpu_count; i++)
		wakeups_close(l->cpus[i]);
}

void wakeups_redirect(struct cpu *c)
{
	if (c->wakeup_fd >= 0)
		perf_control(c->wakeup_fd, PERF_EVENT_IOC_SET_OUTPUT,
			     (uintptr_t)c->groups.output_fd);
}

void wakeups_run(struct cpu *c, bool run)
{
	if (c->wakeup_fd >= 0)
		perf_control(c->wakeup_fd, run ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, 0);
}

static bool are_wanted(const struct live *l)
{
	const struct evlist *events = l->source.evlist;

	for (size_t i = 0; i < events->count; i++) {
		const struct evsel *e = events->items[i];

		if (evsel_is_delay(e) && !e->removed && !e->open_error)
			return true;
	}
	return false;
}

/* Who wakes a thread may run on any CPU. */
static int tracepoint_find(struct live *l, struct error *err)
{
	const struct event_env here = { 0 };

	if (l->options.mode == TARGET_CPU)
		return error_set(err, _("wake-ups come from all CPUs: leave out -C"));
	return wakeups_find(&l->wakeups, &here, err);
}

void wakeups_enter(struct live *l)
{
	struct error err = { "" };

	l->wakeups.told = are_wanted(l);
	if (l->wakeups.told && tracepoint_find(l, &err))
		events_refuse(l, ENOENT, err.text);
}

int wakeups_add(struct live *l, size_t event)
{
	struct evsel *e = l->source.evlist->items[event];

	if (l->wakeups.told)
		return 0;
	wakeups_enter(l);
	for (size_t i = 0; i < l->cpu_count && l->wakeups.told; i++)
		wakeups_open(l, l->cpus[i]);
	return -e->open_error;
}

void wakeups_remove(struct live *l)
{
	l->wakeups.told = are_wanted(l);
	for (size_t i = 0; i < l->cpu_count && !l->wakeups.told; i++)
		wakeups_close(l->cpus[i]);
}

/* Its first word is the identifier. */
const struct record_layout *wakeups_layout(const struct live *l, const struct cpu *c,
					   const struct perf_event_header *h)
{
	uint64_t id;

	if (!c->wakeup_id || h->size < sizeof(*h) + sizeof(id))
		return NULL;
	memcpy(&id, h + 1, sizeof(id));
	return id == c->wakeup_id ? &l->wakeup_layout : NULL;
}

bool wakeups_sample(const struct live *l, const struct cpu *c, struct record *r)
{
	int64_t tid;

	if (!c->wakeup_id || r->id != c->wakeup_id)
		return false;
	r->counts_only = true;
	if (trace_field_read(&l->wakeups.tid, r->sample.raw, r->sample.raw_size, false, &tid) &&
	    tid > 0 && tid <= INT32_MAX)
		r->woken_tid = (uint32_t)tid;
	return true;
}
