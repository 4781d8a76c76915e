/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unit.h"

#include <locale.h>

#include "base/alloc.h"
#include "output/output.h"
#include "profile/code.h"
#include "profile/histogram.h"
#include "profile/invariant.h"
#include "profile/sample-code.h"
#include "profile/sample-snapshot.h"
#include "share/block.h"
#include "share/layout.h"
#include "view/kind.h"
#include "view/view.h"
#include "view/widget/grid.h"

enum { ROWS = 40, COLUMNS = 160, ROOMY = 64 << 20 };

static struct snapshot *with_all(void)
{
	static const uint32_t pids[] = { 4123, 4180 };
	struct snapshot *s = sample_snapshot_stacks(true);
	struct snapshot_past *p = &s->past;

	sample_cpus(s, 8, 2);
	sample_groups(s, 20);
	s->target.pids = pids;
	s->target.pid_count = 2;
	s->target.cgroup = "/user.slice";
	p->kept = true;
	p->count = 2;
	p->slices = mem_array(2, sizeof(*p->slices));
	p->slices[0] = (struct snapshot_slice){ 100, 200 };
	p->slices[1] = (struct snapshot_slice){ 300, 400 };
	p->samples = mem_array(2 * s->event_count, sizeof(*p->samples));
	p->samples[1] = 7;
	p->realtime_ns = INT64_MAX;
	return s;
}

static struct buf block_of(const struct snapshot *s, size_t limit, int64_t cut)
{
	struct buf block = { 0 };

	assert_int_equal(block_write(s, limit, &block), cut);
	assert_true(block.size <= limit);
	return block;
}

/* A copy of just that size, so a sanitizer sees what is read behind it. */
static struct snapshot *read_bytes(struct block_reader *r, const void *bytes, size_t size,
				   enum block_error *why)
{
	void *copy = malloc(size ? size : 1);

	memcpy(copy, bytes, size);
	return block_read(r, copy, size, why);
}

static struct snapshot *read_block(struct block_reader *r, const struct buf *block)
{
	enum block_error why;
	struct snapshot *s = read_bytes(r, block->bytes, block->size, &why);

	assert_int_equal(why, BLOCK_GOOD);
	assert_non_null(s);
	return s;
}

/* All that views and JSON show of S, which is taken over. */
static char *shown(struct snapshot *s)
{
	struct error err = { "" };
	struct view_options options = { .threads = true };
	struct view *v = view_new(&options, &err);
	struct output_request request = { .view = v, .first = true };
	struct buf out = { 0 };
	struct grid *g = grid_new(ROWS, COLUMNS);

	assert_non_null(v);
	view_set_snapshot(v, s);
	assert_int_equal(output_format_find("json")->write(&out, &request, &err), 0);
	for (const struct view_kind *k = view_kinds; k->name; k++) {
		view_show(v, k);
		view_draw(v, g);
		grid_dump(g, &out);
	}
	grid_free(g);
	view_free(v);
	return out.bytes;
}

static void assert_same(struct snapshot *(*make)(void))
{
	struct block_reader *r = block_reader_new(NULL, 0);
	struct snapshot *s = make();
	struct buf block = block_of(s, ROOMY, 0);
	char *before, *after;

	for (size_t i = 0; i < INVARIANTS; i++)
		invariants[i].check(s); /* the reader does so, too */
	before = shown(s);
	after = shown(read_block(r, &block));
	assert_true(strlen(before) > 1000);
	assert_string_equal(before, after);
	free(before);
	free(after);
	buf_fini(&block);
	block_reader_free(r);
}

static struct snapshot *with_code(void)
{
	struct snapshot *s = with_all();

	sample_code(s, true);
	return s;
}

static struct snapshot *with_addresses(void)
{
	struct snapshot *s = with_all();

	sample_code(s, false);
	return s;
}

static struct snapshot *software(void)
{
	return sample_snapshot(false);
}

static struct snapshot *threads(void)
{
	return sample_snapshot_threads(true);
}

