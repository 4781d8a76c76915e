/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/parts.h"

#include "engine/engine-state.h"
#include "engine/recorder.h"

/* Names of data. */

static bool has_data(const struct engine *e)
{
	return e->data;
}

static void sample_data(struct engine *e, struct counted *s)
{
	const struct record *r = s->record;

	if (r->sample.address && e->options.evlist->items[r->event]->addresses)
		s->key.data = data_frame(e->data, s->thread->process, r->sample.address);
}

static void free_data(struct engine *e)
{
	data_names_free(e->data);
}

/* Events of time. */

static bool has_times(const struct engine *e)
{
	return e->times;
}

static void sample_times(struct engine *e, struct counted *s)
{
	times_sample(e->times, s->thread, s->record, s->key.node, &s->found);
}

static void settle_times(struct engine *e, uint64_t now_ns)
{
	(void)now_ns; /* no record is newer than the newest one */
	times_count(e->times, e->newest_ns);
}

static void free_times(struct engine *e)
{
	times_free(e->times);
}

/* System calls. */

static bool has_syscalls(const struct engine *e)
{
	return e->syscalls;
}

static void settle_syscalls(struct engine *e, uint64_t now_ns)
{
	(void)now_ns;
	syscalls_count(e->syscalls, e->newest_ns);
}

static void free_syscalls(struct engine *e)
{
	syscalls_free(e->syscalls);
}

/* Stacks. */

static bool has_callers(const struct engine *e)
{
	return e->options.target.callchains;
}

static void sample_stack(struct engine *e, struct counted *s)
{
	late_add(e->late, &s->found.chain, &s->key, s->count, &s->record->sample, s->found.end,
		 s->found.waits);
}

static void zero_stacks(struct engine *e)
{
	late_clear(e->late);
}

static void next_stacks(struct engine *e)
{
	if (histogram_mode(e->histogram) == HISTOGRAM_ZERO)
		late_clear(e->late);
	late_next_interval(e->late);
}

static void free_stacks(struct engine *e)
{
	late_free(e->late);
}

/* Names of samples, which may come late. */

static bool is_always_on(const struct engine *e)
{
	return e->chains;
}

static void next_names(struct engine *e)
{
	chains_next_interval(e->chains);
}

static void free_names(struct engine *e)
{
	chains_free(e->chains);
}

/* The past. */

static bool has_windows(const struct engine *e)
{
	return e->windows;
}

static void zero_windows(struct engine *e)
{
	windows_zero(e->windows, e->newest_ns);
}

static void next_windows(struct engine *e)
{
	windows_next_interval(e->windows, e->newest_ns);
}

static void free_windows(struct engine *e)
{
	windows_free(e->windows);
}

/* The histogram. */

static void sample_histogram(struct engine *e, struct counted *s)
{
	const struct record_sample *sample = &s->record->sample;

	histogram_add_values(e->histogram, &s->key, s->count, s->count * sample->period,
			     sample->read.count ? e->increase : NULL, s->time_ns);
}

static void settle_histogram(struct engine *e, uint64_t now_ns)
{
	histogram_settle(e->histogram, now_ns);
}

static void zero_histogram(struct engine *e)
{
	histogram_zero(e->histogram);
}

static void next_histogram(struct engine *e)
{
	histogram_next_interval(e->histogram);
}

static void free_histogram(struct engine *e)
{
	histogram_free(e->histogram);
}

/* Addresses in functions. */

static void sample_watch(struct engine *e, struct counted *s)
{
	const struct record_sample *sample = &s->record->sample;

	watch_samples(e->watch, &s->address, &s->key, s->count, s->count * sample->period,
		      sample->read.count ? e->increase : NULL, s->time_ns);
}

static void settle_watch(struct engine *e, uint64_t now_ns)
{
	histogram_settle(watch_addresses(e->watch), now_ns);
}

static void zero_watch(struct engine *e)
{
	watch_zero(e->watch);
}

static void next_watch(struct engine *e)
{
	histogram_next_interval(watch_addresses(e->watch));
}

static void free_watch(struct engine *e)
{
	watch_free(e->watch);
}

/* The listener. */

static bool has_listener(const struct engine *e)
{
	return e->options.listener;
}

/* It is told the function whose symbol covers the address, whatever is inlined there. */
static void sample_listener(struct engine *e, struct counted *s)
{
	struct engine_sample sample = { .record = s->record,
					.thread = s->thread,
					.frames = e->frames };
	struct place later;

	sample.frame = resolver_outer(e->resolver, resolver_find(e->resolver, &s->address, &later));
	sample.named = resolver_offset(e->resolver, &s->address, &sample.offset);
	e->options.listener(e->options.listener_context, &sample);
}

