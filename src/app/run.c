/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "app/run.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "app/base.h"
#include "app/privilege.h"
#include "app/push.h"
#include "app/record-option.h"
#include "app/recording.h"
#include "app/server.h"
#include "app/stream.h"
#include "app/viewer.h"
#include "base/account.h"
#include "base/alloc.h"
#include "base/i18n.h"
#include "base/io.h"
#include "perf/live/live.h"
#include "proc/process.h"
#include "runtime/attacher.h"
#include "ui/keymap.h"
#include "view/kind.h"

#define PROCESSES_SHOWN 20 /* in batch, without -l */
#define SYMBOLS_SHOWN 40
#define FILES_SHARE 16 /* one of so many descriptors: other parts of ptop need them, too */
#define NAMES_MS 3000  /* in batch there is no later screen that names the rows */

/* A table that has a view of its name, or is of code, needs what that view needs. */
static const char *view_name(const struct options *o)
{
	const struct output_format *format = sink_format(o);

	if (o->batch && format->view)
		return format->view;
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

/* The number of rows to write; the screen has all rows, to scroll through. */
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
		.bars = o->bars,
		.braille = o->braille,
		.full_command = true,
		.batch = o->batch,
		.view = view_name(o),
		.sort = o->sort,
		.reverse = o->reverse,
		.cpu_level = o->cpu_level,
		.cpu_meter = o->cpu_meter,
		.meters = o->meters,
		.columns = o->columns,
		.event_names = &s->event_names.names,
		.limit_processes = o->batch ? s->limit_processes : 0,
		.limit_symbols = o->batch ? s->limit_symbols : 0,
		.limit_code = o->batch ? limit_of(o, 0) : 0,
	};

	event_names_init(&s->event_names, s->evlist);
	s->view = view_new(&options, err);
	if (!s->view)
		return -1;
	s->threads = view_wants_threads(s->view);
	if (o->attach)
		return 0;
	if (!o->file)
		events_count_ids(s->evlist, view_wanted_ids(s->view));
	for (size_t i = 0; !o->file && (name = view_wanted_event(s->view, i)); i++)
		events_count(s->evlist, name);
	return 0;
}

static int open_output(struct session *s, struct error *err)
{
	const struct output_format *format;

	if (s->options->quiet && (s->options->output || s->options->format))
		return error_set(err, _("-q prints nothing: leave out -o and --format"));
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

static int open_conditions(struct session *s, struct error *err)
{
	const struct then_options options = {
		.options = s->options,
		.evlist = s->evlist,
		.events = &s->event_names.names,
		.limit_processes = s->limit_processes,
		.limit_symbols = s->limit_symbols,
	};

	if (s->options->trigger_count && s->tap)
		return error_set(err, _("--when needs snapshots, which --format %s does not make"),
				 s->output.format->name);
	return then_open(&s->then, &options, err);
}

/* The socket; metrics have the limits of batch, and no filter that keys set. */
static int open_exporter(struct session *s, struct buf *notes, struct error *err)
{
	const struct options *o = s->options;
	const struct view_options options = {
		.threads = o->threads,
		.each_ended = true,
		.batch = true, /* nobody opens the branches of many groups */
		.limit_processes = s->limit_processes,
		.limit_symbols = s->limit_symbols,
	};

	if (!o->listen && !o->push)
		return 0;
	s->exported = view_new(&options, err);
	if (!o->listen)
		return s->exported ? 0 : -1;
	s->exporter = exporter_open(o->listen, notes, err);
	return s->exporter ? 0 : -1;
}

/* With what the view that is asked for is of. */
static int open_events(struct session *s, struct error *err)
{
	const struct options *o = s->options;
	const struct view_kind *kind = asked_kind(o);

	s->evlist = events_of_options(o, err);
	if (!s->evlist)
		return -1;
	if (!options_are_live(o) || !kind)
		return 0;
	return events_sample(s->evlist, o, kind->event, false, err) ||
			       events_sample(s->evlist, o, kind->also, true, err)
		       ? -1
		       : 0;
}

/* Returns true if the chosen view would be empty without stacks. */
static bool is_of_stacks(const struct options *o)
{
	const struct view_kind *kind = asked_kind(o);

	return kind && view_kind_of_stacks(kind);
}

/* A recording, also one that a trigger may write, has a record of each switch. */
static bool keeps_switches(const struct session *s)
{
	return s->writer || s->options->record || options_keep_records(s->options);
}

/* By a key, also of a viewer. */
static bool may_ask_stacks(const struct options *o)
{
	return !o->batch || o->serve;
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
		.raw = s->writer != NULL,
		.addresses = !s->options->batch, /* keys add events */
		.mmap_pages = (uint32_t)s->options->mmap_pages,
	};

	stack_choice_parse(s->options->call_graph, &stacks);
	if (!option_given(s->options, "call-graph") &&
	    (evlist_wants_stacks(s->evlist) || is_of_stacks(s->options) ||
	     then_needs(s->then).stacks))
		stacks.mode = STACK_AUTO;
	source_options_choose_stacks(&options, &stacks);
	options.walk_python =
		!s->options->no_python && (options.user_stack_bytes || may_ask_stacks(s->options));
	source_engine_parse(s->options->engine, &options.engine);
	if (options.engine == ENGINE_AUTO && keeps_switches(s))
		options.engine = ENGINE_PERF;
	return options;
}

