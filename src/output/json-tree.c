/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "output/document.h"
#include "output/format.h"
#include "output/texts.h"
#include "profile/calltree.h"
#include "view/view.h"

/*
 * The stacks of a snapshot, in columns:
 *
 *	{"strings":["main","/tmp/load"],
 *	 "frames":{"symbol":[0],"object":[1],"kernel":[false]},
 *	 "nodes":{"parent":[null],"frame":[0]},
 *	 "events":[{"event":"cpu-clock","samples":[12],"period":[12000000],
 *		    "total_samples":[12],"total_period":[12000000],
 *		    "base_period":null,"base_total_period":null}]}
 *
 * A node's parent is its caller and has a lower number; null: no parent.  A node is left out if no
 * sample of a sampled event passed through it, neither now nor in the base.
 */
struct event_columns { /* of a sampled event: one number a node */
	uint16_t event;
	double *samples, *period;
	double *base; /* period in the base; NULL: no base */
};

struct tree_frame {
	size_t symbol, object; /* numbers of texts */
	uint8_t flags;
};

struct json_tree {
	const struct snapshot *s;
	struct calltree *merged; /* with a base: the nodes of both, else NULL */
	const struct call_node *tree;
	size_t node_count;
	struct event_columns *columns;
	size_t event_count;
	uint32_t *nodes;           /* number in the document + 1, 0: left out */
	uint32_t *frames;          /* likewise */
	struct tree_frame *listed; /* by number */
	size_t listed_count, listed_capacity;
	struct texts texts;
};

static void find_events(struct json_tree *t, const struct view *v)
{
	t->columns = mem_array(t->s->event_count, sizeof(*t->columns));
	for (size_t i = 0; i < t->s->event_count; i++) {
		struct event_columns *c = &t->columns[t->event_count];

		if (!t->s->events[i].sampled)
			continue;
		c->event = (uint16_t)i;
		c->samples = mem_array(t->node_count, sizeof(*c->samples));
		c->period = mem_array(t->node_count, sizeof(*c->period));
		if (t->merged && view_base(v, (int)i))
			c->base = mem_array(t->node_count, sizeof(*c->base));
		t->event_count++;
	}
}

/* Adds the cells of S.  MAP translates their nodes; NULL: not needed. */
static void sum_cells(struct json_tree *t, const struct snapshot *s, const uint32_t *map, bool base)
{
	for (size_t i = 0; i < s->cell_count; i++) {
		const struct snapshot_cell *cell = &s->cells[i];
		uint32_t node = map && cell->node < s->node_count ? map[cell->node] : cell->node;

		for (size_t e = 0; e < t->event_count && cell->node < s->node_count; e++) {
			struct event_columns *c = &t->columns[e];

			if (c->event != cell->event)
				continue;
			if (base && c->base)
				c->base[node] += cell->period;
			if (base)
				continue;
			c->samples[node] += cell->samples;
			c->period[node] += cell->period;
		}
	}
}

/* Collects the nodes and their values, and those of BASE, which may be NULL. */
static void sum_snapshots(struct json_tree *t, const struct view *v, const struct snapshot *base)
{
	uint32_t *map = NULL, *base_map = NULL;

	t->tree = t->s->nodes;
	t->node_count = t->s->node_count;
	if (base) {
		t->merged = calltree_new(0);
		map = calltree_add_nodes(t->merged, t->s->nodes, t->s->node_count);
		base_map = calltree_add_nodes(t->merged, base->nodes, base->node_count);
		t->tree = calltree_nodes(t->merged);
		t->node_count = calltree_count(t->merged);
	}
	find_events(t, v);
	sum_cells(t, t->s, map, false);
	if (base)
		sum_cells(t, base, base_map, true);
	free(map);
	free(base_map);
}

static bool has_any(const struct json_tree *t, size_t node)
{
	for (size_t e = 0; e < t->event_count; e++) {
		const struct event_columns *c = &t->columns[e];

		if (c->samples[node] > 0 || c->period[node] > 0 || (c->base && c->base[node] > 0))
			return true;
	}
	return false;
}

/* Numbers the nodes with samples, and their callers. */
static void number_nodes(struct json_tree *t)
{
	uint32_t count = 0;

	t->nodes = mem_array(t->node_count, sizeof(*t->nodes));
	for (size_t n = t->node_count; n-- > 1;) {
		t->nodes[n] |= has_any(t, n);
		if (t->nodes[n])
			t->nodes[t->tree[n].parent] = 1;
	}
	t->nodes[CALL_ROOT] = 0;
	for (size_t n = 1; n < t->node_count; n++) {
		if (t->nodes[n])
			t->nodes[n] = ++count;
	}
}

static void list_frame(struct json_tree *t, uint32_t frame)
{
	const struct frame_table *frames = t->s->frames;

	mem_grow((void **)&t->listed, &t->listed_capacity, t->listed_count + 1, sizeof(*t->listed));
	t->listed[t->listed_count++] = (struct tree_frame){
		.symbol = texts_add(&t->texts, frame_function(frames, frame)),
		.object = texts_add(&t->texts, frame_object_path(frames, frame)),
		.flags = frame_flags(frames, frame),
	};
	t->frames[frame] = (uint32_t)t->listed_count;
}

/* Numbers the frames of the nodes, and their texts. */
static void number_frames(struct json_tree *t)
{
	t->frames = mem_array(frame_table_count(t->s->frames), sizeof(*t->frames));
	for (size_t n = 1; n < t->node_count; n++) {
		if (t->nodes[n] && !t->frames[t->tree[n].frame])
			list_frame(t, t->tree[n].frame);
	}
}

static void add_item(struct buf *out, size_t number)
{
	buf_add_integer(out, (int64_t)number);
	buf_add_char(out, ',');
}

