/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/attribution.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/cpu.h"

/* Rows of CPUs that exist are far fewer; a recording can claim any number of each. */
#define CPU_VALUES (1u << 20)

/* An event on a CPU. */
struct last_value {
	struct counter_value v; /* running totals */
	bool known;
	bool gap; /* records were lost since */
	struct attribution_cpu sum;
};

struct attribution {
	struct counters *counters;
	size_t events;
	struct last_value **cpus; /* a row of `events` each, NULL until seen */
	size_t cpu_count, cpu_rows;
	struct counter_value *ever;   /* totals since the beginning */
	struct counter_value *before; /* the same when the interval began */
	uint64_t *samples;            /* of the interval, that are shown */
	double *increase;             /* of the last attribution_cpu(); NULL: nobody asks */
	struct attribution_stats stats;
};

struct attribution *attribution_new(struct counters *counters)
{
	struct attribution *a = mem_alloc(sizeof(*a));

	a->counters = counters;
	a->events = counters_events(counters);
	a->ever = mem_array(a->events, sizeof(*a->ever));
	a->before = mem_array(a->events, sizeof(*a->before));
	a->samples = mem_array(a->events, sizeof(*a->samples));
	return a;
}

static void forget_increase(struct attribution *a)
{
	for (size_t i = 0; i < a->events; i++)
		a->increase[i] = NAN;
}

/* OLD, of which the first HAD elements are used, as an array of COUNT; the others are zero. */
static void *array_grown(void *old, size_t had, size_t count, size_t size)
{
	void *new = mem_array(count, size);

	memcpy(new, old, had * size);
	free(old);
	return new;
}

void attribution_grow(struct attribution *a)
{
	size_t had = a->events, events = counters_events(a->counters);

	if (events <= had)
		return;
	for (size_t i = 0; i < a->cpu_count; i++) {
		if (a->cpus[i])
			a->cpus[i] = array_grown(a->cpus[i], had, events, sizeof(**a->cpus));
	}
	a->ever = array_grown(a->ever, had, events, sizeof(*a->ever));
	a->before = array_grown(a->before, had, events, sizeof(*a->before));
	a->samples = array_grown(a->samples, had, events, sizeof(*a->samples));
	a->events = events;
	if (!a->increase)
		return;
	a->increase = array_grown(a->increase, had, events, sizeof(*a->increase));
	forget_increase(a);
}

void attribution_free(struct attribution *a)
{
	if (!a)
		return;
	for (size_t i = 0; i < a->cpu_count; i++)
		free(a->cpus[i]);
	mem_free(a->cpus, a->ever, a->before, a->samples, a->increase, a);
}

/* The row of CPU, or NULL when there cannot be such a CPU, or so many. */
static struct last_value *cpu_row(struct attribution *a, uint32_t cpu)
{
	if (cpu < a->cpu_count && a->cpus[cpu])
		return a->cpus[cpu];
	if (cpu >= CPU_LIMIT || (a->cpu_rows + 1) * a->events > CPU_VALUES) {
		a->stats.bad_cpus++;
		return NULL;
	}
	if (cpu >= a->cpu_count)
		mem_grow_zeroed((void **)&a->cpus, &a->cpu_count, cpu + 1u, sizeof(*a->cpus));
	a->cpus[cpu] = mem_array(a->events, sizeof(**a->cpus));
	a->cpu_rows++;
	return a->cpus[cpu];
}

/* The increase that a record tells; no event runs longer than it is enabled. */
static struct counter_value increase(uint64_t value, uint64_t enabled_ns, uint64_t running_ns)
{
	return (struct counter_value){ value, enabled_ns,
				       running_ns < enabled_ns ? running_ns : enabled_ns };
}

/* Returns true if the sum of both is a number: then so is each part of it. */
static bool can_add(const struct counter_value *sum, const struct counter_value *v)
{
	return v->value <= UINT64_MAX - sum->value &&
	       v->enabled_ns <= UINT64_MAX - sum->enabled_ns &&
	       v->running_ns <= UINT64_MAX - sum->running_ns;
}

