/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_PROC_TABLE_H
#define PTOP_PROC_TABLE_H

#include "base/buf.h"
#include "base/hash.h"
#include "proc/process.h"
#include "proc/user.h"

/*
 * The inside of the process table, shared by process.c (who is in it) and refresh.c (what /proc
 * says about them).  Nobody else includes this.
 */
struct process_table {
	const struct procfs *procfs;	/* borrowed, or NULL */
	struct strtab *names;		/* borrowed */
	const struct clock *clock;	/* borrowed */
	struct user_table *users;
	struct map pids, tids;		/* the newest process or thread of that number */
	struct process **items;		/* all, in order of arrival */
	size_t count, capacity;
	size_t tasks;			/* threads in the table */
	uint32_t serial;		/* the last one given */
	uint64_t refreshes;
	uint64_t refreshed_ns;		/* when the last refresh, or this table, began */
	uint64_t listings;		/* of /proc */
	bool partial;			/* the scan ended before it had come to all */
	uint64_t listed_ticks;		/* uptime at the last listing; UINT64_MAX unknown */
	uint64_t earlier_ticks;		/* uptime at the listing before it */
	uint64_t reads, refused;
	struct buf text;		/* of large files */
};

/* Pids that are no process in /proc: idle, and exiting tasks. */
static inline bool process_virtual(const struct process *p)
{
	return p->pid == 0 || p->pid == UINT32_MAX;
}

/* A new process with its leader; what had the pid before is no longer found by it.  NULL: full. */
struct process *table_add(struct process_table *t, uint32_t pid);

/* A new thread of P; NULL: full. */
struct thread *table_add_thread(struct process_table *t, struct process *p, uint32_t tid);

/* P has ended, with all its threads; EXITED_AT of the present. */
void process_end(struct process_table *t, struct process *p);

/* P and its leader have not ended after all. */
void process_revive(struct process *p);

/* TH has ended; its process lives on, or is being ended by the caller. */
void thread_end(struct process_table *t, struct thread *th);

/* TH began after the refresh of number BORN_AT: its counts started at zero in this interval. */
void thread_is_born(struct thread *th, uint64_t born_at);

/* The SIZE bytes of TEXT, or "" for 0, are P's command. */
void process_set_command(struct process *p, const char *text, size_t size);

/* The first reading of P: stat and user. */
void process_learn(struct process_table *t, struct process *p);

#endif
