/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_PERF_LIVE_DRAIN_H
#define PTOP_PERF_LIVE_DRAIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/heap.h"
#include "perf/live/ring.h"

/*
 * Empties the rings of all CPUs in the order that source.h promises.  Memory only.
 *
 * Each CPU has a lane of two rings: samples, and the side-band (mmap, comm, fork, exit), which is
 * apart so that a flood of samples never costs a mapping.  Within a ring records are in order of
 * time; between rings only the side-band matters.  So the side-band records of all lanes are merged
 * by a heap.  Before each of them every lane hands over its older samples.  Without side-band
 * records each ring is read straight through.  Records that are newer than the horizon stay for the
 * next time, because another CPU may be about to write an older one.
 */
enum lane_ring { LANE_SAMPLES, LANE_SIDEBAND, LANE_RINGS };

struct lane {
	struct heap_node node; /* first; the drain's, as is NUMBER */
	size_t number;         /* its place in the drain's lanes */
	struct ring rings[LANE_RINGS];
	uint64_t next_ns[LANE_RINGS]; /* the drain's: time of the next record, DRAIN_NONE if none */
};

#define DRAIN_NONE UINT64_MAX

/* Where records have their time: bytes from the start of a sample, of the others' sample_id. */
struct drain_stamp {
	uint16_t sample_offset, id_offset, id_size;
};

struct drain_sink {
	/* One record in one piece; BYTES dies on return. */
	void (*record)(void *context, size_t lane, enum lane_ring ring, const void *bytes);
	/* The rest of that window made no sense and was dropped. */
	void (*corrupt)(void *context, size_t lane, enum lane_ring ring);
	void *context;
};

struct drain {
	struct lane *
		*lanes; /* borrowed; the caller fills them and may change them between drains */
	size_t count;
	struct drain_stamp stamps[LANE_RINGS];
	struct drain_sink sink;
	uint64_t (*now_ns)(void *context); /* the clock of the records, with sink.context */
	/* The drain's own. */
	struct heap heap;          /* lanes with side-band records, the oldest on top */
	uint64_t oldest_sample_ns; /* no lane has an older sample */
	uint64_t horizon_ns, latest_ns;
	bool tight; /* the last drain_run() found a ring of samples more than half full */
};

/*
 * The place of the time in records of events with that SAMPLE_TYPE, which must have IDENTIFIER and
 * TIME and may have more.
 */
struct drain_stamp drain_stamp_of(uint64_t sample_type);

/*
 * Hands over everything with a time up to HORIZON_NS.  A time that is later than now is by another
 * clock (see cpugroup.c, the identifier of a record).  Such a record is due as well, because it
 * would hold up its ring.
 */
void drain_run(struct drain *d, uint64_t horizon_ns);
void drain_fini(struct drain *d);

#endif
