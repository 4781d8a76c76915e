/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_OUTPUT_TEXTS_H
#define PTOP_OUTPUT_TEXTS_H

#include <stddef.h>
#include <stdint.h>

#include "base/hash.h"
#include "base/strtab.h"

/*
 * A numbered table of different texts, as profile formats have it.  The sanitiser makes each text
 * harmless and valid UTF-8 before it is compared, so two raw texts may have one number.
 */
struct texts {
	const char **items; /* by number */
	size_t count, capacity;
	struct strtab *strings;
	struct map numbers; /* address of a string to its number + 1 */
};

void texts_init(struct texts *t);
void texts_fini(struct texts *t);

/* The number of RAW (not NULL, copied), counted from 0 in the order of the first calls. */
size_t texts_add(struct texts *t, const char *raw);

#endif
