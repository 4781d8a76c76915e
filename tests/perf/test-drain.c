/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unit.h"

#include "perf/live/drain.h"
#include "perf/fake-ring.h"

#define LANES 5
#define SIDEBAND_TYPE \
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU)
#define SAMPLE_TYPE (SIDEBAND_TYPE | PERF_SAMPLE_IP | PERF_SAMPLE_PERIOD)

/* As the kernel lays out such a sample. */
struct sample {
	struct perf_event_header header;
	uint64_t id, ip;
	uint32_t pid, tid;
	uint64_t time;
	uint32_t cpu, res;
	uint64_t period;
};

/* A FORK record with its sample_id. */
struct sideband {
	struct perf_event_header header;
	uint32_t body[4];
	uint64_t body_time;
	uint32_t pid, tid;
	uint64_t time;
	uint32_t cpu, res;
	uint64_t id;
};

struct seen {
	uint64_t time;
	enum lane_ring ring;
	size_t lane;
};

struct fixture {
	struct fake_ring rings[LANES][LANE_RINGS];
	struct lane lanes[LANES];
	struct lane *lane_pointers[LANES];
	struct drain drain;
	struct seen seen[4096];
	size_t seen_count, corrupt;
	uint64_t now_ns;
};

static struct fixture fix;

static void note_record(void *context, size_t lane, enum lane_ring ring, const void *bytes)
{
	uint64_t time_ns;

	(void)context;
	if (ring == LANE_SAMPLES)
		time_ns = ((const struct sample *)bytes)->time;
	else
		time_ns = ((const struct sideband *)bytes)->time;
	assert_true(fix.seen_count < 4096);
	fix.seen[fix.seen_count++] = (struct seen){ time_ns, ring, lane };
}

static void note_corrupt(void *context, size_t lane, enum lane_ring ring)
{
	(void)context;
	(void)lane;
	(void)ring;
	fix.corrupt++;
}

static uint64_t fixture_now_ns(void *context)
{
	(void)context;
	return fix.now_ns;
}

/* Copies each lane's rings: a lane owns its windows, the fake ring only lends the memory. */
static int start(UNIT_NO_STATE)
{
	fix.seen_count = fix.corrupt = 0;
	fix.now_ns = 1000000;
	for (size_t i = 0; i < LANES; i++) {
		for (int r = 0; r < LANE_RINGS; r++) {
			fake_ring_start(&fix.rings[i][r], 4096 - 40 * i);
			fix.lanes[i].rings[r] = fix.rings[i][r].ring;
		}
		fix.lane_pointers[i] = &fix.lanes[i];
	}
	fix.drain = (struct drain){ .lanes = fix.lane_pointers,
				    .count = LANES,
				    .sink = { note_record, note_corrupt, NULL },
				    .now_ns = fixture_now_ns };
	fix.drain.stamps[LANE_SAMPLES] = drain_stamp_of(SAMPLE_TYPE);
	fix.drain.stamps[LANE_SIDEBAND] = drain_stamp_of(SIDEBAND_TYPE);
	return 0;
}

static int stop(UNIT_NO_STATE)
{
	drain_fini(&fix.drain);
	return 0;
}

static void add(size_t lane, enum lane_ring ring, uint64_t time_ns)
{
	struct sample sample = { .header = { PERF_RECORD_SAMPLE, 0, sizeof(sample) },
				 .time = time_ns };
	struct sideband sideband = { .header = { PERF_RECORD_FORK, 0, sizeof(sideband) },
				     .time = time_ns };

	if (ring == LANE_SAMPLES)
		fake_ring_write(&fix.rings[lane][ring], &sample, sizeof(sample));
	else
		fake_ring_write(&fix.rings[lane][ring], &sideband, sizeof(sideband));
}

/* The promise of source.h, over all that was seen so far. */
static void assert_order(void)
{
	uint64_t sideband_ns = 0, newest_sample_ns = 0;

	for (size_t i = 0; i < fix.seen_count; i++) {
		const struct seen *s = &fix.seen[i];

		assert_true(s->time >= sideband_ns);
		if (s->ring == LANE_SIDEBAND) {
			assert_true(newest_sample_ns < s->time);
			sideband_ns = s->time;
		} else if (s->time > newest_sample_ns) {
			newest_sample_ns = s->time;
		}
	}
}

UNIT_TEST(a_mapping_comes_between_the_samples_around_it)
{
	add(0, LANE_SAMPLES, 10);
	add(0, LANE_SAMPLES, 30);
	add(1, LANE_SAMPLES, 5);
	add(1, LANE_SAMPLES, 20);
	add(1, LANE_SAMPLES, 40);
	add(3, LANE_SIDEBAND, 20);
	drain_run(&fix.drain, 100);
	assert_int_equal(fix.seen_count, 6);
	assert_int_equal(fix.seen[2].ring, LANE_SIDEBAND);
	assert_order();
}

UNIT_TEST(what_is_newer_than_the_horizon_stays)
{
	add(0, LANE_SAMPLES, 10);
	add(0, LANE_SAMPLES, 11);
	add(1, LANE_SIDEBAND, 10);
	add(2, LANE_SIDEBAND, 11);
	drain_run(&fix.drain, 10);
	assert_int_equal(fix.seen_count, 2);
	assert_int_equal(fix.rings[2][LANE_SIDEBAND].page.data_tail, 4096 - 80);
	drain_run(&fix.drain, 11);
	assert_int_equal(fix.seen_count, 4);
	assert_order();
	drain_run(&fix.drain, 1000);
	assert_int_equal(fix.seen_count, 4);
}

