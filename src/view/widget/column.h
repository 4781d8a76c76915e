/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_VIEW_WIDGET_COLUMN_H
#define PTOP_VIEW_WIDGET_COLUMN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/event-id.h"
#include "view/widget/grid.h"

/*
 * A column: its name, its value in a row, and how to draw it.  Columns are rows of tables, one
 * table for each type of row (struct column_table in view/list/column-table.h).  Exactly one column of a
 * table has width 0.  The parser of --columns and --sort, the title line, the help, the check of
 * the manual, csv and the tests read them.
 */
enum column_align { ALIGN_LEFT, ALIGN_RIGHT };
/* Each includes the previous one.  With delays: off-cpu, wall-clock, run-delay. */
enum column_time { TIME_NONE, TIME_ANY, TIME_WITH_DELAYS, TIME_OFF_CPU };
enum column_type { COLUMN_TEXT, COLUMN_NUMBER };

struct snapshot;
struct snapshot_process;
struct symbol_row;
struct object_row;
struct mapping_row;
struct call_row;
struct code_row;
struct cpu_row;
struct group_row;
struct branch;
struct tree_place;

/* The input of a column.  One of the rows is set, the others are NULL.  Everything is borrowed. */
struct column_row {
	const struct snapshot *snapshot;
	const struct snapshot_process *process;
	const struct symbol_row *symbol;
	const struct object_row *object;
	const struct mapping_row *mapping;
	const struct call_row *call;
	const struct code_row *code;
	const struct cpu_row *cpu;
	const struct group_row *group;
	const struct group_facts *group_facts; /* its own; beside it */
	const struct branch *branch; /* of a CPU or a group: what their rows share; beside these */
	const void *item;            /* a row whose type only its list knows */
	double samples;              /* of the process and the shown event; NAN: not sampled */
	double base_samples;         /* likewise, in the base */
	double shown;                /* shown ones; NAN: not sampled */
	double samples_percent;      /* share of the shown ones */
	double delta_percent;        /* difference of share or rate from the base; NAN: no base */
	const float *cpu_past;       /* of a process, see view/list/cpu-past.h; NULL: unknown */
	bool full_command;           /* COMMAND shows the command line instead of the comm */
	bool ended;                  /* ended: drawn in that style */
	bool tagged;                 /* picked out by a person: marked */
	bool scattered;              /* code: rows are not in the order of addresses */
	const struct tree_place *place; /* place in a tree; NULL: no tree */
};

struct column_place { /* where on the grid a cell is drawn */
	int row, column, width;
	bool no_object;        /* no cell of the row names its object */
	enum grid_style style; /* of the row; unless normal, it replaces a cell's own */
};

struct formula; /* view/custom.h */

struct column_field {
	size_t row;   /* offset in struct column_row of the pointer to the row */
	size_t field; /* offset in what that points to */
};

struct column {
	const char *name;         /* for --columns, --sort and csv: the title in lower case */
	const char *title;        /* on screen: "IPC" */
	const char *thread_title; /* if rows are threads; NULL: the same */
	const char *unit, *help;  /* N_(): unit, and formula or meaning */
	uint32_t needs;           /* bits 1 << enum event_id: events it needs */
	uint32_t wants;           /* likewise: events that improve it */
	unsigned extras;          /* bits of enum snapshot_extra */
	int width;                /* columns on screen; 0: takes the rest of the line */
	int grow;                 /* most additional columns on a long line */
	int comfort;              /* width below which minor columns give way; for width 0 */
	int priority; /* on a short line the highest goes first, columns chosen by name last */
	enum column_align align;
	enum column_type type;
	bool shown;               /* by default */
	enum column_time of_time; /* on screen only with an event of this kind */
	bool per_process;         /* symbols: each process gets its own rows */
	bool per_data;            /* likewise, each mapping of data */
	bool descending;          /* first direction when sorting by it */
	bool names_object;
	bool as_made;      /* calls: rows are already made in this order */
	bool by_size;      /* sorts by absolute value; the sign has a colour */
	bool with_base;    /* shown while there is a base */
	bool share;        /* percent of a whole: bars show it, too (struct table) */
	double resolution; /* closer numbers sort as equal; 0: exact */
	double hot;        /* STYLE_HOT from here on; 0: never */
	double (*number)(const struct column_row *row); /* use column_number() */
	/* Instead, of what the column names: a formula, an event or a field. */
	double (*evaluate)(const struct column *c, const struct column_row *row);
	const struct formula *formula; /* of a person's own column */
	enum event_id event;
	struct column_field field;                         /* see COLUMN_FIELD() */
	const char *(*text)(const struct column_row *row); /* use column_text() */
	void (*format)(char out[32], double number);       /* never called for NAN */
	void (*draw)(struct grid *g, const struct column_place *at,
		     const struct column_row *row); /* NULL: plain text or number */
};

