/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_VIEW_WIDGET_COLUMN_H
#define PTOP_VIEW_WIDGET_COLUMN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "view/widget/grid.h"

/*
 * A column: how it is called, what it shows of a row, how it is drawn.  Columns are rows of tables, one table
 * for each type of row (struct column_table in view/list/tables.h).  The parser of --columns and --sort, the
 * title line, the help, the check of the manual page, csv and the tests read them.
 */
enum column_align { ALIGN_LEFT, ALIGN_RIGHT };
enum column_time { TIME_NONE, TIME_ANY, TIME_OFF_CPU }; /* each includes the one before */
enum column_type { COLUMN_TEXT, COLUMN_NUMBER };

struct snapshot;
struct snapshot_process;
struct symbol_row;
struct object_row;
struct mapping_row;
struct call_row;
struct code_row;
struct tree_place;

/* What a column reads.  One of the rows is set, the others are NULL.  Everything is borrowed. */
struct column_row {
	const struct snapshot *snapshot;
	const struct snapshot_process *process;
	const struct symbol_row *symbol;
	const struct object_row *object;
	const struct mapping_row *mapping;
	const struct call_row *call;
	const struct code_row *code;
	const void *item;    /* of a list whose rows are known to its own file alone */
	double samples;      /* the process's, of the event that the view shows; NAN: none can be */
	double base_samples; /* the same in the base */
	double shown;        /* those of them that are shown; NAN */
	double samples_percent; /* their share */
	double delta_percent; /* by how much its share, or its rate, differs from the base; NAN without one */
	bool full_command;              /* COMMAND shows the command line, else the comm */
	bool ended;                     /* of what ended: drawn in its style */
	bool scattered;                 /* of code: rows are not as they lie in the function */
	const struct tree_place *place; /* where it stands in a tree; NULL: in none */
};

struct column_place { /* where on the grid a cell is drawn */
	int row, column, width;
	bool no_object;        /* the row has no cell that names its object */
	enum grid_style style; /* the row's: anything but normal wins over a cell's own */
};

struct formula; /* view/custom.h */

struct column {
	const char *name;         /* of --columns, --sort and csv: the title in lower case */
	const char *title;        /* on screen: "IPC" */
	const char *thread_title; /* where rows are threads; NULL: the same */
	const char *unit, *help;  /* N_(): unit, and formula or meaning */
	uint32_t needs;           /* bits 1 << enum event_id: what must be counted */
	uint32_t wants;           /* likewise: what adds to it where it can be counted */
	unsigned extras;          /* bits of enum snapshot_extra */
	int width;                /* columns on screen; 0: takes the rest of the line */
	int grow;                 /* and that many more when the line is long */
	int comfort;  /* of the one with the rest: with less, others that matter little go */
	int priority; /* when the line is short, the highest goes first: those
					 * that are there because a person asked for them last */
	enum column_align align;
	enum column_type type;
	bool shown;               /* by default */
	enum column_time of_time; /* on screen only while the event is one of that */
	bool per_process;         /* of symbols: with it each process has its own rows */
	bool per_data;            /* likewise: each mapping of data */
	bool descending;          /* first direction when sorting by it */
	bool names_object;
	bool as_made;      /* of calls: descending, they are made in this order */
	bool by_size;      /* sorts without its sign, which has a colour */
	bool with_base;    /* shown as long as there is a base */
	double resolution; /* numbers alike on screen sort as equal; 0: exact */
	double hot;        /* from here on STYLE_HOT; 0: never */
	double (*number)(const struct column_row *row); /* use column_number() */
	/* A person's own column has these instead. */
	const struct formula *formula;
	double (*evaluate)(const struct formula *f, const struct column_row *row);
	const char *(*text)(const struct column_row *row); /* raw bytes; NULL: absent */
	void (*format)(char out[32], double number);       /* never called for NAN */
	void (*draw)(struct grid *g, const struct column_place *at,
		     const struct column_row *row); /* NULL: plain text or number */
};

/* The columns that are shown, and what rows are sorted by.  view/choice.h makes them of what a person writes. */
#define CHOICE_COLUMNS 64 /* of one table; more than there are */
#define CHOICE_KEYS 4     /* sort keys of one table; later ones never decide anything */

struct choice_columns {
	const struct column *items[CHOICE_COLUMNS];
	size_t count;
	uint32_t wanted; /* bits 1 << enum event_id that the columns chosen by name use */
};

struct choice_key {
	const struct column *column;
	bool descending;
};

struct choice_sort {
	struct choice_key keys[CHOICE_KEYS]; /* the first decides */
	size_t count;
};

/*
 * By name, whatever its case; '%' and '+' may be left out ("cpu" finds "%cpu") when no name is the
 * same with them.  NULL when there is none.
 */
const struct column *column_find(const struct column *table, const char *name);

/* ROW's number in C, a column of numbers; NAN: absent. */
double column_number(const struct column *c, const struct column_row *row);

/* The number as on screen, "-" when it is absent.  For columns with a number. */
void column_format(const struct column *c, const struct column_row *row, char out[32]);

#endif
