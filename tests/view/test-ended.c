/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Processes that ended: put together by name, with what they cost, in the order and in the tree. */
#include "unit.h"

#include <math.h>
#include <string.h>

#include "profile/sample-snapshot.h"
#include "view/golden.h"
#include "view/kind.h"
#include "view/view.h"

struct relative {
	uint32_t pid, ppid;
	const char *comm;
	double cpu_percent;
	bool exited;
};

/* A job: make runs, with a compiler of its own; gcc and its compilers have ended, each with another parent. */
static const struct relative job[] = {
	{ 1, 0, "init", 0, false },  { 10, 1, "make", 1, false }, { 11, 10, "cc1", 30, false },
	{ 20, 10, "gcc", 1, true },  { 21, 20, "cc1", 20, true }, { 30, 10, "gcc", 2, true },
	{ 31, 30, "cc1", 25, true }, { 32, 30, "as", 5, true },   { 40, 10, "gcc", NAN, true },
	{ 41, 40, "cc1", 15, true }, { 50, 1, "idle", 0, false },
};

#define JOB (sizeof(job) / sizeof(*job))
#define EVENTS 2

static struct snapshot *job_snapshot(void)
{
	struct snapshot *s = snapshot_new(), *sample = sample_snapshot(true);

	s->frames = sample->frames; /* they outlive it */
	s->host = sample->host;
	s->sampling = sample->sampling;
	s->interval_s = 1;
	snapshot_free(sample);
	snapshot_alloc_events(s, EVENTS);
	s->events[0] = (struct snapshot_event){
		.name = "cycles", .id = EVENT_CYCLES, .sampled = true, .enabled = true
	};
	s->events[1] = (struct snapshot_event){ .name = "instructions", .id = EVENT_INSTRUCTIONS };
	snapshot_link_counters(s);
	snapshot_alloc_processes(s, JOB);
	snapshot_alloc_cells(s, JOB);
	for (size_t i = 0; i < JOB; i++) {
		const struct relative *r = &job[i];

		snapshot_values(s, i)[0] = 100 * (double)i;
		snapshot_values(s, i)[1] = r->pid == 31 ? NAN : (double)i;
		s->processes[i] = (struct snapshot_process){
			.pid = r->pid,
			.ppid = r->ppid,
			.serial = 1000 + r->pid,
			.comm = r->comm,
			.command = r->comm,
			.user = "root",
			.cpu_percent = r->cpu_percent,
			.exited = r->exited,
			.state = r->exited ? 'X' : 'S',
			.sampled = true,
			.minor_faults = r->exited ? 7 : -1,
			.resident_bytes = 4096,
			.counters = snapshot_values(s, i),
		};
		s->cells[i] = (struct snapshot_cell){
			.process = 1000 + r->pid,
			.pid = r->pid,
			.comm = r->comm,
			.event = 0,
			.frame = FRAME_REST,
			.samples = (double)(i + 1),
			.period = 10,
		};
	}
	return s;
}

static struct view *job_view(const char *kind, const char *sort, bool each)
{
	const struct view_options options = {
		.full_command = true, .view = kind, .sort = sort, .each_ended = each
	};
	struct error err = { "" };
	struct view *v = view_new(&options, &err);

	assert_non_null(v);
	view_set_snapshot(v, job_snapshot());
	return v;
}

static void assert_rows(struct view *v, const char *expected)
{
	char text[512] = "";

	for (size_t i = 0; i < view_list_count(v, &list_processes); i++) {
		struct column_row row = view_list_row(v, &list_processes, i);
		size_t used = strlen(text);

		snprintf(text + used, sizeof(text) - used, "%s%u/%d %s", i ? ", " : "",
			 row.process->pid, row.place ? row.place->depth : 0, row.process->command);
	}
	assert_string_equal(text, expected);
}

/* The compilers that ended are one row, where their cost puts it; what runs stays on the first screen. */
UNIT_TEST(of_one_name_are_one_row)
{
	struct view *v = job_view(NULL, "%cpu", false);

	assert_rows(v, "31/0 cc1 (3 exited), 11/0 cc1, 32/0 as, 30/0 gcc (3 exited), 10/0 make, "
		       "1/0 init, 50/0 idle");
	view_free(v);
}

UNIT_TEST(each_has_a_row_where_it_is_wanted)
{
	struct view *v = job_view(NULL, "%cpu", true);

	assert_int_equal(view_list_count(v, &list_processes), JOB);
	assert_true(view_set_each_ended(v, false));
	assert_int_equal(view_list_count(v, &list_processes), 7);
	view_free(v);
}

