/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "app/completion.h"

#include <stdio.h>
#include <string.h>

#include "app/named-file.h"
#include "app/options.h"
#include "output/output.h"
#include "perf/event/event.h"
#include "perf/event/pmu-metrics.h"
#include "ui/keymap.h"
#include "view/kind.h"
#include "view/list/column-table.h"
#include "view/list/list.h"

/* An argument is a word of a table, or something that only the shell can find. */

static void add_word(struct buf *out, const char *word)
{
	buf_printf(out, "%s%s", out->size ? " " : "", word);
}

static void add_events(struct buf *out)
{
	for (int id = EVENT_OTHER + 1; id < EVENT_IDS; id++)
		add_word(out, event_at((enum event_id)id)->name);
}

/* If a table before TABLE has a column NAME, one with that name has been added. */
static bool was_added(int table, const char *name)
{
	for (int t = 0; t < table; t++) {
		for (const struct column *c = column_table(t)->columns; c->name; c++) {
			if (!strcmp(c->name, name))
				return true;
		}
	}
	return false;
}

static void add_sort_keys(struct buf *out)
{
	for (int t = 0; column_table(t); t++) {
		for (const struct column *c = column_table(t)->columns; c->name; c++) {
			if (!was_added(t, c->name))
				add_word(out, c->name);
		}
	}
}

static void add_columns(struct buf *out)
{
	const struct metric_group *group;

	add_sort_keys(out);
	for (size_t i = 0; (group = metrics_group(NULL, i)); i++)
		add_word(out, group->name);
}

static void add_views(struct buf *out)
{
	for (const struct view_kind *k = view_kinds; k->name; k++)
		add_word(out, k->name);
}

static void add_formats(struct buf *out)
{
	output_format_names(out, " ");
}

static void add_tables(struct buf *out)
{
	list_names(out, " ");
}

static void add_schemes(struct buf *out)
{
	for (const struct key_scheme *k = key_schemes; k->name; k++)
		add_word(out, k->name);
}

/* A person's own are found by the shell. */
static void add_named(struct buf *out, enum named_kind kind)
{
	const char *name;

	for (size_t i = 0; (name = named_built_in(kind, i)); i++)
		add_word(out, name);
}

static void add_themes(struct buf *out)
{
	add_named(out, NAMED_THEME);
}

static void add_profiles(struct buf *out)
{
	add_named(out, NAMED_PROFILE);
}

static void (*const word_sources[COMPLETIONS])(struct buf *out) = {
	[COMPLETE_EVENT] = add_events,       [COMPLETE_COLUMN] = add_columns,
	[COMPLETE_SORT_KEY] = add_sort_keys, [COMPLETE_VIEW] = add_views,
	[COMPLETE_FORMAT] = add_formats,     [COMPLETE_TABLE] = add_tables,
	[COMPLETE_KEYS] = add_schemes,       [COMPLETE_THEME] = add_themes,
	[COMPLETE_PROFILE] = add_profiles,
};

/* One row of the table of options, for a writer. */
struct completion_row {
	const struct option_row *option;
	bool has_argument;  /* one that is not optional */
	bool letter_has_it; /* the letter stands for the name with its argument */
	const char *words;  /* with blanks between; NULL: the shell finds them */
};

/* Appends TEXT as a part of a word in single quotes, which SHELL_QUOTE ends, writes and begins again. */
static void add_quoted(struct buf *out, const char *text, const char *shell_quote,
		       const char *escaped)
{
	for (; *text; text++) {
		if (*text == '\'')
			buf_add_str(out, shell_quote);
		else
			buf_printf(out, "%s%c", strchr(escaped, *text) ? "\\" : "", *text);
	}
}

/* The shell's function for an argument with words: a list of them, one, or one of a folder's files as well. */
static const char *words_function(const struct option_row *option)
{
	static const char *const functions[COMPLETIONS] = {
		[COMPLETE_THEME] = "named themes", [COMPLETE_PROFILE] = "named profiles"
	};
	const char *named = functions[option->completion];

	return named ? named : option->list ? "list" : "words";
}

/* Appends the call of the shell's function that completes the argument; PREFIX is that of its functions. */
static void add_call(struct buf *out, const struct completion_row *row, const char *prefix)
{
	static const char *const functions[] = {
		[COMPLETE_PID] = "pids",
		[COMPLETE_USER] = "users",
		[COMPLETE_FILE] = "files",
		[COMPLETE_NONE] = "nothing",
	};

	if (row->words)
		buf_printf(out, "%s%s %s", prefix, words_function(row->option), row->words);
	else
		buf_printf(out, "%s%s", prefix, functions[row->option->completion]);
}

