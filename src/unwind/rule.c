/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unwind/rule.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

#define WORD 8
#define FIRST_SHIFT 28 /* 16 buckets */

/* The place of the frame; RULE_SAME if a rule cannot express it. */
static uint8_t base_of_cfa(const struct cfi_value *v)
{
	if (v->offset < INT32_MIN || v->offset > INT32_MAX)
		return RULE_SAME;
	if (v->base == CFI_SP)
		return v->load ? RULE_AT_SP : RULE_SP;
	if (v->base == CFI_FP)
		return v->load ? RULE_AT_FP : RULE_FP;
	if (v->base == CFI_BX && !v->load)
		return RULE_BX;
	return RULE_SAME;
}

/* The place of a saved register: in memory at a small multiple of a word. */
static bool base_of_saved(const struct cfi_value *v, uint8_t *base, int16_t *offset)
{
	static const uint8_t bases[] = {
		[CFI_CFA] = RULE_CFA, [CFI_SP] = RULE_SP, [CFI_FP] = RULE_FP
	};

	if (!v->load || v->offset % WORD || v->offset < INT16_MIN * WORD ||
	    v->offset > INT16_MAX * WORD)
		return false;
	if (v->base != CFI_CFA && v->base != CFI_SP && v->base != CFI_FP)
		return false;
	*base = bases[v->base];
	*offset = (int16_t)(v->offset / WORD);
	return true;
}

/* True if the caller's stack pointer is the frame's address, in either way of saying so. */
static bool sp_is_cfa(const struct cfi_row *row)
{
	const struct cfi_value *sp = &row->sp, *cfa = &row->cfa;

	return (sp->base == CFI_CFA && !sp->load && !sp->offset) ||
	       (sp->base == cfa->base && sp->load == cfa->load && sp->offset == cfa->offset);
}

static bool set_ra(struct rule *r, const struct cfi_value *ra)
{
	uint8_t base = RULE_SAME;
	bool in_register = ra->base == CFI_RA && !ra->load && !ra->offset;
	bool known = in_register || base_of_saved(ra, &base, &r->ra_offset);

	r->ra_base = base;
	return known;
}

static bool set_fp(struct rule *r, const struct cfi_value *fp)
{
	uint8_t base = RULE_SAME;
	bool kept = (fp->base == CFI_FP && !fp->load && !fp->offset) || fp->base == CFI_NOWHERE;
	bool known = kept || base_of_saved(fp, &base, &r->fp_offset);

	/* gcc's functions that align their stack, at their return: the register has been popped. */
	r->fp_base = base == RULE_FP && r->cfa_base == RULE_SP ? RULE_SAME : base;
	return known;
}

/* Few frames are found by rbx: to lose it is no reason to leave the sample to libunwind. */
static int8_t place_of_bx(const struct cfi_value *bx)
{
	int64_t words = bx->offset / WORD;

	if (bx->base == CFI_NOWHERE || (bx->base == CFI_BX && !bx->load && !bx->offset))
		return RULE_BX_SAME;
	if (bx->base != CFI_CFA || !bx->load || bx->offset % WORD || words <= RULE_BX_LOST ||
	    words > INT8_MAX)
		return RULE_BX_LOST;
	return (int8_t)words;
}

struct rule rule_of_row(const struct cfi_row *row, enum unwind_machine machine, uint32_t address)
{
	struct rule r = { .address = address,
			  .kind = RULE_COMPLEX,
			  .interrupted = row->signal,
			  .bx_offset = RULE_BX_SAME };

	if (row->ra.base == CFI_NOWHERE) {
		r.kind = RULE_END;
		return r;
	}
	/* The kernel's own description of its trampoline skips the interrupted function. */
	if (row->signal && machine == UNWIND_AARCH64) {
		r.kind = RULE_UCONTEXT;
		return r;
	}
	r.cfa_base = base_of_cfa(&row->cfa);
	r.cfa_offset = (int32_t)row->cfa.offset;
	r.bx_offset = place_of_bx(&row->bx);
	if (r.cfa_base != RULE_SAME && sp_is_cfa(row) && set_ra(&r, &row->ra) &&
	    set_fp(&r, &row->fp))
		r.kind = RULE_STEP;
	return r;
}

