/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_OUTPUT_TEXTS_H
#define PTOP_OUTPUT_TEXTS_H

#include <stddef.h>
#include <stdint.h>

#include "base/hash.h"
#include "base/strtab.h"

/*
 * A table of different texts by number, as profile formats have it.  Each is made harmless and valid
 * UTF-8 by the sanitiser before it is compared, so two raw texts may have one number.
 */
struct texts {
	const char **items;	/* by number */
	size_t count, capacity;
	struct strtab *strings;
	struct map numbers;	/* a string's address to its number + 1 */
};

void texts_init(struct texts *t);
void texts_fini(struct texts *t);

/* The number of RAW (not NULL, copied), from 0 in the order of the first calls. */
size_t texts_add(struct texts *t, const char *raw);

#endif
