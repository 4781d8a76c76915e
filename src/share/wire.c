/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "share/wire.h"

#include <stdlib.h>
#include <string.h>
#ifdef HAVE_ZSTD
#include <zstd.h>
#endif

#include "base/alloc.h"
#include "base/bytes.h"

#define GREETING_MAGIC 0x32657269776f7470ull /* "ptowire2" of a little-endian writer */

enum method { METHOD_PLAIN, METHOD_ZSTD, METHOD_ANSWER };

struct greeting {
	uint64_t magic, delay_ns, sent_ns;
};

/* In front of each block, and of an answer, whose bytes are no block's. */
struct head {
	uint32_t method, bytes; /* as sent */
	uint64_t block_bytes;
	uint64_t sent_ns;
};

#ifdef HAVE_ZSTD

/* As fast as it pays: what does not change is found in the prefix at any level. */
#define LEVEL 3
#define WINDOW_LOG 25 /* a block and its prefix */

/* Appends SIZE bytes of FROM, compressed.  Returns false, with OUT as it was, if that fails. */
static bool pack(void *codec, const struct buf *prefix, const struct buf *from, struct buf *out)
{
	size_t room = ZSTD_compressBound(from->size), start = out->size, size;
	char *to = mem_array(room, 1);

	ZSTD_CCtx_reset(codec, ZSTD_reset_session_and_parameters);
	ZSTD_CCtx_setParameter(codec, ZSTD_c_compressionLevel, LEVEL);
	ZSTD_CCtx_setParameter(codec, ZSTD_c_windowLog, WINDOW_LOG);
	if (prefix->size)
		ZSTD_CCtx_refPrefix(codec, prefix->bytes, prefix->size);
	size = ZSTD_compress2(codec, to, room, from->bytes, from->size);
	if (!ZSTD_isError(size))
		buf_add(out, to, size);
	free(to);
	return out->size > start;
}

/* Fills exactly SIZE bytes of TO. */
static bool unpack(void *codec, const struct buf *prefix, struct bytes from, void *to, size_t size)
{
	ZSTD_DCtx_reset(codec, ZSTD_reset_session_only);
	if (prefix->size)
		ZSTD_DCtx_refPrefix(codec, prefix->bytes, prefix->size);
	return ZSTD_decompressDCtx(codec, to, size, from.at, from.left) == size;
}

static void *packer_new(void)
{
	return ZSTD_createCCtx();
}

static void packer_free(void *codec)
{
	ZSTD_freeCCtx(codec);
}

static void *unpacker_new(void)
{
	return ZSTD_createDCtx();
}

static void unpacker_free(void *codec)
{
	ZSTD_freeDCtx(codec);
}

#else

static bool pack(void *codec, const struct buf *prefix, const struct buf *from, struct buf *out)
{
	(void)codec;
	(void)prefix;
	(void)from;
	(void)out;
	return false;
}

static bool unpack(void *codec, const struct buf *prefix, struct bytes from, void *to, size_t size)
{
	(void)codec;
	(void)prefix;
	(void)from;
	(void)to;
	(void)size;
	return false;
}

static void *packer_new(void)
{
	return NULL;
}

static void packer_free(void *codec)
{
	(void)codec;
}

static void *unpacker_new(void)
{
	return NULL;
}

static void unpacker_free(void *codec)
{
	(void)codec;
}

#endif

struct wire_writer {
	void *codec;     /* NULL: blocks are sent as they are */
	struct buf last; /* the block before */
};

struct wire_writer *wire_writer_new(void)
{
	struct wire_writer *w = mem_alloc(sizeof(*w));

	w->codec = packer_new();
	return w;
}

void wire_writer_free(struct wire_writer *w)
{
	if (!w)
		return;
	packer_free(w->codec);
	buf_fini(&w->last);
	free(w);
}

void wire_greet(uint64_t delay_ns, uint64_t now_ns, struct buf *out)
{
	const struct greeting g = { GREETING_MAGIC, delay_ns, now_ns };

	buf_add(out, &g, sizeof(g));
}

void wire_write(struct wire_writer *w, struct buf *block, uint64_t now_ns, struct buf *out)
{
	struct head head = { .block_bytes = block->size, .sent_ns = now_ns };
	size_t start = out->size + sizeof(head);
	struct buf older = w->last;

	buf_add(out, &head, sizeof(head));
	if (w->codec && pack(w->codec, &w->last, block, out))
		head.method = METHOD_ZSTD;
	else
		buf_add(out, block->bytes, block->size);
	head.bytes = (uint32_t)(out->size - start);
	memcpy(out->bytes + start - sizeof(head), &head, sizeof(head));
	w->last = *block;
	*block = older;
}

