/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unit.h"

#include "engine/offcpu.h"

#define MS 1000000ull
#define TIDS 8
#define NODES 8

/* The results: sums by thread, kind and node. */
struct told {
	struct offcpu *o;
	uint64_t ns[TIDS][OFFCPU_KINDS][NODES];
	uint64_t delay_ns[TIDS][NODES], longest_ns[TIDS];
	unsigned delays;
	unsigned waits; /* that have ended */
	uint64_t waited_ns,
		ongoing_ns; /* of the last one that has, of the last piece that does not end one */
	uint32_t wakers[NODES]; /* of the last wait there that has ended */
	/* Likewise by thread: why it waited. */
	struct offcpu_link links[TIDS][OFFCPU_LINKS];
	size_t link_count[TIDS];
	uint32_t waker_node[TIDS];
	uint64_t share_ns[TIDS];
	unsigned pieces;
	uint32_t gone; /* a thread that is no more */
};

static bool take(void *context, const struct offcpu_time *t)
{
	struct told *told = context;

	assert_true(t->ns > 0 || t->ends);
	assert_true(t->tid < TIDS && t->kind < OFFCPU_KINDS && t->node < NODES);
	told->ns[t->tid][t->kind][t->node] += t->ns;
	assert_true(t->delay_ns <= t->ns && t->delay_ns <= t->delayed_ns);
	told->delay_ns[t->tid][t->node] += t->delay_ns;
	told->delays += t->delay_ns > 0;
	if (t->delayed_ns > told->longest_ns[t->tid])
		told->longest_ns[t->tid] = t->delayed_ns;
	assert_true(t->waited_ns >= (t->ends ? t->ns : 0));
	if (t->ends) {
		told->waited_ns = t->waited_ns;
		told->wakers[t->node] = t->waker;
		told->link_count[t->tid] = t->link_count;
		told->waker_node[t->tid] = t->waker_node;
		for (size_t i = 0; i < t->link_count; i++)
			told->links[t->tid][i] = t->links[i];
	} else {
		told->ongoing_ns = t->waited_ns;
	}
	told->waits += t->ends;
	told->share_ns[t->tid] += t->share_ns;
	assert_true(t->share_ns <= t->ns && (t->kind == OFFCPU_RUNNING || !t->share_ns));
	told->pieces++;
	return t->tid != told->gone;
}

#define OPEN(t, limit) struct told t = { .o = offcpu_new(take, &t, limit) }

static void at(struct told *t, enum offcpu_what what, uint32_t tid, uint32_t cpu, uint64_t ms)
{
	offcpu_add(
		t->o,
		&(struct offcpu_moment){
			.what = what, .tid = tid, .cpu = cpu, .process = 1, .time_ns = ms * MS });
}

static void out(struct told *t, uint32_t tid, uint32_t cpu, uint64_t ms, uint32_t node)
{
	offcpu_stack(t->o, cpu, tid, node, 0);
	at(t, OFFCPU_OUT, tid, cpu, ms);
}

static void preempt(struct told *t, uint32_t tid, uint32_t cpu, uint64_t ms, uint32_t node)
{
	offcpu_stack(t->o, cpu, tid, node, 0);
	offcpu_add(t->o, &(struct offcpu_moment){ .what = OFFCPU_OUT,
						  .tid = tid,
						  .cpu = cpu,
						  .process = 1,
						  .preempted = true,
						  .time_ns = ms * MS });
}

static void sample(struct told *t, uint32_t tid, uint32_t cpu, uint64_t ms, uint32_t node)
{
	offcpu_add(t->o, &(struct offcpu_moment){ .what = OFFCPU_SAMPLE,
						  .tid = tid,
						  .cpu = cpu,
						  .process = 1,
						  .node = node,
						  .time_ns = ms * MS });
}

static uint64_t ms_of(const struct told *t, uint32_t tid, enum offcpu_kind kind, uint32_t node)
{
	return t->ns[tid][kind][node] / MS;
}

static uint64_t all_ms(const struct told *t, uint32_t tid)
{
	uint64_t sum = 0;

	for (int kind = 0; kind < OFFCPU_KINDS; kind++)
		for (int node = 0; node < NODES; node++)
			sum += t->ns[tid][kind][node];
	return sum / MS;
}

static void settle(struct told *t)
{
	offcpu_settle(t->o, UINT64_MAX);
}

/* A life: made, waits for a CPU, runs, blocks, runs, is preempted, runs, ends. */
UNIT_TEST(test_life)
{
	OPEN(t, 0);

	at(&t, OFFCPU_START, 1, 0, 100);
	at(&t, OFFCPU_IN, 1, 0, 110);
	sample(&t, 1, 0, 115, 3);
	out(&t, 1, 0, 130, 4);
	at(&t, OFFCPU_IN, 1, 0, 330);
	sample(&t, 1, 0, 340, 3);
	preempt(&t, 1, 0, 341, 5);
	at(&t, OFFCPU_IN, 1, 0, 351);
	at(&t, OFFCPU_END, 1, 0, 360);
	settle(&t);
	assert_int_equal(ms_of(&t, 1, OFFCPU_STARTING, 0), 10);
	assert_int_equal(ms_of(&t, 1, OFFCPU_BLOCKED, 4), 200);
	assert_int_equal(ms_of(&t, 1, OFFCPU_PREEMPTED, 5), 10);
	/* The second sample has what was run since the first. */
	assert_int_equal(ms_of(&t, 1, OFFCPU_RUNNING, 3), 5 + 15 + 10);
	assert_int_equal(all_ms(&t, 1), 260);
	assert_int_equal(offcpu_statistics(t.o)->misfits, 0);
	offcpu_free(t.o);
}

