/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The expressions of call frames: what one is folded to must be what it comes to, step by step,
 * with registers and memory that are made up.  An input is a byte of flags, two bytes of a code
 * address, and the expression.  Flags: 1 aarch64; 2 the frame's address is on the stack first, as
 * for a register; 4 the expression is for the frame's address, at that code address.
 */
#include <stdlib.h>

#include "base/hash.h"
#include "fuzz/fuzz.h"
#include "unwind/dwarf-expression.h"

#define DEPTH 16
#define CFA UINT64_C(0x7ff000004000)
#define BIAS UINT64_C(0x555500000000)

enum { FLAG_AARCH64 = 1, FLAG_REGISTER = 2, FLAG_CFA = 4 };

struct machine {
	uint64_t pc; /* in the process */
	uint64_t stack[DEPTH];
	unsigned depth;
	bool bad;
};

static uint64_t register_value(const struct machine *m, const struct unwind_machine_regs *regs,
			       uint64_t number)
{
	return number == regs->ra && !regs->links ? m->pc : hash_u64(number + 1);
}

static void push(struct machine *m, uint64_t value)
{
	if (m->depth == DEPTH)
		m->bad = true;
	else
		m->stack[m->depth++] = value;
}

static uint64_t pop(struct machine *m)
{
	if (!m->depth)
		m->bad = true;
	return m->depth ? m->stack[--m->depth] : 0;
}

static uint64_t constant(uint8_t op, struct bytes *b)
{
	switch (op) {
	case 0x08:
		return bytes_u8(b);
	case 0x09:
		return (uint64_t)(int8_t)bytes_u8(b);
	case 0x0a:
		return bytes_u16(b);
	case 0x0b:
		return (uint64_t)(int16_t)bytes_u16(b);
	case 0x0c:
		return bytes_u32(b);
	case 0x0d:
		return (uint64_t)(int32_t)bytes_u32(b);
	case 0x10:
		return cursor_uleb(b);
	case 0x11:
		return (uint64_t)cursor_sleb(b);
	default:
		return bytes_u64(b);
	}
}

static uint64_t of_two(struct machine *m, uint8_t op, uint64_t a, uint64_t b)
{
	switch (op) {
	case 0x1a:
		return a & b;
	case 0x1c:
		return a - b;
	case 0x21:
		return a | b;
	case 0x22:
		return a + b;
	case 0x24:
		return b < 64 ? a << b : 0;
	case 0x25:
		return b < 64 ? a >> b : 0;
	case 0x29:
		return a == b;
	case 0x2a:
		return (int64_t)a >= (int64_t)b;
	case 0x2b:
		return (int64_t)a > (int64_t)b;
	case 0x2c:
		return (int64_t)a <= (int64_t)b;
	case 0x2d:
		return (int64_t)a < (int64_t)b;
	case 0x2e:
		return a != b;
	default:
		m->bad = true;
		return 0;
	}
}

static void step(struct machine *m, const struct unwind_machine_regs *regs, uint8_t op,
		 struct bytes *b)
{
	uint64_t value;

	if (op >= 0x30 && op <= 0x4f) {
		push(m, op - 0x30u);
	} else if (op >= 0x70 && op <= 0x8f) {
		push(m, register_value(m, regs, op - 0x70u) + (uint64_t)cursor_sleb(b));
	} else if (op >= 0x08 && op <= 0x11) {
		push(m, constant(op, b));
	} else if (op == 0x92) {
		value = register_value(m, regs, cursor_uleb(b));
		push(m, value + (uint64_t)cursor_sleb(b));
	} else if (op == 0x06) {
		push(m, hash_u64(pop(m)));
	} else if (op == 0x12 || op == 0x13) {
		value = pop(m);
		for (unsigned i = 0; i < 2 && op == 0x12; i++)
			push(m, value);
	} else if (op == 0x14) {
		push(m, m->depth < 2 ? 0 : m->stack[m->depth - 2]);
	} else if (op == 0x23) {
		value = pop(m);
		push(m, value + cursor_uleb(b));
	} else if (op != 0x96) {
		value = pop(m);
		push(m, of_two(m, op, pop(m), value));
	}
}

static uint64_t folded_value(const struct cfi_value *v, const struct unwind_machine_regs *regs)
{
	struct machine m = { .pc = 0 };
	uint64_t base = 0;

	switch (v->base) {
	case CFI_CFA:
		base = CFA;
		break;
	case CFI_SP:
		base = register_value(&m, regs, regs->sp);
		break;
	case CFI_FP:
		base = register_value(&m, regs, regs->fp);
		break;
	case CFI_BX:
		base = register_value(&m, regs, regs->bx);
		break;
	case CFI_RA:
		base = register_value(&m, regs, regs->ra);
		break;
	case CFI_REGISTER:
		base = register_value(&m, regs, v->number);
		break;
	case CFI_NUMBER:
		break;
	default: /* what is nowhere, or where the code is, is no place of a frame */
		abort();
	}
	base += (uint64_t)v->offset;
	return v->load ? hash_u64(base) + (uint64_t)v->after : base;
}

const struct fuzz_bound fuzz_bound = { 200000, 20000, 1024, 256 };

int fuzz_input(const uint8_t *data, size_t size)
{
	const struct unwind_machine_regs *regs;
	struct machine m = { .pc = 0 };
	struct bytes b = bytes_of(data, size);
	uint8_t flags = bytes_u8(&b);
	uint64_t pc = bytes_u16(&b);
	struct cfi_value v;
	bool asks_pc = false;

	if (b.failed)
		return 0;
	regs = &unwind_machine_regs[flags & FLAG_AARCH64 ? UNWIND_AARCH64 : UNWIND_X86_64];
	if (flags & FLAG_CFA)
		v = expression_fold_at(b, regs, pc);
	else if (flags & FLAG_REGISTER)
		v = expression_fold(b, regs);
	else
		v = expression_fold_cfa(b, regs, &asks_pc);
	if (v.base == CFI_OTHER)
		return 0;
	if (asks_pc)
		abort();
	m.pc = pc + BIAS;
	if (flags & FLAG_REGISTER && !(flags & FLAG_CFA))
		push(&m, CFA);
	while (b.left && !b.failed && !m.bad)
		step(&m, regs, bytes_u8(&b), &b);
	if (m.bad || b.failed || !m.depth || folded_value(&v, regs) != m.stack[m.depth - 1])
		abort();
	return 0;
}
