/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unwind/unwind-object.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "unwind/tables.h"

#define SECTION_MAX \
	(64u << 20) /* bytes; that of a browser's largest library is a quarter of it \
		     */
#define SEGMENTS_MAX 1024u
#define SEARCHED_MAX (1u << 20) /* bytes of code */
#define RESOLVER_STUB_BYTES 32
#define BTI_C 0xd503245f
#define PUSH_X16_X30 0xa9bf7bf0
#define STUBS_MAX 8u
#define SAMPLES 256 /* functions whose frame pointers are looked at */
#define SMALL 48    /* bytes of code; a smaller function may be a leaf without a frame */

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

static void add_segment(struct unwind_object *u, const GElf_Phdr *p, size_t *capacity)
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
static void find_resolver_stub(struct unwind_object *u, const struct object *o, const GElf_Shdr *h)
{
	uint32_t words[2];
	unsigned push;

	if (h->sh_size < RESOLVER_STUB_BYTES || !object_read(o, h->sh_offset, words, sizeof(words)))
		return;
	push = words[0] == BTI_C;
	if (words[push] != PUSH_X16_X30)
		return;
	push += 1;
	u->pushed = (struct unwind_segment){ .address = h->sh_addr + push * sizeof(*words),
					     .size = RESOLVER_STUB_BYTES - push * sizeof(*words) };
}

/* .plt, .plt.sec, .plt.got, and .iplt of static programs: linkers describe only some of them. */
static void read_stubs(struct unwind_object *u, const struct object *o)
{
	Elf_Scn *section = NULL;
	size_t capacity = 0;
	GElf_Shdr h;

	while (u->stub_count < STUBS_MAX && (section = elf_nextscn(o->elf, section))) {
		const char *name;

		if (!gelf_getshdr(section, &h) || !(h.sh_flags & SHF_EXECINSTR))
			continue;
		name = elf_strptr(o->elf, o->names_section, h.sh_name);
		if (!name || (strncmp(name, ".plt", 4) && strcmp(name, ".iplt")))
			continue;
		mem_grow((void **)&u->stubs, &capacity, u->stub_count + 1, sizeof(*u->stubs));
		u->stubs[u->stub_count++] =
			(struct unwind_segment){ .size = h.sh_size, .address = h.sh_addr };
		if (u->cfi.machine == UNWIND_AARCH64 && !strcmp(name, ".plt"))
			find_resolver_stub(u, o, &h);
	}
}

