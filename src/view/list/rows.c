/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/list/rows.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "base/index.h"
#include "view/list/sort.h"
#include "view/widget/text.h"

#define INIT_PID 1

/* The sums for one process of the snapshot, while rows are built. */
struct tally {
	struct share_sum all, shown; /* samples of the event; BASE: in the base */
	bool on_cpus;                /* with `cpus` it has samples there */
	bool has_threads;            /* a process whose threads have rows */
	const char *comm;
};

struct build {
	struct rows *rows;
	const struct snapshot *snapshot;
	const struct rows_request *request;
	struct tally *tallies; /* the processes of the snapshot, then those of the base */
	struct map by_key;     /* process and tid → tally */
	struct index symbols;  /* the rows of symbols */
	bool time;             /* the event counts time, so that its waits are summed up */
};

static uint64_t task_key(uint32_t process, uint32_t tid)
{
	return (uint64_t)process << 32 | tid;
}

static struct tally *tally_of(const struct build *b, uint32_t process, uint32_t tid)
{
	return map_find(&b->by_key, task_key(process, tid));
}

/* The tally of process I of the base, if no process of the snapshot has it. */
static struct tally *gone_tally(const struct build *b, size_t i)
{
	return &b->tallies[b->snapshot->process_count + i];
}

/* Adds tallies for processes that only the base has, without threads. */
static void tallies_index_base(struct build *b)
{
	const struct snapshot *base = b->request->base;

	for (size_t i = 0; base && i < base->process_count; i++) {
		uint32_t serial = base->processes[i].serial;

		if (base->processes[i].tid || tally_of(b, serial, 0))
			continue;
		gone_tally(b, i)->comm = *base->processes[i].comm ? base->processes[i].comm : NULL;
		map_put(&b->by_key, task_key(serial, 0), gone_tally(b, i));
	}
}

static void tallies_index(struct build *b)
{
	const struct snapshot *s = b->snapshot, *base = b->request->base;

	b->tallies =
		mem_array(s->process_count + (base ? base->process_count : 0), sizeof(*b->tallies));
	for (size_t i = 0; i < s->process_count; i++) {
		const struct snapshot_process *p = &s->processes[i];

		b->tallies[i].comm = *p->comm ? p->comm : NULL;
		map_put(&b->by_key, task_key(p->serial, p->tid), &b->tallies[i]);
	}
	for (size_t i = 0; i < s->process_count; i++) {
		const struct snapshot_process *p = &s->processes[i];
		struct tally *t = p->tid ? tally_of(b, p->serial, 0) : NULL;

		if (t)
			t->has_threads = true;
	}
	tallies_index_base(b);
}

static bool in_zoom(const struct rows_request *q, uint32_t process, uint32_t tid)
{
	return !q->zoomed || (process == q->zoom_process && (!q->zoom_tid || tid == q->zoom_tid));
}

bool rows_filtered(const struct rows_request *q)
{
	return q->zoomed ? q->tree : q->pids || q->user || q->process_text;
}

static bool on_cpus(const struct rows_request *q, const struct snapshot_cell *c)
{
	return !q->cpus || (c->cpu < q->cpu_count && q->cpus[c->cpu]);
}

static bool in_groups(const struct rows_request *q, uint32_t group)
{
	return !q->groups || map_find(q->groups, group_key(group));
}

/* Adds the cells of FROM, the snapshot or the base, to the tallies: all, or only SHOWN ones. */
static void tallies_count(struct build *b, const struct snapshot *from, bool base, bool shown)
{
	for (size_t i = 0; i < from->cell_count; i++) {
		const struct snapshot_cell *c = &from->cells[i];
		struct tally *of[2] = { NULL, NULL };

		if (c->event != b->request->event ||
		    (shown && !rows_cell_passes(b->rows, b->snapshot, b->request, c)))
			continue;
		of[0] = tally_of(b, c->process, 0);
		of[1] = b->request->threads && c->tid ? tally_of(b, c->process, c->tid) : NULL;
		for (int task = 0; task < 2; task++) {
			struct share_sum *sum;

			if (!of[task])
				continue;
			of[task]->on_cpus |= c->samples > 0 && on_cpus(b->request, c);
			sum = shown ? &of[task]->shown : &of[task]->all;
			*(base ? &sum->base : &sum->now) += c->samples;
		}
	}
}

static void samples_count(struct build *b, bool shown)
{
	tallies_count(b, b->snapshot, false, shown);
	if (b->request->base)
		tallies_count(b, b->request->base, true, shown);
}

