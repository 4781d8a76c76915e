/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "perf/bpf/kernel-waits.h"

#include "base/i18n.h"

#ifdef HAVE_LIBBPF

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/hash.h"
#include "base/number-list.h"
#include "perf/bpf/bpf-machine.h"
#include "perf/bpf/told.h"
#include "perf/bpf/wait-layout.h"
#include "perf/bpf/waits-object.h" /* waits_object[] */
#include "perf/event/sysfile.h"

#define POSSIBLE_CPUS "/sys/devices/system/cpu/possible"
#define BATCH 1024u           /* stacks that are listed at once: at least a bucket of a map */
#define GATE_NS 50000000u     /* the program takes microseconds, unless a host takes its CPU */
#define HELD_GATE_NS 1000000u /* behind another CPU that is held */
#define END_NS 100000000u     /* so long the last settlement tries again */
#define SHARP_NS 100000u /* two tables are exchanged in less, unless this thread loses its CPU */
#define TORN_TRIES 3     /* for a thread that changes while it is read */
#define STACK_PERIOD 64  /* stacks are taken of one in so many of a busy thread; see level_set() */
#define STACKS_FREE 256u
#define LONG_NS 32768u
#define LEVELS 12           /* that STACK_PERIOD is doubled */
#define CALL_STACKS_HZ 4000 /* take half a percent of a CPU */
#define LEVEL_NS 200000000u /* stacks in less time tell no rate */
#define SUMS_SIZE (2 * WAIT_SUMS_MAX * sizeof(struct wait_slot))
#define SETS_SIZE (WAIT_SETS * sizeof(struct wait_set))
#define THREADS_SIZE (WAIT_THREADS_MAX * sizeof(struct wait_thread))
#define LINKS 10
#define OWN_FUNCTIONS 4 /* of on_switch(); clang makes one of them */

/* A stack that was read. */
struct kept_stack {
	struct wait_stack stack; /* without frames if the kernel does not have it any more */
	uint64_t used;           /* the round in which it was */
};

struct kernel_waits {
	struct bpf_object *object;
	struct bpf_link *links[LINKS];
	enum kernel_waits_part part;
	int stacks;
	/* Tables that are shared with the program. */
	struct wait_slot *sums; /* two */
	/* The one that takes no sums any more, until they are taken: a host may hold a CPU inside the program.  NULL: none. */
	struct wait_slot *untaken;
	struct wait_set *sets;
	struct wait_thread *threads;
	struct wait_control *control; /* shared with the program */
	struct wait_gate *gates;
	size_t cpus; /* the highest number + 1 */
	size_t gates_size;
	uint64_t code[OWN_FUNCTIONS]; /* where on_switch() is in the kernel's memory */
	uint32_t code_sizes[OWN_FUNCTIONS];
	uint64_t settled_ns; /* all that ended before is handed over, and what went on then */
	bool sharp;          /* no wait that ended behind settled_ns is handed over */
	uint64_t dropped;    /* waits in the hands of CPUs that were held at the end */
	struct told *told;
	struct map kept; /* struct kept_stack by its key, owned */
	uint64_t round;
	uint64_t stackless; /* of the program's count, when stacks were last listed */
	uint64_t *listed;   /* keys of stacks in the kernel; NULL: there is room */
	uint32_t listed_count;
	uint64_t gone;         /* stacks that could not be read */
	uint32_t stacks_hz;    /* so many are to be taken a second; 0: all */
	unsigned stack_level;  /* how often STACK_PERIOD was doubled */
	uint64_t stacks_taken; /* of the program's count, at levelled_ns */
	uint64_t levelled_ns;
	kernel_waits_receiver *receive;
	void *context;
};

/* ---- Loading. */

static int find_map(const struct kernel_waits *k, const char *name)
{
	return bpf_object__find_map_fd_by_name(k->object, name);
}

static void *share(int fd, size_t size)
{
	void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	return memory == MAP_FAILED ? NULL : memory;
}

