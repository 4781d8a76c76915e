/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/widget/table.h"

#include <math.h>
#include <string.h>

#include "view/widget/text.h"

#define MARGIN 1
#define COLUMNS_NARROW 60
#define COLUMNS_ROOMY 100
#define REST_NARROW 12 /* least width of COMMAND or SYMBOL, on a narrow screen and otherwise */
#define REST_MIN 16
#define PRIORITY_UNCOUNTED 100
#define PRIORITY_LITTLE 5   /* columns from this priority on give way to `comfort` */
#define NOTE_MIN 8          /* least width of a cut note */
#define REST_COMFORTABLE 50 /* columns left for those that grow */
#define BAR 6               /* columns of a bar, with the gap in front of it */
#define REST_WITH_BARS 30   /* columns left for the rest when more than one share gets a bar */

struct table_cell {
	const struct column *column;
	int at, width;
	int bar; /* columns behind the number for its bar; 0: it has none */
};

struct table_layout {
	struct table_cell cells[CHOICE_COLUMNS];
	size_t count;
	bool names_objects; /* a column grows */
};

static int gap_of(int columns)
{
	return columns >= COLUMNS_ROOMY ? 2 : 1;
}

static int rest_min(int columns)
{
	return columns < COLUMNS_NARROW ? REST_NARROW : REST_MIN;
}

/* The width of all cells, gaps and margins; the last cell with its minimum. */
static int layout_width(const struct table_layout *l, int columns)
{
	int sum = MARGIN;

	for (size_t i = 0; i < l->count; i++) {
		const struct column *c = l->cells[i].column;

		sum += (c->width ? c->width : rest_min(columns)) + l->cells[i].bar +
		       gap_of(columns);
	}
	return sum - gap_of(columns);
}

static const char *title_of(const struct table *t, const struct column *c)
{
	return t->threads && c->thread_title ? c->thread_title : c->title;
}

static const struct column *sorted_column(const struct table *t)
{
	return t->sort->count ? t->sort->keys[0].column : NULL;
}

static int priority_of(const struct table *t, const struct column *c)
{
	if (c == sorted_column(t))
		return 0;
	return c->priority + (c->needs & ~t->counted ? PRIORITY_UNCOUNTED : 0);
}

/* The index of the cell to drop first. */
static size_t layout_least(const struct table_layout *l, const struct table *t)
{
	size_t least = 0;

	for (size_t i = 1; i < l->count; i++) {
		if (priority_of(t, l->cells[i].column) >= priority_of(t, l->cells[least].column))
			least = i;
	}
	return least;
}

/* Gives a bar to the share that would be dropped last.  Returns false if each share has one. */
static bool layout_add_bar(struct table_layout *l, const struct table *t)
{
	struct table_cell *next = NULL;

	for (size_t i = 0; i < l->count; i++) {
		struct table_cell *cell = &l->cells[i];

		if (cell->column->share && !cell->bar &&
		    (!next || priority_of(t, cell->column) < priority_of(t, next->column)))
			next = cell;
	}
	if (next)
		next->bar = BAR;
	return next;
}

static void layout_drop_least(struct table_layout *l, const struct table *t)
{
	size_t least = layout_least(l, t);

	l->count--;
	memmove(&l->cells[least], &l->cells[least + 1], (l->count - least) * sizeof(l->cells[0]));
}

/* Drops minor columns before long or indented names are cut. */
static void layout_comfort(struct table_layout *l, const struct table *t, int columns)
{
	int comfort = 0;

	for (size_t i = 0; i < l->count; i++)
		comfort += l->cells[i].column->comfort;
	while (comfort && columns - layout_width(l, columns) + rest_min(columns) < comfort &&
	       priority_of(t, l->cells[layout_least(l, t)].column) >= PRIORITY_LITTLE)
		layout_drop_least(l, t);
}

/* Gives bars to further shares as far as names keep their room. */
static void layout_more_bars(struct table_layout *l, const struct table *t, int columns)
{
	int room = columns - layout_width(l, columns) + rest_min(columns) - REST_WITH_BARS;

	while (room >= BAR && layout_add_bar(l, t))
		room -= BAR;
}

/* Distributes ROOM more columns to cells that grow, left to right. */
static void layout_grow(struct table_layout *l, int room)
{
	for (size_t i = 0; i < l->count && room > 0; i++) {
		int more = l->cells[i].column->grow;

		if (more > room)
			more = room;
		l->cells[i].width += more;
		room -= more;
	}
}

static void layout_place(struct table_layout *l, int columns)
{
	int left = columns - layout_width(l, columns) + rest_min(columns), at = MARGIN;
	bool rest = false;

	for (size_t i = 0; i < l->count; i++) {
		l->cells[i].width = l->cells[i].column->width;
		rest |= !l->cells[i].width;
	}
	if (rest && left > REST_COMFORTABLE)
		layout_grow(l, (left - REST_COMFORTABLE) / 2);
	left = columns - MARGIN + gap_of(columns);
	for (size_t i = 0; i < l->count; i++)
		left -= l->cells[i].width + l->cells[i].bar + gap_of(columns);
	for (size_t i = 0; i < l->count; i++) {
		struct table_cell *cell = &l->cells[i];

		if (!cell->column->width) {
			cell->width = left > 0 ? left : 0;
			left = 0;
		}
		cell->at = at;
		at += cell->width + cell->bar + gap_of(columns);
	}
}

