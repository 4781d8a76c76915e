/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "naming/late.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

#define KERNEL_WORDS 160 /* the kernel's limit is 127 frames by default; deeper ones are cut */

/* Why a stack is not whole. */
enum reason { LATE_COOKIE, LATE_OBJECT, REASONS };

struct waiting {
	enum reason reason;
	struct address leaf;
	struct cell_key key; /* its frame is that of the node */
	uint32_t count;      /* of samples in that cell */
	uint64_t cookie, period;
	uint64_t generation; /* of the process's space */
	uint64_t mark;       /* the newest one when it came */
	uint32_t number;     /* in no cell, but held; or 0 */
	enum chain_end end;  /* of the stack as it is counted */
	bool chained;        /* by the kernel: only its leaf's caller is looked for */
	uint64_t regs_abi, regs_mask;
	size_t words, frames, regs, stack_bytes;
	uint64_t data[]; /* the chain, the frames, the registers, the stack */
};

struct late {
	struct chains *chains;
	struct histogram *histogram;
	struct unwinding *unwinding; /* or NULL */
	/* Owned, the oldest first; NULL where decide() passes by. */
	struct waiting *waiting[LATE_COOKIES + LATE_OBJECTS];
	size_t count, counts[REASONS];
	size_t bytes;      /* of those that wait for objects */
	uint64_t readings; /* of UNWINDING, when it was asked last */
	uint32_t numbers;  /* given so far */
	uint64_t ends[CHAIN_ENDS];
	uint64_t *words; /* of a whole chain */
	size_t word_capacity;
};

static const struct record_layout native = { .swap = false };

/* Cells keep their nodes while stacks wait, and these follow when nodes are renamed. */
static void mark_nodes(void *context, unsigned char *keep)
{
	const struct late *l = context;

	for (size_t i = 0; i < l->count; i++) {
		if (l->waiting[i])
			keep[l->waiting[i]->key.node] = 1;
	}
}

static void renumber_nodes(void *context, const uint32_t *map)
{
	struct late *l = context;

	for (size_t i = 0; i < l->count; i++) {
		if (l->waiting[i])
			l->waiting[i]->key.node = map[l->waiting[i]->key.node];
	}
}

struct late *late_new(struct chains *chains, struct histogram *histogram)
{
	struct late *l = mem_alloc(sizeof(*l));
	const struct chains_holder holder = { .mark = mark_nodes,
					      .renumber = renumber_nodes,
					      .context = l };

	l->chains = chains;
	l->histogram = histogram;
	chains_add_holder(chains, &holder);
	return l;
}

void late_set_unwinding(struct late *l, struct unwinding *unwinding)
{
	l->unwinding = unwinding;
}

void late_free(struct late *l)
{
	if (!l)
		return;
	chains_remove_holder(l->chains, l);
	for (size_t i = 0; i < l->count; i++)
		free(l->waiting[i]);
	free(l->words);
	free(l);
}

const uint64_t *late_ends(const struct late *l)
{
	return l->ends;
}

/* The list. */

static size_t size_of(const struct waiting *w)
{
	return sizeof(*w) + (w->words + w->frames + w->regs) * sizeof(*w->data) + w->stack_bytes;
}

static void release(struct late *l, struct waiting *w)
{
	l->counts[w->reason]--;
	if (w->reason == LATE_OBJECT)
		l->bytes -= size_of(w);
	free(w);
}

/* Returns true if W waits no longer, because of NEWS. */
typedef bool decider(struct late *l, const struct waiting *w, const void *news);

/*
 * Releases those that are decided, and keeps the others in their order.  Returns the number of
 * released ones.
 */
static size_t decide(struct late *l, decider *is_decided, const void *news)
{
	size_t had = l->count, left = 0;

	for (size_t i = 0; i < had; i++) {
		struct waiting *w = l->waiting[i];
		bool decided = is_decided(l, w, news);

		l->waiting[i] = NULL;
		if (decided)
			release(l, w);
		else
			l->waiting[left++] = w;
	}
	l->count = left;
	return had - left;
}

static void remove_at(struct late *l, size_t i)
{
	release(l, l->waiting[i]);
	memmove(l->waiting + i, l->waiting + i + 1, (--l->count - i) * sizeof(*l->waiting));
}

/* The place of the oldest one with that reason; the list's end when there is none. */
static size_t oldest(const struct late *l, enum reason reason)
{
	size_t i = 0;

	while (i < l->count && l->waiting[i]->reason != reason)
		i++;
	return i;
}

/* NULL: there is no room. */
static struct waiting *append(struct late *l, const struct waiting *head)
{
	size_t limit = head->reason == LATE_COOKIE ? LATE_COOKIES : LATE_OBJECTS;
	struct waiting *w;

	if (l->counts[head->reason] == limit ||
	    (head->reason == LATE_OBJECT && l->bytes + size_of(head) > LATE_BYTES))
		return NULL;
	w = mem_alloc(size_of(head));
	memcpy(w, head, sizeof(*head));
	w->mark = chains_newest_mark(l->chains);
	l->waiting[l->count++] = w;
	l->counts[w->reason]++;
	if (w->reason == LATE_OBJECT)
		l->bytes += size_of(w);
	return w;
}

