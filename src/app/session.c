/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "app/session.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/base.h"
#include "app/privilege.h"
#include "app/record-option.h"
#include "app/recording.h"
#include "app/stream.h"
#include "base/alloc.h"
#include "base/i18n.h"
#include "perf/live/live.h"
#include "perf/event/event.h"
#include "view/kind.h"

#define PROCESSES_SHOWN 20 /* in batch, without -l */
#define SYMBOLS_SHOWN 40
#define VISIBLE_LIMIT 1024 /* more processes than a screen has rows */

#define SNAPSHOT_TIMEOUT_MS 30000
#define SIGNALS_MS 100 /* between two looks at the signals, while a snapshot is waited for */
#define NAMES_MS 3000  /* in batch there is no later screen that names the rows */

uint64_t session_now_ns(void)
{
	return clock_monotonic_ns(&clock_system);
}

/* A table that has a view of its name, or is of code, needs what that view needs. */
static const char *view_name(const struct options *o)
{
	if (!o->table || option_given(o, "view"))
		return o->view;
	for (const struct view_kind *k = view_kinds; k->name; k++) {
		if (!strcmp(k->name, o->table) || (k->code && !strcmp(k->table, o->table)) ||
		    (k->lower_table && !strcmp(k->lower_table, o->table)))
			return k->name;
	}
	return o->view;
}

/* The view that is asked for, or NULL. */
static const struct view_kind *asked_kind(const struct options *o)
{
	return view_name(o) ? view_kind_find(view_name(o)) : NULL;
}

/* How many rows are written; the screen has all, to scroll through. */
static size_t limit_of(const struct options *o, size_t usual)
{
	return option_given(o, "limit") ? o->limit : usual;
}

/* After the events, whose names the columns may have; those that columns need are added. */
static int open_view(struct session *s, struct error *err)
{
	const struct options *o = s->options;
	const char *name;
	struct view_options options = {
		.threads = o->threads,
		.hide_kernel = o->hide_kernel,
		.hide_user = o->hide_user,
		.of_all = o->of_all,
		.each_ended = o->file, /* in a recording nearly all have */
		.ascii = o->ascii,
		.full_command = true,
		.batch = o->batch,
		.view = view_name(o),
		.sort = o->sort,
		.reverse = o->reverse,
		.columns = o->columns,
		.event_names = &s->event_names.names,
		.limit_processes = o->batch ? limit_of(o, PROCESSES_SHOWN) : 0,
		.limit_symbols = o->batch ? limit_of(o, SYMBOLS_SHOWN) : 0,
		.limit_code = o->batch ? limit_of(o, 0) : 0,
	};

	event_names_init(&s->event_names, s->evlist);
	s->view = view_new(&options, err);
	if (!s->view)
		return -1;
	s->threads = view_wants_threads(s->view);
	if (!o->file)
		events_count_ids(s->evlist, view_wanted_ids(s->view));
	for (size_t i = 0; !o->file && (name = view_wanted_event(s->view, i)); i++)
		events_count(s->evlist, name);
	return 0;
}

static int open_output(struct session *s, struct error *err)
{
	const struct output_format *format;

	if (sink_open(&s->output, s->options, err))
		return -1;
	format = s->output.format;
	if (!format->sample || s->options->file)
		return 0;
	if (!format->address_alone)
		return error_set(err, _("--format %s is for a recording: give one with -i"),
				 format->name);
	s->tap = tap_new(0);
	return s->tap ? 0
		      : error_set(err, _("cannot make an event descriptor: %s"), strerror(errno));
}

/* The socket; metrics have the limits of batch, and no filter that keys set. */
static int open_exporter(struct session *s, struct buf *notes, struct error *err)
{
	const struct options *o = s->options;
	const struct view_options options = {
		.threads = o->threads,
		.each_ended = true,
		.limit_processes = limit_of(o, PROCESSES_SHOWN),
		.limit_symbols = limit_of(o, SYMBOLS_SHOWN),
	};

	if (!o->listen)
		return 0;
	s->exported = view_new(&options, err);
	s->exporter = exporter_open(o->listen, notes, err);
	return s->exporter ? 0 : -1;
}

/*
 * Samples of ID, which a view is of: one that is only counted will be sampled.  OPTIONAL: it need not
 * be there; without faults a view of memory still shows what /proc knows.
 */
