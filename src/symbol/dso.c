/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "symbol/dso.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/account.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/hash.h"
#include "base/i18n.h"
#include "base/strtab.h"
#include "symbol/fetch.h"
#include "symbol/jitlist.h"
#include "symbol/kernel.h"
#include "symbol/ksymbols.h"
#include "symbol/load.h"
#include "symbol/load-worker.h"
#include "symbol/loader.h"
#include "symbol/object.h"
#include "symbol/package.h"

#define DELETED_SUFFIX " (deleted)"
#define HARD_LIMIT_FACTOR 2u
#define KEPT_NS (30 * NS_PER_S)
/*
 * Numbers of symbols end here: UINT32_MAX and some values before it have other meanings elsewhere.
 */
#define SYMBOL_IDS_MAX (1u << 31)
/* A JIT map is read for at most a tenth of the time, and at most five times a second. */
#define JIT_REST_FACTOR 10u
#define JIT_REST_MIN_NS (NS_PER_S / 5)

/* The kernel makes its list of symbols during the reading, in some hundred milliseconds. */
#define MODULES_REST_NS NS_PER_S
#define KERNEL_REST_NS (5 * NS_PER_S)

struct dso {
	uint32_t number;
	struct dso_key key;
	const char *path, *name; /* interned */
	struct dso *same_hash;
	enum dso_state state;
	struct symtab *table;                 /* owned */
	const char *source, *missing;         /* interned; "" before loading */
	const char *missing_parts[DSO_PARTS]; /* interned; "" none, or never asked */
	uint64_t skipped;
	/* A symbol's id is FIRST_ID plus its number in the table; see dso_symbol_id(). */
	uint32_t first_id;
	uint32_t ids;           /* of the present or the last table */
	uint64_t fingerprint;   /* of that table */
	struct dso_key jitdump; /* JIT: `path` NULL none */
	struct map frames;      /* JIT: a function's start + 1 to its struct jitframe, owned */
	size_t frames_bytes;    /* of all of these */
	size_t bytes;           /* of all symbols and frames, when the loader had read them last */
	uint64_t modules;       /* kernel: the modules' mark at the last reading of its list */
	bool completion_asked;
	bool refused;   /* another reading would end as this one: a worker was stopped */
	bool rests;     /* it was not read, since its owner rests until `rest_until_ns` */
	uint32_t owner; /* load_owner() of the last job; LOADER_NOBODY before */
	bool used;      /* since `used_ns` */
	uint64_t used_ns;
	struct build_id build_id; /* of the file that was loaded */
	/* For the loader. */
	struct jitlist *map;  /* JIT */
	struct jitlist *dump; /* the same, better */
	/*
	 * A job is under way: until its result is taken, or it is dropped.  The object is not
	 * dropped meanwhile, because the loader works on MAP and DUMP.
	 */
	atomic_bool queued;
	_Atomic(uint64_t) rest_until_ns; /* earliest next look or reading */
};

struct dso_cache {
	struct dso_cache_options options;
	struct strtab *strings;
	struct dso **dsos;      /* [number]; [0] is not used */
	size_t count, capacity; /* their number, with [0] */
	struct map by_hash;
	struct map by_user;    /* uid + 1 to the bytes of that user's objects, as a pointer */
	uint64_t object_bytes; /* of all of them */
	uint64_t merged;
	struct loader *loader;
	struct reader_pool *readers; /* the loader's thread's; NULL without a zygote */
	struct reader_pool *maps;    /* likewise, for perf maps and jitdumps */
	struct loader *fetcher;      /* for slow work: servers, packages; NULL until needed */
	struct ksymbols *ksymbols;   /* NULL: the kernel reported none */
	uint32_t *told;              /* synchronous: loaded, to be returned by dso_cache_loaded() */
	size_t told_count, told_capacity;
};

/*
 * A job of the loader: one object to read.  Its result passes from the loader to the collector with
 * the job itself, through the loader's queues.  The two threads share nothing else of a dso.
 */
struct dso_job {
	struct job job; /* must be first */
	struct dso_cache *cache;
	struct dso *dso;
	struct load load;
	bool queued;              /* the object's `queued` is this job's */
	bool first;               /* false: a JIT map that is looked at again */
	struct symtab *table;     /* the result, owned, or NULL */
	struct jitframe **frames; /* likewise; owned */
	size_t frame_count;
	struct dso_work *work; /* work of another module, instead of all that; owned */
	bool only_missing;     /* nothing was read; the news is what is missing */
	bool refused;          /* see struct dso */
};

/* A job of the fetcher.  Once it has the file it passes LOAD to the loader, which reads it. */
struct fetch_job {
	struct job job;       /* must be first */
	struct dso_job *load; /* owned */
	struct build_id build_id;
};

static const char *or_default(const char *value, const char *otherwise)
{
	return value ? value : otherwise;
}

