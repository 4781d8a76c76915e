/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From view to view: what is selected, what is shown of whom, and the way back. */
#include "unit.h"

#include <limits.h>
#include <math.h>

#include "perf/event/event.h"
#include "profile/sample-snapshot.h"
#include "view/golden.h"
#include "view/kind.h"
#include "view/list/calls.h"
#include "view/list/object-list.h"
#include "view/widget/tree.h"
#include "view/view.h"

static struct view *view_make(const char *name)
{
	struct view_options options = { .full_command = true, .view = name, .sort = "pid" };
	struct error err = { "" };
	struct view *v = view_new(&options, &err);

	assert_non_null(v);
	view_set_snapshot(v, sample_snapshot_threads(true));
	return v;
}

static void show(struct view *v, const char *name)
{
	view_show(v, view_kind_find(name));
}

static uint32_t selected_pid(struct view *v)
{
	const struct snapshot_process *p = view_selected_process(v);

	assert_non_null(p);
	return p->pid;
}

UNIT_TEST(test_every_view_has_a_row)
{
	for (const struct view_kind *k = view_kinds; k->name; k++) {
		struct view *v = view_make(k->name);

		assert_ptr_equal(view_kind(v), k);
		assert_ptr_equal(view_kind_find(k->name), k);
		if (k->key)
			assert_ptr_equal(view_kind_of_key(k->key), k);
		if (k->other && k->event)
			assert_non_null(view_kind_find(k->other)->other);
		else if (k->other)
			assert_string_equal(view_kind_find(k->other)->other, k->name);
		assert_int_equal(view_pane(v), k->panes[0]);
		assert_true(k->pane_count > 0 && *k->help && *k->title);
		view_free(v);
	}
	assert_null(view_kind_find("nosuch"));
	assert_null(view_kind_of_key('-'));
}

UNIT_TEST(test_unknown_view)
{
	struct view_options options = { .view = "nosuch" };
	struct error err = { "" };

	assert_null(view_new(&options, &err));
	assert_non_null(strstr(err.text, "nosuch"));
}

UNIT_TEST(test_selection_goes_along)
{
	struct view *v = view_make(NULL);

	assert_true(view_search(v, "4180", 0));
	show(v, "tree");
	assert_int_equal(selected_pid(v), 4180);
	view_move(v, 1);
	show(v, "processes");
	assert_int_not_equal(selected_pid(v), 4180);
	view_free(v);
}

/* A view of one process is of the selected one, and Esc is back where it was selected. */
UNIT_TEST(test_threads)
{
	struct view *v = view_make(NULL);

	assert_false(view_wants_threads(v));
	view_search(v, "4123", 0);
	show(v, "threads");
	assert_true(view_wants_threads(v));
	assert_int_equal(view_list_count(v, &list_processes), 3);
	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(view_list_row(v, &list_processes, i).process->pid, 4123);
		assert_true(view_list_row(v, &list_processes, i).process->tid > 0);
	}
	view_move(v, 1);
	assert_true(view_enter(v)); /* one thread */
	assert_int_equal(view_list_count(v, &list_processes), 1);
	assert_true(view_wants_threads(v));
	assert_true(view_back(v));
	assert_int_equal(view_list_count(v, &list_processes), 3);
	assert_int_equal(view_selected_process(v)->tid,
			 view_list_row(v, &list_processes, 1).process->tid);
	assert_true(view_back(v));
	assert_string_equal(view_kind(v)->name, "processes");
	assert_int_equal(selected_pid(v), 4123);
	assert_false(view_wants_threads(v));
	view_free(v);
}

static struct snapshot *with_event(const char *name)
{
	struct snapshot *s = sample_snapshot_stacks(true);

	sample_event(&s->events[1], name);
	return s;
}

