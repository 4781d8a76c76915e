/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_VIEW_VIEW_STATE_H
#define PTOP_VIEW_VIEW_STATE_H

#include "base/hash.h"
#include "view/axis.h"
#include "view/choice.h"
#include "view/kind.h"
#include "view/list/call-list.h"
#include "view/list/flame-list.h"
#include "view/list/list.h"
#include "view/view.h"
#include "view/widget/bar.h"

/*
 * What view-state.c (choices, rows), way.c (movement, from view to view), search.c, fold.c and draw.c (the screen)
 * share.  Nobody else includes it.
 */

struct view_cursor {
	size_t index; /* the selected row */
	size_t first; /* the row under the title */
	size_t page;  /* rows that fitted when it was last drawn; at least 1 */
	bool follows; /* the person moved: the selection stays on `key` */
	uint64_t key; /* what is selected: a task or a symbol */
	bool centred; /* it shall be in the middle, when it is drawn next */
};

struct view_zoom {
	bool on;
	uint32_t process, tid; /* serial; tid 0: all threads */
	uint32_t pid;
	char *comm; /* owned: outlives the process */
	/* And symbols only of this object; borrowed of the frame table, as `name`.  NULL: of all. */
	const char *object_path, *object_name;
	char *data_path; /* and only what touched this mapping; owned, NULL: any */
};

/* Where a person is: what is shown, of what. */
struct view_place {
	const struct view_kind *kind;
	const struct view_kind
		*event_of; /* the view whose event is shown: KIND, or where it was come from */
	const struct list_kind *pane; /* where the keys move */
	struct view_zoom zoom;
	uint32_t focus;           /* the function whose callers are shown; FRAME_NONE none */
	enum code_mode code_mode; /* what of a function's code is shown */
	struct flame_path path;   /* to the box that fills the flame graph; owned */
};

/* A place that was left by Enter, with the selections to come back to. */
struct view_stop {
	struct view_place place;
	struct view_cursor cursors[KIND_PANES];
};

/* Where the parts were last drawn; a height is with the title line, 0 is not there. */
struct view_screen {
	int columns;
	int header_rows; /* what header_draw() is told */
	int axis_row;    /* -1 none */
	int way_row;     /* -1 none; it is the blank one where there are any */
	int tabs_at;     /* the column of the first tab there, -1 none */
	int tabs_gap;    /* the columns between two of them */
	int row[KIND_PANES], height[KIND_PANES];
	int bar_row; /* -1 none */
};

/* What a search in call trees remembers from one key to the next. */
struct search {
	char *text;            /* whose frames are marked; owned, as the arrays */
	unsigned char *frames; /* by frame: it contains the text */
	size_t frame_count, frame_capacity;
	uint64_t *opened; /* rows that were opened on the way to what was found last */
	size_t opened_count;
	const struct list_kind *opened_list;
};

#define CHOICE_SLOTS (CHOICE_TABLES + 1)

#define WAY_STOPS 16 /* deeper is not gone */

struct view {
	struct view_options options; /* the flags; its texts are not used after view_new() */
	struct custom *custom;       /* the columns that there are; owned */
	/* By table; behind them those of processes in the views that show others of them. */
	struct choice_columns columns[CHOICE_SLOTS];
	struct choice_sort sort[CHOICE_SLOTS];
	struct snapshot *snapshot; /* owned */
	struct lists lists;
	struct view_cursor cursors[LISTS_MAX]; /* by list_number() */
	struct view_place place;
	struct view_stop way[WAY_STOPS]; /* behind us, the first one is where it began */
	size_t way_count;
	struct map folded; /* serials of processes whose children are hidden */
	bool hottest_due;  /* the selection goes to the hottest instruction */
	struct choice_columns
		counted_columns; /* of a table with `counted_only`: those that are shown */
	bool event_due;          /* that of the view, as soon as there is a snapshot with it */
	int event;               /* index in the snapshot; -1: none is sampled */
	int event_before; /* that to come back to when no view of an event is shown; -1: any */
	char *filters[CHOICE_TABLES]; /* owned, NULL none; as `user` and `message` */
	char *user;
	struct list pids;            /* empty: all */
	char *highlight;             /* what is searched for in the flame graph; owned, NULL none */
	int flame_first;             /* its lowest level that is on the screen */
	int flame_row, flame_height; /* where it was last drawn */
	char *message, *mode_text;
	struct view_screen screen;
	struct snapshot *base;     /* what is compared with: may be `snapshot`; or NULL */
	bool base_borrowed;        /* else it is owned */
	char *base_name;           /* when and where it was; owned */
	struct axis_window window; /* that is wanted; the snapshot says which one it is of */
	bool paused;
	bool searched; /* the processes were, and may be again */
	struct search search;
	struct bar_keys bar;
};

/* Where the columns and the order of TABLE are, in the view that is shown. */
static inline int view_slot(const struct view *v, int table)
{
	bool own = v->place.kind->columns && table == list_table(v->place.kind->panes[0]);

	return own ? CHOICE_TABLES : table;
}

/* The serial of the process that is zoomed into, or is the only one of the target; 0: none. */
uint32_t view_memory_process(const struct view *v);

bool view_has_pane(const struct view *v, const struct list_kind *pane); /* the view that is shown */

/* Makes the rows of LIST of what is shown now, unless they are made. */
void view_make(struct view *v, const struct list_kind *list);

static inline bool view_is_of_processes(const struct list_kind *pane)
{
	return pane->table->tasks;
}

static inline size_t view_row_count(const struct view *v, const struct list_kind *pane)
{
	return list_count(&v->lists, pane);
}

static inline uint64_t view_row_key(const struct view *v, const struct list_kind *pane, size_t i)
{
	return list_key(&v->lists, pane, i);
}

/* After a change of place.event_of, which was BEFORE: the event to show. */
void view_event_follow(struct view *v, const struct view_kind *before);

/* After a change of what is shown: new rows, selections where they belong.  Returns true. */
bool view_changed(struct view *v);

void cursor_reset(struct view *v, const struct list_kind *pane);
void cursor_put(struct view *v, const struct list_kind *pane, size_t i);
void cursor_restore(struct view *v, const struct list_kind *pane);

/* The window around a column of the axis is wanted, as wide as the one that is. */
bool view_window_at(struct view *v, int column);

void search_fini(struct search *s);

/* What boxes of a flame graph are marked for.  Returns true if that is new. */
bool search_highlight(struct view *v, const char *text);

/* Where the flame graph was last drawn. */
struct flame_area view_flame_area(const struct view *v);

void way_fini(struct view *v);
bool way_enter_process(struct view *v);
bool way_enter_event(struct view *v);
bool way_enter_object(struct view *v);
bool way_enter_memory(struct view *v);
bool way_enter_callers(struct view *v);
bool way_enter_function(struct view *v);
bool way_enter_code(struct view *v);

/* New rows of code: selects the hottest one where that is due. */
void way_select_code(struct view *v);
bool way_enter_row(struct view *v);
bool way_enter_box(struct view *v);

/* The function that the selected row is of, wherever that is; FRAME_NONE. */
uint32_t view_selected_frame(const struct view *v);

/* "% of shown": what shares are of, where some samples are not shown; else NULL. */
const char *view_whole(const struct view *v);

/* "processes > 4180 cc1plus > threads": the way to what is shown. */
void way_describe(const struct view *v, struct buf *out);

#endif
