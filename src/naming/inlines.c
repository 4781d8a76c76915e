/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "naming/inlines.h"

#include <stdlib.h>
#include <string.h>

#include "base/account.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/hash.h"
#include "base/strtab.h"
#include "naming/object-facts.h"

#define TEXT_MAX 4096u   /* bytes of a name, or of a path */
#define KNOWN_BYTES 144u /* for each address that is kept: a quarter of them is the map's */
#define ASK_AT 4096u     /* addresses of an object that are asked at once */
#define WAKE_NS \
	(5 * NS_PER_S) /* at least so much is between two times that all names are asked for anew */

/*
 * The answer for an address, as a pointer in a map: one of these, or KNOWN_LIST + a list's number.
 */
enum { KNOWN_ASKED = 1, KNOWN_NOTHING, KNOWN_LIST };

struct list {
	uint32_t first, count; /* in `words` */
};

/* The addresses of an object that are, or will be, asked for together. */
struct question {
	uint32_t object;
	const char *module; /* of the kernel, which has a file of its own; borrowed; NULL: none */
	bool nothing;       /* it has no debugging information */
	bool answered;      /* and nobody was told */
	uint64_t rest_until_ns; /* not 0: its owner rests, and nothing is asked */
	uint64_t *addresses;
	size_t count, capacity;
};

struct inlines {
	struct inlines_options use;
	struct map known; /* key_of() an address: see above */
	struct question *questions;
	size_t question_count, question_capacity;
	struct map question_of; /* question_key() to number */
	struct map requests;    /* lines_ask()'s id to the same */
	size_t waiting;
	uint64_t overflow;
	bool woke;        /* an owner's rest is over, and nobody was told */
	uint64_t wake_ns; /* when that may be told */
	/* Lists: both of inlined functions alone, and with the function that they are in. */
	struct list *lists;
	size_t list_count, list_capacity;
	uint32_t *words;
	size_t word_count, word_capacity;
	struct map list_of; /* hash of the frames to number + 1 */
	struct strtab *texts;
	struct map frame_of; /* hash of object, name and declaration to the frame */
	uint32_t symbols;    /* frames that were made */
};

struct inlines *inlines_new(const struct inlines_options *options)
{
	struct inlines *i = mem_alloc(sizeof(*i));

	i->use = *options;
	if (!i->use.known_limit)
		i->use.known_limit =
			account_most(options->memory_bytes, ACCOUNT_INLINED) / KNOWN_BYTES;
	i->texts = strtab_new();
	return i;
}

void inlines_free(struct inlines *i)
{
	if (!i)
		return;
	for (size_t q = 0; q < i->question_count; q++)
		free(i->questions[q].addresses);
	mem_free(i->questions, i->lists, i->words);
	map_fini(&i->known);
	map_fini(&i->question_of);
	map_fini(&i->requests);
	map_fini(&i->list_of);
	map_fini(&i->frame_of);
	strtab_free(i->texts);
	free(i);
}

uint64_t inlines_bytes(const struct inlines *i)
{
	return strtab_bytes(i->texts) + i->word_capacity * sizeof(*i->words) +
	       i->list_capacity * sizeof(*i->lists) + map_bytes(&i->known) +
	       map_bytes(&i->list_of) + map_bytes(&i->frame_of);
}

static bool is_full(const struct inlines *i)
{
	return inlines_bytes(i) > account_most(i->use.memory_bytes, ACCOUNT_INLINED);
}

/* Lists. */

/* Returns true if the list NUMBER is FRAMES. */
static bool is_list(const struct inlines *i, size_t number, const uint32_t *frames, size_t count)
{
	const struct list *l = &i->lists[number];

	return l->count == count && !memcmp(i->words + l->first, frames, count * sizeof(*frames));
}

/* The number of the list, plus 1; 0 when there is no room.  The same list has one number, mostly. */
static uint32_t intern(struct inlines *i, const uint32_t *frames, size_t count)
{
	uint64_t hash = hash_bytes(frames, count * sizeof(*frames));
	uint32_t number = (uint32_t)(uintptr_t)map_find(&i->list_of, hash);

	if (number && is_list(i, number - 1, frames, count))
		return number;
	if (i->list_count >= INLINES_LISTS || is_full(i))
		return 0;
	mem_grow((void **)&i->lists, &i->list_capacity, i->list_count + 1, sizeof(*i->lists));
	mem_grow((void **)&i->words, &i->word_capacity, i->word_count + count, sizeof(*i->words));
	memcpy(i->words + i->word_count, frames, count * sizeof(*frames));
	i->lists[i->list_count] = (struct list){ (uint32_t)i->word_count, (uint32_t)count };
	i->word_count += count;
	i->list_count++;
	map_put(&i->list_of, hash, (void *)(uintptr_t)i->list_count);
	return (uint32_t)i->list_count;
}

