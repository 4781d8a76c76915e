/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "symbol/load-worker.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/i18n.h"
#include "symbol/debugfile.h"
#include "symbol/load.h"
#include "symbol/object.h"
#include "symbol/symtab-block.h"
#include "worker/channel.h"

#define CPU_S 2u                      /* for any file, and one more for each */
#define CPU_BYTES (32ull << 20)       /* of its bytes */
#define CPU_MAX_S 600u                /* at most */
#define WALL_FACTOR 30u               /* on a machine that has other work */
#define MEMORY_BYTES (256ull << 20)   /* for any file, and */
#define MEMORY_FACTOR 8u              /* so much for each byte of it, */
#define MEMORY_MAX_BYTES (4ull << 30) /* up to this */
#define OPENS_MAX 64u                 /* files that one worker asks for */
#define ATTEMPTS 3                    /* if somebody kills it */
#define POLL_MS 10
#define SMALL_BYTES (4ull << 20) /* smaller files have the same limits, and may share a worker */
#define FILES_MAX 64u            /* that one worker reads */
#define IDLE_MS 1000u            /* how long it waits for the next one */

enum symbol_job { JOB_LOAD, SYMBOL_JOBS };

/* From the worker: it asks for a debug file, or has found what there is, with a block of symbols. */
enum { TAG_ASK = 1, TAG_FOUND };

struct load_message {
	uint32_t tag, has_table;
	struct debugfile_request ask;
	struct load_outcome outcome;
};

/* To the worker: which of the descriptors there are.  Then, for each question, its answer. */
struct load_order {
	uint32_t has_fetched;
};

struct load_reply {
	int32_t error;  /* 0, with a descriptor, or a negative errno */
	uint32_t place; /* for the next question */
	struct debugfile_path path;
};

/* ---- The worker. */

static int ask_for_file(struct load *l, struct debugfile_request *r, struct debugfile_path *path)
{
	int socket = *(const int *)l->context;
	struct load_message m;
	struct load_reply reply;
	struct channel_fds fds;
	ssize_t size;

	path->text[0] = '\0';
	memset(&m, 0, sizeof(m));
	m.tag = TAG_ASK;
	m.ask = *r;
	if (channel_send(socket, &m, sizeof(m), NULL) < 0)
		_exit(0);
	do
		size = channel_receive(socket, &reply, sizeof(reply), &fds, 0);
	while (size == -EAGAIN); /* other files are read meanwhile */
	if (size != sizeof(reply))
		_exit(0);
	r->place = reply.place;
	*path = reply.path;
	return fds.count ? fds.fds[0] : reply.error;
}

/* Reads one file.  Returns false if there was none in time. */
static bool obey(int socket)
{
	struct load l = { .key = { .kind = DSO_FILE, .path = "" },
			  .open = ask_for_file,
			  .context = &socket };
	struct load_message m;
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
	memset(&m, 0, sizeof(m));
	m.tag = TAG_FOUND;
	m.has_table = t != NULL;
	m.outcome = l.outcome;
	channel_send(socket, &m, sizeof(m), &out);
	channel_close_fds(&out);
	symtab_free(t);
	load_fini(&l);
	return true;
}

static void load_job(int socket)
{
	while (obey(socket))
		;
}

worker_main *const symbol_jobs[] = { [JOB_LOAD] = load_job };
const size_t symbol_job_count = SYMBOL_JOBS;

/* ---- The side that trusts nobody. */

struct reader {
	int socket;     /* -1: none */
	unsigned files; /* that it has read */
	dev_t device;
	uid_t user;
};

struct load_readers {
	struct zygote *zygote;
	struct reader idle; /* waits for a file */
	unsigned started;
};

struct remote {
	struct load *load;
	struct reader reader;
	unsigned opened;
	struct symtab *table; /* the answer; NULL: none was needed */
	bool answered, nonsense;
	bool shared; /* the reader may read another file after this one */
};

struct load_readers *load_readers_new(struct zygote *zygote)
{
	struct load_readers *w = mem_alloc(sizeof(*w));

	w->zygote = zygote;
	w->idle.socket = -1;
	return w;
}

static void reader_close(struct reader *r)
{
	if (r->socket >= 0)
		close(r->socket);
	r->socket = -1;
}

void load_readers_free(struct load_readers *w)
{
	if (w)
		reader_close(&w->idle);
	free(w);
}

