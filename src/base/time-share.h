/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_BASE_TIME_SHARE_H
#define PTOP_BASE_TIME_SHARE_H

#include <stdint.h>

/*
 * A right to a share of the time.  After work that took a while the next has to wait REST times
 * as long.  A debt is allowed, so that first readings need not wait: see BURST_NS.
 */
struct time_share {
	uint64_t free_ns; /* when all that was done is paid for */
};

static inline void time_share_charge(struct time_share *s, uint64_t now_ns, uint64_t cost_ns,
				     unsigned rest)
{
	s->free_ns = (s->free_ns > now_ns ? s->free_ns : now_ns) + cost_ns * rest;
}

/* When work is allowed next, if BURST_NS of it may be done on credit; 0: at once. */
static inline uint64_t time_share_due(const struct time_share *s, uint64_t burst_ns, unsigned rest)
{
	return s->free_ns < burst_ns * rest ? 0 : s->free_ns - burst_ns * rest;
}

#endif
