/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/themes.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/i18n.h"
#include "view/widget/grid.h"

#define OWN THEME_OWN
#define BOLD THEME_BOLD
#define LINE THEME_UNDERLINE
#define AREA THEME_REVERSE /* boxes: the colour is behind the text */

enum { BLACK, RED, GREEN, YELLOW, BLUE, MAGENTA, CYAN, WHITE, GREY };
#define LIGHT(color) ((color) + 8)

/* clang-format off */

/* Each colour has a contrast of at least 3.6 to both black and white. */
static const struct theme_row rows_auto[GRID_STYLES] = {
	[STYLE_NORMAL]       = { 0,           OWN,     OWN },
	[STYLE_DIM]          = { 0,           OWN,     0x808080 },
	[STYLE_TITLE]        = { BOLD,        OWN,     OWN },
	[STYLE_SORTED]       = { BOLD | LINE, OWN,     OWN },
	[STYLE_SELECTED]     = { AREA,        OWN,     OWN },
	[STYLE_GOOD]         = { 0,           GREEN,   0x008700 },
	[STYLE_WARN]         = { 0,           MAGENTA, 0xd75f00 },
	[STYLE_HOT]          = { BOLD,        RED,     0xd70000 },
	[STYLE_KERNEL]       = { 0,           MAGENTA, 0xaf5faf },
	[STYLE_KEY]          = { BOLD,        CYAN,    0x0087af },
	[STYLE_BAR_USER]     = { 0,           GREEN,   0x008700 },
	[STYLE_BAR_SYSTEM]   = { 0,           RED,     0xd70000 },
	[STYLE_BAR_MEMORY]   = { 0,           CYAN,    0x0087af },
	[STYLE_MATCH]        = { LINE | BOLD, OWN,     0xd75f00 },
	[STYLE_BADGE]        = { AREA | BOLD, MAGENTA, 0xd75f00 },
	[STYLE_NEW]          = { 0,           GREEN,   0x008700 },
	[STYLE_EXITED]       = { 0,           RED,     0x808080 },
	[STYLE_FLAME]        = { AREA,        RED,     0xd75f00 },
	[STYLE_FLAME_2]      = { AREA,        RED,     0xaf5f5f },
	[STYLE_FLAME_3]      = { AREA,        RED,     0xaf5f00 },
	[STYLE_FLAME_4]      = { AREA,        RED,     0xd75f5f },
	[STYLE_FLAME_KERNEL] = { AREA,        MAGENTA, 0xaf5faf },
	[STYLE_FLAME_MORE]   = { AREA,        RED,     0xd70000 },
	[STYLE_FLAME_LESS]   = { AREA,        CYAN,    0x0087af },
	[STYLE_FLAME_SAME]   = { AREA,        OWN,     0x808080 },
	[STYLE_FLAME_MATCH]  = { AREA | BOLD, CYAN,    0x0087af },
};

/* On black, or nearly: at least 4.5 to black. */
static const struct theme_row rows_dark[GRID_STYLES] = {
	[STYLE_NORMAL]       = { 0,           OWN,            OWN },
	[STYLE_DIM]          = { 0,           OWN,            0x9e9e9e },
	[STYLE_TITLE]        = { BOLD,        OWN,            OWN },
	[STYLE_SORTED]       = { BOLD | LINE, OWN,            OWN },
	[STYLE_SELECTED]     = { AREA,        OWN,            OWN },
	[STYLE_GOOD]         = { 0,           LIGHT(GREEN),   0x87d787 },
	[STYLE_WARN]         = { 0,           LIGHT(YELLOW),  0xffaf5f },
	[STYLE_HOT]          = { BOLD,        LIGHT(RED),     0xff5f5f },
	[STYLE_KERNEL]       = { 0,           LIGHT(MAGENTA), 0xd787d7 },
	[STYLE_KEY]          = { BOLD,        LIGHT(CYAN),    0x5fd7ff },
	[STYLE_BAR_USER]     = { 0,           LIGHT(GREEN),   0x87d787 },
	[STYLE_BAR_SYSTEM]   = { 0,           LIGHT(RED),     0xff5f5f },
	[STYLE_BAR_MEMORY]   = { 0,           LIGHT(CYAN),    0x5fd7ff },
	[STYLE_MATCH]        = { LINE | BOLD, LIGHT(YELLOW),  0xffd75f },
	[STYLE_BADGE]        = { AREA | BOLD, LIGHT(YELLOW),  0xffd75f },
	[STYLE_NEW]          = { 0,           LIGHT(GREEN),   0x87d787 },
	[STYLE_EXITED]       = { 0,           OWN,            0x878787 },
	[STYLE_FLAME]        = { AREA,        LIGHT(YELLOW),  0xffaf5f },
	[STYLE_FLAME_2]      = { AREA,        LIGHT(RED),     0xff875f },
	[STYLE_FLAME_3]      = { AREA,        YELLOW,         0xffd75f },
	[STYLE_FLAME_4]      = { AREA,        RED,            0xd7875f },
	[STYLE_FLAME_KERNEL] = { AREA,        LIGHT(MAGENTA), 0xd787d7 },
	[STYLE_FLAME_MORE]   = { AREA,        LIGHT(RED),     0xff5f5f },
	[STYLE_FLAME_LESS]   = { AREA,        LIGHT(CYAN),    0x5fafff },
	[STYLE_FLAME_SAME]   = { AREA,        OWN,            0x9e9e9e },
	[STYLE_FLAME_MATCH]  = { AREA | BOLD, LIGHT(CYAN),    0x5fffff },
};

