/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_UNWIND_RULE_H
#define PTOP_UNWIND_RULE_H

#include <stddef.h>
#include <stdint.h>

#include "unwind/cfi.h"

/*
 * The rule for one step from one code address, in 16 bytes, and a table of such rules.  An object's
 * rules are the same in all processes that map it.  A busy program is in some thousand places.
 */
enum rule_kind {
	RULE_EMPTY,    /* a free slot */
	RULE_STEP,     /* the fields below describe the step */
	RULE_UCONTEXT, /* aarch64: a signal frame; registers are in the ucontext at sp */
	RULE_END,      /* nobody called this code */
	RULE_ABSENT,   /* nothing describes the address */
	RULE_MALFORMED,
	RULE_COMPLEX, /* needs all registers: left to libunwind */
};

/* The base of an offset. */
enum rule_base {
	RULE_SAME, /* ra: in the link register; fp: unchanged */
	RULE_CFA,  /* ra, fp: the word at CFA + offset */
	RULE_SP,
	RULE_FP, /* CFA: sp + offset; ra, fp: the word there */
	RULE_BX, /* CFA: rbx + offset, as in the dynamic linker's resolver */
	RULE_AT_SP,
	RULE_AT_FP, /* CFA: the word at sp + offset */
};

/* Values of bx_offset: rbx is unchanged; or it is saved in a place that a rule cannot express. */
#define RULE_BX_SAME INT8_MIN
#define RULE_BX_LOST (INT8_MIN + 1)

struct rule {
	uint32_t address;   /* from the object's base */
	int32_t cfa_offset; /* bytes */
	int16_t ra_offset;  /* words */
	int16_t fp_offset;
	uint8_t kind : 4;     /* enum rule_kind */
	uint8_t cfa_base : 4; /* enum rule_base, as the next two */
	uint8_t ra_base : 4;
	uint8_t fp_base : 4;
	uint8_t interrupted; /* 1: a signal frame: the caller was interrupted and did not call */
	int8_t bx_offset;    /* words from the CFA, or RULE_BX_SAME */
};

_Static_assert(sizeof(struct rule) == 16, "four rules in a cache line");

/* Makes the rule of row R at ADDRESS, or RULE_COMPLEX. */
struct rule rule_of_row(const struct cfi_row *row, enum unwind_machine machine, uint32_t address);

/* The rule at the first instruction of any function. */
struct rule rule_of_entry(enum unwind_machine machine, uint32_t address);

/* aarch64: the rule in the head of the PLT, behind the instruction that pushes x16 and x30. */
struct rule rule_of_resolver_stub(uint32_t address);

/* The rule where a signal's handler has returned to: the ucontext is at the stack pointer. */
struct rule rule_of_trampoline(enum unwind_machine machine, uint32_t address);

/*
 * The table: buckets of one cache line; each address belongs to one bucket.  It doubles when
 * buckets overflow, up to RULE_TABLE_MAX rules (1 MiB).  From then on a new rule replaces an old
 * one.
 */
#define RULE_WAYS 4
#define RULE_TABLE_MAX 65536

struct rule_bucket {
	struct rule way[RULE_WAYS];
} __attribute__((aligned(64)));

struct rule_table {
	struct rule_bucket *buckets; /* NULL: nothing yet */
	uint32_t shift;              /* 32 - log2 of the number of buckets */
	uint32_t turn;               /* the next rule to be replaced */
};

void rule_table_fini(struct rule_table *t);
size_t rule_table_bytes(const struct rule_table *t);

/* Adds *R, whose address must not be there.  Pointers to rules are invalid afterwards. */
void rule_table_add(struct rule_table *t, const struct rule *r);

/* Returns the rule, borrowed until the next rule_table_add(), or NULL. */
static inline const struct rule *rule_table_find(const struct rule_table *t, uint32_t address)
{
	const struct rule_bucket *b;

	if (!t->buckets)
		return NULL;
	b = &t->buckets[(uint32_t)(address * UINT32_C(2654435769)) >> t->shift];
	for (unsigned i = 0; i < RULE_WAYS; i++)
		if (b->way[i].address == address && b->way[i].kind != RULE_EMPTY)
			return &b->way[i];
	return NULL;
}

#endif
