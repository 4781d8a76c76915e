/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * Sums the waits of threads in the kernel; kernel-waits.h is the manual.  clang compiles it for the kernel's virtual
 * machine.
 *
 * A program runs on its CPU with interrupts off, and a thread gives up a CPU, is woken or gets a CPU at one place at a
 * time.  So nobody else changes the thread's state meanwhile, and as a key has the thread in it, nor its sums.
 */
#include "perf/bpf/core-types.h"
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "perf/bpf/wait-layout.h"

#define TASK_DEAD 0x80                      /* include/linux/sched.h */
enum { IN_TASK, IN_SOFTIRQ, IN_INTERRUPT }; /* enum trace_context */

char _license[] SEC("license") = "GPL";

/*
 * Two tables of sums, one behind the other.  These and the threads are tables of the program's own, in arrays.  A wait is
 * looked up three times, and each lookup in a hash map of the kernel's is some calls.
 */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 2 * WAIT_SUMS_MAX);
	__type(key, uint32_t);
	__type(value, struct wait_slot);
} sums SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, WAIT_SETS);
	__type(key, uint32_t);
	__type(value, struct wait_set);
} sets SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, WAIT_THREADS_MAX);
	__type(key, uint32_t);
	__type(value, struct wait_thread);
} threads SEC(".maps");

/* Processes that are followed, if not all are. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, TARGET_SETS);
	__type(key, uint32_t);
	__type(value, struct target_set);
} targets SEC(".maps");

/* Threads that call have this besides, at the same places. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, WAIT_THREADS_MAX);
	__type(key, uint32_t);
	__type(value, struct call_stacks);
} callers SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, WAIT_STACKS_MAX);
	__type(key, uint64_t);
	__type(value, struct wait_stack);
} stacks SEC(".maps");

/* Where a CPU puts a stack together. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, uint32_t);
	__type(value, struct wait_stack);
} scratch SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, uint32_t);
	__type(value, struct wait_control);
} control SEC(".maps");

/* By number of a CPU, as many as there can be: set before it is loaded. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, uint32_t);
	__type(value, struct wait_gate);
} gates SEC(".maps");

/* x86 keeps stores in order, and a barrier costs as much as a lookup.  Others need barriers.  Known when the program is loaded. */
static __always_inline bool stores_in_order(void)
{
	return bpf_core_field_exists(((const struct pt_regs___x86 *)0)->orig_ax);
}

/*
 * Adds one to COUNT, and is a full barrier.  The compiler leaves out the barrier where nobody wants the value from before.
 */
static __always_inline void count_in_order(uint64_t *count)
{
	uint64_t before = __sync_fetch_and_add(count, 1);

	asm volatile("" ::"r"(before));
}

static __always_inline struct wait_gate *gate_get(void)
{
	uint32_t cpu = bpf_get_smp_processor_id();

	return bpf_map_lookup_elem(&gates, &cpu);
}

/* Returns false if this CPU has no GATE, which is counted; else gate_leave() follows. */
static __always_inline bool gate_enter(struct wait_control *c, struct wait_gate *gate)
{
	/* A change that ptop makes after it has seen the gate closed is seen here. */
	if (gate)
		count_in_order(&gate->entered);
	else
		__sync_fetch_and_add(&c->lost, 1);
	return gate;
}

/* Where stores are in order: who sees VALUE sees all that was written before, and none of what follows. */
static __always_inline void store_own(uint64_t *to, uint64_t value)
{
	barrier();
	*(volatile uint64_t *)to = value;
	barrier();
}

/* As count_in_order(), of a COUNT that one CPU changes. */
static __always_inline void count_own(uint64_t *count)
{
	if (stores_in_order())
		store_own(count, *count + 1);
	else
		count_in_order(count);
}

static __always_inline void gate_leave(struct wait_gate *gate)
{
	count_own(&gate->left);
}

static __always_inline struct wait_control *control_get(void)
{
	uint32_t first = 0;

	return bpf_map_lookup_elem(&control, &first);
}

/*
 * Most lengths are below 4 s, and those of one place on one side of 65 us, which a CPU guesses right.  The rest has no
 * branches, as it would guess half of them wrong.  Without the barrier the compiler makes two of each branch.
 */
