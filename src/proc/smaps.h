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
 * The memory of a process: /proc/PID/smaps gives it for each mapping, /proc/PID/smaps_rollup for
 * all together (proc_pid_smaps(5)).  The kernel walks the page tables at each reading, which takes
 * from some microseconds to seconds.  So read only what somebody looks at, no more often than
 * needed.
 *
 *   7f2c4a000000-7f2c4a022000 r--p 00000000 fe:00 131          /usr/lib/libc.so.6
 *   Rss:                 136 kB
 *   Pss:                   2 kB
 */
struct smaps_usage {                     /* bytes; -1: the text has no such line */
	int64_t resident, proportional;  /* Rss, Pss */
	int64_t swap, swap_proportional; /* Swap, SwapPss */
	int64_t private_clean, private_dirty, shared_clean, shared_dirty;
	int64_t anonymous, lazy_free;
};

extern const struct smaps_usage smaps_unknown; /* all -1 */

/* Adds the known values of USAGE to *SUM.  An unknown value of *SUM becomes the added one. */
void smaps_usage_add(struct smaps_usage *sum, const struct smaps_usage *usage);

/*
 * Parses the text of smaps_rollup, or of one mapping.  Returns 0, or -EBADMSG if it has no "Rss:".
 */
int smaps_rollup_parse(const char *text, size_t size, struct smaps_usage *out);

/* Called once for each mapping, in the order of the text.  Both are borrowed for the call. */
typedef void smaps_receiver(void *context, const struct mapping *m,
			    const struct smaps_usage *usage);

/*
 * Parses the text of smaps as it arrives, in pieces of any size.  Before the first piece everything
 * is zero except the receiver and its context.  Mappings are as from maps_parse().  A damaged line
 * is skipped and counted.  If the first line of a mapping is damaged, its other lines are skipped
 * too.
 */
struct smaps_parser {
	smaps_receiver *receive;
	void *context;
	struct buf line; /* the part of a line that has arrived */
	bool overlong;   /* too long for a line of this file */
	bool open;       /* the next three members describe a mapping */
	struct mapping mapping;
	struct buf path;
	struct smaps_usage usage;
	size_t skipped; /* lines */
};

void smaps_feed(struct smaps_parser *p, const char *text, size_t size);
void smaps_end(struct smaps_parser *p); /* passes the last mapping on; frees what P holds */

/* Reads /proc/PID/smaps_rollup.  Returns 0, or a negative errno. */
int smaps_rollup_read(const struct procfs *procfs, uint32_t pid, struct smaps_usage *out);

/*
 * Reads /proc/PID/smaps through P, piece by piece, until the end or until GOES_ON returns false.
 * GOES_ON is called between the pieces with the context of P.  Returns 0, -ECANCELED, or another
 * negative errno; mappings may have been passed on before.  Ends P.
 */
int smaps_read(const struct procfs *procfs, uint32_t pid, struct smaps_parser *p,
	       bool (*goes_on)(void *context));

#endif
