/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "perf/live/mapping.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

int mapping_open(struct mapping *m, int fd, size_t data_pages)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	size_t size = (1 + data_pages) * page;
	void *base = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (base == MAP_FAILED)
		return -errno;
	*m = (struct mapping){ .base = base, .size_bytes = size, .data_pages = data_pages };
	return 0;
}

void mapping_close(struct mapping *m)
{
	if (m->base)
		munmap(m->base, m->size_bytes);
	*m = (struct mapping){ 0 };
}

void mapping_ring(const struct mapping *m, struct ring *r, void *bounce)
{
	size_t data = m->size_bytes / (1 + m->data_pages) * m->data_pages;
	const unsigned char *base = m->base;

	ring_init(r, m->base, base + (m->size_bytes - data), data, bounce);
}
