/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "symbol/split.h"

#include <dwarf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/cursor.h"
#include "base/i18n.h"
#include "symbol/debugfile.h"

#define TEXTS_MAX (64u << 20) /* bytes of the texts of one unit */
#define COLUMNS_MAX 16u       /* of a package's index */
#define OFFSETS_HEADER 4u     /* DWARF 5, 7.26: of .debug_str_offsets, without its length */
#define RANGES_HEADER 8u      /* DWARF 5, 7.28: of .debug_rnglists, likewise */

/* The sections that are read.  A package divides all of them into units, except the texts. */
enum { PART_INFO, PART_ABBREV, PART_OFFSETS, PART_RANGES, PARTS };

static const char *const part_names[PARTS] = {
	".debug_info.dwo",
	".debug_abbrev.dwo",
	".debug_str_offsets.dwo",
	".debug_rnglists.dwo",
};

/* Their numbers in the index of a package: DWARF 5, table 7.1.  GNU's for DWARF 4 has no ranges. */
static const uint32_t part_numbers[PARTS] = { 1, 3, 6, 8 };

struct split_file {
	struct object *object; /* owned; NULL: there is none */
	char *path;            /* owned */
	struct bytes parts[PARTS];
	struct bytes texts;
	struct bytes index; /* the index of a package */
};

struct split_files {
	bool foreign;                   /* of the other byte order: nothing is opened */
	struct load where;              /* opens files: the key, the roots, and `open` */
	char *path;                     /* owned: the key's */
	struct bytes addresses, ranges; /* the program's .debug_addr, .debug_ranges */
	struct split_file package;
};

struct split_unit {
	struct buf image; /* an ELF file with this unit only */
	Elf *elf;
	Dwarf *dwarf;
	Dwarf_Die die;
	struct bytes info, lists; /* of the image */
	struct bytes addresses;   /* the program's, from the unit's first address on */
	struct bytes old_lists;   /* the program's .debug_ranges, from the unit's on */
	uint64_t low;             /* base of its ranges */
	uint8_t version, address_size;
	uint8_t offset_size; /* 8 in 64-bit DWARF (DWARF 5, 7.4) */
};

/* Files. */

/* Bytes in memory, unpacked, until the object is closed; empty if there are none. */
static struct bytes data_of(Elf_Scn *section, const GElf_Shdr *header)
{
	Elf_Data *data;

	if (!section || header->sh_type == SHT_NOBITS ||
	    (header->sh_flags & SHF_COMPRESSED && elf_compress(section, 0, 0) < 0))
		return bytes_of(NULL, 0);
	data = elf_getdata(section, NULL);
	return data && data->d_buf ? bytes_of(data->d_buf, data->d_size) : bytes_of(NULL, 0);
}

static struct bytes section_data(const struct object *o, const char *name)
{
	GElf_Shdr header;

	return data_of(object_section(o, name, SHT_NULL, &header), &header);
}

/* Returns true if INFO has a unit that is no type unit; see DWARF 5, 7.5.1. */
static bool has_code_unit(struct bytes info)
{
	while (info.left) {
		uint64_t length = bytes_u32(&info);
		struct bytes unit;

		if (length == UINT32_MAX) /* 64-bit DWARF */
			length = bytes_u64(&info);
		unit = info;
		if (bytes_u16(&unit) < 5 || bytes_u8(&unit) != DW_UT_split_type)
			return !unit.failed;
		bytes_take(&info, length);
	}
	return false;
}

/* In DWARF 5 each type unit may have a section of that name, too, in front of the wanted one. */
static struct bytes info_data(const struct object *o)
{
	Elf_Scn *section = NULL;

	while ((section = elf_nextscn(o->elf, section))) {
		GElf_Shdr header;
		const char *name = NULL;
		struct bytes info;

		if (gelf_getshdr(section, &header))
			name = elf_strptr(o->elf, o->names_section, header.sh_name);
		if (!name || strcmp(name, part_names[PART_INFO]))
			continue;
		info = data_of(section, &header);
		if (has_code_unit(info))
			return info;
	}
	return bytes_of(NULL, 0);
}

static void file_close(struct split_file *f)
{
	object_free(f->object);
	free(f->path);
	*f = (struct split_file){ 0 };
}

