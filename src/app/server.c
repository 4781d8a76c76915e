/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "app/server.h"

#include <errno.h>
#include <grp.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/allow.h"
#include "app/asks.h"
#include "app/audiences.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/i18n.h"
#include "share/block.h"
#include "share/segment.h"
#include "share/wire.h"

/* One of both ways has its writer. */
struct server {
	struct segment *segment;
	struct audiences *audiences; /* users who may not see all, and all connections; or NULL */
	struct asks *asks;           /* what is measured for viewers */
	bool owners; /* a snapshot from now on tells whose each process is: for the audiences */
	bool owned;  /* the newest one does */
	struct wire_writer *wire;
	struct block_stream *stream; /* its blocks */
	struct asker starter;        /* who reads the stream: he started this server */
	int requests;                /* where his come from: standard input; or -1 */
	struct buf heard;            /* of the next of them */
	size_t room;                 /* of a block */
	struct buf block, out;       /* the second is for the stream */
	struct unpublished unpublished;
};

/* Fills GROUP with the number of NAME, -1 for none.  0, or -1 with ERR set. */
static int group_find(const char *name, int64_t *group, struct error *err)
{
	const struct group *found = name ? getgrnam(name) : NULL;

	*group = found ? (int64_t)found->gr_gid : -1;
	return !name || found ? 0 : error_set(err, _("no group is called '%s'"), name);
}

static uint64_t delay_ns(const struct options *o)
{
	return (uint64_t)(o->delay_s * (double)NS_PER_S);
}

static void add_event(void *of, struct evlist *more)
{
	struct session *s = of;

	collector_add_events(s->collector, more);
}

static void remove_event(void *of, size_t event)
{
	struct session *s = of;

	collector_remove_event(s->collector, event);
}

static void take_stacks(void *of, bool on)
{
	struct session *s = of;

	collector_take_stacks(s->collector, on);
}

static void look(void *of, bool on, uint32_t frame)
{
	struct session *s = of;
	const struct engine_look at = { .frame = frame, .hottest = on && frame == FRAME_NONE };

	collector_look(s->collector, &at);
}

/* Returns what --allow grants. */
static unsigned open_asks(struct session *s)
{
	static const struct asks_effects effects = { add_event, remove_event, take_stacks, look };
	const struct options *o = s->options;
	unsigned allowed;
	struct error err;

	allow_parse(o->allow ? o->allow : "", &allowed, &err); /* the option was checked */
	s->server->asks = asks_new(o, &effects, s);
	return allowed;
}

static void open_audiences(struct session *s, const struct segment_choice *segment,
			   struct buf *notes)
{
	struct audiences_choice choice = { .segment = segment,
					   .users = options_serve_users(s->options),
					   .allowed = open_asks(s) };

	choice.asks = s->server->asks;
	s->server->audiences = audiences_open(&choice, notes);
}

static int open_segment(struct session *s, struct buf *notes, struct error *err)
{
	const struct options *o = s->options;
	struct segment_choice choice = {
		.name = o->serve,
		.bytes = option_given(o, "serve-size") ? o->serve_bytes : SEGMENT_BYTES,
		.delay_ns = delay_ns(o),
	};

	if (group_find(o->serve_group, &choice.group, err))
		return -1;
	if (options_serve_users(o) && geteuid())
		return error_set(err,
				 _("--serve-users=all needs root: viewers believe no other user"));
	if (choice.bytes > SEGMENT_BYTES_MAX)
		choice.bytes = SEGMENT_BYTES_MAX;
	s->server->segment = segment_create(&choice, err);
	if (!s->server->segment)
		return -1;
	s->server->room = segment_room(s->server->segment);
	buf_printf(notes, _("serving: ptop --attach%s%s shows it\n"), *o->serve ? "=" : "",
		   o->serve);
	open_audiences(s, &choice, notes);
	return 0;
}

/* Who started this server with other options may have events that no name tells, too. */
static void open_requests(struct session *s)
{
	struct server *v = s->server;

	v->starter = (struct asker){
		.uid = geteuid(), .allowed = open_asks(s), .any = true, .sees_all = true
	};
	asks_join(v->asks, &v->starter);
	if (v->starter.allowed && !isatty(STDIN_FILENO))
		v->requests = STDIN_FILENO;
}

/* A pipe is opened anew while that can be done: see output_own(). */
static int open_stream(struct session *s, struct error *err)
{
	if (isatty(STDOUT_FILENO))
		return error_set(err,
				 _("--serve=- writes bytes for --attach ssh://HOST, and standard "
				   "output is a terminal"));
	s->output.fd = output_own(STDOUT_FILENO);
	if (s->output.fd < 0)
		s->output.fd = STDOUT_FILENO;
	s->server->wire = wire_writer_new();
	s->server->stream = block_stream_new();
	s->server->room = WIRE_BLOCK_MAX;
	open_requests(s);
	return 0;
}

