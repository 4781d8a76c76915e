/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "perf/event/rate.h"

#include <inttypes.h>
#include <stdio.h>

#define MAX_RATE_FILE "/proc/sys/kernel/perf_event_max_sample_rate"

#define KERNEL_DEFAULT_HZ 100000u

uint64_t rate_max_hz(void)
{
	FILE *f = fopen(MAX_RATE_FILE, "re");
	uint64_t hz;

	if (!f)
		return KERNEL_DEFAULT_HZ;
	if (fscanf(f, "%" SCNu64, &hz) != 1 || !hz)
		hz = KERNEL_DEFAULT_HZ;
	fclose(f);
	return hz;
}

uint64_t rates_limit(struct evlist *l, uint64_t max_hz)
{
	uint64_t reduced = 0;

	for (size_t i = 0; i < l->count; i++) {
		struct evsel *e = l->items[i];

		if (e->role != EVSEL_SAMPLE || e->freq_hz <= max_hz)
			continue;
		if (e->freq_hz != RATE_MAX_FREQ && e->freq_hz > reduced)
			reduced = e->freq_hz;
		e->freq_hz = max_hz;
	}
	return reduced;
}

unsigned rate_halvings(uint64_t hz)
{
	unsigned count = 0;

	while (count < 63 && hz >> (count + 1) >= RATE_FLOOR_HZ)
		count++;
	return count;
}

uint64_t rate_reduced(uint64_t hz, unsigned halvings)
{
	unsigned most = rate_halvings(hz);

	return hz >> (halvings < most ? halvings : most);
}

uint64_t rate_period(const struct evsel *e)
{
	unsigned room = e->period ? (unsigned)__builtin_clzll(e->period) : 0;
	uint64_t period = e->period << (e->doublings < room ? e->doublings : room ? room - 1 : 0);

	/* Calls of sockets come in pairs, such as a head and a body: an even period would only meet heads. */
	return evsel_is_network(e) ? period | 1 : period;
}
