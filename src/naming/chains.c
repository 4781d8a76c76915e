/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "naming/chains.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/hash.h"
#include "base/i18n.h"
#include "base/time-share.h"
#include "naming/places.h"
#include "naming/python-names.h"

#define MEMO_FRAMES 128   /* the outermost frames of a task's last stack */
#define MEMOS 64          /* a power of two */
#define GARBAGE_MIN 65536 /* nodes: with fewer there is no need to look for unneeded ones */

/* Renaming that can wait: a third of a percent of the time, but small trees are renamed at once. */
#define RENAME_REST 299u
#define RENAME_BURST_NS (NS_PER_S / 50)

/*
 * FRAME is set for a function that no address tells.  IP is then MADE_IP and the frame: no machine has such
 * addresses.
 */
#define MADE_IP 0x8000000000000000u

struct step {
	uint64_t ip;
	enum record_cpumode mode;
	uint32_t frame;
};

enum frame_kind {
	KIND_UNKNOWN,
	KIND_OTHER,
	KIND_ROOT,      /* a task begins there */
	KIND_EVALUATOR, /* it runs Python functions */
};

struct memo {
	uint64_t epoch;      /* 0: nothing is here */
	uint64_t generation; /* of the process's space */
	uint32_t serial, tid;
	uint32_t count;
	uint64_t ips[MEMO_FRAMES]; /* the outermost first */
	uint32_t nodes[MEMO_FRAMES];
};

struct chains {
	struct chains_options use;
	struct chains_holder *holders; /* owned */
	size_t holder_count, holder_capacity;
	struct calltree *tree;
	struct places *places;
	struct step *steps; /* of the stack that is being read, the leaf first */
	size_t count, limit;
	bool cut;   /* it had more than LIMIT frames */
	bool dirty; /* a placeholder has a name */
	struct time_share renaming;
	size_t kept;          /* nodes that were needed when that was last looked at */
	bool callers;         /* chains_take_callers() */
	uint64_t epoch;       /* grows when a node or an address gets another meaning */
	uint64_t mark;        /* the newest one */
	unsigned char *kinds; /* by frame: enum frame_kind */
	size_t kind_capacity;
	struct step *merged; /* as STEPS: room for the stack with the functions of an interpreter */
	struct chains_python python;
	struct memo memos[MEMOS];
};

struct chains *chains_new(const struct chains_options *options)
{
	struct chains *c = mem_alloc(sizeof(*c));

	c->use = *options;
	c->limit = options->max_frames && options->max_frames < CHAIN_FRAMES ? options->max_frames
									     : CHAIN_FRAMES;
	c->steps = mem_array(c->limit + 1, sizeof(*c->steps));
	c->merged = mem_array(c->limit + 1, sizeof(*c->merged));
	c->tree = calltree_new(options->node_limit);
	c->places = places_new(options->resolver, options->frames);
	c->epoch = 1;
	return c;
}

/*
 * Moves cells that were counted without a stack under CALL_OTHERS, as if their callers had been
 * given up.
 */
static struct cell_key under_others(void *context, const struct cell_key *key)
{
	struct cell_key to = *key;

	if (to.node == CALL_ROOT && to.frame == FRAME_REST)
		to.node = CALL_OTHERS;
	else if (to.node == CALL_ROOT && to.frame != FRAME_NONE)
		to.node = calltree_add(context, CALL_OTHERS, to.frame);
	return to;
}

void chains_take_callers(struct chains *c)
{
	if (c->callers)
		return;
	c->callers = true;
	histogram_rename(c->use.histogram, under_others, c->tree);
	histogram_set_tree(c->use.histogram, c->tree);
	c->epoch++;
}

void chains_free(struct chains *c)
{
	if (!c)
		return;
	histogram_set_tree(c->use.histogram, NULL);
	calltree_free(c->tree);
	places_free(c->places);
	mem_free(c->steps, c->merged, c->kinds, c->holders, c);
}

/* Reading. */

static enum record_cpumode mode_of_marker(uint64_t marker)
{
	if (marker == CALLCHAIN_KERNEL)
		return CPUMODE_KERNEL;
	if (marker == CALLCHAIN_USER || marker == CALLCHAIN_USER_DEFERRED)
		return CPUMODE_USER;
	return CPUMODE_GUEST_KERNEL; /* hypervisor and guests have no names here */
}

