/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the processes of each control group counted, and which samples are theirs. */
#include "unit.h"

#include <math.h>

#include "engine/rig.h"
#include "proc/tree.h"

#define MS 1000000u

struct bench {
	struct rig rig;
	struct tree t;
};

static void start(struct bench *b, unsigned extras)
{
	tree_init(&b->t);
	rig_init(&b->rig, "cpu-clock,page-faults", TIER_CPU_GROUP);
	b->rig.options.proc_root = b->t.root;
	b->rig.options.extras = extras;
	b->rig.options.addresses = true;
	tree_printf(&b->t, "mounts", "cgroup2 %s/tree cgroup2 rw 0 0\n", b->t.root);
	tree_printf(&b->t, "tree/db/empty/cgroup.procs", "\n");
	tree_printf(&b->t, "tree/web/memory.current", "4096\n");
	for (uint32_t pid = 50; pid <= 70; pid += 10) {
		char name[32];

		tree_task(&b->t, &(struct tree_task){ .pid = pid });
		snprintf(name, sizeof(name), "%u/cgroup", pid);
		if (pid < 70)
			tree_printf(&b->t, name, "0::%s\n", pid == 50 ? "/web" : "/db/x");
	}
	rig_open(&b->rig);
}

static void end(struct bench *b)
{
	rig_fini(&b->rig);
	tree_fini(&b->t);
}

static const struct snapshot_group *group_of(const struct snapshot *s, const char *path)
{
	for (size_t i = 0; i < s->group_count; i++) {
		if (!strcmp(s->groups[i].path, path))
			return &s->groups[i];
	}
	return NULL;
}

static void sample(struct bench *b, uint32_t pid, uint64_t clock, uint64_t faults)
{
	static const uint64_t step_ns = MS;

	b->rig.now_ns += step_ns;
	rig_receive(&b->rig, rig_with_totals(rig_hot_sample(pid, 0, b->rig.now_ns), clock, faults));
}

static double samples_of(const struct snapshot *s, uint32_t group)
{
	double sum = 0;

	for (size_t i = 0; i < s->cell_count; i++)
		sum += s->cells[i].group == group ? s->cells[i].samples : 0;
	return sum;
}

UNIT_TEST(groups_add_up_to_the_machine)
{
	const struct snapshot *s;
	struct bench b;
	double sum = 0;

	start(&b, EXTRA_GROUPS | EXTRA_GROUP_MEMORY);
	sample(&b, 50, 1000, 100);
	sample(&b, 60, 1100, 110);
	sample(&b, 70, 1200, 120);
	rig_snapshot(&b.rig);
	rig_receive(&b.rig, fake_fork(61, 61, 60, b.rig.now_ns + 1));
	sample(&b, 50, 1270, 127);
	sample(&b, 60, 1300, 130);
	sample(&b, 61, 1340, 134); /* a child that is over before anybody could read its group */
	rig_receive(&b.rig, fake_exit(61, 61, b.rig.now_ns + 1));
	sample(&b, 70, 1345, 135);
	s = rig_snapshot(&b.rig); /* no invariant is broken */
	assert_true(group_of(s, "/web")->counters[0] == 70 &&
		    group_of(s, "/web")->counters[1] == 7);
	assert_true(group_of(s, "/db/x")->counters[0] == 70);
	assert_true(group_of(s, "")->counters[0] == 5); /* nobody knows its group */
	assert_int_equal(group_of(s, "")->kind, GROUP_UNKNOWN);
	assert_true(isnan(group_of(s, "/db/empty")->counters[0]));
	assert_int_equal(group_of(s, "/db/x")->processes, 1);
	assert_string_equal(s->groups[group_of(s, "/db/x")->parent].path, "/db");
	for (size_t i = 0; i < s->group_count; i++)
		sum += isnan(s->groups[i].counters[0]) ? 0 : s->groups[i].counters[0];
	assert_true(sum == rig_event_value(&b.rig, 0));
	assert_true(samples_of(s, group_of(s, "/web")->id) == 1);
	assert_true(samples_of(s, group_of(s, "/db/x")->id) == 2);
	s = rig_snapshot(&b.rig);
	s = rig_snapshot(
		&b.rig); /* the child has no row any more, but its samples have their group */
	assert_true(samples_of(s, group_of(s, "/db/x")->id) == 2);
	end(&b);
}

UNIT_TEST(files_are_read_where_they_are_asked_for)
{
	const struct snapshot *s;
	struct bench b;
	uint32_t id;

	start(&b, EXTRA_GROUPS | EXTRA_GROUP_MEMORY);
	sample(&b, 50, 1000, 100);
	s = rig_snapshot(&b.rig);
	assert_int_equal(group_of(s, "/web")->facts->memory_bytes, -1);
	id = group_of(s, "/web")->id;
	engine_set_groups(b.rig.engine, &id, 1, false);
	s = rig_snapshot(&b.rig);
	assert_int_equal(group_of(s, "/web")->facts->memory_bytes, 4096);
	assert_int_equal(group_of(s, "/web")->id, id);
	engine_set_groups(b.rig.engine, NULL, 0, true);
	b.rig.now_ns += 10 * NS_PER_S;
	s = rig_snapshot(&b.rig);
	assert_int_equal(group_of(s, "/web")->facts->memory_bytes, 4096);
	end(&b);
}

