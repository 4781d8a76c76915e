/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "symbol/line-reader.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/i18n.h"
#include "base/io.h"
#include "symbol/debugfile.h"
#include "symbol/file-reader.h"
#include "symbol/jitdump.h"
#include "symbol/line-block.h"
#include "symbol/line-kernel.h"
#include "symbol/livecode.h"
#include "worker/sealed.h"

#define ATTEMPTS 3     /* if somebody kills it */
#define IDLE_MS 20000u /* how long it waits for the next question */
#define WAYS (~(1u << DEBUGFILE_KERNEL | 1u << DEBUGFILE_MODULE)) /* it may ask for others */
#define KERNEL_WAYS (~0u)

/* From the worker, with a block: a tag alone. */
#define LINES_FOUND 2u

/* ---- The worker. */

struct open_file {
	int socket;
	struct load load;
	struct line_entry *entry; /* NULL: nothing is open yet */
};

static void open_entry(struct open_file *o, const struct lines_order *order, int file, int module)
{
	struct line_kernel kernel;

	line_kernel_receive(&kernel, &order->kernel, module);
	o->load = (struct load){ .key = { .kind = order->kind, .path = order->path },
				 .proc_root = "",
				 .debug_root = "",
				 .kallsyms = "",
				 .open = file_reader_ask,
				 .context = &o->socket,
				 .file = file,
				 .has_file = file >= 0 };
	o->entry = line_entry_open(&o->load, &kernel);
	line_kernel_close(&kernel);
}

/* Sets Q's code, owned by the caller, from FD, which this closes. */
static unsigned char *take_code(struct line_question *q, const struct lines_order *order, int fd)
{
	size_t size = order->code_size < LINES_CODE_MAX ? order->code_size : LINES_CODE_MAX;
	unsigned char *code = mem_alloc(size);

	q->code = code;
	q->code_size = io_read_at(fd, 0, code, size);
	q->machine = (uint16_t)order->machine;
	close(fd);
	return code;
}

static void send_answer(const struct open_file *o, const struct line_answer *a)
{
	struct channel_fds fds = { .count = 0 };
	const uint32_t found = LINES_FOUND;
	int block = line_block_write(a);

	if (block >= 0)
		fds = (struct channel_fds){ .count = 1, .fds = { block } };
	channel_send(o->socket, &found, sizeof(found), &fds);
	channel_close_fds(&fds);
}

static void answer_order(struct open_file *o, const struct lines_order *order, int code_fd)
{
	const struct lines_options options = { .proc_root = "" };
	const struct lines_request request = { .addresses = order->addresses,
					       .address_count = order->count,
					       .offsets = order->offsets,
					       .code_start = order->code_start,
					       .code_size = order->code_size,
					       .instructions = order->instructions };
	struct line_question question = { .request = &request,
					  .options = &options,
					  .sources = &o->load };
	unsigned char *code = code_fd < 0 ? NULL : take_code(&question, order, code_fd);
	struct line_answer *a = line_answer_new(0);

	line_entry_answer(o->entry, &question, a);
	send_answer(o, a);
	line_answer_free(a);
	free(code);
}

static bool is_order(const struct lines_order *o)
{
	return o->has_file <= 1 && o->has_module <= 1 && o->has_code <= 1 &&
	       o->count <= LINES_ORDER_ADDRESSES && o->kernel.id_size <= sizeof(o->kernel.id) &&
	       memchr(o->path, '\0', sizeof(o->path)) &&
	       memchr(o->kernel.release, '\0', sizeof(o->kernel.release));
}

/* Answers one question.  Returns false if there was none in time. */
static bool obey(struct open_file *o)
{
	struct lines_order order;
	struct channel_fds fds;
	size_t next = 0;
	int file, module;

	if (channel_receive(o->socket, &order, sizeof(order), &fds, 0) != sizeof(order) ||
	    fds.count != order.has_file + order.has_module + order.has_code || !is_order(&order))
		return false;
	file = order.has_file ? fds.fds[next++] : -1;
	module = order.has_module ? fds.fds[next++] : -1;
	if (!o->entry)
		open_entry(o, &order, file, module);
	io_close(&module);
	answer_order(o, &order, order.has_code ? fds.fds[next] : -1);
	return true;
}

