/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "proc/host.h"

#include <math.h>
#include <string.h>

#include "proc/cpu-shares.h"

/* /proc/stat has some 100 bytes for each CPU and a few for each interrupt. */
#define HOST_TEXT_LIMIT (4 * 1024 * 1024)

void host_init(struct host *h, const char *sys_root, const struct clock *clock)
{
	memset(h, 0, sizeof(*h));
	h->clock = clock;
	h->pressure = pressure_unknown;
	cpus_init(&h->cpus_each, sys_root ? sys_root : "/sys/devices", clock);
	if (uname(&h->system))
		memset(&h->system, 0, sizeof(h->system));
}

void host_fini(struct host *h)
{
	buf_fini(&h->text);
	cpus_fini(&h->cpus_each);
}

void host_watch_cpus(struct host *h, bool watch)
{
	if (!watch)
		cpus_forget(&h->cpus_each);
	h->watches_cpus = watch;
}

static void host_no_shares(struct host *h)
{
	h->cpu_percent = h->user_percent = h->system_percent = NAN;
	h->idle_percent = h->iowait_percent = h->steal_percent = NAN;
}

static void host_shares(struct host *h, const struct host_stat *now, double passed_ticks)
{
	/* Where a CPU came or went meanwhile, nobody knows how much time there was. */
	double passed = now->cpus == h->last.cpus ? now->cpus * passed_ticks : 0;
	double percent[CPU_TICKS];

	if (!cpu_shares(h->last.ticks, now->ticks, passed, percent))
		return;
	h->user_percent = percent[CPU_TICK_USER] + percent[CPU_TICK_NICE];
	h->system_percent =
		percent[CPU_TICK_SYSTEM] + percent[CPU_TICK_IRQ] + percent[CPU_TICK_SOFTIRQ];
	h->idle_percent = percent[CPU_TICK_IDLE];
	h->iowait_percent = percent[CPU_TICK_IOWAIT];
	h->steal_percent = percent[CPU_TICK_STEAL];
	h->cpu_percent = h->user_percent + h->system_percent + h->steal_percent;
}

/* Reads all of NAME into h->text.  Returns false on failure. */
static bool host_text(struct host *h, const struct procfs *procfs, const char *name)
{
	return procfs_read_whole(procfs, name, &h->text, HOST_TEXT_LIMIT) > 0;
}

static void host_read_cpus(struct host *h, const struct procfs *procfs)
{
	uint64_t before_ns = h->read_ns;
	struct host_stat now;
	double passed_ticks;

	host_no_shares(h);
	h->running = -1;
	h->cpus = 0;
	if (!host_text(h, procfs, "stat") || host_stat_parse(h->text.bytes, h->text.size, &now)) {
		h->read = false;
		cpus_forget(&h->cpus_each);
		return;
	}
	h->read_ns = clock_monotonic_ns(h->clock);
	passed_ticks = (double)(h->read_ns - before_ns) / 1e9 * (double)procfs->ticks_per_s;
	if (h->read)
		host_shares(h, &now, passed_ticks);
	h->last = now;
	h->read = true;
	h->running = now.running;
	h->cpus = now.cpus;
	if (h->watches_cpus)
		cpus_refresh(&h->cpus_each, procfs, &h->text, passed_ticks);
}

/* Kernels before 3.14 do not say what is available. */
static uint64_t memory_used_kib(const struct host_memory *m)
{
	uint64_t available = m->available_kib ? m->available_kib : m->free_kib;

	return m->total_kib - (available < m->total_kib ? available : m->total_kib);
}

static void host_read_memory(struct host *h, const struct procfs *procfs)
{
	struct host_memory m;

	h->memory_total_bytes = h->memory_used_bytes = -1;
	h->swap_total_bytes = h->swap_used_bytes = -1;
	if (!host_text(h, procfs, "meminfo") || host_memory_parse(h->text.bytes, h->text.size, &m))
		return;
	h->memory_total_bytes = (int64_t)(m.total_kib * 1024);
	h->memory_used_bytes = (int64_t)(memory_used_kib(&m) * 1024);
	h->swap_total_bytes = (int64_t)(m.swap_total_kib * 1024);
	h->swap_used_bytes = (int64_t)((m.swap_total_kib - m.swap_free_kib) * 1024);
}

static void host_read_load(struct host *h, const struct procfs *procfs)
{
	struct host_load load;

	h->load[0] = h->load[1] = h->load[2] = NAN;
	h->tasks = -1;
	h->uptime_s = NAN;
	if (host_text(h, procfs, "loadavg") &&
	    !host_load_parse(h->text.bytes, h->text.size, &load)) {
		memcpy(h->load, load.load, sizeof(h->load));
		h->tasks = load.tasks;
	}
	if (host_text(h, procfs, "uptime"))
		host_uptime_parse(h->text.bytes, h->text.size, &h->uptime_s);
}

void host_refresh(struct host *h, const struct procfs *procfs)
{
	host_read_cpus(h, procfs);
	host_read_memory(h, procfs);
	host_read_load(h, procfs);
	h->pressure = pressure_refresh(&h->waits, procfs, clock_monotonic_ns(h->clock));
}
