/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/list/group-rows.h"

#include <string.h>

#include "base/i18n.h"
#include "view/list/columns.h"
#include "view/list/list.h"
#include "view/widget/number.h"

static const char *name_text(const struct column_row *r)
{
	return r->group->group->name;
}

static void name_draw(struct grid *g, const struct column_place *at, const struct column_row *r)
{
	int used = r->place ? tree_draw(g, at, r->place) : 0;

	grid_text(g, at->row, at->column + used, at->width - used, at->style, name_text(r));
}

static const char *kind_text(const struct column_row *r)
{
	return group_kind_name(r->group->group->kind);
}

static const char *path_text(const struct column_row *r)
{
	return *r->group->group->path ? r->group->group->path : NULL;
}

static double processes_number(const struct column_row *r)
{
	return r->group->processes;
}

static double memory_share(const struct column_row *r)
{
	return 100 * number_divide(number_known(r->group_facts->memory_bytes),
				   number_known(r->group_facts->memory_max_bytes));
}

#define COLUMN_PRESSURE                                                            \
	.unit = N_("percent of time"), .extras = EXTRA_GROUP_PRESSURE, .width = 8, \
	COLUMN_OF_NUMBERS, .descending = true, .resolution = 0.1, .hot = 10, COLUMN_OF_SHARES
#define COLUMN_AMOUNT(FIELD) COLUMN_OF_NUMBERS, .descending = true, COLUMN_FIELD(group_facts, FIELD)

/* clang-format off */
static const struct column group_columns[] = {
	{ .name = "name", .title = "NAME", .unit = N_("name"),
	  .help = N_("container, Kubernetes pod, machine or unit of systemd by its name, else the id's "
		     "first 12 digits, or the directory"),
	  .width = 30, .grow = 26, .priority = 0, .type = COLUMN_TEXT, .shown = true,
	  .text = name_text, .draw = name_draw },
	{ .name = "kind", .title = "KIND", .unit = N_("word"),
	  .help = N_("root, slice, service, scope, container, pod, machine or group; unknown: of "
		     "processes whose group is not known"),
	  .width = 9, .priority = 11, .type = COLUMN_TEXT, .text = kind_text },
	{ .name = "procs", .title = "PROCS", .unit = N_("number"),
	  .help = N_("processes that live in it and below"),
	  .width = 5, .priority = 6, COLUMN_OF_NUMBERS, .shown = true, .descending = true,
	  .number = processes_number, .format = number_short },
	{ .name = "%cpu", .title = "%CPU", .unit = N_("percent of one CPU"),
	  .help = N_("CPU time of its processes, those that ended too / time, over the refresh interval"),
	  .width = 5, .priority = 1, COLUMN_OF_NUMBERS, .shown = true, .descending = true,
	  .resolution = 0.1, .hot = 50, COLUMN_FIELD(group, cpu_percent), COLUMN_OF_SHARES },
	COLUMNS_OF_USE,
	{ .name = "throt%", .title = "THROT%", .unit = N_("percent of periods"),
	  .help = N_("periods of its CPU quota in which it was throttled / periods"),
	  .extras = EXTRA_GROUP_CPU, .width = 6, .priority = 5, .shown = true, .resolution = 0.1,
	  .hot = 10, COLUMN_AMOUNT(throttled_percent), COLUMN_OF_SHARES },
	{ .name = "memory", .title = "MEMORY", .unit = N_("bytes"),
	  .help = N_("memory that is charged to it now: memory.current"),
	  .extras = EXTRA_GROUP_MEMORY, .width = 6, .priority = 2, .shown = true,
	  COLUMN_AMOUNT(memory_bytes), .format = number_bytes },
	{ .name = "mem-max", .title = "MEM-MAX", .unit = N_("bytes"),
	  .help = N_("its own limit of memory: memory.max; - there is none"),
	  .extras = EXTRA_GROUP_MEMORY, .width = 7, .priority = 6, .shown = true,
	  COLUMN_AMOUNT(memory_max_bytes), .format = number_bytes },
	{ .name = "max%", .title = "MAX%", .unit = N_("percent of the limit"),
	  .help = N_("100 * MEMORY / MEM-MAX"),
	  .extras = EXTRA_GROUP_MEMORY, .width = 5, .priority = 6, COLUMN_OF_NUMBERS,
	  .descending = true, .resolution = 0.1, .hot = 90, .number = memory_share,
	  COLUMN_OF_SHARES },
	{ .name = "read/s", .title = "READ/S", .unit = N_("bytes per second"),
	  .help = N_("what it read from block devices / time"),
	  .extras = EXTRA_GROUP_IO, .width = 6, .priority = 7, .shown = true,
	  COLUMN_AMOUNT(read_rate), .format = number_bytes },
	{ .name = "write/s", .title = "WRITE/S", .unit = N_("bytes per second"),
	  .help = N_("what it wrote to block devices / time"),
	  .extras = EXTRA_GROUP_IO, .width = 7, .priority = 7, .shown = true,
	  COLUMN_AMOUNT(write_rate), .format = number_bytes },
	{ .name = "tasks", .title = "TASKS", .unit = N_("number"),
	  .help = N_("threads in it: pids.current"),
	  .extras = EXTRA_GROUP_PIDS, .width = 5, .priority = 9, COLUMN_AMOUNT(pids),
	  .format = number_short },
	{ .name = "tasks-max", .title = "TASKS-MAX", .unit = N_("number"),
	  .help = N_("its own limit of threads: pids.max; - there is none"),
	  .extras = EXTRA_GROUP_PIDS, .width = 9, .priority = 9, COLUMN_AMOUNT(pids_max),
	  .format = number_count },
	{ .name = "cpu-psi", .title = "CPU-PSI", COLUMN_PRESSURE,
	  .help = N_("time in which some thread of it waited for a CPU / time"),
	  .priority = 8, .shown = true, COLUMN_FIELD(group_facts, pressure.cpu_some_percent) },
	{ .name = "mem-psi", .title = "MEM-PSI", COLUMN_PRESSURE,
	  .help = N_("time in which some thread of it waited for memory / time"),
	  .priority = 8, .shown = true, COLUMN_FIELD(group_facts, pressure.memory_some_percent) },
	{ .name = "mem-full", .title = "MEM-FULL", COLUMN_PRESSURE,
	  .help = N_("time in which all threads of it that were not idle waited for memory / time"),
	  .priority = 9, COLUMN_FIELD(group_facts, pressure.memory_full_percent) },
	{ .name = "io-psi", .title = "IO-PSI", COLUMN_PRESSURE,
	  .help = N_("time in which some thread of it waited for I/O / time"),
	  .priority = 8, .shown = true, COLUMN_FIELD(group_facts, pressure.io_some_percent) },
	{ .name = "io-full", .title = "IO-FULL", COLUMN_PRESSURE,
	  .help = N_("time in which all threads of it that were not idle waited for I/O / time"),
	  .priority = 9, COLUMN_FIELD(group_facts, pressure.io_full_percent) },
	COLUMNS_OF_COUNTS,
	COLUMNS_OF_RATES,
	{ .name = "samples", .title = "SAMPLES", .unit = N_("count"), .width = 7, COLUMN_OF_NUMBERS,
	  .descending = true, .resolution = 1, .format = number_count, COLUMN_FIELD(branch, shown),
	  .help = N_("samples of the event that are shown"), .priority = 11 },
	{ .name = "samples%", .title = "SAMPLES%", .unit = N_("percent of samples"),
	  .help = N_("share of all samples that are shown of the event"),
	  .width = 8, .priority = 7, COLUMN_OF_NUMBERS, .shown = true, .descending = true,
	  .resolution = 0.1, COLUMN_FIELD(branch, shown_percent), COLUMN_OF_SHARES },
	{ .name = "path", .title = "PATH", .unit = N_("path"),
	  .help = N_("the directory of the group, as /proc/PID/cgroup has it"),
	  .width = 24, .grow = 40, .priority = 12, .type = COLUMN_TEXT, .text = path_text },
	{ COLUMN_TOP_PID, .priority = 6 },
	{ COLUMN_TOP_SHARE, .help = N_("its samples / samples that are shown of the group"),
	  .priority = 7 },
	{ COLUMN_TOP, .priority = 2 },
	{ .name = NULL }
};
/* clang-format on */

