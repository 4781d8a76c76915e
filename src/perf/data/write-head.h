/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_PERF_DATA_WRITE_HEAD_H
#define PTOP_PERF_DATA_WRITE_HEAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/utsname.h>

#include "base/buf.h"
#include "perf/record/source.h"

/*
 * The parts around the records of a recording, in perf's file layout
 * (tools/perf/Documentation/perf.data-file-format.txt in the kernel's source):
 *
 *	header | ids | attrs | contents of the sections | records | table of the sections
 *
 * The table must follow the records; the contents may lie anywhere, and in front of the records they
 * stay where they are while the file grows.  Memory only, but for what is asked of the machine.
 */
struct write_section {
	unsigned feature;      /* HEADER_* in perf's util/header.h */
	uint64_t offset, size; /* in the file */
};

#define WRITE_SECTIONS_MAX 32

struct write_head {
	struct buf bytes; /* the file up to the first record */
	struct write_section sections[WRITE_SECTIONS_MAX];
	size_t section_count; /* in the order of their features */
	struct write_section attrs;
	struct utsname system; /* this machine, as the file names it */
	bool *events;          /* whether the file has it, of the first EVENT_COUNT */
	size_t event_count;
	size_t used;           /* of BYTES: the rest is room for events to come */
	uint64_t first_id;     /* of the event that brings the side-band */
	uint64_t times_offset; /* of the times of the first and the last sample */
};

struct write_head_options {
	const struct source *source;         /* a live one: its events and layout */
	const struct source_options *target; /* how it was opened */
	const char *version;                 /* "ptop 0.1.0" */
	const char *const *command; /* the words of the command line, NULL behind the last */
	size_t room;                /* bytes to be kept free for events that are added later */
};

#define WRITE_HEAD_ROOM 32768u /* for sixty events, or about ten tracepoints */

/*
 * Returns true if event I of SOURCE, which was added later, can be in the file as well.  perf
 * script refuses the whole file if samples of a tracepoint lack the fields that are set at the
 * start.
 */
bool write_head_takes_event(const struct source *source, size_t i);

void write_head_init(struct write_head *h, const struct write_head_options *options);

/*
 * Makes H, which is of the same size as OLD, and of a source that has more events now.  False, and H
 * is nothing, when there is no room for them.
 */
bool write_head_renew(struct write_head *h, const struct write_head *old,
		      const struct write_head_options *options);
void write_head_fini(struct write_head *h);

/* The values that change while the file grows. */
struct write_state {
	uint64_t data_size;         /* bytes of records */
	uint64_t first_ns, last_ns; /* times of the first and the last sample; 0: none */
	uint64_t build_ids_size;    /* bytes of build ids behind the table; 0: none */
};

/* The size of the table, and the table itself, which B gets. */
uint64_t write_head_table_size(const struct write_head *h, const struct write_state *state);
void write_head_table(const struct write_head *h, const struct write_state *state, struct buf *b);

/*
 * The first bytes of the file, in B.  With FEATURES false they say that there is no table: for the
 * moments in which there is none.
 */
#define WRITE_HEADER_BYTES 104u
void write_head_header(const struct write_head *h, const struct write_state *state, bool features,
		       struct buf *b);

#endif
