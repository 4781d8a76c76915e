/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of control groups, over trees that the test makes. */
#include "unit.h"

#include <math.h>
#include <unistd.h>

#include "base/account.h"
#include "proc/group-stat.h"
#include "proc/groups.h"
#include "proc/pressure.h"
#include "proc/tree.h"

#define ALL_FILES \
	(GROUP_FILE_MEMORY | GROUP_FILE_PIDS | GROUP_FILE_IO | GROUP_FILE_CPU | GROUP_FILE_PRESSURE)

/* /proc with `mounts`, the trees, and the files of runtimes, all below one folder. */
struct machine {
	struct tree t;
	struct groups *groups;
	struct tree_clock time;
	uint64_t memory_bytes; /* the limit of the account */
};

static void machine_init(struct machine *m)
{
	tree_init(&m->t);
	tree_clock_init(&m->time, 1000 * NS_PER_S);
	m->memory_bytes = 0;
	m->groups = NULL;
}

static void machine_fini(struct machine *m)
{
	groups_free(m->groups);
	tree_fini(&m->t);
}

static void mount_second(struct machine *m)
{
	tree_printf(&m->t, "mounts", "cgroup2 %s/second cgroup2 rw,nosuid 0 0\n", m->t.root);
	tree_printf(&m->t, "second/cgroup.procs", "1\n");
}

static void start(struct machine *m)
{
	m->groups = groups_new(&m->t.procfs, &m->time.clock, m->t.root, m->memory_bytes);
}

static void refresh(struct machine *m, unsigned files, const uint32_t *shown, size_t count,
		    bool all)
{
	const struct groups_request q = { files, shown, count, all };

	m->time.now_ns += NS_PER_S;
	groups_refresh(m->groups, &q);
}

static struct group_entry *find(struct machine *m, const char *path)
{
	struct group_entry *e;

	for (size_t i = 0; (e = groups_next(m->groups, &i));) {
		if (!strcmp(e->path, path))
			return e;
	}
	return NULL;
}

UNIT_TEST(a_walk_finds_all_groups)
{
	struct machine m;

	machine_init(&m);
	mount_second(&m);
	tree_printf(&m.t, "second/a/b/c/cgroup.procs", "\n");
	tree_printf(&m.t, "second/d/cgroup.procs", "\n");
	start(&m);
	assert_int_equal(groups_count(m.groups), 1);
	assert_string_equal(find(&m, "/")->path, "/");
	refresh(&m, 0, NULL, 0, false);
	assert_int_equal(groups_count(m.groups), 5);
	assert_true(find(&m, "/a/b/c")->parent == find(&m, "/a/b"));
	assert_true(find(&m, "/a")->parent == find(&m, "/"));
	assert_null(find(&m, "/")->parent);
	tree_printf(&m.t, "second/a/new/cgroup.procs", "\n");
	refresh(&m, 0, NULL, 0, false);
	assert_non_null(find(&m, "/a/new"));
	machine_fini(&m);
}

UNIT_TEST(a_path_makes_those_above)
{
	struct machine m;
	uint32_t id;

	machine_init(&m);
	start(&m); /* nothing is mounted */
	id = groups_find(m.groups, "/x/y/z");
	assert_true(id && groups_find(m.groups, "/x/y/z") == id);
	assert_int_equal(groups_count(m.groups), 4);
	assert_string_equal(groups_at(m.groups, id)->parent->path, "/x/y");
	assert_int_equal(groups_find(m.groups, "/"), find(&m, "/")->id);
	assert_int_equal(groups_find(m.groups, "/q/"), groups_find(m.groups, "/q/"));
	assert_int_equal(groups_find(m.groups, ""), 0);
	assert_int_equal(groups_find(m.groups, "x"), 0);
	assert_null(groups_at(m.groups, 0));
	machine_fini(&m);
}