static int open_event(struct session *s, enum event_id id, bool optional, struct error *err)
{
	int found = evlist_find_id(s->evlist, id);
	struct evlist *more;

	if (id == EVENT_OTHER || (found >= 0 && s->evlist->items[found]->role == EVSEL_SAMPLE))
		return 0;
	more = events_of_text(s->options, event_at(id)->name, err);
	if (!more)
		return -1;
	more->items[0]->is_default = optional || !evsel_is_time(more->items[0]);
	if (found >= 0) {
		evsel_free(s->evlist->items[found]);
		s->evlist->items[found] = more->items[0];
	} else {
		evlist_add(s->evlist, more->items[0]);
	}
	more->count = 0;
	evlist_free(more);
	return 0;
}

/* With what the view that is asked for is of. */
static int open_events(struct session *s, struct error *err)
{
	const struct options *o = s->options;
	const struct view_kind *kind = asked_kind(o);

	s->evlist = events_of_options(o, err);
	if (!s->evlist)
		return -1;
	if (o->file || !kind)
		return 0;
	return open_event(s, kind->event, false, err) || open_event(s, kind->also, true, err) ? -1
											      : 0;
}

/* Whether the view that is asked for would be empty without them. */
static bool is_of_stacks(const struct options *o)
{
	const struct view_kind *kind = asked_kind(o);

	return kind && view_kind_of_stacks(kind);
}

static struct source_options source_options_of(const struct session *s)
{
	const struct target *t = &s->target;
	struct stack_choice stacks = { STACK_NONE, 0 };
	struct source_options options = {
		.mode = t->mode,
		.tasks = t->tasks.count ? &t->tasks : NULL,
		.cpus = t->cpus.count ? &t->cpus : NULL,
		.uid = t->uid,
		.cgroup_directory = t->cgroup.directory,
		.cgroup = t->cgroup.path,
		.cgroup_controller = t->cgroup.controller,
		.enable_on_exec = t->mode == TARGET_COMMAND,
		.max_stack = (uint16_t)s->options->max_stack,
		.raw = s->options->record != NULL,
		.addresses = !s->options->batch, /* keys add events */
		.mmap_pages = (uint32_t)s->options->mmap_pages,
	};

	stack_choice_parse(s->options->call_graph, &stacks);
	if (!option_given(s->options, "call-graph") &&
	    (evlist_has_time(s->evlist) || is_of_stacks(s->options)))
		stacks.mode = STACK_AUTO;
	source_options_choose_stacks(&options, &stacks);
	return options;
}

/*
 * As perf report does, the stacks of a recording are used without being asked for, where they are or,
 * on the screen, may be shown: a table in batch would wait for them in vain.
 */
static void use_recorded_stacks(const struct session *s, const struct source *source,
				struct source_options *target)
{
	const struct stack_choice stacks = { STACK_AUTO, 0 };
	const struct options *o = s->options;

	if (!source->recorded_stacks || option_given(o, "call-graph"))
		return;
	if (!o->batch || is_of_stacks(o) || (o->table && !strcmp(o->table, "calls")) ||
	    s->output.format->stacks)
		source_options_choose_stacks(target, &stacks);
}

static enum histogram_mode histogram_mode_of(const struct options *o)
{
	if (o->zero && !o->file)
		return HISTOGRAM_ZERO;
	return o->batch || o->file ? HISTOGRAM_CUMULATIVE : HISTOGRAM_DECAY;
}

/* What a person who asked for it with -v wants to know; otherwise only what limits the result. */
static void note_source(const struct session *s, const struct source *source, struct buf *notes)
{
	if (source->notes && *source->notes)
		buf_printf(notes, "%s\n", source->notes);
	if (!s->options->verbose)
		return;
	privilege_describe(notes);
	buf_printf(notes, _("measuring by %s"), source_tier_name(source->tier));
	if (source->tier_reason && *source->tier_reason)
		buf_printf(notes, ": %s", source->tier_reason);
	buf_add_char(notes, '\n');
	for (size_t i = 0; i < s->evlist->count; i++) {
		const struct evsel *e = s->evlist->items[i];

		if (e->open_error)
			buf_printf(notes, _("event %s: %s\n"), e->name,
				   e->why ? e->why : strerror(e->open_error));
	}
}

