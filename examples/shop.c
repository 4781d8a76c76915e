/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A small shop that is slow, for doc/TUTORIAL.md: four threads take orders until the program is ended.  Two
 * things are wrong with it, and neither is in its log.  find_price() searches through a table whose hash is bad,
 * and write_journal() waits for the disk while it holds the lock that all of them need.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

enum {
	THREADS = 4,
	PRODUCTS = 4000,
	CHAINS = 1024,
	LINES = 400,
	NAME_BYTES = 16,
	DISK_NS = 4000000
};

struct product {
	char name[NAME_BYTES];
	long cents;
	struct product *next;
};

struct shop {
	struct product *chains[CHAINS];
	pthread_mutex_t journal;
	long entries;
};

/* All names begin with the same letters, so nearly all products are in one chain. */
static unsigned hash(const char *name)
{
	return (unsigned)(unsigned char)name[0] + (unsigned)(unsigned char)name[1];
}

static void name_product(char *name, unsigned number)
{
	snprintf(name, NAME_BYTES, "product-%u", number);
}

static void add_product(struct shop *s, unsigned number)
{
	struct product *p = calloc(1, sizeof(*p));
	struct product **chain;

	if (!p)
		exit(1);
	name_product(p->name, number);
	p->cents = 100 + number;
	chain = &s->chains[hash(p->name) % CHAINS];
	p->next = *chain;
	*chain = p;
}

static __attribute__((noinline)) long find_price(const struct shop *s, const char *name)
{
	for (const struct product *p = s->chains[hash(name) % CHAINS]; p; p = p->next) {
		if (!strcmp(p->name, name))
			return p->cents;
	}
	return 0;
}

static __attribute__((noinline)) long add_up(const struct shop *s, unsigned *seed)
{
	char name[NAME_BYTES];
	long cents = 0;

	for (int line = 0; line < LINES; line++) {
		name_product(name, (unsigned)rand_r(seed) % PRODUCTS);
		cents += find_price(s, name);
	}
	return cents;
}

static __attribute__((noinline)) void wait_for_disk(void)
{
	const struct timespec disk = { .tv_nsec = DISK_NS };

	nanosleep(&disk, NULL);
}

static __attribute__((noinline)) void write_journal(struct shop *s, long cents)
{
	pthread_mutex_lock(&s->journal);
	s->entries += cents > 0;
	wait_for_disk();
	pthread_mutex_unlock(&s->journal);
}

static void *take_orders(void *context)
{
	struct shop *s = context;
	unsigned seed = (unsigned)(uintptr_t)&seed;

	prctl(PR_SET_NAME, "orders");
	for (;;)
		write_journal(s, add_up(s, &seed));
	return NULL;
}

int main(void)
{
	static struct shop shop = { .journal = PTHREAD_MUTEX_INITIALIZER };
	pthread_t thread;

	for (unsigned i = 0; i < PRODUCTS; i++)
		add_product(&shop, i);
	for (int i = 0; i < THREADS; i++) {
		if (pthread_create(&thread, NULL, take_orders, &shop))
			return 1;
	}
	for (;;)
		pause();
}
