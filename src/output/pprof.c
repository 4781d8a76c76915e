/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <protobuf-c/protobuf-c.h>
#include <stdlib.h>
#include <zlib.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/hash.h"
#include "base/i18n.h"
#include "output/format.h"
#include "output/pprof.pb-c.h"
#include "output/program.h"
#include "output/stacks.h"
#include "output/texts.h"

#define LOCATION_OF_LIST (1ull << 63) /* in the number of a location with several functions */

/*
 * pprof's profile.proto, compressed by gzip: the format that `go tool pprof`, Pyroscope and Parca
 * read.
 *
 * A serialised message is the concatenation of its parts, in any order.  So the whole profile is
 * never in memory: each sample, function or mapping is packed as a profile with nothing else in it,
 * and goes into the compressor.  The table of texts comes last.
 */
struct gzip {
	ProtobufCBuffer base; /* first member: protobuf-c calls us with it */
	z_stream stream;
	struct buf *out;
};

struct pprof {
	struct gzip gzip;
	const struct snapshot *snapshot;
	struct stacks *stacks;
	struct texts texts;
	struct map locations;            /* by number: already written; the value means nothing */
	struct map functions, mappings;  /* the same for frames and for objects */
	Pprof__Line *lines, **line_list; /* of the location being written */
	size_t line_capacity, line_list_capacity;
	uint64_t *location_ids; /* of the stack being written */
	size_t location_capacity;
	double samples, period; /* sums of the first event */
};

/* Compresses SIZE bytes; FLUSH is zlib's.  It cannot fail, because the output always has room. */
static void gzip_write(struct gzip *g, const uint8_t *bytes, size_t size, int flush)
{
	uint8_t piece[4096];

	g->stream.next_in = (uint8_t *)bytes;
	g->stream.avail_in = (uInt)size;
	do {
		g->stream.next_out = piece;
		g->stream.avail_out = sizeof(piece);
		deflate(&g->stream, flush);
		buf_add(g->out, piece, sizeof(piece) - g->stream.avail_out);
	} while (!g->stream.avail_out);
}

static void gzip_append(ProtobufCBuffer *base, size_t size, const uint8_t *bytes)
{
	gzip_write((struct gzip *)base, bytes, size, Z_NO_FLUSH);
}

#define GZIP_WINDOW (15 + 16) /* the largest, with gzip's header */
#define GZIP_MEMORY 8         /* zlib's default */

static int gzip_open(struct gzip *g, struct buf *out, struct error *err)
{
	*g = (struct gzip){ .base.append = gzip_append, .out = out };
	if (deflateInit2(&g->stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, GZIP_WINDOW, GZIP_MEMORY,
			 Z_DEFAULT_STRATEGY) == Z_OK)
		return 0;
	return error_set(err, _("cannot compress the profile: out of memory"));
}

static void gzip_close(struct gzip *g)
{
	gzip_write(g, NULL, 0, Z_FINISH);
	deflateEnd(&g->stream);
}

static void put(struct pprof *p, const Pprof__Profile *part)
{
	protobuf_c_message_pack_to_buffer(&part->base, &p->gzip.base);
}

static int64_t text(struct pprof *p, const char *raw)
{
	return (int64_t)texts_add(&p->texts, raw);
}

/* Adds KEY to the map.  Returns true if it was there before. */
static bool seen(struct map *m, uint64_t key)
{
	if (map_find(m, key))
		return true;
	map_put(m, key, m);
	return false;
}

/* Writes the frame's object, if that is new, and returns its number. */
static uint64_t put_mapping(struct pprof *p, uint32_t frame)
{
	Pprof__Profile part = PPROF__PROFILE__INIT;
	Pprof__Mapping mapping = PPROF__MAPPING__INIT, *list = &mapping;
	uint64_t id = frame_object(p->snapshot->frames, frame) + 1ull;

	if (seen(&p->mappings, id))
		return id;
	mapping.id = id;
	mapping.filename = text(p, frame_object_path(p->snapshot->frames, frame));
	mapping.has_functions = true;
	part.mapping = &list;
	part.n_mapping = 1;
	put(p, &part);
	return id;
}

