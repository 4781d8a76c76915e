/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/view-state.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/i18n.h"
#include "view/list/columns.h"

#define PAGE_BEFORE_DRAWING 50

static bool same_columns(const struct choice_columns *a, const struct choice_columns *b)
{
	return a->count == b->count && !memcmp(a->items, b->items, a->count * sizeof(*a->items));
}

static bool same_sort(const struct choice_sort *a, const struct choice_sort *b)
{
	if (a->count != b->count)
		return false;
	for (size_t i = 0; i < a->count; i++) {
		if (a->keys[i].column != b->keys[i].column ||
		    a->keys[i].descending != b->keys[i].descending)
			return false;
	}
	return true;
}

static int process_table(void)
{
	return list_table(&list_processes);
}

/* Sets up the process columns of views that have their own, unless a person chose columns. */
static int slot_fill(struct view *v, const struct view_options *options, struct error *err)
{
	const struct view_kind *kind = view_kinds;
	struct choice_columns columns[CHOICE_TABLES];
	struct choice_sort sort[CHOICE_TABLES];
	int table = process_table();

	v->columns[CHOICE_TABLES] = v->columns[table];
	v->sort[CHOICE_TABLES] = v->sort[table];
	while (!kind->columns)
		kind++;
	if (choice_columns_parse(columns, "", v->custom, err))
		return -1;
	if (same_columns(&columns[table], &v->columns[table])) {
		if (choice_columns_parse(columns, kind->columns, v->custom, err))
			return -1;
		columns[table].wanted = 0;
		v->columns[CHOICE_TABLES] = columns[table];
	}
	choice_sort_default(sort, v->custom);
	if (!options->sort || same_sort(&sort[table], &v->sort[table])) {
		if (choice_sort_parse(sort, kind->sort, table, v->custom, err))
			return -1;
		v->sort[CHOICE_TABLES] = sort[table];
	}
	return 0;
}

struct view *view_new(const struct view_options *options, struct error *err)
{
	struct view *v = mem_alloc(sizeof(*v));

	v->options = *options;
	v->event = v->event_before = -1;
	v->cpu_level = options->cpu_level ? (enum cpu_level)cpu_level_find(options->cpu_level)
					  : CPU_LEVEL_AUTO;
	v->meter =
		options->cpu_meter ? (enum cpu_meter)cpu_meter_find(options->cpu_meter) : METER_ONE;
	lists_init(&v->lists);
	v->place.kind = options->view ? view_kind_find(options->view) : view_kinds;
	for (size_t i = 0; i < LISTS_MAX; i++)
		v->cursors[i].page = PAGE_BEFORE_DRAWING;
	v->custom = custom_new(options->event_names);
	choice_sort_default(v->sort, v->custom);
	if (!v->place.kind) {
		error_set(err, _("unknown view '%s'"), options->view);
		v->place.kind = view_kinds;
		view_free(v);
		return NULL;
	}
	v->place.pane = v->place.kind->panes[0];
	v->place.event_of = v->place.kind->event != EVENT_OTHER ? v->place.kind : NULL;
	v->event_due = v->place.event_of;
	v->hottest_due = v->place.kind->code;
	if (choice_columns_parse(v->columns, options->columns ? options->columns : "", v->custom,
				 err) ||
	    choice_sort_parse(v->sort, options->sort ? options->sort : "", process_table(),
			      v->custom, err)) {
		view_free(v);
		return NULL;
	}
	if (slot_fill(v, options, err) || !view_set_meters(v, options->meters, err)) {
		view_free(v);
		return NULL;
	}
	for (int slot = 0; options->reverse && slot < CHOICE_SLOTS; slot++)
		choice_sort_reverse(&v->sort[slot]);
	return v;
}

static void base_release(struct view *v)
{
	if (v->base != v->snapshot && !v->base_borrowed)
		snapshot_free(v->base);
}

void view_free(struct view *v)
{
	if (!v)
		return;
	base_release(v);
	snapshot_free(v->snapshot);
	free(v->base_name);
	lists_fini(&v->lists);
	cpu_past_fini(&v->cpu_past);
	number_list_fini(&v->pids);
	bar_fini(&v->bar);
	custom_free(v->custom);
	way_fini(v);
	map_fini(&v->folded);
	map_fini(&v->tags);
	free(v->cpus);
	map_fini(&v->groups);
	search_fini(&v->search);
	for (size_t i = 0; i < LISTS_MAX; i++) {
		buf_fini(&v->empty_text[i]);
		buf_fini(&v->note_text[i]);
	}
	for (int table = 0; column_table(table); table++)
		free(v->filters[table]);
	mem_free(v->user, v->highlight, v->message, v->mode_text, v->push_text, v);
}

