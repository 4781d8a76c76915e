/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * Whose time the records of a CPU's group tell, from the kernel's bytes' point of view: each READ has the
 * times of the event that made the record.  The group is a fake kernel's, the records are written here.
 */
#include "perf/live/group-open.h"
#include "unit.h"

#include <string.h>

#include "base/clock.h"
#include "engine/attribution.h"
#include "perf/fake-kernel.h"
#include "perf/live/live-state.h"

#define MS 1000000ull
#define S NS_PER_S
#define LATE_NS (6 * S) /* page-faults began so long after the group */
#define CLOCK 1u        /* members by number; 0 leads */
#define FAULTS 2u
#define CC1 1u /* slots */
#define SPIN 2u

struct rig {
	struct fake_kernel *kernel;
	struct live live;
	struct cpu cpu, *list[1];
	struct counters *counters;
	struct attribution *attribution;
	uint32_t slot; /* whose record the next one is */
	uint64_t switches;
};

static void attribute(void *context, const struct record *r)
{
	struct rig *rig = context;

	attribution_cpu(rig->attribution, 0, r->unattributed ? COUNTERS_UNATTRIBUTED : rig->slot,
			&r->sample.read);
}

static void rig_init(struct rig *rig)
{
	struct error err;

	memset(rig, 0, sizeof(*rig));
	rig->kernel = fake_kernel_boot();
	rig->live.source.evlist = evlist_new();
	assert_int_equal(evlist_parse(rig->live.source.evlist, "cpu-clock,page-faults", &err), 0);
	evlist_set_rate(rig->live.source.evlist, 1000, 0);
	for (size_t i = 0; i < 2; i++)
		rig->live.source.evlist->items[i]->enabled = true;
	rig->live.tier = &live_tier_cpu_group;
	rig->live.cgroup_fd = -1;
	rig->live.cpus = rig->list;
	rig->list[0] = &rig->cpu;
	rig->live.cpu_count = 1;
	rig->live.receive = attribute;
	rig->live.receive_context = rig;
	rig->live.drain.latest_ns = UINT64_MAX;
	live_tier_cpu_group.enter(&rig->live);
	rig->cpu.groups = (struct groups){ .pid = -1, .cpu = 0, .output_fd = -1 };
	assert_int_equal(groups_lead(&rig->live, &rig->cpu.groups), 0);
	assert_int_equal(groups_fill(&rig->live, &rig->cpu.groups), 0);
	rig->counters = counters_new(2);
	rig->attribution = attribution_new(rig->counters);
	for (int i = 0; i < 2; i++)
		counters_slot_new(rig->counters);
}

static void rig_fini(struct rig *rig)
{
	attribution_free(rig->attribution);
	counters_free(rig->counters);
	groups_close(&rig->live, &rig->cpu.groups);
	live_tier_cpu_group.leave(&rig->live);
	free(rig->cpu.weighed);
	map_fini(&rig->live.ids);
	free(rig->live.plan.group_of);
	free(rig->live.source.notes);
	buf_fini(&rig->live.notes);
	evlist_free(rig->live.source.evlist);
}

/* A record of SLOT at NOW, whose own counter was off until LATE_NS after the group began. */
static void tell(struct rig *rig, uint32_t slot, uint64_t now_ns, unsigned member, uint64_t late_ns)
{
	const struct group *g = &rig->cpu.groups.items[0];
	struct record r = { .type = RECORD_SAMPLE, .time_ns = 100 * S + now_ns, .event = -1 };

	rig->switches += member == 0;
	rig->slot = slot;
	r.id = g->members[member].id;
	r.sample.read.count = (uint32_t)g->count;
	r.sample.read.enabled_ns = r.sample.read.running_ns = now_ns - late_ns;
	for (size_t i = 0; i < g->count; i++) {
		r.sample.read.values[i].id = g->members[i].id;
		r.sample.read.values[i].value = i ? now_ns : rig->switches;
	}
	live_tier_cpu_group.sample(&rig->live, &rig->cpu, &r);
	attribute(rig, &r);
}

static uint64_t ran_ns(const struct rig *rig, uint32_t slot)
{
	return counters_row(rig->counters, slot)[0].enabled_ns;
}

/* An event that began later than its group has counted less time than that. */
UNIT_TEST(a_late_event_tells_the_time_of_its_group)
{
	struct rig rig;

	rig_init(&rig);
	tell(&rig, SPIN, 7 * S, CLOCK, 0);
	for (uint64_t now = 7 * S; now < 8 * S; now += 10 * MS) {
		tell(&rig, CC1, now + 2 * MS, FAULTS, LATE_NS);
		tell(&rig, CC1, now + 5 * MS, FAULTS, LATE_NS);
		tell(&rig, CC1, now + 6 * MS, 0, 0);
		tell(&rig, SPIN, now + 10 * MS, CLOCK, 0);
	}
	assert_int_equal(ran_ns(&rig, CC1), 600 * MS);
	assert_int_equal(ran_ns(&rig, SPIN), 400 * MS);
	assert_int_equal(counters_row(rig.counters, CC1)[1].value, 600 * MS);
	assert_int_equal(attribution_statistics(rig.attribution)->resets, 0);
	rig_fini(&rig);
}

