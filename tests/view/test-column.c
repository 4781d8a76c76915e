/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unit.h"

#include <ctype.h>
#include <math.h>

#include "profile/sample-snapshot.h"
#include "view/choice.h"
#include "view/list/columns.h"
#include "view/list/list.h"
#include "view/list/sort.h"
#include "view/widget/column.h"
#include "view/golden.h"
#include "view/widget/text.h"
#include "view/view.h"

#define ASSERTED_TABLES 2 /* processes and symbols: what is chosen of the others does not differ */

UNIT_TEST(test_rows_are_complete)
{
	for (int t = 0; column_table(t); t++) {
		size_t rest = 0, count = 0;

		for (const struct column *c = column_table(t)->columns; c->name; c++, count++) {
			assert_non_null(c->title);
			assert_true(*c->unit && *c->help);
			assert_int_equal(!!c->number + !!c->evaluate, c->type == COLUMN_NUMBER);
			assert_true(c->type == COLUMN_TEXT ? (c->text || c->field.row) && !c->format
							   : c->format && !c->text);
			assert_ptr_equal(column_find(column_table(t)->columns, c->name), c);
			assert_true(!c->width || text_width(c->title) <= c->width);
			if (c->share) /* what fills a bar */
				assert_true(c->type == COLUMN_NUMBER &&
					    !strncmp(c->unit, "percent of ", 11));
			rest += !c->width;
		}
		assert_int_equal(rest, 1);
		assert_true(count < CHOICE_COLUMNS);
	}
}

#define SORTED 2000

struct unsorted {
	struct snapshot_process rows[SORTED];
	uint64_t ties[SORTED];
};

static void unsorted_fill(const void *context, size_t i, struct column_row *row)
{
	row->process = &((const struct unsorted *)context)->rows[i];
}

static uint64_t unsorted_tie(const void *context, size_t i)
{
	return ((const struct unsorted *)context)->ties[i];
}

/* A number, or absence, that few rows have: 0 is idle.  One in BUSY rows is busy. */
static double some_number(unsigned *seed, unsigned busy)
{
	unsigned number = (unsigned)rand_r(seed);

	if (number % busy == 0)
		return number % 100 + 1;
	return number % 3 ? 0 : NAN;
}

/* Each row stands before the next one: by number, absent ones last, then by its tie. */
static void check_order(const struct unsorted *u, const uint32_t *order, bool descending)
{
	bool met[SORTED] = { false };

	for (size_t i = 0; i < SORTED; i++) {
		double a = u->rows[order[i]].cpu_percent, b;

		assert_false(met[order[i]]);
		met[order[i]] = true;
		if (i + 1 == SORTED)
			break;
		b = u->rows[order[i + 1]].cpu_percent;
		if (isnan(a) != isnan(b))
			assert_true(isnan(b));
		else if (isnan(a) || a == b)
			assert_true(u->ties[order[i]] < u->ties[order[i + 1]]);
		else
			assert_true(descending ? a > b : a < b);
	}
}

/* Mostly idle rows, and mostly busy ones; in the order of their ties, and in another. */
UNIT_TEST(test_sort)
{
	struct unsorted u = { .ties = { 0 } };
	const struct sort_rows rows = { SORTED, unsorted_fill, unsorted_tie, &u };
	struct choice_sort by = { .count = 1 };
	unsigned seed = 1;

	by.keys[0].column = column_find(column_table(0)->columns, "%cpu");
	for (int round = 0; round < 16; round++) {
		uint32_t *order;

		by.keys[0].descending = round & 1;
		for (size_t i = 0; i < SORTED; i++) {
			u.rows[i].cpu_percent = some_number(&seed, round & 2 ? 2 : 40);
			u.ties[i] = round & 4 ? i * 7919 % SORTED : i;
		}
		order = sort_order(&rows, &by);
		check_order(&u, order, by.keys[0].descending);
		free(order);
	}
}

UNIT_TEST(test_name_is_the_title)
{
	for (int t = 0; column_table(t); t++) {
		for (const struct column *c = column_table(t)->columns; c->name; c++) {
			size_t i = 0;

			for (; c->title[i]; i++)
				assert_int_equal(tolower((unsigned char)c->title[i]), c->name[i]);
			assert_int_equal(c->name[i], '\0');
		}
	}
}

