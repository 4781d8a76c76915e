/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * From the bytes in a ring to the receiver: each record is decoded, given its event and its CPU,
 * counted, and handed over.  One table says what each type needs beyond that.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "perf/live/live-state.h"
#include "perf/live/tracepoints.h"
#include "perf/live/waits.h"
#include "perf/live/walks.h"

/* A record that comes so late was not held up on its way (a CPU that a host takes): its clock is another. */
#define LATE_NS NS_PER_S

void live_hand_over(struct live *l, const struct record *r)
{
	l->handed_over++;
	l->receive(l->receive_context, r);
}

/* Says that the next increase of this CPU's counters belongs to nobody. */
static void live_gap(struct live *l, struct cpu *c, uint64_t time_ns)
{
	struct record *gap = mem_alloc(sizeof(*gap));

	gap->type = RECORD_LOST;
	gap->event = -1;
	gap->cpu = c->number;
	gap->time_ns = time_ns;
	c->gap = false;
	live_hand_over(l, gap);
	free(gap);
}

static void sample_count(struct source_stats *stats, const struct record *r)
{
	stats->samples++;
	if (r->event < 0 || r->event >= SOURCE_EVENTS_MAX)
		return;
	stats->event_samples[r->event]++;
	stats->event_periods[r->event] += r->sample.period;
}

static void sample_record(struct live *l, struct cpu *c, struct record *r)
{
	if (c->gap)
		live_gap(l, c, r->time_ns);
	/* A task that was reaped while it still ran has no pid: it is the one that ended here. */
	if (r->tid == UINT32_MAX) {
		r->pid = c->exit_pid;
		r->tid = c->exit_tid;
	}
	l->tier->sample(l, c, r);
	live_correct_period(l, r);
	r->python = walks_find(l, r);
	if (!r->counts_only)
		sample_count(&l->source.stats, r);
	live_hand_over(l, r);
}

static void lost_record(struct live *l, struct cpu *c, struct record *r)
{
	c->losses++;
	l->source.stats.lost += r->lost.count;
	live_hand_over(l, r);
}

/*
 * A throttled event writes nothing until the next tick; since Linux 6.16 its whole group counts
 * nothing meanwhile.  The next increase then belongs to all the tasks that ran meanwhile.  A leader
 * is throttled from perf_event_max_sample_rate switches a second on.  Events beside the groups open
 * no gap.
 */
static void throttle_record(struct live *l, struct cpu *c, struct record *r)
{
	l->source.stats.throttled += r->type == RECORD_THROTTLE;
	if (!tracepoints_find(c, r->id)) {
		c->gap = true;
		c->losses++;
	}
	live_hand_over(l, r);
}

static void sideband_lost_record(struct live *l, struct cpu *c, struct record *r)
{
	(void)c;
	l->source.stats.lost_sideband += r->lost.count;
}

static void exit_record(struct live *l, struct cpu *c, struct record *r)
{
	c->exit_pid = r->task.pid;
	c->exit_tid = r->task.tid;
	live_hand_over(l, r);
}

static void read_record(struct live *l, struct cpu *c, struct record *r)
{
	if (l->tier->read)
		l->tier->read(l, c, r);
}

/* One for each leader of a CPU: the first one's is it. */
static void switch_record(struct live *l, struct cpu *c, struct record *r)
{
	if (!c->groups.count || r->id != c->groups.items[0].members[0].id)
		return;
	if (r->cswitch.out)
		waits_count(l, r->tid);
	live_hand_over(l, r);
}

static void other_record(struct live *l, struct cpu *c, struct record *r)
{
	(void)c;
	live_hand_over(l, r);
}

typedef void record_handler(struct live *l, struct cpu *c, struct record *r);

static record_handler *const record_handlers[LANE_RINGS][RECORD_TYPES] = {
	[LANE_SAMPLES] = {
		[RECORD_SAMPLE] = sample_record,
		[RECORD_LOST] = lost_record,
		[RECORD_LOST_SAMPLES] = lost_record,
		[RECORD_THROTTLE] = throttle_record,
		[RECORD_UNTHROTTLE] = throttle_record,
		[RECORD_READ] = read_record,
		[RECORD_SWITCH_CPU_WIDE] = switch_record,
	},
	[LANE_SIDEBAND] = {
		[RECORD_LOST] = sideband_lost_record,
		[RECORD_LOST_SAMPLES] = sideband_lost_record,
		[RECORD_EXIT] = exit_record,
	},
};