int server_open(struct session *s, struct buf *notes, struct error *err)
{
	bool stream = !strcmp(s->options->serve, "-");

	s->server = mem_alloc(sizeof(*s->server));
	s->server->requests = -1;
	return stream ? open_stream(s, err) : open_segment(s, notes, err);
}

int server_reader_fd(const struct session *s)
{
	return s->server && s->server->wire ? s->output.fd : -1;
}

int server_door(const struct session *s, int *timeout_ms)
{
	if (!s->server)
		return -1;
	return s->server->wire ? s->server->requests
			       : audiences_fd(s->server->audiences, timeout_ms);
}

/* Owners of all processes are read only while there is an audience. */
static void want_owners(struct session *s)
{
	struct server *v = s->server;
	const bool wanted = audiences_any(v->audiences);

	if (wanted == v->owners)
		return;
	collector_set_owners(s->collector, wanted);
	v->owners = wanted;
	v->owned &= wanted;
}

/* As output_write(): a slow reader is waited for, and the next snapshot is made after that. */
static int send_out(struct session *s, struct error *err)
{
	int result = output_write(s->output.fd, _("standard output"), &s->server->out, err);

	buf_clear(&s->server->out);
	return result;
}

/* Answers what was heard as a whole.  Nothing is heard behind what is no request. */
static void answer_heard(struct session *s)
{
	struct ask_answer_message answer;
	struct server *v = s->server;
	struct error err = { "" };
	struct ask ask;

	if (v->heard.size < sizeof(struct ask_message))
		return;
	if (!ask_read(v->heard.bytes, v->heard.size, &ask)) {
		v->requests = -1;
		return;
	}
	buf_clear(&v->heard);
	asks_hear(v->asks, &v->starter, &ask, view_snapshot(s->view), session_now_ns(), &answer);
	wire_answer(&answer, &v->out);
	s->stopped |= send_out(s, &err) != 0;
}

/* There is something to read, or the end. */
static void hear(struct session *s)
{
	struct server *v = s->server;
	char bytes[sizeof(struct ask_message)];
	ssize_t size = read(v->requests, bytes, sizeof(bytes) - v->heard.size);

	if (size > 0) {
		buf_add(&v->heard, bytes, (size_t)size);
		answer_heard(s);
	} else if (!size || errno != EINTR) {
		v->requests = -1;
	}
}

/* The first audience waits for the next snapshot: this one does not tell whose each process is. */
void server_answer(struct session *s)
{
	struct server *v = s->server;

	if (!v)
		return;
	if (v->wire) {
		hear(s);
		return;
	}
	audiences_answer(v->audiences, view_snapshot(s->view), v->owned);
	want_owners(s);
}

void server_close(struct session *s, struct buf *notes)
{
	struct server *v = s->server;

	if (!v)
		return;
	unpublished_tell(&v->unpublished, notes);
	audiences_close(v->audiences, notes);
	if (v->wire)
		asks_leave(v->asks, &v->starter);
	asks_free(v->asks);
	segment_remove(v->segment);
	wire_writer_free(v->wire);
	block_stream_free(v->stream);
	buf_fini(&v->block);
	buf_fini(&v->out);
	buf_fini(&v->heard);
	free(v);
	s->server = NULL;
}

static int greet(struct session *s, struct error *err)
{
	if (!s->server->wire)
		return 0;
	wire_greet(delay_ns(s->options), clock_realtime_ns(&clock_system), &s->server->out);
	return send_out(s, err);
}

static int send_block(struct session *s, struct error *err)
{
	struct server *v = s->server;

	wire_write(v->wire, &v->block, clock_realtime_ns(&clock_system), &v->out);
	return send_out(s, err);
}

/*
 * A first snapshot has no interval, and so no rates.  0; 1 when the reader of the stream has gone, or -1 with ERR
 * set.
 */
static int publish(struct session *s, struct error *err)
{
	const struct snapshot *now = view_snapshot(s->view);
	struct server *v = s->server;
	int64_t cut;
	int result = 0;

	if (!(now->interval_s > 0))
		return 0;
	s->refreshes++;
	cut = v->wire ? block_stream_write(v->stream, now, v->room, &v->block)
		      : block_write(now, v->room, &v->block);
	asks_look(v->asks, now, session_now_ns());
	if (cut < 0)
		result = -EMSGSIZE;
	else if (v->wire)
		return send_block(s, err);
	else
		result = segment_publish(v->segment, &v->block, now->time_ns);
	v->owned = v->owners; /* nobody is answered while a snapshot is made */
	audiences_publish(v->audiences, now);
	want_owners(s);
	unpublished_add(&v->unpublished, result);
	return 0;
}

int server_run(struct session *s, struct error *err)
{
	int result = greet(s, err);

	s->next_ns = session_now_ns();
	while (!result && !s->stopped &&
	       !(s->options->iterations && s->refreshes >= s->options->iterations)) {
		result = session_snapshot(s, err);
		if (!result)
			result = publish(s, err);
		if (!result)
			session_sleep(s);
	}
	return result < 0 ? 1 : 0;
}
