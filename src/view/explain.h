/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_VIEW_EXPLAIN_H
#define PTOP_VIEW_EXPLAIN_H

#include "profile/snapshot.h"
#include "view/widget/page.h"

/* Parts of the help page, made from the tables of columns and a snapshot. */
void explain_columns(struct page *p,
		     const struct snapshot *s); /* with unit and formula; S may be NULL */
void explain_tier(struct page *p,
		  const struct snapshot *s); /* what is measured, and how to get more */
void explain_stacks(struct page *p,
		    const struct snapshot *s); /* why stacks ended; nothing without -g */

#endif
