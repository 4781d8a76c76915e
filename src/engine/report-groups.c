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
	e = groups_near(g, p->group, &p->group_slot);
	if (!e) {
		p->group = p->cgroup ? groups_find(g, p->cgroup) : 0;
		e = groups_near(g, p->group, &p->group_slot);
	}
	groups_use(g, e, process_did_run(p) || p->cpu_percent > 0);
	r->s->processes[row].group = p->group;
	r->group_of[row] = e;
}

/* The place of the group of ROW, which is of a process. */
static uint32_t place_of(const struct report *r, size_t row)
{
	const struct group_places *p = &r->e->group_places;
	const struct group_entry *e = r->group_of[row];

	if (!e) /* of the past */
		e = groups_at(r->e->groups, r->s->processes[row].group);
	return e && p->of[e->slot] != UINT32_MAX ? p->of[e->slot] : (uint32_t)p->list->count - 1;
}

/* A group that is gone is shown as long as one of this interval was in it. */
static bool is_shown(const struct engine *e, const struct group_entry *g)
{
	return !g->gone || !g->parent || groups_used(e->groups, g);
}

static void describe_group(struct group_places *p, const struct group_entry *e)
{
	struct snapshot_group *to = &p->list->items[p->of[e->slot]];

	to->id = e->id;
	to->parent = p->of[e->parent ? e->parent->slot : e->slot];
	/* The root is there always; a parent that is gone need not be. */
	if (to->parent == UINT32_MAX)
		to->parent = p->of[0];
	to->path = strtab_copy(p->list->texts, e->path);
	to->name = strtab_copy(p->list->texts, e->name);
	to->kind = e->kind;
	to->gone = e->gone;
}

static void describe_unknown(const struct group_places *p)
{
	struct snapshot_group *to = &p->list->items[p->list->count - 1];

	to->parent = p->of[0];
	to->name = "[unknown]";
	to->kind = GROUP_UNKNOWN;
}

/* Returns true if the list has the groups that are shown. */
static bool list_is_current(const struct engine *e)
{
	const struct group_places *p = &e->group_places;
	const struct group_entry *g;

	if (!p->list || p->changes != groups_changes(e->groups))
		return false;
	for (size_t i = 0; groups_some_gone(e->groups) && (g = groups_next(e->groups, &i));) {
		if (is_shown(e, g) != (p->of[g->slot] != UINT32_MAX))
			return false;
	}
	return true;
}

/* The snapshots that have the list of before keep that. */
static void list_groups(struct engine *e)
{
	struct group_places *p = &e->group_places;
	const struct group_entry *g;
	size_t count = 0;

	if (list_is_current(e))
		return;
	group_list_put(p->list);
	free(p->of);
	p->changes = groups_changes(e->groups);
	p->of = mem_array(groups_count(e->groups), sizeof(*p->of));
	for (size_t i = 0; (g = groups_next(e->groups, &i));)
		p->of[g->slot] = is_shown(e, g) ? (uint32_t)count++ : UINT32_MAX;
	p->list = group_list_new(count + 1);
	for (size_t i = 0; (g = groups_next(e->groups, &i));) {
		if (p->of[g->slot] != UINT32_MAX)
			describe_group(p, g);
	}
	describe_unknown(p);
}

/* In a window of the past the kernel's figures are unknown: they are of now. */
static void fill_facts(const struct report *r)
{
	const uint32_t *places = r->e->group_places.of;
	const struct group_entry *e;

	for (size_t i = 0; !r->window && (e = groups_next(r->e->groups, &i));) {
		if (e->reading && places[e->slot] != UINT32_MAX)
			*snapshot_group_facts(r->s, places[e->slot]) = e->facts;
	}
}

static void add_known(double *sum, double value)
{
	if (!isnan(value))
		*sum = (isnan(*sum) ? 0 : *sum) + value;
}

static void add_process(struct snapshot *s, size_t group, const struct snapshot_process *row)
{
	struct snapshot_group *g = &s->groups[group];
	double *sums;

	g->processes += !row->exited;
	add_known(&g->cpu_percent, row->cpu_percent);
	if (row->counters == s->unknown)
		return;
	sums = snapshot_group_values(s, group);
	for (size_t i = 0; i < s->event_count; i++)
		add_known(&sums[i], row->counters[i]);
}

/* Adds the processes to their groups.  Returns true if the group of some is unknown. */
static bool add_processes(const struct report *r)
{
	uint32_t unknown = (uint32_t)r->s->group_count - 1;
	bool some = false;

	for (size_t i = 0; i < r->s->process_count; i++) {
		const struct snapshot_process *row = &r->s->processes[i];
		uint32_t place;

		if (row->tid)
			continue;
		place = place_of(r, i);
		some |= place == unknown;
		add_process(r->s, place, row);
	}
	return some;
}

void report_fill_groups(struct report *r)
{
	if (!wants_groups(r))
		return;
	list_groups(r->e);
	snapshot_take_groups(r->s, r->e->group_places.list);
	fill_facts(r);
	r->s->group_count -= !add_processes(r);
}
