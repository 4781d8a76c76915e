/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_SYMBOL_LINE_READER_H
#define PTOP_SYMBOL_LINE_READER_H

#include <stddef.h>

#include "symbol/line-answer.h"
#include "symbol/line-entry.h"
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

/* The worker's side: a worker_main(). */
void lines_job(int socket);

/*
 * Opens L's file, which is of kind DSO_FILE, or DSO_JIT: its `dump`, if there is one; never returns NULL.  For a
 * DSO_KERNEL or DSO_BPF nothing is opened, and K is the kernel; NULL for others.  ZYGOTE, K and L's roots are
 * borrowed, and L's key, but not its path, is copied.
 */
struct line_kernel;
struct line_reader *line_reader_open(const struct load *l, struct zygote *zygote,
				     const struct line_kernel *k);
void line_reader_close(struct line_reader *r); /* NULL is allowed */

size_t line_reader_bytes(const struct line_reader *r); /* of the worker's memory, about */

/* As line_entry_answer(). */
void line_reader_answer(struct line_reader *r, const struct line_question *q,
			struct line_answer *a);

#endif
