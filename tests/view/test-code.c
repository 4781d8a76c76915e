/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The instructions of a function: rows, shares, arrows, and the ways from one to the next. */
#include "unit.h"

#include <limits.h>
#include <math.h>

#include "profile/addresses.h"
#include "profile/sample-code.h"
#include "profile/sample-snapshot.h"
#include "view/widget/arrows.h"
#include "view/list/code-rows.h"
#include "view/golden.h"
#include "view/kind.h"
#include "view/list/list.h"

#define ROWS 40
#define COLUMNS 120

static struct view *open_view(const char *kind, bool hardware, bool code)
{
	const struct view_options options = { .view = kind };
	struct snapshot *s = sample_snapshot(hardware);
	struct error err = { "" };
	struct view *v = view_new(&options, &err);

	assert_non_null(v);
	sample_code(s, code);
	view_set_snapshot(v, s);
	return v;
}

/* The line of the screen that is selected, after it was drawn. */
static const char *selected(struct view *v)
{
	static char line[4 * COLUMNS];
	struct grid *g = grid_new(ROWS, COLUMNS);
	struct buf text = { 0 };
	const char *at;

	view_draw(v, g);
	grid_dump(g, &text);
	at = text.bytes;
	line[0] = '\0';
	for (int row = 0; row < ROWS && at; row++) {
		if (grid_at(g, row, 0)->style == STYLE_SELECTED)
			snprintf(line, sizeof(line), "%.*s", (int)strcspn(at, "\n"), at);
		at = strchr(at, '\n');
		at = at ? at + 1 : NULL;
	}
	buf_fini(&text);
	grid_free(g);
	return line;
}

static void assert_selected(struct view *v, const char *text)
{
	const char *line = selected(v);

	if (!strstr(line, text))
		fail_msg("'%s' is selected, not '%s'", line, text);
}

static char *screen(struct view *v)
{
	struct grid *g = grid_new(ROWS, COLUMNS);
	struct buf text = { 0 };

	view_draw(v, g);
	grid_dump(g, &text);
	grid_free(g);
	return text.bytes;
}

static void assert_screen(struct view *v, const char *text, bool there)
{
	char *now = screen(v);

	if (!strstr(now, text) == there)
		fail_msg("'%s' is %s:\n%s", text, there ? "missing" : "there", now);
	free(now);
}

static const struct code_row *row_of(struct view *v, size_t i)
{
	return view_list_row(v, &list_code, i).code;
}

/* The sum of the period of rows of this kind. */
static double sum_of(struct view *v, bool lines)
{
	double sum = 0;

	for (size_t i = 0; i < view_list_count(v, &list_code); i++)
		sum += row_of(v, i)->is_line == lines ? row_of(v, i)->share_percent : 0;
	return sum;
}

UNIT_TEST(test_shares)
{
	struct view *v = open_view("annotate", true, true);
	size_t instructions = 0;

	assert_true(fabs(sum_of(v, false) - 100) < 1e-9);
	/* One instruction is of no line: it has no sample. */
	assert_true(fabs(sum_of(v, true) - 100) < 1e-9);
	for (size_t i = 0; i < view_list_count(v, &list_code); i++) {
		const struct code_row *row = row_of(v, i);

		instructions += !row->is_line;
		if (!row->is_line && row->address == SAMPLE_CODE_HOT)
			assert_true(fabs(row->share_percent - 100 * 61 / 128.0) < 1e-9);
	}
	assert_int_equal(instructions, 26);
	view_next_code_mode(v);
	view_next_code_mode(v);
	assert_int_equal(view_list_count(v, &list_code), 9);
	assert_true(fabs(sum_of(v, true) - 100) < 1e-9);
	assert_int_equal(sum_of(v, false), 0);
	view_free(v);
}

static double overheads(struct view *v)
{
	double sum = 0;

	for (size_t i = 0; i < view_list_count(v, &list_code); i++)
		sum += row_of(v, i)->is_line ? 0 : row_of(v, i)->overhead_percent;
	return sum;
}

