/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "symbol/srcline.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "base/i18n.h"
#include "symbol/debugfile.h"
#include "symbol/demangle.h"
#include "symbol/line-rows.h"
#include "symbol/object.h"
#include "symbol/relocate.h"
#include "symbol/split.h"

#define NO_SCOPE UINT32_MAX
#define WALK_DEPTH_MAX 128u
#define UNITS_MAX (1u << 20)
#define RANGES_MAX (4u << 20) /* limits: of all units, and of the functions of one unit */
#define ORIGIN_DEPTH_MAX 16u  /* steps from an inlined function to its declaration */
#define ROW_BYTES 112u        /* libdw's, for each row of lines while it sorts them */
#define KEPT_ROW_BYTES 40u    /* and for good */
#define DIES_MAX (16u << 20)  /* DIEs of one unit that are looked at, with their ranges */

/* Addresses [low, high) of the unit or function with number `of`. */
struct range {
	uint64_t low, high;
	uint32_t of;
	uint32_t parent; /* of functions: the range around this one, or NO_SCOPE */
};

struct function {
	Dwarf_Off die;
	char *name;              /* owned; NULL: not looked up yet, or none */
	const char *declared_in; /* libdw's; NULL: unknown, or not looked up yet */
	uint32_t declared_at;
	uint32_t call_file, call_line; /* where it was inlined */
	bool inlined, named;
};

struct unit {
	Dwarf_Off die;
	bool read, is_skeleton;
	struct split_unit *split; /* a skeleton's unit with functions; NULL: not found */
	struct function *functions;
	size_t function_count, function_capacity;
	struct range *ranges; /* by address, outer ones before inner ones */
	size_t range_count, range_capacity;
	uint32_t looked_at; /* DIEs and their ranges, see DIES_MAX */
};

struct srcline {
	struct object *object;
	struct object *debug;  /* NULL: OBJECT itself has the information */
	struct object *shared; /* what dwz(1) moved into another file, or NULL */
	Dwarf *dwarf, *shared_dwarf;
	struct split_files *split;  /* NULL: there is no skeleton */
	struct error split_missing; /* the first missing unit, and why it is missing */
	bool more_missing;
	int64_t bias; /* what to add to an object's address to get DWARF's address */
	struct unit *units;
	size_t unit_count, unit_capacity;
	struct range *ranges; /* of units, by address */
	size_t range_count, range_capacity;
	struct map lines; /* tables of lines: place to LINES_PAID or LINES_REFUSED */
	void **ended;     /* owned: see end_entries() */
	size_t ended_count, ended_capacity;
	size_t bytes;
};

static bool has_dwarf(const struct object *o)
{
	GElf_Shdr header;

	return o &&
	       (object_section(o, ".debug_info", SHT_NULL, &header) ||
		object_section(o, ".zdebug_info", SHT_NULL, &header)) &&
	       header.sh_type != SHT_NOBITS;
}

static struct object *fetch_file(struct load *l)
{
	struct debugfile_request r = { .way = DEBUGFILE_SERVER, .id = object_build_id(l->object) };
	struct debugfile_path path;
	struct build_id its;
	struct object *o;
	bool end;

	o = debugfile_ask(l, &r, &path, &end);
	if (!o)
		return NULL;
	its = object_build_id(o);
	if (build_id_equal(&its, &r.id))
		return o;
	object_free(o);
	return NULL;
}

static void find_debug_file(struct srcline *s, struct load *l)
{
	struct debugfile_path path;

	l->object = s->object;
	s->debug = debugfile_by_build_id(l, &path);
	if (!has_dwarf(s->debug)) {
		object_free(s->debug);
		s->debug = debugfile_by_link(l, &path);
	}
	if (!has_dwarf(s->debug)) {
		object_free(s->debug);
		s->debug = fetch_file(l);
	}
	l->object = NULL;
}

/*
 * Opens the file that dwz(1) made of what several debug files have in common.  libdw would open any
 * file that the section names, also one that blocks.  So it is opened here, or the information is
 * not used.
 */
static bool open_shared(struct srcline *s, struct load *l, const struct object *o)
{
	GElf_Shdr header;

	if (!object_section(o, ".gnu_debugaltlink", SHT_PROGBITS, &header))
		return true;
	s->shared = debugfile_shared(l, o);
	s->shared_dwarf =
		s->shared && allowance_take(s->shared->allowance, object_dwarf_bytes(s->shared))
			? dwarf_begin_elf(s->shared->elf, DWARF_C_READ, NULL)
			: NULL;
	if (!s->shared_dwarf)
		return false;
	s->bytes += object_dwarf_bytes(s->shared);
	dwarf_setalt(s->dwarf, s->shared_dwarf);
	return true;
}

