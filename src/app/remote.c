/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "app/remote.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "app/remote-words.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/i18n.h"
#include "base/io.h"
#include "share/wire.h"
#include "view/widget/text.h"
#include "worker/channel.h"
#include "worker/helper.h"
#include "worker/sandbox.h"

#define PIECE 65536
#define AGAIN_MIN_MS 500 /* between two connections; twice as long after each that failed */
#define AGAIN_MAX_MS 30000
#define SSH_END_MS 500     /* between SIGTERM and SIGKILL */
#define SSH_MISSING 127    /* of a shell: no such program */
#define GREETING_MS 20000u /* of a connection that is made anew, and of a server that is silent */

struct remote {
	struct helper helper;
	struct remote_words words;
};

/* From the helper. */
struct message {
	uint64_t is_answer;
	union {
		struct remote_news news;
		struct ask_answer_message answer;
	};
};

/* The helper's. */
struct link {
	const struct remote_words *words;
	const struct signals *signals;
	struct segment *segment; /* NULL: there was no greeting yet */
	struct wire_reader *wire;
	pid_t ssh;
	int in, out, said; /* its standard input, output and error; -1 */
	char last[160];    /* line that it said, cut */
	struct remote_news news;
	uint64_t began_ns;  /* CLOCK_MONOTONIC: this connection */
	uint64_t before_ns; /* of connections before it */
	bool greeted, ended;
	const char *why; /* what is wrong with what came, or NULL */
};

static uint64_t now_ns(void)
{
	return clock_monotonic_ns(&clock_system);
}

__attribute__((noreturn)) static void run_ssh(const struct link *l, int in, int out, int said)
{
	bool again = l->segment != NULL;
	char *argv[REMOTE_WORDS + 2] = { "ssh", "-oBatchMode=yes" };

	memcpy(argv + 1 + again, l->words->argv, sizeof(l->words->argv));
	if (again)
		setsid(); /* so it has no terminal, either */
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	dup2(in, STDIN_FILENO);
	dup2(out, STDOUT_FILENO);
	dup2(said, STDERR_FILENO);
	signals_reset_child(l->signals);
	execvp(argv[0], argv);
	dprintf(STDERR_FILENO, "%s: %s\n", argv[0], strerror(errno));
	_exit(SSH_MISSING);
}

/* Three pairs of ends; false, with none of them. */
static bool make_pipes(int in[2], int out[2], int said[2])
{
	int *const pipes[] = { in, out, said };

	for (int i = 0; i < 3; i++) {
		if (!pipe2(pipes[i], O_CLOEXEC))
			continue;
		while (i--) {
			close(pipes[i][0]);
			close(pipes[i][1]);
		}
		return false;
	}
	fcntl(in[1], F_SETFL, O_NONBLOCK); /* ours alone, as what is said */
	fcntl(said[0], F_SETFL, O_NONBLOCK);
	return true;
}

/* Starts ssh.  Returns false, with `why`, if that cannot be done. */
static bool connect_ssh(struct link *l)
{
	int in[2], out[2], said[2];

	l->why = strerror(EAGAIN);
	if (!make_pipes(in, out, said))
		return false;
	l->ssh = fork();
	if (!l->ssh)
		run_ssh(l, in[0], out[1], said[1]);
	close(in[0]);
	close(out[1]);
	close(said[1]);
	l->in = in[1];
	l->out = out[0];
	l->said = said[0];
	l->last[0] = '\0';
	l->greeted = false;
	l->began_ns = now_ns();
	l->wire = wire_reader_new();
	if (l->ssh > 0)
		l->why = NULL;
	return l->ssh > 0;
}

/* Keeps the last line that has anything. */
static void hear(struct link *l)
{
	char text[1024];
	ssize_t size = read(l->said, text, sizeof(text));

	if (size <= 0) {
		if (!size || errno != EAGAIN)
			io_close(&l->said);
		return;
	}
	while (size && isspace((unsigned char)text[size - 1]))
		size--;
	for (ssize_t i = size; i > 0; i--) {
		if (i > 1 && text[i - 2] != '\n' && text[i - 2] != '\r')
			continue;
		snprintf(l->last, sizeof(l->last), "%.*s", (int)(size - i + 1), text + i - 1);
		return;
	}
}

static void tell(struct link *l, const struct channel_fds *fds)
{
	const struct message m = { .news = l->news };

	channel_send(STDIN_FILENO, &m, sizeof(m), fds);
}

static void tell_answer(const struct ask_answer_message *answer)
{
	const struct message m = { .is_answer = true, .answer = *answer };

	channel_send(STDIN_FILENO, &m, sizeof(m), NULL);
}

/* The viewer's memory is made for the first greeting.  Returns false if that cannot be done. */
static bool open_segment(struct link *l, uint64_t delay_ns)
{
	struct channel_fds fds = { .count = 1 };
	struct error err = { "" };

	if (!l->segment)
		l->segment = segment_create_unnamed(SEGMENT_BYTES, delay_ns, &fds.fds[0], &err);
	else
		fds.count = 0;
	if (!l->segment)
		return false;
	tell(l, &fds);
	channel_close_fds(&fds);
	return true;
}

