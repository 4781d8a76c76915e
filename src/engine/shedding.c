/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/shedding.h"

#include <malloc.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "engine/engine-state.h"
#include "worker/zygote.h"

#define KEEP_NS (NS_PER_S / 2)  /* between two looks */
#define TRIM_NS (10 * NS_PER_S) /* between two times when free memory goes back; see give_back() */
#define RULES_IDLE_NS (120 * NS_PER_S)
#define SYMBOLS_IDLE_NS (180 * NS_PER_S) /* a person may look at names of a while ago */
#define WORKERS_AT_ONCE \
	2 /* that grow: one reads symbols, one lines; others wait with what they have */

static uint64_t rules_bytes(const struct engine *e)
{
	return e->unwinding ? unwinding_bytes(e->unwinding) : 0;
}

static void shed_rules(struct engine *e, uint64_t bytes)
{
	if (e->unwinding)
		unwinding_shed(e->unwinding, 0, bytes);
}

static uint64_t symbols_bytes(const struct engine *e)
{
	return dso_cache_symbol_bytes(e->objects);
}

static void shed_symbols(struct engine *e, uint64_t bytes)
{
	dso_cache_shed(e->objects, SYMBOLS_IDLE_NS, bytes);
}

static uint64_t mappings_bytes(const struct engine *e)
{
	return process_table_maps_stats(e->processes).bytes;
}

static void shed_mappings(struct engine *e, uint64_t bytes)
{
	process_table_shed_maps(e->processes, bytes);
}

static uint64_t control_groups_bytes(const struct engine *e)
{
	return e->groups ? groups_bytes(e->groups) : 0;
}

static void shed_groups(struct engine *e, uint64_t bytes)
{
	if (e->groups)
		groups_shed(e->groups, bytes);
}

static uint64_t past_bytes(const struct engine *e)
{
	return windows_bytes(e->windows) + watch_past_bytes(e->watch);
}

/* Both become coarser alike. */
static void shed_past(struct engine *e, uint64_t bytes)
{
	windows_shed(e->windows, bytes / 2);
	watch_shed_past(e->watch, bytes / 2);
}

static uint64_t stacks_bytes(const struct engine *e)
{
	return chains_bytes(e->chains);
}

static void shed_stacks(struct engine *e, uint64_t bytes)
{
	(void)bytes;
	chains_shed(e->chains);
}

static uint64_t cells_bytes(const struct engine *e)
{
	return histogram_bytes(e->histogram) +
	       (e->watch ? histogram_bytes(watch_addresses(e->watch)) : 0);
}

static uint64_t functions_bytes(const struct engine *e)
{
	return frame_table_bytes(e->frames);
}

static uint64_t inlined_bytes(const struct engine *e)
{
	return e->inlines ? inlines_bytes(e->inlines) : 0;
}

static uint64_t data_bytes(const struct engine *e)
{
	return e->data ? data_names_bytes(e->data) : 0;
}

static uint64_t objects_bytes(const struct engine *e)
{
	return dso_cache_object_bytes(e->objects);
}

static uint64_t tasks_bytes(const struct engine *e)
{
	return process_table_bytes(e->processes);
}

static uint64_t workers_bytes(const struct engine *e)
{
	return zygote_resident_bytes(e->options.zygote);
}

/* Those without a `shed` keep to what they may have by themselves. */
static const struct {
	uint64_t (*bytes)(const struct engine *e);
	void (*shed)(struct engine *e, uint64_t bytes);
} tables[ACCOUNT_TABLES] = {
	[ACCOUNT_RULES] = { rules_bytes, shed_rules },
	[ACCOUNT_SYMBOLS] = { symbols_bytes, shed_symbols },
	[ACCOUNT_MAPPINGS] = { mappings_bytes, shed_mappings },
	[ACCOUNT_GROUPS] = { control_groups_bytes, shed_groups },
	[ACCOUNT_PAST] = { past_bytes, shed_past },
	[ACCOUNT_STACKS] = { stacks_bytes, shed_stacks },
	[ACCOUNT_CELLS] = { cells_bytes, NULL },
	[ACCOUNT_FUNCTIONS] = { functions_bytes, NULL },
	[ACCOUNT_INLINED] = { inlined_bytes, NULL },
	[ACCOUNT_DATA] = { data_bytes, NULL },
	[ACCOUNT_OBJECTS] = { objects_bytes, NULL },
	[ACCOUNT_TASKS] = { tasks_bytes, NULL },
	[ACCOUNT_WORKERS] = { workers_bytes, NULL },
};

