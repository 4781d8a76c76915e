/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "proc/cpus.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/number-list.h"
#include "base/scanner.h"
#include "proc/cpu-shares.h"

#define LIST_BYTES (256 * 1024) /* "0,2,4,…" of CPU_LIMIT CPUs is longer than any real list */
#define CPUINFO_BYTES (8 * 1024 * 1024) /* some 1.5 KiB for each CPU */
#define CACHES 10                       /* more levels and kinds than any CPU has */
#define PATH_BYTES 96
#define CLOCKS_REST 100              /* times as long as reading the clocks took */
#define RESCTRL_ROOT "../fs/resctrl" /* from /sys/devices */
#define CLOCKS_BURST_NS (NS_PER_S / 100)

void cpus_init(struct cpus *c, const char *sys_root, const struct clock *clock)
{
	memset(c, 0, sizeof(*c));
	c->sys_root = sys_root;
	c->clock = clock;
	resctrl_init(&c->resctrl, clock);
}

void cpus_fini(struct cpus *c)
{
	free(c->items);
	buf_fini(&c->text);
	resctrl_fini(&c->resctrl);
}

void cpus_watch(struct cpus *c, bool clocks, bool caches)
{
	if (!caches)
		resctrl_forget(&c->resctrl);
	for (size_t i = 0; !clocks && i < c->count; i++)
		c->items[i].facts.ghz = NAN;
	c->watches_clocks = clocks;
	c->watches_caches = caches;
}

void cpus_forget(struct cpus *c)
{
	for (size_t i = 0; i < c->count; i++)
		c->items[i].read = false;
	resctrl_forget(&c->resctrl);
}

