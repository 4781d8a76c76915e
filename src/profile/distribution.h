/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_PROFILE_DISTRIBUTION_H
#define PTOP_PROFILE_DISTRIBUTION_H

#include <stddef.h>
#include <stdint.h>

/*
 * The lengths of waits: the number of waits in each bucket.  Bucket B has those of 2^B ns up to
 * twice that; bucket 0 also those shorter than 1 ns.  Sums of distributions are distributions.
 */
#define DISTRIBUTION_BUCKETS 64

struct distribution {
	double counts[DISTRIBUTION_BUCKETS]; /* with decay older waits count less */
	double longest_ns;                   /* 0: not known, as of a window of the past */
};

/* The bucket of a wait of NS nanoseconds. */
static inline unsigned distribution_bucket(uint64_t ns)
{
	return ns ? 63u - (unsigned)__builtin_clzll(ns) : 0;
}

/* Adds COUNT waits of the cells with WAIT (struct cell_key), the longest of which is LONGEST_NS. */
void distribution_add_cell(struct distribution *d, uint8_t wait, double count, double longest_ns);

/* The limits of a bucket, in nanoseconds. */
double distribution_from_ns(unsigned bucket);
double distribution_to_ns(unsigned bucket);

void distribution_add(struct distribution *sum, const struct distribution *w);
double distribution_count(const struct distribution *w);

/* The last bucket that has a wait; -1: none has. */
int distribution_last(const struct distribution *w);

/*
 * The time that SHARE (0 to 1) of the waits do not exceed, in nanoseconds; NAN without waits.  It is in
 * the bucket of the true one, and found as if the waits of a bucket lay evenly between its limits.
 */
double distribution_quantile(const struct distribution *w, double share);

/* The figures of a distribution that columns show. */
struct distribution_facts {
	double count;                              /* waits that have ended */
	double p50_ms, p90_ms, p99_ms, longest_ms; /* NAN: none has */
};
extern const struct distribution_facts distribution_unknown; /* all NAN */
struct distribution_facts distribution_facts(const struct distribution *w);

/* Is told that WAKER, a frame or 0 for nobody known, ended COUNT waits. */
typedef void waker_receiver(void *context, uint32_t waker, double count);

/* The longest wait, in nanoseconds: where it is not known, the end of its bucket.  NAN without waits. */
double distribution_longest(const struct distribution *w);

#endif