/* What the rest of the run does not need is given up before a recording is read, and before any thread. */
static int cut_privilege(struct session *s, struct error *err)
{
	const struct privilege_needs needs = privilege_needs_of(s->options, s->command.pid);

	privilege_cut(&needs);
	s->ending = ending_start(ui_emergency_restore, err);
	return s->ending ? 0 : -1;
}

static struct source *open_source(struct session *s, struct collector_options *options,
				  struct error *err)
{
	struct source *source;

	if (s->options->file)
		return cut_privilege(s, err) ? NULL : recording_open(s, options, err);
	source = live_source_open(s->evlist, &options->engine.target, err);
	if (!source || !cut_privilege(s, err))
		return source;
	source_close(source);
	return NULL;
}

static int start_collector(struct session *s, struct buf *notes, struct error *err)
{
	struct collector_options options = {
		.engine = {
			.evlist = s->evlist,
			.zygote = s->options->zygote,
			.clock = &clock_system,
			.proc_root = "/proc",
			.version = PACKAGE_VERSION,
			.target = source_options_of(s),
			.mode = histogram_mode_of(s->options),
			.half_life_s = s->options->half_life_s,
			.threads = s->threads,
			.commands = s->commands,
			.early = !s->options->batch,
			.only_named = !strcmp(s->options->unnamed, "object"),
			.inlines = s->options->inlines,
			.stitch = s->options->stitch || !s->options->file,
			.past = !s->options->batch,
			.addresses = !s->options->batch || view_kind(s->view)->code,
		},
		.max_overhead_percent = s->options->max_overhead,
		.tap = s->tap,
		.names_ms = s->options->batch ? NAMES_MS : 0,
	};

	options.source = open_source(s, &options, err);
	if (!options.source)
		return -1;
	use_recorded_stacks(s, options.source, &options.engine.target);
	note_source(s, options.source, notes);
	if (record_start(s, &options, err)) {
		source_close(options.source);
		return -1;
	}
	s->collector = collector_start(&options, err);
	return s->collector ? base_open(s, &options, notes, err) : -1;
}

/* A list with the one pid of the command. */
static void target_command(struct target *t, pid_t pid)
{
	t->tasks.items = mem_array(1, sizeof(*t->tasks.items));
	t->tasks.items[0] = (uint32_t)pid;
	t->tasks.count = 1;
}

static int prepare_command(struct session *s, struct error *err)
{
	const struct options *o = s->options;

	if (!o->command)
		return 0;
	if (command_start(&s->command, o->command, !o->batch, &s->signals, err))
		return -1;
	target_command(&s->target, s->command.pid);
	return 0;
}

/* From the cheapest to what others notice: a mistake starts no program. */
static int open_all(struct session *s, struct buf *notes, struct error *err)
{
	const struct options *o = s->options;

	if (target_resolve(&s->target, o, notes, err) || open_events(s, err) || open_view(s, err))
		return -1;
	if (!o->batch && (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO)))
		return error_set(err, _("%s is not a terminal: use -b to print snapshots"),
				 isatty(STDIN_FILENO) ? _("standard output") : _("standard input"));
	if (!o->batch)
		s->output.fd = output_own(STDOUT_FILENO);
	else if (open_output(s, err))
		return -1;
	if (open_exporter(s, notes, err) || record_open(s, err) || prepare_command(s, err) ||
	    start_collector(s, notes, err))
		return -1;
	return s->exporter ? exporter_start(s->exporter, err) : 0;
}

int session_open(struct session *s, struct options *o, struct buf *notes, struct error *err)
{
	if (o->format || o->output)
		o->batch = true;
	*s = (struct session){ .options = o,
			       .output.fd = -1,
			       .commands = o->batch,
			       .command = { .go_fd = -1, .failure_fd = -1, .log_fd = -1 } };
	if (signals_open(&s->signals, !o->batch, err))
		return -1;
	if (open_all(s, notes, err)) {
		session_close(s, notes, NULL);
		return -1;
	}
	if (notes->size)
		s->notice = mem_strndup(notes->bytes, strcspn(notes->bytes, "\n"));
	return 0;
}

