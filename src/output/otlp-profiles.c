/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/hash.h"
#include "base/i18n.h"
#include "output/otlp.h"
#include "output/stacks.h"
#include "output/texts.h"

/*
 * OTLP profiles, https://opentelemetry.io/docs/specs/otlp/: one ExportProfilesServiceRequest.  The protocol calls this signal
 * v1development, so a later version may refuse what is written here.
 *
 * A profile has values of one type, so each column of the stacks is a profile.  The dictionary is for all of them: indexes are in
 * the order of the first use, after the empty entry of each table.
 */
struct profile {
	struct otlp_buffer bytes; /* Profile */
	double sum;
};

struct indexes {
	int32_t *items;
	size_t count, capacity;
};

struct writer {
	const struct snapshot *snapshot;
	struct stacks *stacks;
	struct otlp_buffer dictionary; /* ProfilesDictionary */
	struct texts texts;
	struct texts values; /* of attributes; they are in no table of texts */
	/* The tables: from the hash of what an entry has to its index - 1.  Two frames may have one name. */
	struct map mappings, functions, locations, lists;
	struct map attributes; /* likewise, by ATTRIBUTE() */
	struct map known;      /* by the key of stack_location(): the index of the location */
	struct indexes stack, location; /* under construction; a location begins with its mapping */
	struct profile *profiles;       /* one a column */
};

enum attribute { PROCESS_ID, PROCESS_NAME, THREAD_ID, LOST_SAMPLES };
#define ATTRIBUTE(which, value) ((uint64_t)(which) << 48 ^ (uint64_t)(value))

static const char *const attribute_keys[] = {
	[PROCESS_ID] = "process.pid",
	[PROCESS_NAME] = "process.executable.name",
	[THREAD_ID] = "thread.id",
	[LOST_SAMPLES] = "ptop.lost_samples",
};

static void put(struct writer *w, const Otlp__ProfilesDictionary *part)
{
	otlp_put(&w->dictionary, &part->base);
}

static int32_t text(struct writer *w, const char *raw)
{
	return (int32_t)texts_add(&w->texts, raw);
}

static void add_index(struct indexes *list, int32_t index)
{
	mem_grow((void **)&list->items, &list->capacity, list->count + 1, sizeof(*list->items));
	list->items[list->count++] = index;
}

/* The first entry of each table; that of texts is entered with them. */
static void put_empty(struct writer *w)
{
	uint8_t zero[16] = { 0 };
	Otlp__ProfilesDictionary part = OTLP__PROFILES_DICTIONARY__INIT;
	Otlp__Mapping mapping = OTLP__MAPPING__INIT, *mappings = &mapping;
	Otlp__Location location = OTLP__LOCATION__INIT, *locations = &location;
	Otlp__Function function = OTLP__FUNCTION__INIT, *functions = &function;
	Otlp__Link link = OTLP__LINK__INIT, *links = &link;
	Otlp__KeyValueAndUnit attribute = OTLP__KEY_VALUE_AND_UNIT__INIT, *attributes = &attribute;
	Otlp__Stack stack = OTLP__STACK__INIT, *stacks = &stack;

	link.trace_id = (ProtobufCBinaryData){ .len = 16, .data = zero };
	link.span_id = (ProtobufCBinaryData){ .len = 8, .data = zero };
	part.mapping_table = &mappings;
	part.location_table = &locations;
	part.function_table = &functions;
	part.link_table = &links;
	part.attribute_table = &attributes;
	part.stack_table = &stacks;
	part.n_mapping_table = part.n_location_table = part.n_function_table = 1;
	part.n_link_table = part.n_attribute_table = part.n_stack_table = 1;
	put(w, &part);
	text(w, "");
}

