/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Findings: each rule is found at its limits, and is not where one of its figures is short of them or was not
 * measured.  The list, and the view that Enter opens.
 */
#include "unit.h"

#include <math.h>

#include "base/alloc.h"
#include "profile/sample-snapshot.h"
#include "view/golden.h"
#include "view/kind.h"
#include "view/list/findings.h"
#include "view/list/list.h"
#include "view/view.h"
#include "view/widget/number.h"
#include "view/widget/text.h"

#define SECONDS 2.0
#define LAST_PID 4321

/* ---- Figures: each sets those of one rule's tests. */

static void set_memory_pressure(struct snapshot *s, const double *figures)
{
	s->host.pressure.memory_some_percent = figures[0];
}

static void set_steal(struct snapshot *s, const double *figures)
{
	s->host.steal_percent = figures[0];
}

static void set_io_pressure(struct snapshot *s, const double *figures)
{
	s->host.pressure.io_some_percent = figures[0];
}

static void set_cpu_wait(struct snapshot *s, const double *figures)
{
	double delay = figures[0] * figures[1] / 100;

	snapshot_alloc_processes(s, 1);
	s->processes[0].pid = LAST_PID;
	s->processes[0].comm = "job";
	s->processes[0].cpu_percent = figures[1] - delay;
	s->processes[0].delay_ns = isnan(delay) ? -1 : llround(delay / 100 * SECONDS * 1e9);
}

static void set_own_processes(struct snapshot *s, const double *figures)
{
	s->sampling.tier_reason = "kernel.perf_event_paranoid is 2";
	snapshot_alloc_processes(s, isnan(figures[0]) ? 0 : (size_t)figures[0]);
	for (size_t i = 0; i < s->process_count; i++)
		s->processes[i].sampled = false;
}

static void set_lost_samples(struct snapshot *s, const double *figures)
{
	s->sampling.lost = isnan(figures[0]) ? 0 : (uint64_t)figures[0];
	s->sampling.samples = (uint64_t)llround((double)s->sampling.lost * (100 / figures[1] - 1));
}

static void set_short_processes(struct snapshot *s, const double *figures)
{
	if (isnan(figures[0]))
		return;
	snapshot_alloc_processes(s, (size_t)(figures[0] * SECONDS));
	for (size_t i = 0; i < s->process_count; i++) {
		s->processes[i].exited = true;
		s->processes[i].comm = i % 4 ? "sh" : "true";
	}
}

/* One of the sample's objects lacks its symbols; that share of the samples is in it, without a name. */
static void set_no_names(struct snapshot *s, const double *figures)
{
	static struct frame_table *frames;
	struct frame_key key = { .object = 7,
				 .object_path = "/bin/x",
				 .object_name = "x",
				 .flags = FRAME_UNKNOWN },
			 named = { .object = 8,
				   .object_path = "/bin/y",
				   .object_name = "y",
				   .symbol = 1,
				   .raw = "main" };

	if (!frames)
		frames = frame_table_new(NULL, 0);
	s->frames = frames;
	snapshot_alloc_events(s, 1);
	sample_event(&s->events[0], "cpu-clock");
	s->events[0].sampled = s->events[0].enabled = true;
	s->events[0].running_percent = 100;
	snapshot_alloc_cells(s, 2);
	s->cells[0] = (struct snapshot_cell){ .comm = "x",
					      .frame = frame_table_add(frames, &key),
					      .samples = figures[0] };
	s->cells[1] = (struct snapshot_cell){ .comm = "y",
					      .frame = frame_table_add(frames, &named),
					      .samples = 100 - figures[0] };
	s->objects = mem_array(1, sizeof(*s->objects));
	s->objects[0] = (struct snapshot_object){
		.object = 7,
		.path = "/bin/x",
		.name = "x",
		.source = "",
		.missing = isnan(figures[0]) ? "" : "install x-dbgsym: stripped, and no debug file"
	};
	s->object_count = 1;
}

static void set_slowed(struct snapshot *s, const double *figures)
{
	s->sampling.frequency_hz = isnan(figures[0]) ? 0 : 1000;
	s->sampling.asked_hz = (uint64_t)llround(1000 * (isnan(figures[0]) ? 1 : figures[0]));
}

static int64_t count_of(double figure)
{
	return isnan(figure) ? -1 : llround(figure);
}

static struct snapshot_process *one_process(struct snapshot *s)
{
	snapshot_alloc_processes(s, 1);
	s->processes[0].pid = LAST_PID;
	s->processes[0].comm = "job";
	return &s->processes[0];
}

