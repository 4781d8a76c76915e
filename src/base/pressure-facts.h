/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_BASE_PRESSURE_FACTS_H
#define PTOP_BASE_PRESSURE_FACTS_H

/*
 * Percent of an interval in which some, or all, tasks that were not idle waited for a resource: Linux's PSI, of
 * the machine or of a control group.  NAN: unknown, or not measured by this kernel.
 */
struct pressure {
	double cpu_some_percent, memory_some_percent, memory_full_percent;
	double io_some_percent, io_full_percent;
};

extern const struct pressure pressure_unknown;

#endif
