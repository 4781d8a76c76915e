/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "naming/callers.h"

#define BRANCH_WORDS 3 /* from, to, flags */

/*
 * The calls that the CPU remembers, the newest one first, each with the address of the call and its
 * target.  All are addresses of instructions: none is a return address.  FRAMES begins with where the
 * CPU was if that is in user space, else with the function that went into the kernel.
 */
static size_t branch_frames(const struct chain *chain, const struct record_sample *s,
			    uint64_t frames[BRANCHES_MAX + 1])
{
	uint64_t calls = s->branch_count < BRANCHES_MAX ? s->branch_count : BRANCHES_MAX;
	size_t count = 0;

	if (!s->branches || !calls)
		return 0;
	frames[count++] = chain->leaf.mode == CPUMODE_USER
				  ? s->ip
				  : record_word(chain->layout, s->branches, 1);
	for (uint64_t i = 0; i < calls; i++) {
		uint64_t call = record_word(chain->layout, s->branches, i * BRANCH_WORDS);

		if (!call)
			break; /* the rest of the memory is unused */
		frames[count++] = call;
	}
	return count;
}

/* Without branches the kernel's chain must do. */
static void use_branches(struct chain *chain, const struct record_sample *s, uint64_t *frames)
{
	chain->user_count = branch_frames(chain, s, frames);
	chain->user = chain->user_count ? frames : NULL;
	chain->user_exact = true;
	chain->user_end = UNWIND_ENDS;
}

/*
 * Finds the caller that frame pointers skip.  Without time to look, the stack ends as
 * UNWIND_BUDGET.
 */
static void add_leaf_caller(struct unwinding *unwinding, struct chain *chain,
			    const struct record_sample *s)
{
	uint64_t user[2];

	chain_user(chain, user);
	if (!unwinding_leaf_caller(unwinding, chain->leaf.process, s, user, &chain->caller))
		chain->user_end = UNWIND_BUDGET;
}

void callers_unwind(const struct callers *c, const struct address *leaf, const struct record *r,
		    struct cell_key *key, struct found_stack *found)
{
	struct chain *chain = &found->chain;

	*chain = (struct chain){ .leaf = *leaf,
				 .tid = key->tid,
				 .layout = c->layout,
				 .words = r->sample.callchain,
				 .count = r->sample.callchain_count };
	if (c->unwinding && unwinding_is_needed(c->unwinding, leaf->process, &r->sample))
		chain->user = unwinding_frames(c->unwinding, leaf->process, key->tid, &r->sample,
					       &chain->user_count, &chain->user_end);
	else if (c->branches)
		use_branches(chain, &r->sample, found->branches);
	else if (c->unwinding)
		add_leaf_caller(c->unwinding, chain, &r->sample);
	found->waits = c->unwinding && unwinding_waits(c->unwinding);
	if (c->python && !found->waits)
		chain->is_python =
			python_names_find(c->python, leaf->process, key->tid, r, &chain->python);
	found->end = chains_find(c->chains, chain, key);
}

size_t callers_words(const struct found_stack *found, uint64_t words[CHAIN_WORDS])
{
	return found->leaf_only ? 0 : chain_words(&found->chain, words);
}
