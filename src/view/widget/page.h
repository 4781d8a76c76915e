/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_VIEW_WIDGET_PAGE_H
#define PTOP_VIEW_WIDGET_PAGE_H

#include <stdbool.h>
#include <stddef.h>

#include "view/widget/grid.h"

/*
 * A page of text over the whole screen, with scrolling: help, columns and formulas, the tier and
 * how to get a better one.  Each drawing wraps lines for the current width.
 */
struct page;

/* HINT is the last row: the keys.  Both texts are copied. */
struct page *page_new(const char *title, const char *hint);
void page_free(struct page *p); /* NULL is allowed */

void page_add_heading(struct page *p, const char *text); /* with a blank line in front */
void page_add_text(struct page *p, const char *text);    /* "" is a blank line */
void page_add_pair(struct page *p, const char *key, const char *text); /* "F1", "help" */

/* LONG_MIN scrolls to the beginning, LONG_MAX to the end.  Returns true if the page moved. */
bool page_move(struct page *p, long lines);
bool page_turn(struct page *p, int pages);

void page_draw(struct page *p, struct grid *g);

#endif