static bool user_matches(const struct snapshot_process *p, const char *user)
{
	char uid[16];

	snprintf(uid, sizeof(uid), "%u", p->uid);
	return !strcmp(p->user, user) || (p->uid != UINT32_MAX && !strcmp(uid, user));
}

bool rows_process_matches(const struct snapshot_process *p, const char *text, bool full_command)
{
	char id[16];

	snprintf(id, sizeof(id), "%u", p->tid ? p->tid : p->pid);
	return text_contains(p->comm, text) || (full_command && text_contains(p->command, text)) ||
	       text_contains(p->user, text) || text_contains(id, text);
}

bool rows_symbol_matches(const struct snapshot *s, const struct symbol_row *row, const char *text)
{
	return text_contains(frame_symbol(s->frames, row->frame), text) ||
	       text_contains(frame_object_name(s->frames, row->frame), text);
}

static bool process_passes(const struct build *b, const struct snapshot_process *p)
{
	const struct rows_request *q = b->request;

	if (q->zoomed && !q->tree)
		return in_zoom(q, p->serial, p->tid);
	if (q->pids && !number_list_has(q->pids, p->pid) &&
	    !(p->tid && number_list_has(q->pids, p->tid)))
		return false;
	if (q->user && !user_matches(p, q->user))
		return false;
	return !q->process_text || rows_process_matches(p, q->process_text, q->full_command);
}

static bool is_row(const struct build *b, size_t i)
{
	const struct snapshot_process *p = &b->snapshot->processes[i];

	if (!p->pid && !(b->tallies[i].all.now > 0) && !(b->tallies[i].all.base > 0))
		return false;
	if (b->request->cpus && !b->tallies[i].on_cpus)
		return false;
	if (!in_groups(b->request, p->group))
		return false;
	return b->request->threads ? !b->tallies[i].has_threads : !p->tid;
}

/* The base knows only the identity of a process that has gone. */
static struct snapshot_process gone_process(const struct build *b, const struct snapshot_process *p)
{
	struct snapshot_process gone = snapshot_process_unknown;

	gone.pid = p->pid;
	gone.serial = p->serial;
	gone.ppid = p->ppid;
	gone.uid = p->uid;
	gone.user = p->user;
	gone.comm = p->comm;
	gone.command = p->command;
	gone.kernel = p->kernel;
	gone.exited = true;
	gone.sampled = true;
	gone.counters = b->snapshot->unknown;
	return gone;
}

/* Makes rows for processes with samples in the base only; none for threads. */
static void gone_add(struct build *b)
{
	const struct snapshot *base = b->request->base;
	struct rows *r = b->rows;

	free(r->gone);
	r->gone = NULL;
	if (!base)
		return;
	r->gone = mem_array(base->process_count, sizeof(*r->gone));
	mem_grow((void **)&r->processes, &r->process_capacity,
		 r->process_count + base->process_count, sizeof(*r->processes));
	for (size_t i = 0; i < base->process_count; i++) {
		const struct snapshot_process *p = &base->processes[i];

		if (!(gone_tally(b, i)->all.base > 0) || !process_passes(b, p) ||
		    !in_groups(b->request, p->group))
			continue;
		r->process_total++;
		r->gone[i] = gone_process(b, p);
		r->processes[r->process_count++] = (struct process_entry){
			.process = &r->gone[i],
			.passes = true,
		};
	}
}

static void processes_filter(struct build *b)
{
	struct rows *r = b->rows;
	const struct snapshot *s = b->snapshot;

	r->process_count = r->process_total = 0;
	mem_grow((void **)&r->processes, &r->process_capacity, s->process_count + 1,
		 sizeof(*r->processes));
	for (size_t i = 0; i < s->process_count; i++) {
		bool passes;

		if (!is_row(b, i))
			continue;
		r->process_total++;
		passes = process_passes(b, &s->processes[i]);
		if (!passes && !b->request->tree)
			continue;
		r->processes[r->process_count++] = (struct process_entry){
			.process = &s->processes[i],
			.passes = passes,
		};
	}
	gone_add(b);
}

static void process_fill(const void *context, size_t i, struct column_row *row)
{
	const struct build *b = context;
	const struct process_entry *e = &b->rows->processes[i];

	row->snapshot = b->snapshot;
	row->process = e->process;
	row->samples = e->samples;
	row->shown = e->shown;
	row->samples_percent = e->samples_percent;
	row->delta_percent = e->delta_percent;
	row->cpu_past = rows_cpu_past(b->request, e);
	row->full_command = b->request->full_command;
	row->place = b->request->tree ? &e->place : NULL;
}

