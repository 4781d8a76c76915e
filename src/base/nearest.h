/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_BASE_NEAREST_H
#define PTOP_BASE_NEAREST_H

#include <stddef.h>

/*
 * "Did you mean …": of all candidates the one that the fewest edits (a byte added, dropped,
 * replaced, or two swapped) turn into what was written.
 */
#define NEAREST_MAX 64	/* longer names are not compared */

struct nearest {
	const char *want;		/* borrowed */
	size_t size;
	size_t distance;		/* of `best`; above a third of the name none is */
	char best[NEAREST_MAX + 1];	/* "" while nothing is near */
};

void nearest_init(struct nearest *n, const char *want, size_t size);
void nearest_try(struct nearest *n, const char *candidate);

#endif
