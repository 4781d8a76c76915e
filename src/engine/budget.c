/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/budget.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "perf/event/rate.h"

/*
 * Nanoseconds.  A switch record costs 0.7 µs with its context-switch event and 0.06 µs for each
 * counter that is read; a tick is an interrupt more.  The collector needs 0.15 µs a record at least.
 */
#define KERNEL_SWITCH_NS 700
#define KERNEL_SAMPLE_NS 1500
#define KERNEL_COUNTER_NS 60
#define OWN_RECORD_NS 150
#define KERNEL_STACK_NS 3000 /* of a record with the stack and a copy of it, besides */
#define OWN_STACK_NS 5000    /* to unwind it, and of a switch to follow who waits */
#define RECORDS_TO_TELL 20000

#define SPARE_PERCENT 2.0          /* of all CPUs, where there is no budget */
#define CEILINGS 11                /* the highest is 50 000 samples a second on each CPU */
#define PLAIN_FLOOR_HZ 1000        /* of the lowest one for plain records: a thousandth of a CPU */
#define HALF_LIFE_S 5.0            /* of the highest rate that was seen */
#define OVER_INTERVALS 2           /* one alone may be the loading of a process's mappings */
#define OVER_NS (NS_PER_S / 5 * 9) /* likewise; intervals are short while ptop takes much */
#define LOSING_INTERVALS 3 /* likewise: records of before a level changed are lost a bit later */
#define OVER_FAR 3         /* budgets that could be saved: one interval is enough */
#define CALM_INTERVALS 3
#define CALM_MOST 60
#define HELD_TIGHT 20  /* after a ring was nearly full */
#define HELD_LOWERED 5 /* after a period got shorter */
#define SETTLED 5      /* a way up that holds for so long was right */
#define CALM_SHARE (2.0 / 3)
#define GOAL_SHARE 0.85         /* of a level that is to fit: what is measured varies */
#define HELPFUL_SHARE (1.0 / 4) /* of a budget that cannot be kept: what is worth a reduction */
#define SPARE_SHARE (1.0 / 8)   /* of the budget, for work that can wait in any case */
#define RECORD_SHARE (5.0 / 6)  /* likewise for records */
#define PRICE_SLACK 1.25        /* how much more than their price records may take for themselves */
#define STACK_SHARE (2.0 / 3)   /* of the budget, for stacks of waits in any case */
#define CALL_SHARE (2.0 / 3)    /* likewise for system calls */

void budget_init(struct budget *b, double limit_percent, uint32_t cpus)
{
	*b = (struct budget){ .limit_percent = limit_percent,
			      .patience = CALM_INTERVALS,
			      .cost_percent = NAN,
			      .spare_percent = limit_percent > 0 ? limit_percent : SPARE_PERCENT,
			      .since_up = CALM_MOST };
	b->level.call_ns = (uint64_t)(limit_percent / 100 * CALL_SHARE * cpus * NS_PER_S);
}

/* A level: so many steps of frequency and counters, all with exact counters first, and a ceiling. */
struct step {
	unsigned rest, ceiling;
};

static unsigned ceilings_of(const struct budget_input *in)
{
	for (size_t i = 0; i < SOURCE_EVENTS_MAX; i++) {
		if (in->events[i].thins)
			return CEILINGS;
	}
	return 0;
}

static unsigned rates_of(const struct budget_input *in)
{
	return in->asked_hz ? rate_halvings(in->asked_hz) + 1 : 1;
}

static struct step last_of(const struct budget_input *in)
{
	return (struct step){ (in->exact_only ? rates_of(in) : 2 * rates_of(in)) - 1,
			      ceilings_of(in) };
}

/* How many doublings of the period of EVENT CEILING takes. */
static uint8_t doublings_at(const struct budget *b, const struct budget_input *in, size_t event,
			    unsigned ceiling)
{
	double least = in->events[event].plain ? PLAIN_FLOOR_HZ : RATE_FLOOR_HZ;
	double most = least * in->cpus * (double)(1u << (CEILINGS - ceiling));
	double rate = b->rates[event];
	uint8_t doublings = 0;

	if (!ceiling)
		return 0;
	for (; rate > most; rate /= 2)
		doublings++;
	return doublings;
}

static struct source_reduction level_at(const struct budget *b, const struct budget_input *in,
					struct step step)
{
	unsigned rates = rates_of(in);
	struct source_reduction level = { .halvings = step.rest % rates,
					  .sampled_counters = step.rest >= rates,
					  .call_ns = b->level.call_ns };

