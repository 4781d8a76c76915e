/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_SYMBOL_LINE_ROWS_H
#define PTOP_SYMBOL_LINE_ROWS_H

#include <stdint.h>

#include "base/bytes.h"

/*
 * The number of rows that a line number program makes (DWARF 5, 6.2).  A byte of it can make a row,
 * for which libdw allocates a hundred; so they are counted before libdw gets it.  PROGRAM begins
 * where the unit's table begins in .debug_line.
 *
 * In a damaged table these are the rows in front of the damage.  *SIZE gets the bytes of the table.
 */
uint64_t line_rows(struct bytes program, uint64_t *size);

#endif
