/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/i18n.h"
#include "view/graph.h"
#include "view/header.h"
#include "view/list/columns.h"
#include "view/view-state.h"
#include "view/widget/table.h"
#include "view/widget/text.h"

#define BATCH_COLUMNS 120
#define BATCH_COLUMNS_MIN 80
#define ROWS_FOR_BLANKS 18 /* fewer: no blank lines between the parts */
#define ROWS_FOR_BAR 3
#define MESSAGE_ROWS 3
#define ROWS_FOR_WAY 8
#define ROWS_FOR_TABLES 5 /* with fewer lines for both lists, only the focused one is shown */
#define ROWS_FOR_THREE 12
#define GRAPH_ROWS_MAX 9 /* with the title */
#define PIDS_NAMED 4
#define TAB_GAP 3 /* columns between tabs; fewer, but one, if that makes room */

/* The rows of the upper list, of ROOM rows for both lists. */
static int upper_rows(const struct view *v, int room)
{
	const struct list_kind *upper = v->place.kind->panes[0];
	const struct list_kind *lower = v->place.kind->panes[1];
	bool one = v->place.zoom.on && view_is_of_processes(upper);
	int most = one ? room / 3 : (room + 1) / 2;
	size_t count = view_row_count(v, upper), below = view_row_count(v, lower);

	if (lower->brief && below < (size_t)(room - most))
		most = room - (below ? (int)below : 1);

	if (count < (size_t)most)
		most = (int)count;
	return most > 0 ? most : 1;
}

/* Three lists: each upper one has up to a third of the rows. */
static void thirds_layout(const struct view *v, struct view_screen *s, int row, int room, int blank)
{
	const struct view_kind *kind = v->place.kind;

	for (size_t i = 0; i < kind->pane_count; i++) {
		int left = (int)(kind->pane_count - i), height = room / left;
		size_t count = view_row_count(v, kind->panes[i]);

		if (left > 1 && count + 1 < (size_t)height)
			height = count ? (int)count + 1 : 2;
		s->row[i] = row;
		s->height[i] = left > 1 ? height : room;
		row += s->height[i] + blank;
		room -= s->height[i];
	}
}

/* A small screen shows only the focused list. */
static void panes_layout(const struct view *v, struct view_screen *s, int row, int room, int blank)
{
	const struct view_kind *kind = v->place.kind;

	if (kind->pane_count == 3 && room - 2 * blank >= ROWS_FOR_THREE) {
		thirds_layout(v, s, row, room - 2 * blank, blank);
		return;
	}
	if (kind->pane_count == 2 && room - blank >= ROWS_FOR_TABLES) {
		s->row[0] = row;
		s->height[0] = 1 + upper_rows(v, room - blank - 2);
		s->row[1] = row + s->height[0] + blank;
		s->height[1] = room - blank - s->height[0];
		return;
	}
	for (size_t i = 0; i < kind->pane_count; i++) {
		s->row[i] = row;
		s->height[i] = kind->panes[i] == v->place.pane ? room : 0;
	}
}

static bool is_at_start(const struct view *v)
{
	return !v->way_count && v->place.kind == view_kinds;
}

/* The lines of the graph of %CPU, with its title, of ROOM lines for it and the lists; 0: no graph. */
static int graph_rows(const struct view *v, int room)
{
	int rows = room / 3;

	if (!v->graph || rows < 2 || !view_is_of_processes(v->place.kind->panes[0]))
		return 0;
	return rows < GRAPH_ROWS_MAX ? rows : GRAPH_ROWS_MAX;
}

static struct view_screen screen_layout(const struct view *v, const struct grid *g)
{
	int rows = grid_rows(g), blank = rows >= ROWS_FOR_BLANKS;
	int row = header_rows(rows, grid_columns(g), &v->meters, v->meter,
			      v->snapshot ? v->snapshot->host.cpus : 0);
	int room;
	struct view_screen s = { .columns = grid_columns(g),
				 .points = grid_points(g),
				 .header_rows = rows,
				 .way_row = -1,
				 .axis_row = -1,
				 .tabs_at = -1,
				 .bar_row = rows >= ROWS_FOR_BAR ? rows - 1 : -1 };

