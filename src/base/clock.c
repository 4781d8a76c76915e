/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/clock.h"

#include <sys/resource.h>
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

uint64_t clock_cpu_ns_of(int pid)
{
	clockid_t clock;

	return pid && !clock_getcpuclockid(pid, &clock) ? read_clock(clock) : 0;
}

uint64_t clock_cpu_ns_used(const struct rusage *used)
{
	const struct timeval *u = &used->ru_utime, *s = &used->ru_stime;

	return ((uint64_t)u->tv_sec + (uint64_t)s->tv_sec) * NS_PER_S +
	       ((uint64_t)u->tv_usec + (uint64_t)s->tv_usec) * 1000;
}

uint64_t clock_monotonic_ns(const struct clock *c)
{
	return c->monotonic_ns(c->context);
}

uint64_t clock_realtime_ns(const struct clock *c)
{
	return c->realtime_ns(c->context);
}
