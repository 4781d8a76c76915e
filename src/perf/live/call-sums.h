/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_PERF_LIVE_CALL_SUMS_H
#define PTOP_PERF_LIVE_CALL_SUMS_H

#include "base/error.h"

/*
 * System calls that the kernel sums (sums.h), instead of records of each (raw-calls.c).  They are opened
 * with the source if syscalls is in its list, while ptop has all its privileges.  Removing the event closes them; if it
 * is added again, records tell of each call.
 *
 * A file of the live source: see live-state.h.  All of tier 1, and do nothing while `live.call_sums` is NULL.
 */
struct live;

/*
 * Opens them if the options want them and syscalls is in the list.  0, or -1 with ERR set: ENGINE_BPF cannot be.  With
 * ENGINE_AUTO source.calls_reason then says why.
 */
int call_sums_open(struct live *l, struct error *err);

/* Drops what was summed since sums were last handed over. */
void call_sums_close(struct live *l);

/* Follows the source's options: calls have stacks if samples do. */
void call_sums_renew(struct live *l);

#endif