	if (v->snapshot && v->snapshot->past.kept && (blank || v->snapshot->past.to_ns))
		s.axis_row = row++;
	if (blank || (!is_at_start(v) && rows >= ROWS_FOR_WAY))
		s.way_row = row++;
	room = rows - row - (s.bar_row >= 0);
	s.graph_height = graph_rows(v, room);
	s.graph_row = row + room - s.graph_height;
	room -= s.graph_height ? s.graph_height + blank : 0;
	panes_layout(v, &s, row, room, blank);
	return s;
}

static void add_pids(struct buf *out, const struct number_list *pids)
{
	buf_printf(out, "%s", pids->count == 1 ? _("pid ") : _("pids "));
	for (size_t i = 0; i < pids->count && i < PIDS_NAMED; i++)
		buf_printf(out, "%s%u", i ? "," : "", pids->items[i]);
	if (pids->count > PIDS_NAMED)
		buf_add_str(out, ",...");
}

static void add_filter(struct buf *out, const char *words, const char *text)
{
	if (text)
		buf_printf(out, "%s%s '%.40s'", out->size ? ", " : "", words, text);
}

/* Appends the choice of processes; nothing if all are shown. */
static void target_add(const struct view *v, struct buf *out)
{
	buf_add_str(out, "");
	if (v->pids.count)
		add_pids(out, &v->pids);
	if (v->user)
		buf_printf(out, "%s%s %.32s", out->size ? ", " : "", _("user"), v->user);
}

/* Appends the filters, for the header. */
static void filter_describe(const struct view *v, struct buf *out)
{
	target_add(v, out);
	for (int table = 0; column_table(table); table++)
		add_filter(out, _(column_table(table)->filter), v->filters[table]);
}

/* The title of symbols without zoom and filter, by snapshot_target.mode. */
static const struct {
	const char *mode, *words;
} target_words[] = {
	{ "pid", N_("the chosen processes") },      { "tid", N_("the chosen threads") },
	{ "user", N_("the user's processes") },     { "cpu", N_("the chosen CPUs") },
	{ "cgroup", N_("the cgroup's processes") }, { "command", N_("the command") },
};

static const char *target_describe(const struct snapshot *s)
{
	for (size_t i = 0; s->target.mode && i < sizeof(target_words) / sizeof(*target_words);
	     i++) {
		if (!strcmp(s->target.mode, target_words[i].mode))
			return _(target_words[i].words);
	}
	return _("all processes");
}

const char *view_whole(const struct view *v)
{
	const struct view_zoom *zoom = &v->place.zoom;
	bool some = zoom->on || zoom->object_path || zoom->data_path || zoom->cpus || zoom->group ||
		    v->pids.count || v->user || v->filters[list_table(&list_processes)] ||
		    v->options.hide_kernel || v->options.hide_user;

	if (!some)
		return NULL;
	if (v->options.of_all)
		/* xgettext:no-c-format */
		return _("% of all");
	/* xgettext:no-c-format */
	return _("% of shown");
}

/* Appends whose samples are shown. */
static void add_whose(const struct view *v, struct buf *out)
{
	struct buf chosen = { 0 };

	target_add(v, &chosen);
	add_filter(&chosen, _(list_processes.table->filter),
		   v->filters[list_table(&list_processes)]);
	if (v->place.zoom.on)
		buf_printf(out, v->lists.rows.process_count ? "%u %s" : _("%u %s (ended)"),
			   v->place.zoom.pid, v->place.zoom.comm);
	else
		buf_add_str(out, chosen.size ? chosen.bytes : target_describe(v->snapshot));
	buf_fini(&chosen);
}

