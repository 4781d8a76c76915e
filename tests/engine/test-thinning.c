/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unit.h"

#include <unistd.h>

#include "engine/rig.h"
#include "engine/thinning.h"

#define GUILTY 4000000u /* nobody on this machine */
#define OTHER 4000001u
#define LIMIT_NS 1000000.0
#define CALM 5

/* An interval in which samples of UID took NS, and all took COST_NS. */
static void interval(struct thinning *t, uint32_t uid, uint64_t ns, double cost_ns)
{
	thinning_charge(t, uid, "somebody", ns / THINNING_MEASURED);
	thinning_step(t, cost_ns, LIMIT_NS);
}

static void thin_to(struct thinning *t, uint32_t uid, uint32_t part)
{
	for (unsigned i = 0; i < 20 && thinning_most(t).part < part; i++)
		interval(t, uid, 2 * (uint64_t)LIMIT_NS, 3 * LIMIT_NS);
	assert_int_equal(thinning_most(t).part, part);
}

UNIT_TEST(the_user_with_the_most_time_is_thinned_step_by_step)
{
	struct thinning *t = thinning_new();

	thinning_charge(t, OTHER, "other", 1000);
	interval(t, GUILTY, 2 * (uint64_t)LIMIT_NS, 3 * LIMIT_NS);
	assert_int_equal(thinning_most(t).users, 0); /* one interval says nothing */
	for (uint32_t part = 2; part <= 2 * THINNING_MOST; part *= 2) {
		thinning_charge(t, OTHER, "other", 1000);
		interval(t, GUILTY, 2 * (uint64_t)LIMIT_NS, 3 * LIMIT_NS);
		assert_int_equal(thinning_most(t).part,
				 part < THINNING_MOST ? part : THINNING_MOST);
	}
	assert_int_equal(thinning_most(t).users, 1);
	assert_string_equal(thinning_most(t).name, "somebody");
	assert_int_equal(thinning_part(t, OTHER), 1);
	thinning_free(t);
}

/* A lower frequency is for these; and who takes little is not thinned for what others cost. */
UNIT_TEST(who_is_trusted_or_takes_little_is_not_thinned)
{
	struct thinning *t = thinning_new();

	for (unsigned i = 0; i < 20; i++) {
		thinning_charge(t, 0, "root", (uint64_t)LIMIT_NS);
		thinning_charge(t, getuid(), "me", (uint64_t)LIMIT_NS);
		interval(t, OTHER, (uint64_t)LIMIT_NS / 10, 100 * LIMIT_NS);
	}
	assert_int_equal(thinning_most(t).users, 0);
	thinning_free(t);
}

/* Tasks that take turns are each looked at as often as they ran. */
UNIT_TEST(one_sample_of_each_block_stands_for_all)
{
	struct thinning *t = thinning_new();
	uint64_t looked_at = 0, all = 0, of_turn[2] = { 0 };

	thin_to(t, GUILTY, THINNING_MOST);
	for (unsigned i = 0; i < 1000 * THINNING_MOST; i++) {
		uint32_t part = thinning_part(t, GUILTY);

		looked_at += part > 0;
		all += part;
		of_turn[i % 2] += part;
	}
	assert_int_equal(looked_at, 1000);
	assert_int_equal(all, 1000 * THINNING_MOST);
	assert_true(of_turn[0] > all / 3 && of_turn[1] > all / 3);
	assert_int_equal(thinning_surplus(t), 0);
	thinning_free(t);
}

UNIT_TEST(samples_come_back_when_they_find_room)
{
	struct thinning *t = thinning_new();

	thin_to(t, GUILTY, 4);
	for (unsigned i = 0; i < 2 * CALM; i++) /* twice as many would not fit */
		interval(t, GUILTY, (uint64_t)LIMIT_NS / 2, LIMIT_NS / 2);
	assert_int_equal(thinning_most(t).part, 4);
	for (unsigned i = 0; i < CALM; i++)
		interval(t, GUILTY, (uint64_t)LIMIT_NS / 8, LIMIT_NS / 2);
	assert_int_equal(thinning_most(t).part, 2);
	for (unsigned i = 0; i < CALM; i++)
		interval(t, GUILTY, (uint64_t)LIMIT_NS / 8, LIMIT_NS / 2);
	assert_int_equal(thinning_most(t).users, 0);
	assert_int_equal(thinning_part(t, GUILTY), 1);
	thinning_free(t);
}

