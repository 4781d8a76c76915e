/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The spool of --push: what was put is there again, whatever happened to the file. */
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "app/push-spool.h"

static bool makes_no_holes;

/* In place of libc's: not every file system can do that. */
int fallocate(int fd, int mode, off_t offset, off_t size)
{
	if (!makes_no_holes)
		return (int)syscall(SYS_fallocate, fd, mode, offset, size);
	errno = EOPNOTSUPP;
	return -1;
}

static unsigned seeks;

/* In place of libc's, to count them. */
off_t lseek(int fd, off_t offset, int from)
{
	seeks++;
	return (off_t)syscall(SYS_lseek, fd, offset, from);
}

static char folder[] = "/tmp/ptop-spool-XXXXXX";

static int remove_tree(const char *path)
{
	char command[96];

	snprintf(command, sizeof(command), "rm -r %s", path);
	return system(command);
}

static int open_spool(void)
{
	struct error err = { "" };
	int fd = spool_open(folder, "a server", &err);

	assert_string_equal(err.text, "");
	return fd;
}

static uint64_t put(struct spool *s, uint64_t number, size_t size, enum spool_state state)
{
	const struct push_job job = { .from_s = number, .samples = number, .size = size };
	char *bytes = malloc(size + 1);
	uint64_t at;

	memset(bytes, (int)number, size);
	at = spool_put(s, &job, bytes, state);
	free(bytes);
	assert_true(at);
	return at;
}

/* Returns true if the record has bytes, which must be its own. */
static bool has_bytes(const struct spool *s, uint64_t at, const struct push_job *job)
{
	char *bytes = spool_get(s, at, job->size);

	if (!bytes)
		return false;
	for (size_t i = 0; i < job->size; i++)
		assert_int_equal((unsigned char)bytes[i], job->from_s & 0xff);
	free(bytes);
	return true;
}

/* Sums of the numbers of the records that are pending, and of those being sent. */
static void sums(struct spool *s, uint64_t *pending, uint64_t *sending)
{
	enum spool_state state;
	struct push_job job;
	uint64_t at = 0;

	*pending = *sending = 0;
	while (spool_next(s, &at, &job, &state)) {
		if (has_bytes(s, at, &job))
			*(state == SPOOL_PENDING ? pending : sending) += job.from_s;
	}
}

static struct spool opened(void)
{
	struct spool s;

	spool_init(&s, open_spool());
	return s;
}

static struct spool opened_empty(void)
{
	struct spool s = { .fd = open_spool() };

	assert_int_equal(ftruncate(s.fd, 0), 0);
	spool_init(&s, s.fd);
	return s;
}

/* Records 1, 2 and 4 alone. */
static void put_three(struct spool *s)
{
	assert_int_equal(ftruncate(s->fd, 0), 0);
	spool_init(s, s->fd);
	for (uint64_t number = 1; number <= 4; number *= 2)
		put(s, number, 40 + (size_t)number, SPOOL_PENDING);
}

/* The same file, opened anew, which takes no lock. */
static int open_again(int fd)
{
	char name[64];
	int again;

	snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
	again = open(name, O_RDWR);
	assert_true(again >= 0);
	return again;
}

/* The walk reads what was put, or less. */
static void read_damaged(int fd)
{
	enum spool_state state;
	struct push_job job;
	struct spool s;
	uint64_t at = 0;

	spool_init(&s, open_again(fd));
	for (int n = 0; spool_next(&s, &at, &job, &state); n++) {
		char *bytes = spool_get(&s, at, job.size);

		assert_true(n < 3);
		assert_true(!bytes || job.from_s == (unsigned char)bytes[0]);
		free(bytes);
	}
	close(s.fd);
}

UNIT_TEST(records_outlive_a_process)
{
	struct spool s = opened_empty();
	uint64_t pending, sending, at;

	put(&s, 1, 0, SPOOL_PENDING);
	at = put(&s, 2, 70001, SPOOL_PENDING);
	put(&s, 4, 13, SPOOL_SENDING);
	put(&s, 8, 1, SPOOL_SENDING);
	assert_true(spool_mark(&s, at, SPOOL_SENDING, true));
	close(s.fd);
	s = opened();
	sums(&s, &pending, &sending);
	assert_int_equal(pending, 1);
	assert_int_equal(sending, 14);
	close(s.fd);
}