UNIT_TEST(a_group_is_found_where_it_was_or_elsewhere)
{
	struct machine m;
	uint32_t gone, last;
	size_t slot = SIZE_MAX;

	machine_init(&m);
	mount_second(&m);
	tree_printf(&m.t, "second/gone/cgroup.procs", "\n");
	tree_printf(&m.t, "second/last/cgroup.procs", "\n");
	start(&m);
	gone = groups_find(m.groups, "/gone");
	last = groups_find(m.groups, "/last");
	assert_ptr_equal(groups_near(m.groups, last, &slot), groups_at(m.groups, last));
	assert_int_equal(slot, groups_at(m.groups, last)->slot);
	assert_ptr_equal(groups_near(m.groups, gone, &slot), groups_at(m.groups, gone));
	assert_int_equal(slot, groups_at(m.groups, gone)->slot);
	tree_remove(&m.t, "second/gone");
	for (int i = 0; i < 3; i++)
		refresh(&m, 0, NULL, 0, false);
	assert_null(groups_near(m.groups, gone, &slot)); /* the place is another's now */
	assert_ptr_equal(groups_near(m.groups, last, &slot), groups_at(m.groups, last));
	assert_null(groups_near(m.groups, 0, &slot));
	machine_fini(&m);
}

UNIT_TEST(what_is_gone_stays_while_somebody_uses_it)
{
	struct machine m;
	uint32_t id;

	machine_init(&m);
	mount_second(&m);
	tree_printf(&m.t, "second/a/b/cgroup.procs", "\n");
	start(&m);
	refresh(&m, 0, NULL, 0, false);
	id = groups_find(m.groups, "/a/b");
	groups_use(m.groups, groups_at(m.groups, id), true);
	tree_remove(&m.t, "second/a");
	refresh(&m, 0, NULL, 0, false);
	assert_true(groups_at(m.groups, id)->gone);
	groups_use(m.groups, groups_at(m.groups, id), true);
	assert_true(groups_used(m.groups, groups_at(m.groups, id)));
	refresh(&m, 0, NULL, 0, false);
	assert_non_null(groups_at(m.groups, id));
	assert_non_null(find(&m, "/a")); /* it is above one that is used */
	refresh(&m, 0, NULL, 0, false);
	assert_null(groups_at(m.groups, id));
	assert_null(find(&m, "/a"));
	tree_printf(&m.t, "second/a/b/cgroup.procs", "\n");
	refresh(&m, 0, NULL, 0, false);
	assert_true(groups_find(m.groups, "/a/b") != id); /* another group */
	machine_fini(&m);
}

static void write_second(struct machine *m, unsigned step)
{
	tree_printf(&m->t, "second/web/memory.current", "%u\n", 4096 * (1 + step));
	tree_printf(&m->t, "second/web/memory.max", step ? "8192\n" : "max\n");
	tree_printf(&m->t, "second/web/pids.current", "%u\n", 7 + step);
	tree_printf(&m->t, "second/web/pids.max", "max\n");
	tree_printf(&m->t, "second/web/io.stat",
		    "8:0 rbytes=%u wbytes=10 rios=1 wios=2 dbytes=0 dios=0\n"
		    "253:1 rbytes=50 wbytes=%u rios=1 wios=1 dbytes=0 dios=0\n",
		    1000 * step, 10 + 300 * step);
	tree_printf(&m->t, "second/web/cpu.stat",
		    "usage_usec 5\nuser_usec 3\nsystem_usec 2\nnr_periods %u\nnr_throttled %u\n"
		    "throttled_usec 12\n",
		    10 + 10 * step, 1 + 4 * step);
	tree_printf(&m->t, "second/web/cpu.pressure",
		    "some avg10=1.00 avg60=0.00 avg300=0.00 total=%u\n"
		    "full avg10=1.00 avg60=0.00 avg300=0.00 total=777\n",
		    1000000 + 250000 * step);
	tree_printf(&m->t, "second/web/memory.pressure",
		    "some avg10=0.00 avg60=0.00 avg300=0.00 total=%u\n"
		    "full avg10=0.00 avg60=0.00 avg300=0.00 total=%u\n",
		    100000 * step, 50000 * step);
	tree_printf(&m->t, "second/web/io.pressure",
		    "some avg10=0.00 avg60=0.00 avg300=0.00 total=%u\n", 2000000 * step);
}

