/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_SHARE_BLOCK_H
#define PTOP_SHARE_BLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "profile/snapshot.h"

/*
 * A snapshot in one flat block of bytes, for another process: no pointers, and nothing that another block has to
 * tell.  The writer is ptop --serve, the reader ptop --attach.  Both must be built from the same tables of members
 * (share/field.h); the format is a hash of these, so a reader refuses the blocks of another version.
 *
 * It lacks the mappings of a process, which a person looks at.
 */

/* A frame that no table has: of samples whose functions the viewer may not see (share/audience.h). */
#define BLOCK_HIDDEN UINT32_MAX

#define BLOCK_BYTES_MIN ((size_t)64 << 10) /* room for what is not in rows */

/*
 * Replaces OUT by the block of S, at most LIMIT bytes (BLOCK_BYTES_MIN or more).  Where that is too little, the instructions
 * of a function are left out.  Then rows of what takes most room go: the lightest cells with their stacks, or threads and
 * then the idlest processes.  LOSS_CUT of the block's losses has their number, and so has the result.  -1 when even the
 * rest is too large.
 */
int64_t block_write(const struct snapshot *s, size_t limit, struct buf *out);

/*
 * The same for a stream, where a block is compressed by the one before.  Both have the same bytes for all that did not change.
 * A text keeps its place, and a weight is told as what it decays to by a moment that many blocks share.  Weights have
 * five digits; what is behind them is noise.
 */
struct block_stream;

struct block_stream *block_stream_new(void);
void block_stream_free(struct block_stream *b); /* NULL is allowed */
int64_t block_stream_write(struct block_stream *b, const struct snapshot *s, size_t limit,
			   struct buf *out);

/*
 * Reads blocks of one writer, or of one after the other.  Functions get numbers in a frame table of the reader's own, the same in
 * each snapshot, and for the same names of the next writer.
 * The table, and the paths in it, have their part of MEMORY_BYTES (base/account.h; 0: the default); what does not fit is
 * FRAME_REST.  One thread.
 */
struct block_reader;

struct block_reader *block_reader_new(frame_demangler *demangle, uint64_t memory_bytes);
void block_reader_free(struct block_reader *r); /* after all its snapshots; NULL is allowed */

/* The writer's number of FRAME, which is the reader's; FRAME_NONE: it has none. */
uint32_t block_reader_theirs(const struct block_reader *r, uint32_t frame);

enum block_error {
	BLOCK_GOOD,
	BLOCK_OTHER_FORMAT, /* of another version of ptop, or no block */
	BLOCK_DAMAGED,      /* something in it is not as block_write() makes it */
};

/*
 * Checks the SIZE bytes of BLOCK in one pass and makes a snapshot of them.  BLOCK is of malloc(3) and taken over: the
 * snapshot's texts stay in it.  Returns NULL with WHY set if anything is wrong.  Whoever wrote the block can make
 * neither this nor whoever shows the snapshot read outside of it, loop, or take more than some times its size.
 */
struct snapshot *block_read(struct block_reader *r, void *block, size_t size,
			    enum block_error *why);

#endif
