/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * In which order jobs run: fair by owner, then the cheapest.
 */
#include "unit.h"

#include <poll.h>
#include <stdatomic.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/spare-time.h"
#include "symbol/loader.h"

#define DEADLINE_MS 20000
#define ALICE 1000
#define BOB 1001

/* Time passes only in jobs that are busy. */
static _Atomic uint64_t test_now_ns;

static uint64_t test_now(void *context)
{
	(void)context;
	return atomic_load(&test_now_ns);
}

static const struct clock test_clock = { .monotonic_ns = test_now };

struct test_job {
	struct job job; /* must be first */
	uint64_t cost, busy_ns;
	uint64_t nested_ns; /* afterwards: see loader_nested_ns() */
	uint32_t owner;
	uint64_t cpu_ns; /* that it takes of other processes */
	bool urgent;
	bool known;        /* its owner is told */
	uint64_t look_ns;  /* CPU time that preparing takes */
	unsigned looks;    /* afterwards: how often it was prepared */
	atomic_bool *gate; /* it runs, at checkpoints, until this is set */
	bool apart;
	char name;
	struct loader *loader;
	char *order; /* of the beginnings */
};

static void prepare(struct job *j)
{
	struct test_job *t = (struct test_job *)j;
	const uint64_t began_ns = clock_thread_cpu_ns();

	while (clock_thread_cpu_ns() - began_ns < t->look_ns)
		;
	t->looks++;
	j->cost = t->cost;
	j->owner = t->owner;
	j->apart = t->apart;
}

static bool run(struct job *j)
{
	struct test_job *t = (struct test_job *)j;

	t->order[strlen(t->order)] = t->name;
	atomic_fetch_add(&test_now_ns, t->busy_ns);
	while (t->gate && !atomic_load(t->gate) && !loader_checkpoint(t->loader))
		;
	t->nested_ns = loader_nested_ns(t->loader);
	j->cpu_ns = t->cpu_ns;
	return true;
}

static void drop(struct job *j)
{
	(void)j;
}

static void submit(struct loader *l, struct test_job *t, char *order)
{
	t->job = (struct job){ .owner = t->known ? t->owner : 0,
			       .urgent = t->urgent,
			       .prepare = prepare,
			       .run = run,
			       .drop = drop };
	t->loader = l;
	t->order = order;
	loader_submit(l, &t->job);
}

static void wait_for(struct loader *l, unsigned count)
{
	struct pollfd done = { .fd = loader_fd(l), .events = POLLIN };

	while (count) {
		assert_int_equal(poll(&done, 1, DEADLINE_MS), 1);
		while (loader_take(l))
			count--;
	}
}

/* JOBS arrive while the first one runs in this process; returns their order. */
static void expect_order(struct test_job *jobs, size_t count, const char *expected)
{
	char order[16] = "";
	struct loader *l = loader_new(true, NULL, &test_clock);
	atomic_bool gate = false;

	jobs[0].gate = &gate;
	for (size_t i = 0; i < count; i++)
		submit(l, &jobs[i], order);
	atomic_store(&gate, true);
	wait_for(l, (unsigned)count);
	assert_string_equal(order, expected);
	assert_true(loader_free(l));
}

UNIT_TEST(the_cheapest_goes_first)
{
	struct test_job jobs[] = { { .name = 'a' },
				   { .name = 'b', .cost = 30 },
				   { .name = 'c', .cost = 20 },
				   { .name = 'd', .cost = 20 } };

	expect_order(jobs, 4, "acdb");
}

UNIT_TEST(who_spent_less_goes_first)
{
	struct test_job jobs[] = { { .name = 'a', .owner = ALICE, .busy_ns = NS_PER_S / 4 },
				   { .name = 'b', .owner = ALICE, .cost = 1 },
				   { .name = 'c', .owner = BOB, .cost = 1000 },
				   { .name = 'd', .owner = ALICE, .cost = 2 } };

	expect_order(jobs, 4, "acbd");
}

/* The kernel's long job is the time in which Alice's second is forgotten; then the cheapest goes first again. */
UNIT_TEST(what_was_spent_is_forgotten)
{
	struct test_job jobs[] = { { .name = 'a', .owner = ALICE, .busy_ns = NS_PER_S },
				   { .name = 'b', .owner = ALICE, .cost = 2 },
				   { .name = 'c', .owner = LOADER_NOBODY, .busy_ns = 4 * NS_PER_S },
				   { .name = 'd', .owner = BOB, .cost = 3 } };

	expect_order(jobs, 4, "acbd");
	jobs[2].busy_ns = 3 * NS_PER_S;
	expect_order(jobs, 4, "acdb");
}