/* Replaces the owned *TEXT; "" becomes NULL.  Returns true if it changed. */
static bool text_replace(char **text, const char *with)
{
	if (with && !*with)
		with = NULL;
	if (*text == with || (*text && with && !strcmp(*text, with)))
		return false;
	free(*text);
	*text = with ? mem_strdup(with) : NULL;
	return true;
}

static bool event_sampled(const struct snapshot *s, int event, bool enabled)
{
	return event >= 0 && (size_t)event < s->event_count && s->events[event].sampled &&
	       !s->events[event].removed && (!enabled || s->events[event].enabled);
}

/*
 * The index of event ID, preferably without modifiers; a recording may only have "page-faults:u".
 */
static int event_that_is(const struct snapshot *s, enum event_id id)
{
	int found = -1;

	for (size_t i = 0; i < s->event_count; i++) {
		const struct snapshot_event *e = &s->events[i];

		if (e->id != id || !event_sampled(s, (int)i, false))
			continue;
		if (!e->exclude_user && !e->exclude_kernel)
			return (int)i;
		if (found < 0)
			found = (int)i;
	}
	return found;
}

/*
 * Keeps the event while it is sampled; otherwise takes the first one that is on, or the first.  A
 * view with an event of its own shows no other one in its place.
 */
static void event_settle(struct view *v)
{
	const struct snapshot *s = v->snapshot;

	if (!v->event_due && event_sampled(s, v->event, false) &&
	    (v->place.event_of || !s->events[v->event].error))
		return;
	if (v->place.event_of) {
		v->event = event_that_is(s, v->place.event_of->event);
		v->event_due = v->event < 0;
		return;
	}
	for (int enabled = 1; enabled >= 0; enabled--) {
		for (size_t i = 0; i < s->event_count; i++) {
			v->event = (int)i;
			if (event_sampled(s, v->event, enabled))
				return;
		}
	}
	v->event = -1;
}

/* Returns true if KIND chose the shown event and nobody chose another one since. */
static bool event_is_of(const struct view *v, const struct view_kind *kind)
{
	const struct snapshot *s = v->snapshot;

	if (v->event_due || !s || v->event < 0)
		return true;
	return s->events[v->event].id == kind->event || s->events[v->event].id == kind->also;
}

void view_event_follow(struct view *v, const struct view_kind *before)
{
	const struct view_kind *now = v->place.event_of;

	if (now == before)
		return;
	if (!before)
		v->event_before = v->event;
	else if (!now && event_is_of(v, before))
		v->event = v->event_before;
	v->event_due = now;
}

bool view_has_pane(const struct view *v, const struct list_kind *pane)
{
	const struct view_kind *kind = v->place.kind;

	for (size_t i = 0; i < kind->pane_count; i++) {
		if (kind->panes[i] == pane)
			return true;
	}
	return false;
}

/*
 * Returns true if nobody chose a function, or if the chosen frame stood for an object whose symbols
 * were being loaded.  A start chooses none.
 */
static bool needs_focus(const struct view *v)
{
	uint32_t focus = v->place.focus;

	return v->place.kind->of_function && !snapshot_is_start(v->snapshot) &&
	       (!focus || frame_flags(v->snapshot->frames, focus) & FRAME_PENDING);
}

/*
 * The function that the collector chose, otherwise the one with the largest share; a frame with its
 * name.
 */
static uint32_t first_function(struct view *v)
{
	uint32_t frame = v->place.kind->code ? v->snapshot->function.frame : FRAME_NONE;

	if (!frame && view_list_count(v, &list_symbols))
		frame = view_list_row(v, &list_symbols, 0).symbol->frame;
	if (frame && frame_flags(v->snapshot->frames, frame) & FRAME_PENDING)
		return FRAME_NONE;
	return frame;
}

