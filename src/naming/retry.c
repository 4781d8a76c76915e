/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "naming/retry.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

struct kept {
	struct address leaf;
	struct cell_key key;
	uint64_t period, generation;	/* of the process's space */
	enum chain_end end;		/* of the stack as it is counted */
	bool chained;			/* by the kernel: only its leaf's caller is looked for */
	uint32_t number;		/* in no cell, but held; or 0 */
	uint64_t mark;			/* the newest one when it came */
	uint64_t regs_abi, regs_mask;
	size_t words, frames, regs, stack_bytes;
	uint64_t data[];		/* the chain, the frames, the registers, the stack */
};

struct retry {
	struct chains *chains;
	struct histogram *histogram;
	struct unwinding *unwinding;
	struct kept *kept[RETRY_SAMPLES];	/* owned */
	size_t count, bytes;
	uint64_t readings;		/* of UNWINDING, when it was tried last */
	uint32_t numbers;		/* given so far */
};

static const struct record_layout native = { .swap = false };

struct retry *retry_new(struct chains *chains, struct histogram *histogram,
			struct unwinding *unwinding)
{
	struct retry *r = mem_alloc(sizeof(*r));

	r->chains = chains;
	r->histogram = histogram;
	r->unwinding = unwinding;
	return r;
}

void retry_free(struct retry *r)
{
	if (r)
		retry_clear(r);
	free(r);
}

static size_t size_of(const struct kept *k)
{
	return sizeof(*k) + (k->words + k->frames + k->regs) * sizeof(*k->data) + k->stack_bytes;
}

static void fill(struct kept *k, const struct chain *chain, const struct record_sample *s)
{
	uint64_t *at = k->data;

	for (size_t i = 0; i < k->words; i++)
		*at++ = record_word(chain->layout, chain->words, i);
	if (k->frames)
		memcpy(at, chain->user, k->frames * sizeof(*at));
	memcpy(at + k->frames, s->user_regs, k->regs * sizeof(*at));
	if (k->stack_bytes)
		memcpy(at + k->frames + k->regs, s->user_stack, k->stack_bytes);
}

/* NULL: there is no room. */
static struct kept *keep(struct retry *r, const struct chain *chain, const struct cell_key *key,
			 const struct record_sample *s, enum chain_end end)
{
	struct kept head = { .leaf = chain->leaf, .key = *key, .period = s->period,
			     .generation = unwinding_generation(r->unwinding, chain->leaf.process),
			     .end = end, .chained = !chain->user, .mark = chains_newest_mark(r->chains),
			     .regs_abi = s->user_regs_abi, .regs_mask = s->user_regs_mask,
			     .words = chain->count, .frames = chain->user_count,
			     .regs = (size_t)__builtin_popcountll(s->user_regs_mask),
			     .stack_bytes = s->user_stack ? s->user_stack_size : 0 };
	struct kept *k;

	if (r->count == RETRY_SAMPLES || chain->count > CHAIN_FRAMES ||
	    r->bytes + size_of(&head) > RETRY_BYTES)
		return NULL;
	k = mem_alloc(size_of(&head));
	memcpy(k, &head, sizeof(head));
	fill(k, chain, s);
	r->kept[r->count++] = k;
	r->bytes += size_of(k);
	return k;
}

bool retry_add(struct retry *r, const struct chain *chain, const struct cell_key *key,
	       const struct record_sample *s, enum chain_end end)
{
	return keep(r, chain, key, s, end);
}

uint32_t retry_hold(struct retry *r, const struct chain *chain, const struct record_sample *s,
		    enum chain_end end)
{
	const struct cell_key key = { .tid = chain->tid };
	struct kept *k = keep(r, chain, &key, s, end);

	if (!k)
		return 0;
	if (!++r->numbers)
		r->numbers = 1;
	return k->number = r->numbers;
}

/* The stack as it was counted. */
static struct chain known_chain(const struct kept *k)
{
	return (struct chain){ .leaf = k->leaf, .tid = k->key.tid, .layout = &native,
			       .words = k->data, .count = k->words,
			       .user = k->chained ? NULL : k->data + k->words,
			       .user_count = k->frames, .user_end = UNWIND_NOT_LOADED };
}

/* As deferred.c has it. */
static enum chain_end move(struct retry *r, const struct kept *k, const struct chain *whole)
{
	const struct chain known = known_chain(k);
	struct cell_key from = k->key, to = k->key;
	enum chain_end end;
	uint64_t epoch;

