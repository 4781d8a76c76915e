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

/* How many figures each of that many ROWS has. */
static int kept_of(size_t rows, bool graph)
{
	size_t most = CPU_PAST_BYTES / sizeof(float) / (rows ? rows : 1);

	if (!graph || most < CPU_PAST)
		return CPU_PAST;
	return most < CPU_PAST_LONG ? (int)most : CPU_PAST_LONG;
}

/* The row of P in the past C, moved by one, to the row AT of KEPT figures, and the newest one. */
static void row_append(float *at, int kept, const struct cpu_past *c,
		       const struct snapshot_process *p)
{
	const float *before = map_find(&c->rows, key_of(p));
	int moved = kept - 1, had = before ? c->kept - 1 : 0;

	if (had > moved) {
		before += had - moved;
		had = moved;
	}
	for (int i = 0; i < moved - had; i++)
		at[i] = NAN;
	if (had)
		memcpy(at + moved - had, before + 1, (size_t)had * sizeof(*at));
	at[moved] = (float)p->cpu_percent;
}

void cpu_past_add(struct cpu_past *c, const struct snapshot *s, bool graph)
{
	struct cpu_past now = { .time_ns = s->time_ns, .kept = kept_of(s->process_count, graph) };
	float *row;

	if (s->past.to_ns || (c->figures && s->time_ns == c->time_ns))
		return;
	row = mem_array(s->process_count * (size_t)now.kept, sizeof(*row));
	now.figures = row;
	for (size_t i = 0; i < s->process_count; i++, row += now.kept) {
		row_append(row, now.kept, c, &s->processes[i]);
		map_put(&now.rows, key_of(&s->processes[i]), row);
	}
	cpu_past_fini(c);
	*c = now;
}

const float *cpu_past_of(const struct cpu_past *c, const struct snapshot_process *p)
{
	const float *row = map_find(&c->rows, key_of(p));

	return row ? row + c->kept - CPU_PAST : NULL;
}

const float *cpu_past_all(const struct cpu_past *c, const float *figures)
{
	return figures + CPU_PAST - c->kept;
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
