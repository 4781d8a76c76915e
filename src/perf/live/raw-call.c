/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "perf/live/raw-call.h"

#include "perf/live/live-state.h"
#include "perf/live/userregs.h"

struct tracepoint_wanted raw_call_wanted(const struct live *l, enum raw_call_side side, bool stacks)
{
	return (struct tracepoint_wanted){
		.family = &family_raw_calls,
		.which = side,
		.tracepoint =
			side == RAW_CALL_LEAVES ? &l->raw_calls->left : &l->raw_calls->entered,
		.layout = stacks ? &l->stack_fields_layout : &l->fields_layout,
		.period = 1,
		.user_stacks = stacks, /* how the kernel makes a record says nothing of the call */
	};
}

/* The stack is the user's: it begins where the program called. */
static void become_user(const struct live *l, struct record *r)
{
	struct record_sample *s = &r->sample;

	r->cpumode = CPUMODE_USER;
	s->ip = 0;
	if (s->callchain_count > 1)
		s->ip = record_word(&l->stack_fields_layout, s->callchain, 1);
	else
		record_user_register(s, USER_PC, &s->ip);
	if (!s->ip)
		s->user_stack = NULL;
}

void raw_call_record(const struct live *l, struct record *r, bool leaves)
{
	const struct record_sample *s = &r->sample;
	const struct tracepoint *number = leaves ? &l->raw_calls->left : &l->raw_calls->entered;

	r->counts_only = true;
	r->call = leaves ? CALL_LEAVES : CALL_ENTERS;
	r->call_count = 1;
	r->call_result = 0;
	if (!trace_field_read(&number->field, s->raw, s->raw_size, false, &r->call_number))
		r->call_number = -1;
	if (leaves)
		trace_field_read(&l->raw_calls->returned.field, s->raw, s->raw_size, false,
				 &r->call_result);
	if (s->callchain_count || s->user_stack)
		become_user(l, r);
}
