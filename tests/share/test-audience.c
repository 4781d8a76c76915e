/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unit.h"

#include <locale.h>
#include <math.h>

#include "base/alloc.h"
#include "profile/sample-snapshot.h"
#include "share/audience.h"
#include "share/block.h"
#include "share/layout.h"
#include "view/kind.h"
#include "view/view.h"
#include "view/widget/grid.h"

#define ME 1001u           /* two processes of the sample are this user's */
#define GROUP 100u         /* of all users */
#define MARK 0x1.5ec7e7p30 /* in no member of the sample */
#define MARK_TEXT "a text of others"

enum { ROWS = 40, COLUMNS = 160, ROOMY = 64 << 20 };

static uint64_t owner_of_user(uint32_t uid)
{
	return uid == UINT32_MAX ? OWNER_NOBODY : owner_make(uid, GROUP);
}

static uint64_t owner_of(const struct snapshot *s, uint32_t serial)
{
	for (size_t i = 0; i < s->process_count; i++) {
		if (s->processes[i].serial == serial && !s->processes[i].tid)
			return s->processes[i].owner;
	}
	return OWNER_NOBODY;
}

static struct snapshot *sample(bool stacks)
{
	struct snapshot *s = stacks ? sample_snapshot_stacks(true) : sample_snapshot_threads(true);

	sample_cpus(s, 8, 2);
	sample_groups(s, 20);
	for (size_t i = 0; i < s->process_count; i++)
		s->processes[i].owner = owner_of_user(s->processes[i].uid);
	for (size_t i = 0; i < s->cell_count; i++)
		s->cells[i].owner = owner_of(s, s->cells[i].process);
	return s;
}

static struct snapshot *shown_to(const struct snapshot *s, uint32_t uid, bool hidden)
{
	const struct audience a = { owner_of_user(uid), hidden };

	return audience_snapshot(&a, s);
}

static struct buf block_of(const struct snapshot *s)
{
	struct buf block = { 0 };

	assert_int_equal(block_write(s, ROOMY, &block), 0);
	return block;
}

static bool has(const struct buf *block, const void *bytes, size_t size)
{
	return memmem(block->bytes, block->size, bytes, size) != NULL;
}

/* As the text stands in a block: no other text ends so. */
static bool has_text(const struct buf *block, const char *text)
{
	char *bytes = mem_printf("%c%s", '\0', text);
	bool found = has(block, bytes, strlen(text) + 2);

	free(bytes);
	return found;
}

static bool has_mark(const struct buf *block)
{
	const double number = MARK;

	return has(block, &number, sizeof(number)) || has_text(block, MARK_TEXT);
}

/* Member F of ROW gets a value that nothing else has.  Returns false if it is too small for one. */
static bool mark(const struct field *f, void *row)
{
	const char *text = MARK_TEXT;
	const double number = MARK;
	char *at = (char *)row + f->offset;

	if (f->kind == FIELD_TEXT || f->kind == FIELD_OPTIONAL)
		memcpy(at, &text, sizeof(text));
	else if (f->size >= sizeof(number))
		memcpy(at, &number, sizeof(number));
	else
		return false;
	return true;
}

static bool block_has_mark(const struct snapshot *s, uint32_t uid)
{
	struct snapshot *shown = shown_to(s, uid, false);
	struct buf block = block_of(shown);
	bool found = has_mark(&block);

	snapshot_free(shown);
	buf_fini(&block);
	return found;
}

static struct snapshot_process *process_of(struct snapshot *s, bool mine)
{
	for (size_t i = 0; i < s->process_count; i++) {
		if (!s->processes[i].tid &&
		    (s->processes[i].owner == owner_make(ME, GROUP)) == mine)
			return &s->processes[i];
	}
	return NULL;
}

/* Member by member: in my process it is published, in that of another only if the layout says so. */
UNIT_TEST(members_of_others_are_those_of_the_table)
{
	const struct fields *f = &layout_parts[PART_PROCESSES];
	size_t tried = 0;

	for (size_t i = 0; i < f->count; i++) {
		for (int mine = 0; mine < 2; mine++) {
			struct snapshot *s = sample(false);

			assert_false(block_has_mark(s, ME));
			if (mark(&f->items[i], process_of(s, mine))) {
				bool seen = mine || f->items[i].seen == SEEN_BY_ALL;

				if (block_has_mark(s, ME) != seen)
					fail_msg("%s, mine %d", f->items[i].name, mine);
				tried++;
			}
			snapshot_free(s);
		}
	}
	assert_true(tried > 40);
}