struct dso_cache *dso_cache_new(const struct dso_cache_options *options)
{
	struct dso_cache *c = mem_alloc(sizeof(*c));
	struct strtab *strings = strtab_new();

	c->strings = strings;
	c->options = *options;
	c->options.proc_root = strtab_add(strings, or_default(options->proc_root, "/proc"));
	c->options.debug_root =
		strtab_add(strings, or_default(options->debug_root, "/usr/lib/debug"));
	c->options.kallsyms = strtab_add(strings, or_default(options->kallsyms, "/proc/kallsyms"));
	c->options.modules = strtab_add(strings, or_default(options->modules, "/proc/modules"));
	if (!c->options.bytes_max)
		c->options.bytes_max =
			account_most(options->memory_bytes, ACCOUNT_SYMBOLS) / HARD_LIMIT_FACTOR;
	c->count = 1;
	c->loader = loader_new(!options->synchronous, options->spare, &clock_system);
	if (options->zygote) {
		c->readers = reader_pool_new(options->zygote, READER_LOAD);
		c->maps = reader_pool_new(options->zygote, READER_MAPS);
	}
	return c;
}

static void frames_free(struct dso *d)
{
	size_t cursor = 0;
	struct jitframe *f;

	while ((f = map_next(&d->frames, &cursor)))
		jitframe_free(f);
	map_fini(&d->frames);
	d->frames_bytes = 0;
}

static void dso_free(struct dso *d)
{
	frames_free(d);
	symtab_free(d->table);
	jitlist_free(d->map);
	jitlist_free(d->dump);
	free(d);
}

void dso_cache_free(struct dso_cache *c)
{
	/* A thread that hangs in the kernel may come back, so what it uses must stay. */
	if (!c || (c->fetcher && !loader_free(c->fetcher)) || !loader_free(c->loader))
		return;
	for (size_t i = 1; i < c->count; i++)
		dso_free(c->dsos[i]);
	reader_pool_free(c->readers);
	reader_pool_free(c->maps);
	ksymbols_free(c->ksymbols);
	free(c->dsos);
	free(c->told);
	map_fini(&c->by_hash);
	map_fini(&c->by_user);
	strtab_free(c->strings);
	free(c);
}

static size_t base_length(const char *path)
{
	size_t length = strlen(path), suffix = strlen(DELETED_SUFFIX);

	if (length > suffix && !strcmp(path + length - suffix, DELETED_SUFFIX))
		return length - suffix;
	return length;
}

