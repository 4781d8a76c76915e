/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a refresh reads, counted by inotify(7): nothing of what is not shown, and of what is shown no more than is on the
 * screen.  bench/scale tells how long a refresh takes on a machine as large as such machines are.
 */
#include "unit.h"

#include <errno.h>
#include <math.h>
#include <sys/inotify.h>

#include "engine/large-machine.h"

#define PROCESSES 200u
#define GROUPS 300u
#define CPUS 16u
#define BUSY (2 * CPUS) /* processes that run */
#define WARM 8

struct watched {
	struct large_machine m;
	int fd;
	bool directories; /* count those that are listed, too */
};

__attribute__((format(printf, 2, 3))) static void watch(struct watched *w, const char *format, ...)
{
	char name[96], path[192];
	va_list args;

	va_start(args, format);
	vsnprintf(name, sizeof(name), format, args);
	va_end(args);
	snprintf(path, sizeof(path), "%s/%s", w->m.tree.root, name);
	if (inotify_add_watch(w->fd, path, IN_OPEN) < 0)
		fail_msg("%s: %s", path, strerror(errno));
}

static void start(struct watched *w, unsigned extras)
{
	large_machine_init(&w->m, PROCESSES, GROUPS, CPUS, extras);
	w->fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	assert_true(w->fd >= 0);
	w->directories = false;
	for (int i = 0; i < WARM; i++) {
		large_machine_run(&w->m);
		large_machine_snapshot(&w->m, NULL, 0);
	}
}

static void end(struct watched *w)
{
	close(w->fd);
	large_machine_fini(&w->m);
}

static void watch_groups(struct watched *w)
{
	watch(w, "tree");
	for (uint32_t i = 0; i < GROUPS; i++)
		watch(w, "tree/slice%u/unit%u", i / 100, i);
}

static void watch_cpus(struct watched *w)
{
	for (uint32_t i = 0; i < CPUS; i++) {
		watch(w, "sys/system/cpu/cpu%u/cpufreq", i);
		watch(w, "sys/system/cpu/cpu%u/topology", i);
	}
}

/* The opens since the last call. */
static size_t opens(struct watched *w)
{
	char buffer[16384] __attribute__((aligned(8)));
	size_t count = 0;
	ssize_t n;

	while ((n = read(w->fd, buffer, sizeof(buffer))) > 0) {
		for (ssize_t at = 0; at < n;) {
			const struct inotify_event *e = (const void *)(buffer + at);

			assert_false(e->mask & IN_Q_OVERFLOW);
			count += w->directories || !(e->mask & IN_ISDIR);
			at += (ssize_t)(sizeof(*e) + e->len);
		}
	}
	return count;
}

/* Counts the files that one refresh opens; writing those of the next second is no part of it. */
static size_t opens_of_refresh(struct watched *w)
{
	large_machine_run(&w->m);
	opens(w);
	large_machine_snapshot(&w->m, NULL, 0);
	return opens(w);
}

UNIT_TEST(what_is_not_shown_is_not_read)
{
	struct watched w;

	start(&w, 0);
	watch_groups(&w);
	watch_cpus(&w);
	w.directories = true;
	for (int i = 0; i < 3; i++)
		assert_int_equal(opens_of_refresh(&w), 0);
	assert_int_equal(w.m.rig.snapshot->cpu_count, 0);
	assert_int_equal(w.m.rig.snapshot->group_count, 0);
	end(&w);
}

/* Nor are processes that did not run; those that did are read once each. */
UNIT_TEST(who_did_not_run_is_not_read)
{
	const uint32_t visible[] = { LARGE_FIRST_PID + PROCESSES - 1 };
	struct watched w;
	size_t alone;

	start(&w, 0);
	for (uint32_t i = BUSY; i < PROCESSES; i++)
		watch(&w, "%u", LARGE_FIRST_PID + i);
	for (int i = 0; i < 3; i++)
		assert_int_equal(opens_of_refresh(&w), 0);
	large_machine_run(&w.m);
	opens(&w);
	large_machine_snapshot(&w.m, visible, 1);
	alone = opens(&w);
	assert_in_range(alone, 1, 4); /* the one that is on the screen */
	end(&w);
}