/* The function's cells that pass make up half of the addresses: the limit of cells merged the rest. */
UNIT_TEST(test_merged_cells)
{
	struct view *v = open_view("annotate", true, true);
	double before = overheads(v), addresses = 0, cells = 0;
	struct snapshot *s = sample_snapshot(true);

	sample_code(s, true);
	for (size_t i = 0; i < s->function.address_count; i++) {
		const struct snapshot_cell *c = &s->function.addresses[i].cell;

		addresses += c->event ? 0 : c->period;
	}
	for (size_t i = 0; i < s->cell_count; i++) {
		struct snapshot_cell *c = &s->cells[i];

		cells += c->frame == s->function.frame && !c->event ? c->period : 0;
	}
	for (size_t i = 0; i < s->cell_count; i++) {
		struct snapshot_cell *c = &s->cells[i];

		if (c->frame == s->function.frame && !c->event)
			c->period *= addresses / cells / 2;
	}
	view_set_snapshot(v, s);
	cells = addresses = 0;
	for (size_t i = 0; i < s->cell_count; i++) {
		cells += s->cells[i].event ? 0 : s->cells[i].period;
		addresses += s->cells[i].event || s->cells[i].frame != s->function.frame
				     ? 0
				     : s->cells[i].period;
	}
	assert_true(before > 0 && before <= 100);
	assert_true(fabs(overheads(v) - 100 * addresses / cells) < 1e-9);
	view_free(v);
}

/* As if the engine had told of all addresses of S, in an object of another place. */
static void keep_addresses(struct snapshot *s, double factor)
{
	struct snapshot_function *f = &s->function;

	f->object = 7;
	f->moved = 0x1000;
	s->addresses = address_sums_alloc(f->address_count + 2);
	for (size_t i = 0; i < f->address_count; i++) {
		const struct snapshot_address *a = &f->addresses[i];
		const double times = a->address == SAMPLE_CODE_HOT ? factor : 1;
		const struct address_key key = { .process = a->cell.process,
						 .tid = a->cell.tid,
						 .event = a->cell.event,
						 .object = 7,
						 .address = a->address - 0x1000 };

		s->addresses->items[s->addresses->count++] =
			(struct address_sum){ key, a->cell.samples * times,
					      a->cell.period * times };
	}
	for (int i = 0; i < 2; i++) { /* another object's, another function's */
		struct address_sum other = s->addresses->items[0];

		other.key.object += i;
		other.key.address += i ? 0 : 0x10000;
		s->addresses->items[s->addresses->count++] = other;
	}
}

static double share_at(struct view *v, uint64_t address, bool line)
{
	for (size_t i = 0; i < view_list_count(v, &list_code); i++) {
		if (row_of(v, i)->address == address && row_of(v, i)->is_line == line)
			return row_of(v, i)->share_percent;
	}
	return NAN;
}

/* In the base the hottest instruction has had no sample, so all others had a larger share. */
UNIT_TEST(test_base)
{
	struct view *v = open_view("annotate", true, true);
	struct snapshot *base = sample_snapshot(true), *now = sample_snapshot(true);
	const double hot = 61 / 128.0;
	double sums[2] = { 0, 0 };

	assert_screen(v, "DELTA%", false);
	sample_code(base, true);
	keep_addresses(base, 0);
	sample_code(now, true);
	keep_addresses(now, 1);
	view_set_snapshot(v, now);
	view_set_base(v, base, "before");
	assert_screen(v, "DELTA%", true);
	for (size_t i = 0; i < view_list_count(v, &list_code); i++) {
		const struct code_row *row = row_of(v, i);
		double before =
			row->address == SAMPLE_CODE_HOT ? 0 : row->share_percent / (1 - hot);

		sums[row->is_line] += row->delta_percent;
		if (!row->is_line)
			assert_true(fabs(row->delta_percent - (row->share_percent - before)) <
				    1e-9);
	}
	assert_true(fabs(sums[0]) < 1e-9 && fabs(sums[1]) < 1e-9);
	assert_true(fabs(share_at(v, SAMPLE_CODE_HOT, false) - 100 * hot) < 1e-9);
	address_sums_put(base->addresses);
	base->addresses = NULL; /* a base that does not know */
	view_set_base(v, base, "before");
	for (size_t i = 0; i < view_list_count(v, &list_code); i++)
		assert_true(isnan(row_of(v, i)->delta_percent));
	assert_true(view_drop_base(v));
	assert_screen(v, "DELTA%", false);
	view_free(v);
	snapshot_free(base);
}

