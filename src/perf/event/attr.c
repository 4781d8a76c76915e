/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "perf/event/attr.h"

#include <stddef.h>
#include <string.h>

#include "perf/event/rate.h"

static void attr_set_rate(const struct evsel *e, struct perf_event_attr *attr)
{
	if (e->role != EVSEL_SAMPLE)
		return;
	attr->freq = e->freq_hz != 0;
	if (attr->freq)
		attr->sample_freq = rate_reduced(e->freq_hz, e->halvings);
	else
		attr->sample_period = rate_period(e);
}

/* Bits of the word of flags behind read_format, counted from the lowest on little-endian machines. */
#define DEFER_CALLCHAIN 38
#define DEFER_OUTPUT 39

void attr_defer(struct perf_event_attr *attr, bool callchain, bool output)
{
	const size_t at = offsetof(struct perf_event_attr, read_format) + sizeof(attr->read_format);
	uint64_t flags;

	memcpy(&flags, (const char *)attr + at, sizeof(flags));
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	flags |= (uint64_t)callchain << DEFER_CALLCHAIN | (uint64_t)output << DEFER_OUTPUT;
#else
	flags |= (uint64_t)callchain << (63 - DEFER_CALLCHAIN) | (uint64_t)output
									 << (63 - DEFER_OUTPUT);
#endif
	memcpy((char *)attr + at, &flags, sizeof(flags));
}

void evsel_attr_init(const struct evsel *e, struct perf_event_attr *attr)
{
	memset(attr, 0, sizeof(*attr));
	attr->size = sizeof(*attr);
	attr->type = e->type;
	attr->config = e->config;
	attr->config1 = e->probe ? (uintptr_t)e->probe : e->config1;
	attr->config2 = e->config2;
	attr->bp_type = e->bp_type;
	attr->exclude_user = e->exclude_user;
	attr->exclude_kernel = e->exclude_kernel;
	attr->exclude_hv = e->exclude_hv;
	attr->exclude_idle = e->exclude_idle;
	attr->exclude_guest = e->exclude_guest;
	attr->exclude_host = e->exclude_host;
	attr->precise_ip = e->precise_ip;
	attr->pinned = e->pinned;
	attr->exclusive = e->exclusive;
	attr_set_rate(e, attr);
}
