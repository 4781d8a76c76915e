/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/list/cpu-rows.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/alloc.h"
#include "view/widget/number.h"
#include "view/widget/text.h"

#define NAME_COLUMNS 7 /* "node1 (", "cpu12 P" */

static const char *const level_names[CPU_LEVELS + 1] = {
	[CPU_LEVEL_CPU] = "cpu",   [CPU_LEVEL_CORE] = "core",       [CPU_LEVEL_LLC] = "llc",
	[CPU_LEVEL_NODE] = "node", [CPU_LEVEL_PACKAGE] = "package", [CPU_LEVEL_MACHINE] = "machine",
	[CPU_LEVEL_AUTO] = "auto",
};

const char *cpu_level_name(enum cpu_level level)
{
	return level_names[level];
}

int cpu_level_find(const char *name)
{
	for (int i = 0; i <= CPU_LEVEL_AUTO; i++) {
		if (!strcasecmp(level_names[i], name))
			return i;
	}
	return -1;
}

/* The number of the group of that LEVEL that a CPU is in; -1: unknown. */
static int32_t number_at(const struct cpu_facts *f, enum cpu_level level)
{
	const int32_t numbers[CPU_LEVELS] = {
		[CPU_LEVEL_CPU] = (int32_t)f->number,   [CPU_LEVEL_CORE] = f->place.core,
		[CPU_LEVEL_LLC] = f->place.llc,         [CPU_LEVEL_NODE] = f->place.node,
		[CPU_LEVEL_PACKAGE] = f->place.package,
	};

	return numbers[level];
}

uint64_t cpu_key(enum cpu_level level, int32_t number)
{
	return (uint64_t)(level + 1) << 32 | (uint32_t)number;
}

static enum cpu_level key_level(uint64_t key)
{
	return (enum cpu_level)((key >> 32) - 1);
}

bool cpu_key_has(uint64_t key, const struct cpu_facts *facts)
{
	return number_at(facts, key_level(key)) == (int32_t)(uint32_t)key;
}

void cpu_key_name(uint64_t key, char name[CPU_NAME_BYTES])
{
	enum cpu_level level = key_level(key);

	if (level == CPU_LEVEL_MACHINE)
		snprintf(name, CPU_NAME_BYTES, "%s", level_names[level]);
	else
		snprintf(name, CPU_NAME_BYTES, "%s%u", level_names[level], (uint32_t)key);
}

bool cpu_row_matches(const struct cpu_row *row, const char *text)
{
	return text_contains(row->name, text) ||
	       (row->branch.top && text_contains(row->branch.top->comm, text));
}

/* The tree. */

struct build {
	struct cpu_rows *rows;
	const struct snapshot *snapshot;
	const struct cpus_request *request;
	bool levels[CPU_LEVELS]; /* which have rows */
	/* Rows of which have whole last-level caches: not CPUs and cores, nor nodes that share one. */
	bool whole_caches[CPU_LEVELS];
	bool *first_of_cache; /* by place in the snapshot: has the figures of its last-level cache */
	struct map by_key;    /* key to item + 1 */
	uint32_t *leaves;     /* by CPU number + 1: its item + 1; 0 none */
	size_t leaf_count;
};

/* The number of groups of LEVEL; 0: it is unknown for some online CPU. */
static size_t groups_at(const struct snapshot *s, enum cpu_level level)
{
	struct map seen = { 0 };
	size_t count = 0;

	for (size_t i = 0; i < s->cpu_count; i++) {
		const struct cpu_facts *f = &s->cpus[i].facts;
		int32_t number = number_at(f, level);

		if (number < 0 && f->online) {
			count = 0;
			break;
		}
		if (number < 0 || map_find(&seen, (uint64_t)number + 1))
			continue;
		map_put(&seen, (uint64_t)number + 1, &seen);
		count++;
	}
	map_fini(&seen);
	return count;
}

/* A level has rows if it parts the machine and joins CPUs.  Where levels are the same, the first one here has. */
static void choose_levels(struct build *b)
{
	static const enum cpu_level order[] = { CPU_LEVEL_NODE, CPU_LEVEL_PACKAGE, CPU_LEVEL_LLC,
						CPU_LEVEL_CORE };
	size_t groups[CPU_LEVELS] = { 0 };

	b->levels[CPU_LEVEL_CPU] = b->levels[CPU_LEVEL_MACHINE] = true;
	for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++) {
		size_t count = groups_at(b->snapshot, order[i]);
		bool new = count > 1 && count < b->snapshot->cpu_count;

		for (size_t j = 0; j < i; j++)
			new &= groups[order[j]] != count;
		groups[order[i]] = count;
		b->levels[order[i]] = new;
	}
}

