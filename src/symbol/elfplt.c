/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "symbol/elfplt.h"

#include <endian.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "symbol/names.h"

#define CHUNK_RELOCATIONS 8192u
#define SLOTS_MAX (1024u * 1024)
#define CODE_MAX (32u * 1024 * 1024)
#define STRINGS_MAX (256u * 1024 * 1024)
#define ENTRY_BYTES 16u

/* A slot: the dynamic linker writes the address of a function into it. */
struct slot {
	uint64_t address;
	uint32_t symbol; /* its number in .dynsym */
};

/* The layout of a machine's tables. */
struct machine {
	uint16_t number;              /* EM_ */
	uint32_t jump_slot, glob_dat; /* relocations of a slot: bound lazily, or at the start */
	unsigned step;                /* where entries may begin; 0: the section's sh_entsize */
	/*
	 * Finds the slot of the jump in the entry at CODE (ENTRY_BYTES, or less), whose address is
	 * ADDRESS.
	 */
	bool (*slot)(const uint8_t *code, size_t size, uint64_t address, uint64_t *slot);
};

static uint32_t code_u32(const uint8_t *code)
{
	uint32_t word;

	memcpy(&word, code, 4);
	return le32toh(word);
}

/* [endbr64] [bnd] jmp *disp32(%rip) */
static bool x86_64_slot(const uint8_t *code, size_t size, uint64_t address, uint64_t *slot)
{
	size_t at = 0;

	if (size >= 4 && code_u32(code) == 0xfa1e0ff3)
		at = 4;
	if (at < size && code[at] == 0xf2)
		at++;
	if (size - at < 6 || code[at] != 0xff || code[at + 1] != 0x25)
		return false;
	*slot = address + at + 6 + (uint64_t)(int64_t)(int32_t)code_u32(code + at + 2);
	return true;
}

/* adrp x16, page; ldr x17, [x16, #offset] */
static bool aarch64_slot(const uint8_t *code, size_t size, uint64_t address, uint64_t *slot)
{
	uint32_t adrp, ldr;
	int64_t pages;

	if (size < 8)
		return false;
	adrp = code_u32(code);
	ldr = code_u32(code + 4);
	if ((adrp & 0x9f00001f) != 0x90000010 || (ldr & 0xffc003ff) != 0xf9400211)
		return false;
	pages = (int64_t)((uint64_t)(adrp >> 5 & 0x7ffff) << 45) >> 43 | (adrp >> 29 & 3);
	*slot = (address & ~0xfffull) + (uint64_t)(pages * 4096) + (ldr >> 10 & 0xfff) * 8;
	return true;
}

/* auipc t3, page; ld t3, offset(t3) */
static bool riscv64_slot(const uint8_t *code, size_t size, uint64_t address, uint64_t *slot)
{
	uint32_t auipc, ld;

	if (size < 8)
		return false;
	auipc = code_u32(code);
	ld = code_u32(code + 4);
	if ((auipc & 0xfff) != 0xe17 || (ld & 0xfffff) != 0xe3e03)
		return false;
	*slot = address + (uint64_t)(int64_t)(int32_t)(auipc & 0xfffff000) +
		(uint64_t)(int64_t)((int32_t)ld >> 20);
	return true;
}

static const struct machine machines[] = {
	{ EM_X86_64, R_X86_64_JUMP_SLOT, R_X86_64_GLOB_DAT, 0, x86_64_slot },
	{ EM_AARCH64, R_AARCH64_JUMP_SLOT, R_AARCH64_GLOB_DAT, 4, aarch64_slot },
	{ EM_RISCV, R_RISCV_JUMP_SLOT, R_RISCV_64, 0, riscv64_slot },
};

struct plt {
	struct load *load;
	const struct object *object;
	const struct machine *machine;
	struct slot *slots;
	size_t count, capacity;
	char *strings; /* of .dynsym */
	size_t strings_size;
	uint64_t symbols_offset, symbols;
	size_t named;
};

static void add_slots(struct plt *p, const Elf64_Rela *relocations, size_t count)
{
	for (size_t i = 0; i < count && p->count < SLOTS_MAX; i++) {
		uint64_t info = le64toh(relocations[i].r_info);
		uint32_t type = ELF64_R_TYPE(info);

		if (type != p->machine->jump_slot && type != p->machine->glob_dat)
			continue;
		mem_grow((void **)&p->slots, &p->capacity, p->count + 1, sizeof(*p->slots));
		p->slots[p->count++] =
			(struct slot){ le64toh(relocations[i].r_offset), ELF64_R_SYM(info) };
	}
}

