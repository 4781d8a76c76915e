/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The plan of groups, and groups that never run; on a kernel of our own. */
#include "perf/live/group-open.h"
#include "perf/live/turns.h"
#include "unit.h"

#include <errno.h>
#include <math.h>

#include "base/alloc.h"
#include "perf/fake-kernel.h"
#include "perf/live/live-state.h"
#include "perf/live/open.h"

#define CPUS 2
#define UNCORE 30

/* The records that were handed over. */
struct heard {
	size_t count;
	struct record last;
};

static void hear(void *context, const struct record *r)
{
	struct heard *h = context;

	h->count++;
	h->last = *r;
}

/* A machine with two CPUs whose events are in groups. */
struct rig {
	struct fake_kernel *kernel;
	struct live live;
	struct cpu cpus[CPUS];
	struct cpu *list[CPUS];
	uint64_t now_ns;
	struct heard heard;
};

static void rig_init(struct rig *r, const char *events)
{
	struct error err;

	memset(r, 0, sizeof(*r));
	r->kernel = fake_kernel_boot();
	r->live.source.evlist = evlist_new();
	if (evlist_parse(r->live.source.evlist, events, &err) < 0)
		fail_msg("%s", err.text);
	r->live.tier = &live_tier_cpu_group;
	r->live.cgroup_fd = -1;
	r->live.ring_pages = 1;
	r->live.cpus = r->list;
	r->live.cpu_count = CPUS;
	r->live.receive = hear;
	r->live.receive_context = &r->heard;
	live_tier_cpu_group.enter(&r->live);
}

static void rig_start(struct rig *r)
{
	for (int i = 0; i < CPUS; i++) {
		struct cpu *c = &r->cpus[i];

		r->list[i] = c;
		c->number = (uint32_t)i;
		c->groups = (struct groups){ .pid = -1, .cpu = i, .output_fd = -1 };
		assert_int_equal(groups_lead(&r->live, &c->groups), 0);
		assert_int_equal(groups_fill(&r->live, &c->groups), 0);
		assert_int_equal(groups_run(&c->groups, true), 0);
		turns_settle(&r->live, &c->groups);
	}
	assert_int_equal(live_tier_cpu_group.start(&r->live), 0);
}

static void rig_drain(struct rig *r, uint64_t ms)
{
	for (uint64_t i = 0; i < ms; i += 10) {
		fake_kernel_pass(10);
		r->now_ns += 10000000;
		live_tier_cpu_group.drained(&r->live, r->now_ns);
	}
}

static void rig_fini(struct rig *r)
{
	for (int i = 0; i < CPUS; i++) {
		groups_close(&r->live, &r->cpus[i].groups);
		free(r->cpus[i].weighed);
	}
	live_tier_cpu_group.leave(&r->live);
	map_fini(&r->live.ids);
	free(r->live.plan.group_of);
	free(r->live.tier_note);
	free(r->live.source.notes);
	buf_fini(&r->live.notes);
	evlist_free(r->live.source.evlist);
}

/* The times of a group's leader. */
struct times {
	uint64_t enabled_ns, running_ns;
};

static struct times times_of(const struct cpu *c, size_t group)
{
	const struct group *g = &c->groups.items[group];
	uint64_t words[3 + 2 * 64];

	assert_int_equal(perf_read(g->members[0].fd, words, 3 + 2 * g->count), 0);
	return (struct times){ words[1], words[2] };
}

/* 100 × running / enabled of that group while MS pass. */
static unsigned coverage(const struct cpu *c, size_t group, uint64_t ms)
{
	struct times from = times_of(c, group), to;

	fake_kernel_pass(ms);
	to = times_of(c, group);
	return (unsigned)((100 * (to.running_ns - from.running_ns) + 50) /
			  (to.enabled_ns - from.enabled_ns));
}

/* The group of each event, as digits; '-' none. */
static void assert_plan(const struct rig *r, const char *wanted)
{
	char found[64] = "";

	for (size_t i = 0; i < r->live.source.evlist->count; i++)
		found[i] =
			r->live.plan.group_of[i] < 0 ? '-' : (char)('0' + r->live.plan.group_of[i]);
	assert_string_equal(found, wanted);
}