/* Takes O, the file of PATH.  Returns false, and closes it, if it has no units. */
static bool file_open(struct split_file *f, struct object *o, const char *path)
{
	*f = (struct split_file){ .object = o };
	if (allowance_take(f->object->allowance, object_dwarf_bytes(f->object))) {
		f->parts[PART_INFO] = info_data(f->object);
		for (int i = PART_INFO + 1; i < PARTS; i++)
			f->parts[i] = section_data(f->object, part_names[i]);
		f->texts = section_data(f->object, ".debug_str.dwo");
		f->index = section_data(f->object, ".debug_cu_index");
	}
	if (f->parts[PART_INFO].left) {
		f->path = mem_strdup(path);
		return true;
	}
	file_close(f);
	return false;
}

static void package_open(struct split_files *f)
{
	struct debugfile_request r = { .way = DEBUGFILE_PACKAGE };
	struct debugfile_path path;
	bool end = false;

	while (!end && !f->package.object) {
		struct object *o = debugfile_ask(&f->where, &r, &path, &end);

		if (o)
			file_open(&f->package, o, path.text);
	}
}

struct split_files *split_files_new(const struct load *l, const struct object *program)
{
	const unsigned char order =
		__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB;
	struct split_files *f = mem_alloc(sizeof(*f));

	f->foreign = program->header.e_ident[EI_DATA] != order;
	f->path = mem_strdup(l->key.path);
	f->where = (struct load){ .key = l->key,
				  .proc_root = l->proc_root,
				  .debug_root = l->debug_root,
				  .open = l->open,
				  .context = l->open ? l->context : NULL,
				  .holder = &program->fd };
	f->where.key.path = f->path;
	f->addresses = section_data(program, ".debug_addr");
	f->ranges = section_data(program, ".debug_ranges");
	if (!f->foreign)
		package_open(f);
	return f;
}

void split_files_free(struct split_files *f)
{
	if (!f)
		return;
	file_close(&f->package);
	free(f->path);
	free(f);
}

size_t split_files_bytes(const struct split_files *f)
{
	return f->package.object ? object_dwarf_bytes(f->package.object) : 0;
}

/* Parts. */

/* B from OFFSET on; empty if it is shorter. */
static struct bytes from(struct bytes b, uint64_t offset)
{
	bytes_take(&b, offset);
	return b.failed ? bytes_of(NULL, 0) : b;
}

static uint32_t word_at(struct bytes b, uint64_t number)
{
	b = from(b, number * 4);
	return bytes_u32(&b);
}

/* The row of unit ID in the hash table of the index, from 1; 0 none. */
static uint32_t index_row(struct bytes table, uint32_t slots, uint64_t id)
{
	struct bytes rows = from(table, 8ull * slots);
	uint64_t slot = id, step = (id >> 32) | 1;

	for (uint32_t tries = 0; tries < slots; tries++, slot += step) {
		uint32_t at = slot & (slots - 1), row = word_at(rows, at);
		struct bytes its = from(table, 8ull * at);

		if (!row || bytes_u64(&its) == id)
			return row;
	}
	return 0;
}

/* The bytes [OFFSET, OFFSET + SIZE) of B; empty if B is shorter. */
static struct bytes cut(struct bytes b, uint32_t offset, uint32_t size)
{
	b = from(b, offset);
	return bytes_of(b.at, size <= b.left ? size : 0);
}

/*
 * The index (DWARF 5, 7.3.5.3):
 *
 *	a header	version, number of columns, of units, of slots
 *	for each slot	the number of a unit (8 bytes)
 *	for each slot	the number of the unit's row
 *	a row		the columns' numbers
 *	for each unit	a row of offsets
 *	for each unit	a row of sizes
 */
static bool package_find(const struct split_file *f, uint64_t id, struct bytes *parts)
{
	uint32_t columns = word_at(f->index, 1), units = word_at(f->index, 2);
	uint32_t slots = word_at(f->index, 3), row;
	struct bytes table = from(f->index, 16), numbers = from(table, 12ull * slots);
	struct bytes offsets = from(numbers, 4ull * columns);
	struct bytes sizes = from(offsets, 4ull * columns * units);

	if (columns > COLUMNS_MAX || !slots || slots & (slots - 1) || slots > table.left / 12)
		return false;
	row = index_row(table, slots, id);
	if (!row || row > units)
		return false;
	for (uint32_t c = 0; c < columns; c++) {
		uint64_t cell = (uint64_t)(row - 1) * columns + c;

		for (int i = 0; i < PARTS; i++)
			if (word_at(numbers, c) == part_numbers[i])
				parts[i] = cut(f->parts[i], word_at(offsets, cell),
					       word_at(sizes, cell));
	}
	return parts[PART_INFO].left && parts[PART_ABBREV].left;
}