static struct snapshot *nothing(void)
{
	static struct frame_table *none; /* outlives its snapshots */
	struct snapshot *s = snapshot_new();

	if (!none)
		none = frame_table_new(NULL, 0);
	s->frames = none;
	return s;
}

UNIT_TEST(a_read_snapshot_shows_what_the_written_one_does)
{
	assert_same(with_all);
	assert_same(software);
	assert_same(threads);
	assert_same(with_code);
	assert_same(with_addresses);
	assert_same(nothing);
}

UNIT_TEST(what_no_view_shows_is_the_same)
{
	struct block_reader *r = block_reader_new(NULL, 0);
	struct snapshot *s = with_all(), *read;
	struct buf block = block_of(s, ROOMY, 0);

	read = read_block(r, &block);
	assert_int_equal(read->target.pid_count, 2);
	assert_int_equal(read->target.pids[1], 4180);
	assert_string_equal(read->target.cgroup, "/user.slice");
	assert_int_equal(read->past.count, 2);
	assert_int_equal(read->past.slices[1].from_ns, 300);
	assert_true(read->past.samples[1] == 7);
	assert_true(read->past.realtime_ns == INT64_MAX);
	assert_true(read->node_count > 2 && read->node_count <= s->node_count);
	assert_int_equal(read->counter_event[EVENT_CYCLES], s->counter_event[EVENT_CYCLES]);
	snapshot_free(read);
	snapshot_free(s);
	buf_fini(&block);
	block_reader_free(r);
}

/* Five digits of a weight are what a view shows at most; sums stay sums, so no invariant breaks. */
UNIT_TEST(weights_of_a_stream_are_nearly_the_same)
{
	struct block_stream *stream = block_stream_new();
	struct block_reader *r = block_reader_new(NULL, 0);
	struct snapshot *s = with_all(), *read;
	struct buf block = { 0 };
	bool any = false;

	s->halvings = 41.7;
	for (size_t i = 0; i < s->cell_count; i++)
		s->cells[i].samples *= 1.0 / 3;
	assert_int_equal(block_stream_write(stream, s, ROOMY, &block), 0);
	read = read_block(r, &block);
	assert_int_equal(read->cell_count, s->cell_count);
	assert_int_equal(read->violation_count, s->violation_count);
	for (size_t i = 0; i < s->cell_count; i++) {
		double was = s->cells[i].samples, now = read->cells[i].samples;

		any |= was != now;
		assert_true(fabs(was - now) <= was * 1e-5);
		was = s->cells[i].period, now = read->cells[i].period;
		assert_true(fabs(was - now) <= was * 1e-5);
	}
	assert_true(any);
	snapshot_free(read);
	snapshot_free(s);
	buf_fini(&block);
	block_stream_free(stream);
	block_reader_free(r);
}

/* As the engine lets weights decay: by a factor for each interval. */
static void decay(struct snapshot *s, double halvings)
{
	double factor = exp2(-halvings);

	s->halvings -= halvings;
	for (size_t i = 0; i < s->cell_count; i++) {
		s->cells[i].samples *= factor;
		s->cells[i].period *= factor;
		for (size_t e = 0; s->cells[i].counters && e < s->event_count; e++)
			((double *)s->cells[i].counters)[e] *= factor;
	}
}

static size_t differences(const struct buf *a, const struct buf *b)
{
	size_t count = 0;

	assert_int_equal(a->size, b->size);
	for (size_t i = 0; i < a->size; i++)
		count += a->bytes[i] != b->bytes[i];
	return count;
}

/* Else each block of a stream has all of its bytes, however they are compressed. */
UNIT_TEST(what_only_decays_is_the_same_bytes)
{
	struct block_stream *stream = block_stream_new();
	struct buf first = { 0 }, later = { 0 };
	struct snapshot *s = with_all();

	s->halvings = 60;
	assert_int_equal(block_stream_write(stream, s, ROOMY, &first), 0);
	for (int i = 0; i < 100; i++)
		decay(s, 0.2);
	assert_int_equal(block_stream_write(stream, s, ROOMY, &later), 0);
	assert_in_range(differences(&first, &later), 1, sizeof(s->halvings));
	snapshot_free(s);
	buf_fini(&first);
	buf_fini(&later);
	block_stream_free(stream);
}

