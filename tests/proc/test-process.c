/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/account.h"
#include "unit.h"

#include <math.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/spare-time.h"
#include "base/buf.h"
#include "proc/process.h"
#include "proc/tree.h"

#define MS (1000 * 1000ull)

/* A machine of the test's own: its /proc, its clock, and a table that watches it. */
struct world {
	struct tree tree;
	struct strtab *names;
	struct tree_clock time;
	struct process_table *table;
};

static int world_setup(void **state)
{
	struct world *w = calloc(1, sizeof(*w));

	tree_init(&w->tree);
	tree_printf(&w->tree, "uptime", "50.00 1.00\n");
	w->names = strtab_new();
	tree_clock_init(&w->time, 1000 * NS_PER_S);
	w->table = process_table_new(&w->tree.procfs, w->names, &w->time.clock, 0);
	*state = w;
	return 0;
}

static int world_teardown(void **state)
{
	struct world *w = *state;

	process_table_free(w->table);
	strtab_free(w->names);
	tree_fini(&w->tree);
	free(w);
	return 0;
}

/* MS_LATER a refresh comes, of those that ran and of PID (0: none). */
static void refresh_visible(struct world *w, uint64_t ms_later, uint32_t pid)
{
	const struct refresh how = { .counts = { [TASK_SWITCHES] = true },
				     .visible = &pid,
				     .visible_count = pid != 0 };

	w->time.now_ns += ms_later * MS;
	process_table_refresh(w->table, &how);
}

static void refresh(struct world *w, uint64_t ms_later)
{
	refresh_visible(w, ms_later, 0);
}

static void refresh_all(struct world *w, uint64_t ms_later)
{
	const struct refresh how = { .all = true };

	w->time.now_ns += ms_later * MS;
	process_table_refresh(w->table, &how);
}

static void refresh_threads(struct world *w, uint64_t ms_later)
{
	const struct refresh how = { .threads = true };

	w->time.now_ns += ms_later * MS;
	process_table_refresh(w->table, &how);
}

static void ran(struct world *w, uint32_t pid, uint32_t tid)
{
	process_thread_ran(process_table_thread(w->table, pid, tid));
}

static void forked(struct world *w, uint32_t ppid, uint32_t pid, uint32_t tid)
{
	const struct task_change c = {
		.pid = pid, .tid = tid, .ppid = ppid, .ptid = ppid, .time_ns = w->time.now_ns
	};

	process_table_fork(w->table, &c);
}

static void ended(struct world *w, uint32_t pid, uint32_t tid)
{
	const struct task_change c = { .pid = pid, .tid = tid, .time_ns = w->time.now_ns };

	process_table_exit(w->table, &c);
}

static struct process *get(struct world *w, uint32_t pid)
{
	struct process *p = process_table_find(w->table, pid);

	assert_non_null(p);
	return p;
}

static void assert_unknown(const struct process *p)
{
	assert_true(p->cpu_percent < 0);
	assert_int_equal(p->minor_faults, -1);
	assert_int_equal(p->major_faults, -1);
	assert_int_equal(p->deltas[COUNT_VOLUNTARY], -1);
	assert_int_equal(p->deltas[COUNT_INVOLUNTARY], -1);
}

static void assert_near(double got, double want)
{
	assert_true(fabs(got - want) < 0.01);
}

static void scan_finds_what_is_there(void **state)
{
	struct world *w = *state;
	struct process *p;

	tree_task(&w->tree, &(struct tree_task){ .pid = 7,
						 .comm = "seven",
						 .ppid = 1,
						 .user_ticks = 100,
						 .start_ticks = 5 });
	tree_task(&w->tree,
		  &(struct tree_task){ .pid = 2, .comm = "kthreadd", .flags = 0x00208040 });
	assert_int_equal(process_table_scan(w->table), 2);
	assert_int_equal(process_table_scan(w->table), 0);
	assert_int_equal(process_table_count(w->table), 2);
	p = get(w, 7);
	assert_true(p->known);
	assert_string_equal(p->comm, "seven");
	assert_string_equal(p->command, "");
	assert_false(p->command_known);
	assert_false(p->kernel);
	assert_int_equal(p->stat.ppid, 1);
	assert_int_equal(p->uid, getuid());
	assert_string_not_equal(p->user, "");
	assert_unknown(p);
	assert_true(get(w, 2)->kernel);
	assert_int_not_equal(p->serial, get(w, 2)->serial);
}

static void write_status(struct world *w, uint32_t pid, const char *ids, const char *capabilities)
{
	char name[32];

	snprintf(name, sizeof(name), "%u/status", pid);
	tree_printf(&w->tree, name,
		    "Name:\tx\nState:\tS "
		    "(sleeping)\nTgid:\t%u\nUid:\t%u\t%s\nGid:\t7\t7\t7\t7\nCapPrm:\t%s\n",
		    pid, getuid(), ids, capabilities);
}

static uint64_t owner_read(struct world *w)
{
	process_table_comm(w->table, 7, 7, "other", true);
	ran(w, 7, 7);
	refresh(w, 1000);
	return process_owner(get(w, 7));
}

/* An exec can make it another user's, until /proc tells, and so can one whose record was lost. */
static void the_owner_is_who_may_trace_it(void **state)
{
	const uint64_t me = owner_make(getuid(), 7);
	struct world *w = *state;
	char same[64];

	snprintf(same, sizeof(same), "%u\t%u\t%u", getuid(), getuid(), getuid());
	tree_task(&w->tree, &(struct tree_task){ .pid = 7 });
	write_status(w, 7, same, "0000000000000000");
	process_table_scan(w->table);
	assert_int_equal(owner_read(w), OWNER_NOBODY); /* nobody asked for it */
	process_table_read_owners(w->table, OWNERS_ALL);
	assert_int_equal(owner_read(w), OWNER_NOBODY); /* it has no file environ */
	tree_printf(&w->tree, "7/environ", "x");
	assert_true(owner_read(w) == me);
	forked(w, 7, 8, 8);
	assert_true(process_owner(get(w, 8)) == me);
	process_table_comm(w->table, 8, 8, "other", true);
	assert_int_equal(process_owner(get(w, 8)), OWNER_NOBODY);
	process_table_doubt_maps(w->table);
	assert_int_equal(process_owner(get(w, 7)), OWNER_NOBODY);
	assert_true(owner_read(w) == me);
}

/* Each of them is another program with its own past, and the one of a fork. */
static void who_differs_from_his_parent_is_nobodys(void **state)
{
	const uint64_t me = owner_make(getuid(), 7);
	struct world *w = *state;
	char same[64];

	snprintf(same, sizeof(same), "%u\t%u\t%u", getuid(), getuid(), getuid());
	process_table_read_owners(w->table, OWNERS_ALL);
	tree_task(&w->tree, &(struct tree_task){ .pid = 7 });
	tree_printf(&w->tree, "7/environ", "x");
	write_status(w, 7, same, "000000a0f0000000");
	process_table_scan(w->table);
	ran(w, 7, 7);
	refresh(w, 1000);
	assert_int_equal(process_owner(get(w, 7)), OWNER_NOBODY);
	forked(w, 7, 8, 8);
	tree_task(&w->tree, &(struct tree_task){ .pid = 8 });
	tree_printf(&w->tree, "8/environ", "x");
	write_status(w, 8, same, "0000000000000000");
	ran(w, 8, 8);
	refresh(w, 1000);
	assert_int_equal(process_owner(get(w, 8)),
			 OWNER_NOBODY); /* what it did before was not his */
	forked(w, 7, 9, 9);
	process_table_comm(w->table, 9, 9, "other", true);
	tree_task(&w->tree, &(struct tree_task){ .pid = 9 });
	tree_printf(&w->tree, "9/environ", "x");
	write_status(w, 9, same, "0000000000000000");
	ran(w, 9, 9);
	refresh(w, 1000);
	assert_true(process_owner(get(w, 9)) == me);
	write_status(w, 9, same, "0000000000000001");
	ran(w, 9, 9);
	refresh(w, 1000);
	assert_int_equal(process_owner(get(w, 9)), OWNER_NOBODY);
	write_status(w, 9, same, "0000000000000000");
	ran(w, 9, 9);
	refresh(w, 1000);
	assert_int_equal(process_owner(get(w, 9)), OWNER_NOBODY); /* it had two owners */
}

/* What cannot be told later is read: who it was when it began, and after each exec. */
static void owners_are_read_when_somebody_asks(void **state)
{
	const uint64_t me = owner_make(getuid(), 7);
	struct world *w = *state;
	uint64_t plain;
	char same[64];

	snprintf(same, sizeof(same), "%u\t%u\t%u", getuid(), getuid(), getuid());
	process_table_read_owners(w->table, OWNERS_NEW);
	for (uint32_t pid = 7; pid <= 9; pid++) {
		char name[32];

		tree_task(&w->tree, &(struct tree_task){ .pid = pid });
		snprintf(name, sizeof(name), "%u/environ", pid);
		tree_printf(&w->tree, name, "x");
		write_status(w, pid, same, pid == 9 ? "0000000000000001" : "0000000000000000");
	}
	process_table_scan(w->table);
	refresh(w, 1000);
	assert_true(process_owner(get(w, 7)) == me);
	assert_int_equal(process_owner(get(w, 9)), OWNER_NOBODY);
	ran(w, 7, 7);
	refresh(w, 1000);
	plain = process_table_reads(w->table);
	write_status(w, 7, same, "0000000000000001"); /* it gained capabilities without an exec */
	write_status(w, 9, same, "0000000000000000");
	process_table_comm(w->table, 8, 8, "other", true);
	refresh(w, 1000);
	assert_true(process_owner(get(w, 8)) == me);
	process_table_read_owners(w->table, OWNERS_ALL);
	assert_int_equal(process_owner(get(w, 7)),
			 OWNER_NOBODY); /* if it ends before it is read again */
	refresh(w, 1000);               /* nobody ran, and only 7 did so before */
	assert_in_range(process_table_reads(w->table), 3, 5);
	assert_int_equal(process_owner(get(w, 7)), OWNER_NOBODY);
	assert_true(process_owner(get(w, 8)) == me);
	refresh(w, 1000);
	assert_int_equal(process_table_reads(w->table), 0);
	ran(w, 9, 9);
	refresh(w, 1000);
	assert_int_equal(process_table_reads(w->table), plain); /* it is nobody's for good */
	ran(w, 8, 8);
	refresh(w, 1000);
	assert_int_equal(process_table_reads(w->table), plain + 2);
	assert_int_equal(process_owner(get(w, 9)), OWNER_NOBODY);
}

/* One that the scan has not come to, or 0. */
static uint32_t find_missing(struct world *w)
{
	for (uint32_t pid = 10; pid < 40; pid++) {
		if (!process_table_find(w->table, pid))
			return pid;
	}
	return 0;
}

