/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "output/document.h"
#include "base/i18n.h"
#include "output/format.h"
#include "profile/callgraph.h"
#include "profile/loss.h"
#include "view/list/list.h"
#include "view/list/mapping-list.h"

#define NS_PER_MS 1e6

/*
 * "ptop-snapshot/1": the whole snapshot as one object on one line.  Fields may be added, never
 * renamed.  Numbers are numbers, an absent value is null, percentages are of 100 with three
 * decimals.  Every text passes the sanitiser, so the line is valid UTF-8 whatever a process calls
 * itself.
 */
#define SCHEMA "ptop-snapshot/1"

/* The value of a person's own column may be arbitrarily small. */
static json_t *exact(double value)
{
	return isfinite(value) ? json_real(value) : json_null();
}

/* A count that is -1 when absent. */
static json_t *count(int64_t value)
{
	return value < 0 ? json_null() : json_integer(value);
}

/* A count that is 0 when absent. */
static json_t *count_if_any(uint64_t value)
{
	return value ? json_integer((json_int_t)value) : json_null();
}

/* A text that is "" when absent. */
static json_t *text_if_any(const char *s)
{
	return document_text(s && *s ? s : NULL);
}

static void set_pressure(json_t *o, const struct pressure *p)
{
	document_set(o, "cpu_some_percent", document_real(p->cpu_some_percent));
	document_set(o, "memory_some_percent", document_real(p->memory_some_percent));
	document_set(o, "memory_full_percent", document_real(p->memory_full_percent));
	document_set(o, "io_some_percent", document_real(p->io_some_percent));
	document_set(o, "io_full_percent", document_real(p->io_full_percent));
}

static json_t *host_object(const struct snapshot_host *host)
{
	json_t *o = json_object();

	document_set(o, "name", document_text(host->name));
	document_set(o, "kernel", document_text(host->kernel));
	document_set(o, "arch", document_text(host->arch));
	document_set(o, "cpus", json_integer(host->cpus));
	document_set(o, "uptime_s", document_real(host->uptime_s));
	document_set(o, "load_1", document_real(host->load[0]));
	document_set(o, "load_5", document_real(host->load[1]));
	document_set(o, "load_15", document_real(host->load[2]));
	document_set(o, "tasks", count(host->tasks));
	document_set(o, "running", count(host->running));
	document_set(o, "cpu_percent", document_real(host->cpu_percent));
	document_set(o, "user_percent", document_real(host->user_percent));
	document_set(o, "system_percent", document_real(host->system_percent));
	set_pressure(o, &host->pressure);
	document_set(o, "memory_total_bytes", count(host->memory_total_bytes));
	document_set(o, "memory_used_bytes", count(host->memory_used_bytes));
	document_set(o, "swap_total_bytes", count(host->swap_total_bytes));
	document_set(o, "swap_used_bytes", count(host->swap_used_bytes));
	return o;
}

static json_t *target_object(const struct snapshot_target *target)
{
	json_t *o = json_object(), *pids = json_array();

	for (size_t i = 0; i < target->pid_count; i++)
		json_array_append_new(pids, json_integer(target->pids[i]));
	document_set(o, "mode", document_text(target->mode));
	document_set(o, "pids", pids);
	document_set(o, "cgroup", document_text(target->cgroup));
	return o;
}

/* The events whose period the budget raised. */
static json_t *reduced_events(const struct snapshot *s)
{
	json_t *events = json_array();

	for (size_t i = 0; i < s->event_count; i++) {
		const struct snapshot_event *event = &s->events[i];
		json_t *o;

		if (!snapshot_event_thinned(event))
			continue;
		o = json_object();
		document_set(o, "event", document_text(event->name));
		document_set(o, "period", json_integer((json_int_t)event->period));
		document_set(o, "asked_period", json_integer((json_int_t)event->asked_period));
		json_array_append_new(events, o);
	}
	return events;
}

