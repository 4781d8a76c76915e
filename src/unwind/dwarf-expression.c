/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unwind/dwarf-expression.h"

#define DEPTH_MAX 16
#define PAGE_MASK 0xfff

enum {
	DW_OP_deref = 0x06,
	DW_OP_const1u = 0x08,
	DW_OP_const1s,
	DW_OP_const2u,
	DW_OP_const2s,
	DW_OP_const4u,
	DW_OP_const4s,
	DW_OP_const8u,
	DW_OP_const8s,
	DW_OP_constu,
	DW_OP_consts,
	DW_OP_dup,
	DW_OP_drop,
	DW_OP_over,
	DW_OP_and = 0x1a,
	DW_OP_minus = 0x1c,
	DW_OP_or = 0x21,
	DW_OP_plus,
	DW_OP_plus_uconst,
	DW_OP_shl,
	DW_OP_shr,
	DW_OP_eq = 0x29,
	DW_OP_ge,
	DW_OP_gt,
	DW_OP_le,
	DW_OP_lt,
	DW_OP_ne,
	DW_OP_lit0 = 0x30,
	DW_OP_lit31 = 0x4f,
	DW_OP_breg0 = 0x70,
	DW_OP_breg31 = 0x8f,
	DW_OP_bregx = 0x92,
	DW_OP_nop = 0x96,
};

struct folder {
	const struct unwind_machine_regs *regs;
	uint64_t pc;
	bool knows_pc, asks_pc, bad;
	unsigned depth;
	struct cfi_value stack[DEPTH_MAX];
};

static void push(struct folder *f, struct cfi_value v)
{
	if (f->depth == DEPTH_MAX || v.base == CFI_OTHER)
		f->bad = true;
	else
		f->stack[f->depth++] = v;
}

static struct cfi_value pop(struct folder *f)
{
	if (!f->depth) {
		f->bad = true;
		return (struct cfi_value){ .base = CFI_OTHER };
	}
	return f->stack[--f->depth];
}

static struct cfi_value number(int64_t n)
{
	return (struct cfi_value){ .base = CFI_NUMBER, .offset = n };
}

static struct cfi_value of_register(struct folder *f, uint64_t n, int64_t offset)
{
	struct cfi_value v = { .base = CFI_OTHER, .offset = offset };

	f->asks_pc |= n == f->regs->ra && !f->regs->links;
	if (n == f->regs->sp)
		v.base = CFI_SP;
	else if (n == f->regs->fp)
		v.base = CFI_FP;
	else if (n == f->regs->bx)
		v.base = CFI_BX;
	else if (n == f->regs->ra)
		v.base = f->regs->links ? CFI_RA : f->knows_pc ? CFI_PC : CFI_OTHER;
	else if (n < UNWIND_REGISTERS)
		v = (struct cfi_value){ .base = CFI_REGISTER, .number = n, .offset = offset };
	return v;
}

static int64_t sum(int64_t a, int64_t b)
{
	return (int64_t)((uint64_t)a + (uint64_t)b);
}

static struct cfi_value plus_number(struct cfi_value v, int64_t n)
{
	int64_t *to = v.load ? &v.after : &v.offset;

	*to = sum(*to, n);
	return v;
}

static struct cfi_value plus(struct cfi_value a, struct cfi_value b)
{
	if (a.base == CFI_NUMBER)
		return plus_number(b, a.offset);
	if (b.base == CFI_NUMBER)
		return plus_number(a, b.offset);
	return (struct cfi_value){ .base = CFI_OTHER };
}

static struct cfi_value both_numbers(uint8_t op, int64_t a, int64_t b)
{
	switch (op) {
	case DW_OP_and:
		return number(a & b);
	case DW_OP_or:
		return number(a | b);
	case DW_OP_shl:
		return number(b >= 0 && b < 64 ? (int64_t)((uint64_t)a << b) : 0);
	case DW_OP_shr:
		return number(b >= 0 && b < 64 ? (int64_t)((uint64_t)a >> b) : 0);
	case DW_OP_eq:
		return number(a == b);
	case DW_OP_ge:
		return number(a >= b);
	case DW_OP_gt:
		return number(a > b);
	case DW_OP_le:
		return number(a <= b);
	case DW_OP_lt:
		return number(a < b);
	default: /* DW_OP_ne */
		return number(a != b);
	}
}