/* Who does something then enters at once, all others with the second refresh. */
static void a_scan_ends_in_time(void **state)
{
	struct world *w = *state;
	int64_t scanned;
	uint32_t pid;

	for (pid = 10; pid < 40; pid++)
		tree_task(&w->tree, &(struct tree_task){ .pid = pid, .comm = "there" });
	w->time.step_ns = MS;
	scanned = process_table_scan_for(w->table, 20 * MS);
	w->time.step_ns = 0;
	assert_in_range(scanned, 2, 20);
	pid = find_missing(w);
	ran(w, pid, pid + 100);
	assert_true(get(w, pid)->known);
	pid = find_missing(w);
	forked(w, pid, 60, 60);
	assert_true(get(w, pid)->known);
	assert_string_equal(get(w, 60)->comm, "there");
	assert_int_equal(get(w, 60)->uid, getuid());
	tree_task(&w->tree, &(struct tree_task){ .pid = 60, .comm = "there" });
	refresh(w, 1000);
	assert_int_equal(process_table_count(w->table), scanned + 3);
	pid = find_missing(w);
	refresh(w, 200);
	assert_int_equal(process_table_count(w->table), 31);
	assert_true(get(w, pid)->known);
	assert_unknown(get(w, pid)); /* nothing to compare with, nor is it new */
	refresh(w, 1000);
	assert_near(get(w, pid)->cpu_percent, 0);
	assert_int_equal(process_table_reads(w->table), 0);
}

static void files_of_who_runs_on_stay_open(void **state)
{
	struct world *w = *state;
	unsigned files = unit_open_files();

	process_table_keep_files(w->table, 2);
	for (uint64_t ticks = 0; ticks < 40; ticks += 10) {
		for (uint32_t pid = 7; pid <= 9; pid++) {
			tree_task(&w->tree, &(struct tree_task){ .pid = pid,
								 .user_ticks = ticks * (pid - 6) });
			ran(w, pid, pid);
		}
		refresh(w, 1000);
		/* The first time it may have run just once.  Later there is no room for more. */
		assert_int_equal(unit_open_files(), files + (ticks ? 2 : 0));
	}
	for (uint32_t pid = 7; pid <= 9; pid++)
		assert_near(get(w, pid)->cpu_percent, 10 * (pid - 6));
	refresh(w, 1000);
	assert_int_equal(unit_open_files(), files);
	for (int i = 0; i < 2; i++) {
		ran(w, 9, 9);
		refresh(w, 1000);
	}
	assert_int_equal(unit_open_files(), files + 2);
	ended(w, 9, 9);
	assert_int_equal(unit_open_files(), files);
}

static void what_did_not_run_is_not_read(void **state)
{
	struct world *w = *state;

	for (uint32_t pid = 1; pid <= 20; pid++) {
		tree_task(&w->tree, &(struct tree_task){ .pid = pid });
		tree_printf(&w->tree, "7/cmdline", "x");
	}
	tree_printf(&w->tree, "9/statm", "100 50 20 1 0 60 0");
	process_table_scan(w->table);
	refresh(w, 1000); /* the commands: few, so the first one reads them all */
	assert_true(get(w, 20)->command_known);
	refresh(w, 1000);
	assert_int_equal(process_table_reads(w->table), 0);
	assert_near(get(w, 7)->cpu_percent, 0);
	assert_int_equal(get(w, 7)->minor_faults, 0);
	assert_int_equal(get(w, 7)->deltas[COUNT_VOLUNTARY], 0);
	ran(w, 7, 7);
	refresh(w, 1000);
	assert_in_range(process_table_reads(w->table), 1, 5);
	refresh(w, 1000);
	assert_int_equal(process_table_reads(w->table), 0);
	refresh_visible(w, 1000, 9);
	assert_in_range(process_table_reads(w->table), 1, 5);
	refresh_visible(w, 1000, 9); /* stat: the kernel may have taken memory, its parent ended */
	assert_int_equal(process_table_reads(w->table), 1);
}

static void commands_are_read_when_they_matter(void **state)
{
	const struct refresh how = { .commands = true };
	struct world *w = *state;

	refresh(w, 1000);
	for (uint32_t pid = 7; pid <= 10; pid++) {
		tree_task(&w->tree, &(struct tree_task){ .pid = pid });
		tree_printf(&w->tree, pid == 7 ? "7/cmdline" : "8/cmdline", "before");
	}
	process_table_scan(w->table);
	refresh_visible(w, 1000, 7);
	assert_string_equal(get(w, 7)->command, "before");
	assert_false(get(w, 8)->command_known);
	tree_printf(&w->tree, "7/cmdline", "after");
	refresh_visible(w, 1000, 7);
	assert_string_equal(get(w, 7)->command, "before"); /* who did not run wrote nothing */
	ran(w, 7, 7);
	refresh_visible(w, 1000, 7);
	assert_string_equal(get(w, 7)->command, "after");
	assert_false(get(w, 8)->command_known);
	process_table_refresh(w->table, &how);
	assert_string_equal(get(w, 8)->command, "before");
	assert_true(get(w, 10)->command_known);
}

static void who_ran_is_known_until_the_next_refresh(void **state)
{
	struct world *w = *state;

	tree_task(&w->tree, &(struct tree_task){ .pid = 7 });
	process_table_scan(w->table);
	ran(w, 7, 7);
	refresh(w, 1000);
	assert_true(get(w, 7)->active);
	assert_false(get(w, 7)->ran);
	refresh_visible(w, 1000, 7);
	assert_false(get(w, 7)->active);
}

static void differences_are_of_the_interval(void **state)
{
	struct world *w = *state;
	struct tree_task task = { .pid = 7,
				  .user_ticks = 1000,
				  .system_ticks = 50,
				  .minor_faults = 10,
				  .major_faults = 3,
				  .voluntary = 100,
				  .involuntary = 20 };
	struct process *p;

	tree_task(&w->tree, &task);
	process_table_scan(w->table);
	p = get(w, 7);
	ran(w, 7, 7);
	refresh(w, 1000);
	assert_near(p->cpu_percent, 0);
	assert_int_equal(p->deltas[COUNT_VOLUNTARY], -1); /* the first reading of status */
	task.user_ticks += 30;
	task.system_ticks += 20;
	task.minor_faults += 5;
	task.major_faults += 1;
	task.voluntary += 7;
	task.involuntary += 2;
	tree_task(&w->tree, &task);
	ran(w, 7, 7);
	refresh(w, 1000);
	assert_near(p->cpu_percent, 50);
	assert_int_equal(p->minor_faults, 5);
	assert_int_equal(p->major_faults, 1);
	assert_int_equal(p->deltas[COUNT_VOLUNTARY], 7);
	assert_int_equal(p->deltas[COUNT_INVOLUNTARY], 2);
	task.user_ticks += 50;
	tree_task(&w->tree, &task);
	ran(w, 7, 7);
	refresh(w, 500);
	assert_near(p->cpu_percent, 100);
	assert_int_equal(p->minor_faults, 0);
}

/* It slept for an hour, then worked for one interval: that is 40 %, not a share of the hour. */
static void a_sleeper_wakes_in_its_interval(void **state)
{
	struct world *w = *state;
	struct tree_task task = { .pid = 7, .user_ticks = 1000 };

	tree_task(&w->tree, &task);
	process_table_scan(w->table);
	refresh(w, 3600 * 1000);
	refresh(w, 1000);
	task.user_ticks += 40;
	tree_task(&w->tree, &task);
	ran(w, 7, 7);
	refresh(w, 1000);
	assert_near(get(w, 7)->cpu_percent, 40);
}

static void within_a_tick_nothing_is_known(void **state)
{
	struct world *w = *state;
	struct tree_task task = { .pid = 7 };

	tree_task(&w->tree, &task);
	process_table_scan(w->table);
	ran(w, 7, 7);
	refresh(w, 9);
	assert_true(get(w, 7)->cpu_percent < 0);
	assert_int_equal(get(w, 7)->minor_faults, 0);
	task.user_ticks = 1;
	tree_task(&w->tree, &task);
	ran(w, 7, 7);
	refresh(w, 10);
	assert_near(get(w, 7)->cpu_percent, 100);
}

static void a_newborn_starts_from_zero(void **state)
{
	struct world *w = *state;
	struct process *p;

	tree_task(&w->tree, &(struct tree_task){ .pid = 7, .comm = "parent" });
	tree_printf(&w->tree, "7/cmdline", "parent%c-x", 0);
	process_table_scan(w->table);
	refresh(w, 1000);
	w->time.now_ns += 900 * MS;
	forked(w, 7, 8, 8);
	p = get(w, 8);
	assert_string_equal(p->comm, "parent");
	assert_string_equal(p->command, "parent -x");
	assert_int_equal(p->uid, get(w, 7)->uid);
	assert_false(p->known);
	assert_unknown(p);
	assert_true(get(w, 7)->ran);
	tree_task(&w->tree, &(struct tree_task){ .pid = 8,
						 .comm = "child",
						 .ppid = 7,
						 .user_ticks = 8,
						 .minor_faults = 77,
						 .voluntary = 3,
						 .start_ticks = 99 });
	ran(w, 8, 8);
	refresh(w, 100);
	assert_true(p->known);
	assert_string_equal(p->comm, "child");
	assert_near(p->cpu_percent, 8); /* of the second, not of its own tenth */
	assert_int_equal(p->minor_faults, 77);
	assert_int_equal(p->deltas[COUNT_VOLUNTARY], 3);
}

static void exec_makes_a_new_program(void **state)
{
	struct world *w = *state;
	struct mapping m = { .start = 0x1000, .end = 0x2000, .path = "/old" };
	struct process *p;

	tree_task(&w->tree, &(struct tree_task){ .pid = 7, .comm = "sh" });
	tree_printf(&w->tree, "7/cmdline", "sh%c-c%cmake", 0, 0);
	tree_printf(&w->tree, "7/maps", "1000-2000 r-xp 00000000 fe:00 1 /bin/sh\n");
	process_table_scan(w->table);
	refresh_visible(w, 1000, 7);
	p = get(w, 7);
	assert_string_equal(p->command, "sh -c make");
	assert_int_equal(space_count(process_space(w->table, p, MAPS_CODE)), 1);
	process_table_comm(w->table, 7, 7, "make", true);
	assert_string_equal(p->comm, "make");
	assert_string_equal(p->command, "");
	assert_int_equal(space_count(process_space(w->table, p, MAPS_CODE)), 0);
	m.path = "/bin/make";
	space_insert(process_space(w->table, p, MAPS_CODE), &m);
	tree_task(&w->tree, &(struct tree_task){ .pid = 7, .comm = "make" });
	tree_printf(&w->tree, "7/cmdline", "make%call", 0);
	refresh(w, 1000);
	assert_string_equal(p->command, "make all");
	assert_string_equal(space_find(process_space(w->table, p, MAPS_CODE), 0x1000)->path,
			    "/bin/make");
}

static void a_name_change_is_of_the_thread(void **state)
{
	struct world *w = *state;

	tree_task(&w->tree, &(struct tree_task){ .pid = 7, .comm = "main", .threads = 2 });
	process_table_scan(w->table);
	forked(w, 7, 7, 9);
	process_table_comm(w->table, 7, 9, "worker", false);
	assert_string_equal(get(w, 7)->comm, "main");
	assert_string_equal(process_table_find_thread(w->table, 9)->comm, "worker");
	process_table_comm(w->table, 7, 7, "other", false);
	assert_string_equal(get(w, 7)->comm, "other");
}

