/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The command palette: whatever can be done here, found by a part of its name or of its explanation.  Its
 * entries are the rows of the tables of keys, views, columns, events and options; it has none of its own.
 */
#include "ui/plain-curses.h"
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/i18n.h"
#include "ui/key.h"
#include "ui/ui-state.h"
#include "view/kind.h"
#include "view/widget/text.h"

#define NAME_SIZE 80
#define STATUS_SIZE 256
#define RANKS 4

struct entry {
	char name[NAME_SIZE];
	const char *help; /* translated; borrowed */
	char keys[48];    /* that do the same; "" */
	/* REST is what was typed behind the name; "". */
	void (*run)(struct ui *u, const struct entry *e, const char *rest);
	const void *what; /* the row of its table */
	size_t number;
};

struct palette {
	struct entry *entries;
	size_t count, capacity;
	size_t *shown; /* those that match, the best first */
	size_t shown_count;
};

static struct entry *add(struct palette *p, const char *help)
{
	struct entry *e;

	mem_grow((void **)&p->entries, &p->capacity, p->count + 1, sizeof(*p->entries));
	e = &p->entries[p->count++];
	*e = (struct entry){ .help = help };
	return e;
}

static void set_keys(struct entry *e, const struct ui *u, const struct key_binding *of)
{
	struct buf names = { 0 };

	keymap_names(&u->keys, of, &names);
	snprintf(e->keys, sizeof(e->keys), "%s", names.bytes);
	buf_fini(&names);
}

/* Actions and views. */

static void run_action(struct ui *u, const struct entry *e, const char *rest)
{
	const struct key_row *row = e->what;

	(void)rest;
	row->act(u, row);
}

static void run_view(struct ui *u, const struct entry *e, const char *rest)
{
	(void)rest;
	if (view_show(u->view, e->what))
		ui_view_changed(u);
}

static void add_actions(struct palette *p, const struct ui *u)
{
	unsigned where = ui_where(u);

	for (const struct key_row *row = key_table; row->act; row++) {
		struct entry *e;

		if (!row->name || row->act == palette_open ||
		    (row->where & MAY_ACT && !(where & MAY_ACT)))
			continue;
		e = add(p, _(row->help));
		snprintf(e->name, sizeof(e->name), "%s", row->name);
		set_keys(e, u, &(struct key_binding){ 0, row, NULL });
		e->run = run_action;
		e->what = row;
	}
}

static void add_views(struct palette *p, const struct ui *u)
{
	for (const struct view_kind *k = view_kinds; k->name; k++) {
		struct entry *e = add(p, _(k->help));

		snprintf(e->name, sizeof(e->name), "view %s", k->name);
		set_keys(e, u, &(struct key_binding){ 0, NULL, k });
		e->run = run_view;
		e->what = k;
	}
}

/* Columns of the lists that are shown. */

static void run_sort(struct ui *u, const struct entry *e, const char *rest)
{
	struct error err = { "" };

	(void)rest;
	if (!view_set_sort(u->view, strchr(e->name, ' ') + 1, &err) && err.text[0])
		ui_say(u, "%s", err.text);
}

static void run_column(struct ui *u, const struct entry *e, const char *rest)
{
	(void)rest;
	view_toggle_column(u->view, view_kind(u->view)->panes[e->number], e->what);
	ui_view_changed(u);
}

static void add_columns(struct palette *p, const struct ui *u, size_t pane)
{
	const struct list_kind *list = view_kind(u->view)->panes[pane];

	for (const struct column *c = view_column_table(u->view, list); c->name; c++) {
		for (int sort = 0; sort < 2; sort++) {
			struct entry *e = add(p, c->help ? _(c->help) : "");

			snprintf(e->name, sizeof(e->name), "%s %s%s", sort ? "sort" : "column",
				 view_prefix(list), c->name);
			e->run = sort ? run_sort : run_column;
			e->what = c;
			e->number = pane;
		}
	}
}

/* Events that are sampled. */

