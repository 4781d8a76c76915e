/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "proc/runtime-json.h"

#include <ctype.h>
#include <stdint.h>
#include <string.h>

void json_init(struct json *j, const char *text, size_t size)
{
	memset(j, 0, sizeof(*j));
	j->at = text;
	j->end = text + size;
}

/* Where the bytes of a string go; what does not fit is dropped. */
struct sink {
	char *to;
	size_t size, used;
	bool full;
};

/* A character goes whole or not at all. */
static void put(struct sink *s, const char *bytes, size_t count)
{
	if (s->full || s->used + count >= s->size) {
		s->full = true;
		return;
	}
	memcpy(s->to + s->used, bytes, count);
	s->used += count;
}

static void put_code(struct sink *s, uint32_t c)
{
	char bytes[4];

	if (c < 0x80) {
		bytes[0] = (char)c;
		put(s, bytes, 1);
	} else if (c < 0x800) {
		bytes[0] = (char)(0xc0 | c >> 6);
		bytes[1] = (char)(0x80 | (c & 0x3f));
		put(s, bytes, 2);
	} else if (c < 0x10000) {
		bytes[0] = (char)(0xe0 | c >> 12);
		bytes[1] = (char)(0x80 | (c >> 6 & 0x3f));
		bytes[2] = (char)(0x80 | (c & 0x3f));
		put(s, bytes, 3);
	} else {
		bytes[0] = (char)(0xf0 | c >> 18);
		bytes[1] = (char)(0x80 | (c >> 12 & 0x3f));
		bytes[2] = (char)(0x80 | (c >> 6 & 0x3f));
		bytes[3] = (char)(0x80 | (c & 0x3f));
		put(s, bytes, 4);
	}
}

/* Four hexadecimal digits.  Returns false, and reads nothing, if there are none. */
static bool read_hex(struct json *j, uint32_t *out)
{
	uint32_t value = 0;

	if (j->end - j->at < 4)
		return false;
	for (int i = 0; i < 4; i++) {
		unsigned char c = (unsigned char)j->at[i];

		if (!isxdigit(c))
			return false;
		value = value << 4 | (uint32_t)(isdigit(c) ? c - '0' : tolower(c) - 'a' + 10);
	}
	j->at += 4;
	*out = value;
	return true;
}

/* Behind "\u": a character, or one half of a pair and the other one. */
static void read_unicode(struct json *j, struct sink *s)
{
	uint32_t high, low;
	const char *before;

	if (!read_hex(j, &high))
		return;
	before = j->at;
	if (high >= 0xd800 && high < 0xdc00 && j->end - j->at >= 6 && j->at[0] == '\\' &&
	    j->at[1] == 'u') {
		j->at += 2;
		if (read_hex(j, &low) && low >= 0xdc00 && low < 0xe000) {
			put_code(s, 0x10000 + ((high - 0xd800) << 10 | (low - 0xdc00)));
			return;
		}
		j->at = before;
	}
	put_code(s, high >= 0xd800 && high < 0xe000 ? 0xfffd : high);
}

static void read_escape(struct json *j, struct sink *s)
{
	static const char from[] = "bfnrt", to[] = "\b\f\n\r\t";
	const char *found;
	char c;

	if (j->at == j->end)
		return;
	c = *j->at++;
	if (c == 'u') {
		read_unicode(j, s);
		return;
	}
	found = c ? strchr(from, c) : NULL;
	put(s, found ? &to[found - from] : &c, 1);
}

/* Behind the first quote; reads the last one, too. */
static void read_string(struct json *j, char *to, size_t size)
{
	struct sink s = { to, size, 0, false };

	while (j->at != j->end && *j->at != '"') {
		char c = *j->at++;

		if (c == '\\')
			read_escape(j, &s);
		else
			put(&s, &c, 1);
	}
	j->at += j->at != j->end;
	to[s.used] = '\0';
}

static struct json_level *level_of(struct json *j)
{
	return j->depth && j->depth <= JSON_DEPTH ? &j->levels[j->depth - 1] : NULL;
}

static void open_level(struct json *j, bool object)
{
	struct json_level *level;

	if (level_of(j))
		level_of(j)->valued = false;
	j->depth++;
	level = level_of(j);
	if (!level)
		return;
	level->object = object;
	level->valued = false;
	level->name[0] = '\0';
}

/* The name of the nearest object's member, from LEVEL levels up on. */
static const char *name_at(const struct json *j, size_t depth)
{
	while (depth && !j->levels[depth - 1].object)
		depth--;
	return depth ? j->levels[depth - 1].name : "";
}

static void describe(struct json *j, struct json_string *s)
{
	size_t at = j->depth;

	while (at && !j->levels[at - 1].object)
		at--;
	s->depth = j->depth;
	s->name = name_at(j, j->depth);
	s->parent = at ? name_at(j, at - 1) : "";
}

bool json_next(struct json *j, struct json_string *s)
{
	char skipped[1];

	while (j->at != j->end) {
		char c = *j->at++;
		struct json_level *level = level_of(j);

		if (c == '{' || c == '[') {
			open_level(j, c == '{');
		} else if ((c == '}' || c == ']') && j->depth) {
			j->depth--;
		} else if (c == ',' && level) {
			level->valued = false;
		} else if (c == ':' && level) {
			level->valued = level->object;
		} else if (c == '"' && !level) {
			read_string(j, skipped, sizeof(skipped));
		} else if (c == '"' && level->object && !level->valued) {
			read_string(j, level->name, sizeof(level->name));
		} else if (c == '"') {
			read_string(j, s->value, sizeof(s->value));
			describe(j, s);
			return true;
		}
	}
	return false;
}