/* The budget's reductions, or null. */
static json_t *reduced(const struct snapshot *s)
{
	const struct snapshot_sampling *sampling = &s->sampling;
	bool slower = sampling->frequency_hz && sampling->asked_hz > sampling->frequency_hz;
	json_t *o, *events = reduced_events(s);

	if (!slower && !sampling->sampled_counters && !sampling->calls_without_stacks &&
	    !sampling->call_threads && sampling->call_part <= 1 && !sampling->thinned_users &&
	    !json_array_size(events)) {
		json_decref(events);
		return json_null();
	}
	o = json_object();
	document_set(o, "events", events);
	document_set(o, "frequency_hz", count_if_any(sampling->frequency_hz));
	document_set(o, "asked_hz", count_if_any(sampling->asked_hz));
	document_set(o, "counters", json_string(sampling->sampled_counters ? "sampled" : "exact"));
	document_set(o, "stack_period", count_if_any(sampling->stack_period));
	document_set(o, "stack_threads",
		     sampling->stack_period && sampling->stack_threads != UINT32_MAX
			     ? json_integer(sampling->stack_threads)
			     : json_null());
	document_set(o, "call_stacks", json_boolean(!sampling->calls_without_stacks));
	document_set(o, "call_threads", json_integer(sampling->call_threads));
	document_set(o, "call_part", count_if_any(sampling->call_part));
	document_set(o, "users", json_integer(sampling->thinned_users));
	document_set(o, "user",
		     sampling->thinned_user ? document_text(sampling->thinned_user) : json_null());
	document_set(o, "user_part", count_if_any(sampling->thinned_part));
	return o;
}

/* The number of stacks that ended in each way, by name; ways without stacks are left out. */
static json_t *stack_ends(const struct snapshot *s)
{
	json_t *o = s->stack_end_count ? json_object() : json_null();

	for (size_t i = 0; i < s->stack_end_count; i++) {
		if (s->stack_ends[i].stacks)
			document_set(o, s->stack_ends[i].name,
				     json_integer((json_int_t)s->stack_ends[i].stacks));
	}
	return o;
}

/* The violations since the start. */
static json_t *violations(const struct snapshot *s)
{
	json_t *array = json_array();

	for (size_t i = 0; i < s->violation_count; i++) {
		json_t *o = json_object();

		document_set(o, "name", document_text(s->violations[i].name));
		document_set(o, "text", document_text(s->violations[i].text));
		document_set(o, "count", json_integer((json_int_t)s->violations[i].count));
		document_set(o, "total", json_integer((json_int_t)s->violations[i].total));
		json_array_append_new(array, o);
	}
	return array;
}

/* The size of each table, and how much it shed in the interval. */
static json_t *account_object(const struct account_sums *a)
{
	json_t *o, *tables;

	if (!a->limit)
		return json_null();
	o = json_object();
	tables = json_object();
	document_set(o, "limit_bytes", json_integer((json_int_t)a->limit));
	document_set(o, "resident_bytes", count_if_any(a->resident));
	for (size_t i = 0; i < ACCOUNT_TABLES; i++) {
		json_t *table = json_object();

		document_set(table, "bytes", json_integer((json_int_t)a->bytes[i]));
		document_set(table, "shed_bytes", json_integer((json_int_t)a->shed[i]));
		document_set(tables, account_rows[i].name, table);
	}
	document_set(o, "tables", tables);
	return o;
}

