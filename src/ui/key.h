/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_UI_KEY_H
#define PTOP_UI_KEY_H

#include "ui/key-code.h"
#include "ui/keymap.h"

struct ui;

/* Movement, the same in tables, menus and pages; `argument` is a number of rows or pages. */
void key_move(struct ui *u, const struct key_row *row);
void key_page(struct ui *u, const struct key_row *row);
void key_back(struct ui *u, const struct key_row *row); /* Esc */
void key_quit(struct ui *u, const struct key_row *row);

#endif
