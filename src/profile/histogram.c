/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/histogram.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/index.h"
#include "profile/calltree.h"
#include "profile/frame.h"
#include "profile/history.h"

/*
 * Cells lie densely in `cells`, of which `index` has the numbers + 1.  Cells are only removed all at once
 * (settle, merge, zero), after which the index is filled anew.
 */
struct histogram {
	struct cell *cells;
	size_t count, capacity, limit;
	double *values; /* `value_count` for each cell, in their order */
	size_t value_count, value_capacity;
	struct index index;
	enum histogram_mode mode;
	double half_life_ns;
	uint64_t now_ns;         /* the newest time seen */
	double span_ns;          /* what a sample in each nanosecond would weigh together */
	uint64_t span_until_ns;  /* up to when SPAN_NS goes; 0: nothing yet */
	struct calltree *tree;   /* of the cells' nodes, or NULL */
	struct history *history; /* borrowed, or NULL */
	uint64_t merged, without_callers;
};

#define WEIGHT_MIN 0.05  /* samples: what decayed below is dropped */
#define TAKEN_CELLS 8192 /* as many are given back at once */

struct histogram *histogram_new(size_t cell_limit)
{
	struct histogram *h = mem_alloc(sizeof(*h));

	h->limit = cell_limit ? cell_limit : HISTOGRAM_CELLS;
	if (h->limit < HISTOGRAM_CELLS_MIN)
		h->limit = HISTOGRAM_CELLS_MIN;
	if (h->limit > UINT32_MAX / 4)
		h->limit = UINT32_MAX / 4;
	index_reset(&h->index, 0);
	h->half_life_ns = HISTOGRAM_HALF_LIFE_S * NS_PER_S;
	return h;
}

void histogram_free(struct histogram *h)
{
	if (!h)
		return;
	free(h->cells);
	free(h->values);
	index_fini(&h->index);
	free(h);
}

/* Where the index has KEY's cell, or where it belongs. */
static inline struct index_place place_of(const struct histogram *h, const struct cell_key *key)
{
	struct index_place at = index_first(&h->index, cell_key_hash(key));

	while (at.number && !cell_key_equal(&h->cells[at.number - 1].key, key))
		index_next(&h->index, &at);
	return at;
}

/* KEY's cell, or NULL. */
static inline struct cell *cell_find(const struct histogram *h, const struct cell_key *key)
{
	struct index_place at = place_of(h, key);

	return at.number ? &h->cells[at.number - 1] : NULL;
}

static void index_fill(struct histogram *h)
{
	for (size_t i = 0; i < h->count; i++)
		index_enter_new(&h->index, cell_key_hash(&h->cells[i].key), (uint32_t)i + 1);
}

/* The factor by which a weight decays between the two times. */
static double decay_factor(const struct histogram *h, uint64_t from_ns, uint64_t to_ns)
{
	if (h->mode != HISTOGRAM_DECAY || to_ns <= from_ns)
		return 1;
	return exp2(-(double)(to_ns - from_ns) / h->half_life_ns);
}

/* The time up to NOW_NS; it begins at the first one that is told. */
static void span_catch_up(struct histogram *h, uint64_t now_ns)
{
	double factor = decay_factor(h, h->span_until_ns, now_ns);
	double passed_ns = (double)(now_ns - h->span_until_ns);

	if (h->span_until_ns && now_ns <= h->span_until_ns)
		return;
	if (!h->span_until_ns)
		h->span_ns = 0;
	else if (h->mode == HISTOGRAM_DECAY) /* the integral of the decay */
		h->span_ns = h->span_ns * factor + (1 - factor) * h->half_life_ns / M_LN2;
	else
		h->span_ns += passed_ns;
	h->span_until_ns = now_ns;
}

static double *values_of(const struct histogram *h, const struct cell *c)
{
	return h->values ? h->values + (size_t)(c - h->cells) * h->value_count : NULL;
}

static void values_add(double *to, double value)
{
	if (!isnan(value))
		*to = (isnan(*to) ? 0 : *to) + value;
}

static inline void cell_catch_up(const struct histogram *h, struct cell *c, uint64_t now_ns)
{
	double factor;

	if (now_ns <= c->touched_ns)
		return;
	factor = decay_factor(h, c->touched_ns, now_ns);
	c->weight *= factor;
	c->period_weight *= factor;
	for (size_t i = 0; i < h->value_count; i++)
		values_of(h, c)[i] *= factor;
	c->touched_ns = now_ns;
}

