/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/i18n.h"
#include "view/list/columns.h"
#include "view/list/rows.h"
#include "view/list/list.h"
#include "view/widget/number.h"

static double pid_number(const struct column_row *r)
{
	const struct symbol_row *s = r->symbol;

	if (s->tid)
		return s->tid;
	return s->pid ? s->pid : NAN;
}

static const char *object_text(const struct column_row *r)
{
	return frame_object_name(r->snapshot->frames, r->symbol->frame);
}

static const char *data_text(const struct column_row *r)
{
	uint32_t data = r->symbol->woken ? 0 : r->symbol->data;

	return data ? frame_object_name(r->snapshot->frames, data) : NULL;
}

static const char *waker_text(const struct column_row *r)
{
	uint32_t waker = r->symbol->woken ? r->symbol->data : 0;

	return waker ? frame_object_name(r->snapshot->frames, waker) : NULL;
}

static const char *symbol_text(const struct column_row *r)
{
	return frame_symbol(r->snapshot->frames, r->symbol->frame);
}

static const char *srcline_text(const struct column_row *r)
{
	const struct frame_source *source = frame_source(r->snapshot->frames, r->symbol->frame);

	return source ? source->text : NULL;
}

static const char *named_by_text(const struct column_row *r)
{
	return named_by_word(frame_named_by(r->snapshot->frames, r->symbol->frame));
}

static enum grid_style symbol_style(const struct column_place *at, const struct column_row *r)
{
	return column_frame_style(at, r->snapshot->frames, r->symbol->frame);
}

static void object_draw(struct grid *g, const struct column_place *at, const struct column_row *r)
{
	const char *text = object_text(r);

	grid_text_cut(g, at->row, at->column, at->width, symbol_style(at, r), text ? text : "-");
}

/* Cuts the front: the number at the end matters. */
static void srcline_draw(struct grid *g, const struct column_place *at, const struct column_row *r)
{
	const char *text = srcline_text(r);

	grid_text_end(g, at->row, at->column, at->width, at->style, text ? text : "-");
}

static void symbol_draw(struct grid *g, const struct column_place *at, const struct column_row *r)
{
	const char *text = symbol_text(r);

	grid_text_cut(g, at->row, at->column, at->width, symbol_style(at, r), text ? text : "-");
}