static bool add_range(struct range **ranges, size_t *count, size_t *capacity, struct range r)
{
	if (*count >= RANGES_MAX)
		return false;
	if (r.low >= r.high)
		return true;
	mem_grow((void **)ranges, capacity, *count + 1, sizeof(**ranges));
	(*ranges)[(*count)++] = r;
	return true;
}

static void add_unit(struct srcline *s, Dwarf_Die *die, bool is_skeleton)
{
	Dwarf_Addr base, low, high;
	ptrdiff_t at = 0;

	mem_grow((void **)&s->units, &s->unit_capacity, s->unit_count + 1, sizeof(*s->units));
	s->units[s->unit_count] =
		(struct unit){ .die = dwarf_dieoffset(die), .is_skeleton = is_skeleton };
	while ((at = dwarf_ranges(die, at, &base, &low, &high)) > 0)
		if (!add_range(&s->ranges, &s->range_count, &s->range_capacity,
			       (struct range){ low, high, (uint32_t)s->unit_count, NO_SCOPE }))
			break;
	s->unit_count++;
}

static int compare_ranges(const void *left, const void *right)
{
	const struct range *a = left, *b = right;

	if (a->low != b->low)
		return a->low < b->low ? -1 : 1;
	if (a->high != b->high)
		return a->high > b->high ? -1 : 1;
	return a->of < b->of ? -1 : a->of > b->of;
}

/* Sorts ranges so that an outer one precedes those within it, and links these to it. */
static void nest_ranges(struct range *ranges, size_t count)
{
	uint32_t open = NO_SCOPE;

	if (count)
		qsort(ranges, count, sizeof(*ranges), compare_ranges);
	for (size_t i = 0; i < count; i++) {
		while (open != NO_SCOPE && ranges[open].high <= ranges[i].low)
			open = ranges[open].parent;
		ranges[i].parent = open;
		open = i;
	}
}

/* Range I, or the first range around it, that holds ADDRESS; or NO_SCOPE. */
static uint32_t enclosing_range(const struct range *ranges, uint32_t i, uint64_t address)
{
	for (unsigned depth = 0; i != NO_SCOPE && depth < 2 * WALK_DEPTH_MAX; depth++) {
		if (address < ranges[i].high)
			return i;
		i = ranges[i].parent;
	}
	return NO_SCOPE;
}

