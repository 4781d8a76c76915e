/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "perf/live/waits.h"

#include "base/buf.h"
#include "base/clock.h"
#include "perf/live/control.h"
#include "perf/live/live-state.h"

#define CHOICE_NS NS_PER_S       /* between two choices */
#define HASTE_NS (NS_PER_S / 10) /* likewise, when two seconds' stacks were taken in less */
#define MS 1000000u

/*
 * "prev_pid!=0&&prev_pid!=4711", at most 20 bytes for each thread: the kernel takes a page.  The busiest
 * comes first, for the first that is equal ends the comparison.  The idle task waits for nothing.
 */
static void filter_print(const struct busy *busy, struct buf *text)
{
	buf_add_str(text, "prev_pid!=0");
	for (size_t i = 0; i < busy->left_out; i++)
		buf_printf(text, "&&prev_pid!=%u", busy->threads[i].tid);
	buf_add_char(text, '\0');
}

static int event_open(const struct live *l, struct cpu *c)
{
	struct perf_event_attr attr = { .config = l->waits.switched.id,
					.sample_period = l->waits.busy.others_period };
	struct buf filter = { 0 };
	int err;

	live_attr_finish(l, &l->wait_layout, NULL, &attr);
	if (attr.sample_stack_user > LEADER_STACK_BYTES)
		attr.sample_stack_user = LEADER_STACK_BYTES;
	filter_print(&l->waits.busy, &filter);
	err = tracepoint_open(&c->waits, &attr, &c->groups, filter.bytes);
	buf_fini(&filter);
	return err;
}

static void events_close(struct live *l)
{
	l->waits.enabled = false;
	for (size_t i = 0; i < l->cpu_count; i++)
		tracepoint_close(&l->cpus[i]->waits);
}

/* Where one CPU has none, none has: the others' waits must not seem to be all. */
static void events_open(struct live *l)
{
	int err = 0;

	l->waits.enabled = true;
	for (size_t i = 0; i < l->cpu_count && !err; i++)
		err = event_open(l, l->cpus[i]);
	if (!err)
		return;
	events_close(l);
	l->waits.there = false;
}

void waits_open(struct live *l, struct cpu *c)
{
	if (l->waits.enabled && event_open(l, c))
		events_close(l);
}

static bool are_wanted(const struct live *l)
{
	const struct source *s = &l->source;

	return l->tells_switches && s->reduced.sampled_counters && s->reduced.stacks_hz &&
	       !s->exact_only && l->wait_layout.sample_type & PERF_SAMPLE_CALLCHAIN;
}

static bool tracepoint_is_there(struct live *l)
{
	const struct event_env here = { 0 };
	struct error err = { "" };

	if (l->waits.sought)
		return l->waits.there;
	l->waits.sought = true;
	l->waits.there =
		!tracepoint_find(&l->waits.switched, &here, "sched:sched_switch", "prev_pid", &err);
	return l->waits.there;
}

/* A count over a moment only says nothing: then nobody is left out. */
static bool choose(struct live *l, uint64_t now_ns)
{
	uint64_t elapsed_ns = now_ns - l->waits.chosen_ns;
	uint64_t allowed = l->source.reduced.stacks_hz * (elapsed_ns / MS) / 1000;

	l->waits.chosen_ns = now_ns;
	return busy_choose(&l->waits.busy, elapsed_ns < HASTE_NS ? UINT32_MAX : allowed);
}

void waits_follow(struct live *l)
{
	bool wanted = are_wanted(l) && tracepoint_is_there(l);

	if (wanted == l->waits.enabled)
		return;
	if (wanted) {
		choose(l, clock_monotonic_ns(&clock_system));
		events_open(l);
	} else {
		events_close(l);
	}
}

void waits_count(struct live *l, uint32_t tid)
{
	if (tid && tid != UINT32_MAX)
		busy_count(&l->waits.busy, tid, 1);
}

void waits_look(struct live *l, uint64_t now_ns)
{
	struct waits *w = &l->waits;
	uint64_t elapsed_ns = now_ns - w->chosen_ns;
	bool hastes = w->enabled &&
		      w->busy.others / w->busy.others_period > 2ull * l->source.reduced.stacks_hz;

	if (!l->tells_switches || elapsed_ns < (hastes ? HASTE_NS : CHOICE_NS))
		return;
	if (!w->enabled) {
		busy_forget(&w->busy);
		w->chosen_ns = now_ns;
		return;
	}
	if (!choose(l, now_ns))
		return;
	events_open(l);
	for (size_t i = 0; i < l->cpu_count; i++)
		groups_lead_at(&l->cpus[i]->groups, live_leader_period(l));
	live_tell_stack_period(l);
}

void waits_fini(struct waits *w)
{
	busy_fini(&w->busy);
}

const struct record_layout *waits_layout(const struct live *l, const struct cpu *c,
					 const struct perf_event_header *h)
{
	return tracepoint_made(&c->waits, h) ? &l->wait_layout : NULL;
}

bool waits_sample(struct live *l, const struct cpu *c, struct record *r)
{
	if (!tracepoint_is(&c->waits, r->id))
		return false;
	l->source.stats.switch_records++;
	r->counts_only = r->switched = true;
	return true;
}
