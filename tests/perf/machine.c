/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "machine.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PMUS "sys/bus/event_source/devices/"

static const struct machine_file everything[] = {
	{ PMUS "cpu/type", "4\n" },
	{ PMUS "cpu/format/event", "config:0-7\n" },
	{ PMUS "cpu/format/umask", "config:8-15\n" },
	{ PMUS "cpu/format/edge", "config:18\n" },
	{ PMUS "cpu/format/cmask", "config:24-31\n" },
	{ PMUS "cpu/format/split", "config:0-7,32-35\n" },
	{ PMUS "cpu/format/ldlat", "config1:0-15\n" },
	{ PMUS "cpu/format/wide", "config2:0-63\n" },
	{ PMUS "cpu/format/strange", "config9:0-7\n" },
	{ PMUS "cpu/events/mem-loads", "event=0xcd,umask=0x1,ldlat=3\n" },
	{ PMUS "cpu/events/cpu-cycles", "event=0x3c\n" },
	{ PMUS "cpu/events/sampled", "event=0x3d,period=2000003\n" },
	{ PMUS "cpu/events/parametric", "event=0x10,ldlat=?\n" },
	{ PMUS "cpu/events/broken", "event=0x1,nosuch=2\n" },
	{ PMUS "cpu_core/type", "24\n" },
	{ PMUS "cpu_core/cpus", "0-3\n" },
	{ PMUS "cpu_core/format/event", "config:0-7\n" },
	{ PMUS "cpu_atom/type", "10\n" },
	{ PMUS "cpu_atom/cpus", "4-7\n" },
	{ PMUS "cpu_atom/format/event", "config:0-7\n" },
	{ PMUS "uncore_imc_0/type", "30\n" },
	{ PMUS "uncore_imc_0/cpumask", "0\n" },
	{ PMUS "uncore_imc_0/format/event", "config:0-7\n" },
	{ PMUS "uncore_imc_0/events/cas_count_read", "event=0x04\n" },
	{ PMUS "uncore_imc_0/events/cas_count_read.scale", "6.103515625e-5\n" },
	{ PMUS "uncore_imc_0/events/cas_count_read.unit", "MiB\n" },
	{ PMUS "uncore_imc_1/type", "31\n" },
	{ PMUS "uncore_imc_1/cpumask", "0\n" },
	{ PMUS "uncore_imc_1/format/event", "config:0-7\n" },
	{ PMUS "uncore_imc_1/events/cas_count_read", "event=0x04\n" },
	{ PMUS "power/type", "32\n" },
	{ PMUS "power/cpumask", "0,4\n" },
	{ PMUS "power/format/event", "config:0-7\n" },
	{ PMUS "power/events/energy-pkg", "event=0x02\n" },
	{ PMUS "power/events/energy-pkg.scale", "2.3283064365386962890625e-10\n" },
	{ PMUS "power/events/energy-pkg.unit", "Joules\n" },
	{ PMUS "uprobe/type", "8\n" },
	{ PMUS "uprobe/format/retprobe", "config:0\n" },
	{ PMUS "kprobe/type", "7\n" },
	{ PMUS "kprobe/format/retprobe", "config:0\n" },
	{ "tracing/events/enable", "0\n" },
	{ "tracing/events/sched/enable", "0\n" },
	{ "tracing/events/sched/sched_switch/id", "314\n" },
	{ "tracing/events/sched/sched_switch/format", "name: sched_switch\n" },
	{ "tracing/events/sched/sched_wakeup/id", "313\n" },
	{ "tracing/events/sched/sched_wakeup_new/id", "312\n" },
	{ "tracing/events/ftrace/function/format", "name: function\n" },
	{ "tracing/events/broken/bad/id", "no number\n" },
	{ "tracing/events/syscalls/sys_enter_read/id", "700\n" },
	{ "tracing/events/syscalls/sys_enter_write/id", "702\n" },
	{ NULL, NULL },
};

static void make_file(const char *root, const char *path, const char *text)
{
	char full[256];
	FILE *f;

	snprintf(full, sizeof(full), "%s/%s", root, path);
	for (char *slash = full + strlen(root) + 1; (slash = strchr(slash, '/')); slash++) {
		*slash = '\0';
		mkdir(full, 0755);
		*slash = '/';
	}
	f = fopen(full, "w");
	if (!f || fputs(text, f) < 0 || fclose(f))
		abort();
}

static int symbol_offset(void *context, const char *path, const char *symbol, uint64_t *offset,
			 struct error *err)
{
	(void)context;
	if (strcmp(symbol, "main"))
		return error_set(err, "%s has no function of that name", path);
	*offset = 0x1140;
	return 0;
}

void machine_init(struct machine *m)
{
	machine_init_as(m, everything);
}

void machine_init_as(struct machine *m, const struct machine_file *files)
{
	const char *tmp = getenv("TMPDIR");

	memset(m, 0, sizeof(*m));
	snprintf(m->root, sizeof(m->root), "%.40s/ptop-machine-XXXXXX", tmp ? tmp : "/tmp");
	if (!mkdtemp(m->root))
		abort();
	for (size_t i = 0; files[i].path; i++)
		make_file(m->root, files[i].path, files[i].text);
	snprintf(m->sysfs, sizeof(m->sysfs), "%s/sys", m->root);
	snprintf(m->tracefs, sizeof(m->tracefs), "%s/tracing", m->root);
	m->resolver.symbol_offset = symbol_offset;
	m->env.sysfs = m->sysfs;
	m->env.tracefs = m->tracefs;
	m->env.resolver = &m->resolver;
}

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *ftw)
{
	(void)st;
	(void)kind;
	(void)ftw;
	return remove(path);
}

void machine_fini(struct machine *m)
{
	nftw(m->root, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}
