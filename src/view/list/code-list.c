/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdio.h>

#include "base/i18n.h"
#include "view/list/code-rows.h"
#include "view/list/columns.h"
#include "view/list/list.h"
#include "view/widget/number.h"
#include "view/widget/text.h"

static double offset_number(const struct column_row *r)
{
	return (double)r->code->offset;
}

static const char *address_text(const struct column_row *r)
{
	return r->code->hex;
}

static const char *line_text(const struct column_row *r)
{
	return r->code->line ? r->code->line->label : NULL;
}

static const char *instruction_text(const struct column_row *r)
{
	if (r->code->is_line)
		return r->code->line->text;
	return r->code->instruction ? r->code->instruction->text : NULL;
}

static void hex_format(char out[32], double number)
{
	snprintf(out, 32, "%llx", (unsigned long long)number);
}

/* Most instructions have no sample, so those with samples stand out. */
static void share_draw(struct grid *g, const struct column_place *at, const struct column_row *r)
{
	double share = r->code->share_percent;
	enum grid_style style = at->style;
	char text[32];

	if (!(r->code->samples > 0) || isnan(share))
		return;
	if (!style)
		style = r->code->is_line ? STYLE_DIM : share >= 5 ? STYLE_HOT : STYLE_NORMAL;
	snprintf(text, sizeof(text), "%.2f", share);
	grid_text_right(g, at->row, at->column, at->width, style, text);
}

static void number_draw(struct grid *g, const struct column_place *at, const struct column_row *r,
			double number, void (*format)(char out[32], double number))
{
	enum grid_style style = !at->style && r->code->is_line ? STYLE_DIM : at->style;
	char text[32];

	if (!(r->code->samples > 0) || isnan(number))
		return;
	format(text, number);
	grid_text_right(g, at->row, at->column, at->width, style, text);
}

/* Without samples now and in the base the cell is empty, like the other ones. */
static void delta_draw(struct grid *g, const struct column_place *at, const struct column_row *r)
{
	double delta = r->code->delta_percent;
	enum grid_style style = at->style;
	char text[32] = "-";

	if (!(r->code->samples > 0) && !(r->code->base > 0))
		return;
	if (!isnan(delta))
		number_delta(text, delta);
	if (!style && (r->code->is_line || isnan(delta)))
		style = STYLE_DIM;
	else if (!style && text[0] != '0')
		style = delta > 0 ? STYLE_HOT : STYLE_GOOD;
	grid_text_right(g, at->row, at->column, at->width, style, text);
}

static void samples_draw(struct grid *g, const struct column_place *at, const struct column_row *r)
{
	number_draw(g, at, r, r->code->samples, number_count);
}

static void ipc_draw(struct grid *g, const struct column_place *at, const struct column_row *r)
{
	number_draw(g, at, r, columns_ipc(r), number_ratio);
}

static void miss_draw(struct grid *g, const struct column_place *at, const struct column_row *r)
{
	number_draw(g, at, r, columns_miss(r), number_percent);
}

static void offset_draw(struct grid *g, const struct column_place *at, const struct column_row *r)
{
	char text[32];

	if (r->code->is_line)
		return;
	hex_format(text, (double)r->code->offset);
	grid_text_right(g, at->row, at->column, at->width, at->style ? at->style : STYLE_DIM, text);
}

static void address_draw(struct grid *g, const struct column_place *at, const struct column_row *r)
{
	if (!r->code->is_line)
		grid_text_right(g, at->row, at->column, at->width,
				at->style ? at->style : STYLE_DIM, r->code->hex);
}

/* An arrow means nothing between rows that do not follow each other. */
static int arrow_part(struct grid *g, const struct column_place *at, const struct column_row *r)
{
	const struct code_row *row = r->code;
	int width = row->arrows && !r->scattered ? arrows_width(row->arrows) : 0;

	if (!width || width >= at->width)
		return 0;
	arrows_draw(g, at->row, at->column, row->arrows, row->arrow_row,
		    at->style ? at->style : STYLE_DIM);
	return width;
}

