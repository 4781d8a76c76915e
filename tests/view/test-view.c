/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unit.h"

#include <limits.h>
#include <math.h>
#include <time.h>

#include "profile/sample-snapshot.h"
#include "view/golden.h"
#include "view/view.h"
#include "view/list/list.h"

static struct view *view_make(const char *sort, const char *columns)
{
	struct view_options options = { .full_command = true, .sort = sort, .columns = columns };
	struct error err = { "" };
	struct view *v = view_new(&options, &err);

	assert_non_null(v);
	view_set_snapshot(v, sample_snapshot(true));
	return v;
}

static uint32_t pid_at(struct view *v, size_t i)
{
	assert_true(i < view_list_count(v, &list_processes));
	return view_list_row(v, &list_processes, i).process->pid;
}

static const char *symbol_at(struct view *v, size_t i)
{
	assert_true(i < view_list_count(v, &list_symbols));
	return frame_symbol(view_snapshot(v)->frames,
			    view_list_row(v, &list_symbols, i).symbol->frame);
}

static double overhead_sum(struct view *v)
{
	double sum = 0;

	for (size_t i = 0; i < view_list_count(v, &list_symbols); i++)
		sum += view_list_row(v, &list_symbols, i).symbol->overhead_percent;
	return sum;
}

static void draw(struct view *v, int rows, int columns)
{
	struct grid *g = grid_new(rows, columns);

	view_draw(v, g);
	grid_free(g);
}

/* The process PID in the snapshot of V, to be changed before it is shown again. */
static struct snapshot_process *process_in(struct snapshot *s, uint32_t pid)
{
	for (size_t i = 0; i < s->process_count; i++) {
		if (s->processes[i].pid == pid)
			return &s->processes[i];
	}
	fail_msg("no process %u", pid);
	return NULL;
}

static void remove_process(struct snapshot *s, uint32_t pid)
{
	struct snapshot_process *p = process_in(s, pid);

	*p = s->processes[--s->process_count];
}

UNIT_TEST(test_unknown_options)
{
	struct view_options sort = { .sort = "nosuch" }, columns = { .columns = "nosuch" };
	struct error err = { "" };

	assert_null(view_new(&sort, &err));
	assert_non_null(strstr(err.text, "nosuch"));
	err.text[0] = '\0';
	assert_null(view_new(&columns, &err));
	assert_non_null(strstr(err.text, "nosuch"));
}

UNIT_TEST(test_before_a_snapshot)
{
	struct view_options options = { 0 };
	struct view *v = view_new(&options, NULL);
	uint32_t pids[4];

	assert_null(view_snapshot(v));
	assert_null(view_selected_process(v));
	assert_null(view_selected_symbol(v));
	assert_int_equal(view_event(v), -1);
	assert_int_equal(view_list_count(v, &list_processes), 0);
	assert_int_equal(view_visible_pids(v, pids, 4), 0);
	assert_false(view_move(v, 1));
	assert_false(view_enter(v));
	assert_false(view_next_event(v, 1));
	assert_true(view_search(v, "x", 1));
	view_toggle_threads(v);
	view_set_filter(v, "x");
	draw(v, 24, 80);
	view_free(v);
}

UNIT_TEST(test_default_order)
{
	struct view *v = view_make(NULL, NULL);

	assert_int_equal(pid_at(v, 0), 4123);
	assert_int_equal(pid_at(v, 1), 4180);
	assert_int_equal(pid_at(v, 2), 5120);
	/* 0.0 % three times: by samples, then by CPU time; what is unknown last */
	assert_int_equal(pid_at(v, 7), 667);
	assert_int_equal(pid_at(v, 8), 1);
	assert_int_equal(pid_at(v, 9), 5000);
	assert_int_equal(pid_at(v, 11), 4194303);
	assert_string_equal(symbol_at(v, 0), "hot_a");
	view_free(v);
}

UNIT_TEST(test_alike_on_screen_is_equal)
{
	struct view *v = view_make("%cpu,pid", NULL);
	struct snapshot *s = sample_snapshot(true);

	process_in(s, 4123)->cpu_percent = 50.01;
	process_in(s, 4180)->cpu_percent = 50.04;
	view_set_snapshot(v, s);
	assert_int_equal(pid_at(v, 0), 4123);
	view_free(v);
}

UNIT_TEST(test_samples_of_what_cannot_be_sampled)
{
	struct view *v = view_make(NULL, NULL);
	struct snapshot *s = sample_snapshot(true);
	struct column_row row;

	process_in(s, 5000)->sampled = false;
	view_set_snapshot(v, s);
	for (size_t i = 0; i < view_list_count(v, &list_processes); i++) {
		row = view_list_row(v, &list_processes, i);
		assert_int_equal(isnan(row.samples), row.process->pid == 5000);
	}
	view_free(v);
}

