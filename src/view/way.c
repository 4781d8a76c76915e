/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/i18n.h"
#include "view/list/findings.h"
#include "view/list/mapping-list.h"
#include "view/list/object-list.h"
#include "view/view-state.h"

/* Moves the selection in a list, and from view to view. */

/* Selects row I and keeps its key. */
void cursor_put(struct view *v, const struct list_kind *pane, size_t i)
{
	struct view_cursor *c = &v->cursors[list_number(pane)];

	c->index = i;
	if (i < view_row_count(v, pane))
		c->key = view_row_key(v, pane, i);
}

/*
 * Finds the selected row again after rows were rebuilt.  If it has gone, the selection stays at its
 * index and keeps the key: a filter may be dropped, or a screen may grow.
 */
void cursor_restore(struct view *v, const struct list_kind *pane)
{
	struct view_cursor *c = &v->cursors[list_number(pane)];
	size_t count = view_row_count(v, pane);
	uint64_t key = c->key;

	if (!count)
		return;
	for (size_t i = 0; c->follows && i < count; i++) {
		if (view_row_key(v, pane, i) == c->key) {
			c->index = i;
			return;
		}
	}
	if (pane == &list_flame)
		cursor_put(v, pane, flame_start(flame_list_graph(&v->lists), &v->place.path));
	else
		cursor_put(v, pane, c->index < count ? c->index : count - 1);
	if (c->follows)
		c->key = key;
}

void cursor_reset(struct view *v, const struct list_kind *pane)
{
	v->cursors[list_number(pane)].follows = false;
	v->cursors[list_number(pane)].index = v->cursors[list_number(pane)].first = 0;
}

static bool is_of_all_processes(const struct list_kind *pane)
{
	return pane == &list_processes || pane == &list_tree;
}

/* Selects in PANE the process that is selected in FROM. */
static void cursor_share(struct view *v, const struct list_kind *from, const struct list_kind *pane)
{
	if (from == pane || !is_of_all_processes(from) || !is_of_all_processes(pane))
		return;
	v->cursors[list_number(pane)].key = v->cursors[list_number(from)].key;
	v->cursors[list_number(pane)].follows = v->cursors[list_number(from)].follows;
	v->cursors[list_number(pane)].index = v->cursors[list_number(from)].index;
}

const struct list_kind *view_pane(const struct view *v)
{
	return v->place.pane;
}

bool view_set_pane(struct view *v, const struct list_kind *pane)
{
	const struct view_kind *kind = v->place.kind;
	bool different = v->place.pane != pane, known = false;

	for (size_t i = 0; i < kind->pane_count; i++)
		known |= kind->panes[i] == pane;
	if (known)
		v->place.pane = pane;
	return known && different;
}

bool view_other_pane(struct view *v, int direction)
{
	const struct view_kind *kind = v->place.kind;
	size_t at = 0;

	while (kind->panes[at] != v->place.pane)
		at++;
	if (direction < 0 ? !at : at + 1 == kind->pane_count)
		return false;
	return view_set_pane(v, kind->panes[direction < 0 ? at - 1 : at + 1]);
}

/* Moves by boxes up or down the screen.  Home goes to the lowest box, End to the last one. */
static bool flame_move(struct view *v, long rows)
{
	const struct flame *f = flame_list_graph(&v->lists);
	struct view_cursor *c = &v->cursors[list_number(v->place.pane)];
	size_t before = c->index;
	bool outwards = (rows > 0) != v->place.kind->icicle;

	if (before >= view_row_count(v, v->place.pane))
		return false;
	c->follows = true;
	if (rows == LONG_MIN || rows == LONG_MAX) {
		cursor_put(v, v->place.pane,
			   rows < 0 ? flame_start(f, &v->place.path) : f->count - 1);
		return c->index != before;
	}
	for (long i = 0; i < labs(rows) && i < f->levels; i++)
		cursor_put(v, v->place.pane,
			   outwards ? f->boxes[c->index].parent : flame_above(f, c->index));
	return c->index != before;
}

