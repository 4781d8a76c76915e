/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_PERF_LIVE_WALKS_H
#define PTOP_PERF_LIVE_WALKS_H

#include "base/python-walk.h"

/*
 * Samples that bring the frames of Python's interpreter (perf/bpf/kernel-python.h).  The program is loaded with the source,
 * while ptop has all its privileges, or not at all.  It is attached to the sampled events when the first thread is to be
 * walked: a machine without Python pays nothing.
 *
 * A file of the live source: see live-state.h.  All of tier 1, and do nothing while `live.walks` is NULL.
 */
struct error;
struct live;
struct record;

/* Returns 0 if this machine and this build can, or -1 with ERR set. */
int walks_try(struct error *err);

/* Opens them if the options want them; source.walk_reason then says why they are not there. */
void walks_open(struct live *l);
void walks_close(struct live *l);

/* FD, which samples EVENT, was opened. */
void walks_add(const struct live *l, int fd, int event);

/* The groups were opened anew, perhaps before walks_watch() was called first. */
void walks_renew(struct live *l);

/* As source_ops.watch_python. */
int walks_watch(struct live *l, uint32_t tid, const struct python_walk *w);

/* The walk of R, a sample in its order; NULL: there is none.  Borrowed until the next call. */
const struct python_walked *walks_find(struct live *l, const struct record *r);

#endif
