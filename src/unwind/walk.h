/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_UNWIND_WALK_H
#define PTOP_UNWIND_WALK_H

#include <string.h>

#include "unwind/regs.h"
#include "unwind/stack.h"
#include "unwind/tables.h"

struct unwinder;

/* One sample on its way up its stack, for the files of unwind/ only. */
struct walk {
	struct unwinder *unwinder;
	const struct unwind_machine_regs *machine;
	const struct unwind_regs *regs; /* of the leaf */
	const struct unwind_stack *stack;
	const struct unwind_space *space;
	struct unwind_mapping mapping; /* the last mapping found; empty at first */
	uint64_t *frames;
	size_t count, max;
};

/*
 * The position of the walk.  An interrupted frame's pc is exact; a caller's pc is behind its call.
 */
struct walk_place {
	uint64_t pc, sp, fp, lr, bx;
	const struct unwind_regs *leaf; /* all registers; NULL: a caller's, which are not known */
	bool exact;
	bool knows_bx;
};

/* Reads the eight bytes at ADDRESS of the stack.  Returns false if the copy lacks them. */
static inline bool stack_word(const struct unwind_stack *s, uint64_t address, uint64_t *word)
{
	uint64_t at = address - s->start;

	if (address < s->start || s->size < sizeof(*word) || at > s->size - sizeof(*word))
		return false;
	memcpy(word, (const char *)s->bytes + at, sizeof(*word));
	return true;
}

/*
 * Finds the executable mapping at ADDRESS and makes it the walk's.  Returns false if there is none.
 */
static inline bool walk_map(struct walk *w, uint64_t address)
{
	if (address >= w->mapping.start && address < w->mapping.end)
		return true;
	w->mapping.start = w->mapping.end = 0;
	return w->space->find(w->space->context, address, &w->mapping);
}

#endif