bool view_sideways(struct view *v, int direction)
{
	struct view_cursor *c = &v->cursors[list_number(v->place.pane)];
	size_t before = c->index;

	if (!v->place.kind->flame || before >= view_row_count(v, v->place.pane))
		return false;
	c->follows = true;
	cursor_put(v, v->place.pane, flame_sibling(flame_list_graph(&v->lists), before, direction));
	return c->index != before;
}

bool view_move(struct view *v, long rows)
{
	struct view_cursor *c = &v->cursors[list_number(v->place.pane)];
	size_t count = view_row_count(v, v->place.pane), last = count ? count - 1 : 0;
	size_t before = c->index;

	v->hottest_due = false;
	if (v->place.kind->flame)
		return flame_move(v, rows);
	if (rows == LONG_MIN) {
		cursor_reset(v, v->place.pane);
		cursor_put(v, v->place.pane, 0);
		return before != 0;
	}
	if (rows < 0)
		c->index = (size_t)-rows > c->index ? 0 : c->index - (size_t)-rows;
	else
		c->index = (size_t)rows > last - c->index ? last : c->index + (size_t)rows;
	c->follows = true;
	cursor_put(v, v->place.pane, c->index);
	return c->index != before;
}

bool view_page(struct view *v, int pages)
{
	size_t page = v->cursors[list_number(v->place.pane)].page;

	return view_move(v, pages * (long)(page > 1 ? page - 1 : 1));
}

static void place_fini(struct view_place *p)
{
	mem_free(p->zoom.comm, p->zoom.data_path, (void *)p->path.frames);
	p->zoom.comm = p->zoom.data_path = NULL;
	p->path = (struct flame_path){ NULL, 0 };
}

static struct flame_path path_copy(const struct flame_path *path, size_t extra)
{
	uint32_t *frames = mem_array(path->count + extra, sizeof(*frames));

	if (path->count)
		memcpy(frames, path->frames, path->count * sizeof(*frames));
	return (struct flame_path){ frames, path->count };
}

void way_fini(struct view *v)
{
	place_fini(&v->place);
	while (v->way_count)
		place_fini(&v->way[--v->way_count].place);
}

/* Stores the current place for view_back().  Returns false if there are too many. */
static bool way_push(struct view *v)
{
	const struct view_kind *kind = v->place.kind;
	struct view_stop *stop = &v->way[v->way_count];

	if (v->way_count == WAY_STOPS)
		return false;
	stop->place = v->place;
	for (size_t i = 0; i < kind->pane_count; i++) {
		/* Keeps the choices that were made by entering. */
		v->cursors[list_number(kind->panes[i])].follows |= kind->panes[i] == v->place.pane;
		stop->cursors[i] = v->cursors[list_number(kind->panes[i])];
	}
	if (v->place.zoom.comm)
		v->place.zoom.comm = mem_strdup(v->place.zoom.comm);
	if (v->place.zoom.data_path)
		v->place.zoom.data_path = mem_strdup(v->place.zoom.data_path);
	v->place.path = path_copy(&v->place.path, 0);
	v->way_count++;
	return true;
}

static void way_pop(struct view *v)
{
	const struct view_stop *stop = &v->way[--v->way_count];
	const struct view_kind *kind = stop->place.kind, *event_of = v->place.event_of;

	place_fini(&v->place);
	v->place = stop->place;
	view_event_follow(v, event_of);
	v->hottest_due = false;
	for (size_t i = 0; i < kind->pane_count; i++)
		v->cursors[list_number(kind->panes[i])] = stop->cursors[i];
}

/* Selects the row with KEY as soon as PANE has it. */
static void cursor_hold(struct view *v, const struct list_kind *pane, uint64_t key)
{
	v->cursors[list_number(pane)].key = key;
	v->cursors[list_number(pane)].follows = true;
}

/* Shows the event of KIND; NULL: the previous event. */
static void event_lead(struct view *v, const struct view_kind *kind)
{
	const struct view_kind *before = v->place.event_of;

	v->place.event_of = kind;
	view_event_follow(v, before);
}

/* Shows KIND with the focus on its last list. */
static void place_show(struct view *v, const struct view_kind *kind)
{
	cursor_share(v, v->place.kind->panes[0], kind->panes[0]);
	v->place.kind = kind;
	if (kind->event != EVENT_OTHER)
		event_lead(v, kind);
	v->place.pane = kind->panes[kind->pane_count - 1];
}