UNIT_TEST(the_kernel_pays_nothing)
{
	struct test_job jobs[] = { { .name = 'a', .owner = LOADER_NOBODY, .busy_ns = NS_PER_S / 4 },
				   { .name = 'b', .owner = ALICE, .cost = 2 },
				   { .name = 'c', .owner = LOADER_NOBODY, .cost = 1 } };

	expect_order(jobs, 3, "acb");
}

/* Alice's process never ends before Bob's job has run: it waits for that at checkpoints. */
UNIT_TEST(a_job_in_another_process_delays_no_other_owner)
{
	char order[16] = "";
	struct loader *l = loader_new(true, NULL, &test_clock);
	atomic_bool gate = false;
	struct test_job slow = { .name = 'a', .owner = ALICE, .apart = true, .gate = &gate };
	struct test_job own = { .name = 'b', .owner = ALICE, .apart = true };
	struct test_job other = {
		.name = 'c', .owner = BOB, .apart = true, .cost = 1u << 30, .busy_ns = NS_PER_S / 10
	};

	submit(l, &slow, order);
	submit(l, &own, order);
	submit(l, &other, order);
	wait_for(l, 1);
	atomic_store(&gate, true);
	wait_for(l, 2);
	assert_string_equal(order, "acb");
	assert_true(slow.nested_ns >= other.busy_ns);
	assert_int_equal(own.nested_ns, 0);
	assert_int_equal(other.nested_ns, 0);
	assert_true(loader_free(l));
}

/* Submits T and waits until it is handed back; returns how long its owner has to rest, 0: it ran. */
static uint64_t rest_of(struct loader *l, struct test_job *t)
{
	char order[16] = "";

	t->name = 'a';
	submit(l, t, order);
	wait_for(l, 1);
	assert_int_equal(!*order, t->job.rest_until_ns != 0);
	return t->job.rest_until_ns ? t->job.rest_until_ns - atomic_load(&test_now_ns) : 0;
}

static struct spare_time *spare_new(void)
{
	return spare_time_new(&test_clock, SPARE_RATE);
}

/* Frees both.  No job may still run. */
static void end(struct loader *l, struct spare_time *spare)
{
	assert_true(loader_free(l));
	spare_time_put(spare);
}

UNIT_TEST(an_owner_rests_who_took_too_much)
{
	struct spare_time *spare = spare_new();
	struct loader *l = loader_new(true, spare, &test_clock);
	struct test_job greedy = { .owner = getuid() + 1, .cpu_ns = 2 * SPARE_CREDIT_NS };
	struct test_job next = { .owner = getuid() + 1 };
	struct test_job other = { .owner = getuid() + 2 };
	uint64_t rest_ns;

	assert_int_equal(rest_of(l, &greedy), 0); /* nobody knows before what it costs */
	rest_ns = rest_of(l, &next);
	assert_int_not_equal(rest_ns, 0);
	assert_int_equal(rest_of(l, &other), 0);
	next.urgent = true;
	assert_int_equal(rest_of(l, &next), 0);
	next.urgent = false;
	atomic_fetch_add(&test_now_ns, rest_ns / 4);
	assert_int_not_equal(rest_of(l, &next), 0);
	atomic_fetch_add(&test_now_ns, 2 * rest_ns); /* the loader's thread took a moment, too */
	assert_int_equal(rest_of(l, &next), 0);
	end(l, spare);
}

/* Two loaders with the same owners: what one takes is what the other has not. */
UNIT_TEST(all_loaders_share_what_is_spare)
{
	struct spare_time *spare = spare_new();
	struct loader *symbols = loader_new(true, spare, &test_clock);
	struct loader *lines = loader_new(true, spare, &test_clock);
	struct test_job greedy = { .owner = getuid() + 1, .cpu_ns = 2 * SPARE_CREDIT_NS };

	assert_int_equal(rest_of(symbols, &greedy), 0);
	assert_int_not_equal(rest_of(lines, &greedy), 0);
	assert_true(loader_free(symbols));
	end(lines, spare);
}

/* Many small files count as a large one does. */
UNIT_TEST(the_credit_is_used_up_bit_by_bit)
{
	struct spare_time *spare = spare_new();
	struct loader *l = loader_new(true, spare, &test_clock);
	struct test_job small = { .owner = getuid() + 1, .cpu_ns = SPARE_CREDIT_NS / 16 };
	unsigned ran = 0;

	while (!rest_of(l, &small))
		ran++;
	assert_in_range(ran, 7, 9); /* he leaves as much for others */
	end(l, spare);
}

