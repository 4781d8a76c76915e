/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "engine/report.h"
#include "engine/engine-state.h"
#include "proc/cgroup.h"

/* P has no row: adds its counts to those of the idle tasks or of nobody. */
static void sum_rowless(struct report *r, const struct process *p)
{
	struct counter_value *sums = p->pid ? r->of_nobody : r->of_idle;

	for (size_t i = 0; i < p->thread_count; i++) {
		const struct thread *th = p->threads[i];
		const struct counter_value *row = counters_row(r->e->counters, th->slot);

		for (size_t event = 0; th->slot && event < r->s->event_count; event++)
			counter_value_add(&sums[event], &row[event]);
	}
}

static void choose_processes(struct report *r)
{
	struct engine *e = r->e;
	struct process *p;

	for (size_t i = 0; (p = process_table_next(e->processes, &i));) {
		if (!target_has(&e->target, e->processes, p)) {
			sum_rowless(r, p);
			continue;
		}
		mem_grow((void **)&r->shown, &r->shown_capacity, r->shown_count + 1,
			 sizeof(*r->shown));
		r->shown[r->shown_count++] = p;
	}
}

/* Processes of the past, of a window in which they were. */
static void choose_gone(struct report *r)
{
	struct past *p;

	for (size_t i = 0; r->window && (p = map_next(&r->e->past, &i));) {
		if (!report_tally(r, p->serial, 0) && !window_counts(r->window, p->serial, 0))
			continue;
		mem_grow((void **)&r->gone, &r->gone_capacity, r->gone_count + 1, sizeof(*r->gone));
		r->gone[r->gone_count++] = p;
	}
}

/* Returns true if TH has a row of its own: not the idle tasks, for in a row their number stands for a whole process. */
static bool thread_has_row(const struct report *r, const struct thread *th)
{
	return r->e->options.threads && th->tid;
}

static size_t count_rows(const struct report *r)
{
	size_t count = r->shown_count + r->gone_count;

	for (size_t i = 0; i < r->shown_count; i++) {
		for (size_t j = 0; j < r->shown[i]->thread_count; j++)
			count += thread_has_row(r, r->shown[i]->threads[j]);
	}
	return count;
}

/*
 * Counters that take turns: what a CPU counts between two records is one task's, but the time that a
 * group waited between them may have been that of many.  So what is counted on CPUs is scaled as the
 * machine's sum is; the values then add up to it.
 */
static struct counter_value with_times(const struct report *r, const struct counter_value *v,
				       size_t event)
{
	const struct counter_value total = attribution_total(r->e->attribution, event);
	struct counter_value scaled = *v;

	if (r->e->options.tier != TIER_CPU_GROUP || (!v->value && !v->running_ns))
		return scaled;
	scaled.enabled_ns = total.enabled_ns;
	scaled.running_ns = total.running_ns;
	return scaled;
}

double report_value(const struct report *r, const struct counter_value *v, size_t event,
		    bool absent_is_zero)
{
	struct counter_value timed = with_times(r, v, event);
	double scaled;

	/* The time of its group goes on.  The rest of its counts is shown once more. */
	if (!r->e->options.evlist->items[event]->enabled && !v->value)
		return NAN;
	if (counter_scaled(&timed, &scaled))
		return scaled * r->e->options.evlist->items[event]->scale;
	return absent_is_zero && !v->enabled_ns ? 0 : NAN;
}

/* The counts of one row. */
struct row_counts {
	struct counter_value *values; /* one an event */
	bool counted;                 /* it has a slot: records of it came at some time */
	bool touched;                 /* records of it came in this interval */
};

static struct row_counts no_counts(const struct report *r)
{
	memset(r->scratch, 0, r->s->event_count * sizeof(*r->scratch));
	return (struct row_counts){ .values = r->scratch };
}

static void add_thread(const struct report *r, struct row_counts *counts, struct thread *th)
{
	const struct counter_value *row;

	counts->counted |= th->slot != 0;
	if (!th->slot || !counters_touched(r->e->counters, th->slot) ||
	    !target_has_thread(&r->e->target, r->e->processes, th))
		return;
	counts->touched = true;
	row = counters_row(r->e->counters, th->slot);
	for (size_t i = 0; i < r->s->event_count; i++)
		counter_value_add(&counts->values[i], &row[i]);
}

