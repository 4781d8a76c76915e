/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/theme.h"

#include <limits.h>

#include <term.h> /* included last: it makes macros of many words */

static attr_t attributes_of(unsigned bits)
{
	return (bits & THEME_BOLD ? A_BOLD : 0) | (bits & THEME_DIM ? A_DIM : 0) |
	       (bits & THEME_UNDERLINE ? A_UNDERLINE : 0) | (bits & THEME_REVERSE ? A_REVERSE : 0);
}

/* The terminal takes colours of 24 bits as they are: user_caps(5). */
static bool takes_rgb(void)
{
	return tigetflag("RGB") > 0 && COLORS >= 1 << 24;
}

/* The number that this terminal has for a colour. */
static int number_of(int32_t rgb, int color16)
{
	if (COLORS < 256)
		return color16 >= COLORS ? color16 - 8 : color16;
	if (rgb == THEME_OWN)
		return THEME_OWN;
	return takes_rgb() ? rgb : theme_nearest_256(rgb);
}

/* Pair NUMBER of curses with these colours.  Returns false if the terminal has no such pair. */
static bool set_pair(int number, int foreground, int background)
{
	if (number >= COLOR_PAIRS)
		return false;
	if (foreground > SHRT_MAX)
		return init_extended_pair(number, foreground, background) == OK;
	return init_pair((short)number, (short)foreground, (short)background) == OK;
}

void theme_init(struct theme *t, const struct theme_colors *colors, bool color)
{
	struct theme_colors plain;
	int ground;

	color = color && has_colors() && start_color() == OK && use_default_colors() == OK;
	theme_plain(&plain);
	if (!color)
		colors = &plain;
	ground = number_of(colors->ground.rgb, colors->ground.color16);
	for (int style = 0; style < GRID_STYLES; style++) {
		const struct theme_row *row = &colors->rows[style];
		int foreground = number_of(row->rgb, row->color16);

		t->attributes[style] = attributes_of(row->attributes);
		t->pairs[style] = 0;
		if (color && (foreground != THEME_OWN || ground != THEME_OWN) &&
		    set_pair(style + 1, foreground, ground))
			t->pairs[style] = (short)(style + 1);
	}
}
