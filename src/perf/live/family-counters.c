/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * Tier 2 where samples of inherited events carry values, which are the task's own (Linux since 6.12).
 *
 * On each CPU a root has groups of counters that all its children inherit.  Three ways bring the
 * running totals of a task there:
 *
 *	samples		of the sampled events, and of the group's leader, the task's clock, which
 *			ticks so that a group without any reports as well;
 *	READ records	that the kernel writes for each inherited event when its task ends
 *			(inherit_stat): nothing of a child is missed, however short it lived;
 *	read(2)		of the root's group, which is the sum of the whole family: if all members but
 *			one have reported everything, the rest belongs to that one.
 *
 * So a task that forked no children is exact at any moment.  Each of several children that live at
 * the same time is exact when it ends, and before that up to its last tick.
 *
 * Time enabled: the kernel counts it for an event of another CPU as well while the task runs here.  So
 * it is one clock a task and not one a CPU, while the times running of all CPUs add up.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "perf/event/attr.h"
#include "perf/live/group-open.h"
#include "perf/live/open.h"
#include "perf/live/pertask.h"
#include "perf/live/turns.h"

#define LEADER_PERIOD_NS (4 * NS_PER_S / 1000)
#define ROUND_READS 1024 /* read(2)s before one drain */

/* Events. */

static void family_counters_attr(const struct live *l, const struct evsel *e,
				 struct perf_event_attr *attr)
{
	if (e) {
		evsel_attr_init(e, attr);
		live_attr_finish(l, &l->source.layout, e, attr);
		attr->disabled = !e->enabled;
	} else {
		attr->size = sizeof(*attr);
		attr->type = PERF_TYPE_SOFTWARE;
		attr->config = PERF_COUNT_SW_TASK_CLOCK;
		attr->sample_period = LEADER_PERIOD_NS;
		live_attr_finish(l, &l->leader_layout, NULL, attr);
		attr->disabled = 1;
		attr->enable_on_exec = l->options.enable_on_exec;
	}
	attr->inherit = attr->inherit_stat = 1;
	attr->exclude_kernel |= l->source.user_only;
	attr->exclude_hv |= l->source.user_only;
}

static void leaders_know(struct live *l, struct task *root, const struct groups *g)
{
	for (size_t i = 0; i < g->count; i++)
		map_put(&l->pertask->leaders, g->items[i].members[0].id, root);
}

static int family_counters_open_on(struct live *l, struct task *t, const struct cpu *c)
{
	bool waits = l->options.enable_on_exec && !(t->carrier_count && t->carriers[0].running);
	struct groups *g;
	int err;

	mem_grow((void **)&t->carriers, &t->carrier_capacity, t->carrier_count + 1,
		 sizeof(*t->carriers));
	g = &t->carriers[t->carrier_count++];
	*g = (struct groups){ .pid = (int)t->tid,
			      .cpu = (int)c->number,
			      .output_fd = c->ring_fds[LANE_SAMPLES] };
	err = groups_lead(l, g);
	if (!err)
		err = groups_fill(l, g);
	l->pertask->fd_count += groups_fds(g);
	leaders_know(l, t, g);
	return err || waits ? err : groups_run(g, true);
}

static void family_counters_close_on(struct live *l, struct task *t, uint32_t cpu)
{
	for (size_t i = t->carrier_count; i-- > 0;) {
		struct groups *g = &t->carriers[i];

		if (g->cpu != (int)cpu)
			continue;
		for (size_t j = 0; j < g->count; j++)
			map_remove(&l->pertask->leaders, g->items[j].members[0].id);
		l->pertask->fd_count -= groups_fds(g);
		groups_close(l, g);
		*g = t->carriers[--t->carrier_count];
	}
}

static size_t family_counters_root_need(const struct live *l)
{
	return l->cpu_count * (2 + groups_need(l) / (l->plan.apart ? 1 : 2));
}

static size_t family_counters_child_need(const struct live *l)
{
	(void)l;
	return 0;
}

/* Totals. */

/* The counts of T on CPU, with room for EVENTS of them. */
static struct count *totals_on(struct totals *t, uint32_t cpu, size_t events)
{
	struct cpu_counts *c = NULL;

