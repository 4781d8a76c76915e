/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/list/cpu-past.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

static uint64_t key_of(const struct snapshot_process *p)
{
	return (uint64_t)p->serial << 32 | p->tid;
}

/* Moves the figures BEFORE, or NULL, by one, and appends NEWEST. */
static void row_append(float row[CPU_PAST], const float *before, double newest)
{
	for (int i = 0; i + 1 < CPU_PAST; i++)
		row[i] = before ? before[i + 1] : NAN;
	row[CPU_PAST - 1] = (float)newest;
}

void cpu_past_add(struct cpu_past *c, const struct snapshot *s)
{
	struct cpu_past now = { .time_ns = s->time_ns };

	if (s->past.to_ns || (c->figures && s->time_ns == c->time_ns))
		return;
	now.figures = mem_array(s->process_count, sizeof(*now.figures));
	for (size_t i = 0; i < s->process_count; i++) {
		const struct snapshot_process *p = &s->processes[i];

		row_append(now.figures[i], cpu_past_of(c, p), p->cpu_percent);
		map_put(&now.rows, key_of(p), now.figures[i]);
	}
	cpu_past_fini(c);
	*c = now;
}

const float *cpu_past_of(const struct cpu_past *c, const struct snapshot_process *p)
{
	return map_find(&c->rows, key_of(p));
}

double cpu_past_mean(const float *figures)
{
	double sum = 0;
	int known = 0;

	for (int i = 0; figures && i < CPU_PAST; i++) {
		if (isnan(figures[i]))
			continue;
		sum += (double)figures[i];
		known++;
	}
	return known ? sum / known : NAN;
}

void cpu_past_fini(struct cpu_past *c)
{
	map_fini(&c->rows);
	free(c->figures);
	*c = (struct cpu_past){ 0 };
}