/* All members are where the plan has them, on all CPUs, and count. */
static void assert_in_place(const struct rig *r)
{
	const struct evlist *events = r->live.source.evlist;

	for (int c = 0; c < CPUS; c++) {
		const struct groups *g = &r->cpus[c].groups;
		size_t members = 0, wanted = 0;

		for (size_t i = 0; i < g->count; i++) {
			const struct group *group = &g->items[i];

			members += group->count - 1 - group->writer;
			for (size_t m = group->writer + 1; m < group->count; m++)
				assert_int_equal(r->live.plan.group_of[group->members[m].event], i);
			if (!group->writer || group->members[0].event < 0)
				continue;
			assert_int_equal(r->live.plan.group_of[group->members[0].event], i);
			members++;
		}
		for (size_t i = 0; i < events->count; i++)
			wanted += r->live.plan.group_of[i] >= 0;
		assert_int_equal(members, wanted);
	}
}

static const char seven[] = "r1,r2,r3,page-faults,r4,r5,r6,r7";

UNIT_TEST(one_group_holds_what_fits)
{
	struct rig r;

	rig_init(&r, "r1,r2,r3,page-faults,r4,r5,r6");
	rig_start(&r);
	assert_plan(&r, "0000000");
	assert_int_equal(coverage(&r.cpus[1], 0, 400), 100);
	rig_drain(&r, 1000);
	assert_plan(&r, "0000000");
	rig_fini(&r);
}

/* The seventh is refused; the records of switches wait for nobody. */
UNIT_TEST(what_does_not_fit_takes_turns)
{
	struct rig r;

	rig_init(&r, seven);
	rig_start(&r);
	assert_plan(&r, "11101112");
	assert_in_place(&r);
	assert_int_equal(coverage(&r.cpus[0], 0, 400), 100);
	assert_in_range(coverage(&r.cpus[0], 1, 4000), 40, 60);
	assert_in_range(coverage(&r.cpus[1], 2, 4000), 40, 60);
	rig_fini(&r);
}

/* All seven are taken while they are switched off, and then do not run. */
UNIT_TEST(a_group_that_never_runs_is_split)
{
	struct rig r;

	rig_init(&r, seven);
	for (size_t i = 4; i < 8; i++)
		r.live.source.evlist->items[i]->enabled = false;
	rig_start(&r);
	assert_plan(&r, "00000000");
	for (size_t i = 4; i < 8; i++) {
		assert_int_equal(live_tier_cpu_group.set_enabled(&r.live, i, true), 0);
		r.live.source.evlist->items[i]->enabled = true;
	}
	r.cpus[0].gap = r.cpus[1].gap = false;
	rig_drain(&r, 300);
	assert_plan(&r, "11101222");
	assert_in_place(&r);
	assert_true(r.cpus[0].gap && r.cpus[1].gap);
	/* The waiting time of each CPU is reported. */
	assert_int_equal(r.heard.count, CPUS);
	assert_true(r.heard.last.unattributed);
	assert_int_equal(r.heard.last.sample.read.count, 8);
	assert_true(r.heard.last.sample.read.enabled_ns - r.heard.last.sample.read.running_ns >=
		    TURNS_PATIENCE_NS);
	for (int c = 0; c < CPUS; c++) {
		assert_int_equal(coverage(&r.cpus[c], 0, 400), 100);
		assert_in_range(coverage(&r.cpus[c], 1, 4000), 40, 60);
		assert_in_range(coverage(&r.cpus[c], 2, 4000), 40, 60);
	}
	rig_fini(&r);
}

/* Scaled, what was counted is what there was to count. */
UNIT_TEST(scaled_counts_are_true)
{
	struct rig r;
	uint64_t words[3 + 2 * 64], ms;
	const struct group *g;
	double scaled;

	rig_init(&r, "{r1,r2,r3,r4,r5,r6}:S");
	r.kernel->pinned = 1;
	rig_start(&r); /* split before anything is waited for */
	assert_plan(&r, "111222");
	assert_in_place(&r);
	ms = r.kernel->now_ms;
	g = &r.cpus[1].groups.items[2];
	fake_kernel_pass(8000);
	assert_int_equal(perf_read(g->members[0].fd, words, 3 + 2 * g->count), 0);
	ms = r.kernel->now_ms - ms;
	scaled = (double)words[5] * (double)words[1] / (double)words[2];
	assert_true(fabs(scaled / ((double)ms * FAKE_RATE * 5) - 1) < 0.02);
	rig_fini(&r);
}

