/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_PERF_LIVE_REFUSAL_H
#define PTOP_PERF_LIVE_REFUSAL_H

/*
 * Explains the kernel's refusals.  perf_event_open(2) has few error numbers for many reasons.  This
 * is the one table of their meanings, and of what would work.
 */

/* One sentence without a full stop for a positive errno; owned by the caller. */
char *refusal_text(int error);

/*
 * The sentence for a lack of privilege alone: it names the present value of
 * kernel.perf_event_paranoid and the commands that would help.  Owned by the caller.
 */
char *refusal_privilege(void);

#endif
