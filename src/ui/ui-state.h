/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_UI_UI_STATE_H
#define PTOP_UI_UI_STATE_H

#include "ui/actions.h"
#include "ui/keymap.h"
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
	bool typing; /* keys are characters, also those that move elsewhere */
};

struct ui_click { /* the last click: two make a double click */
	uint64_t time_ns;
	int row, column;
};

struct palette;
struct question;

/* Lists to choose from.  They are filled anew from the newest snapshot at each drawing. */
struct choice {
	const char *title, *hint; /* N_() */
	void (*fill)(struct ui *u);
	void (*toggle)(struct ui *u, size_t item); /* for Space; or NULL */
	bool (*accept)(struct ui *u, size_t item); /* for Enter; returns true to close the menu */
	const struct chooser_key *keys;            /* other keys; NULL, or ends with key 0 */
	bool jumps;                                /* letters select the next item that begins so */
	/* For Esc, which gives up, and for the key that quits; returns true to close the menu, as NULL does. */
	bool (*leave)(struct ui *u, bool give_up);
};

struct chooser_key {
	uint32_t key;
	void (*act)(struct ui *u, size_t item);
};

#define UI_BAR_MAX 32
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
	struct grid *shown; /* as painted last; NULL: the window may have something else */
	const struct ui_mode *mode;
	int cursor;    /* its column in the last row, -1 hidden */
	char *message; /* shown in the last row, in menus above it, until the next key; NULL; owned */
	char *search; /* the text that n and N search for, or NULL; owned */
	char *filter; /* the filter before the present question, or NULL; owned */
	uint32_t key; /* the newest key, for rows with several keys */
	struct keymap keys;
	const struct key_row *bar[UI_BAR_MAX]; /* what the last line has, */
	size_t bar_count;
	unsigned bar_where; /* for that */
	struct ui_click click;
	bool paused, leaving;
	bool pasting;        /* keys are pasted text, */
	uint64_t pasted_ns;  /* of which the last one came then */
	bool leave_question; /* the previous key was q, and the question is shown */

	struct prompt prompt; /* while the mode is ui_prompt_mode */
	const struct question *question;
	struct menu *menu; /* while the mode is ui_menu_mode */
	const struct choice *choice;
	struct palette *palette; /* while the mode is ui_palette_mode; owned */
	size_t setup_pane;       /* the list whose columns the setup shows */
	bool in_setup,
		setup_changed; /* the setup, or a menu of it, is open; something differs from the file */
	const struct view_kind *events_of; /* the view whose events were started; NULL: none */
	struct ui_started started[UI_STARTED_MAX]; /* events that run for a view alone */
	size_t started_count;
	uint32_t columns_want;   /* events that columns need: bits 1 << enum event_id */
	uint32_t counted;        /* likewise, those that are counted for columns chosen meanwhile */
	size_t chosen;           /* the event that a prompt over its menu is about */
	enum event_id requested; /* requested for the view's columns; EVENT_OTHER: none */
	signed char *wanted;     /* of the event menu: see menus.c; owned */
	size_t wanted_count;
	struct page *page;        /* while the mode is ui_page_mode or ui_facts_mode */
	struct ui_task described; /* in the latter mode: whom, */
	bool environment_shown;   /* with its variables, */
	bool facts_complete;      /* and nothing more comes */
	struct ui_task *tasks;    /* those that a question is about; owned */
	size_t task_count;
	int signal; /* that they would get */
};

extern const struct ui_mode ui_table_mode, ui_prompt_mode, ui_menu_mode, ui_page_mode, ui_yes_mode;
extern const struct ui_mode ui_palette_mode, ui_facts_mode;

unsigned ui_where(const struct ui *u); /* bits of enum key_where */
const struct key_binding *ui_binding(const struct ui *u,
				     uint32_t key); /* NULL: it does nothing here */
void ui_do(struct ui *u, const struct key_binding *b);
/* Keys that mean the same in every mode but those of typing: to move, to leave. */
bool ui_is_shared(const struct key_row *row);

void ui_leave_mode(struct ui *u); /* back to the tables */
void ui_leave_menu(struct ui *u,
		   bool give_up); /* likewise, or to the menu before; also for other modes */

/* Movement and clicks in modes that show u->menu.  A double click is the key Return. */
bool ui_menu_move(struct ui *u, long rows);
bool ui_menu_page(struct ui *u, int pages);
void ui_menu_click(struct ui *u, int row, int column, bool twice);

/*
 * For clicks in modes that have no table.  ui_press() handles KEY as if it had been typed.  ui_hint_key() returns the key
 * that HINT (N_()), which is drawn in the last row, names at the beginning of its part in COLUMN; 0: none.
 */
void ui_press(struct ui *u, uint32_t key);
uint32_t ui_hint_key(const char *hint, int column);
bool ui_in_last_row(const struct ui *u, int row);

/* Writes the configuration, and says so, or why not.  Returns true if it did. */
bool ui_write_config(struct ui *u);

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
/* Sets option NUMBER to VALUE; with "" turns a switch over, and asks for another's value. */
void ui_set_option(struct ui *u, const char *name, const char *value); /* says what came of it */
void ui_change_option(struct ui *u, size_t number, const char *value);
/* setup.c: a menu of the words that option NUMBER may have; returns false if it has none. */
bool ui_choose_value(struct ui *u, size_t number);

/* The two questions about u->tasks, with an answer to begin with. */
void ask_task_cpus(struct ui *u, const char *answer);
void ask_task_io(struct ui *u, const char *answer);
void ask_events(struct ui *u);             /* over the event menu: the event to add */
void ask_rate(struct ui *u, size_t event); /* and the sampling rate of one of them */
void ui_open_menu(struct ui *u, const struct choice *choice,
		  const char *title); /* TITLE NULL: its own */
void menu_events(struct ui *u, const struct key_row *row);
void event_add(struct ui *u, const struct key_row *row); /* for the view of events */
void event_remove(struct ui *u, const struct key_row *row);
void event_switch(struct ui *u, const struct key_row *row);
void event_retune(struct ui *u, const struct key_row *row);
void menu_sort(struct ui *u, const struct key_row *row);
void page_help(struct ui *u, const struct key_row *row);
void page_facts(struct ui *u, const struct key_row *row);
bool page_mode_move(struct ui *u, long rows);
bool page_mode_page(struct ui *u, int pages);
void page_mode_click(struct ui *u, int row, int column, bool twice);
void menu_setup(struct ui *u, const struct key_row *row);
void palette_open(struct ui *u, const struct key_row *row);
void palette_free(struct palette *p); /* NULL is allowed */

/* P of the shown snapshot, as a person sees it now. */
struct ui_task ui_task_of(const struct ui *u, const struct snapshot_process *p);

/* acts.c: what changes processes.  Each says what it did, or why it could not, in the last line. */
void act_kill(struct ui *u, const struct key_row *row);
void act_nice(struct ui *u, const struct key_row *row); /* its argument is added to nice values */
void act_tag(struct ui *u, const struct key_row *row);
void act_tag_tree(struct ui *u, const struct key_row *row);
void act_untag(struct ui *u, const struct key_row *row);
void act_follow(struct ui *u, const struct key_row *row);
void ask_cpus(struct ui *u, const struct key_row *row);
void ask_io(struct ui *u, const struct key_row *row);
/* The answers to the last two.  0, or -1 with ERR set. */
int acts_set_cpus(struct ui *u, const char *text, struct error *err);
int acts_set_io(struct ui *u, const char *text, struct error *err);

#endif