static __always_inline uint8_t bucket_of(uint64_t ns)
{
	uint64_t bucket = 0, shift;

	for (int half = 32; half >= 16; half /= 2) {
		if (ns >> half) {
			ns >>= half;
			bucket += half;
		}
	}
	asm volatile("" : "+r"(ns), "+r"(bucket));
	for (int bits = 3; bits >= 2; bits--) { /* 8, then 4 */
		shift = ((1ull << (1 << bits)) - 1 - ns) >> 63 << bits;
		ns >>= shift;
		bucket += shift;
	}
	return (uint8_t)(bucket + (0x3333333322221100ull >> ns * 4 & 3)); /* of 0 to 15 */
}

/* CPUs may differ by some nanoseconds in what they read from the clock. */
static __always_inline uint64_t elapsed_ns(uint64_t since_ns, uint64_t now_ns)
{
	return now_ns > since_ns ? now_ns - since_ns : 0;
}

static __always_inline void thread_begin(struct wait_thread *t)
{
	count_own(&t->begun);
}

/* Where two CPUs changed one place at once, it is whole again after the next change. */
static __always_inline void thread_done(struct wait_thread *t)
{
	if (stores_in_order())
		store_own(&t->done, t->begun);
	else
		count_in_order(&t->done);
}

/* One member changes, and so a copy is whole before and behind it. */
static __always_inline void thread_runs(struct wait_thread *t)
{
	*(volatile uint8_t *)&t->kind = WAIT_NONE;
}

#define NO_PLACE WAIT_THREADS_MAX

/* The place of thread TID, a number of a table of threads; NO_PLACE: it has none. */
static __always_inline uint32_t place_find(uint32_t tid)
{
	uint32_t number = tid % WAIT_SETS;
	const struct wait_set *set = bpf_map_lookup_elem(&sets, &number);

	for (uint32_t i = 0; set && i < WAIT_WAYS; i++) {
		if (set->tids[i] == tid)
			return number * WAIT_WAYS + i;
	}
	return NO_PLACE;
}

/* The same; takes one if it has none.  NO_PLACE: there is none, which is counted. */
static __noinline uint32_t place_take(struct wait_control *c, uint32_t tid)
{
	uint32_t number = tid % WAIT_SETS, place = place_find(tid);
	struct wait_set *set = bpf_map_lookup_elem(&sets, &number);

	if (place != NO_PLACE || !set)
		return place;
	for (uint32_t i = 0; i < WAIT_WAYS; i++) {
		if (!set->tids[i] && !__sync_val_compare_and_swap(&set->tids[i], 0, tid))
			return number * WAIT_WAYS + i;
	}
	__sync_fetch_and_add(&c->unfollowed, 1);
	return NO_PLACE;
}

/* The thread at PLACE is gone.  Its state is, too. */
static __always_inline void place_free(uint32_t place)
{
	uint32_t number = place / WAIT_WAYS;
	struct wait_set *set = bpf_map_lookup_elem(&sets, &number);

	/* In this order for all who see the place free. */
	if (set)
		__sync_lock_test_and_set(&set->tids[place % WAIT_WAYS], 0);
}

static __always_inline struct target_set *targets_of(uint32_t pid)
{
	uint32_t number = pid % TARGET_SETS;

	return bpf_map_lookup_elem(&targets, &number);
}

/*
 * Returns true if process PID is followed.  A thread that has a place is, too, so ask only if it has none: its process may have
 * been removed, and it ends.
 */
static __always_inline bool is_target(const struct wait_control *c, uint32_t pid)
{
	const struct target_set *set;

	if (!c->chosen)
		return true;
	set = targets_of(pid);
	for (uint32_t i = 0; set && i < TARGET_WAYS; i++) {
		if (set->pids[i] == pid)
			return true;
	}
	return false;
}

/* If there is no room, all are followed from now on: whoever takes the sums leaves out what nobody asked for. */
static __always_inline void target_add(struct wait_control *c, uint32_t pid)
{
	struct target_set *set = targets_of(pid);

	for (uint32_t i = 0; set && i < TARGET_WAYS; i++) {
		if (set->pids[i] == pid || !__sync_val_compare_and_swap(&set->pids[i], 0, pid))
			return;
	}
	c->chosen = 0;
}

