/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/addresses.h"

#include <stdlib.h>

#include "base/alloc.h"

struct address_sums *address_sums_alloc(size_t room)
{
	struct address_sums *a = mem_alloc(sizeof(*a) + room * sizeof(a->items[0]));

	a->references = 1;
	return a;
}

struct address_sums *address_sums_new(const struct histogram *h)
{
	size_t count = histogram_count(h);
	struct address_sums *a = address_sums_alloc(count);
	const struct cell *c;

	for (size_t i = 0; a->count < count && (c = histogram_next(h, &i));)
		a->items[a->count++] = (struct address_sum){ address_of_cell(&c->key), c->weight,
							     c->period_weight };
	return a;
}

struct address_sums *address_sums_get(struct address_sums *a)
{
	if (a)
		__atomic_add_fetch(&a->references, 1, __ATOMIC_RELAXED);
	return a;
}

void address_sums_put(struct address_sums *a)
{
	if (a && !__atomic_sub_fetch(&a->references, 1, __ATOMIC_ACQ_REL))
		free(a);
}