static struct group_facts *one_group(struct snapshot *s)
{
	snapshot_alloc_groups(s, 1);
	s->groups[0].name = "web";
	s->groups[0].path = "/web";
	return snapshot_group_facts(s, 0);
}

static void set_group_tasks(struct snapshot *s, const double *figures)
{
	struct group_facts *g = one_group(s);

	g->pids_max = 1000;
	g->pids = count_of(10 * figures[0]);
}

static void set_group_memory(struct snapshot *s, const double *figures)
{
	struct group_facts *g = one_group(s);

	g->memory_max_bytes = 1000;
	g->memory_bytes = count_of(10 * figures[0]);
}

static void set_throttled(struct snapshot *s, const double *figures)
{
	one_group(s)->throttled_percent = figures[0];
}

static void set_uninterruptible(struct snapshot *s, const double *figures)
{
	struct snapshot_process *p = one_process(s);

	p->state = isnan(figures[0]) ? 'S' : 'D';
	p->voluntary_switches = p->involuntary_switches = 0;
	if (!isnan(figures[0]))
		s->interval_s = figures[0];
}

static void set_major_faults(struct snapshot *s, const double *figures)
{
	one_process(s)->major_faults = count_of(figures[0] * SECONDS);
}

static void set_page_faults(struct snapshot *s, const double *figures)
{
	struct snapshot_process *p = one_process(s);

	p->minor_faults = count_of(figures[0] * SECONDS);
	p->major_faults = 0;
}

static void set_switches(struct snapshot *s, const double *figures)
{
	struct snapshot_process *p = one_process(s);

	p->voluntary_switches = count_of(figures[0] * SECONDS);
	p->involuntary_switches = 0;
}

static void set_cache_misses(struct snapshot *s, const double *figures)
{
	static const char *const names[] = { "cache-misses", "cache-references", "instructions",
					     "cycles" };
	const double counts[] = { figures[0], 100, figures[1], 1 };
	double *values;

	snapshot_alloc_events(s, 4);
	for (size_t i = 0; i < 4; i++)
		sample_event(&s->events[i], names[i]);
	snapshot_link_counters(s);
	one_process(s)->cpu_percent = figures[2];
	values = snapshot_values(s, 0);
	for (size_t i = 0; i < 4; i++)
		values[i] = counts[i] * 1e6;
}

static void set_lost_records(struct snapshot *s, const double *figures)
{
	s->sampling.lost_sideband = isnan(figures[0]) ? 0 : (uint64_t)figures[0];
}

static void set_impossible(struct snapshot *s, const double *figures)
{
	s->violations = mem_array(1, sizeof(*s->violations));
	s->violations[0] = (struct snapshot_violation){
		.name = "process-cpu",
		.text = "text",
		.count = isnan(figures[0]) ? 0 : (uint64_t)figures[0],
	};
	s->violation_count = 1;
}

static void set_cpu_pressure(struct snapshot *s, const double *figures)
{
	s->host.pressure.cpu_some_percent = figures[0];
}

static void set_memory_used(struct snapshot *s, const double *figures)
{
	s->host.memory_total_bytes = 1000;
	s->host.memory_used_bytes = count_of(10 * figures[0]);
}

static void set_swap_used(struct snapshot *s, const double *figures)
{
	s->host.swap_total_bytes = 1000;
	s->host.swap_used_bytes = count_of(10 * figures[0]);
}

static void set_one_cpu(struct snapshot *s, const double *figures)
{
	snapshot_alloc_cpus(s, 2);
	s->cpus[0].facts.idle_percent = 100 - figures[0];
	s->cpus[1].facts.idle_percent = figures[1];
	s->cpus[0].facts.iowait_percent = s->cpus[1].facts.iowait_percent = 0;
}

static void set_interrupts(struct snapshot *s, const double *figures)
{
	snapshot_alloc_cpus(s, 1);
	s->cpus[0].facts.irq_percent = 1;
	s->cpus[0].facts.softirq_percent = figures[0] - 1;
}

static void set_unresolved(struct snapshot *s, const double *figures)
{
	s->sampling.unresolved_percent = figures[0];
}

static void set_cut_stacks(struct snapshot *s, const double *figures)
{
	s->sampling.stacks_complete_percent = figures[0];
}

static void set_coverage(struct snapshot *s, const double *figures)
{
	snapshot_alloc_events(s, 1);
	sample_event(&s->events[0], "cycles");
	s->events[0].enabled = true;
	s->events[0].running_percent = figures[0];
}

static void set_over_budget(struct snapshot *s, const double *figures)
{
	s->sampling.over_budget = true;
	s->sampling.budget_percent = 2;
	s->sampling.cost_percent = 2 * figures[0];
}

