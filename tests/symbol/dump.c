/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "symbol/dump.h"

void dump_put(struct dump *d, uint64_t value, size_t size)
{
	uint32_t half = (uint32_t)value;

	if (d->swap) {
		value = __builtin_bswap64(value);
		half = __builtin_bswap32(half);
	}
	buf_add(&d->bytes, size == 8 ? (const void *)&value : (const void *)&half, size);
}

void dump_put_header(struct dump *d)
{
	static const uint32_t words[] = { 0x4a695444, 1, 40, 62, 0, 77 };

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		dump_put(d, words[i], 4);
	dump_put(d, 123456789, 8);
	dump_put(d, 0, 8);
}

void dump_put_record(struct dump *d, uint32_t type, uint32_t size)
{
	dump_put(d, type, 4);
	dump_put(d, 16 + size, 4);
	dump_put(d, 1000, 8);
}
