/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "proc/cpu-shares.h"

#include <math.h>

/* Each kind is rounded to ticks twice, and the readings are not made at one moment. */
#define ROUNDING_TICKS 4

/* The kinds that are found out by ticks. */
static bool is_seen(enum cpu_tick tick)
{
	return tick != CPU_TICK_IDLE && tick != CPU_TICK_IOWAIT && tick != CPU_TICK_STEAL;
}

/* Some of the kernel's counters (iowait, idle) may step back a little. */
static double grown(uint64_t before, uint64_t after)
{
	return after > before ? (double)(after - before) : 0;
}

bool cpu_shares(const uint64_t before[CPU_TICKS], const uint64_t after[CPU_TICKS],
		double passed_ticks, double percent[CPU_TICKS])
{
	double ticks[CPU_TICKS], seen = 0, total = 0, scale = 1;

	for (int i = 0; i < CPU_TICKS; i++) {
		ticks[i] = grown(before[i], after[i]);
		total += ticks[i];
		seen += is_seen(i) ? ticks[i] : 0;
	}
	if (seen > 0 && total + ROUNDING_TICKS < passed_ticks) {
		scale = (passed_ticks - total + seen) / seen;
		total = passed_ticks;
	}
	for (int i = 0; i < CPU_TICKS; i++)
		percent[i] = total > 0 ? 100 * ticks[i] * (is_seen(i) ? scale : 1) / total : NAN;
	return total > 0;
}