	for (size_t i = 0; i < SOURCE_EVENTS_MAX; i++) {
		if (in->events[i].thins)
			level.doublings[i] = doublings_at(b, in, i, step.ceiling);
	}
	return level;
}

static struct step step_now(const struct budget *b, const struct budget_input *in)
{
	unsigned rates = rates_of(in), last = last_of(in).rest;
	unsigned halvings = b->level.halvings < rates ? b->level.halvings : rates - 1;
	unsigned rest = b->level.sampled_counters ? rates + halvings : halvings;

	return (struct step){ rest < last ? rest : last, b->ceiling };
}

static double percent_of(const struct budget_input *in, double ns)
{
	return 100 * ns / ((double)in->elapsed_ns * in->cpus);
}

/* Records, of the interval as it was or would be. */
struct records {
	double samples, plain, switches;
	double sum_stacks; /* which no record brings */
};

static struct records records_now(const struct budget_input *in)
{
	struct records r = { .samples = (double)in->samples,
			     .switches = (double)in->switch_records,
			     .sum_stacks = (double)in->sum_stacks };

	for (size_t i = 0; i < SOURCE_EVENTS_MAX; i++)
		r.plain += in->events[i].plain ? (double)in->events[i].samples : 0;
	return r;
}

static double kernel_ns(const struct budget_input *in, const struct records *r)
{
	double counters = (double)KERNEL_COUNTER_NS * in->counters;
	double sample_stack = in->sample_stacks ? KERNEL_STACK_NS : 0;
	double switch_stack = in->stacks ? KERNEL_STACK_NS : 0;

	return r->samples * (KERNEL_SAMPLE_NS + counters + sample_stack) +
	       r->switches * (KERNEL_SWITCH_NS + counters + switch_stack) +
	       (r->plain + (double)in->calls) * KERNEL_SWITCH_NS +
	       ((double)in->call_stacks + r->sum_stacks) * KERNEL_STACK_NS;
}

static double cost_now(const struct budget_input *in)
{
	struct records now = records_now(in);

	/* A record that found no room has cost nearly as much as one that did. */
	now.switches += (double)in->lost;
	return percent_of(in, (double)in->own_ns + kernel_ns(in, &now));
}

/* The cost of one record for the collector, measured if there ever were enough records. */
static double own_record_ns(const struct budget *b, bool stacks)
{
	double least = stacks ? OWN_STACK_NS : OWN_RECORD_NS;

	return b->record_ns > least ? b->record_ns : least;
}

/* A cost that comes in one interval and not in the next is not the price of a record. */
static void price_follow(struct budget *b, const struct budget_input *in)
{
	double records =
		(double)(in->samples + in->switch_records + in->calls) + records_now(in).plain;
	double each = (double)in->record_ns / records;

	if (!(records >= RECORDS_TO_TELL))
		return;
	b->record_ns = b->record_ns > 0 ? fmin(each, 2 * b->record_ns) : each;
}

/* Stacks of waits that cost PERCENT of an interval as long as IN. */
static double stacks_for(const struct budget_input *in, double percent)
{
	double each = KERNEL_SWITCH_NS + KERNEL_STACK_NS + OWN_STACK_NS;

	return percent / 100 * in->cpus * (double)in->elapsed_ns / each;
}

/* The records that would have come at that level, at the highest recent rates. */
static struct records records_at(const struct budget *b, const struct budget_input *in,
				 const struct source_reduction *then)
{
	double thinned[2] = { 0 }, seconds = (double)in->elapsed_ns / NS_PER_S;
	struct records r = records_now(in);

	for (size_t i = 0; i < SOURCE_EVENTS_MAX; i++) {
		const struct budget_event *e = &in->events[i];

		if (!e->thins)
			continue;
		*(e->plain ? &r.plain : &r.samples) -= (double)e->samples;
		thinned[e->plain] += ldexp(b->rates[i] * seconds, -then->doublings[i]);
	}
	r.samples = ldexp(r.samples, (int)b->level.halvings - (int)then->halvings) + thinned[false];
	r.plain += thinned[true];
	if (then->sampled_counters) {
		r.switches = 0;
		r.sum_stacks = fmin(r.sum_stacks, stacks_for(in, b->limit_percent * STACK_SHARE));
	} else if (in->switches > in->switch_records) {
		r.switches = (double)in->switches;
	}
	return r;
}

