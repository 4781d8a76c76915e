/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "output/metric-walk.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "base/strtab.h"
#include "view/widget/text.h"
#include "view/list/list.h"

/* The number of series is limited: the rows of the view, which has its limits, and these constants. */
#define PROCESSES_MAX 1000
#define SYMBOLS_MAX 1000 /* of each event */
#define GROUPS_MAX 500   /* control groups */
#define LABEL_BYTES 200  /* bytes of a value; names of templates grow to kilobytes */

struct metrics {
	const struct metric_sink *sink;
	void *context;
	struct view *view;
	const struct snapshot *snapshot;
	struct strtab *labels;
	const char **events; /* labels of each event; NULL: an earlier one has the same */
};

static void print_head(struct metrics *m, const struct metric_family *f)
{
	m->sink->family(m->context, f, "gauge");
}

static void print_value(struct metrics *m, const char *name, const char *labels, double value)
{
	m->sink->value(m->context, name, labels, value);
}

/* Appends `NAME="VALUE"`, with a comma in front unless it is the first. */
static void add_label(struct buf *b, const char *name, const char *value)
{
	struct buf clean = { 0 };
	size_t size;

	text_sanitize(&clean, value, strlen(value), false);
	size = clean.size < LABEL_BYTES ? clean.size : LABEL_BYTES;
	while (size < clean.size && size && (clean.bytes[size] & 0xc0) == 0x80)
		size--; /* not within a character */
	buf_printf(b, "%s%s=\"", b->size > 1 ? "," : "", name);
	for (size_t i = 0; i < size; i++) {
		if (clean.bytes[i] == '"' || clean.bytes[i] == '\\')
			buf_add_char(b, '\\');
		buf_add_char(b, clean.bytes[i]); /* a newline has been replaced */
	}
	buf_add_char(b, '"');
	buf_fini(&clean);
}

/* The labels that were added to B, interned: equal labels are one pointer.  Frees B. */
static const char *labels_end(struct metrics *m, struct buf *b)
{
	const char *labels;

	buf_add_char(b, '}');
	labels = strtab_add(m->labels, b->bytes);
	buf_fini(b);
	return labels;
}

/* An event may be requested twice: only the first one has series. */
static void name_events(struct metrics *m)
{
	m->events = mem_array(m->snapshot->event_count, sizeof(*m->events));
	for (size_t i = 0; i < m->snapshot->event_count; i++) {
		struct buf b = { 0 };

		buf_add_char(&b, '{');
		add_label(&b, "event", m->snapshot->events[i].name);
		m->events[i] = labels_end(m, &b);
		for (size_t before = 0; before < i && m->events[i]; before++)
			if (m->events[before] == m->events[i])
				m->events[i] = NULL;
	}
}

/* One value without labels; left out if it is not finite. */
static void print_single(struct metrics *m, const struct metric_family *f, double value)
{
	if (!isfinite(value))
		return;
	print_head(m, f);
	print_value(m, f->name, "", value);
}

static void print_build(struct metrics *m)
{
	static const struct metric_family build = { "ptop_build_info", NULL,
						    "Version, and how it measures." };
	struct buf b = { 0 };

	buf_add_char(&b, '{');
	add_label(&b, "version", m->snapshot->version);
	add_label(&b, "tier", m->snapshot->sampling.tier);
	print_head(m, &build);
	print_value(m, build.name, labels_end(m, &b), 1);
}

