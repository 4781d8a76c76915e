/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <protobuf-c/protobuf-c.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/hash.h"
#include "base/i18n.h"
#include "output/format.h"
#include "output/gzip.h"
#include "output/pprof.h"
#include "output/pprof.pb-c.h"
#include "output/program.h"
#include "output/stacks.h"
#include "output/texts.h"

/*
 * pprof's profile.proto, compressed by gzip: the format that `go tool pprof`, Pyroscope and Parca
 * read.
 *
 * A serialised message is the concatenation of its parts, in any order.  So the whole profile is
 * never in memory: each sample, function or mapping is packed as a profile with nothing else in it,
 * and goes into the compressor.  The table of texts comes last.
 *
 * Functions, locations and mappings are numbered from 1 in the order in which they are written.
 * Parca refuses others.
 */
struct compressor {
	ProtobufCBuffer base;
	struct gzip *gzip;
};

struct pprof {
	struct compressor out;
	const struct snapshot *snapshot;
	struct stacks *stacks;
	struct texts texts;
	void (*type_name)(char *name);   /* of pprof_make() */
	struct map locations;            /* by the key of stack_location(): their numbers */
	struct map functions, mappings;  /* the same by frame, and by object */
	Pprof__Line *lines, **line_list; /* of the location being written */
	size_t line_capacity, line_list_capacity;
	uint64_t *location_ids; /* of the stack being written */
	size_t location_capacity;
	double samples, period; /* sums of the first event */
};

static void append(ProtobufCBuffer *base, size_t size, const uint8_t *bytes)
{
	gzip_write(((struct compressor *)base)->gzip, bytes, size);
}

static void put(struct pprof *p, const Pprof__Profile *part)
{
	protobuf_c_message_pack_to_buffer(&part->base, &p->out.base);
}

static int64_t text(struct pprof *p, const char *raw)
{
	return (int64_t)texts_add(&p->texts, raw);
}

/* Writes the frame's object, if that is new, and returns its number. */
static uint64_t put_mapping(struct pprof *p, uint32_t frame)
{
	Pprof__Profile part = PPROF__PROFILE__INIT;
	Pprof__Mapping mapping = PPROF__MAPPING__INIT, *list = &mapping;
	uint64_t id;

	if (map_seen(&p->mappings, frame_object(p->snapshot->frames, frame), &id))
		return id;
	mapping.id = id;
	mapping.filename = text(p, frame_object_path(p->snapshot->frames, frame));
	mapping.has_functions = true;
	part.mapping = &list;
	part.n_mapping = 1;
	put(p, &part);
	return id;
}

/* Writes the frame's function, if that is new, and returns its number. */
static uint64_t put_function(struct pprof *p, uint32_t frame)
{
	Pprof__Profile part = PPROF__PROFILE__INIT;
	Pprof__Function function = PPROF__FUNCTION__INIT, *functions = &function;
	const struct frame_source *source = frame_source(p->snapshot->frames, frame);
	uint64_t id;

	if (map_seen(&p->functions, frame, &id))
		return id;
	function.id = id;
	function.name = text(p, frame_function(p->snapshot->frames, frame));
	function.system_name = text(p, frame_raw_symbol(p->snapshot->frames, frame));
	if (source) {
		function.filename = text(p, source->file);
		function.start_line = source->line;
	}
	part.function = &functions;
	part.n_function = 1;
	put(p, &part);
	return id;
}

static void put_location(struct pprof *p, uint64_t id, const uint32_t *frames, size_t count)
{
	Pprof__Profile part = PPROF__PROFILE__INIT;
	Pprof__Location location = PPROF__LOCATION__INIT, *locations = &location;

	mem_grow((void **)&p->lines, &p->line_capacity, count, sizeof(*p->lines));
	mem_grow((void **)&p->line_list, &p->line_list_capacity, count, sizeof(*p->line_list));
	for (size_t i = 0; i < count; i++) {
		pprof__line__init(&p->lines[i]);
		p->lines[i].function_id = put_function(p, frames[i]);
		p->line_list[i] = &p->lines[i];
	}
	location.id = id;
	location.mapping_id = put_mapping(p, frames[0]);
	location.line = p->line_list;
	location.n_line = count;
	part.location = &locations;
	part.n_location = 1;
	put(p, &part);
}

/* Fills location_ids and returns their number. */
static size_t put_locations(struct pprof *p, const struct stack *stack)
{
	size_t count = 0, frames;
	uint64_t key;

	mem_grow((void **)&p->location_ids, &p->location_capacity, stack->depth,
		 sizeof(*p->location_ids));
	for (size_t i = 0; i < stack->depth; i += frames, count++) {
		frames = stack_location(p->snapshot, stack, i, &key);
		if (!map_seen(&p->locations, key, &p->location_ids[count]))
			put_location(p, p->location_ids[count], stack->frames + i, frames);
	}
	return count;
}