UNIT_TEST(test_sort_keys)
{
	struct view *v = view_make("-pid", NULL);
	struct error err = { "" };

	assert_int_equal(pid_at(v, 0), 4194303);
	assert_true(view_reverse(v));
	assert_int_equal(pid_at(v, 0), 1);
	assert_true(view_set_sort(v, "user,+pid", &err));
	assert_int_equal(pid_at(v, 0), 4180);
	assert_int_equal(pid_at(v, 11), 4194303); /* no user: last */
	assert_true(view_reverse(v));
	assert_int_equal(pid_at(v, 0), 5120);
	assert_int_equal(pid_at(v, 11), 4194303); /* and again */
	assert_false(view_set_sort(v, "nosuch", &err));
	assert_int_equal(pid_at(v, 0), 5120);
	assert_true(view_set_sort(v, "symbol", &err));
	assert_string_equal(symbol_at(v, 0), "\033]0;owned\a\033[2J");
	view_free(v);
}

/* Sorting by a process's figure makes a row for each of them, also when it is not shown. */
UNIT_TEST(test_sort_by_process)
{
	struct view *v = view_make("-symbol.pid", NULL);

	assert_int_equal(view_list_row(v, &list_symbols, 0).symbol->pid, 4194303);
	view_free(v);
}

UNIT_TEST(test_visible_threads_are_one_pid)
{
	struct view *v = view_make(NULL, NULL);
	uint32_t pids[32];

	view_toggle_threads(v);
	view_set_snapshot(v, sample_snapshot_threads(true));
	draw(v, 24, 80);
	assert_int_equal(view_visible_pids(v, pids, 32), 5);
	view_free(v);
}

UNIT_TEST(test_sort_of_one_table)
{
	struct view *v = view_make("res", "+symbol.pid");

	assert_int_equal(pid_at(v, 0), 5120);
	view_set_pane(v, &list_symbols);
	assert_true(view_set_sort(v, "-pid", NULL)); /* the symbols': there the keys move */
	assert_int_equal(pid_at(v, 0), 5120);
	assert_int_equal(view_list_row(v, &list_symbols, 0).symbol->pid, 4194303);
	assert_true(view_set_sort(v, "process.pid", NULL));
	assert_int_equal(pid_at(v, 0), 1);
	assert_int_equal(view_list_row(v, &list_symbols, 0).symbol->pid, 4194303);
	view_free(v);
}

UNIT_TEST(test_sort_step)
{
	struct view *v = view_make("pid", "pid,%cpu,res");

	assert_false(view_sort_step(v, -1));
	assert_true(view_sort_step(v, 1));
	assert_int_equal(pid_at(v, 0), 4123);
	assert_true(view_sort_step(v, 1));
	assert_int_equal(pid_at(v, 0), 5120);
	assert_false(view_sort_step(v, 1));
	assert_true(view_set_sort(v, "user", NULL)); /* not shown: from the edge */
	assert_true(view_sort_step(v, -1));
	assert_int_equal(pid_at(v, 0), 5120);
	view_free(v);
}

UNIT_TEST(test_selection_stays_on_top)
{
	struct view *v = view_make("-%cpu", NULL);
	struct snapshot *s = sample_snapshot(true);

	assert_int_equal(view_selected_process(v)->pid, 4123);
	process_in(s, 4180)->cpu_percent = 200;
	view_set_snapshot(v, s);
	assert_int_equal(view_selected_process(v)->pid, 4180);
	view_free(v);
}

UNIT_TEST(test_selection_follows)
{
	struct view *v = view_make("-%cpu", NULL);
	struct snapshot *s = sample_snapshot(true);

	assert_true(view_move(v, 3));
	assert_int_equal(view_selected_process(v)->pid, 812);
	process_in(s, 812)->cpu_percent = 300;
	view_set_snapshot(v, s);
	assert_int_equal(view_selected_process(v)->pid, 812);
	assert_int_equal(pid_at(v, 0), 812);
	/* Home: on top again, whoever is there */
	view_move(v, LONG_MIN);
	view_set_snapshot(v, sample_snapshot(true));
	assert_int_equal(view_selected_process(v)->pid, 4123);
	view_free(v);
}

UNIT_TEST(test_selection_of_one_that_went)
{
	struct view *v = view_make("-%cpu", NULL);
	struct snapshot *s = sample_snapshot(true);

	view_move(v, 1);
	remove_process(s, 4180);
	view_set_snapshot(v, s);
	assert_int_equal(view_selected_process(v)->pid, 5120); /* what is in its place */
	view_move(v, LONG_MAX);
	assert_int_equal(view_selected_process(v)->pid, 4194303);
	s = sample_snapshot(true);
	remove_process(s, 4194303);
	view_set_snapshot(v, s);
	assert_ptr_equal(view_selected_process(v), view_list_row(v, &list_processes, 10).process);
	view_set_snapshot(v, snapshot_new());
	assert_null(view_selected_process(v));
	view_set_snapshot(v, sample_snapshot(true));
	assert_non_null(view_selected_process(v));
	view_free(v);
}

