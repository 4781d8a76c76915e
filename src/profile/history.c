/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/history.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/index.h"
#include "profile/frame.h"

#define SLICES_MIN 16
#define BYTES_MIN (256u * 1024)
#define KEYS_MIN 4096    /* fewer are not worth looking for unused ones */
#define SLICES_PAIRED 64 /* with fewer there is no merging in pairs for room */
/* Such a part of the bytes is free when room was made; as large a part of the slices becomes coarser at once. */
#define ROOM_PART 8
#define SPARE_PART 4 /* of the keys there may be more before their array grows */

/* Each keeps less of a sample than the one before. */
enum detail { DETAIL_ALL, DETAIL_PROCESSES, DETAIL_EVENTS };

/* The samples of one key in one slice.  A slice but the newest may have several of a key. */
struct entry {
	uint32_t key; /* number in `known` */
	uint32_t samples;
	uint64_t period;
};

struct slice {
	uint64_t from_ns, to_ns;
	uint32_t serial; /* grows; what `last` of keys refers to */
	enum detail detail;
	struct entry *entries;
	size_t count, capacity;
	uint64_t *samples; /* by event */
	size_t events;
};

struct known {
	struct cell_key key;
	uint32_t last;  /* serial of the newest slice that has it, or had when it was new */
	uint32_t entry; /* its number there */
};

/* Keys lie densely in `known`; `index` is as the histogram's. */
struct history {
	struct history_options options;
	uint64_t width_ns;
	struct slice *slices; /* by time, without overlap */
	size_t count, capacity;
	uint32_t serial;
	struct known *known;
	size_t known_count, known_capacity;
	size_t kept; /* keys in use when that was last looked at */
	struct index index;
	size_t entries; /* of all slices */
	uint64_t merged;
};

struct history *history_new(const struct history_options *options)
{
	struct history *h = mem_alloc(sizeof(*h));

	h->options = *options;
	if (h->options.slices < SLICES_MIN)
		h->options.slices = SLICES_MIN;
	if (h->options.bytes < BYTES_MIN)
		h->options.bytes = BYTES_MIN;
	h->width_ns = options->width_ns ? options->width_ns : 1;
	index_reset(&h->index, 0);
	return h;
}

static void slice_fini(struct history *h, struct slice *s)
{
	h->entries -= s->count;
	free(s->entries);
	free(s->samples);
}

void history_zero(struct history *h)
{
	for (size_t i = 0; i < h->count; i++)
		slice_fini(h, &h->slices[i]);
	h->count = h->known_count = h->kept = 0;
	index_clear(&h->index);
}

void history_free(struct history *h)
{
	if (!h)
		return;
	history_zero(h);
	free(h->slices);
	free(h->known);
	index_fini(&h->index);
	free(h);
}

/* Keys. */

static struct index_place place_of(const struct history *h, const struct cell_key *key)
{
	struct index_place at = index_first(&h->index, cell_key_hash(key));

	while (at.number && !cell_key_equal(&h->known[at.number - 1].key, key))
		index_next(&h->index, &at);
	return at;
}

static void index_fill(struct history *h)
{
	for (size_t i = 0; i < h->known_count; i++)
		index_enter_new(&h->index, cell_key_hash(&h->known[i].key), (uint32_t)i + 1);
}

/* Room for the keys and some more, and for no more than that.  Without memory all stays as it is. */
static void keys_fit(struct history *h)
{
	size_t capacity = h->known_count + h->known_count / SPARE_PART + 64;
	struct known *fit = realloc(h->known, capacity * sizeof(*fit));

	if (!fit)
		return;
	h->known = fit;
	h->known_capacity = capacity;
}

/* KEY's number, made when new. */
static uint32_t known_number(struct history *h, const struct cell_key *key)
{
	uint32_t number = place_of(h, key).number;

	if (number)
		return number - 1;
	if (index_full(&h->index, h->known_count)) {
		index_reset(&h->index, h->known_count + 1);
		index_fill(h);
	}
	if (h->known_count == h->known_capacity)
		keys_fit(h); /* doubled arrays would take the room of many slices */
	mem_grow((void **)&h->known, &h->known_capacity, h->known_count + 1, sizeof(*h->known));
	h->known[h->known_count] = (struct known){ .key = *key };
	index_enter_new(&h->index, cell_key_hash(key), (uint32_t)++h->known_count);
	return (uint32_t)h->known_count - 1;
}

