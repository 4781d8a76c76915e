/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A file of its own: a test of the way for older kernels has another one in its place. */
#include <unistd.h>

#include "perf/live/open.h"
#include "perf/live/pertask.h"

bool family_counters_possible(void)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_DUMMY,
		.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_READ,
		.read_format = LIVE_READ_FORMAT,
		.inherit = 1,
		.inherit_stat = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
		.disabled = 1,
	};
	int fd = perf_open(&attr, 0, -1, -1, 0);

	if (fd < 0)
		return false;
	close(fd);
	return true;
}
