/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unit.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "runtime/launch.h"

/* A folder with programs, which is all of PATH. */
static char folder[] = "/tmp/ptop-launch-XXXXXX";

static const char *const programs[][2] = {
	{ "node", "" },
	{ "nodejs", "" },
	{ "python3.11", "" },
	{ "python3.12", "" },
	{ "java", "" },
	{ "javac", "" },
	{ "dotnet", "" },
	{ "serve", "#!/usr/bin/env -S A=1 node --flag\nconsole.log()\n" },
	{ "direct", NULL }, /* "#!FOLDER/python3.12" */
	{ "shell", "#!/bin/sh\n" },
	{ "empty", "#!\n" },
};

static void make_program(const char *name, const char *text)
{
	char *path = mem_printf("%s/%s", folder, name);
	char *direct = mem_printf("#!%s/python3.12 -u\n", folder);
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0755);

	text = text ? text : direct;
	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
	free(direct);
	free(path);
}

static int set_up(void **state)
{
	char *link;

	(void)state;
	if (!mkdtemp(folder))
		return -1;
	for (size_t i = 0; i < sizeof(programs) / sizeof(*programs); i++)
		make_program(programs[i][0], programs[i][1]);
	link = mem_printf("%s/python3", folder);
	if (symlink("python3.11", link))
		return -1;
	free(link);
	return setenv("PATH", folder, 1);
}

static int tear_down(void **state)
{
	char *path = mem_printf("%s/python3", folder);

	(void)state;
	unlink(path);
	free(path);
	for (size_t i = 0; i < sizeof(programs) / sizeof(*programs); i++) {
		path = mem_printf("%s/%s", folder, programs[i][0]);
		unlink(path);
		free(path);
	}
	return rmdir(folder);
}

/* The variable that NAME's runtime is told, "" for none; until the next call. */
static const char *told(const char *name, bool stacks)
{
	static char text[256];
	char *argv[] = { (char *)name, NULL };
	struct launch l;

	launch_find(&l, argv, stacks);
	snprintf(text, sizeof(text), "%s", l.variable ? l.variable : "");
	launch_fini(&l);
	return text;
}

UNIT_TEST(each_runtime_is_told_its_own_variable)
{
	assert_string_equal(told("node", false),
			    "NODE_OPTIONS=--perf-basic-prof --interpreted-frames-native-stack");
	assert_string_equal(told("nodejs", false),
			    "NODE_OPTIONS=--perf-basic-prof --interpreted-frames-native-stack");
	assert_string_equal(told("dotnet", false), "DOTNET_PerfMapEnabled=1");
	assert_string_equal(told("python3.12", false), "PYTHONPERFSUPPORT=1");
	assert_string_equal(told("javac", false), "");
	assert_string_equal(told("missing", false), "");
}

UNIT_TEST(java_is_told_for_stacks_alone)
{
	char *argv[] = { (char *)"java", NULL };
	struct launch l;

	launch_find(&l, argv, false);
	assert_true(l.java);
	assert_null(l.variable);
	launch_fini(&l);
	assert_string_equal(told("java", true), "JDK_JAVA_OPTIONS=-XX:+PreserveFramePointer");
}

UNIT_TEST(a_python_that_knows_no_such_variable_is_told_nothing)
{
	assert_string_equal(told("python3.11", true), "");
	assert_string_equal(told("python3", true), ""); /* a link to it */
}

UNIT_TEST(a_script_is_its_interpreter)
{
	assert_string_equal(told("serve", false),
			    "NODE_OPTIONS=--perf-basic-prof --interpreted-frames-native-stack");
	assert_string_equal(told("direct", false), "PYTHONPERFSUPPORT=1");
	assert_string_equal(told("shell", false), "");
	assert_string_equal(told("empty", false), "");
}

UNIT_TEST(what_a_person_has_set_is_kept)
{
	setenv("NODE_OPTIONS", "--max-old-space-size=99", 1);
	assert_string_equal(told("node", false),
			    "NODE_OPTIONS=--max-old-space-size=99 --perf-basic-prof "
			    "--interpreted-frames-native-stack");
	setenv("NODE_OPTIONS", "--perf-prof", 1);
	assert_string_equal(told("node", false), "");
	setenv("DOTNET_PerfMapEnabled", "0", 1);
	assert_string_equal(told("dotnet", false), "");
	unsetenv("NODE_OPTIONS");
	unsetenv("DOTNET_PerfMapEnabled");
}

UNIT_TEST(what_would_name_a_program_that_runs_is_said)
{
	assert_non_null(strstr(launch_advice("node"), "NODE_OPTIONS=--perf-basic-prof"));
	assert_non_null(strstr(launch_advice("dotnet"), "DOTNET_PerfMapEnabled=1"));
	assert_non_null(strstr(launch_advice("java"), "--java-names"));
	assert_null(launch_advice("python3.12"));
	assert_null(launch_advice("bash"));
	assert_null(launch_advice(""));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_runtime_is_told_its_own_variable),
		cmocka_unit_test(java_is_told_for_stacks_alone),
		cmocka_unit_test(a_python_that_knows_no_such_variable_is_told_nothing),
		cmocka_unit_test(a_script_is_its_interpreter),
		cmocka_unit_test(what_a_person_has_set_is_kept),
		cmocka_unit_test(what_would_name_a_program_that_runs_is_said),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down) ? EXIT_FAILURE : EXIT_SUCCESS;
}
