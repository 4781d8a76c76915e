/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_BASE_NEAREST_H
#define PTOP_BASE_NEAREST_H

#include <stddef.h>

/*
 * "Did you mean …": finds the candidate that needs the fewest edits to become what was written.  An
 * edit adds, drops or replaces a byte, or swaps two.
 */
#define NEAREST_MAX 64 /* longer names are not compared */

struct nearest {
	const char *want; /* borrowed */
	size_t size;
	size_t distance;            /* edits to `best`; at most a third of the name's size */
	char best[NEAREST_MAX + 1]; /* "" while nothing is near */
};

void nearest_init(struct nearest *n, const char *want, size_t size);
void nearest_try(struct nearest *n, const char *candidate);

#endif
