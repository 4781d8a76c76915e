/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>

#include "base/alloc.h"
#include "engine/engine.h"
#include "engine/engine-state.h"
#include "engine/parts.h"

/*
 * The function that is looked at: which one that is, and when its code is to be asked for.
 */
bool engine_looks(const struct engine *e)
{
	return e->watch && (e->look.hottest || e->look.frame);
}

bool engine_keeps_addresses(const struct engine *e)
{
	return e->watch && (!e->options.addresses_late || engine_looks(e));
}

/* By address, what hardware counts is summed only while somebody looks. */
static void count_values(struct engine *e)
{
	bool counts = e->increase && engine_looks(e);

	histogram_set_values(watch_addresses(e->watch), counts ? e->options.evlist->count : 0);
}

void engine_look(struct engine *e, const struct engine_look *look)
{
	e->look = *look;
	e->look.held = NULL;
	if (e->watch) {
		count_values(e);
		watch_hold(e->watch, look->held);
	}
	if (e->watch && !look->hottest)
		watch_choose(e->watch, look->frame);
	if (e->watch && !engine_keeps_addresses(e))
		watch_zero(e->watch);
	parts_choose(e);
}

static bool is_looked_for(const struct engine *e, uint32_t frame)
{
	uint8_t flags = frame_flags(e->frames, frame);

	if (flags & (FRAME_UNKNOWN | FRAME_PENDING | FRAME_OTHERS))
		return false;
	return flags & FRAME_KERNEL ? !e->look.hide_kernel : !e->look.hide_user;
}

/* Returns the hottest frame of the first sampled event.  The cells may have frames whose symbols came since. */
static uint32_t hottest_frame(const struct engine *e)
{
	const struct evlist *l = e->options.evlist;
	size_t count = frame_table_count(e->frames), event = 0;
	double *weights = mem_array(count, sizeof(*weights));
	uint32_t best = FRAME_NONE;
	const struct cell *c;

	while (event < l->count &&
	       (l->items[event]->role != EVSEL_SAMPLE || l->items[event]->open_error))
		event++;
	for (size_t i = 0; (c = histogram_next(e->histogram, &i));) {
		uint32_t frame = chains_shown(e->chains, c->key.frame);

		if (c->key.event != event || frame >= count || !is_looked_for(e, frame))
			continue;
		weights[frame] += c->period_weight;
		if (weights[frame] > weights[best])
			best = frame;
	}
	free(weights);
	return best;
}

bool engine_waits_for_code(struct engine *e)
{
	if (!engine_looks(e))
		return false;
	if (e->look.hottest && !watch_is_waiting(e->watch))
		watch_choose(e->watch, hottest_frame(e));
	return watch_ask(e->watch);
}

int engine_code_fd(const struct engine *e)
{
	return e->watch ? watch_fd(e->watch) : -1;
}

bool engine_take_code(struct engine *e)
{
	return e->watch && watch_take(e->watch);
}
