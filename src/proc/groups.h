/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_PROC_GROUPS_H
#define PTOP_PROC_GROUPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/clock.h"
#include "base/group-facts.h"
#include "proc/procfs.h"

/*
 * The control groups of the machine, cgroups(7): version 2, or version 1 where its controllers are
 * mounted.  A group enters by the path of a process, or by a walk over the mounted trees.  It
 * leaves once its directory is gone and nobody used it since the last refresh.  Groups of several
 * trees with one path are one.
 *
 * Users make groups, so the table has a part of the one account (base/account.h), and the owner of a
 * directory pays for it.  Without room a group is refused and counted.  Where it is that of a process, unused
 * groups of users with many make room for the next refresh.
 *
 * A walk, the files of groups that nobody sees, and the names of containers take at most 0.25 % of the time.
 * So a view of them stays below 1 % with the rest.
 * With thousands of groups a walk so takes several refreshes.  A walk that finds nothing new takes a quarter of that:
 * a group with a process enters without it.  It takes a sixteenth where the root of version 2 tells how many groups
 * there are.  The files of groups in which nothing happens take 0.06 %: no process ran since the last reading, which
 * found what the one before had found.
 */
struct groups;

/* The files that are read of each group: bits. */
enum group_files {
	GROUP_FILE_MEMORY = 1,
	GROUP_FILE_PIDS = 2,
	GROUP_FILE_IO = 4,
	GROUP_FILE_CPU = 8,
	GROUP_FILE_PRESSURE = 16,
};

struct group_entry {
	/* Each refresh looks at these for each process, so they stand together. */
	uint32_t id;                /* never 0, and never used again */
	bool gone;                  /* its directory is */
	size_t slot;                /* its place in this walk: below groups_count() */
	struct group_entry *parent; /* which stays as long as this one; NULL: the root */
	uint64_t used; /* for groups.c alone: the refresh since which somebody uses it */
	uint64_t ran;  /* likewise the last one in which a process of it or below ran */

	const char *path; /* owned; "/system.slice/ssh.service" */
	const char *name; /* owned; what people call it; raw bytes */
	enum group_kind kind;
	uint32_t uid; /* who owns its directory, and pays */
	struct group_facts facts;
	struct group_reading *reading; /* owned; NULL: no file of it was ever read */

	/* For groups.c alone. */
	uint64_t read;       /* the refresh of its last reading; 0: none */
	uint64_t wanted;     /* that in which its files were read for the screen */
	uint64_t links[2];   /* of its directory in each tree when it was listed; 0: it was not */
	unsigned tries;      /* how often its name will still be looked for */
	uint32_t children;   /* in the table */
	uint32_t missing[2]; /* likewise those that the table has no room for */
	size_t bytes;        /* what it is charged with */
	bool changed;        /* its last reading found another figure than the one before */
};

/*
 * PROCFS, of which `mounts` is read, and CLOCK are borrowed.  NAMES_ROOT: where runtimes keep the names
 * of containers; NULL means "/".  MEMORY_BYTES: the limit of the account; 0: its default.
 */
struct groups *groups_new(const struct procfs *procfs, const struct clock *clock,
			  const char *names_root, uint64_t memory_bytes);
void groups_free(struct groups *g); /* NULL is allowed */

/*
 * The number of the group with PATH, which is made with those above it.  0: there is no room, or PATH is
 * none.  The second one is the group with that number, or NULL.  So is the third one, which looks at *SLOT first, and
 * leaves there where the group was: that rarely changes.
 */
uint32_t groups_find(struct groups *g, const char *path);
struct group_entry *groups_at(const struct groups *g, uint32_t id);
struct group_entry *groups_near(const struct groups *g, uint32_t id, size_t *slot);

/*
 * The group, and those above it, stay until the next refresh has ended.  RAN: a process of it did, so its files may
 * have changed.  E: NULL is allowed.
 */
void groups_use(struct groups *g, struct group_entry *e, bool ran);
bool groups_used(const struct groups *g,
		 const struct group_entry *e); /* since the last refresh began */

struct groups_request {
	unsigned files;        /* bits of enum group_files */
	const uint32_t *shown; /* numbers of groups whose files are read; borrowed */
	size_t shown_count;
	bool all; /* the files of the others, too, as the time allows */
};

/* Brings all up to date, then forgets groups that are gone and were not used. */
void groups_refresh(struct groups *g, const struct groups_request *request);

/* All groups, the root first, else in no order; NULL at the end. */
struct group_entry *groups_next(const struct groups *g, size_t *cursor);
size_t groups_count(const struct groups *g);

uint64_t groups_changes(
	const struct groups *g); /* grows with each group that comes, goes or gets another name */
bool groups_some_gone(const struct groups *g); /* the directory of one is, and it is still here */

/* Groups without room: those that a walk saw, at each refresh, and each time that groups_find() had none. */
uint64_t groups_refused(const struct groups *g);

size_t groups_bytes(const struct groups *g); /* memory held */

/*
 * Gives back until BYTES are left, or as many as groups above others allow: first what users with more than
 * half of that have, the longest unused first.  Numbers of groups that went are those of none.  The walk finds
 * them again step by step in the next minute or so, a group of a process at once.
 */
void groups_shed(struct groups *g, size_t bytes);

#endif
