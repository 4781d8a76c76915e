/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_SYMBOL_DEBUGFILE_H
#define PTOP_SYMBOL_DEBUGFILE_H

#include "symbol/load.h"
#include "symbol/object.h"

/*
 * Separate debug files ("Debugging Information in Separate Files" in the GDB manual), under the
 * debug root of this machine and then of the process's own root.  Each is an object owned by the
 * caller with its path in PATH, or NULL.
 */
struct debugfile_path {
	char text[4096 + 512];
};

/*
 * What stands before an absolute path: ROOT 0 is where this machine's files are, 1 where those of L's
 * process are.  False when there is no such root.
 */
#define DEBUGFILE_ROOTS 2
bool debugfile_root(const struct load *l, int root, struct debugfile_path *prefix);

/* ROOT/.build-id/ab/cdef….debug, where it has the same build id. */
struct object *debugfile_by_build_id(struct load *l, struct debugfile_path *path);

/* Likewise by an id that is known. */
struct object *debugfile_of_build_id(struct load *l, const uint8_t *id, size_t size,
				     struct debugfile_path *path);

/*
 * The name in section .gnu_debuglink, beside the file, in .debug/ there, and in ROOT/its directory;
 * it must have the same build id, or the checksum of the section.
 */
struct object *debugfile_by_link(struct load *l, struct debugfile_path *path);

/*
 * The file that holds what debug file O has in common with others, as dwz(1) names it in section
 * .gnu_debugaltlink; it must have the build id that is there.  Owned by the caller, or NULL.
 */
struct object *debugfile_shared(struct load *l, const struct object *o);

#endif
