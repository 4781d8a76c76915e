/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "naming/data.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/account.h"
#include "base/alloc.h"
#include "base/hash.h"
#include "base/strtab.h"

#define NAMES_LIMIT 65536u /* then FRAME_REST */
#define WAKER_BYTES (2 * TASK_COMM_BYTES + sizeof(" (softirq)"))
#define WAKERS_LIMIT 4096u      /* likewise: a process may call itself as often as it likes */
#define OBJECT_BASE 0x80000000u /* objects of code have lower numbers */

struct data_names {
	struct process_table *processes;
	struct frame_table *frames;
	struct strtab *paths; /* spaces drop theirs */
	struct map by_path;   /* a path's address in PATHS to its frame */
	uint32_t unmapped;
	uint32_t wakers; /* names of theirs */
	uint64_t most;   /* bytes */
};

const char *data_short_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	if (*path != '/' || !slash[1] || !strncmp(path, "/dev/", 5) || !strncmp(path, "//", 2))
		return path;
	return slash + 1;
}

uint64_t data_names_bytes(const struct data_names *d)
{
	return strtab_bytes(d->paths) + map_bytes(&d->by_path);
}

/* PATH may go: its copy stays. */
static uint32_t frame_of(struct data_names *d, const char *path)
{
	bool full = d->by_path.count >= NAMES_LIMIT || data_names_bytes(d) >= d->most;
	const char *own = full ? strtab_find(d->paths, path) : strtab_add(d->paths, path);
	struct frame_key key = { .object = OBJECT_BASE + (uint32_t)d->by_path.count,
				 .flags = FRAME_UNKNOWN };
	uintptr_t frame = own ? (uintptr_t)map_find(&d->by_path, (uintptr_t)own) : FRAME_REST;

	if (frame)
		return (uint32_t)frame;
	key.object_path = own;
	key.object_name = data_short_name(own);
	frame = frame_table_add(d->frames, &key);
	map_put(&d->by_path, (uintptr_t)own, (void *)frame);
	return (uint32_t)frame;
}

struct data_names *data_names_new(struct process_table *processes, struct frame_table *frames,
				  uint64_t memory_bytes)
{
	struct data_names *d = mem_alloc(sizeof(*d));

	d->processes = processes;
	d->frames = frames;
	d->most = account_most(memory_bytes, ACCOUNT_DATA);
	d->paths = strtab_new();
	d->unmapped = frame_of(d, "[unknown]");
	return d;
}

void data_names_free(struct data_names *d)
{
	if (!d)
		return;
	map_fini(&d->by_path);
	strtab_free(d->paths);
	free(d);
}

uint32_t data_waker(struct data_names *d, const struct thread *w, enum trace_context context)
{
	const char *work = context == TRACE_IN_SOFTIRQ ? " (softirq)" : "";
	char name[WAKER_BYTES];

	if (context == TRACE_IN_INTERRUPT)
		return frame_of(d, "[interrupt]");
	if (!w || !*w->process->comm)
		return d->unmapped;
	if (!*w->comm || !strcmp(w->comm, w->process->comm))
		snprintf(name, sizeof(name), "%s%s", w->process->comm, work);
	else
		snprintf(name, sizeof(name), "%s/%s%s", w->process->comm, w->comm, work);
	if (!strtab_find(d->paths, name) && d->wakers++ >= WAKERS_LIMIT)
		return FRAME_REST;
	return frame_of(d, name);
}

uint32_t data_waker_part(struct data_names *d, uint32_t waker, enum waker_part part)
{
	static const char *const beginnings[] = {
		[WAKER_WAKES] = "woken by", [WAKER_STACK] = "stack of"
	};
	uint32_t named = waker ? waker : d->unmapped;
	const char *name = frame_object_name(d->frames, named);
	size_t size = strlen(name);
	bool bracketed = size > 2 && *name == '[' && name[size - 1] == ']';
	char text[WAKER_BYTES + sizeof("[woken by ]")];
	const struct frame_key key = { .object = frame_object(d->frames, named),
				       .symbol = part,
				       .raw = text,
				       .object_path = frame_object_path(d->frames, named),
				       .object_name = name };

	if (named == FRAME_REST)
		return FRAME_REST;
	snprintf(text, sizeof(text), "[%s %.*s]", beginnings[part],
		 (int)(bracketed ? size - 2 : size), name + bracketed);
	return frame_table_add(d->frames, &key);
}

uint32_t data_frame(struct data_names *d, struct process *p, uint64_t address)
{
	struct mapping *m = process_mapping(d->processes, p, address);

	if (!m)
		return d->unmapped;
	if (!m->dso) /* this space's mappings keep the frame of their path there */
		m->dso = frame_of(d, m->path);
	return m->dso;
}