UNIT_TEST(test_find)
{
	assert_string_equal(column_find(list_processes.table->columns, "CPU")->name, "%cpu");
	assert_string_equal(column_find(list_processes.table->columns, "cpu%")->name, "%cpu");
	assert_string_equal(column_find(list_processes.table->columns, "time")->name, "time+");
	assert_string_equal(column_find(list_processes.table->columns, "br-miss")->name,
			    "br-miss%");
	assert_string_equal(column_find(list_processes.table->columns, "misses")->name, "misses");
	assert_string_equal(column_find(list_symbols.table->columns, "Samples")->name, "samples");
	assert_null(column_find(list_processes.table->columns, "cp"));
	assert_null(column_find(list_processes.table->columns, "cpux"));
	assert_null(column_find(list_processes.table->columns, ""));
	assert_null(column_find(list_processes.table->columns, "%"));
}

static const double numbers[] = {
	0,      0.04,   0.05,   0.4,     0.99,  0.995, 1,      9.994, 9.996, 10,
	99.94,  99.96,  100,    999.4,   999.6, 9999,  9999.6, 10000, 12800, 99999,
	100000, 999499, 999600, 4194304, 1e7,   1e9,   4e9,    1e12,  1e15,  1e18,
};

/*
 * The largest number of a column, as far as its meaning limits it: a pid has seven digits at most.
 */
static double number_limit(const struct column *c)
{
	static const char *const of_cpus[] = { "online", "core", "llc", "node", "package" };

	if (!strcmp(c->name, "ni"))
		return 19;
	if (!strcmp(c->name, "pr"))
		return 139;
	if (!strcmp(c->name, "offset"))
		return 1 << 20; /* bytes of a function that are read */
	for (size_t i = 0; i < sizeof(of_cpus) / sizeof(*of_cpus); i++) {
		if (!strcmp(c->name, of_cpus[i]))
			return CPU_LIMIT - 1;
	}
	return strstr(c->name, "pid") ? 4194304 : 1e18;
}

static void check_format(const struct column *c, double number)
{
	char out[32];

	if (c->type == COLUMN_TEXT || number > number_limit(c))
		return;
	c->format(out, number);
	if (text_width(out) > c->width || !*out)
		fail_msg("%s: '%s' for %g is wider than %d", c->name, out, number, c->width);
}

UNIT_TEST(test_formats_fit)
{
	for (int t = 0; column_table(t); t++) {
		for (const struct column *c = column_table(t)->columns; c->name; c++) {
			for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
				check_format(c, numbers[i]);
		}
	}
}

UNIT_TEST(test_negative_numbers_fit)
{
	char out[32];

	column_find(list_processes.table->columns, "ni")->format(out, -20);
	assert_string_equal(out, "-20");
	column_find(list_processes.table->columns, "pr")->format(out, -100);
	assert_string_equal(out, "-100");
}

/* A task of which nothing is known but its pid; no counters, no samples, no memory size. */
UNIT_TEST(test_absent_is_absent)
{
	struct snapshot *s = snapshot_new();
	struct column_row row = { .snapshot = s, .samples_percent = NAN, .delta_percent = NAN };

	snapshot_alloc_events(s, 1);
	sample_event(&s->events[0], "cpu-clock");
	snapshot_alloc_processes(s, 1);
	s->processes[0].pid = 7;
	s->processes[0].user = s->processes[0].comm = s->processes[0].command = "";
	row.process = &s->processes[0];
	for (const struct column *c = list_processes.table->columns; c->name; c++) {
		char out[32] = "";

		if (!strcmp(c->name, "pid") || !strcmp(c->name, "ppid"))
			continue;
		if (c->type == COLUMN_TEXT) {
			assert_null(column_text(c, &row));
			continue;
		}
		assert_true(isnan(column_number(c, &row)));
		column_format(c, &row, out);
		assert_string_equal(out, "-");
	}
	snapshot_free(s);
}

static double symbol_number(const char *column, const struct column_row *row)
{
	return column_number(column_find(list_symbols.table->columns, column), row);
}

