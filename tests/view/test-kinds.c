/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Every view at four sizes, after a process was zoomed into and left, and in batch. */
#include "unit.h"

#include <time.h>

#include "base/alloc.h"
#include "perf/event/event.h"
#include "profile/cell.h"
#include "profile/distribution.h"
#include "profile/sample-code.h"
#include "profile/sample-snapshot.h"
#include "view/golden.h"
#include "view/kind.h"

static const char *const function_bar[][2] = {
	{ "F1", "Help" },     { "F3", "Search" }, { "F4", "Filter" }, { "F6", "Sort" },
	{ "e", "Events" },    { "p", "Pid" },     { "u", "User" },    { "Enter", "Zoom" },
	{ "Space", "Pause" }, { "q", "Quit" },
};

static const struct {
	int rows, columns;
} sizes[] = { { 10, 40 }, { 24, 80 }, { 40, 120 }, { 60, 200 } };

#define KIB 1024

/* The memory of the busiest process; faults are in these and in one that has gone. */
/* clang-format off */
static const struct snapshot_mapping mappings[] = {
	{ .path = "/tmp/load", .name = "load", .count = 4,
	  .usage = { 40 * KIB, 40 * KIB, 0, 0, 28 * KIB, 12 * KIB, 0, 0, 12 * KIB, 0 } },
	{ .path = "[heap]", .name = "[heap]", .count = 1,
	  .usage = { 1536 * KIB, 1536 * KIB, 64 * KIB, 64 * KIB, 0, 1536 * KIB, 0, 0, 1536 * KIB, 0 } },
	{ .path = "//anon", .name = "//anon", .count = 9,
	  .usage = { 900 * KIB, 900 * KIB, 8 * KIB, 8 * KIB, 0, 900 * KIB, 0, 0, 900 * KIB, 16 * KIB } },
	{ .path = "/usr/lib/libc.so.6 (deleted)", .name = "libc.so.6 (deleted)", .count = 5,
	  .usage = { 780 * KIB, 31 * KIB, 0, 0, 0, 20 * KIB, 760 * KIB, 0, 20 * KIB, 0 } },
	{ .path = "[stack]", .name = "[stack]", .count = 1,
	  .usage = { 12 * KIB, 12 * KIB, 0, 0, 0, 12 * KIB, 0, 0, 12 * KIB, 0 } },
	{ .path = "/srv/\033[2J\xff.db", .name = "\033[2J\xff.db", .count = 1,
	  .usage = { 8 * KIB, -1, -1, -1, 8 * KIB, 0, 0, 0, 0, 0 } },
	{ .path = "[vdso]", .name = "[vdso]", .count = 1,
	  .usage = { 4 * KIB, 0, 0, 0, 0, 0, 4 * KIB, 0, 0, 0 } },
};
/* clang-format on */

#define MAPPINGS (sizeof(mappings) / sizeof(mappings[0]))

static uint32_t data_frame(struct snapshot *s, size_t mapping)
{
	static const char *const faulting[] = { "[heap]", "//anon", "/usr/lib/libc.so.6",
						"/tmp/gone" };
	const char *path = faulting[mapping % 4], *slash = strrchr(path, '/');
	struct frame_key key = { .object = 0x80000000u + (uint32_t)(mapping % 4),
				 .object_path = path,
				 .flags = FRAME_UNKNOWN,
				 .object_name = *path == '/' && path[1] != '/' ? slash + 1 : path };

	return frame_table_add((struct frame_table *)s->frames, &key);
}

static void make_memory(struct snapshot *s)
{
	struct snapshot_memory *m = &s->memory;

	m->mappings = mem_array(MAPPINGS, sizeof(mappings[0]));
	memcpy(m->mappings, mappings, sizeof(mappings));
	m->mapping_count = MAPPINGS;
	m->usage = (struct snapshot_usage){ 3280 * KIB, 2519 * KIB, 72 * KIB, 72 * KIB, -1,
					    -1,         -1,         -1,       -1,       -1 };
	m->age_s = 0.4;
	m->mappings_age_s = 12.3;
	for (size_t i = 0; i < s->process_count; i++) {
		struct snapshot_process *p = &s->processes[i];

		if (p->pid == 4123) {
			m->process = p->serial;
			m->pid = p->pid;
		}
		if (p->resident_bytes <= 0 || p->pid == 812)
			continue;
		p->proportional_bytes = p->resident_bytes - p->shared_bytes / 2;
		p->swap_bytes = (int64_t)i * 4096;
		p->memory_age_s = (double)i * 1.4;
	}
}