UNIT_TEST(a_size_that_changed_is_damage)
{
	struct spool s = opened_empty();
	uint64_t at = put(&s, 1, 100, SPOOL_PENDING), other = put(&s, 2, 90, SPOOL_PENDING);
	char bytes[256];
	ssize_t size = pread(s.fd, bytes, sizeof(bytes), (off_t)other);

	/* It is sound, but not what was put there. */
	assert_int_equal(pwrite(s.fd, bytes, (size_t)size, (off_t)at), size);
	assert_null(spool_get(&s, at, 100));
	close(s.fd);
}

UNIT_TEST(settled_ones_give_their_room_back)
{
	struct spool s = opened_empty();
	uint64_t first, second, pending, sending;
	struct stat st;

	first = put(&s, 16, 1 << 20, SPOOL_PENDING);
	second = put(&s, 32, 100, SPOOL_PENDING);
	spool_settle(&s, first, second);
	fstat(s.fd, &st);
	assert_true(s.kept || st.st_blocks * 512 < 1 << 19);
	close(s.fd);
	s = opened();
	sums(&s, &pending, &sending);
	assert_int_equal(pending, 32);
	spool_settle(&s, second, 0);
	fstat(s.fd, &st);
	assert_true(st.st_size <= 64);
	sums(&s, &pending, &sending);
	assert_int_equal(pending + sending, 0);
	close(s.fd);
}

/* It holds 16 MiB of settled ones, also after a restart, and then takes none until all are settled. */
UNIT_TEST(a_disk_without_holes_does_not_fill)
{
	const struct push_job job = { .size = 1 };
	struct spool s = opened_empty();
	uint64_t before = put(&s, 1, 1 << 20, SPOOL_PENDING), at;
	unsigned count = 1;
	struct stat st;

	makes_no_holes = true;
	for (; s.kept <= PUSH_WAITING_BYTES && count < 100; before = at, count++) {
		at = put(&s, 1, 1 << 20, SPOOL_PENDING);
		spool_settle(&s, before, at);
	}
	assert_in_range(count, 16, 18);
	assert_false(spool_put(&s, &job, "", SPOOL_PENDING));
	spool_init(&s, s.fd);
	fstat(s.fd, &st);
	if (st.st_blocks * 512 >= st.st_size) /* not compressed */
		assert_false(spool_put(&s, &job, "", SPOOL_PENDING));
	spool_settle(&s, before, 0);
	assert_true(spool_put(&s, &job, "", SPOOL_PENDING));
	makes_no_holes = false;
	close(s.fd);
}

UNIT_TEST(damage_takes_records_and_no_more)
{
	struct spool s = opened_empty();
	unsigned char byte;
	struct stat st;

	put_three(&s);
	fstat(s.fd, &st);
	for (off_t i = 0; i < 8 * st.st_size; i++) {
		put_three(&s); /* a bad head has emptied the file */
		assert_int_equal(pread(s.fd, &byte, 1, i / 8), 1);
		byte ^= (unsigned char)(1 << i % 8);
		assert_int_equal(pwrite(s.fd, &byte, 1, i / 8), 1);
		read_damaged(s.fd);
	}
	close(s.fd);
}

UNIT_TEST(a_cut_file_has_whole_records_alone)
{
	struct spool s = opened_empty();
	uint64_t pending, sending;
	struct stat st;
	off_t whole;

	put_three(&s);
	fstat(s.fd, &st);
	whole = st.st_size - 4; /* these are no bytes of the last one */

	for (off_t size = st.st_size - 1; size >= 0; size--) {
		put_three(&s);
		assert_int_equal(ftruncate(s.fd, size), 0);
		spool_init(&s, s.fd);
		sums(&s, &pending, &sending);
		assert_true((pending == 7) == (size >= whole) && !(pending & (pending + 1)) &&
			    !sending);
	}
	assert_int_equal(pending, 0);
	close(s.fd);
}

/* The walk gives up within 8 MiB that are no records. */
UNIT_TEST(records_behind_a_gap_are_found)
{
	const size_t size = 9 << 20;
	struct spool s = opened_empty();
	uint64_t pending, sending, end;
	char *gap = malloc(size);

	put(&s, 1, 100, SPOOL_PENDING);
	end = s.end;
	memset(gap, 1, size);
	assert_int_equal(pwrite(s.fd, gap, size, (off_t)end), size);
	free(gap);
	spool_init(&s, s.fd);
	assert_true(s.end > end);
	sums(&s, &pending, &sending);
	assert_int_equal(pending, 1);
	put(&s, 2, 200, SPOOL_PENDING);
	spool_init(&s, s.fd);
	sums(&s, &pending, &sending);
	assert_int_equal(pending, 3);
	close(s.fd);
}