/* In front of the READ: a word each. */
#define BEFORE_READ                                                                     \
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | \
	 PERF_SAMPLE_ADDR | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU |  \
	 PERF_SAMPLE_PERIOD)

/* The READ: how many values, two times, and of each value that and its identifier. */
bool live_first_id(const struct record_layout *layout, const struct perf_event_header *h,
		   uint64_t *id)
{
	size_t at = (size_t)__builtin_popcountll(layout->sample_type & BEFORE_READ);
	size_t words = h->size / sizeof(uint64_t) - 1;
	const char *body = (const char *)(h + 1);
	uint64_t count;

	if (words < at + 5)
		return false;
	memcpy(&count, body + at * sizeof(count), sizeof(count));
	if (!count || count > (words - at - 3) / 2)
		return false;
	memcpy(id, body + (at + 4) * sizeof(*id), sizeof(*id));
	return true;
}

/*
 * The identifier tells whose sample it is.  Software events may share one, also with another profiler's
 * (see cpugroup.c), and none of those has branches.
 */
static bool sample_has_branches(const struct live *l, const struct perf_event_header *h)
{
	uint64_t id, event = SOURCE_NO_EVENT;

	if (h->size >= sizeof(*h) + sizeof(id)) {
		memcpy(&id, h + 1, sizeof(id));
		event = live_event_of(l, id);
	}
	return event < l->source.evlist->count &&
	       live_tells_branches(l->source.evlist->items[event]);
}

static const struct record_layout *layout_of(struct live *l, const struct cpu *c,
					     enum lane_ring ring, const struct perf_event_header *h)
{
	const struct record_layout *layout = &l->source.layout;

	if (ring == LANE_SIDEBAND)
		return &l->sideband_layout;
	if (h->type != PERF_RECORD_SAMPLE)
		return layout;
	if (l->tier->layout)
		layout = l->tier->layout(l, c, h);
	if (!(layout->sample_type & PERF_SAMPLE_BRANCH_STACK) || sample_has_branches(l, h))
		return layout;
	l->plain_layout = *layout;
	l->plain_layout.sample_type &= ~(uint64_t)PERF_SAMPLE_BRANCH_STACK;
	return &l->plain_layout;
}

/*
 * The one place where times are judged: what leaves a live source lies between the last drain and now,
 * and not before the previous record of its ring.  A sample of a software event may bear another
 * profiler's time, by whatever clock (see cpugroup.c, the identifier of a record).  Its own lies behind
 * that of the previous record and behind the last drain, which left nothing that was there.
 */
static void time_correct(struct live *l, struct cpu *c, enum lane_ring ring, struct record *r)
{
	r->estimated = r->time_ns > l->drain.latest_ns || r->time_ns + LATE_NS < l->drained_ns;
	if (r->estimated) {
		l->source.stats.foreign_times++;
		r->time_ns = l->drained_ns;
	}
	if (r->time_ns < c->times_ns[ring])
		r->time_ns = c->times_ns[ring];
	c->times_ns[ring] = r->time_ns;
}

void live_record(void *context, size_t lane, enum lane_ring ring, const void *bytes)
{
	struct live *l = context;
	struct cpu *c = l->cpus[lane];
	struct record *r = &l->record;
	const struct perf_event_header *h = bytes;
	const struct record_layout *layout = layout_of(l, c, ring, h);
	record_handler *handle = other_record;

	l->source.stats.records++;
	l->source.stats.bytes += h->size;
	if (record_decode(layout, bytes, h->size, r) < 0) {
		l->source.stats.malformed++;
		c->gap |= ring == LANE_SAMPLES; /* whose values they were is not known */
		return;
	}
	r->event = -1;
	r->counts_only = r->unattributed = r->switched = false;
	r->no_period = ~layout->sample_type & l->source.layout.sample_type & PERF_SAMPLE_PERIOD;
	r->woken_tid = 0;
	r->increase = 0;
	r->waits = NULL;
	r->python = NULL;
	r->call = CALL_NONE;
	r->cpu = c->number;
	time_correct(l, c, ring, r);
	if (r->type < RECORD_TYPES && record_handlers[ring][r->type])
		handle = record_handlers[ring][r->type];
	if (ring == LANE_SIDEBAND && l->tier->sideband)
		l->tier->sideband(l, r);
	handle(l, c, r);
}

void live_corrupt(void *context, size_t lane, enum lane_ring ring)
{
	struct live *l = context;

	(void)ring;
	l->source.stats.malformed++;
	l->cpus[lane]->gap = true;
}