static int32_t put_mapping(struct writer *w, uint32_t frame)
{
	Otlp__ProfilesDictionary part = OTLP__PROFILES_DICTIONARY__INIT;
	Otlp__Mapping mapping = OTLP__MAPPING__INIT, *list = &mapping;
	uint64_t index;

	mapping.filename_strindex = text(w, frame_object_path(w->snapshot->frames, frame));
	if (!mapping.filename_strindex)
		return 0;
	if (map_seen(&w->mappings, (uint64_t)mapping.filename_strindex, &index))
		return (int32_t)index;
	part.mapping_table = &list;
	part.n_mapping_table = 1;
	put(w, &part);
	return (int32_t)index;
}

static int32_t put_function(struct writer *w, uint32_t frame)
{
	Otlp__ProfilesDictionary part = OTLP__PROFILES_DICTIONARY__INIT;
	Otlp__Function function = OTLP__FUNCTION__INIT, *list = &function;
	const struct frame_source *source = frame_source(w->snapshot->frames, frame);
	int64_t all[4];
	uint64_t index;

	function.name_strindex = text(w, frame_function(w->snapshot->frames, frame));
	function.system_name_strindex = text(w, frame_raw_symbol(w->snapshot->frames, frame));
	if (source) {
		function.filename_strindex = text(w, source->file);
		function.start_line = source->line;
	}
	all[0] = function.name_strindex;
	all[1] = function.system_name_strindex;
	all[2] = function.filename_strindex;
	all[3] = function.start_line;
	if (map_seen(&w->functions, hash_bytes(all, sizeof(all)), &index))
		return (int32_t)index;
	part.function_table = &list;
	part.n_function_table = 1;
	put(w, &part);
	return (int32_t)index;
}

static uint64_t hash_indexes(const struct indexes *list)
{
	return hash_bytes(list->items, list->count * sizeof(*list->items));
}

/* Writes the location that is under construction. */
static void put_location(struct writer *w)
{
	const size_t count = w->location.count - 1;
	Otlp__ProfilesDictionary part = OTLP__PROFILES_DICTIONARY__INIT;
	Otlp__Location location = OTLP__LOCATION__INIT, *list = &location;
	Otlp__Line *lines = mem_array(count, sizeof(*lines));
	Otlp__Line **line_list = mem_array(count, sizeof(*line_list));

	for (size_t i = 0; i < count; i++) {
		otlp__line__init(&lines[i]);
		lines[i].function_index = w->location.items[i + 1];
		line_list[i] = &lines[i];
	}
	location.mapping_index = w->location.items[0];
	location.lines = line_list;
	location.n_lines = count;
	part.location_table = &list;
	part.n_location_table = 1;
	put(w, &part);
	mem_free(lines, line_list);
}

/* The index of the location of the stack's frames from AT on.  *COUNT: how many frames it has. */
static int32_t location_of(struct writer *w, const struct stack *stack, size_t at, size_t *count)
{
	uint64_t key, index;

	*count = stack_location(w->snapshot, stack, at, &key);
	index = (uintptr_t)map_find(&w->known, key);
	if (index)
		return (int32_t)index;
	w->location.count = 0;
	add_index(&w->location, put_mapping(w, stack->frames[at]));
	for (size_t i = 0; i < *count; i++)
		add_index(&w->location, put_function(w, stack->frames[at + i]));
	if (!map_seen(&w->locations, hash_indexes(&w->location), &index))
		put_location(w);
	map_put(&w->known, key, (void *)(uintptr_t)index);
	return (int32_t)index;
}

static int32_t put_list(struct writer *w, const struct stack *stack)
{
	Otlp__ProfilesDictionary part = OTLP__PROFILES_DICTIONARY__INIT;
	Otlp__Stack locations = OTLP__STACK__INIT, *list = &locations;
	uint64_t index;
	size_t frames;

	w->stack.count = 0;
	for (size_t i = 0; i < stack->depth; i += frames)
		add_index(&w->stack, location_of(w, stack, i, &frames));
	if (map_seen(&w->lists, hash_indexes(&w->stack), &index))
		return (int32_t)index;
	locations.location_indices = w->stack.items;
	locations.n_location_indices = w->stack.count;
	part.stack_table = &list;
	part.n_stack_table = 1;
	put(w, &part);
	return (int32_t)index;
}

