/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_TESTS_FUZZ_H
#define PTOP_TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>

/*
 * A fuzz target is one function in one file, tests/FOLDER/fuzz-NAME.c, with seeds in
 * tests/corpus/NAME.  With --enable-fuzzers (clang) it becomes a libFuzzer program, to be given its
 * corpus; otherwise replay.c is its main() and `make check` runs the seeds through it.  In both
 * cases it aborts, or a sanitizer does, when an input shows a defect.
 */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size); /* 0, as libFuzzer wants it */

#endif
