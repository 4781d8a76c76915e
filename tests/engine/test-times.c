/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The events of time, from records of switches to cells and counters. */
#include "unit.h"

#include "engine/rig.h"
#include "profile/distribution.h"

#define S NS_PER_S
#define MS (NS_PER_S / 1000)
#define USER_CALLER 0x401234
#define PID 50u

#define ENTRY 0xffffffff81003010u
#define NANOSLEEP 0xffffffff81002010u
#define SCHEDULE 0xffffffff81001010u
#define WAKE_UP 0xffffffff81004010u
#define FUTEX_WAKE 0xffffffff81005010u

struct bench {
	struct rig rig;
	char kallsyms[64];
};

static void write_kallsyms(struct bench *b)
{
	static const char symbols[] = "ffffffff81000000 T _text\n"
				      "ffffffff81001000 T schedule\n"
				      "ffffffff81002000 t do_nanosleep\n"
				      "ffffffff81003000 T do_syscall_64\n"
				      "ffffffff81004000 T try_to_wake_up\n"
				      "ffffffff81005000 T futex_wake\n"
				      "ffffffff81006000 T _etext\n";
	int fd;

	strcpy(b->kallsyms, "/tmp/ptop-kallsyms-XXXXXX");
	fd = mkstemp(b->kallsyms);
	assert_int_equal(write(fd, symbols, sizeof(symbols) - 1), sizeof(symbols) - 1);
	close(fd);
}

static void open_bench(struct bench *b)
{
	write_kallsyms(b);
	rig_init(&b->rig, "off-cpu,wall-clock,run-delay,wakers,latency", TIER_CPU_GROUP);
	for (size_t i = 1; i < b->rig.evlist->count; i++)
		b->rig.evlist->items[i]->role = EVSEL_SAMPLE;
	b->rig.options.target.callchains = true;
	b->rig.options.kallsyms = b->kallsyms;
	b->rig.options.past = true;
	rig_open(&b->rig);
	rig_receive(&b->rig, fake_fork(PID, PID, 1, S / 2));
	rig_snapshot(&b->rig);
}

static void close_bench(struct bench *b)
{
	rig_fini(&b->rig);
	unlink(b->kallsyms);
}

/* The records of a CPU when PID leaves it, in a sleep, or when any other task does. */
static void leave(struct bench *b, uint32_t pid, uint64_t time_ns, bool preempted)
{
	const uint64_t words[] = { CALLCHAIN_KERNEL, SCHEDULE, NANOSLEEP, ENTRY };
	struct record r = fake_switch(pid, pid, 0, time_ns);

	r.switched = true;
	r.sample.ip = SCHEDULE;
	r.sample.callchain = words;
	r.sample.callchain_count = sizeof(words) / sizeof(words[0]);
	rig_receive(&b->rig, r);
	r = fake_read(pid, pid, time_ns + 7);
	r.type = RECORD_SWITCH_CPU_WIDE;
	r.cswitch = (struct record_switch){ .out = true, .preempted = preempted };
	rig_receive(&b->rig, r);
}

static void come(struct bench *b, uint32_t pid, uint64_t time_ns)
{
	struct record r = fake_read(pid, pid, time_ns);

	r.type = RECORD_SWITCH_CPU_WIDE;
	r.cswitch = (struct record_switch){ 0 };
	rig_receive(&b->rig, r);
}

/*
 * From its record of exit to its last switch: PID is preempted, loses its number to whoever waited for it, and ends.  The
 * live kernel gives the CPU's last one that ended for it.
 */
static void way_out(struct bench *b, uint64_t time_ns)
{
	rig_receive(&b->rig, fake_exit(PID, PID, time_ns));
	leave(b, PID, time_ns + 2 * MS, true);
	come(b, 0, time_ns + 2 * MS + 9);
	leave(b, 0, time_ns + 10 * MS, false);
	come(b, UINT32_MAX, time_ns + 10 * MS + 9);
	leave(b, UINT32_MAX, time_ns + 11 * MS, false);
	come(b, 0, time_ns + 11 * MS + 9);
}

/* CPU 1 wakes PID: WAKER's thread TID does, or what interrupts it. */
static void wake_by(struct bench *b, uint32_t pid, uint64_t time_ns, uint32_t waker, uint32_t tid,
		    enum trace_context in)
{
	struct record r = fake_switch(waker, tid, 1, time_ns);

	r.counts_only = true;
	r.woken_tid = pid;
	r.woken_in = in;
	rig_receive(&b->rig, r);
}

static void wake(struct bench *b, uint32_t pid, uint64_t time_ns)
{
	wake_by(b, pid, time_ns, 0, 0, TRACE_IN_TASK);
}

/* Nanoseconds of EVENT in cells whose leaf is SYMBOL. */
static double ns_of(const struct snapshot *s, uint16_t event, const char *symbol)
{
	double sum = 0;

	for (size_t i = 0; i < s->cell_count; i++) {
		if (s->cells[i].event == event &&
		    !strcmp(frame_symbol(s->frames, s->cells[i].frame), symbol))
			sum += s->cells[i].period;
	}
	return sum;
}