static void copy_words(struct waiting *w, const struct chain *chain)
{
	for (size_t i = 0; i < w->words; i++)
		w->data[i] = record_word(chain->layout, chain->words, i);
}

/* Waiting. */

/* Returns true if a later record brings the user part of a stack; *COOKIE is that of the record. */
static bool has_cookie(const struct chain *chain, uint64_t *cookie)
{
	if (chain->user || chain->count < 2 ||
	    record_word(chain->layout, chain->words, chain->count - 2) != CALLCHAIN_USER_DEFERRED)
		return false;
	*cookie = record_word(chain->layout, chain->words, chain->count - 1);
	return true;
}

static void add_with_cookie(struct late *l, const struct chain *chain, const struct cell_key *key,
			    uint32_t count, const struct record_sample *s, uint64_t cookie)
{
	struct waiting head = { .reason = LATE_COOKIE,
				.leaf = chain->leaf,
				.key = *key,
				.count = count,
				.cookie = cookie,
				.period = count * s->period,
				.chained = true,
				.words = chain->count - 2 };

	if (head.words > KERNEL_WORDS)
		head.words = KERNEL_WORDS;
	if (l->counts[LATE_COOKIE] == LATE_COOKIES) {
		remove_at(l, oldest(l, LATE_COOKIE));
		l->ends[CHAIN_NO_USER]++;
	}
	copy_words(append(l, &head), chain);
}

static void copy_sample(struct waiting *w, const struct chain *chain, const struct record_sample *s)
{
	uint64_t *at = w->data + w->words;

	copy_words(w, chain);
	if (w->frames)
		memcpy(at, chain->user, w->frames * sizeof(*at));
	memcpy(at + w->frames, s->user_regs, w->regs * sizeof(*at));
	if (w->stack_bytes)
		memcpy(at + w->frames + w->regs, s->user_stack, w->stack_bytes);
}

/* NULL: there is no room. */
static struct waiting *add_for_object(struct late *l, const struct chain *chain,
				      const struct cell_key *key, uint32_t count,
				      const struct record_sample *s, enum chain_end end)
{
	struct waiting head = { .reason = LATE_OBJECT,
				.leaf = chain->leaf,
				.key = *key,
				.count = count,
				.period = count * s->period,
				.end = end,
				.chained = !chain->user,
				.generation =
					unwinding_generation(l->unwinding, chain->leaf.process),
				.regs_abi = s->user_regs_abi,
				.regs_mask = s->user_regs_mask,
				.words = chain->count,
				.frames = chain->user_count,
				.regs = (size_t)__builtin_popcountll(s->user_regs_mask),
				.stack_bytes = s->user_stack ? s->user_stack_size : 0 };
	struct waiting *w = chain->count > CHAIN_FRAMES ? NULL : append(l, &head);

	if (w)
		copy_sample(w, chain, s);
	return w;
}

void late_add(struct late *l, const struct chain *chain, const struct cell_key *key, uint32_t count,
	      const struct record_sample *s, enum chain_end end, bool waits)
{
	uint64_t cookie;

	if (has_cookie(chain, &cookie))
		add_with_cookie(l, chain, key, count, s, cookie);
	else if (!waits || !add_for_object(l, chain, key, count, s, end))
		l->ends[end]++;
}

static void count_end(struct late *l, enum chain_end asked, enum chain_end end)
{
	if (asked < CHAIN_ENDS)
		l->ends[end]++;
}

uint32_t late_hold(struct late *l, const struct chain *chain, const struct record_sample *s,
		   enum chain_end end, bool waits)
{
	const struct cell_key key = { .tid = chain->tid };
	struct waiting *w = waits ? add_for_object(l, chain, &key, 0, s, end) : NULL;

	if (!w) {
		count_end(l, end, end);
		return 0;
	}
	if (!++l->numbers)
		l->numbers = 1;
	return w->number = l->numbers;
}

/* The rest is there. */

/* The stack as it was counted. */
static struct chain known_chain(const struct waiting *w)
{
	return (struct chain){ .leaf = w->leaf,
			       .tid = w->key.tid,
			       .layout = &native,
			       .words = w->data,
			       .count = w->words,
			       .user = w->chained ? NULL : w->data + w->words,
			       .user_count = w->frames,
			       .user_end = UNWIND_NOT_LOADED };
}

static enum chain_end move(struct late *l, const struct waiting *w, const struct chain *whole)
{
	struct cell_key to = w->key, from;
	enum chain_end end = chains_find(l->chains, whole, &to);

	from = w->key; /* which may have another number now */
	from.frame = chains_at(l->chains, from.node).frame;
	histogram_move(l->histogram, &from, &to, w->count, w->period);
	return end;
}

/* The news that a record brings. */
struct deferral {
	const struct record *record;
	const struct record_layout *layout;
};

