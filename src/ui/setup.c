/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The setup: a menu of the lists of this view, whose columns it chooses, of the header's meters, and of the options that the configuration
 * has.  Each change is seen at once.  Who leaves keeps the changes in the configuration, W writes them before that, Esc
 * gives up those that were not written.
 */
#include "ui/plain-curses.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/i18n.h"
#include "ui/key.h"
#include "ui/ui-state.h"
#include "view/header-meters.h"
#include "view/kind.h"
#include "view/widget/text.h"

#define STATUS_BYTES 320

static size_t pane_count(const struct ui *u)
{
	return view_kind(u->view)->pane_count;
}

/* On the first page: a row for each list, one for the meters, then the options. */
static size_t first_option(const struct ui *u)
{
	return pane_count(u) + 1;
}

/* Columns of one list: the shown ones in their order, then those that could be. */

static const struct list_kind *setup_list(const struct ui *u)
{
	size_t i = u->setup_pane < pane_count(u) ? u->setup_pane : 0;

	return view_kind(u->view)->panes[i];
}

static bool is_shown(const struct column *const *shown, size_t count, const struct column *c)
{
	for (size_t i = 0; i < count; i++) {
		if (shown[i] == c)
			return true;
	}
	return false;
}

/* The column of menu row ITEM; NULL: there is none.  FILL, or NULL, gets a row for each. */
static const struct column *column_at(const struct ui *u, size_t item, struct menu_item *fill,
				      size_t *count)
{
	size_t shown_count, n = 0;
	const struct column *const *shown = view_columns(u->view, setup_list(u), &shown_count);
	const struct column *found = NULL;

	for (int shows = 1; shows >= 0; shows--) {
		const struct column *c = view_column_table(u->view, setup_list(u));
		size_t i = 0;

		for (; shows ? i < shown_count : c->name != NULL; i++, c += !shows) {
			const struct column *now = shows ? shown[i] : c;

			if (!shows && is_shown(shown, shown_count, now))
				continue;
			if (n == item)
				found = now;
			if (fill)
				fill[n] = (struct menu_item){ .name = now->title,
							      .status = now->help ? _(now->help)
										  : NULL,
							      .mark = shows ? MENU_ON : MENU_OFF };
			n++;
		}
	}
	if (count)
		*count = n;
	return found;
}

static void fill_columns(struct ui *u)
{
	struct menu_item *items;
	size_t count;

	column_at(u, SIZE_MAX, NULL, &count);
	items = mem_array(count, sizeof(*items));
	column_at(u, SIZE_MAX, items, &count);
	menu_set(u->menu, items, count);
	free(items);
}

static void toggle_column(struct ui *u, size_t item)
{
	const struct column *c = column_at(u, item, NULL, NULL);

	if (!c)
		return;
	if (!view_toggle_column(u->view, setup_list(u), c))
		ui_say(u, _("one column stays"));
	else if (view_kind(u->view)->columns && !u->setup_pane)
		ui_say(u, _("this view has columns of its own; W does not write them"));
	u->setup_changed = true;
	fill_columns(u);
	menu_select(u->menu, item); /* it stays in its place, the column goes to another */
	ui_view_changed(u);
}

static bool accept_column(struct ui *u, size_t item)
{
	toggle_column(u, item);
	return false;
}

static void move_column(struct ui *u, size_t item, int direction)
{
	const struct column *c = column_at(u, item, NULL, NULL);

	if (c && view_move_column(u->view, setup_list(u), c, direction))
		u->setup_changed = true;
}

static void column_left(struct ui *u, size_t item)
{
	move_column(u, item, -1);
}

static void column_right(struct ui *u, size_t item)
{
	move_column(u, item, 1);
}

static void write_now(struct ui *u, size_t item)
{
	(void)item;
	if (!ui_write_config(u))
		return;
	u->setup_changed = false;
	u->actions.remember_options(u->actions.context);
}

static const struct choice setup_choice;

static void open_setup(struct ui *u, size_t item)
{
	ui_leave_mode(u);
	ui_open_menu(u, &setup_choice, NULL);
	menu_select(u->menu, item);
}