/* From the wake-up, the preemption or the start on a thread waits for a CPU alone. */
UNIT_TEST(test_delays)
{
	OPEN(t, 0);

	at(&t, OFFCPU_START, 1, 0, 100);
	at(&t, OFFCPU_IN, 1, 0, 104);
	out(&t, 1, 0, 110, 2);
	at(&t, OFFCPU_WAKE, 1, 1, 150);
	at(&t, OFFCPU_WAKE, 1, 1, 155); /* once more before it runs */
	at(&t, OFFCPU_IN, 1, 0, 160);
	preempt(&t, 1, 0, 170, 3);
	at(&t, OFFCPU_IN, 1, 0, 175);
	at(&t, OFFCPU_WAKE, 1, 1, 176); /* it runs */
	out(&t, 1, 0, 180, 4);
	at(&t, OFFCPU_IN, 1, 0, 190); /* nobody said who woke it */
	settle(&t);
	assert_int_equal(t.delay_ns[1][0], 4 * MS);
	assert_int_equal(t.delay_ns[1][2], 10 * MS);
	assert_int_equal(t.delay_ns[1][3], 5 * MS);
	assert_int_equal(t.delay_ns[1][4], 0);
	assert_int_equal(t.delays, 3);
	assert_int_equal(ms_of(&t, 1, OFFCPU_BLOCKED, 2), 50); /* the delay is a part of it */
	offcpu_free(t.o);
}

/* An interval's end cuts it; how long it was in all is told with its last piece. */
UNIT_TEST(test_delay_over_intervals)
{
	OPEN(t, 0);

	at(&t, OFFCPU_IN, 1, 0, 100);
	out(&t, 1, 0, 100, 2);
	at(&t, OFFCPU_WAKE, 1, 1, 700);
	settle(&t);
	offcpu_count(t.o, 1000 * MS);
	assert_int_equal(t.delay_ns[1][2], 300 * MS);
	at(&t, OFFCPU_IN, 1, 0, 1200);
	settle(&t);
	assert_int_equal(t.delay_ns[1][2], 500 * MS);
	assert_int_equal(t.longest_ns[1], 500 * MS);
	assert_int_equal(t.delays, 2);
	assert_int_equal(all_ms(&t, 1), 1100);
	offcpu_free(t.o);
}

/* A wait is told once, with its whole length, when it ends: whatever intervals cut it. */
UNIT_TEST(test_waits)
{
	OPEN(t, 0);

	at(&t, OFFCPU_START, 1, 0, 100);
	at(&t, OFFCPU_IN, 1, 0, 104);
	settle(&t);
	assert_int_equal(t.waits, 1);
	assert_int_equal(t.waited_ns, 4 * MS);
	out(&t, 1, 0, 700, 2);
	settle(&t);
	offcpu_count(t.o, 1000 * MS);
	offcpu_count(t.o, 2000 * MS);
	assert_int_equal(t.waits, 1);
	assert_int_equal(t.ongoing_ns, 1300 * MS);
	at(&t, OFFCPU_IN, 1, 0, 2000); /* nothing is left of it but its end */
	settle(&t);
	assert_int_equal(t.waits, 2);
	assert_int_equal(t.waited_ns, 1300 * MS);
	preempt(&t, 1, 0, 2010, 3);
	at(&t, OFFCPU_IN, 1, 0, 2015);
	settle(&t);
	assert_int_equal(t.waits, 3);
	assert_int_equal(t.waited_ns, 5 * MS);
	assert_int_equal(ms_of(&t, 1, OFFCPU_BLOCKED, 2), 1300);
	offcpu_free(t.o);
}

static void wake(struct told *t, uint32_t tid, uint64_t ms, uint32_t waker)
{
	/* A waker of another process: its number may be unknown. */
	offcpu_add(t->o, &(struct offcpu_moment){ .what = OFFCPU_WAKE,
						  .tid = tid,
						  .cpu = 1,
						  .waker = waker,
						  .time_ns = ms * MS });
}

/* Each wait has the one who woke it first, and only of that wait. */
UNIT_TEST(test_wakers)
{
	OPEN(t, 0);

	at(&t, OFFCPU_IN, 1, 0, 100);
	wake(&t, 1, 105, 9); /* it runs */
	out(&t, 1, 0, 110, 2);
	wake(&t, 1, 150, 7);
	wake(&t, 1, 155, 8);
	at(&t, OFFCPU_IN, 1, 0, 160);
	out(&t, 1, 0, 170, 3); /* nobody says who wakes it */
	at(&t, OFFCPU_IN, 1, 0, 180);
	preempt(&t, 1, 0, 190, 4); /* nobody has to */
	wake(&t, 1, 195, 9);
	at(&t, OFFCPU_IN, 1, 0, 200);
	out(&t, 1, 0, 210, 5); /* over the end of an interval */
	settle(&t);
	offcpu_count(t.o, 1000 * MS);
	wake(&t, 1, 1500, 6);
	settle(&t);
	offcpu_count(t.o, 2000 * MS);
	at(&t, OFFCPU_IN, 1, 0, 2000);
	settle(&t);
	assert_int_equal(t.waits, 4);
	assert_int_equal(t.wakers[2], 7);
	assert_int_equal(t.wakers[3], 0);
	assert_int_equal(t.wakers[4], 0);
	assert_int_equal(t.wakers[5], 6);
	assert_int_equal(offcpu_statistics(t.o)->misfits, 0);
	offcpu_free(t.o);
}

