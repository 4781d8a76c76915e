/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unwind/unwind-object.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "unwind/tables.h"
#include "worker/sealed.h"

#define ROWS_A_PIECE 4      /* on average */
#define FUNCTION_ROWS 4096u /* that are looked at for the ends of a function */

static const struct rule absent = { .kind = RULE_ABSENT };

/* NUMBER is the register's, if the value is in one. */
static bool base_is_valid(uint8_t base, int number)
{
	return base <= RULE_FP ||
	       (base == RULE_REGISTER && number >= 0 && number < UNWIND_REGISTERS);
}

/* Returns true if the sizes are possible, and add up to SIZE. */
static bool head_is_valid(const struct unwind_block *b, size_t size)
{
	return b->magic == UNWIND_BLOCK_MAGIC && b->machine > UNWIND_MACHINE_NONE &&
	       b->machine < UNWIND_MACHINES && b->fp_percent >= -1 && b->fp_percent <= 100 &&
	       b->segments <= UNWIND_SEGMENTS_MAX && b->rules <= UNWIND_RULES_MAX && b->rows &&
	       b->rows <= UNWIND_ROWS_MAX && unwind_parts_of(b).end == size;
}

static bool rules_are_valid(const struct unwind_object *o)
{
	for (uint32_t i = 0; i < o->head.rules; i++) {
		const struct rule *r = &o->rules[i];

		if (r->kind == RULE_NONE || r->kind >= RULE_KINDS ||
		    r->cfa_base > RULE_AT_REGISTER || !base_is_valid(r->ra_base, r->ra_register) ||
		    !base_is_valid(r->fp_base, r->fp_offset) || r->interrupted > 1 ||
		    r->cfa_register >= UNWIND_REGISTERS)
			return false;
	}
	return true;
}

/* The first row begins at 0, so each address has one; the last one below 2^64.  Fills the index of pieces, too. */
static bool rows_are_valid(struct unwind_object *o)
{
	uint32_t piece = 0;

	for (uint32_t i = 0; i < o->head.rows; i++) {
		if (i ? o->starts[i] <= o->starts[i - 1] : o->starts[0] != 0)
			return false;
		if ((o->numbers[i] & ~UNWIND_BEGINS) >= o->head.rules ||
		    o->starts[i] >> o->shift >= o->pieces)
			return false;
		while (piece <= o->starts[i] >> o->shift)
			o->first[piece++] = i;
	}
	while (piece <= o->pieces)
		o->first[piece++] = o->head.rows;
	return o->head.base <= UINT64_MAX - o->starts[o->head.rows - 1];
}

/* Chooses the size of pieces by the last start; if another is larger, that is found out later. */
static void make_pieces(struct unwind_object *o)
{
	uint32_t last = o->starts[o->head.rows - 1];

	while (last >> o->shift > o->head.rows / ROWS_A_PIECE + 1) /* ends at 31 */
		o->shift++;
	o->pieces = (last >> o->shift) + 1;
	o->first = mem_array((size_t)o->pieces + 1, sizeof(*o->first));
}

/* Points O into the block at AT and checks it. */
static bool object_map(struct unwind_object *o, const char *at, size_t size)
{
	struct unwind_parts p;

	if (size < sizeof(o->head))
		return false;
	memcpy(&o->head, at, sizeof(o->head));
	if (!head_is_valid(&o->head, size))
		return false;
	p = unwind_parts_of(&o->head);
	o->segments = (const struct unwind_segment *)(at + p.segments);
	o->rules = (const struct rule *)(at + p.rules);
	o->starts = (const uint32_t *)(at + p.starts);
	o->numbers = (const uint16_t *)(at + p.numbers);
	o->bytes = size;
	make_pieces(o);
	return rules_are_valid(o) && rows_are_valid(o);
}

/* HEAP is freed with it. */
static struct unwind_object *object_at(const void *at, size_t size, void *heap)
{
	struct unwind_object *o = mem_alloc(sizeof(*o));

