/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "profile/sample-snapshot.h"
#include "share/block.h"
#include "share/wire.h"

/*
 * Input: a byte that chooses the pieces in which a stream comes; then changes of a good stream of three blocks and an
 * answer: four bytes with the place and one for what is there, each.  With the byte's highest bit the rest of the input is
 * the stream itself.  A block or answer that comes is read, as the viewer does.
 */
const struct fuzz_bound fuzz_bound = { 500000, 20000, 65536, 4096 };

static void add_block(struct wire_writer *w, struct block_stream *b, struct snapshot *s,
		      struct buf *out)
{
	struct buf block = { 0 };

	s->halvings = 7;
	if (block_stream_write(b, s, BLOCK_BYTES_MIN * 4, &block) < 0)
		abort();
	wire_write(w, &block, 1, out);
	buf_fini(&block);
	snapshot_free(s);
}

static void make_stream(struct buf *out)
{
	struct wire_writer *w = wire_writer_new();
	struct block_stream *b = block_stream_new();
	struct ask_answer_message answer;

	wire_greet(1000000, 1, out);
	add_block(w, b, sample_snapshot(false), out);
	add_block(w, b, sample_snapshot_stacks(true), out);
	add_block(w, b, sample_snapshot_stacks(true), out);
	ask_answer_write(&answer, ASK_NOT_NAMED, "page-faults");
	wire_answer(&answer, out);
	wire_writer_free(w);
	block_stream_free(b);
}

static void change(struct buf *stream, struct bytes *in)
{
	while (in->left >= 5) {
		uint32_t place = bytes_u32(in);

		stream->bytes[place % stream->size] = (char)bytes_u8(in);
	}
}

static void read_copy(struct block_reader *blocks, const struct wire_message *m)
{
	enum block_error why;
	void *copy = malloc(m->size ? m->size : 1);

	if (!copy)
		abort();
	memcpy(copy, m->block, m->size);
	snapshot_free(block_read(blocks, copy, m->size, &why));
}

static void take_all(struct wire_reader *r, struct block_reader *blocks)
{
	enum wire_event event;
	struct wire_message m;
	struct ask_answer answer;

	while ((event = wire_next(r, &m)) != WIRE_NOTHING && event <= WIRE_BLOCK) {
		if (event == WIRE_BLOCK)
			read_copy(blocks, &m);
		if (event == WIRE_ANSWER && ask_answer_read(&m.answer, sizeof(m.answer), &answer))
			ask_refusal(answer.result);
	}
}

int fuzz_input(const uint8_t *data, size_t size)
{
	struct block_reader *blocks = block_reader_new(NULL, 0);
	struct wire_reader *r = wire_reader_new();
	struct bytes in = bytes_of(data, size);
	unsigned kind = bytes_u8(&in);
	size_t step = 1 + (kind & 0x7f) * 97;
	struct buf stream = { 0 };

	if (kind & 0x80)
		buf_add(&stream, in.at, in.left);
	else
		make_stream(&stream);
	if (!(kind & 0x80))
		change(&stream, &in);
	for (size_t at = 0; at < stream.size; at += step) {
		size_t left = stream.size - at;

		wire_feed(r, stream.bytes + at, left < step ? left : step);
		take_all(r, blocks);
	}
	wire_reader_free(r);
	block_reader_free(blocks);
	buf_fini(&stream);
	return 0;
}
