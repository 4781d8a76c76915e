/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/i18n.h"
#include "profile/code.h"
#include "share/block.h"
#include "share/layout.h"

/* The part of a snapshot that goes into the block, and the numbers that it has there. */
struct writer {
	struct snapshot root; /* the members that are no arrays */
	const struct snapshot *s;
	struct buf *out;
	struct field_texts *texts;
	uint64_t counts[PARTS];
	size_t *heaviest; /* cells in the order of their weights; NULL: not needed yet */
	size_t cells;     /* so many of them; all, in their own order, without HEAVIEST */
	bool threads;
	const struct code *code; /* of the function that is looked at, or NULL */
	size_t *busiest;         /* likewise processes, whose rows have no tid */
	size_t processes;
	unsigned char *frames; /* by number: 1 if it is needed */
	size_t frame_count;
	bool hidden;          /* BLOCK_HIDDEN is needed */
	unsigned char *nodes; /* likewise */
	uint32_t *numbers;    /* of the nodes, in the block */
	double fading; /* what weights of cells are multiplied by, and rounded then; 0: neither */
};

struct block_stream {
	struct field_texts texts;
};

static const struct snapshot_cell *cell_at(const struct writer *w, size_t i)
{
	return &w->s->cells[w->heaviest ? w->heaviest[i] : i];
}

static const struct snapshot_process *process_at(const struct writer *w, size_t i)
{
	return &w->s->processes[w->busiest ? w->busiest[i] : i];
}

static void mark_frame(struct writer *w, uint32_t frame)
{
	if (frame > FRAME_REST && frame < w->frame_count)
		w->frames[frame] = 1;
	w->hidden |= frame == BLOCK_HIDDEN;
}

/* NODE and those that call it, up to one that is marked. */
static void mark_node(struct writer *w, uint32_t node)
{
	while (node < w->s->node_count && !w->nodes[node]) {
		w->nodes[node] = 1;
		mark_frame(w, w->s->nodes[node].frame);
		node = w->s->nodes[node].parent;
	}
}

/* The function that is looked at, and those that it calls. */
static void mark_function(struct writer *w)
{
	mark_frame(w, w->s->function.frame);
	for (size_t i = 0; w->code && i < w->code->instruction_count; i++)
		mark_frame(w, w->code->instructions[i].callee);
}

/* All that the cells need.  CALL_ROOT and CALL_OTHERS have the same numbers in each tree. */
static void mark(struct writer *w)
{
	memset(w->frames, 0, w->frame_count);
	memset(w->nodes, 0, w->s->node_count);
	w->hidden = false;
	for (uint32_t i = CALL_ROOT; i <= CALL_OTHERS; i++)
		mark_node(w, i);
	for (size_t i = 0; i < w->cells; i++) {
		const struct snapshot_cell *c = cell_at(w, i);

		mark_frame(w, c->frame);
		mark_frame(w, c->data);
		mark_node(w, c->node);
	}
	mark_function(w);
}

static void part_write(struct writer *w, enum block_part part, const void *rows, size_t count)
{
	fields_write(&layout_parts[part], rows, count, w->out, w->texts);
	w->counts[part] += count;
}

static void numbers_write(struct writer *w, const double *numbers, size_t count)
{
	buf_add(w->out, numbers, count * sizeof(*numbers));
}

/* One number for each event, where there are any. */
static void counters_write(struct writer *w, const double *counters)
{
	buf_add_char(w->out, counters != NULL);
	if (counters)
		numbers_write(w, counters, w->s->event_count);
}

static const struct block_frame hidden_frame = {
	.number = BLOCK_HIDDEN,
	.object = UINT32_MAX,
	.raw = "[not yours]",
	.object_path = "[not yours]",
	.object_name = "[not yours]",
};

