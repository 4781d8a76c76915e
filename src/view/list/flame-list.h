/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_VIEW_LIST_FLAME_LIST_H
#define PTOP_VIEW_LIST_FLAME_LIST_H

#include "view/list/flame.h"
#include "view/list/list.h"

/*
 * The boxes of a flame graph as the rows of a list.
 */
struct flame *flame_list_graph(const struct lists *l);
int flame_list_columns(const struct lists *l); /* the width that its boxes were computed for */
void flame_list_layout(struct lists *l, int columns); /* computes the boxes for that width */

#endif
