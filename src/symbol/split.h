/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_SYMBOL_SPLIT_H
#define PTOP_SYMBOL_SPLIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <elfutils/libdw.h>

#include "base/bytes.h"
#include "base/error.h"
#include "symbol/load.h"
#include "symbol/object.h"

/*
 * Compilation units whose debugging information the compiler left in a file of its own (DWARF 5,
 * 7.3.2 "Split DWARF Object Files"; gcc and clang do the same for DWARF 4): NAME.dwo, or PROGRAM.dwp
 * (7.3.5), the package of all units of a program.  What a linker had to change is in the program: a
 * skeleton of the unit, its addresses and its lines.
 *
 * libdw would open whatever a skeleton names, also what blocks, below the root of this process alone,
 * and reads no package before version 0.191.  So the file is opened here, and libdw gets the unit
 * alone, as an ELF file in memory.  Its addresses are looked up here.
 *
 * Type units are left out: members are declared in the unit that has their code, too.  Not read:
 * programs of the other byte order.
 */
struct split_files;

/*
 * Where to look for the units of PROGRAM, the object with the skeletons, which is borrowed as is L's
 * `proc_root`; of L the key is copied.  DEBUG_PATH is that of its debug file, or "".
 */
struct split_files *split_files_new(const struct load *l, const struct object *program,
				    const char *debug_path);
void split_files_free(struct split_files *f);		/* NULL is allowed */

size_t split_files_bytes(const struct split_files *f);	/* of memory */

/*
 * The unit of a skeleton's DIE, found by its number: owned by the caller, and to be closed before F.
 * NULL when no file has it, and WHY says so, with the path of a file.
 */
struct split_unit;
struct split_unit *split_unit_open(struct split_files *f, Dwarf_Die *skeleton, struct error *why);
void split_unit_close(struct split_unit *u);		/* NULL is allowed */

Dwarf *split_unit_dwarf(const struct split_unit *u);	/* borrowed */
Dwarf_Die split_unit_die(const struct split_unit *u);
size_t split_unit_bytes(const struct split_unit *u);	/* of memory */

/* The addresses of a DIE's code, one range after the other.  Everything in it is split.c's. */
struct split_ranges {
	const struct split_unit *unit;
	struct bytes list;
	uint64_t base;
	uint64_t low, high;		/* of a DIE with a single one */
	bool done;
};

struct split_ranges split_ranges_of(const struct split_unit *u, Dwarf_Die *die);

/* The next one, [*LOW, *HIGH), in the program's addresses; false when there are no more. */
bool split_ranges_next(struct split_ranges *r, uint64_t *low, uint64_t *high);

#endif
