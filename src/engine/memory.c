/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "base/sync.h"
#include "base/time-share.h"

#define BURST_NS (100 * 1000000ull) /* of CPU: first readings may owe so much */
#define MAPPINGS_MAX (1u << 20)     /* then the reading ends: -E2BIG */
#define OTHERS "[others]"

/* The names of one process, in the order in which they came; others choose them. */
struct names {
	uint64_t seed;
	struct map rows; /* the hash of a path, or the next free number, to its number + 1 */
	struct name {
		char *path; /* owned */
		uint64_t count;
		struct smaps_usage usage;
	} * items;
	size_t count, capacity;
	uint64_t mappings, merged;
};

struct wish {
	struct memory_wish of;
	struct memory_answer answer;
};

struct memory {
	const struct procfs *procfs;
	const struct clock *clock;
	pthread_t thread;
	bool runs;

	pthread_mutex_t lock; /* of what follows; not held while something is read */
	pthread_cond_t changed;
	struct wish *wishes;
	size_t count;
	bool mappings; /* of the first wish */
	bool stop;
	uint64_t generation; /* grows when what is being read may be of another program */
	struct time_share rollup, smaps; /* one a kind of file, for all processes */
	struct names *names;             /* of the process in the next two; or NULL */
	uint32_t named;                  /* serial */
	struct memory_answer named_answer;
};

static void names_free(struct names *n)
{
	if (!n)
		return;
	for (size_t i = 0; i < n->count; i++)
		free(n->items[i].path);
	map_fini(&n->rows);
	free(n->items);
	free(n);
}

static struct names *names_new(void)
{
	struct names *n = mem_alloc(sizeof(*n));

	if (getrandom(&n->seed, sizeof(n->seed), GRND_NONBLOCK) < 0)
		n->seed = 0;
	return n;
}

/* NULL when it is not there and not to be made. */
static struct name *name_find(struct names *n, const char *path, bool make)
{
	uint64_t key = hash_bytes_seeded(n->seed, path, strlen(path));
	uintptr_t number;

	for (; (number = (uintptr_t)map_find(&n->rows, key)); key++) {
		if (!strcmp(n->items[number - 1].path, path))
			return &n->items[number - 1];
	}
	if (!make)
		return NULL;
	mem_grow((void **)&n->items, &n->capacity, n->count + 1, sizeof(*n->items));
	n->items[n->count++] = (struct name){ .path = mem_strdup(path), .usage = smaps_unknown };
	map_put(&n->rows, key, (void *)(uintptr_t)n->count);
	return &n->items[n->count - 1];
}

static struct name *name_of(struct names *n, const char *path)
{
	struct name *name = name_find(n, path, n->count < MEMORY_NAMES);

	if (name)
		return name;
	n->merged++;
	return name_find(n, OTHERS, true);
}

static uint64_t cpu_ns(void)
{
	struct timespec t;

	if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t))
		return 0;
	return (uint64_t)t.tv_sec * NS_PER_S + (uint64_t)t.tv_nsec;
}

/* The thread. */

struct reading {
	struct memory *memory;
	struct names *names;
};

static void add_mapping(void *context, const struct mapping *m, const struct smaps_usage *usage)
{
	struct reading *r = context;
	struct name *name = name_of(r->names, m->path);

	r->names->mappings++;
	name->count++;
	smaps_usage_add(&name->usage, usage);
}

static bool goes_on(void *context)
{
	struct reading *r = context;
	bool stop;

	pthread_mutex_lock(&r->memory->lock);
	stop = r->memory->stop;
	pthread_mutex_unlock(&r->memory->lock);
	return !stop && r->names->mappings < MAPPINGS_MAX;
}

static struct wish *find_wish(struct memory *m, uint32_t serial)
{
	for (size_t i = 0; i < m->count; i++) {
		if (m->wishes[i].of.serial == serial)
			return &m->wishes[i];
	}
	return NULL;
}

/* When that file of that process is due: a first reading may run into debt. */
static uint64_t due_ns(const struct time_share *share, const struct memory_answer *a, bool first)
{
	uint64_t next;

	if (!a->read_ns)
		return first ? 0 : time_share_due(share, BURST_NS, MEMORY_REST);
	next = a->read_ns + MEMORY_INTERVAL_NS;
	return next > share->free_ns ? next : share->free_ns;
}

/* The wish whose smaps_rollup is due first. */
static struct wish *next_rollup(struct memory *m, uint64_t *due)
{
	struct wish *next = NULL;

	for (size_t i = 0; i < m->count; i++) {
		uint64_t at = due_ns(&m->rollup, &m->wishes[i].answer, !i);

		if (next && (at > *due ||
			     (at == *due && m->wishes[i].answer.read_ns >= next->answer.read_ns)))
			continue;
		next = &m->wishes[i];
		*due = at;
	}
	return next;
}

static bool names_due(const struct memory *m, uint64_t *due)
{
	const struct memory_answer none = { .read_ns = 0 };
	bool same;

	if (!m->mappings || !m->count)
		return false;
	same = m->named == m->wishes[0].of.serial;
	*due = due_ns(&m->smaps, same ? &m->named_answer : &none, true);
	return true;
}

