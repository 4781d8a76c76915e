/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_UNWIND_CFI_VALUE_H
#define PTOP_UNWIND_CFI_VALUE_H

#include <stdbool.h>
#include <stdint.h>

/* A value that call frame information or one of its expressions describes. */
enum cfi_base {
	CFI_NOWHERE, /* undefined; for a return address: the end of the stack */
	CFI_CFA,
	CFI_SP,
	CFI_FP,
	CFI_BX,       /* the frame's address; registers before the step */
	CFI_RA,       /* the link register */
	CFI_REGISTER, /* another general register */
	CFI_NUMBER,   /* no register, only the offset */
	CFI_PC,       /* inside an expression only */
	CFI_OTHER,    /* needs a full evaluation */
};

/* base + offset, or the word stored there + after. */
struct cfi_value {
	enum cfi_base base;
	uint8_t number; /* CFI_REGISTER: its DWARF number, below UNWIND_REGISTERS */
	bool load;
	int64_t offset, after; /* bytes; AFTER only if LOAD */
};

#endif
