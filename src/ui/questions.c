/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/alloc.h"
#include "base/decimal.h"
#include "base/i18n.h"
#include "base/number-list.h"
#include "ui/key.h"
#include "ui/ui-state.h"

#define RATE_HZ_MAX 10000000u
#define RATE_PERIOD_MAX 1000000000000000u

/* The questions of the last row: one row each. */
struct question {
	const char *label; /* N_() */
	/* Returns 0: done, the prompt closes; or -1 with ERR: the prompt stays, and shows why. */
	int (*accept)(struct ui *u, const char *text, struct error *err);
	void (*changed)(struct ui *u, const char *text); /* after every key; or NULL */
	void (*cancel)(struct ui *u);                    /* undoes `changed`; or NULL */
};

static int accept_search(struct ui *u, const char *text, struct error *err)
{
	if (!*text)
		return 0;
	free(u->search);
	u->search = mem_strdup(text);
	if (!view_search(u->view, text, 0))
		return error_set(err, _("no row contains '%s'"), text);
	return 0;
}

static void changed_search(struct ui *u, const char *text)
{
	view_search(u->view, text, 0);
}

static void changed_filter(struct ui *u, const char *text)
{
	view_set_filter(u->view, text);
}

static int accept_filter(struct ui *u, const char *text, struct error *err)
{
	(void)err;
	view_set_filter(u->view, text);
	return 0;
}

static void cancel_filter(struct ui *u)
{
	view_set_filter(u->view, u->filter);
}

static int accept_pids(struct ui *u, const char *text, struct error *err)
{
	struct number_list pids;

	if (!*text) {
		view_set_pids(u->view, NULL);
		return 0;
	}
	if (number_list_parse(&pids, text, "pid", 0, INT32_MAX, err))
		return -1;
	view_set_pids(u->view, &pids);
	number_list_fini(&pids);
	return 0;
}

static bool user_is_shown(const struct ui *u, const char *text)
{
	const struct snapshot *s = view_snapshot(u->view);
	uint64_t uid = UINT64_MAX;

	decimal_parse_u64(text, 0, UINT32_MAX, &uid);
	for (size_t i = 0; s && i < s->process_count; i++) {
		if (s->processes[i].uid == uid || !strcmp(s->processes[i].user, text))
			return true;
	}
	return false;
}

static int accept_user(struct ui *u, const char *text, struct error *err)
{
	if (*text && !user_is_shown(u, text))
		return error_set(err, _("no process of a user '%s'"), text);
	view_set_user(u->view, text);
	return 0;
}

static int accept_delay(struct ui *u, const char *text, struct error *err)
{
	double seconds;

	if (decimal_parse_double(text, UI_DELAY_MIN_S, UI_DELAY_MAX_S, &seconds))
		return error_set(err, _("'%s' is not a number of seconds from 0.1 to 3600"), text);
	u->options.delay_s = seconds;
	u->actions.set_delay(u->actions.context, seconds);
	return 0;
}

static int accept_file(struct ui *u, const char *text, struct error *err)
{
	if (!*text)
		return 0;
	if (u->actions.write_snapshot(u->actions.context, text, err))
		return -1;
	ui_say(u, _("written: %s"), text);
	return 0;
}

static int accept_events(struct ui *u, const char *text, struct error *err)
{
	if (*text && !started_adopt_text(u, text) &&
	    u->actions.add_events(u->actions.context, text, err))
		return -1;
	u->actions.refresh(u->actions.context);
	return 0;
}

static int accept_rate(struct ui *u, const char *text, struct error *err)
{
	const char *period_word = "period=";
	bool is_period = !strncmp(text, period_word, strlen(period_word));
	uint64_t number;

	if (decimal_parse_u64(is_period ? text + strlen(period_word) : text, 1,
			      is_period ? RATE_PERIOD_MAX : RATE_HZ_MAX, &number))
		return error_set(err,
				 _("'%s' is no frequency in Hz, such as 999, and no period, "
				   "such as period=10000"),
				 text);
	started_adopt(u, u->chosen);
	u->actions.retune_event(u->actions.context, u->chosen, is_period ? 0 : number,
				is_period ? number : 0);
	u->actions.refresh(u->actions.context);
	return 0;
}

static const struct question search_question = {
	.label = N_("Search"),
	.accept = accept_search,
	.changed = changed_search,
};
static const struct question filter_question = {
	.label = N_("Filter"),
	.accept = accept_filter,
	.changed = changed_filter,
	.cancel = cancel_filter,
};
static const struct question pids_question = {
	.label = N_("Show pids (1,4-7; empty: all)"),
	.accept = accept_pids,
};
static const struct question user_question = {
	.label = N_("Show user (empty: all)"),
	.accept = accept_user,
};
static const struct question delay_question = {
	.label = N_("Refresh interval in seconds"),
	.accept = accept_delay,
};
static const struct question file_question = {
	.label = N_("Write snapshot to file"),
	.accept = accept_file,
};

static const struct question cpus_question = {
	.label = N_("May run on these CPUs (0,2-3)"),
	.accept = acts_set_cpus,
};
static const struct question io_question = {
	.label = N_("Storage priority (be 0 to be 7, idle, none)"),
	.accept = acts_set_io,
};

