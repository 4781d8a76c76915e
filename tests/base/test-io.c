/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/time.h>

#include "base/io.h"

/* Each read(2) of such a socket takes one message. */
static void open_messages(int fds[2])
{
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, fds), 0);
	assert_int_equal(write(fds[1], "ab", 2), 2);
}

UNIT_TEST(parts_are_read_as_one)
{
	char text[8];
	int fds[2];

	open_messages(fds);
	assert_int_equal(write(fds[1], "cd", 2), 2);
	close(fds[1]);
	assert_int_equal(io_read(fds[0], text, 3), 3);
	assert_memory_equal(text, "abc", 3);
	close(fds[0]);
}

UNIT_TEST(an_end_is_no_error)
{
	char text[8];
	int fds[2];

	open_messages(fds);
	close(fds[1]);
	errno = EIO;
	assert_int_equal(io_read(fds[0], text, sizeof(text)), 2);
	assert_int_equal(errno, 0);
	close(fds[0]);
	assert_int_equal(io_read(fds[0], text, sizeof(text)), 0);
	assert_int_equal(errno, EBADF);
}

static volatile sig_atomic_t answer_fd;

static void answer(int signal)
{
	ssize_t n = write(answer_fd, "cd", 2);

	(void)signal;
	(void)n;
}

/* The handler sends what the read waits for, and interrupts it. */
UNIT_TEST(a_signal_ends_no_read)
{
	const struct itimerval soon = { .it_value.tv_usec = 20000 };
	const struct sigaction action = { .sa_handler = answer };
	char text[4];
	int fds[2];

	open_messages(fds);
	answer_fd = fds[1];
	assert_int_equal(sigaction(SIGALRM, &action, NULL), 0);
	assert_int_equal(setitimer(ITIMER_REAL, &soon, NULL), 0);
	assert_int_equal(io_read(fds[0], text, sizeof(text)), sizeof(text));
	assert_memory_equal(text, "abcd", sizeof(text));
	close(fds[0]);
	close(fds[1]);
}

UNIT_TEST(a_place_in_a_file_is_read_and_written)
{
	char path[] = "/tmp/test-io-XXXXXX", text[8];
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	unlink(path);
	assert_int_equal(io_write_at(fd, 3, "abc", 3), 3);
	assert_int_equal(io_read_at(fd, 4, text, sizeof(text)), 2);
	assert_int_equal(errno, 0);
	assert_memory_equal(text, "bc", 2);
	errno = EIO;
	assert_int_equal(io_read_at(fd, (uint64_t)INT64_MAX + 1, text, sizeof(text)), 0);
	assert_int_equal(errno, 0);
	close(fd);
}

UNIT_TEST(a_full_disk_says_so)
{
	int fd = open("/dev/full", O_WRONLY);

	assert_true(fd >= 0);
	assert_int_equal(io_write_at(fd, 0, "abc", 3), 0);
	assert_int_equal(errno, ENOSPC);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parts_are_read_as_one),
		cmocka_unit_test(an_end_is_no_error),
		cmocka_unit_test(a_signal_ends_no_read),
		cmocka_unit_test(a_place_in_a_file_is_read_and_written),
		cmocka_unit_test(a_full_disk_says_so),
	};

	return unit_run(tests);
}
