/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/times.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/cpu.h"
#include "engine/offcpu.h"
#include "naming/data.h"
#include "naming/name.h"
#include "perf/event/event.h"
#include "profile/distribution.h"

#define SWITCH_MAX_NS 1000000u /* a switch takes some microseconds, unless records were lost */
#define LATE_NS 1000000u   /* a record that a CPU is writing while others are read is not older */
#define OBJECT 0x7fffff00u /* of frames that are no code: above all others of code */

/* FRAME_WAKES: the innermost frames of whoever wakes. */
enum { FRAME_IS_NEW, FRAME_IS_OTHER, FRAME_IS_SCHEDULER, FRAME_WAKES };

/* The switch that goes on on a CPU. */
struct cpu_switch {
	uint64_t began_ns; /* 0: none */
	uint32_t tid;      /* who leaves */
};

struct times {
	struct pieces use;
	struct late *late;
	struct data_names *data; /* names of wakers */
	struct offcpu *threads;
	struct cpu_switch *switches; /* by CPU */
	size_t cpu_count;
	unsigned char *kinds; /* by frame: FRAME_… */
	size_t kind_capacity;
	uint32_t why[OFFCPU_KINDS]; /* the frame behind a stack that did not block there, or 0 */
	bool summed;                /* the source tells waits, and no moments */
	uint64_t summed_ns;         /* while it tells moments: it told all waits up to then */
	bool stacks_sampled;        /* a wait without a stack is one whose stack was not taken */
	uint64_t samples;
	bool named;         /* placeholders in stacks of cells have got names */
	bool follows;       /* wakers is in the list */
	uint32_t unnamed;   /* the node of a stack whose leaf is being named, or 0 */
	uint32_t nowhere;   /* in the place of a stack that is not known */
	uint32_t not_taken; /* likewise, of one that a budget left out */
};

static bool count_time(void *context, const struct offcpu_time *piece);
static struct cell_key shorten(void *context, const struct cell_key *key);

static void mark_nodes(void *context, unsigned char *keep)
{
	const struct times *t = context;

	offcpu_mark(t->threads, keep);
	keep[t->unnamed] = 1;
}

static void renumber_nodes(void *context, const uint32_t *map)
{
	struct times *t = context;

	offcpu_renumber(t->threads, map);
	t->unnamed = map[t->unnamed];
	t->named = true;
}

static uint32_t frame_called(const struct times *t, const char *name)
{
	const struct frame_key key = { .object = OBJECT,
				       .symbol = (unsigned char)name[1],
				       .raw = name,
				       .object_path = "[kernel]",
				       .object_name = "[kernel]",
				       .flags = FRAME_KERNEL };

	return frame_table_add(t->use.frames, &key);
}

static uint32_t frame_unknown(const struct times *t)
{
	const struct frame_key key = { .object = OBJECT,
				       .object_path = "[kernel]",
				       .object_name = "[kernel]",
				       .flags = FRAME_KERNEL | FRAME_UNKNOWN };

	return frame_table_add(t->use.frames, &key);
}

static void follow_wakers(struct times *t)
{
	int event = evlist_find_id(t->use.evlist, EVENT_WAKERS);

	t->follows = event >= 0 && !t->use.evlist->items[event]->removed;
	offcpu_follow(t->threads, t->follows);
}

struct times *times_new(const struct pieces *use, struct late *late, struct data_names *data)
{
	struct times *t;
	struct chains_holder holder = { .mark = mark_nodes, .renumber = renumber_nodes };

	if (!evlist_has_time(use->evlist))
		return NULL;
	t = mem_alloc(sizeof(*t));
	t->use = *use;
	t->late = late;
	t->data = data;
	t->threads = offcpu_new(count_time, t, 0);
	t->why[OFFCPU_PREEMPTED] = frame_called(t, "[preempted]");
	t->why[OFFCPU_STARTING] = frame_called(t, "[starting]");
	t->nowhere = frame_unknown(t);
	t->not_taken = frame_called(t, "[no stack taken]");
	follow_wakers(t);
	holder.context = t;
	chains_add_holder(t->use.chains, &holder);
	return t;
}

