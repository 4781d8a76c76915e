/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_UI_UI_H
#define PTOP_UI_UI_H

#include <stdbool.h>

#include "base/error.h"
#include "ui/actions.h"
#include "ui/themes.h"
#include "view/view.h"

/*
 * The terminal: curses, keys, prompts, menus.  It draws a view and turns keys into calls on the
 * view.  For the main thread only.
 */
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

/* Other colours, other keys from now on, as ui_options has them. */
void ui_set_theme(struct ui *u, const struct theme_colors *theme, bool color);
void ui_set_keys(struct ui *u, const char *scheme, const char *bindings);

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
