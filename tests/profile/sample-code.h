/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_TESTS_SAMPLE_CODE_H
#define PTOP_TESTS_SAMPLE_CODE_H

#include "profile/snapshot.h"

/*
 * Makes hot_a of a sample snapshot (sample-snapshot.h) the function that is looked at.  Its samples
 * are spread over 26 instructions of nine source lines, with a loop in a loop and calls.  A source
 * line and the name of a callee have an escape sequence.  Without CODE there are the addresses
 * alone.
 */
void sample_code(struct snapshot *s, bool code);

#define SAMPLE_CODE_START 0x401100u
#define SAMPLE_CODE_HOT 0x401121u  /* the address with the most samples */
#define SAMPLE_CODE_JUMP 0x401128u /* one that jumps to the next */
#define SAMPLE_CODE_LOOP 0x401118u
#define SAMPLE_CODE_CALL 0x401131u /* calls malloc */

#endif