UNIT_TEST(test_absent_symbol)
{
	struct snapshot *s = sample_snapshot(false);
	struct symbol_row symbol = { .frame = s->cells[0].frame, .overhead_percent = NAN };
	struct column_row row = { .snapshot = s, .symbol = &symbol };

	assert_true(isnan(symbol_number("overhead%", &row)));
	assert_true(isnan(symbol_number("ipc", &row)));
	assert_true(isnan(symbol_number("miss%", &row)));
	assert_true(isnan(symbol_number("pid", &row)));
	assert_null(column_text(column_find(list_symbols.table->columns, "comm"), &row));
	snapshot_free(s);
}

static struct snapshot *counted(double instructions, double cycles)
{
	struct snapshot *s = snapshot_new();

	snapshot_alloc_events(s, 2);
	s->events[0] = (struct snapshot_event){ .enabled = true };
	s->events[1] = (struct snapshot_event){ .enabled = true };
	sample_event(&s->events[0], "instructions");
	sample_event(&s->events[1], "cycles");
	snapshot_link_counters(s);
	snapshot_alloc_processes(s, 1);
	snapshot_values(s, 0)[0] = instructions;
	snapshot_values(s, 0)[1] = cycles;
	return s;
}

static void assert_ipc(double instructions, double cycles, const char *text)
{
	struct snapshot *s = counted(instructions, cycles);
	struct column_row row = { .snapshot = s, .process = &s->processes[0] };
	char out[32];

	column_format(column_find(list_processes.table->columns, "ipc"), &row, out);
	assert_string_equal(out, text);
	snapshot_free(s);
}

UNIT_TEST(test_ratio)
{
	assert_ipc(183, 100, "1.83");
	assert_ipc(0, 100, "0.00");
	assert_ipc(100, 0, "-");
	assert_ipc(NAN, 100, "-");
	assert_ipc(100, NAN, "-");
}

/* A process for which these and no others were counted, in 2 s. */
static void assert_shown(const char *column, const char *text, double cycles, double clock_ns,
			 double stalled_front, double stalled_back)
{
	static const char *const names[] = { "cycles", "task-clock", "stalled-cycles-frontend",
					     "stalled-cycles-backend" };
	const double values[] = { cycles, clock_ns, stalled_front, stalled_back };
	struct snapshot *s = snapshot_new();
	struct column_row row = { .snapshot = s };
	char out[32];

	snapshot_alloc_events(s, 4);
	for (size_t i = 0; i < 4; i++)
		sample_event(&s->events[i], names[i]);
	snapshot_link_counters(s);
	snapshot_alloc_processes(s, 1);
	memcpy(snapshot_values(s, 0), values, sizeof(values));
	row.process = &s->processes[0];
	column_format(column_find(list_processes.table->columns, column), &row, out);
	assert_string_equal(out, text);
	snapshot_free(s);
}

UNIT_TEST(test_clock_and_stalls)
{
	assert_shown("ghz", "2.50", 5e9, 2e9, NAN, NAN);
	assert_shown("ghz", "-", 5e9, NAN, NAN, NAN);
	assert_shown("ghz", "-", 5e9, 0, NAN, NAN);
	assert_shown("stall%", "25.0", 400, NAN, 60, 40);
	assert_shown("stall%", "15.0", 400, NAN, 60, NAN);
	assert_shown("stall%", "10.0", 400, NAN, NAN, 40);
	assert_shown("stall%", "-", 400, NAN, NAN, NAN);
	assert_shown("stall%", "-", NAN, NAN, 60, 40);
}

UNIT_TEST(test_rates)
{
	static const char *const columns[][2] = { { "faults/s", "page-faults" },
						  { "csw/s", "context-switches" },
						  { "migr/s", "cpu-migrations" } };

	for (size_t i = 0; i < 3; i++) {
		struct snapshot *s = counted(600, NAN);
		struct column_row row = { .snapshot = s, .process = &s->processes[0] };
		const struct column *c = column_find(list_processes.table->columns, columns[i][0]);

		sample_event(&s->events[0], columns[i][1]);
		snapshot_link_counters(s);
		assert_true(isnan(column_number(c, &row))); /* there is no interval yet */
		s->interval_s = 4;
		assert_true(column_number(c, &row) == 150);
		sample_event(&s->events[0], "cpu-clock");
		snapshot_link_counters(s);
		assert_true(isnan(column_number(c, &row)));
		snapshot_free(s);
	}
}