/* The length of a wait whose beginning or end is unknown is unknown. */
UNIT_TEST(test_waits_unknown)
{
	OPEN(t, 0);

	at(&t, OFFCPU_SAMPLE, 2, 1, 100);
	at(&t, OFFCPU_IN, 1, 0, 110); /* since when it waited is not known */
	out(&t, 1, 0, 120, 2);
	out(&t, 1, 0, 130, 2); /* its end was lost */
	at(&t, OFFCPU_END, 1, 0, 140);
	settle(&t);
	assert_int_equal(t.waits, 0);
	assert_int_equal(offcpu_statistics(t.o)->misfits, 1);
	offcpu_free(t.o);
}

/* In a part of a recording a wait that began before has its whole length. */
UNIT_TEST(test_waits_early)
{
	struct offcpu_moment m = {
		.what = OFFCPU_OUT, .tid = 1, .process = 1, .time_ns = 100 * MS, .early_ns = 70 * MS
	};
	OPEN(t, 0);

	at(&t, OFFCPU_IN, 1, 0, 100);
	offcpu_add(t.o, &m);
	m.what = OFFCPU_WAKE;
	m.early_ns = 20 * MS;
	offcpu_add(t.o, &m);
	at(&t, OFFCPU_IN, 1, 0, 110);
	settle(&t);
	assert_int_equal(t.waits, 1);
	assert_int_equal(t.waited_ns, 80 * MS);
	assert_int_equal(t.longest_ns[1], 30 * MS);
	assert_int_equal(all_ms(&t, 1), 10);
	offcpu_free(t.o);
}

/* Whoever was never seen, or lost out of sight, has no delay. */
UNIT_TEST(test_wake_of_the_unknown)
{
	OPEN(t, 0);

	at(&t, OFFCPU_WAKE, 6, 1, 100);
	settle(&t);
	assert_int_equal(offcpu_threads(t.o), 0);
	at(&t, OFFCPU_IN, 1, 0, 100);
	at(&t, OFFCPU_GAP, 0, 0, 110);
	at(&t, OFFCPU_WAKE, 1, 1, 120);
	at(&t, OFFCPU_IN, 1, 0, 130);
	settle(&t);
	assert_int_equal(t.delays, 0);
	offcpu_free(t.o);
}

/* The last records of a task come when it has ended; a new task may have its number. */
UNIT_TEST(test_end)
{
	OPEN(t, 0);

	at(&t, OFFCPU_START, 1, 0, 100);
	at(&t, OFFCPU_IN, 1, 0, 100);
	at(&t, OFFCPU_END, 1, 0, 110);
	out(&t, 1, 0, 111, 2);
	at(&t, OFFCPU_END, 7, 0, 112); /* nobody heard of it */
	settle(&t);
	offcpu_count(t.o, 200 * MS);
	assert_int_equal(all_ms(&t, 1), 11);
	assert_int_equal(ms_of(&t, 1, OFFCPU_RUNNING, 2), 1);
	at(&t, OFFCPU_START, 1, 0, 300);
	settle(&t);
	offcpu_count(t.o, 350 * MS);
	assert_int_equal(ms_of(&t, 1, OFFCPU_STARTING, 0), 50);
	at(&t, OFFCPU_END, 1, 0, 350);
	settle(&t);
	offcpu_count(t.o, 400 * MS);
	offcpu_count(t.o, 500 * MS);
	assert_int_equal(offcpu_threads(t.o), 0);
	offcpu_free(t.o);
}

/* The way out: the thread is seen, waits for a lock and for the CPU, and dies. */
UNIT_TEST(test_after_the_end)
{
	OPEN(t, 0);

	at(&t, OFFCPU_START, 1, 0, 100);
	at(&t, OFFCPU_IN, 1, 0, 100);
	at(&t, OFFCPU_END, 1, 0, 110);
	at(&t, OFFCPU_END, 1, 0, 111); /* told twice: the first one counts */
	sample(&t, 1, 0, 113, 3);
	out(&t, 1, 0, 114, 4);
	at(&t, OFFCPU_WAKE, 1, 1, 120);
	at(&t, OFFCPU_IN, 1, 1, 122);
	preempt(&t, 1, 1, 123, 5);
	at(&t, OFFCPU_IN, 1, 1, 130);
	out(&t, 1, 1, 132, 6);
	settle(&t);
	offcpu_count(t.o, 1000 * MS);
	assert_int_equal(ms_of(&t, 1, OFFCPU_RUNNING, 0), 10);
	assert_int_equal(ms_of(&t, 1, OFFCPU_RUNNING, 3), 3);
	assert_int_equal(ms_of(&t, 1, OFFCPU_RUNNING, 4), 1);
	assert_int_equal(ms_of(&t, 1, OFFCPU_RUNNING, 5), 1);
	assert_int_equal(ms_of(&t, 1, OFFCPU_RUNNING, 6), 2);
	assert_int_equal(ms_of(&t, 1, OFFCPU_BLOCKED, 4), 8);
	assert_int_equal(ms_of(&t, 1, OFFCPU_PREEMPTED, 5), 7);
	assert_int_equal(t.delay_ns[1][4], 2 * MS);
	assert_int_equal(t.delay_ns[1][5], 7 * MS);
	assert_int_equal(all_ms(&t, 1), 32); /* what goes on behind its last switch is no wait */
	assert_int_equal(offcpu_statistics(t.o)->misfits, 0);
	offcpu_free(t.o);
}

/* Where nothing tells of the last switch, a thread ends with its END, and takes no share from those that run. */
UNIT_TEST(test_end_without_a_switch)
{
	OPEN(t, 0);

	at(&t, OFFCPU_IN, 1, 0, 100);
	sample(&t, 1, 0, 110, 3);
	at(&t, OFFCPU_END, 1, 0, 110);
	at(&t, OFFCPU_IN, 2, 0, 110);
	sample(&t, 2, 0, 150, 3);
	settle(&t);
	offcpu_count(t.o, 150 * MS);
	assert_int_equal(all_ms(&t, 1), 10);
	assert_int_equal(t.share_ns[1], 10 * MS);
	assert_int_equal(t.share_ns[2], 40 * MS);
	offcpu_free(t.o);
}

