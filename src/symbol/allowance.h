/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_SYMBOL_ALLOWANCE_H
#define PTOP_SYMBOL_ALLOWANCE_H

#include <stdbool.h>
#include <stdint.h>

/*
 * The limits for reading one file.  Whoever wrote the file chose each size and count in it, so all
 * that is allocated or looped over by them is paid from here, before it is done.  The allowance is
 * in proportion to the bytes that the file really has on its disk: holes are free to make.
 *
 * For one thread.  Once something was refused, it stays known why.
 */
enum refusal { REFUSED_NOTHING, REFUSED_DAMAGED, REFUSED_TOO_SLOW, REFUSED_TOO_LARGE };

struct allowance {
	uint64_t bytes;       /* of memory */
	uint64_t steps;       /* of work: a byte that is read, an entry that is looked at */
	enum refusal refused; /* the last one, or REFUSED_NOTHING */
	uint64_t refusals;
};

#define ALLOWANCE_BYTES_FACTOR 32u /* for each byte of the file */
#define ALLOWANCE_BYTES_MIN (8ull << 20)
#define ALLOWANCE_BYTES_MAX (1ull << 30)
#define ALLOWANCE_STEPS_FACTOR 64u
#define ALLOWANCE_STEPS_MIN (64ull << 20)
#define ALLOWANCE_STEPS_MAX (16ull << 30)

static inline uint64_t allowance_share(uint64_t file, unsigned factor, uint64_t min, uint64_t max)
{
	uint64_t share = file < max / factor ? file * factor : max;

	return share > min ? share : min;
}

static inline struct allowance allowance_of(uint64_t file_bytes)
{
	return (struct allowance){
		.bytes = allowance_share(file_bytes, ALLOWANCE_BYTES_FACTOR, ALLOWANCE_BYTES_MIN,
					 ALLOWANCE_BYTES_MAX),
		.steps = allowance_share(file_bytes, ALLOWANCE_STEPS_FACTOR, ALLOWANCE_STEPS_MIN,
					 ALLOWANCE_STEPS_MAX),
	};
}

/* Returns false, always, so that a refusal can be returned. */
static inline bool allowance_refuse(struct allowance *a, enum refusal why)
{
	a->refused = why;
	a->refusals++;
	return false;
}

/* Takes BYTES of memory.  Returns false, and takes nothing, if that is more than is left. */
static inline bool allowance_take(struct allowance *a, uint64_t bytes)
{
	if (bytes > a->bytes)
		return allowance_refuse(a, REFUSED_TOO_LARGE);
	a->bytes -= bytes;
	return true;
}

/* Gives back memory that was taken, and is free again. */
static inline void allowance_give(struct allowance *a, uint64_t bytes)
{
	a->bytes += bytes;
}

/* The same for work, which is never given back. */
static inline bool allowance_spend(struct allowance *a, uint64_t steps)
{
	if (steps > a->steps)
		return allowance_refuse(a, REFUSED_TOO_SLOW);
	a->steps -= steps;
	return true;
}

#endif