static size_t rows_with_delta(const struct code_request *q)
{
	struct code_rows c = { 0 };
	size_t known = 0;

	code_rows_build(&c, q);
	for (size_t i = 0; i < c.count; i++)
		known += !isnan(c.rows[i].delta_percent);
	code_rows_fini(&c);
	return known;
}

/* The base has shares in the group that is shown, if its samples were of that. */
UNIT_TEST(a_group_has_its_own_base)
{
	struct snapshot *base = sample_snapshot(true), *now = sample_snapshot(true);
	struct map groups = { 0 };
	struct rows rows = { 0 };
	struct rows_request filters = { .base = base, .groups = &groups };
	const struct code_request q = {
		.snapshot = now, .rows = &rows, .filters = &filters, .mode = CODE_INSTRUCTIONS
	};

	map_put(&groups, group_key(5), &groups);
	sample_code(base, true);
	keep_addresses(base, 0);
	sample_code(now, true);
	keep_addresses(now, 1);
	for (size_t i = 0; i < now->function.address_count; i++)
		now->function.addresses[i].cell.group = 5;
	assert_int_equal(rows_with_delta(&q), 0); /* in the base nothing was in that group */
	for (size_t i = 0; i < base->cell_count; i++)
		base->cells[i].group = 5;
	assert_true(rows_with_delta(&q) > 0);
	map_fini(&groups);
	snapshot_free(base);
	snapshot_free(now);
}

/* A line has the sum of its instructions' counts. */
UNIT_TEST(test_counters_by_line)
{
	struct view *v = open_view("annotate", true, true);
	const struct snapshot *s = view_snapshot(v);
	int cycles = s->counter_event[EVENT_CYCLES];
	double expected = 0;
	const struct column *ipc = column_find(list_code.table->columns, "ipc");

	view_next_code_mode(v);
	view_next_code_mode(v);
	for (size_t i = 0; i < s->function.address_count; i++) {
		const struct snapshot_address *a = &s->function.addresses[i];

		if (a->cell.event == view_event(v) && a->address >= SAMPLE_CODE_LOOP &&
		    a->address < SAMPLE_CODE_HOT)
			expected += a->cell.counters[cycles];
	}
	assert_true(expected > 0);
	for (size_t i = 0; i < view_list_count(v, &list_code); i++) {
		struct column_row row = view_list_row(v, &list_code, i);

		if (row.code->line->line == 17) {
			assert_true(fabs(row.code->credited[cycles] - expected) < 1e-6);
			assert_true(column_number(ipc, &row) > 0);
		}
	}
	assert_screen(v, "IPC", true);
	view_free(v);
	v = open_view("annotate", false, true);
	assert_screen(v, "INSTRUCTION", true);
	assert_screen(v, "IPC  ", false);
	view_free(v);
}

static struct snapshot *code_of_interval(double interval_s)
{
	struct snapshot *s = sample_snapshot(true);

	sample_code(s, true);
	s->interval_s = interval_s;
	return s;
}

/* V gets S, and chooses its function if CHOSEN, else none. */
static void assert_choice(struct view *v, struct snapshot *s, bool chosen)
{
	bool hottest;

	view_set_snapshot(v, s);
	assert_int_equal(view_function(v, &hottest), chosen ? s->function.frame : FRAME_NONE);
	assert_int_equal(hottest, !chosen);
}

/* A first snapshot has no interval, and the function of its few samples is not chosen. */
UNIT_TEST(test_first_snapshot_chooses_none)
{
	const struct view_options options = { .view = "annotate" };
	struct error err = { "" };
	struct view *v = view_new(&options, &err);

	assert_choice(v, code_of_interval(0), false);
	assert_choice(v, code_of_interval(1), true);
	view_free(v);
}

