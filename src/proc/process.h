/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_PROC_PROCESS_H
#define PTOP_PROC_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/clock.h"
#include "base/owner.h"
#include "base/strtab.h"
#include "base/time-share.h"
#include "proc/procfs.h"
#include "proc/space.h"
#include "proc/stat.h"
#include "proc/thread.h"

/*
 * The process table.  A process enters by a record (FORK, first sample) or by a scan of /proc.  It
 * leaves once it has exited and the next snapshot has been taken.
 *
 * A process that did not run is not read again, because its figures are still true.  The owner
 * marks who ran; refresh re-reads those, the new ones and the requested ones.
 *
 * Texts of a process live as long as the process and change with it: copy what a snapshot keeps.
 */
/* Mappings of code are always kept; mappings of data only on request. */
enum process_maps { MAPS_CODE, MAPS_ALL, MAPS_KINDS };

struct process {
	uint32_t pid;
	uint32_t serial;            /* this process alone, even if the pid is reused */
	char comm[TASK_COMM_BYTES]; /* of the main thread; raw bytes; "" before known */
	/*
	 * cmdline with its NULs as spaces, at most 4095 raw bytes; owned, never NULL.  "" for
	 * kernel threads, for an empty cmdline, and while `command_known` is false.
	 */
	const char *command;
	bool command_known; /* cmdline was read, or tried to, since its last exec */
	/* Filled only when struct refresh asks for them; owned, NULL unknown. */
	char *cgroup;     /* its control group's path */
	char *wchan;      /* the kernel function in which its main thread sleeps */
	bool cgroup_read; /* in this refresh; the owner clears it */
	uint32_t group; /* the owner's number for `cgroup`; 0: it has none, or that was read anew */
	size_t group_slot; /* the owner's: where that was found last */
	bool kernel;       /* a kernel thread */
	bool exited;
	bool known;       /* stat has been read at least once */
	uint32_t uid;     /* effective; UINT32_MAX unknown */
	const char *user; /* name or number, interned; "" unknown */
	/* Use process_owner(). */
	struct {
		uint64_t id;  /* that of all readings; OWNER_NOBODY: none yet, or they differ */
		bool any;     /* it was read */
		bool current; /* since the last exec, too; or the parent's is taken for it */
		bool old; /* it may have run since, and OWNERS_NEW did not read it again: nobody's until then */
	} owner;
	struct task_stat stat; /* as last read; all 0 while not known */
	int64_t shared_pages;  /* as last read, if visible or wanted of all; -1 unknown */
	/* Differences between the last two refreshes; -1 when unknown. */
	double cpu_percent; /* 100 is one CPU */
	int64_t minor_faults, major_faults;
	int64_t deltas[TASK_COUNTS]; /* sums of its threads' */
	struct microstates states;   /* likewise, of those that live; if asked for */
	/* Use process_space(). */
	struct {
		struct space *space; /* NULL until first needed; owned */
		bool read;           /* complete, by /proc/PID/maps or by records */
		bool doubted;        /* records of it were lost: /proc/PID/maps replaces it */
		uint64_t read_ns;    /* when /proc/PID/maps was read, or tried to; 0: never */
		uint64_t used_at;    /* the refresh in which it was last wanted */
	} maps[MAPS_KINDS];
	struct thread **threads; /* the known threads, the leader first; owned by the table */
	size_t thread_count, thread_capacity;
	size_t live_threads; /* known threads that have not exited */
	uint64_t read_ns;    /* CLOCK_MONOTONIC of the figures */
	bool idled;          /* it was taken for idle since its stat was read */
	bool carried;        /* it was before this time: cpu_percent may have earlier ticks */
	bool ran;            /* since the last refresh: process_thread_ran() */
	bool active;         /* it ran between the last two refreshes */
	uint8_t mark;        /* for the owner's use (is it a target?); 0 at first */
	/* For naming/python-names.h alone. */
	struct {
		uint64_t generation;                      /* of its mappings, when KIND was found */
		uint8_t kind;                             /* 0: unknown */
		uint64_t evaluator, part_start, part_end; /* its address, its part without a name */
		struct time_share share;
	} python;

