/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_UNWIND_RULE_H
#define PTOP_UNWIND_RULE_H

#include <stddef.h>
#include <stdint.h>

#include "unwind/cfi.h"

/*
 * The rule for one step from one code address, in 16 bytes.  An object's rules are the same in all processes
 * that map it.  The largest libraries have a thousand different ones.
 */
enum rule_kind {
	RULE_NONE,     /* no rule at all */
	RULE_STEP,     /* the fields below describe the step */
	RULE_UCONTEXT, /* aarch64: a signal frame; registers are in the ucontext at sp */
	RULE_END,      /* nobody called this code */
	RULE_ABSENT,   /* nothing describes the address */
	RULE_MALFORMED,
	RULE_COMPLEX, /* needs what a rule cannot express */
	RULE_KINDS
};

/* The base of an offset. */
enum rule_base {
	RULE_SAME, /* ra: in the link register; fp: unchanged */
	RULE_CFA,  /* ra, fp: the word at CFA + offset */
	RULE_SP,
	RULE_FP,       /* CFA: sp + offset; ra, fp: the word there */
	RULE_BX,       /* CFA: rbx + offset, as in the dynamic linker's resolver */
	RULE_REGISTER, /* CFA: another register + offset; ra, fp: in it; only the leaf's is known */
	RULE_AT_SP,    /* CFA: the word at sp + offset, and `cfa_after` more */
	RULE_AT_FP,
	RULE_AT_REGISTER,
};

/* Values of bx_offset: rbx is unchanged; or it is saved in a place that a rule cannot express. */
#define RULE_BX_SAME INT8_MIN
#define RULE_BX_LOST (INT8_MIN + 1)

struct rule {
	int32_t cfa_offset;   /* bytes */
	int16_t cfa_after;    /* bytes */
	int16_t ra_offset;    /* words */
	int16_t fp_offset;    /* words; RULE_REGISTER: the DWARF number */
	uint8_t kind : 4;     /* enum rule_kind */
	uint8_t cfa_base : 4; /* enum rule_base, as the next two */
	uint8_t ra_base : 4;
	uint8_t fp_base : 4;
	uint8_t interrupted;  /* 1: a signal frame: the caller was interrupted and did not call */
	int8_t bx_offset;     /* words from the CFA, or RULE_BX_SAME */
	uint8_t cfa_register; /* RULE_REGISTER, RULE_AT_REGISTER: the DWARF number */
	uint8_t ra_register;  /* RULE_REGISTER: likewise, as in vfork(); else 0 */
};

_Static_assert(sizeof(struct rule) == 16, "no byte of a rule is undefined");

/* Makes the rule of row R, whose frame's address is CFA; or RULE_COMPLEX. */
struct rule rule_of_row(const struct cfi_row *row, const struct cfi_value *cfa,
			enum unwind_machine machine);

/* The rule at the first instruction of any function. */
struct rule rule_of_entry(enum unwind_machine machine);

/* aarch64: the rule in the head of the PLT, behind the instruction that pushes x16 and x30. */
struct rule rule_of_resolver_stub(void);

/* The rule where a signal's handler has returned to: the ucontext is at the stack pointer. */
struct rule rule_of_trampoline(enum unwind_machine machine);

#endif
