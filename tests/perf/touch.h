/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_TESTS_PERF_TOUCH_H
#define PTOP_TESTS_PERF_TOUCH_H

#include <stdint.h>

#include "perf/record/record.h"

/* Reads all bytes that a decoded record points at, for a sanitizer to see.  Their sum. */
uint64_t record_touch(const struct record *r);

#endif
