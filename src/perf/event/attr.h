/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_PERF_EVENT_ATTR_H
#define PTOP_PERF_EVENT_ATTR_H

#include <linux/perf_event.h>
#include <stdbool.h>

#include "perf/event/evlist.h"

/*
 * The attributes of one event for perf_event_open(2).  Inside perf/ only.
 *
 * Fills ATTR, all of it, from E: what is counted, its modifiers, and for a sampled event its rate.
 * The caller adds how it is opened: sample_type, read_format, disabled, inherit, clock, side-band
 * flags.  A probe's attr points into E (its path or function), which must outlive the open.
 */
void evsel_attr_init(const struct evsel *e, struct perf_event_attr *attr);

/*
 * Deferred user callchains, which <linux/perf_event.h> knows since 6.19: CALLCHAIN asks for samples
 * that leave the user part to a later record, OUTPUT makes the event write that record.
 */
void attr_defer(struct perf_event_attr *attr, bool callchain, bool output);

#endif
