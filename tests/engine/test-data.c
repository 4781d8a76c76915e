/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The mappings of data that samples touched. */
#include "unit.h"

#include "engine/rig.h"

#define HOT "rig_hot_function"
#define S NS_PER_S

static double data_samples(const struct rig *rig, const char *name)
{
	const struct snapshot *s = rig->snapshot;
	double sum = 0;

	for (size_t i = 0; i < s->cell_count; i++) {
		if (s->cells[i].data &&
		    !strcmp(frame_object_name(s->frames, s->cells[i].data), name))
			sum += s->cells[i].samples;
	}
	return sum;
}

static struct record touching(uint64_t time_ns, uint64_t address)
{
	struct record r = rig_hot_sample(50, 0, time_ns);

	r.sample.address = address;
	return r;
}

static struct record data_mmap(uint64_t time_ns, uint64_t start, const char *path)
{
	struct record r = fake_mmap(50, time_ns, start, 0x1000, path);

	r.mmap.executable = false;
	return r;
}

UNIT_TEST(data_is_told_by_its_mapping)
{
	struct rig rig;

	rig_init(&rig, "page-faults,cpu-clock", TIER_CPU_GROUP);
	rig.evlist->items[0]->addresses = true;
	rig_open(&rig);
	rig_receive(&rig, fake_comm(50, 50, 1 * S, "busy", true));
	rig_receive(&rig, rig_mmap_self(50, 1 * S));
	rig_receive(&rig, data_mmap(1 * S, 0x10000, "[heap]"));
	rig_receive(&rig, data_mmap(1 * S, 0x20000, "/dev/shm/x"));
	rig_receive(&rig, data_mmap(1 * S, 0x30000, "/usr/lib/libc.so.6"));
	rig_receive(&rig, data_mmap(1 * S, 0x40000, "//anon"));
	rig_receive(&rig, touching(2 * S, 0x10fff));
	rig_receive(&rig, touching(2 * S, 0x10000));
	rig_receive(&rig, touching(2 * S, 0x20000));
	rig_receive(&rig, touching(2 * S, 0x30000));
	rig_receive(&rig, touching(2 * S, 0x40000));
	rig_receive(&rig, touching(2 * S, rig_hot_address()));
	rig_receive(&rig, touching(2 * S, 0x50000));
	rig_receive(&rig, touching(2 * S, 0));
	rig_snapshot(&rig);
	assert_true(data_samples(&rig, "[heap]") == 2);
	assert_true(data_samples(&rig, "/dev/shm/x") == 1);
	assert_true(data_samples(&rig, "libc.so.6") == 1);
	assert_true(data_samples(&rig, "//anon") == 1);
	assert_true(data_samples(&rig, "[unknown]") == 1);
	assert_true(data_samples(&rig, "test-data") == 1);
	assert_true(rig_samples(&rig, 50, HOT) == 8);
	rig_fini(&rig);
}

/* Another event's samples have an address as well, which means nothing. */
UNIT_TEST(only_some_events_tell_of_data)
{
	struct rig rig;

	rig_start(&rig, TIER_CPU_GROUP);
	rig_receive(&rig, fake_comm(50, 50, 1 * S, "busy", true));
	rig_receive(&rig, rig_mmap_self(50, 1 * S));
	rig_receive(&rig, data_mmap(1 * S, 0x10000, "[heap]"));
	rig_receive(&rig, touching(2 * S, 0x10000));
	rig_snapshot(&rig);
	assert_int_equal(rig.snapshot->cells[0].data, 0);
	rig_fini(&rig);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(data_is_told_by_its_mapping),
		cmocka_unit_test(only_some_events_tell_of_data),
	};

	return unit_run(tests);
}
