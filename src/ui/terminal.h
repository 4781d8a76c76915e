/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_UI_TERMINAL_H
#define PTOP_UI_TERMINAL_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <termios.h>

#include "ui/plain-curses.h"

#include "base/error.h"

/* Takes the terminal over and gives it back, however the program ends. */
struct terminal {
	SCREEN *screen;
	WINDOW *keys; /* keys are read through it; a pad, for which curses writes nothing */
	FILE *input;  /* see input_open() */
	struct termios before; /* the terminal's settings, to be restored */
	bool updates;          /* it has synchronized updates, as it answered */
	uint64_t asked_ns;     /* when it was asked for them; 0: not, or it answered */
};

/* With MOUSE, clicks arrive as keys: see terminal_mouse(). */
int terminal_open(struct terminal *t, bool mouse, struct error *err);
void terminal_close(struct terminal *t);

/* Returns the next key, encoded as in key-code.h, KEY_PASTE and KEY_PASTED around what is pasted, every Enter as KEY_RETURN; 0 if there is none now. */
uint32_t terminal_key(struct terminal *t);

/* One action of the mouse. */
struct terminal_mouse {
	int row, column;
	int wheel; /* -1 up, 1 down; 0: the first button was pressed */
};
#define TERMINAL_MOUSE_MAX 16 /* curses keeps fewer */

/*
 * Stores all actions behind one KEY_MOUSE of curses in EVENTS, the oldest first, and returns their
 * number.
 */
size_t terminal_mouse(struct terminal_mouse events[TERMINAL_MOUSE_MAX]);

/*
 * Returns true if the terminal has hung up: it is then always readable, without anything to read.
 */
bool terminal_gone(void);

/* Returns true if writing would not block: the terminal reads, and nobody pressed Ctrl-S. */
bool terminal_writable(void);

/*
 * Sends what changed in curses' screen.  A terminal with synchronized updates, which is asked at terminal_open() and
 * may answer at any time, shows all of it at once: nothing tears on a slow line.
 */
void terminal_refresh(const struct terminal *t);

/* Follows the size of the window. */
void terminal_resize(void);

/*
 * Gives the terminal back during a job-control stop, which happens within the call, and takes it
 * again.
 */
void terminal_stop(struct terminal *t);

/*
 * Async-signal-safe: restores the terminal with what terminal_open() saved.  No effect if no
 * terminal was taken.
 */
void terminal_emergency_restore(void);

/*
 * Sets the terminal up again, after others may have used it; the next refresh() redraws everything.  To a
 * terminal that somebody stopped (Ctrl-S) it writes nothing, because that would hold the caller.
 */
void terminal_redraw(void);

#endif
