/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_TESTS_UNWIND_LIBUNWIND_H
#define PTOP_TESTS_UNWIND_LIBUNWIND_H

#include "objects.h"

/*
 * libunwind over a sample's bytes, and the descriptions as they are in the files: what ptop's rules are compared
 * with.  It passes on all registers and evaluates every expression.  It trusts its files.
 */
struct oracle;

struct oracle *oracle_new(void);
void oracle_free(struct oracle *o); /* NULL is allowed */

/* As unwind_sample(). */
size_t oracle_unwind(struct oracle *o, const struct unwind_regs *regs,
		     const struct unwind_stack *stack, const struct objects_space *space,
		     uint64_t *frames, size_t max, enum unwind_end *end);

#endif
