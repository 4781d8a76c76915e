/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unit.h"

#include <errno.h>

#include "source/fake-source.h"

static void count_record(void *context, const struct record *r)
{
	uint64_t *sum = context;

	*sum = *sum * 10 + r->pid;
}

UNIT_TEST(hands_over_in_order_and_in_portions)
{
	struct record records[] = {
		fake_comm(1, 1, 10, "a", true),
		fake_sample(2, 2, 0, 20, 0x1000, 0),
		fake_lost(0, 30, 7),
	};
	struct fake_script script = { .records = records,
				      .count = 3,
				      .per_drain = 2,
				      .tier = TIER_CPU_GROUP,
				      .fails_at_end = true };
	struct source *s = fake_source_new(NULL, &script);
	uint64_t pids = 0;

	assert_int_equal(s->ops->drain(s, count_record, &pids), 2);
	assert_int_equal(pids, 12);
	assert_int_equal(s->ops->drain(s, count_record, &pids), 1);
	assert_int_equal(s->ops->drain(s, count_record, &pids), -EIO);
	assert_int_equal(s->stats.records, 3);
	assert_int_equal(s->stats.samples, 1);
	assert_int_equal(s->stats.lost, 7);
	assert_int_equal(s->ops->set_enabled(s, 4, false), 0);
	assert_int_equal(fake_source_told(s).last_event, 4);
	assert_int_equal(fake_source_told(s).drains, 3);
	source_close(s);
}

UNIT_TEST(every_tier_has_its_name)
{
	assert_string_equal(source_tier_name(TIER_CPU_GROUP), "cpu-group");
	assert_string_equal(source_tier_name(TIER_PER_TASK), "per-task");
	assert_string_equal(source_tier_name(TIER_PROC), "proc");
	assert_string_equal(source_tier_name(TIER_FILE), "file");
	source_close(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hands_over_in_order_and_in_portions),
		cmocka_unit_test(every_tier_has_its_name),
	};

	return unit_run(tests);
}
