/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/list/group-rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "view/widget/text.h"

#define NAME_COLUMNS 12 /* "ssh.service", the digits of an id */

struct build {
	struct group_rows *rows;
	const struct snapshot *snapshot;
	struct map celled; /* keys of groups that have cells: a few of many */
	struct map by_id;  /* those to item + 1 */
	uint64_t last_key; /* cells of one group lie together mostly */
	uint32_t last_item;
};

bool group_row_matches(const struct group_row *row, const char *text)
{
	return text_contains(row->group->name, text) || text_contains(row->group->path, text) ||
	       (row->branch.top && text_contains(row->branch.top->comm, text));
}

const char *group_key_name(const struct snapshot *s, uint64_t key)
{
	for (size_t i = 0; s && i < s->group_count; i++) {
		if (group_key(s->groups[i].id) == key)
			return s->groups[i].name;
	}
	return NULL;
}

static bool is_below(const struct snapshot *s, size_t i, uint64_t key)
{
	while (group_key(s->groups[i].id) != key) {
		if (s->groups[i].parent == i)
			return false;
		i = s->groups[i].parent;
	}
	return true;
}

void group_members(const struct snapshot *s, uint64_t key, struct map *members)
{
	map_fini(members);
	for (size_t i = 0; i < s->group_count; i++) {
		if (is_below(s, i, key))
			map_put(members, group_key(s->groups[i].id), members);
	}
}

/* NAN is nothing: a sum of it alone stays NAN. */
static void add_known(double *sum, double value)
{
	if (!isnan(value))
		*sum = (isnan(*sum) ? 0 : *sum) + value;
}

static void find_celled(struct build *b)
{
	const struct snapshot *s = b->snapshot;

	for (size_t i = 0; i < s->cell_count; i++) {
		if (!i || s->cells[i].group != s->cells[i - 1].group)
			map_put(&b->celled, group_key(s->cells[i].group), b);
	}
}

static void make_items(struct build *b)
{
	const struct snapshot *s = b->snapshot;
	struct group_rows *r = b->rows;

	mem_grow((void **)&r->items, &r->item_capacity, s->group_count + 1, sizeof(*r->items));
	r->item_count = s->group_count;
	free(r->values);
	r->values = mem_array(s->group_count * s->event_count, sizeof(*r->values));
	for (size_t i = 0; i < s->group_count * s->event_count; i++)
		r->values[i] = NAN;
	for (size_t i = 0; i < s->group_count; i++) {
		const struct snapshot_group *g = &s->groups[i];

		r->items[i] = (struct group_row){
			.branch = { .key = group_key(g->id),
				    .parent = g->parent,
				    .top_percent = NAN },
			.group = g,
			.cpu_percent = NAN,
			.counters = r->values + i * s->event_count,
		};
		if (map_find(&b->celled, group_key(g->id)))
			map_put(&b->by_id, group_key(g->id), (void *)(uintptr_t)(i + 1));
	}
}

/* Returns true if no process is or was in the group: there is nothing to sum up. */
static bool is_empty(const struct snapshot *s, const struct snapshot_group *g)
{
	return !g->processes && isnan(g->cpu_percent) && g->counters == s->unknown;
}

static void add_group(const struct snapshot *s, struct group_row *row,
		      const struct snapshot_group *g)
{
	row->processes += g->processes;
	add_known(&row->cpu_percent, g->cpu_percent);
	for (size_t i = 0; i < s->event_count; i++)
		add_known((double *)&row->counters[i], g->counters[i]);
}

static void sum_up(struct build *b)
{
	const struct snapshot *s = b->snapshot;

	for (size_t i = 0; i < s->group_count; i++) {
		size_t at = i, before;

		if (is_empty(s, &s->groups[i]))
			continue;
		do {
			add_group(s, &b->rows->items[at], &s->groups[i]);
			before = at;
			at = s->groups[at].parent;
		} while (at != before);
	}
}

static int depth_of(const struct snapshot *s, size_t i)
{
	int depth = 0;

	for (; s->groups[i].parent != i; i = s->groups[i].parent)
		depth++;
	return depth;
}

static void close_at_first(struct build *b)
{
	const struct snapshot *s = b->snapshot;

	for (size_t i = 0; s->group_count > GROUPS_FOLDED && i < s->group_count; i++)
		b->rows->items[i].branch.closed_at_first = depth_of(s, i) >= GROUPS_OPEN_LEVELS;
}

static uint32_t item_of_cell(const void *context, const struct snapshot_cell *c)
{
	struct build *b = (struct build *)context;
	uint64_t key = group_key(c->group);

	if (key != b->last_key) {
		b->last_key = key;
		b->last_item = (uint32_t)((uintptr_t)map_find(&b->by_id, key) - 1);
	}
	return b->last_item;
}

static bool row_matches(const void *row, const char *text)
{
	return group_row_matches(row, text);
}

static void row_fill(struct column_row *row, const void *item)
{
	row->group = item;
	row->group_facts = row->group->group->facts;
}

static const struct branch_kind kind = { NAME_COLUMNS, item_of_cell, row_matches, row_fill };

void group_rows_build(struct group_rows *r, const struct snapshot *s, const struct rows *rows,
		      const struct branch_choice *choice)
{
	struct build b = { .rows = r, .snapshot = s };
	const struct branch_request request = { &kind, s, rows, choice, &b };

	find_celled(&b);
	make_items(&b);
	sum_up(&b);
	close_at_first(&b);
	branches_show(&(struct branches){ r->items, r->item_count, sizeof(*r->items) }, &request,
		      &r->shown);
	map_fini(&b.celled);
	map_fini(&b.by_id);
}

void group_rows_fini(struct group_rows *r)
{
	mem_free(r->items, r->values);
	branch_order_fini(&r->shown);
	memset(r, 0, sizeof(*r));
}