static void run_event(struct ui *u, const struct entry *e, const char *rest)
{
	const struct snapshot *s = view_snapshot(u->view);

	(void)rest;
	for (size_t i = 0; s && i < s->event_count; i++) {
		if (!strcmp(s->events[i].name, strchr(e->name, ' ') + 1))
			view_set_event(u->view, (int)i);
	}
}

static void add_events(struct palette *p, const struct ui *u)
{
	const struct snapshot *s = view_snapshot(u->view);

	for (size_t i = 0; s && i < s->event_count; i++) {
		struct entry *e;

		if (!s->events[i].sampled || s->events[i].removed)
			continue;
		e = add(p, _("show this event"));
		snprintf(e->name, sizeof(e->name), "event %s", s->events[i].name);
		e->run = run_event;
	}
}

/* Options: a switch is turned over, others are asked for. */

static void run_option(struct ui *u, const struct entry *e, const char *rest)
{
	ui_change_option(u, e->number, rest);
}

static void add_options(struct palette *p, const struct ui *u)
{
	struct ui_option o;

	for (size_t i = 0; u->actions.option && u->actions.option(u->actions.context, i, &o); i++) {
		struct entry *e = add(p, o.help);

		snprintf(e->name, sizeof(e->name), "--%s", o.name);
		e->run = run_option;
		e->number = i;
	}
}

/* The values of options whose values are words. */

static void run_choice(struct ui *u, const struct entry *e, const char *rest)
{
	(void)rest;
	ui_set_option(u, e->what, strchr(e->name, ' ') + 1);
}

static void add_choice(struct palette *p, const struct ui_option *o, const struct ui_choice *c)
{
	struct entry *e = add(p, *c->help ? c->help : o->help);

	snprintf(e->name, sizeof(e->name), "%s %s", o->name, c->name);
	e->run = run_choice;
	e->what = o->name;
}

static void add_choices(struct palette *p, const struct ui *u)
{
	struct ui_choice *choices = mem_array(UI_CHOICES_MAX, sizeof(*choices));
	struct ui_option o;

	for (size_t i = 0; u->actions.option && u->actions.option(u->actions.context, i, &o); i++) {
		size_t count = u->actions.choices(u->actions.context, o.name, choices);

		for (size_t c = 0; c < count; c++)
			add_choice(p, &o, &choices[c]);
	}
	free(choices);
}

/* The entries that match. */

/* How well E matches what was typed: 0 best; RANKS not at all. */
static int rank_of(const struct entry *e, const char *text)
{
	size_t size = strlen(e->name);

	if (!strcmp(e->name, text) || (!strncmp(e->name, text, size) && text[size] == ' '))
		return 0;
	if (!strncmp(e->name, text, strlen(text)))
		return 1;
	if (text_contains(e->name, text))
		return 2;
	return text_contains(e->help, text) ? 3 : RANKS;
}

static void match(struct palette *p, const char *text)
{
	p->shown_count = 0;
	for (int rank = 0; rank < RANKS; rank++) {
		for (size_t i = 0; i < p->count; i++) {
			if (rank_of(&p->entries[i], text) == rank)
				p->shown[p->shown_count++] = i;
		}
	}
}

static void show_matches(struct ui *u)
{
	struct palette *p = u->palette;
	struct menu_item *items = mem_array(p->shown_count, sizeof(*items));
	char(*texts)[STATUS_SIZE] = mem_array(p->shown_count, sizeof(*texts));

	for (size_t i = 0; i < p->shown_count; i++) {
		const struct entry *e = &p->entries[p->shown[i]];

		snprintf(texts[i], sizeof(texts[i]), "%-10s %s", e->keys, e->help);
		items[i] = (struct menu_item){ .name = e->name, .status = texts[i] };
	}
	menu_set(u->menu, items, p->shown_count);
	free(texts);
	free(items);
}

static void typed(struct ui *u)
{
	char *text = prompt_text(&u->prompt);

	match(u->palette, text);
	show_matches(u);
	menu_move(u->menu, LONG_MIN);
	free(text);
}

