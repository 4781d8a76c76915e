/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_APP_SIGNALS_H
#define PTOP_APP_SIGNALS_H

#include <signal.h>
#include <stdbool.h>

#include "base/error.h"

/*
 * Signals as things to read: all that ptop acts on are blocked, in every thread that is started
 * later too, and arrive at one descriptor.  No handler runs, so no lock is ever taken in one.
 *
 * The exception is a crash: signals_catch_crash() installs a handler that only calls RESTORE, which
 * must be async-signal-safe, and then lets the signal do what it would have done.
 */
struct signals {
	int fd;          /* readable when one is there; for poll(2) */
	sigset_t before; /* the mask that a command is started with */
};

/* INTERACTIVE: also those of a terminal and of job control, which else do what they always do. */
int signals_open(struct signals *s, bool interactive, struct error *err);
void signals_close(struct signals *s);

struct signal_event {
	int number;
	bool from_terminal; /* typed: the whole foreground process group has got it */
};

bool signals_next(struct signals *s, struct signal_event *event); /* false: no more now */

/* In a child before exec: mask and dispositions as this process was started with. */
void signals_reset_child(const struct signals *s);

void signals_catch_crash(void (*restore)(void));

#endif