/* The recording. */

static bool has_recorder(const struct engine *e)
{
	return e->recorder;
}

static void sample_recorder(struct engine *e, struct counted *s)
{
	size_t count;

	if (!engine_is_recording(e))
		return;
	count = callers_words(&s->found, e->stack);
	recorder_sample(e->recorder, s->thread, s->record, count ? e->stack : NULL, count);
}

/* The interval ends: what was counted in it goes into the recording. */
static void next_recorder(struct engine *e)
{
	const struct process *p;

	for (size_t i = 0; engine_is_recording(e) && (p = process_table_next(e->processes, &i));) {
		for (size_t j = 0; j < p->thread_count; j++) {
			struct thread *th = p->threads[j];

			if (th->slot && counters_touched(e->counters, th->slot) &&
			    target_has_thread(&e->target, e->processes, th))
				recorder_counts(e->recorder, th,
						counters_row(e->counters, th->slot));
		}
	}
}

/* Counters of tasks. */

/* In a recording the samples of an event stand for all of it. */
static void sample_counters(struct engine *e, struct counted *s)
{
	size_t event = (size_t)s->record->event;
	uint32_t cpu = e->tells_cpu ? s->record->cpu : ATTRIBUTION_NO_CPU;

	if (!e->has_procfs)
		attribution_period(e->attribution, cpu, attribution_slot(e->attribution, s->thread),
				   event, s->record->sample.period);
	attribution_sample(e->attribution, cpu, event, s->count);
}

static void next_counters(struct engine *e)
{
	counters_next_interval(e->counters);
	attribution_next_interval(e->attribution);
}

static void free_counters(struct engine *e)
{
	attribution_free(e->attribution);
	counters_free(e->counters);
}

/*
 * In the order in which all is done: the pieces of time are counted before the histogram is settled, and
 * what stands on another part ends before it.
 */
static const struct engine_part {
	bool (*is_on)(const struct engine *e);
	part_sample *sample;
	void (*settle)(struct engine *e, uint64_t now_ns);
	void (*zero)(struct engine *e);
	void (*next_interval)(struct engine *e);
	void (*free)(struct engine *e);
} parts[] = {
	{ has_data, sample_data, NULL, NULL, NULL, free_data },
	{ has_times, sample_times, settle_times, NULL, NULL, free_times },
	{ has_syscalls, NULL, settle_syscalls, NULL, NULL, free_syscalls },
	{ has_callers, sample_stack, NULL, zero_stacks, next_stacks, free_stacks },
	{ has_windows, NULL, NULL, zero_windows, next_windows, free_windows },
	{ is_always_on, sample_histogram, settle_histogram, zero_histogram, next_histogram, NULL },
	{ is_always_on, NULL, NULL, NULL, next_names, free_names },
	{ engine_keeps_addresses, sample_watch, settle_watch, zero_watch, next_watch, free_watch },
	{ has_listener, sample_listener, NULL, NULL, NULL, NULL },
	{ has_recorder, sample_recorder, NULL, NULL, next_recorder, NULL },
	{ is_always_on, sample_counters, NULL, NULL, next_counters, free_counters },
	{ is_always_on, NULL, NULL, NULL, NULL, free_histogram },
};

#define PARTS (sizeof(parts) / sizeof(parts[0]))
_Static_assert(PARTS <= PARTS_MAX, "an engine has room for all parts");

void parts_choose(struct engine *e)
{
	e->taker_count = 0;
	for (size_t i = 0; i < PARTS; i++) {
		if (parts[i].sample && parts[i].is_on(e))
			e->takers[e->taker_count++] = parts[i].sample;
	}
}

void parts_settle(struct engine *e, uint64_t now_ns)
{
	for (size_t i = 0; i < PARTS; i++) {
		if (parts[i].settle && parts[i].is_on(e))
			parts[i].settle(e, now_ns);
	}
}

void parts_zero(struct engine *e)
{
	for (size_t i = 0; i < PARTS; i++) {
		if (parts[i].zero && parts[i].is_on(e))
			parts[i].zero(e);
	}
}

void parts_next_interval(struct engine *e)
{
	for (size_t i = 0; i < PARTS; i++) {
		if (parts[i].next_interval && parts[i].is_on(e))
			parts[i].next_interval(e);
	}
}

void parts_free(struct engine *e)
{
	for (size_t i = 0; i < PARTS; i++) {
		if (parts[i].free)
			parts[i].free(e);
	}
}
