/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The table of options: what it makes of a command line, and whether the texts that are made from
 * it or describe it agree.
 */
#include "unit.h"

#include <errno.h>

#include "app/completion.h"
#include "app/exporter.h"
#include "app/help.h"
#include "app/options.h"
#include "output/output.h"
#include "view/condition.h"
#include "view/widget/text.h"

#define WORDS_MAX 64

/* Parses "ptop" and the words of LINE, which blanks separate. */
static int parse(struct options *o, const char *line, struct error *err)
{
	static char words[512];
	static char *argv[WORDS_MAX + 2];
	int argc = 1;

	snprintf(words, sizeof(words), "%s", line);
	argv[0] = (char *)"ptop";
	for (char *word = strtok(words, " "); word && argc <= WORDS_MAX; word = strtok(NULL, " "))
		argv[argc++] = word;
	argv[argc] = NULL;
	options_init(o);
	err->text[0] = '\0';
	return options_parse(o, argc, argv, err);
}

static void parse_well(struct options *o, const char *line)
{
	struct error err;

	if (parse(o, line, &err))
		fail_msg("'%s': %s", line, err.text);
}

UNIT_TEST(defaults)
{
	struct options o;

	parse_well(&o, "");
	assert_true(o.delay_s == 1);
	assert_int_equal(o.freq_hz, 999);
	assert_true(o.half_life_s == 5);
	assert_int_equal(o.iterations, 0);
	assert_false(o.batch);
	assert_null(o.command);
	assert_null(o.table);
	for (size_t i = 0; option_table[i].name; i++)
		assert_false(o.given[i]);
	options_fini(&o);
}

UNIT_TEST(letters_and_names_mean_the_same)
{
	struct options o;

	parse_well(&o, "-bHKUzr -d0.5 -n 3 -F 99 -o x.json -l 0");
	assert_true(o.batch && o.threads && o.hide_kernel && o.hide_user && o.zero && o.reverse);
	assert_true(o.delay_s == 0.5);
	assert_int_equal(o.iterations, 3);
	assert_int_equal(o.freq_hz, 99);
	assert_string_equal(o.output, "x.json");
	assert_int_equal(o.limit, 0);
	assert_true(option_given(&o, "limit"));
	options_fini(&o);
	parse_well(&o, "--batch --threads --hide-kernel --hide-user --zero --reverse --delay=0.5 "
		       "--iterations=3 --freq 99 --output x.json --lim 0");
	assert_true(o.batch && o.threads && o.hide_kernel && o.hide_user && o.zero && o.reverse);
	assert_true(o.delay_s == 0.5);
	assert_int_equal(o.iterations, 3);
	assert_int_equal(o.freq_hz, 99);
	assert_string_equal(o.output, "x.json");
	options_fini(&o);
}

UNIT_TEST(switches_can_be_turned_off)
{
	struct options o;

	parse_well(&o, "--threads --threads=no --zero=off --ascii=yes");
	assert_false(o.threads);
	assert_false(o.zero);
	assert_true(o.ascii);
	assert_true(option_given(&o, "threads"));
	options_fini(&o);
}

UNIT_TEST(events_keep_their_order_and_filters)
{
	struct options o;

	parse_well(&o, "-e sched:sched_switch --filter prev_pid>0 -e cycles --event page-faults");
	assert_int_equal(o.event_count, 3);
	assert_string_equal(o.events[0].text, "sched:sched_switch");
	assert_string_equal(o.events[0].filter, "prev_pid>0");
	assert_string_equal(o.events[1].text, "cycles");
	assert_null(o.events[1].filter);
	assert_string_equal(o.events[2].text, "page-faults");
	options_fini(&o);
}