/* ROW, of a task, and SUM, of the CPU, may be NULL. */
static void credit(struct attribution *a, struct attribution_cpu *sum, struct counter_value *row,
		   size_t event, const struct counter_value *v)
{
	if (!can_add(&a->ever[event], v)) {
		a->stats.resets++;
		return;
	}
	if (row)
		counter_value_add(&row[event], v);
	if (sum)
		counter_value_add(&sum->counted, v);
	counter_value_add(&a->ever[event], v);
}

static struct counter_value *unattributed(struct attribution *a)
{
	return counters_open_row(a->counters, COUNTERS_UNATTRIBUTED);
}

static bool grew(const struct counter_value *from, const struct counter_value *to)
{
	return to->value >= from->value && to->enabled_ns >= from->enabled_ns &&
	       to->running_ns >= from->running_ns;
}

/* V, of one record, scaled as all of the event is: the time its group waited was not this record's. */
static void scale_increase(const struct attribution *a, size_t event, const struct counter_value *v)
{
	struct counter_value timed = { v->value, a->ever[event].enabled_ns,
				       a->ever[event].running_ns };

	if (v->value || v->running_ns)
		counter_scaled(&timed, &a->increase[event]);
}

/* Splits V, one record's increase: OTHER stays unattributed, ROW gets the rest. */
static void credit_parts(struct attribution *a, struct attribution_cpu *sum,
			 struct counter_value *row, size_t event, const struct counter_value *v,
			 const struct counter_value *other)
{
	struct counter_value nobody = *other, rest = *v;

	if (nobody.value > v->value)
		nobody.value = v->value;
	if (nobody.enabled_ns > v->enabled_ns)
		nobody.enabled_ns = v->enabled_ns;
	if (nobody.running_ns > v->running_ns)
		nobody.running_ns = v->running_ns;
	rest.value -= nobody.value;
	rest.enabled_ns -= nobody.enabled_ns;
	rest.running_ns -= nobody.running_ns;
	if (nobody.enabled_ns || nobody.running_ns)
		credit(a, sum, unattributed(a), event, &nobody);
	credit(a, sum, row, event, &rest);
}

/* Credits V, the increase of value I of READ. */
static void credit_increase(struct attribution *a, struct attribution_cpu *sum,
			    struct counter_value *row, const struct counter_value *v,
			    const struct record_read *read, uint32_t i)
{
	bool clock = i < 64 && read->clocks >> i & 1;
	const struct counter_value other = { clock ? read->other_enabled_ns : 0,
					     read->other_enabled_ns, read->other_running_ns };
	size_t event = read->values[i].id;

	if (other.enabled_ns || other.running_ns)
		credit_parts(a, sum, row, event, v, &other);
	else /* as in nearly all records */
		credit(a, sum, row, event, v);
}

/* Value I of READ has come, of which LAST came before. */
static void advance(struct attribution *a, struct last_value *last, struct counter_value *row,
		    const struct record_read *read, uint32_t i)
{
	const struct counter_value now = { read->values[i].value, read->enabled_ns,
					   read->running_ns };
	const struct counter_value delta =
		increase(now.value - last->v.value, now.enabled_ns - last->v.enabled_ns,
			 now.running_ns - last->v.running_ns);
	bool usable = last->known && grew(&last->v, &now);

	a->stats.resets += last->known && !usable && !last->gap;
	if (usable)
		credit_increase(a, &last->sum, last->gap ? unattributed(a) : row, &delta, read, i);
	if (a->increase && usable && !last->gap)
		scale_increase(a, read->values[i].id, &delta);
	last->v = now;
	last->known = true;
	last->gap = false;
}

const double *attribution_increase(struct attribution *a)
{
	if (!a->increase) {
		a->increase = mem_array(a->events, sizeof(*a->increase));
		forget_increase(a);
	}
	return a->increase;
}