static void catch_up_all(struct histogram *h, uint64_t now_ns)
{
	if (now_ns > h->now_ns)
		h->now_ns = now_ns;
	span_catch_up(h, h->now_ns);
	for (size_t i = 0; i < h->count; i++)
		cell_catch_up(h, &h->cells[i], h->now_ns);
}

/* Makes C, whose values are VALUES, cell AT.  They lie there or behind. */
static void cell_put(struct histogram *h, size_t at, const struct cell *c, const double *values)
{
	h->cells[at] = *c;
	if (values)
		memmove(values_of(h, &h->cells[at]), values, h->value_count * sizeof(*values));
}

/* Keeps the cells of which KEEP is true, in their order. */
static void keep_if(struct histogram *h,
		    bool (*keep)(const struct histogram *h, const struct cell *c))
{
	size_t kept = 0;

	for (size_t i = 0; i < h->count; i++) {
		if (keep(h, &h->cells[i]))
			cell_put(h, kept++, &h->cells[i], values_of(h, &h->cells[i]));
	}
	if (kept == h->count)
		return;
	h->count = kept;
	index_clear(&h->index);
	index_fill(h);
}

static bool weighs_something(const struct histogram *h, const struct cell *c)
{
	return c->samples && (h->mode != HISTOGRAM_DECAY || c->weight >= WEIGHT_MIN);
}

void histogram_settle(struct histogram *h, uint64_t now_ns)
{
	catch_up_all(h, now_ns);
	keep_if(h, weighs_something);
}

/* Room for the values of the cell behind the last, which has none yet. */
static void values_append(struct histogram *h)
{
	mem_grow((void **)&h->values, &h->value_capacity, (h->count + 1) * h->value_count,
		 sizeof(*h->values));
	for (size_t i = 0; i < h->value_count; i++)
		h->values[h->count * h->value_count + i] = NAN;
}

static struct cell *cell_append(struct histogram *h, const struct cell_key *key)
{
	struct cell *c;

	if (index_full(&h->index, h->count)) {
		index_reset(&h->index, h->count + 1);
		index_fill(h);
	}
	mem_grow((void **)&h->cells, &h->capacity, h->count + 1, sizeof(*h->cells));
	if (h->value_count)
		values_append(h);
	c = &h->cells[h->count++];
	memset(c, 0, sizeof(*c));
	c->key = *key;
	c->touched_ns = h->now_ns;
	index_enter_new(&h->index, cell_key_hash(key), (uint32_t)h->count);
	return c;
}

/* Both are caught up to the same time; VALUES are C's. */
static void cell_merge(struct histogram *h, struct cell *into, const struct cell *c,
		       const double *values)
{
	for (size_t i = 0; i < h->value_count; i++)
		values_add(&values_of(h, into)[i], values[i]);
	into->samples += c->samples;
	into->period += c->period;
	into->weight += c->weight;
	into->period_weight += c->period_weight;
	if (c->longest > into->longest)
		into->longest = c->longest;
}

/*
 * Enters all cells anew.  Up to QUOTA cells for which CHOOSE is true get the key that REST returns.
 * Cells that then have the same key become one.
 */
struct merge {
	double limit;
	size_t quota;
	bool (*choose)(const struct merge *m, const struct cell *c);
	cell_renamer *rest;
	void *context;     /* of REST */
	uint64_t *counter; /* of cells that were chosen and not FRAME_REST; or NULL */
};

/* Enters C, which was cell I, behind those that were entered: in place, for there are no more of them than I. */
static void enter_cell(struct histogram *h, const struct cell *c, size_t i)
{
	const double *values = values_of(h, &h->cells[i]);
	struct index_place at = place_of(h, &c->key);

	if (at.number) {
		cell_merge(h, &h->cells[at.number - 1], c, values);
		return;
	}
	cell_put(h, h->count, c, values);
	index_enter(&h->index, &at, (uint32_t)++h->count);
}

static void merge_cells(struct histogram *h, struct merge *m)
{
	size_t count = h->count;

	h->count = 0;
	index_clear(&h->index);
	for (size_t i = 0; i < count; i++) {
		struct cell c = h->cells[i];

		if (m->quota && m->choose(m, &c)) {
			if (m->counter)
				*m->counter += c.key.frame != FRAME_REST;
			c.key = m->rest(m->context, &c.key);
			m->quota--;
		}
		enter_cell(h, &c, i);
	}
}

static bool is_light(const struct merge *m, const struct cell *c)
{
	return c->key.frame != FRAME_REST && c->weight <= m->limit;
}

