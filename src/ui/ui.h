/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_UI_UI_H
#define PTOP_UI_UI_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "view/view.h"

/*
 * The terminal: curses, keys, prompts, menus.  It draws a view and turns keys into calls on the
 * view.  Callbacks, which app/ fills in, do what reaches beyond the screen.  For the main thread
 * only.
 */
struct ui_actions {
	void *context;
	void (*enable_event)(void *context, size_t event, bool enabled);
	/* TEXT holds events as for -e.  Returns 0, or -1 with ERR set if they cannot be added. */
	int (*add_events)(void *context, const char *text, struct error *err);
	int (*add_event)(void *context, enum event_id id, struct error *err); /* likewise */
	void (*remove_event)(void *context, size_t event);
	/* Samples an event with FREQ_HZ or, if that is 0, with PERIOD. */
	void (*retune_event)(void *context, size_t event, uint64_t freq_hz, uint64_t period);
	void (*set_delay)(void *context, double seconds); /* already checked: 0.1 to 3600 */
	void (*set_zero_mode)(void *context, bool zero);
	void (*zero)(void *context);
	void (*set_threads)(void *context, bool threads);
	/* From now on snapshots are of this window; both 0: of now. */
	void (*set_window)(void *context, uint64_t from_ns, uint64_t to_ns);
	void (*refresh)(void *context);                 /* requests a snapshot at once */
	void (*suspend)(void *context, bool suspended); /* around a job-control stop */
	int (*write_snapshot)(void *context, const char *path, struct error *err); /* key P */
	int (*write_config)(void *context, struct error *err); /* key W; may be NULL */
	/*
	 * The question to ask before leaving, which says what would break; NULL: none.  May itself
	 * be NULL.
	 */
	const char *(*before_leaving)(void *context);
};

struct ui_options {
	bool color; /* takes --no-color, NO_COLOR and TERM=dumb into account */
	bool ascii;
	bool mouse; /* clicks and the wheel come to ptop, not to the terminal */
	double delay_s;
	bool zero;
	double half_life_s;
};

#define UI_DELAY_MIN_S 0.1
#define UI_DELAY_MAX_S 3600

/* A smaller terminal shows a line about its size instead of the tables. */
#define UI_ROWS_MIN 10
#define UI_COLUMNS_MIN 40

struct ui;

/*
 * Takes over the terminal of standard input and output.  VIEW and ACTIONS are borrowed until
 * ui_close(); OPTIONS is copied.  Returns NULL with ERR set if there is no terminal, or none that
 * curses knows.
 */
struct ui *ui_open(struct view *view, const struct ui_options *options,
		   const struct ui_actions *actions, struct error *err);

/* Gives the terminal back in its former state.  NULL is allowed. */
void ui_close(struct ui *u);

/* Reads the available keys and acts on them.  Returns false if the person leaves or has gone. */
bool ui_handle_keys(struct ui *u);

/*
 * Draws the view, and sends what changed to the terminal.  Returns false, and does nothing, if the
 * terminal takes no output now: call it again when the terminal is writable.
 */
bool ui_paint(struct ui *u);

bool ui_paused(const struct ui *u);
void ui_resized(struct ui *u); /* after SIGWINCH */
void ui_stop(struct ui *u);    /* SIGTSTP: restores the terminal, stops, comes back */
void ui_redraw(struct ui *u);  /* SIGCONT: others may have used the terminal */

/* Shows TEXT, which is copied, in the last row until the next key; NULL removes it. */
void ui_message(struct ui *u, const char *text);

/*
 * Async-signal-safe: restores the terminal with what was saved at ui_open().  For the handler of
 * SIGSEGV and the like; no effect if no terminal was taken.
 */
void ui_emergency_restore(void);

#endif
