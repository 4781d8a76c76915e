/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "proc/group-stat.h"

#include "base/scanner.h"

#define NO_LIMIT (INT64_MAX - (1 << 20)) /* version 1 writes LONG_MAX, rounded down to a page */

static int64_t as_signed(uint64_t value)
{
	return value <= INT64_MAX ? (int64_t)value : INT64_MAX;
}

/* Unknown is below 0. */
static void add(int64_t *sum, uint64_t value)
{
	int64_t before = *sum < 0 ? 0 : *sum;

	*sum = as_signed(value) > INT64_MAX - before ? INT64_MAX : before + as_signed(value);
}

void group_number_parse(const char *text, size_t size, enum group_value what,
			int64_t values[GROUP_VALUES])
{
	struct scanner s = scanner_of(text, size);
	uint64_t value;

	if (scanner_u64(&s, &value) && value < NO_LIMIT)
		values[what] = as_signed(value);
}

static void add_io(struct scanner word, int64_t values[GROUP_VALUES])
{
	uint64_t value;

	if (scanner_word(&word, "rbytes=") && scanner_u64(&word, &value))
		add(&values[GROUP_READ], value);
	else if (scanner_word(&word, "wbytes=") && scanner_u64(&word, &value))
		add(&values[GROUP_WRITTEN], value);
}

void group_io_parse(const char *text, size_t size, enum group_value what,
		    int64_t values[GROUP_VALUES])
{
	struct scanner s = scanner_of(text, size), line, word;

	(void)what;
	values[GROUP_READ] = values[GROUP_WRITTEN] = 0; /* without a line nothing was read */
	while (scanner_line(&s, &line)) {
		while (scanner_part(&line, ' ', &word))
			add_io(word, values);
		add_io(line, values);
	}
}

void group_blkio_parse(const char *text, size_t size, enum group_value what,
		       int64_t values[GROUP_VALUES])
{
	struct scanner s = scanner_of(text, size), line, device;
	uint64_t value;

	(void)what;
	values[GROUP_READ] = values[GROUP_WRITTEN] = 0;
	while (scanner_line(&s, &line)) {
		if (!scanner_part(&line, ' ', &device))
			continue;
		if (scanner_word(&line, "Read ") && scanner_u64(&line, &value))
			add(&values[GROUP_READ], value);
		else if (scanner_word(&line, "Write ") && scanner_u64(&line, &value))
			add(&values[GROUP_WRITTEN], value);
	}
}

void group_cpu_parse(const char *text, size_t size, enum group_value what,
		     int64_t values[GROUP_VALUES])
{
	struct scanner s = scanner_of(text, size), line;
	uint64_t value;

	(void)what;
	while (scanner_line(&s, &line)) {
		if (scanner_word(&line, "nr_periods ") && scanner_u64(&line, &value))
			values[GROUP_PERIODS] = as_signed(value);
		else if (scanner_word(&line, "nr_throttled ") && scanner_u64(&line, &value))
			values[GROUP_THROTTLED] = as_signed(value);
	}
}

void group_pressure_parse(const char *text, size_t size, enum group_value what,
			  int64_t values[GROUP_VALUES])
{
	struct scanner s = scanner_of(text, size), line, word;
	uint64_t value;

	while (scanner_line(&s, &line)) {
		bool full = scanner_word(&line, "full ");

		if ((!full && !scanner_word(&line, "some ")) || (full && what == GROUP_CPU_SOME))
			continue;
		while (scanner_part(&line, ' ', &word))
			;
		if (scanner_word(&line, "total=") && scanner_u64(&line, &value))
			values[full ? what + 1 : what] = as_signed(value);
	}
}