static void push(struct chains *c, uint64_t ip, enum record_cpumode mode)
{
	c->cut |= c->count == c->limit;
	if (c->count < c->limit)
		c->steps[c->count++] = (struct step){ ip, mode, FRAME_NONE };
}

/*
 * The sample's own address comes first.  The chain's first one is the same, or, where the hardware
 * told the former, one close by; a chain of another mode has only the callers.
 */
static void push_frame(struct chains *c, const struct chain *chain, uint64_t ip,
		       enum record_cpumode mode, bool first)
{
	if (!first || c->count != 1 || mode != chain->leaf.mode)
		push(c, first ? ip : ip - 1, mode);
}

/* Each part begins where the CPU was; return addresses follow. */
static void read_words(struct chains *c, const struct chain *chain)
{
	enum record_cpumode mode = CPUMODE_UNKNOWN;
	uint64_t caller = chain->user_count ? 0 : chain->caller;
	bool first = true;

	for (uint64_t i = 0; i < chain->count; i++) {
		uint64_t word = record_word(chain->layout, chain->words, i);

		if (word >= CALLCHAIN_MARKER_MIN) {
			i += word == CALLCHAIN_USER_DEFERRED; /* a cookie follows */
			mode = mode_of_marker(word);
			first = true;
			continue;
		}
		if (!chain->user_count || mode != CPUMODE_USER)
			push_frame(c, chain, word, mode, first);
		if (caller && mode == CPUMODE_USER) {
			push(c, caller - 1, mode);
			caller = 0;
		}
		first = false;
	}
}

static void read_chain(struct chains *c, const struct chain *chain)
{
	c->count = 0;
	c->cut = false;
	push(c, chain->leaf.ip, chain->leaf.mode);
	read_words(c, chain);
	for (size_t i = 0; i < chain->user_count; i++)
		push_frame(c, chain, chain->user[i] + (i && chain->user_exact), CPUMODE_USER, !i);
}

uint64_t chain_kernel_words(const struct record_layout *layout, const void *words, uint64_t count)
{
	uint64_t i = 0;

	while (i < count && record_word(layout, words, i) != CALLCHAIN_USER)
		i++;
	return i;
}

/* Where the user part's words begin: behind its marker; CHAIN's count when there are none. */
static uint64_t user_begin(const struct chain *chain)
{
	uint64_t i = chain_kernel_words(chain->layout, chain->words, chain->count);

	return i < chain->count ? i + 1 : i;
}

void chain_user(const struct chain *chain, uint64_t user[2])
{
	uint64_t at = user_begin(chain);

	user[0] = user[1] = 0;
	for (uint64_t i = 0; i < 2 && at + i < chain->count; i++) {
		uint64_t word = record_word(chain->layout, chain->words, at + i);

		if (word >= CALLCHAIN_MARKER_MIN)
			break;
		user[i] = word;
	}
}

/* CHAIN's words, and behind the first of the user part what is left out there. */
static size_t words_with_caller(const struct chain *chain, uint64_t words[CHAIN_WORDS])
{
	uint64_t behind = user_begin(chain) + 1;

	if (chain->count >= CHAIN_WORDS || behind > chain->count)
		return 0;
	for (uint64_t i = 0; i < chain->count; i++)
		words[i + (i >= behind)] = record_word(chain->layout, chain->words, i);
	words[behind] = chain->caller;
	return chain->count + 1;
}

size_t chain_words(const struct chain *chain, uint64_t words[CHAIN_WORDS])
{
	enum record_cpumode mode = CPUMODE_UNKNOWN;
	size_t count = 0;

	if (!chain->user_count)
		return chain->caller ? words_with_caller(chain, words) : 0;
	for (uint64_t i = 0; i < chain->count && count < CHAIN_FRAMES - 1; i++) {
		uint64_t word = record_word(chain->layout, chain->words, i);

		if (word >= CALLCHAIN_MARKER_MIN)
			mode = mode_of_marker(word);
		if (mode != CPUMODE_USER)
			words[count++] = word;
	}
	words[count++] = CALLCHAIN_USER;
	for (size_t i = 0; i < chain->user_count && count < CHAIN_WORDS; i++)
		words[count++] = chain->user[i] + (i && chain->user_exact);
	return count;
}

