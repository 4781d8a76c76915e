/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_BASE_GROUP_FACTS_H
#define PTOP_BASE_GROUP_FACTS_H

#include <stdint.h>

#include "base/pressure-facts.h"

/* A control group, cgroups(7): its kind, and the kernel's counts for all below it. */
enum group_kind {
	GROUP_UNKNOWN,   /* processes whose group is not known */
	GROUP_ROOT,      /* "/" */
	GROUP_PLAIN,     /* a directory that somebody made */
	GROUP_SLICE,     /* systemd's: the last part of its name says it */
	GROUP_SERVICE,   /* likewise, sockets, mounts and swaps too */
	GROUP_SCOPE,     /* likewise */
	GROUP_MACHINE,   /* of systemd-machined, or LXC */
	GROUP_POD,       /* of Kubernetes */
	GROUP_CONTAINER, /* its name has a container's id */
	GROUP_KINDS
};

/* The word of a kind: "container"; never NULL. */
const char *group_kind_name(enum group_kind kind);

/*
 * -1 and NAN: unknown, not asked for, or no such controller.  Amounts are of now, shares of the interval
 * between two readings of that file.  All of them are the kernel's, with the groups below.
 */
struct group_facts {
	int64_t memory_bytes, memory_max_bytes; /* max: -1 means no limit, too */
	int64_t pids, pids_max;                 /* tasks; likewise */
	double read_rate, write_rate;           /* bytes a second of block devices */
	double throttled_percent;               /* of the periods of its CPU quota */
	struct pressure pressure;
};

extern const struct group_facts group_unknown;

#endif