/* Its number was taken away, as it is from a process that was waited for: the CPU tells whose switches those are. */
UNIT_TEST(test_nameless)
{
	OPEN(t, 0);

	at(&t, OFFCPU_START, 1, 0, 100);
	at(&t, OFFCPU_IN, 1, 0, 100);
	at(&t, OFFCPU_END, 1, 0, 110);
	preempt(&t, 1, 0, 112, 2);
	at(&t, OFFCPU_IN, 2, 0, 112);
	at(&t, OFFCPU_IN, OFFCPU_NAMELESS, 1, 113); /* not on that CPU */
	at(&t, OFFCPU_OUT, OFFCPU_NAMELESS, 1, 114);
	out(&t, 2, 0, 115, 3);
	at(&t, OFFCPU_IN, OFFCPU_NAMELESS, 0, 115);
	out(&t, OFFCPU_NAMELESS, 0, 118, 4);
	at(&t, OFFCPU_IN, 2, 0, 118);
	at(&t, OFFCPU_OUT, OFFCPU_NAMELESS, 0,
	   119); /* 2 has not ended: that cannot be its switch */
	at(&t, OFFCPU_IN, OFFCPU_NAMELESS, 0, 120);
	out(&t, 2, 0, 121, 3);
	settle(&t);
	assert_int_equal(ms_of(&t, 1, OFFCPU_PREEMPTED, 2), 3);
	assert_int_equal(ms_of(&t, 1, OFFCPU_RUNNING, 4), 3);
	assert_int_equal(all_ms(&t, 1), 18);
	assert_int_equal(offcpu_threads(t.o), 2);
	assert_int_equal(offcpu_statistics(t.o)->misfits, 0);
	offcpu_free(t.o);
}

/* With several of them on a CPU, each one comes back in its turn, and those that kept their number by that. */
UNIT_TEST(test_nameless_in_turn)
{
	OPEN(t, 0);

	for (uint32_t tid = 1; tid <= 3; tid++) {
		at(&t, OFFCPU_START, tid, 0, tid * 10);
		at(&t, OFFCPU_IN, tid, 0, tid * 10);
		at(&t, OFFCPU_END, tid, 0, tid * 10 + 2);
		preempt(&t, tid == 1 ? 1 : OFFCPU_NAMELESS, 0, tid * 10 + 10, tid);
	}
	at(&t, OFFCPU_IN, OFFCPU_NAMELESS, 0, 40);
	out(&t, OFFCPU_NAMELESS, 0, 50, 4);
	at(&t, OFFCPU_IN, OFFCPU_NAMELESS, 0, 50);
	out(&t, OFFCPU_NAMELESS, 0, 60, 5);
	at(&t, OFFCPU_IN, OFFCPU_NAMELESS, 0, 60); /* was waited for meanwhile */
	out(&t, OFFCPU_NAMELESS, 0, 70, 6);
	at(&t, OFFCPU_IN, OFFCPU_NAMELESS, 0, 70); /* no one is left */
	settle(&t);
	assert_int_equal(ms_of(&t, 2, OFFCPU_PREEMPTED, 2), 10);
	assert_int_equal(ms_of(&t, 3, OFFCPU_PREEMPTED, 3), 10);
	assert_int_equal(ms_of(&t, 1, OFFCPU_PREEMPTED, 1), 40);
	assert_int_equal(ms_of(&t, 2, OFFCPU_RUNNING, 4), 10);
	assert_int_equal(ms_of(&t, 3, OFFCPU_RUNNING, 5), 10);
	assert_int_equal(ms_of(&t, 1, OFFCPU_RUNNING, 6), 10);
	assert_int_equal(offcpu_statistics(t.o)->misfits, 0);
	offcpu_free(t.o);
}

/* A wait that lasts when an interval ends is reported then, and only the rest later. */
UNIT_TEST(test_intervals)
{
	OPEN(t, 0);

	at(&t, OFFCPU_IN, 1, 0, 100);
	out(&t, 1, 0, 100, 2);
	settle(&t);
	offcpu_count(t.o, 1100 * MS);
	assert_int_equal(ms_of(&t, 1, OFFCPU_BLOCKED, 2), 1000);
	offcpu_count(t.o, 2100 * MS);
	assert_int_equal(ms_of(&t, 1, OFFCPU_BLOCKED, 2), 2000);
	at(&t, OFFCPU_IN, 1, 0, 2200);
	settle(&t);
	assert_int_equal(ms_of(&t, 1, OFFCPU_BLOCKED, 2), 2100);
	/* It runs: up to the end of the interval, where it was seen last. */
	offcpu_count(t.o, 2300 * MS);
	assert_int_equal(ms_of(&t, 1, OFFCPU_RUNNING, 2), 100);
	/* A record that is older than that takes nothing back. */
	sample(&t, 1, 0, 2299, 3);
	sample(&t, 1, 0, 2310, 3);
	settle(&t);
	assert_int_equal(ms_of(&t, 1, OFFCPU_RUNNING, 3), 10);
	assert_int_equal(all_ms(&t, 1), 2210);
	offcpu_free(t.o);
}

/* Never sampled: the stack that it waits in gets what it ran. */
UNIT_TEST(test_unseen)
{
	OPEN(t, 0);

	at(&t, OFFCPU_START, 1, 0, 100);
	at(&t, OFFCPU_IN, 1, 0, 100);
	out(&t, 1, 0, 103, 2);
	at(&t, OFFCPU_IN, 1, 0, 200);
	out(&t, 1, 0, 204, 2);
	settle(&t);
	assert_int_equal(ms_of(&t, 1, OFFCPU_RUNNING, 2), 0);
	offcpu_count(t.o, 300 * MS);
	assert_int_equal(ms_of(&t, 1, OFFCPU_RUNNING, 2), 7);
	assert_int_equal(all_ms(&t, 1), 200);
	offcpu_free(t.o);
}