static const char *last_part(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

/* Returns true if the last parts are equal, "(deleted)" or not. */
static bool same_file_name(const char *a, const char *b)
{
	const char *a_name = last_part(a), *b_name = last_part(b);
	size_t size = base_length(a_name);

	return size == base_length(b_name) && !memcmp(a_name, b_name, size);
}

/* The identity of each kind: what is hashed, and when two keys of one hash are the same object. */
struct identity {
	uint64_t (*hash)(const struct dso_key *key);
	bool (*same)(const struct dso_key *a, const struct dso_key *b);
};

static uint64_t hash_one(const struct dso_key *key)
{
	(void)key;
	return 0;
}

static bool same_one(const struct dso_key *a, const struct dso_key *b)
{
	(void)a;
	(void)b;
	return true;
}

static uint64_t hash_pid(const struct dso_key *key)
{
	return hash_u64(key->pid);
}

static bool same_pid(const struct dso_key *a, const struct dso_key *b)
{
	return a->pid == b->pid;
}

static uint64_t hash_path(const struct dso_key *key)
{
	return key->path ? hash_bytes(key->path, strlen(key->path)) : 0;
}

static bool same_path(const struct dso_key *a, const struct dso_key *b)
{
	return !strcmp(a->path ? a->path : "", b->path ? b->path : "");
}

static uint64_t hash_file(const struct dso_key *key)
{
	if (key->inode)
		return hash_u64(key->inode) ^ hash_u64((uint64_t)key->major << 32 | key->minor);
	if (key->build_id.size)
		return hash_bytes(key->build_id.bytes, key->build_id.size);
	return hash_path(key);
}

/*
 * Compares build ids if both have one.  /proc/PID/maps knows no generation (0).  The file's name
 * then tells an old file from a new one that reuses its inode number.
 */
static bool same_file(const struct dso_key *a, const struct dso_key *b)
{
	if (a->build_id.size && b->build_id.size && !build_id_equal(&a->build_id, &b->build_id))
		return false;
	if (!a->inode || !b->inode)
		return a->inode == b->inode &&
		       ((a->build_id.size && b->build_id.size) || same_path(a, b));
	if (a->inode != b->inode || a->major != b->major || a->minor != b->minor)
		return false;
	if (a->inode_generation && b->inode_generation)
		return a->inode_generation == b->inode_generation;
	return same_file_name(a->path, b->path);
}

static const struct identity identities[] = {
	[DSO_FILE] = { hash_file, same_file },    [DSO_KERNEL] = { hash_one, same_one },
	[DSO_VDSO] = { hash_one, same_one },      [DSO_JIT] = { hash_pid, same_pid },
	[DSO_BPF] = { hash_one, same_one },       [DSO_FOREIGN] = { hash_path, same_path },
	[DSO_UNKNOWN] = { hash_path, same_path },
};

static void dso_set_names(struct dso_cache *c, struct dso *d)
{
	const char *path = d->key.path && *d->key.path ? d->key.path : "[unknown]";
	char *made = NULL;

	if (d->key.kind == DSO_KERNEL)
		path = "[kernel]";
	else if (d->key.kind == DSO_VDSO)
		path = "[vdso]";
	else if (d->key.kind == DSO_BPF)
		path = "[bpf]";
	else if (d->key.kind == DSO_JIT)
		path = made =
			mem_printf("/tmp/perf-%u.map", d->key.nspid ? d->key.nspid : d->key.pid);
	d->key.path = strtab_add(c->strings, path);
	d->path = strtab_add_n(c->strings, path, base_length(path));
	d->name = d->key.kind == DSO_UNKNOWN ? d->path : last_part(d->path);
	free(made);
}

static struct dso *dso_new(struct dso_cache *c, const struct dso_key *key)
{
	struct dso *d = mem_alloc(sizeof(*d));

	mem_grow((void **)&c->dsos, &c->capacity, c->count + 1, sizeof(*c->dsos));
	d->number = c->count;
	d->key = *key;
	d->owner = LOADER_NOBODY;
	d->source = d->missing = "";
	for (unsigned i = 0; i < DSO_PARTS; i++)
		d->missing_parts[i] = "";
	d->frames.seed = hash_seed();
	dso_set_names(c, d);
	c->dsos[c->count++] = d;
	return d;
}

/*
 * Takes over what only a later mapping knows.  A failed file may be within another process's reach.
 */
static void dso_learn(struct dso_cache *c, struct dso *d, const struct dso_key *key)
{
	bool unreachable = d->state == DSO_FAILED && !d->refused && !d->rests &&
			   d->key.kind == DSO_FILE && key->pid != d->key.pid;

	if (!d->key.inode_generation)
		d->key.inode_generation = key->inode_generation;
	if (!d->key.build_id.size)
		d->key.build_id = key->build_id;
	if (!unreachable && !d->rests && d->state != DSO_NEW)
		return;
	d->key.pid = key->pid;
	d->key.map_start = key->map_start;
	d->key.map_end = key->map_end;
	if (d->key.kind == DSO_FILE && key->path && d->key.path != key->path)
		d->key.path = strtab_add(c->strings, key->path);
	if (unreachable)
		d->state = DSO_NEW;
}

/* The object that stands for those without room; nobody pays for it. */
static const struct dso_key others_key = { .kind = DSO_UNKNOWN, .path = "[others]" };

/* Charges a new object, with the texts that may be said of it.  Returns false if there is no room. */
static bool user_pays(struct dso_cache *c, const struct dso_key *key)
{
	size_t bytes = sizeof(struct dso) + 2 * (key->path ? strlen(key->path) : 0) + 256;
	uint64_t user = (uint64_t)key->uid + 1;
	size_t of_user = (uintptr_t)map_find(&c->by_user, user) + bytes;

	if (of_user > account_user(c->options.memory_bytes, ACCOUNT_OBJECTS) ||
	    c->object_bytes + bytes > account_most(c->options.memory_bytes, ACCOUNT_OBJECTS))
		return false;
	c->object_bytes += bytes;
	map_put(&c->by_user, user, (void *)of_user);
	return true;
}

uint64_t dso_cache_merged(const struct dso_cache *c)
{
	return c->merged;
}

static uint64_t key_hash(const struct dso_key *key)
{
	return hash_u64(identities[key->kind].hash(key) + (uint64_t)key->kind);
}

static struct dso *dso_find(const struct dso_cache *c, const struct dso_key *key)
{
	struct dso *d = map_find(&c->by_hash, key_hash(key));

	while (d && (d->key.kind != key->kind || !identities[key->kind].same(&d->key, key)))
		d = d->same_hash;
	return d;
}

uint32_t dso_cache_get(struct dso_cache *c, const struct dso_key *key)
{
	struct dso *d = dso_find(c, key);

	if (d) {
		dso_learn(c, d, key);
		return d->number;
	}
	if (key != &others_key && !user_pays(c, key)) {
		c->merged++;
		return dso_cache_get(c, &others_key);
	}
	d = dso_new(c, key);
	d->same_hash = map_find(&c->by_hash, key_hash(key));
	map_put(&c->by_hash, key_hash(key), d);
	return d->number;
}

/* A path is compared with each prefix; the first match decides. */
static const struct {
	const char *prefix;
	enum dso_kind kind;
} path_kinds[] = {
	{ "//anon", DSO_JIT },    { "[anon", DSO_JIT },
	{ "[heap]", DSO_JIT },    { "/anon_hugepage", DSO_JIT },
	{ "/dev/zero", DSO_JIT }, { "/memfd:doublemapper", DSO_JIT }, /* .NET */
	{ "[vdso]", DSO_VDSO },   { "/SYSV", DSO_UNKNOWN },
	{ "/", DSO_FILE },        { "[", DSO_UNKNOWN },
};

enum dso_kind dso_kind_of_path(const char *path)
{
	if (!*path)
		return DSO_JIT; /* /proc/PID/maps: memory without a file */
	for (size_t i = 0; i < sizeof(path_kinds) / sizeof(*path_kinds); i++)
		if (!strncmp(path, path_kinds[i].prefix, strlen(path_kinds[i].prefix)))
			return path_kinds[i].kind;
	return DSO_UNKNOWN;
}

static bool job_checkpoint(void *context)
{
	struct dso_job *job = context;

	return loader_checkpoint(job->cache->loader);
}

/* Returns true if a worker reads the file, so this process must not. */
static bool job_is_remote(const struct dso_job *job)
{
	return job->cache->options.zygote && job->load.key.kind == DSO_FILE;
}

static void job_prepare(struct job *j)
{
	struct dso_job *job = (struct dso_job *)j;

	if (job_is_remote(job))
		load_open_file(&job->load);
	else
		load_open(&job->load);
	j->cost = load_cost(&job->load);
	j->owner = load_owner(&job->load);
	j->apart = job->cache->options.zygote &&
		   (job->load.key.kind == DSO_FILE || job->load.key.kind == DSO_JIT);
}

static void job_end(struct dso_job *job)
{
	if (job->queued)
		atomic_store(&job->dso->queued, false);
	job->queued = false;
}

static void job_drop(struct job *j)
{
	struct dso_job *job = (struct dso_job *)j;

	job_end(job);
	load_fini(&job->load);
	symtab_free(job->table);
	for (size_t i = 0; i < job->frame_count; i++)
		jitframe_free(job->frames[i]);
	free(job->frames);
	if (job->work)
		job->work->drop(job->work);
	free(job);
}

/* Takes T.  If its numbers mean other symbols than those of the last table, it gets new ids. */
static void dso_set_table(struct dso *d, struct symtab *t)
{
	uint64_t fingerprint = symtab_fingerprint(t);

	if (!symtab_continues(t, d->table) && (!fingerprint || fingerprint != d->fingerprint)) {
		d->first_id += d->ids;
		d->ids = 0;
	}
	d->fingerprint = fingerprint;
	if (symtab_count(t) > d->ids)
		d->ids = symtab_count(t);
	symtab_free(d->table);
	d->table = t;
}

/* The loader has no job that reads D. */
static void dso_count_bytes(struct dso *d)
{
	d->bytes = (d->table ? symtab_bytes(d->table) : 0) + (d->map ? jitlist_bytes(d->map) : 0) +
		   (d->dump ? jitlist_bytes(d->dump) : 0) + map_bytes(&d->frames) + d->frames_bytes;
}

static bool dso_is_droppable(struct dso *d)
{
	if (d->state != DSO_READY || atomic_load(&d->queued) || d->first_id > SYMBOL_IDS_MAX)
		return false;
	return d->key.kind == DSO_FILE || d->key.kind == DSO_JIT;
}

static void dso_drop(struct dso *d)
{
	symtab_free(d->table);
	d->table = NULL;
	jitlist_free(d->map);
	d->map = NULL;
	jitlist_free(d->dump);
	d->dump = NULL;
	frames_free(d);
	d->bytes = 0;
	d->completion_asked = d->rests = false;
	d->state = DSO_NEW;
}

/* The object unused for longest, except KEPT.  NULL if all were used after BEFORE_NS. */
static struct dso *oldest_droppable(struct dso_cache *c, const struct dso *kept, uint64_t before_ns)
{
	struct dso *oldest = NULL;

	for (size_t i = 1; i < c->count; i++) {
		struct dso *d = c->dsos[i];

		if (d == kept || !dso_is_droppable(d) || d->used_ns >= before_ns)
			continue;
		if (!oldest || d->used_ns < oldest->used_ns)
			oldest = d;
	}
	return oldest;
}

/* Uses since the last call happened at some moment until NOW; that is exact enough. */
static uint64_t dso_cache_survey(struct dso_cache *c, uint64_t now_ns)
{
	uint64_t bytes = 0;

	for (size_t i = 1; i < c->count; i++) {
		struct dso *d = c->dsos[i];

		if (d->used)
			d->used_ns = now_ns;
		d->used = false;
		bytes += d->bytes;
	}
	return bytes;
}

/* Drops others than KEPT until all take LIMIT; those that are in use beyond HARD alone. */
static void dso_cache_drop(struct dso_cache *c, const struct dso *kept, uint64_t limit,
			   uint64_t hard)
{
	uint64_t now_ns = clock_monotonic_ns(&clock_system);
	uint64_t idle_ns = now_ns > KEPT_NS ? now_ns - KEPT_NS : 0;
	uint64_t bytes = dso_cache_survey(c, now_ns);
	struct dso *d;

	while (bytes > limit &&
	       (d = oldest_droppable(c, kept, bytes > hard ? UINT64_MAX : idle_ns))) {
		bytes -= d->bytes;
		dso_drop(d);
	}
}

/* NEWEST was just loaded: only that makes the cache grow. */
static void dso_cache_trim(struct dso_cache *c, struct dso *newest)
{
	uint64_t limit = c->options.bytes_max;

	newest->used = true;
	dso_cache_drop(c, newest, limit, limit * HARD_LIMIT_FACTOR);
}

void dso_cache_shed(struct dso_cache *c, uint64_t idle_ns, uint64_t bytes)
{
	uint64_t now_ns = clock_monotonic_ns(&clock_system);
	struct dso *d;

	dso_cache_drop(c, NULL, bytes, bytes);
	while (now_ns > idle_ns && (d = oldest_droppable(c, NULL, now_ns - idle_ns)))
		dso_drop(d);
}

uint64_t dso_cache_object_bytes(const struct dso_cache *c)
{
	return c->object_bytes;
}

uint64_t dso_cache_symbol_bytes(const struct dso_cache *c)
{
	uint64_t bytes = 0;

	for (size_t i = 1; i < c->count; i++)
		bytes += c->dsos[i]->bytes;
	return bytes;
}

bool dso_rests(const struct dso_cache *c, uint32_t dso)
{
	return c->dsos[dso]->rests;
}

uint32_t dso_owner(const struct dso_cache *c, uint32_t dso)
{
	return c->dsos[dso]->owner;
}

uint32_t dso_uid(const struct dso_cache *c, uint32_t dso)
{
	return c->dsos[dso]->key.uid;
}

static struct jitframe *frame_take(struct dso *d, uint64_t start)
{
	struct jitframe *f = map_remove(&d->frames, start + 1);

	d->frames_bytes -= f ? jitframe_bytes(f) : 0;
	return f;
}

/* Code at a place where there was other code; it may be new, or moved from elsewhere. */
static void frame_adopt(struct dso *d, struct jitframe *f)
{
	struct jitframe *moved = f->from ? frame_take(d, f->from) : NULL;

	jitframe_free(frame_take(d, f->start));
	if (moved) {
		moved->start = f->start;
		moved->size = f->size;
		jitframe_free(f);
		f = moved;
	}
	if (!f->bytes_size || d->frames.count >= JITFRAMES_MAX) {
		jitframe_free(f);
		return;
	}
	map_put(&d->frames, f->start + 1, f);
	d->frames_bytes += jitframe_bytes(f);
}

static void frames_adopt(struct dso *d, struct dso_job *job)
{
	for (size_t i = 0; i < job->frame_count; i++)
		frame_adopt(d, job->frames[i]);
	job->frame_count = 0;
}

struct jitframe *dso_jitframe(const struct dso_cache *c, uint32_t number, uint64_t address)
{
	const struct dso *d = c->dsos[number];
	struct jitframe *f = NULL;
	uint32_t symbol;

	if (!d->frames.count || !d->table)
		return NULL;
	symbol = symtab_find(d->table, address);
	if (symbol != SYMBOL_NONE)
		f = map_find(&d->frames, symtab_at(d->table, symbol).start + 1);
	return f && address - f->start < f->size ? f : NULL;
}

/*
 * Its owner rests: what is known stays, and the object is asked for again.  Returns its number if samples waited for
 * it, else 0.
 */
static uint32_t dso_postpone(struct dso *d, const struct dso_job *job)
{
	const bool awaited = d->state == DSO_LOADING;

	atomic_store(&d->rest_until_ns, job->job.rest_until_ns);
	if (d->state == DSO_READY && d->key.kind == DSO_FILE) {
		d->completion_asked = false; /* it has been read, and only its debug file waits */
		return 0;
	}
	d->rests = true;
	d->missing = load_rest_text();
	if (awaited)
		d->state = DSO_FAILED;
	return awaited ? d->number : 0;
}

/*
 * Makes the result the object's.  If a JIT map cannot be read any more, the earlier symbols stay.
 */
static void dso_adopt(struct dso_cache *c, struct dso *d, struct dso_job *job)
{
	if (job->only_missing) {
		d->missing = strtab_add(c->strings, job->load.missing);
		return;
	}
	d->rests = false;
	frames_adopt(d, job);
	if (job->table || !d->table)
		d->source = strtab_add(c->strings, job->load.source);
	d->missing = strtab_add(c->strings, job->load.missing);
	d->skipped = job->load.skipped;
	d->refused = job->refused;
	d->build_id = job->load.outcome.build_id;
	if (job->table) {
		dso_set_table(d, job->table);
		job->table = NULL;
	}
	d->state = d->table ? DSO_READY : DSO_FAILED;
	dso_count_bytes(d);
	dso_cache_trim(c, d);
}

/* Once a dump was read it is the only source; without a dump it is the map. */
static void job_read_jit(struct dso_job *job)
{
	const struct jit_reading how = { job->cache->maps, job->cache->options.make_frames };
	struct dso *d = job->dso;

	if (job->load.dump.path) {
		if (!d->dump)
			d->dump = jitlist_new(JIT_DUMP);
		job->table = jitlist_read(d->dump, &job->load, &how, &job->refused);
		job->frames = jitlist_take_frames(d->dump, &job->frame_count);
		if (jitlist_has_code(d->dump) || job->refused)
			return;
		symtab_free(job->table);
	}
	if (!d->map)
		d->map = jitlist_new(JIT_MAP);
	job->table = jitlist_read(d->map, &job->load, &how, &job->refused);
}

/* An unchanged object is no news. */
static bool job_run_jit(struct dso_job *job)
{
	struct dso *d = job->dso;
	uint64_t begun = clock_monotonic_ns(&clock_system), now, rest;

	job_read_jit(job);
	now = clock_monotonic_ns(&clock_system);
	/* Objects of others, read meanwhile, cost this map no rest. */
	rest = (now - begun - loader_nested_ns(job->cache->loader)) * JIT_REST_FACTOR;
	atomic_store(&d->rest_until_ns, now + (rest > JIT_REST_MIN_NS ? rest : JIT_REST_MIN_NS));
	return job->table || job->first || job->refused;
}

static bool job_run_work(struct dso_job *job)
{
	job->work->run(job->work, &job->load);
	job->job.cpu_ns = job->load.cpu_ns;
	load_fini(&job->load);
	return true;
}

static bool job_run(struct job *j)
{
	struct dso_job *job = (struct dso_job *)j;
	bool news = true;

	if (job->work)
		return job_run_work(job);
	if (job->only_missing)
		return true;
	if (job->load.key.kind == DSO_JIT)
		news = job_run_jit(job);
	else if (job_is_remote(job))
		job->table = load_run_in_worker(&job->load, job->cache->readers, &job->refused);
	else
		job->table = load_run(&job->load);
	j->cpu_ns = job->load.cpu_ns;
	load_fini(&job->load);
	return news;
}

bool dso_may_grow(const struct dso_cache *c, uint32_t number)
{
	const struct dso *d = c->dsos[number];

	return d->key.kind == DSO_JIT || d->rests ||
	       (d->key.kind == DSO_KERNEL && d->state == DSO_READY && *c->options.modules);
}

/* A list that could not be read before cannot be read now. */
static bool modules_changed(const struct dso_cache *c, struct dso *d, uint64_t now_ns)
{
	uint64_t before = d->modules;
	bool changed;

	d->modules = kernel_modules_mark(c->options.modules);
	changed = d->modules != before;
	atomic_store(&d->rest_until_ns, now_ns + (changed ? KERNEL_REST_NS : MODULES_REST_NS));
	return changed;
}

static bool dso_wants_loading(const struct dso_cache *c, struct dso *d)
{
	uint64_t now_ns;

	if (atomic_load(&d->queued))
		return false;
	if (d->state == DSO_NEW && d->key.kind == DSO_KERNEL && *c->options.modules)
		d->modules = kernel_modules_mark(c->options.modules);
	if (d->state == DSO_NEW)
		return true;
	if (!dso_may_grow(c, d->number))
		return false;
	now_ns = clock_monotonic_ns(&clock_system);
	if (now_ns < atomic_load(&d->rest_until_ns))
		return false;
	return d->key.kind != DSO_KERNEL || modules_changed(c, d, now_ns);
}

static void job_done_work(struct dso_job *job)
{
	struct dso_work *work = job->work;

	job->work = NULL;
	work->rest_until_ns = job->job.rest_until_ns;
	work->done(work);
}

/* Returns the number of an object with news, else 0. */
static uint32_t dso_take_object(struct dso_cache *c, struct dso_job *job)
{
	if (job->job.rest_until_ns)
		return dso_postpone(job->dso, job);
	dso_adopt(c, job->dso, job);
	return job->dso->number;
}

/*
 * Takes finished jobs up to one that loaded an object, and returns its number; 0 if there is none.
 */
static uint32_t dso_take(struct dso_cache *c)
{
	struct job *j;
	uint32_t number = 0;

	while (!number && (j = loader_take(c->loader))) {
		struct dso_job *job = (struct dso_job *)j;

		job->dso->owner = j->owner;
		if (job->work) {
			job_done_work(job);
		} else {
			job_end(job);
			number = dso_take_object(c, job);
		}
		j->drop(j);
	}
	return number;
}

static void dso_take_at_once(struct dso_cache *c)
{
	uint32_t number = dso_take(c);

	if (!number)
		return;
	mem_grow((void **)&c->told, &c->told_capacity, c->told_count + 1, sizeof(*c->told));
	c->told[c->told_count++] = number;
}

static struct dso_job *job_new(struct dso_cache *c, struct dso *d)
{
	struct dso_job *job = mem_alloc(sizeof(*job));

	job->job = (struct job){
		.owner = d->owner, .prepare = job_prepare, .run = job_run, .drop = job_drop
	};
	job->cache = c;
	job->dso = d;
	job->load = (struct load){
		.key = d->key,
		.dump = d->jitdump,
		.proc_root = c->options.proc_root,
		.debug_root = c->options.debug_root,
		.kallsyms = c->options.kallsyms,
		.recorded = c->options.recorded,
		.checkpoint = job_checkpoint,
		.context = job,
	};
	return job;
}

/* A job that reads the object itself; no other one does so at the same time. */
static struct dso_job *job_begin(struct dso_cache *c, struct dso *d)
{
	struct dso_job *job = job_new(c, d);

	atomic_store(&d->queued, true);
	job->queued = true;
	return job;
}

void dso_request(struct dso_cache *c, uint32_t number)
{
	struct dso *d = c->dsos[number];
	struct dso_job *job;

	if (d->key.kind >= DSO_FOREIGN || !dso_wants_loading(c, d))
		return;
	job = job_begin(c, d);
	job->first = d->state == DSO_NEW || d->rests;
	if (d->state == DSO_NEW)
		d->state = DSO_LOADING;
	loader_submit(c->loader, &job->job);
	if (c->options.synchronous)
		dso_take_at_once(c);
}

static void fetch_prepare(struct job *j)
{
	j->cost = 1;
}

static bool fetch_checkpoint(void *context)
{
	return loader_checkpoint(((struct fetch_job *)context)->load->cache->fetcher);
}

/* Returns true if the file is there and belongs to that object. */
static bool fetch_file(struct fetch_job *fetch)
{
	const struct fetch_request request = {
		.build_id = fetch->build_id,
		.checkpoint = fetch_checkpoint,
		.context = fetch,
	};
	struct load *load = &fetch->load->load;
	struct error err = { { 0 } };
	struct build_id id = { .size = 0 };
	int fd = fetch->build_id.size ? fetch_debug_file(&request, &err) : -1;

	load->fetched = fd >= 0 ? object_new(fd) : NULL;
	if (load->fetched)
		id = object_build_id(load->fetched);
	if (id.size && build_id_equal(&id, &fetch->build_id))
		return true;
	if (err.text[0])
		load_missing_more(load, err.text);
	return false;
}

static void name_package(struct fetch_job *fetch)
{
	struct load *load = &fetch->load->load;
	char *package, *advice;

	load->checkpoint = fetch_checkpoint;
	load->context = fetch;
	package = package_for_debugging(load, &fetch->build_id);
	load->checkpoint = NULL;
	if (!package)
		return;
	advice = mem_printf(_("install %s: %s"), package, load->missing);
	load_missing(load, "%s", advice);
	mem_free(advice, package);
}

static void complete(struct fetch_job *fetch)
{
	struct dso_job *load = fetch->load;

	if (load->cache->options.fetch && fetch_file(fetch)) {
		load->load.missing[0] = '\0';
		return;
	}
	name_package(fetch);
	load->only_missing = load->job.urgent = true; /* nothing is read */
}

static bool fetch_run(struct job *j)
{
	struct fetch_job *fetch = (struct fetch_job *)j;
	struct dso_job *load = fetch->load;

	complete(fetch);
	fetch->load = NULL;
	loader_submit(load->cache->loader, &load->job);
	return false;
}

static void fetch_drop(struct job *j)
{
	struct fetch_job *fetch = (struct fetch_job *)j;

	if (fetch->load)
		job_drop(&fetch->load->job);
	free(fetch);
}

static bool dso_wants_completion(struct dso *d)
{
	return d->key.kind == DSO_FILE && d->state == DSO_READY && *d->missing &&
	       !d->completion_asked && !atomic_load(&d->queued) &&
	       clock_monotonic_ns(&clock_system) >= atomic_load(&d->rest_until_ns);
}

void dso_complete(struct dso_cache *c, uint32_t number)
{
	struct dso *d = c->dsos[number];
	struct fetch_job *fetch;

	if (!c->options.complete || !dso_wants_completion(d))
		return;
	d->completion_asked = true;
	fetch = mem_alloc(sizeof(*fetch));
	fetch->job = (struct job){ .prepare = fetch_prepare, .run = fetch_run, .drop = fetch_drop };
	fetch->load = job_begin(c, d);
	load_missing(&fetch->load->load, "%s", d->missing);
	fetch->build_id = d->build_id;
	if (!c->fetcher)
		c->fetcher = loader_new(!c->options.synchronous, NULL, &clock_system);
	loader_submit(c->fetcher, &fetch->job);
	if (c->options.synchronous)
		dso_take_at_once(c);
}

uint64_t dso_cache_cpu_ns(const struct dso_cache *c)
{
	return loader_cpu_ns(c->loader);
}

bool dso_cache_completes(const struct dso_cache *c)
{
	return c->options.complete;
}

void dso_submit(struct dso_cache *c, uint32_t number, struct dso_work *w)
{
	struct dso_job *job = job_new(c, c->dsos[number]);

	job->work = w;
	loader_submit(c->loader, &job->job);
	if (c->options.synchronous)
		dso_take_at_once(c);
}

uint32_t dso_cache_loaded(struct dso_cache *c)
{
	return c->told_count ? c->told[--c->told_count] : dso_take(c);
}

void dso_set_jitdump(struct dso_cache *c, uint32_t dso, const struct dso_key *file)
{
	struct dso *d = c->dsos[dso];

	d->jitdump = *file;
	d->jitdump.kind = DSO_FILE;
	d->jitdump.path = strtab_add(c->strings, file->path);
}

static struct dso *bpf_object(struct dso_cache *c)
{
	uint32_t number = dso_cache_get(c, &(struct dso_key){ .kind = DSO_BPF });

	return c->dsos[number];
}

void dso_kernel_symbol(struct dso_cache *c, const struct dso_kernel_symbol *s)
{
	if (!c->ksymbols)
		c->ksymbols = ksymbols_new();
	if (s->gone)
		ksymbols_remove(c->ksymbols, s->address);
	else
		ksymbols_add(c->ksymbols, s->address, s->size, s->name);
}

static void bpf_renew(struct dso *d, struct ksymbols *k)
{
	dso_set_table(d, ksymbols_table(k));
	d->source = named_by_word(NAMED_BY_KERNEL);
	d->state = DSO_READY;
	dso_count_bytes(d);
}

uint32_t dso_kernel_symbol_at(struct dso_cache *c, uint64_t address)
{
	struct dso *d;

	if (!c->ksymbols)
		return 0;
	d = bpf_object(c);
	if (ksymbols_changed(c->ksymbols))
		bpf_renew(d, c->ksymbols);
	return d->table && symtab_find(d->table, address) != SYMBOL_NONE ? d->number : 0;
}

enum dso_state dso_state(const struct dso_cache *c, uint32_t dso)
{
	return c->dsos[dso]->state;
}

enum dso_kind dso_kind(const struct dso_cache *c, uint32_t dso)
{
	return c->dsos[dso]->key.kind;
}

const char *dso_path(const struct dso_cache *c, uint32_t dso)
{
	return c->dsos[dso]->path;
}

const char *dso_name(const struct dso_cache *c, uint32_t dso)
{
	return c->dsos[dso]->name;
}

const char *dso_text(struct dso_cache *c, const char *text)
{
	return strtab_add(c->strings, text);
}

const struct symtab *dso_symtab(const struct dso_cache *c, uint32_t dso)
{
	struct dso *d = c->dsos[dso];

	d->used = true;
	return d->table;
}

uint32_t dso_symbol_id(const struct dso_cache *c, uint32_t dso, uint32_t symbol)
{
	return c->dsos[dso]->first_id + symbol;
}

const char *dso_symbol_source(const struct dso_cache *c, uint32_t dso)
{
	return c->dsos[dso]->source;
}

const char *dso_missing(const struct dso_cache *c, uint32_t dso)
{
	return c->dsos[dso]->missing;
}

void dso_set_missing(struct dso_cache *c, uint32_t dso, enum dso_part part, const char *text)
{
	if (*text)
		c->dsos[dso]->missing_parts[part] = strtab_add(c->strings, text);
}

void dso_clear_missing(struct dso_cache *c, uint32_t dso, enum dso_part part)
{
	c->dsos[dso]->missing_parts[part] = "";
}

const struct build_id *dso_build_id(const struct dso_cache *c, uint32_t dso)
{
	return &c->dsos[dso]->build_id;
}

void dso_describe(const struct dso_cache *c, uint32_t number, struct dso_description *out)
{
	const struct dso *d = c->dsos[number];

	*out = (struct dso_description){
		.key = d->key,
		.dump = d->jitdump,
		.number = number,
		.state = d->state,
		.path = d->path,
		.name = d->name,
		.source = d->source,
		.missing = d->missing,
		.build_id = d->build_id.size ? d->build_id : d->key.build_id,
		.left_out = d->skipped,
	};
	memcpy(out->missing_parts, d->missing_parts, sizeof(out->missing_parts));
	if (!d->table)
		return;
	out->symbols = symtab_count(d->table);
	out->left_out += symtab_dropped(d->table);
	out->bytes = symtab_bytes(d->table); /* a JIT map may be in the loader's hands now */
}

int dso_cache_fd(const struct dso_cache *c)
{
	return loader_fd(c->loader);
}

size_t dso_cache_count(const struct dso_cache *c)
{
	return c->count - 1;
}

uint32_t dso_cache_next(const struct dso_cache *c, uint32_t previous)
{
	return previous + 1 < c->count ? previous + 1 : 0;
}
