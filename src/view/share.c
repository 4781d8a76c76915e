/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/share.h"

#include <math.h>

#include "view/rows.h"

struct shares shares_of(const struct rows *r, const struct snapshot *s, const struct rows_request *q)
{
	const double none = q->base ? 0 : NAN;
	struct shares sums = { { 0, none }, { 0, none } };

	for (int base = 0; base <= (q->base != NULL); base++) {
		const struct snapshot *from = base ? q->base : s;

		for (size_t i = 0; i < from->cell_count; i++) {
			const struct snapshot_cell *c = &from->cells[i];

			if (c->event != q->event || (!q->of_all && !rows_cell_passes(r, s, q, c)))
				continue;
			*(base ? &sums.samples.base : &sums.samples.now) += c->samples;
			*(base ? &sums.period.base : &sums.period.now) += c->period;
		}
	}
	return sums;
}

static double part_of(double part, double whole)
{
	return whole > 0 ? 100 * part / whole : 0;
}

double share_percent(const struct share_sum *whole, double part)
{
	return whole->now > 0 ? 100 * part / whole->now : NAN;
}

double share_delta(const struct share_sum *whole, double part, double base)
{
	return isnan(whole->base) ? NAN : part_of(part, whole->now) - part_of(base, whole->base);
}

double share_width(const struct share_sum *whole, double part, double gone)
{
	return part_of(part, whole->now) + part_of(gone, whole->base);
}