/* Columns of TABLE that nobody counts would be empty.  They are shown when a person asked for them. */
static void choose_counted_columns(struct view *v, int table)
{
	const struct choice_columns *all = &v->columns[table];
	uint32_t shown = column_counted(v->snapshot) | all->wanted;

	v->counted_columns.count = 0;
	for (size_t i = 0; i < all->count; i++) {
		if (!(all->items[i]->needs & ~shown))
			v->counted_columns.items[v->counted_columns.count++] = all->items[i];
	}
}

static struct rows_request request_of(const struct view *v)
{
	const struct view_zoom *zoom = &v->place.zoom;
	int processes = process_table(), symbols = list_table(&list_symbols);

	return (struct rows_request){
		.event = v->event,
		.threads = view_wants_threads(v),
		.tree = v->place.kind->tree,
		.folded = &v->folded,
		.each_ended = v->options.each_ended,
		.hide_kernel = v->options.hide_kernel,
		.hide_user = v->options.hide_user,
		.of_all = v->options.of_all,
		.by_process = choice_per_process(&v->columns[symbols], &v->sort[symbols]),
		.by_data = choice_per_data(&v->columns[symbols], &v->sort[symbols]),
		.full_command = v->options.full_command,
		.process_text = v->filters[processes],
		.symbol_text = v->filters[symbols],
		.pids = v->pids.count ? &v->pids : NULL,
		.user = v->user,
		.zoomed = zoom->on,
		.zoom_process = zoom->process,
		.zoom_tid = zoom->tid,
		.object_path = zoom->object_path,
		.data_path = zoom->data_path,
		.cpus = zoom->cpus ? v->cpus : NULL,
		.cpu_count = v->cpu_count,
		.groups = zoom->group ? &v->groups : NULL,
		.limit_processes = v->options.limit_processes,
		.limit_symbols = v->options.limit_symbols,
		.base = view_base(v, v->event),
		.process_sort = &v->sort[view_slot(v, processes)],
		.cpu_past = &v->cpu_past,
		.symbol_sort = &v->sort[symbols],
	};
}

/* The row whose waits are shown; 0: all.  Nobody selects one in batch. */
static uint64_t waits_key(const struct view *v)
{
	const struct list_kind *calls = v->place.kind->panes[0];
	size_t i = v->cursors[list_number(calls)].index;

	if (v->options.batch || !view_has_pane(v, &list_waits) || !lists_made(&v->lists, calls))
		return 0;
	return i < view_row_count(v, calls) ? view_row_key(v, calls, i) : 0;
}

static struct list_scene scene_of(const struct view *v)
{
	struct list_scene s = {
		.snapshot = v->snapshot,
		.base = v->base,
		.request = request_of(v),
		.whole = view_whole(v),
		.alone = v->place.kind->pane_count == 1,
		.with_symbols = view_has_pane(v, &list_symbols),
		.event_due = v->event_due,
		.paused = v->paused,
		.batch = v->options.batch,
		.limit_code = v->options.limit_code,
		.cpu_level = v->cpu_level,
		.focus = v->place.focus,
		.code_mode = v->place.code_mode,
		.path = &v->place.path,
		.highlight = v->highlight,
		.memory_process = view_memory_process(v),
		.calls = view_has_pane(v, &list_waits) ? v->place.kind->panes[0] : NULL,
		.call_key = waits_key(v),
	};

	for (int table = 0; column_table(table); table++) {
		s.filters[table] = v->filters[table];
		s.sort[table] = &v->sort[view_slot(v, table)];
	}
	return s;
}

void view_make(struct view *v, const struct list_kind *list)
{
	if (!v->snapshot || lists_made(&v->lists, list))
		return;
	v->lists.scene = scene_of(v);
	lists_make(&v->lists, list);
}

void view_make_waits(struct view *v)
{
	if (!v->snapshot || !view_has_pane(v, &list_waits) ||
	    v->lists.scene.call_key == waits_key(v))
		return;
	lists_forget_one(&v->lists, &list_waits);
	view_make(v, &list_waits);
	cursor_restore(v, &list_waits);
}