/* Another snapshot has its texts elsewhere in memory, and one more before them. */
UNIT_TEST(texts_keep_their_places)
{
	struct block_stream *stream = block_stream_new();
	struct snapshot *s = with_all(), *other = with_all();
	struct buf first = { 0 }, later = { 0 }, grown = { 0 };
	char text[64];

	assert_int_equal(block_stream_write(stream, s, ROOMY, &first), 0);
	assert_int_equal(block_stream_write(stream, other, ROOMY, &later), 0);
	assert_int_equal(differences(&first, &later), 0);
	for (int i = 0; i < 10000; i++) {
		snprintf(text, sizeof(text), "version %d, which nobody needs later", i);
		other->version = text;
		assert_int_equal(block_stream_write(stream, other, ROOMY, &grown), 0);
		assert_true(grown.size < 3 * first.size + (128 << 10));
	}
	snapshot_free(s);
	snapshot_free(other);
	buf_fini(&first);
	buf_fini(&later);
	buf_fini(&grown);
	block_stream_free(stream);
}

/* HALVINGS of a foreign block, and weights that it makes too large. */
UNIT_TEST(weights_out_of_range_are_refused)
{
	static const double bad[] = { -1, HISTOGRAM_HALVINGS + 1, NAN, INFINITY };
	const double good = 40.5;
	struct block_reader *r = block_reader_new(NULL, 0);
	struct block_stream *stream = block_stream_new();
	struct snapshot *s = with_all();
	enum block_error why;
	struct buf block = { 0 };

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		s->halvings = good;
		block_stream_write(stream, s, ROOMY, &block);
		memcpy(memmem(block.bytes, block.size, &good, sizeof(good)), &bad[i], sizeof(good));
		assert_null(read_bytes(r, block.bytes, block.size, &why));
		assert_int_equal(why, BLOCK_DAMAGED);
	}
	s->halvings = HISTOGRAM_HALVINGS;
	s->cells[0].period = 0x1p80;
	block_stream_write(stream, s, ROOMY, &block);
	assert_null(read_bytes(r, block.bytes, block.size, &why));
	assert_int_equal(why, BLOCK_DAMAGED);
	snapshot_free(s);
	buf_fini(&block);
	block_stream_free(stream);
	block_reader_free(r);
}

/* Selections and folded rows are found again by these numbers. */
UNIT_TEST(functions_keep_their_numbers)
{
	struct block_reader *r = block_reader_new(NULL, 0);
	struct snapshot *s = with_all(), *first, *second;
	struct buf few = { 0 }, all = block_of(s, ROOMY, 0);
	uint32_t frame;

	assert_true(block_write(s, BLOCK_BYTES_MIN / 4, &few) > 0);
	first = read_block(r, &few);
	second = read_block(r, &all);
	assert_true(first->cell_count && first->cell_count < second->cell_count);
	frame = first->cells[0].frame;
	assert_string_equal(frame_symbol(first->frames, frame), "hot_a");
	for (size_t i = 0; i < second->cell_count; i++)
		assert_true((second->cells[i].frame == frame) ==
			    !strcmp(frame_symbol(s->frames, s->cells[i].frame), "hot_a"));
	snapshot_free(first);
	snapshot_free(second);
	snapshot_free(s);
	buf_fini(&few);
	buf_fini(&all);
	block_reader_free(r);
}

static double heaviest(const struct snapshot *s)
{
	double most = 0;

	for (size_t i = 0; i < s->cell_count; i++)
		most = s->cells[i].samples > most ? s->cells[i].samples : most;
	return most;
}

