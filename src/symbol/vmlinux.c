/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "symbol/vmlinux.h"

#include <string.h>

#include "symbol/debugfile.h"
#include "symbol/elfsym.h"
#include "symbol/kmodule.h"

static bool is_it(const struct object *o, const struct build_id *wanted)
{
	struct build_id id;

	if (!o)
		return false;
	id = object_build_id(o);
	return build_id_equal(&id, wanted);
}

/* Asks for files the way R until one has that build id. */
static struct object *ask(struct load *l, struct debugfile_request *r,
			  const struct build_id *wanted)
{
	struct debugfile_path path;
	bool end = false;

	while (!end) {
		struct object *o = debugfile_ask(l, r, &path, &end);

		if (is_it(o, wanted))
			return o;
		object_free(o);
	}
	return NULL;
}

/* Asks for the file NAME the way of the kernel's files, which may be "". */
static struct object *ask_by_name(struct load *l, uint32_t way, const char *name,
				  const struct build_id *wanted)
{
	struct debugfile_request r = { .way = way };

	return *name && debugfile_name(r.name, sizeof(r.name), name) ? ask(l, &r, wanted) : NULL;
}

static struct object *ask_server(struct load *l, const struct build_id *wanted)
{
	struct debugfile_request r = { .way = DEBUGFILE_SERVER, .id = *wanted };

	return ask(l, &r, wanted);
}

struct object *vmlinux_open(struct load *l, const struct vmlinux_identity *k)
{
	struct debugfile_path path;
	struct object *o;

	if (!k->build_id.size)
		return NULL;
	o = ask_by_name(l, DEBUGFILE_KERNEL, k->release, &k->build_id);
	if (!o)
		o = debugfile_of_build_id(l, &k->build_id, &path);
	return o || k->local ? o : ask_server(l, &k->build_id);
}

struct object *vmlinux_open_module(struct load *l, const struct kmodule *m)
{
	struct debugfile_path path;
	struct object *o;

	if (!m->build_id.size)
		return NULL;
	o = debugfile_of_build_id(l, &m->build_id, &path);
	if (!o)
		o = ask_by_name(l, DEBUGFILE_MODULE, m->file, &m->build_id);
	return o ? o : ask_server(l, &m->build_id);
}

struct search {
	const char *name;
	uint64_t address; /* 0: not found */
};

static void look_at(void *context, const struct symtab_entry *e)
{
	struct search *s = context;

	if (!strcmp(e->name, s->name))
		s->address = e->start;
}

bool vmlinux_find_place(struct load *l, const struct object *o, const struct kernel_place *kernel,
			struct vmlinux_place *place)
{
	struct search s = { .name = kernel->name };

	if (!s.name)
		return false;
	elfsym_each(l, o, SHT_SYMTAB, 0, look_at, &s);
	*place = (struct vmlinux_place){ kernel->start, kernel->end, kernel->start - s.address };
	return s.address != 0;
}
