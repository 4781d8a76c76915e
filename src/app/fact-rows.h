/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_APP_FACT_ROWS_H
#define PTOP_APP_FACT_ROWS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "proc/procfs.h"

/*
 * The facts about one process that no list has room for, from its files in /proc (proc(5)).  A table of readers in
 * the order of the page.  Each reads little, but some files wait for a lock that the process may hold, and the
 * kernel walks all memory for another.  So a thread reads them (app/facts.h).
 */
struct fact_reading {
	const struct procfs *proc;
	uint32_t pid, tid; /* tid 0: the whole process */
	bool environment;  /* also the table's rows of the environment */
	bool own_only; /* what needs the right to trace is read of the real user's processes alone */
	/* One more fact, both texts borrowed for the call and raw.  TEXT NULL: KEY is a heading, translated. */
	void (*add)(void *context, const char *key, const char *text);
	bool (*goes_on)(void *context);
	void *context;
	struct buf text; /* the file that is being read */

	/* Read once, for many rows: */
	struct buf status;     /* that file; each line ends with a NUL */
	int64_t status_size;   /* or a negative errno */
	uint64_t capabilities; /* the bits of all that this kernel has; 0: not read yet */
};

#define FACT_TEXT_MAX 4096       /* bytes of a text; of a longer one its size is told */
#define FACT_FILES_LISTED 256    /* open files with a line of their own */
#define FACT_FILES_COUNTED 65536 /* that are looked at */

/* Reads all facts in the order of the table, until goes_on() says no. */
void facts_read(struct fact_reading *r);

/* For the readers: */
struct fact_row {
	const char
		*heading; /* N_(), of this row and those behind it; NULL: that of the row before */
	const char *key;  /* N_(); NULL: the reader has its own */
	const char *name; /* of the file, or of a line in status; ends with ':' there */
	void (*read)(struct fact_reading *r, const struct fact_row *row);
	enum {
		FACT_OPEN,
		FACT_TRACED,
		FACT_SECRET
	} who; /* may read it: all, who may trace it; on request */
};

void fact_add(struct fact_reading *r, const char *key, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
void fact_add_missing(struct fact_reading *r, const char *key,
		      int64_t error); /* a negative errno */

/* Reads the file NAME of the task, at most LIMIT bytes, into R->text, which then has bytes.  As procfs_read_whole(). */
int64_t fact_file(struct fact_reading *r, const char *name, size_t limit);

void read_open_files(struct fact_reading *r, const struct fact_row *row); /* fact-files.c */

#endif