void times_free(struct times *t)
{
	if (!t)
		return;
	chains_remove_holder(t->use.chains, t);
	offcpu_free(t->threads);
	mem_free(t->switches, t->kinds, t);
}

void times_stacks_sampled(struct times *t, bool sampled)
{
	if (t)
		t->stacks_sampled = sampled;
}

void times_summed(struct times *t, bool summed, uint64_t until_ns)
{
	if (!t || t->summed == summed)
		return;
	t->summed = summed;
	t->summed_ns = until_ns;
	times_forget(t);
}

uint64_t times_samples(const struct times *t)
{
	return t ? t->samples : 0;
}

/* Moments. */

/* Time that sums have told has no length, nor has that before or behind a part of a recording. */
static uint64_t inside(const struct times *t, uint64_t time_ns)
{
	uint64_t from_ns = t->use.from_ns > t->summed_ns ? t->use.from_ns : t->summed_ns;

	if (time_ns < from_ns)
		return from_ns;
	return time_ns < t->use.to_ns ? time_ns : t->use.to_ns;
}

static void add(struct times *t, struct offcpu_moment m)
{
	uint64_t time_ns = inside(t, m.time_ns);

	if (t->summed)
		return;
	m.early_ns = m.time_ns < time_ns ? time_ns - m.time_ns : 0;
	m.time_ns = time_ns;
	offcpu_add(t->threads, &m);
}

static struct offcpu_moment moment_of(struct thread *th, enum offcpu_what what, uint64_t time_ns)
{
	return (struct offcpu_moment){
		.what = what, .tid = th->tid, .process = th->process->serial, .time_ns = time_ns
	};
}

/*
 * Between the choice of the next task and its first step the kernel makes the records, which takes some
 * microseconds.  It charges these to the next task, and so do we: the switch is when the first of them
 * was made, whosever it is.
 */
static struct cpu_switch *switch_of(struct times *t, uint32_t cpu)
{
	if (cpu >= CPU_LIMIT)
		cpu = 0;
	if (cpu >= t->cpu_count)
		mem_grow_zeroed((void **)&t->switches, &t->cpu_count, cpu + 1u,
				sizeof(*t->switches));
	return &t->switches[cpu];
}

/*
 * Returns true if R belongs to the switch that began last on its CPU, in which TID left.  The idle task's
 * switches may have no records: then that switch was an earlier one, before the CPU was idle.
 */
static bool is_of_switch(const struct cpu_switch *s, const struct record *r, uint32_t tid)
{
	return s->began_ns && s->tid == tid && r->time_ns >= s->began_ns &&
	       r->time_ns - s->began_ns < SWITCH_MAX_NS;
}

static uint64_t switch_begin(struct times *t, const struct record *r)
{
	struct cpu_switch *s = switch_of(t, r->cpu);

	if (!is_of_switch(s, r, r->tid))
		*s = (struct cpu_switch){ r->time_ns, r->tid };
	return s->began_ns;
}

static uint64_t switch_end(struct times *t, const struct record *r)
{
	struct cpu_switch *s = switch_of(t, r->cpu);
	uint64_t time_ns = is_of_switch(s, r, r->cswitch.other_tid) ? s->began_ns : r->time_ns;

	s->began_ns = 0;
	return time_ns;
}

void times_stack(struct times *t, struct thread *th, const struct record *r)
{
	const struct address leaf = { .process = th ? th->process : NULL,
				      .mode = r->cpumode,
				      .ip = r->sample.ip };
	struct cell_key key = { 0 };
	struct found_stack found;
	uint32_t held;

	if (!t)
		return;
	*switch_of(t, r->cpu) = (struct cpu_switch){ r->estimated ? 0 : r->time_ns, r->tid };
	if (!pieces_follow(&t->use, th))
		return;
	key.tid = th->tid;
	callers_find(t->use.callers, &leaf, r, &key, &found);
	if (name_is_placeholder(name_of_bits(key.frame)))
		t->unnamed = key.node;
	held = late_hold(t->late, &found.chain, &r->sample, found.end, found.waits);
	offcpu_stack(t->threads, r->cpu, th->tid, key.node, held);
}