/* Appends the note of a list of samples: "cycles, pid 4180: % of shown". */
static void note_describe(const struct view *v, struct buf *out)
{
	const char *whole = view_whole(v);

	buf_add_str(out, "");
	if (v->event < 0)
		return;
	buf_printf(out, "%s, ", v->snapshot->events[v->event].name);
	add_whose(v, out);
	if (v->place.zoom.object_path)
		buf_printf(out, ", %s", v->place.zoom.object_name);
	if (v->place.zoom.cpus) {
		char name[CPU_NAME_BYTES];

		cpu_key_name(v->place.zoom.cpus, name);
		buf_printf(out, ", %s", name);
	}
	if (v->place.zoom.group)
		buf_printf(out, ", %s", view_group_name(v, v->place.zoom.group));
	if (v->place.zoom.data_path)
		buf_printf(out, ", %s", v->place.zoom.data_path);
	if (v->options.hide_kernel)
		buf_printf(out, ", %s", _("no kernel symbols"));
	if (v->options.hide_user)
		buf_printf(out, ", %s", _("no user symbols"));
	if (whole)
		buf_printf(out, ": %s", whole);
	if (v->base_name)
		buf_printf(out, _(", base %s"), v->base_name);
}

/* The bytes of "{action}" at TEXT, whose ACTION is stored; 0: it is none, and TEXT may be of others. */
static size_t action_at(const char *text, char action[32])
{
	size_t size = strspn(text + 1, "abcdefghijklmnopqrstuvwxyz-");

	if (!size || size >= 32 || text[size + 1] != '}')
		return 0;
	memcpy(action, text + 1, size);
	action[size] = '\0';
	return size + 2;
}

/*
 * TEXT with the keys of the actions in its braces; where one has no key, as in batch, it ends before the last
 * semicolon.  Borrows OUT.
 */
static const char *with_keys(const struct view *v, const char *text, struct buf *out)
{
	size_t end = 0;

	if (!strchr(text, '{'))
		return text;
	buf_clear(out);
	while (*text) {
		char label[16], action[32];
		size_t size = *text == '{' ? action_at(text, action) : 0;

		end = *text == ';' ? out->size : end;
		if (!size) {
			buf_add_char(out, *text++);
			continue;
		}
		if (!v->key_name || !v->key_name(v->key_context, action, label)) {
			buf_truncate(out, end);
			break;
		}
		buf_add_str(out, label);
		text += size;
	}
	buf_add_str(out, "");
	return out->bytes;
}

/* Only notes of stacks name keys; others have names of processes and mappings. */
static const char *pane_note(struct view *v, const struct list_kind *pane, const char *note)
{
	const char *own = list_note(&v->lists, pane, note);

	if (own == note || pane->table != list_calltree.table)
		return own;
	return with_keys(v, own, &v->note_text[list_number(pane)]);
}

static struct column_row table_row(const void *view, const void *list, size_t i)
{
	const struct view *v = view;
	struct column_row row = list_row(&v->lists, list, i);

	row.tagged = row.process && view_is_tagged(v, row.process);
	return row;
}

static enum column_time time_of(const struct view *v)
{
	const struct snapshot_event *e = v->event < 0 ? NULL : &v->snapshot->events[v->event];

	if (!e || !e->time)
		return TIME_NONE;
	if (!event_has_delays(e->id))
		return TIME_ANY;
	return e->id == EVENT_OFF_CPU ? TIME_OFF_CPU : TIME_WITH_DELAYS;
}

/* Returns true if threads were requested and the snapshot has them. */
static bool has_threads(const struct view *v)
{
	const struct rows *rows = &v->lists.rows;

	return view_wants_threads(v) && (!rows->process_count || rows->processes[0].process->tid);
}

/*
 * Returns the events whose counts are estimates, as bits 1 << enum event_id.  While counters come at ticks, all counts
 * of TASKS are.  Bytes of the network are not, for each call tells its task, but they are while few calls are told.
 */
static uint32_t estimated_events(const struct snapshot *s, bool tasks)
{
	uint32_t found = tasks && s->sampling.sampled_counters ? UINT32_MAX : 0;

	for (size_t i = 0; i < s->event_count; i++) {
		const struct snapshot_event *e = &s->events[i];
		uint32_t bit = 1u << e->id;

		if (!e->sampled && e->period)
			found = snapshot_event_thinned(e) ? found | bit : found & ~bit;
	}
	return found;
}

/* NOTE is about samples.  A list may have a note of its own. */
static struct table pane_table(struct view *v, const struct list_kind *pane, const char *note)
{
	int slot = view_slot(v, list_table(pane));