/* Finds the CPUs of the zoom, of which some may be new. */
static void find_cpus(struct view *v)
{
	const struct snapshot *s = v->snapshot;
	size_t end = s->cpu_count ? s->cpus[s->cpu_count - 1].facts.number + 2u : 1;

	if (!v->place.zoom.cpus)
		return;
	mem_grow((void **)&v->cpus, &v->cpu_capacity, end, sizeof(*v->cpus));
	memset(v->cpus, 0, end);
	v->cpu_count = end;
	for (size_t i = 0; i < s->cpu_count; i++)
		v->cpus[s->cpus[i].facts.number + 1] =
			cpu_key_has(v->place.zoom.cpus, &s->cpus[i].facts);
}

/* The extras of the columns and sort keys in SLOT. */
static unsigned slot_extras(const struct view *v, int slot)
{
	unsigned extras = 0;

	for (size_t i = 0; i < v->columns[slot].count; i++)
		extras |= v->columns[slot].items[i]->extras;
	for (size_t i = 0; i < v->sort[slot].count; i++)
		extras |= v->sort[slot].keys[i].column->extras;
	return extras;
}

/* In any view, so that the past goes on while another one is shown. */
static bool wants_cpu_past(const struct view *v)
{
	unsigned extras = slot_extras(v, process_table()) | slot_extras(v, CHOICE_TABLES);

	return v->graph || extras & EXTRA_CPU_PAST;
}

/* Adds the snapshot if it is new. */
static void keep_cpu_past(struct view *v)
{
	if (wants_cpu_past(v))
		cpu_past_add(&v->cpu_past, v->snapshot, v->graph);
	else
		cpu_past_fini(&v->cpu_past);
}

static void rows_update(struct view *v)
{
	const struct view_kind *kind = v->place.kind;

	lists_forget(&v->lists);
	if (!v->snapshot)
		return;
	keep_cpu_past(v);
	meter_past_add(&v->meter_past, v->snapshot);
	event_settle(v);
	find_cpus(v);
	if (v->place.zoom.group)
		group_members(v->snapshot, v->place.zoom.group, &v->groups);
	if (needs_focus(v))
		v->place.focus = first_function(v);
	for (size_t i = 0; i < kind->pane_count; i++) {
		view_make(v, kind->panes[i]);
		cursor_restore(v, kind->panes[i]);
		if (kind->panes[i]->table->counted_only)
			choose_counted_columns(v, list_table(kind->panes[i]));
	}
	if (kind->code)
		way_select_code(v);
}

bool view_changed(struct view *v)
{
	rows_update(v);
	return true;
}

void view_set_snapshot(struct view *v, struct snapshot *s)
{
	struct snapshot *previous = v->snapshot;

	v->snapshot = s;
	custom_link(v->custom, s);
	rows_update(v);
	search_due(v);
	if (previous != v->base)
		snapshot_free(previous);
}

static void compare_columns(struct view *v, bool base)
{
	for (int table = 0; column_table(table); table++)
		choice_columns_compare(&v->columns[table], custom_table(v->custom, table), base);
	choice_columns_compare(&v->columns[CHOICE_TABLES], custom_table(v->custom, process_table()),
			       base);
}

void view_set_base(struct view *v, struct snapshot *s, const char *name)
{
	base_release(v);
	v->base = s;
	v->base_borrowed = s && s != v->snapshot;
	text_replace(&v->base_name, name);
	compare_columns(v, s != NULL);
	rows_update(v);
}

bool view_mark_base(struct view *v)
{
	struct buf name = { 0 };

	if (!v->snapshot)
		return false;
	axis_describe(v->snapshot, &name);
	view_set_base(v, v->snapshot, name.bytes);
	buf_fini(&name);
	return true;
}

bool view_drop_base(struct view *v)
{
	if (!v->base)
		return false;
	view_set_base(v, NULL, NULL);
	return true;
}

const struct snapshot *view_base(const struct view *v, int event)
{
	return rows_base(v->base, event);
}

const struct snapshot *view_snapshot(const struct view *v)
{
	return v->snapshot;
}

bool view_take_function(struct view *v, struct snapshot *s)
{
	return v->snapshot && snapshot_take_function(v->snapshot, s) && view_changed(v);
}

struct snapshot *view_take_snapshot(struct view *v)
{
	struct snapshot *s = v->snapshot;

	v->snapshot = NULL;
	v->lists.rows.process_count = v->lists.rows.symbol_count = 0;
	lists_forget(&v->lists);
	return s;
}

size_t view_list_count(struct view *v, const struct list_kind *list)
{
	view_make(v, list);
	return view_row_count(v, list);
}

