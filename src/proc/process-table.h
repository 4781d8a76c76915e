/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_PROC_PROCESS_TABLE_H
#define PTOP_PROC_PROCESS_TABLE_H

#include "base/account.h"
#include "base/buf.h"
#include "base/hash.h"
#include "proc/process.h"
#include "proc/user.h"

/* Else each sample of a process that has no room would ask the kernel whose it is. */
#define REFUSED_PIDS 8192u

/*
 * The inside of the process table, shared by process-table.c (membership), refresh.c, thread-counts.c and kept-files.c (what
 * /proc says) and maps.c (mappings).  No other file includes this.
 */
struct process_table {
	const struct procfs *procfs; /* borrowed, or NULL */
	struct strtab *names;        /* borrowed */
	const struct clock *clock;   /* borrowed */
	struct user_table *users;
	struct map pids, tids;  /* the newest process or thread of that number */
	struct process **items; /* all, in order of arrival */
	size_t count, capacity;
	size_t tasks;          /* threads in the table */
	enum owners owners;    /* process_table_read_owners() */
	uint64_t memory_bytes; /* the limit of which tasks and mappings have their parts */
	uint64_t text_bytes;   /* of commands and control groups, when they were last counted */
	uint32_t
		greedy_uid; /* a user whose processes then took all of his part; UINT32_MAX: none */
	uint32_t serial;    /* the last one given */
	uint64_t refreshes;
	uint64_t refreshed_ns;              /* when the last refresh, or this table, began */
	uint64_t listings;                  /* of /proc */
	bool partial;                       /* the scan ended before it had reached all */
	uint64_t listed_ticks;              /* uptime at the last listing; UINT64_MAX unknown */
	uint64_t earlier_ticks;             /* uptime at the listing before it */
	uint64_t counted_since[TASK_FILES]; /* the first of the refreshes in a row that read it */
	uint64_t reads, refused;
	uint32_t refused_pids[REFUSED_PIDS]; /* since the last refresh began; modulo */
	struct space_store *spaces;          /* the mappings of all processes */
	struct map shares;        /* uid + 1 to what maps.c owns: who may have maps read when */
	uint64_t maps_postponed;  /* see process_maps_stats, */
	uint64_t maps_cpu_ns;     /* likewise */
	struct spare_time *spare; /* borrowed; for reading mappings; NULL: without limit */
	struct buf text;          /* of large files */
	size_t files_kept, files_limit; /* process_table_keep_files() */
	bool reads_all;                 /* the present refresh reads every process */
};

/* Pids that are no process in /proc: idle and exiting tasks. */
static inline bool process_virtual(const struct process *p)
{
	return p->pid == 0 || p->pid == UINT32_MAX;
}

/*
 * Adds a new process with its leader.  A process that had the pid is no longer found by it.
 * Returns NULL if the table is full, or the user UID (UINT32_MAX: not known) has his part of it.
 */
struct process *table_add(struct process_table *t, uint32_t pid, uint32_t uid);

/* Processes of which only a listing tells leave a quarter of a user's room to those that run. */
bool table_has_idle_room(struct process_table *t);

/* The user of process PID, if one user has his part of the table already; else UINT32_MAX. */
uint32_t table_owner(const struct process_table *t, uint32_t pid);

/* Ends P with all its threads, as of the present refresh. */
void process_end(struct process_table *t, struct process *p);

/* Frees what maps.c keeps, after all processes. */
void maps_fini(struct process_table *t);

/* Takes back the end of P and of its leader. */
void process_revive(struct process *p);

/* Ends TH.  Its process lives on, or the caller ends it. */
void thread_end(struct process_table *t, struct thread *th);

/*
 * TH began after refresh number BORN_AT, so its counts started at zero in this interval: at BORN_NS, or 0 or
 * UINT64_MAX where nothing tells when.
 */
void thread_is_born(struct thread *th, uint64_t born_at, uint64_t born_ns);

/* Makes the SIZE bytes of TEXT P's command; "" if SIZE is 0. */
void process_set_command(struct process *p, const char *text, size_t size);

/*
 * As procfs_read_task() with the pid of TH, or with TID, too.  The file is FILE of enum task_file or one of the kept ones, and stays
 * open if its process runs in one refresh after the other.
 */
ssize_t thread_read_file(struct process_table *t, struct thread *th, size_t file, uint32_t tid,
			 const char *name, char *buf, size_t size);

/* Closes the files of TH, or of all threads of P. */
void thread_close_files(struct process_table *t, struct thread *th);
void process_close_files(struct process_table *t, struct process *p);

/*
 * Reads file NAME of P, whose process can hold up the reader.  Returns what procfs_read_task() does, or -EAGAIN, if its
 * user's processes have held ptop up for too long lately.
 */
ssize_t process_read_locked(struct process_table *t, struct process *p, const char *name,
			    char *text, size_t size);

/* Reads P for the first time: stat and user. */
void process_learn(struct process_table *t, struct process *p);

/*
 * A reading of TH returned N.  TH may have ended without a record.  A leader ends with its process.
 */
void thread_check(struct process_table *t, struct thread *th, ssize_t n);

/*
 * thread-counts.c: what the kernel counts for each thread.  Updates the deltas of P and of its threads:
 * of those that ran, or with ALL of each.  If not all of its threads are known, or counts were not read
 * in the last refresh, those of P are unknown.
 */
void process_read_counts(struct process_table *t, struct process *p, enum task_file file, bool all);

/*
 * The deltas of P, and of its THREADS, are VALUE: 0 if it did not run, -1 unknown.  Counts that
 * this refresh did not request are unknown.
 */
void counts_set(const struct process_table *t, struct process *p, int64_t value, bool threads);

/* TH ran since the last refresh, or could since it was last read: it is then read again, and not taken for idle. */
static inline bool thread_may_have_run(const struct thread *th)
{
	return th->ran || (th->figures && th->figures->stat.state == 'R');
}

/* P ran, and FILE is not read: its deltas are unknown, and so are the next ones of the threads that ran. */
void process_skip_counts(struct process *p, enum task_file file);

/* The counts are no longer current: the next deltas are unknown. */
void thread_forget_counts(struct thread *th);
void process_forget_counts(const struct process_table *t, struct process *p);

#endif