/* The list. */

static const struct group_row *row_at(const struct lists *l, const struct list_kind *k, size_t i)
{
	const struct group_rows *r = list_data(l, k);

	return &r->items[r->shown.order[i]];
}

static size_t groups_build(struct lists *l, const struct list_kind *k)
{
	struct group_rows *r = list_data(l, k);
	const struct branch_choice choice = lists_branch_choice(l, k);

	group_rows_build(r, l->scene.snapshot, &l->rows, &choice);
	return r->shown.count;
}

static void group_fill(const struct lists *l, const struct list_kind *k, size_t i,
		       struct column_row *row)
{
	row->group = row_at(l, k, i);
	row->group_facts = row->group->group->facts;
	row->branch = &row->group->branch;
	row->place = &((const struct group_rows *)list_data(l, k))->shown.places[i];
	row->ended = row->group->group->gone && !row->group->processes;
}

static uint64_t group_row_key(const struct lists *l, const struct list_kind *k, size_t i)
{
	return row_at(l, k, i)->branch.key;
}

static bool group_matches(const struct lists *l, const struct column_row *row, const char *text)
{
	(void)l;
	return group_row_matches(row->group, text);
}

static const char *groups_empty(const struct lists *l)
{
	return snapshot_is_recorded(l->scene.snapshot)
		       ? _("a recording does not tell control groups")
		       : _("measuring");
}

static void groups_free_data(void *data)
{
	group_rows_fini(data);
}

/* clang-format off */
static const struct column_table group_table = {
	.name = "groups", .prefix = "group.", .title = N_("Columns of control groups"),
	.filter = N_("control groups"), .columns = group_columns, .sort = "%cpu",
	.extended = true, .metrics = METRICS_OF_TASKS,
};

const struct list_kind list_groups = {
	.table = &group_table, .name = "groups", .data_size = sizeof(struct group_rows),
	.fini = groups_free_data, .extras = EXTRA_GROUPS, .build = groups_build,
	.fill = group_fill, .key = group_row_key, .matches = group_matches,
	.unmatched = N_("no control group passes the filter; {filter} changes it"),
	.empty = groups_empty,
};
/* clang-format on */
