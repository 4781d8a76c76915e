/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "perf/live/group.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "perf/live/open.h"

size_t groups_fds(const struct groups *g)
{
	size_t fds = 0;

	for (size_t i = 0; i < g->count; i++)
		fds += g->items[i].count;
	return fds;
}

static int group_run(const struct group *g, bool run)
{
	unsigned long request = run ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE;

	return perf_control(g->members[0].fd, request, 0);
}

int groups_run(struct groups *g, bool run)
{
	int err = 0;

	for (size_t i = 0; i < g->count && !err; i++)
		err = group_run(&g->items[i], run);
	g->running = run && !err;
	return err;
}

/*
 * A member of another PMU than the leader's, such as cpu-clock under context-switches, does not
 * start while its group runs.  It starts when the leader does.  Linux 6.18 was seen to reschedule
 * only the member's PMU.
 */
static int member_enable(const struct groups *g, const struct group *group, const struct member *m,
			 bool enabled)
{
	unsigned long request = enabled ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE;
	bool restart = enabled && g->running;
	int err, restarted = 0;

	if (restart)
		group_run(group, false);
	err = perf_control(m->fd, request, 0);
	if (restart)
		restarted = group_run(group, true);
	return err ? err : restarted;
}

int groups_enable(struct groups *g, size_t event, bool enabled)
{
	int err = 0;

	for (size_t i = 0; i < g->count; i++) {
		const struct group *group = &g->items[i];

		for (size_t m = 1; m < group->count && !err; m++) {
			if (group->members[m].event == (int)event)
				err = member_enable(g, group, &group->members[m], enabled);
		}
	}
	return err;
}

void group_remove_member(struct group *g, size_t at)
{
	close(g->members[at].fd);
	g->count--;
	memmove(&g->members[at], &g->members[at + 1], (g->count - at) * sizeof(*g->members));
}

bool group_is_empty(const struct group *g)
{
	return g->count == g->writer + 1 && (!g->writer || g->members[0].event < 0);
}

/* `slots` leads on, for its parts; nobody is told its count any more. */
static void leader_release(struct group *g, size_t event)
{
	if (g->writer && g->members[0].event == (int)event)
		g->members[0].event = -1;
}

void groups_remove(struct groups *g, size_t event)
{
	for (size_t i = 0; i < g->count; i++) {
		leader_release(&g->items[i], event);
		for (size_t m = g->items[i].count; m-- > 1;) {
			if (g->items[i].members[m].event == (int)event)
				group_remove_member(&g->items[i], m);
		}
	}
}

bool groups_have(const struct groups *g, size_t event)
{
	for (size_t i = 0; i < g->count; i++) {
		for (size_t m = 0; m < g->items[i].count; m++) {
			if (g->items[i].members[m].event == (int)event)
				return true;
		}
	}
	return false;
}

int groups_retune(const struct groups *g, size_t event, uint64_t value)
{
	int err = 0;

	for (size_t i = 0; i < g->count; i++) {
		const struct group *group = &g->items[i];

		for (size_t m = 1; m < group->count; m++) {
			int failed = 0;

			if (group->members[m].event == (int)event)
				failed = perf_control(group->members[m].fd, PERF_EVENT_IOC_PERIOD,
						      (uintptr_t)&value);
			err = failed ? failed : err;
		}
	}
	return err;
}

int groups_lead_at(const struct groups *g, uint64_t period)
{
	int err = 0;

	for (size_t i = 0; i < g->count; i++) {
		const struct group *group = &g->items[i];
		int failed = perf_control(group->members[group->writer].fd, PERF_EVENT_IOC_PERIOD,
					  (uintptr_t)&period);

		err = failed ? failed : err;
	}
	return err;
}

bool group_waits(struct group *g, uint64_t enabled_ns, uint64_t running_ns, uint64_t patience_ns)
{
	if (running_ns > g->ran_ns || enabled_ns < g->ran_at_ns) {
		g->ran_ns = running_ns;
		g->ran_at_ns = enabled_ns;
		return false;
	}
	return enabled_ns - g->ran_at_ns >= patience_ns;
}
