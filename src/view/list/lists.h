/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_VIEW_LIST_LISTS_H
#define PTOP_VIEW_LIST_LISTS_H

struct list_kind;

/*
 * The lists, a row each: list_kinds[] (view/list/list.h) is made of it.  A list's file defines list_NAME.  Where
 * several tables have a column of one name, the name alone means the first one's.
 */
/* clang-format off */
#define LISTS(ROW) \
	ROW(processes) \
	ROW(threads) \
	ROW(tree) \
	ROW(symbols) \
	ROW(events) \
	ROW(objects) \
	ROW(mappings) \
	ROW(calltree) \
	ROW(bottomup) \
	ROW(callers) \
	ROW(callees) \
	ROW(wakers) \
	ROW(flame) \
	ROW(code) \
	ROW(cpus) \
	ROW(groups) \
	ROW(waits) \
	ROW(syscalls) \
	ROW(findings)

#define LIST_DECLARE(name) extern const struct list_kind list_##name;
LISTS(LIST_DECLARE)
/* clang-format on */

#endif
