/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unwind/edge.h"

#include <stdbool.h>

#define FP 29
#define RA 30
#define SP 31 /* or the zero register */

/* The effect of one instruction. */
struct effect {
	int32_t moves;  /* added to the stack pointer, bytes */
	int32_t ra, fp; /* from the lower stack pointer to their place in memory, or EDGE_KEPT */
	bool loads, stores; /* one of them */
	bool sets_fp;       /* to a place in the frame */
};

static uint32_t field(uint32_t word, unsigned low, unsigned bits)
{
	return word >> low & ((UINT32_C(1) << bits) - 1);
}

static int32_t signed_field(uint32_t word, unsigned low, unsigned bits)
{
	return (int32_t)(word << (32 - low - bits)) >> (32 - bits);
}

static bool is_followed(uint32_t number)
{
	return number == FP || number == RA;
}

/* A load or store, of one register or two. */
struct access {
	uint32_t base, first, second; /* numbers of the registers; SP: no second one */
	bool load, whole;             /* whole: eight bytes of general registers */
	bool known;                   /* OFFSET is valid, and no register's */
	int32_t offset, moves;        /* bytes from the lower value of the base */
};

static bool access_effect(const struct access *a, struct effect *e)
{
	bool touches = is_followed(a->first) || is_followed(a->second);

	if (a->moves) {
		/*
		 * A push (a store) or a pop (a load); registers other than the three may be moved
		 * freely.
		 */
		if (a->base == SP ? a->load != (a->moves > 0) : is_followed(a->base))
			return false;
		e->moves = a->base == SP ? a->moves : 0;
	}
	if (!touches)
		return true;
	if (a->base != SP)
		return !a->load; /* a copy that nothing reads back */
	if (!a->whole || !a->known || a->offset < 0)
		return false;
	e->loads = a->load;
	e->stores = !a->load;
	if (is_followed(a->first))
		*(a->first == RA ? &e->ra : &e->fp) = a->offset;
	if (is_followed(a->second))
		*(a->second == RA ? &e->ra : &e->fp) = a->offset + 8;
	return true;
}

enum { PAIR_NON_TEMPORAL, PAIR_POST, PAIR_OFFSET, PAIR_PRE };

/* stp, ldp: opc 101 V mode L imm7 Rt2 Rn Rt */
static bool pair_effect(uint32_t w, struct effect *e)
{
	uint32_t opc = field(w, 30, 2), mode = field(w, 23, 3);
	bool vector = field(w, 26, 1);
	int32_t scale = vector ? 4 << opc : opc == 2 ? 8 : 4;
	int32_t offset = signed_field(w, 15, 7) * scale;
	struct access a = { .base = field(w, 5, 5),
			    .first = vector ? SP : field(w, 0, 5),
			    .second = vector ? SP : field(w, 10, 5),
			    .load = field(w, 22, 1),
			    .whole = opc == 2,
			    .known = true };

	if (mode > PAIR_PRE || opc == 3 || (!vector && opc == 1 && !a.load))
		return false;
	if (mode == PAIR_POST || mode == PAIR_PRE)
		a.moves = offset;
	else
		a.offset = offset;
	return (mode != PAIR_PRE || !a.load) && (mode != PAIR_POST || a.load) &&
	       access_effect(&a, e);
}

enum { SINGLE_UNSCALED, SINGLE_POST, SINGLE_OTHER, SINGLE_PRE };

/* str, ldr and their kind: size 111 V 0x opc … Rn Rt; without the atomic ones. */
static bool single_effect(uint32_t w, struct effect *e)
{
	uint32_t size = field(w, 30, 2), opc = field(w, 22, 2), mode = field(w, 10, 2);
	bool vector = field(w, 26, 1), scaled = field(w, 24, 1), by_register = field(w, 21, 1);
	struct access a = { .base = field(w, 5, 5),
			    .first = vector ? SP : field(w, 0, 5),
			    .second = SP,
			    .load = vector ? opc & 1 : opc != 0,
			    .whole = size == 3 && opc < 2,
			    .known = scaled || !by_register };

	if (scaled) {
		a.offset = (int32_t)(field(w, 10, 12) << size);
	} else if (by_register || mode == SINGLE_OTHER) {
		if (!by_register || mode != SINGLE_OTHER)
			return false;
	} else if (mode == SINGLE_UNSCALED) {
		a.offset = signed_field(w, 12, 9);
	} else {
		a.moves = signed_field(w, 12, 9);
	}
	if (a.moves && a.load != (mode == SINGLE_POST))
		return false;
	return access_effect(&a, e);
}