/* From CPU to CPU, and the records of each come in one piece. */
UNIT_TEST(test_order)
{
	OPEN(t, 0);

	at(&t, OFFCPU_START, 1, 0, 90);
	at(&t, OFFCPU_IN, 1, 0, 90);
	out(&t, 1, 0, 100, 2);
	at(&t, OFFCPU_IN, 1, 0, 400);
	out(&t, 1, 0, 410, 4);
	at(&t, OFFCPU_IN, 1, 1, 200);
	out(&t, 1, 1, 210, 3);
	at(&t, OFFCPU_IN, 1, 1, 500);
	offcpu_settle(t.o, 450 * MS);
	assert_int_equal(ms_of(&t, 1, OFFCPU_BLOCKED, 2), 100);
	assert_int_equal(ms_of(&t, 1, OFFCPU_BLOCKED, 3), 190);
	assert_int_equal(ms_of(&t, 1, OFFCPU_BLOCKED, 4), 0);
	settle(&t);
	assert_int_equal(ms_of(&t, 1, OFFCPU_BLOCKED, 4), 90);
	assert_int_equal(offcpu_statistics(t.o)->misfits, 0);
	offcpu_free(t.o);
}

/* A stack is of the task and the switch that it was made for. */
UNIT_TEST(test_stack)
{
	OPEN(t, 0);

	at(&t, OFFCPU_START, 1, 0, 100);
	at(&t, OFFCPU_IN, 1, 0, 100);
	offcpu_stack(t.o, 0, 2, 5, 0);
	at(&t, OFFCPU_OUT, 1, 0, 110);
	at(&t, OFFCPU_IN, 1, 0, 120);
	at(&t, OFFCPU_OUT, 1, 0, 130);
	at(&t, OFFCPU_IN, 1, 0, 150);
	settle(&t);
	assert_int_equal(ms_of(&t, 1, OFFCPU_BLOCKED, 0), 30);
	offcpu_free(t.o);
}

/* The stack of held moments: 7 is known to be 3, 8 stays what it is, 9 has to wait. */
static bool find_held(void *context, uint32_t held, uint32_t *node)
{
	(void)context;
	if (held == 7)
		*node = 3;
	return held != 9;
}

/* Nothing behind a moment whose stack is held is told, unless nobody can wait any longer. */
UNIT_TEST(test_held)
{
	OPEN(t, 0);

	at(&t, OFFCPU_START, 1, 0, 100);
	at(&t, OFFCPU_IN, 1, 0, 110);
	offcpu_stack(t.o, 0, 1, 2, 7);
	offcpu_ask(t.o, find_held, NULL); /* before the switch is there */
	at(&t, OFFCPU_OUT, 1, 0, 120);
	at(&t, OFFCPU_IN, 1, 0, 150);
	offcpu_stack(t.o, 0, 1, 4, 8);
	at(&t, OFFCPU_OUT, 1, 0, 160);
	at(&t, OFFCPU_IN, 1, 0, 180);
	offcpu_stack(t.o, 0, 1, 5, 9);
	at(&t, OFFCPU_OUT, 1, 0, 190);
	at(&t, OFFCPU_IN, 1, 0, 270);
	out(&t, 1, 0, 280, 6);
	at(&t, OFFCPU_IN, 1, 0, 290);
	offcpu_settle(t.o, 300 * MS);
	assert_int_equal(ms_of(&t, 1, OFFCPU_BLOCKED, 3), 30);
	assert_int_equal(all_ms(&t, 1), 40);
	offcpu_ask(t.o, find_held, NULL);
	offcpu_settle(t.o, 300 * MS);
	assert_int_equal(ms_of(&t, 1, OFFCPU_BLOCKED, 4), 20);
	assert_int_equal(ms_of(&t, 1, OFFCPU_BLOCKED, 5), 0);
	settle(&t);
	assert_int_equal(ms_of(&t, 1, OFFCPU_BLOCKED, 5), 80);
	assert_int_equal(ms_of(&t, 1, OFFCPU_BLOCKED, 6), 10);
	assert_int_equal(offcpu_statistics(t.o)->misfits, 0);
	offcpu_free(t.o);
}

/* A storm of switches is not held up. */
UNIT_TEST(test_held_by_a_storm)
{
	OPEN(t, 0);

	at(&t, OFFCPU_START, 1, 0, 100);
	at(&t, OFFCPU_IN, 1, 0, 110);
	offcpu_stack(t.o, 0, 1, 5, 9);
	at(&t, OFFCPU_OUT, 1, 0, 120);
	at(&t, OFFCPU_IN, 1, 0, 150);
	for (uint64_t ms = 200; ms < 3200; ms++) {
		out(&t, 1, 0, ms, 6);
		at(&t, OFFCPU_IN, 1, 0, ms);
	}
	offcpu_settle(t.o, 3000 * MS);
	assert_int_equal(ms_of(&t, 1, OFFCPU_BLOCKED, 5), 30);
	offcpu_free(t.o);
}

