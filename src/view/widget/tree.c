/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/widget/tree.h"

#include <stdio.h>

#include "base/alloc.h"
#include "view/widget/column.h"

#define NONE UINT32_MAX
#define INDENT 2
#define NAME_MIN 16    /* least columns of a name in a deep row */
#define NAME_WANTED 32 /* at most, within two thirds of the width */

/* The children of each item, the last one first. */
struct family {
	uint32_t last, previous;
};

struct pending {
	uint32_t item, parent_row; /* NONE: a root, or */
	bool hidden;               /* below a folded item: it has no row */
};

struct walk {
	const struct tree_request *request;
	struct family *families;
	unsigned char *met; /* by item: visits each cycle once */
	struct pending *stack;
	size_t depth; /* top of the stack; each item is pushed once */
	uint32_t *order;
	struct tree_place *places;
	size_t count; /* rows */
};

static void families_make(struct walk *w)
{
	const struct tree_request *q = w->request;

	for (size_t i = 0; i < q->count; i++)
		w->families[i] = (struct family){ NONE, NONE };
	for (size_t i = 0; i < q->count; i++) {
		uint32_t parent = q->parents[i];

		if (parent == i)
			continue;
		w->families[i].previous = w->families[parent].last;
		w->families[parent].last = (uint32_t)i;
	}
}

static bool is_last(const struct walk *w, uint32_t item)
{
	return w->families[w->request->parents[item]].last == item;
}

static struct tree_place place_of(const struct walk *w, const struct pending *at)
{
	struct tree_place p = { .parent = w->families[at->item].last != NONE };

	p.folded =
		p.parent && w->request->folded && w->request->folded(w->request->context, at->item);
	if (at->parent_row != NONE) {
		const struct tree_place *parent = &w->places[at->parent_row];

		p.last = is_last(w, at->item);
		p.depth = parent->depth < UINT16_MAX ? (uint16_t)(parent->depth + 1) : UINT16_MAX;
		p.more = parent->more;
		if (!parent->last && parent->depth && parent->depth < TREE_DEPTH_DRAWN)
			p.more |= (uint64_t)1 << parent->depth;
	}
	return p;
}

static void push(struct walk *w, uint32_t item, uint32_t parent_row, bool hidden)
{
	if (w->met[item])
		return;
	w->met[item] = 1;
	w->stack[w->depth++] = (struct pending){ item, parent_row, hidden };
}

static void root_add(struct walk *w, uint32_t root)
{
	push(w, root, NONE, false);
	while (w->depth) {
		struct pending at = w->stack[--w->depth];
		uint32_t row = (uint32_t)w->count;

		if (!at.hidden) {
			w->places[row] = place_of(w, &at);
			w->order[row] = at.item;
			w->count++;
			at.hidden = w->places[row].folded;
		}
		for (uint32_t i = w->families[at.item].last; i != NONE; i = w->families[i].previous)
			push(w, i, row, at.hidden);
	}
}

size_t tree_arrange(const struct tree_request *q, uint32_t *order, struct tree_place *places)
{
	struct walk w = { .request = q, .order = order, .places = places };

	w.stack = mem_array(q->count, sizeof(*w.stack));
	w.families = mem_array(q->count, sizeof(*w.families));
	w.met = mem_alloc(q->count);
	families_make(&w);
	for (size_t i = 0; i < q->count; i++) {
		if (q->parents[i] == i)
			root_add(&w, (uint32_t)i);
	}
	for (size_t i = 0; i < q->count; i++)
		root_add(&w, (uint32_t)i); /* items in a cycle */
	mem_free(w.stack, w.families, w.met);
	return w.count;
}

/* A root has its mark before it, other rows in their line. */
static const char *line_of(const struct tree_place *t, int d, bool ascii)
{
	if (d < t->depth && d < TREE_DEPTH_DRAWN)
		return !(t->more >> d & 1) ? "  " : ascii ? "| " : "│ ";
	if (t->folded)
		return ascii ? (t->last ? "`+" : "|+") : (t->last ? "└+" : "├+");
	return ascii ? (t->last ? "`-" : "|-") : (t->last ? "└─" : "├─");
}

/* In deep rows the lines of outer levels give way to the name. */
static int levels_left_out(const struct column_place *at, const struct tree_place *t, int depth)
{
	int name = at->width * 2 / 3, room;

	name = t->name              ? t->name
	       : name < NAME_MIN    ? NAME_MIN
	       : name > NAME_WANTED ? NAME_WANTED
				    : name;
	room = (at->width - INDENT - name) / INDENT;

	if (room < 1)
		room = 1;
	return depth > room ? depth - room : 0;
}

/* Says how deep a row is whose outer lines are left out. */
static void draw_depth(struct grid *g, const struct column_place *at, unsigned depth)
{
	char text[16];

	if (depth < 10)
		snprintf(text, sizeof(text), "%s%u", grid_ascii(g) ? "~" : "…", depth);
	else
		snprintf(text, sizeof(text), "%u", depth < 100 ? depth : 99);
	grid_text(g, at->row, at->column, INDENT, STYLE_DIM, text);
}

int tree_draw(struct grid *g, const struct column_place *at, const struct tree_place *t)
{
	int used = INDENT, depth = t->depth < TREE_DEPTH_DRAWN ? t->depth : TREE_DEPTH_DRAWN;
	int out = levels_left_out(at, t, depth);

	if (at->width <= INDENT)
		return 0;
	if (!depth && t->folded)
		grid_text(g, at->row, at->column, 1, STYLE_KEY, "+");
	if (out)
		draw_depth(g, at, t->depth);
	for (int d = 1 + out; d <= depth && used + INDENT < at->width; d++, used += INDENT)
		grid_text(g, at->row, at->column + used, INDENT,
			  d == depth && t->folded ? STYLE_KEY : STYLE_DIM,
			  line_of(t, d, grid_ascii(g)));
	return used + (depth && used < at->width);
}
