/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/ui.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/i18n.h"
#include "ui/key.h"
#include "ui/painter.h"
#include "ui/ui-state.h"
#include "view/kind.h"
#include "view/widget/text.h"

#define PASTE_PAUSE_NS NS_PER_S

unsigned ui_where(const struct ui *u)
{
	const struct view_kind *kind = view_kind(u->view);
	unsigned where = 0;

	where |= view_on_process(u->view) ? ON_PROCESS : 0;
	where |= view_selected_event(u->view) >= 0 ? ON_EVENT : 0;
	where |= view_selected_frame(u->view) ? ON_FUNCTION : 0;
	where |= kind->foldable ? IN_TREE : 0;
	where |= kind->other ? IN_CALLS : 0;
	where |= kind->code ? IN_CODE : 0;
	where |= u->actions.acts ? MAY_ACT : 0;
	return where;
}

#define BAR_PARTS 5

/*
 * The part of the last line that ROW is in: help, what is for the selected row, the others, nice values, the way out.
 * Nice values are changed rarely, and 80 columns would have them in place of the setup.
 */
static int bar_part(const struct key_row *row)
{
	if (row->act == page_help)
		return 0;
	if (row->act == key_quit)
		return BAR_PARTS - 1;
	if (row->act == act_nice)
		return BAR_PARTS - 2;
	return row->where || row->keys[0] == KEY_RETURN ? 1 : 2;
}

static size_t bar_rows(unsigned where, const struct key_row *out[UI_BAR_MAX])
{
	size_t count = 0;

	for (int part = 0; part < BAR_PARTS; part++) {
		for (const struct key_row *row = key_table; row->act && count < UI_BAR_MAX; row++) {
			if (row->bar && bar_part(row) == part && !(row->where & ~where))
				out[count++] = row;
		}
	}
	return count;
}

/* Fills the last line: of each action the key that is shortest to write, and its word. */
static void set_function_bar(struct ui *u, unsigned where)
{
	const char *pairs[UI_BAR_MAX][2];
	const struct key_row *rows[UI_BAR_MAX];
	char names[UI_BAR_MAX][16];
	size_t count = bar_rows(where, rows);

	u->bar_count = 0;
	for (size_t i = 0; i < count; i++) {
		uint32_t key = keymap_key(&u->keys, rows[i], where);
		size_t n = u->bar_count;

		if (!key)
			continue;
		key_label(key, names[n]);
		pairs[n][0] = names[n];
		pairs[n][1] = _(rows[i]->bar);
		u->bar[u->bar_count++] = rows[i];
	}
	view_set_function_bar(u->view, pairs, u->bar_count);
	u->bar_where = where;
}

/* It changes with the view and the row. */
static void follow_function_bar(struct ui *u)
{
	unsigned where = ui_where(u);

	if (!u->bar_count || where != u->bar_where)
		set_function_bar(u, where);
}

/* Names a key in texts of the view. */
static bool name_key(const void *context, const char *action, char label[16])
{
	const struct ui *u = context;
	const struct key_row *row = key_named(action);
	uint32_t key = row ? keymap_key(&u->keys, row, row->where) : 0;

	if (key)
		key_label(key, label);
	return key;
}

const struct key_binding *ui_binding(const struct ui *u, uint32_t key)
{
	return keymap_find(&u->keys, key, ui_where(u));
}

void ui_do(struct ui *u, const struct key_binding *b)
{
	if (b->row)
		b->row->act(u, b->row);
	else if (view_show(u->view, b->view))
		ui_view_changed(u);
}

struct ui *ui_open(struct view *view, const struct ui_options *options,
		   const struct ui_actions *actions, struct error *err)
{
	struct ui *u = mem_alloc(sizeof(*u));

	if (terminal_open(&u->terminal, options->mouse, err)) {
		free(u);
		return NULL;
	}
	u->view = view;
	u->options = *options;
	u->actions = *actions;
	u->mode = &ui_table_mode;
	u->grid = grid_new(LINES, COLS);
	ui_set_theme(u, options->theme, options->color);
	keymap_init(&u->keys, options->keys, options->bindings);
	view_set_key_name(view, name_key, u);
	return u;
}

void ui_close(struct ui *u)
{
	if (!u)
		return;
	view_set_key_name(u->view, NULL, NULL);
	ui_leave_mode(u);
	terminal_close(&u->terminal);
	grid_free(u->grid);
	grid_free(u->shown);
	mem_free(u->message, u->search, u->filter, u->wanted, u->tasks, u);
}