/* Unknown time is reported as unknown, and counted once. */
UNIT_TEST(test_unknown)
{
	OPEN(t, 0);

	at(&t, OFFCPU_START, 1, 0, 100); /* the first moment of all */
	at(&t, OFFCPU_IN, 1, 0, 100);
	at(&t, OFFCPU_IN, 2, 1, 150); /* was there, but where? */
	settle(&t);
	assert_int_equal(ms_of(&t, 2, OFFCPU_UNKNOWN, 0), 50);
	at(&t, OFFCPU_GAP, 0, 0, 160); /* 1 ran there, and perhaps not to the end */
	at(&t, OFFCPU_IN, 1, 0, 200);
	settle(&t);
	assert_int_equal(ms_of(&t, 1, OFFCPU_UNKNOWN, 0), 100);
	assert_int_equal(ms_of(&t, 1, OFFCPU_RUNNING, 0), 0);
	at(&t, OFFCPU_IN, 1, 1, 230); /* nobody told that it had left */
	at(&t, OFFCPU_OUT, 1, 1, 240);
	at(&t, OFFCPU_OUT, 1, 1, 260);
	settle(&t);
	assert_int_equal(offcpu_statistics(t.o)->misfits, 2);
	assert_int_equal(ms_of(&t, 1, OFFCPU_UNKNOWN, 0), 100 + 30 + 20);
	offcpu_count(t.o, 260 * MS);
	assert_int_equal(all_ms(&t, 1), 160);
	offcpu_free(t.o);
}

/* Another process gets the number, and nobody reported the end of the first one. */
UNIT_TEST(test_number_again)
{
	struct offcpu_moment other = {
		.what = OFFCPU_IN, .tid = 1, .process = 2, .time_ns = 200 * MS
	};
	OPEN(t, 0);

	at(&t, OFFCPU_IN, 1, 0, 100);
	out(&t, 1, 0, 110, 2);
	offcpu_add(t.o, &other);
	settle(&t);
	assert_int_equal(ms_of(&t, 1, OFFCPU_BLOCKED, 2), 0);
	assert_int_equal(offcpu_threads(t.o), 1);
	offcpu_free(t.o);
}

/* What has ended leaves nothing to the next one of its number, even when the record of that one's start was lost. */
UNIT_TEST(test_number_again_after_the_end)
{
	struct offcpu_moment other = {
		.what = OFFCPU_START, .tid = 1, .process = 2, .time_ns = 200 * MS
	};

	for (int lost = 0; lost < 2; lost++) {
		OPEN(t, 0);

		at(&t, OFFCPU_IN, 1, 0, 100);
		at(&t, OFFCPU_END, 1, 0, 110);
		preempt(&t, 1, 0, 120, 2);
		if (!lost)
			offcpu_add(t.o, &other);
		other.what = OFFCPU_IN;
		other.time_ns = 210 * MS;
		offcpu_add(t.o, &other);
		other.what = OFFCPU_OUT;
		other.time_ns = 230 * MS;
		offcpu_add(t.o, &other);
		settle(&t);
		offcpu_count(t.o, 250 * MS);
		assert_int_equal(ms_of(&t, 1, OFFCPU_PREEMPTED, 2), 0);
		assert_int_equal(ms_of(&t, 1, OFFCPU_STARTING, 0), lost ? 0 : 10);
		assert_int_equal(ms_of(&t, 1, OFFCPU_BLOCKED, 0), 20);
		offcpu_free(t.o);
		other.what = OFFCPU_START;
		other.time_ns = 200 * MS;
	}
}

UNIT_TEST(test_bounds)
{
	OPEN(t, 2);

	at(&t, OFFCPU_IN, 1, UINT32_MAX, 100); /* no machine has such a CPU */
	at(&t, OFFCPU_IN, 2, 0, 100);
	at(&t, OFFCPU_IN, 3, 0, 100);
	settle(&t);
	assert_int_equal(offcpu_threads(t.o), 2);
	assert_int_equal(offcpu_statistics(t.o)->unfollowed, 1);
	t.gone = 2;
	at(&t, OFFCPU_OUT, 2, 0, 110);
	settle(&t);
	offcpu_count(t.o, 120 * MS);
	assert_int_equal(offcpu_threads(t.o), 1);
	at(&t, OFFCPU_IN, 3, 0, 130);
	settle(&t);
	assert_int_equal(offcpu_threads(t.o), 2);
	for (unsigned i = 0; i < 600000; i++) /* longer than the queue */
		at(&t, OFFCPU_SAMPLE, 1, 0, 200 + i / 1000);
	settle(&t);
	assert_int_equal(all_ms(&t, 1), 200 + 599 - 100);
	offcpu_free(t.o);
}

/* Nodes that threads, moments and CPUs hold stay, under their new numbers. */
UNIT_TEST(test_nodes)
{
	const uint32_t map[NODES] = { 0, 0, 7, 6, 5 };
	unsigned char keep[NODES] = { 0 };
	OPEN(t, 0);

	at(&t, OFFCPU_START, 1, 0, 100);
	at(&t, OFFCPU_IN, 1, 0, 100);
	out(&t, 1, 0, 110, 2);
	settle(&t);
	sample(&t, 2, 1, 120, 3);
	offcpu_stack(t.o, 1, 2, 4, 0);
	offcpu_mark(t.o, keep);
	assert_memory_equal(keep + 1, ((const unsigned char[]){ 0, 1, 1, 1, 0, 0, 0 }), 7);
	offcpu_renumber(t.o, map);
	at(&t, OFFCPU_OUT, 2, 1, 130);
	at(&t, OFFCPU_IN, 1, 0, 140);
	at(&t, OFFCPU_IN, 2, 1, 150);
	settle(&t);
	assert_int_equal(ms_of(&t, 1, OFFCPU_BLOCKED, 7), 30);
	assert_int_equal(ms_of(&t, 2, OFFCPU_BLOCKED, 5), 20);
	offcpu_free(t.o);
}

/* The moments of one of two CPUs, in order, until they are handed over in one piece. */
struct lane {
	uint32_t runs;
	struct offcpu_moment moments[1024];
	size_t count;
};

