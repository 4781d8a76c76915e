/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "app/act.h"
#include "app/config.h"
#include "app/events.h"
#include "app/facts.h"
#include "app/live-options.h"
#include "app/privilege.h"
#include "app/record-option.h"
#include "app/session.h"
#include "app/viewer.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/i18n.h"
#include "perf/event/event.h"

/*
 * The first snapshots come soon after each other.  The second has the first differences, the third
 * has names that were still loading.  More follow while names load, because the loader gets little
 * of a busy CPU.
 */
#define EARLY_SNAPSHOTS 3
#define EARLY_LIMIT 10
#define EARLY_DELAY_NS (170 * 1000000ull)

static uint64_t delay_ns(const struct session *s)
{
	return (uint64_t)(s->options->delay_s * (double)NS_PER_S);
}

/* Returns true, and says why, if nothing is measured here. */
static bool is_served(struct session *s)
{
	if (s->viewer)
		ui_message(s->ui, _("a server measures: start that with other options"));
	return s->viewer;
}

static void on_enable_event(void *context, size_t event, bool enabled)
{
	struct session *s = context;

	if (!is_served(s))
		collector_enable_event(s->collector, event, enabled);
}

/* There stacks can begin, and events of the machine. */
static bool is_of_machine(const struct snapshot *s)
{
	return !strcmp(s->sampling.tier, source_tier_name(TIER_CPU_GROUP));
}

/* The file of a recording that is being written says in its head what samples bring. */
int live_request_stacks(struct session *s, struct error *err)
{
	const struct snapshot *shown = view_snapshot(s->view);

	if (s->viewer)
		return viewer_ask_stacks(s->viewer, true, err);
	if (s->options->file)
		return error_set(err, _("a recording has the stacks that it was made with"));
	if (s->options->record)
		return error_set(err, _("--record %s began without stacks: start with -g"),
				 s->options->record);
	if (shown && !is_of_machine(shown))
		return error_set(err,
				 _("stacks cannot be added to what tasks measure: start with -g"));
	collector_take_stacks(s->collector, true);
	return 0;
}

/* Stacks of a server that others asked for end with them, so a viewer asks all the same. */
static int on_take_stacks(void *context, struct error *err)
{
	struct session *s = context;
	const struct snapshot *shown = view_snapshot(s->view);

	if (s->viewer && viewer_wants_stacks(s->viewer))
		return viewer_ask_stacks(s->viewer, false, err)
			       ? -1
			       : error_set(err, "%s",
					   _("this viewer needs no stacks any more: the key asks "
					     "for them again"));
	if (!s->viewer && shown && shown->node_count)
		return error_set(err, "%s", _("samples have their stacks already"));
	return live_request_stacks(s, err);
}

static int on_ask_java(void *context, struct error *err)
{
	struct session *s = context;

	if (s->viewer)
		return error_set(err, _("a server measures: start that with --java-names"));
	if (s->options->file)
		return error_set(err, _("a recording has the names that its files have"));
	if (s->options->read_only)
		return error_set(err, _("--read-only asks nobody: start with --java-names"));
	if (!s->attacher)
		return error_set(err, _("the process that asks could not be started"));
	collector_ask_java(s->collector);
	return 0;
}

/*
 * Events of time are nothing without stacks.  Where tasks measure, no source has either.  Its reason not to open the event
 * says what would help: -g would not.
 */
int live_request_events(struct session *s, const char *text, struct error *err)
{
	const struct snapshot *shown = view_snapshot(s->view);
	struct evlist *more;

	const struct event_info *event = event_find(text, strlen(text));

	if (s->viewer)
		return viewer_ask(s->viewer, ASK_ADD, text, err);
	if (s->options->file && event && event->type == EVENT_TYPE_TIME)
		return error_set(err, _("of a recording %s is made when it is read: start with -g"),
				 text);
	if (s->options->file)
		return error_set(err, _("a recording has the events that it was made with"));
	more = events_of_text(s->options, text, err);
	if (!more)
		return -1;
	if (shown && shown->event_count + more->count > SOURCE_EVENTS_MAX) {
		evlist_free(more);
		return error_set(err, _("more than %d events: start anew with fewer"),
				 SOURCE_EVENTS_MAX);
	}
	if (evlist_wants_stacks(more) && shown && !shown->node_count && is_of_machine(shown) &&
	    live_request_stacks(s, err)) {
		evlist_free(more);
		return -1;
	}
	collector_add_events(s->collector, more);
	return 0;
}

