/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_SYMBOL_FILE_READER_H
#define PTOP_SYMBOL_FILE_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "symbol/debugfile.h"
#include "symbol/load-state.h"
#include "worker/channel.h"
#include "worker/zygote.h"

/*
 * A worker (zygote.h) that reads files.  It gets them opened, asks for debug files, and answers an order
 * with a struct of fixed size and descriptors.  This side opens what it asks for; whoever gets the
 * answer checks it and otherwise trusts nothing in it.
 *
 * Its CPU time, time and memory are limited by what its file has on the disk: holes are free to make.
 * Files up to FILE_READER_SMALL bytes have the same limits.
 */
struct file_reader {
	int socket;            /* -1: none */
	struct zygote *zygote; /* borrowed: who started it, */
	uint32_t id;           /* by this number */
	uint64_t cpu_ns;       /* the part of its CPU time that loads were told of (struct load) */
	unsigned orders;       /* that it was given */
	dev_t device;          /* of its first file, */
	uid_t user;            /* and that file's owner; (uid_t)-1: nobody's */
	int debug_file; /* the last one that it got, owned, or -1: what it names is beside that */
	uint64_t bytes; /* of the largest file that it got, on the disk */
};

/* The jobs of the zygote's workers (app/jobs.h). */
enum file_reader_job { READER_LOAD, READER_LINES, READER_FRAMES, READER_MAPS, READER_JOBS };

#define FILE_READER_SMALL (4ull << 20)

/* The bytes of a file that its owner paid for. */
uint64_t file_reader_bytes(const struct stat *st);

/* Nobody but R's owner wrote the file; a mask of an access control list stands in the group's bits. */
bool file_reader_owns(const struct file_reader *r, const struct stat *st);

/*
 * Starts a worker for the file of ST, with the limits of that file, or of one with BYTES if that is
 * larger.  The worker ends when it has waited IDLE_MS for an order.  Returns 0, or a negative
 * errno.
 */
struct reader_start {
	enum file_reader_job job;
	uint32_t idle_ms;
	uint64_t bytes;
};
int file_reader_start(struct file_reader *r, struct zygote *z, const struct stat *st,
		      const struct reader_start *start);
void file_reader_close(struct file_reader *r); /* kills it */

#define READER_ASKS 1u /* the tag of a question; others are the jobs' */

/* The answer to a question. */
struct reader_reply {
	int32_t error;  /* 0, with a descriptor, or a negative errno */
	uint32_t place; /* for the next question */
	struct debugfile_path path;
};

struct reader_call {
	struct load *load; /* for which files are opened; its checkpoint is called meanwhile */
	unsigned ways;     /* it may ask for: a bit of 1 << enum debugfile_way each */
	const void *order;
	size_t order_size;
	const struct channel_fds *fds; /* sent with it; NULL: none */
	void *answer; /* begins with a uint32_t, its tag, which is not READER_ASKS */
	size_t answer_size;
	struct channel_fds got; /* the answer's, for the caller to close */
	bool opened_others;     /* it got a file that is not its owner's alone */
	enum worker_end end;    /* WORKER_DONE: there is an answer */
};

/*
 * Sends the order and waits for the answer; the worker's CPU time is added to the load's.  Returns false if the checkpoint said so: the reader must
 * then be closed.
 */
bool file_reader_call(struct file_reader *r, struct reader_call *c);

/* In a worker: asks for a file, as L's `open`.  L's `context` is a pointer to the socket. */
int file_reader_ask(struct load *l, struct debugfile_request *r, struct debugfile_path *path);

/* Why a file was not read whose worker ended so. */
const char *file_reader_text(enum worker_end end);

#endif
