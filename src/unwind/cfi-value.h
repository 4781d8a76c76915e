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
	CFI_BX,     /* the frame's address; registers before the step */
	CFI_RA,     /* the link register */
	CFI_NUMBER, /* no register, only the offset */
	CFI_PC,     /* inside an expression only */
	CFI_OTHER,  /* needs all registers or a full evaluation */
};

/* base + offset, or the word stored there. */
struct cfi_value {
	enum cfi_base base;
	bool load;
	int64_t offset; /* bytes */
};

#endif
