/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_TESTS_FAKE_KERNEL_H
#define PTOP_TESTS_FAKE_KERNEL_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * A kernel with counters, in the place of perf/live/open.c: it opens events, refuses groups that its PMU
 * has no room for, and lets groups take turns.  Its time passes with each read: a millisecond.  Every
 * hardware event counts RATE × (config + 1) a millisecond while it is on a counter.
 *
 * Its raw events 0x400 and 0x8000 to 0x8700 are Intel's slots and their parts: these want a leader that counts slots
 * and does not sample, sample neither, and take no counter from others.
 *
 * As the real one it does not reckon with counters that others have pinned when it takes a group.
 */
#define FAKE_RATE 1000u

struct fake_kernel {
	unsigned counters;    /* each CPU has */
	unsigned pinned;      /* of them by somebody else */
	unsigned precise;     /* the highest precise_ip */
	int no_sampling_type; /* a PMU that only counts, or -1 */
	bool no_slots;        /* slots are refused, and with them their parts */
	uint64_t now_ms;
};

/* The one that the calls reach; starts anew. */
struct fake_kernel *fake_kernel_boot(void);

void fake_kernel_pass(uint64_t ms);

/* The number of open events of that type and config on CPU, and the precise_ip of the last. */
unsigned fake_kernel_open(int cpu, uint32_t type, uint64_t config);
unsigned fake_kernel_pinned(int cpu); /* leaders that are */
unsigned fake_kernel_precision(uint32_t type, uint64_t config);

#endif