/* All sizes, down to one that has no room for any row. */
UNIT_TEST(what_does_not_fit_is_cut_and_counted)
{
	struct block_reader *r = block_reader_new(NULL, 0);
	struct snapshot *s = with_all(), *read;
	struct buf block = block_of(s, ROOMY, 0);
	size_t whole = block.size, limit = whole;
	int64_t cut = 0, last;

	do {
		last = cut;
		limit -= 512;
		cut = block_write(s, limit, &block);
		if (cut < 0)
			break;
		assert_true(block.size <= limit && cut > 0);
		/* Rows go by tenths, so a smaller block may just have room for some more of them. */
		assert_true(cut + last / 10 + 1 >= last);
		read = read_block(r, &block);
		assert_int_equal(read->sampling.losses[LOSS_CUT], cut);
		assert_int_equal(s->cell_count + s->process_count -
					 (read->cell_count + read->process_count),
				 cut);
		assert_true(!read->cell_count || heaviest(read) == heaviest(s));
		assert_true(read->cell_count || read->node_count == 2);
		snapshot_free(read);
	} while (limit > 512);
	assert_true(cut < 0 && last > (int64_t)s->cell_count);
	snapshot_free(s);
	buf_fini(&block);
	block_reader_free(r);
}

UNIT_TEST(code_is_cut_first)
{
	struct block_reader *r = block_reader_new(NULL, 0);
	struct snapshot *s = with_code(), *read;
	struct buf block = block_of(s, ROOMY, 0);

	read = read_block(r, &block);
	assert_int_equal(read->function.code->instruction_count,
			 s->function.code->instruction_count);
	snapshot_free(read);
	assert_int_equal(block_write(s, block.size - 1, &block), 0);
	read = read_block(r, &block);
	assert_string_equal(frame_symbol(read->frames, read->function.frame), "hot_a");
	assert_int_equal(read->function.address_count, s->function.address_count);
	assert_null(read->function.code);
	assert_non_null(strstr(read->function.missing, "--serve-size"));
	snapshot_free(read);
	snapshot_free(s);
	buf_fini(&block);
	block_reader_free(r);
}

/* The code of a snapshot may be shown longer than the snapshot. */
UNIT_TEST(code_outlives_its_block)
{
	struct block_reader *r = block_reader_new(NULL, 0);
	struct snapshot *s = with_code(), *read;
	struct buf block = block_of(s, ROOMY, 0);
	struct code *code;

	read = read_block(r, &block);
	code = code_get(read->function.code);
	snapshot_free(read);
	for (size_t i = 0; i < code->instruction_count; i++)
		assert_string_equal(code->instructions[i].text,
				    s->function.code->instructions[i].text);
	for (size_t i = 0; i < code->line_count; i++)
		assert_string_equal(code->lines[i].label, s->function.code->lines[i].label);
	code_put(code);
	snapshot_free(s);
	buf_fini(&block);
	block_reader_free(r);
}

/*
 * Each server numbers functions as they come: after another one has taken its place, a number is another function.  The
 * same function has the number here that it had.
 */
UNIT_TEST(numbers_are_those_of_their_writer)
{
	struct frame_key key = { .object_path = "/a", .object_name = "a" };
	struct frame_table *tables[2];
	struct block_reader *r = block_reader_new(NULL, 0);
	struct snapshot *read[2], *others[2];

	for (uint32_t i = 0; i < 2; i++) {
		struct snapshot *s = nothing();
		struct buf block;

		s->frames = tables[i] = frame_table_new(NULL, 0);
		for (uint32_t symbol = 0; symbol < 2; symbol++) {
			key.symbol = symbol;
			key.raw = (symbol ^ i) ? "second" : "first";
			frame_table_add(tables[i], &key);
		}
		s->function.frame = FRAME_REST + 1;
		block = block_of(s, ROOMY, 0);
		read[i] = read_block(r, &block);
		assert_string_equal(frame_symbol(read[i]->frames, read[i]->function.frame),
				    i ? "second" : "first");
		assert_int_equal(block_reader_theirs(r, read[i]->function.frame), FRAME_REST + 1);
		s->function.frame = FRAME_REST + 2;
		assert_int_equal(block_write(s, ROOMY, &block), 0);
		others[i] = read_block(r, &block);
		snapshot_free(s);
		buf_fini(&block);
	}
	assert_int_equal(others[1]->function.frame, read[0]->function.frame);
	assert_int_equal(others[0]->function.frame, read[1]->function.frame);
	assert_int_equal(block_reader_theirs(r, read[0]->function.frame), FRAME_REST + 2);
	assert_int_equal(block_reader_theirs(r, UINT32_MAX), FRAME_NONE);
	for (uint32_t i = 0; i < 2; i++) {
		snapshot_free(read[i]);
		snapshot_free(others[i]);
		frame_table_free(tables[i]);
	}
	block_reader_free(r);
}

