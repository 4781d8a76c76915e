/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * Changing the events while they count: switched off and on, another rate, one more, one less.  The
 * others go on counting; where the kernel needs a group to stand still for a moment, the next
 * increase of its CPU is nobody's.
 *
 * Indexes in the evlist never move.  An event that was removed keeps its place, marked; the same event
 * added again takes it.
 */
#include "perf/live/control.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/i18n.h"
#include "perf/event/rate.h"
#include "perf/live/wait-sums.h"
#include "perf/live/waits.h"

/* Context switches between two records of a leader that is not to write one at each. */
#define SAMPLED_LEADER_PERIOD 4096

/* The same while these records have the stacks of waits: now what tells of each switch costs most. */
#define SAMPLED_STACK_PERIOD 16

uint64_t evsel_rate_value(const struct evsel *e)
{
	uint64_t hz = rate_reduced(e->freq_hz, e->halvings);

	if (!hz)
		return rate_period(e);
	return evsel_is_clock(e) ? NS_PER_S / hz : hz;
}

/* Linux (up to at least 6.18) tells of a clock's sample the period with which it was opened. */
void live_correct_period(const struct live *l, struct record *r)
{
	const struct evlist *events = l->source.evlist;
	const struct evsel *e;

	if (r->event < 0 || (size_t)r->event >= events->count)
		return;
	e = events->items[r->event];
	if (!e->retuned_ns || r->counts_only)
		return;
	r->sample.period = r->time_ns < e->retuned_ns ? e->former_ns : evsel_rate_value(e);
}

/* FORMER: the value of its rate before. */
static int retune(struct live *l, size_t event, uint64_t former)
{
	struct evsel *e = l->source.evlist->items[event];
	int err = l->tier->retune(l, event, evsel_rate_value(e));

	if (!err && evsel_is_clock(e)) {
		e->former_ns = former;
		e->retuned_ns = clock_monotonic_ns(&clock_system);
	}
	return err;
}

int live_set_enabled(struct source *s, size_t event, bool enabled)
{
	struct live *l = (struct live *)s;
	struct evlist *events = s->evlist;
	int err = 0;

	if (event >= events->count)
		return -EINVAL;
	if (events->items[event]->enabled == enabled)
		return 0;
	if (events->items[event]->open_error)
		return -events->items[event]->open_error;
	if (l->tier)
		err = l->tier->set_enabled(l, event, enabled);
	if (!err)
		events->items[event]->enabled = enabled;
	return err;
}

int live_suspend(struct source *s, bool suspended)
{
	struct live *l = (struct live *)s;
	int err = l->tier ? l->tier->suspend(l, suspended) : 0;

	for (size_t i = 0; !suspended && i < l->cpu_count; i++)
		l->cpus[i]->gap = true;
	return err;
}

/* Between a frequency and a period only a clock can change: both are its period to the kernel. */
static int rate_apply(struct live *l, size_t event, const struct evsel *former)
{
	const struct evsel *e = l->source.evlist->items[event];
	int err;

	if (!former->freq_hz == !e->freq_hz || evsel_is_clock(e))
		return retune(l, event, evsel_rate_value(former));
	l->tier->remove(l, event);
	err = l->tier->add(l, event);
	if (err)
		live_refuse(l, event, -err);
	return err;
}

int live_retune(struct source *s, size_t event, uint64_t freq_hz, uint64_t period)
{
	struct live *l = (struct live *)s;
	struct evsel *e;
	struct evsel former;
	int err;

	if (event >= s->evlist->count || (!freq_hz && !period))
		return -EINVAL;
	e = s->evlist->items[event];
	if (e->open_error || e->role != EVSEL_SAMPLE || evsel_is_time(e) || !l->tier)
		return e->open_error ? -e->open_error : -EINVAL;
	former = *e;
	if (freq_hz > rate_max_hz())
		freq_hz = rate_max_hz();
	e->freq_hz = freq_hz;
	e->period = freq_hz ? 0 : period;
	e->rate = RATE_OWN;
	err = rate_apply(l, event, &former);
	if (err) {
		e->freq_hz = former.freq_hz;
		e->period = former.period;
		e->rate = former.rate;
	}
	return err;
}

/* Returns true if records of E come at its rate. */
static bool has_rate(const struct evsel *e)
{
	return evsel_is_network(e) || (e->role == EVSEL_SAMPLE && !evsel_is_time(e));
}

bool live_thins(const struct source *s, size_t event)
{
	const struct live *l = (const struct live *)s;
	const struct evsel *e = s->evlist->items[event];

	if (!has_rate(e) || e->freq_hz || !e->enabled || e->open_error ||
	    (int)event == l->leader_event)
		return false;
	/* Where samples have no values of their own, nothing tells how many occurrences one stands for. */
	return !evsel_is_occurrence(e) || s->tier == TIER_CPU_GROUP;
}