/* A followed process starts TASK. */
static __always_inline void target_fork(struct wait_control *c, const struct task_struct *task)
{
	if (c->chosen && task->pid == task->tgid)
		target_add(c, task->tgid);
}

/* TASK ends.  Its number is free when all threads of its process do. */
static __always_inline void target_end(const struct wait_control *c, struct task_struct *task)
{
	uint32_t pid = task->tgid;
	struct target_set *set;

	if (!c->chosen || task->signal->live.counter)
		return;
	set = targets_of(pid);
	for (uint32_t i = 0; set && i < TARGET_WAYS; i++)
		__sync_val_compare_and_swap(&set->pids[i], pid, 0);
}

static __always_inline struct wait_thread *thread_at(uint32_t place)
{
	return bpf_map_lookup_elem(&threads, &place);
}

/* NULL: it has no place, or TID is 0, the idle task's. */
static __always_inline struct wait_thread *thread_find(uint32_t tid)
{
	return tid ? thread_at(place_find(tid)) : NULL;
}

static __always_inline struct wait_thread *thread_add(struct wait_control *c, uint32_t tid)
{
	return thread_at(place_take(c, tid));
}

static __always_inline void thread_clear(struct wait_thread *t, uint8_t kind)
{
	thread_begin(t);
	t->since_ns = t->ready_ns = t->stack = 0;
	t->pid = t->waker = t->waits = 0;
	t->kind = kind;
	t->woken_in = 0;
	thread_done(t);
}

static __always_inline void thread_remove(uint32_t tid)
{
	uint32_t place = place_find(tid);
	struct wait_thread *t = thread_at(place);

	if (!t)
		return;
	thread_clear(t, WAIT_NONE);
	place_free(place);
}

static __always_inline void sum_grow(struct wait_sum *sum, const struct wait_sum *one)
{
	sum->count += 1;
	sum->ns += one->ns;
	sum->delay_ns += one->delay_ns;
	if (one->ns > sum->longest_ns)
		sum->longest_ns = one->ns;
	if (one->delay_ns > sum->longest_delay_ns)
		sum->longest_delay_ns = one->delay_ns;
	sum->end_ns = one->end_ns;
}

/* A key as words: compared, and put together, in registers. */
struct key_words {
	uint64_t w[sizeof(struct wait_key) / sizeof(uint64_t)];
};

/* The first place of a key in a table: the highest bits of a sum of products, none of which waits for another one. */
static __always_inline uint32_t key_place(const struct key_words *k)
{
	return (k->w[0] * 0x9e3779b97f4a7c15ull + k->w[1] * 0xc2b2ae3d27d4eb4full +
		k->w[2] * 0x165667b19e3779f9ull + k->w[3] * 0xd6e8feb86659fd93ull) >>
	       (64 - WAIT_SUMS_LOG);
}

static __always_inline bool slot_has(const struct wait_slot *slot, const struct key_words *k)
{
	const struct key_words *has = (const void *)&slot->key;

	return has->w[0] == k->w[0] && has->w[1] == k->w[1] && has->w[2] == k->w[2] &&
	       has->w[3] == k->w[3];
}

/*
 * Takes SLOT for K if it is free.  Another CPU may take it first, for a key of another thread.  That key cannot be taken for
 * K while it is written: its thread is there first.
 */
static __always_inline bool slot_take(struct wait_slot *slot, const struct key_words *k)
{
	if (slot->key.tid || __sync_val_compare_and_swap(&slot->key.tid, 0, (uint32_t)k->w[0]))
		return false;
	*(struct key_words *)&slot->key = *k;
	return true;
}

/* Returns the place of the key W0 to W3 in the table that begins at BASE, taken if it had none; NULL: there is no room. */
static __noinline struct wait_slot *slot_seek(uint64_t w0, uint64_t w1, uint64_t w2, uint64_t w3,
					      uint32_t base)
{
	const struct key_words k = { { w0, w1, w2, w3 } };
	uint32_t place = key_place(&k);

	for (uint32_t i = 0; i < WAIT_SUMS_PROBES; i++) {
		uint32_t at = base + place;
		struct wait_slot *slot = bpf_map_lookup_elem(&sums, &at);

		if (!slot)
			return NULL;
		if (slot_has(slot, &k) || slot_take(slot, &k))
			return slot;
		place = (place + i + 1) % WAIT_SUMS_MAX;
	}
	return NULL;
}