static struct cell_key rest_of_process(void *context, const struct cell_key *key)
{
	(void)context;
	return (struct cell_key){ .process = key->process,
				  .frame = FRAME_REST,
				  .node = key->node ? CALL_OTHERS : CALL_ROOT,
				  .event = key->event,
				  .wait = key->wait };
}

static bool is_rest(const struct merge *m, const struct cell *c)
{
	(void)m;
	return c->key.frame == FRAME_REST;
}

static struct cell_key rest_of_all(void *context, const struct cell_key *key)
{
	(void)context;
	return (struct cell_key){
		.frame = FRAME_REST, .node = key->node, .event = key->event, .wait = key->wait
	};
}

static bool is_light_with_callers(const struct merge *m, const struct cell *c)
{
	return c->weight <= m->limit && cell_key_has_callers(&c->key, m->context);
}

static struct cell_key rest_of_callers(void *context, const struct cell_key *key)
{
	struct cell_key rest = *key;

	rest.node = calltree_add(context, CALL_OTHERS, key->frame);
	return rest;
}

/*
 * Number N, from 0, of COUNT weights in ascending order.  None is negative, so they are in the order of their bits, which
 * are looked at from the highest byte to the lowest one.
 */
static double nth_weight(const double *weights, size_t count, size_t n)
{
	uint64_t known = 0, mask = 0, bits;
	double weight;

	for (int shift = 56; shift >= 0; shift -= 8) {
		size_t counts[256] = { 0 };
		uint64_t byte = 0;

		for (size_t i = 0; i < count; i++) {
			memcpy(&bits, &weights[i], sizeof(bits));
			if ((bits & mask) == known)
				counts[bits >> shift & 0xff]++;
		}
		while (n >= counts[byte])
			n -= counts[byte++];
		known |= byte << shift;
		mask |= UINT64_C(0xff) << shift;
	}
	memcpy(&weight, &known, sizeof(weight));
	return weight;
}

/* The weight of the heaviest of M's lightest 1 / PARTS; under 0 when there are none. */
static double light_weight(const struct histogram *h, const struct merge *m, size_t parts)
{
	double *weights = mem_array(h->count, sizeof(*weights));
	struct merge all = *m;
	size_t count = 0;
	double limit = -1;

	all.limit = INFINITY;
	for (size_t i = 0; i < h->count; i++) {
		if (m->choose(&all, &h->cells[i]))
			weights[count++] = h->cells[i].weight;
	}
	if (count)
		limit = nth_weight(weights, count, count / parts);
	free(weights);
	return limit;
}

void histogram_give_up_callers(struct histogram *h)
{
	struct merge light = { .choose = is_light_with_callers,
			       .rest = rest_of_callers,
			       .context = h->tree,
			       .quota = h->count / 2 + 1,
			       .counter = &h->without_callers };

	if (!h->tree)
		return;
	catch_up_all(h, h->now_ns);
	light.limit = light_weight(h, &light, 2);
	merge_cells(h, &light);
	if (h->history)
		history_give_up_callers(h->history, h->tree);
}

static void make_room(struct histogram *h)
{
	struct merge light = { .choose = is_light, .rest = rest_of_process, .counter = &h->merged };
	struct merge rests = { .choose = is_rest, .rest = rest_of_all, .quota = SIZE_MAX };

	histogram_settle(h, h->now_ns);
	if (h->count < h->limit)
		return;
	histogram_give_up_callers(h);
	if (h->count < h->limit - h->limit / 8)
		return;
	light.limit = light_weight(h, &light, 4);
	light.quota = h->count / 4 + 1;
	merge_cells(h, &light);
	if (h->count >= h->limit - h->limit / 16)
		merge_cells(h, &rests);
}

static bool is_any(const struct merge *m, const struct cell *c)
{
	(void)m;
	(void)c;
	return true;
}

void histogram_rename(struct histogram *h, cell_renamer *rename, void *context)
{
	struct merge all = {
		.choose = is_any, .rest = rename, .context = context, .quota = SIZE_MAX
	};

	catch_up_all(h, h->now_ns);
	merge_cells(h, &all);
	if (h->history)
		history_rename(h->history, rename, context);
}

/* Not inlined, because few samples make a cell. */
static __attribute__((noinline)) struct cell *cell_make(struct histogram *h,
							const struct cell_key *key)
{
	struct cell *c;

	if (h->count < h->limit)
		return cell_append(h, key);
	make_room(h);
	c = cell_find(h, key);
	return c ? c : cell_append(h, key);
}

