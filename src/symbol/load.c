/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "symbol/load.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/i18n.h"
#include "symbol/debugfile.h"
#include "symbol/elfplt.h"
#include "symbol/elfsym.h"
#include "symbol/kallsyms.h"
#include "symbol/minidebug.h"
#include "symbol/object.h"
#include "symbol/pclntab.h"
#include "symbol/vdso.h"

/* The result of a source.  PART: another source may know more. */
enum found { FOUND_NONE, FOUND_PART, FOUND_ALL };

/* The sources of symbols, the best first. */
struct symbol_source {
	unsigned kinds; /* kinds of objects, a bit each */
	enum found (*read)(struct load *l);
};

/* Appends "debug file", "/usr/lib/debug/…" to the list of sources. */
static void add_source(struct load *l, const char *what, const char *path)
{
	size_t used = strlen(l->source);

	snprintf(l->source + used, sizeof(l->source) - used, "%s%s%s%s", used ? " + " : "", what,
		 *path ? " " : "", path);
}

void load_missing(struct load *l, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(l->missing, sizeof(l->missing), format, args);
	va_end(args);
}

void load_missing_more(struct load *l, const char *text)
{
	size_t used = strlen(l->missing);

	snprintf(l->missing + used, sizeof(l->missing) - used, "; %s", text);
}

bool load_trusts(const struct load *l, const struct stat *file)
{
	char path[4096];
	struct stat process;

	if (file->st_uid == 0)
		return true;
	snprintf(path, sizeof(path), "%s/%u", l->proc_root, l->key.pid);
	if (stat(path, &process) < 0)
		return file->st_uid == getuid();
	return process.st_uid == file->st_uid;
}

static enum found kallsyms_source(struct load *l)
{
	return kallsyms_read(l) ? FOUND_ALL : FOUND_NONE;
}

static enum found symtab_source(struct load *l)
{
	if (!elfsym_read(l, l->object, SHT_SYMTAB, 0))
		return FOUND_NONE;
	add_source(l, ".symtab", "");
	return FOUND_ALL;
}

/* Takes DEBUG.  A prelinked file was moved after its debug file had been split off. */
static enum found debug_source(struct load *l, struct object *debug,
			       const struct debugfile_path *path)
{
	uint64_t there = 0, here = 0;
	int64_t bias = 0;
	size_t found;

	if (!debug)
		return FOUND_NONE;
	if (object_load_address(debug, &there) && object_load_address(l->object, &here))
		bias = (int64_t)(here - there);
	found = elfsym_read(l, debug, SHT_SYMTAB, bias);
	if (object_refusal(debug))
		l->refused = object_refusal(debug);
	object_free(debug);
	if (!found)
		return FOUND_NONE;
	add_source(l, _("debug file"), path->text);
	return FOUND_ALL;
}

static enum found build_id_source(struct load *l)
{
	struct debugfile_path path;

	return debug_source(l, debugfile_by_build_id(l, &path), &path);
}

static enum found link_source(struct load *l)
{
	struct debugfile_path path;

	return debug_source(l, debugfile_by_link(l, &path), &path);
}

static enum found fetched_source(struct load *l)
{
	const struct debugfile_path from = { "(debuginfod)" };
	struct object *debug = l->fetched;

	l->fetched = NULL;
	return debug_source(l, debug, &from);
}

/* It lacks the symbols of .dynsym. */
static enum found minidebug_source(struct load *l)
{
	struct object *mini = minidebug_open(l);
	size_t found = mini ? elfsym_read(l, mini, SHT_SYMTAB, 0) : 0;

	object_free(mini);
	if (!found)
		return FOUND_NONE;
	add_source(l, ".gnu_debugdata", "");
	l->complete = true;
	return FOUND_PART;
}

static enum found dynsym_source(struct load *l)
{
	if (!elfsym_read(l, l->object, SHT_DYNSYM, 0))
		return FOUND_NONE;
	add_source(l, ".dynsym", "");
	return FOUND_PART;
}

/* Has all of a Go program; C code linked into it has no names there. */
static enum found pclntab_source(struct load *l)
{
	if (!pclntab_read(l))
		return FOUND_NONE;
	l->complete |= !*l->source;
	add_source(l, ".gopclntab", "");
	return FOUND_PART;
}

