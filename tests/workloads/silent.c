/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * silent: whoever reads the arguments of this process, or the end of its function, waits until it ends.  Both lie in
 * a file of a file system of its own (FUSE), which answers no read.  The function is code without a file; a perf map
 * calls it silent_code.  Says "ready PID", works there, and ends with its input.  Says "skip: WHY" where it may not
 * mount.
 *
 * It begins anew with so many arguments that whole pages hold nothing else, and never looks at them again.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>

#include "workload.h"

#define FOLDER "/mnt"
#define FILE_NODE 2
#define FILE_BYTES (1u << 20)
#define FILLER_BYTES (64u << 10)
#define REQUEST_BYTES (FUSE_MIN_READ_BUFFER + 4096)

static int skip(const char *what)
{
	printf("skip: %s: %s\n", what, strerror(errno));
	return 0;
}

static void reply(int fd, const struct fuse_in_header *to, int error, const void *bytes,
		  size_t size)
{
	char message[sizeof(struct fuse_out_header) + 256];
	const struct fuse_out_header head = { (uint32_t)(sizeof(head) + size), error, to->unique };

	memcpy(message, &head, sizeof(head));
	if (size)
		memcpy(message + sizeof(head), bytes, size);
	if (write(fd, message, head.len) < 0 && errno != ENOENT)
		_exit(1);
}

static struct fuse_attr attributes(uint64_t node)
{
	return (struct fuse_attr){ .ino = node,
				   .size = node == FILE_NODE ? FILE_BYTES : 0,
				   .mode = node == FILE_NODE ? S_IFREG | 0444 : S_IFDIR | 0555,
				   .nlink = 1,
				   .blksize = 4096 };
}

static void answer(int fd, const struct fuse_in_header *in)
{
	const struct fuse_init_out init = { .major = FUSE_KERNEL_VERSION,
					    .minor = FUSE_KERNEL_MINOR_VERSION,
					    .max_write = 4096 };
	const struct fuse_entry_out entry = { .nodeid = FILE_NODE,
					      .entry_valid = 3600,
					      .attr_valid = 3600,
					      .attr = attributes(FILE_NODE) };
	const struct fuse_attr_out attr = { .attr_valid = 3600, .attr = attributes(in->nodeid) };
	const struct fuse_open_out opened = { .fh = 1 };

	if (in->opcode == FUSE_INIT)
		reply(fd, in, 0, &init, sizeof(init));
	else if (in->opcode == FUSE_LOOKUP)
		reply(fd, in, 0, &entry, sizeof(entry));
	else if (in->opcode == FUSE_GETATTR)
		reply(fd, in, 0, &attr, sizeof(attr));
	else if (in->opcode == FUSE_OPEN)
		reply(fd, in, 0, &opened, sizeof(opened));
	else if (in->opcode == FUSE_FLUSH || in->opcode == FUSE_RELEASE)
		reply(fd, in, 0, NULL, 0);
	else if (in->opcode != FUSE_READ && in->opcode != FUSE_FORGET &&
		 in->opcode != FUSE_BATCH_FORGET)
		reply(fd, in, -ENOSYS, NULL, 0);
}

/* The file system, until its parent ends: the kernel then tells all who wait for it. */
static void serve(int fd)
{
	static char request[REQUEST_BYTES] __attribute__((aligned(8)));

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	while (read(fd, request, sizeof(request)) > 0 || errno == EINTR)
		answer(fd, (const struct fuse_in_header *)request);
	_exit(0);
}

/* Mounts it over FOLDER, for this process alone.  Returns NULL, or what was refused. */
static const char *mount_silence(void)
{
	char options[128];
	int fd = open("/dev/fuse", O_RDWR | O_CLOEXEC);

	if (fd < 0)
		return "/dev/fuse";
	if (unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL))
		return "unshare";
	snprintf(options, sizeof(options), "fd=%d,rootmode=40000,user_id=%u,group_id=%u", fd,
		 geteuid(), getegid());
	if (mount("silent", FOLDER, "fuse", MS_NOSUID | MS_NODEV, options))
		return "mount";
	if (fork() == 0)
		serve(fd);
	close(fd);
	return NULL;
}

/* Puts the file over the whole pages of SIZE bytes. */
static bool cover(int file, char *at, size_t size, int access)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	char *from = (char *)(((uintptr_t)at + page - 1) & ~(page - 1));

	size = (size_t)(at + size - from) & ~(page - 1);
	return mmap(from, size, access, MAP_PRIVATE | MAP_FIXED, file, 0) != MAP_FAILED;
}

/* A jump to itself in memory, a page of silence behind it, and a perf map of both. */
static void *make_code(int file)
{
#ifdef __x86_64__
	static const unsigned char jump[] = { 0xeb, 0xfe };
#elif defined(__aarch64__)
	static const unsigned char jump[] = { 0x00, 0x00, 0x00, 0x14 };
#else
	static const unsigned char jump[] = { 0x6f, 0x00, 0x00, 0x00 };
#endif
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char *code = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE | PROT_EXEC,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char name[64];
	FILE *map;

	if (code == MAP_FAILED || !cover(file, code + page, page, PROT_READ | PROT_EXEC))
		return NULL;
	memcpy(code, jump, sizeof(jump));
	__builtin___clear_cache(code, code + page);
	snprintf(name, sizeof(name), "/tmp/perf-%d.map", (int)getpid());
	map = fopen(name, "we");
	if (!map)
		return NULL;
	fprintf(map, "%lx %zx silent_code\n", (unsigned long)code, 2 * page);
	fclose(map);
	return code;
}

static void *run(void *code)
{
	void (*function)(void);

	memcpy(&function, &code, sizeof(function));
	function();
	return NULL;
}

/* Returns NULL, or what was refused. */
static const char *begin(char *arguments)
{
	const char *refused = mount_silence();
	int file = refused ? -1 : open(FOLDER "/silence", O_RDONLY | O_CLOEXEC);
	pthread_t thread;
	void *code;

	if (refused)
		return refused;
	if (file < 0 || !cover(file, arguments, FILLER_BYTES / 2, PROT_READ))
		return "arguments";
	code = make_code(file);
	return code && !pthread_create(&thread, NULL, run, code) ? NULL : "code";
}

int main(int argc, char **argv)
{
	static char filler[FILLER_BYTES];
	const char *refused;
	char name[64];

	if (argc < 2) {
		memset(filler, 'x', sizeof(filler) - 1);
		execl("/proc/self/exe", argv[0], filler, NULL);
		return skip("exec");
	}
	refused = begin(argv[1]);
	if (refused)
		return skip(refused);
	printf("ready %d\n", (int)getpid());
	wait_end();
	snprintf(name, sizeof(name), "/tmp/perf-%d.map", (int)getpid());
	unlink(name);
	return 0;
}
