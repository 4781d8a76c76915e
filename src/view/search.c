/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "view/view-state.h"
#include "view/widget/text.h"

/* Searches a text in the rows of a list; in trees also in closed rows. */

void search_fini(struct search *s)
{
	mem_free(s->due, s->text, s->frames, s->opened);
	memset(s, 0, sizeof(*s));
}

static bool frame_matches(const struct frame_table *t, uint32_t frame, const char *text)
{
	return text_contains(frame_symbol(t, frame), text) ||
	       text_contains(frame_object_name(t, frame), text);
}

/*
 * Marks the frames that contain TEXT.  Frames never change, so only new ones are compared; if TEXT
 * grew, only those that matched before.
 */
static void frames_mark(struct search *s, const struct frame_table *t, const char *text)
{
	bool longer = s->text && !strncmp(s->text, text, strlen(s->text));
	size_t count = frame_table_count(t);

	if (!longer || strcmp(s->text, text)) {
		for (uint32_t i = 0; i < s->frame_count; i++)
			s->frames[i] = (!longer || s->frames[i]) && frame_matches(t, i, text);
		free(s->text);
		s->text = mem_strdup(text);
	}
	mem_grow((void **)&s->frames, &s->frame_capacity, count + 1, 1);
	for (; s->frame_count < count; s->frame_count++)
		s->frames[s->frame_count] = frame_matches(t, (uint32_t)s->frame_count, text);
}

/*
 * Closes the rows that the path to the previous match opened.  Returns the row where that path
 * began, otherwise FROM.
 */
static size_t untyped(struct view *v, const struct list_kind *list, size_t from)
{
	struct search *s = &v->search;
	struct calls_state *state = call_list_opened(&v->lists, list);
	size_t row;

	if (!s->opened_count || s->opened_list != list)
		return from;
	for (size_t i = 0; i < s->opened_count; i++)
		calls_choose(state, s->opened[i], false);
	row = calls_row_of(call_list_calls(&v->lists, list), s->opened[0], 0);
	if (row == SIZE_MAX)
		return from;
	call_list_fold(&v->lists, list, row);
	return row;
}

static bool calls_searched(struct view *v, const char *text, int direction)
{
	const struct list_kind *list = v->place.pane;
	struct view_cursor *c = &v->cursors[list_number(v->place.pane)];
	struct search *s = &v->search;
	struct calls_search search = { .from = c->index, .direction = direction };
	size_t found;

	if (!direction)
		search.from = untyped(v, list, c->index);
	frames_mark(s, v->snapshot->frames, text);
	search.marks.frames = s->frames;
	search.marks.frame_count = s->frame_count;
	found = call_list_find(&v->lists, list, &search);
	free(s->opened);
	s->opened = search.opened;
	s->opened_count = search.opened_count;
	s->opened_list = list;
	c->follows = true;
	cursor_put(v, v->place.pane, found == SIZE_MAX ? search.from : found);
	return found != SIZE_MAX;
}

/* While a person types: the largest box that matches, anywhere. */
static bool boxes_searched(struct view *v)
{
	const struct flame *f = flame_list_graph(&v->lists);
	size_t best = SIZE_MAX;

	for (size_t i = 0; i < f->count; i++) {
		if (f->boxes[i].match &&
		    (best == SIZE_MAX || f->boxes[i].weight > f->boxes[best].weight))
			best = i;
	}
	if (best == SIZE_MAX)
		return false;
	v->cursors[list_number(&list_flame)].follows = true;
	cursor_put(v, &list_flame, best);
	return true;
}

static bool rows_searched(struct view *v, const char *text, int direction)
{
	struct view_cursor *c = &v->cursors[list_number(v->place.pane)];
	size_t count = view_row_count(v, v->place.pane);
	size_t step = direction < 0 ? count - 1 : 1, i = c->index;

	if (direction)
		i = (i + step) % count;
	for (size_t tried = 0; tried < count; tried++, i = (i + step) % count) {
		if (list_matches(&v->lists, v->place.pane, i, text)) {
			c->follows = true;
			cursor_put(v, v->place.pane, i);
			return true;
		}
	}
	return false;
}

/* The next entry of ALL after the selected one that matches; their count: none. */
static size_t process_find(const struct view *v, const struct rows *all, const char *text,
			   int direction)
{
	size_t count = all->process_count, step = direction < 0 ? count - 1 : 1, i = 0;
	size_t selected = v->cursors[list_number(v->place.pane)].index;

	while (i < count &&
	       rows_process_key(&all->processes[i]) != view_row_key(v, v->place.pane, selected))
		i++;
	i = i < count ? i : 0;
	if (direction)
		i = (i + step) % count;
	for (size_t tried = 0; tried < count; tried++, i = (i + step) % count) {
		if (rows_process_matches(all->processes[i].process, text, v->options.full_command))
			return i;
	}
	return count;
}

/* Searches a tree of processes with closed rows. */
static bool processes_searched(struct view *v, const char *text, int direction)
{
	struct view_cursor *c = &v->cursors[list_number(v->place.pane)];
	struct rows all = { 0 };
	uint16_t depth;
	size_t i;

	lists_all_processes(&v->lists, &all);
	i = process_find(v, &all, text, direction);
	if (i == all.process_count) {
		rows_fini(&all);
		return false;
	}
	c->follows = true;
	c->key = rows_process_key(&all.processes[i]);
	depth = all.processes[i].place.depth;
	for (; i-- > 0 && depth;) {
		if (all.processes[i].place.depth >= depth)
			continue;
		depth = all.processes[i].place.depth;
		map_remove(&v->folded, all.processes[i].process->serial);
	}
	rows_fini(&all);
	return view_changed(v);
}

bool search_highlight(struct view *v, const char *text)
{
	const char *now = v->highlight ? v->highlight : "";

	if (!strcmp(now, text ? text : ""))
		return false;
	free(v->highlight);
	v->highlight = text && *text ? mem_strdup(text) : NULL;
	return view_changed(v);
}

void view_search_begin(struct view *v)
{
	v->search.opened_count = 0;
}

bool view_search(struct view *v, const char *text, int direction)
{
	const struct list_kind *pane = v->place.pane;

	if (v->place.kind->flame)
		search_highlight(v, text);
	if (!v->snapshot) {
		free(v->search.due);
		v->search.due = text && *text ? mem_strdup(text) : NULL;
		return true;
	}
	if (!text || !*text || v->cursors[list_number(pane)].index >= view_row_count(v, pane))
		return false;
	if (v->place.kind->flame && !direction)
		return boxes_searched(v);
	v->searched |= view_is_of_processes(pane);
	v->hottest_due = false;
	if (list_is_calls(pane))
		return calls_searched(v, text, direction);
	if (v->place.kind->tree && v->folded.count)
		return processes_searched(v, text, direction);
	return rows_searched(v, text, direction);
}

void search_due(struct view *v)
{
	char *text = v->search.due;

	v->search.due = NULL;
	if (text)
		view_search(v, text, 0);
	free(text);
}
