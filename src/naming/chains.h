/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_NAMING_CHAINS_H
#define PTOP_NAMING_CHAINS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "naming/resolve.h"
#include "perf/record/record.h"
#include "proc/thread.h"
#include "profile/calltree.h"
#include "profile/histogram.h"
#include "unwind/unwind.h"

/*
 * From the addresses of a stack to its node in the call tree.  The kernel gives return addresses,
 * and the call is in front of each.  So addresses are looked up one byte earlier, except the first
 * of each mode, where the CPU was.  A call that is a function's last instruction would else get the
 * name of its neighbour.
 *
 * Stacks of a task mostly begin as its last one did: what they share is not looked up again.
 *
 * Addresses whose object is still being loaded get placeholders, in stacks and in the cells of the
 * histogram.  chains_rename() replaces them by names; until then chains_shown() gives the frame to
 * show, which is the named one as soon as it is known.
 */
struct chains;
struct python_calls;

#define CHAIN_FRAMES 1024 /* of a longer stack the outermost are left out, and that is counted */

struct chains_options {
	struct resolver *resolver; /* all borrowed */
	struct frame_table *frames;
	struct process_table *processes;
	struct histogram *histogram; /* whose cells hold the nodes */
	const struct clock *clock;
	size_t node_limit;   /* 0: the default */
	uint16_t max_frames; /* --max-stack; 0: CHAIN_FRAMES */
};

struct chains *chains_new(const struct chains_options *options);
void chains_free(struct chains *c); /* NULL is allowed */

/* How stacks ended at the outermost frame: whole, or why not. */
enum chain_end {
	CHAIN_WHOLE,    /* at the function where the task began */
	CHAIN_LOADING,  /* unknown yet: the outermost object's symbols are being loaded */
	CHAIN_NO_USER,  /* a user's task, and nothing of its user part is known */
	CHAIN_NO_LINK,  /* no further frame pointer: code without them, mostly */
	CHAIN_TOO_LONG, /* more frames than are kept */
	CHAIN_UNWOUND,  /* from here on: plus enum unwind_end, why unwinding ended */
	CHAIN_ENDS = CHAIN_UNWOUND + UNWIND_ENDS
};

/* Names for outputs, and texts for people (N_()). */
const struct unwind_end_text *chain_end_text(enum chain_end end);

/*
 * A sample's stack.  WORDS are as a record has them, the leaf first, with PERF_CONTEXT_* markers.
 * If USER is set, the user part of WORDS is ignored.  If frame pointers made the user part, CALLER
 * may be the caller that they left out behind its first word.
 */
struct chain {
	struct address leaf;
	uint32_t tid;
	const struct record_layout *layout;
	const void *words;
	uint64_t count;
	uint64_t caller;      /* a return address, or 0 */
	const uint64_t *user; /* the user part: where the CPU was, return addresses; or NULL */
	size_t user_count;
	bool user_exact; /* these are no return addresses, but those of the calls */
	/* UNWIND_ENDS: the outermost frame tells; so without USER, but for UNWIND_BUDGET. */
	enum unwind_end user_end;
	bool is_python; /* the process runs CPython: its stacks are counted */
	const struct python_calls
		*python; /* the functions to show for calls of the evaluator, or NULL */
};

/* How many of COUNT WORDS, as a record has them, stand in front of the marker of the user part. */
uint64_t chain_kernel_words(const struct record_layout *layout, const void *words, uint64_t count);

/* The first two words of the user part in WORDS: where the CPU was, a return address; 0: none. */
void chain_user(const struct chain *chain, uint64_t user[2]);

/*
 * The same as one callchain of the machine's byte order, where the user part, or something in it, came
 * from elsewhere: CHAIN's kernel part, then that.  WORDS has room for CHAIN_WORDS.  Their number; 0 when
 * CHAIN's own are all there is (or more than there is room for).
 */