/* Opens the array of a member.  end_list() drops the comma of the last item. */
static void begin_column(struct buf *out, const char *name)
{
	buf_printf(out, "\"%s\":[", name);
}

/* A comma follows: so does another member or item, or the end of what contains it. */
static void end_list(struct buf *out, char bracket)
{
	if (out->bytes[out->size - 1] == ',')
		buf_truncate(out, out->size - 1);
	buf_add_char(out, bracket);
	buf_add_char(out, ',');
}

static int print_strings(struct buf *out, const struct texts *texts, struct error *err)
{
	json_t *strings = json_array();

	for (size_t i = 0; i < texts->count; i++)
		json_array_append_new(strings, document_text(texts->items[i]));
	buf_add_str(out, "\"strings\":");
	if (document_add(out, strings, err))
		return -1;
	buf_add_char(out, ',');
	return 0;
}

static void print_flags(struct buf *out, const struct json_tree *t, const char *name, uint8_t flag)
{
	begin_column(out, name);
	for (size_t i = 0; i < t->listed_count; i++)
		buf_add_str(out, t->listed[i].flags & flag ? "true," : "false,");
	end_list(out, ']');
}

static void print_frames(struct buf *out, const struct json_tree *t)
{
	buf_add_str(out, "\"frames\":{");
	begin_column(out, "symbol");
	for (size_t i = 0; i < t->listed_count; i++)
		add_item(out, t->listed[i].symbol);
	end_list(out, ']');
	begin_column(out, "object");
	for (size_t i = 0; i < t->listed_count; i++)
		add_item(out, t->listed[i].object);
	end_list(out, ']');
	print_flags(out, t, "kernel", FRAME_KERNEL);
	print_flags(out, t, "inlined", FRAME_INLINED);
	end_list(out, '}');
}

static void print_nodes(struct buf *out, const struct json_tree *t)
{
	buf_add_str(out, "\"nodes\":{");
	begin_column(out, "parent");
	for (size_t n = 1; n < t->node_count; n++) {
		uint32_t parent = t->nodes[t->tree[n].parent];

		if (t->nodes[n] && parent)
			add_item(out, parent - 1);
		else if (t->nodes[n])
			buf_add_str(out, "null,");
	}
	end_list(out, ']');
	begin_column(out, "frame");
	for (size_t n = 1; n < t->node_count; n++) {
		if (t->nodes[n])
			add_item(out, t->frames[t->tree[n].frame] - 1);
	}
	end_list(out, ']');
	end_list(out, '}');
}

/* COLUMN may be NULL: null. */
static void print_column(struct buf *out, const struct json_tree *t, const char *name,
			 const double *column)
{
	if (!column) {
		buf_printf(out, "\"%s\":null,", name);
		return;
	}
	begin_column(out, name);
	for (size_t n = 1; n < t->node_count; n++) {
		if (!t->nodes[n])
			continue;
		if (isfinite(column[n]))
			value_print(out, column[n]);
		else /* a foreign file may have any numbers */
			buf_add_str(out, "null");
		buf_add_char(out, ',');
	}
	end_list(out, ']');
}

/* From here on the column holds the totals. */
static void sum_up(const struct json_tree *t, double *column)
{
	for (size_t n = t->node_count; n-- > 1;)
		column[t->tree[n].parent] += column[n];
}

static int print_event(struct buf *out, const struct json_tree *t, const struct event_columns *c,
		       struct error *err)
{
	buf_add_str(out, "{\"event\":");
	if (document_add(out, document_text(t->s->events[c->event].name), err))
		return -1;
	buf_add_char(out, ',');
	print_column(out, t, "samples", c->samples);
	print_column(out, t, "period", c->period);
	print_column(out, t, "base_period", c->base);
	sum_up(t, c->samples);
	sum_up(t, c->period);
	if (c->base)
		sum_up(t, c->base);
	print_column(out, t, "total_samples", c->samples);
	print_column(out, t, "total_period", c->period);
	print_column(out, t, "base_total_period", c->base);
	end_list(out, '}');
	return 0;
}

static int print_tree(struct buf *out, const struct json_tree *t, struct error *err)
{
	buf_add_char(out, '{');
	if (print_strings(out, &t->texts, err))
		return -1;
	print_frames(out, t);
	print_nodes(out, t);
	begin_column(out, "events");
	for (size_t i = 0; i < t->event_count; i++) {
		if (print_event(out, t, &t->columns[i], err))
			return -1;
	}
	end_list(out, ']');
	end_list(out, '}');
	buf_truncate(out, out->size - 1); /* the comma */
	return 0;
}

static void tree_fini(struct json_tree *t)
{
	for (size_t i = 0; i < t->event_count; i++) {
		mem_free(t->columns[i].samples, t->columns[i].period, t->columns[i].base);
	}
	mem_free(t->columns, t->nodes, t->frames, t->listed);
	calltree_free(t->merged);
	texts_fini(&t->texts);
}

/* The base, if it has one of the events. */
static const struct snapshot *base_of(const struct view *v)
{
	const struct snapshot *s = view_snapshot(v), *base = NULL;

	for (size_t i = 0; !base && i < s->event_count; i++)
		base = view_base(v, (int)i);
	return base;
}

int document_print_call_tree(struct buf *out, const struct view *v, struct error *err)
{
	struct json_tree t = { .s = view_snapshot(v) };
	int result;

	if (!t.s->node_count) {
		buf_add_str(out, "null");
		return 0;
	}
	texts_init(&t.texts);
	sum_snapshots(&t, v, base_of(v));
	number_nodes(&t);
	number_frames(&t);
	result = print_tree(out, &t, err);
	tree_fini(&t);
	return result;
}
