/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_PERF_LIVE_RAW_CALL_H
#define PTOP_PERF_LIVE_RAW_CALL_H

#include <stdbool.h>

/*
 * Records of raw_syscalls:sys_enter and sys_exit, of a CPU (raw-calls.h) or of a thread (raw-calls-apart.h).
 *
 * A file of the live source: see live-state.h.  All of tier 1.
 */
struct live;
struct perf_event_attr;
struct record;

/* Sets the attributes of sys_exit, with the caller's STACKS (waker_layout) or without (wakeup_layout). */
void raw_call_leave_attr(const struct live *l, bool stacks, struct perf_event_attr *attr);

/* Makes R, which is a sample of one of them, the record of a begin, or of a return (LEAVES). */
void raw_call_record(const struct live *l, struct record *r, bool leaves);

#endif
