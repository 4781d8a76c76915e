/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_NAMING_INLINES_H
#define PTOP_NAMING_INLINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "naming/name.h"
#include "profile/frame.h"
#include "symbol/dso.h"
#include "symbol/lines.h"

/*
 * The functions that the compiler inlined at an address: a frame each, FRAME_INLINED, of the same
 * object.  Debugging information tells, which another thread reads (lines.h), so the first question
 * for an address has no answer yet; all are kept and asked for together, by object.  Answers are
 * kept, too; when they take too much memory they are forgotten, and asked for again.
 *
 * Files are asked about, and the kernel, of which a vmlinux on this machine tells, and each of its modules, of which
 * its own debug file does; not JIT code.
 */
struct inlines;

struct inlines_options {
	struct lines *lines; /* all borrowed */
	struct dso_cache *objects;
	struct frame_table *frames;
	const struct clock *clock; /* CLOCK_MONOTONIC, for files whose owner rests */
	size_t known_limit;        /* addresses that are kept; 0: by the memory */
	uint64_t
		memory_bytes; /* of which it has ACCOUNT_INLINED (base/account.h); 0: the default */
};

#define INLINES_LISTS (1024u * 1024)  /* different ones; further ones are not made */
#define INLINES_WAITING (256u * 1024) /* addresses that are asked for at one time */

struct inlines *inlines_new(const struct inlines_options *options);
void inlines_free(struct inlines *i);            /* NULL is allowed */
uint64_t inlines_bytes(const struct inlines *i); /* memory held */

/*
 * The name for FRAME, the function at PLACE: the frame when nothing is inlined there, or a list that
 * begins with it.  While that is being asked, the open frame.  Where there is no room, the frame.
 */
struct name inlines_find(struct inlines *i, const struct place *place, uint32_t frame);

/* The frames of a list, the outermost first; at least two.  Borrowed until inlines_find(). */
const uint32_t *inlines_frames(const struct inlines *i, struct name list, size_t *count);

/*
 * Hands over what there is to ask.  Returns true if an object can be asked about again whose owner had to rest
 * (loader.h).  Until then inlines_find() told the frame alone, and such names must be asked for anew: all of them, so this is
 * told once in five seconds at most.
 */
bool inlines_ask(struct inlines *i);

/* Takes what is in A; false when that was not asked here. */
bool inlines_answer(struct inlines *i, const struct lines_answer *a);

/* The next object with answers that nobody was told of; 0: no more. */
uint32_t inlines_answered(struct inlines *i);

size_t inlines_waiting(const struct inlines *i);    /* addresses without an answer yet */
uint64_t inlines_overflow(const struct inlines *i); /* questions that there was no room for */

#endif