/* Adds SIZE bytes that are no record, then a record by another run. */
static void put_behind(struct spool *s, size_t size)
{
	char *gap = malloc(size + 1);

	memset(gap, 1, size);
	assert_int_equal(pwrite(s->fd, gap, size, (off_t)s->end), size);
	free(gap);
	s->end += size;
	put(s, 2, 200, SPOOL_PENDING);
	spool_init(s, s->fd);
}

/* A head may begin in one block and end in the next. */
UNIT_TEST(a_record_behind_each_gap_is_found)
{
	struct spool s = opened_empty();
	uint64_t pending, sending;

	for (size_t size = 8; size <= 2 * 4096; size += 8) {
		assert_int_equal(ftruncate(s.fd, 0), 0);
		spool_init(&s, s.fd);
		put(&s, 1, 100, SPOOL_PENDING);
		put_behind(&s, size);
		sums(&s, &pending, &sending);
		assert_int_equal(pending, 3);
	}
	close(s.fd);
}

/* A system call for each place in which a record could begin takes seconds. */
UNIT_TEST(damage_is_read_by_blocks)
{
	struct spool s = opened_empty();
	uint64_t pending, sending;

	put(&s, 1, 100, SPOOL_PENDING);
	put_behind(&s, 1 << 20);
	seeks = 0;
	sums(&s, &pending, &sending);
	assert_int_equal(pending, 3);
	assert_in_range(seeks, 1, 2 * (1 << 20) / 4096);
	close(s.fd);
}

UNIT_TEST(who_may_have_one)
{
	struct error err = { "" };
	char link[64], name[64], other[] = "/tmp/ptop-spool-link-XXXXXX";
	int fd = open_spool();
	struct stat st;

	fstat(fd, &st);
	assert_int_equal(st.st_mode & 07777, 0600);
	assert_int_equal(spool_open(folder, "a server", &err), -1); /* it is in use */
	assert_non_null(strstr(err.text, "another ptop"));
	close(fd);
	chmod(folder, 0777);
	assert_int_equal(spool_open(folder, "a server", &err), -1);
	chmod(folder, 0700);
	assert_non_null(mkdtemp(other));
	snprintf(link, sizeof(link), "%s/link", other);
	assert_int_equal(symlink(folder, link), 0);
	assert_int_equal(spool_open(link, "a server", &err), -1);
	/* A link in the place of the file is not followed. */
	fd = spool_open(other, "a server", &err);
	assert_true(fd >= 0);
	snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
	assert_true(readlink(name, link, sizeof(link) - 1) > 0);
	link[strlen(other) + strlen("/push-0123456789abcdef.spool")] = '\0';
	close(fd);
	assert_int_equal(unlink(link), 0);
	assert_int_equal(symlink("/etc/passwd", link), 0);
	assert_int_equal(spool_open(other, "a server", &err), -1);
	unlink(link);
	snprintf(link, sizeof(link), "%s/link", other);
	unlink(link);
	/* A folder is made for one user alone, where its parent is there. */
	fd = spool_open(link, "a server", &err);
	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(stat(link, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0700);
	snprintf(name, sizeof(name), "%s/none/none", other);
	assert_int_equal(spool_open(name, "a server", &err), -1);
	assert_int_equal(remove_tree(other), 0);
}

static int make_folder(void **state)
{
	(void)state;
	return !mkdtemp(folder);
}

static int remove_folder(void **state)
{
	(void)state;
	return remove_tree(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(records_outlive_a_process),
		cmocka_unit_test(a_size_that_changed_is_damage),
		cmocka_unit_test(settled_ones_give_their_room_back),
		cmocka_unit_test(a_disk_without_holes_does_not_fill),
		cmocka_unit_test(damage_takes_records_and_no_more),
		cmocka_unit_test(a_cut_file_has_whole_records_alone),
		cmocka_unit_test(records_behind_a_gap_are_found),
		cmocka_unit_test(a_record_behind_each_gap_is_found),
		cmocka_unit_test(damage_is_read_by_blocks),
		cmocka_unit_test(who_may_have_one),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder) ? EXIT_FAILURE
									 : EXIT_SUCCESS;
}
