/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "perf/live/wakeup.h"

#include <errno.h>

#include "base/i18n.h"
#include "perf/event/event.h"
#include "perf/live/live-state.h"

static bool evsel_is_wakers(const struct evsel *e)
{
	return evsel_is_time(e) && e->config == EVENT_TIME_WAKERS;
}

bool evsel_needs_wakeups(const struct evsel *e)
{
	return evsel_is_wakers(e) || (evsel_is_time(e) && e->config == EVENT_TIME_RUN_DELAY);
}

/* Before Linux 4.3 there is the older one alone. */
int wakeups_find(struct wakeups *w, const struct event_env *env, struct error *err)
{
	struct error older = { "" };

	if (!tracepoint_find(&w->woken, env, "sched:sched_waking", "pid", err))
		return 0;
	return tracepoint_find(&w->woken, env, "sched:sched_wakeup", "pid", &older);
}

/*
 * The event of one CPU: also of a control group, whose threads anybody may wake.  It is open before the other
 * one is closed: a wake-up that is told twice is one.
 */
static int waking_open(const struct live *l, struct cpu *c)
{
	const struct groups where = { .pid = -1,
				      .cpu = (int)c->number,
				      .output_fd = c->groups.output_fd };
	struct perf_event_attr attr = { .config = l->wakeups.woken.id, .sample_period = 1 };
	bool stacks = l->wakeups.stacks;
	int err;

	live_attr_finish(l, stacks ? &l->waker_layout : &l->wakeup_layout, NULL, &attr);
	if (attr.sample_stack_user > LEADER_STACK_BYTES)
		attr.sample_stack_user = LEADER_STACK_BYTES;
	err = tracepoint_open(stacks ? &c->wakers : &c->wakeups, &attr, &where, NULL);
	if (!err)
		tracepoint_close(stacks ? &c->wakeups : &c->wakers);
	return err;
}

void wakeups_close(struct cpu *c)
{
	tracepoint_close(&c->wakeups);
	tracepoint_close(&c->wakers);
}

static void events_refuse(struct live *l, int error, const char *why)
{
	const struct evlist *events = l->source.evlist;

	l->wakeups.enabled = false;
	for (size_t i = 0; i < events->count; i++) {
		const struct evsel *e = events->items[i];

		if (!evsel_needs_wakeups(e) || e->removed)
			continue;
		live_refuse_because(l, i, error, why);
		if (e->is_default)
			live_note(l, _("Wake-ups are not measured: %s."), e->why);
	}
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
		wakeups_close(l->cpus[i]);
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
	return has(l, evsel_needs_wakeups);
}

static bool stacks_are_wanted(const struct live *l)
{
	return !l->source.reduced.sampled_counters &&
	       l->waker_layout.sample_type & PERF_SAMPLE_CALLCHAIN && has(l, evsel_is_wakers);
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
	l->wakeups.stacks = stacks_are_wanted(l);
}

int wakeups_add(struct live *l, size_t event)
{
	struct evsel *e = l->source.evlist->items[event];

	if (l->wakeups.enabled) {
		wakeups_follow(l);
		return -e->open_error;
	}
	wakeups_enter(l);
	for (size_t i = 0; i < l->cpu_count && l->wakeups.enabled; i++)
		wakeups_open(l, l->cpus[i]);
	return -e->open_error;
}

void wakeups_remove(struct live *l)
{
	l->wakeups.enabled = are_wanted(l);
	for (size_t i = 0; i < l->cpu_count && !l->wakeups.enabled; i++)
		wakeups_close(l->cpus[i]);
	wakeups_follow(l);
}

void wakeups_follow(struct live *l)
{
	bool stacks = stacks_are_wanted(l);

	if (stacks == l->wakeups.stacks)
		return;
	l->wakeups.stacks = stacks;
	for (size_t i = 0; i < l->cpu_count && l->wakeups.enabled; i++)
		wakeups_open(l, l->cpus[i]);
}

bool wakeups_made(const struct cpu *c, uint64_t id)
{
	return tracepoint_is(&c->wakeups, id) || tracepoint_is(&c->wakers, id);
}

const struct record_layout *wakeups_layout(const struct live *l, const struct cpu *c,
					   const struct perf_event_header *h)
{
	if (tracepoint_made(&c->wakers, h))
		return &l->waker_layout;
	return tracepoint_made(&c->wakeups, h) ? &l->wakeup_layout : NULL;
}

bool wakeups_sample(struct live *l, const struct cpu *c, struct record *r)
{
	int64_t tid;

	if (!wakeups_made(c, r->id))
		return false;
	l->source.stats.switch_records += tracepoint_is(&c->wakers, r->id); /* as dear as one */
	r->counts_only = true;
	if (trace_field_read(&l->wakeups.woken.field, r->sample.raw, r->sample.raw_size, false,
			     &tid) &&
	    tid > 0 && tid <= INT32_MAX)
		r->woken_tid = (uint32_t)tid;
	r->woken_in =
		trace_context_read(&l->wakeups.woken.flags, r->sample.raw, r->sample.raw_size);
	return true;
}
