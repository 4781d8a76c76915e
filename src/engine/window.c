/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/window.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/account.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/hash.h"
#include "profile/history.h"

#define RUN_TIME UINT16_MAX /* in place of an event: ns on a CPU */
#define ANY_NUMBER UINTPTR_MAX

#define FILE_SLICES 1024
#define FILE_WIDTH_NS 1000000u

struct windows {
	struct windows_options use;
	struct history *history; /* owned */
	uint64_t slice_end_ns;   /* live, when the slice is over; 0: nothing came yet */
	/* The counts of the current interval that the history has: a row for each slot. */
	struct counter_value *taken;
	size_t capacity, events;
	uint64_t from_ns, to_ns; /* the chosen window; both 0: none */
};

static bool is_live(const struct windows *w)
{
	return w->use.tier != TIER_FILE;
}

struct history *window_history_new(enum source_tier tier, uint64_t memory_bytes)
{
	/* Two have a part: cells and addresses.  They keep to it within a tenth, so that nobody makes them shed more. */
	const uint64_t bytes = account_most(memory_bytes, ACCOUNT_PAST) * 7 / 16;
	const struct history_options live = {
		.width_ns = WINDOW_SLICE_NS,
		.keep_ns = WINDOW_KEPT_NS,
		.slices = WINDOW_KEPT_NS / WINDOW_SLICE_NS + 2,
		.bytes = bytes,
	};
	const struct history_options file = { .width_ns = FILE_WIDTH_NS,
					      .slices = FILE_SLICES,
					      .bytes = bytes };

	return history_new(tier != TIER_FILE ? &live : &file);
}

struct windows *windows_new(const struct windows_options *options)
{
	struct windows *w = mem_alloc(sizeof(*w));

	w->use = *options;
	w->history = window_history_new(options->tier, options->memory_bytes);
	histogram_set_history(options->histogram, w->history);
	return w;
}

void windows_free(struct windows *w)
{
	if (!w)
		return;
	histogram_set_history(w->use.histogram, NULL);
	history_free(w->history);
	free(w->taken);
	free(w);
}

uint64_t windows_bytes(const struct windows *w)
{
	return w ? history_bytes(w->history) + w->capacity * sizeof(*w->taken) : 0;
}

void windows_shed(struct windows *w, uint64_t bytes)
{
	if (w)
		history_shed(w->history, bytes);
}

/* Returns the totals of SLOT that slices have already.  Makes room for them. */
static struct counter_value *taken_of(struct windows *w, uint32_t slot)
{
	size_t events = counters_events(w->use.counters), had = w->capacity;

	if (events != w->events) { /* a longer list: the rows lay elsewhere */
		struct counter_value *grown =
			mem_array(had / (w->events ? w->events : 1) * events, sizeof(*grown));

		for (size_t i = 0; w->events && i < had / w->events; i++)
			memcpy(grown + i * events, w->taken + i * w->events,
			       w->events * sizeof(*grown));
		free(w->taken);
		w->taken = grown;
		w->capacity = had = w->events ? had / w->events * events : 0;
		w->events = events;
	}
	if ((slot + 1) * events > had) {
		mem_grow((void **)&w->taken, &w->capacity, (slot + 1) * events, sizeof(*w->taken));
		w->capacity -= w->capacity % events;
		memset(w->taken + had, 0, (w->capacity - had) * sizeof(*w->taken));
	}
	return w->taken + slot * events;
}

/* Scales V as the report does: on whole CPUs by the times of their sum. */
static uint64_t scaled_value(const struct windows *w, const struct counter_value *v, size_t event)
{
	const struct counter_value total = attribution_total(w->use.attribution, event);
	struct counter_value timed = *v;
	double scaled = 0;

	if (w->use.tier == TIER_CPU_GROUP) {
		timed.enabled_ns = total.enabled_ns;
		timed.running_ns = total.running_ns;
	}
	return counter_scaled(&timed, &scaled) && scaled > 0 ? (uint64_t)llround(scaled) : 0;
}

static void at_least(uint64_t *most, uint64_t value)
{
	if (value > *most)
		*most = value;
}

/*
 * Each group of events is read at moments of its own.  So the time that a thread ran is the growth of the
 * largest one: the growth of each event by itself would count the same time in two slices.
 */
static void tell_thread(struct windows *w, const struct thread *th, uint64_t time_ns)
{
	const struct counter_value *row = counters_row(w->use.counters, th->slot);
	struct counter_value *taken = taken_of(w, th->slot);
	uint64_t ran_ns = 0, ran_before_ns = 0;

	for (size_t i = 0; i < w->events; i++) {
		/* The slot of a thread that is gone may be another's. */
		const struct counter_value none = { 0 };
		struct counter_value before =
			row[i].enabled_ns < taken[i].enabled_ns ? none : taken[i];
		struct counter_value more = { row[i].value - before.value,
					      row[i].enabled_ns - before.enabled_ns,
					      row[i].running_ns - before.running_ns };
		uint64_t value = scaled_value(w, &more, i);

		taken[i] = row[i];
		at_least(&ran_ns, row[i].enabled_ns);
		at_least(&ran_before_ns, before.enabled_ns);
		if (value && !w->use.evlist->items[i]->per_cpu_only)
			history_count(w->history, th->process->serial, th->tid, (uint16_t)i, value,
				      time_ns);
	}
	if (ran_ns > ran_before_ns)
		history_count(w->history, th->process->serial, th->tid, RUN_TIME,
			      ran_ns - ran_before_ns, time_ns);
}

