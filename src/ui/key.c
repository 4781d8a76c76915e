/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/key.h"

#include "ui/plain-curses.h"
#include <limits.h>

#include "base/i18n.h"
#include "ui/ui-state.h"
#include "view/kind.h"

void key_quit(struct ui *u, const struct key_row *row)
{
	const char *question = NULL;

	(void)row;
	if (u->mode != &ui_table_mode) {
		ui_leave_menu(u, false);
		return;
	}
	if (!u->leave_question && u->actions.before_leaving)
		question = u->actions.before_leaving(u->actions.context);
	if (question)
		ui_say(u, "%s", question);
	u->leave_question = question != NULL;
	u->leaving = !question;
}

void key_move(struct ui *u, const struct key_row *row)
{
	if (u->mode->move)
		u->mode->move(u, row->argument);
}

void key_page(struct ui *u, const struct key_row *row)
{
	if (u->mode->page)
		u->mode->page(u, (int)row->argument);
}

void key_back(struct ui *u, const struct key_row *row)
{
	(void)row;
	if (u->mode != &ui_table_mode)
		ui_leave_menu(u, true);
	else if (view_back(u->view))
		ui_view_changed(u);
	else if (view_leave_window(u->view))
		ui_window_changed(u);
}

static bool may_choose_window(struct ui *u)
{
	if (!view_has_past(u->view))
		ui_say(u, _("nothing was sampled yet"));
	return view_has_past(u->view);
}

static void act_window(struct ui *u, const struct key_row *row)
{
	if (!may_choose_window(u))
		return;
	if (view_step_window(u->view, (int)row->argument))
		ui_window_changed(u);
	else
		ui_say(u, row->argument < 0 ? _("there is nothing before this")
					    : _("this is now: [ goes back"));
}

static void act_base(struct ui *u, const struct key_row *row)
{
	(void)row;
	if (view_drop_base(u->view))
		ui_say(u, _("no base any more"));
	else if (view_mark_base(u->view))
		ui_say(u, _("this is the base: what follows is compared with it"));
}

static void act_stacks(struct ui *u, const struct key_row *row)
{
	struct error err = { "" };

	(void)row;
	if (u->actions.take_stacks(u->actions.context, &err))
		ui_say(u, "%s", err.text);
	else
		ui_say(u, _("stacks from now on; what was counted before has none"));
}

static void act_java(struct ui *u, const struct key_row *row)
{
	struct error err = { "" };

	(void)row;
	if (u->actions.ask_java(u->actions.context, &err))
		ui_say(u, "%s", err.text);
	else
		ui_say(u, _("Java programs are asked for names; the view of objects says who "
			    "refuses"));
}

static void act_window_width(struct ui *u, const struct key_row *row)
{
	if (!may_choose_window(u))
		return;
	if (view_resize_window(u->view, (int)row->argument))
		ui_window_changed(u);
	else
		ui_say(u, row->argument < 0 ? _("nothing shorter was kept apart")
					    : _("this is all there is"));
}

/* In a tree the arrows open and close; where that does nothing, they go from list to list. */
static void act_side(struct ui *u, const struct key_row *row)
{
	if (view_kind(u->view)->flame)
		view_sideways(u->view, (int)row->argument);
	else if (!view_fold(u->view, row->argument > 0 ? FOLD_OPEN : FOLD_CLOSE))
		view_other_pane(u->view, (int)row->argument);
}

static void act_fold(struct ui *u, const struct key_row *row)
{
	if (!view_kind(u->view)->foldable)
		ui_say(u, _("for trees: the views with the keys 3, 4, 5, C and G"));
	else
		view_fold(u->view, (enum view_fold)row->argument);
}

static void act_toggle(struct ui *u, const struct key_row *row)
{
	if (!view_kind(u->view)->foldable || !view_fold(u->view, FOLD_OPEN))
		act_fold(u, row);
}

static void act_turn_round(struct ui *u, const struct key_row *row)
{
	(void)row;
	if (!view_turn_round(u->view))
		ui_say(u, _("for call trees and flame graphs: the views with the keys 4 and 6"));
}

