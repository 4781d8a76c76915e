/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/prompt.h"

#include "ui/plain-curses.h"
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "ui/key-code.h"
#include "view/widget/text.h"

static bool insert(struct prompt *p, uint32_t character)
{
	if (p->length == PROMPT_CHARACTERS)
		return false;
	memmove(&p->text[p->cursor + 1], &p->text[p->cursor],
		(p->length - p->cursor) * sizeof(*p->text));
	p->text[p->cursor++] = character;
	p->length++;
	return true;
}

/* Removes the characters [FROM, TO) and puts the cursor there. */
static bool take_out(struct prompt *p, size_t from, size_t to)
{
	if (from >= to)
		return false;
	memmove(&p->text[from], &p->text[to], (p->length - to) * sizeof(*p->text));
	p->length -= to - from;
	p->cursor = from;
	return true;
}

static bool erase_before(struct prompt *p)
{
	return p->cursor && take_out(p, p->cursor - 1, p->cursor);
}

static bool erase_at(struct prompt *p)
{
	return p->cursor < p->length && take_out(p, p->cursor, p->cursor + 1);
}

static bool erase_line(struct prompt *p)
{
	return take_out(p, 0, p->length);
}

static bool erase_rest(struct prompt *p)
{
	return take_out(p, p->cursor, p->length);
}

static bool erase_word(struct prompt *p)
{
	size_t from = p->cursor;

	while (from && p->text[from - 1] == ' ')
		from--;
	while (from && p->text[from - 1] != ' ')
		from--;
	return take_out(p, from, p->cursor);
}

static bool to_start(struct prompt *p)
{
	p->cursor = 0;
	return false;
}

static bool to_end(struct prompt *p)
{
	p->cursor = p->length;
	return false;
}

static bool to_left(struct prompt *p)
{
	p->cursor -= p->cursor > 0;
	return false;
}

static bool to_right(struct prompt *p)
{
	p->cursor += p->cursor < p->length;
	return false;
}

static const struct {
	uint32_t key;
	bool (*edit)(struct prompt *p); /* true if the text has changed */
} edits[] = {
	{ KEY_OF_CURSES(KEY_BACKSPACE), erase_before },
	{ KEY_CTRL('H'), erase_before },
	{ 0x7f, erase_before },
	{ KEY_OF_CURSES(KEY_DC), erase_at },
	{ KEY_CTRL('D'), erase_at },
	{ KEY_CTRL('U'), erase_line },
	{ KEY_CTRL('K'), erase_rest },
	{ KEY_CTRL('W'), erase_word },
	{ KEY_OF_CURSES(KEY_HOME), to_start },
	{ KEY_CTRL('A'), to_start },
	{ KEY_OF_CURSES(KEY_END), to_end },
	{ KEY_CTRL('E'), to_end },
	{ KEY_OF_CURSES(KEY_LEFT), to_left },
	{ KEY_CTRL('B'), to_left },
	{ KEY_OF_CURSES(KEY_RIGHT), to_right },
	{ KEY_CTRL('F'), to_right },
};

void prompt_start(struct prompt *p, const char *text)
{
	uint32_t character;
	int width;

	memset(p, 0, sizeof(*p));
	while ((character = text_next(&text, &width)))
		insert(p, character);
}

enum prompt_result prompt_key(struct prompt *p, uint32_t key)
{
	bool changed = false;

	if (key == KEY_RETURN)
		return PROMPT_ACCEPTED;
	if (key == KEY_ESC)
		return PROMPT_CANCELLED;
	for (size_t i = 0; i < sizeof(edits) / sizeof(*edits); i++) {
		if (edits[i].key == key)
			changed = edits[i].edit(p);
	}
	if (key >= 0x20 && key != 0x7f && key < KEY_SPECIAL)
		changed = insert(p, key);
	if (!changed)
		return PROMPT_GOES_ON;
	p->error[0] = '\0';
	return PROMPT_CHANGED;
}

/* Returns the characters [FROM, TO) as UTF-8. */
static char *text_between(const struct prompt *p, size_t from, size_t to)
{
	struct buf b = { 0 };

	buf_add(&b, "", 0);
	for (size_t i = from; i < to; i++) {
		char bytes[4];

		buf_add(&b, bytes, text_encode(p->text[i], bytes));
	}
	return b.bytes;
}

char *prompt_text(const struct prompt *p)
{
	return text_between(p, 0, p->length);
}

static int width_between(const struct prompt *p, size_t from, size_t to)
{
	char *text = text_between(p, from, to);
	int width = text_width(text);

	free(text);
	return width;
}

int prompt_draw(const struct prompt *p, const char *label, struct grid *g)
{
	int row = grid_rows(g) - 1, columns = grid_columns(g), used;
	size_t first = 0;
	char *text;

	grid_fill(g, row, 0, -1, STYLE_NORMAL, " ");
	used = grid_printf(g, row, 1, columns / 2, STYLE_KEY, "%s: ", label) + 1;
	/* A long answer scrolls, so that the cursor is always visible. */
	while (first < p->cursor && used + width_between(p, first, p->cursor) >= columns)
		first++;
	text = text_between(p, first, p->length);
	grid_text(g, row, used, -1, STYLE_NORMAL, text);
	free(text);
	if (p->error[0]) {
		grid_fill(g, row - 1, 0, -1, STYLE_NORMAL, " ");
		grid_text(g, row - 1, 1, -1, STYLE_HOT, p->error);
	}
	return used + width_between(p, first, p->cursor);
}