UNIT_TEST(test_waits)
{
	const struct snapshot *s;
	struct bench b;

	open_bench(&b);
	leave(&b, 0, S, false);
	come(&b, PID, S + 9); /* the switch is when the former's first record was */
	leave(&b, PID, S + 10 * MS, false);
	come(&b, 0, S + 10 * MS + 9);
	leave(&b, 0, S + 210 * MS, false);
	come(&b, PID, S + 210 * MS + 9);
	leave(&b, PID, S + 220 * MS, true);
	come(&b, 0, S + 220 * MS + 9);
	leave(&b, 0, S + 250 * MS, false);
	come(&b, PID, S + 250 * MS + 9);
	leave(&b, PID, S + 260 * MS, false);
	s = rig_snapshot(&b.rig);
	assert_true(s->events[0].time && s->events[1].time);
	assert_int_equal(ns_of(s, 0, "do_nanosleep"), 200 * MS + 7);
	assert_int_equal(ns_of(s, 0, "[preempted]"), 30 * MS);
	assert_int_equal(ns_of(s, 0, "schedule"), 0);
	/* It was never sampled: what it ran is where it waited then. */
	assert_int_equal(ns_of(s, 1, "do_nanosleep"), 200 * MS + 30 * MS + 7);
	close_bench(&b);
}

/* PID leaves CPU 0 without a record of where, as when a budget left that out. */
static void leave_unseen(struct bench *b, uint32_t pid, uint64_t time_ns, bool preempted)
{
	struct record r = fake_read(pid, pid, time_ns);

	r.type = RECORD_SWITCH_CPU_WIDE;
	r.cswitch = (struct record_switch){ .out = true, .preempted = preempted };
	rig_receive(&b->rig, r);
}

/* Stacks that are left out on purpose differ from unknown ones, and no time is lost by that. */
UNIT_TEST(test_after_its_exit)
{
	const struct snapshot *s;
	struct bench b;

	open_bench(&b);
	leave(&b, 0, S, false);
	come(&b, PID, S + 9);
	way_out(&b, S + 10 * MS);
	s = rig_snapshot(&b.rig);
	assert_int_equal(ns_of(s, 0, "[preempted]"), 8 * MS);
	assert_int_equal(ns_of(s, 2, "[preempted]"), 8 * MS);
	assert_int_equal(ns_of(s, 1, "do_nanosleep"), 2 * MS + 1 * MS);
	assert_int_equal(rig_row(&b.rig, PID, 0)->counters[1], S / 2 + 10 * MS + 11 * MS);
	close_bench(&b);
}

/* The interval ends meanwhile: who it was is forgotten, but its time is counted. */
UNIT_TEST(test_after_its_exit_and_its_interval)
{
	struct bench b;

	open_bench(&b);
	leave(&b, 0, S, false);
	come(&b, PID, S + 9);
	rig_receive(&b.rig, fake_exit(PID, PID, S + 10 * MS));
	rig_snapshot(&b.rig);
	leave(&b, PID, S + 25 * MS, false);
	rig_snapshot(&b.rig);
	assert_int_equal(b.rig.snapshot->events[1].unattributed, 15 * MS);
	close_bench(&b);
}

/* Who ran when ptop began, and what he waited for, nobody knows; until he runs he is in no sum. */
UNIT_TEST(test_before_its_first_switch)
{
	struct bench b;

	open_bench(&b);
	leave(&b, 0, S, false);
	come(&b, PID, S + 9);
	rig_snapshot(&b.rig);
	assert_int_equal(b.rig.snapshot->events[1].unattributed, 0);
	come(&b, PID + 1, S + 400 * MS);
	rig_snapshot(&b.rig);
	assert_int_equal(b.rig.snapshot->events[1].unattributed, S / 2 + 400 * MS);
	close_bench(&b);
}

UNIT_TEST(test_stacks_sampled)
{
	const struct snapshot *s;
	struct bench b;

	open_bench(&b);
	engine_stacks_sampled(b.rig.engine, true);
	come(&b, PID, S);
	leave_unseen(&b, PID, S + 10 * MS, false);
	come(&b, PID, S + 110 * MS);
	leave(&b, PID, S + 120 * MS, false);
	come(&b, PID, S + 150 * MS);
	leave_unseen(&b, PID, S + 160 * MS, true);
	come(&b, PID, S + 200 * MS);
	leave(&b, PID, S + 210 * MS, false);
	come(&b, PID, S + 211 * MS);
	s = rig_snapshot(&b.rig);
	assert_int_equal(ns_of(s, 0, "[no stack taken]"), 100 * MS);
	assert_int_equal(ns_of(s, 0, "[preempted]"), 40 * MS);
	assert_int_equal(ns_of(s, 0, "do_nanosleep"), 31 * MS);
	engine_stacks_sampled(b.rig.engine, false);
	leave_unseen(&b, PID, S + 220 * MS, false);
	come(&b, PID, S + 270 * MS);
	s = rig_snapshot(&b.rig);
	assert_int_equal(ns_of(s, 0, "[no stack taken]"), 100 * MS);
	close_bench(&b);
}