static uint64_t process_tie(const void *context, size_t i)
{
	const struct snapshot_process *p =
		((const struct build *)context)->rows->processes[i].process;

	return (uint64_t)p->pid << 32 | p->tid;
}

/*
 * Sorts COUNT elements of SIZE bytes at ITEMS into ORDER, which is freed, and keeps at most LIMIT.
 */
static size_t order_apply(void *items, size_t size, size_t count, uint32_t *order, size_t limit)
{
	size_t kept = limit && limit < count ? limit : count;
	char *sorted = mem_array(kept, size);

	for (size_t i = 0; i < kept; i++)
		memcpy(sorted + i * size, (char *)items + order[i] * size, size);
	if (kept)
		memcpy(items, sorted, kept * size);
	free(sorted);
	free(order);
	return kept;
}

static void processes_sort(struct build *b)
{
	struct rows *r = b->rows;
	struct sort_rows rows = { r->process_count, process_fill, process_tie, b };
	uint32_t *order = sort_order(&rows, b->request->process_sort);

	r->process_count = order_apply(r->processes, sizeof(*r->processes), r->process_count, order,
				       b->request->tree ? 0 : b->request->limit_processes);
}

/*
 * The parent entry of P, or NULL.  The kernel gives orphans to pid 1 or to a subreaper.  Pid 1
 * stands for a new parent that was not read yet, and for one that has ended since.
 */
static const struct process_entry *parent_find(const struct map *by_pid,
					       const struct snapshot_process *p)
{
	const struct process_entry *parent = p->ppid ? map_find(by_pid, p->ppid) : NULL;

	if (parent || !p->pid || p->pid == INIT_PID || p->kernel || (!p->ppid && !p->exited))
		return parent;
	return map_find(by_pid, INIT_PID);
}

/* The index of each entry's parent; its own if the parent is missing. */
static uint32_t *parents_find(const struct rows *r)
{
	uint32_t *parents = mem_array(r->process_count, sizeof(*parents));
	struct map by_pid = { 0 };

	for (size_t i = 0; i < r->process_count; i++) {
		const struct snapshot_process *p = r->processes[i].process;

		if (!p->tid && (!p->exited || !map_find(&by_pid, p->pid)))
			map_put(&by_pid, p->pid, &r->processes[i]);
	}
	for (size_t i = 0; i < r->process_count; i++) {
		const struct process_entry *parent = parent_find(&by_pid, r->processes[i].process);

		parents[i] = parent ? (uint32_t)(parent - r->processes) : (uint32_t)i;
	}
	map_fini(&by_pid);
	return parents;
}

/* Removes entries that neither pass the filters nor are ancestors of one that does. */
static void ancestors_keep(struct rows *r, uint32_t *parents)
{
	unsigned char *kept = mem_alloc(r->process_count);
	uint32_t *numbers = mem_array(r->process_count, sizeof(*numbers));
	size_t count = 0;

	for (size_t i = 0; i < r->process_count; i++) {
		for (size_t at = i; r->processes[i].passes && !kept[at]; at = parents[at])
			kept[at] = 1;
	}
	for (size_t i = 0; i < r->process_count; i++) {
		numbers[i] = (uint32_t)count;
		count += kept[i];
	}
	for (size_t i = 0, to = 0; i < r->process_count; i++) {
		if (!kept[i])
			continue;
		r->processes[to] = r->processes[i];
		parents[to++] = numbers[parents[i]];
	}
	r->process_count = count;
	free(kept);
	free(numbers);
}

/* With a zoom only descendants of its process pass. */
static void descendants_pass(const struct build *b, const uint32_t *parents)
{
	struct rows *r = b->rows;

	for (size_t i = 0; i < r->process_count; i++) {
		size_t at = i, steps = 0;

		while (r->processes[at].process->serial != b->request->zoom_process &&
		       parents[at] != at && steps++ < r->process_count)
			at = parents[at];
		r->processes[i].passes &=
			r->processes[at].process->serial == b->request->zoom_process;
	}
}

