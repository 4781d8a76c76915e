/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "symbol/load-worker.h"

#include <string.h>

#include "base/i18n.h"
#include "symbol/file-reader.h"
#include "symbol/load.h"
#include "symbol/object.h"
#include "symbol/symtab-block.h"

#define WAYS (1u << DEBUGFILE_BUILD_ID | 1u << DEBUGFILE_LINK)

/* To the worker: which of the descriptors there are. */
struct load_order {
	uint32_t has_fetched;
};

/* From the worker: what there is, with a block of symbols. */
#define LOAD_FOUND 2u

struct load_found {
	uint32_t tag;
	uint32_t has_table;
	struct load_outcome outcome;
};

/* ---- The worker. */

/* Reads one file.  Returns false if there was none in time. */
static bool obey(int socket)
{
	struct load l = { .key = { .kind = DSO_FILE, .path = "" },
			  .open = file_reader_ask,
			  .context = &socket };
	struct load_found found;
	struct load_order order;
	struct channel_fds fds, out = { .count = 0 };
	struct symtab *t;
	int block;

	if (channel_receive(socket, &order, sizeof(order), &fds, 0) != sizeof(order) ||
	    fds.count != 1 + (order.has_fetched != 0))
		return false;
	l.object = object_new(fds.fds[0]);
	if (order.has_fetched)
		l.fetched = object_new(fds.fds[1]);
	t = load_read(&l);
	block = t ? symtab_block_write(t) : -1;
	if (block >= 0)
		out = (struct channel_fds){ .count = 1, .fds = { block } };
	memset(&found, 0, sizeof(found));
	found.tag = LOAD_FOUND;
	found.has_table = t != NULL;
	found.outcome = l.outcome;
	channel_send(socket, &found, sizeof(found), &out);
	channel_close_fds(&out);
	symtab_free(t);
	load_fini(&l);
	return true;
}

void load_job(int socket)
{
	while (obey(socket))
		;
}

/* ---- The side that trusts nobody. */

struct answer {
	struct load_found found;
	struct symtab *table; /* NULL: none was needed */
};

/* A pool_order's `take`. */
static bool take_answer(void *context, const struct channel_fds *got)
{
	struct answer *a = context;
	const struct load_found *f = &a->found;

	if (f->tag != LOAD_FOUND || f->outcome.build_id.size > BUILD_ID_MAX)
		return false;
	if (f->has_table && got->count == 1)
		a->table = symtab_block_open(got->fds[0]);
	return !f->has_table || a->table;
}

/* Takes what the worker left; anything but a whole answer is told. */
static struct symtab *finish(struct load *l, struct answer *a, enum worker_end end)
{
	if (end != WORKER_DONE) {
		l->debug_path[0] = '\0';
		return NULL;
	}
	l->outcome = a->found.outcome;
	load_tell(l);
	return a->table;
}

struct symtab *load_run_in_worker(struct load *l, struct reader_pool *pool, bool *refused)
{
	const struct load_order what = { .has_fetched = l->fetched != NULL };
	struct answer a = { .table = NULL };
	/* A file from a server has no owner among the users. */
	const struct pool_order order = {
		.ways = WAYS,
		.order = &what,
		.order_size = sizeof(what),
		.second = l->fetched ? l->fetched->fd : -1,
		.answer = &a.found,
		.answer_size = sizeof(a.found),
		.take = take_answer,
		.context = &a,
	};
	enum worker_end end;
	bool given_up;

	*refused = false;
	load_open_file(l);
	if (!l->has_file) {
		load_missing(l, _("cannot open %s"), l->error.text);
		return NULL;
	}
	end = reader_pool_read(pool, l, &order, &given_up);
	if (given_up) {
		symtab_free(a.table);
		return NULL;
	}
	*refused = end != WORKER_DONE && end != WORKER_KILLED;
	return finish(l, &a, end);
}
