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

/* Looks at S, which goes. */
static enum condition_state look_at(struct condition *c, struct snapshot *s,
				    struct condition_row *row)
{
	enum condition_state state = condition_look(c, s, row);

	row->name = NULL; /* it goes with the snapshot */
	condition_forget(c);
	snapshot_free(s);
	return state;
}

/* Looks at a snapshot of the sample's rows that took INTERVAL_S. */
static enum condition_state look(struct condition *c, double interval_s, struct condition_row *row)
{
	struct snapshot *s = sample_snapshot(true);

	s->interval_s = interval_s;
	return look_at(c, s, row);
}

static enum condition_state state_of(const char *text, struct condition_row *row)
{
	struct condition *c = made(text);
	enum condition_state state = look(c, 1, row);

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
	assert_state("machine.tasks < 1M", CONDITION_TRUE);
	assert_refused("res > 10ms", "bytes");
	assert_refused("p99 > 3%", "milliseconds");
	assert_refused("cpu > 90 for 5", "unit");
	assert_refused("cpu > 90 for 5K", "unit");
}

static void assert_units(const char *unit, const char *expected)
{
	struct buf out = { 0 };

	condition_units(unit, &out);
	assert_string_equal(out.size ? out.bytes : "", expected);
	buf_fini(&out);
}

UNIT_TEST(units_can_be_listed)
{
	assert_units("bytes a second", "K M G T");
	assert_units("percent of one CPU", "%");
	assert_units("milliseconds", "us ms s min");
	assert_units("number", "K M G");
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
	assert_int_equal(look_at(c, idle, &row), CONDITION_FALSE);
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
	assert_int_equal(look_at(c, s, &row), CONDITION_FALSE);
	assert_true(isnan(row.number));
	condition_free(c);
}

