/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "symbol/load.h"

#include <stdio.h>
#include <string.h>

#include "base/i18n.h"
#include "symbol/debugfile.h"
#include "symbol/elfcalls.h"
#include "symbol/elfcfi.h"
#include "symbol/elfplt.h"
#include "symbol/elfsym.h"
#include "symbol/kallsyms.h"
#include "symbol/minidebug.h"
#include "symbol/object.h"
#include "symbol/pclntab.h"

/* This share of the code: call frame information then leaves out start-up code and padding. */
#define CFI_SHARE_ENOUGH 0.8

/* The result of a source.  PART: another source may know more. */
enum found { FOUND_NONE, FOUND_PART, FOUND_ALL };

/* The sources of symbols, the best first. */
struct symbol_source {
	unsigned kinds; /* kinds of objects, a bit each */
	enum named_by name;
	enum found (*read)(struct load *l);
};

static void add_source(struct load *l, enum named_by name)
{
	struct load_outcome *o = &l->outcome;

	if (o->source_count < LOAD_SOURCES_MAX)
		o->sources[o->source_count++] = name;
}

/* Appends "debug file /usr/lib/debug/…" to the list of sources. */
static void tell_source(struct load *l, uint32_t name)
{
	size_t used = strlen(l->source);
	const char *word = named_by_word(name);
	const char *path = name == NAMED_BY_DEBUG_FILE ? l->debug_path : "";

	if (!word)
		return;
	snprintf(l->source + used, sizeof(l->source) - used, "%s%s%s%s", used ? " + " : "",
		 *word == '.' ? word : _(word), *path ? " " : "", path);
}

static enum found kallsyms_source(struct load *l)
{
	return kallsyms_read(l) ? FOUND_ALL : FOUND_NONE;
}

static enum found symtab_source(struct load *l)
{
	return elfsym_read(l, l->object, SHT_SYMTAB, 0) ? FOUND_ALL : FOUND_NONE;
}

/* Takes DEBUG.  A prelinked file was moved after its debug file had been split off. */
static enum found debug_source(struct load *l, struct object *debug)
{
	uint64_t there = 0, here = 0;
	int64_t bias = 0;
	size_t found;

	if (!debug)
		return FOUND_NONE;
	if (object_load_address(debug, &there) && object_load_address(l->object, &here))
		bias = (int64_t)(here - there);
	found = elfsym_read(l, debug, SHT_SYMTAB, bias);
	if (debug->allowance->refused)
		l->outcome.refused = debug->allowance->refused;
	object_free(debug);
	return found ? FOUND_ALL : FOUND_NONE;
}

/* DEBUG was found at PATH. */
static enum found file_source(struct load *l, struct object *debug,
			      const struct debugfile_path *path)
{
	if (debug)
		load_debug_path(l, path->text);
	return debug_source(l, debug);
}

static enum found build_id_source(struct load *l)
{
	struct debugfile_path path;

	return file_source(l, debugfile_by_build_id(l, &path), &path);
}

static enum found link_source(struct load *l)
{
	struct debugfile_path path;

	return file_source(l, debugfile_by_link(l, &path), &path);
}

static enum found fetched_source(struct load *l)
{
	struct object *debug = l->fetched;

	l->fetched = NULL;
	return debug_source(l, debug);
}

/* It lacks the symbols of .dynsym. */
static enum found minidebug_source(struct load *l)
{
	struct object *mini = minidebug_open(l);
	size_t found = mini ? elfsym_read(l, mini, SHT_SYMTAB, 0) : 0;

	object_free(mini);
	if (!found)
		return FOUND_NONE;
	l->complete = true;
	return FOUND_PART;
}

static enum found dynsym_source(struct load *l)
{
	return elfsym_read(l, l->object, SHT_DYNSYM, 0) ? FOUND_PART : FOUND_NONE;
}

/* Has all of a Go program; C code linked into it has no names there. */
static enum found pclntab_source(struct load *l)
{
	if (!pclntab_read(l))
		return FOUND_NONE;
	l->complete |= !l->outcome.source_count;
	return FOUND_PART;
}

#define KIND(kind) (1u << (kind))
#define ELF_KINDS (KIND(DSO_FILE) | KIND(DSO_VDSO))

