/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/lists.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/i18n.h"
#include "view/widget/number.h"
#include "view/list/sort.h"
#include "view/view-state.h"
#include "view/widget/text.h"

void lists_forget(struct view *v)
{
	memset(v->lists->made, 0, sizeof(v->lists->made));
}

void lists_fini(struct lists *l)
{
	rows_fini(&l->rows);
	objects_fini(&l->objects);
	mappings_fini(&l->mappings);
	buf_fini(&l->memory_note);
	flame_fini(&l->flame);
	code_rows_fini(&l->code);
	for (int i = 0; i < 2; i++) {
		calls_state_fini(&l->opened[i]);
		calls_state_fini(&l->opened_around[i]);
	}
	for (int list = 0; list < LISTS; list++) {
		calls_fini(&l->calls[list]);
		free(l->orders[list].items);
	}
}

int list_table(enum list_id list)
{
	return list <= LIST_CODE ? (int)list : CHOICE_CALLS;
}

void lists_make(const struct view *v, enum list_id list)
{
	if (!v->snapshot || v->lists->made[list])
		return;
	list_kinds[list].build(v);
	v->lists->made[list] = true;
}

struct column_row list_row(const struct view *v, enum list_id list, size_t i)
{
	struct column_row row = { .snapshot = v->snapshot };

	list_kinds[list].fill(v, i, &row);
	return row;
}

/* Rows out of an array. */

struct arranged {
	const struct view *v;
	enum list_id list;
	void (*fill)(const void *view, size_t item, struct column_row *row);
};

static size_t ordered_count(const struct view *v, enum list_id list)
{
	return v->lists->orders[list].count;
}

static void item_fill(const void *context, size_t i, struct column_row *row)
{
	const struct arranged *a = context;

	row->snapshot = a->v->snapshot;
	a->fill(a->v, a->v->lists->orders[a->list].items[i], row);
}

static uint64_t item_tie(const void *context, size_t i)
{
	const struct arranged *a = context;

	return a->v->lists->orders[a->list].items[i];
}

static void items_filter(const struct arranged *a, size_t count)
{
	struct list_order *o = &a->v->lists->orders[a->list];
	const char *text = a->v->filters[list_table(a->list)];

	o->count = 0;
	mem_grow((void **)&o->items, &o->capacity, count + 1, sizeof(*o->items));
	for (size_t i = 0; i < count; i++) {
		struct column_row row = { .snapshot = a->v->snapshot };

		a->fill(a->v, i, &row);
		if (!text || list_kinds[a->list].matches(a->v, &row, text))
			o->items[o->count++] = (uint32_t)i;
	}
}

/* Filters and orders COUNT items, of which FILL tells the row. */
static void items_arrange(const struct view *v, enum list_id list, size_t count,
			  void (*fill)(const void *view, size_t item, struct column_row *row))
{
	const struct arranged a = { v, list, fill };
	struct list_order *o = &v->lists->orders[list];
	struct sort_rows rows = { .row = item_fill, .tie = item_tie, .context = &a };
	size_t limit = list == LIST_CODE ? v->options.limit_code : v->options.limit_symbols;
	uint32_t *order;

	items_filter(&a, count);
	rows.count = o->count;
	order = sort_order(&rows, &v->sort[view_slot(v, list_table(list))]);
	for (size_t i = 0; i < o->count; i++)
		order[i] = o->items[order[i]];
	memcpy(o->items, order, o->count * sizeof(*order));
	free(order);
	if (limit && o->count > limit)
		o->count = limit;
}

/* Processes and symbols. */

static struct rows_request rows_request_of(const struct view *v)
{
	const struct view_kind *kind = v->place.kind;
	const struct view_zoom *zoom = &v->place.zoom;