/* The least time that a message took says most about the clock. */
static void compare_clocks(struct link *l, uint64_t sent_ns, bool first)
{
	int64_t ahead = (int64_t)(sent_ns - clock_realtime_ns(&clock_system));

	if (first || ahead > l->news.ahead_ns)
		l->news.ahead_ns = ahead;
}

static void take_block(struct link *l, const struct wire_message *m)
{
	struct buf block = { .bytes = (char *)m->block, .size = m->size };

	compare_clocks(l, m->sent_ns, false);
	l->news.blocks++;
	l->news.time_ns = l->before_ns + now_ns() - l->began_ns;
	segment_publish(l->segment, &block, clock_realtime_ns(&clock_system));
	tell(l, NULL);
}

static void take_greeting(struct link *l, const struct wire_message *m)
{
	l->greeted = true;
	l->news.connected = 1;
	l->news.connections++;
	l->news.text[0] = '\0';
	compare_clocks(l, m->sent_ns, true);
	if (!open_segment(l, m->delay_ns))
		l->why = N_("no memory can be shared");
}

/* Says why a stream cannot be read. */
static const char *reason_of(enum wire_event event)
{
	if (event == WIRE_FOREIGN)
		return N_("what comes is not of ptop: does the shell there print something, or is "
			  "it another version?");
	if (event == WIRE_NO_CODEC)
		return N_("it is compressed, and this ptop was built without libzstd");
	return N_("what comes is damaged");
}

static void take_stream(struct link *l)
{
	struct wire_message m;
	enum wire_event event;
	char bytes[PIECE];
	ssize_t size = read(l->out, bytes, sizeof(bytes));

	if (size <= 0) {
		l->ended = true;
		io_close(&l->out);
		return;
	}
	l->news.bytes += (uint64_t)size;
	wire_feed(l->wire, bytes, (size_t)size);
	while (!l->why && (event = wire_next(l->wire, &m)) != WIRE_NOTHING) {
		if (event == WIRE_GREETING)
			take_greeting(l, &m);
		else if (event == WIRE_ANSWER)
			tell_answer(&m.answer);
		else if (event == WIRE_BLOCK)
			take_block(l, &m);
		else
			l->why = reason_of(event);
	}
}

/* Passes a request on as a whole, or answers that there are too many.  Returns false once the viewer has gone. */
static bool pass_request(struct link *l)
{
	struct ask_message m;
	struct ask_answer_message answer;
	ssize_t size = channel_receive(STDIN_FILENO, &m, sizeof(m), NULL, MSG_DONTWAIT);
	struct ask ask;

	if (size <= 0)
		return size == -EAGAIN;
	if (ask_read(&m, (size_t)size, &ask) && l->greeted && write(l->in, &m, sizeof(m)) < 0 &&
	    errno == EAGAIN) {
		ask_answer_write(&answer, ASK_TOO_OFTEN, ask.text);
		tell_answer(&answer);
	}
	return true;
}

enum { FD_PTOP, FD_OUT, FD_SAID, FDS };

/* Waits at most TIMEOUT_MS for something.  Returns false once the viewer has gone. */
static bool step(struct link *l, int timeout_ms)
{
	struct pollfd fds[FDS] = {
		[FD_PTOP] = { .fd = STDIN_FILENO, .events = POLLIN },
		[FD_OUT] = { .fd = l->out, .events = POLLIN },
		[FD_SAID] = { .fd = l->said, .events = POLLIN },
	};

	poll(fds, FDS, timeout_ms);
	if (fds[FD_SAID].revents)
		hear(l);
	if (fds[FD_OUT].revents)
		take_stream(l);
	return !fds[FD_PTOP].revents || pass_request(l);
}

/* How long the greeting may take from now on; -1: for ever, because a person may be asked for a password. */
static int patience_ms(const struct link *l)
{
	uint64_t waited_ms = (now_ns() - l->began_ns) / (NS_PER_S / 1000);

	if (l->greeted || !l->segment)
		return -1;
	return waited_ms < GREETING_MS ? (int)(GREETING_MS - waited_ms) : 0;
}

/* As long as the stream comes.  Returns false once the viewer has gone. */
static bool listen_to(struct link *l)
{
	bool here = true;
	uint64_t end_ns;

	l->ended = false;
	while (here && !l->ended && !l->why) {
		int ms = patience_ms(l);

		if (!ms)
			l->why = N_("no answer");
		else
			here = step(l, ms);
	}
	/* It says why it ends; what it has started may hold its standard error open. */
	end_ns = now_ns() + SSH_END_MS * (NS_PER_S / 1000);
	while (here && l->said >= 0 && !l->why && now_ns() < end_ns)
		here = step(l, SSH_END_MS);
	return here;
}

