/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_SHARE_ASK_H
#define PTOP_SHARE_ASK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The messages between a viewer and its server, over a socket of type SOCK_SEQPACKET: one send is one message, of a
 * fixed size.  The first answer comes without a request.  Then each request gets one answer.  Neither side trusts the
 * other.  No I/O is done here.
 */
#define ASK_TEXT_MAX 192         /* bytes of an event, with its NUL */
#define ASK_STACKS_TEXT "stacks" /* so an answer says what was asked for; no event has this name */
/* Likewise; a function follows, the hottest or by its number in the server's blocks (block_frame.number). */
#define ASK_CODE_TEXT "code "
#define ASK_HOTTEST "hottest"

enum ask_kind {
	ASK_ADD, /* TEXT is one event as for -e: it is measured as long as this viewer is attached */
	ASK_DROP, /* TEXT is the name of one that was asked for: this viewer no longer needs it */
	ASK_STACKS, /* samples bring stacks as long as this viewer is attached; TEXT is ASK_STACKS_TEXT, as below */
	ASK_NO_STACKS, /* this viewer no longer needs them */
	ASK_CODE, /* TEXT is ASK_CODE_TEXT and a function: snapshots tell of it, with its instructions, as below */
	ASK_NO_CODE, /* this viewer no longer needs it */
	ASKS
};

enum ask_result {
	ASK_GIVEN, /* the first one; with a descriptor of memory where that is not open to this user */
	ASK_MANY_USERS,
	ASK_MANY_VIEWERS,
	ASK_STRANGER,
	ASK_NO_MEMORY,
	/* To requests: */
	ASK_DONE,
	ASK_NOT_ALLOWED, /* --allow does not grant it */
	ASK_NOT_NAMED,   /* only events with a name of their own may be asked for */
	ASK_WRONG,       /* it is no event; `text` says why, for who may ask for any */
	ASK_NOT_ASKED,   /* this viewer did not ask for it */
	ASK_TOO_MANY,    /* events of this user */
	ASK_FULL,        /* the server measures as many as it can */
	ASK_TOO_OFTEN,
	ASK_WITHOUT_STACKS, /* the event is nothing without stacks, which the server does not take for this user */
	ASK_STACKS_NOT_ALLOWED, /* --allow does not grant them */
	ASK_NEVER_STACKS,       /* the server cannot take them while it runs */
	ASK_CODE_NOT_ALLOWED,   /* --allow does not grant it */
	ASK_CODE_NOT_SHOWN,     /* this user sees a part of the functions alone */
	ASK_RESULTS
};

struct ask {
	uint64_t kind; /* enum ask_kind */
	char text[ASK_TEXT_MAX];
};

struct ask_answer {
	uint64_t result;         /* enum ask_result */
	char text[ASK_TEXT_MAX]; /* ASK_WRONG: why; else the request's */
};

/* As they are sent. */
struct ask_message {
	uint64_t magic;
	struct ask ask;
};

struct ask_answer_message {
	uint64_t magic;
	struct ask_answer answer;
};

/* Fills M; bytes behind TEXT are zeros.  Returns false if TEXT is too long. */
bool ask_write(struct ask_message *m, enum ask_kind kind, const char *text);
/* TEXT is cut if it is too long. */
void ask_answer_write(struct ask_answer_message *m, enum ask_result result, const char *text);

/*
 * The line for a person, translated: why RESULT is a refusal.  NULL: it is none, or the answer has its own text
 * (ASK_WRONG).
 */
const char *ask_refusal(enum ask_result result);

/*
 * Reads SIZE foreign BYTES.  Returns false, with nothing filled, unless they are a message of this version: of its
 * size, with a kind that is known, and a text that ends in it.  A request's text is printable ASCII and not empty; that
 * of an answer may be anything.
 */
bool ask_read(const void *bytes, size_t size, struct ask *a);
bool ask_answer_read(const void *bytes, size_t size, struct ask_answer *a);

#endif
