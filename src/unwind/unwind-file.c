/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unwind/unwind-file.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "unwind/unwind-object.h"
#include "unwind/table-maker.h"

#define SECTION_MAX (64u << 20) /* bytes; that of a browser's largest library is a quarter of it */
#define SEARCHED_MAX (1u << 20) /* bytes of code */
#define RESOLVER_STUB_BYTES 32
#define BTI_C 0xd503245f
#define PUSH_X16_X30 0xa9bf7bf0

static enum unwind_machine machine_of_elf(uint16_t machine)
{
	if (machine == EM_X86_64)
		return UNWIND_X86_64;
	return machine == EM_AARCH64 ? UNWIND_AARCH64 : UNWIND_MACHINE_NONE;
}

static enum unwind_machine machine_of(const struct object *o)
{
	if (!o->elf || o->header.e_ident[EI_CLASS] != ELFCLASS64 ||
	    o->header.e_ident[EI_DATA] != ELFDATA2LSB)
		return UNWIND_MACHINE_NONE;
	return machine_of_elf(o->header.e_machine);
}

/* Without room left, code there has no rule. */
static void add_place(struct unwind_source *u, uint64_t address, uint64_t size, struct rule rule)
{
	if (u->place_count < UNWIND_PLACES_MAX)
		u->places[u->place_count++] =
			(struct unwind_place){ .address = address, .size = size, .rule = rule };
}

static void add_segment(struct unwind_source *u, const GElf_Phdr *p, size_t *capacity)
{
	mem_grow((void **)&u->segments, capacity, u->segment_count + 1, sizeof(*u->segments));
	u->segments[u->segment_count++] = (struct unwind_segment){
		.offset = p->p_offset,
		.size = p->p_filesz,
		.address = p->p_vaddr,
	};
}

/*
 * aarch64: the head of a PLT for lazy binding begins with these words; a static program's PLT has
 * no head.
 *
 *	[bti c]
 *	stp	x16, x30, [sp, #-16]!
 */
static void find_resolver_stub(struct unwind_source *u, const struct object *o, const GElf_Shdr *h)
{
	uint32_t words[2];
	unsigned push;

	if (h->sh_size < RESOLVER_STUB_BYTES || !object_read(o, h->sh_offset, words, sizeof(words)))
		return;
	push = words[0] == BTI_C;
	if (words[push] != PUSH_X16_X30)
		return;
	push += 1;
	add_place(u, h->sh_addr + push * sizeof(*words),
		  RESOLVER_STUB_BYTES - push * sizeof(*words), rule_of_resolver_stub());
}

/*
 * .plt, .plt.sec, .plt.got, and .iplt of static programs: linkers describe only some of them.  A stub jumps
 * before it touches anything: its frame is a function's at the first instruction.
 */
static void read_stubs(struct unwind_source *u, const struct object *o)
{
	Elf_Scn *section = NULL;
	GElf_Shdr h;

	while (u->place_count < UNWIND_PLACES_MAX && (section = elf_nextscn(o->elf, section))) {
		const char *name;

		if (!gelf_getshdr(section, &h) || !(h.sh_flags & SHF_EXECINSTR))
			continue;
		name = elf_strptr(o->elf, o->names_section, h.sh_name);
		if (!name || (strncmp(name, ".plt", 4) && strcmp(name, ".iplt")))
			continue;
		if (u->cfi.machine == UNWIND_AARCH64 && !strcmp(name, ".plt"))
			find_resolver_stub(u, o, &h);
		add_place(u, h.sh_addr, h.sh_size, rule_of_entry(u->cfi.machine));
	}
}

static void read_segments(struct unwind_source *u, const struct object *o)
{
	size_t count = 0, capacity = 0;
	GElf_Phdr p;

	if (elf_getphdrnum(o->elf, &count) < 0)
		return;
	u->cfi.base = UINT64_MAX;
	for (size_t i = 0; i < count && i < UNWIND_SEGMENTS_MAX; i++) {
		if (!gelf_getphdr(o->elf, (int)i, &p) || p.p_type != PT_LOAD)
			continue;
		if (p.p_vaddr < u->cfi.base)
			u->cfi.base = p.p_vaddr;
		if (p.p_flags & PF_X)
			add_segment(u, &p, &capacity);
	}
	if (u->cfi.base == UINT64_MAX) /* nothing of it can be mapped */
		u->cfi.base = 0;
}

