/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_VIEW_VIEW_H
#define PTOP_VIEW_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/list.h"
#include "profile/snapshot.h"
#include "view/list/lists.h"
#include "view/list/rows.h"
#include "view/list/tables.h"
#include "view/widget/column.h"
#include "view/widget/grid.h"

/*
 * The screen without a terminal: its state, and how it is drawn.  It has a header, the lists of one of the views
 * in view/kind.h, and a function bar.  ui/ turns keys into calls and paints the grid.  Batch text draws all rows.
 *
 * A list is named by its struct list_kind (view/list/lists.h).
 */
struct view_kind;

struct view_options {
	bool threads, hide_kernel, hide_user, ascii;
	bool each_ended; /* each process that ended has a row, see view/list/ended.h */
	bool of_all;     /* 100 % is all samples of the event, not those that are shown */
	bool full_command;
	bool batch;       /* nobody opens branches, so trees are open down to small shares */
	const char *view; /* --view: a name in view_kinds[]; NULL: the first */
	const char *sort; /* --sort, or NULL */
	bool reverse;
	const char *columns;                        /* --columns, or NULL */
	const struct expression_names *event_names; /* for --columns; NULL: any name is one */
	size_t limit_processes, limit_symbols;      /* 0: all */
	size_t limit_code;                          /* of instructions and lines; 0: all */
	int batch_columns; /* width of view_draw_batch(); 0: 120; at least 80 */
};

struct view;

/* NULL with ERR set when --view, --sort or --columns names something that is not there. */
struct view *view_new(const struct view_options *options, struct error *err);
void view_free(struct view *v);

/*
 * Gives the view the snapshot to show; the view owns it from here on and frees the previous one.
 * The selection follows its process and its symbol; rows are folded, filtered and sorted.
 */
void view_set_snapshot(struct view *v, struct snapshot *s);
const struct snapshot *view_snapshot(const struct view *v); /* NULL before the first */

/* Adopts S's function data if it matches the shown snapshot.  Returns true if it did. */
bool view_take_function(struct view *v, struct snapshot *s);

/* Gives the snapshot to the caller.  The view has no rows until it gets another one. */
struct snapshot *view_take_snapshot(struct view *v);

void view_draw(struct view *v, struct grid *g);       /* the whole screen */
void view_draw_batch(struct view *v, struct grid *g); /* all rows: the grid is resized */

/* The rows as they are shown, for batch formats: filtered, sorted, limited. */
size_t view_process_count(struct view *v);
const struct snapshot_process *view_process(struct view *v, size_t i);
size_t view_symbol_count(struct view *v);
const struct symbol_row *view_symbol(struct view *v, size_t i);

/* The same rows as the functions of columns take them.  Valid until the view changes. */
struct column_row view_process_row(struct view *v, size_t i);
struct column_row view_symbol_row(struct view *v, size_t i);
/* The rows of any list, whether it is shown or not.  They are made when they are asked for. */
size_t view_list_count(struct view *v, const struct list_kind *pane);
struct column_row view_list_row(struct view *v, const struct list_kind *pane, size_t i);
/* All columns of a table, a person's own among them; ends with one whose name is NULL. */
const struct column *view_column_table(const struct view *v, const struct list_kind *pane);
/* What 100 % is: all samples of the event (OF_ALL), or those that are shown. */
struct shares view_shares(struct view *v, bool of_all);
/* The columns that are shown. */
const struct column *const *view_columns(const struct view *v, const struct list_kind *pane,
					 size_t *count);

/*
 * The events to count for the columns and sort keys that a person chose by name.  The first function returns bits
 * 1 << enum event_id.  The second one returns event number I of a person's expressions, as -e takes it; NULL past
 * the last one.
 */
uint32_t view_wanted_ids(const struct view *v);
const char *view_wanted_event(const struct view *v, size_t i);

/* Bits of enum snapshot_extra that the lists, columns and sort keys need. */
unsigned view_extras(const struct view *v);

/* The processes on the screen, for collector_request(): at most MAX pids. */
size_t view_visible_pids(const struct view *v, uint32_t *pids, size_t max);

