/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unit.h"

#include "base/clock.h"
#include "profile/calltree.h"
#include "profile/frame.h"
#include "profile/histogram.h"
#include "profile/history.h"

#define S NS_PER_S
#define FRAMES 64u

static const struct history_options live = {
	.width_ns = S, .keep_ns = 600 * S, .slices = 602, .bytes = 1 << 20
};
static const struct history_options file = { .width_ns = S / 1000, .slices = 64, .bytes = 1 << 20 };

static struct cell_key key_of(uint32_t process, uint32_t frame)
{
	return (struct cell_key){ .process = process, .tid = process, .frame = frame };
}

/* Sums by frame, of samples; beside them what tasks counted. */
struct sums {
	uint64_t samples[FRAMES], period[FRAMES];
	uint64_t counted, all;
	size_t keys;
};

static void take(void *context, const struct cell_key *key, uint64_t samples, uint64_t period)
{
	struct sums *s = context;

	s->keys++;
	if (key->frame == FRAME_NONE) {
		s->counted += period;
		return;
	}
	assert_true(key->frame < FRAMES);
	s->all += samples;
	s->samples[key->frame] += samples;
	s->period[key->frame] += period;
}

/* As by one who keeps no numbers of keys: what he tells is another key's, mostly. */
static void add_sample(struct history *h, const struct cell_key *key, uint64_t period,
		       uint64_t time_ns)
{
	uint32_t known = 0;

	history_add(h, key, &known, 1, period, time_ns);
}

static struct sums sums_of(struct history *h, uint64_t from_ns, uint64_t to_ns)
{
	struct sums s = { .keys = 0 };

	history_sum(h, from_ns, to_ns, take, &s);
	return s;
}

UNIT_TEST(a_window_has_what_was_counted_in_it)
{
	struct history *h = history_new(&live);
	const struct cell_key a = key_of(1, 10), b = key_of(2, 11);
	struct sums s;

	add_sample(h, &a, 100, 5 * S);
	add_sample(h, &a, 50, 5 * S + S / 2);
	add_sample(h, &b, 7, 6 * S);
	add_sample(h, &a, 1, 6 * S + 1);
	history_count(h, 1, 1, 3, 4711, 6 * S + 2);
	assert_int_equal(history_slices(h), 2);
	assert_int_equal(history_slice(h, 0).from_ns, 5 * S);
	assert_int_equal(history_slice(h, 1).to_ns, 7 * S);
	assert_int_equal(history_slice(h, 1).samples[0], 2);
	s = sums_of(h, 5 * S, 6 * S);
	assert_int_equal(s.samples[10], 2);
	assert_int_equal(s.period[10], 150);
	assert_int_equal(s.keys, 1);
	s = sums_of(h, 0, UINT64_MAX);
	assert_int_equal(s.samples[10], 3);
	assert_int_equal(s.samples[11], 1);
	assert_int_equal(s.counted, 4711);
	assert_int_equal(s.keys, 3);
	history_zero(h);
	assert_int_equal(history_slices(h), 0);
	assert_int_equal(sums_of(h, 0, UINT64_MAX).keys, 0);
	history_free(h);
}

UNIT_TEST(what_is_old_goes)
{
	struct history *h = history_new(&live);
	const struct cell_key a = key_of(1, 10);

	for (uint64_t second = 1; second <= 2000; second++)
		add_sample(h, &a, second, second * S);
	assert_in_range(history_slices(h), 598, 602);
	assert_int_equal(sums_of(h, 0, 1390 * S).all, 0);
	assert_int_equal(sums_of(h, 2000 * S, 2001 * S).period[10], 2000);
	add_sample(h, &a, 1, 100000 * S);
	assert_int_equal(history_slices(h), 1);
	history_free(h);
}

/* A sample that comes late is still of its own second. */
UNIT_TEST(samples_may_come_late)
{
	struct history *h = history_new(&live);
	const struct cell_key a = key_of(1, 10);

	add_sample(h, &a, 1, 5 * S);
	add_sample(h, &a, 2, 7 * S);
	add_sample(h, &a, 4, 5 * S + 1);
	add_sample(h, &a, 8, 6 * S); /* there is no such slice */
	add_sample(h, &a, 16, 1 * S);
	add_sample(h, &a, 32, 7 * S + 5);
	assert_int_equal(sums_of(h, 5 * S, 6 * S).period[10], 1 + 4 + 16);
	assert_int_equal(sums_of(h, 7 * S, 8 * S).period[10], 2 + 8 + 32);
	history_free(h);
}

/* A file's slices widen, and no sample is lost or moves by more than its slice. */
enum { SECONDS = 300, KEYS = 300 };