static void frames_write(struct writer *w)
{
	const struct frame_table *t = w->s->frames;

	for (uint32_t i = FRAME_REST + 1; i < w->frame_count; i++) {
		const struct frame_source *source;
		struct block_frame f;

		if (!w->frames[i])
			continue;
		source = frame_source(t, i);
		f = (struct block_frame){ .number = i,
					  .object = frame_object(t, i),
					  .raw = frame_raw_symbol(t, i),
					  .object_path = frame_object_path(t, i),
					  .object_name = frame_object_name(t, i),
					  .file = source ? source->file : NULL,
					  .line = source ? source->line : 0,
					  .flags = frame_flags(t, i),
					  .named_by = (uint8_t)frame_named_by(t, i) };
		part_write(w, PART_FRAMES, &f, 1);
	}
	if (w->hidden)
		part_write(w, PART_FRAMES, &hidden_frame, 1);
}

/* Callers come before what they call, so a node's parent has its number. */
static void nodes_write(struct writer *w)
{
	for (size_t i = 0; i < w->s->node_count; i++) {
		struct call_node node = w->s->nodes[i];

		if (!w->nodes[i])
			continue;
		w->numbers[i] = (uint32_t)w->counts[PART_NODES];
		node.parent = w->numbers[node.parent];
		part_write(w, PART_NODES, &node, 1);
	}
}

static void processes_write(struct writer *w)
{
	for (size_t i = 0; i < w->processes; i++) {
		const struct snapshot_process *p = process_at(w, i);

		if (p->tid && !w->threads)
			continue;
		part_write(w, PART_PROCESSES, p, 1);
		counters_write(w, p->counters == w->s->unknown ? NULL : p->counters);
	}
}

#define WEIGHT_BITS 17 /* of a double's 53: one part in 200 000 */

/* The last bits are noise that no view shows, and cannot be compressed. */
static double rounded(double weight)
{
	const uint64_t unit = 1ull << (DBL_MANT_DIG - WEIGHT_BITS);
	uint64_t bits;

	if (!isfinite(weight))
		return weight;
	memcpy(&bits, &weight, sizeof(bits));
	bits = (bits + unit / 2) & ~(unit - 1);
	memcpy(&weight, &bits, sizeof(weight));
	return weight;
}

/* The counters of a cell are weighed as its samples are. */
static void weights_write(struct writer *w, const double *counters)
{
	if (!(w->fading > 0) || !counters) {
		counters_write(w, counters);
		return;
	}
	buf_add_char(w->out, 1);
	for (size_t i = 0; i < w->s->event_count; i++) {
		double weight = rounded(counters[i] * w->fading);

		numbers_write(w, &weight, 1);
	}
}

static void fade(const struct writer *w, struct snapshot_cell *c)
{
	if (!(w->fading > 0))
		return;
	c->samples = rounded(c->samples * w->fading);
	c->period = rounded(c->period * w->fading);
	c->longest = rounded(c->longest);
}

static void cells_write(struct writer *w)
{
	for (size_t i = 0; i < w->cells; i++) {
		struct snapshot_cell c = *cell_at(w, i);

		if (c.node < w->s->node_count)
			c.node = w->numbers[c.node];
		fade(w, &c);
		part_write(w, PART_CELLS, &c, 1);
		weights_write(w, c.counters);
	}
}

static void cpus_write(struct writer *w)
{
	for (size_t i = 0; i < w->s->cpu_count; i++) {
		const struct snapshot_cpu *c = &w->s->cpus[i];

		part_write(w, PART_CPUS, c, 1);
		numbers_write(w, c->counters, w->s->event_count);
		numbers_write(w, c->samples, w->s->event_count);
	}
}

static void groups_write(struct writer *w)
{
	for (size_t i = 0; i < w->s->group_count; i++) {
		const struct snapshot_group *g = &w->s->groups[i];
		bool known = g->facts != &group_unknown;

		part_write(w, PART_GROUPS, g, 1);
		counters_write(w, g->counters == w->s->unknown ? NULL : g->counters);
		buf_add_char(w->out, known);
		part_write(w, PART_GROUP_FACTS, g->facts, known);
	}
}