/*
 * The sum over P's threads; of one that did not run there is none, and few do.  But events of time are
 * of those that wait.
 */
static struct row_counts sum_threads(const struct report *r, const struct process *p)
{
	struct row_counts counts = no_counts(r);

	if (!process_did_run(p) && report_tier(r->e->options.tier)->zero && !r->e->times &&
	    !r->e->syscalls)
		return counts;
	for (size_t i = 0; i < p->thread_count; i++)
		add_thread(r, &counts, p->threads[i]);
	return counts;
}

static void fill_values(const struct report *r, size_t row, const struct row_counts *counts,
			bool zero)
{
	double *values = snapshot_values(r->s, row);

	for (size_t i = 0; i < r->s->event_count; i++) {
		/* An uncore event counts a whole socket, so it belongs to no task. */
		if (r->e->options.evlist->items[i]->per_cpu_only)
			values[i] = NAN;
		else
			values[i] = report_value(r, &counts->values[i], i, zero && r->counted[i]);
	}
}

/* Rows without a record share their values. */
static void set_values(struct report *r, size_t row, const struct row_counts *counts)
{
	bool zero = report_tier(r->e->options.tier)->zero || counts->counted;

	r->s->processes[row].sampled = zero || r->s->processes[row].samples;
	if (!counts->touched && r->idle[zero]) {
		r->s->processes[row].counters = r->idle[zero];
		return;
	}
	fill_values(r, row, counts, zero);
	if (!counts->touched)
		r->idle[zero] = r->s->processes[row].counters;
}

/* The longest time that one of those events was enabled; WHOLE: of those that took no turns. */
static uint64_t longest_ns(const struct report *r, const struct row_counts *counts, bool whole)
{
	uint64_t longest = 0;

	for (size_t i = 0; i < r->s->event_count; i++) {
		const struct counter_value total = attribution_total(r->e->attribution, i);

		if ((!whole || total.running_ns >= total.enabled_ns) &&
		    counts->values[i].enabled_ns > longest)
			longest = counts->values[i].enabled_ns;
	}
	return longest;
}

/*
 * The CPU use that the counters tell: the time that a task's events were enabled is the time that
 * it ran.  NAN when they cannot tell.
 */
static double counted_cpu_percent(const struct report *r, const struct row_counts *counts)
{
	enum source_tier tier = r->e->options.tier;
	bool known = counts->counted || (report_tier(tier)->zero && r->any_counted);
	uint64_t ran_ns = 0;

	if (!report_tier(tier)->run_time || !known || !r->any_timed)
		return NAN;
	if (counts->touched)
		ran_ns = longest_ns(r, counts, true);
	if (counts->touched && !ran_ns)
		ran_ns = longest_ns(r, counts, false);
	return 100 * (double)ran_ns / NS_PER_S / r->s->interval_s;
}

/*
 * The most that THREADS, as many as there were in all, can use, in per cent of one CPU.  Records come up
 * to a tick late, so what ran before an interval may be told in it.  0 threads: it is not known how many.
 */
static double most_percent(const struct report *r, size_t threads)
{
	size_t cpus = r->e->host.cpus;

	if (!threads || (cpus && threads > cpus))
		threads = cpus;
	return threads ? 100.0 * (double)threads : INFINITY;
}

/*
 * /proc counts in ticks of 10 ms, which is coarse for a short interval, and knows nothing of who
 * came and went between two looks.  Counters know to the nanosecond, but late when a task ran
 * through the interval without a record, and too little when records were lost.  So: the counters'
 * figure where the two agree within two ticks, or where there is no other.  A figure of /proc over MOST
 * has ticks from before the interval: the process ran where nothing tells of it, as outside of a cgroup.
 * So may one that is CARRIED (struct process): there the counters' figure is better, too.
 */
