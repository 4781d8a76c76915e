/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_TESTS_PERF_MACHINE_H
#define PTOP_TESTS_PERF_MACHINE_H

#include "perf/event/evlist.h"

/*
 * A machine that has everything, as a tree of sysfs and tracefs in a directory of its own.  It has
 * a hybrid CPU, uncore boxes, a RAPL PMU, dynamic probes and a few tracepoints.  Its resolver knows
 * one function, "main" at 0x1140 of every file.
 */
struct machine {
	char root[64];
	char sysfs[96], tracefs[96];
	struct event_resolver resolver;
	struct event_env env; /* all of that, for evlist_parse_in() */
};

void machine_init(struct machine *m); /* aborts when the directory cannot be made */

/* Another machine: one that has these files, up to a PATH of NULL.  Paths begin with "sys/" or "tracing/". */
struct machine_file {
	const char *path, *text;
};
void machine_init_as(struct machine *m, const struct machine_file *files);
void machine_fini(struct machine *m); /* removes it */

#endif
