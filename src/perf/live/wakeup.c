/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * Wake-ups of threads, from the tracepoint sched:sched_waking (before Linux 4.3 sched:sched_wakeup): from
 * the wake-up on a thread could run.  Open while run-delay or wakers is in the list.  Samples become
 * records with `woken_tid` (perf/record/source.h).  With wakers they bring the stack of who wakes, unless a
 * budget takes few stacks.
 */
#include <errno.h>

#include "base/i18n.h"
#include "perf/event/event.h"
#include "perf/live/live-state.h"
#include "perf/live/tracepoint.h"
#include "perf/live/tracepoints.h"

struct wakeups {
	bool enabled;            /* the events are open, or will be with their CPU */
	bool stacks;             /* and bring the stack of who wakes */
	struct tracepoint woken; /* its field is who is woken */
};

static bool evsel_is_wakers(const struct evsel *e)
{
	return evsel_is_time(e) && e->config == EVENT_TIME_WAKERS;
}

static bool needs_wakeups(const struct evsel *e)
{
	return evsel_is_wakers(e) || (evsel_is_time(e) && e->config == EVENT_TIME_RUN_DELAY);
}

/* Who wakes a thread may run on any CPU.  Before Linux 4.3 there is the older tracepoint alone. */
static int waking_find(struct live *l, struct error *err)
{
	const struct event_env here = { 0 };
	struct wakeups *w = l->wakeups;
	struct error older = { "" };

	if (l->options.mode == TARGET_CPU)
		return error_set(err, _("wake-ups come from all CPUs: leave out -C"));
	if (!tracepoint_find(&w->woken, &here, "sched:sched_waking", "pid", err))
		return 0;
	return tracepoint_find(&w->woken, &here, "sched:sched_wakeup", "pid", &older);
}

static int wakeups_open(struct live *l, struct cpu *c)
{
	const struct wakeups *w = l->wakeups;
	const struct tracepoint_wanted waking = {
		.family = &family_wakeups,
		.tracepoint = &w->woken,
		.layout = w->stacks ? &l->stack_fields_layout : &l->fields_layout,
		.period = 1,
	};

	return w->enabled ? tracepoint_open(l, c, &waking) : 0;
}

static void wakeups_refuse(struct live *l, int error, const char *why)
{
	const struct evlist *events = l->source.evlist;

	l->wakeups->enabled = false;
	for (size_t i = 0; i < events->count; i++) {
		const struct evsel *e = events->items[i];

		if (!needs_wakeups(e) || e->removed)
			continue;
		live_refuse_because(l, i, error, why);
		if (e->is_default)
			live_note(l, _("Wake-ups are not measured: %s."), e->why);
	}
}

static bool has(const struct live *l, bool (*is_it)(const struct evsel *e))
{
	const struct evlist *events = l->source.evlist;

	for (size_t i = 0; i < events->count; i++) {
		const struct evsel *e = events->items[i];

		if (is_it(e) && !e->removed && !e->open_error)
			return true;
	}
	return false;
}

static bool are_wanted(const struct live *l)
{
	return !l->wait_sums && has(l, needs_wakeups);
}

static bool stacks_are_wanted(const struct live *l)
{
	return !l->source.reduced.sampled_counters &&
	       l->stack_fields_layout.sample_type & PERF_SAMPLE_CALLCHAIN &&
	       has(l, evsel_is_wakers);
}

static void wakeups_enter(struct live *l)
{
	struct wakeups *w = l->wakeups;
	struct error err = { "" };

	w->enabled = are_wanted(l);
	if (w->enabled && waking_find(l, &err))
		wakeups_refuse(l, ENOENT, err.text);
	w->stacks = stacks_are_wanted(l);
}

static void wakeups_follow(struct live *l)
{
	bool stacks = stacks_are_wanted(l);

	if (stacks == l->wakeups->stacks)
		return;
	l->wakeups->stacks = stacks;
	tracepoints_open_all(l, &family_wakeups);
}

static int wakeups_add(struct live *l, size_t event)
{
	if (l->wakeups->enabled) {
		wakeups_follow(l);
	} else {
		wakeups_enter(l);
		tracepoints_open_all(l, &family_wakeups);
	}
	return -l->source.evlist->items[event]->open_error;
}

static void wakeups_remove(struct live *l, size_t event)
{
	(void)event;
	l->wakeups->enabled = are_wanted(l);
	if (!l->wakeups->enabled)
		tracepoints_close(l, &family_wakeups, TRACEPOINTS_ALL);
	wakeups_follow(l);
}

static void wakeups_sample(struct live *l, const struct tracepoint_event *b, struct record *r)
{
	const struct tracepoint *woken = &l->wakeups->woken;
	const struct record_sample *s = &r->sample;
	int64_t tid;

	if (tracepoint_opening_of(b, r->id)->layout == &l->stack_fields_layout)
		l->source.stats.switch_records++; /* as dear as one */
	if (trace_field_read(&woken->field, s->raw, s->raw_size, false, &tid) && tid > 0 &&
	    tid <= INT32_MAX)
		r->woken_tid = (uint32_t)tid;
	r->woken_in = trace_context_read(&woken->flags, s->raw, s->raw_size);
}

const struct tracepoint_family family_wakeups = {
	.data_bytes = sizeof(struct wakeups),
	.of_everybody = true,
	.open = wakeups_open,
	.sample = wakeups_sample,
	.enter = wakeups_enter,
	.refuse = wakeups_refuse,
	.tells = needs_wakeups,
	.add = wakeups_add,
	.remove = wakeups_remove,
	.follow = wakeups_follow,
};