static json_t *sampling_object(const struct snapshot *s)
{
	const struct snapshot_sampling *sampling = &s->sampling;
	json_t *o = json_object();

	document_set(o, "tier", document_text(sampling->tier));
	document_set(o, "tier_reason", text_if_any(sampling->tier_reason));
	document_set(o, "hardware", json_boolean(sampling->hardware));
	document_set(o, "engine", json_string(sampling->waits_summed ? "bpf" : "perf"));
	document_set(o, "user_only", json_boolean(sampling->user_only));
	document_set(o, "frequency_hz", count_if_any(sampling->frequency_hz));
	document_set(o, "period", count_if_any(sampling->period));
	document_set(o, "samples", json_integer((json_int_t)sampling->samples));
	document_set(o, "lost", json_integer((json_int_t)sampling->lost));
	document_set(o, "lost_sideband", json_integer((json_int_t)sampling->lost_sideband));
	document_set(o, "throttled", json_integer((json_int_t)sampling->throttled));
	document_set(o, "foreign_times", json_integer((json_int_t)sampling->foreign_times));
	document_set(o, "unresolved_percent", document_real(sampling->unresolved_percent));
	document_set(o, "unnamed_percent", document_real(sampling->unnamed_percent));
	document_set(o, "stacks_complete_percent",
		     document_real(sampling->stacks_complete_percent));
	document_set(o, "python_percent", document_real(sampling->python_percent));
	document_set(o, "python_bpf_percent", document_real(sampling->python_bpf_percent));
	document_set(o, "stack_ends", stack_ends(s));
	document_set(o, "own_cpu_percent", document_real(sampling->own_cpu_percent));
	document_set(o, "budget_percent",
		     sampling->budget_percent > 0 ? document_real(sampling->budget_percent)
						  : json_null());
	document_set(o, "cost_percent", document_real(sampling->cost_percent));
	document_set(o, "over_budget", json_boolean(sampling->over_budget));
	document_set(o, "reduced", reduced(s));
	document_set(o, "violations", violations(s));
	for (size_t i = 0; i < LOSSES; i++)
		document_set(o, losses[i].name, json_integer((json_int_t)sampling->losses[i]));
	document_set(o, "merged_cells", json_integer((json_int_t)sampling->merged_cells));
	document_set(o, "memory", account_object(&sampling->account));
	return o;
}

/* EVENT's count: a number of occurrences, or an amount of its unit. */
static json_t *counted(const struct snapshot_event *event, double value)
{
	return event->unit ? exact(value) : document_number(round(value));
}

static json_t *event_object(const struct snapshot_event *event)
{
	json_t *o = json_object();

	document_set(o, "name", document_text(event->name));
	document_set(o, "role", json_string(event->sampled ? "sample" : "count"));
	document_set(o, "enabled", json_boolean(event->enabled));
	document_set(o, "asked", json_boolean(event->asked));
	document_set(o, "samples",
		     event->sampled ? json_integer((json_int_t)event->samples) : json_null());
	document_set(o, "value", counted(event, event->value));
	document_set(o, "unit", text_if_any(event->unit));
	document_set(o, "idle", counted(event, event->idle));
	document_set(o, "unattributed", counted(event, event->unattributed));
	document_set(o, "running_percent", document_real(event->running_percent));
	document_set(o, "error", text_if_any(event->error));
	return o;
}

static json_t *events_array(const struct snapshot *s)
{
	json_t *array = json_array();

	for (size_t i = 0; i < s->event_count; i++)
		json_array_append_new(array, event_object(&s->events[i]));
	return array;
}

/* COUNTERS by event; NULL: none is known. */
static json_t *counters_object(const struct snapshot *s, const double *counters)
{
	json_t *o = json_object();

	for (size_t i = 0; i < s->event_count; i++)
		document_set(o, s->events[i].name,
			     counters ? counted(&s->events[i], counters[i]) : json_null());
	return o;
}

static void set_identity(json_t *o, const struct snapshot_process *p)
{
	const char state[] = { p->state, '\0' };

	document_set(o, "pid", json_integer(p->pid));
	document_set(o, "tid", p->tid ? json_integer(p->tid) : json_null());
	document_set(o, "ppid", json_integer(p->ppid));
	document_set(o, "uid", p->uid == UINT32_MAX ? json_null() : json_integer(p->uid));
	document_set(o, "user", text_if_any(p->user));
	document_set(o, "comm", document_text(p->comm));
	document_set(o, "command", document_text(p->command));
	document_set(o, "state", p->state == '-' ? json_null() : document_text(state));
	document_set(o, "exited", json_boolean(p->exited));
	document_set(o, "threads", count(p->threads));
	/*
	 * A real-time task's priority is negative: only the thread count tells that both values are
	 * absent.
	 */
	document_set(o, "priority", p->threads < 0 ? json_null() : json_integer(p->priority));
	document_set(o, "nice", p->threads < 0 ? json_null() : json_integer(p->nice));
}

/* A person's own columns by name, if there are any. */
static void set_own_columns(json_t *o, struct view *v, const struct list_kind *pane,
			    const struct column_row *row)
{
	json_t *own = json_object();

	for (const struct column *c = view_column_table(v, pane); c->name; c++) {
		if (c->formula)
			document_set(own, c->name, exact(column_number(c, row)));
	}
	if (json_object_size(own))
		json_object_set(o, "columns", own);
	json_decref(own);
}

