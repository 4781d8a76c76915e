/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/list/columns.h"

#include <math.h>

#include "profile/snapshot.h"
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