/* Notes the serials of processes that pass: their samples are shown. */
static void processes_choose(struct build *b)
{
	struct rows *r = b->rows;
	uint32_t *parents;

	if (b->request->tree && b->request->zoomed) {
		parents = parents_find(r);
		descendants_pass(b, parents);
		free(parents);
	}
	map_fini(&r->shown);
	for (size_t i = 0; rows_filtered(b->request) && i < r->process_count; i++) {
		if (r->processes[i].passes)
			map_put(&r->shown, r->processes[i].process->serial, r);
	}
}

/* A tree keeps the ancestors of processes that pass, without their samples. */
static void processes_share(struct build *b)
{
	struct rows *r = b->rows;

	samples_count(b, true);
	r->shares = rows_shares(r, b->snapshot, b->request);
	for (size_t i = 0; i < r->process_count; i++) {
		struct process_entry *e = &r->processes[i];
		const struct tally *t = tally_of(b, e->process->serial, e->process->tid);

		e->samples = e->process->sampled ? t->all.now : NAN;
		e->base_samples = t->all.base;
		e->shown = e->passes && e->process->sampled ? t->shown.now : NAN;
		e->samples_percent = share_percent(&r->shares.samples, e->shown);
		e->delta_percent = share_delta(&r->shares.samples, t->shown.now, t->shown.base);
	}
}

static void processes_fold(struct build *b)
{
	struct rows *r = b->rows;
	uint32_t *parents;

	if (b->request->each_ended)
		return;
	parents = b->request->tree ? parents_find(r) : NULL;
	r->process_count =
		ended_fold(&r->ended, b->snapshot, r->processes, r->process_count, parents);
	free(parents);
}

static bool is_folded(const void *context, size_t item)
{
	const struct build *b = context;

	return b->request->folded &&
	       map_find(b->request->folded, b->rows->processes[item].process->serial);
}

static void processes_arrange(struct build *b)
{
	struct rows *r = b->rows;
	uint32_t *parents = parents_find(r), *order;
	struct tree_request request = { .parents = parents, .folded = is_folded, .context = b };
	struct tree_place *places;

	ancestors_keep(r, parents);
	request.count = r->process_count;
	order = mem_array(request.count, sizeof(*order));
	places = mem_array(request.count, sizeof(*places));
	r->process_count = tree_arrange(&request, order, places);
	r->process_count = order_apply(r->processes, sizeof(*r->processes), r->process_count, order,
				       b->request->limit_processes);
	for (size_t i = 0; i < r->process_count; i++)
		r->processes[i].place = places[i];
	free(places);
	free(parents);
}

#define DELETED " (deleted)"

size_t rows_mapping_size(const char *path)
{
	size_t size = strlen(path), tail = sizeof(DELETED) - 1;

	return size > tail && !strcmp(path + size - tail, DELETED) ? size - tail : size;
}

static bool symbol_hidden(const struct snapshot *s, const struct rows_request *q, uint32_t frame)
{
	uint8_t flags = frame_flags(s->frames, frame);

	if (flags & FRAME_OTHERS) /* both */
		return false;
	return flags & FRAME_KERNEL ? q->hide_kernel : q->hide_user;
}

static bool has_data(const struct snapshot *s, uint32_t data, const char *path)
{
	const char *own = data ? frame_object_path(s->frames, data) : "";
	size_t size = rows_mapping_size(path);

	return data && rows_mapping_size(own) == size && !memcmp(own, path, size);
}

bool rows_cell_passes(const struct rows *r, const struct snapshot *s, const struct rows_request *q,
		      const struct snapshot_cell *c)
{
	if (rows_filtered(q) ? !map_find(&r->shown, c->process) : !in_zoom(q, c->process, c->tid))
		return false;
	if (symbol_hidden(s, q, c->frame))
		return false;
	if (q->object_path && frame_object_path(s->frames, c->frame) != q->object_path)
		return false;
	if (!on_cpus(q, c) || !in_groups(q, c->group))
		return false;
	return !q->data_path || has_data(s, c->data, q->data_path);
}

struct shares rows_shares(const struct rows *r, const struct snapshot *s,
			  const struct rows_request *q)
{
	const double none = q->base ? 0 : NAN;
	struct shares sums = { { 0, none }, { 0, none } };

	for (int base = 0; base <= (q->base != NULL); base++) {
		const struct snapshot *from = base ? q->base : s;

		for (size_t i = 0; i < from->cell_count; i++) {
			const struct snapshot_cell *c = &from->cells[i];

			if (c->event != q->event || (!q->of_all && !rows_cell_passes(r, s, q, c)))
				continue;
			*(base ? &sums.samples.base : &sums.samples.now) += c->samples;
			*(base ? &sums.period.base : &sums.period.now) += c->period;
		}
	}
	return sums;
}

