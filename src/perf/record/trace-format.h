/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_PERF_RECORD_TRACE_FORMAT_H
#define PTOP_PERF_RECORD_TRACE_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The fields in the raw data of a tracepoint's samples.  The kernel describes them in its `format`
 * in tracefs, and recordings hold a copy of that text (Documentation/trace/events.rst, "Event
 * formats").  They lie elsewhere from one kernel to the next and are looked up by name:
 *
 *	name: sched_waking
 *	ID: 375
 *	format:
 *		field:pid_t pid;	offset:24;	size:4;	signed:1;
 *
 * Text in, numbers out: no I/O.  The text need not end with a NUL.
 */
struct trace_field {
	uint32_t offset, size; /* bytes in the raw data; SIZE 0: there is no such field */
	bool is_signed;
};

/* The field NAME of the format of SIZE bytes at TEXT; false when it is not there, or is no number. */
bool trace_format_field(const char *text, size_t size, const char *name, struct trace_field *field);

/* The tracepoint's id and whether its name is NAME. */
bool trace_format_id(const char *text, size_t size, uint64_t *id);
bool trace_format_is(const char *text, size_t size, const char *name);

/* The context of a CPU at the sample: its task, or an interrupt, which belongs to no task. */
enum trace_context { TRACE_IN_TASK, TRACE_IN_SOFTIRQ, TRACE_IN_INTERRUPT };

/* By the field `common_flags` of raw data; without it TRACE_IN_TASK. */
enum trace_context trace_context_read(const struct trace_field *flags, const void *raw,
				      size_t size);

/* The number in SIZE bytes of raw data; SWAP: of the other byte order.  False: it does not fit in. */
bool trace_field_read(const struct trace_field *field, const void *raw, size_t size, bool swap,
		      int64_t *value);

#endif
