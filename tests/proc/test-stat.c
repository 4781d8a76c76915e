/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unit.h"

#include <errno.h>

#include "base/owner.h"
#include "proc/stat.h"

static const char cat_stat[] =
	"11336 (cat) R 11325 11326 7081 34816 -1 4194304 102 33 4 55 6 7 88 99 -2 -5 3 0 103362 "
	"3133440 394 18446744073709551615 94227121713152 94227121733033 140733243861152 0 0 0 0 0 "
	"0 0 0 0 17 1 0 0 0 0 0 94227121749040 94227121750656 94227421224960 140733243865525 "
	"140733243865562 140733243865562 140733243867115 0\n";

static const char cat_status[] =
	"Name:\tcat\nUmask:\t0022\nState:\tR (running)\nTgid:\t11336\nNgid:\t0\nPid:\t11336\n"
	"PPid:\t11325\nTracerPid:\t0\nUid:\t1000\t1001\t1002\t1003\nGid:\t0\t0\t0\t0\n"
	"NStgid:\t11336\t12\t7\nNSpid:\t11336\t12\t7\nVmSwap:\t      24 kB\nThreads:\t1\n"
	"voluntary_ctxt_switches:\t359\nnonvoluntary_ctxt_switches:\t95\n";

/* TEXT's first SIZE bytes in memory of just that size, so that a sanitizer sees a step too far. */
static char *exactly(const char *text, size_t size)
{
	char *copy = malloc(size ? size : 1);

	assert_non_null(copy);
	memcpy(copy, text, size);
	return copy;
}

UNIT_TEST(reads_every_field_of_stat)
{
	struct task_stat s;

	assert_int_equal(task_stat_parse(cat_stat, strlen(cat_stat), &s), 0);
	assert_int_equal(s.pid, 11336);
	assert_string_equal(s.comm, "cat");
	assert_int_equal(s.state, 'R');
	assert_int_equal(s.ppid, 11325);
	assert_int_equal(s.pgrp, 11326);
	assert_int_equal(s.session, 7081);
	assert_int_equal(s.tty, 34816);
	assert_int_equal(s.flags, 4194304);
	assert_int_equal(s.minor_faults, 102);
	assert_int_equal(s.major_faults, 4);
	assert_int_equal(s.user_ticks, 6);
	assert_int_equal(s.system_ticks, 7);
	assert_int_equal(s.priority, -2);
	assert_int_equal(s.nice, -5);
	assert_int_equal(s.threads, 3);
	assert_int_equal(s.start_ticks, 103362);
	assert_int_equal(s.virtual_bytes, 3133440);
	assert_int_equal(s.resident_pages, 394);
	assert_int_equal(s.processor, 1);
}

UNIT_TEST(a_name_may_hold_anything)
{
	static const char *const names[] = { "",         ")",  ") R 1",        "a) b",
					     "((",       "\n", "a\n1 (b) Z 2", "\033[2J",
					     "\xff\xfe", " ",  "R 1 1 1 1 1" };
	struct task_stat s;
	char text[256];

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		int n = snprintf(text, sizeof(text), "41 (%s) T 7 1 1 0 -1 0 5\n", names[i]);

		assert_int_equal(task_stat_parse(text, (size_t)n, &s), 0);
		assert_string_equal(s.comm, names[i]);
		assert_int_equal(s.state, 'T');
		assert_int_equal(s.ppid, 7);
		assert_int_equal(s.minor_faults, 5);
		assert_int_equal(s.threads, 0);
	}
}

UNIT_TEST(a_long_name_is_cut)
{
	char text[512] = "2 (", name[301];
	struct task_stat s;

	memset(name, 'k', 300);
	name[300] = '\0';
	strcat(text, name);
	strcat(text, ") I 2");
	assert_int_equal(task_stat_parse(text, strlen(text), &s), 0);
	assert_int_equal(strlen(s.comm), TASK_COMM_BYTES - 1);
	assert_int_equal(s.state, 'I');
	assert_int_equal(s.ppid, 2);
}

/* Either refused, or what is there is right and the rest is 0. */
UNIT_TEST(every_truncation_of_stat)
{
	size_t whole = strlen(cat_stat), shortest = strlen("11336 (cat) R");

	for (size_t size = 0; size < whole; size++) {
		char *text = exactly(cat_stat, size);
		struct task_stat s;
		int got = task_stat_parse(text, size, &s);

		assert_int_equal(got, size < shortest ? -EBADMSG : 0);
		if (!got) {
			assert_string_equal(s.comm, "cat");
			assert_true(s.start_ticks <= 103362);
		}
		free(text);
	}
}

