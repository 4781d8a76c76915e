/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdio.h>

#include "base/i18n.h"
#include "view/list/calls.h"
#include "view/list/columns.h"
#include "view/list/tables.h"
#include "view/widget/number.h"
#include "view/widget/tree.h"

static double total_number(const struct column_row *r)
{
	return r->call->total_percent;
}

static double delta_number(const struct column_row *r)
{
	return r->call->delta_percent;
}

static double self_number(const struct column_row *r)
{
	return r->call->self_percent;
}

static double parent_number(const struct column_row *r)
{
	return r->call->parent_percent;
}

static double depth_number(const struct column_row *r)
{
	return r->call->place.depth;
}

static double period_number(const struct column_row *r)
{
	return r->call->total;
}

#define NS_PER_MS 1e6

static double preempted_number(const struct column_row *r)
{
	return r->call->waits->time ? r->call->beside.part / NS_PER_MS : NAN;
}

static double blocked_number(const struct column_row *r)
{
	return r->call->waits->waits ? r->call->total / NS_PER_MS - preempted_number(r) : NAN;
}

static bool has_delays(const struct column_row *r)
{
	return r->call->waits->time && r->call->waits->delay_event >= 0;
}

static double delay_number(const struct column_row *r)
{
	return has_delays(r) ? r->call->beside.period / NS_PER_MS : NAN;
}

static double average_number(const struct column_row *r)
{
	return number_divide(delay_number(r), r->call->beside.samples);
}

static double longest_number(const struct column_row *r)
{
	return has_delays(r) && r->call->beside.longest > 0 ? r->call->beside.longest / NS_PER_MS
							     : NAN;
}

static const char *object_text(const struct column_row *r)
{
	return frame_object_name(r->snapshot->frames, r->call->frame);
}

static const char *call_text(const struct column_row *r)
{
	return frame_symbol(r->snapshot->frames, r->call->frame);
}

static enum grid_style call_style(const struct column_place *at, const struct column_row *r)
{
	return column_frame_style(at, r->snapshot->frames, r->call->frame);
}

static void object_draw(struct grid *g, const struct column_place *at, const struct column_row *r)
{
	grid_text_cut(g, at->row, at->column, at->width, call_style(at, r), object_text(r));
}

#define NAMELESS (FRAME_UNKNOWN | FRAME_PENDING)	/* only the object says what it is */

static void call_draw(struct grid *g, const struct column_place *at, const struct column_row *r)
{
	int used = r->place ? tree_draw(g, at, r->place) : 0;
	const char *name = call_text(r);
	char with[128];

	if (at->no_object && frame_flags(r->snapshot->frames, r->call->frame) & NAMELESS) {
		snprintf(with, sizeof(with), "%s (%s)", name, object_text(r));
		name = with;
	}
	grid_text_cut(g, at->row, at->column + used, at->width - used, call_style(at, r), name);
}

