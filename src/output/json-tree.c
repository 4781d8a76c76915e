/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>

#include "base/alloc.h"
#include "output/document.h"
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

struct json_tree {
	const struct snapshot *s;
	struct calltree *merged; /* with a base: the nodes of both, else NULL */
	const struct call_node *tree;
	size_t node_count;
	struct event_columns *columns;
	size_t event_count;
	uint32_t *nodes;             /* number in the document + 1, 0: left out */
	uint32_t *frames;            /* likewise */
	json_t *strings, *string_of; /* the texts; text to its number */
};

static json_t *string_number(struct json_tree *t, const char *raw)
{
	json_t *text = document_text(raw);
	json_t *known = json_object_get(t->string_of, json_string_value(text));
	json_t *number =
		known ? json_incref(known) : json_integer((json_int_t)json_array_size(t->strings));

	if (!known) {
		json_object_set(t->string_of, json_string_value(text), number);
		json_array_append(t->strings, text);
	}
	json_decref(text);
	return number;
}

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

static json_t *frames_object(struct json_tree *t)
{
	json_t *o = json_object(), *symbols = json_array(), *objects = json_array();
	json_t *kernel = json_array(), *inlined = json_array();
	const struct frame_table *frames = t->s->frames;
	uint32_t count = 0;

	t->frames = mem_array(frame_table_count(frames), sizeof(*t->frames));
	for (size_t n = 1; n < t->node_count; n++) {
		uint32_t frame = t->tree[n].frame;
		uint8_t flags = frame_flags(frames, frame);

		if (!t->nodes[n] || t->frames[frame])
			continue;
		t->frames[frame] = ++count;
		json_array_append_new(symbols, string_number(t, frame_function(frames, frame)));
		json_array_append_new(objects, string_number(t, frame_object_path(frames, frame)));
		json_array_append_new(kernel, json_boolean(flags & FRAME_KERNEL));
		json_array_append_new(inlined, json_boolean(flags & FRAME_INLINED));
	}
	document_set(o, "symbol", symbols);
	document_set(o, "object", objects);
	document_set(o, "kernel", kernel);
	document_set(o, "inlined", inlined);
	return o;
}

static json_t *nodes_object(const struct json_tree *t)
{
	json_t *o = json_object(), *parents = json_array(), *frames = json_array();

	for (size_t n = 1; n < t->node_count; n++) {
		uint32_t parent = t->nodes[t->tree[n].parent];

		if (!t->nodes[n])
			continue;
		json_array_append_new(parents, parent ? json_integer(parent - 1) : json_null());
		json_array_append_new(frames, json_integer(t->frames[t->tree[n].frame] - 1));
	}
	document_set(o, "parent", parents);
	document_set(o, "frame", frames);
	return o;
}

static json_t *column_array(const struct json_tree *t, const double *column)
{
	json_t *array = json_array();

	for (size_t n = 1; n < t->node_count; n++) {
		if (t->nodes[n])
			json_array_append_new(array, document_number(column[n]));
	}
	return array;
}

/* From here on the column holds the totals. */
static void sum_up(const struct json_tree *t, double *column)
{
	for (size_t n = t->node_count; n-- > 1;)
		column[t->tree[n].parent] += column[n];
}

static json_t *event_object(const struct json_tree *t, const struct event_columns *c)
{
	json_t *o = json_object();

	document_set(o, "event", document_text(t->s->events[c->event].name));
	document_set(o, "samples", column_array(t, c->samples));
	document_set(o, "period", column_array(t, c->period));
	document_set(o, "base_period", c->base ? column_array(t, c->base) : json_null());
	sum_up(t, c->samples);
	sum_up(t, c->period);
	if (c->base)
		sum_up(t, c->base);
	document_set(o, "total_samples", column_array(t, c->samples));
	document_set(o, "total_period", column_array(t, c->period));
	document_set(o, "base_total_period", c->base ? column_array(t, c->base) : json_null());
	return o;
}

static void tree_fini(struct json_tree *t)
{
	for (size_t i = 0; i < t->event_count; i++) {
		mem_free(t->columns[i].samples, t->columns[i].period, t->columns[i].base);
	}
	mem_free(t->columns, t->nodes, t->frames);
	calltree_free(t->merged);
	json_decref(t->string_of);
}

/* The base, if it has one of the events. */
static const struct snapshot *base_of(const struct view *v)
{
	const struct snapshot *s = view_snapshot(v), *base = NULL;

	for (size_t i = 0; !base && i < s->event_count; i++)
		base = view_base(v, (int)i);
	return base;
}

json_t *document_call_tree(const struct view *v)
{
	struct json_tree t = { .s = view_snapshot(v) };
	json_t *o, *events;

	if (!t.s->node_count)
		return json_null();
	o = json_object();
	events = json_array();
	t.strings = json_array();
	t.string_of = json_object();
	sum_snapshots(&t, v, base_of(v));
	number_nodes(&t);
	document_set(o, "strings", t.strings);
	document_set(o, "frames", frames_object(&t));
	document_set(o, "nodes", nodes_object(&t));
	for (size_t i = 0; i < t.event_count; i++)
		json_array_append_new(events, event_object(&t, &t.columns[i]));
	document_set(o, "events", events);
	tree_fini(&t);
	return o;
}
