/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_BASE_METRIC_H
#define PTOP_BASE_METRIC_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Metrics: figures that a formula makes of event counts, as rows of a table.  perf/event/pmu-metrics.h knows those of
 * the machine's PMUs; view/custom.h makes columns of them.
 */
enum metric_form {
	METRIC_PERCENT, /* of a whole; below 0 is 0, since parts may be counted at different times */
	METRIC_WATTS,
	METRIC_BYTES, /* per second */
	METRIC_SIZE,  /* bytes */
	METRIC_FORMS
};

struct metric {
	const char *name;    /* of the column: "retiring%" */
	const char *formula; /* arithmetic as in view/expression.h, over events and variables */
	const char *help;    /* N_(): its meaning */
	enum metric_form form;
	double hot;         /* the threshold: from here on `deeper` is worth a look; 0: none */
	const char *deeper; /* the group of the next level, or NULL */
};

struct metric_group {
	const char *name; /* "topdown" */
	const char *help; /* N_() */
	bool of_machine; /* counted for whole sockets: CPUs have it, processes and control groups do not */
	const struct metric *items;
	size_t count; /* 0: this machine cannot count it */
};

#endif
