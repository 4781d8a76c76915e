/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/clock.h"

#include <time.h>

static uint64_t read_clock(clockid_t id)
{
	struct timespec t = { 0 };

	clock_gettime(id, &t);
	return (uint64_t)t.tv_sec * NS_PER_S + (uint64_t)t.tv_nsec;
}

static uint64_t system_monotonic(void *context)
{
	(void)context;
	return read_clock(CLOCK_MONOTONIC);
}

static uint64_t system_realtime(void *context)
{
	(void)context;
	return read_clock(CLOCK_REALTIME);
}

const struct clock clock_system = { .monotonic_ns = system_monotonic,
				    .realtime_ns = system_realtime };

uint64_t clock_process_cpu_ns(void)
{
	return read_clock(CLOCK_PROCESS_CPUTIME_ID);
}

uint64_t clock_thread_cpu_ns(void)
{
	return read_clock(CLOCK_THREAD_CPUTIME_ID);
}

uint64_t clock_monotonic_ns(const struct clock *c)
{
	return c->monotonic_ns(c->context);
}

uint64_t clock_realtime_ns(const struct clock *c)
{
	return c->realtime_ns(c->context);
}