/* Returns true if R is of a task that has ended and whose number is gone; TH may stand for all such tasks. */
static bool is_nameless(const struct thread *th, const struct record *r)
{
	return th ? th->tid == UINT32_MAX : r->tid == UINT32_MAX;
}

void times_switch(struct times *t, struct thread *th, const struct record *r)
{
	struct offcpu_moment m;
	uint64_t time_ns;

	if (!t)
		return;
	if (r->type == RECORD_SWITCH) /* of one thread: who runs meanwhile is not told */
		time_ns = r->time_ns;
	else
		time_ns = r->cswitch.out ? switch_begin(t, r) : switch_end(t, r);
	if (is_nameless(th, r))
		m = (struct offcpu_moment){ .tid = OFFCPU_NAMELESS, .time_ns = time_ns };
	else if (pieces_follow(&t->use, th))
		m = moment_of(th, OFFCPU_IN, time_ns);
	else
		return;
	m.what = r->cswitch.out ? OFFCPU_OUT : OFFCPU_IN;
	m.cpu = r->cpu;
	m.preempted = r->cswitch.preempted;
	add(t, m);
}

static void tell(struct times *t, struct thread *th, enum offcpu_what what, uint64_t time_ns,
		 uint32_t cpu)
{
	struct offcpu_moment m;

	if (!t || !pieces_follow(&t->use, th))
		return;
	m = moment_of(th, what, time_ns);
	m.cpu = cpu;
	add(t, m);
}

/* The stack in which TH wakes.  For an interrupt it would be the stack of whoever was interrupted. */
static void find_waker(struct times *t, const struct thread *th, const struct record *r,
		       struct offcpu_moment *m)
{
	const struct address leaf = { .process = th->process,
				      .mode = r->cpumode,
				      .ip = r->sample.ip };
	struct cell_key key = { .tid = th->tid };
	struct found_stack found;

	m->by = th->tid;
	if (!r->sample.callchain_count)
		return;
	callers_find(t->use.callers, &leaf, r, &key, &found);
	m->node = key.node;
	m->held = late_hold(t->late, &found.chain, &r->sample, found.end, found.waits);
}

/*
 * The ring of the waking CPU may be read before the ring that has the start of the woken thread.
 * Such a thread is still unknown here, but known when moments are handled in the order of time.
 */
void times_wake(struct times *t, const struct thread *th, const struct record *r)
{
	struct offcpu_moment m = {
		.what = OFFCPU_WAKE, .tid = r->woken_tid, .time_ns = r->time_ns, .cpu = r->cpu
	};
	struct thread *woken = t ? process_table_find_thread(t->use.processes, m.tid) : NULL;

	if (!t || (woken && !pieces_follow(&t->use, woken)))
		return;
	m.waker = data_waker(t->data, th, r->woken_in);
	if (t->follows && th && th->tid && r->woken_in == TRACE_IN_TASK)
		find_waker(t, th, r, &m);
	add(t, m);
}

/* Only what is sampled by time, mostly the first event, tells when a thread was seen. */
void times_sample(struct times *t, struct thread *th, const struct record *r, uint32_t node,
		  const struct found_stack *found)
{
	struct offcpu_moment m;

	if (!t || !pieces_follow(&t->use, th) || !t->use.evlist->items[r->event]->freq_hz)
		return;
	m = moment_of(th, OFFCPU_SAMPLE, r->time_ns);
	m.cpu = r->cpu;
	m.node = node;
	/* Its end is counted where its cell is. */
	m.held = late_hold(t->late, &found->chain, &r->sample, CHAIN_ENDS, found->waits);
	add(t, m);
}

/* Records that perf makes for tasks from before the start have no time. */
void times_start(struct times *t, struct thread *th, uint64_t time_ns)
{
	if (time_ns)
		tell(t, th, OFFCPU_START, time_ns, 0);
}