unsigned load_readers_started(const struct load_readers *w)
{
	return w->started;
}

/* Holes in a file are free to make, so they buy nothing. */
static uint64_t bytes_on_disk(const struct stat *st)
{
	uint64_t bytes = (uint64_t)st->st_blocks * 512;

	return bytes < (uint64_t)st->st_size ? bytes : (uint64_t)st->st_size;
}

static struct worker_limits limits_of(uint64_t bytes)
{
	struct worker_limits limits = { .idle_ms = IDLE_MS, .memory_bytes = MEMORY_BYTES };
	uint64_t cpu_s;

	if (bytes < SMALL_BYTES)
		bytes = SMALL_BYTES;
	cpu_s = CPU_S + bytes / CPU_BYTES;
	limits.cpu_s = cpu_s < CPU_MAX_S ? (uint32_t)cpu_s : CPU_MAX_S;
	limits.wall_s = limits.cpu_s * WALL_FACTOR;
	if (bytes < (MEMORY_MAX_BYTES - MEMORY_BYTES) / MEMORY_FACTOR)
		limits.memory_bytes += bytes * MEMORY_FACTOR;
	else
		limits.memory_bytes = MEMORY_MAX_BYTES;
	return limits;
}

/* The owner alone wrote it; a mask of an access control list stands in the group's bits. */
static bool is_owners(const struct reader *r, const struct stat *st)
{
	return r->device == st->st_dev && r->user == st->st_uid &&
	       !(st->st_mode & (S_IWGRP | S_IWOTH));
}

/* Takes the worker that waits, if it has read files of that owner and no other; or starts one. */
static int take_reader(struct remote *r, struct load_readers *w, const struct stat *st, bool fresh)
{
	struct worker_limits limits = limits_of(bytes_on_disk(st));

	if (r->shared && !fresh && w->idle.socket >= 0 && is_owners(&w->idle, st)) {
		r->reader = w->idle;
		w->idle.socket = -1;
		return 0;
	}
	r->reader = (struct reader){ .device = st->st_dev, .user = st->st_uid };
	r->shared &= is_owners(&r->reader, st);
	r->reader.socket = zygote_spawn(w->zygote, JOB_LOAD, &limits);
	w->started += r->reader.socket >= 0;
	return r->reader.socket < 0 ? r->reader.socket : 0;
}

/* What a server sent has no owner of ours. */
static int remote_start(struct remote *r, struct load_readers *w, bool fresh)
{
	struct load *l = r->load;
	struct stat st;
	struct load_order order = { .has_fetched = l->fetched != NULL };
	struct channel_fds fds = { .count = 1, .fds = { l->file } };
	int failed;

	if (fstat(l->file, &st) < 0)
		return -errno;
	r->shared = !l->fetched && bytes_on_disk(&st) <= SMALL_BYTES;
	if (l->fetched)
		fds.fds[fds.count++] = l->fetched->fd;
	failed = take_reader(r, w, &st, fresh);
	if (failed)
		return failed;
	failed = channel_send(r->reader.socket, &order, sizeof(order), &fds);
	if (failed && failed != -EPIPE) { /* -EPIPE: it has ended already, which is told next */
		reader_close(&r->reader);
		return failed;
	}
	return 0;
}

/* The worker may wait for the next file only after a whole answer. */
static void remote_end(struct remote *r, struct load_readers *w)
{
	r->reader.files++;
	if (!r->answered || r->nonsense || !r->shared || r->reader.files == FILES_MAX) {
		reader_close(&r->reader);
		return;
	}
	reader_close(&w->idle);
	w->idle = r->reader;
}

static void answer_question(struct remote *r, struct debugfile_request *ask)
{
	struct load_reply reply = { .error = -ENODATA };
	struct channel_fds fds = { .count = 0 };
	struct stat st;
	int fd;

	fd = r->opened++ < OPENS_MAX ? debugfile_open_next(r->load, ask, &reply.path) : -ENODATA;
	if (fd >= 0) {
		load_debug_path(r->load, reply.path.text);
		r->shared &= !fstat(fd, &st) && is_owners(&r->reader, &st);
		fds = (struct channel_fds){ .count = 1, .fds = { fd } };
	}
	reply.error = fd < 0 ? fd : 0;
	reply.place = ask->place;
	channel_send(r->reader.socket, &reply, sizeof(reply), &fds);
	channel_close_fds(&fds);
}

