/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_TESTS_UNIT_H
#define PTOP_TESTS_UNIT_H

/*
 * Every cmocka program includes this first.  The exit status is the result: 0 passed, 1 failed,
 * UNIT_SKIP when main() finds that the machine lacks something and has said what.
 */
#include <dirent.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cmocka.h>

#define UNIT_SKIP 77

/* The parameter of what needs nothing of cmocka's state, and such a test: UNIT_TEST(a_is_b) { ... } */
#define UNIT_NO_STATE __attribute__((unused)) void **state
#define UNIT_TEST(name) static void name(UNIT_NO_STATE)

/* fork(2), but the child does not outlive a test that fails, is killed or runs into a time limit. */
static inline pid_t unit_fork(void)
{
	pid_t pid = fork();

	if (!pid)
		prctl(PR_SET_PDEATHSIG, SIGKILL);
	return pid;
}

/*
 * The folder for the files of a test: TMPDIR, or else one in memory, for a disk takes long to make thousands of files.
 * With EXECUTED, programs that are made there can be executed.
 */
static inline const char *unit_folder(bool executed)
{
	const char *folder = getenv("TMPDIR");
	struct statvfs fs;

	if (folder)
		return folder;
	if (access("/dev/shm", W_OK) || statvfs("/dev/shm", &fs) ||
	    (executed && fs.f_flag & ST_NOEXEC))
		return "/tmp";
	return "/dev/shm";
}

/* Fails the test unless GOT is less than WITHIN from WANT. */
static inline void unit_is_near(double got, double want, double within)
{
	if (!(got - want < within && want - got < within))
		fail_msg("%g is not %g", got, want);
}

/* The number of descriptors that are open in this process, always the same number more. */
static inline unsigned unit_open_files(void)
{
	DIR *d = opendir("/proc/self/fd");
	unsigned count = 0;

	while (readdir(d))
		count++;
	closedir(d);
	return count;
}

#define unit_run(tests) (cmocka_run_group_tests((tests), NULL, NULL) ? EXIT_FAILURE : EXIT_SUCCESS)

/*
 * For tests that open real events while other programs use the machine too: what fails in three
 * attempts has failed, what passes once was disturbed before.
 */
#define UNIT_ATTEMPTS 3

static inline int unit_run_attempts(const struct CMUnitTest *tests, size_t count)
{
	for (int i = 1; i <= UNIT_ATTEMPTS; i++) {
		if (!_cmocka_run_group_tests("tests", tests, count, NULL, NULL))
			return EXIT_SUCCESS;
		printf("attempt %d of %d failed\n", i, UNIT_ATTEMPTS);
	}
	return EXIT_FAILURE;
}

#define unit_run_retried(tests) unit_run_attempts((tests), sizeof(tests) / sizeof((tests)[0]))

/*
 * Everything takes some thirty times as long then.  It preloads a library of its own,
 * /usr/libexec/valgrind/vgpreload_core-amd64-linux.so.
 */
static inline bool unit_under_valgrind(void)
{
	const char *preload = getenv("LD_PRELOAD");

	return preload && strstr(preload, "vgpreload");
}

/* PTOP_LIVE=no: a sanitizer, valgrind or another build beside it is tested here. */
static inline bool unit_is_live(void)
{
	const char *live = getenv("PTOP_LIVE");

	return !live || strcmp(live, "no");
}

/*
 * For tests that measure this machine, as the former, but not where PTOP_LIVE=no says that what is
 * measured would be a sanitizer, valgrind or another build beside it.
 */
static inline int unit_run_measuring(const struct CMUnitTest *tests, size_t count)
{
	if (!unit_is_live()) {
		puts("skipped: PTOP_LIVE=no: this machine is not measured");
		return UNIT_SKIP;
	}
	return unit_run_attempts(tests, count);
}

#define unit_run_live(tests) unit_run_measuring((tests), sizeof(tests) / sizeof((tests)[0]))

#endif