static void find_caches(struct build *b)
{
	const struct snapshot *s = b->snapshot;
	struct map node_of = { 0 };

	for (int level = CPU_LEVEL_LLC; level <= CPU_LEVEL_MACHINE; level++)
		b->whole_caches[level] = true;
	b->first_of_cache = mem_array(s->cpu_count, sizeof(*b->first_of_cache));
	for (size_t i = 0; i < s->cpu_count; i++) {
		const struct cpu_place *p = &s->cpus[i].facts.place;
		uintptr_t node = (uint32_t)p->node + (uintptr_t)2, known;

		if (p->llc < 0 || !s->cpus[i].facts.online)
			continue;
		known = (uintptr_t)map_find(&node_of, (uint32_t)p->llc);
		b->first_of_cache[i] = !known;
		map_put(&node_of, (uint32_t)p->llc, (void *)node);
		if (known && known != node)
			b->whole_caches[CPU_LEVEL_NODE] = false;
	}
	map_fini(&node_of);
}

static uint32_t item_add(struct build *b, enum cpu_level level, int32_t number, uint32_t parent)
{
	struct cpu_rows *r = b->rows;
	uint64_t key = cpu_key(level, number);
	struct cpu_row *row;

	mem_grow((void **)&r->items, &r->item_capacity, r->item_count + 1, sizeof(*r->items));
	row = &r->items[r->item_count];
	*row = (struct cpu_row){
		.branch = { .key = key, .parent = r->item_count ? parent : 0, .top_percent = NAN },
		.level = level,
		.facts = cpu_unknown,
		.busy_percent = NAN,
		.samples = NAN,
	};
	row->facts.number = (uint32_t)number;
	cpu_key_name(key, row->name);
	map_put(&b->by_key, key, (void *)(uintptr_t)(r->item_count + 1));
	return (uint32_t)r->item_count++;
}

/* The item of the group, or of the CPU, that F has at LEVEL. */
static uint32_t item_of(struct build *b, enum cpu_level level, int32_t number, uint32_t parent)
{
	uintptr_t item = (uintptr_t)map_find(&b->by_key, cpu_key(level, number));

	return item ? (uint32_t)(item - 1) : item_add(b, level, number, parent);
}

static void make_items(struct build *b)
{
	const struct snapshot *s = b->snapshot;

	b->rows->item_count = 0;
	b->leaf_count = s->cpu_count ? s->cpus[s->cpu_count - 1].facts.number + 2u : 0;
	b->leaves = mem_array(b->leaf_count, sizeof(*b->leaves));
	for (size_t i = 0; i < s->cpu_count; i++) {
		const struct cpu_facts *f = &s->cpus[i].facts;
		uint32_t item = item_of(b, CPU_LEVEL_MACHINE, 0, 0);

		for (int level = CPU_LEVEL_PACKAGE; level >= CPU_LEVEL_CPU; level--) {
			int32_t number = number_at(f, (enum cpu_level)level);

			if (b->levels[level] && number >= 0)
				item = item_of(b, (enum cpu_level)level, number, item);
		}
		b->leaves[f->number + 1] = item + 1;
	}
}

/* Sums and means. */

/* Means are sums of COUNT values until the end. */
static const size_t mean_fields[] = {
	offsetof(struct cpu_facts, ghz),
	offsetof(struct cpu_facts, user_percent),
	offsetof(struct cpu_facts, system_percent),
	offsetof(struct cpu_facts, irq_percent),
	offsetof(struct cpu_facts, softirq_percent),
	offsetof(struct cpu_facts, steal_percent),
	offsetof(struct cpu_facts, iowait_percent),
	offsetof(struct cpu_facts, idle_percent),
};

/* Figures of whole last-level caches are sums. */
static const size_t cache_fields[] = {
	offsetof(struct cpu_facts, memory_rate),
	offsetof(struct cpu_facts, local_rate),
	offsetof(struct cpu_facts, held_bytes),
};

#define SUMS (sizeof(cache_fields) / sizeof(cache_fields[0]))
#define MEANS (sizeof(mean_fields) / sizeof(mean_fields[0]))

static double *field_at(struct cpu_facts *f, size_t offset)
{
	return (double *)((char *)f + offset);
}

static double *field_of(struct cpu_facts *f, size_t i)
{
	return field_at(f, mean_fields[i]);
}

/* NAN is nothing: a sum of it alone stays NAN. */
static void add_known(double *sum, double value)
{
	if (!isnan(value))
		*sum = (isnan(*sum) ? 0 : *sum) + value;
}

static void place_join(struct cpu_place *to, const struct cpu_place *from, bool first)
{
	if (first)
		*to = *from;
	to->core = to->core == from->core ? to->core : -1;
	to->llc = to->llc == from->llc ? to->llc : -1;
	to->node = to->node == from->node ? to->node : -1;
	to->package = to->package == from->package ? to->package : -1;
	to->type = to->type == from->type ? to->type : 0;
}

