/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "symbol/elfcfi.h"

#include <stdlib.h>

#include "symbol/cfi-entry.h"

#define SECTION_MAX (64u << 20) /* bytes; that of a browser's largest library is a quarter of it */
#define ENTRIES_A_CHECK 4096
#define CODE_MAX 16 /* segments; linkers make one */

/* The segments of an object that hold code. */
struct code {
	size_t count;
	struct {
		uint64_t start, size;
	} segments[CODE_MAX];
};

static void find_code(struct code *c, const struct object *o)
{
	size_t count = 0;
	GElf_Phdr p;

	c->count = 0;
	if (elf_getphdrnum(o->elf, &count) < 0)
		return;
	for (size_t i = 0; i < count && i < OBJECT_SEGMENTS_MAX && c->count < CODE_MAX; i++) {
		if (!gelf_getphdr(o->elf, (int)i, &p) || p.p_type != PT_LOAD || !(p.p_flags & PF_X))
			continue;
		c->segments[c->count].start = p.p_vaddr;
		c->segments[c->count++].size = p.p_memsz;
	}
}

/* Returns true if all of F is in code. */
static bool is_code(const struct code *c, const struct cfi_fde *f)
{
	for (size_t i = 0; i < c->count; i++) {
		uint64_t offset = f->start - c->segments[i].start;

		if (offset < c->segments[i].size)
			return f->size && f->size <= c->segments[i].size - offset;
	}
	return false;
}

/* Returns the bytes of the functions. */
static uint64_t add_functions(struct load *l, const struct code *c, const struct cfi_section *s)
{
	struct cfi_walk w = { .section = s };
	uint64_t bytes = 0;

	for (size_t i = 1; cfi_walk_next(&w); i++) {
		const struct symtab_entry e = { .start = w.fde.start,
						.size = w.fde.size,
						.name = "" };

		if (i % ENTRIES_A_CHECK == 0 && load_checkpoint(l))
			break;
		if (!is_code(c, &w.fde))
			continue;
		symtab_builder_add(l->builder, &e);
		bytes += w.fde.size;
	}
	return bytes;
}

/* Sections, because a segment of code may begin with other things. */
static uint64_t code_bytes(const struct object *o)
{
	Elf_Scn *section = NULL;
	uint64_t bytes = 0;
	GElf_Shdr header;

	while ((section = elf_nextscn(o->elf, section)))
		if (gelf_getshdr(section, &header) && header.sh_flags & SHF_EXECINSTR &&
		    header.sh_size <= o->size)
			bytes += header.sh_size;
	return bytes;
}

double elfcfi_read(struct load *l, const struct object *o)
{
	GElf_Shdr header;
	struct cfi_section s = { .bytes = NULL };
	struct code code;
	uint64_t described, all = code_bytes(o);
	uint8_t *bytes;

	if (o->header.e_ident[EI_CLASS] != ELFCLASS64 ||
	    o->header.e_ident[EI_DATA] != ELFDATA2LSB ||
	    !object_section(o, ".eh_frame", SHT_NULL, &header))
		return 0;
	bytes = object_section_bytes(o, &header, SECTION_MAX, &s.size);
	if (!bytes)
		return 0;
	s.bytes = bytes;
	s.address = header.sh_addr;
	find_code(&code, o);
	described = add_functions(l, &code, &s);
	free(bytes);
	return all ? (double)described / (double)all : 1;
}