	return (struct rows_request){
		.event = v->event,
		.threads = view_wants_threads(v),
		.tree = kind->tree,
		.folded = &v->folded,
		.each_ended = v->options.each_ended,
		.hide_kernel = v->options.hide_kernel,
		.hide_user = v->options.hide_user,
		.of_all = v->options.of_all,
		.by_process = choice_per_process(&v->columns[CHOICE_SYMBOLS],
						 &v->sort[CHOICE_SYMBOLS]),
		.by_data = choice_per_data(&v->columns[CHOICE_SYMBOLS], &v->sort[CHOICE_SYMBOLS]),
		.full_command = v->options.full_command,
		.process_text = v->filters[CHOICE_PROCESSES],
		.symbol_text = v->filters[CHOICE_SYMBOLS],
		.pids = v->pids.count ? &v->pids : NULL,
		.user = v->user,
		.zoomed = zoom->on,
		.zoom_process = zoom->process,
		.zoom_tid = zoom->tid,
		.object_path = zoom->object_path,
		.limit_processes = v->options.limit_processes,
		.limit_symbols = v->options.limit_symbols,
		.data_path = zoom->data_path,
		.sort = v->sort,
		.base = view_base(v, v->event),
		.process_sort = &v->sort[view_slot(v, CHOICE_PROCESSES)],
	};
}

static void rows_make(const struct view *v, bool symbols)
{
	struct rows_request request = rows_request_of(v);

	request.processes_alone = !symbols;
	rows_build(&v->lists->rows, v->snapshot, &request);
	v->lists->made[LIST_PROCESSES] = true;
	v->lists->made[LIST_SYMBOLS] = symbols;
}

/* The request for a list of what is sampled, whose processes are known where it chooses them. */
static struct rows_request cells_request_of(const struct view *v)
{
	const struct rows_request request = rows_request_of(v);

	if (rows_filtered(&request))
		lists_make(v, LIST_PROCESSES);
	return request;
}

struct shares lists_shares(const struct view *v, bool of_all)
{
	struct rows_request request = cells_request_of(v);

	request.of_all = of_all;
	return rows_shares(&v->lists->rows, v->snapshot, &request);
}

/* Both together where the view shows both. */
static void processes_build(const struct view *v)
{
	rows_make(v, view_has_pane(v, PANE_SYMBOLS));
}

static void symbols_build(const struct view *v)
{
	rows_make(v, true);
}

static size_t processes_count(const struct view *v)
{
	return v->lists->rows.process_count;
}

static size_t symbols_count(const struct view *v)
{
	return v->lists->rows.symbol_count;
}

static void process_fill(const void *view, size_t i, struct column_row *row)
{
	const struct view *v = view;
	const struct process_entry *e = &v->lists->rows.processes[i];

	row->process = e->process;
	row->ended = e->process->exited;
	row->samples = e->samples;
	row->base_samples = e->base_samples;
	row->shown = e->shown;
	row->samples_percent = e->samples_percent;
	row->delta_percent = e->delta_percent;
	row->full_command = v->options.full_command;
	row->place = v->place.kind->tree ? &e->place : NULL;
}

static void symbol_fill(const void *view, size_t i, struct column_row *row)
{
	const struct view *v = view;

	row->symbol = &v->lists->rows.symbols[i];
}

static uint64_t process_key(const struct view *v, size_t i)
{
	return rows_process_key(&v->lists->rows.processes[i]);
}

static uint64_t symbol_key(const struct view *v, size_t i)
{
	const struct symbol_row *s = &v->lists->rows.symbols[i];

	return (uint64_t)s->process << 32 | s->frame;
}

static bool process_matches(const struct view *v, const struct column_row *row, const char *text)
{
	return rows_process_matches(row->process, text, v->options.full_command);
}

static bool symbol_matches(const struct view *v, const struct column_row *row, const char *text)
{
	return rows_symbol_matches(v->snapshot, row->symbol, text);
}

static const char *processes_empty(const struct view *v)
{
	if (v->place.zoom.on)
		return _("ended");
	return v->lists->rows.process_total ? _("no process passes the filter") : _("no process");
}

static const char *samples_empty(const struct view *v)
{
	const struct snapshot *s = v->snapshot;

	if (v->event >= 0 && s->events[v->event].error)
		return s->events[v->event].error;
	if (v->event >= 0)
		return s->interval_s > 0 ? _("no samples") : _("measuring");
	if (v->event_due)
		return _("not measured: start with --view or -e");
	return s->sampling.tier_reason && *s->sampling.tier_reason ? s->sampling.tier_reason
								    : _("nothing is sampled");
}