static void tell_counts(struct windows *w, uint64_t time_ns)
{
	const struct process *p;

	for (size_t i = 0; (p = process_table_next(w->use.processes, &i));) {
		for (size_t j = 0; p->pid && j < p->thread_count; j++) {
			const struct thread *th = p->threads[j];

			if (th->slot && counters_touched(w->use.counters, th->slot))
				tell_thread(w, th, time_ns);
		}
	}
}

uint64_t windows_advance(struct windows *w, uint64_t newest_ns)
{
	if (!w || !is_live(w))
		return UINT64_MAX;
	if (w->slice_end_ns)
		tell_counts(w, w->slice_end_ns - 1);
	return w->slice_end_ns = (newest_ns / WINDOW_SLICE_NS + 1) * WINDOW_SLICE_NS;
}

void windows_zero(struct windows *w, uint64_t newest_ns)
{
	if (!w)
		return;
	if (is_live(w))
		tell_counts(w, newest_ns);
	history_zero(w->history);
}

void windows_next_interval(struct windows *w, uint64_t newest_ns)
{
	if (!w || !is_live(w))
		return;
	tell_counts(w, newest_ns);
	if (w->capacity)
		memset(w->taken, 0, w->capacity * sizeof(*w->taken));
}

void windows_read(struct windows *w, const struct record *r, uint32_t serial, uint64_t newest_ns)
{
	for (uint32_t i = 0; w && !is_live(w) && i < r->read.count; i++) {
		const struct counter_value v = { r->read.values[i].value, r->read.enabled_ns,
						 r->read.running_ns };
		uint64_t event = r->read.values[i].id;
		double scaled;

		if (event < w->use.evlist->count && counter_scaled(&v, &scaled))
			history_count(w->history, serial, r->tid, (uint16_t)event,
				      (uint64_t)llround(fmax(0, scaled)), newest_ns);
	}
}

void windows_choose(struct windows *w, uint64_t from_ns, uint64_t to_ns)
{
	if (!w)
		return;
	w->from_ns = from_ns;
	w->to_ns = to_ns;
}

/* Sums. */

struct window {
	const struct windows *of;
	bool threads;
	uint64_t from_ns, to_ns;
	struct histogram *cells;
	size_t events;
	uint64_t *samples;  /* by event */
	struct map numbers; /* of a task to the number of its row in `counts` + 1 */
	double *counts;     /* rows of EVENTS + 1 */
	size_t rows, capacity;
	struct map threads_of; /* of a process: so many ran; ANY_NUMBER when that is not known */
	double *totals;        /* by event */
};

static uint64_t task_id(uint32_t serial, uint32_t tid)
{
	return (uint64_t)serial << 32 | tid;
}

static void add_count(struct window *w, uint64_t task, size_t event, double value)
{
	size_t columns = w->events + 1, number = map_enter(&w->numbers, task);

	if (number == w->rows) {
		mem_grow((void **)&w->counts, &w->capacity, ++w->rows * columns,
			 sizeof(*w->counts));
		memset(w->counts + number * columns, 0, columns * sizeof(*w->counts));
	}
	w->counts[number * columns + event] += value;
}

/* Old cells have no thread, and tasks in their last steps share one. */
static void count_thread(struct window *w, const struct cell_key *key)
{
	bool one = key->tid && key->tid != UINT32_MAX;
	uintptr_t threads = (uintptr_t)map_find(&w->threads_of, key->process);

	if (threads != ANY_NUMBER)
		map_put(&w->threads_of, key->process, (void *)(one ? threads + 1 : ANY_NUMBER));
}

static void add_counts(struct window *w, const struct cell_key *key, double value)
{
	size_t event = key->event == RUN_TIME ? w->events : key->event;

	if (event > w->events)
		return;
	if (key->event == RUN_TIME)
		count_thread(w, key);
	add_count(w, task_id(key->process, 0), event, value);
	if (w->threads && key->tid)
		add_count(w, task_id(key->process, key->tid), event, value);
	if (event < w->events)
		w->totals[event] += value;
}

/* In a recording an event's samples stand for all of it. */
static void take_key(void *context, const struct cell_key *key, uint64_t samples, uint64_t period)
{
	struct window *w = context;

	if (key->frame == FRAME_NONE) {
		add_counts(w, key, (double)period);
		return;
	}
	histogram_add_sum(w->cells, key, samples, period);
	if (key->event < w->events)
		w->samples[key->event] += samples;
	if (!is_live(w->of))
		add_counts(w, key, (double)period);
}

