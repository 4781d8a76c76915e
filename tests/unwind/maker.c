/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unit.h"
#include "maker.h"

void maker_put(struct maker *m, const void *bytes, size_t size)
{
	assert_true(m->size + size <= sizeof(m->bytes));
	memcpy(m->bytes + m->size, bytes, size);
	m->size += size;
}

void maker_put_u32(struct maker *m, uint32_t value)
{
	maker_put(m, &value, sizeof(value));
}

void maker_put_cie(struct maker *m)
{
	static const uint8_t body[] = { 1, 'z', 'R', 0, 1, 0x78, 16, 1, 0x00, 0x0c, 7, 8, 0x90, 1 };

	maker_put_u32(m, 4 + sizeof(body));
	maker_put_u32(m, 0);
	maker_put(m, body, sizeof(body));
}

void maker_put_fde(struct maker *m, uint64_t start, uint64_t range, const void *code, size_t size)
{
	maker_put_u32(m, (uint32_t)(4 + 16 + 1 + size));
	maker_put_u32(m, (uint32_t)m->size);
	maker_put(m, &start, 8);
	maker_put(m, &range, 8);
	maker_put(m, "", 1);
	maker_put(m, code, size);
}