/* Every entry's key becomes MAP of it. */
static void renumber(struct history *h, const uint32_t *map)
{
	for (size_t i = 0; i < h->count; i++) {
		for (size_t j = 0; j < h->slices[i].count; j++)
			h->slices[i].entries[j].key = map[h->slices[i].entries[j].key];
	}
}

/* Drops the keys that no slice has any more. */
static void keys_collect(struct history *h)
{
	uint32_t *map = mem_array(h->known_count, sizeof(*map));
	size_t kept = 0;

	for (size_t i = 0; i < h->count; i++) {
		for (size_t j = 0; j < h->slices[i].count; j++)
			map[h->slices[i].entries[j].key] = 1;
	}
	for (size_t i = 0; i < h->known_count; i++) {
		if (!map[i])
			continue;
		h->known[kept] = h->known[i];
		map[i] = (uint32_t)kept++;
	}
	h->known_count = h->kept = kept;
	renumber(h, map);
	keys_fit(h);
	index_reset(&h->index, h->known_capacity);
	index_fill(h);
	free(map);
}

/* Slices. */

static void entry_append(struct history *h, struct slice *s, uint32_t key)
{
	mem_grow((void **)&s->entries, &s->capacity, s->count + 1, sizeof(*s->entries));
	s->entries[s->count++] = (struct entry){ .key = key };
	h->entries++;
}

static void count_sample(struct slice *s, uint16_t event, uint64_t samples)
{
	if (event >= s->events) {
		uint64_t *grown = mem_array(event + 1u, sizeof(*grown));

		if (s->events)
			memcpy(grown, s->samples, s->events * sizeof(*grown));
		free(s->samples);
		s->samples = grown;
		s->events = event + 1u;
	}
	s->samples[event] += samples;
}

/* Merges COUNT entries into slice S; `known->last == s->serial` marks keys that S already holds. */
static void take_entries(struct history *h, struct slice *s, const struct entry *entries,
			 size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct known *k = &h->known[entries[i].key];
		struct entry *to;

		if (k->last != s->serial) {
			entry_append(h, s, entries[i].key);
			k->last = s->serial;
			k->entry = (uint32_t)s->count - 1;
		}
		to = &s->entries[k->entry];
		to->samples += entries[i].samples;
		to->period += entries[i].period;
	}
}

/* Gives back the room of S that has no entry. */
static void slice_fit(struct slice *s)
{
	struct entry *fit;

	if (s->capacity == s->count || !s->count)
		return;
	fit = realloc(s->entries, s->count * sizeof(*fit));
	if (!fit)
		return;
	s->entries = fit;
	s->capacity = s->count;
}

/* Merges slice OTHER, which is freed, into S.  Afterwards each key has one entry in S. */
static void slice_absorb(struct history *h, struct slice *s, struct slice *other)
{
	struct slice merged = { .from_ns = s->from_ns,
				.to_ns = other->to_ns,
				.samples = s->samples,
				.events = s->events,
				.detail = s->detail < other->detail ? s->detail : other->detail,
				.serial = ++h->serial };

	take_entries(h, &merged, s->entries, s->count);
	if (other != s) {
		take_entries(h, &merged, other->entries, other->count);
		for (size_t i = 0; i < other->events; i++)
			count_sample(&merged, (uint16_t)i, other->samples[i]);
		slice_fini(h, other);
	}
	slice_fit(&merged);
	h->entries -= s->count;
	free(s->entries);
	*s = merged;
}

/* Entries of older slices may have the place of a newer one in `known`: those are not looked at. */
static void slice_compact(struct history *h, struct slice *s)
{
	slice_absorb(h, s, s);
}

/* Merges neighbours among the first COUNT slices where JOINS returns true. */
static void join(struct history *h, size_t count,
		 bool (*joins)(const struct history *h, const struct slice *a,
			       const struct slice *b))
{
	size_t kept = 0;

	for (size_t i = 0; i < h->count; i++) {
		if (kept && i < count && joins(h, &h->slices[kept - 1], &h->slices[i]))
			slice_absorb(h, &h->slices[kept - 1], &h->slices[i]);
		else
			h->slices[kept++] = h->slices[i];
	}
	h->count = kept;
}

static bool in_one_width(const struct history *h, const struct slice *a, const struct slice *b)
{
	return a->from_ns / h->width_ns == b->from_ns / h->width_ns;
}

