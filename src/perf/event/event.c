/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "perf/event/event.h"

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/i18n.h"

#define HARDWARE(id) .type = PERF_TYPE_HARDWARE, .config = PERF_COUNT_HW_##id
#define SOFTWARE(id) .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_##id

#define NETWORK(id) .type = EVENT_TYPE_NETWORK, .config = EVENT_NETWORK_##id
#define TIME(id) .type = EVENT_TYPE_TIME, .config = EVENT_TIME_##id

/* clang-format off */
static const struct event_info event_table[EVENT_IDS] = {
	[EVENT_CYCLES] = { "cycles", "cpu-cycles", HARDWARE(CPU_CYCLES), .use = EVENT_DEFAULT_SAMPLE,
	  .help = N_("cycles of the CPU, at its present frequency") },
	[EVENT_INSTRUCTIONS] = { "instructions", NULL, HARDWARE(INSTRUCTIONS), .use = EVENT_DEFAULT_COUNT,
	  .help = N_("instructions that were completed") },
	[EVENT_CACHE_REFERENCES] = { "cache-references", NULL, HARDWARE(CACHE_REFERENCES), .use = EVENT_DEFAULT_COUNT,
	  .help = N_("accesses to the last-level cache, as a rule") },
	[EVENT_CACHE_MISSES] = { "cache-misses", NULL, HARDWARE(CACHE_MISSES), .use = EVENT_DEFAULT_COUNT,
	  .help = N_("accesses that the last-level cache could not serve, as a rule") },
	[EVENT_BRANCHES] = { "branches", "branch-instructions", HARDWARE(BRANCH_INSTRUCTIONS),
	  .use = EVENT_DEFAULT_COUNT, .help = N_("branch instructions that were completed") },
	[EVENT_BRANCH_MISSES] = { "branch-misses", NULL, HARDWARE(BRANCH_MISSES), .use = EVENT_DEFAULT_COUNT,
	  .help = N_("branches that were predicted wrongly") },
	[EVENT_BUS_CYCLES] = { "bus-cycles", NULL, HARDWARE(BUS_CYCLES), .help = N_("cycles of the bus") },
	[EVENT_STALLED_FRONTEND] = { "stalled-cycles-frontend", "idle-cycles-frontend", HARDWARE(STALLED_CYCLES_FRONTEND),
	  .help = N_("cycles in which no instruction could be issued for want of any") },
	[EVENT_STALLED_BACKEND] = { "stalled-cycles-backend", "idle-cycles-backend", HARDWARE(STALLED_CYCLES_BACKEND),
	  .help = N_("cycles in which an instruction waited for data or for a unit") },
	[EVENT_REF_CYCLES] = { "ref-cycles", NULL, HARDWARE(REF_CPU_CYCLES),
	  .help = N_("cycles at a fixed frequency, whatever the CPU's present one") },
	[EVENT_CPU_CLOCK] = { "cpu-clock", NULL, SOFTWARE(CPU_CLOCK),
	  .help = N_("time, in ns, by the timer of each CPU") },
	[EVENT_TASK_CLOCK] = { "task-clock", NULL, SOFTWARE(TASK_CLOCK), .use = EVENT_DEFAULT_COUNT,
	  .help = N_("time, in ns, in which the task was running") },
	[EVENT_PAGE_FAULTS] = { "page-faults", "faults", SOFTWARE(PAGE_FAULTS), .use = EVENT_DEFAULT_COUNT,
	  .help = N_("page faults of both kinds") },
	[EVENT_CONTEXT_SWITCHES] = { "context-switches", "cs", SOFTWARE(CONTEXT_SWITCHES), .use = EVENT_DEFAULT_COUNT,
	  .help = N_("switches from one task to another") },
	[EVENT_CPU_MIGRATIONS] = { "cpu-migrations", "migrations", SOFTWARE(CPU_MIGRATIONS), .use = EVENT_DEFAULT_COUNT,
	  .help = N_("moves of a task to another CPU") },
	[EVENT_MINOR_FAULTS] = { "minor-faults", NULL, SOFTWARE(PAGE_FAULTS_MIN), .use = EVENT_DEFAULT_COUNT,
	  .help = N_("page faults that needed no input or output") },
	[EVENT_MAJOR_FAULTS] = { "major-faults", NULL, SOFTWARE(PAGE_FAULTS_MAJ), .use = EVENT_DEFAULT_COUNT,
	  .help = N_("page faults that waited for input or output") },
	[EVENT_ALIGNMENT_FAULTS] = { "alignment-faults", NULL, SOFTWARE(ALIGNMENT_FAULTS),
	  .help = N_("unaligned accesses that the kernel had to carry out") },
	[EVENT_EMULATION_FAULTS] = { "emulation-faults", NULL, SOFTWARE(EMULATION_FAULTS),
	  .help = N_("instructions that the kernel had to emulate") },
	[EVENT_DUMMY] = { "dummy", NULL, SOFTWARE(DUMMY), .help = N_("counts nothing; carries other records") },
	[EVENT_BPF_OUTPUT] = { "bpf-output", NULL, SOFTWARE(BPF_OUTPUT), .help = N_("data written by BPF programs") },
	[EVENT_CGROUP_SWITCHES] = { "cgroup-switches", NULL, SOFTWARE(CGROUP_SWITCHES),
	  .help = N_("switches to a task of another cgroup") },
	[EVENT_OFF_CPU] = { "off-cpu", NULL, TIME(OFF_CPU),
	  .help = N_("time, in ns, that threads wait, under the stack that they wait in") },
	[EVENT_WALL_CLOCK] = { "wall-clock", NULL, TIME(WALL_CLOCK),
	  .help = N_("time, in ns, that threads spend, running or waiting") },
	[EVENT_RUN_DELAY] = { "run-delay", NULL, TIME(RUN_DELAY),
	  .help = N_("time, in ns, that threads could run, and wait for a CPU: from the wake-up, or "
		     "since they were preempted") },
	[EVENT_WAKERS] = { "wakers", NULL, TIME(WAKERS),
	  .help = N_("time, in ns, of waits that a wake-up ended, under the stack that waited and who woke it, "
		     "and woke that one") },
	[EVENT_LATENCY] = { "latency", NULL, TIME(LATENCY),
	  .help = N_("time, in ns, that threads run, divided by how many of them run at that moment: what "
		     "bounds the elapsed time") },
	[EVENT_SYSCALLS] = { "syscalls", NULL, TIME(SYSCALLS),
	  .help = N_("time, in ns, that threads spend in system calls, by call and error") },
	[EVENT_NET_SENT] = { "net-sent", NULL, NETWORK(SENT),
	  .help = N_("bytes that tasks send by internet sockets; only counted") },
	[EVENT_NET_RECEIVED] = { "net-received", NULL, NETWORK(RECEIVED),
	  .help = N_("bytes that tasks receive by internet sockets; only counted") },
};
/* clang-format on */

