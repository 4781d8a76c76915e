/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_UNWIND_CFI_H
#define PTOP_UNWIND_CFI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "symbol/cfi-entry.h"
#include "unwind/cfi-value.h"
#include "unwind/regs.h"

/*
 * Reads call frame information: .eh_frame (LSB Core 5, 10.6) and .debug_frame (DWARF 5, 6.4).
 * Bytes go in; the rules for one address come out.
 *
 * Only four registers have a column here: the caller's stack pointer, frame pointer, rbx and return
 * address.  Unwinding passes on no others, so the state is small and fixed.  elfutils' interpreter,
 * the oracle of the tests, allocates by the largest register number.  Twelve hostile bytes make it
 * ask for 2 GiB.
 *
 * The bytes are foreign.  No loop here is longer than their number, and no allocation depends on a
 * number that they hold.  The common part of descriptions, the CIE, is read once.  Each row costs the
 * instructions that it takes; an object whose rows cost too much gets fewer of them (cfi_work()).
 */
struct cfi_row {
	struct cfi_value cfa; /* never relative to CFI_CFA */
	struct cfi_value ra, fp, sp, bx;
	bool signal;         /* a signal's frame: the caller was interrupted, it did not call */
	bool recalls;        /* the description remembers a state for the code behind an epilogue */
	uint64_t start, end; /* the code that its description covers: addresses in the object */
};

struct cfi {
	enum unwind_machine machine;
	uint64_t base; /* the object's lowest address; index and rules are relative to it */
	struct cfi_section section[2]; /* .eh_frame, .debug_frame; size 0: none */
	struct cfi_entry *index;       /* sorted by start */
	size_t count;
	uint64_t malformed;    /* unreadable entries; one of them ends the reading of its section */
	struct cfi_memo *memo; /* what was found out so far; made by cfi_index() */
};

enum cfi_result {
	CFI_FOUND,
	CFI_ABSENT, /* nothing describes the address */
	CFI_MALFORMED,
};

/*
 * Makes the index of C, whose machine, base and sections are set.  It passes over the bytes once,
 * about 40 ns for each function.  C owns the index until cfi_fini().
 */
void cfi_index(struct cfi *c);
void cfi_fini(struct cfi *c);

/*
 * The bytes of CIEs and instructions that were looked at since cfi_index().  They are at most
 * CFI_WORK_FLOOR, CFI_WORK_FACTOR for each byte of the sections, and CFI_WORK_ROW for each
 * requested row.  A row beyond that is CFI_MALFORMED, and cfi_too_slow() counts it.
 */
#define CFI_WORK_FLOOR (UINT64_C(4) << 20)
#define CFI_WORK_FACTOR 16
#define CFI_WORK_ROW 1024
uint64_t cfi_work(const struct cfi *c);
uint64_t cfi_too_slow(const struct cfi *c);

/* Finds the row that is valid at ADDRESS of the object. */
enum cfi_result cfi_find(const struct cfi *c, uint64_t address, struct cfi_row *row);

/*
 * The description of ADDRESS in its parts, for another interpreter.  The instructions are borrowed
 * from the section.  They have been run up to ADDRESS without a fault.
 */
struct cfi_description {
	uint64_t start, end; /* addresses in the object */
	uint64_t code_align;
	int64_t data_align;
	bool signal;
	uint64_t largest_register; /* an instruction subtracts another one from it */
	const uint8_t *initial, *instructions;
	size_t initial_size, size; /* bytes */
};

/* Returns false if there is none, or if its instructions depend on their own address. */
bool cfi_describe(const struct cfi *c, uint64_t address, struct cfi_description *d);

/* The row in the middle of the I-th function of the index: what the object's code mostly does. */
enum cfi_result cfi_middle(const struct cfi *c, size_t i, struct cfi_row *row);

/* The row at the end of its code; CFI_ABSENT if the next description is of the same code. */
enum cfi_result cfi_last(const struct cfi *c, size_t i, struct cfi_row *row);

#endif
