/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_SYMBOL_RELOCATE_H
#define PTOP_SYMBOL_RELOCATE_H

#include <stdbool.h>

#include "symbol/kmodule.h"
#include "symbol/object.h"

/*
 * Debugging information of a relocatable file (ET_REL), such as a kernel's module.  Each address in it, and with some
 * compilers each offset from one of its sections to another, is left to a linker.  libelf reads the relocations; the
 * psABI of each machine says what they mean.
 */

/*
 * Applies the relocations of O's sections .debug_* in memory, for M's sections.  A section that M does not have is at
 * 0.  Call after dwarf_begin_elf(), which has unpacked compressed sections.  Returns false if O's allowance does
 * not suffice, which O then tells.
 */
bool relocate_debug(const struct object *o, const struct kmodule *m);

#endif
