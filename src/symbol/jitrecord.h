/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_SYMBOL_JITRECORD_H
#define PTOP_SYMBOL_JITRECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "symbol/load-state.h"

/*
 * The written records of a jitdump (jitdump.h):
 *
 *	a header, then
 *	type, size of it all (4 bytes each), timestamp (8), the content of the type
 *
 * Foreign bytes: a record may give any size.
 */
enum jitrecord_type {
	JIT_CODE_LOAD = 0,
	JIT_CODE_MOVE = 1,
	JIT_DEBUG_INFO = 2,
	JIT_CODE_CLOSE = 3,
	JIT_UNWINDING_INFO = 4,
	JIT_HEADER = -1, /* the beginning of the file */
};

struct jitreader {
	uint64_t offset;            /* position: all whole records before it were read */
	uint16_t machine;           /* e_machine */
	uint8_t begun, swap, ended; /* 0 or 1 */
	uint8_t unused[3]; /* 0: it goes to and from workers, and padding would be undefined */
};

struct jitrecord {
	int type;             /* enum jitrecord_type, or a newer one */
	struct bytes body;    /* its content behind the timestamp, as far as it is here */
	uint64_t body_size;   /* in the file */
	uint64_t body_offset; /* there */
};

#define JITRECORD_BYTES 65536u /* enough of any record */

/*
 * Reads the next record at the reader's offset, and moves the offset behind it.  SIZE bytes of LEFT
 * in the file are here: JITRECORD_BYTES at least, or all that is LEFT.
 *
 * Returns how far to go on: more than SIZE if the rest of the record is not here.  Returns 0 if
 * more of the file is needed, or if nothing behind can be a record.
 */
uint64_t jitreader_next(struct jitreader *r, const void *bytes, size_t size, uint64_t left,
			struct jitrecord *record);

/* Takes a record, whose bytes are valid during the call. */
typedef void jitrecord_take(void *context, struct jitrecord *record);

/*
 * Passes the available records to TAKE.  Returns how far they reach, in sum, as jitreader_next()
 * does.
 */
uint64_t jitreader_parse(struct jitreader *r, const void *bytes, size_t size, uint64_t left,
			 jitrecord_take *take, void *context);

/* The same for FD, up to its byte SIZE, to an unfinished record, or until L's checkpoint. */
void jitreader_read(struct jitreader *r, struct load *l, int fd, uint64_t size,
		    jitrecord_take *take, void *context);

/* Starts anew, with another file. */
void jitreader_restart(struct jitreader *r);

/*
 * The beginning of JIT_CODE_LOAD and of JIT_CODE_MOVE.  Returns false if the record is too short.
 */
struct jitload {
	uint64_t address, size, index; /* of the code */
	const char *name;              /* in the body; within it, and not empty */
	size_t name_size;
	uint64_t head; /* of the body, in front of the code */
};
bool jitrecord_load(struct jitrecord *record, struct jitload *load);

struct jitmove {
	uint64_t from, to, size, index;
};
bool jitrecord_move(struct jitrecord *record, struct jitmove *move);

#endif
