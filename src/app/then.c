/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "app/then.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "app/events.h"
#include "app/runner.h"
#include "app/then-file.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/i18n.h"
#include "output/output.h"
#include "view/condition.h"
#include "view/kind.h"

/* How often.  The sum of the others is at most `became_true`. */
struct then_counts {
	uint64_t became_true,
		paused;    /* paused: nothing was done, so soon after the previous time */
	uint64_t failures; /* of what was done */
};

struct trigger {
	const struct option_trigger *option; /* borrowed */
	struct condition *condition;         /* owned, as the runner */
	struct runner *runner;               /* NULL: no command */
	bool recorded;                       /* the recording that is under way is for it, too, */
	bool waits;                          /* and the command waits for it, */
	struct runner_values values;         /* with these */
	bool is_true, acted;                 /* acted: since it became true */
	bool ever;
	uint64_t acted_ns; /* CLOCK_MONOTONIC, when EVER */
	struct then_counts counts;
};

struct then {
	struct then_options options;
	struct trigger *triggers; /* owned */
	size_t count;
	struct writer *writer; /* borrowed: keeps what --then record writes, or NULL */
	bool recording;        /* a recording is under way, */
	bool fresh;            /* which ends with the snapshot that is looked at, */
	char recording_name[THEN_FILE_NAME_SIZE]; /* in this file */
};

static uint64_t now_ns(void)
{
	return clock_monotonic_ns(&clock_system);
}

/* Adds the events of a comparison: of VIEW, of its columns, and EVENT unless that is NULL. */
static int add_events(struct then *t, const struct view *view, const char *event, struct error *err)
{
	const struct options *o = t->options.options;
	const struct view_kind *kind = view_kind(view);
	struct evlist *l = t->options.evlist;
	const char *name;

	if (events_sample(l, o, kind->event, false, err) ||
	    events_sample(l, o, kind->also, true, err) ||
	    (event && events_sample_text(l, o, event, err)))
		return -1;
	events_count_ids(l, view_wanted_ids(view));
	for (size_t i = 0; (name = view_wanted_event(view, i)); i++)
		events_count(l, name);
	return 0;
}

static int check_trigger(const struct option_trigger *t, const struct options *o, struct error *err)
{
	if (!t->when)
		return error_set(err, _("--then does nothing without --when CONDITION"));
	if (t->early && o->trigger_count > 1)
		return error_set(err, _("with several --when each --then stands behind its own"));
	if (t->snapshot && !output_format_find("json"))
		return error_set(err, _("--then snapshot needs a build of ptop with jansson"));
	return 0;
}

static int open_trigger(struct then *t, const struct option_trigger *option, struct error *err)
{
	const struct options *o = t->options.options;
	const struct view_options view = { .columns = o->columns,
					   .event_names = t->options.events };
	struct trigger *trigger = &t->triggers[t->count];

	if (check_trigger(option, o, err))
		return -1;
	trigger->option = option;
	trigger->condition = condition_new(option->when, &view, err);
	if (!trigger->condition)
		return -1;
	t->count++;
	for (size_t i = 0; i < condition_count(trigger->condition); i++) {
		if (add_events(t, condition_view(trigger->condition, i),
			       condition_event(trigger->condition, i), err))
			return -1;
	}
	return 0;
}

int then_open(struct then **t, const struct then_options *options, struct error *err)
{
	const struct options *o = options->options;
	int failed = 0;

	if (!o->trigger_count)
		return 0;
	if (o->file)
		return error_set(err, _("--when is about the live machine, not about a recording"));
	*t = mem_alloc(sizeof(**t));
	(*t)->options = *options;
	(*t)->triggers = mem_array(o->trigger_count, sizeof(*(*t)->triggers));
	for (size_t i = 0; i < o->trigger_count && !failed; i++)
		failed = open_trigger(*t, &o->triggers[i], err);
	return failed;
}

int then_start(struct then *t, const struct signals *signals, struct writer *writer,
	       struct error *err)
{
	struct runner_options options = { .signals = signals };

	if (!t)
		return 0;
	t->writer = writer;
	options.silent = !t->options.options->batch;
	for (size_t i = 0; i < t->count; i++) {
		options.command = t->triggers[i].option->exec;
		if (!options.command)
			continue;
		t->triggers[i].runner = runner_start(&options);
		if (!t->triggers[i].runner)
			return error_set(err, _("cannot start a process: %s"), strerror(errno));
	}
	return 0;
}

static void add_needs(struct then_needs *needs, const struct view *view)
{
	bool groups = false;

	view_group_ids(view, NULL, 0, &groups);
	needs->groups |= groups;
	needs->extras |= view_extras(view);
	needs->stacks |= view_kind_of_stacks(view_kind(view));
}

