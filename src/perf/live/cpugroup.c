/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * Tier 1: exact counters of every task without a descriptor per task.
 *
 * Each CPU has one group (more when the counters do not fit into one).  Its leader counts context
 * switches and writes a record at each of them, while the task that gives up the CPU is still
 * current.  The sampled events and the plain counters are its siblings.  So every record, of a
 * switch or a sample, carries all values.  The increase since the last record on that CPU belongs
 * to the record's task.
 *
 * Slots of the pipeline have a group that their own counter leads, which cannot sample; under it a counter of switches
 * writes the records.  `writer` is the member of a group that does so.
 *
 * The leader never counts user or kernel mode only: with exclude_kernel it would write nothing.
 * All members need the leader's clock, or the kernel refuses them with EINVAL.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "perf/event/attr.h"
#include "perf/live/group-open.h"
#include "perf/live/grouptime.h"
#include "perf/live/live-state.h"
#include "perf/live/sums.h"
#include "perf/live/wait-sums.h"
#include "perf/live/tracepoints.h"
#include "perf/live/open.h"
#include "perf/event/rate.h"
#include "perf/live/turns.h"
#include "perf/live/walks.h"

/* The event of the list whose work the leader does, or -1. */
static int leader_event_find(const struct evlist *events)
{
	for (size_t i = 0; i < events->count; i++) {
		const struct evsel *e = events->items[i];

		if (e->type == PERF_TYPE_SOFTWARE && e->config == PERF_COUNT_SW_CONTEXT_SWITCHES &&
		    !e->exclude_kernel && !e->exclude_user)
			return (int)i;
	}
	return -1;
}

static bool leader_is_sampled(const struct live *l)
{
	return l->leader_event >= 0 &&
	       l->source.evlist->items[l->leader_event]->role == EVSEL_SAMPLE;
}

/* The fields of tracepoints, for a recording: perf report sorts by them. */
static bool wants_raw(const struct live *l)
{
	const struct evlist *events = l->source.evlist;
	bool found = false;

	for (size_t i = 0; i < events->count && l->options.raw; i++)
		found |= events->items[i]->type == PERF_TYPE_TRACEPOINT;
	return found;
}

/*
 * A software event whose samples have a PERIOD writes one at every occurrence, whatever its period is
 * (perf_swevent_event() in kernel/events/core.c).
 */
static void occurrence_layout_choose(struct live *l)
{
	l->occurrence_layout = l->source.layout;
	l->occurrence_layout.sample_type &= ~(uint64_t)PERF_SAMPLE_PERIOD;
	l->occurrence_layout.sample_type |= PERF_SAMPLE_ADDR;
}

/*
 * So that its period is one, E has none in its samples; cpu_group_sample() knows it by the values.  It
 * has an address instead where others have none: with as many words in front of the values as a leader
 * of little it could not be told from one.
 */
static void occurrence_attr(const struct evsel *e, struct perf_event_attr *attr)
{
	if (e->role != EVSEL_SAMPLE || e->freq_hz || !evsel_is_occurrence(e))
		return;
	attr->sample_type &= ~(uint64_t)PERF_SAMPLE_PERIOD;
	attr->sample_type |= PERF_SAMPLE_ADDR;
}

static void leader_layout_choose(struct live *l)
{
	l->leader_layout = l->stack_layout = l->source.layout;
	l->stack_layout.sample_type &=
		~(uint64_t)(PERF_SAMPLE_READ | PERF_SAMPLE_PERIOD | PERF_SAMPLE_RAW |
			    PERF_SAMPLE_ADDR | PERF_SAMPLE_BRANCH_STACK);
	l->stack_fields_layout = l->stack_layout;
	l->stack_fields_layout.sample_type |= PERF_SAMPLE_RAW;
	if (leader_is_sampled(l))
		return;
	if (l->tells_switches) {
		l->leader_layout.sample_type &= ~(uint64_t)PERF_SAMPLE_PERIOD;
		return;
	}
	l->leader_layout = (struct record_layout){
		.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
			       PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_READ,
		.read_format = LIVE_READ_FORMAT,
		.sample_id_all = true,
	};
}

static void layouts_choose(struct live *l)
{
	l->source.layout.sample_type |= PERF_SAMPLE_READ;
	if (wants_raw(l))
		l->source.layout.sample_type |= PERF_SAMPLE_RAW;
	l->source.layout.read_format = LIVE_READ_FORMAT;
	occurrence_layout_choose(l);
	leader_layout_choose(l);
}

