/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_APP_PUSH_SENDER_H
#define PTOP_APP_PUSH_SENDER_H

#include <stdint.h>
#include <sys/types.h>

#include "base/buf.h"

/*
 * The process that sends the profiles of --push, by libcurl.  It alone has sockets, and no other right.  ptop hands it a
 * struct push_job with a memory file (memfd_create(2)) for each interval; it answers with struct push_news.
 *
 * An interval waits in its memory while the server cannot be reached, or answers 408, 429 or 5xx.  PUSH_WAITING_BYTES
 * bound that: the oldest goes first, and is counted.  A profile that was sent as a whole and not answered
 * does not go again, because the server may have it.
 */
#define PUSH_WAITING_BYTES (16u << 20)
#define PUSH_END_MS 400u /* what waits may take so long once ptop ends */

struct push_job {
	uint64_t from_s, until_s; /* CLOCK_REALTIME */
	uint64_t rate_hz;         /* of sampling; 0: by period */
	uint64_t samples;         /* that it has */
	uint64_t size;            /* bytes in the file */
};

/* Sums of the samples of profiles, by what became of these. */
struct push_sums {
	uint64_t sent, dropped, refused, unanswered;
};

struct push_news {
	struct push_sums samples;
	uint64_t profiles, bytes; /* that were sent */
	uint64_t waiting;         /* profiles */
	char text[160];           /* raw: why the newest one was not sent, "": it was */
};

struct push_target {
	char *url;        /* it ends with "&" */
	struct buf token; /* empty: none */
	pid_t parent;
};

/* For helper_kind: CONTEXT is a struct push_target.  The first news have a text if it cannot be done at all. */
void push_send(void *context);

#endif