	mem_grow_zeroed((void **)&t->enabled_ns, &t->events, events, sizeof(*t->enabled_ns));
	for (size_t i = 0; i < t->cpu_count && !c; i++)
		c = t->cpus[i].cpu == cpu ? &t->cpus[i] : NULL;
	if (!c) {
		mem_grow((void **)&t->cpus, &t->cpu_capacity, t->cpu_count + 1, sizeof(*t->cpus));
		c = &t->cpus[t->cpu_count++];
		*c = (struct cpu_counts){ .cpu = cpu };
	}
	mem_grow_zeroed((void **)&c->counts, &c->events, events, sizeof(*c->counts));
	return c->counts;
}

static void totals_fini(struct totals *t)
{
	for (size_t i = 0; i < t->cpu_count; i++)
		free(t->cpus[i].counts);
	free(t->cpus);
	free(t->enabled_ns);
}

void family_counters_free(struct task *t)
{
	totals_fini(&t->seen);
	totals_fini(&t->reported);
	totals_fini(&t->total);
	free(t->carriers);
	free(t->fresh);
}

/*
 * Returns how far NOW is ahead of *LAST, and sets *LAST to NOW.  Two ways may tell in either order:
 * never back.
 */
static uint64_t advance(uint64_t *last, uint64_t now)
{
	uint64_t delta = now > *last ? now - *last : 0;

	*last += delta;
	return delta;
}

static struct counter_increase *fresh_of(struct task *t, size_t event, size_t events)
{
	size_t capacity = t->fresh_events;

	if (t->fresh_events < events) {
		mem_grow((void **)&t->fresh, &capacity, events, sizeof(*t->fresh));
		memset(t->fresh + t->fresh_events, 0,
		       (capacity - t->fresh_events) * sizeof(*t->fresh));
		t->fresh_events = capacity;
	}
	t->has_fresh = true;
	return &t->fresh[event];
}

struct reading { /* running totals of one event on one CPU */
	size_t event;
	uint32_t cpu;
	uint64_t value, enabled_ns, running_ns;
};

static void task_take(struct live *l, struct task *t, const struct reading *now)
{
	size_t events = l->source.evlist->count;
	struct count *seen = &totals_on(&t->seen, now->cpu, events)[now->event];
	struct count *reported = &totals_on(&t->root->reported, now->cpu, events)[now->event];
	struct counter_increase *fresh = fresh_of(t, now->event, events);
	struct counter_increase more = {
		.value = advance(&seen->value, now->value),
		.running_ns = advance(&seen->running_ns, now->running_ns),
	};
	uint64_t enabled_ns = advance(&t->seen.enabled_ns[now->event], now->enabled_ns);

	/* With a choice of CPUs the time on the others is nobody's: then what ran was enabled. */
	more.enabled_ns = l->options.cpus ? more.running_ns : enabled_ns;
	reported->value += more.value;
	reported->running_ns += more.running_ns;
	t->root->reported.enabled_ns[now->event] += enabled_ns;
	fresh->value += more.value;
	fresh->running_ns += more.running_ns;
	fresh->enabled_ns += more.enabled_ns;
}

size_t family_counters_events(const struct task *root)
{
	size_t events = 0;

	for (size_t i = 0; i < root->carrier_count; i++)
		events += groups_fds(&root->carriers[i]);
	return events;
}

/* A READ came: the last one completes the task. */
static void task_settle(struct task *t)
{
	if (++t->reads < t->inherited || t->settled || t == t->root)
		return;
	t->settled = true;
	t->root->open--;
}

/* The task of a record.  One that nobody announced (its FORK was lost) is known by its leader. */
static struct task *task_of(struct live *l, const struct record *r, const struct record_read *read)
{
	struct pertask *p = l->pertask;
	struct task *t = map_find(&p->tasks, r->tid);
	struct task *root;

	if (t || !read->count || !r->tid)
		return t;
	root = map_find(&p->leaders, read->values[0].id);
	return root ? task_new(l, r->pid, r->tid, root) : NULL;
}

void family_counters_take(struct live *l, const struct cpu *c, const struct record *r,
			  const struct record_read *read)
{
	struct task *t = task_of(l, r, read);

	for (uint32_t i = 0; t && i < read->count; i++) {
		struct reading now = { .event = live_event_of(l, read->values[i].id),
				       .cpu = c->number,
				       .value = read->values[i].value,
				       .enabled_ns = read->enabled_ns,
				       .running_ns = read->running_ns };

		if (now.event < l->source.evlist->count)
			task_take(l, t, &now);
	}
	if (t && r->type == RECORD_READ)
		task_settle(t);
}