static void take_answer(struct remote *r, const struct load_message *m,
			const struct channel_fds *fds)
{
	r->answered = true;
	r->load->outcome = m->outcome;
	if (r->load->outcome.build_id.size > BUILD_ID_MAX)
		r->nonsense = true;
	else if (m->has_table && fds->count == 1)
		r->table = symtab_block_open(fds->fds[0]);
	if (m->has_table && !r->table)
		r->nonsense = true;
}

static void take_message(struct remote *r, struct load_message *m, size_t size,
			 const struct channel_fds *fds)
{
	if (size == sizeof(*m) && m->tag == TAG_ASK)
		answer_question(r, &m->ask);
	else if (size == sizeof(*m) && m->tag == TAG_FOUND)
		take_answer(r, m, fds);
	else
		r->nonsense = true;
}

/* Returns true when the worker has answered, or has ended, and how in *END. */
static bool take_messages(struct remote *r, enum worker_end *end)
{
	struct load_message m;
	struct channel_fds fds;
	ssize_t size;

	while (!r->answered && !r->nonsense) {
		struct worker_ended ended;

		size = channel_receive(r->reader.socket, &m, sizeof(m), &fds, MSG_DONTWAIT);
		if (size == -EAGAIN)
			return false;
		*end = WORKER_KILLED;
		if (size <= 0)
			return true;
		if (zygote_worker_ended(&m, (size_t)size, &ended)) {
			channel_close_fds(&fds);
			*end = ended.end;
			return true;
		}
		take_message(r, &m, (size_t)size, &fds);
		channel_close_fds(&fds);
	}
	*end = r->nonsense ? WORKER_DAMAGED : WORKER_DONE;
	return true;
}

/* Lets the worker read the file.  Returns false if the checkpoint said so. */
static bool remote_wait(struct remote *r, enum worker_end *end)
{
	struct pollfd polled = { .fd = r->reader.socket, .events = POLLIN };

	for (;;) {
		if (poll(&polled, 1, POLL_MS) > 0 && take_messages(r, end))
			return true;
		if (load_checkpoint(r->load))
			return false;
	}
}

static const char *end_text(enum worker_end end)
{
	static const char *const texts[] = {
		[WORKER_DONE] = N_("refused: damaged"),
		[WORKER_TOO_SLOW] = N_("refused: too slow"),
		[WORKER_TOO_LARGE] = N_("refused: too large"),
		[WORKER_DAMAGED] = N_("refused: damaged"),
		[WORKER_KILLED] = N_("the process that reads it was killed"),
	};

	return end <= WORKER_KILLED ? _(texts[end]) : _(texts[WORKER_DAMAGED]);
}

/* Takes what the worker left; anything but a whole answer is told, and refused unless it was killed. */
static struct symtab *remote_finish(struct remote *r, enum worker_end end, bool *refused)
{
	if (r->answered && !r->nonsense) {
		load_tell(r->load);
		return r->table;
	}
	symtab_free(r->table);
	r->load->debug_path[0] = '\0';
	r->load->outcome = (struct load_outcome){ .source_count = 0 };
	*refused = end != WORKER_KILLED;
	load_missing(r->load, "%s", end_text(end));
	return NULL;
}

/* Returns true if another worker must try: this one was killed, or had read another file before. */
static bool must_retry(const struct remote *r, enum worker_end end)
{
	if (r->answered && !r->nonsense)
		return false;
	return r->reader.files > 1 || (end == WORKER_KILLED && !r->nonsense);
}

struct symtab *load_run_in_worker(struct load *l, struct load_readers *w, bool *refused)
{
	enum worker_end end = WORKER_KILLED;
	struct remote r = { .load = l };

	*refused = false;
	load_open_file(l);
	if (!l->has_file) {
		load_missing(l, _("cannot open %s"), l->error.text);
		return NULL;
	}
	for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
		bool whole;

		symtab_free(r.table);
		r = (struct remote){ .load = l };
		end = WORKER_KILLED;
		if (remote_start(&r, w, attempt > 0) < 0)
			break;
		whole = remote_wait(&r, &end);
		remote_end(&r, w);
		if (!whole) {
			symtab_free(r.table);
			return NULL;
		}
		if (!must_retry(&r, end))
			break;
	}
	return remote_finish(&r, end, refused);
}
