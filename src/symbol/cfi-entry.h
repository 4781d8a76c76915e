/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_SYMBOL_CFI_ENTRY_H
#define PTOP_SYMBOL_CFI_ENTRY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cursor.h"

/*
 * The entries of call frame information: .eh_frame (LSB Core 5, 10.6) and .debug_frame (DWARF 5,
 * 6.4) of 64-bit little-endian files.  Each function has a description (FDE) that says where it
 * begins and ends.  Their common parts stand in another entry (CIE).
 *
 * The bytes are foreign.  No loop here is longer than their number, and nothing is allocated.
 */

/* A section: BYTES is borrowed. */
struct cfi_section {
	const uint8_t *bytes;
	size_t size;
	uint64_t address; /* in the object */
	bool debug;       /* .debug_frame */
};

#define CFI_CIE_HEAD_MAX 128 /* bytes in front of its instructions; compilers write some 20 */

struct cfi_cie {
	bool usable;      /* false: not understood, and nothing else here is valid */
	bool sized;       /* descriptions tell the length of their augmentation */
	bool signal;      /* of the code that a signal's handler returns to */
	uint8_t encoding; /* of addresses: LSB Core 5, 10.5 */
	uint64_t code_align;
	int64_t data_align;
	uint64_t ra_column;        /* the register of the return address */
	struct bytes instructions; /* borrowed from the section */
};

struct cfi_fde {
	size_t offset;        /* in its section */
	uint64_t start, size; /* addresses in the object; size 0: code that the linker dropped */
	struct bytes instructions; /* borrowed from the section */
};

/*
 * Reads a pointer at B in section S, in an ENCODING of LSB Core 5, 10.5.  None of the tables here has
 * pointers relative to data or function.
 */
uint64_t cfi_pointer_read(struct bytes *b, uint8_t encoding, const struct cfi_section *s);

/* Reads the CIE at OFFSET. */
struct cfi_cie cfi_cie_read(const struct cfi_section *s, size_t offset);

/* The offset of the CIE of the description at OFFSET.  Returns false if there is no description. */
bool cfi_fde_cie(const struct cfi_section *s, size_t offset, size_t *cie);

/* Reads the description at OFFSET, whose CIE is C.  Returns false if that is not possible. */
bool cfi_fde_read(const struct cfi_section *s, size_t offset, const struct cfi_cie *c,
		  struct cfi_fde *f);

/* Passes over all descriptions of a section in their order.  Set `section`; the rest is 0 at first. */
struct cfi_walk {
	const struct cfi_section *section; /* borrowed */
	struct cfi_fde fde;                /* the last one */
	struct cfi_cie cie;                /* its CIE */
	size_t cie_mark, next;             /* the offset of CIE, plus 1; where to go on */
	uint64_t malformed;                /* unreadable entries; one of them may end the walk */
};

/* Returns false at the end. */
bool cfi_walk_next(struct cfi_walk *w);

#endif
