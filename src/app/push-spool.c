/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "app/push-spool.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "base/i18n.h"
#include "base/io.h"

#define MAGIC "ptopspl1"
#define RECORD_MAGIC 0x6c70737270746f70ull
#define ALIGN 8u
#define LOCK_PAUSE_MS 20
#define LOCK_TRIES 50 /* a second */
#define BLOCK_BYTES 4096u
#define LOST_BYTES (8u << 20) /* in which no record was found: the rest is given up */

struct file_head {
	char magic[8];
	uint64_t begin;
};

struct spool_head {
	uint64_t magic;
	struct push_job job; /* its size is that of the bytes behind */
	uint64_t hash;       /* of JOB and the bytes */
	uint64_t state;
};

uint64_t spool_room(const struct push_job *job)
{
	return (sizeof(struct spool_head) + job->size + ALIGN - 1) / ALIGN * ALIGN;
}

static uint64_t hash_of(const struct push_job *job, const void *bytes)
{
	return hash_bytes_seeded(hash_bytes(job, sizeof(*job)), bytes, job->size);
}

/* A folder of ours, which is made if it is not there; or -1 with errno set. */
static int open_folder(const char *dir)
{
	struct stat st;
	int fd;

	mkdir(dir, 0700); /* open() tells what is wrong */
	fd = open(dir, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd >= 0 && !fstat(fd, &st) && st.st_uid == geteuid() && !(st.st_mode & 022))
		return fd;
	if (fd >= 0) {
		close(fd);
		errno = EPERM;
	}
	return -1;
}

/* A ptop that was killed may have left a process that still ends.  0, or -1 with errno set. */
static int lock(int fd)
{
	int tries = LOCK_TRIES, failed = -1;

	while (tries-- && (failed = flock(fd, LOCK_EX | LOCK_NB)) && errno == EWOULDBLOCK)
		poll(NULL, 0, LOCK_PAUSE_MS);
	return failed;
}

