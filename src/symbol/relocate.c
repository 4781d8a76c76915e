/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "symbol/relocate.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

#define LEB_BYTES_MAX 10u

/* Missing in older <elf.h>. */
#define RISCV_SET_ULEB128 60
#define RISCV_SUB_ULEB128 61

/* To do with the number in the section. */
enum operation { PUT, ADD, SUBTRACT };

struct rule {
	uint16_t machine, type;
	enum operation operation;
	unsigned size; /* bytes of the number; 0: a ULEB128 */
	uint8_t mask;  /* of a number of one byte, the bits that are written; 0: all */
};

/*
 * "ELF x86-64-ABI" 4.4, "ELF for the Arm 64-bit Architecture" 5.7.5, "RISC-V ELF Specification" 8.4.  Others are of
 * data, as of thread-local variables: no line and no function needs them.
 */
/* clang-format off */
static const struct rule rules[] = {
	{ EM_X86_64,  R_X86_64_64,       PUT,      8, 0 },
	{ EM_X86_64,  R_X86_64_32,       PUT,      4, 0 },
	{ EM_X86_64,  R_X86_64_32S,      PUT,      4, 0 },
	{ EM_AARCH64, R_AARCH64_ABS64,   PUT,      8, 0 },
	{ EM_AARCH64, R_AARCH64_ABS32,   PUT,      4, 0 },
	{ EM_RISCV,   R_RISCV_64,        PUT,      8, 0 },
	{ EM_RISCV,   R_RISCV_32,        PUT,      4, 0 },
	{ EM_RISCV,   R_RISCV_ADD8,      ADD,      1, 0 },
	{ EM_RISCV,   R_RISCV_ADD16,     ADD,      2, 0 },
	{ EM_RISCV,   R_RISCV_ADD32,     ADD,      4, 0 },
	{ EM_RISCV,   R_RISCV_ADD64,     ADD,      8, 0 },
	{ EM_RISCV,   R_RISCV_SUB6,      SUBTRACT, 1, 0x3f },
	{ EM_RISCV,   R_RISCV_SUB8,      SUBTRACT, 1, 0 },
	{ EM_RISCV,   R_RISCV_SUB16,     SUBTRACT, 2, 0 },
	{ EM_RISCV,   R_RISCV_SUB32,     SUBTRACT, 4, 0 },
	{ EM_RISCV,   R_RISCV_SUB64,     SUBTRACT, 8, 0 },
	{ EM_RISCV,   R_RISCV_SET6,      PUT,      1, 0x3f },
	{ EM_RISCV,   R_RISCV_SET8,      PUT,      1, 0 },
	{ EM_RISCV,   R_RISCV_SET16,     PUT,      2, 0 },
	{ EM_RISCV,   R_RISCV_SET32,     PUT,      4, 0 },
	{ EM_RISCV,   RISCV_SET_ULEB128, PUT,      0, 0 },
	{ EM_RISCV,   RISCV_SUB_ULEB128, SUBTRACT, 0, 0 },
};
/* clang-format on */

struct relocator {
	const struct object *o;
	bool big_endian;
	uint64_t *bases; /* of sections, by their number; owned */
	size_t section_count;
	Elf_Data *symbols;
};

static const struct rule *rule_of(const struct object *o, uint64_t type)
{
	for (size_t i = 0; i < sizeof(rules) / sizeof(*rules); i++)
		if (rules[i].machine == o->header.e_machine && rules[i].type == type)
			return &rules[i];
	return NULL;
}

/* Where byte I of a number with SIZE bytes has its bits. */
static unsigned shift_of(const struct relocator *r, unsigned i, unsigned size)
{
	return 8 * (r->big_endian ? size - 1 - i : i);
}

static uint64_t combined(const struct rule *rule, uint64_t old, uint64_t value)
{
	if (rule->operation == PUT)
		return value;
	return rule->operation == ADD ? old + value : old - value;
}

static void change_number(const struct relocator *r, const struct rule *rule, unsigned char *at,
			  uint64_t value)
{
	const uint8_t mask = rule->mask ? rule->mask : 0xff;
	uint64_t old = 0;

	for (unsigned i = 0; i < rule->size; i++)
		old |= (uint64_t)at[i] << shift_of(r, i, rule->size);
	value = combined(rule, old, value);
	for (unsigned i = 0; i < rule->size; i++)
		at[i] = (unsigned char)((at[i] & ~mask) |
					(value >> shift_of(r, i, rule->size) & mask));
}

/* A ULEB128 keeps the number of bytes that the assembler gave it; SIZE are left. */
static void change_leb(const struct rule *rule, unsigned char *at, size_t size, uint64_t value)
{
	unsigned count = 0;
	uint64_t old = 0;

	while (count < size && count < LEB_BYTES_MAX) {
		old |= (uint64_t)(at[count] & 0x7f) << (7 * count);
		if (!(at[count++] & 0x80))
			break;
	}
	value = combined(rule, old, value);
	for (unsigned i = 0; i < count; i++)
		at[i] = (unsigned char)((at[i] & 0x80) | (value >> (7 * i) & 0x7f));
}

