/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "proc/user.h"

#include <errno.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"

#define USER_NAME_BYTES 256

struct user_table {
	struct strtab *names;      /* borrowed */
	const struct clock *clock; /* borrowed */
	user_lookup *lookup;
	struct map by_uid; /* uid to its interned name */
	uint64_t left_ns;  /* of USER_PATIENCE_NS */
	bool waiting;      /* a number was shown instead of a name, to save time */
};

/* The entry's other texts (home, shell) can be of any length: the buffer grows until they fit. */
static bool passwd_lookup(uint32_t uid, char *name, size_t size)
{
	struct passwd entry, *found = NULL;
	size_t room = 1024;
	int err;

	do {
		char *texts = mem_alloc(room);

		err = getpwuid_r(uid, &entry, texts, room, &found);
		if (!err && found)
			snprintf(name, size, "%s", entry.pw_name);
		free(texts);
		room *= 2;
	} while (err == ERANGE && room <= 1024 * 1024);
	return !err && found && *name;
}

struct user_table *user_table_new(struct strtab *names, const struct clock *clock,
				  user_lookup *lookup)
{
	struct user_table *t = mem_alloc(sizeof(*t));

	t->names = names;
	t->clock = clock;
	t->lookup = lookup ? lookup : passwd_lookup;
	user_table_rewind(t);
	return t;
}

void user_table_free(struct user_table *t)
{
	if (!t)
		return;
	map_fini(&t->by_uid);
	free(t);
}

bool user_table_rewind(struct user_table *t)
{
	bool waited = t->waiting;

	t->left_ns = USER_PATIENCE_NS;
	t->waiting = false;
	return waited;
}

/* Looks UID up and remembers the answer, also that there is no name. */
static const char *user_learn(struct user_table *t, uint32_t uid, const char *number)
{
	uint64_t start = clock_monotonic_ns(t->clock), took;
	char name[USER_NAME_BYTES] = "";
	const char *text;

	text = strtab_add(t->names, t->lookup(uid, name, sizeof(name)) ? name : number);
	map_put(&t->by_uid, uid, (void *)(uintptr_t)text);
	took = clock_monotonic_ns(t->clock) - start;
	t->left_ns -= took < t->left_ns ? took : t->left_ns;
	return text;
}

const char *user_name(struct user_table *t, uint32_t uid)
{
	const char *known = map_find(&t->by_uid, uid);
	char number[16];

	if (known)
		return known;
	if (uid == UINT32_MAX)
		return "";
	snprintf(number, sizeof(number), "%u", uid);
	if (t->left_ns)
		return user_learn(t, uid, number);
	t->waiting = true;
	return strtab_add(t->names, number);
}