UNIT_TEST(files_of_version_2_are_read)
{
	const struct group_facts *f;
	struct machine m;
	uint32_t id;

	machine_init(&m);
	mount_second(&m);
	write_second(&m, 0);
	start(&m);
	id = groups_find(m.groups, "/web");
	refresh(&m, ALL_FILES, &id, 1, false);
	f = &groups_at(m.groups, id)->facts;
	assert_true(f->memory_bytes == 4096 && f->memory_max_bytes == -1);
	assert_true(f->pids == 7 && f->pids_max == -1);
	assert_true(isnan(f->read_rate) && isnan(f->throttled_percent)); /* no reading before it */
	write_second(&m, 1);
	refresh(&m, ALL_FILES, &id, 1, false);
	assert_true(f->memory_bytes == 8192 && f->memory_max_bytes == 8192 && f->pids == 8);
	unit_is_near(f->read_rate, 1000, 0.001);
	unit_is_near(f->write_rate, 300, 0.001);
	unit_is_near(f->throttled_percent, 40, 0.001);
	unit_is_near(f->pressure.cpu_some_percent, 25, 0.001);
	unit_is_near(f->pressure.memory_some_percent, 10, 0.001);
	unit_is_near(f->pressure.memory_full_percent, 5, 0.001);
	unit_is_near(f->pressure.io_some_percent, 100,
		     0.001); /* more than the time between two looks at the clock */
	assert_true(isnan(f->pressure.io_full_percent));
	refresh(&m, GROUP_FILE_MEMORY, &id, 1, false); /* another column less */
	assert_true(f->memory_bytes == 8192 && f->pids == -1 && isnan(f->read_rate));
	refresh(&m, ALL_FILES, NULL, 0, false); /* not on the screen */
	assert_int_equal(f->memory_bytes, -1);
	refresh(&m, ALL_FILES, &id, 1, false);
	assert_true(
		isnan(f->read_rate)); /* a difference from long ago would not be of the interval */
	machine_fini(&m);
}

UNIT_TEST(files_of_version_1_are_read)
{
	const struct group_facts *f;
	struct machine m;
	uint32_t id;

	machine_init(&m);
	tree_printf(&m.t, "mounts",
		    "cgroup %s/mem cgroup rw,memory 0 0\ncgroup %s/pids cgroup rw,pids 0 0\n"
		    "cgroup %s/cpu cgroup rw,cpu,cpuacct 0 0\ncgroup %s/blk cgroup rw,blkio 0 0\n",
		    m.t.root, m.t.root, m.t.root, m.t.root);
	for (unsigned step = 0; step < 2; step++) {
		tree_printf(&m.t, "mem/docker/a/memory.usage_in_bytes", "123\n");
		tree_printf(&m.t, "mem/docker/a/memory.limit_in_bytes", "9223372036854771712\n");
		tree_printf(&m.t, "pids/docker/a/pids.current", "3\n");
		tree_printf(&m.t, "cpu/docker/a/cpu.stat",
			    "nr_periods %u\nnr_throttled %u\nthrottled_time 5\n", 4 * step,
			    3 * step);
		tree_printf(&m.t, "blk/docker/a/blkio.throttle.io_service_bytes_recursive",
			    "8:0 Read %u\n8:0 Write 0\n8:0 Sync 5\n8:16 Read 1\nTotal 99\n",
			    500 * step);
		if (!m.groups)
			start(&m);
		id = groups_find(m.groups, "/docker/a");
		refresh(&m, ALL_FILES, &id, 1, false);
	}
	f = &groups_at(m.groups, id)->facts;
	assert_true(f->memory_bytes == 123 && f->memory_max_bytes == -1 && f->pids == 3);
	unit_is_near(f->throttled_percent, 75, 0.001);
	unit_is_near(f->read_rate, 500, 0.001);
	unit_is_near(f->write_rate, 0, 0.001);
	assert_true(isnan(f->pressure.cpu_some_percent));
	assert_false(groups_at(m.groups, id)->gone);
	machine_fini(&m);
}

UNIT_TEST(a_name_space_does_not_lead_out)
{
	struct machine m;
	uint32_t id;

	machine_init(&m);
	mount_second(&m);
	tree_printf(&m.t, "secret/memory.current", "5\n");
	start(&m);
	id = groups_find(m.groups, "/../secret");
	refresh(&m, ALL_FILES, &id, 1, false);
	assert_int_equal(groups_at(m.groups, id)->facts.memory_bytes, -1);
	machine_fini(&m);
}