UNIT_TEST(mistakes_name_what_would_work)
{
	assert_refused("cup > 5", "did you mean '%cpu'");
	assert_refused("cup > 5", "--when help");
	assert_refused("nothing-like-it > 5", "--when help");
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

/* What is said of the sample's rows; owned by the caller. */
static char *said(const char *condition)
{
	struct snapshot *s = sample_snapshot(true);
	struct condition *c = made(condition);
	struct condition_row row;
	struct buf text = { 0 };

	condition_look(c, s, &row);
	condition_describe(c, &text);
	condition_forget(c);
	condition_free(c);
	snapshot_free(s);
	return text.bytes;
}

UNIT_TEST(it_says_what_decided)
{
	char *one = said("res pid 4123 > 0");
	char *two = said("res pid 4123 > 1T or machine.tasks > 0");

	assert_int_equal(strncmp(one, "res pid 4123 > 0: ", 18), 0);
	assert_non_null(strstr(one, ", pid 4123)"));
	assert_int_equal(strncmp(two, "res pid 4123 > 1T or machine.tasks > 0: res ", 44), 0);
	assert_non_null(strstr(two, ", pid 4123), machine.tasks "));
	free(one);
	free(two);
	two = said("samples(page-faults) > 1 or machine.tasks > 0");
	assert_non_null(strstr(two, ": samples(page-faults) -, machine.tasks "));
	free(two);
}

/* FORM with a comparison in the place of A to D: each is true where its bit is set.  Owned by the caller. */
static char *formed(const char *form, unsigned bits)
{
	struct buf text = { 0 };

	for (; *form; form++) {
		if (*form < 'A' || *form > 'D')
			buf_add_char(&text, *form);
		else
			buf_add_str(&text, bits >> (*form - 'A') & 1 ? "machine.tasks >= 0"
								     : "machine.tasks < 0");
	}
	return text.bytes;
}

/* C's own operators are the oracle, with the parentheses that they need. */
UNIT_TEST(and_binds_stronger_than_or)
{
	for (unsigned bits = 0; bits < 16; bits++) {
		bool a = bits & 1, b = bits & 2, c = bits & 4, d = bits & 8;
		const struct {
			const char *form;
			bool expected;
		} forms[] = {
			{ "A and B and C and D", a && b && c && d },
			{ "A or B or C or D", a || b || c || d },
			{ "A or B and C or D", a || (b && c) || d },
			{ "A and B or C and D", (a && b) || (c && d) },
			{ "A and (B or C) and D", a && (b || c) && d },
			{ "A and(B or C and(D))", a && (b || (c && d)) },
			{ "((A or B) and (C or D))", (a || b) && (c || d) },
		};

		for (size_t i = 0; i < sizeof(forms) / sizeof(*forms); i++) {
			char *text = formed(forms[i].form, bits);

			assert_state(text, forms[i].expected ? CONDITION_TRUE : CONDITION_FALSE);
			free(text);
		}
	}
}

/* What is not true for long enough leaves `and` waiting; `or` has what is true already. */
UNIT_TEST(each_comparison_has_a_time_of_its_own)
{
	struct condition *both = made("machine.tasks > 0 for 3s and machine.mem > 0 for 1s");
	struct condition *one = made("machine.tasks > 0 for 3s or machine.mem > 1T");
	struct condition_row row;

	for (int i = 0; i < 3; i++) {
		enum condition_state expected = i < 2 ? CONDITION_NOT_YET : CONDITION_TRUE;

		assert_int_equal(look(both, 1, &row), expected);
		assert_int_equal(look(one, 1, &row), expected);
	}
	condition_free(both);
	condition_free(one);
	assert_state("machine.tasks > 0 for 3s or machine.mem > 0", CONDITION_TRUE);
	assert_state("machine.tasks > 0 for 3s and machine.mem < 0", CONDITION_FALSE);
}

UNIT_TEST(the_first_that_is_true_decides)
{
	struct snapshot *s = sample_snapshot(true);
	struct condition_row row;

	state_of("res pid 4123 > 0 and machine.tasks > 0", &row);
	assert_int_equal(row.pid, 4123);
	state_of("machine.tasks > 0 and res pid 4123 > 0", &row);
	assert_true(row.number == (double)s->host.tasks);
	state_of("machine.tasks < 0 or res pid 4123 > 0", &row);
	assert_int_equal(row.pid, 4123);
	state_of("machine.tasks < 0 or res pid 4123 > 0 or machine.mem > 0", &row);
	assert_int_equal(row.pid, 4123);
	snapshot_free(s);
}

UNIT_TEST(mistakes_in_what_is_joined)
{
	struct buf many = { 0 }, deep = { 0 };

	assert_refused("cpu > 5 and", "at its end: the name of a column");
	assert_refused("cpu% of", "at its end: the name of a row");
	assert_refused("cpu > 5 or or cpu > 6", "column 15: ");
	assert_refused("cpu > 5 cpu > 6", "'and'");
	assert_refused("cpu > 5, cpu > 6", "','");
	assert_refused("(cpu > 5", "')'");
	assert_refused("cpu > 5)", "column 8: ");
	assert_refused("()", "column 2: ");
	assert_refused("cpu > 5 and cup > 6", "column 13: ");
	for (int i = 0; i < 16; i++) {
		buf_printf(&many, "%scpu > 5", i ? " and " : "");
		buf_add_char(&deep, '(');
	}
	condition_free(made(many.bytes));
	buf_add_str(&many, " and cpu > 5");
	assert_refused(many.bytes, "too many comparisons");
	assert_refused(deep.bytes, "column");
	buf_add_char(&deep, '(');
	assert_refused(deep.bytes, "too many parentheses");
	buf_fini(&many);
	buf_fini(&deep);
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
		cmocka_unit_test(units_can_be_listed),
		cmocka_unit_test(time_is_that_of_intervals),
		cmocka_unit_test(what_is_absent_makes_nothing_true),
		cmocka_unit_test(mistakes_name_what_would_work),
		cmocka_unit_test(it_says_what_decided),
		cmocka_unit_test(and_binds_stronger_than_or),
		cmocka_unit_test(each_comparison_has_a_time_of_its_own),
		cmocka_unit_test(the_first_that_is_true_decides),
		cmocka_unit_test(mistakes_in_what_is_joined),
	};

	return unit_run(tests);
}
