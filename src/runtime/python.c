/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "runtime/python.h"

#include <string.h>

#include "runtime/python-image.h"

#define WORD sizeof(uint64_t)
#define FRAME_BYTES 128 /* up to the mark of a frame, in each version */
#define THREAD_BYTES 512
#define CODE_BYTES 256
#define TEXT_BYTES 64
#define STATE_BYTES (1u << 20) /* of the interpreter, and of the runtime */
#define PTHREAD_BYTES 1024     /* of struct pthread: its tid is among them in glibc and in musl */
#define CODE_WORDS_MAX (16u << 20)
#define INTERPRETERS_MAX 64

static bool read_word(const struct python_memory *m, uint64_t address, uint64_t *word)
{
	return m->read(m->context, address, word, sizeof(*word));
}

static uint64_t word_at(const void *bytes, size_t offset)
{
	uint64_t word;

	memcpy(&word, (const char *)bytes + offset, sizeof(word));
	return word;
}

/* The bytes of an object up to the last one of three words. */
static size_t up_to(uint32_t a, uint32_t b, uint32_t c)
{
	uint32_t last = a > b ? a : b;

	return (last > c ? last : c) + WORD;
}

bool python_is_name(const char *name)
{
	if (!strncmp(name, "lib", 3))
		name += 3;
	return !strncmp(name, "python3.", 8) && name[8] >= '0' && name[8] <= '9';
}

/* The version. */

static const struct python_offsets *row_of(uint64_t version)
{
	for (size_t i = 0; i < python_offset_count; i++) {
		if (python_offsets[i].version == version >> 16)
			return &python_offsets[i];
	}
	return NULL;
}

/* The newest version whose first export is there. */
static const struct python_offsets *row_by_exports(const struct python_image *image)
{
	struct python_range at;

	for (size_t i = python_offset_count; i-- > 0;) {
		const char *name = python_offsets[i].first_export;

		if (name && python_image_symbol(image, name, &at))
			return &python_offsets[i];
	}
	return NULL;
}

static const struct python_offsets *find_row(const struct python_image *image)
{
	struct python_range at;
	uint64_t word;

	/* Python 3.11 and newer: PY_VERSION_HEX, 0x030b02f0 of 3.11.2. */
	if (!python_image_symbol(image, "Py_Version", &at))
		return row_by_exports(image);
	return read_word(image->memory, at.start, &word) ? row_of((uint32_t)word) : NULL;
}

/* The figures that an interpreter tells, and what they must be below. */
static const struct {
	size_t field;
	uint32_t below;
} told_fields[] = {
#define TOLD(name, bytes)                                           \
	{                                                           \
		offsetof(struct python_offsets, name), (bytes)-WORD \
	}
	TOLD(interpreters, STATE_BYTES),   TOLD(interpreter_next, STATE_BYTES),
	TOLD(threads, STATE_BYTES),        TOLD(thread_next, THREAD_BYTES),
	TOLD(thread_id, THREAD_BYTES),     TOLD(thread_entry, THREAD_BYTES),
	TOLD(thread_base, THREAD_BYTES),   TOLD(frame_code, FRAME_BYTES),
	TOLD(frame_previous, FRAME_BYTES), TOLD(frame_mark, FRAME_BYTES),
	TOLD(code_line, CODE_BYTES),       TOLD(code_file, CODE_BYTES),
	TOLD(code_name, CODE_BYTES),       TOLD(code_start, CODE_BYTES),
	TOLD(text_length, TEXT_BYTES),     TOLD(text_state, TEXT_BYTES),
	TOLD(text_ascii, TEXT_BYTES),
#undef TOLD
};

#define COOKIE "xdebugpy" /* pycore_debug_offsets.h: the table begins so */

static bool read_told(struct python_runtime *r, const struct python_memory *m)
{
	char cookie[sizeof(COOKIE) - 1];
	uint32_t figure;
	uint64_t word;

	if (!m->read(m->context, r->address, cookie, sizeof(cookie)) ||
	    memcmp(cookie, COOKIE, sizeof(cookie)) != 0)
		return false;
	for (size_t i = 0; i < sizeof(told_fields) / sizeof(*told_fields); i++) {
		char *field = (char *)&r->offsets + told_fields[i].field;

		memcpy(&figure, field, sizeof(figure));
		if (!figure)
			continue; /* this version has no such thing */
		if (!read_word(m, r->address + figure, &word) || word >= told_fields[i].below)
			return false;
		figure = (uint32_t)word;
		memcpy(field, &figure, sizeof(figure));
	}
	return true;
}

enum python_result python_find(struct python_runtime *to, const struct python_memory *m,
			       uint64_t image)
{
	const struct python_offsets *row;
	struct python_image file;
	struct python_range at;
	uint64_t word;

	if (!python_image_find(&file, m, image) || !python_image_symbol(&file, "_PyRuntime", &at))
		return PYTHON_NONE;
	to->address = at.start;
	row = find_row(&file);
	if (!row)
		return PYTHON_VERSION;
	to->offsets = *row;
	if (row->free_threaded && (!read_word(m, to->address + row->free_threaded, &word) || word))
		return PYTHON_VERSION;
	return row->is_told && !read_told(to, m) ? PYTHON_VERSION : PYTHON_OK;
}