/* A pid that comes back is another process: the sample has 6001 twice. */
UNIT_TEST(test_selection_knows_the_pid_again)
{
	struct view *v = view_make("+pid,+%cpu", NULL);
	uint32_t serial;

	assert_true(view_search(v, "second", 1));
	serial = view_selected_process(v)->serial;
	assert_true(view_reverse(v));
	assert_int_equal(view_selected_process(v)->serial, serial);
	view_free(v);
}

UNIT_TEST(test_symbol_selection_follows)
{
	struct view *v = view_make(NULL, NULL);

	view_set_pane(v, &list_symbols);
	view_move(v, 4);
	assert_string_equal(symbol_at(v, 4), "_ZNSt6vectorIiSaIiEE9push_backERKi");
	assert_true(view_set_sort(v, "symbol", NULL));
	assert_int_equal(view_selected_symbol(v)->samples, 95);
	view_free(v);
}

UNIT_TEST(test_movement)
{
	struct view *v = view_make(NULL, NULL);

	assert_false(view_move(v, -1));
	assert_true(view_move(v, 100));
	assert_ptr_equal(view_selected_process(v), view_list_row(v, &list_processes, 11).process);
	assert_false(view_move(v, 1));
	assert_true(view_move(v, -100));
	assert_true(view_move(v, LONG_MAX));
	assert_true(view_move(v, LONG_MIN + 1));
	assert_ptr_equal(view_selected_process(v), view_list_row(v, &list_processes, 0).process);
	draw(v, 24, 80); /* eight rows of processes */
	assert_true(view_page(v, 1));
	assert_ptr_equal(view_selected_process(v), view_list_row(v, &list_processes, 7).process);
	assert_true(view_page(v, -1));
	assert_ptr_equal(view_selected_process(v), view_list_row(v, &list_processes, 0).process);
	view_free(v);
}

static void assert_selected_is_visible(struct view *v, int rows)
{
	uint32_t pids[32];
	size_t count, i;

	draw(v, rows, 80);
	count = view_visible_pids(v, pids, 32);
	for (i = 0; i < count && pids[i] != view_selected_process(v)->pid; i++)
		continue;
	assert_true(i < count);
}

UNIT_TEST(test_selected_row_is_visible)
{
	struct view *v = view_make("+pid", NULL);

	for (int step = 0; step < 12; step++) {
		for (int rows = 5; rows < 40; rows += 3)
			assert_selected_is_visible(v, rows);
		view_move(v, 1);
	}
	for (int step = 0; step < 12; step++) {
		assert_selected_is_visible(v, 10);
		view_move(v, -1);
	}
	view_free(v);
}

UNIT_TEST(test_no_line_is_wasted)
{
	struct view *v = view_make(NULL, NULL);
	uint32_t pids[32];

	view_move(v, LONG_MAX);
	draw(v, 24, 80);
	draw(v, 60, 80); /* there is room for all now: scrolled back */
	assert_int_equal(view_visible_pids(v, pids, 32), 11);
	assert_int_equal(pids[0], 4123);
	view_free(v);
}

UNIT_TEST(test_visible_pids)
{
	struct view *v = view_make(NULL, NULL);
	uint32_t pids[32];

	draw(v, 24, 80);
	assert_int_equal(view_visible_pids(v, pids, 32), 8);
	assert_int_equal(pids[0], 4123);
	assert_int_equal(view_visible_pids(v, pids, 3), 3);
	view_move(v, LONG_MAX);
	draw(v, 24, 80);
	assert_int_equal(view_visible_pids(v, pids, 32), 7); /* eight rows, 6001 twice */
	assert_int_equal(pids[6], 4194303);
	view_free(v);
}

UNIT_TEST(test_zoom)
{
	struct view *v = view_make(NULL, NULL);
	double whole = overhead_sum(v);

	assert_true(fabs(whole - 100) < 1e-6);
	view_move(v, 1);
	assert_true(view_enter(v));
	assert_ptr_equal(view_pane(v), &list_symbols);
	view_set_pane(v, &list_processes);
	assert_false(view_enter(v)); /* there we are */
	assert_int_equal(view_list_count(v, &list_processes), 1);
	assert_string_equal(symbol_at(v, 0), "ggc_internal_alloc");
	assert_true(fabs(overhead_sum(v) - 100) < 1e-6);
	assert_true(view_back(v));
	assert_ptr_equal(view_pane(v), &list_processes);
	assert_int_equal(view_list_count(v, &list_processes), 12);
	assert_int_equal(view_selected_process(v)->pid, 4180);
	assert_string_equal(symbol_at(v, 0), "hot_a");
	assert_false(view_back(v));
	view_free(v);
}