static const struct {
	const char *rule;
	void (*set)(struct snapshot *s, const double *figures);
} cases[] = {
	{ "memory-pressure", set_memory_pressure },
	{ "steal", set_steal },
	{ "cpu-wait", set_cpu_wait },
	{ "own-processes", set_own_processes },
	{ "lost-samples", set_lost_samples },
	{ "io-pressure", set_io_pressure },
	{ "short-processes", set_short_processes },
	{ "no-names", set_no_names },
	{ "slowed", set_slowed },
	{ "group-tasks", set_group_tasks },
	{ "group-memory", set_group_memory },
	{ "throttled", set_throttled },
	{ "uninterruptible", set_uninterruptible },
	{ "major-faults", set_major_faults },
	{ "page-faults", set_page_faults },
	{ "switches", set_switches },
	{ "cache-misses", set_cache_misses },
	{ "lost-records", set_lost_records },
	{ "impossible", set_impossible },
	{ "cpu-pressure", set_cpu_pressure },
	{ "memory-used", set_memory_used },
	{ "swap-used", set_swap_used },
	{ "one-cpu", set_one_cpu },
	{ "interrupts", set_interrupts },
	{ "unresolved", set_unresolved },
	{ "cut-stacks", set_cut_stacks },
	{ "coverage", set_coverage },
	{ "over-budget", set_over_budget },
};

#define CASES (sizeof(cases) / sizeof(*cases))

static size_t case_of(const struct finding_rule *r)
{
	for (size_t i = 0; i < CASES; i++) {
		if (!strcmp(cases[i].rule, r->name))
			return i;
	}
	fail_msg("no test of the rule '%s'", r->name);
	return 0;
}

static struct snapshot *quiet(void)
{
	struct snapshot *s = snapshot_new();

	s->interval_s = SECONDS;
	return s;
}

/* How many findings of R there are with FIGURES, which none of another rule may accompany. */
static size_t found(const struct finding_rule *r, const double *figures)
{
	struct findings f = { .count = 0 };
	struct snapshot *s = quiet();
	size_t count;

	cases[case_of(r)].set(s, figures);
	findings_build(&f, s);
	for (size_t i = 0; i < f.count; i++)
		assert_string_equal(f.items[i].rule->name, r->name);
	count = f.count + f.more;
	findings_fini(&f);
	snapshot_free(s);
	return count;
}

/* Figures of whole things go in whole steps. */
static double step(const struct finding_test *t)
{
	double by = t->format == number_id ? 1 : t->limit / 50;

	return t->below ? by : -by;
}

static void limits(const struct finding_rule *r, double *figures)
{
	for (size_t i = 0; i < FINDING_TESTS; i++)
		figures[i] = r->tests[i].figure ? r->tests[i].limit - step(&r->tests[i]) : 0;
}

UNIT_TEST(each_rule_is_found_beyond_its_limits)
{
	for (const struct finding_rule *r = finding_rules; r->name; r++) {
		double figures[FINDING_TESTS];

		limits(r, figures);
		if (found(r, figures) != 1)
			fail_msg("the rule '%s' is not found", r->name);
	}
}

UNIT_TEST(no_rule_is_found_where_a_figure_is_short_of_its_limit)
{
	for (const struct finding_rule *r = finding_rules; r->name; r++) {
		for (size_t i = 0; i < FINDING_TESTS && r->tests[i].figure; i++) {
			double figures[FINDING_TESTS];

			limits(r, figures);
			figures[i] = r->tests[i].limit + step(&r->tests[i]);
			if (found(r, figures))
				fail_msg("the rule '%s' is found short of its limit %zu", r->name,
					 i + 1);
		}
	}
}

UNIT_TEST(nothing_is_found_that_was_not_measured)
{
	struct findings f = { .count = 0 };
	struct snapshot *s = quiet();

	findings_build(&f, s);
	assert_int_equal(f.count, 0);
	snapshot_free(s);
	s = snapshot_new();
	findings_build(&f, s);
	assert_int_equal(f.count, 0);
	snapshot_free(s);
	findings_fini(&f);
	for (const struct finding_rule *r = finding_rules; r->name; r++) {
		for (size_t i = 0; i < FINDING_TESTS && r->tests[i].figure; i++) {
			double figures[FINDING_TESTS];

			limits(r, figures);
			figures[i] = NAN;
			if (found(r, figures))
				fail_msg("the rule '%s' is found without its figure %zu", r->name,
					 i + 1);
		}
	}
}

