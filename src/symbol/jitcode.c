/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "symbol/jitcode.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "base/io.h"
#include "base/strtab.h"
#include "symbol/jitdump.h"
#include "symbol/jitrecord.h"

#define LINES_BYTES_MAX (16u << 20) /* of one function's entries */
#define FILE_BYTES_MAX 4096u        /* of a name */

/*
 * V8 gives addresses as in an ELF file of each function, behind a header of so many bytes.  Others
 * give real addresses.  V8's first entry is always there.
 */
#define HEADER_BIAS 0x40u

struct line {
	uint64_t address;
	uint32_t number;
	const char *file;
};

struct jitcode {
	struct jitreader reader;
	int fd; /* owned; -1 */
	struct jitfunction *functions;
	size_t count, capacity;
	struct map by_start;     /* a function's start to its number + 1 */
	struct map by_index;     /* the compiler's number to the same */
	bool told, biased;       /* there were lines; all were behind a header */
	struct jitfunction next; /* lines of the next code, at its `start` */
	/* Lines of one function, by address. */
	struct jitfunction lines_of; /* which one; `line_count` 0: none */
	struct line *lines;
	size_t line_count, line_capacity;
	struct strtab *texts;
};

struct jitcode *jitcode_new(int fd)
{
	struct jitcode *j = mem_alloc(sizeof(*j));

	j->fd = fd;
	j->biased = true;
	j->by_start.seed = hash_seed();
	j->by_index.seed = hash_seed();
	return j;
}

static void forget_lines(struct jitcode *j)
{
	free(j->lines);
	j->lines = NULL;
	j->line_count = j->line_capacity = 0;
	strtab_free(j->texts);
	j->texts = NULL;
	j->lines_of = (struct jitfunction){ 0 };
}

void jitcode_free(struct jitcode *j)
{
	if (!j)
		return;
	forget_lines(j);
	map_fini(&j->by_start);
	map_fini(&j->by_index);
	free(j->functions);
	if (j->fd >= 0)
		close(j->fd);
	free(j);
}

/* Records. */

static void add_function(struct jitcode *j, const struct jitfunction *f, uint64_t index)
{
	if (j->count == JITCODE_FUNCTIONS_MAX || !f->size || f->start + f->size < f->start)
		return;
	mem_grow((void **)&j->functions, &j->capacity, j->count + 1, sizeof(*j->functions));
	j->functions[j->count++] = *f;
	map_put(&j->by_start, f->start + 1, (void *)(uintptr_t)j->count);
	map_put(&j->by_index, index, (void *)(uintptr_t)j->count);
}

static void take_lines(struct jitcode *j, struct jitrecord *record)
{
	struct bytes *b = &record->body;
	uint64_t code = bytes_u64(b), count = bytes_u64(b), first = bytes_u64(b);

	j->next = (struct jitfunction){ .start = code };
	if (b->failed || !count)
		return;
	j->next.lines_offset = record->body_offset + 16;
	j->next.lines_bytes = record->body_size - 16;
	j->next.line_count = count;
	j->told = true;
	j->biased &= first == code + HEADER_BIAS;
}

static void take_load(struct jitcode *j, struct jitrecord *record)
{
	struct jitfunction f = { 0 };
	struct jitload load;

	if (!jitrecord_load(record, &load))
		return;
	if (j->next.start == load.address)
		f = j->next;
	j->next = (struct jitfunction){ 0 };
	f.start = load.address;
	f.size = load.size;
	f.code_offset = record->body_offset + load.head;
	f.code_bytes = record->body_size - load.head;
	f.code_bytes = f.code_bytes < load.size ? f.code_bytes : load.size;
	add_function(j, &f, load.index);
}

static void take_move(struct jitcode *j, struct jitrecord *record)
{
	struct jitfunction f;
	struct jitmove move;
	uintptr_t number = 0;

	if (jitrecord_move(record, &move))
		number = (uintptr_t)map_find(&j->by_index, move.index);
	if (!number)
		return;
	f = j->functions[number - 1];
	f.moved += move.to - f.start;
	f.start = move.to;
	f.size = move.size;
	f.code_bytes = f.code_bytes < f.size ? f.code_bytes : f.size;
	add_function(j, &f, move.index);
}

static void take_record(void *context, struct jitrecord *record)
{
	struct jitcode *j = context;

	if (record->type == JIT_DEBUG_INFO)
		take_lines(j, record);
	else if (record->type == JIT_CODE_LOAD)
		take_load(j, record);
	else if (record->type == JIT_CODE_MOVE)
		take_move(j, record);
}

