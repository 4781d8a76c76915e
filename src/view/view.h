/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_VIEW_VIEW_H
#define PTOP_VIEW_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/number-list.h"
#include "profile/snapshot.h"
#include "view/list/lists.h"
#include "view/list/rows.h"
#include "view/list/column-table.h"
#include "view/widget/column.h"
#include "view/widget/grid.h"

/*
 * The screen without a terminal: its state, and how to draw it.  It has a header, the lists of one
 * of the views in view/kind.h, and a function bar.  ui/ turns keys into calls and paints the grid.
 * Batch text draws all rows.
 *
 * A list is named by its struct list_kind (view/list/lists.h).
 */
struct view_kind;

struct view_options {
	bool threads, hide_kernel, hide_user, ascii;
	bool each_ended; /* each process that ended has a row, see view/list/ended.h */
	bool of_all;     /* 100 % is all samples of the event, not the shown ones */
	bool full_command;
	bool braille;          /* graphs have two points a column, see grid_graph() */
	bool bars;             /* shares are bars, too, see view/widget/table.h */
	const char *cpu_meter; /* --cpu-meter, see cpu_meter_find(); NULL: one */
	const char *meters;    /* --meters, as view_set_meters() takes it */
	const char *cpu_level; /* --cpu-level, see cpu_level_find(); NULL: auto */
	bool batch;            /* nobody can open branches, so small ones are open, too */
	const char *view;      /* --view: a name in view_kinds[]; NULL: the first */
	const char *sort;      /* --sort, or NULL */
	bool reverse;
	const char *columns;                        /* --columns, or NULL */
	const struct expression_names *event_names; /* for --columns; NULL: accepts any name */
	size_t limit_processes, limit_symbols;      /* 0: all */
	size_t limit_code;                          /* of instructions and lines; 0: all */
	int batch_columns; /* width of view_draw_batch(); 0: 120; at least 80 */
};

struct view;

/* Returns NULL with ERR set if --view, --sort or --columns names something unknown. */
struct view *view_new(const struct view_options *options, struct error *err);
void view_free(struct view *v);

/*
 * Shows snapshot S, which the view owns from here on, and frees the previous one.  The selection
 * stays on its process and its symbol.
 */
void view_set_snapshot(struct view *v, struct snapshot *s);
const struct snapshot *view_snapshot(const struct view *v); /* NULL before the first */

/* Adopts S's function data if it matches the shown snapshot.  Returns true if it did. */
bool view_take_function(struct view *v, struct snapshot *s);

/* Gives the snapshot to the caller.  The view then has no rows until the next snapshot. */
struct snapshot *view_take_snapshot(struct view *v);

void view_draw(struct view *v, struct grid *g);       /* the whole screen */
void view_draw_batch(struct view *v, struct grid *g); /* all rows; resizes the grid */

/*
 * The rows of any list, even of one that is not shown: filtered, sorted, limited.  Makes them if
 * needed.  A row is valid until the view changes.
 */
size_t view_list_count(struct view *v, const struct list_kind *pane);
struct column_row view_list_row(struct view *v, const struct list_kind *pane, size_t i);
/* All columns of a table, including a person's own; ends with one whose name is NULL. */
const struct column *view_column_table(const struct view *v, const struct list_kind *pane);
/* The whole: all samples of the event (OF_ALL), or the shown ones. */
struct shares view_shares(struct view *v, bool of_all);
/* The columns that are shown. */
const struct column *const *view_columns(const struct view *v, const struct list_kind *pane,
					 size_t *count);

/* The name of PANE before those of its columns ("process."), and the title of its columns, translated. */
const char *view_prefix(const struct list_kind *pane);
const char *view_list_title(const struct list_kind *pane);
/*
 * Shows or hides COLUMN of PANE's table, and moves it to the left (-1) or right (1).  Return false if nothing
 * changed: the last column stays, and no column leaves the line.
 */
bool view_toggle_column(struct view *v, const struct list_kind *pane, const struct column *column);
bool view_move_column(struct view *v, const struct list_kind *pane, const struct column *column,
		      int direction);
