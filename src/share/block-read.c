/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "profile/cell.h"
#include "profile/code.h"
#include "profile/distribution.h"
#include "profile/histogram.h"
#include "profile/invariant.h"
#include "share/block.h"
#include "share/layout.h"

/*
 * Chains of parents are walked for each of their ends, so their length is bounded: groups by the longest path, stacks
 * by far more than a kernel takes.
 */
#define GROUP_DEPTH_MAX 2048
#define STACK_DEPTH_MAX 8192
/* Many rows may have one text, so as much is read of it as a name needs. */
#define CODE_TEXT_BYTES 1024  /* of an instruction or a line */
#define FRAME_TEXT_BYTES 4096 /* of a function or its object */

struct block_reader {
	struct frame_table *frames;
	struct strtab *paths; /* texts that frames borrow */
	uint64_t memory_bytes;
	uint64_t writer;    /* block_head.frames of the newest block */
	struct map numbers; /* the writer's number of a frame to ours */
	struct map named;   /* name_of() a frame to the newest of ours that has it */
	uint32_t *theirs;   /* by our number: the writer's */
	size_t theirs_capacity;
	uint32_t symbols; /* frames that were added */
};

/* A block that is being read. */
struct reading {
	struct block_reader *r;
	struct field_reader from;
	struct snapshot *s;
	const uint64_t *counts; /* of the head, by part */
	double unfading;        /* what weights of cells are multiplied by */
};

struct block_reader *block_reader_new(frame_demangler *demangle, uint64_t memory_bytes)
{
	struct block_reader *r = mem_alloc(sizeof(*r));

	r->frames = frame_table_new(demangle, memory_bytes);
	r->paths = strtab_new();
	r->memory_bytes = memory_bytes;
	r->numbers.seed = hash_seed();
	r->named.seed = hash_seed();
	return r;
}

void block_reader_free(struct block_reader *r)
{
	if (!r)
		return;
	frame_table_free(r->frames);
	strtab_free(r->paths);
	map_fini(&r->numbers);
	map_fini(&r->named);
	free(r->theirs);
	free(r);
}

/* Numbers of another table mean other functions; ours stay, and get those of the same names again. */
static void take_writer(struct block_reader *r, uint64_t writer)
{
	if (writer == r->writer)
		return;
	r->writer = writer;
	map_fini(&r->numbers);
	if (r->theirs_capacity)
		memset(r->theirs, 0, r->theirs_capacity * sizeof(*r->theirs));
}

uint32_t block_reader_theirs(const struct block_reader *r, uint32_t frame)
{
	return frame < r->theirs_capacity ? r->theirs[frame] : FRAME_NONE;
}

/* Returns true, and fails, if the block is not as a writer makes it. */
static bool refuse_if(struct reading *b, bool wrong)
{
	b->from.in.failed |= wrong;
	return b->from.in.failed;
}

static bool may_follow(struct reading *b, enum block_part part, size_t more)
{
	return fields_may_follow(&layout_parts[part], b->counts[part], more, &b->from);
}

static void row_read(struct reading *b, enum block_part part, void *row)
{
	fields_read(&layout_parts[part], row, &b->from);
}

/* The pids lie behind the head, so they are aligned. */
static void pids_read(struct reading *b)
{
	size_t count = b->counts[PART_PIDS];

	if (!may_follow(b, PART_PIDS, 0))
		return;
	b->s->target.pids = bytes_take(&b->from.in, count * sizeof(uint32_t));
	b->s->target.pid_count = count;
}

static void events_read(struct reading *b)
{
	if (refuse_if(b, b->counts[PART_EVENTS] > BLOCK_EVENTS_MAX) ||
	    !may_follow(b, PART_EVENTS, 0))
		return;
	snapshot_alloc_events(b->s, b->counts[PART_EVENTS]);
	for (size_t i = 0; i < b->s->event_count; i++)
		row_read(b, PART_EVENTS, &b->s->events[i]);
	if (!b->from.in.failed)
		snapshot_link_counters(b->s);
}

/* A path that lives as long as the frames; "" when all of them have their part. */
static const char *path_keep(struct block_reader *r, const char *path)
{
	return strtab_bytes(r->paths) < account_most(r->memory_bytes, ACCOUNT_OBJECTS)
		       ? strtab_add_n(r->paths, path, FRAME_TEXT_BYTES - 1)
		       : "";
}

