/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_VIEW_HEADER_H
#define PTOP_VIEW_HEADER_H

#include <stdbool.h>
#include <stddef.h>

#include "profile/snapshot.h"
#include "view/cpu-meter.h"
#include "view/header-meters.h"
#include "view/widget/grid.h"

/*
 * The lines over the lists: the machine, CPU and memory, the measurement.  Their number depends on
 * the size of the screen, the meters and the number of CPUs alone, so lists do not jump.  A short line leaves out whole items, the
 * least important first.
 */
struct header_request {
	const struct snapshot *snapshot; /* NULL: nothing measured yet */
	int screen_rows;                 /* rows of the screen, as for header_rows() */
	int event;                       /* its rate is shown; -1: none */
	bool paused, past; /* marked in the first line: what is shown is not the present */
	const struct header_meters *meters;
	const struct meter_past *meter_past; /* for those of METERS that are graphs */
	enum cpu_meter meter;
	const char *mode_text;   /* "half-life 5 s"; "": none */
	const char *push_text;   /* "pushed 12"; "": nothing is pushed */
	bool push_bad;           /* and it tells of trouble */
	const char *filter_text; /* "user postgres"; "": none */
};

/* The number of lines of header_draw() on a screen of that size of a machine with CPUS, without blank ones. */
int header_rows(int rows, int columns, const struct header_meters *meters, enum cpu_meter meter,
		size_t cpus);
void header_draw(struct grid *g, const struct header_request *request);

#endif