static void zoom_into(struct view *v, const struct snapshot_process *p, uint32_t tid)
{
	struct view_zoom *zoom = &v->place.zoom;

	free(zoom->comm);
	zoom->on = true;
	zoom->process = p->serial;
	zoom->tid = tid;
	zoom->pid = tid ? tid : p->pid;
	zoom->comm = mem_strdup(p->comm);
}

bool way_enter_process(struct view *v)
{
	const struct snapshot_process *p = view_selected_process(v);
	const struct view_zoom *zoom = &v->place.zoom;
	bool nothing_new;

	if (!view_is_of_processes(v->place.pane) || !p)
		return false;
	nothing_new = zoom->on && zoom->process == p->serial && zoom->tid == p->tid &&
		      v->place.kind == view_kinds;
	if (nothing_new || !way_push(v))
		return false;
	v->cursors[list_number(v->place.pane)].follows = true;
	zoom_into(v, p, p->tid);
	place_show(v, view_kinds);
	cursor_reset(v, &list_symbols);
	return view_changed(v);
}

/* Shows the symbols of the selected event. */
bool way_enter_event(struct view *v)
{
	int event = view_selected_event(v);

	if (event < 0 || !v->snapshot->events[event].sampled || !way_push(v))
		return false;
	event_lead(v, NULL);
	place_show(v, view_kinds);
	v->event = event;
	return view_changed(v);
}

/* Gets the selected row of LIST, and remembers the place.  Returns false if there is none. */
static bool leave_by_row(struct view *v, const struct list_kind *list, struct column_row *row)
{
	size_t i = v->cursors[list_number(list)].index;

	if (i >= view_row_count(v, list) || !way_push(v))
		return false;
	*row = list_row(&v->lists, list, i);
	return true;
}

/* Shows the processes and symbols of what was entered. */
static bool show_processes(struct view *v)
{
	place_show(v, view_kinds);
	v->place.pane = &list_processes;
	cursor_reset(v, &list_processes);
	cursor_reset(v, &list_symbols);
	return view_changed(v);
}

/* Shows the symbols of the selected object. */
bool way_enter_object(struct view *v)
{
	struct column_row row;

	if (!leave_by_row(v, &list_objects, &row))
		return false;
	place_show(v, view_kinds);
	v->place.zoom.object_path = row.object->path;
	v->place.zoom.object_name = row.object->name;
	cursor_reset(v, &list_symbols);
	return view_changed(v);
}

/* Shows the processes and symbols of the selected CPU, or of all under a core, cache, node or package. */
bool way_enter_cpu(struct view *v)
{
	struct column_row row;

	if (!leave_by_row(v, &list_cpus, &row))
		return false;
	v->place.zoom.cpus = row.cpu->level == CPU_LEVEL_MACHINE ? 0 : row.branch->key;
	return show_processes(v);
}

/* Shows the processes and symbols of the selected control group and of those below it. */
bool way_enter_group(struct view *v)
{
	struct column_row row;

	if (!leave_by_row(v, &list_groups, &row))
		return false;
	v->place.zoom.group = row.branch->key;
	return show_processes(v);
}

/* Shows the view that the selected finding names, with the finding's process selected. */
bool way_enter_finding(struct view *v)
{
	const struct finding *f;
	const struct view_kind *kind;
	struct column_row row;

	if (!leave_by_row(v, &list_findings, &row))
		return false;
	f = row.item;
	kind = view_kind_find(f->rule->view);
	if (f->rule->subject == FINDING_OF_PROCESS)
		cursor_hold(v, kind->panes[0],
			    (uint64_t)v->snapshot->processes[f->index].serial << 32);
	place_show(v, kind);
	v->place.pane = kind->panes[0];
	return view_changed(v);
}

/* Shows the faults in the selected mapping. */
static bool enter_mapping(struct view *v)
{
	struct column_row row;

	if (!leave_by_row(v, &list_mappings, &row))
		return false;
	free(v->place.zoom.data_path);
	v->place.zoom.data_path = mem_strdup(row.mapping->path);
	place_show(v, view_kinds);
	cursor_reset(v, &list_symbols);
	return view_changed(v);
}