static void cpu_group_enter(struct live *l)
{
	plan_init(&l->plan, l->source.evlist, live_event_room(l));
	l->leader_event = leader_event_find(l->source.evlist);
	l->tells_switches = evlist_has_time(l->source.evlist) && !l->wait_sums;
	l->source.exact_only = leader_is_sampled(l);
	layouts_choose(l);
	live_tell_stack_period(l);
	tracepoints_enter(l);
}

static void leader_attr(const struct live *l, struct perf_event_attr *attr)
{
	attr->size = sizeof(*attr);
	attr->type = PERF_TYPE_SOFTWARE;
	attr->config = PERF_COUNT_SW_CONTEXT_SWITCHES;
	attr->sample_period = live_leader_period(l);
	attr->disabled = 1;
	attr->context_switch = l->tells_switches;
	live_attr_finish(l, &l->leader_layout, NULL, attr);
	if (attr->sample_stack_user > LEADER_STACK_BYTES)
		attr->sample_stack_user = LEADER_STACK_BYTES;
}

static void cpu_group_attr(const struct live *l, const struct evsel *e,
			   struct perf_event_attr *attr)
{
	if (!e) {
		leader_attr(l, attr);
		return;
	}
	evsel_attr_init(e, attr);
	live_attr_finish(l, &l->source.layout, e, attr);
	occurrence_attr(e, attr);
	attr->disabled = !e->enabled;
	/* An idle CPU has no hot function: without this half of a quiet machine's samples are idle. */
	attr->exclude_idle |= e->role == EVSEL_SAMPLE && evsel_is_clock(e);
}

static int cpu_group_cpu_open(struct live *l, struct cpu *c)
{
	int err;

	c->groups.pid = l->cgroup_fd;
	c->groups.flags = l->cgroup_fd < 0 ? 0 : PERF_FLAG_PID_CGROUP;
	c->groups.cpu = (int)c->number;
	c->groups.output_fd = -1;
	if (!l->cpu_count)
		turns_try(l, &c->groups);
	err = groups_lead(l, &c->groups);
	if (err)
		return err;
	c->groups.output_fd = c->groups.items[0].members[0].fd;
	c->ring_fds[LANE_SAMPLES] = c->groups.output_fd;
	c->ring_fds[LANE_SIDEBAND] = live_sideband_open(l, -1, (int)c->number, false);
	if (c->ring_fds[LANE_SIDEBAND] < 0)
		return c->ring_fds[LANE_SIDEBAND];
	err = live_map(l, c);
	if (!err)
		err = groups_fill(l, &c->groups);
	if (!err)
		err = groups_run(&c->groups, true);
	if (err)
		return err;
	turns_settle(l, &c->groups);
	tracepoints_open(l, c);
	return 0;
}

/* Events of a PMU that is on none of the CPUs that were chosen. */
static int cpu_group_start(struct live *l)
{
	for (size_t i = 0; i < l->source.evlist->count; i++) {
		if (l->plan.group_of[i] != GROUP_UNPLACED || (int)i == l->leader_event)
			continue;
		l->plan.group_of[i] = GROUP_NONE;
		live_refuse(l, i, ENODEV);
	}
	return 0;
}

static void cpu_group_cpu_close(struct live *l, struct cpu *c)
{
	tracepoints_free(c);
	free(c->weighed);
	live_unmap(l, c);
	groups_close(l, &c->groups);
	if (c->data_fd >= 0)
		close(c->data_fd);
	if (c->ring_fds[LANE_SIDEBAND] >= 0)
		close(c->ring_fds[LANE_SIDEBAND]);
}

/* Where that fails a mapping is looked up in /proc when it is needed, perhaps too late. */
static void cpu_group_tell_data(struct live *l)
{
	for (size_t i = 0; i < l->cpu_count; i++) {
		struct cpu *c = l->cpus[i];

		c->data_fd = live_data_open(l, (int)c->number, c->ring_fds[LANE_SIDEBAND]);
	}
}

/* Records from the kernel. */

/*
 * The identifier of a record is not always its own.  The kernel fills the common part of a sample
 * once for all software events that the same occurrence hits (Linux since 6.2:
 * perf_sample_data.sample_flags, passed from event to event by do_perf_sw_event()).  So our records
 * may bear the identifier, the size of the callchain and the time, by its clock, of another event
 * (see handover.c, time_correct()).  That event belongs to another profiler on this machine, or to
 * another group of ours.  It samples context switches or page faults as well.  The values of
 * PERF_SAMPLE_READ are always those of the event's own group.
 */

/* The group with that leader, or NULL. */
static struct group *group_of_leader(const struct cpu *c, uint64_t id)
{
	for (size_t i = 0; i < c->groups.count; i++) {
		if (c->groups.items[i].members[0].id == id)
			return &c->groups.items[i];
	}
	return NULL;
}