/* The selected event; in a view without a selection, the event with the largest share. */
static void act_function(struct ui *u, const struct key_row *row)
{
	(void)row;
	if (view_show(u->view, view_kind_find("annotate")))
		ui_view_changed(u);
}

static void act_lines(struct ui *u, const struct key_row *row)
{
	(void)row;
	if (!view_kind(u->view)->code)
		ui_say(u, _("for instructions: Enter or i on a function shows them"));
	else if (!view_next_code_mode(u->view))
		ui_say(u, _("no source lines are known of this function"));
}

static void act_findings(struct ui *u, const struct key_row *row)
{
	(void)row;
	if (view_show(u->view, view_kind_find("findings")))
		ui_view_changed(u);
}

static void act_tree(struct ui *u, const struct key_row *row)
{
	(void)row;
	if (view_show(u->view, view_kind(u->view)->tree ? view_kinds : view_kind_find("tree")))
		ui_view_changed(u);
}

static void act_enter(struct ui *u, const struct key_row *row)
{
	(void)row;
	if (view_enter(u->view))
		ui_view_changed(u);
}

static void act_search_again(struct ui *u, const struct key_row *row)
{
	if (!u->search)
		ui_say(u, _("nothing was searched yet: / asks for a text"));
	else if (!view_search(u->view, u->search, (int)row->argument))
		ui_say(u, _("no other row contains '%s'"), u->search);
}

static void act_sort_step(struct ui *u, const struct key_row *row)
{
	view_sort_step(u->view, (int)row->argument);
}

enum { SORT_CPU, SORT_MEMORY, SORT_TIME, SORT_PID };

static void act_sort_by(struct ui *u, const struct key_row *row)
{
	static const char *const columns[] = {
		[SORT_CPU] = "process.%cpu",
		[SORT_MEMORY] = "process.res",
		[SORT_TIME] = "process.time+",
		[SORT_PID] = "process.pid",
	};

	view_set_sort(u->view, columns[row->argument], NULL);
}

static void act_reverse(struct ui *u, const struct key_row *row)
{
	(void)row;
	view_reverse(u->view);
}

static void act_next_event(struct ui *u, const struct key_row *row)
{
	if (!view_next_event(u->view, (int)row->argument))
		ui_say(u, _("only one event is sampled: start with -e to sample more"));
}

static void act_threads(struct ui *u, const struct key_row *row)
{
	(void)row;
	view_toggle_threads(u->view);
	u->actions.set_threads(u->actions.context, view_threads(u->view));
	ui_view_changed(u);
}

static void act_kernel(struct ui *u, const struct key_row *row)
{
	(void)row;
	view_toggle_kernel(u->view);
}

static void act_user_symbols(struct ui *u, const struct key_row *row)
{
	(void)row;
	view_toggle_user_symbols(u->view);
}

static void act_meter(struct ui *u, const struct key_row *row)
{
	(void)row;
	view_next_meter(u->view);
}

static void act_graph(struct ui *u, const struct key_row *row)
{
	(void)row;
	if (!view_toggle_graph(u->view))
		ui_say(u, _("for processes: the views with the keys 1, 2, 3 and 0"));
}

static void act_of_all(struct ui *u, const struct key_row *row)
{
	(void)row;
	view_toggle_of_all(u->view);
	ui_say(u, view_of_all(u->view) ? _("shares are of all samples of the event")
				       : _("shares are of what is shown"));
}

static void act_zero_mode(struct ui *u, const struct key_row *row)
{
	(void)row;
	u->actions.toggle_zero_mode(u->actions.context);
}

static void act_zero(struct ui *u, const struct key_row *row)
{
	(void)row;
	u->actions.zero(u->actions.context);
	u->actions.refresh(u->actions.context);
}

static void act_pause(struct ui *u, const struct key_row *row)
{
	(void)row;
	u->paused = !u->paused;
	view_set_paused(u->view, u->paused);
	if (!u->paused)
		u->actions.refresh(u->actions.context);
}

