/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/machine.h"

#include "base/i18n.h"
#include "profile/snapshot.h"
#include "view/widget/number.h"

static double memory_number(const struct column_row *r)
{
	const struct snapshot_host *h = &r->snapshot->host;

	return 100 * number_divide(number_known(h->memory_used_bytes),
				   number_known(h->memory_total_bytes));
}

static double lost_number(const struct column_row *r)
{
	return (double)r->snapshot->sampling.lost;
}

#define MACHINE(NAME, UNIT) .name = NAME, .title = NAME, .unit = UNIT, .type = COLUMN_NUMBER
#define HOST(NAME, FORMAT) COLUMN_FIELD(snapshot, NAME), .format = FORMAT
#define PERCENT(NAME) HOST(NAME, number_percent)
#define OF_TIME N_("percent of the time")

/* clang-format off */
const struct column machine_columns[] = {
	{ MACHINE("machine.cpu%", OF_TIME), PERCENT(host.cpu_percent) },
	{ MACHINE("machine.user%", OF_TIME), PERCENT(host.user_percent) },
	{ MACHINE("machine.system%", OF_TIME), PERCENT(host.system_percent) },
	{ MACHINE("machine.idle%", OF_TIME), PERCENT(host.idle_percent) },
	{ MACHINE("machine.iowait%", OF_TIME), PERCENT(host.iowait_percent) },
	{ MACHINE("machine.steal%", OF_TIME), PERCENT(host.steal_percent) },
	{ MACHINE("machine.mem%", N_("percent of memory")), .number = memory_number,
	  .format = number_percent },
	{ MACHINE("machine.mem", N_("bytes")), HOST(host.memory_used_bytes, number_bytes) },
	{ MACHINE("machine.swap", N_("bytes")), HOST(host.swap_used_bytes, number_bytes) },
	{ MACHINE("machine.load", N_("number")), HOST(host.load[0], number_ratio) },
	{ MACHINE("machine.tasks", N_("number")), HOST(host.tasks, number_id) },
	{ MACHINE("machine.running", N_("number")), HOST(host.running, number_id) },
	{ MACHINE("psi.cpu.some", OF_TIME), PERCENT(host.pressure.cpu_some_percent) },
	{ MACHINE("psi.mem.some", OF_TIME), PERCENT(host.pressure.memory_some_percent) },
	{ MACHINE("psi.mem.full", OF_TIME), PERCENT(host.pressure.memory_full_percent) },
	{ MACHINE("psi.io.some", OF_TIME), PERCENT(host.pressure.io_some_percent) },
	{ MACHINE("psi.io.full", OF_TIME), PERCENT(host.pressure.io_full_percent) },
	{ MACHINE("ptop.cpu%", N_("percent of one CPU")), PERCENT(sampling.own_cpu_percent) },
	{ MACHINE("ptop.lost", N_("count")), .number = lost_number, .format = number_count },
	{ .name = NULL }
};
/* clang-format on */