	return (struct table){
		.columns = pane->table->counted_only ? &v->counted_columns : &v->columns[slot],
		.sort = &v->sort[slot],
		.without = list_without(&v->lists, pane),
		.counted = column_counted(v->snapshot),
		.time = time_of(v),
		.threads = pane->table->tasks && has_threads(v),
		.bars = v->options.bars,
		.estimated = estimated_events(v->snapshot, pane->table->tasks),
		.count = view_row_count(v, pane),
		.selected = TABLE_NONE,
		.note = pane_note(v, pane, note),
		.empty = with_keys(v, list_empty(&v->lists, pane),
				   &v->empty_text[list_number(pane)]),
		.row = table_row,
		.context = v,
		.list = pane,
	};
}

/* Scrolls so that the selected row is on the PAGE, and no line at the end stays empty. */
static void cursor_scroll(struct view_cursor *c, size_t count, size_t page)
{
	c->page = page ? page : 1;
	if (c->centred)
		c->first = c->index > c->page / 2 ? c->index - c->page / 2 : 0;
	c->centred = false;
	if (c->first + c->page > count)
		c->first = count > c->page ? count - c->page : 0;
	if (c->index < c->first)
		c->first = c->index;
	if (c->index >= c->first + c->page)
		c->first = c->index - c->page + 1;
}

/* Draws the title line: the selected box, and the share of the search or NOTE. */
static void flame_title(const struct view *v, struct grid *g, int row, const char *note)
{
	const struct flame *f = flame_list_graph(&v->lists);
	size_t box = v->cursors[list_number(&list_flame)].index;
	int used = 0, columns = grid_columns(g), at = columns - 1;
	char *match = NULL;

	grid_restyle(g, row, 0, -1, STYLE_TITLE);
	if (v->highlight) {
		match = mem_printf(_("'%s' %.1f %%"), v->highlight, f->match_percent);
		note = match;
	}
	if (text_width(note) + 2 < columns / 2) {
		at -= text_width(note);
		grid_text(g, row, at, -1, v->highlight ? STYLE_FLAME_MATCH : STYLE_DIM, note);
	}
	if (box < f->count) {
		const struct call_row *r = &f->boxes[box].row;
		char *shares = isnan(r->delta_percent)
				       ? mem_printf(_("  total %.1f %%  self %.1f %%"),
						    r->total_percent, r->self_percent)
				       : mem_printf(_("  total %.1f %%  delta %+.1f"),
						    r->total_percent, r->delta_percent);
		int room = at - 2 - text_width(shares);

		used = grid_text_cut(g, row, 1, room, STYLE_TITLE,
				     frame_symbol(v->snapshot->frames, r->frame));
		grid_text(g, row, 1 + used, at - 1 - used, STYLE_DIM, shares);
		free(shares);
	}
	free(match);
}

/* Scrolls so that the level of the selected box is visible in HEIGHT rows. */
static void flame_scroll(struct view *v, int height)
{
	const struct flame *f = flame_list_graph(&v->lists);
	size_t box = v->cursors[list_number(&list_flame)].index;
	int level = box < f->count ? f->boxes[box].row.place.depth : 0;

	if (v->flame_first + height > f->levels)
		v->flame_first = f->levels > height ? f->levels - height : 0;
	if (level < v->flame_first)
		v->flame_first = level;
	if (level >= v->flame_first + height)
		v->flame_first = level - height + 1;
}

/* Returns 0 if the view has no tab. */
static int tab_width(const struct view_kind *k)
{
	return k->key && !k->no_tab ? 2 + text_width(_(k->title)) : 0;
}

/* The view whose tab is at COLUMN, or NULL. */
static const struct view_kind *tab_at(const struct view_screen *s, int column)
{
	int at = s->tabs_at;

	for (const struct view_kind *k = view_kinds; k->name && at >= 0; k++) {
		int width = tab_width(k);

		if (width && column >= at && column < at + width)
			return k;
		at += width ? width + s->tabs_gap : 0;
	}
	return NULL;
}

struct flame_area view_flame_area(const struct view *v)
{
	return (struct flame_area){
		.row = v->flame_row,
		.height = v->flame_height,
		.column = 1,
		.first = v->flame_first,
		.icicle = v->place.kind->icicle,
		.selected = SIZE_MAX,
	};
}

