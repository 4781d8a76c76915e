/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "perf/record/trace-format.h"

#include <ctype.h>
#include <string.h>

#include "base/bytes.h"

#define OFFSET_MAX 65536u	/* a record is no longer */

struct text {
	const char *at;
	size_t left;
};

/* The next line, without its end; false at the end of the text. */
static bool next_line(struct text *t, struct text *line)
{
	const char *end;

	if (!t->left)
		return false;
	end = memchr(t->at, '\n', t->left);
	line->at = t->at;
	line->left = end ? (size_t)(end - t->at) : t->left;
	t->at += line->left + (end != NULL);
	t->left -= line->left + (end != NULL);
	while (line->left && isspace((unsigned char)*line->at)) {
		line->at++;
		line->left--;
	}
	return true;
}

/* What follows WORD at the beginning of LINE. */
static bool skip_word(struct text *line, const char *word)
{
	size_t length = strlen(word);

	if (line->left < length || memcmp(line->at, word, length) != 0)
		return false;
	line->at += length;
	line->left -= length;
	while (line->left && *line->at == ' ') {
		line->at++;
		line->left--;
	}
	return true;
}

static bool take_number(struct text *t, uint64_t *value)
{
	const size_t had = t->left;

	*value = 0;
	while (t->left && isdigit((unsigned char)*t->at) && *value < UINT32_MAX) {
		*value = *value * 10 + (uint64_t)(*t->at - '0');
		t->at++;
		t->left--;
	}
	return t->left < had;
}

/* Up to and with the next ';': what is in front of it. */
static bool take_part(struct text *line, struct text *part)
{
	const char *end = memchr(line->at, ';', line->left);

	if (!end)
		return false;
	part->at = line->at;
	part->left = (size_t)(end - line->at);
	line->at = end + 1;
	line->left -= part->left + 1;
	while (line->left && isspace((unsigned char)*line->at)) {
		line->at++;
		line->left--;
	}
	return true;
}

/* "pid_t pid" declares NAME: its last word is it.  An array has brackets and so another one. */
static bool declares(const struct text *part, const char *name)
{
	size_t length = strlen(name);

	return part->left > length && part->at[part->left - length - 1] == ' ' &&
	       !memcmp(part->at + part->left - length, name, length);
}

static bool take_value(struct text *line, const char *word, uint64_t *value)
{
	struct text part;

	return take_part(line, &part) && skip_word(&part, word) && take_number(&part, value);
}

/* "field:pid_t pid;	offset:24;	size:4;	signed:1;"; `signed` came later than the others. */
static bool field_of(struct text line, const char *name, struct trace_field *field)
{
	uint64_t offset, size, is_signed = 0;
	struct text part;

	if (!skip_word(&line, "field:") || !take_part(&line, &part) || !declares(&part, name) ||
	    !take_value(&line, "offset:", &offset) || !take_value(&line, "size:", &size))
		return false;
	take_value(&line, "signed:", &is_signed);
	if (offset > OFFSET_MAX || (size != 1 && size != 2 && size != 4 && size != 8))
		return false;
	*field = (struct trace_field){ (uint32_t)offset, (uint32_t)size, is_signed != 0 };
	return true;
}

bool trace_format_field(const char *text, size_t size, const char *name, struct trace_field *field)
{
	struct text rest = { text, size }, line;

	while (next_line(&rest, &line)) {
		if (field_of(line, name, field))
			return true;
	}
	return false;
}

bool trace_format_id(const char *text, size_t size, uint64_t *id)
{
	struct text rest = { text, size }, line;

	while (next_line(&rest, &line)) {
		if (skip_word(&line, "ID:"))
			return take_number(&line, id);
	}
	return false;
}

bool trace_format_is(const char *text, size_t size, const char *name)
{
	struct text rest = { text, size }, line;

	return next_line(&rest, &line) && skip_word(&line, "name:") &&
	       line.left == strlen(name) && !memcmp(line.at, name, line.left);
}

bool trace_field_read(const struct trace_field *field, const void *raw, size_t size, bool swap,
		      int64_t *value)
{
	struct bytes b = bytes_of(raw, size);

	b.swap = swap;
	if (!field->size || !raw || !bytes_take(&b, field->offset))
		return false;
	switch (field->size) {
	case 1:
		*value = field->is_signed ? (int8_t)bytes_u8(&b) : bytes_u8(&b);
		break;
	case 2:
		*value = field->is_signed ? (int16_t)bytes_u16(&b) : bytes_u16(&b);
		break;
	case 4:
		*value = field->is_signed ? (int32_t)bytes_u32(&b) : (int64_t)bytes_u32(&b);
		break;
	default:
		*value = (int64_t)bytes_u64(&b);
	}
	return !b.failed;
}
