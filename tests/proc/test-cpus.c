/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unit.h"

#include <math.h>

#include "proc/cpus.h"
#include "proc/tree.h"

/* /proc and /sys/devices of a machine that the test makes; both lie in one tree. */
struct machine {
	struct tree t;
	struct cpus cpus;
	char stat[64 * 1024];
	size_t size;
	struct tree_clock time;
};

static void machine_init(struct machine *m)
{
	tree_init(&m->t);
	tree_clock_init(&m->time, NS_PER_S);
	cpus_init(&m->cpus, m->t.root, &m->time.clock);
	cpus_watch(&m->cpus, true, false);
	m->size = 0;
}

static void machine_fini(struct machine *m)
{
	cpus_fini(&m->cpus);
	tree_fini(&m->t);
}

static void begin(struct machine *m)
{
	m->size = (size_t)sprintf(m->stat, "cpu  1 1 1 1 1 1 1 1 1 1\n");
}

/* user nice system idle iowait irq softirq steal */
static void add(struct machine *m, unsigned cpu, const char *ticks)
{
	m->size += (size_t)sprintf(m->stat + m->size, "cpu%u %s 0 0\n", cpu, ticks);
}

static void refresh(struct machine *m)
{
	cpus_refresh(&m->cpus, &m->t.procfs, &(struct buf){ .bytes = m->stat, .size = m->size }, 0);
}

static const struct cpu_facts *facts(const struct machine *m, uint32_t number)
{
	for (size_t i = 0; i < m->cpus.count; i++) {
		if (m->cpus.items[i].facts.number == number)
			return &m->cpus.items[i].facts;
	}
	fail_msg("no CPU %u", number);
	return NULL;
}

UNIT_TEST(shares_are_of_each_cpu_and_add_up)
{
	struct machine m;
	const struct cpu_facts *f;

	machine_init(&m);
	begin(&m);
	add(&m, 0, "100 0 100 1000 10 0 0 0");
	add(&m, 1, "100 0 100 1000 10 0 0 0");
	refresh(&m);
	assert_true(isnan(facts(&m, 0)->user_percent) && isnan(facts(&m, 0)->idle_percent));
	begin(&m);
	add(&m, 0, "140 10 120 1100 20 5 5 10");
	add(&m, 1, "100 0 100 1200 9 0 0 0"); /* iowait went back */
	refresh(&m);
	f = facts(&m, 0);
	unit_is_near(f->user_percent, 25, 0.01);
	unit_is_near(f->system_percent, 10, 0.01);
	unit_is_near(f->irq_percent, 2.5, 0.01);
	unit_is_near(f->softirq_percent, 2.5, 0.01);
	unit_is_near(f->steal_percent, 5, 0.01);
	unit_is_near(f->iowait_percent, 5, 0.01);
	unit_is_near(f->idle_percent, 50, 0.01);
	unit_is_near(facts(&m, 1)->idle_percent, 100, 0.01);
	refresh(&m); /* no tick has passed */
	assert_true(isnan(facts(&m, 0)->user_percent));
	cpus_forget(&m.cpus);
	begin(&m);
	add(&m, 0, "200 10 120 1100 20 5 5 10");
	refresh(&m);
	assert_true(isnan(facts(&m, 0)->user_percent));
	machine_fini(&m);
}

static void write_place(struct machine *m, unsigned cpu, const char *siblings, const char *shared,
			unsigned package)
{
	char name[96];

	snprintf(name, sizeof(name), "system/cpu/cpu%u/topology/thread_siblings_list", cpu);
	tree_printf(&m->t, name, "%s\n", siblings);
	snprintf(name, sizeof(name), "system/cpu/cpu%u/topology/physical_package_id", cpu);
	tree_printf(&m->t, name, "%u\n", package);
	snprintf(name, sizeof(name), "system/cpu/cpu%u/cache/index0/shared_cpu_list", cpu);
	tree_printf(&m->t, name, "%s\n", siblings);
	snprintf(name, sizeof(name), "system/cpu/cpu%u/cache/index1/shared_cpu_list", cpu);
	tree_printf(&m->t, name, "%s\n", shared);
}

