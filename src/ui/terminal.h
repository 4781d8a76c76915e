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

/*
 * Taking the terminal over and giving it back, in every way in which a program can end.
 */
struct terminal {
	SCREEN *screen;
	FILE *input;			/* see input_open() */
	struct termios before;		/* the line's settings, to be put back */
};

/* With MOUSE its clicks are keys: see terminal_mouse(). */
int terminal_open(struct terminal *t, bool mouse, struct error *err);
void terminal_close(struct terminal *t);

/* The next key, encoded as in key.h, every Enter as KEY_RETURN; 0 when there is none now. */
uint32_t terminal_key(void);

/* What a mouse did. */
struct terminal_mouse {
	int row, column;
	int wheel;			/* -1 up, 1 down; 0: a press of the first button */
};
#define TERMINAL_MOUSE_MAX 16		/* curses keeps fewer */

/* All that is behind one key KEY_MOUSE of curses, in EVENTS, the oldest first; how many. */
size_t terminal_mouse(struct terminal_mouse events[TERMINAL_MOUSE_MAX]);

/* Whether the line has hung up: it is readable for ever, and there is nothing to read. */
bool terminal_gone(void);

/* Whether writing would not block: the terminal reads, and nobody pressed Ctrl-S. */
bool terminal_writable(void);

/* Follows the size of the window. */
void terminal_resize(void);

/* Gives it back for the time of a job-control stop, which happens in here, and takes it again. */
void terminal_stop(struct terminal *t);

/* Sets it up again and draws everything anew, after others may have used it. */
void terminal_redraw(void);

#endif