UNIT_TEST(refuses_what_is_no_stat)
{
	static const char *const bad[] = { "",        "x",       "7",          "7 ",
					   "7 (",     "7 (a",    "7 (a)",      "7 (a) ",
					   "(a) R 1", "7 a R 1", "7 (a)R 1 2", "-7 (a) R" };
	struct task_stat s;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(task_stat_parse(bad[i], strlen(bad[i]), &s), -EBADMSG);
}

UNIT_TEST(reads_status)
{
	struct task_status s;

	assert_int_equal(task_status_parse(cat_status, strlen(cat_status), &s), 0);
	assert_int_equal(s.tgid, 11336);
	assert_int_equal(s.ppid, 11325);
	assert_int_equal(s.uid, 1000);
	assert_int_equal(s.euid, 1001);
	assert_int_equal(s.voluntary_switches, 359);
	assert_int_equal(s.involuntary_switches, 95);
	assert_int_equal(s.swap_kib, 24);
	assert_int_equal(s.nspid, 7);
}

/* A count that is cut off must not look like one that is 0. */
UNIT_TEST(an_owner_is_the_same_in_each_respect)
{
	static const struct {
		const char *text;
		int result;
		uint64_t owner;
	} texts[] = {
		{ "State:\tS (sleeping)\nUid:\t5\t5\t5\t5\nGid:\t6\t6\t6\t6\nCapPrm:\t0000\n", 0,
		  6ull << 32 | 5 },
		{ "Uid:\t5\t5\t0\t5\nGid:\t6\t6\t6\t6\nCapPrm:\t0000\n", 0, OWNER_NOBODY },
		{ "Uid:\t5\t5\t5\nGid:\t6\t6\t6\t6\nCapPrm:\t0000\n", 0, OWNER_NOBODY },
		{ "Uid:\t5\t5\t5\t5\nGid:\t6\t7\t6\t6\nCapPrm:\t0000\n", 0, OWNER_NOBODY },
		{ "Uid:\t5\t5\t5\t5\nGid:\t6\t6\t6\t6\nCapPrm:\t0000000000002000\n", 0,
		  OWNER_NOBODY },
		{ "Uid:\t5\t5\t5\t5\nGid:\t6\t6\t6\t6\nCapPrm:\t00000000a80425fb\n", 0,
		  OWNER_NOBODY },
		{ "State:\tZ (zombie)\nUid:\t5\t5\t5\t5\nGid:\t6\t6\t6\t6\nCapPrm:\t0000\n",
		  -EBADMSG, 0 },
		{ "Uid:\t5\t5\t5\t5\nGid:\t6\t6\t6\t6\n", -EBADMSG, 0 },
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		uint64_t owner = 0;

		assert_int_equal(task_status_owner(texts[i].text, strlen(texts[i].text), &owner),
				 texts[i].result);
		assert_true(owner == texts[i].owner);
	}
}

UNIT_TEST(every_truncation_of_status)
{
	size_t whole = strlen(cat_status);
	size_t tgid = (size_t)(strstr(cat_status, "Tgid:\t1") + 7 - cat_status);

	for (size_t size = 0; size < whole; size++) {
		char *text = exactly(cat_status, size);
		struct task_status s;
		int got = task_status_parse(text, size, &s);

		assert_int_equal(got, size < tgid ? -EBADMSG : 0);
		if (!got && s.voluntary_switches <= 0)
			assert_int_equal(s.voluntary_switches, -1);
		if (!got && s.involuntary_switches <= 0)
			assert_int_equal(s.involuntary_switches, -1);
		free(text);
	}
}

UNIT_TEST(reads_io)
{
	const char text[] =
		"rchar: 323934931\nwchar: 323929600\nsyscr: 632687\nsyscw: 632675\n"
		"read_bytes: 4096\nwrite_bytes: 323932160\ncancelled_write_bytes: 8192\n";
	uint64_t io[5];

	assert_int_equal(task_io_parse(text, sizeof(text) - 1, io), 0);
	assert_int_equal(io[0], 4096);
	assert_int_equal(io[1], 323932160);
	assert_int_equal(io[2], 8192);
	assert_int_equal(io[3], 632687);
	assert_int_equal(io[4], 632675);
	assert_int_equal(task_io_parse(text, sizeof(text) - 40, io), -EBADMSG);
	assert_int_equal(task_io_parse("", 0, io), -EBADMSG);
}

UNIT_TEST(reads_schedstat)
{
	uint64_t run, delay;

	assert_int_equal(task_schedstat_parse("639767 5200 4\n", 14, &run, &delay), 0);
	assert_int_equal(run, 639767);
	assert_int_equal(delay, 5200);
	assert_int_equal(task_schedstat_parse("639767", 6, &run, &delay), -EBADMSG);
	assert_int_equal(task_schedstat_parse("", 0, &run, &delay), -EBADMSG);
}

