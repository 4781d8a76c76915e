/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_NAMING_BRANCHES_H
#define PTOP_NAMING_BRANCHES_H

#include <stddef.h>
#include <stdint.h>

#include "perf/record/record.h"

/*
 * The user part of a stack from the CPU's memory of calls (PERF_SAMPLE_BRANCH_CALL_STACK), the newest
 * one first, each with the address of the call and its target.  All are addresses of
 * instructions: none is a return address.
 */
#define BRANCHES_MAX 64

/*
 * Fills FRAMES, the leaf first: where the CPU was if that is in user space (LEAF_IN_USER), else the
 * function that went into the kernel; then the calls.  Their number, 0 without branches.
 */
size_t branches_frames(const struct record_sample *s, const struct record_layout *layout,
		       bool leaf_in_user, uint64_t frames[BRANCHES_MAX + 1]);

#endif
