/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_APP_TARGET_CHECK_H
#define PTOP_APP_TARGET_CHECK_H

#include <stdint.h>

#include "app/cgroup-find.h"
#include "app/options.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/number-list.h"
#include "perf/record/source.h"

/*
 * The target, checked against this machine as it is now: existing processes, online CPUs, users
 * with a name.
 */
struct target {
	enum target_mode mode;
	struct number_list tasks; /* pids or tids; for a command its pid, filled in by the caller */
	struct number_list cpus;  /* empty: all */
	int64_t uid;              /* -1: not by user */
	struct cgroup cgroup;
};

/*
 * Fills T from O.  One existing process of a list is enough.  NOTES gets a line for each process
 * that does not exist; it is left out.  Returns 0, or -1 with ERR set and T empty.
 */
int target_resolve(struct target *t, const struct options *o, struct buf *notes, struct error *err);
void target_fini(struct target *t);

#endif