static int on_add_events(void *context, const char *text, struct error *err)
{
	return live_request_events(context, text, err);
}

static int on_add_event(void *context, enum event_id id, struct error *err)
{
	return on_add_events(context, event_at(id)->name, err);
}

static void on_count_events(void *context, uint32_t ids)
{
	struct session *s = context;
	const struct snapshot *shown = view_snapshot(s->view);
	struct evlist *more;

	if (is_served(s) || s->options->file)
		return;
	more = evlist_new();
	events_count_ids(more, ids);
	if (shown && shown->event_count + more->count > SOURCE_EVENTS_MAX)
		evlist_free(more);
	else
		collector_add_events(s->collector, more);
}

static void on_remove_event(void *context, size_t event)
{
	struct session *s = context;
	const struct snapshot *shown = view_snapshot(s->view);
	struct error err;

	if (!s->viewer)
		collector_remove_event(s->collector, event);
	else if (shown && event < shown->event_count &&
		 viewer_ask(s->viewer, ASK_DROP, shown->events[event].name, &err))
		ui_message(s->ui, err.text);
}

static void on_retune_event(void *context, size_t event, uint64_t freq_hz, uint64_t period)
{
	struct session *s = context;

	if (!is_served(s))
		collector_retune_event(s->collector, event, freq_hz, period);
}

static void on_set_delay(void *context, double seconds)
{
	struct session *s = context;

	s->options->delay_s = seconds;
	live_mark_given(s, "delay");
	s->next_ns = session_now_ns() + delay_ns(s);
}

/* Returns true for a recording: nothing in it is forgotten and comes again. */
static bool is_recording(struct session *s)
{
	if (s->options->file)
		ui_message(s->ui, _("a recording is shown as a whole"));
	return s->options->file;
}

static void on_toggle_zero_mode(void *context)
{
	struct session *s = context;
	const char *said = NULL;
	struct error err;

	if (is_recording(s) || is_served(s))
		return;
	if (live_set_option(s, "zero", s->options->zero ? "no" : "yes", &said, &err))
		ui_message(s->ui, err.text);
}

static void on_zero(void *context)
{
	struct session *s = context;

	if (!is_recording(s) && !is_served(s))
		collector_zero(s->collector);
}

static void on_set_window(void *context, uint64_t from_ns, uint64_t to_ns)
{
	struct session *s = context;

	if (is_served(s))
		return;
	collector_set_window(s->collector, from_ns, to_ns);
	s->window_chosen = true;
	session_request(s);
}

static void on_set_threads(void *context, bool threads)
{
	struct session *s = context;

	s->options->threads = threads;
	live_mark_given(s, "threads");
}

static void on_refresh(void *context)
{
	session_request(context);
}

static void on_suspend(void *context, bool suspended)
{
	struct session *s = context;

	if (s->collector)
		collector_suspend(s->collector, suspended);
	s->next_ns = session_now_ns();
}

static int on_write_snapshot(void *context, const char *path, struct error *err)
{
	struct session *s = context;
	struct sink sink = { .name = path, .format = output_format_of_file(path) };
	int result;

	if (!view_snapshot(s->view))
		return error_set(err, _("nothing was measured yet"));
	if (!sink.format)
		sink.format = output_format_find("text");
	sink.fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOCTTY, 0666);
	if (sink.fd < 0)
		return error_set(err, _("cannot write '%s': %s"), path, strerror(errno));
	result = session_write(s, &sink, err);
	close(sink.fd);
	return result < 0 ? -1 : 0;
}

static int on_write_config(void *context, struct error *err)
{
	struct session *s = context;

	return live_options_keep(s, err) || config_write(s->options, err) ? -1 : 0;
}

static int on_facts(void *context, const struct ui_task *t, bool environment, struct error *err)
{
	struct session *s = context;

	if (!s->facts)
		s->facts = facts_new("/proc", privilege_is_lent(), err);
	return s->facts ? facts_begin(s->facts, t, environment, err) : -1;
}

static bool on_add_facts(void *context, struct page *p)
{
	struct session *s = context;

	return facts_add_to(s->facts, p);
}

