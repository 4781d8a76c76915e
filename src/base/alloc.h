/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_BASE_ALLOC_H
#define PTOP_BASE_ALLOC_H

#include <stddef.h>

/*
 * Allocation for structures whose size the program decides: a failure there leaves nothing useful
 * to do, so they end the process by abort(), after which main's crash handler restores the
 * terminal.  A size that comes from a file, a record or another process must be bounded first.
 *
 * What they return is owned by the caller and released with free().
 */
void *mem_alloc(size_t size);			/* zeroed; SIZE 0 gives a unique pointer */
void *mem_array(size_t count, size_t size);	/* zeroed, overflow checked */
char *mem_strdup(const char *s);
char *mem_strndup(const char *s, size_t n);
char *mem_printf(const char *format, ...) __attribute__((format(printf, 1, 2)));

/*
 * Makes room for NEED elements of SIZE bytes in *ITEMS, which has room for *CAPACITY, by at least
 * doubling.  Moves the array: pointers into it are dead afterwards.  New elements are not zeroed.
 */
void mem_grow(void **items, size_t *capacity, size_t need, size_t size);

#endif
