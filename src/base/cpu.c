/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/cpu.h"

#include <math.h>

const struct cpu_facts cpu_unknown = {
	.place = { -1, -1, -1, -1, 0 },
	.ghz = NAN,
	.user_percent = NAN,
	.system_percent = NAN,
	.irq_percent = NAN,
	.softirq_percent = NAN,
	.steal_percent = NAN,
	.iowait_percent = NAN,
	.idle_percent = NAN,
	.memory_rate = NAN,
	.local_rate = NAN,
	.held_bytes = NAN,
};