/* The predicted cost of that level in the interval, at the highest recent rates. */
static double cost_at(const struct budget *b, const struct budget_input *in,
		      const struct source_reduction *then)
{
	const struct records now = records_now(in), r = records_at(b, in, then);
	double own_ns = (double)in->own_ns +
			(r.samples - now.samples) * own_record_ns(b, in->sample_stacks) +
			(r.plain - now.plain) * own_record_ns(b, false) +
			(r.switches - now.switches) * own_record_ns(b, in->stacks);

	if (own_ns < 0)
		own_ns = 0;
	return percent_of(in, own_ns + kernel_ns(in, &r));
}

static double cost_of(const struct budget *b, const struct budget_input *in, unsigned rest,
		      unsigned ceiling)
{
	struct source_reduction level = level_at(b, in, (struct step){ rest, ceiling });

	return cost_at(b, in, &level);
}

static double least_cost(const struct budget *b, const struct budget_input *in)
{
	struct step last = last_of(in);

	return cost_of(b, in, last.rest, last.ceiling);
}

/* The cost to aim at: PERCENT, or a bit over the least possible cost if that is higher. */
static double goal_of(const struct budget *b, const struct budget_input *in, double percent)
{
	double least = least_cost(b, in);

	if (least <= percent)
		return percent;
	if (least < b->limit_percent)
		return (least + b->limit_percent) / 2;
	return least + HELPFUL_SHARE * b->limit_percent;
}

/* Returns true if more switches came than samples, as one user's threads can make them. */
static bool switches_prevail(const struct budget_input *in)
{
	const struct records r = records_now(in);

	return !in->exact_only && fmax((double)in->switches, r.switches) > r.samples + r.plain;
}

/*
 * In place of REST, which lowers the frequency: the first step without records of switches, if these prevail and that is
 * enough.  So whoever switches often takes no samples from others.
 */
static unsigned rest_for_switches(const struct budget *b, const struct budget_input *in,
				  unsigned rest, double percent)
{
	const unsigned sampled = rates_of(in);

	if (rest < sampled && switches_prevail(in) &&
	    cost_of(b, in, sampled, last_of(in).ceiling) <= percent)
		return sampled;
	return rest;
}

/*
 * The step with the least reduction, from FIRST on, that costs no more than PERCENT.  It reduces
 * frequency and counters as little as possible, then takes the highest ceiling that fits.
 */
static struct step first_fit(const struct budget *b, const struct budget_input *in,
			     struct step first, double percent)
{
	struct step last = last_of(in), step = first;

	while (step.rest < last.rest && cost_of(b, in, step.rest, last.ceiling) > percent)
		step.rest++;
	if (step.rest > first.rest)
		step.rest = rest_for_switches(b, in, step.rest, percent);
	while (step.ceiling < last.ceiling && cost_of(b, in, step.rest, step.ceiling) > percent)
		step.ceiling++;
	return step;
}

static bool level_is(const struct source_reduction *a, const struct source_reduction *b)
{
	return a->halvings == b->halvings && a->sampled_counters == b->sampled_counters &&
	       !memcmp(a->doublings, b->doublings, sizeof(a->doublings));
}

/* The level of STEP, where on the way down no period gets shorter, and on the way up none longer. */
static struct source_reduction level_next(const struct budget *b, const struct budget_input *in,
					  struct step step, bool down)
{
	struct source_reduction next = level_at(b, in, step);

	for (size_t i = 0; i < SOURCE_EVENTS_MAX; i++) {
		uint8_t now = b->level.doublings[i];

		if (in->events[i].thins && (next.doublings[i] > now) != down)
			next.doublings[i] = now;
	}
	return next;
}

static bool is_level_now(const struct budget *b, const struct budget_input *in, struct step step,
			 bool down)
{
	struct source_reduction next = level_next(b, in, step, down);

	return level_is(&next, &b->level);
}

static bool level_set(struct budget *b, const struct budget_input *in, struct step step, bool down)
{
	bool same = is_level_now(b, in, step, down);

	b->level = level_next(b, in, step, down);
	b->ceiling = step.ceiling;
	if (!same) {
		b->over = b->calm = b->costly = b->losing = 0;
		b->costly_ns = 0;
	}
	return !same;
}

/*
 * The next step against what is dropped or throttled, whatever it costs.  A lower frequency does not
 * help where that is because of switches: then it is the first without their records.  Half of the frequency is half of
 * the samples: that is better only than to lose more, again and again, and not because something once held ptop up.
 */