/* TEXT, or what ROOM has room for of it. */
static const char *shortened(const char *text, char room[FRAME_TEXT_BYTES])
{
	size_t size = strnlen(text, FRAME_TEXT_BYTES - 1);

	if (!text[size])
		return text;
	memcpy(room, text, size);
	room[size] = '\0';
	return room;
}

static uint64_t name_of(const struct frame_key *key)
{
	uint64_t path = hash_bytes(key->object_path, strlen(key->object_path));

	return hash_bytes_seeded(path, key->raw, strlen(key->raw));
}

/* Our frame that KEY, called NAME, was for the writer before, and is no other frame of this one; or FRAME_NONE. */
static uint32_t frame_again(const struct block_reader *r, const struct frame_key *key,
			    uint64_t name)
{
	uint32_t frame = (uint32_t)(uintptr_t)map_find(&r->named, name);

	if (!frame || r->theirs[frame] || frame_flags(r->frames, frame) != key->flags ||
	    strcmp(frame_raw_symbol(r->frames, frame), key->raw) != 0 ||
	    strcmp(frame_object_path(r->frames, frame), key->object_path) != 0)
		return FRAME_NONE;
	return frame;
}

/*
 * Our number of KEY, which is the writer's frame THEIRS.  Its symbol is a number of our own, so a writer cannot have
 * two frames that are one.
 */
static uint32_t frame_make(struct block_reader *r, const struct frame_key *key, uint32_t theirs)
{
	const uint64_t name = name_of(key);
	uint32_t frame = frame_again(r, key, name);

	if (!frame) {
		frame = frame_table_add(r->frames, key);
		r->symbols += frame != FRAME_REST;
	}
	if (frame == FRAME_REST)
		return FRAME_NONE;
	map_put(&r->numbers, theirs, (void *)(uintptr_t)frame);
	map_put(&r->named, name, (void *)(uintptr_t)frame);
	mem_grow_zeroed((void **)&r->theirs, &r->theirs_capacity, frame + 1u, sizeof(*r->theirs));
	r->theirs[frame] = theirs;
	return frame;
}

/* A frame is added once: its name does not change. */
static void frame_add(struct block_reader *r, const struct block_frame *f)
{
	char room[FRAME_TEXT_BYTES];
	uint32_t number = (uint32_t)(uintptr_t)map_find(&r->numbers, f->number);
	struct frame_key key = {
		.object = f->object,
		.symbol = r->symbols,
		.flags = f->flags,
		.named_by = f->named_by,
	};

	if (!number && !(f->flags & FRAME_OTHERS)) {
		key.raw = shortened(f->raw, room);
		key.object_path = path_keep(r, f->object_path);
		key.object_name = path_keep(r, f->object_name);
		number = frame_make(r, &key, f->number);
	}
	if (number && f->file)
		frame_set_source(r->frames, number, f->file, f->line);
}

static void frames_read(struct reading *b)
{
	struct block_frame f = { .number = FRAME_REST };
	uint32_t last;

	if (!may_follow(b, PART_FRAMES, 0))
		return;
	for (size_t i = 0; i < b->counts[PART_FRAMES]; i++) {
		last = f.number;
		row_read(b, PART_FRAMES, &f);
		if (refuse_if(b, f.number <= last))
			return;
		frame_add(b->r, &f);
	}
}

/* Our number of the writer's FRAME. */
static uint32_t frame_of(const struct reading *b, uint32_t frame)
{
	uint32_t number;

	if (frame == FRAME_NONE || frame == FRAME_REST)
		return frame;
	number = (uint32_t)(uintptr_t)map_find(&b->r->numbers, frame);
	return number ? number : FRAME_REST;
}

/* DEPTHS has the depth of each node before number I. */
static void node_read(struct reading *b, size_t i, uint16_t *depths)
{
	struct call_node *n = &b->s->nodes[i];

	row_read(b, PART_NODES, n);
	if (i == CALL_ROOT) {
		refuse_if(b, n->parent != CALL_ROOT || n->frame != FRAME_NONE);
		return;
	}
	if (refuse_if(b, n->parent >= i || n->frame == FRAME_NONE ||
				 depths[n->parent] >= STACK_DEPTH_MAX))
		return;
	depths[i] = (uint16_t)(depths[n->parent] + 1);
	n->frame = frame_of(b, n->frame);
}