/* The texts of groups are most of a snapshot of thousands: they are shared until another group comes or goes. */
UNIT_TEST(snapshots_share_the_list_of_groups)
{
	const struct snapshot *s;
	struct group_list *list;
	struct bench b;

	start(&b, EXTRA_GROUPS);
	tree_printf(&b.t, "tree/db/x/cgroup.procs", "\n");
	sample(&b, 50, 1000, 100);
	for (int i = 0; i < 10; i++) { /* the walk finds all */
		b.rig.now_ns += 10 * NS_PER_S;
		rig_snapshot(&b.rig);
	}
	list = group_list_get(b.rig.snapshot->group_list);
	s = rig_snapshot(&b.rig);
	assert_ptr_equal(s->group_list, list);
	assert_ptr_equal(group_of(s, "/web")->path,
			 list->items[group_of(s, "/web") - s->groups].path);
	tree_task(&b.t, &(struct tree_task){ .pid = 51 });
	tree_printf(&b.t, "51/cgroup", "0::/new\n");
	sample(&b, 51, 1010, 101);
	s = rig_snapshot(&b.rig);
	assert_ptr_not_equal(s->group_list, list);
	assert_non_null(group_of(s, "/new"));
	assert_int_equal(group_of(s, "/new")->processes, 1);
	for (size_t i = 0; i < list->count; i++)
		assert_true(strcmp(list->items[i].path, "/new") != 0);
	group_list_put(list);
	for (int i = 0; i < 3; i++) { /* the walk finds that it has no directory */
		b.rig.now_ns += 10 * NS_PER_S;
		rig_snapshot(&b.rig);
	}
	list = group_list_get(b.rig.snapshot->group_list);
	assert_true(group_of(b.rig.snapshot, "/new")->gone);
	b.rig.now_ns += 10 * NS_PER_S;
	s = rig_snapshot(&b.rig);
	assert_ptr_equal(s->group_list, list); /* its process keeps it, and the list */
	group_list_put(list);
	end(&b);
}

UNIT_TEST(nobody_looks_at_groups)
{
	const struct snapshot *s;
	struct bench b;

	start(&b, 0);
	sample(&b, 50, 1000, 100);
	s = rig_snapshot(&b.rig);
	assert_int_equal(s->group_count, 0);
	assert_int_equal(s->cells[0].group, 0);
	assert_int_equal(rig_row(&b.rig, 50, 0)->group, 0);
	engine_set_extras(b.rig.engine, EXTRA_GROUPS);
	sample(&b, 50, 1010, 101);
	s = rig_snapshot(&b.rig);
	assert_int_equal(rig_row(&b.rig, 50, 0)->group, group_of(s, "/web")->id);
	/* It moves.  The file is read again when it ran, and that was two seconds ago. */
	tree_printf(&b.t, "50/cgroup", "0::/db/y\n");
	b.rig.now_ns += 3 * NS_PER_S;
	sample(&b, 50, 1020, 102);
	s = rig_snapshot(&b.rig);
	assert_int_equal(rig_row(&b.rig, 50, 0)->group, group_of(s, "/db/y")->id);
	assert_int_equal(group_of(s, "/web")->processes, 0);
	end(&b);
}

/* A view that Enter on a group leads to shows the instructions that were sampled there. */
UNIT_TEST(addresses_have_the_group_of_their_process)
{
	const struct engine_look hottest = { .hottest = true };
	const struct snapshot *s;
	struct bench b;

	start(&b, EXTRA_GROUPS);
	for (uint32_t pid = 50; pid <= 60; pid += 10)
		rig_receive(&b.rig, rig_mmap_self(pid, b.rig.now_ns));
	sample(&b, 50, 1000, 100);
	sample(&b, 60, 1100, 110);
	engine_look(b.rig.engine, &hottest);
	s = rig_snapshot(&b.rig);
	assert_int_equal(s->function.address_count, 2);
	for (size_t i = 0; i < 2; i++) {
		const struct snapshot_cell *c = &s->function.addresses[i].cell;

		assert_true(c->pid == 50 || c->pid == 60);
		assert_int_equal(c->group, group_of(s, c->pid == 50 ? "/web" : "/db/x")->id);
	}
	end(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(groups_add_up_to_the_machine),
		cmocka_unit_test(files_are_read_where_they_are_asked_for),
		cmocka_unit_test(snapshots_share_the_list_of_groups),
		cmocka_unit_test(nobody_looks_at_groups),
		cmocka_unit_test(addresses_have_the_group_of_their_process),
	};

	return unit_run(tests);
}
