/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "perf/live/group-open.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/i18n.h"
#include "perf/live/live-state.h"
#include "perf/live/open.h"
#include "perf/live/walks.h"
#include "perf/event/rate.h"

void live_count_only(struct live *l, size_t event)
{
	struct evsel *e = l->source.evlist->items[event];

	e->role = EVSEL_COUNT;
	if (!e->is_default)
		live_note(l, _("%s cannot be sampled here, it is counted."), e->name);
	else if (l->source.evlist->count < SOURCE_EVENTS_MAX)
		evlist_add(l->source.evlist, evsel_clock_for(e));
}

bool error_is_absence(int err)
{
	return err == -ENOENT || err == -EOPNOTSUPP || err == -ENODEV || err == -EINVAL;
}

bool error_is_shortage(int err)
{
	return err == -EMFILE || err == -ENFILE || err == -ENOMEM;
}

static void group_close(struct live *l, struct group *g)
{
	for (size_t i = g->count; i-- > 0;) {
		map_remove(&l->ids, g->members[i].id);
		close(g->members[i].fd);
	}
	free(g->members);
}

void groups_close(struct live *l, struct groups *g)
{
	while (g->count)
		group_close(l, &g->items[--g->count]);
	free(g->items);
	g->items = NULL;
	g->capacity = 0;
}

/* Events that write records use the existing ring, and its filter decides which they write. */
static int output_direct(const struct groups *g, const struct evsel *e,
			 const struct perf_event_attr *attr, int fd)
{
	int err = 0;

	if (e && e->filter)
		err = perf_control(fd, PERF_EVENT_IOC_SET_FILTER, (uintptr_t)e->filter);
	if (!err && (attr->sample_period || attr->inherit_stat) && g->output_fd >= 0)
		err = perf_control(fd, PERF_EVENT_IOC_SET_OUTPUT, (uintptr_t)g->output_fd);
	return err;
}

/*
 * The kernel lowers its highest frequency when interrupts take long, so it may change between two
 * CPUs.  Returns true if E was asked for more than the kernel takes now; ATTR then asks for what it
 * takes.
 */
static bool rate_follow(struct live *l, struct evsel *e, struct perf_event_attr *attr)
{
	uint64_t max_hz = e && attr->freq ? rate_max_hz() : 0;

	if (!max_hz || attr->sample_freq <= max_hz)
		return false;
	live_note_rate(l, max_hz, e->freq_hz);
	e->freq_hz = max_hz;
	attr->sample_freq = rate_reduced(max_hz, e->halvings);
	return true;
}

/* :P, as precise as it goes.  EINVAL may also mean that the group is full, of any precision then. */
static int precise_open(struct live *l, struct evsel *e, struct perf_event_attr *attr,
			const struct groups *g, int leader_fd)
{
	int fd = perf_open(attr, g->pid, g->cpu, leader_fd, g->flags);

	if (fd == -EINVAL && rate_follow(l, e, attr))
		fd = perf_open(attr, g->pid, g->cpu, leader_fd, g->flags);
	while (e && e->precise_max && attr->precise_ip && (fd == -EOPNOTSUPP || fd == -EINVAL)) {
		attr->precise_ip--;
		fd = perf_open(attr, g->pid, g->cpu, leader_fd, g->flags);
	}
	return fd;
}

/*
 * Opens E, or when it is NULL what writes at switches, under LEADER_FD.  An fd or a negative errno.  APART: the only
 * event of the group, when that is pinned or exclusive; the kernel wants the leader to say so.
 */
static int event_open(struct live *l, const struct groups *g, int leader_fd, struct evsel *e,
		      const struct evsel *apart)
{
	struct perf_event_attr attr = { 0 };
	int fd, err;

	l->tier->attr(l, e, &attr);
	attr.pinned = !e && apart && apart->pinned;
	attr.exclusive = !e && apart && apart->exclusive;
	if (!e && leader_fd >= 0)
		attr.disabled = 0; /* it starts and stops with the leader */
	fd = precise_open(l, e, &attr, g, leader_fd);
	if (fd < 0)
		return fd;
	err = output_direct(g, e, &attr, fd);
	if (!err)
		return fd;
	close(fd);
	return err;
}