/* The same.  Mostly it is the first place that is tried, and a call costs more than that. */
static __always_inline struct wait_slot *slot_find(const struct key_words *k, uint32_t base)
{
	uint32_t at = base + key_place(k);
	struct wait_slot *slot = bpf_map_lookup_elem(&sums, &at);

	if (slot && slot_has(slot, k))
		return slot;
	return slot_seek(k->w[0], k->w[1], k->w[2], k->w[3], base);
}

static __always_inline void wait_add(struct wait_control *c, const struct wait_key *key,
				     const struct wait_sum *one)
{
	struct wait_slot *slot;
	struct key_words k;

	__builtin_memcpy(&k, key, sizeof(k));
	slot = slot_find(&k, c->active ? WAIT_SUMS_MAX : 0);
	if (slot)
		sum_grow(&slot->sum, one);
	else
		__sync_fetch_and_add(&c->lost, 1);
}

/* The time since the start in which it is not known what the thread did.  A function of its own, as it is rare. */
static __noinline void unknown_add(struct wait_control *c, uint32_t tid, uint32_t pid, uint64_t now)
{
	struct wait_key key = { .tid = tid, .pid = pid, .kind = WAIT_UNKNOWN };
	struct wait_sum one = { .count = 1, .ns = elapsed_ns(c->started_ns, now), .end_ns = now };

	one.longest_ns = one.ns;
	wait_add(c, &key, &one);
}

static __always_inline void wait_end(struct wait_control *c, struct wait_thread *t, uint32_t tid,
				     uint64_t now)
{
	struct wait_key key = {
		.tid = tid,
		.pid = t->pid,
		.stack = t->stack,
		.since_ns = t->since_ns < c->told_ns ? t->since_ns : 0,
		.waker = t->waker,
		.kind = t->kind,
		.woken_in = t->woken_in,
	};
	struct wait_sum one = { .count = 1, .ns = elapsed_ns(t->since_ns, now), .end_ns = now };

	if (t->ready_ns) {
		one.delay_ns = elapsed_ns(t->ready_ns, now);
		key.delay_bucket = bucket_of(one.delay_ns) + 1;
	}
	key.bucket = bucket_of(one.ns);
	one.longest_ns = one.ns;
	one.longest_delay_ns = one.delay_ns;
	wait_add(c, &key, &one);
}

/* TASK, whose state is T, NULL: it has none, gets a CPU. */
static __always_inline void take_in(struct wait_control *c, struct task_struct *task,
				    struct wait_thread *t, uint64_t now)
{
	uint32_t tid = task->pid;

	if (!t) {
		if (tid && is_target(c, task->tgid) && thread_add(c, tid))
			unknown_add(c, tid, task->tgid, now);
		return;
	}
	if (t->kind == WAIT_NONE)
		return;
	if (t->since_ns >= c->started_ns)
		wait_end(c, t, tid, now);
	thread_runs(t);
}

static __always_inline uint64_t hash_add(uint64_t hash, uint64_t word)
{
	hash = (hash ^ word) * 0x9e3779b97f4a7c15ull;
	return hash ^ hash >> 32;
}

static __always_inline uint64_t stack_hash(const struct wait_stack *s)
{
	uint32_t count = s->kernel + s->user;
	uint64_t hash = hash_add(s->kernel, s->user);

	for (uint32_t i = 0; i < WAIT_FRAMES && i < count; i++)
		hash = hash_add(hash, s->frames[i]);
	return hash ? hash : 1;
}

static __always_inline uint32_t frames_of(long bytes)
{
	return bytes > 0 ? (uint32_t)bytes / sizeof(uint64_t) : 0;
}

