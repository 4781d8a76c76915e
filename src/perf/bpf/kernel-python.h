/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_PERF_BPF_KERNEL_PYTHON_H
#define PTOP_PERF_BPF_KERNEL_PYTHON_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/python-walk.h"

/*
 * The frames of Python's interpreter, walked at the moment of a sample by a BPF program (python.bpf.c) on the sampled event.
 *
 * Which walk belongs to which sample.  The kernel runs the program in the interrupt that takes the sample, and writes the
 * sample behind it.  So on each CPU walks and samples are in the same order, and a walk is there when its sample is read.
 * A walk is that of a sample if CPU, thread and instruction are the same and the times differ by less than 100
 * microseconds.  Walks that found no room leave a gap in the numbers, and are counted.  The one behind a gap is not
 * used, since the sample may be that of a lost one.
 *
 * While a CPU serves a probe's program, or changes a map, the kernel drops a sample of such an event.  It counts that nowhere.
 *
 * Loading needs what perf/bpf/kernel-waits.h says; the calls that follow need the descriptors alone.
 */
struct kernel_python;

/* NULL with ERR set: one line that says why this machine, or this build, has none. */
struct kernel_python *kernel_python_open(struct error *err);
void kernel_python_close(struct kernel_python *k); /* NULL is allowed */

/* From now on samples of the event FD bring walks.  Returns 0 or a negative errno. */
int kernel_python_attach(const struct kernel_python *k, int fd);

/* Thread TID is walked as W says, which is copied; NULL: no longer.  Returns 0 or a negative errno. */
int kernel_python_watch(struct kernel_python *k, uint32_t tid, const struct python_walk *w);

/*
 * The walk of the sample that thread TID made on CPU at TIME_NS (CLOCK_MONOTONIC) and instruction IP; NULL: there is
 * none.  Samples of each CPU come in their order.  Borrowed until the next call.
 */
const struct python_walked *kernel_python_find(struct kernel_python *k, uint32_t cpu, uint32_t tid,
					       uint64_t ip, uint64_t time_ns);

/* Walks that found no room, in the kernel's ring or here, since it was opened. */
uint64_t kernel_python_lost(const struct kernel_python *k);

/* Bytes of the ring on a machine of so many CPUs: a power of two, 1 MiB to 64 MiB. */
uint32_t kernel_python_ring_bytes(size_t cpus);

#endif
