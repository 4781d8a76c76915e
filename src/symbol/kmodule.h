/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_SYMBOL_KMODULE_H
#define PTOP_SYMBOL_KMODULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/build-id.h"
#include "base/error.h"

/*
 * A module of the running kernel.  Its file is relocatable: the kernel puts each section where there is room.  The
 * kernel tells root these addresses in /sys/module/NAME (Documentation/ABI/testing/sysfs-module):
 *
 *	sections/.text                0xffffffffc0a00000
 *	notes/.note.gnu.build-id      the note, as elf(5) has it
 */
#define KMODULE_SECTIONS_MAX 4096u /* further ones have no address */
#define KMODULE_SECTION_NAME 120u  /* nor has one with a longer name */
#define KMODULE_FILE 512u

struct kmodule_section {
	char name[KMODULE_SECTION_NAME];
	uint64_t address;
};

struct kmodule {
	struct build_id build_id; /* none: no file can be known to be its file */
	char file
		[KMODULE_FILE]; /* below lib/modules: "6.1.0/kernel/net/sctp/sctp.ko"; "" unknown */
	size_t section_count;
	struct kmodule_section *sections; /* owned; by name */
};

/* Where to look.  All borrowed. */
struct kmodule_roots {
	const char *sys;     /* "/sys/module" */
	const char *files;   /* "/lib/modules"; its modules.dep tells which file a module has */
	const char *release; /* as in uname(2) */
};

/* Reads the module NAME, "nf_tables".  Returns 0, or a negative value with ERR saying why its addresses are not known. */
int kmodule_read(struct kmodule *m, const struct kmodule_roots *roots, const char *name,
		 struct error *err);
void kmodule_fini(struct kmodule *m);

/* The address of a section.  Returns false if the kernel did not keep it. */
bool kmodule_address(const struct kmodule *m, const char *section, uint64_t *address);

/* A module for a worker: returns a descriptor that the caller owns, or a negative errno. */
int kmodule_send(const struct kmodule *m);

/* In the worker.  FD stays the caller's.  Returns false if it has no module.  A build id that is too long is none. */
bool kmodule_receive(struct kmodule *m, int fd);

#endif
