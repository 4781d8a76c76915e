/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * userfaults N: touches N pages of shared memory, named in "name NAME" before it is ready, one after
 * the other, and answers each fault itself by userfaultfd(2).  Says "done faults=N", the faults that
 * it answered; ends with 77 where it may not do that.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "workload.h"

struct memory {
	char *at;
	size_t page, size;
	int fd; /* userfaultfd */
	long answered;
};

static int skip(const char *what)
{
	fprintf(stderr, "%s: %s\n", what, strerror(errno));
	return 77;
}

/* Its own pages are touched before: from then on only the other thread faults. */
static void *answer(void *argument)
{
	struct memory *m = argument;
	char *content = malloc(m->page);
	struct uffd_msg message;

	memset(content, 7, m->page);
	while (read(m->fd, &message, sizeof(message)) == sizeof(message)) {
		struct uffdio_copy copy = {
			.dst = message.arg.pagefault.address & ~(m->page - 1),
			.src = (uintptr_t)content,
			.len = m->page,
		};

		if (message.event != UFFD_EVENT_PAGEFAULT)
			continue;
		m->answered++;
		if (ioctl(m->fd, UFFDIO_COPY, &copy) < 0)
			_exit(1);
	}
	return NULL;
}

static int open_memory(struct memory *m, const char *name)
{
	int fd = shm_open(name, O_RDWR | O_CREAT | O_EXCL, 0600);

	if (fd < 0 || ftruncate(fd, (off_t)m->size))
		return skip("shm_open");
	m->at = mmap(NULL, m->size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	shm_unlink(name);
	return m->at == MAP_FAILED ? skip("mmap") : 0;
}

static int open_faults(struct memory *m)
{
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register range = {
		.range = { .start = (uintptr_t)m->at, .len = m->size },
		.mode = UFFDIO_REGISTER_MODE_MISSING,
	};

	m->fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC);
	if (m->fd < 0 || ioctl(m->fd, UFFDIO_API, &api) || ioctl(m->fd, UFFDIO_REGISTER, &range))
		return skip("userfaultfd");
	return 0;
}

int main(int argc, char **argv)
{
	long wanted = (long)number_argument(argc, argv, 1, 1000), sum = 0;
	struct memory m = { .page = (size_t)sysconf(_SC_PAGESIZE) };
	pthread_t thread;
	char name[64];

	m.size = (size_t)wanted * m.page;
	snprintf(name, sizeof(name), "/ptop-userfaults-%d", (int)getpid());
	if (open_memory(&m, name) || open_faults(&m))
		return 77;
	if (pthread_create(&thread, NULL, answer, &m))
		return 1;
	wait_go();
	for (long i = 0; i < wanted; i++)
		sum += ((volatile char *)m.at)[(size_t)i * m.page];
	if (sum != 7 * wanted)
		return 1;
	printf("done faults=%ld name=/dev/shm%s\n", m.answered, name);
	wait_end();
	return 0;
}
