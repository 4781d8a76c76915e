/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "app/session.h"

#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "app/push.h"
#include "app/viewer.h"
#include "base/i18n.h"
#include "profile/rebase.h"
#include "view/widget/text.h"

#define VISIBLE_LIMIT 1024 /* more processes than a screen has rows */

#define SNAPSHOT_TIMEOUT_S 30
#define REST_MS 300 /* of the second in which ptop ends */

/* A server does not know which views are shown. */
#define SERVED_EXTRAS                                                                             \
	(EXTRA_CGROUP | EXTRA_WCHAN | EXTRA_OBJECTS | EXTRA_IO | EXTRA_DELAYS | EXTRA_OF_OUTPUT | \
	 EXTRA_CPUS | EXTRA_GROUPS | EXTRA_GROUP_MEMORY | EXTRA_GROUP_PIDS | EXTRA_GROUP_IO |     \
	 EXTRA_GROUP_CPU | EXTRA_GROUP_PRESSURE)
#define SIGNALS_MS 100 /* between two looks at the signals, while a snapshot is waited for */

uint64_t session_now_ns(void)
{
	return clock_monotonic_ns(&clock_system);
}

/* Whose memory is to be known until the next look. */
static void want_memory(struct session *s)
{
	uint32_t pids[VISIBLE_LIMIT];
	bool mappings;
	size_t count = view_memory_pids(s->view, pids, VISIBLE_LIMIT, &mappings);

	count += then_memory_pids(s->then, pids + count, VISIBLE_LIMIT - count);

	if (count || s->memory)
		collector_set_memory(s->collector, pids, count, mappings);
	s->memory = count;
}

/* Whose files are to be read for the next look; metrics have all groups. */
static void want_groups(struct session *s)
{
	uint32_t ids[VISIBLE_LIMIT];
	bool all, wanted;
	size_t count = view_group_ids(s->view, ids, VISIBLE_LIMIT, &all);

	all |= then_needs(s->then).groups;
	all |= s->server || ((s->exporter || s->push) && view_extras(s->view) & EXTRA_GROUPS);
	wanted = count || all;
	if (wanted || s->groups)
		collector_set_groups(s->collector, ids, count, all);
	s->groups = wanted;
}

/*
 * Tells the collector which function snapshots describe; while the screen stands still, the
 * function of that moment.
 */
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

/* A batch format may have any figure of each process, so also those that few columns show. */
unsigned session_extras(const struct session *s)
{
	return view_extras(s->view) | then_needs(s->then).extras | (s->server ? SERVED_EXTRAS : 0) |
	       (s->options->batch ? EXTRA_OF_OUTPUT : 0);
}

/* Tells the collector what the view shows now. */
static void want_all(struct session *s)
{
	bool commands = s->options->batch || view_wants_commands(s->view);
	bool threads = s->server || view_wants_threads(s->view);
	unsigned extras = session_extras(s);

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
	want_groups(s);
	look(s);
}

void session_request(struct session *s)
{
	uint32_t pids[VISIBLE_LIMIT];

	if (s->collector)
		want_all(s);
	s->feed.kind->request(s->feed.of, pids, view_visible_pids(s->view, pids, VISIBLE_LIMIT));
	s->awaiting = true;
}

/* LINE, SIZE raw bytes, is told while ptop runs. */
static void tell(const struct session *s, const char *line, size_t size)
{
	struct buf out = { 0 };

	if (!s->ui)
		buf_add_str(&out, "ptop: ");
	text_sanitize(&out, line, size, s->options->ascii);
	if (s->ui) {
		ui_message(s->ui, out.bytes);
	} else {
		buf_add_char(&out, '\n');
		output_write(STDERR_FILENO, _("standard error"), &out, NULL);
	}
	buf_fini(&out);
}

/* A first snapshot has no interval, and so no rates. */
static void publish_page(struct session *s, const struct snapshot *snapshot,
			 const struct output_request *request)
{
	struct buf page = { 0 };

	if (snapshot->interval_s > 0 &&
	    !output_format_find("openmetrics")->write(&page, request, NULL))
		exporter_publish(s->exporter, &page);
	buf_fini(&page);
}

static void push(struct session *s, const struct output_request *request)
{
	struct buf told = { 0 }, counts = { 0 };
	bool bad;

	if (push_interval(s->push, request, &told))
		tell(s, told.bytes, told.size);
	bad = push_describe(s->push, &counts);
	view_set_push_text(s->view, counts.bytes, bad);
	buf_fini(&told);
	buf_fini(&counts);
}

/* Call after look_at_conditions(), whose result is told, too. */
static void publish(struct session *s, struct snapshot *snapshot)
{
	struct output_trigger triggers[TRIGGERS_MAX];
	struct output_push counts;
	struct output_request request = { .view = s->exported,
					  .first = true,
					  .triggers = triggers,
					  .trigger_count = then_triggers(s->then, triggers) };

	if (!s->exporter && !s->push)
		return;
	if (s->push) {
		counts = push_counts(s->push);
		request.push = &counts;
	}
	view_set_snapshot(s->exported, snapshot);
	if (s->exporter)
		publish_page(s, snapshot, &request);
	if (s->push)
		push(s, &request);
	view_take_snapshot(s->exported); /* the screen's view gets it */
}

void session_tell_news(const struct session *s)
{
	struct buf line = { 0 };

	if (s->viewer && viewer_news(s->viewer, &line))
		tell(s, line.bytes, line.size);
	buf_fini(&line);
}

