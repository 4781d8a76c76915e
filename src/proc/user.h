/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_PROC_USER_H
#define PTOP_PROC_USER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/clock.h"
#include "base/strtab.h"

/*
 * Names of users by number.  Asked for each process and answered from memory: a number is looked up
 * once.  The lookup (getpwuid_r(3): files, LDAP, …) can be slow, so within USER_PATIENCE_NS after
 * user_table_rewind() it is asked; when that is used up, numbers that are new are shown as numbers,
 * and looked up the next time.
 */
#define USER_PATIENCE_NS (20 * 1000 * 1000ull)

struct user_table;

/* Writes the NUL-ended name of UID into NAME of SIZE bytes; false when there is none. */
typedef bool user_lookup(uint32_t uid, char *name, size_t size);

/* NAMES and CLOCK are borrowed; LOOKUP NULL is getpwuid_r(3). */
struct user_table *user_table_new(struct strtab *names, const struct clock *clock,
				  user_lookup *lookup);
void user_table_free(struct user_table *t);		/* NULL is allowed */

/* The name, or the number as text; interned.  Never NULL; "" for UINT32_MAX. */
const char *user_name(struct user_table *t, uint32_t uid);

/* Gives the lookups of the next refresh their time; true when the last one ran out of it. */
bool user_table_rewind(struct user_table *t);

#endif
