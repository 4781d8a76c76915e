/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_UNWIND_OBJECT_H
#define PTOP_UNWIND_OBJECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "symbol/object.h"
#include "unwind/regs.h"

/*
 * What unwinding knows of an ELF file: its call frame information, read once, and the rules that
 * were made of it, shared by all processes that map the file.
 *
 * unwind_object_new() reads the file and may run in the loader's thread.  From then on nothing is
 * read; the rules grow, so one thread at a time unwinds with an object.
 */
struct unwind_object;

/*
 * Reads .eh_frame and .debug_frame (which may be compressed) of O, which is not needed afterwards;
 * about 1 ms for each MiB.  NULL when it is no 64-bit little-endian ELF file of a machine of enum
 * unwind_machine; an object without call frame information is made.  Owned by the caller.
 */
struct unwind_object *unwind_object_new(const struct object *o);

/*
 * The same of code without a file that a JIT compiler describes: BYTES of an .eh_frame, foreign and
 * borrowed as long as the object lives, that is meant to be at ADDRESS.  Its addresses are the process's.
 */
struct unwind_code {
	uint16_t machine;        /* e_machine */
	uint64_t start, address; /* of the code, of what describes it */
	const void *bytes;
	size_t size;
};
struct unwind_object *unwind_object_new_of_code(const struct unwind_code *code);
void unwind_object_free(struct unwind_object *o); /* NULL is allowed */

/*
 * The difference between the addresses in a process and those in the file, for a mapping that
 * begins at MAP_START with the file's byte PGOFF.  False when no segment of the file is there.
 */
bool unwind_object_bias(const struct unwind_object *o, uint64_t map_start, uint64_t pgoff,
			uint64_t *bias);

enum unwind_machine unwind_object_machine(const struct unwind_object *o);

/* How many functions are described; 0: there is nothing to unwind by. */
size_t unwind_object_functions(const struct unwind_object *o);

/*
 * Of the functions that are described and large enough to call others, how many of a hundred keep a
 * frame pointer, by a look at some of them; -1 when there are none.  Chains of frame pointers
 * through code with less than UNWIND_KEEPS_FP leave out callers.  Constant; computed by
 * unwind_object_new().
 */
#define UNWIND_KEEPS_FP 90
int unwind_object_fp_percent(const struct unwind_object *o);

/* Memory that it takes, in bytes, now. */
size_t unwind_object_bytes(const struct unwind_object *o);

#endif