static void unmap(void *memory, size_t size)
{
	if (memory)
		munmap(memory, size);
}

/* The programs of waits, and of calls; the others are there for who wakes, and when. */
static bool is_of(const char *program, enum kernel_waits_part part)
{
	static const struct {
		const char *program;
		enum kernel_waits_part part;
	} parts[] = {
		{ "on_switch", KERNEL_WAITS },      { "on_fork", KERNEL_WAITS },
		{ "on_exec", KERNEL_WAITS },        { "on_call", KERNEL_CALLS },
		{ "on_return", KERNEL_CALLS },      { "on_caller_fork", KERNEL_CALLS },
		{ "on_caller_exit", KERNEL_CALLS }, { "on_caller_exec", KERNEL_CALLS },
	};

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		if (!strcmp(program, parts[i].program))
			return (parts[i].part == KERNEL_CALLS) == (part == KERNEL_CALLS);
	}
	return part == KERNEL_WAKEUPS;
}

/* The numbers of CPUs may have gaps. */
static int count_cpus(struct kernel_waits *k)
{
	struct number_list possible;
	int err = sysfile_cpus(POSSIBLE_CPUS, &possible);

	if (err)
		return err;
	k->cpus = possible.items[possible.count - 1] + 1u;
	number_list_fini(&possible);
	return 0;
}

static int load(struct kernel_waits *k)
{
	struct bpf_map *gates = bpf_object__find_map_by_name(k->object, "gates");
	struct bpf_map *callers = bpf_object__find_map_by_name(k->object, "callers");
	struct bpf_program *p;
	int err = count_cpus(k);

	if (!gates || !callers || err)
		return err ? err : -EINVAL;
	bpf_map__set_max_entries(gates, (uint32_t)k->cpus);
	if (k->part != KERNEL_CALLS)
		bpf_map__set_max_entries(callers, 1);
	bpf_object__for_each_program(p, k->object)
		bpf_program__set_autoload(p, is_of(bpf_program__name(p), k->part));
	return bpf_object__load(k->object);
}

static int find_maps(struct kernel_waits *k)
{
	k->stacks = find_map(k, "stacks");
	k->gates_size = k->cpus * sizeof(*k->gates);
	k->control = share(find_map(k, "control"), sizeof(*k->control));
	k->gates = share(find_map(k, "gates"), k->gates_size);
	k->sums = share(find_map(k, "sums"), SUMS_SIZE);
	k->sets = share(find_map(k, "sets"), SETS_SIZE);
	k->threads = share(find_map(k, "threads"), THREADS_SIZE);
	return k->control && k->gates && k->sums && k->sets && k->threads ? 0 : -errno;
}

/*
 * Finds the code of on_switch(), with which each stack begins: under net.core.bpf_jit_harden it has no name.  Sizes stay 0 where
 * addresses are hidden, and for an interpreter, whose functions have names.
 */
static void find_code(struct kernel_waits *k)
{
	struct bpf_prog_info info = { .nr_jited_ksyms = OWN_FUNCTIONS,
				      .nr_jited_func_lens = OWN_FUNCTIONS,
				      .jited_ksyms = (uintptr_t)k->code,
				      .jited_func_lens = (uintptr_t)k->code_sizes };
	uint32_t size = sizeof(info);

	bpf_obj_get_info_by_fd(
		bpf_program__fd(bpf_object__find_program_by_name(k->object, "on_switch")), &info,
		&size);
}

static int attach(struct kernel_waits *k)
{
	struct bpf_program *p;
	size_t count = 0;

	bpf_object__for_each_program(p, k->object)
	{
		if (!bpf_program__autoload(p))
			continue;
		if (count == LINKS)
			return -E2BIG;
		k->links[count] = bpf_program__attach(p);
		if (!k->links[count++])
			return -errno;
	}
	return 0;
}