void ui_leave_mode(struct ui *u)
{
	menu_free(u->menu);
	page_free(u->page);
	palette_free(u->palette);
	u->palette = NULL;
	u->menu = NULL;
	u->page = NULL;
	u->mode = &ui_table_mode;
}

void ui_message(struct ui *u, const char *text)
{
	free(u->message);
	u->message = text ? mem_strdup(text) : NULL;
}

void ui_say(struct ui *u, const char *format, ...)
{
	struct error text;
	va_list args;

	va_start(args, format);
	vsnprintf(text.text, sizeof(text.text), format, args);
	va_end(args);
	ui_message(u, text.text);
}

/* The next painting paints all. */
static void forget_shown(struct ui *u)
{
	grid_free(u->shown);
	u->shown = NULL;
}

void ui_set_theme(struct ui *u, const struct theme_colors *theme, bool color)
{
	theme_init(&u->theme, theme, color);
	forget_shown(u);
}

void ui_set_keys(struct ui *u, const char *scheme, const char *bindings)
{
	keymap_init(&u->keys, scheme, bindings);
	u->bar_count = 0; /* it has other keys now */
}

bool ui_paused(const struct ui *u)
{
	return u->paused;
}

static void table_mode_key(struct ui *u, uint32_t key)
{
	const struct key_binding *b = ui_binding(u, key);
	char label[16];

	if (b) {
		ui_do(u, b);
		return;
	}
	key_label(key, label);
	if (*label)
		ui_say(u, _("%s does nothing here: ? for help"), label);
}

static void table_mode_draw(struct ui *u)
{
	view_set_message(u->view, u->message);
	follow_function_bar(u);
	view_draw(u->view, u->grid);
}

static bool table_mode_move(struct ui *u, long rows)
{
	return view_move(u->view, rows);
}

static bool table_mode_page(struct ui *u, int pages)
{
	return view_page(u->view, pages);
}

/* Acts as if the key at COLUMN of the function bar had been pressed. */
static void bar_click(struct ui *u, int column)
{
	size_t pair = view_bar_at(u->view, column);

	if (pair < u->bar_count)
		u->bar[pair]->act(u, u->bar[pair]);
}

static void table_mode_click(struct ui *u, int row, int column, bool twice)
{
	if (u->leave_question) {
		u->leave_question = ui_in_last_row(u, row);
		if (u->leave_question)
			key_quit(u, NULL);
		return;
	}
	switch (view_click(u->view, row, column)) {
	case CLICK_AGAIN:
		if (twice && view_enter(u->view))
			ui_view_changed(u);
		break;
	case CLICK_VIEW:
		ui_view_changed(u);
		break;
	case CLICK_WINDOW:
		ui_window_changed(u);
		break;
	case CLICK_BAR:
		bar_click(u, column);
		break;
	default:
		break;
	}
}

const struct ui_mode ui_table_mode = { table_mode_key,  table_mode_draw,  table_mode_move,
				       table_mode_page, table_mode_click, false };

bool ui_in_last_row(const struct ui *u, int row)
{
	return row == grid_rows(u->grid) - 1;
}

uint32_t ui_hint_key(const char *hint, int column)
{
	const char *part = text_part(hint, text_part_at(_(hint), column - 1));
	char word[16];

	snprintf(word, sizeof(word), "%.*s", (int)strcspn(part, " "), part);
	return key_parse(word);
}

#define DOUBLE_CLICK_NS (400 * 1000000ull)
#define WHEEL_ROWS 3

static void handle_mouse(struct ui *u, const struct terminal_mouse *m)
{
	uint64_t now = clock_monotonic_ns(&clock_system);
	bool twice;

	if (m->wheel) {
		u->leave_question = false;
		if (u->mode->move)
			u->mode->move(u, m->wheel * WHEEL_ROWS);
		return;
	}
	twice = u->click.time_ns && now - u->click.time_ns < DOUBLE_CLICK_NS &&
		m->row == u->click.row && m->column == u->click.column;
	u->click = (struct ui_click){ twice ? 0 : now, m->row, m->column };
	if (u->mode->click)
		u->mode->click(u, m->row, m->column, twice);
}

/* Keys that mean the same in every mode but a prompt, where keys are letters. */
bool ui_is_shared(const struct key_row *row)
{
	return row && (row->act == key_move || row->act == key_page || row->act == key_back ||
		       row->act == key_quit);
}