/* By another clock: waiting for that time would stop the ring for good. */
UNIT_TEST(a_time_to_come_is_due)
{
	fix.now_ns = 20;
	add(0, LANE_SAMPLES, 21);
	add(0, LANE_SAMPLES, 5);
	add(0, LANE_SAMPLES, 15);
	add(1, LANE_SIDEBAND, 1000);
	drain_run(&fix.drain, 10);
	assert_int_equal(fix.seen_count, 3);
	drain_run(&fix.drain, 20);
	assert_int_equal(fix.seen_count, 4);
}

/* As the kernel writes it when other events took it before: its size says more than was written. */
struct overstated {
	struct perf_event_header header;
	uint64_t body[2];
	uint32_t pid, tid;
	uint64_t time, cpu, id;
	uint64_t stale[5];
};

UNIT_TEST(a_stale_end_has_no_time)
{
	const struct overstated bpf = { .header = { PERF_RECORD_BPF_EVENT, 0, sizeof(bpf) },
					.time = 10,
					.stale = { 30, 30, 30, 30, 30 } };

	add(0, LANE_SAMPLES, 5);
	add(0, LANE_SAMPLES, 20);
	fake_ring_write(&fix.rings[1][LANE_SIDEBAND], &bpf, sizeof(bpf));
	drain_run(&fix.drain, 25);
	assert_int_equal(fix.seen_count, 3);
	assert_int_equal(fix.seen[1].ring, LANE_SIDEBAND);
}

UNIT_TEST(without_sideband_each_ring_is_read_through)
{
	for (uint64_t t = 0; t < 20; t++) {
		add(0, LANE_SAMPLES, t);
		add(4, LANE_SAMPLES, t);
	}
	drain_run(&fix.drain, 100);
	assert_int_equal(fix.seen_count, 40);
	for (size_t i = 0; i < 40; i++)
		assert_int_equal(fix.seen[i].lane, i < 20 ? 0 : 4);
}

/* A fixed sequence, so that a failure can be looked at again. */
static uint32_t next_random(uint32_t *state)
{
	*state = *state * 1664525u + 1013904223u;
	return *state >> 8;
}

UNIT_TEST(any_mix_keeps_the_promise_and_loses_nothing)
{
	uint32_t random = 1;
	uint64_t now_ns = 1;
	size_t written = 0;

	for (int round = 0; round < 200; round++) {
		now_ns++; /* nothing is written later with a time that a drain has passed */
		for (int i = 0; i < 16; i++) {
			size_t lane = next_random(&random) % LANES;
			enum lane_ring ring = next_random(&random) % 4 == 0;

			now_ns += next_random(&random) % 3;
			if (fake_ring_room(&fix.rings[lane][ring]) < sizeof(struct sideband))
				continue;
			add(lane, ring, now_ns);
			written++;
		}
		drain_run(&fix.drain, now_ns - next_random(&random) % 4);
		assert_order();
	}
	drain_run(&fix.drain, now_ns);
	assert_order();
	assert_int_equal(fix.seen_count, written);
	assert_true(written > 2000);
	assert_int_equal(fix.corrupt, 0);
}

UNIT_TEST(a_corrupt_ring_does_not_stop_the_others)
{
	uint64_t nonsense[8] = { 0 };

	add(0, LANE_SAMPLES, 1);
	fake_ring_write(&fix.rings[0][LANE_SAMPLES], nonsense, sizeof(nonsense));
	fake_ring_write(&fix.rings[2][LANE_SIDEBAND], nonsense, sizeof(nonsense));
	add(1, LANE_SAMPLES, 2);
	add(3, LANE_SIDEBAND, 3);
	drain_run(&fix.drain, 100);
	assert_int_equal(fix.seen_count, 3);
	assert_int_equal(fix.corrupt, 2);
	add(0, LANE_SAMPLES, 4);
	add(2, LANE_SIDEBAND, 5);
	drain_run(&fix.drain, 100);
	assert_int_equal(fix.seen_count, 5);
	assert_int_equal(fix.corrupt, 2);
}

/* Too short for a time: handed over at once, so that whoever decodes it can refuse and count it. */
UNIT_TEST(a_record_without_room_for_a_time_is_due)
{
	struct perf_event_header sample = { PERF_RECORD_SAMPLE, 0, sizeof(sample) };
	struct perf_event_header lost = { PERF_RECORD_LOST, 0, sizeof(lost) };

	fake_ring_write(&fix.rings[0][LANE_SAMPLES], &sample, sizeof(sample));
	fake_ring_write(&fix.rings[0][LANE_SAMPLES], &lost, sizeof(lost));
	drain_run(&fix.drain, 0);
	assert_int_equal(fix.seen_count, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_mapping_comes_between_the_samples_around_it,
						start, stop),
		cmocka_unit_test_setup_teardown(what_is_newer_than_the_horizon_stays, start, stop),
		cmocka_unit_test_setup_teardown(a_time_to_come_is_due, start, stop),
		cmocka_unit_test_setup_teardown(a_stale_end_has_no_time, start, stop),
		cmocka_unit_test_setup_teardown(without_sideband_each_ring_is_read_through, start,
						stop),
		cmocka_unit_test_setup_teardown(any_mix_keeps_the_promise_and_loses_nothing, start,
						stop),
		cmocka_unit_test_setup_teardown(a_corrupt_ring_does_not_stop_the_others, start,
						stop),
		cmocka_unit_test_setup_teardown(a_record_without_room_for_a_time_is_due, start,
						stop),
	};

	return unit_run(tests);
}
