/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/widget/page.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/i18n.h"
#include "view/widget/text.h"

#define MARGIN 1
#define BODY_ROW 2   /* under the title and a blank line */
#define FRAME_ROWS 4 /* title, blank; blank, hint */
#define KEY_WIDTH_MAX 24

struct page_line {
	char *key;             /* owned, NULL: TEXT begins at the margin */
	char *text;            /* owned */
	enum grid_style style; /* of the text */
};

/* A part of a line that fits on the screen. */
struct page_row {
	size_t line;
	size_t from, size; /* bytes of its text */
};

struct page {
	char *title, *hint;
	struct page_line *lines;
	size_t line_count, line_capacity;
	struct page_row *rows; /* for `columns` */
	size_t row_count, row_capacity;
	size_t first;  /* the row on top */
	size_t height; /* rows of text that fitted; at least 1 */
	int columns;   /* width that rows[] was made for; 0: none */
	int key_width;
};

struct page *page_new(const char *title, const char *hint)
{
	struct page *p = mem_alloc(sizeof(*p));

	p->title = mem_strdup(title);
	p->hint = mem_strdup(hint);
	p->height = 1;
	return p;
}

void page_free(struct page *p)
{
	if (!p)
		return;
	for (size_t i = 0; i < p->line_count; i++) {
		free(p->lines[i].key);
		free(p->lines[i].text);
	}
	mem_free(p->lines, p->rows, p->title, p->hint, p);
}

static void line_add(struct page *p, const char *key, const char *text, enum grid_style style)
{
	mem_grow((void **)&p->lines, &p->line_capacity, p->line_count + 1, sizeof(*p->lines));
	p->lines[p->line_count++] = (struct page_line){
		.key = key ? mem_strdup(key) : NULL,
		.text = mem_strdup(text),
		.style = style,
	};
	p->columns = 0;
}

void page_add_heading(struct page *p, const char *text)
{
	if (p->line_count)
		line_add(p, NULL, "", STYLE_NORMAL);
	line_add(p, NULL, text, STYLE_TITLE);
}

void page_add_text(struct page *p, const char *text)
{
	line_add(p, NULL, text, STYLE_NORMAL);
}

void page_add_pair(struct page *p, const char *key, const char *text)
{
	int width = text_width(key);

	if (width > p->key_width)
		p->key_width = width < KEY_WIDTH_MAX ? width : KEY_WIDTH_MAX;
	line_add(p, key, text, STYLE_NORMAL);
}

static int text_column(const struct page *p, const struct page_line *line)
{
	return MARGIN + (line->key ? p->key_width + 2 : 0);
}

static void rows_add(struct page *p, size_t line, int width)
{
	const char *text = p->lines[line].text;
	size_t from = 0, size;

	do {
		size = text_wrap(text + from, width);
		mem_grow((void **)&p->rows, &p->row_capacity, p->row_count + 1, sizeof(*p->rows));
		p->rows[p->row_count++] = (struct page_row){ line, from, size };
		from += size;
		from += strspn(text + from, " ");
	} while (text[from]);
}

static void page_wrap(struct page *p, int columns)
{
	if (p->columns == columns)
		return;
	p->columns = columns;
	p->row_count = 0;
	for (size_t i = 0; i < p->line_count; i++) {
		int width = columns - MARGIN - text_column(p, &p->lines[i]);

		rows_add(p, i, width > 8 ? width : 8);
	}
}

static size_t first_max(const struct page *p)
{
	return p->row_count > p->height ? p->row_count - p->height : 0;
}

bool page_move(struct page *p, long lines)
{
	size_t before = p->first, last = first_max(p);

	if (lines < 0)
		p->first = before < -(size_t)lines ? 0 : before + (size_t)lines;
	else if (before < last)
		p->first = last - before < (size_t)lines ? last : before + (size_t)lines;
	return p->first != before;
}

bool page_turn(struct page *p, int pages)
{
	return page_move(p, pages * (long)(p->height > 1 ? p->height - 1 : 1));
}

static void row_draw(const struct page *p, struct grid *g, int row, const struct page_row *r)
{
	const struct page_line *line = &p->lines[r->line];
	char *text = mem_strndup(line->text + r->from, r->size);

	if (line->key && !r->from)
		grid_text_cut(g, row, MARGIN, p->key_width, STYLE_KEY, line->key);
	grid_text(g, row, text_column(p, line), -1, line->style, text);
	free(text);
}

static void hint_draw(const struct page *p, struct grid *g)
{
	int row = grid_rows(g) - 1, columns = grid_columns(g);
	size_t last = p->first + p->height;
	char place[64];

	grid_text(g, row, MARGIN, -1, STYLE_DIM, p->hint);
	if (p->row_count <= p->height)
		return;
	snprintf(place, sizeof(place), _("%zu-%zu of %zu"), p->first + 1,
		 last < p->row_count ? last : p->row_count, p->row_count);
	if (MARGIN + text_width(p->hint) + 2 + text_width(place) + MARGIN <= columns)
		grid_text_right(g, row, 0, columns - MARGIN, STYLE_DIM, place);
}

void page_draw(struct page *p, struct grid *g)
{
	int rows = grid_rows(g);

	grid_clear(g);
	page_wrap(p, grid_columns(g));
	p->height = rows > FRAME_ROWS ? (size_t)(rows - FRAME_ROWS) : 1;
	if (p->first > first_max(p))
		p->first = first_max(p);
	grid_restyle(g, 0, 0, -1, STYLE_TITLE);
	grid_text(g, 0, MARGIN, -1, STYLE_TITLE, p->title);
	for (size_t i = 0; i < p->height && p->first + i < p->row_count; i++)
		row_draw(p, g, BODY_ROW + (int)i, &p->rows[p->first + i]);
	if (rows > FRAME_ROWS)
		hint_draw(p, g);
}