/* Cores {0,4} {1,5}, one cache each; 2 and 3 have one, and are another node and package. */
static void write_places(struct machine *m)
{
	write_place(m, 0, "0,4", "0,4", 0);
	write_place(m, 4, "0,4", "0,4", 0);
	write_place(m, 1, "1,5", "1,5", 0);
	write_place(m, 5, "1,5", "1,5", 0);
	write_place(m, 2, "2", "2-3", 1);
	write_place(m, 3, "3", "2-3", 1);
	tree_printf(&m->t, "system/cpu/present", "0-5\n");
	tree_printf(&m->t, "system/node/online", "0,3\n");
	tree_printf(&m->t, "system/node/node0/cpulist", "0-1,4-5\n");
	tree_printf(&m->t, "system/node/node3/cpulist", "2-3\n");
}

static void check_place(const struct machine *m, uint32_t cpu, const int32_t place[4])
{
	const struct cpu_facts *f = facts(m, cpu);

	assert_int_equal(f->place.core, place[0]);
	assert_int_equal(f->place.llc, place[1]);
	assert_int_equal(f->place.node, place[2]);
	assert_int_equal(f->place.package, place[3]);
}

static void online(struct machine *m, const char *cpus)
{
	begin(m);
	for (const char *c = cpus; *c; c++)
		add(m, (unsigned)(*c - '0'), "1 1 1 1 1 1 1 1");
	refresh(m);
}

UNIT_TEST(each_cpu_has_its_place)
{
	struct machine m;

	machine_init(&m);
	write_places(&m);
	online(&m, "012345");
	assert_int_equal(m.cpus.count, 6);
	check_place(&m, 0, (int32_t[]){ 0, 0, 0, 0 });
	check_place(&m, 4, (int32_t[]){ 0, 0, 0, 0 });
	check_place(&m, 5, (int32_t[]){ 1, 1, 0, 0 });
	check_place(&m, 2, (int32_t[]){ 2, 2, 3, 1 });
	check_place(&m, 3, (int32_t[]){ 3, 2, 3, 1 });
	assert_int_equal(facts(&m, 0)->place.type, 0);
	machine_fini(&m);
}

/* The kernel takes a CPU that is offline out of the lists of the others. */
UNIT_TEST(a_cpu_goes_offline_and_comes_back)
{
	struct machine m;

	machine_init(&m);
	write_places(&m);
	online(&m, "12345");
	assert_int_equal(m.cpus.count, 6);
	assert_false(facts(&m, 0)->online);
	assert_int_equal(facts(&m, 0)->place.core, -1);
	online(&m, "012345");
	check_place(&m, 0, (int32_t[]){ 0, 0, 0, 0 });
	write_place(&m, 4, "4", "4", 0);
	tree_remove(&m.t, "system/cpu/cpu0/topology");
	online(&m, "12345");
	assert_false(facts(&m, 0)->online);
	assert_true(isnan(facts(&m, 0)->idle_percent));
	check_place(&m, 0, (int32_t[]){ 0, 0, 0, 0 });
	check_place(&m, 4, (int32_t[]){ 0, 0, 0, 0 });
	tree_printf(&m.t, "system/cpu/present", "1-5\n"); /* it was taken out */
	online(&m, "12345");
	assert_false(m.cpus.items[0].present);
	machine_fini(&m);
}

UNIT_TEST(what_is_missing_stays_unknown)
{
	struct machine m;

	machine_init(&m);
	online(&m, "01");
	check_place(&m, 0, (int32_t[]){ -1, -1, -1, -1 });
	assert_true(isnan(facts(&m, 1)->ghz));
	tree_printf(&m.t, "cpuinfo", "processor\t: 1\ncpu MHz\t\t: 0.000\n");
	online(&m, "01");
	assert_true(isnan(facts(&m, 1)->ghz)); /* never zero */
	machine_fini(&m);
}

UNIT_TEST(lists_that_are_none_do_no_harm)
{
	struct machine m;

	machine_init(&m);
	write_places(&m);
	tree_printf(&m.t, "system/cpu/present", "0-99999999\n");
	tree_printf(&m.t, "system/node/online", "\033[2J\n");
	tree_printf(&m.t, "system/cpu/cpu1/topology/thread_siblings_list", "\n");
	tree_printf(&m.t, "system/cpu/cpu1/topology/physical_package_id", "-1\n");
	online(&m, "01");
	assert_int_equal(m.cpus.count, 2);
	check_place(&m, 1, (int32_t[]){ -1, 1, -1, -1 });
	begin(&m);
	add(&m, 4000000000u, "1 1 1 1 1 1 1 1");
	refresh(&m);
	assert_int_equal(m.cpus.count, 2);
	machine_fini(&m);
}

