/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fuzz/fuzz.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cpu.h"
#include "proc/cgroup.h"
#include "proc/group-name.h"
#include "proc/group-stat.h"
#include "proc/smaps.h"
#include "proc/space.h"
#include "proc/stat.h"

/*
 * Input: the text of any file of /proc.  Every parser gets it; what maps_parse() finds goes into a
 * space, whose order is checked.
 */
static void check(int status)
{
	if (status && status != -EBADMSG)
		abort();
}

static void parse_task(const char *text, size_t size)
{
	struct task_stat stat;
	struct task_status status;
	struct task_statm statm;
	uint64_t owner;

	check(task_stat_parse(text, size, &stat));
	if (!memchr(stat.comm, '\0', sizeof(stat.comm)))
		abort();
	check(task_status_parse(text, size, &status));
	check(task_status_owner(text, size, &owner));
	check(task_statm_parse(text, size, &statm));
}

static void parse_host(const char *text, size_t size)
{
	struct host_stat stat;
	struct host_memory memory;
	struct host_load load;
	struct scanner lines = scanner_of(text, size);
	struct cpu_stat cpu;
	double uptime_s;

	check(host_stat_parse(text, size, &stat));
	while (cpu_stat_next(&lines, &cpu)) {
		if (cpu.number >= CPU_LIMIT)
			abort();
	}
	check(host_memory_parse(text, size, &memory));
	check(host_load_parse(text, size, &load));
	check(host_uptime_parse(text, size, &uptime_s));
}

static void parse_cgroups(const char *text, size_t size)
{
	struct cgroup_mount mount;
	struct cgroup_path path;

	if (cgroup_path_find(text, size, NULL, &path) &&
	    (path.at < text || path.at + path.size > text + size || *path.at != '/'))
		abort();
	if (cgroup_mount_find(text, size, &mount) && !memchr(mount.path, '\0', sizeof(mount.path)))
		abort();
}

static void parse_group_files(const char *text, size_t size)
{
	int64_t values[GROUP_VALUES];

	memset(values, 0xff, sizeof(values));
	group_number_parse(text, size, GROUP_MEMORY, values);
	group_io_parse(text, size, GROUP_READ, values);
	group_blkio_parse(text, size, GROUP_READ, values);
	group_cpu_parse(text, size, GROUP_PERIODS, values);
	group_pressure_parse(text, size, GROUP_MEMORY_SOME, values);
	for (int i = 0; i < GROUP_VALUES; i++) {
		if (values[i] < -1)
			abort();
	}
}

/* The text as the path of a group. */
static void parse_names(const char *text, size_t size)
{
	char *path = strndup(text, size);
	struct group_name name;

	group_name_parse(path, &name);
	if (!*name.text || (name.kind == GROUP_CONTAINER) != (*name.id != 0))
		abort();
	free(path);
}

static void insert(void *context, const struct mapping *m)
{
	struct space *space = context;
	struct mapping *found;

	space_insert(space, m);
	found = space_find(space, m->start);
	if (!found || found->start != m->start || found->end != m->end)
		abort();
	found->path = NULL; /* its text dies with the line */
}

static void parse_maps(const char *text, size_t size)
{
	struct space *space = space_new(NULL), *copy;

	maps_parse(text, size / 2, true, insert, space);
	copy = space_copy(space);
	maps_parse(text, size, false, insert, copy);
	for (size_t i = 1; i < space_count(copy); i++) {
		if (space_at(copy, i - 1)->end > space_at(copy, i)->start)
			abort();
	}
	space_free(space);
	space_free(copy);
}

static void check_usage(const struct smaps_usage *u)
{
	if (u->resident < -1 || u->proportional < -1 || u->swap < -1 || u->lazy_free < -1)
		abort();
}

struct smaps_sum {
	struct smaps_usage usage;
	size_t count;
};

static void sum_mapping(void *context, const struct mapping *m, const struct smaps_usage *usage)
{
	struct smaps_sum *sum = context;

	if (m->start >= m->end || !*m->path)
		abort();
	check_usage(usage);
	smaps_usage_add(&sum->usage, usage);
	check_usage(&sum->usage);
	sum->count++;
}

/* In pieces of STEP bytes. */
static struct smaps_sum feed(const char *text, size_t size, size_t step)
{
	struct smaps_sum sum = { smaps_unknown, 0 };
	struct smaps_parser parser = { .receive = sum_mapping, .context = &sum };

	for (size_t at = 0; at < size; at += step)
		smaps_feed(&parser, text + at, size - at < step ? size - at : step);
	smaps_end(&parser);
	return sum;
}

/* The same, however it comes. */
static void parse_smaps(const char *text, size_t size)
{
	struct smaps_sum whole = feed(text, size, size + 1), pieces = feed(text, size, 7);
	struct smaps_usage rollup;

	check(smaps_rollup_parse(text, size, &rollup));
	check_usage(&rollup);
	if (whole.count != pieces.count || whole.usage.resident != pieces.usage.resident ||
	    whole.usage.swap != pieces.usage.swap)
		abort();
}

const struct fuzz_bound fuzz_bound = { 200000, 20000, 1024, 256 };

int fuzz_input(const uint8_t *data, size_t size)
{
	parse_task((const char *)data, size);
	parse_cgroups((const char *)data, size);
	parse_group_files((const char *)data, size);
	parse_names((const char *)data, size);
	parse_host((const char *)data, size);
	parse_maps((const char *)data, size);
	parse_smaps((const char *)data, size);
	return 0;
}
