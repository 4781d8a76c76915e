/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Each call is tried, in a child that is confined: what a run needs works, all else fails. */
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/ioctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "app/confine.h"

#if defined(HAVE_LIBSECCOMP) && !defined(INSTRUMENTED)

static char folder[] = "/tmp/ptop-confine-XXXXXX";
static char old_file[64], new_file[64];

static int try_exec(void)
{
	char *const words[] = { "true", NULL };

	return execv("/bin/true", words);
}

static int try_fork(void)
{
	pid_t pid = fork();

	if (!pid)
		_exit(0);
	return pid;
}

static int try_write(void)
{
	return open(old_file, O_WRONLY | O_CLOEXEC);
}

static int try_truncate(void)
{
	return open(old_file, O_RDONLY | O_TRUNC | O_CLOEXEC);
}

static int try_create_over(void)
{
	return open(old_file, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
}

static int try_temporary(void)
{
	return open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
}

static int try_create(void)
{
	return open(new_file, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
}

static int try_touch(void)
{
	return open(new_file, O_RDONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
}

static int try_read(void)
{
	return open(old_file, O_RDONLY | O_CLOEXEC);
}

static int try_rename(void)
{
	return rename(old_file, new_file);
}

static int try_mode(void)
{
	return chmod(old_file, 04755);
}

static int try_inet(void)
{
	return socket(AF_INET, SOCK_STREAM, 0);
}

static int try_unix(void)
{
	return socket(AF_UNIX, SOCK_STREAM, 0);
}

/* As the memory of an audience. */
static int try_mode_of_open(void)
{
	return fchmod(STDERR_FILENO, 0600);
}

static int try_accept(void)
{
	accept(-1, NULL, NULL); /* never works, but is there */
	return errno == EBADF ? 0 : -1;
}

static int try_pair(void)
{
	int ends[2];

	return socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends);
}

static int try_kill(void)
{
	return kill(getppid(), SIGURG); /* ignored */
}

static int try_ask(void)
{
	return kill(getppid(), 0);
}

static int try_trace(void)
{
	return (int)ptrace(PTRACE_TRACEME, 0, NULL, NULL);
}

/* To itself, which is not there to be changed by others. */
static int try_pidfd(void)
{
	int fd = (int)syscall(SYS_pidfd_open, getpid(), 0);
	int result = fd < 0 ? fd : (int)syscall(SYS_pidfd_send_signal, fd, SIGURG, NULL, 0);

	close(fd);
	return result;
}

static int try_nice(void)
{
	return setpriority(PRIO_PROCESS, 0, getpriority(PRIO_PROCESS, 0));
}

static int try_bind(void)
{
	cpu_set_t cpus;

	return sched_getaffinity(0, sizeof(cpus), &cpus) ||
			       sched_setaffinity(0, sizeof(cpus), &cpus)
		       ? -1
		       : 0;
}

static int try_order(void)
{
	return (int)syscall(SYS_ioprio_set, 1, 0, 0);
}

static int try_schedule(void)
{
	return sched_setscheduler(0, SCHED_BATCH, &(struct sched_param){ 0 });
}

static int try_schedule_others(void)
{
	return sched_setscheduler(getppid(), SCHED_OTHER, &(struct sched_param){ 0 });
}

static int try_fall_back(void)
{
	return sched_setscheduler(0, SCHED_OTHER, &(struct sched_param){ 0 });
}

/* A file system, and a call that no kernel has: nobody thought of refusing them. */
static int try_mount_api(void)
{
	return (int)syscall(SYS_fsopen, "tmpfs", 0);
}

static int try_unknown(void)
{
	return (int)syscall(0xffff);
}

static int try_type(void)
{
	return ioctl(0, TIOCSTI, "x");
}

static int try_limits_of_others(void)
{
	return (int)syscall(SYS_prlimit64, getppid(), 7, NULL, NULL);
}

static int try_look(void)
{
	struct winsize size;

	return ioctl(0, TIOCGWINSZ, &size) && errno != ENOTTY ? -1 : 0;
}

/* What passes fails for its arguments. */
static bool bpf_passes(long command)
{
	return syscall(SYS_bpf, command, NULL, 0) >= 0 || (errno != EPERM && errno != ENOSYS);
}

/* Loading a program, making a map, attaching, updating, and a number that only its lower half makes harmless. */
static int try_programs(void)
{
	static const long refused[] = { 0, 2, 4, 5, 8, 17, 23, 25, 26, 28, 33, 1l << 32 | 1 };

	for (size_t i = 0; i < sizeof(refused) / sizeof(*refused); i++) {
		if (bpf_passes(refused[i]))
			return 0;
	}
	errno = EPERM;
	return -1;
}

/* Lookup, also in batches, and deletion. */
static int try_maps(void)
{
	static const long needed[] = { 1, 3, 24 };

	for (size_t i = 0; i < sizeof(needed) / sizeof(*needed); i++) {
		if (!bpf_passes(needed[i])) {
			errno = EPERM;
			return -1;
		}
	}
	return 0;
}

/* A thread that is told, and forgotten. */
static int try_threads(void)
{
	errno = EPERM;
	return bpf_passes(2) && bpf_passes(3) ? 0 : -1;
}

/* Any other. */
static int try_beyond_threads(void)
{
	static const long refused[] = { 0, 1, 4, 5, 8, 17, 23, 24, 25, 26, 28, 33, 1l << 32 | 2 };

	for (size_t i = 0; i < sizeof(refused) / sizeof(*refused); i++) {
		if (bpf_passes(refused[i]))
			return 0;
	}
	errno = EPERM;
	return -1;
}

static int try_raise(void)
{
	return raise(SIGURG);
}

static void *nothing(void *context)
{
	return context;
}

static int try_thread(void)
{
	pthread_t thread;

	return pthread_create(&thread, NULL, nothing, NULL) || pthread_join(thread, NULL) ? -1 : 0;
}

/*
 * Returns true if CALL works in a child that is confined to NEEDS.  A call that fails must do so as one that the kernel
 * does not have, or with EPERM if it may be called with other arguments.
 */
static bool works(int (*call)(void), const struct privilege_needs *needs)
{
	pid_t child = unit_fork();
	int status;

	assert_true(child >= 0);
	if (!child) {
		signal(SIGURG, SIG_IGN);
		confine(needs);
		_exit(call() >= 0 ? 0 : errno == EPERM || errno == ENOSYS ? 1 : 2);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	unlink(new_file);
	assert_true(WIFEXITED(status));
	assert_in_range(WEXITSTATUS(status), 0, 1);
	return WEXITSTATUS(status) == 0;
}

UNIT_TEST(nothing_is_run_written_or_sent)
{
	int (*const refused[])(void) = { try_exec,        try_fork,   try_write,
					 try_truncate,    try_create, try_touch,
					 try_rename,      try_mode,   try_temporary,
					 try_create_over, try_inet,   try_unix,
					 try_kill,        try_trace,  try_mount_api,
					 try_unknown,     try_type,   try_limits_of_others };
	const struct privilege_needs needs = { .live = true };

	for (size_t i = 0; i < sizeof(refused) / sizeof(*refused); i++)
		assert_false(works(refused[i], &needs));
}

UNIT_TEST(what_every_run_needs_works)
{
	int (*const needed[])(
		void) = { try_read, try_pair, try_ask, try_raise, try_thread, try_look };
	const struct privilege_needs needs = { .live = false };

	for (size_t i = 0; i < sizeof(needed) / sizeof(*needed); i++)
		assert_true(works(needed[i], &needs));
}

/* As root: for others the kernel itself may refuse bpf(2). */
UNIT_TEST(maps_are_emptied_and_no_program_is_loaded)
{
	const struct privilege_needs sums = { .live = true, .sums = true },
				     others = { .live = true };

	assert_false(works(try_programs, &sums));
	assert_false(works(try_programs, &others));
	assert_false(works(try_maps, &others));
	if (!geteuid())
		assert_true(works(try_maps, &sums));
}

UNIT_TEST(threads_are_told_and_no_program_is_loaded)
{
	const struct privilege_needs walks = { .live = true, .walks = true },
				     sums = { .live = true, .sums = true };

	assert_false(works(try_beyond_threads, &walks));
	assert_false(works(try_threads, &sums));
	if (!geteuid())
		assert_true(works(try_threads, &walks));
}

UNIT_TEST(only_new_files_are_made)
{
	const struct privilege_needs needs = { .creates = true };

	assert_true(works(try_create, &needs));
	assert_true(works(try_touch, &needs));
	assert_false(works(try_write, &needs));
	assert_false(works(try_truncate, &needs));
	assert_false(works(try_create_over, &needs));
	assert_false(works(try_temporary, &needs));
}

UNIT_TEST(sockets_are_for_names_or_fetching)
{
	assert_true(works(try_unix, &(struct privilege_needs){ .unix_names = true }));
	assert_false(works(try_inet, &(struct privilege_needs){ .unix_names = true }));
	assert_true(works(try_inet, &(struct privilege_needs){ .fetches = true }));
	assert_false(works(try_inet, &(struct privilege_needs){ .serves = true }));
}

UNIT_TEST(connections_of_users_are_for_a_server)
{
	assert_true(works(try_accept, &(struct privilege_needs){ .shares = true }));
	assert_true(works(try_mode_of_open, &(struct privilege_needs){ .audiences = true }));
	assert_false(works(try_unix, &(struct privilege_needs){ .audiences = true }));
	assert_false(works(try_mode, &(struct privilege_needs){ .audiences = true }));
	assert_false(works(try_unix, &(struct privilege_needs){ .shares = true }));
	assert_false(works(try_mode_of_open, &(struct privilege_needs){ .shares = true }));
}

UNIT_TEST(signals_are_for_the_command)
{
	assert_true(works(try_kill, &(struct privilege_needs){ .command = getpid() }));
	assert_false(works(try_kill, &(struct privilege_needs){ .command = getpid() + 1 }));
}

UNIT_TEST(processes_are_changed_where_keys_may)
{
	int (*const calls[])(void) = { try_pidfd, try_nice, try_bind, try_order };

	for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++) {
		assert_true(works(calls[i], &(struct privilege_needs){ .acts = true }));
		assert_false(works(calls[i],
				   &(struct privilege_needs){ .live = true, .creates = true }));
	}
	assert_false(works(try_kill, &(struct privilege_needs){ .acts = true }));
	assert_false(works(try_schedule, &(struct privilege_needs){ .acts = true }));
	assert_false(works(try_schedule_others, &(struct privilege_needs){ .acts = true }));
	assert_true(works(try_fall_back, &(struct privilege_needs){ 0 }));
}

static int set_up(void **state)
{
	int fd;

	(void)state;
	if (!mkdtemp(folder))
		return -1;
	snprintf(old_file, sizeof(old_file), "%s/old", folder);
	snprintf(new_file, sizeof(new_file), "%s/new", folder);
	fd = open(old_file, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	return close(fd);
}

static int tear_down(void **state)
{
	(void)state;
	unlink(old_file);
	return rmdir(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_is_run_written_or_sent),
		cmocka_unit_test(what_every_run_needs_works),
		cmocka_unit_test(threads_are_told_and_no_program_is_loaded),
		cmocka_unit_test(maps_are_emptied_and_no_program_is_loaded),
		cmocka_unit_test(only_new_files_are_made),
		cmocka_unit_test(sockets_are_for_names_or_fetching),
		cmocka_unit_test(connections_of_users_are_for_a_server),
		cmocka_unit_test(signals_are_for_the_command),
		cmocka_unit_test(processes_are_changed_where_keys_may),
	};

	if (unit_under_valgrind())
		return UNIT_SKIP; /* its own system calls would be refused too */
	return cmocka_run_group_tests(tests, set_up, tear_down) ? EXIT_FAILURE : EXIT_SUCCESS;
}

#else

int main(void)
{
	return UNIT_SKIP; /* no call is refused in this build */
}

#endif
