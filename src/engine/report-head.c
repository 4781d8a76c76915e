/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "engine/report.h"
#include "engine/engine-state.h"
#include "perf/event/event.h"
#include "perf/event/rate.h"
#include "profile/loss.h"

/* The name of each target in a snapshot; SOME: it leaves out tasks. */
static const struct {
	const char *name;
	bool some;
} modes[] = {
	[TARGET_SYSTEM] = { "system", false },  [TARGET_PID] = { "pid", true },
	[TARGET_TID] = { "tid", true },         [TARGET_USER] = { "user", true },
	[TARGET_CPU] = { "cpu", false },        [TARGET_CGROUP] = { "cgroup", false },
	[TARGET_COMMAND] = { "command", true }, [TARGET_FILE] = { "file", false },
};

static int first_sampled(const struct evlist *l)
{
	for (size_t i = 0; i < l->count; i++) {
		if (l->items[i]->role == EVSEL_SAMPLE && !l->items[i]->open_error)
			return (int)i;
	}
	return -1;
}

static bool was_counted(const struct report *r, size_t event)
{
	const struct evsel *v = r->e->options.evlist->items[event];

	/* Only calls tell of the network: without one it counted 0. */
	return !v->open_error &&
	       (evsel_is_network(v) || attribution_total(r->e->attribution, event).enabled_ns);
}

/* Returns true if tasks ran for a part of the time that EVENT was counted. */
static bool some_ran(const struct report *r, size_t event)
{
	const struct counter_value *nobody = counters_row(r->e->counters, COUNTERS_UNATTRIBUTED);

	return attribution_total(r->e->attribution, event).enabled_ns > nobody[event].enabled_ns;
}

void report_name_events(struct report *r)
{
	const struct evlist *l = r->e->options.evlist;

	snapshot_alloc_events(r->s, l->count);
	for (size_t i = 0; i < l->count; i++) {
		const struct evsel *v = l->items[i];
		struct snapshot_event *to = &r->s->events[i];

		to->name = strtab_add(r->s->arena, v->name);
		to->id = event_id_of(v->type, v->config);
		to->canonical = strtab_add(r->s->arena, v->base);
		to->exclude_user = v->exclude_user;
		to->exclude_kernel = v->exclude_kernel;
		to->sampled = v->role == EVSEL_SAMPLE;
		to->time = evsel_is_time(v);
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
		r->any_timed |= some_ran(r, i);
	}
}

/* The whole machine, or with tasks as a target what their rows have. */
static struct counter_value event_total(const struct report *r, size_t event)
{
	if (modes[r->e->options.target.mode].some)
		return r->sums[event];
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
	to->idle = report_value(r, &r->of_idle[event], event, r->counted[event]);
	to->unattributed = report_value(r, &nobody, event, r->counted[event]);
}

/* For a window: only the counts of tasks are known. */
static void fill_past_event(struct report *r, size_t event)
{
	struct snapshot_event *to = &r->s->events[event];
	const struct evsel *v = r->e->options.evlist->items[event];

	to->samples = window_samples(r->window, event);
	to->idle = to->unattributed = to->value = NAN;
	if (report_counted_then(r, event) && !v->per_cpu_only)
		to->value = window_total(r->window, event) * v->scale;
}

static const char *event_unit(const struct report *r, const struct evsel *v)
{
	if (!v->unit)
		return v->scale == 1 ? NULL : "";
	return strtab_add(r->s->arena, v->unit);
}

