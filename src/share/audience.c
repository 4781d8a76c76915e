/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "share/audience.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/event-id.h"
#include "base/hash.h"
#include "share/block.h"
#include "share/layout.h"

/* Who made some of the samples that are not shown; in the place of a comm. */
#define HIDDEN_COMM "[not yours]"

struct filter {
	const struct audience *a;
	const struct snapshot *from;
	struct snapshot *to;
};

static bool is_own(const struct filter *f, uint64_t owner)
{
	return owner != OWNER_NOBODY && owner == f->a->owner;
}

static void show_events(struct filter *f)
{
	snapshot_alloc_events(f->to, f->from->event_count);
	for (size_t i = 0; i < f->to->event_count; i++) {
		f->to->events[i] = (struct snapshot_event){
			.name = "",
			.value = NAN,
			.idle = NAN,
			.unattributed = NAN,
			.running_percent = NAN,
		};
		fields_show(&layout_parts[PART_EVENTS], &f->to->events[i], &f->from->events[i]);
	}
	snapshot_link_counters(f->to);
}

/* Threads of others are shown by no view but one, and would be most of the rows. */
static bool has_row(const struct filter *f, const struct snapshot_process *p)
{
	return is_own(f, p->owner) || (!f->a->hidden && !p->tid);
}

static void show_process(const struct filter *f, struct snapshot_process *to,
			 const struct snapshot_process *from)
{
	if (!is_own(f, from->owner)) {
		fields_show(&layout_parts[PART_PROCESSES], to, from);
		return;
	}
	*to = *from;
	if (from->counters == f->from->unknown)
		to->counters = f->to->unknown;
}

static void show_processes(struct filter *f)
{
	size_t count = 0;

	for (size_t i = 0; i < f->from->process_count; i++) {
		const struct snapshot_process *p = &f->from->processes[i];

		count += has_row(f, p);
		if (f->a->hidden && !p->tid)
			f->to->sampling.losses[LOSS_HIDDEN] += !has_row(f, p);
	}
	snapshot_alloc_processes(f->to, count);
	for (size_t i = f->from->process_count; i-- > 0;) {
		if (has_row(f, &f->from->processes[i]))
			show_process(f, &f->to->processes[--count], &f->from->processes[i]);
	}
}

/* Stacks of others stay without a cell, and a block has only those with one (share/block-write.c). */
static void show_nodes(struct filter *f)
{
	size_t count = f->from->node_count;

	if (!count)
		return;
	f->to->nodes = mem_array(count + 1, sizeof(*f->to->nodes));
	memcpy(f->to->nodes, f->from->nodes, count * sizeof(*f->to->nodes));
	f->to->nodes[count] = (struct call_node){ CALL_ROOT, BLOCK_HIDDEN };
	f->to->node_count = count + 1;
}

static void add_hidden(struct snapshot *to, const struct snapshot_cell *sum)
{
	struct snapshot_cell *c;

	if (!(sum->samples > 0))
		return;
	c = &to->cells[to->cell_count++];
	*c = *sum;
	c->comm = HIDDEN_COMM;
	c->frame = BLOCK_HIDDEN;
	c->node = to->node_count ? (uint32_t)to->node_count - 1 : CALL_ROOT;
	c->owner = OWNER_NOBODY;
}

/* Data of a wait are who woke it, those of a system call its error. */
static bool has_wakers(const struct snapshot_event *e)
{
	return e->time && e->id != EVENT_SYSCALLS;
}

/* Stacks of who woke a thread, and of who woke that one, are behind its own. */
static bool tells_of_others(const struct filter *f, const struct snapshot_cell *c)
{
	return f->from->events[c->event].id == EVENT_WAKERS;
}

/*
 * An event that a viewer asked for has nothing of others, since what they cost was not for this user to see before.  Its
 * samples are those of his rows, with their decay: what the interval alone had is told of all users together.  Sums over all events leave it out, or are not told where they began before it.
 */