static bool are_neighbours(const struct history *h, const struct slice *a, const struct slice *b)
{
	uint64_t width = a->to_ns - a->from_ns;

	(void)h;
	return a->to_ns == b->from_ns && b->to_ns - b->from_ns == width &&
	       a->from_ns / width % 2 == 0;
}

/* All slices twice as wide, until there are half as many as there may be. */
static void widen(struct history *h, size_t most)
{
	while (h->count > most && h->width_ns < UINT64_MAX / 4) {
		h->width_ns *= 2;
		join(h, h->count, in_one_width);
		for (size_t i = 0; i < h->count; i++) {
			struct slice *s = &h->slices[i];

			s->from_ns -= s->from_ns % h->width_ns;
			s->to_ns = s->from_ns + h->width_ns;
		}
	}
	if (h->count)
		slice_compact(h, &h->slices[h->count - 1]);
}

static void drop_oldest(struct history *h, size_t count)
{
	for (size_t i = 0; i < count; i++)
		slice_fini(h, &h->slices[i]);
	h->count -= count;
	memmove(h->slices, h->slices + count, h->count * sizeof(*h->slices));
}

static void drop_old(struct history *h, uint64_t now_ns)
{
	size_t old = 0;

	while (h->options.keep_ns && old < h->count &&
	       h->slices[old].to_ns + h->options.keep_ns <= now_ns)
		old++;
	if (h->options.keep_ns && h->count - old >= h->options.slices)
		old = h->count - h->options.slices + 1;
	if (old)
		drop_oldest(h, old);
}

/* Room. */

size_t history_bytes(const struct history *h)
{
	size_t bytes = sizeof(*h) + h->capacity * sizeof(*h->slices) +
		       h->known_capacity * sizeof(*h->known) + index_bytes(&h->index);

	for (size_t i = 0; i < h->count; i++)
		bytes += h->slices[i].capacity * sizeof(struct entry) +
			 h->slices[i].events * sizeof(uint64_t);
	return bytes;
}

/* As history_bytes(), but for arrays that still grow; quick. */
static size_t bytes_used(const struct history *h)
{
	return h->entries * sizeof(struct entry) + h->known_capacity * sizeof(struct known) +
	       index_bytes(&h->index);
}

/* KEY without what DETAIL lacks. */
static struct cell_key coarser(const struct cell_key *key, enum detail detail)
{
	return (struct cell_key){ .event = key->event,
				  .process = detail == DETAIL_PROCESSES ? key->process : 0,
				  .wait = key->wait,
				  .frame = key->frame == FRAME_NONE ? FRAME_NONE : FRAME_REST,
				  .node = key->node ? CALL_OTHERS : CALL_ROOT };
}

static void coarsen(struct history *h, struct slice *s, enum detail detail)
{
	for (size_t i = 0; i < s->count; i++) {
		struct entry *e = &s->entries[i];
		struct cell_key key = h->known[e->key].key, rest = coarser(&key, detail);

		if (key.frame != FRAME_NONE && key.frame != FRAME_REST)
			h->merged += e->samples;
		e->key = known_number(h, &rest);
	}
	s->detail = detail;
	slice_compact(h, s);
}

/* The oldest slices of those that have more than DETAIL.  Returns false if there are none. */
static bool coarsen_oldest(struct history *h, enum detail detail)
{
	size_t finer = 0, most;

	for (size_t i = 0; i < h->count; i++)
		finer += h->slices[i].detail < detail;
	most = finer / ROOM_PART + (finer > 0);
	for (size_t i = 0; i < h->count && most; i++) {
		if (h->slices[i].detail >= detail)
			continue;
		coarsen(h, &h->slices[i], detail);
		most--;
	}
	keys_collect(h);
	return finer;
}

/* Returns true if a key has entries in several slices, mostly: then it is worth to merge these. */
static bool keys_recur(const struct history *h)
{
	return h->entries / 2 >= h->known_count;
}

/* Merges slices, once.  False: there are so few that it would say too little of when. */
static bool merge_slices(struct history *h)
{
	size_t had = h->count;

	if (had <= SLICES_PAIRED)
		return false;
	if (h->options.keep_ns)
		join(h, had / 2, are_neighbours);
	else
		widen(h, had / 2);
	keys_collect(h);
	return h->count < had;
}

/* By a step, as long as there is one.  A recording begins with slices that are finer than any use of them. */
static bool become_coarser(struct history *h)
{
	return ((!h->options.keep_ns || keys_recur(h)) && merge_slices(h)) ||
	       coarsen_oldest(h, DETAIL_PROCESSES) || merge_slices(h) ||
	       coarsen_oldest(h, DETAIL_EVENTS);
}

