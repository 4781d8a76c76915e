/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "symbol/jit-tail.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "symbol/jitdump.h"
#include "symbol/perfmap.h"

#define CHUNK_BYTES (256u * 1024)
#define ENTRY_FILE_BYTES 6u /* the least of a file that tells an entry: "1 1 f" and its newline */

/* From the worker, with a block of entries. */
#define TAIL_FOUND 2u

struct tail_found {
	uint32_t tag;
	uint32_t more;
	uint64_t skipped;
	struct jitreader at;
};

/* Takes the whole lines or records of SIZE bytes, of LEFT in the file; returns 0 if there is none. */
typedef uint64_t parser(struct jit_parser *p, const void *bytes, size_t size, uint64_t left);

static parser *const parsers[JIT_KINDS] = {
	[JIT_MAP] = perfmap_parse,
	[JIT_DUMP] = jitdump_parse,
};

/* Reads FD here.  L's checkpoint may end that early. */
static void tail_make(struct jit_tail *tail, struct load *l, int fd, const struct jit_order *order,
		      jitframe_make *make)
{
	struct jit_parser p = { .at = order->at, .make = make };
	unsigned char *chunk = mem_alloc(CHUNK_BYTES);

	while (p.at.offset < order->to && !jit_entries_are_full(&p.entries) &&
	       !load_checkpoint(l)) {
		uint64_t left = order->to - p.at.offset;
		ssize_t n = pread(fd, chunk, left < CHUNK_BYTES ? left : CHUNK_BYTES,
				  (off_t)p.at.offset);

		if (n <= 0 || !parsers[order->kind](&p, chunk, (size_t)n, left))
			break;
	}
	free(chunk);
	tail->entries = p.entries;
	tail->at = p.frames ? p.frames_at : p.at;
	tail->skipped = p.frames ? p.frames_skipped : p.skipped;
	tail->more = jit_entries_are_full(&p.entries);
	free(p.frames);
}

/* ---- The worker. */

/* Reads one file.  Returns false if there was none in time. */
static bool obey(int socket, jitframe_make *make)
{
	struct jit_tail tail = { .skipped = 0 };
	struct load l = { .key = { .kind = DSO_JIT } };
	struct channel_fds fds, out = { .count = 0 };
	struct tail_found found;
	struct jit_order order;
	int block;

	if (channel_receive(socket, &order, sizeof(order), &fds, 0) != sizeof(order) ||
	    fds.count != 1 || order.kind >= JIT_KINDS)
		return false;
	tail_make(&tail, &l, fds.fds[0], &order, make);
	channel_close_fds(&fds);
	block = jit_entries_write(&tail.entries);
	if (block >= 0)
		out = (struct channel_fds){ .count = 1, .fds = { block } };
	found = (struct tail_found){ TAIL_FOUND, tail.more, tail.skipped, tail.at };
	channel_send(socket, &found, sizeof(found), &out);
	channel_close_fds(&out);
	jit_entries_fini(&tail.entries);
	return true;
}

void jit_tail_job(int socket, jitframe_make *make)
{
	while (obey(socket, make))
		;
}

/* ---- The side that trusts nobody. */

struct answer {
	struct tail_found found;
	const struct jit_order *order;
	struct jit_entries entries;
};

/* The place is in the part that was asked for, and behind the old one if there is more to come. */
static bool place_is_valid(const struct answer *a)
{
	const struct jitreader *at = &a->found.at, *from = &a->order->at;

	return at->offset >= from->offset && at->offset <= a->order->to &&
	       (at->offset > from->offset || !a->found.more) && a->found.more <= 1 &&
	       at->begun <= 1 && at->swap <= 1 && at->ended <= 1;
}

/* A pool_order's `take`.  Who chooses the size of a file pays for it: there are no more entries than lines. */
static bool take_answer(void *context, const struct channel_fds *got)
{
	struct answer *a = context;
	uint64_t bytes = a->found.at.offset - a->order->at.offset;

	if (a->found.tag != TAIL_FOUND || !place_is_valid(a) || a->found.skipped > bytes ||
	    got->count != 1 || !jit_entries_open(&a->entries, got->fds[0]))
		return false;
	if (a->entries.count <= bytes / ENTRY_FILE_BYTES)
		return true;
	jit_entries_fini(&a->entries);
	return false;
}

static enum worker_end read_in_worker(struct jit_tail *tail, struct load *l,
				      struct reader_pool *pool, const struct jit_order *what)
{
	struct answer a = { .order = what };
	const struct pool_order order = {
		.order = what,
		.order_size = sizeof(*what),
		.begin = what->at.offset,
		.second = -1,
		.answer = &a.found,
		.answer_size = sizeof(a.found),
		.take = take_answer,
		.context = &a,
	};
	bool given_up;
	enum worker_end end = reader_pool_read(pool, l, &order, &given_up);

	if (end == WORKER_DONE)
		*tail = (struct jit_tail){ a.entries, a.found.at, a.found.skipped, a.found.more };
	return end;
}

enum worker_end jit_tail_read(struct jit_tail *tail, struct load *l, const struct jit_reading *how,
			      const struct jit_order *order)
{
	*tail = (struct jit_tail){ .at = order->at };
	if (how->pool)
		return read_in_worker(tail, l, how->pool, order);
	tail_make(tail, l, l->file, order, how->make);
	return WORKER_DONE;
}