struct column_row view_list_row(struct view *v, const struct list_kind *list, size_t i)
{
	view_make(v, list);
	return list_row(&v->lists, list, i);
}

const struct column *view_column_table(const struct view *v, const struct list_kind *pane)
{
	return custom_table(v->custom, list_table(pane));
}

uint32_t view_wanted_ids(const struct view *v)
{
	uint32_t bits = 0;

	for (int table = 0; column_table(table); table++) {
		const struct choice_sort *sort = &v->sort[view_slot(v, table)];

		bits |= v->columns[view_slot(v, table)].wanted;
		for (size_t i = 0; i < sort->count; i++)
			bits |= sort->keys[i].column->needs | sort->keys[i].column->wants;
	}
	return bits;
}

const char *view_wanted_event(const struct view *v, size_t i)
{
	return custom_event(v->custom, i);
}

unsigned view_extras(const struct view *v)
{
	unsigned extras = v->place.zoom.cpus ? EXTRA_CPUS : 0;

	extras |= v->place.zoom.group ? EXTRA_GROUPS : 0;
	if (!v->options.batch && (v->meter == METER_EACH || v->meter == METER_HEAT))
		extras |= EXTRA_CPU_TIMES;

	for (size_t i = 0; i < v->place.kind->pane_count; i++)
		extras |= v->place.kind->panes[i]->extras;
	for (int table = 0; column_table(table); table++)
		extras |= slot_extras(v, view_slot(v, table));
	return view_has_pane(v, &list_mappings) ? extras : extras & ~(unsigned)EXTRA_MAPPINGS;
}

/*
 * The zoomed process, or the only process of the target if it has no children: it needs no choice.
 */
static const struct snapshot_process *memory_process(const struct view *v)
{
	const struct snapshot *s = v->snapshot;
	const struct view_zoom *zoom = &v->place.zoom;
	const struct snapshot_process *found = NULL;

	for (size_t i = 0; s && i < s->process_count; i++) {
		const struct snapshot_process *p = &s->processes[i];

		if (p->tid || (zoom->on && p->serial != zoom->process))
			continue;
		if (found)
			return NULL;
		found = p;
	}
	if (zoom->on || !found)
		return found;
	return s->target.pid_count == 1 && found->pid == s->target.pids[0] && !found->exited ? found
											     : NULL;
}

uint32_t view_memory_process(const struct view *v)
{
	const struct snapshot_process *p = memory_process(v);

	return p ? p->serial : 0;
}

static size_t pid_add(uint32_t *pids, size_t count, size_t max, uint32_t pid)
{
	for (size_t i = 0; i < count; i++) {
		if (pids[i] == pid)
			return count;
	}
	if (count < max)
		pids[count++] = pid;
	return count;
}

size_t view_memory_pids(const struct view *v, uint32_t *pids, size_t max, bool *mappings)
{
	const struct snapshot_process *p = memory_process(v);
	unsigned extras = view_extras(v);
	const struct rows *rows = &v->lists.rows;
	const struct view_cursor *c = &v->cursors[list_number(v->place.kind->panes[0])];
	size_t count = 0;

	*mappings = extras & EXTRA_MAPPINGS && p;
	if (*mappings)
		count = pid_add(pids, count, max, p->pid);
	if (!(extras & EXTRA_MEMORY) || !view_is_of_processes(v->place.kind->panes[0]) ||
	    !lists_made(&v->lists, &list_processes))
		return count;
	if (view_selected_process(v))
		count = pid_add(pids, count, max, view_selected_process(v)->pid);
	for (size_t i = c->first; i < rows->process_count && i - c->first < c->page; i++)
		count = pid_add(pids, count, max, rows->processes[i].process->pid);
	return count;
}

/* Returns true if the order of the groups comes from their files. */
static bool sorts_by_files(const struct view *v)
{
	const struct choice_sort *sort = &v->sort[view_slot(v, list_table(&list_groups))];
	bool files = false;

	for (size_t i = 0; i < sort->count; i++)
		files |= sort->keys[i].column->extras != 0;
	return files;
}