	/* For the table alone. */
	char *command_text;  /* what `command` points to, or NULL */
	bool baseline;       /* `stat` has the figures at the last refresh */
	bool born;           /* began while we watched: all its counts started at 0 */
	bool listed;         /* found by a listing of /proc other than the first */
	bool tried;          /* reading stat was tried */
	bool visible;        /* this refresh asked for it */
	bool settled;        /* exited, and a refresh has looked for its zombie */
	uint64_t seen;       /* number of the last refresh whose listing had it */
	bool execed;         /* it has a space of its own, no longer the parent's */
	bool threads_listed; /* task/ was read: later threads come by records */
	uint64_t since_ns;   /* when it entered the table; older records are ignored */
	uint64_t exec_ns;    /* its last exec, as records tell; 0: none */
	uint64_t command_ns; /* when cmdline was read */
	uint64_t cgroup_ns;  /* when cgroup was read, or tried to; 0: never */
	bool wchan_tried;    /* since it last ran */
	bool keeps_files;    /* files of its threads may be open */
	uint64_t exited_at;  /* number of refreshes done before */
};

/* Marks that TH was on a CPU since the last refresh.  Call it for every record that says so. */
static inline void process_thread_ran(struct thread *th)
{
	th->ran = true;
	th->process->ran = true;
}

/*
 * Returns true if P ran in the interval that the last refresh ended.  Records between the pieces of a refresh may tell so when P
 * has been looked at.
 */
static inline bool process_did_run(const struct process *p)
{
	return p->active || p->ran;
}

/*
 * To whom the kernel shows all of P (base/owner.h), and has shown it at each reading.  The ids are those of its
 * file status.  Its file environ is root's if it may not be traced, such as a set-user-ID program.  A program that was not
 * read since its exec is nobody's: it could be one of these.  A fork has its parent's owner until it is read.  Known only
 * with OWNERS_ALL.  A process that was nobody's stays so, and is not read again.
 */
static inline uint64_t process_owner(const struct process *p)
{
	return p->owner.current && !p->owner.old ? p->owner.id : OWNER_NOBODY;
}

struct process_table;

/*
 * Makes a table with its parts of MEMORY_BYTES (base/account.h).  PROCFS, NAMES and CLOCK are borrowed.  With PROCFS NULL (a recording) nothing is
 * read from /proc and all figures stay unknown.  NAMES interns user names and the paths of
 * mappings.
 */
struct process_table *process_table_new(const struct procfs *procfs, struct strtab *names,
					const struct clock *clock, uint64_t memory_bytes);
void process_table_free(struct process_table *t); /* NULL is allowed */

/* Reading mappings takes SPARE CPU time from now on (base/spare-time.h), which is borrowed; NULL: without limit. */
struct spare_time;
void process_table_spare(struct process_table *t, struct spare_time *spare);

/* A session keeps so many where it has descriptors enough. */
#define PROCESS_FILES_KEPT 2048

/*
 * From now on at most LIMIT files stay open: those of processes that run in one refresh after the other.  Reading one again
 * is a call in place of three, and there is no path to find.  Each takes some 4 KiB of the kernel's memory.  0, the default: none does.
 */
void process_table_keep_files(struct process_table *t, size_t limit);

/* Whose owner is read: two files of a process. */
enum owners {
	OWNERS_NONE,
	OWNERS_NEW, /* processes that are new, or made an exec: what cannot be found out later */
	OWNERS_ALL, /* every process that ran, so process_owner() is true after each refresh */
};

/* A process that OWNERS_NEW left out is read by the first refresh after OWNERS_ALL. */
void process_table_read_owners(struct process_table *t, enum owners owners);

