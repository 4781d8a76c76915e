/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fuzz.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "heap.h"

#define ATTEMPTS 3

struct cost {
	uint64_t cpu_ns, heap_bytes;
};

static struct cost largest; /* of the inputs so far */

static uint64_t cpu_now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static struct cost measure(const uint8_t *data, size_t size)
{
	uint64_t began_ns = cpu_now_ns();

	heap_mark();
	fuzz_input(data, size);
	return (struct cost){ cpu_now_ns() - began_ns, heap_growth() };
}

static struct cost bound_of(size_t size)
{
	return (struct cost){
		.cpu_ns = fuzz_bound.cpu_us * 1000 + fuzz_bound.cpu_ns_per_byte * size,
		.heap_bytes = fuzz_bound.heap_kib * 1024 + fuzz_bound.heap_per_byte * size,
	};
}

static bool exceeds(const struct cost *c, const struct cost *bound)
{
	return c->cpu_ns > bound->cpu_ns || c->heap_bytes > bound->heap_bytes;
}

static void least(struct cost *c, const struct cost *other)
{
	c->cpu_ns = other->cpu_ns < c->cpu_ns ? other->cpu_ns : c->cpu_ns;
	c->heap_bytes = other->heap_bytes < c->heap_bytes ? other->heap_bytes : c->heap_bytes;
}

static void tell(const char *what, const struct cost *c)
{
	fprintf(stderr, "%s %.3f ms of CPU, %.1f KiB\n", what, (double)c->cpu_ns / 1e6,
		(double)c->heap_bytes / 1024);
}

static void tell_largest(void)
{
	tell("an input cost at most", &largest);
}

static void begin(void)
{
	static bool begun;

	if (begun)
		return;
	begun = true;
	heap_watch();
	atexit(tell_largest);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct cost bound = bound_of(size), cost, again;

	begin();
	cost = measure(data, size);
	for (int i = 1; i < ATTEMPTS && exceeds(&cost, &bound); i++) {
		again = measure(data, size);
		least(&cost, &again);
	}
	largest.cpu_ns = cost.cpu_ns > largest.cpu_ns ? cost.cpu_ns : largest.cpu_ns;
	if (cost.heap_bytes > largest.heap_bytes)
		largest.heap_bytes = cost.heap_bytes;
	if (!exceeds(&cost, &bound))
		return 0;
	fprintf(stderr, "%zu bytes of input\n", size);
	tell("cost", &cost);
	tell("but may cost", &bound);
	abort();
}