/* The NMI watchdog comes on while ptop runs, and another one more. */
UNIT_TEST(counters_that_are_taken_later_are_noticed)
{
	struct rig r;

	rig_init(&r, "r1,r2,r3,r4,r5,r6");
	rig_start(&r);
	rig_drain(&r, 500);
	assert_plan(&r, "000000");
	r.kernel->pinned = 3;
	rig_drain(&r, 90);
	assert_plan(&r, "000000");
	rig_drain(&r, 300);
	assert_plan(&r, "111222");
	r.kernel->pinned = 4;
	rig_drain(&r, 300);
	assert_plan(&r, "112233");
	assert_in_place(&r);
	assert_null(r.live.tier_note);
	r.kernel->pinned = 6;
	rig_drain(&r, 1000);
	assert_plan(&r, "123456");
	assert_in_place(&r);
	assert_non_null(r.live.tier_note);
	rig_fini(&r);
}

UNIT_TEST(what_was_written_as_a_group_stays_one)
{
	struct rig r;

	rig_init(&r, "r1,r2,{r3,r4,r5},r6");
	r.kernel->pinned = 1;
	rig_start(&r);
	assert_plan(&r, "112223");
	rig_fini(&r);
	rig_init(&r, "{r1,r2,r3,r4,r5},r6");
	r.kernel->pinned = 1;
	rig_start(&r); /* larger than what is known to fit */
	assert_plan(&r, "111222");
	rig_fini(&r);
}

/* Added, removed and added again while the others count. */
UNIT_TEST(the_plan_follows_what_is_added)
{
	struct rig r;
	struct evlist *more = evlist_new();
	struct error err;

	rig_init(&r, "r1,r2,r3,r4,r5,r6");
	rig_start(&r);
	assert_int_equal(evlist_parse(more, "r7,page-faults", &err), 0);
	for (size_t i = 0; i < 2; i++) {
		evlist_add(r.live.source.evlist, more->items[i]);
		assert_int_equal(live_tier_cpu_group.add(&r.live, 6 + i), 0);
	}
	more->count = 0;
	evlist_free(more);
	rig_drain(&r, 10);
	assert_plan(&r, "11111120");
	assert_in_place(&r);
	assert_int_equal(coverage(&r.cpus[1], 0, 400), 100);
	live_tier_cpu_group.remove(&r.live, 2);
	r.live.source.evlist->items[2]->removed = true;
	assert_int_equal(fake_kernel_open(0, PERF_TYPE_RAW, 3), 0);
	r.live.source.evlist->items[2]->removed = false;
	assert_int_equal(live_tier_cpu_group.add(&r.live, 2), 0);
	assert_in_place(&r);
	assert_int_equal(fake_kernel_open(1, PERF_TYPE_RAW, 3), 1);
	rig_fini(&r);
}

/* Each has its own PMU, and they compete with nobody. */
UNIT_TEST(uncore_events_are_on_their_cpus)
{
	struct rig r;
	struct evsel *e;

	rig_init(&r, "r1,r2,r3,r4");
	for (size_t i = 1; i < 4; i++) {
		e = r.live.source.evlist->items[i];
		e->type = i == 3 ? UNCORE + 1 : UNCORE;
		e->per_cpu_only = true;
		e->role = EVSEL_COUNT;
		e->cpus.items = mem_array(1, sizeof(uint32_t));
		e->cpus.items[0] = i == 3 ? 7 : 1;
		e->cpus.count = 1;
	}
	rig_start(&r);
	assert_plan(&r, "011-");
	assert_int_equal(fake_kernel_open(0, UNCORE, 2), 0);
	assert_int_equal(fake_kernel_open(1, UNCORE, 2), 1);
	assert_int_equal(r.live.source.evlist->items[3]->open_error, ENODEV);
	assert_int_equal(r.cpus[0].groups.count, 1);
	rig_fini(&r);
}