/* The image. */

/* The head of a section: a length, marked in 64-bit DWARF, and SIZE more bytes. */
static size_t header_size(const struct split_unit *u, size_t size)
{
	return (u->offset_size == 8 ? 12 : 4) + size;
}

static uint64_t read_offset(const struct split_unit *u, struct bytes *b)
{
	return u->offset_size == 8 ? bytes_u64(b) : bytes_u32(b);
}

static void add_offset(const struct split_unit *u, struct buf *offsets, uint64_t at)
{
	const uint32_t narrow = (uint32_t)at;

	buf_add(offsets, u->offset_size == 8 ? (const void *)&at : &narrow, u->offset_size);
}

/*
 * The texts of a package belong to all its units.  A unit gets the texts that its table of offsets
 * names, and a table of their new places.
 */
static void collect_texts(const struct split_unit *u, struct bytes table, struct bytes texts,
			  struct buf *offsets, struct buf *own)
{
	const size_t size = u->version >= 5 ? header_size(u, OFFSETS_HEADER) : 0;
	const void *head = bytes_take(&table, size);

	if (head)
		buf_add(offsets, head, size);
	buf_add(own, "", 1);
	while (table.left >= u->offset_size) {
		struct bytes rest = from(texts, read_offset(u, &table));
		const char *text = cursor_string(&rest);
		uint64_t at = 0;

		if (text && own->size + strlen(text) < TEXTS_MAX) {
			at = own->size;
			buf_add(own, text, strlen(text) + 1);
		}
		add_offset(u, offsets, at);
	}
}

struct image_section {
	const char *name;
	struct bytes bytes;
};

static Elf64_Shdr image_add(struct buf *image, struct buf *names, const struct image_section *s)
{
	Elf64_Shdr header = {
		.sh_name = (Elf64_Word)names->size,
		.sh_offset = image->size,
		.sh_type = SHT_PROGBITS,
		.sh_size = s->bytes.left,
		.sh_addralign = 1,
	};

	if (s->bytes.left)
		buf_add(image, s->bytes.at, s->bytes.left);
	buf_add(names, s->name, strlen(s->name) + 1);
	return header;
}

/* The smallest ELF file that can have sections. */
static void image_make(struct buf *image, const struct image_section *sections, size_t count)
{
	Elf64_Ehdr head = {
		.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64,
			     __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB,
			     EV_CURRENT },
		.e_type = ET_EXEC,
		.e_version = EV_CURRENT,
		.e_ehsize = sizeof(head),
		.e_shentsize = sizeof(Elf64_Shdr),
		.e_shnum = (Elf64_Half)(count + 2),
		.e_shstrndx = (Elf64_Half)(count + 1),
	};
	Elf64_Shdr *headers = mem_array(count + 2, sizeof(*headers));
	struct buf names = { 0 };

	buf_add(image, &head, sizeof(head));
	buf_add(&names, "", 1);
	for (size_t i = 0; i < count; i++)
		headers[i + 1] = image_add(image, &names, &sections[i]);
	headers[count + 1] = (Elf64_Shdr){ .sh_type = SHT_STRTAB,
					   .sh_offset = image->size,
					   .sh_size = names.size,
					   .sh_addralign = 1 };
	buf_add(image, names.bytes, names.size);
	while (image->size % sizeof(uint64_t))
		buf_add(image, "", 1);
	head.e_shoff = image->size;
	buf_add(image, headers, (count + 2) * sizeof(*headers));
	memcpy(image->bytes, &head, sizeof(head));
	buf_fini(&names);
	free(headers);
}

/* Writes the unit into the sections of a file that is not split. */
static void unit_image(struct split_unit *u, const struct split_file *f, const struct bytes *parts)
{
	struct buf offsets = { 0 }, texts = { 0 };

	collect_texts(u, parts[PART_OFFSETS], f->texts, &offsets, &texts);
	image_make(&u->image,
		   (struct image_section[]){
			   { ".debug_info", parts[PART_INFO] },
			   { ".debug_abbrev", parts[PART_ABBREV] },
			   { ".debug_rnglists",
			     u->version >= 5 ? parts[PART_RANGES] : bytes_of(NULL, 0) },
			   { ".debug_str_offsets", bytes_of(offsets.bytes, offsets.size) },
			   { ".debug_str", bytes_of(texts.bytes, texts.size) },
		   },
		   5);
	buf_fini(&offsets);
	buf_fini(&texts);
}