/* Where the idle task's switches are not told, the former one of that CPU is not the one that ends. */
UNIT_TEST(test_idle)
{
	const struct snapshot *s;
	struct bench b;

	open_bench(&b);
	leave(&b, 0, S, false);
	come(&b, PID, S + 9);
	leave(&b, PID, S + 10 * MS, false);
	come(&b, PID, S + 210 * MS);
	leave(&b, PID, S + 220 * MS, false);
	come(&b, PID, S + 220 * MS + MS / 2); /* so soon that it could be one switch */
	leave(&b, PID, S + 230 * MS, false);
	s = rig_snapshot(&b.rig);
	assert_int_equal(ns_of(s, 0, "do_nanosleep"), 200 * MS + MS / 2 + 7);
	assert_int_equal(ns_of(s, 1, "do_nanosleep"), 230 * MS + 7);
	close_bench(&b);
}

/* Where it waited, the time from the wake-up on is counted once more, as a delay. */
UNIT_TEST(test_delay)
{
	const struct snapshot_cell *cell = NULL;
	const struct snapshot *s;
	struct bench b;

	open_bench(&b);
	leave(&b, 0, S, false);
	come(&b, PID, S + 9);
	leave(&b, PID, S + 10 * MS, false);
	come(&b, 0, S + 10 * MS + 9);
	wake(&b, PID, S + 200 * MS);
	wake(&b, 4711, S + 201 * MS); /* no thread that is known */
	leave(&b, 0, S + 210 * MS, false);
	come(&b, PID, S + 210 * MS + 9);
	leave(&b, PID, S + 220 * MS, true);
	come(&b, 0, S + 220 * MS + 9);
	leave(&b, 0, S + 250 * MS, false);
	come(&b, PID, S + 250 * MS + 9);
	s = rig_snapshot(&b.rig);
	assert_int_equal(ns_of(s, 0, "do_nanosleep"), 200 * MS);
	assert_int_equal(ns_of(s, 2, "do_nanosleep"), 10 * MS);
	assert_int_equal(ns_of(s, 2, "[preempted]"), 30 * MS);
	for (size_t i = 0; i < s->cell_count; i++) {
		if (s->cells[i].event == 2 &&
		    !strcmp(frame_symbol(s->frames, s->cells[i].frame), "do_nanosleep"))
			cell = &s->cells[i];
	}
	assert_non_null(cell);
	assert_int_equal(cell->longest, 10 * MS);
	assert_null(rig_row(&b.rig, 4711, 0));
	close_bench(&b);
}

/* Waits of EVENT that WAKER ended; NULL: nobody known. */
static double waits_by(const struct snapshot *s, uint16_t event, const char *waker)
{
	double sum = 0;

	for (size_t i = 0; i < s->cell_count; i++) {
		const struct snapshot_cell *c = &s->cells[i];

		if (c->event == event && c->wait != CELL_RAN && c->wait != CELL_WAIT_LASTS &&
		    (waker ? c->data && !strcmp(frame_object_name(s->frames, c->data), waker)
			   : !c->data))
			sum += c->samples;
	}
	return sum;
}

/* PID runs for 10 ms from time_ns on and waits for 100 in which it is woken after 90. */
static void wait_for(struct bench *b, uint64_t time_ns, uint32_t waker, uint32_t tid,
		     enum trace_context in)
{
	wake_by(b, PID, time_ns + 100 * MS, waker, tid, in); /* the other CPU is read first */
	leave(b, 0, time_ns, false);
	come(b, PID, time_ns + 9);
	leave(b, PID, time_ns + 10 * MS, false);
	come(b, 0, time_ns + 10 * MS + 9);
	leave(b, 0, time_ns + 110 * MS, false);
	come(b, PID, time_ns + 110 * MS + 9);
	leave(b, PID, time_ns + 111 * MS, true);
	come(b, 0, time_ns + 111 * MS + 9);
	rig_snapshot(&b->rig);
}

/* COUNT waits of PID that the source has summed, all of KIND and in do_nanosleep, called by USER_CALLER; the last ended at 2 s. */
static void sum_waits(struct bench *b, enum record_wait kind, uint64_t count, uint64_t ns)
{
	const uint64_t words[] = { CALLCHAIN_KERNEL, SCHEDULE,   NANOSLEEP, ENTRY,
				   CALLCHAIN_USER,   USER_CALLER };
	const struct record_waits waits = { .kind = kind,
					    .count = count,
					    .ns = ns,
					    .delay_ns = ns / 10,
					    .longest_ns = ns / (count ? count : 1),
					    .longest_delay_ns = ns / (count ? count : 1) / 10,
					    .ready = true,
					    .waker = 70 };
	struct record r = fake_switch(PID, PID, 0, 2 * S);

	r.counts_only = true;
	r.waits = &waits;
	r.sample.ip = SCHEDULE;
	r.sample.callchain = words;
	r.sample.callchain_count = sizeof(words) / sizeof(words[0]);
	rig_receive(&b->rig, r);
}