/* Returns the contents of a compressed section, owned by the caller. */
static void *uncompressed(const struct object *o, Elf_Scn *section, size_t *size)
{
	GElf_Chdr header;
	Elf_Data *data;
	void *bytes;

	if (!gelf_getchdr(section, &header) || header.ch_size > SECTION_MAX ||
	    !allowance_take(o->allowance, header.ch_size))
		return NULL;
	if (elf_compress(section, 0, 0) < 0)
		return NULL;
	data = elf_rawdata(section, NULL);
	if (!data || !data->d_buf || data->d_size > SECTION_MAX)
		return NULL;
	bytes = malloc(data->d_size + 1);
	if (!bytes)
		return NULL;
	memcpy(bytes, data->d_buf, data->d_size);
	*size = data->d_size;
	return bytes;
}

static bool read_section(struct unwind_source *u, const struct object *o, const char *name,
			 unsigned which)
{
	struct cfi_section *s = &u->cfi.section[which];
	GElf_Shdr header;
	Elf_Scn *section = object_section(o, name, SHT_NULL, &header);
	void *bytes;

	s->debug = which == 1;
	if (!section)
		return false;
	if (header.sh_flags & SHF_COMPRESSED)
		bytes = uncompressed(o, section, &s->size);
	else
		bytes = object_section_bytes(o, &header, SECTION_MAX, &s->size);
	u->owned[which] = bytes;
	s->bytes = bytes;
	s->address = header.sh_addr;
	return bytes != NULL;
}

static uint64_t offset_of_address(const struct object *o, uint64_t address, uint64_t *left)
{
	size_t count = 0;
	GElf_Phdr p;

	*left = 0;
	if (elf_getphdrnum(o->elf, &count) < 0)
		return 0;
	for (size_t i = 0; i < count && i < UNWIND_SEGMENTS_MAX; i++) {
		if (!gelf_getphdr(o->elf, (int)i, &p) || p.p_type != PT_LOAD ||
		    address < p.p_vaddr || address - p.p_vaddr >= p.p_filesz)
			continue;
		*left = p.p_filesz - (address - p.p_vaddr);
		return p.p_offset + (address - p.p_vaddr);
	}
	return 0;
}

/*
 * The kernel's page of aarch64 (since Linux 5.8) and musl do not describe the code that handlers
 * return to.  It is recognised by its instructions, as gcc's and gdb's unwinders do.
 *
 *	mov $15,%rax; syscall
 *	mov x8, #139; svc #0
 */
static const struct {
	uint8_t bytes[9], size;
} trampolines[UNWIND_MACHINES] = {
	[UNWIND_X86_64] = { { 0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05 }, 9 },
	[UNWIND_AARCH64] = { { 0x68, 0x11, 0x80, 0xd2, 0x01, 0, 0, 0xd4 }, 8 },
};

/*
 * Only small files are searched: those pages, and C libraries of that size.  The byte before it belongs to it,
 * too, because a look-up of a return address asks for that byte.
 */
static void find_trampoline(struct unwind_source *u, const struct object *o)
{
	const uint8_t *sought = trampolines[u->cfi.machine].bytes;
	size_t size = trampolines[u->cfi.machine].size, before = u->place_count;

	for (size_t i = 0; i < u->segment_count && u->place_count == before; i++) {
		const struct unwind_segment *s = &u->segments[i];
		const uint8_t *found = NULL;
		bool searched = s->size && s->size <= SEARCHED_MAX &&
				allowance_spend(o->allowance, s->size);
		uint8_t *code = searched ? malloc(s->size) : NULL;

		if (code && object_read(o, s->offset, code, s->size))
			found = memmem(code, s->size, sought, size);
		if (found)
			add_place(u, s->address + (uint64_t)(found - code) - 1, size + 1,
				  rule_of_trampoline(u->cfi.machine));
		free(code);
	}
}

static bool find_segment(const struct object *o, uint32_t type, GElf_Phdr *p)
{
	size_t count = 0;

	if (elf_getphdrnum(o->elf, &count) < 0)
		return false;
	for (size_t i = 0; i < count && i < UNWIND_SEGMENTS_MAX; i++)
		if (gelf_getphdr(o->elf, (int)i, p) && p->p_type == type)
			return true;
	return false;
}