bool event_type_is_made(uint32_t type)
{
	return type == EVENT_TYPE_TIME || type == EVENT_TYPE_NETWORK;
}

const struct event_info *event_at(enum event_id id)
{
	return &event_table[id];
}

enum event_id event_id_of(uint32_t type, uint64_t config)
{
	for (enum event_id id = EVENT_OTHER + 1; id < EVENT_IDS; id++) {
		if (event_table[id].type == type && event_table[id].config == config)
			return id;
	}
	return EVENT_OTHER;
}

static bool name_is(const char *want, const char *name, size_t size)
{
	return want && strlen(want) == size && !memcmp(want, name, size);
}

const struct event_info *event_find(const char *name, size_t size)
{
	for (enum event_id id = EVENT_OTHER + 1; id < EVENT_IDS; id++) {
		const struct event_info *e = &event_table[id];

		if (name_is(e->name, name, size) || name_is(e->alias, name, size))
			return e;
	}
	return NULL;
}

/* A part of a cache event's name; its value is the row's index, its first spelling canonical. */
#define SPELLINGS 8

struct cache_part {
	const char *names[SPELLINGS];
	unsigned int operations; /* of a cache: bit set of the ones that exist */
};

enum { OP_READ = 1 << 0, OP_WRITE = 1 << 1, OP_PREFETCH = 1 << 2 };