/* On white, or nearly: at least 4.5 to white. */
static const struct theme_row rows_light[GRID_STYLES] = {
	[STYLE_NORMAL]       = { 0,           OWN,     OWN },
	[STYLE_DIM]          = { 0,           OWN,     0x626262 },
	[STYLE_TITLE]        = { BOLD,        OWN,     OWN },
	[STYLE_SORTED]       = { BOLD | LINE, OWN,     OWN },
	[STYLE_SELECTED]     = { AREA,        OWN,     OWN },
	[STYLE_GOOD]         = { 0,           GREEN,   0x005f00 },
	[STYLE_WARN]         = { 0,           MAGENTA, 0x875f00 },
	[STYLE_HOT]          = { BOLD,        RED,     0xaf0000 },
	[STYLE_KERNEL]       = { 0,           MAGENTA, 0x8700af },
	[STYLE_KEY]          = { BOLD,        BLUE,    0x005faf },
	[STYLE_BAR_USER]     = { 0,           GREEN,   0x005f00 },
	[STYLE_BAR_SYSTEM]   = { 0,           RED,     0xaf0000 },
	[STYLE_BAR_MEMORY]   = { 0,           BLUE,    0x005faf },
	[STYLE_MATCH]        = { LINE | BOLD, RED,     0x875f00 },
	[STYLE_BADGE]        = { AREA | BOLD, MAGENTA, 0xaf005f },
	[STYLE_NEW]          = { 0,           GREEN,   0x005f00 },
	[STYLE_EXITED]       = { 0,           OWN,     0x767676 },
	[STYLE_FLAME]        = { AREA,        RED,     0xaf5f00 },
	[STYLE_FLAME_2]      = { AREA,        RED,     0x875f00 },
	[STYLE_FLAME_3]      = { AREA,        RED,     0x875f5f },
	[STYLE_FLAME_4]      = { AREA,        RED,     0x870000 },
	[STYLE_FLAME_KERNEL] = { AREA,        MAGENTA, 0x8700af },
	[STYLE_FLAME_MORE]   = { AREA,        RED,     0xaf0000 },
	[STYLE_FLAME_LESS]   = { AREA,        BLUE,    0x005faf },
	[STYLE_FLAME_SAME]   = { AREA,        OWN,     0x626262 },
	[STYLE_FLAME_MATCH]  = { AREA | BOLD, BLUE,    0x005f87 },
};

