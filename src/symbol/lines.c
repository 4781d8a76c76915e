/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "symbol/lines.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/account.h"
#include "base/alloc.h"
#include "base/hash.h"
#include "base/i18n.h"
#include "symbol/line-entry.h"
#include "symbol/line-kernel.h"
#include "symbol/line-reader.h"
#include "symbol/load-state.h"
#include "symbol/loader.h"

#define ENTRIES_MAX 24u    /* each holds one or two files open, or a process */
#define USER_PART 3u       /* of these, and of the bytes, a user may have one in so many */
#define OPENED_BITS 65536u /* a power of two; objects of one bit would only rest together */
#define OPENED_MOST (OPENED_BITS / 4) /* with more set, so many new objects would seem to be old */

/* An object with its kept information; for the worker alone. */
struct entry {
	struct entry *next; /* the object used before this one */
	struct dso_key key, dump;
	char *path, *dump_path;     /* owned: KEY's, DUMP's */
	struct line_kernel *kernel; /* owned; NULL: it is none */
	/* One of the two: read in this process, or in another. */
	struct line_entry *here;
	struct line_reader *apart;
	uint32_t owner; /* load_owner() */
	bool busy;      /* it answers a question; others may be answered meanwhile */
};

struct lines {
	struct lines_options options;
	struct loader *loader;
	uint64_t asked;
	/* The worker's: the last used first, and by a hash which of those who are trusted were opened. */
	struct entry *entries;
	uint8_t opened[OPENED_BITS / 8];
	unsigned opened_count;
};

struct lines_job {
	struct job job; /* must be first */
	struct lines *lines;
	struct lines_request request;
	uint64_t *addresses;        /* owned */
	struct line_answer *answer; /* owned until it is taken */
};

struct lines *lines_new(const struct lines_options *options)
{
	struct lines *l = mem_alloc(sizeof(*l));

	l->options = *options;
	if (!l->options.proc_root)
		l->options.proc_root = "/proc";
	if (!l->options.debug_root)
		l->options.debug_root = "/usr/lib/debug";
	if (!l->options.bytes_max)
		l->options.bytes_max = account_most(0, ACCOUNT_WORKERS);
	if (!l->options.clock)
		l->options.clock = &clock_system;
	l->loader = loader_new(!options->synchronous, options->spare, l->options.clock);
	return l;
}

static void entry_free(struct entry *e)
{
	line_entry_close(e->here);
	line_reader_close(e->apart);
	if (e->kernel)
		line_kernel_close(e->kernel);
	mem_free(e->path, e->dump_path, e->kernel, e);
}

void lines_free(struct lines *l)
{
	struct entry *e, *next;

	if (!l || !loader_free(l->loader))
		return;
	for (e = l->entries; e; e = next) {
		next = e->next;
		entry_free(e);
	}
	free(l);
}

static bool same_object(const struct dso_key *a, const struct dso_key *b)
{
	return a->kind == b->kind && a->major == b->major && a->minor == b->minor &&
	       a->inode == b->inode && a->inode_generation == b->inode_generation &&
	       build_id_equal(&a->build_id, &b->build_id) &&
	       (a->inode || !strcmp(a->path, b->path)) && (a->kind != DSO_JIT || a->pid == b->pid);
}

/* A dump may appear later than its code, or be begun anew. */
static bool same_dump(const struct dso_key *a, const struct dso_key *b)
{
	return a->path && b->path ? same_object(a, b) : !a->path && !b->path;
}

static uint32_t opened_bit(const struct dso_key *k)
{
	uint64_t hash = hash_u64(k->inode ^ hash_u64((uint64_t)k->major << 32 | k->minor));

	hash = hash_u64(hash ^ k->inode_generation);
	hash ^= hash_bytes(k->build_id.bytes, k->build_id.size);
	if (!k->inode)
		hash ^= hash_bytes(k->path, strlen(k->path));
	return hash_u64(hash ^ (uint64_t)k->kind << 32 ^ (k->kind == DSO_JIT ? k->pid : 0)) %
	       OPENED_BITS;
}

static bool job_checkpoint(void *context)
{
	struct lines_job *job = context;

	return loader_checkpoint(job->lines->loader);
}

static bool is_kernel(const struct dso_key *key)
{
	return key->kind == DSO_KERNEL || key->kind == DSO_BPF;
}

/* The vDSO's file is our own memory. */
static bool is_read_apart(const struct lines *l, const struct dso_key *key)
{
	return l->options.zygote &&
	       (key->kind == DSO_FILE || key->kind == DSO_JIT || is_kernel(key));
}

static struct entry *entry_open(struct lines_job *job)
{
	const struct lines_options *o = &job->lines->options;
	struct entry *e = mem_alloc(sizeof(*e));
	struct load load = {
		.key = job->request.key,
		.dump = job->request.dump,
		.proc_root = o->proc_root,
		.debug_root = o->debug_root,
		.kallsyms = "",
		.checkpoint = job_checkpoint,
		.context = job,
	};

