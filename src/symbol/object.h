/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_SYMBOL_OBJECT_H
#define PTOP_SYMBOL_OBJECT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include <gelf.h>

#include "base/build-id.h"
#include "base/error.h"
#include "symbol/allowance.h"
#include "symbol/dso-key.h"
#include "symbol/symtab.h"

/*
 * An ELF file that is open for reading.  libelf reads its headers and converts its tables.
 * Contents are read here, in chunks, and never mapped: a file that is cut short during the reading
 * must give an error and no SIGBUS.  Every size and offset is compared with the file's size, and what
 * is allocated or looped over by them is paid from the object's allowance.
 */
struct object {
	int fd;        /* owned */
	uint64_t size; /* bytes, when opened */
	Elf *elf;      /* NULL if it is no ELF file that can be read */
	GElf_Ehdr header;
	size_t names_section;        /* index of the section with the sections' names */
	struct allowance *allowance; /* what reading it may cost; owned */
};

#define OBJECT_BYTES_MAX (16ull << 30) /* a larger file is not opened */
#define OBJECT_SECTIONS_MAX 65536u
#define OBJECT_SEGMENTS_MAX 1024u

/*
 * Opens PATH for reading if it is a regular file; a FIFO or a device is not even opened.  Returns
 * the descriptor, or a negative errno: -EINVAL if it is no regular file.
 */
int object_open_file(const char *path);

/*
 * Opens the file of KEY: through the process that maps it while that lives, else by its path.  The
 * file must have the key's inode or build id; another file that has the path now is never opened.
 * Returns a descriptor, or -1 with ERR saying why.
 */
int object_open_key(const char *proc_root, const struct dso_key *key, struct error *err);

/* Takes the descriptor FD; never returns NULL.  `elf` is NULL if it is no ELF file. */
struct object *object_new(int fd);

/* The same for a file that may claim the size of an address space: /proc/kcore. */
struct object *object_new_core(int fd);

/* The same, but returns NULL and closes FD if it is no ELF file.  NULL, too, if FD is negative. */
struct object *object_new_elf(int fd);
void object_free(struct object *o); /* NULL is allowed */

/* Opens a file in memory, which is copied.  Returns NULL without memory for it. */
struct object *object_new_from_memory(const void *bytes, size_t size);

/* Reads exactly SIZE bytes at OFFSET.  Returns false if the file lacks some of them. */
bool object_read(const struct object *o, uint64_t offset, void *bytes, size_t size);

/* Finds the first section of that name and of TYPE (SHT_NULL: any) behind SECTION (NULL: of all), or NULL. */
Elf_Scn *object_section_next(const struct object *o, Elf_Scn *section, const char *name,
			     uint32_t type, GElf_Shdr *header);

/* Finds the first of them, or NULL. */
Elf_Scn *object_section(const struct object *o, const char *name, uint32_t type, GElf_Shdr *header);

/* Finds the first section of TYPE, or NULL. */
Elf_Scn *object_section_of_type(const struct object *o, uint32_t type, GElf_Shdr *header);

/*
 * The unpacked size of its sections of debugging information, in bytes.  These are the sections that
 * libdw reads when it begins.
 */
uint64_t object_dwarf_bytes(const struct object *o);

/* Why part of it is not read: "too large …", "too slow …", "damaged …"; NULL: nothing was refused. */
const char *object_refusal(const struct object *o);

/* The same for an enum refusal, or any other number, which is none. */
const char *object_refusal_text(unsigned refused);

/*
 * Returns the bytes of a section, at most LIMIT and a NUL behind them, owned by the caller.
 * Returns NULL if it has none, is compressed or is too large, also for the allowance.
 */
void *object_section_bytes(const struct object *o, const GElf_Shdr *header, size_t limit,
			   size_t *size);

/* Its build id, from a segment or, in a file that is never loaded, a section. */
struct build_id object_build_id(const struct object *o);

/* The address at which a byte of the file is loaded.  Returns false if no segment has it. */
bool object_address_of_offset(const struct object *o, uint64_t offset, uint64_t *address);

/* Reads from the file up to SIZE bytes that are loaded at ADDRESS.  Returns their number. */
size_t object_read_code(const struct object *o, uint64_t address, void *bytes, size_t size);

/* Gives B the loaded segments, for symtab_address_of_offset(). */
void object_add_segments(const struct object *o, struct symtab_builder *b);

/*
 * The address of the first loaded segment.  It differs between a prelinked file and its debug file.
 */
bool object_load_address(const struct object *o, uint64_t *address);

#endif