/*
 * Like perf report, uses the stacks of a recording without being asked, on the screen and in views
 * of stacks.  A table in batch would wait for them in vain.
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
	if (o->push && o->quiet)
		return HISTOGRAM_ZERO;
	if ((o->zero || (o->trigger_count && o->quiet)) && !o->file)
		return HISTOGRAM_ZERO; /* a condition that a sum of all time fulfils is never false again */
	return (o->batch && !o->serve) || o->file ? HISTOGRAM_CUMULATIVE : HISTOGRAM_DECAY;
}

/* Prints all notes with -v, otherwise only those about limits of the result. */
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
	if (source->sums_waits)
		buf_printf(notes, "%s\n", _("waits are summed by the kernel (BPF)"));
	else if (source->sums_reason)
		buf_printf(notes, _("waits are not summed by the kernel: %s\n"),
			   source->sums_reason);
	if (source->sums_calls)
		buf_printf(notes, "%s\n", _("system calls are summed by the kernel (BPF)"));
	else if (source->calls_reason)
		buf_printf(notes, _("system calls are not summed by the kernel: %s\n"),
			   source->calls_reason);
	if (source->walk_reason)
		buf_printf(notes, _("Python's frames are read after the sample: %s\n"),
			   source->walk_reason);
	for (size_t i = 0; i < s->evlist->count; i++) {
		const struct evsel *e = s->evlist->items[i];

		if (e->open_error)
			buf_printf(notes, _("event %s: %s\n"), e->name,
				   e->why ? e->why : strerror(e->open_error));
	}
}

/* Gives up unneeded rights before a recording is read, and before any thread starts. */
static int cut_privilege(struct session *s, const struct source *source, struct error *err)
{
	struct privilege_needs needs = privilege_needs_of(s->options, s->command.pid);

	needs.sums = source && (source->sums_waits || source->sums_calls);
	needs.walks = source && source->walks_python;
	privilege_cut(&needs);
	s->ending = ending_start(ui_emergency_restore, err);
	return s->ending ? 0 : -1;
}

static struct source *open_source(struct session *s, struct collector_options *options,
				  struct error *err)
{
	struct source *source;

	if (s->options->file)
		return cut_privilege(s, NULL, err) ? NULL : recording_open(s, options, err);
	if (options->engine.target.engine == ENGINE_BPF && keeps_switches(s)) {
		error_set(err, _("--engine bpf: %s"), _("a recording has each switch"));
		return NULL;
	}
	source = live_source_open(s->evlist, &options->engine.target, err);
	if (!source || !cut_privilege(s, source, err))
		return source;
	source_close(source);
	return NULL;
}

/* 0: the default.  A part is for --then record and not for the engine. */
static uint64_t memory_of(const struct options *o)
{
	uint64_t given = option_given(o, "max-memory") ? o->max_memory : 0;

	if (!options_keep_records(o))
		return given;
	return (given ? given : ACCOUNT_BYTES) - record_kept_bytes(o);
}

/* How many files of processes may stay open. */
static size_t files_to_keep(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		return 0;
	return limit.rlim_cur / FILES_SHARE < PROCESS_FILES_KEPT ? limit.rlim_cur / FILES_SHARE
								 : PROCESS_FILES_KEPT;
}

