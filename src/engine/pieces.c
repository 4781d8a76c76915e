/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/pieces.h"

bool pieces_follow(const struct pieces *p, struct thread *th)
{
	return th && th->tid && th->tid != UINT32_MAX && th->process->pid &&
	       target_has_thread(p->target, p->processes, th);
}

void pieces_count(const struct pieces *p, struct thread *th, const struct piece *piece)
{
	uint32_t slot = th ? attribution_slot(p->attribution, th) : COUNTERS_UNATTRIBUTED;
	size_t event = piece->key.event;

	if (piece->more)
		histogram_add_many(p->histogram, &piece->key, piece->more + 1, piece->ns,
				   piece->end_ns);
	else
		histogram_add(p->histogram, &piece->key, piece->ns, piece->end_ns);
	histogram_longest(p->histogram, &piece->key, piece->longest_ns);
	attribution_period(p->attribution, ATTRIBUTION_NO_CPU, slot, event, piece->ns);
	attribution_sample(p->attribution, ATTRIBUTION_NO_CPU, event, piece->more + 1);
}
