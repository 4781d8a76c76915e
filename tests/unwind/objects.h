/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_TESTS_UNWIND_OBJECTS_H
#define PTOP_TESTS_UNWIND_OBJECTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "proc/space.h"
#include "unwind/unwind.h"

/*
 * The engine's part for an unwinder, as little of it as tests need.  Files are loaded by their
 * path, once, and a mapping knows its object.
 */
struct objects;

struct objects *objects_new(void);
void objects_free(struct objects *o);

/* The object of a path as /proc/PID/maps has it; NULL for what is no ELF file.  Borrowed. */
struct unwind_object *objects_get(struct objects *o, const char *path);

/*
 * The segment of a file that has its .eh_frame_hdr, at HEADER; mostly .eh_frame is in it, too.  NULL: none.
 * Borrowed.
 */
struct objects_text {
	char *bytes;
	size_t size;
	uint64_t address, header;
};
const struct objects_text *objects_text(struct objects *o, const char *path);

/* The context of an unwind_space here. */
struct objects_space {
	struct objects *objects;
	struct space *space; /* paths live as the objects do */
};

bool objects_find(void *context, uint64_t pc, struct unwind_mapping *m);

/* Makes the space that of a process now; its mappings' paths become the objects'. */
bool objects_read_maps(struct objects_space *s, pid_t pid);
const char *objects_intern(struct objects *o, const char *path);

#endif