/* Sums become the cells that their switches would have made; moments count nothing beside them. */
UNIT_TEST(test_sums)
{
	const struct snapshot *s;
	struct bench b;

	open_bench(&b);
	engine_waits_summed(b.rig.engine, true, 0);
	rig_receive(&b.rig, fake_comm(70, 70, S / 2, "server", true));
	leave(&b, PID, S, false);
	come(&b, PID, 2 * S);
	sum_waits(&b, RECORD_WAIT_BLOCKED, 1000, S / 2);
	sum_waits(&b, RECORD_WAIT_BLOCKED, 0, S / 4);
	sum_waits(&b, RECORD_WAIT_PREEMPTED, 3, S / 8);
	sum_waits(&b, RECORD_WAIT_UNKNOWN, 1, S);
	s = rig_snapshot(&b.rig);
	assert_true(ns_of(s, 0, "do_nanosleep") == S / 2 + S / 4);
	assert_true(ns_of(s, 0, "[preempted]") == S / 8);
	assert_true(ns_of(s, 2, "do_nanosleep") == S / 20 + S / 40);
	assert_int_equal(waits_by(s, 0, "server"), 1003);
	assert_int_equal(waits_by(s, 2, "server"), 1003);
	assert_int_equal(s->sampling.read_samples, s->sampling.settled_samples);
	engine_waits_summed(b.rig.engine, false, 0);
	close_bench(&b);
}

/* PID waits in do_nanosleep from FROM_NS to TO_NS. */
static void sleep_over(struct bench *b, uint64_t from_ns, uint64_t to_ns)
{
	leave(b, PID, from_ns, false);
	come(b, 0, from_ns + 9);
	leave(b, 0, to_ns, false);
	come(b, PID, to_ns + 9);
}

/* Switches are told from 2 s on, while sums still told all waits up to 3 s: each wait counts once, and all of its time. */
UNIT_TEST(test_sums_give_way)
{
	const struct snapshot *s;
	struct bench b;

	open_bench(&b);
	engine_waits_summed(b.rig.engine, true, 0);
	rig_receive(&b.rig, fake_comm(70, 70, S / 2, "server", true));
	sum_waits(&b, RECORD_WAIT_BLOCKED, 1000, S / 2);
	sum_waits(&b, RECORD_WAIT_BLOCKED, 0, 80 * MS); /* that lasts over 3 s */
	engine_waits_summed(b.rig.engine, false, 3 * S);
	sleep_over(&b, 2 * S, 2 * S + 500 * MS);
	sleep_over(&b, 2 * S + 900 * MS, 3 * S + 200 * MS);
	sleep_over(&b, 3 * S + 300 * MS, 3 * S + 400 * MS);
	leave(&b, PID, 3 * S + 500 * MS, true);
	s = rig_snapshot(&b.rig);
	unit_is_near((double)ns_of(s, 0, "do_nanosleep"), S / 2 + 380.0 * MS, 1000);
	assert_int_equal(waits_by(s, 0, "server"), 1000);
	assert_int_equal(waits_by(s, 0, NULL), 2);
	close_bench(&b);
}

/* Who wakes is a process, one of its threads, or what interrupts it, whoever that is. */
UNIT_TEST(test_wakers)
{
	const struct snapshot *s;
	struct bench b;

	open_bench(&b);
	rig_receive(&b.rig, fake_comm(70, 70, S / 2, "server", true));
	rig_receive(&b.rig, fake_fork(70, 71, 70, S / 2));
	wait_for(&b, S, 70, 70, TRACE_IN_TASK);
	wait_for(&b, 2 * S, 70, 71, TRACE_IN_TASK); /* it has the name of its process */
	rig_receive(&b.rig, fake_comm(70, 71, 3 * S - 1, "lazy", false));
	wait_for(&b, 3 * S, 70, 71, TRACE_IN_TASK);
	wait_for(&b, 4 * S, 70, 71, TRACE_IN_SOFTIRQ);
	wait_for(&b, 5 * S, 70, 71, TRACE_IN_INTERRUPT);
	wait_for(&b, 6 * S, 4711, 4711, TRACE_IN_TASK);
	s = rig_snapshot(&b.rig);
	for (uint16_t event = 0; event < 3; event += 2) { /* off-cpu, run-delay */
		assert_int_equal(waits_by(s, event, "server"), 2);
		assert_int_equal(waits_by(s, event, "server/lazy"), 1);
		assert_int_equal(waits_by(s, event, "server/lazy (softirq)"), 1);
		assert_int_equal(waits_by(s, event, "[interrupt]"), 1);
		assert_int_equal(waits_by(s, event, "[unknown]"), 1);
		/* Nobody ends the wait for the first CPU, nor a preemption. */
		assert_int_equal(waits_by(s, event, NULL), 1 + 5);
	}
	close_bench(&b);
}