static void finish(struct ui *u, bool give_up)
{
	if (give_up && u->setup_changed) {
		u->actions.restore_options(u->actions.context);
		ui_say(u, _("all is as it was before the setup"));
		ui_view_changed(u);
	} else if (u->setup_changed) {
		ui_write_config(u);
	}
	u->in_setup = false;
}

static bool leave_setup(struct ui *u, bool give_up)
{
	finish(u, give_up);
	return true;
}

/* From a menu of the setup back to the setup, or out of it. */
static bool leave_columns(struct ui *u, bool give_up)
{
	if (give_up)
		return leave_setup(u, true);
	open_setup(u, u->setup_pane);
	return false;
}

static void leave_now(struct ui *u, size_t item)
{
	(void)item;
	ui_leave_menu(u, false);
}

static const struct chooser_key column_keys[] = {
	{ KEY_OF_CURSES(KEY_F(7)), column_left },
	{ KEY_OF_CURSES(KEY_F(8)), column_right },
	{ '[', column_left },
	{ ']', column_right },
	{ 'W', write_now },
	{ KEY_OF_CURSES(KEY_F(2)), leave_now },
	{ 0, NULL },
};

static const struct choice column_choice = {
	.title = N_("Columns"),
	.hint = N_(
		"Space shows or hides   F7 F8 or [ ] move   q back   W writes now   Esc gives up"),
	.fill = fill_columns,
	.toggle = toggle_column,
	.accept = accept_column,
	.keys = column_keys,
	.jumps = true,
	.leave = leave_columns,
};

static void open_columns(struct ui *u, size_t pane)
{
	const char *title;

	u->setup_pane = pane;
	title = view_list_title(setup_list(u));
	ui_leave_mode(u);
	ui_open_menu(u, &column_choice, title);
}

/* The meters of the header: those on the left, those on the right, then those that could be. */

#define METERS_AT_FIRST "cpu|mem,swap" /* the usual line, as an arrangement */
#define METER_WORD 8

static struct header_meters arranged(const struct ui *u)
{
	struct header_meters m = *view_meters(u->view);
	struct error err;

	if (!m.count)
		header_meters_parse(&m, METERS_AT_FIRST, &err);
	return m;
}

/* The row of the meter of KIND: a shown one's place, else behind those, in the order of kinds. */
static size_t row_of_meter(const struct header_meters *m, size_t kind)
{
	size_t row = m->count;

	for (size_t i = 0; i < m->count; i++) {
		if (m->items[i].kind == kind)
			return i;
	}
	for (size_t other = 0; other < kind; other++)
		row += row_of_meter(m, other) >= m->count;
	return row;
}

static size_t meter_of_row(const struct header_meters *m, size_t row)
{
	size_t kind = 0;

	while (kind < header_meter_kinds() && row_of_meter(m, kind) != row)
		kind++;
	return kind;
}

/* "left    figure  memory in use"; only the last part of one that is not shown. */
static void describe_meter(const struct header_meters *m, size_t row, char out[STATUS_BYTES])
{
	bool shown = row < m->count;
	const char *side = !shown ? "" : row < m->left ? _("left") : _("right");
	const char *style = !shown ? "" : header_meter_style_title(m->items[row].style);
	int side_gap = METER_WORD - text_width(side), style_gap = METER_WORD - text_width(style);

	snprintf(out, STATUS_BYTES, "%s%*s%s%*s%s", side, side_gap > 1 ? side_gap : 1, "", style,
		 style_gap > 1 ? style_gap : 1, "", header_meter_help(meter_of_row(m, row)));
}

static void fill_meters(struct ui *u)
{
	struct header_meters m = arranged(u);
	size_t count = header_meter_kinds();
	struct menu_item *items = mem_array(count, sizeof(*items));
	char(*texts)[STATUS_BYTES] = mem_array(count, sizeof(*texts));

	for (size_t row = 0; row < count; row++) {
		size_t kind = meter_of_row(&m, row);
		bool shown = row < m.count;

		describe_meter(&m, row, texts[row]);
		items[row] = (struct menu_item){ .name = header_meter_name(kind),
						 .status = texts[row],
						 .mark = shown ? MENU_ON : MENU_OFF };
	}
	menu_set(u->menu, items, count);
	mem_free(items, texts);
}

