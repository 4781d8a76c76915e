/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/account.h"

#include "base/i18n.h"

/* clang-format off */
const struct account_row account_rows[ACCOUNT_TABLES] = {
	/* These are read again when they are wanted, so they go first. */
	[ACCOUNT_RULES]     = { "unwind_rules", N_("unwinding rules"), 250, 0, 20 },
	[ACCOUNT_SYMBOLS]   = { "symbols", N_("symbols"), 500, 0, 60 },
	[ACCOUNT_MAPPINGS]  = { "mappings", N_("mappings"), 188, 0, 30 },
	/* These lose something: idle groups, the oldest moments, the callers of the lightest cells. */
	[ACCOUNT_GROUPS]    = { "groups", N_("control groups"), 40, 30, 20 },
	[ACCOUNT_PAST]      = { "past", N_("the past"), 125, 0, 20 },
	[ACCOUNT_STACKS]    = { "stacks", N_("stacks"), 80, 0, 30 },
	[ACCOUNT_CELLS]     = { "cells", N_("cells"), 110, 0, 110 },
	/* Numbers of these are in snapshots: they stay. */
	[ACCOUNT_FUNCTIONS] = { "functions", N_("functions"), 250, 160, 250 },
	[ACCOUNT_INLINED]   = { "inlined", N_("inlined functions"), 100, 0, 100 },
	[ACCOUNT_DATA]      = { "data", N_("mappings of data"), 40, 0, 40 },
	[ACCOUNT_OBJECTS]   = { "objects", N_("objects"), 120, 94, 120 },
	[ACCOUNT_TASKS]     = { "tasks", N_("tasks"), 200, 150, 200 },
	[ACCOUNT_WORKERS]   = { "workers", N_("workers"), 350, 0, 350 },
};
/* clang-format on */

static uint64_t part(uint64_t limit, unsigned thousandths)
{
	return (limit ? limit : ACCOUNT_BYTES) / 1000 * thousandths;
}

uint64_t account_most(uint64_t limit, enum account_table table)
{
	return part(limit, account_rows[table].most);
}

uint64_t account_user(uint64_t limit, enum account_table table)
{
	const struct account_row *row = &account_rows[table];

	return part(limit, row->user ? row->user : row->most);
}

uint64_t account_least(uint64_t limit, enum account_table table)
{
	return part(limit, account_rows[table].least);
}
