/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unit.h"

#include <math.h>

#include "proc/cpus.h"
#include "proc/tree.h"

/* Trees of resctrl, in the shape that the kernel gives them. */
struct machine {
	struct tree t;
	struct tree_clock time;
	struct resctrl resctrl;
};

/* GROUP: "" is the root, "batch/" a control group. */
static void put(struct machine *m, const char *group, unsigned cache, const char *file,
		const char *text)
{
	char name[128];

	snprintf(name, sizeof(name), "fs/resctrl/%smon_data/mon_L3_%02u/%s", group, cache, file);
	tree_printf(&m->t, name, "%s\n", text);
}

static void put_all(struct machine *m, const char *group, unsigned cache, const char *total,
		    const char *local, const char *held)
{
	put(m, group, cache, "mbm_total_bytes", total);
	put(m, group, cache, "mbm_local_bytes", local);
	put(m, group, cache, "llc_occupancy", held);
}

/* A Xeon with two sockets, on which somebody made a control group with a monitoring group. */
static void two_sockets(struct machine *m)
{
	tree_printf(&m->t, "fs/resctrl/info/L3_MON/mon_features",
		    "llc_occupancy\nmbm_total_bytes\nmbm_local_bytes\n");
	put_all(m, "", 0, "1000", "600", "4096");
	put_all(m, "", 1, "5000", "5000", "8192");
	put_all(m, "batch/", 0, "100", "50", "1024");
	put_all(m, "batch/", 1, "200", "0", "0");
	put_all(m, "batch/mon_groups/one/", 0, "90", "40", "1000");
	put_all(m, "mon_groups/two/", 0, "70", "30", "2000");
}

static void machine_init(struct machine *m)
{
	tree_init(&m->t);
	tree_clock_init(&m->time, NS_PER_S);
	resctrl_init(&m->resctrl, &m->time.clock);
}

static void machine_fini(struct machine *m)
{
	resctrl_fini(&m->resctrl);
	tree_fini(&m->t);
}

/* Two seconds later. */
static void refresh(struct machine *m)
{
	m->time.now_ns += 2 * NS_PER_S;
	resctrl_refresh(&m->resctrl, m->t.procfs.fd, "fs/resctrl");
}

static double figure(const struct machine *m, uint32_t cache, enum resctrl_event event)
{
	const struct resctrl_cache *c = resctrl_find(&m->resctrl, cache);

	assert_non_null(c);
	return c->figure[event];
}

static bool is_unknown(const struct machine *m, uint32_t cache, enum resctrl_event event)
{
	return isnan(figure(m, cache, event));
}

/* Monitoring groups are in the figures of their control group, so they are not counted again. */
UNIT_TEST(a_cache_has_the_sum_over_control_groups)
{
	struct machine m;

	machine_init(&m);
	refresh(&m);
	assert_null(resctrl_find(&m.resctrl, 0)); /* not mounted */
	two_sockets(&m);
	refresh(&m);
	assert_int_equal(m.resctrl.count, 2);
	assert_true(is_unknown(&m, 0, RESCTRL_TOTAL) && is_unknown(&m, 1, RESCTRL_LOCAL));
	assert_true(figure(&m, 0, RESCTRL_HELD) == 4096 + 1024);
	put_all(&m, "", 0, "3000", "1600", "4000");
	put_all(&m, "batch/", 0, "500", "50", "24");
	refresh(&m);
	assert_true(figure(&m, 0, RESCTRL_TOTAL) == (2000 + 400) / 2.0);
	assert_true(figure(&m, 0, RESCTRL_LOCAL) == 1000 / 2.0);
	assert_true(figure(&m, 0, RESCTRL_HELD) == 4024);
	assert_true(figure(&m, 1, RESCTRL_TOTAL) == 0); /* it is known that there was none */
	machine_fini(&m);
}

