/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A bank's ledger that is slow in one way at a time, for doc/SCREENS.md.  It runs until it is ended:
 *
 *	ledger work	four tellers compute interest, by one division too many
 *	ledger lock	they book, and wait for an audit that holds the lock of the accounts
 *	ledger disk	they book into a file, and wait until the disk has it
 *	ledger spike	it is nearly idle, and closes the books for three seconds of every fifteen
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

enum {
	TELLERS = 4,
	ACCOUNTS = 1 << 16,
	QUIET_S = 12,
	SPIKE_S = 3,
	AUDIT_PAUSE_NS = 2000000,
	BOOKING_NS = 1000000,
	SAVING_NS = 50000,
	IDLE_NS = 20000000
};

#define NOINLINE __attribute__((noinline))

struct ledger {
	pthread_mutex_t lock;
	uint64_t cents[ACCOUNTS];
	FILE *journal;
	long pause_ns; /* of who computes */
};

static NOINLINE void rest(long ns)
{
	const struct timespec time = { .tv_nsec = ns };

	nanosleep(&time, NULL);
}

/* The day's interest of each account; RATE is in millionths. */
static NOINLINE uint64_t interest(const struct ledger *l, uint64_t rate)
{
	uint64_t sum = 0;

	for (int i = 0; i < ACCOUNTS; i++)
		sum += l->cents[i] * rate / (1000000 + (l->cents[i] & 1));
	return sum;
}

static NOINLINE void post(struct ledger *l, uint64_t cents)
{
	l->cents[cents % ACCOUNTS] += cents & 1;
}

static void *compute(void *context)
{
	const struct ledger *l = context;
	volatile uint64_t sum = 0;

	prctl(PR_SET_NAME, "teller");
	for (uint64_t rate = 1;; rate++) {
		sum += interest(l, rate);
		rest(l->pause_ns);
	}
	return (void *)(uintptr_t)sum;
}

static NOINLINE void book(struct ledger *l, uint64_t cents)
{
	pthread_mutex_lock(&l->lock);
	post(l, cents);
	pthread_mutex_unlock(&l->lock);
}

static void *serve(void *context)
{
	prctl(PR_SET_NAME, "teller");
	for (uint64_t cents = 1;; cents++) {
		book(context, cents);
		rest(BOOKING_NS);
	}
	return NULL;
}

/* Sums up all accounts while nobody may book. */
static NOINLINE uint64_t audit(struct ledger *l)
{
	uint64_t sum = 0;

	pthread_mutex_lock(&l->lock);
	for (uint64_t rate = 1; rate <= 100; rate++)
		sum += interest(l, rate);
	pthread_mutex_unlock(&l->lock);
	return sum;
}

static void *inspect(void *context)
{
	volatile uint64_t sum = 0;

	prctl(PR_SET_NAME, "auditor");
	for (;;) {
		sum += audit(context);
		rest(AUDIT_PAUSE_NS);
	}
	return (void *)(uintptr_t)sum;
}

/* A file without a name in the working directory: /tmp may be on no disk. */
static FILE *open_journal(void)
{
	char path[] = "ledger-XXXXXX";
	int fd = mkstemp(path);

	if (fd < 0 || unlink(path))
		return NULL;
	return fdopen(fd, "w");
}

/* Returns true if the disk has it. */
static NOINLINE bool save(struct ledger *l, uint64_t cents)
{
	fprintf(l->journal, "%llu\n", (unsigned long long)cents);
	return !fflush(l->journal) && !fsync(fileno(l->journal));
}

static void *keep_journal(void *context)
{
	struct ledger *l = context;

	prctl(PR_SET_NAME, "teller");
	for (uint64_t cents = 1; save(l, cents); cents++) {
		book(l, cents);
		rest(SAVING_NS);
	}
	return NULL;
}

static NOINLINE uint64_t close_the_books(struct ledger *l)
{
	const time_t end = time(NULL) + SPIKE_S;
	volatile uint64_t sum = 0;

	while (time(NULL) < end)
		sum += interest(l, (uint64_t)end);
	return sum;
}

static void *run_the_day(void *context)
{
	prctl(PR_SET_NAME, "clerk");
	for (;;) {
		sleep(QUIET_S);
		close_the_books(context);
	}
	return NULL;
}

static void begin(void *(*run)(void *), struct ledger *l, int threads)
{
	pthread_t thread;

	while (threads--) {
		if (pthread_create(&thread, NULL, run, l))
			exit(1);
	}
}

int main(int argc, char **argv)
{
	static struct ledger ledger = { .lock = PTHREAD_MUTEX_INITIALIZER };
	const char *how = argc > 1 ? argv[1] : "work";

	for (int i = 0; i < ACCOUNTS; i++)
		ledger.cents[i] = (uint64_t)i * 7919;
	ledger.journal = open_journal();
	if (!ledger.journal)
		return 1;
	if (!strcmp(how, "lock")) {
		begin(inspect, &ledger, 1);
		begin(serve, &ledger, TELLERS);
	} else if (!strcmp(how, "disk")) {
		begin(keep_journal, &ledger, TELLERS);
	} else if (!strcmp(how, "spike")) {
		ledger.pause_ns = IDLE_NS;
		begin(run_the_day, &ledger, 1);
		begin(compute, &ledger, 1);
	} else {
		ledger.pause_ns = BOOKING_NS;
		begin(compute, &ledger, TELLERS);
	}
	for (;;)
		pause();
}
