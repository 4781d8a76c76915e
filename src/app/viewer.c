/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "app/viewer.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "app/audiences.h"
#include "app/remote-url.h"
#include "app/remote.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/i18n.h"
#include "base/io.h"
#include "base/strtab.h"
#include "share/ask.h"
#include "share/block.h"
#include "share/segment.h"
#include "symbol/demangle.h"
#include "worker/channel.h"

#define LOOKS 20 /* for a generation, in the time between two */
#define LOOK_MIN_NS (5 * 1000000ull)
#define LOOK_MAX_NS (100 * 1000000ull)
/* After so many snapshots without the function that was asked for, another viewer wants another one. */
#define LOOKED_MAX 4

struct viewer {
	struct segment_view *segment;
	int connection;          /* to the server of this machine; or -1 */
	bool audience;           /* it shows this user a part */
	size_t unanswered;       /* requests */
	struct remote *remote;   /* NULL: the server is of this machine */
	struct remote_news news; /* the newest */
	bool connected;          /* what was told, */
	uint64_t connections;    /* and how many of them */
	struct buf wanted;       /* names of events that it was asked for, a NUL behind each */
	struct block_reader *blocks;
	int timer; /* readable when it is time to look */
	bool asked;
	bool stacks;             /* the server was asked to take them */
	bool looks;              /* likewise, for code: */
	char look[ASK_TEXT_MAX]; /* of this function, as ASK_CODE has it */
	unsigned looked;         /* snapshots since that, */
	const char *no_code;     /* and why it was refused; NULL: it was not */
	struct error unsent;     /* why it could not be asked for */
	enum block_error error;  /* of the newest generation */
	bool ended;
};

/* "build1: its clock is 3.2 s ahead\n" */
static void note_clock(const struct viewer *v, struct buf *notes)
{
	double ahead_s = (double)v->news.ahead_ns / (double)NS_PER_S;

	buf_printf(notes,
		   ahead_s < 0 ? _("%s: its clock is %.3f s behind\n")
			       : _("%s: its clock is %.3f s ahead\n"),
		   remote_host(v->remote), fabs(ahead_s));
}

/* The object of the server NAME, or the part of it that this user may see. */
static struct segment_view *open_segment(struct viewer *v, const char *name, struct error *err)
{
	struct segment_view *s;
	int fd;

	err->text[0] = '\0';
	s = segment_open(name, err);
	if (s)
		v->connection = audiences_connect(name, segment_owner(s));
	if (s || err->text[0])
		return s;
	v->audience = true;
	fd = audiences_ask(name, &v->connection, err);
	return fd < 0 ? NULL : segment_view_of(fd, err);
}

struct viewer *viewer_open(const struct options *o, struct signals *signals, struct buf *notes,
			   struct error *err)
{
	struct viewer *v = mem_alloc(sizeof(*v));

	v->connection = -1;
	v->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (v->timer < 0)
		error_set(err, _("cannot make a timer: %s"), strerror(errno));
	else if (remote_is_url(o->attach))
		v->remote = remote_open(o, signals, &v->segment, &v->news, err);
	else
		v->segment = open_segment(v, o->attach, err);
	if (v->remote)
		note_clock(v, notes);
	v->connected = v->news.connected;
	v->connections = v->news.connections;
	if (!v->segment) {
		viewer_close(v);
		return NULL;
	}
	v->blocks = block_reader_new(symbol_demangle,
				     option_given(o, "max-memory") ? o->max_memory : 0);
	return v;
}

void viewer_close(struct viewer *v)
{
	if (!v)
		return;
	block_reader_free(v->blocks);
	segment_close(v->segment);
	io_close(&v->connection);
	remote_close(v->remote);
	buf_fini(&v->wanted);
	if (v->timer >= 0)
		close(v->timer);
	free(v);
}

static void look_in(struct viewer *v, uint64_t ns)
{
	const struct itimerspec when = { .it_value = { (time_t)(ns / NS_PER_S),
						       (long)(ns % NS_PER_S) } };

	timerfd_settime(v->timer, 0, &when, NULL);
}

static uint64_t until_look_ns(const struct viewer *v)
{
	uint64_t ns = segment_delay_ns(v->segment) / LOOKS;

	return ns < LOOK_MIN_NS ? LOOK_MIN_NS : ns > LOOK_MAX_NS ? LOOK_MAX_NS : ns;
}

static int viewer_fd(void *of)
{
	return ((struct viewer *)of)->timer;
}

static void viewer_request(void *of, const uint32_t *visible, size_t visible_count)
{
	struct viewer *v = of;

	(void)visible;
	(void)visible_count;
	v->asked = true;
	look_in(v, 1);
}

static void note_wanted(struct viewer *v, const struct snapshot *s)
{
	buf_clear(&v->wanted);
	for (size_t i = 0; i < s->event_count; i++) {
		if (s->events[i].asked && !s->events[i].removed)
			buf_add(&v->wanted, s->events[i].name, strlen(s->events[i].name) + 1);
	}
}