UNIT_TEST(each_then_belongs_to_the_when_before_it)
{
	struct options o;

	parse_well(
		&o,
		"--when a>1 --then record --then snapshot --when b>2 --when c>3 --then exec\ttrue");
	assert_int_equal(o.trigger_count, 3);
	assert_string_equal(o.triggers[0].when, "a>1");
	assert_true(o.triggers[0].record && o.triggers[0].snapshot && !o.triggers[0].exec);
	assert_string_equal(o.triggers[1].when, "b>2");
	assert_true(!o.triggers[1].record && !o.triggers[1].snapshot && !o.triggers[1].exec);
	assert_string_equal(o.triggers[2].exec, "true");
	assert_false(o.triggers[0].early || o.triggers[2].early);
	assert_true(options_keep_records(&o));
	options_fini(&o);
	parse_well(&o, "--then snapshot --when a>1");
	assert_int_equal(o.trigger_count, 1);
	assert_true(o.triggers[0].early && o.triggers[0].snapshot);
	assert_false(options_keep_records(&o));
	options_fini(&o);
}

UNIT_TEST(conditions_have_a_limit)
{
	struct options o;
	struct error err;
	struct buf line = { 0 };

	for (int i = 0; i < 16; i++)
		buf_add_str(&line, "--when=a>1 ");
	parse_well(&o, line.bytes);
	assert_int_equal(o.trigger_count, 16);
	options_fini(&o);
	buf_add_str(&line, "--when=a>1");
	assert_int_equal(parse(&o, line.bytes, &err), -1);
	assert_non_null(strstr(err.text, "16 conditions"));
	options_fini(&o);
	buf_fini(&line);
}

/* Accepts the condition that LINE of --when help names, with each unit: "  symbol.p99      milliseconds: us ms". */
static void accept_figure(const char *line)
{
	const struct view_options plain = { .batch = true };
	const char *units = strstr(line, ": ");
	struct buf condition = { 0 };
	struct error err = { "" };
	struct condition *c;

	for (const char *unit = units ? units + 2 : ""; unit; unit = strchr(unit, ' ')) {
		unit += *unit == ' ';
		buf_clear(&condition);
		buf_printf(&condition, "%.*s > 1%.*s", (int)strcspn(line + 2, " "), line + 2,
			   (int)strcspn(unit, " \n"), unit);
		c = condition_new(condition.bytes, &plain, &err);
		if (!c)
			fail_msg("'%s': %s", condition.bytes, err.text);
		condition_free(c);
	}
	buf_fini(&condition);
}

UNIT_TEST(conditions_may_name_what_their_help_lists)
{
	struct buf out = { 0 };
	struct options o;
	size_t figures = 0;

	parse_well(&o, "--when help");
	assert_true(options_ask_conditions(&o));
	options_fini(&o);
	parse_well(&o, "--when cpu>1");
	assert_false(options_ask_conditions(&o));
	options_fini(&o);
	help_conditions(&out);
	for (char *line = strtok(out.bytes, "\n"); line; line = strtok(NULL, "\n")) {
		assert_true(text_width(line) <= HELP_WIDTH);
		if (strncmp(line, "  ", 2))
			continue;
		accept_figure(line);
		figures++;
	}
	assert_true(figures > 100);
	buf_fini(&out);
}

UNIT_TEST(rate)
{
	struct options o;

	parse_well(&o, "-F max");
	assert_true(o.freq_max);
	assert_int_equal(o.period, 0);
	options_fini(&o);
	parse_well(&o, "-c 10000");
	assert_int_equal(o.period, 10000);
	options_fini(&o);
}

UNIT_TEST(addresses_to_listen_on)
{
	static const char scope_too_long[] = "[::1%0123456789012345678901234567890123456789"
					     "012345678901234567890]:1";
	static const char *const good[] = { "0",           "9464",       "65535", "0.0.0.0:9464",
					    "127.0.0.1:0", "[::1]:9464", "[::]:1" };
	static const char *const bad[] = {
		"",          "65536",      "99999999999", "-1",          "+1",
		" 1",        "1 ",         "x",           ":9464",       "localhost:9464",
		"127.0.0.1", "127.0.0.1:", "127.0.0.1:x", "1.2.3.4.5:1", "::1:9464",
		"[::1]",     "[]:1",       "[:1",         "]:1",         "[::1:1",
		"[::1]9464", "0x10",       "1:2:3",       scope_too_long
	};
	struct error err = { "" };

	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++)
		if (exporter_check(good[i], &err))
			fail_msg("%s", err.text);
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		if (!exporter_check(bad[i], &err))
			fail_msg("'%s' is taken", bad[i]);
}