/* Selects the meter of KIND; SIZE_MAX: the row stays. */
static void keep_meters(struct ui *u, const struct header_meters *m, size_t kind)
{
	size_t row = kind < SIZE_MAX ? row_of_meter(m, kind) : menu_selected(u->menu);
	struct buf text = { 0 };

	header_meters_format(m, &text);
	ui_set_option(u, "meters", text.size ? text.bytes : "");
	buf_fini(&text);
	fill_meters(u);
	menu_select(u->menu, row);
}

static void toggle_meter(struct ui *u, size_t item)
{
	struct header_meters m = arranged(u);
	bool shown = item < m.count;

	if (shown && m.count == 1)
		ui_say(u, _("one meter stays; cpu-meter none hides all"));
	else if (shown ? header_meters_remove(&m, item)
		       : header_meters_add(&m, meter_of_row(&m, item)))
		keep_meters(u, &m, SIZE_MAX);
}

static bool accept_meter(struct ui *u, size_t item)
{
	toggle_meter(u, item);
	return false;
}

static void move_meter(struct ui *u, size_t item, int by)
{
	struct header_meters m = arranged(u);
	size_t kind = meter_of_row(&m, item);

	if (header_meters_move(&m, item, by))
		keep_meters(u, &m, kind);
}

static void meter_up(struct ui *u, size_t item)
{
	move_meter(u, item, -1);
}

static void meter_down(struct ui *u, size_t item)
{
	move_meter(u, item, 1);
}

static void turn_style(struct ui *u, size_t item)
{
	struct header_meters m = arranged(u);

	if (item >= m.count)
		return;
	m.items[item].style = (uint8_t)((m.items[item].style + 1) % METER_STYLES);
	keep_meters(u, &m, SIZE_MAX);
}

static const struct chooser_key meter_keys[] = {
	{ KEY_OF_CURSES(KEY_F(7)), meter_up },
	{ KEY_OF_CURSES(KEY_F(8)), meter_down },
	{ '[', meter_up },
	{ ']', meter_down },
	{ 's', turn_style },
	{ 'W', write_now },
	{ KEY_OF_CURSES(KEY_F(2)), leave_now },
	{ 0, NULL },
};

static const struct choice meter_choice = {
	.title = N_("Meters of the header"),
	.hint = N_("Space shows or hides   F7 F8 move   s style   q back   W writes now   Esc "
		   "gives up"),
	.fill = fill_meters,
	.toggle = toggle_meter,
	.accept = accept_meter,
	.keys = meter_keys,
	.leave = leave_columns,
};

static void open_meters(struct ui *u)
{
	u->setup_pane = pane_count(u);
	ui_leave_mode(u);
	ui_open_menu(u, &meter_choice, NULL);
}

/* The values of an option, for the setup and for the palette. */

/* The words that option NUMBER may have, COUNT of them, and in O the option itself; owned by the caller. */
static struct ui_choice *words_of(const struct ui *u, size_t number, struct ui_option *o,
				  size_t *count)
{
	struct ui_choice *words = mem_array(UI_CHOICES_MAX, sizeof(*words));

	*o = (struct ui_option){ .name = "" };
	*count = u->actions.option(u->actions.context, number, o)
			 ? u->actions.choices(u->actions.context, o->name, words)
			 : 0;
	return words;
}

static void fill_values(struct ui *u)
{
	struct menu_item *items = mem_array(UI_CHOICES_MAX, sizeof(*items));
	struct ui_option o;
	size_t count;
	struct ui_choice *words = words_of(u, u->chosen, &o, &count);

	for (size_t i = 0; i < count; i++)
		items[i] = (struct menu_item){ .name = words[i].name,
					       .status = words[i].help,
					       .mark = strcmp(words[i].name, o.value) ? MENU_OFF
										      : MENU_ON };
	menu_set(u->menu, items, count);
	mem_free(words, items);
}