void times_end(struct times *t, struct thread *th, uint64_t time_ns)
{
	if (time_ns)
		tell(t, th, OFFCPU_END, time_ns, 0);
}

void times_gap(struct times *t, uint32_t cpu, uint64_t time_ns)
{
	const struct offcpu_moment m = { .what = OFFCPU_GAP, .cpu = cpu, .time_ns = time_ns };

	if (t)
		add(t, m);
}

static bool find_held(void *context, uint32_t held, uint32_t *node)
{
	struct times *t = context;

	return late_ask(t->late, held, node);
}

void times_read(struct times *t)
{
	if (t)
		offcpu_ask(t->threads, find_held, t);
}

/* Stacks of a chain of wakers cannot be shortened later: they wait for the kernel's names, within an interval. */
static bool waits_for_names(struct times *t)
{
	if (!t->follows || !t->unnamed)
		return false;
	chains_rename(t->use.chains);
	if (name_is_placeholder(name_of_bits(chains_at(t->use.chains, t->unnamed).frame)))
		return true;
	t->unnamed = 0;
	return false;
}

void times_drained(struct times *t, uint64_t newest_ns)
{
	if (t && newest_ns > LATE_NS && !waits_for_names(t))
		offcpu_settle(t->threads, newest_ns - LATE_NS);
}

void times_count(struct times *t, uint64_t newest_ns)
{
	if (!t)
		return;
	if (!evlist_has_time(t->use.evlist)) {
		times_forget(t);
		return;
	}
	follow_wakers(t);
	late_give_up(t->late, true);
	chains_rename(t->use.chains);
	if (t->named)
		histogram_rename(t->use.histogram, shorten, t);
	t->named = false;
	offcpu_settle(t->threads, UINT64_MAX);
	offcpu_count(t->threads, inside(t, newest_ns));
}

void times_forget(struct times *t)
{
	if (!t)
		return;
	offcpu_free(t->threads);
	t->threads = offcpu_new(count_time, t, 0);
	follow_wakers(t);
	late_give_up(t->late, false);
}

/* Stacks. */

/* Returns true if NAME begins with one of the COUNT texts in BEGINNINGS. */
static bool begins(const char *name, const char *const *beginnings, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (!strncmp(name, beginnings[i], strlen(beginnings[i])))
			return true;
	}
	return false;
}

static bool is_scheduler_name(const char *name)
{
	static const char *const beginnings[] = { "schedule",
						  "__schedule",
						  "io_schedule",
						  "preempt_schedule",
						  "__preempt_schedule",
						  "__cond_resched",
						  "prepare_task_switch",
						  "__traceiter_sched_switch",
						  "__bpf_trace_sched_switch",
						  "bpf_trace_run",
						  "___bpf_prog_run",
						  "__bpf_prog_run" };

	return begins(name, beginnings, sizeof(beginnings) / sizeof(*beginnings));
}

/* Functions that every waker ends in: kernel/sched/core.c, kernel/sched/wait.c and the tracepoint's own. */
static bool is_waking_name(const char *name)
{
	static const char *const beginnings[] = { "try_to_wake_up",
						  "wake_up_",
						  "__wake_up",
						  "default_wake_function",
						  "autoremove_wake_function",
						  "woken_wake_function",
						  "swake_up",
						  "complete",
						  "__traceiter_sched_wak",
						  "perf_trace_sched_wak",
						  "perf_trace_run_bpf_submit" };

	return begins(name, beginnings, sizeof(beginnings) / sizeof(*beginnings));
}

static unsigned char kind_of_name(const char *name)
{
	if (is_scheduler_name(name))
		return FRAME_IS_SCHEDULER;
	return is_waking_name(name) ? FRAME_WAKES : FRAME_IS_OTHER;
}

