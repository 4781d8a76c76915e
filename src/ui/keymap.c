/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/keymap.h"

#include "ui/plain-curses.h"
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/i18n.h"
#include "base/nearest.h"
#include "ui/key-code.h"
#include "view/kind.h"
#include "view/widget/text.h"

#define NAME_SIZE 32
#define NOTHING "nothing"
#define TEXT_MAX \
	4096 /* bytes of a text of bindings, each of which is compared with those before it */

/* A scheme changes only what collides, so that whatever is in no other program has the same key in all of them. */
/* clang-format off */
const struct key_scheme key_schemes[] = {
	{ "vi", N_("j and k move, n and N search again; the default"), "" },
	{ "htop", N_("Space tags, k kills, P M T and N sort, I sorts the other way round, Z stands still"),
	  "Space tag, c tag-children, U untag, Ctrl-U hide-user, k kill, X zero, Z pause, i io-priority, A instructions, "
	  "I sort-reverse, P sort-cpu, N sort-pid, < sort, > sort, F6 sort, , sort-left, . sort-right, Ctrl-P write, Ctrl-R search-previous, O close-all" },
	{ "perf", N_("a annotates, e E and C open and close, d and t show objects and threads, / filters"),
	  "a instructions, A affinity, e toggle, E open-all, C close-all, c view-cpus, d view-objects, D delay, "
	  "t view-threads, m events, V meter, f event-switch, i facts, R event-rate, + event-add, / filter, \\ search" },
	{ .name = NULL },
};
/* clang-format on */

const struct key_scheme *key_scheme_find(const char *name)
{
	for (const struct key_scheme *s = key_schemes; s->name; s++) {
		if (!strcmp(s->name, name))
			return s;
	}
	return NULL;
}

const struct key_row *key_named(const char *name)
{
	for (const struct key_row *row = key_table; row->act; row++) {
		if (row->name && !strcmp(row->name, name))
			return row;
	}
	return NULL;
}

static const struct {
	uint32_t key;
	const char *name;
} labels[] = {
	{ ' ', "Space" },
	{ KEY_ESC, "Esc" },
	{ KEY_RETURN, "Enter" },
	{ KEY_TABULATOR, "Tab" },
	{ KEY_OF_CURSES(KEY_BTAB), "Shift-Tab" },
	{ KEY_OF_CURSES(KEY_UP), "Up" },
	{ KEY_OF_CURSES(KEY_DOWN), "Down" },
	{ KEY_OF_CURSES(KEY_LEFT), "Left" },
	{ KEY_OF_CURSES(KEY_RIGHT), "Right" },
	{ KEY_OF_CURSES(KEY_PPAGE), "PgUp" },
	{ KEY_OF_CURSES(KEY_NPAGE), "PgDn" },
	{ KEY_OF_CURSES(KEY_IC), "Insert" },
	{ KEY_OF_CURSES(KEY_DC), "Delete" },
	{ KEY_OF_CURSES(KEY_HOME), "Home" },
	{ KEY_OF_CURSES(KEY_END), "End" },
};
#define FUNCTION_KEY(n) KEY_OF_CURSES(KEY_F(n))
#define LABELS (sizeof(labels) / sizeof(*labels))
#define FUNCTION_KEYS 12

void key_label(uint32_t key, char out[16])
{
	size_t size = 0;

	for (size_t i = 0; i < LABELS; i++) {
		if (labels[i].key == key) {
			snprintf(out, 16, "%s", labels[i].name);
			return;
		}
	}
	out[0] = '\0';
	if (key >= FUNCTION_KEY(1) && key <= FUNCTION_KEY(FUNCTION_KEYS))
		snprintf(out, 16, "F%u", key - FUNCTION_KEY(0));
	else if (key < 0x20)
		snprintf(out, 16, "Ctrl-%c", (char)(key + 0x40));
	else if (key < KEY_SPECIAL)
		size = text_encode(key, out);
	if (size)
		out[size] = '\0';
}

uint32_t key_parse(const char *label)
{
	const char *rest = label;
	uint32_t character;
	int width;

	for (size_t i = 0; i < LABELS; i++) {
		if (!strcasecmp(labels[i].name, label))
			return labels[i].key;
	}
	for (uint32_t n = 1; n <= FUNCTION_KEYS; n++) {
		char name[8];

		snprintf(name, sizeof(name), "F%u", n);
		if (!strcasecmp(name, label))
			return FUNCTION_KEY(n);
	}
	if (!strncasecmp(label, "Ctrl-", 5) && isalpha((unsigned char)label[5]) && !label[6])
		return KEY_CTRL(label[5]);
	character = text_next(&rest, &width);
	return *rest || character < ' ' ? 0 : character;
}

static void add(struct keymap *m, struct key_binding b)
{
	if (m->count < KEYMAP_MAX)
		m->bindings[m->count++] = b;
}

static void forget(struct keymap *m, uint32_t key)
{
	size_t kept = 0;

	for (size_t i = 0; i < m->count; i++) {
		if (m->bindings[i].key != key)
			m->bindings[kept++] = m->bindings[i];
	}
	m->count = kept;
}