/* clang-format off */
static const struct column symbol_columns[] = {
	{ COLUMN_OVERHEAD, COLUMN_FIELD(symbol, overhead_percent), .priority = 1,
	  .help = N_("period of the symbol's samples / period of all samples that are shown of the event") },
	{ COLUMN_DELTA, .unit = N_("percent points"),
	  .help = N_("its share, less the one that it has in the base: key =, --base"),
	  .priority = 1 },
	{ COLUMN_SAMPLES, COLUMN_FIELD(symbol, samples), .priority = 5,
	  .help = N_("samples in the symbol; with decay older ones count less") },
	{ COLUMN_WALL, COLUMN_FIELD(symbol, wall_percent), .priority = 2,
	  .help = N_("of the time that anything ran, each moment divided by how many threads ran: what "
		     "bounds the elapsed time") },
	{ .name = "period", .title = "PERIOD", .unit = N_("events"),
	  .help = N_("events that the samples stand for; nanoseconds for clocks"),
	  .width = 6, .priority = 2, .align = ALIGN_RIGHT, .type = COLUMN_NUMBER,
	  .descending = true, COLUMN_FIELD(symbol, period), .format = number_count },
	{ COLUMN_WAITS, COLUMN_FIELD(symbol, lengths.count), .priority = 5 },
	{ COLUMN_P50(symbol), .priority = 4 },
	{ COLUMN_P90(symbol), .priority = 6 },
	{ COLUMN_P99(symbol), .priority = 3 },
	{ COLUMN_MAX(symbol), .priority = 4 },
	{ COLUMN_IPC, .help = N_("instructions / cycles, as its samples tell: statistical"),
	  .priority = 2 },
	{ COLUMN_MISS, .help = N_("100 * cache-misses / cache-references, as its samples tell"),
	  .priority = 2 },
	{ COLUMN_BRANCH_MISS, .help = N_("100 * branch-misses / branches, as its samples tell"),
	  .priority = 2 },
	{ COLUMN_MPKI, .help = N_("1000 * cache-misses / instructions, as its samples tell"),
	  .priority = 2 },
	{ .name = "pid", .title = "PID", .unit = N_("number"),
	  .help = N_("process: a row for each process and symbol"), .per_process = true,
	  .width = 7, .priority = 2, .align = ALIGN_RIGHT, .type = COLUMN_NUMBER,
	  .number = pid_number, .format = number_id },
	{ .name = "comm", .title = "COMM", .unit = N_("name"),
	  .help = N_("the process's name: a row for each process and symbol"),
	  .per_process = true,
	  .width = 15, .priority = 2, .type = COLUMN_TEXT, COLUMN_TEXT_FIELD(symbol, comm) },
	{ .name = "data", .title = "DATA", .unit = N_("name"),
	  .help = N_("mapping of the data that was touched: a row for each and symbol; of page "
		     "faults and breakpoints"), .per_data = true,
	  .width = 16, .grow = 12, .priority = 2, .type = COLUMN_TEXT, .text = data_text },
	{ .name = "woken-by", .title = "WOKEN-BY", .unit = N_("name"),
	  .help = N_("of an event of time: the process that ended the wait, a row for each and symbol; "
		     "(softirq), [interrupt]: not its own work"), .per_data = true,
	  .width = 16, .grow = 12, .priority = 2, .of_time = TIME_ANY, .type = COLUMN_TEXT,
	  .text = waker_text },
	{ .name = "object", .title = "OBJECT", .unit = N_("name"),
	  .help = N_("program, library, [kernel] or module"),
	  .width = 12, .grow = 12, .priority = 4, .type = COLUMN_TEXT, .shown = true,
	  .text = object_text, .draw = object_draw },
	{ .name = "srcline", .title = "SRCLINE", .unit = N_("file:line"),
	  .help = N_("where the function is declared, as debugging information tells, which is "
		     "read for this column"), .extras = EXTRA_SOURCES,
	  .width = 16, .grow = 12, .priority = 2, .type = COLUMN_TEXT, .text = srcline_text,
	  .draw = srcline_draw },
	{ COLUMN_NAMED_BY, .text = named_by_text },
	{ .name = "symbol", .title = "SYMBOL", .unit = N_("name"), .help = N_("function"),
	  .width = 0, .priority = 0, .type = COLUMN_TEXT, .shown = true, .text = symbol_text,
	  .draw = symbol_draw },
	{ .name = NULL }
};
/* clang-format on */

/* The list. */

static size_t symbols_build(struct lists *l, const struct list_kind *k)
{
	(void)k;
	lists_make_rows(l, true);
	return l->rows.symbol_count;
}

static size_t symbols_count(const struct lists *l, const struct list_kind *k)
{
	(void)k;
	return l->rows.symbol_count;
}

static void symbol_fill(const struct lists *l, const struct list_kind *k, size_t i,
			struct column_row *row)
{
	(void)k;
	row->symbol = &l->rows.symbols[i];
	row->delta_percent = row->symbol->delta_percent;
}

static uint64_t symbol_key(const struct lists *l, const struct list_kind *k, size_t i)
{
	const struct symbol_row *s = &l->rows.symbols[i];

	(void)k;
	return (uint64_t)s->process << 32 | s->frame;
}

static bool symbol_matches(const struct lists *l, const struct column_row *row, const char *text)
{
	return rows_symbol_matches(l->scene.snapshot, row->symbol, text);
}

/* clang-format off */
static const struct column_table symbol_table = {
	.name = "symbols", .prefix = "symbol.", .title = N_("Columns of symbols"),
	.filter = N_("symbols"), .columns = symbol_columns, .sort = "overhead%", .extended = true,
};

const struct list_kind list_symbols = {
	.table = &symbol_table, .name = "symbols", .of_event = true, .build = symbols_build,
	.count = symbols_count, .fill = symbol_fill, .key = symbol_key, .matches = symbol_matches,
	.empty = list_no_samples,
};
/* clang-format on */