/* Before the programs are attached: they follow a thread that they have seen once. */
static int choose_targets(struct kernel_waits *k, const struct number_list *pids)
{
	size_t size = TARGET_SETS * sizeof(struct target_set);
	struct target_set *sets = pids ? share(find_map(k, "targets"), size) : NULL;

	if (!pids)
		return 0;
	if (!sets)
		return -errno;
	k->control->chosen = 1;
	for (size_t i = 0; i < pids->count; i++) {
		struct target_set *set = &sets[(uint32_t)pids->items[i] % TARGET_SETS];
		size_t way = 0;

		while (way < TARGET_WAYS && set->pids[way])
			way++;
		if (way < TARGET_WAYS)
			set->pids[way] = (uint32_t)pids->items[i];
		else
			k->control->chosen = 0;
	}
	unmap(sets, size);
	return 0;
}

static void level_set(struct kernel_waits *k, unsigned level)
{
	uint32_t period = k->stacks_hz ? (uint32_t)STACK_PERIOD << level : 0;

	k->stack_level = level;
	__atomic_store_n(&k->control->stacks_free, STACKS_FREE >> level, __ATOMIC_RELAXED);
	__atomic_store_n(&k->control->long_ns, (uint64_t)LONG_NS << level, __ATOMIC_RELAXED);
	__atomic_store_n(&k->control->stack_share, UINT32_MAX / (period ? period : 1),
			 __ATOMIC_RELAXED);
	__atomic_store_n(&k->control->stack_period, period, __ATOMIC_RELAXED);
}

static int begin(struct kernel_waits *k, const struct number_list *pids)
{
	int err;

	bpf_machine_hush();
	k->object = bpf_object__open_mem(waits_object, sizeof(waits_object), NULL);
	if (!k->object)
		return -errno;
	err = load(k);
	if (!err)
		err = find_maps(k);
	if (err)
		return err;
	find_code(k);
	err = choose_targets(k, pids);
	if (!err)
		err = attach(k);
	if (err)
		return err;
	k->stacks_hz = k->part == KERNEL_CALLS ? CALL_STACKS_HZ : 0;
	level_set(k, 0);
	kernel_waits_run(k, true);
	k->settled_ns = k->levelled_ns = k->control->started_ns;
	return 0;
}

struct kernel_waits *kernel_waits_open(enum kernel_waits_part part, const struct number_list *pids,
				       struct error *err)
{
	struct kernel_waits *k;
	int error;

	if (bpf_machine_suits(err))
		return NULL;
	k = mem_alloc(sizeof(*k));
	k->part = part;
	k->told = told_new();
	error = begin(k, pids);
	if (!error)
		return k;
	bpf_machine_refuse(err, error);
	kernel_waits_close(k);
	return NULL;
}

void kernel_waits_close(struct kernel_waits *k)
{
	if (!k)
		return;
	for (size_t i = 0; i < LINKS; i++)
		bpf_link__destroy(k->links[i]);
	unmap(k->control, sizeof(*k->control));
	unmap(k->gates, k->gates_size);
	unmap(k->sums, SUMS_SIZE);
	unmap(k->sets, SETS_SIZE);
	unmap(k->threads, THREADS_SIZE);
	bpf_object__close(k->object);
	told_free(k->told);
	map_fini_each(&k->kept, free);
	free(k->listed);
	free(k);
}

void kernel_waits_run(struct kernel_waits *k, bool run)
{
	/* The told parts stay: a sum that was not taken yet may be one of such a wait. */
	if (run)
		k->control->started_ns = clock_monotonic_ns(&clock_system);
	__atomic_store_n(&k->control->enabled, run, __ATOMIC_SEQ_CST);
}

/* ---- Stacks. */

static uint64_t count_stacks(const struct kernel_waits *k)
{
	uint64_t stacks = 0;

	for (size_t i = 0; i < k->cpus; i++)
		stacks += __atomic_load_n(&k->gates[i].stacks, __ATOMIC_RELAXED);
	return stacks;
}