UNIT_TEST(each_rule_says_all_that_it_must)
{
	for (const struct finding_rule *r = finding_rules; r->name; r++) {
		const struct view_kind *kind = view_kind_find(r->view);

		assert_non_null(strstr(r->text, "{1}"));
		assert_int_equal(strstr(r->text, "{name}") != NULL,
				 r->subject != FINDING_OF_MACHINE);
		assert_null(strstr(r->command, "{name}"));
		assert_true(r->reason && *r->reason);
		assert_non_null(kind);
		assert_non_null(r->tests[0].figure);
		for (size_t i = 0; i < FINDING_TESTS && r->tests[i].figure; i++)
			assert_true(r->tests[i].unit && r->tests[i].format &&
				    r->tests[i].limit > 0);
		for (const struct finding_rule *other = finding_rules; other < r; other++)
			assert_string_not_equal(other->name, r->name);
	}
	for (size_t i = 0; i < CASES; i++) {
		const struct finding_rule *r = finding_rules;

		while (r->name && strcmp(r->name, cases[i].rule))
			r++;
		assert_non_null(r->name);
	}
}

/* Processes that wait for a CPU: the share of number I is 30 + I percent. */
static struct snapshot *many_that_wait(size_t count)
{
	struct snapshot *s = quiet();

	snapshot_alloc_processes(s, count);
	s->host.running = 3;
	s->host.cpus = 2;
	for (size_t i = 0; i < count; i++) {
		struct snapshot_process *p = &s->processes[i];
		double share = 30 + (double)i;

		p->pid = LAST_PID - (uint32_t)i;
		p->serial = (uint32_t)i + 1;
		p->comm = "\033[2J{pid}\xff";
		p->cpu_percent = 100 - share;
		p->delay_ns = llround(share / 100 * SECONDS * 1e9);
	}
	return s;
}

UNIT_TEST(the_furthest_of_a_rule_are_listed_and_the_others_counted)
{
	struct findings f = { .count = 0 };
	struct snapshot *s = many_that_wait(10);

	findings_build(&f, s);
	assert_int_equal(f.count, FINDINGS_OF_RULE);
	assert_int_equal(f.more, 10 - FINDINGS_OF_RULE);
	for (size_t i = 0; i < f.count; i++) {
		assert_int_equal(f.items[i].index, 9 - i);
		assert_int_equal(f.items[i].pid, s->processes[9 - i].pid);
		assert_true(fabs(f.items[i].number - (39 - (double)i)) < 0.001);
		assert_true(!i || f.items[i].key != f.items[i - 1].key);
	}
	assert_string_equal(f.items[0].text, "\xef\xbf\xbd[2J{pid}\xef\xbf\xbd (4312) waits for a "
					     "CPU 39.0 % of its runnable time");
	assert_string_equal(f.items[0].evidence, "3 runnable threads on 2 CPUs");
	findings_fini(&f);
	snapshot_free(s);
}

UNIT_TEST(rows_of_threads_are_no_processes)
{
	struct findings f = { .count = 0 };
	struct snapshot *s = many_that_wait(3);

	s->processes[1].tid = 77;
	findings_build(&f, s);
	assert_int_equal(f.count, 2);
	findings_fini(&f);
	snapshot_free(s);
}

static char *install_command(const char *missing)
{
	static const double figures[FINDING_TESTS] = { 50 };
	struct findings f = { .count = 0 };
	struct snapshot *s = quiet();
	char *command;

	set_no_names(s, figures);
	s->objects[0].missing = missing;
	findings_build(&f, s);
	assert_int_equal(f.count, 1);
	command = mem_strdup(f.items[0].command);
	findings_fini(&f);
	snapshot_free(s);
	return command;
}

/* Files of a container name the package, and people paste the command. */
UNIT_TEST(a_command_has_no_more_than_a_name_of_a_package)
{
	static const struct {
		const char *missing, *command;
	} texts[] = {
		{ "install gcc-12-dbgsym: stripped", "apt install gcc-12-dbgsym" },
		{ "install libc++1.2: stripped", "apt install libc++1.2" },
		{ "install x;reboot: stripped", "ptop --doctor" },
		{ "install $(reboot): stripped", "ptop --doctor" },
		{ "install -y: stripped", "ptop --doctor" },
		{ "install x y: stripped", "ptop --doctor" },
		{ "install \nreboot: stripped", "ptop --doctor" },
		{ "install : stripped", "ptop --doctor" },
		{ "install", "ptop --doctor" },
		{ "stripped", "ptop --doctor" },
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		char *command = install_command(texts[i].missing);

		assert_string_equal(command, texts[i].command);
		free(command);
	}
}

