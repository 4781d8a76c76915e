/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/widget/grid.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "view/widget/text.h"

#define REPLACEMENT 0xfffdu
#define ELLIPSIS "\xe2\x80\xa6"

struct grid {
	int rows, columns;
	bool ascii, braille;
	struct grid_cell *cells;
};

static const struct grid_cell blank = { .text = { ' ' }, .width = 1, .style = STYLE_NORMAL };

struct grid *grid_new(int rows, int columns)
{
	struct grid *g = mem_alloc(sizeof(*g));

	grid_resize(g, rows, columns);
	return g;
}

void grid_free(struct grid *g)
{
	if (!g)
		return;
	free(g->cells);
	free(g);
}

void grid_resize(struct grid *g, int rows, int columns)
{
	g->rows = rows > 0 ? rows : 0;
	g->columns = columns > 0 ? columns : 0;
	free(g->cells);
	g->cells = mem_array((size_t)g->rows * (size_t)g->columns, sizeof(*g->cells));
	grid_clear(g);
}

void grid_clear(struct grid *g)
{
	size_t count = (size_t)g->rows * (size_t)g->columns;

	for (size_t i = 0; i < count; i++)
		g->cells[i] = blank;
}

void grid_copy(struct grid *to, const struct grid *from)
{
	if (to->rows != from->rows || to->columns != from->columns)
		grid_resize(to, from->rows, from->columns);
	memcpy(to->cells, from->cells,
	       (size_t)from->rows * (size_t)from->columns * sizeof(*from->cells));
}

void grid_set_ascii(struct grid *g, bool ascii)
{
	g->ascii = ascii;
}

bool grid_ascii(const struct grid *g)
{
	return g->ascii;
}

void grid_set_braille(struct grid *g, bool braille)
{
	g->braille = braille;
}

int grid_points(const struct grid *g)
{
	return g->braille && !g->ascii ? 2 : 1;
}

int grid_rows(const struct grid *g)
{
	return g->rows;
}

int grid_columns(const struct grid *g)
{
	return g->columns;
}

static struct grid_cell *cell_at(const struct grid *g, int row, int column)
{
	if (row < 0 || row >= g->rows || column < 0 || column >= g->columns)
		return NULL;
	return &g->cells[(size_t)row * (size_t)g->columns + (size_t)column];
}

const struct grid_cell *grid_at(const struct grid *g, int row, int column)
{
	return cell_at(g, row, column);
}

/* Clears the cell.  If it was half of a wide character, the other half is cleared, too. */
static struct grid_cell *cell_clear(struct grid *g, int row, int column)
{
	struct grid_cell *c = cell_at(g, row, column);

	if (!c)
		return NULL;
	if (c->width == 0 && column > 0)
		c[-1] = (struct grid_cell){ .text = { ' ' }, .width = 1, .style = c[-1].style };
	if (c->width == 2 && column + 1 < g->columns)
		c[1] = (struct grid_cell){ .text = { ' ' }, .width = 1, .style = c[1].style };
	*c = blank;
	return c;
}

/* WIDTH is 1 or 2, and then both cells are on the grid. */
static void cell_put(struct grid *g, int row, int column, uint32_t character, int width)
{
	struct grid_cell *c = cell_clear(g, row, column);

	if (!c)
		return;
	c->text[0] = character;
	if (width == 2) {
		cell_clear(g, row, column + 1);
		c[1].text[0] = 0;
		c[1].width = 0;
	}
	c->width = (uint8_t)width;
}

static void cell_combine(struct grid_cell *c, uint32_t character)
{
	for (size_t i = 1; i <= GRID_COMBINING; i++) {
		if (!c->text[i]) {
			c->text[i] = character;
			return;
		}
	}
}

/* The number of columns from COLUMN to the right edge, at most WIDTH (-1: any). */
static int field_width(const struct grid *g, int column, int width)
{
	int room = g->columns - column;

	if (room < 0)
		room = 0;
	return width < 0 || width > room ? room : width;
}

static uint32_t next_character(const struct grid *g, const char **text, int *width)
{
	uint32_t c = text_next(text, width);

	if (g->ascii && c >= 0x80) {
		*width = *width ? 1 : 0;
		return '?';
	}
	return c;
}

int grid_text(struct grid *g, int row, int column, int width, enum grid_style style,
	      const char *text)
{
	int used = 0, at = -1, wide;
	uint32_t c;

	width = field_width(g, column, width);
	while ((c = next_character(g, &text, &wide))) {
		struct grid_cell *base = at < 0 ? NULL : cell_at(g, row, at);

		if (!wide) {
			if (base && !g->ascii)
				cell_combine(base, c);
			continue;
		}
		if (used + wide > width)
			break;
		at = column + used;
		if (at >= 0)
			cell_put(g, row, at, c, wide);
		used += wide;
	}
	grid_restyle(g, row, column, used, style);
	return used;
}

int grid_printf(struct grid *g, int row, int column, int width, enum grid_style style,
		const char *format, ...)
{
	char text[512];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	return grid_text(g, row, column, width, style, text);
}

/* As text_width(), but stops when the width exceeds LIMIT. */
static int width_up_to(const struct grid *g, const char *text, int limit)
{
	int sum = 0, width;

	while (sum <= limit && next_character(g, &text, &width))
		sum += width;
	return sum;
}