static void print_sampling(struct metrics *m)
{
	const struct snapshot_sampling *s = &m->snapshot->sampling;
	const struct {
		struct metric_family family;
		double value;
	} rows[] = {
		{ { "ptop_interval_seconds", "seconds", "The last interval." },
		  m->snapshot->interval_s },
		{ { "ptop_samples", NULL, "Samples since ptop began." }, (double)s->total_samples },
		{ { "ptop_lost_samples", NULL, "Samples that were lost since ptop began." },
		  (double)s->total_lost },
		{ { "ptop_unresolved_ratio", "ratio",
		    "Samples in no known function over all samples." },
		  s->unresolved_percent / 100 },
		{ { "ptop_unnamed_ratio", "ratio",
		    "Samples in functions without a name over all samples." },
		  s->unnamed_percent / 100 },
		{ { "ptop_own_cpu_ratio", "ratio",
		    "CPU time of ptop itself over time, in the last interval; 1 is one CPU." },
		  s->own_cpu_percent / 100 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		print_single(m, &rows[i].family, rows[i].value);
}

static void print_memory(struct metrics *m)
{
	static const struct metric_family of_tables = { "ptop_memory_bytes", "bytes",
							"What the tables of ptop take." };
	static const struct metric_family resident = {
		"ptop_resident_bytes", "bytes", "Resident memory of all processes of ptop."
	};
	const struct account_sums *a = &m->snapshot->sampling.account;

	if (!a->limit)
		return;
	print_single(m, &resident, a->resident ? (double)a->resident : NAN);
	print_head(m, &of_tables);
	for (size_t i = 0; i < ACCOUNT_TABLES; i++) {
		struct buf b = { 0 };

		buf_add_char(&b, '{');
		add_label(&b, "table", account_rows[i].name);
		print_value(m, of_tables.name, labels_end(m, &b), (double)a->bytes[i]);
	}
}

static void print_push(struct metrics *m, const struct output_push *p)
{
	static const struct metric_family intervals = {
		"ptop_push_intervals", NULL,
		"Intervals of --push by what became of them, since ptop began."
	};
	static const struct metric_family bytes = {
		"ptop_push_bytes", "bytes", "What the server of --push took since ptop began."
	};
	static const struct metric_family refused = {
		"ptop_push_refused_entries", NULL,
		"What the server of --push refused of intervals that it took, since ptop began."
	};
	const struct {
		const char *labels;
		uint64_t count;
	} rows[] = {
		{ "{state=\"sent\"}", p->sent },
		{ "{state=\"waiting\"}", p->waiting },
		{ "{state=\"dropped\"}", p->dropped },
		{ "{state=\"refused\"}", p->refused },
		{ "{state=\"unanswered\"}", p->unanswered },
	};

	print_head(m, &intervals);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		print_value(m, intervals.name, rows[i].labels, (double)rows[i].count);
	print_single(m, &bytes, (double)p->bytes);
	print_single(m, &refused, (double)p->refused_entries);
}

static void print_events(struct metrics *m)
{
	static const struct metric_family rate = {
		"ptop_event_rate", NULL,
		"Events a second in the last interval, of all that is profiled."
	};
	bool begun = false;

	for (size_t i = 0; i < m->snapshot->event_count; i++) {
		double value = m->snapshot->events[i].value / m->snapshot->interval_s;

		if (!isfinite(value) || !m->events[i])
			continue;
		if (!begun)
			print_head(m, &rate);
		begun = true;
		print_value(m, rate.name, m->events[i], value);
	}
}

/* A number tells triggers apart: two may have one condition, or begin with the same LABEL_BYTES. */
static void print_trigger_family(struct metrics *m, const struct output_request *r,
				 const struct metric_family *f,
				 double (*value)(const struct output_trigger *t))
{
	print_head(m, f);
	for (size_t i = 0; i < r->trigger_count; i++) {
		struct buf b = { 0 };
		char number[24];

		buf_add_char(&b, '{');
		snprintf(number, sizeof(number), "%zu", i + 1);
		add_label(&b, "trigger", number);
		add_label(&b, "condition", r->triggers[i].condition);
		print_value(m, f->name, labels_end(m, &b), value(&r->triggers[i]));
	}
}

static double trigger_holds(const struct output_trigger *t)
{
	return t->holds;
}

static double trigger_became_true(const struct output_trigger *t)
{
	return (double)t->became_true;
}

static double trigger_paused(const struct output_trigger *t)
{
	return (double)t->paused;
}

static double trigger_failures(const struct output_trigger *t)
{
	return (double)t->failures;
}

static void print_triggers(struct metrics *m, const struct output_request *r)
{
	static const struct {
		struct metric_family family;
		double (*value)(const struct output_trigger *t);
	} rows[] = {
		{ { "ptop_trigger_holds", NULL,
		    "1 while the condition of --when is true, else 0." },
		  trigger_holds },
		{ { "ptop_trigger_fired", NULL,
		    "Times that the condition became true since ptop began." },
		  trigger_became_true },
		{ { "ptop_trigger_paused", NULL,
		    "Times that it did so within the pause of --then-max, so nothing was done." },
		  trigger_paused },
		{ { "ptop_trigger_failures", NULL,
		    "Actions of --then that failed since ptop began." },
		  trigger_failures },
	};

	for (size_t i = 0; r->trigger_count && i < sizeof(rows) / sizeof(*rows); i++)
		print_trigger_family(m, r, &rows[i].family, rows[i].value);
}

/* A metric from a column of a list. */
struct column_family {
	struct metric_family family;
	const char *column;
	double scale;
};

/* A list whose rows have series. */
struct row_metrics {
	const struct list_kind *list;
	size_t rows_max;
	const struct column_family *families;
	size_t family_count;
	struct metric_family rate; /* of the row's counts, by event */
	void (*labels)(struct buf *b, const struct column_row *row);
	const double *(*counters)(const struct column_row *row); /* NULL: it has none */
};

/* A row with series. */
struct series {
	struct column_row row;
	const char *labels;
};

/*
 * Fills SERIES and returns their number.  No two may have the same labels; the first in the order
 * of the view stays.  Processes of one interval may have the same pid, and labels of groups may be
 * cut to one text.
 */
static size_t collect_rows(struct metrics *m, const struct row_metrics *k, struct series *series,
			   size_t max)
{
	const struct shares all = view_shares(m->view, true);
	struct map seen = { 0 };
	size_t count = 0;

	for (size_t i = 0; i < view_list_count(m->view, k->list) && count < max; i++) {
		struct column_row row = view_list_row(m->view, k->list, i);
		struct buf b = { 0 };
		const char *labels;

		if (row.process)
			row.samples_percent = share_percent(&all.samples, row.samples);
		k->labels(&b, &row);
		labels = labels_end(m, &b);
		if (map_find(&seen, (uintptr_t)labels))
			continue;
		map_put(&seen, (uintptr_t)labels, m);
		series[count++] = (struct series){ row, labels };
	}
	map_fini(&seen);
	return count;
}

static void print_row_family(struct metrics *m, const struct row_metrics *k,
			     const struct column_family *f, const struct series *series,
			     size_t count)
{
	const struct column *c = column_find(k->list->table->columns, f->column);
	bool begun = false;

	for (size_t i = 0; i < count; i++) {
		double value = column_number(c, &series[i].row) * f->scale;

		if (!isfinite(value))
			continue;
		if (!begun)
			print_head(m, &f->family);
		begun = true;
		print_value(m, f->family.name, series[i].labels, value);
	}
}

/* The counts of each row for an event: the row's labels, and the event. */
static void print_row_events(struct metrics *m, const struct row_metrics *k,
			     const struct series *series, size_t count)
{
	size_t events = m->snapshot->event_count;
	bool begun = false;

	for (size_t i = 0; i < count * events; i++) {
		const struct column_row *row = &series[i / events].row;
		const double *counters = k->counters(row);
		double value = counters ? counters[i % events] / m->snapshot->interval_s : NAN;
		struct buf b = { 0 };

		if (!isfinite(value) || !m->events[i % events])
			continue;
		if (!begun)
			print_head(m, &k->rate);
		begun = true;
		k->labels(&b, row);
		add_label(&b, "event", m->snapshot->events[i % events].name);
		print_value(m, k->rate.name, labels_end(m, &b), value);
	}
}

static void print_rows(struct metrics *m, const struct row_metrics *k)
{
	size_t max = view_list_count(m->view, k->list), count;
	struct series *series;

	if (max > k->rows_max)
		max = k->rows_max;
	series = mem_array(max, sizeof(*series));
	count = collect_rows(m, k, series, max);
	for (size_t i = 0; i < k->family_count; i++)
		print_row_family(m, k, &k->families[i], series, count);
	print_row_events(m, k, series, count);
	free(series);
}

/* Processes. */

static const struct column_family process_families[] = {
	{ { "ptop_process_cpu_ratio", "ratio",
	    "CPU time over time, in the last interval; 1 is one CPU." },
	  "%cpu",
	  0.01 },
	{ { "ptop_process_cpu_seconds", "seconds", "CPU time since the process began." },
	  "time+",
	  1 },
	{ { "ptop_process_resident_bytes", "bytes", "Resident memory." }, "res", 1 },
	{ { "ptop_process_virtual_bytes", "bytes", "Address space." }, "virt", 1 },
	{ { "ptop_process_threads", NULL, "Threads." }, "thr", 1 },
	{ { "ptop_process_samples_ratio", "ratio", "Samples over the samples of all processes." },
	  "samples%",
	  0.01 },
	{ { "ptop_process_instructions_per_cycle", NULL,
	    "Instructions over cycles, in the last interval." },
	  "ipc",
	  1 },
	{ { "ptop_process_cache_miss_ratio", "ratio",
	    "Cache misses over cache references, in the last interval." },
	  "miss%",
	  0.01 },
	{ { "ptop_process_branch_miss_ratio", "ratio",
	    "Branch misses over branches, in the last interval." },
	  "br-miss%",
	  0.01 },
};

static void process_labels(struct buf *b, const struct column_row *row)
{
	const struct snapshot_process *p = row->process;
	char number[16];

	buf_add_char(b, '{');
	snprintf(number, sizeof(number), "%u", p->pid);
	add_label(b, "pid", number);
	snprintf(number, sizeof(number), "%u", p->tid);
	if (p->tid)
		add_label(b, "tid", number);
	add_label(b, "comm", p->comm);
	add_label(b, "user", p->user);
}

static const double *process_counters(const struct column_row *row)
{
	return row->process->counters;
}

static const struct row_metrics process_metrics = {
	.list = &list_processes,
	.rows_max = PROCESSES_MAX,
	.families = process_families,
	.family_count = sizeof(process_families) / sizeof(*process_families),
	.rate = { "ptop_process_event_rate", NULL, "Events a second in the last interval." },
	.labels = process_labels,
	.counters = process_counters,
};

/* Control groups, where the view shows them. */

static const struct column_family group_families[] = {
	{ { "ptop_group_cpu_ratio", "ratio",
	    "CPU time of the group's processes over time, in the last interval; 1 is one CPU." },
	  "%cpu",
	  0.01 },
	{ { "ptop_group_processes", NULL, "Processes in the group and below." }, "procs", 1 },
	{ { "ptop_group_memory_bytes", "bytes", "Memory that is charged to the group." },
	  "memory",
	  1 },
	{ { "ptop_group_memory_max_bytes", "bytes", "The group's limit of memory." },
	  "mem-max",
	  1 },
	{ { "ptop_group_throttled_ratio", "ratio",
	    "Periods of its CPU quota in which it was throttled over periods, in the last "
	    "interval." },
	  "throt%",
	  0.01 },
	{ { "ptop_group_cpu_pressure_ratio", "ratio",
	    "Time in which some thread waited for a CPU over time, in the last interval." },
	  "cpu-psi",
	  0.01 },
	{ { "ptop_group_memory_pressure_ratio", "ratio",
	    "Time in which some thread waited for memory over time, in the last interval." },
	  "mem-psi",
	  0.01 },
	{ { "ptop_group_io_pressure_ratio", "ratio",
	    "Time in which some thread waited for I/O over time, in the last interval." },
	  "io-psi",
	  0.01 },
	{ { "ptop_group_instructions_per_cycle", NULL,
	    "Instructions over cycles, in the last interval." },
	  "ipc",
	  1 },
	{ { "ptop_group_cache_miss_ratio", "ratio",
	    "Cache misses over cache references, in the last interval." },
	  "miss%",
	  0.01 },
};

static void group_labels(struct buf *b, const struct column_row *row)
{
	const struct snapshot_group *g = row->group->group;

	buf_add_char(b, '{');
	add_label(b, "group", g->path);
	add_label(b, "name", g->name);
	add_label(b, "kind", group_kind_name(g->kind));
}

static const double *group_counters(const struct column_row *row)
{
	return row->group->counters;
}

static const struct row_metrics group_metrics = {
	.list = &list_groups,
	.rows_max = GROUPS_MAX,
	.families = group_families,
	.family_count = sizeof(group_families) / sizeof(*group_families),
	.rate = { "ptop_group_event_rate", NULL, "Events a second in the last interval." },
	.labels = group_labels,
	.counters = group_counters,
};

/* Functions. */

/* Rows with the same labels, of functions with one name, are one series. */
struct symbol_series {
	const char *labels;
	double samples, overhead_ratio;
	bool time;                 /* the event counts time: */
	struct distribution waits; /* how long its waits lasted */
};

struct symbol_list {
	struct symbol_series *items;
	size_t count, capacity;
	struct map by_labels; /* number + 1 */
};

static const char *symbol_labels(struct metrics *m, const struct symbol_row *row)
{
	const struct frame_table *frames = m->snapshot->frames;
	struct buf b = { 0 };

	buf_add_char(&b, '{');
	add_label(&b, "event", m->snapshot->events[row->event].name);
	add_label(&b, "symbol", frame_symbol(frames, row->frame));
	add_label(&b, "object", frame_object_path(frames, row->frame));
	return labels_end(m, &b);
}

/* ALL: of the row's event. */
static void add_symbol(struct metrics *m, struct symbol_list *list, const struct symbol_row *row,
		       const struct shares *all)
{
	const char *labels = symbol_labels(m, row);
	struct symbol_series *series;
	size_t number;

	if (!m->events[row->event])
		return;
	number = map_enter(&list->by_labels, (uintptr_t)labels);
	if (number == list->count) {
		mem_grow((void **)&list->items, &list->capacity, number + 1, sizeof(*list->items));
		list->items[list->count++] = (struct symbol_series){ .labels = labels };
	}
	series = &list->items[number];
	series->samples += row->samples;
	if (row->waits) {
		series->time = true;
		distribution_add(&series->waits, row->waits);
	}
	series->overhead_ratio += share_percent(&all->period, row->period) / 100;
}

static void collect_symbols(struct metrics *m, struct symbol_list *list)
{
	struct event_walk walk = event_walk_start(m->view);

	do {
		const struct shares all = view_shares(m->view, true);

		for (size_t i = 0; i < view_list_count(m->view, &list_symbols) && i < SYMBOLS_MAX;
		     i++)
			add_symbol(m, list, view_list_row(m->view, &list_symbols, i).symbol, &all);
	} while (event_walk_next(&walk));
}

/* LABELS, which end with a brace, and `le`. */
static void print_bucket(struct metrics *m, const char *name, const char *labels, const char *le,
			 double value)
{
	char *with = mem_printf("%.*s,le=\"%s\"}", (int)strlen(labels) - 1, labels, le);

	print_value(m, name, with, value);
	free(with);
}

static void print_waits_of(struct metrics *m, const char *name, const struct symbol_series *s)
{
	int last = distribution_last(&s->waits);
	double below = 0;
	char le[32];

	for (int i = 0; i <= last; i++) {
		below += s->waits.counts[i];
		if (!(below > 0))
			continue;
		snprintf(le, sizeof(le), "%.15g", distribution_to_ns((unsigned)i) / 1e9);
		print_bucket(m, name, s->labels, le, below);
	}
	print_bucket(m, name, s->labels, "+Inf", below);
}

/* They have no sum: what waits that still last add to the period is in no bucket yet. */
static void print_waits(struct metrics *m, const struct symbol_list *list)
{
	static const struct metric_family waits = {
		"ptop_symbol_wait_seconds", "seconds",
		"Waits of the function that have ended, by how long "
		"they lasted, as the mode weighs them."
	};
	bool begun = false;

	for (size_t i = 0; i < list->count; i++) {
		if (!list->items[i].time)
			continue;
		if (!begun)
			m->sink->family(m->context, &waits, "gaugehistogram");
		begun = true;
		print_waits_of(m, "ptop_symbol_wait_seconds_bucket", &list->items[i]);
	}
}

static void print_symbols(struct metrics *m)
{
	static const struct metric_family samples = {
		"ptop_symbol_samples", NULL, "Samples in the function, as the mode weighs them."
	};
	static const struct metric_family overhead = {
		"ptop_symbol_overhead_ratio", "ratio",
		"Period of the function's samples over that of all samples of the event."
	};
	struct symbol_list list = { 0 };

	collect_symbols(m, &list);
	if (list.count)
		print_head(m, &overhead);
	for (size_t i = 0; i < list.count; i++)
		if (isfinite(list.items[i].overhead_ratio))
			print_value(m, overhead.name, list.items[i].labels,
				    list.items[i].overhead_ratio);
	if (list.count)
		print_head(m, &samples);
	for (size_t i = 0; i < list.count; i++)
		print_value(m, samples.name, list.items[i].labels, list.items[i].samples);
	print_waits(m, &list);
	map_fini(&list.by_labels);
	free(list.items);
}

void metrics_walk(const struct output_request *request, const struct metric_sink *sink,
		  void *context)
{
	struct metrics m = { .sink = sink,
			     .context = context,
			     .view = request->view,
			     .snapshot = view_snapshot(request->view),
			     .labels = strtab_new() };

	name_events(&m);
	print_build(&m);
	print_sampling(&m);
	print_memory(&m);
	print_triggers(&m, request);
	if (request->push)
		print_push(&m, request->push);
	print_events(&m);
	print_rows(&m, &process_metrics);
	if (m.snapshot->group_count)
		print_rows(&m, &group_metrics);
	print_symbols(&m);
	strtab_free(m.labels);
	free(m.events);
}

static void unescape(struct buf *out, const char *text, size_t size)
{
	buf_clear(out);
	for (size_t i = 0; i < size; i++) {
		i += text[i] == '\\';
		buf_add_char(out, text[i]);
	}
}

bool metric_label_next(struct metric_label *l)
{
	const char *at = l->at, *end;

	if ((*at != '{' && *at != ',') || at[1] == '}') /* the end, or there are none */
		return false;
	end = strchr(++at, '=');
	buf_clear(&l->name);
	buf_add(&l->name, at, (size_t)(end - at));
	at = end + 2;
	for (end = at; *end != '"'; end++)
		end += *end == '\\';
	unescape(&l->value, at, (size_t)(end - at));
	l->at = end + 1;
	return true;
}

void metric_label_fini(struct metric_label *l)
{
	buf_fini(&l->name);
	buf_fini(&l->value);
}

void metrics_origin(struct buf *out, const struct output_request *request, const char *host)
{
	char *copy = mem_strdup(request->labels ? request->labels : ""), *rest = copy, *pair,
	     *value;

	buf_add_char(out, '{');
	if (request->host)
		add_label(out, host, request->host);
	while ((pair = strsep(&rest, ","))) {
		value = strchr(pair, '=');
		if (!value)
			continue; /* there are none */
		*value++ = '\0';
		add_label(out, pair, value);
	}
	buf_add_char(out, '}');
	free(copy);
}

struct remembered {
	uint64_t request; /* the newest that had it */
	size_t name_size;
	char text[]; /* the name, the labels, each with its NUL */
};

struct output_memory {
	struct map series; /* by the hash of the text: struct remembered, owned */
	uint64_t request;
};

struct output_memory *output_memory_new(void)
{
	return mem_alloc(sizeof(struct output_memory));
}

void output_memory_free(struct output_memory *m)
{
	if (m)
		map_fini_each(&m->series, free);
	free(m);
}

void metrics_remember(struct output_memory *m, const char *name, const char *labels)
{
	const size_t name_size = strlen(name) + 1, labels_size = strlen(labels) + 1;
	struct remembered *r;
	uint64_t key;

	if (!m)
		return;
	key = hash_bytes_seeded(hash_bytes(name, name_size), labels, labels_size);
	r = map_find(&m->series, key);
	if (!r) {
		r = mem_alloc(sizeof(*r) + name_size + labels_size);
		r->name_size = name_size;
		memcpy(r->text, name, name_size);
		memcpy(r->text + name_size, labels, labels_size);
		map_put(&m->series, key, r);
	}
	r->request = m->request;
}

void metrics_ended(struct output_memory *m,
		   void (*ended)(void *context, const char *name, const char *labels),
		   void *context)
{
	struct map kept = { 0 };
	struct remembered *r;
	size_t cursor = 0;

	while (m && (r = map_next(&m->series, &cursor))) {
		const char *labels = r->text + r->name_size;

		if (r->request == m->request) {
			map_put(&kept,
				hash_bytes_seeded(hash_bytes(r->text, r->name_size), labels,
						  strlen(labels) + 1),
				r);
			continue;
		}
		ended(context, r->text, labels);
		free(r);
	}
	if (!m)
		return;
	map_fini(&m->series);
	m->series = kept;
	m->request++;
}