/* Draws the name of a line and, if its file was found, its text. */
static void instruction_draw(struct grid *g, const struct column_place *at,
			     const struct column_row *r)
{
	const struct code_row *row = r->code;
	enum grid_style style = at->style ? at->style : row->is_line ? STYLE_TITLE : STYLE_NORMAL;
	int used = arrow_part(g, at, r);
	const char *text = instruction_text(r);

	if (row->is_line) {
		used += grid_text(g, at->row, at->column + used, at->width - used,
				  at->style ? at->style : STYLE_DIM, row->line->label);
		used += 2;
	}
	if (text && used < at->width)
		grid_text(g, at->row, at->column + used, at->width - used, style, text);
}

/* clang-format off */
static const struct column code_columns[] = {
	{ .name = "share%", .title = "SHARE%", .unit = N_("percent of the period"),
	  .help = N_("of the samples of the function; of a line, of its instructions"),
	  .width = 6, .priority = 1, .align = ALIGN_RIGHT, .type = COLUMN_NUMBER, .shown = true,
	  .descending = true, COLUMN_FIELD(code, share_percent), COLUMN_OF_SHARES,
	  .draw = share_draw },
	{ COLUMN_DELTA, .unit = N_("percent points"),
	  .help = N_("its share of the function, less the one that it has in the base, where the "
		     "object is the same file: key =, --base"),
	  .priority = 1, .draw = delta_draw },
	{ .name = "overhead%", .title = "OVERHEAD%", .unit = N_("percent of the period"),
	  .help = N_("of all samples that are shown of the event"),
	  .width = 9, .priority = 4, .align = ALIGN_RIGHT, .type = COLUMN_NUMBER,
	  .descending = true, COLUMN_FIELD(code, overhead_percent), COLUMN_OF_SHARES },
	{ .name = "samples", .title = "SAMPLES", .unit = N_("count"),
	  .help = N_("samples at the instruction; with decay older ones count less"),
	  .width = 7, .priority = 5, .align = ALIGN_RIGHT, .type = COLUMN_NUMBER, .shown = true,
	  .descending = true, COLUMN_FIELD(code, samples), .format = number_count,
	  .draw = samples_draw },
	{ .name = "period", .title = "PERIOD", .unit = N_("events"),
	  .help = N_("events that the samples stand for; nanoseconds for clocks"),
	  .width = 6, .priority = 4, .align = ALIGN_RIGHT, .type = COLUMN_NUMBER,
	  .descending = true, COLUMN_FIELD(code, period), .format = number_count },
	{ COLUMN_IPC,
	  .help = N_("instructions / cycles, as its samples tell; shown where that is counted"),
	  .priority = 3, .shown = true, .draw = ipc_draw },
	{ COLUMN_MISS,
	  .help = N_("100 * cache-misses / cache-references, as its samples tell; shown where that "
		     "is counted"),
	  .priority = 3, .shown = true, .draw = miss_draw },
	{ .name = "address", .title = "ADDRESS", .unit = N_("hexadecimal"),
	  .help = N_("in the object, as its symbols have it"),
	  .width = 16, .priority = 7, .align = ALIGN_RIGHT, .type = COLUMN_TEXT,
	  .text = address_text, .draw = address_draw },
	{ .name = "offset", .title = "OFFSET", .unit = N_("bytes, hexadecimal on screen"),
	  .help = N_("from the beginning of the function"),
	  .width = 6, .priority = 2, .align = ALIGN_RIGHT, .type = COLUMN_NUMBER, .shown = true,
	  .number = offset_number, .format = hex_format, .draw = offset_draw },
	{ .name = "line", .title = "LINE", .unit = N_("name"),
	  .help = N_("file and number of the source line"),
	  .width = 18, .priority = 6, .type = COLUMN_TEXT, .text = line_text },
	{ .name = "instruction", .title = "INSTRUCTION", .unit = N_("text"),
	  .help = N_("with the arrows of its jumps; or the source line"),
	  .width = 0, .priority = 0, .type = COLUMN_TEXT, .shown = true,
	  .text = instruction_text, .draw = instruction_draw },
	{ .name = NULL }
};
/* clang-format on */