/* E as R has it. */
static void event_reduce(struct evsel *e, size_t event, const struct source_reduction *r)
{
	e->halvings = r->halvings;
	e->doublings = event < SOURCE_EVENTS_MAX ? r->doublings[event] : 0;
}

void live_reduce(struct source *s, const struct source_reduction *r)
{
	struct live *l = (struct live *)s;
	bool leaders = r->sampled_counters != s->reduced.sampled_counters ||
		       !r->stacks_hz != !s->reduced.stacks_hz;

	s->reduced = *r;
	for (size_t i = 0; i < s->evlist->count; i++) {
		struct evsel *e = s->evlist->items[i];
		uint64_t before = evsel_rate_value(e);

		event_reduce(e, i, r);
		if (l->tier && has_rate(e) && !e->open_error && evsel_rate_value(e) != before)
			retune(l, i, before);
	}
	if (leaders && l->tier && l->tier->lead)
		l->tier->lead(l);
	live_tell_stack_period(l);
}

void live_tell_stack_period(struct live *l)
{
	const struct busy *busy = waits_busy(l);
	struct source *s = &l->source;

	s->stack_period =
		l->tells_switches ? (uint32_t)live_leader_period(l) : wait_sums_stack_period(l);
	s->stack_threads = busy && busy->others_period == 1 ? (uint32_t)busy->left_out : UINT32_MAX;
	if (busy && busy->others_period > 1 && busy->others_period < s->stack_period)
		s->stack_period = busy->others_period;
}

uint64_t live_leader_period(const struct live *l)
{
	const struct busy *busy = waits_busy(l);

	if (!l->source.reduced.sampled_counters || l->source.exact_only)
		return 1;
	if (!l->tells_switches)
		return SAMPLED_LEADER_PERIOD;
	return busy ? busy->busy_period : SAMPLED_STACK_PERIOD;
}

/* Adding and removing. */

static char *canonical(const struct evsel *e)
{
	struct buf text = { 0 };

	evsel_format(e, &text);
	return text.bytes ? text.bytes : mem_strdup("");
}

/* The place of a removed event that was the same, or -1. */
static int place_find(const struct live *l, const struct evsel *e)
{
	const struct evlist *events = l->source.evlist;
	char *text = canonical(e);
	int found = -1;

	for (size_t i = 0; i < events->count && found < 0; i++) {
		char *other = events->items[i]->removed ? canonical(events->items[i]) : NULL;

		if (other && !strcmp(other, text) && (int)i != l->leader_event)
			found = (int)i;
		free(other);
	}
	free(text);
	return found;
}

/* E into the list: an index. */
static size_t event_place(struct live *l, struct evsel *e)
{
	struct evlist *events = l->source.evlist;
	int place = place_find(l, e);

	if (place >= 0) {
		evsel_free(events->items[place]);
		events->items[place] = e;
		return (size_t)place;
	}
	evlist_add(events, e);
	return events->count - 1;
}

int64_t live_add(struct source *s, struct evsel *e)
{
	struct live *l = (struct live *)s;
	size_t event;
	int err;

	if (s->evlist->count >= SOURCE_EVENTS_MAX && place_find(l, e) < 0) {
		evsel_free(e);
		return -ENOSPC;
	}
	e->is_default = false;
	/* Samples that have an address in them were asked for at the start. */
	e->addresses = s->layout.sample_type & PERF_SAMPLE_ADDR && e->role == EVSEL_SAMPLE &&
		       evsel_has_address(e);
	if (e->role == EVSEL_SAMPLE && e->freq_hz > rate_max_hz())
		e->freq_hz = rate_max_hz();
	if (e->addresses && !l->addresses) {
		l->addresses = true;
		if (l->tier && l->tier->tell_data)
			l->tier->tell_data(l);
	}
	event = event_place(l, e);
	event_reduce(e, event, &s->reduced);
	err = l->tier ? l->tier->add(l, event) : -l->refusal;
	if (err && !e->open_error)
		live_refuse(l, event, -err);
	return (int64_t)event;
}

int live_remove(struct source *s, size_t event)
{
	struct live *l = (struct live *)s;
	struct evsel *e;

	if (event >= s->evlist->count || s->evlist->items[event]->removed)
		return -EINVAL;
	e = s->evlist->items[event];
	live_set_enabled(s, event, false);
	if (l->tier && !e->open_error && (int)event != l->leader_event)
		l->tier->remove(l, event);
	e->removed = true;
	e->enabled = false;
	e->open_error = ECANCELED;
	free(e->why);
	e->why = mem_strdup(_("removed"));
	return 0;
}

int live_take_stacks(struct source *s, const struct stack_choice *choice)
{
	struct live *l = (struct live *)s;

	bool wanted = choice->mode != STACK_NONE;

	if (l->options.callchains == wanted)
		return -EALREADY;
	if (!l->tier || !l->tier->take_stacks)
		return -EOPNOTSUPP;
	if (!wanted && evlist_has_time(s->evlist))
		return -EBUSY;
	return l->tier->take_stacks(l, choice);
}
