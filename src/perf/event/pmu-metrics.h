/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_PERF_EVENT_PMU_METRICS_H
#define PTOP_PERF_EVENT_PMU_METRICS_H

#include <stddef.h>

#include "base/metric.h"
#include "perf/event/evlist.h"

/*
 * The groups of metrics that this machine's PMUs can tell.  One table has the formulas of all machines; the PMUs and
 * their events, as sysfs shows them, and the model of the CPU choose:
 *
 *	topdown		where the slots of the pipeline go, first level: Intel's top-down analysis, Arm's TopdownL1,
 *			AMD's PipelineUtilization
 *	topdown-l2	the second level
 *	power		watts, from the energy of the power PMU (RAPL)
 *	bandwidth	bytes of memory controllers; where none tells them, of last-level caches by resctrl, whose formulas are
 *			variables of view/custom.h
 *
 * The other formulas are those of perf's tables, tools/perf/pmu-events in the kernel's source.
 */
struct metrics;

/* Reads sysfs of ENV, which may be NULL: this machine.  Owned by the caller. */
struct metrics *metrics_new(const struct event_env *env);
void metrics_free(struct metrics *m); /* NULL is allowed */

/*
 * Group I of the table, or NULL past the last one; it lives as long as M.  Without metrics the machine cannot count
 * it, as with M NULL: then only name and help are of use.
 */
const struct metric_group *metrics_group(const struct metrics *m, size_t i);

#endif