/* The header's samples are those of the event in front of them, and none if it is not measured. */
UNIT_TEST(test_samples_of_the_event)
{
	for (int measured = 0; measured < 2; measured++) {
		struct snapshot *s = with_event("off-cpu");
		struct view *v = view_make("off-cpu");
		struct grid *g = grid_new(24, 100);
		struct buf text = { 0 };

		s->sampling.samples = 2400;
		s->events[1].samples = measured ? 400 : 0;
		s->events[1].enabled = measured;
		s->events[1].error = measured ? NULL : "kernel.perf_event_paranoid is 2";
		view_set_snapshot(v, s);
		view_draw(v, g);
		grid_dump(g, &text);
		assert_non_null(strstr(text.bytes, measured ? "   400 samples" : "   - samples"));
		buf_fini(&text);
		grid_free(g);
		view_free(v);
	}
}

/* A view of an event shows that one or none, as long as it is shown. */
UNIT_TEST(test_view_of_an_event)
{
	struct view *v = view_make(NULL);

	show(v, "off-cpu");
	assert_int_equal(view_event(v), -1);
	assert_int_equal(view_list_count(v, &list_bottomup), 0);
	view_set_snapshot(v, with_event("off-cpu"));
	assert_int_equal(view_event(v), 1);
	assert_true(view_list_count(v, &list_bottomup) > 0);
	show(v, "flame");
	assert_int_equal(view_event(v), 0);
	show(v, "off-cpu");
	assert_int_equal(view_event(v), 1);
	assert_true(view_next_event(v, 1));
	assert_int_equal(view_event(v), 0);
	show(v, "wall");
	assert_int_equal(view_event(v), -1);
	show(v, "processes");
	assert_int_equal(view_event(v), 0);
	view_free(v);
}

/* Whose memory is to be known: what is seen; of one process its mappings, too. */
UNIT_TEST(test_view_of_memory)
{
	struct view *v = view_make(NULL);
	uint32_t pids[64], pid;
	bool mappings;
	size_t count;

	assert_int_equal(view_memory_pids(v, pids, 64, &mappings),
			 0); /* other views cost nothing */
	assert_false(mappings);
	show(v, "memory");
	view_move(v, 2);
	pid = selected_pid(v);
	count = view_memory_pids(v, pids, 64, &mappings);
	assert_int_equal(pids[0], pid);
	assert_true(count > 5 && count < view_list_count(v, &list_processes) + 1);
	assert_false(mappings);
	assert_true(view_enter(v));
	assert_string_equal(view_kind(v)->name, "mappings");
	assert_int_equal(view_memory_pids(v, pids, 64, &mappings), 1);
	assert_int_equal(pids[0], pid);
	assert_true(mappings);
	assert_true(view_back(v));
	assert_int_equal(selected_pid(v), pid);
	assert_true(view_other_pane(v, 1));
	assert_ptr_equal(view_pane(v), &list_mappings);
	assert_true(view_other_pane(v, 1));
	assert_ptr_equal(view_pane(v), &list_symbols);
	assert_false(view_other_pane(v, 1));
	assert_true(view_back(v)); /* to the first list, then to the first view */
	assert_ptr_equal(view_pane(v), &list_processes);
	show(v, "processes");
	assert_int_equal(view_memory_pids(v, pids, 64, &mappings), 0);
	view_free(v);
}

/* A target of one process needs no choice; one with children would mix two things. */
UNIT_TEST(test_memory_of_a_target)
{
	struct view *v = view_make("memory");
	uint32_t pid = view_list_row(v, &list_processes, 0).process->pid;
	struct snapshot *s = sample_snapshot(true);
	uint32_t pids[4];
	bool mappings;

	s->target.pids = &pid;
	s->target.pid_count = 1;
	view_set_snapshot(v, s);
	view_memory_pids(v, pids, 4, &mappings);
	assert_false(mappings);
	s = sample_snapshot(true);
	s->target.pids = &pid;
	s->target.pid_count = 1;
	for (size_t i = 0; i < s->process_count; i++) {
		if (s->processes[i].pid == pid)
			s->processes[0] = s->processes[i];
	}
	s->process_count = 1;
	view_set_snapshot(v, s);
	view_memory_pids(v, pids, 4, &mappings);
	assert_true(mappings);
	assert_int_equal(pids[0], pid);
	view_free(v);
}

