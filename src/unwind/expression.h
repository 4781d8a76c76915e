/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_UNWIND_EXPRESSION_H
#define PTOP_UNWIND_EXPRESSION_H

#include "unwind/cfi.h"
#include "base/cursor.h"

/*
 * Folds a DWARF expression (DWARF 5, 2.5) to register + offset, or the word there, if that is what
 * it comes to: those of call frames are few.  A PLT's is rsp + 8, + 8 more behind its eleventh
 * byte; a realigned stack's is *(rbp - 8); a signal frame's registers are *(rsp + n).  Everything
 * else is CFI_OTHER. No jumps, so an expression takes as long as it has bytes.
 */

/* With the frame's address on the stack first, as for a register. */
struct cfi_value expression_fold(struct bytes b, const struct unwind_machine_regs *regs, bool cfa);

/* For the frame's address itself, at code address PC of the object (of which pages stay pages). */
struct cfi_value expression_fold_at(struct bytes b, const struct unwind_machine_regs *regs,
				    uint64_t pc);

#endif
