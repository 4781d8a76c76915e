/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "symbol/line-block.h"

#include <string.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/hash.h"
#include "worker/sealed.h"

#define BLOCK_MAGIC 0x656e696c706f7470ull
#define TEXT_BYTES_MAX (64u << 20)
#define TEXT_MAX 32768u /* bytes of one text */
#define NO_TEXT UINT32_MAX

struct block_frame {
	uint32_t function, file, declared_in; /* offsets of texts, or NO_TEXT */
	uint32_t line, declared_at, inlined;
};

struct block_instruction {
	uint64_t address, target;
	uint32_t text;
	uint8_t size, flow, zeros[2];
};

/* The block: this, then instructions, frames, frames of each place, source line of each place, code, texts. */
struct block {
	uint64_t magic;
	uint64_t instructions, frames, places, code_bytes, text_bytes;
	uint32_t has_lines, machine;
	struct build_id program;
	char missing[sizeof(struct error)], no_code[sizeof(struct error)];
};

/* Where the parts of a block lie, in bytes from its start. */
struct parts {
	size_t instructions, frames, places, lines, code, text, end;
};

static struct parts parts_of(const struct block *b)
{
	struct parts p = { .instructions = (sizeof(*b) + 7) / 8 * 8 };

	p.frames = p.instructions + b->instructions * sizeof(struct block_instruction);
	p.places = p.frames + b->frames * sizeof(struct block_frame);
	p.lines = p.places + b->places * sizeof(uint32_t);
	p.code = p.lines + b->places * sizeof(uint32_t);
	p.text = p.code + b->code_bytes;
	p.end = p.text + b->text_bytes;
	return p;
}

/* ---- Written. */

struct writer {
	struct block block;
	struct buf instructions, frames, places, lines, code, texts;
	struct map offsets; /* of a text, by its address: one more than its offset */
};

/* Equal texts of an answer have one address. */
static uint32_t text_number(struct writer *w, const char *text)
{
	uintptr_t known;
	size_t size;

	if (!text)
		return NO_TEXT;
	known = (uintptr_t)map_find(&w->offsets, (uintptr_t)text);
	if (known)
		return (uint32_t)(known - 1);
	size = strnlen(text, TEXT_MAX - 1);
	if (w->texts.size + size + 1 > TEXT_BYTES_MAX)
		return NO_TEXT;
	known = w->texts.size + 1;
	map_put(&w->offsets, (uintptr_t)text, (void *)known);
	buf_add(&w->texts, text, size);
	buf_add(&w->texts, "", 1);
	return (uint32_t)(known - 1);
}

static void write_frame(struct writer *w, const struct srcline_frame *f)
{
	const struct block_frame written = {
		.function = text_number(w, f->function),
		.file = text_number(w, f->file),
		.declared_in = text_number(w, f->declared_in),
		.line = f->line,
		.declared_at = f->declared_at,
		.inlined = f->inlined,
	};

	buf_add(&w->frames, &written, sizeof(written));
}

static void write_instruction(struct writer *w, const struct instruction *i)
{
	const struct block_instruction written = {
		.address = i->address,
		.target = i->target,
		.text = text_number(w, i->text),
		.size = i->size,
		.flow = i->flow,
	};

	buf_add(&w->instructions, &written, sizeof(written));
}

static void write_parts(struct writer *w, const struct lines_answer *a)
{
	for (size_t i = 0; i < a->instruction_count; i++)
		write_instruction(w, &a->instructions[i]);
	for (size_t i = 0; i < a->place_count; i++) {
		const uint32_t count = (uint32_t)a->places[i].frame_count;
		const uint32_t line = text_number(w, a->places[i].text);

		buf_add(&w->places, &count, sizeof(count));
		buf_add(&w->lines, &line, sizeof(line));
		for (size_t f = 0; f < count; f++)
			write_frame(w, &a->places[i].frames[f]);
	}
	buf_add(&w->code, a->code ? a->code : (const unsigned char *)"", a->code_size);
}

static void put(char *at, const struct buf *b)
{
	if (b->size)
		memcpy(at, b->bytes, b->size);
}