	o->heap = heap;
	if (object_map(o, at, size))
		return o;
	unwind_object_free(o);
	return NULL;
}

struct unwind_object *unwind_object_of_block(void *at, size_t size)
{
	return object_at(at, size, at);
}

struct unwind_object *unwind_object_of_rules(const void *bytes, size_t size)
{
	return object_at(bytes, size, NULL);
}

struct unwind_object *unwind_object_open(int fd)
{
	struct unwind_object *o = mem_alloc(sizeof(*o));

	o->sealed = sealed_open(fd, sizeof(o->head), &o->bytes);
	if (o->sealed && object_map(o, o->sealed, o->bytes))
		return o;
	unwind_object_free(o);
	return NULL;
}

void unwind_object_free(struct unwind_object *o)
{
	if (!o)
		return;
	sealed_close(o->sealed, o->bytes);
	mem_free(o->heap, o->first, o);
}

bool unwind_object_bias(const struct unwind_object *o, uint64_t map_start, uint64_t pgoff,
			uint64_t *bias)
{
	/* A mapping begins at a page, of 64 KiB at most, and so may begin before its segment. */
	for (uint32_t i = 0; i < o->head.segments; i++) {
		const struct unwind_segment *s = &o->segments[i];
		uint64_t page = s->offset & ~UINT64_C(0xffff);

		if (pgoff < page || pgoff >= s->offset + s->size)
			continue;
		*bias = map_start - (s->address + (pgoff - s->offset));
		return true;
	}
	return false;
}

enum unwind_machine unwind_object_machine(const struct unwind_object *o)
{
	return o->head.machine;
}

size_t unwind_object_functions(const struct unwind_object *o)
{
	return o->head.functions;
}

int unwind_object_fp_percent(const struct unwind_object *o)
{
	return o->head.fp_percent;
}

size_t unwind_object_bytes(const struct unwind_object *o)
{
	return sizeof(*o) + o->bytes + ((size_t)o->pieces + 1) * sizeof(*o->first);
}

/* The row that is valid at KEY: the last that begins at or before it. */
static uint32_t row_at(const struct unwind_object *o, uint32_t key)
{
	uint32_t piece = key >> o->shift;
	uint32_t low = o->head.rows, high = o->head.rows;

	if (piece < o->pieces) {
		low = o->first[piece];
		high = o->first[piece + 1];
	}
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (o->starts[middle] <= key)
			low = middle + 1;
		else
			high = middle;
	}
	return low - 1;
}

/* Returns false if no row has ADDRESS. */
static bool find_row(const struct unwind_object *o, uint64_t address, uint32_t *row)
{
	if (address < o->head.base || address - o->head.base > UINT32_MAX)
		return false;
	*row = row_at(o, (uint32_t)(address - o->head.base));
	return true;
}

static const struct rule *rule_of(const struct unwind_object *o, uint32_t row)
{
	return &o->rules[o->numbers[row] & ~UNWIND_BEGINS];
}

const struct rule *unwind_object_rule(const struct unwind_object *o, uint64_t address)
{
	uint32_t row;

	return find_row(o, address, &row) ? rule_of(o, row) : &absent;
}

bool unwind_object_function(const struct unwind_object *o, uint64_t address, uint64_t *start,
			    uint64_t *end)
{
	uint32_t first, next, looked_at = 0;

	if (!find_row(o, address, &first) || rule_of(o, first)->kind == RULE_ABSENT)
		return false;
	next = first + 1;
	while (first && !(o->numbers[first] & UNWIND_BEGINS) && looked_at++ < FUNCTION_ROWS)
		first--;
	while (next < o->head.rows && !(o->numbers[next] & UNWIND_BEGINS) &&
	       looked_at++ < FUNCTION_ROWS)
		next++;
	if (next == o->head.rows || looked_at >= FUNCTION_ROWS)
		return false;
	*start = o->head.base + o->starts[first];
	*end = o->head.base + o->starts[next];
	return true;
}
