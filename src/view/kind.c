/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/kind.h"

#include <string.h>

#include "base/i18n.h"
#include "view/view-state.h"

const struct view_kind view_kinds[] = {
	{ .name = "processes", .key = '1', .title = N_("processes"),
	  .help = N_("processes, and under them the functions of all of them, or of one"),
	  .table = "processes", .panes = { PANE_PROCESSES, PANE_SYMBOLS }, .pane_count = 2,
	  .enter = way_enter_row },
	{ .name = "threads", .key = '2', .title = N_("threads"),
	  .help = N_("the threads of one process, and its functions"),
	  .table = "processes", .panes = { PANE_THREADS, PANE_SYMBOLS }, .pane_count = 2,
	  .of_process = true, .threads = true, .enter = way_enter_row },
	{ .name = "tree", .key = '3', .title = N_("tree"),
	  .help = N_("processes under those that started them"),
	  .table = "processes", .panes = { PANE_TREE }, .pane_count = 1, .tree = true,
	  .foldable = true,
	  .enter = way_enter_process },
	{ .name = "calltree", .key = '4', .title = N_("calls"),
	  .help = N_("functions under their callers, with what they spent in all; b turns it round, "
		     "* opens the hot way"),
	  .table = "calls", .panes = { PANE_CALLTREE }, .pane_count = 1, .foldable = true,
	  .other = "bottomup", .enter = way_enter_function },
	{ .name = "bottomup", .title = N_("bottom-up"),
	  .help = N_("callers under the functions where time was spent"),
	  .table = "calls", .panes = { PANE_BOTTOMUP }, .pane_count = 1, .foldable = true,
	  .bottom_up = true, .other = "calltree", .enter = way_enter_function },
	{ .name = "callers", .key = '5', .title = N_("callers"),
	  .help = N_("who calls a function, and what it calls"),
	  .table = "callers", .lower_table = "callees",
	  .panes = { PANE_CALLERS, PANE_CALLEES }, .pane_count = 2,
	  .foldable = true, .of_function = true, .enter = way_enter_callers },
	{ .name = "flame", .key = '6', .title = N_("flame"),
	  .help = N_("stacks as boxes, as wide as their share; Enter zooms, / highlights, b turns it "
		     "round"),
	  .table = "calls", .panes = { PANE_FLAME }, .pane_count = 1, .flame = true,
	  .other = "icicle", .enter = way_enter_box },
	{ .name = "icicle", .title = N_("icicle"),
	  .help = N_("the flame graph upside down"),
	  .table = "calls", .panes = { PANE_FLAME }, .pane_count = 1, .flame = true,
	  .icicle = true, .other = "flame", .enter = way_enter_box },
	{ .name = "objects", .key = '7', .title = N_("objects"),
	  .help = N_("programs and libraries: their share, where their symbols came from"),
	  .table = "objects", .panes = { PANE_OBJECTS }, .pane_count = 1,
	  .enter = way_enter_object },
	{ .name = "events", .key = '8', .title = N_("events"),
	  .help = N_("every event, its rate and coverage; a adds, x removes, s switches one, f sets "
		     "its rate"),
	  .table = "events", .panes = { PANE_EVENTS }, .pane_count = 1, .enter = way_enter_event },
	{ .name = "off-cpu", .key = '9', .title = N_("off-CPU"),
	  .help = N_("what threads wait in, and under it who called it, by the time that they wait; "
		     "b turns it round"),
	  .table = "calls", .panes = { PANE_BOTTOMUP }, .pane_count = 1, .foldable = true,
	  .bottom_up = true, .event = EVENT_OFF_CPU, .also = EVENT_RUN_DELAY,
	  .other = "calltree", .enter = way_enter_callers },
	{ .name = "wall", .title = N_("wall clock"),
	  .help = N_("all time of one process, running and waiting, from the outermost callers on"),
	  .table = "calls", .panes = { PANE_CALLTREE }, .pane_count = 1, .foldable = true,
	  .of_process = true, .event = EVENT_WALL_CLOCK, .also = EVENT_RUN_DELAY,
	  .other = "bottomup",
	  .enter = way_enter_callers },
	{ .name = "memory", .key = '0', .title = N_("memory"),
	  .help = N_("what processes have in memory, and page faults by the mapping that they are in "
		     "and by function; Enter shows the mappings of one"),
	  .table = "processes", .panes = { PANE_PROCESSES, PANE_MAPPINGS, PANE_SYMBOLS },
	  .pane_count = 3, .event = EVENT_PAGE_FAULTS, .also = EVENT_MAJOR_FAULTS,
	  .columns = "pid,user,s,faults/s,majflt,res,pss,swap,age,command", .sort = "faults/s,res",
	  .enter = way_enter_memory },
	{ .name = "mappings", .title = N_("mappings"),
	  .help = N_("the mappings of one process: what each holds, and what faults there"),
	  .table = "mappings", .panes = { PANE_MAPPINGS, PANE_SYMBOLS }, .pane_count = 2,
	  .of_process = true, .event = EVENT_PAGE_FAULTS, .also = EVENT_MAJOR_FAULTS,
	  .enter = way_enter_memory },
	{ .name = "annotate", .title = N_("annotate"),
	  .help = N_("the instructions and source lines of one function; Enter follows a jump, l shows "
		     "lines, or lines alone"),
	  .table = "instructions", .panes = { PANE_CODE }, .pane_count = 1, .of_function = true,
	  .code = true, .enter = way_enter_code },
	{ .name = NULL }
};

bool view_kind_of_stacks(const struct view_kind *kind)
{
	return view_table(kind->panes[0]) == CHOICE_CALLS;
}

const struct view_kind *view_kind_find(const char *name)
{
	for (const struct view_kind *k = view_kinds; k->name; k++) {
		if (!strcmp(k->name, name))
			return k;
	}
	return NULL;
}

const struct view_kind *view_kind_of_key(char key)
{
	for (const struct view_kind *k = view_kinds; k->name; k++) {
		if (k->key == key)
			return k;
	}
	return NULL;
}