/*
 * Shows the mappings of the selected process, the faults of the selected mapping, or the callers of
 * the selected function.
 */
bool way_enter_memory(struct view *v)
{
	const struct snapshot_process *p = view_selected_process(v);

	if (v->place.pane == &list_mappings)
		return enter_mapping(v);
	if (!view_is_of_processes(v->place.pane))
		return way_enter_callers(v);
	if (!p || !way_push(v))
		return false;
	v->cursors[list_number(v->place.pane)].follows = true;
	zoom_into(v, p, p->tid);
	place_show(v, view_kind_find("mappings"));
	v->place.pane = &list_mappings;
	cursor_reset(v, &list_mappings);
	cursor_reset(v, &list_symbols);
	return view_changed(v);
}

/* Shows the code of FRAME and selects its hottest instruction. */
static bool code_show(struct view *v, uint32_t frame)
{
	v->place.focus = frame;
	v->hottest_due = true;
	cursor_reset(v, &list_code);
	return view_changed(v);
}

/* Shows the callers and callees of the selected function. */
bool way_enter_callers(struct view *v)
{
	uint32_t frame = view_selected_frame(v);
	const struct view_kind *callers = view_kind_find("callers");

	if (!frame || (v->place.kind == callers && frame == v->place.focus) || !way_push(v))
		return false;
	place_show(v, callers);
	v->place.focus = frame;
	v->place.pane = &list_callers;
	cursor_reset(v, &list_callers);
	cursor_reset(v, &list_callees);
	return view_changed(v);
}

/* Shows the instructions of the selected function; for an event of time its callers. */
bool way_enter_function(struct view *v)
{
	uint32_t frame = view_selected_frame(v);

	if (v->event >= 0 && v->snapshot->events[v->event].time)
		return way_enter_callers(v);
	if (!frame || frame_flags(v->snapshot->frames, frame) & FRAME_OTHERS || !way_push(v))
		return false;
	place_show(v, view_kind_find("annotate"));
	return code_show(v, frame);
}

/* The row of the instruction at ADDRESS, or SIZE_MAX. */
static size_t code_row_at(const struct view *v, uint64_t address)
{
	for (size_t i = 0; i < view_row_count(v, &list_code); i++) {
		const struct code_row *row = list_row(&v->lists, &list_code, i).code;

		if (!row->is_line && row->address == address)
			return i;
	}
	return SIZE_MAX;
}

/* Selects row I and centres it. */
static void code_centre(struct view *v, size_t i)
{
	struct view_cursor *c = &v->cursors[list_number(&list_code)];

	cursor_put(v, &list_code, i);
	c->follows = true;
	c->centred = true;
}

/* Goes from a jump to its target in the same function. */
static bool code_follow(struct view *v, uint64_t target)
{
	size_t to = code_row_at(v, target);

	if (to == SIZE_MAX || !way_push(v))
		return false;
	v->hottest_due = false;
	code_centre(v, to);
	return true;
}

/* Goes from a line to its first instruction. */
static bool code_open_line(struct view *v, uint64_t address)
{
	if (v->place.code_mode != CODE_LINES || !way_push(v))
		return false;
	v->hottest_due = false;
	v->place.code_mode = CODE_BOTH;
	v->cursors[list_number(&list_code)].key = address << 1;
	v->cursors[list_number(&list_code)].follows = true;
	return view_changed(v);
}

/* Goes to the target of a jump, into the called function, or from a line to its instructions. */
bool way_enter_code(struct view *v)
{
	size_t i = v->cursors[list_number(&list_code)].index;
	const struct code_row *row;

	if (i >= view_row_count(v, &list_code))
		return false;
	row = list_row(&v->lists, &list_code, i).code;
	if (row->is_line)
		return code_open_line(v, row->address);
	if (!row->instruction || !row->instruction->target)
		return false;
	if (!row->instruction->callee)
		return code_follow(v, row->instruction->target);
	return row->instruction->callee != v->place.focus && way_push(v) &&
	       code_show(v, row->instruction->callee);
}

