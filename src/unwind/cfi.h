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
 * Bytes go in; rows come out: what is valid from one address to another.
 *
 * Only four registers have a column here: the caller's stack pointer, frame pointer, rbx and return
 * address.  Unwinding passes on no others, so the state is small and fixed.  elfutils' interpreter,
 * the oracle of the tests, allocates by the largest register number.  Twelve hostile bytes make it
 * ask for 2 GiB.
 *
 * The bytes are foreign.  No loop here is longer than their number, and no allocation depends on a
 * number that they hold.  Running all descriptions once takes time in proportion to their bytes: the
 * instructions of the common part, the CIE, are few or refused (CFI_INITIAL_MAX).  An expression that is
 * folded anew for each row is short, or its frames are not told (CFI_BY_ADDRESS_MAX).
 */
struct cfi_row {
	struct cfi_value cfa; /* never relative to CFI_CFA */
	struct cfi_value ra, fp, sp, bx;
	struct bytes by_address; /* not empty: CFA is that of cfi_row_cfa() at each address */
	bool signal;             /* a signal's frame: the caller was interrupted, it did not call */
	bool recalls;        /* the description remembers a state for the code behind an epilogue */
	uint64_t start, end; /* the code that its description covers: addresses in the object */
};

struct cfi {
	enum unwind_machine machine;
	uint64_t base; /* the object's lowest address; the index is relative to it */
	struct cfi_section section[2]; /* .eh_frame, .debug_frame; size 0: none */
	struct cfi_entry *index;       /* sorted by start */
	size_t count;
	uint64_t malformed; /* unreadable entries; one of them ends the reading of its section */
	struct known_cie *known; /* CIEs that were read lately; made by cfi_index() */
};

enum cfi_result {
	CFI_FOUND,
	CFI_ABSENT, /* nothing describes the address */
	CFI_MALFORMED,
};

#define CFI_INITIAL_MAX 256   /* bytes of a CIE's instructions; compilers write some ten */
#define CFI_BY_ADDRESS_MAX 64 /* bytes of an expression; that of a linker's table of jumps has 11 */

/*
 * Makes the index of C, whose machine, base and sections are set.  It passes over the bytes once,
 * about 40 ns for each function.  C owns the index until cfi_fini().
 */
void cfi_index(struct cfi *c);
void cfi_fini(struct cfi *c);

/* The address at which the code of the I-th description begins. */
uint64_t cfi_start(const struct cfi *c, size_t i);

/*
 * Runs the I-th description.  RECEIVE gets its rows in the order of their addresses, without a gap, up to the
 * end of its code; ROW is NULL where its instructions make no sense.  RECEIVE returns false to end
 * that.
 */
typedef bool cfi_receive(void *context, uint64_t start, uint64_t end, const struct cfi_row *row);
void cfi_run(const struct cfi *c, size_t i, cfi_receive *receive, void *context);

/* The frame's address in ROW, at one address of it. */
struct cfi_value cfi_row_cfa(const struct cfi *c, const struct cfi_row *row, uint64_t address);

/*
 * Finds the row that is valid at ADDRESS of the object: in the last description that begins at or before it.
 */
enum cfi_result cfi_find(const struct cfi *c, uint64_t address, struct cfi_row *row);

/* The row in the middle of the I-th function of the index: what the object's code mostly does. */
enum cfi_result cfi_middle(const struct cfi *c, size_t i, struct cfi_row *row);

/* The row at the end of its code; CFI_ABSENT if the next description is of the same code. */
enum cfi_result cfi_last(const struct cfi *c, size_t i, struct cfi_row *row);

#endif
