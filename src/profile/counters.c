/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/counters.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

/*
 * Rows lie one after the other, `events` values each.  A row is valid for the interval whose number
 * it carries.  Any other row reads as zero, and is cleared when it is next added to.  So a new
 * interval costs nothing, however many tasks there are.
 */
struct counters {
	size_t events;
	size_t slots; /* ever given out: rows below it exist */
	size_t slot_capacity, value_capacity;
	uint64_t *intervals; /* of each row; FREE_ROW: not in use */
	struct counter_value *values;
	struct counter_value *zero; /* a row of zeros */
	uint64_t interval;          /* the current one, from 1 */
	uint32_t *free_slots;
	size_t free_count, free_capacity;
};

#define FREE_ROW UINT64_MAX

static uint32_t slot_append(struct counters *c)
{
	size_t slot = c->slots++;

	mem_grow((void **)&c->intervals, &c->slot_capacity, c->slots, sizeof(*c->intervals));
	mem_grow((void **)&c->values, &c->value_capacity, c->slots * c->events, sizeof(*c->values));
	c->intervals[slot] = 0;
	return (uint32_t)slot;
}

struct counters *counters_new(size_t events)
{
	struct counters *c = mem_alloc(sizeof(*c));

	c->events = events;
	c->interval = 1;
	c->zero = mem_array(events, sizeof(*c->zero));
	slot_append(c); /* COUNTERS_UNATTRIBUTED */
	return c;
}

void counters_free(struct counters *c)
{
	if (!c)
		return;
	mem_free(c->intervals, c->values, c->zero, c->free_slots, c);
}

void counters_grow(struct counters *c, size_t events)
{
	struct counter_value *values;

	if (events <= c->events)
		return;
	values = mem_array(c->slots * events, sizeof(*values));
	for (size_t i = 0; i < c->slots; i++)
		memcpy(values + i * events, c->values + i * c->events, c->events * sizeof(*values));
	free(c->values);
	free(c->zero);
	c->values = values;
	c->value_capacity = c->slots * events;
	c->zero = mem_array(events, sizeof(*c->zero));
	c->events = events;
}

size_t counters_events(const struct counters *c)
{
	return c->events;
}

uint32_t counters_slot_new(struct counters *c)
{
	uint32_t slot;

	if (!c->free_count)
		return slot_append(c);
	slot = c->free_slots[--c->free_count];
	c->intervals[slot] = 0;
	return slot;
}

static bool slot_in_use(const struct counters *c, uint32_t slot)
{
	return slot < c->slots && c->intervals[slot] != FREE_ROW;
}

void counters_slot_free(struct counters *c, uint32_t slot)
{
	if (slot == COUNTERS_UNATTRIBUTED || !slot_in_use(c, slot))
		return;
	c->intervals[slot] = FREE_ROW;
	mem_grow((void **)&c->free_slots, &c->free_capacity, c->free_count + 1,
		 sizeof(*c->free_slots));
	c->free_slots[c->free_count++] = slot;
}

size_t counters_slots(const struct counters *c)
{
	return c->slots - c->free_count;
}

bool counters_touched(const struct counters *c, uint32_t slot)
{
	return slot < c->slots && c->intervals[slot] == c->interval;
}

struct counter_value *counters_open_row(struct counters *c, uint32_t slot)
{
	struct counter_value *row;

	if (!slot_in_use(c, slot) || !c->events)
		return NULL;
	row = c->values + slot * c->events;
	if (c->intervals[slot] != c->interval) {
		memset(row, 0, c->events * sizeof(*row));
		c->intervals[slot] = c->interval;
	}
	return row;
}

const struct counter_value *counters_row(const struct counters *c, uint32_t slot)
{
	return counters_touched(c, slot) ? c->values + slot * c->events : c->zero;
}

void counters_next_interval(struct counters *c)
{
	c->interval++;
}

bool counter_scaled(const struct counter_value *v, double *scaled)
{
	if (!v->running_ns)
		return false;
	*scaled = (double)v->value;
	if (v->running_ns < v->enabled_ns)
		*scaled *= (double)v->enabled_ns / (double)v->running_ns;
	return true;
}