UNIT_TEST(reads_statm)
{
	struct task_statm s;

	assert_int_equal(task_statm_parse("765 438 410 5 0 123 0\n", 22, &s), 0);
	assert_int_equal(s.size_pages, 765);
	assert_int_equal(s.resident_pages, 438);
	assert_int_equal(s.shared_pages, 410);
	assert_int_equal(task_statm_parse("765 438", 7, &s), -EBADMSG);
	assert_int_equal(task_statm_parse("", 0, &s), -EBADMSG);
}

UNIT_TEST(reads_the_machine)
{
	static const char text[] =
		"cpu  13860 1095 9777 401662 965 3 94 7 50 0\n"
		"cpu0 5828 382 4382 203002 98 0 26 2 0 0\ncpu12 8031 713 5394 198660 867 0 68 5\n"
		"intr 4242 1 2 3\nctxt 123456789012\nbtime 1700000000\nprocesses 4711\n"
		"procs_running 3\nprocs_blocked 1\nsoftirq 1 2 3\n";
	struct host_stat s;

	assert_int_equal(host_stat_parse(text, strlen(text), &s), 0);
	assert_int_equal(s.ticks[CPU_TICK_USER], 13860);
	assert_int_equal(s.ticks[CPU_TICK_NICE], 1095);
	assert_int_equal(s.ticks[CPU_TICK_SYSTEM], 9777);
	assert_int_equal(s.ticks[CPU_TICK_IDLE], 401662);
	assert_int_equal(s.ticks[CPU_TICK_IOWAIT], 965);
	assert_int_equal(s.ticks[CPU_TICK_IRQ], 3);
	assert_int_equal(s.ticks[CPU_TICK_SOFTIRQ], 94);
	assert_int_equal(s.ticks[CPU_TICK_STEAL], 7);
	assert_int_equal(s.cpus, 2);
	assert_true(s.context_switches == 123456789012);
	assert_int_equal(s.boot_time_s, 1700000000);
	assert_int_equal(s.processes_forked, 4711);
	assert_int_equal(s.running, 3);
	assert_int_equal(s.blocked, 1);
	assert_int_equal(host_stat_parse("intr 1\n", 7, &s), -EBADMSG);
}

UNIT_TEST(reads_memory_load_and_uptime)
{
	static const char text[] = "MemTotal:       24684092 kB\nMemFree:        23679112 kB\n"
				   "MemAvailable:   24240540 kB\nSwapTotal: 8 kB\nSwapFree: 5 kB\n";
	struct host_memory m;
	struct host_load l;
	double uptime = 0;

	assert_int_equal(host_memory_parse(text, strlen(text), &m), 0);
	assert_int_equal(m.total_kib, 24684092);
	assert_int_equal(m.available_kib, 24240540);
	assert_int_equal(m.swap_total_kib - m.swap_free_kib, 3);
	assert_int_equal(host_memory_parse("MemFree: 1 kB\n", 14, &m), -EBADMSG);

	assert_int_equal(host_load_parse("0.16 10.06 0.01 3/107 11333\n", 28, &l), 0);
	assert_true(l.load[0] > 0.159 && l.load[0] < 0.161);
	assert_true(l.load[1] > 10.059 && l.load[1] < 10.061);
	assert_int_equal(l.running, 3);
	assert_int_equal(l.tasks, 107);
	assert_int_equal(l.last_pid, 11333);
	assert_int_equal(host_load_parse("0.16 10.06", 10, &l), -EBADMSG);

	assert_int_equal(host_uptime_parse("1033.62 2015.31\n", 16, &uptime), 0);
	assert_true(uptime > 1033.61 && uptime < 1033.63);
	assert_int_equal(host_uptime_parse("", 0, &uptime), -EBADMSG);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_every_field_of_stat),
		cmocka_unit_test(a_name_may_hold_anything),
		cmocka_unit_test(a_long_name_is_cut),
		cmocka_unit_test(every_truncation_of_stat),
		cmocka_unit_test(refuses_what_is_no_stat),
		cmocka_unit_test(reads_status),
		cmocka_unit_test(an_owner_is_the_same_in_each_respect),
		cmocka_unit_test(every_truncation_of_status),
		cmocka_unit_test(reads_io),
		cmocka_unit_test(reads_schedstat),
		cmocka_unit_test(reads_statm),
		cmocka_unit_test(reads_the_machine),
		cmocka_unit_test(reads_memory_load_and_uptime),
	};

	return unit_run(tests);
}
