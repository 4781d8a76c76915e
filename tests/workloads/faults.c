/* SPDX-License-Identifier: GPL-3.0-or-later */
/* faults N: makes N page faults when told to; says "done minflt=N" with what the kernel counted. */
#include <sys/mman.h>

#include "workload.h"

#define PAGES 1024

static long minor_faults(void)
{
	struct rusage r;

	getrusage(RUSAGE_SELF, &r);
	return r.ru_minflt;
}

int main(int argc, char **argv)
{
	long wanted = (long)number_argument(argc, argv, 1, 20000), before;
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	volatile char *at;

	at = mmap(NULL, PAGES * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (at == MAP_FAILED || madvise((void *)at, PAGES * page, MADV_NOHUGEPAGE))
		return 1;
	wait_go();
	before = minor_faults();
	for (long i = 0; i < wanted; i++) {
		if (i % PAGES == 0 && madvise((void *)at, PAGES * page, MADV_DONTNEED))
			return 1;
		at[(size_t)(i % PAGES) * page] = 1;
	}
	printf("done minflt=%ld\n", minor_faults() - before);
	wait_end();
	return 0;
}