UNIT_TEST(containers_get_their_names)
{
#define ID "4f1c2a90b3de5c7788990011223344556677889900aabbccddeeff0011223344"
	struct machine m;
	uint32_t id;

	machine_init(&m);
	mount_second(&m);
	tree_printf(&m.t, "second/docker/" ID "/cgroup.procs", "\n");
	start(&m);
	id = groups_find(m.groups, "/docker/" ID);
	assert_string_equal(groups_at(m.groups, id)->name, "4f1c2a90b3de");
	refresh(&m, 0, NULL, 0, false);
	assert_string_equal(groups_at(m.groups, id)->name, "4f1c2a90b3de");
	tree_printf(&m.t, "var/lib/docker/containers/" ID "/config.v2.json", "{\"Name\":\"/web\"}");
	refresh(&m, 0, NULL, 0, false); /* the file may come later */
	assert_string_equal(groups_at(m.groups, id)->name, "web");
	assert_int_equal(groups_at(m.groups, id)->kind, GROUP_CONTAINER);
	machine_fini(&m);
}

/* Each look at the clock takes a millisecond here, so few groups come at once, and all come in the end. */
UNIT_TEST(work_that_nobody_waits_for_is_bounded)
{
	struct machine m;
	uint64_t before;
	char name[64];
	unsigned refreshes = 0;

	machine_init(&m);
	mount_second(&m);
	for (int i = 0; i < 60; i++) {
		snprintf(name, sizeof(name), "second/g%d/h/memory.current", i);
		tree_printf(&m.t, name, "%d\n", i);
	}
	start(&m);
	m.time.step_ns = NS_PER_S / 1000;
	for (; groups_count(m.groups) < 121 && refreshes < 1000; refreshes++) {
		before = m.time.now_ns;
		refresh(&m, GROUP_FILE_MEMORY, NULL, 0, true);
		assert_true(m.time.now_ns - before - NS_PER_S < 25 * (NS_PER_S / 1000));
	}
	assert_true(refreshes > 3 && refreshes < 1000);
	for (int i = 0; i < 1000; i++)
		refresh(&m, GROUP_FILE_MEMORY, NULL, 0, true);
	for (int i = 0; i < 60; i++) {
		snprintf(name, sizeof(name), "/g%d/h", i);
		assert_int_equal(find(&m, name)->facts.memory_bytes, i);
	}
	machine_fini(&m);
}

#define GROUPS_WALKED 1000

static void tell_descendants(struct machine *m, unsigned count)
{
	tree_printf(&m->t, "second/cgroup.stat", "nr_descendants %u\nnr_dying_descendants 0\n",
		    count);
}

/* GROUPS_WALKED groups that are all known; each look at the clock takes a millisecond. */
static void start_walked(struct machine *m, unsigned descendants)
{
	char name[64];

	machine_init(m);
	mount_second(m);
	if (descendants)
		tell_descendants(m, descendants);
	for (int i = 0; i < GROUPS_WALKED; i++) {
		snprintf(name, sizeof(name), "second/g%d/memory.current", i);
		tree_printf(&m->t, name, "%d\n", i);
	}
	start(m);
	for (int i = 0; i < 4; i++)
		refresh(m, 0, NULL, 0, false);
	assert_int_equal(groups_count(m->groups), GROUPS_WALKED + 1);
	m->time.step_ns = NS_PER_S / 1000;
}

/* How many of WALK_SECONDS ptop spent on groups; each refresh takes four looks at the clock anyway. */
#define WALK_SECONDS 2000
#define REFRESH_NS (NS_PER_S + 4 * (NS_PER_S / 1000))
static double walked_share(unsigned descendants)
{
	struct machine m;
	uint64_t from_ns;

	start_walked(&m, descendants);
	from_ns = m.time.now_ns;
	for (int i = 0; i < WALK_SECONDS; i++)
		refresh(&m, 0, NULL, 0, false);
	from_ns = m.time.now_ns - from_ns - WALK_SECONDS * REFRESH_NS;
	machine_fini(&m);
	return (double)from_ns / NS_PER_S;
}

UNIT_TEST(a_root_that_tells_spares_walks)
{
	assert_true(walked_share(GROUPS_WALKED) < walked_share(0) * 0.6);
}