/* What lies behind rows has no member in the table. */
UNIT_TEST(counters_of_others_and_of_the_machine_are_not_published)
{
	struct snapshot *s = sample(false);
	size_t me = (size_t)(process_of(s, true) - s->processes);
	size_t other = (size_t)(process_of(s, false) - s->processes);

	snapshot_values(s, other)[0] = MARK;
	((double *)s->cpus[0].counters)[0] = ((double *)s->cpus[0].samples)[0] = MARK;
	for (size_t i = 0; i < s->group_count; i++)
		snapshot_group_values(s, i)[0] = MARK;
	s->events[0].value = s->events[0].idle = s->events[0].unattributed = MARK;
	s->target.cgroup = MARK_TEXT;
	assert_false(block_has_mark(s, ME));
	snapshot_values(s, me)[0] = MARK;
	assert_true(block_has_mark(s, ME));
	snapshot_free(s);
}

/* Names of the functions that cells of ME (or of all others) are in, and of their callers. */
static void note_frames(const struct snapshot *s, bool mine, unsigned char *frames)
{
	for (size_t i = 0; i < s->cell_count; i++) {
		uint32_t node = s->cells[i].node;

		if ((s->cells[i].owner == owner_make(ME, GROUP)) != mine)
			continue;
		frames[s->cells[i].frame] = 1;
		while (s->node_count && node != CALL_ROOT) {
			frames[s->nodes[node].frame] = 1;
			node = s->nodes[node].parent;
		}
	}
}

/* Returns true if a function of FRAMES is called so: "_start" is one in each program. */
static bool is_name_of(const struct snapshot *s, const unsigned char *frames, const char *name)
{
	for (uint32_t i = 0; i < frame_table_count(s->frames); i++) {
		if (frames[i] && !strcmp(frame_raw_symbol(s->frames, i), name))
			return true;
	}
	return false;
}

UNIT_TEST(functions_of_others_are_not_published)
{
	struct snapshot *s = sample(true), *shown = shown_to(s, ME, false);
	size_t count = frame_table_count(s->frames), mine = 0, other = 0;
	unsigned char *own = mem_array(count, 1), *others = mem_array(count, 1);
	struct buf block = block_of(shown);

	note_frames(s, true, own);
	note_frames(s, false, others);
	for (uint32_t i = FRAME_REST + 1; i < count; i++) {
		const char *name = frame_raw_symbol(s->frames, i);

		if (*name == '[') /* "[unknown]" is many frames */
			continue;
		if ((own[i] || others[i]) && has_text(&block, name) != is_name_of(s, own, name))
			fail_msg("%s, own %d", name, own[i]);
		mine += own[i];
		other += others[i] && !own[i];
	}
	assert_true(mine > 3 && other > 10);
	assert_true(has_text(&block, "[not yours]"));
	assert_true(has_text(&block, "/usr/lib/gcc/x86_64-linux-gnu/12/cc1plus"));
	assert_false(has_text(&block, "/usr/lib/postgresql/15/bin/postgres"));
	mem_free(own, others);
	buf_fini(&block);
	snapshot_free(shown);
	snapshot_free(s);
}

static double sum_of(const struct snapshot *s, size_t event, bool periods)
{
	double sum = 0;

	for (size_t i = 0; i < s->cell_count; i++) {
		if (s->cells[i].event == event)
			sum += periods ? s->cells[i].period : s->cells[i].samples;
	}
	return sum;
}

/* All processes, and the threads of ME. */
static size_t rows_of(const struct snapshot *s)
{
	size_t count = 0;

	for (size_t i = 0; i < s->process_count; i++)
		count += !s->processes[i].tid || s->processes[i].owner == owner_make(ME, GROUP);
	return count;
}

