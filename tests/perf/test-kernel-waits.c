/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * The program in the kernel, on this machine.  A thread that naps knows from getrusage(2) how often it gave up the CPU
 * by itself and how often another one took it, and by its own clock how long it was off the CPU.
 */
#include "unit.h"

#ifdef HAVE_LIBBPF
#include <bpf/bpf.h>
#endif
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>

#include "perf/bpf/kernel-waits.h"
#include "perf/bpf/wait-layout.h"

#define NAPS 600
#define SWITCH_NS \
	30000.0 /* a switch is no work of the thread, and counts as waiting; a virtual machine has slow ones */
#define LONG_MS 300
#define PART_MS 100
#define PROGRAMS 20
#define SLEEP_NS 10000000u
#define DEADLINE_NS 20000000000ull
#define LEVEL_MS 220  /* shorter intervals tell no rate of stacks */
#define FEW_STACKS 16 /* a second, of all threads */

struct found {
	uint32_t tid;
	uint64_t blocked, preempted, ns, delay_ns, longest_ns;
	uint64_t goes_on_ns; /* of it, of a wait that went on */
	uint64_t stackless;  /* waits */
	size_t frames;       /* the most of a stack, of both kinds */
	uint64_t ready;      /* waits */
	uint64_t innermost;  /* the address of a frame of the kernel's */
	uint64_t unknown;    /* times at which it was first seen */
};

static void find(void *context, const struct kernel_wait *w)
{
	struct found *f = context;

	if (w->tid != f->tid)
		return;
	if (w->kind == KERNEL_WAIT_UNKNOWN) {
		f->unknown += w->count;
		return;
	}
	if (w->kind == KERNEL_WAIT_BLOCKED)
		f->blocked += w->count;
	if (w->kind == KERNEL_WAIT_PREEMPTED)
		f->preempted += w->count;
	if (!w->kernel_frames)
		f->stackless += w->count;
	else
		f->innermost = w->kernel_stack[0];
	f->ns += w->ns;
	f->delay_ns += w->delay_ns;
	if (!w->count)
		f->goes_on_ns += w->ns;
	else
		f->ready += w->ready ? w->count : 0;
	if (w->longest_ns > f->longest_ns)
		f->longest_ns = w->longest_ns;
	if (w->kernel_frames && w->user_frames && w->kernel_frames + w->user_frames > f->frames)
		f->frames = w->kernel_frames + w->user_frames;
}

static uint64_t now_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void nap(long ns)
{
	const struct timespec t = { .tv_nsec = ns };

	clock_nanosleep(CLOCK_MONOTONIC, 0, &t, NULL);
}

static int open_waits(void **state)
{
	struct error err = { "" };

	*state = kernel_waits_open(KERNEL_WAKEUPS, NULL, &err);
	if (!*state) {
		printf("no BPF here: %s\n", err.text);
		exit(UNIT_SKIP);
	}
	return 0;
}

static int close_waits(void **state)
{
	kernel_waits_close(*state);
	return 0;
}

/* What the thread did that is written down between two settlements of it. */
struct truth {
	uint64_t waited, preempted, off_ns;
};

static struct truth truth_now(void)
{
	struct rusage u;

	getrusage(RUSAGE_THREAD, &u);
	return (struct truth){ (uint64_t)u.ru_nvcsw, (uint64_t)u.ru_nivcsw,
			       now_ns(CLOCK_MONOTONIC) - now_ns(CLOCK_THREAD_CPUTIME_ID) };
}

