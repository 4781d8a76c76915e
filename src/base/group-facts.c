/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/group-facts.h"

#include <math.h>

const char *group_kind_name(enum group_kind kind)
{
	static const char *const names[GROUP_KINDS] = {
		[GROUP_UNKNOWN] = "unknown",     [GROUP_ROOT] = "root",
		[GROUP_PLAIN] = "group",         [GROUP_SLICE] = "slice",
		[GROUP_SERVICE] = "service",     [GROUP_SCOPE] = "scope",
		[GROUP_MACHINE] = "machine",     [GROUP_POD] = "pod",
		[GROUP_CONTAINER] = "container",
	};

	return names[kind];
}

const struct group_facts group_unknown = {
	.memory_bytes = -1,
	.memory_max_bytes = -1,
	.pids = -1,
	.pids_max = -1,
	.read_rate = NAN,
	.write_rate = NAN,
	.throttled_percent = NAN,
	.pressure = { NAN, NAN, NAN, NAN, NAN },
};