/* With the lock, which is not held while the file is read. */
static void read_rollup(struct memory *m, struct memory_wish of)
{
	struct memory_answer a = { .usage = smaps_unknown };
	uint64_t cost = cpu_ns(), generation = m->generation;
	struct wish *w;

	pthread_mutex_unlock(&m->lock);
	a.error = smaps_rollup_read(m->procfs, of.pid, &a.usage);
	cost = cpu_ns() - cost;
	a.read_ns = clock_monotonic_ns(m->clock);
	pthread_mutex_lock(&m->lock);
	time_share_charge(&m->rollup, a.read_ns, cost, MEMORY_REST);
	w = find_wish(m, of.serial);
	if (w && generation == m->generation)
		w->answer = a;
}

static void read_names(struct memory *m, struct memory_wish of)
{
	struct reading r = { .memory = m, .names = names_new() };
	struct smaps_parser parser = { .receive = add_mapping, .context = &r };
	struct memory_answer a = { .usage = smaps_unknown };
	uint64_t cost = cpu_ns(), generation = m->generation;

	pthread_mutex_unlock(&m->lock);
	a.error = smaps_read(m->procfs, of.pid, &parser, goes_on);
	if (r.names->mappings >= MAPPINGS_MAX)
		a.error = -E2BIG;
	for (size_t i = 0; i < r.names->count; i++)
		smaps_usage_add(&a.usage, &r.names->items[i].usage);
	a.merged = r.names->merged;
	cost = cpu_ns() - cost;
	a.read_ns = clock_monotonic_ns(m->clock);
	pthread_mutex_lock(&m->lock);
	time_share_charge(&m->smaps, a.read_ns, cost, MEMORY_REST);
	if (generation != m->generation) { /* forgotten meanwhile */
		names_free(r.names);
		return;
	}
	names_free(m->names);
	m->names = r.names;
	m->named = of.serial;
	m->named_answer = a;
}

/* With the lock: does what is due, or says in *DUE when something will be; UINT64_MAX never. */
static bool work(struct memory *m, uint64_t *due)
{
	uint64_t now = clock_monotonic_ns(m->clock), rollup_due = UINT64_MAX;
	const struct wish *w = next_rollup(m, &rollup_due);

	if (!names_due(m, due))
		*due = UINT64_MAX;
	if (w && rollup_due <= now && (rollup_due <= *due || *due > now)) {
		read_rollup(m, w->of);
		return true;
	}
	if (*due <= now) {
		read_names(m, m->wishes[0].of);
		return true;
	}
	if (rollup_due < *due)
		*due = rollup_due;
	return false;
}

static void *run(void *context)
{
	struct memory *m = context;
	uint64_t due;

	pthread_mutex_lock(&m->lock);
	while (!m->stop) {
		if (!work(m, &due))
			sync_wait(&m->lock, &m->changed, due);
	}
	pthread_mutex_unlock(&m->lock);
	return NULL;
}

/* The owner. */

struct memory *memory_new(const struct procfs *procfs, const struct clock *clock)
{
	struct memory *m = mem_alloc(sizeof(*m));

	m->procfs = procfs;
	m->clock = clock;
	sync_init(&m->lock, &m->changed);
	m->runs = !sync_start(&m->thread, run, m);
	return m;
}

void memory_free(struct memory *m)
{
	if (!m)
		return;
	pthread_mutex_lock(&m->lock);
	m->stop = true;
	pthread_cond_broadcast(&m->changed);
	pthread_mutex_unlock(&m->lock);
	if (m->runs)
		pthread_join(m->thread, NULL);
	sync_fini(&m->lock, &m->changed);
	names_free(m->names);
	free(m->wishes);
	free(m);
}

void memory_want(struct memory *m, const struct memory_wish *wishes, size_t count, bool mappings)
{
	struct wish *now = mem_array(count, sizeof(*now));

	pthread_mutex_lock(&m->lock);
	for (size_t i = 0; i < count; i++) {
		const struct wish *before = find_wish(m, wishes[i].serial);

		now[i].answer.usage = smaps_unknown;
		if (before)
			now[i] = *before;
		now[i].of = wishes[i];
	}
	free(m->wishes);
	m->wishes = now;
	m->count = count;
	m->mappings = mappings;
	pthread_cond_broadcast(&m->changed);
	pthread_mutex_unlock(&m->lock);
}

void memory_forget(struct memory *m, uint32_t serial)
{
	struct wish *w;

	pthread_mutex_lock(&m->lock);
	w = find_wish(m, serial);
	if (w) {
		w->answer = (struct memory_answer){ .usage = smaps_unknown };
		m->generation++;
	}
	if (m->named == serial) {
		names_free(m->names);
		m->names = NULL;
		m->named = 0;
	}
	pthread_cond_broadcast(&m->changed);
	pthread_mutex_unlock(&m->lock);
}

bool memory_find(struct memory *m, uint32_t serial, struct memory_answer *out)
{
	const struct wish *w;

	pthread_mutex_lock(&m->lock);
	w = find_wish(m, serial);
	if (w)
		*out = w->answer;
	pthread_mutex_unlock(&m->lock);
	return w;
}

bool memory_mappings(struct memory *m, uint32_t serial, memory_receiver *receive, void *context,
		     struct memory_answer *out)
{
	bool wanted;

	*out = (struct memory_answer){ .usage = smaps_unknown };
	pthread_mutex_lock(&m->lock);
	wanted = m->mappings && m->count && m->wishes[0].of.serial == serial;
	if (wanted && m->names && m->named == serial) {
		*out = m->named_answer;
		for (size_t i = 0; i < m->names->count && !out->error; i++) {
			const struct name *n = &m->names->items[i];

			receive(context, n->path, n->count, &n->usage);
		}
	}
	pthread_mutex_unlock(&m->lock);
	return wanted;
}