/* All samples are page faults, a fifth of them with I/O. */
static void make_faults(struct snapshot *s, const struct view_kind *kind)
{
	sample_event(&s->events[0], event_at(kind->event)->name);
	sample_event(&s->events[1], event_at(kind->also)->name);
	s->events[0].value = 2000;
	s->events[1].value = 400;
	snapshot_link_counters(s);
	for (size_t i = 0; i < s->process_count; i++)
		snapshot_values(s, i)[0] = (double)s->processes[i].samples;
	for (size_t i = 0; i < s->cell_count; i++) {
		s->cells[i].period = s->cells[i].samples;
		s->cells[i].data = data_frame(s, i);
	}
	make_memory(s);
}

/* The second event becomes the one that the view's columns want: parts of the first one's nanoseconds. */
static void measure_beside(struct snapshot *s, enum event_id id)
{
	sample_event(&s->events[1], event_at(id)->name);
	s->events[1].time = true;
	for (size_t i = 0; i < s->cell_count; i++) {
		struct snapshot_cell *c = &s->cells[i];

		if (c->event == 1) {
			c->period *= 2e4;
			c->longest = c->period / 2;
		}
	}
}

/* Waits of many lengths: the part of each cell that goes on is the fourth. */
static void give_waits(struct snapshot *s)
{
	for (size_t i = 0; i < s->cell_count; i++) {
		struct snapshot_cell *c = &s->cells[i];
		uint64_t ns = (uint64_t)(c->period / c->samples) << (i % 7);

		if (!s->events[c->event].time)
			continue;
		c->wait = i % 4 == 3 ? CELL_WAIT_LASTS : (uint8_t)(distribution_bucket(ns) + 1);
		c->longest = (double)ns;
	}
}

/* The objects by the numbers that the sample gives them. */
static struct snapshot *snapshot_make(const struct view_kind *kind)
{
	/* clang-format off */
	static const struct snapshot_object known[] = {
		{ .object = 1, .path = "[kernel]", .name = "[kernel]", .source = "kallsyms",
		  .missing = "", .symbols = 121851, .bytes = 9000000 },
		{ .object = 2, .path = "/tmp/load", .name = "load", .source = ".symtab",
		  .missing = "", .symbols = 41, .bytes = 8192 },
		{ .object = 3, .path = "/usr/lib/gcc/cc1plus", .name = "cc1plus",
		  .source = ".dynsym", .symbols = 10600, .bytes = 700000,
		  .missing = "stripped, and no debug file for build id 82d7c3b04f9c4a2e" },
		{ .object = 4, .path = "/usr/lib/libc.so.6", .name = "libc.so.6", .missing = "",
		  .source = "debug file /usr/lib/debug/.build-id/93/ac61ec5a.debug",
		  .symbols = 3722, .bytes = 300000 },
		{ .object = 5, .path = "", .name = "", .source = "", .missing = "",
		  .loading = true },
	};
	/* clang-format on */
	struct snapshot *s =
		kind->threads ? sample_snapshot_threads(true) : sample_snapshot_stacks(true);

	s->objects = mem_array(sizeof(known) / sizeof(known[0]), sizeof(known[0]));
	memcpy(s->objects, known, sizeof(known));
	s->object_count = sizeof(known) / sizeof(known[0]);
	if (kind->event == EVENT_PAGE_FAULTS) {
		make_faults(s, kind);
	} else if (kind->event) {
		sample_event(&s->events[0], event_at(kind->event)->name);
		s->events[0].time = true;
		if (kind->also)
			measure_beside(s, kind->also);
		give_waits(s);
	}
	if (kind->code)
		sample_code(s, true);
	sample_cpus(s, 16, 2);
	sample_groups(s, 0);
	s->events[0].frequency_hz = 999;
	s->events[1].period = 10000;
	s->events[5].error = "no such counter on this machine";
	s->events[6].enabled = false;
	return s;
}

