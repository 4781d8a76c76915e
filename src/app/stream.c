/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "app/stream.h"

#include <poll.h>

#include "base/clock.h"

#define PIECE 1024 /* samples that are printed at once */

/* Prints the samples that are there now.  As output_write(). */
static int print_samples(struct session *s, struct error *err)
{
	struct tap_sample samples[PIECE];
	struct buf text = { 0 };
	int result = 0;
	size_t count;

	while (!result && (count = tap_take(s->tap, samples, PIECE))) {
		buf_clear(&text);
		for (size_t i = 0; i < count; i++) {
			const struct output_sample sample = {
				.time_ns = samples[i].time_ns,
				.comm = "",
				.pid = samples[i].pid,
				.tid = samples[i].tid,
				.cpu = samples[i].cpu,
				.event = s->evlist->items[samples[i].event]->name,
				.period = samples[i].period,
				.address = samples[i].address,
				.symbol = "",
				.object = "",
			};

			s->output.format->sample(&text, &sample);
		}
		result = output_write(s->output.fd, s->output.name, &text, err);
	}
	buf_fini(&text);
	return result;
}

/* When -n delays are over; UINT64_MAX without them. */
static uint64_t end_ns(const struct session *s)
{
	const struct options *o = s->options;
	double length_ns = (double)o->iterations * o->delay_s * (double)NS_PER_S;

	return o->iterations ? session_now_ns() + (uint64_t)length_ns : UINT64_MAX;
}

static int until_ms(uint64_t end)
{
	uint64_t now = session_now_ns();

	if (end == UINT64_MAX)
		return -1;
	return now >= end ? 0 : (int)((end - now) / 1000000 % INT32_MAX + 1);
}

/* 0 when it is time to end, 1 when nobody reads any more, -1 with ERR set. */
static int print_until_end(struct session *s, struct error *err)
{
	struct pollfd fds[] = { { .fd = s->signals.fd, .events = POLLIN },
				{ .fd = tap_fd(s->tap), .events = POLLIN },
				{ .fd = collector_fd(s->collector), .events = POLLIN } };
	uint64_t end = end_ns(s);
	struct signal_event event;
	int result = 0, left;

	while (!result && !s->stopped && !(s->command.pid && command_poll(&s->command)) &&
	       (left = until_ms(end))) {
		poll(fds, 3, left);
		while (signals_next(&s->signals, &event))
			session_signal(s, &event);
		result = print_samples(s, err);
		if (!result && fds[2].revents && collector_state(s->collector, err) < 0)
			result = -1;
	}
	return result;
}

/* A snapshot is made of all that came before it: then the last samples are in the queue. */
static int print_all(struct session *s, struct error *err)
{
	int result = sink_begin(&s->output, s->options, err);

	if (!result)
		result = print_until_end(s, err);
	if (!result) {
		collector_end(s->collector);
		result = session_snapshot(s, err);
	}
	if (!result)
		result = print_samples(s, err);
	return result;
}

int stream_run(struct session *s, struct error *err)
{
	int result;

	if (s->command.pid && command_release(&s->command, s->options->command[0], err))
		return 2;
	result = print_all(s, err);
	command_end(&s->command);
	if (result)
		return result < 0 ? 1 : 0;
	session_tell_lost(s, tap_dropped(s->tap), err);
	return s->command.pid ? command_exit_status(&s->command) : 0;
}
