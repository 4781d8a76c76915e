/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_SYMBOL_LINE_READER_H
#define PTOP_SYMBOL_LINE_READER_H

#include <stddef.h>

#include "symbol/line-answer.h"
#include "symbol/line-entry.h"
#include "symbol/line-kernel.h"
#include "symbol/load-state.h"

/*
 * As line-entry.h, for an ELF file that a worker (file-reader.h) reads: its debugging information, its
 * code, and what that means.  A kernel's worker asks for its vmlinux.  The worker stays for more questions; one that nobody asks ends after some
 * seconds, and the next question starts another.
 *
 * A wrong answer can give wrong lines and instructions to this object.  If a new worker fails at its
 * first question, the file is refused for good.
 */
struct line_reader;

/*
 * To the worker: a question.  The first one has the file with it, if there is one.  An order that cannot be one ends the
 * worker.
 */
#define LINES_ORDER_ADDRESSES 512u
struct lines_order {
	uint32_t kind;                           /* enum dso_kind; DSO_JIT: the file is a jitdump */
	uint32_t has_file, has_module, has_code; /* there is a descriptor of it, in this order */
	uint32_t machine;                        /* of that code */
	uint64_t code_start, code_size;
	uint32_t offsets, instructions, count;
	uint64_t addresses[LINES_ORDER_ADDRESSES];
	struct line_kernel_message kernel; /* of a DSO_KERNEL */
	char path[4096];                   /* of the file, for messages */
};

/* The worker's side: a worker_main(). */
void lines_job(int socket);

/*
 * Opens L's file, which is of kind DSO_FILE, or DSO_JIT: its `dump`, if there is one; never returns NULL.  For a
 * DSO_KERNEL or DSO_BPF nothing is opened, and K is the kernel; NULL for others.  ZYGOTE, K and L's roots are
 * borrowed, and L's key, but not its path, is copied.
 */
struct line_reader *line_reader_open(const struct load *l, struct zygote *zygote,
				     const struct line_kernel *k);
void line_reader_close(struct line_reader *r); /* NULL is allowed */

size_t
line_reader_bytes(const struct line_reader *r); /* of the worker's memory, after its last answer */

/* CPU time of its workers since the last call. */
uint64_t line_reader_take_cpu_ns(struct line_reader *r);

/* As line_entry_answer(). */
void line_reader_answer(struct line_reader *r, const struct line_question *q,
			struct line_answer *a);

#endif
