/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_SYMBOL_REOPENING_H
#define PTOP_SYMBOL_REOPENING_H

#include <stddef.h>
#include <stdint.h>

#include "symbol/dso.h"

/*
 * When an object that had to make room for others may be opened again: after a multiple of what that cost the last time.
 * All objects that rest share one part of a CPU, 1 / (LOADER_REST + 1) (loader.h): each of N rests N times as long.  So
 * objects that do not fit beside each other cost no more than that, however often somebody asks for them.
 *
 * For the files of those whose owner never rests.  Others pay for all that is read of them.
 */
struct reopening {
	uint64_t object; /* hash of its key */
	uint64_t due_ns;
};

/* Known at a time.  If there are more, the one that is due first may be opened at once. */
#define REOPENINGS_MAX 256u

struct reopenings {
	struct reopening known[REOPENINGS_MAX];
	size_t count;
};

/* When the object of KEY may be opened; 0: it was not opened before.  Times are of one clock. */
uint64_t reopenings_due(const struct reopenings *r, const struct dso_key *key);

/* Tells that it was opened now, which cost COST_NS of CPU time. */
void reopenings_charge(struct reopenings *r, const struct dso_key *key, uint64_t now_ns,
		       uint64_t cost_ns);

#endif