/* One line for each invariant that figures broke: these were shown as absent. */
static void tell_violations(const struct session *s, struct buf *notes)
{
	const struct snapshot *last = s->view ? view_snapshot(s->view) : NULL;

	for (size_t i = 0; last && i < last->violation_count; i++) {
		const struct snapshot_violation *v = &last->violations[i];

		buf_printf(notes,
			   _("%" PRIu64 " impossible figures were left out (%s: %s): "
			     "please report this defect of ptop\n"),
			   v->total, v->name, _(v->text));
	}
}

/* From here on nothing may hang: without a recording nobody misses what is not released. */
static void begin_end(struct session *s)
{
	if (s->writer)
		ending_begin(s->ending, ENDING_RECORD_MS, 1,
			     _("ptop: ended before the recording was complete: its disk does not "
			       "answer\n"));
	else
		ending_begin(s->ending, ENDING_CLOSE_MS, s->status, NULL);
}

int session_close(struct session *s, struct buf *notes, struct error *err)
{
	int result;

	begin_end(s);
	tell_violations(s, notes);
	ui_close(s->ui);
	free(s->notice);
	buf_fini(&s->first_sort);
	command_fini(&s->command);
	exporter_close(s->exporter);
	view_free(s->exported);
	view_free(s->view); /* its snapshot borrows names from the collector */
	collector_stop(s->collector);
	base_close(s);
	tap_free(s->tap);
	result = record_close(s, notes, err);
	buf_fini(&s->samples.text);
	evlist_free(s->evlist);
	target_fini(&s->target);
	sink_close(&s->output);
	ending_stop(s->ending);
	signals_close(&s->signals);
	return result;
}

static int run(struct session *s, struct error *err)
{
	if (!s->options->batch)
		return live_run(s, err);
	if (s->options->file)
		return recording_run(s, err);
	return s->tap ? stream_run(s, err) : batch_run(s, err);
}

int session_run(struct session *s, struct error *err)
{
	s->status = run(s, err);
	return s->status;
}

/* Whose memory is to be known until the next look. */
static void want_memory(struct session *s)
{
	uint32_t pids[VISIBLE_LIMIT];
	bool mappings;
	size_t count = view_memory_pids(s->view, pids, VISIBLE_LIMIT, &mappings);

	if (count || s->memory)
		collector_set_memory(s->collector, pids, count, mappings);
	s->memory = count;
}

/* Which function the snapshots are to tell of; while the screen stands still, as it was then. */
static void look(struct session *s)
{
	struct engine_look now = { .hide_kernel = view_hides_kernel(s->view),
				   .hide_user = view_hides_user(s->view) };

	now.frame = view_function(s->view, &now.hottest);
	if (s->ui && ui_paused(s->ui) && view_snapshot(s->view))
		now.held = view_snapshot(s->view)->addresses;
	if (now.frame == s->look.frame && now.hottest == s->look.hottest &&
	    now.held == s->look.held && now.hide_kernel == s->look.hide_kernel &&
	    now.hide_user == s->look.hide_user)
		return;
	collector_look(s->collector, &now);
	s->look = now;
}

void session_request(struct session *s)
{
	bool commands = s->options->batch || view_wants_commands(s->view);
	bool threads = view_wants_threads(s->view);
	unsigned extras = view_extras(s->view);
	uint32_t pids[VISIBLE_LIMIT];

	if (commands != s->commands)
		collector_set_commands(s->collector, commands);
	s->commands = commands;
	if (threads != s->threads)
		collector_set_threads(s->collector, threads);
	s->threads = threads;
	if (extras != s->extras)
		collector_set_extras(s->collector, extras);
	s->extras = extras;
	want_memory(s);
	look(s);
	collector_request(s->collector, pids, view_visible_pids(s->view, pids, VISIBLE_LIMIT));
	s->awaiting = true;
}

/* A first snapshot has no interval, and so no rates. */
static void publish(struct session *s, struct snapshot *snapshot)
{
	const struct output_request request = { .view = s->exported, .first = true };
	struct buf page = { 0 };

	if (!s->exporter || !(snapshot->interval_s > 0))
		return;
	view_set_snapshot(s->exported, snapshot);
	if (!output_format_find("openmetrics")->write(&page, &request, NULL))
		exporter_publish(s->exporter, &page);
	view_take_snapshot(s->exported); /* the screen's view gets it */
	buf_fini(&page);
}

