/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "app/options.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/push-format.h"
#include "app/push-spool.h"
#include "app/remote-url.h"
#include "base/account.h"
#include "base/alloc.h"
#include "base/i18n.h"
#include "base/nearest.h"
#include "ui/keymap.h"
#include "ui/themes.h"

#define DEFAULT_FREQ_HZ 999 /* not 1000: in step with nothing that ticks */

/* A long option without a letter: getopt_long returns this plus the row's number. */
#define LONG_BASE 256

void options_init(struct options *o)
{
	*o = (struct options){
		.freq_hz = DEFAULT_FREQ_HZ,
		.call_graph = "none",
		.unnamed = "function",
		.engine = "auto",
		.cpu_level = "auto",
		.cpu_meter = "one",
		.keys = key_schemes[0].name,
		.theme = THEME_AUTO,
		.max_overhead = 2,
		.max_memory = ACCOUNT_BYTES,
		.delay_s = 1,
		.push_interval_s = 10,
		.push_spool_bytes = SPOOL_BYTES,
		.view = "processes",
		.half_life_s = 5,
		.keep_s = 60,
		.then_files = 10,
		.then_pause_s = 60,
		.texts = strtab_new(),
	};
}

void options_fini(struct options *o)
{
	free(o->events);
	free(o->triggers);
	strtab_free(o->texts);
	memset(o, 0, sizeof(*o));
}

const struct option_row *option_find(const char *name)
{
	for (const struct option_row *row = option_table; row->name; row++) {
		if (!strcmp(row->name, name))
			return row;
	}
	return NULL;
}

bool options_serve_users(const struct options *o)
{
	if (!o->serve || !strcmp(o->serve, "-"))
		return false;
	return o->serve_users ? !strcmp(o->serve_users, "all") : !geteuid();
}

bool option_given(const struct options *o, const char *name)
{
	return o->given[option_find(name) - option_table];
}

int options_set_kept(struct options *o, const struct option_row *row, const char *value,
		     struct error *err)
{
	bool *given = &o->given[row - option_table];

	if (*given && !row->repeats)
		return 0;
	if (row->late && row->check(o, value, err))
		return -1;
	if (row->set(o, row, strtab_add(o->texts, value), err))
		return -1;
	*given = true;
	return 0;
}

int options_replace(struct options *o, const struct option_row *row, const char *value,
		    struct error *err)
{
	const char **text = (const char **)((char *)o + row->offset),
		   *before = row->repeats ? *text : NULL;
	bool *given = &o->given[row - option_table], was_given = *given;
	int failed;

	*given = false;
	if (row->repeats)
		*text = NULL;
	failed = options_set_kept(o, row, value, err);
	if (!failed)
		o->changed[row - option_table] = true;
	if (failed && row->repeats)
		*text = before;
	*given |= was_given;
	return failed;
}

bool options_ask_conditions(const struct options *o)
{
	for (size_t i = 0; i < o->trigger_count; i++) {
		if (o->triggers[i].when && !strcmp(o->triggers[i].when, "help"))
			return true;
	}
	return false;
}

bool options_keep_records(const struct options *o)
{
	for (size_t i = 0; i < o->trigger_count; i++) {
		if (o->triggers[i].record)
			return true;
	}
	return false;
}

bool options_are_live(const struct options *o)
{
	return !o->file && !o->attach;
}

/* The arguments of getopt_long(), made from the table. */
struct getopt_tables {
	char letters[2 + 3 * OPTION_LIMIT];
	struct option names[OPTION_LIMIT];
};

static int getopt_argument(const struct option_row *row)
{
	if (!row->argument || row->optional)
		return optional_argument;
	return required_argument;
}

static void getopt_tables_make(struct getopt_tables *t)
{
	char *letter = t->letters;
	size_t n = 0;

	*letter++ = '+'; /* stop at the first word that is no option: it is a mistake */
	*letter++ = ':'; /* tell a missing argument from an unknown option, and print nothing */
	for (const struct option_row *row = option_table; row->name; row++, n++) {
		t->names[n] = (struct option){ .name = row->name,
					       .has_arg = getopt_argument(row),
					       .val = LONG_BASE + (int)n };
		if (!row->letter)
			continue;
		*letter++ = row->letter;
		if (row->argument && !row->letter_value)
			*letter++ = ':';
	}
	*letter = '\0';
	memset(&t->names[n], 0, sizeof(t->names[n]));
}

static const struct option_row *row_of_letter(int letter)
{
	for (const struct option_row *row = option_table; row->name; row++) {
		if (row->letter == letter)
			return row;
	}
	return NULL;
}

