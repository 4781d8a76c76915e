/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "proc/procfs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "base/scanner.h"

#define READ_FLAGS (O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)

int procfs_open(struct procfs *p, const char *root, struct error *err)
{
	long ticks = sysconf(_SC_CLK_TCK), page = sysconf(_SC_PAGESIZE);

	p->fd = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (p->fd < 0)
		return error_set(err, "cannot open %s: %s; mount the proc file system there", root,
				 strerror(errno));
	p->ticks_per_s = ticks > 0 ? (uint64_t)ticks : 100;
	p->page_size = page > 0 ? (uint64_t)page : 4096;
	return 0;
}

void procfs_close(struct procfs *p)
{
	if (p->fd >= 0)
		close(p->fd);
	p->fd = -1;
}

static ssize_t read_once(int fd, char *buf, size_t size)
{
	ssize_t n;

	do {
		n = read(fd, buf, size);
	} while (n < 0 && errno == EINTR);
	return n < 0 ? -errno : n;
}

ssize_t procfs_read(const struct procfs *p, const char *name, char *buf, size_t size)
{
	int fd = openat(p->fd, name, READ_FLAGS);
	ssize_t n;

	buf[0] = '\0';
	if (fd < 0)
		return -errno;
	n = read_once(fd, buf, size - 1);
	close(fd);
	buf[n > 0 ? n : 0] = '\0';
	return n;
}

/* Writes NUMBER at TO and returns the position behind it. */
static char *number_write(char *to, uint32_t number)
{
	char digits[10];
	size_t n = 0;

	do {
		digits[n++] = (char)('0' + number % 10);
		number /= 10;
	} while (number);
	while (n)
		*to++ = digits[--n];
	return to;
}

#define TASK_PATH_BYTES 64 /* "4294967295/task/4294967295/" and 36 bytes for a name */

/* "PID", "PID/NAME", "PID/task/TID/NAME". */
static int task_path(char path[TASK_PATH_BYTES], uint32_t pid, uint32_t tid, const char *name)
{
	char *to = number_write(path, pid);
	size_t length = strlen(name);

	if (tid) {
		to = mempcpy(to, "/task/", 6);
		to = number_write(to, tid);
	}
	if (length)
		*to++ = '/';
	if (length >= (size_t)(path + TASK_PATH_BYTES - to))
		return -ENAMETOOLONG;
	memcpy(to, name, length + 1);
	return 0;
}

ssize_t procfs_read_task(const struct procfs *p, uint32_t pid, uint32_t tid, const char *name,
			 char *buf, size_t size)
{
	char path[TASK_PATH_BYTES];
	int err = task_path(path, pid, tid, name);

	return err ? err : procfs_read(p, path, buf, size);
}

/* As read_once(), from the beginning and with a NUL behind the bytes. */
static ssize_t read_again(int fd, char *buf, size_t size)
{
	ssize_t n;

	do {
		n = pread(fd, buf, size - 1, 0);
	} while (n < 0 && errno == EINTR);
	buf[n > 0 ? n : 0] = '\0';
	return n < 0 ? -errno : n;
}

ssize_t procfs_read_kept(const struct procfs *p, int *fd, uint32_t pid, uint32_t tid,
			 const char *name, char *buf, size_t size)
{
	ssize_t n = *fd < 0 ? -EBADF : read_again(*fd, buf, size);

	if (n >= 0)
		return n;
	io_close(fd);
	buf[0] = '\0';
	*fd = procfs_open_task(p, pid, tid, name);
	n = *fd < 0 ? *fd : read_again(*fd, buf, size);
	if (n < 0)
		io_close(fd);
	return n;
}

int procfs_open_task(const struct procfs *p, uint32_t pid, uint32_t tid, const char *name)
{
	char path[TASK_PATH_BYTES];
	int fd, err = task_path(path, pid, tid, name);

	if (err)
		return err;
	fd = openat(p->fd, path, READ_FLAGS);
	return fd < 0 ? -errno : fd;
}

ssize_t procfs_read_more(int fd, char *buf, size_t size)
{
	return read_once(fd, buf, size);
}

