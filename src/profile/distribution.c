/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/distribution.h"

#include <math.h>

#include "profile/cell.h"

double distribution_from_ns(unsigned bucket)
{
	return bucket ? ldexp(1, (int)bucket) : 0;
}

double distribution_to_ns(unsigned bucket)
{
	return ldexp(1, (int)bucket + 1);
}

void distribution_add_cell(struct distribution *d, uint8_t wait, double count, double longest_ns)
{
	if (wait == CELL_RAN)
		return;
	if (wait <= DISTRIBUTION_BUCKETS)
		d->counts[wait - 1] += count;
	d->longest_ns = fmax(d->longest_ns, longest_ns);
}

void distribution_add(struct distribution *sum, const struct distribution *w)
{
	for (size_t i = 0; i < DISTRIBUTION_BUCKETS; i++)
		sum->counts[i] += w->counts[i];
	sum->longest_ns = fmax(sum->longest_ns, w->longest_ns);
}

double distribution_count(const struct distribution *w)
{
	double count = 0;

	for (size_t i = 0; i < DISTRIBUTION_BUCKETS; i++)
		count += w->counts[i];
	return count;
}

int distribution_last(const struct distribution *w)
{
	int last = DISTRIBUTION_BUCKETS - 1;

	while (last >= 0 && !(w->counts[last] > 0))
		last--;
	return last;
}

/*
 * The longest may be one that still lasts, and lies in a later bucket than all that have ended: then it is not the
 * end of the last bucket.
 */
static double end_of(const struct distribution *w, unsigned bucket)
{
	double to_ns = distribution_to_ns(bucket);

	return w->longest_ns >= distribution_from_ns(bucket) && w->longest_ns > 0
		       ? fmin(to_ns, w->longest_ns)
		       : to_ns;
}

double distribution_quantile(const struct distribution *w, double share)
{
	int last = distribution_last(w);
	double left = share * distribution_count(w);

	for (int i = 0; i <= last; i++) {
		double count = w->counts[i], from_ns = distribution_from_ns((unsigned)i);

		if (count > 0 && (left <= count || i == last))
			return from_ns + (end_of(w, (unsigned)i) - from_ns) * fmin(left / count, 1);
		left -= count;
	}
	return NAN;
}

double distribution_longest(const struct distribution *w)
{
	int last = distribution_last(w);

	if (last < 0)
		return w->longest_ns > 0 ? w->longest_ns : NAN;
	return w->longest_ns > 0 ? w->longest_ns : distribution_to_ns((unsigned)last);
}

const struct distribution_facts distribution_unknown = { NAN, NAN, NAN, NAN, NAN };

#define NS_PER_MS 1e6

struct distribution_facts distribution_facts(const struct distribution *w)
{
	return (struct distribution_facts){ .count = distribution_count(w),
					    .p50_ms = distribution_quantile(w, 0.5) / NS_PER_MS,
					    .p90_ms = distribution_quantile(w, 0.9) / NS_PER_MS,
					    .p99_ms = distribution_quantile(w, 0.99) / NS_PER_MS,
					    .longest_ms = distribution_longest(w) / NS_PER_MS };
}
