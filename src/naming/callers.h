/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_NAMING_CALLERS_H
#define PTOP_NAMING_CALLERS_H

#include <stdbool.h>
#include <stdint.h>

#include "naming/chains.h"
#include "naming/python-names.h"
#include "naming/unwinding.h"
#include "perf/record/record.h"

/*
 * The stack of a sample.  Its user part comes from a copy of the stack, from the CPU's memory of calls
 * (PERF_SAMPLE_BRANCH_CALL_STACK), or from the kernel's chain of frame pointers, which is completed.
 */
struct callers {
	struct chains *chains;       /* all borrowed */
	struct unwinding *unwinding; /* NULL: no copies of stacks are looked at */
	struct python_names *python; /* NULL: Python functions are not looked for */
	const struct record_layout *layout;
	bool branches;  /* samples bring the CPU's memory of calls */
	bool leaf_only; /* callers are not wanted */
};

#define BRANCHES_MAX 64

/* A stack as it was found. */
struct found_stack {
	struct chain
		chain; /* borrows from the record, BRANCHES, and until the next call UNWINDING */
	enum chain_end end;
	bool leaf_only; /* then there is no CHAIN */
	bool waits;     /* for an object that is being read */
	uint64_t branches[BRANCHES_MAX + 1];
};

/* Called by callers_find() if callers are wanted. */
void callers_unwind(const struct callers *c, const struct address *leaf, const struct record *r,
		    struct cell_key *key, struct found_stack *found);

/* Finds the stack of R, whose own address is LEAF: its node and frame go into KEY, which has the tid. */
static inline void callers_find(const struct callers *c, const struct address *leaf,
				const struct record *r, struct cell_key *key,
				struct found_stack *found)
{
	found->leaf_only = c->leaf_only;
	found->waits = false;
	if (c->leaf_only)
		chains_find_leaf(c->chains, leaf, key);
	else
		callers_unwind(c, leaf, r, key, found);
}

/* As chain_words(). */
size_t callers_words(const struct found_stack *found, uint64_t words[CHAIN_WORDS]);

#endif