/* As --columns; false with ERR set if TEXT names something unknown. */
bool view_set_columns(struct view *v, const char *text, struct error *err);
void view_format_columns(const struct view *v,
			 struct buf *out); /* as view_options.columns takes it */

/*
 * The events to count for the columns and sort keys that a person named.  The first function
 * returns bits 1 << enum event_id.  The second one returns event I of a person's expressions, as -e
 * takes it; NULL past the last one.
 */
uint32_t view_wanted_ids(const struct view *v);
const char *view_wanted_event(const struct view *v, size_t i);

/* Bits of enum snapshot_extra that the lists, columns and sort keys need. */
unsigned view_extras(const struct view *v);

/*
 * The control groups on the screen, for collector_set_groups(): at most MAX numbers.  ALL: the files of
 * the others are wanted, too.
 */
size_t view_group_ids(const struct view *v, uint32_t *ids, size_t max, bool *all);

/* The processes on the screen, for collector_request(): at most MAX pids. */
size_t view_visible_pids(const struct view *v, uint32_t *pids, size_t max);

/*
 * The processes whose memory shall be read, for collector_set_memory(): at most MAX pids.  Sets
 * *MAPPINGS if each mapping of the first one is needed, too.
 */
size_t view_memory_pids(const struct view *v, uint32_t *pids, size_t max, bool *mappings);

/*
 * Returns true if the rows depend on all command lines: they are sorted, filtered or searched by
 * them.
 */
bool view_wants_commands(const struct view *v);

/*
 * The function whose code snapshots shall have (struct snapshot_function).  FRAME_NONE with
 * *HOTTEST: the one with the largest share.
 */
uint32_t view_function(const struct view *v, bool *hottest);

/*
 * Switches from lines and instructions to instructions, to lines, and back.  Returns false in a
 * view without code.
 */
bool view_next_code_mode(struct view *v);

/* Returns true if snapshots must have threads: an option requested them, or the view shows them. */
bool view_wants_threads(const struct view *v);

/* Limits the number of rows: of processes, and of any other list; 0: all. */
void view_set_limits(struct view *v, size_t processes, size_t symbols);
/*
 * Shows a row for each process that ended, or one for each group (view/list/ended.h).  Returns the
 * previous setting.
 */
bool view_set_each_ended(struct view *v, bool each);

/* Movement and choice.  Functions that return bool return true if something changed. */
const struct view_kind *view_kind(const struct view *v); /* the shown view */
/*
 * The view whose event must be measured: the shown one, or the one that led here by view_enter() or
 * view_turn_round().  NULL if neither has an event: then the view shows the previous event.
 */
const struct view_kind *view_event_kind(const struct view *v);
/*
 * Shows KIND for the same processes.  A view of one process zooms into the selected one until
 * view_back().  An earlier zoom stays.
 */
bool view_show(struct view *v, const struct view_kind *kind);
const struct list_kind *view_pane(const struct view *v); /* the focused list: keys move in it */
bool view_set_pane(struct view *v,
		   const struct list_kind *pane);    /* false: the view does not have it */
bool view_other_pane(struct view *v, int direction); /* focuses the list above (-1) or below (1) */
/* In a flame graph: to the box on the left (-1) or right (1). */
bool view_sideways(struct view *v, int direction);
bool view_move(struct view *v, long rows); /* LONG_MIN Home, LONG_MAX End */
bool view_page(struct view *v, int pages);

/*
 * Enter: one step deeper, as the view defines it.  In a list of processes it zooms into the
 * selected process or thread until view_back(), even after its end.
 */
bool view_enter(struct view *v);

/*
 * Esc: one step back, to the place and selections of the last view_enter().  If there is none, it
 * drops the filter of the list, then goes to the first list, then to the first view.
 */
bool view_back(struct view *v);

