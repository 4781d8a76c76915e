/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/large-machine.h"

#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "proc/process.h"

#define RAN 2u /* processes that ran on a CPU in a second */
#define GROUPS_A_SLICE 100u
#define NODES 4u
#define MS 1000000u

static uint64_t large_now(void *context)
{
	struct large_machine *m = context;

	if (!m->times_work)
		return m->rig.now_ns;
	m->clock_reads++;
	return m->rig.now_ns + clock_thread_cpu_ns() - m->marked_ns;
}

static void group_path(char path[64], uint32_t group)
{
	snprintf(path, 64, "/slice%u/unit%u", group / GROUPS_A_SLICE, group);
}

static void make_group(struct large_machine *m, uint32_t group)
{
	static const struct {
		const char *name, *text;
	} files[] = {
		{ "cgroup.procs", "\n" },
		{ "memory.current", "12582912\n" },
		{ "memory.max", "max\n" },
		{ "pids.current", "3\n" },
		{ "pids.max", "max\n" },
		{ "io.stat",
		  "8:0 rbytes=1459200 wbytes=314773504 rios=192 wios=353 dbytes=0 dios=0\n" },
		{ "cpu.stat", "usage_usec 100\nnr_periods 340\nnr_throttled 12\n" },
		{ "cpu.pressure", "some avg10=0.00 avg60=0.12 avg300=0.05 total=8612345\n" },
		{ "memory.pressure", "some avg10=0.00 avg60=0.12 avg300=0.05 total=8612345\n" },
		{ "io.pressure", "some avg10=0.00 avg60=0.12 avg300=0.05 total=8612345\n" },
	};
	char path[64], name[128];

	group_path(path, group);
	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
		snprintf(name, sizeof(name), "tree%s/%s", path, files[i].name);
		tree_printf(&m->tree, name, "%s", files[i].text);
	}
}

static void make_task(struct large_machine *m, uint32_t i, uint64_t ticks)
{
	char name[64];

	tree_task(&m->tree, &(struct tree_task){ .pid = LARGE_FIRST_PID + i,
						 .user_ticks = ticks,
						 .start_ticks = 5 });
	snprintf(name, sizeof(name), "%u/schedstat", LARGE_FIRST_PID + i);
	tree_printf(&m->tree, name, "%llu 0 %llu\n", (unsigned long long)ticks * 10 * MS,
		    (unsigned long long)ticks);
}

static void make_process(struct large_machine *m, uint32_t i)
{
	char path[64], name[64];

	make_task(m, i, 0);
	group_path(path, i % m->groups);
	snprintf(name, sizeof(name), "%u/cgroup", LARGE_FIRST_PID + i);
	tree_printf(&m->tree, name, "0::%s\n", path);
	snprintf(name, sizeof(name), "%u/cmdline", LARGE_FIRST_PID + i);
	tree_printf(&m->tree, name, "/usr/bin/worker --number %u", i);
}

static void make_cpu(struct large_machine *m, uint32_t cpu)
{
	uint32_t a_node = (m->cpus + NODES - 1) / NODES;
	char name[96];

	snprintf(name, sizeof(name), "sys/system/cpu/cpu%u/topology/thread_siblings_list", cpu);
	tree_printf(&m->tree, name, "%u-%u\n", cpu & ~1u, cpu | 1u);
	snprintf(name, sizeof(name), "sys/system/cpu/cpu%u/topology/physical_package_id", cpu);
	tree_printf(&m->tree, name, "%u\n", cpu / a_node);
	snprintf(name, sizeof(name), "sys/system/cpu/cpu%u/cpufreq/scaling_cur_freq", cpu);
	tree_printf(&m->tree, name, "2400000\n");
}

static void make_nodes(struct large_machine *m)
{
	uint32_t a_node = (m->cpus + NODES - 1) / NODES;

	tree_printf(&m->tree, "sys/system/cpu/present", "0-%u\n", m->cpus - 1);
	tree_printf(&m->tree, "sys/system/node/online", "0-%u\n", NODES - 1);
	for (uint32_t node = 0; node < NODES; node++) {
		char name[64];

		snprintf(name, sizeof(name), "sys/system/node/node%u/cpulist", node);
		tree_printf(&m->tree, name, "%u-%u\n", node * a_node, (node + 1) * a_node - 1);
	}
}

