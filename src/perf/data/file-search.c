/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "perf/data/file-search.h"

#include "base/clock.h"

/*
 * Records lie at multiples of 8 bytes; a place
 * is taken for one when a few records, each right behind the other, could be there.
 */
#define HEADER_SIZE 8u
#define ALIGNMENT 8u
#define IN_A_ROW 4
#define OWN_FIRST 64u
#define OWN_LAST 84u
#define CPUMODE_MASK 7u
#define CPUMODE_LAST 5u
#define TIME_AWAY_NS (3600 * NS_PER_S) /* from the newest record so far */

static bool is_near(uint64_t a, uint64_t b)
{
	return a < b ? b - a < TIME_AWAY_NS : a - b < TIME_AWAY_NS;
}

/* The size of the record that could be at DATA, 0 when none could. */
static size_t possible_record(struct file_events *events, uint64_t newest_ns,
			      const unsigned char *data, size_t left)
{
	struct bytes b = bytes_of(data, left);
	uint32_t type;
	uint16_t misc, size;

	b.swap = events->swap;
	type = bytes_u32(&b);
	misc = bytes_u16(&b);
	size = bytes_u16(&b);
	if (b.failed || size < HEADER_SIZE || size % ALIGNMENT ||
	    (misc & CPUMODE_MASK) > CPUMODE_LAST)
		return 0;
	if (type >= OWN_FIRST && type <= OWN_LAST)
		return size;
	if (!type || type >= RECORD_TYPES)
		return 0;
	if (events->complete && size <= left) {
		struct file_stamp stamp = file_events_stamp(events, data, size, type);

		if (stamp.event < 0 ||
		    (newest_ns && stamp.time_ns && !is_near(stamp.time_ns, newest_ns)))
			return 0;
	}
	return size;
}

static bool possible_row(struct file_events *events, uint64_t newest_ns, const unsigned char *data,
			 size_t left)
{
	for (int i = 0; i < IN_A_ROW && left >= HEADER_SIZE; i++) {
		size_t size = possible_record(events, newest_ns, data, left);

		if (!size)
			return false;
		if (size > left)
			break;
		data += size;
		left -= size;
	}
	return true;
}

size_t file_search_record(struct file_events *events, uint64_t newest_ns, struct file_input *in)
{
	size_t taken = 0;

	while (in->lost && file_input_left(in) >= ALIGNMENT) {
		file_input_take(in, ALIGNMENT);
		taken += ALIGNMENT;
		in->lost =
			!possible_row(events, newest_ns, file_input_peek(in), file_input_left(in));
	}
	return taken;
}
