/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "perf/data/write-machine.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "perf/event/pmu.h"
#include "perf/event/sysfile.h"

#define TEXT_ALIGN 64u     /* NAME_ALIGN in perf's util/header.c */
#define SET_TEXT_MAX 8192u /* CPUs of a socket, "0-63,128-191" */
#define CLOCK_VERSION 1u

static void put_u32(struct buf *b, uint32_t v)
{
	buf_add(b, &v, sizeof(v));
}

static void put_u64(struct buf *b, uint64_t v)
{
	buf_add(b, &v, sizeof(v));
}

void write_text(struct buf *b, const char *text)
{
	size_t size = strlen(text), room = (size / TEXT_ALIGN + 1) * TEXT_ALIGN;

	put_u32(b, (uint32_t)room);
	buf_add(b, text, size);
	for (; size < room; size++)
		buf_add_char(b, '\0');
}

/* Puts U32 to where room was left for it. */
static void fill_u32(struct buf *b, size_t at, uint32_t v)
{
	memcpy(b->bytes + at, &v, sizeof(v));
}

static char *topology_path(const char *sysfs, uint32_t cpu, const char *name)
{
	return mem_printf("%s/devices/system/cpu/cpu%u/topology/%s", sysfs, cpu, name);
}

static bool is_known(char *const *sets, uint32_t count, const char *set)
{
	for (uint32_t i = 0; i < count; i++)
		if (!strcmp(sets[i], set))
			return true;
	return false;
}

/* Each set of CPUs once, as the file NAME of one of them has it; how many there are. */
static uint32_t put_sets(struct buf *b, const char *sysfs, uint32_t cpus, const char *name)
{
	char **sets = mem_array(cpus, sizeof(*sets));
	char *text = mem_alloc(SET_TEXT_MAX);
	size_t at = b->size;
	uint32_t count = 0;

	put_u32(b, 0);
	for (uint32_t cpu = 0; cpu < cpus; cpu++) {
		char *path = topology_path(sysfs, cpu, name);
		bool has = sysfile_read(path, text, SET_TEXT_MAX) > 0;

		free(path);
		if (!has || is_known(sets, count, text))
			continue;
		sets[count++] = mem_strdup(text);
		write_text(b, text);
	}
	fill_u32(b, at, count);
	for (uint32_t i = 0; i < count; i++)
		free(sets[i]);
	free(sets);
	free(text);
	return count;
}

/* A CPU that is off belongs to nothing: -1. */
static void put_number(struct buf *b, const char *sysfs, uint32_t cpu, const char *name)
{
	char *path = topology_path(sysfs, cpu, name);
	uint64_t value;

	put_u32(b, sysfile_number(path, &value) ? UINT32_MAX : (uint32_t)value);
	free(path);
}

void write_topology(struct buf *b, const char *sysfs, uint32_t cpus)
{
	size_t before = b->size, dies;

	if (!put_sets(b, sysfs, cpus, "core_siblings_list")) {
		buf_truncate(b, before);
		return;
	}
	put_sets(b, sysfs, cpus, "thread_siblings_list");
	for (uint32_t cpu = 0; cpu < cpus; cpu++) {
		put_number(b, sysfs, cpu, "core_id");
		put_number(b, sysfs, cpu, "physical_package_id");
	}
	dies = b->size;
	if (!put_sets(b, sysfs, cpus, "die_cpus_list")) {
		buf_truncate(b, dies);
		return;
	}
	for (uint32_t cpu = 0; cpu < cpus; cpu++)
		put_number(b, sysfs, cpu, "die_id");
}

void write_pmus(struct buf *b, const char *sysfs)
{
	const struct event_env env = { .sysfs = sysfs };
	size_t at = b->size;
	uint32_t written = 0;
	char **names;
	int count = pmu_names(&env, "*", &names);

	put_u32(b, 0);
	for (int i = 0; i < count; i++) {
		struct pmu pmu;

		if (pmu_init(&pmu, &env, names[i]))
			continue;
		put_u32(b, pmu.type);
		write_text(b, names[i]);
		pmu_fini(&pmu);
		written++;
	}
	sysfile_names_free(names, count < 0 ? 0 : count);
	fill_u32(b, at, written);
	if (!written)
		buf_truncate(b, at);
}

void write_clock(struct buf *b)
{
	put_u32(b, CLOCK_VERSION);
	put_u32(b, CLOCK_MONOTONIC);
	put_u64(b, clock_realtime_ns(&clock_system));
	put_u64(b, clock_monotonic_ns(&clock_system));
}