/* Looks first if the server lives: it may publish its last generation and end in between. */
static struct snapshot *next_snapshot(struct viewer *v)
{
	bool served = segment_is_served(v->segment);
	size_t size;
	void *block = segment_take(v->segment, &size);
	struct snapshot *s = block ? block_read(v->blocks, block, size, &v->error) : NULL;

	if (s)
		s->memory.missing = _("a server's snapshots have no mappings");
	if (s && v->remote && v->connected)
		note_wanted(v, s);
	v->ended = !s && !served;
	return s;
}

static struct snapshot *viewer_take(void *of)
{
	struct viewer *v = of;
	struct snapshot *s;
	uint64_t looks;

	if (read(v->timer, &looks, sizeof(looks)) < 0)
		return NULL;
	s = v->asked ? next_snapshot(v) : NULL;
	v->asked &= !s;
	if ((v->asked || v->unanswered) && !v->ended && v->error == BLOCK_GOOD)
		look_in(v, until_look_ns(v));
	return s;
}

static struct snapshot *viewer_wait(void *of, int timeout_ms)
{
	struct viewer *v = of;
	struct pollfd timer = { .fd = v->timer, .events = POLLIN };
	uint64_t end_ns = clock_monotonic_ns(&clock_system) + (uint64_t)timeout_ms * 1000000;
	struct snapshot *s = NULL;
	uint64_t now_ns = 0;

	while (!s && !v->ended && v->error == BLOCK_GOOD && now_ns < end_ns) {
		if (poll(&timer, 1, timeout_ms) < 0)
			break;
		s = viewer_take(v);
		now_ns = clock_monotonic_ns(&clock_system);
	}
	return s;
}

static int tell_end(const struct viewer *v, struct error *err)
{
	time_t seconds = (time_t)(segment_ended_ns(v->segment) / NS_PER_S);
	struct tm local;
	char text[32];

	if (!seconds || !localtime_r(&seconds, &local))
		return error_set(err, _("the server has ended"));
	strftime(text, sizeof(text), "%H:%M:%S", &local);
	return error_set(err, _("the server ended at %s"), text);
}

static int viewer_state(void *of, struct error *err)
{
	const struct viewer *v = of;

	if (v->error == BLOCK_OTHER_FORMAT)
		return error_set(err, _("the server is of another version of ptop"));
	if (v->error == BLOCK_DAMAGED)
		return error_set(err,
				 _("the server's snapshot is damaged: nothing in it is shown"));
	return v->ended ? tell_end(v, err) : 0;
}

/* 0; 1 if the server hears this viewer not; or -1 with ERR set. */
static int send_request(struct viewer *v, const struct ask_message *m, struct error *err)
{
	int result;

	if (v->remote && !v->news.connected)
		return error_set(err, _("%s: there is no connection"), remote_host(v->remote));
	if (!v->remote && v->connection < 0)
		return 1;
	result = v->remote ? remote_ask(v->remote, m)
			   : channel_send(v->connection, m, sizeof(*m), NULL);
	if (result == -EPIPE)
		return 1;
	if (result)
		return error_set(err, "%s", _("the server does not answer"));
	v->unanswered++;
	look_in(v, LOOK_MIN_NS);
	return 0;
}

int viewer_ask(struct viewer *v, enum ask_kind kind, const char *text, struct error *err)
{
	struct ask_message m;
	int result;

	if (!ask_write(&m, kind, text))
		return error_set(err, "%s",
				 _("a server takes one event at a time, with a short name"));
	result = send_request(v, &m, err);
	return result <= 0 ? result
			   : error_set(err,
				       _("a server measures: start that with -e %s, or with "
					 "--allow=events"),
				       text);
}

bool viewer_wants_stacks(const struct viewer *v)
{
	return v->stacks;
}

int viewer_ask_stacks(struct viewer *v, bool wanted, struct error *err)
{
	struct ask_message m;
	int result;

	ask_write(&m, wanted ? ASK_STACKS : ASK_NO_STACKS, ASK_STACKS_TEXT);
	result = send_request(v, &m, err);
	if (result > 0)
		return error_set(err, "%s",
				 _("a server measures: start that with -g, or with "
				   "--allow=stacks"));
	if (!result)
		v->stacks = wanted;
	return result;
}

/* The function that is looked at, as ASK_CODE has it; "": it is none that the server knows. */
static void name_function(const struct viewer *v, uint32_t frame, bool hottest,
			  char text[ASK_TEXT_MAX])
{
	uint32_t theirs = block_reader_theirs(v->blocks, frame);

	text[0] = '\0';
	if (hottest)
		snprintf(text, ASK_TEXT_MAX, "%s%s", ASK_CODE_TEXT, ASK_HOTTEST);
	else if (theirs != FRAME_NONE)
		snprintf(text, ASK_TEXT_MAX, "%s%" PRIu32, ASK_CODE_TEXT, theirs);
}

/* RESULT is that of send_request(). */
static const char *why_no_code(const struct viewer *v, int result)
{
	if (result > 0)
		return ask_refusal(v->audience ? ASK_CODE_NOT_SHOWN : ASK_CODE_NOT_ALLOWED);
	return result ? v->unsent.text : NULL;
}

