/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "perf/record/trace-format.h"

/* Input: the format of a tracepoint, which a recording brings, and, the same bytes once more, raw data. */
const struct fuzz_bound fuzz_bound = { 100000, 2000, 64, 16 };

int fuzz_input(const uint8_t *data, size_t size)
{
	static const char *const names[] = { "pid", "prev_pid", "next_comm", "" };
	const char *text = (const char *)data;
	struct trace_field field;
	int64_t value;
	uint64_t id;

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		if (!trace_format_field(text, size, names[i], &field))
			continue;
		if (trace_field_read(&field, data, size, i & 1, &value) &&
		    field.offset + field.size > size)
			abort();
	}
	trace_format_id(text, size, &id);
	if (trace_format_is(text, size, "sched_waking") && size < strlen("name:sched_waking"))
		abort();
	return 0;
}