/* Returns true if the READ of the record at H, laid out as LAYOUT, is one of a group of C. */
static bool is_sample_of(const struct cpu *c, const struct record_layout *layout,
			 const struct perf_event_header *h)
{
	uint64_t id;

	return live_first_id(layout, h, &id) && group_of_leader(c, id);
}

/*
 * Members have more before the READ than a leader, and may have more behind it.  The length does
 * not tell them apart, for it is shared as well: a record has the other event's callchain in its
 * size, and nothing there (perf_sample_data.dyn_size).  The place of the first value's identifier
 * tells them apart.  A member is looked for first: where a leader has its count of values, a member
 * has a period, which may be as small.  A leader's record, read as a member's, would have a time as
 * its count.
 */
static const struct record_layout *cpu_group_layout(const struct live *l, const struct cpu *c,
						    const struct perf_event_header *h)
{
	const struct record_layout *tracepoint = tracepoints_layout(c, h);

	if (tracepoint)
		return tracepoint;
	if (is_sample_of(c, &l->source.layout, h))
		return &l->source.layout;
	if (is_sample_of(c, &l->occurrence_layout, h))
		return &l->occurrence_layout;
	if (l->source.exact_only || !is_sample_of(c, &l->leader_layout, h))
		return &l->source.layout;
	return &l->leader_layout;
}

/*
 * A leader cannot be stopped when its event is switched off, because then no record would be written,
 * and the parts of slots would not be counted.  So its value is held here instead, and counts of that
 * time stay hidden for good.
 */
static uint64_t leader_show(const struct live *l, struct group *g, uint64_t value)
{
	if (l->source.evlist->items[g->members[0].event]->enabled)
		g->shown = value - g->hidden;
	else
		g->hidden = value - g->shown;
	return g->shown;
}

/* VALUE of member I of G, as it is to be told. */
static uint64_t member_show(const struct live *l, struct group *g, size_t i, uint64_t value)
{
	return i || g->members[0].event < 0 ? value : leader_show(l, g, value);
}

/*
 * The kernel writes the leader first and the members in the order in which they were opened.  A member that is no event
 * of the list, such as a counter of switches that only writes records, is left out.
 */
static void values_translate(struct live *l, struct group *g, struct record_read *read)
{
	uint64_t clocks = read->clocks;
	uint32_t count = read->count;

	read->clocks = 0;
	read->count = 0;
	for (uint32_t i = 0; i < count; i++) {
		uint64_t id = read->values[i].id;
		bool member = g && i < g->count && g->members[i].id == id;

		if (member && g->members[i].event < 0)
			continue;
		read->clocks |= (clocks >> i & 1) << read->count;
		read->values[read->count] = read->values[i];
		if (member)
			read->values[read->count].value =
				member_show(l, g, i, read->values[i].value);
		read->values[read->count++].id =
			member ? (uint64_t)g->members[i].event : live_event_of(l, id);
	}
}

static bool is_of_writer(const struct cpu *c, uint64_t id)
{
	for (size_t i = 0; i < c->groups.count; i++) {
		if (c->groups.items[i].members[c->groups.items[i].writer].id == id)
			return true;
	}
	return false;
}

/* The number of switches in READ, of G. */
static uint64_t switches_in(const struct group *g, const struct record_read *read)
{
	return g->writer < read->count ? read->values[g->writer].value : 0;
}

/* Returns true if the writer of G made the record: it has counted more since its last one. */
static bool writer_made(const struct live *l, const struct cpu *c, const struct group *g,
			const struct record *r)
{
	return is_of_writer(c, r->id) ||
	       (live_event_of(l, r->id) == SOURCE_NO_EVENT &&
		switches_in(g, &r->sample.read) != g->members[g->writer].value);
}

/* A record of our own on C, whose values are to be filled in: what they grow by is nobody's. */
static struct record *record_of_nobody(const struct cpu *c, uint64_t time_ns)
{
	struct record *r = mem_alloc(sizeof(*r));

	r->type = RECORD_SAMPLE;
	r->event = -1;
	r->counts_only = r->unattributed = true;
	r->cpu = c->number;
	r->time_ns = time_ns;
	return r;
}

/* A record with nothing but the number of switches on C, and the times of the record before. */
static void switches_hand_over(struct live *l, struct cpu *c, struct group *g,
			       const struct record *now, uint64_t value)
{
	struct record *r = record_of_nobody(c, now->time_ns);

	r->sample.read.enabled_ns = g->reported_enabled_ns;
	r->sample.read.running_ns = g->reported_running_ns;
	r->sample.read.count = 1;
	r->sample.read.values[0].id = (uint64_t)l->leader_event;
	r->sample.read.values[0].value = leader_show(l, g, value);
	live_hand_over(l, r);
	free(r);
}

