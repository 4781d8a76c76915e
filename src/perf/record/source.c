/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "perf/record/source.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/decimal.h"

static const char *const tier_names[] = {
	[TIER_CPU_GROUP] = "cpu-group",
	[TIER_PER_TASK] = "per-task",
	[TIER_PROC] = "proc",
	[TIER_FILE] = "file",
};

void source_close(struct source *s)
{
	char *tier_reason, *notes, *failure, *sums_reason, *calls_reason, *walk_reason;

	if (!s)
		return;
	tier_reason = s->tier_reason;
	notes = s->notes;
	failure = s->failure;
	sums_reason = s->sums_reason;
	calls_reason = s->calls_reason;
	walk_reason = s->walk_reason;
	s->ops->close(s);
	mem_free(tier_reason, notes, failure, sums_reason, calls_reason, walk_reason);
}

static const struct {
	const char *name;
	enum stack_mode mode;
} stack_modes[] = {
	{ "none", STACK_NONE }, { "fp", STACK_FP },     { "dwarf", STACK_DWARF },
	{ "lbr", STACK_LBR },   { "auto", STACK_AUTO },
};

bool stack_choice_parse(const char *text, struct stack_choice *choice)
{
	uint64_t bytes = 0;

	if (!strncmp(text, "dwarf,", 6)) {
		if (decimal_parse_u64(text + 6, STACK_COPY_MIN, STACK_COPY_MAX, &bytes))
			return false;
		text = "dwarf";
	}
	for (size_t i = 0; i < sizeof(stack_modes) / sizeof(*stack_modes); i++) {
		if (strcmp(text, stack_modes[i].name))
			continue;
		choice->mode = stack_modes[i].mode;
		choice->copy_bytes = (uint32_t)bytes & ~7u;
		return true;
	}
	return false;
}

bool source_engine_parse(const char *text, enum source_engine *engine)
{
	static const char *const names[] = {
		[ENGINE_AUTO] = "auto", [ENGINE_PERF] = "perf", [ENGINE_BPF] = "bpf"
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		if (strcmp(text, names[i]) != 0)
			continue;
		*engine = (enum source_engine)i;
		return true;
	}
	return false;
}

void source_options_choose_stacks(struct source_options *o, const struct stack_choice *choice)
{
	o->callchains = choice->mode != STACK_NONE;
	o->kernel_chains = choice->mode == STACK_DWARF || choice->mode == STACK_LBR;
	o->branch_stacks = choice->mode == STACK_LBR;
	o->user_stack_bytes = 0;
	if (choice->mode == STACK_DWARF || choice->mode == STACK_AUTO)
		o->user_stack_bytes = choice->copy_bytes ? choice->copy_bytes : STACK_COPY_BYTES;
	o->user_stack_adapts = !choice->copy_bytes;
	o->leaf_callers = choice->mode == STACK_FP;
}

int source_watch_python(struct source *s, uint32_t tid, const struct python_walk *w)
{
	if (!s || !s->walks_python || !s->ops->watch_python)
		return -EOPNOTSUPP;
	return s->ops->watch_python(s, tid, w);
}

const char *source_tier_name(enum source_tier tier)
{
	return tier_names[tier];
}