UNIT_TEST(test_back_to_the_process_that_was_zoomed)
{
	struct view *v = view_make(NULL, NULL);
	struct snapshot *s = sample_snapshot(true);

	view_enter(v); /* the first row, and nobody moved */
	process_in(s, 4180)->cpu_percent = 300;
	view_set_snapshot(v, s);
	view_back(v);
	assert_int_equal(view_selected_process(v)->pid, 4123);
	view_free(v);
}

static bool key_of(const void *context, const char *action, char label[16])
{
	snprintf(label, 16, "%s", strcmp(action, "filter") ? "?" : (const char *)context);
	return true;
}

static bool no_key(const void *context, const char *action, char label[16])
{
	(void)context;
	(void)action;
	(void)label;
	return false;
}

static void check_screen(struct view *v, const char *has, const char *has_not)
{
	struct grid *g = grid_new(24, 80);
	struct buf text = { 0 };

	view_draw(v, g);
	grid_dump(g, &text);
	assert_non_null(strstr(text.bytes, has));
	assert_null(strstr(text.bytes, has_not));
	buf_fini(&text);
	grid_free(g);
}

/* By whoever knows the keys; where nobody does, or the action has none, the text ends before them. */
UNIT_TEST(test_empty_lists_name_the_key)
{
	struct view *v = view_make(NULL, NULL);

	view_set_pane(v, &list_processes);
	view_set_filter(v, "no such process");
	check_screen(v, "no process passes the filter", "changes it");
	view_set_key_name(v, key_of, "F4");
	check_screen(v, "no process passes the filter; F4 changes it", "{");
	view_set_key_name(v, no_key, NULL);
	check_screen(v, "no process passes the filter", ";");
	view_free(v);
}

UNIT_TEST(test_zoom_outlives_the_process)
{
	struct view *v = view_make(NULL, NULL);
	struct snapshot *s = sample_snapshot(true);
	struct grid *g = grid_new(24, 80);
	struct buf text = { 0 };

	view_enter(v);
	remove_process(s, 4123);
	view_set_snapshot(v, s);
	assert_int_equal(view_list_count(v, &list_processes), 0);
	assert_string_equal(symbol_at(v, 0), "hot_a");
	view_draw(v, g);
	grid_dump(g, &text);
	assert_non_null(strstr(text.bytes, "the process has ended; Esc goes back"));
	assert_true(view_back(v));
	assert_int_equal(view_list_count(v, &list_processes), 11);
	buf_fini(&text);
	grid_free(g);
	view_free(v);
}

UNIT_TEST(test_zoom_into_a_thread)
{
	struct view *v = view_make(NULL, NULL);

	view_toggle_threads(v);
	view_set_snapshot(v, sample_snapshot_threads(true));
	assert_true(view_search(v, "worker", 1));
	assert_int_equal(view_selected_process(v)->tid, 4124);
	assert_true(view_enter(v));
	assert_int_equal(view_list_count(v, &list_processes), 1);
	assert_int_equal(view_list_count(v, &list_symbols), 0); /* the cells are of first threads */
	view_toggle_threads(v);                                 /* from the thread to its process */
	assert_string_equal(symbol_at(v, 0), "hot_a");
	view_toggle_threads(v);
	assert_true(view_back(v));
	assert_int_equal(view_list_count(v, &list_processes), 15);
	view_free(v);
}

UNIT_TEST(test_threads)
{
	struct view *v = view_make(NULL, NULL);

	view_set_snapshot(v, sample_snapshot_threads(true));
	assert_int_equal(view_list_count(v, &list_processes), 12);
	assert_false(view_threads(v));
	assert_true(view_toggle_threads(v));
	/* five threads instead of two processes; the others have no rows of their threads */
	assert_int_equal(view_list_count(v, &list_processes), 15);
	for (size_t i = 0; i < view_list_count(v, &list_processes); i++) {
		const struct snapshot_process *p = view_list_row(v, &list_processes, i).process;

		assert_true(p->tid || (p->pid != 4123 && p->pid != 4180));
	}
	view_free(v);
}