/* Units. */

/* Its offsets must be as wide as the skeleton's, because those of tables are read by it. */
static bool find_unit(struct split_unit *u, uint64_t id)
{
	Dwarf_CU *cu = NULL;
	Dwarf_Half version;
	uint8_t type, address_size, offset_size;
	uint64_t its;

	while (dwarf_get_units(u->dwarf, cu, &cu, &version, &type, &u->die, NULL) == 0)
		if (type != DW_UT_type && type != DW_UT_split_type && version == u->version &&
		    dwarf_cu_info(cu, NULL, NULL, NULL, NULL, &its, &address_size, &offset_size) ==
			    0 &&
		    its == id && address_size == u->address_size && offset_size == u->offset_size)
			return true;
	return false;
}

/* Reads the unit from F.  Returns true if it is there. */
static bool unit_read(struct split_unit *u, const struct split_file *f, uint64_t id)
{
	struct bytes parts[PARTS] = { 0 };
	struct object image = { 0 };

	if (f->index.left && !package_find(f, id, parts))
		return false;
	unit_image(u, f, f->index.left ? parts : f->parts);
	u->elf = elf_memory(u->image.bytes, u->image.size);
	u->dwarf = u->elf ? dwarf_begin_elf(u->elf, DWARF_C_READ, NULL) : NULL;
	if (!u->dwarf || !find_unit(u, id) || elf_getshdrstrndx(u->elf, &image.names_section) < 0)
		return false;
	image.elf = u->elf;
	u->info = section_data(&image, ".debug_info");
	u->lists = section_data(&image, ".debug_rnglists");
	return true;
}

static void unit_reset(struct split_unit *u)
{
	if (u->dwarf)
		dwarf_end(u->dwarf);
	if (u->elf)
		elf_end(u->elf);
	buf_fini(&u->image);
	u->dwarf = NULL;
	u->elf = NULL;
}

void split_unit_close(struct split_unit *u)
{
	if (!u)
		return;
	unit_reset(u);
	free(u);
}

/* A skeleton's description of its unit. */
struct wanted {
	const char *name, *directory; /* the file, the compiler's directory; "" none */
	uint64_t id;
	struct error *why; /* the unit was not found */
};

static void say_other(const struct wanted *w, const char *path)
{
	if (!*w->why->text)
		error_set(w->why, _("split debug information of another build: %s"), path);
}

static bool try_file(struct split_unit *u, struct object *o, const char *path,
		     const struct wanted *w)
{
	struct split_file file;
	bool found;

	if (!file_open(&file, o, path))
		return false;
	found = unit_read(u, &file, w->id);
	file_close(&file);
	if (found)
		return true;
	unit_reset(u);
	say_other(w, path);
	return false;
}

static bool find_file(struct split_files *f, struct split_unit *u, const struct wanted *w)
{
	struct debugfile_request r = { .way = DEBUGFILE_UNIT };
	struct debugfile_path path;
	bool end = !debugfile_name(r.name, sizeof(r.name), w->name) ||
		   !debugfile_name(r.directory, sizeof(r.directory), w->directory);

	while (!end) {
		struct object *o = debugfile_ask(&f->where, &r, &path, &end);

		if (o && try_file(u, o, path.text, w))
			return true;
	}
	return false;
}

static bool unit_find(struct split_files *f, struct split_unit *u, const struct wanted *w)
{
	if (f->package.object) {
		if (unit_read(u, &f->package, w->id))
			return true;
		unit_reset(u);
	}
	if (*w->name && find_file(f, u, w))
		return true;
	if (f->package.object)
		say_other(w, f->package.path);
	if (!*w->why->text)
		error_set(w->why, _("split debug information not found: %s%s%s"),
			  *w->name == '/' ? "" : w->directory, *w->name == '/' ? "" : "/", w->name);
	return false;
}