/* Only a column or an output that shows switches costs a status of each process that ran. */
UNIT_TEST(switches_are_read_where_they_are_shown)
{
	struct watched w;

	start(&w, 0);
	for (uint32_t i = 0; i < PROCESSES; i++)
		watch(&w, "%u/status", LARGE_FIRST_PID + i);
	assert_int_equal(opens_of_refresh(&w), 0);
	engine_set_extras(w.m.rig.engine, EXTRA_SWITCHES_ELSE); /* a counter tells it */
	assert_int_equal(opens_of_refresh(&w), 0);
	engine_set_extras(w.m.rig.engine, EXTRA_SWITCHES);
	assert_int_equal(opens_of_refresh(&w), BUSY);
	end(&w);
}

/* Once all groups are known, the root tells that they are all; directories are listed again only if they change. */
UNIT_TEST(of_groups_the_files_of_rows_are_read)
{
	uint32_t shown[5];
	struct watched w;

	start(&w, EXTRA_GROUPS | EXTRA_GROUP_MEMORY);
	assert_int_equal(w.m.rig.snapshot->group_count, GROUPS + GROUPS / 100 + 1);
	watch_groups(&w);
	w.directories = true;
	assert_int_equal(opens_of_refresh(&w), 1); /* cgroup.stat */
	for (size_t i = 0; i < 5; i++)
		shown[i] = w.m.rig.snapshot->groups[10 + i].id;
	engine_set_groups(w.m.rig.engine, shown, 5, false);
	for (int i = 0; i < 3; i++)
		assert_int_equal(opens_of_refresh(&w), 1 + 10); /* memory.current and memory.max */
	engine_set_extras(w.m.rig.engine, 0);
	opens_of_refresh(&w);
	assert_int_equal(opens_of_refresh(&w), 0);
	end(&w);
}

/* Places once, clocks each time. */
UNIT_TEST(of_cpus_the_clocks_are_read)
{
	struct watched w;

	start(&w, EXTRA_CPUS);
	assert_int_equal(w.m.rig.snapshot->cpu_count, CPUS);
	watch_cpus(&w);
	for (int i = 0; i < 3; i++)
		assert_in_range(opens_of_refresh(&w), 1, CPUS);
	engine_set_extras(w.m.rig.engine, 0);
	assert_int_equal(opens_of_refresh(&w), 0);
	end(&w);
}

/* One control group and one cache have three files.  Monitoring is no reason to read any while no column shows it. */
UNIT_TEST(of_caches_resctrl_is_read_while_somebody_looks)
{
	struct watched w;

	start(&w, 0);
	tree_printf(&w.m.tree, "sys/system/cpu/cpu0/cache/index0/shared_cpu_list", "0-1\n");
	tree_printf(&w.m.tree, "sys/system/cpu/cpu0/cache/index0/level", "3\n");
	tree_printf(&w.m.tree, "sys/system/cpu/cpu0/cache/index0/id", "7\n");
	tree_printf(&w.m.tree, "fs/resctrl/mon_data/mon_L3_07/mbm_total_bytes", "100\n");
	tree_printf(&w.m.tree, "fs/resctrl/mon_data/mon_L3_07/mbm_local_bytes", "Unavailable\n");
	tree_printf(&w.m.tree, "fs/resctrl/mon_data/mon_L3_07/llc_occupancy", "4096\n");
	engine_set_extras(w.m.rig.engine, EXTRA_CPUS);
	watch(&w, "fs/resctrl/mon_data/mon_L3_07");
	assert_int_equal(opens_of_refresh(&w), 0);
	engine_set_extras(w.m.rig.engine, EXTRA_CPUS | EXTRA_CACHES);
	assert_int_equal(opens_of_refresh(&w), 3);
	tree_printf(&w.m.tree, "fs/resctrl/mon_data/mon_L3_07/mbm_total_bytes", "350\n");
	assert_int_equal(opens_of_refresh(&w), 3);
	assert_true(w.m.rig.snapshot->cpus[0].facts.memory_rate == 250);
	assert_true(isnan(w.m.rig.snapshot->cpus[0].facts.local_rate));
	assert_true(w.m.rig.snapshot->cpus[0].facts.held_bytes == 4096);
	engine_set_extras(w.m.rig.engine, EXTRA_CPUS);
	assert_int_equal(opens_of_refresh(&w), 0);
	assert_true(isnan(w.m.rig.snapshot->cpus[0].facts.held_bytes));
	end(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_not_shown_is_not_read),
		cmocka_unit_test(who_did_not_run_is_not_read),
		cmocka_unit_test(switches_are_read_where_they_are_shown),
		cmocka_unit_test(of_groups_the_files_of_rows_are_read),
		cmocka_unit_test(of_cpus_the_clocks_are_read),
		cmocka_unit_test(of_caches_resctrl_is_read_while_somebody_looks),
	};

	return unit_run(tests);
}