/* add, sub of an immediate: to the stack pointer, or from it to the frame pointer. */
static bool move_effect(uint32_t w, struct effect *e)
{
	uint32_t to = field(w, 0, 5), from = field(w, 5, 5);
	int32_t by = (int32_t)(field(w, 10, 12) << (field(w, 22, 1) ? 12 : 0));

	if ((w & 0xbf800000) != 0x91000000 || from != SP || (to != SP && to != FP))
		return false;
	e->sets_fp = to == FP;
	if (to == SP)
		e->moves = field(w, 30, 1) ? -by : by;
	return true;
}

/* An instruction that works on registers alone writes at most the one in its lowest bits. */
static bool is_computation(uint32_t w)
{
	uint32_t group = field(w, 25, 4);

	return ((group & 0xe) == 0x8 || (group & 0x7) == 0x5 || (group & 0x7) == 0x7) &&
	       field(w, 0, 5) < FP;
}

/* nop, bti, and signing or checking x30, whose upper bits do not matter */
static bool is_hint(uint32_t w)
{
	return (w & 0xfffff01f) == 0xd503201f;
}

/*
 * Returns false if the instruction jumps, or changes one of the three in a way that is not
 * followed.
 */
static bool effect_of(uint32_t w, struct effect *e)
{
	*e = (struct effect){ .ra = EDGE_KEPT, .fp = EDGE_KEPT };
	if (is_hint(w) || is_computation(w))
		return true;
	if (field(w, 27, 3) == 5)
		return pair_effect(w, e);
	if (field(w, 27, 3) == 7 && !field(w, 25, 1))
		return single_effect(w, e);
	return move_effect(w, e);
}

static void raise(struct edge *e, int32_t bytes)
{
	e->size += (uint32_t)bytes;
	if (e->ra != EDGE_KEPT)
		e->ra += bytes;
	if (e->fp != EDGE_KEPT)
		e->fp += bytes;
}

size_t edge_prologue(const uint32_t *words, size_t count, struct edge found[EDGE_MAX])
{
	struct edge now = { 0, EDGE_KEPT, EDGE_KEPT };
	int32_t fp_at = EDGE_KEPT; /* where it is stored */
	size_t n = 0;

	while (n < count && n < EDGE_MAX) {
		struct effect e;

		found[n] = now;
		if (!effect_of(words[n++], &e) || e.loads || e.moves > 0)
			break;
		raise(&now, -e.moves);
		if (fp_at != EDGE_KEPT)
			fp_at -= e.moves;
		if (e.fp != EDGE_KEPT)
			fp_at = e.fp;
		if (e.sets_fp && fp_at == EDGE_KEPT)
			break;
		if (e.sets_fp)
			now.fp = fp_at;
	}
	return n;
}

/* ret; retaa, retab */
static bool is_return(uint32_t w)
{
	return w == 0xd65f03c0 || (w & 0xfffffbff) == 0xd65f0bff;
}

/* b, br */
static bool is_jump(uint32_t w)
{
	return field(w, 26, 6) == 5 || (w & 0xfffffc1f) == 0xd61f0000;
}

size_t edge_epilogue(const uint32_t *words, size_t last, struct edge found[EDGE_MAX])
{
	struct edge now = { 0, EDGE_KEPT, EDGE_KEPT };
	bool leaves = is_return(words[last]);
	size_t n = 1;

	if (!leaves && !is_jump(words[last]))
		return 0;
	for (found[0] = now; n < EDGE_MAX && n <= last; n++) {
		struct effect e;

		if (!effect_of(words[last - n], &e) || e.stores || e.sets_fp || e.moves < 0)
			break;
		raise(&now, e.moves);
		if (e.ra != EDGE_KEPT && now.ra == EDGE_KEPT)
			now.ra = e.ra;
		if (e.fp != EDGE_KEPT && now.fp == EDGE_KEPT)
			now.fp = e.fp;
		leaves |= now.ra != EDGE_KEPT && (uint32_t)now.ra < now.size;
		found[n] = now;
	}
	return leaves ? n : 0;
}
