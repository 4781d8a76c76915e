/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/widget/arrows.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

#define STEPS_MAX (1u << 22) /* rows searched for free lanes */

enum { UP = 1, DOWN = 2, TIE = 4 }; /* parts of a lane: up, down, to the row */
enum { TAIL = 1, HEAD = 2 };        /* of a row */

/* All jumps to one target. */
struct group {
	uint32_t first, last;    /* rows of its lane */
	size_t jump, jump_count; /* index in the order by target */
};

static int compare_targets(const void *left, const void *right)
{
	const struct arrow_jump *a = left, *b = right;

	if (a->to != b->to)
		return (a->to > b->to) - (a->to < b->to);
	return (a->from > b->from) - (a->from < b->from);
}

static int compare_spans(const void *left, const void *right)
{
	const struct group *a = left, *b = right;
	uint32_t x = a->last - a->first, y = b->last - b->first;

	if (x != y)
		return (x > y) - (x < y);
	return (a->jump > b->jump) - (a->jump < b->jump);
}

static size_t groups_make(struct group *groups, struct arrow_jump *jumps, size_t count)
{
	size_t made = 0;

	if (count)
		qsort(jumps, count, sizeof(*jumps), compare_targets);
	for (size_t i = 0; i < count; i++) {
		uint32_t low = jumps[i].from < jumps[i].to ? jumps[i].from : jumps[i].to;
		uint32_t high = jumps[i].from < jumps[i].to ? jumps[i].to : jumps[i].from;
		struct group *g = made ? &groups[made - 1] : NULL;

		if (!g || jumps[g->jump].to != jumps[i].to) {
			g = &groups[made++];
			*g = (struct group){ .first = low, .last = high, .jump = i };
		}
		g->first = low < g->first ? low : g->first;
		g->last = high > g->last ? high : g->last;
		g->jump_count++;
	}
	if (made)
		qsort(groups, made, sizeof(*groups), compare_spans);
	return made;
}

/* An inner arrow has its ends within the outer one, so inner arrows get lanes first. */
static bool is_free(const struct arrows *a, const struct group *g, int lane, size_t *steps)
{
	if (a->rows[g->first].lanes[lane] || a->rows[g->last].lanes[lane])
		return false;
	for (uint32_t row = g->first; row <= g->last; row++, ++*steps) {
		if (a->rows[row].lanes[lane])
			return false;
	}
	return true;
}

static void put(struct arrows *a, const struct group *g, const struct arrow_jump *jumps, int lane)
{
	uint32_t to = jumps[g->jump].to;

	for (uint32_t row = g->first; row <= g->last; row++)
		a->rows[row].lanes[lane] |=
			(uint8_t)((row > g->first ? UP : 0) | (row < g->last ? DOWN : 0));
	for (size_t i = g->jump; i < g->jump + g->jump_count; i++) {
		a->rows[jumps[i].from].lanes[lane] |= TIE;
		a->rows[jumps[i].from].ends |= TAIL;
	}
	a->rows[to].lanes[lane] |= TIE;
	a->rows[to].ends |= HEAD;
	if (lane >= a->lanes)
		a->lanes = lane + 1;
}

void arrows_make(struct arrows *a, size_t count, struct arrow_jump *jumps, size_t jump_count)
{
	struct group *groups = mem_array(jump_count, sizeof(*groups));
	size_t group_count = groups_make(groups, jumps, jump_count), steps = 0;

	a->lanes = 0;
	a->count = count;
	mem_grow((void **)&a->rows, &a->capacity, count + 1, sizeof(*a->rows));
	memset(a->rows, 0, count * sizeof(*a->rows));
	for (size_t i = 0; i < group_count && steps < STEPS_MAX; i++) {
		for (int lane = 0; lane < ARROW_LANES; lane++) {
			if (is_free(a, &groups[i], lane, &steps)) {
				put(a, &groups[i], jumps, lane);
				break;
			}
		}
	}
	free(groups);
}

void arrows_fini(struct arrows *a)
{
	free(a->rows);
	*a = (struct arrows){ 0 };
}

int arrows_width(const struct arrows *a)
{
	return a->lanes ? a->lanes + 2 : 0;
}

/* CROSSED: the line of an outer lane passes. */
static const char *glyph(uint8_t bits, bool crossed, bool ascii)
{
	static const char *const plain[] = { " ", "│", "│", "│", "─", "└", "┌", "├" };
	static const char *const over[] = { "─", "┼", "┼", "┼", "─", "┴", "┬", "┼" };

	if (!ascii)
		return (crossed ? over : plain)[bits];
	if (bits & TIE || (bits && crossed))
		return "+";
	return bits ? "|" : crossed ? "-" : " ";
}

static const char *end_glyph(uint8_t ends, bool ascii)
{
	if (ends & HEAD)
		return ascii ? ">" : "▶";
	return !(ends & TAIL) ? " " : ascii ? "-" : "─";
}

void arrows_draw(struct grid *g, int row, int column, const struct arrows *a, size_t i,
		 enum grid_style style)
{
	const struct arrow_row *r = &a->rows[i];
	bool crossed = false;

	for (int lane = a->lanes; lane-- > 0; column++) {
		grid_text(g, row, column, 1, style, glyph(r->lanes[lane], crossed, grid_ascii(g)));
		crossed |= r->lanes[lane] & TIE;
	}
	grid_text(g, row, column, 1, style, end_glyph(r->ends, grid_ascii(g)));
}