static double cpu_percent_of(const struct report *r, double figure, bool carried,
			     const struct row_counts *counts, double most)
{
	double counted = counted_cpu_percent(r, counts);
	double tick;

	if (counted > most)
		counted = most;
	if (!(r->s->interval_s > 0))
		return NAN;
	if (figure > most)
		return isnan(counted) ? most : counted;
	if (figure < 0 || isnan(figure))
		return counted;
	tick = 100 / (double)r->e->procfs.ticks_per_s / r->s->interval_s;
	if (carried && counted <= figure)
		return counted;
	return fabs(counted - figure) <= 2 * tick ? counted : figure;
}

static void fill_stat(const struct report *r, struct snapshot_process *row,
		      const struct task_stat *stat)
{
	const struct procfs *procfs = &r->e->procfs;

	row->state = stat->state;
	row->threads = stat->threads;
	row->priority = stat->priority;
	row->nice = stat->nice;
	row->virtual_bytes = (int64_t)stat->virtual_bytes;
	row->resident_bytes = stat->resident_pages * (int64_t)procfs->page_size;
	row->start_ticks = stat->start_ticks;
	row->cpu_time_s =
		(double)(stat->user_ticks + stat->system_ticks) / (double)procfs->ticks_per_s;
}

static void fill_counts(const struct report *r, struct snapshot_process *row,
			const int64_t deltas[TASK_COUNTS])
{
	row->voluntary_switches = deltas[COUNT_VOLUNTARY];
	row->involuntary_switches = deltas[COUNT_INVOLUNTARY];
	if (r->e->extras & EXTRA_IO) {
		row->read_bytes = deltas[COUNT_READ_BYTES];
		row->written_bytes = deltas[COUNT_WRITTEN_BYTES];
		row->cancelled_bytes = deltas[COUNT_CANCELLED_BYTES];
		row->io_calls =
			deltas[COUNT_READS] < 0 ? -1 : deltas[COUNT_READS] + deltas[COUNT_WRITES];
	}
	if (r->e->extras & EXTRA_DELAYS)
		row->delay_ns = deltas[COUNT_DELAY_NS];
}

/* STATES: NULL unknown. */
static void fill_states(const struct report *r, struct snapshot_process *row,
			const struct microstates *states)
{
	bool known = r->e->extras & EXTRA_STATES && !row->exited && states;

	microstates_percent(known ? states : &microstates_unknown, row->states_percent);
}

static void fill_extras(struct report *r, struct snapshot_process *row, const struct process *p)
{
	if (r->e->extras & EXTRA_CGROUP && p->cgroup) {
		const char *id = cgroup_container(p->cgroup);

		row->cgroup = strtab_add(r->s->arena, p->cgroup);
		if (id)
			row->container = strtab_add_n(r->s->arena, id, CGROUP_ID_SHOWN);
	}
	if (r->e->extras & EXTRA_WCHAN && p->wchan)
		row->wchan = strtab_add(r->s->arena, p->wchan);
}

/* Without records nobody tells of those that ended. */
static uint32_t threads_seen(const struct report *r, const struct process *p)
{
	uint64_t now = p->known && p->stat.threads > 0 ? (uint64_t)p->stat.threads : 0;

	if (r->window || r->e->options.tier == TIER_PROC)
		return 0;
	return (uint32_t)(p->thread_count > now ? p->thread_count : now);
}

static void fill_process(struct report *r, size_t number, struct process *p)
{
	struct snapshot_process *row = &r->s->processes[number];
	struct tally *tally = report_tally(r, p->serial, 0);

	row->pid = p->pid;
	row->serial = p->serial;
	row->uid = p->uid;
	row->owner = process_owner(p);
	row->user = p->user;
	row->comm = strtab_copy(r->s->arena, p->comm);
	row->command = strtab_copy(r->s->arena, p->command);
	row->kernel = p->kernel;
	row->exited = p->exited;
	row->ppid = p->stat.ppid; /* the fork told, where /proc was not read */
	if (p->known)
		fill_stat(r, row, &p->stat);
	row->threads_seen = threads_seen(r, p);
	if (p->exited)
		row->state = 'X';
	if (p->shared_pages >= 0)
		row->shared_bytes = p->shared_pages * (int64_t)r->e->procfs.page_size;
	fill_extras(r, row, p);
	report_find_group(r, number, p);
	row->minor_faults = p->minor_faults;
	row->major_faults = p->major_faults;
	fill_counts(r, row, p->deltas);
	fill_states(r, row, &p->states);
	if (tally) {
		tally->row = row;
		row->samples = (uint64_t)llround(tally->samples);
	}
}

