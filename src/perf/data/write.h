/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_PERF_DATA_WRITE_H
#define PTOP_PERF_DATA_WRITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/error.h"
#include "perf/data/write-head.h"

/*
 * Writes a recording that perf, and ptop -i, read.  The collector fills buffers, of which there is a
 * bounded number; a thread of the writer's own takes them to the disk.  Where the disk is slower
 * than the records come, records are left out and counted: the collector never waits.
 *
 * A description of processes holds for its file only.  After a change of files, and after records
 * were left out, the reader must be told again.  writer_generation() tells when.
 *
 * A write that fails ends the recording, and leaves files that can be read; the first failure is
 * told by writer_close().
 */
struct writer;

struct writer_options {
	uint64_t size_limit; /* bytes of one file, about; 0: none */
	unsigned files;      /* how many are kept with a limit, from 2 on: FILE, FILE.1, … */
	size_t buffers;      /* of WRITER_BUFFER_BYTES; 0: the default */
	uint64_t keep_ns; /* keep that much in memory, as far as the buffers go; 0: write a file */
	struct write_head_options head; /* what it points to is borrowed until writer_close() */
};

#define WRITER_SIZE_MIN (1024u * 1024)
#define WRITER_BUFFER_BYTES (256u * 1024)

/*
 * Opens the file at PATH, made when there is none, readable for its owner alone.  The old content
 * stays until writer_start().  NULL with ERR set.  PATH NULL: nothing is opened, for `keep_ns`.
 */
struct writer *writer_open(const char *path, struct error *err);

/* Writes what is in front of the records and starts the thread.  0, or -1 with ERR set. */
int writer_start(struct writer *w, const struct writer_options *options, struct error *err);

/* WRITE_ID() of the event whose records those of processes and mappings are. */
uint64_t writer_sideband_id(const struct writer *w);

/*
 * Returns true if the file describes that event.  One that was added since is described from now on, if
 * there is a buffer and the head has room for it.  On the collector's thread, as the following ones.
 */
bool writer_has_event(struct writer *w, size_t event);

/* Any thread: whether the head had no room for an event that was added. */
bool writer_lacks_event(const struct writer *w);

/* Where one more record is to be added, whole; NULL when it must be left out: then it is counted. */
struct buf *writer_room(struct writer *w);

/* Before the records that belong together: looks for a free buffer where there was none. */
void writer_prepare(struct writer *w);

/* Grows when everything must be told anew.  It changes in writer_prepare() and writer_end_file(). */
uint64_t writer_generation(const struct writer *w);

/* The time of a sample that was added. */
void writer_sampled(struct writer *w, uint64_t time_ns);

/* All rings have been read once.  Makes the disk know the last second at the latest. */
void writer_round(struct writer *w);

/* Returns true if the file has grown to its limit.  Then end it, with SIZE bytes of build ids. */
bool writer_file_is_full(const struct writer *w);
void writer_end_file(struct writer *w, const void *build_ids, size_t size);

/* Any thread: whether a write has failed. */
bool writer_failed(const struct writer *w);

/* Any thread: records that were left out. */
uint64_t writer_left_out(const struct writer *w);

/*
 * The last one of the collector's, and the only one that may wait for the disk: the recording ends
 * with these build ids.  Without it, it ends with none.
 */
void writer_finish(struct writer *w, const void *build_ids, size_t size);

/*
 * With `keep_ns` the writer is a flight recorder.  Its buffers are a ring of some segments; in each one everything is
 * told anew, so that what follows any of them can be read alone.  The oldest segment goes when the others
 * are long enough, or when there is no other buffer.
 */
struct writer_taken {
	int error;                  /* a negative errno: the file is of no use */
	uint64_t samples;           /* in the file */
	uint64_t first_ns, last_ns; /* their times; 0: none */
};

/*
 * The main thread's: all that is kept shall be in the file FD, which must be regular and is taken.  Does not
 * wait.  Returns false, and FD is not taken, if the previous one is under way.
 */
bool writer_take(struct writer *w, int fd);

/* Returns true with the result if a file is complete.  WAIT, after writer_finish(): for one that is under way. */
bool writer_taken(struct writer *w, bool wait, struct writer_taken *result);

/* The collector's, between two rounds: whether a file is asked for; hands over what is in it. */
bool writer_is_asked(const struct writer *w);
void writer_hand_over(struct writer *w, const void *build_ids, size_t size);

/* Waits for the disk, and frees W, NULL being allowed.  0, or -1 with ERR set when a write failed. */
int writer_close(struct writer *w, struct error *err);

#endif