/* Events. */

/* Of event number I in a second; NAN: not counted. */
static double event_rate(const struct snapshot *s, size_t i)
{
	return i < s->event_count ? number_divide(s->events[i].value, s->interval_s) : NAN;
}

static void event_fill(const void *view, size_t item, struct column_row *row)
{
	const struct view *v = view;
	double base = v->base ? event_rate(v->base, item) : NAN;

	row->event = &v->snapshot->events[item];
	row->delta_percent = 100 * number_divide(event_rate(v->snapshot, item) - base, base);
}

static void events_build(const struct view *v)
{
	items_arrange(v, LIST_EVENTS, v->snapshot->event_count, event_fill);
}

static size_t events_count(const struct view *v)
{
	return ordered_count(v, LIST_EVENTS);
}

static void event_row_fill(const void *view, size_t i, struct column_row *row)
{
	event_fill(view, ((const struct view *)view)->lists->orders[LIST_EVENTS].items[i], row);
}

static uint64_t event_key(const struct view *v, size_t i)
{
	return v->lists->orders[LIST_EVENTS].items[i];	/* an event keeps its number */
}

static bool event_matches(const struct view *v, const struct column_row *row, const char *text)
{
	(void)v;
	return text_contains(row->event->name, text);
}

static const char *events_empty(const struct view *v)
{
	return v->filters[CHOICE_EVENTS] ? _("no event passes the filter") : _("no event");
}

/* Objects. */

static void object_fill(const void *view, size_t item, struct column_row *row)
{
	row->object = &((const struct view *)view)->lists->objects.rows[item];
}

static void objects_make(const struct view *v)
{
	const struct rows_request request = cells_request_of(v);

	objects_build(&v->lists->objects, v->snapshot, &v->lists->rows, &request);
	items_arrange(v, LIST_OBJECTS, v->lists->objects.count, object_fill);
}

static size_t objects_count(const struct view *v)
{
	return ordered_count(v, LIST_OBJECTS);
}

static void object_row_fill(const void *view, size_t i, struct column_row *row)
{
	object_fill(view, ((const struct view *)view)->lists->orders[LIST_OBJECTS].items[i],
		    row);
}

static uint64_t object_key(const struct view *v, size_t i)
{
	const struct object_row *row =
		&v->lists->objects.rows[v->lists->orders[LIST_OBJECTS].items[i]];

	return (uint64_t)(uintptr_t)row->path ^ (uint64_t)row->object << 48;
}

static bool object_matches(const struct view *v, const struct column_row *row, const char *text)
{
	(void)v;
	return text_contains(row->object->path, text) || text_contains(row->object->name, text);
}

/* Mappings. */

#define MEMORY_OLD_S 2		/* what is younger is as good as of now */

static void mapping_fill(const void *view, size_t item, struct column_row *row)
{
	row->mapping = &((const struct view *)view)->lists->mappings.rows[item];
}

static void add_bytes(struct buf *out, const char *title, int64_t bytes)
{
	char text[32] = "-";

	if (bytes >= 0)
		number_bytes(text, (double)bytes);
	buf_printf(out, "%s%s %s", out->size ? "  " : "", title, text);
}

/* The process in all, and how old that is; or why it is not known. */
static void memory_describe(const struct view *v, struct buf *out)
{
	const struct snapshot_memory *m = &v->snapshot->memory;
	const char *missing = m->missing ? m->missing : m->mappings_missing;

	buf_clear(out);
	if (!m->process || view_memory_process(v) != m->process)
		return;
	if (!m->missing) {
		add_bytes(out, "RSS", m->usage.resident);
		add_bytes(out, "PSS", m->usage.proportional);
		add_bytes(out, "SWAP", m->usage.swap);
		if (m->age_s >= MEMORY_OLD_S)
			buf_printf(out, _(", %.0f s old"), m->age_s);
		if (m->mappings_age_s >= MEMORY_OLD_S)
			buf_printf(out, _(", mappings %.0f s"), m->mappings_age_s);
	}
	if (missing)
		buf_printf(out, "%s%s", out->size ? ", " : "", missing);
}