UNIT_TEST(command_is_what_follows_the_dashes)
{
	struct options o;

	parse_well(&o, "-b -- ls -l --help");
	assert_non_null(o.command);
	assert_string_equal(o.command[0], "ls");
	assert_string_equal(o.command[1], "-l");
	assert_string_equal(o.command[2], "--help");
	assert_null(o.command[3]);
	assert_int_equal(o.action, ACTION_RUN);
	options_fini(&o);
	parse_well(&o, "-o -- -- ls");
	assert_string_equal(o.output, "--");
	assert_string_equal(o.command[0], "ls");
	options_fini(&o);
}

UNIT_TEST(list_of_events_takes_a_word)
{
	struct options o;

	parse_well(&o, "--list-events");
	assert_int_equal(o.action, ACTION_LIST_EVENTS);
	assert_null(o.list_glob);
	options_fini(&o);
	parse_well(&o, "--list-events cache*");
	assert_string_equal(o.list_glob, "cache*");
	options_fini(&o);
	parse_well(&o, "--list-events=cache* -v");
	assert_string_equal(o.list_glob, "cache*");
	assert_true(o.verbose);
	options_fini(&o);
	parse_well(&o, "--list-events -v");
	assert_null(o.list_glob);
	assert_true(o.verbose);
	options_fini(&o);
}

static const struct {
	const char *line, *error;
} mistakes[] = {
	{ "-d 0", "delay '0' is not a number of seconds from 0.1 to 3600" },
	{ "-d nan", "delay 'nan' is not a number of seconds from 0.1 to 3600" },
	{ "-d 3600.5", "delay '3600.5' is not a number of seconds from 0.1 to 3600" },
	{ "-d", "option '-d' needs an argument: -d SECONDS" },
	{ "--delay", "option '--delay' needs an argument: --delay SECONDS" },
	{ "-n 0", "iterations '0' is not a whole number from 1 to 1000000000000000" },
	{ "-n -1", "iterations '-1' is not a whole number from 1 to 1000000000000000" },
	{ "-F 0", "freq '0' is neither samples a second from 1 to 10000000 nor 'max'" },
	{ "-c 0", "count '0' is not a whole number from 1 to 1000000000000000" },
	{ "-m 3", "mmap-pages '3' is not a power of two, such as 64 or 128" },
	{ "-p x", "pid list 'x' is not a list of numbers such as 1,4-7" },
	{ "-p 0", "pid list '0': a pid is between 1 and 4194304" },
	{ "-C 1,", "CPU list '1,' is not a list of numbers such as 1,4-7" },
	{ "--listen x", "listen 'x' is not [ADDR:]PORT, such as 9464, 0.0.0.0:9464 or [::1]:9464" },
	{ "--view x", "unknown view 'x': --view help lists them" },
	{ "-F 1 -c 1", "--freq and --count cannot be used together: choose one" },
	{ "-p 1 -u root", "--pid and --user cannot be used together: choose one" },
	{ "-p 1 -- ls", "-- COMMAND and --pid cannot be used together: choose one" },
	{ "ls", "unexpected word 'ls': to start a command, write ptop -- ls" },
	{ "-b ls -l", "unexpected word 'ls': to start a command, write ptop -- ls" },
	{ "--", "no command after '--': write ptop -- COMMAND [ARG...]" },
	{ "--filter x", "filter 'x' has no event: write -e SYSTEM:EVENT before it" },
	{ "-X", "unknown option '-X': try 'ptop --help'" },
	{ "--itrations 1", "unknown option '--itrations': did you mean --iterations?" },
	{ "--csv", "unknown option '--csv': did you mean --format csv?" },
	{ "--cpus", "unknown option '--cpus': did you mean --view cpus?" },
	{ "--frobnicate", "unknown option '--frobnicate': try 'ptop --help'" },
	{ "--hid", "option '--hid' is short for more than one: --hide-kernel, --hide-user" },
	{ "--theme x",
	  "unknown theme 'x': there are auto, dark, light, contrast, colorblind, mono" },
	{ "--theme ../dark", "'../dark' is no name of a theme: letters, digits, - and _" },
	{ "--profile x", "unknown profile 'x': there are java, io, scheduler" },
	{ "--profile /etc/passwd",
	  "'/etc/passwd' is no name of a profile: letters, digits, - and _" },
	{ "--profile .java", "'.java' is no name of a profile: letters, digits, - and _" },
	{ "--keys x", "unknown keys 'x': there are vi, htop and perf" },
	{ "--bind F5", "key 'F5' has no action: write it behind the key" },
	{ "--batch=maybe", "batch 'maybe': write yes or no" },
	{ "--call-graph dwarf,65600",
	  "unknown call-graph 'dwarf,65600': there are fp, dwarf[,SIZE], lbr, auto and none" },
	{ "--call-graph nosuch",
	  "unknown call-graph 'nosuch': there are fp, dwarf[,SIZE], lbr, auto and none" },
};

