/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_TESTS_PERF_ENCODE_H
#define PTOP_TESTS_PERF_ENCODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "perf/record/record.h"

/*
 * Writes records as the kernel does, in either byte order: the other half of record_decode(), from
 * the comments in <linux/perf_event.h>.
 */
struct encoder {
	const struct record_layout *layout; /* borrowed; its `swap` is this writer's as well */
	unsigned char bytes[4096];
	size_t size;
};

/* Begins a record; encode_end() appends the sample_id (not to a SAMPLE) and writes the size. */
void encode_begin(struct encoder *e, const struct record_layout *layout, uint32_t type,
		  uint16_t misc);
void encode_end(struct encoder *e);

void encode_u16(struct encoder *e, uint16_t v);
void encode_u32(struct encoder *e, uint32_t v);
void encode_u64(struct encoder *e, uint64_t v);
void encode_bytes(struct encoder *e, const void *bytes, size_t size);
void encode_text(struct encoder *e, const char *s); /* NUL-padded to a multiple of 8 */

/* The fields of every encoded record, where the layout has them. */
#define ENCODE_PID 1001u
#define ENCODE_TID 1002u
#define ENCODE_CPU 3u
#define ENCODE_TIME UINT64_C(0x1122334455667788)
#define ENCODE_ID UINT64_C(77)
#define ENCODE_STREAM UINT64_C(78)

/* A whole SAMPLE with the values of encode_value() in every field of the layout. */
void encode_sample(struct encoder *e, const struct record_layout *layout);

/* "struct read_format" with VALUES values; the first is encode_value(first + 0), … */
void encode_read(struct encoder *e, uint64_t values, unsigned int first);

/* Word I of an endless row of different words. */
static inline uint64_t encode_value(unsigned int i)
{
	return UINT64_C(0x0102030405060708) * (i + 1);
}

#define ENCODE_CHAIN 5 /* frames in the callchain */
#define ENCODE_BRANCHES 2
#define ENCODE_VALUES 3 /* in a group's READ */
#define ENCODE_STACK 32 /* bytes of user stack, ENCODE_STACK_VALID of them valid */
#define ENCODE_STACK_VALID 24
#define ENCODE_RAW 12
#define ENCODE_AUX 16

#endif