/* Adds CPU to the row, of which COUNTS has the number of values of each mean. */
static void row_add(struct build *b, struct cpu_row *row, const struct snapshot_cpu *cpu,
		    uint32_t *counts)
{
	struct cpu_facts from = cpu->facts;
	double *counters = (double *)row->counters;

	for (size_t i = 0; i < MEANS; i++) {
		add_known(field_of(&row->facts, i), *field_of(&from, i));
		counts[i] += !isnan(*field_of(&from, i));
	}
	for (size_t i = 0; i < b->snapshot->event_count; i++)
		add_known(&counters[i], cpu->counters[i]);
	if (b->request->choice.rows->event >= 0)
		add_known(&row->samples, cpu->samples[b->request->choice.rows->event]);
	place_join(&row->facts.place, &from.place, !row->cpus);
	row->facts.online |= from.online;
	row->cpus++;
	row->online += from.online;
}

static void sum_up(struct build *b)
{
	struct cpu_rows *r = b->rows;
	const struct snapshot *s = b->snapshot;
	uint32_t *counts = mem_array(r->item_count * MEANS, sizeof(*counts));

	free(r->values);
	r->values = mem_array(r->item_count * s->event_count, sizeof(*r->values));
	for (size_t i = 0; i < r->item_count * s->event_count; i++)
		r->values[i] = NAN;
	for (size_t i = 0; i < r->item_count; i++)
		r->items[i].counters = r->values + i * s->event_count;
	for (size_t i = 0; i < s->cpu_count; i++) {
		uint32_t item = b->leaves[s->cpus[i].facts.number + 1] - 1, before;

		do {
			row_add(b, &r->items[item], &s->cpus[i], counts + item * MEANS);
			before = item;
			item = r->items[item].branch.parent;
		} while (item != before);
	}
	for (size_t i = 0; i < r->item_count; i++) {
		struct cpu_row *row = &r->items[i];

		for (size_t j = 0; j < MEANS; j++)
			*field_of(&row->facts, j) =
				number_divide(*field_of(&row->facts, j), counts[i * MEANS + j]);
		row->busy_percent = 100 - row->facts.idle_percent - row->facts.iowait_percent;
	}
	free(counts);
}

/* A sum is unknown if a part of it is. */
static void cache_add(struct cpu_row *row, const struct cpu_facts *from, bool first)
{
	struct cpu_facts cache = *from;

	for (size_t i = 0; i < SUMS; i++) {
		double *sum = field_at(&row->facts, cache_fields[i]);

		*sum = (first ? 0 : *sum) + *field_at(&cache, cache_fields[i]);
	}
}

static void sum_up_caches(struct build *b)
{
	const struct snapshot *s = b->snapshot;
	bool *added = mem_array(b->rows->item_count, sizeof(*added));

	for (size_t i = 0; i < s->cpu_count; i++) {
		uint32_t item = b->leaves[s->cpus[i].facts.number + 1] - 1, before;

		if (!b->first_of_cache[i])
			continue;
		do {
			struct cpu_row *row = &b->rows->items[item];

			if (b->whole_caches[row->level])
				cache_add(row, &s->cpus[i].facts, !added[item]);
			added[item] = true;
			before = item;
			item = row->branch.parent;
		} while (item != before);
	}
	free(added);
}

/* The item of the CPU that C was sampled on. */
static uint32_t item_of_cell(const void *context, const struct snapshot_cell *c)
{
	const struct build *b = context;

	return c->cpu && c->cpu < b->leaf_count ? b->leaves[c->cpu] - 1 : BRANCH_NONE;
}

static void close_at_first(struct build *b)
{
	enum cpu_level level = b->request->level;

	if (level == CPU_LEVEL_AUTO)
		level = b->snapshot->cpu_count > CPUS_FOLDED ? CPU_LEVEL_NODE : CPU_LEVEL_CPU;
	for (size_t i = 0; i < b->rows->item_count; i++)
		b->rows->items[i].branch.closed_at_first = b->rows->items[i].level <= level;
}

static bool row_matches(const void *row, const char *text)
{
	return cpu_row_matches(row, text);
}

static void row_fill(struct column_row *row, const void *item)
{
	row->cpu = item;
}

static const struct branch_kind kind = { NAME_COLUMNS, item_of_cell, row_matches, row_fill };

void cpu_rows_build(struct cpu_rows *r, const struct snapshot *s, const struct rows *rows,
		    const struct cpus_request *q)
{
	struct build b = { .rows = r, .snapshot = s, .request = q };
	const struct branch_request request = { &kind, s, rows, &q->choice, &b };

	choose_levels(&b);
	find_caches(&b);
	make_items(&b);
	sum_up(&b);
	sum_up_caches(&b);
	close_at_first(&b);
	branches_show(&(struct branches){ r->items, r->item_count, sizeof(*r->items) }, &request,
		      &r->shown);
	map_fini(&b.by_key);
	mem_free(b.leaves, b.first_of_cache);
}

void cpu_rows_fini(struct cpu_rows *r)
{
	branch_order_fini(&r->shown);
	mem_free(r->items, r->values);
	memset(r, 0, sizeof(*r));
}
