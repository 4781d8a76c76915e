/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/list/tables.h"

#include "base/i18n.h"

const struct column_table column_tables[CHOICE_TABLES] = {
	/* A recording knows no CPU time, and the first refresh of a live machine no difference of it. */
	[CHOICE_PROCESSES] = { "processes", "process.", N_("Columns of processes"),
			       process_columns, "%cpu samples% time+", true },
	[CHOICE_SYMBOLS] = { "symbols", "symbol.", N_("Columns of symbols"), symbol_columns,
			     "overhead%", true },
	[CHOICE_EVENTS] = { "events", "event.", N_("Columns of events"), event_columns, "", false },
	[CHOICE_OBJECTS] = { "objects", "object.", N_("Columns of objects"), object_columns,
			     "overhead%", false },
	[CHOICE_MAPPINGS] = { "mappings", "mapping.", N_("Columns of mappings"), mapping_columns,
			      "faults/s rss", false },
	[CHOICE_CALLS] = { "calls", "call.", N_("Columns of call trees"), call_columns, "total%",
			   false },
	[CHOICE_CODE] = { "instructions", "code.", N_("Columns of instructions"), code_columns,
			  "", false },
};