void palette_open(struct ui *u, const struct key_row *row)
{
	struct palette *p = mem_alloc(sizeof(*p));

	(void)row;
	add_actions(p, u);
	add_views(p, u);
	for (size_t i = 0; i < view_kind(u->view)->pane_count; i++)
		add_columns(p, u, i);
	add_events(p, u);
	add_choices(p, u);
	add_options(p, u);
	p->shown = mem_array(p->count, sizeof(*p->shown));
	u->palette = p;
	u->menu = menu_new(
		_("Commands: a part of a name, Tab completes it, Enter runs it, Esc back"), "");
	prompt_start(&u->prompt, "");
	u->mode = &ui_palette_mode;
	typed(u);
}

void palette_free(struct palette *p)
{
	if (!p)
		return;
	mem_free(p->entries, p->shown, p);
}

static void run_selected(struct ui *u)
{
	size_t item = menu_selected(u->menu);
	struct entry e;
	char *text;

	if (item >= u->palette->shown_count)
		return;
	e = u->palette->entries[u->palette->shown[item]];
	text = prompt_text(&u->prompt);
	ui_leave_mode(u);
	e.run(u, &e,
	      !strncmp(text, e.name, strlen(e.name)) && text[strlen(e.name)] == ' '
		      ? text + strlen(e.name) + 1
		      : "");
	free(text);
}

/* The selected name; a blank behind one that takes a value. */
static void complete(struct ui *u)
{
	size_t item = menu_selected(u->menu);
	const struct entry *e;
	char text[NAME_SIZE + 1];

	if (item >= u->palette->shown_count)
		return;
	e = &u->palette->entries[u->palette->shown[item]];
	snprintf(text, sizeof(text), "%s%s", e->name, e->run == run_option ? " " : "");
	prompt_start(&u->prompt, text);
	typed(u);
}

static bool move_key(struct ui *u, uint32_t key)
{
	static const struct {
		uint32_t key;
		long rows;
		int pages;
	} moves[] = {
		{ KEY_OF_CURSES(KEY_UP), -1, 0 },   { KEY_OF_CURSES(KEY_DOWN), 1, 0 },
		{ KEY_OF_CURSES(KEY_BTAB), -1, 0 }, { KEY_OF_CURSES(KEY_PPAGE), 0, -1 },
		{ KEY_OF_CURSES(KEY_NPAGE), 0, 1 },
	};

	for (size_t i = 0; i < sizeof(moves) / sizeof(*moves); i++) {
		if (moves[i].key != key)
			continue;
		if (moves[i].pages)
			menu_turn(u->menu, moves[i].pages);
		else
			menu_move(u->menu, moves[i].rows);
		return true;
	}
	return false;
}

static void palette_mode_key(struct ui *u, uint32_t key)
{
	enum prompt_result result;

	if (move_key(u, key))
		return;
	if (key == KEY_TABULATOR) {
		complete(u);
		return;
	}
	result = prompt_key(&u->prompt, key);
	if (result == PROMPT_CHANGED)
		typed(u);
	else if (result == PROMPT_ACCEPTED)
		run_selected(u);
	else if (result == PROMPT_CANCELLED)
		ui_leave_mode(u);
}

static void palette_mode_draw(struct ui *u)
{
	menu_draw(u->menu, u->grid);
	if (!u->palette->shown_count)
		grid_text(u->grid, 2, 1, -1, STYLE_DIM, _("nothing is called so"));
	u->cursor = prompt_draw(&u->prompt, _("Command"), u->grid);
}

/* The title has the hint. */
static void palette_mode_click(struct ui *u, int row, int column, bool twice)
{
	if (row)
		ui_menu_click(u, row, column, twice);
	else
		ui_press(u, KEY_ESC);
}

const struct ui_mode ui_palette_mode = { palette_mode_key, palette_mode_draw,  ui_menu_move,
					 ui_menu_page,     palette_mode_click, true };
