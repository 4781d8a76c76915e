/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/plain-curses.h"
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/i18n.h"
#include "ui/key.h"
#include "ui/ui-state.h"

#define STATUS_BYTES 96

/*
 * The collector switches an event, and a later snapshot shows it.  Until then the menu shows
 * `wanted` (1 on, 0 off, -1 as in the snapshot), so that a second Space means what is seen.
 */
static bool event_is_on(const struct ui *u, size_t event)
{
	if (event < u->wanted_count && u->wanted[event] >= 0)
		return u->wanted[event];
	return view_snapshot(u->view)->events[event].enabled;
}

static void settle_wanted(struct ui *u, const struct snapshot *s)
{
	if (u->wanted_count != s->event_count) {
		free(u->wanted);
		u->wanted = mem_alloc(s->event_count);
		memset(u->wanted, -1, s->event_count);
		u->wanted_count = s->event_count;
	}
	for (size_t i = 0; i < s->event_count; i++) {
		if (u->wanted[i] == s->events[i].enabled)
			u->wanted[i] = -1;
	}
}

static const char *event_status(const struct snapshot_event *e, char out[STATUS_BYTES])
{
	unsigned long long samples = e->samples;

	if (e->error)
		return e->error;
	if (!e->sampled || !e->enabled)
		snprintf(out, STATUS_BYTES, "%s", e->sampled ? _("sampled") : _("counted"));
	else if (e->frequency_hz)
		snprintf(out, STATUS_BYTES, _("sampled at %llu Hz, %llu samples"),
			 (unsigned long long)e->frequency_hz, samples);
	else
		snprintf(out, STATUS_BYTES, _("sampled at every %llu, %llu samples"),
			 (unsigned long long)e->period, samples);
	return out;
}

static void fill_events(struct ui *u)
{
	const struct snapshot *s = view_snapshot(u->view);
	struct menu_item *items;
	char(*texts)[STATUS_BYTES];

	if (!s)
		return;
	settle_wanted(u, s);
	items = mem_array(s->event_count, sizeof(*items));
	texts = mem_array(s->event_count, sizeof(*texts));
	for (size_t i = 0; i < s->event_count; i++) {
		const struct snapshot_event *e = &s->events[i];

		items[i] = (struct menu_item){ .name = e->name,
					       .status = event_status(e, texts[i]),
					       .mark = e->error            ? MENU_BLANK
						       : event_is_on(u, i) ? MENU_ON
									   : MENU_OFF,
					       .disabled = e->error != NULL };
	}
	menu_set(u->menu, items, s->event_count);
	free(texts);
	free(items);
}

static void toggle_event(struct ui *u, size_t event)
{
	const struct snapshot *s = view_snapshot(u->view);

	if (!s || event >= u->wanted_count || s->events[event].error)
		return;
	started_adopt(u, event);
	u->wanted[event] = !event_is_on(u, event);
	u->actions.enable_event(u->actions.context, event, u->wanted[event]);
	u->actions.refresh(u->actions.context);
}

static bool accept_event(struct ui *u, size_t event)
{
	const struct snapshot *s = view_snapshot(u->view);

	if (!s || event >= s->event_count || !s->events[event].sampled)
		return false;
	view_set_event(u->view, (int)event);
	return true;
}

static void add_events(struct ui *u, size_t event)
{
	(void)event;
	ask_events(u);
}

static void remove_event(struct ui *u, size_t event)
{
	const struct snapshot *s = view_snapshot(u->view);

	if (!s || event >= s->event_count || s->events[event].removed)
		return;
	started_adopt(u, event);
	u->actions.remove_event(u->actions.context, event);
	u->actions.refresh(u->actions.context);
}

static void retune_event(struct ui *u, size_t event)
{
	const struct snapshot *s = view_snapshot(u->view);

	if (s && event < s->event_count && s->events[event].sampled && !s->events[event].error)
		ask_rate(u, event);
}

/* The same for the selected row of the view of events. */
static void act_on_event(struct ui *u, void (*act)(struct ui *u, size_t event))
{
	int event = view_selected_event(u->view);

	if (event < 0) {
		ui_say(u, _("for the view of events, which has the key 8, or the menu e"));
		return;
	}
	settle_wanted(u, view_snapshot(u->view));
	act(u, (size_t)event);
}

void event_add(struct ui *u, const struct key_row *row)
{
	(void)row;
	ask_events(u);
}

void event_remove(struct ui *u, const struct key_row *row)
{
	(void)row;
	act_on_event(u, remove_event);
}

void event_switch(struct ui *u, const struct key_row *row)
{
	(void)row;
	act_on_event(u, toggle_event);
}