/* The iteration that a person counts: the refreshes that were shown. */
static void show(struct session *s, struct snapshot *snapshot)
{
	s->awaiting = false;
	snapshot->iteration = s->refreshes + 1;
	base_update(s, snapshot);
	view_set_snapshot(s->view, snapshot);
	want_memory(s);
}

static bool is_of_other_window(const struct session *s, const struct snapshot *snapshot)
{
	const struct snapshot *shown = view_snapshot(s->view);

	return shown && (shown->past.from_ns != snapshot->past.from_ns ||
			 shown->past.to_ns != snapshot->past.to_ns);
}

/*
 * Returns true if the screen stands still and SNAPSHOT is no reason to change it: only a window that
 * a key or a click has chosen is one, also when it comes after the pause began.
 */
static bool stands_still(struct session *s, const struct snapshot *snapshot)
{
	bool other = s->window_chosen && is_of_other_window(s, snapshot);

	if (s->ui && ui_paused(s->ui))
		return !other;
	s->window_chosen &= !other;
	return false;
}

bool session_take(struct session *s)
{
	struct snapshot *snapshot = collector_take(s->collector);

	if (!snapshot)
		return false;
	publish(s, snapshot);
	if (stands_still(s, snapshot)) {
		bool changed;

		base_update(s, snapshot);
		changed = view_take_function(s->view, snapshot);
		s->awaiting = false;
		snapshot_free(snapshot);
		return changed;
	}
	show(s, snapshot);
	return true;
}

/* NULL when there is none in time, the collector has failed, or a signal asks us to end. */
static struct snapshot *wait_for_snapshot(struct session *s)
{
	uint64_t end_ns = session_now_ns() + SNAPSHOT_TIMEOUT_MS * (NS_PER_S / 1000);
	struct snapshot *snapshot = NULL;
	struct signal_event event;
	bool waited = true; /* else no snapshot will come */

	while (!snapshot && waited && !s->stopped && session_now_ns() < end_ns) {
		uint64_t start_ns = session_now_ns();

		snapshot = collector_wait(s->collector, SIGNALS_MS);
		waited = session_now_ns() - start_ns >= SIGNALS_MS * (NS_PER_S / 1000);
		while (signals_next(&s->signals, &event))
			session_signal(s, &event);
	}
	return snapshot;
}

int session_snapshot(struct session *s, struct error *err)
{
	struct snapshot *snapshot;

	session_request(s);
	snapshot = wait_for_snapshot(s);
	if (!snapshot && s->stopped)
		return 1;
	if (!snapshot) {
		if (collector_state(s->collector, err) >= 0)
			error_set(err, _("no snapshot within %d seconds: the machine is too busy"),
				  SNAPSHOT_TIMEOUT_MS / 1000);
		return -1;
	}
	publish(s, snapshot);
	show(s, snapshot);
	return 0;
}

int session_write(struct session *s, struct sink *sink, struct error *err)
{
	struct output_request request = { .view = s->view,
					  .table = s->options->table,
					  .first = !sink->begun };
	const struct options *o = s->options;
	struct buf out = { 0 };
	bool each;
	int result;

	each = view_set_each_ended(s->view, o->file || !sink->format->screen);
	view_set_limits(s->view, limit_of(o, PROCESSES_SHOWN), limit_of(o, SYMBOLS_SHOWN));
	result = sink->format->write(&out, &request, err);
	if (!o->batch) {
		view_set_limits(s->view, 0, 0);
		view_set_each_ended(s->view, each);
	}
	if (!result)
		result = sink_write(sink, &out, err);
	buf_fini(&out);
	return result;
}

/* What was typed at the terminal the command has got as well as we have. */
void session_signal(struct session *s, const struct signal_event *event)
{
	if (event->number == SIGCHLD) {
		command_poll(&s->command);
	} else if (event->number == SIGINT || event->number == SIGTERM || event->number == SIGHUP) {
		if (!s->command.pid || s->command.ended)
			s->stopped = true;
		else if (!event->from_terminal)
			command_signal(&s->command, event->number);
	}
}

void session_tell_lost(const struct session *s, uint64_t dropped, struct error *err)
{
	const struct snapshot *last = view_snapshot(s->view);
	uint64_t lost = dropped + (last ? last->sampling.total_lost : 0);

	if (lost)
		error_set(err,
			  _("%" PRIu64 " samples were lost: sample less often (-F), or read "
			    "them faster"),
			  lost);
}