/* Interning. */

static struct memo *memo_of(struct chains *c, const struct chain *chain, uint64_t generation)
{
	uint32_t serial = chain->leaf.process->serial;
	struct memo *m = &c->memos[hash_u64((uint64_t)serial << 32 | chain->tid) & (MEMOS - 1)];

	if (m->epoch != c->epoch || m->serial != serial || m->tid != chain->tid ||
	    m->generation != generation) {
		m->epoch = c->epoch;
		m->serial = serial;
		m->tid = chain->tid;
		m->generation = generation;
		m->count = 0;
	}
	return m;
}

static struct name name_of(struct chains *c, const struct address *address)
{
	struct place later;
	struct name name = resolver_find(c->use.resolver, address, &later);

	return later.object ? places_add(c->places, &later, name, c->mark) : name;
}

/* The frame whose code it is, or the placeholder that stands for it. */
static uint32_t innermost(const struct chains *c, struct name name)
{
	return name_is_list(name) ? resolver_inner(c->use.resolver, name) : name.bits;
}

/* The number of outermost frames that are equal to those of M's stack. */
static size_t shared_with(const struct chains *c, const struct memo *m)
{
	const struct step *outermost = c->steps + c->count - 1;
	size_t most = m->count < c->count ? m->count : c->count, i = 0;

	while (i < most && m->ips[i] == outermost[-(ptrdiff_t)i].ip)
		i++;
	return i;
}

/* NAME's frame, or frames, COUNT of them: NAME's, or the resolver's. */
static const uint32_t *frames_of(const struct chains *c, const struct name *name, size_t *count)
{
	*count = 1;
	return name_is_placeholder(*name) ? &name->bits
					  : resolver_frames(c->use.resolver, name, count);
}

/* A frame, or a list of frames, called from PARENT.  The last one's node. */
static uint32_t add_frames(struct chains *c, uint32_t parent, struct name name)
{
	size_t count;
	const uint32_t *frames = frames_of(c, &name, &count);

	for (size_t i = 0; i < count; i++)
		parent = calltree_add(c->tree, parent, frames[i]);
	return parent;
}

static uint32_t intern(struct chains *c, const struct chain *chain, struct memo *m)
{
	size_t i = shared_with(c, m);
	uint32_t node = i ? m->nodes[i - 1] : CALL_ROOT;

	for (; i < c->count; i++) {
		const struct step *step = &c->steps[c->count - 1 - i];
		const struct address address = { chain->leaf.process, step->mode, step->ip };

		node = add_frames(c, node,
				  step->frame ? name_of_frame(step->frame) : name_of(c, &address));
		if (i >= MEMO_FRAMES)
			continue;
		m->ips[i] = step->ip;
		m->nodes[i] = node;
	}
	m->count = (uint32_t)(c->count < MEMO_FRAMES ? c->count : MEMO_FRAMES);
	return node;
}

/* Room. */

struct renumbering {
	struct chains *c;
	const uint32_t *map;
};

static struct cell_key renumber(void *context, const struct cell_key *key)
{
	const struct renumbering *r = context;
	struct cell_key to = *key;

	to.node = r->map[key->node];
	to.frame = innermost(r->c, places_name(r->c->places, name_of_bits(key->frame)));
	return to;
}

static void rename_nodes(struct chains *c, const uint32_t *map)
{
	struct renumbering r = { c, map };

	histogram_rename(c->use.histogram, renumber, &r);
	for (size_t i = 0; i < c->holder_count; i++)
		c->holders[i].renumber(c->holders[i].context, map);
}

static void collect(struct chains *c)
{
	size_t count = calltree_count(c->tree);
	unsigned char *keep = mem_alloc(count);
	uint32_t *map = mem_array(count, sizeof(*map));

	histogram_mark_nodes(c->use.histogram, keep);
	for (size_t i = 0; i < c->holder_count; i++)
		c->holders[i].mark(c->holders[i].context, keep);
	calltree_collect(c->tree, keep, map);
	rename_nodes(c, map);
	c->kept = calltree_count(c->tree);
	c->epoch++;
	free(keep);
	free(map);
}

