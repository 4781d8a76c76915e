/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/list/calls.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "view/widget/text.h"

static bool frame_matches(const struct snapshot *s, uint32_t frame, const char *text)
{
	return text_contains(frame_symbol(s->frames, frame), text) ||
	       text_contains(frame_object_name(s->frames, frame), text);
}

unsigned char *calls_hits(const struct snapshot *s, const char *text)
{
	enum { UNKNOWN, NO, YES };
	size_t frames = s->node_count ? frame_table_count(s->frames) : 0;
	unsigned char *known, *hits;

	if (!s->node_count)
		return NULL;
	known = mem_alloc(frames);
	hits = mem_alloc(s->node_count);
	for (size_t i = 1; i < s->node_count; i++) {
		const struct call_node *n = &s->nodes[i];

		if (n->frame < frames && known[n->frame] == UNKNOWN)
			known[n->frame] = frame_matches(s, n->frame, text) ? YES : NO;
		hits[i] = hits[n->parent] || (n->frame < frames && known[n->frame] == YES);
	}
	free(known);
	return hits;
}

/* Returns true if EVENT is ID and is measured. */
static bool measures(const struct snapshot *s, size_t event, enum event_id id)
{
	const struct snapshot_event *e = &s->events[event];

	return e->id == id && e->enabled && !e->error;
}

static struct calls_waits waits_of(const struct snapshot *s, int event)
{
	struct calls_waits w = { .delay_event = -1, .latency_event = -1 };

	for (size_t i = s->event_count; i-- > 0;) {
		if (measures(s, i, EVENT_RUN_DELAY))
			w.delay_event = (int)i;
		if (measures(s, i, EVENT_LATENCY))
			w.latency_event = (int)i;
	}
	w.time = event >= 0 && s->events[event].time;
	w.delays = w.time && event_has_delays(s->events[event].id);
	w.waits = event >= 0 && measures(s, (size_t)event, EVENT_OFF_CPU);
	return w;
}

/* A frame that says why the thread did not run, though it waited for nothing. */
static bool is_without_reason(const struct snapshot *s, uint32_t frame)
{
	const char *name;

	if (!(frame_flags(s->frames, frame) & FRAME_KERNEL))
		return false;
	name = frame_raw_symbol(s->frames, frame);
	return *name == '[' && (!strcmp(name, "[preempted]") || !strcmp(name, "[starting]"));
}

/* Delays have the same stacks as the waits that they are a part of, latency those of the samples. */
static bool cell_extra(const void *filter, const struct snapshot_cell *c,
		       struct callgraph_extra *sum)
{
	const struct calls_filter *f = filter;
	const struct snapshot *s = f->request.snapshot;
	bool delay = c->event == f->waits.delay_event;
	bool own = f->waits.time && c->event == f->request.filters->event &&
		   is_without_reason(s, c->frame);
	bool latency = c->event == f->waits.latency_event;

	if ((!delay && !own && !latency) || !calls_shows(f, c))
		return false;
	if (delay)
		*sum = (struct callgraph_extra){ .period = c->period,
						 .samples = c->samples,
						 .longest = c->longest };
	if (own)
		sum->part = c->period;
	if (latency)
		sum->latency = c->period;
	return true;
}

static void filter_init(struct calls_filter *f, const struct calls_request *q,
			const struct snapshot *snapshot)
{
	*f = (struct calls_filter){ .request = *q };
	f->request.snapshot = snapshot;
	f->waits = waits_of(snapshot, q->filters->event);
	if (q->text)
		f->hits = calls_hits(snapshot, q->text);
}

/* The whole of latency; nothing where it is not measured. */
static struct share_sum latency_whole(const struct calls_filter *f)
{
	struct rows_request q = *f->request.filters;

	q.event = f->waits.latency_event;
	q.base = NULL;
	return q.event < 0 ? (struct share_sum){ NAN, NAN }
			   : rows_shares(f->request.rows, f->request.snapshot, &q).period;
}

/* Returns true if the stacks of EVENT are those of threads that wait. */
static bool is_of_waits(const struct snapshot *s, int event)
{
	return event >= 0 && (measures(s, (size_t)event, EVENT_OFF_CPU) ||
			      measures(s, (size_t)event, EVENT_RUN_DELAY) ||
			      measures(s, (size_t)event, EVENT_WAKERS));
}

void calls_filters_init(struct calls_filters *f, const struct calls_request *q)
{
	const struct snapshot *base = q->filters->base;
	struct calls_request request = *q;

	*f = (struct calls_filters){ .compared = base != NULL, .rows = *q->filters };
	f->without_kernel = f->rows.hide_kernel && is_of_waits(q->snapshot, f->rows.event);
	f->rows.hide_kernel &= !f->without_kernel;
	f->whole = rows_shares(q->rows, q->snapshot, &f->rows).period;
	request.filters = &f->rows;
	filter_init(&f->now, &request, q->snapshot);
	f->latency = latency_whole(&f->now);
	if (f->compared)
		filter_init(&f->base, &request, base);
}

void calls_filters_fini(struct calls_filters *f)
{
	free(f->now.hits);
	free(f->base.hits);
	f->now.hits = f->base.hits = NULL;
}

bool calls_shows(const void *filter, const struct snapshot_cell *c)
{
	const struct calls_filter *f = filter;
	const struct calls_request *q = &f->request;

	if (!rows_cell_passes(q->rows, q->snapshot, q->filters, c))
		return false;
	if (!q->text)
		return true;
	return f->hits ? c->node < q->snapshot->node_count && f->hits[c->node]
		       : frame_matches(q->snapshot, c->frame, q->text);
}

struct callgraph *calls_graph(const struct calls_filters *f, bool bottom_up, uint32_t frame)
{
	const struct callgraph_options options = {
		.direction = bottom_up ? CALLGRAPH_BOTTOM_UP : CALLGRAPH_TOP_DOWN,
		.event = (uint16_t)f->now.request.filters->event,
		.period = true,
		.frame = frame,
		.shows = calls_shows,
		.context = &f->now,
		.without_kernel = f->without_kernel,
		.extra = f->now.waits.time || f->now.waits.latency_event >= 0 ? cell_extra : NULL,
		.waits = f->now.waits.time,
		.base = f->compared ? f->base.request.snapshot : NULL,
		.base_context = &f->base,
	};

	return callgraph_new(f->now.request.snapshot, &options);
}

void calls_shares(struct call_row *row, const struct share_sum *whole, double above)
{
	row->total_percent = share_percent(whole, row->total);
	row->self_percent = share_percent(whole, row->self);
	row->parent_percent = share_percent(&(struct share_sum){ above, NAN }, row->total);
	row->delta_percent = share_delta(whole, row->total, row->base);
	row->wall_percent = NAN;
}

void calls_fini(struct calls *c)
{
	callgraph_free(c->graph);
	free(c->lines);
	for (size_t i = 0; i < c->pool.block_count; i++)
		free(c->pool.blocks[i]);
	free(c->pool.blocks);
	memset(c, 0, sizeof(*c));
}