void keymap_init(struct keymap *m, const char *scheme, const char *bindings)
{
	const struct key_scheme *s = scheme ? key_scheme_find(scheme) : NULL;

	m->count = 0;
	m->scheme = s ? s : key_schemes;
	for (const struct key_row *row = key_table; row->act; row++) {
		for (int i = 0; i < KEYS_OF_ROW && row->keys[i]; i++)
			add(m, (struct key_binding){ row->keys[i], row, NULL });
	}
	for (const struct view_kind *k = view_kinds; k->name; k++) {
		if (k->key)
			add(m, (struct key_binding){ (unsigned char)k->key, NULL, k });
	}
	if (s)
		keymap_bind(m, s->changes, NULL);
	if (bindings)
		keymap_bind(m, bindings, NULL);
}

/* The next word of *AT up to a blank into WORD; false at the end.  A word that is too long is cut, and so unknown. */
static bool next_word(const char **at, char word[NAME_SIZE])
{
	size_t size;

	*at += strspn(*at, " \t");
	size = strcspn(*at, " \t");
	snprintf(word, NAME_SIZE, "%.*s", (int)size, *at);
	*at += size;
	return size > 0;
}

static int unknown_action(const char *name, struct error *err)
{
	struct nearest nearest;

	nearest_init(&nearest, name, strlen(name));
	for (const struct key_row *row = key_table; row->act; row++) {
		if (row->name)
			nearest_try(&nearest, row->name);
	}
	if (*nearest.best)
		return error_set(err, _("no action is called '%s': did you mean '%s'?"), name,
				 nearest.best);
	return error_set(err, _("no action is called '%s': man ptop lists them under KEYS"), name);
}

/* Fills B with what NAME stands for.  "nothing" leaves it empty. */
static int parse_action(struct key_binding *b, const char *name, struct error *err)
{
	static const char view[] = "view-";

	b->row = key_named(name);
	if (!strncmp(name, view, strlen(view)))
		b->view = view_kind_find(name + strlen(view));
	if (!b->row && !b->view && strcmp(name, NOTHING))
		return unknown_action(name, err);
	return 0;
}

/* Reads the next "KEY ACTION," of *AT.  1, 0 at the end, or -1 with ERR set. */
static int next_binding(const char **at, struct key_binding *b, struct error *err)
{
	char key[NAME_SIZE], action[NAME_SIZE];
	size_t size;

	*b = (struct key_binding){ 0 };
	if (!next_word(at, key))
		return 0;
	if (!next_word(at, action))
		return error_set(err, _("key '%s' has no action: write it behind the key"), key);
	size = strlen(action);
	if (action[size - 1] == ',')
		action[size - 1] = '\0';
	b->key = key_parse(key);
	if (!b->key)
		return error_set(err,
				 _("no key is called '%s': write it as the help does, such as F5, "
				   "Ctrl-X or x"),
				 key);
	return parse_action(b, action, err) ? -1 : 1;
}

/* Returns true if KEY is also bound before END, which is in TEXT. */
static bool is_bound_before(const char *text, const char *end, uint32_t key)
{
	struct key_binding b;

	while (text < end && next_binding(&text, &b, NULL) > 0) {
		if (text < end && b.key == key)
			return true;
	}
	return false;
}

int keymap_bind(struct keymap *m, const char *text, struct error *err)
{
	const char *at = text;
	struct key_binding b;
	char label[16];
	int more;

	if (strlen(text) > TEXT_MAX)
		return error_set(err, _("more than %d bytes of bindings"), TEXT_MAX);
	while ((more = next_binding(&at, &b, err)) > 0) {
		if (b.key == KEY_ESC)
			return error_set(err, _("key '%s' always leads back: bind another one"),
					 "Esc");
		if (is_bound_before(text, at, b.key)) {
			key_label(b.key, label);
			return error_set(err, _("key '%s' is bound twice"), label);
		}
		if (!m)
			continue;
		forget(m, b.key);
		if (b.row || b.view)
			add(m, b);
	}
	return more;
}

const struct key_binding *keymap_find(const struct keymap *m, uint32_t key, unsigned where)
{
	const struct key_binding *first = NULL;

	for (size_t i = 0; i < m->count; i++) {
		const struct key_binding *b = &m->bindings[i];

		if (b->key != key)
			continue;
		if (b->row && b->row->where & ~where) {
			if (!first)
				first = b;
			continue;
		}
		return b;
	}
	return first;
}

void keymap_names(const struct keymap *m, const struct key_binding *of, struct buf *out)
{
	bool more = false;

	buf_add_str(out, "");
	for (size_t i = 0; i < m->count; i++) {
		char name[16];

		if (m->bindings[i].row != of->row || m->bindings[i].view != of->view)
			continue;
		key_label(m->bindings[i].key, name);
		buf_printf(out, "%s%s", more ? " " : "", name);
		more = true;
	}
}

uint32_t keymap_key(const struct keymap *m, const struct key_row *row, unsigned where)
{
	for (size_t i = m->count; i-- > 0;) {
		if (m->bindings[i].row == row &&
		    keymap_find(m, m->bindings[i].key, where)->row == row)
			return m->bindings[i].key;
	}
	return 0;
}

void keymap_lost(const struct keymap *m, struct buf *out)
{
	for (const struct key_row *row = key_table; row->act; row++) {
		if (row->name && row->keys[0] && !keymap_key(m, row, row->where))
			buf_printf(out, _("no key is left for '%s': bind another one\n"),
				   row->name);
	}
}