UNIT_TEST(test_hide_symbols)
{
	struct view *v = view_make(NULL, NULL);
	size_t all = view_list_count(v, &list_symbols), user, kernel;
	double first = view_list_row(v, &list_symbols, 0).symbol->overhead_percent;

	view_toggle_kernel(v);
	user = view_list_count(v, &list_symbols);
	for (size_t i = 0; i < user; i++)
		assert_false(frame_flags(view_snapshot(v)->frames,
					 view_list_row(v, &list_symbols, i).symbol->frame) &
			     FRAME_KERNEL);
	assert_true(view_list_row(v, &list_symbols, 0).symbol->overhead_percent >
		    first); /* of what is shown */
	view_toggle_of_all(v);
	assert_true(view_list_row(v, &list_symbols, 0).symbol->overhead_percent == first);
	view_toggle_of_all(v);
	view_toggle_kernel(v);
	view_toggle_user_symbols(v);
	kernel = view_list_count(v, &list_symbols);
	assert_true(user && kernel);
	assert_int_equal(user + kernel, all);
	view_free(v);
}

/* The engine counts idle samples of recordings alone, and gives the idle task a row always. */
UNIT_TEST(test_idle_is_shown_with_samples)
{
	struct view *v = view_make(NULL, NULL);
	struct snapshot *s = sample_snapshot(true);
	size_t all = view_list_count(v, &list_symbols);

	for (size_t i = 0; i < s->cell_count; i++) {
		if (s->cells[i].pid == 4123)
			s->cells[i].pid = 0;
	}
	process_in(s, 4123)->pid = 0; /* with the samples that it had */
	process_in(s, 1)->pid = 0;    /* it has none */
	view_set_snapshot(v, s);
	assert_int_equal(view_list_count(v, &list_processes), 11);
	assert_int_equal(view_list_count(v, &list_symbols), all);
	assert_true(fabs(overhead_sum(v) - 100) < 1e-6);
	view_free(v);
}

/* The merged rest of a full histogram: of all processes, so it is never hidden. */
UNIT_TEST(test_others_stay)
{
	struct view *v = view_make(NULL, NULL);
	struct snapshot *s = sample_snapshot(true);

	s->cells[0].frame = FRAME_REST;
	s->cells[0].process = s->cells[0].pid = s->cells[0].tid = 0;
	view_set_snapshot(v, s);
	assert_string_equal(symbol_at(v, 0), "[others]");
	view_toggle_kernel(v);
	view_toggle_user_symbols(v);
	assert_int_equal(view_list_count(v, &list_symbols), 1);
	view_free(v);
}

UNIT_TEST(test_filter_of_the_pane)
{
	struct view *v = view_make(NULL, NULL);
	double first;

	assert_true(view_set_filter(v, "cC1P"));
	assert_false(view_set_filter(v, "cC1P"));
	assert_int_equal(view_list_count(v, &list_processes), 1);
	assert_string_equal(symbol_at(v, 0), "ggc_internal_alloc"); /* of that process only */
	first = view_list_row(v, &list_symbols, 0).symbol->overhead_percent;
	assert_true(first > 16); /* of that process */
	view_set_pane(v, &list_symbols);
	assert_true(view_set_filter(v, "libc.so"));
	assert_string_equal(symbol_at(v, 0), "malloc");
	assert_true(view_back(v)); /* the symbols' filter */
	assert_true(view_back(v)); /* to the processes */
	assert_true(view_back(v)); /* their filter */
	assert_int_equal(view_list_count(v, &list_processes), 12);
	assert_false(view_back(v));
	view_free(v);
}

UNIT_TEST(test_filter_by_pid_text_and_user_text)
{
	struct view *v = view_make(NULL, NULL);

	view_set_filter(v, "412");
	assert_int_equal(view_list_count(v, &list_processes), 1);
	view_set_filter(v, "MALLORY");
	assert_int_equal(view_list_count(v, &list_processes), 2);
	view_set_filter(v, "\xe6\xbc\xa2");
	assert_int_equal(view_list_count(v, &list_processes), 1);
	view_free(v);
}

UNIT_TEST(test_pids_and_user)
{
	struct view *v = view_make(NULL, NULL);
	uint32_t numbers[] = { 1, 812 };
	struct number_list pids = { .items = numbers, .count = 2 };

	assert_false(view_set_pids(v, NULL));
	assert_true(view_set_pids(v, &pids));
	numbers[0] = 9999; /* it was copied */
	view_set_snapshot(v, sample_snapshot(true));
	assert_int_equal(view_list_count(v, &list_processes), 2);
	assert_true(view_set_user(v, "postgres"));
	assert_int_equal(view_list_count(v, &list_processes), 1);
	assert_true(view_set_pids(v, NULL));
	assert_int_equal(view_list_count(v, &list_processes), 2);
	assert_true(view_set_user(v, "105"));
	assert_int_equal(view_list_count(v, &list_processes), 2);
	assert_true(view_set_user(v, "4294967295")); /* unknown is no uid */
	assert_int_equal(view_list_count(v, &list_processes), 0);
	assert_true(view_set_user(v, ""));
	assert_int_equal(view_list_count(v, &list_processes), 12);
	view_free(v);
}