const struct snapshot *rows_base(const struct snapshot *base, int event)
{
	for (size_t i = 0; base && i < base->cell_count; i++) {
		if (base->cells[i].event == event && base->cells[i].period > 0)
			return base;
	}
	return NULL;
}

/* The values of row I by event: sampled ones, then credited ones. */
static double *symbol_values(const struct build *b, size_t i)
{
	return b->rows->values + i * 2 * b->snapshot->event_count;
}

static void symbol_values_clear(struct build *b, size_t i)
{
	size_t events = b->snapshot->event_count;
	double *values;

	mem_grow((void **)&b->rows->values, &b->rows->value_capacity, (i + 1) * 2 * events,
		 sizeof(*values));
	values = symbol_values(b, i);
	for (size_t event = 0; event < events; event++) {
		values[event] = b->snapshot->events[event].sampled ? 0 : NAN;
		values[events + event] = NAN;
	}
}

static void symbol_add(struct build *b, const struct snapshot_cell *c, uint32_t process,
		       uint32_t data)
{
	struct rows *r = b->rows;
	const struct tally *t = process ? tally_of(b, process, 0) : NULL;

	mem_grow((void **)&r->symbols, &r->symbol_capacity, r->symbol_count + 1,
		 sizeof(*r->symbols));
	symbol_values_clear(b, r->symbol_count);
	if (b->time) {
		mem_grow((void **)&r->waits, &r->wait_capacity, r->symbol_count + 1,
			 sizeof(*r->waits));
		r->waits[r->symbol_count] = (struct distribution){ 0 };
	}
	r->symbols[r->symbol_count++] = (struct symbol_row){
		.event = (uint16_t)b->request->event,
		.frame = c->frame,
		.data = data,
		.process = process,
		.pid = process ? c->pid : 0,
		.tid = process ? b->request->zoom_tid : 0,
		.comm = t                     ? t->comm
			: process && *c->comm ? c->comm
					      : NULL,
		.lengths = distribution_unknown,
		.woken = b->time && b->snapshot->events[b->request->event].id != EVENT_SYSCALLS,
	};
}

/* The index of the row of C, which is added if it is new. */
static size_t symbol_of(struct build *b, const struct snapshot_cell *c)
{
	uint32_t process = b->request->by_process ? c->process : 0;
	uint32_t data = b->request->by_data ? c->data : 0;
	uint64_t place = (uint64_t)data << 48 ^ (uint64_t)process << 24 ^ c->frame;
	struct index_place at = index_first(&b->symbols, hash_u64(place));

	for (; at.number; index_next(&b->symbols, &at)) {
		const struct symbol_row *row = &b->rows->symbols[at.number - 1];

		if (row->frame == c->frame && row->process == process && row->data == data)
			return at.number - 1;
	}
	symbol_add(b, c, process, data);
	index_enter(&b->symbols, &at, (uint32_t)b->rows->symbol_count);
	return b->rows->symbol_count - 1;
}

/*
 * Adds the increase of counters at samples of the shown event; those of other events' samples lie
 * under their own functions.
 */
static void symbol_credit(const struct build *b, const struct snapshot_cell *c, double *credited)
{
	for (size_t i = 0; c->counters && i < b->snapshot->event_count; i++) {
		if (!isnan(c->counters[i]))
			credited[i] = (isnan(credited[i]) ? 0 : credited[i]) + c->counters[i];
	}
}

static void symbol_count(struct build *b, const struct snapshot_cell *c)
{
	size_t number = symbol_of(b, c);
	struct symbol_row *row = &b->rows->symbols[number];
	double *values = symbol_values(b, number);

	values[c->event] += c->period;
	if (c->event != b->request->event)
		return;
	row->samples += c->samples;
	row->period += c->period;
	row->longest = fmax(row->longest, c->longest);
	if (b->time)
		distribution_add_cell(&b->rows->waits[number], c->wait, c->samples, c->longest);
	symbol_credit(b, c, values + b->snapshot->event_count);
}

static void symbols_fold_base(struct build *b)
{
	const struct snapshot *base = b->request->base;

	for (size_t i = 0; base && b->request->event >= 0 && i < base->cell_count; i++) {
		const struct snapshot_cell *c = &base->cells[i];
		size_t number;

		if (c->event != b->request->event ||
		    !rows_cell_passes(b->rows, b->snapshot, b->request, c))
			continue;
		number = symbol_of(b, c); /* first, because it may move the rows */
		b->rows->symbols[number].base += c->period;
	}
}