/* Returns FRAME_…: functions of the kernel that say nothing of what is waited for, or of who wakes. */
static unsigned char frame_kind(struct times *t, uint32_t frame)
{
	const struct frame_table *frames = t->use.frames;

	if (name_is_placeholder(name_of_bits(frame)))
		return FRAME_IS_OTHER;
	if (frame >= t->kind_capacity)
		mem_grow_zeroed((void **)&t->kinds, &t->kind_capacity, frame + 1u, 1);
	if (t->kinds[frame] == FRAME_IS_NEW)
		t->kinds[frame] = frame_flags(frames, frame) & FRAME_KERNEL
					  ? kind_of_name(frame_raw_symbol(frames, frame))
					  : FRAME_IS_OTHER;
	return t->kinds[frame];
}

/* The node of the function that what is inlined at AT lies in: with --inline the kernel has such, too. */
static uint32_t function_node(const struct times *t, uint32_t at)
{
	while (at != CALL_ROOT) {
		struct call_node n = chains_at(t->use.chains, at);

		if (name_is_placeholder(name_of_bits(n.frame)) ||
		    !(frame_flags(t->use.frames, n.frame) & FRAME_INLINED))
			break;
		at = n.parent;
	}
	return at;
}

/* The node of the caller of the innermost frames of KIND; NODE itself when nobody called them. */
static uint32_t behind(struct times *t, uint32_t node, unsigned char kind)
{
	uint32_t at = node, function = function_node(t, node);

	while (function != CALL_ROOT &&
	       frame_kind(t, chains_at(t->use.chains, function).frame) == kind) {
		at = chains_at(t->use.chains, function).parent;
		function = function_node(t, at);
	}
	return at == CALL_ROOT ? node : at;
}

static uint32_t waits_in(struct times *t, uint32_t node)
{
	return behind(t, node, FRAME_IS_SCHEDULER);
}

static uint32_t node_of(struct times *t, const struct offcpu_time *piece)
{
	struct chains *chains = t->use.chains;
	uint32_t node = waits_in(t, piece->node);
	bool waits = piece->kind == OFFCPU_BLOCKED || piece->kind == OFFCPU_PREEMPTED;

	if (node == CALL_ROOT && waits && t->stacks_sampled)
		node = chains_child(chains, node, t->not_taken);
	if (t->why[piece->kind])
		return chains_child(chains, node, t->why[piece->kind]);
	return node == CALL_ROOT ? chains_child(chains, node, t->nowhere) : node;
}

/* The function that the stack NODE waits in. */
static uint32_t frame_of_wait(struct times *t, uint32_t node)
{
	uint32_t at = waits_in(t, node);

	if (at == CALL_ROOT)
		return t->stacks_sampled ? t->not_taken : t->nowhere;
	return chains_at(t->use.chains, at).frame;
}

/* Below AT the stack of NODE, from its outermost frame on, but for what all that wake call. */
static uint32_t add_stack(struct times *t, uint32_t at, uint32_t node)
{
	struct chains *chains = t->use.chains;
	uint32_t frames[CHAIN_FRAMES];
	size_t count = 0;

	for (node = behind(t, node, FRAME_WAKES); node != CALL_ROOT && count < CHAIN_FRAMES;) {
		struct call_node n = chains_at(chains, node);

		frames[count++] = n.frame;
		node = n.parent;
	}
	while (count)
		at = chains_child(chains, at, frames[--count]);
	return at;
}

/* Behind the stack of the wait: who ended it, and why he did not do so before. */
static uint32_t waker_node(struct times *t, const struct offcpu_time *piece)
{
	struct chains *chains = t->use.chains;
	uint32_t node = node_of(t, piece);

	if (!piece->link_count)
		return chains_child(chains, node, data_waker_part(t->data, 0, WAKER_WAKES));
	for (size_t i = 0; i < piece->link_count; i++) {
		const struct offcpu_link *link = &piece->links[i];

		node = chains_child(chains, node,
				    data_waker_part(t->data, link->waker, WAKER_WAKES));
		if (i + 1 < piece->link_count)
			node = chains_child(chains, node, frame_of_wait(t, link->node));
	}
	if (!piece->waker_node)
		return node;
	node = chains_child(chains, node,
			    data_waker_part(t->data, piece->links->waker, WAKER_STACK));
	return add_stack(t, node, piece->waker_node);
}