UNIT_TEST(mistakes_name_what_and_how)
{
	struct options o;
	struct error err;

	setenv("XDG_CONFIG_HOME", "/nonexistent", 1);
	for (size_t i = 0; i < sizeof(mistakes) / sizeof(*mistakes); i++) {
		assert_int_equal(parse(&o, mistakes[i].line, &err), -1);
		assert_string_equal(err.text, mistakes[i].error);
		options_fini(&o);
	}
}

UNIT_TEST(table_mistake_lists_the_tables)
{
	struct options o;
	struct error err;

	assert_int_equal(parse(&o, "--table symbol", &err), -1);
	assert_non_null(strstr(err.text, "unknown table 'symbol': there are processes, symbols, "));
	options_fini(&o);
}

UNIT_TEST(format_mistake_lists_the_formats)
{
	struct options o;
	struct error err;

	assert_int_equal(parse(&o, "--format nosuch", &err), -1);
	assert_non_null(strstr(err.text, "unknown format 'nosuch': there are text, "));
	assert_non_null(strstr(err.text, "csv"));
	options_fini(&o);
}

UNIT_TEST(rows_are_complete_and_unique)
{
	size_t count = 0;

	for (const struct option_row *a = option_table; a->name; a++, count++) {
		assert_non_null(a->help);
		assert_non_null(a->set);
		assert_true(!a->keep || a->format);
		assert_true((a->completion == COMPLETE_WORDS) == (a->words != NULL));
		for (const struct option_row *b = a + 1; b->name; b++) {
			assert_string_not_equal(a->name, b->name);
			assert_true(!a->letter || a->letter != b->letter);
		}
	}
	assert_true(count < OPTION_LIMIT);
}

UNIT_TEST(kept_rows_read_back_what_they_write)
{
	struct options o, again;
	struct error err = { "" };

	parse_well(&o,
		   "-F max -m 64 --max-stack 9 -d 2.5 -s %cpu -rHKUz --half-life 0.5 --no-color "
		   "--ascii -l 7");
	options_init(&again);
	for (const struct option_row *row = option_table; row->name; row++) {
		struct buf text = { 0 }, second = { 0 };

		if (!row->keep || !o.given[row - option_table])
			continue;
		row->format(&text, &o, row);
		assert_int_equal(options_set_kept(&again, row, text.bytes, &err), 0);
		row->format(&second, &again, row);
		assert_string_equal(text.bytes, second.bytes);
		buf_fini(&text);
		buf_fini(&second);
	}
	assert_true(again.freq_max && again.threads && again.zero && again.delay_s == 2.5);
	options_fini(&o);
	options_fini(&again);
}

