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
 * The screen as state and drawing, without a terminal: header, the lists of one of the views in
 * view/kind.h, function bar.  ui/ turns keys into calls on it and paints the grid; batch text draws
 * the same with as many rows as there are.
 */
struct view_kind;

struct view_options {
	bool threads, hide_kernel, hide_user, ascii;
	bool each_ended;		/* each process that ended has a row, see view/list/ended.h */
	bool of_all;			/* shares are of all samples of the event, not of what is shown */
	bool full_command;
	bool batch;			/* nobody opens branches: trees are open down to what counts little */
	const char *view;		/* --view: a name in view_kinds[]; NULL: the first */
	const char *sort;		/* --sort, or NULL */
	bool reverse;
	const char *columns;		/* --columns, or NULL */
	const struct expression_names *event_names;	/* for --columns; NULL: any name is one */
	size_t limit_processes, limit_symbols;	/* 0: all */
	size_t limit_code;		/* likewise: instructions and lines */
	int batch_columns;		/* width of view_draw_batch(); 0: 120; at least 80 */
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
const struct snapshot *view_snapshot(const struct view *v);	/* NULL before the first */

/* S, another one's, tells of a function as the snapshot that is shown would: takes that.  Whether it does. */
bool view_take_function(struct view *v, struct snapshot *s);

/* The snapshot, the caller's from here on; the view has no rows until it gets another. */
struct snapshot *view_take_snapshot(struct view *v);

void view_draw(struct view *v, struct grid *g);			/* the whole screen */
void view_draw_batch(struct view *v, struct grid *g);		/* all rows: the grid is resized */

/* The rows as they are shown, for batch formats: filtered, sorted, limited. */
size_t view_process_count(struct view *v);
const struct snapshot_process *view_process(struct view *v, size_t i);
size_t view_symbol_count(struct view *v);
const struct symbol_row *view_symbol(struct view *v, size_t i);

/* The same rows as what the columns' functions take.  Valid until the next change of the view. */
struct column_row view_process_row(struct view *v, size_t i);
struct column_row view_symbol_row(struct view *v, size_t i);
/* The rows of any list, shown or not. */
size_t view_list_count(struct view *v, const struct list_kind *pane);
struct column_row view_list_row(struct view *v, const struct list_kind *pane, size_t i);
/* All columns of a table, a person's own among them; ends with one whose name is NULL. */
const struct column *view_column_table(const struct view *v, const struct list_kind *pane);
/* What 100 % is of the event that is shown: all its samples, or what is shown of them. */
struct shares view_shares(struct view *v, bool of_all);
/* Those that are shown. */
const struct column *const *view_columns(const struct view *v, const struct list_kind *pane, size_t *count);

/*
 * The events that should be counted for the columns and sort keys that a person chose by name: as bits
 * 1 << enum event_id, and those of expressions as -e takes them, number I, NULL past the last one.
 */
uint32_t view_wanted_ids(const struct view *v);
const char *view_wanted_event(const struct view *v, size_t i);

/* Bits of enum snapshot_extra: what the columns that are shown or sorted by need. */
unsigned view_extras(const struct view *v);

/* What is on screen now, for collector_request(): at most MAX pids. */
size_t view_visible_pids(const struct view *v, uint32_t *pids, size_t max);

/*
 * The processes whose memory is to be known, for collector_set_memory(): at most MAX pids; *MAPPINGS:
 * of the first of them each mapping, too.
 */
size_t view_memory_pids(const struct view *v, uint32_t *pids, size_t max, bool *mappings);

/*
 * Whether the order or choice of rows depends on command lines, also of processes that nobody sees:
 * they are sorted by, filtered or have been searched.
 */
bool view_wants_commands(const struct view *v);

/*
 * The function that snapshots shall tell of (struct snapshot_function); FRAME_NONE with *HOTTEST: the
 * one with the largest share, whichever that is.
 */
uint32_t view_function(const struct view *v, bool *hottest);

/* Source lines between the instructions, none, lines alone: the next of these.  false: no such view. */
bool view_next_code_mode(struct view *v);

/* Whether the snapshots must have rows of threads: asked for, or the view is of them. */
bool view_wants_threads(const struct view *v);

/* As many rows from now on, of processes and of anything else; 0: all. */
void view_set_limits(struct view *v, size_t processes, size_t symbols);
/* A row for each process that ended, or those of a name together.  Returns what was before. */
bool view_set_each_ended(struct view *v, bool each);

/* Movement and choice: each returns whether something changed. */
const struct view_kind *view_kind(const struct view *v);		/* what is shown */
/*
 * The view whose events must be measured for what is shown: that one, if it is of an event, or the one
 * that led here by view_enter() or view_turn_round(); NULL: none.  Where there is none any more the event
 * is shown again that was shown before.
 */
const struct view_kind *view_event_kind(const struct view *v);
/*
 * Shows KIND of the same processes.  A view of one process is of the selected one, which is left by
 * view_back(); so is one that was zoomed into before.
 */
bool view_show(struct view *v, const struct view_kind *kind);
const struct list_kind *view_pane(const struct view *v);			/* which table the keys move in */
bool view_set_pane(struct view *v, const struct list_kind *pane);	/* false: not one of the view's */
bool view_other_pane(struct view *v, int direction);		/* to the one above (-1) or below (1) */
/* In a flame graph: to the box on the left (-1) or right (1). */
bool view_beside(struct view *v, int direction);
bool view_move(struct view *v, long rows);			/* LONG_MIN Home, LONG_MAX End */
bool view_page(struct view *v, int pages);

/*
 * One step deeper, as the view has it: into the selected process, or thread where rows are threads,
 * whose symbols are shown, and of which it is 100 %, until view_back(), also when it ends.
 */
bool view_enter(struct view *v);

/*
 * Esc, one step: back to where view_enter() was called, with the selections of then; else drops the
 * list's filter; else to the first list, then to the first view.
 */
bool view_back(struct view *v);

/*
 * In a tree: shows or hides what is below the selected row.  FOLD_CLOSE on one that is closed, or has
 * nothing below it, goes to its parent.  FOLD_HOT opens the largest child of each row from here on
 * and goes to the end of that way; in trees of processes it is FOLD_OPEN.
 */
enum view_fold { FOLD_CLOSE, FOLD_OPEN, FOLD_HOT, FOLD_CLOSE_ALL, FOLD_OPEN_ALL };
bool view_fold(struct view *v, enum view_fold how);

/* The other way to see the same: top-down, bottom-up.  false: there is none. */
bool view_turn_round(struct view *v);

/*
 * What is shown now becomes what all that follows is compared with: rows get their difference
 * (column DELTA%), what only the base has gets rows, too.  The view's own until view_drop_base().
 * false: nothing is shown yet.
 */
bool view_mark_base(struct view *v);
/* The same with S, borrowed until another one is, or the view is freed; it has the events, frames and serials of the others. */
void view_set_base(struct view *v, struct snapshot *s, const char *name);
bool view_drop_base(struct view *v);				/* false: there was none */
/* The base, borrowed; NULL without one, or when it has nothing of EVENT, whose shares so cannot differ. */
const struct snapshot *view_base(const struct view *v, int event);

/*
 * Windows of time, where the snapshot has a past: the one before (-1) or behind (1) that is wanted, of
 * half (-1) or twice (1) the width; none any more.  Whether another one is wanted: the snapshot for it
 * is the caller's to get.
 */
bool view_step_window(struct view *v, int direction);
bool view_resize_window(struct view *v, int direction);
bool view_leave_window(struct view *v);
bool view_has_past(const struct view *v);
/* What is wanted, as collector_set_window() takes it; both 0: none. */
void view_window(const struct view *v, uint64_t *from_ns, uint64_t *to_ns);

bool view_next_event(struct view *v, int direction);		/* Tab, Shift-Tab */
bool view_set_event(struct view *v, int event);			/* index; false: not sampled */
/*
 * Selects the next (1) or previous (-1) row of the pane that contains TEXT, around the end if need
 * be; 0: the selected row counts too, for a search that goes along with typing.  Whether there is
 * one.  In a tree also among the rows that are not shown: the way to the row is opened.  What was
 * opened by typing is closed again as the text changes, until view_search_begin() keeps it so.
 */
void view_search_begin(struct view *v);
bool view_search(struct view *v, const char *text, int direction);
/* Rows that contain TEXT, in all views whose list has these rows; "" or NULL: all. */
bool view_set_filter(struct view *v, const char *text);
const char *view_filter(const struct view *v);			/* of the pane; NULL none */
bool view_set_pids(struct view *v, const struct list *pids);	/* NULL or empty: all; copied */
bool view_set_user(struct view *v, const char *name);		/* name or uid; "" or NULL: all */

/*
 * As --sort; a table that KEYS do not name keeps its order, a name that both tables have is of the
 * pane where the keys move.  false with ERR set when there is no such column.
 */
bool view_set_sort(struct view *v, const char *keys, struct error *err);
bool view_sort_step(struct view *v, int direction);		/* < and > */
bool view_reverse(struct view *v);
bool view_toggle_threads(struct view *v);
bool view_toggle_kernel(struct view *v);
bool view_toggle_user_symbols(struct view *v);
bool view_toggle_of_all(struct view *v);
bool view_threads(const struct view *v);
bool view_hides_kernel(const struct view *v);
bool view_hides_user(const struct view *v);
bool view_of_all(const struct view *v);
void view_format_sort(const struct view *v, struct buf *out);	/* as view_options.sort takes it */

/*
 * The function bar: COUNT pairs of a key and what it does ("F1", "Help"), already translated.
 * Copied.  Where there is no room the ones before the last are left out.
 */
void view_set_function_bar(struct view *v, const char *const (*pairs)[2], size_t count);

/* A text instead of the function bar, wrapped over up to three rows; NULL: the function bar again. */
void view_set_message(struct view *v, const char *text);
void view_set_paused(struct view *v, bool paused);
void view_set_mode_text(struct view *v, const char *text);	/* "half-life 5 s" */

/*
 * A click of a mouse at that place of the screen that was drawn last: selects the row there, shows the
 * view whose name it is, sorts by the column of a title.  What is left to be done is told.
 */
enum view_click {
	CLICK_NOTHING,			/* more */
	CLICK_ROW, CLICK_AGAIN,		/* a row was selected; it was before */
	CLICK_VIEW,			/* another view is shown */
	CLICK_WINDOW,			/* another window of time is wanted */
	CLICK_BAR,			/* the function bar: see view_bar_at() */
};
enum view_click view_click(struct view *v, int row, int column);
size_t view_bar_at(const struct view *v, int column);	/* number of the pair there, SIZE_MAX none */

/* What the keys act on: NULL when there is none. */
const struct snapshot_process *view_selected_process(const struct view *v);
const struct symbol_row *view_selected_symbol(const struct view *v);
int view_selected_event(const struct view *v);			/* its index; -1 */
/* What the selected row is, from one snapshot to the next; 0: there is no row. */
uint64_t view_selected_key(const struct view *v);
int view_event(const struct view *v);				/* whose symbols are shown; -1 */

#endif
