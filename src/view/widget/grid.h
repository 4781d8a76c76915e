/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_VIEW_WIDGET_GRID_H
#define PTOP_VIEW_WIDGET_GRID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

/*
 * A grid of cells: views draw into it; curses, batch text and golden tests read it.  Everything in
 * a cell has passed the sanitiser, so a grid holds only printable characters.  Drawing outside of
 * the grid is cut off and no error.
 */
enum grid_style { /* meanings; the theme gives them colours */
		  STYLE_NORMAL,
		  STYLE_DIM,
		  STYLE_TITLE,
		  STYLE_SORTED,
		  STYLE_SELECTED,
		  STYLE_GOOD,
		  STYLE_WARN,
		  STYLE_HOT,
		  STYLE_KERNEL,
		  STYLE_KEY,
		  STYLE_BAR_USER,
		  STYLE_BAR_SYSTEM,
		  STYLE_BAR_MEMORY,
		  STYLE_MATCH,
		  STYLE_BADGE, /* what must not be missed */
		  STYLE_NEW,
		  STYLE_EXITED,
		  STYLE_FLAME,
		  STYLE_FLAME_2,
		  STYLE_FLAME_3,
		  STYLE_FLAME_4, /* boxes: areas of colour */
		  STYLE_FLAME_KERNEL,
		  STYLE_FLAME_MATCH,
		  STYLE_FLAME_MORE,
		  STYLE_FLAME_LESS,
		  STYLE_FLAME_SAME, /* compared with the base */
		  GRID_STYLES
};

#define GRID_COMBINING 2 /* combining characters kept with a base character */

struct grid_cell {
	uint32_t text[1 + GRID_COMBINING]; /* Unicode; text[0] 0: right half of a wide one */
	uint8_t width;                     /* 1 or 2; 0 for the right half */
	uint8_t style;
};

struct grid;

struct grid *grid_new(int rows, int columns);
void grid_free(struct grid *g);
void grid_resize(struct grid *g, int rows, int columns); /* and clears */
void grid_clear(struct grid *g);
void grid_copy(struct grid *to, const struct grid *from); /* size and cells */
void grid_set_ascii(struct grid *g,
		    bool ascii); /* later drawing shows '?' for characters that are not ASCII */
bool grid_ascii(const struct grid *g);
/* Later grid_graph() draws two points in a column, of braille dots; not in ASCII. */
void grid_set_braille(struct grid *g, bool braille);
int grid_points(const struct grid *g); /* points of a graph in a column: 1 or 2 */
int grid_rows(const struct grid *g);
int grid_columns(const struct grid *g);

/* NULL outside.  Valid until the grid is drawn on, resized or freed. */
const struct grid_cell *grid_at(const struct grid *g, int row, int column);

/*
 * Draws UTF-8 TEXT, sanitised, at most WIDTH columns wide (-1: to the edge).  A wide character that
 * does not fit is left out.  Returns the columns used.
 */
int grid_text(struct grid *g, int row, int column, int width, enum grid_style style,
	      const char *text);
int grid_printf(struct grid *g, int row, int column, int width, enum grid_style style,
		const char *format, ...) __attribute__((format(printf, 6, 7)));

/* Likewise; a cut text ends with an ellipsis ('~' in ASCII). */
int grid_text_cut(struct grid *g, int row, int column, int width, enum grid_style style,
		  const char *text);

/* Likewise, but cuts the front: for texts whose end matters. */
int grid_text_end(struct grid *g, int row, int column, int width, enum grid_style style,
		  const char *text);

/*
 * Draws TEXT at the right edge of the field.  Fills the field with '#' if it is too wide: a number
 * without a digit would be another number.
 */
int grid_text_right(struct grid *g, int row, int column, int width, enum grid_style style,
		    const char *text);
void grid_fill(struct grid *g, int row, int column, int width, enum grid_style style,
	       const char *text); /* repeats one character */
/* A character that is as high as PART, 0 to 1, of the line. */
void grid_level(struct grid *g, int row, int column, enum grid_style style, double part);
/* A column of a graph: grid_points() PARTS, as grid_level() has one.  NAN is 0. */
void grid_graph(struct grid *g, int row, int column, enum grid_style style, const double *parts);
/*
 * A bar as long as PART, 0 to 1, of WIDTH columns: to an eighth of a column, in ASCII to a whole one.  A larger
 * part is all, one that is unknown (NAN) is nothing.
 */
void grid_bar(struct grid *g, int row, int column, int width, enum grid_style style, double part);
void grid_restyle(struct grid *g, int row, int column, int width, enum grid_style style);

/* The rows as lines of UTF-8, blanks at the ends cut off; no escapes. */
void grid_dump(const struct grid *g, struct buf *out);

#endif
