/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_SYMBOL_LINE_ENTRY_H
#define PTOP_SYMBOL_LINE_ENTRY_H

#include "symbol/line-answer.h"
#include "symbol/line-request.h"
#include "symbol/load-state.h"

/* An object that is open for its lines and its code.  One thread. */
struct line_entry;

/*
 * Opens L's object, whatever its kind.  K is the kernel's, of whose memory nothing is read here, or NULL for others.
 * Never returns NULL: answers say what is missing.
 */
struct line_kernel;
struct line_entry *line_entry_open(struct load *l, const struct line_kernel *k);
void line_entry_close(struct line_entry *e); /* NULL is allowed */

size_t line_entry_bytes(const struct line_entry *e); /* of memory, about */

/* Why code has no instructions; for translation. */
#define LINES_NO_JIT_CODE N_("made while it ran, and in no file: addresses alone")

struct line_question {
	const struct lines_request *request;
	const struct lines_options *options;
	struct load *sources; /* opens the files of source lines, and has no more of the object */
	const unsigned char *code; /* of the function, read elsewhere; NULL: it is the object's */
	size_t code_size;
	uint16_t machine;            /* of CODE */
	bool (*stop)(void *context); /* true: give up.  NULL: never */
	void *context;
};

/* Answers in A, which is empty. */
void line_entry_answer(struct line_entry *e, const struct line_question *q, struct line_answer *a);

#endif
