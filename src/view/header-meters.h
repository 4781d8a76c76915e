/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_VIEW_HEADER_METERS_H
#define PTOP_VIEW_HEADER_METERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/error.h"
#include "profile/snapshot.h"
#include "view/widget/grid.h"

/*
 * The meters in the header, as a person arranged them by --meters: "cpu,load:text|mem,swap".  Those before the |
 * stand on the left, one below the other, the others on the right.  Each is there once at most.
 */
enum { HEADER_METERS_MAX = 16 };

/* A bar, its figures alone, or the last intervals as a graph with the newest on the right. */
enum header_meter_style { METER_BAR, METER_TEXT, METER_GRAPH, METER_STYLES };

struct header_meter {
	uint8_t kind;  /* below header_meter_kinds() */
	uint8_t style; /* enum header_meter_style */
};

struct header_meters {
	struct header_meter items[HEADER_METERS_MAX];
	size_t count,
		left; /* the first `left` of them stand on the left; count 0: the usual line */
};

size_t header_meter_kinds(void);
const char *header_meter_name(size_t kind);                          /* "cpu" */
const char *header_meter_help(size_t kind);                          /* translated */
const char *header_meter_style_title(enum header_meter_style style); /* translated: "figure" */

/* Parses TEXT, "" for the usual line.  Returns 0, or -1 with ERR set and *M as it was. */
int header_meters_parse(struct header_meters *m, const char *text, struct error *err);
void header_meters_format(const struct header_meters *m, struct buf *out); /* appends it as text */

/*
 * Changes of one meter, by its place ITEM in `items`.  Moving is by one place (BY -1 or 1), from the end of the left
 * side to the begin of the right one, and back.  Returns false if nothing changed.
 */
bool header_meters_move(struct header_meters *m, size_t item, int by);
bool header_meters_remove(struct header_meters *m, size_t item);
bool header_meters_add(struct header_meters *m, size_t kind); /* at the end of the shorter side */

/*
 * The last intervals of each meter, for graphs, as parts of a whole bar.  It starts zeroed, and has no memory
 * besides.
 */
#define METER_PAST 400 /* as many as a wide screen has room for, with two points a column */

struct meter_past {
	uint64_t time_ns;                          /* of the newest snapshot */
	int count;                                 /* intervals that are known */
	float part[HEADER_METERS_MAX][METER_PAST]; /* of each kind, the newest last; NAN: unknown */
};

/* Adds the figures of S, unless S was added last or is a window of the past. */
void meter_past_add(struct meter_past *p, const struct snapshot *s);

/* The lines that they take on a screen of ROWS. */
int header_meters_rows(const struct header_meters *m, int rows);
/* Draws HEIGHT lines, from header_meters_rows(), from ROW on.  Graphs have PAST, which has S already. */
void header_meters_draw(struct grid *g, int row, int height, const struct header_meters *m,
			const struct snapshot *s, const struct meter_past *past);

#endif