static const struct ui_facts live_facts = { .begin = on_facts, .add_to = on_add_facts };

static const char *before_leaving(void *context)
{
	const struct session *s = context;

	if (!s->command.pid || s->command.ended)
		return NULL;
	return _("the command still runs: q again ends it, any other key goes on");
}

/* SIGUSR1: a snapshot without anybody at the keyboard, under a name of its own. */
static void write_dated_snapshot(struct session *s)
{
	time_t now = time(NULL);
	struct error err = { "" };
	struct tm local;
	char name[64];

	if (!localtime_r(&now, &local))
		return;
	strftime(name, sizeof(name), "ptop-%Y%m%d-%H%M%S.txt", &local);
	if (on_write_snapshot(s, name, &err))
		ui_message(s->ui, err.text);
}

static void on_signal(struct session *s, const struct signal_event *event)
{
	switch (event->number) {
	case SIGWINCH:
		ui_resized(s->ui);
		break;
	case SIGTSTP:
		ui_stop(s->ui);
		break;
	case SIGCONT:
		ui_redraw(s->ui);
		break;
	case SIGUSR1:
		write_dated_snapshot(s);
		break;
	default:
		session_signal(s, event);
	}
}

static int open_screen(struct session *s, struct error *err)
{
	const struct options *o = s->options;
	struct error damage = { "" };
	struct theme_colors theme;
	struct ui_options options = { .color = !o->no_color,
				      .theme = &theme,
				      .ascii = o->ascii,
				      .mouse = !o->no_mouse,
				      .keys = o->keys,
				      .bindings = o->bindings,
				      .delay_s = o->delay_s };
	struct ui_actions actions = {
		.context = s,
		.enable_event = on_enable_event,
		.add_events = on_add_events,
		.add_event = on_add_event,
		.count_events = on_count_events,
		.take_stacks = on_take_stacks,
		.ask_java = on_ask_java,
		.remove_event = on_remove_event,
		.retune_event = on_retune_event,
		.set_delay = on_set_delay,
		.toggle_zero_mode = on_toggle_zero_mode,
		.zero = on_zero,
		.set_threads = on_set_threads,
		.set_window = on_set_window,
		.refresh = on_refresh,
		.suspend = on_suspend,
		.write_snapshot = on_write_snapshot,
		.write_config = on_write_config,
		.option = live_option,
		.choices = live_choices,
		.set_option = live_set_option,
		.remember_options = live_remember,
		.restore_options = live_restore,
		.acts = options_are_live(o) && !o->read_only ? &process_acts : NULL,
		.facts = o->file ? NULL : &live_facts,
		.before_leaving = before_leaving,
	};

	view_format_sort(s->view, &s->first_sort);
	view_format_columns(s->view, &s->first_columns);
	live_first_theme(o, &theme, &damage);
	s->ui = ui_open(s->view, &options, &actions, err);
	if (!s->ui)
		return -1;
	live_show_mode(s);
	ui_message(s->ui, s->notice || !*damage.text ? s->notice : damage.text);
	return 0;
}

/* A recording is asked for once; while it grows, at each refresh, and once when it has ended. */
static bool is_complete(const struct session *s)
{
	return s->options->file && !s->growing && s->requests;
}

/* The end of a recording is shown at once, whatever was asked for before. */
static void end_growth(struct session *s)
{
	s->growing = false;
	s->requests = 0;
	s->next_ns = 0;
}

/* Returns true if the next snapshot comes before a whole delay has passed. */
static bool hurries(const struct session *s)
{
	const struct snapshot *shown = view_snapshot(s->view);

	if (s->viewer || delay_ns(s) <= EARLY_DELAY_NS || s->requests >= EARLY_LIMIT)
		return false;
	return s->requests < EARLY_SNAPSHOTS || (shown && shown->sampling.loading);
}

/* When the next snapshot is due: asks for it, unless the previous one is still being made. */
static void request_when_due(struct session *s)
{
	uint64_t now = session_now_ns();

	if (now < s->next_ns || s->awaiting || is_complete(s))
		return;
	session_request(s);
	s->full = s->requests && s->full_next;
	s->requests++;
	s->full_next = !hurries(s);
	s->next_ns = now + (s->full_next ? delay_ns(s) : EARLY_DELAY_NS);
}

