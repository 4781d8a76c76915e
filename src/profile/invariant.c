/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/invariant.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/i18n.h"

#define ROUNDING_PERCENT 2.0 /* see the header */
#define PARTS_PERCENT 0.1    /* scaled counters are sums of rounded estimates */

/* CPU use. */

static bool is_window(const struct snapshot *s)
{
	return s->past.to_ns != 0;
}

/* Returns true if rows may have figures of /proc. */
static bool has_ticks(const struct snapshot *s)
{
	return !is_window(s) && s->host.ticks_per_s > 0 && s->interval_s > 0;
}

/* ROWS: how many figures of /proc are summed. */
static double cpu_tolerance(const struct snapshot *s, size_t rows)
{
	double tolerance = ROUNDING_PERCENT;

	if (!has_ticks(s))
		return tolerance;
	tolerance += 2 * (double)rows * 100 / s->host.ticks_per_s / s->interval_s;
	if (s->host.read_s > 0)
		tolerance += 100 * s->host.cpus * s->host.read_s / s->interval_s;
	return tolerance;
}

/* The number of CPUs that a row can use at once. */
static double row_cpus(const struct snapshot *s, const struct snapshot_process *p)
{
	if (p->tid)
		return 1;
	return p->threads_seen && p->threads_seen < s->host.cpus ? p->threads_seen : s->host.cpus;
}

static size_t check_process_cpu(struct snapshot *s)
{
	double tolerance = cpu_tolerance(s, 1);
	size_t found = 0;

	for (size_t i = 0; s->host.cpus && i < s->process_count; i++) {
		struct snapshot_process *p = &s->processes[i];

		if (isnan(p->cpu_percent) ||
		    (p->cpu_percent >= 0 && p->cpu_percent <= 100 * row_cpus(s, p) + tolerance))
			continue;
		p->cpu_percent = NAN;
		found++;
	}
	return found;
}

/* The idle time of all CPUs; 0 in a window, whose rows are of another time. */
static double idle_percent(const struct snapshot *s)
{
	double idle = s->host.idle_percent + s->host.iowait_percent;

	return is_window(s) || isnan(idle) ? 0 : idle * s->host.cpus;
}

/* The sum does not tell which of the figures is wrong. */
static size_t check_cpu_sum(struct snapshot *s)
{
	double sum = idle_percent(s);
	size_t rows = 0;

	for (size_t i = 0; i < s->process_count; i++) {
		const struct snapshot_process *p = &s->processes[i];

		if (!p->tid && p->cpu_percent > 0) {
			sum += p->cpu_percent;
			rows++;
		}
	}
	/* The idle time is one more figure of /proc, in ticks of each CPU. */
	if (!s->host.cpus || sum <= 100 * s->host.cpus + cpu_tolerance(s, rows + s->host.cpus))
		return 0;
	for (size_t i = 0; i < s->process_count; i++)
		s->processes[i].cpu_percent = NAN;
	return 1;
}

/* Counters. */

static double value_of(const struct snapshot_process *p, size_t event)
{
	return p->counters ? p->counters[event] : NAN;
}

/* Elsewhere the tasks whose events took turns are scaled one by one: one can be estimated at more than all. */
static bool scaled_together(const struct snapshot *s, const struct snapshot_event *e)
{
	return !s->sampling.tier || !strcmp(s->sampling.tier, "cpu-group") ||
	       !(e->running_percent < 100);
}

static size_t check_counter(struct snapshot *s)
{
	size_t found = 0;

	for (size_t i = 0; i < s->process_count; i++) {
		for (size_t j = 0; j < s->event_count; j++) {
			const struct snapshot_event *e = &s->events[j];
			double value = value_of(&s->processes[i], j);
			double most = e->value * (1 + PARTS_PERCENT / 100) + 1;

			if (isnan(value) || !scaled_together(s, e) ||
			    (value >= 0 && !(value > most)))
				continue;
			snapshot_values(s, i)[j] = NAN;
			found++;
		}
	}
	return found;
}

static double processes_sum(const struct snapshot *s, size_t event)
{
	double sum = 0;

	for (size_t i = 0; i < s->process_count; i++) {
		double value = value_of(&s->processes[i], event);

		if (!s->processes[i].tid && !isnan(value))
			sum += value;
	}
	return sum;
}

/* Where every part is known. */
static size_t check_counter_sum(struct snapshot *s)
{
	size_t found = 0;

	for (size_t i = 0; i < s->event_count; i++) {
		struct snapshot_event *e = &s->events[i];
		double parts = processes_sum(s, i) + e->idle + e->unattributed;
		double tolerance = e->value * PARTS_PERCENT / 100 + (double)s->process_count + 3;

		if (isnan(parts) || isnan(e->value) || fabs(parts - e->value) <= tolerance)
			continue;
		e->idle = e->unattributed = NAN;
		found++;
	}
	return found;
}

