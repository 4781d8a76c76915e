/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_VIEW_LIST_SORT_H
#define PTOP_VIEW_LIST_SORT_H

#include <stddef.h>
#include <stdint.h>

#include "view/widget/column.h"

/*
 * Sorts by columns.  A key is computed once a row, not once a comparison.  Numbers that look the
 * same on screen are equal (column.resolution), so rows keep their places from one refresh to the
 * next.  Absent values come last in both directions.
 */
struct sort_rows {
	size_t count;
	void (*row)(const void *context, size_t i, struct column_row *row); /* fills *ROW */
	uint64_t (*tie)(const void *context, size_t i); /* breaks ties, ascending */
	const void *context;
};

/* The indices of the rows in their order.  Owned by the caller, free(). */
uint32_t *sort_order(const struct sort_rows *rows, const struct choice_sort *by);

#endif
