/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unit.h"

#include <errno.h>

#include "perf/fake-ring.h"
#include "perf/live/ring-sizes.h"

static void assert_record(struct fake_ring *f, uint16_t size, unsigned char seed)
{
	const struct perf_event_header *header;
	const unsigned char *bytes;
	int err;

	header = ring_peek(&f->ring, &err);
	assert_non_null(header);
	assert_int_equal(header->size, size);
	for (size_t at = 8; at < size; at += 8)
		assert_int_equal(ring_word(&f->ring, at) & 0xff, (unsigned char)(seed + at));
	bytes = ring_record(&f->ring);
	for (size_t i = 8; i < size; i++)
		assert_int_equal(bytes[i], (unsigned char)(seed + i));
	ring_skip(&f->ring);
}

static void assert_empty(struct fake_ring *f)
{
	int err = 1;

	assert_null(ring_peek(&f->ring, &err));
	assert_int_equal(err, 0);
}

static struct fake_ring fake;

UNIT_TEST(reads_records_at_every_wrap_offset)
{
	for (uint64_t start = 0; start < 2 * FAKE_RING_SIZE; start += 8) {
		fake_ring_start(&fake, start);
		fake_ring_add(&fake, 40, 1);
		fake_ring_add(&fake, 8, 2);
		fake_ring_add(&fake, 264, 3);
		ring_begin(&fake.ring);
		assert_record(&fake, 40, 1);
		assert_record(&fake, 8, 2);
		assert_record(&fake, 264, 3);
		assert_empty(&fake);
		assert_int_equal(fake.page.data_tail, start);
		ring_end(&fake.ring);
		assert_int_equal(fake.page.data_tail, start + 40 + 8 + 264);
	}
}

UNIT_TEST(reads_a_record_that_fills_the_ring)
{
	for (uint64_t start = 0; start < FAKE_RING_SIZE; start += 8) {
		fake_ring_start(&fake, start);
		fake_ring_add(&fake, FAKE_RING_SIZE, 9);
		ring_begin(&fake.ring);
		assert_record(&fake, FAKE_RING_SIZE, 9);
		assert_empty(&fake);
	}
}

UNIT_TEST(later_records_wait_for_the_next_window)
{
	fake_ring_start(&fake, 4000);
	fake_ring_add(&fake, 64, 1);
	ring_begin(&fake.ring);
	fake_ring_add(&fake, 72, 2);
	assert_record(&fake, 64, 1);
	assert_empty(&fake);
	ring_end(&fake.ring);
	ring_begin(&fake.ring);
	assert_record(&fake, 72, 2);
	assert_empty(&fake);
}

UNIT_TEST(a_record_that_was_not_consumed_stays)
{
	int err;

	fake_ring_start(&fake, 8);
	fake_ring_add(&fake, 64, 1);
	ring_begin(&fake.ring);
	assert_non_null(ring_peek(&fake.ring, &err));
	ring_end(&fake.ring);
	assert_int_equal(fake.page.data_tail, 8);
	ring_begin(&fake.ring);
	assert_record(&fake, 64, 1);
}

UNIT_TEST(sizes_that_cannot_be_drop_the_window)
{
	static const uint16_t sizes[] = { 0, 4, 7, 9, 15, 44, 136, 65528 };

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct perf_event_header bad = { .type = 9, .size = sizes[i] };
		uint64_t filler[15] = { 0 };
		int err;

		fake_ring_start(&fake, 4096 - 64);
		fake_ring_add(&fake, 48, 5);
		fake_ring_write(&fake, &bad, sizeof(bad));
		fake_ring_write(&fake, filler, sizeof(filler));
		ring_begin(&fake.ring);
		assert_record(&fake, 48, 5);
		assert_null(ring_peek(&fake.ring, &err));
		assert_int_equal(err, -EBADMSG);
		assert_empty(&fake);
		ring_end(&fake.ring);
		assert_int_equal(fake.page.data_tail, fake.page.data_head);
		fake_ring_add(&fake, 24, 6);
		ring_begin(&fake.ring);
		assert_record(&fake, 24, 6);
	}
}

UNIT_TEST(a_head_that_cannot_be_drops_the_window)
{
	static const uint64_t leaps[] = { FAKE_RING_SIZE + 8, 12, 4 };

	for (size_t i = 0; i < sizeof(leaps) / sizeof(leaps[0]); i++) {
		int err;

		fake_ring_start(&fake, 16);
		fake.page.data_head += leaps[i];
		ring_begin(&fake.ring);
		assert_null(ring_peek(&fake.ring, &err));
		assert_int_equal(err, -EBADMSG);
		assert_empty(&fake);
	}
}

/* 64 MiB in pages of 4 KiB, and the side-band of four CPUs. */
#define LOCKED_MOST (16384u + 256)

static void assert_sizes(size_t cpus, bool copies, size_t samples, size_t sideband)
{
	struct ring_sizes s = ring_sizes_for(cpus, copies);

	assert_int_equal(s.samples, samples);
	assert_int_equal(s.sideband, sideband);
}

UNIT_TEST(rings_shrink_as_cpus_get_more)
{
	assert_sizes(1, false, 512, 64);
	assert_sizes(28, false, 512, 64);
	assert_sizes(64, false, 128, 64);
	assert_sizes(512, false, 16, 16);
	assert_sizes(4, true, 4096, 64);
	assert_sizes(512, true, 16, 16);
	for (size_t cpus = 1; cpus <= 2048; cpus++) {
		struct ring_sizes plain = ring_sizes_for(cpus, false);
		struct ring_sizes copies = ring_sizes_for(cpus, true);

		assert_true((plain.samples + plain.sideband) * cpus <= LOCKED_MOST);
		assert_true((copies.samples + copies.sideband) * cpus <= LOCKED_MOST);
		assert_true(copies.samples >= plain.samples && plain.sideband >= 4);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_records_at_every_wrap_offset),
		cmocka_unit_test(reads_a_record_that_fills_the_ring),
		cmocka_unit_test(later_records_wait_for_the_next_window),
		cmocka_unit_test(a_record_that_was_not_consumed_stays),
		cmocka_unit_test(sizes_that_cannot_be_drop_the_window),
		cmocka_unit_test(a_head_that_cannot_be_drops_the_window),
		cmocka_unit_test(rings_shrink_as_cpus_get_more),
	};

	return unit_run(tests);
}
