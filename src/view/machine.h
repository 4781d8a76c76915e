/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_VIEW_MACHINE_H
#define PTOP_VIEW_MACHINE_H

#include "view/widget/column.h"

/*
 * The figures of the whole machine, and of ptop, as columns of one row: the snapshot.  No list shows them; the
 * header draws some.
 */
extern const struct column machine_columns[]; /* ends with a row whose name is NULL */

#endif
