/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_VIEW_LIST_CALL_LIST_H
#define PTOP_VIEW_LIST_CALL_LIST_H

#include "view/list/calls.h"
#include "view/list/list.h"

/*
 * The lists that are trees of calls: top-down, bottom-up, the callers and the callees of one function.
 */
extern const struct column_table call_table;

bool list_is_calls(const struct list_kind *k);

/* The request for stacks, with the filter and the order of call trees. */
struct calls_request calls_request_of(struct lists *l);
bool call_matches(const struct lists *l, const struct column_row *row, const char *text);
const char *calls_empty(const struct lists *l);

/* The rows of list K of L, and what is open in it. */
struct calls *call_list_calls(const struct lists *l, const struct list_kind *k);
struct calls_state *call_list_opened(const struct lists *l, const struct list_kind *k);

/* After a change of what is open: makes the rows below row I anew. */
void call_list_fold(struct lists *l, const struct list_kind *k, size_t i);
/* The next row that is searched for, as calls_find(). */
size_t call_list_find(struct lists *l, const struct list_kind *k, struct calls_search *search);

#endif