static void show_own_samples(struct filter *f)
{
	const struct snapshot *from = f->from;
	struct snapshot_sampling *to = &f->to->sampling;
	double *own = mem_array(from->event_count, sizeof(*own));

	for (size_t i = 0; i < f->to->cell_count; i++)
		own[f->to->cells[i].event] += f->to->cells[i].samples;
	for (size_t i = 0; i < from->event_count; i++) {
		if (!from->events[i].asked)
			continue;
		f->to->events[i].samples = own[i] > 0 ? (uint64_t)own[i] : 0;
		to->samples -= from->events[i].samples;
		to->total_samples = to->read_samples = to->settled_samples = 0;
	}
	free(own);
}

static void show_cells(struct filter *f)
{
	size_t events = f->from->event_count;
	struct snapshot_cell *sums = mem_array(events, sizeof(*sums));
	struct snapshot *to = f->to;

	snapshot_alloc_cells(to, f->from->cell_count + events);
	to->cell_count = 0;
	for (size_t i = 0; i < f->from->cell_count; i++) {
		const struct snapshot_cell *c = &f->from->cells[i];

		if (is_own(f, c->owner) && !tells_of_others(f, c)) {
			struct snapshot_cell *own = &to->cells[to->cell_count++];

			*own = *c;
			if (has_wakers(&f->from->events[c->event]))
				own->data = 0;
			continue;
		}
		sums[c->event].event = c->event;
		sums[c->event].samples += c->samples;
		sums[c->event].period += c->period;
	}
	for (size_t i = 0; i < events; i++) {
		if (!f->from->events[i].asked)
			add_hidden(to, &sums[i]);
	}
	free(sums);
	show_own_samples(f);
}

static void show_cpus(struct filter *f)
{
	snapshot_alloc_cpus(f->to, f->from->cpu_count);
	for (size_t i = 0; i < f->to->cpu_count; i++)
		fields_show(&layout_parts[PART_CPUS], &f->to->cpus[i], &f->from->cpus[i]);
}

/* By place in `groups`: what is shown of it. */
enum group_part { GROUP_NOTHING, GROUP_SEEN_BY_ALL, GROUP_OWN };

/* Marks each group that the rows and cells of TO are in, and those above them. */
static void mark_groups(const struct filter *f, unsigned char *parts)
{
	const struct snapshot_group *groups = f->from->groups;
	struct map own = { 0 }; /* id + 1 */

	for (size_t i = 0; i < f->to->process_count; i++)
		map_put(&own, (uint64_t)f->to->processes[i].group + 1, &own);
	for (size_t i = 0; i < f->to->cell_count; i++)
		map_put(&own, (uint64_t)f->to->cells[i].group + 1, &own);
	for (size_t i = 0; i < f->from->group_count; i++) {
		size_t at = i;

		if (!map_find(&own, (uint64_t)groups[i].id + 1))
			continue;
		parts[i] = groups[i].id ? GROUP_OWN : GROUP_SEEN_BY_ALL; /* 0: of who has none */
		while (groups[at].parent != at && !parts[groups[at].parent]) {
			at = groups[at].parent;
			parts[at] = GROUP_SEEN_BY_ALL;
		}
	}
	map_fini(&own);
}