static const char *text_of(Dwarf_Die *die, unsigned name, unsigned old_name)
{
	Dwarf_Attribute a;
	const char *text = NULL;

	if (dwarf_attr(die, name, &a) || dwarf_attr(die, old_name, &a))
		text = dwarf_formstring(&a);
	return text ? text : "";
}

static uint64_t number_of(Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute a;
	Dwarf_Word value;

	return dwarf_attr(die, name, &a) && dwarf_formudata(&a, &value) == 0 ? value : 0;
}

/* Returns true if the skeleton is of a kind that is read. */
static bool read_skeleton(struct split_unit *u, Dwarf_Die *skeleton, uint64_t *id)
{
	Dwarf_Half version;

	if (dwarf_cu_info(skeleton->cu, &version, NULL, NULL, NULL, id, &u->address_size,
			  &u->offset_size) ||
	    version > 5 || (u->offset_size != 4 && u->offset_size != 8) ||
	    (u->address_size != 4 && u->address_size != 8))
		return false;
	u->version = (uint8_t)version;
	return true;
}

static void set_addresses(struct split_unit *u, const struct split_files *f, Dwarf_Die *skeleton)
{
	Dwarf_Addr low;

	u->addresses = from(f->addresses, number_of(skeleton, u->version < 5 ? DW_AT_GNU_addr_base
									     : DW_AT_addr_base));
	u->old_lists = from(f->ranges, number_of(skeleton, DW_AT_GNU_ranges_base));
	u->low = dwarf_lowpc(skeleton, &low) == 0 ? low : 0;
}

struct split_unit *split_unit_open(struct split_files *f, Dwarf_Die *skeleton, struct error *why)
{
	struct split_unit *u = mem_alloc(sizeof(*u));
	struct wanted w = { .name = text_of(skeleton, DW_AT_dwo_name, DW_AT_GNU_dwo_name),
			    .directory = text_of(skeleton, DW_AT_comp_dir, DW_AT_comp_dir),
			    .why = why };

	why->text[0] = '\0';
	if (f->foreign || !read_skeleton(u, skeleton, &w.id)) {
		error_set(why, _("split debug information of a kind that is not read: %s"), w.name);
	} else {
		set_addresses(u, f, skeleton);
		if (unit_find(f, u, &w))
			return u;
	}
	split_unit_close(u);
	return NULL;
}

Dwarf *split_unit_dwarf(const struct split_unit *u)
{
	return u->dwarf;
}

Dwarf_Die split_unit_die(const struct split_unit *u)
{
	return u->die;
}

size_t split_unit_bytes(const struct split_unit *u)
{
	return sizeof(*u) + u->image.size;
}

/* Addresses. */

static uint64_t read_address(const struct split_unit *u, struct bytes *b)
{
	return u->address_size == 8 ? bytes_u64(b) : bytes_u32(b);
}

/* Address NUMBER of the unit.  Sets `failed` in FROM, which held the number, if there is none. */
static uint64_t indexed_address(const struct split_unit *u, uint64_t number, struct bytes *told_by)
{
	struct bytes b = u->addresses;
	uint64_t address;

	bytes_take(&b, number < b.left ? number * u->address_size : SIZE_MAX);
	address = read_address(u, &b);
	told_by->failed |= b.failed;
	return address;
}

static uint64_t read_small(struct bytes *b, size_t size)
{
	uint64_t value = 0;

	for (size_t i = 0; i < size; i++)
		value |= (uint64_t)bytes_u8(b)
			 << 8 * (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? i : size - 1 - i);
	return value;
}

/* The attribute's bytes; empty if they lie outside the unit. */
static struct bytes attribute_bytes(const struct split_unit *u, const Dwarf_Attribute *a)
{
	const unsigned char *end = u->info.at + u->info.left;

	if (a->valp < u->info.at || a->valp >= end)
		return bytes_of(NULL, 0);
	return bytes_of(a->valp, (size_t)(end - a->valp));
}

/* An address, itself or by its number.  Returns false if the form is neither. */
static bool attribute_address(const struct split_unit *u, Dwarf_Attribute *a, uint64_t *address)
{
	struct bytes b = attribute_bytes(u, a);
	unsigned form = dwarf_whatform(a);

	if (form == DW_FORM_addr)
		*address = read_address(u, &b);
	else if (form == DW_FORM_addrx || form == DW_FORM_GNU_addr_index)
		*address = indexed_address(u, cursor_uleb(&b), &b);
	else if (form >= DW_FORM_addrx1 && form <= DW_FORM_addrx4)
		*address = indexed_address(u, read_small(&b, form - DW_FORM_addrx1 + 1), &b);
	else
		return false;
	return !b.failed;
}

