/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * pages [SECONDS]: reads, in touch_pages, one byte each of 256 pages that are 4 MiB apart, round
 * and round.  Where misses of the data TLB are counted, there is one in each turn of a loop of some
 * four instructions.  The pages share one place in a TLB that is looked up by the low bits of their
 * number.
 */
#include <sys/mman.h>

#include "workload.h"

#define PAGES 256
#define STEP_BYTES ((size_t)4 << 20)
#define ROUNDS 1000

/* Each byte is a line further on in its page, so that the lines do not share a place in a cache. */
#define LINE_BYTES 64

HOT static unsigned touch_pages(const volatile unsigned char *at, const volatile unsigned char *end)
{
	unsigned sum = 0;

	for (; at < end; at += STEP_BYTES + LINE_BYTES)
		sum += *at;
	return sum;
}

int main(int argc, char **argv)
{
	size_t size = PAGES * STEP_BYTES;
	double end_s = clock_s(CLOCK_MONOTONIC) + number_argument(argc, argv, 1, 1);
	unsigned char *area = mmap(NULL, size, PROT_READ | PROT_WRITE,
				   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (area == MAP_FAILED)
		return 1;
	madvise(area, size, MADV_NOHUGEPAGE);
	for (size_t i = 0; i < PAGES; i++)
		area[i * (STEP_BYTES + LINE_BYTES)] = 1;
	printf("ready %d\n", (int)getpid());
	fflush(stdout);
	while (clock_s(CLOCK_MONOTONIC) < end_s)
		for (int i = 0; i < ROUNDS; i++)
			touch_pages(area, area + size);
	printf("done cpu_s=%.6f\n", cpu_s(RUSAGE_SELF));
	return 0;
}