/* Draws HEIGHT lines from ROW on; the first one describes the selection. */
static void flame_pane_draw(struct view *v, struct grid *g, int row, int height, const char *note)
{
	struct flame_area area;
	int columns = grid_columns(g) - 2;

	if (height < 2)
		return;
	if (flame_list_columns(&v->lists) != columns) {
		flame_list_layout(&v->lists, columns);
		cursor_restore(v, &list_flame);
	}
	v->flame_row = row + 1;
	v->flame_height = height - 1;
	note = pane_note(v, &list_flame, note);
	flame_scroll(v, height - 1);
	flame_title(v, g, row, note);
	if (!flame_list_graph(&v->lists)->count)
		grid_text(g, row + 1, 1, -1, STYLE_DIM,
			  with_keys(v, list_empty(&v->lists, &list_flame),
				    &v->empty_text[list_number(&list_flame)]));
	area = view_flame_area(v);
	area.selected = v->cursors[list_number(&list_flame)].index;
	flame_draw(g, flame_list_graph(&v->lists), v->snapshot, &area);
}

static void pane_draw(struct view *v, struct grid *g, const struct view_screen *s, size_t i,
		      const char *note)
{
	const struct list_kind *pane = v->place.kind->panes[i];
	struct table t = pane_table(v, pane, note);
	struct view_cursor *c = &v->cursors[list_number(pane)];

	if (s->height[i] < 1)
		return;
	if (pane == &list_flame) {
		flame_pane_draw(v, g, s->row[i], s->height[i], note);
		return;
	}
	cursor_scroll(c, t.count, (size_t)s->height[i] - 1);
	t.first = c->first;
	if (pane == v->place.pane)
		t.selected = c->index;
	table_draw(g, s->row[i], s->height[i], &t);
}

/* %CPU of the selected process of the first list, which may have ended: then there is nothing to draw. */
static void cpu_graph_draw(const struct view *v, struct grid *g, const struct view_screen *s)
{
	const struct list_kind *pane = v->place.kind->panes[0];
	size_t i = v->cursors[list_number(pane)].index;
	struct column_row row = { 0 };

	if (!s->graph_height)
		return;
	if (i < view_row_count(v, pane))
		row = list_row(&v->lists, pane, i);
	graph_draw(
		g, s->graph_row, s->graph_height,
		&(struct graph){
			.process = row.process,
			.figures = row.cpu_past ? cpu_past_all(&v->cpu_past, row.cpu_past) : NULL,
			.count = v->cpu_past.kept,
		});
}

static int tabs_width(int gap)
{
	int width = -gap;

	for (const struct view_kind *k = view_kinds; k->name; k++)
		width += tab_width(k) ? tab_width(k) + gap : 0;
	return width;
}

/* The views and their keys. */
static void tabs_draw(const struct view *v, struct grid *g, int row, int at)
{
	int gap = v->screen.tabs_gap;

	for (const struct view_kind *k = view_kinds; k->name; k++) {
		enum grid_style style = k == v->place.kind ? STYLE_TITLE : STYLE_DIM;

		if (!tab_width(k))
			continue;
		grid_printf(g, row, at, 1, STYLE_KEY, "%c", k->key);
		grid_text(g, row, at + 2, -1, style, _(k->title));
		at += tab_width(k) + gap;
	}
}

/*
 * Draws the path on the left and the tabs of the views on the right.  Tabs that say all replace the
 * path.
 */
static void way_draw(const struct view *v, struct grid *g, struct view_screen *s)
{
	int row = s->way_row;
	bool says = v->way_count || v->place.kind->of_function || v->place.kind->of_wait ||
		    v->place.path.count;
	struct buf way = { 0 };
	bool fits = false;
	int tabs = 0;

	way_describe(v, &way);
	for (s->tabs_gap = TAB_GAP; !fits && s->tabs_gap > 0; s->tabs_gap -= !fits) {
		tabs = grid_columns(g) - 1 - tabs_width(s->tabs_gap);
		fits = tabs > (says ? text_width(way.bytes) + 2 * TAB_GAP : 0);
	}
	if (says || !fits)
		grid_text_cut(g, row, 1, grid_columns(g) - 2, STYLE_TITLE, way.bytes);
	if (!fits)
		tabs = -1;
	else
		tabs_draw(v, g, row, tabs);
	s->tabs_at = tabs;
	buf_fini(&way);
}