uint64_t jitcode_parse(struct jitcode *j, const void *bytes, size_t size, uint64_t left)
{
	return jitreader_parse(&j->reader, bytes, size, left, take_record, j);
}

static void restart(struct jitcode *j)
{
	jitreader_restart(&j->reader);
	forget_lines(j);
	map_fini(&j->by_start);
	map_fini(&j->by_index);
	j->count = 0;
	j->told = false;
	j->biased = true;
	j->next = (struct jitfunction){ 0 };
}

void jitcode_read_on(struct jitcode *j, struct load *l)
{
	struct stat st;
	uint64_t size;

	if (j->fd < 0 || fstat(j->fd, &st))
		return;
	size = (uint64_t)st.st_size < JITDUMP_BYTES_MAX ? (uint64_t)st.st_size : JITDUMP_BYTES_MAX;
	if (size < j->reader.offset)
		restart(j);
	jitreader_read(&j->reader, l, j->fd, size, take_record, j);
}

const struct jitfunction *jitcode_find(const struct jitcode *j, uint64_t start)
{
	uintptr_t number = (uintptr_t)map_find(&j->by_start, start + 1);

	return number ? &j->functions[number - 1] : NULL;
}

uint16_t jitcode_machine(const struct jitcode *j)
{
	return j->reader.machine;
}

size_t jitcode_bytes(const struct jitcode *j, const struct jitfunction *f, void *bytes, size_t size)
{
	return io_read_at(j->fd, f->code_offset, bytes,
			  size < f->code_bytes ? size : f->code_bytes);
}

/* Lines. */

static bool is_same_file(const char *name, size_t size)
{
	return size == 1 && (unsigned char)*name == 255;
}

/* Reads the next entry.  Returns false at the end, or if the entries make no sense. */
static bool take_line(struct jitcode *j, struct bytes *b, const struct jitfunction *f)
{
	uint64_t bias = j->biased ? HEADER_BIAS : 0, address = bytes_u64(b) - bias + f->moved;
	uint32_t number = bytes_u32(b);
	const char *name, *file;
	size_t size;

	bytes_take(b, 4);
	name = (const char *)b->at;
	size = strnlen(name, b->left);
	if (b->failed || size == b->left || address - f->start > f->size)
		return false;
	bytes_take(b, size + 1);
	if (!is_same_file(name, size))
		file = strtab_add_n(j->texts, name, size < FILE_BYTES_MAX ? size : FILE_BYTES_MAX);
	else if (j->line_count)
		file = j->lines[j->line_count - 1].file;
	else
		return false;
	mem_grow((void **)&j->lines, &j->line_capacity, j->line_count + 1, sizeof(*j->lines));
	j->lines[j->line_count++] = (struct line){ address, number, file };
	return true;
}

static int compare_lines(const void *left, const void *right)
{
	const struct line *a = left, *b = right;

	return (a->address > b->address) - (a->address < b->address);
}

/* If one entry is wrong, all may be: a compiler has written bytes that it had freed. */
void jitcode_set_lines(struct jitcode *j, const struct jitfunction *f, const void *bytes,
		       size_t size)
{
	struct bytes b = bytes_of(bytes, size);

	forget_lines(j);
	j->lines_of = *f;
	j->texts = strtab_new();
	b.swap = j->reader.swap;
	while (j->line_count < f->line_count && j->line_count < JITCODE_LINES_MAX) {
		if (!take_line(j, &b, f)) {
			j->line_count = 0;
			return;
		}
	}
	if (j->line_count)
		qsort(j->lines, j->line_count, sizeof(*j->lines), compare_lines);
}

static void read_lines(struct jitcode *j, const struct jitfunction *f)
{
	size_t size = f->lines_bytes < LINES_BYTES_MAX ? f->lines_bytes : LINES_BYTES_MAX;
	unsigned char *bytes = mem_alloc(size);

	jitcode_set_lines(j, f, bytes, io_read_at(j->fd, f->lines_offset, bytes, size));
	free(bytes);
}

/* An entry is valid up to the next one.  Code before the first entry has that one's line, too. */
bool jitcode_line(struct jitcode *j, const struct jitfunction *f, uint64_t address,
		  struct srcline_frame *frame)
{
	size_t low = 0, high;
	const struct line *line;

	if (!f->line_count || address - f->start >= f->size)
		return false;
	if (j->lines_of.start != f->start || j->lines_of.lines_offset != f->lines_offset)
		read_lines(j, f);
	high = j->line_count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (j->lines[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (!j->line_count)
		return false;
	line = &j->lines[low ? low - 1 : 0];
	*frame = (struct srcline_frame){ .file = line->file, .line = line->number };
	return *line->file != '\0';
}