UNIT_TEST(test_search)
{
	struct view *v = view_make(NULL, NULL);

	assert_false(view_search(v, "nowhere", 1));
	assert_false(view_search(v, "", 1));
	assert_true(view_search(v, "sh -c", 1));
	assert_ptr_equal(view_selected_process(v), view_list_row(v, &list_processes, 5).process);
	assert_true(view_search(v, "sh -c", 0));
	assert_ptr_equal(view_selected_process(v), view_list_row(v, &list_processes, 5).process);
	assert_true(view_search(v, "sh -c", 1));
	assert_ptr_equal(view_selected_process(v), view_list_row(v, &list_processes, 10).process);
	assert_true(view_search(v, "sh -c", 1)); /* around the end */
	assert_ptr_equal(view_selected_process(v), view_list_row(v, &list_processes, 5).process);
	assert_true(view_search(v, "sh -c", -1));
	assert_ptr_equal(view_selected_process(v), view_list_row(v, &list_processes, 10).process);
	view_set_pane(v, &list_symbols);
	assert_true(view_search(v, "clear_page", 1));
	assert_int_equal(view_selected_symbol(v)->samples, 64);
	view_free(v);
}

UNIT_TEST(test_wants_commands)
{
	struct view *v = view_make(NULL, NULL), *sorted = view_make("pid,command", NULL);
	struct error err;

	assert_true(view_wants_commands(sorted));
	assert_true(view_set_sort(sorted, "pid", &err));
	assert_false(view_wants_commands(sorted));
	assert_false(view_wants_commands(v));
	view_set_filter(v, "x");
	assert_true(view_wants_commands(v));
	view_set_filter(v, NULL);
	view_set_pane(v, &list_symbols);
	view_set_filter(v, "x");
	view_search(v, "x", 0);
	assert_false(view_wants_commands(v));
	view_set_pane(v, &list_processes);
	view_search(v, "nowhere", 0);
	assert_true(view_wants_commands(v));
	view_free(sorted);
	view_free(v);
}

UNIT_TEST(test_events)
{
	struct view *v = view_make(NULL, NULL);
	struct snapshot *s;

	assert_int_equal(view_event(v), 0);
	assert_true(view_next_event(v, 1));
	assert_string_equal(view_snapshot(v)->events[view_event(v)].name, "cache-misses");
	assert_int_equal(view_list_row(v, &list_symbols, 0).symbol->event, 1);
	for (size_t i = 0; i < view_list_count(v, &list_symbols);
	     i++) /* none that only cycles have */
		assert_true(view_list_row(v, &list_symbols, i).symbol->samples > 0);
	assert_true(view_next_event(v, 1));
	assert_int_equal(view_event(v), 0);
	assert_true(view_next_event(v, -1));
	assert_int_equal(view_event(v), 1);
	assert_false(view_set_event(v, 2)); /* counted, not sampled */
	assert_false(view_set_event(v, 99));
	assert_false(view_set_event(v, -1));
	assert_true(view_set_event(v, 0));
	s = sample_snapshot(true);
	s->events[1].enabled = false;
	view_set_snapshot(v, s);
	assert_false(view_next_event(v, 1)); /* the only other one is off */
	assert_true(view_set_event(v, 1));
	s = sample_snapshot(true);
	s->events[1].sampled = false; /* gone: back to one that is sampled */
	view_set_snapshot(v, s);
	assert_int_equal(view_event(v), 0);
	view_free(v);
}

UNIT_TEST(test_symbols_by_process)
{
	struct view *all = view_make(NULL, NULL);
	struct view *v = view_make(NULL, "+symbol.pid,+comm");
	const struct symbol_row *row;
	size_t i;

	assert_int_equal(view_list_row(all, &list_symbols, 0).symbol->pid, 0);
	assert_null(view_list_row(all, &list_symbols, 0).symbol->comm);
	assert_true(view_list_count(v, &list_symbols) > view_list_count(all, &list_symbols));
	assert_true(fabs(overhead_sum(v) - 100) < 1e-6);
	for (i = 0; strcmp(symbol_at(v, i), "clear_page_erms"); i++)
		continue;
	row = view_list_row(v, &list_symbols, i).symbol;
	assert_int_equal(row->pid, 4180);
	assert_string_equal(row->comm, "cc1plus");
	assert_int_equal(row->samples, 42);
	view_free(all);
	view_free(v);
}