static void mappings_make(const struct view *v)
{
	struct rows_request request = cells_request_of(v);
	bool held = view_memory_process(v) && view_memory_process(v) == v->snapshot->memory.process;

	request.base = view_base(v, mappings_event(v->snapshot, EVENT_PAGE_FAULTS));
	memory_describe(v, &v->lists->memory_note);
	mappings_build(&v->lists->mappings, v->snapshot, &v->lists->rows, &request, held);
	items_arrange(v, LIST_MAPPINGS, v->lists->mappings.count, mapping_fill);
}

static size_t mappings_count(const struct view *v)
{
	return ordered_count(v, LIST_MAPPINGS);
}

static void mapping_row_fill(const void *view, size_t i, struct column_row *row)
{
	mapping_fill(view, ((const struct view *)view)->lists->orders[LIST_MAPPINGS].items[i],
		     row);
}

static uint64_t mapping_key(const struct view *v, size_t i)
{
	const char *path = list_row(v, LIST_MAPPINGS, i).mapping->path;

	return hash_bytes(path, rows_mapping_size(path));
}

static bool mapping_matches(const struct view *v, const struct column_row *row, const char *text)
{
	(void)v;
	return text_contains(row->mapping->path, text) || text_contains(row->mapping->name, text);
}

static const char *mappings_empty(const struct view *v)
{
	if (v->filters[CHOICE_MAPPINGS])
		return _("no mapping passes the filter");
	return mappings_event(v->snapshot, EVENT_PAGE_FAULTS) < 0 ? samples_empty(v)
							       : _("no page faults");
}

/* Stacks. */

#define OPEN_PERCENT	   5		/* of all: a branch that is open at first */
#define OPEN_PERCENT_BATCH 0.5		/* where nobody can open any */

static struct calls_request calls_request_of(const struct view *v, const struct rows_request *rows)
{
	return (struct calls_request){
		.snapshot = v->snapshot, .rows = &v->lists->rows, .filters = rows,
		.text = v->filters[CHOICE_CALLS], .sort = &v->sort[CHOICE_CALLS],
	};
}

static bool is_bottom_up(const struct view *v, enum list_id list)
{
	return list == LIST_CALLS ? v->place.kind->bottom_up : list == LIST_CALLERS;
}

struct calls_state *lists_opened(const struct view *v, enum list_id list)
{
	if (list == LIST_CALLS)
		return &v->lists->opened[is_bottom_up(v, list)];
	return &v->lists->opened_around[is_bottom_up(v, list)];
}

/* Around a function only what somebody opens is open: the two lists are about who is next to it. */
static struct calls_tree calls_tree_of(const struct view *v, enum list_id list)
{
	const bool all = list == LIST_CALLS;

	return (struct calls_tree){
		.bottom_up = is_bottom_up(v, list),
		.frame = all ? FRAME_NONE : v->place.focus,
		.open_percent = !all		   ? INFINITY
				: v->options.batch ? OPEN_PERCENT_BATCH
						   : OPEN_PERCENT,
		.state = lists_opened(v, list),
		.limit = v->options.limit_symbols,
	};
}

static void tree_build(const struct view *v, enum list_id list)
{
	const struct rows_request rows = cells_request_of(v);
	const struct calls_request request = calls_request_of(v, &rows);
	const struct calls_tree tree = calls_tree_of(v, list);

	calls_build_tree(&v->lists->calls[list], &request, &tree);
}

void lists_fold_calls(const struct view *v, enum list_id list, size_t i)
{
	const struct rows_request rows = cells_request_of(v);
	const struct calls_request request = calls_request_of(v, &rows);
	const struct calls_tree tree = calls_tree_of(v, list);

	calls_rows_below(&v->lists->calls[list], &request, &tree, i);
}

