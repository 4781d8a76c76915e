/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "symbol/perfmap-tail.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "symbol/scan.h"
#include "symbol/symtab-block.h"

#define CHUNK_BYTES (256u * 1024)
#define LINE_BYTES_MIN 6u /* "1 1 f" and its newline */

/* To the worker, with the map: where to begin. */
struct map_order {
	uint64_t from;
};

/* From the worker, with a block of symbols. */
#define MAP_FOUND 2u

struct map_found {
	uint32_t tag;
	uint32_t unused; /* 0: padding would be undefined */
	uint64_t bytes, skipped;
};

/* HotSpot writes "0x" in front, as perf accepts. */
static bool scan_number(struct scan *s, uint64_t *value)
{
	if (s->left > 2 && !strncmp(s->at, "0x", 2)) {
		s->at += 2;
		s->left -= 2;
	}
	return scan_hex(s, value);
}

static bool parse_line(struct symtab_builder *b, struct scan line)
{
	struct symtab_entry e = { 0 };

	if (!scan_number(&line, &e.start) || !scan_char(&line, ' ') ||
	    !scan_number(&line, &e.size) || !scan_char(&line, ' ') || !line.left || !e.size)
		return false;
	e.name = line.at;
	e.name_size = line.left;
	symtab_builder_add(b, &e);
	return true;
}

size_t perfmap_parse(struct symtab_builder *b, const char *text, size_t size, uint64_t *skipped)
{
	struct scan all = { text, size }, line;

	while (scan_line(&all, &line))
		if (!parse_line(b, line))
			++*skipped;
	return all.at - text;
}

/* Reads it here.  L's checkpoint may end that early. */
static void tail_make(struct perfmap_tail *tail, struct load *l, int fd, uint64_t from)
{
	struct symtab_builder *b = symtab_builder_new_growing();
	char *chunk = mem_alloc(CHUNK_BYTES);

	while (from + tail->bytes < PERFMAP_BYTES_MAX && !load_checkpoint(l)) {
		ssize_t n = pread(fd, chunk, CHUNK_BYTES, (off_t)(from + tail->bytes));
		size_t used;

		if (n <= 0)
			break;
		used = perfmap_parse(b, chunk, (size_t)n, &tail->skipped);
		if (!used && n < CHUNK_BYTES)
			break; /* the beginning of an unfinished line */
		tail->bytes += used ? used : (size_t)n;
	}
	free(chunk);
	tail->table = symtab_builder_finish(b);
}

/* ---- The worker. */

/* Reads one map.  Returns false if there was none in time. */
static bool obey(int socket)
{
	struct perfmap_tail tail = { .table = NULL };
	struct load l = { .key = { .kind = DSO_JIT } };
	struct channel_fds fds, out = { .count = 0 };
	struct map_found found = { .tag = MAP_FOUND };
	struct map_order order;
	int block;

	if (channel_receive(socket, &order, sizeof(order), &fds, 0) != sizeof(order) ||
	    fds.count != 1)
		return false;
	tail_make(&tail, &l, fds.fds[0], order.from);
	channel_close_fds(&fds);
	block = symtab_block_write(tail.table);
	if (block >= 0)
		out = (struct channel_fds){ .count = 1, .fds = { block } };
	found.bytes = tail.bytes;
	found.skipped = tail.skipped;
	channel_send(socket, &found, sizeof(found), &out);
	channel_close_fds(&out);
	symtab_free(tail.table);
	return true;
}

void perfmap_job(int socket)
{
	while (obey(socket))
		;
}

/* ---- The side that trusts nobody. */

struct answer {
	struct map_found found;
	uint64_t from;
	struct symtab *table;
};

/* A pool_order's `take`.  Who chooses the size of a file pays for it: there are no more symbols than lines. */
static bool take_answer(void *context, const struct channel_fds *got)
{
	struct answer *a = context;
	const struct map_found *f = &a->found;

	if (f->tag != MAP_FOUND || f->bytes > PERFMAP_BYTES_MAX + CHUNK_BYTES - a->from ||
	    f->skipped > f->bytes || got->count != 1)
		return false;
	a->table = symtab_block_open(got->fds[0]);
	if (a->table && symtab_count(a->table) <= f->bytes / LINE_BYTES_MIN)
		return true;
	symtab_free(a->table);
	a->table = NULL;
	return false;
}

static enum worker_end read_in_worker(struct perfmap_tail *tail, struct load *l,
				      struct reader_pool *pool, uint64_t from)
{
	const struct map_order what = { .from = from };
	struct answer a = { .from = from };
	const struct pool_order order = {
		.order = &what,
		.order_size = sizeof(what),
		.begin = from,
		.second = -1,
		.answer = &a.found,
		.answer_size = sizeof(a.found),
		.take = take_answer,
		.context = &a,
	};
	bool given_up;
	enum worker_end end = reader_pool_read(pool, l, &order, &given_up);

	if (end == WORKER_DONE)
		*tail = (struct perfmap_tail){ a.table, a.found.bytes, a.found.skipped };
	return end;
}

enum worker_end perfmap_tail_read(struct perfmap_tail *tail, struct load *l,
				  struct reader_pool *pool, uint64_t from)
{
	*tail = (struct perfmap_tail){ .table = NULL };
	if (pool)
		return read_in_worker(tail, l, pool, from);
	tail_make(tail, l, l->file, from);
	return WORKER_DONE;
}
