/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_PROC_SPACE_H
#define PTOP_PROC_SPACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/build-id.h"

/*
 * An address space: the executable mappings of one process, sorted and disjoint.  The generation
 * grows with every change; store it beside what was computed from the space.
 */
struct mapping {
	uint64_t start, end; /* [start, end) */
	uint64_t pgoff;      /* bytes: file offset of start */
	const char *path;    /* borrowed from the space; "//anon", "[vdso]", "/x.so (deleted)" */
	uint32_t major, minor;
	uint64_t inode, inode_generation;
	struct build_id build_id;
	/*
	 * For the owner's use; copied with the mapping, 0 at first.  Setting it through
	 * space_find() is not a change.  It may then show in spaces that share this one's array.
	 */
	uint32_t dso;
};

struct space;

/*
 * Shared by many spaces: their paths, each once, and the account of their memory.  Beyond BYTES_MAX
 * mappings are refused and counted.
 */
struct space_store;
struct space_store *space_store_new(size_t bytes_max);
void space_store_free(struct space_store *s);          /* after its spaces */
size_t space_store_bytes(const struct space_store *s); /* of all spaces */
size_t space_store_most(const struct space_store *s);  /* BYTES_MAX */
uint64_t space_store_refused(const struct space_store *s);

/* STORE is borrowed.  NULL: paths are borrowed from the caller, and nothing is limited in bytes. */
struct space *space_new(struct space_store *store);
void space_free(struct space *s);
struct space *space_copy(struct space *s); /* for a fork; shared until a change */
void space_clear(struct space *s);         /* for an exec */

/*
 * Adds *M and cuts or removes what it overlaps, as mmap(2) with MAP_FIXED does.  M's path is borrowed
 * during the call.  An empty mapping is ignored.  Beyond SPACE_LIMIT mappings, or the store's
 * memory, it is refused and counted; the kernel's own default limit is 65530.
 */
#define SPACE_LIMIT 262144
void space_insert(struct space *s, const struct mapping *m);

/* Returns the mapping at ADDRESS, borrowed until the next change, or NULL. */
struct mapping *space_find(struct space *s, uint64_t address);

uint64_t space_generation(const struct space *s);
uint64_t space_refused(const struct space *s);
size_t space_bytes(const struct space *s); /* of its array, shared or not; without paths */
size_t space_count(const struct space *s);
struct mapping *space_at(struct space *s, size_t i); /* in address order; borrowed */

/*
 * Parses the text of /proc/PID/maps and calls ADD for each mapping: executable ones only, or all if
 * ALL is set.  `path` is borrowed from a buffer that dies on return.  It is "//anon" for a mapping
 * without a path, as in mapping records.
 *
 * The kernel writes a newline in a path as \012.  It is left so, because a name may also hold these
 * four characters.  A damaged line is skipped.  Returns the number of skipped lines.
 *   7f2c4a000000-7f2c4a022000 r-xp 00001000 fe:00 131 /usr/lib/libc.so.6
 */
typedef void maps_receiver(void *context, const struct mapping *m);
size_t maps_parse(const char *text, size_t size, bool all, maps_receiver *add, void *context);

#endif