/* Half of the time of each CPU was idle. */
static void write_stat(struct large_machine *m)
{
	uint64_t ticks = 50 * m->refreshes;
	struct buf text = { 0 };

	buf_printf(&text, "cpu  %llu 0 0 %llu 0 0 0 0 0 0\n", (unsigned long long)(ticks * m->cpus),
		   (unsigned long long)(ticks * m->cpus));
	for (uint32_t i = 0; i < m->cpus; i++)
		buf_printf(&text, "cpu%u %llu 0 0 %llu 0 0 0 0 0 0\n", i, (unsigned long long)ticks,
			   (unsigned long long)ticks);
	buf_printf(&text, "btime 1700000000\nprocesses 100\n");
	tree_write(&m->tree, "stat", text.bytes, text.size);
	buf_fini(&text);
}

void large_machine_init(struct large_machine *m, uint32_t processes, uint32_t groups, uint32_t cpus,
			unsigned extras)
{
	memset(m, 0, sizeof(*m));
	m->processes = processes;
	m->groups = groups;
	m->cpus = cpus;
	m->totals = mem_array(cpus, sizeof(*m->totals));
	tree_init(&m->tree);
	tree_printf(&m->tree, "mounts", "cgroup2 %s/tree cgroup2 rw 0 0\n", m->tree.root);
	for (uint32_t i = 0; i < groups; i++)
		make_group(m, i);
	tree_printf(&m->tree, "tree/cgroup.stat", "nr_descendants %u\nnr_dying_descendants 0\n",
		    groups + (groups + GROUPS_A_SLICE - 1) / GROUPS_A_SLICE);
	for (uint32_t i = 0; i < processes; i++)
		make_process(m, i);
	for (uint32_t i = 0; i < cpus; i++)
		make_cpu(m, i);
	make_nodes(m);
	write_stat(m);
	snprintf(m->sys_root, sizeof(m->sys_root), "%s/sys", m->tree.root);
	rig_init(&m->rig, "cpu-clock,page-faults,context-switches", TIER_CPU_GROUP);
	m->clock = (struct clock){ large_now, large_now, m };
	m->marked_ns = clock_thread_cpu_ns();
	m->rig.options.clock = &m->clock;
	m->rig.options.proc_root = m->tree.root;
	m->rig.options.sys_root = m->sys_root;
	m->rig.options.extras = extras;
	m->rig.options.keep_files = PROCESS_FILES_KEPT;
	m->rig.options.layout.sample_type = PERF_SAMPLE_CPU;
	rig_open(&m->rig);
}

void large_machine_fini(struct large_machine *m)
{
	rig_fini(&m->rig);
	tree_fini(&m->tree);
	free(m->totals);
}

void large_machine_run(struct large_machine *m)
{
	uint32_t busy = m->cpus * RAN < m->processes ? m->cpus * RAN : m->processes;

	m->refreshes++;
	write_stat(m);
	for (uint32_t i = 0; i < busy; i++)
		make_task(m, i, 10 * m->refreshes);
	m->marked_ns = clock_thread_cpu_ns();
	for (uint32_t i = 0; i < m->cpus * RAN; i++) {
		uint32_t cpu = i / RAN, pid = LARGE_FIRST_PID + i % busy;
		uint64_t time_ns = m->rig.now_ns + (uint64_t)(i % RAN + 1) * MS;
		struct record r = rig_hot_sample(pid, cpu, time_ns);

		m->totals[cpu] += MS;
		r = rig_with_totals(r, m->totals[cpu], m->totals[cpu] / 1000);
		fake_value(&r, 2, m->totals[cpu] / MS);
		engine_receive(m->rig.engine, &r);
	}
}

const struct snapshot *large_machine_snapshot(struct large_machine *m, const uint32_t *visible,
					      size_t count)
{
	const struct engine_request request = { .source = m->rig.source,
						.visible = visible,
						.visible_count = count };

	m->rig.now_ns += NS_PER_S;
	m->marked_ns = clock_thread_cpu_ns();
	snapshot_free(m->rig.snapshot);
	m->rig.snapshot = engine_snapshot(m->rig.engine, &request);
	return m->rig.snapshot;
}
