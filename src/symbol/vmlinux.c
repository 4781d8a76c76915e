/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "symbol/vmlinux.h"

#include <string.h>

#include "symbol/debugfile.h"
#include "symbol/elfsym.h"

static bool is_it(const struct object *o, const struct vmlinux_identity *k)
{
	struct build_id id;

	if (!o)
		return false;
	id = object_build_id(o);
	return build_id_equal(&id, &k->build_id);
}

/* Takes ownership of O. */
static struct object *if_it_is(struct object *o, const struct vmlinux_identity *k)
{
	if (is_it(o, k))
		return o;
	object_free(o);
	return NULL;
}

/* Asks for files the way R until one is it. */
static struct object *ask(struct load *l, struct debugfile_request *r,
			  const struct vmlinux_identity *k)
{
	struct debugfile_path path;
	struct object *o = NULL;
	bool end = false;

	while (!o && !end)
		o = if_it_is(debugfile_ask(l, r, &path, &end), k);
	return o;
}

struct object *vmlinux_open(struct load *l, const struct vmlinux_identity *k)
{
	struct debugfile_request here = { .way = DEBUGFILE_KERNEL };
	struct debugfile_request server = { .way = DEBUGFILE_SERVER, .id = k->build_id };
	struct debugfile_path path;
	struct object *o = NULL;

	if (!k->build_id.size)
		return NULL;
	if (debugfile_name(here.name, sizeof(here.name), k->release))
		o = ask(l, &here, k);
	if (!o)
		o = debugfile_of_build_id(l, &k->build_id, &path);
	return o || k->local ? o : ask(l, &server, k);
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
