/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "base/i18n.h"
#include "output/document.h"
#include "output/format.h"
#include "output/stacks.h"

/*
 * The file format of https://www.speedscope.app: one table of frames, and for each column of values
 * a "sampled" profile, whose stacks go from the root outwards.  The root is the process:
 *
 *	{"shared":{"frames":[{"name":"load (4123)"},{"name":"hot_a","file":"/tmp/load"}]},
 *	 "profiles":[{"type":"sampled","name":"cpu","unit":"nanoseconds","startValue":0,
 *		      "endValue":861000000,"samples":[[0,1]],"weights":[861000000]}], ...}
 */
#define SCHEMA "https://www.speedscope.app/file-format-schema.json"

struct weighted {
	json_t *samples, *weights;
	int64_t total;
};

struct speedscope {
	const struct snapshot *snapshot;
	json_t *frames;
	struct map frame_numbers; /* a frame's key to its number in `frames` + 1 */
	struct weighted *columns;
	size_t column_count;
};

/* Keys of frames are small numbers; processes get keys above them. */
#define PROCESS_KEY(serial) (UINT64_C(1) << 32 | (serial))

static json_int_t number_of(const struct speedscope *p, uint64_t key)
{
	return (json_int_t)(uintptr_t)map_find(&p->frame_numbers, key) - 1;
}

static json_int_t add_frame(struct speedscope *p, uint64_t key, json_t *frame)
{
	json_array_append_new(p->frames, frame);
	map_put(&p->frame_numbers, key, (void *)(uintptr_t)json_array_size(p->frames));
	return number_of(p, key);
}

static json_int_t function_number(struct speedscope *p, uint32_t frame)
{
	const struct frame_table *frames = p->snapshot->frames;
	json_int_t number = number_of(p, frame);
	json_t *o;

	if (number >= 0)
		return number;
	o = json_object();
	document_set(o, "name", document_text(frame_symbol(frames, frame)));
	if (*frame_object_path(frames, frame))
		document_set(o, "file", document_text(frame_object_path(frames, frame)));
	return add_frame(p, frame, o);
}

static json_int_t process_number(struct speedscope *p, const struct stack *stack)
{
	json_int_t number = number_of(p, PROCESS_KEY(stack->process));
	char *name;
	json_t *o;

	if (number >= 0)
		return number;
	o = json_object();
	name = stack_is_shared(stack) ? mem_strdup("[others]")
				      : mem_printf("%s (%u)", stack->comm, stack->pid);
	document_set(o, "name", document_text(name));
	free(name);
	return add_frame(p, PROCESS_KEY(stack->process), o);
}

static json_t *stack_array(struct speedscope *p, const struct stack *stack)
{
	json_t *array = json_array();

	json_array_append_new(array, json_integer(process_number(p, stack)));
	for (size_t i = stack->depth; i-- > 0;)
		json_array_append_new(array, json_integer(function_number(p, stack->frames[i])));
	return array;
}

static void add_stack(struct speedscope *p, const struct stack *stack)
{
	json_t *array = stack_array(p, stack);

	for (size_t i = 0; i < p->column_count; i++) {
		struct weighted *column = &p->columns[i];

		if (!stack->values[i])
			continue;
		json_array_append(column->samples, array);
		json_array_append_new(column->weights, json_integer(stack->values[i]));
		column->total += stack->values[i];
	}
	json_decref(array);
}

/* The format's word for a unit; a count has no unit. */
static const char *unit_word(const struct stack_column *column)
{
	return strcmp(column->unit, "count") ? column->unit : "none";
}

static json_t *profile_object(const struct weighted *column, const struct stack_column *about)
{
	json_t *o = json_object();

	document_set(o, "type", json_string("sampled"));
	document_set(o, "name", document_text(about->name));
	document_set(o, "unit", json_string(unit_word(about)));
	document_set(o, "startValue", json_integer(0));
	document_set(o, "endValue", json_integer(column->total));
	document_set(o, "samples", column->samples);
	document_set(o, "weights", column->weights);
	return o;
}

/* Fills the profiles from the stacks. */
static json_t *profiles_array(struct speedscope *p)
{
	struct stacks *stacks = stacks_new(p->snapshot);
	const struct stack_column *about = stacks_columns(stacks, &p->column_count);
	json_t *array = json_array();
	struct stack stack;

	p->columns = mem_array(p->column_count, sizeof(*p->columns));
	for (size_t i = 0; i < p->column_count; i++)
		p->columns[i] = (struct weighted){ json_array(), json_array(), 0 };
	while (stacks_next(stacks, &stack))
		add_stack(p, &stack);
	for (size_t i = 0; i < p->column_count; i++)
		json_array_append_new(array, profile_object(&p->columns[i], &about[i]));
	free(p->columns);
	stacks_free(stacks);
	return array;
}

static int speedscope_write(struct buf *out, const struct output_request *request,
			    struct error *err)
{
	struct speedscope p = { .snapshot = view_snapshot(request->view), .frames = json_array() };
	char *exporter = mem_printf("ptop@%s", p.snapshot->version);
	json_t *root = json_object(), *shared = json_object();
	char time[TIME_TEXT_SIZE];

	time_format(time, p.snapshot->time_ns);
	document_set(root, "$schema", json_string(SCHEMA));
	document_set(root, "name", json_string(time));
	document_set(root, "exporter", json_string(exporter));
	document_set(root, "profiles", profiles_array(&p));
	document_set(root, "activeProfileIndex", json_integer(p.column_count ? 1 : 0));
	document_set(shared, "frames", p.frames);
	document_set(root, "shared", shared);
	free(exporter);
	map_fini(&p.frame_numbers);
	return document_print(out, root, err);
}

/* clang-format off */
const struct output_format format_speedscope = {
	.name = "speedscope", .extensions = ".speedscope.json",
	.help = N_("a profile for speedscope.app"), .series = SERIES_LAST,
	.write = speedscope_write, .stacks = true,
};
/* clang-format on */
