/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Workers: what they may not do, how their ends are told, and that nothing of them is left.
 */
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "base/alloc.h"
#include "worker/bad-jobs.h"
#include "worker/channel.h"
#include "worker/zygote.h"

#define DEADLINE_MS 20000

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define FILTERED false
#elif defined(HAVE_LIBSECCOMP)
#define FILTERED true
#else
#define FILTERED false
#endif

/* Sends each message back, with its descriptor, until the other end closes. */
static void echo(int socket)
{
	struct channel_fds fds;
	char message[64];
	ssize_t size;

	while ((size = channel_receive(socket, message, sizeof(message), &fds, 0)) > 0) {
		if (channel_send(socket, message, (size_t)size, &fds) < 0)
			return;
		channel_close_fds(&fds);
	}
}

static void waits(int socket)
{
	char message[8];

	while (channel_receive(socket, message, sizeof(message), NULL, 0) >= 0 || errno)
		;
}

static void takes_much(int socket)
{
	(void)socket;
	memset(mem_alloc(1u << 30), 1, 1u << 30);
}

/* Says so when it has them. */
static void takes_32_mib(int socket)
{
	memset(mem_alloc(32u << 20), 1, 32u << 20);
	channel_send(socket, "x", 1, NULL);
	waits(socket);
}

static void opens(int socket)
{
	(void)socket;
	open("/dev/null", O_RDONLY);
}

static void executes(int socket)
{
	char *const arguments[] = { "true", NULL };

	(void)socket;
	execv("/bin/true", arguments);
}

static void connects(int socket_)
{
	(void)socket_;
	(void)!socket(AF_INET, SOCK_STREAM, 0);
}

static void writes(int socket)
{
	(void)!write(socket, "x", 1);
}

static void forks(int socket)
{
	(void)socket;
	(void)!fork();
}