/* Ends ssh, and takes what it said last. */
static void disconnect(struct link *l)
{
	int status;

	io_close(&l->in);
	io_close(&l->out);
	io_close(&l->said);
	if (l->ssh > 0) {
		kill(l->ssh, SIGTERM);
		status = helper_wait(l->ssh, l->ssh, SSH_END_MS, NULL);
		if (!l->why && !l->last[0] && WIFEXITED(status) && WEXITSTATUS(status))
			l->why = N_("ssh has failed");
	}
	l->ssh = 0;
	l->greeted = false;
	wire_reader_free(l->wire);
	l->wire = NULL;
	l->before_ns = l->news.time_ns;
	l->news.connected = 0;
	snprintf(l->news.text, sizeof(l->news.text), "%s",
		 l->why       ? _(l->why)
		 : l->last[0] ? l->last
			      : _("the server there has ended"));
	tell(l, NULL);
	l->why = NULL;
}

static void run(void *context)
{
	struct link *l = context;
	int again_ms = AGAIN_MIN_MS;
	bool here = true;

	if (geteuid())
		sandbox_cut_capabilities(0);
	while (here) {
		here = !connect_ssh(l) || listen_to(l);
		again_ms = l->greeted                    ? AGAIN_MIN_MS
			   : again_ms < AGAIN_MAX_MS / 2 ? 2 * again_ms
							 : AGAIN_MAX_MS;
		disconnect(l);
		if (!l->segment)
			return;
		here = here && step(l, again_ms);
	}
	segment_remove(l->segment);
}

/* Returns true if a signal asks to end.  Others are of no interest yet. */
static bool is_ended(struct signals *signals)
{
	struct signal_event event;
	bool ended = false;

	while (signals_next(signals, &event))
		ended |=
			event.number == SIGINT || event.number == SIGTERM || event.number == SIGHUP;
	return ended;
}

/* The helper's first message: with the memory, or with what went wrong. */
static struct segment_view *take_first(const struct remote *r, struct remote_news *news,
				       struct error *err)
{
	struct channel_fds fds = { .count = 0 };
	struct buf text = { 0 };
	struct message m;

	if (channel_receive(r->helper.socket, &m, sizeof(m), &fds, 0) == sizeof(m))
		*news = m.news;
	else
		snprintf(news->text, sizeof(news->text), "%s", _("ssh was not started"));
	if (fds.count == 1)
		return segment_view_of(fds.fds[0], err);
	channel_close_fds(&fds);
	text_sanitize(&text, news->text, strnlen(news->text, sizeof(news->text)), false);
	error_set(err, "%s: %s", r->words.host, text.bytes);
	buf_fini(&text);
	return NULL;
}

static struct segment_view *wait_for_first(const struct remote *r, struct signals *signals,
					   struct remote_news *news, struct error *err)
{
	struct pollfd fds[] = { { .fd = r->helper.socket, .events = POLLIN },
				{ .fd = signals->fd, .events = POLLIN } };

	while (!fds[0].revents) {
		if (poll(fds, 2, -1) < 0 && errno != EINTR)
			break;
		if (fds[1].revents && is_ended(signals)) {
			error_set(err, _("ended by a signal, before %s answered"), r->words.host);
			return NULL;
		}
	}
	return take_first(r, news, err);
}

struct remote *remote_open(const struct options *o, struct signals *signals,
			   struct segment_view **view, struct remote_news *news, struct error *err)
{
	static const struct helper_kind kind = { .name = "ptop-remote",
						 .kept = STDERR_FILENO + 1,
						 .run = run };
	struct remote *r = mem_alloc(sizeof(*r));
	struct link l = { .words = &r->words, .signals = signals, .in = -1, .out = -1, .said = -1 };

	remote_words_make(&r->words, o);
	*view = NULL;
	if (helper_start(&r->helper, &kind, &l)) {
		r->helper.socket = -1;
		error_set(err, _("cannot start a process for ssh: %s"), strerror(errno));
	} else {
		*view = wait_for_first(r, signals, news, err);
	}
	if (*view)
		return r;
	remote_close(r);
	return NULL;
}

const char *remote_host(const struct remote *r)
{
	return r->words.host;
}

bool remote_next(struct remote *r, struct remote_news *news, struct ask_answer_message *answer)
{
	struct message m;

	while (channel_receive(r->helper.socket, &m, sizeof(m), NULL, MSG_DONTWAIT) == sizeof(m)) {
		if (m.is_answer) {
			*answer = m.answer;
			return true;
		}
		*news = m.news;
		news->text[sizeof(news->text) - 1] =
			'\0'; /* the other side may have taken it over */
	}
	return false;
}

int remote_ask(struct remote *r, const struct ask_message *m)
{
	return channel_send(r->helper.socket, m, sizeof(*m), NULL);
}

void remote_close(struct remote *r)
{
	if (!r)
		return;
	if (r->helper.socket >= 0) {
		close(r->helper.socket);
		while (waitpid(r->helper.pid, NULL, 0) < 0 && errno == EINTR)
			;
	}
	remote_words_fini(&r->words);
	free(r);
}
