/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/watch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/i18n.h"
#include "naming/object-facts.h"
#include "profile/addresses.h"
#include "profile/history.h"

struct watch {
	struct watch_options use;
	struct histogram *addresses;
	struct history *past;          /* of them; NULL: not kept */
	const struct histogram *shown; /* those that are told of: the former, or of a time */
	struct address_sums *held;     /* or these in place of them; a reference, or NULL */
	struct lines *lines;           /* from the first question on */
	uint32_t frame;                /* what is looked at; FRAME_NONE nothing */
	uint32_t object;               /* where that is, 0: no sample has told yet */
	bool nameless;                 /* the frame stands for all that has no symbol */
	struct function_range range;
	uint64_t code_request; /* for its code; 0: not yet */
	bool waiting;          /* for the answer */
	struct code *code;     /* a reference, or NULL */
	char missing[512];     /* why there is none */
};

struct watch *watch_new(const struct watch_options *options)
{
	struct watch *w = mem_alloc(sizeof(*w));

	w->use = *options;
	w->addresses = histogram_new(options->cell_limit);
	w->shown = w->addresses;
	return w;
}

void watch_free(struct watch *w)
{
	if (!w)
		return;
	lines_free(w->lines);
	code_put(w->code);
	histogram_free(w->addresses);
	history_free(w->past);
	address_sums_put(w->held);
	free(w);
}

void watch_keep_past(struct watch *w, struct history *past)
{
	w->past = past;
	histogram_set_history(w->addresses, past);
}

uint64_t watch_past_bytes(const struct watch *w)
{
	return w && w->past ? history_bytes(w->past) : 0;
}

void watch_shed_past(struct watch *w, uint64_t bytes)
{
	if (w && w->past)
		history_shed(w->past, bytes);
}

void watch_zero(struct watch *w)
{
	histogram_zero(w->addresses);
	if (w->past)
		history_zero(w->past);
}

struct histogram *watch_addresses(struct watch *w)
{
	return w->addresses;
}

void watch_samples(struct watch *w, const struct address *a, const struct cell_key *key,
		   uint32_t count, uint64_t period, const double *values, uint64_t now_ns)
{
	struct cell_key cell;
	struct place place;

	if (!resolver_place(w->use.resolver, a, &place))
		return;
	cell = address_cell(key, place.object, place.address);
	histogram_add_values(w->addresses, &cell, count, period, values, now_ns);
}

void watch_hold(struct watch *w, struct address_sums *held)
{
	address_sums_get(held);
	address_sums_put(w->held);
	w->held = held;
}

void watch_choose(struct watch *w, uint32_t frame)
{
	if (frame == w->frame)
		return;
	code_put(w->code);
	w->code = NULL;
	w->frame = frame;
	w->object = 0;
	w->code_request = 0;
	w->waiting = false;
	w->range = (struct function_range){ 0 };
	w->missing[0] = '\0';
}

static void say_missing(struct watch *w, const char *why)
{
	snprintf(w->missing, sizeof(w->missing), "%s", why);
}

/* Returns true if a sample at KEY is in the function, by its own name or as one that is inlined there. */
static bool is_named_so(const struct watch *w, const struct address_key *key)
{
	const struct place place = { .object = key->object, .address = key->address };
	const uint32_t *frames;
	struct name name;
	size_t count = 0;

	if (!key->object)
		return false;
	name = resolver_name(w->use.resolver, &place);
	frames = resolver_frames(w->use.resolver, &name, &count);
	for (size_t i = 0; i < count; i++) {
		if (frames[i] == w->frame)
			return true;
	}
	return resolver_outer(w->use.resolver, name) == w->frame;
}

/* Walks those that are told of; *VALUES: what was counted beside them, NULL when nothing was. */
static bool next_address(const struct watch *w, size_t *cursor, struct address_sum *sum,
			 const double **values)
{
	const struct cell *c;

	*values = NULL;
	if (w->held) {
		if (*cursor == w->held->count)
			return false;
		*sum = w->held->items[(*cursor)++];
		return true;
	}
	c = histogram_next(w->shown, cursor);
	if (!c)
		return false;
	*sum = (struct address_sum){ address_of_cell(&c->key), c->weight, c->period_weight };
	*values = histogram_values(w->shown, c);
	return true;
}