static void fill(char *at, const void *context)
{
	const struct writer *w = context;
	const struct parts p = parts_of(&w->block);

	memcpy(at, &w->block, sizeof(w->block));
	put(at + p.instructions, &w->instructions);
	put(at + p.frames, &w->frames);
	put(at + p.places, &w->places);
	put(at + p.lines, &w->lines);
	put(at + p.code, &w->code);
	put(at + p.text, &w->texts);
}

static void set_block(struct block *b, const struct line_answer *a)
{
	const struct lines_answer *l = &a->answer;

	memset(b, 0, sizeof(*b));
	b->magic = BLOCK_MAGIC;
	b->instructions = l->instruction_count;
	b->frames = a->frame_count;
	b->places = l->place_count;
	b->code_bytes = l->code_size;
	b->has_lines = l->has_lines;
	b->machine = l->machine;
	b->program = a->program;
	memcpy(b->missing, a->missing.text, strnlen(a->missing.text, sizeof(b->missing) - 1));
	memcpy(b->no_code, a->no_code.text, strnlen(a->no_code.text, sizeof(b->no_code) - 1));
}

int line_block_write(const struct line_answer *a)
{
	struct writer w = { .instructions = { 0 } };
	int fd;

	set_block(&w.block, a);
	write_parts(&w, &a->answer);
	w.block.text_bytes = w.texts.size;
	fd = sealed_write(parts_of(&w.block).end, fill, &w);
	buf_fini(&w.instructions);
	buf_fini(&w.frames);
	buf_fini(&w.places);
	buf_fini(&w.lines);
	buf_fini(&w.code);
	buf_fini(&w.texts);
	map_fini(&w.offsets);
	return fd;
}

/* ---- Read. */

struct reader {
	const struct lines_request *request;
	struct line_answer *answer;
	struct block block;
	const struct block_instruction *instructions;
	const struct block_frame *frames;
	const uint32_t *places, *lines;
	const unsigned char *code;
	const char *texts;
	struct map known; /* the copy of a text, by one more than its offset */
	bool damaged;
};

/* Returns true if the counts are possible as an answer, and add up to SIZE. */
static bool counts_are_valid(const struct reader *r, size_t size)
{
	const struct block *b = &r->block;
	const struct lines_request *q = r->request;
	const uint64_t code_max = q->code_size < LINES_CODE_MAX ? q->code_size : LINES_CODE_MAX;

	if (b->magic != BLOCK_MAGIC || b->has_lines > 1 || b->machine > UINT16_MAX ||
	    b->program.size > BUILD_ID_MAX || b->frames > LINE_FRAMES_MAX ||
	    b->instructions > (q->instructions ? DISASSEMBLY_MAX : 0) ||
	    b->places != (q->instructions ? b->instructions : q->address_count) ||
	    b->code_bytes > code_max || b->text_bytes > TEXT_BYTES_MAX)
		return false;
	return memchr(b->missing, '\0', sizeof(b->missing)) &&
	       memchr(b->no_code, '\0', sizeof(b->no_code)) && parts_of(b).end == size;
}

/* Every text ends, and none is too long. */
static bool texts_are_valid(const char *text, size_t size)
{
	const char *end = text + size, *nul;

	for (const char *at = text; at < end; at = nul + 1) {
		size_t left = (size_t)(end - at);

		nul = memchr(at, '\0', left < TEXT_MAX ? left : TEXT_MAX);
		if (!nul)
			return false;
	}
	return true;
}

/* A number must be where a text begins, so that all copies together are no longer than the texts. */
static const char *text_of(struct reader *r, uint32_t number)
{
	const char *copy;

	if (number == NO_TEXT)
		return NULL;
	if (number >= r->block.text_bytes || (number && r->texts[number - 1])) {
		r->damaged = true;
		return NULL;
	}
	copy = map_find(&r->known, (uint64_t)number + 1);
	if (!copy) {
		copy = strtab_add(r->answer->texts, r->texts + number);
		map_put(&r->known, (uint64_t)number + 1, (void *)copy);
	}
	return copy;
}

