/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "share/segment.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/hash.h"
#include "base/i18n.h"

#define SEGMENT_MAGIC 0x31306d6873706f74ull
#define HEAD_BYTES 4096u
#define PATH_SIZE (SEGMENT_NAME_MAX + 32)
#define ATTEMPTS 8          /* of a start beside others, and of a copy */
#define DELAY_MAX_NS 3600e9 /* the longest --delay */

/* At the start of the object.  The first part does not change. */
struct head {
	uint64_t magic;
	uint64_t slots, slot_bytes; /* with its head */
	uint64_t pid, delay_ns;
	/* from here on: */
	uint64_t newest;   /* generation; 0: none yet */
	uint64_t time_ns;  /* when that was made */
	uint64_t ended_ns; /* 0: not yet */
};

/* In front of each block. */
struct slot {
	uint64_t sequence; /* odd: it is being written */
	uint64_t generation, bytes, checksum;
};

struct segment {
	int fd;
	char path[PATH_SIZE];
	struct head head;
};

struct segment_view {
	int fd;
	struct head head; /* as it was at first */
	uint64_t taken;   /* generation */
};

int segment_name_check(const char *name, struct error *err)
{
	static const char allowed[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
				      "0123456789._-";

	if (strlen(name) <= SEGMENT_NAME_MAX && !name[strspn(name, allowed)])
		return 0;
	return error_set(err,
			 _("'%s' is not a name of a server: up to %d letters, digits, '.', '_' and "
			   "'-'"),
			 name, SEGMENT_NAME_MAX);
}

static void path_format(char path[PATH_SIZE], uid_t user, const char *name)
{
	snprintf(path, PATH_SIZE, "/ptop-%u%s%s", (unsigned)user, *name ? "-" : "", name);
}

static bool write_at(int fd, const void *from, size_t size, uint64_t at)
{
	const char *bytes = from;

	while (size) {
		ssize_t done = pwrite(fd, bytes, size, (off_t)at);

		if (done <= 0) {
			errno = done ? errno : ENOSPC;
			return false;
		}
		bytes += done;
		at += (uint64_t)done;
		size -= (size_t)done;
	}
	return true;
}

static bool read_at(int fd, void *to, size_t size, uint64_t at)
{
	char *bytes = to;

	while (size) {
		ssize_t done = pread(fd, bytes, size, (off_t)at);

		if (done <= 0)
			return false;
		bytes += done;
		at += (uint64_t)done;
		size -= (size_t)done;
	}
	return true;
}

static uint64_t slot_at(const struct head *h, uint64_t generation)
{
	return HEAD_BYTES + generation % h->slots * h->slot_bytes;
}

static uint64_t checksum(uint64_t generation, const void *block, size_t size)
{
	return hash_bytes_seeded(hash_u64(generation), block, size);
}

/* The server's side. */

static bool lock(int fd)
{
	struct flock whole = { .l_type = F_WRLCK, .l_whence = SEEK_SET };

	return !fcntl(fd, F_OFD_SETLK, &whole);
}

/* Returns true if PATH still names what FD is open on. */
static bool is_named(const char *path, int fd)
{
	struct stat here, there;
	int other = shm_open(path, O_RDONLY, 0);
	bool same = other >= 0 && !fstat(other, &there) && !fstat(fd, &here) &&
		    here.st_ino == there.st_ino && here.st_dev == there.st_dev;

	if (other >= 0)
		close(other);
	return same;
}

/* Removes PATH if no server has it.  Returns 0; or -1 with ERR set if one has. */
static int remove_stale(const char *path, struct error *err)
{
	struct head head = { .pid = 0 };
	struct stat st;
	int fd = shm_open(path, O_RDWR, 0);

	if (fd < 0 && errno == ENOENT)
		return 0;
	if (fd < 0 || fstat(fd, &st) || st.st_uid != geteuid()) {
		if (fd >= 0)
			close(fd);
		return error_set(err,
				 _("/dev/shm%s belongs to another user: use another --serve=NAME"),
				 path);
	}
	if (lock(fd)) {
		if (is_named(path, fd))
			shm_unlink(path);
		close(fd);
		return 0;
	}
	read_at(fd, &head, sizeof(head), 0);
	close(fd);
	return error_set(err,
			 _("a server with this name runs (pid %" PRIu64 "): use another "
			   "--serve=NAME"),
			 head.pid);
}

/* The new object, locked; -1: somebody else was faster, or ERR is set. */
static int create_locked(const char *path, struct error *err)
{
	int fd = shm_open(path, O_RDWR | O_CREAT | O_EXCL, 0600);

	if (fd < 0 && errno == EEXIST) {
		remove_stale(path, err);
		return -1;
	}
	if (fd < 0)
		return error_set(err, _("cannot create /dev/shm%s: %s"), path, strerror(errno));
	if (lock(fd) && is_named(path, fd))
		return fd;
	close(fd);
	return -1;
}

/* The size is only a bound: memory is taken as it is written. */
static int set_up(const struct segment *s, const struct segment_choice *choice, struct error *err)
{
	if (choice->group >= 0 &&
	    (fchown(s->fd, (uid_t)-1, (gid_t)choice->group) || fchmod(s->fd, 0640)))
		return error_set(err, _("cannot give /dev/shm%s to the group: %s"), s->path,
				 strerror(errno));
	if (!write_at(s->fd, &s->head, sizeof(s->head), 0))
		return error_set(err, _("cannot write /dev/shm%s: %s"), s->path, strerror(errno));
	return 0;
}

/* Without its object. */
static struct segment *segment_new(uint64_t bytes, uint64_t delay_ns)
{
	struct segment *s = mem_alloc(sizeof(*s));

	s->head = (struct head){
		.magic = SEGMENT_MAGIC,
		.slots = SEGMENT_SLOTS,
		.slot_bytes = (bytes - HEAD_BYTES) / SEGMENT_SLOTS / HEAD_BYTES * HEAD_BYTES,
		.pid = (uint64_t)getpid(),
		.delay_ns = delay_ns,
	};
	s->fd = -1;
	return s;
}

struct segment *segment_create(const struct segment_choice *choice, struct error *err)
{
	struct segment *s = segment_new(choice->bytes, choice->delay_ns);

	path_format(s->path, geteuid(), choice->name);
	err->text[0] = '\0';
	for (int i = 0; i < ATTEMPTS && s->fd < 0 && !err->text[0]; i++)
		s->fd = create_locked(s->path, err);
	if (s->fd < 0 && !err->text[0])
		error_set(err, _("other servers start with the name of /dev/shm%s"), s->path);
	if (s->fd >= 0 && !set_up(s, choice, err))
		return s;
	segment_remove(s);
	return NULL;
}

/* A descriptor for reading is of an open of its own: a process that has it can neither write nor hold the lock. */
static int open_to_read(int fd)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return open(path, O_RDONLY | O_CLOEXEC);
}

