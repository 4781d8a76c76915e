/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unit.h"

#include <math.h>

#include "view/expression.h"

/* Names as on a machine; "cpu-cycles" is another word for "cycles". */
static const char *const known[] = { "cycles",
				     "instructions",
				     "cache-misses",
				     "cache-references",
				     "L1-dcache-loads",
				     "sched:sched_switch",
				     "r1a8",
				     "a",
				     "b" };

static bool find(void *context, const char *name, struct buf *canonical)
{
	(void)context;
	if (!strcmp(name, "cpu-cycles"))
		name = "cycles";
	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++) {
		if (!strcmp(known[i], name)) {
			buf_add_str(canonical, name);
			return true;
		}
	}
	if (strcmp(name, "cpu/event=0x3c,umask=1/"))
		return false;
	buf_add_str(canonical, name);
	return true;
}

static void suggest(void *context, struct nearest *nearest)
{
	(void)context;
	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		nearest_try(nearest, known[i]);
}

static const struct expression_names names = { .find = find, .suggest = suggest };

static struct expression *parse(const char *text)
{
	struct error err = { "" };
	struct expression *e = expression_parse(text, strlen(text), &names, &err);

	if (!e)
		fail_msg("%s", err.text);
	return e;
}

/* With the inputs 1, 2, 3 … in the order of the names. */
static double value(const char *text)
{
	struct expression *e = parse(text);
	double inputs[EXPRESSION_STEPS], result;

	for (size_t i = 0; i < expression_inputs(e); i++)
		inputs[i] = (double)i + 1;
	result = expression_value(e, inputs);
	expression_free(e);
	return result;
}

