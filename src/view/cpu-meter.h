/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_VIEW_CPU_METER_H
#define PTOP_VIEW_CPU_METER_H

#include "profile/snapshot.h"
#include "view/widget/grid.h"

/* The meter of CPUs in the header: what a person chose. */
enum cpu_meter {
	METER_ONE,  /* a bar of all CPUs, beside those of memory */
	METER_EACH, /* and one for each CPU below it; METER_HEAT where they need too many lines */
	METER_HEAT, /* and a line with a character for each CPU below it, as high as it is busy */
	METER_NONE, /* no bars */
	METERS
};

const char *cpu_meter_name(enum cpu_meter meter); /* "one", "each", "heat", "none" */
int cpu_meter_find(const char *name);             /* the meter with that name; -1: none */

/*
 * How many lines the meter has below the line of bars, on a screen of ROWS and COLUMNS.  It depends on the
 * number of CPUs alone, so lists do not jump.
 */
int cpu_meter_rows(enum cpu_meter meter, size_t cpus, int rows, int columns);

/* Draws HEIGHT lines, from cpu_meter_rows(), from ROW on: of the CPUs of S that are online. */
void cpu_meter_draw(struct grid *g, int row, int height, enum cpu_meter meter,
		    const struct snapshot *s);

#endif