/*
 * In a tree: shows or hides the rows below the selected one.  FOLD_CLOSE goes to the parent if the
 * row is closed or a leaf.  FOLD_HOT opens the largest child of each row down to a leaf, and
 * selects it; in a tree of processes it does what FOLD_OPEN does.
 */
enum view_fold { FOLD_CLOSE, FOLD_OPEN, FOLD_HOT, FOLD_CLOSE_ALL, FOLD_OPEN_ALL };
bool view_fold(struct view *v, enum view_fold how);

/* Turns top-down into bottom-up and back.  Returns false if the view has no other direction. */
bool view_turn_round(struct view *v);

/*
 * Makes the shown snapshot the base for later ones.  Rows get their difference (column DELTA%), and
 * rows that only the base has are added.  The view owns the base until view_drop_base().  Returns
 * false if there is no snapshot.
 */
bool view_mark_base(struct view *v);
/*
 * The same with S, whose events, frames and serials must be those of later snapshots.  Borrowed
 * until the next base.
 */
void view_set_base(struct view *v, struct snapshot *s, const char *name);
bool view_drop_base(struct view *v); /* false: there was none */
/* The base, borrowed.  NULL without a base, or if it has no samples of EVENT. */
const struct snapshot *view_base(const struct view *v, int event);

/*
 * Windows of time, if the snapshot has a past: the next older (-1) or newer (1) one; half (-1) or
 * twice (1) the width; no window.  Returns true if another window is wanted: the caller gets its
 * snapshot.
 */
bool view_step_window(struct view *v, int direction);
bool view_resize_window(struct view *v, int direction);
bool view_leave_window(struct view *v);
bool view_has_past(const struct view *v);
/* The wanted window, as for collector_set_window(); both 0: none. */
void view_window(const struct view *v, uint64_t *from_ns, uint64_t *to_ns);

bool view_next_event(struct view *v, int direction); /* Tab, Shift-Tab */
bool view_set_event(struct view *v, int event);      /* index; false: not sampled */
/*
 * Selects the next (1) or previous (-1) row that contains TEXT, and wraps around.  With 0, while a
 * person types, the selected row may match, too.  Returns true if a row matches, or if there is no
 * snapshot yet: the first one is searched when it comes.
 *
 * In a tree, hidden rows are searched, too, and the path to the match is opened.  A change of TEXT
 * closes it again, unless view_search_begin() was called: this keeps it open.
 */
void view_search_begin(struct view *v);
bool view_search(struct view *v, const char *text, int direction);
/* Shows only rows that contain TEXT, in every list with this column table; "" or NULL: all rows. */
bool view_set_filter(struct view *v, const char *text);
const char *view_filter(const struct view *v); /* of the focused list; NULL: none */
char *view_pids_text(const struct view *v);    /* as for -p; "": all; owned */
const char *view_user(const struct view *v);   /* NULL: all */
bool view_set_pids(struct view *v, const struct number_list *pids); /* NULL or empty: all; copied */
bool view_set_user(struct view *v, const char *name); /* name or uid; "" or NULL: all */

/*
 * As --sort.  A table that KEYS do not name keeps its order.  A name that several tables have means
 * the table of the focused list.  Returns false with ERR set if a column is unknown.
 */
bool view_set_sort(struct view *v, const char *keys, struct error *err);
/* The first sort key of the focused list; NULL: it has none. */
const struct column *view_sort_column(const struct view *v);
bool view_sort_step(struct view *v, int direction); /* < and > */
bool view_reverse(struct view *v);
bool view_toggle_threads(struct view *v);
bool view_toggle_kernel(struct view *v);
bool view_toggle_user_symbols(struct view *v);
bool view_next_meter(struct view *v); /* the next meter of CPUs in the header, in a circle */
bool view_set_meter(struct view *v, const char *name); /* false: there is none of that name */
const char *view_meter(const struct view *v);          /* its name */
/* The meters of the header, see header_meters_parse(), also for the error; NULL: the usual ones. */
bool view_set_meters(struct view *v, const char *text, struct error *err);
const struct header_meters *view_meters(const struct view *v);
/* The graph of %CPU of the selected process; returns false in a view without a list of processes. */
bool view_toggle_graph(struct view *v);
bool view_toggle_of_all(struct view *v);
void view_set_braille(struct view *v, bool braille); /* as view_options.braille */
void view_set_bars(struct view *v, bool bars);       /* as view_options.bars */
bool view_threads(const struct view *v);
bool view_hides_kernel(const struct view *v);
bool view_hides_user(const struct view *v);
bool view_of_all(const struct view *v);
void view_format_sort(const struct view *v, struct buf *out); /* as view_options.sort takes it */

