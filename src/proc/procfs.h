/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_PROC_PROCFS_H
#define PTOP_PROC_PROCFS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/buf.h"
#include "base/error.h"

/*
 * /proc as a directory descriptor, so that tests can pass a tree of their own.  Every read is one
 * openat+read+close into the caller's buffer.  A process that vanished gives -ENOENT or -ESRCH; one
 * that hidepid hides gives -EACCES or -ENOENT.  Both are expected absence, never a message.
 */
struct procfs {
	int fd;               /* the directory */
	uint64_t ticks_per_s; /* unit of the times in stat: sysconf(_SC_CLK_TCK), 100 in fixtures */
	uint64_t page_size;   /* bytes */
};

int procfs_open(struct procfs *p, const char *root, struct error *err); /* ROOT usually "/proc" */
void procfs_close(struct procfs *p);

/*
 * Reads the file NAME ("loadavg", "4123/stat") into BUF with one read(2): at most SIZE - 1 bytes
 * and a NUL.  That suffices for every file that fits a page, and where only the beginning is
 * wanted.  Returns the number of bytes read, or a negative errno.
 */
ssize_t procfs_read(const struct procfs *p, const char *name, char *buf, size_t size);

/* The same for /proc/PID/NAME, or for /proc/PID/task/TID/NAME if TID is not 0. */
ssize_t procfs_read_task(const struct procfs *p, uint32_t pid, uint32_t tid, const char *name,
			 char *buf, size_t size);

/*
 * The same with a descriptor that stays open, so the next reading is one call.  *FD is below 0 at first, and after an error; the
 * caller closes it.  A file whose task has ended is opened anew: another task may have its number.
 */
ssize_t procfs_read_kept(const struct procfs *p, int *fd, uint32_t pid, uint32_t tid,
			 const char *name, char *buf, size_t size);

/*
 * Replaces the content of B by the whole file NAME.  For files without a known bound ("stat" of a
 * machine with many CPUs, "4123/maps").  Stops at LIMIT bytes.  Returns the number of bytes read,
 * or a negative errno; B then holds what was read before the error.
 */
ssize_t procfs_read_whole(const struct procfs *p, const char *name, struct buf *b, size_t limit);

/*
 * The same for a file that the kernel writes as one record, as most of a control group: cgroup_seqfile_show() of
 * kernel/cgroup/cgroup.c.  A read that gets less than it wants has the end, so no other one looks for it.
 */
ssize_t procfs_read_record(const struct procfs *p, const char *name, struct buf *b, size_t limit);

/*
 * Opens /proc/PID/NAME, or /proc/PID/task/TID/NAME, for reading in pieces.  Returns a descriptor
 * that the caller closes, or a negative errno.  The second function reads the next bytes: it
 * returns their number, 0 at the end, or a negative errno.
 */
int procfs_open_task(const struct procfs *p, uint32_t pid, uint32_t tid, const char *name);
ssize_t procfs_read_more(int fd, char *buf, size_t size);

/*
 * Reads where the symbolic link /proc/PID/NAME ("cwd", "fd/3") leads into BUF: at most SIZE - 1 bytes
 * and a NUL.  TID as above.  Returns the number of bytes, or a negative errno.  The file system of the
 * target is not asked.
 */
ssize_t procfs_read_link(const struct procfs *p, uint32_t pid, uint32_t tid, const char *name,
			 char *buf, size_t size);

/*
 * Reads the effective user of PID: the owner of the directory /proc/PID.  The files in it have
 * another owner if the process may not be dumped.  Returns 0, or a negative errno.
 */
int procfs_owner(const struct procfs *p, uint32_t pid, uint32_t *uid);

/* The same for the file /proc/PID/NAME, which is root's if the process may not be dumped. */
int procfs_owner_of(const struct procfs *p, uint32_t pid, const char *name, uint32_t *uid);

/*
 * Calls VISIT for each process, or for each thread of PID if PID is not 0, until it returns
 * non-zero.  Returns the number of visits, or a negative errno.  A task that begins or ends
 * meanwhile may be missing.
 */
typedef int procfs_visitor(void *context, uint32_t pid);
int64_t procfs_each_task(const struct procfs *p, uint32_t pid, procfs_visitor *visit,
			 void *context);

/* The same for the descriptors of PID, which begin with 0: the numbers in /proc/PID/fd. */
int64_t procfs_each_descriptor(const struct procfs *p, uint32_t pid, procfs_visitor *visit,
			       void *context);

#endif
