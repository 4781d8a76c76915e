/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "proc/pressure.h"

#include <math.h>
#include <string.h>

#define TEXT_BYTES 512 /* two lines of some 70 bytes */

void group_reading_next(struct group_reading *r, uint64_t now_ns)
{
	memcpy(r->before, r->now, sizeof(r->before));
	r->before_ns = r->now_ns;
	for (int i = 0; i < GROUP_VALUES; i++)
		r->now[i] = -1;
	r->now_ns = now_ns;
}

double group_reading_grown(const struct group_reading *r, enum group_value what)
{
	if (!r->before_ns || r->before[what] < 0 || r->now[what] < r->before[what])
		return NAN;
	return (double)(r->now[what] - r->before[what]);
}

/* The sums are of microseconds, and of a moment before or after the clock's. */
static double waited_percent(const struct group_reading *r, enum group_value what)
{
	double percent =
		100 * group_reading_grown(r, what) * 1000 / (double)(r->now_ns - r->before_ns);

	return percent > 100 ? 100 : percent;
}

struct pressure pressure_between(const struct group_reading *r)
{
	if (r->now_ns <= r->before_ns)
		return pressure_unknown;
	return (struct pressure){
		.cpu_some_percent = waited_percent(r, GROUP_CPU_SOME),
		.memory_some_percent = waited_percent(r, GROUP_MEMORY_SOME),
		.memory_full_percent = waited_percent(r, GROUP_MEMORY_FULL),
		.io_some_percent = waited_percent(r, GROUP_IO_SOME),
		.io_full_percent = waited_percent(r, GROUP_IO_FULL),
	};
}

struct pressure pressure_refresh(struct group_reading *r, const struct procfs *procfs,
				 uint64_t now_ns)
{
	static const struct {
		const char *name;
		enum group_value what;
	} files[] = {
		{ "pressure/cpu", GROUP_CPU_SOME },
		{ "pressure/memory", GROUP_MEMORY_SOME },
		{ "pressure/io", GROUP_IO_SOME },
	};
	char text[TEXT_BYTES];

	group_reading_next(r, now_ns);
	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
		ssize_t n = procfs_read(procfs, files[i].name, text, sizeof(text));

		if (n > 0)
			group_pressure_parse(text, (size_t)n, files[i].what, r->now);
	}
	return pressure_between(r);
}