/* Each pinned or exclusive one is a group of its own, whose leader says so. */
UNIT_TEST(pinned_events_have_groups_of_their_own)
{
	struct rig r;

	rig_init(&r, "r1,page-faults:D,r2:D,r3,r4,r5,r6:e,r7");
	rig_start(&r);
	assert_plan(&r, "01200030");
	assert_in_place(&r);
	assert_int_equal(fake_kernel_pinned(0), 2);
	assert_int_equal(fake_kernel_pinned(1), 2);
	r.kernel->pinned = 2;
	rig_drain(&r, 400);
	assert_plan(&r, "13411252");
	assert_in_place(&r);
	assert_int_equal(fake_kernel_pinned(1), 2);
	rig_fini(&r);
}

UNIT_TEST(as_precise_as_it_goes)
{
	struct rig r;

	rig_init(&r, "r1:P,r2:pp");
	r.kernel->precise = 1;
	rig_start(&r);
	assert_plan(&r, "0-");
	assert_int_equal(fake_kernel_precision(PERF_TYPE_RAW, 1), 1);
	assert_int_equal(r.live.source.evlist->items[1]->open_error, EOPNOTSUPP);
	rig_fini(&r);
}

UNIT_TEST(what_cannot_be_sampled_is_counted)
{
	const struct evlist *l;
	struct rig r;

	rig_init(&r, "r1,cycles");
	r.kernel->no_sampling_type = PERF_TYPE_RAW;
	rig_start(&r);
	l = r.live.source.evlist;
	assert_plan(&r, "00");
	assert_int_equal(l->items[0]->role, EVSEL_COUNT);
	assert_int_equal(l->items[1]->role, EVSEL_SAMPLE);
	assert_non_null(strstr(r.live.source.notes, "r1"));
	rig_fini(&r);

	/* One that nobody named: there is still IPC, and something is sampled. */
	rig_init(&r, "cycles,instructions");
	l = r.live.source.evlist;
	l->items[0]->is_default = l->items[1]->is_default = true;
	l->items[1]->role = EVSEL_COUNT;
	l->items[0]->freq_hz = 77;
	r.kernel->no_sampling_type = PERF_TYPE_HARDWARE;
	rig_start(&r);
	assert_plan(&r, "000");
	assert_int_equal(l->items[0]->role, EVSEL_COUNT);
	assert_string_equal(l->items[0]->base, "cycles");
	assert_string_equal(l->items[2]->base, "cpu-clock");
	assert_int_equal(l->items[2]->role, EVSEL_SAMPLE);
	assert_int_equal(l->items[2]->freq_hz, 77);
	assert_in_place(&r);
	rig_fini(&r);
}

/* Slots. */

/* A machine with EVENTS, of which those of slots are counted. */
static void rig_init_slots(struct rig *r, const char *events)
{
	rig_init(r, events);
	for (size_t i = 0; i < r->live.source.evlist->count; i++) {
		struct evsel *e = r->live.source.evlist->items[i];

		if (e->type != PERF_TYPE_RAW || (e->config & 0xff) || !e->config)
			continue;
		e->slots = e->config == 0x400 ? SLOTS_WHOLE : SLOTS_PART;
		e->role = EVSEL_COUNT;
	}
}

/* Group GROUP of both CPUs is led by slots, which EVENT counts, or -1, and COUNT parts are in it. */
static void assert_led_by_slots(const struct rig *r, size_t group, int event, size_t count)
{
	for (int c = 0; c < CPUS; c++) {
		const struct group *g = &r->cpus[c].groups.items[group];

		assert_int_equal(g->writer, 1);
		assert_int_equal(g->members[0].event, event);
		assert_int_equal(g->members[1].event, -1);
		assert_int_equal(g->count, 2 + count);
		assert_int_equal(fake_kernel_open(c, PERF_TYPE_RAW, 0x400), 1);
	}
}

