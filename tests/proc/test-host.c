/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unit.h"

#include <errno.h>
#include <math.h>
#include <unistd.h>

#include "proc/host.h"
#include "proc/tree.h"
#include "proc/user.h"

/* user nice system idle iowait irq softirq steal */
static void write_cpu(struct tree *t, const char *ticks)
{
	tree_printf(t, "stat", "cpu  %s 0 0\ncpu0 1 2 3\ncpu1 1 2 3\nprocs_running 4\n", ticks);
}

static void begin(struct tree *t, struct host *h, const struct clock *clock)
{
	tree_init(t);
	host_init(h, NULL, clock);
}

static void end(struct tree *t, struct host *h)
{
	host_fini(h);
	tree_fini(t);
}

static void write_pressure(struct tree *t, unsigned cpu, unsigned some, unsigned full)
{
	tree_printf(t, "pressure/cpu", "some avg10=1.00 avg60=0.00 avg300=0.00 total=%u\n", cpu);
	tree_printf(t, "pressure/io",
		    "some avg10=0.00 avg60=0.00 avg300=0.00 total=%u\n"
		    "full avg10=0.00 avg60=0.00 avg300=0.00 total=%u\n",
		    some, full);
}

UNIT_TEST(shares_come_with_the_second_reading)
{
	struct tree t;
	struct host h;

	begin(&t, &h, &clock_system);
	write_cpu(&t, "100 0 100 1000 10 0 0 0");
	host_refresh(&h, &t.procfs);
	assert_true(isnan(h.cpu_percent) && isnan(h.iowait_percent));
	assert_int_equal(h.running, 4);
	assert_int_equal(h.cpus, 2);
	write_cpu(&t, "140 10 120 1100 20 5 5 10");
	host_refresh(&h, &t.procfs);
	unit_is_near(h.user_percent, 25, 0.01);
	unit_is_near(h.system_percent, 15, 0.01);
	unit_is_near(h.idle_percent, 50, 0.01);
	unit_is_near(h.iowait_percent, 5, 0.01);
	unit_is_near(h.steal_percent, 5, 0.01);
	unit_is_near(h.cpu_percent, 45, 0.01);
	host_refresh(&h, &t.procfs); /* no tick has passed */
	assert_true(isnan(h.cpu_percent));
	write_cpu(&t, "150 10 120 1100 10 5 5 10"); /* iowait went back */
	host_refresh(&h, &t.procfs);
	unit_is_near(h.cpu_percent, 100, 0.01);
	end(&t, &h);
}

/* One second of two CPUs, 200 ticks: one of them runs what the ticks see half of. */
UNIT_TEST(what_hides_between_ticks_is_in_the_shares)
{
	struct tree_clock hand;
	struct tree t;
	struct host h;

	tree_clock_init(&hand, 5 * NS_PER_S);
	begin(&t, &h, &hand.clock);
	write_cpu(&t, "100 0 100 1000 10 0 0 0");
	host_refresh(&h, &t.procfs);
	hand.now_ns += NS_PER_S;
	write_cpu(&t, "140 0 110 1096 14 0 0 0");
	host_refresh(&h, &t.procfs);
	unit_is_near(h.idle_percent, 48, 0.01);
	unit_is_near(h.iowait_percent, 2, 0.01);
	unit_is_near(h.cpu_percent, 50, 0.01);
	unit_is_near(h.user_percent, 40, 0.01);
	unit_is_near(h.system_percent, 10, 0.01);
	/* Within what rounding makes, ticks are taken as they are. */
	hand.now_ns += NS_PER_S;
	write_cpu(&t, "158 0 112 1272 14 0 0 0");
	host_refresh(&h, &t.procfs);
	unit_is_near(h.idle_percent, 100 * 176 / 196.0, 0.01);
	/* If the ticks saw nothing run, they do not tell what the rest was. */
	hand.now_ns += NS_PER_S;
	write_cpu(&t, "158 0 112 1372 14 0 0 0");
	host_refresh(&h, &t.procfs);
	unit_is_near(h.idle_percent, 100, 0.01);
	end(&t, &h);
}

UNIT_TEST(pressure_is_of_the_interval)
{
	struct tree_clock hand;
	struct tree t;
	struct host h;

	tree_clock_init(&hand, NS_PER_S);
	begin(&t, &h, &hand.clock);
	host_refresh(&h, &t.procfs); /* a kernel without it */
	assert_true(isnan(h.pressure.cpu_some_percent));
	write_pressure(&t, 1000000, 500, 100);
	hand.now_ns += NS_PER_S;
	host_refresh(&h, &t.procfs);
	assert_true(isnan(h.pressure.cpu_some_percent));
	write_pressure(&t, 1250000, 2000500, 100);
	hand.now_ns += 2 * NS_PER_S;
	host_refresh(&h, &t.procfs);
	unit_is_near(h.pressure.cpu_some_percent, 12.5, 0.01);
	unit_is_near(h.pressure.io_some_percent, 100, 0.01);
	unit_is_near(h.pressure.io_full_percent, 0, 0.01);
	assert_true(isnan(h.pressure.memory_some_percent));
	host_refresh(&h, &t.procfs); /* no time has passed */
	assert_true(isnan(h.pressure.cpu_some_percent));
	write_pressure(&t, 5, 2000500, 100); /* it went back */
	hand.now_ns += NS_PER_S;
	host_refresh(&h, &t.procfs);
	assert_true(isnan(h.pressure.cpu_some_percent));
	end(&t, &h);
}

