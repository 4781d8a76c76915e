/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_BASE_CLOCK_H
#define PTOP_BASE_CLOCK_H

#include <stdint.h>

/*
 * Time as a seam: code asks the clock that it was given, tests bring one that they move by hand.
 * Monotonic time is CLOCK_MONOTONIC, the clock that the kernel stamps our records with.
 */
struct clock {
	uint64_t (*monotonic_ns)(void *context);
	uint64_t (*realtime_ns)(void *context);	/* since 1970, UTC */
	void *context;
};

extern const struct clock clock_system;

uint64_t clock_monotonic_ns(const struct clock *c);
uint64_t clock_realtime_ns(const struct clock *c);

#define NS_PER_S 1000000000ull

#endif