static struct step step_after_loss(const struct budget *b, const struct budget_input *in,
				   struct step now)
{
	struct step last = last_of(in), next = now;
	unsigned sampled = rates_of(in);

	if (switches_prevail(in) && now.rest < sampled)
		return (struct step){ sampled, now.ceiling };
	while (next.ceiling < last.ceiling && is_level_now(b, in, next, true))
		next.ceiling++;
	if (is_level_now(b, in, next, true) && next.rest < last.rest &&
	    (in->throttled || b->losing >= LOSING_INTERVALS))
		next.rest++;
	return next;
}

/* Returns true if the cost beyond the least possible is several budgets. */
static bool is_far_over(const struct budget *b, const struct budget_input *in)
{
	return cost_now(in) - least_cost(b, in) > OVER_FAR * b->limit_percent;
}

static struct step step_after(const struct budget *b, const struct budget_input *in)
{
	struct step now = step_now(b, in);

	if (in->lost || in->throttled)
		now = step_after_loss(b, in, now);
	/* Records that come all at once after a moment in which ptop did not run say nothing of the next interval. */
	if ((b->costly < OVER_INTERVALS || b->costly_ns < OVER_NS) && !is_far_over(b, in) &&
	    is_level_now(b, in, now, true))
		return now;
	return first_fit(b, in, now, goal_of(b, in, b->limit_percent * GOAL_SHARE));
}

static bool step_down(struct budget *b, const struct budget_input *in)
{
	bool pressed = in->lost || in->throttled;

	b->calm = 0;
	if (++b->over < OVER_INTERVALS && !pressed && !is_far_over(b, in))
		return false;
	if (level_set(b, in, step_after(b, in), true)) {
		if (b->since_up < SETTLED)
			b->patience = b->patience * 2 < CALM_MOST ? b->patience * 2 : CALM_MOST;
		b->since_up = SETTLED;
		return true;
	}
	return false;
}

/* The time of the collector for the records of the interval alone, without what some of them bring with them. */
static double priced_ns(const struct budget *b, const struct budget_input *in)
{
	const struct records r = records_now(in);

	return r.samples * own_record_ns(b, in->sample_stacks) + r.plain * own_record_ns(b, false) +
	       r.switches * own_record_ns(b, in->stacks);
}

/* The cost that leaves room for more records, beside what presses anyway. */
static double calm_percent(const struct budget *b, const struct budget_input *in)
{
	const double others =
		percent_of(in, (double)in->own_ns - fmin((double)in->own_ns, priced_ns(b, in)));

	return others + (b->limit_percent - others) * CALM_SHARE;
}

/* Towards the best: frequency and counters first, then a ceiling so far that it makes one difference. */
static struct step step_before(const struct budget *b, const struct budget_input *in)
{
	const struct step all = { 0, 0 };
	struct step now = step_now(b, in), best;

	best = first_fit(b, in, all, goal_of(b, in, calm_percent(b, in)));
	if (best.rest < now.rest)
		return (struct step){ best.rest,
				      best.ceiling > now.ceiling ? best.ceiling : now.ceiling };
	while (best.rest <= now.rest && now.ceiling > best.ceiling &&
	       is_level_now(b, in, now, false))
		now.ceiling--;
	return now;
}

static bool step_up(struct budget *b, const struct budget_input *in)
{
	struct step next = step_before(b, in);

	b->over = 0;
	if ((b->held && next.rest == step_now(b, in).rest) || is_level_now(b, in, next, false)) {
		b->calm = 0;
		return false;
	}
	if (++b->calm < b->patience)
		return false;
	b->since_up = 0;
	return level_set(b, in, next, false);
}

/*
 * The highest rates of the last seconds.  Lost records are assumed to be of the same kinds as the
 * others.
 */
static void rates_follow(struct budget *b, const struct budget_input *in)
{
	double seconds = (double)in->elapsed_ns / NS_PER_S;
	const struct records r = records_now(in);
	double records = r.samples + r.plain + r.switches;
	double all = records > 0 ? (records + (double)in->lost) / records : 1;

	for (size_t i = 0; i < SOURCE_EVENTS_MAX; i++) {
		const struct budget_event *e = &in->events[i];
		double now = e->requested * all / seconds;

		b->rates[i] = e->thins ? fmax(now, b->rates[i] * exp2(-seconds / HALF_LIFE_S)) : 0;
	}
}

static void hold(struct budget *b, unsigned intervals)
{
	b->held = b->held > intervals ? b->held : intervals;
}

