/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_OUTPUT_METRIC_WALK_H
#define PTOP_OUTPUT_METRIC_WALK_H

#include <stdbool.h>

#include "base/buf.h"
#include "output/format.h"

/*
 * The metrics of a snapshot, for the formats that write them.  Names, labels and units are as OpenMetrics 1.0 wants them.  Prometheus'
 * formats name a counter differently, so there are only gauges.  Most values of a snapshot are of an interval anyway; a
 * sum since a start says so in its help.
 */
struct metric_family {    /* constant texts */
	const char *name; /* ends with the unit if there is one */
	const char *unit; /* or NULL */
	const char *help;
};

/* Arguments live until the function returns. */
struct metric_sink {
	/* The values until the next call are of F; TYPE is "gauge" or "gaugehistogram". */
	void (*family)(void *context, const struct metric_family *f, const char *type);
	/*
	 * NAME is that of the family, in a gaugehistogram with "_bucket" behind it.  LABELS: "" or such as
	 * {pid="4123",comm="a \"b\""}, at most once in a family.  VALUE is finite.
	 */
	void (*value)(void *context, const char *name, const char *labels, double value);
};

/* Tells SINK all of them, each family once. */
void metrics_walk(const struct output_request *request, const struct metric_sink *sink,
		  void *context);

/* Walks the LABELS of a value: { .at = labels } at first. */
struct metric_label {
	const char *at;
	struct buf name, value; /* the value is not quoted here */
};

bool metric_label_next(struct metric_label *l); /* false: there is none left */
void metric_label_fini(struct metric_label *l);

/* Remembers a series of the request that is being written.  M NULL: does nothing. */
void metrics_remember(struct output_memory *m, const char *name, const char *labels);

/* Tells ENDED each series that the request before had and this one has not, and forgets it.  Then the next request begins. */
void metrics_ended(struct output_memory *m,
		   void (*ended)(void *context, const char *name, const char *labels),
		   void *context);

/* Appends the labels of whose REQUEST is, as a value has them: the host under the name HOST, then those of --push-label. */
void metrics_origin(struct buf *out, const struct output_request *request, const char *host);

#endif
