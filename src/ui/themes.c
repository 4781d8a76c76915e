/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/themes.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/i18n.h"
#include "base/settings.h"

#define BOLD THEME_BOLD
#define LINE THEME_UNDERLINE
#define AREA THEME_REVERSE /* boxes: the colour is behind the text */

/* The names of meanings, and what they have without colours. */
static const struct {
	const char *name;
	unsigned attributes;
} styles[GRID_STYLES] = {
	[STYLE_NORMAL] = { "normal", 0 },
	[STYLE_DIM] = { "dim", 0 },
	[STYLE_TITLE] = { "title", BOLD },
	[STYLE_SORTED] = { "sorted", BOLD | LINE },
	[STYLE_SELECTED] = { "selected", AREA },
	[STYLE_GOOD] = { "good", 0 },
	[STYLE_WARN] = { "warn", LINE },
	[STYLE_HOT] = { "hot", BOLD | LINE },
	[STYLE_KERNEL] = { "kernel", 0 },
	[STYLE_KEY] = { "key", BOLD },
	[STYLE_BAR_USER] = { "bar-user", 0 },
	[STYLE_BAR_SYSTEM] = { "bar-system", AREA },
	[STYLE_BAR_MEMORY] = { "bar-memory", 0 },
	[STYLE_MATCH] = { "match", LINE },
	[STYLE_BADGE] = { "badge", AREA | BOLD },
	[STYLE_NEW] = { "new", LINE },
	[STYLE_EXITED] = { "exited", 0 }, /* its state is X */
	[STYLE_FLAME] = { "flame", AREA },
	[STYLE_FLAME_2] = { "flame-2", AREA },
	[STYLE_FLAME_3] = { "flame-3", AREA },
	[STYLE_FLAME_4] = { "flame-4", AREA },
	[STYLE_FLAME_KERNEL] = { "flame-kernel", AREA },
	[STYLE_FLAME_MORE] = { "flame-more", AREA | LINE },
	[STYLE_FLAME_LESS] = { "flame-less", 0 },
	[STYLE_FLAME_SAME] = { "flame-same", AREA },
	[STYLE_FLAME_MATCH] = { "flame-match", LINE | BOLD },
};

static const char *const color_names[] = {
	"black",      "red",           "green",       "yellow",      "blue",        "magenta",
	"cyan",       "white",         "light-black", "light-red",   "light-green", "light-yellow",
	"light-blue", "light-magenta", "light-cyan",  "light-white",
};
#define COLOR_NAMES ((int)(sizeof(color_names) / sizeof(*color_names)))
enum { WHITE = 7, GREY = 8 };

static const char *const attribute_names[] = { "bold", "dim", "underline", "reverse" };
#define ATTRIBUTE_NAMES ((int)(sizeof(attribute_names) / sizeof(*attribute_names)))

void theme_plain(struct theme_colors *t)
{
	t->ground = (struct theme_row){ 0, THEME_OWN, THEME_OWN };
	for (int style = 0; style < GRID_STYLES; style++)
		t->rows[style] =
			(struct theme_row){ styles[style].attributes, THEME_OWN, THEME_OWN };
}

/* The place of WORD in NAMES; -1: it is not there. */
static int find_word(const char *const *names, int count, const char *word)
{
	for (int i = 0; i < count; i++) {
		if (!strcmp(names[i], word))
			return i;
	}
	return -1;
}

/* "#rrggbb" */
static bool is_rgb(const char *word)
{
	return *word == '#' && strlen(word) == 7 && strspn(word + 1, "0123456789abcdefABCDEF") == 6;
}

static int parse_word(struct theme_row *row, const char *word, struct error *err)
{
	int color = find_word(color_names, COLOR_NAMES, word),
	    attribute = find_word(attribute_names, ATTRIBUTE_NAMES, word);

	if (is_rgb(word))
		row->rgb = (int32_t)strtol(word + 1, NULL, 16);
	else if (color >= 0)
		row->color16 = color;
	else if (attribute >= 0)
		row->attributes |= 1u << attribute;
	else if (strcmp(word, "own") != 0)
		return error_set(
			err,
			_("'%.40s' is neither a colour, such as #ff8700, light-red or own, "
			  "nor bold, dim, underline or reverse"),
			word);
	return 0;
}

static int parse_words(struct theme_row *row, char *words, struct error *err)
{
	char *rest;

	*row = (struct theme_row){ 0, THEME_OWN, THEME_OWN };
	for (char *word = strtok_r(words, " \t", &rest); word;
	     word = strtok_r(NULL, " \t", &rest)) {
		if (parse_word(row, word, err))
			return -1;
	}
	return 0;
}

static int parse_line(void *context, char *line, struct error *err)
{
	struct theme_colors *t = context;
	char *value = settings_split(line);
	struct theme_row row;

	if (!value || !*value)
		return error_set(err, _("'%.40s' is no 'meaning = colour'"), line);
	if (parse_words(&row, value, err))
		return -1;
	if (!strcmp(line, "ground")) {
		t->ground = row;
		return 0;
	}
	for (int style = 0; style < GRID_STYLES; style++) {
		if (strcmp(styles[style].name, line) != 0)
			continue;
		t->rows[style] = row;
		return 0;
	}
	return error_set(err, _("themes have no '%.40s'"), line);
}

size_t theme_parse(struct theme_colors *t, const char *path, const struct buf *text,
		   struct buf *notes)
{
	theme_plain(t);
	return settings_read(path, text, parse_line, t, 1, notes);
}

const char *theme_choose(const char *name, const char *foreground_background)
{
	const char *last = foreground_background ? strrchr(foreground_background, ';') : NULL;
	char *end;
	long ground;

	if (strcmp(name, THEME_AUTO) != 0 || !last)
		return name;
	ground = strtol(last + 1, &end, 10);
	if (end == last + 1 || *end || ground < 0 || ground >= COLOR_NAMES)
		return name;
	/* As vim has it: 7 and 9 to 15 are light, but for grey, 8. */
	return ground == WHITE || ground > GREY ? "light" : "dark";
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