static void put_stack(struct pprof *p, const struct stack *stack, size_t columns)
{
	Pprof__Profile part = PPROF__PROFILE__INIT;
	Pprof__Sample sample = PPROF__SAMPLE__INIT, *samples = &sample;
	Pprof__Label pid = PPROF__LABEL__INIT, tid = pid, comm = pid;
	Pprof__Label *labels[] = { &pid, &tid, &comm };

	sample.n_location_id = put_locations(p, stack);
	pid.key = text(p, "pid");
	pid.num = stack->pid;
	tid.key = text(p, "tid");
	tid.num = stack->tid;
	comm.key = text(p, "comm");
	comm.str = text(p, stack->comm);
	sample.location_id = p->location_ids;
	sample.value = (int64_t *)stack->values;
	sample.n_value = columns;
	sample.label = labels;
	sample.n_label = stack_is_shared(stack) ? 0 : 3;
	part.sample = &samples;
	part.n_sample = 1;
	put(p, &part);
	p->samples += (double)stack->values[0];
	p->period += (double)stack->values[1];
}

static int64_t type_text(struct pprof *p, const char *name)
{
	char *copy = mem_strdup(name);
	int64_t number;

	if (p->type_name)
		p->type_name(copy);
	number = text(p, copy);
	free(copy);
	return number;
}

static void put_column(struct pprof *p, const struct stack_column *column)
{
	Pprof__Profile part = PPROF__PROFILE__INIT;
	Pprof__ValueType type = PPROF__VALUE_TYPE__INIT, *types = &type;

	type.type = type_text(p, column->name);
	type.unit = text(p, column->unit);
	part.sample_type = &types;
	part.n_sample_type = 1;
	put(p, &part);
}

static void put_comment(struct pprof *p, const char *words)
{
	Pprof__Profile part = PPROF__PROFILE__INIT;
	int64_t comment = text(p, words);

	part.comment = &comment;
	part.n_comment = 1;
	put(p, &part);
}

static void put_comments(struct pprof *p)
{
	const struct snapshot *s = p->snapshot;
	char *version = mem_printf("ptop %s", s->version);
	char *lost = mem_printf("%llu samples lost", (unsigned long long)s->sampling.total_lost);

	put_comment(p, version);
	if (s->sampling.total_lost)
		put_comment(p, lost);
	free(version);
	free(lost);
}

/* Writes the time, and the average period of the first event's samples. */
static void put_head(struct pprof *p, const struct stack_column *columns, size_t count)
{
	const struct snapshot *s = p->snapshot;
	Pprof__Profile part = PPROF__PROFILE__INIT;
	Pprof__ValueType type = PPROF__VALUE_TYPE__INIT;

	if (s->cells_s > 0)
		part.duration_nanos = llround(s->cells_s * NS_PER_S);
	part.time_nanos = (int64_t)s->time_ns - part.duration_nanos;
	if (count) {
		type.type = part.default_sample_type = type_text(p, columns[1].name);
		type.unit = text(p, columns[1].unit);
		part.period_type = &type;
	}
	if (p->samples > 0)
		part.period = llround(p->period / p->samples);
	put(p, &part);
}

static void put_texts(struct pprof *p)
{
	Pprof__Profile part = PPROF__PROFILE__INIT;

	part.string_table = (char **)p->texts.items;
	part.n_string_table = p->texts.count;
	put(p, &part);
}

static void put_all(struct pprof *p)
{
	struct stack stack;
	size_t count;
	const struct stack_column *columns = stacks_columns(p->stacks, &count);
	uint32_t program = program_frame(p->snapshot);

	text(p, ""); /* number 0 is the absent text */
	if (program)
		put_mapping(p, program); /* the first one is the profile's file */
	for (size_t i = 0; i < count; i++)
		put_column(p, &columns[i]);
	while (stacks_next(p->stacks, &stack))
		put_stack(p, &stack, count);
	put_comments(p);
	put_head(p, columns, count);
	put_texts(p);
}

int pprof_make(struct buf *out, const struct output_request *request, void (*type_name)(char *name),
	       struct error *err)
{
	struct pprof p = { .out = { .base.append = append, .gzip = gzip_open(out) },
			   .snapshot = view_snapshot(request->view),
			   .type_name = type_name };

	if (!p.out.gzip)
		return error_set(err, _("cannot compress the profile: out of memory"));
	p.stacks = stacks_new(p.snapshot);
	texts_init(&p.texts);
	put_all(&p);
	gzip_close(p.out.gzip);
	texts_fini(&p.texts);
	stacks_free(p.stacks);
	map_fini(&p.locations);
	map_fini(&p.functions);
	map_fini(&p.mappings);
	mem_free(p.lines, p.line_list, p.location_ids);
	return 0;
}

static int pprof_write(struct buf *out, const struct output_request *request, struct error *err)
{
	return pprof_make(out, request, NULL, err);
}

/* clang-format off */
const struct output_format format_pprof = {
	.name = "pprof", .extensions = ".pprof .pb.gz",
	.help = N_("profile.proto, for go tool pprof"), .series = SERIES_LAST,
	.write = pprof_write, .stacks = true,
};
/* clang-format on */