#define CHAIN_WORDS (2 * CHAIN_FRAMES)
size_t chain_words(const struct chain *chain, uint64_t words[CHAIN_WORDS]);

/* From now on stacks have callers; what was counted before is under CALL_OTHERS. */
void chains_take_callers(struct chains *c);

/*
 * Puts the node and the frame of a stack's leaf into KEY, and returns how the stack ends.  The frame may
 * be a placeholder.  May make room in the tree: other nodes get new numbers.
 */
enum chain_end chains_find(struct chains *c, const struct chain *chain, struct cell_key *key);

/* The same for a stack without callers: its frame alone tells it from others, and its node is CALL_ROOT. */
void chains_find_leaf(struct chains *c, const struct address *leaf, struct cell_key *key);

/*
 * Stacks that came through Python's evaluator, since chains_new(): those whose Python functions were found, and
 * those that are not sure.
 */
struct chains_python {
	uint64_t found, unsure;
	uint64_t walked; /* of those that were found: by the kernel, when the sample was taken */
};
const struct chains_python *chains_python(const struct chains *c);

/* The resolver may answer otherwise now: each address is asked for anew. */
void chains_forget(struct chains *c);

/* Grows when nodes get new numbers. */
uint64_t chains_epoch(const struct chains *c);

/* The frame of a node may be a placeholder. */
struct call_node chains_at(const struct chains *c, uint32_t node);

/* The frame that a snapshot shows for the FRAME of a node or a cell. */
uint32_t chains_shown(const struct chains *c, uint32_t frame);

/* More placeholders wait for a name than a reader that could wait should go on making. */
bool chains_is_behind(const struct chains *c);
uint64_t chains_overflow(const struct chains *c); /* frames that stay without a name: no room */

/*
 * Marks are for an answer that must have the names of all samples before it.  chains_mark() makes a
 * mark, chains_newest_mark() returns the last one.  chains_waits() returns true if a sample from
 * before MARK still waits for an object.
 */
uint64_t chains_mark(struct chains *c);
uint64_t chains_newest_mark(const struct chains *c);
bool chains_waits(const struct chains *c, uint64_t mark);

/* The node of FRAME called from NODE; NODE itself when there is no room. */
uint32_t chains_child(struct chains *c, uint32_t node, uint32_t frame);

/*
 * Who has nodes besides the cells: MARK sets the bytes of those that are in use; RENUMBER is called when
 * they have other numbers, those in MAP.  Copied; each has a context of its own.
 */
struct chains_holder {
	void (*mark)(void *context, unsigned char *keep);
	void (*renumber)(void *context, const uint32_t *map);
	void *context;
};
void chains_add_holder(struct chains *c, const struct chains_holder *holder);
void chains_remove_holder(struct chains *c, const void *context);

/*
 * OBJECT was loaded; STALE: addresses may have other names than before.  chains_rename(): frames that have names now are
 * renamed, in cells, too; it takes some milliseconds.  chains_rename_soon() does so now and then only, when these are many:
 * names that others choose come all the time, and a snapshot shows them in any case.
 */
void chains_loaded(struct chains *c, uint32_t object, bool stale);
void chains_rename(struct chains *c);
void chains_rename_soon(struct chains *c);

/* The memory of the tree, in bytes; what nobody needs, and callers of the lightest cells, go to halve it. */
uint64_t chains_bytes(const struct chains *c);
void chains_shed(struct chains *c);

/* An interval is over, the histogram is settled: what no cell needs is dropped. */
void chains_next_interval(struct chains *c);

/*
 * The nodes for a snapshot, owned by the caller, COUNT of them, with placeholders as they are shown;
 * NULL without callers.
 * *MAP, owned by the caller: the number there of each node of the tree, or NULL when they are the
 * same.  With LAST the tree gives its own away and is empty.
 */
struct call_node *chains_copy(struct chains *c, bool last, size_t *count, uint32_t **map);

#endif
