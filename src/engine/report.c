/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "naming/object-facts.h"
#include "engine/parts.h"
#include "engine/report.h"
#include "engine/engine-state.h"

#define PRUNE_INTERVALS 32 /* what a history needs of the past is looked up so seldom */

/*
 * After a round of all processes because of losses, so much longer.  It is taken to last DOUBT_MOST_NS at most: ptop may
 * have been stopped in it.
 */
#define DOUBT_REST 99
#define DOUBT_MOST_NS (NS_PER_S / 5 * 2)

const struct report_tier *report_tier(enum source_tier tier)
{
	static const struct report_tier tiers[] = {
		[TIER_CPU_GROUP] = { .zero = true, .run_time = true },
		[TIER_PER_TASK] = { .others = true, .run_time = true },
		[TIER_PROC] = { .all = true },
		[TIER_FILE] = { .zero = true },
	};

	return &tiers[tier];
}

static bool sideband_lost(const struct report *r, const struct source_stats *since)
{
	return r->request->source->stats.lost_sideband != since->lost_sideband;
}

static bool some_lost(const struct report *r, const struct source_stats *since)
{
	return r->request->source->stats.lost != since->lost || sideband_lost(r, since);
}

/* Counts are of the time up to the last drain, so the interval ends there.  Without a new drain it ends now. */
static uint64_t interval_end_ns(const struct engine *e)
{
	return e->drained_ns > e->last_ns ? e->drained_ns : clock_monotonic_ns(e->options.clock);
}

/* Counters of whole CPUs tell the switches of every process, unless they come at ticks. */
static bool wants_switches(const struct report *r)
{
	const struct engine *e = r->e;
	const struct evlist *l = e->options.evlist;
	int event = evlist_find_id(l, EVENT_CONTEXT_SWITCHES);
	bool counted = e->options.tier == TIER_CPU_GROUP && event >= 0 &&
		       l->items[event]->enabled && !r->request->source->reduced.sampled_counters;

	return e->extras & (EXTRA_SWITCHES | EXTRA_STATES) ||
	       (e->extras & EXTRA_SWITCHES_ELSE && !counted);
}

/* Records of this interval, or of an earlier one after which not all was read, are missing: anybody may have run. */
static bool in_doubt(const struct report *r)
{
	return r->e->has_procfs && (r->e->in_doubt || some_lost(r, &r->e->last_stats));
}

/*
 * A round of all processes keeps the rings waiting.  Where thousands live it takes so long that the rings overflow
 * again, and each round would be the cause of the next.
 */
static void pay_for_doubt(struct engine *e, const struct refresh *how, bool doubt)
{
	if (doubt && !how->sparing)
		time_share_charge(&e->doubt_rounds, clock_monotonic_ns(e->options.clock),
				  e->reading_ns < DOUBT_MOST_NS ? e->reading_ns : DOUBT_MOST_NS,
				  DOUBT_REST);
}

static void drain_between(void *context)
{
	struct report *r = context;

	r->request->drain(r->request->context, false);
	r->drained = true;
}

/*
 * Reads /proc.  Where that took long, records were taken meanwhile, and the interval ends behind it.  Losses that they tell put
 * the next interval in doubt.
 */
static void read_processes(struct report *r, const struct refresh *how)
{
	struct engine *e = r->e;
	const struct source_stats before = r->request->source->stats;

	if (sideband_lost(r, &e->last_stats))
		process_table_doubt_maps(e->processes);
	engine_scan(e);
	process_table_refresh(e->processes, how);
	if (r->drained)
		r->request->drain(r->request->context, true);
	if (sideband_lost(r, &before))
		process_table_doubt_maps(e->processes);
	e->in_doubt = how->sparing || some_lost(r, &before);
	r->now_ns = interval_end_ns(e);
}

