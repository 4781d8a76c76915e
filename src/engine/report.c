/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "base/alloc.h"
#include "engine/objects.h"
#include "engine/state.h"
#include "perf/rate.h"
#include "proc/cgroup.h"

#define PRUNE_INTERVALS 32	/* what a history needs of the past is looked up so seldom */

/*
 * A snapshot of the tables as they are.  In order: /proc is brought up to date, the cells are
 * copied (which tells each task its samples), the rows laid out and summed; then everything that is
 * "of the interval" starts anew, and what has ended is forgotten.
 */
/* What the cells say of a process or thread. */
struct tally {
	double samples;
	const struct snapshot_process *row;	/* of a process; NULL: of the past */
};

struct report {
	struct engine *e;
	const struct engine_request *request;
	struct snapshot *s;
	uint64_t now_ns;
	struct map tally_of;		/* row_id() to a number in `tallies` + 1 */
	struct tally *tallies;		/* of tasks that have cells */
	size_t tally_count, tally_capacity;
	struct counter_value *sums;	/* one an event, of all rows */
	struct counter_value *of_idle, *of_nobody;	/* likewise, of what has no row */
	struct counter_value *scratch;	/* one an event, of one row */
	bool *counted;			/* one an event: was it counted at all? */
	bool any_counted;
	const double *idle[2];		/* counters of rows without a record: unknown, and zero */
	struct process **shown;
	size_t shown_count, shown_capacity;
	int sampled_event;		/* whose samples the rows show, or -1 */
	struct window *window;		/* what cells, rows and events are of; NULL: of now */
	struct past **gone;		/* with it: processes that are no more, and have cells of it */
	size_t gone_count, gone_capacity;
	uint32_t *node_map;		/* from the engine's nodes to the snapshot's; NULL: the same */
};

/* What a tier's records leave to be asked of /proc. */
static const struct {
	bool all;		/* nobody tells who ran */
	bool others;		/* the same, but of the tasks asked for: records tell of those */
	bool zero;		/* no record of a task means that it counted nothing */
	bool run_time;		/* counters tell how long a task was on a CPU */
} tiers[] = {
	[TIER_CPU_GROUP] = { .zero = true, .run_time = true },
	[TIER_PER_TASK] = { .others = true, .run_time = true },
	[TIER_PROC] = { .all = true },
	[TIER_FILE] = { .zero = true },
};

/* How each target is called in a snapshot, and whether it leaves out tasks. */
static const struct {
	const char *name;
	bool some;
} modes[] = {
	[TARGET_SYSTEM] = { "system", false },
	[TARGET_PID] = { "pid", true },
	[TARGET_TID] = { "tid", true },
	[TARGET_USER] = { "user", true },
	[TARGET_CPU] = { "cpu", false },
	[TARGET_CGROUP] = { "cgroup", false },
	[TARGET_COMMAND] = { "command", true },
	[TARGET_FILE] = { "file", false },
};

static bool some_lost(const struct report *r)
{
	const struct source_stats *now = &r->request->source->stats, *then = &r->e->last_stats;

	return now->lost != then->lost || now->lost_sideband != then->lost_sideband;
}

static void refresh(struct report *r)
{
	struct engine *e = r->e;
	enum source_tier tier = e->options.tier;
	const struct refresh how = {
		.all = tiers[tier].all || (e->has_procfs && some_lost(r)) ||
		       (tiers[tier].others && !e->options.target.tasks),
		.threads = e->options.threads,
		.commands = e->options.commands,
		.cgroup = e->extras & EXTRA_CGROUP || e->target.mode == TARGET_CGROUP,
		.cgroup_controller = e->options.target.cgroup_controller,
		.wchan = e->extras & EXTRA_WCHAN,
		.visible = r->request->visible, .visible_count = r->request->visible_count,
	};

	engine_scan(e);
	process_table_refresh(e->processes, &how);
	if (e->has_procfs)
		host_refresh(&e->host, &e->procfs);
}

/* Samples of processes and threads, summed while the cells are copied. */
static uint64_t row_id(uint32_t serial, uint32_t tid)
{
	return (uint64_t)serial << 32 | tid;
}

static struct tally *find_tally(const struct report *r, uint64_t id)
{
	uintptr_t number = (uintptr_t)map_find(&r->tally_of, id);

	return number ? &r->tallies[number - 1] : NULL;
}

