/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "touch.h"

#include <stdlib.h>
#include <string.h>

static uint64_t sum(const void *bytes, uint64_t size)
{
	const unsigned char *p = bytes;
	uint64_t total = 0;

	for (uint64_t i = 0; p && i < size; i++)
		total += p[i];
	return total;
}

static uint64_t touch_sample(const struct record_sample *s)
{
	uint64_t regs = (uint64_t)__builtin_popcountll(s->user_regs_mask) * 8;
	uint64_t intr = (uint64_t)__builtin_popcountll(s->intr_regs_mask) * 8;

	if (s->read.count > RECORD_READ_MAX)
		abort();
	return sum(s->callchain, s->callchain_count * 8) + sum(s->raw, s->raw_size) +
	       sum(s->branches, s->branch_count * 24) + sum(s->user_regs, regs) +
	       sum(s->branch_counters, s->branch_count * 8) + sum(s->intr_regs, intr) +
	       sum(s->user_stack, s->user_stack_size) + sum(s->aux, s->aux_size) +
	       sum(s->read.values, s->read.count * sizeof(s->read.values[0]));
}

uint64_t record_touch(const struct record *r)
{
	switch (r->type) {
	case RECORD_SAMPLE:
		return touch_sample(&r->sample);
	case RECORD_MMAP:
	case RECORD_MMAP2:
		return strlen(r->mmap.path) + sum(r->mmap.build_id.bytes, r->mmap.build_id.size);
	case RECORD_COMM:
		return strlen(r->comm.comm);
	case RECORD_KSYMBOL:
		return strlen(r->ksymbol.name);
	case RECORD_CGROUP:
		return strlen(r->cgroup.path);
	case RECORD_BPF_EVENT:
		return sum(r->bpf.tag, 8);
	case RECORD_NAMESPACES:
		return sum(r->namespaces.links, r->namespaces.count * 16);
	case RECORD_TEXT_POKE:
		return sum(r->text_poke.bytes, r->text_poke.old_size + r->text_poke.new_size);
	case RECORD_CALLCHAIN_DEFERRED:
		return sum(r->deferred.callchain, r->deferred.count * 8);
	default:
		return 0;
	}
}