/* KEYS cells in each second, and what their tasks have counted in it, which is told a moment later. */
static void add_seconds(struct history *h)
{
	for (uint64_t second = 1; second <= SECONDS; second++) {
		for (uint32_t i = 1; i <= KEYS; i++) {
			const struct cell_key key = key_of(i, 1);

			add_sample(h, &key, 1, second * S);
		}
		for (uint32_t i = 1; second > 1 && i <= KEYS; i++)
			history_count(h, i, i, 0, 1, second * S - 1);
	}
}

static struct cell_key second_frame(void *context, const struct cell_key *key)
{
	struct cell_key to = *key;

	(void)context;
	to.frame = 2;
	return to;
}

/* An entry is 16 bytes; arrays that double would have up to as many more. */
UNIT_TEST(past_slices_have_no_spare_room)
{
	const struct history_options large = {
		.width_ns = S, .keep_ns = 600 * S, .slices = 602, .bytes = 64 << 20
	};
	const size_t entries = (2 * SECONDS - 1) * KEYS * 16;
	struct history *h = history_new(&large);
	const struct cell_key other = key_of(1, 2);

	add_seconds(h);
	assert_in_range(history_bytes(h), entries, entries + entries / 20);
	add_sample(h, &other, 1, SECONDS * S);
	history_rename(h, second_frame,
		       NULL); /* two keys become one, so all slices are made anew */
	assert_in_range(history_bytes(h), entries, entries + entries / 20);
	history_free(h);
}

UNIT_TEST(slices_widen)
{
	struct history *h = history_new(&file);
	struct sums s;

	for (uint64_t i = 0; i < 100000; i++) {
		const struct cell_key key = key_of(1, (uint32_t)(10 + i / 25000));

		add_sample(h, &key, 1, 7 * S + i * S / 1000);
	}
	assert_in_range(history_slices(h), 32, 64);
	for (size_t i = 0; i < history_slices(h); i++) {
		struct history_slice at = history_slice(h, i);

		assert_true(at.to_ns > at.from_ns);
		assert_int_equal(sums_of(h, at.from_ns, at.to_ns).all, at.samples[0]);
		if (i)
			assert_true(at.from_ns >= history_slice(h, i - 1).to_ns);
	}
	s = sums_of(h, 0, UINT64_MAX);
	for (uint32_t frame = 10; frame < 14; frame++)
		assert_int_equal(s.samples[frame], 25000);
	s = sums_of(h, 0, 20 * S);
	assert_in_range(s.samples[10], 13000, 18000);
	assert_int_equal(s.samples[12], 0);
	history_free(h);
}

/* Times of a broken file, as far apart as can be. */
UNIT_TEST(any_time_is_taken)
{
	static const uint64_t times[] = { 0, 1, UINT64_MAX, UINT64_MAX - 1, 5, UINT64_MAX / 2 };
	struct history *h = history_new(&file);
	struct history *l = history_new(&live);

	for (uint64_t i = 0; i < 6000; i++) {
		const struct cell_key key = key_of(1, 10);
		uint64_t time = i % 6 == 0 ? i * 0x9e3779b97f4a7c15u : times[i % 6];

		add_sample(h, &key, 1, time);
		add_sample(l, &key, 1, time);
	}
	assert_int_equal(sums_of(h, 0, UINT64_MAX).all, 6000);
	history_free(h);
	history_free(l);
}

UNIT_TEST(samples_move_to_their_names)
{
	struct history *h = history_new(&live);
	const struct cell_key a = key_of(1, 10), b = key_of(1, 11), none = key_of(9, 9);
	struct sums s;

	for (uint64_t second = 1; second <= 4; second++) {
		add_sample(h, &a, 10, second * S);
		add_sample(h, &a, 10, second * S);
	}
	history_move(h, &a, &b, 3, 30);
	s = sums_of(h, 4 * S, 5 * S);
	assert_int_equal(s.samples[11], 2);
	assert_int_equal(s.samples[10], 0);
	s = sums_of(h, 3 * S, 4 * S);
	assert_int_equal(s.samples[11], 1);
	assert_int_equal(s.period[11], 10);
	assert_int_equal(s.samples[10], 1);
	history_move(h, &none, &b, 5, 5);
	history_move(h, &a, &a, 5, 5);
	history_move(h, &a, &b, UINT64_MAX, UINT64_MAX);
	s = sums_of(h, 0, UINT64_MAX);
	assert_int_equal(s.samples[11], 8);
	assert_int_equal(s.period[11], 80);
	assert_int_equal(s.keys, 1);
	history_free(h);
}

static struct cell_key to_even(void *context, const struct cell_key *key)
{
	struct cell_key to = *key;