/* The number of a frame is also that of its function. */
static void put_function(struct pprof *p, uint32_t frame)
{
	Pprof__Profile part = PPROF__PROFILE__INIT;
	Pprof__Function function = PPROF__FUNCTION__INIT, *functions = &function;
	const struct frame_source *source = frame_source(p->snapshot->frames, frame);

	if (seen(&p->functions, frame))
		return;
	function.id = frame;
	function.name = text(p, frame_function(p->snapshot->frames, frame));
	function.system_name = text(p, frame_raw_symbol(p->snapshot->frames, frame));
	if (source) {
		function.filename = text(p, source->file);
		function.start_line = source->line;
	}
	part.function = &functions;
	part.n_function = 1;
	put(p, &part);
}

static void put_location(struct pprof *p, uint64_t id, const uint32_t *frames, size_t count)
{
	Pprof__Profile part = PPROF__PROFILE__INIT;
	Pprof__Location location = PPROF__LOCATION__INIT, *locations = &location;

	mem_grow((void **)&p->lines, &p->line_capacity, count, sizeof(*p->lines));
	mem_grow((void **)&p->line_list, &p->line_list_capacity, count, sizeof(*p->line_list));
	for (size_t i = 0; i < count; i++) {
		put_function(p, frames[i]);
		pprof__line__init(&p->lines[i]);
		p->lines[i].function_id = frames[i];
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

/*
 * Inlined functions share the location of the function around them: the first of FRAMES that is not
 * inlined.  Returns how many frames the location has.  *ID is its number: the frame's own, or that
 * of the list.
 */
static size_t location_of(struct pprof *p, const uint32_t *frames, size_t depth, uint64_t *id)
{
	size_t count = 1;

	while (count < depth && frame_flags(p->snapshot->frames, frames[count - 1]) & FRAME_INLINED)
		count++;
	*id = count == 1 ? frames[0]
			 : hash_bytes(frames, count * sizeof(*frames)) | LOCATION_OF_LIST;
	if (!seen(&p->locations, *id))
		put_location(p, *id, frames, count);
	return count;
}

/* Fills location_ids and returns their number. */
static size_t put_locations(struct pprof *p, const struct stack *stack)
{
	size_t count = 0;

	mem_grow((void **)&p->location_ids, &p->location_capacity, stack->depth,
		 sizeof(*p->location_ids));
	for (size_t i = 0; i < stack->depth; count++)
		i += location_of(p, stack->frames + i, stack->depth - i, &p->location_ids[count]);
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

static void put_column(struct pprof *p, const struct stack_column *column)
{
	Pprof__Profile part = PPROF__PROFILE__INIT;
	Pprof__ValueType type = PPROF__VALUE_TYPE__INIT, *types = &type;

	type.type = text(p, column->name);
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
		type.type = part.default_sample_type = text(p, columns[1].name);
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

static int pprof_write(struct buf *out, const struct output_request *request, struct error *err)
{
	struct pprof p = { .snapshot = view_snapshot(request->view) };

	if (gzip_open(&p.gzip, out, err))
		return -1;
	p.stacks = stacks_new(p.snapshot);
	texts_init(&p.texts);
	put_all(&p);
	gzip_close(&p.gzip);
	texts_fini(&p.texts);
	stacks_free(p.stacks);
	map_fini(&p.locations);
	map_fini(&p.functions);
	map_fini(&p.mappings);
	mem_free(p.lines, p.line_list, p.location_ids);
	return 0;
}

/* clang-format off */
const struct output_format format_pprof = {
	.name = "pprof", .extensions = ".pprof .pb.gz",
	.help = N_("profile.proto, for go tool pprof"), .series = SERIES_LAST,
	.write = pprof_write, .stacks = true,
};
/* clang-format on */
