/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_SYMBOL_VMLINUX_H
#define PTOP_SYMBOL_VMLINUX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/build-id.h"
#include "symbol/kernel.h"
#include "symbol/load-state.h"
#include "symbol/object.h"

/*
 * The ELF file that a kernel was linked into, with its debugging information.  It is looked for
 * where distributions and builds put it, and on a server.  The kernel's modules are files of their
 * own (kmodule.h) and not part of it.
 */
struct vmlinux_identity {
	struct build_id build_id; /* none: nothing will be found */
	const char *release;      /* as in uname(2) */
	bool local;               /* do not ask a server: the file has hundreds of megabytes */
};

/*
 * Finds the vmlinux with that build id, also in L's debug root; here, or through L's `open`.  Owned by the
 * caller; NULL if there is none.
 */
struct object *vmlinux_open(struct load *l, const struct vmlinux_identity *k);

/* The same for the debug file of a module of that kernel; that is not too large for a server. */
struct kmodule;
struct object *vmlinux_open_module(struct load *l, const struct kmodule *m);

/*
 * The place of the kernel's own code, modules excepted, and its distance to the addresses of its
 * vmlinux: each boot puts it somewhere else.
 */
struct vmlinux_place {
	uint64_t start, end;
	uint64_t moved;
};

/*
 * Finds that place for the kernel whose own code is at KERNEL, as kernel_find() tells it, or without a name: nobody
 * knows where.  O is its vmlinux.  Returns false if unknown.
 */
bool vmlinux_find_place(struct load *l, const struct object *o, const struct kernel_place *kernel,
			struct vmlinux_place *place);

#endif