/*
 * The processes whose memory is to be read, for collector_set_memory(): at most MAX pids.  With *MAPPINGS each
 * mapping of the first one, too.
 */
size_t view_memory_pids(const struct view *v, uint32_t *pids, size_t max, bool *mappings);

/*
 * Returns true if order or choice of rows depends on all command lines: rows are sorted by them, filtered, or
 * have been searched.
 */
bool view_wants_commands(const struct view *v);

/*
 * The function whose code snapshots shall have (struct snapshot_function).  FRAME_NONE with *HOTTEST means the one
 * with the largest share.
 */
uint32_t view_function(const struct view *v, bool *hottest);

/* The next of: lines between the instructions, instructions alone, lines alone.  false: not a view of code. */
bool view_next_code_mode(struct view *v);

/* Returns true if snapshots must have threads: they were asked for, or the view shows them. */
bool view_wants_threads(const struct view *v);

/* The largest numbers of rows: of processes, and of any other list; 0: all. */
void view_set_limits(struct view *v, size_t processes, size_t symbols);
/* A row for each process that ended, or one for all of the same name.  Returns the setting before. */
bool view_set_each_ended(struct view *v, bool each);

/* Movement and choice.  Functions that return bool return true if something changed. */
const struct view_kind *view_kind(const struct view *v); /* what is shown */
/*
 * The view whose event must be measured: the one that is shown, or the one that led here by view_enter() or
 * view_turn_round().  NULL: neither has an event of its own; then the event is shown that was shown before.
 */
const struct view_kind *view_event_kind(const struct view *v);
/*
 * Shows KIND, of the same processes.  A view of one process zooms into the selected one; view_back() leaves it.  A
 * zoom that was there before stays.
 */
bool view_show(struct view *v, const struct view_kind *kind);
const struct list_kind *view_pane(const struct view *v);          /* the list where keys move */
bool view_set_pane(struct view *v, const struct list_kind *pane); /* false: not one of the view's */
bool view_other_pane(struct view *v, int direction); /* to the one above (-1) or below (1) */
/* In a flame graph: to the box on the left (-1) or right (1). */
bool view_beside(struct view *v, int direction);
bool view_move(struct view *v, long rows); /* LONG_MIN Home, LONG_MAX End */
bool view_page(struct view *v, int pages);

/*
 * Enter: one step deeper, as the view defines it.  In a list of processes it zooms into the selected process or
 * thread and shows its symbols, until view_back().  It stays so when the process ends.
 */
bool view_enter(struct view *v);

/*
 * Esc: one step back.  To where view_enter() was called, with the selections of that time.  Otherwise it drops the
 * list's filter, then goes to the first list, then to the first view.
 */
bool view_back(struct view *v);

/*
 * In a tree: shows or hides the rows below the selected one.  FOLD_CLOSE on a closed row, or on one with nothing
 * below it, goes to its parent.  FOLD_HOT opens the largest child of each row, down to the last one, and selects
 * that; in a tree of processes it does what FOLD_OPEN does.
 */
enum view_fold { FOLD_CLOSE, FOLD_OPEN, FOLD_HOT, FOLD_CLOSE_ALL, FOLD_OPEN_ALL };
bool view_fold(struct view *v, enum view_fold how);

/* Shows the same top-down or bottom-up.  false: the view has no other way round. */
bool view_turn_round(struct view *v);

/*
 * Makes the shown snapshot the base that later ones are compared with.  Rows get their difference (column
 * DELTA%); what only the base has gets rows, too.  The view owns it until view_drop_base().  false: no snapshot yet.
 */
bool view_mark_base(struct view *v);
/* The same with S, which has the events, frames and serials of other snapshots.  Borrowed until the next base. */
void view_set_base(struct view *v, struct snapshot *s, const char *name);
bool view_drop_base(struct view *v); /* false: there was none */
/* The base, borrowed.  NULL: there is none, or it has nothing of EVENT, whose shares then have no difference. */
const struct snapshot *view_base(const struct view *v, int event);