static const struct cache_part caches[] = {
	{ { "L1-dcache", "l1-d", "l1d", "L1-data" }, OP_READ | OP_WRITE | OP_PREFETCH },
	{ { "L1-icache", "l1-i", "l1i", "L1-instruction" }, OP_READ | OP_PREFETCH },
	{ { "LLC", "L2" }, OP_READ | OP_WRITE | OP_PREFETCH },
	{ { "dTLB", "d-tlb", "Data-TLB" }, OP_READ | OP_WRITE | OP_PREFETCH },
	{ { "iTLB", "i-tlb", "Instruction-TLB" }, OP_READ },
	{ { "branch", "branches", "bpu", "btb", "bpc" }, OP_READ },
	{ { "node" }, OP_READ | OP_WRITE | OP_PREFETCH },
};

/* The plural is canonical when the access itself is counted: LLC-loads, but LLC-load-misses. */
static const struct cache_part operations[] = {
	{ .names = { "load", "loads", "read" } },
	{ .names = { "store", "stores", "write" } },
	{ .names = { "prefetch", "prefetches", "speculative-read", "speculative-load" } },
};

static const struct cache_part results[] = {
	{ .names = { "refs", "Reference", "ops", "access" } },
	{ .names = { "misses", "miss" } },
};

#define ROWS(table) (sizeof(table) / sizeof((table)[0]))

/*
 * The row of TABLE that *NAME begins with, up to its end or a '-'; moved behind both.  The longest
 * spelling wins ("L1-d" is no prefix of "L1-dcache").  -1 when none does, and *NAME is unmoved.
 */
static int part_take(const struct cache_part *table, size_t rows, const char **name, size_t *size)
{
	size_t longest = 0;
	int found = -1;

	for (size_t i = 0; i < rows * SPELLINGS; i++) {
		const char *spelling = table[i / SPELLINGS].names[i % SPELLINGS];
		size_t n = spelling ? strlen(spelling) : 0;

		if (n <= longest || n > *size || strncasecmp(spelling, *name, n))
			continue;
		if (n < *size && ((*name)[n] != '-' || n + 1 == *size))
			continue;
		longest = n;
		found = (int)(i / SPELLINGS);
	}
	if (found < 0)
		return -1;
	longest += longest < *size;
	*name += longest;
	*size -= longest;
	return found;
}

int event_cache_parse(const char *name, size_t size, uint64_t *config)
{
	int cache = part_take(caches, ROWS(caches), &name, &size);
	int operation = -1, result = -1;

	if (cache < 0)
		return -1;
	for (int i = 0; i < 2 && size; i++) {
		if (operation < 0)
			operation = part_take(operations, ROWS(operations), &name, &size);
		if (result < 0)
			result = part_take(results, ROWS(results), &name, &size);
	}
	if (size)
		return -1;
	operation = operation < 0 ? 0 : operation;
	result = result < 0 ? 0 : result;
	if (!(caches[cache].operations & (1u << operation)))
		return -1;
	*config = (uint64_t)cache | (uint64_t)operation << 8 | (uint64_t)result << 16;
	return 0;
}

int event_cache_format(uint64_t config, char name[EVENT_CACHE_NAME_MAX])
{
	uint64_t cache = config & 0xff, operation = config >> 8 & 0xff, result = config >> 16;

	if (cache >= ROWS(caches) || operation >= ROWS(operations) || result >= ROWS(results))
		return -1;
	if (!(caches[cache].operations & (1u << operation)))
		return -1;
	if (result)
		snprintf(name, EVENT_CACHE_NAME_MAX, "%s-%s-%s", caches[cache].names[0],
			 operations[operation].names[0], results[result].names[0]);
	else
		snprintf(name, EVENT_CACHE_NAME_MAX, "%s-%s", caches[cache].names[0],
			 operations[operation].names[1]);
	return 0;
}

int event_cache_next(size_t *cursor, uint64_t *config, char name[EVENT_CACHE_NAME_MAX])
{
	const size_t per_cache = ROWS(operations) * ROWS(results);

	while (*cursor < ROWS(caches) * per_cache) {
		size_t i = (*cursor)++;

		*config = i / per_cache | i % per_cache / ROWS(results) << 8 |
			  i % ROWS(results) << 16;
		if (!event_cache_format(*config, name))
			return 0;
	}
	return -1;
}