const struct column call_columns[] = {
	{ .name = "total%", .title = "TOTAL%", .unit = N_("percent of the period"),
	  .help = N_("of the call with all that it calls, in all samples that are shown of the "
		     "event"),
	  .width = 6, .priority = 1, .align = ALIGN_RIGHT, .type = COLUMN_NUMBER, .shown = true,
	  .descending = true, .as_made = true, .resolution = 0.01, .number = total_number,
	  .format = number_percent },
	{ .name = "delta%", .title = "DELTA%", .unit = N_("percent points"),
	  .help = N_("its share, less the one that it has in the base: key =, --base"), .with_base = true,
	  .width = 6, .priority = 1, .align = ALIGN_RIGHT, .type = COLUMN_NUMBER,
	  .descending = true, .by_size = true, .resolution = 0.01, .number = delta_number,
	  .format = number_delta },
	{ .name = "self%", .title = "SELF%", .unit = N_("percent of the period"),
	  .help = N_("of the function itself, without what it calls; bottom-up: of stacks that "
		     "begin here"),
	  .width = 5, .priority = 2, .align = ALIGN_RIGHT, .type = COLUMN_NUMBER, .shown = true,
	  .descending = true, .resolution = 0.01, .hot = 5, .number = self_number,
	  .format = number_percent },
	{ .name = "parent%", .title = "PARENT%", .unit = N_("percent of the period"),
	  .help = N_("of what the row above it in the tree has, or of the function between the "
		     "lists"),
	  .width = 7, .priority = 3, .align = ALIGN_RIGHT, .type = COLUMN_NUMBER, .shown = true,
	  .descending = true, .resolution = 0.1, .number = parent_number,
	  .format = number_percent },
	{ .name = "period", .title = "PERIOD", .unit = N_("events"),
	  .help = N_("events that the samples stand for; nanoseconds for clocks"),
	  .width = 6, .priority = 4, .align = ALIGN_RIGHT, .type = COLUMN_NUMBER,
	  .descending = true, .number = period_number, .format = number_count },
	{ .name = "blocked", .title = "BLOCKED", .unit = N_("milliseconds"),
	  .help = N_("of off-cpu: waited for something, from giving up the CPU until running again"),
	  .width = 7, .priority = 2, .align = ALIGN_RIGHT, .type = COLUMN_NUMBER, .shown = true,
	  .of_time = TIME_OFF_CPU, .descending = true, .number = blocked_number, .format = number_span },
	{ .name = "preempted", .title = "PREEMPTED", .unit = N_("milliseconds"),
	  .help = N_("could have run on, but another task got the CPU, or had not run yet"),
	  .width = 9, .priority = 4, .align = ALIGN_RIGHT, .type = COLUMN_NUMBER, .shown = true,
	  .of_time = TIME_ANY, .descending = true, .number = preempted_number,
	  .format = number_span },
	{ .name = "delay", .title = "DELAY", .unit = N_("milliseconds"),
	  .help = N_("of the time what was waited for a CPU alone: from the wake-up until running, "
		     "or since it was preempted (run-delay)"),
	  .width = 6, .priority = 3, .align = ALIGN_RIGHT, .type = COLUMN_NUMBER, .shown = true,
	  .of_time = TIME_ANY, .descending = true, .number = delay_number, .format = number_span },
	{ .name = "avg-delay", .title = "AVG-DELAY", .unit = N_("milliseconds"),
	  .help = N_("DELAY / how often; a delay that an interval's end cuts is one of each"),
	  .width = 9, .priority = 7, .align = ALIGN_RIGHT, .type = COLUMN_NUMBER, .shown = true,
	  .of_time = TIME_ANY, .descending = true, .number = average_number, .format = number_span },
	{ .name = "max-delay", .title = "MAX-DELAY", .unit = N_("milliseconds"),
	  .help = N_("the longest delay since the row is there; it does not decay"),
	  .width = 9, .priority = 4, .align = ALIGN_RIGHT, .type = COLUMN_NUMBER, .shown = true,
	  .of_time = TIME_ANY, .descending = true, .number = longest_number, .format = number_span },
	{ .name = "depth", .title = "DEPTH", .unit = N_("rows"),
	  .help = N_("rows that it is below: 0 where a tree begins"),
	  .width = 5, .priority = 6, .align = ALIGN_RIGHT, .type = COLUMN_NUMBER,
	  .number = depth_number, .format = number_count },
	{ .name = "object", .title = "OBJECT", .unit = N_("name"),
	  .help = N_("program, library, [kernel] or module"),
	  .width = 12, .grow = 12, .priority = 5, .type = COLUMN_TEXT, .shown = true,
	  .names_object = true, .text = object_text, .draw = object_draw },
	{ .name = "call", .title = "CALL", .unit = N_("name"),
	  .help = N_("function, under its caller"),
	  .width = 0, .comfort = 36, .priority = 0, .type = COLUMN_TEXT, .shown = true,
	  .text = call_text,
	  .draw = call_draw },
	{ .name = NULL }
};
