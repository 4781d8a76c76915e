/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_SHARE_SEGMENT_H
#define PTOP_SHARE_SEGMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/buf.h"
#include "base/error.h"

/*
 * Blocks of bytes in POSIX shared memory (shm_overview(7)), which one server writes and any number of viewers read.
 * The object is a head and a ring of slots.  Each block is a generation, whose slot is its number modulo the slots.  A
 * slot has a sequence that is odd while it is written, and a checksum over its block and generation.  So a viewer takes a
 * whole generation or none, and the server never knows of viewers, nor waits for one.
 *
 * Both sides use pread(2) and pwrite(2) instead of a mapping.  A mapping would let a server that truncates the object
 * kill its viewers by SIGBUS, and a full /dev/shm kill the server.
 *
 * A write lock on the object (F_OFD_SETLK) says that its server lives.  The kernel takes it from a server that
 * crashed, whoever has its pid then.  Only a holder of the lock unlinks the object, so two servers that start at once
 * cannot both believe that a name is theirs.  A viewer cannot take it: that needs a descriptor for writing.
 */

#define SEGMENT_SLOTS 4u
#define SEGMENT_BYTES ((uint64_t)64 << 20) /* the default size */
#define SEGMENT_BYTES_MIN ((uint64_t)1 << 20)
#define SEGMENT_BYTES_MAX ((uint64_t)1 << 30)

#define SEGMENT_NAME_MAX 64 /* bytes of a NAME */

/* Checks that NAME is letters, digits, '.', '_' and '-', at most SEGMENT_NAME_MAX.  Returns 0, or -1 with ERR set. */
int segment_name_check(const char *name, struct error *err);

struct segment_choice {
	const char *name;  /* "" the default; the object is /ptop-UID[-NAME] */
	uint64_t bytes;    /* of the whole object, SEGMENT_BYTES_MIN to _MAX */
	int64_t group;     /* may read it (mode 0640); -1: the owner alone (0600) */
	uint64_t delay_ns; /* between two generations, roughly */
};

struct segment;

/*
 * Makes the object of this user.  One that a server left behind is replaced; NULL with ERR set if a server lives, or
 * the object is another user's.
 */
struct segment *segment_create(const struct segment_choice *choice, struct error *err);

/*
 * The same without a name: only descriptors keep the object.  Fills *FD with one for reading, owned by the caller, which
 * another process gives to segment_view_of().
 */
struct segment *segment_create_unnamed(uint64_t bytes, uint64_t delay_ns, int *fd,
				       struct error *err);

size_t segment_room(const struct segment *s); /* bytes of the largest block */

/*
 * Publishes BLOCK, at most segment_room() bytes, made at TIME_NS (CLOCK_REALTIME).  Returns 0 or a negative errno:
 * -ENOSPC when /dev/shm is full.  Viewers then keep the generation before it.
 */
int segment_publish(struct segment *s, const struct buf *block, uint64_t time_ns);

/* Marks the end and removes the object.  NULL is allowed. */
void segment_remove(struct segment *s);

/* The same, and gives the memory of all generations back, whoever has it open. */
void segment_discard(struct segment *s);

struct segment_view;

/*
 * Opens the object of NAME for reading: this user's, else root's.  NULL with ERR set if there is none, or it belongs to
 * anybody else.  NULL with ERR empty if root has one and this user may not read it.
 */
struct segment_view *segment_open(const char *name, struct error *err);
/* Takes over FD of segment_create_unnamed(), also on failure.  NULL with ERR set. */
struct segment_view *segment_view_of(int fd, struct error *err);
void segment_close(struct segment_view *v); /* NULL is allowed */

/* The server's own words. */
uint64_t segment_delay_ns(const struct segment_view *v);
uint32_t segment_pid(const struct segment_view *v);

uint32_t segment_owner(const struct segment_view *v); /* the user whose object it is */

/*
 * A copy of the newest generation if that is later than the last one that was taken: of malloc(3), SIZE bytes, owned by
 * the caller.  NULL if there is none yet, or it was overwritten meanwhile: ask again.
 */
void *segment_take(struct segment_view *v, size_t *size);

/* Returns true while the server lives. */
bool segment_is_served(const struct segment_view *v);

/* When the server said that it ended, else when the last generation was made (CLOCK_REALTIME); 0: it made none. */
uint64_t segment_ended_ns(const struct segment_view *v);

#endif