UNIT_TEST(what_is_missing_stays_absent)
{
	struct tree t;
	struct host h;

	begin(&t, &h, &clock_system);
	host_refresh(&h, &t.procfs);
	assert_true(isnan(h.cpu_percent) && isnan(h.load[0]) && isnan(h.uptime_s));
	assert_int_equal(h.tasks, -1);
	assert_int_equal(h.running, -1);
	assert_int_equal(h.memory_total_bytes, -1);
	assert_int_equal(h.swap_used_bytes, -1);
	assert_string_not_equal(h.system.nodename, "");
	write_cpu(&t, "100 0 100 1000 10 0 0 0");
	host_refresh(&h, &t.procfs);
	tree_remove(&t, "stat");
	host_refresh(&h, &t.procfs);
	write_cpu(&t, "140 10 120 1100 20 5 5 10");
	host_refresh(&h, &t.procfs);
	assert_true(isnan(h.cpu_percent));
	end(&t, &h);
}

UNIT_TEST(memory_load_and_uptime)
{
	struct tree t;
	struct host h;

	begin(&t, &h, &clock_system);
	tree_printf(&t, "meminfo",
		    "MemTotal: 100 kB\nMemFree: 10 kB\nMemAvailable: 40 kB\n"
		    "SwapTotal: 8 kB\nSwapFree: 5 kB\n");
	tree_printf(&t, "loadavg", "0.50 1.25 2.00 3/107 11333\n");
	tree_printf(&t, "uptime", "1033.62 2015.31\n");
	host_refresh(&h, &t.procfs);
	assert_int_equal(h.memory_total_bytes, 102400);
	assert_int_equal(h.memory_used_bytes, 61440);
	assert_int_equal(h.swap_total_bytes, 8192);
	assert_int_equal(h.swap_used_bytes, 3072);
	unit_is_near(h.load[1], 1.25, 0.01);
	assert_int_equal(h.tasks, 107);
	unit_is_near(h.uptime_s, 1033.62, 0.01);
	tree_printf(&t, "meminfo", "MemTotal: 100 kB\nMemFree: 10 kB\n"); /* before 3.14 */
	host_refresh(&h, &t.procfs);
	assert_int_equal(h.memory_used_bytes, 92160);
	end(&t, &h);
}

/* "stat" of hundreds of CPUs is longer than any fixed buffer. */
UNIT_TEST(long_files_are_read_whole)
{
	static char text[200000];
	struct tree t;
	struct host h;
	size_t n;

	begin(&t, &h, &clock_system);
	n = (size_t)snprintf(text, sizeof(text), "cpu  1 1 1 1 1 1 1 1\n");
	for (int i = 0; i < 4000; i++)
		n += (size_t)snprintf(text + n, sizeof(text) - n, "cpu%d 1 2 3 4 5 6 7 8\n", i);
	n += (size_t)snprintf(text + n, sizeof(text) - n, "procs_running 11\n");
	tree_write(&t, "stat", text, n);
	host_refresh(&h, &t.procfs);
	assert_int_equal(h.cpus, 4000);
	assert_int_equal(h.running, 11);
	end(&t, &h);
}

UNIT_TEST(files_are_bounded_and_absence_is_told)
{
	char text[16];
	struct buf b = { 0 };
	static char large[40000];
	struct error err = { "" };
	struct procfs none;
	struct tree t;

	tree_init(&t);
	tree_printf(&t, "7/stat", "0123456789abcdefghij");
	assert_int_equal(procfs_read_task(&t.procfs, 7, 0, "stat", text, sizeof(text)), 15);
	assert_string_equal(text, "0123456789abcde");
	assert_int_equal(procfs_read_task(&t.procfs, 8, 0, "stat", text, sizeof(text)), -ENOENT);
	assert_string_equal(text, "");
	assert_int_equal(procfs_read_task(&t.procfs, 7, 0, "", text, sizeof(text)), -EISDIR);
	tree_printf(&t, "4294967295/task/4294967295/stat", "last");
	assert_int_equal(
		procfs_read_task(&t.procfs, UINT32_MAX, UINT32_MAX, "stat", text, sizeof(text)), 4);
	assert_int_equal(
		procfs_read_task(&t.procfs, 7, 7,
				 "a-name-that-is-longer-than-any-file-of-any-task-has-in-proc",
				 text, sizeof(text)),
		-ENAMETOOLONG);
	assert_int_equal(procfs_read_whole(&t.procfs, "7/stat", &b, 5), 5);
	assert_string_equal(b.bytes, "01234");
	assert_int_equal(procfs_read_whole(&t.procfs, "8/stat", &b, 5), -ENOENT);
	memset(large, '7', sizeof(large)); /* more than one read gets */
	tree_write(&t, "long", large, sizeof(large));
	assert_int_equal(procfs_read_record(&t.procfs, "long", &b, 1 << 20), sizeof(large));
	assert_memory_equal(b.bytes, large, sizeof(large));
	assert_int_equal(procfs_read_record(&t.procfs, "long", &b, 20000), 20000);
	assert_int_equal(procfs_read_record(&t.procfs, "7/stat", &b, 1 << 20), 20);
	assert_int_equal(procfs_read_record(&t.procfs, "8/stat", &b, 5), -ENOENT);
	buf_fini(&b);
	tree_fini(&t);
	assert_int_equal(procfs_open(&none, "/nonexistent", &err), -1);
	assert_non_null(strstr(err.text, "/nonexistent"));
}