/* The kernel's part and behind it the user's, as a record that has both. */
static struct chain deferral_chain(struct late *l, const struct waiting *w,
				   const struct deferral *deferral)
{
	const struct record_deferred *user = &deferral->record->deferred;
	struct chain chain = known_chain(w);

	chain.count = w->words + 1 + user->count;
	mem_grow((void **)&l->words, &l->word_capacity, chain.count, sizeof(*l->words));
	memcpy(l->words, w->data, w->words * sizeof(*l->words));
	l->words[w->words] = CALLCHAIN_USER;
	for (uint64_t i = 0; i < user->count; i++)
		l->words[w->words + 1 + i] = record_word(deferral->layout, user->callchain, i);
	chain.words = l->words;
	return chain;
}

static bool decide_by_record(struct late *l, const struct waiting *w, const void *news)
{
	const struct deferral *deferral = news;
	struct chain whole;

	if (w->reason != LATE_COOKIE || w->cookie != deferral->record->deferred.cookie ||
	    w->key.tid != deferral->record->tid)
		return false;
	whole = deferral_chain(l, w, deferral);
	l->ends[move(l, w, &whole)]++;
	return true;
}

void late_receive(struct late *l, const struct record *r, const struct record_layout *layout)
{
	const struct deferral deferral = { r, layout };

	if (!l->counts[LATE_COOKIE])
		return;
	decide(l, decide_by_record, &deferral);
}

/* Looks for what is not known of the stack.  False: nothing more was found. */
static bool look_again(struct late *l, const struct waiting *w, struct chain *whole)
{
	const uint64_t *regs = w->data + w->words + w->frames;
	const struct record_sample s = { .user_regs_abi = w->regs_abi,
					 .user_regs_mask = w->regs_mask,
					 .user_regs = regs,
					 .user_stack = w->stack_bytes ? regs + w->regs : NULL,
					 .user_stack_size = w->stack_bytes };
	struct process *p = w->leaf.process;
	uint64_t user[2];

	*whole = known_chain(w);
	if (!w->chained) {
		whole->user = unwinding_frames(l->unwinding, p, 0, &s, &whole->user_count,
					       &whole->user_end);
		return whole->user_count;
	}
	chain_user(whole, user);
	return unwinding_leaf_caller(l->unwinding, p, &s, user, &whole->caller) && whole->caller;
}

/* False: it has to wait longer.  *FOUND: more of it is known, and that is WHOLE. */
static bool is_read(struct late *l, const struct waiting *w, struct chain *whole, bool *found)
{
	*found = false;
	if (unwinding_generation(l->unwinding, w->leaf.process) != w->generation)
		return true;
	*found = look_again(l, w, whole);
	return !unwinding_waits(l->unwinding);
}

static bool decide_by_object(struct late *l, const struct waiting *w, const void *news)
{
	struct chain whole;
	bool found;

	(void)news;
	if (w->reason != LATE_OBJECT || w->number || !is_read(l, w, &whole, &found))
		return false;
	l->ends[found ? move(l, w, &whole) : w->end]++;
	return true;
}

bool late_read(struct late *l)
{
	if (!l->unwinding || l->readings == unwinding_readings(l->unwinding))
		return false;
	l->readings = unwinding_readings(l->unwinding);
	if (!l->counts[LATE_OBJECT])
		return true;
	decide(l, decide_by_object, NULL);
	return true;
}

bool late_ask(struct late *l, uint32_t number, uint32_t *node)
{
	struct chain whole;
	struct cell_key key;
	enum chain_end end;
	struct waiting *w;
	size_t i = 0;
	bool found;

	while (i < l->count && l->waiting[i]->number != number)
		i++;
	if (i == l->count)
		return true;
	w = l->waiting[i];
	if (!is_read(l, w, &whole, &found))
		return false;
	end = w->end;
	if (found) {
		end = chains_find(l->chains, &whole, &key);
		*node = key.node;
	}
	count_end(l, w->end, end);
	remove_at(l, i);
	return true;
}

/* Giving up. */

static bool decide_held(struct late *l, const struct waiting *w, const void *news)
{
	const bool *counted = news;

	if (w->number && *counted)
		count_end(l, w->end, w->end);
	return w->number;
}

void late_give_up(struct late *l, bool counted)
{
	decide(l, decide_held, &counted);
}

static bool decide_exited(struct late *l, const struct waiting *w, const void *news)
{
	(void)news;
	if (w->number || !w->leaf.process->exited)
		return false;
	l->ends[w->reason == LATE_COOKIE ? CHAIN_NO_USER : CHAIN_UNWOUND + UNWIND_NOT_LOADED]++;
	return true;
}

void late_next_interval(struct late *l)
{
	memset(l->ends, 0, sizeof(l->ends));
	decide(l, decide_exited, NULL);
}

static bool decide_counted(struct late *l, const struct waiting *w, const void *news)
{
	(void)l;
	(void)news;
	return !w->number;
}

void late_clear(struct late *l)
{
	decide(l, decide_counted, NULL);
}

bool late_waits(const struct late *l, uint64_t mark)
{
	size_t i = oldest(l, LATE_OBJECT);

	return i < l->count && l->waiting[i]->mark < mark;
}