/* Nothing but late samples: each is as long as the time between them. */
UNIT_TEST(late_samples_alone_keep_the_time)
{
	struct rig rig;

	rig_init(&rig);
	tell(&rig, SPIN, 7 * S, 0, 0);
	for (uint64_t i = 1; i <= 100; i++)
		tell(&rig, CC1, 7 * S + i * MS, CLOCK, LATE_NS);
	/* The first one tells how late they are. */
	assert_int_equal(ran_ns(&rig, CC1), 99 * MS);
	/* Off and on again without any other record: the switch tells the rest. */
	for (uint64_t i = 1; i <= 100; i++)
		tell(&rig, CC1, 9 * S + i * MS, CLOCK, LATE_NS + S);
	assert_in_range(ran_ns(&rig, CC1), S, 2 * S + 100 * MS);
	tell(&rig, CC1, 9 * S + 100 * MS, 0, 0);
	assert_int_equal(ran_ns(&rig, CC1), 2 * S + 100 * MS);
	rig_fini(&rig);
}

/* A record with an identifier that another event of the same kind has: its lag is not this one's. */
UNIT_TEST(a_lag_that_is_wrong_is_no_time)
{
	struct rig rig;

	rig_init(&rig);
	tell(&rig, SPIN, 7 * S, CLOCK, 0);
	for (uint64_t now = 7 * S; now < 8 * S; now += 10 * MS) {
		tell(&rig, CC1, now + 2 * MS, FAULTS, LATE_NS);
		tell(&rig, CC1, now + 4 * MS, FAULTS, 2 * S);
		tell(&rig, CC1, now + 6 * MS, 0, 0);
		tell(&rig, SPIN, now + 10 * MS, CLOCK, 0);
	}
	assert_int_equal(ran_ns(&rig, CC1) + ran_ns(&rig, SPIN), S);
	assert_int_equal(ran_ns(&rig, CC1), 600 * MS);
	rig_fini(&rig);
}

static void read_few_switches(struct rig *rig)
{
	rig->live.source.reduced.sampled_counters = true;
}

/* Ten seconds that nobody used, then a sample: the task has its period of 1 ms, and no more. */
UNIT_TEST(an_idle_cpu_s_time_is_not_the_next_task_s)
{
	const struct counter_value *nobody;
	struct rig rig;

	rig_init(&rig);
	read_few_switches(&rig);
	tell(&rig, SPIN, 7 * S, CLOCK, 0);
	tell(&rig, SPIN, 7 * S + MS, CLOCK, 0);
	tell(&rig, CC1, 17 * S, CLOCK, 0);
	tell(&rig, CC1, 27 * S, FAULTS, LATE_NS);
	tell(&rig, CC1, 27 * S, 0, 0);
	tell(&rig, SPIN, 27 * S + MS, CLOCK, 0);
	assert_int_equal(ran_ns(&rig, CC1), MS);
	assert_int_equal(ran_ns(&rig, SPIN), 2 * MS);
	nobody = counters_row(rig.counters, COUNTERS_UNATTRIBUTED);
	assert_int_equal(nobody[0].enabled_ns, 20 * S + MS - 3 * MS);
	/* The clock counts time, too. */
	assert_int_equal(nobody[0].value, 20 * S + MS - 3 * MS);
	assert_int_equal(counters_row(rig.counters, CC1)[0].value, MS);
	assert_int_equal(attribution_total(rig.attribution, 0).enabled_ns, 20 * S + MS);
	assert_int_equal(counters_row(rig.counters, CC1)[1].value, 20 * S - MS);
	rig_fini(&rig);
}

/* A sample that comes late is followed by one that is early: no time goes. */
UNIT_TEST(a_busy_cpu_s_time_is_all_told)
{
	struct rig rig;

	rig_init(&rig);
	read_few_switches(&rig);
	tell(&rig, SPIN, 7 * S, CLOCK, 0);
	for (uint64_t i = 1; i <= 100; i++) {
		uint64_t late_ns = i % 2 ? 300000 : 0;

		tell(&rig, CC1, 7 * S + i * MS - 100000, FAULTS, LATE_NS);
		tell(&rig, i % 4 ? CC1 : SPIN, 7 * S + i * MS + late_ns, CLOCK, 0);
	}
	assert_int_equal(ran_ns(&rig, CC1) + ran_ns(&rig, SPIN), 100 * MS);
	assert_in_range(ran_ns(&rig, SPIN), 15 * MS, 25 * MS);
	rig_fini(&rig);
}

/* Without a clock nobody knows who ran. */
UNIT_TEST(what_does_not_tick_tells_no_time)
{
	struct rig rig;

	rig_init(&rig);
	read_few_switches(&rig);
	rig.live.source.evlist->items[0]->enabled = false;
	tell(&rig, SPIN, 7 * S, FAULTS, LATE_NS);
	tell(&rig, CC1, 17 * S, FAULTS, LATE_NS);
	tell(&rig, CC1, 27 * S, 0, 0);
	assert_int_equal(ran_ns(&rig, CC1), 0);
	assert_int_equal(counters_row(rig.counters, CC1)[1].value, 20 * S);
	assert_true(attribution_total(rig.attribution, 1).enabled_ns > 0);
	rig_fini(&rig);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_late_event_tells_the_time_of_its_group),
		cmocka_unit_test(late_samples_alone_keep_the_time),
		cmocka_unit_test(a_lag_that_is_wrong_is_no_time),
		cmocka_unit_test(an_idle_cpu_s_time_is_not_the_next_task_s),
		cmocka_unit_test(a_busy_cpu_s_time_is_all_told),
		cmocka_unit_test(what_does_not_tick_tells_no_time),
	};

	return unit_run(tests);
}
