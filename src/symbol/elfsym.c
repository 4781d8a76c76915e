/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "symbol/elfsym.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "symbol/names.h"

#define CHUNK_SYMBOLS 8192u
#define CHUNK_BYTES (1024u * 1024)
#define STRINGS_MAX (1ull << 30)
#define SYMBOLS_MAX (64u * 1024 * 1024)

struct section {
	uint64_t end; /* address behind its last byte */
	bool code;
};

/* A symbol table being read. */
struct table {
	struct load *load;
	const struct object *object;
	elfsym_visitor *visit;
	void *context;
	char *strings;
	size_t strings_size;
	struct section *sections; /* by number */
	size_t section_count;
	int64_t bias;
	size_t found;
	bool refused; /* the allowance is used up */
};

static char *read_strings(struct load *l, const struct object *o, const GElf_Shdr *header,
			  size_t *size)
{
	char *bytes;

	if (header->sh_size > STRINGS_MAX || header->sh_size > o->size ||
	    !allowance_take(o->allowance, header->sh_size))
		return NULL;
	bytes = malloc(header->sh_size + 1);
	if (!bytes)
		return NULL;
	for (uint64_t at = 0; at < header->sh_size; at += CHUNK_BYTES) {
		uint64_t left = header->sh_size - at;

		if (load_checkpoint(l) || !object_read(o, header->sh_offset + at, bytes + at,
						       left < CHUNK_BYTES ? left : CHUNK_BYTES)) {
			free(bytes);
			allowance_give(o->allowance, header->sh_size);
			return NULL;
		}
	}
	bytes[header->sh_size] = '\0';
	*size = header->sh_size;
	return bytes;
}

static void read_sections(struct table *t)
{
	size_t count = 0;

	if (elf_getshdrnum(t->object->elf, &count) < 0 || count > OBJECT_SECTIONS_MAX)
		return;
	t->sections = mem_array(count, sizeof(*t->sections));
	t->section_count = count;
	for (size_t i = 1; i < count; i++) {
		GElf_Shdr header;

		if (!gelf_getshdr(elf_getscn(t->object->elf, i), &header))
			continue;
		t->sections[i].end = header.sh_addr + header.sh_size;
		t->sections[i].code = header.sh_flags & SHF_EXECINSTR;
	}
}

/* $a $d $t $x mark code and data for disassemblers; .L is local to the assembler. */
static bool is_local_label(const char *name)
{
	return name[0] == '$' || (name[0] == '.' && name[1] == 'L');
}

static bool is_function(const struct table *t, const GElf_Sym *symbol, const char *name)
{
	unsigned type = GELF_ST_TYPE(symbol->st_info);
	unsigned visibility = GELF_ST_VISIBILITY(symbol->st_other);

	if (symbol->st_shndx == SHN_UNDEF || !name[0])
		return false;
	if (type == STT_FUNC || type == STT_GNU_IFUNC)
		return true;
	return type == STT_NOTYPE && symbol->st_shndx < t->section_count &&
	       t->sections[symbol->st_shndx].code && !is_local_label(name) &&
	       visibility != STV_HIDDEN && visibility != STV_INTERNAL;
}

/* perf's order: prefers a typed symbol, then one that is not weak, then a global one. */
static unsigned symbol_rank(const GElf_Sym *symbol)
{
	unsigned binding = GELF_ST_BIND(symbol->st_info);

	return (GELF_ST_TYPE(symbol->st_info) == STT_NOTYPE) << 2 | (binding == STB_WEAK) << 1 |
	       (binding != STB_GLOBAL);
}

/* Many symbols may claim one long name, or names that overlap: each pays for its own. */
static bool pay_name(struct table *t, size_t size)
{
	struct allowance *a = t->object->allowance;

	t->refused = t->refused || !allowance_spend(a, size) || !allowance_take(a, size);
	return !t->refused;
}

