/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unwind/rule.h"

#define WORD 8

/* The place of the frame.  Returns false if a rule cannot express it. */
static bool set_cfa(struct rule *r, const struct cfi_value *v)
{
	static const uint8_t bases[][2] = {
		[CFI_SP] = { RULE_SP, RULE_AT_SP },
		[CFI_FP] = { RULE_FP, RULE_AT_FP },
		[CFI_BX] = { RULE_BX, RULE_SAME },
		[CFI_REGISTER] = { RULE_REGISTER, RULE_AT_REGISTER },
	};

	if (v->base >= sizeof(bases) / sizeof(*bases) || v->offset < INT32_MIN ||
	    v->offset > INT32_MAX || v->after < INT16_MIN || v->after > INT16_MAX)
		return false;
	r->cfa_base = bases[v->base][v->load];
	r->cfa_offset = (int32_t)v->offset;
	r->cfa_after = (int16_t)v->after;
	r->cfa_register = v->number;
	return r->cfa_base != RULE_SAME;
}

/* The place of a saved register: in memory at a small multiple of a word. */
static bool base_of_saved(const struct cfi_value *v, uint8_t *base, int16_t *offset)
{
	static const uint8_t bases[] = {
		[CFI_CFA] = RULE_CFA, [CFI_SP] = RULE_SP, [CFI_FP] = RULE_FP
	};

	if (!v->load || v->after || v->offset % WORD || v->offset < INT16_MIN * WORD ||
	    v->offset > INT16_MAX * WORD)
		return false;
	if (v->base != CFI_CFA && v->base != CFI_SP && v->base != CFI_FP)
		return false;
	*base = bases[v->base];
	*offset = (int16_t)(v->offset / WORD);
	return true;
}

static bool same_value(const struct cfi_value *a, const struct cfi_value *b)
{
	return a->base == b->base && a->number == b->number && a->load == b->load &&
	       a->offset == b->offset && a->after == b->after;
}

/* True if the caller's stack pointer is the frame's address, in either way of saying so. */
static bool sp_is_cfa(const struct cfi_value *sp, const struct cfi_value *cfa)
{
	const struct cfi_value address = { .base = CFI_CFA };

	return same_value(sp, &address) || same_value(sp, cfa);
}

/* True if the value is that of another register. */
static bool is_register(const struct cfi_value *v)
{
	return v->base == CFI_REGISTER && !v->load && !v->offset;
}

static bool set_ra(struct rule *r, const struct cfi_value *ra)
{
	uint8_t base = RULE_SAME;
	bool known = true;

	if (is_register(ra)) {
		base = RULE_REGISTER;
		r->ra_register = ra->number;
	} else if (ra->load || ra->offset || ra->base != CFI_RA) {
		known = base_of_saved(ra, &base, &r->ra_offset);
	}
	r->ra_base = base;
	return known;
}

static bool set_fp(struct rule *r, const struct cfi_value *fp)
{
	uint8_t base = RULE_SAME;
	bool kept = (fp->base == CFI_FP && !fp->load && !fp->offset) || fp->base == CFI_NOWHERE;
	bool known = true;

	if (is_register(fp)) {
		base = RULE_REGISTER;
		r->fp_offset = fp->number;
	} else if (!kept) {
		known = base_of_saved(fp, &base, &r->fp_offset);
	}

	/* gcc's functions that align their stack, at their return: the register has been popped. */
	r->fp_base = base == RULE_FP && r->cfa_base == RULE_SP ? RULE_SAME : base;
	return known;
}

/* Few frames are found by rbx: to lose it is no reason to lose the rule. */
static int8_t place_of_bx(const struct cfi_value *bx)
{
	int64_t words = bx->offset / WORD;

	if (bx->base == CFI_NOWHERE || (bx->base == CFI_BX && !bx->load && !bx->offset))
		return RULE_BX_SAME;
	if (bx->base != CFI_CFA || !bx->load || bx->after || bx->offset % WORD ||
	    words <= RULE_BX_LOST || words > INT8_MAX)
		return RULE_BX_LOST;
	return (int8_t)words;
}

/*
 * longjmp() on x86-64, just before it goes: CFA is its buffer, and what its caller goes on with is in
 * registers.  Nothing of that may be relative to CFA, for the rule takes the stack pointer for it.
 */
static bool is_jump(const struct cfi_row *row)
{
	return is_register(&row->sp) && is_register(&row->ra) && is_register(&row->fp);
}

struct rule rule_of_row(const struct cfi_row *row, const struct cfi_value *cfa,
			enum unwind_machine machine)
{
	static const struct rule complex = { .kind = RULE_COMPLEX };
	bool jump = is_jump(row);
	struct rule r = { .kind = RULE_STEP,
			  .interrupted = row->signal,
			  .bx_offset = jump ? RULE_BX_LOST : place_of_bx(&row->bx) };

	if (row->ra.base == CFI_NOWHERE)
		return (struct rule){ .kind = RULE_END };
	/* The kernel's own description of its trampoline skips the interrupted function. */
	if (row->signal && machine == UNWIND_AARCH64)
		return (struct rule){ .kind = RULE_UCONTEXT };
	return set_cfa(&r, jump ? &row->sp : cfa) && (jump || sp_is_cfa(&row->sp, cfa)) &&
			       set_ra(&r, &row->ra) && set_fp(&r, &row->fp)
		       ? r
		       : complex;
}

struct rule rule_of_entry(enum unwind_machine machine)
{
	struct rule r = { .kind = RULE_STEP, .cfa_base = RULE_SP, .bx_offset = RULE_BX_SAME };

	if (!unwind_machine_regs[machine].links) {
		r.cfa_offset = WORD;
		r.ra_base = RULE_CFA;
		r.ra_offset = -1;
	}
	return r;
}

struct rule rule_of_resolver_stub(void)
{
	struct rule r = rule_of_entry(UNWIND_AARCH64);

	r.cfa_offset = 2 * WORD;
	r.ra_base = RULE_CFA;
	r.ra_offset = -1;
	return r;
}

/* struct ucontext, x86-64: gregs at 40, rbp the 10th, rsp the 15th, rip the 16th; sys/ucontext.h.
 */
struct rule rule_of_trampoline(enum unwind_machine machine)
{
	if (machine == UNWIND_AARCH64)
		return (struct rule){ .kind = RULE_UCONTEXT };
	return (struct rule){ .kind = RULE_STEP,
			      .interrupted = 1,
			      .cfa_base = RULE_AT_SP,
			      .cfa_offset = 160,
			      .ra_base = RULE_SP,
			      .ra_offset = 21,
			      .fp_base = RULE_SP,
			      .fp_offset = 15,
			      .bx_offset = RULE_BX_LOST };
}