/*
 * The shares of an event: the older fields are of all its samples, the newer ones of the shown
 * ones.
 */
struct event_shares {
	struct shares all, shown;
};

static struct event_shares shares_of_event(struct view *v)
{
	return (struct event_shares){ view_shares(v, true), view_shares(v, false) };
}

static json_t *states_object(const struct snapshot_process *p)
{
	static const char *const names[MICROSTATES] = {
		[MICROSTATE_USER] = "user",   [MICROSTATE_SYSTEM] = "system",
		[MICROSTATE_QUEUE] = "queue", [MICROSTATE_DISK] = "disk",
		[MICROSTATE_SLEEP] = "sleep", [MICROSTATE_STOP] = "stop",
	};
	json_t *o = json_object();

	for (int i = 0; i < MICROSTATES; i++)
		document_set(o, names[i], document_real(p->states_percent[i]));
	return o;
}

static json_t *process_object(struct view *v, const struct column_row *row,
			      const struct event_shares *shares)
{
	const struct snapshot_process *p = row->process;
	json_t *o = json_object();

	set_identity(o, p);
	document_set(o, "cpu_percent", document_real(p->cpu_percent));
	document_set(o, "cpu_time_s", document_real(p->cpu_time_s));
	document_set(o, "virtual_bytes", count(p->virtual_bytes));
	document_set(o, "resident_bytes", count(p->resident_bytes));
	document_set(o, "shared_bytes", count(p->shared_bytes));
	document_set(o, "proportional_bytes", count(p->proportional_bytes));
	document_set(o, "swap_bytes", count(p->swap_bytes));
	document_set(o, "memory_age_s", document_real(p->memory_age_s));
	document_set(o, "minor_faults", count(p->minor_faults));
	document_set(o, "major_faults", count(p->major_faults));
	document_set(o, "voluntary_switches", count(p->voluntary_switches));
	document_set(o, "involuntary_switches", count(p->involuntary_switches));
	document_set(o, "read_bytes", count(p->read_bytes));
	document_set(o, "written_bytes", count(p->written_bytes));
	document_set(o, "cancelled_bytes", count(p->cancelled_bytes));
	document_set(o, "io_calls", count(p->io_calls));
	document_set(o, "delay_ns", count(p->delay_ns));
	document_set(o, "states_percent", states_object(p));
	document_set(o, "cgroup", document_text(p->cgroup));
	document_set(o, "container", document_text(p->container));
	document_set(o, "wchan", document_text(p->wchan));
	document_set(o, "samples", document_number(row->samples));
	document_set(o, "samples_percent",
		     document_real(share_percent(&shares->all.samples, row->samples)));
	document_set(o, "shown_percent",
		     document_real(share_percent(&shares->shown.samples, row->shown)));
	document_set(
		o, "delta_percent",
		document_real(share_delta(&shares->all.samples, row->samples, row->base_samples)));
	document_set_ratios(o, list_processes.table->columns, row);
	document_set(o, "counters", counters_object(row->snapshot, p->counters));
	set_own_columns(o, v, &list_processes, row);
	return o;
}

static json_t *processes_array(struct view *v)
{
	const struct event_shares shares = shares_of_event(v);
	json_t *array = json_array();

	for (size_t i = 0; i < view_list_count(v, &list_processes); i++) {
		struct column_row row = view_list_row(v, &list_processes, i);

		json_array_append_new(array, process_object(v, &row, &shares));
	}
	return array;
}

/* With stacks: the share of each frame, with all that it called, of an event. */
struct inclusive {
	double *period; /* one a frame, COUNT in all; NULL without stacks */
	size_t count;
};

static struct inclusive inclusive_of(const struct snapshot *s, int event)
{
	const struct callgraph_options options = { .event = (uint16_t)event, .period = true };
	struct inclusive n = { 0 };

	if (!s->node_count || event < 0)
		return n;
	n.period = callgraph_inclusive(s, &options, &n.count);
	return n;
}

/* Summed over all processes, so a row of a single process has none. */
static json_t *children_percent(const struct inclusive *n, const struct event_shares *shares,
				const struct symbol_row *row)
{
	if (!n->period || row->pid || row->frame >= n->count)
		return json_null();
	return document_real(share_percent(&shares->all.period, n->period[row->frame]));
}