/* Naps are short and many, and the interval ends in the middle of them: no count is lost between the two maps. */
static void each_wait_is_counted_once(void **state)
{
	struct kernel_waits *k = *state;
	struct found f = { .tid = (uint32_t)syscall(SYS_gettid) };
	struct found before = f;
	struct truth began, ended;

	nap(1000); /* from here on it is known */
	began = truth_now();
	kernel_waits_settle(k, find, &before);
	for (int i = 0; i < NAPS; i++) {
		nap(1000000);
		if (i % 10 == 9)
			kernel_waits_settle(k, find, &f);
	}
	ended = truth_now();
	kernel_waits_settle(k, find, &f);
	/* The settlements may be preempted or yield: a wait more or less at each end. */
	unit_is_near((double)(f.blocked + f.preempted),
		     (double)(ended.waited + ended.preempted - began.waited - began.preempted), 4);
	assert_true(f.blocked > NAPS / 2); /* one whose end has passed before it begins is none */
	unit_is_near((double)f.ns, (double)(ended.off_ns - began.off_ns),
		     (double)(ended.off_ns - began.off_ns) / 50 + NAPS * SWITCH_NS);
	/* The kernel may leave out a wake-up by an interrupt. */
	assert_true(f.ready > (f.blocked + f.preempted) / 10 * 9);
	assert_true(f.delay_ns > 0 && f.delay_ns < f.ns);
	assert_true(f.frames > 4);
	assert_int_equal(kernel_waits_statistics(k).unfollowed, 0);
}

/* Another process waits over several intervals: each has its part, and the last one the rest. */
static void a_long_wait_is_told_in_parts(void **state)
{
	struct kernel_waits *k = *state;
	uint64_t started_ns, parts = 0;
	struct found f = { 0 };
	int ready[2], status;
	pid_t pid;

	assert_int_equal(pipe(ready), 0);
	started_ns = now_ns(CLOCK_MONOTONIC);
	pid = unit_fork();
	if (!pid) {
		assert_int_equal(write(ready[1], "x", 1), 1);
		nap(LONG_MS * 1000000l);
		_exit(0);
	}
	f.tid = (uint32_t)pid;
	assert_int_equal(read(ready[0], &status, 1), 1);
	while (now_ns(CLOCK_MONOTONIC) - started_ns < LONG_MS * 2 * 1000000ull) {
		uint64_t told_ns = f.goes_on_ns;

		nap(PART_MS * 1000000l / 2);
		kernel_waits_settle(k, find, &f);
		parts += f.goes_on_ns > told_ns;
	}
	waitpid(pid, &status, 0);
	assert_in_range(parts, 3, 2 * LONG_MS / PART_MS + 2);
	/* The nap, and what else it waited at its start and end. */
	assert_true(f.longest_ns >= LONG_MS * 1000000ull);
	assert_true(f.ns >= f.longest_ns);
	assert_true(f.ns < LONG_MS * 2 * 1000000ull);
	close(ready[0]);
	close(ready[1]);
}

/* Another process, which naps for LONG_MS and then waits for its end.  TOLD brings a byte when the nap begins, and when it ends. */
static pid_t nap_once(int told[2])
{
	pid_t pid;

	assert_int_equal(pipe(told), 0);
	pid = unit_fork();
	if (pid)
		return pid;
	assert_int_equal(write(told[1], "x", 1), 1);
	nap(LONG_MS * 1000000l);
	assert_int_equal(write(told[1], "x", 1), 1);
	for (;;)
		pause();
}

static void await_byte(const int told[2])
{
	char c;

	assert_int_equal(read(told[0], &c, 1), 1);
}

static void end_nap(pid_t pid, const int told[2])
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	close(told[0]);
	close(told[1]);
}

/* The map NAME, of values of SIZE, in the memory that the program shares; NULL: this ptop has no BPF. */
static void *shared(const char *name, size_t size)
{
#ifdef HAVE_LIBBPF
	struct bpf_map_info info;
	uint32_t length = sizeof(info);

	for (int fd = 0; fd < 1024; fd++) {
		char path[64], kind[64] = "";

		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
		memset(&info, 0, sizeof(info));
		if (readlink(path, kind, sizeof(kind) - 1) < 0 || !strstr(kind, "bpf-map") ||
		    bpf_obj_get_info_by_fd(fd, &info, &length) || strcmp(info.name, name) != 0)
			continue;
		void *values = mmap(NULL, info.max_entries * size, PROT_READ | PROT_WRITE,
				    MAP_SHARED, fd, 0);

		return values == MAP_FAILED ? NULL : values;
	}
#endif
	(void)name;
	(void)size;
	return NULL;
}

struct held {
	struct wait_gate *gate;
	cpu_set_t cpus; /* of this thread before */
};

#define HELD (1ull << 32) /* switches: the program leaves less often while the test holds it */

/*
 * It seems that a host holds this CPU inside the program.  The test stays on that CPU, whose program runs with interrupts
 * off, and so no change of the gate comes between another one.
 */