/* "7312 1043 …": the second number of statm is what is in memory, in pages. */
static uint64_t own_resident_bytes(const struct procfs *p)
{
	char text[128];
	struct task_statm statm;
	ssize_t n = procfs_read(p, "self/statm", text, sizeof(text));

	if (n < 0 || task_statm_parse(text, (size_t)n, &statm))
		return 0;
	return statm.resident_pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

static uint64_t survey(struct engine *e)
{
	struct account_sums *a = &e->account;
	uint64_t sum = 0;

	process_table_count_bytes(e->processes);
	for (size_t i = 0; i < ACCOUNT_TABLES; i++) {
		a->bytes[i] = tables[i].bytes(e);
		sum += a->bytes[i];
	}
	a->resident = own_resident_bytes(&e->procfs);
	if (a->resident)
		a->resident += a->bytes[ACCOUNT_WORKERS];
	return sum;
}

/* Takes LEFT bytes or fewer from TABLE, which then has KEPT or more.  Returns what it gave. */
static uint64_t shed(struct engine *e, enum account_table table, uint64_t left, uint64_t kept)
{
	struct account_sums *a = &e->account;
	uint64_t had = a->bytes[table], gave;

	if (!left || had <= kept || !tables[table].shed)
		return 0;
	tables[table].shed(e, had - kept < left ? kept : had - left);
	a->bytes[table] = tables[table].bytes(e);
	gave = had > a->bytes[table] ? had - a->bytes[table] : 0;
	a->shed[table] += gave;
	e->shed_bytes += gave;
	return gave;
}

/* Each table alone: a quarter is free afterwards, so that it takes a while to the next time. */
static bool keep_parts(struct engine *e)
{
	uint64_t gave = 0;

	for (enum account_table i = 0; i < ACCOUNT_TABLES; i++) {
		uint64_t most = account_most(e->account.limit, i), has = e->account.bytes[i];

		if (has > most)
			gave += shed(e, i, has - most / 4 * 3, account_least(e->account.limit, i));
	}
	return gave;
}

static bool keep_sum(struct engine *e, uint64_t excess)
{
	uint64_t had = excess;

	for (enum account_table i = 0; i < ACCOUNT_TABLES && excess; i++) {
		uint64_t gave = shed(e, i, excess, account_least(e->account.limit, i));

		excess -= gave < excess ? gave : excess;
	}
	return excess < had;
}

/* The program itself, snapshots and what malloc() holds back have half of the slack. */
static uint64_t excess_of(const struct account_sums *a, uint64_t sum)
{
	uint64_t resident_most = a->limit + ACCOUNT_SLACK_BYTES / 2;
	uint64_t tables_over = sum > a->limit ? sum - a->limit : 0;
	uint64_t resident_over = a->resident > resident_most ? a->resident - resident_most : 0;

	return tables_over > resident_over ? tables_over : resident_over;
}

static void limit_workers(struct engine *e)
{
	const struct account_sums *a = &e->account;
	uint64_t all = a->limit + ACCOUNT_SLACK_BYTES / 2, least = a->limit / 8;
	uint64_t left = all > a->resident ? (all - a->resident) / WORKERS_AT_ONCE : 0;

	zygote_limit_memory(e->options.zygote, left > least ? left : least);
}

/* Unused objects go, though there is room: programs that were built and tried a moment ago. */
static void forget_idle(struct engine *e, uint64_t now_ns)
{
	if (e->unwinding && now_ns > RULES_IDLE_NS)
		unwinding_shed(e->unwinding, now_ns - RULES_IDLE_NS, UINT64_MAX);
	dso_cache_shed(e->objects, SYMBOLS_IDLE_NS, UINT64_MAX);
}

/*
 * free() returns to the kernel only what lies at the end of a heap.  A walk over the heap also returns whole pages between
 * blocks in use; it takes about a millisecond for 50 MB.
 */
static void give_back(struct engine *e, uint64_t now_ns, bool at_once)
{
	if (!at_once && now_ns < e->trim_ns)
		return;
	malloc_trim(0);
	e->trim_ns = now_ns + TRIM_NS;
}

void account_keep(struct engine *e)
{
	uint64_t now_ns = clock_monotonic_ns(e->options.clock), sum;
	bool gave;

	if (!e->has_procfs || now_ns < e->account_ns)
		return;
	e->account_ns = now_ns + KEEP_NS;
	forget_idle(e, now_ns);
	sum = survey(e);
	gave = keep_parts(e);
	gave |= keep_sum(e, excess_of(&e->account, sum));
	give_back(e, now_ns, gave || excess_of(&e->account, 0));
	limit_workers(e);
}