/* The time that threads waited for a CPU in the symbol, if that is measured. */
static double delay_ns(const struct snapshot *s, const struct symbol_row *row)
{
	for (size_t i = 0; i < s->event_count; i++) {
		const struct snapshot_event *e = &s->events[i];

		if (e->id == EVENT_RUN_DELAY && !e->error)
			return isnan(row->sampled[i]) ? 0 : row->sampled[i];
	}
	return NAN;
}

static void set_shares(json_t *o, const struct symbol_row *row, const struct event_shares *shares,
		       const struct inclusive *inclusive)
{
	const struct share_sum *all = &shares->all.period, *shown = &shares->shown.period;

	document_set(o, "overhead_percent", document_real(share_percent(all, row->period)));
	document_set(o, "shown_percent", document_real(share_percent(shown, row->period)));
	document_set(o, "delta_percent", document_real(share_delta(all, row->period, row->base)));
	document_set(o, "children_percent", children_percent(inclusive, shares, row));
}

/* The lengths of waits; buckets without waits are left out. */
static json_t *waits_object(const struct distribution *w, const struct distribution_facts *facts)
{
	json_t *o = json_object(), *buckets = json_array();

	for (unsigned i = 0; i < DISTRIBUTION_BUCKETS; i++) {
		json_t *bucket = w->counts[i] > 0 ? json_object() : NULL;

		if (!bucket)
			continue;
		document_set(bucket, "from_ns", document_number(distribution_from_ns(i)));
		document_set(bucket, "to_ns", document_number(distribution_to_ns(i)));
		document_set(bucket, "waits", document_number(w->counts[i]));
		json_array_append_new(buckets, bucket);
	}
	document_set(o, "waits", document_number(facts->count));
	document_set(o, "p50_ns", document_number(round(facts->p50_ms * NS_PER_MS)));
	document_set(o, "p90_ns", document_number(round(facts->p90_ms * NS_PER_MS)));
	document_set(o, "p99_ns", document_number(round(facts->p99_ms * NS_PER_MS)));
	document_set(o, "max_ns", document_number(round(facts->longest_ms * NS_PER_MS)));
	document_set(o, "buckets", buckets);
	return o;
}

static json_t *symbol_object(struct view *v, size_t i, const struct event_shares *shares,
			     const struct inclusive *inclusive)
{
	const struct column_row values = view_list_row(v, &list_symbols, i);
	const struct snapshot *s = values.snapshot;
	const struct symbol_row *row = values.symbol;
	const struct frame_source *source = frame_source(s->frames, row->frame);
	uint8_t flags = frame_flags(s->frames, row->frame);
	json_t *o = json_object();

	document_set(o, "event", document_text(s->events[row->event].name));
	document_set(o, "symbol", document_text(frame_function(s->frames, row->frame)));
	document_set(o, "object", document_text(frame_object_path(s->frames, row->frame)));
	document_set(o, "kernel", json_boolean(flags & FRAME_KERNEL));
	document_set(o, "inlined", json_boolean(flags & FRAME_INLINED));
	document_set(o, "named_by",
		     document_text(named_by_word(frame_named_by(s->frames, row->frame))));
	document_set(o, "source_file", document_text(source ? source->file : NULL));
	document_set(o, "source_line",
		     source && source->line ? json_integer(source->line) : json_null());
	document_set(o, "data",
		     document_text(row->data && !row->woken
					   ? frame_object_path(s->frames, row->data)
					   : NULL));
	document_set(o, "pid", row->pid ? json_integer(row->pid) : json_null());
	document_set(o, "comm", document_text(row->comm));
	document_set(o, "samples", document_number(row->samples));
	document_set(o, "period", document_number(row->period));
	set_shares(o, row, shares, inclusive);
	document_set_ratios(o, list_symbols.table->columns, &values);
	set_own_columns(o, v, &list_symbols, &values);
	if (s->events[row->event].time) {
		document_set(o, "longest_ns", document_number(row->longest));
		document_set(o, "run_delay_ns", document_number(delay_ns(s, row)));
		document_set(o, "waits", waits_object(row->waits, &row->lengths));
		document_set(o, "woken_by",
			     document_text(row->woken && row->data
						   ? frame_object_name(s->frames, row->data)
						   : NULL));
	}
	return o;
}