/* Far from the next walk over known groups, a new one is found as soon as the root tells. */
UNIT_TEST(a_root_that_tells_of_another_starts_a_walk)
{
	struct machine m;
	int refreshes = 0;

	start_walked(&m, GROUPS_WALKED);
	for (int i = 0; i < 20; i++)
		refresh(&m, 0, NULL, 0, false);
	tree_printf(&m.t, "second/g999/below/memory.current", "7\n");
	tell_descendants(&m, GROUPS_WALKED + 1);
	m.time.step_ns = 0;
	for (; !find(&m, "/g999/below") && refreshes < 100; refreshes++)
		refresh(&m, 0, NULL, 0, false);
	assert_true(refreshes < 4);
	machine_fini(&m);
}

/* Groups that nobody sees are read first where a process ran or something grew. */
UNIT_TEST(quiet_groups_are_read_seldom)
{
	struct machine m;
	unsigned reads[2] = { 0 };
	uint64_t seen[2];

	start_walked(&m, GROUPS_WALKED);
	m.time.step_ns = 0;
	for (int i = 0; i < 3; i++)
		refresh(&m, GROUP_FILE_MEMORY, NULL, 0, true);
	m.time.step_ns = NS_PER_S / 1000;
	for (int i = 0; i < 400; i++) {
		struct group_entry *e[2] = { find(&m, "/g3"), find(&m, "/g500") };

		groups_use(m.groups, e[0], true);
		for (int of = 0; of < 2; of++)
			seen[of] = e[of]->read;
		refresh(&m, GROUP_FILE_MEMORY, NULL, 0, true);
		for (int of = 0; of < 2; of++)
			reads[of] += e[of]->read != seen[of];
	}
	assert_true(reads[0] >= 3 && reads[1] < 3);
	machine_fini(&m);
}

/* Those in which something happens may need all of the time, and yet the others are read. */
UNIT_TEST(busy_groups_do_not_take_all_of_the_time)
{
	struct machine m;
	struct group_entry *quiet;
	uint64_t seen;
	int refreshes = 0;

	start_walked(&m, GROUPS_WALKED);
	m.time.step_ns = 0;
	for (int i = 0; i < 3; i++)
		refresh(&m, GROUP_FILE_MEMORY, NULL, 0, true);
	quiet = find(&m, "/g500");
	seen = quiet->read;
	m.time.step_ns = NS_PER_S / 1000;
	for (; quiet->read == seen && refreshes < 1000; refreshes++) {
		for (uint32_t id = 1; id <= GROUPS_WALKED; id++) {
			if (id % 100)
				groups_at(m.groups, id)->changed = id != quiet->id;
		}
		refresh(&m, GROUP_FILE_MEMORY, NULL, 0, true);
	}
	assert_int_not_equal(quiet->read, seen);
	machine_fini(&m);
}

/* Where no number tells of it, another group may have come in place of one that went. */
UNIT_TEST(who_comes_in_place_of_another_is_found)
{
	struct machine m;

	start_walked(&m, GROUPS_WALKED);
	m.time.step_ns = 0;
	tree_remove(&m.t, "second/g7");
	tree_printf(&m.t, "second/fresh/memory.current", "1\n");
	for (int i = 0; i < 8 && !find(&m, "/fresh"); i++)
		refresh(&m, 0, NULL, 0, false);
	assert_non_null(find(&m, "/fresh"));
	machine_fini(&m);
}

/* Figures of other files are there soon. */
UNIT_TEST(other_files_are_read_soon)
{
	struct machine m;

	start_walked(&m, GROUPS_WALKED);
	tree_printf(&m.t, "second/g500/pids.current", "3\n");
	m.time.step_ns = 0;
	for (int i = 0; i < 3; i++)
		refresh(&m, GROUP_FILE_MEMORY, NULL, 0, true);
	m.time.step_ns = NS_PER_S / 1000;
	for (int i = 0; i < 1500 && find(&m, "/g500")->facts.pids != 3; i++)
		refresh(&m, GROUP_FILE_MEMORY | GROUP_FILE_PIDS, NULL, 0, true);
	assert_int_equal(find(&m, "/g500")->facts.pids, 3);
	machine_fini(&m);
}

#define MEMORY_BYTES ((uint64_t)4 << 20)

static size_t groups_most(void)
{
	return account_most(MEMORY_BYTES, ACCOUNT_GROUPS);
}

