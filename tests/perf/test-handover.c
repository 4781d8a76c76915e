/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Times by other clocks, in records that a script writes. */
#include "unit.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "perf/encode.h"
#include "perf/live/live-state.h"

#define NOW (1000 * NS_PER_S)
#define DRAINED (NOW - NS_PER_S / 10)
#define REALTIME (UINT64_C(1795377530) * NS_PER_S)

struct rig {
	struct live live;
	struct cpu cpu;
	struct cpu *cpus[1];
	struct live_tier tier;
	struct evlist events;
	size_t count;
	struct {
		uint32_t type;
		uint64_t time_ns;
		bool estimated;
	} seen[16];
};

static void take_sample(struct live *l, struct cpu *c, struct record *r)
{
	(void)l;
	(void)c;
	r->event = 0;
}

static void see(void *context, const struct record *r)
{
	struct rig *rig = context;

	assert_true(rig->count < 16);
	rig->seen[rig->count].type = r->type;
	rig->seen[rig->count].estimated = r->estimated;
	rig->seen[rig->count++].time_ns = r->time_ns;
}

static void rig_init(struct rig *rig)
{
	const uint64_t identity =
		PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU;

	*rig = (struct rig){ .tier.sample = take_sample };
	rig->cpus[0] = &rig->cpu;
	rig->live.tier = &rig->tier;
	rig->live.cpus = rig->cpus;
	rig->live.cpu_count = 1;
	rig->live.source.evlist = &rig->events;
	rig->live.source.layout = (struct record_layout){ .sample_type = identity | PERF_SAMPLE_IP,
							  .sample_id_all = true };
	rig->live.sideband_layout =
		(struct record_layout){ .sample_type = identity, .sample_id_all = true };
	rig->live.drain.latest_ns = NOW;
	rig->live.drained_ns = DRAINED;
	rig->live.receive = see;
	rig->live.receive_context = rig;
}

static void sample_at(struct rig *rig, uint64_t time_ns)
{
	const struct record_layout *layout = &rig->live.source.layout;
	struct encoder e;

	encode_sample(&e, layout);
	memcpy(e.bytes + drain_stamp_of(layout->sample_type).sample_offset, &time_ns,
	       sizeof(time_ns));
	live_record(&rig->live, 0, LANE_SAMPLES, e.bytes);
}

static void comm_at(struct rig *rig, uint64_t time_ns)
{
	const struct record_layout *layout = &rig->live.sideband_layout;
	struct encoder e;

	encode_begin(&e, layout, RECORD_COMM, 0);
	encode_u32(&e, 1);
	encode_u32(&e, 1);
	encode_text(&e, "sh");
	encode_end(&e);
	memcpy(e.bytes + e.size - record_id_size(layout->sample_type) + sizeof(uint64_t), &time_ns,
	       sizeof(time_ns));
	live_record(&rig->live, 0, LANE_SIDEBAND, e.bytes);
}

/* Counts since the source was opened, and the time of the last record. */
static void assert_last(const struct rig *rig, uint64_t time_ns, uint64_t foreign)
{
	assert_true(rig->count > 0);
	assert_int_equal(rig->seen[rig->count - 1].time_ns, time_ns);
	assert_int_equal(rig->live.source.stats.foreign_times, foreign);
}

UNIT_TEST(a_foreign_time_lies_behind_the_last_record)
{
	struct rig rig;

	rig_init(&rig);
	sample_at(&rig, NOW - 50);
	assert_last(&rig, NOW - 50, 0);
	sample_at(&rig, REALTIME);
	assert_last(&rig, NOW - 50, 1);
	assert_true(rig.seen[1].estimated);
	sample_at(&rig, 17 * NS_PER_S);
	assert_last(&rig, NOW - 50, 2);
	sample_at(&rig, UINT64_MAX);
	assert_last(&rig, NOW - 50, 3);
	sample_at(&rig, 0);
	assert_last(&rig, NOW - 50, 4);
	sample_at(&rig, NOW - 20);
	assert_last(&rig, NOW - 20, 4);
	assert_false(rig.seen[5].estimated);
}

UNIT_TEST(and_not_before_the_last_drain)
{
	struct rig rig;

	rig_init(&rig);
	rig.cpu.times_ns[LANE_SAMPLES] = 3 * NS_PER_S;
	sample_at(&rig, REALTIME);
	assert_last(&rig, DRAINED, 1);
	comm_at(&rig, REALTIME);
	assert_last(&rig, DRAINED, 2);
	comm_at(&rig, 5);
	assert_last(&rig, DRAINED, 3);
}

/* A record may be held up on its way to the ring; one that another interrupted is not in order. */
UNIT_TEST(what_is_late_is_not_foreign)
{
	struct rig rig;

	rig_init(&rig);
	sample_at(&rig, DRAINED - NS_PER_S / 2);
	assert_last(&rig, DRAINED - NS_PER_S / 2, 0);
	sample_at(&rig, NOW - 10);
	sample_at(&rig, NOW - 11);
	assert_last(&rig, NOW - 10, 0);
}

/* The record that says so is made of the sample behind it. */
UNIT_TEST(a_gap_has_no_foreign_time)
{
	struct rig rig;

	rig_init(&rig);
	rig.cpu.gap = true;
	sample_at(&rig, REALTIME);
	assert_int_equal(rig.count, 2);
	assert_int_equal(rig.seen[0].type, RECORD_LOST);
	assert_int_equal(rig.seen[0].time_ns, DRAINED);
	assert_int_equal(rig.seen[1].type, RECORD_SAMPLE);
	assert_last(&rig, DRAINED, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_foreign_time_lies_behind_the_last_record),
		cmocka_unit_test(and_not_before_the_last_drain),
		cmocka_unit_test(what_is_late_is_not_foreign),
		cmocka_unit_test(a_gap_has_no_foreign_time),
	};

	return unit_run(tests);
}
