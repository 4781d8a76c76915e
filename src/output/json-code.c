/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "output/document.h"
#include "view/list/code-rows.h"
#include "view/list/list.h"
#include "view/kind.h"

/*
 * The function that a view of code shows: its instructions, or the addresses alone that were sampled.
 *
 *	{"symbol":"hot_a","object":"/tmp/load","event":"cycles","start":"0x1040","end":"0x1080",
 *	 "samples":921,"period":921000,"missing":null,
 *	 "instructions":[{"address":"0x1040","offset":0,"text":"pushq %rbp","target":null,
 *			  "file":"load.c","line":12,"samples":3,"period":3000,"share_percent":0.326,
 *			  "delta_percent":null,"ipc":null,"cache_miss_percent":null}]}
 *
 * Addresses are hexadecimal text: the kernel's are no numbers that JSON can be sure of.
 */
static json_t *address(uint64_t value)
{
	char text[32];

	if (!value)
		return json_null();
	snprintf(text, sizeof(text), "0x%" PRIx64, value);
	return json_string(text);
}

static json_t *instruction(const struct column_row *r)
{
	const struct code_row *row = r->code;
	const struct code_instruction *in = row->instruction;
	json_t *o = json_object();

	document_set(o, "address", address(row->address));
	document_set(o, "offset", json_integer((json_int_t)row->offset));
	document_set(o, "text", document_text(in ? in->text : NULL));
	document_set(o, "target", address(in ? in->target : 0));
	document_set(o, "file", document_text(row->line ? row->line->file : NULL));
	document_set(o, "line", row->line ? json_integer(row->line->line) : json_null());
	document_set(o, "samples", document_number(row->samples));
	document_set(o, "period", document_number(row->period));
	document_set(o, "share_percent", document_number(row->share_percent));
	document_set(o, "delta_percent", document_real(row->delta_percent));
	document_set_ratios(o, list_code.table->columns, r);
	return o;
}

static json_t *instructions(struct view *v)
{
	json_t *array = json_array();

	for (size_t i = 0; i < view_list_count(v, &list_code); i++) {
		struct column_row row = view_list_row(v, &list_code, i);

		if (!row.code->is_line)
			json_array_append_new(array, instruction(&row));
	}
	return array;
}

/* Sums of the whole function, with samples that are in no row. */
static void set_sums(json_t *o, const struct snapshot *s, int event)
{
	double samples = 0, period = 0;

	for (size_t i = 0; i < s->function.address_count; i++) {
		const struct snapshot_cell *c = &s->function.addresses[i].cell;

		samples += c->event == event ? c->samples : 0;
		period += c->event == event ? c->period : 0;
	}
	document_set(o, "samples", document_number(samples));
	document_set(o, "period", document_number(period));
}

json_t *document_function(struct view *v)
{
	const struct snapshot *s = view_snapshot(v);
	const struct snapshot_function *f = &s->function;
	int event = view_event(v);
	json_t *o;

	if (!view_kind(v)->code || !f->frame || event < 0)
		return json_null();
	o = json_object();
	document_set(o, "symbol", document_text(frame_symbol(s->frames, f->frame)));
	document_set(o, "object", document_text(frame_object_path(s->frames, f->frame)));
	document_set(o, "event", document_text(s->events[event].name));
	document_set(o, "start", address(f->start));
	document_set(o, "end", address(f->end));
	set_sums(o, s, event);
	document_set(o, "missing", document_text(*f->missing ? f->missing : NULL));
	document_set(o, "instructions", instructions(v));
	return o;
}