static struct held hold_cpu(void)
{
	struct held h;
	int cpu = sched_getcpu();
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	assert_int_equal(sched_getaffinity(0, sizeof(h.cpus), &h.cpus), 0);
	assert_int_equal(sched_setaffinity(0, sizeof(set), &set), 0);
	h.gate = shared("gates", sizeof(*h.gate));
	assert_non_null(h.gate);
	h.gate += cpu;
	__atomic_fetch_add(&h.gate->entered, HELD, __ATOMIC_SEQ_CST);
	return h;
}

static void let_go(const struct held *h)
{
	__atomic_fetch_add(&h->gate->left, HELD, __ATOMIC_SEQ_CST);
	assert_int_equal(sched_setaffinity(0, sizeof(h->cpus), &h->cpus), 0);
}

/* The nap is told in part, and ends.  Then no table can be taken for some intervals: later each is, and the nap counts once. */
static void a_held_cpu_puts_sums_off(void **state)
{
	struct kernel_waits *k = *state;
	struct found f = { 0 };
	uint64_t began_ns = now_ns(CLOCK_MONOTONIC), settled_ns, told_ns;
	struct held held;
	bool moved = false;
	int told[2];
	pid_t pid = nap_once(told);

	f.tid = (uint32_t)pid;
	await_byte(told);
	nap(PART_MS * 1000000l);
	settled_ns = kernel_waits_settle(k, find, &f);
	told_ns = f.ns;
	assert_true(told_ns >= PART_MS * 1000000ull / 2);
	await_byte(told);
	held = hold_cpu();
	for (int i = 0; i < 4; i++)
		moved |= kernel_waits_settle(k, find, &f) != settled_ns;
	let_go(&held);
	assert_false(moved);
	assert_int_equal(f.ns, told_ns);
	assert_true(kernel_waits_settle(k, find, &f) > settled_ns);
	assert_true(f.longest_ns >= LONG_MS * 1000000ull);
	assert_true(f.ns >= LONG_MS * 1000000ull);
	assert_true(f.ns <= now_ns(CLOCK_MONOTONIC) - began_ns);
	end_nap(pid, told);
}

/* At the end nobody takes them later: all are taken, and the wait that the CPU has in its hands is lost. */
static void a_held_cpu_loses_one_wait_at_the_end(void **state)
{
	struct kernel_waits *k = *state;
	struct found f = { .tid = (uint32_t)syscall(SYS_gettid) };
	uint64_t settled_ns = kernel_waits_settle(k, find, &f), ended_ns;
	uint64_t lost = kernel_waits_statistics(k).lost;
	struct held held;

	for (int i = 0; i < 10; i++)
		nap(1000000);
	f.blocked = 0;
	held = hold_cpu();
	ended_ns = kernel_waits_end(k, find, &f);
	let_go(&held);
	assert_true(ended_ns > settled_ns);
	assert_true(f.blocked >= 5);
	assert_int_equal(kernel_waits_statistics(k).lost, lost + 1);
}

/* The first 256 waits of the interval have their stacks, then about one in 64; all are counted. */
static void a_busy_thread_has_few_stacks(void **state)
{
	struct kernel_waits *k = *state;
	struct found f = { .tid = (uint32_t)syscall(SYS_gettid) };
	uint64_t all;

	kernel_waits_take_stacks(k, UINT32_MAX);
	for (int i = 0; i < NAPS; i++)
		nap(100000);
	kernel_waits_settle(k, find, &f);
	all = f.blocked + f.preempted;
	assert_true(all > NAPS / 2);
	unit_is_near((double)f.stackless, (double)(all - 256) * 63 / 64, 4);
}

/* Two naps in a row, and an interval for which a rate can be told. */
static void settle_later(struct kernel_waits *k, struct found *f)
{
	nap(LEVEL_MS * 1000000l / 2);
	nap(LEVEL_MS * 1000000l / 2);
	kernel_waits_settle(k, find, f);
}