static void layout_make(struct table_layout *l, const struct table *t, int columns)
{
	l->count = 0;
	for (size_t i = 0; i < t->columns->count; i++) {
		const struct column *c = t->columns->items[i];

		if (!(c->extras & t->without) && c->of_time <= t->time)
			l->cells[l->count++] = (struct table_cell){ .column = c };
	}
	if (t->bars)
		layout_add_bar(l, t);
	while (l->count > 1 && layout_width(l, columns) > columns)
		layout_drop_least(l, t);
	layout_comfort(l, t, columns);
	if (t->bars)
		layout_more_bars(l, t, columns);
	l->names_objects = false;
	for (size_t i = 0; i < l->count; i++)
		l->names_objects |= l->cells[i].column->names_object;
	layout_place(l, columns);
}

const struct column *table_column_at(const struct table *t, int columns, int at)
{
	struct table_layout l;

	layout_make(&l, t, columns);
	for (size_t i = 0; i < l.count; i++) {
		const struct table_cell *cell = &l.cells[i];

		if (at >= cell->at && at < cell->at + cell->width + cell->bar)
			return cell->column;
	}
	return NULL;
}

/* The free columns after the title of the last cell. */
static void note_draw(struct grid *g, int row, const struct table *t, const struct table_layout *l)
{
	int columns = grid_columns(g), needed = text_width(t->note), from = MARGIN, room;

	if (l->count) {
		const struct table_cell *last = &l->cells[l->count - 1];

		from = last->at + text_width(title_of(t, last->column)) + 2;
	}
	room = columns - MARGIN - from;
	if (needed > room && room < NOTE_MIN)
		return;
	if (needed > room)
		needed = room;
	grid_text_cut(g, row, columns - MARGIN - needed, needed, STYLE_DIM, t->note);
}

/* Puts the mark before the title, or into the gap before a cell that the title fills. */
static void estimate_draw(struct grid *g, int row, const struct table_cell *cell,
			  enum grid_style style)
{
	int title = text_width(cell->column->title);
	int at = cell->column->align == ALIGN_RIGHT ? cell->at + cell->width - title : cell->at;

	if (at > 0)
		grid_text(g, row, at - 1, 1, style, "~");
}

static bool is_estimated(const struct table *t, const struct column *c)
{
	return c->formula ? t->estimated : c->needs & t->estimated;
}

static void title_draw(struct grid *g, int row, const struct table *t, const struct table_layout *l)
{
	const struct column *sorted = sorted_column(t);

	grid_restyle(g, row, 0, -1, STYLE_TITLE);
	for (size_t i = 0; i < l->count; i++) {
		const struct table_cell *cell = &l->cells[i];
		enum grid_style style = cell->column == sorted ? STYLE_SORTED : STYLE_TITLE;

		if (cell->column->align == ALIGN_RIGHT)
			grid_text_right(g, row, cell->at, cell->width, style,
					title_of(t, cell->column));
		else
			grid_text(g, row, cell->at, cell->width, style, title_of(t, cell->column));
		if (is_estimated(t, cell->column))
			estimate_draw(g, row, cell, style);
	}
	if (*t->note)
		note_draw(g, row, t, l);
}

static void text_draw(struct grid *g, const struct column_place *at, const struct column *c,
		      const struct column_row *row)
{
	const char *text = column_text(c, row);

	grid_text_cut(g, at->row, at->column, at->width, text || at->style ? at->style : STYLE_DIM,
		      text ? text : "-");
}

static void number_draw(struct grid *g, const struct column_place *at, const struct column *c,
			const struct column_row *row)
{
	double number = column_number(c, row);
	enum grid_style style = at->style;
	char text[32] = "-";

	if (!isnan(number))
		c->format(text, number);
	if (!style && isnan(number))
		style = STYLE_DIM;
	else if (!style && c->hot > 0 && number >= c->hot)
		style = STYLE_HOT;
	else if (!style && c->with_base && text[0] != '0')
		style = number > 0 ? STYLE_HOT : STYLE_GOOD;
	grid_text_right(g, at->row, at->column, at->width, style, text);
}

/* Beside a number of percent; more than 100, such as of one CPU, is a full bar. */
static void bar_draw(struct grid *g, const struct column_place *at, const struct column *c,
		     const struct column_row *row)
{
	grid_bar(g, at->row, at->column + at->width + 1, BAR - 1,
		 at->style ? at->style : STYLE_BAR_USER, column_number(c, row) / 100);
}

static void row_draw(struct grid *g, int row, const struct table_layout *l,
		     const struct column_row *values)
{
	for (size_t i = 0; i < l->count; i++) {
		const struct table_cell *cell = &l->cells[i];
		struct column_place at = { .row = row,
					   .column = cell->at,
					   .width = cell->width,
					   .no_object = !l->names_objects,
					   .style = values->ended ? STYLE_EXITED : STYLE_NORMAL };

		if (cell->column->draw)
			cell->column->draw(g, &at, values);
		else if (cell->column->type == COLUMN_TEXT)
			text_draw(g, &at, cell->column, values);
		else
			number_draw(g, &at, cell->column, values);
		if (cell->bar)
			bar_draw(g, &at, cell->column, values);
	}
}

void table_draw(struct grid *g, int row, int height, const struct table *t)
{
	struct table_layout l;

	if (height < 1)
		return;
	layout_make(&l, t, grid_columns(g));
	title_draw(g, row, t, &l);
	if (!t->count && height > 1)
		grid_text(g, row + 1, MARGIN, -1, STYLE_DIM, t->empty);
	for (int i = 1; i < height && t->first + (size_t)i - 1 < t->count; i++) {
		size_t at = t->first + (size_t)i - 1;
		struct column_row values = t->row(t->context, t->list, at);

		row_draw(g, row + i, &l, &values);
		if (values.tagged)
			grid_text(g, row + i, 0, MARGIN, STYLE_MATCH, "*");
		if (at == t->selected)
			grid_restyle(g, row + i, 0, -1, STYLE_SELECTED);
	}
}
