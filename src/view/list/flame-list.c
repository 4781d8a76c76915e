/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/list/flame-list.h"

#include "view/list/call-list.h"

#define COLUMNS_BEFORE_DRAWING 80

struct flame_list {
	struct flame flame;
	int columns;
};

static struct flame_list *data_of(const struct lists *l)
{
	return list_data(l, &list_flame);
}

struct flame *flame_list_graph(const struct lists *l)
{
	return &data_of(l)->flame;
}

int flame_list_columns(const struct lists *l)
{
	return data_of(l)->columns;
}

void flame_list_layout(struct lists *l, int columns)
{
	struct flame_list *f = data_of(l);

	f->columns = columns;
	flame_layout(&f->flame, l->scene.snapshot, l->scene.path, columns, l->scene.highlight);
}

static size_t boxes_make(struct lists *l, const struct list_kind *k)
{
	const struct calls_request request = calls_request_of(l);
	struct flame_list *f = data_of(l);

	(void)k;
	flame_build(&f->flame, &request, l->scene.highlight);
	flame_list_layout(l, f->columns ? f->columns : COLUMNS_BEFORE_DRAWING);
	return f->flame.count;
}

static size_t boxes_count(const struct lists *l, const struct list_kind *k)
{
	(void)k;
	return data_of(l)->flame.count;
}

static void box_fill(const struct lists *l, const struct list_kind *k, size_t i,
		     struct column_row *row)
{
	(void)k;
	row->call = &data_of(l)->flame.boxes[i].row;
	row->delta_percent = row->call->delta_percent;
}

static uint64_t box_key(const struct lists *l, const struct list_kind *k, size_t i)
{
	(void)k;
	return data_of(l)->flame.boxes[i].row.key;
}

static const char *boxes_note(const struct lists *l, const struct list_kind *k, const char *note)
{
	(void)k;
	return l->scene.snapshot->node_count ? note : list_no_stacks(l);
}

static void flame_list_fini(void *data)
{
	flame_fini(&((struct flame_list *)data)->flame);
}

/* clang-format off */
const struct list_kind list_flame = {
	.table = &call_table, .data_size = sizeof(struct flame_list), .fini = flame_list_fini,
	.build = boxes_make, .count = boxes_count, .fill = box_fill, .key = box_key,
	.matches = call_matches, .note = boxes_note, .empty = calls_empty,
};
/* clang-format on */
