/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_PERF_EVENT_PARSE_H
#define PTOP_PERF_EVENT_PARSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "perf/event/evlist.h"

/*
 * The parser of event strings, shared by its files and by nobody else: parse.c has the grammar and
 * what every event may carry, the other parse-*.c one kind each.
 *
 *   events    = item { "," item }
 *   item      = event | "{" event { "," event } "}" [ ":" modifiers ]
 *   event     = base [ "/" term { "," term } "/" ] [ ":" modifiers ]
 *   term      = name [ "=" value ]
 *   base      = a name of the table | cache event | "r" hex digits | PMU "/" terms "/"
 *             | event of a PMU | event of the CPU's model | subsystem ":" tracepoint | "mem:" … | "uprobe:" … | "kprobe:" …
 *
 * Recursive descent without backtracking past one base.  Every function here moves the parser over
 * what it has read and returns 0, or -1 with the error set.
 */
struct parser {
	const char *text; /* all of it, NUL-terminated */
	const char *at;   /* the next byte */
	const char *file; /* sysfs file that TEXT is from; NULL: the user's own */
	const struct event_env *env;
	struct evlist *list; /* what was read up to now */
	int group;           /* number of the group that is being read, or -1 */
	int globs;           /* how many globs were expanded */
	struct error *err;
};

/* A piece of the text, not NUL-terminated. */
struct token {
	const char *at;
	size_t size;
};

#define MODIFIER_LETTERS "ukhGHIpPSDe"

#define PARSE_EVENTS_MAX 1024 /* more in one list is a glob that went wrong */

/*
 * The error about TOKEN, which is a piece of the text: "event 'cycles:q', column 8, 'q': …" and
 * then what FORMAT says.  Always -1.
 */
int parse_error(struct parser *p, struct token token, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Moves over the longest run of bytes for which IS_PART holds. */
struct token parse_run(struct parser *p, bool (*is_part)(char c));

bool token_is(struct token token, const char *text);
char *token_dup(struct token token);

/* Bytes of the names of events, PMUs and tracepoints, with the glob's own. */
bool is_word(char c);

/* All of TOKEN as a decimal or 0x-hexadecimal number; false when it is none or exceeds 64 bits. */
bool token_number(struct token token, uint64_t *value);

/* Adds E, which has its base and config, to the list; takes it over also when there is no room. */
int parse_add(struct parser *p, struct evsel *e);

/* The event that WORD means on any machine: of the table, a cache's, rNNN.  NULL for others. */
struct evsel *parse_named(struct token word);

/* An event whose every occurrence is a sample. */
struct evsel *parse_every(const char *base, uint32_t type);

struct term {
	struct token name, value;
	bool has_value;
};

/* Reads the next term, up to the ',' or '/' behind it; a value may stand in '…'. */
int parse_term(struct parser *p, struct term *term);

/*
 * The terms that every event may carry: freq=, period=, name=.  1 when TERM was one and is now in
 * E, 0 when it is none of them.
 */
int parse_own_term(struct parser *p, const struct term *term, struct evsel *e);

/* Kinds.  The parser stands at the base's first byte, or behind the WORD that it begins with. */
int parse_pmu(struct parser *p, struct token word); /* at the '/' behind WORD */
bool parse_pmu_exists(struct parser *p, struct token word);
struct evsel *parse_pmu_of_type(struct parser *p, uint32_t type); /* no events of it yet */
int parse_pmu_event(struct parser *p, struct token word, bool *found);
int parse_tracepoint(struct parser *p, struct token word); /* at the ':' behind WORD */
int parse_model(struct parser *p, struct token word, bool *found);
int parse_breakpoint(struct parser *p);
int parse_uprobe(struct parser *p);
int parse_uretprobe(struct parser *p);
int parse_kprobe(struct parser *p);
int parse_kretprobe(struct parser *p);

#endif