/* "	-e|--event) _ptop_list cycles instructions ;;" */
static void add_bash_argument(struct buf *out, const struct completion_row *row)
{
	if (!row->has_argument)
		return;
	buf_add_char(out, '\t');
	if (row->letter_has_it)
		buf_printf(out, "-%c|", row->option->letter);
	buf_printf(out, "--%s) ", row->option->name);
	add_call(out, row, "_ptop_");
	buf_add_str(out, " ;;\n");
}

static void add_bash_option(struct buf *out, const struct completion_row *row)
{
	if (row->option->letter)
		buf_printf(out, "-%c ", row->option->letter);
	buf_printf(out, "--%s ", row->option->name);
}

/* "'*-g[stacks: ...]'": [] and, in the name of an argument, colons belong to _arguments. */
static void add_zsh_spec(struct buf *out, const struct completion_row *row, const char *name,
			 bool argument)
{
	buf_printf(out, "\t\t'*%s[", name);
	add_quoted(out, row->option->help, "'\\''", "[]");
	buf_add_char(out, ']');
	if (argument) {
		buf_add_char(out, ':');
		add_quoted(out, row->option->argument, "'\\''", ":");
		buf_add_str(out, ": ");
		add_call(out, row, "_ptop_");
	}
	buf_add_str(out, "' \\\n");
}

static void add_zsh_option(struct buf *out, const struct completion_row *row)
{
	bool by_letter = row->has_argument && row->letter_has_it;
	char name[64];

	if (row->option->letter) {
		snprintf(name, sizeof(name), "-%c%s", row->option->letter, by_letter ? "+" : "");
		add_zsh_spec(out, row, name, by_letter);
	}
	snprintf(name, sizeof(name), "--%s%s", row->option->name, row->has_argument ? "=" : "");
	add_zsh_spec(out, row, name, row->has_argument);
}

/* "complete -c ptop -s K -l hide-kernel -d 'hide kernel symbols'" */
static void add_fish_spec(struct buf *out, const struct completion_row *row, const char *names,
			  bool argument)
{
	buf_printf(out, "complete -c ptop%s", names);
	if (argument && row->option->completion == COMPLETE_FILE) {
		buf_add_str(out, " -r -F");
	} else if (argument) {
		buf_add_str(out, " -x -a '(");
		add_call(out, row, "__ptop_");
		buf_add_str(out, ")'");
	}
	buf_add_str(out, " -d '");
	add_quoted(out, row->option->help, "\\'", "\\");
	buf_add_str(out, "'\n");
}

static void add_fish_option(struct buf *out, const struct completion_row *row)
{
	const struct option_row *option = row->option;
	char letter[8] = "", names[64];

	if (option->letter)
		snprintf(letter, sizeof(letter), " -s %c", option->letter);
	if (row->has_argument && option->letter && !row->letter_has_it) {
		add_fish_spec(out, row, letter, false);
		*letter = '\0';
	}
	snprintf(names, sizeof(names), "%s -l %s", letter, option->name);
	add_fish_spec(out, row, names, row->has_argument);
}

static const struct shell {
	const char *name;
	struct part {
		const char *begin;
		void (*add)(struct buf *out, const struct completion_row *row);
		const char *end;
	} parts[3]; /* the last one has no add() */
} shells[] = {
	{ "bash",
	  { { "_ptop_argument()\n{\n\tcase $1 in\n", add_bash_argument,
	      "\t*) return 1 ;;\n\tesac\n}\n\n" },
	    { "_ptop_options()\n{\n\t_ptop_words ", add_bash_option, "--\n}\n" } } },
	{ "zsh",
	  { { "_ptop_options()\n{\n\t_arguments -s -S \\\n", add_zsh_option,
	      "\t\t'--[a command follows]'\n}\n" } } },
	{ "fish", { { "", add_fish_option, "" } } },
	{ .name = NULL },
};

static void add_row(struct buf *out, const struct part *part, const struct option_row *option)
{
	struct buf words = { 0 };
	struct completion_row row = { .option = option,
				      .has_argument = option->argument && !option->optional,
				      .letter_has_it = option->letter && !option->letter_value };

	if (option->words)
		buf_add_str(&words, option->words);
	else if (word_sources[option->completion])
		word_sources[option->completion](&words);
	row.words = words.bytes;
	part->add(out, &row);
	buf_fini(&words);
}

const char *completion_shell(int number)
{
	return shells[number].name;
}

void completion_write(struct buf *out, int number)
{
	for (const struct part *part = shells[number].parts; part->add; part++) {
		buf_add_str(out, part->begin);
		for (const struct option_row *option = option_table; option->name; option++)
			add_row(out, part, option);
		buf_add_str(out, part->end);
	}
}
