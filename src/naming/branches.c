/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "naming/branches.h"

#define WORDS 3		/* from, to, flags */

size_t branches_frames(const struct record_sample *s, const struct record_layout *layout,
		       bool leaf_in_user, uint64_t frames[BRANCHES_MAX + 1])
{
	uint64_t calls = s->branch_count < BRANCHES_MAX ? s->branch_count : BRANCHES_MAX;
	size_t count = 0;

	if (!s->branches || !calls)
		return 0;
	frames[count++] = leaf_in_user ? s->ip : record_word(layout, s->branches, 1);
	for (uint64_t i = 0; i < calls; i++) {
		uint64_t call = record_word(layout, s->branches, i * WORDS);

		if (!call)
			break;		/* the rest of the memory is unused */
		frames[count++] = call;
	}
	return count;
}
