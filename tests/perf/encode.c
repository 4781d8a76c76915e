/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "encode.h"

#include <linux/perf_event.h>
#include <string.h>

void encode_bytes(struct encoder *e, const void *bytes, size_t size)
{
	if (size > sizeof(e->bytes) - e->size)
		__builtin_trap();
	memcpy(e->bytes + e->size, bytes, size);
	e->size += size;
}

void encode_u16(struct encoder *e, uint16_t v)
{
	v = e->layout->swap ? __builtin_bswap16(v) : v;
	encode_bytes(e, &v, sizeof(v));
}

void encode_u32(struct encoder *e, uint32_t v)
{
	v = e->layout->swap ? __builtin_bswap32(v) : v;
	encode_bytes(e, &v, sizeof(v));
}

void encode_u64(struct encoder *e, uint64_t v)
{
	v = e->layout->swap ? __builtin_bswap64(v) : v;
	encode_bytes(e, &v, sizeof(v));
}

void encode_text(struct encoder *e, const char *s)
{
	static const char zeros[8];
	size_t size = strlen(s) + 1;

	encode_bytes(e, s, size);
	encode_bytes(e, zeros, -size % 8);
}

static void encode_words(struct encoder *e, unsigned int count, unsigned int first)
{
	for (unsigned int i = 0; i < count; i++)
		encode_u64(e, encode_value(first + i));
}

void encode_begin(struct encoder *e, const struct record_layout *layout, uint32_t type,
		  uint16_t misc)
{
	e->layout = layout;
	e->size = 0;
	encode_u32(e, type);
	encode_u16(e, misc);
	encode_u16(e, 0);
}

static void encode_sample_id(struct encoder *e)
{
	uint64_t type = e->layout->sample_type;

	if (type & PERF_SAMPLE_TID) {
		encode_u32(e, ENCODE_PID);
		encode_u32(e, ENCODE_TID);
	}
	if (type & PERF_SAMPLE_TIME)
		encode_u64(e, ENCODE_TIME);
	if (type & PERF_SAMPLE_ID)
		encode_u64(e, ENCODE_ID);
	if (type & PERF_SAMPLE_STREAM_ID)
		encode_u64(e, ENCODE_STREAM);
	if (type & PERF_SAMPLE_CPU) {
		encode_u32(e, ENCODE_CPU);
		encode_u32(e, 0);
	}
	if (type & PERF_SAMPLE_IDENTIFIER)
		encode_u64(e, ENCODE_ID);
}

void encode_end(struct encoder *e)
{
	uint32_t type;
	uint16_t size;

	memcpy(&type, e->bytes, sizeof(type));
	type = e->layout->swap ? __builtin_bswap32(type) : type;
	if (type != RECORD_SAMPLE && e->layout->sample_id_all)
		encode_sample_id(e);
	size = (uint16_t)e->size;
	size = e->layout->swap ? __builtin_bswap16(size) : size;
	memcpy(e->bytes + 6, &size, sizeof(size));
}

void encode_read(struct encoder *e, uint64_t values, unsigned int first)
{
	uint64_t format = e->layout->read_format;
	bool group = format & PERF_FORMAT_GROUP;

	encode_u64(e, group ? values : encode_value(first));
	if (format & PERF_FORMAT_TOTAL_TIME_ENABLED)
		encode_u64(e, 2000);
	if (format & PERF_FORMAT_TOTAL_TIME_RUNNING)
		encode_u64(e, 1000);
	for (unsigned int i = 0; i < (group ? values : 1); i++) {
		if (group)
			encode_u64(e, encode_value(first + i));
		if (format & PERF_FORMAT_ID)
			encode_u64(e, 500 + i);
		if (format & PERF_FORMAT_LOST)
			encode_u64(e, 600 + i);
	}
}