/* Half of what is needed is given up until a quarter is free. */
static void make_room(struct chains *c)
{
	collect(c);
	for (int i = 0; i < 8 && !calltree_has_room(c->tree, c->kept / 4 + CHAIN_FRAMES); i++) {
		histogram_give_up_callers(c->use.histogram);
		collect(c);
	}
}

uint64_t chains_bytes(const struct chains *c)
{
	return calltree_bytes(c->tree) + c->kind_capacity;
}

void chains_shed(struct chains *c)
{
	collect(c);
	histogram_give_up_callers(c->use.histogram);
	collect(c);
}

/* Ends. */

/* Where tasks begin, in user space and in the kernel; what the linker and libraries call it. */
static bool is_root_name(const char *name)
{
	static const char *const names[] = {
		"_start",
		"_dl_start_user",
		"__clone",
		"clone",
		"__clone3",
		"clone3",
		"_dl_start",
		"__clone_internal",
		"thread_start",
		"__thread_start",
		"ret_from_fork",
		"ret_from_fork_asm",
		"secondary_startup_64",
		"secondary_startup_64_no_verify",
		"__secondary_switched",
		"common_startup_64",
		"runtime.goexit",
		"runtime.goexit.abi0",
		"runtime.mstart",
		"runtime.mstart.abi0",
		"_rt0_amd64_linux",
		"_rt0_arm64_linux",
		"runtime.rt0_go",
		"runtime.rt0_go.abi0",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		if (!strcmp(name, names[i]))
			return true;
	}
	return false;
}

/* A compiler may have put its rarely used parts elsewhere: "_PyEval_EvalFrameDefault.cold". */
static bool is_evaluator_name(const char *name)
{
	static const char evaluator[] = "_PyEval_EvalFrameDefault";
	const char *rest = name + sizeof(evaluator) - 1;

	return !strncmp(name, evaluator, sizeof(evaluator) - 1) && (!*rest || *rest == '.');
}

static enum frame_kind kind_of(struct chains *c, uint32_t frame)
{
	const char *name;

	if (frame >= c->kind_capacity)
		mem_grow_zeroed((void **)&c->kinds, &c->kind_capacity, frame + 1u, 1);
	if (c->kinds[frame])
		return c->kinds[frame];
	name = frame_raw_symbol(c->use.frames, frame);
	c->kinds[frame] = is_root_name(name)        ? KIND_ROOT
			  : is_evaluator_name(name) ? KIND_EVALUATOR
						    : KIND_OTHER;
	return c->kinds[frame];
}

const struct unwind_end_text *chain_end_text(enum chain_end end)
{
	static const struct unwind_end_text texts[] = {
		[CHAIN_LOADING] = { "loading", N_("symbols are being loaded") },
		[CHAIN_NO_USER] = { "no-user", N_("the kernel could not tell the user part") },
		[CHAIN_NO_LINK] = { "no-link",
				    N_("no further frame pointer: code that does not keep them") },
	};

	if (end == CHAIN_WHOLE)
		return &unwind_ends[UNWIND_COMPLETE];
	if (end == CHAIN_TOO_LONG)
		return &unwind_ends[UNWIND_LIMIT];
	return end < CHAIN_UNWOUND ? &texts[end] : &unwind_ends[end - CHAIN_UNWOUND];
}

/* The first one of those at the outermost address. */
static uint32_t outermost_frame(const struct chains *c, uint32_t node)
{
	struct call_node n = calltree_at(c->tree, node);

	while (n.parent != CALL_ROOT)
		n = calltree_at(c->tree, n.parent);
	return n.frame;
}

static enum chain_end end_of(struct chains *c, const struct chain *chain, uint32_t outermost)
{
	uint32_t frame = outermost_frame(c, outermost);
	uint8_t flags;

	if (c->cut || (chain->user && chain->user_end == UNWIND_LIMIT))
		return CHAIN_TOO_LONG;
	if ((chain->user || chain->user_end == UNWIND_BUDGET) && chain->user_end < UNWIND_ENDS)
		return chain->user_end == UNWIND_COMPLETE ? CHAIN_WHOLE
							  : CHAIN_UNWOUND + chain->user_end;
	if (name_is_placeholder(name_of_bits(frame)))
		return CHAIN_LOADING;
	if (kind_of(c, frame) == KIND_ROOT)
		return CHAIN_WHOLE;
	flags = frame_flags(c->use.frames, frame);
	if (flags & FRAME_KERNEL)
		return chain->leaf.process->kernel || !chain->leaf.process->pid ? CHAIN_WHOLE
										: CHAIN_NO_USER;
	return CHAIN_NO_LINK;
}