/* Stacks from NOW_NS on are those of the next rate. */
static void rate_begin(struct kernel_waits *k, uint64_t now_ns)
{
	k->stacks_taken = count_stacks(k);
	k->levelled_ns = now_ns;
}

/* At NOW_NS: a busy machine has many threads, none of which is busy. */
static void level_follow(struct kernel_waits *k, uint64_t now_ns)
{
	uint64_t elapsed_ns = now_ns - k->levelled_ns;
	unsigned level = k->stack_level;
	double hz;

	if (!k->stacks_hz || now_ns < k->levelled_ns + LEVEL_NS)
		return;
	hz = (double)(count_stacks(k) - k->stacks_taken) * NS_PER_S / (double)elapsed_ns;
	for (; hz > k->stacks_hz && level < LEVELS; hz /= 2)
		level++;
	if (hz < k->stacks_hz / 4.0 && level == k->stack_level && level)
		level--;
	rate_begin(k, now_ns);
	level_set(k, level);
}

void kernel_waits_take_stacks(struct kernel_waits *k, uint32_t hz)
{
	bool begins = !k->stacks_hz && hz;

	k->stacks_hz = hz;
	level_set(k, begins ? 0 : k->stack_level);
	/* Until now each wait had its stack, which tells no rate of what is taken from now on. */
	if (begins)
		rate_begin(k, clock_monotonic_ns(&clock_system));
}

uint32_t kernel_waits_stack_period(const struct kernel_waits *k)
{
	return k->control->stack_period;
}

void kernel_waits_call_stacks(struct kernel_waits *k, bool stacks)
{
	__atomic_store_n(&k->control->call_stacks, stacks, __ATOMIC_RELAXED);
}

void kernel_waits_await_exec(struct kernel_waits *k, uint32_t pid)
{
	__atomic_store_n(&k->control->awaited, pid, __ATOMIC_SEQ_CST);
}

static bool is_own(const struct kernel_waits *k, uint64_t address)
{
	for (size_t i = 0; i < OWN_FUNCTIONS; i++) {
		if (address - k->code[i] < k->code_sizes[i])
			return true;
	}
	return false;
}

/* The innermost frames are the program's own. */
static void drop_own(const struct kernel_waits *k, struct wait_stack *s)
{
	uint32_t own = 0;

	while (own < s->kernel && is_own(k, s->frames[own]))
		own++;
	s->kernel -= own;
	memmove(s->frames, s->frames + own, (s->kernel + s->user) * sizeof(*s->frames));
}

/* Sets S, which has no frames, to the stack with KEY; it keeps none if the kernel does not have it any more. */
static void read_stack(struct kernel_waits *k, uint64_t key, struct wait_stack *s)
{
	if (bpf_map_lookup_elem(k->stacks, &key, s) || s->kernel > WAIT_KERNEL_FRAMES ||
	    s->user > WAIT_USER_FRAMES) {
		s->kernel = s->user = 0;
		k->gone++;
	}
	drop_own(k, s);
}

/* Returns the stack with KEY.  One that was gone is looked for again in each round: a later wait brings it back. */
static struct kept_stack *keep_stack(struct kernel_waits *k, uint64_t key)
{
	struct kept_stack *s = map_find(&k->kept, key);

	if (!s) {
		s = mem_alloc(sizeof(*s));
		map_put(&k->kept, key, s);
	}
	if (s->used != k->round && !s->stack.kernel && !s->stack.user)
		read_stack(k, key, &s->stack);
	s->used = k->round;
	return s;
}

static void find_stack(struct kernel_waits *k, uint64_t key, struct kernel_wait *w)
{
	struct kept_stack *s;

	if (!key)
		return;
	s = keep_stack(k, key);
	w->kernel_stack = s->stack.frames;
	w->kernel_frames = s->stack.kernel;
	w->user_stack = s->stack.frames + s->stack.kernel;
	w->user_frames = s->stack.user;
}

/*
 * Lists the keys of all stacks, if some found no room since the last time.  Call before tables are exchanged: each of these
 * stacks is then one of a wait that is taken before the list is used, or of none.
 */
