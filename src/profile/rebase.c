/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/rebase.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "profile/addresses.h"

#define ALONE 0x80000000u /* in serials of processes without a counterpart */
#define NO_EVENT UINT16_MAX

/* A frame of the base, and what it is called in this engine's table. */
struct alias {
	uint32_t own;       /* made for the base */
	uint32_t shown;     /* the counterpart; OWN without */
	struct alias *next; /* of the same hash */
};

struct rebase {
	struct snapshot *base;
	struct snapshot_cell *cells;    /* as they were; so are the next two */
	struct address_sums *addresses; /* likewise: a reference, or NULL */
	uint32_t *nodes;                /* frames */
	uint32_t *serials;              /* of its processes */
	struct alias *aliases;          /* by frame of the base's table */
	size_t frame_count;
	struct map names;              /* hash to the first struct alias */
	struct map own;                /* numbers that were made for the base */
	struct map partners;           /* serial of the base to that of now + 1 */
	struct map taken;              /* serials of now */
	size_t seen;                   /* frames of this engine that were looked at */
	struct snapshot_event *events; /* as they were; their names are owned */
	size_t event_count;
	uint16_t *event_map; /* from the base's */
};

static uint64_t name_hash(const struct frame_table *t, uint32_t frame)
{
	const char *object = frame_object_name(t, frame), *symbol = frame_raw_symbol(t, frame);

	return hash_bytes(symbol, strlen(symbol)) ^
	       hash_bytes(object, strlen(object)) * 0x9e3779b97f4a7c15u;
}

static bool same_name(const struct frame_table *t, uint32_t a, uint32_t b)
{
	return !strcmp(frame_raw_symbol(t, a), frame_raw_symbol(t, b)) &&
	       !strcmp(frame_object_name(t, a), frame_object_name(t, b));
}

static void keep_originals(struct rebase *r)
{
	const struct snapshot *s = r->base;

	r->cells = mem_array(s->cell_count, sizeof(*r->cells));
	r->nodes = mem_array(s->node_count, sizeof(*r->nodes));
	r->serials = mem_array(s->process_count, sizeof(*r->serials));
	r->events = mem_array(s->event_count, sizeof(*r->events));
	r->event_map = mem_array(s->event_count, sizeof(*r->event_map));
	if (s->cell_count)
		memcpy(r->cells, s->cells, s->cell_count * sizeof(*r->cells));
	for (size_t i = 0; i < s->node_count; i++)
		r->nodes[i] = s->nodes[i].frame;
	for (size_t i = 0; i < s->process_count; i++)
		r->serials[i] = s->processes[i].serial;
	r->event_count = s->event_count;
	for (size_t i = 0; i < s->event_count; i++) {
		r->events[i] = s->events[i];
		r->events[i].name = mem_strdup(s->events[i].name);
	}
}

struct rebase *rebase_new(struct snapshot *base, const uint32_t *frames)
{
	struct rebase *r = mem_alloc(sizeof(*r));

	r->base = base;
	r->addresses = base->addresses;
	base->addresses = NULL;
	r->frame_count = frame_table_count(base->frames);
	r->aliases = mem_array(r->frame_count, sizeof(*r->aliases));
	for (uint32_t i = 0; i < r->frame_count; i++) {
		struct alias *a = &r->aliases[i];
		uint64_t hash = name_hash(base->frames, i);

		*a = (struct alias){ .own = frames[i], .shown = frames[i] };
		if (i <= FRAME_REST)
			continue;
		a->next = map_find(&r->names, hash);
		map_put(&r->names, hash, a);
		map_put(&r->own, frames[i], a);
	}
	keep_originals(r);
	return r;
}

void rebase_free(struct rebase *r)
{
	if (!r)
		return;
	for (size_t i = 0; i < r->event_count; i++)
		free((void *)r->events[i].name);
	mem_free(r->events, r->event_map, r->cells);
	address_sums_put(r->addresses);
	mem_free(r->nodes, r->serials, r->aliases);
	map_fini(&r->names);
	map_fini(&r->own);
	map_fini(&r->partners);
	map_fini(&r->taken);
	snapshot_free(r->base);
	free(r);
}

/* The counterparts of frames that came since. */
static void match_frames(struct rebase *r, const struct frame_table *t)
{
	size_t count = frame_table_count(t);

	for (uint32_t i = (uint32_t)(r->seen > FRAME_REST ? r->seen : FRAME_REST + 1); i < count;
	     i++) {
		struct alias *a =
			map_find(&r->own, i) ? NULL : map_find(&r->names, name_hash(t, i));

		for (; a; a = a->next) {
			if (a->shown == a->own && same_name(t, a->own, i))
				a->shown = i;
		}
	}
	r->seen = count;
}

/* Processes by comm, those with most samples first. */
static int by_comm(const void *one, const void *other)
{
	const struct snapshot_process *a = *(const struct snapshot_process *const *)one;
	const struct snapshot_process *b = *(const struct snapshot_process *const *)other;
	int order = strcmp(a->comm, b->comm);

	if (order)
		return order;
	if (a->samples != b->samples)
		return a->samples < b->samples ? 1 : -1;
	return (a->serial > b->serial) - (a->serial < b->serial);
}

/*
 * The processes of S without a counterpart, sorted by comm; owned.  HAS is a set of original
 * serials that have one.
 */
static const struct snapshot_process **lonely(const struct snapshot *s, const struct map *has,
					      const uint32_t *serials, size_t *count)
{
	const struct snapshot_process **items = mem_array(s->process_count, sizeof(*items));

	*count = 0;
	for (size_t i = 0; i < s->process_count; i++) {
		uint32_t serial = serials ? serials[i] : s->processes[i].serial;

		if (!s->processes[i].tid && !map_find(has, serial))
			items[(*count)++] = &s->processes[i];
	}
	qsort(items, *count, sizeof(*items), by_comm);
	return items;
}