/* The kernel ends the leader and gives its number to the thread that called execve(2). */
static void exec_by_a_thread_that_is_no_leader(void **state)
{
	struct world *w = *state;
	struct process *p;
	uint32_t serial;

	tree_task(&w->tree, &(struct tree_task){ .pid = 7, .comm = "main", .threads = 2 });
	process_table_scan(w->table);
	p = get(w, 7);
	serial = p->serial;
	forked(w, 7, 7, 9);
	w->time.now_ns++;
	ended(w, 7, 7);
	assert_false(p->exited);
	process_table_comm(w->table, 7, 7, "new", true);
	assert_false(p->exited);
	assert_int_equal(p->live_threads, 1);
	assert_true(process_table_find_thread(w->table, 9)->exited);
	assert_false(process_table_find_thread(w->table, 7)->exited);
	tree_task(&w->tree, &(struct tree_task){ .pid = 7, .comm = "new" });
	refresh(w, 1000);
	process_table_forget_exited(w->table, NULL);
	assert_ptr_equal(get(w, 7), p);
	assert_int_equal(p->serial, serial);
	assert_null(process_table_find_thread(w->table, 9));

	/* The same when the caller was not known here, so that all seemed to have ended. */
	w->time.now_ns++;
	ended(w, 7, 7);
	assert_true(p->exited);
	process_table_comm(w->table, 7, 7, "newer", true);
	assert_false(p->exited);
	assert_int_equal(p->live_threads, 1);
}

struct gone {
	uint32_t threads, processes, last_pid;
};

static void thread_gone(void *context, struct thread *th)
{
	(void)th;
	((struct gone *)context)->threads++;
}

static void process_gone_too(void *context, struct process *p)
{
	((struct gone *)context)->processes++;
	((struct gone *)context)->last_pid = p->pid;
}

static void the_ended_stay_for_one_refresh(void **state)
{
	struct world *w = *state;
	struct gone gone = { 0, 0, 0 };
	const struct process_gone tell = { thread_gone, process_gone_too, &gone };
	struct process *p;

	tree_task(&w->tree, &(struct tree_task){ .pid = 7, .user_ticks = 5 });
	tree_task(&w->tree, &(struct tree_task){ .pid = 8 });
	process_table_scan(w->table);
	refresh(w, 1000);
	p = get(w, 7);
	w->time.now_ns++;
	ended(w, 7, 7);
	tree_remove(&w->tree, "7");
	assert_true(p->exited);
	process_table_forget_exited(w->table, &tell); /* no snapshot has shown it */
	assert_int_equal(gone.processes, 0);
	refresh(w, 1000);
	assert_true(p->exited);
	assert_int_equal(p->stat.user_ticks, 5);
	assert_unknown(p);
	process_table_forget_exited(w->table, &tell);
	assert_int_equal(gone.processes, 1);
	assert_int_equal(gone.threads, 1);
	assert_int_equal(gone.last_pid, 7);
	assert_null(process_table_find(w->table, 7));
	assert_null(process_table_find_thread(w->table, 7));
	assert_int_equal(process_table_count(w->table), 1);
	ended(w, 7, 7); /* it comes twice: nobody there */
}

static void the_vanished_stay_for_one_refresh_too(void **state)
{
	struct world *w = *state;

	tree_task(&w->tree, &(struct tree_task){ .pid = 7 });
	process_table_scan(w->table);
	refresh(w, 1000);
	tree_remove(&w->tree, "7");
	ran(w, 7, 7);
	refresh(w, 1000);
	assert_true(get(w, 7)->exited);
	assert_unknown(get(w, 7));
	process_table_forget_exited(w->table, NULL);
	assert_non_null(process_table_find(w->table, 7));
	refresh(w, 1000);
	process_table_forget_exited(w->table, NULL);
	assert_null(process_table_find(w->table, 7));
}

static void a_zombie_stays_until_it_is_waited_for(void **state)
{
	struct world *w = *state;
	struct process *p;

	tree_task(&w->tree, &(struct tree_task){ .pid = 7, .user_ticks = 5 });
	tree_printf(&w->tree, "7/cmdline", "program");
	process_table_scan(w->table);
	refresh(w, 1000);
	p = get(w, 7);
	w->time.now_ns++;
	ended(w, 7, 7);
	tree_task(&w->tree, &(struct tree_task){ .pid = 7, .state = 'Z', .user_ticks = 15 });
	tree_printf(&w->tree, "7/cmdline", "%s", "");
	refresh_visible(w, 1000, 7);
	assert_false(p->exited);
	assert_int_equal(p->stat.state, 'Z');
	assert_near(p->cpu_percent, 10); /* its last figures */
	assert_string_equal(p->command, "program");
	refresh(w, 1000);
	refresh(w, 1000);
	process_table_forget_exited(w->table, NULL);
	assert_ptr_equal(get(w, 7), p);
	assert_near(p->cpu_percent, 0);
	tree_remove(&w->tree, "7");
	refresh(w, 1000);
	assert_true(p->exited);
	refresh(w, 1000);
	process_table_forget_exited(w->table, NULL);
	assert_null(process_table_find(w->table, 7));
}

/* The leader of a process may end before its threads do; not all of them need be known. */
static void a_leader_ends_before_its_threads(void **state)
{
	struct world *w = *state;
	struct tree_task task = { .pid = 7, .threads = 2 };
	struct process *p;

	tree_task(&w->tree, &task);
	process_table_scan(w->table);
	p = get(w, 7);
	forked(w, 7, 7, 9);
	w->time.now_ns++;
	ended(w, 7, 7);
	assert_false(p->exited);
	task.state = 'Z';
	tree_task(&w->tree, &task);
	refresh(w, 1000);
	assert_false(p->exited);
	w->time.now_ns++;
	ended(w, 7, 9);
	assert_true(p->exited); /* as far as is known here */
	refresh(w, 1000);
	assert_false(p->exited); /* but /proc still has it */
	tree_remove(&w->tree, "7");
	refresh(w, 1000);
	assert_true(p->exited);
}

static void threads_come_and_go(void **state)
{
	struct world *w = *state;
	struct gone gone = { 0, 0, 0 };
	const struct process_gone tell = { thread_gone, process_gone_too, &gone };

	tree_task(&w->tree, &(struct tree_task){ .pid = 7, .threads = 2 });
	process_table_scan(w->table);
	for (uint32_t i = 0; i < 1000; i++) {
		forked(w, 7, 7, 1000 + i % 500);
		ended(w, 7, 1000 + i % 500);
		if (i % 100)
			continue;
		refresh(w, 1000);
		process_table_forget_exited(w->table, &tell);
	}
	refresh(w, 1000);
	process_table_forget_exited(w->table, &tell);
	assert_int_equal(gone.threads, 1000);
	assert_int_equal(gone.processes, 0);
	assert_int_equal(get(w, 7)->thread_count, 1);
	assert_false(get(w, 7)->exited);
}

static void a_pid_comes_back(void **state)
{
	struct world *w = *state;
	struct process *first, *second;
	size_t cursor = 0;
	uint32_t serial;

	tree_task(&w->tree, &(struct tree_task){ .pid = 7, .comm = "old", .user_ticks = 500 });
	process_table_scan(w->table);
	refresh(w, 1000);
	first = get(w, 7);
	serial = first->serial;
	w->time.now_ns++;
	forked(w, 1, 7, 7); /* the EXIT before it was lost */
	assert_true(first->exited);
	second = get(w, 7);
	assert_ptr_not_equal(second, first);
	assert_int_not_equal(second->serial, serial);
	assert_ptr_equal(process_table_find_past(w->table, serial, 7)->process, first);
	assert_ptr_equal(process_table_find_past(w->table, second->serial, 7)->process, second);
	assert_null(process_table_find_past(w->table, serial, 8));
	tree_task(&w->tree, &(struct tree_task){
				    .pid = 7, .comm = "new", .user_ticks = 1, .start_ticks = 70 });
	refresh(w, 1000);
	assert_near(second->cpu_percent, 1);
	assert_unknown(first);
	process_table_forget_exited(w->table, NULL);
	assert_null(process_table_find_past(w->table, serial, 7));
	assert_ptr_equal(process_table_next(w->table, &cursor), second);
	assert_null(process_table_next(w->table, &cursor));
	assert_ptr_equal(get(w, 7), second);
	assert_ptr_equal(process_table_find_thread(w->table, 7)->process, second);
}

/* Neither EXIT nor FORK came: the start time of what has the number now tells. */
static void a_pid_comes_back_in_silence(void **state)
{
	struct world *w = *state;
	struct process *old;

	tree_task(&w->tree, &(struct tree_task){ .pid = 7, .user_ticks = 500, .start_ticks = 10 });
	process_table_scan(w->table);
	refresh(w, 1000);
	old = get(w, 7);
	tree_task(&w->tree, &(struct tree_task){ .pid = 7, .user_ticks = 900, .start_ticks = 11 });
	ran(w, 7, 7);
	refresh(w, 1000);
	assert_ptr_not_equal(get(w, 7), old);
	assert_true(old->exited);
	assert_unknown(old);
	assert_true(get(w, 7)->known);
	assert_unknown(get(w, 7));
}

/* Records wait in the rings while /proc is read: the older news is no news. */
static void old_records_do_not_undo_a_scan(void **state)
{
	struct world *w = *state;
	struct process *p;

	tree_task(&w->tree, &(struct tree_task){ .pid = 7 });
	w->time.now_ns += 10;
	process_table_scan(w->table);
	p = get(w, 7);
	w->time.now_ns -= 5;
	ended(w, 7, 7); /* the one that had the number before */
	assert_false(p->exited);
	forked(w, 1, 7, 7);
	assert_ptr_equal(get(w, 7), p);
	assert_false(p->exited);
	w->time.now_ns += 6;
	forked(w, 1, 7, 7);
	assert_ptr_not_equal(get(w, 7), p);
}