size_t lists_find_call(const struct view *v, enum list_id list, struct calls_search *search)
{
	const struct rows_request rows = cells_request_of(v);
	const struct calls_request request = calls_request_of(v, &rows);
	const struct calls_tree tree = calls_tree_of(v, list);

	return calls_find(&v->lists->calls[list], &request, &tree, search);
}

void lists_all_processes(const struct view *v, struct rows *all)
{
	struct rows_request request = rows_request_of(v);

	request.folded = NULL;
	request.processes_alone = true;
	rows_build(all, v->snapshot, &request);
}

static void calls_build(const struct view *v)
{
	tree_build(v, LIST_CALLS);
}

/* Without stacks nothing is known around a function. */
static void around_build(const struct view *v, enum list_id list)
{
	if (v->snapshot->node_count && v->place.focus)
		tree_build(v, list);
	else
		v->lists->calls[list].count = 0;
}

static void callers_build(const struct view *v)
{
	around_build(v, LIST_CALLERS);
}

static void callees_build(const struct view *v)
{
	around_build(v, LIST_CALLEES);
}

#define COLUMNS_BEFORE_DRAWING 80

void lists_layout_flame(const struct view *v, int columns)
{
	struct lists *l = v->lists;

	l->flame_columns = columns;
	flame_layout(&l->flame, v->snapshot, &v->place.path, columns, v->highlight);
}

static void flame_make(const struct view *v)
{
	const struct rows_request rows = cells_request_of(v);
	const struct calls_request request = calls_request_of(v, &rows);
	int columns = v->lists->flame_columns;

	flame_build(&v->lists->flame, &request, v->highlight);
	lists_layout_flame(v, columns ? columns : COLUMNS_BEFORE_DRAWING);
}

static size_t boxes_count(const struct view *v)
{
	return v->lists->flame.count;
}

static void box_row_fill(const void *view, size_t i, struct column_row *row)
{
	row->call = &((const struct view *)view)->lists->flame.boxes[i].row;
}

static uint64_t box_key(const struct view *v, size_t i)
{
	return v->lists->flame.boxes[i].row.key;
}

static size_t calls_count(const struct view *v)
{
	return v->lists->calls[LIST_CALLS].count;
}

static size_t callers_count(const struct view *v)
{
	return v->lists->calls[LIST_CALLERS].count;
}

static size_t callees_count(const struct view *v)
{
	return v->lists->calls[LIST_CALLEES].count;
}

static void tree_fill(const struct view *v, enum list_id list, size_t i, struct column_row *row)
{
	row->call = calls_row(&v->lists->calls[list], i);
	row->place = &row->call->place;
}

static void call_row_fill(const void *view, size_t i, struct column_row *row)
{
	tree_fill(view, LIST_CALLS, i, row);
}

static void caller_row_fill(const void *view, size_t i, struct column_row *row)
{
	tree_fill(view, LIST_CALLERS, i, row);
}

static void callee_row_fill(const void *view, size_t i, struct column_row *row)
{
	tree_fill(view, LIST_CALLEES, i, row);
}

static uint64_t call_key(const struct view *v, size_t i)
{
	return v->lists->calls[LIST_CALLS].lines[i].key;
}

static uint64_t caller_key(const struct view *v, size_t i)
{
	return v->lists->calls[LIST_CALLERS].lines[i].key;
}

static uint64_t callee_key(const struct view *v, size_t i)
{
	return v->lists->calls[LIST_CALLEES].lines[i].key;
}

static bool call_matches(const struct view *v, const struct column_row *row, const char *text)
{
	uint32_t frame = row->call->frame;

	return text_contains(frame_symbol(v->snapshot->frames, frame), text) ||
	       text_contains(frame_object_name(v->snapshot->frames, frame), text);
}

static const char *calls_empty(const struct view *v)
{
	return v->filters[CHOICE_CALLS] ? _("no stack passes the filter") : samples_empty(v);
}

static const char *around_empty(const struct view *v)
{
	if (v->event < 0)
		return samples_empty(v);
	if (!v->snapshot->node_count)
		return _("no stacks: start with -g");
	return v->filters[CHOICE_CALLS] ? _("no stack passes the filter") : _("none");
}

