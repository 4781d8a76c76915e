/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/list/sort.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

union sort_value {
	double number;    /* NAN: absent */
	const char *text; /* NULL: absent */
};

struct sort_item {
	union sort_value values[CHOICE_KEYS];
	uint64_t tie;
	uint32_t index;
};

static union sort_value value_of(const struct column *c, const struct column_row *row)
{
	union sort_value v;

	if (c->type == COLUMN_TEXT) {
		v.text = column_text(c, row);
		return v;
	}
	v.number = column_number(c, row);
	if (c->by_size)
		v.number = fabs(v.number);
	if (c->resolution > 0)
		v.number = rint(v.number / c->resolution);
	return v;
}

static int compare_texts(const char *a, const char *b, bool descending)
{
	int order;

	if (a == b)
		return 0;
	if (!a || !b)
		return a ? -1 : 1;
	order = strcmp(a, b);
	return descending ? -order : order;
}

static int compare_numbers(double a, double b, bool descending)
{
	int order = (a > b) - (a < b);

	if (isnan(a) || isnan(b))
		return isnan(a) - isnan(b);
	return descending ? -order : order;
}

static int compare_items(const void *one, const void *other, void *context)
{
	const struct sort_item *a = one, *b = other;
	const struct choice_sort *by = context;

	for (size_t k = 0; k < by->count; k++) {
		const struct choice_key *key = &by->keys[k];
		const union sort_value *x = &a->values[k], *y = &b->values[k];
		int order = key->column->type == COLUMN_TEXT
				    ? compare_texts(x->text, y->text, key->descending)
				    : compare_numbers(x->number, y->number, key->descending);

		if (order)
			return order;
	}
	return (a->tie > b->tie) - (a->tie < b->tie);
}

static void item_fill(struct sort_item *item, const struct sort_rows *rows, size_t i,
		      const struct choice_sort *by)
{
	struct column_row row = { 0 };

	rows->row(rows->context, i, &row);
	for (size_t k = 0; k < by->count; k++)
		item->values[k] = value_of(by->keys[k].column, &row);
	item->tie = rows->tie(rows->context, i);
	item->index = (uint32_t)i;
}

uint32_t *sort_order(const struct sort_rows *rows, const struct choice_sort *by)
{
	struct sort_item *items = mem_array(rows->count, sizeof(*items));
	uint32_t *order = mem_array(rows->count, sizeof(*order));

	for (size_t i = 0; i < rows->count; i++)
		item_fill(&items[i], rows, i, by);
	qsort_r(items, rows->count, sizeof(*items), compare_items, (void *)by);
	for (size_t i = 0; i < rows->count; i++)
		order[i] = items[i].index;
	free(items);
	return order;
}
