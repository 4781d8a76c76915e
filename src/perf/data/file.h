/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_PERF_DATA_FILE_H
#define PTOP_PERF_DATA_FILE_H

#include "base/error.h"
#include "perf/event/evlist.h"
#include "perf/record/source.h"

/*
 * A recording of `perf record`, as a source (TIER_FILE).  Perf has two layouts: the file
 * (tools/perf/Documentation/perf.data-file-format.txt in the kernel's source) and the stream that
 * it writes to a pipe.  Directories of `perf record --threads`, both byte orders and compressed
 * files are read as well.  It is read once, from front to back, in pieces.  The records of its CPUs
 * are sorted by time: up to the recording's marks (FINISHED_ROUND), between its files, one for each
 * CPU, or else within a bounded window.
 *
 * perf's rules are followed where the file leaves something open, so that counts are equal to those
 * of `perf script`: see file-events.c and struct source's TIER_FILE.
 *
 * Damaged parts are left out and counted.  At the end drain() then gives -EBADMSG, with `failure`
 * saying what is missing.  Records of kinds that are not used are counted in `notes`.
 */

/*
 * Opens PATH, a file or directory, "-" being the standard input, and adds its events to EVLIST, which
 * must be empty.  A recording in pipe layout describes them on its way: then they are read up to the
 * first record of the kernel's, waiting for whoever writes it.  NULL with ERR set when it is no
 * recording.  EVLIST must outlive the result.
 */
struct source *file_source_open(struct evlist *evlist, const char *path, struct error *err);

/*
 * Adds the events of time (event.h) behind those of the recording S: off-cpu, wall-clock and latency,
 * and run-delay and wakers if wake-ups were recorded.  S then gives the records that source.h
 * describes for a live source.  Once, before the first drain.  -1 with ERR set, naming what is
 * missing, when it has no context switches.
 */
int file_source_tell_times(struct source *s, struct error *err);

/*
 * Likewise adds the event syscalls.  S then gives a record with `call` of each system call that begins or
 * returns (source.h).  -1 with ERR set when none that returns was recorded.
 */
int file_source_tell_calls(struct source *s, struct error *err);

#endif