UNIT_TEST(test_counted)
{
	struct snapshot *s = counted(1, 1);

	assert_int_equal(column_counted(s), 1u << EVENT_INSTRUCTIONS | 1u << EVENT_CYCLES);
	s->events[0].enabled = false;
	assert_int_equal(column_counted(s), 1u << EVENT_CYCLES);
	s->events[1].error = "no";
	assert_int_equal(column_counted(s), 0);
	snapshot_free(s);
}

static void assert_columns(const char *text, const char *processes, const char *symbols)
{
	const char *const expected[ASSERTED_TABLES] = { processes, symbols };
	struct choice_columns columns[CHOICE_TABLES];
	struct custom *custom = custom_new(NULL);
	struct error err = { "" };

	assert_int_equal(choice_columns_parse(columns, text, custom, &err), 0);
	for (int t = 0; t < ASSERTED_TABLES; t++) {
		struct buf names = { 0 };

		buf_add_str(&names, "");
		for (size_t i = 0; i < columns[t].count; i++)
			buf_printf(&names, "%s%s", i ? " " : "", columns[t].items[i]->name);
		assert_string_equal(names.bytes, expected[t]);
		buf_fini(&names);
	}
	custom_free(custom);
}

#define PROCESS_DEFAULT "pid user s %cpu %mem res thr ipc miss% samples% command"
#define SYMBOL_DEFAULT "overhead% samples object symbol"

UNIT_TEST(test_choose_columns)
{
	assert_columns("", PROCESS_DEFAULT, SYMBOL_DEFAULT);
	assert_columns("pid,IPC,command", "pid ipc command", SYMBOL_DEFAULT);
	assert_columns("command,pid", "command pid", SYMBOL_DEFAULT);
	assert_columns("samples,symbol", PROCESS_DEFAULT, "samples symbol");
	assert_columns("samples%", "samples%", SYMBOL_DEFAULT);
	assert_columns("symbol.pid,symbol", PROCESS_DEFAULT, "pid symbol");
	assert_columns("pid,symbol.ipc", "pid", "ipc");
	assert_columns("+time,-user,-thr", "pid s %cpu %mem res ipc miss% samples% time+ command",
		       SYMBOL_DEFAULT);
	assert_columns("+period", PROCESS_DEFAULT, "overhead% samples object period symbol");
	assert_columns("pid,pid,%cpu", "pid %cpu", SYMBOL_DEFAULT);
	assert_columns(" pid , command ", "pid command", SYMBOL_DEFAULT);
	assert_columns("pid,-pid", "", SYMBOL_DEFAULT);
}

static void assert_sort(const char *text, const char *processes, const char *symbols)
{
	const char *const expected[ASSERTED_TABLES] = { processes, symbols };
	struct choice_sort sort[CHOICE_TABLES];
	struct custom *custom = custom_new(NULL);
	struct error err = { "" };

	choice_sort_default(sort, custom);
	assert_int_equal(choice_sort_parse(sort, text, list_table(&list_processes), custom, &err),
			 0);
	for (int t = 0; t < ASSERTED_TABLES; t++) {
		struct buf keys = { 0 };

		buf_add_str(&keys, "");
		for (size_t i = 0; i < sort[t].count; i++)
			buf_printf(&keys, "%s%c%s", i ? " " : "",
				   sort[t].keys[i].descending ? '-' : '+',
				   sort[t].keys[i].column->name);
		assert_string_equal(keys.bytes, expected[t]);
		buf_fini(&keys);
	}
	custom_free(custom);
}

