/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_PERF_LIVE_RING_SIZES_H
#define PTOP_PERF_LIVE_RING_SIZES_H

#include <stdbool.h>
#include <stddef.h>

/* Data pages of the two rings of each CPU, powers of two. */
struct ring_sizes {
	size_t samples, sideband;
};

/*
 * The usual sizes on a machine with CPUS of them.  COPIES: samples bring copies of stacks.  The more CPUs there are, the
 * smaller are the rings, so that those of all together lock 64 MiB at most (four CPUs with copies: 65).
 */
struct ring_sizes ring_sizes_for(size_t cpus, bool copies);

#endif
