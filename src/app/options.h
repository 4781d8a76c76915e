/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_APP_OPTIONS_H
#define PTOP_APP_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/strtab.h"

/*
 * The choices of a person, on the command line or in the configuration file.  An option is one row
 * of one table: the parser, --help, the shell completion, the configuration file and the check of
 * the manual page read that row.
 */
enum option_action { ACTION_RUN, ACTION_HELP, ACTION_VERSION, ACTION_DOCTOR, ACTION_LIST_EVENTS };

struct option_event {
	const char *text;   /* as typed */
	const char *filter; /* of the --filter behind it, or NULL */
};

/* One --when with each --then behind it. */
struct option_trigger {
	const char *when; /* the condition; NULL: there is none, only a --then */
	bool early;       /* a --then stands before the first --when */
	bool snapshot, record;
	const char *exec; /* the command, or NULL */
};

#define TRIGGERS_MAX 16
#define OPTION_LIMIT 96 /* more rows than the table has */

struct zygote;

struct options {
	struct zygote *zygote; /* borrowed: starts the processes that read foreign files */
	enum option_action action;
	const char *list_glob; /* --list-events, NULL: all */

	/* The target, as texts that were typed; target-check.h turns them into numbers. */
	const char *pids, *tids, *user, *cpus, *cgroup, *file, *time, *base;
	char *const *words;   /* argv */
	char *const *command; /* the words after --, NULL-terminated, of argv; or NULL */

	struct option_event *events; /* each -e, in order; owned */
	size_t event_count, event_capacity;
	uint64_t freq_hz;       /* 0: sample by period */
	bool freq_max;          /* as fast as the kernel allows */
	uint64_t period;        /* events a sample; 0: by frequency */
	const char *call_graph; /* "none" */
	uint64_t mmap_pages;    /* data pages of a ring, a power of two; 0: default */
	double max_overhead;    /* percent of all CPUs; 0: no limit */
	uint64_t max_memory;    /* bytes; when given[] */
	uint64_t max_stack;     /* frames; 0: the kernel's default */
	const char *unnamed;    /* "function" */
	const char *engine;     /* "auto" */
	const char *cpu_level;  /* "auto" */
	const char *cpu_meter;  /* "one" */
	const char *meters;     /* NULL: the usual ones */
	bool inlines;
	bool stitch;
	bool java_names, no_python, no_runtime_names;

	const char *record;    /* the file, or NULL */
	uint64_t record_bytes; /* limit of its size, 0: none */
	uint64_t record_files; /* how many are kept then */

	struct option_trigger *triggers; /* each --when, in order; owned */
	size_t trigger_count, trigger_capacity;
	double keep_s;       /* what --then record has */
	uint64_t then_files; /* that are kept of each kind */
	double then_pause_s; /* between two actions of one trigger */

	double delay_s;
	uint64_t iterations; /* 0: until interrupted */
	bool periodic;       /* -d or -n was typed: a command is shown at intervals too */
	bool batch, quiet;
	const char *format; /* NULL: from the name of the output file, else text */
	const char *output; /* NULL: standard output */
	const char *
		attach; /* the name of a server, "" the default one, or a URL; NULL: measure here */
	const char *serve;       /* what to be called, "-": standard output; NULL: do not serve */
	uint64_t serve_bytes;    /* when given[] */
	const char *serve_users; /* "all" or "none"; NULL: all if root serves */
	const char *serve_group; /* who may attach besides the owner; NULL: nobody */
	const char *allow;       /* what viewers may have measured (app/allow.h); NULL: nothing */
	const char *push;        /* the server's URL; NULL: none */
	const char *push_format; /* NULL: the first */
	const char *push_spool, *push_ca; /* a folder, a file; NULL: none */
	uint64_t push_spool_bytes;
	double push_interval_s;
	const char *push_labels, *push_token_file; /* NULL: none */
	const char *push_token;                    /* from the environment, borrowed; NULL: none */
	const char *listen; /* [ADDR:]PORT of the metrics; NULL: not served */
	const char *table;
	const char *view;
	uint64_t limit; /* rows per table in batch, 0: all; when given[] */