static void list_stacks(struct kernel_waits *k)
{
	uint64_t stackless = k->control->stackless;
	struct wait_stack *stacks;
	uint32_t place, count;
	void *from = NULL;
	int err;

	if (k->listed || stackless == k->stackless)
		return;
	k->stackless = stackless;
	k->listed = mem_array(WAIT_STACKS_MAX, sizeof(*k->listed));
	stacks = mem_array(BATCH, sizeof(*stacks));
	do {
		count = WAIT_STACKS_MAX - k->listed_count;
		if (count > BATCH)
			count = BATCH;
		err = bpf_map_lookup_batch(k->stacks, from, &place, k->listed + k->listed_count,
					   stacks, &count, NULL);
		if (!err || err == -ENOENT)
			k->listed_count += count;
		from = &place;
	} while (!err && k->listed_count < WAIT_STACKS_MAX);
	free(stacks);
}

/* Forgets listed stacks that no wait ever had: its sum found no room, or nobody was to know of it. */
static void forget_listed(struct kernel_waits *k)
{
	for (uint32_t i = 0; i < k->listed_count; i++) {
		if (!map_find(&k->kept, k->listed[i]))
			bpf_map_delete_elem(k->stacks, &k->listed[i]);
	}
	free(k->listed);
	k->listed = NULL;
	k->listed_count = 0;
}

/* Forgets stacks that no wait of this interval had. */
static void forget_unused(struct kernel_waits *k)
{
	uint64_t *gone = mem_array(k->kept.count, sizeof(*gone));
	size_t count = 0;

	for (size_t i = 0; i < k->kept.capacity; i++) {
		const struct kept_stack *s = k->kept.slots[i].value;

		if (s && s->used < k->round)
			gone[count++] = k->kept.slots[i].key;
	}
	for (size_t i = 0; i < count; i++) {
		bpf_map_delete_elem(k->stacks, &gone[i]);
		free(map_remove(&k->kept, gone[i]));
	}
	free(gone);
}

/* Makes room for stacks. */
static void forget_stacks(struct kernel_waits *k)
{
	if (!k->listed && k->kept.count < WAIT_STACKS_MAX / 2)
		return;
	forget_listed(k);
	forget_unused(k);
}

/* ---- Taking. */

static void hand_over(struct kernel_waits *k, struct kernel_wait *w, uint64_t stack)
{
	find_stack(k, stack, w);
	k->receive(k->context, w);
}

static void take_sum(struct kernel_waits *k, const struct wait_key *key, struct wait_sum *sum)
{
	bool call = k->part == KERNEL_CALLS;
	struct kernel_wait w = {
		.pid = key->pid,
		.tid = key->tid,
		.kind = (enum kernel_wait_kind)key->kind,
		.count = sum->count,
		.longest_ns = sum->longest_ns,
		.longest_delay_ns = sum->longest_delay_ns,
		.end_ns = sum->end_ns,
		.ready = !call && key->delay_bucket,
		.waker = call ? 0 : key->waker,
		.woken_in = call ? 0 : key->woken_in,
		.number = call ? key->number : 0,
		.error = call ? key->error : 0,
	};

	told_take(k->told, key, sum);
	w.ns = sum->ns;
	w.delay_ns = sum->delay_ns;
	hand_over(k, &w, key->stack);
}

/* TABLE, to which no CPU adds any more; its places are free again. */
static void take_sums(struct kernel_waits *k, struct wait_slot *table)
{
	for (size_t i = 0; i < WAIT_SUMS_MAX; i++) {
		struct wait_slot slot = table[i];

		if (!slot.key.tid)
			continue;
		table[i] = (struct wait_slot){ 0 };
		if (slot.sum.count) /* 0: a CPU is held between the key and the sum */
			take_sum(k, &slot.key, &slot.sum);
	}
}

/*
 * Copies the state of thread TID, at PLACE, to T.  Returns false if the thread is not there any more, or changes all the time.
 */
