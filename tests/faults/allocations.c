/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _GNU_SOURCE
/*
 * A library to be loaded in front of libc: the allocation of number FAIL_ALLOCATION of the process fails.
 * The file FAIL_COUNT has the number of allocations so far; it is mapped, for a program may give up writing.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* glibc's own, under the names that it exports for this. */
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);
void __libc_free(void *p);

static atomic_ulong own_count;
static atomic_ulong *count = &own_count;
static unsigned long failing;
static pid_t process;

/* Where others can read it; where that fails they read nothing. */
static void share_count(const char *path)
{
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	void *shared = MAP_FAILED;

	if (fd >= 0 && !ftruncate(fd, sizeof(*count)))
		shared = mmap(NULL, sizeof(*count), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (shared != MAP_FAILED)
		count = shared;
	if (fd >= 0)
		close(fd);
}

__attribute__((constructor)) static void begin(void)
{
	const char *number = getenv("FAIL_ALLOCATION"), *path = getenv("FAIL_COUNT");

	failing = number ? strtoul(number, NULL, 10) : 0;
	process = getpid();
	if (path)
		share_count(path);
	unsetenv("LD_PRELOAD"); /* what it starts is not tested */
}

/*
 * libseccomp 2.5 loads half of a filter when memory runs out while it compiles one.  The kernel then ends the
 * process at its next call, which is safe, and says nothing.
 */
static int is_excused(const void *caller)
{
	Dl_info info;

	return dladdr(caller, &info) && info.dli_fname && strstr(info.dli_fname, "libseccomp");
}

/* glibc's name service aborts, or follows a null pointer, when memory runs out while it reads its configuration. */
static _Thread_local int is_in_name_service;

int getpwuid_r(uid_t uid, struct passwd *entry, char *texts, size_t room, struct passwd **found)
{
	int (*next)(uid_t, struct passwd *, char *, size_t, struct passwd **) =
		(__typeof__(next))dlsym(RTLD_NEXT, "getpwuid_r");
	int err;

	is_in_name_service = 1;
	err = next(uid, entry, texts, room, found);
	is_in_name_service = 0;
	return err;
}

static int fails(const void *caller)
{
	if (!process || getpid() != process || atomic_fetch_add(count, 1) + 1 != failing ||
	    is_in_name_service || is_excused(caller))
		return 0;
	errno = ENOMEM;
	return 1;
}

void *malloc(size_t size)
{
	return fails(__builtin_return_address(0)) ? NULL : __libc_malloc(size);
}

void *calloc(size_t number, size_t size)
{
	return fails(__builtin_return_address(0)) ? NULL : __libc_calloc(number, size);
}

void *realloc(void *old, size_t size)
{
	return fails(__builtin_return_address(0)) ? NULL : __libc_realloc(old, size);
}

void free(void *p)
{
	__libc_free(p);
}