UNIT_TEST(sums_are_those_of_the_machine)
{
	for (int stacks = 0; stacks < 2; stacks++) {
		struct snapshot *s = sample(stacks), *shown = shown_to(s, ME, false);

		assert_true(shown->cell_count < s->cell_count);
		for (size_t i = 0; i < s->event_count; i++) {
			unit_is_near(sum_of(shown, i, false), sum_of(s, i, false), 1e-6);
			unit_is_near(sum_of(shown, i, true), sum_of(s, i, true), 1e-3);
			assert_int_equal(shown->events[i].samples, s->events[i].samples);
		}
		assert_int_equal(shown->sampling.samples, s->sampling.samples);
		assert_int_equal(shown->process_count, rows_of(s));
		snapshot_free(shown);
		snapshot_free(s);
	}
}

/* Another user's viewer asked for it: what it costs others was not for ME to see before. */
UNIT_TEST(an_event_that_was_asked_for_has_nothing_of_others)
{
	for (int stacks = 0; stacks < 2; stacks++) {
		struct snapshot *s = sample(stacks), *shown;
		double own = 0;

		for (size_t i = 0; i < s->cell_count; i++)
			own += s->cells[i].event == 1 && s->cells[i].owner == owner_make(ME, GROUP)
				       ? s->cells[i].samples
				       : 0;
		s->events[1].asked = true;
		s->events[1].samples = 1000000;
		s->sampling.samples = 3000000;
		s->sampling.total_samples = s->sampling.read_samples = (uint64_t)4e9;
		for (size_t i = 0; i < s->past.count; i++)
			s->past.samples[i * s->event_count + 1] = MARK;
		shown = shown_to(s, ME, false);
		assert_true(shown->events[1].asked);
		assert_true(own > 0 && sum_of(s, 1, false) > own);
		unit_is_near(sum_of(shown, 1, false), own, 1e-6);
		assert_int_equal(shown->events[1].samples, (uint64_t)own);
		assert_int_equal(shown->sampling.samples, 2000000);
		assert_int_equal(shown->sampling.total_samples, 0);
		assert_int_equal(shown->sampling.read_samples, shown->sampling.settled_samples);
		unit_is_near(sum_of(shown, 0, false), sum_of(s, 0, false), 1e-6);
		assert_false(block_has_mark(s, ME));
		snapshot_free(shown);
		snapshot_free(s);
	}
}

UNIT_TEST(a_hidden_proc_hides_their_processes)
{
	struct snapshot *s = sample(false), *shown = shown_to(s, ME, true);
	size_t others = 0;

	for (size_t i = 0; i < s->process_count; i++)
		others += s->processes[i].owner != owner_make(ME, GROUP) && !s->processes[i].tid;
	assert_int_equal(shown->sampling.losses[LOSS_HIDDEN],
			 s->sampling.losses[LOSS_HIDDEN] + others);
	assert_true(shown->process_count > 1);
	for (size_t i = 0; i < shown->process_count; i++)
		assert_int_equal(shown->processes[i].uid, ME);
	unit_is_near(sum_of(shown, 0, false), sum_of(s, 0, false), 1e-6);
	snapshot_free(shown);
	snapshot_free(s);
}

/* A stack of wakers has those of others behind it, and a wait tells who ended it. */
UNIT_TEST(who_woke_a_thread_is_not_told)
{
	struct snapshot *s = sample(true), *shown;
	size_t own = 0, hidden = 0, errors = 0;

	s->events[0].id = EVENT_WAKERS;
	s->events[1].id = EVENT_SYSCALLS;
	for (size_t i = 0; i < s->cell_count; i++) {
		struct snapshot_cell *c = &s->cells[i];

		s->events[c->event].time = true;
		c->data = c->frame;
		own += c->owner == owner_make(ME, GROUP) && c->event != 0;
	}
	shown = shown_to(s, ME, false);
	for (size_t i = 0; i < shown->cell_count; i++) {
		const struct snapshot_cell *c = &shown->cells[i];

		hidden += c->frame == BLOCK_HIDDEN;
		own -= c->frame != BLOCK_HIDDEN;
		if (c->event == 1 && c->frame != BLOCK_HIDDEN)
			errors += c->data == c->frame;
		else
			assert_int_equal(c->data, 0);
		assert_true(c->event != 0 || c->frame == BLOCK_HIDDEN);
	}
	assert_int_equal(own, 0);
	assert_true(hidden > 0 && errors > 0);
	snapshot_free(shown);
	snapshot_free(s);
}