static void group_add(struct live *l, struct group *g, int fd, int event)
{
	mem_grow((void **)&g->members, &g->capacity, g->count + 1, sizeof(*g->members));
	g->members[g->count++] = (struct member){
		.fd = fd,
		.event = event,
		.id = live_id_add(l, fd, event),
	};
	walks_add(l, fd, event);
}

/* Where its PMU is: an uncore box or one kind of CPU. */
static bool is_on_cpu(const struct evsel *e, const struct groups *g)
{
	return g->cpu < 0 || !e->cpus.count || number_list_has(&e->cpus, (uint32_t)g->cpu);
}

/* How a group is led. */
struct lead {
	const struct evsel *apart; /* whose group it is alone; NULL: nobody's */
	const struct evsel
		*slots; /* some event that needs `slots` as leader; NULL: context switches lead */
};

/* How GROUP of G is to be led when EVENT is to be in the group LAST. */
static struct lead lead_of(const struct live *l, const struct groups *g, size_t group, size_t event,
			   size_t last)
{
	const struct evlist *events = l->source.evlist;
	struct lead lead = { 0 };

	for (size_t i = 0; i < events->count; i++) {
		const struct evsel *e = events->items[i];

		if (i == event ? group != last : l->plan.group_of[i] != (int)group)
			continue;
		if (evsel_is_apart(e))
			lead.apart = e;
		if (evsel_is_of_slots(e) && l->tier == &live_tier_cpu_group && is_on_cpu(e, g))
			lead.slots = e;
	}
	return lead;
}

/* The leader of slots, and under it what writes records: the kernel does not let the leader sample.  As group_lead(). */
static int slots_lead(struct live *l, const struct groups *g, struct group *group,
		      const struct evsel *like)
{
	struct evsel slots = *like;
	int fd, writer;

	slots.config = (slots.config & ~(uint64_t)EVSEL_SLOTS_CODE) | EVSEL_SLOTS_CONFIG;
	slots.enabled = false; /* groups_run() starts it */
	fd = event_open(l, g, -1, &slots, NULL);
	if (fd < 0)
		return fd;
	writer = event_open(l, g, fd, NULL, NULL);
	if (writer < 0) {
		close(fd);
		return writer;
	}
	group->writer = 1;
	group_add(l, group, fd, -1);
	group_add(l, group, writer, -1);
	return 0;
}

/* Opens the leader of GROUP, which counts EVENT as well, or -1.  0 or a negative errno. */
static int group_lead(struct live *l, const struct groups *g, struct group *group, struct lead lead,
		      int event)
{
	int fd;

	if (lead.slots)
		return slots_lead(l, g, group, lead.slots);
	fd = event_open(l, g, -1, NULL, lead.apart);
	if (fd < 0)
		return fd;
	group_add(l, group, fd, event);
	return 0;
}

/* One more group. */
static int groups_lead_as(struct live *l, struct groups *g, struct lead lead)
{
	struct group group = { 0 };
	int err = group_lead(l, g, &group, lead, g->count ? -1 : l->leader_event);

	if (err)
		return err;
	mem_grow((void **)&g->items, &g->capacity, g->count + 1, sizeof(*g->items));
	g->items[g->count++] = group;
	return 0;
}

int groups_lead(struct live *l, struct groups *g)
{
	return groups_lead_as(l, g, (struct lead){ 0 });
}

/* Returns true if EVENT is `slots`, and the leader of G, which counts it, is now its own. */
static bool slots_take(struct live *l, struct group *g, size_t event)
{
	struct member *leader = &g->members[0];

	if (!g->writer || leader->event >= 0 ||
	    l->source.evlist->items[event]->slots != SLOTS_WHOLE)
		return false;
	leader->event = (int)event;
	map_put(&l->ids, leader->id, (void *)(uintptr_t)(event + 1));
	l->source.hardware = true;
	return true;
}

