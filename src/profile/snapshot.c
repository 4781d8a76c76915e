/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/snapshot.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "profile/addresses.h"

#define BLOCK_ROWS 64

/* Counters of BLOCK_ROWS processes; blocks do not move, so that rows can point to them. */
struct snapshot_block {
	struct snapshot_block *next;
	size_t used; /* rows */
	double values[];
};

/* clang-format off */
static const struct snapshot_host host_unknown = {
	.name = "", .kernel = "", .arch = "",
	.uptime_s = NAN, .load = { NAN, NAN, NAN },
	.tasks = -1, .running = -1,
	.cpu_percent = NAN, .user_percent = NAN, .system_percent = NAN,
	.idle_percent = NAN, .iowait_percent = NAN, .steal_percent = NAN,
	.pressure = { NAN, NAN, NAN, NAN, NAN },
	.memory_total_bytes = -1, .memory_used_bytes = -1,
	.swap_total_bytes = -1, .swap_used_bytes = -1,
	.ticks_per_s = NAN,
};
/* clang-format on */

static const struct snapshot_sampling sampling_unknown = {
	.tier = "",
	.tier_reason = "",
	.notes = "",
	.unresolved_percent = NAN,
	.unnamed_percent = NAN,
	.stacks_complete_percent = NAN,
	.python_percent = NAN,
	.python_bpf_percent = NAN,
	.own_cpu_percent = NAN,
	.cost_percent = NAN,
};

const struct snapshot_process snapshot_process_unknown = {
	.uid = UINT32_MAX,
	.owner = OWNER_NOBODY,
	.user = "",
	.comm = "",
	.command = "",
	.state = '-',
	.cpu_percent = NAN,
	.threads = -1,
	.priority = -1,
	.nice = -1,
	.virtual_bytes = -1,
	.resident_bytes = -1,
	.shared_bytes = -1,
	.minor_faults = -1,
	.major_faults = -1,
	.voluntary_switches = -1,
	.involuntary_switches = -1,
	.read_bytes = -1,
	.written_bytes = -1,
	.cancelled_bytes = -1,
	.io_calls = -1,
	.delay_ns = -1,
	.states_percent = { NAN, NAN, NAN, NAN, NAN, NAN },
	.proportional_bytes = -1,
	.swap_bytes = -1,
	.memory_age_s = NAN,
	.cpu_time_s = NAN,
};

const struct snapshot_usage snapshot_usage_unknown = { -1, -1, -1, -1, -1, -1, -1, -1, -1, -1 };

struct snapshot *snapshot_new(void)
{
	struct snapshot *s = mem_alloc(sizeof(*s));

	s->version = "";
	s->cells_s = NAN;
	s->host = host_unknown;
	s->sampling = sampling_unknown;
	s->target.mode = "system";
	s->memory.usage = snapshot_usage_unknown;
	s->memory.age_s = s->memory.mappings_age_s = NAN;
	s->function.missing = "";
	snapshot_link_counters(s);
	s->arena = strtab_new();
	return s;
}

static void blocks_free(struct snapshot_block *b)
{
	while (b) {
		struct snapshot_block *next = b->next;

		free(b);
		b = next;
	}
}

static void function_fini(struct snapshot_function *f)
{
	free(f->addresses);
	free(f->values);
	code_put(f->code);
}

void snapshot_free(struct snapshot *s)
{
	if (!s)
		return;
	mem_free(s->events, s->processes, s->cells, s->objects, s->memory.mappings, s->cell_values,
		 s->cpus, s->cpu_values, s->groups, s->group_facts);
	function_fini(&s->function);
	address_sums_put(s->addresses);
	group_list_put(s->group_list);
	mem_free(s->nodes, s->stack_ends, s->violations, s->past.slices, s->past.samples,
		 s->unknown, s->foreign);
	blocks_free(s->blocks);
	strtab_free(s->arena);
	free(s);
}

