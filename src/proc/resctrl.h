/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_PROC_RESCTRL_H
#define PTOP_PROC_RESCTRL_H

#include <stddef.h>
#include <stdint.h>

#include "base/clock.h"
#include "base/hash.h"
#include "base/time-share.h"

/*
 * Traffic and use of each last-level cache, as resctrl counts them: Intel RDT, AMD QoS, Arm MPAM; the kernel's
 * Documentation/filesystems/resctrl.rst.  ptop reads /sys/fs/resctrl where somebody mounted it, and changes nothing there.
 *
 * A task is counted in one control group, and the files of a control group have the sum over its monitoring groups.  So
 * the sum over all control groups, the root among them, is the traffic of the cache:
 *
 *	mon_data/mon_L3_01/mbm_total_bytes	1234567890
 *	batch/mon_data/mon_L3_01/mbm_total_bytes	Unavailable
 *
 * A sum with an unknown part is unknown, never smaller: a file without a number, a counter that went back, a group that
 * came or went in the interval.  Each read interrupts a CPU of that cache, so all of them take at most 1 % of the time.
 */
enum resctrl_event {
	RESCTRL_TOTAL, /* bytes between the cache and all memory */
	RESCTRL_LOCAL, /* of these, the memory of the own node */
	RESCTRL_HELD,  /* bytes in the cache now */
	RESCTRL_EVENTS
};

struct resctrl_cache {
	uint32_t id; /* that of the files cache/index3/id of its CPUs */
	double figure
		[RESCTRL_EVENTS]; /* bytes a second between the last two readings, or bytes now; NAN unknown */

	/* For resctrl.c alone, by event. */
	double sum[RESCTRL_EVENTS];
	size_t counters[RESCTRL_EVENTS]; /* of the reading before; */
	size_t found[RESCTRL_EVENTS];    /* of this one, */
	size_t again[RESCTRL_EVENTS];    /* and those of them that the reading before has, too */
};

struct resctrl {
	const struct clock *clock;
	struct resctrl_cache *caches; /* in no order */
	size_t count, capacity;
	struct map last; /* each counter, by its file, to its place in `values` + 1 */
	uint64_t *values;
	uint64_t read_ns; /* when; 0: nothing was read */
	struct time_share reading;
};

void resctrl_init(struct resctrl *r, const struct clock *clock); /* CLOCK is borrowed */
void resctrl_fini(struct resctrl *r);

/* Reads the tree ROOT ("../fs/resctrl") below the directory FD.  No caches: it is not mounted, or counts nothing. */
void resctrl_refresh(struct resctrl *r, int fd, const char *root);

/* The next reading then has no previous one. */
void resctrl_forget(struct resctrl *r);

/* NULL: no such cache is known.  Borrowed until the next reading. */
const struct resctrl_cache *resctrl_find(const struct resctrl *r, uint32_t id);

#endif