static void read_relocations(struct plt *p, const GElf_Shdr *header)
{
	Elf64_Rela *chunk = mem_array(CHUNK_RELOCATIONS, sizeof(*chunk));
	uint64_t count = header->sh_size / sizeof(*chunk);

	for (uint64_t at = 0; at < count && !load_checkpoint(p->load); at += CHUNK_RELOCATIONS) {
		size_t n = count - at < CHUNK_RELOCATIONS ? count - at : CHUNK_RELOCATIONS;

		if (!object_read(p->object, header->sh_offset + at * sizeof(*chunk), chunk,
				 n * sizeof(*chunk)))
			break;
		add_slots(p, chunk, n);
	}
	free(chunk);
}

static int compare_slots(const void *left, const void *right)
{
	const struct slot *a = left, *b = right;

	return a->address < b->address ? -1 : a->address > b->address;
}

static void read_slots(struct plt *p)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;

	while ((section = elf_nextscn(p->object->elf, section)))
		if (gelf_getshdr(section, &header) && header.sh_type == SHT_RELA &&
		    (header.sh_flags & SHF_ALLOC))
			read_relocations(p, &header);
	if (p->count)
		qsort(p->slots, p->count, sizeof(*p->slots), compare_slots);
}

static const struct slot *find_slot(const struct plt *p, uint64_t address)
{
	const struct slot key = { .address = address };

	return p->count ? bsearch(&key, p->slots, p->count, sizeof(key), compare_slots) : NULL;
}

static const char *symbol_name(const struct plt *p, uint32_t number)
{
	Elf64_Sym symbol;

	if (!number || number >= p->symbols ||
	    !object_read(p->object, p->symbols_offset + number * sizeof(symbol), &symbol,
			 sizeof(symbol)) ||
	    le32toh(symbol.st_name) >= p->strings_size)
		return NULL;
	return p->strings + le32toh(symbol.st_name);
}

static void name_entry(struct plt *p, uint64_t address, uint64_t size, const struct slot *slot)
{
	const char *name = symbol_name(p, slot->symbol);
	char text[NAMES_TEXT_MAX];
	struct symtab_entry e = { .start = address, .size = size, .name = text };

	if (!name || !*name)
		return;
	snprintf(text, sizeof(text), "%s@plt", name);
	e.name_size = sizeof(text);
	symtab_builder_add(p->load->builder, &e);
	p->named++;
}

static void read_code(struct plt *p, const GElf_Shdr *header)
{
	uint64_t entry = header->sh_entsize >= 8 && header->sh_entsize <= 64 ? header->sh_entsize
									     : ENTRY_BYTES;
	uint64_t step = p->machine->step ? p->machine->step : entry;
	size_t size;
	uint8_t *code = object_section_bytes(p->object, header, CODE_MAX, &size);

	for (size_t at = 0; code && at < size && !load_checkpoint(p->load); at += step) {
		const struct slot *found;
		uint64_t slot;

		if (!p->machine->slot(code + at, size - at < entry ? size - at : entry,
				      header->sh_addr + at, &slot))
			continue;
		found = find_slot(p, slot);
		if (found)
			name_entry(p, header->sh_addr + at, entry, found);
	}
	free(code);
}

static bool read_dynsym(struct plt *p)
{
	GElf_Shdr header, strings;

	if (!object_section_of_type(p->object, SHT_DYNSYM, &header) ||
	    !gelf_getshdr(elf_getscn(p->object->elf, header.sh_link), &strings))
		return false;
	p->symbols_offset = header.sh_offset;
	p->symbols = header.sh_size / sizeof(Elf64_Sym);
	p->strings = object_section_bytes(p->object, &strings, STRINGS_MAX, &p->strings_size);
	return p->strings;
}

static const struct machine *find_machine(const struct object *o)
{
	if (!o->elf || o->header.e_ident[EI_CLASS] != ELFCLASS64 ||
	    o->header.e_ident[EI_DATA] != ELFDATA2LSB)
		return NULL;
	for (size_t i = 0; i < sizeof(machines) / sizeof(*machines); i++)
		if (machines[i].number == o->header.e_machine)
			return &machines[i];
	return NULL;
}

size_t elfplt_read(struct load *l, const struct object *o)
{
	static const char *const tables[] = { ".plt", ".plt.sec", ".plt.got" };
	struct plt p = { .load = l, .object = o, .machine = find_machine(o) };

	if (!p.machine || !read_dynsym(&p))
		return 0;
	read_slots(&p);
	for (size_t i = 0; i < sizeof(tables) / sizeof(*tables) && p.count; i++) {
		GElf_Shdr header;

		if (object_section(o, tables[i], SHT_PROGBITS, &header))
			read_code(&p, &header);
	}
	free(p.slots);
	free(p.strings);
	return p.named;
}
