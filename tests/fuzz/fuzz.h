/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_TESTS_FUZZ_H
#define PTOP_TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>

/*
 * A fuzz target is one function and one bound in one file, tests/FOLDER/fuzz-NAME.c, with seeds in
 * tests/corpus/NAME.  With --enable-fuzzers (clang) it becomes a libFuzzer program, to be given its
 * corpus; otherwise replay.c is its main() and `make check` runs the seeds through it.  In both
 * cases it aborts, or a sanitizer does, when an input shows a defect.
 *
 * oracle.c stands between: it measures each input, and aborts with the figure if that costs more than
 * the bound.  An input that costs too much is measured again; the least of three counts, because other
 * programs, and what a first call sets up, cost too.
 */
int fuzz_input(const uint8_t *data, size_t size); /* returns 0, as libFuzzer wants it */

/* The cost that one input may have: a constant, and so much for each of its bytes. */
struct fuzz_bound {
	uint64_t cpu_us, cpu_ns_per_byte; /* CPU time of all threads, under a sanitizer */
	uint64_t heap_kib, heap_per_byte; /* KiB and bytes that it adds to the heap at once */
};

extern const struct fuzz_bound fuzz_bound;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
