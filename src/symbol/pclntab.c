/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "symbol/pclntab.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "symbol/names.h"
#include "symbol/object.h"

#define TABLE_BYTES_MAX (256u << 20)
#define HEADER_BYTES 8u /* before the pointers */
#define PART_HERE UINT8_MAX

/* The differences between the forms: the index of each pointer in the header. */
struct form {
	uint32_t magic;
	uint8_t text;             /* start of the code; 0: addresses are absolute */
	uint8_t names, functions; /* place of these parts; PART_HERE: see form_functions() */
};

static const struct form forms[] = {
	{ 0xfffffffb, 0, PART_HERE, PART_HERE }, /* Go 1.2 */
	{ 0xfffffffa, 0, 2, 6 },                 /* 1.16 */
	{ 0xfffffff0, 2, 3, 7 },                 /* 1.18 */
	{ 0xfffffff1, 2, 3, 7 },                 /* 1.20 */
};

struct table {
	struct pclntab_bytes data;
	const struct form *form;
	unsigned pointer, word; /* bytes of a pointer, and of a number in the functions */
	uint64_t count, text;
	uint64_t names, functions; /* offsets in the table */
	uint64_t descriptions;     /* base of the places of descriptions */
	bool refused;              /* the allowance is used up */
};

/* Reads a number of SIZE bytes; 0 if the table is too short. */
static uint64_t number_at(const struct table *t, uint64_t offset, unsigned size)
{
	struct bytes b = bytes_of(t->data.bytes, t->data.size);

	b.swap = t->data.swap;
	if (offset > t->data.size)
		return 0;
	bytes_take(&b, offset);
	return size == 8 ? bytes_u64(&b) : bytes_u32(&b);
}

static uint64_t header_pointer(const struct table *t, unsigned i)
{
	return number_at(t, HEADER_BYTES + (uint64_t)i * t->pointer, t->pointer);
}

static bool read_header(struct table *t)
{
	const unsigned char *bytes = t->data.bytes;
	uint32_t magic = (uint32_t)number_at(t, 0, 4);

	for (size_t i = 0; i < sizeof(forms) / sizeof(*forms); i++)
		if (forms[i].magic == magic)
			t->form = &forms[i];
	if (!t->form || t->data.size < HEADER_BYTES || bytes[4] || bytes[5])
		return false;
	t->pointer = bytes[7];
	t->word = t->form->text ? 4 : t->pointer;
	return t->pointer == 4 || t->pointer == 8;
}

static void read_parts(struct table *t)
{
	t->count = header_pointer(t, 0);
	if (t->form->functions == PART_HERE) {
		t->functions = HEADER_BYTES + t->pointer;
	} else {
		t->names = header_pointer(t, t->form->names);
		t->functions = t->descriptions = header_pointer(t, t->form->functions);
	}
	if (!t->form->text)
		return;
	t->text = header_pointer(t, t->form->text);
	if (!t->text)
		t->text = t->data.text; /* since Go 1.26, and in position-independent ones */
}

static bool is_within(const struct table *t)
{
	uint64_t room;

	if (t->names > t->data.size || t->functions > t->data.size)
		return false;
	room = (t->data.size - t->functions) / (2 * t->word);
	return t->count <= room;
}

/* Function I's name, or NULL. */
static const char *name_of(const struct table *t, uint64_t i, size_t *size)
{
	uint64_t place = number_at(t, t->functions + (2 * i + 1) * t->word, t->word);
	uint64_t name, left;

	if (place > t->data.size || t->descriptions > t->data.size - place)
		return NULL;
	name = t->names + number_at(t, t->descriptions + place + t->word, 4);
	if (name >= t->data.size)
		return NULL;
	left = t->data.size - name;
	*size = strnlen((const char *)t->data.bytes + name,
			left < NAMES_TEXT_MAX ? left : NAMES_TEXT_MAX);
	return *size && *size < left ? (const char *)t->data.bytes + name : NULL;
}

/* Many functions may claim one long name, or names that overlap: each pays for its own. */
static bool pay_name(struct table *t, size_t size)
{
	struct allowance *a = t->data.allowance;

	t->refused = a && (!allowance_spend(a, size) || !allowance_take(a, size));
	return !t->refused;
}

static bool add_function(struct symtab_builder *b, struct table *t, uint64_t i)
{
	uint64_t start = number_at(t, t->functions + 2 * i * t->word, t->word);
	uint64_t end = number_at(t, t->functions + 2 * (i + 1) * t->word, t->word);
	struct symtab_entry e = { .start = t->text + start, .size = end - start };

	if (end <= start)
		return false;
	e.name = name_of(t, i, &e.name_size);
	if (e.name && !pay_name(t, e.name_size + 1))
		return false;
	if (e.name)
		symtab_builder_add(b, &e);
	return e.name;
}

size_t pclntab_parse(struct symtab_builder *b, const struct pclntab_bytes *data)
{
	struct table t = { .data = *data };
	size_t added = 0;

	if (!read_header(&t))
		return 0;
	read_parts(&t);
	if (!is_within(&t))
		return 0;
	for (uint64_t i = 0; i < t.count && !t.refused; i++)
		added += add_function(b, &t, i);
	return added;
}

static bool find_table(const struct object *o, GElf_Shdr *header)
{
	return object_section(o, ".gopclntab", SHT_PROGBITS, header) ||
	       object_section(o, ".data.rel.ro.gopclntab", SHT_PROGBITS, header);
}

size_t pclntab_read(struct load *l)
{
	const struct object *o = l->object;
	struct pclntab_bytes table = { 0 };
	GElf_Shdr header, text;
	size_t added;
	void *bytes;

	if (!find_table(o, &header))
		return 0;
	bytes = object_section_bytes(o, &header, TABLE_BYTES_MAX, &table.size);
	if (!bytes)
		return 0;
	table.bytes = bytes;
	table.allowance = o->allowance;
	table.swap = o->header.e_ident[EI_DATA] !=
		     (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB);
	if (object_section(o, ".text", SHT_PROGBITS, &text))
		table.text = text.sh_addr;
	added = pclntab_parse(l->builder, &table);
	free(bytes);
	return added;
}