UNIT_TEST(slots_lead_their_own_group)
{
	struct rig r;

	rig_init_slots(&r, "r1,r8000,page-faults,r400,r8100,r2");
	rig_start(&r);
	assert_plan(&r, "010110");
	assert_in_place(&r);
	assert_led_by_slots(&r, 1, 3, 2);
	for (int c = 0; c < CPUS; c++) {
		const struct group *g = &r.cpus[c].groups.items[1];
		uint64_t words[3 + 2 * 4];

		fake_kernel_pass(10);
		assert_int_equal(perf_read(g->members[0].fd, words, 11), 0);
		for (int m = 0; m < 4; m++)
			assert_true(words[3 + 2 * m] > 0); /* also that of the writer */
		assert_int_equal(coverage(&r.cpus[c], 0, 400), 100);
		assert_int_equal(coverage(&r.cpus[c], 1, 400), 100);
	}
	rig_fini(&r);
}

/* Nobody asked for slots themselves. */
UNIT_TEST(parts_have_a_leader_of_slots)
{
	struct rig r;

	rig_init_slots(&r, "r1,r8000,r8300");
	rig_start(&r);
	assert_plan(&r, "011");
	assert_led_by_slots(&r, 1, -1, 2);
	rig_fini(&r);
}

/* With -e all are sampled at first; the kernel takes parts as counters alone. */
UNIT_TEST(parts_that_were_to_be_sampled_are_counted)
{
	struct rig r;

	rig_init_slots(&r, "r1,r400,r8000");
	r.live.source.evlist->items[1]->role = r.live.source.evlist->items[2]->role = EVSEL_SAMPLE;
	rig_start(&r);
	assert_int_equal(r.live.source.evlist->items[2]->role, EVSEL_COUNT);
	assert_int_equal(r.live.source.evlist->items[1]->role, EVSEL_SAMPLE);
	assert_plan(&r, "001");
	assert_int_equal(r.cpus[0].groups.items[1].writer, 1);
	rig_fini(&r);
}

/* Groups are renumbered, and with them their leaders. */
UNIT_TEST(slots_move_with_the_plan)
{
	struct rig r;

	rig_init_slots(&r, "r1,r2,r3,r4,r8000,r400,r5,r6,page-faults");
	rig_start(&r);
	assert_plan(&r, "000011000");
	rig_drain(&r, 100);
	r.kernel->pinned = 3;
	rig_drain(&r, 400);
	assert_plan(&r, "111233220");
	assert_in_place(&r);
	assert_led_by_slots(&r, 3, 5, 1);
	for (int m = 0; m < 3; m++) /* all but the writer, which is no event */
		assert_int_equal(r.cpus[1].groups.items[3].members[m].moved, m != 1);
	assert_int_equal(coverage(&r.cpus[1], 3, 400), 100);
	rig_fini(&r);
}

/* As long as there are parts, slots lead them. */
UNIT_TEST(slots_that_are_removed_lead_on)
{
	struct rig r;
	struct evlist *l;

	rig_init_slots(&r, "r1,r400,r8000");
	l = r.live.source.evlist;
	rig_start(&r);
	live_tier_cpu_group.remove(&r.live, 1);
	l->items[1]->removed = true;
	assert_led_by_slots(&r, 1, -1, 1);
	l->items[1]->removed = false;
	assert_int_equal(live_tier_cpu_group.add(&r.live, 1), 0);
	assert_led_by_slots(&r, 1, 1, 1);
	live_tier_cpu_group.remove(&r.live, 2);
	l->items[2]->removed = true;
	assert_led_by_slots(&r, 1, 1, 0);
	assert_int_equal(fake_kernel_open(0, PERF_TYPE_RAW, 0x8000), 0);
	rig_fini(&r);
}

