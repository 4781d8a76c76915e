/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_TESTS_GOLDEN_H
#define PTOP_TESTS_GOLDEN_H

#include <stdbool.h>

#include "base/buf.h"
#include "view/widget/grid.h"

/*
 * Fails the test when G is not what tests/view/golden/NAME.txt holds, and shows both.  With
 * GENERATE set in the environment the file is written instead: look at the difference before
 * committing it.
 */
void golden_check(const struct grid *g, const char *name);
void golden_check_text(const struct buf *is, const char *name); /* likewise */

/* Sets a UTF-8 locale and UTC, which golden screens need; false when there is no such locale. */
bool golden_locale(void);

#endif
