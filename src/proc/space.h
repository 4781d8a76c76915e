/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_PROC_SPACE_H
#define PTOP_PROC_SPACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * An address space: the executable mappings of one process, sorted, disjoint.  A counter, the
 * generation, grows with every change; what was computed from the space stores it.
 */
struct mapping {
	uint64_t start, end;	/* [start, end) */
	uint64_t pgoff;		/* bytes: file offset of start */
	const char *path;	/* interned by the caller; "//anon", "[vdso]", "/x.so (deleted)" */
	uint32_t major, minor;
	uint64_t inode, inode_generation;
	uint8_t build_id[20];
	uint8_t build_id_size;
	/*
	 * For the owner's use, copied around with the mapping; 0 at first.  Setting it through
	 * space_find() is no change, and may show in spaces that this one was copied to or from.
	 */
	uint32_t dso;
};

struct space;

struct space *space_new(void);
void space_free(struct space *s);
struct space *space_copy(struct space *s);		/* what a fork does; shared until a change */
void space_clear(struct space *s);			/* what an exec does */

/*
 * Adds *M; what it overlaps is cut or removed, as mmap(2) with MAP_FIXED does.  An empty one is
 * ignored.  Past SPACE_LIMIT mappings (the kernel's own default limit is 65530) it is refused and
 * counted.
 */
#define SPACE_LIMIT 262144
void space_insert(struct space *s, const struct mapping *m);

/* Borrowed until the next change; NULL when nothing is mapped at ADDRESS. */
struct mapping *space_find(struct space *s, uint64_t address);

uint64_t space_generation(const struct space *s);
uint64_t space_refused(const struct space *s);
size_t space_count(const struct space *s);
struct mapping *space_at(struct space *s, size_t i);	/* in address order; borrowed */

/*
 * Parses the text of /proc/PID/maps into a mapping a line, executable ones only (or all when ALL),
 * calling ADD; `path` is borrowed from a buffer that dies on return, and is "//anon" when there is
 * none, as in mapping records.  The kernel writes a newline in it as \012, which is left as it is:
 * nothing tells it from a name that holds these four characters.  A damaged line is skipped.  The
 * number of lines skipped.
 *   7f2c4a000000-7f2c4a022000 r-xp 00001000 fe:00 131 /usr/lib/libc.so.6
 */
typedef void maps_receiver(void *context, const struct mapping *m);
size_t maps_parse(const char *text, size_t size, bool all, maps_receiver *add, void *context);

#endif
