/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * The CPUs that are open.  One that goes away takes its rings along, one that comes online is
 * opened like the others.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "perf/live/live-state.h"
#include "perf/event/sysfile.h"

#define ONLINE_CHECK_NS NS_PER_S

static bool cpu_is_wanted(const struct live *l, uint32_t number)
{
	return !l->options.cpus || number_list_has(l->options.cpus, number);
}

static struct cpu *cpu_find(const struct live *l, uint32_t number)
{
	for (size_t i = 0; i < l->cpu_count; i++) {
		if (l->cpus[i]->number == number)
			return l->cpus[i];
	}
	return NULL;
}

static void lanes_update(struct live *l)
{
	size_t capacity = l->lane_capacity;

	mem_grow((void **)&l->drain.lanes, &capacity, l->cpu_count, sizeof(*l->drain.lanes));
	l->lane_capacity = capacity;
	for (size_t i = 0; i < l->cpu_count; i++)
		l->drain.lanes[i] = &l->cpus[i]->lane;
	l->drain.count = l->cpu_count;
}

static int cpu_add(struct live *l, uint32_t number)
{
	struct cpu *c = mem_alloc(sizeof(*c));
	int err;

	c->number = number;
	c->ring_fds[LANE_SAMPLES] = c->ring_fds[LANE_SIDEBAND] = -1;
	c->data_fd = -1;
	err = l->tier->cpu_open(l, c);
	if (err) {
		l->tier->cpu_close(l, c);
		free(c);
		return err;
	}
	mem_grow((void **)&l->cpus, &l->cpu_capacity, l->cpu_count + 1, sizeof(struct cpu *));
	l->cpus[l->cpu_count++] = c;
	lanes_update(l);
	return 0;
}

static void cpu_remove(struct live *l, size_t at)
{
	struct cpu *c = l->cpus[at];

	l->tier->cpu_close(l, c);
	free(c);
	l->cpu_count--;
	memmove(&l->cpus[at], &l->cpus[at + 1], (l->cpu_count - at) * sizeof(struct cpu *));
	lanes_update(l);
}

void cpus_remove_all(struct live *l)
{
	while (l->cpu_count)
		cpu_remove(l, l->cpu_count - 1);
}

int cpus_add_all(struct live *l)
{
	for (size_t i = 0; i < l->online.count; i++) {
		int err = 0;

		if (cpu_is_wanted(l, l->online.items[i]))
			err = cpu_add(l, l->online.items[i]);
		if (err) {
			cpus_remove_all(l);
			return err;
		}
	}
	return l->cpu_count ? 0 : -ENODEV;
}

static void cpus_follow(struct live *l)
{
	for (size_t i = l->cpu_count; i-- > 0;) {
		if (!number_list_has(&l->online, l->cpus[i]->number))
			cpu_remove(l, i);
	}
	for (size_t i = 0; i < l->online.count; i++) {
		uint32_t number = l->online.items[i];

		if (cpu_is_wanted(l, number) && !cpu_find(l, number) && cpu_add(l, number) == 0)
			cpu_find(l, number)->gap = true;
	}
}

static bool list_same(const struct number_list *a, const struct number_list *b)
{
	return a->count == b->count && !memcmp(a->items, b->items, a->count * sizeof(*a->items));
}

/* At most once a second; a file that cannot be read changes nothing. */
void cpus_check(struct live *l, uint64_t now_ns)
{
	struct number_list online = { 0 };

	if (!l->cpu_lost && now_ns - l->online_checked_ns < ONLINE_CHECK_NS)
		return;
	l->cpu_lost = false;
	l->online_checked_ns = now_ns;
	if (sysfile_cpus(l->online_path, &online) < 0)
		return;
	if (list_same(&online, &l->online)) {
		number_list_fini(&online);
		return;
	}
	number_list_fini(&l->online);
	l->online = online;
	cpus_follow(l);
}