static void read_segments(struct unwind_object *u, const struct object *o)
{
	size_t count = 0, capacity = 0;
	GElf_Phdr p;

	u->cfi.base = UINT64_MAX;
	if (elf_getphdrnum(o->elf, &count) < 0)
		return;
	for (size_t i = 0; i < count && i < SEGMENTS_MAX; i++) {
		if (!gelf_getphdr(o->elf, (int)i, &p) || p.p_type != PT_LOAD)
			continue;
		if (p.p_vaddr < u->cfi.base)
			u->cfi.base = p.p_vaddr;
		if (p.p_flags & PF_X)
			add_segment(u, &p, &capacity);
	}
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

static bool read_section(struct unwind_object *u, const struct object *o, const char *name,
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
	for (size_t i = 0; i < count && i < SEGMENTS_MAX; i++) {
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

/* Only small files are searched: those pages, and C libraries of that size. */
static void find_trampoline(struct unwind_object *u, const struct object *o)
{
	for (size_t i = 0; i < u->segment_count && !u->trampoline; i++) {
		const struct unwind_segment *s = &u->segments[i];
		bool searched = s->size && s->size <= SEARCHED_MAX &&
				allowance_spend(o->allowance, s->size);
		uint8_t *code = searched ? malloc(s->size) : NULL;
		const uint8_t *found = NULL;

		if (code && object_read(o, s->offset, code, s->size))
			found = memmem(code, s->size, trampolines[u->cfi.machine].bytes,
				       trampolines[u->cfi.machine].size);
		if (found)
			u->trampoline = s->address + (uint64_t)(found - code);
		free(code);
	}
}

/*
 * The byte before it belongs to it, too, because a look-up of a return address asks for that byte.
 */
static bool is_trampoline(const struct unwind_object *o, uint64_t address)
{
	return o->trampoline && address + 1 >= o->trampoline &&
	       address < o->trampoline + trampolines[o->cfi.machine].size;
}

static bool find_segment(const struct object *o, uint32_t type, GElf_Phdr *p)
{
	size_t count = 0;

	if (elf_getphdrnum(o->elf, &count) < 0)
		return false;
	for (size_t i = 0; i < count && i < SEGMENTS_MAX; i++)
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
static void read_segment(struct unwind_object *u, const struct object *o)
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

/* True if the code sets up a frame pointer or, on aarch64, a frame record: x29 below x30. */
static bool row_keeps_fp(const struct cfi_row *row, enum unwind_machine machine)
{
	if (machine == UNWIND_X86_64)
		return row->cfa.base == CFI_FP && !row->cfa.load && row->cfa.offset == 16;
	return row->fp.base == CFI_CFA && row->fp.load && row->ra.base == CFI_CFA && row->ra.load &&
	       row->ra.offset == row->fp.offset + 8;
}

static int percent_of_samples(const struct cfi *c)
{
	size_t step = c->count / SAMPLES + 1, seen = 0, keeps = 0;

	for (size_t i = step / 2; i < c->count; i += step) {
		struct cfi_row row;

		if (cfi_middle(c, i, &row) != CFI_FOUND || row.end - row.start < SMALL ||
		    row.signal)
			continue;
		/* A leaf of aarch64 keeps its caller's frame, so it proves nothing. */
		if (row.ra.base == CFI_RA || row.ra.base == CFI_NOWHERE)
			continue;
		seen++;
		keeps += row_keeps_fp(&row, c->machine);
	}
	return seen ? (int)(keeps * 100 / seen) : -1;
}

/* The description of its first instruction also tells where the code ends. */
static uint64_t undescribed_entry(const struct cfi *c, uint64_t entry)
{
	struct cfi_row row;

	return cfi_find(c, entry, &row) == CFI_ABSENT ? entry : 0;
}

static size_t read_text(const void *context, uint64_t address, void *bytes, size_t size)
{
	return object_read_code(context, address, bytes, size);
}

struct unwind_object *unwind_object_new(const struct object *o)
{
	struct unwind_object *u;

	if (!o || machine_of(o) == UNWIND_MACHINE_NONE)
		return NULL;
	u = mem_alloc(sizeof(*u));
	u->cfi.machine = machine_of(o);
	read_segments(u, o);
	read_stubs(u, o);
	find_trampoline(u, o);
	if (!read_section(u, o, ".eh_frame", 0))
		read_segment(u, o);
	read_section(u, o, ".debug_frame", 1);
	cfi_index(&u->cfi);
	if (u->cfi.machine == UNWIND_AARCH64)
		edge_table_read(&u->edges, &u->cfi, &(struct edge_text){ read_text, o });
	u->entry = undescribed_entry(&u->cfi, o->header.e_entry);
	u->fp_percent = percent_of_samples(&u->cfi);
	return u;
}

struct unwind_object *unwind_object_new_of_code(const struct unwind_code *code)
{
	struct unwind_object *u;

	if (machine_of_elf(code->machine) == UNWIND_MACHINE_NONE)
		return NULL;
	u = mem_alloc(sizeof(*u));
	u->cfi.machine = machine_of_elf(code->machine);
	u->cfi.base = code->start;
	u->cfi.section[0] = (struct cfi_section){ .bytes = code->bytes,
						  .size = code->size,
						  .address = code->address };
	cfi_index(&u->cfi);
	u->fp_percent = percent_of_samples(&u->cfi);
	return u;
}

void unwind_object_free(struct unwind_object *o)
{
	if (!o)
		return;
	cfi_fini(&o->cfi);
	edge_table_fini(&o->edges);
	rule_table_fini(&o->rules);
	free(o->segments);
	free(o->stubs);
	free(o->owned[0]);
	free(o->owned[1]);
	free(o);
}

bool unwind_object_bias(const struct unwind_object *o, uint64_t map_start, uint64_t pgoff,
			uint64_t *bias)
{
	/* A mapping begins at a page, of 64 KiB at most, and so may begin before its segment. */
	for (size_t i = 0; i < o->segment_count; i++) {
		const struct unwind_segment *s = &o->segments[i];
		uint64_t page = s->offset & ~UINT64_C(0xffff);

		if (pgoff < page || pgoff >= s->offset + s->size)
			continue;
		*bias = map_start - (s->address + (pgoff - s->offset));
		return true;
	}
	return false;
}

enum unwind_machine unwind_object_machine(const struct unwind_object *o)
{
	return o->cfi.machine;
}

size_t unwind_object_functions(const struct unwind_object *o)
{
	return o->cfi.count;
}

int unwind_object_fp_percent(const struct unwind_object *o)
{
	return o->fp_percent;
}

size_t unwind_object_bytes(const struct unwind_object *o)
{
	return sizeof(*o) + o->cfi.section[0].size + o->cfi.section[1].size +
	       o->cfi.count * sizeof(uint64_t) + edge_table_bytes(&o->edges) +
	       rule_table_bytes(&o->rules);
}

/* A stub jumps before it touches anything: its frame is a function's at the first instruction. */
static bool is_stub(const struct unwind_object *o, uint64_t address)
{
	for (size_t i = 0; i < o->stub_count; i++)
		if (address >= o->stubs[i].address &&
		    address - o->stubs[i].address < o->stubs[i].size)
			return true;
	return false;
}

/* Size in bytes of the code of _start, the dynamic linker's too; it may have no description. */
static const uint8_t entry_bytes[UNWIND_MACHINES] = { [UNWIND_X86_64] = 64, [UNWIND_AARCH64] = 52 };

static struct rule rule_of_absent(const struct unwind_object *o, uint64_t address, uint32_t key)
{
	struct rule r = { .address = key, .kind = RULE_ABSENT };

	if (o->entry && address >= o->entry && address - o->entry < entry_bytes[o->cfi.machine])
		r.kind = RULE_END;
	else if (is_trampoline(o, address))
		r = rule_of_trampoline(o->cfi.machine, key);
	else if (address >= o->pushed.address && address - o->pushed.address < o->pushed.size)
		r = rule_of_resolver_stub(key);
	else if (is_stub(o, address))
		r = rule_of_entry(o->cfi.machine, key);
	return r;
}

static struct rule make_rule(const struct unwind_object *o, uint64_t address, uint32_t key)
{
	const struct rule *edge = edge_table_find(&o->edges, key);
	struct rule r = { .address = key, .kind = RULE_ABSENT };
	struct cfi_row row;

	if (edge)
		return *edge;
	switch (cfi_find(&o->cfi, address, &row)) {
	case CFI_FOUND:
		return rule_of_row(&row, o->cfi.machine, key);
	case CFI_MALFORMED:
		r.kind = RULE_MALFORMED;
		break;
	case CFI_ABSENT:
		return rule_of_absent(o, address, key);
	}
	return r;
}

struct rule unwind_object_rule(struct unwind_object *o, uint64_t address, bool *made)
{
	uint64_t key = address - o->cfi.base;
	const struct rule *found;
	struct rule r = { .kind = RULE_ABSENT };

	*made = false;
	if (address < o->cfi.base || key > UINT32_MAX)
		return r;
	found = rule_table_find(&o->rules, (uint32_t)key);
	if (found)
		return *found;
	*made = true;
	r = make_rule(o, address, (uint32_t)key);
	rule_table_add(&o->rules, &r);
	return r;
}