/* More stacks were taken than there are to be: in the next interval much fewer are, and when there may be more, these are back. */
static void many_threads_have_few_stacks(void **state)
{
	struct kernel_waits *k = *state;
	uint64_t began_ns = now_ns(CLOCK_MONOTONIC), before;

	kernel_waits_take_stacks(k, FEW_STACKS);
	assert_int_equal(kernel_waits_stack_period(k), 64);
	while (kernel_waits_stack_period(k) < 64 * 16) {
		struct found f = { .tid = (uint32_t)syscall(SYS_gettid) };

		assert_true(now_ns(CLOCK_MONOTONIC) - began_ns < DEADLINE_NS);
		for (int i = 0; i < NAPS; i++)
			nap(100000);
		settle_later(k, &f);
	}
	before = kernel_waits_statistics(k).stacks;
	assert_true(before > 256);
	struct found f = { .tid = (uint32_t)syscall(SYS_gettid) };
	for (int i = 0; i < NAPS; i++)
		nap(100000);
	kernel_waits_settle(k, find, &f);
	assert_true(f.blocked > NAPS / 2);
	/* Of 256 / 16 waits each has its stack, then one in 1024. */
	assert_true(f.blocked + f.preempted - f.stackless <= 256 / 16 + 4);
	kernel_waits_take_stacks(k, UINT32_MAX);
	while (kernel_waits_stack_period(k) > 64) {
		assert_true(now_ns(CLOCK_MONOTONIC) - began_ns < DEADLINE_NS);
		settle_later(k, &f);
	}
	kernel_waits_take_stacks(k, 0);
	assert_int_equal(kernel_waits_stack_period(k), 0);
}

/* What was taken while each wait had its stack is not counted against what there is to be. */
static void stacks_of_before_are_not_too_many(void **state)
{
	struct kernel_waits *k = *state;
	struct found f = { .tid = (uint32_t)syscall(SYS_gettid) };
	uint64_t end_ns = now_ns(CLOCK_MONOTONIC) + DEADLINE_NS, began_ns;

	do {
		assert_true(now_ns(CLOCK_MONOTONIC) < end_ns);
		kernel_waits_take_stacks(k, 0);
		for (int i = 0; i < NAPS; i++)
			nap(1000000);
		began_ns = now_ns(CLOCK_MONOTONIC);
		kernel_waits_take_stacks(k, FEW_STACKS);
		kernel_waits_settle(k, find, &f);
	} while (now_ns(CLOCK_MONOTONIC) - began_ns >= LEVEL_MS * 1000000ull / 2);
	assert_int_equal(kernel_waits_stack_period(k), 64);
}

struct places {
	uint32_t tid;
	uint64_t nap, poll, all; /* waits with stacks of both; and all */
	uint64_t nap_at;         /* the address of the call; of another one it is a poll */
};

static void find_places(void *context, const struct kernel_wait *w)
{
	struct places *p = context;

	if (w->tid != p->tid || w->kind != KERNEL_WAIT_BLOCKED)
		return;
	p->all += w->count;
	if (!w->user_frames)
		return;
	if (!p->nap_at)
		p->nap_at = w->user_stack[0];
	if (w->user_stack[0] == p->nap_at)
		p->nap += w->count;
	else
		p->poll += w->count;
}

/* Both places have equally many of the waits whose stacks are taken. */
static void stacks_of_a_thread_that_alternates_are_of_both(void **state)
{
	struct kernel_waits *k = *state;
	const struct timespec wait = { .tv_nsec = 100000 };
	struct places p = { .tid = (uint32_t)syscall(SYS_gettid) };

	nap(1000000);
	kernel_waits_settle(k, find_places, &p);
	assert_true(p.nap_at > 0);
	p.nap = p.poll = p.all = 0;
	kernel_waits_take_stacks(k, UINT32_MAX);
	for (int i = 0; i < NAPS; i++) {
		nap(100000);
		ppoll(NULL, 0, &wait, NULL);
	}
	kernel_waits_settle(k, find_places, &p);
	assert_true(p.all > NAPS);
	unit_is_near((double)p.nap, (double)p.poll, (double)(p.all - 256) / 64 / 2);
}

/* Sets NAME, of 128 characters, to the kernel's symbol that has ADDRESS; "" if addresses are hidden. */
static void name_find(uint64_t address, char *name)
{
	FILE *file = fopen("/proc/kallsyms", "r");
	unsigned long long at, best = 0;
	char line[512], found[128];

	*name = '\0';
	while (file && fgets(line, sizeof(line), file)) {
		if (sscanf(line, "%llx %*c %127s", &at, found) != 2 || at > address || at <= best)
			continue;
		best = at;
		memcpy(name, found, sizeof(found));
	}
	if (file)
		fclose(file);
}