static void happen(struct lane *l, enum offcpu_what what, uint32_t tid, uint64_t ms, uint32_t node)
{
	l->moments[l->count++] = (struct offcpu_moment){ .what = what,
							 .tid = tid,
							 .process = 1,
							 .node = node,
							 .time_ns = ms * MS,
							 .preempted = node & 1 };
}

static void hand_over(struct told *t, struct lane *l, uint32_t cpu)
{
	for (size_t i = 0; i < l->count; i++) {
		l->moments[i].cpu = cpu;
		offcpu_stack(t->o, cpu, l->moments[i].tid, l->moments[i].node, 0);
		offcpu_add(t->o, &l->moments[i]);
	}
	l->count = 0;
}

/* The next thing on a CPU: another thread, a sample, none. */
static void step(struct lane *l, const struct lane *other, uint64_t seed, uint64_t ms)
{
	uint32_t tid = (uint32_t)(seed >> 40) % TIDS;

	if (l->runs && seed >> 60 & 1) {
		happen(l, OFFCPU_SAMPLE, l->runs, ms, 1);
		return;
	}
	if (l->runs)
		happen(l, OFFCPU_OUT, l->runs, ms, tid);
	l->runs = tid == other->runs ? 0 : tid;
	if (l->runs)
		happen(l, OFFCPU_IN, l->runs, ms, 0);
}

/* However threads move from CPU to CPU, all of each thread's time is told, once. */
UNIT_TEST(test_sums)
{
	static struct lane lanes[2];
	OPEN(t, 0);
	uint64_t seed = 1, ms = 100;

	for (uint32_t tid = 1; tid < TIDS; tid++)
		at(&t, OFFCPU_START, tid, 0, ms);
	for (unsigned round = 1; round <= 20000; round++) {
		seed = seed * 6364136223846793005u + 1442695040888963407u;
		ms += 1 + (seed >> 33) % 4;
		step(&lanes[seed >> 63], &lanes[!(seed >> 63)], seed, ms);
		if (round % 200)
			continue;
		hand_over(&t, &lanes[0], 0);
		hand_over(&t, &lanes[1], 1);
		settle(&t);
		if (round % 1000 == 0)
			offcpu_count(t.o, ms * MS);
	}
	assert_int_equal(offcpu_statistics(t.o)->misfits, 0);
	for (uint32_t tid = 1; tid < TIDS; tid++) {
		assert_int_equal(all_ms(&t, tid), ms - 100);
		for (int node = 0; node < NODES; node++)
			assert_int_equal(t.ns[tid][OFFCPU_UNKNOWN][node], 0);
		assert_true(ms_of(&t, tid, OFFCPU_RUNNING, 1) > 0);
	}
	offcpu_free(t.o);
}

/* BY wakes TID on another CPU, in the stack NODE; its name is its number + 100. */
static void wake_by(struct told *t, uint32_t tid, uint32_t by, uint64_t ms, uint32_t node)
{
	offcpu_add(t->o, &(struct offcpu_moment){ .what = OFFCPU_WAKE,
						  .tid = tid,
						  .by = by,
						  .cpu = 7,
						  .waker = by + 100,
						  .node = node,
						  .time_ns = ms * MS });
}

/* TID waits in NODE until BY wakes it. */
static void wait_until(struct told *t, uint32_t tid, uint64_t from_ms, uint64_t to_ms,
		       uint32_t node, uint32_t by)
{
	out(t, tid, tid, from_ms, node);
	wake_by(t, tid, by, to_ms, node + 1);
	at(t, OFFCPU_IN, tid, tid, to_ms + 1);
}

static void assert_link(const struct told *t, uint32_t tid, size_t i, uint32_t waker, uint32_t node)
{
	assert_true(i < t->link_count[tid]);
	assert_int_equal(t->links[tid][i].waker, waker);
	if (i + 1 < t->link_count[tid])
		assert_int_equal(t->links[tid][i].node, node);
}

/* 1 waits for 2, which waits for 3, which waits for an interrupt; what 4 did for 3 was before. */
UNIT_TEST(test_links)
{
	OPEN(t, 0);

	offcpu_follow(t.o, true);
	for (uint32_t tid = 1; tid < 5; tid++)
		sample(&t, tid, tid, 1, 1);
	wait_until(&t, 3, 5, 10, 2, 4);
	out(&t, 1, 1, 20, 1);
	out(&t, 2, 2, 15, 2);
	wait_until(&t, 3, 30, 40, 3, 0);
	wake_by(&t, 2, 3, 50, 5);
	at(&t, OFFCPU_IN, 2, 2, 51);
	wake_by(&t, 1, 2, 60, 6);
	at(&t, OFFCPU_IN, 1, 1, 62);
	settle(&t);
	assert_int_equal(t.link_count[1], 3);
	assert_link(&t, 1, 0, 102, 2);
	assert_link(&t, 1, 1, 103, 3);
	assert_link(&t, 1, 2, 100, 0);
	assert_int_equal(t.waker_node[1], 6);
	assert_int_equal(t.link_count[2], 2);
	assert_link(&t, 2, 0, 103, 3);
	assert_int_equal(t.waker_node[2], 5);
	/* 2 waits once more, for one who has not waited meanwhile. */
	out(&t, 2, 2, 70, 2);
	wake_by(&t, 2, 3, 80, 4);
	at(&t, OFFCPU_IN, 2, 2, 81);
	/* Nobody ends the wait of one that was preempted. */
	preempt(&t, 1, 1, 90, 1);
	wake_by(&t, 1, 2, 91, 4);
	at(&t, OFFCPU_IN, 1, 1, 92);
	settle(&t);
	assert_int_equal(t.link_count[2], 1);
	assert_int_equal(t.link_count[1], 0);
	offcpu_free(t.o);
}

