/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_UI_UI_H
#define PTOP_UI_UI_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "view/view.h"

/*
 * The terminal: curses, keys, prompts, menus.  It draws a view and turns keys into calls on it;
 * what reaches beyond the screen goes through the callbacks, which app/ fills in.  Main thread
 * only.
 */
struct ui_actions {
	void *context;
	void (*enable_event)(void *context, size_t event, bool enabled);
	/* TEXT is events as for -e.  0, or -1 with ERR set when that cannot be. */
	int (*add_events)(void *context, const char *text, struct error *err);
	void (*remove_event)(void *context, size_t event);
	/* A sampled event: FREQ_HZ, or when that is 0 PERIOD. */
	void (*retune_event)(void *context, size_t event, uint64_t freq_hz, uint64_t period);
	void (*set_delay)(void *context, double seconds);	/* already checked: 0.1 to 3600 */
	void (*set_zero_mode)(void *context, bool zero);
	void (*zero)(void *context);
	void (*set_threads)(void *context, bool threads);
	/* Snapshots are of that window from now on; both 0: of now. */
	void (*set_window)(void *context, uint64_t from_ns, uint64_t to_ns);
	void (*refresh)(void *context);				/* ask for a snapshot now */
	void (*suspend)(void *context, bool suspended);		/* around a job-control stop */
	int (*write_snapshot)(void *context, const char *path, struct error *err);	/* key P */
	int (*write_config)(void *context, struct error *err); /* key W; may be NULL */
	/* What leaving would break, as a question for the person, or NULL.  May itself be NULL. */
	const char *(*before_leaving)(void *context);
};

struct ui_options {
	bool color;			/* --no-color, NO_COLOR, TERM=dumb are already in it */
	bool ascii;
	bool mouse;			/* clicks and the wheel come to us, not to the terminal */
	double delay_s;
	bool zero;
	double half_life_s;
};

#define UI_DELAY_MIN_S 0.1
#define UI_DELAY_MAX_S 3600

/* Smaller terminals get a line that says so instead of the tables. */
#define UI_ROWS_MIN    10
#define UI_COLUMNS_MIN 40

struct ui;

/*
 * Takes the terminal of the standard input and output over.  NULL with ERR set when there is none,
 * or none that curses knows.  VIEW and ACTIONS are borrowed until ui_close(), OPTIONS is copied.
 */
struct ui *ui_open(struct view *view, const struct ui_options *options,
		   const struct ui_actions *actions, struct error *err);

/* Gives the terminal back, in the state in which it was.  NULL is allowed. */
void ui_close(struct ui *u);

/* Reads the keys that are there and acts on them.  false: the person leaves, or has gone. */
bool ui_handle_keys(struct ui *u);

/*
 * Draws the view, and on the terminal what changed.  false, and nothing done, when the terminal
 * takes no output now: call again when it is writable.
 */
bool ui_paint(struct ui *u);

bool ui_paused(const struct ui *u);
void ui_resized(struct ui *u);			/* after SIGWINCH */
void ui_stop(struct ui *u); /* SIGTSTP: restores the terminal, stops, comes back */
void ui_redraw(struct ui *u);			/* SIGCONT: others may have used the terminal */

/* Says TEXT, which is copied, in the last row until the next key; NULL takes it away. */
void ui_message(struct ui *u, const char *text);

/*
 * Async-signal-safe: puts the terminal back with what was saved at ui_open().  For the handler of
 * SIGSEGV and the like; no effect when no terminal was taken.
 */
void ui_emergency_restore(void);

#endif
