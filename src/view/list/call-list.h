/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_VIEW_LIST_CALL_LIST_H
#define PTOP_VIEW_LIST_CALL_LIST_H

#include "view/list/calls.h"
#include "view/list/list.h"

/* The lists of calls: top-down, bottom-up, callers and callees of one function. */
extern const struct column_table call_table;

bool list_is_calls(const struct list_kind *k);

/* The request for stacks, with the filter and the order of the lists of calls. */
struct calls_request calls_request_of(struct lists *l);
bool call_matches(const struct lists *l, const struct column_row *row, const char *text);
const char *calls_empty(const struct lists *l);

/* The rows of list K, and its open branches. */
struct calls *call_list_calls(const struct lists *l, const struct list_kind *k);
struct calls_state *call_list_opened(const struct lists *l, const struct list_kind *k);

/* Rebuilds the rows below row I.  Call after a change of what is open there. */
void call_list_fold(struct lists *l, const struct list_kind *k, size_t i);
/* As calls_find(). */
size_t call_list_find(struct lists *l, const struct list_kind *k, struct calls_search *search);

#endif