/* Python. */

static bool is_evaluator(struct chains *c, const struct chain *chain, const struct step *step)
{
	const struct address address = { chain->leaf.process, step->mode, step->ip };
	struct place later;
	struct name name;

	if (step->mode != CPUMODE_USER)
		return false;
	name = resolver_find(c->use.resolver, &address, &later);
	return !(name_is_open(name) && later.loading) &&
	       kind_of(c, resolver_outer(c->use.resolver, name)) == KIND_EVALUATOR;
}

/* Marks the calls of the evaluator, all by its name.  Their number. */
static size_t mark_entries(struct chains *c, const struct chain *chain, bool *marks)
{
	size_t count = 0;

	for (size_t i = 0; i < c->count; i++) {
		c->steps[i].ip = python_names_address(chain->leaf.process, c->steps[i].ip);
		marks[i] = is_evaluator(c, chain, &c->steps[i]);
		count += marks[i];
	}
	return count;
}

static void merge_step(struct chains *c, size_t *count, const struct step *step)
{
	c->cut |= *count == c->limit;
	if (*count < c->limit)
		c->merged[(*count)++] = *step;
}

/* Puts the functions of CALLS in the places of the calls that are MARKED. */
static void merge(struct chains *c, const struct python_calls *calls, const bool *marked)
{
	struct step *steps = c->steps;
	size_t count = 0, entry = 0, f = 0;

	for (size_t i = 0; i < c->count; i++) {
		if (!marked[i]) {
			merge_step(c, &count, &steps[i]);
			continue;
		}
		for (; f < calls->ends[entry]; f++)
			merge_step(c, &count,
				   &(struct step){ MADE_IP | calls->frames[f], CPUMODE_USER,
						   calls->frames[f] });
		entry++;
	}
	c->steps = c->merged;
	c->merged = steps;
	c->count = count;
}

/* The stack that was read came from a process that runs Python. */
static void take_python(struct chains *c, const struct chain *chain)
{
	bool marked[CHAIN_FRAMES + 1];
	size_t entries = mark_entries(c, chain, marked);

	if (!entries)
		return;
	if (chain->python && entries == chain->python->entries && !c->cut) {
		merge(c, chain->python, marked);
		c->python.found++;
		c->python.walked += chain->python->walked;
	} else {
		c->python.unsure++;
	}
}

const struct chains_python *chains_python(const struct chains *c)
{
	return &c->python;
}

void chains_find_leaf(struct chains *c, const struct address *leaf, struct cell_key *key)
{
	key->node = CALL_ROOT;
	key->frame = innermost(c, name_of(c, leaf));
	if (!c->callers)
		return;
	if (!calltree_has_room(c->tree, 1))
		make_room(c);
	*key = under_others(c->tree, key);
}

enum chain_end chains_find(struct chains *c, const struct chain *chain, struct cell_key *key)
{
	struct space *space = process_space(c->use.processes, chain->leaf.process, MAPS_CODE);
	struct memo *m;

	read_chain(c, chain);
	if (chain->is_python)
		take_python(c, chain);
	if (!calltree_has_room(c->tree, c->count))
		make_room(c);
	m = memo_of(c, chain, space_generation(space));
	key->node = intern(c, chain, m);
	key->frame = calltree_at(c->tree, key->node).frame;
	return end_of(c, chain, m->nodes[0]);
}

void chains_forget(struct chains *c)
{
	resolver_forget(c->use.resolver);
	c->epoch++;
}

uint64_t chains_epoch(const struct chains *c)
{
	return c->epoch;
}

struct call_node chains_at(const struct chains *c, uint32_t node)
{
	return calltree_at(c->tree, node);
}

uint32_t chains_child(struct chains *c, uint32_t node, uint32_t frame)
{
	return calltree_has_room(c->tree, 1) ? calltree_add(c->tree, node, frame) : node;
}