/* The list of FRAME and what is within it. */
static struct name with_caller(struct inlines *i, uint32_t frame, size_t inlined)
{
	uint32_t frames[SRCLINE_DEPTH_MAX + 1];
	const struct list *l = &i->lists[inlined];
	uint32_t number;

	frames[0] = frame;
	memcpy(frames + 1, i->words + l->first, l->count * sizeof(*frames));
	number = intern(i, frames, l->count + 1);
	i->overflow += !number;
	return number ? name_of_list(number - 1) : name_of_frame(frame);
}

const uint32_t *inlines_frames(const struct inlines *i, struct name list, size_t *count)
{
	const struct list *l = &i->lists[name_number(list)];

	*count = l->count;
	return i->words + l->first;
}

/* Questions. */

/* Texts of frames are interned: one module has one address. */
static uint64_t question_key(uint32_t object, const char *module)
{
	return module ? (uint64_t)(uintptr_t)module << 1 | 1 : (uint64_t)object << 1;
}

static uint64_t key_of(const struct question *q, uint64_t address)
{
	return hash_u64(address ^ hash_u64(question_key(q->object, q->module)));
}

static struct question *question_of(struct inlines *i, uint32_t object, const char *module)
{
	size_t number = map_enter(&i->question_of, question_key(object, module));

	if (number == i->question_count) {
		mem_grow((void **)&i->questions, &i->question_capacity, number + 1,
			 sizeof(*i->questions));
		i->questions[i->question_count++] =
			(struct question){ .object = object, .module = module };
	}
	return &i->questions[number];
}

static void ask(struct inlines *i, struct question *q)
{
	const struct lines_request request = {
		.key = objects_lines_key(i->use.objects, q->object, q->module),
		.addresses = q->addresses,
		.address_count = q->count,
		.offsets = dso_kind(i->use.objects, q->object) == DSO_FILE,
		.owner = q->module ? 0 : dso_owner(i->use.objects, q->object),
	};

	if (!q->count)
		return;
	map_put(&i->requests, lines_ask(i->use.lines, &request),
		(void *)(uintptr_t)(q - i->questions + 1));
	q->count = 0;
}

static void wake(struct inlines *i, struct question *q)
{
	if (!q->rest_until_ns || q->rest_until_ns > clock_monotonic_ns(i->use.clock))
		return;
	q->rest_until_ns = 0;
	i->woke = true;
}

/* Each object wakes at its own time, and who has many could have all names asked for anew at any time. */
static bool tells_waking(struct inlines *i)
{
	uint64_t now_ns;

	if (!i->woke)
		return false;
	now_ns = clock_monotonic_ns(i->use.clock);
	if (now_ns < i->wake_ns)
		return false;
	i->woke = false;
	i->wake_ns = now_ns + WAKE_NS;
	return true;
}

bool inlines_ask(struct inlines *i)
{
	for (size_t q = 0; q < i->question_count; q++) {
		wake(i, &i->questions[q]);
		ask(i, &i->questions[q]);
	}
	return tells_waking(i);
}

static void add_question(struct inlines *i, struct question *q, uint64_t address)
{
	if (i->known.count >= i->use.known_limit)
		map_fini(&i->known);
	map_put(&i->known, key_of(q, address), (void *)(uintptr_t)KNOWN_ASKED);
	mem_grow((void **)&q->addresses, &q->capacity, q->count + 1, sizeof(*q->addresses));
	q->addresses[q->count++] = address;
	i->waiting++;
	if (q->count >= ASK_AT)
		ask(i, q);
}

struct name inlines_find(struct inlines *i, const struct place *place, uint32_t frame)
{
	enum dso_kind kind = dso_kind(i->use.objects, place->object);
	struct question *q;
	uintptr_t known;

	if (kind != DSO_FILE && kind != DSO_KERNEL)
		return name_of_frame(frame);
	q = question_of(i, place->object,
			objects_module(i->use.objects, i->use.frames, place->object, frame));
	known = (uintptr_t)map_find(&i->known, key_of(q, place->address));
	if (known >= KNOWN_LIST)
		return with_caller(i, frame, known - KNOWN_LIST);
	if (known)
		return known == KNOWN_NOTHING ? name_of_frame(frame) : name_of_open_frame(frame);
	if (q->nothing || q->rest_until_ns)
		return name_of_frame(frame);
	if (i->waiting >= INLINES_WAITING) {
		i->overflow++;
		return name_of_frame(frame);
	}
	add_question(i, q, place->address);
	return name_of_open_frame(frame);
}

/* Answers. */

/*
 * Functions of one name are told apart by where they are declared.  FRAME_NONE when there is no room:
 * a file may have any number of them, with names of any length.
 */
