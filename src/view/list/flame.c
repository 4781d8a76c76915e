/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/list/flame.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "view/widget/text.h"

#define SHADES 4
#define DELTA_MIN 0.1 /* percent points; a smaller difference has no colour */
#define NAME_MIN 3    /* columns; a narrower box has no name */

void flame_fini(struct flame *f)
{
	callgraph_free(f->graph);
	free(f->boxes);
	memset(f, 0, sizeof(*f));
}

/* The share of the stacks through matching functions; each stack counts once. */
static double match_percent(const struct calls_filters *filters, const char *text)
{
	const struct calls_filter *f = &filters->now;
	const struct snapshot *s = f->request.snapshot;
	unsigned char *hits = calls_hits(s, text);
	double sum = 0;

	for (size_t i = 0; hits && i < s->cell_count; i++) {
		const struct snapshot_cell *c = &s->cells[i];

		if (c->event == f->request.filters->event && c->node < s->node_count &&
		    hits[c->node] && calls_shows(f, c))
			sum += c->period;
	}
	free(hits);
	return share_percent(&filters->whole, sum);
}

void flame_build(struct flame *f, const struct calls_request *q, const char *text)
{
	struct calls_filters filters;

	callgraph_free(f->graph);
	f->graph = NULL;
	f->count = 0;
	f->levels = 0;
	f->match_percent = NAN;
	if (q->filters->event < 0)
		return;
	calls_filters_init(&filters, q);
	f->whole = filters.whole;
	f->graph = calls_graph(&filters, false, FRAME_NONE);
	if (text)
		f->match_percent = match_percent(&filters, text);
	calls_filters_fini(&filters);
}

/* A child that is wide enough for a box. */
struct child {
	const char *name;
	uint32_t item;
	double weight;
};

struct layout {
	struct flame *flame;
	const struct snapshot *snapshot;
	const char *text;
	struct child *children; /* children of one box, while they are sorted */
	size_t child_capacity;
};

static int by_name(const void *one, const void *other)
{
	const struct child *a = one, *b = other;
	int order = strcmp(a->name, b->name);

	return order ? order : (a->item > b->item) - (a->item < b->item);
}

static double weight_of(const struct flame *f, uint32_t item)
{
	const struct callgraph_item *i = callgraph_at(f->graph, item);

	return share_width(&f->whole, i->total, i->gone);
}

/* The index of the box of ITEM on PARENT; SIZE_MAX: none. */
static size_t box_add(struct layout *l, uint32_t item, size_t parent, int column, int width)
{
	struct flame *f = l->flame;
	const struct callgraph_item *i = callgraph_at(f->graph, item);
	struct flame_box box = { .column = column, .width = width, .parent = (uint32_t)f->count };
	const struct flame_box *below = parent == SIZE_MAX ? NULL : &f->boxes[parent];

	box.weight = weight_of(f, item);
	box.row = (struct call_row){
		.item = item,
		.frame = i->frame,
		.total = i->total,
		.self = i->self,
		.base = i->base_total,
		.key = calls_key(below ? below->row.key : 0, i->frame),
		.place.parent = !i->leaf,
	};
	calls_shares(&box.row, &f->whole, callgraph_at(f->graph, i->parent)->total);
	if (below) {
		box.parent = (uint32_t)parent;
		box.row.place.depth = (uint16_t)(below->row.place.depth + 1);
	}
	if (l->text)
		box.match =
			text_contains(frame_symbol(l->snapshot->frames, i->frame), l->text) ||
			text_contains(frame_object_name(l->snapshot->frames, i->frame), l->text);
	if (box.row.place.depth >= f->levels)
		f->levels = box.row.place.depth + 1;
	mem_grow((void **)&f->boxes, &f->capacity, f->count + 1, sizeof(*f->boxes));
	f->boxes[f->count] = box;
	return f->count++;
}

/* Makes the boxes of ITEM's children within WIDTH columns from COLUMN on, on the box PARENT. */
static void children_add(struct layout *l, uint32_t item, size_t parent, int column, int width)
{
	struct flame *f = l->flame;
	uint32_t count = callgraph_expand(f->graph, item);
	uint32_t first = callgraph_at(f->graph, item)->first_child;
	double all = weight_of(f, item), sum = 0;
	size_t kept = 0;

	mem_grow((void **)&l->children, &l->child_capacity, count + 1, sizeof(*l->children));
	for (uint32_t i = first; i < first + count; i++) {
		struct child child = { .item = i, .weight = weight_of(f, i) };

		if (child.weight * width < all / 2)
			continue;
		child.name = frame_symbol(l->snapshot->frames, callgraph_at(f->graph, i)->frame);
		l->children[kept++] = child;
	}
	qsort(l->children, kept, sizeof(*l->children), by_name);
	for (size_t i = 0; i < kept; i++) {
		int from = (int)lround(sum * width / all), end;

		sum += l->children[i].weight;
		end = (int)lround(sum * width / all);
		if (end > from)
			box_add(l, l->children[i].item, parent, column + from, end - from);
	}
}

