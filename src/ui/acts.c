/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The acts on processes: signals, nice values, CPUs.  The processes are those that were chosen when
 * the question was asked; what changes on the screen meanwhile changes nothing about that.
 */
#include "ui/plain-curses.h"
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/alloc.h"
#include "base/i18n.h"
#include "ui/key.h"
#include "ui/ui-state.h"
#include "view/widget/text.h"

#define TASKS_MAX 4096 /* tagged at once */

/* The signals that people send, the usual first; see signal(7). */
/* clang-format off */
static const struct {
	int number;
	const char *name, *help; /* without SIG; N_() */
} signals[] = {
	{ SIGTERM, "TERM", N_("asks it to end") },
	{ SIGKILL, "KILL", N_("ends it; it can neither refuse nor tidy up") },
	{ SIGINT, "INT", N_("as Ctrl-C does") },
	{ SIGHUP, "HUP", N_("its terminal has gone; many daemons read their settings again") },
	{ SIGQUIT, "QUIT", N_("as Ctrl-\\ does: ends it with a core file; Java prints its threads") },
	{ SIGABRT, "ABRT", N_("ends it with a core file") },
	{ SIGSTOP, "STOP", N_("stops it until CONT") },
	{ SIGCONT, "CONT", N_("lets it go on after STOP") },
	{ SIGTSTP, "TSTP", N_("as Ctrl-Z does") },
	{ SIGUSR1, "USR1", N_("what the program makes of it; without that it ends") },
	{ SIGUSR2, "USR2", N_("what the program makes of it; without that it ends") },
	{ SIGALRM, "ALRM", N_("a timer has expired; without a handler it ends") },
	{ SIGWINCH, "WINCH", N_("its window has another size") },
};
/* clang-format on */
#define SIGNALS (sizeof(signals) / sizeof(*signals))

/* The key first. */
static const char answer_yes[] = N_("y: yes");

struct ui_task ui_task_of(const struct ui *u, const struct snapshot_process *p)
{
	struct ui_task t = { .pid = p->pid,
			     .tid = p->tid,
			     .start_ticks = p->start_ticks,
			     .kernel = p->kernel,
			     .started_s = view_started_s(u->view, p) };

	snprintf(t.comm, sizeof(t.comm), "%s", p->comm);
	return t;
}

/* Keeps what acts are for now.  Returns false, and says why, if there is nothing. */
static bool choose(struct ui *u)
{
	const struct snapshot_process **chosen;
	size_t count;

	u->task_count = 0;
	if (!u->actions.acts) {
		ui_say(u, _("nothing is changed here: a recording is shown, or --read-only was "
			    "given"));
		return false;
	}
	chosen = mem_array(TASKS_MAX, sizeof(const struct snapshot_process *));
	count = view_chosen(u->view, chosen, TASKS_MAX);
	count = count < TASKS_MAX ? count : TASKS_MAX;
	free(u->tasks);
	u->tasks = mem_array(count, sizeof(*u->tasks));
	for (size_t i = 0; i < count; i++)
		u->tasks[i] = ui_task_of(u, chosen[i]);
	u->task_count = count;
	free(chosen);
	if (count)
		view_hold(u->view); /* the same key again is for the same process */
	else
		ui_say(u, _("select a process that still runs: the views with the keys 1, 2, 3 and "
			    "0 have them"));
	return count > 0;
}

/* "812 (postgres), since 17:31:02", or "3 processes". */
static void describe_tasks(const struct ui *u, struct buf *out)
{
	const struct ui_task *t = u->tasks;
	time_t began = isnan(t->started_s) ? 0 : (time_t)t->started_s;
	char text[32] = "-";
	struct tm local;

	if (u->task_count > 1) {
		buf_printf(out, ngettext("%zu process", "%zu processes", u->task_count),
			   u->task_count);
		return;
	}
	if (began > 0 && localtime_r(&began, &local))
		strftime(text, sizeof(text),
			 time(NULL) - began < 86400 ? "%H:%M:%S" : "%Y-%m-%d %H:%M", &local);
	buf_printf(out, _("%u (%s), since %s"), t->tid ? t->tid : t->pid, t->comm, text);
}