/* The option with a view or format called NAME: people write --json for --format json.  Or NULL. */
static const struct option_row *row_of_value(const struct options *o, const char *name)
{
	for (const struct option_row *row = option_table; row->name; row++) {
		if (row->completion != COMPLETE_VIEW && row->completion != COMPLETE_FORMAT)
			continue;
		if (!row->check(o, name, NULL))
			return row;
	}
	return NULL;
}

static int unknown_name(const struct options *o, const char *word, struct error *err)
{
	size_t length = strcspn(word, "=");
	const struct option_row *named = row_of_value(o, word);
	struct nearest nearest;

	if (named)
		return error_set(err, _("unknown option '--%s': did you mean --%s %s?"), word,
				 named->name, word);
	nearest_init(&nearest, word, length);
	for (const struct option_row *row = option_table; row->name; row++)
		nearest_try(&nearest, row->name);
	if (*nearest.best)
		return error_set(err, _("unknown option '--%.*s': did you mean --%s?"), (int)length,
				 word, nearest.best);
	return error_set(err, _("unknown option '--%.*s': try 'ptop --help'"), (int)length, word);
}

/* WORD is the start of more than one name, else it would have been taken. */
static int ambiguous_name(const struct options *o, const char *word, struct error *err)
{
	struct buf names = { 0 };
	size_t length = strcspn(word, "="), found = 0;

	for (const struct option_row *row = option_table; row->name; row++) {
		if (!strncmp(row->name, word, length))
			buf_printf(&names, "%s--%s", found++ ? ", " : "", row->name);
	}
	if (found > 1)
		error_set(err, _("option '--%.*s' is short for more than one: %s"), (int)length,
			  word, names.bytes);
	else
		unknown_name(o, word, err);
	buf_fini(&names);
	return -1;
}

static int bad_option(const struct options *o, char **argv, struct error *err)
{
	const char *word = argv[optind - 1];

	if (optopt)
		return error_set(err, _("unknown option '-%c': try 'ptop --help'"), optopt);
	return ambiguous_name(o, word + 2, err);
}

static int missing_argument(struct error *err)
{
	const struct option_row *row =
		optopt >= LONG_BASE ? &option_table[optopt - LONG_BASE] : row_of_letter(optopt);

	if (optopt >= LONG_BASE || !row->letter)
		return error_set(err, _("option '--%s' needs an argument: --%s %s"), row->name,
				 row->name, _(row->argument));
	return error_set(err, _("option '-%c' needs an argument: -%c %s"), row->letter, row->letter,
			 _(row->argument));
}

/* An optional argument may also stand as a word of its own, unless that word is an option. */
static const char *optional_word(int argc, char **argv)
{
	if (optind < argc && (argv[optind][0] != '-' || !argv[optind][1]))
		return argv[optind++];
	return NULL;
}

static int take_option(struct options *o, int c, int argc, char **argv, struct error *err)
{
	bool by_letter = c < LONG_BASE;
	const struct option_row *row = by_letter ? row_of_letter(c) : &option_table[c - LONG_BASE];
	const char *value = by_letter && row->letter_value ? row->letter_value : optarg;

	if (row->optional && !value)
		value = optional_word(argc, argv);
	if (row->set(o, row, value, err))
		return -1;
	o->given[row - option_table] = o->changed[row - option_table] = true;
	return 0;
}

static int take_command(struct options *o, int argc, char **argv, bool dashes, struct error *err)
{
	if (!dashes && optind < argc)
		return error_set(err,
				 _("unexpected word '%s': to start a command, write ptop -- %s"),
				 argv[optind], argv[optind]);
	if (dashes && optind == argc)
		return error_set(err, _("no command after '--': write ptop -- COMMAND [ARG...]"));
	o->command = dashes ? argv + optind : NULL;
	return 0;
}

/* The name of the first of COUNT options that was given, or NULL. */
static const char *first_given(const struct options *o, const char *const names[], size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (option_given(o, names[i]))
			return names[i];
	}
	return NULL;
}

/* Returns true if the server is started for this run, on another machine. */
static bool starts_server(const struct options *o)
{
	return o->attach && remote_is_url(o->attach) && !o->file;
}

/* An option of the command line that says how to measure, or NULL. */
static const char *attach_conflict(const struct options *o)
{
	static const char *const names[] = { "event", "filter", "count", "call-graph",
					     "cpu",   "record", "serve", "listen",
					     "base",  "time",   "when" };
	size_t told = starts_server(o) ? 5 : 0; /* the first ones go there */

	return first_given(o, names + told, sizeof(names) / sizeof(*names) - told);
}