static void without_records_a_listing_tells(void **state)
{
	struct world *w = *state;
	struct process *old, *p;

	tree_task(&w->tree, &(struct tree_task){ .pid = 7, .user_ticks = 500, .start_ticks = 10 });
	tree_task(&w->tree, &(struct tree_task){ .pid = 8, .user_ticks = 500, .start_ticks = 10 });
	process_table_scan(w->table);
	refresh_all(w, 1000);
	assert_near(get(w, 7)->cpu_percent, 0);
	assert_int_equal(get(w, 7)->deltas[COUNT_VOLUNTARY], -1);

	tree_remove(&w->tree, "8");
	tree_task(&w->tree, &(struct tree_task){ .pid = 7, .user_ticks = 525, .start_ticks = 10 });
	tree_task(&w->tree, &(struct tree_task){ .pid = 9, .user_ticks = 20, .start_ticks = 5060 });
	tree_task(&w->tree, &(struct tree_task){ .pid = 10, .user_ticks = 20, .start_ticks = 60 });
	refresh_all(w, 1000);
	assert_near(get(w, 7)->cpu_percent, 25);
	assert_true(get(w, 8)->exited);
	assert_near(get(w, 9)->cpu_percent, 20); /* began after the listing before */
	assert_unknown(get(w, 10));              /* old, and hidden until now */

	old = get(w, 7);
	tree_task(&w->tree, &(struct tree_task){ .pid = 7, .user_ticks = 1, .start_ticks = 5061 });
	refresh_all(w, 1000);
	p = get(w, 7);
	assert_ptr_not_equal(p, old);
	assert_true(old->exited);
	assert_true(p->known);
	assert_int_equal(p->stat.user_ticks, 1);
	refresh_all(w, 1000);
	process_table_forget_exited(w->table, NULL);
	assert_int_equal(process_table_count(w->table), 3);
}

/* The sum over the threads, of which status of the process has the leader only. */
static void switches_are_those_of_all_threads(void **state)
{
	struct world *w = *state;
	struct tree_task main_thread = { .pid = 7, .threads = 3, .voluntary = 100 };
	struct tree_task second = { .pid = 7, .tid = 8, .voluntary = 1000, .involuntary = 10 };
	struct tree_task third = { .pid = 7, .tid = 9, .voluntary = 5000 };
	struct process *p;

	tree_task(&w->tree, &main_thread);
	main_thread.tid = 7;
	tree_task(&w->tree, &main_thread);
	tree_task(&w->tree, &second);
	tree_task(&w->tree, &third);
	process_table_scan(w->table);
	p = get(w, 7);
	ran(w, 7, 8);
	refresh(w, 1000);
	assert_int_equal(p->thread_count, 3);
	assert_int_equal(p->deltas[COUNT_VOLUNTARY], -1); /* where they started is not known */
	second.voluntary += 5;
	second.involuntary += 4;
	third.voluntary += 3;
	tree_task(&w->tree, &second);
	tree_task(&w->tree, &third);
	ran(w, 7, 8);
	ran(w, 7, 9);
	refresh(w, 1000);
	assert_int_equal(p->deltas[COUNT_VOLUNTARY], 8);
	assert_int_equal(p->deltas[COUNT_INVOLUNTARY], 4);

	forked(w, 7, 7, 10); /* its count starts at 0 */
	tree_task(&w->tree, &(struct tree_task){ .pid = 7, .tid = 10, .voluntary = 2 });
	ran(w, 7, 10);
	refresh(w, 1000);
	assert_int_equal(p->deltas[COUNT_VOLUNTARY], 2);
}

/* A refresh in which only PID is on the screen; 0: none. */
static void refresh_row(struct world *w, uint32_t pid)
{
	const struct refresh how = { .visible = &pid, .visible_count = pid != 0 };

	w->time.now_ns += NS_PER_S;
	process_table_refresh(w->table, &how);
}

/* Nobody asked for the others': what one counts while it is not on the screen is not taken for that of an interval. */
static void switches_are_read_of_rows_alone(void **state)
{
	struct world *w = *state;
	const struct {
		uint32_t row;
		int64_t switches;
	} steps[] = { { 7, -1 }, { 7, 10 }, { 0, -1 }, { 7, -1 }, { 7, 10 } };
	struct tree_task task = { .pid = 7 };

	tree_task(&w->tree, &task);
	process_table_scan(w->table);
	for (size_t i = 0; i < sizeof(steps) / sizeof(*steps); i++) {
		task.voluntary += 10;
		tree_task(&w->tree, &task);
		ran(w, 7, 7);
		refresh_row(w, steps[i].row);
		assert_int_equal(get(w, 7)->deltas[COUNT_VOLUNTARY], steps[i].switches);
	}
	refresh_row(w, 0); /* it did not run */
	assert_int_equal(get(w, 7)->deltas[COUNT_VOLUNTARY], 0);
	forked(w, 7, 8, 8);
	tree_task(&w->tree, &(struct tree_task){ .pid = 8, .voluntary = 3 });
	ran(w, 8, 8);
	refresh_row(w, 0);
	ran(w, 8, 8);
	refresh_row(w, 8); /* 3 of them were before the interval */
	assert_int_equal(get(w, 8)->deltas[COUNT_VOLUNTARY], -1);
}

static void threads_have_figures_of_their_own(void **state)
{
	struct world *w = *state;
	struct tree_task second = { .pid = 7, .tid = 8, .comm = "worker", .user_ticks = 100 };
	struct thread *th;

	tree_task(&w->tree, &(struct tree_task){ .pid = 7, .threads = 2 });
	tree_task(&w->tree, &(struct tree_task){ .pid = 7, .tid = 7 });
	tree_task(&w->tree, &second);
	tree_task(&w->tree, &(struct tree_task){ .pid = 9, .comm = "single", .user_ticks = 3 });
	process_table_scan(w->table);
	refresh(w, 1000);
	assert_null(process_table_find_thread(w->table, 8));
	refresh_threads(w, 1000);
	th = process_table_find_thread(w->table, 8);
	assert_non_null(th);
	assert_string_equal(th->comm, "worker");
	assert_true(th->figures->cpu_percent < 0);
	assert_int_equal(process_table_find_thread(w->table, 9)->figures->stat.user_ticks, 3);
	second.user_ticks += 30;
	tree_task(&w->tree, &second);
	ran(w, 7, 8);
	refresh_threads(w, 1000);
	assert_near(th->figures->cpu_percent, 30);
	assert_near(process_table_find_thread(w->table, 7)->figures->cpu_percent, 0);
	refresh_threads(w, 1000);
	assert_int_equal(process_table_reads(w->table), 0);
	assert_near(th->figures->cpu_percent, 0);

	refresh(w, 1000); /* not asked for: they age */
	second.user_ticks += 300;
	tree_task(&w->tree, &second);
	refresh_threads(w, 1000);
	assert_true(th->figures->cpu_percent < 0);

	forked(w, 7, 7, 10);
	tree_task(&w->tree, &(struct tree_task){ .pid = 7, .tid = 10, .user_ticks = 12 });
	ran(w, 7, 10);
	refresh_threads(w, 1000);
	assert_near(process_table_find_thread(w->table, 10)->figures->cpu_percent, 12);
}

static void hostile_texts_stay_within_bounds(void **state)
{
	struct world *w = *state;
	size_t size = 2 * 1024 * 1024;
	char *huge = malloc(size);

	memset(huge, 'h', size);
	tree_task(&w->tree, &(struct tree_task){ .pid = 7, .comm = ") R 1" });
	tree_task(&w->tree, &(struct tree_task){ .pid = 8, .comm = "\033[2J\n" });
	tree_task(&w->tree, &(struct tree_task){ .pid = 9 });
	tree_task(&w->tree, &(struct tree_task){ .pid = 10 });
	tree_write(&w->tree, "7/cmdline", huge, size);
	tree_write(&w->tree, "8/cmdline", "\0\0a\0\033[2J\xff\0b\0\0\0", 14);
	tree_write(&w->tree, "9/cmdline", "\0\0\0\0", 4);
	tree_write(&w->tree, "10/cmdline", "no end", 6);
	free(huge);
	process_table_scan(w->table);
	refresh(w, 1000);
	assert_string_equal(get(w, 7)->comm, ") R 1");
	assert_int_equal(strlen(get(w, 7)->command), 4095);
	assert_string_equal(get(w, 8)->comm, "\033[2J\n");
	assert_string_equal(get(w, 8)->command, "  a \033[2J\xff b");
	assert_string_equal(get(w, 9)->command, "");
	assert_string_equal(get(w, 10)->command, "no end");
}

static void what_cannot_be_read_is_absent(void **state)
{
	struct world *w = *state;
	struct process *p;

	tree_printf(&w->tree, "7/stat", "garbage");
	tree_printf(&w->tree, "8/status", "Name:\tx\n");
	tree_task(&w->tree, &(struct tree_task){ .pid = 9 });
	process_table_scan(w->table);
	tree_remove(&w->tree, "9/status");
	ran(w, 7, 7);
	ran(w, 8, 8);
	ran(w, 9, 9);
	ran(w, 4000, 4000);
	refresh(w, 1000);
	assert_false(get(w, 7)->known);
	assert_false(get(w, 8)->known);
	assert_false(get(w, 4000)->known);
	assert_false(get(w, 7)->exited);
	assert_unknown(get(w, 7));
	p = get(w, 9);
	assert_int_equal(p->deltas[COUNT_VOLUNTARY], -1);
	assert_int_equal(p->minor_faults, 0);
	assert_int_equal(p->shared_pages, -1);
	assert_string_equal(p->command, "");
	assert_true(p->command_known);
	tree_printf(&w->tree, "9/stat", "garbage");
	ran(w, 9, 9);
	refresh(w, 1000);
	assert_unknown(p);
	tree_task(&w->tree, &(struct tree_task){ .pid = 9, .user_ticks = 200 });
	ran(w, 9, 9);
	refresh(w, 1000); /* what it was one interval ago is not known */
	assert_unknown(p);
}

static void maps_come_from_where_they_are(void **state)
{
	struct world *w = *state;
	struct mapping m = { .start = 0x9000, .end = 0xa000, .path = "/lib" };
	struct space *space;

	tree_task(&w->tree, &(struct tree_task){ .pid = 7 });
	tree_printf(&w->tree, "7/maps",
		    "1000-2000 r-xp 00000000 fe:00 1 /bin/sh\n"
		    "2000-3000 rw-p 00000000 fe:00 1 /bin/sh\n");
	process_table_scan(w->table);
	w->time.now_ns++;
	forked(w, 7, 8, 8); /* ends before anybody asks: the parent has its maps */
	forked(w, 8, 9, 9);
	ended(w, 9, 9);
	ended(w, 8, 8);
	space = process_space(w->table, get(w, 9), MAPS_CODE);
	assert_int_equal(space_count(space), 1);
	assert_string_equal(space_find(space, 0x1fff)->path, "/bin/sh");
	assert_ptr_equal(process_space(w->table, get(w, 9), MAPS_CODE), space);
	tree_remove(&w->tree, "7"); /* that was the one reading */
	assert_int_equal(space_count(process_space(w->table, get(w, 7), MAPS_CODE)), 1);

	forked(w, 7, 10, 10);
	space_insert(process_space(w->table, get(w, 10), MAPS_CODE), &m);
	assert_int_equal(space_count(process_space(w->table, get(w, 10), MAPS_CODE)), 2);
	assert_int_equal(space_count(process_space(w->table, get(w, 7), MAPS_CODE)), 1);

	ran(w, 4000, 4000); /* neither maps nor a parent */
	assert_int_equal(space_count(process_space(w->table, get(w, 4000), MAPS_CODE)), 0);
}

static const char *mapping_path(struct world *w, uint32_t pid, uint64_t address)
{
	const struct mapping *m = process_mapping(w->table, get(w, pid), address);

	return m ? m->path : "none";
}