/*
 * Only a leader has an identifier that no event of the list has.  But a sample of a software event
 * may bear another profiler's identifier (see cpugroup.c), so the values are looked at first.
 */
const struct record_layout *family_counters_layout(const struct live *l,
						   const struct perf_event_header *h)
{
	uint64_t id;

	if (h->size < sizeof(*h) + sizeof(id) ||
	    (live_first_id(&l->source.layout, h, &id) && map_find(&l->pertask->leaders, id)))
		return &l->source.layout;
	memcpy(&id, h + 1, sizeof(id));
	return live_event_of(l, id) == SOURCE_NO_EVENT ? &l->leader_layout : &l->source.layout;
}

/* The family's sum. */

static bool group_read_total(struct live *l, struct task *root, uint32_t cpu, struct group *g)
{
	struct totals *total = &root->total;
	uint64_t *words = l->pertask->values;
	size_t events = l->source.evlist->count;

	if (perf_read(g->members[0].fd, words, 3 + 2 * g->count) < 0 || words[0] != g->count)
		return false;
	g->enabled_ns = words[1];
	g->running_ns = words[2];
	for (size_t i = 1; i < g->count; i++) {
		size_t event = (size_t)g->members[i].event;
		struct count *c = &totals_on(total, cpu, events)[event];

		c->value = words[3 + 2 * i];
		c->running_ns = words[2];
		if (words[1] > total->enabled_ns[event])
			total->enabled_ns[event] = words[1];
	}
	return true;
}

/* The number of read(2)s. */
static size_t root_read_totals(struct live *l, struct task *root)
{
	size_t reads = 0;

	root->has_total = true;
	for (size_t i = 0; i < root->carrier_count; i++) {
		struct groups *g = &root->carriers[i];

		for (size_t j = 0; j < g->count; j++, reads++)
			root->has_total &=
				group_read_total(l, root, (uint32_t)g->cpu, &g->items[j]);
	}
	return reads;
}

/* The only member of a family that has not reported everything. */
static struct task *lone_member(const struct live *l, struct task *root)
{
	size_t cursor = 0;
	struct task *t;

	if (map_find(&l->pertask->tasks, root->tid) == root)
		return root;
	while ((t = map_next(&l->pertask->tasks, &cursor))) {
		if (t->root == root && !t->settled)
			return t;
	}
	return NULL;
}

/*
 * Runs before the drain, so that the drain takes all that members reported by then.  Only then can the two
 * be compared.  Very many families take turns; one whose root has ended is always read.
 */
static void family_counters_draining(struct live *l)
{
	struct pertask *p = l->pertask;
	size_t reads = 0;

	for (size_t i = 0; i < p->root_count; i++) {
		struct task *root = p->roots[i];

		root->has_total = false;
		if (root->covered && root->ended)
			reads += root_read_totals(l, root);
	}
	for (size_t i = 0; i < p->root_count && reads < ROUND_READS; i++) {
		struct task *root = p->roots[p->next_read++ % p->root_count];

		if (root->covered && !root->has_total)
			reads += root_read_totals(l, root);
	}
}

static void rest_take(struct live *l, struct task *t, const struct cpu_counts *total, size_t event)
{
	size_t events = l->source.evlist->count;
	struct task *root = t->root;
	const struct count *reported = &totals_on(&root->reported, total->cpu, events)[event];
	const struct count *seen = &totals_on(&t->seen, total->cpu, events)[event];
	const struct count *all = &total->counts[event];
	struct reading now = { .event = event,
			       .cpu = total->cpu,
			       .value = seen->value,
			       .running_ns = seen->running_ns,
			       .enabled_ns = t->seen.enabled_ns[event] };

	if (all->value > reported->value)
		now.value += all->value - reported->value;
	if (all->running_ns > reported->running_ns)
		now.running_ns += all->running_ns - reported->running_ns;
	if (root->total.enabled_ns[event] > root->reported.enabled_ns[event])
		now.enabled_ns += root->total.enabled_ns[event] - root->reported.enabled_ns[event];
	if (now.value != seen->value || now.running_ns != seen->running_ns)
		task_take(l, t, &now);
}