static void slices_write(struct writer *w)
{
	const struct snapshot_past *p = &w->s->past;

	for (size_t i = 0; i < p->count; i++) {
		part_write(w, PART_SLICES, &p->slices[i], 1);
		numbers_write(w, p->samples + i * w->s->event_count, w->s->event_count);
	}
}

static void code_write(struct writer *w)
{
	const struct code *c = w->code;

	if (!c)
		return;
	part_write(w, PART_CODE, c, 1);
	part_write(w, PART_INSTRUCTIONS, c->instructions, c->instruction_count);
	part_write(w, PART_LINES, c->lines, c->line_count);
}

static void function_write(struct writer *w)
{
	struct snapshot_function f = w->s->function;

	if (!f.frame)
		return;
	if (f.code && !w->code)
		f.missing = _("there is no room for its instructions: --serve-size is too small");
	part_write(w, PART_FUNCTION, &f, 1);
	for (size_t i = 0; i < f.address_count; i++) {
		struct snapshot_address a = f.addresses[i];

		fade(w, &a.cell);
		part_write(w, PART_ADDRESSES, &a, 1);
		weights_write(w, a.cell.counters);
	}
	code_write(w);
}

/* The texts come last, and the head is filled when all is known. */
static void close_block(struct writer *w)
{
	struct block_head head = { .format = layout_format(),
				   .frames = frame_table_id(w->s->frames) };

	memcpy(head.counts, w->counts, sizeof(head.counts));
	head.text_bytes = w->texts->bytes.size;
	buf_add(w->out, w->texts->bytes.bytes, w->texts->bytes.size);
	head.bytes = w->out->size;
	memcpy(w->out->bytes, &head, sizeof(head));
}

static void write_all(struct writer *w)
{
	const struct block_head none = { .format = 0 };

	buf_clear(w->out);
	field_texts_next(w->texts);
	memset(w->counts, 0, sizeof(w->counts));
	field_texts_add(w->texts, ""); /* so there is a last byte */
	buf_add(w->out, &none, sizeof(none));
	part_write(w, PART_PIDS, w->s->target.pids, w->s->target.pid_count);
	fields_write(&layout_snapshot, &w->root, 1, w->out, w->texts);
	part_write(w, PART_EVENTS, w->s->events, w->s->event_count);
	mark(w);
	frames_write(w);
	nodes_write(w);
	processes_write(w);
	cells_write(w);
	cpus_write(w);
	groups_write(w);
	part_write(w, PART_OBJECTS, w->s->objects, w->s->object_count);
	slices_write(w);
	part_write(w, PART_STACK_ENDS, w->s->stack_ends, w->s->stack_end_count);
	part_write(w, PART_VIOLATIONS, w->s->violations, w->s->violation_count);
	function_write(w);
	close_block(w);
}

static int by_weight(const void *a, const void *b, void *context)
{
	const struct snapshot_cell *cells = context;
	double x = cells[*(const size_t *)a].samples, y = cells[*(const size_t *)b].samples;

	return (x < y) - (x > y);
}

static double use_of(const struct snapshot_process *p)
{
	return p->cpu_percent > 0 ? p->cpu_percent : 0;
}

static int by_use(const void *a, const void *b, void *context)
{
	const struct snapshot_process *p = context;
	double x = use_of(&p[*(const size_t *)a]), y = use_of(&p[*(const size_t *)b]);

	return (x < y) - (x > y);
}

/* The numbers below COUNT in the order of COMPARE; owned by the caller. */
static size_t *ordered(size_t count, int (*compare)(const void *, const void *, void *), void *rows)
{
	size_t *order = mem_array(count, sizeof(*order));

	for (size_t i = 0; i < count; i++)
		order[i] = i;
	qsort_r(order, count, sizeof(*order), compare, rows);
	return order;
}