/* The screen has place for the last line. */
static void look_at_conditions(const struct session *s, struct snapshot *snapshot)
{
	struct buf told = { 0 };
	const char *line;

	then_look(s->then, snapshot, &told);
	for (line = told.bytes; line && *line; line += strcspn(line, "\n") + 1)
		tell(s, line, strcspn(line, "\n"));
	buf_fini(&told);
}

static const char *short_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

/* Before the view gets SNAPSHOT: what that is compared with. */
static void update_base(struct session *s, const struct snapshot *snapshot)
{
	struct snapshot *base;

	if (!s->rebase)
		return;
	base = rebase_update(s->rebase, snapshot);
	if (!s->base_shown)
		view_set_base(s->view, base, short_name(s->options->base));
	s->base_shown = true;
}

/* Tells, where it would be, that a server does not measure something. */
static void tell_unmeasured(const struct session *s, struct snapshot *snapshot)
{
	uint32_t pid = 0;
	bool more;
	uint32_t frame = view_function(s->view, &more);

	viewer_look(s->viewer, snapshot, frame, more);
	if (!view_memory_pids(s->view, &pid, 1, &more))
		return;
	for (size_t i = 0; i < snapshot->process_count; i++) {
		const struct snapshot_process *p = &snapshot->processes[i];

		if (p->pid == pid && !p->tid && !p->exited)
			snapshot->memory.process = p->serial;
	}
}

/* The iteration that a person counts: the refreshes that were shown. */
static void show(struct session *s, struct snapshot *snapshot)
{
	s->awaiting = false;
	snapshot->iteration = s->refreshes + 1;
	update_base(s, snapshot);
	if (s->viewer)
		tell_unmeasured(s, snapshot);
	view_set_snapshot(s->view, snapshot);
	if (s->collector)
		want_memory(s);
}

static bool is_of_other_window(const struct session *s, const struct snapshot *snapshot)
{
	const struct snapshot *shown = view_snapshot(s->view);

	return shown && (shown->past.from_ns != snapshot->past.from_ns ||
			 shown->past.to_ns != snapshot->past.to_ns);
}

/*
 * Returns true if the screen stands still and SNAPSHOT is no reason to change it.  Only a window
 * that a key or a click has chosen is a reason, even after the pause began.
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
	struct snapshot *snapshot = s->feed.kind->take(s->feed.of);

	if (!snapshot)
		return false;
	look_at_conditions(s, snapshot);
	publish(s, snapshot);
	if (stands_still(s, snapshot)) {
		bool changed;

		update_base(s, snapshot);
		changed = view_take_function(s->view, snapshot);
		s->awaiting = false;
		snapshot_free(snapshot);
		return changed;
	}
	show(s, snapshot);
	return true;
}

struct snapshot *session_wait(struct session *s, struct feed feed, uint64_t end_ns)
{
	struct snapshot *snapshot = NULL;
	struct signal_event event;
	bool waited = true; /* else no snapshot will come */

	while (!snapshot && waited && !s->stopped && session_now_ns() < end_ns) {
		uint64_t start_ns = session_now_ns();

		snapshot = feed.kind->wait(feed.of, SIGNALS_MS);
		waited = session_now_ns() - start_ns >= SIGNALS_MS * (NS_PER_S / 1000);
		while (signals_next(&s->signals, &event))
			session_signal(s, &event);
		if (!s->stopped) /* the same key may have ended ssh */
			session_tell_news(s);
	}
	return snapshot;
}

int session_snapshot(struct session *s, struct error *err)
{
	/* A server has a delay of its own. */
	uint64_t end_ns = s->viewer ? UINT64_MAX : session_now_ns() + SNAPSHOT_TIMEOUT_S * NS_PER_S;
	struct snapshot *snapshot;

	session_request(s);
	snapshot = session_wait(s, s->feed, end_ns);
	if (!snapshot && s->stopped)
		return 1;
	if (!snapshot) {
		if (s->feed.kind->state(s->feed.of, err) >= 0)
			error_set(err, _("no snapshot within %d seconds: the machine is too busy"),
				  SNAPSHOT_TIMEOUT_S);
		return -1;
	}
	look_at_conditions(s, snapshot);
	publish(s, snapshot);
	show(s, snapshot);
	return 0;
}

void session_push_rest(struct session *s)
{
	struct snapshot *snapshot;

	if (!s->push || !s->stopped || !push_has_samples(s->push))
		return;
	if (!s->awaiting)
		session_request(s);
	snapshot = s->feed.kind->wait(s->feed.of, REST_MS);
	if (!snapshot)
		return;
	publish(s, snapshot);
	show(s, snapshot);
}

int session_write(struct session *s, struct sink *sink, struct error *err)
{
	struct output_trigger triggers[TRIGGERS_MAX];
	struct output_request request = { .view = s->view,
					  .table = s->options->table,
					  .first = !sink->begun,
					  .triggers = triggers,
					  .trigger_count = then_triggers(s->then, triggers) };
	const struct options *o = s->options;
	struct buf out = { 0 };
	bool each;
	int result;

	if (o->quiet)
		return 0;
	each = view_set_each_ended(s->view, o->file || !sink->format->screen);
	view_set_limits(s->view, s->limit_processes, s->limit_symbols);
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

/* The command gets the signals of keys from the terminal itself, as we do. */
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
			  ngettext("%" PRIu64 " sample was lost: sample less often (-F), or read "
				   "them faster",
				   "%" PRIu64 " samples were lost: sample less often (-F), or read "
				   "them faster",
				   lost),
			  lost);
}