	(void)context;
	to.frame &= ~1u;
	return to;
}

UNIT_TEST(renamed_keys_that_are_equal_are_one)
{
	struct history *h = history_new(&live);
	struct sums s;

	for (uint32_t i = 0; i < 400; i++) {
		const struct cell_key key = key_of(1, 10 + i % 4);

		add_sample(h, &key, 1, (1 + i / 100) * S);
		history_count(h, 1, 1, 0, 1, (1 + i / 100) * S);
	}
	history_rename(h, to_even, NULL);
	s = sums_of(h, 2 * S, 4 * S);
	assert_int_equal(s.keys, 3);
	assert_int_equal(s.samples[10], 100);
	assert_int_equal(s.samples[12], 100);
	assert_int_equal(s.counted, 200);
	for (uint32_t i = 0; i < 10; i++) {
		const struct cell_key key = key_of(1, 12);

		add_sample(h, &key, 1, 4 * S + i);
	}
	assert_int_equal(sums_of(h, 4 * S, 5 * S).samples[12], 60);
	history_free(h);
}

/* Whatever comes, memory has its limit, each sample its second or so, and what lost detail is told. */
static void memory_is_bounded(const struct history_options *options, uint32_t processes,
			      bool detail_goes)
{
	struct history *h = history_new(options);
	uint64_t seed = 1, first = 0;
	size_t most = 0;

	for (uint64_t i = 0; i < 400000; i++) {
		struct cell_key key = key_of(1 + (uint32_t)(seed >> 40) % processes, 2);

		seed = seed * 6364136223846793005u + 1442695040888963407u;
		key.tid = (uint32_t)(seed >> 33);
		key.frame = 2 + (uint32_t)(seed >> 60);
		add_sample(h, &key, 1, (1000 + i / 1000) * S);
		most = history_bytes(h) > most && i % 64 == 0 ? history_bytes(h) : most;
	}
	if (most > options->bytes + options->bytes / 2)
		fail_msg("%zu bytes of %zu", most, options->bytes);
	assert_int_equal(sums_of(h, 0, UINT64_MAX).all, 400000);
	assert_int_equal(history_merged(h) > 0, detail_goes);
	for (size_t i = 0; i < history_slices(h); i++)
		first += history_slice(h, i).to_ns <= 1200 * S ? history_slice(h, i).samples[0] : 0;
	assert_in_range(first, 150000, 200000);
	history_free(h);
}

UNIT_TEST(too_many_keys_lose_their_functions)
{
	memory_is_bounded(&live, 100, true);
	memory_is_bounded(&file, 100, true);
	memory_is_bounded(&live, 1u << 20, true); /* and in the end their processes */
	memory_is_bounded(&file, 1u << 20, true);
}

/* Each sample has a key of its own, as with stacks: memory is steady, seconds stay, and the newest have functions. */
UNIT_TEST(the_oldest_lose_their_functions_step_by_step)
{
	struct history_options options = live;
	size_t least = SIZE_MAX, most = 0;
	struct history *h;

	options.bytes = 4 << 20;
	h = history_new(&options);
	for (uint32_t i = 0; i < 600 * 400; i++) {
		struct cell_key key = key_of(1 + i % 7, 2 + i % 60);

		key.node = i;
		add_sample(h, &key, 1, (1000 + i / 400) * S);
		if (i < 600 * 400 / 4)
			continue;
		least = history_bytes(h) < least ? history_bytes(h) : least;
		most = history_bytes(h) > most ? history_bytes(h) : most;
	}
	if (least < most * 2 / 3)
		fail_msg("%zu to %zu bytes", least, most);
	assert_true(most <= options.bytes + options.bytes / 10);
	assert_int_equal(history_slices(h), 600);
	assert_int_equal(sums_of(h, 1599 * S, 1600 * S).samples[FRAME_REST], 0);
	assert_int_equal(sums_of(h, 1000 * S, 1001 * S).samples[FRAME_REST], 400);
	assert_in_range(history_merged(h), 600 * 400 / 2, 600 * 400 * 8 / 10);
	history_free(h);
}

/* A few hundred keys that come again and again fit when slices merge. */
UNIT_TEST(merging_slices_keeps_functions)
{
	struct history *h = history_new(&live);

	for (uint64_t i = 0; i < 600 * 400; i++) {
		const struct cell_key key = key_of(1 + (uint32_t)(i % 400), 10);

		add_sample(h, &key, 1, (1000 + i / 400) * S);
	}
	assert_true(history_slices(h) < 400);
	assert_int_equal(history_merged(h), 0);
	assert_int_equal(sums_of(h, 0, UINT64_MAX).samples[10], 600 * 400);
	assert_int_equal(sums_of(h, 1599 * S, 1600 * S).all, 400);
	history_free(h);
}

