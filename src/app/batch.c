/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <poll.h>

#include "app/server.h"
#include "app/session.h"
#include "base/clock.h"

/*
 * A snapshot is due.  With a command and neither -d, -n nor --when only one is: at its end, of the whole
 * run.
 */
static bool is_periodic(const struct session *s)
{
	return !s->options->command || s->options->periodic || s->options->trigger_count;
}

static int until_next_ms(const struct session *s)
{
	uint64_t now = session_now_ns();

	if (!is_periodic(s))
		return -1;
	if (now >= s->next_ns)
		return 0;
	return (int)((s->next_ns - now + 999999) / 1000000);
}

static void schedule_next(struct session *s)
{
	uint64_t delay_ns = (uint64_t)(s->options->delay_s * (double)NS_PER_S);
	uint64_t now = session_now_ns();

	s->next_ns += delay_ns;
	if (s->next_ns < now)
		s->next_ns = now + delay_ns; /* late by more than one: no catching up */
}

/* Until a snapshot is due, the command has ended or we are to end. */
static void sleep_until_due(struct session *s)
{
	struct pollfd fds[] = { { .fd = s->signals.fd, .events = POLLIN },
				{ .fd = server_reader_fd(s) },
				{ .events = POLLIN } };
	struct signal_event event;
	int timeout_ms;

	while (!s->stopped && !(s->command.pid && command_poll(&s->command))) {
		timeout_ms = until_next_ms(s);
		if (!timeout_ms)
			return;
		fds[2].fd = server_door(s, &timeout_ms);
		poll(fds, 3, timeout_ms);
		s->stopped |= fds[1].revents != 0;
		if (fds[2].fd >= 0 && fds[2].revents)
			server_answer(s);
		while (signals_next(&s->signals, &event))
			session_signal(s, &event);
	}
}

void session_sleep(struct session *s)
{
	schedule_next(s);
	sleep_until_due(s);
}

static bool is_last(const struct session *s)
{
	return s->stopped || s->command.ended ||
	       (s->options->iterations && s->refreshes >= s->options->iterations);
}

static bool will_be_last(const struct session *s)
{
	return s->command.ended ||
	       (s->options->iterations && s->refreshes + 1 >= s->options->iterations);
}

/* 0, 1 when nobody reads any more, -1 with ERR set. */
static int print_snapshots(struct session *s, struct error *err)
{
	if (sink_begin(&s->output, s->options, err))
		return -1;
	s->next_ns = session_now_ns();
	do {
		int result = 0;

		/* A server's snapshot is there, with its interval. */
		if (!s->viewer || s->refreshes)
			session_sleep(s);
		if (s->stopped)
			break;
		if (s->collector && will_be_last(s))
			collector_end(s->collector);
		result = session_snapshot(s, err);
		if (result < 0)
			return -1;
		if (result)
			break;
		if (!sink_takes_last(&s->output))
			result = session_write(s, &s->output, err);
		if (result)
			return result;
		s->refreshes++;
	} while (!is_last(s));
	if (s->refreshes && sink_takes_last(&s->output))
		return session_write(s, &s->output, err);
	return 0;
}

int batch_run(struct session *s, struct error *err)
{
	int result;

	/* The first snapshot is what the following differences start from; it is not printed. */
	result = s->viewer ? 0 : session_snapshot(s, err);
	if (result)
		return result < 0 ? 1 : 0;
	if (s->command.pid && command_release(&s->command, s->options->command[0], err))
		return 2;
	result = print_snapshots(s, err);
	session_push_rest(s);
	command_end(&s->command); /* of -n, or because nobody reads any more */
	if (result)
		return result < 0 ? 1 : 0;
	if (s->output.format->stacks)
		session_tell_lost(s, 0, err);
	return s->command.pid ? command_exit_status(&s->command) : 0;
}
