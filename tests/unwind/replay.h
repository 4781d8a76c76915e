/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_TESTS_UNWIND_REPLAY_H
#define PTOP_TESTS_UNWIND_REPLAY_H

#include "objects.h"

/*
 * The samples of a recording of `perf record --call-graph dwarf` that have user registers, with the
 * address space of their process at that time.  It has as little of the engine as an unwinder
 * needs.
 */
struct replay_sample {
	uint32_t pid, tid;
	uint64_t time_ns;
	struct unwind_regs regs;
	struct unwind_stack stack;
	struct unwind_space space;
};

typedef void replay_receiver(void *context, const struct replay_sample *s);

/* False when PATH could not be read to its end; what is wrong is said on the standard error output.
 */
bool replay(const char *path, struct objects *objects, replay_receiver *receive, void *context);

#endif