/* KEY's cell, made when new.  May move every cell. */
static inline struct cell *cell_get(struct histogram *h, const struct cell_key *key)
{
	struct cell *c = cell_find(h, key);

	return c ? c : cell_make(h, key);
}

static struct cell *cell_add(struct histogram *h, const struct cell_key *key, uint32_t count,
			     uint64_t period, uint64_t now_ns)
{
	struct cell *c;
	double weight;

	if (now_ns > h->now_ns)
		h->now_ns = now_ns;
	c = cell_get(h, key);
	cell_catch_up(h, c, now_ns);
	weight = decay_factor(h, now_ns, c->touched_ns);
	c->samples += count;
	c->period += period;
	c->weight += weight * count;
	c->period_weight += weight * (double)period;
	return c;
}

static inline struct cell *add_samples(struct histogram *h, const struct cell_key *key,
				       uint32_t count, uint64_t period, uint64_t now_ns)
{
	struct cell *c = cell_add(h, key, count, period, now_ns);

	if (h->history)
		history_add(h->history, key, &c->known, count, period, now_ns);
	return c;
}

static inline struct cell *add_sample(struct histogram *h, const struct cell_key *key,
				      uint64_t period, uint64_t now_ns)
{
	struct cell *c = add_samples(h, key, 1, period, now_ns);

	if (period > c->longest)
		c->longest = period;
	return c;
}

void histogram_add(struct histogram *h, const struct cell_key *key, uint64_t period,
		   uint64_t now_ns)
{
	add_sample(h, key, period, now_ns);
}

void histogram_add_many(struct histogram *h, const struct cell_key *key, uint32_t count,
			uint64_t period, uint64_t now_ns)
{
	add_samples(h, key, count, period, now_ns);
}

void histogram_add_values(struct histogram *h, const struct cell_key *key, uint32_t count,
			  uint64_t period, const double *values, uint64_t now_ns)
{
	struct cell *c = count == 1 ? add_sample(h, key, period, now_ns)
				    : add_samples(h, key, count, period, now_ns);
	double weight = values ? count * decay_factor(h, now_ns, c->touched_ns) : 0;

	for (size_t i = 0; values && i < h->value_count; i++)
		values_add(&values_of(h, c)[i], weight * values[i]);
}

void histogram_add_sum(struct histogram *h, const struct cell_key *key, uint64_t samples,
		       uint64_t period)
{
	struct cell *c = cell_get(h, key);

	cell_catch_up(h, c, h->now_ns);
	c->samples += samples;
	c->period += period;
	c->weight += (double)samples;
	c->period_weight += (double)period;
}

void histogram_longest(struct histogram *h, const struct cell_key *key, uint64_t period)
{
	struct cell *c = cell_find(h, key);

	if (c && period > c->longest)
		c->longest = period;
}

/* PART of *TOTAL in the proportion SHARE, taken out of *TOTAL. */
static double take_weight(double *total, double share)
{
	double part = *total * share;

	*total -= part;
	return part;
}

/* Takes SAMPLES and PERIOD, at most what it has, out of C. */
static struct cell cell_take(struct cell *c, uint64_t samples, uint64_t period)
{
	struct cell part = { .touched_ns = c->touched_ns, .longest = c->longest };
	double share, period_share;

	part.samples = samples < c->samples ? samples : c->samples;
	part.period = period < c->period ? period : c->period;
	if (part.samples == c->samples)
		part.period = c->period; /* nothing may stay without a sample */
	share = (double)part.samples / (double)c->samples;
	period_share = c->period ? (double)part.period / (double)c->period : share;
	c->samples -= part.samples;
	c->period -= part.period;
	part.weight = take_weight(&c->weight, share);
	part.period_weight = take_weight(&c->period_weight, period_share);
	return part;
}

/* Takes SHARE of C's values out, into PART. */
static void values_take(struct histogram *h, struct cell *c, double share, double *part)
{
	double *values = values_of(h, c);

	for (size_t i = 0; i < h->value_count; i++)
		part[i] = take_weight(&values[i], share);
}

void histogram_move(struct histogram *h, const struct cell_key *from, const struct cell_key *to,
		    uint64_t samples, uint64_t period)
{
	struct cell *source = cell_find(h, from), *target;
	struct cell part;
	double *values, whole;

	if (h->history)
		history_move(h->history, from, to, samples, period);
	if (!source || !source->samples || !samples || cell_key_equal(from, to))
		return;
	cell_catch_up(h, source, h->now_ns);
	values = mem_array(h->value_count, sizeof(*values));
	whole = (double)source->samples;
	part = cell_take(source, samples, period);
	values_take(h, source, (double)part.samples / whole, values);
	target = cell_get(h, to); /* SOURCE is dead from here */
	cell_catch_up(h, target, h->now_ns);
	cell_merge(h, target, &part, values);
	free(values);
}

