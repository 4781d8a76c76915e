/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/hash.h"
#include "base/i18n.h"
#include "profile/cell.h"
#include "profile/distribution.h"
#include "view/list/columns.h"
#include "view/list/list.h"
#include "view/list/mapping-list.h"
#include "view/widget/number.h"
#include "view/widget/text.h"

/* System calls: a row for each process and call. */
#define NS_PER_MS 1e6

struct syscall_row {
	uint32_t process, pid, frame;
	const char *comm; /* borrowed */
	double calls;     /* that have returned */
	double timed;     /* of these, those whose begin was seen */
	double errors;
	double total_ms, average_ms; /* the average: NAN without timed ones */
	double overhead_percent;
	struct distribution waits;
	struct distribution_facts lengths;
	size_t errors_at; /* where their text begins in `text` */
	const char *errors_text;
};

/* How often a call of a row failed with an error. */
struct failure {
	size_t row;
	uint32_t error; /* frame */
	double calls;
};

struct syscall_rows {
	struct syscall_row *rows;
	size_t count, capacity;
	struct failure *failures;
	size_t failure_count, failure_capacity;
	struct buf text; /* "ENOENT 12, EAGAIN 3" of each row, each with a NUL; raw bytes */
};

static const struct syscall_row *call_of(const struct column_row *r)
{
	return r->item;
}

static double pid_number(const struct column_row *r)
{
	return call_of(r)->pid ? call_of(r)->pid : NAN;
}

static double rate_number(const struct column_row *r)
{
	return number_divide(call_of(r)->calls, r->snapshot->cells_s);
}

static const char *symbol_text(const struct column_row *r)
{
	return frame_symbol(r->snapshot->frames, call_of(r)->frame);
}

static enum grid_style errors_style(const struct column_place *at)
{
	return at->style ? at->style : STYLE_WARN;
}

static void errno_draw(struct grid *g, const struct column_place *at, const struct column_row *r)
{
	const char *text = call_of(r)->errors_text;

	if (text)
		grid_text_cut(g, at->row, at->column, at->width, errors_style(at), text);
}

/* clang-format off */
static const struct column syscall_columns[] = {
	{ COLUMN_OVERHEAD, COLUMN_ITEM(struct syscall_row, overhead_percent), .priority = 4,
	  .help = N_("time of these calls / time of all system calls that are shown") },
	{ .name = "pid", .title = "PID", .unit = N_("number"), .help = N_("the process"),
	  .width = 7, .priority = 2, COLUMN_OF_NUMBERS, .shown = true, .number = pid_number,
	  .format = number_id },
	{ .name = "comm", .title = "COMM", .unit = N_("name"), .help = N_("its name"),
	  .width = 15, .priority = 1, .type = COLUMN_TEXT, .shown = true, COLUMN_TEXT_ITEM(struct syscall_row, comm) },
	{ .name = "calls", .title = "CALLS", .unit = N_("count"),
	  .help = N_("calls that have returned, as strace -c counts them"),
	  .width = 6, .priority = 1, COLUMN_OF_NUMBERS, .shown = true, .descending = true,
	  .resolution = 1, COLUMN_ITEM(struct syscall_row, calls), .format = number_count },
	{ .name = "calls/s", .title = "CALLS/S", .unit = N_("per second"),
	  .help = N_("calls / time that is shown"),
	  .width = 7, .priority = 4, COLUMN_OF_NUMBERS, .shown = true, .descending = true,
	  .number = rate_number, .format = number_count },
	{ .name = "err", .title = "ERR", .unit = N_("count"), .help = N_("calls that failed"),
	  .width = 5, .priority = 2, COLUMN_OF_NUMBERS, .shown = true, .descending = true,
	  .resolution = 1, COLUMN_ITEM(struct syscall_row, errors), .format = number_count },
	{ .name = "total", .title = "TOTAL", .unit = N_("milliseconds"),
	  .help = N_("time in these calls, also in those that have not returned yet"),
	  .width = 6, .priority = 1, COLUMN_OF_NUMBERS, .shown = true, .descending = true,
	  COLUMN_ITEM(struct syscall_row, total_ms), .format = number_span },
	{ .name = "avg", .title = "AVG", .unit = N_("milliseconds"),
	  .help = N_("TOTAL / calls whose begin and return were seen"),
	  .width = 6, .priority = 3, COLUMN_OF_NUMBERS, .shown = true, .descending = true,
	  COLUMN_ITEM(struct syscall_row, average_ms), .format = number_span },
	{ .name = "p50", .title = "P50", .unit = N_("milliseconds"),
	  .help = N_("half of the calls did not last longer; within a factor of two of the true one, "
		     "as P99 is"),
	  .width = 6, .priority = 6, COLUMN_OF_NUMBERS, .descending = true,
	  COLUMN_ITEM(struct syscall_row, lengths.p50_ms), .format = number_span },
	{ .name = "p99", .title = "P99", .unit = N_("milliseconds"),
	  .help = N_("99 of 100 calls did not last longer"),
	  .width = 6, .priority = 3, COLUMN_OF_NUMBERS, .shown = true, .descending = true,
	  COLUMN_ITEM(struct syscall_row, lengths.p99_ms), .format = number_span },
	{ .name = "max", .title = "MAX", .unit = N_("milliseconds"),
	  .help = N_("the longest call, even if it has not returned yet"),
	  .width = 6, .priority = 4, COLUMN_OF_NUMBERS, .shown = true, .descending = true,
	  COLUMN_ITEM(struct syscall_row, lengths.longest_ms), .format = number_span },
	{ .name = "syscall", .title = "SYSCALL", .unit = N_("name"), .help = N_("the system call"),
	  .width = 18, .priority = 0, .type = COLUMN_TEXT, .shown = true, .text = symbol_text },
	{ .name = "errno", .title = "ERRNO", .unit = N_("name"),
	  .help = N_("errors and how often, the most frequent first"),
	  .width = 0, .priority = 2, .type = COLUMN_TEXT, .shown = true, COLUMN_TEXT_ITEM(struct syscall_row, errors_text),
	  .draw = errno_draw },
	{ .name = NULL }
};
/* clang-format on */

