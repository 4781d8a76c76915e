/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "naming/data.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"

#define NAMES_LIMIT 65536u      /* then FRAME_REST */
#define OBJECT_BASE 0x80000000u /* objects of code have lower numbers */

struct data_names {
	struct process_table *processes;
	struct frame_table *frames;
	struct map by_path; /* an interned text's address to its frame */
	uint32_t unmapped;
};

const char *data_short_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	if (*path != '/' || !slash[1] || !strncmp(path, "/dev/", 5) || !strncmp(path, "//", 2))
		return path;
	return slash + 1;
}

static uint32_t frame_of(struct data_names *d, const char *path)
{
	const struct frame_key key = {
		.object = OBJECT_BASE + (uint32_t)d->by_path.count,
		.object_path = path,
		.object_name = data_short_name(path),
		.flags = FRAME_UNKNOWN,
	};
	uintptr_t frame = (uintptr_t)map_find(&d->by_path, (uintptr_t)path);

	if (frame)
		return (uint32_t)frame;
	if (d->by_path.count >= NAMES_LIMIT)
		return FRAME_REST;
	frame = frame_table_add(d->frames, &key);
	map_put(&d->by_path, (uintptr_t)path, (void *)frame);
	return (uint32_t)frame;
}

struct data_names *data_names_new(struct process_table *processes, struct frame_table *frames)
{
	struct data_names *d = mem_alloc(sizeof(*d));

	d->processes = processes;
	d->frames = frames;
	d->unmapped = frame_of(d, "[unknown]");
	return d;
}

void data_names_free(struct data_names *d)
{
	if (!d)
		return;
	map_fini(&d->by_path);
	free(d);
}

uint32_t data_frame(struct data_names *d, struct process *p, uint64_t address)
{
	const struct mapping *m = process_mapping(d->processes, p, address);

	return m ? frame_of(d, m->path) : d->unmapped;
}