static void assert_sort_is_read_back(const char *text)
{
	struct choice_sort sort[CHOICE_TABLES], again[CHOICE_TABLES];
	struct custom *custom = custom_new(NULL);
	struct buf written = { 0 };
	struct error err = { "" };

	choice_sort_default(sort, custom);
	assert_int_equal(choice_sort_parse(sort, text, list_table(&list_processes), custom, &err),
			 0);
	choice_sort_reverse(&sort[list_table(&list_processes)]);
	choice_sort_format(&written, sort);
	choice_sort_default(again, custom);
	assert_int_equal(
		choice_sort_parse(again, written.bytes, list_table(&list_symbols), custom, &err),
		0);
	for (int t = 0; column_table(t); t++) {
		assert_int_equal(again[t].count, sort[t].count);
		for (size_t i = 0; i < sort[t].count; i++) {
			assert_ptr_equal(again[t].keys[i].column, sort[t].keys[i].column);
			assert_int_equal(again[t].keys[i].descending, sort[t].keys[i].descending);
		}
	}
	buf_fini(&written);
	custom_free(custom);
}

UNIT_TEST(test_write_sort)
{
	assert_sort_is_read_back("");
	assert_sort_is_read_back("pid,symbol.pid,-ipc,+symbol.ipc");
}

UNIT_TEST(test_choose_sort)
{
	assert_sort("", "-%cpu -samples% -time+", "-overhead%");
	assert_sort("ipc", "-ipc", "-overhead%");
	assert_sort("+ipc,-pid", "+ipc -pid", "-overhead%");
	assert_sort("user,cpu", "+user -%cpu", "-overhead%");
	assert_sort("symbol", "-%cpu -samples% -time+", "+symbol");
	assert_sort("mem,object,overhead", "-%mem", "+object -overhead%");
	assert_sort("pid,user,s,cpu,mem", "+pid +user +s -%cpu", "-overhead%");
}

UNIT_TEST(test_unknown_names)
{
	static const char *const wrong[] = { "nosuch",         "pid,nosuch", "symbol.",
					     "symbol.user",    "-",          "+,pid",
					     "process.symbol", "p\033[2Jid" };
	struct choice_columns columns[CHOICE_TABLES];
	struct choice_sort sort[CHOICE_TABLES];
	struct custom *custom = custom_new(NULL);

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct error err = { "" };

		choice_sort_default(sort, custom);
		assert_int_equal(choice_columns_parse(columns, wrong[i], custom, &err), -1);
		assert_non_null(strstr(err.text, "--columns"));
		assert_null(strchr(err.text, '\033'));
		assert_int_equal(
			choice_sort_parse(sort, wrong[i], list_table(&list_symbols), custom, &err),
			-1);
		assert_non_null(strstr(err.text, "--sort help"));
	}
	custom_free(custom);
}

UNIT_TEST(test_define_columns)
{
	assert_columns("cpb=cycles/branches",
		       "pid user s %cpu %mem res thr ipc miss% samples% cpb command",
		       SYMBOL_DEFAULT);
	assert_columns("cpb=cycles/branches,pid,command", "cpb pid command", SYMBOL_DEFAULT);
	assert_columns("pid,CPB = cycles / branches ,command", "pid cpb command", SYMBOL_DEFAULT);
	assert_columns("pid,+cpb=cycles,command", "pid cpb command", SYMBOL_DEFAULT);
	assert_columns("pid,symbol.x=cycles", "pid", "overhead% samples object x symbol");
	assert_columns("pid,x=cycles,symbol.x", "pid x", "x");
	assert_columns("pid,x=\"cpu/a=1,b=2/\",user", "pid x user", SYMBOL_DEFAULT);
	assert_columns("pid,-x=cycles", "pid", SYMBOL_DEFAULT);
}

static const struct metric halves[] = {
	{ "half%", "100 * cycles / (instructions + cycles)", "a share", METRIC_PERCENT, 50,
	  "deeper" },
	{ "rest%", "100 - 200 * cycles / instructions", "the rest", METRIC_PERCENT, 0, NULL },
};
static const struct metric heat[] = {
	{ "watts", "cycles / interval", "heat", METRIC_WATTS, 0, NULL },
};
static const struct metric_group metric_groups[] = {
	{ "halves", "two", false, halves, 2 },
	{ "heat", "of sockets", true, heat, 1 },
	{ "absent", "not here", false, NULL, 0 },
};

static const struct metric_group *metric_group(void *context, size_t i)
{
	(void)context;
	return i < 3 ? &metric_groups[i] : NULL;
}