/* The list. */

static size_t row_of(struct syscall_rows *rows, struct map *numbers, const struct snapshot_cell *c)
{
	uint64_t key = (uint64_t)c->process << 32 | c->frame;
	size_t number = map_enter(numbers, key);

	if (number == rows->count) {
		mem_grow((void **)&rows->rows, &rows->capacity, number + 1, sizeof(*rows->rows));
		rows->rows[rows->count++] =
			(struct syscall_row){ .process = c->process,
					      .pid = c->pid,
					      .frame = c->frame,
					      .comm = *c->comm ? c->comm : NULL };
	}
	return number;
}

static void failure_add(struct syscall_rows *rows, struct map *numbers, size_t row,
			const struct snapshot_cell *c)
{
	uint64_t key = (uint64_t)row << 32 | c->data;
	size_t number = map_enter(numbers, key);

	if (number == rows->failure_count) {
		mem_grow((void **)&rows->failures, &rows->failure_capacity, number + 1,
			 sizeof(*rows->failures));
		rows->failures[rows->failure_count++] = (struct failure){ row, c->data, 0 };
	}
	rows->failures[number].calls += c->samples;
}

/* A piece of a call that goes on is no call that has returned. */
static void cell_add(struct syscall_row *row, const struct snapshot_cell *c)
{
	row->total_ms += c->period / NS_PER_MS;
	distribution_add_cell(&row->waits, c->wait, c->samples, c->longest);
	if (c->wait == CELL_WAIT_LASTS)
		return;
	row->calls += c->samples;
	row->timed += c->wait == CELL_RAN ? 0 : c->samples;
	row->errors += c->data ? c->samples : 0;
}

static void cells_add(struct syscall_rows *rows, const struct lists *l,
		      const struct rows_request *q)
{
	const struct snapshot *s = l->scene.snapshot;
	struct map numbers = { 0 }, failures = { 0 };

	for (size_t i = 0; q->event >= 0 && i < s->cell_count; i++) {
		const struct snapshot_cell *c = &s->cells[i];
		size_t row;

		if (c->event != q->event || !rows_cell_passes(&l->rows, s, q, c))
			continue;
		row = row_of(rows, &numbers, c);
		cell_add(&rows->rows[row], c);
		if (c->data)
			failure_add(rows, &failures, row, c);
	}
	map_fini(&numbers);
	map_fini(&failures);
}