/* Instructions and source lines. */

static void code_item(const void *view, size_t item, struct column_row *row)
{
	row->code = &((const struct view *)view)->lists->code.rows[item];
}

static bool is_function_there(const struct view *v)
{
	return v->place.focus && v->snapshot->function.frame == v->place.focus;
}

static bool is_whole_and_ordered(const struct view *v)
{
	const struct list_order *o = &v->lists->orders[LIST_CODE];

	for (size_t i = 0; i < o->count; i++) {
		if (o->items[i] != i)
			return false;
	}
	return o->count == v->lists->code.count;
}

static void code_build(const struct view *v)
{
	const struct rows_request rows = cells_request_of(v);
	const struct code_request request = { .snapshot = v->snapshot, .rows = &v->lists->rows,
					      .filters = &rows, .mode = v->place.code_mode };
	struct code_rows *c = &v->lists->code;

	c->count = 0;
	if (is_function_there(v))
		code_rows_build(c, &request);
	items_arrange(v, LIST_CODE, c->count, code_item);
	v->lists->code_ordered = is_whole_and_ordered(v);
}

static size_t code_count(const struct view *v)
{
	return ordered_count(v, LIST_CODE);
}

static void code_row_fill(const void *view, size_t i, struct column_row *row)
{
	const struct view *v = view;

	code_item(view, v->lists->orders[LIST_CODE].items[i], row);
	row->scattered = !v->lists->code_ordered;
}

/* A line's first instruction has another key. */
static uint64_t code_key(const struct view *v, size_t i)
{
	const struct code_row *row = list_row(v, LIST_CODE, i).code;

	return row->address << 1 | row->is_line;
}

static bool code_matches(const struct view *v, const struct column_row *row, const char *text)
{
	const struct code_row *r = row->code;

	(void)v;
	return (r->instruction && !r->is_line && text_contains(r->instruction->text, text)) ||
	       (r->is_line && r->line->text && text_contains(r->line->text, text)) ||
	       (r->is_line && text_contains(r->line->label, text)) || text_contains(r->hex, text);
}

static const char *code_empty(const struct view *v)
{
	const struct snapshot_function *f = &v->snapshot->function;

	if (v->filters[CHOICE_CODE] && v->lists->code.count)
		return _("no instruction passes the filter");
	if (v->event >= 0 && v->snapshot->events[v->event].time)
		return _("time has no addresses: Tab shows another event");
	if (!v->place.focus)
		return samples_empty(v);
	if (!is_function_there(v))
		return _("measuring");
	return f->loading ? _("its code is being read") :
	       *f->missing ? f->missing : _("no samples");
}

const struct list_kind list_kinds[LISTS] = {
	[LIST_PROCESSES] = { processes_build, processes_count, process_fill, process_key,
			     process_matches, processes_empty },
	[LIST_SYMBOLS] = { symbols_build, symbols_count, symbol_fill, symbol_key, symbol_matches,
			   samples_empty },
	[LIST_EVENTS] = { events_build, events_count, event_row_fill, event_key, event_matches,
			  events_empty },
	[LIST_OBJECTS] = { objects_make, objects_count, object_row_fill, object_key,
			   object_matches, samples_empty },
	[LIST_MAPPINGS] = { mappings_make, mappings_count, mapping_row_fill, mapping_key,
			    mapping_matches, mappings_empty },
	[LIST_CALLS] = { calls_build, calls_count, call_row_fill, call_key, call_matches,
			 calls_empty },
	[LIST_CODE] = { code_build, code_count, code_row_fill, code_key, code_matches,
			code_empty },
	[LIST_CALLERS] = { callers_build, callers_count, caller_row_fill, caller_key, call_matches,
			   around_empty },
	[LIST_CALLEES] = { callees_build, callees_count, callee_row_fill, callee_key, call_matches,
			   around_empty },
	[LIST_FLAME] = { flame_make, boxes_count, box_row_fill, box_key, call_matches,
			 calls_empty },
};
