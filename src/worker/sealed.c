/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/sealed.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define SEALS (F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE)

int sealed_write(size_t size, void (*fill)(char *at, const void *context), const void *context)
{
	int fd = memfd_create("ptop-answer", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	void *at;

	if (fd < 0)
		return -errno;
	at = ftruncate(fd, (off_t)size) < 0
		     ? MAP_FAILED
		     : mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (at != MAP_FAILED) {
		fill(at, context);
		munmap(at, size);
		if (!fcntl(fd, F_ADD_SEALS, SEALS))
			return fd;
	}
	close(fd);
	return -ENOMEM;
}

const char *sealed_open(int fd, size_t least, size_t *size)
{
	int seals = fcntl(fd, F_GET_SEALS);
	struct stat st;
	void *at;

	if (seals < 0 || (seals & SEALS) != SEALS || fstat(fd, &st) < 0 ||
	    (uint64_t)st.st_size < least)
		return NULL;
	*size = (size_t)st.st_size;
	at = mmap(NULL, *size, PROT_READ, MAP_PRIVATE, fd, 0);
	return at == MAP_FAILED ? NULL : at;
}

void sealed_close(const char *at, size_t size)
{
	if (at)
		munmap((void *)at, size);
}
