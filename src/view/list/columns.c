/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/list/columns.h"

#include <math.h>

#include "profile/snapshot.h"
#include "view/list/branch.h"
#include "view/list/code-rows.h"
#include "view/list/cpu-rows.h"
#include "view/list/group-rows.h"
#include "view/list/rows.h"

static double value_at(const double *values, int event)
{
	return values && event >= 0 ? values[event] : NAN;
}

void column_symbol_values(const struct symbol_row *s, const int *events, size_t count,
			  double *values)
{
	bool sampled = true;

	for (size_t i = 0; i < count; i++)
		sampled &= !isnan(value_at(s->sampled, events[i]));
	for (size_t i = 0; i < count; i++)
		values[i] = value_at(sampled ? s->sampled : s->credited, events[i]);
}

const double *columns_counters(const struct column_row *r)
{
	if (r->cpu)
		return r->cpu->counters;
	if (r->group)
		return r->group->counters;
	return r->process ? r->process->counters : NULL;
}

double columns_counter(const struct column_row *r, enum event_id id)
{
	if (r->process && !r->cpu && !r->group)
		return snapshot_counter(r->snapshot, r->process, id);
	return value_at(columns_counters(r), r->snapshot->counter_event[id]);
}

double columns_count(const struct column *c, const struct column_row *r)
{
	return columns_counter(r, c->event);
}

double columns_rate(const struct column *c, const struct column_row *r)
{
	return number_divide(columns_counter(r, c->event), r->snapshot->interval_s);
}

double columns_field_rate(const struct column *c, const struct column_row *r)
{
	return number_divide(column_known(c, r), r->snapshot->interval_s);
}

double columns_top_pid(const struct column_row *r)
{
	return r->branch->top ? r->branch->top->pid : NAN;
}

const char *columns_top(const struct column_row *r)
{
	return r->branch->top && *r->branch->top->comm ? r->branch->top->comm : NULL;
}

/* Few machines count both kinds; on Arm, which does, no cycle is of both kinds. */
double columns_stall(const struct column_row *r)
{
	double front = columns_counter(r, EVENT_STALLED_FRONTEND);
	double back = columns_counter(r, EVENT_STALLED_BACKEND);

	if (isnan(front))
		front = back;
	else if (!isnan(back))
		front += back;
	return 100 * number_divide(front, columns_counter(r, EVENT_CYCLES));
}

/* The counts of two events in R, both from one measure. */
static void values_of(const struct column_row *r, const enum event_id ids[2], double values[2])
{
	const int events[] = { r->snapshot->counter_event[ids[0]],
			       r->snapshot->counter_event[ids[1]] };

	if (r->symbol)
		column_symbol_values(r->symbol, events, 2, values);
	for (int i = 0; !r->symbol && i < 2; i++)
		values[i] = value_at(r->code ? r->code->credited : columns_counters(r), events[i]);
}

double columns_ratio(const struct column_row *r, enum event_id above, enum event_id below)
{
	double values[2];

	values_of(r, (const enum event_id[]){ above, below }, values);
	return number_divide(values[0], values[1]);
}

double columns_ipc(const struct column_row *r)
{
	return columns_ratio(r, EVENT_INSTRUCTIONS, EVENT_CYCLES);
}

double columns_miss(const struct column_row *r)
{
	return 100 * columns_ratio(r, EVENT_CACHE_MISSES, EVENT_CACHE_REFERENCES);
}

double columns_branch_miss(const struct column_row *r)
{
	return 100 * columns_ratio(r, EVENT_BRANCH_MISSES, EVENT_BRANCHES);
}

double columns_mpki(const struct column_row *r)
{
	return 1000 * columns_ratio(r, EVENT_CACHE_MISSES, EVENT_INSTRUCTIONS);
}

double columns_delta(const struct column_row *r)
{
	return r->delta_percent;
}

enum grid_style column_frame_style(const struct column_place *at, const struct frame_table *frames,
				   uint32_t frame)
{
	uint8_t flags = frame_flags(frames, frame);

	if (at->style)
		return at->style;
	if (flags & (FRAME_UNKNOWN | FRAME_PENDING | FRAME_OTHERS))
		return STYLE_DIM;
	return flags & FRAME_KERNEL ? STYLE_KERNEL : STYLE_NORMAL;
}

uint32_t column_counted(const struct snapshot *s)
{
	uint32_t bits = 0;

	for (int id = 0; id < EVENT_IDS; id++) {
		int event = s->counter_event[id];

		if (event >= 0 && (size_t)event < s->event_count && s->events[event].enabled &&
		    !s->events[event].error)
			bits |= 1u << id;
	}
	return bits;
}