/* Two that wake one another in turn: neither waits for itself, and no link is older than the wait. */
UNIT_TEST(test_links_of_two)
{
	OPEN(t, 0);

	offcpu_follow(t.o, true);
	sample(&t, 1, 1, 1, 1);
	sample(&t, 2, 2, 1, 1);
	out(&t, 2, 2, 2, 2);
	for (uint64_t ms = 10; ms < 100; ms += 20) {
		wake_by(&t, 2, 1, ms, 3);
		out(&t, 1, 1, ms + 1, 4);
		at(&t, OFFCPU_IN, 2, 2, ms + 1);
		wake_by(&t, 1, 2, ms + 10, 3);
		out(&t, 2, 2, ms + 11, 2);
		at(&t, OFFCPU_IN, 1, 1, ms + 11);
	}
	settle(&t);
	assert_int_equal(t.link_count[1], 1);
	assert_int_equal(t.link_count[2], 1);
	offcpu_free(t.o);
}

/* 1 waits for 2, whose own wait ended by a wake-up that was not told. */
UNIT_TEST(test_a_link_of_nobody)
{
	OPEN(t, 0);

	offcpu_follow(t.o, true);
	sample(&t, 1, 1, 1, 1);
	sample(&t, 2, 2, 1, 1);
	out(&t, 2, 2, 10, 2);
	out(&t, 1, 1, 20, 1);
	at(&t, OFFCPU_IN, 2, 2, 30);
	wake_by(&t, 1, 2, 40, 6);
	at(&t, OFFCPU_IN, 1, 1, 41);
	settle(&t);
	assert_int_equal(t.link_count[2], 0);
	assert_int_equal(t.link_count[1], 2);
	assert_link(&t, 1, 0, 102, 2);
	assert_link(&t, 1, 1, 0, 0);
	offcpu_free(t.o);
}

/* Longer than is kept; and nothing is kept where nobody asks. */
UNIT_TEST(test_links_end)
{
	for (int follow = 0; follow < 2; follow++) {
		OPEN(t, 0);

		offcpu_follow(t.o, follow);
		for (uint32_t tid = 1; tid < 4; tid++)
			out(&t, tid, tid, 1, tid);
		/* 1 and 2 wake one another while 3 waits. */
		for (uint64_t ms = 10; ms < 210; ms += 20) {
			wake_by(&t, 1, 2, ms, 1);
			at(&t, OFFCPU_IN, 1, 1, ms + 1);
			wake_by(&t, 2, 1, ms + 2, 1);
			at(&t, OFFCPU_IN, 2, 2, ms + 3);
			out(&t, 1, 1, ms + 4, 1);
			out(&t, 2, 2, ms + 15, 2);
		}
		wake_by(&t, 3, 2, 300, 1);
		at(&t, OFFCPU_IN, 3, 3, 301);
		settle(&t);
		assert_true(t.link_count[3] <= OFFCPU_LINKS);
		assert_int_equal(t.link_count[3] > 1, follow);
		offcpu_free(t.o);
	}
}

/* What threads run is divided by how many of them do, at each moment. */
UNIT_TEST(test_shares)
{
	OPEN(t, 0);

	for (uint32_t tid = 1; tid < 4; tid++)
		out(&t, tid, tid, 10, 1);
	at(&t, OFFCPU_IN, 1, 1, 100);
	at(&t, OFFCPU_IN, 2, 2, 110);
	sample(&t, 1, 1, 130, 2);
	at(&t, OFFCPU_IN, 3, 3, 130);
	out(&t, 3, 3, 160, 3);
	out(&t, 2, 2, 160, 3);
	out(&t, 1, 1, 200, 3);
	settle(&t);
	offcpu_count(t.o, 1000 * MS);
	assert_int_equal(t.share_ns[1] / MS, 10 + 10 + 10 + 40);
	assert_int_equal(t.share_ns[2] / MS, 10 + 10);
	assert_int_equal(t.share_ns[3] / MS, 10);
	/* Together it is the time in which any ran. */
	assert_true(t.share_ns[1] + t.share_ns[2] + t.share_ns[3] <= 100 * MS);
	assert_true(t.share_ns[1] + t.share_ns[2] + t.share_ns[3] >= 100 * MS - 3);
	offcpu_free(t.o);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_life),
		cmocka_unit_test(test_delays),
		cmocka_unit_test(test_delay_over_intervals),
		cmocka_unit_test(test_waits),
		cmocka_unit_test(test_waits_unknown),
		cmocka_unit_test(test_waits_early),
		cmocka_unit_test(test_wakers),
		cmocka_unit_test(test_wake_of_the_unknown),
		cmocka_unit_test(test_end),
		cmocka_unit_test(test_after_the_end),
		cmocka_unit_test(test_end_without_a_switch),
		cmocka_unit_test(test_nameless),
		cmocka_unit_test(test_nameless_in_turn),
		cmocka_unit_test(test_intervals),
		cmocka_unit_test(test_unseen),
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_stack),
		cmocka_unit_test(test_held),
		cmocka_unit_test(test_held_by_a_storm),
		cmocka_unit_test(test_unknown),
		cmocka_unit_test(test_number_again),
		cmocka_unit_test(test_number_again_after_the_end),
		cmocka_unit_test(test_bounds),
		cmocka_unit_test(test_nodes),
		cmocka_unit_test(test_sums),
		cmocka_unit_test(test_links),
		cmocka_unit_test(test_links_of_two),
		cmocka_unit_test(test_a_link_of_nobody),
		cmocka_unit_test(test_links_end),
		cmocka_unit_test(test_shares),
	};

	return unit_run(tests);
}
