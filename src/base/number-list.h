/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_BASE_NUMBER_LIST_H
#define PTOP_BASE_NUMBER_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/*
 * A sorted set of numbers as people write it: "1,4-7".  Used for pids, tids and CPUs.
 */
struct number_list {
	uint32_t *items; /* ascending, no duplicates, owned */
	size_t count;
};

/*
 * Parses TEXT into L.  Every number must lie in [MIN, MAX]; at most 65536 numbers are accepted.
 * WHAT ("pid", "CPU") names the kind of number in the message.  Returns 0, or -1 with ERR set and L
 * empty.
 */
int number_list_parse(struct number_list *l, const char *text, const char *what, uint32_t min,
		      uint32_t max, struct error *err);
/* L as number_list_parse() takes it, the shortest way; "" if it is empty.  Owned by the caller. */
char *number_list_text(const struct number_list *l);
void number_list_fini(struct number_list *l);
bool number_list_has(const struct number_list *l, uint32_t number);

#endif
