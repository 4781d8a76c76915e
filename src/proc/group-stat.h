/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_PROC_GROUP_STAT_H
#define PTOP_PROC_GROUP_STAT_H

#include <stddef.h>
#include <stdint.h>

/*
 * Parsers of the files of a control group: the kernel's Documentation/admin-guide/cgroup-v2.rst and
 * cgroup-v1/, and Documentation/accounting/psi.rst.  Pure.  A value that a text lacks is left alone.
 */
enum group_value {
	GROUP_MEMORY, /* bytes */
	GROUP_MEMORY_MAX,
	GROUP_PIDS,
	GROUP_PIDS_MAX,
	/* Sums since the group began. */
	GROUP_READ, /* bytes */
	GROUP_WRITTEN,
	GROUP_PERIODS, /* of the CPU quota */
	GROUP_THROTTLED,
	GROUP_CPU_SOME, /* microseconds of waiting */
	GROUP_MEMORY_SOME,
	GROUP_MEMORY_FULL,
	GROUP_IO_SOME,
	GROUP_IO_FULL,
	GROUP_VALUES
};

/* 12582912; "max": no limit, which stays unknown, as version 1's largest number does. */
void group_number_parse(const char *text, size_t size, enum group_value what,
			int64_t values[GROUP_VALUES]);

/*
 *	8:0 rbytes=1459200 wbytes=314773504 rios=192 wios=353 dbytes=0 dios=0
 */
void group_io_parse(const char *text, size_t size, enum group_value what,
		    int64_t values[GROUP_VALUES]);

/*
 * Version 1:
 *
 *	8:0 Read 1459200
 *	8:0 Write 314773504
 *	Total 316232704
 */
void group_blkio_parse(const char *text, size_t size, enum group_value what,
		       int64_t values[GROUP_VALUES]);

/*
 *	nr_periods 340
 *	nr_throttled 12
 */
void group_cpu_parse(const char *text, size_t size, enum group_value what,
		     int64_t values[GROUP_VALUES]);

/*
 *	some avg10=0.00 avg60=0.12 avg300=0.05 total=8612345
 *	full avg10=0.00 avg60=0.00 avg300=0.00 total=612345
 *
 * `some` goes to WHAT, `full` to the value behind it, but for the CPU, which has none of a group's own.
 */
void group_pressure_parse(const char *text, size_t size, enum group_value what,
			  int64_t values[GROUP_VALUES]);

#endif