struct rule rule_of_entry(enum unwind_machine machine, uint32_t address)
{
	struct rule r = { .address = address,
			  .kind = RULE_STEP,
			  .cfa_base = RULE_SP,
			  .bx_offset = RULE_BX_SAME };

	if (!unwind_machine_regs[machine].links) {
		r.cfa_offset = WORD;
		r.ra_base = RULE_CFA;
		r.ra_offset = -1;
	}
	return r;
}

struct rule rule_of_resolver_stub(uint32_t address)
{
	struct rule r = rule_of_entry(UNWIND_AARCH64, address);

	r.cfa_offset = 2 * WORD;
	r.ra_base = RULE_CFA;
	r.ra_offset = -1;
	return r;
}

/* struct ucontext, x86-64: gregs at 40, rbp the 10th, rsp the 15th, rip the 16th; sys/ucontext.h.
 */
struct rule rule_of_trampoline(enum unwind_machine machine, uint32_t address)
{
	if (machine == UNWIND_AARCH64)
		return (struct rule){ .address = address, .kind = RULE_UCONTEXT };
	return (struct rule){ .address = address,
			      .kind = RULE_STEP,
			      .interrupted = 1,
			      .cfa_base = RULE_AT_SP,
			      .cfa_offset = 160,
			      .ra_base = RULE_SP,
			      .ra_offset = 21,
			      .fp_base = RULE_SP,
			      .fp_offset = 15,
			      .bx_offset = RULE_BX_LOST };
}

static size_t bucket_count(const struct rule_table *t)
{
	return t->buckets ? (size_t)1 << (32 - t->shift) : 0;
}

void rule_table_fini(struct rule_table *t)
{
	free(t->buckets);
	memset(t, 0, sizeof(*t));
}

size_t rule_table_bytes(const struct rule_table *t)
{
	return bucket_count(t) * sizeof(*t->buckets);
}

static bool put(struct rule_table *t, const struct rule *r)
{
	struct rule_bucket *b =
		&t->buckets[(uint32_t)(r->address * UINT32_C(2654435769)) >> t->shift];

	for (unsigned i = 0; i < RULE_WAYS; i++) {
		if (b->way[i].kind == RULE_EMPTY) {
			b->way[i] = *r;
			return true;
		}
	}
	return false;
}

/* Returns false without memory for it, or if it has reached its limit. */
static bool grow(struct rule_table *t)
{
	struct rule_table old = *t;
	size_t count = old.buckets ? bucket_count(&old) * 2 : (size_t)1 << (32 - FIRST_SHIFT);
	void *buckets;

	if (count * RULE_WAYS > RULE_TABLE_MAX)
		return false;
	buckets = aligned_alloc(sizeof(*t->buckets), count * sizeof(*t->buckets));
	if (!buckets)
		return false;
	memset(buckets, 0, count * sizeof(*t->buckets));
	t->buckets = buckets;
	t->shift = old.buckets ? old.shift - 1 : FIRST_SHIFT;
	/* Each old bucket is now two, so everything fits. */
	for (size_t i = 0; i < bucket_count(&old); i++)
		for (unsigned w = 0; w < RULE_WAYS; w++)
			if (old.buckets[i].way[w].kind != RULE_EMPTY)
				put(t, &old.buckets[i].way[w]);
	free(old.buckets);
	return true;
}

void rule_table_add(struct rule_table *t, const struct rule *r)
{
	if (!t->buckets && !grow(t))
		return;
	while (!put(t, r)) {
		if (grow(t))
			continue;
		t->buckets[(uint32_t)(r->address * UINT32_C(2654435769)) >> t->shift]
			.way[t->turn++ % RULE_WAYS] = *r;
		return;
	}
}
