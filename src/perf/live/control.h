/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_PERF_LIVE_CONTROL_H
#define PTOP_PERF_LIVE_CONTROL_H

#include "perf/live/live-state.h"

/* The operations of the live source that change its events; see struct source_ops. */
int live_set_enabled(struct source *s, size_t event, bool enabled);
int live_suspend(struct source *s, bool suspended);
int live_retune(struct source *s, size_t event, uint64_t freq_hz, uint64_t period);
void live_reduce(struct source *s, const struct source_reduction *r);
bool live_thins(const struct source *s, size_t event);
int64_t live_add(struct source *s, struct evsel *e);
int live_remove(struct source *s, size_t event);
int live_take_stacks(struct source *s, const struct stack_choice *choice);

#endif