/*
 * Windows of time, where the snapshot has a past: the next older (-1) or newer (1) one; half (-1) or twice (1) the
 * width; none any more.  Each returns true if another window is wanted; the caller gets the snapshot for it.
 */
bool view_step_window(struct view *v, int direction);
bool view_resize_window(struct view *v, int direction);
bool view_leave_window(struct view *v);
bool view_has_past(const struct view *v);
/* The wanted window, as collector_set_window() takes it; both 0: none. */
void view_window(const struct view *v, uint64_t *from_ns, uint64_t *to_ns);

bool view_next_event(struct view *v, int direction); /* Tab, Shift-Tab */
bool view_set_event(struct view *v, int event);      /* index; false: not sampled */
/*
 * Selects the next (1) or previous (-1) row that contains TEXT, and goes on at the other end of the list.  With 0,
 * for a search while a person types, the selected row counts, too.  Returns true if there is one.
 *
 * In a tree rows that are not shown are searched, too, and the way to the row is opened.  What typing opened is
 * closed again when the text changes, unless view_search_begin() keeps it open.
 */
void view_search_begin(struct view *v);
bool view_search(struct view *v, const char *text, int direction);
/* Shows rows that contain TEXT, in every view that has rows of this type; "" or NULL: all. */
bool view_set_filter(struct view *v, const char *text);
const char *view_filter(const struct view *v); /* of the list where keys move; NULL none */
bool view_set_pids(struct view *v, const struct list *pids); /* NULL or empty: all; copied */
bool view_set_user(struct view *v, const char *name);        /* name or uid; "" or NULL: all */

/*
 * As --sort.  A table that KEYS do not name keeps its order.  A name that several tables have means the table of
 * the list where keys move.  false with ERR set: there is no such column.
 */
bool view_set_sort(struct view *v, const char *keys, struct error *err);
bool view_sort_step(struct view *v, int direction); /* < and > */
bool view_reverse(struct view *v);
bool view_toggle_threads(struct view *v);
bool view_toggle_kernel(struct view *v);
bool view_toggle_user_symbols(struct view *v);
bool view_toggle_of_all(struct view *v);
bool view_threads(const struct view *v);
bool view_hides_kernel(const struct view *v);
bool view_hides_user(const struct view *v);
bool view_of_all(const struct view *v);
void view_format_sort(const struct view *v, struct buf *out); /* as view_options.sort takes it */

/*
 * The function bar: COUNT pairs of a key and what it does ("F1", "Help"), already translated.  Copied.  Where room
 * is short, pairs before the last one are left out.
 */
void view_set_function_bar(struct view *v, const char *const (*pairs)[2], size_t count);

/* A text instead of the function bar, wrapped over up to three rows; NULL: the function bar again. */
void view_set_message(struct view *v, const char *text);
void view_set_paused(struct view *v, bool paused);
void view_set_mode_text(struct view *v, const char *text); /* "half-life 5 s" */

/*
 * A mouse click at a place of the screen as it was drawn last: selects the row there, shows the view whose name
 * is there, or sorts by the column whose title is there.  Returns what the caller has left to do.
 */
enum view_click {
	CLICK_NOTHING, /* more */
	CLICK_ROW,
	CLICK_AGAIN,  /* a row was selected; it was before */
	CLICK_VIEW,   /* another view is shown */
	CLICK_WINDOW, /* another window of time is wanted */
	CLICK_BAR,    /* the function bar: see view_bar_at() */
};
enum view_click view_click(struct view *v, int row, int column);
size_t view_bar_at(const struct view *v, int column); /* number of the pair there, SIZE_MAX none */

/* What keys act on; NULL: nothing is selected. */
const struct snapshot_process *view_selected_process(const struct view *v);
const struct symbol_row *view_selected_symbol(const struct view *v);
int view_selected_event(const struct view *v); /* its index; -1 */
/* Identifies the selected row from one snapshot to the next; 0: there is no row. */
uint64_t view_selected_key(const struct view *v);
int view_event(const struct view *v); /* whose symbols are shown; -1 */

#endif
