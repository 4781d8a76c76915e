/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "symbol/function.h"

#include <string.h>

#include "base/i18n.h"
#include "base/nearest.h"
#include "symbol/debugfile.h"
#include "symbol/elfsym.h"

struct search {
	const char *name;
	size_t name_size;
	struct nearest nearest;
	bool found;
	uint64_t address;
	unsigned rank; /* of the function that was found */
};

static void look_at(void *context, const struct symtab_entry *e)
{
	struct search *s = context;

	nearest_try(&s->nearest, e->name);
	if (strncmp(e->name, s->name, s->name_size) ||
	    (e->name[s->name_size] && e->name[s->name_size] != '@'))
		return;
	if (s->found && e->rank >= s->rank)
		return;
	s->found = true;
	s->address = e->start;
	s->rank = e->rank;
}

static void search_debug_file(struct search *s, struct load *l)
{
	struct debugfile_path path;
	struct object *debug = debugfile_by_build_id(l, &path);
	uint64_t there = 0, here = 0;
	int64_t bias = 0;

	if (!debug)
		return;
	if (object_load_address(debug, &there) && object_load_address(l->object, &here))
		bias = (int64_t)(here - there);
	elfsym_each(l, debug, SHT_SYMTAB, bias, look_at, s);
	object_free(debug);
}

static void search(struct search *s, struct load *l)
{
	elfsym_each(l, l->object, SHT_SYMTAB, 0, look_at, s);
	if (!s->found)
		search_debug_file(s, l);
	if (!s->found)
		elfsym_each(l, l->object, SHT_DYNSYM, 0, look_at, s);
}

/* Takes the segment of code: the page at a boundary belongs to two segments. */
static bool offset_of_address(const struct object *o, uint64_t address, uint64_t *offset)
{
	size_t count = 0;
	GElf_Phdr p;

	if (elf_getphdrnum(o->elf, &count) < 0 || count > OBJECT_SEGMENTS_MAX)
		return false;
	for (size_t i = 0; i < count; i++) {
		if (!gelf_getphdr(o->elf, (int)i, &p) || p.p_type != PT_LOAD ||
		    !(p.p_flags & PF_X) || address - p.p_vaddr >= p.p_filesz)
			continue;
		*offset = address - p.p_vaddr + p.p_offset;
		return *offset < o->size;
	}
	return false;
}

static int find(struct load *l, const char *name, uint64_t *offset, struct error *err)
{
	struct search s = { .name = name, .name_size = strlen(name) };

	if (!l->object->elf)
		return error_set(err, _("%s is no ELF file"), l->key.path);
	nearest_init(&s.nearest, name, s.name_size);
	search(&s, l);
	if (s.found && offset_of_address(l->object, s.address, offset))
		return 0;
	if (s.found)
		return error_set(err, _("%s is in no code of %s"), name, l->key.path);
	if (*s.nearest.best)
		return error_set(err, _("%s has no function %s; did you mean %s?"), l->key.path,
				 name, s.nearest.best);
	return error_set(err, _("%s has no function %s, and no debug file that has"), l->key.path,
			 name);
}

int function_offset(const char *path, const char *name, const char *debug_root, uint64_t *offset,
		    struct error *err)
{
	struct load l = { .key = { .kind = DSO_FILE, .path = path },
			  .proc_root = "/proc",
			  .debug_root = debug_root ? debug_root : "/usr/lib/debug" };
	int fd = object_open_file(path), result;

	if (fd < 0)
		return error_set(err, _("cannot open %s: %s"), path, strerror(-fd));
	l.object = object_new(fd);
	result = find(&l, name, offset, err);
	load_fini(&l);
	return result;
}