/* Refused, it is shown to be so, but no other view is left without one that is there. */
UNIT_TEST(test_view_of_a_refused_event)
{
	struct view *v = view_make("off-cpu");
	struct snapshot *s = with_event("off-cpu");

	s->events[1].error = "not here";
	view_set_snapshot(v, s);
	assert_int_equal(view_event(v), 1);
	show(v, "flame");
	assert_int_equal(view_event(v), 0);
	view_free(v);
}

/* Nothing can be measured for a screen that stands still. */
UNIT_TEST(test_an_event_waits_for_the_pause)
{
	struct view *v = view_make(NULL);
	struct grid *g = grid_new(24, 80);

	for (int paused = 1; paused >= 0; paused--) {
		struct buf text = { 0 };

		view_set_paused(v, paused);
		show(v, paused ? "off-cpu" : "wall");
		view_draw(v, g);
		grid_dump(g, &text);
		assert_int_equal(strstr(text.bytes, "not measured yet: paused") != NULL, paused);
		buf_fini(&text);
	}
	grid_free(g);
	view_free(v);
}

static size_t kernel_rows(struct view *v)
{
	size_t found = 0;

	for (size_t i = 0; i < view_list_count(v, &list_bottomup); i++) {
		uint32_t frame = view_list_row(v, &list_bottomup, i).call->frame;

		found += (frame_flags(view_snapshot(v)->frames, frame) & FRAME_KERNEL) != 0;
	}
	return found;
}

/* Waits end in the kernel.  Without its frames they are still there, under who called it. */
UNIT_TEST(test_waits_without_the_kernel)
{
	struct view *v = view_make("off-cpu");
	struct snapshot *s = with_event("off-cpu");

	s->events[1].time = true;
	view_set_snapshot(v, s);
	assert_true(kernel_rows(v) > 0);
	view_toggle_kernel(v);
	assert_true(view_list_count(v, &list_bottomup) > 0);
	assert_int_equal(kernel_rows(v), 0);
	view_free(v);
}

/* From a selected wait to its wakers, and back by Esc or by the key of the view before. */
UNIT_TEST(test_wakers_lead_back_to_the_wait)
{
	struct view *v = view_make(NULL);
	struct snapshot *s = with_event("off-cpu");

	s->events[1].time = true;
	view_set_snapshot(v, s);
	for (int by_key = 0; by_key < 2; by_key++) {
		uint32_t frame;

		show(v, "off-cpu");
		view_move(v, 1);
		frame = view_selected_frame(v);
		assert_true(frame);
		show(v, "wakers");
		if (by_key)
			show(v, "off-cpu");
		else
			assert_true(view_back(v));
		assert_string_equal(view_kind(v)->name, "off-cpu");
		assert_int_equal(view_selected_frame(v), frame);
	}
	assert_true(view_back(v)); /* no stop is left over */
	assert_string_equal(view_kind(v)->name, "processes");
	view_free(v);
}

/* Without a selected wait the wakers are no stop of the way: what was entered before them stays so. */
UNIT_TEST(test_wakers_of_all_keep_the_zoom)
{
	struct view *v = view_make(NULL);
	const size_t all = view_list_count(v, &list_processes);
	size_t entered;

	view_search(v, "4123", 0);
	assert_true(view_enter(v));
	entered = view_list_count(v, &list_processes);
	assert_true(entered < all);
	show(v, "wakers");
	show(v, "processes");
	assert_int_equal(view_list_count(v, &list_processes), entered);
	assert_true(view_back(v));
	assert_int_equal(view_list_count(v, &list_processes), all);
	view_free(v);
}

