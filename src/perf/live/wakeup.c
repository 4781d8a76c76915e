/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "perf/live/wakeup.h"

#include <errno.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/i18n.h"
#include "perf/event/event.h"
#include "perf/live/live-state.h"
#include "perf/live/refusal.h"

bool evsel_is_delay(const struct evsel *e)
{
	return evsel_is_time(e) && e->config == EVENT_TIME_RUN_DELAY;
}

/* Before Linux 4.3 there is the older one alone. */
int wakeups_find(struct wakeups *w, const struct event_env *env, struct error *err)
{
	struct error older = { "" };

	if (!tracepoint_find(&w->woken, env, "sched_waking", "pid", err))
		return 0;
	return tracepoint_find(&w->woken, env, "sched_wakeup", "pid", &older);
}

/* The event of one CPU: also of a control group, whose threads anybody may wake. */
static int waking_open(const struct live *l, struct cpu *c)
{
	const struct groups where = { .pid = -1,
				      .cpu = (int)c->number,
				      .output_fd = c->groups.output_fd };
	struct perf_event_attr attr = { .config = l->wakeups.woken.id, .sample_period = 1 };

	live_attr_finish(l, &l->wakeup_layout, NULL, &attr);
	return tracepoint_open(&c->wakeups, &attr, &where, NULL);
}

static void events_refuse(struct live *l, int error, const char *why)
{
	const struct evlist *events = l->source.evlist;

	char *reason = why ? mem_strdup(why) : refusal_text(error);

	l->wakeups.enabled = false;
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

void wakeups_open(struct live *l, struct cpu *c)
{
	int err;

	if (!l->wakeups.enabled)
		return;
	err = waking_open(l, c);
	if (!err)
		return;
	/* If one CPU has no event, the others must not seem to be all. */
	events_refuse(l, -err, NULL);
	for (size_t i = 0; i < l->cpu_count; i++)
		tracepoint_close(&l->cpus[i]->wakeups);
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
static int waking_find(struct live *l, struct error *err)
{
	const struct event_env here = { 0 };

	if (l->options.mode == TARGET_CPU)
		return error_set(err, _("wake-ups come from all CPUs: leave out -C"));
	return wakeups_find(&l->wakeups, &here, err);
}

void wakeups_enter(struct live *l)
{
	struct error err = { "" };

	l->wakeups.enabled = are_wanted(l);
	if (l->wakeups.enabled && waking_find(l, &err))
		events_refuse(l, ENOENT, err.text);
}

int wakeups_add(struct live *l, size_t event)
{
	struct evsel *e = l->source.evlist->items[event];

	if (l->wakeups.enabled)
		return 0;
	wakeups_enter(l);
	for (size_t i = 0; i < l->cpu_count && l->wakeups.enabled; i++)
		wakeups_open(l, l->cpus[i]);
	return -e->open_error;
}

void wakeups_remove(struct live *l)
{
	l->wakeups.enabled = are_wanted(l);
	for (size_t i = 0; i < l->cpu_count && !l->wakeups.enabled; i++)
		tracepoint_close(&l->cpus[i]->wakeups);
}

const struct record_layout *wakeups_layout(const struct live *l, const struct cpu *c,
					   const struct perf_event_header *h)
{
	return tracepoint_made(&c->wakeups, h) ? &l->wakeup_layout : NULL;
}

bool wakeups_sample(const struct live *l, const struct cpu *c, struct record *r)
{
	int64_t tid;

	if (!tracepoint_is(&c->wakeups, r->id))
		return false;
	r->counts_only = true;
	if (trace_field_read(&l->wakeups.woken.field, r->sample.raw, r->sample.raw_size, false,
			     &tid) &&
	    tid > 0 && tid <= INT32_MAX)
		r->woken_tid = (uint32_t)tid;
	r->woken_in =
		trace_context_read(&l->wakeups.woken.flags, r->sample.raw, r->sample.raw_size);
	return true;
}
