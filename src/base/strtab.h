/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_BASE_STRTAB_H
#define PTOP_BASE_STRTAB_H

#include <stddef.h>

/*
 * Interned strings: equal text gives the same pointer, so names are compared by pointer.  A string
 * lives, at one address, until strtab_free(); nothing is ever removed.  One thread adds; a pointer
 * that was handed to another thread may be read there without a lock.
 */
struct strtab;

struct strtab *strtab_new(void);
void strtab_free(struct strtab *t);				/* NULL is allowed */
const char *strtab_add(struct strtab *t, const char *s);
const char *strtab_add_n(struct strtab *t, const char *s, size_t n);	/* N bytes, or to a NUL */

/*
 * A copy of S that is not interned, for texts that nobody compares or adds twice: no look-up, a
 * copy for each call.
 */
const char *strtab_copy(struct strtab *t, const char *s);
size_t strtab_bytes(const struct strtab *t);			/* memory held */

#endif
