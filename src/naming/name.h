/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_NAMING_NAME_H
#define PTOP_NAMING_NAME_H

#include <stdbool.h>
#include <stdint.h>

/* Where an address is, for all processes that map it. */
struct place {
	uint32_t object;  /* number in the dso cache */
	bool loading;     /* it is being loaded; else a JIT map may grow */
	uint64_t address; /* a file's offset; absolute for the kernel and JIT code */
};

/*
 * The name of an address.  It is one of three:
 *
 *   a frame		of the frame table; it may be open: what is inlined there is being asked
 *   a list		of frames, each inlined in the one before it (inlines.h)
 *   a placeholder	for as long as the name is not known (places.h)
 *
 * Cells of the histogram and nodes of the call tree hold the bits of a name as their frame.  The
 * bits of a frame are its number in the table.  There lies never a list, nor an open frame.
 */
struct name {
	uint32_t bits;
};

#define NAME_PLACEHOLDER 0x80000000u
#define NAME_LIST 0x40000000u
#define NAME_OPEN 0x20000000u
#define NAME_NUMBER 0x1fffffffu

static inline struct name name_of_frame(uint32_t frame)
{
	return (struct name){ frame };
}

static inline struct name name_of_open_frame(uint32_t frame)
{
	return (struct name){ frame | NAME_OPEN };
}

static inline struct name name_of_list(uint32_t number)
{
	return (struct name){ number | NAME_LIST };
}

static inline struct name name_of_placeholder(uint32_t number)
{
	return (struct name){ number | NAME_PLACEHOLDER };
}

/* Cells and nodes hold such bits. */
static inline struct name name_of_bits(uint32_t bits)
{
	return (struct name){ bits };
}

static inline bool name_is_placeholder(struct name n)
{
	return n.bits & NAME_PLACEHOLDER;
}

static inline bool name_is_list(struct name n)
{
	return !name_is_placeholder(n) && n.bits & NAME_LIST;
}

static inline bool name_is_open(struct name n)
{
	return !(n.bits & (NAME_PLACEHOLDER | NAME_LIST)) && n.bits & NAME_OPEN;
}

/* The number of the frame, the list or the placeholder. */
static inline uint32_t name_number(struct name n)
{
	return n.bits & NAME_NUMBER;
}

/* As it is known now: an open frame is that frame. */
static inline struct name name_closed(struct name n)
{
	return name_is_open(n) ? name_of_frame(name_number(n)) : n;
}

#endif