/* By one of its samples. */
static void find_function(struct watch *w)
{
	struct address_sum sum;
	const double *values;

	for (size_t i = 0; !w->object && next_address(w, &i, &sum, &values);) {
		const struct place place = { .object = sum.key.object, .address = sum.key.address };

		if (!is_named_so(w, &sum.key))
			continue;
		w->object = sum.key.object;
		w->nameless = !resolver_range(w->use.resolver, &place, &w->range);
	}
}

/* Objects without a file, and the reason. */
static const struct {
	enum dso_kind kind;
	const char *why;
} fileless[] = {
	{ DSO_FOREIGN, N_("of a kernel that does not run here: addresses alone") },
	{ DSO_UNKNOWN, N_("in no file: addresses alone") },
};

static const char *why_fileless(enum dso_kind kind)
{
	for (size_t i = 0; i < sizeof(fileless) / sizeof(fileless[0]); i++) {
		if (fileless[i].kind == kind)
			return _(fileless[i].why);
	}
	return NULL;
}

/* The file that symbols were read of is the one whose code it is, also where no record told its id. */
static void ask_lines(struct watch *w)
{
	struct lines_request request = {
		.code_start = w->range.start,
		.code_size = w->range.end - w->range.start,
		.instructions = true,
		.urgent = true,
	};
	struct dso_description d;

	dso_describe(w->use.objects, w->object, &d);
	request.key = objects_lines_key(
		w->use.objects, w->object,
		objects_module(w->use.objects, w->use.frames, w->object, w->frame));
	request.dump = d.dump;
	if (!d.key.build_id.size)
		request.key.build_id = d.build_id;
	if (!w->lines)
		w->lines = lines_new(&w->use.lines);
	w->waiting = true;
	w->code_request = lines_ask(w->lines, &request);
	watch_take(w); /* what is synchronous is there */
}

bool watch_ask(struct watch *w)
{
	const char *why;

	if (!w->frame || w->code_request || w->missing[0])
		return w->waiting;
	if (!w->object)
		find_function(w);
	if (!w->object)
		return false;
	why = why_fileless(dso_kind(w->use.objects, w->object));
	if (w->nameless)
		say_missing(w, _("no symbol covers these addresses"));
	else if (why)
		say_missing(w, why);
	else
		ask_lines(w);
	return w->waiting;
}

bool watch_is_waiting(const struct watch *w)
{
	return w->waiting;
}

int watch_fd(const struct watch *w)
{
	return w->lines ? lines_fd(w->lines) : -1;
}

/* From an answer to what snapshots have. */

static const struct srcline_frame *line_of(const struct lines_place *p)
{
	return p->frame_count && p->frames->file && p->frames->line ? p->frames : NULL;
}

/* Files are interned in the answer. */
static int compare_lines(const void *left, const void *right)
{
	const struct lines_place *a = *(const struct lines_place *const *)left;
	const struct lines_place *b = *(const struct lines_place *const *)right;
	int files =
		a->frames->file == b->frames->file ? 0 : strcmp(a->frames->file, b->frames->file);

	if (files)
		return files;
	return (a->frames->line > b->frames->line) - (a->frames->line < b->frames->line);
}

#define LINE_BYTES 512u /* of a source line, and the name of a callee: enough for a row */
#define CALLEE_BYTES 256

/* Tabs are blanks here. */
static const char *line_text(struct code *c, const char *text)
{
	char line[LINE_BYTES];
	size_t size;

	text += strspn(text, " \t");
	size = strnlen(text, sizeof(line) - 1);
	for (size_t i = 0; i < size; i++)
		line[i] = text[i] == '\t' ? ' ' : text[i];
	while (size && line[size - 1] == ' ')
		size--;
	return strtab_add_n(c->texts, line, size);
}