/* A leader that is refused makes no group; nobody looks at what is behind the last one. */
UNIT_TEST(parts_without_slots_are_refused)
{
	struct rig r;
	struct evlist *more = evlist_new();
	struct error err;

	rig_init(&r, "r1");
	r.kernel->no_slots = true;
	rig_start(&r);
	for (int c = 0; c < CPUS; c++) {
		struct groups *g = &r.cpus[c].groups;

		mem_grow((void **)&g->items, &g->capacity, 2, sizeof(*g->items));
		g->items[1] = (struct group){ .count = 2 };
	}
	assert_int_equal(evlist_parse(more, "r8000", &err), 0);
	more->items[0]->slots = SLOTS_PART;
	more->items[0]->role = EVSEL_COUNT;
	evlist_add(r.live.source.evlist, more->items[0]);
	more->count = 0;
	evlist_free(more);
	assert_int_equal(live_tier_cpu_group.add(&r.live, 1), 0);
	assert_plan(&r, "0-");
	assert_int_equal(r.live.source.evlist->items[1]->open_error, EINVAL);
	assert_int_equal(r.cpus[0].groups.count, 1);
	assert_in_place(&r);
	rig_fini(&r);
}

/* A record of the group of slots on C: slots, switches, a part; made at a switch, or by another group's event. */
static struct record slots_record(struct rig *r, struct cpu *c, uint64_t slots, uint64_t switches)
{
	const struct group *g = &c->groups.items[1];
	struct record record = { .type = RECORD_SAMPLE, .pid = 50, .tid = 50, .cpu = c->number };

	record.id = g->members[1].id;
	record.sample.read.enabled_ns = record.sample.read.running_ns = slots;
	record.sample.read.count = 3;
	for (int i = 0; i < 3; i++)
		record.sample.read.values[i].id = g->members[i].id;
	record.sample.read.values[0].value = slots;
	record.sample.read.values[1].value = switches;
	record.sample.read.values[2].value = slots / 4;
	live_tier_cpu_group.sample(&r->live, c, &record);
	return record;
}

UNIT_TEST(records_of_slots_tell_them_all)
{
	struct record record;
	struct rig r;

	rig_init_slots(&r, "r1,r8000,r400");
	rig_start(&r);
	record = slots_record(&r, &r.cpus[1], 4000, 5);
	assert_int_equal(record.event, -1);
	assert_true(record.counts_only && !record.switched && !record.unattributed);
	assert_int_equal(record.sample.read.count, 2); /* without that of switches */
	assert_int_equal(record.sample.read.values[0].id, 2);
	assert_int_equal(record.sample.read.values[1].id, 1);
	assert_int_equal(record.sample.read.values[1].value, 1000);
	assert_int_equal(r.live.source.stats.switch_records, 1);
	assert_int_equal(r.live.source.stats.switches, 0); /* the first group counts these */
	slots_record(&r, &r.cpus[1], 8000, 6);
	assert_int_equal(r.live.source.stats.switch_records, 2);
	assert_int_equal(r.heard.count, 0);
	rig_fini(&r);
}

/* Slots lead on for their parts; their own count stands still. */
UNIT_TEST(slots_that_are_switched_off_stand_still)
{
	static const struct {
		bool enabled;
		uint64_t slots, shown;
	} steps[] = { { true, 1000, 1000 }, { false, 5000, 1000 }, { true, 6000, 2000 } };
	struct record record;
	struct rig r;
	struct evsel *e;

	rig_init_slots(&r, "r1,r8000,r400");
	rig_start(&r);
	e = r.live.source.evlist->items[2];
	for (uint64_t i = 0; i < 3; i++) {
		e->enabled = steps[i].enabled;
		record = slots_record(&r, &r.cpus[1], steps[i].slots, i + 1);
		assert_int_equal(record.sample.read.values[0].id, 2);
		assert_int_equal(record.sample.read.values[0].value, steps[i].shown);
		assert_int_equal(record.sample.read.values[1].value, steps[i].slots / 4);
	}
	rig_fini(&r);
}

/* Records. */

/* Hands a record of C's first group with VALUE switches over; by the leader or by its first member. */
static void sample(struct rig *r, struct cpu *c, uint64_t value, bool led)
{
	const struct group *g = &c->groups.items[0];
	struct record record = { .type = RECORD_SAMPLE, .pid = 50, .tid = 50, .cpu = c->number };

	record.id = g->members[led ? 0 : 1].id;
	record.sample.read.enabled_ns = record.sample.read.running_ns = 1000 * value;
	record.sample.read.count = 2;
	for (int i = 0; i < 2; i++) {
		record.sample.read.values[i].id = g->members[i].id;
		record.sample.read.values[i].value = value;
	}
	live_tier_cpu_group.sample(&r->live, c, &record);
	assert_false(record.unattributed);
	assert_int_equal(record.sample.read.values[0].value, value);
}

