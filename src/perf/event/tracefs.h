/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_PERF_EVENT_TRACEFS_H
#define PTOP_PERF_EVENT_TRACEFS_H

#include <stdint.h>

#include "base/error.h"
#include "perf/event/evlist.h"

/*
 * Where the kernel describes its tracepoints: tracefs, which may be mounted at its own place,
 * inside debugfs, elsewhere, or not at all.
 */

/*
 * The directory that holds one directory per subsystem.  Owned by the caller; NULL with ERR saying
 * whether it is not mounted or closed to this user.
 */
char *tracefs_events(const struct event_env *env, struct error *err);

/* The id of tracepoint NAME of SUBSYSTEM (perf_event_attr.config): 0 or a negative errno. */
int tracefs_id(const char *events, const char *subsystem, const char *name, uint64_t *id);

#endif
