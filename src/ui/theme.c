/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/theme.h"

#define OWN -1 /* the terminal's own colour */

/*
 * Colours that are readable on white and on black.  Each of the 256 has a contrast of at least 3.7
 * to both.  Among the 8 they are those that are neither the lightest nor the darkest.
 */
enum {
	GREY = 244,
	RED = 160,
	GREEN = 28,
	ORANGE = 166,
	BLUE = 31,
	VIOLET = 133,
	RUST = 131,
	BROWN = 130,
	ROSE = 167
};

struct theme_row {
	attr_t plain;   /* without colours */
	attr_t colored; /* in addition to the colour */
	short color8, color256;
};

static const struct theme_row theme_rows[GRID_STYLES] = {
	[STYLE_NORMAL] = { A_NORMAL, A_NORMAL, OWN, OWN },
	[STYLE_DIM] = { A_NORMAL, A_NORMAL, OWN, GREY },
	[STYLE_TITLE] = { A_BOLD, A_BOLD, OWN, OWN },
	[STYLE_SORTED] = { A_BOLD | A_UNDERLINE, A_BOLD | A_UNDERLINE, OWN, OWN },
	[STYLE_SELECTED] = { A_REVERSE, A_REVERSE, OWN, OWN },
	[STYLE_GOOD] = { A_NORMAL, A_NORMAL, COLOR_GREEN, GREEN },
	[STYLE_WARN] = { A_BOLD, A_NORMAL, COLOR_MAGENTA, ORANGE },
	[STYLE_HOT] = { A_BOLD, A_BOLD, COLOR_RED, RED },
	[STYLE_KERNEL] = { A_NORMAL, A_NORMAL, COLOR_MAGENTA, VIOLET },
	[STYLE_KEY] = { A_BOLD, A_BOLD, COLOR_CYAN, BLUE },
	[STYLE_BAR_USER] = { A_NORMAL, A_NORMAL, COLOR_GREEN, GREEN },
	[STYLE_BAR_SYSTEM] = { A_BOLD, A_NORMAL, COLOR_RED, RED },
	[STYLE_BAR_MEMORY] = { A_NORMAL, A_NORMAL, COLOR_CYAN, BLUE },
	[STYLE_MATCH] = { A_UNDERLINE, A_UNDERLINE | A_BOLD, OWN, ORANGE },
	[STYLE_BADGE] = { A_REVERSE | A_BOLD, A_REVERSE | A_BOLD, COLOR_MAGENTA, ORANGE },
	[STYLE_NEW] = { A_BOLD, A_NORMAL, COLOR_GREEN, GREEN },
	[STYLE_EXITED] = { A_DIM, A_NORMAL, COLOR_RED, GREY },
	[STYLE_FLAME] = { A_REVERSE, A_REVERSE, COLOR_RED, ORANGE },
	[STYLE_FLAME_2] = { A_REVERSE, A_REVERSE, COLOR_RED, RUST },
	[STYLE_FLAME_3] = { A_REVERSE, A_REVERSE, COLOR_RED, BROWN },
	[STYLE_FLAME_4] = { A_REVERSE, A_REVERSE, COLOR_RED, ROSE },
	[STYLE_FLAME_KERNEL] = { A_REVERSE, A_REVERSE, COLOR_MAGENTA, VIOLET },
	[STYLE_FLAME_MORE] = { A_REVERSE | A_BOLD, A_REVERSE, COLOR_RED, RED },
	[STYLE_FLAME_LESS] = { A_REVERSE, A_REVERSE, COLOR_CYAN, BLUE },
	[STYLE_FLAME_SAME] = { A_REVERSE, A_REVERSE, OWN, GREY },
	[STYLE_FLAME_MATCH] = { A_REVERSE | A_UNDERLINE, A_REVERSE | A_BOLD, COLOR_CYAN, BLUE },
};

void theme_init(struct theme *t, bool color)
{
	color = color && has_colors() && start_color() == OK && use_default_colors() == OK;
	for (int style = 0; style < GRID_STYLES; style++) {
		const struct theme_row *row = &theme_rows[style];
		short foreground = COLORS >= 256 ? row->color256 : row->color8;

		t->attributes[style] = color ? row->colored : row->plain;
		t->pairs[style] = 0;
		if (color && foreground != OWN && style + 1 < COLOR_PAIRS &&
		    init_pair((short)(style + 1), foreground, OWN) == OK)
			t->pairs[style] = (short)(style + 1);
	}
}