/* The innermost range that holds ADDRESS, or NO_SCOPE. */
static uint32_t find_range(const struct range *ranges, size_t count, uint64_t address)
{
	size_t low = 0, high = count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (ranges[middle].low <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return enclosing_range(ranges, low ? (uint32_t)(low - 1) : NO_SCOPE, address);
}

static int pass_attribute(Dwarf_Attribute *a, void *unused)
{
	(void)a;
	(void)unused;
	return DWARF_CB_OK;
}

/*
 * Returns true if all attributes of the entry are there.  libdw does not check that, and returns a
 * text that begins at the end of the section (as of 0.188).
 */
static bool is_whole(Dwarf_Die *die)
{
	return dwarf_getattrs(die, pass_attribute, NULL, 0) == 1;
}

/*
 * Split units are split.h's: libdw would open the file that they name if it were asked for their
 * DIE.
 */
static void read_units(struct srcline *s, struct load *l)
{
	Dwarf_CU *cu = NULL;
	Dwarf_Die die;
	uint8_t type;

	while (s->unit_count < UNITS_MAX && !load_checkpoint(l) &&
	       dwarf_get_units(s->dwarf, cu, &cu, NULL, &type, &die, NULL) == 0)
		if ((type == DW_UT_compile || type == DW_UT_skeleton) && is_whole(&die))
			add_unit(s, &die, type == DW_UT_skeleton);
	nest_ranges(s->ranges, s->range_count);
}

/* The bytes of the next section of that name behind *SECTION, which is NULL at first; NULL: no more has bytes. */
static Elf_Data *section_data_next(const struct object *o, Elf_Scn **section, const char *name)
{
	GElf_Shdr header;

	while ((*section = object_section_next(o, *section, name, SHT_NULL, &header))) {
		Elf_Data *data = elf_getdata(*section, NULL);

		if (data && data->d_buf && data->d_size)
			return data;
	}
	return NULL;
}

static Elf_Data *section_data(const struct object *o, const char *name)
{
	Elf_Scn *section = NULL;

	return section_data_next(o, &section, name);
}

static bool ends_text(const Elf_Data *data)
{
	return !((const char *)data->d_buf)[data->d_size - 1];
}

/*
 * libdw hands out texts of these sections as they are, so the last byte must end the last text.
 * For a text given by its number it also accepts an offset equal to the section's size (as of
 * 0.188).  So the size is reduced by one: the final zero then lies behind the end.  It takes the first
 * section of a name that it can use, so this is done for all of them.  Call after
 * dwarf_begin_elf(), which has unpacked compressed sections.
 */
static bool end_texts(const struct object *o)
{
	static const char *const sections[] = { ".debug_str", ".debug_line_str", ".zdebug_str" };

	for (size_t i = 0; i < sizeof(sections) / sizeof(*sections); i++) {
		Elf_Scn *section = NULL;
		Elf_Data *data;

		while ((data = section_data_next(o, &section, sections[i]))) {
			if (!ends_text(data))
				return false;
			data->d_size--;
		}
	}
	return true;
}

/* A section with texts that need not end with a zero: libdw gets a copy with a zero behind the end. */
static void end_copied(struct srcline *s, Elf_Data *data)
{
	void *copy;

	if (ends_text(data))
		return;
	mem_grow((void **)&s->ended, &s->ended_capacity, s->ended_count + 1, sizeof(*s->ended));
	copy = s->ended[s->ended_count++] = mem_alloc(data->d_size + 1);
	data->d_buf = memcpy(copy, data->d_buf, data->d_size);
	s->bytes += data->d_size;
}

/* These have texts, too.  Each was paid for by object_dwarf_bytes(). */
static void end_entries(struct srcline *s, const struct object *o)
{
	static const char *const sections[] = { ".debug_info", ".debug_types", ".zdebug_info",
						".zdebug_types" };

	for (size_t i = 0; i < sizeof(sections) / sizeof(*sections); i++) {
		Elf_Scn *section = NULL;
		Elf_Data *data;

		while ((data = section_data_next(o, &section, sections[i])))
			end_copied(s, data);
	}
}

static bool has_skeleton(const struct srcline *s)
{
	for (size_t i = 0; i < s->unit_count; i++)
		if (s->units[i].is_skeleton)
			return true;
	return false;
}

/* Addresses in a relocatable file are of use only where the sections are known. */
static bool place_sections(const struct object *o, struct load *l)
{
	if (o->header.e_type != ET_REL || !l->module || relocate_debug(o, l->module))
		return true;
	load_missing(l, "%s", object_refusal(o));
	return false;
}

static bool srcline_start(struct srcline *s, struct load *l)
{
	const struct object *o = s->debug ? s->debug : s->object;
	uint64_t here = 0, there = 0;

	s->bytes = object_dwarf_bytes(o);
	if (s->bytes > SRCLINE_BYTES_MAX) {
		load_missing(l, "%s", _("more than 1 GiB of debugging information"));
		return false;
	}
	if (!allowance_take(o->allowance, s->bytes)) {
		load_missing(l, "%s", object_refusal(o));
		return false;
	}
	s->dwarf = dwarf_begin_elf(o->elf, DWARF_C_READ, NULL);
	if (!s->dwarf || !open_shared(s, l, o)) {
		load_missing(l, "%s",
			     s->dwarf ? _("the shared debug file of dwz is not there")
				      : dwarf_errmsg(-1));
		return false;
	}
	if (!place_sections(o, l))
		return false;
	if (!end_texts(o) || (s->shared && !end_texts(s->shared))) {
		load_missing(l, "%s", _("damaged debugging information"));
		return false;
	}
	end_entries(s, o);
	if (s->shared)
		end_entries(s, s->shared);
	if (s->debug && object_load_address(s->object, &here) &&
	    object_load_address(s->debug, &there))
		s->bias = (int64_t)(there - here);
	read_units(s, l);
	if (has_skeleton(s)) {
		s->split = split_files_new(l, o);
		s->bytes += split_files_bytes(s->split);
	}
	return true;
}

struct srcline *srcline_open(struct load *l)
{
	struct srcline *s;

	load_open(l);
	if (!l->object || !l->object->elf) {
		load_missing(l, _("cannot open %s"), l->object ? l->key.path : l->error.text);
		return NULL;
	}
	s = mem_alloc(sizeof(*s));
	s->object = l->object;
	l->object = NULL;
	if (!has_dwarf(s->object))
		find_debug_file(s, l);
	if (!has_dwarf(s->debug ? s->debug : s->object))
		load_missing(l, "%s", _("no debugging information, and no debug file"));
	else if (srcline_start(s, l))
		return s;
	l->object = s->object;
	s->object = NULL;
	srcline_close(s);
	return NULL;
}

static void unit_fini(struct unit *u)
{
	for (size_t i = 0; i < u->function_count; i++)
		free(u->functions[i].name);
	free(u->functions);
	free(u->ranges);
	split_unit_close(u->split);
}

void srcline_close(struct srcline *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->unit_count; i++)
		unit_fini(&s->units[i]);
	free(s->units);
	free(s->ranges);
	split_files_free(s->split);
	if (s->dwarf)
		dwarf_end(s->dwarf);
	if (s->shared_dwarf)
		dwarf_end(s->shared_dwarf);
	for (size_t i = 0; i < s->ended_count; i++)
		free(s->ended[i]);
	free(s->ended);
	map_fini(&s->lines);
	object_free(s->shared);
	object_free(s->debug);
	object_free(s->object);
	free(s);
}