/* Nobody is the owner of what has none, and root's file is no one else's. */
UNIT_TEST(who_has_no_process_gets_no_function)
{
	struct snapshot *s = sample(true);
	const uint32_t strangers[] = { 4711, UINT32_MAX };

	for (size_t i = 0; i < 2; i++) {
		struct snapshot *shown = shown_to(s, strangers[i], false);

		for (size_t j = 0; j < shown->cell_count; j++)
			assert_int_equal(shown->cells[j].frame, BLOCK_HIDDEN);
		assert_int_equal(shown->object_count, 0);
		snapshot_free(shown);
	}
	snapshot_free(s);
}

/* People's names of containers are root's to know. */
UNIT_TEST(groups_are_those_of_own_processes_and_above)
{
	struct snapshot *s = sample(false), *shown;
	struct snapshot_process *p = process_of(s, true);
	size_t own = 0;

	for (size_t i = 0; i < s->group_count; i++)
		s->groups[i].name = MARK_TEXT;
	shown = shown_to(s, ME, false);
	assert_true(shown->group_count > 1 && shown->group_count < s->group_count);
	for (size_t i = 0; i < shown->group_count; i++) {
		const struct snapshot_group *g = &shown->groups[i];

		assert_true(g->parent < shown->group_count);
		own += !strcmp(g->name, MARK_TEXT);
		if (g->id == p->group && g->id)
			assert_string_equal(g->name, MARK_TEXT);
	}
	assert_true(own && own < shown->group_count);
	snapshot_free(shown);
	snapshot_free(s);
}

/* Returns what all views draw of S, which is taken over. */
static char *drawn(struct snapshot *s)
{
	struct error err = { "" };
	struct view_options options = { .threads = true };
	struct view *v = view_new(&options, &err);
	struct grid *g = grid_new(ROWS, COLUMNS);
	struct buf out = { 0 };

	assert_non_null(v);
	view_set_snapshot(v, s);
	for (const struct view_kind *k = view_kinds; k->name; k++) {
		view_show(v, k);
		view_draw(v, g);
		grid_dump(g, &out);
	}
	grid_free(g);
	view_free(v);
	return out.bytes;
}

UNIT_TEST(a_viewer_reads_and_draws_it)
{
	for (int i = 0; i < 4; i++) {
		struct block_reader *r = block_reader_new(NULL, 0);
		struct snapshot *s = sample(i & 1), *shown = shown_to(s, ME, i & 2), *read;
		struct buf block = block_of(shown);
		enum block_error why;
		char *text;

		read = block_read(r, block.bytes, block.size, &why); /* takes it over */
		assert_int_equal(why, BLOCK_GOOD);
		assert_int_equal(read->cell_count, shown->cell_count);
		assert_int_equal(read->violation_count, 0);
		text = drawn(read);
		assert_non_null(strstr(text, "[not yours]"));
		assert_non_null(strstr(text, "ggc_internal_alloc"));
		assert_null(strstr(text, "ExecInterpExpr"));
		assert_int_equal(strstr(text, "postgres") != NULL, !(i & 2));
		free(text);
		block_reader_free(r);
		snapshot_free(shown);
		snapshot_free(s);
	}
}

static void list_seen(struct buf *out, const char *name, const struct fields *f)
{
	buf_printf(out, "%s:", name);
	for (size_t i = 0; i < f->count; i++) {
		if (f->items[i].seen == SEEN_BY_ALL)
			buf_printf(out, " %s", f->items[i].name);
	}
	buf_add_char(out, '\n');
}

