/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_PROC_PROCESS_H
#define PTOP_PROC_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/clock.h"
#include "base/strtab.h"
#include "proc/procfs.h"
#include "proc/space.h"
#include "proc/stat.h"
#include "proc/thread.h"

/*
 * The process table.  Processes enter by a record (FORK, first sample) or by a scan of /proc, and
 * leave when they have exited and the snapshot after that was taken.  Nothing that did not run is
 * read again: the owner marks who ran, and refresh re-reads those, the new ones and the ones asked
 * for.  A process that did not run is as good as read: its figures are those of now.
 *
 * Texts of a process live as long as it does and change with it: copy what a snapshot keeps.
 */
/* The mappings of code are always kept, those of data only where somebody asks for them. */
enum process_maps { MAPS_CODE, MAPS_ALL, MAPS_KINDS };

struct process {
	uint32_t pid;
	uint32_t serial;		/* this process alone, also when the pid comes back */
	char comm[TASK_COMM_BYTES];	/* of the main thread; raw bytes; "" before known */
	/*
	 * cmdline with its NULs as spaces, at most 4095 raw bytes; owned, never NULL.  "" for
	 * kernel threads, for an empty cmdline, and while `command_known` is false.
	 */
	const char *command;
	bool command_known;		/* cmdline was read, or tried to, since its last exec */
	/* What only some refreshes ask for, see struct refresh; owned, NULL unknown. */
	char *cgroup;			/* its control group's path */
	char *wchan;			/* the kernel function in which its main thread sleeps */
	bool cgroup_read;		/* just now; the owner clears it */
	bool kernel;			/* a kernel thread */
	bool exited;
	bool known;			/* stat has been read at least once */
	uint32_t uid;			/* effective; UINT32_MAX unknown */
	const char *user;		/* name or number, interned; "" unknown */
	struct task_stat stat;		/* as last read; all 0 while not known */
	int64_t shared_pages;		/* as last read, of visible or running ones; -1 unknown */
	uint64_t voluntary_switches, involuntary_switches;	/* of the threads that were read */
	/* Of the interval between the last two refreshes; -1 when it cannot be known. */
	double cpu_percent;		/* 100 is one CPU */
	int64_t minor_faults, major_faults;
	int64_t voluntary_delta, involuntary_delta;
	/* Use process_space(). */
	struct {
		struct space *space;	/* NULL until first needed; owned */
		bool read;		/* it is complete, by /proc/PID/maps or by records */
		uint64_t read_ns;	/* when /proc/PID/maps was read, or tried to; 0: never */
	} maps[MAPS_KINDS];
	struct thread **threads;	/* those known here, the leader first; owned by the table */
	size_t thread_count, thread_capacity;
	size_t live_threads;		/* of those known: not exited */
	uint64_t read_ns;		/* CLOCK_MONOTONIC that the figures are valid for */
	bool ran;			/* since the last refresh: process_thread_ran() */
	bool active;			/* it ran between the last two refreshes */
	uint8_t mark;			/* for the owner's use (is it a target?); 0 at first */

	/* For the table alone. */
	char *command_text;		/* what `command` points to, or NULL */
	bool baseline;			/* `stat` has the figures at the last refresh */
	bool born;			/* began before our eyes: all its counts started at 0 */
	bool listed;			/* came by a listing of /proc that was not the first */
	bool tried;			/* reading stat was tried */
	bool visible;			/* asked for by this refresh */
	bool settled;			/* exited, and a refresh has looked for its zombie */
	uint64_t seen;			/* number of the refresh that saw it listed, if it listed */
	bool execed;			/* its space is its own, not what the parent's was */
	bool threads_listed;		/* task/ was read: later threads come by records */
	uint64_t since_ns;		/* when it entered the table: older records are not news */
	uint64_t command_ns;		/* when cmdline was read */
	uint64_t cgroup_ns;		/* when cgroup was read, or tried to; 0: never */
	bool wchan_tried;		/* since it last ran */
	uint64_t exited_at;		/* number of refreshes done before */
};

/* Marks that TH was on a CPU since the last refresh.  For every record that says so. */
static inline void process_thread_ran(struct thread *th)
{
	th->ran = true;
	th->process->ran = true;
}

struct process_table;

/*
 * PROCFS, NAMES and CLOCK are borrowed.  PROCFS NULL: a recording, nothing is read from /proc and
 * all figures stay unknown.  NAMES takes the users' names and the paths of mappings.
 */
struct process_table *process_table_new(const struct procfs *procfs, struct strtab *names,
					const struct clock *clock);
void process_table_free(struct process_table *t);		/* NULL is allowed */

/*
 * The thread TID of process PID, made when not there yet; a process that is new is read from /proc
 * when it can be.  Two processes never end and are never read: pid 0, the idle tasks, and pid
 * UINT32_MAX, with which the kernel stamps tasks in the last steps of their exit.  Borrowed until
 * process_table_forget_exited() takes it.  NULL only when the table is full (a million tasks).
 */
