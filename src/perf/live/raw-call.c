/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "perf/live/raw-call.h"

#include "perf/live/live-state.h"
#include "perf/live/userregs.h"

void raw_call_leave_attr(const struct live *l, bool stacks, struct perf_event_attr *attr)
{
	attr->config = l->calls.left.id;
	attr->sample_period = 1;
	live_attr_finish(l, stacks ? &l->waker_layout : &l->wakeup_layout, NULL, attr);
	attr->exclude_callchain_kernel =
		stacks; /* how the kernel makes a record says nothing of the call */
	if (attr->sample_stack_user > LEADER_STACK_BYTES)
		attr->sample_stack_user = LEADER_STACK_BYTES;
}

/* The stack is the user's: it begins where the program called. */
static void become_user(const struct live *l, struct record *r)
{
	struct record_sample *s = &r->sample;

	r->cpumode = CPUMODE_USER;
	s->ip = 0;
	if (s->callchain_count > 1)
		s->ip = record_word(&l->waker_layout, s->callchain, 1);
	else
		record_user_register(s, USER_PC, &s->ip);
	if (!s->ip)
		s->user_stack = NULL;
}

void raw_call_record(const struct live *l, struct record *r, bool leaves)
{
	const struct record_sample *s = &r->sample;
	const struct tracepoint *number = leaves ? &l->calls.left : &l->calls.entered;

	r->counts_only = true;
	r->call = leaves ? CALL_LEAVES : CALL_ENTERS;
	r->call_count = 1;
	r->call_result = 0;
	if (!trace_field_read(&number->field, s->raw, s->raw_size, false, &r->call_number))
		r->call_number = -1;
	if (leaves)
		trace_field_read(&l->calls.returned.field, s->raw, s->raw_size, false,
				 &r->call_result);
	if (s->callchain_count || s->user_stack)
		become_user(l, r);
}