static void makes_code(int socket)
{
	(void)socket;
	(void)!mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

/* Tells how many files it has open. */
static void looks(int socket)
{
	uint64_t seen = 0;

	for (int fd = 0; fd < 256; fd++)
		seen += fcntl(fd, F_GETFD) >= 0;
	channel_send(socket, &seen, sizeof(seen), NULL);
}

/* All bits that a message could carry besides the tag, in the former size of that message, too. */
static void claims(int socket)
{
	struct {
		uint32_t tag, end;
		uint64_t cpu_ns, peak_bytes;
	} forged = { WORKER_ENDED, WORKER_DONE, UINT64_MAX / 2, UINT64_MAX / 2 };

	channel_send(socket, &forged, sizeof(forged), NULL);
	channel_send(socket, &forged, sizeof(struct worker_ended), NULL);
}

enum {
	ECHO_,
	LOOPS,
	WAITS,
	TAKES_MUCH,
	TAKES_32_MIB,
	FAULTS,
	OPENS,
	EXECUTES,
	CONNECTS,
	WRITES,
	FORKS,
	MAKES_CODE,
	LOOKS,
	CLAIMS
};

static worker_main *const jobs[] = {
	[ECHO_] = echo,
	[LOOPS] = bad_job_loops,
	[WAITS] = waits,
	[TAKES_MUCH] = takes_much,
	[TAKES_32_MIB] = takes_32_mib,
	[FAULTS] = bad_job_faults,
	[OPENS] = opens,
	[EXECUTES] = executes,
	[CONNECTS] = connects,
	[WRITES] = writes,
	[FORKS] = forks,
	[MAKES_CODE] = makes_code,
	[LOOKS] = looks,
	[CLAIMS] = claims,
};

static const struct worker_limits limits = { .cpu_s = 1, .wall_s = 60, .memory_bytes = 256u << 20 };

/* One for all tests, started by main() while there is one thread. */
static struct zygote *zygote;

static bool readable(int fd)
{
	struct pollfd polled = { .fd = fd, .events = POLLIN };

	return poll(&polled, 1, DEADLINE_MS) > 0;
}

/* Waits for the end of the worker behind SOCKET, and closes it. */
static enum worker_end end_of(int socket)
{
	struct worker_ended ended = { .end = WORKER_KILLED };
	char message[64];
	ssize_t size;

	do {
		assert_true(readable(socket));
		size = channel_receive(socket, message, sizeof(message), NULL, MSG_DONTWAIT);
	} while (size > 0 && !zygote_worker_ended(message, (size_t)size, &ended));
	close(socket);
	return ended.end;
}

static int spawn_as(unsigned job, uint32_t *id)
{
	int socket = zygote_spawn(zygote, job, &limits, id);

	assert_true(socket >= 0);
	return socket;
}

static int spawn(unsigned job)
{
	uint32_t id;

	return spawn_as(job, &id);
}

static enum worker_end run(unsigned job)
{
	return end_of(spawn(job));
}

UNIT_TEST(a_worker_answers_with_a_descriptor)
{
	int socket = spawn(ECHO_), file = open("/proc/self/stat", O_RDONLY | O_CLOEXEC);
	struct channel_fds fds = { .count = 1, .fds = { file } };
	char message[64];

	assert_int_equal(channel_send(socket, "hello", 6, &fds), 0);
	assert_true(readable(socket));
	assert_int_equal(channel_receive(socket, message, sizeof(message), &fds, 0), 6);
	assert_string_equal(message, "hello");
	assert_int_equal(fds.count, 1);
	assert_true(read(fds.fds[0], message, sizeof(message)) > 0);
	channel_close_fds(&fds);
	close(file);
	close(socket);
}

UNIT_TEST(a_cut_message_is_an_error_and_leaks_nothing)
{
	unsigned before = unit_open_files();
	struct channel_fds fds = { .count = 1, .fds = { 0 } };
	char message[4];
	int ends[2];

	assert_int_equal(channel_pair(ends), 0);
	assert_int_equal(channel_send(ends[0], "longer", 7, &fds), 0);
	assert_int_equal(channel_receive(ends[1], message, sizeof(message), &fds, 0), -EMSGSIZE);
	close(ends[0]);
	assert_int_equal(channel_receive(ends[1], message, sizeof(message), &fds, 0), 0);
	assert_int_equal(channel_send(ends[1], "x", 1, NULL), -EPIPE);
	close(ends[1]);
	assert_int_equal(unit_open_files(), before);
}

UNIT_TEST(limits_end_a_worker)
{
	uint64_t before = zygote_cpu_ns(zygote);

	assert_int_equal(run(LOOPS), WORKER_TOO_SLOW);
	assert_in_range(zygote_cpu_ns(zygote) - before, 500000000ull, 3000000000ull);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
	assert_int_equal(run(TAKES_MUCH), WORKER_TOO_LARGE);
#endif
}

/* Nobody reads the last message of this worker. */
UNIT_TEST(the_time_of_a_worker_that_was_given_up_is_counted)
{
	uint64_t before = zygote_cpu_ns(zygote);
	int socket = spawn(LOOPS);

	readable(socket); /* until its limit ends it */
	close(socket);
	for (int i = 0; i < DEADLINE_MS && zygote_cpu_ns(zygote) - before < 500000000ull; i++)
		poll(NULL, 0, 1);
	assert_in_range(zygote_cpu_ns(zygote) - before, 500000000ull, 3000000000ull);
}

UNIT_TEST(a_hanging_worker_ends_at_its_deadline)
{
	const struct worker_limits short_time = { .cpu_s = 1,
						  .wall_s = 1,
						  .memory_bytes = 64u << 20 };
	uint32_t id;
	int socket = zygote_spawn(zygote, WAITS, &short_time, &id);

	assert_int_equal(end_of(socket), WORKER_TOO_SLOW);
}

UNIT_TEST(a_fault_is_told)
{
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
	assert_int_equal(run(FAULTS), WORKER_DAMAGED);
#endif
	assert_int_equal(run(LOOKS), WORKER_DONE);
}

UNIT_TEST(what_is_not_reading_kills_a_worker)
{
	static const unsigned forbidden[] = {
		OPENS, EXECUTES, CONNECTS, WRITES, FORKS, MAKES_CODE
	};

	if (!FILTERED)
		skip();
	for (size_t i = 0; i < sizeof(forbidden) / sizeof(*forbidden); i++)
		assert_int_equal(run(forbidden[i]), WORKER_DAMAGED);
}

UNIT_TEST(a_worker_has_its_socket_only)
{
	int socket = spawn(LOOKS);
	uint64_t seen;

	assert_true(readable(socket));
	assert_int_equal(channel_receive(socket, &seen, sizeof(seen), NULL, 0), sizeof(seen));
	assert_int_equal(seen, 1);
	close(socket);
}

/* The value of NAME in /proc/PID/status, as text; valid until the next call. */
static const char *status_of(int pid, const char *name)
{
	static char line[256];
	char path[64];
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	f = fopen(path, "r");
	assert_non_null(f);
	while (fgets(line, sizeof(line), f))
		if (!strncmp(line, name, strlen(name)) && line[strlen(name)] == ':')
			break;
	fclose(f);
	line[strcspn(line, "\n")] = '\0';
	return line + strlen(name) + 2;
}

/* The one child of the zygote, or 0. */
static int worker_pid(void)
{
	int pid = 0;

	worker_pids(zygote_pid(zygote), &pid, 1);
	return pid;
}

static void wait_for_children(int expected)
{
	for (int i = 0; i < DEADLINE_MS && (worker_pid() != 0) != expected; i++)
		poll(NULL, 0, 1);
	assert_int_equal(worker_pid() != 0, expected);
}

static void expect_powerless(int pid)
{
	assert_string_equal(status_of(pid, "CapEff"), "0000000000000000");
	assert_string_equal(status_of(pid, "CapPrm"), "0000000000000000");
	assert_string_equal(status_of(pid, "CapAmb"), "0000000000000000");
	assert_string_equal(status_of(pid, "NoNewPrivs"), "1");
	assert_int_equal(atoi(status_of(pid, "Uid")), getuid() ? getuid() : 65534);
	if (FILTERED)
		assert_string_equal(status_of(pid, "Seccomp"), "2");
}

/* "7f…-7f… rw-s 00000000 00:01 9 /dev/zero (deleted)": only root may look. */
static bool shares_memory(int pid)
{
	char path[64], line[512];
	bool shared = false;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	f = fopen(path, "r");
	while (f && fgets(line, sizeof(line), f))
		shared |= strstr(line, " rw-s ") != NULL;
	if (f)
		fclose(f);
	return shared;
}

UNIT_TEST(neither_zygote_nor_worker_has_privileges)
{
	char message[8];
	int socket, pid;

	wait_for_children(0); /* else that of the test before may be taken for it */
	socket = spawn(ECHO_);
	/* An answer says that the worker is behind all its preparations. */
	assert_int_equal(channel_send(socket, "x", 1, NULL), 0);
	assert_true(readable(socket));
	assert_int_equal(channel_receive(socket, message, sizeof(message), NULL, 0), 1);
	pid = worker_pid();
	assert_true(pid > 0);
	expect_powerless(zygote_pid(zygote));
	expect_powerless(pid);
	assert_false(shares_memory(pid));
	if (!geteuid())
		assert_true(shares_memory(zygote_pid(zygote)));
	close(socket);
}

UNIT_TEST(it_knows_its_workers_while_they_run)
{
	int socket, pid;

	wait_for_children(0);
	assert_true(zygote_has(zygote, zygote_pid(zygote)));
	socket = spawn(ECHO_);
	wait_for_children(1);
	pid = worker_pid();
	for (int i = 0; i < DEADLINE_MS && !zygote_has(zygote, pid); i++)
		poll(NULL, 0, 1);
	assert_true(zygote_has(zygote, pid));
	close(socket);
	for (int i = 0; i < DEADLINE_MS && zygote_has(zygote, pid); i++)
		poll(NULL, 0, 1);
	assert_false(zygote_has(zygote, pid)); /* another user's process may have that number now */
	assert_false(zygote_has(zygote, getpid()));
	assert_false(zygote_has(zygote, 0));
	assert_false(zygote_has(NULL, pid));
}

/* It says that it ended, and more, as far as it can say anything. */
UNIT_TEST(a_worker_cannot_claim_time)
{
	uint64_t before = zygote_cpu_ns(zygote);

	assert_int_equal(run(CLAIMS), WORKER_DONE);
	wait_for_children(0);
	assert_in_range(zygote_cpu_ns(zygote) - before, 1, 1000000000ull);
}

/* While it runs, and after its end; that of another worker is not in it. */
UNIT_TEST(the_time_of_each_worker_is_known)
{
	uint32_t slow_id, quick_id;
	int slow = spawn_as(LOOPS, &slow_id);
	int quick = spawn_as(CLAIMS, &quick_id);

	assert_int_equal(end_of(quick), WORKER_DONE);
	/* It may have ended before the zygote, which forked it, ran again. */
	for (int i = 0; i < DEADLINE_MS && !zygote_worker_cpu_ns(zygote, quick_id); i++)
		poll(NULL, 0, 1);
	assert_in_range(zygote_worker_cpu_ns(zygote, quick_id), 1, 400000000ull);
	for (int i = 0; i < DEADLINE_MS && zygote_worker_cpu_ns(zygote, slow_id) < 100000000ull;
	     i++)
		poll(NULL, 0, 1);
	assert_in_range(zygote_worker_cpu_ns(zygote, slow_id), 100000000ull, 3000000000ull);
	assert_int_equal(end_of(slow), WORKER_TOO_SLOW);
	assert_in_range(zygote_worker_cpu_ns(zygote, slow_id), 500000000ull, 3000000000ull);
	assert_int_equal(zygote_worker_cpu_ns(zygote, slow_id + 2), 0);
}

static void wait_for_message(int socket)
{
	char message[8];

	assert_true(readable(socket));
	assert_int_equal(channel_receive(socket, message, sizeof(message), NULL, 0), 1);
}

/* Copies of the zygote, which share its pages, cost next to nothing. */
UNIT_TEST(the_memory_of_a_worker_is_what_it_took)
{
	enum { IDLE = 8 };
	const uint64_t before = zygote_resident_bytes(zygote);
	uint32_t large_id, idle_id;
	int idle[IDLE], large;

	for (int i = 0; i < IDLE; i++) {
		idle[i] = spawn_as(ECHO_, &idle_id);
		assert_int_equal(channel_send(idle[i], "x", 1, NULL), 0);
		wait_for_message(idle[i]);
	}
	assert_in_range(zygote_resident_bytes(zygote), 1, before + (IDLE << 20));
	assert_in_range(zygote_worker_resident_bytes(zygote, idle_id), 0, 2 << 20);
	large = spawn_as(TAKES_32_MIB, &large_id);
	wait_for_message(large);
	assert_in_range(zygote_worker_resident_bytes(zygote, large_id), 30 << 20, 40 << 20);
	assert_in_range(zygote_resident_bytes(zygote), 30 << 20, before + ((40 + IDLE) << 20));
	close(large);
	for (int i = 0; i < IDLE; i++)
		close(idle[i]);
}

UNIT_TEST(closing_the_socket_kills_the_worker)
{
	int socket;

	wait_for_children(0); /* else that of the test before may be taken for it */
	socket = spawn(WAITS);
	wait_for_children(1);
	close(socket);
	wait_for_children(0);
}

/* "S (sleeping)": waits until PID is so. */
static void wait_for_state(int pid, char state)
{
	for (int i = 0; i < DEADLINE_MS && *status_of(pid, "State") != state; i++)
		poll(NULL, 0, 1);
	assert_int_equal(*status_of(pid, "State"), state);
}

static void stop_and_continue(int pid)
{
	wait_for_state(pid, 'S');
	kill(pid, SIGSTOP);
	wait_for_state(pid, 'T');
	kill(pid, SIGCONT);
	wait_for_state(pid, 'S');
}

/* So does a machine that is suspended, or a control group that is frozen: the kernel then calls restart_syscall(2). */
UNIT_TEST(who_is_stopped_goes_on)
{
	char message[64];
	int socket;

	wait_for_children(0);
	socket = spawn(ECHO_);
	wait_for_children(1);
	stop_and_continue(worker_pid());
	stop_and_continue(zygote_pid(zygote));
	assert_int_equal(channel_send(socket, "hello", 6, NULL), 0);
	assert_true(readable(socket));
	assert_int_equal(channel_receive(socket, message, sizeof(message), NULL, 0), 6);
	close(socket);
	assert_int_equal(run(FAULTS), WORKER_DAMAGED);
}

UNIT_TEST(workers_that_are_killed_leave_nothing)
{
	unsigned before;

	wait_for_children(0);
	before = unit_open_files();
	for (int i = 0; i < 20; i++) {
		int socket = spawn(WAITS);

		wait_for_children(1);
		kill(worker_pid(), SIGKILL);
		assert_int_equal(end_of(socket), WORKER_KILLED);
		wait_for_children(0); /* else the next round may kill this one again */
	}
	assert_int_equal(unit_open_files(), before);
}

UNIT_TEST(a_zygote_that_was_killed_starts_nothing)
{
	struct zygote *z = zygote_start(jobs, sizeof(jobs) / sizeof(*jobs));
	uint32_t id;
	int socket;

	assert_non_null(z);
	kill(zygote_pid(z), SIGKILL);
	while (waitpid(zygote_pid(z), NULL, 0) < 0 && errno == EINTR)
		;
	socket = zygote_spawn(z, ECHO_, &limits, &id);
	assert_int_equal(socket, -EPIPE);
	zygote_free(z);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_worker_answers_with_a_descriptor),
		cmocka_unit_test(a_cut_message_is_an_error_and_leaks_nothing),
		cmocka_unit_test(limits_end_a_worker),
		cmocka_unit_test(the_time_of_a_worker_that_was_given_up_is_counted),
		cmocka_unit_test(it_knows_its_workers_while_they_run),
		cmocka_unit_test(a_worker_cannot_claim_time),
		cmocka_unit_test(the_time_of_each_worker_is_known),
		cmocka_unit_test(a_hanging_worker_ends_at_its_deadline),
		cmocka_unit_test(a_fault_is_told),
		cmocka_unit_test(what_is_not_reading_kills_a_worker),
		cmocka_unit_test(a_worker_has_its_socket_only),
		cmocka_unit_test(neither_zygote_nor_worker_has_privileges),
		cmocka_unit_test(the_memory_of_a_worker_is_what_it_took),
		cmocka_unit_test(closing_the_socket_kills_the_worker),
		cmocka_unit_test(who_is_stopped_goes_on),
		cmocka_unit_test(workers_that_are_killed_leave_nothing),
		cmocka_unit_test(a_zygote_that_was_killed_starts_nothing),
	};
	int status;

	zygote = zygote_start(jobs, sizeof(jobs) / sizeof(*jobs));
	status = unit_run(tests);
	zygote_free(zygote);
	return status;
}
