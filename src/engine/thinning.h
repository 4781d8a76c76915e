/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_ENGINE_THINNING_H
#define PTOP_ENGINE_THINNING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Users whose samples are thinned.  A program decides what its samples cost: whose stacks are deep, with new functions and
 * objects all the time, takes the budget of all others.  A lower frequency would make all pay.  Instead one sample in 2, 4, 8 or 16
 * of the user with the most time is looked at, and stands for all of these.  Where that is not enough, his processes rest:
 * only those on the screen are read.
 *
 * Root and the user of ptop are trusted, and ptop's workers, whoever they run as: a lower frequency is for them.  The time
 * of each user's samples is measured at one in THINNING_MEASURED of them.  No clock, no kernel: figures come in, decisions go out.
 */
struct thinning;

#define THINNING_MEASURED 32u
#define THINNING_MOST 16u /* samples for which one stands, at most */
#define THINNING_USERS 8u

struct thinning *thinning_new(void);
void thinning_free(struct thinning *t); /* NULL is allowed */

/* A sample of user UID (UINT32_MAX: unknown) stands for so many; 0: another one stands for it. */
uint32_t thinning_part(struct thinning *t, uint32_t uid);

/* Returns true if what comes next shall be measured, and thinning_charge() told of it. */
bool thinning_measures(struct thinning *t);

/* A measured sample of UID took NS of CPU time.  NAME, of the user, is borrowed for good. */
void thinning_charge(struct thinning *t, uint32_t uid, const char *name, uint64_t ns);

/* An interval is over, in which all but work that can wait took COST_NS, where LIMIT_NS would be right. */
void thinning_step(struct thinning *t, double cost_ns, double limit_ns);

/* Who is thinned most: his name and how many samples one stands for.  Without USERS nobody is. */
struct thinned {
	const char *name;
	uint32_t part;
	uint32_t users; /* that are thinned */
};
struct thinned thinning_most(const struct thinning *t);

/* The users whose processes rest; their number. */
size_t thinning_resting(const struct thinning *t, uint32_t uids[THINNING_USERS]);

/* Samples that were counted without being read, less those that were read without being counted; modulo 2^64. */
uint64_t thinning_surplus(const struct thinning *t);

#endif
