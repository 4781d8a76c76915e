/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "perf/data/write-record.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>

#include <linux/perf_event.h>

#define WORD 8u
#define FINISHED_ROUND 68u        /* enum perf_user_event_type in perf's perf/event/event.h */
#define BUILD_ID_SIZED (1u << 15) /* PERF_RECORD_MISC_BUILD_ID_SIZE */
#define BUILD_ID_FIELD 24u        /* the id, its size, padding */
#define HOST_KERNEL_PID UINT32_MAX
#define PATH_BYTES_MAX 4096u

/* IDENTIFIER, IP, TID, TIME come first, and each is one word. */
enum { WORD_HEADER, WORD_IDENTIFIER, WORD_IP, WORD_TASK, WORD_TIME };

/* The fields that may stand in front of the values, a word each. */
#define BEFORE_READ                                                                     \
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | \
	 PERF_SAMPLE_ADDR | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU |  \
	 PERF_SAMPLE_PERIOD)

/* The words of a live source's events at the end of other records: TID, TIME, CPU, IDENTIFIER. */
#define TRAILER_WORDS 4u
#define TIME_FROM_END 3u

struct part { /* of a record, in bytes */
	size_t offset, size;
};

/* The parts from which a stack is made. */
#define STACK_PARTS (PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER | PERF_SAMPLE_BRANCH_STACK)

/* Returns true if the file has the stack in place of its parts. */
static bool has_stack_made(const struct record_layout *layout)
{
	return layout->sample_type & PERF_SAMPLE_CALLCHAIN && layout->sample_type & STACK_PARTS;
}

uint64_t write_sample_type(const struct record_layout *layout)
{
	uint64_t type = layout->sample_type & ~(uint64_t)PERF_SAMPLE_READ;

	return has_stack_made(layout) ? type & ~(uint64_t)STACK_PARTS : type;
}

static void put_u32(struct buf *b, uint32_t v)
{
	buf_add(b, &v, sizeof(v));
}

static void put_u64(struct buf *b, uint64_t v)
{
	buf_add(b, &v, sizeof(v));
}

static void put_zeros(struct buf *b, size_t size)
{
	static const char zeros[WORD * 8];

	for (size_t n; size; size -= n) {
		n = size < sizeof(zeros) ? size : sizeof(zeros);
		buf_add(b, zeros, n);
	}
}

/* With the NULs that fill the last word, at least one. */
static size_t padded(const char *text)
{
	return (strnlen(text, PATH_BYTES_MAX - 1) / WORD + 1) * WORD;
}

static void put_text(struct buf *b, const char *text)
{
	size_t size = strnlen(text, PATH_BYTES_MAX - 1);

	buf_add(b, text, size);
	put_zeros(b, padded(text) - size);
}

static void put_header(struct buf *b, uint32_t type, uint16_t misc, size_t size)
{
	const struct perf_event_header h = { .type = type, .misc = misc, .size = (uint16_t)size };

	buf_add(b, &h, sizeof(h));
}

static void put_task(struct buf *b, const struct write_stamp *s)
{
	put_u32(b, s->pid);
	put_u32(b, s->tid);
}

static void put_stamp(struct buf *b, const struct write_stamp *s)
{
	put_task(b, s);
	put_u64(b, s->time_ns);
	put_u64(b, s->cpu);
	put_u64(b, s->id);
}

/* Where the values of the sample R are: a count, two times at most, and one to three words a value. */
static int find_read(const struct record_layout *layout, const struct record *r, struct part *read)
{
	uint64_t type = layout->sample_type, format = layout->read_format, count = 1;
	size_t fixed = 0, each = 1;

	*read = (struct part){ 0 };
	read->offset = WORD * (1 + (size_t)__builtin_popcountll(type & BEFORE_READ) - r->no_period);
	if (!(type & PERF_SAMPLE_READ))
		return read->offset > r->size ? -EBADMSG : 0;
	if (read->offset + WORD > r->size)
		return -EBADMSG;
	if (format & PERF_FORMAT_GROUP) {
		memcpy(&count, (const char *)r->bytes + read->offset, sizeof(count));
		fixed = 1;
	}
	fixed += !!(format & PERF_FORMAT_TOTAL_TIME_ENABLED);
	fixed += !!(format & PERF_FORMAT_TOTAL_TIME_RUNNING);
	each += !!(format & PERF_FORMAT_ID);
	each += !!(format & PERF_FORMAT_LOST);
	if (count > r->size / WORD)
		return -EBADMSG;
	read->size = WORD * (fixed + each * (size_t)count);
	return read->offset + read->size > r->size ? -EBADMSG : 0;
}

static void set_word(struct buf *b, size_t record, size_t word, uint64_t value)
{
	memcpy(b->bytes + record + word * WORD, &value, sizeof(value));
}

/*
 * The last words in front of the values, as R has them: see occurrence_attr() in cpugroup.c, and for the period
 * live_correct_period() too.
 */
static void set_weight(struct buf *b, size_t start, const struct record_layout *layout,
		       const struct record *r, size_t words)
{
	if (!(layout->sample_type & PERF_SAMPLE_PERIOD))
		return;
	if (layout->sample_type & PERF_SAMPLE_CPU)
		set_word(b, start, words - 2, r->cpu);
	set_word(b, start, words - 1, r->sample.period);
}

static uint64_t task_word(const struct write_task *task)
{
	const uint32_t both[] = { task->pid, task->tid };
	uint64_t word;

	memcpy(&word, both, sizeof(word));
	return word;
}