/*
 * A file without section headers: .eh_frame_hdr tells where .eh_frame begins, and .eh_frame's own
 * end mark where it ends.  All linkers write that pointer as four bytes relative to its own place
 * (LSB Core 5, 10.6.2):
 *
 *	01 1b 03 3b XX XX XX XX
 */
static void read_segment(struct unwind_source *u, const struct object *o)
{
	struct cfi_section *s = &u->cfi.section[0];
	uint8_t head[8];
	uint64_t left, offset;
	GElf_Phdr p;
	int32_t distance;
	void *bytes;

	if (!find_segment(o, PT_GNU_EH_FRAME, &p) ||
	    !object_read(o, p.p_offset, head, sizeof(head)) || head[0] != 1 || head[1] != 0x1b)
		return;
	memcpy(&distance, head + 4, sizeof(distance));
	s->address = p.p_vaddr + 4 + (uint64_t)(int64_t)distance;
	offset = offset_of_address(o, s->address, &left);
	if (!left || left > SECTION_MAX || left > o->size || !allowance_take(o->allowance, left))
		return;
	bytes = malloc(left);
	if (!bytes || !object_read(o, offset, bytes, left)) {
		free(bytes);
		return;
	}
	u->owned[0] = bytes;
	s->bytes = bytes;
	s->size = left;
}

/*
 * Code at the entry is start-up code, the dynamic linker's too, and called by nobody.  It may have no
 * description; that of its first instruction would also tell where the code ends.
 */
static void find_entry(struct unwind_source *u, const struct object *o)
{
	static const uint8_t sizes[UNWIND_MACHINES] = {
		[UNWIND_X86_64] = 64, [UNWIND_AARCH64] = 52
	};
	struct cfi_row row;

	if (o->header.e_entry && cfi_find(&u->cfi, o->header.e_entry, &row) == CFI_ABSENT)
		add_place(u, o->header.e_entry, sizes[u->cfi.machine],
			  (struct rule){ .kind = RULE_END });
}

static size_t read_text(const void *context, uint64_t address, void *bytes, size_t size)
{
	return object_read_code(context, address, bytes, size);
}

bool unwind_file_read(struct unwind_source *u, const struct object *o)
{
	*u = (struct unwind_source){ .cfi = { .machine =
						      o ? machine_of(o) : UNWIND_MACHINE_NONE } };
	if (u->cfi.machine == UNWIND_MACHINE_NONE)
		return false;
	read_segments(u, o);
	if (!read_section(u, o, ".eh_frame", 0))
		read_segment(u, o);
	read_section(u, o, ".debug_frame", 1);
	cfi_index(&u->cfi);
	if (u->cfi.machine == UNWIND_AARCH64)
		edge_table_read(&u->edges, &u->cfi, &(struct edge_text){ read_text, o });
	find_entry(u, o);
	find_trampoline(u, o);
	read_stubs(u, o);
	return true;
}

struct unwind_object *unwind_object_new(const struct object *o)
{
	struct unwind_source u;
	struct unwind_object *made = unwind_file_read(&u, o) ? unwind_source_object(&u) : NULL;

	unwind_source_fini(&u);
	return made;
}

static void *rules_of(const struct unwind_source *u, size_t *size)
{
	struct unwind_made made;
	void *block;

	if (!unwind_made_init(&made, u))
		return NULL;
	*size = unwind_made_bytes(&made);
	block = mem_alloc(*size);
	unwind_made_write(block, &made);
	unwind_made_fini(&made);
	return block;
}

void *unwind_code_rules(const struct jit_description *d, size_t *size)
{
	struct unwind_source u = { .cfi = { .machine = machine_of_elf(d->machine),
					    .base = d->start } };
	void *block;

	if (u.cfi.machine == UNWIND_MACHINE_NONE || d->size > UNWIND_CODE_MAX)
		return NULL;
	u.cfi.section[0] =
		(struct cfi_section){ .bytes = d->bytes, .size = d->size, .address = d->address };
	cfi_index(&u.cfi);
	block = rules_of(&u, size);
	unwind_source_fini(&u);
	return block;
}
