/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "engine/engine-state.h"
#include "engine/report.h"

static unsigned files_of(unsigned extras)
{
	static const struct {
		unsigned extra;
		enum group_files file;
	} bits[] = {
		{ EXTRA_GROUP_MEMORY, GROUP_FILE_MEMORY },
		{ EXTRA_GROUP_PIDS, GROUP_FILE_PIDS },
		{ EXTRA_GROUP_IO, GROUP_FILE_IO },
		{ EXTRA_GROUP_CPU, GROUP_FILE_CPU },
		{ EXTRA_GROUP_PRESSURE, GROUP_FILE_PRESSURE },
	};
	unsigned files = 0;

	for (size_t i = 0; i < sizeof(bits) / sizeof(*bits); i++)
		files |= extras & bits[i].extra ? bits[i].file : 0;
	return files;
}

static bool wants_groups(const struct report *r)
{
	return r->e->extras & EXTRA_GROUPS && r->e->has_procfs;
}

void report_read_groups(struct report *r)
{
	struct engine *e = r->e;
	const struct groups_request request = {
		.files = files_of(e->extras),
		.shown = e->group_wish.shown,
		.shown_count = e->group_wish.shown_count,
		.all = e->group_wish.all,
	};

	if (!wants_groups(r))
		return;
	if (!e->groups)
		e->groups = groups_new(&e->procfs, e->options.clock, NULL, e->options.memory_bytes);
	groups_refresh(e->groups, &request);
}

void report_find_group(struct report *r, size_t row, struct process *p)
{
	struct groups *g = r->e->groups;
	struct group_entry *e;

	if (!wants_groups(r))
		return;
	e = groups_at(g, p->group);
	if (!e) {
		p->group = p->cgroup ? groups_find(g, p->cgroup) : 0;
		e = groups_at(g, p->group);
	}
	groups_use(g, e, p->active || p->cpu_percent > 0);
	r->s->processes[row].group = p->group;
	r->group_of[row] = e;
}

/* While the groups are filled: where each is in the snapshot, by its slot; UINT32_MAX: it is not. */
struct places {
	struct groups *groups;
	uint32_t *of;
	uint32_t unknown; /* that of id 0 */
};

/* The place of the group of ROW, which is of a process. */
static uint32_t place_of(const struct report *r, const struct places *p, size_t row)
{
	const struct group_entry *e = r->group_of[row];

	if (!e) /* of the past */
		e = groups_at(p->groups, r->s->processes[row].group);
	return e && p->of[e->slot] != UINT32_MAX ? p->of[e->slot] : p->unknown;
}

/* A group that is gone is shown as long as one of this interval was in it. */
static bool is_shown(const struct report *r, const struct group_entry *e)
{
	return !e->gone || !e->parent || groups_used(r->e->groups, e);
}

static size_t place_groups(struct report *r, struct places *p)
{
	const struct group_entry *e;
	size_t count = 0;

	p->groups = r->e->groups;
	p->of = mem_array(groups_count(p->groups), sizeof(*p->of));
	for (size_t i = 0; (e = groups_next(p->groups, &i));)
		p->of[e->slot] = is_shown(r, e) ? (uint32_t)count++ : UINT32_MAX;
	p->unknown = (uint32_t)count;
	return count;
}

/* In a window of the past the kernel's figures are unknown: they are of now. */
static void fill_group(const struct report *r, const struct places *p, const struct group_entry *e)
{
	struct snapshot_group *to = &r->s->groups[p->of[e->slot]];

	to->id = e->id;
	to->parent = p->of[e->parent ? e->parent->slot : e->slot];
	/* The root is there always; a parent that is gone need not be. */
	if (to->parent == UINT32_MAX)
		to->parent = p->of[0];
	to->path = strtab_copy(r->s->arena, e->path);
	to->name = strtab_copy(r->s->arena, e->name);
	to->kind = e->kind;
	to->gone = e->gone;
	if (!r->window && e->reading)
		to->facts = e->facts;
}

static void fill_unknown(const struct report *r, const struct places *p)
{
	struct snapshot_group *to = &r->s->groups[p->unknown];

	to->parent = p->of[0];
	to->name = "[unknown]";
	to->kind = GROUP_UNKNOWN;
}

static void add_known(double *sum, double value)
{
	if (!isnan(value))
		*sum = (isnan(*sum) ? 0 : *sum) + value;
}

static void add_process(const struct report *r, struct snapshot_group *g,
			const struct snapshot_process *row)
{
	g->processes += !row->exited;
	add_known(&g->cpu_percent, row->cpu_percent);
	for (size_t i = 0; row->counters && i < r->s->event_count; i++)
		add_known((double *)&g->counters[i], row->counters[i]);
}

/* Adds the processes to their groups.  Returns true if the group of some is unknown. */
static bool add_processes(const struct report *r, const struct places *p)
{
	bool unknown = false;

	for (size_t i = 0; i < r->s->process_count; i++) {
		const struct snapshot_process *row = &r->s->processes[i];
		uint32_t place;

		if (row->tid)
			continue;
		place = place_of(r, p, i);
		unknown |= place == p->unknown;
		add_process(r, &r->s->groups[place], row);
	}
	return unknown;
}

void report_fill_groups(struct report *r)
{
	const struct group_entry *e;
	struct places p;
	size_t count;

	if (!wants_groups(r))
		return;
	count = place_groups(r, &p);
	snapshot_alloc_groups(r->s, count + 1);
	for (size_t i = 0; (e = groups_next(p.groups, &i));) {
		if (p.of[e->slot] != UINT32_MAX)
			fill_group(r, &p, e);
	}
	fill_unknown(r, &p);
	r->s->group_count -= !add_processes(r, &p);
	free(p.of);
}
