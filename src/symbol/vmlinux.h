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
};

/* Looked for in L's debug root, too.  Owned by the caller; NULL when there is none with that build id. */
struct object *vmlinux_open(struct load *l, const struct vmlinux_identity *k);

/*
 * How far the kernel whose symbols are L's `kallsyms` lies behind the addresses of O, its vmlinux, in
 * *MOVED: a boot puts it anywhere.  False: not known.
 */
bool vmlinux_moved(struct load *l, const struct object *o, uint64_t *moved);

#endif
