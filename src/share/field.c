/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "share/field.h"

#include <math.h>
#include <string.h>

#define TEXT_BYTES sizeof(uint32_t) /* of a text in a row */
#define TEXT_NONE UINT32_MAX        /* the place of NULL */
#define TEXTS_SPARE 65536           /* bytes of texts that may be needed no more */

static size_t field_bytes(const struct field *f)
{
	return f->kind == FIELD_TEXT || f->kind == FIELD_OPTIONAL ? TEXT_BYTES : f->size;
}

size_t fields_bytes(const struct fields *f)
{
	size_t bytes = 0;

	for (size_t i = 0; i < f->count; i++)
		bytes += field_bytes(&f->items[i]);
	return bytes;
}

uint64_t fields_hash(uint64_t hash, const struct fields *f)
{
	for (size_t i = 0; i < f->count; i++) {
		const struct field *item = &f->items[i];

		hash = hash_bytes_seeded(hash, item->name, strlen(item->name));
		hash = hash_u64(hash ^ ((uint64_t)item->size << 8 | item->kind));
		hash = hash_u64(hash ^ item->limit);
	}
	return hash;
}

void field_texts_next(struct field_texts *t)
{
	map_fini(&t->places);
	if (t->bytes.size > 2 * t->needed + TEXTS_SPARE)
		field_texts_fini(t);
	t->needed = 0;
}

/* Its place + 1: a map has no 0.  Others choose the texts: one with the hash of another takes its slot. */
static uintptr_t place_of(struct field_texts *t, const char *text, size_t size)
{
	uint64_t hash;
	uintptr_t place;

	if (!t->known.seed)
		t->known.seed = hash_seed();
	hash = hash_bytes_seeded(t->known.seed, text, size);
	place = (uintptr_t)map_find(&t->known, hash);
	if (place && !strcmp(t->bytes.bytes + place - 1, text))
		return place;
	place = t->bytes.size + 1;
	buf_add(&t->bytes, text, size);
	map_put(&t->known, hash, (void *)place);
	return place;
}

uint32_t field_texts_add(struct field_texts *t, const char *text)
{
	uintptr_t place;
	size_t size;

	if (!text)
		return TEXT_NONE;
	place = (uintptr_t)map_find(&t->places, (uintptr_t)text);
	if (!place) {
		size = strlen(text) + 1;
		place = place_of(t, text, size);
		map_put(&t->places, (uintptr_t)text, (void *)place);
		t->needed += size;
	}
	return (uint32_t)(place - 1);
}

void field_texts_fini(struct field_texts *t)
{
	map_fini(&t->places);
	map_fini(&t->known);
	buf_fini(&t->bytes);
}

static const char *text_at(const char *row, const struct field *f)
{
	const char *text;

	memcpy(&text, row + f->offset, sizeof(text));
	return text;
}

static void row_write(const struct fields *f, const char *row, struct buf *out,
		      struct field_texts *texts)
{
	for (size_t i = 0; i < f->count; i++) {
		const struct field *item = &f->items[i];
		uint32_t place;

		if (item->kind != FIELD_TEXT && item->kind != FIELD_OPTIONAL) {
			buf_add(out, row + item->offset, item->size);
			continue;
		}
		place = field_texts_add(texts, text_at(row, item));
		buf_add(out, &place, sizeof(place));
	}
}

void fields_write(const struct fields *f, const void *rows, size_t count, struct buf *out,
		  struct field_texts *texts)
{
	for (size_t i = 0; i < count; i++)
		row_write(f, (const char *)rows + i * f->row_bytes, out, texts);
}

void fields_show(const struct fields *f, void *to, const void *from)
{
	for (size_t i = 0; i < f->count; i++) {
		const struct field *item = &f->items[i];

		if (item->seen == SEEN_BY_ALL)
			memcpy((char *)to + item->offset, (const char *)from + item->offset,
			       item->size);
	}
}

static bool is_number(double value)
{
	return isnan(value) || fabs(value) <= FIELD_NUMBER_MAX;
}

static bool are_numbers(const void *at, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		double value;

		memcpy(&value, (const char *)at + i * sizeof(value), sizeof(value));
		if (!is_number(value))
			return false;
	}
	return true;
}

static bool is_count(const void *at)
{
	int64_t value;

	memcpy(&value, at, sizeof(value));
	return value >= -FIELD_COUNT_MAX && value <= FIELD_COUNT_MAX;
}

static uint64_t unsigned_at(const void *at, size_t size)
{
	uint32_t four;
	uint16_t two;

	if (size == sizeof(four)) {
		memcpy(&four, at, sizeof(four));
		return four;
	}
	if (size == sizeof(two)) {
		memcpy(&two, at, sizeof(two));
		return two;
	}
	return *(const unsigned char *)at;
}

static bool is_shown(char c)
{
	return !c || (c >= ' ' && c <= '~');
}

/* Returns true if the bytes AT may become the member F. */
static bool is_valid(const struct field *f, const void *at)
{
	switch (f->kind) {
	case FIELD_BOOL:
		return *(const unsigned char *)at <= 1;
	case FIELD_COUNT:
		return is_count(at);
	case FIELD_NUMBERS:
		return are_numbers(at, f->size / sizeof(double));
	case FIELD_CHAR:
		return is_shown(*(const char *)at);
	case FIELD_BELOW:
		return unsigned_at(at, f->size) < f->limit;
	case FIELD_RAW:
	default:
		return true;
	}
}

/* A place within the texts begins a text that ends there, since their last byte is a NUL. */
static void text_read(const struct field *f, char *to, struct field_reader *r)
{
	uint32_t place = bytes_u32(&r->in);
	const char *text = "";

	if (place == TEXT_NONE && f->kind == FIELD_OPTIONAL)
		text = NULL;
	else if (place < r->text_bytes)
		text = r->texts + place;
	else
		r->in.failed = true;
	memcpy(to, &text, sizeof(text));
}

void fields_read(const struct fields *f, void *row, struct field_reader *r)
{
	for (size_t i = 0; i < f->count; i++) {
		const struct field *item = &f->items[i];
		char *to = (char *)row + item->offset;
		const void *from;

		if (item->kind == FIELD_TEXT || item->kind == FIELD_OPTIONAL) {
			text_read(item, to, r);
			continue;
		}
		from = bytes_take(&r->in, item->size);
		if (from && is_valid(item, from))
			memcpy(to, from, item->size);
		else
			r->in.failed = true;
	}
}

void field_read_numbers(struct field_reader *r, double *to, size_t count)
{
	const void *from = bytes_take(&r->in, count * sizeof(*to));

	if (!from || !are_numbers(from, count)) {
		r->in.failed = true;
		return;
	}
	if (count)
		memcpy(to, from, count * sizeof(*to));
}

bool fields_may_follow(const struct fields *f, uint64_t count, size_t more, struct field_reader *r)
{
	if (count > r->in.left / (fields_bytes(f) + more))
		r->in.failed = true;
	return !r->in.failed;
}