void report_fill_events(struct report *r)
{
	const struct evlist *l = r->e->options.evlist;

	for (size_t i = 0; i < l->count; i++) {
		const struct evsel *v = l->items[i];
		const struct counter_value total = event_total(r, i);
		struct snapshot_event *to = &r->s->events[i];

		to->enabled = v->enabled && !v->open_error;
		to->samples = attribution_samples(r->e->attribution, i);
		to->unit = event_unit(r, v);
		to->removed = v->removed;
		to->asked = v->asked;
		if ((to->sampled && !to->time) || evsel_is_network(v)) {
			to->frequency_hz = rate_reduced(v->freq_hz, v->halvings);
			to->period = v->freq_hz ? 0 : rate_period(v);
			to->asked_period = v->freq_hz ? 0 : v->period;
		}
		to->value = report_value(r, &total, i, r->counted[i]);
		fill_rest(r, i);
		if (r->window)
			fill_past_event(r, i);
		to->running_percent = NAN;
		/* A family's times may be of two moments: what ran all the time ran no longer. */
		if (total.enabled_ns && (v->enabled || total.value))
			to->running_percent = fmin(100, 100 * (double)total.running_ns /
								(double)total.enabled_ns);
		if (v->open_error) {
			to->error =
				strtab_add(r->s->arena, v->why ? v->why : strerror(v->open_error));
			to->value = to->running_percent = to->idle = to->unattributed = NAN;
		}
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

void report_fill_host(struct report *r)
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
	to->pressure = from->pressure;
	to->steal_percent = from->steal_percent;
	to->memory_total_bytes = from->memory_total_bytes;
	to->memory_used_bytes = from->memory_used_bytes;
	to->swap_total_bytes = from->swap_total_bytes;
	to->swap_used_bytes = from->swap_used_bytes;
	to->ticks_per_s = (double)r->e->procfs.ticks_per_s;
	to->read_s = (double)r->reading_ns / NS_PER_S;
}

static void fill_own_cpu(struct report *r)
{
	struct engine *e = r->e;
	uint64_t own_ns = engine_own_cpu_ns(e), at_ns = clock_monotonic_ns(e->options.clock);

	if (e->iteration && at_ns > e->own_at_ns)
		r->s->sampling.own_cpu_percent =
			100 * (double)(own_ns - e->own_ns) / (double)(at_ns - e->own_at_ns);
	e->own_ns = own_ns;
	e->own_at_ns = at_ns;
}

static const char *copy_text(struct report *r, const char *text)
{
	return strtab_add(r->s->arena, text ? text : "");
}

/* A stack that waits for an object is neither whole nor broken. */
static void fill_ends(struct report *r)
{
	const uint64_t *ends = late_ends(r->e->late);
	uint64_t whole = ends[CHAIN_WHOLE] + ends[CHAIN_UNWOUND + UNWIND_STITCHED], known = 0;

	if (!r->e->options.target.callchains)
		return;
	for (int i = 0; i < CHAIN_ENDS; i++)
		known += i != CHAIN_LOADING ? ends[i] : 0;
	if (known)
		r->s->sampling.stacks_complete_percent = 100 * (double)whole / (double)known;
	r->s->stack_ends = mem_array(CHAIN_ENDS, sizeof(*r->s->stack_ends));
	r->s->stack_end_count = CHAIN_ENDS;
	for (int i = 0; i < CHAIN_ENDS; i++) {
		const struct unwind_end_text *end = chain_end_text(i);

		r->s->stack_ends[i] = (struct snapshot_stack_end){ end->name, end->text, ends[i] };
	}
}

static void fill_python(struct report *r)
{
	const struct chains_python *now = chains_python(r->e->chains);
	struct chains_python *then = &r->e->last_python;
	uint64_t found = now->found - then->found, all = found + now->unsure - then->unsure;

	if (all)
		r->s->sampling.python_percent = 100 * (double)found / (double)all;
	if (found)
		r->s->sampling.python_bpf_percent =
			100 * (double)(now->walked - then->walked) / (double)found;
	*then = *now;
}

void report_losses(const struct report *r, uint64_t totals[LOSSES])
{
	const struct engine *e = r->e;
	const struct process_maps_stats maps = process_table_maps_stats(e->processes);
	const struct engine_stats stats = engine_statistics(e);

	totals[LOSS_MAPS] = maps.postponed + maps.refused;
	totals[LOSS_NAMES] = dso_cache_merged(e->objects) + frame_table_merged(e->frames);
	totals[LOSS_GROUPS] = e->groups ? groups_refused(e->groups) : 0;
	totals[LOSS_WAITS] = stats.pending_overflow;
	totals[LOSS_WALKS] = r->request->source->stats.lost_walks;
	totals[LOSS_TASKS] = stats.taskless;
	totals[LOSS_EVENTS] = stats.eventless + stats.attribution.foreign;
	totals[LOSS_COUNTS] = stats.attribution.resets;
	totals[LOSS_MEMORY] = e->shed_bytes / 1024;
}

/* Each one that a source read is in exactly one of these; see receive_sample(). */
static uint64_t settled_samples(const struct engine *e, const struct engine_stats *s)
{
	const uint64_t surplus = e->thinning ? thinning_surplus(e->thinning) : 0;

	return s->samples - surplus - s->times + s->idle + s->filtered + s->eventless + s->taskless;
}

static void fill_thinned(struct report *r)
{
	struct snapshot_sampling *to = &r->s->sampling;
	struct thinned most;

	if (!r->e->thinning)
		return;
	most = thinning_most(r->e->thinning);
	to->thinned_user = most.users ? copy_text(r, most.name) : NULL;
	to->thinned_users = most.users;
	to->thinned_part = most.part;
}

void report_fill_sampling(struct report *r)
{
	const struct source *source = r->request->source;
	struct snapshot_sampling *to = &r->s->sampling;
	struct engine *e = r->e;
	const struct engine_stats stats = engine_statistics(e);

	fill_own_cpu(r);
	fill_thinned(r);
	to->tier = source_tier_name(source->tier);
	to->tier_reason = copy_text(r, source->tier_reason);
	to->notes = copy_text(r, source->notes);
	if (r->sampled_event >= 0) {
		const struct evsel *v = e->options.evlist->items[r->sampled_event];

		to->frequency_hz = rate_reduced(v->freq_hz, v->halvings);
		to->asked_hz = v->freq_hz;
		to->period = v->freq_hz || evsel_is_time(v) ? 0 : rate_period(v);
	}
	to->sampled_counters = source->reduced.sampled_counters;
	to->stack_period = source->stack_period;
	to->stack_threads = source->stack_threads;
	to->calls_without_stacks = source->calls_without_stacks;
	to->call_threads = source->call_threads;
	to->call_part = source->call_part;
	to->budget_percent = r->request->budget_percent;
	to->cost_percent = r->request->cost_percent;
	to->over_budget = r->request->over_budget;
	for (size_t i = 0; i < r->s->event_count; i++)
		to->samples += r->s->events[i].samples;
	to->waits_summed = source->sums_waits || source->sums_calls;
	to->lost = source->stats.lost - e->last_stats.lost + source->stats.lost_waits -
		   e->last_stats.lost_waits;
	to->lost_sideband = source->stats.lost_sideband - e->last_stats.lost_sideband;
	to->throttled = source->stats.throttled - e->last_stats.throttled;
	to->foreign_times = source->stats.foreign_times - e->last_stats.foreign_times;
	to->total_samples = attribution_statistics(e->attribution)->samples;
	to->total_lost = source->stats.lost + source->stats.lost_waits;
	to->total_lost_sideband = source->stats.lost_sideband;
	to->hardware = source->hardware;
	to->user_only = source->user_only;
	report_losses(r, to->losses);
	for (size_t i = 0; i < LOSSES; i++)
		to->losses[i] -= e->last_losses[i];
	to->account = e->account;
	memset(e->account.shed, 0, sizeof(e->account.shed));
	to->merged_cells = histogram_merged(e->histogram);
	to->merged_stacks = histogram_without_callers(e->histogram);
	to->read_samples = source->stats.samples;
	to->settled_samples = settled_samples(e, &stats);
	if (r->window)
		return;
	fill_ends(r);
	fill_python(r);
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

void report_fill_head(struct report *r)
{
	const struct engine_options *o = &r->e->options;
	const struct number_list *tasks = o->target.tasks;

	r->s->version = o->version ? o->version : "";
	r->s->time_ns = clock_realtime_ns(o->clock) - (clock_monotonic_ns(o->clock) - r->now_ns);
	r->s->interval_s = interval_of(r);
	if (r->window && r->e->has_procfs)
		r->s->time_ns -= r->now_ns - window_end_ns(r->window);
	r->s->cells_s = r->e->has_procfs && !r->window ? histogram_span_s(r->e->histogram)
						       : r->s->interval_s;
	r->s->halvings = r->window ? 0 : histogram_halvings(r->e->histogram);
	r->s->iteration = r->e->iteration + 1;
	r->s->frames = r->e->frames;
	r->s->target.mode = modes[o->target.mode].name;
	r->s->target.cgroup = o->target.cgroup;
	if (tasks) {
		r->s->target.pids = tasks->items;
		r->s->target.pid_count = tasks->count;
	}
}