static size_t user_most(void)
{
	return account_user(MEMORY_BYTES, ACCOUNT_GROUPS);
}

/* Directories g0, g1, …, COUNT of them, as a user makes them. */
static void make_groups(struct machine *m, const char *above, unsigned count)
{
	char path[64];

	for (unsigned i = 0; i < count; i++) {
		snprintf(path, sizeof(path), "second/%s%u/memory.current", above, i);
		tree_printf(&m->t, path, "1\n");
	}
}

static void start_small(struct machine *m)
{
	machine_init(m);
	m->memory_bytes = MEMORY_BYTES;
	mount_second(m);
}

UNIT_TEST(too_many_groups_are_refused)
{
	struct machine m;
	char path[32];
	unsigned count = 0;
	uint64_t changes;

	machine_init(&m);
	m.memory_bytes = MEMORY_BYTES;
	start(&m);
	do
		snprintf(path, sizeof(path), "/%u", count++);
	while (groups_find(m.groups, path) && count < 10000);
	assert_true(count > 100 && count < 10000);
	assert_int_equal(groups_refused(m.groups), 1);
	assert_true(groups_bytes(m.groups) <= user_most());
	changes = groups_changes(m.groups);
	assert_int_equal(groups_find(m.groups, "/one/more"), 0);
	assert_true(groups_refused(m.groups) > 1);
	assert_int_equal(groups_changes(m.groups),
			 changes); /* else who lists them does so at each refresh */
	assert_true(groups_find(m.groups, "/5"));
	machine_fini(&m);
}

UNIT_TEST(what_goes_is_not_paid_for)
{
	struct machine m;
	size_t alone, named;

	start_small(&m);
	start(&m);
	alone = groups_bytes(m.groups);
	make_groups(&m, "g", 20);
	refresh(&m, 0, NULL, 0, false);
	named = groups_bytes(m.groups);
	assert_true(named > alone);
	refresh(&m, GROUP_FILE_MEMORY, NULL, 0, true);
	refresh(&m, GROUP_FILE_MEMORY, NULL, 0, true);
	assert_true(groups_bytes(m.groups) >= named + 20 * sizeof(struct group_reading));
	refresh(&m, 0, NULL, 0, false);
	assert_int_equal(groups_bytes(m.groups), named);
	tree_remove(&m.t, "second");
	for (int i = 0; i < 3; i++)
		refresh(&m, 0, NULL, 0, false);
	assert_int_equal(groups_bytes(m.groups), alone);
	machine_fini(&m);
}

/* The walk has filled the part; a process is in a group that came later. */
UNIT_TEST(a_group_of_a_process_gets_room)
{
	struct machine m;
	uint32_t id, used;

	start_small(&m);
	start(&m);
	used = groups_find(m.groups, "/used");
	make_groups(&m, "g", 600);
	for (int i = 0; i < 3; i++) {
		groups_use(m.groups, groups_at(m.groups, used), true);
		refresh(&m, 0, NULL, 0, false);
	}
	assert_true(groups_bytes(m.groups) <= user_most());
	assert_true(groups_count(m.groups) < 600 && groups_refused(m.groups));
	groups_use(m.groups, groups_at(m.groups, used), true);
	assert_int_equal(groups_find(m.groups, "/late/by/a/process"), 0);
	refresh(&m, 0, NULL, 0, false);
	id = groups_find(m.groups, "/late/by/a/process");
	assert_true(id && groups_find(m.groups, "/late/by/a/process") == id);
	assert_int_equal(groups_find(m.groups, "/used"), used);
	machine_fini(&m);
}

static void give_to(struct machine *m, const char *path, uid_t uid)
{
	char whole[512];

	snprintf(whole, sizeof(whole), "%s/%s", m->t.root, path);
	assert_int_equal(chown(whole, uid, (gid_t)-1), 0);
}