	e->path = mem_strdup(load.key.path);
	e->key = load.key;
	e->key.path = e->path;
	e->dump = load.dump;
	e->dump_path = load.dump.path ? mem_strdup(load.dump.path) : NULL;
	e->dump.path = e->dump_path;
	load_open_file(&load);
	e->owner = load_owner(&load);
	if (is_kernel(&load.key)) {
		e->kernel = mem_alloc(sizeof(*e->kernel));
		line_kernel_open(e->kernel, &load.key, o);
	}
	if (is_read_apart(job->lines, &load.key))
		e->apart = line_reader_open(&load, o->zygote, e->kernel);
	else
		e->here = line_entry_open(&load, e->kernel);
	load_fini(&load);
	return e;
}

static uint64_t entry_bytes(const struct entry *e)
{
	return e->apart ? line_reader_bytes(e->apart) : line_entry_bytes(e->here);
}

/*
 * Returns true if E and what its owner used after it are more than a user's part.  Who never rests may have all
 * (loader.h), and a user's only one may be larger.
 */
static bool user_has_too_much(const struct lines *l, const struct entry *e)
{
	uint64_t bytes = entry_bytes(e);
	unsigned count = 1;

	if (loader_trusts(e->owner))
		return false;
	for (const struct entry *newer = l->entries; newer != e; newer = newer->next) {
		bytes += newer->owner == e->owner ? entry_bytes(newer) : 0;
		count += newer->owner == e->owner;
	}
	return count > ENTRIES_MAX / USER_PART ||
	       (count > 1 && bytes > l->options.bytes_max / USER_PART);
}

/* Closes the objects unused for longest, so that the rest is within the limits. */
static void lines_trim(struct lines *l)
{
	uint64_t bytes = 0;
	unsigned count = 0;
	struct entry **at = &l->entries, *e;

	while ((e = *at)) {
		const uint64_t has = entry_bytes(e);
		const bool fits = bytes + has <= l->options.bytes_max && count < ENTRIES_MAX;

		if (!count || e->busy || (fits && !user_has_too_much(l, e))) {
			bytes += has;
			count++;
			at = &e->next;
		} else {
			*at = e->next;
			entry_free(e);
		}
	}
}

/* Where the entry of the job's object is in the list, or would be: then there is NULL. */
static struct entry **lines_find(struct lines_job *job)
{
	struct entry **at = &job->lines->entries;

	while (*at && ((*at)->busy || !same_object(&(*at)->key, &job->request.key) ||
		       !same_dump(&(*at)->dump, &job->request.dump)))
		at = &(*at)->next;
	return at;
}

static bool was_opened(const struct lines *l, const struct dso_key *k)
{
	const uint32_t bit = opened_bit(k);

	return l->opened[bit / 8] & 1u << bit % 8;
}

/* Objects of users who are not trusted leave nothing behind: else any number of them would make all others wait. */
static void remember_opened(struct lines *l, const struct entry *e)
{
	const uint32_t bit = opened_bit(&e->key);

	if (!loader_trusts(e->owner) || was_opened(l, &e->key))
		return;
	if (++l->opened_count > OPENED_MOST) {
		memset(l->opened, 0, sizeof(l->opened));
		l->opened_count = 1;
	}
	l->opened[bit / 8] |= 1u << bit % 8;
}

/* Returns the object's entry at the head of the list, and opens it if it is new. */
static struct entry *lines_entry(struct lines_job *job)
{
	struct lines *l = job->lines;
	struct entry **at = lines_find(job), *e = *at;

	if (e)
		*at = e->next;
	if (e && e->kernel && line_kernel_has_moved(e->kernel, &l->options)) {
		entry_free(e);
		e = NULL;
	}
	if (!e) {
		e = entry_open(job);
		remember_opened(l, e);
	}
	e->next = l->entries;
	l->entries = e;
	return e;
}

/* The owner of the file that will be read; it is opened anew then. */
static uint32_t find_owner(const struct lines_job *job)
{
	struct load load = { .key = job->request.key, .proc_root = job->lines->options.proc_root };
	uint32_t owner;

	load_open_file(&load);
	owner = load_owner(&load);
	load_fini(&load);
	return owner;
}

/*
 * The owner of the file, as a rule.  Large debug files of those who are trusted push each other out; what is opened
 * again waits for all that is opened the first time.
 */
static uint32_t payer(struct lines_job *job, const struct entry *e)
{
	const uint32_t owner = e ? e->owner : find_owner(job);

	if (!e && loader_trusts(owner) && was_opened(job->lines, &job->request.key))
		return LOADER_AGAIN;
	return owner;
}