UNIT_TEST(clocks_come_from_cpufreq_or_cpuinfo)
{
	struct machine m;

	machine_init(&m);
	tree_printf(
		&m.t, "cpuinfo",
		"processor\t: 0\nmodel name\t: x\ncpu MHz\t\t: 2400.500\n\n"
		"processor\t: 1\ncpu MHz\t\t: 800.000\n\nprocessor\t: 99999999999\ncpu MHz : 7\n");
	online(&m, "01");
	unit_is_near(facts(&m, 0)->ghz, 2.4005, 0.01);
	unit_is_near(facts(&m, 1)->ghz, 0.8, 0.01);
	machine_fini(&m);
	machine_init(&m);
	tree_printf(&m.t, "cpuinfo", "processor\t: 0\ncpu MHz\t\t: 2400.500\n");
	tree_printf(&m.t, "system/cpu/cpu0/cpufreq/scaling_cur_freq", "3700000\n");
	tree_printf(&m.t, "system/cpu/cpu1/cpufreq/scaling_cur_freq", "1000000\n");
	online(&m, "01");
	unit_is_near(facts(&m, 0)->ghz, 3.7, 0.01);
	unit_is_near(facts(&m, 1)->ghz, 1, 0.01);
	cpus_watch(&m.cpus, false, false); /* nobody looks at them any more */
	online(&m, "01");
	assert_true(isnan(facts(&m, 0)->ghz));
	machine_fini(&m);
}

/* Reading them takes a second, so the next time comes after a hundred. */
UNIT_TEST(slow_clocks_are_read_rarely)
{
	struct machine m;

	machine_init(&m);
	m.time.step_ns = NS_PER_S;
	tree_printf(&m.t, "system/cpu/cpu0/cpufreq/scaling_cur_freq", "3700000\n");
	online(&m, "0");
	tree_printf(&m.t, "system/cpu/cpu0/cpufreq/scaling_cur_freq", "1000000\n");
	online(&m, "0");
	unit_is_near(facts(&m, 0)->ghz, 3.7, 0.01);
	m.time.now_ns += 90 * NS_PER_S;
	online(&m, "0");
	unit_is_near(facts(&m, 0)->ghz, 3.7, 0.01);
	m.time.now_ns += 10 * NS_PER_S;
	online(&m, "0");
	unit_is_near(facts(&m, 0)->ghz, 1, 0.01);
	online(&m, "");
	assert_true(isnan(facts(&m, 0)->ghz)); /* it is offline */
	machine_fini(&m);
}

UNIT_TEST(cores_of_two_types_are_told_apart)
{
	struct machine m;

	machine_init(&m);
	tree_printf(&m.t, "cpu_core/cpus", "0\n");
	tree_printf(&m.t, "cpu_atom/cpus", "1\n");
	online(&m, "01");
	assert_int_equal(facts(&m, 0)->place.type, 'P');
	assert_int_equal(facts(&m, 1)->place.type, 'E');
	machine_fini(&m);
	machine_init(&m);
	tree_printf(&m.t, "system/cpu/cpu0/cpu_capacity", "446\n");
	tree_printf(&m.t, "system/cpu/cpu1/cpu_capacity", "1024\n");
	online(&m, "01");
	assert_int_equal(facts(&m, 0)->place.type, 'E');
	assert_int_equal(facts(&m, 1)->place.type, 'P');
	machine_fini(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shares_are_of_each_cpu_and_add_up),
		cmocka_unit_test(each_cpu_has_its_place),
		cmocka_unit_test(a_cpu_goes_offline_and_comes_back),
		cmocka_unit_test(what_is_missing_stays_unknown),
		cmocka_unit_test(lists_that_are_none_do_no_harm),
		cmocka_unit_test(clocks_come_from_cpufreq_or_cpuinfo),
		cmocka_unit_test(slow_clocks_are_read_rarely),
		cmocka_unit_test(cores_of_two_types_are_told_apart),
	};

	return unit_run(tests);
}
