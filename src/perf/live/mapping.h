/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_PERF_LIVE_MAPPING_H
#define PTOP_PERF_LIVE_MAPPING_H

#include <stddef.h>

#include "perf/live/ring.h"

/*
 * The kernel's ring buffer of one event, mapped (perf_event_open(2), "MMAP layout"): one page for
 * the positions, then DATA_PAGES pages of records.
 */
struct mapping {
	void *base; /* NULL: not mapped */
	size_t size_bytes;
	size_t data_pages;
};

/*
 * Maps the ring of FD with DATA_PAGES, a power of two.  0 or a negative errno: -EPERM when the
 * allowance for locked memory does not suffice (kernel.perf_event_mlock_kb, ulimit -l).
 */
int mapping_open(struct mapping *m, int fd, size_t data_pages);
void mapping_close(struct mapping *m); /* also of one that is not mapped */

/* A window on M, which must be mapped; for BOUNCE see ring.h. */
void mapping_ring(const struct mapping *m, struct ring *r, void *bounce);

#endif
