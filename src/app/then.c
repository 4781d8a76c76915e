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

struct then {
	struct then_options options;
	struct condition *condition; /* owned, as the runner */
	struct runner *runner;       /* NULL: no command */
	struct writer *writer;       /* borrowed: keeps what --then record writes, or NULL */
	bool recording;              /* a recording is under way, */
	bool waits;                  /* and the command waits for it, */
	struct runner_values values; /* with these */
	bool is_true, acted;         /* acted: since it became true */
	bool ever;
	uint64_t acted_ns; /* CLOCK_MONOTONIC, when EVER */
	struct then_counts counts;
};

static uint64_t now_ns(void)
{
	return clock_monotonic_ns(&clock_system);
}

/* Adds the events of its view and of its columns. */
static int add_events(struct evlist *l, const struct condition *c, const struct options *o,
		      struct error *err)
{
	const struct view_kind *kind = view_kind(condition_view(c));
	const char *event = condition_event(c), *name;

	if (events_sample(l, o, kind->event, false, err) ||
	    events_sample(l, o, kind->also, true, err) ||
	    (event && events_sample_text(l, o, event, err)))
		return -1;
	events_count_ids(l, view_wanted_ids(condition_view(c)));
	for (size_t i = 0; (name = view_wanted_event(condition_view(c), i)); i++)
		events_count(l, name);
	return 0;
}

static int check_options(const struct options *o, struct error *err)
{
	if (!o->when && (o->then_snapshot || o->then_record || o->then_exec))
		return error_set(err, _("--then does nothing without --when CONDITION"));
	if (o->when && o->file)
		return error_set(err, _("--when is about the live machine, not about a recording"));
	return 0;
}

int then_open(struct then **t, const struct then_options *options, struct error *err)
{
	const struct options *o = options->options;
	const struct view_options view = { .columns = o->columns, .event_names = options->events };

	if (check_options(o, err))
		return -1;
	if (!o->when)
		return 0;
	*t = mem_alloc(sizeof(**t));
	(*t)->options = *options;
	(*t)->condition = condition_new(o->when, &view, err);
	return (*t)->condition ? add_events(options->evlist, (*t)->condition, o, err) : -1;
}

int then_start(struct then *t, const struct signals *signals, struct writer *writer,
	       struct error *err)
{
	struct runner_options options = { .signals = signals };

	if (t && t->options.options->then_record)
		t->writer = writer;
	if (!t || !t->options.options->then_exec)
		return 0;
	options.command = t->options.options->then_exec;
	options.silent = !t->options.options->batch;
	t->runner = runner_start(&options);
	return t->runner ? 0 : error_set(err, _("cannot start a process: %s"), strerror(errno));
}

struct view *then_view(const struct then *t)
{
	return t ? condition_view(t->condition) : NULL;
}

size_t then_memory_pids(const struct then *t, uint32_t *pids, size_t max)
{
	return t ? condition_memory_pids(t->condition, pids, max) : 0;
}

