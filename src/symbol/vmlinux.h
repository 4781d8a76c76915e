/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_SYMBOL_VMLINUX_H
#define PTOP_SYMBOL_VMLINUX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "symbol/load.h"
#include "symbol/object.h"

/*
 * The ELF file that a kernel was linked into, with its debugging information: where distributions
 * and builds put it, or a server has it.  Its modules are in files of their own, and not here.
 */
struct vmlinux_identity {
	const uint8_t *build_id;
	size_t build_id_size;		/* 0: none will be found */
	const char *release;		/* as in uname(2) */
	bool local;			/* no server is asked: it is hundreds of megabytes */
};

/* Looked for in L's debug root, too.  Owned by the caller; NULL when there is none with that build id. */
struct object *vmlinux_open(struct load *l, const struct vmlinux_identity *k);

/*
 * Where the kernel's own code is, modules excepted, and how far it lies behind the addresses of its
 * vmlinux: a boot puts it anywhere.
 */
struct vmlinux_place {
	uint64_t start, end;
	uint64_t moved;
};

/* Of the kernel whose symbols are L's `kallsyms`, and of O, its vmlinux.  False: not known. */
bool vmlinux_find_place(struct load *l, const struct object *o, struct vmlinux_place *place);

#endif
