/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "runtime/python-image.h"
#include "runtime/python.h"

#define CODE_BYTES (256u << 10) /* of the evaluator; builds that were seen have at most 75 KiB */
#define LOOKUPS_MAX 128u        /* jumps out of it whose targets are looked up */
#define PARTS_MAX 8
#define JUMPS_MIN 4u /* into a part; builds that were seen have at least 10 */

/* The evaluator jumps into it. */
struct target {
	struct python_range range;
	uint32_t jumps;
};

struct search {
	const struct python_image *image;
	struct python_range code; /* the function's own */
	struct target targets[PARTS_MAX];
	size_t count;
	uint32_t lookups;
};

/* The sign of the lowest BITS of WORD. */
static int64_t extended(uint32_t word, unsigned bits)
{
	return (int64_t)((uint64_t)word << (64 - bits)) >> (64 - bits);
}

/*
 * The distance of the jump that may begin at AT, from there; 0: none.  An instruction's end is not known here, so other bytes
 * may look like one.  Hardly any two of them lead to the same place.
 */
static int64_t jump_x86_64(const uint8_t *at)
{
	size_t head = at[0] == 0xe9 ? 1 : at[0] == 0x0f && (at[1] & 0xf0) == 0x80 ? 2 : 0;
	int32_t distance;

	if (!head)
		return 0;
	memcpy(&distance, at + head, sizeof(distance));
	return (int64_t)distance + (int64_t)(head + sizeof(distance));
}

/* B; B.cond, CBZ and CBNZ; TBZ and TBNZ. */
static int64_t jump_aarch64(const uint8_t *at)
{
	uint32_t word;

	memcpy(&word, at, sizeof(word));
	if ((word & 0xfc000000) == 0x14000000)
		return extended(word, 26) * 4;
	if ((word & 0xff000000) == 0x54000000 || (word & 0x7e000000) == 0x34000000)
		return extended(word >> 5, 19) * 4;
	if ((word & 0x7e000000) == 0x36000000)
		return extended(word >> 5, 14) * 4;
	return 0;
}

static bool is_inside(const struct python_range *r, uint64_t address)
{
	return address > r->start && address < r->end;
}

static void count_jump(struct search *s, uint64_t to)
{
	struct python_range found;

	for (size_t i = 0; i < s->count; i++) {
		if (is_inside(&s->targets[i].range, to)) {
			s->targets[i].jumps++;
			return;
		}
	}
	if (s->count == PARTS_MAX || s->lookups++ >= LOOKUPS_MAX ||
	    !python_image_description(s->image, to, &found) || !is_inside(&found, to))
		return;
	s->targets[s->count++] = (struct target){ found, 1 };
}

/* BYTES are those of the function; 8 more are 0. */
static void count_jumps(struct search *s, const uint8_t *bytes, size_t size)
{
	const bool is_x86_64 = s->image->machine == EM_X86_64;

	for (size_t i = 0; i < size; i += is_x86_64 ? 1 : 4) {
		int64_t distance = is_x86_64 ? jump_x86_64(bytes + i) : jump_aarch64(bytes + i);
		uint64_t to = s->code.start + i + (uint64_t)distance;

		if (distance && (to < s->code.start || to >= s->code.end))
			count_jump(s, to);
	}
}

static bool take_part(const struct search *s, struct python_range *to)
{
	uint32_t most = JUMPS_MIN - 1;

	for (size_t i = 0; i < s->count; i++) {
		if (s->targets[i].jumps > most) {
			most = s->targets[i].jumps;
			*to = s->targets[i].range;
		}
	}
	return most >= JUMPS_MIN;
}

bool python_evaluator_find(struct python_evaluator *to, const struct python_memory *m,
			   uint64_t address)
{
	struct python_image image;
	struct search s = { .image = &image };
	uint8_t *bytes;
	size_t size;

	*to = (struct python_evaluator){ 0 };
	if (!python_image_find(&image, m, address) ||
	    (image.machine != EM_X86_64 && image.machine != EM_AARCH64) ||
	    !python_image_symbol(&image, "_PyEval_EvalFrameDefault", &s.code))
		return false;
	size = s.code.end - s.code.start;
	if (!size || size > CODE_BYTES)
		return false;
	bytes = mem_array(size + 8, 1);
	if (m->read(m->context, s.code.start, bytes, size))
		count_jumps(&s, bytes, size);
	free(bytes);
	to->code = s.code;
	return take_part(&s, &to->part);
}
