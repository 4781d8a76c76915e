/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/hash.h"
#include "base/i18n.h"
#include "output/document.h"
#include "output/format.h"
#include "output/stacks.h"
#include "output/texts.h"

/*
 * The "processed profile format" of https://profiler.firefox.com, in the version below, which the
 * profiler brings up to date by itself when it opens it.  Each thread has tables of its own, columns
 * side by side:
 *
 *	"stackTable":{"length":2,"prefix":[null,0],"frame":[0,1], ...},
 *	"samples":{"length":1,"stack":[1],"weight":[861],"weightType":"samples","time":[0]}
 *
 * A sample has one weight, so each further event makes threads of its own.  A snapshot does not say
 * when its samples were taken: the stacks of a thread lie one after the other, each as long as its
 * share of the thread.
 */
#define PROFILE_VERSION 48
#define GECKO_VERSION 24 /* of the other format; the profiler wants one */

enum { CATEGORY_OTHER, CATEGORY_USER, CATEGORY_KERNEL };

#define RESOURCE_LIBRARY 1

/* A thread under construction, of one event. */
struct lane {
	int column;        /* of the stacks: its samples */
	const char *event; /* NULL: the first sample */
	struct texts texts;
	struct map functions; /* frame to its number in the tables + 1 */
	struct map resources; /* object, likewise */
	struct map stacks;    /* stack_key(), likewise */
	json_t *function_names, *function_resources, *categories;
	json_t *inlined, *files, *lines;
	json_t *resource_names, *resource_libs;
	json_t *prefixes, *frames, *stack_categories;
	json_t *sample_stacks, *weights;
	int64_t total;
};

struct firefox {
	const struct snapshot *snapshot;
	double duration_ms;
	json_t *threads, *libs;
	struct map lib_numbers; /* object to its number in `libs` + 1 */
	struct map pids;        /* pid to the serial + 1 of its first process */
	struct lane *lanes;
	size_t lane_count;
	struct stack current; /* owner of the lanes; depth 0: none yet */
};

static size_t map_number(const struct map *m, uint64_t key)
{
	return (uintptr_t)map_find(m, key);
}

static void lane_init(struct lane *lane)
{
	*lane = (struct lane){
		.column = lane->column,
		.event = lane->event,
		.function_names = json_array(),
		.function_resources = json_array(),
		.categories = json_array(),
		.inlined = json_array(),
		.files = json_array(),
		.lines = json_array(),
		.resource_names = json_array(),
		.resource_libs = json_array(),
		.prefixes = json_array(),
		.frames = json_array(),
		.stack_categories = json_array(),
		.sample_stacks = json_array(),
		.weights = json_array(),
	};
	texts_init(&lane->texts);
}

/* An array that went into a thread belongs to the thread. */
static void lane_fini(struct lane *lane)
{
	texts_fini(&lane->texts);
	map_fini(&lane->functions);
	map_fini(&lane->resources);
	map_fini(&lane->stacks);
}

static void append(json_t *array, json_int_t number)
{
	json_array_append_new(array, json_integer(number));
}

static json_int_t lib_number(struct firefox *f, uint32_t frame)
{
	const struct frame_table *frames = f->snapshot->frames;
	uint32_t object = frame_object(frames, frame);
	json_t *o;

	if (map_number(&f->lib_numbers, object))
		return (json_int_t)map_number(&f->lib_numbers, object) - 1;
	o = json_object();
	document_set(o, "name", document_text(frame_object_name(frames, frame)));
	document_set(o, "path", document_text(frame_object_path(frames, frame)));
	document_set(o, "debugName", document_text(frame_object_name(frames, frame)));
	document_set(o, "debugPath", document_text(frame_object_path(frames, frame)));
	document_set(o, "breakpadId", json_string("000000000000000000000000000000000"));
	document_set(o, "codeId", json_null());
	document_set(o, "arch", json_null());
	json_array_append_new(f->libs, o);
	map_put(&f->lib_numbers, object, (void *)(uintptr_t)json_array_size(f->libs));
	return (json_int_t)json_array_size(f->libs) - 1;
}

static json_int_t resource_number(struct firefox *f, struct lane *lane, uint32_t frame)
{
	uint32_t object = frame_object(f->snapshot->frames, frame);
	const char *name = frame_object_name(f->snapshot->frames, frame);

	if (!*name)
		return -1;
	if (map_number(&lane->resources, object))
		return (json_int_t)map_number(&lane->resources, object) - 1;
	append(lane->resource_names, (json_int_t)texts_add(&lane->texts, name));
	append(lane->resource_libs, lib_number(f, frame));
	map_put(&lane->resources, object, (void *)(uintptr_t)json_array_size(lane->resource_libs));
	return (json_int_t)json_array_size(lane->resource_libs) - 1;
}

