/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_APP_ASKS_H
#define PTOP_APP_ASKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "app/options.h"
#include "perf/event/evlist.h"
#include "profile/snapshot.h"
#include "share/ask.h"

/*
 * Events, stacks and code that viewers of a server ask for.  Each event is measured once, however many viewers want it,
 * and ends when none does.  Snapshots mark it (snapshot_event.asked), so that no user sees more of it than what is his.
 *
 * Who may not start another server himself asks for rows of the event table alone, at the rate of the server's options.
 * So his text opens no file, and no place in the list of events is lost: the same event gets the same place again.
 *
 * Samples bring stacks while a viewer wants them, or an event of his that is nothing without.  Beginning and ending opens
 * all events of the machine anew, so ASKS_STACKS_REST_S pass between one and the next.  Stacks of the server's own
 * options never end.
 *
 * Snapshots tell of one function at a time: that of the viewer who asked last, then of another who wants one.  Only who
 * sees all functions may ask.
 */
#define ASKS_MAX 32    /* events at one time */
#define ASKS_OTHERS 16 /* of them, those of who may not have all */
#define ASKS_USER 8    /* likewise, of one user */
#define ASKS_BURST 8   /* that a user may ask for at once, */
#define ASKS_REST_S 1  /* and so long between two after that */
#define ASKS_STACKS_REST_S 5
#define ASKS_USERS_MAX 64 /* whose last request is not forgotten; more have one burst */

/* A viewer that is connected.  The caller's storage; zeroed but for the first three. */
struct asker {
	uint32_t uid;
	unsigned allowed; /* bits 1 << enum permission */
	bool any;        /* events are whatever -e takes, without bounds: root, the server's user */
	bool sees_all;   /* functions of all users */
	uint32_t wanted; /* bits: places in the list of events */
	bool stacks;     /* it wants them */
	bool code;       /* it looks at a function: */
	uint32_t frame;  /* that one, or, FRAME_NONE, the hottest */
	struct asker *next;
};

struct asks;

/* The collector adds and removes events, as for its own keys. */
struct asks_effects {
	void (*add)(void *of,
		    struct evlist *more);       /* takes MORE over: one event, marked as asked */
	void (*remove)(void *of, size_t event); /* its number in the newest snapshot */
	void (*take_stacks)(void *of, bool on); /* snapshots then say how stacks ended, or do not */
	/* Snapshots tell of FRAME (FRAME_NONE: the hottest function) while ON. */
	void (*look)(void *of, bool on, uint32_t frame);
};

/* O is borrowed, and says the rate of events. */
struct asks *asks_new(const struct options *o, const struct asks_effects *effects, void *of);
void asks_free(struct asks *a); /* all have left before; NULL is allowed */

void asks_join(struct asks *a, struct asker *who);
void asks_leave(struct asks *a, struct asker *who); /* its events end, unless others want them */

/* Answers a request of WHO at NOW_NS (CLOCK_MONOTONIC).  S is the newest snapshot, or NULL. */
void asks_hear(struct asks *a, struct asker *who, const struct ask *ask, const struct snapshot *s,
	       uint64_t now_ns, struct ask_answer_message *answer);

/* Call with each new snapshot, at NOW_NS: ends the events and stacks in it that nobody wants any more. */
void asks_look(struct asks *a, const struct snapshot *s, uint64_t now_ns);

#endif
