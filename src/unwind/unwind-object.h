/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_UNWIND_UNWIND_OBJECT_H
#define PTOP_UNWIND_UNWIND_OBJECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "symbol/jit-parser.h"
#include "symbol/object.h"
#include "unwind/regs.h"

/*
 * An ELF file for unwinding: the rules of all its code, made of its call frame information once.  All processes
 * that map the file share it.  It never changes.
 */
struct unwind_object;

/*
 * Reads O in this process, about 10 ms for each MiB of call frame information.  O is not needed afterwards.
 * Returns NULL if O is no 64-bit little-endian ELF file of a machine of enum unwind_machine, or says too
 * much.  An object without call frame information is made, too.  Owned by the caller.
 */
struct unwind_object *unwind_object_new(const struct object *o);

/*
 * Opens what another process has read (unwind-worker.h): FD, which stays the caller's.  Returns NULL if it is
 * not as such a process makes it.
 */
struct unwind_object *unwind_object_open(int fd);

/*
 * The same for code without a file, from the SIZE bytes of its rules, which are borrowed: what
 * unwind_code_rules() makes, maybe in another process.  They are aligned as malloc() aligns, and outlive the object.  Its
 * addresses are the process's.
 */
struct unwind_object *unwind_object_of_rules(const void *bytes, size_t size);

/*
 * A jitframe_make (jit-parser.h): the rules of one function by its compiler's description.  Takes at most some
 * milliseconds, since more than 64 KiB of it make none.  unwind_object_of_rules() takes them.
 */
void *unwind_code_rules(const struct jit_description *d, size_t *size);

void unwind_object_free(struct unwind_object *o); /* NULL is allowed */

/*
 * Computes the difference between addresses in a process and in the file, for a mapping that begins
 * at MAP_START with the file's byte PGOFF.  Returns false if no segment of the file is there.
 */
bool unwind_object_bias(const struct unwind_object *o, uint64_t map_start, uint64_t pgoff,
			uint64_t *bias);

enum unwind_machine unwind_object_machine(const struct unwind_object *o);

/* The number of described functions; 0: nothing to unwind by. */
size_t unwind_object_functions(const struct unwind_object *o);

/*
 * The percentage of functions that keep a frame pointer, by a look at some of those that are
 * described and large enough to call others.  -1 if there are none.
 *
 * Chains of frame pointers through code with less than UNWIND_KEEPS_FP leave out callers.
 */
#define UNWIND_KEEPS_FP 90
int unwind_object_fp_percent(const struct unwind_object *o);

/* The memory that it takes, in bytes. */
size_t unwind_object_bytes(const struct unwind_object *o);

#endif
