/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "naming/deferred.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

#define KERNEL_WORDS 160	/* the kernel's limit is 127 frames by default; deeper ones are cut */

/* The kernel's part of its chain is in the machine's byte order. */
struct held {
	struct address leaf;
	struct cell_key key;
	uint64_t cookie, period;
	uint32_t count;
	uint64_t words[KERNEL_WORDS];
};

struct deferred {
	struct chains *chains;
	struct histogram *histogram;
	struct held *held;		/* a ring: the oldest at START */
	size_t start, count;
	uint64_t *words;		/* of a whole chain */
	size_t word_capacity;
};

static const struct record_layout native = { .swap = false };

struct deferred *deferred_new(struct chains *chains, struct histogram *histogram)
{
	struct deferred *d = mem_alloc(sizeof(*d));

	d->chains = chains;
	d->histogram = histogram;
	d->held = mem_array(DEFERRED_SAMPLES, sizeof(*d->held));
	return d;
}

void deferred_free(struct deferred *d)
{
	if (!d)
		return;
	free(d->held);
	free(d->words);
	free(d);
}

bool deferred_is_due(const struct chain *chain, uint64_t *cookie)
{
	if (chain->count < 2 || record_word(chain->layout, chain->words, chain->count - 2) !=
					CALLCHAIN_USER_DEFERRED)
		return false;
	*cookie = record_word(chain->layout, chain->words, chain->count - 1);
	return true;
}

static struct held *held_at(const struct deferred *d, size_t i)
{
	return &d->held[(d->start + i) % DEFERRED_SAMPLES];
}

size_t deferred_add(struct deferred *d, const struct chain *chain, const struct cell_key *key,
		    uint64_t period)
{
	bool full = d->count == DEFERRED_SAMPLES;
	struct held *h;

	if (full) {
		d->start = (d->start + 1) % DEFERRED_SAMPLES;
		d->count--;
	}
	h = held_at(d, d->count++);
	h->leaf = chain->leaf;
	h->key = *key;
	h->period = period;
	h->count = 0;
	deferred_is_due(chain, &h->cookie);
	for (uint64_t i = 0; i + 2 < chain->count && i < KERNEL_WORDS; i++)
		h->words[h->count++] = record_word(chain->layout, chain->words, i);
	return full;
}

/* The kernel's part and behind it the user's, as a record that has both. */
static struct chain whole_chain(struct deferred *d, const struct held *h, const struct record *r,
				const struct record_layout *layout)
{
	const struct record_deferred *user = &r->deferred;
	struct chain chain = { .leaf = h->leaf, .tid = h->key.tid, .layout = &native,
			       .count = h->count + 1 + user->count };

	mem_grow((void **)&d->words, &d->word_capacity, chain.count, sizeof(*d->words));
	memcpy(d->words, h->words, h->count * sizeof(*d->words));
	d->words[h->count] = CALLCHAIN_USER;
	for (uint64_t i = 0; i < user->count; i++)
		d->words[h->count + 1 + i] = record_word(layout, user->callchain, i);
	chain.words = d->words;
	return chain;
}

/* Nodes get new numbers when room is made: then both are looked for again. */
static void move(struct deferred *d, const struct held *h, const struct chain *whole, uint64_t *ends)
{
	const struct chain known = { .leaf = h->leaf, .tid = h->key.tid, .layout = &native,
				     .words = h->words, .count = h->count };
	struct cell_key from = h->key, to = h->key;
	enum chain_end end;
	uint64_t epoch;

	do {
		epoch = chains_epoch(d->chains);
		end = chains_find(d->chains, whole, &to);
		chains_find(d->chains, &known, &from);
	} while (epoch != chains_epoch(d->chains));
	histogram_move(d->histogram, &from, &to, 1, h->period);
	ends[end]++;
}

/* Keeps those of which GONE is false, in their order; how many are left out. */
static size_t drop(struct deferred *d, bool (*gone)(const struct held *h, const struct record *r),
		   const struct record *r)
{
	size_t count = d->count, kept = 0;

	for (size_t i = 0; i < count; i++) {
		const struct held *h = held_at(d, i);

		if (gone(h, r))
			continue;
		if (kept != i)
			*held_at(d, kept) = *h;
		kept++;
	}
	d->count = kept;
	return count - kept;
}

static bool is_of_record(const struct held *h, const struct record *r)
{
	return h->cookie == r->deferred.cookie && h->key.tid == r->tid;
}

static bool has_exited(const struct held *h, const struct record *r)
{
	(void)r;
	return h->leaf.process->exited;
}

void deferred_receive(struct deferred *d, const struct record *r,
		      const struct record_layout *layout, uint64_t *ends)
{
	if (d->count)
		chains_rename(d->chains);	/* or else the cells are not found by their names */
	for (size_t i = 0; i < d->count; i++) {
		const struct held *h = held_at(d, i);
		struct chain whole;

		if (!is_of_record(h, r))
			continue;
		whole = whole_chain(d, h, r, layout);
		move(d, h, &whole, ends);
	}
	drop(d, is_of_record, r);
}

size_t deferred_forget_exited(struct deferred *d)
{
	return drop(d, has_exited, NULL);
}

void deferred_clear(struct deferred *d)
{
	d->count = 0;
}