void flame_layout(struct flame *f, const struct snapshot *s, const struct flame_path *path,
		  int columns, const char *text)
{
	struct layout l = { .flame = f, .snapshot = s, .text = text };
	size_t below = SIZE_MAX;
	uint32_t root = 0, next;

	f->count = 0;
	f->levels = 0;
	if (!f->graph || columns < 1)
		return;
	for (size_t i = 0; i < path->count; i++) {
		next = callgraph_child(f->graph, root, path->frames[i]);
		if (!next)
			break;
		root = next;
		below = box_add(&l, root, below, 0, columns);
	}
	next = (uint32_t)f->count;
	if (weight_of(f, root) > 0)
		children_add(&l, root, below, 0, columns);
	for (; next < f->count; next++) {
		const struct flame_box box = f->boxes[next];

		if (box.row.place.depth < UINT16_MAX && box.row.place.parent)
			children_add(&l, box.row.item, next, box.column, box.width);
	}
	free(l.children);
}

int flame_row(const struct flame_area *area, int level)
{
	int at = level - area->first;

	return area->icicle ? area->row + at : area->row + area->height - 1 - at;
}

/* With a base, colours show only the difference. */
static enum grid_style delta_style(double delta)
{
	if (fabs(delta) < DELTA_MIN)
		return STYLE_FLAME_SAME;
	return delta > 0 ? STYLE_FLAME_MORE : STYLE_FLAME_LESS;
}

static const char *delta_sign(double delta)
{
	if (isnan(delta) || fabs(delta) < DELTA_MIN)
		return "";
	return delta > 0 ? "+" : "-";
}

static enum grid_style style_of(const struct flame_box *box, const struct snapshot *s,
				bool selected)
{
	uint8_t flags = frame_flags(s->frames, box->row.frame);

	if (selected)
		return STYLE_SELECTED;
	if (box->match)
		return STYLE_FLAME_MATCH;
	if (!isnan(box->row.delta_percent))
		return delta_style(box->row.delta_percent);
	if (flags & FRAME_KERNEL)
		return STYLE_FLAME_KERNEL;
	return (enum grid_style)(STYLE_FLAME + hash_u64(box->row.frame) % SHADES);
}

/* Leaves a column free between two boxes if there is room. */
static void box_draw(struct grid *g, const struct flame_area *area, const struct flame_box *box,
		     const struct snapshot *s, bool selected)
{
	enum grid_style style = style_of(box, s, selected);
	int row = flame_row(area, box->row.place.depth);
	int column = area->column + box->column, width = box->width > 1 ? box->width - 1 : 1;
	const char *line = grid_ascii(g) ? "-" : "─";

	grid_fill(g, row, column, width, style, area->plain ? line : " ");
	if (width >= NAME_MIN) {
		int sign =
			grid_text(g, row, column, width, style, delta_sign(box->row.delta_percent));

		grid_text_cut(g, row, column + sign, width - sign, style,
			      frame_symbol(s->frames, box->row.frame));
	}
}

void flame_draw(struct grid *g, const struct flame *f, const struct snapshot *s,
		const struct flame_area *area)
{
	for (size_t i = 0; i < f->count; i++) {
		int at = f->boxes[i].row.place.depth - area->first;

		if (at >= 0 && at < area->height)
			box_draw(g, area, &f->boxes[i], s, i == area->selected);
	}
}

size_t flame_at(const struct flame *f, const struct flame_area *area, int row, int column)
{
	for (size_t i = 0; i < f->count; i++) {
		const struct flame_box *box = &f->boxes[i];
		int from = area->column + box->column;

		if (flame_row(area, box->row.place.depth) == row && column >= from &&
		    column < from + box->width)
			return i;
	}
	return SIZE_MAX;
}

size_t flame_start(const struct flame *f, const struct flame_path *path)
{
	size_t best = 0;

	if (path->count)
		return path->count < f->count ? path->count - 1 : 0;
	for (size_t i = 1; i < f->count && !f->boxes[i].row.place.depth; i++) {
		if (f->boxes[i].weight > f->boxes[best].weight)
			best = i;
	}
	return best;
}

size_t flame_above(const struct flame *f, size_t box)
{
	size_t best = box;

	for (size_t i = box + 1; i < f->count; i++) {
		if (f->boxes[i].parent == box &&
		    (best == box || f->boxes[i].weight > f->boxes[best].weight))
			best = i;
	}
	return best;
}

size_t flame_sibling(const struct flame *f, size_t box, int direction)
{
	const struct flame_box *from = &f->boxes[box];
	size_t best = box;

	for (size_t i = 0; i < f->count; i++) {
		const struct flame_box *b = &f->boxes[i];
		int distance = (b->column - from->column) * direction;

		if (b->row.place.depth != from->row.place.depth || distance <= 0)
			continue;
		if (best == box || distance < (f->boxes[best].column - from->column) * direction)
			best = i;
	}
	return best;
}
