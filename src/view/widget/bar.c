/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/widget/bar.h"

#include <stdlib.h>
#include <stdint.h>
#include <string.h>

#include "base/alloc.h"
#include "view/widget/text.h"

#define GAP 2

void bar_set(struct bar_keys *b, const char *const (*pairs)[2], size_t count)
{
	bar_fini(b);
	b->pairs = mem_array(count, sizeof(*b->pairs));
	b->count = count;
	for (size_t i = 0; i < count; i++) {
		b->pairs[i].key = mem_strdup(pairs[i][0]);
		b->pairs[i].text = mem_strdup(pairs[i][1]);
	}
}

void bar_fini(struct bar_keys *b)
{
	for (size_t i = 0; i < b->count; i++) {
		free(b->pairs[i].key);
		free(b->pairs[i].text);
	}
	free(b->pairs);
	memset(b, 0, sizeof(*b));
}

static int pair_width(const struct bar_pair *p)
{
	return text_width(p->key) + 1 + text_width(p->text);
}

/* The pairs that fit, from left to right; always the last one. */
struct bar_walk {
	const struct bar_keys *bar;
	size_t next;  /* pair; `count` at the end */
	int at, room; /* next column, and the limit */
};

static struct bar_walk walk_start(const struct bar_keys *b, int columns)
{
	struct bar_walk w = { .bar = b, .at = 1 };

	if (b->count)
		w.room = columns - pair_width(&b->pairs[b->count - 1]) - GAP;
	return w;
}

/* The next pair, at column *AT; NULL after the last. */
static const struct bar_pair *walk_next(struct bar_walk *w, int *at)
{
	size_t last = w->bar->count - 1;
	const struct bar_pair *p;

	if (w->next >= w->bar->count)
		return NULL;
	if (w->next < last && w->at + pair_width(&w->bar->pairs[w->next]) > w->room)
		w->next = last;
	p = &w->bar->pairs[w->next++];
	*at = w->at;
	w->at += pair_width(p) + GAP;
	return p;
}

void bar_draw(struct grid *g, int row, const struct bar_keys *b)
{
	struct bar_walk w = walk_start(b, grid_columns(g));
	const struct bar_pair *p;
	int at;

	while ((p = walk_next(&w, &at))) {
		int used = grid_text(g, row, at, -1, STYLE_KEY, p->key) + 1;

		grid_text(g, row, at + used, -1, STYLE_NORMAL, p->text);
	}
}

size_t bar_at(const struct bar_keys *b, int columns, int column)
{
	struct bar_walk w = walk_start(b, columns);
	const struct bar_pair *p;
	int at;

	while ((p = walk_next(&w, &at))) {
		if (column >= at && column < at + pair_width(p))
			return w.next - 1;
	}
	return SIZE_MAX;
}