/* DW_AT_high_pc is an address, or a number of bytes. */
static bool single_range(const struct split_unit *u, Dwarf_Die *die, struct split_ranges *r)
{
	Dwarf_Attribute a;
	Dwarf_Word size;

	if (!dwarf_attr(die, DW_AT_low_pc, &a) || !attribute_address(u, &a, &r->low) ||
	    !dwarf_attr(die, DW_AT_high_pc, &a))
		return false;
	if (attribute_address(u, &a, &r->high))
		return true;
	if (dwarf_formudata(&a, &size))
		return false;
	r->high = r->low + size;
	return true;
}

/* An offset in the unit's lists, or an index in the table at their beginning. */
static struct bytes list_of(const struct split_unit *u, Dwarf_Attribute *a)
{
	struct bytes b = attribute_bytes(u, a);

	if (dwarf_whatform(a) == DW_FORM_rnglistx) {
		struct bytes lists = from(u->lists, header_size(u, RANGES_HEADER));
		uint64_t number = cursor_uleb(&b);
		struct bytes at =
			from(lists, number < lists.left ? number * u->offset_size : SIZE_MAX);

		return from(lists, at.left ? read_offset(u, &at) : SIZE_MAX);
	}
	return from(u->version < 5 ? u->old_lists : u->lists, read_offset(u, &b));
}

struct split_ranges split_ranges_of(const struct split_unit *u, Dwarf_Die *die)
{
	struct split_ranges r = { .unit = u, .base = u->low };
	Dwarf_Attribute a;

	if (dwarf_attr(die, DW_AT_ranges, &a))
		r.list = list_of(u, &a);
	else if (!single_range(u, die, &r))
		r.done = true;
	return r;
}

/* DWARF 4, 2.17.3: pairs relative to the base; the largest address announces a new base. */
static bool next_of_pairs(struct split_ranges *r, uint64_t *low, uint64_t *high)
{
	const uint64_t largest = r->unit->address_size == 8 ? UINT64_MAX : UINT32_MAX;

	for (;;) {
		uint64_t begin = read_address(r->unit, &r->list);
		uint64_t end = read_address(r->unit, &r->list);

		if (r->list.failed || (!begin && !end))
			return false;
		if (begin == largest) {
			r->base = end;
			continue;
		}
		*low = r->base + begin;
		*high = r->base + end;
		return true;
	}
}

/* DWARF 5, 7.25: a kind, and its operands. */
static bool next_of_kinds(struct split_ranges *r, uint64_t *low, uint64_t *high)
{
	const struct split_unit *u = r->unit;
	struct bytes *b = &r->list;

	for (;;) {
		switch (bytes_u8(b)) {
		case DW_RLE_base_addressx:
			r->base = indexed_address(u, cursor_uleb(b), b);
			continue;
		case DW_RLE_base_address:
			r->base = read_address(u, b);
			continue;
		case DW_RLE_startx_endx:
			*low = indexed_address(u, cursor_uleb(b), b);
			*high = indexed_address(u, cursor_uleb(b), b);
			break;
		case DW_RLE_startx_length:
			*low = indexed_address(u, cursor_uleb(b), b);
			*high = *low + cursor_uleb(b);
			break;
		case DW_RLE_offset_pair:
			*low = r->base + cursor_uleb(b);
			*high = r->base + cursor_uleb(b);
			break;
		case DW_RLE_start_end:
			*low = read_address(u, b);
			*high = read_address(u, b);
			break;
		case DW_RLE_start_length:
			*low = read_address(u, b);
			*high = *low + cursor_uleb(b);
			break;
		default: /* DW_RLE_end_of_list, or an invalid kind */
			return false;
		}
		return !b->failed;
	}
}

bool split_ranges_next(struct split_ranges *r, uint64_t *low, uint64_t *high)
{
	if (r->done)
		return false;
	if (!r->list.at) {
		*low = r->low;
		*high = r->high;
		r->done = true;
		return true;
	}
	r->done =
		!(r->unit->version < 5 ? next_of_pairs(r, low, high) : next_of_kinds(r, low, high));
	return !r->done;
}