UNIT_TEST(a_user_has_no_more_than_his_part)
{
	struct machine m;
	char path[64];

	if (geteuid())
		skip();
	start_small(&m);
	make_groups(&m, "g", 600);
	for (unsigned i = 0; i < 600; i++) {
		snprintf(path, sizeof(path), "second/g%u", i);
		give_to(&m, path, 4711);
	}
	start(&m);
	refresh(&m, 0, NULL, 0, false);
	assert_true(groups_count(m.groups) < 600);
	assert_int_equal(groups_refused(m.groups), 0);
	make_groups(&m, "other", 5);
	refresh(&m, 0, NULL, 0, false);
	assert_int_equal(groups_refused(m.groups) + groups_count(m.groups), 601 + 5);
	for (unsigned i = 0; i < 5; i++) {
		snprintf(path, sizeof(path), "/other%u", i);
		assert_true(find(&m, path)->uid != 4711);
	}
	assert_true(groups_bytes(m.groups) <= groups_most());
	machine_fini(&m);
}

UNIT_TEST(the_longest_unused_go_first)
{
	struct machine m;
	uint32_t id;
	size_t had;

	start_small(&m);
	tree_printf(&m.t, "second/above/below/cgroup.procs", "\n");
	make_groups(&m, "g", 40);
	start(&m);
	refresh(&m, 0, NULL, 0, false);
	id = groups_find(m.groups, "/above/below");
	groups_use(m.groups, groups_at(m.groups, id), true);
	had = groups_bytes(m.groups);
	refresh(&m, 0, NULL, 0, false);
	groups_use(m.groups, groups_at(m.groups, id), true);
	groups_shed(m.groups, had / 2);
	assert_true(groups_bytes(m.groups) <= had / 2);
	assert_true(groups_count(m.groups) < 30);
	assert_int_equal(groups_find(m.groups, "/above/below"), id);
	groups_shed(m.groups, 0);
	assert_int_equal(groups_count(m.groups), 1);
	assert_null(groups_at(m.groups, id));
	for (int i = 0; i < 100; i++) /* as there is room, but not at once */
		refresh(&m, 0, NULL, 0, false);
	assert_int_equal(groups_count(m.groups), 43);
	assert_int_equal(groups_bytes(m.groups), had);
	machine_fini(&m);
}

/* Every beginning of each text, in memory of exactly that size. */
UNIT_TEST(texts_may_end_anywhere)
{
	static const char text[] =
		"8:0 rbytes=1 wbytes=99999999999999999999 rios=1\n8:0 Read 5\n"
		"some avg10=0.00 total=5\nfull total=6\nnr_periods 5\nnr_throttled 1\n";
	int64_t values[GROUP_VALUES];

	for (size_t size = 0; size < sizeof(text); size++) {
		char *copy = malloc(size ? size : 1);

		memcpy(copy, text, size);
		group_number_parse(copy, size, GROUP_MEMORY, values);
		group_io_parse(copy, size, GROUP_READ, values);
		group_blkio_parse(copy, size, GROUP_READ, values);
		group_cpu_parse(copy, size, GROUP_PERIODS, values);
		group_pressure_parse(copy, size, GROUP_IO_SOME, values);
		free(copy);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_walk_finds_all_groups),
		cmocka_unit_test(a_root_that_tells_spares_walks),
		cmocka_unit_test(a_root_that_tells_of_another_starts_a_walk),
		cmocka_unit_test(quiet_groups_are_read_seldom),
		cmocka_unit_test(busy_groups_do_not_take_all_of_the_time),
		cmocka_unit_test(who_comes_in_place_of_another_is_found),
		cmocka_unit_test(other_files_are_read_soon),
		cmocka_unit_test(a_path_makes_those_above),
		cmocka_unit_test(a_group_is_found_where_it_was_or_elsewhere),
		cmocka_unit_test(what_is_gone_stays_while_somebody_uses_it),
		cmocka_unit_test(files_of_version_2_are_read),
		cmocka_unit_test(files_of_version_1_are_read),
		cmocka_unit_test(a_name_space_does_not_lead_out),
		cmocka_unit_test(containers_get_their_names),
		cmocka_unit_test(work_that_nobody_waits_for_is_bounded),
		cmocka_unit_test(too_many_groups_are_refused),
		cmocka_unit_test(what_goes_is_not_paid_for),
		cmocka_unit_test(a_group_of_a_process_gets_room),
		cmocka_unit_test(a_user_has_no_more_than_his_part),
		cmocka_unit_test(the_longest_unused_go_first),
		cmocka_unit_test(texts_may_end_anywhere),
	};

	return unit_run(tests);
}