void event_retune(struct ui *u, const struct key_row *row)
{
	(void)row;
	act_on_event(u, retune_event);
}

static const struct chooser_key event_keys[] = {
	{ 'a', add_events },   { 'x', remove_event }, { KEY_OF_CURSES(KEY_DC), remove_event },
	{ 'f', retune_event }, { 0, NULL },
};

static const struct choice events = {
	.title = N_("Events"),
	.hint = N_("Space on/off   a add   x remove   f rate   Enter its symbols   Esc back"),
	.fill = fill_events,
	.toggle = toggle_event,
	.accept = accept_event,
	.keys = event_keys,
};

static const struct column *sort_table(const struct ui *u)
{
	return view_column_table(u->view, view_pane(u->view));
}

static void fill_sort(struct ui *u)
{
	const struct column *table = sort_table(u);
	struct menu_item *items;
	size_t count = 0;

	while (table[count].name)
		count++;
	items = mem_array(count, sizeof(*items));
	for (size_t i = 0; i < count; i++)
		items[i] = (struct menu_item){ .name = table[i].title,
					       .status = table[i].help ? _(table[i].help) : NULL };
	menu_set(u->menu, items, count);
	free(items);
}

static bool accept_sort(struct ui *u, size_t item)
{
	struct error err = { "" };

	view_set_sort(u->view, sort_table(u)[item].name, &err);
	if (err.text[0])
		ui_say(u, "%s", err.text);
	return true;
}

static const struct choice sorts = {
	.title = N_("Sort by"),
	.hint = N_("Enter sorts   a letter jumps   Esc back"),
	.fill = fill_sort,
	.accept = accept_sort,
	.jumps = true,
};

void ui_open_menu(struct ui *u, const struct choice *choice, const char *title)
{
	u->menu = menu_new(title ? title : _(choice->title), _(choice->hint));
	u->choice = choice;
	u->mode = &ui_menu_mode;
	choice->fill(u);
}

void menu_events(struct ui *u, const struct key_row *row)
{
	(void)row;
	ui_open_menu(u, &events, NULL);
	if (view_event(u->view) > 0)
		menu_select(u->menu, (size_t)view_event(u->view));
}

void menu_sort(struct ui *u, const struct key_row *row)
{
	(void)row;
	ui_open_menu(u, &sorts, NULL);
	if (view_sort_column(u->view))
		menu_select(u->menu, (size_t)(view_sort_column(u->view) - sort_table(u)));
}

void ui_leave_menu(struct ui *u, bool give_up)
{
	if (u->mode != &ui_menu_mode || !u->choice->leave || u->choice->leave(u, give_up))
		ui_leave_mode(u);
}

static void menu_mode_key(struct ui *u, uint32_t key)
{
	size_t item = menu_selected(u->menu);
	bool taken = false;

	if (key == ' ' && u->choice->toggle)
		u->choice->toggle(u, item);
	else if (key == KEY_RETURN && u->choice->accept(u, item))
		ui_leave_mode(u);
	for (const struct chooser_key *k = u->choice->keys; k && k->key; k++) {
		if (k->key != key || u->mode != &ui_menu_mode)
			continue;
		k->act(u, item);
		taken = true;
	}
	if (!taken && u->menu && u->mode == &ui_menu_mode && u->choice->jumps)
		menu_jump(u->menu, key);
}

/* A message stands over the last line, whose keys can be clicked. */
static void menu_mode_draw(struct ui *u)
{
	int row = grid_rows(u->grid) - 2;

	u->choice->fill(u);
	menu_draw(u->menu, u->grid);
	if (!u->message)
		return;
	grid_fill(u->grid, row, 0, -1, STYLE_NORMAL, " ");
	grid_text_cut(u->grid, row, 1, -1, STYLE_NORMAL, u->message);
}

bool ui_menu_move(struct ui *u, long rows)
{
	return menu_move(u->menu, rows);
}

bool ui_menu_page(struct ui *u, int pages)
{
	return menu_turn(u->menu, pages);
}

void ui_menu_click(struct ui *u, int row, int column, bool twice)
{
	size_t item = menu_at(u->menu, row);
	uint32_t key = u->mode == &ui_menu_mode && ui_in_last_row(u, row)
			       ? ui_hint_key(u->choice->hint, column)
			       : 0;

	if (key)
		ui_press(u, key);
	if (item == SIZE_MAX || key)
		return;
	menu_select(u->menu, item);
	if (twice)
		u->mode->key(u, KEY_RETURN);
}

const struct ui_mode ui_menu_mode = { menu_mode_key, menu_mode_draw, ui_menu_move,
				      ui_menu_page,  ui_menu_click,  false };