void way_select_code(struct view *v)
{
	const struct snapshot_function *f = &v->snapshot->function;
	size_t count = view_row_count(v, &list_code), best = count;
	bool lines = v->place.code_mode == CODE_LINES;
	double most = 0;

	if (!v->hottest_due)
		return;
	for (size_t i = 0; i < count; i++) {
		const struct code_row *row = list_row(&v->lists, &list_code, i).code;

		if (row->period > most && row->is_line == (lines && f->code)) {
			most = row->period;
			best = i;
		}
	}
	if (best == count)
		return;
	code_centre(v, best);
	v->hottest_due = f->loading;
}

bool view_next_code_mode(struct view *v)
{
	const struct code *code = v->snapshot ? v->snapshot->function.code : NULL;
	const struct view_cursor *c = &v->cursors[list_number(&list_code)];
	uint64_t address;
	size_t to;

	if (!v->place.kind->code || !code || !code->line_count)
		return false;
	address = c->key >> 1;
	v->place.code_mode = (enum code_mode)((v->place.code_mode + 1) % CODE_MODES);
	view_changed(v);
	to = code_rows_find(list_data(&v->lists, &list_code), code, address);
	for (size_t i = 0; i < view_row_count(v, &list_code); i++) {
		if (list_order(&v->lists, &list_code)->items[i] == to)
			code_centre(v, i);
	}
	return true;
}

/* Returns true if BOX fills the graph: it is the end of the path. */
static bool is_filling(const struct view *v, size_t box)
{
	return v->place.path.count &&
	       flame_list_graph(&v->lists)->boxes[box].row.place.depth + 1u == v->place.path.count;
}

/* Zooms a box to the full width; from a zoomed box, shows the callers of its function. */
bool way_enter_box(struct view *v)
{
	const struct flame *f = flame_list_graph(&v->lists);
	size_t box = v->cursors[list_number(&list_flame)].index, depth;
	uint32_t *frames;

	if (box >= view_row_count(v, &list_flame))
		return false;
	if (is_filling(v, box))
		return way_enter_callers(v);
	if (!way_push(v))
		return false;
	depth = f->boxes[box].row.place.depth + 1u;
	frames = mem_array(depth, sizeof(*frames));
	for (size_t i = depth, at = box; i-- > 0; at = f->boxes[at].parent)
		frames[i] = f->boxes[at].row.frame;
	free((void *)v->place.path.frames);
	v->place.path = (struct flame_path){ frames, depth };
	v->cursors[list_number(&list_flame)].follows = true;
	return view_changed(v);
}

/* Enters a process in the upper list, a function in the lower one. */
bool way_enter_row(struct view *v)
{
	return view_is_of_processes(v->place.pane) ? way_enter_process(v) : way_enter_function(v);
}

bool view_enter(struct view *v)
{
	return v->place.kind->enter && v->place.kind->enter(v);
}

/* The function that is selected among those that threads wait in, if KIND is not shown yet; or FRAME_NONE. */
static uint32_t selected_wait(const struct view *v, const struct view_kind *kind)
{
	bool waits = v->event >= 0 && v->snapshot->events[v->event].time;

	return waits && kind != v->place.kind ? view_selected_frame(v) : FRAME_NONE;
}

/* Chooses the wait that KIND is of.  The way goes back to the view in which it was selected. */
static void show_waits(struct view *v, const struct view_kind *kind)
{
	uint32_t wait = selected_wait(v, kind);

	if (wait && kind != v->place.kind)
		way_push(v); /* a longer way has no room: Esc leads to the stop before */
	v->place.focus = wait;
}

/* Returns true in a view of a wait that was selected in KIND; see show_waits(). */
static bool came_from(const struct view *v, const struct view_kind *kind)
{
	return v->place.kind->of_wait && v->place.focus && v->way_count &&
	       v->way[v->way_count - 1].place.kind == kind;
}

