/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_VIEW_COLUMN_H
#define PTOP_VIEW_COLUMN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profile/callgraph.h"
#include "profile/snapshot.h"
#include "view/grid.h"
#include "view/share.h"
#include "view/tree.h"

/*
 * Columns are rows of tables, one for each kind of rows that a list can have: the parser of --columns
 * and --sort, the header line, the help screen, the man page check, csv and the tests read them.
 */
enum column_align { ALIGN_LEFT, ALIGN_RIGHT };
enum column_time { TIME_NONE, TIME_ANY, TIME_OFF_CPU };	/* each is of the one before, too */
enum column_type { COLUMN_TEXT, COLUMN_NUMBER };
enum { CHOICE_PROCESSES, CHOICE_SYMBOLS, CHOICE_EVENTS, CHOICE_OBJECTS, CHOICE_MAPPINGS, CHOICE_CALLS,
       CHOICE_CODE,
       CHOICE_TABLES };

/* A symbol-table row: cells of one event folded by the view. */
struct symbol_row {
	uint16_t event;
	uint32_t frame;
	uint32_t data;			/* see struct snapshot_cell; 0 when folded over all */
	uint32_t process;		/* serial; like pid and tid 0 when folded over all */
	uint32_t pid, tid;
	const char *comm;		/* borrowed; NULL when folded over all, or unknown */
	double samples, period;
	double overhead_percent;	/* the share of its period, see view/share.h */
	double base;			/* period in the base; 0 without */
	double delta_percent;		/* overhead, less that in the base; NAN without one */
	double longest;			/* of the periods */
	/*
	 * What the symbol counted, by event; NAN absent, borrowed.  `sampled` is the periods of an
	 * event's own samples, `credited` the counters' increase up to samples of the event shown.
	 */
	const double *sampled, *credited;
};

/* An object's row: its cells of one event. */
struct object_row {
	uint32_t object;		/* frame_object() */
	const char *path, *name;	/* a kernel module's own, whose object is the kernel */
	double samples, period;
	double overhead_percent;	/* as a symbol's; as are the next two */
	double base, delta_percent;
	double unresolved;		/* of its samples those without a symbol */
	const struct snapshot_object *info;	/* NULL: not known */
};

/* A mapping's row, or that of all with its path. */
struct mapping_row {
	const char *path, *name;
	double faults, major;		/* of the time that the cells stand for; NAN not sampled */
	double base;			/* faults in the base; 0 without */
	double delta_percent;		/* its share of all faults, less that in the base; NAN without one */
	uint64_t count;			/* mappings; 0: not known */
	struct snapshot_usage usage;	/* of the one process whose mappings are known */
};

/* A row of stacks: an open place of a call tree, or one side of a function. */
struct call_row {
	uint32_t item;			/* of the call graph; 0 in none */
	uint32_t frame;
	uint64_t key;			/* of its path: the same in all snapshots */
	double total, self;		/* period */
	double base;			/* the total of this path in the base; 0 without one */
	double total_percent, self_percent;	/* as a symbol's overhead */
	double parent_percent;		/* the total, of that of the row above it in the tree */
	const struct calls_waits *waits;	/* how far the sums beside are known; borrowed */
	struct callgraph_beside beside;		/* of run-delay; PART: of the total what was preempted */
	double delta_percent;		/* the share of the total, less that in the base; NAN without one */
	struct tree_place place;
};

/* What an event of time has besides its own sum. */
struct calls_waits {
	bool time;			/* the event is one, */
	bool waits;			/* of waiting alone */
	int delay_event;		/* the one of delays, or -1: not measured */
};

struct code_row;			/* view/code-rows.h */

/* What a column reads: one of the rows is there, the others are NULL.  All is borrowed. */
struct column_row {
	const struct snapshot *snapshot;
	const struct snapshot_process *process;
	const struct symbol_row *symbol;
	const struct snapshot_event *event;
	const struct object_row *object;
	const struct mapping_row *mapping;
	const struct call_row *call;
	const struct code_row *code;
	double samples;			/* the process's, of the event that the view shows; NAN: none can be */
	double base_samples;		/* the same in the base */
	double shown;			/* those of them that are shown; NAN */
	double samples_percent;		/* their share */
	double delta_percent;		/* of the process's share, of the event's rate; NAN without a base */
	bool full_command;		/* COMMAND shows the command line, else the comm */
	bool scattered;			/* of code: rows are not as they lie in the function */
	const struct tree_place *place;	/* where it stands in a tree; NULL: in none */
};