void attribution_cpu(struct attribution *a, uint32_t cpu, uint32_t slot,
		     const struct record_read *read)
{
	struct last_value *last = cpu_row(a, cpu);
	struct counter_value *row = counters_open_row(a->counters, slot);

	if (a->increase)
		forget_increase(a);
	if (!last)
		return;
	for (uint32_t i = 0; i < read->count; i++) {
		uint64_t event = read->values[i].id;

		if (event < a->events)
			advance(a, &last[event], row, read, i);
		else
			a->stats.foreign++;
	}
}

void attribution_gap(struct attribution *a, uint32_t cpu)
{
	struct last_value *row = cpu_row(a, cpu);

	if (!row)
		return;
	a->stats.gaps++;
	for (size_t i = 0; i < a->events; i++)
		row[i].gap = true;
}

void attribution_task(struct attribution *a, uint32_t slot, const struct record_read *read)
{
	struct counter_value *row = counters_open_row(a->counters, slot);

	for (uint32_t i = 0; i < read->count; i++) {
		struct counter_value v =
			increase(read->values[i].value, read->enabled_ns, read->running_ns);
		uint64_t event = read->values[i].id;

		if (event < a->events)
			credit(a, NULL, row, event, &v);
		else
			a->stats.foreign++;
	}
}

/* Returns the sum of EVENT on CPU; NULL if none is kept. */
static struct attribution_cpu *cpu_sum(struct attribution *a, uint32_t cpu, size_t event)
{
	struct last_value *row = cpu == ATTRIBUTION_NO_CPU ? NULL : cpu_row(a, cpu);

	return row ? &row[event].sum : NULL;
}

void attribution_period(struct attribution *a, uint32_t cpu, uint32_t slot, size_t event,
			uint64_t period)
{
	/* Any time will do, as long as it is the same: nothing is scaled. */
	const struct counter_value v = { .value = period, .enabled_ns = 1, .running_ns = 1 };

	if (event >= a->events) {
		a->stats.foreign++;
		return;
	}
	credit(a, cpu_sum(a, cpu, event), counters_open_row(a->counters, slot), event, &v);
}

uint32_t attribution_slot(struct attribution *a, struct thread *th)
{
	if (!th->slot)
		th->slot = counters_slot_new(a->counters);
	return th->slot;
}

void attribution_sample(struct attribution *a, uint32_t cpu, size_t event, uint32_t count)
{
	struct attribution_cpu *sum = cpu_sum(a, cpu, event);

	if (sum)
		sum->samples += count;
	a->samples[event] += count;
	a->stats.samples += count;
}

uint64_t attribution_samples(const struct attribution *a, size_t event)
{
	return a->samples[event];
}

struct counter_value attribution_total(const struct attribution *a, size_t event)
{
	const struct counter_value *now = &a->ever[event], *before = &a->before[event];

	return (struct counter_value){ now->value - before->value,
				       now->enabled_ns - before->enabled_ns,
				       now->running_ns - before->running_ns };
}

const struct attribution_cpu *attribution_cpu_find(const struct attribution *a, uint32_t cpu,
						   size_t event)
{
	return cpu < a->cpu_count && a->cpus[cpu] ? &a->cpus[cpu][event].sum : NULL;
}

size_t attribution_cpus(const struct attribution *a)
{
	return a->cpu_count;
}

void attribution_next_interval(struct attribution *a)
{
	for (size_t i = 0; i < a->cpu_count; i++) {
		for (size_t j = 0; a->cpus[i] && j < a->events; j++)
			a->cpus[i][j].sum = (struct attribution_cpu){ 0 };
	}
	memcpy(a->before, a->ever, a->events * sizeof(*a->before));
	memset(a->samples, 0, a->events * sizeof(*a->samples));
}

const struct attribution_stats *attribution_statistics(const struct attribution *a)
{
	return &a->stats;
}