/* When it was counted, the names of the kernel's functions may not have been there. */
static struct cell_key shorten(void *context, const struct cell_key *key)
{
	struct times *t = context;
	struct chains *chains = t->use.chains;
	struct cell_key to = *key;

	const struct evsel *v = t->use.evlist->items[key->event];

	if (!evsel_is_time(v) || v->config == EVENT_TIME_WAKERS || evsel_is_syscalls(v) ||
	    key->node < CALL_OTHERS + 1)
		return to;
	if (key->frame == t->why[OFFCPU_PREEMPTED])
		to.node = chains_child(chains, waits_in(t, chains_at(chains, key->node).parent),
				       key->frame);
	else
		to.node = waits_in(t, key->node);
	to.frame = chains_at(chains, to.node).frame;
	return to;
}

/* Counting. */

/* How long the thread waited before it could run. */
static uint64_t blocked_ns(const struct offcpu_time *piece)
{
	return piece->waited_ns - piece->delayed_ns;
}

static bool is_running(const struct offcpu_time *piece)
{
	return piece->kind == OFFCPU_RUNNING;
}

static bool is_waiting(const struct offcpu_time *piece)
{
	return piece->kind != OFFCPU_RUNNING;
}

static bool is_any(const struct offcpu_time *piece)
{
	(void)piece;
	return true;
}

static bool is_none(const struct offcpu_time *piece)
{
	(void)piece;
	return false;
}

static bool is_blocked(const struct offcpu_time *piece)
{
	return piece->kind == OFFCPU_BLOCKED;
}

static uint64_t all_ns(const struct offcpu_time *piece)
{
	return piece->ns;
}

static uint64_t delay_ns(const struct offcpu_time *piece)
{
	return piece->delay_ns;
}

static uint64_t share_ns(const struct offcpu_time *piece)
{
	return piece->share_ns;
}

static uint64_t waited_ns(const struct offcpu_time *piece)
{
	return piece->waited_ns;
}

static uint64_t delayed_ns(const struct offcpu_time *piece)
{
	return piece->delayed_ns;
}

/*
 * By event of time: which pieces it has, how many nanoseconds a piece counts, and under which stack.  LENGTH_NS is
 * how long the whole wait has lasted, not only the piece.  With AT_END a wait is counted once, by its last piece.
 */
static const struct {
	bool (*has)(const struct offcpu_time *piece);
	uint64_t (*ns)(const struct offcpu_time *piece);
	uint64_t (*length_ns)(const struct offcpu_time *piece);
	uint32_t (*node)(struct times *t, const struct offcpu_time *piece);
	bool at_end;
} kinds[EVENT_TIMES] = {
	[EVENT_TIME_OFF_CPU] = { is_waiting, all_ns, waited_ns, node_of, false },
	[EVENT_TIME_WALL_CLOCK] = { is_any, all_ns, waited_ns, node_of, false },
	[EVENT_TIME_RUN_DELAY] = { is_any, delay_ns, delayed_ns, node_of, false },
	[EVENT_TIME_WAKERS] = { is_blocked, blocked_ns, blocked_ns, waker_node, true },
	[EVENT_TIME_LATENCY] = { is_running, share_ns, waited_ns, node_of, false },
	[EVENT_TIME_SYSCALLS] = { is_none, all_ns, waited_ns, node_of,
				  false }, /* engine/syscalls.h */
};

/* The `wait` of the piece's cell.  A wait that goes on behind a part of a recording does not end. */
static uint8_t wait_of(const struct times *t, uint64_t time, const struct offcpu_time *piece)
{
	if (piece->kind == OFFCPU_RUNNING || piece->kind == OFFCPU_UNKNOWN)
		return CELL_RAN;
	if (!piece->ends || piece->end_ns >= t->use.to_ns ||
	    (time == EVENT_TIME_RUN_DELAY && !piece->ready))
		return CELL_WAIT_LASTS;
	return (uint8_t)(distribution_bucket(kinds[time].length_ns(piece)) + 1);
}

