/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_PROC_SMAPS_H
#define PTOP_PROC_SMAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "proc/procfs.h"
#include "proc/space.h"

/*
 * What a process has in memory, as /proc/PID/smaps tells it of each mapping and /proc/PID/smaps_rollup
 * of all together: proc_pid_smaps(5).  The kernel walks the page tables for each reading, which takes
 * from some microseconds to seconds: read what somebody looks at, and no more often than needed.
 *
 *   7f2c4a000000-7f2c4a022000 r--p 00000000 fe:00 131          /usr/lib/libc.so.6
 *   Rss:                 136 kB
 *   Pss:                   2 kB
 */
struct smaps_usage {		/* bytes; -1: the text has no such line */
	int64_t resident, proportional;		/* Rss, Pss */
	int64_t swap, swap_proportional;	/* Swap, SwapPss */
	int64_t private_clean, private_dirty, shared_clean, shared_dirty;
	int64_t anonymous, lazy_free;
};

extern const struct smaps_usage smaps_unknown;		/* all -1 */

/* Adds what is known of USAGE to *SUM, whose unknown ones become known by that. */
void smaps_usage_add(struct smaps_usage *sum, const struct smaps_usage *usage);

/* The text of smaps_rollup, or of one mapping.  0, or -EBADMSG when it has no line "Rss:". */
int smaps_rollup_parse(const char *text, size_t size, struct smaps_usage *out);

/* Once a mapping, in the order of the text; both are borrowed from what dies on return. */
typedef void smaps_receiver(void *context, const struct mapping *m,
			    const struct smaps_usage *usage);

/*
 * Parses the text of smaps as it comes, in pieces of any size; zeroed but for the receiver before the
 * first one.  Mappings are as maps_parse() gives them.  A damaged line is skipped and counted; what
 * follows the damaged first line of a mapping belongs to none, and is skipped with it.
 */
struct smaps_parser {
	smaps_receiver *receive;
	void *context;
	struct buf line;		/* what has come of it */
	bool overlong;			/* it is no line of this file */
	bool open;			/* a mapping is, in the next three */
	struct mapping mapping;
	struct buf path;
	struct smaps_usage usage;
	size_t skipped;			/* lines */
};

void smaps_feed(struct smaps_parser *p, const char *text, size_t size);
void smaps_end(struct smaps_parser *p);		/* tells the last mapping, and frees what P holds */

/* Read /proc/PID/smaps_rollup.  0, or a negative errno. */
int smaps_rollup_read(const struct procfs *procfs, uint32_t pid, struct smaps_usage *out);

/*
 * Reads /proc/PID/smaps through P, piece by piece, until its end or until GOES_ON, called between the
 * pieces with the context of P, is false.  0, -ECANCELED, or another negative errno; mappings may have
 * been told before.  Ends P.
 */
int smaps_read(const struct procfs *procfs, uint32_t pid, struct smaps_parser *p,
	       bool (*goes_on)(void *context));

#endif
