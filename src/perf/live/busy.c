/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "perf/live/busy.h"

#include <stdlib.h>

#include "base/alloc.h"

#define COUNTED_MAX 65536u /* threads; more of them are only counted together */

void busy_fini(struct busy *b)
{
	map_fini(&b->by_tid);
	free(b->threads);
	*b = (struct busy){ 0 };
}

static struct busy_thread *thread_of(struct busy *b, uint32_t tid)
{
	uintptr_t index = (uintptr_t)map_find(&b->by_tid, tid);

	if (index)
		return &b->threads[index - 1];
	if (b->count >= COUNTED_MAX)
		return NULL;
	mem_grow((void **)&b->threads, &b->capacity, b->count + 1, sizeof(*b->threads));
	b->threads[b->count++] = (struct busy_thread){ .tid = tid };
	map_put(&b->by_tid, tid, (void *)(uintptr_t)b->count);
	return &b->threads[b->count - 1];
}

bool busy_leaves_out(const struct busy *b, uint32_t tid)
{
	uintptr_t index = (uintptr_t)map_find(&b->by_tid, tid);

	return index && b->threads[index - 1].left_out;
}

void busy_count(struct busy *b, uint32_t tid, uint32_t count)
{
	struct busy_thread *t = thread_of(b, tid);

	if (t)
		t->switches += count;
	if (!t || !t->left_out)
		b->others += count;
}

static int by_switches(const void *a, const void *b)
{
	const struct busy_thread *x = a, *y = b;

	if (x->switches != y->switches)
		return x->switches > y->switches ? -1 : 1;
	return x->tid < y->tid ? -1 : x->tid > y->tid;
}

/* The number of busiest threads to leave out; *REST gets the switches of all others. */
static size_t first_fit(const struct busy *b, uint64_t total, uint64_t allowed, uint64_t *rest)
{
	size_t n = 0;

	for (; total > allowed && n < b->count && n < BUSY_THREADS_MAX; n++)
		total -= b->threads[n].switches;
	*rest = total;
	return n;
}

/* Keeps the threads that are left out, in their order; their counts begin again. */
static void begin_again(struct busy *b)
{
	size_t kept = 0;

	map_fini(&b->by_tid);
	b->by_tid = (struct map){ 0 };
	for (size_t i = 0; i < b->count; i++) {
		if (!b->threads[i].left_out)
			continue;
		b->threads[kept] = (struct busy_thread){ b->threads[i].tid, 0, true };
		map_put(&b->by_tid, b->threads[kept].tid, (void *)(uintptr_t)(kept + 1));
		kept++;
	}
	b->count = b->left_out = kept;
	b->others = 0;
}

static void leave_out(struct busy *b, size_t count)
{
	for (size_t i = 0; i < b->count; i++)
		b->threads[i].left_out = i < count;
}

static uint32_t busy_period(uint64_t total, uint64_t allowed)
{
	uint32_t period = BUSY_PERIOD_MIN;

	while (period < BUSY_PERIOD_MAX && total / period > allowed / 4)
		period *= 2;
	return period;
}

static uint64_t total_of(const struct busy *b)
{
	uint64_t total = b->others;

	for (size_t i = 0; i < b->count; i++)
		total += b->threads[i].left_out ? b->threads[i].switches : 0;
	return total;
}

/*
 * A choice stays while a quarter more than what is allowed comes, and until fewer threads would do with a
 * quarter to spare: each change opens events anew.
 */
static bool choice_stays(const struct busy *b, uint64_t total, uint64_t allowed)
{
	uint64_t rest;

	return b->others_period == 1 && b->busy_period == busy_period(total, allowed) &&
	       b->others <= allowed + allowed / 4 &&
	       first_fit(b, total, allowed - allowed / 4, &rest) >= b->left_out;
}

bool busy_choose(struct busy *b, uint64_t allowed)
{
	uint64_t total = total_of(b), rest;
	bool stays;

	if (b->count)
		qsort(b->threads, b->count, sizeof(*b->threads), by_switches);
	stays = choice_stays(b, total, allowed);
	if (!stays) {
		leave_out(b, first_fit(b, total, allowed, &rest));
		b->others_period =
			rest <= allowed ? 1 : (uint32_t)(rest / (allowed ? allowed : 1) + 1);
		b->busy_period = busy_period(total, allowed);
	}
	begin_again(b);
	return !stays;
}

void busy_filter(const struct busy *b, const char *field, struct buf *filter)
{
	for (size_t i = 0; i < b->left_out; i++)
		buf_printf(filter, "%s%s!=%u", filter->size ? "&&" : "", field, b->threads[i].tid);
}

void busy_forget(struct busy *b)
{
	leave_out(b, 0);
	begin_again(b);
	b->others_period = b->busy_period = 0;
}
