/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_BASE_ALLOC_H
#define PTOP_BASE_ALLOC_H

#include <stddef.h>

/*
 * Allocation for structures whose size the program decides.  After a failure nothing useful is left
 * to do, so these functions end the process: see mem_on_failure().  Bound a size first if it comes from a
 * file, a record or another process.
 *
 * The caller owns the result and releases it with free(), or several at once with mem_free().
 */
void *mem_alloc(size_t size);               /* zeroed; SIZE 0 gives a unique pointer */
void *mem_array(size_t count, size_t size); /* zeroed, overflow checked */
char *mem_strdup(const char *s);
char *mem_strndup(const char *s, size_t n);
char *mem_printf(const char *format, ...) __attribute__((format(printf, 1, 2)));

/*
 * Makes room for NEED elements of SIZE bytes in *ITEMS, which has room for *CAPACITY.  Room at
 * least doubles.  The array moves: pointers into it are invalid afterwards.  New elements are not
 * zeroed.
 */
void mem_grow(void **items, size_t *capacity, size_t need, size_t size);
void mem_grow_zeroed(void **items, size_t *capacity, size_t need,
		     size_t size); /* new ones are zeroed */

/*
 * mem_free(a, b, c) frees each of its arguments.  All are read before the first one is freed, so the last one may
 * be the structure that holds the others.  NULL is allowed.
 */
#define mem_free(...)                                 \
	mem_free_each((void *const[]){ __VA_ARGS__ }, \
		      sizeof((void *const[]){ __VA_ARGS__ }) / sizeof(void *))
void mem_free_each(void *const *pointers, size_t count);

/*
 * Very large arrays come from the kernel and go back to it, and threads share two heaps.  Else what a thread freed stays
 * with it: 60 MiB after ten minutes beside compilers.  The arrays of a snapshot are below that: fresh pages for each
 * refresh took a sixth of its time.  Call before any thread is started.
 */
void mem_tune(void);

/*
 * TELL is called, in any thread, when an allocation fails.  It should tell a person and end the process; it
 * must not allocate.  Without it, or when it returns, the process ends by abort().  Call before any thread
 * is started.
 */
void mem_on_failure(void (*tell)(void));

#endif
