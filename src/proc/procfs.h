/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_PROC_PROCFS_H
#define PTOP_PROC_PROCFS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/buf.h"
#include "base/error.h"

/*
 * /proc as a directory descriptor, so that tests bring a tree of their own.  Every read is one
 * openat+read+close into the caller's buffer; a process that vanished is -ENOENT or -ESRCH, one
 * that hidepid hides -EACCES or -ENOENT: expected absence, never a message.
 */
struct procfs {
	int fd;			/* the directory */
	uint64_t ticks_per_s;	/* of the times in stat: sysconf(_SC_CLK_TCK), 100 in fixtures */
	uint64_t page_size;	/* bytes */
};

int procfs_open(struct procfs *p, const char *root, struct error *err);	/* ROOT usually "/proc" */
void procfs_close(struct procfs *p);

/*
 * Reads the file NAME ("loadavg", "4123/stat") into BUF, at most SIZE - 1 bytes and a NUL, in one
 * read(2): enough for every file that fits a page, or whose beginning is all that is wanted.  The
 * bytes read, or a negative errno.
 */
ssize_t procfs_read(const struct procfs *p, const char *name, char *buf, size_t size);

/* The same for /proc/PID/NAME, and /proc/PID/task/TID/NAME when TID is not 0. */
ssize_t procfs_read_task(const struct procfs *p, uint32_t pid, uint32_t tid, const char *name,
			 char *buf, size_t size);

/*
 * Reads the whole file NAME into B in place of what it held: files without a known bound ("stat" of
 * a machine with many CPUs, "4123/maps").  Stops at LIMIT bytes.  The bytes read, or a negative
 * errno (B then holds what came before it).
 */
ssize_t procfs_read_whole(const struct procfs *p, const char *name, struct buf *b, size_t limit);

/*
 * /proc/PID/NAME, or /proc/PID/task/TID/NAME, for reading it in pieces: a descriptor, the caller's to
 * close, or a negative errno.  And the next bytes of it, 0 at its end, or a negative errno.
 */
int procfs_open_task(const struct procfs *p, uint32_t pid, uint32_t tid, const char *name);
ssize_t procfs_read_more(int fd, char *buf, size_t size);

/*
 * The effective user of PID: the owner of /proc/PID, which unlike that of the files in it is right
 * for a process that may not be dumped.  0, or a negative errno.
 */
int procfs_owner(const struct procfs *p, uint32_t pid, uint32_t *uid);

/*
 * Calls VISIT with each process (each thread of PID when PID is not 0) until it returns non-zero.
 * The number visited, or a negative errno.  One that begins or ends meanwhile may be in it or not.
 */
typedef int procfs_visitor(void *context, uint32_t pid);
int64_t procfs_each_task(const struct procfs *p, uint32_t pid, procfs_visitor *visit,
			 void *context);

#endif