static bool any_name(void *context, const char *name, struct buf *canonical)
{
	(void)context;
	buf_add_str(canonical, name);
	return true;
}

static const struct expression_names with_metrics = { .find = any_name, .metrics = metric_group };

static void add_names(struct buf *out, const struct choice_columns *columns)
{
	for (size_t i = 0; i < columns->count; i++)
		buf_printf(out, " %s", columns->items[i]->name);
}

static void assert_same(const struct choice_columns *first, const struct choice_columns *second)
{
	for (int t = 0; column_table(t); t++) {
		assert_int_equal(first[t].count, second[t].count);
		for (size_t i = 0; i < first[t].count; i++)
			assert_ptr_equal(first[t].items[i], second[t].items[i]);
	}
}

/* What --columns TEXT shows of processes, CPUs and groups, of columns in NAMES alone; "|" is between tables. */
static void assert_metrics(const char *text, const char *expected)
{
	const int tables[] = { list_table(&list_processes), list_table(&list_cpus),
			       list_table(&list_groups), list_table(&list_symbols) };
	struct choice_columns columns[CHOICE_TABLES], again[CHOICE_TABLES];
	struct custom *custom = custom_new(&with_metrics), *other = custom_new(&with_metrics);
	struct buf shown = { 0 }, same = { 0 }, words = { 0 };
	struct error err = { "" };

	assert_int_equal(choice_columns_parse(columns, text, custom, &err), 0);
	assert_int_equal(choice_columns_parse(again, text, custom, &err), 0);
	assert_same(columns, again);
	choice_columns_format(&words, columns, custom);
	assert_int_equal(choice_columns_parse(again, words.bytes, other, &err), 0);
	for (size_t i = 0; i < sizeof(tables) / sizeof(*tables); i++) {
		const struct choice_columns *c = &columns[tables[i]];

		buf_add_char(&shown, '|');
		for (size_t j = 0; j < c->count; j++) {
			if (c->items[j]->formula)
				buf_printf(&shown, "%s ", c->items[j]->name);
		}
		add_names(&words, &columns[tables[i]]);
		add_names(&same, &again[tables[i]]);
	}
	assert_string_equal(shown.bytes, expected);
	assert_string_equal(words.bytes + words.size - same.size, same.bytes);
	buf_fini(&shown);
	buf_fini(&same);
	buf_fini(&words);
	custom_free(custom);
	custom_free(other);
}

/* Chosen anew, or written as text and read again, they are the same. */
UNIT_TEST(test_metrics_are_columns)
{
	assert_metrics("halves", "|half% rest% |half% rest% |half% rest% |");
	assert_metrics("+halves", "|half% rest% |half% rest% |half% rest% |");
	assert_metrics("HALVES,-rest%", "|half% |half% |half% |");
	assert_metrics("halves,-half", "|rest% |rest% |rest% |");
	assert_metrics("halves,-cpu.half%", "|half% rest% |rest% |half% rest% |");
	assert_metrics("cpu.halves", "||half% rest% ||");
	assert_metrics("symbol.halves", "||||half% rest% ");
	assert_metrics("pid,half%,command", "|half% |half% |half% |");
	assert_metrics("heat", "||watts ||");
	assert_metrics("+watts", "||watts ||");
	assert_metrics("heat,-watts", "||||");
	assert_metrics("halves,heat,x=cycles", "|half% rest% x |half% rest% watts |half% rest% |");
}

UNIT_TEST(test_metrics_of_another_machine)
{
	static const char *const wrong[][2] = {
		{ "absent", "--columns: this machine cannot count what 'absent' needs" },
		{ "object.halves", "there is no column 'object.halves'" },
		{ "halves,half%=1", "there is a column 'half%' already" },
	};

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct choice_columns columns[CHOICE_TABLES];
		struct custom *custom = custom_new(&with_metrics);
		struct error err = { "" };

		assert_int_equal(choice_columns_parse(columns, wrong[i][0], custom, &err), -1);
		if (!strstr(err.text, wrong[i][1]))
			fail_msg("'%s': %s", wrong[i][0], err.text);
		custom_free(custom);
	}
}