/* Who adds a member here says that /proc, or a file that everybody may read, shows it to every user. */
UNIT_TEST(others_see_this_and_no_more)
{
	static const char expected[] =
		"snapshot: version time_ns interval_s cells_s halvings iteration host.name"
		" host.kernel host.arch host.cpus host.uptime_s host.load host.tasks"
		" host.running host.cpu_percent host.user_percent host.system_percent"
		" host.idle_percent host.iowait_percent host.steal_percent host.pressure"
		" host.memory_total_bytes host.memory_used_bytes host.swap_total_bytes"
		" host.swap_used_bytes host.ticks_per_s host.read_s target.mode sampling.tier"
		" sampling.tier_reason sampling.notes sampling.frequency_hz sampling.period"
		" sampling.asked_hz sampling.waits_summed sampling.stack_period"
		" sampling.stack_threads sampling.sampled_counters"
		" sampling.calls_without_stacks sampling.call_threads sampling.call_part"
		" sampling.thinned_part sampling.thinned_users sampling.thinned_user"
		" sampling.budget_percent sampling.cost_percent sampling.over_budget"
		" sampling.samples sampling.lost sampling.throttled sampling.lost_sideband"
		" sampling.foreign_times sampling.total_samples sampling.total_lost"
		" sampling.total_lost_sideband sampling.read_samples sampling.settled_samples"
		" sampling.unresolved_percent sampling.unnamed_percent"
		" sampling.stacks_complete_percent sampling.python_percent"
		" sampling.python_bpf_percent sampling.own_cpu_percent sampling.loading"
		" sampling.hardware sampling.user_only sampling.losses sampling.account"
		" sampling.merged_cells sampling.merged_stacks past.kept past.from_ns"
		" past.to_ns past.began_ns past.now_ns past.realtime_ns past.merged\n"
		"pids:\n"
		"events: name id canonical exclude_user exclude_kernel unit sampled enabled"
		" samples running_percent error removed asked time frequency_hz period "
		"asked_period\n"
		"frames:\n"
		"nodes:\n"
		"processes: pid tid serial ppid uid user comm command kernel exited state"
		" cpu_percent threads priority nice virtual_bytes resident_bytes shared_bytes"
		" minor_faults major_faults voluntary_switches involuntary_switches delay_ns"
		" start_ticks cpu_time_s cgroup container\n"
		"cells:\n"
		"cpus: facts.number facts.online facts.place.core facts.place.llc"
		" facts.place.node facts.place.package facts.place.type facts.ghz"
		" facts.user_percent facts.system_percent facts.irq_percent"
		" facts.softirq_percent facts.steal_percent facts.iowait_percent"
		" facts.idle_percent\n"
		"groups: id parent path kind gone processes cpu_percent\n"
		"group facts: memory_bytes memory_max_bytes pids pids_max read_rate"
		" write_rate throttled_percent pressure\n"
		"objects:\n"
		"slices: from_ns to_ns\n"
		"stack ends:\n"
		"violations: name text count total\n"
		"function:\n"
		"addresses:\n"
		"code:\n"
		"instructions:\n"
		"lines:\n";
	static const char *const names[PARTS] = {
		"pids",       "events",   "frames",      "nodes",   "processes",    "cells",
		"cpus",       "groups",   "group facts", "objects", "slices",       "stack ends",
		"violations", "function", "addresses",   "code",    "instructions", "lines",
	};
	struct buf out = { 0 };

	list_seen(&out, "snapshot", &layout_snapshot);
	for (size_t i = 0; i < PARTS; i++)
		list_seen(&out, names[i], &layout_parts[i]);
	assert_string_equal(out.bytes, expected);
	buf_fini(&out);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(members_of_others_are_those_of_the_table),
		cmocka_unit_test(counters_of_others_and_of_the_machine_are_not_published),
		cmocka_unit_test(functions_of_others_are_not_published),
		cmocka_unit_test(sums_are_those_of_the_machine),
		cmocka_unit_test(an_event_that_was_asked_for_has_nothing_of_others),
		cmocka_unit_test(a_hidden_proc_hides_their_processes),
		cmocka_unit_test(who_woke_a_thread_is_not_told),
		cmocka_unit_test(who_has_no_process_gets_no_function),
		cmocka_unit_test(groups_are_those_of_own_processes_and_above),
		cmocka_unit_test(a_viewer_reads_and_draws_it),
		cmocka_unit_test(others_see_this_and_no_more),
	};

	setlocale(LC_ALL, "C.UTF-8");
	return unit_run(tests);
}