/* Returns true if the piece has something of the time of V: a length, or the end of a wait. */
static bool has_some(const struct times *t, const struct evsel *v, const struct offcpu_time *piece)
{
	uint8_t wait = wait_of(t, v->config, piece);
	bool ends = wait != CELL_RAN && wait != CELL_WAIT_LASTS;

	if (!kinds[v->config].has(piece) || (!t->summed && piece->end_ns <= t->summed_ns))
		return false;
	return ends || (!kinds[v->config].at_end && kinds[v->config].ns(piece));
}

static void count_cell(struct times *t, struct thread *th, size_t event,
		       const struct offcpu_time *piece, uint64_t ns)
{
	uint64_t time = t->use.evlist->items[event]->config;
	struct piece counted = { .more = (uint32_t)piece->more,
				 .key = { .process = piece->process,
					  .tid = piece->tid,
					  .event = (uint16_t)event,
					  .wait = wait_of(t, time, piece),
					  .data = piece->waker,
					  .node = kinds[time].node(t, piece) },
				 .ns = ns,
				 .longest_ns = kinds[time].length_ns(piece),
				 .end_ns = piece->end_ns };

	counted.key.frame = chains_at(t->use.chains, counted.key.node).frame;
	pieces_count(&t->use, th, &counted);
	t->samples += 1 + piece->more;
}

static bool count_time(void *context, const struct offcpu_time *piece)
{
	struct times *t = context;
	const struct evlist *events = t->use.evlist;
	struct thread *th = process_table_find_past(t->use.processes, piece->process, piece->tid);

	for (size_t i = 0; i < events->count; i++) {
		const struct evsel *v = events->items[i];
		uint64_t ns;

		if (!evsel_is_time(v) || !v->enabled || v->open_error || !has_some(t, v, piece))
			continue;
		ns = kinds[v->config].ns(piece);
		if (th && piece->kind != OFFCPU_UNKNOWN)
			count_cell(t, th, i, piece, ns);
		else
			attribution_period(t->use.attribution, ATTRIBUTION_NO_CPU,
					   COUNTERS_UNATTRIBUTED, i, ns);
	}
	return th != NULL;
}

/*
 * Returns the node of where TH waited, of which R tells.  Frames of user space from before a program's execve(2) have no meaning in what
 * it runs now: then the kernel's alone are left.
 */
static uint32_t find_place(struct times *t, const struct thread *th, const struct record *r)
{
	const struct address leaf = { th->process, r->cpumode, r->sample.ip };
	struct cell_key key = { .tid = r->tid };
	struct record kernel;
	struct found_stack found;

	if (r->time_ns < th->process->exec_ns) {
		kernel = *r;
		kernel.sample.callchain_count = chain_kernel_words(
			t->use.callers->layout, r->sample.callchain, r->sample.callchain_count);
		r = &kernel;
	}
	if (!r->sample.callchain_count)
		return 0;
	callers_find(t->use.callers, &leaf, r, &key, &found);
	return key.node;
}

void times_waits(struct times *t, struct thread *th, const struct thread *waker,
		 const struct record *r)
{
	const struct record_waits *w = r->waits;
	struct offcpu_time piece = { .tid = r->tid,
				     .kind = (enum offcpu_kind)w->kind,
				     .ns = w->ns,
				     .delay_ns = w->delay_ns,
				     .delayed_ns = w->longest_delay_ns,
				     .waited_ns = w->longest_ns,
				     .ends = w->count,
				     .ready = w->ready,
				     .end_ns = r->time_ns };

	if (!t || (th && !pieces_follow(&t->use, th)))
		return;
	if (w->count > 1)
		piece.more = w->count - 1 < UINT32_MAX ? w->count - 1 : UINT32_MAX;
	if (th) {
		piece.process = th->process->serial;
		piece.node = find_place(t, th, r);
	}
	if (w->waker || r->woken_in != TRACE_IN_TASK)
		piece.waker = data_waker(t->data, waker, r->woken_in);
	count_time(t, &piece);
}
