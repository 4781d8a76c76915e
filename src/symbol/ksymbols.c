/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "symbol/ksymbols.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/hash.h"

struct ksymbol {
	uint64_t address, size;
	char *name; /* owned */
};

struct ksymbols {
	struct symtab_builder *builder;
	struct map present; /* address to struct ksymbol, owned */
	struct map numbers; /* address to the builder's number + 1 */
	bool changed;
};

static struct symtab_builder *builder_new(void)
{
	struct symtab_builder *b = symtab_builder_new_growing();

	symtab_builder_set_exclusive(b);
	symtab_builder_set_source(b, NAMED_BY_KERNEL);
	return b;
}

struct ksymbols *ksymbols_new(void)
{
	struct ksymbols *k = mem_alloc(sizeof(*k));

	k->builder = builder_new();
	return k;
}

static void ksymbol_free(void *symbol)
{
	struct ksymbol *s = symbol;

	if (s)
		free(s->name);
	free(s);
}

void ksymbols_free(struct ksymbols *k)
{
	if (!k)
		return;
	map_fini_each(&k->present, ksymbol_free);
	map_fini(&k->numbers);
	symtab_builder_free(k->builder);
	free(k);
}

static void build(struct ksymbols *k, const struct ksymbol *s)
{
	const struct symtab_entry e = {
		.start = s->address, .size = s->size, .name = s->name, .name_size = SIZE_MAX
	};
	size_t number = symtab_builder_add(k->builder, &e);

	if (number != SIZE_MAX)
		map_put(&k->numbers, s->address, (void *)(uintptr_t)(number + 1));
}

/* Programs come and go: to forget those that went, all is made anew. */
static void build_anew(struct ksymbols *k)
{
	struct ksymbol *s;

	symtab_builder_free(k->builder);
	k->builder = builder_new();
	map_fini(&k->numbers);
	for (size_t i = 0; (s = map_next(&k->present, &i));)
		build(k, s);
}

void ksymbols_add(struct ksymbols *k, uint64_t address, uint64_t size, const char *name)
{
	struct ksymbol *s;

	if (!size || k->present.count >= KSYMBOLS_MAX)
		return;
	ksymbols_remove(k, address);
	s = mem_alloc(sizeof(*s));
	*s = (struct ksymbol){ address, size, mem_strdup(name) };
	map_put(&k->present, address, s);
	if (symtab_builder_count(k->builder) >= 2 * KSYMBOLS_MAX)
		build_anew(k);
	else
		build(k, s);
	k->changed = true;
}

void ksymbols_remove(struct ksymbols *k, uint64_t address)
{
	uintptr_t number = (uintptr_t)map_remove(&k->numbers, address);

	ksymbol_free(map_remove(&k->present, address));
	if (!number)
		return;
	symtab_builder_retire_one(k->builder, number - 1);
	k->changed = true;
}

bool ksymbols_changed(const struct ksymbols *k)
{
	return k->changed;
}

struct symtab *ksymbols_table(struct ksymbols *k)
{
	k->changed = false;
	return symtab_builder_make(k->builder);
}
