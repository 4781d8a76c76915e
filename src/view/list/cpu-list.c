/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/list/cpu-rows.h"

#include <math.h>
#include <string.h>

#include "base/i18n.h"
#include "view/list/columns.h"
#include "view/list/list.h"
#include "view/widget/number.h"

static const char *name_text(const struct column_row *r)
{
	return r->cpu->name;
}

/* The type of a core stands behind the name, and how many CPUs a group has. */
static void name_draw(struct grid *g, const struct column_place *at, const struct column_row *r)
{
	const struct cpu_row *row = r->cpu;
	char type[2] = { row->facts.place.type, '\0' };
	int used = r->place ? tree_draw(g, at, r->place) : 0;

	if (row->level != CPU_LEVEL_CPU)
		grid_printf(g, at->row, at->column + used, at->width - used, at->style, "%s (%u)",
			    row->name, row->online);
	else
		grid_printf(g, at->row, at->column + used, at->width - used, at->style, "%s%s%s%s",
			    row->name, *type ? " " : "", type, row->online ? "" : _(" off"));
}

static const char *level_text(const struct column_row *r)
{
	return cpu_level_name(r->cpu->level);
}

static const char *type_text(const struct column_row *r)
{
	char type = r->cpu->facts.place.type;

	return type == 'P' ? "P" : type == 'E' ? "E" : NULL;
}

static double online_number(const struct column_row *r)
{
	return r->cpu->online;
}

static double core_number(const struct column_row *r)
{
	return number_known(r->cpu->facts.place.core);
}

static double llc_number(const struct column_row *r)
{
	return number_known(r->cpu->facts.place.llc);
}

static double node_number(const struct column_row *r)
{
	return number_known(r->cpu->facts.place.node);
}

static double package_number(const struct column_row *r)
{
	return number_known(r->cpu->facts.place.package);
}

#define COLUMN_SHARE                                                                             \
	.unit = N_("percent of time"), COLUMN_OF_NUMBERS, .descending = true, .resolution = 0.1, \
	COLUMN_OF_SHARES

/* clang-format off */
static const struct column cpu_columns[] = {
	{ .name = "name", .title = "NAME", .unit = N_("name"),
	  .help = N_("CPU, or the core, last-level cache, node or package, and how many CPUs of it are "
		     "online; P, E: type of core; off: offline"),
	  .width = 16, .grow = 8, .priority = 0, .type = COLUMN_TEXT, .shown = true,
	  .text = name_text, .draw = name_draw },
	{ .name = "level", .title = "LEVEL", .unit = N_("word"),
	  .help = N_("cpu, core, llc, node, package or machine"),
	  .width = 7, .priority = 12, .type = COLUMN_TEXT, .text = level_text },
	{ .name = "type", .title = "TYPE", .unit = N_("letter"),
	  .help = N_("P performance core, E efficient core; - all cores are alike"),
	  .width = 4, .priority = 12, .type = COLUMN_TEXT, .text = type_text },
	{ .name = "online", .title = "ONLINE", .unit = N_("number"), .help = N_("CPUs that are online"),
	  .width = 6, .priority = 12, COLUMN_OF_NUMBERS, .descending = true, .number = online_number,
	  .format = number_id },
	{ .name = "core", .title = "CORE", .unit = N_("number"),
	  .help = N_("core, by the lowest of its CPUs"),
	  .width = 5, .priority = 12, COLUMN_OF_NUMBERS, .number = core_number, .format = number_id },
	{ .name = "llc", .title = "LLC", .unit = N_("number"),
	  .help = N_("last-level cache, by the lowest of its CPUs"),
	  .width = 5, .priority = 12, COLUMN_OF_NUMBERS, .number = llc_number, .format = number_id },
	{ .name = "node", .title = "NODE", .unit = N_("number"), .help = N_("memory node"),
	  .width = 5, .priority = 12, COLUMN_OF_NUMBERS, .number = node_number, .format = number_id },
	{ .name = "package", .title = "PACKAGE", .unit = N_("number"), .help = N_("package"),
	  .width = 7, .priority = 12, COLUMN_OF_NUMBERS, .number = package_number, .format = number_id },
	{ .name = "busy%", .title = "BUSY%", COLUMN_SHARE, COLUMN_FIELD(cpu, busy_percent),
	  .help = N_("100 - idle% - iowait%; in a group the mean of the CPUs that are online, like all "
		     "shares of time"),
	  .width = 5, .priority = 1, .shown = true, .hot = 80 },
	{ .name = "user%", .title = "USER%", COLUMN_SHARE, COLUMN_FIELD(cpu, facts.user_percent),
	  .help = N_("time in user space, nice tasks too / time, over the refresh interval"),
	  .width = 5, .priority = 4, .shown = true },
	{ .name = "sys%", .title = "SYS%", COLUMN_SHARE, COLUMN_FIELD(cpu, facts.system_percent),
	  .help = N_("time in the kernel for tasks / time"),
	  .width = 5, .priority = 4, .shown = true },
	{ .name = "irq%", .title = "IRQ%", COLUMN_SHARE, COLUMN_FIELD(cpu, facts.irq_percent),
	  .help = N_("time in hard interrupts / time"),
	  .width = 5, .priority = 9, .shown = true },
	{ .name = "soft%", .title = "SOFT%", COLUMN_SHARE, COLUMN_FIELD(cpu, facts.softirq_percent),
	  .help = N_("time in soft interrupts / time"),
	  .width = 5, .priority = 8, .shown = true },
	{ .name = "steal%", .title = "STEAL%", COLUMN_SHARE, COLUMN_FIELD(cpu, facts.steal_percent),
	  .help = N_("time that the host gave to others / time"),
	  .width = 6, .priority = 8, .shown = true },
	{ .name = "iowait%", .title = "IOWAIT%", COLUMN_SHARE, COLUMN_FIELD(cpu, facts.iowait_percent),
	  .help = N_("idle time with a task that waits for a device / time"),
	  .width = 7, .priority = 7, .shown = true },
	{ .name = "idle%", .title = "IDLE%", COLUMN_SHARE, COLUMN_FIELD(cpu, facts.idle_percent),
	  .help = N_("idle time / time"),
	  .width = 5, .priority = 10, .shown = true },
	{ .name = "ghz", .title = "GHZ", .unit = N_("cycles per nanosecond"),
	  .help = N_("the speed of the clock now, as cpufreq or /proc/cpuinfo has it; in a group the mean"),
	  .width = 4, .priority = 5, COLUMN_OF_NUMBERS, .shown = true, .descending = true,
	  .resolution = 0.01, COLUMN_FIELD(cpu, facts.ghz), .format = number_ratio },
	COLUMNS_OF_USE,
	COLUMNS_OF_COUNTS,
	COLUMNS_OF_RATES,
	{ COLUMN_SAMPLES, COLUMN_FIELD(cpu, samples),
	  .help = N_("samples of the event in the refresh interval"), .priority = 11 },
	{ .name = "samples%", .title = "SAMPLES%", .unit = N_("percent of samples"),
	  .help = N_("share of all samples that are shown of the event, since the view is open"),
	  .width = 8, .priority = 7, COLUMN_OF_NUMBERS, .shown = true, .descending = true,
	  .resolution = 0.1, COLUMN_FIELD(branch, shown_percent), COLUMN_OF_SHARES },
	{ COLUMN_TOP_PID, .priority = 6 },
	{ COLUMN_TOP_SHARE, .help = N_("its samples / samples that are shown of the CPU"), .priority = 7 },
	{ COLUMN_TOP, .priority = 2 },
	{ .name = NULL }
};
/* clang-format on */

