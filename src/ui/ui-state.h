/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_UI_UI_STATE_H
#define PTOP_UI_UI_STATE_H

#include "ui/actions.h"
#include "ui/prompt.h"
#include "ui/terminal.h"
#include "ui/theme.h"
#include "view/view.h"
#include "view/widget/menu.h"
#include "view/widget/page.h"

/*
 * The inside of struct ui, for the files of this folder.  At any moment one mode gets the keys: the
 * tables, a prompt, a menu or a page of text.
 */
struct ui;

struct ui_mode {
	void (*key)(struct ui *u, uint32_t key);
	void (*draw)(struct ui *u);            /* the whole of u->grid; sets u->cursor */
	bool (*move)(struct ui *u, long rows); /* NULL: movement keys do nothing */
	bool (*page)(struct ui *u, int pages);
	void (*click)(struct ui *u, int row, int column, bool twice); /* NULL: clicks do nothing */
};

struct ui_click { /* the last click: two make a double click */
	uint64_t time_ns;
	int row, column;
};

struct choice;
struct key_row;
struct question;

#define UI_STARTED_MAX 8 /* more than all views have */

struct ui_started {
	enum event_id id;
	int event; /* its index; -1: in no snapshot yet */
};

struct ui {
	struct view *view;
	struct ui_options options;
	struct ui_actions actions;
	struct terminal terminal;
	struct theme theme;
	struct grid *grid;
	const struct ui_mode *mode;
	int cursor;    /* its column in the last row, -1 hidden */
	char *message; /* shown in the last row until the next key, or NULL; owned */
	char *search;  /* the text that n and N search for, or NULL; owned */
	char *filter;  /* the filter before the present question, or NULL; owned */
	uint32_t key;  /* the newest key, for rows with several keys */
	struct ui_click click;
	bool paused, leaving;
	bool pasting;        /* keys are pasted text, */
	uint64_t pasted_ns;  /* of which the last one came then */
	bool leave_question; /* the previous key was q, and the question is shown */

	struct prompt prompt; /* while the mode is ui_prompt_mode */
	const struct question *question;
	struct menu *menu; /* while the mode is ui_menu_mode */
	const struct choice *choice;
	const struct view_kind *events_of; /* the view whose events were started; NULL: none */
	struct ui_started started[UI_STARTED_MAX]; /* events that run for a view alone */
	size_t started_count;
	size_t chosen;           /* the event that a prompt over its menu is about */
	enum event_id requested; /* requested for the view's columns; EVENT_OTHER: none */
	signed char *wanted;     /* of the event menu: see menus.c; owned */
	size_t wanted_count;
	struct page *page; /* while the mode is ui_page_mode */
};

extern const struct ui_mode ui_table_mode, ui_prompt_mode, ui_menu_mode, ui_page_mode;

void ui_leave_mode(struct ui *u); /* back to the tables */

/* started.c: starts the events of the view that is shown, and ends those of the one before. */
void started_follow(struct ui *u);

/* An event is the person's own from now on.  Returns true if it ran for a view alone. */
bool started_adopt(struct ui *u, size_t event);
bool started_adopt_text(struct ui *u, const char *text); /* as it is typed */

/* Requests snapshots of the window of time that the view wants. */
void ui_window_changed(struct ui *u);

/* The view shows something else, which the newest snapshot may lack: requests another one. */
void ui_view_changed(struct ui *u);
void ui_say(struct ui *u, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Open a prompt, a menu or the help: rows of the key table. */
void ask_search(struct ui *u, const struct key_row *row);
void ask_filter(struct ui *u, const struct key_row *row);
void ask_pids(struct ui *u, const struct key_row *row);
void ask_user(struct ui *u, const struct key_row *row);
void ask_delay(struct ui *u, const struct key_row *row);
void ask_file(struct ui *u, const struct key_row *row);
void ask_events(struct ui *u);             /* over the event menu: the event to add */
void ask_rate(struct ui *u, size_t event); /* and the sampling rate of one of them */
void menu_events(struct ui *u, const struct key_row *row);
void event_add(struct ui *u, const struct key_row *row); /* for the view of events */
void event_remove(struct ui *u, const struct key_row *row);
void event_switch(struct ui *u, const struct key_row *row);
void event_retune(struct ui *u, const struct key_row *row);
void menu_sort(struct ui *u, const struct key_row *row);
void page_help(struct ui *u, const struct key_row *row);

#endif