static void job_prepare(struct job *j)
{
	struct lines_job *job = (struct lines_job *)j;
	const struct entry *e = *lines_find(job);

	j->cost = 1; /* all of one owner are equal: none runs within another */
	j->owner = payer(job, e);
	j->apart = is_read_apart(job->lines, &job->request.key);
}

/* Gives Q the code of a function of the kernel, as it is in memory; owned by the caller; NULL: there is none. */
static unsigned char *kernel_code(const struct entry *e, struct line_question *q)
{
	const uint64_t wanted = q->request->code_size;
	const size_t most = wanted < LINES_CODE_MAX ? wanted : LINES_CODE_MAX;
	unsigned char *code;

	if (!e->kernel || !most)
		return NULL;
	code = mem_alloc(most);
	q->code_size = line_kernel_code(e->kernel, q->request->code_start, code, most, &q->machine);
	q->code = q->code_size ? code : NULL;
	return code;
}

/* Says why there is no code in memory, where no vmlinux has it either. */
static void explain_kernel_code(const struct entry *e, const struct line_question *q,
				struct line_answer *a)
{
	if (!e->kernel || !q->request->instructions || a->answer.code_size || *a->no_code.text)
		return;
	if (e->kernel->kcore)
		error_set(&a->no_code, _("%s does not hold its code"), e->path);
	else
		a->no_code = e->kernel->error;
}

/* A module's file is of no use as long as nobody knows where its sections are. */
static void explain_module(const struct entry *e, struct line_answer *a)
{
	if (e->kernel && *e->kernel->module_error.text)
		a->missing = e->kernel->module_error;
}

static void answer(struct entry *e, struct line_question *q, struct line_answer *a)
{
	unsigned char *code = kernel_code(e, q);

	if (e->apart)
		line_reader_answer(e->apart, q, a);
	else
		line_entry_answer(e->here, q, a);
	explain_kernel_code(e, q, a);
	explain_module(e, a);
	free(code);
}

static bool job_run(struct job *j)
{
	struct lines_job *job = (struct lines_job *)j;
	struct load load = { .key = job->request.key,
			     .proc_root = job->lines->options.proc_root,
			     .checkpoint = job_checkpoint,
			     .context = job };
	struct line_question question = {
		.request = &job->request,
		.options = &job->lines->options,
		.sources = &load,
		.stop = job_checkpoint,
		.context = job,
	};
	struct entry *e = lines_entry(job);

	e->busy = true;
	answer(e, &question, job->answer);
	e->busy = false;
	j->cpu_ns = e->apart ? line_reader_take_cpu_ns(e->apart) : 0;
	lines_trim(job->lines);
	return true;
}

static void job_drop(struct job *j)
{
	struct lines_job *job = (struct lines_job *)j;

	if (job->answer)
		lines_answer_free(&job->answer->answer);
	free(job->addresses);
	free(job);
}

uint64_t lines_cpu_ns(const struct lines *l)
{
	return loader_cpu_ns(l->loader);
}

uint64_t lines_ask(struct lines *l, const struct lines_request *request)
{
	struct lines_job *job = mem_alloc(sizeof(*job));
	size_t count = request->address_count;
	uint64_t id = ++l->asked;

	job->job = (struct job){ .cost = UINT64_MAX,
				 .owner = request->owner,
				 .urgent = request->urgent,
				 .prepare = job_prepare,
				 .run = job_run,
				 .drop = job_drop };
	job->lines = l;
	job->request = *request;
	count = count < LINES_ADDRESSES_MAX ? count : LINES_ADDRESSES_MAX;
	job->request.address_count = count;
	job->addresses = mem_array(count, sizeof(*job->addresses));
	if (count)
		memcpy(job->addresses, request->addresses, count * sizeof(*job->addresses));
	job->request.addresses = job->addresses;
	job->answer = line_answer_new(id);
	loader_submit(l->loader, &job->job);
	return id;
}

/* The answer of a job whose owner rests. */
static void answer_later(struct lines_job *job)
{
	struct line_answer *a = job->answer;

	line_answer_set_places(a, job->request.address_count);
	for (size_t i = 0; i < a->answer.place_count; i++)
		a->answer.places[i].address = job->request.addresses[i];
	error_set(&a->missing, "%s", load_rest_text());
	a->no_code = a->missing;
	line_answer_finish(a);
	a->answer.rest_until_ns = job->job.rest_until_ns;
}

int lines_fd(const struct lines *l)
{
	return loader_fd(l->loader);
}

struct lines_answer *lines_take(struct lines *l)
{
	struct lines_job *job = (struct lines_job *)loader_take(l->loader);
	struct line_answer *a;

	if (!job)
		return NULL;
	if (job->job.rest_until_ns)
		answer_later(job);
	a = job->answer;
	job->answer = NULL;
	job_drop(&job->job);
	return &a->answer;
}

void lines_answer_free(struct lines_answer *a)
{
	line_answer_free((struct line_answer *)a);
}
