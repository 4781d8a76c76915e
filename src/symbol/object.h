/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_SYMBOL_OBJECT_H
#define PTOP_SYMBOL_OBJECT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include <gelf.h>

#include "base/error.h"
#include "symbol/dso.h"
#include "symbol/symtab.h"

/*
 * An ELF file that is open for reading.  libelf reads its headers and converts its tables; contents
 * are read here, in chunks, never mapped: a file that is cut short while it is read must give an
 * error and no SIGBUS.  Every size and offset is compared with the file's size.
 */
struct object {
	int fd;			/* owned */
	uint64_t size;		/* bytes, when it was opened */
	Elf *elf;		/* NULL when it is not an ELF file that can be read */
	GElf_Ehdr header;
	size_t names_section;	/* number of the section of the sections' names */
};

#define OBJECT_BYTES_MAX     (16ull << 30)	/* a larger file is not opened */
#define OBJECT_SECTIONS_MAX  65536u
#define OBJECT_SEGMENTS_MAX  1024u
#define OBJECT_BUILD_ID_MAX  20u

/*
 * Opens PATH for reading if it is a regular file; a FIFO or a device is not even opened.  The
 * descriptor, or a negative errno: -EINVAL for what is no regular file.
 */
int object_open_file(const char *path);

/*
 * Opens what KEY means, through the process that maps it, as long as that lives, and else by its
 * path: the file whose inode or build id is the key's, never another one that has its path now.
 * A descriptor, or -1 with ERR saying why.
 */
int object_open_key(const char *proc_root, const struct dso_key *key, struct error *err);

/* Takes the descriptor FD; never NULL.  `elf` is NULL when it is no ELF file. */
struct object *object_new(int fd);

/* Likewise, of a file that may say of itself that it is as large as an address space: /proc/kcore. */
struct object *object_new_core(int fd);

/* Likewise, but NULL, and FD closed, when it is no ELF file or FD is negative. */
struct object *object_new_elf(int fd);
void object_free(struct object *o);		/* NULL is allowed */

/* Opens a file in memory, which is copied.  NULL when the system has no memory for it. */
struct object *object_new_from_memory(const void *bytes, size_t size);

/* Exactly SIZE bytes at OFFSET; false when the file has not got them. */
bool object_read(const struct object *o, uint64_t offset, void *bytes, size_t size);

/* The section of that name and of TYPE (SHT_NULL: any); NULL when there is none. */
Elf_Scn *object_section(const struct object *o, const char *name, uint32_t type, GElf_Shdr *header);

/* Like it, by type alone: the first. */
Elf_Scn *object_section_of_type(const struct object *o, uint32_t type, GElf_Shdr *header);

/* What its sections of debugging information take in memory, unpacked. */
uint64_t object_dwarf_bytes(const struct object *o);

/*
 * The bytes of a section, owned by the caller, at most LIMIT and followed by a NUL; NULL when it has
 * none, is compressed or too large.
 */
void *object_section_bytes(const struct object *o, const GElf_Shdr *header, size_t limit,
			   size_t *size);

/* Its build id, in a segment or, in a file that is never loaded, a section; in bytes, 0: none. */
size_t object_build_id(const struct object *o, uint8_t id[OBJECT_BUILD_ID_MAX]);

/* The address that a byte of the file is loaded at; false when no segment has it. */
bool object_address_of_offset(const struct object *o, uint64_t offset, uint64_t *address);

/* Reads up to SIZE bytes of what is loaded at ADDRESS, from the file; how many there are. */
size_t object_read_code(const struct object *o, uint64_t address, void *bytes, size_t size);

/* Tells B the loaded segments, for symtab_address_of_offset(). */
void object_add_segments(const struct object *o, struct symtab_builder *b);

/* The address of the first loaded segment, what a prelinked file differs in from its debug file. */
bool object_load_address(const struct object *o, uint64_t *address);

#endif
