/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_VIEW_HEADER_H
#define PTOP_VIEW_HEADER_H

#include <stdbool.h>
#include <stddef.h>

#include "profile/snapshot.h"
#include "view/widget/grid.h"

/*
 * The lines over the tables: the machine, CPU and memory, the measurement.  How many they are
 * depends on the size of the screen alone, so that the tables under them do not jump.  Where a line
 * is too short, whole items are left out, the least important first.
 */
struct header_request {
	const struct snapshot *snapshot; /* NULL: nothing measured yet */
	int screen_rows;                 /* what header_rows() was told */
	int event;                       /* whose rate is shown; -1 none */
	bool paused;
	const char *mode_text;   /* "half-life 5 s"; "" none */
	const char *filter_text; /* "user postgres"; "" none */
};

/* The lines that header_draw() uses on a screen of that size, blank ones not counted. */
int header_rows(int rows, int columns);
void header_draw(struct grid *g, const struct header_request *request);

#endif
