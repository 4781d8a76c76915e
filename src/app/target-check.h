/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_APP_TARGET_CHECK_H
#define PTOP_APP_TARGET_CHECK_H

#include <stdint.h>

#include "app/cgroup-find.h"
#include "app/options.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/list.h"
#include "perf/record/source.h"

/*
 * What is profiled, checked against this machine as it is now: processes that exist, CPUs that are
 * online, users that have a name.
 */
struct target {
	enum target_mode mode;
	struct list tasks; /* pids or tids; for a command its pid, filled in by the caller */
	struct list cpus;  /* empty: all */
	int64_t uid;       /* -1: not by user */
	struct cgroup cgroup;
};

/*
 * Fills T from O.  Of a list of processes one that is there is enough; those that are not are left
 * out, with a line for each in NOTES.  0, or -1 with ERR set and T empty.
 */
int target_resolve(struct target *t, const struct options *o, struct buf *notes, struct error *err);
void target_fini(struct target *t);

#endif