void histogram_zero(struct histogram *h)
{
	h->count = 0;
	index_clear(&h->index);
	h->span_ns = 0;
	h->span_until_ns = h->now_ns;
}

void histogram_next_interval(struct histogram *h)
{
	if (h->mode == HISTOGRAM_ZERO)
		histogram_zero(h);
}

void histogram_set_mode(struct histogram *h, enum histogram_mode mode, double half_life_s)
{
	catch_up_all(h, h->now_ns); /* the time until now counts by the old rule */
	h->mode = mode;
	if (isfinite(half_life_s) && half_life_s > 0)
		h->half_life_ns = half_life_s * NS_PER_S;
}

double histogram_halvings(const struct histogram *h)
{
	const uint64_t apart_ns = (uint64_t)(HISTOGRAM_HALVINGS * h->half_life_ns);

	if (h->mode != HISTOGRAM_DECAY || !apart_ns)
		return 0;
	return (double)(apart_ns - h->now_ns % apart_ns) / h->half_life_ns;
}

double histogram_span_s(const struct histogram *h)
{
	return h->span_ns / NS_PER_S;
}

enum histogram_mode histogram_mode(const struct histogram *h)
{
	return h->mode;
}

void histogram_set_values(struct histogram *h, size_t count)
{
	if (count == h->value_count)
		return;
	free(h->values);
	h->values = NULL;
	h->value_count = count;
	h->value_capacity = 0;
	if (!count)
		return;
	mem_grow((void **)&h->values, &h->value_capacity, (h->count + 1) * count,
		 sizeof(*h->values));
	for (size_t i = 0; i < h->count * count; i++)
		h->values[i] = NAN;
}

void histogram_grow_values(struct histogram *h, size_t count)
{
	size_t had = h->value_count;
	double *old = h->values;

	if (count <= had)
		return;
	h->values = NULL;
	histogram_set_values(h, count);
	for (size_t i = 0; i < h->count && had; i++)
		memcpy(h->values + i * count, old + i * had, had * sizeof(*old));
	free(old);
}

const double *histogram_values(const struct histogram *h, const struct cell *c)
{
	return h->value_count ? values_of(h, c) : NULL;
}

size_t histogram_count(const struct histogram *h)
{
	return h->count;
}

uint64_t histogram_merged(const struct histogram *h)
{
	return h->merged;
}

void histogram_set_tree(struct histogram *h, struct calltree *t)
{
	h->tree = t;
}

void histogram_set_history(struct histogram *h, struct history *past)
{
	h->history = past;
}

void histogram_mark_nodes(const struct histogram *h, unsigned char *keep)
{
	for (size_t i = 0; i < h->count; i++)
		keep[h->cells[i].key.node] = 1;
	if (h->history)
		history_mark(h->history, keep);
}

uint64_t histogram_without_callers(const struct histogram *h)
{
	return h->without_callers;
}

const struct cell *histogram_next(const struct histogram *h, size_t *cursor)
{
	return *cursor < h->count ? &h->cells[(*cursor)++] : NULL;
}

bool histogram_take(struct histogram *h, struct cell *c)
{
	struct cell *fewer;

	if (!h->count)
		return false;
	index_reset(&h->index, 0);
	*c = h->cells[--h->count];
	if (h->capacity - h->count < TAKEN_CELLS || !h->count)
		return true;
	fewer = realloc(h->cells, h->count * sizeof(*fewer));
	if (fewer) {
		h->cells = fewer;
		h->capacity = h->count;
	}
	return true;
}

const struct cell *histogram_find(const struct histogram *h, const struct cell_key *key)
{
	return cell_find(h, key);
}

size_t histogram_cells_of(uint64_t bytes, size_t values)
{
	const uint64_t each = sizeof(struct cell) + 2 * sizeof(uint32_t) + values * sizeof(double);
	size_t cells = HISTOGRAM_CELLS;

	while (cells > HISTOGRAM_CELLS_MIN && cells * each > bytes)
		cells /= 2; /* arrays double */
	return cells;
}

size_t histogram_bytes(const struct histogram *h)
{
	return sizeof(*h) + h->capacity * sizeof(*h->cells) + index_bytes(&h->index) +
	       h->value_capacity * sizeof(*h->values);
}