static void add_samples(struct report *r, uint64_t id, double samples)
{
	struct tally *t = find_tally(r, id);

	if (!t) {
		mem_grow((void **)&r->tallies, &r->tally_capacity, r->tally_count + 1,
			 sizeof(*r->tallies));
		t = &r->tallies[r->tally_count++];
		*t = (struct tally){ 0 };
		map_put(&r->tally_of, id, (void *)(uintptr_t)r->tally_count);
	}
	t->samples += samples;
}

static int first_sampled(const struct evlist *l)
{
	for (size_t i = 0; i < l->count; i++) {
		if (l->items[i]->role == EVSEL_SAMPLE && !l->items[i]->open_error)
			return (int)i;
	}
	return -1;
}

static uint32_t shown_frame(const struct report *r, const struct cell *c)
{
	const struct chains *chains = r->e->chains;

	return chains ? places_shown(chains_places(r->e->chains), c->key.frame) : c->key.frame;
}

static void copy_cell(struct report *r, struct snapshot_cell *to, const struct cell *from)
{
	bool shown = from->key.event == r->sampled_event;

	*to = (struct snapshot_cell){ .process = from->key.process, .tid = from->key.tid,
				      .comm = "", .frame = shown_frame(r, from),
				      .data = from->key.data, .node = from->key.node,
				      .event = from->key.event, .samples = from->weight,
				      .period = from->period_weight,
				      .longest = (double)from->longest,
				      .counters = to->counters };
	if (r->node_map)
		to->node = r->node_map[to->node];
	add_samples(r, row_id(to->process, 0), shown ? to->samples : 0);
	if (shown && r->e->options.threads)
		add_samples(r, row_id(to->process, to->tid), to->samples);
}

struct shares {
	double all, unresolved;		/* samples */
};

static void count_cell(const struct report *r, struct shares *shares, const struct cell *c)
{
	uint8_t flags = frame_flags(r->e->frames, shown_frame(r, c));

	shares->all += c->weight;
	if (flags & FRAME_UNKNOWN)
		shares->unresolved += c->weight;
	r->s->sampling.loading |= (flags & FRAME_PENDING) != 0;
}

/* The last snapshot gets what the histogram had, so that the two are never there as a whole. */
static void move_cells(struct report *r, struct shares *shares)
{
	size_t count = r->s->cell_count;
	struct cell c;

	while (count && histogram_take(r->e->histogram, &c)) {
		copy_cell(r, &r->s->cells[--count], &c);
		count_cell(r, shares, &c);
	}
}

/* Before the cells: it tells them their nodes. */
static void copy_nodes(struct report *r)
{
	struct engine *e = r->e;
	bool last = r->request->last && !e->increase;

	if (!e->chains)
		return;
	chains_rename(e->chains);
	r->s->nodes = chains_copy(e->chains, last, &r->s->node_count, &r->node_map);
}

static const struct histogram *shown_histogram(const struct report *r)
{
	return r->window ? window_cells(r->window) : r->e->histogram;
}

static void copy_cells(struct report *r)
{
	const struct histogram *h = shown_histogram(r);
	struct shares shares = { 0 };
	const struct cell *c;
	size_t count = 0;
	double *values;

	snapshot_alloc_cells(r->s, histogram_count(h));
	values = r->e->increase && !r->window ? snapshot_alloc_cell_values(r->s) : NULL;
	if (r->request->last && !values && !r->window)
		move_cells(r, &shares);
	for (size_t i = 0; (c = histogram_next(h, &i)); count++) {
		copy_cell(r, &r->s->cells[count], c);
		if (values)
			memcpy(values + count * r->s->event_count, histogram_values(h, c),
			       r->s->event_count * sizeof(*values));
		count_cell(r, &shares, c);
	}
	if (shares.all > 0)
		r->s->sampling.unresolved_percent = 100 * shares.unresolved / shares.all;
}

/*
 * Whose the cells are: rows of this snapshot, or processes of the past.  Cells of one process lie
 * together mostly.
 */
struct owner {
	uint32_t pid;
	const char *comm;
};

static struct owner find_owner(struct report *r, uint32_t serial)
{
	const struct snapshot_process *row = find_tally(r, row_id(serial, 0))->row;
	struct past *past = row ? NULL : map_find(&r->e->past, serial);

	if (row)
		return (struct owner){ row->pid, row->comm };
	if (!past)
		return (struct owner){ 0, "" };
	past->used = r->s->iteration;
	return (struct owner){ past->pid, strtab_add(r->s->arena, past->comm) };
}

