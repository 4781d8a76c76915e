/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_APP_EVENTS_H
#define PTOP_APP_EVENTS_H

#include "app/options.h"
#include "base/error.h"
#include "perf/event/evlist.h"
#include "perf/event/pmu-metrics.h"
#include "view/expression.h"

/*
 * Returns the events of -e with their filters and rates, or the default ones without -e.  A
 * recording brings its own events: the list is then empty.  Owned by the caller; NULL with ERR set.
 */
struct evlist *events_of_options(const struct options *o, struct error *err);

/*
 * The events of TEXT, as for -e, with the rate of the options: to be added to those that are measured.
 * Owned by the caller; NULL with ERR set.
 */
struct evlist *events_of_text(const struct options *o, const char *text, struct error *err);

/*
 * Adds samples of ID to L, which a view is of; EVENT_OTHER: of none.  An event that is only counted will be sampled.
 * OPTIONAL: it need not be there; without faults a view of memory still shows what /proc knows.  0, or -1 with ERR set.
 */
int events_sample(struct evlist *l, const struct options *o, enum event_id id, bool optional,
		  struct error *err);

/* Adds samples of the event that TEXT is, as -e takes it, unless L has them.  0, or -1 with ERR set. */
int events_sample_text(struct evlist *l, const struct options *o, const char *text,
		       struct error *err);

/*
 * Adds the event NAME to L, only to be counted, unless it is there.  Nothing happens when there is
 * none of that name.
 */
void events_count(struct evlist *l, const char *name);

/* Likewise the events whose bits, 1 << enum event_id, are in IDS. */
void events_count_ids(struct evlist *l, uint32_t ids);

/*
 * The names that an expression of --columns may have: those of the events that are measured, as
 * they are shown, and whatever else -e would take as one event.
 */
struct event_names {
	struct expression_names names; /* for the view */
	const struct evlist *evlist;   /* borrowed */
	struct metrics *metrics; /* this machine's; owned, read when they are first asked for */
};

/* N must stay where it is for as long as its `names` are used. */
void event_names_init(struct event_names *n, const struct evlist *evlist);
void event_names_fini(struct event_names *n);

#endif
