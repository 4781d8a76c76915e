/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/tap.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/io.h"

struct tap_samples {
	struct tap_sample *items;
	size_t count, capacity;
};

struct tap {
	size_t limit;
	int fd;                   /* eventfd: the queue has something */
	struct tap_samples drain; /* the collector's own, unsorted */
	pthread_mutex_t lock;     /* what follows; never held for long */
	struct tap_samples queue;
	size_t taken; /* of the queue, from its front */
	uint64_t dropped;
};

struct tap *tap_new(size_t limit)
{
	struct tap *t = mem_alloc(sizeof(*t));

	t->limit = limit ? limit : TAP_LIMIT;
	pthread_mutex_init(&t->lock, NULL);
	t->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (t->fd >= 0)
		return t;
	tap_free(t);
	return NULL;
}

void tap_free(struct tap *t)
{
	if (!t)
		return;
	if (t->fd >= 0)
		close(t->fd);
	pthread_mutex_destroy(&t->lock);
	mem_free(t->drain.items, t->queue.items, t);
}

static void drop(struct tap *t, uint64_t count)
{
	pthread_mutex_lock(&t->lock);
	t->dropped += count;
	pthread_mutex_unlock(&t->lock);
}

void tap_listen(void *tap, const struct engine_sample *sample)
{
	struct tap *t = tap;
	const struct record *r = sample->record;

	if (t->drain.count >= t->limit) {
		drop(t, 1);
		return;
	}
	mem_grow((void **)&t->drain.items, &t->drain.capacity, t->drain.count + 1,
		 sizeof(*t->drain.items));
	t->drain.items[t->drain.count++] = (struct tap_sample){
		.time_ns = r->time_ns,
		.address = r->sample.ip,
		.period = r->sample.period,
		.pid = r->pid,
		.tid = r->tid,
		.cpu = r->cpu,
		.event = (uint16_t)r->event,
	};
}

static int compare(const void *a, const void *b)
{
	const struct tap_sample *x = a, *y = b;

	if (x->time_ns != y->time_ns)
		return x->time_ns < y->time_ns ? -1 : 1;
	return (x->cpu > y->cpu) - (x->cpu < y->cpu);
}

/* With the lock held: what was taken makes room. */
static void queue_compact(struct tap *t)
{
	struct tap_samples *q = &t->queue;

	if (!t->taken)
		return;
	memmove(q->items, q->items + t->taken, (q->count - t->taken) * sizeof(*q->items));
	q->count -= t->taken;
	t->taken = 0;
}

static void queue_append(struct tap *t, const struct tap_samples *from)
{
	struct tap_samples *q = &t->queue;
	size_t count = from->count;

	queue_compact(t);
	if (count > t->limit - q->count)
		count = t->limit - q->count;
	mem_grow((void **)&q->items, &q->capacity, q->count + count, sizeof(*q->items));
	memcpy(q->items + q->count, from->items, count * sizeof(*q->items));
	q->count += count;
	t->dropped += from->count - count;
}

void tap_publish(struct tap *t)
{
	if (!t->drain.count)
		return;
	qsort(t->drain.items, t->drain.count, sizeof(*t->drain.items), compare);
	pthread_mutex_lock(&t->lock);
	queue_append(t, &t->drain);
	pthread_mutex_unlock(&t->lock);
	t->drain.count = 0;
	io_signal(t->fd);
}

int tap_fd(const struct tap *t)
{
	return t->fd;
}

size_t tap_take(struct tap *t, struct tap_sample *samples, size_t max)
{
	size_t count;

	pthread_mutex_lock(&t->lock);
	count = t->queue.count - t->taken;
	if (count > max)
		count = max;
	if (count)
		memcpy(samples, t->queue.items + t->taken, count * sizeof(*samples));
	t->taken += count;
	if (t->taken == t->queue.count)
		io_clear_signal(t->fd);
	pthread_mutex_unlock(&t->lock);
	return count;
}

uint64_t tap_dropped(struct tap *t)
{
	uint64_t dropped;

	pthread_mutex_lock(&t->lock);
	dropped = t->dropped;
	pthread_mutex_unlock(&t->lock);
	return dropped;
}