/* On a background of its own: at least 7 to black, as WCAG 2 asks for at its highest level. */
static const struct theme_row rows_contrast[GRID_STYLES] = {
	[STYLE_NORMAL]       = { 0,           LIGHT(WHITE),   0xffffff },
	[STYLE_DIM]          = { 0,           WHITE,          0xd0d0d0 },
	[STYLE_TITLE]        = { BOLD,        LIGHT(WHITE),   0xffffff },
	[STYLE_SORTED]       = { BOLD | LINE, LIGHT(YELLOW),  0xffff00 },
	[STYLE_SELECTED]     = { AREA,        LIGHT(WHITE),   0xffffff },
	[STYLE_GOOD]         = { 0,           LIGHT(GREEN),   0x00ff00 },
	[STYLE_WARN]         = { LINE,        LIGHT(YELLOW),  0xffff00 },
	[STYLE_HOT]          = { BOLD | LINE, LIGHT(RED),     0xffafaf },
	[STYLE_KERNEL]       = { 0,           LIGHT(MAGENTA), 0xffafff },
	[STYLE_KEY]          = { BOLD,        LIGHT(CYAN),    0x00ffff },
	[STYLE_BAR_USER]     = { 0,           LIGHT(GREEN),   0x00ff00 },
	[STYLE_BAR_SYSTEM]   = { AREA,        LIGHT(RED),     0xffafaf },
	[STYLE_BAR_MEMORY]   = { 0,           LIGHT(CYAN),    0x00ffff },
	[STYLE_MATCH]        = { LINE | BOLD, LIGHT(YELLOW),  0xffff00 },
	[STYLE_BADGE]        = { AREA | BOLD, LIGHT(YELLOW),  0xffff00 },
	[STYLE_NEW]          = { LINE,        LIGHT(GREEN),   0x00ff00 },
	[STYLE_EXITED]       = { 0,           WHITE,          0xafafaf },
	[STYLE_FLAME]        = { AREA,        LIGHT(YELLOW),  0xffd700 },
	[STYLE_FLAME_2]      = { AREA,        LIGHT(WHITE),   0xffd7af },
	[STYLE_FLAME_3]      = { AREA,        LIGHT(RED),     0xffaf5f },
	[STYLE_FLAME_4]      = { AREA,        WHITE,          0xffffaf },
	[STYLE_FLAME_KERNEL] = { AREA,        LIGHT(MAGENTA), 0xffafff },
	[STYLE_FLAME_MORE]   = { AREA | LINE, LIGHT(RED),     0xffafaf },
	[STYLE_FLAME_LESS]   = { AREA,        LIGHT(CYAN),    0x00ffff },
	[STYLE_FLAME_SAME]   = { AREA,        WHITE,          0xd0d0d0 },
	[STYLE_FLAME_MATCH]  = { AREA | LINE, LIGHT(GREEN),   0x00ff00 },
};

/*
 * Okabe and Ito's palette has colours that people who cannot tell red from green tell apart.  These are its blue,
 * vermilion, bluish green and reddish purple, and shades of them.  The last two are darker, so that all can be read on
 * black and on white.
 */
static const struct theme_row rows_colorblind[GRID_STYLES] = {
	[STYLE_NORMAL]       = { 0,           OWN,     OWN },
	[STYLE_DIM]          = { 0,           OWN,     0x808080 },
	[STYLE_TITLE]        = { BOLD,        OWN,     OWN },
	[STYLE_SORTED]       = { BOLD | LINE, OWN,     OWN },
	[STYLE_SELECTED]     = { AREA,        OWN,     OWN },
	[STYLE_GOOD]         = { 0,           BLUE,    0x0072b2 },
	[STYLE_WARN]         = { LINE,        MAGENTA, 0xaf5f87 },
	[STYLE_HOT]          = { BOLD,        RED,     0xd55e00 },
	[STYLE_KERNEL]       = { 0,           MAGENTA, 0xaf5f87 },
	[STYLE_KEY]          = { BOLD,        CYAN,    0x008b65 },
	[STYLE_BAR_USER]     = { 0,           BLUE,    0x0072b2 },
	[STYLE_BAR_SYSTEM]   = { 0,           RED,     0xd55e00 },
	[STYLE_BAR_MEMORY]   = { 0,           CYAN,    0x008b65 },
	[STYLE_MATCH]        = { LINE | BOLD, OWN,     0xd55e00 },
	[STYLE_BADGE]        = { AREA | BOLD, RED,     0xd55e00 },
	[STYLE_NEW]          = { LINE,        BLUE,    0x0072b2 },
	[STYLE_EXITED]       = { 0,           OWN,     0x808080 },
	[STYLE_FLAME]        = { AREA,        RED,     0xd55e00 },
	[STYLE_FLAME_2]      = { AREA,        RED,     0xaf5f00 },
	[STYLE_FLAME_3]      = { AREA,        RED,     0xd75f00 },
	[STYLE_FLAME_4]      = { AREA,        RED,     0xaf5f5f },
	[STYLE_FLAME_KERNEL] = { AREA,        BLUE,    0x0087d7 },
	[STYLE_FLAME_MORE]   = { AREA,        RED,     0xd55e00 },
	[STYLE_FLAME_LESS]   = { AREA,        BLUE,    0x0072b2 },
	[STYLE_FLAME_SAME]   = { AREA,        OWN,     0x808080 },
	[STYLE_FLAME_MATCH]  = { AREA | LINE, CYAN,    0x008b65 },
};

