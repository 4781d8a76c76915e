/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_PERF_EVENT_RATE_H
#define PTOP_PERF_EVENT_RATE_H

#include <stdint.h>

#include "perf/event/evlist.h"

/*
 * The highest sampling frequency that the kernel accepts now, in Hz
 * (kernel.perf_event_max_sample_rate, which the kernel lowers by itself when sampling takes too long).
 */
uint64_t rate_max_hz(void);

/* The evsel.freq_hz of -F max: as fast as the kernel accepts. */
#define RATE_MAX_FREQ UINT64_MAX

/*
 * Brings the frequencies of all sampled events down to MAX_HZ, RATE_MAX_FREQ among them.  The
 * highest frequency that was asked in so many words and reduced, or 0.
 */
uint64_t rates_limit(struct evlist *l, uint64_t max_hz);

/* Budgets do not take a frequency below this, unless less was asked. */
#define RATE_FLOOR_HZ 49

/* The number of halvings that take HZ below the floor. */
unsigned rate_halvings(uint64_t hz);

/* HZ halved so many times, but not below the floor. */
uint64_t rate_reduced(uint64_t hz, unsigned halvings);

/* The period of an event that is sampled by one, as a budget has it now. */
uint64_t rate_period(const struct evsel *e);

#endif
