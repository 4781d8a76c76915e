/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_PROC_CPU_SHARES_H
#define PTOP_PROC_CPU_SHARES_H

#include <stdbool.h>
#include <stdint.h>

#include "proc/stat.h"

/*
 * How one or more CPUs spent the time between two readings of /proc/stat, AFTER and BEFORE: PERCENT of each kind,
 * 100 in all.  Returns false, with NANs, when they are within one tick.
 *
 * The kernel takes idle time from a clock, but looks what runs at each tick only.  Programs that sleep in step with
 * the tick are not seen: all kinds together are less than the time that passed.  Then what was seen to run stands for
 * all that did, as in the kernel's own cputime_adjust() for tasks.  PASSED_TICKS: the elapsed time times the number
 * of CPUs; 0 unknown.
 */
bool cpu_shares(const uint64_t before[CPU_TICKS], const uint64_t after[CPU_TICKS],
		double passed_ticks, double percent[CPU_TICKS]);

#endif
