/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Signals, nice values, CPUs: on a child of ours, and on nobody else who has its pid. */
#include "unit.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "app/act.h"
#include "base/buf.h"

#define THREADS 3

static void *wait_for_ever(void *context)
{
	for (;;)
		pause();
	return context;
}

/* A child with several threads, when they are there. */
static pid_t start_child(void)
{
	int ready[2];
	pid_t child;
	char c;

	assert_int_equal(pipe(ready), 0);
	child = unit_fork();
	assert_true(child >= 0);
	if (!child) {
		pthread_t thread;

		for (int i = 1; i < THREADS; i++)
			pthread_create(&thread, NULL, wait_for_ever, NULL);
		if (write(ready[1], "r", 1) == 1)
			wait_for_ever(NULL);
		_exit(1);
	}
	close(ready[1]);
	assert_int_equal(read(ready[0], &c, 1), 1);
	close(ready[0]);
	return child;
}

/* As it would be chosen on the screen: the 22nd field of its stat is when it began. */
static struct ui_task task_of(pid_t pid)
{
	struct ui_task t = { .pid = (uint32_t)pid, .comm = "child" };
	char path[64], text[1024], *at;
	size_t size;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	f = fopen(path, "r");
	assert_non_null(f);
	size = fread(text, 1, sizeof(text) - 1, f);
	fclose(f);
	text[size] = '\0';
	at = strrchr(text, ')');
	for (int field = 2; field < 22; field++)
		at = strchr(at + 1, ' ');
	t.start_ticks = strtoull(at, NULL, 10);
	assert_true(t.start_ticks > 0);
	return t;
}

static int end_child(pid_t child)
{
	int status;

	kill(child, SIGKILL);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFSIGNALED(status));
	return WTERMSIG(status);
}

static bool lives(pid_t child)
{
	return waitpid(child, NULL, WNOHANG) == 0;
}

UNIT_TEST(a_signal_reaches_the_process)
{
	pid_t child = start_child();
	struct ui_task t = task_of(child);
	struct error err = { "" };
	int status;

	assert_int_equal(process_acts.send(&t, SIGTERM, &err), 0);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
}

/* The pid is the child's, but the person saw a process that had it before. */
UNIT_TEST(who_got_the_pid_later_is_left_alone)
{
	pid_t child = start_child();
	struct ui_task t = task_of(child);
	struct error err = { "" };
	char expected[128];
	int now;

	snprintf(expected, sizeof(expected), "cannot kill %d (child): it has ended", child);
	t.start_ticks--;
	assert_int_equal(process_acts.send(&t, SIGKILL, &err), -1);
	assert_string_equal(err.text, expected);
	t.start_ticks = 0; /* not known */
	assert_int_equal(process_acts.send(&t, SIGKILL, &err), -1);
	assert_int_equal(process_acts.renice(&t, 1, &now, &err), -1);
	assert_int_equal(process_acts.set_cpus(&t, "0", &err), -1);
	assert_int_equal(process_acts.set_io(&t, "idle", &err), -1);
	assert_true(lives(child));
	assert_int_equal(getpriority(PRIO_PROCESS, (id_t)child), getpriority(PRIO_PROCESS, 0));
	assert_int_equal(end_child(child), SIGKILL);
}

UNIT_TEST(who_has_ended_is_told)
{
	pid_t child = start_child();
	struct ui_task t = task_of(child);
	struct error err = { "" };

	end_child(child);
	assert_int_equal(process_acts.send(&t, SIGTERM, &err), -1);
	assert_non_null(strstr(err.text, "it has ended"));
}

UNIT_TEST(a_name_cannot_reach_the_terminal)
{
	struct ui_task t = { .pid = 1, .kernel = true, .comm = "a\033[2Jb" };
	struct error err = { "" };

	assert_int_equal(process_acts.send(&t, SIGTERM, &err), -1);
	assert_null(strchr(err.text, '\033'));
	assert_non_null(strstr(err.text, "threads of the kernel take no signals"));
}

/* The kernel keeps nice values by thread; a person means the program. */
UNIT_TEST(all_threads_are_served)
{
	pid_t child = start_child();
	struct ui_task t = task_of(child);
	int before = getpriority(PRIO_PROCESS, 0), now = -100, found = 0;
	struct error err = { "" };

	if (before > 18)
		skip();
	if (process_acts.renice(&t, 1, &now, &err))
		fail_msg("%s", err.text);
	assert_int_equal(now, before + 1);
	for (pid_t tid = child; tid < child + 64; tid++) {
		if (syscall(SYS_tgkill, child, tid, 0))
			continue;
		found++;
		assert_int_equal(getpriority(PRIO_PROCESS, (id_t)tid), before + 1);
	}
	assert_in_range(found, 1, THREADS);
	end_child(child);
}

UNIT_TEST(cpus_are_set_and_read_back)
{
	pid_t child = start_child();
	struct ui_task t = task_of(child);
	struct error err = { "" };
	struct buf out = { 0 };
	cpu_set_t cpus;
	int cpu = 0;
	char text[16];

	assert_int_equal(sched_getaffinity(0, sizeof(cpus), &cpus), 0);
	while (!CPU_ISSET(cpu, &cpus))
		cpu++;
	snprintf(text, sizeof(text), "%d", cpu);
	assert_int_equal(process_acts.set_cpus(&t, text, &err), 0);
	assert_int_equal(process_acts.get_cpus(&t, &out, &err), 0);
	assert_string_equal(out.bytes, text);
	assert_int_equal(process_acts.set_cpus(&t, "65535", &err), -1);
	assert_non_null(strstr(err.text, "none of these CPUs"));
	assert_int_equal(process_acts.set_cpus(&t, "x", &err), -1);
	buf_fini(&out);
	end_child(child);
}

UNIT_TEST(priorities_of_storage)
{
	static const char *const orders[] = { "be 7", "idle", "be 0" };
	pid_t child = start_child();
	struct ui_task t = task_of(child);
	struct error err = { "" };

	for (size_t i = 0; i < sizeof(orders) / sizeof(*orders); i++) {
		struct buf out = { 0 };

		if (process_acts.set_io(&t, orders[i], &err))
			fail_msg("%s", err.text);
		assert_int_equal(process_acts.get_io(&t, &out, &err), 0);
		assert_string_equal(out.bytes, orders[i]);
		buf_fini(&out);
	}
	assert_int_equal(process_acts.set_io(&t, "be 8", &err), -1);
	assert_string_equal(err.text, "'be 8' is no priority: write be 0 to be 7, idle or none");
	end_child(child);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_signal_reaches_the_process),
		cmocka_unit_test(who_got_the_pid_later_is_left_alone),
		cmocka_unit_test(who_has_ended_is_told),
		cmocka_unit_test(a_name_cannot_reach_the_terminal),
		cmocka_unit_test(all_threads_are_served),
		cmocka_unit_test(cpus_are_set_and_read_back),
		cmocka_unit_test(priorities_of_storage),
	};

	if (syscall(SYS_pidfd_open, getpid(), 0) < 0) {
		printf("no pidfd_open: %s\n", strerror(errno));
		return UNIT_SKIP;
	}
	return unit_run(tests);
}