/* People's names of containers are in files of root, the path is in /proc. */
static const char *name_in(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

static void show_group(struct snapshot *s, size_t place, const struct snapshot_group *from,
		       bool own)
{
	struct snapshot_group *to = &s->groups[place];

	fields_show(&layout_parts[PART_GROUPS], to, from);
	to->name = own ? from->name : name_in(from->path);
	if (from->facts != &group_unknown)
		fields_show(&layout_parts[PART_GROUP_FACTS], snapshot_group_facts(s, place),
			    from->facts);
}

static void show_groups(struct filter *f)
{
	size_t count = f->from->group_count, shown = 0;
	unsigned char *parts = mem_array(count, sizeof(*parts));
	uint32_t *places = mem_array(count, sizeof(*places));

	mark_groups(f, parts);
	for (size_t i = 0; i < count; i++) {
		places[i] = (uint32_t)shown;
		shown += parts[i] != GROUP_NOTHING;
	}
	snapshot_alloc_groups(f->to, shown);
	for (size_t i = 0; i < count; i++) {
		if (!parts[i])
			continue;
		show_group(f->to, places[i], &f->from->groups[i], parts[i] == GROUP_OWN);
		f->to->groups[places[i]].parent = places[f->from->groups[i].parent];
	}
	mem_free(parts, places);
}

/* Objects of the functions that the cells of TO are in or were called by; number + 1. */
struct own_objects {
	struct map numbers;
	unsigned char *nodes; /* by node: it was looked at */
};

static void mark_frame(const struct filter *f, struct own_objects *own, uint32_t frame)
{
	if (frame > FRAME_REST && frame < frame_table_count(f->from->frames))
		map_put(&own->numbers, (uint64_t)frame_object(f->from->frames, frame) + 1, own);
}

static void mark_objects(const struct filter *f, struct own_objects *own)
{
	const struct snapshot *to = f->to;

	for (size_t i = 0; i < to->cell_count; i++) {
		const struct snapshot_cell *c = &to->cells[i];
		uint32_t node = c->node;

		mark_frame(f, own, c->frame);
		mark_frame(f, own, c->data);
		while (node < to->node_count && !own->nodes[node]) {
			own->nodes[node] = 1;
			mark_frame(f, own, to->nodes[node].frame);
			node = to->nodes[node].parent;
		}
	}
}

static void show_objects(struct filter *f)
{
	struct own_objects own = { .nodes = mem_array(f->to->node_count, 1) };

	mark_objects(f, &own);
	f->to->objects = mem_array(f->from->object_count, sizeof(*f->to->objects));
	for (size_t i = 0; i < f->from->object_count; i++) {
		const struct snapshot_object *o = &f->from->objects[i];

		if (map_find(&own.numbers, (uint64_t)o->object + 1))
			f->to->objects[f->to->object_count++] = *o;
	}
	map_fini(&own.numbers);
	free(own.nodes);
}

/* How many samples were taken when, of the machine. */
static void show_slices(struct filter *f)
{
	const struct snapshot_past *from = &f->from->past;
	struct snapshot_past *to = &f->to->past;
	size_t samples = from->count * f->from->event_count;

	to->slices = mem_array(from->count, sizeof(*to->slices));
	to->samples = mem_array(samples, sizeof(*to->samples));
	to->count = from->count;
	for (size_t i = 0; i < from->count; i++)
		fields_show(&layout_parts[PART_SLICES], &to->slices[i], &from->slices[i]);
	for (size_t i = 0; i < samples; i++)
		to->samples[i] =
			f->from->events[i % f->from->event_count].asked ? 0 : from->samples[i];
}

static void show_violations(struct filter *f)
{
	size_t count = f->from->violation_count;

	f->to->violations = mem_array(count, sizeof(*f->to->violations));
	f->to->violation_count = count;
	for (size_t i = 0; i < count; i++)
		fields_show(&layout_parts[PART_VIOLATIONS], &f->to->violations[i],
			    &f->from->violations[i]);
}

/* Pids of the target and ends of stacks are in no section. */
struct snapshot *audience_snapshot(const struct audience *a, const struct snapshot *s)
{
	static void (*const sections[])(struct filter *) = {
		show_events, show_processes, show_nodes,  show_cells,      show_cpus,
		show_groups, show_objects,   show_slices, show_violations,
	};
	struct filter f = { .a = a, .from = s, .to = snapshot_new() };

	fields_show(&layout_snapshot, f.to, s);
	f.to->frames = s->frames;
	for (size_t i = 0; i < sizeof(sections) / sizeof(*sections); i++)
		sections[i](&f);
	return f.to;
}
