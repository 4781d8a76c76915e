/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "symbol/load-worker.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

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
	int32_t error; /* 0, with a descriptor, or a negative errno */
};

/* ---- The worker. */

static int ask_for_file(struct load *l, const struct debugfile_request *r,
			struct debugfile_path *path)
{
	int socket = *(const int *)l->context;
	struct load_message m;
	struct load_reply reply;
	struct channel_fds fds;

	path->text[0] = '\0';
	memset(&m, 0, sizeof(m));
	m.tag = TAG_ASK;
	m.ask = *r;
	if (channel_send(socket, &m, sizeof(m), NULL) < 0 ||
	    channel_receive(socket, &reply, sizeof(reply), &fds, 0) != sizeof(reply))
		_exit(0);
	return fds.count ? fds.fds[0] : reply.error;
}

static void load_job(int socket)
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
		return;
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
}

worker_main *const symbol_jobs[] = { [JOB_LOAD] = load_job };
const size_t symbol_job_count = SYMBOL_JOBS;

/* ---- The side that trusts nobody. */

struct remote {
	struct load *load;
	struct zygote *zygote;
	int socket;
	unsigned opened;
	struct symtab *table; /* the answer; NULL: none was needed */
	bool answered, nonsense;
};

/* Holes in a file are free to make, so they buy nothing. */
static struct worker_limits limits_of(int file)
{
	struct worker_limits limits = { .cpu_s = CPU_S, .memory_bytes = MEMORY_BYTES };
	struct stat st;
	uint64_t bytes, cpu_s;

	if (fstat(file, &st) < 0)
		return limits;
	bytes = (uint64_t)st.st_blocks * 512;
	if (bytes > (uint64_t)st.st_size)
		bytes = (uint64_t)st.st_size;
	cpu_s = CPU_S + bytes / CPU_BYTES;
	limits.cpu_s = cpu_s < CPU_MAX_S ? (uint32_t)cpu_s : CPU_MAX_S;
	limits.wall_s = limits.cpu_s * WALL_FACTOR;
	if (bytes < (MEMORY_MAX_BYTES - MEMORY_BYTES) / MEMORY_FACTOR)
		limits.memory_bytes += bytes * MEMORY_FACTOR;
	else
		limits.memory_bytes = MEMORY_MAX_BYTES;
	return limits;
}

static int remote_start(struct remote *r)
{
	struct load *l = r->load;
	struct worker_limits limits = limits_of(l->file);
	struct load_order order = { .has_fetched = l->fetched != NULL };
	struct channel_fds fds = { .count = 1, .fds = { l->file } };
	int failed;

	if (l->fetched)
		fds.fds[fds.count++] = l->fetched->fd;
	r->socket = zygote_spawn(r->zygote, JOB_LOAD, &limits);
	if (r->socket < 0)
		return r->socket;
	failed = channel_send(r->socket, &order, sizeof(order), &fds);
	return failed == -EPIPE ? 0 : failed; /* it has ended already: that is told next */
}

static void answer_question(struct remote *r, const struct debugfile_request *ask)
{
	struct load_reply reply = { .error = -ENODATA };
	struct channel_fds fds = { .count = 0 };
	struct debugfile_path path;
	int fd;

	fd = r->opened++ < OPENS_MAX ? debugfile_open(r->load, ask, &path) : -ENODATA;
	if (fd >= 0) {
		load_debug_path(r->load, path.text);
		fds = (struct channel_fds){ .count = 1, .fds = { fd } };
	}
	reply.error = fd < 0 ? fd : 0;
	channel_send(r->socket, &reply, sizeof(reply), &fds);
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

static void take_message(struct remote *r, const struct load_message *m, size_t size,
			 const struct channel_fds *fds)
{
	if (size == sizeof(*m) && !r->answered && m->tag == TAG_ASK)
		answer_question(r, &m->ask);
	else if (size == sizeof(*m) && !r->answered && m->tag == TAG_FOUND)
		take_answer(r, m, fds);
	else
		r->nonsense = true;
}

/* Returns true when the worker has ended, and how in *END. */
static bool take_messages(struct remote *r, enum worker_end *end)
{
	struct load_message m;
	struct channel_fds fds;
	ssize_t size = 1;

	while (size > 0 && !r->nonsense) {
		struct worker_ended ended;

		size = channel_receive(r->socket, &m, sizeof(m), &fds, MSG_DONTWAIT);
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
	*end = WORKER_DAMAGED;
	return true;
}

/* Runs one worker to its end.  Returns false if the checkpoint said so. */
static bool remote_wait(struct remote *r, enum worker_end *end)
{
	struct pollfd polled = { .fd = r->socket, .events = POLLIN };

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
	r->load->outcome = (struct load_outcome){ .source_count = 0 };
	*refused = end != WORKER_KILLED;
	load_missing(r->load, "%s", end_text(end));
	return NULL;
}

struct symtab *load_run_in_worker(struct load *l, struct zygote *z, bool *refused)
{
	enum worker_end end = WORKER_KILLED;
	struct remote r;
	bool whole;

	*refused = false;
	load_open_file(l);
	if (!l->has_file) {
		load_missing(l, _("cannot open %s"), l->error.text);
		return NULL;
	}
	for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
		r = (struct remote){ .load = l, .zygote = z };
		if (remote_start(&r) < 0)
			break;
		whole = remote_wait(&r, &end);
		close(r.socket);
		if (!whole) {
			symtab_free(r.table);
			return NULL;
		}
		if (r.answered || end != WORKER_KILLED)
			break;
	}
	return remote_finish(&r, end, refused);
}