/* Data is mapped and unmapped as a program likes, without a record for each: /proc is asked again. */
static void mappings_of_data(void **state)
{
	const struct mapping code = { .start = 0x9000, .end = 0xa000, .path = "/lib/new.so" };
	struct world *w = *state;

	tree_task(&w->tree, &(struct tree_task){ .pid = 7 });
	tree_printf(&w->tree, "7/maps",
		    "1000-2000 r-xp 00000000 fe:00 1 /bin/sh\n"
		    "2000-3000 rw-p 00000000 00:00 0 [heap]\n");
	process_table_scan(w->table);
	assert_string_equal(mapping_path(w, 7, 0x2fff), "[heap]");
	assert_string_equal(mapping_path(w, 7, 0x1000), "/bin/sh");
	assert_int_equal(space_count(process_space(w->table, get(w, 7), MAPS_CODE)), 1);
	tree_printf(&w->tree, "7/maps",
		    "1000-2000 r-xp 00000000 fe:00 1 /bin/sh\n"
		    "2000-4000 rw-p 00000000 00:00 0 [heap]\n"
		    "5000-6000 rw-s 00000000 00:19 7 /dev/shm/x\n");
	assert_string_equal(mapping_path(w, 7, 0x5000), "none"); /* just read */
	w->time.now_ns += 100 * MS;
	assert_string_equal(mapping_path(w, 7, 0x5000), "/dev/shm/x");
	assert_string_equal(mapping_path(w, 7, 0x3000), "[heap]");
	assert_string_equal(mapping_path(w, 7, 0x6000), "none");

	forked(w, 7, 8, 8);
	assert_string_equal(mapping_path(w, 8, 0x5000), "/dev/shm/x");
	process_table_comm(w->table, 8, 8, "new", true);
	space_insert(process_space(w->table, get(w, 8), MAPS_ALL), &code);
	assert_string_equal(mapping_path(w, 8, 0x5000), "none");
	assert_string_equal(mapping_path(w, 8, 0x9000), "/lib/new.so");
}

/* The records that told of a new program or a new library may be among those that were lost. */
static void maps_are_read_again_after_losses(void **state)
{
	struct world *w = *state;

	tree_task(&w->tree, &(struct tree_task){ .pid = 7 });
	tree_printf(&w->tree, "7/maps",
		    "1000-2000 r-xp 00000000 fe:00 1 /bin/sh\n"
		    "4000-5000 r-xp 00000000 fe:00 2 /lib/old.so\n");
	process_table_scan(w->table);
	assert_int_equal(space_count(process_space(w->table, get(w, 7), MAPS_CODE)), 2);
	tree_printf(&w->tree, "7/maps", "1000-2000 r-xp 00000000 fe:00 3 /bin/new\n");
	assert_string_equal(space_find(process_space(w->table, get(w, 7), MAPS_CODE), 0x1000)->path,
			    "/bin/sh");
	process_table_doubt_maps(w->table);
	assert_string_equal(space_find(process_space(w->table, get(w, 7), MAPS_CODE), 0x1000)->path,
			    "/bin/new");
	assert_int_equal(space_count(process_space(w->table, get(w, 7), MAPS_CODE)), 1);
	tree_printf(&w->tree, "7/maps", "%s", "");
	process_table_doubt_maps(w->table); /* it cannot be read: what was known stays */
	assert_int_equal(space_count(process_space(w->table, get(w, 7), MAPS_CODE)), 1);
}

static void tree_maps(struct world *w, uint32_t pid, const char *path)
{
	char name[32];

	snprintf(name, sizeof(name), "%u/maps", pid);
	tree_printf(&w->tree, name, "1000-2000 r-xp 00000000 fe:00 1 %s\n", path);
}

/* Each reading takes a fifth of a second: one user's are postponed, another's are not. */
static void each_user_pays_for_its_mappings(void **state)
{
	struct world *w = *state;
	uint32_t pid;

	for (pid = 10; pid < 30; pid++) {
		tree_task(&w->tree, &(struct tree_task){ .pid = pid });
		tree_maps(w, pid, "/bin/sh");
	}
	process_table_scan(w->table);
	for (pid = 10; pid < 30; pid++)
		get(w, pid)->uid = pid < 29 ? 1000 : 1001;
	for (pid = 10; pid < 29; pid++) {
		uint64_t began_ns = w->time.now_ns;

		w->time.step_ns = 200 * MS;
		process_space(w->table, get(w, pid), MAPS_CODE);
		w->time.step_ns = 0;
		w->time.now_ns = began_ns + 200 * MS; /* it looks at the clock more than twice */
	}
	assert_in_range(process_table_maps_stats(w->table).postponed, 10, 17);
	assert_int_equal(space_count(process_space(w->table, get(w, 28), MAPS_CODE)), 0);
	assert_int_equal(space_count(process_space(w->table, get(w, 29), MAPS_CODE)), 1);
	w->time.now_ns += 60 * NS_PER_S; /* the debt is paid */
	assert_int_equal(space_count(process_space(w->table, get(w, 28), MAPS_CODE)), 1);
}

static unsigned known_commands(struct world *w, uint32_t first, uint32_t end)
{
	unsigned known = 0;

	for (uint32_t pid = first; pid < end; pid++)
		known += get(w, pid)->command_known;
	return known;
}

/* Each reading takes a fiftieth of a second and no CPU time: its process keeps the memory locked. */
static void a_user_holds_commands_up_for_a_part_of_the_time(void **state)
{
	enum { FIRST = 10, END = 60 };
	struct world *w = *state;

	for (uint32_t pid = FIRST; pid < END; pid++)
		tree_task(&w->tree, &(struct tree_task){ .pid = pid });
	process_table_scan(w->table);
	for (uint32_t pid = FIRST; pid < END; pid++) {
		get(w, pid)->command_known = false;
		ran(w, pid, pid);
	}
	w->time.step_ns = 20 * MS;
	refresh(w, 1000);
	w->time.step_ns = 0;
	assert_in_range(known_commands(w, FIRST, END), 1, (END - FIRST) / 2);
	refresh(w, 100 * 1000);
	for (uint32_t pid = FIRST; pid < END; pid++)
		ran(w, pid, pid);
	refresh(w, 1000);
	assert_int_equal(known_commands(w, FIRST, END), END - FIRST);
}

/* No time passes on the table's clock, as if each file were there at once: the CPU time counts all the same. */
static void a_user_pays_for_the_cpu_of_its_mappings(void **state)
{
	enum { LINES = 5000, READINGS = 2000 };
	struct world *w = *state;
	struct spare_time *spare = spare_time_new(&w->time.clock, SPARE_RATE);
	struct buf text = { 0 };
	uint32_t read = 0;

	process_table_spare(w->table, spare);
	for (unsigned i = 0; i < LINES; i++)
		buf_printf(&text, "%x000-%x000 r-xp 00000000 fe:00 %u /bin/f%u\n", 2 * i + 16,
			   2 * i + 17, i + 1, i);
	tree_task(&w->tree, &(struct tree_task){ .pid = 10 });
	tree_task(&w->tree, &(struct tree_task){ .pid = 11 });
	tree_write(&w->tree, "10/maps", text.bytes, text.size);
	tree_maps(w, 11, "/bin/sh");
	buf_fini(&text);
	process_table_scan(w->table);
	get(w, 10)->uid = 1000;
	get(w, 11)->uid = 1001;
	while (!process_table_maps_stats(w->table).postponed && read++ < READINGS) {
		process_table_doubt_maps(w->table);
		process_space(w->table, get(w, 10), MAPS_CODE);
	}
	assert_in_range(read, 2, READINGS);
	assert_int_equal(space_count(process_space(w->table, get(w, 11), MAPS_CODE)), 1);
	w->time.now_ns += 60 * NS_PER_S; /* the debt is paid */
	assert_true(space_count(process_space(w->table, get(w, 10), MAPS_CODE)) > 1);
	assert_int_equal(process_table_maps_stats(w->table).postponed, 1);
	process_table_spare(w->table, NULL);
	spare_time_put(spare);
}

/* One user maps long paths in many processes; another's mappings stay. */
static void the_user_with_most_mappings_loses_them(void **state)
{
	enum { PATH_BYTES = 4000, MAPPINGS = 1000, PROCESSES = 20 };
	struct world *w = *state;
	char path[PATH_BYTES + 1];
	struct space *other;

	tree_task(&w->tree, &(struct tree_task){ .pid = 9 });
	tree_maps(w, 9, "/bin/sh");
	for (uint32_t i = 0; i < PROCESSES; i++) {
		tree_task(&w->tree, &(struct tree_task){ .pid = 10 + i });
		tree_maps(w, 10 + i, "/bin/evil");
	}
	process_table_scan(w->table);
	for (uint32_t i = 0; i < PROCESSES; i++)
		get(w, 10 + i)->uid = 1000;
	get(w, 9)->uid = 1001;
	other = process_space(w->table, get(w, 9), MAPS_CODE);
	memset(path, 'x', PATH_BYTES);
	path[PATH_BYTES] = '\0';
	for (uint32_t i = 0; i < PROCESSES; i++) {
		struct process *p = get(w, 10 + i);

		for (uint64_t k = 0; k < MAPPINGS; k++) {
			struct mapping m = { .start = (k + 16) << 12,
					     .end = (k + 17) << 12,
					     .path = path };

			snprintf(path, 24, "/%u/%llu", i, (unsigned long long)k);
			path[strlen(path)] = 'y';
			space_insert(process_space(w->table, p, MAPS_CODE), &m);
		}
		assert_true(process_table_maps_stats(w->table).bytes <
			    account_most(0, ACCOUNT_MAPPINGS) + (8 << 20));
	}
	assert_ptr_equal(process_space(w->table, get(w, 9), MAPS_CODE), other);
	assert_int_equal(space_count(other), 1);
	/* Dropped counts are read again. */
	assert_string_equal(
		space_find(process_space(w->table, get(w, 10), MAPS_CODE), 0x1000)->path,
		"/bin/evil");
}

static void numbers_that_are_no_process(void **state)
{
	struct world *w = *state;

	ran(w, 0, 0);
	ran(w, UINT32_MAX, UINT32_MAX);
	ended(w, 0, 0);
	process_table_comm(w->table, 0, 0, "swapper/1", false);
	refresh_all(w, 1000);
	assert_false(get(w, 0)->exited);
	assert_false(get(w, UINT32_MAX)->exited);
	assert_true(get(w, 0)->kernel);
	assert_unknown(get(w, 0));
	assert_int_equal(space_count(process_space(w->table, get(w, 0), MAPS_CODE)), 0);
}