/* NAME NULL: the number VALUE; else the text, whose number in `values` VALUE is. */
static int32_t put_attribute(struct writer *w, enum attribute which, uint64_t value,
			     const char *name)
{
	Otlp__ProfilesDictionary part = OTLP__PROFILES_DICTIONARY__INIT;
	Otlp__KeyValueAndUnit attribute = OTLP__KEY_VALUE_AND_UNIT__INIT, *list = &attribute;
	Otlp__AnyValue any = OTLP__ANY_VALUE__INIT;
	uint64_t index;

	if (map_seen(&w->attributes, ATTRIBUTE(which, value), &index))
		return (int32_t)index;
	attribute.key_strindex = text(w, attribute_keys[which]);
	attribute.value = &any;
	any.value_case =
		name ? OTLP__ANY_VALUE__VALUE_STRING_VALUE : OTLP__ANY_VALUE__VALUE_INT_VALUE;
	if (name)
		any.string_value = (char *)name;
	else
		any.int_value = (int64_t)value;
	part.attribute_table = &list;
	part.n_attribute_table = 1;
	put(w, &part);
	return (int32_t)index;
}

static void put_stack(struct writer *w, const struct stack *stack, size_t columns)
{
	const size_t comm = texts_add(&w->values, stack->comm);
	int32_t attributes[3];
	Otlp__Sample sample = OTLP__SAMPLE__INIT, *samples = &sample;

	sample.stack_index = put_list(w, stack);
	sample.attribute_indices = attributes;
	if (!stack_is_shared(stack)) {
		attributes[sample.n_attribute_indices++] =
			put_attribute(w, PROCESS_ID, stack->pid, NULL);
		attributes[sample.n_attribute_indices++] =
			put_attribute(w, THREAD_ID, stack->tid, NULL);
	}
	if (*stack->comm)
		attributes[sample.n_attribute_indices++] =
			put_attribute(w, PROCESS_NAME, comm, w->values.items[comm]);
	sample.n_values = 1;
	for (size_t i = 0; i < columns; i++) {
		Otlp__Profile part = OTLP__PROFILE__INIT;

		if (!stack->values[i])
			continue;
		sample.values = (int64_t *)&stack->values[i];
		part.samples = &samples;
		part.n_samples = 1;
		otlp_put(&w->profiles[i].bytes, &part.base);
		w->profiles[i].sum += (double)stack->values[i];
	}
}

static Otlp__ValueType type_of(struct writer *w, const struct stack_column *column)
{
	Otlp__ValueType type = OTLP__VALUE_TYPE__INIT;

	type.type_strindex = text(w, column->name);
	type.unit_strindex = text(w, column->unit);
	return type;
}

/* The rest of the profile of column I.  Columns are pairs: samples, then their periods. */
static void end_profile(struct writer *w, const struct stack_column *columns, size_t i)
{
	const struct snapshot *s = w->snapshot;
	const size_t samples = i & ~(size_t)1;
	Otlp__Profile part = OTLP__PROFILE__INIT;
	Otlp__ValueType type = type_of(w, &columns[i]), period = type_of(w, &columns[samples + 1]);
	int32_t lost;

	part.sample_type = &type;
	part.period_type = &period;
	if (w->profiles[samples].sum > 0)
		part.period = llround(w->profiles[samples + 1].sum / w->profiles[samples].sum);
	if (s->cells_s > 0)
		part.duration_nano = (uint64_t)llround(s->cells_s * NS_PER_S);
	part.time_unix_nano = s->time_ns - part.duration_nano;
	if (s->sampling.total_lost) {
		lost = put_attribute(w, LOST_SAMPLES, s->sampling.total_lost, NULL);
		part.attribute_indices = &lost;
		part.n_attribute_indices = 1;
	}
	otlp_put(&w->profiles[i].bytes, &part.base);
}