enum { LINES_PAID = 1, LINES_REFUSED };

/* Counts the rows of the table at OFFSET of O's lines, and pays for them. */
static bool pay_lines(struct srcline *s, const struct object *o, uint64_t offset)
{
	Elf_Data *data = section_data(o, ".debug_line");
	struct bytes table;
	uint64_t rows, size;

	if (!data)
		data = section_data(o, ".zdebug_line");
	if (!data || offset >= data->d_size)
		return allowance_refuse(o->allowance, REFUSED_DAMAGED);
	table = bytes_of((const char *)data->d_buf + offset, data->d_size - offset);
	table.swap = o->header.e_ident[EI_DATA] !=
		     (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB);
	rows = line_rows(table, &size);
	if (!allowance_take(o->allowance, rows * ROW_BYTES))
		return false;
	allowance_give(o->allowance, rows * (ROW_BYTES - KEPT_ROW_BYTES));
	s->bytes += rows * KEPT_ROW_BYTES;
	return allowance_spend(o->allowance, size);
}

/* Returns true if libdw may read the lines of this unit; each table is paid once. */
static bool has_lines(struct srcline *s, Dwarf_Die *unit)
{
	const struct object *o = s->debug ? s->debug : s->object;
	Dwarf_Attribute a;
	Dwarf_Word offset;
	uintptr_t known;

	if (dwarf_cu_getdwarf(unit->cu) == s->shared_dwarf && s->shared)
		o = s->shared;
	if (!dwarf_attr(unit, DW_AT_stmt_list, &a) || dwarf_formudata(&a, &offset))
		return false;
	known = (uintptr_t)map_find(&s->lines, offset << 1 | (o == s->shared));
	if (!known) {
		known = pay_lines(s, o, offset) ? LINES_PAID : LINES_REFUSED;
		map_put(&s->lines, offset << 1 | (o == s->shared), (void *)known);
	}
	return known == LINES_PAID;
}

static uint32_t die_number(Dwarf_Die *die, unsigned attribute)
{
	Dwarf_Attribute a;
	Dwarf_Word value;

	if (!dwarf_attr(die, attribute, &a) || dwarf_formudata(&a, &value) || value > UINT32_MAX)
		return 0;
	return (uint32_t)value;
}

static bool add_function_range(struct unit *u, uint64_t low, uint64_t high)
{
	return u->looked_at++ < DIES_MAX &&
	       add_range(&u->ranges, &u->range_count, &u->range_capacity,
			 (struct range){ low, high, (uint32_t)u->function_count, NO_SCOPE });
}

static void add_function_ranges(struct unit *u, Dwarf_Die *die)
{
	Dwarf_Addr base, low, high;
	ptrdiff_t at = 0;

	while ((at = dwarf_ranges(die, at, &base, &low, &high)) > 0)
		if (!add_function_range(u, low, high))
			return;
}

static void add_split_ranges(struct unit *u, Dwarf_Die *die)
{
	struct split_ranges ranges = split_ranges_of(u->split, die);
	uint64_t low, high;

	while (split_ranges_next(&ranges, &low, &high))
		if (!add_function_range(u, low, high))
			return;
}