/* The part of the total that no member reported belongs to the only member. */
static void family_settle(struct live *l, struct task *root)
{
	struct task *lone = lone_member(l, root);

	for (size_t i = 0; lone && i < root->total.cpu_count; i++) {
		const struct cpu_counts *total = &root->total.cpus[i];

		for (size_t event = 0; event < total->events && event < l->source.evlist->count;
		     event++)
			rest_take(l, lone, total, event);
	}
}

/* Handing over: one READ for events that share their times. */

static bool increase_is_empty(const struct counter_increase *i)
{
	return !i->value && !i->running_ns && !i->enabled_ns;
}

static void increase_add(struct record_read *read_, size_t event, struct counter_increase *i)
{
	read_->enabled_ns = i->enabled_ns;
	read_->running_ns = i->running_ns;
	read_->values[read_->count].lost = 0;
	read_->values[read_->count].id = event;
	read_->values[read_->count++].value = i->value;
	*i = (struct counter_increase){ 0 };
}

static bool increase_fits(const struct record_read *read_, const struct counter_increase *i)
{
	return read_->enabled_ns == i->enabled_ns && read_->running_ns == i->running_ns &&
	       read_->count < RECORD_READ_MAX;
}

void task_hand_over(struct live *l, struct task *t, uint64_t now_ns)
{
	struct record_read *read_ = &l->pertask->record->read;

	read_->count = read_->dropped = 0;
	for (size_t i = 0; t->has_fresh && i < t->fresh_events; i++) {
		struct counter_increase *fresh = &t->fresh[i];

		if (increase_is_empty(fresh))
			continue;
		if (read_->count && !increase_fits(read_, fresh)) {
			task_hand_over_read(l, t, now_ns);
			read_->count = 0;
		}
		increase_add(read_, i, fresh);
	}
	if (read_->count)
		task_hand_over_read(l, t, now_ns);
	t->has_fresh = false;
}

static void family_counters_drained(struct live *l, uint64_t now_ns)
{
	struct pertask *p = l->pertask;
	size_t cursor = 0;
	struct task *t;

	for (size_t i = 0; i < p->root_count; i++) {
		if (p->roots[i]->has_total && p->roots[i]->open == 1)
			family_settle(l, p->roots[i]);
	}
	while ((t = map_next(&p->tasks, &cursor)))
		task_hand_over(l, t, now_ns);
}

/* Turns. */

static int family_counters_starved(struct live *l, struct task *t)
{
	int starved = -1;

	for (size_t i = 0; i < t->carrier_count && starved < 0; i++)
		starved = turns_look_again(l, &t->carriers[i], TURNS_PATIENCE_NS);
	return starved;
}

static void count_forget(struct totals *t, size_t event)
{
	for (size_t i = 0; i < t->cpu_count; i++) {
		if (event < t->cpus[i].events)
			t->cpus[i].counts[event] = (struct count){ 0 };
	}
	if (event < t->events)
		t->enabled_ns[event] = 0;
}

/* EVENT begins again in the family of ROOT: its new counters start at 0. */
static void family_forget(struct live *l, struct task *root, size_t event)
{
	size_t cursor = 0;
	struct task *t;

	count_forget(&root->reported, event);
	count_forget(&root->total, event);
	while ((t = map_next(&l->pertask->tasks, &cursor))) {
		if (t->root == root)
			count_forget(&t->seen, event);
	}
}

static void moved_forget(struct live *l, struct task *root, struct groups *g)
{
	for (size_t i = 0; i < g->count; i++) {
		for (size_t m = 1; m < g->items[i].count; m++) {
			struct member *member = &g->items[i].members[m];

			if (member->moved)
				family_forget(l, root, (size_t)member->event);
			member->moved = false;
		}
	}
}

/* As with a new event: what was there before keeps nothing of the old and inherits nothing new. */
static int family_counters_arrange(struct live *l, struct task *t)
{
	int err = 0;

	for (size_t i = 0; i < t->carrier_count && !t->ended && err >= 0; i++) {
		struct groups *g = &t->carriers[i];
		size_t fds = groups_fds(g);

		err = groups_arrange(l, g);
		l->pertask->fd_count += groups_fds(g) - fds;
		leaders_know(l, t, g);
	}
	for (size_t i = 0; i < t->carrier_count; i++)
		moved_forget(l, t, &t->carriers[i]);
	return err;
}