/* In batch nobody selects: all threads. */
UNIT_TEST(test_threads_of_all)
{
	struct view *v = view_make("threads");
	size_t threads = 0;

	for (size_t i = 0; i < view_list_count(v, &list_processes); i++)
		threads += view_list_row(v, &list_processes, i).process->tid != 0;
	assert_int_equal(threads, 5);
	view_free(v);
}

UNIT_TEST(test_way_back)
{
	struct view *v = view_make(NULL);
	int steps = 0;

	show(v, "tree");
	view_move(v, LONG_MAX);
	for (int i = 0; i < 100; i++) { /* more than it remembers */
		view_enter(v);
		show(v, i % 2 ? "threads" : "tree");
	}
	while (view_back(v))
		assert_true(++steps < 50);
	assert_ptr_equal(view_kind(v), view_kinds);
	view_free(v);
}

/* Outputs ask for lists that the view does not show. */
UNIT_TEST(test_lists_that_are_not_shown)
{
	struct view *v = view_make("tree"), *other = view_make(NULL);

	assert_int_equal(view_list_count(v, &list_symbols), view_list_count(other, &list_symbols));
	assert_int_equal(view_list_count(v, &list_processes),
			 view_list_count(other, &list_processes));
	view_free(v);
	view_free(other);
}

static double symbols_sum(struct view *v)
{
	double sum = 0;

	for (size_t i = 0; i < view_list_count(v, &list_symbols); i++)
		sum += view_list_row(v, &list_symbols, i).symbol->samples;
	return sum;
}

static double objects_sum(struct view *v)
{
	double sum = 0;

	for (size_t i = 0; i < view_list_count(v, &list_objects); i++)
		sum += view_list_row(v, &list_objects, i).object->samples;
	return sum;
}

/* The samples of all objects are those of all symbols, whatever is filtered or zoomed into. */
UNIT_TEST(test_objects_have_what_symbols_have)
{
	struct view *v = view_make("objects");

	assert_true(objects_sum(v) > 1000);
	assert_true(fabs(objects_sum(v) - symbols_sum(v)) < 1e-6);
	view_toggle_kernel(v);
	assert_true(fabs(objects_sum(v) - symbols_sum(v)) < 1e-6);
	view_set_user(v, "build");
	assert_true(fabs(objects_sum(v) - symbols_sum(v)) < 1e-6);
	show(v, "processes");
	view_enter(v);
	show(v, "objects");
	assert_true(objects_sum(v) > 0);
	assert_true(fabs(objects_sum(v) - symbols_sum(v)) < 1e-6);
	view_free(v);
}

UNIT_TEST(test_symbols_of_an_object)
{
	struct view *v = view_make("objects");
	double samples;

	assert_true(view_search(v, "cc1plus", 0));
	samples = 740;
	assert_true(view_enter(v));
	assert_true(fabs(symbols_sum(v) - samples) < 0.5);
	for (size_t i = 0; i < view_list_count(v, &list_symbols); i++)
		assert_string_equal(
			frame_object_name(view_snapshot(v)->frames,
					  view_list_row(v, &list_symbols, i).symbol->frame),
			"cc1plus");
	assert_true(view_back(v));
	assert_string_equal(view_kind(v)->name, "objects");
	view_free(v);
}

UNIT_TEST(test_symbols_of_an_event)
{
	struct view *v = view_make("events");

	assert_int_equal(view_selected_event(v), 0);
	view_search(v, "cache-misses", 0);
	assert_int_equal(view_selected_event(v), 1);
	assert_true(view_enter(v));
	assert_int_equal(view_event(v), 1);
	assert_ptr_equal(view_pane(v), &list_symbols);
	assert_int_equal(view_selected_event(v), -1); /* they are not shown */
	assert_true(view_back(v));
	view_search(v, "task-clock", 0); /* counted alone: it has no symbols */
	assert_false(view_enter(v));
	view_set_filter(v, "cache");
	assert_int_equal(view_list_count(v, &list_events), 2);
	view_free(v);
}

