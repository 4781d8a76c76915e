/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_VIEW_LIST_COLUMNS_H
#define PTOP_VIEW_LIST_COLUMNS_H

#include <stddef.h>
#include <stdint.h>

#include "base/event-id.h"
#include "base/i18n.h"
#include "profile/frame.h"
#include "view/widget/column.h"
#include "view/widget/number.h"

/*
 * Columns that several lists share, each defined once.  A list adds what differs: help, priority,
 * the default, how a cell is drawn.
 *
 *	{ COLUMN_IPC, .help = N_("instructions / cycles, over the refresh interval"), .priority = 3 },
 */
#define COLUMN_BIT(id) (1u << EVENT_##id)
#define COLUMN_OF_NUMBERS .align = ALIGN_RIGHT, .type = COLUMN_NUMBER
#define COLUMN_OF_SHARES \
	.format = number_percent, .share = true /* percent of a whole, from 0 to 100 */

#define COLUMN_IPC                                                                             \
	.name = "ipc", .title = "IPC", .unit = N_("instructions per cycle"),                   \
	.needs = COLUMN_BIT(INSTRUCTIONS) | COLUMN_BIT(CYCLES), .width = 4, COLUMN_OF_NUMBERS, \
	.descending = true, .resolution = 0.01, .number = columns_ipc, .format = number_ratio
#define COLUMN_MISS                                                                       \
	.name = "miss%", .title = "MISS%", .unit = N_("percent of references"),           \
	.needs = COLUMN_BIT(CACHE_MISSES) | COLUMN_BIT(CACHE_REFERENCES), .width = 5,     \
	COLUMN_OF_NUMBERS, .descending = true, .resolution = 0.1, .number = columns_miss, \
	COLUMN_OF_SHARES
#define COLUMN_BRANCH_MISS                                                                        \
	.name = "br-miss%", .title = "BR-MISS%", .unit = N_("percent of branches"),               \
	.needs = COLUMN_BIT(BRANCH_MISSES) | COLUMN_BIT(BRANCHES), .width = 8, COLUMN_OF_NUMBERS, \
	.descending = true, .resolution = 0.1, .number = columns_branch_miss, COLUMN_OF_SHARES
#define COLUMN_MPKI                                                                       \
	.name = "mpki", .title = "MPKI", .unit = N_("per 1000 instructions"),             \
	.needs = COLUMN_BIT(CACHE_MISSES) | COLUMN_BIT(INSTRUCTIONS), .width = 5,         \
	COLUMN_OF_NUMBERS, .descending = true, .resolution = 0.1, .number = columns_mpki, \
	.format = number_percent
#define COLUMN_EVENT(ID, WHAT)                                                         \
	.needs = COLUMN_BIT(ID), .priority = 4, COLUMN_OF_NUMBERS, .descending = true, \
	.evaluate = columns_##WHAT, .event = EVENT_##ID, .format = number_count
#define COLUMN_CYCLES                                             \
	.name = "cycles", .title = "CYCLES", .unit = N_("count"), \
	.help = N_("CPU cycles in the refresh interval"), .width = 6, COLUMN_EVENT(CYCLES, count)
#define COLUMN_INSTRUCTIONS                                             \
	.name = "insn", .title = "INSN", .unit = N_("count"),           \
	.help = N_("instructions in the refresh interval"), .width = 6, \
	COLUMN_EVENT(INSTRUCTIONS, count)
#define COLUMN_REFERENCES                                                   \
	.name = "refs", .title = "REFS", .unit = N_("count"),               \
	.help = N_("cache-references in the refresh interval"), .width = 6, \
	COLUMN_EVENT(CACHE_REFERENCES, count)
#define COLUMN_MISSES                                                   \
	.name = "misses", .title = "MISSES", .unit = N_("count"),       \
	.help = N_("cache-misses in the refresh interval"), .width = 6, \
	COLUMN_EVENT(CACHE_MISSES, count)
/* The rows of a list whose items have counts of their own. */
#define COLUMNS_OF_COUNTS                                                                         \
	{ COLUMN_CYCLES }, { COLUMN_INSTRUCTIONS }, { COLUMN_REFERENCES }, { COLUMN_MISSES },     \
		{ COLUMN_BRANCH_MISS,                                                             \
		  .help = N_("100 * branch-misses / branches, over the refresh interval"),        \
		  .priority = 4 },                                                                \
	{                                                                                         \
		COLUMN_MPKI,                                                                      \
			.help = N_(                                                               \
				"1000 * cache-misses / instructions, over the refresh interval"), \
			.priority = 4                                                             \
	}
