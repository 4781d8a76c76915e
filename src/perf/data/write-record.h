/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_PERF_DATA_WRITE_RECORD_H
#define PTOP_PERF_DATA_WRITE_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/build-id.h"
#include "perf/record/record.h"

/*
 * Records as a recording of ptop holds them: bytes behind one another, each a perf_event_header and
 * what perf_event_open(2), "MMAP layout", says of its type.  Memory only.
 *
 * They differ from what the kernel wrote in three things.  An event has one id, WRITE_ID, however
 * many CPUs and tasks it was opened on.  The kernel's ids come and go with the tasks, but the
 * header of the file is written once.  Samples carry no counter values, which perf would take for
 * samples of all the events of the group.  And what the source corrected (the task, the time, the
 * event) is corrected.
 *
 * No FINISHED_INIT record (since perf 6.0) follows the description of the tasks that were there
 * before.  perf up to 5.19 ends with EINVAL at an unknown type, and no reader needs that record.
 */
#define WRITE_ID(event) ((uint64_t)(event) + 1) /* 0 has a meaning of its own */

/* The end of every record but a sample. */
struct write_stamp {
	uint32_t pid, tid, cpu;
	uint64_t time_ns; /* 0: before all others */
	uint64_t id;      /* WRITE_ID() of an event of the file */
};

/*
 * The sample_type in the file of events whose samples LAYOUT has.  The copies and branches from
 * which a stack is made are left out if a callchain can have the whole stack.  They are a hundred
 * times as large, and their reader would need the processes' mappings of data.
 */
uint64_t write_sample_type(const struct record_layout *layout);

/* Who a sample is of: what a task in its last steps was, the record does not say. */
struct write_task {
	uint32_t pid, tid;
	/* Its whole stack, as a callchain, in place of its own; NULL: that is all there is. */
	const uint64_t *chain;
	size_t chain_count;
};

/*
 * Adds the sample R of event r->event, which a live source with LAYOUT handed over.  0, or -EBADMSG
 * with nothing added when its bytes are not as the layout says.
 */
int write_sample(struct buf *b, const struct record_layout *layout, const struct record *r,
		 const struct write_task *task);

/* Adds any other record of a live source as it came, but as one of the event ID, at its time_ns.  0 or -EBADMSG. */
int write_other(struct buf *b, const struct record *r, uint64_t id);

/* These describe tasks and mappings from before the start, which the kernel does not report. */
void write_comm(struct buf *b, const struct write_stamp *stamp, const char *comm);

/* M's pid and tid are those of STAMP; m->build_id is not written: the file has it at its end. */
void write_mmap(struct buf *b, const struct write_stamp *stamp, const struct record_mmap *m);

/*
 * Where the kernel or a module of it is: PATH "[kernel.kallsyms]_text" with the address of that
 * symbol as PGOFF, or "[nf_tables]".
 */
void write_kernel_mmap(struct buf *b, const struct write_stamp *stamp, const struct record_mmap *m);

/* COUNT records that were to be written here are missing. */
void write_lost(struct buf *b, const struct write_stamp *stamp, uint64_t count);

/* STAMP's task has counted VALUE of the event of its id since it was told the last time. */
struct write_count {
	uint64_t value, enabled_ns, running_ns;
};
void write_read(struct buf *b, const struct write_stamp *stamp, const struct write_count *count);

/* perf's own: nothing that follows is older than what came before the previous one of these. */
void write_round(struct buf *b);

/* For the section of build ids; KERNEL: the kernel or a module. */
struct write_build_id {
	const char *path;
	struct build_id id;
	bool kernel;
};
void write_build_id(struct buf *b, const struct write_build_id *id);

#endif
