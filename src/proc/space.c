/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "proc/space.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/scanner.h"
#include "base/text-pool.h"

/*
 * Mappings in address order, with the free room as a gap where the last change was.  A program maps
 * its libraries downwards, one below the other, and /proc lists them upwards: neither moves
 * anything.  The spaces that a fork made share this until one of them changes.
 */
struct mapping_array {
	struct space_store *store; /* NULL: the paths are others' */
	size_t users;
	size_t count, capacity;
	size_t gap; /* the gap is before the mapping of this index */
	struct mapping items[];
};

struct space_store {
	struct text_pool *paths;
	size_t bytes, bytes_max; /* of the arrays, without the paths */
	uint64_t refused;
};

struct space {
	struct space_store *store;
	struct mapping_array *array; /* NULL: empty */
	size_t hit;                  /* index of the last mapping found */
	uint64_t generation;
	uint64_t refused;
};

#define FIRST_CAPACITY 16

static struct mapping *array_at(struct mapping_array *a, size_t i)
{
	return &a->items[i < a->gap ? i : i + (a->capacity - a->count)];
}

struct space_store *space_store_new(size_t bytes_max)
{
	struct space_store *s = mem_alloc(sizeof(*s));

	s->paths = text_pool_new();
	s->bytes_max = bytes_max;
	return s;
}

void space_store_free(struct space_store *s)
{
	if (!s)
		return;
	text_pool_free(s->paths);
	free(s);
}

size_t space_store_bytes(const struct space_store *s)
{
	return s->bytes + text_pool_bytes(s->paths);
}

size_t space_store_most(const struct space_store *s)
{
	return s->bytes_max;
}

uint64_t space_store_refused(const struct space_store *s)
{
	return s->refused;
}

static size_t array_bytes(const struct mapping_array *a)
{
	return sizeof(*a) + a->capacity * sizeof(a->items[0]);
}

static struct mapping_array *array_new(struct space_store *store, size_t capacity)
{
	struct mapping_array *a;

	a = mem_alloc(sizeof(*a) + capacity * sizeof(a->items[0]));
	a->store = store;
	a->users = 1;
	a->capacity = capacity;
	if (store)
		store->bytes += array_bytes(a);
	return a;
}

static void path_hold(const struct mapping_array *a, const struct mapping *m)
{
	if (a->store)
		text_pool_hold(m->path);
}

static void path_drop(const struct mapping_array *a, const struct mapping *m)
{
	if (a->store)
		text_pool_drop(a->store->paths, m->path);
}

static void array_put(struct mapping_array *a)
{
	if (!a || --a->users)
		return;
	for (size_t i = 0; i < a->count; i++)
		path_drop(a, array_at(a, i));
	if (a->store)
		a->store->bytes -= array_bytes(a);
	free(a);
}

static struct mapping_array *array_copy(struct mapping_array *from, size_t capacity)
{
	struct mapping_array *a = array_new(from->store, capacity);
	size_t behind = from->count - from->gap;

	a->count = from->count;
	a->gap = from->gap;
	memcpy(a->items, from->items, from->gap * sizeof(a->items[0]));
	memcpy(a->items + capacity - behind, from->items + from->capacity - behind,
	       behind * sizeof(a->items[0]));
	for (size_t i = 0; i < a->count; i++)
		path_hold(a, array_at(a, i));
	return a;
}

static void array_move_gap(struct mapping_array *a, size_t to)
{
	size_t free_room = a->capacity - a->count;

	if (to < a->gap)
		memmove(a->items + to + free_room, a->items + to,
			(a->gap - to) * sizeof(a->items[0]));
	else
		memmove(a->items + a->gap, a->items + a->gap + free_room,
			(to - a->gap) * sizeof(a->items[0]));
	a->gap = to;
}