/* Signals. */

static void fill_signals(struct ui *u)
{
	struct menu_item items[SIGNALS];
	char texts[SIGNALS][128];

	for (size_t i = 0; i < SIGNALS; i++) {
		snprintf(texts[i], sizeof(texts[i]), "%2d  %s", signals[i].number,
			 _(signals[i].help));
		items[i] = (struct menu_item){ .name = signals[i].name, .status = texts[i] };
	}
	menu_set(u->menu, items, SIGNALS);
}

static const char *signal_name(int number)
{
	size_t i = 0;

	while (i + 1 < SIGNALS && signals[i].number != number)
		i++;
	return signals[i].name;
}

static bool accept_signal(struct ui *u, size_t item)
{
	struct buf whom = { 0 };

	if (item >= SIGNALS)
		return false;
	u->signal = signals[item].number;
	ui_leave_mode(u);
	describe_tasks(u, &whom);
	ui_say(u, _("send SIG%s to %s?  %s, any other key: no"), signals[item].name, whom.bytes,
	       _(answer_yes));
	buf_fini(&whom);
	u->mode = &ui_yes_mode;
	return false; /* the menu has gone already */
}

static const struct choice signal_choice = {
	.title = N_("Send a signal"),
	.hint = N_("Enter sends it, after a question   a letter jumps   Esc back"),
	.fill = fill_signals,
	.accept = accept_signal,
	.jumps = true,
};

/* Signals are for processes: of several threads of one it gets one. */
static void join_threads(struct ui *u)
{
	size_t kept = 0;

	for (size_t i = 0; i < u->task_count; i++) {
		bool again = false;

		for (size_t k = 0; k < kept && !again; k++)
			again = u->tasks[k].pid == u->tasks[i].pid;
		u->tasks[kept] = u->tasks[i];
		u->tasks[kept].tid = 0;
		kept += !again;
	}
	u->task_count = kept;
}

void act_kill(struct ui *u, const struct key_row *row)
{
	struct buf title = { 0 };

	(void)row;
	if (!choose(u))
		return;
	join_threads(u);
	buf_printf(&title, "%s: ", _("Send a signal"));
	describe_tasks(u, &title);
	ui_open_menu(u, &signal_choice, title.bytes);
	buf_fini(&title);
}

/* Says that DONE of the tasks were served, or what went wrong with the first that was not. */
static void tell(struct ui *u, size_t done, const struct error *err, const char *what)
{
	if (err->text[0] && u->task_count > 1)
		ui_say(u, _("%s (%zu of %zu done)"), err->text, done, u->task_count);
	else
		ui_say(u, "%s", err->text[0] ? err->text : what);
	u->actions.refresh(u->actions.context);
}

static void send_signals(struct ui *u)
{
	struct error err = { "" }, first = { "" };
	struct buf text = { 0 };
	size_t done = 0;

	for (size_t i = 0; i < u->task_count; i++) {
		if (!u->actions.acts->send(&u->tasks[i], u->signal, &err))
			done++;
		else if (!first.text[0])
			first = err;
	}
	buf_printf(&text, _("SIG%s sent to "), signal_name(u->signal));
	describe_tasks(u, &text);
	tell(u, done, &first, text.bytes);
	buf_fini(&text);
}

/* The letter of "yes" in the person's language is as good as y. */
static void yes_mode_key(struct ui *u, uint32_t key)
{
	const char *letter = _(answer_yes);

	ui_leave_mode(u);
	if (key == 'y' || key == (unsigned char)*letter)
		send_signals(u);
	else
		ui_say(u, _("nothing was sent"));
}

static void yes_mode_draw(struct ui *u)
{
	ui_table_mode.draw(u);
}

/* Returns the last column of ROW where TEXT begins, -1: it is not there. */
static int column_of(const struct grid *g, int row, const char *text)
{
	for (int column = grid_columns(g) - 1; column >= 0; column--) {
		const char *rest = text;
		int at = column, width = 0;
		const struct grid_cell *cell = grid_at(g, row, at);

		while (*rest && cell && cell->text[0] == text_next(&rest, &width)) {
			at += width;
			cell = grid_at(g, row, at);
			if (!*rest)
				return column;
		}
	}
	return -1;
}

