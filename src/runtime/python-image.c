/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "runtime/python-image.h"

#include <elf.h>
#include <string.h>

#define SEGMENTS_MAX 64
#define DYNAMIC_MAX 256
#define CHAIN_MAX 1024u /* symbols of one bucket that are looked at */

/* Its tables. */

/* glibc has made the addresses in the table absolute; other loaders have not. */
static uint64_t moved(const struct python_image *image, uint64_t first, uint64_t address)
{
	return address < first ? address + image->bias : address;
}

static bool read_dynamic(struct python_image *image, uint64_t first, uint64_t at)
{
	const struct python_memory *m = image->memory;
	Elf64_Dyn d;

	for (int i = 0; i < DYNAMIC_MAX; i++) {
		if (!m->read(m->context, at + (uint64_t)i * sizeof(d), &d, sizeof(d)))
			return false;
		if (d.d_tag == DT_NULL)
			break;
		if (d.d_tag == DT_GNU_HASH)
			image->hash = moved(image, first, d.d_un.d_ptr);
		if (d.d_tag == DT_SYMTAB)
			image->symbols = moved(image, first, d.d_un.d_ptr);
		if (d.d_tag == DT_STRTAB)
			image->strings = moved(image, first, d.d_un.d_ptr);
	}
	return image->hash && image->symbols && image->strings;
}

static bool is_image(const Elf64_Ehdr *h)
{
	return !memcmp(h->e_ident, ELFMAG, SELFMAG) && h->e_ident[EI_CLASS] == ELFCLASS64 &&
	       h->e_phentsize == sizeof(Elf64_Phdr) && h->e_phnum <= SEGMENTS_MAX;
}

bool python_image_find(struct python_image *to, const struct python_memory *m, uint64_t address)
{
	uint64_t dynamic = 0, descriptions = 0;
	bool loaded = false;
	Elf64_Ehdr head;
	Elf64_Phdr p;

	if (!m->read(m->context, address, &head, sizeof(head)) || !is_image(&head))
		return false;
	*to = (struct python_image){ .memory = m, .machine = head.e_machine };
	for (unsigned i = 0; i < head.e_phnum; i++) {
		if (!m->read(m->context, address + head.e_phoff + i * sizeof(p), &p, sizeof(p)))
			return false;
		if (p.p_type == PT_LOAD && !loaded) {
			to->bias = address - (p.p_vaddr - p.p_offset);
			loaded = true;
		}
		if (p.p_type == PT_DYNAMIC)
			dynamic = p.p_vaddr;
		if (p.p_type == PT_GNU_EH_FRAME)
			descriptions = p.p_vaddr;
	}
	if (descriptions)
		to->descriptions = descriptions + to->bias;
	return loaded && dynamic && read_dynamic(to, address, dynamic + to->bias);
}

/* Dynamic symbols. */

static uint32_t gnu_hash(const char *name)
{
	uint32_t hash = 5381;

	for (; *name; name++)
		hash = hash * 33 + (unsigned char)*name;
	return hash;
}

/* Returns true if symbol NUMBER is NAME; then *TO is where it is. */
static bool is_symbol(const struct python_image *image, uint32_t number, const char *name,
		      struct python_range *to)
{
	const struct python_memory *m = image->memory;
	size_t size = strlen(name) + 1;
	Elf64_Sym symbol;
	char text[32];

	if (!m->read(m->context, image->symbols + (uint64_t)number * sizeof(symbol), &symbol,
		     sizeof(symbol)) ||
	    !symbol.st_value || symbol.st_shndx == SHN_UNDEF || size > sizeof(text) ||
	    !m->read(m->context, image->strings + symbol.st_name, text, size) ||
	    memcmp(text, name, size) != 0)
		return false;
	to->start = symbol.st_value + image->bias;
	to->end = to->start + symbol.st_size;
	return true;
}

/* The table: 4 numbers, Bloom filter, buckets, and for each hashed symbol its hash, whose bit 0 ends a bucket. */
bool python_image_symbol(const struct python_image *image, const char *name,
			 struct python_range *to)
{
	const struct python_memory *m = image->memory;
	const uint32_t hash = gnu_hash(name);
	uint64_t buckets, chains;
	uint32_t head[4], number, found;

	if (!m->read(m->context, image->hash, head, sizeof(head)) || !head[0])
		return false;
	buckets = image->hash + sizeof(head) + 8ull * head[2];
	chains = buckets + 4ull * head[0];
	if (!m->read(m->context, buckets + 4ull * (hash % head[0]), &number, sizeof(number)))
		return false;
	for (uint32_t i = 0; i < CHAIN_MAX && number >= head[1]; i++, number++) {
		if (!m->read(m->context, chains + 4ull * (number - head[1]), &found, sizeof(found)))
			return false;
		if ((found | 1) == (hash | 1) && is_symbol(image, number, name, to))
			return true;
		if (found & 1)
			break;
	}
	return false;
}

/* Descriptions. */

/* A row of .eh_frame_hdr's table, which is sorted.  Both are relative to the head. */
struct row {
	int32_t start, entry;
};

/* The encodings that linkers write: Linux Standard Base, "Exception Frames". */
static bool is_known_head(const uint8_t head[4])
{
	static const uint8_t known[4] = { 1, 0x1b, 0x03, 0x3b };

	return !memcmp(head, known, sizeof(known));
}

/* The entry behind the head of .eh_frame at AT: length, the way to its CIE, and the code, relative to the third word. */
static bool read_entry(const struct python_image *image, uint64_t at, uint64_t start,
		       struct python_range *to)
{
	const struct python_memory *m = image->memory;
	uint32_t words[4];

	if (!m->read(m->context, at, words, sizeof(words)))
		return false;
	to->start = at + 8 + (uint64_t)(int32_t)words[2];
	to->end = to->start + words[3];
	return to->start == start;
}

bool python_image_description(const struct python_image *image, uint64_t address,
			      struct python_range *to)
{
	const struct python_memory *m = image->memory;
	const uint64_t head = image->descriptions, rows = head + 12;
	struct {
		uint8_t encodings[4];
		uint32_t entries, count;
	} h;
	struct row row;
	uint32_t first = 0, end;

	if (!head || !m->read(m->context, head, &h, sizeof(h)) || !is_known_head(h.encodings))
		return false;
	for (end = h.count; end - first > 1;) {
		uint32_t middle = first + (end - first) / 2;

		if (!m->read(m->context, rows + (uint64_t)middle * sizeof(row), &row, sizeof(row)))
			return false;
		if (head + (uint64_t)(int64_t)row.start <= address)
			first = middle;
		else
			end = middle;
	}
	return h.count &&
	       m->read(m->context, rows + (uint64_t)first * sizeof(row), &row, sizeof(row)) &&
	       read_entry(image, head + (uint64_t)(int64_t)row.entry,
			  head + (uint64_t)(int64_t)row.start, to) &&
	       address >= to->start && address < to->end;
}