static void add_line(struct code *c, const struct lines_place *p)
{
	const char *file = p->frames->file, *name = strrchr(file, '/');
	char label[CALLEE_BYTES];

	snprintf(label, sizeof(label), "%s:%u", name ? name + 1 : file, p->frames->line);
	c->lines[c->line_count++] = (struct code_line){
		.file = strtab_add(c->texts, file),
		.line = p->frames->line,
		.label = strtab_add(c->texts, label),
		.text = p->text ? line_text(c, p->text) : NULL,
	};
}

/* The lines, each once; instruction I is of the place I. */
static void convert_lines(struct code *c, const struct lines_answer *a)
{
	const struct lines_place **places = mem_array(a->place_count, sizeof(*places));
	size_t count = 0;

	for (size_t i = 0; i < a->place_count; i++) {
		if (line_of(&a->places[i]))
			places[count++] = &a->places[i];
	}
	qsort(places, count, sizeof(*places), compare_lines);
	c->lines = mem_array(count, sizeof(*c->lines));
	for (size_t i = 0; i < count; i++) {
		if (!i || compare_lines(&places[i - 1], &places[i]))
			add_line(c, places[i]);
		c->instructions[places[i] - a->places].line = (uint32_t)c->line_count - 1;
	}
	free(places);
}

static const enum code_flow flows[] = {
	[FLOW_NEXT] = CODE_NEXT, [FLOW_JUMP] = CODE_JUMP,     [FLOW_BRANCH] = CODE_BRANCH,
	[FLOW_CALL] = CODE_CALL, [FLOW_RETURN] = CODE_RETURN,
};

static uint32_t callee_of(const struct watch *w, const struct instruction *from)
{
	bool inside = from->target >= w->range.start && from->target < w->range.end;

	if (!from->target || from->flow == FLOW_NEXT || (inside && from->flow != FLOW_CALL))
		return FRAME_NONE;
	return resolver_function_at(w->use.resolver, w->object, from->target);
}

/* As objdump writes it: "callq 0x1040 <puts>". */
static const char *instruction_text(const struct watch *w, struct code *c, const char *text,
				    uint32_t callee)
{
	char with[2 * CALLEE_BYTES];

	if (!callee)
		return strtab_add(c->texts, text);
	snprintf(with, sizeof(with), "%.*s <%.*s>", CALLEE_BYTES - 8, text, CALLEE_BYTES - 8,
		 frame_symbol(w->use.frames, callee));
	return strtab_add(c->texts, with);
}

static struct code *convert(const struct watch *w, const struct lines_answer *a)
{
	struct code *c = code_new();

	c->start = w->range.start;
	c->size = w->range.end - w->range.start;
	c->missing = strtab_add(c->texts, a->no_code);
	c->no_lines = strtab_add(c->texts, a->missing);
	c->instructions = mem_array(a->instruction_count, sizeof(*c->instructions));
	c->instruction_count = a->instruction_count;
	for (size_t i = 0; i < a->instruction_count; i++) {
		const struct instruction *from = &a->instructions[i];
		uint32_t callee = callee_of(w, from);

		c->instructions[i] = (struct code_instruction){
			.address = from->address,
			.target = from->target,
			.size = from->size,
			.flow = (uint8_t)flows[from->flow],
			.line = CODE_NO_LINE,
			.callee = callee,
			.text = instruction_text(w, c, from->text, callee),
		};
	}
	convert_lines(c, a);
	return c;
}

bool watch_take(struct watch *w)
{
	struct lines_answer *a;
	bool taken = false;

	while (w->lines && (a = lines_take(w->lines))) {
		if (a->id == w->code_request && w->waiting) {
			w->waiting = false;
			w->code = a->instruction_count ? convert(w, a) : NULL;
			if (!w->code)
				say_missing(w, *a->no_code ? a->no_code : a->missing);
			taken = true;
		}
		lines_answer_free(a);
	}
	return taken;
}