size_t view_group_ids(const struct view *v, uint32_t *ids, size_t max, bool *all)
{
	const struct view_cursor *c = &v->cursors[list_number(&list_groups)];
	size_t count = 0;

	*all = view_has_pane(v, &list_findings);
	if (!view_has_pane(v, &list_groups))
		return 0;
	*all = v->options.batch || sorts_by_files(v);
	for (size_t i = c->first; lists_made(&v->lists, &list_groups) && count < max &&
				  i < view_row_count(v, &list_groups) && i - c->first < c->page;
	     i++)
		ids[count++] = list_row(&v->lists, &list_groups, i).group->group->id;
	return count;
}

const struct column *const *view_columns(const struct view *v, const struct list_kind *pane,
					 size_t *count)
{
	const struct choice_columns *columns = &v->columns[view_slot(v, list_table(pane))];

	*count = columns->count;
	return columns->items;
}

const char *view_prefix(const struct list_kind *pane)
{
	return pane->table->prefix;
}

const char *view_list_title(const struct list_kind *pane)
{
	return _(pane->table->title);
}

bool view_toggle_column(struct view *v, const struct list_kind *pane, const struct column *column)
{
	return choice_columns_toggle(&v->columns[view_slot(v, list_table(pane))], column) &&
	       view_changed(v);
}

bool view_move_column(struct view *v, const struct list_kind *pane, const struct column *column,
		      int direction)
{
	return choice_columns_move(&v->columns[view_slot(v, list_table(pane))], column,
				   direction) &&
	       view_changed(v);
}

bool view_set_columns(struct view *v, const char *text, struct error *err)
{
	struct choice_columns columns[CHOICE_TABLES];

	if (choice_columns_parse(columns, text, v->custom, err))
		return false;
	memcpy(v->columns, columns, sizeof(columns));
	compare_columns(v, v->base != NULL);
	return view_changed(v);
}

void view_format_columns(const struct view *v, struct buf *out)
{
	choice_columns_format(out, v->columns, v->custom);
}

static bool has_pid(const uint32_t *pids, size_t count, uint32_t pid)
{
	for (size_t i = 0; i < count; i++) {
		if (pids[i] == pid)
			return true;
	}
	return false;
}

size_t view_visible_pids(const struct view *v, uint32_t *pids, size_t max)
{
	const struct view_kind *kind = v->place.kind;
	const struct view_cursor *c = &v->cursors[list_number(kind->panes[0])];
	const struct rows *rows = &v->lists.rows;
	size_t count = 0;

	if (!view_is_of_processes(kind->panes[0]) || !lists_made(&v->lists, &list_processes))
		return 0;
	for (size_t i = c->first; i < rows->process_count && i - c->first < c->page; i++) {
		uint32_t pid = rows->processes[i].process->pid;

		if (count < max && !has_pid(pids, count, pid))
			pids[count++] = pid;
	}
	return count;
}

bool view_wants_commands(const struct view *v)
{
	const struct choice_sort *sort = &v->sort[view_slot(v, process_table())];

	if (!v->options.full_command)
		return false;
	for (size_t i = 0; i < sort->count; i++) {
		if (!strcmp(sort->keys[i].column->name, "command"))
			return true;
	}
	return v->filters[process_table()] || v->searched;
}

void view_set_limits(struct view *v, size_t processes, size_t symbols)
{
	if (v->options.limit_processes == processes && v->options.limit_symbols == symbols)
		return;
	v->options.limit_processes = processes;
	v->options.limit_symbols = symbols;
	view_changed(v);
}

bool view_set_each_ended(struct view *v, bool each)
{
	bool before = v->options.each_ended;

	v->options.each_ended = each;
	if (each != before)
		view_changed(v);
	return before;
}

uint32_t view_function(const struct view *v, bool *hottest)
{
	*hottest = v->place.kind->code && !v->place.focus;
	return v->place.kind->code ? v->place.focus : FRAME_NONE;
}

bool view_set_event(struct view *v, int event)
{
	if (!v->snapshot || event == v->event || !event_sampled(v->snapshot, event, false))
		return false;
	v->event = event;
	return view_changed(v);
}

bool view_next_event(struct view *v, int direction)
{
	int count = v->snapshot ? (int)v->snapshot->event_count : 0;
	int step = direction < 0 ? count - 1 : 1;

	for (int i = 1, event = v->event; i < count && v->event >= 0; i++) {
		event = (event + step) % count;
		if (event_sampled(v->snapshot, event, true))
			return view_set_event(v, event);
	}
	return false;
}

