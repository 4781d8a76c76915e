/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_TESTS_MODEL_WALKER_H
#define PTOP_TESTS_MODEL_WALKER_H

#include "base/error.h"
#include "model/world.h"

/*
 * A person at the screen of ptop, without a terminal.  The engine, the view and the keys are the
 * program's own, the world is a model, and this stands for the session between them.
 */
struct walker;

enum step_kind {
	STEP_KEY,    /* A: the key */
	STEP_TEXT,   /* A: number of a text that is typed, B: Enter or Esc */
	STEP_RUN,    /* A: ns that go by, B: seed; a snapshot follows */
	STEP_SIZE,   /* A rows, B columns */
	STEP_CLICK,  /* A row, B column, pressed twice */
	STEP_LOST,   /* A: CPU, B: records */
	STEP_BUDGET, /* A: whether switches have no records and waits no stacks */
	STEP_JUMP,   /* A: counts at once */
	STEP_TIME,   /* A: CPU, whose next records bore another clock's time */
	STEP_TYPED,  /* what came from walker_terminal(); no walk rolls that */
	STEP_KINDS
};

struct step {
	enum step_kind kind;
	uint64_t a, b;
};

extern const char *const step_names[STEP_KINDS];

struct step step_roll(struct dice *d);
void step_describe(const struct step *s, struct buf *out); /* for a person: "key 0" */

struct walker *walker_new(uint64_t seed);
void walker_free(struct walker *w);

/* For STEP_TYPED: to be filled by terminal_open(), and closed by the caller. */
struct terminal *walker_terminal(struct walker *w);

/* 0, or -1 with ERR set: what is wrong on the screen behind that step. */
int walker_step(struct walker *w, const struct step *s, struct error *err);

#endif