void wire_answer(const struct ask_answer_message *answer, struct buf *out)
{
	const struct head head = { .method = METHOD_ANSWER, .bytes = sizeof(*answer) };

	buf_add(out, &head, sizeof(head));
	buf_add(out, answer, sizeof(*answer));
}

struct wire_reader {
	void *codec; /* NULL: only blocks as they are can be read */
	bool greeted;
	enum wire_event error;
	struct buf in; /* what came and was not taken, from AT on */
	size_t at;
	struct buf last; /* the block before */
};

struct wire_reader *wire_reader_new(void)
{
	struct wire_reader *r = mem_alloc(sizeof(*r));

	r->codec = unpacker_new();
	return r;
}

void wire_reader_free(struct wire_reader *r)
{
	if (!r)
		return;
	unpacker_free(r->codec);
	buf_fini(&r->in);
	buf_fini(&r->last);
	free(r);
}

void wire_feed(struct wire_reader *r, const void *bytes, size_t size)
{
	size_t left = r->in.size - r->at;

	if (r->at && left)
		memmove(r->in.bytes, r->in.bytes + r->at, left);
	if (r->at)
		buf_truncate(&r->in, left);
	r->at = 0;
	buf_add(&r->in, bytes, size);
}

static struct bytes waiting(const struct wire_reader *r)
{
	return bytes_of(r->in.bytes + r->at, r->in.size - r->at);
}

/* Bytes that cannot begin a greeting are told before it is complete: nothing more may come. */
static enum wire_event take_greeting(struct wire_reader *r, struct wire_message *m)
{
	const uint64_t magic = GREETING_MAGIC;
	struct bytes in = waiting(r);
	struct greeting g;

	if (memcmp(in.at, &magic, in.left < sizeof(magic) ? in.left : sizeof(magic)) != 0)
		return WIRE_FOREIGN;
	bytes_read(&in, &g, sizeof(g));
	if (in.failed)
		return WIRE_NOTHING;
	r->at += sizeof(g);
	r->greeted = true;
	*m = (struct wire_message){ .sent_ns = g.sent_ns, .delay_ns = g.delay_ns };
	return WIRE_GREETING;
}

/* The event that HEAD begins, if that may be believed. */
static enum wire_event head_check(const struct wire_reader *r, const struct head *head)
{
	if (head->method == METHOD_ANSWER)
		return head->bytes == sizeof(struct ask_answer_message) ? WIRE_ANSWER
									: WIRE_DAMAGED;
	if (head->method > METHOD_ZSTD || head->block_bytes > WIRE_BLOCK_MAX ||
	    head->bytes > WIRE_BLOCK_MAX + WIRE_BLOCK_MAX / 128 ||
	    (head->method == METHOD_PLAIN && head->bytes != head->block_bytes))
		return WIRE_DAMAGED;
	return head->method == METHOD_ZSTD && !r->codec ? WIRE_NO_CODEC : WIRE_BLOCK;
}

/* Puts the block into `last`.  Its room is taken only now that all of it has come. */
static bool take_block(struct wire_reader *r, const struct head *head, struct bytes from)
{
	struct buf block = { .bytes = mem_array(head->block_bytes + 1, 1),
			     .size = head->block_bytes,
			     .capacity = head->block_bytes + 1 };
	bool good = true;

	if (head->method == METHOD_PLAIN)
		bytes_read(&from, block.bytes, block.size);
	else
		good = unpack(r->codec, &r->last, from, block.bytes, block.size);
	buf_fini(&r->last);
	r->last = block;
	return good;
}

static enum wire_event take_message(struct wire_reader *r, struct wire_message *m)
{
	struct bytes in = waiting(r), sent;
	enum wire_event event;
	struct head head;

	bytes_read(&in, &head, sizeof(head));
	if (in.failed)
		return WIRE_NOTHING;
	event = head_check(r, &head);
	if (event > WIRE_BLOCK)
		return event;
	sent = bytes_part(&in, head.bytes);
	if (in.failed)
		return WIRE_NOTHING;
	*m = (struct wire_message){ .sent_ns = head.sent_ns };
	if (event == WIRE_ANSWER)
		bytes_read(&sent, &m->answer, sizeof(m->answer));
	else if (!take_block(r, &head, sent))
		return WIRE_DAMAGED;
	r->at += sizeof(head) + head.bytes;
	if (event == WIRE_BLOCK) {
		m->block = r->last.bytes;
		m->size = r->last.size;
	}
	return event;
}

enum wire_event wire_next(struct wire_reader *r, struct wire_message *m)
{
	enum wire_event event;

	if (r->error != WIRE_NOTHING || r->at == r->in.size)
		return r->error;
	event = r->greeted ? take_message(r, m) : take_greeting(r, m);
	if (event > WIRE_BLOCK)
		r->error = event;
	return event;
}
