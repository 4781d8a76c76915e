/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_SYMBOL_KERNEL_H
#define PTOP_SYMBOL_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Whether a recording's kernel is the build that runs here, and where that one is: a new boot puts it
 * somewhere else.  The symbols of another build would be wrong.
 */
struct kernel_identity {
	const uint8_t *build_id;
	size_t build_id_size;		/* 0 unknown: then release and hostname decide */
	const char *release, *hostname;	/* as in uname(2); "" unknown */
	const char *reference;		/* a symbol of it, "_text"; "" unknown */
	uint64_t reference_address;
};

/*
 * KALLSYMS is the running kernel's list of symbols, NOTES its ELF notes (/sys/kernel/notes).  False
 * also when too little is known on either side, which for one that has MOVED means no build id.
 * *MOVED is what a recorded address of the kernel's own code, modules excepted, needs to be added to
 * be the running one's.
 */
bool kernel_is_running(const struct kernel_identity *k, const char *kallsyms, const char *notes,
		       uint64_t *moved);

/* The running kernel's build id, read from NOTES; the size, 0 unknown. */
#define KERNEL_BUILD_ID_MAX 20
size_t kernel_build_id(const char *notes, uint8_t id[KERNEL_BUILD_ID_MAX]);

/* Where the running kernel and its modules are. */
struct kernel_place {
	const char *name;		/* "_text", or a module's "nf_tables"; borrowed */
	uint64_t start, end;		/* of its code; of a module, all of it */
};

/* False when /proc/kallsyms hides addresses or cannot be read. */
bool kernel_find(const char *kallsyms, struct kernel_place *place);

/* Calls ADD with each module of MODULES (/proc/modules) whose address is not hidden. */
void kernel_each_module(const char *modules,
			void (*add)(void *context, const struct kernel_place *place),
			void *context);

/*
 * A number that is another one when modules came or went since, or one of them became ready; 0 when
 * MODULES cannot be read or lists none.
 */
uint64_t kernel_modules_mark(const char *modules);

#endif