UNIT_TEST(help_fits_eighty_columns)
{
	struct buf text = { 0 };

	help_options(&text);
	for (char *line = strtok(text.bytes, "\n"); line; line = strtok(NULL, "\n")) {
		if (text_width(line) > HELP_WIDTH)
			fail_msg("too wide: %s", line);
	}
	buf_fini(&text);
}

/* The whole file, NUL-terminated and owned by the caller; NULL when there is none. */
static char *read_source(const char *name)
{
	char path[4096];
	struct buf text = { 0 };
	char bytes[4096];
	size_t size;
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", getenv("abs_srcdir") ? getenv("abs_srcdir") : ".",
		 name);
	f = fopen(path, "r");
	if (!f)
		return NULL;
	while ((size = fread(bytes, 1, sizeof(bytes), f)))
		buf_add(&text, bytes, size);
	fclose(f);
	return text.bytes;
}

static void write_source(const char *name, const struct buf *text)
{
	char path[4096];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", getenv("abs_srcdir") ? getenv("abs_srcdir") : ".",
		 name);
	f = fopen(path, "w");
	assert_non_null(f);
	assert_int_equal(fwrite(text->bytes, 1, text->size, f), text->size);
	fclose(f);
}

/* Compares what stands in the file of SHELL between the two lines; first writes it, with GENERATE. */
static void check_completion(const char *name, const struct buf *made)
{
	char *file = read_source(name), *begin, *end;

	assert_non_null(file);
	begin = strstr(file, COMPLETION_BEGIN);
	assert_non_null(begin);
	begin += strlen(COMPLETION_BEGIN);
	end = strstr(begin, COMPLETION_END);
	assert_non_null(end);
	if (getenv("GENERATE")) {
		struct buf whole = { 0 };

		buf_printf(&whole, "%.*s%s%s", (int)(begin - file), file, made->bytes, end);
		write_source(name, &whole);
		buf_fini(&whole);
	} else {
		*end = '\0';
		assert_string_equal(begin, made->bytes);
	}
	free(file);
}

UNIT_TEST(completions_are_up_to_date)
{
	if (!output_format_find("json") || !output_format_find("pprof"))
		skip(); /* the files are made by a build with all formats */
	for (int n = 0; completion_shell(n); n++) {
		struct buf made = { 0 };
		char name[64];

		snprintf(name, sizeof(name), "doc/ptop.%s-completion", completion_shell(n));
		completion_write(&made, n);
		check_completion(name, &made);
		buf_fini(&made);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(defaults),
		cmocka_unit_test(letters_and_names_mean_the_same),
		cmocka_unit_test(switches_can_be_turned_off),
		cmocka_unit_test(events_keep_their_order_and_filters),
		cmocka_unit_test(each_then_belongs_to_the_when_before_it),
		cmocka_unit_test(conditions_have_a_limit),
		cmocka_unit_test(conditions_may_name_what_their_help_lists),
		cmocka_unit_test(rate),
		cmocka_unit_test(addresses_to_listen_on),
		cmocka_unit_test(command_is_what_follows_the_dashes),
		cmocka_unit_test(list_of_events_takes_a_word),
		cmocka_unit_test(mistakes_name_what_and_how),
		cmocka_unit_test(format_mistake_lists_the_formats),
		cmocka_unit_test(table_mistake_lists_the_tables),
		cmocka_unit_test(rows_are_complete_and_unique),
		cmocka_unit_test(kept_rows_read_back_what_they_write),
		cmocka_unit_test(help_fits_eighty_columns),
		cmocka_unit_test(completions_are_up_to_date),
	};

	return unit_run(tests);
}
