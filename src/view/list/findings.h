/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_VIEW_LIST_FINDINGS_H
#define PTOP_VIEW_LIST_FINDINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "profile/snapshot.h"

/*
 * Findings: what stands out in a snapshot.  Each rule is a row of finding_rules[] (finding-rules.c).  It has tests
 * of figures that the snapshot has, and holds where all of them do.  A figure that was not measured is NAN, for
 * which no test holds: nothing is found that nobody measured.
 */
#define FINDING_TESTS 3
#define FINDINGS_OF_RULE 4 /* the most of one rule; those behind them are counted */

enum finding_level { FINDING_BAD, FINDING_NOTICE, FINDING_LEVELS };

/* The things that a rule looks at, one after the other. */
enum finding_subject {
	FINDING_OF_MACHINE, /* once */
	FINDING_OF_PROCESS, /* each process, without rows of threads */
	FINDING_OF_CPU,
	FINDING_OF_GROUP,
	FINDING_OF_OBJECT,
	FINDING_OF_EVENT,
	FINDING_SUBJECTS
};

struct finding_facts; /* sums over the snapshot, for the rules alone */

/* One thing that a rule looks at. */
struct finding_place {
	const struct snapshot *snapshot;
	const struct finding_facts *facts;
	size_t index; /* in the array of its kind; 0 for the machine */
};

/* It holds if the figure is at least LIMIT; with BELOW: if it is at most LIMIT. */
struct finding_test {
	double (*figure)(const struct finding_place *at); /* NAN: not measured; NULL: no test */
	double limit;
	bool below;
	const char *unit; /* N_(): of the figure; after "percent ..." a text has "20 %" */
	void (*format)(char out[32], double figure); /* view/widget/number.h */
};

/*
 * TEXT and COMMAND have places: {name} is the thing's, {pid} that of a process, {1} to {3} the tests' figures.
 * A COMMAND has no name of others, since people paste it into a shell.
 */
struct finding_rule {
	const char *name; /* for scripts: "cpu-wait" */
	enum finding_level level;
	enum finding_subject subject;
	struct finding_test
		tests[FINDING_TESTS]; /* the first one's figure is the finding's number */
	const char *text;             /* N_() */
	const char *reason;           /* N_(): why this is the limit */
	const char *view;             /* shows it; a name of view_kinds */
	const char *command;          /* tells more */
	/* Appends what else was measured of it: raw bytes.  NULL: nothing. */
	void (*evidence)(const struct finding_place *at, struct buf *out);
	/* Appends a better command, if there is one.  NULL: there is not. */
	void (*better)(const struct finding_place *at, struct buf *out);
};

extern const struct finding_rule
	finding_rules[]; /* the weightiest first; ends with a row whose name is NULL */

const char *finding_level_name(enum finding_level level); /* N_(): "bad" */

/* Texts are owned and harmless: they passed view/widget/text.h. */
struct finding {
	const struct finding_rule *rule;
	size_t index;   /* of the thing, as in struct finding_place */
	uint32_t pid;   /* of a process, otherwise 0 */
	uint64_t key;   /* the same in each snapshot that has it */
	double number;  /* the first test's figure */
	char *text;     /* a sentence with the number */
	char *evidence; /* "": none */
	char *line;     /* both */
	char *command;
};

struct findings {
	struct finding
		*items; /* bad ones first, then in the order of the rules, then by their number */
	size_t count, capacity;
	size_t more; /* those that are left out */
};

/* Rebuilds F, which starts zeroed. */
void findings_build(struct findings *f, const struct snapshot *s);
void findings_fini(struct findings *f);

/* Appends "postgres (812)", harmless. */
void finding_add_process(struct buf *out, const struct snapshot_process *p);

/* finding-rules.c: sums up S; NULL is never returned. */
struct finding_facts *finding_facts_new(const struct snapshot *s);
void finding_facts_free(struct finding_facts *f);

#endif