/* The number of a thread that ended unnoticed, used again elsewhere. */
static void a_thread_number_moves(void **state)
{
	struct world *w = *state;

	tree_task(&w->tree, &(struct tree_task){ .pid = 7 });
	tree_task(&w->tree, &(struct tree_task){ .pid = 8 });
	process_table_scan(w->table);
	forked(w, 7, 7, 9);
	assert_ptr_equal(process_table_thread(w->table, 8, 9)->process, get(w, 8));
	assert_int_equal(get(w, 7)->live_threads, 1);
	w->time.now_ns++;
	forked(w, 8, 9, 9);
	assert_ptr_equal(process_table_find_thread(w->table, 9)->process, get(w, 9));
	assert_int_equal(get(w, 8)->live_threads, 1);
	refresh(w, 1000);
	refresh(w, 1000);
	process_table_forget_exited(w->table, NULL);
	assert_int_equal(get(w, 7)->thread_count, 1);
	assert_int_equal(get(w, 8)->thread_count, 1);
}

static void a_fork_storm_is_forgotten(void **state)
{
	struct world *w = *state;

	tree_task(&w->tree, &(struct tree_task){ .pid = 7 });
	tree_printf(&w->tree, "7/maps", "1000-2000 r-xp 00000000 fe:00 1 /bin/sh\n");
	process_table_scan(w->table);
	process_space(w->table, get(w, 7), MAPS_CODE);
	for (uint32_t i = 0; i < 50000; i++) {
		uint32_t pid = 100 + i % 30000;

		w->time.now_ns++;
		forked(w, 7, pid, pid);
		assert_int_equal(space_count(process_space(w->table, get(w, pid), MAPS_CODE)), 1);
		ended(w, pid, pid);
	}
	assert_int_equal(process_table_count(w->table), 50001);
	tree_task(&w->tree, &(struct tree_task){ .pid = 120, .state = 'Z', .user_ticks = 5 });
	refresh(w, 1000);
	assert_in_range(process_table_reads(w->table), 1, 20);
	process_table_forget_exited(w->table, NULL);
	assert_int_equal(process_table_count(w->table), 2);
	assert_int_equal(get(w, 120)->stat.state, 'Z');
	assert_near(get(w, 120)->cpu_percent, 5);
	assert_int_equal(process_table_refused(w->table), 0);
}

/* Others have room when one user has his part. */
static void a_user_has_no_more_than_his_part(void **state)
{
	struct world *w = *state;
	uint32_t pid = 101;

	tree_task(&w->tree, &(struct tree_task){ .pid = 100, .comm = "parent" });
	process_table_scan(w->table);
	while (process_table_bytes(w->table) < account_user(0, ACCOUNT_TASKS))
		forked(w, 100, pid, pid), pid++;
	process_table_count_bytes(w->table);
	assert_int_equal(process_table_refused(w->table), 0);
	forked(w, 100, pid, pid), pid++;
	assert_int_equal(process_table_refused(w->table), 1);
	forked(w, 0, pid, pid);
	assert_non_null(process_table_find(w->table, pid));
	assert_int_equal(process_table_refused(w->table), 1);
}

/* Each of its samples would ask. */
static void the_owner_of_a_refused_process_is_asked_once(void **state)
{
	struct world *w = *state;
	uint32_t pid = 101, late = 3000000;

	tree_task(&w->tree, &(struct tree_task){ .pid = 100, .comm = "parent" });
	process_table_scan(w->table);
	while (process_table_bytes(w->table) < account_user(0, ACCOUNT_TASKS))
		forked(w, 100, pid, pid), pid++;
	process_table_count_bytes(w->table);
	tree_task(&w->tree, &(struct tree_task){ .pid = late });
	assert_null(process_table_thread(w->table, late, late));
	tree_remove(&w->tree, "3000000"); /* nobody's, if asked now */
	assert_null(process_table_thread(w->table, late, late));
	assert_int_equal(process_table_refused(w->table), 2);
	refresh(w, 1000);
	assert_non_null(process_table_thread(w->table, late, late));
}

/* Whoever runs has a place where thousands idle. */
static void a_listing_leaves_room(void **state)
{
	struct world *w = *state;
	uint32_t pid = 101, idle = 3000000;

	tree_task(&w->tree, &(struct tree_task){ .pid = 100, .comm = "parent" });
	tree_task(&w->tree, &(struct tree_task){ .pid = idle });
	while (process_table_bytes(w->table) < account_user(0, ACCOUNT_TASKS) / 4 * 3)
		forked(w, 100, pid, pid), pid++;
	process_table_scan(w->table);
	assert_null(process_table_find(w->table, idle));
	assert_int_equal(process_table_refused(w->table), 2);
	ran(w, idle, idle);
	assert_non_null(process_table_find(w->table, idle));
}

static void a_full_table_refuses_and_counts(void **state)
{
	struct world *w = *state;
	uint32_t pid = 1, limit = 1024 * 1024;

	while (process_table_refused(w->table) < 3 && pid < limit + 10)
		forked(w, 0, pid, pid), pid++;
	assert_int_equal(process_table_count(w->table),
			 pid - 4); /* the first is made by the fork */
	assert_in_range(process_table_bytes(w->table), account_most(0, ACCOUNT_TASKS),
			account_most(0, ACCOUNT_TASKS) + 2048);
	assert_null(process_table_thread(w->table, 3 * limit, 3 * limit));
	assert_null(process_table_thread(w->table, 1, 3 * limit));
	assert_int_equal(process_table_refused(w->table), 5);
	process_table_comm(w->table, 3 * limit, 3 * limit, "x", true);
}

/* A record can say so; its row would look like that of the process. */
static void no_thread_but_an_idle_one_has_the_number_0(void **state)
{
	struct world *w = *state;

	assert_null(process_table_thread(w->table, 100, 0));
	forked(w, 100, 100, 0);
	assert_null(process_table_find_thread(w->table, 0));
	assert_int_equal(process_table_refused(w->table), 2);
	assert_non_null(process_table_thread(w->table, 0, 0));
}

static void a_recording_has_no_proc(void **state)
{
	struct world *w = *state;
	struct process_table *t = process_table_new(NULL, w->names, &w->time.clock, 0);
	const struct refresh how = { .all = true, .threads = true, .commands = true };
	struct thread *th = process_table_thread(t, 7, 8);

	process_table_comm(t, 7, 7, "x", true);
	assert_string_equal(th->process->comm, "x");
	assert_int_equal(process_table_scan(t), 0);
	process_table_refresh(t, &how);
	assert_int_equal(process_table_reads(t), 0);
	assert_unknown(th->process);
	assert_int_equal(space_count(process_space(t, th->process, MAPS_CODE)), 0);
	w->time.now_ns += NS_PER_S; /* data that no record has told of is not looked for */
	assert_null(process_mapping(t, th->process, 0x1000));
	process_table_free(t);
	process_table_free(NULL);
}

/* Files as a real machine has them. */
UNIT_TEST(a_machine_on_disk)
{
	const char *source = getenv("abs_srcdir");
	const struct refresh how = { .all = true, .threads = true, .commands = true };
	struct strtab *names = strtab_new();
	struct process_table *t;
	struct process *java;
	struct procfs procfs;
	char root[4096];

	snprintf(root, sizeof(root), "%s/tests/proc/fixtures/machine", source ? source : "..");
	assert_int_equal(procfs_open(&procfs, root, NULL), 0);
	t = process_table_new(&procfs, names, &clock_system, 0);
	assert_int_equal(process_table_scan(t), 5);
	process_table_refresh(t, &how);
	assert_string_equal(process_table_find(t, 1)->command, "/sbin/init splash");
	assert_true(process_table_find(t, 2)->kernel);
	assert_true(process_table_find(t, 57)->kernel);
	assert_string_equal(process_table_find(t, 57)->comm, "kworker/u8:3-events_unbound");
	assert_int_equal(process_table_find(t, 4123)->stat.state, 'Z');
	java = process_table_find(t, 812);
	assert_string_equal(java->comm, "java (main)");
	assert_string_equal(java->command, "/usr/bin/java -Xmx512m -jar /srv/app.jar");
	assert_int_equal(java->stat.nice, -5);
	assert_int_equal(java->stat.resident_pages, 98122);
	assert_int_equal(java->thread_count, 3);
	assert_string_equal(process_table_find_thread(t, 814)->comm, "C2 Compiler");
	assert_int_equal(process_table_find_thread(t, 814)->figures->stat.user_ticks, 50100);
	assert_int_equal(space_count(process_space(t, process_table_find(t, 1), MAPS_CODE)), 6);
	assert_int_equal(space_count(process_space(t, process_table_find(t, 2), MAPS_CODE)), 0);
	process_table_free(t);
	strtab_free(names);
	procfs_close(&procfs);
}

/* The machine's own /proc, this process: as getrusage(2) says, within 2 % of a CPU. */
UNIT_TEST(cpu_share_agrees_with_getrusage)
{
	struct strtab *names = strtab_new();
	const struct refresh how = { .all = false };
	uint32_t pid = (uint32_t)getpid();
	struct process_table *t;
	struct rusage before, after;
	struct procfs procfs;
	uint64_t start_ns, elapsed_ns;
	double used_s;

	assert_int_equal(procfs_open(&procfs, "/proc", NULL), 0);
	t = process_table_new(&procfs, names, &clock_system, 0);
	process_thread_ran(process_table_thread(t, pid, pid));
	process_table_refresh(t, &how);
	getrusage(RUSAGE_SELF, &before);
	start_ns = clock_monotonic_ns(&clock_system);
	do {
		elapsed_ns = clock_monotonic_ns(&clock_system) - start_ns;
	} while (elapsed_ns < NS_PER_S);
	process_thread_ran(process_table_thread(t, pid, pid));
	getrusage(RUSAGE_SELF, &after);
	process_table_refresh(t, &how);
	used_s = (double)(after.ru_utime.tv_sec - before.ru_utime.tv_sec) +
		 (double)(after.ru_stime.tv_sec - before.ru_stime.tv_sec) +
		 1e-6 * (double)(after.ru_utime.tv_usec - before.ru_utime.tv_usec) +
		 1e-6 * (double)(after.ru_stime.tv_usec - before.ru_stime.tv_usec);
	assert_true(fabs(process_table_find(t, pid)->cpu_percent -
			 100 * used_s * 1e9 / (double)elapsed_ns) < 2.5);
	assert_true(space_count(process_space(t, process_table_find(t, pid), MAPS_CODE)) > 1);
	process_table_free(t);
	strtab_free(names);
	procfs_close(&procfs);
}

/* Its file is there to be read, and tells that it has gone. */
UNIT_TEST(a_process_ends_whose_file_is_open)
{
	const struct refresh how = { .counts = { [TASK_DELAYS] = true } };
	struct strtab *names = strtab_new();
	struct process_table *t;
	struct procfs procfs;
	unsigned files;
	pid_t pid = unit_fork();

	if (!pid) {
		pause();
		_exit(0);
	}
	assert_int_equal(procfs_open(&procfs, "/proc", NULL), 0);
	t = process_table_new(&procfs, names, &clock_system, 0);
	process_table_keep_files(t, 8);
	files = unit_open_files();
	for (int i = 0; i < 4; i++) {
		if (i == 3) {
			assert_int_equal(unit_open_files(), files + 2);
			kill(pid, SIGKILL);
			waitpid(pid, NULL, 0);
		}
		process_thread_ran(process_table_thread(t, (uint32_t)pid, (uint32_t)pid));
		process_table_refresh(t, &how);
		assert_int_equal(process_table_find(t, (uint32_t)pid)->exited, i == 3);
	}
	assert_int_equal(unit_open_files(), files);
	process_table_free(t);
	strtab_free(names);
	procfs_close(&procfs);
}