	do {
		epoch = chains_epoch(r->chains);
		end = chains_find(r->chains, whole, &to);
		chains_find(r->chains, &known, &from);
	} while (epoch != chains_epoch(r->chains));
	histogram_move(r->histogram, &from, &to, 1, k->period);
	return end;
}

/* Looks for what is not known of the stack.  False: nothing more was found. */
static bool look_again(struct retry *r, const struct kept *k, struct chain *whole)
{
	const uint64_t *regs = k->data + k->words + k->frames;
	const struct record_sample s = { .user_regs_abi = k->regs_abi,
					 .user_regs_mask = k->regs_mask, .user_regs = regs,
					 .user_stack = k->stack_bytes ? regs + k->regs : NULL,
					 .user_stack_size = k->stack_bytes };
	struct process *p = k->leaf.process;
	uint64_t user[2];

	*whole = known_chain(k);
	if (!k->chained) {
		whole->user = unwinding_frames(r->unwinding, p, 0, &s, &whole->user_count,
					       &whole->user_end);
		return whole->user_count;
	}
	chain_user(whole, user);
	return unwinding_leaf_caller(r->unwinding, p, &s, user, &whole->caller) && whole->caller;
}

/* False: it has to wait longer.  *FOUND: more of it is known, and that is WHOLE. */
static bool is_decided(struct retry *r, const struct kept *k, struct chain *whole, bool *found)
{
	*found = false;
	if (unwinding_generation(r->unwinding, k->leaf.process) != k->generation)
		return true;
	*found = look_again(r, k, whole);
	return !unwinding_waits(r->unwinding);
}

static bool try_again(struct retry *r, const struct kept *k, uint64_t *ends)
{
	struct chain whole;
	bool found;

	if (k->number || !is_decided(r, k, &whole, &found))
		return false;
	ends[found ? move(r, k, &whole) : k->end]++;
	return true;
}

static void release(struct retry *r, struct kept *k)
{
	r->bytes -= size_of(k);
	free(k);
}

bool retry_is_due(struct retry *r)
{
	bool due = r->readings != unwinding_readings(r->unwinding);

	r->readings = unwinding_readings(r->unwinding);
	return due;
}

void retry_run(struct retry *r, uint64_t *ends)
{
	size_t left = 0;

	if (!retry_is_due(r))
		return;
	if (r->count)
		chains_rename(r->chains);	/* or else the cells are not found by their names */
	for (size_t i = 0; i < r->count; i++) {
		struct kept *k = r->kept[i];

		if (try_again(r, k, ends))
			release(r, k);
		else
			r->kept[left++] = k;
	}
	r->count = left;
}

static size_t index_of(const struct retry *r, uint32_t number)
{
	size_t i = 0;

	while (i < r->count && r->kept[i]->number != number)
		i++;
	return i;
}

static void count_end(const struct kept *k, enum chain_end end, uint64_t *ends)
{
	if (k->end < CHAIN_ENDS)
		ends[end]++;
}

bool retry_ask(struct retry *r, uint32_t number, uint32_t *node, uint64_t *ends)
{
	size_t i = index_of(r, number);
	struct kept *k = i < r->count ? r->kept[i] : NULL;
	struct chain whole;
	enum chain_end end;
	bool found;

	if (!k)
		return true;
	if (!is_decided(r, k, &whole, &found))
		return false;
	end = k->end;
	if (found) {
		struct cell_key key;

		end = chains_find(r->chains, &whole, &key);
		*node = key.node;
	}
	count_end(k, end, ends);
	release(r, k);
	memmove(r->kept + i, r->kept + i + 1, (--r->count - i) * sizeof(*r->kept));
	return true;
}

void retry_give_up(struct retry *r, uint64_t *ends)
{
	for (size_t i = 0; i < r->count; i++)
		count_end(r->kept[i], r->kept[i]->end, ends);
	retry_clear(r);
}

bool retry_waits(const struct retry *r, uint64_t mark)
{
	return r->count && r->kept[0]->mark < mark;
}

size_t retry_forget_exited(struct retry *r)
{
	size_t had = r->count, left = 0;

	for (size_t i = 0; i < had; i++) {
		struct kept *k = r->kept[i];

		if (k->leaf.process->exited)
			release(r, k);
		else
			r->kept[left++] = k;
	}
	r->count = left;
	return had - left;
}

void retry_clear(struct retry *r)
{
	for (size_t i = 0; i < r->count; i++)
		release(r, r->kept[i]);
	r->count = 0;
}
