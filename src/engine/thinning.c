/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/thinning.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "base/owner.h"

#define COSTS_MAX 32u /* users of whom it is known what their samples take */
#define OVER_INTERVALS 2u
#define CALM_INTERVALS 5u
#define CALM_SHARE (3.0 / 4)   /* of the limit: below it twice as many samples are tried */
#define GUILTY_SHARE (1.0 / 8) /* of the limit: who takes less is not thinned for it */

struct cost {
	uint32_t uid;
	const char *name;
	double ns; /* of the interval */
};

/* One sample of each block is looked at, at any place: no rhythm of the user's tasks meets that of the blocks. */
struct thinned_user {
	uint32_t uid;
	const char *name;
	uint32_t part; /* samples in a block */
	uint32_t at, chosen;
	unsigned calm; /* intervals in a row */
};

struct thinning {
	struct cost costs[COSTS_MAX];
	unsigned cost_count;
	struct thinned_user users[THINNING_USERS];
	unsigned user_count;
	unsigned over; /* intervals in a row */
	uint32_t samples;
	uint64_t seed, blocks, surplus;
};

struct thinning *thinning_new(void)
{
	struct thinning *t = mem_alloc(sizeof(*t));

	t->seed = hash_seed();
	return t;
}

void thinning_free(struct thinning *t)
{
	free(t);
}

static struct thinned_user *user_of(struct thinning *t, uint32_t uid)
{
	for (unsigned i = 0; i < t->user_count; i++) {
		if (t->users[i].uid == uid)
			return &t->users[i];
	}
	return NULL;
}

static void begin_block(struct thinning *t, struct thinned_user *u)
{
	u->at = 0;
	u->chosen = (uint32_t)(hash_u64(t->seed ^ ++t->blocks) % u->part);
}

uint32_t thinning_part(struct thinning *t, uint32_t uid)
{
	struct thinned_user *u = t->user_count ? user_of(t, uid) : NULL;
	uint32_t part;

	if (!u)
		return 1;
	part = u->at == u->chosen ? u->part : 0;
	t->surplus += (uint64_t)part - 1;
	if (++u->at == u->part)
		begin_block(t, u);
	return part;
}

bool thinning_measures(struct thinning *t)
{
	return ++t->samples % THINNING_MEASURED == 0;
}

static struct cost *find_cost(struct thinning *t, uint32_t uid)
{
	for (unsigned i = 0; i < t->cost_count; i++) {
		if (t->costs[i].uid == uid)
			return &t->costs[i];
	}
	return NULL;
}

/* Where there is no room, the one with the least goes, and the new one has what that had: no number of users is a way out. */
static struct cost *add_cost(struct thinning *t, uint32_t uid)
{
	struct cost *c = t->costs;

	if (t->cost_count < COSTS_MAX) {
		c = &t->costs[t->cost_count++];
		c->ns = 0;
	}
	for (unsigned i = 0; i < t->cost_count; i++)
		c = t->costs[i].ns < c->ns ? &t->costs[i] : c;
	c->uid = uid;
	return c;
}

void thinning_charge(struct thinning *t, uint32_t uid, const char *name, uint64_t ns)
{
	struct cost *c = find_cost(t, uid);

	c = c ? c : add_cost(t, uid);
	c->name = name;
	c->ns += (double)ns * THINNING_MEASURED;
}

/* The user whose samples took most and can be thinned further; NULL: there is none. */
static const struct cost *most_guilty(struct thinning *t)
{
	const struct cost *most = NULL;

	for (unsigned i = 0; i < t->cost_count; i++) {
		const struct thinned_user *u = user_of(t, t->costs[i].uid);
		bool has_room = u ? u->part < THINNING_MOST : t->user_count < THINNING_USERS;

		if (!owner_trusts(t->costs[i].uid) && has_room &&
		    (!most || t->costs[i].ns > most->ns))
			most = &t->costs[i];
	}
	return most;
}

static void thin(struct thinning *t, const struct cost *c)
{
	struct thinned_user *u = user_of(t, c->uid);

	if (!u) {
		u = &t->users[t->user_count++];
		*u = (struct thinned_user){ .uid = c->uid, .part = 1 };
	}
	u->name = c->name;
	u->part *= 2;
	u->calm = 0;
	begin_block(t, u);
}

/* Twice as many samples of those whose samples would find room.  The last user takes the place of one who is not thinned any more. */
static void recover(struct thinning *t, double cost_ns, double limit_ns)
{
	for (unsigned i = t->user_count; i-- > 0;) {
		struct thinned_user *u = &t->users[i];
		const struct cost *c = find_cost(t, u->uid);

		if (cost_ns + (c ? c->ns : 0) > limit_ns * CALM_SHARE) {
			u->calm = 0;
			continue;
		}
		if (++u->calm < CALM_INTERVALS)
			continue;
		u->calm = 0;
		u->part /= 2;
		begin_block(t, u);
		if (u->part == 1)
			*u = t->users[--t->user_count];
	}
}

void thinning_step(struct thinning *t, double cost_ns, double limit_ns)
{
	const struct cost *guilty = most_guilty(t);

	t->over = cost_ns > limit_ns ? t->over + 1 : 0;
	if (t->over >= OVER_INTERVALS && guilty && guilty->ns > limit_ns * GUILTY_SHARE)
		thin(t, guilty);
	recover(t, cost_ns, limit_ns);
	t->cost_count = 0;
}

struct thinned thinning_most(const struct thinning *t)
{
	struct thinned most = { .users = t->user_count };

	for (unsigned i = 0; i < t->user_count; i++) {
		if (t->users[i].part > most.part) {
			most.name = t->users[i].name;
			most.part = t->users[i].part;
		}
	}
	return most;
}

size_t thinning_resting(const struct thinning *t, uint32_t uids[THINNING_USERS])
{
	size_t count = 0;

	for (unsigned i = 0; i < t->user_count; i++) {
		if (t->users[i].part == THINNING_MOST)
			uids[count++] = t->users[i].uid;
	}
	return count;
}

uint64_t thinning_surplus(const struct thinning *t)
{
	return t->surplus;
}