static void read_frames(struct reader *r, size_t place, size_t first, uint32_t count)
{
	struct srcline_frame frames[SRCLINE_DEPTH_MAX];

	for (uint32_t i = 0; i < count; i++) {
		const struct block_frame *f = &r->frames[first + i];

		frames[i] = (struct srcline_frame){
			.function = text_of(r, f->function),
			.file = text_of(r, f->file),
			.declared_in = text_of(r, f->declared_in),
			.line = f->line,
			.declared_at = f->declared_at,
			.inlined = f->inlined != 0,
		};
	}
	line_answer_take(r->answer, place, frames, count);
}

/* The addresses are our own, or those of the instructions. */
static void read_places(struct reader *r, size_t first)
{
	const struct instruction *instructions = r->answer->instructions;
	size_t next = 0;

	for (size_t i = 0; i < r->block.places; i++) {
		uint32_t count = r->places[i];

		if (count > SRCLINE_DEPTH_MAX || count > r->block.frames - next) {
			r->damaged = true;
			return;
		}
		r->answer->answer.places[first + i].address =
			instructions ? instructions[i].address : r->request->addresses[i];
		r->answer->answer.places[first + i].text = text_of(r, r->lines[i]);
		read_frames(r, first + i, next, count);
		next += count;
	}
}

/* They follow each other within the code. */
static void read_instructions(struct reader *r)
{
	struct line_answer *a = r->answer;
	const uint64_t start = r->request->code_start;
	uint64_t least = 0; /* from START */

	if (!r->block.instructions)
		return;
	a->instructions = mem_array(r->block.instructions, sizeof(*a->instructions));
	for (size_t i = 0; i < r->block.instructions; i++) {
		const struct block_instruction *in = &r->instructions[i];
		const char *text = text_of(r, in->text);
		uint64_t at = in->address - start;

		if (at < least || at >= r->block.code_bytes || !in->size ||
		    in->size > r->block.code_bytes - at || in->flow > FLOW_RETURN || !text) {
			r->damaged = true;
			return;
		}
		a->instructions[i] =
			(struct instruction){ in->address, in->target, text, in->size, in->flow };
		least = at + in->size;
	}
	a->answer.instruction_count = r->block.instructions;
}

static void read_code(struct reader *r)
{
	struct line_answer *a = r->answer;

	if (!r->block.code_bytes)
		return;
	a->code = mem_alloc(r->block.code_bytes);
	memcpy(a->code, r->code, r->block.code_bytes);
	a->answer.code_size = r->block.code_bytes;
}

static void read_head(struct reader *r)
{
	struct line_answer *a = r->answer;

	a->answer.has_lines = r->block.has_lines;
	a->answer.machine = (uint16_t)r->block.machine;
	a->program = r->block.program;
	error_set(&a->missing, "%s", r->block.missing);
	error_set(&a->no_code, "%s", r->block.no_code);
}

static bool read_block(struct reader *r, const char *at, size_t size, size_t first)
{
	struct parts p;

	memcpy(&r->block, at, sizeof(r->block));
	if (!counts_are_valid(r, size))
		return false;
	p = parts_of(&r->block);
	r->instructions = (const struct block_instruction *)(at + p.instructions);
	r->frames = (const struct block_frame *)(at + p.frames);
	r->places = (const uint32_t *)(at + p.places);
	r->lines = (const uint32_t *)(at + p.lines);
	r->code = (const unsigned char *)at + p.code;
	r->texts = at + p.text;
	if (!texts_are_valid(r->texts, r->block.text_bytes))
		return false;
	read_head(r);
	if (r->request->code_size)
		read_code(r);
	read_instructions(r);
	if (r->request->instructions)
		line_answer_set_places(r->answer, r->block.instructions);
	if (!r->damaged)
		read_places(r, first);
	return !r->damaged;
}

bool line_block_read(int fd, const struct lines_request *request, struct line_answer *a,
		     size_t first)
{
	struct reader r = { .request = request, .answer = a, .known = { .seed = hash_seed() } };
	size_t size = 0;
	const char *at = sealed_open(fd, sizeof(struct block), &size);
	const size_t frames = a->frame_count;
	bool valid = at && read_block(&r, at, size, first);

	if (!valid)
		line_answer_undo(a, first, frames);
	map_fini(&r.known);
	sealed_close(at, size);
	return valid;
}