/* So many of COUNT rows as may fit, if the block has SIZE bytes with all of them; fewer in any case. */
static size_t fewer(size_t count, size_t size, size_t limit)
{
	size_t least = count - count / 10 - 1;
	size_t fit = (size_t)((double)count * (double)limit / (double)size * 0.95);

	return fit < least ? fit : least;
}

static void cut_cells(struct writer *w, size_t limit)
{
	if (!w->heaviest)
		w->heaviest = ordered(w->s->cell_count, by_weight, w->s->cells);
	w->cells = fewer(w->cells, w->out->size, limit);
}

static void cut_processes(struct writer *w, size_t limit)
{
	if (!w->busiest)
		w->busiest = ordered(w->s->process_count, by_use, w->s->processes);
	w->processes = fewer(w->processes, w->out->size, limit);
}

/* Bytes of the rows of PART as they were written last. */
static size_t part_bytes(const struct writer *w, enum block_part part)
{
	return w->counts[part] * fields_bytes(&layout_parts[part]);
}

/*
 * Leaves out more of what is of least use, of what takes most room: functions would all go before the rows of ten thousand
 * idle processes.  The instructions of one function go first.  Returns false if there is nothing left to leave out.
 */
static bool cut(struct writer *w, size_t limit)
{
	bool many = part_bytes(w, PART_PROCESSES) > part_bytes(w, PART_CELLS);

	if (w->code)
		w->code = NULL;
	else if (w->threads && (many || !w->cells))
		w->threads = false;
	else if (w->cells && !(many && w->processes))
		cut_cells(w, limit);
	else if (w->processes)
		cut_processes(w, limit);
	else
		return false;
	return true;
}

/* Rows of S that the block lacks. */
static uint64_t missing(const struct writer *w)
{
	return w->s->cell_count - w->counts[PART_CELLS] + w->s->process_count -
	       w->counts[PART_PROCESSES];
}

static int64_t write_within(struct writer *w, size_t limit)
{
	write_all(w);
	while (w->out->size > limit) {
		if (!cut(w, limit))
			return -1;
		field_texts_fini(w->texts); /* those of what was cut */
		write_all(w);
	}
	return (int64_t)missing(w);
}

static int64_t write_block(const struct snapshot *s, size_t limit, struct field_texts *texts,
			   double fading, struct buf *out)
{
	struct writer w = { .root = *s,
			    .s = s,
			    .texts = texts,
			    .fading = fading,
			    .out = out,
			    .cells = s->cell_count,
			    .threads = true,
			    .code = s->function.frame ? s->function.code : NULL,
			    .processes = s->process_count,
			    .frame_count = frame_table_count(s->frames) };
	int64_t result;

	if (!(fading > 0))
		w.root.halvings = 0;
	w.frames = mem_array(w.frame_count, 1);
	w.nodes = mem_array(s->node_count, 1);
	w.numbers = mem_array(s->node_count, sizeof(*w.numbers));
	result = write_within(&w, limit);
	w.root.sampling.losses[LOSS_CUT] = result > 0 ? (uint64_t)result : 0;
	if (result > 0) /* rows have the same size whatever is in them */
		write_all(&w);
	mem_free(w.frames, w.nodes, w.numbers, w.heaviest, w.busiest);
	return result;
}

int64_t block_write(const struct snapshot *s, size_t limit, struct buf *out)
{
	struct field_texts texts = { .needed = 0 };
	int64_t result = write_block(s, limit, &texts, 0, out);

	field_texts_fini(&texts);
	return result;
}

struct block_stream *block_stream_new(void)
{
	return mem_alloc(sizeof(struct block_stream));
}

void block_stream_free(struct block_stream *b)
{
	if (!b)
		return;
	field_texts_fini(&b->texts);
	free(b);
}

int64_t block_stream_write(struct block_stream *b, const struct snapshot *s, size_t limit,
			   struct buf *out)
{
	return write_block(s, limit, &b->texts, exp2(-s->halvings), out);
}