UNIT_TEST(test_wrong_definitions)
{
	static const char *const wrong[][2] = {
		{ "ipc=cycles", "there is a column 'ipc' already" },
		{ "cpu=cycles", "there is a column 'cpu' already" },
		{ "x=1,X=2", "there is a column 'X' already" },
		{ "=1", "'' cannot name a column" },
		{ "1x=1", "'1x' cannot name a column" },
		{ "symbol.=1", "'' cannot name a column" },
		{ "a\033=1", "cannot name a column" },
		{ "a2345678901234567=1", "cannot name a column" },
		{ "x=", "at its end" },
		{ "x=1 y=2", "column 3, 'y'" },
	};

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct choice_columns columns[CHOICE_TABLES];
		struct custom *custom = custom_new(NULL);
		struct error err = { "" };

		assert_int_equal(choice_columns_parse(columns, wrong[i][0], custom, &err), -1);
		if (!strstr(err.text, wrong[i][1]))
			fail_msg("'%s': %s", wrong[i][0], err.text);
		custom_free(custom);
	}
}

UNIT_TEST(test_definitions_are_bounded)
{
	struct choice_columns columns[CHOICE_TABLES];
	struct custom *custom = custom_new(NULL);
	struct buf text = { 0 };
	struct error err = { "" };

	for (int i = 0; i <= CUSTOM_LIMIT; i++)
		buf_printf(&text, "x%d=1,", i);
	assert_int_equal(choice_columns_parse(columns, text.bytes, custom, &err), -1);
	assert_non_null(strstr(err.text, "'x32' is one too many"));
	buf_fini(&text);
	custom_free(custom);
}

static double defined(const struct custom *custom, int table, const struct column_row *row)
{
	const struct column *c = column_find(custom_table(custom, table), "x");
	char out[32];

	column_format(c, row, out);
	assert_true(text_width(out) <= c->width);
	return column_number(c, row);
}

static void assert_defined(const char *expression, double process, double symbol)
{
	struct snapshot *s = counted(600, 200);
	struct custom *custom = custom_new(NULL);
	const double sampled[] = { 10, NAN }, credited[] = { 30, 20 };
	struct symbol_row values = { .samples = 7, .sampled = sampled, .credited = credited };
	struct column_row row = { .snapshot = s, .process = &s->processes[0], .samples = 5 };
	struct column_row symbol_row = { .snapshot = s, .symbol = &values };
	double found;

	s->interval_s = 2;
	s->processes[0].cpu_percent = 50;
	assert_int_equal(custom_define(custom, (struct custom_text){ "x", 1 },
				       (struct custom_text){ expression, strlen(expression) },
				       NULL),
			 0);
	custom_link(custom, s);
	found = defined(custom, list_table(&list_processes), &row);
	if (!(found == process || (isnan(found) && isnan(process))))
		fail_msg("%s of a process: %g", expression, found);
	found = defined(custom, list_table(&list_symbols), &symbol_row);
	if (!(found == symbol || (isnan(found) && isnan(symbol))))
		fail_msg("%s of a symbol: %g", expression, found);
	custom_free(custom);
	snapshot_free(s);
}

/* A symbol's ratio of two events is credited when one of them is not sampled. */
UNIT_TEST(test_defined_values)
{
	assert_defined("instructions / cycles", 3, 1.5);
	assert_defined("instructions", 600, 10);
	assert_defined("cycles / interval", 100, NAN);
	assert_defined("instructions / cpu_time", 600, NAN);
	assert_defined("samples", 5, 7);
	assert_defined("instructions / samples", 120, 10 / 7.0);
	assert_defined("branches", NAN, NAN);
	assert_defined("0 - cycles * 1e9", -2e11, -2e10);
	assert_defined("1e-90 * cycles", 2e-88, 2e-89);
	assert_defined("1e300", 1e300, 1e300);
}