UNIT_TEST(test_arithmetic)
{
	static const struct {
		const char *text;
		double value;
	} cases[] = {
		{ "1", 1 },           { "1.5", 1.5 },     { ".5", 0.5 },       { "2.", 2 },
		{ "1e3", 1000 },      { "2.5E-1", 0.25 }, { "1e+2", 100 },     { "1 + 2 * 3", 7 },
		{ "(1 + 2) * 3", 9 }, { "7 - 2 - 1", 4 }, { "24 / 4 / 2", 3 }, { "2 * 3 / 4", 1.5 },
		{ "-3", -3 },         { "- 3 + 5", 2 },   { "2 * -3", -6 },    { "2--3", 5 },
		{ "--3", 3 },         { "-(1+2)*2", -6 }, { "1-2", -1 },       { " \t1\t", 1 },
		{ "((((1))))", 1 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		if (value(cases[i].text) != cases[i].value)
			fail_msg("%s: %g", cases[i].text, value(cases[i].text));
	}
}

UNIT_TEST(test_names)
{
	static const struct {
		const char *text;
		const char *inputs;
		double value;
	} cases[] = {
		{ "cycles", "cycles", 1 },
		{ "cycles/instructions", "cycles instructions", 0.5 },
		{ "cycles / cycles", "cycles", 1 },
		{ "cpu-cycles + cycles", "cycles", 2 },
		{ "1000 * cache-misses / instructions", "cache-misses instructions", 500 },
		{ "cycles-instructions", "cycles instructions", -1 },
		{ "cycles -instructions", "cycles instructions", -1 },
		{ "cycles- instructions", "cycles instructions", -1 },
		{ "cache-misses-cache-references", "cache-misses cache-references", -1 },
		{ "L1-dcache-loads-1", "L1-dcache-loads", 0 },
		{ "a-b", "a b", -1 },
		{ "a--b", "a b", 3 },
		{ "a-(b)", "a b", -1 },
		{ "a-1e1", "a", -9 },
		{ "sched:sched_switch*2", "sched:sched_switch", 2 },
		{ "\"cpu/event=0x3c,umask=1/\"/cycles", "cpu/event=0x3c,umask=1/ cycles", 0.5 },
		{ "-a", "a", -1 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct expression *e = parse(cases[i].text);
		struct buf inputs = { 0 };

		for (size_t j = 0; j < expression_inputs(e); j++)
			buf_printf(&inputs, "%s%s", j ? " " : "", expression_input(e, j));
		assert_string_equal(inputs.bytes, cases[i].inputs);
		assert_true(value(cases[i].text) == cases[i].value);
		buf_fini(&inputs);
		expression_free(e);
	}
}

static void assert_absent(const char *text, double a, double b)
{
	struct expression *e = parse(text);
	const double inputs[] = { a, b };

	assert_true(isnan(expression_value(e, inputs)));
	expression_free(e);
}

UNIT_TEST(test_absent)
{
	assert_absent("a / b", NAN, 1);
	assert_absent("a / b", 1, NAN);
	assert_absent("a / b", 1, 0);
	assert_absent("a / b", 0, 0);
	assert_absent("0 * a", NAN, 0);
	assert_absent("a + b / (a - a)", 1, 2);
	assert_absent("a * a", 1e308, 0);
	assert_absent("-a", NAN, 0);
}

UNIT_TEST(test_mistakes)
{
	static const struct {
		const char *text, *error;
	} cases[] = {
		{ "", "expression '', at its end: a number, an event or '(' belongs here" },
		{ "1 +", "expression '1 +', at its end: a number, an event or '(' belongs here" },
		{ "1 2", "expression '1 2', column 3, '2': an operator is missing before it" },
		{ "(1", "expression '(1', column 1, '(': the parenthesis is not closed" },
		{ "(1 2)",
		  "expression '(1 2)', column 4, '2': an operator or ')' is missing before "
		  "it" },
		{ "1)", "expression '1)', column 2, ')': an operator is missing before it" },
		{ "*1", "expression '*1', column 1, '*': a number, an event or '(' belongs here" },
		{ "1 + \"a", "expression '1 + \"a', column 5, '\"': the quote is not closed" },
		{ "\"\"", "there is no such event" },
		{ "2cycles", "column 1, '2c': this is neither a number nor a name" },
		{ "1.2.3", "column 1, '1.2.': this is neither a number nor a name" },
		{ "2 * cycels/a",
		  "column 5, 'cycels': there is no such event; did you mean 'cycles'?" },
		{ "cache-miss",
		  "'cache-miss': there is no such event; did you mean 'cache-misses'?" },
		{ "cycles-xyzzy", "column 8, 'xyzzy': there is no such event; ptop --list-events" },
		{ "a % b", "column 3, '%': an operator is missing before it" },
		{ "123456789012345678901234567890123456789012345", "the number is too long" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct error err = { "" };

		assert_null(expression_parse(cases[i].text, strlen(cases[i].text), &names, &err));
		if (!strstr(err.text, cases[i].error))
			fail_msg("'%s': %s", cases[i].text, err.text);
	}
}

/* COUNT times PIECE, and END. */
static bool parses(const char *piece, size_t count, const char *end)
{
	struct buf text = { 0 };
	struct error err = { "" };
	struct expression *e;
	bool parsed;

	for (size_t i = 0; i < count; i++)
		buf_add_str(&text, piece);
	buf_add_str(&text, end);
	e = expression_parse(text.bytes, text.size, &names, &err);
	parsed = e != NULL;
	assert_true(parsed == !err.text[0]);
	expression_free(e);
	buf_fini(&text);
	return parsed;
}

UNIT_TEST(test_limits)
{
	assert_true(parses("-", EXPRESSION_DEPTH - 1, "1"));
	assert_false(parses("-", EXPRESSION_DEPTH, "1"));
	assert_false(parses("(", 100000, "1"));
	assert_true(parses("1+", EXPRESSION_STEPS / 2 - 1, "1"));
	assert_false(parses("1+", EXPRESSION_STEPS / 2, "1"));
	assert_false(parses("a", 257, ""));
	assert_false(parses("a-", 100000, "a"));
}

/* Only SIZE bytes are looked at. */
UNIT_TEST(test_size)
{
	struct error err = { "" };
	struct expression *e = expression_parse("12+3", 2, &names, &err);

	assert_non_null(e);
	assert_true(expression_value(e, NULL) == 12);
	expression_free(e);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_arithmetic), cmocka_unit_test(test_names),
		cmocka_unit_test(test_absent),     cmocka_unit_test(test_mistakes),
		cmocka_unit_test(test_limits),     cmocka_unit_test(test_size),
	};

	return unit_run(tests);
}