void chains_add_holder(struct chains *c, const struct chains_holder *holder)
{
	mem_grow((void **)&c->holders, &c->holder_capacity, c->holder_count + 1,
		 sizeof(*c->holders));
	c->holders[c->holder_count++] = *holder;
}

void chains_remove_holder(struct chains *c, const void *context)
{
	size_t left = 0;

	for (size_t i = 0; i < c->holder_count; i++) {
		if (c->holders[i].context != context)
			c->holders[left++] = c->holders[i];
	}
	c->holder_count = left;
}

uint32_t chains_shown(const struct chains *c, uint32_t frame)
{
	return resolver_inner(c->use.resolver, places_shown(c->places, name_of_bits(frame)));
}

bool chains_is_behind(const struct chains *c)
{
	return places_count(c->places) > PLACES_LIMIT / 2;
}

uint64_t chains_overflow(const struct chains *c)
{
	return places_overflow(c->places);
}

uint64_t chains_mark(struct chains *c)
{
	return ++c->mark;
}

uint64_t chains_newest_mark(const struct chains *c)
{
	return c->mark;
}

bool chains_waits(const struct chains *c, uint64_t mark)
{
	return places_waits(c->places, mark);
}

/* Names. */

void chains_loaded(struct chains *c, uint32_t object, bool stale)
{
	bool renamed = stale && resolver_has_unnamed(c->use.resolver, object);

	c->dirty |= places_loaded(c->places, object, renamed);
	c->epoch += stale;
}

/* calltree_renamed() asks for a place's name as NAME_OF tells it. */
struct naming {
	const struct chains *c;
	struct name (*name_of)(const struct places *p, struct name name);
	struct name last;
};

static const uint32_t *named(void *context, const uint32_t *frame, size_t *count)
{
	struct naming *n = context;

	n->last = n->name_of(n->c->places, name_of_bits(*frame));
	return frames_of(n->c, &n->last, count);
}

static void rename_all(struct chains *c)
{
	struct naming naming = { .c = c, .name_of = places_name };
	struct calltree *tree;
	uint32_t *map = mem_array(calltree_count(c->tree), sizeof(*map));

	tree = calltree_renamed(c->tree, named, &naming, map);
	rename_nodes(c, map);
	if (c->callers)
		histogram_set_tree(c->use.histogram, tree);
	calltree_free(c->tree);
	c->tree = tree;
	places_renamed(c->places);
	c->dirty = false;
	c->epoch++;
	free(map);
}

void chains_rename(struct chains *c)
{
	uint64_t began_ns, now_ns;

	if (!c->dirty)
		return;
	began_ns = clock_monotonic_ns(c->use.clock);
	rename_all(c);
	now_ns = clock_monotonic_ns(c->use.clock);
	time_share_charge(&c->renaming, now_ns, now_ns - began_ns, RENAME_REST);
}

void chains_rename_soon(struct chains *c)
{
	const uint64_t due_ns = time_share_due(&c->renaming, RENAME_BURST_NS, RENAME_REST);

	if (c->dirty && (chains_is_behind(c) || due_ns <= clock_monotonic_ns(c->use.clock)))
		chains_rename(c);
}

void chains_next_interval(struct chains *c)
{
	c->dirty |= places_next_interval(c->places);
	chains_rename_soon(c);
	if (calltree_count(c->tree) > 2 * c->kept + GARBAGE_MIN)
		collect(c);
}

struct call_node *chains_copy(struct chains *c, bool last, size_t *count, uint32_t **map)
{
	struct naming naming = { .c = c, .name_of = places_shown };
	struct call_node *nodes;
	struct calltree *shown;

	*map = NULL;
	*count = 0;
	if (!c->callers)
		return NULL;
	if (places_count(c->places)) {
		*map = mem_array(calltree_count(c->tree), sizeof(**map));
		shown = calltree_renamed(c->tree, named, &naming, *map);
		nodes = calltree_take(shown, count);
		calltree_free(shown);
		return nodes;
	}
	if (last) {
		c->epoch++;
		return calltree_take(c->tree, count);
	}
	*count = calltree_count(c->tree);
	nodes = mem_array(*count, sizeof(*nodes));
	memcpy(nodes, calltree_nodes(c->tree), *count * sizeof(*nodes));
	return nodes;
}