/* An option that needs an output or an end, or NULL. */
static const char *serve_conflict(const struct options *o)
{
	static const char *const names[] = { "input", "batch", "format", "output",
					     "table", "base",  "when" };

	return o->command ? "-- COMMAND" : first_given(o, names, sizeof(names) / sizeof(*names));
}

/* An option of a server, or NULL. */
static const char *serve_alone(const struct options *o)
{
	static const char *const names[] = { "serve-size", "serve-group", "serve-users", "allow" };

	return first_given(o, names, sizeof(names) / sizeof(*names));
}

/* An option that says something else about the snapshots, or has none, or NULL. */
static const char *push_conflict(const struct options *o)
{
	static const char *const names[] = { "input",  "attach", "delay", "serve",
					     "format", "output", "table", "base" };
	size_t count = push_format_find(o->push_format)->samples ? 8 : o->quiet ? 3 : 2;

	return first_given(o, names, count);
}

static int check_push(const struct options *o, struct error *err)
{
	static const char *const names[] = { "push-format",     "push-interval", "push-label",
					     "push-token-file", "push-spool",    "push-spool-size",
					     "push-ca" };
	const char *alone = first_given(o, names, sizeof(names) / sizeof(*names));

	if (!o->push && alone)
		return error_set(err, _("--%s is for --push URL: write that, too"), alone);
	if (o->push && push_conflict(o))
		return error_set(
			err,
			_("--push sends what is measured each --push-interval: leave --%s out"),
			push_conflict(o));
	return 0;
}

/* Options of which each says something else about the same thing. */
static int check_conflicts(const struct options *o, struct error *err)
{
	static const char *const targets[] = { "pid", "tid", "user", "cgroup", "input", "attach" };
	const char *first = o->command ? "-- COMMAND" : NULL;

	for (size_t i = 0; i < sizeof(targets) / sizeof(*targets); i++) {
		if (!option_given(o, targets[i]) ||
		    (starts_server(o) && !strcmp(targets[i], "attach")))
			continue;
		if (first)
			return error_set(err,
					 _("%s%s and --%s cannot be used together: choose one"),
					 o->command ? "" : "--", first, targets[i]);
		first = targets[i];
	}
	if (option_given(o, "freq") && option_given(o, "count"))
		return error_set(err, _("--freq and --count cannot be used together: choose one"));
	if (o->record && o->file)
		return error_set(err,
				 _("--record keeps what is measured, and --input measures nothing: "
				   "copy '%s' instead"),
				 o->file);
	if (o->base && o->file && !strcmp(o->base, "-") && !strcmp(o->file, "-"))
		return error_set(err, _("only one recording can come from the standard input"));
	if (o->time && !o->file)
		return error_set(err, _("--time is of a recording: give one with -i"));
	if (serve_alone(o) && !o->serve)
		return error_set(err, _("--%s is for a server: write --serve, too"),
				 serve_alone(o));
	if (o->attach && attach_conflict(o))
		return error_set(err, _("--attach shows what a server measures: give that --%s"),
				 attach_conflict(o));
	if (o->serve && serve_conflict(o))
		return error_set(err, _("--serve prints nothing: leave %s%s out"),
				 o->command ? "" : "--", serve_conflict(o));
	if (option_given(o, "record-size") && !o->record)
		return error_set(err,
				 _("--record-size is for a recording: write --record FILE, too"));
	return check_push(o, err);
}

int options_parse(struct options *o, int argc, char **argv, struct error *err)
{
	struct getopt_tables tables;
	bool dashes = false;

	getopt_tables_make(&tables);
	optind = 0; /* glibc: start anew, so that tests can parse more than once */
	for (;;) {
		int before = optind ? optind : 1;
		int c = getopt_long(argc, argv, tables.letters, tables.names, NULL);

		if (c == -1) {
			dashes = optind == before + 1 && !strcmp(argv[before], "--");
			break;
		}
		if (c == '?')
			return bad_option(o, argv, err);
		if (c == ':')
			return missing_argument(err);
		if (take_option(o, c, argc, argv, err))
			return -1;
	}
	if (take_command(o, argc, argv, dashes, err))
		return -1;
	o->words = argv;
	o->periodic = o->push || option_given(o, "delay") || option_given(o, "iterations");
	if (o->push && push_format_find(o->push_format)->samples)
		o->batch = o->quiet = true;
	if (o->push && o->quiet)
		o->delay_s = o->push_interval_s;
	return check_conflicts(o, err);
}