bool view_set_filter(struct view *v, const char *text)
{
	return text_replace(&v->filters[list_table(v->place.pane)], text) && view_changed(v);
}

const char *view_filter(const struct view *v)
{
	return v->filters[list_table(v->place.pane)];
}

char *view_pids_text(const struct view *v)
{
	return number_list_text(&v->pids);
}

const char *view_user(const struct view *v)
{
	return v->user;
}

bool view_set_pids(struct view *v, const struct number_list *pids)
{
	size_t count = pids ? pids->count : 0;

	if (!count && !v->pids.count)
		return false;
	number_list_fini(&v->pids);
	if (count) {
		v->pids.items = mem_array(count, sizeof(*v->pids.items));
		v->pids.count = count;
		memcpy(v->pids.items, pids->items, count * sizeof(*v->pids.items));
	}
	return view_changed(v);
}

bool view_set_user(struct view *v, const char *name)
{
	return text_replace(&v->user, name) && view_changed(v);
}

bool view_set_sort(struct view *v, const char *keys, struct error *err)
{
	struct choice_sort sort[CHOICE_TABLES];

	for (int table = 0; column_table(table); table++)
		sort[table] = v->sort[view_slot(v, table)];
	if (choice_sort_parse(sort, keys, list_table(v->place.pane), v->custom, err))
		return false;
	for (int table = 0; column_table(table); table++)
		v->sort[view_slot(v, table)] = sort[table];
	return view_changed(v);
}

const struct column *view_sort_column(const struct view *v)
{
	const struct choice_sort *sort = &v->sort[view_slot(v, list_table(v->place.pane))];

	return sort->count ? sort->keys[0].column : NULL;
}

bool view_sort_step(struct view *v, int direction)
{
	int slot = view_slot(v, list_table(v->place.pane));
	const struct choice_columns *columns = &v->columns[slot];
	struct choice_sort *sort = &v->sort[slot];
	size_t at = 0;

	while (at < columns->count && sort->count && columns->items[at] != sort->keys[0].column)
		at++;
	if (at == columns->count)
		at = direction < 0 ? at : SIZE_MAX;
	at = direction < 0 ? at - 1 : at + 1;
	if (at >= columns->count)
		return false;
	choice_sort_by(sort, columns->items[at]);
	return view_changed(v);
}

bool view_reverse(struct view *v)
{
	choice_sort_reverse(&v->sort[view_slot(v, list_table(v->place.pane))]);
	return view_changed(v);
}

bool view_toggle_threads(struct view *v)
{
	v->options.threads = !v->options.threads;
	v->place.zoom.tid = 0;
	return view_changed(v);
}

bool view_toggle_kernel(struct view *v)
{
	v->options.hide_kernel = !v->options.hide_kernel;
	return view_changed(v);
}

bool view_toggle_user_symbols(struct view *v)
{
	v->options.hide_user = !v->options.hide_user;
	return view_changed(v);
}

bool view_next_meter(struct view *v)
{
	v->meter = (v->meter + 1) % METERS;
	return true;
}

bool view_toggle_graph(struct view *v)
{
	if (!view_is_of_processes(v->place.kind->panes[0]))
		return false;
	v->graph = !v->graph;
	return view_changed(v);
}

bool view_set_meter(struct view *v, const char *name)
{
	int meter = cpu_meter_find(name);

	if (meter >= 0)
		v->meter = (enum cpu_meter)meter;
	return meter >= 0;
}

bool view_set_meters(struct view *v, const char *text, struct error *err)
{
	return !header_meters_parse(&v->meters, text ? text : "", err);
}

const struct header_meters *view_meters(const struct view *v)
{
	return &v->meters;
}

const char *view_meter(const struct view *v)
{
	return cpu_meter_name(v->meter);
}

bool view_toggle_of_all(struct view *v)
{
	v->options.of_all = !v->options.of_all;
	return view_changed(v);
}

bool view_threads(const struct view *v)
{
	return v->options.threads;
}

bool view_hides_kernel(const struct view *v)
{
	return v->options.hide_kernel;
}

bool view_hides_user(const struct view *v)
{
	return v->options.hide_user;
}

void view_set_braille(struct view *v, bool braille)
{
	v->options.braille = braille;
}

void view_set_bars(struct view *v, bool bars)
{
	v->options.bars = bars;
}