struct column_place {			/* where on the grid a cell is drawn */
	int row, column, width;
	bool no_object;			/* the row has no cell that names its object */
	enum grid_style style;		/* the row's: anything but normal wins over a cell's own */
};

struct formula;			/* view/custom.h */

struct column {
	const char *name;		/* of --columns, --sort and csv: the title in lower case */
	const char *title;		/* on screen: "IPC" */
	const char *thread_title;	/* where rows are threads; NULL: the same */
	const char *unit, *help;	/* N_(): unit, and formula or meaning */
	uint32_t needs;			/* bits 1 << enum event_id: what must be counted */
	uint32_t wants;			/* likewise: what adds to it where it can be counted */
	unsigned extras;		/* bits of enum snapshot_extra */
	int width;			/* columns on screen; 0: takes the rest of the line */
	int grow;			/* and that many more when the line is long */
	int comfort;			/* of the one with the rest: with less, others that matter little go */
	int priority;			/* when the line is short, the highest goes first: those
					 * that are there because a person asked for them last */
	enum column_align align;
	enum column_type type;
	bool shown;			/* by default */
	enum column_time of_time;	/* on screen only while the event is one of that */
	bool per_process;		/* of symbols: with it each process has its own rows */
	bool per_data;			/* likewise: each mapping of data */
	bool descending;		/* first direction when sorting by it */
	bool names_object;
	bool as_made;			/* of calls: descending, they are made in this order */
	bool by_size;			/* sorts without its sign, which has a colour */
	bool with_base;			/* shown as long as there is a base */
	double resolution;		/* numbers alike on screen sort as equal; 0: exact */
	double hot;			/* from here on STYLE_HOT; 0: never */
	double (*number)(const struct column_row *row);		/* use column_number() */
	const struct formula *formula;	/* in place of it, of a person's own column */
	const char *(*text)(const struct column_row *row);	/* raw bytes; NULL: absent */
	void (*format)(char out[32], double number);		/* never called for NAN */
	void (*draw)(struct grid *g, const struct column_place *at,
		     const struct column_row *row);	/* NULL: plain text or number */
};

extern const struct column process_columns[];	/* each ends with a row whose name is NULL */
extern const struct column symbol_columns[];
extern const struct column event_columns[];
extern const struct column object_columns[];
extern const struct column mapping_columns[];
extern const struct column call_columns[];
extern const struct column code_columns[];

struct column_table {
	const char *name;		/* of --table */
	const char *prefix;		/* "symbol.ipc" where more than one table has the name */
	const char *title;		/* N_(): of its columns in the help */
	const struct column *columns;
	const char *sort;		/* names of the columns that rows are sorted by at first */
	bool extended;			/* a person's own columns are in it, too */
};

extern const struct column_table column_tables[CHOICE_TABLES];

/*
 * By name, whatever its case; '%' and '+' may be left out ("cpu" finds "%cpu") when no name is the
 * same with them.  NULL when there is none.
 */
const struct column *column_find(const struct column *table, const char *name);

/* Of a column of numbers; NAN: absent. */
double column_number(const struct column *c, const struct column_row *row);

/*
 * What COUNT events (indices, under 0: none) counted in S, all by the same measure, so that their
 * ratio is right: as sampled when all of them are, else as credited.
 */
void column_symbol_values(const struct symbol_row *s, const int *events, size_t count,
			  double *values);

/* The number as on screen, "-" when it is absent.  For columns with a number. */
void column_format(const struct column *c, const struct column_row *row, char out[32]);

/* How the name of FRAME looks in the cell AT: dim when it is none, the kernel's in its own style. */
enum grid_style column_frame_style(const struct column_place *at, const struct frame_table *frames,
				   uint32_t frame);

/* Bits 1 << enum event_id of what S counts now: to be compared with `needs`. */
uint32_t column_counted(const struct snapshot *s);

#endif
