/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "perf/record/trace-format.h"

#include <string.h>

#include "base/bytes.h"
#include "base/scanner.h"

#define OFFSET_MAX 65536u /* a record is no longer */

/* "pid_t pid" declares NAME: its last word is it.  An array has brackets and so another one. */
static bool declares(const struct scanner *part, const char *name)
{
	size_t length = strlen(name);

	return scanner_left(part) > length && part->end[-(ptrdiff_t)length - 1] == ' ' &&
	       !memcmp(part->end - length, name, length);
}

/* Reads "	offset:24;". */
static bool take_value(struct scanner *line, const char *word, uint64_t *value)
{
	struct scanner part;

	scanner_blanks(line);
	return scanner_part(line, ';', &part) && scanner_word(&part, word) &&
	       scanner_u64(&part, value);
}

/* "field:pid_t pid;	offset:24;	size:4;	signed:1;"; `signed` came later than the others. */
static bool field_of(struct scanner line, const char *name, struct trace_field *field)
{
	uint64_t offset, size, is_signed = 0;
	struct scanner part;

	scanner_blanks(&line);
	if (!scanner_word(&line, "field:") || !scanner_part(&line, ';', &part) ||
	    !declares(&part, name) || !take_value(&line, "offset:", &offset) ||
	    !take_value(&line, "size:", &size))
		return false;
	take_value(&line, "signed:", &is_signed);
	if (offset > OFFSET_MAX || (size != 1 && size != 2 && size != 4 && size != 8))
		return false;
	*field = (struct trace_field){ (uint32_t)offset, (uint32_t)size, is_signed != 0 };
	return true;
}

bool trace_format_field(const char *text, size_t size, const char *name, struct trace_field *field)
{
	struct scanner rest = scanner_of(text, size), line;

	while (scanner_line(&rest, &line)) {
		if (field_of(line, name, field))
			return true;
	}
	return false;
}

bool trace_format_id(const char *text, size_t size, uint64_t *id)
{
	struct scanner rest = scanner_of(text, size), line;

	while (scanner_line(&rest, &line)) {
		if (scanner_word(&line, "ID:"))
			return scanner_u64(&line, id);
	}
	return false;
}

bool trace_format_is(const char *text, size_t size, const char *name)
{
	struct scanner rest = scanner_of(text, size), line;

	if (!scanner_line(&rest, &line) || !scanner_word(&line, "name:"))
		return false;
	scanner_blanks(&line);
	return scanner_is(&line, name);
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

/* enum trace_flag_type in include/linux/trace_events.h. */
#define FLAG_HARDIRQ 0x08
#define FLAG_SOFTIRQ 0x10

enum trace_context trace_context_read(const struct trace_field *flags, const void *raw, size_t size)
{
	int64_t set;

	if (!trace_field_read(flags, raw, size, false, &set)) /* it is one byte */
		return TRACE_IN_TASK;
	if (set & FLAG_HARDIRQ)
		return TRACE_IN_INTERRUPT;
	return set & FLAG_SOFTIRQ ? TRACE_IN_SOFTIRQ : TRACE_IN_TASK;
}