static int until_next_ms(const struct session *s)
{
	uint64_t now = session_now_ns();

	if (s->awaiting || is_complete(s))
		return -1;
	return now >= s->next_ns ? 0 : (int)((s->next_ns - now + 999999) / 1000000);
}

static void take_snapshot(struct session *s)
{
	record_tell(s);
	/* The early ones are no refreshes that -n counts. */
	if (session_take(s) && s->full)
		s->refreshes++;
}

/* The readable part of a damaged recording is shown all the same, and so is the last snapshot of a server. */
static bool stays(struct session *s, struct error *err)
{
	if (!s->options->file && !(s->viewer && view_snapshot(s->view)))
		return false;
	ui_message(s->ui, err->text);
	if (s->viewer)
		err->text[0] = '\0';
	return true;
}

enum { FD_KEYS, FD_SIGNALS, FD_FEED, FD_SCREEN, FDS };

/* Waits for something and acts on it.  False when it is time to leave; ERR may say why. */
static bool live_step(struct session *s, struct error *err)
{
	struct pollfd fds[FDS] = {
		[FD_KEYS] = { .fd = STDIN_FILENO, .events = POLLIN },
		[FD_SIGNALS] = { .fd = s->signals.fd, .events = POLLIN },
		[FD_FEED] = { .fd = s->feed.kind->fd(s->feed.of), .events = POLLIN },
		[FD_SCREEN] = { .fd = s->unpainted ? STDOUT_FILENO : -1, .events = POLLOUT },
	};
	struct signal_event event;
	int state;

	request_when_due(s);
	if (poll(fds, FDS, until_next_ms(s)) < 0)
		return errno == EINTR;
	while (fds[FD_SIGNALS].revents && signals_next(&s->signals, &event))
		on_signal(s, &event);
	if (fds[FD_FEED].revents) {
		take_snapshot(s);
		session_tell_news(s);
		if (s->collector && collector_news(s->collector))
			session_request(s);
		state = s->feed.kind->state(s->feed.of, err);
		if (state && s->growing)
			end_growth(s);
		if (state < 0 && !stays(s, err))
			return false;
	}
	if (fds[FD_KEYS].revents && !ui_handle_keys(s->ui))
		return false;
	return !s->stopped && !s->command.ended;
}

/* The terminal's descriptor, opened before that became impossible: see privilege.h. */
static int terminal_fd(const struct session *s)
{
	return s->output.fd < 0 ? STDOUT_FILENO : s->output.fd;
}

/* Prints in one piece the output that the command made meanwhile. */
static int replay_output(const struct session *s, struct error *err)
{
	char bytes[65536];
	off_t at = 0;
	ssize_t size;

	while ((size = pread(s->command.log_fd, bytes, sizeof(bytes), at)) > 0) {
		struct buf piece = { .bytes = bytes, .size = (size_t)size };
		int result = output_write(terminal_fd(s), _("standard output"), &piece, err);

		if (result)
			return result;
		at += size;
	}
	return 0;
}

/* The screen has gone with all that was on it: what the command said, the last snapshot. */
static int finish_command(struct session *s, struct error *err)
{
	struct sink out = { .fd = terminal_fd(s),
			    .name = _("standard output"),
			    .format = output_format_find("text") };
	int result, status = command_exit_status(&s->command);

	result = session_snapshot(s, err);
	if (result)
		return result < 0 ? 1 : status;
	result = replay_output(s, err);
	if (!result)
		result = session_write(s, &out, err);
	return result < 0 ? 1 : status;
}

static bool enough(const struct session *s)
{
	return s->options->iterations && s->refreshes >= s->options->iterations;
}

int live_run(struct session *s, struct error *err)
{
	if (open_screen(s, err))
		return 2;
	if (s->command.pid) {
		session_request(s); /* where the differences start; not waited for */
		if (command_release(&s->command, s->options->command[0], err)) {
			ui_close(s->ui);
			s->ui = NULL;
			return 2;
		}
	}
	s->next_ns = session_now_ns();
	while (live_step(s, err) && !enough(s))
		s->unpainted = !ui_paint(s->ui);
	ui_close(s->ui);
	s->ui = NULL;
	if (err->text[0])
		return 1;
	if (!s->command.pid)
		return 0;
	command_end(&s->command);
	return finish_command(s, err);
}