UNIT_TEST(old_keys_give_up_their_callers)
{
	struct calltree *t = calltree_new(0);
	struct history *h = history_new(&live);
	uint32_t caller = calltree_add(t, CALL_ROOT, 20);
	unsigned char keep[16] = { 0 };
	struct cell_key old = key_of(1, 21), young = key_of(1, 22);

	old.node = calltree_add(t, caller, 21);
	young.node = calltree_add(t, caller, 22);
	add_sample(h, &old, 1, 5 * S);
	add_sample(h, &young, 1, 5 * S);
	for (uint64_t second = 6; second < 20; second++)
		add_sample(h, &young, 1, second * S);
	history_give_up_callers(h, t);
	history_mark(h, keep);
	assert_int_equal(keep[old.node], 0);
	assert_int_equal(keep[young.node], 1);
	assert_int_equal(keep[calltree_add(t, CALL_OTHERS, 21)], 1);
	assert_int_equal(sums_of(h, 0, UINT64_MAX).samples[21], 1);
	history_free(h);
	calltree_free(t);
}

/* The histogram tells its history everything. */
UNIT_TEST(a_histogram_passes_on)
{
	struct history *h = history_new(&live);
	struct histogram *now = histogram_new(0);
	const struct cell_key a = key_of(1, 10), b = key_of(1, 13);
	struct sums s;

	histogram_set_mode(now, HISTOGRAM_ZERO, 5);
	histogram_set_history(now, h);
	histogram_add(now, &a, 5, 1 * S);
	histogram_add(now, &a, 5, 2 * S);
	histogram_move(now, &a, &b, 1, 5);
	histogram_next_interval(now);
	histogram_add(now, &b, 5, 3 * S);
	histogram_rename(now, to_even, NULL);
	s = sums_of(h, 0, UINT64_MAX);
	assert_int_equal(s.samples[10], 1);
	assert_int_equal(s.samples[12], 2);
	histogram_set_history(now, NULL);
	histogram_add(now, &b, 5, 3 * S);
	assert_int_equal(sums_of(h, 0, UINT64_MAX).all, 3);
	histogram_add_sum(now, &b, 10, 70);
	assert_int_equal(histogram_find(now, &b)->samples, 11);
	assert_int_equal(histogram_find(now, &b)->period, 75);
	histogram_free(now);
	history_free(h);
}

/* A key's number goes to another key when keys are dropped. */
UNIT_TEST(a_number_of_a_key_that_is_not_its_own_any_more_does_no_harm)
{
	struct history *h = history_new(&live);
	const struct cell_key a = key_of(1, 10), b = key_of(2, 11);
	uint32_t known_a = UINT32_MAX, known_b = UINT32_MAX, again;
	struct sums s;

	history_add(h, &a, &known_a, 1, 1, 5 * S);
	history_add(h, &b, &known_b, 1, 2, 5 * S);
	assert_int_not_equal(known_a, known_b);
	again = known_b;
	history_add(h, &b, &again, 1, 4, 6 * S);
	assert_int_equal(again, known_b);
	again = known_a;
	history_add(h, &b, &again, 1, 8, 6 * S);
	assert_int_equal(again, known_b);
	history_zero(h);
	history_add(h, &b, &known_b, 1, 16, 7 * S);
	history_add(h, &a, &known_a, 1, 32, 7 * S);
	s = sums_of(h, 0, UINT64_MAX);
	assert_int_equal(s.all, 2);
	assert_int_equal(s.period[10], 32);
	assert_int_equal(s.period[11], 16);
	history_free(h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_number_of_a_key_that_is_not_its_own_any_more_does_no_harm),
		cmocka_unit_test(a_window_has_what_was_counted_in_it),
		cmocka_unit_test(what_is_old_goes),
		cmocka_unit_test(samples_may_come_late),
		cmocka_unit_test(past_slices_have_no_spare_room),
		cmocka_unit_test(slices_widen),
		cmocka_unit_test(any_time_is_taken),
		cmocka_unit_test(samples_move_to_their_names),
		cmocka_unit_test(renamed_keys_that_are_equal_are_one),
		cmocka_unit_test(too_many_keys_lose_their_functions),
		cmocka_unit_test(the_oldest_lose_their_functions_step_by_step),
		cmocka_unit_test(merging_slices_keeps_functions),
		cmocka_unit_test(old_keys_give_up_their_callers),
		cmocka_unit_test(a_histogram_passes_on),
	};

	return unit_run(tests);
}