static void name_cells(struct report *r)
{
	struct owner owner = { 0, "" };
	uint32_t serial = 0;

	for (size_t i = 0; i < r->s->cell_count; i++) {
		struct snapshot_cell *c = &r->s->cells[i];

		if (!i || c->process != serial)
			owner = find_owner(r, c->process);
		serial = c->process;
		c->pid = owner.pid;
		c->comm = owner.comm;
	}
}

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
		if (!find_tally(r, row_id(p->serial, 0)) && !window_counts(r->window, p->serial, 0))
			continue;
		mem_grow((void **)&r->gone, &r->gone_capacity, r->gone_count + 1, sizeof(*r->gone));
		r->gone[r->gone_count++] = p;
	}
}

static size_t count_rows(const struct report *r)
{
	size_t count = r->shown_count + r->gone_count;

	for (size_t i = 0; i < r->shown_count && r->e->options.threads; i++)
		count += r->shown[i]->thread_count;
	return count;
}

static bool was_counted(const struct report *r, size_t event)
{
	const struct evsel *v = r->e->options.evlist->items[event];

	return !v->open_error && attribution_total(r->e->attribution, event)->enabled_ns;
}

/*
 * Counters that take turns: what a CPU counts between two records is one task's, but the time that a
 * group waited between them may have been that of many.  So what is counted on CPUs is scaled as the
 * machine's sum is; the values then add up to it.
 */
static struct counter_value with_times(const struct report *r, const struct counter_value *v,
				       size_t event)
{
	const struct counter_value *total = attribution_total(r->e->attribution, event);
	struct counter_value scaled = *v;

	if (r->e->options.tier != TIER_CPU_GROUP || (!v->value && !v->running_ns))
		return scaled;
	scaled.enabled_ns = total->enabled_ns;
	scaled.running_ns = total->running_ns;
	return scaled;
}

/* V scaled, in the event's unit; 0 when ABSENT_IS_ZERO and the task did not run; else NAN. */
static double shown_value(const struct report *r, const struct counter_value *v, size_t event,
			  bool absent_is_zero)
{
	struct counter_value timed = with_times(r, v, event);
	double scaled;

	/* The time of its group goes on.  What it counted until then is shown once more. */
	if (!r->e->options.evlist->items[event]->enabled && !v->value)
		return NAN;
	if (counter_scaled(&timed, &scaled))
		return scaled * r->e->options.evlist->items[event]->scale;
	return absent_is_zero && !v->enabled_ns ? 0 : NAN;
}

/* The counts of one row. */
struct row_counts {
	struct counter_value *values;	/* one an event */
	bool counted;			/* it has a slot: records of it came at some time */
	bool touched;			/* records of it came in this interval */
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

	if (!p->active && tiers[r->e->options.tier].zero && !r->e->times)
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
		/* What a whole socket counts while a task runs is not the task's. */
		if (r->e->options.evlist->items[i]->per_cpu_only)
			values[i] = NAN;
		else
			values[i] = shown_value(r, &counts->values[i], i, zero && r->counted[i]);
	}
}

