/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "perf/live/drain.h"

#include "perf/record/record.h"

#define WORD 8u

/*
 * A sample starts with IDENTIFIER, IP, TID, TIME; every other record ends with sample_id: TID,
 * TIME, ID, STREAM_ID, CPU, IDENTIFIER.  Each is one word; absent ones take no room.
 */
struct drain_stamp drain_stamp_of(uint64_t sample_type)
{
	static const uint64_t before = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID;
	unsigned words_before = (unsigned)__builtin_popcountll(sample_type & before);

	return (struct drain_stamp){
		.sample_offset = (uint16_t)(sizeof(struct perf_event_header) + WORD * words_before),
		.id_offset = sample_type & PERF_SAMPLE_TID ? WORD : 0,
		.id_size = (uint16_t)record_id_size(sample_type),
	};
}

/* A record too short to have a time is due at once, so that its decoder can refuse it. */
static uint64_t record_time(struct ring *r, const struct perf_event_header *h,
			    const struct drain_stamp *stamp)
{
	struct bytes record;
	size_t at;

	if (h->type == PERF_RECORD_SAMPLE)
		return h->size >= stamp->sample_offset + WORD ? ring_word(r, stamp->sample_offset)
							      : 0;
	record = bytes_of(ring_record(r), h->size);
	at = record_id_offset(&record, stamp->id_size);
	return at ? ring_word(r, at + stamp->id_offset) : 0;
}

/* Looks at the next record of one ring. */
static void lane_advance(struct drain *d, size_t lane, enum lane_ring which)
{
	struct lane *l = d->lanes[lane];
	struct ring *r = &l->rings[which];
	const struct perf_event_header *h;
	uint64_t time_ns;
	int err;

	l->next_ns[which] = DRAIN_NONE;
	h = ring_peek(r, &err);
	if (!h) {
		if (err)
			d->sink.corrupt(d->sink.context, lane, which);
		return;
	}
	time_ns = record_time(r, h, &d->stamps[which]);
	if (time_ns <= d->horizon_ns || time_ns > d->latest_ns)
		l->next_ns[which] = time_ns < d->horizon_ns ? time_ns : d->horizon_ns;
}

static void lane_hand_over(struct drain *d, size_t lane, enum lane_ring which)
{
	struct ring *r = &d->lanes[lane]->rings[which];

	ring_prefetch(r);
	d->sink.record(d->sink.context, lane, which, ring_record(r));
	ring_skip(r);
	lane_advance(d, lane, which);
}

static void drain_samples_before(struct drain *d, uint64_t limit_ns)
{
	uint64_t oldest = DRAIN_NONE;

	if (d->oldest_sample_ns >= limit_ns)
		return;
	for (size_t i = 0; i < d->count; i++) {
		struct lane *l = d->lanes[i];

		while (l->next_ns[LANE_SAMPLES] < limit_ns)
			lane_hand_over(d, i, LANE_SAMPLES);
		if (l->next_ns[LANE_SAMPLES] < oldest)
			oldest = l->next_ns[LANE_SAMPLES];
	}
	d->oldest_sample_ns = oldest;
}

static bool is_older(const struct heap_node *a, const struct heap_node *b)
{
	return ((const struct lane *)a)->next_ns[LANE_SIDEBAND] <
	       ((const struct lane *)b)->next_ns[LANE_SIDEBAND];
}

static void drain_begin(struct drain *d)
{
	d->oldest_sample_ns = DRAIN_NONE;
	for (size_t i = 0; i < d->count; i++) {
		for (int r = 0; r < LANE_RINGS; r++)
			ring_begin(&d->lanes[i]->rings[r]);
	}
	d->heap.before = is_older;
	d->latest_ns = d->now_ns(d->sink.context);
	d->tight = false;
	for (size_t i = 0; i < d->count; i++) {
		d->tight |= ring_is_tight(&d->lanes[i]->rings[LANE_SAMPLES]);
		lane_advance(d, i, LANE_SAMPLES);
		lane_advance(d, i, LANE_SIDEBAND);
		if (d->lanes[i]->next_ns[LANE_SAMPLES] < d->oldest_sample_ns)
			d->oldest_sample_ns = d->lanes[i]->next_ns[LANE_SAMPLES];
		d->lanes[i]->number = i;
		if (d->lanes[i]->next_ns[LANE_SIDEBAND] != DRAIN_NONE)
			heap_push(&d->heap, &d->lanes[i]->node);
	}
}

void drain_run(struct drain *d, uint64_t horizon_ns)
{
	struct lane *lane;

	d->horizon_ns = horizon_ns;
	drain_begin(d);
	while ((lane = (struct lane *)heap_top(&d->heap))) {
		drain_samples_before(d, lane->next_ns[LANE_SIDEBAND]);
		lane_hand_over(d, lane->number, LANE_SIDEBAND);
		if (lane->next_ns[LANE_SIDEBAND] == DRAIN_NONE)
			heap_pop(&d->heap);
		else
			heap_sink(&d->heap, &lane->node);
	}
	drain_samples_before(d, DRAIN_NONE);
	for (size_t i = 0; i < d->count; i++) {
		for (int r = 0; r < LANE_RINGS; r++)
			ring_end(&d->lanes[i]->rings[r]);
	}
}

void drain_fini(struct drain *d)
{
	heap_fini(&d->heap);
}