/* A word in place of a number makes the interval unknown, and the next one, whose beginning it is. */
UNIT_TEST(what_is_unavailable_is_unknown)
{
	static const char *const words[] = { "Unavailable",
					     "Error",
					     "Unassigned",
					     "",
					     "-5",
					     "12x",
					     "0x10",
					     "1 2",
					     "99999999999999999999999999" };

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		struct machine m;

		machine_init(&m);
		two_sockets(&m);
		refresh(&m);
		put(&m, "batch/", 0, "mbm_total_bytes", words[i]);
		put(&m, "batch/", 0, "llc_occupancy", words[i]);
		refresh(&m);
		assert_true(is_unknown(&m, 0, RESCTRL_TOTAL) && is_unknown(&m, 0, RESCTRL_HELD));
		assert_true(figure(&m, 0, RESCTRL_LOCAL) == 0);
		assert_true(figure(&m, 1, RESCTRL_TOTAL) == 0);
		put_all(&m, "batch/", 0, "700", "50", "10");
		refresh(&m);
		assert_true(is_unknown(&m, 0, RESCTRL_TOTAL));
		assert_true(figure(&m, 0, RESCTRL_HELD) == 4106);
		put_all(&m, "batch/", 0, "900", "50", "10");
		refresh(&m);
		assert_true(figure(&m, 0, RESCTRL_TOTAL) == 100);
		machine_fini(&m);
	}
}

/* The kernel makes 64 bits of narrower counters; one that goes back began anew. */
UNIT_TEST(a_counter_that_went_back_is_unknown_once)
{
	struct machine m;

	machine_init(&m);
	two_sockets(&m);
	put(&m, "", 1, "mbm_total_bytes", "18446744073709551000");
	refresh(&m);
	put(&m, "", 1, "mbm_total_bytes", "18446744073709551615");
	refresh(&m);
	assert_true(figure(&m, 1, RESCTRL_TOTAL) == 615 / 2.0);
	put(&m, "", 1, "mbm_total_bytes", "400");
	refresh(&m);
	assert_true(is_unknown(&m, 1, RESCTRL_TOTAL));
	put(&m, "", 1, "mbm_total_bytes", "500");
	refresh(&m);
	assert_true(figure(&m, 1, RESCTRL_TOTAL) == 50);
	machine_fini(&m);
}

/* The traffic of a group that came or went in the interval is not told. */
UNIT_TEST(groups_that_come_and_go_make_the_interval_unknown)
{
	struct machine m;

	machine_init(&m);
	two_sockets(&m);
	refresh(&m);
	put_all(&m, "new/", 0, "1000000", "1000000", "1");
	refresh(&m);
	assert_true(is_unknown(&m, 0, RESCTRL_TOTAL) && is_unknown(&m, 0, RESCTRL_LOCAL));
	assert_true(figure(&m, 1, RESCTRL_TOTAL) == 0);
	refresh(&m);
	assert_true(figure(&m, 0, RESCTRL_TOTAL) == 0);
	tree_remove(&m.t, "fs/resctrl/batch");
	refresh(&m);
	assert_true(is_unknown(&m, 0, RESCTRL_TOTAL) && is_unknown(&m, 1, RESCTRL_TOTAL));
	assert_true(figure(&m, 0, RESCTRL_HELD) == 4097);
	refresh(&m);
	assert_true(figure(&m, 0, RESCTRL_TOTAL) == 0 && figure(&m, 1, RESCTRL_TOTAL) == 0);
	tree_remove(&m.t, "fs/resctrl");
	refresh(&m);
	assert_int_equal(m.resctrl.count, 0);
	machine_fini(&m);
}

UNIT_TEST(foreign_names_are_left_alone)
{
	struct machine m;

	machine_init(&m);
	two_sockets(&m);
	tree_printf(&m.t, "fs/resctrl/mon_data/mon_L3_/mbm_total_bytes", "1\n");
	tree_printf(&m.t, "fs/resctrl/mon_data/mon_L3_-1/mbm_total_bytes", "1\n");
	tree_printf(&m.t, "fs/resctrl/mon_data/mon_L3_1x/mbm_total_bytes", "1\n");
	tree_printf(&m.t, "fs/resctrl/mon_data/mon_L3_99999999999/mbm_total_bytes", "1\n");
	tree_printf(&m.t, "fs/resctrl/mon_data/mon_L3_00/mon_sub_L3_00/mbm_total_bytes", "1\n");
	tree_printf(&m.t, "fs/resctrl/mon_data/mon_PERF_PKG_00/core_energy", "1.5\n");
	tree_printf(&m.t, "fs/resctrl/info/mon_data/mon_L3_05/mbm_total_bytes", "1\n");
	refresh(&m);
	assert_int_equal(m.resctrl.count, 2);
	machine_fini(&m);
}