/* A thread that was made on a CPU that is read later is not known yet when it is woken. */
UNIT_TEST(test_wake_of_the_coming)
{
	const uint32_t late = 60;
	const struct snapshot *s;
	struct bench b;

	open_bench(&b);
	rig_receive(&b.rig, fake_comm(70, 70, S / 2, "server", true));
	wake_by(&b, late, S + 200 * MS, 70, 70, TRACE_IN_TASK);
	assert_null(rig_row(&b.rig, late, 0));
	rig_receive(&b.rig, fake_fork(late, late, 1, S));
	leave(&b, 0, S + 5, false);
	come(&b, late, S + 9);
	leave(&b, late, S + 100 * MS, false);
	come(&b, 0, S + 100 * MS + 9);
	leave(&b, 0, S + 210 * MS, false);
	come(&b, late, S + 210 * MS + 9);
	s = rig_snapshot(&b.rig);
	assert_int_equal(waits_by(s, 0, "server"), 1);
	assert_int_equal(ns_of(s, 2, "do_nanosleep"), 10 * MS);
	close_bench(&b);
}

/* A process may call itself what it likes, as often as it likes. */
UNIT_TEST(test_wakers_are_bounded)
{
	const struct snapshot *s;
	struct bench b;
	double wakers = 0;

	open_bench(&b);
	for (unsigned i = 0; i < 5000; i++) {
		const uint64_t at_ns = S + i * MS;
		char comm[16];

		snprintf(comm, sizeof(comm), "w%u", i);
		rig_receive(&b.rig, fake_comm(70, 70, at_ns, comm, false));
		leave(&b, 0, at_ns, false);
		come(&b, PID, at_ns + 9);
		leave(&b, PID, at_ns + MS / 4, false);
		come(&b, 0, at_ns + MS / 4 + 9);
		wake_by(&b, PID, at_ns + MS / 2, 70, 70, TRACE_IN_TASK);
	}
	leave(&b, 0, 7 * S, false);
	come(&b, PID, 7 * S + 9);
	s = rig_snapshot(&b.rig);
	for (size_t i = 0; i < s->cell_count; i++)
		wakers += s->cells[i].event == 0 && s->cells[i].data > FRAME_REST;
	assert_int_equal(wakers, 4096);
	close_bench(&b);
}

/* Counters of the process, also while it runs nowhere. */
UNIT_TEST(test_counters)
{
	const struct snapshot *s;
	struct bench b;

	open_bench(&b);
	leave(&b, 0, S, false);
	come(&b, PID, S + 9);
	leave(&b, PID, S + 10 * MS, false);
	come(&b, 0, S + 10 * MS + 9);
	leave(&b, 0, S + 500 * MS, false);
	rig_snapshot(&b.rig);
	leave(&b, 0, 2 * S, false);
	s = rig_snapshot(&b.rig);
	assert_non_null(rig_row(&b.rig, PID, 0));
	assert_int_equal(rig_row(&b.rig, PID, 0)->counters[0], 500 * MS);
	assert_int_equal(s->events[0].frequency_hz + s->events[0].period, 0);
	close_bench(&b);
}

/* Adds to SUM the waits of EVENT in do_nanosleep. */
static void add_waits(const struct snapshot *s, uint16_t event, struct distribution *sum)
{
	for (size_t i = 0; i < s->cell_count; i++) {
		const struct snapshot_cell *c = &s->cells[i];

		if (c->event == event && !strcmp(frame_symbol(s->frames, c->frame), "do_nanosleep"))
			distribution_add_cell(sum, c->wait, c->samples, c->longest);
	}
}

/* Each wait is in the window in which it ends, with its whole length, and the windows together have all. */
UNIT_TEST(test_waits_of_windows)
{
	static const uint64_t lengths_ms[] = { 1, 2500, 40, 3, 900, 1, 1800, 5 };
	struct distribution truth = { 0 }, live = { 0 }, windows = { 0 };
	uint64_t at_ns = 2 * S;
	struct bench b;

	open_bench(&b);
	leave(&b, 0, S + 1, false);
	come(&b, PID, S + 10);
	for (size_t i = 0; i < sizeof(lengths_ms) / sizeof(*lengths_ms); i++) {
		sleep_over(&b, at_ns, at_ns + lengths_ms[i] * MS);
		truth.counts[distribution_bucket(lengths_ms[i] * MS)]++;
		at_ns += (lengths_ms[i] + 10) * MS;
		rig_snapshot(&b.rig); /* wherever that cuts */
	}
	add_waits(rig_snapshot(&b.rig), 0, &live);
	for (uint64_t ns = S; ns < at_ns + S; ns += S) {
		engine_set_window(b.rig.engine, ns, ns + S);
		add_waits(rig_snapshot(&b.rig), 0, &windows);
	}
	assert_memory_equal(live.counts, truth.counts, sizeof(truth.counts));
	assert_memory_equal(windows.counts, truth.counts, sizeof(truth.counts));
	assert_true(live.longest_ns >= 2500 * MS && live.longest_ns < 2500 * MS + 10);
	close_bench(&b);
}