/* A function of the kernel runs in several processes: its cells touch two mappings in turn. */
UNIT_TEST(test_symbols_by_data)
{
	struct view *v = view_make(NULL, "+data");
	struct snapshot *s = sample_snapshot(true);
	uint32_t frame = 0, data[] = { s->cells[0].frame, s->cells[1].frame };
	struct column_row row = view_list_row(v, &list_symbols, 0);
	size_t cells = 0, rows = 0;

	assert_null(column_text(column_find(list_symbols.table->columns, "data"), &row));
	for (size_t i = 0; !frame; i++) {
		if (!strcmp(symbol_at(v, i), "clear_page_erms"))
			frame = view_list_row(v, &list_symbols, i).symbol->frame;
	}
	for (size_t i = 0; i < s->cell_count; i++) {
		if (s->cells[i].frame == frame)
			s->cells[i].data = data[cells++ % 2];
	}
	view_set_snapshot(v, s);
	for (size_t i = 0; i < view_list_count(v, &list_symbols); i++) {
		if (view_list_row(v, &list_symbols, i).symbol->frame != frame)
			continue;
		rows++;
		row = view_list_row(v, &list_symbols, i);
		assert_string_equal(
			column_text(column_find(list_symbols.table->columns, "data"), &row),
			frame_object_name(s->frames,
					  view_list_row(v, &list_symbols, i).symbol->data));
	}
	assert_true(cells > 1);
	assert_int_equal(rows, 2);
	assert_true(fabs(overhead_sum(v) - 100) < 1e-6);
	view_free(v);
}

static double symbol_number(struct view *v, const char *name)
{
	struct column_row row = view_list_row(v, &list_symbols, 0);

	return column_number(column_find(list_symbols.table->columns, name), &row);
}

/* cycles and cache-misses are sampled, so these are known of a symbol; the others are not. */
UNIT_TEST(test_symbol_ratios)
{
	struct view *v = view_make(NULL, "+symbol.ipc");
	const struct symbol_row *row = view_list_row(v, &list_symbols, 0).symbol;

	assert_true(row->sampled[0] == row->period);
	assert_true(row->sampled[1] == 172 * 5);
	assert_true(isnan(row->sampled[2]));
	assert_true(isnan(row->credited[0]));
	assert_true(isnan(symbol_number(v, "ipc")));
	view_free(v);
}

/* Each sample of cycles brings 800 instructions and 1000 cycles, each of cache-misses nonsense. */
UNIT_TEST(test_symbol_ratios_as_credited)
{
	struct view *v = view_make(NULL, "+symbol.ipc");
	struct snapshot *s = sample_snapshot(true);
	double *values = snapshot_alloc_cell_values(s);

	for (size_t i = 0; i < s->cell_count; i++, values += s->event_count) {
		values[0] = s->cells[i].event ? 1 : 1000 * s->cells[i].samples;
		values[2] = s->cells[i].event ? 9 : 800 * s->cells[i].samples;
	}
	view_set_snapshot(v, s);
	assert_true(fabs(symbol_number(v, "ipc") - 0.8) < 1e-9);
	assert_true(isnan(symbol_number(v, "mpki")));
	assert_true(view_list_row(v, &list_symbols, 0).symbol->credited[0] ==
		    1000 * view_list_row(v, &list_symbols, 0).symbol->samples);
	view_free(v);
}

static double samples_percent(struct view *v, uint32_t pid)
{
	const struct column *c = column_find(list_processes.table->columns, "samples%");

	for (size_t i = 0; i < view_list_count(v, &list_processes); i++) {
		struct column_row row = view_list_row(v, &list_processes, i);

		if (pid_at(v, i) == pid)
			return column_number(c, &row);
	}
	return NAN;
}

UNIT_TEST(test_samples_are_of_the_event)
{
	struct view *v = view_make(NULL, NULL);
	double cycles = samples_percent(v, 4180);

	assert_true(cycles > 47 && cycles < 49);
	view_next_event(v, 1);
	assert_true(samples_percent(v, 4180) != cycles);
	view_set_event(v, 0);
	assert_true(samples_percent(v, 4180) == cycles);
	view_free(v);
}

UNIT_TEST(test_limits)
{
	struct view_options options = { .limit_processes = 3, .limit_symbols = 2 };
	struct view *v = view_new(&options, NULL);

	view_set_snapshot(v, sample_snapshot(true));
	assert_int_equal(view_list_count(v, &list_processes), 3);
	assert_int_equal(view_list_count(v, &list_symbols), 2);
	assert_int_equal(pid_at(v, 0), 4123);
	assert_string_equal(symbol_at(v, 1), "ggc_internal_alloc");
	view_free(v);
}

enum { MANY = 5000 };

/* MANY processes with a cell each, every one of another of the sample's symbols. */
static struct snapshot *many_processes(void)
{
	struct snapshot *small = sample_snapshot(true), *s = snapshot_new();