static void refresh(struct report *r)
{
	struct engine *e = r->e;
	const struct report_tier *tier = report_tier(e->options.tier);
	const bool always = tier->all || (tier->others && !e->options.target.tasks);
	const bool doubt = in_doubt(r);
	uint64_t from_ns = clock_monotonic_ns(e->options.clock);
	uint32_t resting[THINNING_USERS];
	const struct refresh how = {
		.all = always || doubt,
		.sparing = doubt && !always && e->doubt_rounds.free_ns > from_ns,
		.threads = e->options.threads,
		.commands = e->options.commands,
		.cgroup = e->extras & (EXTRA_CGROUP | EXTRA_GROUPS) ||
			  e->target.mode == TARGET_CGROUP,
		.cgroup_controller = e->options.target.cgroup_controller,
		.wchan = e->extras & EXTRA_WCHAN,
		.shared = e->extras & EXTRA_SHARED,
		.counts = { [TASK_SWITCHES] = wants_switches(r),
			    [TASK_IO] = e->extras & EXTRA_IO,
			    [TASK_DELAYS] = e->extras & (EXTRA_DELAYS | EXTRA_STATES) },
		.states = e->extras & EXTRA_STATES,
		.resting = resting,
		.resting_count = e->thinning ? thinning_resting(e->thinning, resting) : 0,
		.visible = r->request->visible,
		.visible_count = r->request->visible_count,
		.between = r->request->drain ? drain_between : NULL,
		.context = r,
	};

	read_processes(r, &how);
	report_read_groups(r);
	if (e->has_procfs)
		host_refresh(&e->host, &e->procfs);
	r->reading_ns = e->reading_ns;
	e->reading_ns = clock_monotonic_ns(e->options.clock) - from_ns;
	r->reading_ns += e->reading_ns;
	pay_for_doubt(e, &how, doubt);
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
	past->owner = process_owner(p);
	past->group = p->group;
	past->used = e->iteration;
	memcpy(past->comm, p->comm, sizeof(past->comm));
	map_put(&e->past, p->serial, past);
}

static void use_past(void *context, uint32_t serial)
{
	const struct engine *e = context;
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
	const struct process_gone gone = { .thread = forget_thread,
					   .process = remember_process,
					   .context = e };

	map_fini(&e->departed[1]);
	e->departed[1] = e->departed[0];
	e->departed[0] = (struct map){ 0 };
	process_table_forget_exited(e->processes, &gone);
	for (size_t i = 0; i < e->cpu_count; i++)
		e->cpus[i].exiting = NULL;
	e->epoch++;
}

static void next_interval(struct report *r)
{
	struct engine *e = r->e;

	if (e->options.tier == TIER_FILE) { /* one interval, however often it is shown */
		e->iteration = r->s->iteration;
		return;
	}
	/* A sum of all intervals begins with the first: what came before it has none. */
	if (!e->iteration && histogram_mode(e->histogram) == HISTOGRAM_CUMULATIVE)
		engine_zero(e);
	e->last_stats = r->request->source->stats;
	report_losses(r, e->last_losses);
	parts_next_interval(e);
	e->iteration = r->s->iteration;
	e->last_ns = r->now_ns;
	if (!e->windows || e->iteration % PRUNE_INTERVALS == 0) {
		windows_processes(e->windows, use_past, e);
		prune_past(e, e->iteration);
	}
	forget_exited(e);
}

static void report_fini(struct report *r)
{
	window_free(r->window);
	map_fini(&r->tally_of);
	mem_free(r->gone, r->node_map, r->tallies, r->sums, r->of_idle, r->of_nobody, r->scratch,
		 r->counted, r->shown, r->group_of);
}

static void fill_memory(struct report *r)
{
	const struct usage_request request = engine_usage_request(r->e);

	/* The past has no memory figures. */
	if (r->e->has_procfs && !r->window)
		usage_fill(&r->e->usage, r->s, &request);
}

/* Before the cells, which the last snapshot takes. */
static void settle(const struct report *r)
{
	struct engine *e = r->e;

	parts_settle(e, e->has_procfs ? r->now_ns : e->newest_ns);
	engine_waits_for_code(e);
}

static void describe_past(const struct report *r)
{
	const struct engine *e = r->e;

	windows_describe(e->windows, r->window, r->s, e->has_procfs ? e->began_ns : e->oldest_ns,
			 e->has_procfs ? clock_monotonic_ns(e->options.clock) : e->newest_ns);
}

struct snapshot *engine_snapshot(struct engine *e, const struct engine_request *request)
{
	struct report r = { .e = e, .request = request, .s = snapshot_new() };

	engine_take_symbols(e);
	refresh(&r);
	settle(&r);
	report_name_events(&r);
	report_copy_nodes(&r);
	r.window = window_sum(e->windows, e->options.threads);
	report_fill_head(&r);
	if (engine_keeps_addresses(e))
		watch_describe(e->watch, r.s, r.window ? window_begin_ns(r.window) : 0,
			       r.window ? window_end_ns(r.window) : 0);
	report_copy_cells(&r);
	report_fill_host(&r);
	report_fill_rows(&r);
	report_name_cells(&r);
	report_fill_groups(&r);
	fill_memory(&r);
	if (e->extras & EXTRA_OBJECTS)
		objects_describe(r.s, e->objects);
	objects_complete(r.s, e->objects);
	report_fill_events(&r);
	report_fill_cpus(&r);
	report_fill_sampling(&r);
	describe_past(&r);
	invariants_check(r.s, e->violations);
	next_interval(&r);
	report_fini(&r);
	return r.s;
}