/*
 * Returns thread TID of process PID and makes it if it is not there yet.  A new process is read
 * from /proc if possible.  The result is borrowed until process_table_forget_exited() frees it.
 * Returns NULL only when the table is full, or its user has his part of it, and for thread 0 of another
 * process than 0.
 *
 * Two processes never end and are never read: pid 0, the idle tasks, and pid UINT32_MAX.  The
 * kernel stamps tasks in the last steps of their exit with the latter.
 */
struct thread *process_table_thread(struct process_table *t, uint32_t pid, uint32_t tid);

/* The newest thread or process of that number, or NULL. */
struct thread *process_table_find_thread(const struct process_table *t, uint32_t tid);
struct process *process_table_find(const struct process_table *t, uint32_t pid);

/* The thread of the process with that serial number, also if another one has its number meanwhile; NULL if forgotten. */
struct thread *process_table_find_past(const struct process_table *t, uint32_t serial,
				       uint32_t tid);

/*
 * The content of a FORK or EXIT record.  TIME_NS (CLOCK_MONOTONIC) decides whether the record or
 * the data read from /proc is newer.  0 in EXIT and UINT64_MAX in FORK mean that the record is
 * newer.
 */
struct task_change {
	uint32_t pid, tid, ppid, ptid;
	uint64_t time_ns;
};

/*
 * Adds a new thread, or a new process if pid and ppid differ.  A new process takes over the
 * parent's names, user and space (shared until one changes it).  A live process that had the pid is
 * taken to have ended unnoticed.
 */
void process_table_fork(struct process_table *t, const struct task_change *fork);

/*
 * Sets a new name.  With EXEC it is a new program: its space is emptied and mapping records fill it
 * from then on, all other threads end, and the command is read again.
 */
void process_table_comm(struct process_table *t, uint32_t pid, uint32_t tid, const char *comm,
			bool exec);

/*
 * Ends a thread.  The process ends with the last of its known threads.  If that was wrong (no
 * record named the other threads), or if the process stays as a zombie, the next refresh finds it
 * in /proc and clears `exited`.
 */
void process_table_exit(struct process_table *t, const struct task_change *exit);

/*
 * Returns the mappings of P, executable ones or all.  They are read from /proc/PID/maps the first
 * time, unless records told them all.  Never NULL; empty if they cannot be read.
 *
 * Processes choose how many mappings they have and how long their paths are.  So each user pays:
 * reading takes at most a quarter of the time for each user, and is postponed beyond that.  The
 * mappings of all processes have their part of the memory (ACCOUNT_MAPPINGS).  Beyond it the user with
 * most of them loses those that no sample wanted since the last refresh; they are read again when one does.
 */
struct space *process_space(struct process_table *t, struct process *p, enum process_maps kind);

struct process_maps_stats {
	uint64_t postponed; /* times that mappings were wanted and their user's share was used up */
	uint64_t refused;   /* mappings that did not fit */
	size_t bytes;       /* memory of all mappings */
	uint64_t cpu_ns;    /* that reading took */
};
struct process_maps_stats process_table_maps_stats(const struct process_table *t);

/* Records of mappings were lost: each process's are read again when they are next wanted. */
void process_table_doubt_maps(struct process_table *t);

/*
 * Returns the mapping of P that holds ADDRESS, executable or not, or NULL.  If none is known,
 * /proc/PID/maps is read again, at most ten times a second.  Borrowed until the next call that
 * changes P's MAPS_ALL.
 */
struct mapping *process_mapping(struct process_table *t, struct process *p, uint64_t address);

/*
 * Adds the processes of /proc that the table lacks.  Reads stat and user only, so that the first
 * screen is early; the next refreshes read the commands.  Returns the number added, or a negative
 * errno.
 */
int64_t process_table_scan(struct process_table *t);

/*
 * The same, but ends after LIMIT_NS.  A process that was not reached enters the table with its
 * first record, or by the second refresh at the latest.
 */
int64_t process_table_scan_for(struct process_table *t, uint64_t limit_ns);

/* Time that a first screen may spend on processes that did nothing: enough for some hundreds. */
#define PROCESS_SCAN_NS (10 * 1000 * 1000ull)

