/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_APP_THEN_H
#define PTOP_APP_THEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "app/options.h"
#include "app/signals.h"
#include "base/buf.h"
#include "base/error.h"
#include "output/output.h"
#include "perf/data/write.h"
#include "perf/event/evlist.h"
#include "profile/snapshot.h"
#include "view/expression.h"
#include "view/view.h"

/*
 * The triggers, each of one --when: looks at each snapshot, and where a condition becomes true does what its --then
 * say, and tells it in one line.  A trigger acts once until its condition is false again, and not again before a
 * pause is over, so one that flaps does not flood a disk.  A recording and the folder of the files belong to all.
 * NULL is allowed for a struct then everywhere: without that option nothing is done.
 */
struct then;

struct then_options {
	const struct options *options;         /* all borrowed, the first for as long as it lives */
	struct evlist *evlist;                 /* gets the events that the conditions need */
	const struct expression_names *events; /* for columns of a person's own */
	size_t limit_processes, limit_symbols; /* of a snapshot that is written; 0: all */
};

/* Returns 0 with *T owned by the caller, NULL without --when; or -1 with ERR set. */
int then_open(struct then **t, const struct then_options *options, struct error *err);

/*
 * Before the rights go: the processes that run commands.  WRITER keeps what --then record writes; NULL without;
 * borrowed until then_close().  0, or -1 with ERR set.
 */
int then_start(struct then *t, const struct signals *signals, struct writer *writer,
	       struct error *err);

/* The parts of a snapshot that the conditions look at. */
struct then_needs {
	unsigned extras; /* as view_extras() */
	bool groups;     /* the files of all control groups */
	bool stacks;
};

struct then_needs then_needs(const struct then *t);

/* The processes whose memory the conditions are about, at most MAX: as view_memory_pids(). */
size_t then_memory_pids(const struct then *t, uint32_t *pids, size_t max);

/* The state of each trigger, at most TRIGGERS_MAX; conditions are the options'.  Returns how many. */
size_t then_triggers(const struct then *t, struct output_trigger *out);

/* A snapshot is there, which stays the caller's.  Appends lines for a person, of raw bytes, to TOLD. */
void then_look(struct then *t, struct snapshot *snapshot, struct buf *told);

/* At the end, when the collector has ended.  Waits for a recording that is under way.  NOTES gets how often each was true, and what was not done. */
void then_close(struct then *t, struct buf *notes);

#endif