static void nodes_read(struct reading *b)
{
	size_t count = b->counts[PART_NODES];
	uint16_t *depths;

	if (!count || !may_follow(b, PART_NODES, 0))
		return;
	b->s->nodes = mem_array(count, sizeof(*b->s->nodes));
	b->s->node_count = count;
	depths = mem_array(count, sizeof(*depths));
	for (size_t i = 0; i < count && !b->from.in.failed; i++)
		node_read(b, i, depths);
	free(depths);
}

/* Returns true if counters, or facts, follow. */
static bool has_more(struct reading *b)
{
	uint8_t has = bytes_u8(&b->from.in);

	refuse_if(b, has > 1);
	return has == 1 && !b->from.in.failed;
}

static void processes_read(struct reading *b)
{
	struct snapshot *s = b->s;

	if (!may_follow(b, PART_PROCESSES, 1))
		return;
	snapshot_alloc_processes(s, b->counts[PART_PROCESSES]);
	for (size_t i = 0; i < s->process_count && !b->from.in.failed; i++) {
		row_read(b, PART_PROCESSES, &s->processes[i]);
		if (has_more(b))
			field_read_numbers(&b->from, snapshot_values(s, i), s->event_count);
	}
}

/* Returns true if views can use C's numbers as those of rows. */
static bool cell_is_valid(const struct snapshot *s, const struct snapshot_cell *c)
{
	return c->event < s->event_count &&
	       (c->wait <= DISTRIBUTION_BUCKETS || c->wait == CELL_WAIT_LASTS) &&
	       (s->node_count ? c->node < s->node_count && s->nodes[c->node].frame == c->frame
			      : c->node == CALL_ROOT);
}

static void weights_read(struct reading *b, double *weights, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		weights[i] *= b->unfading;
		refuse_if(b, fabs(weights[i]) > FIELD_NUMBER_MAX);
	}
}

/* There is room for as many numbers as the block can have. */
static double *make_values(const struct reading *b)
{
	return mem_array(b->from.in.left / sizeof(double), sizeof(double));
}

/* The weights of C, and its counters if they follow: at *VALUES, behind which the next ones go. */
static void cell_weigh(struct reading *b, struct snapshot_cell *c, double **values)
{
	const size_t events = b->s->event_count;

	weights_read(b, &c->samples, 1);
	weights_read(b, &c->period, 1);
	if (refuse_if(b, !cell_is_valid(b->s, c)) || !has_more(b))
		return;
	field_read_numbers(&b->from, *values, events);
	weights_read(b, *values, events);
	c->counters = *values;
	*values += events;
}

static void cells_read(struct reading *b)
{
	struct snapshot *s = b->s;
	double *values;

	if (!may_follow(b, PART_CELLS, 1))
		return;
	snapshot_alloc_cells(s, b->counts[PART_CELLS]);
	values = s->cell_values = make_values(b);
	for (size_t i = 0; i < s->cell_count && !b->from.in.failed; i++) {
		struct snapshot_cell *c = &s->cells[i];

		row_read(b, PART_CELLS, c);
		c->frame = frame_of(b, c->frame);
		c->data = frame_of(b, c->data);
		cell_weigh(b, c, &values);
	}
}

static void cpus_read(struct reading *b)
{
	struct snapshot *s = b->s;
	size_t numbers = 2 * s->event_count; /* of counters, and of samples behind them */

	if (!may_follow(b, PART_CPUS, numbers * sizeof(double)))
		return;
	snapshot_alloc_cpus(s, b->counts[PART_CPUS]);
	for (size_t i = 0; i < s->cpu_count && !b->from.in.failed; i++) {
		row_read(b, PART_CPUS, &s->cpus[i]);
		refuse_if(b, i && s->cpus[i].facts.number <= s->cpus[i - 1].facts.number);
		field_read_numbers(&b->from, s->cpu_values + i * numbers, numbers);
	}
}

/* Returns true if each chain of parents ends, soon. */
static bool groups_are_a_tree(const struct snapshot *s)
{
	for (size_t i = 0; i < s->group_count; i++) {
		size_t at = i, depth = 0;

		while (s->groups[at].parent != at && depth++ < GROUP_DEPTH_MAX)
			at = s->groups[at].parent;
		if (s->groups[at].parent != at)
			return false;
	}
	return true;
}