/* Off-cpu, run-delay and page-faults are sampled as well, or not. */
static struct snapshot *snapshot_of_events(bool sampled)
{
	static const enum event_id ids[] = { EVENT_OFF_CPU, EVENT_RUN_DELAY, EVENT_PAGE_FAULTS };
	struct snapshot *s = sample_snapshot_threads(true);

	for (size_t i = 0; sampled && i < 3; i++) {
		s->events[s->event_count - 1 - i].id = ids[i];
		s->events[s->event_count - 1 - i].name = event_at(ids[i])->name;
		s->events[s->event_count - 1 - i].sampled = true;
	}
	return s;
}

static const char *shown_event(struct view *v)
{
	return view_snapshot(v)->events[view_event(v)].name;
}

static const char *events_of(struct view *v)
{
	return view_event_kind(v) ? view_event_kind(v)->name : "none";
}

UNIT_TEST(test_the_event_of_before_comes_back)
{
	struct view *v = view_make(NULL);

	assert_true(view_set_event(v, 1));
	show(v, "off-cpu");
	assert_int_equal(view_event(v), -1); /* it is not measured yet */
	view_set_snapshot(v, snapshot_of_events(true));
	assert_string_equal(shown_event(v), "off-cpu");
	assert_string_equal(events_of(v), "off-cpu");
	show(v, "memory");
	assert_string_equal(shown_event(v), "page-faults");
	assert_string_equal(events_of(v), "memory");
	show(v, "calltree");
	assert_string_equal(shown_event(v), "cache-misses");
	assert_string_equal(events_of(v), "none");
	show(v, "off-cpu");
	show(v, "flame");
	assert_string_equal(shown_event(v), "cache-misses");
	show(v, "off-cpu"); /* left before there was one */
	view_set_snapshot(v, snapshot_of_events(false));
	show(v, "processes");
	assert_string_equal(shown_event(v), "cache-misses");
	view_free(v);
}

UNIT_TEST(test_an_event_that_was_chosen_stays)
{
	struct view *v = view_make(NULL);

	view_set_snapshot(v, snapshot_of_events(true));
	show(v, "off-cpu");
	assert_true(view_set_event(v, 1));
	show(v, "processes");
	assert_string_equal(shown_event(v), "cache-misses");
	assert_true(view_set_event(v, 0));
	for (int i = 0; i < 5; i++)
		assert_true(view_next_event(v, 1));
	assert_int_equal(view_event(v), 0);
	view_free(v);
}

/* Turned round, or one step deeper, it is of the same event; and Esc comes back to it. */
UNIT_TEST(test_the_event_goes_along)
{
	struct view *v = view_make("memory");

	view_set_snapshot(v, snapshot_of_events(true));
	assert_string_equal(shown_event(v), "page-faults");
	view_search(v, "4180", 0);
	assert_true(view_enter(v));
	assert_string_equal(view_kind(v)->name, "mappings");
	assert_string_equal(events_of(v), "mappings");
	show(v, "calltree");
	assert_string_equal(events_of(v), "none");
	assert_string_equal(shown_event(v), "cycles");
	assert_true(view_back(v));
	assert_string_equal(events_of(v), "memory");
	assert_string_equal(shown_event(v), "page-faults");
	show(v, "off-cpu");
	assert_true(view_turn_round(v));
	assert_string_equal(view_kind(v)->name, "calltree");
	assert_string_equal(events_of(v), "off-cpu");
	assert_string_equal(shown_event(v), "off-cpu");
	show(v, "threads"); /* of one process: a step that Esc takes back */
	assert_string_equal(events_of(v), "none");
	view_free(v);
}

/* Data for one view alone is read when the view is shown. */
UNIT_TEST(test_what_a_view_needs)
{
	struct view *v = view_make(NULL);

	assert_int_equal(view_extras(v) & EXTRA_OBJECTS, 0);
	show(v, "objects");
	assert_int_equal(view_extras(v) & EXTRA_OBJECTS, EXTRA_OBJECTS);
	view_free(v);
}