/* The list. */

static const struct cpu_row *row_at(const struct lists *l, const struct list_kind *k, size_t i)
{
	const struct cpu_rows *r = list_data(l, k);

	return &r->items[r->shown.order[i]];
}

static size_t cpus_build(struct lists *l, const struct list_kind *k)
{
	struct cpu_rows *r = list_data(l, k);
	struct cpus_request request = {
		.choice = lists_branch_choice(l, k),
		.level = l->scene.cpu_level,
	};

	request.choice.all_open &= l->scene.cpu_level == CPU_LEVEL_AUTO;
	cpu_rows_build(r, l->scene.snapshot, &l->rows, &request);
	return r->shown.count;
}

static void cpu_fill(const struct lists *l, const struct list_kind *k, size_t i,
		     struct column_row *row)
{
	row->cpu = row_at(l, k, i);
	row->branch = &row->cpu->branch;
	row->place = &((const struct cpu_rows *)list_data(l, k))->shown.places[i];
	row->ended = !row->cpu->online;
}

static uint64_t cpu_row_key(const struct lists *l, const struct list_kind *k, size_t i)
{
	return row_at(l, k, i)->branch.key;
}

static bool cpu_matches(const struct lists *l, const struct column_row *row, const char *text)
{
	(void)l;
	return cpu_row_matches(row->cpu, text);
}

static const char *cpus_empty(const struct lists *l)
{
	if (snapshot_is_start(l->scene.snapshot))
		return list_measuring();
	return snapshot_is_recorded(l->scene.snapshot)
		       ? _("no CPU is known: the samples of this recording have none; perf record "
			   "--sample-cpu stores it")
		       : _("no CPU is known: neither samples nor /proc/stat tell of one");
}

static void cpus_free(void *data)
{
	cpu_rows_fini(data);
}

/* clang-format off */
static const struct column_table cpu_table = {
	.name = "cpus", .prefix = "cpu.", .title = N_("Columns of CPUs"), .filter = N_("CPUs"),
	.columns = cpu_columns, .sort = "", .extended = true,
	.metrics = METRICS_ALL,
};

const struct list_kind list_cpus = {
	.table = &cpu_table, .name = "cpus", .data_size = sizeof(struct cpu_rows),
	.fini = cpus_free, .extras = EXTRA_CPUS, .build = cpus_build, .fill = cpu_fill,
	.key = cpu_row_key, .matches = cpu_matches,
	.unmatched = N_("no CPU passes the filter; {filter} changes it"), .empty = cpus_empty,
};
/* clang-format on */