struct then_needs then_needs(const struct then *t)
{
	struct then_needs needs = { .extras = 0 };

	for (size_t i = 0; t && i < t->count; i++) {
		const struct condition *c = t->triggers[i].condition;

		if (t->triggers[i].option->snapshot)
			needs.extras |= EXTRA_OF_OUTPUT;
		for (size_t k = 0; k < condition_count(c); k++)
			add_needs(&needs, condition_view(c, k));
	}
	return needs;
}

size_t then_memory_pids(const struct then *t, uint32_t *pids, size_t max)
{
	size_t count = 0;

	for (size_t i = 0; t && i < t->count; i++)
		count += condition_memory_pids(t->triggers[i].condition, pids + count, max - count);
	return count;
}

/* The row that decided comes first in VIEW. */
static int write_snapshot(const struct then *t, struct view *view, char name[THEN_FILE_NAME_SIZE],
			  struct error *err)
{
	const struct then_file_kind kind = { ".json", 0666, t->options.options->then_files };
	const struct output_request request = { .view = view, .first = true };
	struct buf bytes = { 0 };
	int failed;

	view_set_limits(view, t->options.limit_processes, t->options.limit_symbols);
	failed = output_format_find("json")->write(&bytes, &request, err);
	view_set_limits(view, 0, 0);
	if (!failed)
		failed = then_file_write(name, &kind, &bytes, err);
	buf_fini(&bytes);
	return failed;
}

/* Acting.  Each appends to TOLD what it did, for the line of this moment. */

static void take_snapshot(const struct then *t, struct trigger *trigger, struct view *view,
			  struct buf *told)
{
	struct error err = { "" };

	if (!write_snapshot(t, view, trigger->values.file, &err)) {
		buf_printf(told, "; %s", trigger->values.file);
		return;
	}
	trigger->values.file[0] = '\0';
	trigger->counts.failures++;
	buf_printf(told, "; %s", err.text);
}

/* The file is complete later.  Returns true if there is one that ends now, made for TRIGGER or an earlier one. */
static bool begin_recording(struct then *t, struct error *err)
{
	const struct then_file_kind kind = { ".data", 0600, t->options.options->then_files };
	int fd;

	if (t->recording && !t->fresh)
		error_set(err, _("the previous recording is still under way"));
	if (t->recording)
		return t->fresh;
	fd = then_file_make(t->recording_name, &kind, err);
	t->recording = t->fresh = fd >= 0 && writer_take(t->writer, fd);
	return t->recording;
}

static void record(struct then *t, struct trigger *trigger, struct buf *told)
{
	struct error err = { "" };

	if (begin_recording(t, &err)) {
		trigger->recorded = true;
		memcpy(trigger->values.recording, t->recording_name, sizeof(t->recording_name));
		buf_printf(told, _("; to be recorded: %s"), t->recording_name);
		return;
	}
	trigger->counts.failures++;
	buf_printf(told, "; %s", err.text);
}

/* After a recording that is under way. */
static void run_command(struct trigger *t, struct buf *told)
{
	t->waits = t->recorded;
	if (t->waits || runner_run(t->runner, &t->values))
		return;
	t->counts.failures++;
	buf_printf(told, "; %s",
		   runner_is_busy(t->runner) ? _("the command of the previous time still runs")
					     : _("the process that runs commands is gone"));
}

static void act(struct then *t, struct trigger *trigger, const struct condition_row *row,
		struct buf *told)
{
	struct runner_values *v = &trigger->values;

	condition_describe(trigger->condition, told);
	snprintf(v->number, sizeof(v->number), "%s", row->text);
	v->pid[0] = v->file[0] = '\0';
	if (!trigger->recorded)
		v->recording[0] = '\0';
	if (row->pid)
		snprintf(v->pid, sizeof(v->pid), "%u", row->pid);
	if (trigger->option->record)
		record(t, trigger, told);
	if (trigger->option->snapshot)
		take_snapshot(t, trigger, row->view, told);
	if (trigger->runner)
		run_command(trigger, told);
	buf_add_char(told, '\n');
}

/* The recording that TRIGGER waits for is complete, or, if it FAILED, gone. */
static void end_recording(struct trigger *trigger, bool failed)
{
	if (!trigger->recorded)
		return;
	trigger->recorded = false;
	if (failed) {
		trigger->counts.failures++;
		trigger->values.recording[0] = '\0';
	}
	if (trigger->waits && !runner_run(trigger->runner, &trigger->values))
		trigger->counts.failures++;
	trigger->waits = false;
}