static void add_function(struct unit *u, Dwarf_Die *die, bool inlined)
{
	size_t before = u->range_count;

	if (u->split)
		add_split_ranges(u, die);
	else
		add_function_ranges(u, die);
	if (u->range_count == before)
		return; /* a declaration, or the abstract instance */
	mem_grow((void **)&u->functions, &u->function_capacity, u->function_count + 1,
		 sizeof(*u->functions));
	u->functions[u->function_count++] = (struct function){
		.die = dwarf_dieoffset(die),
		.inlined = inlined,
		.call_file = inlined ? die_number(die, DW_AT_call_file) : 0,
		.call_line = inlined ? die_number(die, DW_AT_call_line) : 0,
	};
}

/* True for a tag that can have functions with code in it. */
static bool is_container(int tag)
{
	switch (tag) {
	case DW_TAG_subprogram:
	case DW_TAG_inlined_subroutine:
	case DW_TAG_lexical_block:
	case DW_TAG_try_block:
	case DW_TAG_catch_block:
	case DW_TAG_namespace:
	case DW_TAG_module:
	case DW_TAG_class_type:
	case DW_TAG_structure_type:
	case DW_TAG_union_type:
		return true;
	}
	return false;
}

/*
 * Outer functions are added before inner ones, so among equal ranges the lower number is the outer.
 */
static void walk_functions(struct unit *u, Dwarf_Die *parent, unsigned depth)
{
	Dwarf_Die die;

	if (depth >= WALK_DEPTH_MAX || dwarf_child(parent, &die) != 0)
		return;
	do {
		int tag = dwarf_tag(&die);

		if (u->looked_at++ >= DIES_MAX)
			return;
		if (tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine)
			add_function(u, &die, tag == DW_TAG_inlined_subroutine);
		if (is_container(tag))
			walk_functions(u, &die, depth + 1);
	} while (dwarf_siblingof(&die, &die) == 0);
}

static void open_split(struct srcline *s, struct unit *u, Dwarf_Die *skeleton)
{
	struct error why;

	u->split = split_unit_open(s->split, skeleton, &why);
	if (u->split)
		return;
	if (!*s->split_missing.text)
		s->split_missing = why;
	else
		s->more_missing = true;
}

/* DIE is the unit's own, or its skeleton's. */
static void read_unit(struct srcline *s, struct unit *u, Dwarf_Die *die)
{
	Dwarf_Die split;

	u->read = true;
	if (u->is_skeleton)
		open_split(s, u, die);
	if (u->split) {
		split = split_unit_die(u->split);
		s->bytes += split_unit_bytes(u->split);
	}
	walk_functions(u, u->split ? &split : die, 0);
	nest_ranges(u->ranges, u->range_count);
	s->bytes += u->function_capacity * sizeof(*u->functions) +
		    u->range_capacity * sizeof(*u->ranges);
}

/* The unit whose line table has the files of DIE; for a split unit, its skeleton. */
static bool lines_unit(struct srcline *s, const struct unit *u, Dwarf_Die *die, Dwarf_Die *unit)
{
	return u->split ? dwarf_offdie(s->dwarf, u->die, unit) : dwarf_diecu(die, unit, NULL, NULL);
}

/* Replaces the entry by the one that it is an instance of.  Returns false if there is none. */
static bool to_origin(Dwarf_Die *die)
{
	Dwarf_Attribute a;

	return (dwarf_attr(die, DW_AT_abstract_origin, &a) ||
		dwarf_attr(die, DW_AT_specification, &a)) &&
	       dwarf_formref_die(&a, die);
}

/* Written by hand: dwarf_decl_file() ends the program if a unit of a damaged file has no lines. */
static void find_declaration(struct srcline *s, const struct unit *u, struct function *f,
			     Dwarf_Die die)
{
	for (unsigned depth = 0; depth < ORIGIN_DEPTH_MAX; depth++) {
		Dwarf_Attribute a;
		Dwarf_Files *files;
		Dwarf_Die unit;
		size_t count;

		if (dwarf_attr(&die, DW_AT_decl_line, &a)) {
			uint32_t file = die_number(&die, DW_AT_decl_file);

			f->declared_at = die_number(&die, DW_AT_decl_line);
			if (lines_unit(s, u, &die, &unit) && has_lines(s, &unit) &&
			    dwarf_getsrcfiles(&unit, &files, &count) == 0 && file < count)
				f->declared_in = dwarf_filesrc(files, file, NULL, NULL);
			return;
		}
		if (!to_origin(&die))
			return;
	}
}

