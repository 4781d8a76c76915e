/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_SYMBOL_SPLIT_H
#define PTOP_SYMBOL_SPLIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <elfutils/libdw.h>

#include "base/bytes.h"
#include "base/error.h"
#include "symbol/load-state.h"
#include "symbol/object.h"

/*
 * Compilation units whose debugging information the compiler left in a file of its own.  That file
 * is NAME.dwo, or PROGRAM.dwp (DWARF 5, 7.3.5), the package of all units of a program.  See DWARF
 * 5, 7.3.2 "Split DWARF Object Files"; gcc and clang do the same for DWARF 4.  The program itself
 * has what a linker had to change: a skeleton of the unit, its addresses and its lines.
 *
 * libdw would open any file that a skeleton names, also one that blocks, below the root of this
 * process alone.  It reads no package before version 0.191.  So the file is opened here, and libdw
 * gets a single unit, as an ELF file in memory.
 *
 * Condition and date of removal, here alone: the division of packages (package_find(), collect_texts()
 * and the index in split.c) can go when no supported system has a libdw before 0.191.  The last ones are
 * Debian 12 with 0.188, until June 2028, and Ubuntu 24.04 with 0.190, until April 2029.  The opening
 * of files stays.
 *
 * The unit's addresses are looked up here.  Type units are left out, because members are also
 * declared in the unit that has their code.
 *
 * Not read: programs of the other byte order.
 */
struct split_files;

/*
 * Says where to look for the units of PROGRAM, the object with the skeletons: the program itself or its
 * debug file.  PROGRAM and L's roots and `context` are borrowed; L's key is copied.
 */
struct split_files *split_files_new(const struct load *l, const struct object *program);
void split_files_free(struct split_files *f); /* NULL is allowed */

size_t split_files_bytes(const struct split_files *f); /* of memory */

/*
 * Finds the unit of a skeleton's DIE, by its number.  The caller owns the unit and closes it before
 * F.  Returns NULL if no file has it; WHY then says so, with the path of a file.
 */
struct split_unit;
struct split_unit *split_unit_open(struct split_files *f, Dwarf_Die *skeleton, struct error *why);
void split_unit_close(struct split_unit *u); /* NULL is allowed */

Dwarf *split_unit_dwarf(const struct split_unit *u); /* borrowed */
Dwarf_Die split_unit_die(const struct split_unit *u);
size_t split_unit_bytes(const struct split_unit *u); /* of memory */

/* Walks the address ranges of a DIE's code.  The members are for split.c alone. */
struct split_ranges {
	const struct split_unit *unit;
	struct bytes list;
	uint64_t base;
	uint64_t low, high; /* of a DIE with a single range */
	bool done;
};

struct split_ranges split_ranges_of(const struct split_unit *u, Dwarf_Die *die);

/* The next range, [*LOW, *HIGH), in the program's addresses.  Returns false at the end. */
bool split_ranges_next(struct split_ranges *r, uint64_t *low, uint64_t *high);

#endif