/* With net.core.bpf_jit_harden the program has no name, so its frames are no part of a stack. */
static void a_stack_begins_behind_the_program(void **state)
{
	struct kernel_waits *k = *state;
	struct found f = { .tid = (uint32_t)syscall(SYS_gettid) };
	char name[128];

	nap(1000);
	nap(1000);
	kernel_waits_settle(k, find, &f);
	assert_true(f.innermost > 0);
	name_find(f.innermost, name);
	if (!*name)
		skip();
	if (!strstr(name, "bpf_trace_run") && !strstr(name, "bpf_prog_run"))
		fail_msg("%s", name);
}

/* While it stands still nothing is summed, nor later what lasted over it. */
static void it_can_stand_still(void **state)
{
	struct kernel_waits *k = *state;
	struct found f = { .tid = (uint32_t)syscall(SYS_gettid) };

	nap(1000);
	kernel_waits_settle(k, find, &f);
	f.ns = f.blocked = 0;
	kernel_waits_run(k, false);
	nap(50000000);
	kernel_waits_run(k, true);
	kernel_waits_settle(k, find, &f);
	assert_true(f.ns < 50000000);
	nap(1000);
	f.blocked = 0;
	nap(1000);
	kernel_waits_settle(k, find, &f);
	assert_true(f.blocked >= 1);
}

/* The nap ends before the pause, and its sum is taken behind it. */
static void a_pause_tells_nothing_again(void **state)
{
	struct kernel_waits *k = *state;
	struct found f = { 0 };
	uint64_t began_ns = now_ns(CLOCK_MONOTONIC);
	int told[2];
	pid_t pid = nap_once(told);

	f.tid = (uint32_t)pid;
	await_byte(told);
	nap(PART_MS * 1000000l);
	kernel_waits_settle(k, find, &f);
	assert_true(f.goes_on_ns >= PART_MS * 1000000ull / 2);
	await_byte(told);
	kernel_waits_run(k, false);
	kernel_waits_run(k, true);
	kernel_waits_settle(k, find, &f);
	assert_true(f.longest_ns >= LONG_MS * 1000000ull);
	assert_true(f.ns <= now_ns(CLOCK_MONOTONIC) - began_ns);
	end_nap(pid, told);
}

static bool has_place(const struct wait_set *sets, uint32_t tid)
{
	const struct wait_set *set = &sets[tid % WAIT_SETS];
	bool has = false;

	for (uint32_t i = 0; i < WAIT_WAYS; i++)
		has |= __atomic_load_n(&set->tids[i], __ATOMIC_RELAXED) == tid;
	return has;
}

/* Its number may soon be another thread's.  The kernel leaves its last switch after its parent knows of its end. */
static void a_thread_that_ends_in_a_pause_leaves_its_place(void **state)
{
	struct kernel_waits *k = *state;
	const struct wait_set *sets = shared("sets", sizeof(*sets));
	uint64_t began_ns = now_ns(CLOCK_MONOTONIC);
	int told[2];
	pid_t pid = nap_once(told);

	assert_non_null(sets);
	await_byte(told);
	await_byte(told);
	assert_true(has_place(sets, (uint32_t)pid));
	kernel_waits_run(k, false);
	end_nap(pid, told);
	while (has_place(sets, (uint32_t)pid) && now_ns(CLOCK_MONOTONIC) - began_ns < DEADLINE_NS)
		nap(1000000);
	assert_false(has_place(sets, (uint32_t)pid));
}

static void *execute(void *unused)
{
	(void)unused;
	execlp("sleep", "sleep", "0.01", NULL);
	_exit(EXIT_FAILURE);
}