/* The stack of node AT, the outermost frame first, with a ';' behind each. */
static void path_print(const struct snapshot *s, uint32_t at, struct buf *text)
{
	if (at == CALL_ROOT)
		return;
	path_print(s, s->nodes[at].parent, text);
	buf_printf(text, "%s;", frame_symbol(s->frames, s->nodes[at].frame));
}

/* The nanoseconds of EVENT under the stack PATH. */
static double ns_under(const struct snapshot *s, uint16_t event, const char *path)
{
	double sum = 0;

	for (size_t i = 0; i < s->cell_count; i++) {
		struct buf text = { 0 };

		if (s->cells[i].event != event)
			continue;
		path_print(s, s->cells[i].node, &text);
		if (text.size && !strcmp(text.bytes, path))
			sum += s->cells[i].period;
		buf_fini(&text);
	}
	return sum;
}

/* What the process waited before its execve(2) has no frames of the program that it runs now. */
UNIT_TEST(test_sums_before_an_execve)
{
	const struct snapshot *s;
	struct bench b;

	open_bench(&b);
	engine_waits_summed(b.rig.engine, true, 0);
	rig_receive(&b.rig, fake_comm(PID, PID, S, "first", true));
	sum_waits(&b, RECORD_WAIT_BLOCKED, 10, S / 2);
	rig_receive(&b.rig, fake_comm(PID, PID, 3 * S, "second", true));
	sum_waits(&b, RECORD_WAIT_BLOCKED, 5, S / 4);
	s = rig_snapshot(&b.rig);
	assert_true(ns_of(s, 0, "do_nanosleep") == S / 2 + S / 4);
	assert_true(ns_under(s, 0, "do_syscall_64;do_nanosleep;") == S / 4);
	close_bench(&b);
}

#define WAKERS 3
#define LATENCY 4
#define SLEEP "do_syscall_64;do_nanosleep;"

/* As wake_by(), and where WAKER does so is known. */
static void wake_in(struct bench *b, uint32_t pid, uint64_t time_ns, uint32_t waker,
		    enum trace_context in)
{
	const uint64_t words[] = { CALLCHAIN_KERNEL, WAKE_UP, FUTEX_WAKE, ENTRY };
	struct record r = fake_switch(waker, waker, 1, time_ns);

	r.counts_only = true;
	r.woken_tid = pid;
	r.woken_in = in;
	r.sample.ip = WAKE_UP;
	r.sample.callchain = words;
	r.sample.callchain_count = sizeof(words) / sizeof(words[0]);
	rig_receive(&b->rig, r);
}

/* Who wakes whom is behind the stack of the wait, with the stack of the first of them. */
UNIT_TEST(test_chain)
{
	const uint32_t server = 70, disk = 80;
	const struct snapshot *s;
	struct bench b;

	open_bench(&b);
	rig_receive(&b.rig, fake_fork(server, server, 1, S / 2));
	rig_receive(&b.rig, fake_comm(server, server, S / 2, "server", true));
	rig_receive(&b.rig, fake_fork(disk, disk, 1, S / 2));
	rig_receive(&b.rig, fake_comm(disk, disk, S / 2, "disk", true));
	come(&b, PID, S);
	leave(&b, PID, S + 10 * MS, false);
	come(&b, server, S + 10 * MS + 9);
	leave(&b, server, S + 20 * MS, false); /* it waits while PID does */
	come(&b, 0, S + 20 * MS + 9);
	wake_in(&b, server, S + 50 * MS, disk, TRACE_IN_INTERRUPT);
	leave(&b, 0, S + 51 * MS, false);
	come(&b, server, S + 51 * MS + 9);
	wake_in(&b, PID, S + 90 * MS, server, TRACE_IN_TASK);
	leave(&b, server, S + 95 * MS, false);
	come(&b, PID, S + 95 * MS + 9);
	leave(&b, PID, S + 99 * MS, false);
	s = rig_snapshot(&b.rig);
	assert_int_equal(ns_under(s, WAKERS,
				  SLEEP "[woken by server];do_nanosleep;[woken by interrupt];"
					"[stack of server];do_syscall_64;futex_wake;"),
			 80 * MS);
	assert_int_equal(ns_under(s, WAKERS, SLEEP "[woken by interrupt];"), 30 * MS);
	/* Nobody knows who ended the first waits. */
	assert_int_equal(waits_by(s, WAKERS, "server"), 1);
	assert_int_equal(waits_by(s, WAKERS, "[interrupt]"), 1);
	close_bench(&b);
}

/* A wait whose end nobody told is there as well; the birth of a thread is none. */
UNIT_TEST(test_chain_unknown)
{
	const struct snapshot *s;
	struct bench b;

	open_bench(&b);
	come(&b, PID, S);
	leave(&b, PID, S + 10 * MS, false);
	come(&b, 0, S + 10 * MS + 9);
	rig_snapshot(&b.rig);
	leave(&b, 0, S + 60 * MS, false);
	come(&b, PID, S + 60 * MS + 9);
	s = rig_snapshot(&b.rig);
	assert_int_equal(ns_under(s, WAKERS, SLEEP "[woken by unknown];"), 50 * MS);
	assert_int_equal(waits_by(s, WAKERS, NULL), waits_by(s, 0, NULL) - 1);
	close_bench(&b);
}