/*
 * A leader that writes at each switch has counted one when its record comes, and none when it is a
 * sibling's.  More than that are switches that the kernel wrote no record for: its guard against
 * recursion drops them, on some machines many of the idle task's.  They must not be taken for those
 * of the task that happens to come next.
 */
static void switches_missed(struct live *l, struct cpu *c, struct group *g, const struct record *r,
			    bool led)
{
	uint64_t last = g->members[0].value, now = r->sample.read.values[0].value;

	if (l->leader_event < 0 || live_leader_period(l) != 1 || !last || now <= last + led)
		return;
	switches_hand_over(l, c, g, r, now - led);
}

/* The switches up to record R, which is of the first group of C. */
static void switches_count(struct live *l, struct cpu *c, struct group *g, const struct record *r,
			   bool led)
{
	uint64_t last = g->members[0].value, now = r->sample.read.values[0].value;

	if (now > last)
		l->source.stats.switches += now - last;
	switches_missed(l, c, g, r, led);
}

/* The time that a busy CPU runs between two samples of E; 0: they tell nothing of time. */
static uint64_t tick_ns(const struct evsel *e)
{
	uint64_t hz = rate_reduced(e->freq_hz, e->halvings);

	if (e->role != EVSEL_SAMPLE || !e->enabled || e->exclude_user || e->exclude_kernel ||
	    e->filter)
		return 0;
	if (evsel_is_clock(e))
		return evsel_rate_value(e);
	return evsel_is_hardware(e) && hz ? NS_PER_S / hz : 0;
}

/* The member of G that tells most often of time, or NULL. */
static const struct member *tick_find(const struct live *l, const struct group *g,
				      uint64_t *period_ns)
{
	const struct member *found = NULL;

	*period_ns = 0;
	for (size_t i = g->writer + 1; i < g->count; i++) {
		uint64_t ns = tick_ns(l->source.evlist->items[g->members[i].event]);

		if (!ns || (found && ns >= *period_ns))
			continue;
		found = &g->members[i];
		*period_ns = ns;
	}
	return found;
}

static struct member *member_of(struct group *g, uint64_t id)
{
	for (size_t i = g->writer + 1; i < g->count; i++) {
		if (g->members[i].id == id)
			return &g->members[i];
	}
	return NULL;
}

/*
 * Corrects the values of G's clocks, which count time as well: READ covers MORE_NS more than the
 * record before.
 */
static void clocks_correct(const struct live *l, struct group *g, struct record_read *read,
			   uint64_t more_ns)
{
	for (size_t i = g->writer + 1; i < g->count && i < read->count; i++) {
		struct member *m = &g->members[i];
		const struct evsel *e = l->source.evlist->items[m->event];

		if (!evsel_is_clock(e) || read->values[i].id != m->id)
			continue;
		if (m->value) {
			read->values[i].value = m->value + (e->enabled ? more_ns : 0);
			read->clocks |= 1ull << i;
		}
		m->value = read->values[i].value;
	}
}

/* READ, of a record that MAKER made, becomes what it tells while few switches write one. */
static void sampled_correct(const struct live *l, struct group *g, const struct member *maker,
			    struct record_read *read)
{
	uint64_t more_ns = g->reported_enabled_ns, period_ns;
	const struct member *tick = tick_find(l, g, &period_ns);

	group_time_sample(g, period_ns, maker && maker == tick, read);
	clocks_correct(l, g, read, g->reported_enabled_ns - more_ns);
}

/* Takes the values and times of record R for G; R then gets the corrected times. */
static void group_update(const struct live *l, struct group *g, struct record *r, bool led)
{
	struct member *maker = led ? NULL : member_of(g, r->id);

	g->members[g->writer].value = switches_in(g, &r->sample.read);
	group_time_update(g, maker, r->time_ns, &r->sample.read);
	if (live_leader_period(l) == 1)
		group_time_report(g, &r->sample.read);
	else
		sampled_correct(l, g, maker, &r->sample.read);
}

/* The count of an event on a CPU at its last sample there, and `losses` then. */
struct weighed {
	uint64_t value;
	uint32_t losses;
};

static uint64_t value_of(const struct record_read *read, size_t event)
{
	for (uint32_t i = 0; i < read->count; i++) {
		if (read->values[i].id == event)
			return read->values[i].value;
	}
	return 0;
}

