/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_NAMING_DATA_H
#define PTOP_NAMING_DATA_H

#include <stdint.h>

#include "perf/record/trace-format.h"
#include "proc/process.h"
#include "profile/frame.h"

/*
 * From the address of data that a sample brought (a page fault's, a watched variable's) to the name
 * of the mapping that holds it: a file, "[heap]", "[stack]", "//anon", "/dev/shm/x".  Such a name is
 * a frame without a symbol, so that cells can be told apart by it and a snapshot can say it.
 */
struct data_names;

/* Both are borrowed.  Names take at most ACCOUNT_DATA of MEMORY_BYTES (base/account.h). */
struct data_names *data_names_new(struct process_table *processes, struct frame_table *frames,
				  uint64_t memory_bytes);
void data_names_free(struct data_names *d); /* NULL is allowed */
uint64_t data_names_bytes(const struct data_names *d);

/* Files by their last part; in /dev the folder says more than the name.  A part of PATH. */
const char *data_short_name(const char *path);

/*
 * The frame of who woke a thread: "PROCESS", or "PROCESS/THREAD" of a thread with a name of its own.  With
 * CONTEXT the name says that it was an interrupt's work.  W NULL: not known.  FRAME_REST: there were too
 * many such names.
 */
uint32_t data_waker(struct data_names *d, const struct thread *w, enum trace_context context);

/* In stacks: "[woken by WAKER]", or "[stack of WAKER]", of a frame that data_waker() returned, or 0: not known. */
enum waker_part { WAKER_WAKES, WAKER_STACK };
uint32_t data_waker_part(struct data_names *d, uint32_t waker, enum waker_part part);

/* The frame of the mapping of P that holds ADDRESS; that of "[unknown]" when there is none. */
uint32_t data_frame(struct data_names *d, struct process *p, uint64_t address);

#endif
