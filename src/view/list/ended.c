/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/list/ended.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/hash.h"
#include "base/i18n.h"
#include "view/list/process-entry.h"

#define DEPTH_MAX 64 /* ancestors that ended; a cycle has no end */

struct group {
	uint64_t key;
	size_t at;       /* entry */
	size_t count;    /* processes */
	uint32_t parent; /* previous index of the entry with most CPU time */
	double most;     /* percent of that entry */
};

struct fold {
	struct ended *to;
	const struct snapshot *s;
	struct process_entry *entries;
	const uint32_t *parents;
	struct group *groups;
	size_t group_count;
	uint32_t *group_of; /* by previous index of the entry: group + 1; 0: none */
};

static uint64_t key_of(const struct fold *f, size_t i, int depth)
{
	const struct snapshot_process *p = f->entries[i].process;
	uint64_t above = 0;

	if (!p->exited || depth == DEPTH_MAX)
		return hash_u64(p->serial);
	if (f->parents && f->parents[i] != i)
		above = key_of(f, f->parents[i], depth + 1);
	return hash_u64(above ^ hash_bytes(p->comm, strlen(p->comm)) ^
			((uint64_t)p->uid << 1 | f->entries[i].passes));
}

/* The key of each entry; 0: it still runs. */
static uint64_t *keys_make(const struct fold *f, size_t count)
{
	uint64_t *keys = mem_array(count, sizeof(*keys));

	for (size_t i = 0; i < count; i++)
		keys[i] = f->entries[i].process->exited ? key_of(f, i, 0) | 1 : 0;
	return keys;
}

static double plus(double a, double b)
{
	return isnan(a) ? b : isnan(b) ? a : a + b;
}

static int64_t plus_count(int64_t a, int64_t b)
{
	return a < 0 ? b : b < 0 ? a : a + b;
}

static void counters_add(const struct fold *f, size_t group, const double *counters)
{
	size_t events = f->s->event_count;
	double *to = f->to->counters + group * events;
	struct snapshot_process *row = &f->to->rows[group];

	if (!counters || !row->counters)
		return;
	for (size_t i = 0; i < events; i++)
		to[i] = plus(row->counters[i], counters[i]);
	row->counters = to;
}

/* Adds the amounts used by P to ROW. */
static void process_add(struct snapshot_process *row, const struct snapshot_process *p)
{
	row->cpu_percent = plus(row->cpu_percent, p->cpu_percent);
	row->cpu_time_s = plus(row->cpu_time_s, p->cpu_time_s);
	row->minor_faults = plus_count(row->minor_faults, p->minor_faults);
	row->major_faults = plus_count(row->major_faults, p->major_faults);
	row->voluntary_switches = plus_count(row->voluntary_switches, p->voluntary_switches);
	row->involuntary_switches = plus_count(row->involuntary_switches, p->involuntary_switches);
	row->read_bytes = plus_count(row->read_bytes, p->read_bytes);
	row->written_bytes = plus_count(row->written_bytes, p->written_bytes);
	row->cancelled_bytes = plus_count(row->cancelled_bytes, p->cancelled_bytes);
	row->io_calls = plus_count(row->io_calls, p->io_calls);
	row->delay_ns = plus_count(row->delay_ns, p->delay_ns);
	row->samples += p->samples;
	row->sampled |= p->sampled;
	row->threads = -1;
	row->virtual_bytes = row->resident_bytes = row->shared_bytes = -1;
	row->proportional_bytes = row->swap_bytes = -1;
}

static void entry_add(struct process_entry *to, const struct process_entry *e)
{
	to->samples = plus(to->samples, e->samples);
	to->base_samples = plus(to->base_samples, e->base_samples);
	to->shown = plus(to->shown, e->shown);
	to->samples_percent = plus(to->samples_percent, e->samples_percent);
	to->delta_percent = plus(to->delta_percent, e->delta_percent);
}

/* Starts a group with entry I, copied to E; its new index is AT. */
static void group_begin(struct fold *f, const struct process_entry *e, size_t i, size_t at,
			uint64_t key)
{
	struct snapshot_process *row = &f->to->rows[f->group_count];

	*row = *e->process;
	f->groups[f->group_count++] = (struct group){
		.key = key,
		.at = at,
		.count = 1,
		.most = e->process->cpu_percent,
		.parent = f->parents ? f->parents[i] : (uint32_t)i,
	};
	f->entries[at] = *e;
	f->entries[at].process = row;
}

static void group_join(struct fold *f, size_t group, const struct process_entry *e, size_t i)
{
	struct snapshot_process *row = &f->to->rows[group];
	const struct snapshot_process *p = e->process;
	struct group *g = &f->groups[group];

	process_add(row, p);
	counters_add(f, group, p->counters);
	entry_add(&f->entries[g->at], e);
	f->entries[g->at].key = g->key;
	g->count++;
	if (!(p->cpu_percent > g->most) && !isnan(g->most))
		return;
	g->most = p->cpu_percent;
	row->pid = p->pid;
	row->tid = p->tid;
	row->serial = p->serial;
	row->ppid = p->ppid;
	if (f->parents)
		g->parent = f->parents[i];
}

/* Names the number of processes in each group, and puts the group below that of its parent. */
static void groups_finish(struct fold *f)
{
	for (size_t i = 0; i < f->group_count; i++) {
		const struct group *g = &f->groups[i];
		struct snapshot_process *row = &f->to->rows[i];
		uint32_t above = f->group_of[g->parent];
		struct buf text = { 0 };

		if (f->parents && above && above - 1 != i)
			row->ppid = f->to->rows[above - 1].pid;
		if (g->count == 1)
			continue;
		buf_printf(&text, _("%s (%zu exited)"), row->comm, g->count);
		row->command = strtab_add(f->to->texts, text.bytes);
		buf_fini(&text);
	}
}

static size_t entries_fold(struct fold *f, size_t count, const uint64_t *keys)
{
	struct map by_key = { 0 };
	size_t to = 0;

	for (size_t i = 0; i < count; i++) {
		const struct process_entry e = f->entries[i];
		uintptr_t group = keys[i] ? (uintptr_t)map_find(&by_key, keys[i]) : 0;

		if (!keys[i]) {
			f->entries[to++] = e;
			continue;
		}
		if (group) {
			group_join(f, group - 1, &e, i);
		} else {
			group_begin(f, &e, i, to++, keys[i]);
			group = f->group_count;
			map_put(&by_key, keys[i], (void *)group);
		}
		f->group_of[i] = (uint32_t)group;
	}
	map_fini(&by_key);
	return to;
}

size_t ended_fold(struct ended *e, const struct snapshot *s, struct process_entry *entries,
		  size_t count, const uint32_t *parents)
{
	struct fold f = { .to = e, .s = s, .entries = entries, .parents = parents };
	size_t ended = 0;
	uint64_t *keys;

	ended_fini(e);
	for (size_t i = 0; i < count; i++)
		ended += entries[i].process->exited;
	if (!ended)
		return count;
	e->rows = mem_array(ended, sizeof(*e->rows));
	e->counters = mem_array(ended * s->event_count, sizeof(*e->counters));
	e->texts = strtab_new();
	f.groups = mem_array(ended, sizeof(*f.groups));
	f.group_of = mem_array(count, sizeof(*f.group_of));
	keys = keys_make(&f, count);
	count = entries_fold(&f, count, keys);
	groups_finish(&f);
	mem_free(keys, f.groups, f.group_of);
	return count;
}

void ended_fini(struct ended *e)
{
	free(e->rows);
	free(e->counters);
	strtab_free(e->texts);
	*e = (struct ended){ 0 };
}