struct segment *segment_create_unnamed(uint64_t bytes, uint64_t delay_ns, int *fd,
				       struct error *err)
{
	struct segment *s = segment_new(bytes, delay_ns);

	*fd = -1;
	s->fd = memfd_create("ptop-viewer", MFD_CLOEXEC);
	/* Everybody may open one for writing, by its number in /proc. */
	if (s->fd >= 0 && !fchmod(s->fd, 0600) && lock(s->fd) &&
	    write_at(s->fd, &s->head, sizeof(s->head), 0))
		*fd = open_to_read(s->fd);
	if (*fd >= 0)
		return s;
	error_set(err, _("cannot share memory: %s"), strerror(errno));
	segment_remove(s);
	return NULL;
}

size_t segment_room(const struct segment *s)
{
	return s->head.slot_bytes - sizeof(struct slot);
}

/* The fences keep the order of the four writes for a reader on another CPU. */
int segment_publish(struct segment *s, const struct buf *block, uint64_t time_ns)
{
	uint64_t generation = s->head.newest + 1, at = slot_at(&s->head, generation);
	struct slot slot = { .sequence = 2 * generation - 1, .generation = generation };

	if (!write_at(s->fd, &slot, sizeof(slot), at))
		return -errno;
	atomic_thread_fence(memory_order_seq_cst);
	if (!write_at(s->fd, block->bytes, block->size, at + sizeof(slot)))
		return -errno;
	slot.sequence++;
	slot.bytes = block->size;
	slot.checksum = checksum(generation, block->bytes, block->size);
	atomic_thread_fence(memory_order_seq_cst);
	if (!write_at(s->fd, &slot, sizeof(slot), at))
		return -errno;
	s->head.newest = generation;
	s->head.time_ns = time_ns;
	atomic_thread_fence(memory_order_seq_cst);
	return write_at(s->fd, &s->head, sizeof(s->head), 0) ? 0 : -errno;
}

void segment_remove(struct segment *s)
{
	if (!s)
		return;
	if (s->fd >= 0) {
		s->head.ended_ns = clock_realtime_ns(&clock_system);
		write_at(s->fd, &s->head, sizeof(s->head), 0);
		if (s->path[0])
			shm_unlink(s->path);
		close(s->fd);
	}
	free(s);
}

void segment_discard(struct segment *s)
{
	if (s && s->fd >= 0 && ftruncate(s->fd, HEAD_BYTES))
		s->head.newest = 0; /* the memory stays until the last viewer has closed it */
	segment_remove(s);
}

/* The viewer's side: all that is read is foreign. */