static struct snapshot *family(const uint32_t (*pids)[2], size_t count)
{
	struct snapshot *s = snapshot_new();

	snapshot_alloc_events(s, 0);
	snapshot_alloc_processes(s, count);
	for (size_t i = 0; i < count; i++) {
		s->processes[i].pid = pids[i][0];
		s->processes[i].ppid = pids[i][1];
		s->processes[i].serial = pids[i][0];
		s->processes[i].comm = pids[i][0] == 7 ? "seven" : "other";
	}
	return s;
}

static void assert_order(struct view *v, const char *expected)
{
	char text[256] = "";

	for (size_t i = 0; i < view_list_count(v, &list_processes); i++) {
		const struct tree_place *place = view_list_row(v, &list_processes, i).place;
		size_t used = strlen(text);

		snprintf(text + used, sizeof(text) - used, "%s%u/%u%s", i ? " " : "",
			 view_list_row(v, &list_processes, i).process->pid, place->depth,
			 place->folded   ? "+"
			 : place->parent ? "-"
					 : "");
	}
	assert_string_equal(text, expected);
}

/* 1 is the parent of 2 and 5, 2 of 3 and 7; 4 has a parent that is not there any more. */
static const uint32_t tree_pids[][2] = {
	{ 7, 2 }, { 5, 1 }, { 3, 2 }, { 2, 1 }, { 1, 0 }, { 4, 99 }
};

static struct view *tree_of(const uint32_t (*pids)[2], size_t count)
{
	struct view *v = view_make("tree");

	view_set_snapshot(v, family(pids, count));
	return v;
}

UNIT_TEST(test_tree)
{
	struct view *v = tree_of(tree_pids, 6);

	assert_order(v, "1/0- 2/1- 3/2 7/2 4/1 5/1");
	assert_true(view_reverse(v));
	assert_order(v, "1/0- 5/1 4/1 2/1- 7/2 3/2");
	view_set_filter(v, "seven"); /* and those above it */
	assert_order(v, "1/0- 2/1- 7/2");
	view_free(v);
}

/*
 * An ended process has no parent that /proc could tell, or one that ended before.  It is below pid
 * 1, if that is there; a thread of the kernel stays a root.
 */
UNIT_TEST(test_orphans)
{
	static const uint32_t pids[][2] = { { 1, 0 }, { 2, 0 }, { 30, 0 }, { 40, 39 }, { 50, 40 } };
	static const uint32_t alone[][2] = { { 40, 39 }, { 50, 40 } };
	struct view *v = view_make("tree");
	struct snapshot *s = family(pids, 5);

	for (size_t i = 2; i < 5; i++)
		s->processes[i].exited = true;
	s->processes[1].kernel = true;
	s->processes[2].comm = "third";
	view_set_snapshot(v, s);
	assert_order(v, "1/0- 30/1 40/1- 50/2 2/0");
	view_set_snapshot(v, family(alone, 2));
	assert_order(v, "40/0- 50/1");
	view_free(v);
}

UNIT_TEST(test_folding)
{
	struct view *v = tree_of(tree_pids, 6);

	view_search(v, "2", 0);
	assert_true(view_fold(v, FOLD_CLOSE));
	assert_order(v, "1/0- 2/1+ 4/1 5/1");
	assert_int_equal(selected_pid(v), 2);
	assert_true(view_fold(v, FOLD_CLOSE)); /* again: to its parent */
	assert_int_equal(selected_pid(v), 1);
	assert_true(view_fold(v, FOLD_CLOSE));
	assert_order(v, "1/0+");
	assert_true(view_fold(v, FOLD_OPEN));
	assert_order(v, "1/0- 2/1+ 4/1 5/1");
	assert_false(view_fold(v, FOLD_OPEN));
	view_free(v);
}

