/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_PERF_DATA_FILE_STATE_H
#define PTOP_PERF_DATA_FILE_STATE_H

#include "base/build-id.h"
#include "perf/data/file-compress.h"
#include "perf/data/file-events.h"
#include "perf/data/file-input.h"
#include "perf/data/file-order.h"
#include "perf/record/source.h"

/*
 * The reader's inside, shared by file.c (records), file-header.c (what is before and behind them),
 * file-own.c (records that perf itself wrote among them) and file-parts.c (the files of a directory).
 */
struct file_build_id {
	struct file_build_id *same_hash;
	struct build_id id;
	char path[];
};

/* A file with records: the only one, or one of those in a directory, see file-parts.c. */
struct file_part {
	int fd;
	bool seekable;
	bool ended;			/* there is no more to read */
	uint64_t size;			/* of a regular file; else 0 */
	uint64_t records_at;		/* byte of the file with the first one */
	uint64_t left;			/* bytes of records still to be read; UINT64_MAX unknown */
	uint64_t skip;			/* bytes behind a record that are no records */
	uint64_t newest_ns;		/* time of those that were taken */
	struct file_input raw, plain;	/* as in the file; decompressed */
	struct decompressor *decompressor;
	bool decompressing;		/* the records of PLAIN are taken */
};

struct file_source {
	struct source source;		/* must be first */
	struct source_machine machine;
	char *name;			/* of the file or directory, for messages */
	struct file_part *parts;	/* the first one has the header; owned, and they never move */
	size_t part_count;
	struct file_part *part;		/* the one that is being read */
	bool stream;			/* pipe layout */
	bool in_order;			/* each part but the first has records in order of their times */
	bool ended;			/* there is no more to read */
	bool reported;			/* the end was told */
	bool has_events;		/* all are known and checked */

	struct file_events events;
	struct map build_ids;		/* hash of a path to its file_build_id */
	struct file_order *order;
	uint64_t sequence;		/* of the next record that is queued */
	uint64_t newest_ns;		/* time of the queued ones */
	uint64_t round_ns;		/* what it was at the newest FINISHED_ROUND */
	struct record record, made;	/* the one being handed over; one that nobody wrote */
	bool tells_switches;		/* there are events of time */
	bool switch_samples;		/* ... by the samples of sched:sched_switch */
	source_receiver *receive;	/* of the drain that is under way */
	void *context;
	int64_t handed;			/* by it */

	/* What cannot be read. */
	uint64_t bad_bytes, bad_records;
	struct error damage;		/* the first one; "" none */
	uint64_t unused[256];		/* perf's own records that are passed over: by type - 64 */
};

/* Notes DAMAGE unless there was one before. */
void file_damaged(struct file_source *f, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * file-parts.c: opens the file or the directory PATH ("-": the standard input); its parts are then
 * there, and what their sizes are together in source.stats.size.  0, or -1 with ERR set.
 */
int file_parts_open(struct file_source *f, const char *path, struct error *err);
void file_parts_close(struct file_source *f);

/* What is only needed to read goes; nobody holds a block of theirs any more. */
void file_part_release(struct file_part *p);

/* Whether the parts are in order is told by the events: once these are known. */
void file_parts_ready(struct file_source *f);

/* The one to be read next: whose records are the oldest.  Not when all have ended. */
struct file_part *file_parts_next(const struct file_source *f);

/* Up to when all records were taken, so far; 0 when that is not known. */
uint64_t file_parts_whole_ns(const struct file_source *f);

/* file-header.c: reads magic, events and features.  0, or -1 with ERR set. */
int file_header_read(struct file_source *f, struct error *err);

/* The parts of it that records in pipe layout hold, too. */
#define FILE_FEATURES 64u
void file_feature_read(struct file_source *f, unsigned feature, struct bytes b);
void file_build_id_read(struct file_source *f, struct bytes b);

const struct file_build_id *file_build_id_find(const struct file_source *f, const char *path);
void file_build_ids_fini(struct file_source *f);

/* file-own.c: acts on a record of a type from 64 up, of SIZE bytes at DATA with its header. */
void file_own_record(struct file_source *f, uint32_t type, const unsigned char *data, size_t size);

/* Adds to B what was passed over: "3 AUXTRACE, 1 STAT". */
void file_own_unused(const struct file_source *f, struct buf *b);

/*
 * file-sched.c: reads where the fields of tracepoints of the scheduler are; tells what a sample of one
 * says, behind it; and whether samples of EVENT have the stacks of switches.
 */
void file_sched_read(struct file_source *f, struct bytes b);
void file_sched_sample(struct file_source *f, const struct record *r, const struct file_sched *s);
bool file_sched_switches(const struct file_source *f, size_t event);

/*
 * file-search.c: passes over what cannot be a record, counting it.  False when there is nothing
 * that can be one in what was read so far.
 */
bool file_search_record(struct file_source *f, struct file_input *in);

/* file.c: adds to source.notes. */
void file_note(struct file_source *f, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* file.c: hands over R, counted. */
void file_tell(struct file_source *f, const struct record *r);

/* file.c: takes all whole records out of IN; and hands over all that are not after LIMIT_NS. */
void file_take_records(struct file_source *f, struct file_input *in);
void file_hand_over(struct file_source *f, uint64_t limit_ns);

#endif