UNIT_TEST(the_processes_of_a_user_rest_when_he_can_be_thinned_no_further)
{
	struct thinning *t = thinning_new();
	uint32_t uids[THINNING_USERS];

	thin_to(t, GUILTY, THINNING_MOST / 2);
	assert_int_equal(thinning_resting(t, uids), 0);
	thin_to(t, GUILTY, THINNING_MOST);
	assert_int_equal(thinning_resting(t, uids), 1);
	assert_int_equal(uids[0], GUILTY);
	thinning_free(t);
}

/* Each of many users takes little, and one of them most. */
UNIT_TEST(no_number_of_users_hides_one)
{
	struct thinning *t = thinning_new();

	for (unsigned i = 0; i < 3; i++) {
		for (uint32_t uid = OTHER; uid < OTHER + 1000; uid++) {
			thinning_charge(t, uid, "one of many", 1);
			thinning_charge(t, GUILTY, "somebody", 100);
		}
		thinning_step(t, 3 * LIMIT_NS, LIMIT_NS);
	}
	assert_int_equal(thinning_part(t, OTHER), 1);
	assert_string_equal(thinning_most(t).name, "somebody");
	thinning_free(t);
}

static void receive_many(struct rig *rig, uint32_t pid, unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		rig->now_ns += NS_PER_S / 1000;
		rig_receive(rig, rig_hot_sample(pid, 0, rig->now_ns));
	}
}

/* In the engine: sums stay, the rest is told, and what an event counts exactly is not thinned. */
static void check_thinned(const char *events, bool thins)
{
	struct rig rig;
	const struct snapshot *s;

	rig_init(&rig, events, TIER_CPU_GROUP);
	rig_open(&rig);
	rig_receive(&rig, rig_mmap_self(50, rig.now_ns));
	for (unsigned i = 0; i < 3; i++) {
		receive_many(&rig, 50, 2 * THINNING_MEASURED);
		engine_thin(rig.engine, 100, 1);
	}
	s = rig_snapshot(&rig);
	assert_int_equal(s->sampling.thinned_users, thins);
	assert_int_equal(s->sampling.thinned_part, thins ? 4 : 0);
	engine_zero(rig.engine);
	receive_many(&rig, 50, 400);
	rig_snapshot(&rig); /* which checks that each sample that was read is counted or told */
	assert_true(rig_samples(&rig, 50, "rig_hot_function") >= 396);
	assert_true(rig_samples(&rig, 50, "rig_hot_function") <= 404);
	rig_fini(&rig);
}

UNIT_TEST(samples_of_a_frequency_stand_for_others)
{
	check_thinned("cpu-clock/freq=1000/,page-faults", true);
}

UNIT_TEST(samples_of_a_period_stand_for_themselves)
{
	check_thinned("cpu-clock/period=1000000/,page-faults", false);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_user_with_the_most_time_is_thinned_step_by_step),
		cmocka_unit_test(who_is_trusted_or_takes_little_is_not_thinned),
		cmocka_unit_test(one_sample_of_each_block_stands_for_all),
		cmocka_unit_test(samples_come_back_when_they_find_room),
		cmocka_unit_test(the_processes_of_a_user_rest_when_he_can_be_thinned_no_further),
		cmocka_unit_test(no_number_of_users_hides_one),
		cmocka_unit_test(samples_of_a_frequency_stand_for_others),
		cmocka_unit_test(samples_of_a_period_stand_for_themselves),
	};

	return unit_run(tests);
}
