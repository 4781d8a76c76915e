/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_UI_KEY_CODE_H
#define PTOP_UI_KEY_CODE_H

#include <stdint.h>

/* A key is the Unicode character that it sends, or KEY_SPECIAL plus curses' code for it. */
#define KEY_SPECIAL 0x1000000u /* above all of Unicode */
#define KEY_OF_CURSES(key) (KEY_SPECIAL + (uint32_t)(key))
/* Around what is pasted; above all codes of curses. */
#define KEY_PASTE (KEY_SPECIAL + 0x1000)
#define KEY_PASTED (KEY_SPECIAL + 0x1001)
#define KEY_CTRL(letter) ((uint32_t)(letter)&0x1f)
#define KEY_ESC 27u
#define KEY_RETURN KEY_CTRL('M')
#define KEY_TABULATOR KEY_CTRL('I')

#endif
