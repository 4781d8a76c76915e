/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "symbol/vmlinux.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "symbol/debugfile.h"
#include "symbol/elfsym.h"
#include "symbol/fetch.h"
#include "symbol/kernel.h"

/* The text before and after the release. */
static const struct place {
	bool debug; /* below the debug root */
	const char *before, *behind;
} places[] = {
	{ true, "/boot/vmlinux-", "" },
	{ true, "/lib/modules/", "/vmlinux" },
	{ true, "/boot/vmlinux-", ".debug" },
	{ false, "/boot/vmlinux-", "" },
	{ false, "/lib/modules/", "/build/vmlinux" },
};

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

static struct object *open_place(const struct load *l, const struct place *p,
				 const struct vmlinux_identity *k)
{
	char path[PATH_MAX];

	if (snprintf(path, sizeof(path), "%s%s%s%s", p->debug ? l->debug_root : "", p->before,
		     k->release, p->behind) >= (int)sizeof(path))
		return NULL;
	return if_it_is(object_new_elf(object_open_file(path)), k);
}

static struct object *fetch(struct load *l, const struct vmlinux_identity *k)
{
	const struct fetch_request request = {
		.build_id = k->build_id,
		.checkpoint = l->checkpoint,
		.context = l->context,
	};
	struct error err;

	return fetch_is_wanted() && !k->local
		       ? if_it_is(object_new_elf(fetch_debug_file(&request, &err)), k)
		       : NULL;
}

struct object *vmlinux_open(struct load *l, const struct vmlinux_identity *k)
{
	struct debugfile_path path;
	struct object *o = NULL;

	if (!k->build_id.size)
		return NULL;
	for (size_t i = 0; !o && i < sizeof(places) / sizeof(places[0]); i++)
		o = *k->release && !strchr(k->release, '/') ? open_place(l, &places[i], k) : NULL;
	if (!o)
		o = debugfile_of_build_id(l, &k->build_id, &path);
	return o ? o : fetch(l, k);
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

bool vmlinux_find_place(struct load *l, const struct object *o, struct vmlinux_place *place)
{
	struct search s = { 0 };
	struct kernel_place kernel;

	if (!kernel_find(l->kallsyms, &kernel))
		return false;
	s.name = kernel.name;
	elfsym_each(l, o, SHT_SYMTAB, 0, look_at, &s);
	*place = (struct vmlinux_place){ kernel.start, kernel.end, kernel.start - s.address };
	return s.address != 0;
}