/* Index of the first mapping that ends behind ADDRESS: it holds ADDRESS or is the next. */
static size_t array_search(struct mapping_array *a, uint64_t address)
{
	size_t low = 0, high = a ? a->count : 0;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (array_at(a, middle)->end <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

struct space *space_new(struct space_store *store)
{
	struct space *s = mem_alloc(sizeof(*s));

	s->store = store;
	return s;
}

void space_free(struct space *s)
{
	if (!s)
		return;
	array_put(s->array);
	free(s);
}

struct space *space_copy(struct space *s)
{
	struct space *copy = mem_alloc(sizeof(*copy));

	*copy = *s;
	if (copy->array)
		copy->array->users++;
	return copy;
}

void space_clear(struct space *s)
{
	array_put(s->array);
	s->array = NULL;
	s->hit = 0;
	s->generation++;
}

/* Makes the array S's own, with room for two more mappings. */
static struct mapping_array *space_own(struct space *s)
{
	struct mapping_array *a = s->array;
	size_t capacity;

	if (!a)
		return (s->array = array_new(s->store, FIRST_CAPACITY));
	if (a->users == 1 && a->capacity - a->count >= 2)
		return a;
	capacity = a->capacity - a->count >= 2 ? a->capacity : a->capacity * 2;
	s->array = array_copy(a, capacity);
	array_put(a);
	return s->array;
}

static void mapping_trim_front(struct mapping *m, uint64_t start)
{
	m->pgoff += start - m->start;
	m->start = start;
}

/* Removes [START, END) from the mappings; the gap ends up at the place for a mapping at START. */
static void array_cut(struct mapping_array *a, uint64_t start, uint64_t end)
{
	size_t i = array_search(a, start);
	struct mapping *m;

	array_move_gap(a, i);
	m = i < a->count ? array_at(a, i) : NULL;
	if (m && m->start < start) { /* its front remains */
		a->items[a->gap] = *m;
		a->items[a->gap].end = start;
		if (m->end > end) { /* and its back, too */
			path_hold(a, m);
			a->count++;
		}
		a->gap++;
		m = a->gap < a->count ? array_at(a, a->gap) : NULL;
	}
	while (m && m->end <= end) {
		path_drop(a, m);
		a->count--;
		m = a->gap < a->count ? array_at(a, a->gap) : NULL;
	}
	if (m && m->start < end)
		mapping_trim_front(m, end);
}

/* Returns true if S may have one mapping more; else counts it. */
static bool space_has_room(struct space *s)
{
	if (s->store && space_store_bytes(s->store) >= s->store->bytes_max)
		s->store->refused++;
	else if (!s->array || s->array->count < SPACE_LIMIT)
		return true;
	s->refused++;
	return false;
}

void space_insert(struct space *s, const struct mapping *m)
{
	struct mapping_array *a;
	struct mapping own = *m;

	if (m->start >= m->end || !space_has_room(s))
		return;
	if (s->store)
		own.path = text_pool_take(s->store->paths, m->path);
	a = space_own(s);
	array_cut(a, m->start, m->end);
	a->items[a->gap++] = own;
	a->count++;
	s->generation++;
}

struct mapping *space_find(struct space *s, uint64_t address)
{
	struct mapping_array *a = s->array;
	struct mapping *m;

	if (!a)
		return NULL;
	if (s->hit < a->count) {
		m = array_at(a, s->hit);
		if (address >= m->start && address < m->end)
			return m;
	}
	s->hit = array_search(a, address);
	if (s->hit == a->count)
		return NULL;
	m = array_at(a, s->hit);
	return address >= m->start ? m : NULL;
}

uint64_t space_generation(const struct space *s)
{
	return s->generation;
}

uint64_t space_refused(const struct space *s)
{
	return s->refused;
}

size_t space_bytes(const struct space *s)
{
	return s->array ? array_bytes(s->array) : 0;
}

size_t space_count(const struct space *s)
{
	return s->array ? s->array->count : 0;
}

struct mapping *space_at(struct space *s, size_t i)
{
	return array_at(s->array, i);
}

#define MAPS_PATH_BYTES 4352 /* PATH_MAX and " (deleted)", escapes included */

/* "r-xp": selects the executable ones. */
static bool maps_permissions(struct scanner *line, bool *executable)
{
	if (line->end - line->at < 5 || line->at[4] != ' ')
		return false;
	*executable = line->at[2] == 'x';
	line->at += 5;
	return true;
}

/* Reads everything before the path. */
static bool maps_numbers(struct scanner *line, struct mapping *m, bool *executable)
{
	uint64_t major, minor;

	if (!scanner_hex(line, &m->start) || !scanner_char(line, '-') ||
	    !scanner_hex(line, &m->end) || !scanner_char(line, ' ') || m->start >= m->end)
		return false;
	if (!maps_permissions(line, executable) || !scanner_hex(line, &m->pgoff) ||
	    !scanner_char(line, ' '))
		return false;
	if (!scanner_hex(line, &major) || !scanner_char(line, ':') || !scanner_hex(line, &minor) ||
	    !scanner_u64(line, &m->inode))
		return false;
	m->major = (uint32_t)major;
	m->minor = (uint32_t)minor;
	return true;
}

/* Reads the path, absolute or in brackets; the blanks before it only align it. */
static bool maps_path(struct scanner *line, char path[MAPS_PATH_BYTES])
{
	size_t length;

	scanner_blanks(line);
	length = (size_t)(line->end - line->at);
	if (length >= MAPS_PATH_BYTES || memchr(line->at, '\0', length))
		return false;
	if (!length)
		memcpy(path, "//anon", sizeof("//anon"));
	else
		*(char *)mempcpy(path, line->at, length) = '\0';
	return true;
}

size_t maps_parse(const char *text, size_t size, bool all, maps_receiver *add, void *context)
{
	struct scanner s = scanner_of(text, size), line;
	char path[MAPS_PATH_BYTES];
	size_t skipped = 0;

	while (scanner_line(&s, &line)) {
		struct mapping m = { .path = path };
		bool executable;

		if (!maps_numbers(&line, &m, &executable)) {
			skipped++;
			continue;
		}
		if (!executable && !all)
			continue;
		if (maps_path(&line, path))
			add(context, &m);
		else
			skipped++;
	}
	return skipped;
}