/* Appends the content of FD to B, at most LIMIT bytes.  AT_ONCE: a read that gets less than it wants is the last. */
static ssize_t read_all(int fd, struct buf *b, size_t limit, bool at_once)
{
	char piece[16384];
	ssize_t n;

	while (b->size < limit) {
		size_t want = limit - b->size < sizeof(piece) ? limit - b->size : sizeof(piece);

		n = read_once(fd, piece, want);
		if (n < 0)
			return n;
		buf_add(b, piece, (size_t)n);
		if (n == 0 || (at_once && (size_t)n < want))
			break;
	}
	return (ssize_t)b->size;
}

static ssize_t read_file(const struct procfs *p, const char *name, struct buf *b, size_t limit,
			 bool at_once)
{
	int fd = openat(p->fd, name, READ_FLAGS);
	ssize_t n;

	buf_clear(b);
	if (fd < 0)
		return -errno;
	n = read_all(fd, b, limit, at_once);
	close(fd);
	return n;
}

ssize_t procfs_read_whole(const struct procfs *p, const char *name, struct buf *b, size_t limit)
{
	return read_file(p, name, b, limit, false);
}

ssize_t procfs_read_record(const struct procfs *p, const char *name, struct buf *b, size_t limit)
{
	return read_file(p, name, b, limit, true);
}

ssize_t procfs_read_link(const struct procfs *p, uint32_t pid, uint32_t tid, const char *name,
			 char *buf, size_t size)
{
	char path[TASK_PATH_BYTES];
	ssize_t n = task_path(path, pid, tid, name);

	if (!n && (n = readlinkat(p->fd, path, buf, size - 1)) < 0)
		n = -errno;
	buf[n > 0 ? n : 0] = '\0';
	return n;
}

int procfs_owner_of(const struct procfs *p, uint32_t pid, const char *name, uint32_t *uid)
{
	char path[TASK_PATH_BYTES];
	struct stat st;
	int err = task_path(path, pid, 0, name);

	if (err)
		return err;
	if (fstatat(p->fd, path, &st, AT_NO_AUTOMOUNT))
		return -errno;
	*uid = st.st_uid;
	return 0;
}

int procfs_owner(const struct procfs *p, uint32_t pid, uint32_t *uid)
{
	return procfs_owner_of(p, pid, "", uid);
}

/* Reads the number that NAME is. */
static bool number_parse(const char *name, uint32_t *number)
{
	struct scanner s = scanner_of(name, strlen(name));
	uint64_t value;

	if (!scanner_at_digit(&s) || !scanner_u64(&s, &value) || s.at != s.end || value > INT32_MAX)
		return false;
	*number = (uint32_t)value;
	return true;
}

/* The folder /proc/PID/NAME, or /proc for PID 0. */
static DIR *folder_open(const struct procfs *p, uint32_t pid, const char *name)
{
	char path[TASK_PATH_BYTES] = ".";
	DIR *dir;
	int fd;

	if (pid && task_path(path, pid, 0, name))
		return NULL;
	fd = openat(p->fd, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return NULL;
	dir = fdopendir(fd);
	if (!dir)
		close(fd);
	return dir;
}

/* Visits the numbers from FIRST on in DIR, and closes it. */
static int64_t each_number(DIR *dir, uint32_t first, procfs_visitor *visit, void *context)
{
	struct dirent *entry;
	int64_t visited = 0;
	uint32_t number;

	if (!dir)
		return -errno;
	while ((entry = readdir(dir))) {
		if (!number_parse(entry->d_name, &number) || number < first)
			continue;
		visited++;
		if (visit(context, number))
			break;
	}
	closedir(dir);
	return visited;
}

int64_t procfs_each_task(const struct procfs *p, uint32_t pid, procfs_visitor *visit, void *context)
{
	return each_number(folder_open(p, pid, "task"), 1, visit, context);
}

int64_t procfs_each_descriptor(const struct procfs *p, uint32_t pid, procfs_visitor *visit,
			       void *context)
{
	return each_number(folder_open(p, pid, "fd"), 0, visit, context);
}