/* A recording is complete: it is told, and the commands that wait for it start. */
static void take_recording(struct then *t, bool wait, struct buf *told)
{
	struct writer_taken taken;

	if (!t->recording || !writer_taken(t->writer, wait, &taken))
		return;
	t->recording = false;
	if (taken.error) {
		unlink(t->recording_name);
		buf_printf(told, _("cannot write '%s': %s\n"), t->recording_name,
			   strerror(-taken.error));
	} else {
		buf_printf(told,
			   ngettext("recorded: %s: the last %.1f seconds, %" PRIu64 " sample\n",
				    "recorded: %s: the last %.1f seconds, %" PRIu64 " samples\n",
				    taken.samples),
			   t->recording_name, (double)(taken.last_ns - taken.first_ns) / 1e9,
			   taken.samples);
	}
	for (size_t i = 0; i < t->count; i++)
		end_recording(&t->triggers[i], taken.error);
}

static bool is_paused(const struct then *t, const struct trigger *trigger)
{
	double pause_ns = t->options.options->then_pause_s * (double)NS_PER_S;

	return trigger->ever && (double)(now_ns() - trigger->acted_ns) < pause_ns;
}

/* A condition that stays true after the pause is acted on then. */
static void look(struct then *t, struct trigger *trigger, struct snapshot *snapshot,
		 struct buf *told)
{
	struct condition_row row;
	bool is_true = condition_look(trigger->condition, snapshot, &row) == CONDITION_TRUE;
	bool became = is_true && !trigger->is_true;

	trigger->acted &= is_true;
	trigger->is_true = is_true;
	trigger->counts.became_true += became;
	if (!is_true || trigger->acted)
		return;
	if (is_paused(t, trigger)) {
		trigger->counts.paused += became;
		return;
	}
	trigger->counts.paused -= !became;
	trigger->acted = trigger->ever = true;
	trigger->acted_ns = now_ns();
	act(t, trigger, &row, told);
}

static void describe_end(const struct runner_end *end, struct buf *line)
{
	if (end->status < 0)
		buf_add_str(line, _("it could not be started"));
	else if (end->timed_out)
		buf_printf(line, _("it was killed after %d seconds"), RUNNER_DEADLINE_S);
	else if (WIFSIGNALED(end->status))
		buf_printf(line, _("it was killed by signal %d"), WTERMSIG(end->status));
	else
		buf_printf(line, _("it ended with %d"), WEXITSTATUS(end->status));
}

/* A command that did what it should is not worth a line. */
static void take_end(struct trigger *t, struct buf *told)
{
	struct runner_end end;

	if (!t->runner || !runner_next(t->runner, &end) || !end.status)
		return;
	t->counts.failures++;
	buf_printf(told, _("command '%s' of --then: "), t->option->exec);
	describe_end(&end, told);
	buf_add_char(told, '\n');
}

void then_look(struct then *t, struct snapshot *snapshot, struct buf *told)
{
	if (!t)
		return;
	for (size_t i = 0; i < t->count; i++)
		take_end(&t->triggers[i], told);
	take_recording(t, false, told);
	t->fresh = false;
	if (snapshot->past.from_ns || snapshot->past.to_ns)
		return; /* a person looks at the past */
	for (size_t i = 0; i < t->count; i++) {
		look(t, &t->triggers[i], snapshot, told);
		condition_forget(t->triggers[i].condition);
	}
}

size_t then_triggers(const struct then *t, struct output_trigger *out)
{
	for (size_t i = 0; t && i < t->count; i++) {
		const struct trigger *trigger = &t->triggers[i];

		out[i] = (struct output_trigger){ .condition = trigger->option->when,
						  .holds = trigger->is_true,
						  .became_true = trigger->counts.became_true,
						  .paused = trigger->counts.paused,
						  .failures = trigger->counts.failures };
	}
	return t ? t->count : 0;
}

static void tell_counts(const struct trigger *t, struct buf *notes)
{
	if (t->runner && runner_is_busy(t->runner))
		buf_printf(notes, _("command '%s' of --then still runs\n"), t->option->exec);
	if (t->counts.became_true)
		buf_printf(notes,
			   _("times that --when '%s' became true: %" PRIu64 "; within the "
			     "pause of --then-max: %" PRIu64 "; failures: %" PRIu64 "\n"),
			   t->option->when, t->counts.became_true, t->counts.paused,
			   t->counts.failures);
}

static void close_trigger(struct trigger *t, struct buf *notes)
{
	take_end(t, notes);
	tell_counts(t, notes);
	runner_stop(t->runner);
	condition_free(t->condition);
}

void then_close(struct then *t, struct buf *notes)
{
	if (!t)
		return;
	take_recording(t, true, notes);
	for (size_t i = 0; i < t->count; i++)
		close_trigger(&t->triggers[i], notes);
	free(t->triggers);
	free(t);
}