static void symbols_fold(struct build *b)
{
	const struct snapshot *base = b->request->base;
	size_t events = b->snapshot->event_count;
	struct rows *r = b->rows;

	b->time = b->request->event >= 0 && b->snapshot->events[b->request->event].time;
	index_reset(&b->symbols, b->snapshot->cell_count + (base ? base->cell_count : 0));
	r->symbol_count = 0;
	for (size_t i = 0; b->request->event >= 0 && i < b->snapshot->cell_count; i++) {
		const struct snapshot_cell *c = &b->snapshot->cells[i];

		if (c->event < events && rows_cell_passes(r, b->snapshot, b->request, c))
			symbol_count(b, c);
	}
	symbols_fold_base(b);
	for (size_t i = 0; i < r->symbol_count; i++) {
		r->symbols[i].sampled = symbol_values(b, i);
		r->symbols[i].credited = symbol_values(b, i) + events;
		if (b->time) {
			r->symbols[i].waits = &r->waits[i];
			r->symbols[i].lengths = distribution_facts(&r->waits[i]);
		}
	}
	index_fini(&b->symbols);
}

/* The whole of the event latency; NAN: it is not measured. */
static double latency_whole(const struct build *b, int event)
{
	struct rows_request q = *b->request;

	q.event = event;
	q.base = NULL;
	return event < 0 ? NAN : rows_shares(b->rows, b->snapshot, &q).period.now;
}

static bool symbol_passes(const struct build *b, const struct symbol_row *row)
{
	const char *text = b->request->symbol_text;

	if (!(row->samples > 0) && !(row->period > 0) && !(row->base > 0))
		return false;
	return !text || rows_symbol_matches(b->snapshot, row, text);
}

static void symbols_filter(struct build *b)
{
	int latency = b->snapshot->counter_event[EVENT_LATENCY];
	const struct share_sum whole = { latency_whole(b, latency), NAN };
	struct rows *r = b->rows;
	size_t kept = 0;

	for (size_t i = 0; i < r->symbol_count; i++) {
		struct symbol_row *row = &r->symbols[i];

		if (!symbol_passes(b, row))
			continue;
		row->overhead_percent = share_percent(&r->shares.period, row->period);
		row->delta_percent = share_delta(&r->shares.period, row->period, row->base);
		row->wall_percent =
			latency < 0 ? NAN : share_percent(&whole, row->sampled[latency]);
		r->symbols[kept++] = *row;
	}
	r->symbol_count = kept;
}

static void symbol_fill(const void *context, size_t i, struct column_row *row)
{
	const struct build *b = context;

	row->snapshot = b->snapshot;
	row->symbol = &b->rows->symbols[i];
	row->delta_percent = row->symbol->delta_percent;
}

static uint64_t symbol_tie(const void *context, size_t i)
{
	const struct symbol_row *row = &((const struct build *)context)->rows->symbols[i];

	return (uint64_t)row->frame << 32 | (row->process ^ row->data << 20);
}

static void symbols_sort(struct build *b)
{
	struct rows *r = b->rows;
	struct sort_rows rows = { r->symbol_count, symbol_fill, symbol_tie, b };
	uint32_t *order = sort_order(&rows, b->request->symbol_sort);

	r->symbol_count = order_apply(r->symbols, sizeof(*r->symbols), r->symbol_count, order,
				      b->request->limit_symbols);
}

void rows_build(struct rows *r, const struct snapshot *s, const struct rows_request *request)
{
	struct build b = { .rows = r, .snapshot = s, .request = request };

	tallies_index(&b);
	samples_count(&b, false);
	processes_filter(&b);
	processes_choose(&b);
	processes_share(&b);
	processes_fold(&b);
	processes_sort(&b);
	if (request->tree)
		processes_arrange(&b);
	r->symbol_count = 0;
	if (!request->processes_alone) {
		symbols_fold(&b);
		symbols_filter(&b);
		symbols_sort(&b);
	}
	map_fini(&b.by_key);
	free(b.tallies);
}

void rows_fini(struct rows *r)
{
	mem_free(r->processes, r->symbols, r->gone);
	ended_fini(&r->ended);
	free(r->values);
	free(r->waits);
	map_fini(&r->shown);
	memset(r, 0, sizeof(*r));
}