/* Time that the first refresh may spend on the commands of processes that nobody asked for. */
#define PROCESS_COMMANDS_NS (5 * 1000 * 1000ull)

struct refresh {
	/*
	 * List /proc and read every process: there is no record of who ran (no perf), or some are
	 * lost.
	 */
	bool all;
	/* With `all`: only what ran or is visible is read, in full.  The figures of others are unknown. */
	bool sparing;
	bool threads; /* also read the figures of each thread */
	/* The microstates of processes that ran or are visible; `counts` has TASK_SWITCHES and TASK_DELAYS, too. */
	bool states;
	bool commands; /* read all commands now, however long it takes */
	/*
	 * Files for columns that are rarely shown.  `cgroup` is read again now and then for
	 * processes that ran or are visible, because a process can be moved.  `wchan` is read only
	 * after the process ran: until then it sleeps in the same function.
	 */
	bool cgroup, wchan;
	bool shared; /* shared_pages of processes that ran, too; else of visible ones alone */
	const char *cgroup_controller; /* see cgroup_path_find() */
	/*
	 * Also read these counts of threads that ran; others are unknown, -1.  The counts of a
	 * thread between the last refresh and its end are unknown, too.
	 */
	bool counts[TASK_FILES]; /* TASK_SWITCHES is always read of visible processes */
	/*
	 * Users of whom only what is new or visible is read, but for OWNERS_ALL: the differences of others that ran are
	 * unknown.
	 */
	const uint32_t *resting; /* borrowed */
	size_t resting_count;
	const uint32_t *visible; /* pids to read although they did not run; borrowed */
	size_t visible_count;
	/* Called between two processes whenever REFRESH_PIECE_NS have gone by.  It may change the table by records.  NULL: nobody is. */
	void (*between)(void *context);
	void *context;
};

#define REFRESH_PIECE_NS (20 * 1000 * 1000ull)

/*
 * Reads what must be read again and updates the differences.  A process that ran is compared with
 * its figures at the last refresh, or at its birth if that was later and seen.  A process that did
 * not run gets 0 without being read.  A `sparing` refresh does not know that of any, and the next difference of one that
 * it did not read is unknown, too.
 *
 * Commands are read for processes that ran or are visible.  The first refresh also reads others for
 * PROCESS_COMMANDS_NS, so that the first screen of an ordinary machine is complete.  Reading
 * thousands of commands that nobody looks at would cost more than everything else.
 *
 * A process that ended keeps the stat that was read last, with the differences -1, until
 * process_table_forget_exited().
 */
void process_table_refresh(struct process_table *t, const struct refresh *how);

/*
 * Called before each thread or process is freed; threads come before their process.  NULL: no call.
 */
struct process_gone {
	void (*thread)(void *context, struct thread *th);
	void (*process)(void *context, struct process *p);
	void *context;
};

/*
 * Frees processes and threads that had ended before the last refresh, also threads of live
 * processes.  GONE may be NULL.
 */
void process_table_forget_exited(struct process_table *t, const struct process_gone *gone);

/* Walks all processes, 0 and UINT32_MAX included, in order of arrival; NULL at the end. */
size_t process_table_count(const struct process_table *t);
struct process *process_table_next(const struct process_table *t, size_t *cursor);

/* The number of files that the last refresh opened or tried to open.  For --verbose and tests. */
uint64_t process_table_reads(const struct process_table *t);

/*
 * The memory of all tasks, without mappings, in bytes, as process_table_count_bytes() last counted their texts.
 * That also looks for a user with more than his part: he has no new tasks until the next time.
 */
uint64_t process_table_bytes(const struct process_table *t);
void process_table_count_bytes(struct process_table *t);

/* Gives mappings of the user with most of them back, until all take less than BYTES. */
void process_table_shed_maps(struct process_table *t, size_t bytes);

/* The number of tasks that did not fit into the table. */
uint64_t process_table_refused(const struct process_table *t);

#endif
