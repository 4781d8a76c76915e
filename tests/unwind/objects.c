/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "objects.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "proc/procfs.h"
#include "symbol/object.h"
#include "symbol/vdso.h"

struct known {
	char *path;
	struct unwind_object *object;
	struct objects_text text;
	bool loaded, text_loaded;
};

struct objects {
	struct known **known;
	size_t count, capacity;
};

struct objects *objects_new(void)
{
	return mem_alloc(sizeof(struct objects));
}

void objects_free(struct objects *o)
{
	for (size_t i = 0; i < o->count; i++) {
		unwind_object_free(o->known[i]->object);
		free(o->known[i]->text.bytes);
		free(o->known[i]->path);
		free(o->known[i]);
	}
	free(o->known);
	free(o);
}

static struct known *find(struct objects *o, const char *path)
{
	for (size_t i = 0; i < o->count; i++)
		if (o->known[i]->path == path || !strcmp(o->known[i]->path, path))
			return o->known[i];
	mem_grow((void **)&o->known, &o->capacity, o->count + 1, sizeof(*o->known));
	o->known[o->count] = mem_alloc(sizeof(struct known));
	o->known[o->count]->path = mem_strdup(path);
	return o->known[o->count++];
}

const char *objects_intern(struct objects *o, const char *path)
{
	return find(o, path)->path;
}

static struct object *open_file(const char *path)
{
	if (!strcmp(path, "[vdso]"))
		return vdso_open();
	return path[0] == '/' && path[1] != '/' ? object_new(object_open_file(path)) : NULL;
}

struct unwind_object *objects_get(struct objects *o, const char *path)
{
	struct known *k = find(o, path);
	struct object *file;

	if (k->loaded)
		return k->object;
	k->loaded = true;
	file = open_file(path);
	k->object = file ? unwind_object_new(file) : NULL;
	object_free(file);
	return k->object;
}

static bool find_header(const struct object *file, uint64_t *address)
{
	size_t count = 0;
	GElf_Phdr p;

	elf_getphdrnum(file->elf, &count);
	for (size_t i = 0; i < count; i++) {
		if (!gelf_getphdr(file->elf, (int)i, &p) || p.p_type != PT_GNU_EH_FRAME)
			continue;
		*address = p.p_vaddr;
		return true;
	}
	return false;
}

static void read_text(struct objects_text *t, const struct object *file)
{
	size_t count = 0;
	GElf_Phdr p;

	if (!find_header(file, &t->header))
		return;
	elf_getphdrnum(file->elf, &count);
	for (size_t i = 0; i < count && !t->bytes; i++) {
		if (!gelf_getphdr(file->elf, (int)i, &p) || p.p_type != PT_LOAD ||
		    t->header - p.p_vaddr >= p.p_filesz)
			continue;
		t->address = p.p_vaddr;
		t->size = p.p_filesz;
		t->bytes = mem_alloc(t->size);
		object_read(file, p.p_offset, t->bytes, t->size);
	}
}

const struct objects_text *objects_text(struct objects *o, const char *path)
{
	struct known *k = find(o, path);
	struct object *file;

	if (!k->text_loaded) {
		k->text_loaded = true;
		file = open_file(path);
		if (file && file->elf)
			read_text(&k->text, file);
		object_free(file);
	}
	return k->text.bytes ? &k->text : NULL;
}

bool objects_find(void *context, uint64_t pc, struct unwind_mapping *m)
{
	struct objects_space *s = context;
	const struct mapping *found = space_find(s->space, pc);

	if (!found)
		return false;
	*m = (struct unwind_mapping){ .start = found->start, .end = found->end };
	m->object = objects_get(s->objects, found->path);
	if (m->object && !unwind_object_bias(m->object, found->start, found->pgoff, &m->bias))
		m->object = NULL;
	return true;
}

static void add_mapping(void *context, const struct mapping *m)
{
	struct objects_space *s = context;
	struct mapping copy = *m;

	copy.path = objects_intern(s->objects, m->path);
	space_insert(s->space, &copy);
}

bool objects_read_maps(struct objects_space *s, pid_t pid)
{
	static char text[1 << 20];
	char path[64];
	size_t size;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
	f = fopen(path, "re");
	if (!f)
		return false;
	size = fread(text, 1, sizeof(text), f);
	fclose(f);
	space_clear(s->space);
	maps_parse(text, size, false, add_mapping, s);
	return true;
}
