/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_SYMBOL_ELFCFI_H
#define PTOP_SYMBOL_ELFCFI_H

#include <stddef.h>

#include "symbol/load-state.h"
#include "symbol/object.h"

/*
 * Adds a function without a name to L's builder for each description in O's .eh_frame that lies in code.
 * Where a symbol is known, the builder leaves such a function out.  Returns their share of the code, 0 to 1.
 *
 * Works for all machines with 64-bit little-endian files.
 */
double elfcfi_read(struct load *l, const struct object *o);

#endif