/* The shown columns and the sort keys.  view/choice.h makes them from --columns and --sort. */
#define CHOICE_COLUMNS 64 /* of one table; at least the number of columns */
#define CHOICE_KEYS 4     /* sort keys of one table; later ones hardly ever decide */

struct choice_columns {
	const struct column *items[CHOICE_COLUMNS];
	size_t count;
	uint32_t wanted; /* bits 1 << enum event_id: events of columns chosen by name */
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
 * Finds a column by name, ignoring case.  '%' and '+' may be left out ("cpu" finds "%cpu") if no
 * other name matches exactly.  NULL: none.
 */
const struct column *column_find(const struct column *table, const char *name);

/* The number of ROW in C, a column of numbers; NAN: absent. */
double column_number(const struct column *c, const struct column_row *row);

/* The text of ROW in C, a column of texts: raw bytes; NULL: absent. */
const char *column_text(const struct column *c, const struct column_row *row);

/*
 * In a row of a table: the number, or the text, is the field FIELD of what ROW of struct column_row points to.
 * A number is a double, or an int64_t that is below 0 where it is not known.  The last two are for lists whose
 * rows have a TYPE of their own.
 */
/* clang-format off */
#define COLUMN_FIELD(ROW, FIELD) COLUMN_NUMBER_OF(ROW, COLUMN_TYPE_OF(ROW), FIELD)
#define COLUMN_TEXT_FIELD(ROW, FIELD) COLUMN_TEXT_OF(ROW, COLUMN_TYPE_OF(ROW), FIELD)
#define COLUMN_ITEM(TYPE, FIELD) COLUMN_NUMBER_OF(item, TYPE, FIELD)
#define COLUMN_TEXT_ITEM(TYPE, FIELD) COLUMN_TEXT_OF(item, TYPE, FIELD)

#define COLUMN_TYPE_OF(ROW) __typeof__(*((struct column_row *)0)->ROW)
#define COLUMN_PLACE(ROW, TYPE, FIELD) \
	.field = { offsetof(struct column_row, ROW), offsetof(TYPE, FIELD) }
#define COLUMN_NUMBER_OF(ROW, TYPE, FIELD) \
	COLUMN_PLACE(ROW, TYPE, FIELD), \
	.evaluate = _Generic(((TYPE *)0)->FIELD, double: column_double, int64_t: column_known)
#define COLUMN_TEXT_OF(ROW, TYPE, FIELD) \
	COLUMN_PLACE(ROW, TYPE, FIELD), \
	.text = _Generic(((TYPE *)0)->FIELD, const char *: NULL, char *: NULL)
/* clang-format on */
double column_double(const struct column *c, const struct column_row *row);
double column_known(const struct column *c, const struct column_row *row);

/* Formats the number as on screen; "-" if absent.  For columns of numbers. */
void column_format(const struct column *c, const struct column_row *row, char out[32]);

#endif
