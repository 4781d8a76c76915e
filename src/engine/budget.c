/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/budget.h"

#include <math.h>

#include "perf/rate.h"

/*
 * Nanoseconds.  A switch record costs 0.7 µs with its context-switch event and 0.06 µs for each
 * counter that is read; a tick is an interrupt more.  The collector needs 0.15 µs a record at least.
 */
#define KERNEL_SWITCH_NS  700
#define KERNEL_SAMPLE_NS  1500
#define KERNEL_COUNTER_NS 60
#define OWN_RECORD_NS	  150
#define KERNEL_STACK_NS	  3000	/* of a switch record with the stack and a copy of it, besides */
#define OWN_STACK_NS	  5000	/* to unwind it and to follow who waits */
#define RECORDS_TO_TELL	  20000

#define OVER_INTERVALS 2	/* one alone may be the loading of a process's mappings */
#define CALM_INTERVALS 3
#define CALM_MOST      60
#define SETTLED	       5	/* a way up that holds for so long was right */
#define CALM_SHARE     (2.0 / 3)

void budget_init(struct budget *b, double limit_percent)
{
	*b = (struct budget){ .limit_percent = limit_percent, .patience = CALM_INTERVALS,
			       .cost_percent = NAN, .since_up = CALM_MOST };
}

/* Levels by number: first all with exact counters. */
static unsigned rates_of(const struct budget_input *in)
{
	return in->asked_hz ? rate_halvings(in->asked_hz) + 1 : 1;
}

static unsigned levels_of(const struct budget_input *in)
{
	return in->exact_only ? rates_of(in) : 2 * rates_of(in);
}

static struct source_reduction level_at(const struct budget_input *in, unsigned number)
{
	unsigned rates = rates_of(in);

	return (struct source_reduction){ .halvings = number % rates,
					  .sampled_counters = number >= rates };
}

static unsigned level_number(const struct budget *b, const struct budget_input *in)
{
	unsigned rates = rates_of(in);
	unsigned halvings = b->level.halvings < rates ? b->level.halvings : rates - 1;
	unsigned number = b->level.sampled_counters ? rates + halvings : halvings;

	return number < levels_of(in) ? number : levels_of(in) - 1;
}

static double percent_of(const struct budget_input *in, double ns)
{
	return 100 * ns / ((double)in->elapsed_ns * in->cpus);
}

static double kernel_ns(const struct budget_input *in, double samples, double switch_records)
{
	double counters = (double)KERNEL_COUNTER_NS * in->counters;
	double stack = in->stacks ? KERNEL_STACK_NS : 0;

	return samples * (KERNEL_SAMPLE_NS + counters) +
	       switch_records * (KERNEL_SWITCH_NS + counters + stack);
}

static double cost_now(const struct budget_input *in)
{
	/* A record that found no room has cost nearly as much as one that did. */
	double switch_records = (double)in->switch_records + (double)in->lost;

	return percent_of(in, (double)in->own_ns +
				      kernel_ns(in, (double)in->samples, switch_records));
}

/* Of the collector, a record: what it was when there were enough of them to tell. */
static double own_record_ns(const struct budget_input *in, double records)
{
	double each = records >= RECORDS_TO_TELL ? (double)in->own_ns / records : 0;

	return each > OWN_RECORD_NS ? each : OWN_RECORD_NS;
}

static double own_switch_ns(const struct budget_input *in, double records)
{
	double each = own_record_ns(in, records);

	return in->stacks && each < OWN_STACK_NS ? OWN_STACK_NS : each;
}

/* What that level would have cost in the interval that level NOW has cost. */
static double cost_at(const struct budget_input *in, const struct source_reduction *now,
		      const struct source_reduction *then)
{
	double samples = (double)in->samples, switches = 0, own_ns, records;

	samples *= (double)(1ull << now->halvings) / (double)(1ull << then->halvings);
	if (!then->sampled_counters)
		switches = (double)(in->switches > in->switch_records ? in->switches :
									 in->switch_records);
	records = (double)in->samples + (double)in->switch_records;
	own_ns = (double)in->own_ns +
		 (samples - (double)in->samples) * own_record_ns(in, records) +
		 (switches - (double)in->switch_records) * own_switch_ns(in, records);
	if (own_ns < 0)
		own_ns = 0;
	return percent_of(in, own_ns + kernel_ns(in, samples, switches));
}

/* The first level from FIRST to LAST that needs no more than PERCENT; LAST when none does. */
static unsigned first_fit(const struct budget *b, const struct budget_input *in, unsigned first,
			  double percent)
{
	unsigned number = first, last = levels_of(in) - 1;

	for (; number < last; number++) {
		struct source_reduction then = level_at(in, number);

		if (cost_at(in, &b->level, &then) <= percent)
			break;
	}
	return number;
}

/*
 * A lower frequency does not help against what is dropped or throttled because of switches: for
 * these the next level is the first without their records.
 */
static unsigned level_after(const struct budget *b, const struct budget_input *in, unsigned now)
{
	bool pressed = in->lost || in->throttled;
	unsigned next = now + 1;

	if (pressed && !in->exact_only && in->switch_records > in->samples && next < rates_of(in))
		next = rates_of(in);
	if (next >= levels_of(in))
		return now;
	return first_fit(b, in, next, b->limit_percent);
}

static bool level_set(struct budget *b, const struct budget_input *in, unsigned number)
{
	struct source_reduction next = level_at(in, number);

	b->over = b->calm = 0;
	if (next.halvings == b->level.halvings &&
	    next.sampled_counters == b->level.sampled_counters)
		return false;
	b->level = next;
	return true;
}

static bool step_down(struct budget *b, const struct budget_input *in)
{
	bool pressed = in->lost || in->throttled;
	unsigned number = level_number(b, in);

	b->calm = 0;
	if (++b->over < OVER_INTERVALS && !pressed)
		return false;
	if (b->since_up < SETTLED)
		b->patience = b->patience * 2 < CALM_MOST ? b->patience * 2 : CALM_MOST;
	b->since_up = SETTLED;
	return level_set(b, in, level_after(b, in, number));
}

static bool step_up(struct budget *b, const struct budget_input *in)
{
	unsigned number = level_number(b, in);
	unsigned best = first_fit(b, in, 0, b->limit_percent * CALM_SHARE);

	b->over = 0;
	if (best >= number)
		return level_set(b, in, number);	/* the same, or the last there is now */
	if (++b->calm < b->patience)
		return false;
	b->since_up = 0;
	return level_set(b, in, best);
}

bool budget_step(struct budget *b, const struct budget_input *in)
{
	if (!in->elapsed_ns || !in->cpus || !(b->limit_percent > 0))
		return false;
	b->cost_percent = cost_now(in);
	if (b->since_up < CALM_MOST)
		b->since_up++;
	if (b->since_up == CALM_MOST)
		b->patience = CALM_INTERVALS;
	if (b->cost_percent > b->limit_percent || in->lost || in->throttled)
		return step_down(b, in);
	return step_up(b, in);
}