static void encode_head(struct encoder *e)
{
	uint64_t type = e->layout->sample_type;

	if (type & PERF_SAMPLE_IDENTIFIER)
		encode_u64(e, ENCODE_ID);
	if (type & PERF_SAMPLE_IP)
		encode_u64(e, encode_value(0));
	if (type & PERF_SAMPLE_TID) {
		encode_u32(e, ENCODE_PID);
		encode_u32(e, ENCODE_TID);
	}
	if (type & PERF_SAMPLE_TIME)
		encode_u64(e, ENCODE_TIME);
	if (type & PERF_SAMPLE_ADDR)
		encode_u64(e, encode_value(1));
	if (type & PERF_SAMPLE_ID)
		encode_u64(e, ENCODE_ID);
	if (type & PERF_SAMPLE_STREAM_ID)
		encode_u64(e, ENCODE_STREAM);
	if (type & PERF_SAMPLE_CPU) {
		encode_u32(e, ENCODE_CPU);
		encode_u32(e, 0xffffffff);
	}
	if (type & PERF_SAMPLE_PERIOD)
		encode_u64(e, encode_value(2));
	if (type & PERF_SAMPLE_READ)
		encode_read(e, ENCODE_VALUES, 10);
}

static void encode_branches(struct encoder *e)
{
	encode_u64(e, ENCODE_BRANCHES);
	if (e->layout->branch_sample_type & PERF_SAMPLE_BRANCH_HW_INDEX)
		encode_u64(e, encode_value(3));
	encode_words(e, ENCODE_BRANCHES * 3, 30);
	if (e->layout->branch_sample_type & 1u << 19) /* PERF_SAMPLE_BRANCH_COUNTERS */
		encode_words(e, ENCODE_BRANCHES, 40);
}

static void encode_regs(struct encoder *e, uint64_t mask, unsigned int first)
{
	encode_u64(e, PERF_SAMPLE_REGS_ABI_64);
	encode_words(e, (unsigned int)__builtin_popcountll(mask), first);
}

static void encode_body(struct encoder *e)
{
	uint64_t type = e->layout->sample_type;
	static const char data[ENCODE_STACK] = "bytes without an order";

	if (type & PERF_SAMPLE_CALLCHAIN) {
		encode_u64(e, ENCODE_CHAIN);
		encode_words(e, ENCODE_CHAIN, 20);
	}
	if (type & PERF_SAMPLE_RAW) {
		encode_u32(e, ENCODE_RAW);
		encode_bytes(e, data, ENCODE_RAW);
	}
	if (type & PERF_SAMPLE_BRANCH_STACK)
		encode_branches(e);
	if (type & PERF_SAMPLE_REGS_USER)
		encode_regs(e, e->layout->sample_regs_user, 50);
	if (type & PERF_SAMPLE_STACK_USER) {
		encode_u64(e, ENCODE_STACK);
		encode_bytes(e, data, ENCODE_STACK);
		encode_u64(e, ENCODE_STACK_VALID);
	}
}

static void encode_tail(struct encoder *e)
{
	uint64_t type = e->layout->sample_type;
	static const char data[ENCODE_AUX] = "aux";

	if (type & (PERF_SAMPLE_WEIGHT | PERF_SAMPLE_WEIGHT_STRUCT))
		encode_u64(e, encode_value(4));
	if (type & PERF_SAMPLE_DATA_SRC)
		encode_u64(e, encode_value(5));
	if (type & PERF_SAMPLE_TRANSACTION)
		encode_u64(e, encode_value(6));
	if (type & PERF_SAMPLE_REGS_INTR)
		encode_regs(e, e->layout->sample_regs_intr, 60);
	if (type & PERF_SAMPLE_PHYS_ADDR)
		encode_u64(e, encode_value(7));
	if (type & PERF_SAMPLE_CGROUP)
		encode_u64(e, encode_value(8));
	if (type & PERF_SAMPLE_DATA_PAGE_SIZE)
		encode_u64(e, 4096);
	if (type & PERF_SAMPLE_CODE_PAGE_SIZE)
		encode_u64(e, 2097152);
	if (type & PERF_SAMPLE_AUX) {
		encode_u64(e, ENCODE_AUX);
		encode_bytes(e, data, ENCODE_AUX);
	}
}

void encode_sample(struct encoder *e, const struct record_layout *layout)
{
	encode_begin(e, layout, RECORD_SAMPLE, PERF_RECORD_MISC_USER | PERF_RECORD_MISC_EXACT_IP);
	encode_head(e);
	encode_body(e);
	encode_tail(e);
	encode_end(e);
}