/* Files that only some columns need. */

static void refresh_extras(struct world *w, uint64_t ms_later, const char *controller)
{
	const struct refresh how = { .cgroup = true,
				     .wchan = true,
				     .cgroup_controller = controller };

	w->time.now_ns += ms_later * MS;
	process_table_refresh(w->table, &how);
}

/* A column that few show: of rows that are seen, and of all that ran once it is asked for. */
static void test_shared_memory_is_read_where_it_is_shown(void **state)
{
	const struct refresh shown = { .shared = true };
	struct world *w = *state;

	for (uint32_t pid = 7; pid <= 8; pid++) {
		tree_task(&w->tree, &(struct tree_task){ .pid = pid });
		tree_printf(&w->tree, pid == 7 ? "7/statm" : "8/statm", "100 50 20 1 0 60 0");
	}
	process_table_scan(w->table);
	ran(w, 7, 7);
	ran(w, 8, 8);
	refresh_visible(w, 1000, 7);
	assert_int_equal(get(w, 7)->shared_pages, 20);
	assert_int_equal(get(w, 8)->shared_pages, -1);
	ran(w, 8, 8);
	process_table_refresh(w->table, &shown);
	assert_int_equal(get(w, 8)->shared_pages, 20);
	ran(w, 8, 8);
	refresh(w, 1000);
	assert_int_equal(get(w, 8)->shared_pages, -1);
}

static void test_extras_are_read_when_asked_for(void **state)
{
	struct world *w = *state;

	tree_task(&w->tree, &(struct tree_task){ .pid = 7 });
	tree_printf(&w->tree, "7/cgroup", "3:perf_event:/perf\n0::/a\n");
	tree_printf(&w->tree, "7/wchan", "do_wait");
	process_table_scan(w->table);
	refresh(w, 1000);
	assert_null(get(w, 7)->cgroup);
	assert_null(get(w, 7)->wchan);
	refresh_extras(w, 1000, NULL);
	assert_string_equal(get(w, 7)->cgroup, "/a");
	assert_true(get(w, 7)->cgroup_read);
	assert_string_equal(get(w, 7)->wchan, "do_wait");
	get(w, 7)->cgroup_read = false;

	/* It did not run: nothing is read again, however long ago that was. */
	tree_printf(&w->tree, "7/cgroup", "0::/b\n");
	tree_printf(&w->tree, "7/wchan", "0");
	refresh_extras(w, 10000, NULL);
	assert_int_equal(process_table_reads(w->table), 0);
	assert_string_equal(get(w, 7)->cgroup, "/a");
	assert_false(get(w, 7)->cgroup_read);

	ran(w, 7, 7);
	refresh_extras(w, 1000, NULL);
	assert_string_equal(get(w, 7)->cgroup, "/b");
	assert_null(get(w, 7)->wchan);
	tree_printf(&w->tree, "7/cgroup", "0::/c\n");
	ran(w, 7, 7);
	refresh_extras(w, 1000, NULL); /* young enough */
	assert_string_equal(get(w, 7)->cgroup, "/b");
}

static const char *wchan_of(struct world *w, uint32_t pid, uint32_t tid)
{
	const struct thread *th = process_table_thread(w->table, pid, tid);

	assert_non_null(th->figures);
	return th->figures->wchan;
}

/* Each thread sleeps in a place of its own. */
static void test_wchan_of_threads(void **state)
{
	const struct refresh how = { .threads = true, .wchan = true };
	struct world *w = *state;

	tree_task(&w->tree, &(struct tree_task){ .pid = 7, .threads = 2 });
	tree_task(&w->tree, &(struct tree_task){ .pid = 7, .tid = 7 });
	tree_task(&w->tree, &(struct tree_task){ .pid = 7, .tid = 8 });
	tree_printf(&w->tree, "7/wchan", "do_wait");
	tree_printf(&w->tree, "7/task/7/wchan", "do_wait");
	tree_printf(&w->tree, "7/task/8/wchan", "futex_do_wait");
	process_table_scan(w->table);
	ran(w, 7, 7);
	ran(w, 7, 8);
	process_table_refresh(w->table, &how);
	assert_string_equal(get(w, 7)->wchan, "do_wait");
	assert_string_equal(wchan_of(w, 7, 7), "do_wait");
	assert_string_equal(wchan_of(w, 7, 8), "futex_do_wait");

	/* Only that of one that ran is read again. */
	tree_printf(&w->tree, "7/task/7/wchan", "pipe_read");
	tree_printf(&w->tree, "7/task/8/wchan", "0");
	ran(w, 7, 8);
	process_table_refresh(w->table, &how);
	assert_string_equal(wchan_of(w, 7, 7), "do_wait");
	assert_string_equal(wchan_of(w, 7, 8), "");
}

/* Thread TID of process 7 has read so many bytes, and has made as many calls to write. */
static void tree_io(struct world *w, uint32_t tid, unsigned int bytes)
{
	char name[64];

	snprintf(name, sizeof(name), "7/task/%u/io", tid);
	tree_printf(&w->tree, name,
		    "rchar: 1\nwchar: 1\nsyscr: 0\nsyscw: %u\nread_bytes: %u\nwrite_bytes: 0\n"
		    "cancelled_write_bytes: 0\n",
		    bytes, bytes);
}

static void assert_io(struct world *w, int64_t all, int64_t first, int64_t second)
{
	assert_int_equal(get(w, 7)->deltas[COUNT_READ_BYTES], all);
	assert_int_equal(get(w, 7)->deltas[COUNT_WRITES], all);
	assert_int_equal(get(w, 7)->threads[0]->counts->deltas[COUNT_READ_BYTES], first);
	assert_int_equal(get(w, 7)->threads[1]->counts->deltas[COUNT_READ_BYTES], second);
}

/* Records were lost, and only what ran in those that were not is read. */
static void test_a_sparing_refresh(void **state)
{
	const struct refresh sparing = { .all = true, .sparing = true };
	struct world *w = *state;

	tree_task(&w->tree, &(struct tree_task){ .pid = 7 });
	tree_task(&w->tree, &(struct tree_task){ .pid = 8 });
	process_table_scan(w->table);
	refresh_all(w, 1000);
	tree_task(&w->tree, &(struct tree_task){ .pid = 9 });
	ran(w, 7, 7);
	w->time.now_ns += 1000 * MS;
	process_table_refresh(w->table, &sparing);
	assert_true(get(w, 7)->cpu_percent == 0);
	assert_unknown(get(w, 8));
	assert_null(process_table_find(w->table, 9));
	refresh_all(w, 1000);
	assert_true(get(w, 7)->cpu_percent == 0);
	assert_unknown(get(w, 8)); /* since when is not known */
	assert_non_null(process_table_find(w->table, 9));
	refresh(w, 1000);
	assert_true(get(w, 8)->cpu_percent == 0);
}

/* A refresh reads only those processes of a resting user that are on the screen, and makes nothing up of the others. */
static void test_a_user_rests(void **state)
{
	const uint32_t uid = getuid(), visible[] = { 8 };
	const struct refresh one = { .visible = visible, .visible_count = 1 }, resting = {
		.visible = visible, .visible_count = 1, .resting = &uid, .resting_count = 1
	};
	struct refresh all = resting;
	struct world *w = *state;

	tree_task(&w->tree, &(struct tree_task){ .pid = 7 });
	tree_task(&w->tree, &(struct tree_task){ .pid = 8 });
	process_table_scan(w->table);
	refresh_all(w, 1000);
	for (int i = 0; i < 3; i++) {
		ran(w, 7, 7);
		w->time.now_ns += 1000 * MS;
		process_table_refresh(w->table, i ? &resting : &one);
		assert_int_equal(process_table_reads(w->table) > 0, true);
		assert_true(get(w, 8)->cpu_percent == 0);
		if (i)
			assert_unknown(get(w, 7));
		else
			assert_true(get(w, 7)->cpu_percent == 0);
	}
	all.all = true; /* a loss changes nothing */
	process_table_refresh(w->table, &all);
	assert_unknown(get(w, 7));
	tree_task(&w->tree, &(struct tree_task){ .pid = 9 });
	process_table_refresh(w->table, &all);
	assert_non_null(process_table_find(w->table, 9));
	assert_true(process_table_find(w->table, 9)->known);
	process_table_read_owners(w->table, OWNERS_ALL);
	ran(w, 7, 7);
	process_table_refresh(w->table, &resting);
	ran(w, 7, 7);
	w->time.now_ns += 1000 * MS;
	process_table_refresh(w->table, &resting);
	assert_true(get(w, 7)->cpu_percent == 0);
}

/* A process whose fork was lost between them is found by the round that comes later: it is none of that interval. */
static void test_sparing_refreshes_in_a_row(void **state)
{
	const struct refresh all = { .all = true, .threads = true };
	const struct refresh sparing = {
		.all = true, .sparing = true, .threads = true, .wchan = true
	};
	struct world *w = *state;

	tree_task(&w->tree, &(struct tree_task){ .pid = 8 });
	tree_task(&w->tree, &(struct tree_task){ .pid = 8, .tid = 8 });
	process_table_scan(w->table);
	for (int i = 0; i < 3; i++) {
		w->time.now_ns += 1000 * MS;
		process_table_refresh(w->table, i ? &sparing : &all);
	}
	assert_int_equal(process_table_reads(w->table), 0);
	tree_printf(&w->tree, "uptime", "52.00 1.00\n");
	w->time.now_ns += 1000 * MS;
	process_table_refresh(w->table, &sparing);
	tree_task(&w->tree, &(struct tree_task){ .pid = 9, .user_ticks = 90, .start_ticks = 5110 });
	tree_printf(&w->tree, "uptime", "53.00 1.00\n");
	refresh_all(w, 1000);
	assert_unknown(get(w, 9));
}

