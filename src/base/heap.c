/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/heap.h"

#include <stdlib.h>

#include "base/alloc.h"

static void put(struct heap *h, struct heap_node *n, size_t place)
{
	h->nodes[place] = n;
	n->place = place;
}

void heap_rise(struct heap *h, struct heap_node *n)
{
	size_t i = n->place;

	for (; i && h->before(n, h->nodes[(i - 1) / 2]); i = (i - 1) / 2)
		put(h, h->nodes[(i - 1) / 2], i);
	put(h, n, i);
}

void heap_sink(struct heap *h, struct heap_node *n)
{
	size_t i = n->place, child;

	while ((child = 2 * i + 1) < h->count) {
		if (child + 1 < h->count && h->before(h->nodes[child + 1], h->nodes[child]))
			child++;
		if (!h->before(h->nodes[child], n))
			break;
		put(h, h->nodes[child], i);
		i = child;
	}
	put(h, n, i);
}

void heap_push(struct heap *h, struct heap_node *n)
{
	mem_grow((void **)&h->nodes, &h->capacity, h->count + 1, sizeof(struct heap_node *));
	put(h, n, h->count++);
	heap_rise(h, n);
}

void heap_pop(struct heap *h)
{
	struct heap_node *last = h->nodes[--h->count];

	last->place = 0;
	if (h->count)
		heap_sink(h, last);
}

void heap_fini(struct heap *h)
{
	free(h->nodes);
	h->nodes = NULL;
	h->count = h->capacity = 0;
}