/* The list. */

static bool is_function_there(const struct lists *l)
{
	return l->scene.focus && l->scene.snapshot->function.frame == l->scene.focus;
}

static size_t code_build(struct lists *l, const struct list_kind *k)
{
	const struct code_request request = { .snapshot = l->scene.snapshot,
					      .filters = lists_request(l),
					      .rows = &l->rows,
					      .mode = l->scene.code_mode };
	struct code_rows *c = list_data(l, k);

	c->count = 0;
	if (is_function_there(l))
		code_rows_build(c, &request);
	return c->count;
}

static void code_fill(const struct lists *l, const struct list_kind *k, size_t i,
		      struct column_row *row)
{
	row->code = &((const struct code_rows *)list_data(l, k))->rows[i];
	row->delta_percent = row->code->delta_percent;
	row->scattered = !list_order(l, k)->whole;
}

/* The first instruction of a line has another key than the line. */
static uint64_t code_key(const struct lists *l, const struct list_kind *k, size_t i)
{
	const struct code_row *row = &((const struct code_rows *)list_data(l, k))->rows[i];

	return row->address << 1 | row->is_line;
}

static bool code_matches(const struct lists *l, const struct column_row *row, const char *text)
{
	const struct code_row *r = row->code;

	(void)l;
	return (r->instruction && !r->is_line && text_contains(r->instruction->text, text)) ||
	       (r->is_line && r->line->text && text_contains(r->line->text, text)) ||
	       (r->is_line && text_contains(r->line->label, text)) || text_contains(r->hex, text);
}

/* Says why instructions or lines are missing; otherwise NOTE. */
static const char *code_note(const struct lists *l, const struct list_kind *k, const char *note)
{
	const struct snapshot_function *f = &l->scene.snapshot->function;
	bool lines = l->scene.code_mode != CODE_INSTRUCTIONS;

	(void)k;
	if (!is_function_there(l))
		return note;
	if (*f->missing)
		return f->missing;
	if (f->code && *f->code->missing)
		return f->code->missing;
	return f->code && lines && !f->code->line_count && *f->code->no_lines ? f->code->no_lines
									      : note;
}

static const char *code_empty(const struct lists *l)
{
	const struct snapshot *s = l->scene.snapshot;
	const struct code_rows *c = list_data(l, &list_code);
	int event = l->scene.request.event;

	if (list_filter(l, &list_code) && c->count)
		return _("no instruction passes the filter; {filter} changes it");
	if (event >= 0 && s->events[event].time)
		return _("time has no addresses: Tab shows another event");
	if (!l->scene.focus)
		return list_no_samples(l);
	if (!is_function_there(l))
		return _("its code is requested; it comes with the next interval");
	return s->function.loading ? _("its code is being read")
	       : *s->function.missing
		       ? s->function.missing
		       : _("no samples of this function in what is shown; Esc goes back");
}

static void code_free(void *data)
{
	code_rows_fini(data);
}

/* clang-format off */
static const struct column_table code_table = {
	.name = "instructions", .prefix = "code.", .title = N_("Columns of instructions"),
	.filter = N_("instructions"), .columns = code_columns, .sort = "", .counted_only = true,
};

const struct list_kind list_code = {
	.table = &code_table, .name = "instructions", .of_event = true,
	.data_size = sizeof(struct code_rows), .fini = code_free, .arranged = true,
	.of_code = true, .build = code_build, .fill = code_fill, .key = code_key,
	.matches = code_matches, .note = code_note, .empty = code_empty,
};
/* clang-format on */