/* Opens EVENT in that group, which is opened if need be. */
static int member_open(struct live *l, struct groups *g, size_t group, size_t event)
{
	int fd, err = 0;

	while (g->count <= group && !err)
		err = groups_lead_as(l, g, lead_of(l, g, g->count, event, group));
	if (err)
		return err;
	if (slots_take(l, &g->items[group], event))
		return 0;
	fd = event_open(l, g, g->items[group].members[0].fd, l->source.evlist->items[event], NULL);
	if (fd < 0)
		return fd;
	group_add(l, &g->items[group], fd, (int)event);
	l->source.hardware |= evsel_is_hardware(l->source.evlist->items[event]);
	return 0;
}

/* Returns false also if there is no such group, because its leader was refused. */
static bool group_has_hardware(const struct live *l, const struct groups *g, size_t group)
{
	const struct group *found;

	if (group >= g->count)
		return false;
	found = &g->items[group];
	for (size_t i = found->writer + 1; i < found->count; i++) {
		if (evsel_is_hardware(l->source.evlist->items[found->members[i].event]))
			return true;
	}
	return false;
}

/* Closes groups at the end that lead nobody, as far as the plan has none for them. */
static void groups_trim(struct live *l, struct groups *g)
{
	size_t kept = plan_new_group(&l->plan);

	while (g->count > kept && group_is_empty(&g->items[g->count - 1]))
		group_close(l, &g->items[--g->count]);
}

/*
 * Opens EVENT in its planned group, or in a new one if that group is full.  The kernel answers
 * EINVAL both to a group that does not fit the PMU and to an event that it does not understand.
 */
static int member_place(struct live *l, struct groups *g, size_t event)
{
	size_t group = plan_group(&l->plan, event);
	int err = member_open(l, g, group, event);

	if (err == -EINVAL && evsel_is_hardware(l->source.evlist->items[event]) &&
	    group_has_hardware(l, g, group)) {
		group = plan_new_group(&l->plan);
		err = member_open(l, g, group, event);
	}
	if (err) {
		groups_trim(l, g);
		return err;
	}
	l->plan.group_of[event] = (int)group;
	plan_placed(&l->plan);
	return 0;
}

/* A PMU that cannot sample may count. */
static int member_place_counter(struct live *l, struct groups *g, size_t event)
{
	struct evsel *e = l->source.evlist->items[event];
	int err;

	if (e->role != EVSEL_SAMPLE || g->counts_only)
		return -EOPNOTSUPP;
	e->role = EVSEL_COUNT;
	err = member_place(l, g, event);
	e->role = EVSEL_SAMPLE;
	if (!err)
		live_count_only(l, event);
	return err;
}

/* The first time, when EVENT gets its group or its refusal. */
static int member_first(struct live *l, struct groups *g, size_t event)
{
	struct evsel *e = l->source.evlist->items[event];
	int err = member_place(l, g, event);

	if (error_is_absence(err) && member_place_counter(l, g, event) == 0)
		return 0;
	if (error_is_absence(err) && evsel_fall_back(e))
		err = member_place(l, g, event);
	if (!err || error_is_shortage(err) || err == -ESRCH)
		return err;
	l->plan.group_of[event] = GROUP_NONE;
	/* Where sampling is apart from counting, what is sampled is there without a counter as well. */
	if (!g->counts_only || e->role != EVSEL_SAMPLE)
		live_refuse(l, event, -err);
	return 0;
}

/* Later: the same group.  A CPU of another kind may lack the event; then it has none there. */
static int member_again(struct live *l, struct groups *g, size_t event)
{
	int err = member_open(l, g, (size_t)l->plan.group_of[event], event);

	return error_is_shortage(err) || err == -ESRCH ? err : 0;
}

static int event_fill(struct live *l, struct groups *g, size_t event)
{
	const struct evsel *e = l->source.evlist->items[event];

	if ((int)event == l->leader_event || l->plan.group_of[event] == GROUP_NONE || e->removed ||
	    !is_on_cpu(e, g))
		return 0;
	if (evsel_is_made(e)) { /* the leader's records, or tracepoints, tell it */
		l->plan.group_of[event] = GROUP_NONE;
		return 0;
	}
	if (l->plan.group_of[event] == GROUP_UNPLACED)
		return member_first(l, g, event);
	return member_again(l, g, event);
}

