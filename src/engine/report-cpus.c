/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/engine-state.h"
#include "engine/report.h"

/* The CPU NUMBER in ENTRIES from *AT on, or NULL; *AT goes on. */
static const struct cpu_entry *entry_of(const struct cpus *c, size_t *at, uint32_t number)
{
	while (*at < c->count && c->items[*at].facts.number < number)
		++*at;
	return *at < c->count && c->items[*at].facts.number == number ? &c->items[*at] : NULL;
}

/* A recording knows only the CPUs that its records are of. */
static bool is_cpu(const struct report *r, const struct cpu_entry *entry, uint32_t number)
{
	return (entry && entry->present) || attribution_cpu_find(r->e->attribution, number, 0);
}

static uint32_t numbers_end(const struct report *r)
{
	const struct cpus *c = &r->e->host.cpus_each;
	size_t end = c->count ? c->items[c->count - 1].facts.number + 1 : 0;
	size_t told = attribution_cpus(r->e->attribution);

	return (uint32_t)(told > end ? told : end);
}

/* Counts of tasks are kept by CPU only where whole CPUs are counted, and in a recording. */
static bool counts_cpus(const struct report *r)
{
	return r->e->options.tier == TIER_CPU_GROUP || r->e->options.tier == TIER_FILE;
}

/* A recording can be of more CPUs than have sums: then nobody's sum is right. */
static bool has_sums(const struct report *r)
{
	return !r->window && !attribution_statistics(r->e->attribution)->bad_cpus;
}

/* One CPU of each socket reads an uncore event: at the others nothing was counted, which is not 0. */
static bool is_of_socket(const struct report *r, size_t event)
{
	return r->e->options.evlist->items[event]->per_cpu_only;
}

static void fill_values(struct report *r, struct snapshot_cpu *to)
{
	double *counters = (double *)to->counters, *samples = (double *)to->samples;

	for (size_t i = 0; i < r->s->event_count; i++) {
		const struct attribution_cpu *sum =
			attribution_cpu_find(r->e->attribution, to->facts.number, i);
		const struct snapshot_event *event = &r->s->events[i];

		if (!sum || event->error || event->time)
			continue;
		if (counts_cpus(r))
			counters[i] = report_value(r, &sum->counted, i,
						   r->counted[i] && !is_of_socket(r, i));
		if (event->sampled && r->e->tells_cpu)
			samples[i] = (double)sum->samples;
	}
}

/* In a window of the past only its place is known: the times of /proc are of now. */
static struct cpu_facts facts_of(const struct report *r, const struct cpu_entry *entry,
				 uint32_t number)
{
	struct cpu_facts facts = cpu_unknown;

	facts.number = number;
	facts.online = true;
	if (entry && !r->window)
		return entry->facts;
	if (entry)
		facts.place = entry->facts.place;
	return facts;
}

void report_fill_cpus(struct report *r)
{
	const struct cpus *each = &r->e->host.cpus_each;
	uint32_t end = numbers_end(r);
	size_t count = 0, at = 0;

	if (!(r->e->extras & (EXTRA_CPUS | EXTRA_CPU_TIMES)))
		return;
	for (uint32_t i = 0; i < end; i++)
		count += is_cpu(r, entry_of(each, &at, i), i);
	snapshot_alloc_cpus(r->s, count);
	count = at = 0;
	for (uint32_t i = 0; i < end; i++) {
		const struct cpu_entry *entry = entry_of(each, &at, i);

		if (!is_cpu(r, entry, i))
			continue;
		r->s->cpus[count].facts = facts_of(r, entry, i);
		if (has_sums(r))
			fill_values(r, &r->s->cpus[count]);
		count++;
	}
}