/* Keeps S.  Returns its key; 0: there is no room for it. */
static __always_inline uint64_t stack_keep(struct wait_control *c, const struct wait_stack *s)
{
	uint64_t key = stack_hash(s);

	if (bpf_map_lookup_elem(&stacks, &key) ||
	    !bpf_map_update_elem(&stacks, &key, s, BPF_NOEXIST))
		return key;
	if (bpf_map_lookup_elem(&stacks, &key)) /* another CPU was first */
		return key;
	__sync_fetch_and_add(&c->stackless, 1);
	return 0;
}

/* Returns the key of the current task's stack; 0: there is none, or no room for it. */
static __always_inline uint64_t stack_of(void *context, struct wait_control *c,
					 struct wait_gate *gate)
{
	uint32_t first = 0;
	struct wait_stack *s = bpf_map_lookup_elem(&scratch, &first);
	uint32_t kernel;

	if (!s)
		return 0;
	gate->stacks++;
	kernel = frames_of(
		bpf_get_stack(context, s->frames, WAIT_KERNEL_FRAMES * sizeof(uint64_t), 0));
	if (kernel > WAIT_KERNEL_FRAMES)
		return 0;
	s->kernel = kernel;
	s->user = frames_of(bpf_get_stack(context, s->frames + kernel,
					  WAIT_USER_FRAMES * sizeof(uint64_t), BPF_F_USER_STACK));
	return stack_keep(c, s);
}

/*
 * Most of the time of a switch is its stack's: a budget may leave out those of threads that switch very often.  Multiples of the
 * golden ratio choose, which are spread evenly.  Every N-th wait would always be in one place of a thread that alternates.
 */
static __always_inline bool wants_stack(const struct wait_control *c, const struct wait_thread *t)
{
	return !c->stack_period || t->waits <= c->stacks_free ||
	       t->waits * 0x9e3779b1u <= c->stack_share;
}

/*
 * The kernel left out the switch by which T came: that was after the last one which it told of this CPU.  The wait is
 * counted, and its end is estimated.
 */
static __noinline void wait_end_unseen(struct wait_control *c, struct wait_thread *t, uint32_t tid,
				       uint64_t last)
{
	uint64_t end = last > t->since_ns ? last : t->since_ns;

	__sync_fetch_and_add(&c->misfits, 1);
	wait_end(c, t, tid, end > t->ready_ns ? end : t->ready_ns);
}

/* The state of TASK, which is to give up its CPU: T if it has one.  NULL: it is not followed. */
static __always_inline struct wait_thread *
thread_follow(struct wait_control *c, struct task_struct *task, struct wait_thread *t, uint64_t now)
{
	if (t)
		return t;
	t = is_target(c, task->tgid) ? thread_add(c, task->pid) : NULL;
	if (t)
		unknown_add(c, task->pid, task->tgid, now);
	return t;
}

/*
 * TASK, the current one, whose state is T, gives up the CPU of GATE.  Its kind is set behind all others: it may be woken meanwhile.
 */
static __always_inline void take_out(void *context, struct wait_control *c, struct wait_gate *gate,
				     struct task_struct *task, struct wait_thread *t,
				     bool preempted, uint64_t now)
{
	if (t->kind != WAIT_NONE && t->since_ns >= c->started_ns)
		wait_end_unseen(c, t, task->pid, gate->last_ns);
	thread_begin(t);
	t->waits = t->since_ns < c->told_ns ? 1 : t->waits + 1;
	t->stack = wants_stack(c, t) ? stack_of(context, c, gate) : 0;
	t->since_ns = now;
	t->ready_ns = preempted ? now : 0;
	t->pid = task->tgid;
	t->waker = 0;
	t->woken_in = 0;
	barrier();
	t->kind = preempted ? WAIT_PREEMPTED : WAIT_BLOCKED;
	thread_done(t);
}

/* A leader that ends for another thread's execve(2) leaves its number, and so its entry, to that thread. */
static __always_inline bool leaves_entry(struct task_struct *task)
{
	return task->pid == task->tgid && task->signal->group_exec_task;
}

static __always_inline void task_end(const struct wait_control *c, struct task_struct *task)
{
	if (!leaves_entry(task))
		thread_remove(task->pid);
	target_end(c, task);
}

