/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_UI_THEMES_H
#define PTOP_UI_THEMES_H

#include <stdint.h>

/*
 * The themes of --theme.  A theme gives each meaning of the grid (enum grid_style) attributes and a colour.  Its
 * colours are of 24 bits; a terminal with 256 gets the nearest of these, one with 16 or 8 what the theme names
 * for it.  tests/ui/test-theme checks contrasts, and that no meaning is told by bold or dim alone.
 */
#define THEME_OWN (-1) /* the terminal's own colour */

struct theme_row {
	unsigned attributes; /* bits of enum theme_attribute */
	int color16;         /* 0 to 15, as ANSI numbers them; THEME_OWN */
	int32_t rgb;         /* 0xrrggbb; THEME_OWN */
};

enum theme_attribute { THEME_BOLD = 1, THEME_DIM = 2, THEME_UNDERLINE = 4, THEME_REVERSE = 8 };

struct theme_kind {
	const char *name;
	const char *help;             /* N_() */
	int32_t ground;               /* the background of all cells; THEME_OWN: the terminal's */
	const struct theme_row *rows; /* by enum grid_style */
};

extern const struct theme_kind theme_kinds[]; /* the first is the default; ends with name NULL */

const struct theme_kind *theme_find(const char *name); /* or NULL */

/* The theme without colours; what NO_COLOR gives. */
const struct theme_kind *theme_plain(void);

/*
 * The theme for NAME.  The first one becomes that for a dark or a light background if FOREGROUND_BACKGROUND, the
 * value of COLORFGBG such as "15;0" or NULL, tells which it is.
 */
const struct theme_kind *theme_choose(const char *name, const char *foreground_background);

/* The nearest of the 256 colours, above the 16 that a person may have changed. */
int theme_nearest_256(int32_t rgb);
int32_t theme_rgb_of_256(int color); /* 16 to 255 */

#endif
