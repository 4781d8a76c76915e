/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_PERF_LIVE_CATALOG_H
#define PTOP_PERF_LIVE_CATALOG_H

#include "base/error.h"
#include "perf/event/evlist.h"

/*
 * --list-events: every event that has a name on this machine, and whether it can be had.
 */
struct catalog_event {
	const char *name; /* as -e takes it */
	const char *kind; /* translated: "hardware", "cache", "software", "PMU", … */
	const char *help; /* translated, or "" */
	int error;        /* errno of the kernel's refusal; 0: it can be opened */
	const char *why;  /* the refusal in words; when it opens its limits, or "" */
};

/* Called once an event; what E points at dies on return. */
typedef void catalog_receiver(void *context, const struct catalog_event *e);

/*
 * Calls RECEIVE for the events whose name GLOB matches, or contains when it has none of *?[; NULL
 * is all, but for those of the CPU's model, which are too many.  In order: the table, cache events,
 * those of each PMU, those of the CPU's model, tracepoints.
 *
 * Each is opened for a moment, for this process; of the tracepoints only the first is.  Opening and
 * closing one costs some 40 ms, and a lack of privilege stops all of them alike.
 *
 * Returns the number of events.  ERR is set when tracepoints could not be listed, and says why; ""
 * otherwise.
 */
size_t catalog_list(const char *glob, const struct event_env *env, catalog_receiver *receive,
		    void *context, struct error *err);

#endif