/* clang-format off */
static const struct symbol_source sources[] = {
	{ KIND(DSO_KERNEL), NAMED_BY_KALLSYMS,   kallsyms_source },
	{ ELF_KINDS,        NAMED_BY_SYMTAB,     symtab_source },
	{ KIND(DSO_FILE),   NAMED_BY_DEBUG_FILE, build_id_source },
	{ KIND(DSO_FILE),   NAMED_BY_DEBUG_FILE, link_source },
	{ KIND(DSO_FILE),   NAMED_BY_DEBUGINFOD, fetched_source },
	{ KIND(DSO_FILE),   NAMED_BY_MINIDEBUG,  minidebug_source },
	{ ELF_KINDS,        NAMED_BY_DYNSYM,     dynsym_source },
	{ KIND(DSO_FILE),   NAMED_BY_PCLNTAB,    pclntab_source },
};
/* clang-format on */

static bool is_elf(const struct load *l)
{
	return ELF_KINDS & KIND(l->key.kind);
}

/* Returns true if there is an ELF file to read. */
static bool load_check(struct load *l)
{
	if (!l->object)
		return false;
	l->outcome.refused = l->object->allowance->refused;
	l->outcome.no_elf = !l->object->elf;
	return l->object->elf;
}

/* Says what would bring the missing symbols. */
static void tell_missing(struct load *l)
{
	const struct build_id *id = &l->outcome.build_id;
	char text[BUILD_ID_TEXT];

	load_missing(l, _("stripped, and no debug file for build id %s"),
		     id->size ? build_id_format(id, text) : "-");
}

/* Says what was refused, in front of what is missing besides. */
static void tell_refusal(struct load *l, const char *refused)
{
	char besides[sizeof(l->missing)];

	memcpy(besides, l->missing, sizeof(besides));
	load_missing(l, "%s", refused);
	if (*besides)
		load_missing_more(l, besides);
}

void load_tell(struct load *l)
{
	const struct load_outcome *o = &l->outcome;
	const char *refused = object_refusal_text(o->refused);

	for (uint32_t i = 0; i < o->source_count && i < LOAD_SOURCES_MAX; i++)
		tell_source(l, o->sources[i]);
	if (o->no_elf && !refused)
		load_missing(l, _("%s is no ELF file"), l->key.path);
	if (o->stripped)
		tell_missing(l);
	if (refused)
		tell_refusal(l, refused);
}

static enum found read_source(struct load *l, const struct symbol_source *s)
{
	enum found found;

	if (!(s->kinds & KIND(l->key.kind)))
		return FOUND_NONE;
	symtab_builder_set_source(l->builder, s->name);
	found = s->read(l);
	if (found != FOUND_NONE)
		add_source(l, s->name);
	return found;
}

/* Sums up what the sources found. */
static enum found load_sources(struct load *l)
{
	enum found best = FOUND_NONE;

	for (size_t i = 0; i < sizeof(sources) / sizeof(*sources) && best != FOUND_ALL; i++) {
		enum found found = read_source(l, &sources[i]);

		best = found > best ? found : best;
	}
	return best;
}

/* Completes the symbols of an ELF file: stubs, and functions without a name. */
static void load_rest(struct load *l, enum found found)
{
	double described;

	symtab_builder_set_source(l->builder, NAMED_BY_PLT);
	elfplt_read(l, l->object);
	if (found == FOUND_ALL)
		return;
	symtab_builder_set_source(l->builder, NAMED_BY_CFI);
	described = elfcfi_read(l, l->object);
	symtab_builder_set_source(l->builder, NAMED_BY_CALLS);
	if (described < CFI_SHARE_ENOUGH && !l->complete)
		elfcalls_read(l, l->object);
}

struct symtab *load_read(struct load *l)
{
	struct symtab *table;
	enum found found;

	if (is_elf(l) && !load_check(l))
		return NULL;
	if (is_elf(l))
		l->outcome.build_id = object_build_id(l->object);
	l->builder = symtab_builder_new();
	if (is_elf(l))
		object_add_segments(l->object, l->builder);
	found = load_sources(l);
	if (is_elf(l))
		load_rest(l, found);
	if (load_checkpoint(l) || (found == FOUND_NONE && !is_elf(l)))
		return NULL;
	l->outcome.stripped = l->key.kind == DSO_FILE && found != FOUND_ALL && !l->complete;
	if (is_elf(l) && l->object->allowance->refused)
		l->outcome.refused = l->object->allowance->refused;
	table = symtab_builder_finish(l->builder);
	l->builder = NULL;
	return table;
}

struct symtab *load_run(struct load *l)
{
	struct symtab *table;

	load_open(l);
	if (is_elf(l) && !l->object) {
		load_missing(l, _("cannot open %s"), l->error.text);
		return NULL;
	}
	table = load_read(l);
	load_tell(l);
	return table;
}
