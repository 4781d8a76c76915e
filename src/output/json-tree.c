/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>

#include "base/alloc.h"
#include "output/document.h"
#include "profile/callgraph.h"

/*
 * The stacks of a snapshot, in columns:
 *
 *	{"strings":["main","/tmp/load"],
 *	 "frames":{"symbol":[0],"object":[1],"kernel":[false]},
 *	 "nodes":{"parent":[null],"frame":[0]},
 *	 "events":[{"event":"cpu-clock","samples":[12],"period":[12000000],
 *		    "total_samples":[12],"total_period":[12000000]}]}
 *
 * A node's parent, its caller, has a lower number; null: it has none.  What no sample of a sampled
 * event passed through is left out.
 */
struct json_tree {
	const struct snapshot *s;
	double **columns;		/* of sampled events: samples, periods; one number a node */
	uint16_t *events;		/* of each pair of columns */
	size_t event_count;
	uint32_t *nodes;		/* number in the document + 1, 0: left out */
	uint32_t *frames;		/* likewise */
	json_t *strings, *string_of;	/* the texts; text to its number */
};

static json_t *string_number(struct json_tree *t, const char *raw)
{
	json_t *text = document_text(raw);
	json_t *known = json_object_get(t->string_of, json_string_value(text));
	json_t *number = known ? json_incref(known)
			       : json_integer((json_int_t)json_array_size(t->strings));

	if (!known) {
		json_object_set(t->string_of, json_string_value(text), number);
		json_array_append(t->strings, text);
	}
	json_decref(text);
	return number;
}

static void sum_cells(struct json_tree *t)
{
	for (size_t i = 0; i < t->s->cell_count; i++) {
		const struct snapshot_cell *c = &t->s->cells[i];

		for (size_t e = 0; e < t->event_count && c->node < t->s->node_count; e++) {
			if (t->events[e] != c->event)
				continue;
			t->columns[2 * e][c->node] += c->samples;
			t->columns[2 * e + 1][c->node] += c->period;
		}
	}
}

static void find_events(struct json_tree *t)
{
	t->events = mem_array(t->s->event_count, sizeof(*t->events));
	for (size_t i = 0; i < t->s->event_count; i++) {
		if (t->s->events[i].sampled)
			t->events[t->event_count++] = (uint16_t)i;
	}
	t->columns = mem_array(2 * t->event_count, sizeof(*t->columns));
	for (size_t i = 0; i < 2 * t->event_count; i++)
		t->columns[i] = mem_array(t->s->node_count, sizeof(**t->columns));
}

/* Numbers what has samples, and its callers. */
static void number_nodes(struct json_tree *t)
{
	uint32_t count = 0;

	t->nodes = mem_array(t->s->node_count, sizeof(*t->nodes));
	for (size_t n = t->s->node_count; n-- > 1;) {
		for (size_t c = 0; c < 2 * t->event_count; c++)
			t->nodes[n] |= t->columns[c][n] > 0;
		if (t->nodes[n])
			t->nodes[t->s->nodes[n].parent] = 1;
	}
	t->nodes[CALL_ROOT] = 0;
	for (size_t n = 1; n < t->s->node_count; n++) {
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
	for (size_t n = 1; n < t->s->node_count; n++) {
		uint32_t frame = t->s->nodes[n].frame;
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

	for (size_t n = 1; n < t->s->node_count; n++) {
		uint32_t parent = t->nodes[t->s->nodes[n].parent];

		if (!t->nodes[n])
			continue;
		json_array_append_new(parents, parent ? json_integer(parent - 1) : json_null());
		json_array_append_new(frames,
				      json_integer(t->frames[t->s->nodes[n].frame] - 1));
	}
	document_set(o, "parent", parents);
	document_set(o, "frame", frames);
	return o;
}

static json_t *column_array(const struct json_tree *t, const double *column)
{
	json_t *array = json_array();

	for (size_t n = 1; n < t->s->node_count; n++) {
		if (t->nodes[n])
			json_array_append_new(array, document_number(column[n]));
	}
	return array;
}

/* From here on the column has the totals. */
static void sum_up(const struct json_tree *t, double *column)
{
	for (size_t n = t->s->node_count; n-- > 1;)
		column[t->s->nodes[n].parent] += column[n];
}

static json_t *event_object(const struct json_tree *t, size_t event)
{
	double *samples = t->columns[2 * event], *period = t->columns[2 * event + 1];
	json_t *o = json_object();

	document_set(o, "event", document_text(t->s->events[t->events[event]].name));
	document_set(o, "samples", column_array(t, samples));
	document_set(o, "period", column_array(t, period));
	sum_up(t, samples);
	sum_up(t, period);
	document_set(o, "total_samples", column_array(t, samples));
	document_set(o, "total_period", column_array(t, period));
	return o;
}

static void tree_fini(struct json_tree *t)
{
	for (size_t i = 0; i < 2 * t->event_count; i++)
		free(t->columns[i]);
	free(t->columns);
	free(t->events);
	free(t->nodes);
	free(t->frames);
	json_decref(t->string_of);
}

json_t *document_call_tree(const struct snapshot *s)
{
	struct json_tree t = { .s = s, .strings = json_array(), .string_of = json_object() };
	json_t *o = json_object(), *events = json_array();

	if (!s->node_count) {
		json_decref(events);
		json_decref(o);
		json_decref(t.strings);
		json_decref(t.string_of);
		return json_null();
	}
	find_events(&t);
	sum_cells(&t);
	number_nodes(&t);
	document_set(o, "strings", t.strings);
	document_set(o, "frames", frames_object(&t));
	document_set(o, "nodes", nodes_object(&t));
	for (size_t i = 0; i < t.event_count; i++)
		json_array_append_new(events, event_object(&t, i));
	document_set(o, "events", events);
	tree_fini(&t);
	return o;
}
