/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_UI_STATE_H
#define PTOP_UI_STATE_H

#include "ui/key.h"
#include "ui/prompt.h"
#include "ui/terminal.h"
#include "ui/theme.h"
#include "ui/ui.h"
#include "view/menu.h"
#include "view/page.h"

/*
 * The inside of struct ui, for the files of this folder.  At any moment one mode has the keys: the
 * tables, a prompt, a menu or a page of text.
 */
struct ui_mode {
	void (*key)(struct ui *u, uint32_t key);
	void (*draw)(struct ui *u);			/* the whole of u->grid; sets u->cursor */
	bool (*move)(struct ui *u, long rows);		/* NULL: the movement keys mean nothing */
	bool (*page)(struct ui *u, int pages);
	void (*click)(struct ui *u, int row, int column, bool twice);	/* NULL: means nothing */
};

struct ui_click {			/* the last one: two make a double click */
	uint64_t time_ns;
	int row, column;
};

struct question;
struct choice;

struct ui {
	struct view *view;
	struct ui_options options;
	struct ui_actions actions;
	struct terminal terminal;
	struct theme theme;
	struct grid *grid;
	const struct ui_mode *mode;
	int cursor;			/* column in the last row where it is shown, -1 nowhere */
	char *message; /* said in the last row until the next key, or NULL; owned */
	char *search;			/* what n and N look for, or NULL; owned */
	char *filter;			/* as it was when another was asked for, or NULL; owned */
	uint32_t key;			/* the newest, for rows of several */
	struct ui_click click;
	bool paused, leaving;
	bool asked_to_leave; /* the key before this one was q, and there was a question */

	struct prompt prompt;		/* while the mode is ui_prompt_mode */
	const struct question *question;
	struct menu *menu;		/* while the mode is ui_menu_mode */
	const struct choice *choice;
	size_t chosen;			/* the event that a prompt over its menu asks about */
	const char *asked;		/* an event that its view is of as well; NULL: not looked for */
	signed char *wanted;		/* of the event menu: see menus.c; owned */
	size_t wanted_count;
	struct page *page;		/* while the mode is ui_page_mode */
};

extern const struct ui_mode ui_table_mode, ui_prompt_mode, ui_menu_mode, ui_page_mode;

void ui_leave_mode(struct ui *u);		/* back to the tables */

/* The view wants another window of time. */
void ui_window_changed(struct ui *u);

/* The view shows something else, which may need what the newest snapshot has not: asks for one. */
void ui_view_changed(struct ui *u);
void ui_say(struct ui *u, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Open a prompt or a menu, or the help: rows of the key table. */
void ask_search(struct ui *u, const struct key_row *row);
void ask_filter(struct ui *u, const struct key_row *row);
void ask_pids(struct ui *u, const struct key_row *row);
void ask_user(struct ui *u, const struct key_row *row);
void ask_delay(struct ui *u, const struct key_row *row);
void ask_file(struct ui *u, const struct key_row *row);
void ask_events(struct ui *u);			/* over the event menu: which to add */
void ask_rate(struct ui *u, size_t event);	/* and how often to sample one of them */
void menu_events(struct ui *u, const struct key_row *row);
void event_add(struct ui *u, const struct key_row *row);	/* of the view of events */
void event_remove(struct ui *u, const struct key_row *row);
void event_switch(struct ui *u, const struct key_row *row);
void event_retune(struct ui *u, const struct key_row *row);
void menu_sort(struct ui *u, const struct key_row *row);
void page_help(struct ui *u, const struct key_row *row);

#endif