/* The object's own address of a sample at KEY, if that is the function's. */
static bool find_address(const struct watch *w, const struct address_key *key, uint64_t *address)
{
	*address = key->address + w->range.moved;
	if (key->object != w->object)
		return false;
	if (w->nameless)
		return is_named_so(w, key);
	return *address >= w->range.start && *address < w->range.end;
}

static void add_address(struct watch *w, struct snapshot *s, const struct address_sum *sum,
			const double *values, size_t *capacity)
{
	struct snapshot_function *f = &s->function;
	uint64_t address;

	if (!find_address(w, &sum->key, &address))
		return;
	mem_grow((void **)&f->addresses, capacity, f->address_count + 1, sizeof(*f->addresses));
	f->addresses[f->address_count++] = (struct snapshot_address){
		.address = address,
		.cell = { .process = sum->key.process,
			  .tid = sum->key.tid,
			  .comm = "",
			  .frame = w->frame,
			  .event = sum->key.event,
			  .cpu = sum->key.cpu,
			  .samples = sum->samples,
			  .period = sum->period,
			  .counters = values },
	};
}

/* Copies values that the histogram lent, so that the snapshot owns them. */
static void own_values(struct snapshot *s)
{
	struct snapshot_function *f = &s->function;
	size_t events = s->event_count;

	if (!f->address_count || !f->addresses->cell.counters)
		return;
	f->values = mem_array(f->address_count * events, sizeof(*f->values));
	for (size_t i = 0; i < f->address_count; i++) {
		double *values = f->values + i * events;

		memcpy(values, f->addresses[i].cell.counters, events * sizeof(*values));
		f->addresses[i].cell.counters = values;
	}
}

static void add_key(void *context, const struct cell_key *key, uint64_t samples, uint64_t period)
{
	histogram_add_sum(context, key, samples, period);
}

/* Sums the samples of that time; owned by the caller. */
static struct histogram *sum_past(const struct watch *w, uint64_t from_ns, uint64_t to_ns)
{
	struct histogram *sum = histogram_new(SIZE_MAX); /* the past has its own bounds */

	histogram_set_mode(sum, HISTOGRAM_CUMULATIVE, 0);
	if (w->past)
		history_sum(w->past, from_ns, to_ns, add_key, sum);
	return sum;
}

static const char *missing_of_past(const struct watch *w)
{
	if (!*w->missing && w->past && history_merged(w->past))
		return _("not all addresses of the past are kept: there was no room");
	return w->missing;
}

static void describe_object(const struct watch *w, struct snapshot_function *f)
{
	enum dso_kind kind = dso_kind(w->use.objects, w->object);
	struct dso_description d;

	f->object = w->object;
	f->moved = w->range.moved;
	if (kind != DSO_FILE && kind != DSO_VDSO)
		return;
	dso_describe(w->use.objects, w->object, &d);
	f->build_id = d.build_id;
}

static void describe(struct watch *w, struct snapshot *s, bool past)
{
	struct snapshot_function *f = &s->function;
	struct address_sum sum;
	const double *values;
	size_t capacity = 0;

	f->frame = w->frame;
	f->loading = watch_ask(w);
	f->start = w->range.start;
	f->end = w->range.end;
	if (w->object && !w->nameless)
		describe_object(w, f);
	f->code = code_get(w->code);
	f->missing = strtab_add(s->arena, past ? missing_of_past(w) : w->missing);
	for (size_t i = 0; w->object && next_address(w, &i, &sum, &values);)
		add_address(w, s, &sum, values, &capacity);
	own_values(s);
}

void watch_describe(struct watch *w, struct snapshot *s, uint64_t from_ns, uint64_t to_ns)
{
	struct histogram *past = to_ns && !w->held ? sum_past(w, from_ns, to_ns) : NULL;

	w->shown = past ? past : w->addresses;
	s->addresses = w->held ? address_sums_get(w->held) : address_sums_new(w->shown);
	if (w->frame)
		describe(w, s, to_ns);
	w->shown = w->addresses;
	histogram_free(past);
}