/* The server of a connection that was made anew has other numbers, so the function is asked for again. */
static void ask_code(struct viewer *v, const char *text)
{
	struct ask_message m;
	int result;

	if (v->looks == (*text != '\0') && !strcmp(text, v->look))
		return;
	ask_write(&m, *text ? ASK_CODE : ASK_NO_CODE, *text ? text : v->look);
	result = send_request(v, &m, &v->unsent);
	v->looks = *text && !result;
	v->looked = 0;
	v->no_code = why_no_code(v, result);
	snprintf(v->look, sizeof(v->look), "%s", text);
}

void viewer_look(struct viewer *v, struct snapshot *s, uint32_t frame, bool hottest)
{
	char text[ASK_TEXT_MAX];
	const char *why;

	name_function(v, frame, hottest, text);
	if (*text || v->looks)
		ask_code(v, text);
	if (hottest && s->function.frame && !v->no_code)
		return;
	if (frame && s->function.frame == frame)
		return;
	why = v->no_code;
	if (!why && ++v->looked > LOOKED_MAX)
		why = _("another viewer looks at another function: leave and come again to ask for "
			"this one");
	snapshot_drop_function(s, why ? frame : FRAME_NONE, why ? strtab_add(s->arena, why) : "");
}

/* Appends a line if A is a refusal. */
static bool tell_answer(const struct ask_answer *a, struct buf *out)
{
	const char *text = a->result == ASK_WRONG ? a->text : ask_refusal(a->result);

	if (!text)
		return false;
	if (a->result != ASK_WRONG && *a->text)
		buf_printf(out, "%s: ", a->text);
	buf_add_str(out, text);
	return true;
}

/* Returns true if A is a refusal, with a line in OUT. */
static bool take_answer(struct viewer *v, const struct ask_answer *a, struct buf *out)
{
	bool told = tell_answer(a, out);

	v->unanswered -= v->unanswered && a->result > ASK_NO_MEMORY;
	v->stacks &= !(told && !strcmp(a->text, ASK_STACKS_TEXT));
	if (told && !strcmp(a->text, v->look))
		v->no_code = ask_refusal(a->result);
	return told;
}

/* The first refusal of those that came.  A server that ended, or sends anything else, is not listened to. */
static bool hear(struct viewer *v, struct buf *out)
{
	struct ask_answer_message m;
	struct ask_answer answer;
	bool told = false;
	ssize_t size;

	while (!told && v->connection >= 0) {
		size = channel_receive(v->connection, &m, sizeof(m), NULL, MSG_DONTWAIT);
		if (size == -EAGAIN)
			break;
		if (size <= 0 || !ask_answer_read(&m, (size_t)size, &answer)) {
			io_close(&v->connection);
			v->unanswered = 0;
			break;
		}
		told = take_answer(v, &answer, out);
	}
	return told;
}

/* A server that was started for a new connection measures what the one before it did, or tells that it refuses. */
static void ask_again(struct viewer *v)
{
	struct error err;

	for (size_t at = 0; at < v->wanted.size; at += strlen(v->wanted.bytes + at) + 1)
		viewer_ask(v, ASK_ADD, v->wanted.bytes + at, &err);
	if (v->stacks)
		viewer_ask_stacks(v, true, &err);
	v->looks = false;
}

/* Returns true if the connection was lost or made since this was told last. */
static bool tell_connection(struct viewer *v, struct buf *out)
{
	if (v->connected == (bool)v->news.connected && v->connections == v->news.connections)
		return false;
	v->connected = v->news.connected;
	v->connections = v->news.connections;
	v->unanswered = 0;
	if (v->connected) {
		buf_printf(out, _("%s: connected again"), remote_host(v->remote));
		ask_again(v);
	} else {
		buf_printf(out, _("%s: connection lost, trying again: %s"), remote_host(v->remote),
			   v->news.text);
	}
	return true;
}

bool viewer_news(struct viewer *v, struct buf *out)
{
	struct ask_answer_message m;
	struct ask_answer answer;

	if (!v->remote)
		return hear(v, out);
	while (remote_next(v->remote, &v->news, &m)) {
		if (ask_answer_read(&m, sizeof(m), &answer) && take_answer(v, &answer, out))
			return true;
	}
	return tell_connection(v, out);
}

void viewer_describe(struct viewer *v, struct buf *notes)
{
	struct ask_answer_message answer;
	double seconds;

	if (!v || !v->remote)
		return;
	while (remote_next(v->remote, &v->news, &answer))
		;
	seconds = (double)v->news.time_ns / (double)NS_PER_S;
	note_clock(v, notes);
	buf_printf(notes,
		   _("%s: %.1f kB/s: %" PRIu64 " snapshots, %" PRIu64 " bytes in %.1f s, %" PRIu64
		     " connections\n"),
		   remote_host(v->remote), seconds > 0 ? (double)v->news.bytes / seconds / 1000 : 0,
		   v->news.blocks, v->news.bytes, seconds, v->news.connections);
}

struct feed viewer_feed(struct viewer *v)
{
	static const struct feed_kind kind = { viewer_fd, viewer_request, viewer_take, viewer_wait,
					       viewer_state };

	return (struct feed){ &kind, v };
}