static bool copy_thread(const struct kernel_waits *k, size_t place, uint32_t tid,
			struct wait_thread *t)
{
	const uint32_t *owner = &k->sets[place / WAIT_WAYS].tids[place % WAIT_WAYS];
	const struct wait_thread *from = &k->threads[place];

	for (int tries = 0; tries < TORN_TRIES; tries++) {
		uint64_t done = __atomic_load_n(&from->done, __ATOMIC_ACQUIRE);

		*t = *from;
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
		if (__atomic_load_n(&from->begun, __ATOMIC_RELAXED) == done)
			return __atomic_load_n(owner, __ATOMIC_RELAXED) == tid;
	}
	return false;
}

static void take_thread(struct kernel_waits *k, uint32_t tid, const struct wait_thread *t,
			uint64_t until_ns)
{
	bool call = k->part == KERNEL_CALLS;
	struct wait_sum one;
	struct kernel_wait w;

	if (t->kind == WAIT_NONE || t->kind == WAIT_BORN || t->since_ns < k->control->started_ns)
		return;
	if (!told_add(k->told, tid, t, until_ns, &one))
		return;
	w = (struct kernel_wait){ .pid = t->pid,
				  .tid = tid,
				  .kind = (enum kernel_wait_kind)t->kind,
				  .ns = one.ns,
				  .delay_ns = one.delay_ns,
				  .longest_ns = one.longest_ns,
				  .longest_delay_ns = one.longest_delay_ns,
				  .end_ns = until_ns,
				  .ready = t->ready_ns,
				  .waker = t->waker,
				  .woken_in = t->woken_in };
	if (call)
		w.number = t->number;
	hand_over(k, &w, t->stack);
}

static void take_threads(struct kernel_waits *k, uint64_t until_ns)
{
	for (size_t place = 0; place < WAIT_THREADS_MAX; place++) {
		uint32_t tid = __atomic_load_n(&k->sets[place / WAIT_WAYS].tids[place % WAIT_WAYS],
					       __ATOMIC_ACQUIRE);
		struct wait_thread t;

		if (tid && copy_thread(k, place, tid, &t))
			take_thread(k, tid, &t, until_ns);
	}
}

/* Returns true if the program that was inside on this CPU has left it, after PATIENCE_NS at most. */
static bool await_gate(const struct wait_gate *gate, uint64_t patience_ns)
{
	uint64_t entered = __atomic_load_n(&gate->entered, __ATOMIC_SEQ_CST);
	uint64_t began_ns = clock_monotonic_ns(&clock_system), now_ns = began_ns;

	/* The clock is read before the gate: this thread may be kept off its CPU meanwhile, and the program is not. */
	while (__atomic_load_n(&gate->left, __ATOMIC_SEQ_CST) < entered) {
		if (now_ns - began_ns >= patience_ns)
			return false;
		sched_yield();
		now_ns = clock_monotonic_ns(&clock_system);
	}
	return true;
}

/* Returns the number of CPUs that a host holds inside the program. */
static uint64_t await_gates(const struct kernel_waits *k)
{
	uint64_t held = 0;

	for (size_t i = 0; i < k->cpus; i++)
		held += !await_gate(&k->gates[i], held ? HELD_GATE_NS : GATE_NS);
	return held;
}

/* Sums go into the other table from now on, and the previous one is untaken.  Returns when. */
static uint64_t exchange(struct kernel_waits *k)
{
	uint32_t before = k->control->active;
	uint64_t now_ns = clock_monotonic_ns(&clock_system);

	__atomic_store_n(&k->control->told_ns, now_ns, __ATOMIC_SEQ_CST);
	__atomic_store_n(&k->control->active, !before, __ATOMIC_SEQ_CST);
	k->untaken = k->sums + before * WAIT_SUMS_MAX;
	k->sharp = clock_monotonic_ns(&clock_system) - now_ns < SHARP_NS;
	return now_ns;
}

