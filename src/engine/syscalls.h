/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_ENGINE_SYSCALLS_H
#define PTOP_ENGINE_SYSCALLS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/strtab.h"
#include "engine/pieces.h"
#include "naming/late.h"
#include "perf/record/record.h"

/*
 * The event syscalls (perf/event/event.h): the time that threads spend in system calls.  A call is counted
 * when it returns, as strace -c does: one sample, whose period is its time.  Its cell has the caller's
 * stack and below that the call, of the object "[syscall]"; the error, if it failed, is its `data`; and
 * the bucket of its time (profile/distribution.h).  A call that stands for several is so many samples.
 *
 * Names are of the ABI that the registers of the caller's last sample with registers tell: a 32-bit program's
 * calls have the names of its own numbers.  Without registers they have those of 64-bit programs.
 *
 * A call whose begin was not seen is counted without a time: CELL_RAN.  A call that goes on is no sample
 * of a bucket: what it has taken up to now is counted as CELL_WAIT_LASTS.  A call that never returns, as
 * exit_group(2), is not counted.  A command's calls count from the return of its execve(2) on.
 *
 * Records of a live machine come in order on each CPU, not between CPUs.  They are kept until
 * syscalls_drained() says that they are complete, then handled in the order of their times.
 *
 * With NULL all of these do nothing.
 */
struct syscalls;

struct syscalls_options {     /* all borrowed */
	struct strtab *names; /* lives as long as the frames */
	const char *arch;     /* of the recorded machine, as uname(2) says; NULL: this one */
	struct late *late;
	bool live;       /* records of several CPUs are not in order */
	bool of_command; /* the target is yet to call execve(2) */
};

/* NULL when the event is not in the list. */
struct syscalls *syscalls_new(const struct pieces *use, const struct syscalls_options *options);
void syscalls_free(struct syscalls *s);

/* R, with `call`, is of TH, which may be NULL.  UNCOUNTED: it is outside the shown part of a recording. */
void syscalls_receive(struct syscalls *s, struct thread *th, const struct record *r,
		      bool uncounted);

/* R, with `calls`, is of TH, which may be NULL, or have ended. */
void syscalls_summed(struct syscalls *s, struct thread *th, const struct record *r);

/*
 * The thread TID was made at TIME_NS; 0: before the recording.  The call that made it returns in it as well,
 * which is no call of its own.
 */
void syscalls_start(struct syscalls *s, uint32_t tid, uint64_t time_ns);

uint64_t syscalls_samples(const struct syscalls *s); /* so many were counted */

/* The thread TID has ended at TIME_NS: its call does not go on. */
void syscalls_end(struct syscalls *s, uint32_t tid, uint64_t time_ns);

/* The process of TH has another program. */
void syscalls_exec(struct syscalls *s, struct thread *th);

/* Records were lost at TIME_NS: of calls that went on then the time is not known. */
void syscalls_gap(struct syscalls *s, uint64_t time_ns);

/* Stacks that were held may be known: as offcpu_ask(). */
void syscalls_read(struct syscalls *s);

/* All records up to NEWEST_NS were received, but for what a CPU is writing. */
void syscalls_drained(struct syscalls *s, uint64_t newest_ns);

/*
 * The interval ends: cells get what calls that go on have taken until NEWEST_NS.  Without the event in the list
 * everything is forgotten.
 */
void syscalls_count(struct syscalls *s, uint64_t newest_ns);

#endif