/* A part of BYTES is free afterwards, so that it takes a while to the next time. */
static void make_room(struct history *h, size_t bytes)
{
	const size_t enough = bytes - bytes / ROOM_PART;

	keys_collect(h);
	while (bytes_used(h) > enough && become_coarser(h))
		;
	if (h->count)
		slice_compact(h, &h->slices[h->count - 1]);
}

void history_shed(struct history *h, size_t bytes)
{
	if (bytes_used(h) > bytes)
		make_room(h, bytes < BYTES_MIN ? BYTES_MIN : bytes);
}

static struct slice *open_slice(struct history *h, uint64_t time_ns)
{
	uint64_t from_ns;

	/* The newest slice still gets what tasks have counted until its end; the one before it is over. */
	if (h->count > 1)
		slice_fit(&h->slices[h->count - 2]);
	drop_old(h, time_ns);
	if (!h->options.keep_ns && h->count >= h->options.slices)
		widen(h, h->options.slices / 2);
	if (h->known_count > 2 * h->kept + KEYS_MIN)
		keys_collect(h);
	if (h->count && time_ns < h->slices[h->count - 1].to_ns)
		return &h->slices[h->count - 1];
	from_ns = time_ns - time_ns % h->width_ns;
	if (h->count && from_ns < h->slices[h->count - 1].to_ns)
		from_ns = h->slices[h->count - 1].to_ns;
	mem_grow((void **)&h->slices, &h->capacity, h->count + 1, sizeof(*h->slices));
	h->slices[h->count++] = (struct slice){
		.from_ns = from_ns,
		.serial = ++h->serial,
		.to_ns = time_ns - time_ns % h->width_ns + h->width_ns,
	};
	return &h->slices[h->count - 1];
}

/* The first slice that ends behind TIME_NS; there is one. */
static struct slice *older_slice(struct history *h, uint64_t time_ns)
{
	size_t low = 0, high = h->count - 1;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (h->slices[middle].to_ns > time_ns)
			high = middle;
		else
			low = middle + 1;
	}
	return &h->slices[low];
}

static struct slice *slice_of(struct history *h, uint64_t time_ns)
{
	struct slice *newest = h->count ? &h->slices[h->count - 1] : NULL;

	if (newest && time_ns >= newest->from_ns && time_ns < newest->to_ns)
		return newest;
	if (!newest || time_ns >= newest->to_ns)
		return open_slice(h, time_ns);
	return older_slice(h, time_ns);
}

/* The entry of KEY in S, made when new; an older slice may have one already. */
static struct entry *entry_of(struct history *h, struct slice *s, uint32_t key)
{
	struct known *k = &h->known[key];

	if (k->last == s->serial)
		return &s->entries[k->entry];
	entry_append(h, s, key);
	if (s == &h->slices[h->count - 1]) {
		k->last = s->serial;
		k->entry = (uint32_t)s->count - 1;
	}
	return &s->entries[s->count - 1];
}

void history_add(struct history *h, const struct cell_key *key, uint32_t *known, uint32_t count,
		 uint64_t period, uint64_t time_ns)
{
	struct slice *s;
	struct entry *e;

	if (bytes_used(h) > h->options.bytes)
		make_room(h, h->options.bytes);
	s = slice_of(h, history_time(time_ns));
	if (*known >= h->known_count || !cell_key_equal(&h->known[*known].key, key))
		*known = known_number(h, key);
	e = entry_of(h, s, *known);
	e->samples += count;
	e->period += period;
	if (count)
		count_sample(s, key->event, count);
}

void history_count(struct history *h, uint32_t process, uint32_t tid, uint16_t event,
		   uint64_t value, uint64_t time_ns)
{
	const struct cell_key key = {
		.process = process, .tid = tid, .frame = FRAME_NONE, .event = event
	};
	uint32_t known = UINT32_MAX;

	history_add(h, &key, &known, 0, value, time_ns);
}

/* Takes at most *SAMPLES and *PERIOD out of E, from both, into PART. */
static struct entry take_part(struct entry *e, uint64_t *samples, uint64_t *period)
{
	struct entry part = { .samples = e->samples, .period = e->period };

	if (part.samples > *samples) {
		part.samples = (uint32_t)*samples;
		part.period = part.period < *period ? part.period : *period;
	}
	e->samples -= part.samples;
	e->period -= part.period;
	*samples -= part.samples;
	*period -= part.period < *period ? part.period : *period;
	return part;
}