/* Its effect is seen at once behind the menu's text; the menu stays, so others can be tried. */
static void toggle_value(struct ui *u, size_t item)
{
	struct ui_option o;
	size_t count;
	struct ui_choice *words = words_of(u, u->chosen, &o, &count);

	if (item < count)
		ui_set_option(u, o.name, words[item].name);
	free(words);
}

static bool leave_values(struct ui *u, bool give_up)
{
	if (!u->in_setup)
		return true;
	if (give_up)
		return leave_setup(u, true);
	open_setup(u, first_option(u) + u->chosen);
	return false;
}

static bool accept_value(struct ui *u, size_t item)
{
	toggle_value(u, item);
	return leave_values(u, false);
}

static const struct choice value_choice = {
	.title = N_("Value"),
	.hint = N_("Enter takes it   Space tries it   q back   Esc gives up"),
	.fill = fill_values,
	.toggle = toggle_value,
	.accept = accept_value,
	.jumps = true,
	.leave = leave_values,
};

bool ui_choose_value(struct ui *u, size_t number)
{
	struct ui_option o;
	size_t count, at = 0;
	struct ui_choice *words = words_of(u, number, &o, &count);

	while (at < count && strcmp(words[at].name, o.value) != 0)
		at++;
	free(words);
	if (!count)
		return false;
	u->chosen = number;
	ui_leave_mode(u);
	ui_open_menu(u, &value_choice, o.name);
	menu_select(u->menu, at);
	return true;
}

/* The first page. */

static void fill_setup(struct ui *u)
{
	size_t count = 0, lists = first_option(u), panes = pane_count(u);
	struct ui_option o;
	struct menu_item *items;
	char(*texts)[STATUS_BYTES], (*names)[64];

	while (u->actions.option && u->actions.option(u->actions.context, count, &o))
		count++;
	items = mem_array(lists + count, sizeof(*items));
	texts = mem_array(lists + count, sizeof(*texts));
	names = mem_array(lists + count, sizeof(*names));
	for (size_t i = 0; i < lists; i++)
		items[i] = (struct menu_item){
			.name = i < panes ? view_list_title(view_kind(u->view)->panes[i])
					  : _(meter_choice.title),
			.status = _("which are shown, and their order")
		};
	for (size_t i = 0; i < count && u->actions.option(u->actions.context, i, &o); i++) {
		snprintf(names[lists + i], sizeof(names[0]), "%s", o.name);
		snprintf(texts[lists + i], sizeof(texts[0]), "%-10s %s", *o.value ? o.value : "-",
			 o.help);
		items[lists + i] =
			(struct menu_item){ .name = names[lists + i], .status = texts[lists + i] };
	}
	menu_set(u->menu, items, lists + count);
	mem_free(items, texts, names);
}

static bool accept_setup(struct ui *u, size_t item)
{
	if (item < pane_count(u))
		open_columns(u, item);
	else if (item < first_option(u))
		open_meters(u);
	else
		ui_change_option(u, item - first_option(u), "");
	return false;
}

static void toggle_setup(struct ui *u, size_t item)
{
	accept_setup(u, item);
}

static const struct chooser_key setup_keys[] = {
	{ 'W', write_now },
	{ KEY_OF_CURSES(KEY_F(2)), leave_now },
	{ 0, NULL },
};

static const struct choice setup_choice = {
	.title = N_("Setup"),
	.hint = N_("Enter changes   q keeps it   W writes now   Esc gives up"),
	.fill = fill_setup,
	.toggle = toggle_setup,
	.accept = accept_setup,
	.keys = setup_keys,
	.jumps = true,
	.leave = leave_setup,
};

void menu_setup(struct ui *u, const struct key_row *row)
{
	(void)row;
	u->actions.remember_options(u->actions.context);
	u->in_setup = true;
	u->setup_changed = false;
	ui_open_menu(u, &setup_choice, NULL);
}
