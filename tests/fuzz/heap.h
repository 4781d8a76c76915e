/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_TESTS_FUZZ_HEAP_H
#define PTOP_TESTS_FUZZ_HEAP_H

#include <stdint.h>

/*
 * The heap of this program, its libraries' part too: a sanitizer tells of each allocation; without one
 * malloc() and its like are replaced.  Where neither is possible every answer is 0.
 */
void heap_watch(void); /* begins to count; call it once */
void heap_mark(void);  /* the growth begins here */
uint64_t
heap_growth(void); /* the most bytes in use at once since the mark, less those in use then */

#endif
