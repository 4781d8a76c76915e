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
 * Opens E, or when it is NULL a leader, under LEADER_FD.  An fd or a negative errno.  APART: the only
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
}

static int group_lead(struct live *l, struct groups *g, const struct evsel *apart)
{
	bool first = g->count == 0;
	int fd = event_open(l, g, -1, NULL, apart);

	if (fd < 0)
		return fd;
	mem_grow((void **)&g->items, &g->capacity, g->count + 1, sizeof(*g->items));
	g->items[g->count] = (struct group){ 0 };
	group_add(l, &g->items[g->count++], fd, first ? l->leader_event : -1);
	return 0;
}

int groups_lead(struct live *l, struct groups *g)
{
	return group_lead(l, g, NULL);
}

/* Whose group GROUP is alone, when EVENT is to be in the group LAST; NULL: it is an ordinary one. */
static const struct evsel *group_apart(const struct live *l, size_t group, size_t event,
				       size_t last)
{
	const struct evlist *events = l->source.evlist;

	for (size_t i = 0; i < events->count; i++) {
		if (evsel_is_apart(events->items[i]) &&
		    (i == event ? group == last : l->plan.group_of[i] == (int)group))
			return events->items[i];
	}
	return NULL;
}

/* Opens EVENT in that group, which is opened if need be. */
static int member_open(struct live *l, struct groups *g, size_t group, size_t event)
{
	int fd, err = 0;

	while (g->count <= group && !err)
		err = group_lead(l, g, group_apart(l, g->count, event, group));
	if (err)
		return err;
	fd = event_open(l, g, g->items[group].members[0].fd, l->source.evlist->items[event], NULL);
	if (fd < 0)
		return fd;
	group_add(l, &g->items[group], fd, (int)event);
	l->source.hardware |= evsel_is_hardware(l->source.evlist->items[event]);
	return 0;
}

static bool group_has_hardware(const struct live *l, const struct group *g)
{
	for (size_t i = 1; i < g->count; i++) {
		if (evsel_is_hardware(l->source.evlist->items[g->members[i].event]))
			return true;
	}
	return false;
}

/* Closes groups at the end that lead nobody, as far as the plan has none for them. */
static void groups_trim(struct live *l, struct groups *g)
{
	size_t kept = plan_new_group(&l->plan);

	while (g->count > kept && g->items[g->count - 1].count == 1)
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
	    group_has_hardware(l, &g->items[group])) {
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

/* Where its PMU is: an uncore box or one kind of CPU. */
static bool is_on_cpu(const struct evsel *e, const struct groups *g)
{
	return g->cpu < 0 || !e->cpus.count || number_list_has(&e->cpus, (uint32_t)g->cpu);
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

/* Closes what is in another group than the plan has it in. */
static bool members_leave(const struct live *l, struct groups *g)
{
	bool moved = false;

	for (size_t i = 0; i < g->count; i++) {
		for (size_t m = g->items[i].count; m-- > 1;) {
			int group = l->plan.group_of[g->items[i].members[m].event];

			if (group < 0 || group == (int)i)
				continue;
			group_remove_member(&g->items[i], m);
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
		struct member *leader = &g->items[i].members[0];
		int fd;

		if (g->items[i].count > 1)
			continue;
		fd = event_open(l, g, -1, NULL, group_apart(l, i, none, 0));
		if (fd < 0)
			continue;
		close(leader->fd);
		*leader = (struct member){ .fd = fd, .event = -1, .id = live_id_add(l, fd, -1) };
		g->items[i].enabled_ns = g->items[i].running_ns = 0;
		g->items[i].reported_enabled_ns = g->items[i].reported_running_ns = 0;
		g->items[i].ran_ns = g->items[i].ran_at_ns = 0;
	}
}

/* EVENT in its group; when that one is full after all, in one of its own, for all. */
static int member_move(struct live *l, struct groups *g, size_t event)
{
	size_t group = (size_t)l->plan.group_of[event];
	int err = member_open(l, g, group, event);

	if (err == -EINVAL && group_has_hardware(l, &g->items[group])) {
		group = plan_new_group(&l->plan);
		err = member_open(l, g, group, event);
		l->plan.stale |= !err;
		l->plan.group_of[event] = err ? l->plan.group_of[event] : (int)group;
	}
	if (!err)
		g->items[group].members[g->items[group].count - 1].moved = true;
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
