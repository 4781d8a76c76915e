/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "app/ending.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/i18n.h"
#include "base/io.h"
#include "base/sync.h"

struct ending {
	pthread_t thread;
	void (*leave)(void);
	const char *stuck_text; /* translated before: the thread only writes */
	int signals;            /* readable while one is there that main has not read */
	int wake;
	pthread_mutex_t lock; /* of the rest */
	bool stop;
	uint64_t end_ns; /* CLOCK_MONOTONIC; 0: the run goes on */
	int status;
	const char *text;
};

__attribute__((noreturn)) static void end_now(const struct ending *e, int status, const char *text)
{
	e->leave();
	if (text && write(STDERR_FILENO, text, strlen(text)) < 0)
		status = 1; /* nobody is left to read it */
	_exit(status);
}

static int until_ms(uint64_t end_ns, uint64_t now_ns)
{
	return now_ns < end_ns ? (int)((end_ns - now_ns) / 1000000 + 1) : 0;
}

/* Takes what main has told.  False when all is released. */
static bool listen_to_main(struct ending *e, uint64_t *end_ns)
{
	uint64_t count;
	bool stop;

	if (read(e->wake, &count, sizeof(count)) < 0 && errno != EAGAIN)
		return false;
	pthread_mutex_lock(&e->lock);
	stop = e->stop;
	*end_ns = e->end_ns;
	pthread_mutex_unlock(&e->lock);
	return !stop;
}

/* Waits for main to read the signal.  False when it does not, nor begins to end. */
static bool main_answers(const struct ending *e)
{
	struct pollfd wake = { .fd = e->wake, .events = POLLIN };
	struct pollfd signals = { .fd = e->signals, .events = POLLIN };

	return poll(&wake, 1, ENDING_SIGNAL_MS) > 0 || poll(&signals, 1, 0) <= 0;
}

static void *watch(void *context)
{
	struct ending *e = context;
	uint64_t end_ns = 0, now_ns = 0;

	pthread_setname_np(pthread_self(), "ptop-ending");
	while (listen_to_main(e, &end_ns)) {
		struct pollfd p[2] = { { .fd = e->wake, .events = POLLIN },
				       { .fd = end_ns ? -1 : e->signals, .events = POLLIN } };

		now_ns = clock_monotonic_ns(&clock_system);
		if (end_ns && now_ns >= end_ns)
			end_now(e, e->status, e->text);
		poll(p, 2, end_ns ? until_ms(end_ns, now_ns) : -1);
		if (p[1].revents && !main_answers(e))
			end_now(e, 1, e->stuck_text);
	}
	return NULL;
}

static void ending_free(struct ending *e)
{
	if (e->signals >= 0)
		close(e->signals);
	if (e->wake >= 0)
		close(e->wake);
	pthread_mutex_destroy(&e->lock);
	free(e);
}

struct ending *ending_start(void (*leave)(void), struct error *err)
{
	struct ending *e = mem_alloc(sizeof(*e));
	sigset_t ends;
	int error;

	sigemptyset(&ends);
	sigaddset(&ends, SIGINT);
	sigaddset(&ends, SIGTERM);
	sigaddset(&ends, SIGHUP);
	e->leave = leave;
	e->stuck_text = _("ptop: ended by a signal while a file or a pipe did not answer\n");
	e->signals = signalfd(-1, &ends, SFD_CLOEXEC | SFD_NONBLOCK);
	e->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	pthread_mutex_init(&e->lock, NULL);
	error = e->signals < 0 || e->wake < 0 ? errno : sync_start(&e->thread, watch, e);
	if (!error)
		return e;
	error_set(err, _("cannot start the thread that ends ptop: %s"), strerror(error));
	ending_free(e);
	return NULL;
}

void ending_begin(struct ending *e, unsigned limit_ms, int status, const char *text)
{
	if (!e)
		return;
	pthread_mutex_lock(&e->lock);
	e->end_ns = clock_monotonic_ns(&clock_system) + limit_ms * (NS_PER_S / 1000);
	e->status = status;
	e->text = text;
	pthread_mutex_unlock(&e->lock);
	io_signal(e->wake);
}

void ending_stop(struct ending *e)
{
	if (!e)
		return;
	pthread_mutex_lock(&e->lock);
	e->stop = true;
	pthread_mutex_unlock(&e->lock);
	io_signal(e->wake);
	pthread_join(e->thread, NULL); /* it waits for nothing but us */
	ending_free(e);
}
