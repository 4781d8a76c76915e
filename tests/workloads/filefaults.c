/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * filefaults FILE [BITS]: writes 2^BITS (9) blocks of 256 KiB to FILE, a new one, has them dropped
 * from memory, and maps them.  It reads a byte of each, those farthest from each other first.  For
 * each of these the kernel reads ahead, so that waits are few and long.  Says "ready PID" and
 * begins at a byte on stdin.  Then it says how many seconds of wall clock the touches took, for how
 * many of them it had a CPU, and how many touches were major faults.  Others may wait for the same
 * blocks:
 *
 *	touch 0.200121 0.010050
 *	majflt 512 of 512
 *
 * Removes FILE and ends at once.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>

#include "workload.h"

#define BLOCK_BYTES ((size_t)256 << 10)

struct file {
	const char *path;
	int bits;
	long blocks;
	const volatile char *at;
};

struct took {
	double wall_s, cpu_s;
	long major;
};

static int failed(const struct file *f, const char *what)
{
	fprintf(stderr, "%s: %s: %s\n", f->path, what, strerror(errno));
	return -1;
}

static int file_fill(const struct file *f, int fd)
{
	char *bytes = malloc(BLOCK_BYTES);

	memset(bytes, 7, BLOCK_BYTES);
	for (long i = 0; i < f->blocks; i++) {
		if (write(fd, bytes, BLOCK_BYTES) != (ssize_t)BLOCK_BYTES)
			return failed(f, "write");
	}
	free(bytes);
	return fsync(fd) ? failed(f, "fsync") : 0;
}

static int file_open(struct file *f)
{
	size_t size = (size_t)f->blocks * BLOCK_BYTES;
	int fd = open(f->path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	void *at;

	if (fd < 0)
		return failed(f, "open");
	if (file_fill(f, fd))
		return -1;
	errno = posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
	if (!errno)
		errno = posix_fadvise(fd, 0, 0, POSIX_FADV_SEQUENTIAL); /* twice as much at once */
	if (errno)
		return failed(f, "posix_fadvise");
	at = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);
	if (at == MAP_FAILED || madvise(at, size, MADV_SEQUENTIAL))
		return failed(f, "mmap");
	f->at = at;
	close(fd);
	return 0;
}

static HOT char touch_page(const volatile char *at)
{
	char c = *at;

	__asm__ volatile("");
	return c;
}

static long major_faults(void)
{
	struct rusage r;

	getrusage(RUSAGE_SELF, &r);
	return r.ru_majflt;
}

static size_t reversed(size_t i, int bits)
{
	size_t found = 0;

	for (int bit = 0; bit < bits; bit++)
		found |= (i >> bit & 1) << (bits - 1 - bit);
	return found;
}

static HOT int read_all(const struct file *f)
{
	for (long i = 0; i < f->blocks; i++) {
		if (touch_page(f->at + reversed((size_t)i, f->bits) * BLOCK_BYTES) != 7)
			return -1;
	}
	return 0;
}

static HOT int touch_all(const struct file *f, int task_clock, struct took *took)
{
	long major = major_faults();
	double cpu = task_clock_s(task_clock), wall = clock_s(CLOCK_MONOTONIC);
	int result = read_all(f);

	took->wall_s = clock_s(CLOCK_MONOTONIC) - wall;
	took->cpu_s = task_clock_s(task_clock) - cpu;
	took->major = major_faults() - major;
	return result;
}

int main(int argc, char **argv)
{
	struct file f = { .path = argc > 1 ? argv[1] : "",
			  .bits = (int)number_argument(argc, argv, 2, 9) };
	struct took took = { 0 };
	int task_clock = task_clock_open(), result;

	f.blocks = 1l << f.bits;
	result = file_open(&f);
	if (!result) {
		wait_go();
		result = touch_all(&f, task_clock, &took);
	}
	unlink(f.path);
	printf("touch %.6f %.6f\nmajflt %ld of %ld\n", took.wall_s, took.cpu_s, took.major,
	       f.blocks);
	return result ? 1 : 0;
}