/* Root and the user of ptop wait while nothing is left, however much they used; the kernel never does. */
UNIT_TEST(who_is_trusted_waits_later)
{
	const uint32_t trusted[] = { 0, getuid(), LOADER_NOBODY };

	for (size_t i = 0; i < sizeof(trusted) / sizeof(*trusted); i++) {
		struct spare_time *spare = spare_new();
		struct loader *l = loader_new(true, spare, &test_clock);
		struct test_job job = { .owner = trusted[i], .cpu_ns = SPARE_CREDIT_NS / 16 };
		unsigned ran = 0;

		while (ran < 200 && !rest_of(l, &job))
			ran++;
		if (trusted[i] == LOADER_NOBODY)
			assert_int_equal(ran, 200);
		else
			assert_in_range(ran, 78, 82);
		end(l, spare);
	}
}

/* A recording is read to its end. */
UNIT_TEST(for_a_recording_nobody_rests)
{
	for (int thread = 0; thread < 2; thread++) {
		struct spare_time *spare = spare_new();
		struct loader *l = loader_new(thread, thread ? NULL : spare, &test_clock);
		struct test_job greedy = { .owner = getuid() + 1, .cpu_ns = 10 * SPARE_CREDIT_NS };

		for (int again = 0; again < 3; again++)
			assert_int_equal(rest_of(l, &greedy), 0);
		end(l, spare);
	}
}

/* Each is looked at once, to know its owner, and that he pays. */
UNIT_TEST(files_that_are_asked_for_again_let_their_owner_rest_no_longer)
{
	struct spare_time *spare = spare_new();
	struct loader *l = loader_new(true, spare, &test_clock);
	struct test_job greedy = { .owner = getuid() + 1, .cpu_ns = 2 * SPARE_CREDIT_NS };
	struct test_job next = { .owner = getuid() + 1, .look_ns = NS_PER_S / 1000 };
	uint64_t rest_ns;

	assert_int_equal(rest_of(l, &greedy), 0);
	assert_int_not_equal(rest_of(l, &next), 0);
	rest_ns = rest_of(l, &next);
	assert_int_equal(next.looks, 2);
	next.known = true;
	for (int again = 0; again < 200; again++)
		assert_int_equal(rest_of(l, &next), rest_ns);
	assert_int_equal(next.looks, 2);
	atomic_fetch_add(&test_now_ns, rest_ns);
	assert_int_equal(rest_of(l, &next), 0);
	assert_int_equal(next.looks, 3);
	end(l, spare);
}

#define MANY 50u

/* However many there are, at the end of a rest one is read. */
UNIT_TEST(of_many_files_some_are_read_after_each_rest)
{
	struct spare_time *spare = spare_new();
	struct loader *l = loader_new(true, spare, &test_clock);
	struct test_job greedy = { .owner = getuid() + 1, .cpu_ns = 2 * SPARE_CREDIT_NS };
	struct test_job many[MANY];
	char order[MANY + 1];

	assert_int_equal(rest_of(l, &greedy), 0);
	for (size_t i = 0; i < MANY; i++)
		many[i] = (struct test_job){ .owner = getuid() + 1,
					     .known = true,
					     .look_ns = NS_PER_S / 1000,
					     .name = 'a' };
	for (int rest = 0; rest < 3; rest++) {
		atomic_fetch_add(&test_now_ns, rest_of(l, &many[0]));
		memset(order, 0, sizeof(order));
		for (size_t i = 0; i < MANY; i++)
			submit(l, &many[i], order);
		wait_for(l, MANY);
		assert_int_not_equal(*order, 0);
	}
	end(l, spare);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_cheapest_goes_first),
		cmocka_unit_test(who_spent_less_goes_first),
		cmocka_unit_test(what_was_spent_is_forgotten),
		cmocka_unit_test(the_kernel_pays_nothing),
		cmocka_unit_test(a_job_in_another_process_delays_no_other_owner),
		cmocka_unit_test(an_owner_rests_who_took_too_much),
		cmocka_unit_test(all_loaders_share_what_is_spare),
		cmocka_unit_test(the_credit_is_used_up_bit_by_bit),
		cmocka_unit_test(who_is_trusted_waits_later),
		cmocka_unit_test(for_a_recording_nobody_rests),
		cmocka_unit_test(files_that_are_asked_for_again_let_their_owner_rest_no_longer),
		cmocka_unit_test(of_many_files_some_are_read_after_each_rest),
	};

	return unit_run(tests);
}
