/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_VIEW_SEARCH_H
#define PTOP_VIEW_SEARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "view/lists.h"

/*
 * What a search in call trees remembers from one key to the next.  Inside of struct view.
 */
struct search {
	char *text;			/* whose frames are marked; owned, as the arrays */
	unsigned char *frames;		/* by frame: it contains the text */
	size_t frame_count, frame_capacity;
	uint64_t *opened;		/* rows that were opened on the way to what was found last */
	size_t opened_count;
	enum list_id opened_list;
};

void search_fini(struct search *s);

/* What boxes of a flame graph are marked for; whether that is new. */
bool search_highlight(struct view *v, const char *text);

#endif