/* Returns false if a host holds a CPU inside the program: that CPU may still add to the untaken table. */
static bool take_untaken(struct kernel_waits *k)
{
	if (!k->untaken)
		return true;
	if (await_gates(k))
		return false;
	take_sums(k, k->untaken);
	k->untaken = NULL;
	return true;
}

/* The told part of a wait and its stack are forgotten only when its sum is taken: not while a table is untaken. */
uint64_t kernel_waits_settle(struct kernel_waits *k, kernel_waits_receiver *receive, void *context)
{
	uint64_t now_ns;

	k->receive = receive;
	k->context = context;
	k->round++;
	if (!take_untaken(k))
		return k->settled_ns;
	list_stacks(k);
	now_ns = exchange(k);
	if (!take_untaken(k))
		return k->settled_ns;
	take_threads(k, now_ns);
	told_next(k->told);
	forget_stacks(k);
	level_follow(k, now_ns);
	k->settled_ns = now_ns;
	return now_ns;
}

/*
 * Takes both tables although a host holds CPUs inside the program.  A wait is in the hands of each: it is in no table, in a part
 * of a sum, or in one.  It counts as lost.  Nothing is summed any more, so each CPU has no more than one.
 */
static void take_held(struct kernel_waits *k)
{
	kernel_waits_run(k, false);
	k->settled_ns = clock_monotonic_ns(&clock_system);
	k->dropped += await_gates(k);
	take_sums(k, k->sums);
	take_sums(k, k->sums + WAIT_SUMS_MAX);
	k->untaken = NULL;
	take_threads(k, k->settled_ns);
}

uint64_t kernel_waits_end(struct kernel_waits *k, kernel_waits_receiver *receive, void *context)
{
	uint64_t began_ns = clock_monotonic_ns(&clock_system);

	do {
		kernel_waits_settle(k, receive, context);
	} while ((k->untaken || !k->sharp) &&
		 clock_monotonic_ns(&clock_system) - began_ns < END_NS);
	if (k->untaken)
		take_held(k);
	return k->settled_ns;
}

struct kernel_waits_stats kernel_waits_statistics(const struct kernel_waits *k)
{
	const struct wait_control *c = k->control;

	return (struct kernel_waits_stats){ .lost = c->lost + k->dropped,
					    .misfits = c->misfits,
					    .unfollowed = c->unfollowed,
					    .stackless = c->stackless + k->gone,
					    .stacks = count_stacks(k) };
}

#else

struct kernel_waits *kernel_waits_open(enum kernel_waits_part part, const struct number_list *pids,
				       struct error *err)
{
	(void)part;
	(void)pids;
	error_set(err, "%s", _("this ptop was built without libbpf"));
	return NULL;
}

void kernel_waits_close(struct kernel_waits *k)
{
	(void)k;
}

void kernel_waits_run(struct kernel_waits *k, bool run)
{
	(void)k;
	(void)run;
}

void kernel_waits_take_stacks(struct kernel_waits *k, uint32_t hz)
{
	(void)k;
	(void)hz;
}

uint32_t kernel_waits_stack_period(const struct kernel_waits *k)
{
	(void)k;
	return 0;
}

void kernel_waits_call_stacks(struct kernel_waits *k, bool stacks)
{
	(void)k;
	(void)stacks;
}

void kernel_waits_await_exec(struct kernel_waits *k, uint32_t pid)
{
	(void)k;
	(void)pid;
}

uint64_t kernel_waits_settle(struct kernel_waits *k, kernel_waits_receiver *receive, void *context)
{
	(void)k;
	(void)receive;
	(void)context;
	return 0;
}

uint64_t kernel_waits_end(struct kernel_waits *k, kernel_waits_receiver *receive, void *context)
{
	(void)k;
	(void)receive;
	(void)context;
	return 0;
}

struct kernel_waits_stats kernel_waits_statistics(const struct kernel_waits *k)
{
	(void)k;
	return (struct kernel_waits_stats){ 0 };
}

#endif