static void table_add(struct table *t, const GElf_Sym *symbol)
{
	struct symtab_entry e = { .size = symbol->st_size, .rank = symbol_rank(symbol) };

	if (symbol->st_name >= t->strings_size)
		return;
	e.name = t->strings + symbol->st_name;
	e.name_size = strnlen(e.name, NAMES_TEXT_MAX);
	if (!is_function(t, symbol, e.name) || !pay_name(t, e.name_size + 1))
		return;
	e.start = symbol->st_value + t->bias;
	/* On ARM the lowest bit says "Thumb code". */
	if (t->object->header.e_machine == EM_ARM && GELF_ST_TYPE(symbol->st_info) == STT_FUNC)
		e.start &= ~1ull;
	if (symbol->st_shndx < t->section_count)
		e.limit = t->sections[symbol->st_shndx].end + t->bias;
	t->visit(t->context, &e);
	t->found++;
}

/* Converts COUNT symbols that were read from the file at RAW. */
static void table_add_raw(struct table *t, void *raw, void *native, size_t count, size_t entry)
{
	Elf_Data from = {
		.d_buf = raw, .d_type = ELF_T_SYM, .d_version = EV_CURRENT, .d_size = count * entry
	};
	Elf_Data to = { .d_buf = native,
			.d_type = ELF_T_SYM,
			.d_version = EV_CURRENT,
			.d_size = count * entry };
	GElf_Sym symbol;

	if (!gelf_xlatetom(t->object->elf, &to, &from, t->object->header.e_ident[EI_DATA]))
		return;
	for (size_t i = 0; i < count; i++) {
		if (t->object->header.e_ident[EI_CLASS] == ELFCLASS64) {
			symbol = ((const Elf64_Sym *)native)[i];
		} else {
			const Elf32_Sym *s = (const Elf32_Sym *)native + i;

			symbol = (GElf_Sym){ s->st_name,  s->st_info,  s->st_other,
					     s->st_shndx, s->st_value, s->st_size };
		}
		table_add(t, &symbol);
	}
}

static void table_read(struct table *t, const GElf_Shdr *header)
{
	size_t entry = gelf_fsize(t->object->elf, ELF_T_SYM, 1, EV_CURRENT);
	uint64_t count = header->sh_size / entry;
	void *raw = mem_array(CHUNK_SYMBOLS, entry);
	void *native = mem_array(CHUNK_SYMBOLS, entry);

	if (count > SYMBOLS_MAX)
		count = SYMBOLS_MAX;
	for (uint64_t at = 0; at < count; at += CHUNK_SYMBOLS) {
		size_t n = count - at < CHUNK_SYMBOLS ? count - at : CHUNK_SYMBOLS;

		if (load_checkpoint(t->load) || t->refused ||
		    !allowance_spend(t->object->allowance, n * entry) ||
		    !object_read(t->object, header->sh_offset + at * entry, raw, n * entry))
			break;
		table_add_raw(t, raw, native, n, entry);
	}
	free(native);
	free(raw);
}

size_t elfsym_each(struct load *l, const struct object *o, uint32_t type, int64_t bias,
		   elfsym_visitor *visit, void *context)
{
	struct table t = {
		.load = l, .object = o, .bias = bias, .visit = visit, .context = context
	};
	GElf_Shdr header, strings;

	if (!object_section_of_type(o, type, &header) ||
	    !gelf_getshdr(elf_getscn(o->elf, header.sh_link), &strings))
		return 0;
	t.strings = read_strings(l, o, &strings, &t.strings_size);
	if (!t.strings)
		return 0;
	read_sections(&t);
	table_read(&t, &header);
	free(t.sections);
	free(t.strings);
	allowance_give(o->allowance, t.strings_size);
	return t.found;
}

static void add_to_builder(void *builder, const struct symtab_entry *e)
{
	symtab_builder_add(builder, e);
}

size_t elfsym_read(struct load *l, const struct object *o, uint32_t type, int64_t bias)
{
	return elfsym_each(l, o, type, bias, add_to_builder, l->builder);
}