void lines_job(int socket)
{
	struct open_file o = { .socket = socket };

	while (obey(&o))
		;
	line_entry_close(o.entry);
	load_fini(&o.load);
}

/* ---- The side that trusts nobody. */

struct line_reader {
	struct load load; /* opens files for the worker; `file` stays open, if there is one */
	char *path;       /* owned: its key's */
	struct zygote *zygote;
	const struct line_kernel *kernel; /* borrowed; NULL: none */
	struct file_reader reader;
	size_t bytes;      /* of the worker's memory, after its last answer */
	uint64_t granted;  /* bytes that the limits are for, beyond those of the file itself */
	bool has_no_lines; /* only code is left to be asked for */
	struct build_id program; /* once it has none */
	struct error missing;    /* why; or why the file is refused */
	bool refused;
};

/* JIT code without a dump has no file: its code comes with the question.  A kernel's worker asks for its file. */
static void open_file(struct line_reader *r, const struct load *l)
{
	r->load.file = -1;
	if (r->kernel)
		return;
	if (l->key.kind == DSO_FILE) {
		load_open_file(&r->load);
		r->refused = !r->load.has_file;
		if (r->refused)
			error_set(&r->missing, _("cannot open %s"), r->load.error.text);
		return;
	}
	r->load.dump = l->dump;
	r->load.file = l->dump.path ? jitdump_open(&r->load) : -1;
	r->load.has_file = r->load.file >= 0;
	r->load.dump.path = NULL;
	error_set(&r->missing, "%s", r->load.missing);
}

struct line_reader *line_reader_open(const struct load *l, struct zygote *zygote,
				     const struct line_kernel *k)
{
	struct line_reader *r = mem_alloc(sizeof(*r));

	r->zygote = zygote;
	r->kernel = k;
	r->reader.socket = -1;
	r->path = mem_strdup(l->key.path);
	r->load = (struct load){ .key = l->key,
				 .proc_root = l->proc_root,
				 .debug_root = l->debug_root,
				 .kallsyms = "" };
	r->load.key.path = r->path;
	open_file(r, l);
	return r;
}

void line_reader_close(struct line_reader *r)
{
	if (!r)
		return;
	file_reader_close(&r->reader);
	load_fini(&r->load);
	free(r->path);
	free(r);
}

size_t line_reader_bytes(const struct line_reader *r)
{
	return r->reader.socket < 0 ? 0 : r->bytes;
}

uint64_t line_reader_take_cpu_ns(struct line_reader *r)
{
	uint64_t cpu_ns = r->load.cpu_ns;

	r->load.cpu_ns = 0;
	return cpu_ns;
}

/* A part of a question, and of its answer. */
struct part {
	struct lines_request request;
	struct line_answer *answer;
	int module;       /* of the kernel's module; -1: none, or the worker has it */
	int code;         /* the function's, read here; -1: it is in the file */
	uint16_t machine; /* of CODE */
	size_t first;     /* place, */
	size_t frames;    /* and so many of those before it */
};

static void set_order(struct lines_order *order, const struct line_reader *r, const struct part *p)
{
	const struct lines_request *q = &p->request;

	memset(order, 0, sizeof(*order));
	order->kind = r->load.key.kind;
	order->has_file = r->load.has_file && !r->reader.orders;
	order->has_module = p->module >= 0;
	order->has_code = p->code >= 0;
	order->machine = p->machine;
	order->code_start = q->code_start;
	order->code_size = q->code_size;
	order->offsets = q->offsets;
	order->instructions = q->instructions;
	order->count = (uint32_t)q->address_count;
	if (q->address_count)
		memcpy(order->addresses, q->addresses,
		       q->address_count * sizeof(*order->addresses));
	memcpy(order->path, r->path, strnlen(r->path, sizeof(order->path) - 1));
	if (r->kernel)
		line_kernel_send(r->kernel, &order->kernel);
}