/* Rows of idle processes go before functions that took time. */
UNIT_TEST(functions_stay_beside_very_many_processes)
{
	enum { MORE = 5000 };
	struct block_reader *r = block_reader_new(NULL, 0);
	struct snapshot *s = with_all(), *read;
	struct buf block = { 0 };
	size_t count = s->process_count;
	int64_t cut;

	s->processes = realloc(s->processes, (count + MORE) * sizeof(*s->processes));
	assert_non_null(s->processes);
	for (size_t i = count; i < count + MORE; i++) {
		s->processes[i] = snapshot_process_unknown;
		s->processes[i].counters = s->unknown;
	}
	s->process_count += MORE;
	cut = block_write(s, 256 << 10, &block);
	assert_true(cut > 0);
	read = read_block(r, &block);
	assert_int_equal(read->cell_count, s->cell_count);
	assert_int_equal(s->process_count - read->process_count, cut);
	assert_true(read->process_count > count);
	snapshot_free(read);
	snapshot_free(s);
	buf_fini(&block);
	block_reader_free(r);
}

UNIT_TEST(a_block_of_another_version_is_told)
{
	struct block_reader *r = block_reader_new(NULL, 0);
	struct snapshot *s = software();
	struct buf block = block_of(s, ROOMY, 0);
	enum block_error why;

	block.bytes[0] ^= 1;
	assert_null(read_bytes(r, block.bytes, block.size, &why));
	assert_int_equal(why, BLOCK_OTHER_FORMAT);
	assert_null(read_bytes(r, block.bytes, 7, &why));
	assert_int_equal(why, BLOCK_OTHER_FORMAT);
	snapshot_free(s);
	buf_fini(&block);
	block_reader_free(r);
}

UNIT_TEST(a_block_that_is_cut_anywhere_is_refused)
{
	struct block_reader *r = block_reader_new(NULL, 0);
	struct snapshot *s = with_all();
	struct buf block = block_of(s, ROOMY, 0);
	enum block_error why;

	for (size_t size = 0; size < block.size; size += 1 + size / 64)
		assert_null(read_bytes(r, block.bytes, size, &why));
	for (size_t size = 0; size < block.size; size += 1 + size / 64) {
		struct block_head head;
		char *copy = malloc(size + sizeof(head));

		/* With a head that agrees. */
		memcpy(copy, block.bytes, size);
		memcpy(&head, block.bytes, sizeof(head));
		head.bytes = size;
		head.text_bytes = head.text_bytes < size ? head.text_bytes : 0;
		memcpy(copy, &head, size < sizeof(head) ? size : sizeof(head));
		assert_null(block_read(r, copy, size, &why));
	}
	snapshot_free(s);
	buf_fini(&block);
	block_reader_free(r);
}

/* Changes a snapshot as only a hostile writer would. */
typedef void spoiler(struct snapshot *s);

static void event_of_cell(struct snapshot *s)
{
	s->cells[3].event = (uint16_t)s->event_count;
}

static void wait_of_cell(struct snapshot *s)
{
	s->cells[3].wait = 100;
}

static void node_of_cell(struct snapshot *s)
{
	s->cells[3].node = s->cells[3].node > 4 ? 4 : 5;
}