#define KIND(kind) (1u << (kind))
#define ELF_KINDS (KIND(DSO_FILE) | KIND(DSO_VDSO))

static const struct symbol_source sources[] = {
	{ KIND(DSO_KERNEL), kallsyms_source }, { ELF_KINDS, symtab_source },
	{ KIND(DSO_FILE), build_id_source },   { KIND(DSO_FILE), link_source },
	{ KIND(DSO_FILE), fetched_source },    { KIND(DSO_FILE), minidebug_source },
	{ ELF_KINDS, dynsym_source },          { KIND(DSO_FILE), pclntab_source },
};

static bool is_elf(const struct load *l)
{
	return ELF_KINDS & KIND(l->key.kind);
}

void load_open(struct load *l)
{
	int fd;

	if (l->object || !is_elf(l))
		return;
	if (l->key.kind == DSO_VDSO) {
		l->object = vdso_open();
		return;
	}
	fd = object_open_key(l->proc_root, &l->key, &l->error);
	if (fd >= 0)
		l->object = object_new(fd);
}

/*
 * /proc/kallsyms reports a size of 0 bytes, but is some 10 MB of text that the kernel makes during
 * the reading.  A person mostly waits for programs, which are quicker.
 */
#define KALLSYMS_COST (32u * 1024 * 1024)

uint64_t load_cost(const struct load *l)
{
	if (l->key.kind == DSO_KERNEL)
		return KALLSYMS_COST;
	return l->object ? l->object->size : 0;
}

/* Returns true if there is an ELF file to read. */
static bool load_check(struct load *l)
{
	load_open(l);
	if (!l->object)
		load_missing(l, _("cannot open %s"), l->error.text);
	else if (!l->object->elf && object_refusal(l->object))
		load_missing(l, "%s", object_refusal(l->object));
	else if (!l->object->elf)
		load_missing(l, _("%s is no ELF file"), l->key.path);
	return l->object && l->object->elf;
}

/* Says what would bring the missing symbols. */
static void add_missing(struct load *l)
{
	struct build_id id = object_build_id(l->object);
	char text[BUILD_ID_TEXT];

	load_missing(l, _("stripped, and no debug file for build id %s"),
		     id.size ? build_id_format(&id, text) : "-");
}

/* Says what was refused, in front of what is missing besides. */
static void add_refusal(struct load *l)
{
	char besides[sizeof(l->missing)];

	memcpy(besides, l->missing, sizeof(besides));
	load_missing(l, "%s", l->refused);
	if (*besides)
		load_missing_more(l, besides);
}

/* Sums up what the sources found. */
static enum found load_sources(struct load *l)
{
	enum found best = FOUND_NONE;

	for (size_t i = 0; i < sizeof(sources) / sizeof(*sources) && best != FOUND_ALL; i++) {
		enum found found = FOUND_NONE;

		if (sources[i].kinds & KIND(l->key.kind))
			found = sources[i].read(l);
		best = found > best ? found : best;
	}
	return best;
}

struct symtab *load_run(struct load *l)
{
	struct symtab *table;
	enum found found;

	if (is_elf(l) && !load_check(l))
		return NULL;
	if (is_elf(l))
		l->build_id = object_build_id(l->object);
	l->builder = symtab_builder_new();
	if (is_elf(l))
		object_add_segments(l->object, l->builder);
	found = load_sources(l);
	if (is_elf(l))
		elfplt_read(l, l->object);
	if (load_checkpoint(l) || (found == FOUND_NONE && !is_elf(l)))
		return NULL;
	if (l->key.kind == DSO_FILE && found != FOUND_ALL && !l->complete)
		add_missing(l);
	if (is_elf(l) && object_refusal(l->object))
		l->refused = object_refusal(l->object);
	if (l->refused)
		add_refusal(l);
	table = symtab_builder_finish(l->builder);
	l->builder = NULL;
	return table;
}

void load_fini(struct load *l)
{
	symtab_builder_free(l->builder);
	l->builder = NULL;
	object_free(l->object);
	l->object = NULL;
	object_free(l->fetched);
	l->fetched = NULL;
}