/* Periods as the ceiling wants them now: longer at once, shorter one doubling at a time. */
static bool periods_follow(struct budget *b, const struct budget_input *in)
{
	bool changed = false, may_fall = !b->held;

	for (size_t i = 0; i < SOURCE_EVENTS_MAX; i++) {
		uint8_t *now = &b->level.doublings[i], before = *now;
		uint8_t wanted = doublings_at(b, in, i, b->ceiling);

		if (wanted > *now)
			*now = wanted;
		else if (wanted < *now && may_fall)
			--*now;
		changed |= *now != before;
		if (*now < before)
			hold(b, HELD_LOWERED);
	}
	return changed;
}

/*
 * Stacks a second that fit at level AFTER beside what all else costs.  BEFORE has the level of the interval; records
 * of switches without stacks are cheap, and part of that.
 */
static uint32_t stacks_that_fit(const struct budget *before, const struct budget_input *in,
				const struct source_reduction *after)
{
	struct budget_input second = *in;
	double left, floor = before->limit_percent * STACK_SHARE;

	if (!in->stacks || !after->sampled_counters)
		return 0;
	second.sum_stacks = 0;
	left = before->limit_percent - cost_at(before, &second, after);
	second.elapsed_ns = NS_PER_S;
	return (uint32_t)stacks_for(&second, left > floor ? left : floor) + 1;
}

static bool levels_step(struct budget *b, const struct budget_input *in)
{
	if (cost_now(in) > b->limit_percent || in->lost || in->throttled)
		return step_down(b, in);
	return step_up(b, in);
}

/* The cost of the interval, and how much of the budget work that can wait has from now on. */
static void divide(struct budget *b, const struct budget_input *in)
{
	const struct records r = records_now(in);
	const double cost = cost_now(in), spare = percent_of(in, (double)in->spare_ns);

	b->cost_percent = cost + spare;
	b->fixed_percent = cost;
	b->fixed_limit = b->limit_percent * (1 - SPARE_SHARE);
	b->spare_percent = fmax(b->limit_percent - cost, b->limit_percent * SPARE_SHARE);
	b->losing = (double)in->lost > r.samples + r.plain + r.switches ? b->losing + 1 : 0;
	b->exceeding_ns = b->cost_percent > b->limit_percent ? b->exceeding_ns + in->elapsed_ns : 0;
}

/*
 * The interval as it presses on the level: a lower one buys back only what records cost.  Work that can wait presses with
 * its share, and this and all else but records with no more than what records leave.
 */
static struct budget_input pressing_of(const struct budget *b, const struct budget_input *in)
{
	const double limit_ns = b->limit_percent / 100 * (double)in->elapsed_ns * in->cpus;
	const double waits_ns = fmin((double)in->spare_ns, limit_ns * SPARE_SHARE);
	const double records_ns = fmin((double)in->record_ns, PRICE_SLACK * priced_ns(b, in));
	const double fixed_ns = fmax((double)in->own_ns - records_ns, 0) + waits_ns;
	struct budget_input pressing = *in;

	pressing.own_ns = (uint64_t)(records_ns + fmin(fixed_ns, limit_ns * (1 - RECORD_SHARE)));
	return pressing;
}

bool budget_step(struct budget *b, const struct budget_input *in)
{
	struct budget_input pressing;
	struct budget before;
	bool changed, stepped, costly;

	if (!in->elapsed_ns || !in->cpus || !(b->limit_percent > 0))
		return false;
	divide(b, in);
	pressing = pressing_of(b, in);
	in = &pressing;
	costly = cost_now(in) > b->limit_percent;
	b->costly = costly ? b->costly + 1 : 0;
	b->costly_ns = costly ? b->costly_ns + in->elapsed_ns : 0;
	rates_follow(b, in);
	price_follow(b, in);
	b->held -= b->held > 0;
	if (in->tight || (in->lost && ceilings_of(in)))
		hold(b, HELD_TIGHT);
	changed = periods_follow(b, in);
	if (b->since_up < CALM_MOST)
		b->since_up++;
	if (b->since_up == CALM_MOST)
		b->patience = CALM_INTERVALS;
	before = *b;
	stepped = levels_step(b, in);
	b->exceeded = !stepped && b->exceeding_ns >= OVER_NS;
	changed |= stepped;
	b->level.stacks_hz = stacks_that_fit(&before, in, &b->level);
	return changed || b->level.stacks_hz != before.level.stacks_hz;
}