static void top_draw(const struct view *v, struct grid *g, int screen_rows)
{
	const struct header_meters usual = { .count = 0 };
	struct buf filters = { 0 };
	struct header_request request = {
		.snapshot = v->snapshot,
		.screen_rows = screen_rows,
		.event = v->event,
		.meters = v->options.batch ? &usual : &v->meters,
		.meter_past = &v->meter_past,
		.meter = v->options.batch ? METER_ONE : v->meter,
		.paused = v->paused,
		.past = v->window.to_ns != 0,
		.mode_text = "",
		.push_text = v->push_text ? v->push_text : "",
		.push_bad = v->push_bad,
	};

	if (v->mode_text && !(v->snapshot && v->snapshot->past.to_ns))
		request.mode_text = v->mode_text;
	filter_describe(v, &filters);
	request.filter_text = filters.bytes;
	header_draw(g, &request);
	buf_fini(&filters);
}

/*
 * Draws the message over the last rows.  It keeps all its lines, since its end says what would
 * work.
 */
static void message_draw(struct grid *g, int bar_row, const char *message)
{
	const char *lines[MESSAGE_ROWS];
	int columns = grid_columns(g), count = 0;

	for (const char *at = message; *at && count < MESSAGE_ROWS; count++) {
		lines[count] = at;
		at += text_wrap(at, columns);
		at += strspn(at, " ");
	}
	for (int i = 0; i < count; i++) {
		size_t size = text_wrap(lines[i], columns);
		char *line =
			i + 1 < MESSAGE_ROWS ? mem_strndup(lines[i], size) : mem_strdup(lines[i]);
		int row = bar_row - count + 1 + i;

		grid_fill(g, row, 0, columns, STYLE_NORMAL, " ");
		grid_text_cut(g, row, 0, columns, STYLE_NORMAL, line);
		free(line);
	}
}

void view_draw(struct view *v, struct grid *g)
{
	struct view_screen *s = &v->screen;
	struct buf note = { 0 };

	view_make_waits(v);
	grid_set_ascii(g, v->options.ascii);
	grid_set_braille(g, v->options.braille);
	*s = screen_layout(v, g);
	grid_clear(g);
	top_draw(v, g, s->header_rows);
	if (v->snapshot) {
		note_describe(v, &note);
		if (s->axis_row >= 0)
			axis_draw(g, s->axis_row, v->snapshot, v->event);
		if (s->way_row >= 0)
			way_draw(v, g, s);
		for (size_t i = 0; i < v->place.kind->pane_count; i++)
			pane_draw(v, g, s, i, note.bytes);
		cpu_graph_draw(v, g, s);
	}
	if (s->bar_row >= 0 && v->message)
		message_draw(g, s->bar_row, v->message);
	else if (s->bar_row >= 0)
		bar_draw(g, s->bar_row, &v->bar);
	buf_fini(&note);
}

/* A second click on the sort column reverses the order. */
static void title_click(struct view *v, size_t pane, int column)
{
	struct table t = pane_table(v, v->place.kind->panes[pane], "");
	const struct column *c = table_column_at(&t, v->screen.columns, column);
	int slot = view_slot(v, list_table(v->place.kind->panes[pane]));
	struct choice_sort *sort = &v->sort[slot];

	if (!c)
		return;
	if (sort->count && sort->keys[0].column == c)
		choice_sort_reverse(sort);
	else
		choice_sort_by(sort, c);
	view_changed(v);
}

/* The row of PANE that was drawn LINE lines below its title, or SIZE_MAX. */
static size_t row_at(const struct view *v, const struct list_kind *pane, int line, int column)
{
	size_t i = v->cursors[list_number(pane)].first + (size_t)line - 1;

	if (pane == &list_flame) {
		struct flame_area area = view_flame_area(v);

		return flame_at(flame_list_graph(&v->lists), &area, area.row + line - 1, column);
	}
	return line > 0 && i < view_row_count(v, pane) ? i : SIZE_MAX;
}

