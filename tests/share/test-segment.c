/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unit.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "base/clock.h"
#include "share/segment.h"

/* An object of this test alone, by its pid. */
static char name[SEGMENT_NAME_MAX], path[128];

static int name_it(void **state)
{
	(void)state;
	snprintf(name, sizeof(name), "test-%d", (int)getpid());
	snprintf(path, sizeof(path), "/ptop-%u-%s", (unsigned)geteuid(), name);
	return 0;
}

static struct segment_choice choice(void)
{
	return (struct segment_choice){ name, SEGMENT_BYTES_MIN, -1, 1000000 };
}

static struct segment *create(void)
{
	const struct segment_choice c = choice();
	struct error err = { "" };
	struct segment *s = segment_create(&c, &err);

	assert_string_equal(err.text, "");
	assert_non_null(s);
	return s;
}

static struct segment_view *view(void)
{
	struct error err = { "" };
	struct segment_view *v = segment_open(name, &err);

	assert_non_null(v);
	return v;
}

/* SIZE bytes that tell which generation they are of. */
static void publish(struct segment *s, unsigned char value, size_t size)
{
	struct buf block = { 0 };

	for (size_t i = 0; i < size; i++)
		buf_add_char(&block, (char)value);
	assert_int_equal(segment_publish(s, &block, 5 * NS_PER_S), 0);
	buf_fini(&block);
}

UNIT_TEST(a_viewer_takes_each_generation_once)
{
	struct segment *s = create();
	struct segment_view *v = view();
	unsigned char *block;
	size_t size;

	assert_null(segment_take(v, &size));
	publish(s, 1, 10);
	publish(s, 2, 30000);
	block = segment_take(v, &size);
	assert_int_equal(size, 30000);
	assert_int_equal(block[29999], 2);
	free(block);
	assert_null(segment_take(v, &size));
	for (unsigned char i = 3; i < 3 + 3 * SEGMENT_SLOTS; i++)
		publish(s, i, i);
	block = segment_take(v, &size);
	assert_int_equal(size, 2 + 3 * SEGMENT_SLOTS);
	free(block);
	assert_int_equal(segment_pid(v), getpid());
	assert_int_equal(segment_delay_ns(v), 1000000);
	segment_close(v);
	segment_remove(s);
}

UNIT_TEST(it_is_the_owners_alone)
{
	struct segment *s = create();
	struct stat st;
	int fd = shm_open(path, O_RDONLY, 0);

	assert_true(fd >= 0 && !fstat(fd, &st));
	assert_int_equal(st.st_mode & 0777, 0600);
	close(fd);
	segment_remove(s);
}

UNIT_TEST(a_group_may_read_if_it_is_named)
{
	struct segment_choice c = choice();
	struct error err = { "" };
	struct segment *s;
	struct stat st;
	int fd;

	c.group = getegid();
	s = segment_create(&c, &err);
	assert_non_null(s);
	fd = shm_open(path, O_RDONLY, 0);
	assert_true(fd >= 0 && !fstat(fd, &st));
	assert_int_equal(st.st_mode & 0777, 0640);
	close(fd);
	segment_remove(s);
}

UNIT_TEST(it_is_removed_at_the_end_and_the_viewer_knows)
{
	struct segment *s = create();
	struct segment_view *v = view();
	uint64_t now = clock_realtime_ns(&clock_system);
	unsigned char *block;
	size_t size;

	publish(s, 7, 100);
	assert_true(segment_is_served(v));
	segment_remove(s);
	assert_false(segment_is_served(v));
	assert_true(segment_ended_ns(v) >= now);
	block = segment_take(v, &size); /* the last one can still be shown */
	assert_int_equal(block[99], 7);
	free(block);
	segment_close(v);
	assert_int_equal(shm_open(path, O_RDONLY, 0), -1);
}

UNIT_TEST(a_name_has_one_server)
{
	struct segment *s = create();
	const struct segment_choice c = choice();
	struct error err = { "" };

	assert_null(segment_create(&c, &err));
	assert_non_null(strstr(err.text, "a server with this name runs"));
	segment_remove(s);
}

/* Serves for good, after a byte to FD. */
static void serve(int fd)
{
	struct segment *s = create();

	publish(s, 9, 9);
	if (write(fd, "", 1) != 1)
		_exit(1);
	for (;;)
		pause();
}

UNIT_TEST(one_that_a_crash_left_is_replaced)
{
	struct segment_view *v;
	struct segment *s;
	int ready[2];
	char byte;
	pid_t pid;

	assert_int_equal(pipe(ready), 0);
	pid = unit_fork();
	if (!pid)
		serve(ready[1]);
	assert_int_equal(read(ready[0], &byte, 1), 1);
	v = view();
	assert_true(segment_is_served(v));
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	assert_false(segment_is_served(v));
	assert_int_equal(segment_ended_ns(v), 5 * NS_PER_S);
	s = create();
	assert_false(segment_is_served(v)); /* it sees the old one */
	segment_close(v);
	segment_remove(s);
	assert_int_equal(shm_open(path, O_RDONLY, 0), -1);
	close(ready[0]);
	close(ready[1]);
}

