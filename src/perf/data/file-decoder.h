/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_PERF_DATA_FILE_DECODER_H
#define PTOP_PERF_DATA_FILE_DECODER_H

#include "perf/data/file-build-ids.h"
#include "perf/data/file-damage.h"
#include "perf/data/file-events.h"
#include "perf/data/file-order.h"
#include "perf/data/file-own.h"
#include "perf/data/file-parts.h"
#include "perf/record/source.h"

/*
 * From the bytes of a recording to records in the order of their times.  The owner puts bytes into a part
 * and calls file_decoder_take(); records wait in the queue until file_decoder_hand_over().  perf's rules are
 * followed, see file.h.  Inside perf/ only.
 */
struct file_decoder {
	/* Set by the owner. */
	struct file_header header;
	struct file_events events;
	struct file_damage damage;
	struct source_stats *stats; /* counted here; borrowed */
	bool many_parts;            /* rounds say nothing of the other files */
	bool tells_switches;        /* there are events of time */
	bool tells_calls;           /* there is the event of system calls */
	source_receiver *receive;   /* of the drain that is under way; NULL before the first one */
	void *context;
	int64_t handed; /* records by this drain */

	/* The reader's. */
	struct file_own own;
	struct file_order *order;
	uint64_t sequence;             /* of the next record that is queued */
	uint64_t newest_ns;            /* time of the queued ones */
	uint64_t round_ns;             /* what it was at the newest FINISHED_ROUND */
	bool switch_samples;           /* switches are told by the samples of sched:sched_switch */
	struct record record, made[2]; /* the one being handed over; those that nobody wrote */
};

/* R is zeroed.  MACHINE, STATS and EVLIST are borrowed. */
void file_decoder_init(struct file_decoder *r, struct evlist *evlist,
		       struct source_machine *machine, struct source_stats *stats);
void file_decoder_fini(struct file_decoder *r);

/* Frees what only reading needs: the snapshots to come need room.  The events stay. */
void file_decoder_release(struct file_decoder *r);

/*
 * Takes all whole records out of P.  Before the first drain (no `receive`) it takes only what describes the
 * recording and stops at the first record of the kernel.
 */
void file_decoder_take(struct file_decoder *r, struct file_part *p);

/* Returns true if P's next record must wait for the first drain. */
bool file_decoder_must_wait(const struct file_decoder *r, const struct file_part *p);

/* Hands over all queued records that are not after LIMIT_NS. */
void file_decoder_hand_over(struct file_decoder *r, uint64_t limit_ns);

/* Samples tell of times and switches from now on.  Returns true if anything tells of switches. */
bool file_decoder_tell_switches(struct file_decoder *r);
bool file_decoder_tell_calls(struct file_decoder *r); /* likewise, of system calls that return */

#endif
