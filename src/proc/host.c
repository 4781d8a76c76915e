/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "proc/host.h"

#include <math.h>
#include <string.h>

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

/* Some of the kernel's counters (iowait, idle) may step back a little. */
static double delta(uint64_t now, uint64_t before)
{
	return now > before ? (double)(now - before) : 0;
}

static void host_no_shares(struct host *h)
{
	h->cpu_percent = h->user_percent = h->system_percent = NAN;
	h->idle_percent = h->iowait_percent = h->steal_percent = NAN;
}

static void host_shares(struct host *h, const struct host_stat *a, const struct host_stat *b)
{
	double user = delta(b->user, a->user) + delta(b->nice, a->nice);
	double system =
		delta(b->system, a->system) + delta(b->irq, a->irq) + delta(b->softirq, a->softirq);
	double idle = delta(b->idle, a->idle), iowait = delta(b->iowait, a->iowait);
	double steal = delta(b->steal, a->steal);
	double total = user + system + idle + iowait + steal;

	if (total <= 0) /* two readings within a tick */
		return;
	h->user_percent = 100 * user / total;
	h->system_percent = 100 * system / total;
	h->idle_percent = 100 * idle / total;
	h->iowait_percent = 100 * iowait / total;
	h->steal_percent = 100 * steal / total;
	h->cpu_percent = 100 * (user + system + steal) / total;
}

/* Reads all of NAME into h->text.  Returns false on failure. */
static bool host_text(struct host *h, const struct procfs *procfs, const char *name)
{
	return procfs_read_whole(procfs, name, &h->text, HOST_TEXT_LIMIT) > 0;
}

static void host_read_cpus(struct host *h, const struct procfs *procfs)
{
	struct host_stat now;

	host_no_shares(h);
	h->running = -1;
	h->cpus = 0;
	if (!host_text(h, procfs, "stat") || host_stat_parse(h->text.bytes, h->text.size, &now)) {
		h->read = false;
		cpus_forget(&h->cpus_each);
		return;
	}
	if (h->read)
		host_shares(h, &h->last, &now);
	h->last = now;
	h->read = true;
	h->running = now.running;
	h->cpus = now.cpus;
	if (h->watches_cpus)
		cpus_refresh(&h->cpus_each, procfs, h->text.bytes, h->text.size);
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