/* Ends when the reader has closed FD. */
static void publish_fast(int fd)
{
	struct segment *s = create();
	struct buf block = { 0 };
	unsigned char value = 1;

	signal(SIGPIPE, SIG_DFL);
	for (size_t i = 0; i < segment_room(s); i++)
		buf_add_char(&block, 0);
	for (;; value++) {
		block.size = segment_room(s) - value;
		memset(block.bytes, value, block.size);
		segment_publish(s, &block, 0);
		if (write(fd, "", 1) != 1)
			_exit(1);
	}
}

/* A reader that is slower than the ring goes round takes whole generations or none. */
UNIT_TEST(generations_are_never_mixed)
{
	enum { TAKEN = 300 };
	struct segment_view *v;
	int step[2], taken = 0;
	char byte;
	pid_t pid;

	assert_int_equal(pipe(step), 0);
	pid = unit_fork();
	if (!pid) {
		close(step[0]);
		publish_fast(step[1]);
	}
	assert_int_equal(read(step[0], &byte, 1), 1);
	fcntl(step[0], F_SETPIPE_SZ, 4096);
	v = view();
	while (taken < TAKEN && read(step[0], &byte, 1) == 1) {
		size_t size;
		unsigned char *block = segment_take(v, &size);

		if (!block)
			continue;
		taken++;
		for (size_t i = 1; i < size; i++)
			assert_int_equal(block[i], block[0]);
		free(block);
	}
	assert_int_equal(taken, TAKEN);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	segment_close(v);
	segment_remove(create());
	close(step[0]);
	close(step[1]);
}

/* Puts SIZE bytes of FROM at AT of the object, as only its owner can. */
static void spoil(const void *from, size_t size, off_t at)
{
	int fd = shm_open(path, O_RDWR, 0);

	assert_int_equal(pwrite(fd, from, size, at), size);
	close(fd);
}

UNIT_TEST(a_hostile_server_gives_nothing)
{
	struct segment *s = create();
	struct segment_view *v = view();
	uint64_t huge = UINT64_MAX, one = 1;
	struct error err = { "" };
	size_t size, slot_bytes = segment_room(s) + 4 * sizeof(uint64_t);
	int fd;

	publish(s, 1, 5000);
	spoil(&huge, sizeof(huge), (off_t)(4096 + slot_bytes + 2 * sizeof(uint64_t))); /* bytes */
	assert_null(segment_take(v, &size));
	publish(s, 2, 5000);
	spoil(&one, 1, (off_t)(4096 + 2 * slot_bytes + 4000)); /* a byte of the block */
	assert_null(segment_take(v, &size));
	publish(s, 3, 5000);
	fd = shm_open(path, O_RDWR, 0);
	assert_int_equal(ftruncate(fd, 8192), 0);
	assert_null(segment_take(v, &size));
	assert_int_equal(ftruncate(fd, 10), 0);
	assert_null(segment_take(v, &size));
	close(fd);
	assert_null(segment_open(name, &err));
	assert_non_null(strstr(err.text, "another version"));
	segment_close(v);
	segment_remove(s);
}

/* Another user cannot open it anew; what he has open is empty once it is discarded. */
UNIT_TEST(memory_without_a_name_is_given_back)
{
	struct error err = { "" };
	struct segment_view *v;
	struct segment *s;
	struct stat st;
	size_t size;
	int fd, mine;

	s = segment_create_unnamed(SEGMENT_BYTES_MIN, 1000000, &fd, &err);
	assert_non_null(s);
	assert_int_equal(fstat(fd, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	assert_int_equal(fcntl(fd, F_GETFL) & O_ACCMODE, O_RDONLY);
	mine = dup(fd);
	v = segment_view_of(fd, &err);
	assert_non_null(v);
	publish(s, 7, 1000);
	free(segment_take(v, &size));
	assert_int_equal(size, 1000);
	assert_true(segment_is_served(v));
	publish(s, 8, 1000);
	segment_discard(s);
	assert_null(segment_take(v, &size));
	assert_false(segment_is_served(v));
	assert_true(segment_ended_ns(v) > 0);
	assert_int_equal(fstat(mine, &st), 0);
	assert_true(st.st_size <= 4096);
	close(mine);
	segment_close(v);
}

UNIT_TEST(names_are_checked)
{
	struct error err = { "" };

	assert_int_equal(segment_name_check("web.1_a-B", &err), 0);
	assert_int_equal(segment_name_check("../x", &err), -1);
	assert_int_equal(segment_name_check("a b", &err), -1);
	assert_null(segment_open("there-is-none", &err));
	assert_non_null(strstr(err.text, "no server there-is-none runs"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_viewer_takes_each_generation_once),
		cmocka_unit_test(it_is_the_owners_alone),
		cmocka_unit_test(a_group_may_read_if_it_is_named),
		cmocka_unit_test(it_is_removed_at_the_end_and_the_viewer_knows),
		cmocka_unit_test(a_name_has_one_server),
		cmocka_unit_test(one_that_a_crash_left_is_replaced),
		cmocka_unit_test(generations_are_never_mixed),
		cmocka_unit_test(a_hostile_server_gives_nothing),
		cmocka_unit_test(memory_without_a_name_is_given_back),
		cmocka_unit_test(names_are_checked),
	};

	return cmocka_run_group_tests(tests, name_it, NULL) ? EXIT_FAILURE : EXIT_SUCCESS;
}