int grid_text_cut(struct grid *g, int row, int column, int width, enum grid_style style,
		  const char *text)
{
	int used;

	width = field_width(g, column, width);
	if (width < 2 || width_up_to(g, text, width) <= width)
		return grid_text(g, row, column, width, style, text);
	used = grid_text(g, row, column, width - 1, style, text);
	return used + grid_text(g, row, column + used, 1, style, g->ascii ? "~" : ELLIPSIS);
}

int grid_text_end(struct grid *g, int row, int column, int width, enum grid_style style,
		  const char *text)
{
	int used, ignored;

	width = field_width(g, column, width);
	if (width < 2 || width_up_to(g, text, width) <= width)
		return grid_text(g, row, column, width, style, text);
	while (width_up_to(g, text, width - 1) > width - 1)
		next_character(g, &text, &ignored);
	used = grid_text(g, row, column, 1, style, g->ascii ? "~" : ELLIPSIS);
	return used + grid_text(g, row, column + used, width - used, style, text);
}

int grid_text_right(struct grid *g, int row, int column, int width, enum grid_style style,
		    const char *text)
{
	int needed;

	width = field_width(g, column, width);
	needed = width_up_to(g, text, width);
	if (needed > width) {
		grid_fill(g, row, column, width, style, "#");
		return width;
	}
	return grid_text(g, row, column + width - needed, needed, style, text);
}

void grid_fill(struct grid *g, int row, int column, int width, enum grid_style style,
	       const char *text)
{
	int wide;
	uint32_t c = next_character(g, &text, &wide);

	width = field_width(g, column, width);
	for (int i = 0; c && wide && i + wide <= width; i += wide) {
		if (column + i >= 0)
			cell_put(g, row, column + i, c, wide);
	}
	grid_restyle(g, row, column, width, style);
}

#define LEVELS 8 /* of a block character */

void grid_level(struct grid *g, int row, int column, enum grid_style style, double part)
{
	static const char ascii[LEVELS + 1] = " .:-=+*#";
	int level = (int)ceil(part * LEVELS);
	char text[8] = " ";

	level = level > LEVELS ? LEVELS : level;
	if (level >= 1 && grid_ascii(g))
		snprintf(text, sizeof(text), "%c", ascii[level < LEVELS ? level : LEVELS - 1]);
	else if (level >= 1) /* from U+2581 on */
		snprintf(text, sizeof(text), "\xe2\x96%c", (char)(0x80 + level));
	grid_text(g, row, column, 1, style, text);
}

#define DOTS 4 /* of a column of a braille character, which has two */

void grid_graph(struct grid *g, int row, int column, enum grid_style style, const double *parts)
{
	/* Bits of the Unicode pattern, from U+2800 on: of the lowest dots, none to all. */
	static const unsigned char patterns[2][DOTS + 1] = {
		{ 0, 0x40, 0x44, 0x46, 0x47 },
		{ 0, 0x80, 0xa0, 0xb0, 0xb8 },
	};
	unsigned pattern = 0;
	char text[8] = " ";

	if (grid_points(g) == 1) {
		grid_level(g, row, column, style, parts[0] > 0 ? parts[0] : 0);
		return;
	}
	for (int i = 0; i < 2; i++)
		pattern |= patterns[i][parts[i] > 0 ? (int)ceil(fmin(parts[i], 1) * DOTS) : 0];
	if (pattern)
		snprintf(text, sizeof(text), "\xe2%c%c", (char)(0xa0 + (pattern >> 6)),
			 (char)(0x80 + (pattern & 0x3f)));
	grid_text(g, row, column, 1, style, text);
}

void grid_bar(struct grid *g, int row, int column, int width, enum grid_style style, double part)
{
	int steps = grid_ascii(g) ? 1 : LEVELS, most = width * steps, length;
	char text[8];

	if (!(part > 0) || width < 1)
		return;
	length = part < 1 ? (int)lround(part * most) : most;
	grid_fill(g, row, column, length / steps, style, grid_ascii(g) ? "#" : "█");
	if (length % steps == 0)
		return;
	/* U+258F is an eighth, U+2589 seven of them. */
	snprintf(text, sizeof(text), "\xe2\x96%c", (char)(0x90 - length % steps));
	grid_text(g, row, column + length / steps, 1, style, text);
}

void grid_restyle(struct grid *g, int row, int column, int width, enum grid_style style)
{
	width = field_width(g, column, width);
	for (int i = 0; i < width; i++) {
		struct grid_cell *c = cell_at(g, row, column + i);

		if (c)
			c->style = (uint8_t)style;
	}
}

static void cell_dump(const struct grid_cell *c, struct buf *out)
{
	char bytes[4];

	for (size_t i = 0; i <= GRID_COMBINING && c->text[i]; i++)
		buf_add(out, bytes, text_encode(c->text[i], bytes));
}

static bool is_blank(const struct grid_cell *c)
{
	return c->text[0] == ' ' && !c->text[1];
}

void grid_dump(const struct grid *g, struct buf *out)
{
	for (int row = 0; row < g->rows; row++) {
		int end = g->columns;

		while (end > 0 && is_blank(cell_at(g, row, end - 1)))
			end--;
		for (int column = 0; column < end; column++)
			cell_dump(cell_at(g, row, column), out);
		buf_add_char(out, '\n');
	}
}
