/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_SYMBOL_DEBUGFILE_H
#define PTOP_SYMBOL_DEBUGFILE_H

#include "symbol/load-state.h"
#include "symbol/object.h"

/*
 * Separate debug files ("Debugging Information in Separate Files" in the GDB manual).  They are
 * looked for under the debug root of this machine, then of the process's own root.  Each function
 * returns an object that the caller owns, with its path in PATH, or NULL.
 */
struct debugfile_path {
	char text[4096 + 512];
};

/*
 * A question for a debug file, which a process that may open nothing asks.  Each way has a few places
 * to look at; the one who asks checks that the file is the right one.
 */
enum debugfile_way {
	DEBUGFILE_BUILD_ID,
	DEBUGFILE_LINK,
	DEBUGFILE_SHARED,  /* of dwz(1) */
	DEBUGFILE_PACKAGE, /* PROGRAM.dwp, beside the program or its debug file */
	DEBUGFILE_UNIT,    /* of split debug information */
	DEBUGFILE_SERVER,  /* see fetch.h; may take long */
	DEBUGFILE_SOURCE,  /* a source text; first in the process's root, last on the server */
	DEBUGFILE_KERNEL,  /* the vmlinux of a release, where distributions and builds put it */
	DEBUGFILE_MODULE,  /* a file of the kernel's modules, likewise */
};

struct debugfile_request {
	uint32_t way;
	uint32_t place;     /* 0 in the first question */
	struct build_id id; /* BUILD_ID, SERVER; SOURCE: of the program, none: no server has it */
	/*
	 * LINK: of .gnu_debuglink; SHARED: of .gnu_debugaltlink; UNIT; SOURCE; KERNEL: the release; MODULE: the path below
	 * lib/modules.
	 */
	char name[4096];
	char directory[4096]; /* UNIT: the compiler's; "" none */
};

/*
 * Opens the file at that place; R may come from anybody.  Returns a descriptor with its path in PATH,
 * or a negative errno: -ENODATA if there is no such place.  It opens nothing but ELF files, and source
 * texts, which are any files.
 */
int debugfile_open(struct load *l, const struct debugfile_request *r, struct debugfile_path *path);

/*
 * The same for the first place from R's on that has such a file; R then goes on behind it.  So a worker asks
 * once a way and not once a place.
 */
int debugfile_open_next(struct load *l, struct debugfile_request *r, struct debugfile_path *path);

/*
 * Asks for the next file of R, which must begin at place 0: here, or through L's `open`.  NULL with *END
 * if there is none left; NULL without it: go on.
 */
struct object *debugfile_ask(struct load *l, struct debugfile_request *r,
			     struct debugfile_path *path, bool *end);

/* Copies TEXT into a member of a request.  Returns false if it is too long. */
bool debugfile_name(char *member, size_t size, const char *text);

/* Looks for ROOT/.build-id/ab/cdef….debug with the same build id. */
struct object *debugfile_by_build_id(struct load *l, struct debugfile_path *path);

/* The same for a given build id. */
struct object *debugfile_of_build_id(struct load *l, const struct build_id *id,
				     struct debugfile_path *path);

/*
 * Looks for the name in section .gnu_debuglink: beside the file, in .debug/ there, and in ROOT/its
 * directory.  The file must have the same build id, or the checksum that the section gives.
 */
struct object *debugfile_by_link(struct load *l, struct debugfile_path *path);

/*
 * Opens the file with the parts that debug file O has in common with others, as dwz(1) names it in
 * section .gnu_debugaltlink.  Its build id must be the one given there.  The caller owns the
 * result, or NULL.
 */
struct object *debugfile_shared(struct load *l, const struct object *o);

#endif