bool report_counted_then(const struct report *r, size_t event)
{
	return r->counted[event] || window_total(r->window, event) > 0;
}

/* For a window: only constants and the figures of the past are known. */
static void set_past(struct report *r, size_t number, uint32_t tid)
{
	struct snapshot_process *row = &r->s->processes[number];
	const double *counts = window_counts(r->window, row->serial, tid);
	size_t events = r->s->event_count;
	double *values = snapshot_values(r->s, number);
	double most;

	row->state = '-';
	row->threads = row->priority = row->nice = -1;
	row->virtual_bytes = row->resident_bytes = row->shared_bytes = -1;
	row->minor_faults = row->major_faults = -1;
	row->read_bytes = row->written_bytes = row->cancelled_bytes = row->io_calls = -1;
	row->delay_ns = -1;
	fill_states(r, row, NULL);
	row->voluntary_switches = row->involuntary_switches = -1;
	row->cpu_time_s = row->cpu_percent = NAN;
	row->wchan = NULL;
	row->sampled = true;
	for (size_t i = 0; i < events; i++) {
		values[i] = NAN;
		if (report_counted_then(r, i) && !r->e->options.evlist->items[i]->per_cpu_only)
			values[i] = counts ? counts[i] * r->e->options.evlist->items[i]->scale : 0;
	}
	if (report_tier(r->e->options.tier)->run_time && window_has_times(r->window))
		row->cpu_percent = counts ? 100 * counts[events] / NS_PER_S / r->s->interval_s : 0;
	most = most_percent(r, tid ? 1 : window_threads(r->window, row->serial));
	if (row->cpu_percent > most)
		row->cpu_percent = most;
}

/* Each has a record or a side-band event when it runs; what stands for several tasks has no number. */
static size_t threads_ever(const struct process *p)
{
	size_t threads = p->thread_count;

	if (!p->pid || p->pid == UINT32_MAX)
		return 0;
	if (p->known && p->stat.threads > 0 && (size_t)p->stat.threads > threads)
		threads = (size_t)p->stat.threads;
	return threads;
}

/* /proc's figure of P's CPU use; -1 unknown: it ended, or was not read, or ran behind its look as one that idles. */
static double told_percent(const struct process *p)
{
	return p->idled && p->ran ? -1 : p->cpu_percent;
}

static void sum_process(struct report *r, size_t number, struct process *p)
{
	struct row_counts counts;

	if (r->window) {
		set_past(r, number, 0);
		return;
	}
	counts = sum_threads(r, p);
	set_values(r, number, &counts);
	r->s->processes[number].cpu_percent = cpu_percent_of(
		r, told_percent(p), p->carried, &counts, most_percent(r, threads_ever(p)));
	for (size_t i = 0; counts.touched && i < r->s->event_count; i++)
		counter_value_add(&r->sums[i], &counts.values[i]);
}

/* *ROW has the values that a thread shares with its process already. */
static void fill_thread(struct report *r, struct snapshot_process *row, struct thread *th)
{
	const struct thread_figures *figures = th->figures;
	const struct tally *tally = report_tally(r, row->serial, th->tid);

	row->tid = th->tid;
	row->exited = th->exited;
	if (*th->comm)
		row->comm = strtab_copy(r->s->arena, th->comm);
	row->minor_faults = figures ? figures->minor_faults : -1;
	row->major_faults = figures ? figures->major_faults : -1;
	if (th->counts) /* else as its process: nothing, or unknown */
		fill_counts(r, row, th->counts->deltas);
	fill_states(r, row, figures ? &figures->states : NULL);
	row->cpu_time_s = NAN;
	row->state = '-';
	row->wchan = r->e->extras & EXTRA_WCHAN && figures && *figures->wchan && !th->exited
			     ? strtab_add(r->s->arena, figures->wchan)
			     : NULL;
	if (figures && figures->stat.pid)
		fill_stat(r, row, &figures->stat);
	row->samples = tally ? (uint64_t)llround(tally->samples) : 0;
}