SEC("tp_btf/sched_switch")
int BPF_PROG(on_switch, bool preempt, struct task_struct *prev, struct task_struct *next,
	     unsigned int state)
{
	struct wait_control *c = control_get();
	struct wait_gate *gate = gate_get();
	bool ends = state & TASK_DEAD && !preempt;
	struct wait_thread *out, *in;
	uint64_t now;

	if (!c)
		return 0;
	/* Also during a pause: its number may be another one's behind it. */
	if (ends)
		task_end(c, prev);
	if (gate)
		gate->interrupts = gate->softirqs = 0;
	if (!c->enabled)
		return 0;
	out = ends ? NULL : thread_find(prev->pid);
	in = thread_find(next->pid);
	if (c->chosen && !out && !in && !is_target(c, prev->tgid) && !is_target(c, next->tgid))
		return 0;
	if (!gate_enter(c, gate))
		return 0;
	now = bpf_ktime_get_ns();
	if (prev->pid && !ends)
		out = thread_follow(c, prev, out, now);
	if (out)
		take_out(ctx, c, gate, prev, out, preempt || !state, now);
	take_in(c, next, in, now);
	gate->last_ns = now;
	gate_leave(gate);
	return 0;
}

/*
 * Where this CPU is, as enum trace_context has it.  Its preempt_count() would tell, but a program finds that only in
 * kernels with CONFIG_KALLSYMS_ALL.
 */
static __always_inline uint8_t context_at(const struct wait_gate *gate)
{
	if (gate->interrupts)
		return IN_INTERRUPT;
	return gate->softirqs ? IN_SOFTIRQ : IN_TASK;
}

/* Neither nests in its own kind.  The kernel leaves out a few calls of programs, so on_switch() forgets both. */
static __always_inline int context_change(bool interrupt, int32_t serves)
{
	struct wait_gate *gate = gate_get();

	if (!gate)
		return 0;
	if (interrupt)
		gate->interrupts = serves;
	else
		gate->softirqs = serves;
	return 0;
}

SEC("tp_btf/irq_handler_entry")
int BPF_PROG(on_interrupt)
{
	return context_change(true, 1);
}

SEC("tp_btf/irq_handler_exit")
int BPF_PROG(on_interrupt_end)
{
	return context_change(true, 0);
}

SEC("tp_btf/hrtimer_expire_entry")
int BPF_PROG(on_timer)
{
	return context_change(true, 1);
}

SEC("tp_btf/hrtimer_expire_exit")
int BPF_PROG(on_timer_end)
{
	return context_change(true, 0);
}

SEC("tp_btf/softirq_entry")
int BPF_PROG(on_softirq)
{
	return context_change(false, 1);
}

SEC("tp_btf/softirq_exit")
int BPF_PROG(on_softirq_end)
{
	return context_change(false, 0);
}

SEC("tp_btf/sched_waking")
int BPF_PROG(on_waking, struct task_struct *task)
{
	struct wait_control *c = control_get();
	const struct wait_gate *gate = gate_get();
	struct wait_thread *t;

	if (!c || !c->enabled || !gate)
		return 0;
	t = thread_find(task->pid);
	/* A thread may be woken while it still runs, on its way to its wait: that is too early to count. */
	if (!t || t->kind != WAIT_BLOCKED || t->ready_ns)
		return 0;
	thread_begin(t);
	/* Not who got this CPU last: a kernel may leave out all switches of some threads. */
	t->waker = (uint32_t)bpf_get_current_pid_tgid();
	t->woken_in = context_at(gate);
	t->ready_ns = bpf_ktime_get_ns();
	thread_done(t);
	return 0;
}

SEC("tp_btf/sched_process_fork")
int BPF_PROG(on_fork, struct task_struct *parent, struct task_struct *child)
{
	struct wait_control *c = control_get();
	struct wait_thread *t;

	if (!c || !is_target(c, parent->tgid))
		return 0;
	target_fork(c, child);
	t = c->enabled ? thread_add(c, child->pid) : NULL;
	if (!t)
		return 0;
	thread_clear(t, WAIT_NONE);
	thread_begin(t);
	t->since_ns = t->ready_ns = bpf_ktime_get_ns();
	t->pid = child->tgid;
	t->kind = WAIT_STARTING;
	thread_done(t);
	return 0;
}