/* Stopping and starting: what children inherited follows the root's. */

static int family_counters_enable(struct live *l, struct task *t, size_t event, bool enabled)
{
	int err = 0;

	(void)l;
	for (size_t i = 0; i < t->carrier_count && !err; i++)
		err = groups_enable(&t->carriers[i], event, enabled);
	return err;
}

static int family_counters_run(struct live *l, struct task *t, bool run)
{
	int err = 0;

	(void)l;
	for (size_t i = 0; i < t->carrier_count && !err; i++)
		err = groups_run(&t->carriers[i], run);
	return err;
}

static int family_counters_retune(struct live *l, struct task *t, size_t event, uint64_t value)
{
	int err = 0;

	(void)l;
	for (size_t i = 0; i < t->carrier_count && !err; i++)
		err = groups_retune(&t->carriers[i], event, value);
	return err;
}

/* Another event that is in EVENT's group, or -1. */
static int event_of_group(const struct live *l, size_t event)
{
	const struct evlist *events = l->source.evlist;

	for (size_t i = 0; i < events->count && l->plan.group_of[event] >= 0; i++) {
		if (i != event && l->plan.group_of[i] == l->plan.group_of[event] &&
		    !events->items[i]->removed)
			return (int)i;
	}
	return -1;
}

static void count_begin(struct totals *t, size_t event, size_t like, size_t events)
{
	count_forget(t, event);
	mem_grow_zeroed((void **)&t->enabled_ns, &t->events, events, sizeof(*t->enabled_ns));
	t->enabled_ns[event] = t->enabled_ns[like];
	for (size_t i = 0; i < t->cpu_count; i++) {
		struct cpu_counts *c = &t->cpus[i];

		mem_grow_zeroed((void **)&c->counts, &c->events, events, sizeof(*c->counts));
		c->counts[event].running_ns = c->counts[like].running_ns;
	}
}

/*
 * EVENT has been added to the groups of ROOT.  Its times are its group's, which began long before.  So
 * they continue from those that the other events of the group reported.
 */
static void family_begin(struct live *l, struct task *root, size_t event)
{
	size_t events = l->source.evlist->count;
	int like = event_of_group(l, event);

	if (like < 0) {
		family_forget(l, root, event);
		return;
	}
	count_begin(&root->seen, event, (size_t)like, events);
	count_begin(&root->reported, event, (size_t)like, events);
	count_begin(&root->total, event, (size_t)like, events);
}

static int family_counters_add(struct live *l, struct task *t, size_t event)
{
	int err = 0;

	for (size_t i = 0; i < t->carrier_count && !t->ended && !err; i++) {
		struct groups *g = &t->carriers[i];
		size_t fds = groups_fds(g);

		err = groups_add(l, g, event);
		l->pertask->fd_count += groups_fds(g) - fds;
		leaders_know(l, t, g);
	}
	family_begin(l, t, event);
	return err;
}

static void family_counters_remove(struct live *l, struct task *t, size_t event)
{
	for (size_t i = 0; i < t->carrier_count; i++) {
		size_t fds = groups_fds(&t->carriers[i]);

		groups_remove(&t->carriers[i], event);
		l->pertask->fd_count -= fds - groups_fds(&t->carriers[i]);
	}
}

static void family_counters_exec(struct task *t)
{
	for (size_t i = 0; i < t->carrier_count; i++)
		t->carriers[i].running = true;
}

const struct counting counting_by_family = {
	.attr = family_counters_attr,
	.open_on = family_counters_open_on,
	.close_on = family_counters_close_on,
	.root_need = family_counters_root_need,
	.child_need = family_counters_child_need,
	.draining = family_counters_draining,
	.drained = family_counters_drained,
	.starved = family_counters_starved,
	.arrange = family_counters_arrange,
	.enable = family_counters_enable,
	.run = family_counters_run,
	.retune = family_counters_retune,
	.add = family_counters_add,
	.remove = family_counters_remove,
	.exec = family_counters_exec,
};