static void add_thread_row(struct report *r, size_t process, size_t number, struct thread *th)
{
	struct snapshot_process *row = &r->s->processes[number];
	struct row_counts counts = no_counts(r);

	*row = r->s->processes[process];
	row->counters = r->s->unknown;
	fill_thread(r, row, th);
	if (r->window) {
		set_past(r, number, th->tid);
		return;
	}
	add_thread(r, &counts, th);
	set_values(r, number, &counts);
	row->cpu_percent = cpu_percent_of(r, th->figures ? th->figures->cpu_percent : -1, false,
					  &counts, most_percent(r, 1));
}

static void fill_gone(struct report *r, size_t number, const struct past *p)
{
	struct snapshot_process *row = &r->s->processes[number];
	struct tally *tally = report_tally(r, p->serial, 0);

	row->pid = p->pid;
	row->serial = p->serial;
	row->owner = p->owner;
	row->comm = strtab_add(r->s->arena, p->comm);
	row->group = r->e->extras & EXTRA_GROUPS ? p->group : 0;
	row->exited = true;
	set_past(r, number, 0);
	if (!tally)
		return;
	tally->row = row;
	row->samples = (uint64_t)llround(tally->samples);
}

/* /proc does not tell the CPU use of P and its threads: it is not known, has earlier ticks, or the time is past. */
static bool is_estimated(const struct report *r, const struct process *p)
{
	return r->window || p->carried || told_percent(p) < 0 || isnan(p->cpu_percent);
}

/* The CPU use of the processes that are ESTIMATED, or of the others.  Adds to *ROWS how many they are. */
static double cpu_sum(const struct report *r, const bool *estimated, bool which, size_t *rows)
{
	double sum = 0;

	for (size_t i = 0; i < r->s->process_count; i++) {
		const struct snapshot_process *row = &r->s->processes[i];

		if (row->tid || estimated[i] != which || !(row->cpu_percent > 0))
			continue;
		sum += row->cpu_percent;
		++*rows;
	}
	return sum;
}

/*
 * A record tells of the time since the one before it.  Where few switches have one (a budget), that is time
 * from before the interval, and of others.  So the rows that /proc does not tell share what idle CPUs and
 * the other rows leave, where they have more than that by more than ticks explain.  In a window idle
 * CPUs are not known, and no row is from /proc: all share all CPUs.
 */
static void share_rest(struct report *r, const bool *estimated)
{
	const struct snapshot_host *h = &r->s->host;
	double idle = r->window ? 0 : h->idle_percent + h->iowait_percent;
	double rest = h->cpus * (100 - idle), sum, slack = 0;
	size_t rows = h->cpus;

	if (!h->cpus || isnan(rest) || !(r->s->interval_s > 0))
		return;
	rest -= cpu_sum(r, estimated, false, &rows);
	sum = cpu_sum(r, estimated, true, &rows);
	if (!r->window)
		slack = 200 * (double)rows / h->ticks_per_s / r->s->interval_s;
	for (size_t i = 0; sum > rest + slack && i < r->s->process_count; i++) {
		if (estimated[i])
			r->s->processes[i].cpu_percent *= rest > 0 ? rest / sum : 0;
	}
}

void report_fill_rows(struct report *r)
{
	size_t number = 0;
	bool *estimated;

	choose_processes(r);
	choose_gone(r);
	snapshot_alloc_processes(r->s, count_rows(r));
	r->group_of = mem_array(r->s->process_count, sizeof(*r->group_of));
	estimated = mem_array(r->s->process_count, sizeof(*estimated));
	for (size_t i = 0; i < r->shown_count; i++) {
		struct process *p = r->shown[i];
		size_t row = number++;

		fill_process(r, row, p);
		sum_process(r, row, p);
		for (size_t j = 0; j < p->thread_count; j++) {
			if (thread_has_row(r, p->threads[j]))
				add_thread_row(r, row, number++, p->threads[j]);
		}
		memset(estimated + row, is_estimated(r, p), number - row);
	}
	for (size_t i = 0; i < r->gone_count; i++) {
		r->gone[i]->used = r->s->iteration;
		estimated[number] = true;
		fill_gone(r, number++, r->gone[i]);
	}
	share_rest(r, estimated);
	free(estimated);
}