static uint32_t frame_of(struct inlines *i, const struct question *q, const struct srcline_frame *f)
{
	const uint32_t object = q->object;
	struct frame_key key = { .object = object,
				 .payer = dso_uid(i->use.objects, object) + 1,
				 .symbol = FRAME_INLINED_SYMBOLS + i->symbols,
				 .object_path = dso_path(i->use.objects, object),
				 .object_name = dso_name(i->use.objects, object),
				 .flags = FRAME_INLINED,
				 .named_by = NAMED_BY_DEBUG_INFO };
	const char *file;
	uint64_t hash;
	uint32_t frame;

	if (dso_kind(i->use.objects, object) == DSO_KERNEL) {
		key.flags |= FRAME_KERNEL;
		key.payer = 0;
	}
	if (q->module)
		key.object_path = key.object_name = q->module;
	if (is_full(i))
		return FRAME_NONE;
	key.raw = strtab_add_n(i->texts, f->function, TEXT_MAX);
	file = strtab_add_n(i->texts, f->declared_in ? f->declared_in : "", TEXT_MAX);
	hash = hash_u64(hash_u64((uintptr_t)key.raw) ^ hash_u64((uintptr_t)file * 3) ^
			hash_u64(question_key(object, q->module)) ^ hash_u64(f->declared_at));
	frame = (uint32_t)(uintptr_t)map_find(&i->frame_of, hash);
	if (frame)
		return frame;
	frame = frame_table_add(i->use.frames, &key);
	i->symbols++;
	if (frame != FRAME_REST && *file)
		frame_set_source(i->use.frames, frame, file, f->declared_at);
	map_put(&i->frame_of, hash, (void *)(uintptr_t)frame);
	return frame;
}

/*
 * Turns the answer for PLACE into what is kept for it.  Innermost first there, outermost first
 * here.
 */
static uintptr_t known_of(struct inlines *i, const struct question *q,
			  const struct lines_place *place)
{
	uint32_t frames[SRCLINE_DEPTH_MAX], number;
	size_t count = 0;

	for (size_t f = place->frame_count; f-- > 0;) {
		const struct srcline_frame *from = &place->frames[f];

		if (!from->inlined || !from->function || !*from->function)
			continue;
		frames[count] = frame_of(i, q, from);
		if (frames[count] == FRAME_NONE) {
			i->overflow++;
			break;
		}
		count++;
	}
	if (!count)
		return KNOWN_NOTHING;
	number = intern(i, frames, count);
	i->overflow += !number;
	return number ? number - 1 + KNOWN_LIST : KNOWN_NOTHING;
}

/* Forgets that the COUNT addresses of PLACES, or if that is NULL those of Q, were asked for. */
static void unask(struct inlines *i, const struct question *q, const struct lines_place *places,
		  size_t count)
{
	for (size_t p = 0; p < count; p++)
		map_remove(&i->known, key_of(q, places ? places[p].address : q->addresses[p]));
	i->waiting -= count;
}

/* Q's owner rests: all that waits gets the name of its function. */
static void postpone(struct inlines *i, struct question *q, const struct lines_answer *a)
{
	unask(i, q, a->places, a->place_count);
	unask(i, q, NULL, q->count);
	q->count = 0;
	q->answered = true;
	q->rest_until_ns = a->rest_until_ns;
	if (!q->module)
		objects_take_lines(i->use.objects, q->object, a);
}

bool inlines_answer(struct inlines *i, const struct lines_answer *a)
{
	uintptr_t number = (uintptr_t)map_remove(&i->requests, a->id);
	struct question *q = number ? &i->questions[number - 1] : NULL;

	if (!q)
		return false;
	if (a->rest_until_ns) {
		postpone(i, q, a);
		return true;
	}
	for (size_t p = 0; p < a->place_count; p++)
		map_put(&i->known, key_of(q, a->places[p].address),
			(void *)known_of(i, q, &a->places[p]));
	i->waiting -= a->place_count;
	if (!q->module)
		objects_take_lines(i->use.objects, q->object, a);
	q->answered = true;
	if (!a->has_lines) {
		q->nothing = true;
		for (size_t n = 0; n < q->count; n++)
			map_put(&i->known, key_of(q, q->addresses[n]),
				(void *)(uintptr_t)KNOWN_NOTHING);
		i->waiting -= q->count;
		q->count = 0;
	}
	return true;
}

uint32_t inlines_answered(struct inlines *i)
{
	for (size_t q = 0; q < i->question_count; q++) {
		if (i->questions[q].answered) {
			i->questions[q].answered = false;
			return i->questions[q].object;
		}
	}
	return 0;
}

size_t inlines_waiting(const struct inlines *i)
{
	return i->waiting;
}

uint64_t inlines_overflow(const struct inlines *i)
{
	return i->overflow;
}