static const struct theme_row rows_mono[GRID_STYLES] = {
	[STYLE_NORMAL]       = { 0,           OWN, OWN },
	[STYLE_DIM]          = { 0,           OWN, OWN },
	[STYLE_TITLE]        = { BOLD,        OWN, OWN },
	[STYLE_SORTED]       = { BOLD | LINE, OWN, OWN },
	[STYLE_SELECTED]     = { AREA,        OWN, OWN },
	[STYLE_GOOD]         = { 0,           OWN, OWN },
	[STYLE_WARN]         = { LINE,        OWN, OWN },
	[STYLE_HOT]          = { BOLD | LINE, OWN, OWN },
	[STYLE_KERNEL]       = { 0,           OWN, OWN },
	[STYLE_KEY]          = { BOLD,        OWN, OWN },
	[STYLE_BAR_USER]     = { 0,           OWN, OWN },
	[STYLE_BAR_SYSTEM]   = { AREA,        OWN, OWN },
	[STYLE_BAR_MEMORY]   = { 0,           OWN, OWN },
	[STYLE_MATCH]        = { LINE,        OWN, OWN },
	[STYLE_BADGE]        = { AREA | BOLD, OWN, OWN },
	[STYLE_NEW]          = { LINE,        OWN, OWN },
	[STYLE_EXITED]       = { 0,           OWN, OWN }, /* its state is X */
	[STYLE_FLAME]        = { AREA,        OWN, OWN },
	[STYLE_FLAME_2]      = { AREA,        OWN, OWN },
	[STYLE_FLAME_3]      = { AREA,        OWN, OWN },
	[STYLE_FLAME_4]      = { AREA,        OWN, OWN },
	[STYLE_FLAME_KERNEL] = { AREA,        OWN, OWN },
	[STYLE_FLAME_MORE]   = { AREA | LINE, OWN, OWN },
	[STYLE_FLAME_LESS]   = { 0,           OWN, OWN },
	[STYLE_FLAME_SAME]   = { AREA,        OWN, OWN },
	[STYLE_FLAME_MATCH]  = { LINE | BOLD, OWN, OWN },
};

const struct theme_kind theme_kinds[] = {
	{ "auto", N_("dark or light where the terminal tells, else colours that are readable on both"), OWN, rows_auto },
	{ "dark", N_("for dark backgrounds"), OWN, rows_dark },
	{ "light", N_("for light backgrounds"), OWN, rows_light },
	{ "contrast", N_("high contrast, on a black background of its own"), 0x000000, rows_contrast },
	{ "colorblind", N_("for people who cannot tell red from green"), OWN, rows_colorblind },
	{ "mono", N_("no colours"), OWN, rows_mono },
	{ .name = NULL },
};
/* clang-format on */

const struct theme_kind *theme_find(const char *name)
{
	for (const struct theme_kind *t = theme_kinds; t->name; t++) {
		if (!strcmp(t->name, name))
			return t;
	}
	return NULL;
}

const struct theme_kind *theme_plain(void)
{
	return theme_find("mono");
}

const struct theme_kind *theme_choose(const char *name, const char *foreground_background)
{
	const struct theme_kind *t = theme_find(name);
	const char *last = foreground_background ? strrchr(foreground_background, ';') : NULL;
	char *end;
	long ground;

	if (t != theme_kinds || !last)
		return t;
	ground = strtol(last + 1, &end, 10);
	if (end == last + 1 || *end || ground < 0 || ground > LIGHT(WHITE))
		return t;
	/* As vim has it: 7 and 9 to 15 are light, but for grey, 8. */
	return theme_find(ground == WHITE || ground > GREY ? "light" : "dark");
}

static int32_t rgb_of(int red, int green, int blue)
{
	return red << 16 | green << 8 | blue;
}

/* xterm's cube of 6 x 6 x 6, and 24 greys. */
int32_t theme_rgb_of_256(int color)
{
	static const int steps[] = { 0, 95, 135, 175, 215, 255 };
	int grey = 8 + 10 * (color - 232);

	color -= 16;
	return color >= 216 ? rgb_of(grey, grey, grey)
			    : rgb_of(steps[color / 36], steps[color / 6 % 6], steps[color % 6]);
}

static int distance(int32_t a, int32_t b)
{
	int sum = 0;

	for (int shift = 0; shift <= 16; shift += 8) {
		int d = (a >> shift & 0xff) - (b >> shift & 0xff);

		sum += d * d;
	}
	return sum;
}

int theme_nearest_256(int32_t rgb)
{
	int best = 16;

	for (int color = 16; color < 256; color++) {
		if (distance(theme_rgb_of_256(color), rgb) < distance(theme_rgb_of_256(best), rgb))
			best = color;
	}
	return best;
}