/* A thread that is not the leader calls execve(2): it goes on with the leader's number, and the leader ends with its own. */
SEC("tp_btf/sched_process_exec")
int BPF_PROG(on_exec, struct task_struct *task, int old_tid)
{
	if (task->pid != old_tid)
		thread_remove(old_tid);
	return 0;
}

/* ---- System calls.  A thread makes one after the other, and so nobody else changes its entry here either. */

/* The number of the call that returns; -1 of sigreturn(2), and where the registers have none. */
static __always_inline int32_t number_in(struct pt_regs *regs)
{
	const struct pt_regs___x86 *x86 = (const void *)regs;
	const struct pt_regs___arm64 *arm64 = (const void *)regs;
	const struct pt_regs___riscv *riscv = (const void *)regs;

	if (bpf_core_field_exists(x86->orig_ax))
		return (int32_t)BPF_CORE_READ(x86, orig_ax);
	if (bpf_core_field_exists(arm64->syscallno))
		return BPF_CORE_READ(arm64, syscallno);
	if (bpf_core_field_exists(riscv->orig_a0))
		return (int32_t)BPF_CORE_READ(riscv, a7);
	return -1;
}

/* Returns the key of the current task's stack of user space; 0: there is none, or no room for it. */
static __always_inline uint64_t user_stack_of(void *context, struct wait_control *c,
					      struct wait_gate *gate)
{
	uint32_t first = 0;
	struct wait_stack *s = bpf_map_lookup_elem(&scratch, &first);

	if (!s)
		return 0;
	gate->stacks++;
	s->kernel = 0;
	s->user = frames_of(bpf_get_stack(context, s->frames, WAIT_USER_FRAMES * sizeof(uint64_t),
					  BPF_F_USER_STACK));
	return s->user ? stack_keep(c, s) : 0;
}

/* The current thread; the others as far as it has a place. */
struct caller {
	uint64_t id; /* of its process, and its own below that */
	struct wait_thread *thread;
	struct call_stacks *stacks;
	struct wait_gate *gate; /* of its CPU */
};

static __always_inline struct call_stacks *stacks_at(uint32_t place)
{
	return bpf_map_lookup_elem(&callers, &place);
}

static __always_inline uint32_t recent_of(int32_t number)
{
	return ((uint32_t)number * 0x9e3779b1u >> 16) % CALL_RECENT;
}

/*
 * The stack of a call costs more than all the rest.  A busy thread has some of them taken, at random.  The calls until
 * the next one of that number are counted where the last one was, which is right on average.
 */
static __always_inline uint64_t call_stack(void *context, struct wait_control *c,
					   const struct caller *who, int32_t number, uint64_t ns)
{
	uint32_t at = recent_of(number);
	struct call_stacks *t = who->stacks;
	bool known = t && t->recent[at].known && t->recent[at].number == number;
	uint64_t stack;

	if (!c->call_stacks)
		return 0;
	if (!t || ns >= c->long_ns)
		return user_stack_of(context, c, who->gate);
	if (who->thread->waits > c->stacks_free && t->stackless) {
		t->stackless--;
		return known ? t->recent[at].stack : 0;
	}
	t->stackless = bpf_get_prandom_u32() % (2 * c->stack_period - 1);
	stack = user_stack_of(context, c, who->gate);
	t->recent[at].stack = stack;
	t->recent[at].number = number;
	t->recent[at].known = 1;
	return stack;
}

/* No stack of before is one of its calls now. */
static __always_inline void stacks_forget(uint32_t place)
{
	struct call_stacks *s = stacks_at(place);

	for (uint32_t i = 0; s && i < CALL_RECENT; i++)
		s->recent[i].known = 0;
}

static __always_inline struct wait_thread *caller_add(struct wait_control *c, uint32_t tid,
						      uint8_t kind)
{
	uint32_t place = place_take(c, tid);
	struct wait_thread *t = thread_at(place);

	if (t) {
		thread_clear(t, kind);
		stacks_forget(place);
	}
	return t;
}