static int category_of(const struct firefox *f, uint32_t frame)
{
	uint8_t flags = frame_flags(f->snapshot->frames, frame);

	if (flags & FRAME_OTHERS)
		return CATEGORY_OTHER;
	return flags & FRAME_KERNEL ? CATEGORY_KERNEL : CATEGORY_USER;
}

/* The number of the frame, the same in the tables of functions and of frames. */
static json_int_t function_number(struct firefox *f, struct lane *lane, uint32_t frame)
{
	const struct frame_table *frames = f->snapshot->frames;
	const struct frame_source *source = frame_source(frames, frame);
	const char *name = frame_function(frames, frame);

	if (map_number(&lane->functions, frame))
		return (json_int_t)map_number(&lane->functions, frame) - 1;
	append(lane->function_names, (json_int_t)texts_add(&lane->texts, name));
	append(lane->function_resources, resource_number(f, lane, frame));
	append(lane->categories, category_of(f, frame));
	append(lane->inlined, (frame_flags(frames, frame) & FRAME_INLINED) != 0);
	json_array_append_new(lane->files, !source ? json_null()
						   : json_integer((json_int_t)texts_add(
							     &lane->texts, source->file)));
	json_array_append_new(lane->lines, !source ? json_null() : json_integer(source->line));
	map_put(&lane->functions, frame, (void *)(uintptr_t)json_array_size(lane->function_names));
	return (json_int_t)json_array_size(lane->function_names) - 1;
}

/* The number of the stack in which the stack PREFIX (-1: none) called FRAME. */
static json_int_t stack_number(struct firefox *f, struct lane *lane, json_int_t prefix,
			       uint32_t frame)
{
	uint64_t key = (uint64_t)(prefix + 1) << 32 | frame;
	size_t number = map_number(&lane->stacks, key);

	if (number)
		return (json_int_t)number - 1;
	json_array_append_new(lane->prefixes, prefix < 0 ? json_null() : json_integer(prefix));
	append(lane->frames, function_number(f, lane, frame));
	append(lane->stack_categories, category_of(f, frame));
	number = json_array_size(lane->frames);
	map_put(&lane->stacks, key, (void *)(uintptr_t)number);
	return (json_int_t)number - 1;
}

static void lane_add(struct firefox *f, struct lane *lane, const struct stack *stack)
{
	int64_t weight = stack->values[lane->column];
	json_int_t number = -1;

	if (!weight)
		return;
	for (size_t i = stack->depth; i-- > 0;)
		number = stack_number(f, lane, number, stack->frames[i]);
	append(lane->sample_stacks, number);
	append(lane->weights, weight);
	lane->total += weight;
}

/* A column of COUNT equal values; takes VALUE. */
static json_t *equal(size_t count, json_t *value)
{
	json_t *array = json_array();

	for (size_t i = 0; i < count; i++)
		json_array_append(array, value);
	json_decref(value);
	return array;
}

static json_t *table(size_t length)
{
	json_t *o = json_object();

	document_set(o, "length", json_integer((json_int_t)length));
	return o;
}

/* COLUMNS, which end with NULL, of COUNT times VALUE, which is taken. */
static void set_equal(json_t *o, const char *const *columns, size_t count, json_t *value)
{
	for (; *columns; columns++)
		document_set(o, *columns, equal(count, json_incref(value)));
	json_decref(value);
}

static json_t *times_array(const struct firefox *f, const struct lane *lane)
{
	json_t *array = json_array();
	int64_t before = 0;

	for (size_t i = 0; i < json_array_size(lane->weights); i++) {
		double part = (double)before / (double)lane->total;

		json_array_append_new(array, json_real(value_round(part * f->duration_ms)));
		before += json_integer_value(json_array_get(lane->weights, i));
	}
	return array;
}

static json_t *samples_table(const struct firefox *f, const struct lane *lane)
{
	json_t *o = table(json_array_size(lane->weights));

	document_set(o, "time", times_array(f, lane));
	document_set(o, "stack", lane->sample_stacks);
	document_set(o, "weight", lane->weights);
	document_set(o, "weightType", json_string("samples"));
	return o;
}

static json_t *stack_table(const struct lane *lane)
{
	size_t count = json_array_size(lane->frames);
	json_t *o = table(count);

	document_set(o, "prefix", lane->prefixes);
	document_set(o, "frame", lane->frames);
	document_set(o, "category", lane->stack_categories);
	document_set(o, "subcategory", equal(count, json_integer(0)));
	return o;
}

