/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/rig.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static uint64_t rig_now(void *context)
{
	return ((struct rig *)context)->now_ns;
}

void rig_init(struct rig *rig, const char *events, enum source_tier tier)
{
	struct error err = { "" };

	memset(rig, 0, sizeof(*rig));
	rig->evlist = evlist_new();
	if (evlist_parse(rig->evlist, events, &err)) {
		fprintf(stderr, "%s\n", err.text);
		abort();
	}
	for (size_t i = 0; i < rig->evlist->count; i++) {
		rig->evlist->items[i]->role = i ? EVSEL_COUNT : EVSEL_SAMPLE;
		rig->evlist->items[i]->enabled = true;
	}
	rig->now_ns = NS_PER_S;
	rig->clock = (struct clock){ rig_now, rig_now, rig };
	snprintf(rig->proc_root, sizeof(rig->proc_root), "%s/ptop-rig-XXXXXX",
		 getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
	if (!mkdtemp(rig->proc_root))
		abort();
	rig->script.tier = tier;
	rig->options = (struct engine_options){
		.evlist = rig->evlist,
		.tier = tier,
		.clock = &rig->clock,
		.proc_root = rig->proc_root,
		.kallsyms = "",
		.version = "test",
		.target = { .mode = tier == TIER_FILE ? TARGET_FILE : TARGET_SYSTEM, .uid = -1 },
		.mode = HISTOGRAM_CUMULATIVE,
		.synchronous = true,
	};
}

void rig_open(struct rig *rig)
{
	struct error err = { "" };

	rig->source = fake_source_new(rig->evlist, &rig->script);
	rig->engine = engine_new(&rig->options, &err);
	if (!rig->engine) {
		fprintf(stderr, "%s\n", err.text);
		abort();
	}
	engine_scan(rig->engine);
}

void rig_fini(struct rig *rig)
{
	snapshot_free(rig->snapshot);
	engine_free(rig->engine);
	source_close(rig->source);
	evlist_free(rig->evlist);
	rmdir(rig->proc_root);
}

void rig_receive(struct rig *rig, struct record r)
{
	if (r.time_ns > rig->now_ns)
		rig->now_ns = r.time_ns;
	rig->source->stats.samples += r.type == RECORD_SAMPLE && !r.counts_only;
	if (r.type == RECORD_LOST)
		rig->source->stats.lost += r.lost.count;
	engine_receive(rig->engine, &r);
}

void rig_check(const struct rig *rig)
{
	for (size_t i = 0; i < rig->snapshot->violation_count; i++) {
		const struct snapshot_violation *v = &rig->snapshot->violations[i];

		fprintf(stderr, "%s: %s\n", v->name, v->text);
	}
	if (rig->snapshot->violation_count)
		abort();
}

const struct snapshot *rig_snapshot(struct rig *rig)
{
	const struct engine_request request = { .source = rig->source };

	rig->now_ns += NS_PER_S;
	snapshot_free(rig->snapshot);
	rig->snapshot = engine_snapshot(rig->engine, &request);
	rig_check(rig);
	return rig->snapshot;
}

const struct snapshot_process *rig_row(const struct rig *rig, uint32_t pid, uint32_t tid)
{
	const struct snapshot *s = rig->snapshot;

	for (size_t i = 0; i < s->process_count; i++) {
		if (s->processes[i].pid == pid && s->processes[i].tid == tid)
			return &s->processes[i];
	}
	return NULL;
}

double rig_samples(const struct rig *rig, uint32_t pid, const char *symbol)
{
	const struct snapshot *s = rig->snapshot;
	double sum = 0;

	for (size_t i = 0; i < s->cell_count; i++) {
		const struct snapshot_cell *c = &s->cells[i];

		if ((!pid || c->pid == pid) && !strcmp(frame_symbol(s->frames, c->frame), symbol))
			sum += c->samples;
	}
	return sum;
}

void rig_hot_function(void)
{
	static volatile unsigned turns;

	for (int i = 0; i < 10; i++)
		turns++;
}

uint64_t rig_hot_address(void)
{
	return (uint64_t)(uintptr_t)rig_hot_function + 1;
}

/* The line of /proc/self/maps that holds the hot function, as a record. */
struct record rig_mmap_self(uint32_t pid, uint64_t time_ns)
{
	static char path[PATH_MAX];
	FILE *maps = fopen("/proc/self/maps", "r");
	unsigned long start, end, offset;
	struct record r;
	char line[PATH_MAX + 128];

	while (maps && fgets(line, sizeof(line), maps)) {
		if (sscanf(line, "%lx-%lx r-xp %lx %*s %*s %4095s", &start, &end, &offset, path) !=
			    4 ||
		    rig_hot_address() < start || rig_hot_address() >= end)
			continue;
		fclose(maps);
		r = fake_mmap(pid, time_ns, start, end - start, path);
		r.mmap.pgoff = offset;
		return r;
	}
	abort();
}

struct record rig_with_totals(struct record r, uint64_t first, uint64_t second)
{
	fake_value(&r, 0, first);
	fake_value(&r, 1, second);
	r.sample.read.enabled_ns = r.sample.read.running_ns = r.time_ns;
	return r;
}

void rig_start(struct rig *rig, enum source_tier tier)
{
	rig_init(rig, "cpu-clock,page-faults", tier);
	rig_open(rig);
}

struct record rig_hot_sample(uint32_t pid, uint32_t cpu, uint64_t time_ns)
{
	return fake_sample(pid, pid, cpu, time_ns, rig_hot_address(), 0);
}

double rig_event_value(const struct rig *rig, size_t event)
{
	return rig->snapshot->events[event].value;
}