/* The symbol's address.  One that is in no section of this file is no code of it. */
static uint64_t symbol_address(const struct relocator *r, uint64_t number)
{
	GElf_Sym s;

	if (number > INT32_MAX || !gelf_getsym(r->symbols, (int)number, &s))
		return 0;
	return s.st_value + (s.st_shndx < r->section_count ? r->bases[s.st_shndx] : 0);
}

static void apply(const struct relocator *r, const GElf_Rela *a, Elf_Data *to)
{
	const struct rule *rule = rule_of(r->o, GELF_R_TYPE(a->r_info));
	unsigned char *at;
	uint64_t value;

	if (!rule || a->r_offset >= to->d_size || rule->size > to->d_size - a->r_offset)
		return;
	at = (unsigned char *)to->d_buf + a->r_offset;
	value = symbol_address(r, GELF_R_SYM(a->r_info)) + (uint64_t)a->r_addend;
	if (rule->size)
		change_number(r, rule, at, value);
	else
		change_leb(rule, at, to->d_size - a->r_offset, value);
}

/* The data of a section that this file has; NULL if it is of no use here. */
static Elf_Data *data_of(const struct relocator *r, Elf_Scn *section, const char *prefix)
{
	GElf_Shdr header;
	const char *name;
	Elf_Data *data;

	if (!section || !gelf_getshdr(section, &header) || header.sh_type == SHT_NOBITS ||
	    header.sh_flags & SHF_COMPRESSED)
		return NULL;
	name = elf_strptr(r->o->elf, r->o->names_section, header.sh_name);
	if (!name || strncmp(name, prefix, strlen(prefix)))
		return NULL;
	data = elf_getdata(section, NULL);
	return data && data->d_buf ? data : NULL;
}

/* Applies the relocations of SECTION, if they are of debugging information: those are paid (object_dwarf_bytes()). */
static bool apply_all(const struct relocator *r, Elf_Scn *section)
{
	Elf_Data *list = NULL, *to = NULL;
	GElf_Shdr header;
	GElf_Rela a;
	size_t count;

	if (gelf_getshdr(section, &header) && header.sh_type == SHT_RELA && header.sh_entsize)
		list = data_of(r, section, ".rela.debug_");
	if (list)
		to = data_of(r, elf_getscn(r->o->elf, header.sh_info), ".debug_");
	if (!to)
		return true;
	count = list->d_size / header.sh_entsize;
	if (!allowance_spend(r->o->allowance, list->d_size))
		return false;
	for (size_t i = 0; i < count && i < INT32_MAX && gelf_getrela(list, (int)i, &a); i++)
		apply(r, &a, to);
	return true;
}

/* Sections that are not loaded begin at 0. */
static void find_bases(struct relocator *r, const struct kmodule *m)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	const char *name;

	r->bases = mem_array(r->section_count, sizeof(*r->bases));
	while ((section = elf_nextscn(r->o->elf, section))) {
		size_t number = elf_ndxscn(section);

		if (number >= r->section_count || !gelf_getshdr(section, &header) ||
		    !(header.sh_flags & SHF_ALLOC))
			continue;
		name = elf_strptr(r->o->elf, r->o->names_section, header.sh_name);
		if (name)
			kmodule_address(m, name, &r->bases[number]);
	}
}

static bool find_symbols(struct relocator *r)
{
	GElf_Shdr header;
	Elf_Scn *section = object_section_of_type(r->o, SHT_SYMTAB, &header);

	if (!section || header.sh_flags & SHF_COMPRESSED || header.sh_size > r->o->size)
		return allowance_refuse(r->o->allowance, REFUSED_DAMAGED);
	if (!allowance_take(r->o->allowance, header.sh_size))
		return false;
	r->symbols = elf_getdata(section, NULL);
	return r->symbols || allowance_refuse(r->o->allowance, REFUSED_DAMAGED);
}

bool relocate_debug(const struct object *o, const struct kmodule *m)
{
	struct relocator r = { .o = o, .big_endian = o->header.e_ident[EI_DATA] == ELFDATA2MSB };
	Elf_Scn *section = NULL;
	bool enough;

	if (elf_getshdrnum(o->elf, &r.section_count) < 0)
		return allowance_refuse(o->allowance, REFUSED_DAMAGED);
	if (!find_symbols(&r))
		return false;
	find_bases(&r, m);
	enough = true;
	while (enough && (section = elf_nextscn(o->elf, section)))
		enough = apply_all(&r, section);
	free(r.bases);
	return enough;
}