/* Shows KIND for the same processes.  KEEP: keeps the event, unless KIND has its own. */
static bool show(struct view *v, const struct view_kind *kind, bool keep)
{
	const struct snapshot_process *p = view_selected_process(v);

	if (kind == v->place.kind && !(kind->of_wait && v->place.focus))
		return false;
	if (came_from(v, kind)) {
		way_pop(v);
		return view_changed(v);
	}
	if (kind->of_function && view_selected_frame(v))
		v->place.focus = view_selected_frame(v);
	if (kind->of_wait)
		show_waits(v, kind);
	if (kind->of_process && !v->place.zoom.on && p && way_push(v)) {
		zoom_into(v, p, 0);
		cursor_reset(v, &list_symbols);
	}
	if (!keep)
		event_lead(v, kind->event != EVENT_OTHER ? kind : NULL);
	place_show(v, kind);
	v->place.pane = kind->panes[0];
	if (kind->code || (kind->threads && v->cursors[list_number(v->place.pane)].key >> 32 !=
						    v->place.zoom.process))
		cursor_reset(v, v->place.pane);
	v->hottest_due = kind->code;
	return view_changed(v);
}

/* Turns the view round.  A tree of callers selects the function that was selected before. */
bool view_turn_round(struct view *v)
{
	uint32_t frame = view_selected_frame(v);
	bool changed = v->place.kind->other && show(v, view_kind_find(v->place.kind->other), true);
	struct view_cursor *c = &v->cursors[list_number(&list_bottomup)];

	if (!changed || !frame || v->place.pane != &list_bottomup)
		return changed;
	c->key = calls_key(0, frame);
	c->follows = true;
	cursor_restore(v, &list_bottomup);
	return true;
}

bool view_show(struct view *v, const struct view_kind *kind)
{
	return show(v, kind, kind->of_function && kind->event == EVENT_OTHER);
}

bool view_back(struct view *v)
{
	if (v->way_count) {
		way_pop(v);
		return view_changed(v);
	}
	if (v->place.kind->flame && search_highlight(v, NULL))
		return true;
	if (v->filters[list_table(v->place.pane)])
		return view_set_filter(v, NULL);
	return view_set_pane(v, v->place.kind->panes[0]) || view_show(v, view_kinds);
}

const char *view_group_name(const struct view *v, uint64_t key)
{
	const char *name = group_key_name(v->snapshot, key);

	return name ? name : _("a group that is gone");
}

/* Appends what P adds to the path after BEFORE; NULL: P begins the path. */
static void step_describe(const struct view *v, const struct view_place *before,
			  const struct view_place *p, struct buf *out)
{
	bool zoomed = p->zoom.on &&
		      (!before || !before->zoom.on || before->zoom.process != p->zoom.process ||
		       before->zoom.tid != p->zoom.tid);

	if (!before)
		buf_add_str(out, _(p->kind->title));
	if (zoomed)
		buf_printf(out, " > %u %s", p->zoom.pid, p->zoom.comm);
	if (p->zoom.object_path && (!before || before->zoom.object_path != p->zoom.object_path)) {
		buf_printf(out, " > %s", p->zoom.object_name);
		zoomed = true;
	}
	if (p->zoom.cpus && (!before || before->zoom.cpus != p->zoom.cpus)) {
		char name[CPU_NAME_BYTES];

		cpu_key_name(p->zoom.cpus, name);
		buf_printf(out, " > %s", name);
		zoomed = true;
	}
	if (p->zoom.group && (!before || before->zoom.group != p->zoom.group)) {
		buf_printf(out, " > %s", view_group_name(v, p->zoom.group));
		zoomed = true;
	}
	if (p->zoom.data_path && (!before || !before->zoom.data_path)) {
		buf_printf(out, " > %s", p->zoom.data_path);
		zoomed = true;
	}
	if (before && p->kind != before->kind && (!zoomed || p->kind != view_kinds))
		buf_printf(out, " > %s", _(p->kind->title));
	if (p->kind->flame && p->path.count && v->snapshot)
		buf_printf(out, " > %s",
			   frame_symbol(v->snapshot->frames, p->path.frames[p->path.count - 1]));
	if ((p->kind->of_function || p->kind->of_wait) && p->focus && v->snapshot &&
	    !(before && before->kind == p->kind && before->focus == p->focus))
		buf_printf(out, " > %s", frame_symbol(v->snapshot->frames, p->focus));
}

void way_describe(const struct view *v, struct buf *out)
{
	const struct view_place *before = NULL;

	for (size_t i = 0; i < v->way_count; i++) {
		step_describe(v, before, &v->way[i].place, out);
		before = &v->way[i].place;
	}
	step_describe(v, before, &v->place, out);
}
