/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/calls.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "view/text.h"

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

static double whole_of(const struct calls_request *q)
{
	const struct snapshot *s = q->snapshot;
	double sum = 0;

	for (size_t i = 0; i < s->cell_count; i++) {
		if (s->cells[i].event == q->filters->event &&
		    rows_zoom_has(q->filters, &s->cells[i]))
			sum += s->cells[i].period;
	}
	return sum;
}

/* The event that is called so, while it is measured; or -1. */
static int time_event(const struct snapshot *s, const char *name)
{
	for (size_t i = 0; i < s->event_count; i++) {
		const struct snapshot_event *e = &s->events[i];

		if (e->time && e->enabled && !e->error && !strcmp(e->name, name))
			return (int)i;
	}
	return -1;
}

static struct calls_waits waits_of(const struct snapshot *s, int event)
{
	struct calls_waits w = { .delay_event = time_event(s, "run-delay") };

	w.time = event >= 0 && s->events[event].time;
	w.waits = w.time && event == time_event(s, "off-cpu");
	return w;
}

/* A frame that stands for why the thread did not run, though it waited for nothing. */
static bool is_without_reason(const struct snapshot *s, uint32_t frame)
{
	const char *name;

	if (!(frame_flags(s->frames, frame) & FRAME_KERNEL))
		return false;
	name = frame_raw_symbol(s->frames, frame);
	return *name == '[' && (!strcmp(name, "[preempted]") || !strcmp(name, "[starting]"));
}

/* Delays have the same stacks as the waits that they are a part of. */
static bool cell_beside(const void *filter, const struct snapshot_cell *c,
			struct callgraph_beside *sum)
{
	const struct calls_filter *f = filter;
	const struct snapshot *s = f->request->snapshot;
	bool delay = c->event == f->waits.delay_event;
	bool own = c->event == f->request->filters->event && is_without_reason(s, c->frame);

	if ((!delay && !own) || !calls_shows(f, c))
		return false;
	if (delay)
		*sum = (struct callgraph_beside){ .period = c->period, .samples = c->samples,
						  .longest = c->longest };
	if (own)
		sum->part = c->period;
	return true;
}

void calls_filter_init(struct calls_filter *f, const struct calls_request *q)
{
	*f = (struct calls_filter){ .request = q, .whole = whole_of(q),
				    .waits = waits_of(q->snapshot, q->filters->event) };
	if (q->text)
		f->hits = calls_hits(q->snapshot, q->text);
}

void calls_filter_fini(struct calls_filter *f)
{
	free(f->hits);
	f->hits = NULL;
}

bool calls_shows(const void *filter, const struct snapshot_cell *c)
{
	const struct calls_filter *f = filter;
	const struct calls_request *q = f->request;

	if (!rows_cell_passes(q->rows, q->snapshot, q->filters, c))
		return false;
	if (!q->text)
		return true;
	return f->hits ? c->node < q->snapshot->node_count && f->hits[c->node]
		       : frame_matches(q->snapshot, c->frame, q->text);
}

struct callgraph *calls_graph(const struct calls_filter *f, bool bottom_up, uint32_t frame)
{
	const struct callgraph_options options = {
		.direction = bottom_up ? CALLGRAPH_BOTTOM_UP : CALLGRAPH_TOP_DOWN,
		.event = (uint16_t)f->request->filters->event,
		.period = true, .frame = frame, .shows = calls_shows, .context = f,
		.beside = f->waits.time ? cell_beside : NULL,
	};

	return callgraph_new(f->request->snapshot, &options);
}

struct callgraph *calls_base_graph(const struct calls_request *q, bool bottom_up, uint32_t frame,
				   double *whole)
{
	struct calls_request request = *q;
	struct calls_filter filter;
	struct callgraph *graph;

	if (!q->filters->base)
		return NULL;
	request.snapshot = q->filters->base;
	calls_filter_init(&filter, &request);
	*whole = filter.whole;
	graph = calls_graph(&filter, bottom_up, frame);
	calls_filter_fini(&filter);
	return graph;
}

void calls_compare(struct callgraph *base, double whole, uint32_t parent, struct call_row *row)
{
	double part = isnan(row->total_percent) ? 0 : row->total_percent;
	uint32_t item = base && parent != UINT32_MAX ? callgraph_child(base, parent, row->frame) : 0;

	row->base_item = item ? item : UINT32_MAX;
	row->delta_percent = base ? part : NAN;
	if (item && whole > 0)
		row->delta_percent -= 100 * callgraph_at(base, item)->total / whole;
}

void calls_fini(struct calls *c)
{
	callgraph_free(c->graph);
	callgraph_free(c->base);
	free(c->rows);
	memset(c, 0, sizeof(*c));
}