static json_t *symbols_array(struct view *v)
{
	struct event_walk walk = event_walk_start(v);
	json_t *array = json_array();

	do {
		struct inclusive n = inclusive_of(view_snapshot(v), view_event(v));
		const struct event_shares shares = shares_of_event(v);

		for (size_t i = 0; i < view_list_count(v, &list_symbols); i++)
			json_array_append_new(array, symbol_object(v, i, &shares, &n));
		free(n.period);
	} while (event_walk_next(&walk));
	return array;
}

static void set_usage(json_t *o, const struct snapshot_usage *u)
{
	document_set(o, "resident_bytes", count(u->resident));
	document_set(o, "proportional_bytes", count(u->proportional));
	document_set(o, "swap_bytes", count(u->swap));
	document_set(o, "swap_proportional_bytes", count(u->swap_proportional));
	document_set(o, "private_clean_bytes", count(u->private_clean));
	document_set(o, "private_dirty_bytes", count(u->private_dirty));
	document_set(o, "shared_clean_bytes", count(u->shared_clean));
	document_set(o, "shared_dirty_bytes", count(u->shared_dirty));
	document_set(o, "anonymous_bytes", count(u->anonymous));
	document_set(o, "lazy_free_bytes", count(u->lazy_free));
}

static json_t *mapping_object(const struct column_row *row)
{
	const struct mapping_row *m = row->mapping;
	json_t *o = json_object();

	document_set(o, "name", document_text(m->name));
	document_set(o, "path", document_text(m->path));
	document_set(o, "mappings", count_if_any(m->count));
	document_set(o, "faults", document_number(m->faults));
	document_set(o, "major_faults", document_number(m->major));
	document_set(o, "faults_per_s",
		     document_column(list_mappings.table->columns, "faults/s", row));
	set_usage(o, &m->usage);
	return o;
}

/* Only for views with a list of mappings; for one process with their content. */
static json_t *memory_object(struct view *v)
{
	const struct snapshot_memory *m = &view_snapshot(v)->memory;
	json_t *o, *array;

	if (!(view_extras(v) & EXTRA_MAPPINGS))
		return json_null();
	o = json_object();
	array = json_array();
	for (size_t i = 0; i < view_list_count(v, &list_mappings); i++) {
		struct column_row row = view_list_row(v, &list_mappings, i);

		json_array_append_new(array, mapping_object(&row));
	}
	document_set(o, "pid", count_if_any(m->pid));
	document_set(o, "age_s", document_real(m->age_s));
	document_set(o, "error", document_text(m->missing));
	set_usage(o, &m->usage);
	document_set(o, "mappings_age_s", document_real(m->mappings_age_s));
	document_set(o, "mappings_error", document_text(m->mappings_missing));
	document_set(o, "merged_mappings", json_integer((json_int_t)m->merged));
	document_set(o, "mappings", array);
	return o;
}

static void set_branch(json_t *o, const struct branch *b)
{
	document_set(o, "shown_percent", document_real(b->shown_percent));
	document_set(o, "top_pid", b->top ? json_integer(b->top->pid) : json_null());
	document_set(o, "top_comm", text_if_any(b->top ? b->top->comm : NULL));
	document_set(o, "top_percent", document_real(b->top_percent));
}