static int start_collector(struct session *s, struct buf *notes, struct error *err)
{
	struct collector_options options = {
		.engine = {
			.evlist = s->evlist,
			.zygote = s->options->zygote,
			.attacher = s->attacher,
			.ask_java = s->options->java_names || s->launch.java,
			.python = !s->options->no_python,
			.clock = &clock_system,
			.proc_root = "/proc",
			.version = PACKAGE_VERSION,
			.target = source_options_of(s),
			.mode = histogram_mode_of(s->options),
			.half_life_s = s->options->half_life_s,
			.extras = session_extras(s),
			.threads = s->threads,
			.owners = options_serve_users(s->options) ? OWNERS_NEW : OWNERS_NONE,
			.commands = s->commands,
			.memory_bytes = memory_of(s->options),
			.early = !s->options->batch,
			.only_named = !strcmp(s->options->unnamed, "object"),
			.inlines = s->options->inlines,
			.stitch = s->options->stitch || !s->options->file,
			.past = !s->options->batch,
			.addresses = !s->options->batch || s->server || view_kind(s->view)->code,
			.addresses_late = s->server != NULL,
		},
		.max_overhead_percent = s->options->max_overhead,
		.tap = s->tap,
		.names_ms = s->options->batch && !s->server ? NAMES_MS : 0,
	};

	options.source = open_source(s, &options, err);
	if (!options.source)
		return -1;
	options.engine.keep_files = files_to_keep(); /* the source has raised the limit */
	s->growing = !s->options->batch && options.source->grows;
	use_recorded_stacks(s, options.source, &options.engine.target);
	note_source(s, options.source, notes);
	if (record_start(s, &options, err)) {
		source_close(options.source);
		return -1;
	}
	s->collector = collector_start(&options, err);
	s->feed = feed_of_collector(s->collector);
	return s->collector ? base_open(s, &options, notes, err) : -1;
}

static int start_viewer(struct session *s, struct buf *notes, struct error *err)
{
	s->viewer = viewer_open(s->options, &s->signals, notes, err);
	if (!s->viewer)
		return -1;
	s->feed = viewer_feed(s->viewer);
	return cut_privilege(s, NULL, err);
}

/* A list with the one pid of the command. */
static void target_command(struct target *t, pid_t pid)
{
	t->tasks.items = mem_array(1, sizeof(*t->tasks.items));
	t->tasks.items[0] = (uint32_t)pid;
	t->tasks.count = 1;
}

/* Finds the variable that COMMAND's runtime is told by, and appends the line that says so. */
static void prepare_runtime(struct session *s, struct buf *notes)
{
	const struct options *o = s->options;
	struct stack_choice stacks = { STACK_NONE, 0 };

	if (!o->command || o->no_runtime_names)
		return;
	stack_choice_parse(o->call_graph, &stacks);
	launch_find(&s->launch, o->command, stacks.mode != STACK_NONE);
	if (s->launch.variable)
		buf_printf(notes, _("%s names its code: %s (--no-runtime-names leaves it)\n"),
			   s->launch.runtime, s->launch.variable);
}

/* Before the rights go that it needs.  On the screen a key may want it. */
static void prepare_attacher(struct session *s)
{
	const struct options *o = s->options;
	bool wanted = o->java_names || s->launch.java || (!o->batch && !o->read_only);

	if (options_are_live(o) && wanted)
		s->attacher = attacher_start();
}

static int prepare_command(struct session *s, struct error *err)
{
	const struct options *o = s->options;
	const struct command_start how = { .argv = o->command,
					   .capture = !o->batch,
					   .signals = &s->signals,
					   .launch = &s->launch };

	if (!o->command)
		return 0;
	if (command_start(&s->command, &how, err))
		return -1;
	target_command(&s->target, s->command.pid);
	return 0;
}

/* For `perf record -o - | ptop -i -`: standard input has the recording, so keys come from the terminal itself. */
static void find_keys(struct session *s)
{
	const struct options *o = s->options;

	s->keys_fd = -1;
	if (!o->batch && o->file && !strcmp(o->file, "-") && !isatty(STDIN_FILENO) &&
	    isatty(STDOUT_FILENO))
		s->keys_fd = open("/dev/tty", O_RDWR | O_CLOEXEC);
}

