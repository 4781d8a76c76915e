/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_VIEW_VIEW_STATE_H
#define PTOP_VIEW_VIEW_STATE_H

#include "base/hash.h"
#include "view/axis.h"
#include "view/choice.h"
#include "view/cpu-meter.h"
#include "view/header-meters.h"
#include "view/kind.h"
#include "view/list/call-list.h"
#include "view/list/flame-list.h"
#include "view/list/list.h"
#include "view/view.h"
#include "view/widget/bar.h"

/*
 * The state shared by view-state.c (choices, rows), way.c (movement, from view to view), search.c,
 * fold.c, tags.c and draw.c (the screen).  No other file includes it.
 */

struct view_cursor {
	size_t index; /* the selected row */
	size_t first; /* the row under the title */
	size_t page;  /* visible rows of the last drawing; at least 1 */
	bool follows; /* a person moved the selection: it stays on `key` */
	uint64_t key; /* identifies the selected row */
	bool centred; /* the next drawing centres the selection */
};

struct view_zoom {
	bool on;
	uint32_t process, tid; /* serial; tid 0: all threads */
	uint32_t pid;
	char *comm; /* owned: outlives the process */
	/* Only symbols of this object; borrowed from the frame table; NULL: all. */
	const char *object_path, *object_name;
	uint64_t cpus;   /* only samples of the CPUs of cpu_key(); 0: all */
	uint64_t group;  /* only processes of the group of group_key(), and below; 0: all */
	char *data_path; /* only samples of data in this mapping; owned, NULL: all */
};

/* The shown place: which view, and what of. */
struct view_place {
	const struct view_kind *kind;
	const struct view_kind
		*event_of; /* the view whose event is shown: KIND, or one that led to it */
	const struct list_kind *pane; /* the focused list */
	struct view_zoom zoom;
	uint32_t focus;           /* the function of callers and code; FRAME_NONE: none */
	enum code_mode code_mode; /* lines, instructions or both */
	struct flame_path path;   /* to the box with the full width; owned */
};

/* A place that Enter left, with its selections: Esc returns to it. */
struct view_stop {
	struct view_place place;
	struct view_cursor cursors[KIND_PANES];
};

/* Where the parts were last drawn.  A height includes the title line; 0: not drawn. */
struct view_screen {
	int columns, points; /* of the grid, see grid_points() */
	int header_rows;     /* argument of header_draw() */
	int axis_row;        /* -1 none */
	int way_row;         /* -1: none; a tall screen has it blank */
	int tabs_at;         /* column of the first tab; -1: none */
	int tabs_gap;        /* columns between two tabs */
	int row[KIND_PANES], height[KIND_PANES];
	int graph_row, graph_height; /* of %CPU; the height includes the title line, 0: none */
	int bar_row;                 /* -1 none */
};

/* The state of a search between two keys, but for `due` in call trees. */
struct search {
	char *due;             /* asked before there was a snapshot; NULL: none; owned, too */
	char *text;            /* the text of the search; owned, like the arrays */
	unsigned char *frames; /* by frame: 1 if it contains the text */
	size_t frame_count, frame_capacity;
	uint64_t *opened; /* rows opened on the path to the last match */
	size_t opened_count;
	const struct list_kind *opened_list;
};

#define CHOICE_SLOTS (CHOICE_TABLES + 1)

#define WAY_STOPS 16 /* places that Esc can return to */