UNIT_TEST(test_zoomed_tree)
{
	struct view *v = tree_of(tree_pids, 6);

	view_search(v, "2", 0);
	assert_true(view_enter(v));
	assert_string_equal(view_kind(v)->name, "processes");
	show(v, "tree");
	assert_order(v, "1/0- 2/1- 3/2 7/2");
	view_free(v);
}

/* Nobody is their own ancestor, but a table that is read while it changes may say so. */
UNIT_TEST(test_rings)
{
	static const uint32_t ring[][2] = { { 1, 2 }, { 2, 3 }, { 3, 1 }, { 4, 3 }, { 5, 5 } };
	struct view *v = tree_of(ring, 5);

	assert_int_equal(view_list_count(v, &list_processes), 5);
	view_free(v);
}

UNIT_TEST(test_deep_trees)
{
	static uint32_t pids[300][2];
	struct grid *g = grid_new(24, 80);
	struct view *v;

	for (uint32_t i = 0; i < 300; i++) {
		pids[i][0] = i + 1;
		pids[i][1] = i;
	}
	v = tree_of((const uint32_t(*)[2])pids, 300);
	assert_int_equal(view_list_row(v, &list_processes, 299).place->depth, 299);
	view_move(v, LONG_MAX);
	view_draw(v, g);
	grid_free(g);
	view_free(v);
}

static struct grid *draw(struct view *v, int rows, int columns)
{
	struct grid *g = grid_new(rows, columns);

	view_draw(v, g);
	return g;
}

/* Where TEXT is on G. */
static void find(const struct grid *g, const char *text, int *row, int *column)
{
	for (*row = 0; *row < grid_rows(g); ++*row) {
		for (*column = 0; *column < grid_columns(g); ++*column) {
			size_t i = 0;

			while (text[i] && grid_at(g, *row, *column + (int)i) &&
			       grid_at(g, *row, *column + (int)i)->text[0] == (uint32_t)text[i])
				i++;
			if (!text[i])
				return;
		}
	}
	fail_msg("'%s' is not on the screen", text);
}

static enum view_click click_on(struct view *v, const char *text)
{
	struct grid *g = draw(v, 40, 140);
	int row = 0, column = 0;
	enum view_click result;

	find(g, text, &row, &column);
	result = view_click(v, row, column + (int)strlen(text) - 1);
	grid_free(g);
	return result;
}

UNIT_TEST(test_clicks_above_bars)
{
	struct view *v = view_make(NULL);
	struct grid *g;
	int row, column;

	view_set_columns(v, "pid,%mem,ppid,command", NULL);
	view_set_bars(v, true);
	g = draw(v, 24, 80);
	find(g, "%MEM", &row, &column);
	view_click(v, row, column + 4 + 5);
	assert_string_equal(view_sort_column(v)->name, "%mem");
	view_set_bars(v, false);
	view_draw(v, g);
	view_click(v, row, column + 4 + 5);
	assert_string_equal(view_sort_column(v)->name, "ppid");
	grid_free(g);
	view_free(v);
}

UNIT_TEST(test_clicks)
{
	static const char *const bar[][2] = { { "F1", "Help" },
					      { "e", "Events" },
					      { "q", "Quit" } };
	struct view *v = view_make(NULL);

	view_set_function_bar(v, bar, 3);
	assert_int_equal(click_on(v, "4180"), CLICK_ROW);
	assert_int_equal(selected_pid(v), 4180);
	assert_int_equal(click_on(v, "4180"), CLICK_AGAIN);
	assert_int_equal(click_on(v, "ggc_internal_alloc"), CLICK_ROW);
	assert_ptr_equal(view_pane(v), &list_symbols);
	assert_int_equal(click_on(v, "3 tree"), CLICK_VIEW);
	assert_string_equal(view_kind(v)->name, "tree");
	assert_int_equal(selected_pid(v), 4180);
	assert_int_equal(click_on(v, "1 processes"), CLICK_VIEW);
	assert_int_equal(click_on(v, "Events"), CLICK_BAR);
	assert_int_equal(view_bar_at(v, 1), 0);
	assert_int_equal(view_bar_at(v, 11), 1);
	assert_int_equal(view_bar_at(v, 100), SIZE_MAX);
	assert_int_equal(click_on(v, "12:00:00"), CLICK_NOTHING);
	view_free(v);
}

