/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * With --call-graph lbr only the CPU's own counters tell branches: each sample is decoded as its event
 * writes it, which its identifier says.
 */
#include "unit.h"

#include "perf/encode.h"
#include "perf/live/live-state.h"

#define TYPE                                                                            \
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | \
	 PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_RAW)

enum { ID_CYCLES = 101, ID_CLOCK, ID_TRACEPOINT, ID_PROBE, ID_LEADER };

struct seen {
	size_t count;
	uint64_t branches, chain;
	uint32_t raw;
};

static void take_sample(struct live *l, struct cpu *c, struct record *r)
{
	(void)c;
	r->event = (int)live_event_of(l, r->id);
}

static void see(void *context, const struct record *r)
{
	struct seen *seen = context;

	seen->count++;
	seen->branches = r->sample.branch_count;
	seen->chain = r->sample.callchain_count;
	seen->raw = r->sample.raw_size;
}

/* A sample of the event with that identifier, as the kernel writes it: with branches or without. */
static struct seen hand_over(struct live *l, uint64_t id, bool branches)
{
	struct record_layout layout = l->source.layout;
	struct encoder e;
	struct seen seen = { 0 };

	if (!branches)
		layout.sample_type &= ~(uint64_t)PERF_SAMPLE_BRANCH_STACK;
	encode_sample(&e, &layout);
	memcpy(e.bytes + sizeof(struct perf_event_header), &id, sizeof(id));
	l->receive = see;
	l->receive_context = &seen;
	live_record(l, 0, LANE_SAMPLES, e.bytes);
	return seen;
}

static struct evsel *event_of_type(struct evlist *list, struct map *ids, uint64_t id, uint32_t type)
{
	struct evsel *e;
	struct error err;

	assert_int_equal(evlist_parse(list, "cycles", &err), 0);
	e = list->items[list->count - 1];
	e->type = type;
	map_put(ids, id, (void *)(uintptr_t)list->count);
	return e;
}

UNIT_TEST(each_event_has_its_layout)
{
	static const struct live_tier tier = { .sample = take_sample };
	struct cpu cpu = { .number = 0 }, *cpus[] = { &cpu };
	struct live l = { .tier = &tier, .cpus = cpus };
	char file[] = "/bin/sh";

	l.source.evlist = evlist_new();
	l.source.layout = (struct record_layout){ .sample_type = TYPE | PERF_SAMPLE_BRANCH_STACK,
						  .sample_id_all = true };
	event_of_type(l.source.evlist, &l.ids, ID_CYCLES, PERF_TYPE_HARDWARE);
	event_of_type(l.source.evlist, &l.ids, ID_CLOCK, PERF_TYPE_SOFTWARE);
	event_of_type(l.source.evlist, &l.ids, ID_TRACEPOINT, PERF_TYPE_TRACEPOINT);
	event_of_type(l.source.evlist, &l.ids, ID_PROBE, 9)->probe = file;
	for (uint64_t id = ID_CYCLES; id <= ID_LEADER; id++) {
		bool branches = id == ID_CYCLES;
		struct seen seen = hand_over(&l, id, branches);

		assert_int_equal(seen.count, 1);
		assert_int_equal(seen.branches, branches ? ENCODE_BRANCHES : 0);
		assert_int_equal(seen.chain, ENCODE_CHAIN);
		assert_int_equal(seen.raw, ENCODE_RAW);
	}
	assert_int_equal(l.source.stats.malformed, 0);
	l.source.evlist->items[3]->probe = NULL;
	evlist_free(l.source.evlist);
	map_fini(&l.ids);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_event_has_its_layout),
	};

	return unit_run(tests);
}