/* The name of the entry, or of the one that it is an instance of.  Also by hand: see is_whole(). */
static const char *text_of(Dwarf_Die die, unsigned attribute)
{
	for (unsigned depth = 0; depth < ORIGIN_DEPTH_MAX && is_whole(&die); depth++) {
		Dwarf_Attribute a;

		if (dwarf_attr(&die, attribute, &a))
			return dwarf_formstring(&a);
		if (!to_origin(&die))
			break;
	}
	return NULL;
}

/* Takes the linkage name: it gives the namespaces, and no parameters, as other symbols do. */
static const char *function_name(struct srcline *s, const struct unit *u, struct function *f)
{
	static const unsigned names[] = { DW_AT_linkage_name, DW_AT_MIPS_linkage_name, DW_AT_name };
	const char *raw = NULL;
	Dwarf_Die die;

	if (f->named)
		return f->name;
	f->named = true;
	if (!dwarf_offdie(u->split ? split_unit_dwarf(u->split) : s->dwarf, f->die, &die))
		return NULL;
	find_declaration(s, u, f, die);
	for (size_t i = 0; i < sizeof(names) / sizeof(*names) && !raw; i++)
		raw = text_of(die, names[i]);
	if (!raw)
		return NULL;
	f->name = symbol_demangle(raw);
	if (!f->name)
		f->name = mem_strdup(raw);
	return f->name;
}

static void find_line(struct srcline *s, Dwarf_Die *unit, uint64_t address,
		      struct srcline_frame *frame)
{
	Dwarf_Line *line = has_lines(s, unit) ? dwarf_getsrc_die(unit, address) : NULL;
	int number;

	if (!line)
		return;
	frame->file = dwarf_linesrc(line, NULL, NULL);
	if (dwarf_lineno(line, &number) == 0 && number > 0)
		frame->line = (uint32_t)number;
}

static void find_call(struct srcline *s, Dwarf_Die *unit, const struct function *f,
		      struct srcline_frame *frame)
{
	Dwarf_Files *files;
	size_t count;

	frame->line = f->call_line;
	if (has_lines(s, unit) && dwarf_getsrcfiles(unit, &files, &count) == 0 &&
	    f->call_file < count)
		frame->file = dwarf_filesrc(files, f->call_file, NULL, NULL);
}

struct place {
	struct unit *unit;
	Dwarf_Die *die; /* of the unit */
	uint64_t address;
};

/*
 * From the innermost function outwards; each inlined function tells where the next one called it.
 */
static size_t find_functions(struct srcline *s, const struct place *p, struct srcline_frame *frames,
			     size_t max)
{
	struct unit *u = p->unit;
	uint32_t at = find_range(u->ranges, u->range_count, p->address);
	size_t count = 0;

	while (at != NO_SCOPE && count < max) {
		struct function *f = &u->functions[u->ranges[at].of];

		frames[count].function = function_name(s, u, f);
		frames[count].declared_in = f->declared_in;
		frames[count].declared_at = f->declared_at;
		frames[count].inlined = f->inlined;
		count++;
		if (!f->inlined)
			break;
		if (count < max)
			find_call(s, p->die, f, &frames[count]);
		at = enclosing_range(u->ranges, u->ranges[at].parent, p->address);
	}
	return count;
}

size_t srcline_find(struct srcline *s, uint64_t address, struct srcline_frame *frames, size_t max)
{
	struct place p = { .address = address + (uint64_t)s->bias };
	uint32_t at = find_range(s->ranges, s->range_count, p.address);
	Dwarf_Die die;
	size_t count;

	if (at == NO_SCOPE || !max)
		return 0;
	p.unit = &s->units[s->ranges[at].of];
	p.die = dwarf_offdie(s->dwarf, p.unit->die, &die);
	if (!p.die)
		return 0;
	if (!p.unit->read)
		read_unit(s, p.unit, &die);
	memset(frames, 0, max * sizeof(*frames));
	find_line(s, &die, p.address, &frames[0]);
	count = find_functions(s, &p, frames, max);
	return count ? count : frames[0].file != NULL;
}

void srcline_missing(const struct srcline *s, struct error *text)
{
	const char *refused = object_refusal(s->debug ? s->debug : s->object);

	if (refused)
		error_set(text, "%s", refused);
	else if (s->more_missing)
		error_set(text, _("%.480s, and others"), s->split_missing.text);
	else
		*text = s->split_missing;
}

const struct object *srcline_object(const struct srcline *s)
{
	return s->object;
}

size_t srcline_bytes(const struct srcline *s)
{
	return s->bytes;
}