bool snapshot_take_function(struct snapshot *to, struct snapshot *from)
{
	struct snapshot_function *f = &from->function;

	if (!f->frame || !from->addresses || from->addresses != to->addresses)
		return false;
	function_fini(&to->function);
	to->function = *f;
	to->function.missing = strtab_add(to->arena, f->missing);
	*f = (struct snapshot_function){ .missing = "" };
	return true;
}

void snapshot_drop_function(struct snapshot *s, uint32_t frame, const char *missing)
{
	function_fini(&s->function);
	s->function = (struct snapshot_function){ .frame = frame, .missing = missing };
}

void snapshot_alloc_events(struct snapshot *s, size_t count)
{
	s->events = mem_array(count, sizeof(*s->events));
	s->event_count = count;
}

static void fill_unknown(double *row, size_t count)
{
	for (size_t i = 0; i < count; i++)
		row[i] = NAN;
}

static void make_unknown(struct snapshot *s)
{
	if (s->unknown)
		return;
	s->unknown = mem_array(s->event_count, sizeof(*s->unknown));
	fill_unknown(s->unknown, s->event_count);
}

void snapshot_alloc_processes(struct snapshot *s, size_t count)
{
	s->processes = mem_array(count, sizeof(*s->processes));
	s->process_count = count;
	make_unknown(s);
	for (size_t i = 0; i < count; i++) {
		s->processes[i] = snapshot_process_unknown;
		s->processes[i].counters = s->unknown;
	}
}

void snapshot_alloc_cells(struct snapshot *s, size_t count)
{
	s->cells = mem_array(count, sizeof(*s->cells));
	s->cell_count = count;
}

double *snapshot_alloc_cell_values(struct snapshot *s)
{
	size_t values = s->cell_count * s->event_count;

	s->cell_values = mem_array(values, sizeof(*s->cell_values));
	for (size_t i = 0; i < values; i++)
		s->cell_values[i] = NAN;
	for (size_t i = 0; i < s->cell_count; i++)
		s->cells[i].counters = s->cell_values + i * s->event_count;
	return s->cell_values;
}

void snapshot_alloc_cpus(struct snapshot *s, size_t count)
{
	size_t values = 2 * count * s->event_count;

	s->cpus = mem_array(count, sizeof(*s->cpus));
	s->cpu_count = count;
	s->cpu_values = mem_array(values, sizeof(*s->cpu_values));
	fill_unknown(s->cpu_values, values);
	for (size_t i = 0; i < count; i++) {
		s->cpus[i].facts = cpu_unknown;
		s->cpus[i].counters = s->cpu_values + 2 * i * s->event_count;
		s->cpus[i].samples = s->cpus[i].counters + s->event_count;
	}
}

static void group_init(struct snapshot_group *g, size_t place)
{
	*g = (struct snapshot_group){
		.parent = (uint32_t)place,
		.path = "",
		.name = "",
		.cpu_percent = NAN,
		.facts = &group_unknown,
	};
}

void snapshot_alloc_groups(struct snapshot *s, size_t count)
{
	s->groups = mem_array(count, sizeof(*s->groups));
	s->group_count = count;
	make_unknown(s);
	for (size_t i = 0; i < count; i++) {
		group_init(&s->groups[i], i);
		s->groups[i].counters = s->unknown;
	}
}

struct group_list *group_list_new(size_t count)
{
	struct group_list *l = mem_alloc(sizeof(*l));

	l->references = 1;
	l->texts = strtab_new();
	l->items = mem_array(count, sizeof(*l->items));
	l->count = count;
	for (size_t i = 0; i < count; i++)
		group_init(&l->items[i], i);
	return l;
}

struct group_list *group_list_get(struct group_list *l)
{
	__atomic_add_fetch(&l->references, 1, __ATOMIC_RELAXED);
	return l;
}

void group_list_put(struct group_list *l)
{
	if (!l || __atomic_sub_fetch(&l->references, 1, __ATOMIC_ACQ_REL))
		return;
	strtab_free(l->texts);
	mem_free(l->items, l);
}