static int write_snapshot(const struct then *t, char name[THEN_FILE_NAME_SIZE], struct error *err)
{
	const struct then_file_kind kind = { ".json", 0666, t->options.options->then_files };
	struct view *view = condition_view(t->condition);
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

static void take_snapshot(struct then *t, struct runner_values *values, struct buf *told)
{
	struct error err = { "" };

	if (!write_snapshot(t, values->file, &err)) {
		buf_printf(told, "; %s", values->file);
		return;
	}
	values->file[0] = '\0';
	t->counts.failures++;
	buf_printf(told, "; %s", err.text);
}

/* The file is complete later. */
static void begin_recording(struct then *t, struct buf *told)
{
	const struct then_file_kind kind = { ".data", 0600, t->options.options->then_files };
	struct error err = { "" };
	int fd;

	t->values.recording[0] = '\0';
	if (t->recording) {
		t->counts.failures++;
		buf_add_str(told, _("; the previous recording is still under way"));
		return;
	}
	fd = then_file_make(t->values.recording, &kind, &err);
	t->recording = fd >= 0 && writer_take(t->writer, fd);
	if (t->recording) {
		buf_printf(told, _("; to be recorded: %s"), t->values.recording);
		return;
	}
	t->counts.failures++;
	buf_printf(told, "; %s", err.text);
}

/* After a recording that is under way. */
static void run_command(struct then *t, struct buf *told)
{
	t->waits = t->recording;
	if (t->waits || runner_run(t->runner, &t->values))
		return;
	t->counts.failures++;
	buf_printf(told, "; %s",
		   runner_is_busy(t->runner) ? _("the command of the previous time still runs")
					     : _("the process that runs commands is gone"));
}

static void act(struct then *t, const struct condition_row *row, struct buf *told)
{
	const struct options *o = t->options.options;
	struct runner_values *v = &t->values;

	condition_describe(t->condition, row, told);
	condition_format(t->condition, row, v->number);
	v->pid[0] = v->file[0] = '\0';
	if (row->pid)
		snprintf(v->pid, sizeof(v->pid), "%u", row->pid);
	if (t->writer)
		begin_recording(t, told);
	if (o->then_snapshot)
		take_snapshot(t, v, told);
	if (t->runner)
		run_command(t, told);
	buf_add_char(told, '\n');
}

/* A recording is complete: it is told, and the command that waits for it starts. */
static void take_recording(struct then *t, bool wait, struct buf *told)
{
	struct writer_taken taken;

	if (!t->recording || !writer_taken(t->writer, wait, &taken))
		return;
	t->recording = false;
	if (taken.error) {
		t->counts.failures++;
		unlink(t->values.recording);
		buf_printf(told, _("cannot write '%s': %s\n"), t->values.recording,
			   strerror(-taken.error));
		t->values.recording[0] = '\0';
	} else {
		buf_printf(told, _("recorded: %s: the last %.1f seconds, %" PRIu64 " samples\n"),
			   t->values.recording, (double)(taken.last_ns - taken.first_ns) / 1e9,
			   taken.samples);
	}
	if (t->waits && !runner_run(t->runner, &t->values))
		t->counts.failures++;
	t->waits = false;
}

static bool is_paused(const struct then *t)
{
	double pause_ns = t->options.options->then_pause_s * (double)NS_PER_S;

	return t->ever && (double)(now_ns() - t->acted_ns) < pause_ns;
}

/* A condition that stays true after the pause is acted on then. */
static void look(struct then *t, struct buf *told)
{
	struct condition_row row;
	bool is_true = condition_look(t->condition, &row) == CONDITION_TRUE;
	bool became = is_true && !t->is_true;

	t->acted &= is_true;
	t->is_true = is_true;
	t->counts.became_true += became;
	if (!is_true || t->acted)
		return;
	if (is_paused(t)) {
		t->counts.paused += became;
		return;
	}
	t->counts.paused -= !became;
	t->acted = t->ever = true;
	t->acted_ns = now_ns();
	act(t, &row, told);
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
static void take_end(struct then *t, struct buf *told)
{
	struct runner_end end;

	if (!t->runner || !runner_next(t->runner, &end) || !end.status)
		return;
	t->counts.failures++;
	buf_printf(told, _("command '%s' of --then: "), t->options.options->then_exec);
	describe_end(&end, told);
	buf_add_char(told, '\n');
}

void then_look(struct then *t, struct snapshot *snapshot, struct buf *told)
{
	struct view *view = then_view(t);

	if (!view)
		return;
	take_end(t, told);
	take_recording(t, false, told);
	if (snapshot->past.from_ns || snapshot->past.to_ns)
		return; /* a person looks at the past */
	view_set_snapshot(view, snapshot);
	look(t, told);
	view_take_snapshot(view);
}

static void tell_counts(const struct then *t, struct buf *notes)
{
	const struct options *o = t->options.options;

	if (t->runner && runner_is_busy(t->runner))
		buf_printf(notes, _("command '%s' of --then still runs\n"), o->then_exec);
	if (t->counts.became_true)
		buf_printf(notes,
			   _("times that --when '%s' became true: %" PRIu64 "; within the "
			     "pause of --then-max: %" PRIu64 "; failures: %" PRIu64 "\n"),
			   o->when, t->counts.became_true, t->counts.paused, t->counts.failures);
}

void then_close(struct then *t, struct buf *notes)
{
	if (!t)
		return;
	take_recording(t, true, notes);
	take_end(t, notes);
	tell_counts(t, notes);
	runner_stop(t->runner);
	condition_free(t->condition);
	free(t);
}