static void test_io_of_threads(void **state)
{
	const struct refresh how = { .threads = true, .counts[TASK_IO] = true },
			     all = { .counts[TASK_IO] = true, .all = true };
	struct world *w = *state;

	tree_task(&w->tree, &(struct tree_task){ .pid = 7, .threads = 2 });
	tree_task(&w->tree, &(struct tree_task){ .pid = 7, .tid = 7 });
	tree_task(&w->tree, &(struct tree_task){ .pid = 7, .tid = 8 });
	tree_io(w, 7, 1000);
	tree_io(w, 8, 50);
	process_table_scan(w->table);
	ran(w, 7, 8);
	refresh(w, 1000);
	assert_int_equal(get(w, 7)->deltas[COUNT_READ_BYTES], -1);
	ran(w, 7, 8);
	process_table_refresh(w->table, &how);
	assert_io(w, -1, -1, -1); /* until now */

	/* Only one that ran is read. */
	tree_io(w, 7, 9000);
	tree_io(w, 8, 70);
	ran(w, 7, 8);
	process_table_refresh(w->table, &how);
	assert_io(w, 20, 0, 20);
	process_table_refresh(w->table, &how);
	assert_int_equal(process_table_reads(w->table), 0);
	assert_io(w, 0, 0, 0);

	/* Without records nobody knows who ran; what is read after that has no count to compare with. */
	process_table_refresh(w->table, &all);
	assert_io(w, -1, -1, -1);
	ran(w, 7, 7);
	process_table_refresh(w->table, &how);
	assert_io(w, -1, -1, -1);
	tree_io(w, 7, 9001);
	ran(w, 7, 7);
	process_table_refresh(w->table, &how);
	assert_io(w, 1, 1, 0);

	/* The same after a time without requests. */
	ran(w, 7, 7);
	refresh(w, 1000);
	ran(w, 7, 7);
	process_table_refresh(w->table, &how);
	assert_io(w, -1, -1, -1);

	/* Not allowed, or no such file. */
	tree_remove(&w->tree, "7/task/8/io");
	ran(w, 7, 8);
	process_table_refresh(w->table, &how);
	assert_int_equal(get(w, 7)->deltas[COUNT_READ_BYTES], -1);
}

/* All that it ever read was in this interval. */
static void test_io_of_a_newborn(void **state)
{
	const struct refresh how = { .counts[TASK_IO] = true };
	struct world *w = *state;

	tree_task(&w->tree, &(struct tree_task){ .pid = 3 });
	process_table_scan(w->table);
	process_table_refresh(w->table, &how);
	tree_task(&w->tree, &(struct tree_task){ .pid = 7 });
	tree_io(w, 7, 123);
	forked(w, 3, 7, 7);
	ran(w, 7, 7);
	process_table_refresh(w->table, &how);
	assert_int_equal(get(w, 7)->deltas[COUNT_READ_BYTES], 123);
	tree_remove(&w->tree, "7");
	w->time.now_ns++;
	ended(w, 7, 7);
	process_table_refresh(w->table, &how);
	assert_int_equal(get(w, 7)->deltas[COUNT_READ_BYTES], -1);
}

/* Microstates. */

static void tree_schedstat(struct world *w, const char *task, unsigned int run_ms,
			   unsigned int delay_ms)
{
	char name[64];

	snprintf(name, sizeof(name), "%s/schedstat", task);
	tree_printf(&w->tree, name, "%u000000 %u000000 4\n", run_ms, delay_ms);
}

/* So much of all the time; below 0: unknown. */
static void assert_states(const struct microstates *m, double user, double queue, double sleep)
{
	double percent[MICROSTATES];

	microstates_percent(m, percent);
	if (user < 0) {
		assert_true(isnan(percent[MICROSTATE_USER]));
		assert_true(isnan(percent[MICROSTATE_SLEEP]));
		return;
	}
	assert_near(percent[MICROSTATE_USER], user);
	assert_near(percent[MICROSTATE_QUEUE], queue);
	assert_near(percent[MICROSTATE_SLEEP], sleep);
}

static void refresh_states(struct world *w, uint64_t ms_later, uint32_t pid)
{
	const struct refresh how = { .states = true,
				     .counts = { [TASK_SWITCHES] = true, [TASK_DELAYS] = true },
				     .visible = &pid,
				     .visible_count = pid != 0 };

	w->time.now_ns += ms_later * MS;
	process_table_refresh(w->table, &how);
}

static void test_states_of_threads(void **state)
{
	struct world *w = *state;
	struct thread **threads;

	tree_task(&w->tree, &(struct tree_task){ .pid = 7, .threads = 2 });
	tree_task(&w->tree, &(struct tree_task){ .pid = 7, .tid = 7 });
	tree_task(&w->tree, &(struct tree_task){ .pid = 7, .tid = 8, .state = 'R' });
	tree_schedstat(w, "7", 10, 0);
	tree_schedstat(w, "7/task/8", 500, 100);
	process_table_scan(w->table);
	refresh_states(w, 1000, 7);
	assert_states(&get(w, 7)->states, -1, -1, -1);
	threads = get(w, 7)->threads;

	/* One slept, the other ran for half of the time, and waited for a CPU in the rest of it. */
	tree_task(&w->tree,
		  &(struct tree_task){ .pid = 7, .tid = 8, .state = 'R', .user_ticks = 50 });
	tree_schedstat(w, "7/task/8", 1000, 300);
	ran(w, 7, 8);
	refresh_states(w, 1000, 7);
	assert_states(&threads[0]->figures->states, 0, 0, 100);
	assert_states(&threads[1]->figures->states, 50, 50, 0);
	assert_states(&get(w, 7)->states, 25, 25, 50);

	/* No record tells that it runs, but it was ready. */
	tree_schedstat(w, "7/task/8", 3000, 300);
	refresh_states(w, 2000, 7);
	assert_states(&get(w, 7)->states, 50, 0, 50);

	/* Nobody looks, and one that can run did not: nothing is read, and that is not known. */
	refresh_states(w, 1000, 0);
	assert_int_equal(process_table_reads(w->table), 0);
	assert_states(&threads[0]->figures->states, 0, 0, 100);
	assert_states(&get(w, 7)->states, -1, -1, -1);

	tree_printf(&w->tree, "7/task/8/schedstat", "no numbers");
	ran(w, 7, 8);
	refresh_states(w, 1000, 7);
	assert_states(&get(w, 7)->states, -1, -1, -1);
}

/* A newborn has lived since the record of its start. */
static void test_states_of_a_newborn(void **state)
{
	struct world *w = *state;

	tree_task(&w->tree, &(struct tree_task){ .pid = 3 });
	process_table_scan(w->table);
	refresh_states(w, 1000, 0);
	assert_states(&get(w, 3)->states, 0, 0, 100); /* it did not run, and is not read */
	w->time.now_ns += 600 * MS;
	tree_task(&w->tree, &(struct tree_task){ .pid = 7, .user_ticks = 10, .voluntary = 1 });
	tree_schedstat(w, "7", 100, 100);
	forked(w, 3, 7, 7);
	ran(w, 7, 7);
	refresh_states(w, 400, 0);
	assert_states(&get(w, 7)->states, 25, 25, 50);
	refresh_states(w, 400, 0);
	assert_states(&get(w, 7)->states, 0, 0, 100);
	ended(w, 7, 7);
	tree_remove(&w->tree, "7");
	refresh_states(w, 400, 0);
	assert_states(&get(w, 7)->states, -1, -1, -1);
}

static void test_cgroup_of_a_controller(void **state)
{
	struct world *w = *state;

	tree_task(&w->tree, &(struct tree_task){ .pid = 7 });
	tree_printf(&w->tree, "7/cgroup", "3:perf_event:/perf\n0::/a\n");
	process_table_scan(w->table);
	refresh_extras(w, 1000, "perf_event");
	assert_string_equal(get(w, 7)->cgroup, "/perf");
	forked(w, 7, 8, 8);
	assert_string_equal(get(w, 8)->cgroup, "/perf");
}

#define IN_A_WORLD(test) cmocka_unit_test_setup_teardown(test, world_setup, world_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_A_WORLD(scan_finds_what_is_there),
		IN_A_WORLD(the_owner_is_who_may_trace_it),
		IN_A_WORLD(who_differs_from_his_parent_is_nobodys),
		IN_A_WORLD(owners_are_read_when_somebody_asks),
		IN_A_WORLD(a_scan_ends_in_time),
		IN_A_WORLD(what_did_not_run_is_not_read),
		IN_A_WORLD(files_of_who_runs_on_stay_open),
		IN_A_WORLD(commands_are_read_when_they_matter),
		IN_A_WORLD(who_ran_is_known_until_the_next_refresh),
		IN_A_WORLD(differences_are_of_the_interval),
		IN_A_WORLD(a_sleeper_wakes_in_its_interval),
		IN_A_WORLD(within_a_tick_nothing_is_known),
		IN_A_WORLD(a_newborn_starts_from_zero),
		IN_A_WORLD(exec_makes_a_new_program),
		IN_A_WORLD(a_name_change_is_of_the_thread),
		IN_A_WORLD(exec_by_a_thread_that_is_no_leader),
		IN_A_WORLD(the_ended_stay_for_one_refresh),
		IN_A_WORLD(the_vanished_stay_for_one_refresh_too),
		IN_A_WORLD(a_zombie_stays_until_it_is_waited_for),
		IN_A_WORLD(a_leader_ends_before_its_threads),
		IN_A_WORLD(threads_come_and_go),
		IN_A_WORLD(a_pid_comes_back),
		IN_A_WORLD(a_pid_comes_back_in_silence),
		IN_A_WORLD(old_records_do_not_undo_a_scan),
		IN_A_WORLD(without_records_a_listing_tells),
		IN_A_WORLD(switches_are_those_of_all_threads),
		IN_A_WORLD(switches_are_read_of_rows_alone),
		IN_A_WORLD(threads_have_figures_of_their_own),
		IN_A_WORLD(hostile_texts_stay_within_bounds),
		IN_A_WORLD(what_cannot_be_read_is_absent),
		IN_A_WORLD(maps_come_from_where_they_are),
		IN_A_WORLD(maps_are_read_again_after_losses),
		IN_A_WORLD(each_user_pays_for_its_mappings),
		IN_A_WORLD(a_user_pays_for_the_cpu_of_its_mappings),
		IN_A_WORLD(a_user_holds_commands_up_for_a_part_of_the_time),
		IN_A_WORLD(the_user_with_most_mappings_loses_them),
		IN_A_WORLD(numbers_that_are_no_process),
		IN_A_WORLD(a_thread_number_moves),
		IN_A_WORLD(a_fork_storm_is_forgotten),
		IN_A_WORLD(a_user_has_no_more_than_his_part),
		IN_A_WORLD(the_owner_of_a_refused_process_is_asked_once),
		IN_A_WORLD(a_listing_leaves_room),
		IN_A_WORLD(a_full_table_refuses_and_counts),
		IN_A_WORLD(no_thread_but_an_idle_one_has_the_number_0),
		IN_A_WORLD(a_recording_has_no_proc),
		cmocka_unit_test(a_machine_on_disk),
		cmocka_unit_test(cpu_share_agrees_with_getrusage),
		cmocka_unit_test(a_process_ends_whose_file_is_open),
		IN_A_WORLD(test_shared_memory_is_read_where_it_is_shown),
		IN_A_WORLD(test_extras_are_read_when_asked_for),
		IN_A_WORLD(test_wchan_of_threads),
		IN_A_WORLD(test_io_of_threads),
		IN_A_WORLD(test_a_sparing_refresh),
		IN_A_WORLD(test_a_user_rests),
		IN_A_WORLD(test_sparing_refreshes_in_a_row),
		IN_A_WORLD(test_io_of_a_newborn),
		IN_A_WORLD(test_states_of_threads),
		IN_A_WORLD(test_states_of_a_newborn),
		IN_A_WORLD(test_cgroup_of_a_controller),
		IN_A_WORLD(mappings_of_data),
	};

	return unit_run(tests);
}