#define COLUMN_STALL                                                                            \
	.name = "stall%", .title = "STALL%", .unit = N_("percent of cycles"),                   \
	.help = N_("100 * (stalled-cycles-frontend + stalled-cycles-backend) / cycles; of the " \
		   "two those that are counted"),                                               \
	.needs = COLUMN_BIT(CYCLES),                                                            \
	.wants = COLUMN_BIT(STALLED_FRONTEND) | COLUMN_BIT(STALLED_BACKEND), .width = 6,        \
	.priority = 4, COLUMN_OF_NUMBERS, .descending = true, .resolution = 0.1,                \
	.number = columns_stall, COLUMN_OF_SHARES
#define COLUMN_FAULT_RATE                                                        \
	.name = "faults/s", .title = "FAULTS/S", .unit = N_("per second"),       \
	.help = N_("page-faults / time, over the refresh interval"), .width = 8, \
	COLUMN_EVENT(PAGE_FAULTS, rate)
#define COLUMN_SWITCH_RATE                                                            \
	.name = "csw/s", .title = "CSW/S", .unit = N_("per second"),                  \
	.help = N_("context-switches / time, over the refresh interval"), .width = 5, \
	COLUMN_EVENT(CONTEXT_SWITCHES, rate)
#define COLUMN_MIGRATION_RATE                                                       \
	.name = "migr/s", .title = "MIGR/S", .unit = N_("per second"),              \
	.help = N_("cpu-migrations / time, over the refresh interval"), .width = 6, \
	COLUMN_EVENT(CPU_MIGRATIONS, rate)
#define COLUMN_BYTES_RATE(ID)                                                          \
	.needs = COLUMN_BIT(ID), .priority = 4, COLUMN_OF_NUMBERS, .descending = true, \
	.evaluate = columns_rate, .event = EVENT_##ID, .format = number_bytes
#define COLUMN_SENT                                                                     \
	.name = "tx/s", .title = "TX/S", .unit = N_("bytes per second"),                \
	.help = N_("bytes sent by internet sockets / time, over the refresh interval"), \
	.width = 5, COLUMN_BYTES_RATE(NET_SENT)
#define COLUMN_RECEIVED                                                                     \
	.name = "rx/s", .title = "RX/S", .unit = N_("bytes per second"),                    \
	.help = N_("bytes received by internet sockets / time, over the refresh interval"), \
	.width = 5, COLUMN_BYTES_RATE(NET_RECEIVED)
/* The rows of such a list: how well the CPUs are used, and how often what happens. */
#define COLUMNS_OF_USE                                                                        \
	{ COLUMN_IPC, .help = N_("instructions / cycles, over the refresh interval"),         \
	  .priority = 3, .shown = true },                                                     \
	{                                                                                     \
		COLUMN_MISS,                                                                  \
			.help = N_("100 * cache-misses / cache-references, over the refresh " \
				   "interval"),                                               \
			.priority = 6, .shown = true                                          \
	}
#define COLUMNS_OF_RATES                                                 \
	{ COLUMN_STALL }, { COLUMN_FAULT_RATE }, { COLUMN_SWITCH_RATE }, \
		{ COLUMN_MIGRATION_RATE }, { COLUMN_SENT },              \
	{                                                                \
		COLUMN_RECEIVED                                          \
	}
/*
 * The process with the most samples below a row that is a branch.  A list adds `help` to the share.
 */
#define COLUMN_TOP_PID                                                                       \
	.name = "top-pid", .title = "TOP-PID", .unit = N_("number"),                         \
	.help = N_("the process with most of these samples"), .width = 7, COLUMN_OF_NUMBERS, \
	.shown = true, .number = columns_top_pid, .format = number_id
#define COLUMN_TOP_SHARE                                                               \
	.name = "top%", .title = "TOP%", .unit = N_("percent of samples"), .width = 5, \
	COLUMN_OF_NUMBERS, .shown = true, .descending = true, .resolution = 0.1,       \
	COLUMN_FIELD(branch, top_percent), COLUMN_OF_SHARES
#define COLUMN_TOP                                                                                 \
	.name = "top", .title = "TOP", .unit = N_("name"), .help = N_("and its name"), .width = 0, \
	.type = COLUMN_TEXT, .shown = true, .text = columns_top
/* As COLUMN_FIELD(), of an int64_t that is of the interval: by second. */
#define COLUMN_RATE(ROW, FIELD) \
	COLUMN_PLACE(ROW, COLUMN_TYPE_OF(ROW), FIELD), .evaluate = columns_field_rate
/* A list of functions or objects adds its own `number`. */
#define COLUMN_OVERHEAD                                                                       \
	.name = "overhead%", .title = "OVERHEAD%", .unit = N_("percent of the period"),       \
	.width = 9, COLUMN_OF_NUMBERS, .shown = true, .descending = true, .resolution = 0.01, \
	.hot = 5, COLUMN_OF_SHARES