/* A recording whose samples are of one moment has no interval either, and nothing comes after it. */
UNIT_TEST(test_recorded_moment_chooses_one)
{
	const struct view_options options = { .view = "annotate" };
	struct error err = { "" };
	struct view *v = view_new(&options, &err);
	struct snapshot *s = code_of_interval(0);

	s->sampling.tier = "file";
	assert_choice(v, s, true);
	view_free(v);
}

/* Enter on a process, on its function: the hottest instruction is selected. */
UNIT_TEST(test_way)
{
	struct view *v = open_view(NULL, true, true);
	bool hottest;

	assert_int_equal(view_function(v, &hottest), FRAME_NONE);
	assert_false(hottest);
	assert_true(view_enter(v));
	assert_true(view_enter(v));
	assert_true(view_kind(v)->code);
	assert_int_equal(view_function(v, &hottest), view_snapshot(v)->function.frame);
	assert_selected(v, "movl next(, %rdx, 4), %edx");
	assert_screen(v, "> annotate > hot_a", true);
	assert_true(view_move(v, 2));
	assert_selected(v, "jne 0x401118");
	assert_true(view_enter(v));
	assert_selected(v, "movl value(, %rdx, 4), %r8d");
	assert_false(view_enter(v)); /* goes nowhere */
	assert_screen(v, "hot_a > ", false);
	assert_true(view_back(v));
	assert_selected(v, "jne 0x401118");
	assert_true(view_back(v));
	assert_false(view_kind(v)->code);
	view_free(v);
}

UNIT_TEST(test_calls)
{
	struct view *v = open_view("annotate", true, true);
	bool hottest;

	assert_true(view_search(v, "callq", 1));
	assert_selected(v, "callq");
	assert_true(view_enter(v));
	assert_string_equal(frame_symbol(view_snapshot(v)->frames, view_function(v, &hottest)),
			    "malloc");
	assert_int_equal(view_list_count(v, &list_code), 0); /* the snapshot has another one */
	assert_screen(v, "its code is requested", true);
	assert_true(view_back(v));
	assert_selected(v, "callq");
	view_free(v);
}

UNIT_TEST(test_modes)
{
	struct view *v = open_view("annotate", true, true);

	assert_screen(v, "load.c:17  sum += value[at] * r[i].weight;", true);
	assert_true(view_next_code_mode(v));
	assert_screen(v, "load.c:17", false);
	assert_selected(v, "movl next(, %rdx, 4), %edx");
	assert_true(view_next_code_mode(v));
	assert_selected(v, "load.c:16  for (int at");
	assert_screen(v, "movl next", false);
	assert_true(view_enter(v));
	assert_selected(v, "movl (%rdi, %rcx, 8), %edx"); /* the first one of the line */
	assert_true(view_back(v));
	assert_selected(v, "load.c:16  for (int at");
	assert_true(view_next_code_mode(v));
	assert_screen(v, "movl next", true);
	assert_screen(v, "load.c:17", true);
	view_free(v);
	v = open_view("processes", true, true);
	assert_false(view_next_code_mode(v));
	view_free(v);
}

UNIT_TEST(test_order_and_filter)
{
	struct view *v = open_view("annotate", true, true);
	struct error err = { "" };

	assert_screen(v, "▶ movl value", true);
	assert_true(view_set_sort(v, "-share%", &err));
	assert_screen(v, "▶", false);
	view_move(v, LONG_MIN);
	assert_true(row_of(v, 0)->share_percent >= row_of(v, 1)->share_percent);
	assert_true(view_set_sort(v, "+offset", &err));
	assert_screen(v, "▶ movl value", true);
	assert_true(view_set_filter(v, "movl"));
	assert_int_equal(view_list_count(v, &list_code), 3);
	assert_screen(v, "▶", false);
	assert_true(fabs(sum_of(v, false) - 100 * 75 / 128.0) < 1e-9);
	assert_true(view_set_filter(v, "nothing has this"));
	assert_screen(v, "no instruction passes the filter", true);
	view_free(v);
}

