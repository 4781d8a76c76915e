/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_UNWIND_CFI_H
#define PTOP_UNWIND_CFI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "unwind/regs.h"

/*
 * Reads call frame information: .eh_frame (LSB Core 5, 10.6) and .debug_frame (DWARF 5, 6.4), bytes
 * in, what holds at one address out.  Of the registers only four have a column here: where the
 * caller's stack pointer, frame pointer, rbx and return address are.  That is all that unwinding
 * passes on, and it makes the state small and fixed: elfutils' interpreter allocates by the largest
 * register number, and twelve hostile bytes make it ask for 2 GiB.  (It is the oracle of the
 * tests.)
 *
 * The bytes are foreign.  Nothing here loops longer than the bytes are many, nor allocates by a
 * number that is in them.
 */
enum cfi_base {
	CFI_NOWHERE, /* undefined: for a return address the end of the stack */
	CFI_CFA,
	CFI_SP,
	CFI_FP,
	CFI_BX,     /* the frame's address; registers before the step */
	CFI_RA,     /* the link register */
	CFI_NUMBER, /* none, only the offset */
	CFI_PC,     /* inside an expression only */
	CFI_OTHER,  /* what needs all registers or a full evaluation */
};

/* base + offset, or the word that is there. */
struct cfi_value {
	enum cfi_base base;
	bool load;
	int64_t offset; /* bytes */
};

struct cfi_row {
	struct cfi_value cfa; /* never relative to CFI_CFA */
	struct cfi_value ra, fp, sp, bx;
	bool signal;         /* a signal's frame: the caller was interrupted, it did not call */
	bool recalls;        /* a state was remembered for what is behind an epilogue */
	uint64_t start, end; /* the code that its description is for: addresses in the object */
};

/* A section: BYTES is borrowed. */
struct cfi_section {
	const uint8_t *bytes;
	size_t size;
	uint64_t address; /* in the object */
	bool debug;       /* .debug_frame */
};

struct cfi {
	enum unwind_machine machine;
	uint64_t base; /* the object's lowest address: index and rules count from there */
	struct cfi_section section[2]; /* .eh_frame, .debug_frame; size 0: none */
	struct cfi_entry *index;       /* sorted by start */
	size_t count;
	uint64_t malformed; /* entries that could not be read; the rest of a section is then one */
};

enum cfi_result {
	CFI_FOUND,
	CFI_ABSENT, /* nothing describes that address */
	CFI_MALFORMED,
};

/*
 * Makes the index of C, of which machine, base and sections are set: one pass over the bytes, about
 * 40 ns for each function.  Owned by C until cfi_fini().
 */
void cfi_index(struct cfi *c);
void cfi_fini(struct cfi *c);

/* What holds at ADDRESS of the object. */
enum cfi_result cfi_find(const struct cfi *c, uint64_t address, struct cfi_row *row);

/*
 * The description of ADDRESS in its parts, for who interprets it too: instructions are borrowed
 * from the section, and have been run as far as ADDRESS without a fault.
 */
struct cfi_description {
	uint64_t start, end; /* addresses in the object */
	uint64_t code_align;
	int64_t data_align;
	bool signal;
	uint64_t largest_register; /* that an instruction takes another one from */
	const uint8_t *initial, *instructions;
	size_t initial_size, size; /* bytes */
};

/* False when there is none, or it has instructions that depend on where it is. */
bool cfi_describe(const struct cfi *c, uint64_t address, struct cfi_description *d);

/* The I-th of the index: the row in the middle of its code, for what an object mostly does. */
enum cfi_result cfi_middle(const struct cfi *c, size_t i, struct cfi_row *row);

/* Likewise, the row at the end of its code; CFI_ABSENT when the next one is of the same code. */
enum cfi_result cfi_last(const struct cfi *c, size_t i, struct cfi_row *row);

#endif