/* The sum of the CPUs' counts of EVENT, or of their samples; NAN: unknown for an online CPU. */
static double cpus_sum(const struct snapshot *s, size_t event, bool samples)
{
	double sum = s->cpu_count ? 0 : NAN;

	for (size_t i = 0; i < s->cpu_count; i++) {
		const struct snapshot_cpu *c = &s->cpus[i];

		double value = samples ? c->samples[event] : c->counters[event];

		sum += isnan(value) && !c->facts.online ? 0 : value;
	}
	return sum;
}

/* Where whole CPUs are counted, and each told its part. */
static size_t check_cpus(struct snapshot *s)
{
	size_t found = 0;

	for (size_t i = 0; i < s->event_count; i++) {
		const struct snapshot_event *e = &s->events[i];
		double counted = cpus_sum(s, i, false), samples = cpus_sum(s, i, true);
		double tolerance = e->value * PARTS_PERCENT / 100 + (double)s->cpu_count + 3;

		bool wrong = !isnan(e->idle) && fabs(counted - e->value) > tolerance;

		if (!wrong && !(fabs(samples - (double)e->samples) > 0))
			continue;
		for (size_t j = 0; j < s->cpu_count; j++)
			((double *)s->cpus[j].counters)[i] = ((double *)s->cpus[j].samples)[i] =
				NAN;
		found++;
	}
	return found;
}

static double groups_sum(const struct snapshot *s, size_t event)
{
	double sum = 0;

	for (size_t i = 0; i < s->group_count; i++)
		sum += isnan(s->groups[i].counters[event]) ? 0 : s->groups[i].counters[event];
	return sum;
}

/* Where every part is known: whose group is not known is in a group, too. */
static size_t check_groups(struct snapshot *s)
{
	size_t found = 0;

	for (size_t i = 0; s->group_count && i < s->event_count; i++) {
		const struct snapshot_event *e = &s->events[i];
		double parts = groups_sum(s, i) + e->idle + e->unattributed;
		double tolerance = e->value * PARTS_PERCENT / 100 + (double)s->process_count + 3;

		if (isnan(parts) || isnan(e->value) || fabs(parts - e->value) <= tolerance)
			continue;
		for (size_t j = 0; j < s->group_count; j++)
			((double *)s->groups[j].counters)[i] = NAN;
		found++;
	}
	return found;
}

/* Samples. */

static int first_sampled(const struct snapshot *s)
{
	for (size_t i = 0; i < s->event_count; i++) {
		if (s->events[i].sampled && !s->events[i].error)
			return (int)i;
	}
	return -1;
}

/* The sum over the cells of EVENT; NAN when one is no number. */
static double cells_sum(const struct snapshot *s, int event)
{
	double sum = 0;

	for (size_t i = 0; i < s->cell_count; i++) {
		const struct snapshot_cell *c = &s->cells[i];

		if (c->event == event)
			sum += c->samples >= 0 && c->period >= 0 ? c->samples : NAN;
	}
	return sum;
}

static size_t check_samples(struct snapshot *s)
{
	int event = first_sampled(s);
	double cells, rows = 0;
	size_t found = 0, processes = 0;

	if (event < 0)
		return 0;
	cells = cells_sum(s, event);
	for (size_t i = 0; i < s->process_count; i++) {
		const struct snapshot_process *p = &s->processes[i];

		rows += p->tid ? 0 : (double)p->samples;
		processes += !p->tid && p->samples;
	}
	found += !(rows <= cells + (double)processes / 2 + 1); /* each one is rounded */
	/* A window has its own cells alone. */
	found += is_window(s) && cells != (double)s->events[event].samples;
	return found;
}

/* Shares of a whole. */

static size_t share_check(double *percent)
{
	if (isnan(*percent) || (*percent >= 0 && *percent <= 100.001))
		return 0;
	*percent = NAN;
	return 1;
}

/* The parts of a CPU's time. */
static size_t cpu_shares_check(struct cpu_facts *f)
{
	return share_check(&f->user_percent) + share_check(&f->system_percent) +
	       share_check(&f->irq_percent) + share_check(&f->softirq_percent) +
	       share_check(&f->steal_percent) + share_check(&f->iowait_percent) +
	       share_check(&f->idle_percent);
}

static size_t pressure_check(struct pressure *p)
{
	return share_check(&p->cpu_some_percent) + share_check(&p->memory_some_percent) +
	       share_check(&p->memory_full_percent) + share_check(&p->io_some_percent) +
	       share_check(&p->io_full_percent);
}