/* Returns true if samples of EVENT may be of another profiler's, with which it shares its identifier. */
static bool may_be_shared(const struct live *l, size_t event)
{
	const struct evsel *e = l->source.evlist->items[event];

	return e->type == PERF_TYPE_SOFTWARE && e->role == EVSEL_SAMPLE && !evsel_is_clock(e) &&
	       !e->open_error && (int)event != l->leader_event;
}

/*
 * The number of occurrences of EVENT since its last sample on C; READ has the values of this
 * sample.
 */
static uint64_t grown(const struct cpu *c, const struct record_read *read, size_t event)
{
	uint64_t now = value_of(read, event), before = c->weighed[event].value;

	return now >= before ? now - before : now; /* one that was opened anew starts at 0 */
}

/*
 * The sampled software event that made R, whose identifier is another profiler's.  Where there are
 * several, the values tell: its own counter has got on by a period since its last sample.  -1: unknown.
 */
static int shared_event(const struct live *l, const struct cpu *c, const struct record *r)
{
	const struct evlist *events = l->source.evlist;
	int only = -1, due = -1;
	size_t count = 0;

	for (size_t i = 0; i < events->count; i++) {
		const struct evsel *e = events->items[i];

		if (!may_be_shared(l, i))
			continue;
		only = (int)i;
		count++;
		if (!e->freq_hz && grown(c, &r->sample.read, i) >= rate_period(e))
			due = (int)i;
	}
	return count == 1 ? only : due;
}

/*
 * The number of occurrences that the sample R stands for: those that its event has counted since
 * its last sample on this CPU.  So the sum is what was counted, whatever the period was at each
 * moment.  After a loss it is at most the event's period now, because lost occurrences are not
 * attributed to anybody.
 */
static uint64_t occurrences(struct live *l, struct cpu *c, const struct record *r)
{
	const struct evsel *e = l->source.evlist->items[r->event];
	uint64_t more = grown(c, &r->sample.read, (size_t)r->event);
	struct weighed *w = &c->weighed[r->event];

	if (w->losses != c->losses && more > rate_period(e))
		more = rate_period(e);
	*w = (struct weighed){ value_of(&r->sample.read, (size_t)r->event), c->losses };
	return more ? more : 1;
}

/* Whose sample R is: of a member of G, or only told for its values. */
static void member_sample(struct live *l, struct cpu *c, struct record *r)
{
	uint64_t event = live_event_of(l, r->id);
	const struct evsel *e;

	if (!c->weighed)
		c->weighed = mem_array(live_event_room(l), sizeof(*c->weighed));
	r->event = event != SOURCE_NO_EVENT ? (int)event : shared_event(l, c, r);
	r->counts_only = r->event < 0;
	e = r->event < 0 ? NULL : l->source.evlist->items[r->event];
	if (e && !e->freq_hz && evsel_is_occurrence(e))
		r->sample.period = occurrences(l, c, r);
}

static void group_sample(struct live *l, struct cpu *c, struct record *r)
{
	struct record_read *read = &r->sample.read;
	struct group *g = read->count ? group_of_leader(c, read->values[0].id) : NULL;
	bool led = g && writer_made(l, c, g, r);

	if (g && g == c->groups.items)
		switches_count(l, c, g, r, led);
	if (g)
		group_update(l, g, r, led);
	values_translate(l, g, read);
	if (!led) {
		member_sample(l, c, r);
		return;
	}
	l->source.stats.switch_records++;
	r->switched = g == c->groups.items;
	r->event = g->members[g->writer].event;
	r->counts_only = r->event < 0 || !leader_is_sampled(l) ||
			 !l->source.evlist->items[r->event]->enabled;
}

static void cpu_group_sample(struct live *l, struct cpu *c, struct record *r)
{
	if (!tracepoints_sample(l, c, r))
		group_sample(l, c, r);
}

static void cpu_group_sideband(struct live *l, const struct record *r)
{
	if (r->type == RECORD_EXIT)
		tracepoints_ended(l, r->task.tid);
}

/* Turns. */

#define LOOK_NS 50000000u /* between two looks at who waits for a turn */

/* When the newest record was that is handed over. */
static uint64_t newest_ns(const struct live *l)
{
	uint64_t newest = 0;

	for (size_t i = 0; i < l->cpu_count; i++) {
		for (int ring = 0; ring < LANE_RINGS; ring++) {
			if (l->cpus[i]->times_ns[ring] > newest)
				newest = l->cpus[i]->times_ns[ring];
		}
	}
	return newest;
}

/*
 * Hands over the last values of G on C, which is about to be closed, above all the time that it
 * waited.  So the counts are scaled by that as well.
 */
