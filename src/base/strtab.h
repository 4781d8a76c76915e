/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_BASE_STRTAB_H
#define PTOP_BASE_STRTAB_H

#include <stddef.h>

/*
 * Interned strings: equal texts give the same pointer, so names are compared by pointer.  A string
 * keeps its address until strtab_free(); nothing is ever removed.  One thread adds strings.
 * Another thread may read a string that it was handed, without a lock.
 */
struct strtab;

struct strtab *strtab_new(void);
void strtab_free(struct strtab *t); /* NULL is allowed */
const char *strtab_add(struct strtab *t, const char *s);
const char *strtab_find(const struct strtab *t, const char *s);      /* NULL: it was not added */
const char *strtab_add_n(struct strtab *t, const char *s, size_t n); /* N bytes, or to a NUL */

/*
 * Copies S without interning it: no look-up, and each call makes a new copy.  For texts that nobody
 * compares or adds twice.
 */
const char *strtab_copy(struct strtab *t, const char *s);
size_t strtab_bytes(const struct strtab *t); /* memory held */

#endif