static int by_row(const void *a, const void *b)
{
	const struct failure *x = a, *y = b;

	if (x->row != y->row)
		return x->row < y->row ? -1 : 1;
	if (x->calls != y->calls)
		return x->calls < y->calls ? 1 : -1;
	return (x->error > y->error) - (x->error < y->error);
}

static void errors_name(struct syscall_rows *rows, const struct frame_table *frames)
{
	size_t last = SIZE_MAX;

	if (rows->failure_count)
		qsort(rows->failures, rows->failure_count, sizeof(*rows->failures), by_row);
	for (size_t i = 0; i < rows->failure_count; i++) {
		const struct failure *f = &rows->failures[i];

		if (f->row != last && i)
			buf_add_char(&rows->text, '\0');
		if (f->row != last)
			rows->rows[f->row].errors_at = rows->text.size;
		buf_printf(&rows->text, "%s%s %.0f", f->row == last ? ", " : "",
			   frame_object_name(frames, f->error), f->calls);
		last = f->row;
	}
	for (size_t i = 0; i < rows->failure_count; i++) {
		struct syscall_row *row = &rows->rows[rows->failures[i].row];

		row->errors_text = rows->text.bytes + row->errors_at;
	}
}

/* In any view the calls are those of the event syscalls. */
static size_t syscalls_build(struct lists *l, const struct list_kind *k)
{
	struct syscall_rows *rows = list_data(l, k);
	struct rows_request q = *lists_request(l);
	struct shares shares;

	q.event = mappings_event(l->scene.snapshot, EVENT_SYSCALLS);
	q.base = NULL;
	rows->count = rows->failure_count = 0;
	buf_clear(&rows->text);
	cells_add(rows, l, &q);
	errors_name(rows, l->scene.snapshot->frames);
	shares = rows_shares(&l->rows, l->scene.snapshot, &q);
	for (size_t i = 0; i < rows->count; i++) {
		struct syscall_row *row = &rows->rows[i];

		row->overhead_percent = share_percent(&shares.period, row->total_ms * NS_PER_MS);
		row->average_ms = number_divide(row->total_ms, row->timed);
		row->lengths = distribution_facts(&row->waits);
	}
	return rows->count;
}

static void syscall_fill(const struct lists *l, const struct list_kind *k, size_t i,
			 struct column_row *row)
{
	row->item = &((const struct syscall_rows *)list_data(l, k))->rows[i];
}

static uint64_t syscall_key(const struct lists *l, const struct list_kind *k, size_t i)
{
	const struct syscall_row *row = &((const struct syscall_rows *)list_data(l, k))->rows[i];

	return (uint64_t)row->process << 32 | row->frame;
}

static bool syscall_matches(const struct lists *l, const struct column_row *row, const char *text)
{
	const struct syscall_row *c = call_of(row);

	(void)l;
	return text_contains(symbol_text(row), text) || (c->comm && text_contains(c->comm, text)) ||
	       (c->errors_text && text_contains(c->errors_text, text));
}

static const char *syscalls_empty(const struct lists *l)
{
	return l->scene.snapshot && mappings_event(l->scene.snapshot, EVENT_SYSCALLS) < 0
		       ? _("system calls are not measured")
		       : list_no_samples(l);
}

static void syscalls_fini(void *data)
{
	struct syscall_rows *rows = data;

	mem_free(rows->rows, rows->failures);
	buf_fini(&rows->text);
}

/* clang-format off */
static const struct column_table syscall_table = {
	.name = "syscalls", .prefix = "syscall.", .title = N_("Columns of system calls"),
	.filter = N_("system calls"), .columns = syscall_columns, .sort = "total",
};

const struct list_kind list_syscalls = {
	.table = &syscall_table, .name = "syscalls", .data_size = sizeof(struct syscall_rows),
	.fini = syscalls_fini, .arranged = true, .build = syscalls_build, .fill = syscall_fill,
	.key = syscall_key, .matches = syscall_matches,
	.unmatched = N_("no row passes the filter; {filter} changes it"), .empty = syscalls_empty,
};
/* clang-format on */