void snapshot_take_groups(struct snapshot *s, struct group_list *list)
{
	s->group_list = group_list_get(list);
	s->groups = mem_array(list->count, sizeof(*s->groups));
	s->group_count = list->count;
	make_unknown(s);
	for (size_t i = 0; i < list->count; i++) {
		s->groups[i] = list->items[i];
		s->groups[i].counters = s->unknown;
	}
}

static double *new_values(struct snapshot *s)
{
	struct snapshot_block *b = s->blocks;
	double *row;

	if (!b || b->used == BLOCK_ROWS) {
		b = mem_alloc(sizeof(*b) + BLOCK_ROWS * s->event_count * sizeof(*row));
		b->next = s->blocks;
		s->blocks = b;
	}
	row = b->values + b->used++ * s->event_count;
	fill_unknown(row, s->event_count);
	return row;
}

/* A row's own COUNTERS from the first call on. */
static double *own_values(struct snapshot *s, const double **counters)
{
	if (*counters == s->unknown)
		*counters = new_values(s);
	return (double *)*counters;
}

double *snapshot_values(struct snapshot *s, size_t process)
{
	return own_values(s, &s->processes[process].counters);
}

double *snapshot_group_values(struct snapshot *s, size_t group)
{
	return own_values(s, &s->groups[group].counters);
}

struct group_facts *snapshot_group_facts(struct snapshot *s, size_t group)
{
	struct snapshot_group *row = &s->groups[group];

	if (!s->group_facts)
		s->group_facts = mem_array(s->group_count, sizeof(*s->group_facts));
	if (row->facts == &group_unknown) {
		s->group_facts[s->group_fact_count] = group_unknown;
		row->facts = &s->group_facts[s->group_fact_count++];
	}
	return (struct group_facts *)row->facts;
}

void snapshot_link_counters(struct snapshot *s)
{
	for (enum event_id id = EVENT_OTHER; id < EVENT_IDS; id++)
		s->counter_event[id] = -1;
	for (size_t i = s->event_count; i-- > 0;)
		s->counter_event[s->events[i].id] = (int)i;
	s->counter_event[EVENT_OTHER] = -1;
}

static int object_compare(const void *key, const void *item)
{
	uint32_t a = *(const uint32_t *)key, b = ((const struct snapshot_object *)item)->object;

	return (a > b) - (a < b);
}

bool snapshot_is_recorded(const struct snapshot *s)
{
	return !strcmp(s->sampling.tier, "file");
}

bool snapshot_is_start(const struct snapshot *s)
{
	return !(s->interval_s > 0) && !snapshot_is_recorded(s);
}

const struct snapshot_object *snapshot_object_find(const struct snapshot *s, uint32_t object)
{
	return s->object_count ? bsearch(&object, s->objects, s->object_count, sizeof(*s->objects),
					 object_compare)
			       : NULL;
}

/* The kernel's own count of P; below 0: it is not known. */
static int64_t told_count(const struct snapshot_process *p, enum event_id id)
{
	if (id == EVENT_MINOR_FAULTS)
		return p->minor_faults;
	if (id == EVENT_MAJOR_FAULTS)
		return p->major_faults;
	if (id == EVENT_PAGE_FAULTS && p->minor_faults >= 0 && p->major_faults >= 0)
		return p->minor_faults + p->major_faults;
	if (id == EVENT_CONTEXT_SWITCHES && p->voluntary_switches >= 0 &&
	    p->involuntary_switches >= 0)
		return p->voluntary_switches + p->involuntary_switches;
	return -1;
}

double snapshot_counter(const struct snapshot *s, const struct snapshot_process *p,
			enum event_id id)
{
	int event = s->counter_event[id];
	int64_t told = s->sampling.sampled_counters ? told_count(p, id) : -1;

	if (event < 0 || (size_t)event >= s->event_count || !p->counters)
		return NAN;
	/* An event that is off, or not measured, has no count. */
	if (told >= 0 && !isnan(p->counters[event]) && !s->events[event].exclude_user &&
	    !s->events[event].exclude_kernel)
		return (double)told;
	return p->counters[event];
}