static void put_texts(struct writer *w)
{
	Otlp__ProfilesDictionary part = OTLP__PROFILES_DICTIONARY__INIT;

	part.string_table = (char **)w->texts.items;
	part.n_string_table = w->texts.count;
	put(w, &part);
}

/* The profile of the periods first: readers show the first one. */
static void put_all(struct writer *w, size_t columns, const struct output_request *request,
		    struct buf *out)
{
	Otlp__ExportProfilesServiceRequest whole = OTLP__EXPORT_PROFILES_SERVICE_REQUEST__INIT;
	Otlp__ResourceProfiles of = OTLP__RESOURCE_PROFILES__INIT, *all = &of;
	Otlp__ScopeProfiles profiles = OTLP__SCOPE_PROFILES__INIT, *list = &profiles;
	Otlp__Resource resource = OTLP__RESOURCE__INIT;
	Otlp__InstrumentationScope scope = otlp_scope(w->snapshot);
	ProtobufCBinaryData *bytes = mem_array(columns, sizeof(*bytes));
	struct otlp_attributes attributes = { .count = 0 };
	struct otlp_buffer to = { .bytes = *out };

	otlp_attributes_add_origin(&attributes, request);
	resource.attributes = attributes.list;
	resource.n_attributes = attributes.count;
	for (size_t i = 0; i < columns; i++)
		bytes[i ^ 1] = otlp_bytes(&w->profiles[i].bytes);
	profiles.scope = &scope;
	profiles.profiles = bytes;
	profiles.n_profiles = columns;
	of.resource = &resource;
	of.scope_profiles = &list;
	of.n_scope_profiles = 1;
	whole.resource_profiles = &all;
	whole.n_resource_profiles = 1;
	whole.dictionary = otlp_bytes(&w->dictionary);
	otlp_put(&to, &whole.base);
	*out = to.bytes;
	otlp_attributes_fini(&attributes);
	free(bytes);
}

static void writer_fini(struct writer *w, size_t columns)
{
	for (size_t i = 0; i < columns; i++)
		buf_fini(&w->profiles[i].bytes.bytes);
	buf_fini(&w->dictionary.bytes);
	texts_fini(&w->texts);
	texts_fini(&w->values);
	stacks_free(w->stacks);
	map_fini(&w->mappings);
	map_fini(&w->functions);
	map_fini(&w->locations);
	map_fini(&w->lists);
	map_fini(&w->attributes);
	map_fini(&w->known);
	mem_free(w->profiles, w->stack.items, w->location.items);
}

static int otlp_profiles_write(struct buf *out, const struct output_request *request,
			       struct error *err)
{
	struct writer w = { .snapshot = view_snapshot(request->view) };
	const struct stack_column *columns;
	struct stack stack;
	size_t count;

	(void)err;
	texts_init(&w.texts);
	texts_init(&w.values);
	w.stacks = stacks_new(w.snapshot);
	columns = stacks_columns(w.stacks, &count);
	w.profiles = mem_array(count, sizeof(*w.profiles));
	put_empty(&w);
	while (stacks_next(w.stacks, &stack))
		put_stack(&w, &stack, count);
	for (size_t i = 0; i < count; i++)
		end_profile(&w, columns, i);
	put_texts(&w);
	put_all(&w, count, request, out);
	writer_fini(&w, count);
	return 0;
}

/* clang-format off */
const struct output_format format_otlp_profiles = {
	.name = "otlp-profiles", .extensions = "", .help = N_("profiles for OpenTelemetry (OTLP)"),
	.series = SERIES_LAST, .write = otlp_profiles_write, .stacks = true,
};
/* clang-format on */
