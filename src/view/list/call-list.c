/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/list/call-list.h"

#include <math.h>
#include <stdio.h>

#include "base/i18n.h"
#include "view/list/columns.h"
#include "view/widget/number.h"
#include "view/widget/text.h"
#include "view/widget/tree.h"

static double depth_number(const struct column_row *r)
{
	return r->call->place.depth;
}

#define NS_PER_MS 1e6

static double preempted_number(const struct column_row *r)
{
	return r->call->waits->delays ? r->call->delays.part / NS_PER_MS : NAN;
}

static double blocked_number(const struct column_row *r)
{
	return r->call->waits->waits ? r->call->total / NS_PER_MS - preempted_number(r) : NAN;
}

static bool has_delays(const struct column_row *r)
{
	return r->call->waits->delays && r->call->waits->delay_event >= 0;
}

static double delay_number(const struct column_row *r)
{
	return has_delays(r) ? r->call->delays.period / NS_PER_MS : NAN;
}

static double average_number(const struct column_row *r)
{
	return number_divide(delay_number(r), r->call->delays.samples);
}

static double longest_number(const struct column_row *r)
{
	return has_delays(r) && r->call->delays.longest > 0 ? r->call->delays.longest / NS_PER_MS
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

static const char *named_by_text(const struct column_row *r)
{
	return named_by_word(frame_named_by(r->snapshot->frames, r->call->frame));
}

static enum grid_style call_style(const struct column_place *at, const struct column_row *r)
{
	return column_frame_style(at, r->snapshot->frames, r->call->frame);
}

static void object_draw(struct grid *g, const struct column_place *at, const struct column_row *r)
{
	grid_text_cut(g, at->row, at->column, at->width, call_style(at, r), object_text(r));
}

#define NAMELESS (FRAME_UNKNOWN | FRAME_PENDING) /* only its object is known */

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

/* clang-format off */
static const struct column call_columns[] = {
	{ .name = "total%", .title = "TOTAL%", .unit = N_("percent of the period"),
	  .help = N_("of the call with all that it calls, in all samples that are shown of the "
		     "event"),
	  .width = 6, .priority = 1, .align = ALIGN_RIGHT, .type = COLUMN_NUMBER, .shown = true,
	  .descending = true, .as_made = true, .resolution = 0.01, COLUMN_FIELD(call, total_percent),
	  COLUMN_OF_SHARES },
	{ COLUMN_DELTA, .unit = N_("percent points"),
	  .help = N_("its share, less the one that it has in the base: key =, --base"),
	  .priority = 1 },
	{ .name = "self%", .title = "SELF%", .unit = N_("percent of the period"),
	  .help = N_("of the function itself, without what it calls; bottom-up: of stacks that "
		     "begin here"),
	  .width = 5, .priority = 2, .align = ALIGN_RIGHT, .type = COLUMN_NUMBER, .shown = true,
	  .descending = true, .resolution = 0.01, .hot = 5, COLUMN_FIELD(call, self_percent),
	  COLUMN_OF_SHARES },
	{ .name = "parent%", .title = "PARENT%", .unit = N_("percent of the period"),
	  .help = N_("of what the row above it in the tree has, or of the function between the "
		     "lists"),
	  .width = 7, .priority = 3, .align = ALIGN_RIGHT, .type = COLUMN_NUMBER, .shown = true,
	  .descending = true, .resolution = 0.1, COLUMN_FIELD(call, parent_percent),
	  COLUMN_OF_SHARES },
	{ COLUMN_WALL, COLUMN_FIELD(call, wall_percent), .priority = 3,
	  .help = N_("of the time that anything ran: the call with all that it calls, each moment divided by "
		     "how many threads ran; what bounds the elapsed time") },
	{ .name = "period", .title = "PERIOD", .unit = N_("events"),
	  .help = N_("events that the samples stand for; nanoseconds for clocks"),
	  .width = 6, .priority = 4, .align = ALIGN_RIGHT, .type = COLUMN_NUMBER,
	  .descending = true, COLUMN_FIELD(call, total), .format = number_count },
	{ .name = "blocked", .title = "BLOCKED", .unit = N_("milliseconds"),
	  .help = N_("of off-cpu: waited for something, from giving up the CPU until running again"),
	  .width = 7, .priority = 2, .align = ALIGN_RIGHT, .type = COLUMN_NUMBER, .shown = true,
	  .of_time = TIME_OFF_CPU, .descending = true, .number = blocked_number, .format = number_span },
	{ .name = "preempted", .title = "PREEMPTED", .unit = N_("milliseconds"),
	  .help = N_("could have run on, but another task got the CPU, or had not run yet"),
	  .width = 9, .priority = 6, .align = ALIGN_RIGHT, .type = COLUMN_NUMBER, .shown = true,
	  .of_time = TIME_WITH_DELAYS, .descending = true, .number = preempted_number,
	  .format = number_span },
	{ .name = "delay", .title = "DELAY", .unit = N_("milliseconds"),
	  .help = N_("of the time what was waited for a CPU alone: from the wake-up until running, "
		     "or since it was preempted (run-delay)"),
	  .width = 6, .priority = 3, .align = ALIGN_RIGHT, .type = COLUMN_NUMBER, .shown = true,
	  .of_time = TIME_WITH_DELAYS, .descending = true, .number = delay_number, .format = number_span },
	{ .name = "avg-delay", .title = "AVG-DELAY", .unit = N_("milliseconds"),
	  .help = N_("DELAY / how often; a delay that an interval's end cuts is one of each"),
	  .width = 9, .priority = 7, .align = ALIGN_RIGHT, .type = COLUMN_NUMBER, .shown = true,
	  .of_time = TIME_WITH_DELAYS, .descending = true, .number = average_number, .format = number_span },
	{ .name = "max-delay", .title = "MAX-DELAY", .unit = N_("milliseconds"),
	  .help = N_("the longest of the delays that the row counts; it does not decay"),
	  .width = 9, .priority = 4, .align = ALIGN_RIGHT, .type = COLUMN_NUMBER, .shown = true,
	  .of_time = TIME_WITH_DELAYS, .descending = true, .number = longest_number, .format = number_span },
	{ COLUMN_WAITS, COLUMN_FIELD(call, lengths.count), .priority = 7, .shown = true },
	{ COLUMN_P50(call), .priority = 6, .shown = true },
	{ COLUMN_P90(call), .priority = 8, .shown = true },
	{ COLUMN_P99(call), .priority = 4, .shown = true },
	{ COLUMN_MAX(call), .priority = 7, .shown = true },
	{ .name = "depth", .title = "DEPTH", .unit = N_("rows"),
	  .help = N_("rows that it is below: 0 where a tree begins"),
	  .width = 5, .priority = 6, .align = ALIGN_RIGHT, .type = COLUMN_NUMBER,
	  .number = depth_number, .format = number_count },
	{ COLUMN_NAMED_BY, .text = named_by_text },
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
/* clang-format on */

/* The lists. */

#define OPEN_PERCENT 5         /* percent of all: open at first from this share on */
#define OPEN_PERCENT_BATCH 0.5 /* likewise in batch */

struct call_list {
	struct calls calls;
	struct calls_state opened;
};

static struct call_list *data_of(const struct lists *l, const struct list_kind *k)
{
	return list_data(l, k);
}

struct calls *call_list_calls(const struct lists *l, const struct list_kind *k)
{
	return &data_of(l, k)->calls;
}

struct calls_state *call_list_opened(const struct lists *l, const struct list_kind *k)
{
	return &data_of(l, k)->opened;
}

struct calls_request calls_request_of(struct lists *l)
{
	const struct rows_request *rows = lists_request(l);
	int table = list_table(&list_calltree);

	return (struct calls_request){
		.snapshot = l->scene.snapshot,
		.rows = &l->rows,
		.filters = rows,
		.text = l->scene.filters[table],
		.sort = l->scene.sort[table],
	};
}

/*
 * Around a function only branches that a person opened are open: these lists are about neighbours.
 */
static struct calls_tree tree_of(const struct lists *l, const struct list_kind *k)
{
	return (struct calls_tree){
		.bottom_up = k->bottom_up,
		.frame = k->around || k->from_focus ? l->scene.focus : FRAME_NONE,
		.open_percent = k->around        ? INFINITY
				: l->scene.batch ? OPEN_PERCENT_BATCH
						 : OPEN_PERCENT,
		.state = call_list_opened(l, k),
		.limit = l->scene.request.limit_symbols,
	};
}

/* Without stacks nothing is known around a function. */
static size_t calls_make(struct lists *l, const struct list_kind *k)
{
	const struct calls_request request = calls_request_of(l);
	const struct calls_tree tree = tree_of(l, k);
	struct calls *c = call_list_calls(l, k);

	if (k->around && !(l->scene.snapshot->node_count && l->scene.focus))
		c->count = 0;
	else
		calls_build_tree(c, &request, &tree);
	return c->count;
}

void call_list_fold(struct lists *l, const struct list_kind *k, size_t i)
{
	const struct calls_request request = calls_request_of(l);
	const struct calls_tree tree = tree_of(l, k);

	calls_rows_below(call_list_calls(l, k), &request, &tree, i);
}

size_t call_list_find(struct lists *l, const struct list_kind *k, struct calls_search *search)
{
	const struct calls_request request = calls_request_of(l);
	const struct calls_tree tree = tree_of(l, k);

	return calls_find(call_list_calls(l, k), &request, &tree, search);
}

static size_t calls_count(const struct lists *l, const struct list_kind *k)
{
	return call_list_calls(l, k)->count;
}

static void call_fill(const struct lists *l, const struct list_kind *k, size_t i,
		      struct column_row *row)
{
	row->call = calls_row(call_list_calls(l, k), i);
	row->delta_percent = row->call->delta_percent;
	row->place = &row->call->place;
}

static uint64_t call_key(const struct lists *l, const struct list_kind *k, size_t i)
{
	return call_list_calls(l, k)->lines[i].key;
}

bool call_matches(const struct lists *l, const struct column_row *row, const char *text)
{
	uint32_t frame = row->call->frame;

	return text_contains(frame_symbol(l->scene.snapshot->frames, frame), text) ||
	       text_contains(frame_object_name(l->scene.snapshot->frames, frame), text);
}

static const char *calls_note(const struct lists *l, const struct list_kind *k, const char *note)
{
	if (!l->scene.snapshot->node_count)
		return list_no_stacks(l);
	if (k->from_focus && l->scene.focus)
		return _("who ended the waits in it; w: of all waits");
	if (!k->around)
		return note;
	return k->bottom_up ? _("who calls it") : _("what it calls, and itself");
}

const char *calls_empty(const struct lists *l)
{
	return list_filter(l, &list_calltree) ? _("no stack passes the filter; {filter} changes it")
					      : list_no_samples(l);
}

static const char *around_empty(const struct lists *l)
{
	if (l->scene.request.event < 0)
		return list_no_samples(l);
	if (!l->scene.snapshot->node_count)
		return list_no_stacks(l);
	return list_filter(l, &list_calltree)
		       ? _("no stack passes the filter; {filter} changes it")
		       : _("no samples of it have a stack that goes on there");
}

static void call_list_fini(void *data)
{
	struct call_list *c = data;

	calls_fini(&c->calls);
	calls_state_fini(&c->opened);
}

/* clang-format off */
const struct column_table call_table = {
	.name = "calls", .prefix = "call.", .title = N_("Columns of call trees"),
	.filter = N_("stacks"), .columns = call_columns, .sort = "total%",
};
/* clang-format on */

/* Shared by the lists of calls. */
#define CALL_LIST                                                                             \
	.table = &call_table, .of_event = true, .data_size = sizeof(struct call_list),        \
	.fini = call_list_fini, .build = calls_make, .count = calls_count, .fill = call_fill, \
	.key = call_key, .matches = call_matches, .note = calls_note

const struct list_kind list_calltree = { CALL_LIST, .name = "calls", .empty = calls_empty };
const struct list_kind list_bottomup = { CALL_LIST, .name = "calls", .empty = calls_empty,
					 .bottom_up = true };
const struct list_kind list_callers = { CALL_LIST, .name = "callers", .empty = around_empty,
					.around = true, .bottom_up = true };
const struct list_kind list_callees = { CALL_LIST, .name = "callees", .empty = around_empty,
					.around = true };
const struct list_kind list_wakers = { CALL_LIST, .name = "calls", .empty = calls_empty,
				       .from_focus = true };

bool list_is_calls(const struct list_kind *k)
{
	return k->build == calls_make;
}