/* A thread that is not the leader calls execve(2).  It gets the leader's number, and its time before is not told again. */
static void a_thread_becomes_the_leader(void **state)
{
	struct kernel_waits *k = *state;

	for (int i = 0; i < PROGRAMS; i++) {
		struct found f = { 0 };
		pthread_t thread;
		int status;
		pid_t pid = unit_fork();

		if (!pid) {
			pthread_create(&thread, NULL, execute, NULL);
			pthread_join(thread, NULL);
			_exit(EXIT_FAILURE);
		}
		f.tid = (uint32_t)pid;
		waitpid(pid, &status, 0);
		assert_int_equal(status, 0);
		kernel_waits_settle(k, find, &f);
		assert_int_equal(f.unknown, 0);
		assert_true(f.longest_ns >= SLEEP_NS);
	}
}

/* ---- Calls. */

#define CHILDREN 200
#define CALLS 50
#define STRANGE 1000    /* numbers of calls from here on are none */
#define STRANGERS 60000 /* more than there is room for */

struct counted {
	uint32_t pid;
	int32_t number;
	uint64_t count, all;
	uint64_t most; /* of one number */
};

static void count_calls(void *context, const struct kernel_wait *w)
{
	struct counted *f = context;

	if (w->pid != f->pid)
		return;
	f->all += w->count;
	if (w->number == f->number)
		f->count += w->count;
	if (w->number >= STRANGE && w->count > f->most)
		f->most = w->count;
}

static int open_calls(void **state)
{
	struct error err = { "" };

	*state = kernel_waits_open(KERNEL_CALLS, NULL, &err);
	if (!*state) {
		printf("no BPF here: %s\n", err.text);
		exit(UNIT_SKIP);
	}
	return 0;
}

/* The calls of all its processes: each makes CALLS, and intervals end while they live.  Their places serve others later. */
static void each_call_is_counted_once(void **state)
{
	struct kernel_waits *k = *state;
	struct counted f = { .number = SYS_getppid };
	int go[2], status;
	char c;

	for (int i = 0; i < CHILDREN; i++) {
		assert_int_equal(pipe(go), 0);
		f.pid = (uint32_t)unit_fork();
		if (!f.pid) {
			for (int n = 0; n < CALLS; n++)
				syscall(SYS_getppid);
			if (read(go[0], &c, 1) != 1)
				_exit(EXIT_FAILURE);
			for (int n = 0; n < CALLS; n++)
				syscall(SYS_getppid);
			_exit(EXIT_SUCCESS);
		}
		f.count = 0;
		kernel_waits_settle(k, count_calls, &f);
		assert_int_equal(write(go[1], "x", 1), 1);
		kernel_waits_settle(k, count_calls, &f);
		waitpid((pid_t)f.pid, &status, 0);
		kernel_waits_settle(k, count_calls, &f);
		assert_int_equal(status, 0);
		assert_int_equal(f.count, 2 * CALLS);
		close(go[0]);
		close(go[1]);
	}
	assert_int_equal(kernel_waits_statistics(k).unfollowed, 0);
	assert_int_equal(kernel_waits_statistics(k).lost, 0);
}

/* There are too many different ones: those without room are lost, and no two are taken for one. */
static void a_call_without_room_is_lost(void **state)
{
	struct kernel_waits *k = *state;
	struct counted f = { .pid = (uint32_t)getpid() };
	uint64_t lost;

	kernel_waits_settle(k, count_calls, &f);
	f = (struct counted){ .pid = f.pid };
	for (int i = 0; i < STRANGERS; i++)
		assert_int_equal(syscall(STRANGE + i), -1);
	lost = kernel_waits_statistics(k).lost;
	kernel_waits_settle(k, count_calls, &f);
	assert_int_equal(f.most, 1);
	assert_true(lost > 0);
	/* Some more calls are the test's own, and some lost ones another process's. */
	assert_true(f.all > STRANGERS / 4 && f.all <= STRANGERS + CALLS);
	assert_true(f.all + lost >= STRANGERS);
	f.most = 0;
	assert_int_equal(syscall(STRANGE), -1);
	kernel_waits_settle(k, count_calls, &f);
	assert_int_equal(f.most, 1);
}

/* ---- Processes that were chosen. */

#define GENERATIONS 4

struct family {
	uint64_t calls, waits; /* getppid(2); and those that ended */
	uint64_t strangers;    /* of other processes than those of the list */
	uint32_t pids[GENERATIONS];
};

