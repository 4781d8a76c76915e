/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "symbol/elfcalls.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

#define CODE_MAX (64u << 20) /* bytes of a section */
#define CHECK_EACH (1u << 20)

/* A section with code, and a bit for each place in it that a call leads to. */
struct code {
	const uint8_t *bytes;
	size_t size;
	uint64_t address;
	uint8_t *targets;
};

struct machine {
	uint16_t number; /* EM_ */
	size_t step;     /* of addresses of functions */
	/* Looks at the instruction at AT, and marks where it calls.  Returns its size, or the step to the next one. */
	size_t (*look)(struct code *c, size_t at);
};

static uint32_t word_at(const struct code *c, size_t at)
{
	uint32_t word;

	memcpy(&word, c->bytes + at, sizeof(word));
	return le32toh(word);
}

/* Returns false if TARGET, an offset, is not in the section. */
static bool mark(struct code *c, uint64_t target)
{
	if (target >= c->size)
		return false;
	c->targets[target / 8] |= (uint8_t)(1u << target % 8);
	return true;
}

/* A function begins at a round address, or behind another one's return or a trap. */
static bool begins_x86_64(const struct code *c, uint64_t target)
{
	static const uint8_t before[] = { 0xc3, 0xcc };

	return target < c->size && (!target || (c->address + target) % 16 == 0 ||
				    memchr(before, c->bytes[target - 1], sizeof(before)));
}

/* call disp32.  Instructions are not told apart: any byte may begin one, and few others are followed by such a place. */
static size_t look_x86_64(struct code *c, size_t at)
{
	uint64_t target;

	if (c->bytes[at] != 0xe8 || c->size - at < 5)
		return 1;
	target = at + 5 + (uint64_t)(int64_t)(int32_t)word_at(c, at + 1);
	return begins_x86_64(c, target) && mark(c, target) ? 5 : 1;
}

/* bl target */
static size_t look_aarch64(struct code *c, size_t at)
{
	uint32_t word;

	if (c->size - at < 4)
		return 4;
	word = word_at(c, at);
	if (word >> 26 == 0x25)
		mark(c, at + (uint64_t)((int64_t)((uint64_t)word << 38) >> 36));
	return 4;
}

/* The offset of jal: bits 20, 10 to 1, 11 and 19 to 12, from the highest bit down. */
static uint64_t jal_offset(uint32_t word)
{
	const int64_t sign = (int32_t)word < 0 ? -1 : 0;

	return (uint64_t)sign << 20 | (word & 0xff000) | (word >> 9 & 0x800) | (word >> 20 & 0x7fe);
}

/* jal ra, target, or auipc reg, high; jalr reg, low(reg): a call, and with another register than ra a jump to a function. */
static size_t look_riscv64(struct code *c, size_t at)
{
	uint32_t word, next;

	if (c->size - at < 4 || (c->bytes[at] & 3) != 3)
		return 2;
	word = word_at(c, at);
	if ((word & 0xfff) == 0xef)
		mark(c, at + jal_offset(word));
	if ((word & 0x7f) != 0x17 || c->size - at < 8)
		return 4;
	next = word_at(c, at + 4);
	if ((next & 0x707f) == 0x67 && (next >> 15 & 31) == (word >> 7 & 31))
		mark(c, at + (uint64_t)(int64_t)(int32_t)(word & 0xfffff000) +
				(uint64_t)(int64_t)((int32_t)next >> 20));
	return 4;
}

static const struct machine machines[] = {
	{ EM_X86_64, 1, look_x86_64 },
	{ EM_AARCH64, 4, look_aarch64 },
	{ EM_RISCV, 2, look_riscv64 },
};

static const struct machine *find_machine(const struct object *o)
{
	if (o->header.e_ident[EI_CLASS] != ELFCLASS64 || o->header.e_ident[EI_DATA] != ELFDATA2LSB)
		return NULL;
	for (size_t i = 0; i < sizeof(machines) / sizeof(*machines); i++)
		if (machines[i].number == o->header.e_machine)
			return &machines[i];
	return NULL;
}

static size_t add_functions(struct load *l, const struct code *c, size_t step)
{
	size_t added = 0;

	for (size_t at = 0; at < c->size; at += step) {
		const struct symtab_entry e = { .start = c->address + at,
						.limit = c->address + c->size,
						.name = "" };

		if (c->targets[at / 8] & 1u << at % 8)
			added += symtab_builder_add(l->builder, &e) != SIZE_MAX;
	}
	return added;
}

static void find_calls(struct load *l, struct code *c, const struct machine *m)
{
	size_t check = CHECK_EACH;

	for (size_t at = 0; at < c->size; at += m->look(c, at)) {
		if (at < check)
			continue;
		check += CHECK_EACH;
		if (load_checkpoint(l))
			return;
	}
}

static size_t read_section(struct load *l, const struct object *o, const GElf_Shdr *header,
			   const struct machine *m)
{
	struct code c = { .address = header->sh_addr };
	uint8_t *bytes;
	size_t added = 0;

	if (header->sh_type != SHT_PROGBITS || !(header->sh_flags & SHF_EXECINSTR))
		return 0;
	bytes = object_section_bytes(o, header, CODE_MAX, &c.size);
	if (bytes && allowance_spend(o->allowance, c.size)) {
		c.bytes = bytes;
		c.targets = mem_alloc(c.size / 8 + 1);
		mark(&c, 0);
		mark(&c, o->header.e_entry - c.address);
		find_calls(l, &c, m);
		added = add_functions(l, &c, m->step);
		free(c.targets);
	}
	free(bytes);
	return added;
}

size_t elfcalls_read(struct load *l, const struct object *o)
{
	const struct machine *m = find_machine(o);
	Elf_Scn *section = NULL;
	size_t added = 0;
	GElf_Shdr header;

	while (m && (section = elf_nextscn(o->elf, section)))
		if (gelf_getshdr(section, &header))
			added += read_section(l, o, &header, m);
	return added;
}
