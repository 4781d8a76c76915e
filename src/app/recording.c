/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "app/recording.h"

#include <math.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "app/time-range.h"
#include "base/alloc.h"
#include "base/i18n.h"
#include "perf/event/event.h"
#include "perf/data/file.h"
#include "view/kind.h"

#define PROGRESS_MS 500
#define FLUSH_BYTES (64u * 1024)

/* Writes what has gathered; nothing more once that has failed. */
static void flush_samples(struct session *s)
{
	struct sample_lines *lines = &s->samples;

	if (!lines->result)
		lines->result =
			output_write(s->output.fd, s->output.name, &lines->text, &lines->error);
	buf_clear(&lines->text);
}

/* In the collector's thread; the main thread looks at the lines when that has ended its work. */
static void on_sample(void *context, const struct engine_sample *from)
{
	struct session *s = context;
	const struct record *r = from->record;
	bool unnamed = frame_flags(from->frames, from->frame) & FRAME_UNNAMED;
	const struct output_sample sample = {
		.time_ns = r->time_ns,
		.comm = from->thread->comm,
		.pid = r->pid,
		.tid = r->tid,
		.cpu = r->cpu,
		.event = s->evlist->items[r->event]->name,
		.period = r->sample.period,
		.address = r->sample.ip,
		.symbol = unnamed ? "[unknown]" : frame_symbol(from->frames, from->frame),
		.named = from->named && !unnamed,
		.offset = from->offset,
		.object = frame_object_path(from->frames, from->frame),
	};

	s->output.format->sample(&s->samples.text, &sample);
	if (s->samples.text.size >= FLUSH_BYTES)
		flush_samples(s);
}

/*
 * Adds the events of time if stacks are wanted, or if the view or a column shows such an event; these
 * then want stacks.  Returns -1 with ERR set if the recording lacks the data for that view.
 */
static int open_times(const struct session *s, struct source *source,
		      struct collector_options *options, struct error *err)
{
	const struct stack_choice stacks = { STACK_AUTO, 0 };
	enum event_id shown = view_kind(s->view)->event;
	bool of_time = event_at(shown)->type == EVENT_TYPE_TIME && shown != EVENT_SYSCALLS;

	bool of_column = view_wanted_ids(s->view) >> EVENT_LATENCY & 1;

	if (!of_time && !of_column && !options->engine.target.callchains)
		return 0;
	if (file_source_tell_times(source, of_time ? err : NULL))
		return of_time ? -1 : 0;
	if (!options->engine.target.callchains)
		source_options_choose_stacks(&options->engine.target, &stacks);
	return 0;
}

/* Adds the event of system calls if they were recorded.  -1 with ERR set if the view lacks them. */
static int open_calls(const struct session *s, struct source *source, struct error *err)
{
	bool shown = view_kind(s->view)->event == EVENT_SYSCALLS;

	return file_source_tell_calls(source, shown ? err : NULL) && shown ? -1 : 0;
}

static int set_range(const struct session *s, const struct source *source,
		     struct collector_options *options, struct error *err)
{
	struct time_range range;

	if (!s->options->time)
		return 0;
	if (time_range_parse(s->options->time, &range, err) ||
	    time_range_resolve(&range, source->machine, err))
		return -1;
	options->engine.from_ns = range.from_ns;
	options->engine.to_ns = range.to_ns;
	return 0;
}

struct source *recording_open(struct session *s, struct collector_options *options,
			      struct error *err)
{
	struct source *source;

	options->once = s->options->batch;
	if (s->output.format && s->output.format->sample) {
		options->engine.listener = on_sample;
		options->engine.listener_context = s;
	}
	source = file_source_open(s->evlist, s->options->file, err);
	if (source && (set_range(s, source, options, err) || open_calls(s, source, err) ||
		       open_times(s, source, options, err))) {
		source_close(source);
		return NULL;
	}
	return source;
}

/* Shows the progress where a person waits for it; "\r" overwrites the line, and "" clears it. */
static void show_progress(const struct session *s, bool ended)
{
	double part = collector_progress(s->collector);
	struct buf line = { 0 };

	if (!isatty(STDERR_FILENO))
		return;
	buf_add_str(&line, "\r\033[K");
	if (!ended && isnan(part))
		buf_printf(&line, _("reading the recording"));
	else if (!ended)
		buf_printf(&line, _("reading the recording: %.0f %%"), 100 * part);
	output_write(STDERR_FILENO, _("standard error"), &line, NULL);
	buf_fini(&line);
}

/* Until all of it is read; false when a signal asks us to end. */
static bool wait_for_end(struct session *s)
{
	struct pollfd fds[] = { { .fd = s->signals.fd, .events = POLLIN },
				{ .fd = collector_fd(s->collector), .events = POLLIN } };
	struct signal_event event;
	bool shown = false;

	session_request(s);
	while (!s->stopped && !session_take(s)) {
		if (poll(fds, 2, PROGRESS_MS) == 0) {
			show_progress(s, false);
			shown = true;
		}
		while (signals_next(&s->signals, &event))
			session_signal(s, &event);
		if (fds[1].revents)
			collector_state(s->collector, NULL);
	}
	if (shown)
		show_progress(s, true);
	return !s->stopped;
}

static int write_all(struct session *s, struct error *err)
{
	if (sink_begin(&s->output, s->options, err))
		return -1;
	if (!wait_for_end(s))
		return 0;
	if (!s->output.format->sample)
		return session_write(s, &s->output, err);
	flush_samples(s);
	if (s->samples.result < 0)
		*err = s->samples.error;
	return s->samples.result;
}

int recording_run(struct session *s, struct error *err)
{
	int result = write_all(s, err);

	if (result)
		return result < 0 ? 1 : 0;
	return collector_state(s->collector, err) < 0 ? 1 : 0;
}