/* Nothing of what was used is lost: sums are those of all rows. */
UNIT_TEST(sums_stay)
{
	struct view *each = job_view(NULL, "pid", true), *together = job_view(NULL, "pid", false);
	struct view *views[] = { each, together };
	double cpu[2] = { 0 }, cycles[2] = { 0 }, samples[2] = { 0 }, share[2] = { 0 };
	struct column_row row;

	for (size_t v = 0; v < 2; v++) {
		for (size_t i = 0; i < view_list_count(views[v], &list_processes); i++) {
			row = view_list_row(views[v], &list_processes, i);
			cpu[v] += isnan(row.process->cpu_percent) ? 0 : row.process->cpu_percent;
			cycles[v] += row.process->counters[0];
			samples[v] += row.samples;
			share[v] += row.samples_percent;
		}
	}
	assert_true(cpu[0] == cpu[1] && cpu[0] == 99);
	assert_true(cycles[0] == cycles[1] && samples[0] == samples[1]);
	assert_true(fabs(share[0] - 100) < 1e-9 && fabs(share[1] - 100) < 1e-9);
	row = view_list_row(together, &list_processes, 4);
	assert_string_equal(row.process->command, "cc1 (3 exited)");
	assert_int_equal(row.process->minor_faults, 21);
	assert_int_equal(row.process->resident_bytes, -1); /* nothing is held any more */
	assert_int_equal(row.process->threads, -1);
	assert_true(row.process->counters[1] == 4 + 9); /* one has none */
	view_free(each);
	view_free(together);
}

/* Below one parent, and the parents are put together likewise. */
UNIT_TEST(in_a_tree_they_are_below_theirs)
{
	struct view *v = job_view("tree", "pid", false);

	assert_rows(v, "1/0 init, 10/1 make, 11/2 cc1, 30/2 gcc (3 exited), 31/3 cc1 (3 exited), "
		       "32/3 as, 50/1 idle");
	view_free(v);
}

/* The selection stays on the row, whichever process of the name has used most this time. */
UNIT_TEST(the_selection_stays)
{
	struct view *v = job_view(NULL, "%cpu", false);
	struct snapshot *next = job_snapshot();

	view_move(v, 1);
	view_move(v, -1);
	assert_string_equal(view_selected_process(v)->command, "cc1 (3 exited)");
	for (size_t i = 0; i < JOB; i++) {
		if (next->processes[i].exited)
			next->processes[i].serial += 500;
		if (next->processes[i].pid == 41)
			next->processes[i].cpu_percent = 26;
		if (next->processes[i].pid == 11)
			next->processes[i].cpu_percent = 90;
	}
	view_set_snapshot(v, next);
	assert_string_equal(view_list_row(v, &list_processes, 0).process->command, "cc1");
	assert_string_equal(view_selected_process(v)->command, "cc1 (3 exited)");
	assert_int_equal(view_selected_process(v)->pid, 41);
	view_free(v);
}

/* Filters apply before ended processes are joined. */
UNIT_TEST(filters_choose_each)
{
	uint32_t pids[] = { 21, 31 };
	struct view *v = job_view(NULL, "%cpu", false);

	view_set_pids(v, &(struct number_list){ .items = pids, .count = 2 });
	assert_rows(v, "31/0 cc1 (2 exited)");
	assert_true(fabs(view_list_row(v, &list_processes, 0).samples_percent - 100) < 1e-9);
	view_free(v);
}

/* A ring of parents that ended, as reused numbers may have it, ends. */
UNIT_TEST(rings)
{
	struct view *v = job_view("tree", "pid", false);
	struct snapshot *s = job_snapshot();

	s->processes[3].ppid = 21;
	view_set_snapshot(v, s);
	assert_true(view_list_count(v, &list_processes) > 5);
	view_free(v);
}

UNIT_TEST(screens)
{
	static const char *const kinds[] = { "processes", "tree" };

	for (size_t i = 0; i < 2; i++) {
		struct view *v = job_view(kinds[i], "%cpu", false);
		struct grid *g = grid_new(24, 80);
		char name[64];

		snprintf(name, sizeof(name), "ended-%s-80x24", kinds[i]);
		view_draw(v, g);
		golden_check(g, name);
		grid_free(g);
		view_free(v);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(of_one_name_are_one_row),
		cmocka_unit_test(each_has_a_row_where_it_is_wanted),
		cmocka_unit_test(sums_stay),
		cmocka_unit_test(in_a_tree_they_are_below_theirs),
		cmocka_unit_test(the_selection_stays),
		cmocka_unit_test(filters_choose_each),
		cmocka_unit_test(rings),
		cmocka_unit_test(screens),
	};

	if (!golden_locale())
		return UNIT_SKIP;
	return unit_run(tests);
}