static json_t *cpu_object(struct view *v, const struct column_row *values)
{
	const struct cpu_row *row = values->cpu;
	const struct cpu_facts *f = &row->facts;
	const char type[] = { f->place.type, '\0' };
	json_t *o = json_object();

	document_set(o, "name", document_text(row->name));
	document_set(o, "level", document_text(cpu_level_name(row->level)));
	document_set(o, "number", json_integer(f->number));
	document_set(o, "cpus", json_integer(row->cpus));
	document_set(o, "online", json_integer(row->online));
	document_set(o, "core", count(f->place.core));
	document_set(o, "llc", count(f->place.llc));
	document_set(o, "node", count(f->place.node));
	document_set(o, "package", count(f->place.package));
	document_set(o, "type", text_if_any(type));
	document_set(o, "busy_percent", document_real(row->busy_percent));
	document_set(o, "user_percent", document_real(f->user_percent));
	document_set(o, "system_percent", document_real(f->system_percent));
	document_set(o, "irq_percent", document_real(f->irq_percent));
	document_set(o, "softirq_percent", document_real(f->softirq_percent));
	document_set(o, "steal_percent", document_real(f->steal_percent));
	document_set(o, "iowait_percent", document_real(f->iowait_percent));
	document_set(o, "idle_percent", document_real(f->idle_percent));
	document_set(o, "ghz", document_real(f->ghz));
	document_set_ratios(o, list_cpus.table->columns, values);
	document_set(o, "counters", counters_object(values->snapshot, row->counters));
	document_set(o, "samples", document_number(row->samples));
	set_branch(o, &row->branch);
	set_own_columns(o, v, &list_cpus, values);
	return o;
}

static json_t *group_object(struct view *v, const struct column_row *values)
{
	const struct group_row *row = values->group;
	const struct group_facts *f = row->group->facts;
	json_t *o = json_object();

	document_set(o, "name", document_text(row->group->name));
	document_set(o, "kind", document_text(group_kind_name(row->group->kind)));
	document_set(o, "path", text_if_any(row->group->path));
	document_set(o, "depth", json_integer(values->place ? values->place->depth : 0));
	document_set(o, "processes", json_integer(row->processes));
	document_set(o, "cpu_percent", document_real(row->cpu_percent));
	document_set(o, "memory_bytes", count(f->memory_bytes));
	document_set(o, "memory_max_bytes", count(f->memory_max_bytes));
	document_set(o, "tasks", count(f->pids));
	document_set(o, "tasks_max", count(f->pids_max));
	document_set(o, "read_bytes_per_s", document_real(f->read_rate));
	document_set(o, "write_bytes_per_s", document_real(f->write_rate));
	document_set(o, "throttled_percent", document_real(f->throttled_percent));
	set_pressure(o, &f->pressure);
	document_set_ratios(o, list_groups.table->columns, values);
	document_set(o, "counters", counters_object(values->snapshot, row->counters));
	document_set(o, "samples", document_number(row->branch.shown));
	set_branch(o, &row->branch);
	set_own_columns(o, v, &list_groups, values);
	return o;
}

typedef json_t *row_object(struct view *v, const struct column_row *row);

/* The rows of LIST; null unless the view needs what it shows. */
static json_t *rows_if_shown(struct view *v, const struct list_kind *list, row_object *make)
{
	json_t *array;

	if ((view_extras(v) & list->extras) != list->extras)
		return json_null();
	array = json_array();
	for (size_t i = 0; i < view_list_count(v, list); i++) {
		struct column_row row = view_list_row(v, list, i);

		json_array_append_new(array, make(v, &row));
	}
	return array;
}

static json_t *snapshot_object(struct view *v)
{
	const struct snapshot *s = view_snapshot(v);
	json_t *o = document_head(s, SCHEMA);

	document_set(o, "host", host_object(&s->host));
	document_set(o, "target", target_object(&s->target));
	document_set(o, "sampling", sampling_object(s));
	document_set(o, "events", events_array(s));
	document_set(o, "processes", processes_array(v));
	document_set(o, "symbols", symbols_array(v));
	document_set(o, "memory", memory_object(v));
	document_set(o, "cpus", rows_if_shown(v, &list_cpus, cpu_object));
	document_set(o, "groups", rows_if_shown(v, &list_groups, group_object));
	document_set(o, "function", document_function(v));
	return o;
}

static int json_write(struct buf *out, const struct output_request *request, struct error *err)
{
	if (document_add(out, snapshot_object(request->view), err))
		return -1;
	buf_truncate(out, out->size - 1); /* the brace: one more member follows */
	buf_add_str(out, ",\"call_tree\":");
	if (document_print_call_tree(out, request->view, err))
		return -1;
	buf_add_str(out, "}\n");
	return 0;
}

/* clang-format off */
const struct output_format format_json = {
	.name = "json", .extensions = ".json .jsonl .ndjson", .help = N_("one object per line"),
	.write = json_write,
};
/* clang-format on */
