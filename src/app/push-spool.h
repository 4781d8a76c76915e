/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_APP_PUSH_SPOOL_H
#define PTOP_APP_PUSH_SPOOL_H

#include <stdbool.h>
#include <stdint.h>

#include "app/push-job.h"
#include "base/error.h"

/*
 * --push-spool: the intervals that are not sent yet, in a file, so that they outlive ptop.  ptop opens the file; the process that sends
 * gets its descriptor and cannot open any.  One file is for one server and format: DIR/push-HASH.spool.
 *
 * The file is a head, then records, which are appended.  Settled ones at its begin become a hole, and once all are settled the file is
 * empty.  So a server that answers at once costs writes to the page cache, and hardly any to the disk.  Where the file system makes
 * no holes, and PUSH_WAITING_BYTES are settled, no record is added until the file is empty.
 *
 *	head     "ptopspl1", offset of the first record that may be pending
 *	record   struct spool_head, then the bytes as they go
 *
 * Nothing is sent twice, also after a crash or a power failure.  A record says that it is being sent before its first byte goes.
 * That is on the disk then, unless the record is so young that the disk has nothing of it.  If ptop finds such a record at
 * its start, the server may have it, and it does not go again.
 */
enum spool_state { SPOOL_PENDING = 1, SPOOL_SENDING, SPOOL_SETTLED };

#define SPOOL_BYTES (256ull << 20) /* the default of --push-spool-size */

/*
 * Opens the file of TARGET in DIR for this process alone, mode 0600.  DIR must be a folder of this user that nobody else may write to,
 * and no symbolic link; if it is not there, it is made.  The descriptor, or -1 with ERR set.
 */
int spool_open(const char *dir, const char *target, struct error *err);

struct spool {
	int fd; /* -1: there is none */
	uint64_t end, begin;
	uint64_t kept; /* bytes of settled ones that the disk still has: it makes no holes */
};

/* Takes over FD.  Records of an earlier run are there for spool_next().  A file that is none of ours becomes empty. */
void spool_init(struct spool *s, int fd);

/*
 * Walks what an earlier run left: *AT is 0 at first, then the place of a record.  False: there is none left.  The next record is then
 * put behind the last one, over what could not be read, so that the next walk finds it.
 */
bool spool_next(struct spool *s, uint64_t *at, struct push_job *job, enum spool_state *state);

/* Appends a record; its place, or 0 if the disk does not take it or makes no holes. */
uint64_t spool_put(struct spool *s, const struct push_job *job, const void *bytes,
		   enum spool_state state);

/*
 * The SIZE bytes of the record, owned by the caller.  NULL if they are damaged, or if the file says by now that they are others than
 * SIZE, which spool_put() or spool_next() told.
 */
char *spool_get(const struct spool *s, uint64_t at, uint64_t size);

/* The room of a record in the file. */
uint64_t spool_room(const struct push_job *job);

/* Changes the state, with SYNC on the disk.  False: nothing must be sent. */
bool spool_mark(struct spool *s, uint64_t at, enum spool_state state, bool sync);

/* The record AT is settled, and FIRST is the first that is not; 0: there is none. */
void spool_settle(struct spool *s, uint64_t at, uint64_t first);

#endif