static void group_hand_over(struct live *l, const struct cpu *c, struct group *g)
{
	uint64_t words[3 + 2 * RECORD_READ_MAX];
	size_t first = g->writer ? 0 : 1; /* where the values of events begin */
	struct record *r;

	if (g->count < 2 || g->count > RECORD_READ_MAX ||
	    perf_read(g->members[0].fd, words, 3 + 2 * g->count) < 0)
		return;
	r = record_of_nobody(c, newest_ns(l));
	r->sample.read.enabled_ns = words[1];
	r->sample.read.running_ns = words[2];
	for (size_t i = first; i < g->count; i++) {
		r->sample.read.values[i - first].id = (uint64_t)(int64_t)g->members[i].event;
		r->sample.read.values[i - first].value = member_show(l, g, i, words[3 + 2 * i]);
	}
	r->sample.read.count = (uint32_t)(g->count - first);
	live_hand_over(l, r);
	free(r);
}

/* The last words of all groups of C. */
static void groups_hand_over(struct live *l, const struct cpu *c)
{
	for (size_t i = 0; i < c->groups.count; i++)
		group_hand_over(l, c, &c->groups.items[i]);
}

/* All groups as the plan has them.  Counts from before are not continued. */
static void groups_follow(struct live *l)
{
	l->plan.stale = false;
	for (size_t i = 0; i < l->cpu_count; i++) {
		struct cpu *c = l->cpus[i];

		groups_hand_over(l, c);
		c->gap |= groups_arrange(l, &c->groups) > 0;
	}
}

static void cpu_group_drained(struct live *l, uint64_t now_ns)
{
	int starved = -1;

	tracepoints_drained(l, now_ns);
	sums_drained(l, now_ns);
	if (l->plan.stale)
		groups_follow(l);
	if (now_ns - l->looked_ns < LOOK_NS)
		return;
	l->looked_ns = now_ns;
	for (size_t i = 0; i < l->cpu_count && starved < 0; i++)
		starved = turns_look(l, &l->cpus[i]->groups, TURNS_PATIENCE_NS);
	if (starved < 0)
		return;
	turns_relieve(l, (size_t)starved);
	if (l->plan.stale)
		groups_follow(l);
}

/* Stopping and starting. */

static int cpu_group_set_enabled(struct live *l, size_t event, bool enabled)
{
	const struct evsel *e = l->source.evlist->items[event];
	int err = 0;

	if (evsel_is_made(e)) {
		tracepoints_enable(l, e, enabled);
		return 0;
	}
	for (size_t i = 0; i < l->cpu_count && !err; i++) {
		err = groups_enable(&l->cpus[i]->groups, event, enabled);
		/* A switch may have gone by while the group stood still. */
		l->cpus[i]->gap |= enabled;
	}
	return err;
}

static int cpu_group_retune(struct live *l, size_t event, uint64_t value)
{
	const struct tracepoint_family *family = tracepoints_of(l->source.evlist->items[event]);
	int err = 0;

	if ((int)event == l->leader_event)
		return -EOPNOTSUPP;
	if (family)
		return family->retune ? family->retune(l, event) : -EOPNOTSUPP;
	for (size_t i = 0; i < l->cpu_count && !err; i++)
		err = groups_retune(&l->cpus[i]->groups, event, value);
	return err;
}

/* Clocks then go on from the kernel's counts. */
static void clocks_forget(struct groups *groups)
{
	for (size_t i = 0; i < groups->count; i++) {
		const struct group *g = &groups->items[i];

		for (size_t m = g->writer + 1; m < g->count; m++)
			g->members[m].value = 0;
	}
}

/* Leaders write as often as they are to. */
static void leaders_follow(struct live *l)
{
	tracepoints_follow(l);
	for (size_t i = 0; i < l->cpu_count && !l->source.exact_only; i++)
		groups_lead_at(&l->cpus[i]->groups, live_leader_period(l));
}

static void cpu_group_lead(struct live *l)
{
	leaders_follow(l);
	for (size_t i = 0; i < l->cpu_count && !l->source.exact_only; i++) {
		clocks_forget(&l->cpus[i]->groups);
		/* Between records of the one kind and of the other several tasks may have run. */
		l->cpus[i]->gap = true;
	}
}

/* New settings. */

/* The settings of all records that the kernel writes. */
struct settings {
	struct source_options options;
	struct record_layout samples, occurrences, leaders, stacks, stack_fields;
	size_t ring_pages;
	bool tells_switches, deferred;
};

static struct settings settings_of(const struct live *l)
{
	return (struct settings){ l->options,       l->source.layout,  l->occurrence_layout,
				  l->leader_layout, l->stack_layout,   l->stack_fields_layout,
				  l->ring_pages,    l->tells_switches, l->deferred };
}

