/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_PROC_USER_H
#define PTOP_PROC_USER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/clock.h"
#include "base/strtab.h"

/*
 * Names of users by number.  The table remembers each answer, so a number is looked up once.  A
 * lookup (getpwuid_r(3): files, LDAP, …) can be slow.  So lookups get USER_PATIENCE_NS after each
 * user_table_rewind().  When that time is used up, new numbers are shown as numbers; the next
 * refresh looks them up.
 */
#define USER_PATIENCE_NS (20 * 1000 * 1000ull)

struct user_table;

/*
 * Writes the NUL-terminated name of UID into NAME of SIZE bytes.  Returns false if it has no name.
 */
typedef bool user_lookup(uint32_t uid, char *name, size_t size);

/* Makes a table.  NAMES and CLOCK are borrowed.  LOOKUP NULL means getpwuid_r(3). */
struct user_table *user_table_new(struct strtab *names, const struct clock *clock,
				  user_lookup *lookup);
void user_table_free(struct user_table *t); /* NULL is allowed */

/* Returns the name, or the number as text; interned.  Never NULL; "" for UINT32_MAX. */
const char *user_name(struct user_table *t, uint32_t uid);

/*
 * Gives the lookups of the next refresh their time.  Returns true if the last refresh ran out of
 * it.
 */
bool user_table_rewind(struct user_table *t);

#endif
