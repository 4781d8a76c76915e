/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_PERF_LIVE_GROUP_OPEN_H
#define PTOP_PERF_LIVE_GROUP_OPEN_H

#include <stdbool.h>
#include <stddef.h>

/* Opens kernel groups as the plan says.  A file of the live source: see live-state.h. */
struct live;
struct groups;

/* Opens one more leader, stopped.  0 or a negative errno. */
int groups_lead(struct live *l, struct groups *g);

/*
 * Opens all members; the first leader is there.  An event that the machine lacks is marked in the
 * evlist the first time and costs nothing afterwards.  An event that cannot be sampled is counted.
 * Returns 0, or a negative errno if nothing more can be opened.
 */
int groups_fill(struct live *l, struct groups *g);

/*
 * Closes members that the plan has in another group, and opens them there: their counts begin again.
 * 1 when some moved, 0, or a negative errno.
 */
int groups_arrange(struct live *l, struct groups *g);

/*
 * Opens one more event in running groups and starts it.  The groups stop for a moment.  0, also when
 * the machine does not have it, or a negative errno.
 */
int groups_add(struct live *l, struct groups *g, size_t event);

void groups_close(struct live *l, struct groups *g);

/* The descriptors that groups_fill() needs at most for one more CPU or task. */
size_t groups_need(const struct live *l);

/*
 * EVENT, which is open, can be counted but not sampled, and is so from now on.  In the place of one
 * that nobody named the clock is sampled, as one more event at the end of the list.
 */
void live_count_only(struct live *l, size_t event);

bool error_is_absence(int err);  /* the machine or this CPU does not have that event */
bool error_is_shortage(int err); /* descriptors or memory: no event's fault */

#endif