/* Once the recording is open, which has its descriptor twice. */
static void take_keys(struct session *s)
{
	if (s->keys_fd >= 0)
		dup2(s->keys_fd, STDIN_FILENO);
	io_close(&s->keys_fd);
}

/* From the cheapest to what others notice: a mistake starts no program. */
static int open_all(struct session *s, struct buf *notes, struct error *err)
{
	const struct options *o = s->options;

	if (target_resolve(&s->target, o, notes, err) || open_events(s, err) || open_view(s, err))
		return -1;
	find_keys(s);
	if (!o->batch && ((s->keys_fd < 0 && !isatty(STDIN_FILENO)) || !isatty(STDOUT_FILENO)))
		return error_set(err, _("%s is not a terminal: use -b to print snapshots"),
				 isatty(STDIN_FILENO) ? _("standard output") : _("standard input"));
	if (!o->batch)
		s->output.fd = output_own(STDOUT_FILENO);
	else if (!o->serve && open_output(s, err))
		return -1;
	if (open_conditions(s, err))
		return -1;
	prepare_runtime(s, notes);
	if (open_exporter(s, notes, err) || record_open(s, err) || prepare_command(s, err))
		return -1;
	prepare_attacher(s);
	if (o->push && !(s->push = push_open(o, notes, err)))
		return -1;
	if ((o->serve && server_open(s, notes, err)) ||
	    then_start(s->then, &s->signals, s->writer, err) ||
	    (o->attach ? start_viewer(s, notes, err) : start_collector(s, notes, err)))
		return -1;
	take_keys(s);
	return s->exporter ? exporter_start(s->exporter, err) : 0;
}

/* A person who binds a key may take the only one of another action. */
static void note_lost_keys(const struct options *o, struct buf *notes)
{
	struct keymap keys;

	if (o->batch || !o->bindings)
		return;
	keymap_init(&keys, o->keys, o->bindings);
	keymap_lost(&keys, notes);
}

int run_open(struct session *s, struct options *o, struct buf *notes, struct error *err)
{
	if (o->format || o->output || o->serve)
		o->batch = true;
	*s = (struct session){ .options = o,
			       .output.fd = -1,
			       .commands = o->batch,
			       .limit_processes = limit_of(o, PROCESSES_SHOWN),
			       .limit_symbols = limit_of(o, SYMBOLS_SHOWN),
			       .command = { .go_fd = -1, .failure_fd = -1, .log_fd = -1 } };
	if (signals_open(&s->signals, !o->batch, err))
		return -1;
	note_lost_keys(o, notes);
	if (open_all(s, notes, err)) {
		run_close(s, notes, NULL);
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
			   ngettext("%" PRIu64 " impossible figure was left out (%s: %s): "
				    "please report this defect of ptop\n",
				    "%" PRIu64 " impossible figures were left out (%s: %s): "
				    "please report this defect of ptop\n",
				    v->total),
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

int run_close(struct session *s, struct buf *notes, struct error *err)
{
	int result;

	begin_end(s);
	server_close(s, notes);
	if (s->options->verbose)
		viewer_describe(s->viewer, notes);
	tell_violations(s, notes);
	ui_close(s->ui);
	s->ui = NULL;
	facts_free(s->facts);
	free(s->notice);
	buf_fini(&s->first_sort);
	buf_fini(&s->remembered_sort);
	buf_fini(&s->remembered_columns);
	buf_fini(&s->first_columns);
	command_fini(&s->command);
	launch_fini(&s->launch);
	push_close(s->push, s->options->verbose, notes);
	exporter_close(s->exporter);
	view_free(s->exported);
	view_free(s->view); /* its snapshot borrows names from the collector */
	collector_stop(s->collector);
	viewer_close(s->viewer);
	attacher_stop(s->attacher);
	base_close(s);
	tap_free(s->tap);
	then_close(s->then, notes);
	event_names_fini(&s->event_names); /* the views' columns had their texts */
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
	if (s->server)
		return server_run(s, err);
	if (!s->options->batch)
		return live_run(s, err);
	if (s->options->file)
		return recording_run(s, err);
	return s->tap ? stream_run(s, err) : batch_run(s, err);
}

int run_session(struct session *s, struct error *err)
{
	s->status = run(s, err);
	return s->status;
}