static void find_family(void *context, const struct kernel_wait *w)
{
	struct family *f = context;
	bool ours = false;

	for (int i = 0; i < GENERATIONS; i++)
		ours |= f->pids[i] && w->pid == f->pids[i];
	if (!ours)
		f->strangers += w->count;
	else if (w->kind == KERNEL_WAIT_BLOCKED)
		f->waits += w->count;
	else if (w->kind == KERNEL_WAIT_CALL && w->number == SYS_getppid)
		f->calls += w->count;
}

/* Makes calls, naps, and starts the next generation, which does so, too.  Each tells OUT its number. */
static void live_on(int out)
{
	for (int generation = 0; generation < GENERATIONS; generation++) {
		pid_t pid = getpid();

		if (write(out, &pid, sizeof(pid)) != sizeof(pid))
			_exit(EXIT_FAILURE);
		for (int i = 0; i < CALLS; i++)
			syscall(SYS_getppid);
		for (int i = 0; i < CALLS; i++)
			nap(100000);
		pid = generation + 1 < GENERATIONS ? fork() : -1;
		if (!pid)
			continue;
		if (pid > 0)
			waitpid(pid, NULL, 0);
		_exit(EXIT_SUCCESS);
	}
}

/* A process that waits for GO, and what it then does, as PART sums it, while this one does the same. */
static struct family watch_family(enum kernel_waits_part part)
{
	struct error err = { "" };
	struct family f = { 0 };
	struct kernel_waits *k;
	int go[2], told[2], status;
	uint32_t first;
	char c;

	assert_int_equal(pipe(go), 0);
	assert_int_equal(pipe(told), 0);
	first = (uint32_t)unit_fork();
	if (!first) {
		if (read(go[0], &c, 1) == 1)
			live_on(told[1]);
		_exit(EXIT_FAILURE);
	}
	k = kernel_waits_open(part, &(struct number_list){ &first, 1 }, &err);
	if (!k) {
		printf("no BPF here: %s\n", err.text);
		exit(UNIT_SKIP);
	}
	assert_int_equal(write(go[1], "x", 1), 1);
	for (int i = 0; i < CALLS; i++) {
		syscall(SYS_getppid);
		nap(100000);
	}
	waitpid((pid_t)first, &status, 0);
	assert_int_equal(status, 0);
	assert_int_equal(read(told[0], f.pids, sizeof(f.pids)), sizeof(f.pids));
	kernel_waits_settle(k, find_family, &f);
	kernel_waits_close(k);
	for (int i = 0; i < 2; i++) {
		close(go[i]);
		close(told[i]);
	}
	return f;
}

/* Each of the calls and naps of a process and its descendants, and of nobody else. */
static void only_the_chosen_are_summed(void **state)
{
	struct family waits = watch_family(KERNEL_WAITS), calls = watch_family(KERNEL_CALLS);

	(void)state;
	assert_int_equal(waits.strangers, 0);
	assert_int_equal(calls.strangers, 0);
	assert_int_equal(calls.calls, GENERATIONS * CALLS);
	/* A nap whose timer fires before the switch is no wait. */
	assert_true(waits.waits >= GENERATIONS * CALLS / 10 * 9);
}

#define TEST_CALLS(name) cmocka_unit_test_setup_teardown(name, open_calls, close_waits)
#define TEST(name) cmocka_unit_test_setup_teardown(name, open_waits, close_waits)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(each_wait_is_counted_once),
		TEST(a_long_wait_is_told_in_parts),
		TEST(a_held_cpu_puts_sums_off),
		TEST(a_held_cpu_loses_one_wait_at_the_end),
		TEST(a_busy_thread_has_few_stacks),
		TEST(many_threads_have_few_stacks),
		TEST(stacks_of_before_are_not_too_many),
		TEST(stacks_of_a_thread_that_alternates_are_of_both),
		TEST(it_can_stand_still),
		TEST(a_pause_tells_nothing_again),
		TEST(a_thread_that_ends_in_a_pause_leaves_its_place),
		TEST(a_thread_becomes_the_leader),
		TEST(a_stack_begins_behind_the_program),
		TEST_CALLS(each_call_is_counted_once),
		TEST_CALLS(a_call_without_room_is_lost),
		cmocka_unit_test(only_the_chosen_are_summed),
	};

	return unit_run_live(tests);
}