static void groups_read(struct reading *b)
{
	struct snapshot *s = b->s;

	if (!may_follow(b, PART_GROUPS, 2))
		return;
	snapshot_alloc_groups(s, b->counts[PART_GROUPS]);
	for (size_t i = 0; i < s->group_count && !b->from.in.failed; i++) {
		row_read(b, PART_GROUPS, &s->groups[i]);
		refuse_if(b, s->groups[i].parent >= s->group_count);
		if (has_more(b))
			field_read_numbers(&b->from, snapshot_group_values(s, i), s->event_count);
		if (has_more(b))
			row_read(b, PART_GROUP_FACTS, snapshot_group_facts(s, i));
	}
	refuse_if(b, s->group_fact_count != b->counts[PART_GROUP_FACTS]);
	if (!b->from.in.failed)
		refuse_if(b, !groups_are_a_tree(s));
}

static void objects_read(struct reading *b)
{
	struct snapshot *s = b->s;

	if (!may_follow(b, PART_OBJECTS, 0))
		return;
	s->objects = mem_array(b->counts[PART_OBJECTS], sizeof(*s->objects));
	s->object_count = b->counts[PART_OBJECTS];
	for (size_t i = 0; i < s->object_count && !b->from.in.failed; i++) {
		row_read(b, PART_OBJECTS, &s->objects[i]);
		refuse_if(b, i && s->objects[i].object <= s->objects[i - 1].object);
	}
}

static void slices_read(struct reading *b)
{
	struct snapshot_past *p = &b->s->past;
	size_t events = b->s->event_count;

	if (!may_follow(b, PART_SLICES, events * sizeof(double)))
		return;
	p->count = b->counts[PART_SLICES];
	p->slices = mem_array(p->count, sizeof(*p->slices));
	p->samples = mem_array(p->count * events, sizeof(*p->samples));
	for (size_t i = 0; i < p->count && !b->from.in.failed; i++) {
		row_read(b, PART_SLICES, &p->slices[i]);
		field_read_numbers(&b->from, p->samples + i * events, events);
	}
}

static void notes_read(struct reading *b)
{
	struct snapshot *s = b->s;

	if (!may_follow(b, PART_STACK_ENDS, 0) || !may_follow(b, PART_VIOLATIONS, 0))
		return;
	s->stack_end_count = b->counts[PART_STACK_ENDS];
	s->stack_ends = mem_array(s->stack_end_count, sizeof(*s->stack_ends));
	for (size_t i = 0; i < s->stack_end_count; i++)
		row_read(b, PART_STACK_ENDS, &s->stack_ends[i]);
	s->violation_count = b->counts[PART_VIOLATIONS];
	s->violations = mem_array(s->violation_count, sizeof(*s->violations));
	for (size_t i = 0; i < s->violation_count; i++)
		row_read(b, PART_VIOLATIONS, &s->violations[i]);
}

static void instructions_read(struct reading *b, struct code *c)
{
	size_t count = b->counts[PART_INSTRUCTIONS];

	c->instructions = mem_array(count, sizeof(*c->instructions));
	c->instruction_count = count;
	for (size_t i = 0; i < count && !b->from.in.failed; i++) {
		struct code_instruction *at = &c->instructions[i];

		row_read(b, PART_INSTRUCTIONS, at);
		refuse_if(b, i && at->address <= at[-1].address);
		refuse_if(b, at->line != CODE_NO_LINE && at->line >= b->counts[PART_LINES]);
		if (b->from.in.failed)
			return;
		at->callee = frame_of(b, at->callee);
		at->text = strtab_add_n(c->texts, at->text, CODE_TEXT_BYTES);
	}
}

static void lines_read(struct reading *b, struct code *c)
{
	size_t count = b->counts[PART_LINES];

	c->lines = mem_array(count, sizeof(*c->lines));
	c->line_count = count;
	for (size_t i = 0; i < count && !b->from.in.failed; i++) {
		struct code_line *line = &c->lines[i];

		row_read(b, PART_LINES, line);
		if (b->from.in.failed)
			return;
		line->file = strtab_add_n(c->texts, line->file, CODE_TEXT_BYTES);
		line->label = strtab_add_n(c->texts, line->label, CODE_TEXT_BYTES);
		if (line->text)
			line->text = strtab_add_n(c->texts, line->text, CODE_TEXT_BYTES);
	}
}

