/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_SYMBOL_KERNEL_H
#define PTOP_SYMBOL_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/build-id.h"

/*
 * Decides whether a recording's kernel is the build that runs here, and where the running one is:
 * each boot puts it somewhere else.  The symbols of another build would be wrong.
 */
struct kernel_identity {
	struct build_id build_id;       /* none: release and hostname decide */
	const char *release, *hostname; /* as in uname(2); "" unknown */
	const char *reference;          /* a symbol of it, "_text"; "" unknown */
	uint64_t reference_address;
};

/*
 * Returns true if both are the same build.  KALLSYMS is the running kernel's list of symbols, NOTES
 * its ELF notes (/sys/kernel/notes).  Added to a recorded address of the kernel's own code, *MOVED
 * gives the running kernel's address.  Modules are excepted.
 *
 * Returns false, too, if either side tells too little: a kernel that has MOVED is recognised by its
 * build id only.
 */
bool kernel_is_running(const struct kernel_identity *k, const char *kallsyms, const char *notes,
		       uint64_t *moved);

/* Reads the running kernel's build id from NOTES; none: unknown. */
struct build_id kernel_build_id(const char *notes);

/* The place of the running kernel or of a module. */
struct kernel_place {
	const char *name;    /* "_text", or a module's "nf_tables"; borrowed */
	uint64_t start, end; /* of the kernel's code; for a module, of all of it */
};

/* Returns false if /proc/kallsyms hides addresses or cannot be read. */
bool kernel_find(const char *kallsyms, struct kernel_place *place);

/* Calls ADD with each module of MODULES (/proc/modules) that has a visible address. */
void kernel_each_module(const char *modules,
			void (*add)(void *context, const struct kernel_place *place),
			void *context);

/*
 * Finds which file the module NAME, "nf_tables", is, by LIST (modules.dep(5)): "kernel/net/netfilter/nf_tables.ko" in
 * FILE, without the ending of a packed one.  Returns false if it is not there, or longer than SIZE.
 */
bool kernel_module_file(const char *list, const char *name, char *file, size_t size);

/*
 * A number that changes when modules come or go, or become ready.  0 if MODULES cannot be read or
 * lists none.
 */
uint64_t kernel_modules_mark(const char *modules);

#endif
