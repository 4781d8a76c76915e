/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unit.h"

#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "base/clock.h"
#include "runtime/attacher.h"
#include "runtime/java.h"

#define STATUS                                                     \
	"Name:\tjava\nUmask:\t0022\nPid:\t4123\nPPid:\t1\n"        \
	"Uid:\t1000\t1001\t1000\t1000\nGid:\t100\t101\t100\t100\n" \
	"NSpid:\t4123\t77\t7\nSigBlk:\t0000000000000000\n"

UNIT_TEST(a_status_tells_user_number_and_handlers)
{
	static const char quits[] = STATUS "SigCgt:\t0000000181005ccf\n";
	static const char dies[] = STATUS "SigCgt:\t0000000181005ccb\n";
	struct java_process p;

	assert_true(java_status_parse(&p, quits, sizeof(quits) - 1));
	assert_int_equal(p.uid, 1001);
	assert_int_equal(p.gid, 101);
	assert_int_equal(p.nspid, 7);
	assert_true(p.takes_quit);
	assert_true(java_status_parse(&p, dies, sizeof(dies) - 1));
	assert_false(p.takes_quit);
}

UNIT_TEST(a_status_that_was_cut_is_none)
{
	static const char whole[] = STATUS "SigCgt:\t0000000181005ccf\n";
	struct java_process p;

	for (size_t size = 0; size < sizeof(STATUS) - 1; size++)
		assert_false(java_status_parse(&p, whole, size));
}

UNIT_TEST(only_an_argument_of_its_own_forbids)
{
	static const char forbids[] = "java\0-XX:+DisableAttachMechanism\0Main";
	static const char allows[] =
		"java\0-Dx=-XX:+DisableAttachMechanism\0-XX:+DisableAttachMechanismX";

	assert_true(java_forbids(forbids, sizeof(forbids)));
	assert_false(java_forbids(forbids, sizeof("java") + 10));
	assert_false(java_forbids(allows, sizeof(allows)));
	assert_false(java_forbids("", 0));
}

UNIT_TEST(an_answer_begins_with_its_number)
{
	static const char old[] =
		"1\njava.lang.IllegalArgumentException: Unknown diagnostic command\n";

	assert_int_equal(java_answer_parse("0\n", 2), JAVA_NAMED);
	assert_int_equal(java_answer_parse("0\nwritten", 9), JAVA_NAMED);
	assert_int_equal(java_answer_parse("0", 1), JAVA_FAILED);
	assert_int_equal(java_answer_parse("", 0), JAVA_FAILED);
	assert_int_equal(java_answer_parse(old, sizeof(old) - 1), JAVA_TOO_OLD);
	assert_int_equal(java_answer_parse("100\nno", 6), JAVA_FAILED);
}

/* It would end by the signal. */
UNIT_TEST(a_program_that_is_no_java_gets_no_signal)
{
	pid_t pid = unit_fork();
	int status;

	if (!pid) {
		pause();
		_exit(0);
	}
	assert_int_equal(java_write_map("/proc", (uint32_t)pid), JAVA_NONE);
	assert_int_equal(waitpid(pid, &status, WNOHANG), 0);
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	assert_int_equal(WTERMSIG(status), SIGKILL);
	assert_int_equal(java_write_map("/proc", (uint32_t)pid), JAVA_NONE);
}

#define QUESTIONS 20
#define DEADLINE_S 60

static void ask_and_wait(struct attacher *a, uint32_t pid)
{
	uint64_t end_ns = clock_monotonic_ns(&clock_system) + DEADLINE_S * NS_PER_S;
	struct attacher_answer answer;

	assert_true(attacher_ask(a, pid));
	while (!attacher_next(a, &answer)) {
		assert_true(clock_monotonic_ns(&clock_system) < end_ns);
		poll(NULL, 0, 1);
	}
	assert_int_equal(answer.pid, pid);
	assert_int_equal(answer.result, JAVA_NONE);
}

/* The kernel tells what the attacher and its children used once it has ended. */
UNIT_TEST(the_cpu_time_of_all_that_it_forked_is_told)
{
	uint64_t before = 0, told, used_ns;
	struct attacher *a = attacher_start();
	struct rusage used, earlier;

	getrusage(RUSAGE_CHILDREN, &earlier);
	assert_non_null(a);
	for (int i = 0; i < QUESTIONS; i++) {
		ask_and_wait(a, (uint32_t)getpid());
		told = attacher_cpu_ns(a);
		assert_true(told >= before);
		before = told;
	}
	attacher_stop(a);
	getrusage(RUSAGE_CHILDREN, &used);
	used_ns = clock_cpu_ns_used(&used) - clock_cpu_ns_used(&earlier);
	assert_true(before > used_ns / 4 * 3);
	assert_true(before < used_ns / 4 * 5);
	assert_int_equal(attacher_cpu_ns(NULL), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_status_tells_user_number_and_handlers),
		cmocka_unit_test(a_status_that_was_cut_is_none),
		cmocka_unit_test(only_an_argument_of_its_own_forbids),
		cmocka_unit_test(an_answer_begins_with_its_number),
		cmocka_unit_test(a_program_that_is_no_java_gets_no_signal),
		cmocka_unit_test(the_cpu_time_of_all_that_it_forked_is_told),
	};

	return unit_run(tests);
}
