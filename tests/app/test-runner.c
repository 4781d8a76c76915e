/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unit.h"

#include <poll.h>
#include <sys/wait.h>

#include "app/runner.h"

#define DEADLINE_MS 20000
#define LENGTHS "exit $((${#PTOP_VALUE} + ${#PTOP_PID} + ${#PTOP_FILE} + ${#PTOP_RECORDING}))"

/* The status of a command that gets VALUES. */
static int status_with(const struct runner_values *values)
{
	static const struct signals signals = { .fd = -1 };
	struct runner *r = runner_start(&(struct runner_options){
		.command = LENGTHS, .signals = &signals, .silent = true });
	struct runner_end end = { .status = -1 };

	assert_non_null(r);
	assert_true(runner_run(r, values));
	for (int i = 0; i < DEADLINE_MS && !runner_next(r, &end); i++)
		poll(NULL, 0, 1);
	runner_stop(r);
	while (wait(NULL) > 0)
		;
	assert_false(end.timed_out);
	assert_true(WIFEXITED(end.status));
	return WEXITSTATUS(end.status);
}

UNIT_TEST(a_command_gets_the_values)
{
	const struct runner_values values = {
		.number = "1.5", .pid = "42", .file = "a.json", .recording = ""
	};

	assert_int_equal(status_with(&values), 3 + 2 + 6);
}

/* A ptop that somebody has taken over could have the runner, which has more rights, read on behind them. */
UNIT_TEST(texts_without_an_end_are_cut)
{
	struct runner_values values = { .number = "" };

	memset(values.recording, 'r', sizeof(values.recording));
	memset(values.pid, 'p', sizeof(values.pid));
	assert_int_equal(status_with(&values), 2 * (RUNNER_VALUE_SIZE - 1));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_command_gets_the_values),
		cmocka_unit_test(texts_without_an_end_are_cut),
	};

	return unit_run(tests);
}