struct view {
	struct view_options options; /* flags only; texts are void after view_new() */
	struct custom *custom;       /* all columns; owned */
	/* By table; the last slot is for views with process columns of their own. */
	struct choice_columns columns[CHOICE_SLOTS];
	struct choice_sort sort[CHOICE_SLOTS];
	struct snapshot *snapshot; /* owned */
	struct lists lists;
	struct cpu_past cpu_past;              /* empty unless a column or the graph asks for it */
	bool graph;                            /* of %CPU of the selected process */
	struct view_cursor cursors[LISTS_MAX]; /* by list_number() */
	struct view_place place;
	struct view_stop way[WAY_STOPS]; /* places to return to, the first one first */
	size_t way_count;
	/* Rows of trees that are the other way than at first: serials of processes, keys of branches. */
	struct map folded;
	struct map tags; /* serials and tids of tagged processes, as rows_process_key() */
	enum cpu_level cpu_level;
	enum cpu_meter meter;
	struct header_meters meters;
	struct meter_past meter_past;
	unsigned char *cpus; /* those of place.zoom, by number + 1 */
	size_t cpu_count, cpu_capacity;
	struct map groups; /* those of place.zoom, by key */
	bool hottest_due;  /* select the hottest instruction next */
	struct choice_columns
		counted_columns;      /* the shown columns of a table with `counted_only` */
	bool event_due;               /* the event of the view comes with a later snapshot */
	int event;                    /* index in the snapshot; -1: none is sampled */
	int event_before;             /* event of views without their own; -1: any */
	char *filters[CHOICE_TABLES]; /* owned; NULL: none */
	char *user;
	struct number_list pids;     /* empty: all */
	char *highlight;             /* search in the flame graph; owned; NULL: none */
	int flame_first;             /* the lowest visible level */
	int flame_row, flame_height; /* where it was last drawn */
	char *message, *mode_text, *push_text;
	bool push_bad;
	view_key_name *key_name; /* NULL: no keys */
	const void *key_context;
	struct buf empty_text[LISTS_MAX], note_text[LISTS_MAX]; /* of lists, with their keys */
	struct view_screen screen;
	struct snapshot *base;     /* the base, may be `snapshot`; NULL: none */
	bool base_borrowed;        /* otherwise owned */
	char *base_name;           /* its time and source; owned */
	struct axis_window window; /* the wanted one; `snapshot` has its own */
	bool paused;
	bool searched; /* the list of processes was searched */
	struct search search;
	struct bar_keys bar;
};

/* The slot of TABLE in `columns` and `sort`, in the shown view. */
static inline int view_slot(const struct view *v, int table)
{
	bool own = v->place.kind->columns && table == list_table(v->place.kind->panes[0]);

	return own ? CHOICE_TABLES : table;
}

/* The serial of the zoomed process, or of the only process of the target; 0: none. */
uint32_t view_memory_process(const struct view *v);

bool view_is_tagged(const struct view *v, const struct snapshot_process *p);

bool view_has_pane(const struct view *v, const struct list_kind *pane); /* of the shown view */

/* Makes the rows of LIST, unless they are made. */
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

/* Chooses the event to show after a change of place.event_of, which was BEFORE. */
void view_event_follow(struct view *v, const struct view_kind *before);

/* Makes new rows and restores the selections after a change.  Returns true. */
bool view_changed(struct view *v);

/* Makes the waits of the row that is selected now, if they are shown and are another's. */
void view_make_waits(struct view *v);
void cursor_reset(struct view *v, const struct list_kind *pane);
void cursor_put(struct view *v, const struct list_kind *pane, size_t i);
void cursor_restore(struct view *v, const struct list_kind *pane);

/*
 * Asks for the window around a column of the axis, as wide as the current one.  Returns true if it
 * differs.
 */
bool view_window_at(struct view *v, int column);

void search_fini(struct search *s);

/* The first snapshot is there: selects what was searched before. */
void search_due(struct view *v);

/* Marks the boxes that contain TEXT.  Returns true if TEXT is new. */
bool search_highlight(struct view *v, const char *text);

/* Where the flame graph was last drawn. */
struct flame_area view_flame_area(const struct view *v);

void way_fini(struct view *v);
bool way_enter_process(struct view *v);
bool way_enter_cpu(struct view *v);
bool way_enter_group(struct view *v);
bool way_enter_finding(struct view *v);
bool way_enter_event(struct view *v);
bool way_enter_object(struct view *v);
bool way_enter_memory(struct view *v);
bool way_enter_callers(struct view *v);
bool way_enter_function(struct view *v);
bool way_enter_code(struct view *v);

/* Selects the hottest instruction of new rows if `hottest_due`. */
void way_select_code(struct view *v);
bool way_enter_row(struct view *v);
bool way_enter_box(struct view *v);

/* The name of the control group with that key. */
const char *view_group_name(const struct view *v, uint64_t key);

/* "% of shown": the whole, if some samples are hidden; otherwise NULL. */
const char *view_whole(const struct view *v);

/* Appends the path to the shown view: "processes > 4180 cc1plus > threads". */
void way_describe(const struct view *v, struct buf *out);

#endif