#define COLUMN_SAMPLES                                                                             \
	.name = "samples", .title = "SAMPLES", .unit = N_("count"), .width = 7, COLUMN_OF_NUMBERS, \
	.shown = true, .descending = true, .resolution = 1, .format = number_count
#define COLUMN_WALL                                                                      \
	.name = "wall%", .title = "WALL%", .unit = N_("percent of latency"),             \
	.needs = COLUMN_BIT(LATENCY), .width = 5, COLUMN_OF_NUMBERS, .descending = true, \
	.resolution = 0.01, .hot = 50, COLUMN_OF_SHARES
/* The row's `delta_percent`. */
#define COLUMN_DELTA                                                                           \
	.name = "delta%", .title = "DELTA%", .with_base = true, .width = 6, COLUMN_OF_NUMBERS, \
	.descending = true, .by_size = true, .resolution = 0.01, .number = columns_delta,      \
	.format = number_delta
/* For events of time: the number of waits of a row of functions or stacks, and their lengths. */
#define COLUMN_WAITS                                                                       \
	.name = "waits", .title = "WAITS", .unit = N_("count"),                            \
	.help = N_("waits that have ended; with decay older ones count less"), .width = 6, \
	COLUMN_OF_NUMBERS, .of_time = TIME_ANY, .descending = true, .resolution = 1,       \
	.format = number_count
#define COLUMN_LENGTH                                                                   \
	.unit = N_("milliseconds"), .width = 6, COLUMN_OF_NUMBERS, .of_time = TIME_ANY, \
	.descending = true, .format = number_span
#define COLUMN_P50(ROW)                                                                         \
	.name = "p50", .title = "P50", COLUMN_LENGTH, COLUMN_FIELD(ROW, lengths.p50_ms),        \
	.help = N_("half of the waits did not last longer; within a factor of two of the true " \
		   "one, as P90 and P99 are")
#define COLUMN_P90(ROW)                                                                  \
	.name = "p90", .title = "P90", COLUMN_LENGTH, COLUMN_FIELD(ROW, lengths.p90_ms), \
	.help = N_("nine of ten waits did not last longer")
#define COLUMN_P99(ROW)                                                                  \
	.name = "p99", .title = "P99", COLUMN_LENGTH, COLUMN_FIELD(ROW, lengths.p99_ms), \
	.help = N_("99 of 100 waits did not last longer")
#define COLUMN_MAX(ROW)                                                                      \
	.name = "max", .title = "MAX", COLUMN_LENGTH, COLUMN_FIELD(ROW, lengths.longest_ms), \
	.help = N_("the longest wait, even if it still lasts; in a window of the past the "  \
		   "limit of the last bucket that has a wait")
/* A list of functions adds `text`. */
#define COLUMN_NAMED_BY                                                                       \
	.name = "named-by", .title = "NAMED-BY", .unit = N_("name"),                          \
	.help = N_("what told the name: a section of the object, debug file, kallsyms, perf " \
		   "map, jitdump; .eh_frame: a function without a name"),                     \
	.width = 10, .grow = 12, .priority = 2, .type = COLUMN_TEXT

/*
 * The count of ABOVE divided by the count of BELOW, for a row of processes, CPUs, symbols or code.  NAN:
 * unknown.
 */
double columns_ratio(const struct column_row *row, enum event_id above, enum event_id below);
double columns_ipc(const struct column_row *row);
double columns_miss(const struct column_row *row);        /* percent */
double columns_branch_miss(const struct column_row *row); /* percent */
double columns_mpki(const struct column_row *row);        /* per 1000 instructions */
double columns_stall(const struct column_row *row);       /* percent of cycles */
double columns_delta(const struct column_row *row);       /* percent points; NAN without a base */

/* The counts of the row's process, CPU or control group, by event; NULL: it has none, or they are unknown. */
const double *columns_counters(const struct column_row *row);
double columns_counter(const struct column_row *row, enum event_id id); /* NAN: not counted */
/* The same of the column's event, and divided by the interval. */
double columns_count(const struct column *c, const struct column_row *row);
double columns_rate(const struct column *c, const struct column_row *row);
double columns_top_pid(const struct column_row *row);
const char *columns_top(const struct column_row *row);
double columns_field_rate(const struct column *c, const struct column_row *row);

/*
 * Stores in VALUES what symbol S counted of COUNT events, given as indices; below 0: no such event.
 * All values come from one measure, so ratios are right: sampled if all events are sampled,
 * otherwise credited.
 */
void column_symbol_values(const struct symbol_row *s, const int *events, size_t count,
			  double *values);

/* The style of FRAME's name in cell AT: dim without a name, another one for the kernel. */
enum grid_style column_frame_style(const struct column_place *at, const struct frame_table *frames,
				   uint32_t frame);

/* Bits 1 << enum event_id of the events that S counts now, for comparison with `needs`. */
uint32_t column_counted(const struct snapshot *s);

#endif
