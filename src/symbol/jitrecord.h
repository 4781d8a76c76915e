/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_SYMBOL_JITRECORD_H
#define PTOP_SYMBOL_JITRECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "symbol/load.h"

/*
 * The records of a jitdump (jitdump.h), as far as they are written: a header, then
 *
 *   type, size of it all (4 bytes each), timestamp (8), what the type has
 *
 * Foreign bytes: a record may tell any size.
 */
enum jitrecord_type {
	JIT_CODE_LOAD = 0,
	JIT_CODE_MOVE = 1,
	JIT_DEBUG_INFO = 2,
	JIT_CODE_CLOSE = 3,
	JIT_UNWINDING_INFO = 4,
	JIT_HEADER = -1,		/* the beginning of the file */
};

struct jitreader {
	uint64_t offset;		/* of the file: whole records before it were read */
	uint16_t machine;		/* e_machine */
	bool begun, swap, ended;
};

struct jitrecord {
	int type;			/* enum jitrecord_type, or a newer one */
	struct bytes body;		/* what is here of it behind the timestamp */
	uint64_t body_size;		/* in the file */
	uint64_t body_offset;		/* there */
};

#define JITRECORD_BYTES 65536u		/* of a record, that suffice */

/*
 * The next record, of SIZE bytes that are here of LEFT in the file, from the reader's offset on, which
 * goes on behind it.  How far that is: more than SIZE when the rest of the record is not here; 0 when
 * more of the file is needed, or nothing behind can be a record.  SIZE is JITRECORD_BYTES at least,
 * or all that is LEFT.
 */
uint64_t jitreader_next(struct jitreader *r, const void *bytes, size_t size, uint64_t left,
			struct jitrecord *record);

/* Takes a record, whose bytes are here until it returns. */
typedef void jitrecord_take(void *context, struct jitrecord *record);

/* Gives TAKE the records as far as they are here; how far that is, in sum as of jitreader_next(). */
uint64_t jitreader_parse(struct jitreader *r, const void *bytes, size_t size, uint64_t left,
			 jitrecord_take *take, void *context);

/* The same of FD, on to its byte SIZE, to a record that is being written, or until L's checkpoint. */
void jitreader_read(struct jitreader *r, struct load *l, int fd, uint64_t size,
		    jitrecord_take *take, void *context);

/* Begins anew, with another file. */
void jitreader_restart(struct jitreader *r);

/* What comes first in JIT_CODE_LOAD, in JIT_CODE_MOVE.  False: the record is too short for it. */
struct jitload {
	uint64_t address, size, index;	/* of the code */
	const char *name;		/* in the body; no longer than that, and not empty */
	size_t name_size;
	uint64_t head;			/* of the body, in front of the code */
};
bool jitrecord_load(struct jitrecord *record, struct jitload *load);

struct jitmove {
	uint64_t from, to, size, index;
};
bool jitrecord_move(struct jitrecord *record, struct jitmove *move);

#endif