/* The question is below all rows, so the lowest answer on the screen is its. */
static void yes_mode_click(struct ui *u, int row, int column, bool twice)
{
	const char *answer = _(answer_yes);
	int at = -1, in = grid_rows(u->grid);

	(void)twice;
	while (at < 0 && in > 0)
		at = column_of(u->grid, --in, answer);
	if (row == in && at >= 0 && column >= at && column < at + text_width(answer))
		ui_press(u, 'y');
	else
		ui_press(u, KEY_ESC);
}

const struct ui_mode ui_yes_mode = {
	.key = yes_mode_key, .draw = yes_mode_draw, .click = yes_mode_click, .typing = true
};

/* Nice values, CPUs, storage. */

void act_nice(struct ui *u, const struct key_row *row)
{
	struct error err = { "" }, first = { "" };
	struct buf text = { 0 };
	size_t done = 0;
	int now = 0;

	if (!choose(u))
		return;
	for (size_t i = 0; i < u->task_count; i++) {
		if (!u->actions.acts->renice(&u->tasks[i], (int)row->argument, &now, &err))
			done++;
		else if (!first.text[0])
			first = err;
	}
	describe_tasks(u, &text);
	buf_printf(&text, _(": nice value %d"), now);
	tell(u, done, &first, text.bytes);
	buf_fini(&text);
}

static int set_all(struct ui *u, const char *text,
		   int (*set)(const struct ui_task *t, const char *text, struct error *err),
		   struct error *err)
{
	struct buf whom = { 0 };

	for (size_t i = 0; i < u->task_count; i++) {
		if (set(&u->tasks[i], text, err))
			return -1;
	}
	describe_tasks(u, &whom);
	ui_say(u, "%s: %s", whom.bytes, text);
	buf_fini(&whom);
	u->actions.refresh(u->actions.context);
	return 0;
}

int acts_set_cpus(struct ui *u, const char *text, struct error *err)
{
	return set_all(u, text, u->actions.acts->set_cpus, err);
}

int acts_set_io(struct ui *u, const char *text, struct error *err)
{
	return set_all(u, text, u->actions.acts->set_io, err);
}

static void ask_with(struct ui *u,
		     int (*get)(const struct ui_task *t, struct buf *out, struct error *err),
		     void (*ask)(struct ui *u, const char *answer))
{
	struct error err = { "" };
	struct buf now = { 0 };

	if (get(u->tasks, &now, &err))
		ui_say(u, "%s", err.text);
	else
		ask(u, now.bytes);
	buf_fini(&now);
}

void ask_cpus(struct ui *u, const struct key_row *row)
{
	(void)row;
	if (choose(u))
		ask_with(u, u->actions.acts->get_cpus, ask_task_cpus);
}

void ask_io(struct ui *u, const struct key_row *row)
{
	(void)row;
	if (choose(u))
		ask_with(u, u->actions.acts->get_io, ask_task_io);
}

/* Tags. */

static void tell_tags(struct ui *u, bool done)
{
	const struct snapshot_process *one[1];

	if (!u->actions.acts)
		choose(u); /* says why */
	else if (!done)
		ui_say(u, _("select a process that still runs: the views with the keys 1, 2, 3 and "
			    "0 have them"));
	else if (view_has_tags(u->view))
		ui_say(u, _("%zu tagged"), view_chosen(u->view, one, 1));
}

void act_tag(struct ui *u, const struct key_row *row)
{
	(void)row;
	tell_tags(u, u->actions.acts && view_toggle_tag(u->view));
}

void act_tag_tree(struct ui *u, const struct key_row *row)
{
	(void)row;
	tell_tags(u, u->actions.acts && view_tag_tree(u->view));
}

void act_untag(struct ui *u, const struct key_row *row)
{
	(void)row;
	ui_say(u, view_drop_tags(u->view) ? _("no tags any more") : _("nothing is tagged"));
}

void act_follow(struct ui *u, const struct key_row *row)
{
	(void)row;
	ui_say(u, view_follow(u->view) ? _("the selection follows its row")
				       : _("the selection stays in its place"));
}
