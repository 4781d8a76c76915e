/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unit.h"

#include <poll.h>
#include <pthread.h>

#include "engine/tap.h"

static void add(struct tap *t, uint64_t time_ns, uint32_t cpu, uint64_t address)
{
	struct record r = { .type = RECORD_SAMPLE,
			    .time_ns = time_ns,
			    .cpu = cpu,
			    .pid = 7,
			    .tid = 8,
			    .event = 1 };
	const struct engine_sample sample = { .record = &r };

	r.sample.ip = address;
	r.sample.period = 3;
	tap_listen(t, &sample);
}

static bool is_readable(const struct tap *t)
{
	struct pollfd fd = { .fd = tap_fd(t), .events = POLLIN };

	return poll(&fd, 1, 0) == 1;
}

UNIT_TEST(samples_come_in_order_of_time)
{
	struct tap *t = tap_new(0);
	struct tap_sample got[8];

	add(t, 10, 0, 1);
	add(t, 30, 0, 4);
	add(t, 20, 1, 3); /* another CPU's ring */
	add(t, 20, 0, 2);
	assert_false(is_readable(t));
	assert_int_equal(tap_take(t, got, 8), 0);
	tap_publish(t);
	assert_true(is_readable(t));
	assert_int_equal(tap_take(t, got, 3), 3);
	assert_true(is_readable(t));
	assert_int_equal(tap_take(t, got + 3, 5), 1);
	assert_false(is_readable(t));
	for (uint64_t i = 0; i < 4; i++)
		assert_int_equal(got[i].address, i + 1);
	assert_int_equal(got[3].time_ns, 30);
	assert_int_equal(got[3].period, 3);
	assert_int_equal(got[3].pid, 7);
	assert_int_equal(got[3].tid, 8);
	assert_int_equal(got[3].event, 1);
	assert_int_equal(tap_dropped(t), 0);
	tap_free(t);
}

UNIT_TEST(what_has_no_room_is_counted)
{
	struct tap *t = tap_new(4);
	struct tap_sample got[8];

	for (uint64_t i = 0; i < 6; i++) /* a drain of more than the limit */
		add(t, i, 0, i);
	tap_publish(t);
	assert_int_equal(tap_dropped(t), 2);
	assert_int_equal(tap_take(t, got, 2), 2);
	for (uint64_t i = 10; i < 13; i++) /* one more than what was taken */
		add(t, i, 0, i);
	tap_publish(t);
	assert_int_equal(tap_dropped(t), 3);
	assert_int_equal(tap_take(t, got, 8), 4);
	assert_int_equal(got[0].address, 2);
	assert_int_equal(got[1].address, 3);
	assert_int_equal(got[2].address, 10);
	assert_int_equal(got[3].address, 11);
	tap_publish(t);
	assert_false(is_readable(t));
	tap_free(t);
}

#define MANY 200000u

static void *produce(void *tap)
{
	for (uint64_t i = 0; i < MANY; i++) {
		add(tap, i, 0, i);
		if (i % 100 == 99)
			tap_publish(tap);
	}
	return NULL;
}

/* Two threads: nothing comes twice, nothing out of order, and what is missing was counted. */
UNIT_TEST(two_threads)
{
	struct tap *t = tap_new(1000);
	struct pollfd fd = { .fd = tap_fd(t), .events = POLLIN };
	struct tap_sample got[64];
	uint64_t next = 0, taken = 0;
	pthread_t thread;

	assert_int_equal(pthread_create(&thread, NULL, produce, t), 0);
	while (taken + tap_dropped(t) < MANY) {
		size_t count;

		poll(&fd, 1, 1000);
		count = tap_take(t, got, 64);
		for (size_t i = 0; i < count; i++) {
			assert_true(got[i].address >= next);
			next = got[i].address + 1;
		}
		taken += count;
	}
	pthread_join(thread, NULL);
	assert_int_equal(tap_take(t, got, 64), 0);
	assert_int_equal(taken + tap_dropped(t), MANY);
	tap_free(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(samples_come_in_order_of_time),
		cmocka_unit_test(what_has_no_room_is_counted),
		cmocka_unit_test(two_threads),
	};

	tap_free(NULL);
	return unit_run(tests);
}