UNIT_TEST(switches_without_a_record_are_nobodys)
{
	struct rig r;

	rig_init(&r, "cpu-clock,context-switches");
	r.live.source.evlist->items[1]->role = EVSEL_COUNT;
	free(r.live.plan.group_of);
	live_tier_cpu_group.leave(&r.live);
	live_tier_cpu_group.enter(&r.live);
	rig_start(&r);
	sample(&r, &r.cpus[0], 10, true); /* the base */
	sample(&r, &r.cpus[0], 11, true);
	sample(&r, &r.cpus[0], 11, false);
	sample(&r, &r.cpus[0], 12, true);
	assert_int_equal(r.heard.count, 0);
	sample(&r, &r.cpus[0], 15, true);
	assert_int_equal(r.heard.count, 1);
	assert_true(r.heard.last.unattributed && r.heard.last.counts_only);
	assert_int_equal(r.heard.last.event, -1);
	assert_int_equal(r.heard.last.sample.read.count, 1);
	assert_int_equal(r.heard.last.sample.read.values[0].id, 1);
	assert_int_equal(r.heard.last.sample.read.values[0].value, 14);
	assert_int_equal(r.heard.last.sample.read.enabled_ns, 12000);
	sample(&r, &r.cpus[0], 17, false);
	assert_int_equal(r.heard.count, 2);
	assert_int_equal(r.heard.last.sample.read.values[0].value, 17);
	r.live.source.reduced.sampled_counters = true; /* now not each writes one */
	sample(&r, &r.cpus[0], 4000, true);
	assert_int_equal(r.heard.count, 2);
	assert_int_equal(r.live.source.stats.switches, 4000);
	rig_fini(&r);
}

UNIT_TEST(what_cannot_be_decoded_is_a_gap)
{
	struct perf_event_header bad = { .type = PERF_RECORD_SAMPLE, .size = sizeof(bad) };
	struct rig r;

	rig_init(&r, "cpu-clock");
	rig_start(&r);
	r.live.sideband_layout = r.live.leader_layout;
	live_record(&r.live, 1, LANE_SIDEBAND, &bad);
	assert_false(r.cpus[1].gap);
	live_record(&r.live, 1, LANE_SAMPLES, &bad);
	assert_true(r.cpus[1].gap && !r.cpus[0].gap);
	assert_int_equal(r.live.source.stats.malformed, 2);
	rig_fini(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_group_holds_what_fits),
		cmocka_unit_test(what_does_not_fit_takes_turns),
		cmocka_unit_test(a_group_that_never_runs_is_split),
		cmocka_unit_test(scaled_counts_are_true),
		cmocka_unit_test(counters_that_are_taken_later_are_noticed),
		cmocka_unit_test(what_was_written_as_a_group_stays_one),
		cmocka_unit_test(the_plan_follows_what_is_added),
		cmocka_unit_test(uncore_events_are_on_their_cpus),
		cmocka_unit_test(pinned_events_have_groups_of_their_own),
		cmocka_unit_test(as_precise_as_it_goes),
		cmocka_unit_test(what_cannot_be_sampled_is_counted),
		cmocka_unit_test(slots_lead_their_own_group),
		cmocka_unit_test(parts_have_a_leader_of_slots),
		cmocka_unit_test(parts_that_were_to_be_sampled_are_counted),
		cmocka_unit_test(slots_move_with_the_plan),
		cmocka_unit_test(slots_that_are_removed_lead_on),
		cmocka_unit_test(parts_without_slots_are_refused),
		cmocka_unit_test(records_of_slots_tell_them_all),
		cmocka_unit_test(slots_that_are_switched_off_stand_still),
		cmocka_unit_test(switches_without_a_record_are_nobodys),
		cmocka_unit_test(what_cannot_be_decoded_is_a_gap),
	};

	return unit_run(tests);
}