/* Threads. */

static bool read_thread(const struct python_runtime *r, const struct python_memory *m,
			uint64_t thread, char bytes[THREAD_BYTES])
{
	const struct python_offsets *o = &r->offsets;
	size_t size = up_to(o->thread_id, o->thread_entry, o->thread_next);

	return m->read(m->context, thread, bytes,
		       up_to((uint32_t)(size - WORD), o->thread_base, 0));
}

/* libc keeps the tid in what a pthread_t points to; where is the matter of libc alone. */
static bool pthread_is(const struct python_memory *m, uint64_t pthread, uint64_t tid)
{
	uint32_t words[64];

	for (size_t at = 0; at < PTHREAD_BYTES; at += sizeof(words)) {
		if (!m->read(m->context, pthread + at, words, sizeof(words)))
			return false;
		for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
			if (words[i] == tid)
				return true;
		}
	}
	return false;
}

static bool thread_is(const struct python_runtime *r, const struct python_memory *m,
		      const char *thread, uint64_t tid)
{
	uint64_t id = word_at(thread, r->offsets.thread_id);

	return r->offsets.has_pthreads ? pthread_is(m, id, tid) : id == tid;
}

uint64_t python_thread(const struct python_runtime *r, const struct python_memory *m, uint64_t tid)
{
	const struct python_offsets *o = &r->offsets;
	uint64_t interpreter, thread;
	char bytes[THREAD_BYTES];
	unsigned left = PYTHON_THREADS;

	if (!read_word(m, r->address + o->interpreters, &interpreter))
		return 0;
	for (int i = 0; interpreter && i < INTERPRETERS_MAX; i++) {
		if (!read_word(m, interpreter + o->threads, &thread))
			return 0;
		for (; thread && left; left--) {
			if (!read_thread(r, m, thread, bytes))
				return 0;
			if (thread_is(r, m, bytes, tid))
				return thread;
			thread = word_at(bytes, o->thread_next);
		}
		if (!read_word(m, interpreter + o->interpreter_next, &interpreter))
			return 0;
	}
	return 0;
}

/* Frames. */

struct walk {
	const struct python_runtime *runtime;
	const struct python_memory *memory;
	struct python_stack *to;
};

/* Reads the frame at ADDRESS: what it runs, who called it, and whether it is the last one of its level. */
static bool read_frame(const struct walk *w, uint64_t address, struct python_frame *frame,
		       uint64_t *caller, bool *marked)
{
	const struct python_offsets *o = &w->runtime->offsets;
	char bytes[FRAME_BYTES];

	if (!w->memory->read(w->memory->context, address, bytes,
			     up_to(o->frame_code, o->frame_previous, o->frame_mark)))
		return false;
	*frame = (struct python_frame){ .address = address,
					.code = word_at(bytes, o->frame_code) & ~(uint64_t)o->tag };
	*caller = word_at(bytes, o->frame_previous);
	*marked = o->each_is_entry || (uint8_t)bytes[o->frame_mark] == o->mark;
	return true;
}

/*
 * Reads the level whose innermost frame is *FRAME, which gets that of the level outside.  False: that is no chain.
 */
static bool read_level(const struct walk *w, struct python_level *level, uint64_t *frame)
{
	struct python_stack *to = w->to;
	struct python_frame read;
	bool marked = false;

	level->first = to->frame_count;
	while (*frame && !marked) {
		if (!read_frame(w, *frame, &read, frame, &marked))
			return false;
		if (marked && w->runtime->offsets.has_shims) {
			level->anchor = read.address;
			break;
		}
		if (to->frame_count == PYTHON_FRAMES)
			return false;
		to->frames[to->frame_count++] = read;
		level->count++;
	}
	return marked;
}

/* Each entry says with which frame it is; that the chain of frames comes to it again is checked. */
static enum python_result read_cframes(const struct walk *w, uint64_t cframe)
{
	const struct python_offsets *o = &w->runtime->offsets;
	struct python_stack *to = w->to;
	uint64_t frame = 0, outside = 0;
	char bytes[32];

	for (; cframe; cframe = word_at(bytes, o->cframe_previous)) {
		struct python_level *level = &to->levels[to->level_count];

		if (!w->memory->read(w->memory->context, cframe, bytes, sizeof(bytes) - 8))
			return PYTHON_CHANGED;
		frame = word_at(bytes, o->cframe_frame);
		if (to->level_count && frame != outside)
			return PYTHON_CHANGED;
		if (!frame) /* that of the thread itself */
			break;
		if (to->level_count == PYTHON_LEVELS)
			return PYTHON_CHANGED;
		*level = (struct python_level){ .anchor = cframe,
						.pointer = cframe + o->cframe_frame };
		if (!read_level(w, level, &frame))
			return PYTHON_CHANGED;
		level->anchor = cframe;
		to->level_count++;
		outside = frame;
	}
	return to->level_count ? PYTHON_OK : PYTHON_NONE;
}