UNIT_TEST(test_click_on_a_title)
{
	struct view *v = view_make(NULL);

	click_on(v, "RES");
	assert_int_equal(view_list_row(v, &list_processes, 0).process->pid, 5120);
	click_on(v, "RES"); /* again: turned round */
	assert_int_not_equal(view_list_row(v, &list_processes, 0).process->pid, 5120);
	click_on(v, "SYMBOL");
	assert_int_not_equal(view_list_row(v, &list_processes, 0).process->pid, 5120);
	view_free(v);
}

/* Wherever it is clicked, at any size. */
UNIT_TEST(test_clicks_everywhere)
{
	for (const struct view_kind *k = view_kinds; k->name; k++) {
		struct view *v = view_make(k->name);

		view_set_snapshot(v, sample_snapshot_stacks(true));
		for (int size = 1; size < 60; size += 4) {
			grid_free(draw(v, size, 5 * size));
			for (int row = -1; row <= size; row++)
				view_click(v, row, row * 37 % (5 * size + 1));
			view_show(v, k);
		}
		view_free(v);
	}
}

UNIT_TEST(test_click_in_a_flame_graph)
{
	struct view *v = view_make("flame");

	view_set_snapshot(v, sample_snapshot_stacks(true));
	assert_int_equal(click_on(v, "hot_b"), CLICK_ROW);
	assert_int_equal(click_on(v, "hot_b  total"),
			 CLICK_NOTHING); /* the line that tells of it */
	assert_true(view_enter(v));
	assert_int_equal(click_on(v, "flame > hot_b"), CLICK_NOTHING);
	view_free(v);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_view_has_a_row),
		cmocka_unit_test(test_unknown_view),
		cmocka_unit_test(test_selection_goes_along),
		cmocka_unit_test(test_samples_of_the_event),
		cmocka_unit_test(test_view_of_an_event),
		cmocka_unit_test(test_view_of_memory),
		cmocka_unit_test(test_memory_of_a_target),
		cmocka_unit_test(test_view_of_a_refused_event),
		cmocka_unit_test(test_threads),
		cmocka_unit_test(test_an_event_waits_for_the_pause),
		cmocka_unit_test(test_waits_without_the_kernel),
		cmocka_unit_test(test_wakers_lead_back_to_the_wait),
		cmocka_unit_test(test_wakers_of_all_keep_the_zoom),
		cmocka_unit_test(test_threads_of_all),
		cmocka_unit_test(test_way_back),
		cmocka_unit_test(test_lists_that_are_not_shown),
		cmocka_unit_test(test_objects_have_what_symbols_have),
		cmocka_unit_test(test_symbols_of_an_object),
		cmocka_unit_test(test_symbols_of_an_event),
		cmocka_unit_test(test_the_event_of_before_comes_back),
		cmocka_unit_test(test_an_event_that_was_chosen_stays),
		cmocka_unit_test(test_the_event_goes_along),
		cmocka_unit_test(test_what_a_view_needs),
		cmocka_unit_test(test_clicks_above_bars),
		cmocka_unit_test(test_clicks),
		cmocka_unit_test(test_click_on_a_title),
		cmocka_unit_test(test_clicks_everywhere),
		cmocka_unit_test(test_click_in_a_flame_graph),
		cmocka_unit_test(test_tree),
		cmocka_unit_test(test_orphans),
		cmocka_unit_test(test_folding),
		cmocka_unit_test(test_zoomed_tree),
		cmocka_unit_test(test_rings),
		cmocka_unit_test(test_deep_trees),
	};

	if (!golden_locale())
		return UNIT_SKIP;
	return unit_run(tests);
}