	const char *sort, *columns; /* NULL: default; "help" */
	bool reverse, hide_kernel, hide_user, of_all, bars, braille, threads, zero;
	double half_life_s;
	bool no_color, no_mouse, ascii, verbose;
	bool read_only;
	const char *theme;    /* "auto" */
	const char *profile;  /* NULL: none */
	const char *keys;     /* "vi" */
	const char *bindings; /* of all --bind; NULL: none */

	/* By row of option_table. */
	bool given[OPTION_LIMIT];   /* on the command line, in the profile, or in the file */
	bool changed[OPTION_LIMIT]; /* on the command line, or by keys: what W writes */
	struct strtab *texts;       /* owned: what the configuration file brought */
};

enum option_group {
	GROUP_TARGET,
	GROUP_SAMPLING,
	GROUP_RECORDING,
	GROUP_DISPLAY,
	GROUP_BATCH,
	GROUP_OTHER,
	OPTION_GROUPS
};

/* The completions that a shell offers after the option. */
enum option_completion {
	COMPLETE_NONE,
	COMPLETE_WORDS,
	COMPLETE_FILE,
	COMPLETE_PID,
	COMPLETE_USER,
	COMPLETE_EVENT,
	COMPLETE_COLUMN,
	COMPLETE_SORT_KEY,
	COMPLETE_VIEW,
	COMPLETE_FORMAT,
	COMPLETE_TABLE,
	COMPLETE_KEYS,
	COMPLETE_THEME,
	COMPLETE_PROFILE,
	COMPLETIONS
};

struct option_row {
	char letter;              /* 0: only the long name */
	const char *name;         /* without the dashes; also the name in the configuration file */
	const char *argument;     /* N_(); NULL for a switch, which may be given as =yes or =no */
	bool optional;            /* the argument may be left out */
	const char *letter_value; /* the letter takes no argument and stands for this one */
	const char *help;         /* N_() */
	enum option_group group;
	bool keep;    /* makes sense in the configuration file; W writes it */
	bool profile; /* only in a profile: it says what is to be seen */
	enum option_completion completion;
	const char *words; /* COMPLETE_WORDS: with blanks between */
	bool list;         /* of words or numbers, with commas between */
	/* Stores VALUE (NULL: a switch that is on, an optional argument that is missing). */
	int (*set)(struct options *o, const struct option_row *row, const char *value,
		   struct error *err);
	/* Appends the current value as the configuration file has it; rows with `keep`. */
	void (*format)(struct buf *out, const struct options *o, const struct option_row *row);
	/* For texts: returns 0, or -1 with ERR set.  May be NULL.  O has what was read before. */
	int (*check)(const struct options *o, const char *value, struct error *err);
	bool repeats;    /* each adds to those before, also from the configuration file */
	bool late;       /* it depends on other options: on the command line the session
		    * finds mistakes, `check` is for the file */
	size_t offset;   /* of the field in struct options */
	double min, max; /* of a number */
};

extern const struct option_row option_table[]; /* ends with a row whose name is NULL */
extern const char *const option_group_titles[OPTION_GROUPS]; /* N_() */

void options_init(struct options *o); /* the defaults */
void options_fini(struct options *o);

/*
 * Reads ARGV into O; ARGV must outlive it.  0, or -1 with ERR set to a line for a person, who typed
 * something that no later step could make sense of.
 */
int options_parse(struct options *o, int argc, char **argv, struct error *err);

/*
 * Sets the option ROW from the configuration file unless the command line had it; VALUE is copied.
 * 0, or -1 with ERR set and O unchanged.
 */
int options_set_kept(struct options *o, const struct option_row *row, const char *value,
		     struct error *err);

/* The same while ptop runs: VALUE takes the place of what was there. */
int options_replace(struct options *o, const struct option_row *row, const char *value,
		    struct error *err);

const struct option_row *option_find(const char *name);       /* or NULL */
bool option_given(const struct options *o, const char *name); /* NAME is in the table */
bool options_ask_conditions(const struct options *o);         /* there is --when help */
bool options_serve_users(const struct options *o);  /* a server has something for each user */
bool options_keep_records(const struct options *o); /* there is a --then record */
bool options_are_live(const struct options *o);     /* neither a recording nor a server is shown */

#endif