/* The file that a worker's limits and rights depend on.  A kernel's comes later, and it is no user's. */
static int first_file(const struct line_reader *r, const struct part *p, struct stat *st)
{
	if (!r->kernel)
		return fstat(r->load.has_file ? r->load.file : p->code, st);
	*st = (struct stat){ .st_uid = (uid_t)-1 };
	return 0;
}

static int start(struct line_reader *r, const struct part *p)
{
	const struct reader_start start = { .job = READER_LINES,
					    .idle_ms = IDLE_MS,
					    .bytes = r->granted };
	struct stat st;

	if (r->reader.socket >= 0)
		return 0;
	if (first_file(r, p, &st) < 0)
		return -1;
	if (!r->granted)
		r->granted = file_reader_bytes(&st);
	return file_reader_start(&r->reader, r->zygote, &st, &start);
}

/* Asks a worker once.  Returns false if the question was given up. */
static bool ask_worker(struct line_reader *r, const struct part *p, enum worker_end *end)
{
	struct channel_fds fds = { .count = 0 };
	struct lines_order order;
	uint32_t found;
	struct reader_call call = { .load = &r->load,
				    .ways = r->kernel          ? KERNEL_WAYS
					    : r->load.has_file ? WAYS
							       : 0,
				    .order = &order,
				    .order_size = sizeof(order),
				    .fds = &fds,
				    .answer = &found,
				    .answer_size = sizeof(found) };
	bool whole;

	*end = WORKER_KILLED;
	set_order(&order, r, p);
	if (order.has_file)
		fds.fds[fds.count++] = r->load.file;
	if (order.has_module)
		fds.fds[fds.count++] = p->module;
	if (order.has_code)
		fds.fds[fds.count++] = p->code;
	whole = file_reader_call(&r->reader, &call);
	*end = call.end;
	if (call.end == WORKER_DONE &&
	    (found != LINES_FOUND || call.got.count != 1 ||
	     !line_block_read(call.got.fds[0], &p->request, p->answer, p->first)))
		*end = WORKER_DAMAGED;
	channel_close_fds(&call.got);
	return whole;
}

/* The same.  A new worker is told of its module. */
static bool ask(struct line_reader *r, struct part *p, enum worker_end *end)
{
	bool whole;

	*end = WORKER_KILLED;
	if (start(r, p) < 0)
		return true;
	if (r->kernel && r->kernel->is_module && !r->reader.orders)
		p->module = kmodule_send(&r->kernel->module);
	whole = ask_worker(r, p, end);
	io_close(&p->module);
	return whole;
}

/*
 * Returns true if a new worker may do better.  The old one was killed; or it had answered before,
 * and so used up some of its limits; or its debug file is larger than its limits were for.
 */
static bool may_retry(struct line_reader *r, const struct line_answer *a, enum worker_end end)
{
	const bool larger = r->reader.bytes > r->granted && r->reader.bytes > FILE_READER_SMALL;

	if (end == WORKER_DONE && (a->answer.has_lines || !larger))
		return false;
	if (larger)
		r->granted = r->reader.bytes;
	return larger || end == WORKER_KILLED || r->reader.orders > 1;
}

static void ask_until_answered(struct line_reader *r, struct part *p)
{
	enum worker_end end = WORKER_KILLED;
	bool again = true;

	for (int attempt = 0; again && attempt < ATTEMPTS; attempt++) {
		if (!ask(r, p, &end)) {
			file_reader_close(&r->reader);
			return;
		}
		again = may_retry(r, p->answer, end);
		if (again || end != WORKER_DONE)
			file_reader_close(&r->reader);
		if (again && end == WORKER_DONE)
			line_answer_undo(p->answer, p->first, p->frames);
	}
	if (end == WORKER_DONE)
		return;
	r->refused = end != WORKER_KILLED;
	error_set(&r->missing, "%s", file_reader_text(end));
	p->answer->missing = r->missing;
}

static bool is_stopped(const struct line_question *q)
{
	return q->stop && q->stop(q->context);
}

