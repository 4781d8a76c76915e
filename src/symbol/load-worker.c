/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "symbol/load-worker.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/i18n.h"
#include "symbol/file-reader.h"
#include "symbol/load.h"
#include "symbol/object.h"
#include "symbol/symtab-block.h"

#define ATTEMPTS 3    /* if somebody kills it */
#define FILES_MAX 64u /* that one worker reads */
#define IDLE_MS 1000u /* how long it waits for the next one */
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

struct load_readers {
	struct zygote *zygote;
	struct file_reader idle; /* waits for a file */
	unsigned started;
};

struct remote {
	struct load *load;
	struct file_reader reader;
	struct reader_call call;
	struct load_found found;
	struct symtab *table; /* the answer; NULL: none was needed */
	bool answered;        /* by what can be believed */
	bool shared;          /* the reader may read another file after this one */
};

struct load_readers *load_readers_new(struct zygote *zygote)
{
	struct load_readers *w = mem_alloc(sizeof(*w));

	w->zygote = zygote;
	w->idle.socket = -1;
	return w;
}

void load_readers_free(struct load_readers *w)
{
	if (w)
		file_reader_close(&w->idle);
	free(w);
}

unsigned load_readers_started(const struct load_readers *w)
{
	return w->started;
}

/* Takes the worker that waits, if it has read files of that owner and no other; or starts one. */
static int take_reader(struct remote *r, struct load_readers *w, const struct stat *st, bool fresh)
{
	const struct reader_start start = { .job = READER_LOAD, .idle_ms = IDLE_MS };
	int failed;

	if (r->shared && !fresh && w->idle.socket >= 0 && file_reader_owns(&w->idle, st)) {
		r->reader = w->idle;
		w->idle.socket = -1;
		return 0;
	}
	failed = file_reader_start(&r->reader, w->zygote, st, &start);
	w->started += !failed;
	r->shared &= file_reader_owns(&r->reader, st);
	return failed;
}

static bool found_is_valid(struct remote *r)
{
	const struct load_found *f = &r->found;

	if (f->tag != LOAD_FOUND || f->outcome.build_id.size > BUILD_ID_MAX)
		return false;
	if (f->has_table && r->call.got.count == 1)
		r->table = symtab_block_open(r->call.got.fds[0]);
	return !f->has_table || r->table;
}

/* The worker may wait for the next file only after a whole answer. */
static void remote_end(struct remote *r, struct load_readers *w)
{
	if (!r->answered || !r->shared || r->call.opened_others || r->reader.orders == FILES_MAX) {
		file_reader_close(&r->reader);
		return;
	}
	file_reader_close(&w->idle);
	w->idle = r->reader;
}

/* Lets a worker read the file.  Returns false if the checkpoint said so. */
static bool remote_read(struct remote *r, struct load_readers *w, const struct load_order *order,
			const struct channel_fds *fds)
{
	bool whole;

	r->call = (struct reader_call){
		.load = r->load,
		.ways = WAYS,
		.order = order,
		.order_size = sizeof(*order),
		.fds = fds,
		.answer = &r->found,
		.answer_size = sizeof(r->found),
	};
	whole = file_reader_call(&r->reader, &r->call);
	if (r->call.end == WORKER_DONE) {
		r->answered = found_is_valid(r);
		r->call.end = r->answered ? WORKER_DONE : WORKER_DAMAGED;
	}
	channel_close_fds(&r->call.got);
	remote_end(r, w);
	return whole;
}

/* A file from a server has no owner among the users.  Returns false if the file is given up. */
static bool remote_attempt(struct remote *r, struct load_readers *w, bool fresh)
{
	struct load *l = r->load;
	struct stat st;
	struct load_order order = { .has_fetched = l->fetched != NULL };
	struct channel_fds fds = { .count = 1, .fds = { l->file } };

	r->call.end = WORKER_KILLED;
	if (fstat(l->file, &st) < 0)
		return true;
	r->shared = !l->fetched && file_reader_bytes(&st) <= FILE_READER_SMALL;
	if (l->fetched)
		fds.fds[fds.count++] = l->fetched->fd;
	return take_reader(r, w, &st, fresh) < 0 || remote_read(r, w, &order, &fds);
}

/* Takes what the worker left; anything but a whole answer is told, and refused unless it was killed. */
static struct symtab *remote_finish(struct remote *r, bool *refused)
{
	if (r->answered) {
		r->load->outcome = r->found.outcome;
		load_tell(r->load);
		return r->table;
	}
	r->load->debug_path[0] = '\0';
	*refused = r->call.end != WORKER_KILLED;
	load_missing(r->load, "%s", file_reader_text(r->call.end));
	return NULL;
}

/* Returns true if another worker must try: this one was killed, or had read another file before. */
static bool must_retry(const struct remote *r)
{
	return !r->answered && (r->reader.orders > 1 || r->call.end == WORKER_KILLED);
}

struct symtab *load_run_in_worker(struct load *l, struct load_readers *w, bool *refused)
{
	struct remote r;
	int attempt = 0;

	*refused = false;
	load_open_file(l);
	if (!l->has_file) {
		load_missing(l, _("cannot open %s"), l->error.text);
		return NULL;
	}
	do {
		r = (struct remote){ .load = l };
		if (!remote_attempt(&r, w, attempt > 0)) {
			symtab_free(r.table);
			return NULL;
		}
	} while (must_retry(&r) && ++attempt < ATTEMPTS);
	return remote_finish(&r, refused);
}
