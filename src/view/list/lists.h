/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_VIEW_LIST_LISTS_H
#define PTOP_VIEW_LIST_LISTS_H

/*
 * The lists that there are, each defined in its own file.  list_kinds[] in view/list/list.c is their table.
 */
struct list_kind;

extern const struct list_kind list_processes, list_threads, list_tree;	/* process-list.c */
extern const struct list_kind list_symbols;				/* symbol-list.c */
extern const struct list_kind list_events;				/* event-list.c */
extern const struct list_kind list_objects;				/* object-list.c */
extern const struct list_kind list_mappings;				/* mapping-list.c */
extern const struct list_kind list_calltree, list_bottomup;		/* call-list.c */
extern const struct list_kind list_callers, list_callees;
extern const struct list_kind list_flame;				/* flame-list.c */
extern const struct list_kind list_code;				/* code-list.c */

#endif