/*
 * Sets the function bar: COUNT pairs of a key and its action ("F1", "Help"), translated.  Copied.
 * A narrow screen leaves out pairs before the last one.
 */
void view_set_function_bar(struct view *v, const char *const (*pairs)[2], size_t count);

/* Stores the label of the key of ACTION, a name of the table of keys.  Returns false if it has none. */
typedef bool view_key_name(const void *context, const char *action, char label[16]);

/* Texts of empty lists name keys by NAME, with CONTEXT, which is borrowed.  Without it they name none. */
void view_set_key_name(struct view *v, view_key_name *name, const void *context);

/* Shows a text instead of the function bar, on up to three rows; NULL: the function bar. */
void view_set_message(struct view *v, const char *text);
void view_set_paused(struct view *v, bool paused);
void view_set_mode_text(struct view *v, const char *text);           /* "half-life 5 s" */
void view_set_push_text(struct view *v, const char *text, bool bad); /* "pushed 12" */

/*
 * Handles a mouse click at a place of the drawn screen.  Selects the row there, shows the view
 * whose name is there, or sorts by the column whose title is there.  Returns what the caller must
 * do.
 */
enum view_click {
	CLICK_NOTHING, /* nothing */
	CLICK_ROW,
	CLICK_AGAIN,  /* the row was already selected */
	CLICK_VIEW,   /* another view is shown */
	CLICK_WINDOW, /* another window of time is wanted */
	CLICK_BAR,    /* the function bar: see view_bar_at() */
};
enum view_click view_click(struct view *v, int row, int column);
size_t view_bar_at(const struct view *v, int column); /* number of the pair there, SIZE_MAX none */

/* The selected row; NULL: none. */
const struct snapshot_process *view_selected_process(const struct view *v);
const struct symbol_row *view_selected_symbol(const struct view *v);
int view_selected_event(const struct view *v); /* its index; -1 */
/* The function of the selected row, in any list; FRAME_NONE: none. */
uint32_t view_selected_frame(const struct view *v);
/* The selected row of the focused list, if it is a process or thread that lives; else NULL. */
const struct snapshot_process *view_living_process(const struct view *v);
/* Returns true if the focused list is of processes or threads. */
bool view_on_process(const struct view *v);

/*
 * Tags: the processes or threads that a person picks out for what acts on them.  The first two go to the next
 * row; they return false if no living process is selected.  A tag stays with its process, whatever is shown.
 */
bool view_toggle_tag(struct view *v);
bool view_tag_tree(struct view *v);  /* the selected one, and all that it started */
bool view_drop_tags(struct view *v); /* false: there were none */
bool view_has_tags(const struct view *v);
/*
 * The tagged ones that live, or else the selected one: up to MAX to OUT, borrowed from the snapshot.
 * Returns how many there are.
 */
size_t view_chosen(const struct view *v, const struct snapshot_process **out, size_t max);
/* When P, of the shown snapshot, began: seconds since 1970; NAN not known. */
double view_started_s(const struct view *v, const struct snapshot_process *p);
/* The selection stays on its row when others are sorted before it, or no longer.  Returns which. */
bool view_follow(struct view *v);
void view_hold(struct view *v); /* it does from now on */
/* Identifies the selected row from one snapshot to the next; 0: none. */
uint64_t view_selected_key(const struct view *v);
int view_event(const struct view *v); /* the shown event; -1: none */

#endif
