/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "perf/live/grouptime.h"

/*
 * NOW on the clock that goes *LATE behind one that showed LAST, on the latter.  It cannot have gone back,
 * nor by more than MOST; *LATE follows.
 */
static uint64_t clock_follow(uint64_t last, uint64_t now, uint64_t *late, uint64_t most)
{
	uint64_t at = now + *late;

	if (*late && at > last && at - last > most)
		at = last + most;
	if (at < last)
		at = last;
	*late = at > now ? at - now : 0;
	return at;
}

void group_time_update(struct group *g, struct member *maker, uint64_t time_ns,
		       const struct record_read *read)
{
	uint64_t passed_ns = time_ns > g->last_record_ns ? time_ns - g->last_record_ns : 0;
	uint64_t enabled_ns = g->enabled_ns;
	struct member unknown = { 0 };

	if (!maker)
		maker = &unknown;
	g->enabled_ns =
		clock_follow(g->enabled_ns, read->enabled_ns, &maker->late_enabled_ns, passed_ns);
	g->running_ns = clock_follow(g->running_ns, read->running_ns, &maker->late_running_ns,
				     g->enabled_ns - enabled_ns);
	g->last_record_ns = time_ns;
}

void group_time_report(struct group *g, struct record_read *read)
{
	read->enabled_ns = g->reported_enabled_ns = g->enabled_ns;
	read->running_ns = g->reported_running_ns = g->running_ns;
}

void group_time_sample(struct group *g, uint64_t tick_ns, bool ticked, struct record_read *read)
{
	uint64_t on_ns = g->enabled_ns - g->reported_enabled_ns;
	uint64_t ran_ns = g->running_ns - g->reported_running_ns;

	/* A late sample is followed by an early one. */
	if (ran_ns > tick_ns + tick_ns / 2) {
		read->other_running_ns = ran_ns - tick_ns;
		read->other_enabled_ns =
			(uint64_t)((double)on_ns * (double)(ran_ns - tick_ns) / (double)ran_ns);
	}
	if (ticked) {
		group_time_report(g, read);
		return;
	}
	read->enabled_ns = g->reported_enabled_ns += read->other_enabled_ns;
	read->running_ns = g->reported_running_ns += read->other_running_ns;
}