	snapshot_alloc_processes(s, MANY);
	snapshot_alloc_events(s, 1);
	s->events[0] = (struct snapshot_event){ .sampled = true, .enabled = true };
	sample_event(&s->events[0], "cycles");
	snapshot_alloc_cells(s, MANY);
	s->frames = small->frames;
	for (uint32_t i = 0; i < MANY; i++) {
		struct snapshot_process *p = &s->processes[i];

		*p = small->processes[i % small->process_count];
		p->counters = NULL;
		p->exited = false;
		p->serial = p->pid = i + 1;
		p->cpu_percent = i * 7919 % 1000 / 10.0;
		s->cells[i] = (struct snapshot_cell){
			.process = p->serial,
			.pid = p->pid,
			.tid = p->pid,
			.frame = small->cells[i % small->cell_count].frame,
			.samples = 1,
			.period = 1000,
		};
	}
	snapshot_free(small);
	return s;
}

static double milliseconds_since(const struct timespec *start)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)(now.tv_sec - start->tv_sec) * 1e3 +
	       (double)(now.tv_nsec - start->tv_nsec) / 1e6;
}

/* The figures are for people to look at; a slow machine is no failure. */
UNIT_TEST(test_many)
{
	struct view *v = view_make(NULL, "+symbol.pid");
	struct grid *g = grid_new(60, 200);
	struct snapshot *s = many_processes();
	struct timespec start;
	double rows_ms;

	clock_gettime(CLOCK_MONOTONIC, &start);
	view_set_snapshot(v, s);
	rows_ms = milliseconds_since(&start);
	clock_gettime(CLOCK_MONOTONIC, &start);
	view_draw(v, g);
	print_message("%d processes, %d cells: rows %.2f ms, 200x60 drawn %.2f ms\n", MANY, MANY,
		      rows_ms, milliseconds_since(&start));
	assert_int_equal(view_list_count(v, &list_processes), MANY);
	assert_int_equal(view_list_count(v, &list_symbols), MANY);
	for (size_t i = 1; i < MANY; i++)
		assert_true(view_list_row(v, &list_processes, i - 1).process->cpu_percent >=
			    view_list_row(v, &list_processes, i).process->cpu_percent);
	grid_free(g);
	view_free(v);
}

UNIT_TEST(test_reversed_from_the_start)
{
	struct view_options options = { .reverse = true, .sort = "pid" };
	struct view *v = view_new(&options, NULL);

	view_set_snapshot(v, sample_snapshot(true));
	assert_int_equal(pid_at(v, 0), 4194303);
	view_free(v);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_unknown_options),
		cmocka_unit_test(test_before_a_snapshot),
		cmocka_unit_test(test_default_order),
		cmocka_unit_test(test_alike_on_screen_is_equal),
		cmocka_unit_test(test_samples_of_what_cannot_be_sampled),
		cmocka_unit_test(test_sort_keys),
		cmocka_unit_test(test_sort_by_process),
		cmocka_unit_test(test_visible_threads_are_one_pid),
		cmocka_unit_test(test_sort_of_one_table),
		cmocka_unit_test(test_sort_step),
		cmocka_unit_test(test_selection_stays_on_top),
		cmocka_unit_test(test_selection_follows),
		cmocka_unit_test(test_selection_of_one_that_went),
		cmocka_unit_test(test_selection_knows_the_pid_again),
		cmocka_unit_test(test_symbol_selection_follows),
		cmocka_unit_test(test_movement),
		cmocka_unit_test(test_selected_row_is_visible),
		cmocka_unit_test(test_no_line_is_wasted),
		cmocka_unit_test(test_visible_pids),
		cmocka_unit_test(test_zoom),
		cmocka_unit_test(test_back_to_the_process_that_was_zoomed),
		cmocka_unit_test(test_empty_lists_name_the_key),
		cmocka_unit_test(test_zoom_outlives_the_process),
		cmocka_unit_test(test_zoom_into_a_thread),
		cmocka_unit_test(test_threads),
		cmocka_unit_test(test_hide_symbols),
		cmocka_unit_test(test_idle_is_shown_with_samples),
		cmocka_unit_test(test_others_stay),
		cmocka_unit_test(test_filter_of_the_pane),
		cmocka_unit_test(test_filter_by_pid_text_and_user_text),
		cmocka_unit_test(test_pids_and_user),
		cmocka_unit_test(test_search),
		cmocka_unit_test(test_wants_commands),
		cmocka_unit_test(test_events),
		cmocka_unit_test(test_symbols_by_process),
		cmocka_unit_test(test_symbols_by_data),
		cmocka_unit_test(test_symbol_ratios),
		cmocka_unit_test(test_symbol_ratios_as_credited),
		cmocka_unit_test(test_samples_are_of_the_event),
		cmocka_unit_test(test_limits),
		cmocka_unit_test(test_reversed_from_the_start),
		cmocka_unit_test(test_many),
	};

	if (!golden_locale()) {
		puts("no UTF-8 locale: a filter outside ASCII cannot be tested");
		return UNIT_SKIP;
	}
	return unit_run(tests);
}