/* Each look at the clock takes a second here: the next reading would be due after a hundred. */
UNIT_TEST(readings_have_a_budget)
{
	struct machine m;

	machine_init(&m);
	two_sockets(&m);
	m.time.step_ns = NS_PER_S;
	refresh(&m);
	m.time.step_ns = 0;
	put_all(&m, "", 0, "3000", "1600", "1");
	refresh(&m);
	assert_true(figure(&m, 0, RESCTRL_HELD) == 4096 + 1024);
	m.time.now_ns += 400 * NS_PER_S;
	refresh(&m);
	assert_true(figure(&m, 0, RESCTRL_HELD) == 1 + 1024);
	machine_fini(&m);
}

/* The CPUs of an EPYC: four caches of level 3, each with two CPUs. */
static void epyc(struct machine *m)
{
	char name[96];

	for (unsigned cpu = 0; cpu < 8; cpu++) {
		snprintf(name, sizeof(name),
			 "devices/system/cpu/cpu%u/cache/index0/shared_cpu_list", cpu);
		tree_printf(&m->t, name, "%u\n", cpu);
		snprintf(name, sizeof(name),
			 "devices/system/cpu/cpu%u/cache/index1/shared_cpu_list", cpu);
		tree_printf(&m->t, name, "%u-%u\n", cpu & ~1u, cpu | 1);
		snprintf(name, sizeof(name), "devices/system/cpu/cpu%u/cache/index1/level", cpu);
		tree_printf(&m->t, name, "3\n");
		snprintf(name, sizeof(name), "devices/system/cpu/cpu%u/cache/index1/id", cpu);
		tree_printf(&m->t, name, "%u\n", cpu / 2 + 8);
	}
	for (unsigned cache = 8; cache < 12; cache++)
		put_all(m, "", cache, cache == 10 ? "Unassigned" : "0", "0", "100");
}

static void refresh_cpus(struct machine *m, struct cpus *c, const char *online)
{
	char text[512] = "cpu  1 1 1 1 1 1 1 1 1 1\n";
	struct buf stat = { .bytes = text };

	for (; *online; online++)
		sprintf(text + strlen(text), "cpu%c 1 1 1 1 1 1 1 1 1 1\n", *online);
	stat.size = strlen(text);
	m->time.now_ns += 2 * NS_PER_S;
	cpus_refresh(c, &m->t.procfs, &stat, 0);
}

/* By the kernel's numbers of the caches, at the first CPU of each; another one has it when that went offline. */
UNIT_TEST(the_first_cpu_of_a_cache_has_its_figures)
{
	struct machine m;
	struct cpus c;
	char root[128];

	machine_init(&m);
	epyc(&m);
	snprintf(root, sizeof(root), "%s/devices", m.t.root);
	cpus_init(&c, root, &m.time.clock);
	refresh_cpus(&m, &c, "01234567");
	assert_true(isnan(c.items[0].facts.held_bytes)); /* nobody looks */
	cpus_watch(&c, false, true);
	refresh_cpus(&m, &c, "01234567");
	put(&m, "", 9, "mbm_total_bytes", "4000");
	refresh_cpus(&m, &c, "01234567");
	assert_true(c.items[0].facts.memory_rate == 0 && c.items[2].facts.memory_rate == 2000);
	assert_true(isnan(c.items[1].facts.memory_rate) && isnan(c.items[3].facts.held_bytes));
	assert_true(isnan(c.items[4].facts.memory_rate) && c.items[4].facts.local_rate == 0);
	refresh_cpus(&m, &c, "0134567");
	assert_true(isnan(c.items[2].facts.held_bytes) && c.items[3].facts.held_bytes == 100);
	cpus_watch(&c, false, false);
	refresh_cpus(&m, &c, "01234567");
	assert_true(isnan(c.items[0].facts.held_bytes));
	cpus_fini(&c);
	machine_fini(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_cache_has_the_sum_over_control_groups),
		cmocka_unit_test(what_is_unavailable_is_unknown),
		cmocka_unit_test(a_counter_that_went_back_is_unknown_once),
		cmocka_unit_test(groups_that_come_and_go_make_the_interval_unknown),
		cmocka_unit_test(foreign_names_are_left_alone),
		cmocka_unit_test(readings_have_a_budget),
		cmocka_unit_test(the_first_cpu_of_a_cache_has_its_figures),
	};

	return unit_run(tests);
}
