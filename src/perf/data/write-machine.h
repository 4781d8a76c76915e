/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_PERF_DATA_WRITE_MACHINE_H
#define PTOP_PERF_DATA_WRITE_MACHINE_H

#include <stdint.h>

#include "base/buf.h"

/*
 * Describes the machine of a recording, in the form of perf's sections
 * (tools/perf/Documentation/perf.data-file-format.txt).  Each adds nothing where the machine does
 * not say it.  SYSFS is "/sys".
 */

/* The form of all texts: a size with padding, the text, NULs up to that size. */
void write_text(struct buf *b, const char *text);

/*
 * HEADER_CPU_TOPOLOGY, for CPUS CPUs, some of which may be offline.  It lists the CPUs of each
 * socket and of each core, the core and socket of each CPU, the CPUs of each die, and the die of
 * each CPU.
 */
void write_topology(struct buf *b, const char *sysfs, uint32_t cpus);

/* HEADER_PMU_MAPPINGS: how many, of each PMU its type and its name. */
void write_pmus(struct buf *b, const char *sysfs);

/* HEADER_CLOCK_DATA: when it is now, by the clock of the samples and by the one on the wall. */
void write_clock(struct buf *b);

#endif
