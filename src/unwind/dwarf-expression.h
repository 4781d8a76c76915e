/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_UNWIND_DWARF_EXPRESSION_H
#define PTOP_UNWIND_DWARF_EXPRESSION_H

#include "base/cursor.h"
#include "unwind/cfi-value.h"
#include "unwind/regs.h"

/*
 * Folds a DWARF expression (DWARF 5, 2.5) into register + offset, or the word stored there and a number
 * more.  The expressions of call frames are few.  A PLT's is rsp + 8, and 8 more behind its eleventh byte; a
 * realigned stack's is *(rbp - 8); a signal frame's registers are *(rsp + n); OpenSSL's frames are *(rsp +
 * n) + 8.
 *
 * Everything else is CFI_OTHER.  Jumps are not followed, so the time is bounded by the number of
 * bytes.
 */

/* For a register: the frame's address is on the stack first. */
struct cfi_value expression_fold(struct bytes b, const struct unwind_machine_regs *regs);

/*
 * For the frame's address itself.  *ASKS_PC: it depends on the code address, and expression_fold_at() folds it
 * at one; the result here is CFI_OTHER then.
 */
struct cfi_value expression_fold_cfa(struct bytes b, const struct unwind_machine_regs *regs,
				     bool *asks_pc);

/* The same at code address PC of the object, which is mapped by whole pages. */
struct cfi_value expression_fold_at(struct bytes b, const struct unwind_machine_regs *regs,
				    uint64_t pc);

#endif