static json_t *frame_table_object(const struct lane *lane)
{
	static const char *const unknown[] = { "nativeSymbol", "innerWindowID", "implementation",
					       "line",         "column",        NULL };
	size_t count = json_array_size(lane->categories);
	json_t *o = table(count), *functions = json_array();

	for (size_t i = 0; i < count; i++)
		append(functions, (json_int_t)i);
	document_set(o, "func", functions);
	document_set(o, "category", lane->categories);
	document_set(o, "subcategory", equal(count, json_integer(0)));
	document_set(o, "address", equal(count, json_integer(-1)));
	document_set(o, "inlineDepth", lane->inlined);
	set_equal(o, unknown, count, json_null());
	return o;
}

static json_t *function_table(const struct lane *lane)
{
	static const char *const scripts[] = { "isJS", "relevantForJS", NULL };
	size_t count = json_array_size(lane->function_names);
	json_t *o = table(count);

	document_set(o, "name", lane->function_names);
	document_set(o, "resource", lane->function_resources);
	set_equal(o, scripts, count, json_false());
	document_set(o, "fileName", lane->files);
	document_set(o, "lineNumber", lane->lines);
	document_set(o, "columnNumber", equal(count, json_null()));
	return o;
}

static json_t *resource_table(const struct lane *lane)
{
	size_t count = json_array_size(lane->resource_names);
	json_t *o = table(count);

	document_set(o, "name", lane->resource_names);
	document_set(o, "lib", lane->resource_libs);
	document_set(o, "host", equal(count, json_null()));
	document_set(o, "type", equal(count, json_integer(RESOURCE_LIBRARY)));
	return o;
}

/* A table without rows, with COLUMNS, which end with NULL. */
static json_t *empty_table(const char *const *columns)
{
	json_t *o = table(0);

	set_equal(o, columns, 0, json_null());
	return o;
}

static json_t *strings_array(const struct texts *texts)
{
	json_t *array = json_array();

	for (size_t i = 0; i < texts->count; i++)
		json_array_append_new(array, json_string(texts->items[i]));
	return array;
}

/* A reused pid gets a name of its own, because the profiler puts threads together by pid. */
static json_t *pid_text(struct firefox *f, const struct stack *owner)
{
	uintptr_t serial = owner->process + UINT64_C(1);
	char *text;
	json_t *o;

	if (!map_find(&f->pids, owner->pid))
		map_put(&f->pids, owner->pid, (void *)serial);
	if ((uintptr_t)map_find(&f->pids, owner->pid) == serial)
		text = mem_printf("%u", owner->pid);
	else
		text = mem_printf("%u.%u", owner->pid, owner->process);
	o = json_string(text);
	free(text);
	return o;
}

/* Nothing is known of when a thread began and ended. */
static void set_lifetime(json_t *o)
{
	document_set(o, "processStartupTime", json_integer(0));
	document_set(o, "processShutdownTime", json_null());
	document_set(o, "registerTime", json_integer(0));
	document_set(o, "unregisterTime", json_null());
	document_set(o, "pausedRanges", json_array());
}

static void set_identity(struct firefox *f, json_t *o, const struct lane *lane)
{
	const struct stack *owner = &f->current;
	const char *comm = stack_is_shared(owner) ? "[others]" : owner->comm;
	char *name = lane->event ? mem_printf("%s %s", comm, lane->event) : mem_strdup(comm);
	char *tid = mem_printf("%u%s%s", owner->tid, lane->event ? " " : "",
			       lane->event ? lane->event : "");

	document_set(o, "name", document_text(name));
	document_set(o, "processName", document_text(comm));
	document_set(o, "processType", json_string("default"));
	document_set(o, "pid", pid_text(f, owner));
	document_set(o, "tid", lane->event ? document_text(tid) : json_integer(owner->tid));
	document_set(o, "isMainThread", json_boolean(!lane->event && owner->tid == owner->pid));
	set_lifetime(o);
	free(name);
	free(tid);
}

static json_t *thread_object(struct firefox *f, const struct lane *lane)
{
	static const char *const markers[] = { "name",     "startTime", "endTime", "phase",
					       "category", "data",      NULL };
	static const char *const symbols[] = { "libIndex", "address", "name", "functionSize",
					       NULL };
	json_t *o = json_object();

	set_identity(f, o, lane);
	document_set(o, "samples", samples_table(f, lane));
	document_set(o, "stackTable", stack_table(lane));
	document_set(o, "frameTable", frame_table_object(lane));
	document_set(o, "funcTable", function_table(lane));
	document_set(o, "resourceTable", resource_table(lane));
	document_set(o, "markers", empty_table(markers));
	document_set(o, "nativeSymbols", empty_table(symbols));
	document_set(o, "stringArray", strings_array(&lane->texts));
	return o;
}