static enum view_click pane_click(struct view *v, size_t pane, int line, int column)
{
	const struct list_kind *id = v->place.kind->panes[pane];
	size_t i = row_at(v, id, line, column);
	bool again = v->place.pane == id && v->cursors[list_number(id)].index == i;

	if (!line && id != &list_flame)
		title_click(v, pane, column);
	if (!line || i == SIZE_MAX)
		return CLICK_NOTHING;
	v->place.pane = id;
	v->hottest_due = false;
	v->cursors[list_number(id)].follows = true;
	cursor_put(v, id, i);
	return again ? CLICK_AGAIN : CLICK_ROW;
}

enum view_click view_click(struct view *v, int row, int column)
{
	const struct view_screen *s = &v->screen;
	const struct view_kind *kind = v->place.kind;

	if (row == s->bar_row || !v->snapshot)
		return row == s->bar_row && !v->message ? CLICK_BAR : CLICK_NOTHING;
	if (row == s->axis_row)
		return view_window_at(v, column) ? CLICK_WINDOW : CLICK_NOTHING;
	if (row == s->way_row) {
		const struct view_kind *tab = tab_at(s, column);

		return tab && view_show(v, tab) ? CLICK_VIEW : CLICK_NOTHING;
	}
	for (size_t i = 0; i < kind->pane_count; i++) {
		if (row >= s->row[i] && row < s->row[i] + s->height[i])
			return pane_click(v, i, row - s->row[i], column);
	}
	return CLICK_NOTHING;
}

size_t view_bar_at(const struct view *v, int column)
{
	return bar_at(&v->bar, v->screen.columns, column);
}

/* The number of lines of T: all rows, or the sentence that replaces them. */
static int table_height(const struct table *t)
{
	return 1 + (t->count ? (int)t->count : 1);
}

/* Draws all levels, without a selection. */
static void flame_draw_batch(struct view *v, struct grid *g, int at, const char *note)
{
	struct flame_area area = { .row = at + 1,
				   .column = 1,
				   .plain = true,
				   .icicle = v->place.kind->icicle,
				   .selected = SIZE_MAX };
	int columns = grid_columns(g);

	flame_list_layout(&v->lists, columns - 2);
	area.height = flame_list_graph(&v->lists)->levels;
	grid_resize(g, at + 1 + (area.height ? area.height : 1), columns);
	note = pane_note(v, &list_flame, note);
	grid_text_right(g, at, 1, columns - 2, STYLE_DIM, note);
	if (!area.height)
		grid_text(g, at + 1, 1, -1, STYLE_DIM,
			  with_keys(v, list_empty(&v->lists, &list_flame),
				    &v->empty_text[list_number(&list_flame)]));
	flame_draw(g, flame_list_graph(&v->lists), v->snapshot, &area);
}

static void panes_draw_batch(struct view *v, struct grid *g, int at, const char *note)
{
	const struct view_kind *kind = v->place.kind;
	struct table tables[KIND_PANES];
	int rows = at - 1;

	for (size_t i = 0; i < kind->pane_count; i++) {
		tables[i] = pane_table(v, kind->panes[i], note);
		rows += 1 + table_height(&tables[i]);
	}
	grid_resize(g, rows, grid_columns(g));
	for (size_t i = 0; i < kind->pane_count; i++) {
		table_draw(g, at, table_height(&tables[i]), &tables[i]);
		at += 1 + table_height(&tables[i]);
	}
}

void view_draw_batch(struct view *v, struct grid *g)
{
	const struct header_meters usual = { .count = 0 };
	int columns = v->options.batch_columns ? v->options.batch_columns : BATCH_COLUMNS;
	struct buf note = { 0 };
	int at;

	if (!v->snapshot)
		return;
	if (columns < BATCH_COLUMNS_MIN)
		columns = BATCH_COLUMNS_MIN;
	note_describe(v, &note);
	at = header_rows(INT_MAX, columns, &usual, METER_ONE, 0) + 1;
	grid_set_ascii(g, v->options.ascii);
	grid_set_braille(g, v->options.braille);
	grid_resize(g, 1, columns);
	if (v->place.kind->flame)
		flame_draw_batch(v, g, at, note.bytes);
	else
		panes_draw_batch(v, g, at, note.bytes);
	top_draw(v, g, INT_MAX);
	buf_fini(&note);
}
