/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Conditions of --when over the sample's rows; which row decides is counted here, over the snapshot itself.
 */
#include "unit.h"

#include <math.h>

#include "base/buf.h"
#include "profile/sample-snapshot.h"
#include "view/condition.h"
#include "view/list/list.h"
#include "view/machine.h"

static const struct view_options plain = { 0 };

static struct condition *made(const char *text)
{
	struct error err = { "" };
	struct condition *c = condition_new(text, &plain, &err);

	if (!c)
		fail_msg("%s: %s", text, err.text);
	return c;
}

/* Looks at a snapshot of the sample's rows that took INTERVAL_S. */
static enum condition_state look(struct condition *c, double interval_s, struct condition_row *row)
{
	struct snapshot *s = sample_snapshot(true);

	s->interval_s = interval_s;
	view_set_snapshot(condition_view(c), s);
	return condition_look(c, row);
}

static enum condition_state state_of(const char *text, struct condition_row *row)
{
	struct condition *c = made(text);
	enum condition_state state = look(c, 1, row);

	row->name = NULL; /* it goes with the view */
	condition_free(c);
	return state;
}

static void assert_state(const char *text, enum condition_state expected)
{
	struct condition_row row;
	enum condition_state state = state_of(text, &row);

	if (state != expected)
		fail_msg("%s: %d, by %g of %u", text, state, row.number, row.pid);
}

static void assert_refused(const char *text, const char *said)
{
	struct error err = { "" };

	assert_null(condition_new(text, &plain, &err));
	if (!strstr(err.text, said))
		fail_msg("%s: '%s' does not say '%s'", text, err.text, said);
}

/* The process with most CPU time, by another way. */
static const struct snapshot_process *busiest(const struct snapshot *s)
{
	const struct snapshot_process *found = NULL;

	for (size_t i = 0; i < s->process_count; i++) {
		const struct snapshot_process *p = &s->processes[i];

		if (!isnan(p->cpu_percent) && (!found || p->cpu_percent > found->cpu_percent))
			found = p;
	}
	return found;
}

UNIT_TEST(the_largest_or_smallest_row_decides)
{
	struct snapshot *s = sample_snapshot(true);
	const struct snapshot_process *p = busiest(s);
	struct condition_row row;
	char text[64];

	snprintf(text, sizeof(text), "cpu%% >= %.3f", p->cpu_percent);
	assert_int_equal(state_of(text, &row), CONDITION_TRUE);
	assert_int_equal(row.pid, p->pid);
	assert_true(row.number == p->cpu_percent);
	snprintf(text, sizeof(text), "cpu%% > %.3f", p->cpu_percent);
	assert_state(text, CONDITION_FALSE);
	assert_state("res < 1M", CONDITION_TRUE);
	assert_state("res < 0", CONDITION_FALSE);
	assert_state("res <= 0", CONDITION_TRUE); /* a kernel thread */
	snapshot_free(s);
}

UNIT_TEST(rows_are_chosen)
{
	struct snapshot *s = sample_snapshot(true);
	const struct snapshot_process *p = busiest(s);
	struct condition_row row;
	char text[128];

	snprintf(text, sizeof(text), "%%cpu of \"%s\" > 0", p->comm);
	assert_int_equal(state_of(text, &row), CONDITION_TRUE);
	assert_int_equal(row.pid, p->pid);
	snprintf(text, sizeof(text), "%%cpu of %.2s* > 0", p->comm);
	assert_state(text, CONDITION_TRUE);
	snprintf(text, sizeof(text), "%%cpu of %.2s > 0", p->comm);
	assert_state(text, CONDITION_FALSE);
	assert_int_equal(state_of("res pid 4123 > 0", &row), CONDITION_TRUE);
	assert_int_equal(row.pid, 4123);
	assert_state("res pid 3 > 0", CONDITION_FALSE);
	snapshot_free(s);
}

UNIT_TEST(any_column_of_any_table_works)
{
	for (size_t i = 0; list_kinds[i]; i++) {
		const struct column_table *table = list_kinds[i]->table;

		for (const struct column *c = table->columns; c->name; c++) {
			struct condition_row row;
			char text[64];

			if (c->type != COLUMN_NUMBER)
				continue;
			snprintf(text, sizeof(text), "%s%s > 1", table->prefix, c->name);
			state_of(text, &row);
		}
	}
	assert_state("symbol.overhead% > 1", CONDITION_TRUE);
	assert_state("overhead% of malloc > 1", CONDITION_TRUE);
	assert_state("event.rate of cycles > 1", CONDITION_TRUE);
}