void ui_view_changed(struct ui *u)
{
	u->actions.refresh(u->actions.context);
}

void ui_window_changed(struct ui *u)
{
	uint64_t from_ns, to_ns;

	view_window(u->view, &from_ns, &to_ns);
	u->actions.set_window(u->actions.context, from_ns, to_ns);
}

/*
 * Pasted text is no keys: one line of it could quit, or write a file.  A prompt takes its characters.  If
 * its end does not come, as when a connection breaks, silence ends it.
 */
static bool is_pasted(struct ui *u, uint32_t key)
{
	uint64_t now = clock_monotonic_ns(&clock_system);

	u->pasting &= now - u->pasted_ns < PASTE_PAUSE_NS;
	if (key == KEY_PASTE || key == KEY_PASTED) {
		u->pasting = key == KEY_PASTE;
		u->pasted_ns = now;
		return true;
	}
	if (!u->pasting)
		return false;
	u->pasted_ns = now;
	if (u->mode->typing)
		return key < ' ' || key >= KEY_SPECIAL;
	ui_say(u, _("pasted text is not taken for keys"));
	return true;
}

void ui_press(struct ui *u, uint32_t key)
{
	const struct key_binding *b = ui_binding(u, key);
	const struct key_row *row = b ? b->row : NULL;

	u->key = key;
	if (!row || row->act != key_quit)
		u->leave_question = false;
	if (ui_is_shared(row) && !u->mode->typing)
		row->act(u, row);
	else
		u->mode->key(u, key);
}

static void handle_key(struct ui *u, uint32_t key)
{
	struct terminal_mouse events[TERMINAL_MOUSE_MAX];
	size_t count = key == KEY_OF_CURSES(KEY_MOUSE) ? terminal_mouse(events) : 0;

	if (is_pasted(u, key))
		return;
	ui_message(u, NULL);
	for (size_t i = 0; i < count; i++)
		handle_mouse(u, &events[i]);
	if (key != KEY_OF_CURSES(KEY_MOUSE))
		ui_press(u, key);
}

bool ui_handle_keys(struct ui *u)
{
	uint32_t key = terminal_key(&u->terminal);

	if (!key && terminal_gone())
		return false;
	for (; key && !u->leaving; key = terminal_key(&u->terminal))
		handle_key(u, key);
	return !u->leaving;
}

static void draw_too_small(struct ui *u)
{
	grid_printf(u->grid, 0, 0, -1, STYLE_WARN, _("too small: %dx%d needed"), UI_COLUMNS_MIN,
		    UI_ROWS_MIN);
}

/* The refusal of a requested event becomes known only some time later. */
static void tell_refusal(struct ui *u)
{
	const struct snapshot *s = view_snapshot(u->view);

	for (size_t i = 0; u->requested && s && i < s->event_count; i++) {
		const struct snapshot_event *e = &s->events[i];

		if (e->id != u->requested)
			continue;
		if (e->error && !u->message)
			ui_say(u, _("%s is not measured: %s"), e->name, e->error);
		u->requested = EVENT_OTHER;
	}
}

bool ui_paint(struct ui *u)
{
	if (!terminal_writable())
		return false;
	u->cursor = -1;
	started_follow(u);
	tell_refusal(u);
	if (grid_rows(u->grid) != LINES || grid_columns(u->grid) != COLS)
		grid_resize(u->grid, LINES, COLS);
	grid_clear(u->grid);
	if (LINES < UI_ROWS_MIN || COLS < UI_COLUMNS_MIN)
		draw_too_small(u);
	else
		u->mode->draw(u);
	painter_paint(stdscr, &u->theme, u->grid, u->shown);
	if (!u->shown)
		u->shown = grid_new(0, 0);
	grid_copy(u->shown, u->grid);
	curs_set(u->cursor >= 0);
	if (u->cursor >= 0)
		move(LINES - 1, u->cursor < COLS ? u->cursor : COLS - 1);
	terminal_refresh(&u->terminal);
	return true;
}

void ui_resized(struct ui *u)
{
	forget_shown(u);
	terminal_resize();
}

void ui_redraw(struct ui *u)
{
	forget_shown(u);
	terminal_redraw();
}

void ui_stop(struct ui *u)
{
	u->actions.suspend(u->actions.context, true);
	terminal_stop(&u->terminal);
	forget_shown(u);
	u->actions.suspend(u->actions.context, false);
}

void ui_emergency_restore(void)
{
	terminal_emergency_restore();
}