/* The index of the first CPU whose number is not below NUMBER. */
static size_t place_of(const struct cpus *c, uint32_t number)
{
	size_t low = 0, high = c->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (c->items[middle].facts.number < number)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static struct cpu_entry *cpu_find(const struct cpus *c, uint32_t number)
{
	size_t i = place_of(c, number);

	return i < c->count && c->items[i].facts.number == number ? &c->items[i] : NULL;
}

/* The CPU with NUMBER, made if it is new.  Others move then. */
static struct cpu_entry *cpu_make(struct cpus *c, uint32_t number)
{
	size_t i = place_of(c, number);

	if (i < c->count && c->items[i].facts.number == number)
		return &c->items[i];
	mem_grow((void **)&c->items, &c->capacity, c->count + 1, sizeof(*c->items));
	memmove(&c->items[i + 1], &c->items[i], (c->count - i) * sizeof(*c->items));
	c->count++;
	c->items[i] = (struct cpu_entry){ .facts = cpu_unknown, .cache = -1 };
	c->items[i].facts.number = number;
	return &c->items[i];
}

/* Files of /sys. */

/* Replaces the text by that file below the root, as a string.  Returns false if there is none. */
__attribute__((format(printf, 3, 4))) static bool sys_text(struct cpus *c, const struct procfs *sys,
							   const char *format, ...)
{
	char path[PATH_BYTES];
	va_list args;

	va_start(args, format);
	vsnprintf(path, sizeof(path), format, args);
	va_end(args);
	if (procfs_read_whole(sys, path, &c->text, LIST_BYTES) <= 0)
		return false;
	c->text.bytes[c->text.size - (c->text.bytes[c->text.size - 1] == '\n')] = '\0';
	return true;
}

/* The text as a number; -1: it is none. */
static int64_t text_number(const struct cpus *c)
{
	struct scanner s = scanner_of(c->text.bytes, strlen(c->text.bytes));
	uint64_t number;

	return scanner_u64(&s, &number) && number <= INT32_MAX ? (int64_t)number : -1;
}

/* The text as a list of CPUs, or of nodes; empty: it is none. */
static struct number_list text_list(const struct cpus *c)
{
	struct number_list l = { 0 };

	number_list_parse(&l, c->text.bytes, "CPU", 0, CPU_LIMIT - 1, NULL);
	return l;
}

/*
 * The number of the group that the text lists: that of a CPU in it whose FIELD, an offset in struct
 * cpu_place, is known, or else its lowest CPU.
 */
static int32_t text_group(const struct cpus *c, size_t field)
{
	struct number_list l = text_list(c);
	int32_t group = l.count ? (int32_t)l.items[0] : -1;

	for (size_t i = 0; i < l.count; i++) {
		const struct cpu_entry *e = cpu_find(c, l.items[i]);
		int32_t known = e ? *(const int32_t *)((const char *)&e->facts.place + field) : -1;

		if (known >= 0) {
			group = known;
			break;
		}
	}
	number_list_fini(&l);
	return group;
}

/* The kernel lists caches with those near the core first.  Resctrl calls those of level 3 by their numbers. */
static void read_llc(struct cpus *c, const struct procfs *sys, struct cpu_entry *e)
{
	uint32_t number = e->facts.number;
	int i = 0;

	for (; i < CACHES; i++) {
		if (!sys_text(c, sys, "system/cpu/cpu%u/cache/index%d/shared_cpu_list", number, i))
			break;
		e->facts.place.llc = text_group(c, offsetof(struct cpu_place, llc));
	}
	if (i && sys_text(c, sys, "system/cpu/cpu%u/cache/index%d/level", number, i - 1) &&
	    text_number(c) == 3 &&
	    sys_text(c, sys, "system/cpu/cpu%u/cache/index%d/id", number, i - 1))
		e->cache = text_number(c);
}

static void place_cpu(struct cpus *c, const struct procfs *sys, struct cpu_entry *e)
{
	uint32_t number = e->facts.number;

	if (sys_text(c, sys, "system/cpu/cpu%u/topology/thread_siblings_list", number))
		e->facts.place.core = text_group(c, offsetof(struct cpu_place, core));
	if (sys_text(c, sys, "system/cpu/cpu%u/topology/physical_package_id", number))
		e->facts.place.package = (int32_t)text_number(c);
	read_llc(c, sys, e);
	if (sys_text(c, sys, "system/cpu/cpu%u/cpu_capacity", number) && text_number(c) > 0)
		e->capacity = (uint64_t)text_number(c);
}

static void place_nodes(struct cpus *c, const struct procfs *sys)
{
	struct number_list nodes = { 0 };

	if (sys_text(c, sys, "system/node/online"))
		nodes = text_list(c);
	for (size_t i = 0; i < nodes.count; i++) {
		struct number_list members = { 0 };

		if (sys_text(c, sys, "system/node/node%u/cpulist", nodes.items[i]))
			members = text_list(c);
		for (size_t j = 0; j < members.count; j++) {
			struct cpu_entry *e = cpu_find(c, members.items[j]);

			if (e)
				e->facts.place.node = (int32_t)nodes.items[i];
		}
		number_list_fini(&members);
	}
	number_list_fini(&nodes);
}

/* Sets the type of the CPUs that a PMU of their own lists. */
static bool type_listed(struct cpus *c, const struct procfs *sys, const char *pmu, char type)
{
	struct number_list members = { 0 };
	bool any;

	if (sys_text(c, sys, "%s/cpus", pmu))
		members = text_list(c);
	for (size_t i = 0; i < members.count; i++) {
		struct cpu_entry *e = cpu_find(c, members.items[i]);

		if (e)
			e->facts.place.type = type;
	}
	any = members.count;
	number_list_fini(&members);
	return any;
}

/* P cores are those of the largest capacity, where there are others. */
static void type_by_capacity(struct cpus *c)
{
	uint64_t most = 0, least = UINT64_MAX;

	for (size_t i = 0; i < c->count; i++) {
		uint64_t capacity = c->items[i].capacity;

		if (capacity && capacity > most)
			most = capacity;
		if (capacity && capacity < least)
			least = capacity;
	}
	for (size_t i = 0; i < c->count && least < most; i++) {
		struct cpu_entry *e = &c->items[i];

		e->facts.place.type = e->capacity ? e->capacity == most ? 'P' : 'E' : 0;
	}
}

/* Reads the places of CPUs that are online for the first time. */
static void place_new(struct cpus *c, const struct procfs *sys)
{
	bool new = false, typed;

	for (size_t i = 0; i < c->count; i++) {
		struct cpu_entry *e = &c->items[i];

		if (e->placed || !e->facts.online)
			continue;
		place_cpu(c, sys, e);
		e->placed = new = true;
	}
	if (!new)
		return;
	place_nodes(c, sys);
	typed = type_listed(c, sys, "cpu_core", 'P');
	typed |= type_listed(c, sys, "cpu_atom", 'E');
	if (!typed)
		type_by_capacity(c);
	c->no_cpufreq = false;
}

static void find_present(struct cpus *c, const struct procfs *sys)
{
	struct number_list present = { 0 };

	for (size_t i = 0; i < c->count; i++)
		c->items[i].present = c->items[i].facts.online;
	if (sys_text(c, sys, "system/cpu/present"))
		present = text_list(c);
	for (size_t i = 0; i < present.count; i++)
		cpu_make(c, present.items[i])->present = true;
	number_list_fini(&present);
}

/* Clocks. */

/*
 * processor	: 3
 * cpu MHz		: 2394.374
 */
static void clocks_of_cpuinfo(struct cpus *c, const struct procfs *procfs)
{
	struct scanner s, line, name;
	struct cpu_entry *e = NULL;
	uint64_t number;
	double mhz;

	if (procfs_read_whole(procfs, "cpuinfo", &c->text, CPUINFO_BYTES) <= 0)
		return;
	s = scanner_of(c->text.bytes, c->text.size);
	while (scanner_line(&s, &line)) {
		if (!scanner_part(&line, ':', &name))
			continue;
		if (scanner_word(&name, "processor") && scanner_u64(&line, &number))
			e = number < CPU_LIMIT ? cpu_find(c, (uint32_t)number) : NULL;
		else if (e && scanner_word(&name, "cpu MHz") && scanner_decimal(&line, &mhz) &&
			 mhz > 0)
			e->facts.ghz = mhz / 1000;
	}
}

/* In kHz.  Where the first CPU that is online has no such file, none is looked for in others. */
static void read_all_clocks(struct cpus *c, const struct procfs *procfs, const struct procfs *sys)
{
	for (size_t i = 0; i < c->count; i++)
		c->items[i].facts.ghz = NAN;
	for (size_t i = 0; i < c->count && !c->no_cpufreq; i++) {
		struct cpu_entry *e = &c->items[i];

		if (!e->facts.online)
			continue;
		c->no_cpufreq = !sys_text(c, sys, "system/cpu/cpu%u/cpufreq/scaling_cur_freq",
					  e->facts.number);
		if (!c->no_cpufreq && text_number(c) > 0)
			e->facts.ghz = (double)text_number(c) / 1e6;
	}
	if (c->no_cpufreq)
		clocks_of_cpuinfo(c, procfs);
}

static void read_clocks(struct cpus *c, const struct procfs *procfs, const struct procfs *sys)
{
	uint64_t from_ns = clock_monotonic_ns(c->clock);

	if (!c->watches_clocks ||
	    time_share_due(&c->reading, CLOCKS_BURST_NS, CLOCKS_REST) > from_ns)
		return;
	read_all_clocks(c, procfs, sys);
	time_share_charge(&c->reading, from_ns, clock_monotonic_ns(c->clock) - from_ns,
			  CLOCKS_REST);
}

/* Caches. */

/* Returns true if no CPU before I is online and has the same cache. */
static bool is_first_of_cache(const struct cpus *c, size_t i)
{
	bool first = c->items[i].facts.online;

	for (size_t before = 0; before < i && first; before++)
		first = !c->items[before].facts.online ||
			c->items[before].cache != c->items[i].cache;
	return first;
}

static void read_caches(struct cpus *c, const struct procfs *sys)
{
	if (c->watches_caches)
		resctrl_refresh(&c->resctrl, sys->fd, RESCTRL_ROOT);
	for (size_t i = 0; i < c->count; i++) {
		struct cpu_facts *f = &c->items[i].facts;
		const struct resctrl_cache *cache = NULL;

		if (c->resctrl.count && c->items[i].cache >= 0 && is_first_of_cache(c, i))
			cache = resctrl_find(&c->resctrl, (uint32_t)c->items[i].cache);
		f->memory_rate = cache ? cache->figure[RESCTRL_TOTAL] : NAN;
		f->local_rate = cache ? cache->figure[RESCTRL_LOCAL] : NAN;
		f->held_bytes = cache ? cache->figure[RESCTRL_HELD] : NAN;
	}
}

/* Shares. */

static void shares_unknown(struct cpu_facts *f)
{
	f->user_percent = f->system_percent = f->irq_percent = f->softirq_percent = NAN;
	f->steal_percent = f->iowait_percent = f->idle_percent = NAN;
}

static void set_shares(struct cpu_facts *f, const double percent[CPU_TICKS])
{
	f->user_percent = percent[CPU_TICK_USER] + percent[CPU_TICK_NICE];
	f->system_percent = percent[CPU_TICK_SYSTEM];
	f->irq_percent = percent[CPU_TICK_IRQ];
	f->softirq_percent = percent[CPU_TICK_SOFTIRQ];
	f->steal_percent = percent[CPU_TICK_STEAL];
	f->iowait_percent = percent[CPU_TICK_IOWAIT];
	f->idle_percent = percent[CPU_TICK_IDLE];
}

static void read_shares(struct cpus *c, const struct buf *stat, double passed_ticks)
{
	struct scanner s = scanner_of(stat->bytes, stat->size);
	double percent[CPU_TICKS];
	struct cpu_stat now;

	for (size_t i = 0; i < c->count; i++) {
		c->items[i].facts.online = false;
		shares_unknown(&c->items[i].facts);
	}
	while (cpu_stat_next(&s, &now)) {
		struct cpu_entry *e = cpu_make(c, now.number);

		if (e->read && cpu_shares(e->last.ticks, now.ticks, passed_ticks, percent))
			set_shares(&e->facts, percent);
		e->facts.online = e->read = true;
		e->last = now;
	}
	for (size_t i = 0; i < c->count; i++) {
		c->items[i].read &= c->items[i].facts.online;
		if (!c->items[i].read)
			c->items[i].facts.ghz = NAN;
	}
}

void cpus_refresh(struct cpus *c, const struct procfs *procfs, const struct buf *stat,
		  double passed_ticks)
{
	struct procfs sys;

	read_shares(c, stat, passed_ticks);
	procfs_open(&sys, c->sys_root, NULL); /* without it every file is absent */
	find_present(c, &sys);
	place_new(c, &sys);
	read_clocks(c, procfs, &sys);
	read_caches(c, &sys);
	procfs_close(&sys);
}