int groups_fill(struct live *l, struct groups *g)
{
	int err = 0;

	for (size_t i = 0; i < l->source.evlist->count && !err; i++)
		err = event_fill(l, g, i);
	if (!err && l->plan.stale)
		err = groups_arrange(l, g);
	return err < 0 ? err : 0;
}

size_t groups_need(const struct live *l)
{
	return 2 * l->source.evlist->count; /* each may need a leader */
}

/* See member_enable() for why the groups start anew. */
int groups_add(struct live *l, struct groups *g, size_t event)
{
	bool running = g->running;
	int err = event_fill(l, g, event);

	if (!err && l->plan.stale)
		err = groups_arrange(l, g);
	err = err < 0 ? err : 0;
	if (!running)
		return err;
	groups_run(g, false);
	groups_run(g, true);
	return err;
}

static bool is_in_place(const struct live *l, size_t group, const struct member *m)
{
	int planned = m->event < 0 ? GROUP_NONE : l->plan.group_of[m->event];

	return planned < 0 || planned == (int)group;
}

/* Closes what is in another group than the plan has it in. */
static bool members_leave(const struct live *l, struct groups *g)
{
	bool moved = false;

	for (size_t i = 0; i < g->count; i++) {
		struct group *group = &g->items[i];

		for (size_t m = group->count; m-- > group->writer + 1;) {
			if (is_in_place(l, i, &group->members[m]))
				continue;
			group_remove_member(group, m);
			moved = true;
		}
		if (group->writer && !is_in_place(l, i, &group->members[0])) {
			group->members[0].event = -1;
			moved = true;
		}
	}
	return moved;
}

/* Groups that nobody is in any more get leaders as their next members want them; not the first. */
static void leaders_renew(struct live *l, struct groups *g)
{
	const size_t none = l->source.evlist->count;

	for (size_t i = 1; i < g->count; i++) {
		struct group group = { .last_record_ns = g->items[i].last_record_ns };

		if (!group_is_empty(&g->items[i]) ||
		    group_lead(l, g, &group, lead_of(l, g, i, none, 0), -1) < 0)
			continue;
		group_close(l, &g->items[i]);
		g->items[i] = group;
	}
}

/* The member that counts EVENT has moved; `slots` lead their group and are not its last member. */
static void mark_moved(struct group *g, size_t event)
{
	for (size_t i = 0; i < g->count; i++)
		g->members[i].moved |= g->members[i].event == (int)event;
}

/* EVENT in its group; when that one is full after all, in one of its own, for all. */
static int member_move(struct live *l, struct groups *g, size_t event)
{
	size_t group = (size_t)l->plan.group_of[event];
	int err = member_open(l, g, group, event);

	if (err == -EINVAL && group_has_hardware(l, g, group)) {
		group = plan_new_group(&l->plan);
		err = member_open(l, g, group, event);
		l->plan.stale |= !err;
		l->plan.group_of[event] = err ? l->plan.group_of[event] : (int)group;
	}
	if (!err)
		mark_moved(&g->items[group], event);
	return error_is_shortage(err) || err == -ESRCH ? err : 0;
}

int groups_arrange(struct live *l, struct groups *g)
{
	const struct evlist *events = l->source.evlist;
	bool running = g->running;
	int err = 0;

	if (!members_leave(l, g))
		return 0;
	if (running)
		groups_run(g, false);
	leaders_renew(l, g);
	for (size_t i = 0; i < events->count && !err; i++) {
		if (l->plan.group_of[i] >= 0 && (int)i != l->leader_event &&
		    !events->items[i]->removed && is_on_cpu(events->items[i], g) &&
		    !groups_have(g, i))
			err = member_move(l, g, i);
	}
	groups_trim(l, g);
	if (running)
		groups_run(g, true);
	return err ? err : 1;
}
