/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_APP_PUSH_SENDER_H
#define PTOP_APP_PUSH_SENDER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "app/push-format.h"
#include "app/push-job.h"
#include "base/buf.h"

/*
 * The process that sends the profiles of --push, by libcurl.  It alone has sockets, and no other right.  ptop hands it a
 * struct push_job with a memory file (memfd_create(2)) for each interval; it encodes that and answers with struct push_news.
 *
 * An interval waits in its memory while the server cannot be reached, or answers 408, 429 or 5xx.  PUSH_WAITING_BYTES
 * bound that: the oldest goes first, and is counted.  A profile that was sent as a whole and not answered
 * does not go again, because the server may have it.  With a spool (app/push-spool.h) it waits there, and the spool's limit counts;
 * what the disk does not take waits in memory, PUSH_WAITING_BYTES at most, and beyond that it is dropped.
 */
#define PUSH_END_MS 400u /* what waits may take so long once ptop ends */

/* The ends of intervals, and how many had each, with how many samples. */
enum push_fate {
	PUSH_SENT,
	PUSH_DROPPED,
	PUSH_REFUSED,
	PUSH_UNANSWERED,
	PUSH_SPOOLED, /* another run sends it */
	PUSH_FATES
};

struct push_sums {
	uint64_t intervals[PUSH_FATES], samples[PUSH_FATES];
};

struct push_news {
	struct push_sums sums;
	uint64_t bytes;                          /* that were sent */
	uint64_t found_intervals, found_samples; /* in the spool, from earlier runs */
	uint64_t refused_parts; /* of intervals that were sent: points, or profiles */
	char reason[256];       /* raw: the server's of the newest of these */
	char text[512];         /* raw: why the newest one was not sent, "": it was */
};

struct push_target {
	const struct push_format *format;
	char *url;            /* with what the format's series() adds */
	struct buf token;     /* empty: none */
	uint64_t spool_bytes; /* the most that waits in the spool; 0: there is none */
	bool ca;              /* certificates are given */
	pid_t parent;
};

/* The first message, with a descriptor of each of the two that there is, in this order. */
struct push_start {
	bool spool, ca;
};

/* For helper_kind: CONTEXT is a struct push_target.  The first news have a text if it cannot be done at all. */
void push_send(void *context);

#endif
