/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unwind/unwind-worker.h"

#include <string.h>

#include "unwind/unwind-file.h"
#include "worker/channel.h"
#include "worker/sealed.h"

/* To the worker: the file alone. */
#define FRAMES_READ 2u

/* From the worker, with a block (tables.h), unless there is none. */
#define FRAMES_FOUND 3u

struct frames_found {
	uint32_t tag;
	uint32_t has_block;
	uint32_t refused; /* enum refusal: the file, or a part of it */
};

/* ---- The worker. */

/* Returns the descriptor of O's block, or a negative errno. */
static int make_block(const struct object *o, struct frames_found *found)
{
	struct unwind_source source;
	struct unwind_made made;
	int block = -1;

	if (unwind_file_read(&source, o)) {
		found->has_block = unwind_made_init(&made, &source);
		found->refused = found->has_block ? o->allowance->refused : REFUSED_TOO_LARGE;
	}
	if (found->has_block) {
		block = sealed_write(unwind_made_bytes(&made), unwind_made_write, &made);
		unwind_made_fini(&made);
	}
	unwind_source_fini(&source);
	return block;
}

/* Reads one file.  Returns false if there was none in time. */
static bool obey(int socket)
{
	struct channel_fds fds, out = { .count = 0 };
	struct frames_found found;
	struct object *o;
	uint32_t order;
	int block;

	if (channel_receive(socket, &order, sizeof(order), &fds, 0) != sizeof(order) ||
	    fds.count != 1)
		return false;
	memset(&found, 0, sizeof(found));
	found.tag = FRAMES_FOUND;
	o = object_new(fds.fds[0]);
	block = make_block(o, &found);
	object_free(o);
	if (block >= 0)
		out = (struct channel_fds){ .count = 1, .fds = { block } };
	channel_send(socket, &found, sizeof(found), &out);
	channel_close_fds(&out);
	return true;
}

void unwind_job(int socket)
{
	while (obey(socket))
		;
}

/* ---- The side that trusts nobody. */

struct answer {
	struct frames_found found;
	struct unwind_object *object;
};

/* A pool_order's `take`. */
static bool take_answer(void *context, const struct channel_fds *got)
{
	struct answer *a = context;

	if (a->found.tag != FRAMES_FOUND)
		return false;
	if (a->found.has_block && got->count == 1)
		a->object = unwind_object_open(got->fds[0]);
	return !a->found.has_block || a->object;
}

struct unwind_object *unwind_object_in_worker(struct load *l, struct reader_pool *pool)
{
	static const uint32_t what = FRAMES_READ;
	struct answer a = { .object = NULL };
	const struct pool_order order = {
		.order = &what,
		.order_size = sizeof(what),
		.second = -1,
		.answer = &a.found,
		.answer_size = sizeof(a.found),
		.take = take_answer,
		.context = &a,
	};
	const char *refused;
	bool given_up;

	if (!l->has_file || reader_pool_read(pool, l, &order, &given_up) != WORKER_DONE)
		return NULL;
	refused = object_refusal_text(a.found.refused);
	if (refused)
		load_missing(l, "%s", refused);
	if (!given_up)
		return a.object;
	unwind_object_free(a.object);
	return NULL;
}