/* From the callchain on: RAW may follow it, and then what is left out. */
static void put_stack(struct buf *b, const struct record_layout *layout, const struct record *r,
		      const struct write_task *task)
{
	const struct record_sample *s = &r->sample;
	uint64_t count = task->chain ? task->chain_count : s->callchain_count;

	put_u64(b, count);
	buf_add(b, task->chain ? (const void *)task->chain : s->callchain, count * WORD);
	if (!(layout->sample_type & PERF_SAMPLE_RAW))
		return;
	put_u32(b, s->raw_size);
	buf_add(b, s->raw, s->raw_size);
}

static void set_size(struct buf *b, size_t start)
{
	uint16_t size = (uint16_t)(b->size - start);

	memcpy(b->bytes + start + offsetof(struct perf_event_header, size), &size, sizeof(size));
}

int write_sample(struct buf *b, const struct record_layout *layout, const struct record *r,
		 const struct write_task *task)
{
	const char *bytes = r->bytes;
	size_t start = b->size, end;
	struct part read;

	if (!bytes || r->size < (WORD_TIME + 1) * WORD || find_read(layout, r, &read))
		return -EBADMSG;
	end = read.offset + read.size;
	put_header(b, r->type, r->misc, r->size - read.size);
	buf_add(b, bytes + WORD, read.offset - WORD);
	if (r->no_period)
		put_u64(b, r->sample.period);
	set_weight(b, start, layout, r, (b->size - start) / WORD);
	if (has_stack_made(layout))
		put_stack(b, layout, r, task);
	else
		buf_add(b, bytes + end, r->size - end);
	set_size(b, start);
	set_word(b, start, WORD_IDENTIFIER, WRITE_ID(r->event));
	set_word(b, start, WORD_TASK, task_word(task));
	set_word(b, start, WORD_TIME, r->time_ns);
	return 0;
}

/* The word in which a record names an event besides its last one; 0: none. */
static size_t word_of_id(uint32_t type)
{
	if (type == RECORD_LOST)
		return 1;
	return type == RECORD_THROTTLE || type == RECORD_UNTHROTTLE ? 2 : 0;
}

int write_other(struct buf *b, const struct record *r, uint64_t id)
{
	size_t start = b->size, words = r->size / WORD, inner = word_of_id(r->type);

	if (!r->bytes || r->size % WORD || words < 1 + inner + TRAILER_WORDS)
		return -EBADMSG;
	buf_add(b, r->bytes, r->size);
	set_size(b, start);
	set_word(b, start, words - 1, id);
	set_word(b, start, words - TIME_FROM_END, r->time_ns);
	if (inner)
		set_word(b, start, inner, id);
	return 0;
}

static void put_range(struct buf *b, const struct record_mmap *m)
{
	put_u64(b, m->start);
	put_u64(b, m->length);
	put_u64(b, m->pgoff);
}

void write_comm(struct buf *b, const struct write_stamp *stamp, const char *comm)
{
	put_header(b, RECORD_COMM, 0, WORD * (2 + TRAILER_WORDS) + padded(comm));
	put_task(b, stamp);
	put_text(b, comm);
	put_stamp(b, stamp);
}

void write_mmap(struct buf *b, const struct write_stamp *stamp, const struct record_mmap *m)
{
	put_header(b, RECORD_MMAP2, PERF_RECORD_MISC_USER,
		   WORD * (9 + TRAILER_WORDS) + padded(m->path));
	put_task(b, stamp);
	put_range(b, m);
	put_u32(b, m->major);
	put_u32(b, m->minor);
	put_u64(b, m->inode);
	put_u64(b, m->inode_generation);
	put_u32(b, PROT_READ | PROT_EXEC);
	put_u32(b, MAP_PRIVATE);
	put_text(b, m->path);
	put_stamp(b, stamp);
}

void write_kernel_mmap(struct buf *b, const struct write_stamp *stamp, const struct record_mmap *m)
{
	put_header(b, RECORD_MMAP, PERF_RECORD_MISC_KERNEL,
		   WORD * (5 + TRAILER_WORDS) + padded(m->path));
	put_u32(b, HOST_KERNEL_PID);
	put_u32(b, 0);
	put_range(b, m);
	put_text(b, m->path);
	put_stamp(b, stamp);
}

void write_lost(struct buf *b, const struct write_stamp *stamp, uint64_t count)
{
	put_header(b, RECORD_LOST, 0, WORD * (3 + TRAILER_WORDS));
	put_u64(b, stamp->id);
	put_u64(b, count);
	put_stamp(b, stamp);
}

void write_read(struct buf *b, const struct write_stamp *stamp, const struct write_count *count)
{
	put_header(b, RECORD_READ, 0, WORD * (6 + TRAILER_WORDS));
	put_task(b, stamp);
	put_u64(b, count->value);
	put_u64(b, count->enabled_ns);
	put_u64(b, count->running_ns);
	put_u64(b, stamp->id);
	put_stamp(b, stamp);
}

void write_round(struct buf *b)
{
	put_header(b, FINISHED_ROUND, 0, sizeof(struct perf_event_header));
}

void write_build_id(struct buf *b, const struct write_build_id *id)
{
	uint8_t bytes[BUILD_ID_FIELD] = { 0 };
	uint16_t misc = id->kernel ? PERF_RECORD_MISC_KERNEL : PERF_RECORD_MISC_USER;

	memcpy(bytes, id->id.bytes, id->id.size);
	bytes[BUILD_ID_MAX] = id->id.size;
	put_header(b, 0, misc | BUILD_ID_SIZED,
		   sizeof(struct perf_event_header) + 4 + BUILD_ID_FIELD + padded(id->path) + 4);
	put_u32(b, HOST_KERNEL_PID);
	buf_add(b, bytes, sizeof(bytes));
	put_text(b, id->path);
	put_zeros(b, 4); /* so that the next one begins at a whole word */
}