struct thread *process_table_thread(struct process_table *t, uint32_t pid, uint32_t tid);

/* The newest of that number, or NULL. */
struct thread *process_table_find_thread(const struct process_table *t, uint32_t tid);
struct process *process_table_find(const struct process_table *t, uint32_t pid);

/*
 * What a FORK or EXIT record says.  TIME_NS (CLOCK_MONOTONIC) settles which is newer, the record or
 * what was read from /proc; 0 in EXIT and UINT64_MAX in FORK mean that the record is.
 */
struct task_change {
	uint32_t pid, tid, ppid, ptid;
	uint64_t time_ns;
};

/*
 * A new thread, or a new process when pid and ppid differ: it takes over the parent's names, user
 * and (shared until one changes) space.  A live process that had the pid has ended unnoticed.
 */
void process_table_fork(struct process_table *t, const struct task_change *fork);

/*
 * A new name; EXEC: a new program.  That empties the space, which mapping records fill from then
 * on, ends all other threads, and makes the command be read again.
 */
void process_table_comm(struct process_table *t, uint32_t pid, uint32_t tid, const char *comm,
			bool exec);

/*
 * A thread's end.  The process ends with the last of its known threads; when that was wrong (there
 * are threads that no record named) or it stays as a zombie, the next refresh finds it in /proc and
 * clears `exited` again.
 */
void process_table_exit(struct process_table *t, const struct task_change *exit);

/*
 * The mappings of P, executable ones or all, read from /proc/PID/maps the first time, unless records
 * told them all.  Never NULL; empty when they cannot be read.
 */
struct space *process_space(struct process_table *t, struct process *p, enum process_maps kind);

/*
 * The mapping of P that holds ADDRESS, executable or not, NULL when there is none.  When it is not
 * known /proc/PID/maps is read again, at most ten times a second.  Borrowed until the next call
 * that changes P's MAPS_ALL.
 */
const struct mapping *process_mapping(struct process_table *t, struct process *p,
				      uint64_t address);

/*
 * Adds what is in /proc and not in the table: stat and user only, so that the first screen is
 * early; commands come with the next refreshes.  The number added, or a negative errno.
 */
int64_t process_table_scan(struct process_table *t);

/*
 * Likewise, but ends after LIMIT_NS: a process that it has not come to enters the table with its first
 * record, or by the second refresh.
 */
int64_t process_table_scan_for(struct process_table *t, uint64_t limit_ns);

/* What a first screen may spend on processes that did nothing: some hundreds of them. */
#define PROCESS_SCAN_NS (10 * 1000 * 1000ull)

/* What the first refresh may spend on the commands of processes that nobody asked for. */
#define PROCESS_COMMANDS_NS (5 * 1000 * 1000ull)

struct refresh {
	/*
	 * List /proc and read every process: nobody tells who ran (no perf), or some of that was
	 * lost.
	 */
	bool all;
	bool threads;			/* also the figures of each thread of what is read */
	bool commands;			/* read all commands now, however long it takes */
	/*
	 * Files for columns that are shown rarely.  `cgroup` is read again now and then, of what ran
	 * or is visible, for a process can be moved; `wchan` when it ran: it still sleeps there.
	 */
	bool cgroup, wchan;
	const char *cgroup_controller;	/* see cgroup_path_find() */
	const uint32_t *visible;	/* pids to read although they did not run; borrowed */
	size_t visible_count;
};

/*
 * Reads what must be read again and updates the differences.  A process that ran is compared with
 * its figures at the last refresh (or at its birth, if that was later and seen); one that did not
 * run has 0 without being read.  Where `all` leaves it open, switches are known for the visible
 * processes only.
 *
 * The command is read of processes that ran or are visible.  The first refresh reads others, too,
 * for as long as PROCESS_COMMANDS_NS last, so that the first screen of an ordinary machine has all;
 * of thousands that nobody looks at it would cost more than everything else.
 *
 * Processes that ended keep the stat last read, with the differences -1, until
 * process_table_forget_exited().
 */
void process_table_refresh(struct process_table *t, const struct refresh *how);

/* Told before each is freed; the threads of a process before the process itself.  NULL: not. */
struct process_gone {
	void (*thread)(void *context, struct thread *th);
	void (*process)(void *context, struct process *p);
	void *context;
};

/*
 * Frees processes and threads (of processes that live on, too) that had ended before the last
 * refresh.  GONE may be NULL.
 */
void process_table_forget_exited(struct process_table *t, const struct process_gone *gone);

/* All processes, also 0 and UINT32_MAX, in the order in which they came; NULL at the end. */
size_t process_table_count(const struct process_table *t);
struct process *process_table_next(const struct process_table *t, size_t *cursor);

/* For --verbose and tests: how many files the last refresh opened, or tried to. */
uint64_t process_table_reads(const struct process_table *t);

/* Tasks that did not fit into the table. */
uint64_t process_table_refused(const struct process_table *t);

#endif