/* Two processes, half of the time together: what each runs alone weighs twice as much. */
UNIT_TEST(test_latency)
{
	const uint32_t other = 70;
	const struct snapshot *s;
	struct bench b;
	struct record r;

	open_bench(&b);
	rig_receive(&b.rig, fake_fork(other, other, 1, S / 2));
	come(&b, PID, S);
	r = fake_read(other, other, S + 100 * MS);
	r.type = RECORD_SWITCH_CPU_WIDE;
	r.cpu = 1;
	r.cswitch = (struct record_switch){ 0 };
	rig_receive(&b.rig, r);
	leave(&b, PID, S + 200 * MS, false);
	come(&b, 0, S + 200 * MS + 9);
	r = fake_read(other, other, S + 260 * MS);
	r.type = RECORD_SWITCH_CPU_WIDE;
	r.cpu = 1;
	r.cswitch = (struct record_switch){ .out = true };
	rig_receive(&b.rig, r);
	rig_snapshot(&b.rig);
	s = rig_snapshot(&b.rig);
	assert_int_equal(ns_of(s, LATENCY, "do_nanosleep"), (100 + 50) * MS);
	assert_int_equal(s->events[LATENCY].time, 1);
	close_bench(&b);
}

/* System calls of a live machine. */

static void open_calls(struct bench *b)
{
	write_kallsyms(b);
	rig_init(&b->rig, "syscalls", TIER_CPU_GROUP);
	b->rig.options.kallsyms = b->kallsyms;
	rig_open(&b->rig);
	rig_receive(&b->rig, fake_fork(PID, PID, 1, S / 2));
	rig_snapshot(&b->rig);
}

/* A record of a call of PID: NUMBER begins, or returns and stands for COUNT. */
static void tell_call(struct bench *b, enum record_call call, int64_t number, uint32_t count,
		      uint64_t time_ns)
{
	struct record r = fake_switch(PID, PID, 0, time_ns);

	r.counts_only = true;
	r.call = call;
	r.call_number = number;
	r.call_result = call == CALL_LEAVES ? -9 : 0;
	r.call_count = count;
	rig_receive(&b->rig, r);
}

struct call_sums {
	double calls, timed, failed, ns;
};

static struct call_sums sums_of(struct bench *b)
{
	const struct snapshot *s = rig_snapshot(&b->rig);
	struct call_sums sums = { 0 };

	for (size_t i = 0; i < s->cell_count; i++) {
		const struct snapshot_cell *c = &s->cells[i];

		sums.ns += c->period;
		if (c->wait == CELL_WAIT_LASTS)
			continue;
		sums.calls += c->samples;
		sums.timed += c->wait == CELL_RAN ? 0 : c->samples;
		sums.failed += c->data ? c->samples : 0;
	}
	return sums;
}

static void test_calls_of_two_cpus(void **state)
{
	struct bench b;
	struct call_sums sums;

	(void)state;
	open_calls(&b);
	tell_call(&b, CALL_LEAVES, 39, 1, S); /* of the fork: none of its own */
	tell_call(&b, CALL_LEAVES, 0, 1, S + 5 * MS);
	tell_call(&b, CALL_ENTERS, 1, 0, S + 6 * MS);
	tell_call(&b, CALL_LEAVES, 1, 1, S + 8 * MS);
	tell_call(&b, CALL_ENTERS, 0, 0, S + 2 * MS);
	sums = sums_of(&b);
	assert_true(sums.calls == 2 && sums.timed == 2 && sums.failed == 2);
	assert_true(sums.ns == 5 * MS);
	close_bench(&b);
}

/* By an event that was opened anew. */
static void test_a_call_told_twice(void **state)
{
	struct bench b;
	struct call_sums sums;

	(void)state;
	open_calls(&b);
	tell_call(&b, CALL_UNTOLD, 0, 0, S);
	tell_call(&b, CALL_ENTERS, 0, 0, S + MS);
	tell_call(&b, CALL_LEAVES, 0, 1, S + 2 * MS);
	tell_call(&b, CALL_LEAVES, 0, 1, S + 2 * MS + 900);
	tell_call(&b, CALL_LEAVES, 0, 1, S + 4 * MS); /* whose begin was lost */
	sums = sums_of(&b);
	assert_true(sums.calls == 2 && sums.timed == 1 && sums.ns == MS);
	close_bench(&b);
}

