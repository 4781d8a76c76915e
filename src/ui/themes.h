/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_UI_THEMES_H
#define PTOP_UI_THEMES_H

#include <stdint.h>

#include "base/buf.h"
#include "view/widget/grid.h"

/*
 * The themes of --theme.  A theme gives each meaning of the grid (enum grid_style) attributes and a colour.  Its
 * colours are of 24 bits; a terminal with 256 gets the nearest of these, one with 16 or 8 what the theme names
 * for it.  Themes are texts of settings (base/settings.h), which app/ finds by name:
 *
 *   # mine
 *   ground = #000000
 *   title  = own bold
 *   hot    = #ff5f5f light-red bold underline
 *
 * A line has these words: "#rrggbb" for 24 bits, a name for 16 colours, "own" for that of the terminal, attributes.
 *
 * tests/ui/test-theme checks the contrasts of those that come with ptop, and that no meaning is told by bold or
 * dim alone.
 */
#define THEME_OWN (-1) /* the terminal's own colour */

struct theme_row {
	unsigned attributes; /* bits of enum theme_attribute */
	int color16;         /* 0 to 15, as ANSI numbers them; THEME_OWN */
	int32_t rgb;         /* 0xrrggbb; THEME_OWN */
};

enum theme_attribute { THEME_BOLD = 1, THEME_DIM = 2, THEME_UNDERLINE = 4, THEME_REVERSE = 8 };

struct theme_colors {
	struct theme_row ground; /* the background of all cells; it has no attributes */
	struct theme_row rows[GRID_STYLES];
};

/* The theme without colours, which is that of NO_COLOR. */
void theme_plain(struct theme_colors *t);

/*
 * Makes T of TEXT, the file PATH.  A meaning without a line is as in theme_plain().  A line that cannot be used is
 * skipped; NOTES, "" before, gets the first of them and the number of the others.  Returns how many could be
 * used: 0 is no theme.
 */
size_t theme_parse(struct theme_colors *t, const char *path, const struct buf *text,
		   struct buf *notes);

/*
 * The name of the theme for NAME.  "auto" becomes "dark" or "light" if FOREGROUND_BACKGROUND, the
 * value of COLORFGBG such as "15;0" or NULL, tells which the terminal is.
 */
#define THEME_AUTO "auto"
const char *theme_choose(const char *name, const char *foreground_background);

/* The nearest of the 256 colours, above the 16 that a person may have changed. */
int theme_nearest_256(int32_t rgb);
int32_t theme_rgb_of_256(int color); /* 16 to 255 */

#endif
