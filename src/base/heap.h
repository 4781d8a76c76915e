/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_BASE_HEAP_H
#define PTOP_BASE_HEAP_H

#include <stdbool.h>
#include <stddef.h>

/*
 * A binary heap of the owner's items, the first one on top.  An item begins with its node.  Items are
 * borrowed.  One thread.
 */
struct heap_node {
	size_t place; /* the heap's own */
};

struct heap {
	struct heap_node **nodes; /* owned */
	size_t count, capacity;
	/* Returns true if A comes before B.  Set by the owner. */
	bool (*before)(const struct heap_node *a, const struct heap_node *b);
};

/* The first item, or NULL. */
static inline struct heap_node *heap_top(const struct heap *h)
{
	return h->count ? h->nodes[0] : NULL;
}

void heap_push(struct heap *h, struct heap_node *n);
void heap_pop(struct heap *h);                       /* removes the first item, which must exist */
void heap_rise(struct heap *h, struct heap_node *n); /* N has changed: it may come earlier */
void heap_sink(struct heap *h, struct heap_node *n); /* N has changed: it may come later */
void heap_fini(struct heap *h);

#endif