void history_move(struct history *h, const struct cell_key *from, const struct cell_key *to,
		  uint64_t samples, uint64_t period)
{
	uint32_t number = place_of(h, from).number, target;

	if (!number || cell_key_equal(from, to))
		return;
	number--;
	target = known_number(h, to);
	for (size_t i = h->count; i-- && samples;) {
		struct slice *s = &h->slices[i];
		size_t count = s->count;

		for (size_t j = 0; j < count && samples; j++) {
			struct entry part, *e;

			if (s->entries[j].key != number || !s->entries[j].samples)
				continue;
			part = take_part(&s->entries[j], &samples, &period);
			e = entry_of(h, s, target);
			e->samples += part.samples;
			e->period += part.period;
		}
	}
}

/* Keys were changed where they lie: those that are equal now become one. */
static void keys_unite(struct history *h)
{
	uint32_t *map = mem_array(h->known_count, sizeof(*map));
	size_t had = h->known_count;

	index_clear(&h->index);
	h->known_count = 0;
	for (size_t i = 0; i < had; i++) {
		struct known k = h->known[i];
		struct index_place at = place_of(h, &k.key);

		if (!at.number) {
			h->known[h->known_count++] = k;
			at.number = (uint32_t)h->known_count;
			index_enter(&h->index, &at, at.number);
		}
		map[i] = at.number - 1;
	}
	if (had != h->known_count) {
		renumber(h, map);
		for (size_t i = 0; i < h->count; i++)
			slice_compact(h, &h->slices[i]);
	}
	free(map);
}

void history_rename(struct history *h, cell_renamer *rename, void *context)
{
	for (size_t i = 0; i < h->known_count; i++) {
		struct cell_key *key = &h->known[i].key;

		if (key->frame != FRAME_NONE)
			*key = rename(context, key);
	}
	keys_unite(h);
}

static bool has_callers(const struct calltree *t, const struct cell_key *key)
{
	return key->frame != FRAME_NONE && cell_key_has_callers(key, t);
}

void history_give_up_callers(struct history *h, struct calltree *t)
{
	uint32_t oldest = h->serial, before;

	for (size_t i = 0; i < h->known_count; i++) {
		const struct known *k = &h->known[i];

		if (has_callers(t, &k->key) && k->last < oldest)
			oldest = k->last;
	}
	before = oldest + (h->serial - oldest) / 2;
	for (size_t i = 0; i < h->known_count; i++) {
		struct known *k = &h->known[i];

		if (k->last <= before && has_callers(t, &k->key))
			k->key.node = calltree_add(t, CALL_OTHERS, k->key.frame);
	}
	keys_unite(h);
}

void history_mark(const struct history *h, unsigned char *keep)
{
	for (size_t i = 0; i < h->known_count; i++)
		keep[h->known[i].key.node] = 1;
}

/* Reading. */

size_t history_slices(const struct history *h)
{
	return h->count;
}

struct history_slice history_slice(const struct history *h, size_t i)
{
	const struct slice *s = &h->slices[i];

	return (struct history_slice){
		.from_ns = s->from_ns, .to_ns = s->to_ns, .samples = s->samples, .events = s->events
	};
}

struct sum {
	uint64_t samples, period;
	bool any;
};

void history_sum(struct history *h, uint64_t from_ns, uint64_t to_ns, history_receiver *receive,
		 void *context)
{
	struct sum *sums = mem_array(h->known_count, sizeof(*sums));

	for (size_t i = 0; i < h->count; i++) {
		const struct slice *s = &h->slices[i];

		if (s->to_ns <= from_ns || s->from_ns >= to_ns)
			continue;
		for (size_t j = 0; j < s->count; j++) {
			struct sum *sum = &sums[s->entries[j].key];

			sum->samples += s->entries[j].samples;
			sum->period += s->entries[j].period;
			sum->any = true;
		}
	}
	for (size_t i = 0; i < h->known_count; i++) {
		const struct sum *sum = &sums[i];
		const struct cell_key *key = &h->known[i].key;

		if (sum->any && (sum->samples || key->frame == FRAME_NONE))
			receive(context, key, sum->samples, sum->period);
	}
	free(sums);
}

const struct cell_key *history_next(const struct history *h, size_t *cursor)
{
	return *cursor < h->known_count ? &h->known[(*cursor)++].key : NULL;
}

uint64_t history_merged(const struct history *h)
{
	return h->merged;
}