/* The first part also asks for the code; P has how it is read, if here. */
static void ask_in_parts(struct line_reader *r, const struct line_question *q, struct part p)
{
	size_t left = q->request->instructions ? 0 : q->request->address_count;

	p.module = -1;
	do {
		p.request.addresses = q->request->addresses + p.first;
		p.request.address_count =
			left < LINES_ORDER_ADDRESSES ? left : LINES_ORDER_ADDRESSES;
		p.frames = p.answer->frame_count;
		ask_until_answered(r, &p);
		p.first += p.request.address_count;
		left -= p.request.address_count;
		p.request.code_size = 0;
		p.code = -1;
	} while (left && !r->refused && !is_stopped(q));
}

static void set_addresses(struct line_answer *a, const struct lines_request *q)
{
	line_answer_set_places(a, q->instructions ? 0 : q->address_count);
	for (size_t i = 0; i < a->answer.place_count; i++)
		a->answer.places[i].address = q->addresses[i];
}

static void fill_code(char *at, const void *context)
{
	const struct line_question *live = context;

	memcpy(at, live->code, live->code_size);
}

/* The code as it is in the process's memory, which only this side may read; a worker disassembles it. */
static void ask_of_live_code(struct line_reader *r, const struct line_question *q,
			     struct line_answer *a)
{
	const struct livecode place = { r->load.proc_root, r->load.key.pid,
					q->request->code_start };
	const size_t most =
		q->request->code_size < LINES_CODE_MAX ? q->request->code_size : LINES_CODE_MAX;
	struct part p = { .request = *q->request, .answer = a, .code = -1 };
	unsigned char *code = mem_alloc(most);
	struct line_question live = { .code = code };

	live.code_size = livecode_read(&place, code, most, &p.machine, &a->no_code);
	if (live.code_size)
		p.code = sealed_write(live.code_size, fill_code, &live);
	if (p.code >= 0) {
		line_answer_undo(a, 0, 0);
		error_set(&a->no_code, "%s", "");
		ask_in_parts(r, q, p);
		close(p.code);
	}
	free(code);
}

/* A dump has the code as the compiler made it; memory has the present code. */
static void ask_of_jit_code(struct line_reader *r, const struct line_question *q,
			    struct line_answer *a)
{
	if (r->load.has_file)
		ask_in_parts(r, q,
			     (struct part){ .request = *q->request, .answer = a, .code = -1 });
	else
		a->missing = r->missing;
	if (!q->request->code_size || a->answer.code_size || r->refused)
		return;
	if (q->options->live)
		ask_of_live_code(r, q, a);
	else
		error_set(&a->no_code, "%s", _(LINES_NO_JIT_CODE));
}

/* Most programs have no lines: their worker is not kept, and is not asked again for some. */
static void learn(struct line_reader *r, const struct line_answer *a)
{
	if (a->answer.has_lines || r->refused || r->reader.socket < 0 ||
	    r->load.key.kind == DSO_JIT)
		return;
	r->has_no_lines = true;
	r->missing = a->missing;
	r->program = a->program;
	file_reader_close(&r->reader);
}

/* A kernel's code comes with the question. */
static void ask_of_file(struct line_reader *r, const struct line_question *q, struct line_answer *a)
{
	struct part p = { .request = *q->request, .answer = a, .code = -1, .machine = q->machine };

	if (q->code_size)
		p.code = sealed_write(q->code_size, fill_code, q);
	ask_in_parts(r, q, p);
	if (p.code >= 0)
		close(p.code);
	learn(r, a);
}

void line_reader_answer(struct line_reader *r, const struct line_question *q, struct line_answer *a)
{
	r->load.checkpoint = q->stop;
	r->load.context = q->context;
	set_addresses(a, q->request);
	if (r->refused || (r->has_no_lines && !q->request->code_size)) {
		a->missing = r->missing;
		a->no_code = r->missing;
		a->program = r->program;
	} else if (r->load.key.kind == DSO_JIT) {
		ask_of_jit_code(r, q, a);
	} else {
		ask_of_file(r, q, a);
	}
	r->load.checkpoint = NULL;
	if (r->reader.socket >= 0)
		r->bytes = zygote_worker_resident_bytes(r->zygote, r->reader.id);
	line_answer_finish(a);
}