/* Turns the lanes into threads, and empties the lanes. */
static void flush(struct firefox *f)
{
	for (size_t i = 0; i < f->lane_count && f->current.depth; i++) {
		json_t *thread = thread_object(f, &f->lanes[i]);

		if (f->lanes[i].total)
			json_array_append(f->threads, thread);
		json_decref(thread);
		lane_fini(&f->lanes[i]);
	}
}

static void begin(struct firefox *f, const struct stack *stack)
{
	if (f->current.depth && f->current.process == stack->process &&
	    f->current.tid == stack->tid)
		return;
	flush(f);
	for (size_t i = 0; i < f->lane_count; i++)
		lane_init(&f->lanes[i]);
	f->current = *stack;
}

static void add_threads(struct firefox *f)
{
	struct stacks *stacks = stacks_new(f->snapshot);
	struct stack stack;
	size_t count;
	const struct stack_column *columns = stacks_columns(stacks, &count);

	f->lanes = mem_array(count, sizeof(*f->lanes));
	for (size_t i = 0; i < count; i++) {
		if (columns[i].period)
			continue;
		f->lanes[f->lane_count].event =
			i ? f->snapshot->events[columns[i].event].name : NULL;
		f->lanes[f->lane_count++].column = (int)i;
	}
	while (stacks_next(stacks, &stack)) {
		begin(f, &stack);
		for (size_t i = 0; i < f->lane_count; i++)
			lane_add(f, &f->lanes[i], &stack);
	}
	flush(f);
	free(f->lanes);
	stacks_free(stacks);
}

static json_t *categories_array(void)
{
	static const char *const rows[][2] = { [CATEGORY_OTHER] = { "Other", "grey" },
					       [CATEGORY_USER] = { "User", "yellow" },
					       [CATEGORY_KERNEL] = { "Kernel", "orange" } };
	json_t *array = json_array();

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		json_t *o = json_object();

		document_set(o, "name", json_string(rows[i][0]));
		document_set(o, "color", json_string(rows[i][1]));
		document_set(o, "subcategories", equal(1, json_string("Other")));
		json_array_append_new(array, o);
	}
	return array;
}

static json_t *meta_object(const struct firefox *f)
{
	static const char *const extensions[] = { "baseURL", "id", "name", NULL };
	const struct snapshot *s = f->snapshot;
	char *system = mem_printf("Linux %s %s", s->host.kernel, s->host.arch);
	uint64_t frequency_hz = s->sampling.frequency_hz;
	json_t *o = json_object();

	document_set(o, "version", json_integer(GECKO_VERSION));
	document_set(o, "preprocessedProfileVersion", json_integer(PROFILE_VERSION));
	document_set(o, "product", json_string("ptop"));
	document_set(o, "importedFrom", json_string("ptop"));
	document_set(o, "oscpu", document_text(system));
	document_set(o, "startTime",
		     json_real(value_round((double)(s->time_ns / 1000000) - f->duration_ms)));
	document_set(o, "interval", json_real(frequency_hz ? 1000.0 / (double)frequency_hz : 1));
	document_set(o, "processType", json_integer(0));
	document_set(o, "stackwalk", json_integer(1));
	document_set(o, "debug", json_false());
	document_set(o, "symbolicated", json_true());
	document_set(o, "categories", categories_array());
	document_set(o, "markerSchema", json_array());
	document_set(o, "extensions", empty_table(extensions));
	free(system);
	return o;
}

static int firefox_write(struct buf *out, const struct output_request *request, struct error *err)
{
	struct firefox f = { .snapshot = view_snapshot(request->view),
			     .threads = json_array(),
			     .libs = json_array() };
	json_t *root = json_object();

	if (f.snapshot->cells_s > 0)
		f.duration_ms = f.snapshot->cells_s * 1000;
	add_threads(&f);
	document_set(root, "meta", meta_object(&f));
	document_set(root, "libs", f.libs);
	document_set(root, "pages", json_array());
	document_set(root, "counters", json_array());
	document_set(root, "threads", f.threads);
	map_fini(&f.lib_numbers);
	map_fini(&f.pids);
	return document_print(out, root, err);
}

/* clang-format off */
const struct output_format format_firefox = {
	.name = "firefox", .extensions = ".firefox.json",
	.help = N_("a profile for profiler.firefox.com"), .series = SERIES_LAST,
	.write = firefox_write, .stacks = true,
};
/* clang-format on */