static void groups_in_a_circle(struct snapshot *s)
{
	s->groups[1].parent = 2;
	s->groups[2].parent = 1;
}

static void parent_of_group(struct snapshot *s)
{
	s->groups[1].parent = (uint32_t)s->group_count;
}

static void cpus_out_of_order(struct snapshot *s)
{
	s->cpus[3].facts.number = 0;
}

static void event_id(struct snapshot *s)
{
	s->events[1].id = EVENT_IDS;
}

static void infinite_share(struct snapshot *s)
{
	s->processes[1].cpu_percent = INFINITY;
}

static void huge_memory(struct snapshot *s)
{
	s->processes[1].resident_bytes = INT64_MAX;
}

static void control_character(struct snapshot *s)
{
	s->processes[1].state = 27;
}

static void no_name(struct snapshot *s)
{
	s->events[0].name = NULL;
}

UNIT_TEST(what_views_cannot_use_is_refused)
{
	static spoiler *const all[] = {
		event_of_cell,     wait_of_cell, node_of_cell,   groups_in_a_circle,
		parent_of_group,   event_id,     infinite_share, cpus_out_of_order,
		control_character, huge_memory,  no_name,
	};
	struct block_reader *r = block_reader_new(NULL, 0);

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
		struct snapshot *s = with_all();
		enum block_error why;
		struct buf block;

		all[i](s);
		block = block_of(s, ROOMY, 0);
		assert_null(read_bytes(r, block.bytes, block.size, &why));
		assert_int_equal(why, BLOCK_DAMAGED);
		buf_fini(&block);
		snapshot_free(s);
	}
	block_reader_free(r);
}

/* As where it was measured: profile/invariant.h. */
UNIT_TEST(impossible_figures_are_absent)
{
	struct block_reader *r = block_reader_new(NULL, 0);
	struct snapshot *s = software(), *read;
	struct buf block;

	s->host.cpu_percent = 1e12;
	block = block_of(s, ROOMY, 0);
	read = read_block(r, &block);
	assert_true(isnan(read->host.cpu_percent));
	snapshot_free(read);
	snapshot_free(s);
	buf_fini(&block);
	block_reader_free(r);
}

/* Functions have their part of the memory, however many a writer names. */
UNIT_TEST(names_stay_within_their_part)
{
	struct block_reader *r = block_reader_new(NULL, ACCOUNT_BYTES_MIN);
	struct frame_table *t = frame_table_new(NULL, 0);
	uint32_t object = 1;

	for (int round = 0; round < 100; round++) {
		struct snapshot *s = snapshot_new(), *read;
		struct buf block;

		snapshot_alloc_events(s, 1);
		s->events[0].name = s->events[0].canonical = "cycles";
		snapshot_alloc_cells(s, 2000);
		s->frames = t;
		for (size_t i = 0; i < s->cell_count; i++) {
			char name[40];
			struct frame_key key = { .object = object,
						 .raw = name,
						 .object_path = "a",
						 .object_name = "a" };

			snprintf(name, sizeof(name), "function %u", object++);
			s->cells[i].comm = "";
			s->cells[i].frame = frame_table_add(t, &key);
		}
		block = block_of(s, ROOMY, 0);
		read = read_block(r, &block);
		assert_true(frame_table_bytes(read->frames) <=
			    account_most(ACCOUNT_BYTES_MIN, ACCOUNT_FUNCTIONS));
		snapshot_free(read);
		snapshot_free(s);
		buf_fini(&block);
	}
	frame_table_free(t);
	block_reader_free(r);
}

static size_t aligned(size_t offset, size_t size)
{
	size_t align = size < sizeof(void *) ? size : sizeof(void *);

	return (offset + align - 1) / align * align;
}