static void settings_apply(struct live *l, const struct settings *a)
{
	l->options = a->options;
	l->source.layout = a->samples;
	l->occurrence_layout = a->occurrences;
	l->leader_layout = a->leaders;
	l->stack_layout = a->stacks;
	l->stack_fields_layout = a->stack_fields;
	l->ring_pages = a->ring_pages;
	l->tells_switches = a->tells_switches;
	l->deferred = a->deferred;
}

/* The new groups of a CPU. */
struct fresh {
	struct groups groups;
	struct mapping map; /* of its ring */
};

static int fresh_open(struct live *l, const struct cpu *c, struct fresh *f)
{
	int err;

	f->groups = (struct groups){ .pid = c->groups.pid,
				     .cpu = c->groups.cpu,
				     .flags = c->groups.flags,
				     .output_fd = -1 };
	err = groups_lead(l, &f->groups);
	if (err)
		return err;
	f->groups.output_fd = f->groups.items[0].members[0].fd;
	err = mapping_open(&f->map, f->groups.output_fd, l->ring_pages);
	return err ? err : groups_fill(l, &f->groups);
}

static void fresh_close(struct live *l, struct fresh *f)
{
	mapping_close(&f->map);
	groups_close(l, &f->groups);
}

/* F becomes what C has; what it had is closed. */
static void fresh_take(struct live *l, struct cpu *c, struct fresh *f)
{
	struct fresh old = { c->groups, c->maps[LANE_SAMPLES] };
	struct epoll_event event = { .events = EPOLLIN, .data.fd = f->groups.output_fd };

	epoll_ctl(l->epoll_fd, EPOLL_CTL_DEL, c->ring_fds[LANE_SAMPLES], NULL);
	c->groups = f->groups;
	c->maps[LANE_SAMPLES] = f->map;
	c->ring_fds[LANE_SAMPLES] = f->groups.output_fd;
	mapping_ring(&c->maps[LANE_SAMPLES], &c->lane.rings[LANE_SAMPLES], l->bounce);
	l->cpu_lost |= epoll_ctl(l->epoll_fd, EPOLL_CTL_ADD, event.data.fd, &event) < 0;
	c->gap = true;
	tracepoints_redirect(c);
	fresh_close(l, &old);
}

/* From the old groups to the new ones; what the old ones have written is read before they go. */
static void fresh_take_all(struct live *l, struct fresh *fresh)
{
	for (size_t i = 0; i < l->cpu_count; i++) {
		groups_run(&l->cpus[i]->groups, false);
		groups_run(&fresh[i].groups, true);
	}
	if (l->receive)
		drain_run(&l->drain, clock_monotonic_ns(&clock_system));
	for (size_t i = 0; i < l->cpu_count && l->receive; i++)
		groups_hand_over(l, l->cpus[i]);
	for (size_t i = 0; i < l->cpu_count; i++)
		fresh_take(l, l->cpus[i], &fresh[i]);
	walks_renew(l);
}

/*
 * Opens the groups of L anew, with its settings instead of BEFORE.  An open event cannot be
 * changed, and a ring belongs to one event.  So all new groups are opened beside the old ones.
 * Returns 0, or a negative errno, and L has the settings BEFORE.
 */
static int groups_renew(struct live *l, const struct settings *before)
{
	struct fresh *fresh = mem_array(l->cpu_count, sizeof(*fresh));
	struct settings after;
	int err = 0;

	for (size_t i = 0; i < l->cpu_count && !err; i++)
		err = fresh_open(l, l->cpus[i], &fresh[i]);
	after = settings_of(l);
	settings_apply(l, before); /* what is in the old rings */
	for (size_t i = 0; i < l->cpu_count && err; i++)
		fresh_close(l, &fresh[i]);
	if (!err) {
		fresh_take_all(l, fresh);
		settings_apply(l, &after);
	}
	leaders_follow(l);
	tracepoints_renew(l);
	live_tell_stack_period(l);
	free(fresh);
	return err;
}

/* From now on leaders tell of switches, with stacks, or do not.  As groups_renew(). */
static int leaders_tell(struct live *l, bool tell)
{
	const struct settings before = settings_of(l);

	l->tells_switches = tell;
	l->deferred = false;
	leader_layout_choose(l);
	return groups_renew(l, &before);
}

