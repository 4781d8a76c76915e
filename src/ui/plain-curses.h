/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_UI_PLAIN_CURSES_H
#define PTOP_UI_PLAIN_CURSES_H

/* Curses without its macros, whose names are words such as `move`, `filter` and `refresh`. */
#define NCURSES_NOMACROS 1
#include <curses.h>

#endif
