/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/spare-time.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/alloc.h"

#define OWNERS_MAX 64u

/* Who used something lately. */
struct spare_owner {
	uint64_t owner;
	double used_ns;
	bool trusted; /* it keeps its place */
};

struct spare_time {
	atomic_uint references;
	pthread_mutex_t lock;
	const struct clock *clock;
	double rate, left_ns;
	uint64_t checked_ns; /* when these were computed */
	struct spare_owner owners[OWNERS_MAX];
	unsigned owner_count;
};

struct spare_time *spare_time_new(const struct clock *clock, double rate)
{
	struct spare_time *s = mem_alloc(sizeof(*s));

	atomic_init(&s->references, 1);
	pthread_mutex_init(&s->lock, NULL);
	s->clock = clock;
	s->rate = rate;
	s->left_ns = SPARE_CREDIT_NS;
	s->checked_ns = clock_monotonic_ns(clock);
	return s;
}

struct spare_time *spare_time_get(struct spare_time *s)
{
	if (s)
		atomic_fetch_add(&s->references, 1);
	return s;
}

void spare_time_put(struct spare_time *s)
{
	if (!s || atomic_fetch_sub(&s->references, 1) > 1)
		return;
	pthread_mutex_destroy(&s->lock);
	free(s);
}

/* Time has passed.  With the lock held, as all below.  Returns now. */
static uint64_t follow(struct spare_time *s)
{
	const uint64_t now_ns = clock_monotonic_ns(s->clock);
	const double passed_ns = now_ns > s->checked_ns ? (double)(now_ns - s->checked_ns) : 0;
	const double kept = exp2(-passed_ns / NS_PER_S / SPARE_HALF_LIFE_S);

	for (unsigned i = 0; i < s->owner_count; i++)
		s->owners[i].used_ns *= kept;
	s->left_ns = fmin(s->left_ns + s->rate * passed_ns, (double)SPARE_CREDIT_NS);
	s->checked_ns = now_ns > s->checked_ns ? now_ns : s->checked_ns;
	return now_ns;
}

/* Returns the entry of OWNER.  If there is none: NULL if there is room for it, or the one with the least use. */
static struct spare_owner *find(struct spare_time *s, uint64_t owner)
{
	struct spare_owner *least = NULL;

	for (unsigned i = 0; i < s->owner_count; i++) {
		struct spare_owner *o = &s->owners[i];

		if (o->owner == owner)
			return o;
		if (!o->trusted && (!least || o->used_ns < least->used_ns))
			least = o;
	}
	return s->owner_count < OWNERS_MAX ? NULL : least;
}

/*
 * One more than there is room for has used what the one with the least use has, and takes its place: no number of
 * owners is a way out.  One who is trusted does not pay for others.
 */
static struct spare_owner *enter(struct spare_time *s, uint64_t owner, bool trusted)
{
	struct spare_owner *o = find(s, owner);

	if (!o) {
		o = &s->owners[s->owner_count++];
		*o = (struct spare_owner){ .owner = owner };
	}
	if (trusted && o->owner != owner)
		o->used_ns = 0;
	o->owner = owner;
	o->trusted |= trusted;
	return o;
}

static double used_by(struct spare_time *s, uint64_t owner, bool trusted)
{
	const struct spare_owner *o = trusted ? enter(s, owner, true) : find(s, owner);

	return o ? o->used_ns : 0;
}

void spare_time_set_rate(struct spare_time *s, double rate)
{
	pthread_mutex_lock(&s->lock);
	follow(s);
	s->rate = rate;
	pthread_mutex_unlock(&s->lock);
}

void spare_time_charge(struct spare_time *s, uint64_t owner, uint64_t cost_ns)
{
	pthread_mutex_lock(&s->lock);
	follow(s);
	enter(s, owner, false)->used_ns += (double)cost_ns;
	s->left_ns -= (double)cost_ns;
	pthread_mutex_unlock(&s->lock);
}

/* In nanoseconds: until USED, of which half is forgotten now and then, is no more than LEAST. */
static double until_forgotten(double used_ns, double least_ns)
{
	return SPARE_HALF_LIFE_S * log2(used_ns / least_ns) * NS_PER_S;
}

/* Until so much is left as NEEDED; and until no more is needed than there ever is. */
static double until_left(const struct spare_time *s, double needed_ns)
{
	const double most_ns = SPARE_CREDIT_NS;

	if (needed_ns > most_ns)
		return fmax(until_forgotten(needed_ns, most_ns), until_left(s, most_ns));
	return (needed_ns - s->left_ns) / s->rate;
}

/* The most that an owner may have used to begin. */
static double most_ns(const struct spare_time *s)
{
	return fmax(s->left_ns, SPARE_SMALL_NS);
}

uint64_t spare_time_due(struct spare_time *s, uint64_t owner, bool trusted)
{
	double used_ns, wait_ns = 0;
	uint64_t now_ns;

	pthread_mutex_lock(&s->lock);
	now_ns = follow(s);
	used_ns = used_by(s, owner, trusted);
	if (used_ns > most_ns(s) && !(trusted && s->left_ns > -(double)SPARE_TRUSTED_NS))
		wait_ns = fmin(until_left(s, trusted ? -(double)SPARE_TRUSTED_NS : used_ns),
			       until_forgotten(used_ns, most_ns(s)));
	pthread_mutex_unlock(&s->lock);
	return wait_ns > 0 ? now_ns + (uint64_t)wait_ns + 1 : 0;
}
