/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A child whose main hangs is ended; one that answers is not. */
#include "unit.h"

#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "app/ending.h"
#include "app/signals.h"

#define LATE_MS 20000 /* the child ends itself then, with LATE */

enum { ANSWERED = 3, LATE = 4, GIVEN = 5 };

static void leave(void)
{
}

static void hang(void)
{
	poll(NULL, 0, LATE_MS);
	_exit(LATE);
}

static void send_end(int number)
{
	kill(getpid(), number);
}

static int status_of(void (*run)(struct signals *s, struct ending *e))
{
	struct signals signals;
	struct error err;
	pid_t child = unit_fork();
	int status;

	assert_true(child >= 0);
	if (!child) {
		close(STDERR_FILENO);
		if (signals_open(&signals, false, &err))
			_exit(LATE);
		run(&signals, ending_start(leave, &err));
		_exit(LATE);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static void term(struct signals *s, struct ending *e)
{
	(void)s;
	(void)e;
	send_end(SIGTERM);
	hang();
}

static void hangup(struct signals *s, struct ending *e)
{
	(void)s;
	(void)e;
	send_end(SIGHUP);
	hang();
}

static void interrupt(struct signals *s, struct ending *e)
{
	(void)s;
	(void)e;
	send_end(SIGINT);
	hang();
}

UNIT_TEST(a_signal_ends_what_hangs)
{
	assert_int_equal(status_of(term), 1);
	assert_int_equal(status_of(hangup), 1);
	assert_int_equal(status_of(interrupt), 1);
}

/* Reads the signal, and then works longer than a signal may be left. */
static void answer(struct signals *s, struct ending *e)
{
	struct signal_event event;

	send_end(SIGTERM);
	send_end(SIGCHLD); /* stays: no reason to end */
	while (!signals_next(s, &event) || event.number != SIGTERM)
		;
	send_end(SIGCHLD);
	poll(NULL, 0, 2 * ENDING_SIGNAL_MS);
	ending_stop(e);
	_exit(ANSWERED);
}

UNIT_TEST(who_reads_the_signal_goes_on)
{
	assert_int_equal(status_of(answer), ANSWERED);
}

static void close_for_ever(struct signals *s, struct ending *e)
{
	(void)s;
	ending_begin(e, 50, GIVEN, NULL);
	hang();
}

static void close_at_once(struct signals *s, struct ending *e)
{
	(void)s;
	ending_begin(e, 60000, GIVEN, NULL);
	ending_stop(e);
	_exit(ANSWERED);
}

/* A second signal does not cut short what closes. */
static void close_and_interrupt(struct signals *s, struct ending *e)
{
	(void)s;
	ending_begin(e, 2 * ENDING_SIGNAL_MS, GIVEN, NULL);
	send_end(SIGTERM);
	hang();
}

UNIT_TEST(closing_has_a_deadline)
{
	assert_int_equal(status_of(close_for_ever), GIVEN);
	assert_int_equal(status_of(close_at_once), ANSWERED);
	assert_int_equal(status_of(close_and_interrupt), GIVEN);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_signal_ends_what_hangs),
		cmocka_unit_test(who_reads_the_signal_goes_on),
		cmocka_unit_test(closing_has_a_deadline),
	};

	return unit_run(tests);
}