UNIT_TEST(long_texts_are_cut_between_characters)
{
	char name[3 * 2000 + 1], *end = name, *command;
	struct findings f = { .count = 0 };
	struct snapshot *s = quiet();
	static const double figures[FINDING_TESTS] = { 50 };

	for (int i = 0; i < 2000; i++)
		end = stpcpy(end, "\xe6\xbc\xa2");
	command = install_command(name);
	free(command);
	set_no_names(s, figures);
	s->objects[0].name = s->objects[0].missing = name;
	findings_build(&f, s);
	assert_true(strlen(f.items[0].line) < 400);
	assert_null(strstr(f.items[0].line, "\xef\xbf\xbd"));
	assert_non_null(strstr(f.items[0].evidence, "\xe6\xbc\xa2..."));
	findings_fini(&f);
	snapshot_free(s);
}

/* ---- The view. */

static struct view *view_make(struct snapshot *s)
{
	struct view_options options = { .view = "findings" };
	struct error err = { "" };
	struct view *v = view_new(&options, &err);

	assert_non_null(v);
	view_set_snapshot(v, s);
	return v;
}

UNIT_TEST(enter_opens_the_view_of_the_finding)
{
	struct snapshot *s = many_that_wait(3);
	struct view *v = view_make(s);

	view_move(v, 1);
	assert_true(view_enter(v));
	assert_string_equal(view_kind(v)->name, "processes");
	assert_int_equal(view_selected_process(v)->pid, s->processes[1].pid);
	assert_true(view_back(v));
	assert_string_equal(view_kind(v)->name, "findings");
	view_free(v);
}

UNIT_TEST(enter_opens_each_view_that_a_rule_names)
{
	for (const struct finding_rule *r = finding_rules; r->name; r++) {
		struct snapshot *s = quiet();
		double figures[FINDING_TESTS];
		struct view *v;

		limits(r, figures);
		cases[case_of(r)].set(s, figures);
		v = view_make(s);
		assert_true(view_enter(v));
		assert_string_equal(view_kind(v)->name, r->view);
		view_free(v);
	}
}

UNIT_TEST(nothing_is_entered_where_nothing_is_found)
{
	struct view *v = view_make(quiet());

	assert_int_equal(view_list_count(v, &list_findings), 0);
	assert_false(view_enter(v));
	view_free(v);
}

UNIT_TEST(a_filter_looks_into_the_sentence_and_the_rule)
{
	struct view *v = view_make(many_that_wait(3));

	view_set_filter(v, "4320");
	assert_int_equal(view_list_count(v, &list_findings), 1);
	view_set_filter(v, "cpu-wait");
	assert_int_equal(view_list_count(v, &list_findings), 3);
	view_set_filter(v, "runnable");
	assert_int_equal(view_list_count(v, &list_findings), 3);
	view_set_filter(v, "nothing of it");
	assert_int_equal(view_list_count(v, &list_findings), 0);
	view_free(v);
}

UNIT_TEST(the_view_wants_what_its_rules_look_at)
{
	struct view *v = view_make(quiet());
	unsigned wanted = EXTRA_OBJECTS | EXTRA_DELAYS | EXTRA_CPU_TIMES | EXTRA_GROUPS;
	uint32_t ids[1];
	bool all;

	assert_int_equal(view_extras(v) & wanted, wanted);
	view_group_ids(v, ids, 1, &all);
	assert_true(all);
	view_show(v, view_kinds);
	assert_int_equal(view_extras(v) & wanted, 0);
	view_group_ids(v, ids, 1, &all);
	assert_false(all);
	view_free(v);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_rule_is_found_beyond_its_limits),
		cmocka_unit_test(no_rule_is_found_where_a_figure_is_short_of_its_limit),
		cmocka_unit_test(nothing_is_found_that_was_not_measured),
		cmocka_unit_test(each_rule_says_all_that_it_must),
		cmocka_unit_test(the_furthest_of_a_rule_are_listed_and_the_others_counted),
		cmocka_unit_test(rows_of_threads_are_no_processes),
		cmocka_unit_test(a_command_has_no_more_than_a_name_of_a_package),
		cmocka_unit_test(long_texts_are_cut_between_characters),
		cmocka_unit_test(enter_opens_the_view_of_the_finding),
		cmocka_unit_test(enter_opens_each_view_that_a_rule_names),
		cmocka_unit_test(nothing_is_entered_where_nothing_is_found),
		cmocka_unit_test(a_filter_looks_into_the_sentence_and_the_rule),
		cmocka_unit_test(the_view_wants_what_its_rules_look_at),
	};

	return unit_run(tests);
}