/* Where no instructions are known, rows are the addresses, and say why. */
UNIT_TEST(test_addresses_alone)
{
	struct view *v = open_view("annotate", true, false);

	assert_int_equal(view_list_count(v, &list_code), 17);
	assert_true(fabs(sum_of(v, false) - 100) < 1e-9);
	assert_screen(v, "made while it ran, and in no file", true);
	assert_selected(v, " 47.66 ");
	assert_false(view_enter(v));
	assert_false(view_next_code_mode(v));
	view_free(v);
}

/* The samples are those of the process that is zoomed into. */
UNIT_TEST(test_zoom)
{
	struct view *v = open_view(NULL, true, true);
	const struct snapshot *s = view_snapshot(v);
	double all = 0, shown = 0;

	assert_true(view_show(v, view_kind_find("annotate")));
	for (size_t i = 0; i < s->function.address_count; i++) {
		const struct snapshot_cell *c = &s->function.addresses[i].cell;

		all += c->event == view_event(v) ? c->samples : 0;
	}
	for (size_t i = 0; i < view_list_count(v, &list_code); i++)
		shown += row_of(v, i)->is_line ? 0 : row_of(v, i)->samples;
	assert_true(fabs(shown - all) < 1e-6 * all);
	view_show(v, view_kinds);
	view_move(v, 3); /* a process that does not run it */
	view_enter(v);
	view_show(v, view_kind_find("annotate"));
	if (view_list_count(v, &list_code))
		assert_true(isnan(row_of(v, 0)->share_percent));
	view_free(v);
}

/* As a golden text: the shapes of arrows. */
UNIT_TEST(test_arrows)
{
	struct arrow_jump jumps[] = { { 0, 9 }, { 1, 4 }, { 2, 4 }, { 6, 5 }, { 8, 3 }, { 7, 7 } };
	struct arrows a = { 0 };
	struct grid *g = grid_new(11, 24);

	arrows_make(&a, 10, jumps, sizeof(jumps) / sizeof(jumps[0]));
	for (size_t i = 0; i < 10; i++) {
		arrows_draw(g, (int)i, 1, &a, i, STYLE_NORMAL);
		grid_printf(g, (int)i, 1 + arrows_width(&a), -1, STYLE_NORMAL, "%zu", i);
	}
	grid_set_ascii(g, true);
	for (size_t i = 0; i < 10; i++)
		arrows_draw(g, (int)i, 14, &a, i, STYLE_NORMAL);
	golden_check(g, "arrows");
	arrows_fini(&a);
	grid_free(g);
}

/* More arrows than lanes, and all over each other. */
UNIT_TEST(test_many_arrows)
{
	enum { MANY = 20000 };
	struct arrow_jump *jumps = calloc(MANY, sizeof(*jumps));
	struct arrows a = { 0 };

	for (int round = 0; round < 3; round++) {
		for (uint32_t i = 0; i < MANY; i++)
			jumps[i] = (struct arrow_jump){ i, round == 0   ? MANY - 1 - i
							   : round == 1 ? i * 7919u % MANY
									: 0 };
		arrows_make(&a, MANY, jumps, MANY);
		assert_in_range(arrows_width(&a), 3, ARROW_LANES + 2);
	}
	arrows_make(&a, 0, NULL, 0);
	assert_int_equal(arrows_width(&a), 0);
	arrows_fini(&a);
	free(jumps);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_shares),
		cmocka_unit_test(test_merged_cells),
		cmocka_unit_test(test_base),
		cmocka_unit_test(a_group_has_its_own_base),
		cmocka_unit_test(test_counters_by_line),
		cmocka_unit_test(test_first_snapshot_chooses_none),
		cmocka_unit_test(test_recorded_moment_chooses_one),
		cmocka_unit_test(test_way),
		cmocka_unit_test(test_calls),
		cmocka_unit_test(test_modes),
		cmocka_unit_test(test_order_and_filter),
		cmocka_unit_test(test_addresses_alone),
		cmocka_unit_test(test_zoom),
		cmocka_unit_test(test_arrows),
		cmocka_unit_test(test_many_arrows),
	};

	if (!golden_locale()) {
		puts("no UTF-8 locale for the golden screens");
		return UNIT_SKIP;
	}
	return unit_run(tests);
}