/* Members that no block has: END is that of the last one that it has. */
static size_t behind_unwritten(size_t part, size_t end)
{
	static const struct {
		size_t part, offset, size;
	} unwritten[] = {
		{ PART_GROUPS, offsetof(struct snapshot_group, counters), 2 * sizeof(void *) },
		{ PART_PROCESSES, offsetof(struct snapshot_process, owner), sizeof(uint64_t) },
		{ PART_CELLS, offsetof(struct snapshot_cell, owner), sizeof(uint64_t) },
		{ PART_FUNCTION, offsetof(struct snapshot_function, addresses),
		  4 * sizeof(void *) },
		{ PART_ADDRESSES, offsetof(struct snapshot_cell, pid), sizeof(uint32_t) },
		/* The owner and three more, and the wait and two more. */
		{ PART_ADDRESSES, offsetof(struct snapshot_cell, owner), 3 * sizeof(uint64_t) },
		{ PART_ADDRESSES, offsetof(struct snapshot_cell, wait), 1 },
		{ PART_ADDRESSES, offsetof(struct snapshot_cell, group), sizeof(uint32_t) },
		{ PART_ADDRESSES, offsetof(struct snapshot_cell, node), sizeof(uint32_t) },
		{ PART_ADDRESSES, offsetof(struct snapshot_cell, longest), 2 * sizeof(uint64_t) },
		{ PART_CODE, offsetof(struct code, references), sizeof(unsigned) },
		{ PART_CODE, offsetof(struct code, instructions), 4 * sizeof(void *) },
	};

	for (size_t i = 0; i < sizeof(unwritten) / sizeof(*unwritten); i++) {
		if (part == unwritten[i].part &&
		    aligned(end, unwritten[i].size) == unwritten[i].offset)
			end = unwritten[i].offset + unwritten[i].size;
	}
	return end;
}

/* The member that begins at OFFSET or next behind it. */
static const struct field *member_from(const struct fields *f, size_t offset)
{
	const struct field *next = NULL;

	for (size_t i = 0; i < f->count; i++) {
		if (f->items[i].offset >= offset && (!next || f->items[i].offset < next->offset))
			next = &f->items[i];
	}
	return next;
}

static bool follows(const struct field *next, size_t end)
{
	return next && (next->offset == end || next->offset == aligned(end, next->size));
}

/* No member is forgotten: between two rows of the table there is padding at most. */
UNIT_TEST(the_tables_have_all_members)
{
	for (size_t part = 0; part < PARTS; part++) {
		const struct fields *f = &layout_parts[part];
		size_t end = 0;

		for (size_t covered = 0; covered < f->count; covered++) {
			const struct field *next = member_from(f, end);

			if (!follows(next, end)) {
				end = behind_unwritten(part, end);
				next = member_from(f, end);
			}
			if (!follows(next, end))
				fail_msg("behind %zu of part %zu", end, part);
			end = next->offset + next->size;
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_read_snapshot_shows_what_the_written_one_does),
		cmocka_unit_test(what_no_view_shows_is_the_same),
		cmocka_unit_test(weights_of_a_stream_are_nearly_the_same),
		cmocka_unit_test(what_only_decays_is_the_same_bytes),
		cmocka_unit_test(texts_keep_their_places),
		cmocka_unit_test(weights_out_of_range_are_refused),
		cmocka_unit_test(functions_keep_their_numbers),
		cmocka_unit_test(what_does_not_fit_is_cut_and_counted),
		cmocka_unit_test(code_is_cut_first),
		cmocka_unit_test(code_outlives_its_block),
		cmocka_unit_test(numbers_are_those_of_their_writer),
		cmocka_unit_test(functions_stay_beside_very_many_processes),
		cmocka_unit_test(a_block_of_another_version_is_told),
		cmocka_unit_test(a_block_that_is_cut_anywhere_is_refused),
		cmocka_unit_test(what_views_cannot_use_is_refused),
		cmocka_unit_test(impossible_figures_are_absent),
		cmocka_unit_test(names_stay_within_their_part),
		cmocka_unit_test(the_tables_have_all_members),
	};

	setlocale(LC_CTYPE, "C.UTF-8");
	return unit_run(tests);
}