/* A shim has the frame outside as its caller: that one is on the C stack.  Without shims no place there is known. */
static enum python_result read_frames(const struct walk *w, uint64_t frame, uint64_t base)
{
	const struct python_offsets *o = &w->runtime->offsets;
	struct python_stack *to = w->to;

	for (uint64_t pointer = 0; frame && frame != base;) {
		struct python_level *level = &to->levels[to->level_count];

		if (to->level_count == PYTHON_LEVELS)
			return PYTHON_CHANGED;
		*level = (struct python_level){ .pointer = pointer };
		if (!read_level(w, level, &frame))
			return PYTHON_CHANGED;
		if (o->has_shims)
			pointer = level->anchor + o->frame_previous;
		to->level_count++;
	}
	return to->level_count ? PYTHON_OK : PYTHON_NONE;
}

enum python_result python_stack_read(const struct python_runtime *r, const struct python_memory *m,
				     uint64_t thread, uint64_t tid, struct python_stack *to)
{
	const struct walk w = { r, m, to };
	char bytes[THREAD_BYTES];
	uint64_t entry, base;

	to->frame_count = to->level_count = 0;
	if (!read_thread(r, m, thread, bytes) || !thread_is(r, m, bytes, tid))
		return PYTHON_CHANGED;
	entry = word_at(bytes, r->offsets.thread_entry);
	base = r->offsets.thread_base ? word_at(bytes, r->offsets.thread_base) : 0;
	return r->offsets.has_cframes ? read_cframes(&w, entry) : read_frames(&w, entry, base);
}

/* Code. */

/* Where the instructions of the code object at ADDRESS are.  False: nowhere. */
static bool find_instructions(const struct python_runtime *r, const struct python_memory *m,
			      uint64_t address, const char *code, struct python_code *to)
{
	const struct python_offsets *o = &r->offsets;
	char head[CODE_BYTES];
	uint64_t count = word_at(code, o->code_words);

	if (o->code_bytes) {
		address = word_at(code, o->code_bytes);
		if (!m->read(m->context, address, head, o->code_start))
			return false;
		count = word_at(head, o->code_words) / 2;
	}
	to->start = address + o->code_start;
	to->end = to->start + 2 * count;
	return count && count <= CODE_WORDS_MAX;
}

bool python_code_read(const struct python_runtime *r, const struct python_memory *m,
		      uint64_t address, struct python_code *to)
{
	const struct python_offsets *o = &r->offsets;
	char bytes[CODE_BYTES];
	int32_t line;

	if (!address ||
	    !m->read(m->context, address, bytes, up_to(o->code_line, o->code_file, o->code_name)))
		return false;
	memcpy(&line, bytes + o->code_line, sizeof(line));
	*to = (struct python_code){ .name = word_at(bytes, o->code_name),
				    .file = word_at(bytes, o->code_file),
				    .line = line > 0 ? (uint32_t)line : 0 };
	return find_instructions(r, m, address, bytes, to) && to->name && to->file;
}

/* Appends CHARACTER to the SIZE bytes of TEXT.  The new size; the same one if there is no room. */
static size_t put_utf8(char text[PYTHON_TEXT + 1], size_t size, uint32_t c)
{
	unsigned more = c < 0x80 ? 0 : c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
	static const unsigned char heads[] = { 0, 0xc0, 0xe0, 0xf0 };

	if (size + 1 + more > PYTHON_TEXT)
		return size;
	text[size++] = (char)(heads[more] | (c >> (6 * more)));
	while (more--)
		text[size++] = (char)(0x80 | ((c >> (6 * more)) & 0x3f));
	return size;
}

static uint32_t character_at(const char *bytes, unsigned kind, size_t i)
{
	uint32_t c = 0;

	memcpy(&c, bytes + i * kind,
	       kind); /* the least significant byte is the first: see naming/ */
	return c;
}

bool python_text_read(const struct python_runtime *r, const struct python_memory *m,
		      uint64_t address, char text[PYTHON_TEXT + 1])
{
	const struct python_offsets *o = &r->offsets;
	char head[TEXT_BYTES], bytes[4 * PYTHON_TEXT];
	uint64_t length;
	uint32_t state, kind;
	size_t count, size = 0;

	if (!m->read(m->context, address, head, up_to(o->text_length, o->text_state, 0)))
		return false;
	length = word_at(head, o->text_length);
	memcpy(&state, head + o->text_state, sizeof(state));
	kind = (state & o->state_kind) / (o->state_kind & -o->state_kind);
	if (!length || !(state & o->state_compact) || (kind != 1 && kind != 2 && kind != 4))
		return false;
	count = length < PYTHON_TEXT ? (size_t)length : PYTHON_TEXT;
	address += o->text_ascii + (state & o->state_ascii ? 0 : o->text_wide);
	if (!m->read(m->context, address, bytes, count * kind))
		return false;
	for (size_t i = 0; i < count; i++) {
		uint32_t c = character_at(bytes, kind, i);

		if (!c || c > 0x10ffff)
			return false;
		size = put_utf8(text, size, c);
	}
	text[size] = '\0';
	return true;
}