static struct cfi_value binary(const struct folder *f, uint8_t op, struct cfi_value a,
			       struct cfi_value b)
{
	if (op == DW_OP_plus)
		return plus(a, b);
	if (op == DW_OP_minus && b.base == CFI_NUMBER)
		return plus_number(a, (int64_t) - (uint64_t)b.offset);
	/*
	 * Masking the code address gives its offset in its page, the same wherever the object is
	 * mapped.
	 */
	if (op == DW_OP_and && a.base == CFI_PC && b.base == CFI_NUMBER &&
	    !(b.offset & ~(int64_t)PAGE_MASK))
		return number((int64_t)((f->pc + (uint64_t)a.offset) & (uint64_t)b.offset));
	if (a.base != CFI_NUMBER || b.base != CFI_NUMBER || op == DW_OP_minus)
		return (struct cfi_value){ .base = CFI_OTHER };
	return both_numbers(op, a.offset, b.offset);
}

static struct cfi_value constant(uint8_t op, struct bytes *b)
{
	switch (op) {
	case DW_OP_const1u:
		return number(bytes_u8(b));
	case DW_OP_const1s:
		return number((int8_t)bytes_u8(b));
	case DW_OP_const2u:
		return number(bytes_u16(b));
	case DW_OP_const2s:
		return number((int16_t)bytes_u16(b));
	case DW_OP_const4u:
		return number(bytes_u32(b));
	case DW_OP_const4s:
		return number((int32_t)bytes_u32(b));
	case DW_OP_constu:
		return number((int64_t)cursor_uleb(b));
	case DW_OP_consts:
		return number(cursor_sleb(b));
	default: /* DW_OP_const8u, const8s */
		return number((int64_t)bytes_u64(b));
	}
}

static void load(struct folder *f)
{
	struct cfi_value v = pop(f);

	if (v.load || v.base == CFI_NUMBER || v.base == CFI_PC)
		v.base = CFI_OTHER;
	v.load = true;
	push(f, v);
}

static void arithmetic(struct folder *f, uint8_t op)
{
	struct cfi_value b = pop(f), a = pop(f);

	push(f, binary(f, op, a, b));
}

static void shuffle(struct folder *f, uint8_t op)
{
	unsigned below = op == DW_OP_over ? 2 : 1;

	if (f->depth < below)
		f->bad = true;
	else if (op == DW_OP_drop)
		f->depth--;
	else
		push(f, f->stack[f->depth - below]);
}

static void other_operation(struct folder *f, uint8_t op, struct bytes *b)
{
	uint64_t n;

	switch (op) {
	case DW_OP_deref:
		load(f);
		break;
	case DW_OP_dup:
	case DW_OP_drop:
	case DW_OP_over:
		shuffle(f, op);
		break;
	case DW_OP_plus_uconst:
		push(f, plus(pop(f), number((int64_t)cursor_uleb(b))));
		break;
	case DW_OP_bregx:
		n = cursor_uleb(b);
		push(f, of_register(f, n, cursor_sleb(b)));
		break;
	case DW_OP_and:
	case DW_OP_minus:
	case DW_OP_or:
	case DW_OP_plus:
	case DW_OP_shl:
	case DW_OP_shr:
	case DW_OP_eq:
	case DW_OP_ge:
	case DW_OP_gt:
	case DW_OP_le:
	case DW_OP_lt:
	case DW_OP_ne:
		arithmetic(f, op);
		break;
	case DW_OP_nop:
		break;
	default:
		f->bad = true;
	}
}

static struct cfi_value run(struct folder *f, struct bytes b)
{
	while (b.left && !b.failed && !f->bad) {
		uint8_t op = bytes_u8(&b);

		if (op >= DW_OP_lit0 && op <= DW_OP_lit31)
			push(f, number(op - DW_OP_lit0));
		else if (op >= DW_OP_breg0 && op <= DW_OP_breg31)
			push(f, of_register(f, op - DW_OP_breg0, cursor_sleb(&b)));
		else if (op >= DW_OP_const1u && op <= DW_OP_consts)
			push(f, constant(op, &b));
		else
			other_operation(f, op, &b);
	}
	if (f->bad || b.failed || !f->depth || f->stack[f->depth - 1].base == CFI_PC)
		return (struct cfi_value){ .base = CFI_OTHER };
	return f->stack[f->depth - 1];
}

struct cfi_value expression_fold(struct bytes b, const struct unwind_machine_regs *regs)
{
	struct folder f = { .regs = regs };

	push(&f, (struct cfi_value){ .base = CFI_CFA });
	return run(&f, b);
}

struct cfi_value expression_fold_cfa(struct bytes b, const struct unwind_machine_regs *regs,
				     bool *asks_pc)
{
	struct folder f = { .regs = regs };
	struct cfi_value v = run(&f, b);

	*asks_pc = f.asks_pc;
	return v;
}

struct cfi_value expression_fold_at(struct bytes b, const struct unwind_machine_regs *regs,
				    uint64_t pc)
{
	struct folder f = { .regs = regs, .knows_pc = true, .pc = pc };

	return run(&f, b);
}