static const struct question events_question = { N_("Add events (as for -e)"), accept_events, NULL,
						 NULL };
static const struct question rate_question = { N_("Frequency in Hz, or period=N"), accept_rate,
					       NULL, NULL };

static int set_option(struct ui *u, const char *name, const char *value, struct error *err)
{
	const char *said = NULL;

	if (u->actions.set_option(u->actions.context, name, value, &said, err))
		return -1;
	ui_say(u, "%s = %s%s%s", name, value, said ? ": " : "", said ? said : "");
	u->setup_changed = true;
	ui_view_changed(u);
	return 0;
}

void ui_set_option(struct ui *u, const char *name, const char *value)
{
	struct error err = { "" };

	if (set_option(u, name, value, &err))
		ui_say(u, "%s", err.text);
}

static int accept_option(struct ui *u, const char *text, struct error *err)
{
	struct ui_option o;

	if (!u->actions.option(u->actions.context, u->chosen, &o))
		return 0;
	return set_option(u, o.name, text, err);
}

static const struct question option_question = { N_("Value"), accept_option, NULL, NULL };

static void ask(struct ui *u, const struct question *q, const char *answer)
{
	u->question = q;
	u->mode = &ui_prompt_mode;
	prompt_start(&u->prompt, answer ? answer : "");
}

void ask_search(struct ui *u, const struct key_row *row)
{
	(void)row;
	view_search_begin(u->view);
	ask(u, &search_question, "");
}

void ask_filter(struct ui *u, const struct key_row *row)
{
	const char *now = view_filter(u->view);

	(void)row;
	free(u->filter);
	u->filter = now ? mem_strdup(now) : NULL;
	ask(u, &filter_question, now);
}

void ask_pids(struct ui *u, const struct key_row *row)
{
	char *now = view_pids_text(u->view);

	(void)row;
	ask(u, &pids_question, now);
	free(now);
}

void ask_user(struct ui *u, const struct key_row *row)
{
	(void)row;
	ask(u, &user_question, view_user(u->view));
}

void ask_delay(struct ui *u, const struct key_row *row)
{
	char *text = mem_printf("%g", u->options.delay_s);

	(void)row;
	ask(u, &delay_question, text);
	free(text);
}

void ask_file(struct ui *u, const struct key_row *row)
{
	time_t now = time(NULL);
	char name[64] = "ptop.txt";
	struct tm local;

	(void)row;
	if (localtime_r(&now, &local))
		strftime(name, sizeof(name), "ptop-%Y%m%d-%H%M%S.txt", &local);
	ask(u, &file_question, name);
}

void ask_task_cpus(struct ui *u, const char *answer)
{
	ask(u, &cpus_question, answer);
}

void ask_task_io(struct ui *u, const char *answer)
{
	ask(u, &io_question, answer);
}

void ask_events(struct ui *u)
{
	ask(u, &events_question, "");
}

void ask_rate(struct ui *u, size_t event)
{
	const struct snapshot_event *e = &view_snapshot(u->view)->events[event];
	char *text = e->frequency_hz ? mem_printf("%llu", (unsigned long long)e->frequency_hz)
				     : mem_printf("period=%llu", (unsigned long long)e->period);

	u->chosen = event;
	ask(u, &rate_question, text);
	free(text);
}

void ui_change_option(struct ui *u, size_t number, const char *value)
{
	struct ui_option o;

	if (!u->actions.option(u->actions.context, number, &o))
		return;
	u->chosen = number;
	if (!o.argument && !*value)
		value = strcmp(o.value, "yes") ? "yes" : "no";
	if (!*value && ui_choose_value(u, number))
		return;
	if (!*value)
		ask(u, &option_question, o.value);
	else
		ui_set_option(u, o.name, value);
}

/* Returns to the mode before the question. */
static void prompt_leave(struct ui *u)
{
	if (u->menu)
		u->mode = &ui_menu_mode;
	else
		ui_leave_mode(u);
}

static void prompt_mode_key(struct ui *u, uint32_t key)
{
	const struct question *q = u->question;
	enum prompt_result result = prompt_key(&u->prompt, key);
	struct error err = { "" };
	char *text = prompt_text(&u->prompt);

	if (result == PROMPT_CHANGED && q->changed)
		q->changed(u, text);
	if (result == PROMPT_CANCELLED && q->cancel)
		q->cancel(u);
	if (result == PROMPT_CANCELLED || (result == PROMPT_ACCEPTED && !q->accept(u, text, &err)))
		prompt_leave(u);
	snprintf(u->prompt.error, sizeof(u->prompt.error), "%.*s", (int)sizeof(u->prompt.error) - 1,
		 err.text);
	free(text);
}

static void prompt_mode_draw(struct ui *u)
{
	(u->menu ? &ui_menu_mode : &ui_table_mode)->draw(u);
	u->cursor = prompt_draw(&u->prompt, _(u->question->label), u->grid);
}

/* A click beside the question gives it up. */
static void prompt_mode_click(struct ui *u, int row, int column, bool twice)
{
	(void)column;
	(void)twice;
	if (!ui_in_last_row(u, row))
		ui_press(u, KEY_ESC);
}

const struct ui_mode ui_prompt_mode = {
	.key = prompt_mode_key, .draw = prompt_mode_draw, .click = prompt_mode_click, .typing = true
};
