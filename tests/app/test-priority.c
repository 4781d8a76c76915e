/* SPDX-License-Identifier: GPL-3.0-or-later */
/* In children, for priorities are not taken back. */
#include "unit.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "app/priority.h"
#include "base/clock.h"
#include "base/sync.h"

#define BUSY_MOST_NS (10 * PRIORITY_BUSY_NS)

enum { AS_WANTED = 0, OTHERWISE = 1, REFUSED = 2 };

static bool is_realtime(void)
{
	return sched_getscheduler(0) == SCHED_RR;
}

/* Returns true if this thread falls back although nobody waits for anything. */
static bool falls_back(void)
{
	while (is_realtime() && clock_thread_cpu_ns() < BUSY_MOST_NS)
		;
	return !is_realtime();
}

static void *fall_back_alone(void *seen)
{
	bool *as_wanted = seen;

	*as_wanted = is_realtime() && falls_back() && getpriority(PRIO_PROCESS, 0) == PRIORITY_NICE;
	return NULL;
}

static int raised_by_nice(void)
{
	priority_raise(0, false);
	priority_keep();
	return !is_realtime() && getpriority(PRIO_PROCESS, 0) == PRIORITY_NICE ? AS_WANTED
									       : OTHERWISE;
}

static int busy_thread(void)
{
	bool as_wanted = false;
	pthread_t thread;

	priority_raise(0, true);
	priority_keep();
	if (!is_realtime())
		return REFUSED;
	if (sync_start(&thread, fall_back_alone, &as_wanted))
		return OTHERWISE;
	pthread_join(thread, NULL);
	return as_wanted && is_realtime() ? AS_WANTED : OTHERWISE; /* only that thread was busy */
}

static int busy_main(void)
{
	priority_raise(0, true);
	priority_keep();
	if (!is_realtime())
		return REFUSED;
	return falls_back() ? AS_WANTED : OTHERWISE;
}

/* A command is measured as it would run without us. */
static int child(void)
{
	struct rlimit before, limit;
	pid_t pid;
	int status;

	getrlimit(RLIMIT_RTTIME, &before);
	priority_raise(0, true);
	pid = fork();
	if (!pid)
		_exit(sched_getscheduler(0) == SCHED_OTHER && !getpriority(PRIO_PROCESS, 0) &&
				      !getrlimit(RLIMIT_RTTIME, &limit) &&
				      limit.rlim_cur == before.rlim_cur
			      ? AS_WANTED
			      : OTHERWISE);
	return waitpid(pid, &status, 0) == pid && WIFEXITED(status) ? WEXITSTATUS(status)
								    : OTHERWISE;
}

static int given_by_nice(void)
{
	setpriority(PRIO_PROCESS, 0, 5);
	priority_raise(0, true);
	priority_keep();
	return !is_realtime() && getpriority(PRIO_PROCESS, 0) == 5 ? AS_WANTED : OTHERWISE;
}

static int given_by_chrt(void)
{
	if (sched_setscheduler(0, SCHED_BATCH, &(struct sched_param){ 0 }))
		return REFUSED;
	priority_raise(0, true);
	priority_keep();
	return sched_getscheduler(0) == SCHED_BATCH && !getpriority(PRIO_PROCESS, 0) ? AS_WANTED
										     : OTHERWISE;
}

static void expect(int (*run)(void))
{
	pid_t child = unit_fork();
	int status;

	assert_true(child >= 0);
	if (!child)
		_exit(run());
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status) == REFUSED)
		skip(); /* a container without CAP_SYS_NICE, or without time for real-time tasks */
	assert_int_equal(WEXITSTATUS(status), AS_WANTED);
}

UNIT_TEST(without_a_budget_it_is_a_nice_value)
{
	expect(raised_by_nice);
}

UNIT_TEST(a_thread_that_is_busy_falls_back_alone)
{
	if (unit_under_valgrind())
		skip(); /* it chooses itself which thread has a signal */
	expect(busy_thread);
}

UNIT_TEST(the_first_thread_falls_back_too)
{
	expect(busy_main);
}

UNIT_TEST(children_of_the_start_are_ordinary)
{
	expect(child);
}

UNIT_TEST(what_a_person_gave_stays)
{
	expect(given_by_nice);
	expect(given_by_chrt);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_a_budget_it_is_a_nice_value),
		cmocka_unit_test(a_thread_that_is_busy_falls_back_alone),
		cmocka_unit_test(the_first_thread_falls_back_too),
		cmocka_unit_test(children_of_the_start_are_ordinary),
		cmocka_unit_test(what_a_person_gave_stays),
	};

	if (getuid() || getpriority(PRIO_PROCESS, 0) || sched_getscheduler(0) != SCHED_OTHER) {
		puts("skipped: only root with an ordinary priority may raise it");
		return UNIT_SKIP;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
