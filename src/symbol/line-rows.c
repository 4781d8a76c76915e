/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "symbol/line-rows.h"

#include <dwarf.h>

#include "base/cursor.h"

/* The head of a table, as far as the instructions need it; see DWARF 5, 6.2.4. */
struct head {
	uint8_t opcode_base;
	const uint8_t *lengths; /* of standard opcodes: numbers of operands */
};

/* Leaves B at the first instruction. */
static void read_head(struct bytes *b, bool wide, struct head *h)
{
	unsigned version = bytes_u16(b);
	struct bytes head;
	uint64_t length;

	if (version >= 5)
		bytes_take(b, 2); /* the sizes of an address and of a segment's number */
	length = wide ? bytes_u64(b) : bytes_u32(b);
	head = bytes_part(b, length);
	bytes_take(&head, version >= 4 ? 5 : 4);
	h->opcode_base = bytes_u8(&head);
	h->lengths = h->opcode_base ? bytes_take(&head, h->opcode_base - 1u) : NULL;
	b->failed |= head.failed || !h->opcode_base || version < 2 || version > 5;
}

/* Passes over the operands of an opcode.  Returns true if it makes a row. */
static bool pass_opcode(struct bytes *b, const struct head *h, uint8_t opcode)
{
	uint64_t size;

	if (opcode >= h->opcode_base)
		return true;
	if (!opcode) {
		size = cursor_uleb(b);
		opcode = size ? bytes_u8(b) : 0;
		bytes_take(b, size ? size - 1 : 0);
		return opcode == DW_LNE_end_sequence;
	}
	if (opcode == DW_LNS_fixed_advance_pc)
		bytes_take(b, 2);
	else
		for (unsigned i = h->lengths[opcode - 1]; i; i--)
			cursor_uleb(b);
	return opcode == DW_LNS_copy;
}

uint64_t line_rows(struct bytes b, uint64_t *size)
{
	uint64_t length = bytes_u32(&b), rows = 0;
	bool wide = length == UINT32_MAX;
	struct head h = { 0 };

	if (wide)
		length = bytes_u64(&b);
	*size = length;
	b.failed |= length > b.left;
	b.left = b.failed ? 0 : length;
	read_head(&b, wide, &h);
	while (b.left && !b.failed)
		rows += pass_opcode(&b, &h, bytes_u8(&b));
	return rows;
}