/* Code may live longer than the block, so its texts are copied. */
static void code_read(struct reading *b)
{
	struct code *c = b->s->function.code = code_new();

	row_read(b, PART_CODE, c);
	if (refuse_if(b, c->start + c->size < c->start) || !may_follow(b, PART_INSTRUCTIONS, 0))
		return;
	c->missing = strtab_add(c->texts, c->missing);
	c->no_lines = strtab_add(c->texts, c->no_lines);
	instructions_read(b, c);
	if (may_follow(b, PART_LINES, 0))
		lines_read(b, c);
}

static void addresses_read(struct reading *b)
{
	struct snapshot_function *f = &b->s->function;
	size_t count = b->counts[PART_ADDRESSES];
	double *values;

	f->addresses = mem_array(count, sizeof(*f->addresses));
	f->address_count = count;
	values = f->values = make_values(b);
	for (size_t i = 0; i < count && !b->from.in.failed; i++) {
		struct snapshot_address *a = &f->addresses[i];

		a->cell.comm = "";
		row_read(b, PART_ADDRESSES, a);
		cell_weigh(b, &a->cell, &values);
		a->cell.frame = f->frame;
	}
	if (values != f->values)
		return;
	free(f->values);
	f->values = NULL;
}

static void function_read(struct reading *b)
{
	const uint64_t *counts = b->counts;

	refuse_if(b, counts[PART_FUNCTION] > 1 || counts[PART_CODE] > counts[PART_FUNCTION]);
	refuse_if(b, counts[PART_ADDRESSES] && !counts[PART_FUNCTION]);
	refuse_if(b, (counts[PART_INSTRUCTIONS] || counts[PART_LINES]) && !counts[PART_CODE]);
	if (b->from.in.failed || !counts[PART_FUNCTION])
		return;
	row_read(b, PART_FUNCTION, &b->s->function);
	b->s->function.frame = frame_of(b, b->s->function.frame);
	if (may_follow(b, PART_ADDRESSES, 1))
		addresses_read(b);
	if (counts[PART_CODE] && !b->from.in.failed)
		code_read(b);
}

/* The parts in their order; each reads nothing once one has failed. */
static void parts_read(struct reading *b)
{
	static void (*const readers[])(struct reading *) = {
		events_read, frames_read,  nodes_read,  processes_read, cells_read,    cpus_read,
		groups_read, objects_read, slices_read, notes_read,     function_read,
	};

	pids_read(b);
	fields_read(&layout_snapshot, b->s, &b->from);
	refuse_if(b, !(b->s->halvings >= 0 && b->s->halvings <= HISTOGRAM_HALVINGS));
	b->unfading = exp2(b->s->halvings);
	for (size_t i = 0; i < sizeof(readers) / sizeof(*readers) && !b->from.in.failed; i++)
		readers[i](b);
	refuse_if(b, b->from.in.left != 0);
}

/* Figures that break an invariant become absent, as they do where they are measured. */
static void figures_check(struct snapshot *s)
{
	for (size_t i = 0; i < INVARIANTS; i++)
		invariants[i].check(s);
}

/* Where the rows and the texts of BLOCK are.  Returns false with WHY set if its head is wrong. */
static bool head_read(const void *block, size_t size, struct field_reader *from,
		      enum block_error *why)
{
	const struct block_head *head = block;
	size_t left = size - sizeof(*head);

	*why = BLOCK_OTHER_FORMAT;
	if (size < sizeof(*head) || head->format != layout_format())
		return false;
	*why = BLOCK_DAMAGED;
	if (head->bytes != size || head->text_bytes > left)
		return false;
	*from = (struct field_reader){ .in = bytes_of(head + 1, left - head->text_bytes),
				       .texts = (const char *)block + size - head->text_bytes,
				       .text_bytes = head->text_bytes };
	return !from->text_bytes || !from->texts[from->text_bytes - 1];
}

struct snapshot *block_read(struct block_reader *r, void *block, size_t size, enum block_error *why)
{
	struct reading b = { .r = r };

	if (!head_read(block, size, &b.from, why)) {
		free(block);
		return NULL;
	}
	b.counts = ((const struct block_head *)block)->counts;
	take_writer(r, ((const struct block_head *)block)->frames);
	b.s = snapshot_new();
	b.s->foreign = block;
	b.s->frames = r->frames;
	parts_read(&b);
	if (b.from.in.failed) {
		snapshot_free(b.s);
		return NULL;
	}
	figures_check(b.s);
	*why = BLOCK_GOOD;
	return b.s;
}