struct visits {
	uint32_t sum;
	int left;
};

static int visit(void *context, uint32_t pid)
{
	struct visits *v = context;

	v->sum += pid;
	return --v->left == 0;
}

UNIT_TEST(only_numbers_are_tasks)
{
	struct visits v = { .left = -1 };
	struct tree t;

	tree_init(&t);
	tree_printf(&t, "7/stat", "x");
	tree_printf(&t, "12/task/12/stat", "x");
	tree_printf(&t, "12/task/13/stat", "x");
	tree_printf(&t, "1x/stat", "x");
	tree_printf(&t, "0/stat", "x");
	tree_printf(&t, "99999999999/stat", "x");
	tree_printf(&t, "self/stat", "x");
	assert_int_equal(procfs_each_task(&t.procfs, 0, visit, &v), 2);
	assert_int_equal(v.sum, 19);
	v = (struct visits){ .left = -1 };
	assert_int_equal(procfs_each_task(&t.procfs, 12, visit, &v), 2);
	assert_int_equal(v.sum, 25);
	v = (struct visits){ .left = 1 };
	assert_int_equal(procfs_each_task(&t.procfs, 12, visit, &v), 1);
	assert_int_equal(procfs_each_task(&t.procfs, 7, visit, &v), -ENOENT);
	tree_fini(&t);
}

static unsigned int lookups;
static uint64_t now_ns;

static uint64_t test_now(void *context)
{
	(void)context;
	return now_ns;
}

/* Only uid 7 has a name; each lookup takes 3 ms. */
static bool slow_lookup(uint32_t uid, char *name, size_t size)
{
	lookups++;
	now_ns += 3 * 1000 * 1000;
	if (uid == 7)
		snprintf(name, size, "seven");
	return uid == 7;
}

UNIT_TEST(users_are_looked_up_once)
{
	const struct clock clock = { .monotonic_ns = test_now };
	struct strtab *names = strtab_new();
	struct user_table *t = user_table_new(names, &clock, slow_lookup);

	lookups = 0;
	for (int i = 0; i < 10; i++) {
		assert_string_equal(user_name(t, 7), "seven");
		assert_string_equal(user_name(t, 8), "8");
	}
	assert_int_equal(lookups, 2);
	assert_string_equal(user_name(t, UINT32_MAX), "");
	assert_int_equal(lookups, 2);
	user_table_free(t);
	user_table_free(NULL);
	strtab_free(names);
}

UNIT_TEST(many_unknown_users_take_no_longer)
{
	const struct clock clock = { .monotonic_ns = test_now };
	struct strtab *names = strtab_new();
	struct user_table *t = user_table_new(names, &clock, slow_lookup);

	lookups = 0;
	for (uint32_t uid = 1000; uid < 11000; uid++)
		user_name(t, uid);
	assert_int_equal(lookups, 7); /* 20 ms of 3 each */
	assert_string_equal(user_name(t, 7), "7");
	assert_true(user_table_rewind(t));
	assert_string_equal(user_name(t, 7), "seven");
	assert_false(user_table_rewind(t));
	user_table_free(t);
	strtab_free(names);
}

UNIT_TEST(root_has_a_name)
{
	struct strtab *names = strtab_new();
	struct user_table *t = user_table_new(names, &clock_system, NULL);

	assert_string_equal(user_name(t, 0), "root");
	assert_string_equal(user_name(t, 3999999999u), "3999999999");
	user_table_free(t);
	strtab_free(names);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shares_come_with_the_second_reading),
		cmocka_unit_test(what_hides_between_ticks_is_in_the_shares),
		cmocka_unit_test(pressure_is_of_the_interval),
		cmocka_unit_test(what_is_missing_stays_absent),
		cmocka_unit_test(memory_load_and_uptime),
		cmocka_unit_test(long_files_are_read_whole),
		cmocka_unit_test(files_are_bounded_and_absence_is_told),
		cmocka_unit_test(only_numbers_are_tasks),
		cmocka_unit_test(users_are_looked_up_once),
		cmocka_unit_test(many_unknown_users_take_no_longer),
		cmocka_unit_test(root_has_a_name),
	};

	return unit_run(tests);
}