static void test_a_call_for_many(void **state)
{
	struct bench b;
	struct call_sums sums;

	(void)state;
	open_calls(&b);
	tell_call(&b, CALL_UNTOLD, 0, 0, S);
	tell_call(&b, CALL_ENTERS, 0, 0, S + MS);
	tell_call(&b, CALL_LEAVES, 0, 1000, S + 2 * MS);
	tell_call(&b, CALL_COUNTED, 0, 7, S + 3 * MS);
	sums = sums_of(&b);
	assert_true(sums.calls == 1007 && sums.timed == 1000 && sums.ns == 1000.0 * MS);
	close_bench(&b);
}

/* With registers of 32 (ABI 1) or 64 bits (2), or none (0), as a call that fails. */
static void tell_call_of_abi(struct bench *b, uint64_t abi, uint64_t time_ns)
{
	struct record r = fake_switch(PID, PID, 0, time_ns + MS);

	tell_call(b, CALL_ENTERS, 20, 0, time_ns);
	r.counts_only = true;
	r.call = CALL_LEAVES;
	r.call_number = 20;
	r.call_count = 1;
	r.sample.user_regs_abi = abi;
	rig_receive(&b->rig, r);
}

/* The number 20 is getpid of i386 and arm, and another call of the 64-bit ABIs.  Registers stand for later calls, too. */
static void test_calls_of_32_bits(void **state)
{
	struct bench b;
	const struct snapshot *s;

	(void)state;
	open_calls(&b);
	tell_call(&b, CALL_UNTOLD, 0, 0, S);
	tell_call_of_abi(&b, 0, S + 10 * MS);
	s = rig_snapshot(&b.rig);
	if (ns_of(s, 0, "writev") + ns_of(s, 0, "epoll_create1") == 0) {
		close_bench(&b);
		skip(); /* calls have no names, or those of another machine */
	}
	tell_call_of_abi(&b, 1, S + 20 * MS);
	tell_call_of_abi(&b, 0, S + 30 * MS);
	tell_call_of_abi(&b, 2, S + 40 * MS);
	tell_call_of_abi(&b, 0, S + 50 * MS);
	s = rig_snapshot(&b.rig);
	assert_int_equal(ns_of(s, 0, "getpid"), 2 * MS);
	assert_int_equal(ns_of(s, 0, "writev") + ns_of(s, 0, "epoll_create1"), 3 * MS);
	close_bench(&b);
}

/* No time is made of what was lost. */
static void test_calls_lost(void **state)
{
	struct bench b;
	struct call_sums sums;
	struct record lost;

	(void)state;
	open_calls(&b);
	tell_call(&b, CALL_UNTOLD, 0, 0, S);
	tell_call(&b, CALL_ENTERS, 0, 0, S + MS);
	lost = fake_read(0, 0, S + 2 * MS);
	lost.type = RECORD_LOST;
	lost.lost = (struct record_lost){ .count = 3 };
	rig_receive(&b.rig, lost);
	tell_call(&b, CALL_LEAVES, 0, 1, S + 9 * MS);
	sums = sums_of(&b);
	assert_true(sums.calls == 1 && sums.timed == 0 && sums.ns == 0);
	close_bench(&b);
}

/* The time of a call is its process's, also in an interval in which that does not run. */
static void test_a_call_goes_on(void **state)
{
	struct bench b;
	struct call_sums sums;

	(void)state;
	open_calls(&b);
	tell_call(&b, CALL_UNTOLD, 0, 0, S);
	tell_call(&b, CALL_ENTERS, 0, 0, S + MS);
	rig_receive(&b.rig, fake_switch(PID + 1, PID + 1, 0, S + 2 * MS));
	sums_of(&b);
	rig_receive(&b.rig, fake_switch(PID + 1, PID + 1, 0, S + 5 * MS));
	sums = sums_of(&b);
	assert_true(sums.calls == 0 && sums.ns > 0);
	assert_true(rig_row(&b.rig, PID, 0) && rig_event_value(&b.rig, 0) > 0);
	close_bench(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_waits),
		cmocka_unit_test(test_after_its_exit),
		cmocka_unit_test(test_after_its_exit_and_its_interval),
		cmocka_unit_test(test_before_its_first_switch),
		cmocka_unit_test(test_stacks_sampled),
		cmocka_unit_test(test_idle),
		cmocka_unit_test(test_delay),
		cmocka_unit_test(test_wakers),
		cmocka_unit_test(test_wake_of_the_coming),
		cmocka_unit_test(test_wakers_are_bounded),
		cmocka_unit_test(test_counters),
		cmocka_unit_test(test_waits_of_windows),
		cmocka_unit_test(test_chain),
		cmocka_unit_test(test_chain_unknown),
		cmocka_unit_test(test_sums),
		cmocka_unit_test(test_sums_before_an_execve),
		cmocka_unit_test(test_sums_give_way),
		cmocka_unit_test(test_latency),
		cmocka_unit_test(test_calls_of_two_cpus),
		cmocka_unit_test(test_a_call_told_twice),
		cmocka_unit_test(test_a_call_for_many),
		cmocka_unit_test(test_calls_of_32_bits),
		cmocka_unit_test(test_calls_lost),
		cmocka_unit_test(test_a_call_goes_on),
	};

	return unit_run(tests);
}
