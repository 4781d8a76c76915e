/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "symbol/reader-pool.h"

#include <stdlib.h>
#include <sys/stat.h>

#include "base/alloc.h"

#define ATTEMPTS 3    /* if somebody kills it */
#define FILES_MAX 64u /* that one worker reads */
#define IDLE_MS 1000u /* how long it waits for the next one */

struct reader_pool {
	struct zygote *zygote;
	enum file_reader_job job;
	struct file_reader idle; /* waits for a file */
	unsigned started;
};

/* One attempt to have a file read. */
struct attempt {
	struct reader_pool *pool;
	struct load *load;
	const struct pool_order *order;
	struct file_reader reader;
	struct reader_call call;
	bool fresh;    /* by a worker that has read nothing else */
	bool answered; /* by what can be believed */
	bool shared;   /* the reader may read another file after this one */
};

struct reader_pool *reader_pool_new(struct zygote *zygote, enum file_reader_job job)
{
	struct reader_pool *p = mem_alloc(sizeof(*p));

	p->zygote = zygote;
	p->job = job;
	p->idle.socket = -1;
	return p;
}

void reader_pool_free(struct reader_pool *p)
{
	if (p)
		file_reader_close(&p->idle);
	free(p);
}

unsigned reader_pool_started(const struct reader_pool *p)
{
	return p->started;
}

/* Takes the worker that waits, if it has read files of that owner and no other; or starts one. */
static int take_reader(struct attempt *a, const struct stat *st)
{
	struct reader_pool *p = a->pool;
	const struct reader_start start = { .job = p->job, .idle_ms = IDLE_MS };
	int failed;

	if (a->shared && !a->fresh && p->idle.socket >= 0 && file_reader_owns(&p->idle, st)) {
		a->reader = p->idle;
		p->idle.socket = -1;
		return 0;
	}
	failed = file_reader_start(&a->reader, p->zygote, st, &start);
	p->started += !failed;
	a->shared &= file_reader_owns(&a->reader, st);
	return failed;
}

/* The worker may wait for the next file only after a whole answer. */
static void attempt_end(struct attempt *a)
{
	if (!a->answered || !a->shared || a->call.opened_others || a->reader.orders == FILES_MAX) {
		file_reader_close(&a->reader);
		return;
	}
	file_reader_close(&a->pool->idle);
	a->pool->idle = a->reader;
}

/* Lets the reader read the file.  Returns false if the checkpoint said so. */
static bool attempt_read(struct attempt *a, const struct channel_fds *fds)
{
	const struct pool_order *o = a->order;
	bool whole;

	a->call = (struct reader_call){
		.load = a->load,
		.ways = o->ways,
		.order = o->order,
		.order_size = o->order_size,
		.fds = fds,
		.answer = o->answer,
		.answer_size = o->answer_size,
	};
	whole = file_reader_call(&a->reader, &a->call);
	if (a->call.end == WORKER_DONE) {
		a->answered = o->take(o->context, &a->call.got);
		a->call.end = a->answered ? WORKER_DONE : WORKER_DAMAGED;
	}
	channel_close_fds(&a->call.got);
	attempt_end(a);
	return whole;
}

/* Returns true if the worker has little to read. */
static bool is_small(const struct pool_order *o, const struct stat *st)
{
	uint64_t bytes = file_reader_bytes(st);

	return bytes <= FILE_READER_SMALL || bytes - FILE_READER_SMALL <= o->begin;
}

/* Returns false if the file is given up. */
static bool attempt_run(struct attempt *a)
{
	struct channel_fds fds = { .count = 1, .fds = { a->load->file } };
	struct stat st;

	a->call.end = WORKER_KILLED;
	if (fstat(a->load->file, &st) < 0)
		return true;
	a->shared = a->order->second < 0 && is_small(a->order, &st);
	if (a->order->second >= 0)
		fds.fds[fds.count++] = a->order->second;
	return take_reader(a, &st) < 0 || attempt_read(a, &fds);
}

/* Returns true if another worker must try: this one was killed, or had read another file before. */
static bool must_retry(const struct attempt *a)
{
	return !a->answered && (a->reader.orders > 1 || a->call.end == WORKER_KILLED);
}

enum worker_end reader_pool_read(struct reader_pool *p, struct load *l,
				 const struct pool_order *order, bool *given_up)
{
	struct attempt a;
	int attempt = 0;

	do {
		a = (struct attempt){ .pool = p, .load = l, .order = order, .fresh = attempt > 0 };
		*given_up = !attempt_run(&a);
	} while (!*given_up && must_retry(&a) && ++attempt < ATTEMPTS);
	if (a.answered)
		return WORKER_DONE;
	load_missing(l, "%s", file_reader_text(a.call.end));
	return a.call.end;
}