/* With the largest rings that may be locked in memory beside those that are there. */
static int cpu_group_take_stacks(struct live *l, const struct stack_choice *choice)
{
	const struct settings before = settings_of(l);
	struct settings wanted;
	int err;

	live_ask_stacks(l, choice);
	/* An event of time that was removed has left it so. */
	l->tells_switches &= l->options.callchains;
	layouts_choose(l);
	wanted = settings_of(l);
	for (;;) {
		err = groups_renew(l, &before);
		wanted.ring_pages /= 2;
		if ((err != -ENOLCK && err != -ENOMEM) || !wanted.ring_pages)
			return err;
		settings_apply(l, &wanted);
	}
}

/* Families of the events of time that the kernel has summed so far. */
static int families_add(struct live *l)
{
	const struct evlist *events = l->source.evlist;
	int err = 0;

	for (size_t i = 0; i < events->count && !err; i++) {
		const struct evsel *e = events->items[i];
		const struct tracepoint_family *family = tracepoints_of(e);

		if (family && evsel_is_time(e) && !evsel_is_syscalls(e) && !e->removed &&
		    !e->open_error)
			err = family->add(l, i);
	}
	return err;
}

/*
 * With an event of time switches bring stacks: without them it would not be known what is waited for.  The kernel's
 * sums do not suffice for all of these events.  They hand over their figures and close; only then do families open, for
 * beside sums families open nothing.  Until then both tell of a switch: source.summed_ns says which of them counts.
 */
static int switches_tell(struct live *l)
{
	bool summed = l->wait_sums;
	int err;

	if (l->tells_switches || !evlist_has_time(l->source.evlist) || wait_sums_suffice(l))
		return 0;
	err = l->options.callchains ? leaders_tell(l, true) : -EALREADY;
	if (err)
		return err;
	wait_sums_end(l);
	return summed ? families_add(l) : 0;
}

static int made_add(struct live *l, size_t event)
{
	const struct tracepoint_family *family = tracepoints_of(l->source.evlist->items[event]);
	int err;

	l->plan.group_of[event] = GROUP_NONE;
	err = switches_tell(l);
	if (!err && family)
		err = family->add(l, event);
	if (err && l->tells_switches && !evlist_has_time(l->source.evlist))
		leaders_tell(l, false);
	return err;
}

static int cpu_group_add(struct live *l, size_t event)
{
	int err = 0;

	if (evsel_is_made(l->source.evlist->items[event]))
		return made_add(l, event);
	l->plan.group_of[event] = GROUP_UNPLACED;
	for (size_t i = 0; i < l->cpu_count && !err; i++) {
		err = groups_add(l, &l->cpus[i]->groups, event);
		l->cpus[i]->gap = true;
	}
	if (!err && l->plan.group_of[event] == GROUP_UNPLACED && (int)event != l->leader_event) {
		l->plan.group_of[event] = GROUP_NONE;
		err = -ENODEV;
	}
	return err;
}

/* When none is left that needs it, switches cost again what they did. */
static void made_remove(struct live *l, size_t event)
{
	struct evsel *e = l->source.evlist->items[event];
	const struct tracepoint_family *family = tracepoints_of(e);

	e->removed = true;
	if (l->tells_switches && !evlist_has_time(l->source.evlist))
		leaders_tell(l, false);
	if (!evlist_has_time(l->source.evlist))
		wait_sums_close(l);
	if (family)
		family->remove(l, event);
	e->removed = false;
}

static void cpu_group_remove(struct live *l, size_t event)
{
	if (evsel_is_made(l->source.evlist->items[event])) {
		made_remove(l, event);
		return;
	}
	for (size_t i = 0; i < l->cpu_count; i++)
		groups_remove(&l->cpus[i]->groups, event);
}

static int cpu_group_suspend(struct live *l, bool suspended)
{
	int err = 0;

	for (size_t i = 0; i < l->cpu_count && !err; i++) {
		err = groups_run(&l->cpus[i]->groups, !suspended);
		tracepoints_run(l->cpus[i], !suspended);
	}
	sums_run(l, !suspended);
	return err;
}

const struct live_tier live_tier_cpu_group = {
	.enter = cpu_group_enter,
	.cpu_open = cpu_group_cpu_open,
	.cpu_close = cpu_group_cpu_close,
	.start = cpu_group_start,
	.attr = cpu_group_attr,
	.layout = cpu_group_layout,
	.sample = cpu_group_sample,
	.sideband = cpu_group_sideband,
	.drained = cpu_group_drained,
	.set_enabled = cpu_group_set_enabled,
	.retune = cpu_group_retune,
	.lead = cpu_group_lead,
	.add = cpu_group_add,
	.take_stacks = cpu_group_take_stacks,
	.tell_data = cpu_group_tell_data,
	.remove = cpu_group_remove,
	.suspend = cpu_group_suspend,
	.leave = tracepoints_leave,
};
