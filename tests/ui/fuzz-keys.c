/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fuzz/fuzz.h"

#include <fcntl.h>
#include <locale.h>
#include <pty.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "model/walker.h"
#include "ui/plain-curses.h"
#include "ui/terminal.h"

/*
 * Input: what a terminal sends, keys, mouse reports and nonsense, decoded by curses and handled by the
 * program's own keys over a world of tests/model.  From time to time some of that world's time goes by,
 * so views have rows.
 */
#define PIECE 32u          /* bytes between two looks at the keys; a terminal has room for more */
#define STEP_NS 100000000u /* of the world, behind each piece */
#define CONTINUE "\021" /* Ctrl-Q, for who typed Ctrl-S: the terminal shows again what is written */
#define SUSPEND '\032'  /* Ctrl-Z: stops this program, as it should */

const struct fuzz_bound fuzz_bound = { 1000000, 2000000, 65536, 4096 };

static struct {
	int master;
	struct terminal terminal;
} tty;

static void cleanup(void)
{
	terminal_close(&tty.terminal);
}

/* Standard input and output are the terminal, as ptop's are. */
static void setup(void)
{
	const struct winsize size = { .ws_row = 24, .ws_col = 80 };
	struct error err = { "" };
	int slave;

	if (tty.terminal.screen)
		return;
	setlocale(LC_ALL, "C.UTF-8");
	if (setenv("TERM", "xterm-256color", 1) ||
	    openpty(&tty.master, &slave, NULL, NULL, &size) || dup2(slave, 0) < 0 ||
	    dup2(slave, 1) < 0 || fcntl(tty.master, F_SETFL, O_NONBLOCK))
		abort();
	close(slave);
	if (terminal_open(&tty.terminal, true, &err)) {
		fprintf(stderr, "%s\n", err.text);
		abort();
	}
	set_escdelay(0);
	atexit(cleanup);
}

/* Written bytes must be read, or the next write would wait. */
static void drain(void)
{
	char text[4096];

	while (read(tty.master, text, sizeof(text)) > 0)
		;
}

static void type(const uint8_t *data, size_t size)
{
	char piece[PIECE];

	for (size_t i = 0; i < size; i++)
		piece[i] = data[i] == SUSPEND ? ' ' : (char)data[i];
	if (write(tty.master, piece, size) != (ssize_t)size)
		abort();
}

static void step(struct walker *w, struct step s)
{
	struct error err = { "" };

	if (walker_step(w, &s, &err)) {
		fprintf(stderr, "%s\n", err.text);
		abort();
	}
}

int fuzz_input(const uint8_t *data, size_t size)
{
	struct walker *w;

	setup();
	flushinp(); /* half a key of the input before */
	w = walker_new(1);
	*walker_terminal(w) = tty.terminal;
	for (size_t at = 0; at < size; at += PIECE) {
		type(data + at, size - at < PIECE ? size - at : PIECE);
		step(w, (struct step){ .kind = STEP_TYPED });
		drain();
		step(w, (struct step){ .kind = STEP_RUN, .a = STEP_NS, .b = at });
	}
	walker_free(w);
	type((const uint8_t *)CONTINUE, strlen(CONTINUE));
	return 0;
}