/* Rows without a record share their values. */
static void set_values(struct report *r, size_t row, const struct row_counts *counts)
{
	bool zero = tiers[r->e->options.tier].zero || counts->counted;

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
		const struct counter_value *total = attribution_total(r->e->attribution, i);

		if ((!whole || total->running_ns >= total->enabled_ns) &&
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
	bool known = counts->counted || (tiers[tier].zero && r->any_counted);
	uint64_t ran_ns = 0;

	if (!tiers[tier].run_time || !known)
		return NAN;
	if (counts->touched)
		ran_ns = longest_ns(r, counts, true);
	if (counts->touched && !ran_ns)
		ran_ns = longest_ns(r, counts, false);
	return 100 * (double)ran_ns / NS_PER_S / r->s->interval_s;
}

/*
 * /proc counts in ticks of 10 ms, which is coarse for a short interval, and knows nothing of who
 * came and went between two looks.  Counters know to the nanosecond, but late when a task ran
 * through the interval without a record, and too little when records were lost.  So: the counters'
 * figure where the two agree within two ticks, or where there is no other.
 */
static double cpu_percent_of(const struct report *r, double figure,
			     const struct row_counts *counts)
{
	double counted = counted_cpu_percent(r, counts);
	double tick;

	if (!(r->s->interval_s > 0))
		return NAN;
	if (figure < 0 || isnan(figure))
		return counted;
	tick = 100 / (double)r->e->procfs.ticks_per_s / r->s->interval_s;
	return fabs(counted - figure) <= 2 * tick ? counted : figure;
}

static void fill_stat(const struct report *r, struct snapshot_process *row,
		      const struct task_stat *stat)
{
	const struct procfs *procfs = &r->e->procfs;

	row->ppid = stat->ppid;
	row->state = stat->state;
	row->threads = stat->threads;
	row->priority = stat->priority;
	row->nice = stat->nice;
	row->virtual_bytes = (int64_t)stat->virtual_bytes;
	row->resident_bytes = stat->resident_pages * (int64_t)procfs->page_size;
	row->start_ticks = stat->start_ticks;
	row->cpu_time_s = (double)(stat->user_ticks + stat->system_ticks) /
			  (double)procfs->ticks_per_s;
}

static void fill_extras(struct report *r, struct snapshot_process *row, const struct process *p)
{
	char id[CGROUP_ID_SIZE];

	if (r->e->extras & EXTRA_CGROUP && p->cgroup) {
		row->cgroup = strtab_add(r->s->arena, p->cgroup);
		if (cgroup_container(p->cgroup, id))
			row->container = strtab_add(r->s->arena, id);
	}
	if (r->e->extras & EXTRA_WCHAN && p->wchan)
		row->wchan = strtab_add(r->s->arena, p->wchan);
}

static void fill_process(struct report *r, size_t number, struct process *p)
{
	struct snapshot_process *row = &r->s->processes[number];
	struct tally *tally = find_tally(r, row_id(p->serial, 0));

	row->pid = p->pid;
	row->serial = p->serial;
	row->uid = p->uid;
	row->user = p->user;
	row->comm = strtab_copy(r->s->arena, p->comm);
	row->command = strtab_copy(r->s->arena, p->command);
	row->kernel = p->kernel;
	row->exited = p->exited;
	if (p->known)
		fill_stat(r, row, &p->stat);
	if (p->exited)
		row->state = 'X';
	if (p->shared_pages >= 0)
		row->shared_bytes = p->shared_pages * (int64_t)r->e->procfs.page_size;
	fill_extras(r, row, p);
	row->minor_faults = p->minor_faults;
	row->major_faults = p->major_faults;
	row->voluntary_switches = p->voluntary_delta;
	row->involuntary_switches = p->involuntary_delta;
	if (tally) {
		tally->row = row;
		row->samples = (uint64_t)llround(tally->samples);
	}
}

static bool was_counted_then(const struct report *r, size_t event)
{
	return r->counted[event] || window_total(r->window, event) > 0;
}

/* Of a window only what the past has is known, besides what never changes. */
static void set_past(struct report *r, size_t number, uint32_t tid)
{
	struct snapshot_process *row = &r->s->processes[number];
	const double *counts = window_counts(r->window, row->serial, tid);
	size_t events = r->s->event_count;
	double *values = snapshot_values(r->s, number);

	row->state = '-';
	row->threads = row->priority = row->nice = -1;
	row->virtual_bytes = row->resident_bytes = row->shared_bytes = -1;
	row->minor_faults = row->major_faults = -1;
	row->voluntary_switches = row->involuntary_switches = -1;
	row->cpu_time_s = row->cpu_percent = NAN;
	row->wchan = NULL;
	row->sampled = true;
	for (size_t i = 0; i < events; i++) {
		values[i] = NAN;
		if (was_counted_then(r, i) && !r->e->options.evlist->items[i]->per_cpu_only)
			values[i] = counts ? counts[i] * r->e->options.evlist->items[i]->scale : 0;
	}
	if (tiers[r->e->options.tier].run_time)
		row->cpu_percent = counts ? 100 * counts[events] / NS_PER_S / r->s->interval_s : 0;
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
	r->s->processes[number].cpu_percent = cpu_percent_of(r, p->cpu_percent, &counts);
	for (size_t i = 0; counts.touched && i < r->s->event_count; i++)
		counter_value_add(&r->sums[i], &counts.values[i]);
}

/* What a thread shares with its process is in *ROW already. */
static void fill_thread(struct report *r, struct snapshot_process *row, struct thread *th)
{
	const struct thread_figures *figures = th->figures;
	const struct tally *tally = find_tally(r, row_id(row->serial, th->tid));

	row->tid = th->tid;
	row->exited = th->exited;
	if (*th->comm)
		row->comm = strtab_copy(r->s->arena, th->comm);
	row->minor_faults = figures ? figures->minor_faults : -1;
	row->major_faults = figures ? figures->major_faults : -1;
	row->voluntary_switches = th->voluntary_delta;
	row->involuntary_switches = th->involuntary_delta;
	row->cpu_time_s = NAN;
	row->state = '-';
	row->wchan = r->e->extras & EXTRA_WCHAN && figures && *figures->wchan && !th->exited
			     ? strtab_add(r->s->arena, figures->wchan) : NULL;
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
	row->cpu_percent = cpu_percent_of(r, th->figures ? th->figures->cpu_percent : -1, &counts);
}

static void fill_gone(struct report *r, size_t number, const struct past *p)
{
	struct snapshot_process *row = &r->s->processes[number];
	struct tally *tally = find_tally(r, row_id(p->serial, 0));

	row->pid = p->pid;
	row->serial = p->serial;
	row->comm = strtab_add(r->s->arena, p->comm);
	row->exited = true;
	set_past(r, number, 0);
	if (!tally)
		return;
	tally->row = row;
	row->samples = (uint64_t)llround(tally->samples);
}

static void fill_rows(struct report *r)
{
	size_t number = 0;

	snapshot_alloc_processes(r->s, count_rows(r));
	for (size_t i = 0; i < r->shown_count; i++) {
		struct process *p = r->shown[i];
		size_t row = number++;

		fill_process(r, row, p);
		sum_process(r, row, p);
		for (size_t j = 0; j < p->thread_count && r->e->options.threads; j++)
			add_thread_row(r, row, number++, p->threads[j]);
	}
	for (size_t i = 0; i < r->gone_count; i++) {
		r->gone[i]->used = r->s->iteration;
		fill_gone(r, number++, r->gone[i]);
	}
}

/* The whole machine, or with tasks as a target what their rows have. */
static const struct counter_value *event_total(const struct report *r, size_t event)
{
	if (modes[r->e->options.target.mode].some)
		return &r->sums[event];
	return attribution_total(r->e->attribution, event);
}

static void fill_rest(struct report *r, size_t event)
{
	const struct engine_options *o = &r->e->options;
	struct snapshot_event *to = &r->s->events[event];
	struct counter_value nobody = r->of_nobody[event];

	to->idle = to->unattributed = NAN;
	if (o->tier != TIER_CPU_GROUP || modes[o->target.mode].some ||
	    o->evlist->items[event]->per_cpu_only)
		return;
	counter_value_add(&nobody, &counters_row(r->e->counters, COUNTERS_UNATTRIBUTED)[event]);
	to->idle = shown_value(r, &r->of_idle[event], event, r->counted[event]);
	to->unattributed = shown_value(r, &nobody, event, r->counted[event]);
}

/* Of a window it is known what tasks counted. */
static void fill_past_event(struct report *r, size_t event)
{
	struct snapshot_event *to = &r->s->events[event];
	const struct evsel *v = r->e->options.evlist->items[event];

	to->samples = window_samples(r->window, event);
	to->idle = to->unattributed = to->value = NAN;
	if (was_counted_then(r, event) && !v->per_cpu_only)
		to->value = window_total(r->window, event) * v->scale;
}

static const char *event_unit(const struct report *r, const struct evsel *v)
{
	if (!v->unit)
		return v->scale == 1 ? NULL : "";
	return strtab_add(r->s->arena, v->unit);
}

static void fill_events(struct report *r)
{
	const struct evlist *l = r->e->options.evlist;

	for (size_t i = 0; i < l->count; i++) {
		const struct evsel *v = l->items[i];
		const struct counter_value *total = event_total(r, i);
		struct snapshot_event *to = &r->s->events[i];

		to->enabled = v->enabled && !v->open_error;
		to->samples = r->e->interval_samples[i];
		to->unit = event_unit(r, v);
		to->removed = v->removed;
		if (to->sampled && !to->time) {
			to->frequency_hz = rate_reduced(v->freq_hz, v->halvings);
			to->period = v->freq_hz ? 0 : v->period;
		}
		to->value = shown_value(r, total, i, r->counted[i]);
		fill_rest(r, i);
		if (r->window)
			fill_past_event(r, i);
		to->running_percent = NAN;
		/* A family's times may be of two moments: what ran all the time ran no longer. */
		if (total->enabled_ns && (v->enabled || total->value))
			to->running_percent = fmin(100, 100 * (double)total->running_ns /
							(double)total->enabled_ns);
		if (v->open_error) {
			to->error = strtab_add(r->s->arena, v->why ? v->why
								   : strerror(v->open_error));
			to->value = to->running_percent = to->idle = to->unattributed = NAN;
		}
	}
}

/* The names come first: rows are as long as the list of events. */
static void name_events(struct report *r)
{
	const struct evlist *l = r->e->options.evlist;

	snapshot_alloc_events(r->s, l->count);
	for (size_t i = 0; i < l->count; i++) {
		r->s->events[i].name = strtab_add(r->s->arena, l->items[i]->name);
		r->s->events[i].sampled = l->items[i]->role == EVSEL_SAMPLE;
		r->s->events[i].time = evsel_is_time(l->items[i]);
	}
	snapshot_link_counters(r->s);
	r->sampled_event = first_sampled(l);
	r->sums = mem_array(l->count, sizeof(*r->sums));
	r->of_idle = mem_array(l->count, sizeof(*r->of_idle));
	r->of_nobody = mem_array(l->count, sizeof(*r->of_nobody));
	r->scratch = mem_array(l->count, sizeof(*r->scratch));
	r->counted = mem_array(l->count, sizeof(*r->counted));
	for (size_t i = 0; i < l->count; i++) {
		r->counted[i] = was_counted(r, i);
		r->any_counted |= r->counted[i];
	}
}

static void fill_recorded_host(struct report *r, const struct source_machine *from)
{
	struct snapshot_host *to = &r->s->host;

	to->name = strtab_add(r->s->arena, from->hostname);
	to->kernel = strtab_add(r->s->arena, from->release);
	to->arch = strtab_add(r->s->arena, from->arch);
	to->cpus = from->cpus;
}

static void fill_host(struct report *r)
{
	struct snapshot_host *to = &r->s->host;
	const struct host *from = &r->e->host;

	if (r->e->options.machine)
		fill_recorded_host(r, r->e->options.machine);
	if (!r->e->has_procfs)
		return;
	to->name = strtab_add(r->s->arena, from->system.nodename);
	to->kernel = strtab_add(r->s->arena, from->system.release);
	to->arch = strtab_add(r->s->arena, from->system.machine);
	to->cpus = from->cpus;
	if (r->window)
		return;
	to->uptime_s = from->uptime_s;
	memcpy(to->load, from->load, sizeof(to->load));
	to->tasks = from->tasks;
	to->running = from->running;
	to->cpu_percent = from->cpu_percent;
	to->user_percent = from->user_percent;
	to->system_percent = from->system_percent;
	to->idle_percent = from->idle_percent;
	to->iowait_percent = from->iowait_percent;
	to->steal_percent = from->steal_percent;
	to->memory_total_bytes = from->memory_total_bytes;
	to->memory_used_bytes = from->memory_used_bytes;
	to->swap_total_bytes = from->swap_total_bytes;
	to->swap_used_bytes = from->swap_used_bytes;
	to->ticks_per_s = (double)r->e->procfs.ticks_per_s;
}

static uint64_t timeval_ns(const struct timeval *t)
{
	return (uint64_t)t->tv_sec * NS_PER_S + (uint64_t)t->tv_usec * 1000;
}

static void fill_own_cpu(struct report *r)
{
	struct engine *e = r->e;
	struct rusage usage;
	uint64_t own_ns;

	if (getrusage(RUSAGE_SELF, &usage))
		return;
	own_ns = timeval_ns(&usage.ru_utime) + timeval_ns(&usage.ru_stime);
	if (e->iteration && r->now_ns > e->last_ns)
		r->s->sampling.own_cpu_percent = 100 * (double)(own_ns - e->last_own_ns) /
						 (double)(r->now_ns - e->last_ns);
	e->last_own_ns = own_ns;
}

static const char *copy_text(struct report *r, const char *text)
{
	return strtab_add(r->s->arena, text ? text : "");
}

/* What is being loaded is neither whole nor broken. */
static void fill_ends(struct report *r)
{
	const uint64_t *ends = r->e->ends;
	uint64_t known = 0;

	for (int i = 0; i < CHAIN_ENDS; i++)
		known += i != CHAIN_LOADING ? ends[i] : 0;
	if (known)
		r->s->sampling.stacks_complete_percent = 100 * (double)ends[CHAIN_WHOLE] /
							 (double)known;
	if (!r->e->chains)
		return;
	r->s->stack_ends = mem_array(CHAIN_ENDS, sizeof(*r->s->stack_ends));
	r->s->stack_end_count = CHAIN_ENDS;
	for (int i = 0; i < CHAIN_ENDS; i++) {
		const struct unwind_end_text *end = chain_end_text(i);

		r->s->stack_ends[i] = (struct snapshot_stack_end){ end->name, end->text, ends[i] };
	}
}

static void fill_sampling(struct report *r)
{
	const struct source *source = r->request->source;
	struct snapshot_sampling *to = &r->s->sampling;
	struct engine *e = r->e;

	to->tier = source_tier_name(source->tier);
	to->tier_reason = copy_text(r, source->tier_reason);
	to->notes = copy_text(r, source->notes);
	if (r->sampled_event >= 0) {
		const struct evsel *v = e->options.evlist->items[r->sampled_event];

		to->frequency_hz = rate_reduced(v->freq_hz, v->halvings);
		to->asked_hz = v->freq_hz;
		to->period = v->freq_hz || evsel_is_time(v) ? 0 : v->period;
	}
	to->sampled_counters = source->reduced.sampled_counters;
	to->budget_percent = r->request->budget_percent;
	to->cost_percent = r->request->cost_percent;
	for (size_t i = 0; i < r->s->event_count; i++)
		to->samples += r->s->events[i].samples;
	to->lost = source->stats.lost - e->last_stats.lost;
	to->throttled = source->stats.throttled - e->last_stats.throttled;
	to->total_samples = e->total_samples;
	to->total_lost = source->stats.lost;
	to->hardware = source->hardware;
	to->user_only = source->user_only;
	to->merged_cells = histogram_merged(e->histogram);
	to->merged_stacks = histogram_without_callers(e->histogram);
	if (!r->window)
		fill_ends(r);
}

/* A recording has the time between its first and last record. */
static double interval_of(const struct report *r)
{
	const struct engine *e = r->e;
	uint64_t from = e->iteration ? e->last_ns : r->now_ns, to = r->now_ns;

	if (r->window)
		return window_span_s(r->window);
	if (!e->has_procfs) {
		from = e->oldest_ns > e->options.from_ns ? e->oldest_ns : e->options.from_ns;
		to = e->newest_ns < e->options.to_ns ? e->newest_ns : e->options.to_ns;
	}
	return to > from ? (double)(to - from) / NS_PER_S : 0;
}

static void fill_head(struct report *r)
{
	const struct engine_options *o = &r->e->options;
	const struct list *tasks = o->target.tasks;

	r->s->version = o->version ? o->version : "";
	r->s->time_ns = clock_realtime_ns(o->clock);
	r->s->interval_s = interval_of(r);
	if (r->window && r->e->has_procfs)
		r->s->time_ns -= r->now_ns - window_end_ns(r->window);
	r->s->cells_s = r->e->has_procfs && !r->window ? histogram_span_s(r->e->histogram) : r->s->interval_s;
	r->s->iteration = r->e->iteration + 1;
	r->s->frames = r->e->frames;
	r->s->target.mode = modes[o->target.mode].name;
	r->s->target.cgroup = o->target.cgroup;
	if (tasks) {
		r->s->target.pids = tasks->items;
		r->s->target.pid_count = tasks->count;
	}
}

static void forget_thread(void *context, struct thread *th)
{
	struct engine *e = context;

	engine_depart(e, th->tid);
	counters_slot_free(e->counters, th->slot);
}

/* Its cells stay: whose they were must be known for as long as they do. */
static void remember_process(void *context, struct process *p)
{
	struct engine *e = context;
	struct past *past = mem_alloc(sizeof(*past));

	past->serial = p->serial;
	past->pid = p->pid;
	past->used = e->iteration;
	memcpy(past->comm, p->comm, sizeof(past->comm));
	map_put(&e->past, p->serial, past);
}

static void use_past(struct engine *e, uint32_t serial)
{
	struct past *p = map_find(&e->past, serial);

	if (p)
		p->used = e->iteration;
}

/* Forgets the processes of the past that no cell of this snapshot belongs to. */
static void prune_past(struct engine *e, uint64_t iteration)
{
	struct past **unused = mem_array(e->past.count, sizeof(*unused));
	struct past *p;
	size_t count = 0;

	for (size_t i = 0; (p = map_next(&e->past, &i));) {
		if (p->used != iteration)
			unused[count++] = p;
	}
	for (size_t i = 0; i < count; i++) {
		map_remove(&e->past, unused[i]->serial);
		free(unused[i]);
	}
	free(unused);
}

static void forget_exited(struct engine *e)
{
	const struct process_gone gone = { .thread = forget_thread, .process = remember_process,
					   .context = e };

	map_fini(&e->departed[1]);
	e->departed[1] = e->departed[0];
	e->departed[0] = (struct map){ 0 };
	process_table_forget_exited(e->processes, &gone);
	for (size_t i = 0; i < e->cpu_count; i++)
		e->cpus[i].exiting = NULL;
	e->epoch++;
}

static void forget_waiting(struct engine *e)
{
	deferred_clear(e->deferred);
	if (e->retry)
		retry_clear(e->retry);
}

static void next_stacks(struct engine *e)
{
	if (histogram_mode(e->histogram) == HISTOGRAM_ZERO)
		forget_waiting(e);
	memset(e->ends, 0, sizeof(e->ends));
	e->ends[CHAIN_NO_USER] = deferred_forget_exited(e->deferred);
	if (e->retry)
		e->ends[CHAIN_UNWOUND + UNWIND_NOT_LOADED] = retry_forget_exited(e->retry);
	chains_next_interval(e->chains);
}

static void next_interval(struct report *r)
{
	struct engine *e = r->e;

	if (e->options.tier == TIER_FILE) {	/* one interval, however often it is shown */
		e->iteration = r->s->iteration;
		return;
	}
	/* A sum of all intervals begins with the first: what came before it has none. */
	if (!e->iteration && histogram_mode(e->histogram) == HISTOGRAM_CUMULATIVE)
		engine_zero(e);
	window_next_interval(e);
	e->last_stats = r->request->source->stats;
	histogram_next_interval(e->histogram);
	if (e->watch)
		histogram_next_interval(watch_addresses(e->watch));
	pending_next_interval(e->pending);
	if (histogram_mode(e->histogram) == HISTOGRAM_ZERO)
		pending_clear(e->pending);
	if (e->chains)
		next_stacks(e);
	engine_record_counts(e);
	counters_next_interval(e->counters);
	attribution_next_interval(e->attribution);
	memset(e->interval_samples, 0, e->options.evlist->count * sizeof(*e->interval_samples));
	e->iteration = r->s->iteration;
	e->last_ns = r->now_ns;
	if (!e->history || e->iteration % PRUNE_INTERVALS == 0) {
		window_processes(e, use_past);
		prune_past(e, e->iteration);
	}
	forget_exited(e);
}

static void report_fini(struct report *r)
{
	window_free(r->window);
	map_fini(&r->tally_of);
	free(r->gone);
	free(r->node_map);
	free(r->tallies);
	free(r->sums);
	free(r->of_idle);
	free(r->of_nobody);
	free(r->scratch);
	free(r->counted);
	free(r->shown);
}

static void fill_memory(struct report *r)
{
	const struct usage_request request = engine_usage_request(r->e);

	/* Of the past nothing was kept. */
	if (r->e->has_procfs && !r->window)
		usage_fill(&r->e->usage, r->s, &request);
}

/* Before the cells, which the last snapshot takes. */
static void settle(const struct report *r)
{
	struct engine *e = r->e;
	uint64_t now_ns = e->has_procfs ? r->now_ns : e->newest_ns;

	histogram_settle(e->histogram, now_ns);
	if (!e->watch)
		return;
	histogram_settle(watch_addresses(e->watch), now_ns);
	engine_waits_for_code(e);
}

struct snapshot *engine_snapshot(struct engine *e, const struct engine_request *request)
{
	struct report r = { .e = e, .request = request, .s = snapshot_new() };

	engine_take_symbols(e);
	refresh(&r);
	r.now_ns = clock_monotonic_ns(e->options.clock);
	times_count(e->times);
	settle(&r);
	name_events(&r);
	copy_nodes(&r);
	r.window = window_sum(e, e->options.threads);
	fill_head(&r);
	if (e->watch)
		watch_describe(e->watch, r.s, !r.window);
	copy_cells(&r);
	choose_processes(&r);
	choose_gone(&r);
	fill_rows(&r);
	name_cells(&r);
	fill_memory(&r);
	if (e->extras & EXTRA_OBJECTS)
		objects_describe(r.s, e->objects);
	objects_complete(r.s, e->objects);
	fill_events(&r);
	fill_host(&r);
	fill_own_cpu(&r);
	fill_sampling(&r);
	window_describe(e, r.window, r.s);
	next_interval(&r);
	report_fini(&r);
	return r.s;
}