static struct view *view_make(const struct view_options *options, const struct view_kind *kind)
{
	struct error err = { "" };
	struct view *v = view_new(options, &err);

	assert_non_null(v);
	view_set_function_bar(v, function_bar, sizeof(function_bar) / sizeof(function_bar[0]));
	view_set_snapshot(v, snapshot_make(kind));
	return v;
}

static void check_sizes(struct view *v, const char *name)
{
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct grid *g = grid_new(sizes[i].rows, sizes[i].columns);
		char file[64];

		snprintf(file, sizeof(file), "view-%s-%dx%d", name, sizes[i].columns,
			 sizes[i].rows);
		view_draw(v, g);
		golden_check(g, file);
		grid_free(g);
	}
}

/* The first view has its screens in test-screen. */
UNIT_TEST(test_screens)
{
	struct view_options options = { .full_command = true };

	for (const struct view_kind *k = view_kinds + 1; k->name; k++) {
		struct view *v = view_make(&options, k);

		view_show(v, k);
		check_sizes(v, k->name);
		view_free(v);
	}
}

UNIT_TEST(test_sizes_that_nobody_has)
{
	struct view_options options = { .full_command = true };
	struct grid *g = grid_new(1, 1);

	for (const struct view_kind *k = view_kinds; k->name; k++) {
		struct view *v = view_make(&options, k);

		view_show(v, k);
		for (int rows = 1; rows < 70; rows++) {
			grid_resize(g, rows, 3 + rows * 7 % 230);
			view_draw(v, g);
		}
		view_free(v);
	}
	grid_free(g);
}

/* The batch text has the first lists of a view, too. */
UNIT_TEST(test_batch)
{
	for (const struct view_kind *k = view_kinds; k->name; k++) {
		struct view_options options = { .full_command = true,
						.view = k->name,
						.batch = true };
		struct view *v = view_make(&options, k);
		struct grid *g = grid_new(1, 1);
		struct buf text = { 0 };

		view_draw_batch(v, g);
		grid_dump(g, &text);
		for (size_t i = 0; i < k->pane_count; i++) {
			size_t count;
			const struct column *const *columns = view_columns(v, k->panes[i], &count);

			assert_non_null(strstr(text.bytes, k->flame ? "hot_a" : columns[0]->title));
			assert_true(view_list_count(v, k->panes[i]) > 0);
		}
		buf_fini(&text);
		grid_free(g);
		view_free(v);
	}
}

static double milliseconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

/* The figures are for people to look at; a slow machine is no failure. */
UNIT_TEST(test_painting)
{
	enum { TIMES = 50 };
	struct view_options options = { .full_command = true };
	struct grid *g = grid_new(60, 200);

	for (const struct view_kind *k = view_kinds; k->name; k++) {
		struct view *v = view_make(&options, k);
		double start;

		view_show(v, k);
		view_draw(v, g);
		start = milliseconds();
		for (int i = 0; i < TIMES; i++)
			view_draw(v, g);
		print_message("%s: 200x60 drawn in %.2f ms of CPU\n", k->name,
			      (milliseconds() - start) / TIMES);
		view_free(v);
	}
	grid_free(g);
}

/* Each view without anything to show, and before anything was measured. */
UNIT_TEST(test_nothing)
{
	for (const struct view_kind *k = view_kinds; k->name; k++) {
		struct view_options options = { .view = k->name };
		struct error err = { "" };
		struct view *v = view_new(&options, &err);
		struct grid *g = grid_new(24, 80);

		assert_non_null(v);
		view_draw(v, g);
		view_enter(v);
		view_fold(v, FOLD_HOT);
		view_set_snapshot(v, snapshot_new());
		view_draw(v, g);
		view_enter(v);
		view_fold(v, FOLD_OPEN_ALL);
		view_move(v, 1);
		view_draw_batch(v, g);
		view_back(v);
		grid_free(g);
		view_free(v);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_screens), cmocka_unit_test(test_sizes_that_nobody_has),
		cmocka_unit_test(test_batch),   cmocka_unit_test(test_painting),
		cmocka_unit_test(test_nothing),
	};

	if (!golden_locale()) {
		puts("no UTF-8 locale for the golden screens");
		return UNIT_SKIP;
	}
	return unit_run(tests);
}