/* Parts that were counted at different times may be below 0; the threshold is where a cell gets hot. */
UNIT_TEST(test_metric_values)
{
	struct snapshot *s = counted(300, 200);
	struct custom *custom = custom_new(&with_metrics);
	struct column_row row = { .snapshot = s, .process = &s->processes[0] };
	const struct column *table = custom_table(custom, list_table(&list_processes));
	const struct column *half, *rest;
	struct error err;

	assert_int_equal(custom_define_metric(custom, &halves[0], &err), 0);
	assert_int_equal(custom_define_metric(custom, &halves[1], &err), 0);
	assert_int_equal(custom_define_metric(custom, &halves[1], &err), 0);
	custom_link(custom, s);
	half = column_find(table, "half%");
	rest = column_find(table, "rest%");
	assert_true(column_number(half, &row) == 40);
	assert_true(column_number(rest, &row) == 0);
	assert_true(half->share && half->hot == 50 && rest->hot == 0);
	assert_string_equal(half->title, "HALF%");
	assert_string_equal(half->help, "a share");
	custom_free(custom);
	snapshot_free(s);
}

UNIT_TEST(test_wanted_events)
{
	const struct view_options options = {
		.columns = "+mpki,x=branches/cycles*interval",
		.sort = "faults/s",
	};
	struct view *v = view_new(&options, NULL);
	struct buf names = { 0 };
	const char *name;

	for (size_t i = 0; (name = view_wanted_event(v, i)); i++)
		buf_printf(&names, "%s ", name);
	assert_string_equal(names.bytes, "branches cycles ");
	assert_int_equal(view_wanted_ids(v), 1u << EVENT_INSTRUCTIONS | 1u << EVENT_CACHE_MISSES |
						     1u << EVENT_PAGE_FAULTS);
	buf_fini(&names);
	view_free(v);
	v = view_new(&(struct view_options){ 0 }, NULL);
	assert_null(view_wanted_event(v, 0));
	assert_int_equal(view_wanted_ids(v), 0);
	view_free(v);
}

/* The arrays by list and by table have room for all. */
UNIT_TEST(lists_and_tables_have_room)
{
	size_t lists = 0;
	int tables = 0;

	for (; list_kinds[lists]; lists++) {
		assert_int_equal(list_number(list_kinds[lists]), lists);
		assert_ptr_equal(column_table(list_table(list_kinds[lists])),
				 list_kinds[lists]->table);
	}
	while (column_table(tables))
		tables++;
	assert_true(lists <= LISTS_MAX);
	assert_true(tables <= CHOICE_TABLES);
}

/* While counters come at ticks, the columns have the page faults that /proc tells of a process. */
UNIT_TEST(test_told_counts)
{
	struct snapshot *s = sample_snapshot(true);
	const struct column *faults = column_find(list_processes.table->columns, "faults/s");
	struct column_row row = { .snapshot = s, .process = &s->processes[0] };

	sample_event(&s->events[1], "page-faults");
	snapshot_link_counters(s);
	s->processes[0].minor_faults = 6;
	s->processes[0].major_faults = 0;
	assert_true(column_number(faults, &row) != 6 / s->interval_s);
	s->sampling.sampled_counters = true;
	assert_true(column_number(faults, &row) == 6 / s->interval_s);
	snapshot_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_told_counts),
		cmocka_unit_test(test_rows_are_complete),
		cmocka_unit_test(test_sort),
		cmocka_unit_test(test_name_is_the_title),
		cmocka_unit_test(test_find),
		cmocka_unit_test(test_formats_fit),
		cmocka_unit_test(test_negative_numbers_fit),
		cmocka_unit_test(test_absent_is_absent),
		cmocka_unit_test(test_absent_symbol),
		cmocka_unit_test(test_ratio),
		cmocka_unit_test(test_clock_and_stalls),
		cmocka_unit_test(test_rates),
		cmocka_unit_test(test_counted),
		cmocka_unit_test(test_choose_columns),
		cmocka_unit_test(test_choose_sort),
		cmocka_unit_test(test_write_sort),
		cmocka_unit_test(test_unknown_names),
		cmocka_unit_test(test_define_columns),
		cmocka_unit_test(test_wrong_definitions),
		cmocka_unit_test(test_metrics_are_columns),
		cmocka_unit_test(test_metrics_of_another_machine),
		cmocka_unit_test(test_metric_values),
		cmocka_unit_test(test_definitions_are_bounded),
		cmocka_unit_test(test_defined_values),
		cmocka_unit_test(test_wanted_events),
		cmocka_unit_test(lists_and_tables_have_room),
	};

	golden_locale();
	return unit_run(tests);
}