bool ui_write_config(struct ui *u)
{
	struct error err = { "" };

	if (!u->actions.write_config)
		return false;
	if (u->actions.write_config(u->actions.context, &err)) {
		ui_say(u, "%s", err.text);
		return false;
	}
	ui_say(u, _("configuration written"));
	return true;
}

static void act_write_config(struct ui *u, const struct key_row *row)
{
	(void)row;
	ui_write_config(u);
}

static void act_redraw(struct ui *u, const struct key_row *row)
{
	(void)u;
	(void)row;
	terminal_redraw();
}

#define FUNCTION_KEY(n) KEY_OF_CURSES(KEY_F(n))

/* In the order of the help; the last line has the same order. */
/* clang-format off */
const struct key_row key_table[] = {
	{ { 'h', '?', FUNCTION_KEY(1) }, "help", N_("Help"), N_("this help"), page_help, 0, 0 },
	{ { ':' }, "palette", N_("Commands"), N_("find anything that can be done, shown or set by a part of its name"), palette_open, 0, 0 },
	{ { 'S', FUNCTION_KEY(2) }, "setup", N_("Setup"), N_("the setup: columns of the lists, and options"), menu_setup, 0, 0 },
	{ { KEY_OF_CURSES(KEY_UP), 'k' }, "up", NULL, N_("one row up"), key_move, -1, 0 },
	{ { KEY_OF_CURSES(KEY_DOWN), 'j' }, "down", NULL, N_("one row down"), key_move, 1, 0 },
	{ { KEY_OF_CURSES(KEY_PPAGE) }, "page-up", NULL, N_("one page up"), key_page, -1, 0 },
	{ { KEY_OF_CURSES(KEY_NPAGE) }, "page-down", NULL, N_("one page down"), key_page, 1, 0 },
	{ { KEY_OF_CURSES(KEY_HOME) }, "first", NULL, N_("to the first row"), key_move, LONG_MIN, 0 },
	{ { KEY_OF_CURSES(KEY_END) }, "last", NULL, N_("to the last row"), key_move, LONG_MAX, 0 },
	{ { KEY_OF_CURSES(KEY_LEFT), '-' }, "left", NULL,
	  N_("in a tree close, then to the row above; else in the upper list; in a flame graph to "
	     "the left"), act_side, -1, 0 },
	{ { KEY_OF_CURSES(KEY_RIGHT), '+' }, "right", NULL,
	  N_("in a tree open; else in the lower list; in a flame graph to the right"), act_side, 1, 0 },
	{ { '*' }, "open-hot", N_("Hot"), N_("in a call tree: open the way of the largest shares from here on"),
	  act_fold, FOLD_HOT, IN_TREE },
	{ { 'o' }, "open-all", N_("Open"), N_("in a tree: open all below this row"), act_fold, FOLD_OPEN_ALL, IN_TREE },
	{ { 'c' }, "close-all", N_("Close"), N_("in a tree: close all below this row"), act_fold, FOLD_CLOSE_ALL, IN_TREE },
	{ { 0 }, "toggle", NULL, N_("in a tree: open this row, or close it"), act_toggle, FOLD_CLOSE, IN_TREE },
	{ { 'b' }, "turn-round", N_("Invert"), N_("a call tree top-down or bottom-up, a flame graph upside down"),
	  act_turn_round, 0, IN_CALLS },
	{ { 'i' }, "instructions", N_("Code"), N_("the instructions of the selected function"), act_function, 0, ON_FUNCTION },
	{ { 'l' }, "lines", N_("Lines"), N_("among instructions: source lines between them, none, lines alone"),
	  act_lines, 0, IN_CODE },
	{ { 'X', FUNCTION_KEY(9) }, "kill", N_("Kill"), N_("send a signal to the selected process, or to those that are tagged"),
	  act_kill, 0, ON_PROCESS | MAY_ACT },
	{ { FUNCTION_KEY(7) }, "nice-lower", N_("Nice -"), N_("lower its nice value by one: it runs sooner; needs root"),
	  act_nice, -1, ON_PROCESS | MAY_ACT },
	{ { FUNCTION_KEY(8) }, "nice-higher", N_("Nice +"), N_("raise its nice value by one: others run sooner"),
	  act_nice, 1, ON_PROCESS | MAY_ACT },
	{ { KEY_OF_CURSES(KEY_IC), 'c' }, "tag", N_("Tag"), N_("tag this process, or no longer: signals, nice values and CPUs are then for all tagged ones"),
	  act_tag, 0, ON_PROCESS | MAY_ACT },
	{ { KEY_CTRL('T') }, "tag-children", NULL, N_("tag this process and all that it started"), act_tag_tree, 0,
	  ON_PROCESS | MAY_ACT },
	{ { KEY_CTRL('U') }, "untag", NULL, N_("drop all tags"), act_untag, 0, MAY_ACT },
	{ { 'F' }, "follow", NULL, N_("the selection stays on its row when others are sorted before it, or no longer"),
	  act_follow, 0, 0 },
	{ { '!' }, NULL, N_("Findings"), N_("the view of findings: what stands out, and why it is slow"), act_findings, 0, 0 },
	{ { 't', FUNCTION_KEY(5) }, "tree", NULL, N_("processes under those that started them, or as a list again"), act_tree, 0, 0 },
	{ { '/', FUNCTION_KEY(3) }, "search", N_("Search"), N_("search a text in the rows, in trees in closed ones, too"), ask_search, 0, 0 },
	{ { 'n' }, "search-next", NULL, N_("next row that contains it"), act_search_again, 1, 0 },
	{ { 'N' }, "search-previous", NULL, N_("previous row that contains it"), act_search_again, -1, 0 },
	{ { '\\', FUNCTION_KEY(4) }, "filter", N_("Filter"), N_("show only rows that contain a text"),
	  ask_filter, 0, 0 },
	{ { FUNCTION_KEY(6) }, "sort", N_("Sort"), N_("choose the column to sort by"), menu_sort, 0, 0 },
	{ { '<' }, "sort-left", NULL, N_("sort by the column to the left"), act_sort_step, -1, 0 },
	{ { '>' }, "sort-right", NULL, N_("sort by the column to the right"), act_sort_step, 1, 0 },
	{ { 'r' }, "sort-reverse", NULL, N_("sort the other way round"), act_reverse, 0, 0 },
	{ { 0 }, "sort-cpu", NULL, N_("sort processes by %CPU"), act_sort_by, SORT_CPU, 0 },
	{ { 'M' }, "sort-memory", NULL, N_("sort processes by resident memory"), act_sort_by, SORT_MEMORY, 0 },
	{ { 'T' }, "sort-time", NULL, N_("sort processes by their CPU time"), act_sort_by, SORT_TIME, 0 },
	{ { 0 }, "sort-pid", NULL, N_("sort processes by pid"), act_sort_by, SORT_PID, 0 },
	{ { 'e' }, "events", N_("Events"), N_("events: switch on or off, add, remove, set the rate"), menu_events, 0, 0 },
	{ { 'a' }, "event-add", N_("Add"), N_("add an event"), event_add, 0, ON_EVENT },
	{ { 'a' }, "affinity", NULL, N_("the CPUs on which the selected process may run"), ask_cpus, 0, ON_PROCESS | MAY_ACT },
	{ { 'I' }, "io-priority", NULL, N_("its priority for reading from and writing to storage"), ask_io, 0,
	  ON_PROCESS | MAY_ACT },
	{ { 's' }, "event-switch", N_("Switch"), N_("in the view of events: switch the selected one on or off"),
	  event_switch, 0, ON_EVENT },
	{ { KEY_OF_CURSES(KEY_DC), 'x' }, "event-remove", N_("Remove"), N_("in the view of events: remove it"),
	  event_remove, 0, ON_EVENT },
	{ { 'f' }, "event-rate", N_("Rate"), N_("in the view of events: its frequency or period"), event_retune, 0, ON_EVENT },
	{ { 'f' }, "facts", NULL, N_("facts about the selected process: command, folders, rights, limits, namespaces, open files; "
		"again: its environment, too"), page_facts, 0, ON_PROCESS },
	{ { '[' }, "time-before", NULL, N_("show the time before: a window of the line over the lists"), act_window, -1, 0 },
	{ { ']' }, "time-behind", NULL, N_("show the time behind it; behind the newest all, or now"), act_window, 1, 0 },
	{ { '{' }, "time-longer", NULL, N_("make the window twice as long"), act_window_width, 1, 0 },
	{ { '}' }, "time-shorter", NULL, N_("make the window half as long"), act_window_width, -1, 0 },
	{ { '=' }, "base", NULL, N_("compare all that follows with what is shown now; again: no more"), act_base, 0, 0 },
	{ { 'g' }, "stacks", NULL, N_("stacks from now on, as with -g; what was counted before stays"), act_stacks, 0, 0 },
	{ { 'J' }, "java-names", NULL, N_("ask Java programs for the names of their code, as with --java-names"), act_java, 0, 0 },
	{ { KEY_TABULATOR }, "event-next", NULL, N_("next sampled event"), act_next_event, 1, 0 },
	{ { KEY_OF_CURSES(KEY_BTAB) }, "event-previous", NULL, N_("previous sampled event"), act_next_event, -1, 0 },
	{ { 'p' }, "pids", N_("Pid"), N_("show only these processes, by a list of pids"), ask_pids, 0, 0 },
	{ { 'u' }, "user", N_("User"), N_("show only the processes of a user"), ask_user, 0, 0 },
	{ { KEY_RETURN }, "enter", N_("Zoom"), N_("one step deeper: the symbols of a process, the instructions of a function, where a "
		"jump goes"),
	  act_enter, 0, 0 },
	{ { KEY_ESC }, NULL, NULL, N_("back to where Enter was, leave a menu"), key_back, 0, 0 },
	{ { 'H' }, "threads", NULL, N_("a row for each thread, or for each process"), act_threads, 0, 0 },
	{ { 'K' }, "hide-kernel", NULL, N_("hide or show kernel symbols"), act_kernel, 0, 0 },
	{ { 'U' }, "hide-user", NULL, N_("hide or show user symbols"), act_user_symbols, 0, 0 },
	{ { 'm' }, "meter", NULL, N_("the CPUs in the header: one bar, a bar for each, a line of heat, none"), act_meter, 0, 0 },
	{ { 'v' }, "graph", NULL, N_("how much CPU the selected process used over time, as a graph below the lists; again: none"),
	  act_graph, 0, 0 },
	{ { '%' }, "of-all", NULL, N_("shares of all samples of the event, or of what is shown"), act_of_all, 0, 0 },
	{ { 'z' }, "zero-mode", NULL, N_("zero mode: every interval starts at zero"), act_zero_mode, 0, 0 },
	{ { 'Z' }, "zero", NULL, N_("forget all samples now"), act_zero, 0, 0 },
	{ { 'd' }, "delay", NULL, N_("refresh interval"), ask_delay, 0, 0 },
	{ { ' ' }, "pause", N_("Pause"), N_("stop and go on with the display; counting never stops"),
	  act_pause, 0, 0 },
	{ { 'P' }, "write", NULL, N_("write a snapshot to a file"), ask_file, 0, 0 },
	{ { 'W' }, "write-configuration", NULL, N_("write the configuration"), act_write_config, 0, 0 },
	{ { KEY_CTRL('L') }, "redraw", NULL, N_("draw the screen anew"), act_redraw, 0, 0 },
	{ { FUNCTION_KEY(10), 'q' }, "quit", N_("Quit"), N_("quit; in a menu: back"), key_quit, 0, 0 },
	{ .act = NULL },
};
/* clang-format on */