/* A regular file of ours without other names, locked; or -1 with errno set. */
static int open_file(int folder, const char *name)
{
	int fd = openat(folder, name, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
	struct stat st;

	if (fd < 0)
		return -1;
	if (!fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_uid == geteuid() &&
	    !(st.st_mode & 077) && st.st_nlink == 1) {
		if (!lock(fd))
			return fd;
	} else {
		errno = EPERM;
	}
	io_close(&fd);
	return -1;
}

int spool_open(const char *dir, const char *target, struct error *err)
{
	char name[64];
	int folder = open_folder(dir), fd;

	if (folder < 0)
		return error_set(err,
				 errno == EPERM
					 ? _("--push-spool %s: the folder must be yours, and "
					     "nobody else may write to it")
					 : "--push-spool %s: %s",
				 dir, strerror(errno));
	snprintf(name, sizeof(name), "push-%016" PRIx64 ".spool",
		 hash_bytes(target, strlen(target)));
	fd = open_file(folder, name);
	if (fd < 0)
		error_set(err,
			  errno == EWOULDBLOCK ? _("--push-spool %s: another ptop uses %s")
					       : _("--push-spool %s: cannot use %s: %s"),
			  dir, name, strerror(errno));
	close(folder);
	return fd;
}

static void write_begin(struct spool *s)
{
	struct file_head head = { .magic = MAGIC, .begin = s->begin };

	io_write_at(s->fd, 0, &head, sizeof(head));
}

/* All is settled. */
static void make_empty(struct spool *s)
{
	s->begin = s->end = sizeof(struct file_head);
	if (ftruncate(s->fd, 0))
		return; /* the settled records stay, and say so */
	s->kept = 0;
	write_begin(s);
}

/* The room that an earlier run could not give back.  A file system may have more blocks than bytes, so no more than it settled. */
static uint64_t kept_of(const struct spool *s, const struct stat *st)
{
	const uint64_t disk = (uint64_t)st->st_blocks * 512, used = s->end - s->begin;
	const uint64_t kept = disk > used ? disk - used : 0;

	return kept < s->begin ? kept : s->begin;
}

void spool_init(struct spool *s, int fd)
{
	struct file_head head = { .begin = 0 };
	struct stat st;

	*s = (struct spool){ .fd = fd };
	if (fd < 0)
		return;
	if (!fstat(fd, &st) && io_read_at(fd, 0, &head, sizeof(head)) == sizeof(head) &&
	    !memcmp(head.magic, MAGIC, sizeof(head.magic)) && head.begin >= sizeof(head) &&
	    head.begin % ALIGN == 0 && head.begin <= (uint64_t)st.st_size) {
		s->begin = head.begin;
		s->end = ((uint64_t)st.st_size + ALIGN - 1) / ALIGN * ALIGN;
		s->kept = kept_of(s, &st);
	} else {
		make_empty(s);
	}
}

static bool head_is_sound(const struct spool *s, uint64_t at, const struct spool_head *h)
{
	return h->magic == RECORD_MAGIC && h->state >= SPOOL_PENDING && h->state <= SPOOL_SETTLED &&
	       h->job.size <= PUSH_WAITING_BYTES && at + spool_room(&h->job) <= s->end;
}

/* The first sound head in BYTES, which the file has at *AT.  False: there is none, and *AT is the next place to look. */
static bool find_in(const struct spool *s, const char *bytes, size_t size, uint64_t *at,
		    struct spool_head *h)
{
	for (size_t i = 0; i + sizeof(*h) <= size; i += ALIGN, *at += ALIGN) {
		memcpy(h, bytes + i, sizeof(*h));
		if (head_is_sound(s, *at, h))
			return true;
	}
	return false;
}

/*
 * Reads the head at AT, or at the next place that has one.  False: there is none.  A damaged file may have
 * megabytes that are no record, so these cost two system calls a block.
 */
static bool find_head(const struct spool *s, uint64_t *at, struct spool_head *h)
{
	const uint64_t from = *at;
	uint64_t holes = 0;
	char bytes[BLOCK_BYTES];
	off_t data;
	size_t size;

	while (*at < s->end && *at - from - holes < LOST_BYTES) {
		data = lseek(s->fd, (off_t)*at, SEEK_DATA);
		if (data < 0)
			return false;
		if ((uint64_t)data > *at) {
			holes += (uint64_t)data / ALIGN * ALIGN - *at;
			*at = (uint64_t)data / ALIGN * ALIGN;
		}
		size = io_read_at(s->fd, *at, bytes, sizeof(bytes));
		if (find_in(s, bytes, size, at, h))
			return true;
		if (size < sizeof(bytes)) /* the file ends, or the disk fails there */
			*at = (*at / BLOCK_BYTES + 1) * BLOCK_BYTES;
	}
	return false;
}

bool spool_next(struct spool *s, uint64_t *at, struct push_job *job, enum spool_state *state)
{
	struct spool_head h;
	uint64_t end;

	if (s->fd < 0)
		return false;
	if (!*at)
		*at = s->begin;
	else if (io_read_at(s->fd, *at, &h, sizeof(h)) == sizeof(h) && head_is_sound(s, *at, &h))
		*at += spool_room(&h.job);
	else
		*at += ALIGN;
	for (end = *at; find_head(s, at, &h); end = *at += spool_room(&h.job)) {
		if (h.state != SPOOL_SETTLED) {
			*job = h.job;
			*state = (enum spool_state)h.state;
			return true;
		}
	}
	s->end = end < s->end ? end : s->end;
	return false;
}

uint64_t spool_put(struct spool *s, const struct push_job *job, const void *bytes,
		   enum spool_state state)
{
	const struct spool_head h = {
		.magic = RECORD_MAGIC, .job = *job, .hash = hash_of(job, bytes), .state = state
	};
	const uint64_t at = s->end;

	if (s->fd < 0 || s->kept > PUSH_WAITING_BYTES)
		return 0;
	/* The head comes last: without it the bytes are none. */
	if (io_write_at(s->fd, at + sizeof(h), bytes, job->size) != job->size ||
	    ftruncate(s->fd, (off_t)(at + spool_room(job))) ||
	    io_write_at(s->fd, at, &h, sizeof(h)) != sizeof(h)) {
		if (ftruncate(s->fd, (off_t)at))
			s->end = at + spool_room(job); /* it is no record, and walked over */
		return 0;
	}
	s->end = at + spool_room(job);
	return at;
}

char *spool_get(const struct spool *s, uint64_t at, uint64_t size)
{
	struct spool_head h;
	char *bytes;

	if (io_read_at(s->fd, at, &h, sizeof(h)) != sizeof(h) || !head_is_sound(s, at, &h) ||
	    h.job.size != size)
		return NULL;
	bytes = mem_array(h.job.size + 1, 1);
	if (io_read_at(s->fd, at + sizeof(h), bytes, h.job.size) == h.job.size &&
	    hash_of(&h.job, bytes) == h.hash)
		return bytes;
	free(bytes);
	return NULL;
}

bool spool_mark(struct spool *s, uint64_t at, enum spool_state state, bool sync)
{
	const uint64_t value = state;

	if (io_write_at(s->fd, at + offsetof(struct spool_head, state), &value, sizeof(value)) !=
	    sizeof(value))
		return false;
	return !sync || !fdatasync(s->fd);
}

/* A block that is freed in parts stays, so the hole begins where the block of the first byte does; the first block has the head. */
static void make_hole(struct spool *s, uint64_t first)
{
	uint64_t from = s->begin / BLOCK_BYTES * BLOCK_BYTES;

	if (!from)
		from = BLOCK_BYTES;
	s->begin = first;
	write_begin(s);
	if (first > from && fallocate(s->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
				      (off_t)from, (off_t)(first - from)))
		s->kept += first - from;
}

void spool_settle(struct spool *s, uint64_t at, uint64_t first)
{
	spool_mark(s, at, SPOOL_SETTLED, false);
	if (!first)
		make_empty(s);
	else if (first > s->begin)
		make_hole(s, first);
}