static __always_inline void call_enter(struct wait_control *c, int32_t number)
{
	uint64_t id = bpf_get_current_pid_tgid(), now;
	uint32_t tid = (uint32_t)id;
	struct wait_thread *t = thread_find(tid);

	if (!t && is_target(c, (uint32_t)(id >> 32)))
		t = caller_add(c, tid, WAIT_NONE);
	if (!t)
		return;
	now = bpf_ktime_get_ns();
	thread_begin(t);
	if (t->since_ns < c->told_ns)
		t->waits = 0;
	t->waits++;
	t->since_ns = now;
	t->pid = (uint32_t)(id >> 32);
	t->kind = WAIT_CALL;
	t->number = number;
	thread_done(t);
}

SEC("tp_btf/sys_enter")
int BPF_PROG(on_call, struct pt_regs *regs, long number)
{
	struct wait_control *c = control_get();

	if (c && c->enabled)
		call_enter(c, (int32_t)number);
	return 0;
}

/* A call of WHO ends whose begin was seen, or which has its number from the registers: then its time is not known. */
static __always_inline void call_end(void *context, struct wait_control *c,
				     const struct caller *who, struct wait_key *key, uint64_t now)
{
	const struct wait_thread *t = who->thread;
	struct wait_sum one = { .count = 1, .end_ns = now };

	if (t && key->kind == WAIT_CALL) {
		key->number = t->number;
		key->since_ns = t->since_ns < c->told_ns ? t->since_ns : 0;
		one.ns = one.longest_ns = elapsed_ns(t->since_ns, now);
		key->bucket = bucket_of(one.ns);
	}
	if (t)
		key->stack = call_stack(context, c, who, key->number, one.ns);
	else if (c->call_stacks)
		key->stack = user_stack_of(context, c, who->gate);
	wait_add(c, key, &one);
}

static __always_inline void call_leave(void *context, struct wait_control *c,
				       const struct caller *who, struct pt_regs *regs, long result)
{
	struct wait_thread *t = who->thread;
	struct wait_key key = { .tid = (uint32_t)who->id,
				.pid = (uint32_t)(who->id >> 32),
				.kind = WAIT_CALL_TAIL };

	if (result < 0 && result >= -4095)
		key.error = (uint16_t)-result;
	if (t && t->kind == WAIT_CALL && t->since_ns >= c->started_ns)
		key.kind = WAIT_CALL;
	else
		key.number = number_in(regs);
	if ((!t || t->kind != WAIT_BORN) && key.pid != c->awaited)
		call_end(context, c, who, &key, bpf_ktime_get_ns());
	if (t)
		thread_runs(t);
}

SEC("tp_btf/sys_exit")
int BPF_PROG(on_return, struct pt_regs *regs, long result)
{
	struct wait_control *c = control_get();
	uint64_t id = bpf_get_current_pid_tgid();
	uint32_t place = place_find((uint32_t)id);
	struct wait_gate *gate = gate_get();
	const struct caller who = { id, thread_at(place), stacks_at(place), gate };

	if (!c || !c->enabled || (!who.thread && !is_target(c, (uint32_t)(id >> 32))))
		return 0;
	if (!gate_enter(c, gate))
		return 0;
	call_leave(ctx, c, &who, regs, result);
	gate_leave(gate);
	return 0;
}

SEC("tp_btf/sched_process_fork")
int BPF_PROG(on_caller_fork, struct task_struct *parent, struct task_struct *child)
{
	struct wait_control *c = control_get();

	if (!c || !is_target(c, parent->tgid))
		return 0;
	target_fork(c, child);
	if (c->enabled)
		caller_add(c, child->pid, WAIT_BORN);
	return 0;
}

/* Its last call does not return. */
SEC("tp_btf/sched_process_exit")
int BPF_PROG(on_caller_exit, struct task_struct *task)
{
	struct wait_control *c = control_get();

	thread_remove(task->pid);
	if (c)
		target_end(c, task);
	return 0;
}

/* As on_exec(): its execve(2) returns in a thread of another number, in which no stack of before is there. */
SEC("tp_btf/sched_process_exec")
int BPF_PROG(on_caller_exec, struct task_struct *task, int old_tid)
{
	struct wait_control *c = control_get();

	if (task->pid != old_tid)
		thread_remove(old_tid);
	stacks_forget(place_find(task->pid));
	if (c && c->awaited == (uint32_t)task->tgid)
		c->awaited = 0;
	return 0;
}