static bool head_read(const struct segment_view *v, struct head *h)
{
	return read_at(v->fd, h, sizeof(*h), 0) && h->magic == SEGMENT_MAGIC && h->slots &&
	       h->slots <= 64 && h->slot_bytes > sizeof(struct slot) &&
	       h->slot_bytes <= SEGMENT_BYTES_MAX;
}

/* Opens PATH if it is USER's.  -1 with ERR set; errno is then ENOENT if there is none. */
static int open_of(const char *path, uid_t user, struct error *err)
{
	int fd = shm_open(path, O_RDONLY | O_NONBLOCK, 0); /* it can be a FIFO */
	struct stat st;

	if (fd < 0)
		return error_set(err, _("cannot open /dev/shm%s: %s"), path, strerror(errno));
	if (!fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_uid == user)
		return fd;
	close(fd);
	errno = EPERM;
	return error_set(err,
			 _("/dev/shm%s is not of the user it is named after: nothing in it is "
			   "believed"),
			 path);
}

static int open_any(const char *name, struct error *err)
{
	char path[PATH_SIZE];
	int fd;

	path_format(path, geteuid(), name);
	fd = open_of(path, geteuid(), err);
	if (fd >= 0)
		return fd;
	err->text[0] = '\0'; /* root's is as good, also if somebody else took the name */
	path_format(path, 0, name);
	fd = open_of(path, 0, err);
	if (fd < 0 && errno == ENOENT)
		error_set(err, _("no server%s%s runs: start ptop --serve%s%s"), *name ? " " : "",
			  name, *name ? "=" : "", name);
	if (fd >= 0 || errno != EACCES)
		return fd;
	err->text[0] = '\0'; /* a server may have another part for this user */
	return -1;
}

struct segment_view *segment_view_of(int fd, struct error *err)
{
	struct segment_view *v = mem_alloc(sizeof(*v));

	v->fd = fd;
	if (head_read(v, &v->head))
		return v;
	error_set(err, _("the server is of another version of ptop"));
	segment_close(v);
	return NULL;
}

struct segment_view *segment_open(const char *name, struct error *err)
{
	int fd = open_any(name, err);

	return fd < 0 ? NULL : segment_view_of(fd, err);
}

void segment_close(struct segment_view *v)
{
	if (v && v->fd >= 0)
		close(v->fd);
	free(v);
}

uint64_t segment_delay_ns(const struct segment_view *v)
{
	return v->head.delay_ns < DELAY_MAX_NS ? v->head.delay_ns : (uint64_t)DELAY_MAX_NS;
}

uint32_t segment_pid(const struct segment_view *v)
{
	return (uint32_t)v->head.pid;
}

uint32_t segment_owner(const struct segment_view *v)
{
	struct stat st = { .st_uid = (uid_t)-1 };

	return fstat(v->fd, &st) ? UINT32_MAX : st.st_uid;
}

static bool is_whole(const struct slot *s, uint64_t generation)
{
	return !(s->sequence & 1) && s->generation == generation;
}

/* One attempt.  NULL if the slot of GENERATION has it no more, or is being written. */
static void *copy(const struct segment_view *v, uint64_t generation, size_t *size)
{
	uint64_t at = slot_at(&v->head, generation);
	struct slot before, after;
	struct stat st;
	void *block;

	if (!read_at(v->fd, &before, sizeof(before), at) || !is_whole(&before, generation) ||
	    before.bytes > v->head.slot_bytes - sizeof(before) || fstat(v->fd, &st) ||
	    before.bytes > (uint64_t)st.st_size)
		return NULL;
	block = malloc(before.bytes ? before.bytes : 1);
	atomic_thread_fence(memory_order_seq_cst);
	if (block && read_at(v->fd, block, before.bytes, at + sizeof(before))) {
		atomic_thread_fence(memory_order_seq_cst);
		*size = before.bytes;
		if (read_at(v->fd, &after, sizeof(after), at) &&
		    !memcmp(&before, &after, sizeof(after)) &&
		    checksum(generation, block, before.bytes) == before.checksum)
			return block;
	}
	free(block);
	return NULL;
}

void *segment_take(struct segment_view *v, size_t *size)
{
	for (int i = 0; i < ATTEMPTS; i++) {
		struct head now;
		void *block;

		if (!head_read(v, &now) || now.newest <= v->taken)
			return NULL;
		block = copy(v, now.newest, size);
		if (block) {
			v->taken = now.newest;
			return block;
		}
	}
	return NULL;
}

bool segment_is_served(const struct segment_view *v)
{
	struct flock whole = { .l_type = F_RDLCK, .l_whence = SEEK_SET };

	return !fcntl(v->fd, F_OFD_GETLK, &whole) && whole.l_type != F_UNLCK;
}

uint64_t segment_ended_ns(const struct segment_view *v)
{
	struct head now;

	if (!head_read(v, &now))
		return 0;
	return now.ended_ns ? now.ended_ns : now.time_ns;
}