/* The end of the slice that now lies in. */
static uint64_t last_end_ns(const struct windows *w)
{
	uint64_t now_ns = clock_monotonic_ns(w->use.clock);

	return (now_ns / WINDOW_SLICE_NS + 1) * WINDOW_SLICE_NS;
}

/*
 * A window from before the oldest slice lies there now; else it has the ends of its slices.  Live it ends now at
 * the latest: what is still to come is in no window.
 */
static void find_ends(struct window *w)
{
	const struct history *h = w->of->history;
	uint64_t from = UINT64_MAX, to = 0, width = w->to_ns - w->from_ns;
	uint64_t last_ns = is_live(w->of) ? last_end_ns(w->of) : UINT64_MAX;

	if (history_slices(h) && history_slice(h, 0).from_ns >= w->to_ns) {
		w->from_ns = history_slice(h, 0).from_ns;
		w->to_ns = w->from_ns + width;
	}
	for (size_t i = 0; i < history_slices(h); i++) {
		struct history_slice s = history_slice(h, i);

		if (s.to_ns <= w->from_ns || s.from_ns >= w->to_ns)
			continue;
		from = s.from_ns < from ? s.from_ns : from;
		to = s.to_ns > to ? s.to_ns : to;
	}
	w->from_ns = from < w->from_ns ? from : w->from_ns;
	if (w->to_ns > last_ns && last_ns > w->from_ns)
		w->to_ns = last_ns;
	w->to_ns = to > w->to_ns ? to : w->to_ns;
}

struct window *window_sum(struct windows *of, bool threads)
{
	struct window *w;

	if (!of || !of->to_ns)
		return NULL;
	w = mem_alloc(sizeof(*w));
	w->of = of;
	w->threads = threads;
	w->from_ns = of->from_ns;
	w->to_ns = of->to_ns;
	w->events = of->use.evlist->count;
	w->samples = mem_array(w->events, sizeof(*w->samples));
	w->totals = mem_array(w->events, sizeof(*w->totals));
	w->cells = histogram_new(SIZE_MAX); /* the history has its own bounds */
	histogram_set_mode(w->cells, HISTOGRAM_CUMULATIVE, 0);
	find_ends(w);
	history_sum(of->history, w->from_ns, w->to_ns, take_key, w);
	return w;
}

void window_free(struct window *w)
{
	if (!w)
		return;
	histogram_free(w->cells);
	map_fini(&w->numbers);
	map_fini(&w->threads_of);
	mem_free(w->samples, w->totals, w->counts, w);
}

const struct histogram *window_cells(const struct window *w)
{
	return w->cells;
}

double window_span_s(const struct window *w)
{
	return (double)(w->to_ns - w->from_ns) / NS_PER_S;
}

uint64_t window_samples(const struct window *w, size_t event)
{
	return event < w->events ? w->samples[event] : 0;
}

uint64_t window_begin_ns(const struct window *w)
{
	return w->from_ns;
}

uint64_t window_end_ns(const struct window *w)
{
	return w->to_ns;
}

const double *window_counts(const struct window *w, uint32_t serial, uint32_t tid)
{
	uintptr_t number = (uintptr_t)map_find(&w->numbers, task_id(serial, tid));

	return number ? w->counts + (number - 1) * (w->events + 1) : NULL;
}

bool window_has_times(const struct window *w)
{
	return w->threads_of.count || !w->rows;
}

size_t window_threads(const struct window *w, uint32_t serial)
{
	uintptr_t threads = (uintptr_t)map_find(&w->threads_of, serial);

	return threads == ANY_NUMBER ? 0 : threads;
}

double window_total(const struct window *w, size_t event)
{
	return event < w->events ? w->totals[event] : 0;
}

void windows_describe(const struct windows *w, const struct window *window, struct snapshot *s,
		      uint64_t began_ns, uint64_t now_ns)
{
	struct snapshot_past *p = &s->past;

	if (!w)
		return;
	p->kept = true;
	p->merged = history_merged(w->history);
	p->began_ns = history_time(began_ns);
	p->now_ns = history_time(now_ns);
	p->count = history_slices(w->history);
	p->slices = mem_array(p->count, sizeof(*p->slices));
	p->samples = mem_array(p->count * s->event_count, sizeof(*p->samples));
	for (size_t i = 0; i < p->count; i++) {
		struct history_slice slice = history_slice(w->history, i);

		p->slices[i] = (struct snapshot_slice){ slice.from_ns, slice.to_ns };
		for (size_t j = 0; j < s->event_count && j < slice.events; j++)
			p->samples[i * s->event_count + j] = (double)slice.samples[j];
	}
	if (is_live(w))
		p->realtime_ns = (int64_t)(clock_realtime_ns(w->use.clock) -
					   clock_monotonic_ns(w->use.clock));
	if (window) {
		p->from_ns = window->from_ns;
		p->to_ns = window->to_ns;
	}
}

void windows_processes(const struct windows *w, void (*used)(void *context, uint32_t serial),
		       void *context)
{
	const struct cell_key *key;

	for (size_t i = 0; w && (key = history_next(w->history, &i));)
		used(context, key->process);
}