UNIT_TEST(the_machine_has_figures)
{
	struct snapshot *s = sample_snapshot(true);
	struct condition_row row;

	for (const struct column *c = machine_columns; c->name; c++) {
		char text[64];

		snprintf(text, sizeof(text), "%s >= 0", c->name);
		state_of(text, &row);
		assert_int_equal(row.pid, 0);
	}
	assert_int_equal(state_of("machine.cpu% > 0", &row), CONDITION_TRUE);
	assert_true(row.number == s->host.cpu_percent);
	assert_int_equal(state_of("machine.mem < 1T", &row), CONDITION_TRUE);
	assert_true(row.number == (double)s->host.memory_used_bytes);
	snapshot_free(s);
}

UNIT_TEST(the_event_is_chosen)
{
	struct condition_row cycles, misses;

	assert_int_equal(state_of("samples(cycles) of malloc > 0", &cycles), CONDITION_TRUE);
	assert_int_equal(state_of("symbol.samples(cache-misses) > 0", &misses), CONDITION_TRUE);
	assert_true(cycles.number != misses.number);
	assert_state("symbol.samples(page-faults) > 0", CONDITION_FALSE);
}

UNIT_TEST(units_are_those_of_columns)
{
	assert_state("machine.mem > 1K", CONDITION_TRUE);
	assert_state("machine.cpu% > 0.5%", CONDITION_TRUE);
	assert_refused("res > 10ms", "bytes");
	assert_refused("p99 > 3%", "milliseconds");
	assert_refused("cpu > 90 for 5", "unit");
	assert_refused("cpu > 90 for 5K", "unit");
}

/* Thrice a second of which the comparison is true make three; one of which it is not makes none. */
UNIT_TEST(time_is_that_of_intervals)
{
	struct condition *c = made("cpu% of cc1plus > 1 for 3s");
	struct condition_row row;
	struct snapshot *idle;

	assert_int_equal(look(c, 1, &row), CONDITION_NOT_YET);
	assert_int_equal(look(c, 1.01, &row), CONDITION_NOT_YET);
	assert_int_equal(look(c, 0.98, &row), CONDITION_TRUE);
	assert_int_equal(look(c, 1, &row), CONDITION_TRUE);
	idle = sample_snapshot(true);
	for (size_t i = 0; i < idle->process_count; i++)
		idle->processes[i].cpu_percent = 0;
	view_set_snapshot(condition_view(c), idle);
	assert_int_equal(condition_look(c, &row), CONDITION_FALSE);
	assert_int_equal(look(c, 1, &row), CONDITION_NOT_YET);
	condition_free(c);
}

UNIT_TEST(what_is_absent_makes_nothing_true)
{
	struct condition *c = made("cpu% < 1000");
	struct snapshot *s = sample_snapshot(true);
	struct condition_row row;

	for (size_t i = 0; i < s->process_count; i++)
		s->processes[i].cpu_percent = NAN;
	view_set_snapshot(condition_view(c), s);
	assert_int_equal(condition_look(c, &row), CONDITION_FALSE);
	assert_true(isnan(row.number));
	condition_free(c);
}

UNIT_TEST(mistakes_name_what_would_work)
{
	assert_refused("cup > 5", "did you mean '%cpu'");
	assert_refused("cup > 5", "psi.io.full");
	assert_refused("nothing-like-it > 5", "--sort help");
	assert_refused("command > 5", "no number");
	assert_refused("cpu% = 5", ">=");
	assert_refused("cpu% of > 5", "name of a row");
	assert_refused("cpu% of \"x > 5", "quote");
	assert_refused("cpu% pid 0 > 5", "pid");
	assert_refused("cpu% pid 1.5 > 5", "pid");
	assert_refused("symbol.overhead% pid 1 > 5", "pid");
	assert_refused("machine.cpu% of x > 5", "no rows");
	assert_refused("cpu% > ", "number");
	assert_refused("cpu% > -1", "number");
	assert_refused("cpu% > 5 always", "for");
	assert_refused("p99( > 5", "event");
	assert_refused("> 5", "column");
}

UNIT_TEST(it_says_what_decided)
{
	struct condition *c = made("res pid 4123 > 0");
	struct condition_row row;
	struct buf text = { 0 };

	look(c, 1, &row);
	condition_describe(c, &row, &text);
	assert_int_equal(strncmp(text.bytes, "res pid 4123 > 0: ", 18), 0);
	assert_non_null(strstr(text.bytes, ", pid 4123)"));
	buf_fini(&text);
	condition_free(c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_largest_or_smallest_row_decides),
		cmocka_unit_test(rows_are_chosen),
		cmocka_unit_test(any_column_of_any_table_works),
		cmocka_unit_test(the_machine_has_figures),
		cmocka_unit_test(the_event_is_chosen),
		cmocka_unit_test(units_are_those_of_columns),
		cmocka_unit_test(time_is_that_of_intervals),
		cmocka_unit_test(what_is_absent_makes_nothing_true),
		cmocka_unit_test(mistakes_name_what_would_work),
		cmocka_unit_test(it_says_what_decided),
	};

	return unit_run(tests);
}
