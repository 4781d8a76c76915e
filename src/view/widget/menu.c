/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/widget/menu.h"

#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "view/widget/text.h"

#define MARGIN 1
#define BODY_ROW 2   /* under the title and a blank line */
#define FRAME_ROWS 4 /* title, blank; blank, hint */
#define NAME_WIDTH_MIN 16

struct menu_entry {
	char *name, *status; /* owned; the latter may be NULL */
	enum menu_mark mark;
	bool disabled;
};

struct menu {
	char *title, *hint;
	struct menu_entry *entries;
	size_t count;
	size_t selected, first, height; /* height: rows that fitted, at least 1 */
	int body_row;                   /* where the first item was drawn */
};

static const char *const mark_text[] = { "", "[ ] ", "[x] ", "    " };

struct menu *menu_new(const char *title, const char *hint)
{
	struct menu *m = mem_alloc(sizeof(*m));

	m->title = mem_strdup(title);
	m->hint = mem_strdup(hint);
	m->height = 1;
	return m;
}

static void entries_free(struct menu_entry *entries, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		free(entries[i].name);
		free(entries[i].status);
	}
	free(entries);
}

void menu_free(struct menu *m)
{
	if (!m)
		return;
	entries_free(m->entries, m->count);
	mem_free(m->title, m->hint, m);
}

/* The index of NAME in M, first tried at PLACE; without it, PLACE or the last row. */
static size_t entry_find(const struct menu *m, const char *name, size_t place)
{
	if (name && place < m->count && !strcmp(m->entries[place].name, name))
		return place;
	for (size_t i = 0; name && i < m->count; i++) {
		if (!strcmp(m->entries[i].name, name))
			return i;
	}
	if (place < m->count)
		return place;
	return m->count ? m->count - 1 : 0;
}

void menu_set(struct menu *m, const struct menu_item *items, size_t count)
{
	struct menu_entry *old = m->entries;
	size_t old_count = m->count;

	m->entries = mem_array(count, sizeof(*m->entries));
	m->count = count;
	for (size_t i = 0; i < count; i++) {
		m->entries[i] = (struct menu_entry){
			.name = mem_strdup(items[i].name),
			.status = items[i].status ? mem_strdup(items[i].status) : NULL,
			.mark = items[i].mark,
			.disabled = items[i].disabled,
		};
	}
	m->selected =
		entry_find(m, m->selected < old_count ? old[m->selected].name : NULL, m->selected);
	entries_free(old, old_count);
}

size_t menu_selected(const struct menu *m)
{
	return m->selected;
}

bool menu_select(struct menu *m, size_t item)
{
	if (item >= m->count || item == m->selected)
		return false;
	m->selected = item;
	return true;
}

size_t menu_at(const struct menu *m, int row)
{
	size_t item = m->first + (size_t)(row - m->body_row);

	return row >= m->body_row && (size_t)(row - m->body_row) < m->height && item < m->count
		       ? item
		       : SIZE_MAX;
}

bool menu_move(struct menu *m, long rows)
{
	size_t last = m->count ? m->count - 1 : 0, at = m->selected;

	if (rows < 0)
		at = at < -(size_t)rows ? 0 : at + (size_t)rows;
	else
		at = (size_t)rows > last - at ? last : at + (size_t)rows;
	return menu_select(m, at);
}

bool menu_turn(struct menu *m, int pages)
{
	return menu_move(m, pages * (long)(m->height > 1 ? m->height - 1 : 1));
}

static int initial(const char *name)
{
	while (*name && !isalnum((unsigned char)*name))
		name++;
	return toupper((unsigned char)*name);
}

bool menu_jump(struct menu *m, uint32_t letter)
{
	if (letter > 0x7f || !isalnum((int)letter))
		return false;
	for (size_t i = 1; i <= m->count; i++) {
		size_t at = (m->selected + i) % m->count;

		if (initial(m->entries[at].name) == toupper((int)letter))
			return menu_select(m, at);
	}
	return false;
}

/* All names have one width, so the status texts are aligned. */
static int name_width(const struct menu *m, int columns)
{
	int width = NAME_WIDTH_MIN;

	for (size_t i = 0; i < m->count; i++) {
		int needed =
			text_width(m->entries[i].name) + (int)strlen(mark_text[m->entries[i].mark]);

		if (needed > width)
			width = needed;
	}
	return width < columns / 2 ? width : columns / 2;
}

static void entry_draw(struct grid *g, int row, int width, const struct menu_entry *e)
{
	enum grid_style style = e->disabled ? STYLE_DIM : STYLE_NORMAL;
	int mark = grid_text(g, row, MARGIN, width, style, mark_text[e->mark]);

	grid_text_cut(g, row, MARGIN + mark, width - mark, style, e->name);
	if (e->status)
		grid_text_cut(g, row, MARGIN + width + 2, -1, STYLE_DIM, e->status);
}

static void menu_scroll(struct menu *m)
{
	if (m->first + m->height > m->count)
		m->first = m->count > m->height ? m->count - m->height : 0;
	if (m->selected < m->first)
		m->first = m->selected;
	if (m->selected >= m->first + m->height)
		m->first = m->selected - m->height + 1;
}

void menu_draw(struct menu *m, struct grid *g)
{
	int rows = grid_rows(g), width = name_width(m, grid_columns(g));

	grid_clear(g);
	m->body_row = rows > FRAME_ROWS ? BODY_ROW : 1;
	m->height = rows > FRAME_ROWS ? (size_t)(rows - FRAME_ROWS) : 1;
	menu_scroll(m);
	grid_restyle(g, 0, 0, -1, STYLE_TITLE);
	grid_text(g, 0, MARGIN, -1, STYLE_TITLE, m->title);
	for (size_t i = 0; i < m->height && m->first + i < m->count; i++) {
		int row = m->body_row + (int)i;

		entry_draw(g, row, width, &m->entries[m->first + i]);
		if (m->first + i == m->selected)
			grid_restyle(g, row, 0, -1, STYLE_SELECTED);
	}
	if (rows > FRAME_ROWS)
		grid_text(g, rows - 1, MARGIN, -1, STYLE_DIM, m->hint);
}