static size_t group_shares_check(struct group_facts *f)
{
	return share_check(&f->throttled_percent) + pressure_check(&f->pressure);
}

static size_t check_share(struct snapshot *s)
{
	struct snapshot_host *h = &s->host;
	size_t found = share_check(&h->cpu_percent) + share_check(&h->user_percent) +
		       share_check(&h->system_percent) + share_check(&h->idle_percent) +
		       share_check(&h->iowait_percent) + share_check(&h->steal_percent) +
		       pressure_check(&h->pressure) + share_check(&s->sampling.unresolved_percent) +
		       share_check(&s->sampling.unnamed_percent) +
		       share_check(&s->sampling.stacks_complete_percent) +
		       share_check(&s->sampling.python_percent);

	for (size_t i = 0; i < s->cpu_count; i++)
		found += cpu_shares_check(&s->cpus[i].facts);
	for (size_t i = 0; i < s->group_fact_count; i++)
		found += group_shares_check(&s->group_facts[i]);
	for (size_t i = 0; i < s->event_count; i++)
		found += share_check(&s->events[i].running_percent);
	return found;
}

/* The past. */

/* Slices begin and end at multiples of their width, so the first and the last reach over the session. */
static bool slice_is_right(const struct snapshot_past *p, size_t i, uint64_t behind_ns)
{
	const struct snapshot_slice *slice = &p->slices[i];
	uint64_t width_ns = slice->to_ns - slice->from_ns;

	if (slice->from_ns >= slice->to_ns || slice->from_ns < behind_ns)
		return false;
	if (!p->now_ns)
		return true;
	return slice->to_ns - 1 <= p->now_ns + width_ns && slice->to_ns + width_ns >= p->began_ns;
}

static size_t check_past(struct snapshot *s)
{
	struct snapshot_past *p = &s->past;
	uint64_t behind_ns = 0;
	size_t kept = 0, found;

	for (size_t i = 0; i < p->count; i++) {
		if (!slice_is_right(p, i, behind_ns))
			continue;
		behind_ns = p->slices[i].to_ns;
		p->slices[kept] = p->slices[i];
		memmove(p->samples + kept * s->event_count, p->samples + i * s->event_count,
			s->event_count * sizeof(*p->samples));
		kept++;
	}
	found = p->count - kept + (p->from_ns > p->to_ns);
	p->count = kept;
	return found;
}

/* Records. */

static size_t check_records(struct snapshot *s)
{
	return s->sampling.read_samples != s->sampling.settled_samples;
}

const struct invariant invariants[INVARIANTS] = {
	[INVARIANT_PROCESS_CPU] = { "process-cpu",
				    N_("no process is on more CPUs than it has threads, or the "
				       "machine has"),
				    check_process_cpu },
	[INVARIANT_CPU_SUM] = { "cpu-sum",
				N_("all processes and idle CPUs together use no more than all "
				   "CPUs"),
				check_cpu_sum },
	[INVARIANT_COUNTER] = { "counter",
				N_("no process counts more of an event than the machine"),
				check_counter },
	[INVARIANT_COUNTER_SUM] = { "counter-sum",
				    N_("processes, idle CPUs and nobody together count what the "
				       "machine does"),
				    check_counter_sum },
	[INVARIANT_CPUS] = { "cpus",
			     N_("the CPUs together count, and are sampled, as the machine is"),
			     check_cpus },
	[INVARIANT_GROUPS] = { "groups",
			       N_("the control groups, idle CPUs and nobody together count what "
				  "the "
				  "machine does"),
			       check_groups },
	[INVARIANT_SAMPLES] = { "samples", N_("processes have the samples of their functions"),
				check_samples },
	[INVARIANT_SHARE] = { "share", N_("a share of a whole is between 0 and 100 %"),
			      check_share },
	[INVARIANT_PAST] = { "past", N_("slices of the past follow each other, within the session"),
			     check_past },
	[INVARIANT_RECORDS] = { "records",
				N_("each sample that was read is counted, or skipped for a known "
				   "reason"),
				check_records },
};

void invariants_check(struct snapshot *s, uint64_t *totals)
{
	s->violations = mem_array(INVARIANTS, sizeof(*s->violations));
	for (size_t i = 0; i < INVARIANTS; i++) {
		size_t found = invariants[i].check(s);

		totals[i] += found;
		if (totals[i])
			s->violations[s->violation_count++] =
				(struct snapshot_violation){ invariants[i].name, invariants[i].text,
							     found, totals[i] };
	}
}