bool view_of_all(const struct view *v)
{
	return v->options.of_all;
}

struct shares view_shares(struct view *v, bool of_all)
{
	v->lists.scene = scene_of(v);
	return lists_shares(&v->lists, of_all);
}

void view_format_sort(const struct view *v, struct buf *out)
{
	choice_sort_format(out, v->sort);
}

void view_set_function_bar(struct view *v, const char *const (*pairs)[2], size_t count)
{
	bar_set(&v->bar, pairs, count);
}

void view_set_key_name(struct view *v, view_key_name *name, const void *context)
{
	v->key_name = name;
	v->key_context = context;
}

void view_set_message(struct view *v, const char *text)
{
	text_replace(&v->message, text);
}

void view_set_paused(struct view *v, bool paused)
{
	v->paused = paused;
}

void view_set_mode_text(struct view *v, const char *text)
{
	text_replace(&v->mode_text, text);
}

void view_set_push_text(struct view *v, const char *text, bool bad)
{
	text_replace(&v->push_text, text);
	v->push_bad = bad;
}

bool view_wants_threads(const struct view *v)
{
	return v->options.threads || v->place.kind->threads ||
	       (v->place.zoom.on && v->place.zoom.tid);
}

const struct snapshot_process *view_selected_process(const struct view *v)
{
	const struct list_kind *pane = v->place.kind->panes[0];
	size_t i = v->cursors[list_number(pane)].index;

	if (!view_is_of_processes(pane) || i >= view_row_count(v, pane))
		return NULL;
	return v->lists.rows.processes[i].process;
}

const struct symbol_row *view_selected_symbol(const struct view *v)
{
	size_t i = v->cursors[list_number(&list_symbols)].index;

	if (!view_has_pane(v, &list_symbols) || i >= view_row_count(v, &list_symbols))
		return NULL;
	return &v->lists.rows.symbols[i];
}

uint32_t view_selected_frame(const struct view *v)
{
	const struct list_kind *pane = v->place.pane;
	size_t i = v->cursors[list_number(pane)].index;
	struct column_row row;

	if (i >= view_row_count(v, pane))
		return FRAME_NONE;
	row = list_row(&v->lists, pane, i);
	if (row.call)
		return row.call->frame;
	if (row.code)
		return v->place.focus;
	return row.symbol ? row.symbol->frame : FRAME_NONE;
}

uint64_t view_selected_key(const struct view *v)
{
	const struct list_kind *pane = v->place.pane;
	size_t i = v->cursors[list_number(pane)].index;

	return i < view_row_count(v, pane) ? view_row_key(v, pane, i) : 0;
}

int view_selected_event(const struct view *v)
{
	size_t i = v->cursors[list_number(&list_events)].index;

	if (!view_has_pane(v, &list_events) || i >= view_row_count(v, &list_events))
		return -1;
	return (int)view_row_key(v, &list_events, i);
}

bool view_has_past(const struct view *v)
{
	return v->snapshot && v->snapshot->past.count;
}

static bool want_window(struct view *v, struct axis_window w)
{
	bool other = w.from_ns != v->window.from_ns || w.to_ns != v->window.to_ns;

	v->window = w;
	return other;
}

bool view_step_window(struct view *v, int direction)
{
	return view_has_past(v) &&
	       want_window(v, axis_step(&v->snapshot->past, v->window, direction));
}

bool view_resize_window(struct view *v, int direction)
{
	return view_has_past(v) &&
	       want_window(v, axis_resize(&v->snapshot->past, v->window, direction));
}

bool view_window_at(struct view *v, int column)
{
	struct axis_place at = { column, v->screen.columns, v->screen.points };

	return view_has_past(v) && want_window(v, axis_at(&v->snapshot->past, v->window, &at));
}

bool view_leave_window(struct view *v)
{
	return want_window(v, (struct axis_window){ 0, 0 });
}

void view_window(const struct view *v, uint64_t *from_ns, uint64_t *to_ns)
{
	*from_ns = v->window.from_ns;
	*to_ns = v->window.to_ns;
}

const struct view_kind *view_kind(const struct view *v)
{
	return v->place.kind;
}

const struct view_kind *view_event_kind(const struct view *v)
{
	return v->place.event_of;
}

int view_event(const struct view *v)
{
	return v->event;
}