static void match_processes(struct rebase *r, const struct snapshot *now)
{
	size_t base_count, now_count;
	const struct snapshot_process **base =
		lonely(r->base, &r->partners, r->serials, &base_count);
	const struct snapshot_process **all = lonely(now, &r->taken, NULL, &now_count);

	for (size_t i = 0, j = 0; i < base_count && j < now_count;) {
		int order = strcmp(base[i]->comm, all[j]->comm);

		if (!order) {
			uint32_t serial = r->serials[base[i] - r->base->processes];

			map_put(&r->partners, serial, (void *)(uintptr_t)(all[j]->serial + 1ull));
			map_put(&r->taken, all[j]->serial, r);
		}
		i += order <= 0;
		j += order >= 0;
	}
	free(base);
	free(all);
}

/*
 * Two that are the same whatever they are called.  Events without an id match by name alone,
 * because numbers of tracepoints and PMUs differ between machines.
 */
static bool same_event(const struct snapshot_event *a, const struct snapshot_event *b, bool by_name)
{
	if (a->id != b->id)
		return false;
	if (by_name)
		return !strcmp(a->name, b->name);
	return a->id != EVENT_OTHER && a->exclude_user == b->exclude_user &&
	       a->exclude_kernel == b->exclude_kernel;
}

/* Events of the same name are matched first, so that several of one kind each find their own. */
static void map_events(struct rebase *r, const struct snapshot *now)
{
	bool *taken = mem_array(now->event_count, sizeof(*taken));

	for (size_t i = 0; i < r->event_count; i++)
		r->event_map[i] = NO_EVENT;
	for (int by_name = 1; by_name >= 0; by_name--) {
		for (size_t i = 0; i < r->event_count; i++) {
			size_t j = 0;

			while (j < now->event_count &&
			       (taken[j] || !same_event(&r->events[i], &now->events[j], by_name)))
				j++;
			if (r->event_map[i] != NO_EVENT || j == now->event_count)
				continue;
			r->event_map[i] = (uint16_t)j;
			taken[j] = true;
		}
	}
	free(taken);
}

/* The base has NOW's events from here on, with what it counted of them. */
static void match_events(struct rebase *r, const struct snapshot *now)
{
	struct snapshot *s = r->base;

	if (s->events && s->event_count == now->event_count && r->seen)
		return;
	free(s->events);
	snapshot_alloc_events(s, now->event_count);
	for (size_t i = 0; i < now->event_count; i++) {
		s->events[i] = now->events[i];
		s->events[i].name = strtab_add(s->arena, now->events[i].name);
		s->events[i].canonical = strtab_add(s->arena, now->events[i].canonical);
		s->events[i].unit = s->events[i].error = NULL;
		s->events[i].value = NAN;
	}
	map_events(r, now);
	for (size_t i = 0; i < r->event_count; i++) {
		if (r->event_map[i] != NO_EVENT)
			s->events[r->event_map[i]].value = r->events[i].value;
	}
}

static uint32_t serial_of(const struct rebase *r, uint32_t serial)
{
	uintptr_t partner = (uintptr_t)map_find(&r->partners, serial);

	return partner ? (uint32_t)(partner - 1) : serial | ALONE;
}

static uint32_t frame_of(const struct rebase *r, uint32_t frame)
{
	return frame < r->frame_count ? r->aliases[frame].shown : FRAME_REST;
}

static bool has_build_id(const struct rebase *r, uint32_t object, const struct snapshot_function *f)
{
	const struct snapshot_object *o = snapshot_object_find(r->base, object);

	return o && build_id_equal(&o->build_id, &f->build_id);
}

/* Those in the object of F; the same build id means that the same code lies at the same place. */
static struct address_sums *addresses_of(const struct rebase *r, const struct snapshot_function *f)
{
	struct address_sums *a;

	if (!r->addresses || !f->build_id.size)
		return NULL;
	a = address_sums_alloc(r->addresses->count);
	for (size_t i = 0; i < r->addresses->count; i++) {
		struct address_sum sum = r->addresses->items[i];

		if (!has_build_id(r, sum.key.object, f))
			continue;
		sum.key.object = f->object;
		sum.key.process = serial_of(r, sum.key.process);
		sum.key.event =
			sum.key.event < r->event_count ? r->event_map[sum.key.event] : NO_EVENT;
		a->items[a->count++] = sum;
	}
	return a;
}

struct snapshot *rebase_update(struct rebase *r, const struct snapshot *now)
{
	struct snapshot *s = r->base;

	match_events(r, now);
	match_frames(r, now->frames);
	match_processes(r, now);
	s->frames = now->frames;
	for (size_t i = 0; i < s->process_count; i++)
		s->processes[i].serial = serial_of(r, r->serials[i]);
	for (size_t i = 0; i < s->node_count; i++)
		s->nodes[i].frame = frame_of(r, r->nodes[i]);
	for (size_t i = 0; i < s->cell_count; i++) {
		const struct snapshot_cell *from = &r->cells[i];
		struct snapshot_cell *to = &s->cells[i];

		to->process = serial_of(r, from->process);
		to->frame = frame_of(r, from->frame);
		to->data = from->data ? frame_of(r, from->data) : 0;
		to->event = from->event < r->event_count ? r->event_map[from->event] : NO_EVENT;
		to->counters = NULL;
	}
	address_sums_put(s->addresses);
	s->addresses = addresses_of(r, &now->function);
	return s;
}
