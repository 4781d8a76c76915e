/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_SHARE_WIRE_H
#define PTOP_SHARE_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "share/ask.h"

/*
 * Blocks (share/block.h) as a stream of bytes, for a machine that shares no memory: ptop --serve - writes it.  Like a
 * block it has the byte order of its writer, and a reader refuses any other.
 *
 * The stream is a greeting, then messages: a head, and a block or the answer to a request (share/ask.h) each.  Most of a
 * block is as it was in the one before.  So each block is compressed by Zstandard (RFC 8878) with the block before as its
 * prefix, which a stream without gaps allows.  A reader starts at the greeting.  Without libzstd blocks are sent as they
 * are, and compressed ones cannot be read.
 *
 * Requests come the other way, as they are: messages of one size.
 *
 * No I/O is done here.
 */
#define WIRE_BLOCK_MAX ((size_t)16 << 20)

struct wire_writer;

struct wire_writer *wire_writer_new(void);
void wire_writer_free(struct wire_writer *w); /* NULL is allowed */

/* Appends the greeting: DELAY_NS is between two blocks, NOW_NS the time here (CLOCK_REALTIME). */
void wire_greet(uint64_t delay_ns, uint64_t now_ns, struct buf *out);

/*
 * Appends the message of BLOCK, at most WIRE_BLOCK_MAX bytes, sent at NOW_NS.  BLOCK is taken over: it gets the memory
 * of an older one, whose bytes mean nothing.
 */
void wire_write(struct wire_writer *w, struct buf *block, uint64_t now_ns, struct buf *out);

/* Appends the message of an answer. */
void wire_answer(const struct ask_answer_message *answer, struct buf *out);

/* The next thing in the stream.  All errors are final. */
enum wire_event {
	WIRE_NOTHING, /* more bytes are needed */
	WIRE_GREETING,
	WIRE_ANSWER,
	WIRE_BLOCK,
	WIRE_FOREIGN,  /* no stream of this format, or another byte order */
	WIRE_DAMAGED,  /* a message is not as a writer makes it */
	WIRE_NO_CODEC, /* blocks are compressed, and there is no libzstd */
};

struct wire_message {
	uint64_t sent_ns;  /* the writer's CLOCK_REALTIME, whatever it says */
	uint64_t delay_ns; /* WIRE_GREETING */
	const char *block; /* WIRE_BLOCK: SIZE bytes, unchecked, valid until the next call */
	size_t size;
	struct ask_answer_message answer; /* WIRE_ANSWER: unchecked */
};

/*
 * Whoever wrote the stream can make a reader take four times WIRE_BLOCK_MAX of memory, and no more CPU time than the
 * blocks have bytes.
 */
struct wire_reader;

struct wire_reader *wire_reader_new(void);
void wire_reader_free(struct wire_reader *r); /* NULL is allowed */

/* Copies SIZE bytes that came.  Call wire_next() until it returns WIRE_NOTHING before the next ones. */
void wire_feed(struct wire_reader *r, const void *bytes, size_t size);

enum wire_event wire_next(struct wire_reader *r, struct wire_message *m);

#endif
