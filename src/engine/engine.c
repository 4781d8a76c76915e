/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The engine and its records.  engine-open.c makes it, report.c takes snapshots of it. */
#include "engine/engine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/spare-time.h"
#include "engine/shedding.h"
#include "engine/recorder.h"
#include "engine/engine-state.h"
#include "engine/parts.h"
#include "symbol/jitdump.h"
#include "runtime/attacher.h"
#include "worker/zygote.h"

#define SOURCES_AT_ONCE 512u /* functions whose sources are asked for with a snapshot */

uint64_t engine_own_cpu_ns(const struct engine *e)
{
	return clock_process_cpu_ns() + zygote_cpu_ns(e->options.zygote) +
	       attacher_cpu_ns(e->options.attacher);
}

uint64_t engine_maps_cpu_ns(const struct engine *e)
{
	return process_table_maps_stats(e->processes).cpu_ns;
}

uint64_t engine_spare_cpu_ns(const struct engine *e)
{
	return zygote_cpu_ns(e->options.zygote) + dso_cache_cpu_ns(e->objects) +
	       (e->lines ? lines_cpu_ns(e->lines) : 0) + engine_maps_cpu_ns(e);
}

void engine_set_spare_rate(struct engine *e, double rate)
{
	if (e->spare)
		spare_time_set_rate(e->spare, rate);
}

void engine_scan(struct engine *e)
{
	if (e->target.settled)
		return;
	if (e->has_procfs)
		process_table_scan_for(e->processes,
				       e->options.early ? PROCESS_SCAN_NS : UINT64_MAX);
	e->target.settled = true;
}

/* A CPU number that cannot be is CPU 0's: only what is cached for speed lies there. */
static struct cpu_state *cpu_of(struct engine *e, uint32_t cpu)
{
	if (cpu >= CPU_LIMIT)
		cpu = 0;
	if (cpu >= e->cpu_count)
		mem_grow_zeroed((void **)&e->cpus, &e->cpu_count, cpu + 1u, sizeof(*e->cpus));
	return &e->cpus[cpu];
}

void engine_depart(struct engine *e, uint32_t tid)
{
	map_put(&e->departed[0], tid, e); /* a set: any value will do */
}

static void arrive(struct engine *e, uint32_t tid)
{
	for (size_t i = 0; i < 2; i++)
		map_remove(&e->departed[i], tid);
}

/* The task, made when new; of one that is gone, what stands for all tasks in their last steps. */
static struct thread *find_thread(struct engine *e, uint32_t pid, uint32_t tid)
{
	const struct thread *th = process_table_find_thread(e->processes, tid);

	if (!th && (map_find(&e->departed[0], tid) || map_find(&e->departed[1], tid))) {
		e->stats.exiting++;
		pid = tid = UINT32_MAX;
	}
	return process_table_thread(e->processes, pid, tid);
}

/* The task of a record; NULL when the table is full. */
static struct thread *thread_of(struct engine *e, const struct record *r)
{
	struct cpu_state *cpu = cpu_of(e, r->cpu);

	if (cpu->epoch == e->epoch && cpu->pid == r->pid && cpu->tid == r->tid)
		return cpu->last;
	if (r->tid == UINT32_MAX && e->has_procfs) {
		e->stats.exiting++;
		if (cpu->exiting)
			return cpu->exiting;
	}
	cpu->pid = r->pid;
	cpu->tid = r->tid;
	cpu->epoch = e->epoch;
	cpu->last = find_thread(e, r->pid, r->tid);
	return cpu->last;
}

/* A sample that stands for COUNT. */
static void count_samples(struct engine *e, struct thread *th, const struct record *r,
			  uint32_t count)
{
	struct counted s;

	s.thread = th;
	s.record = r;
	s.count = count;
	s.address = (struct address){ th->process, r->cpumode, r->sample.ip };
	s.key = (struct cell_key){ .process = th->process->serial,
				   .tid = th->tid,
				   .event = (uint16_t)r->event };
	if (e->extras & EXTRA_CPUS && e->tells_cpu && r->cpu < CPU_LIMIT - 1)
		s.key.cpu = (uint16_t)(r->cpu + 1);
	s.time_ns = r->time_ns ? r->time_ns : e->newest_ns;
	callers_find(&e->callers, &s.address, r, &s.key, &s.found);
	for (size_t i = 0; i < e->taker_count; i++)
		e->takers[i](e, &s);
}

/* A sample that a frequency chose is a guess anyway, and may stand for others; not where each is told to somebody. */
static bool may_thin(const struct engine *e, const struct record *r)
{
	return e->thinning && !e->times && e->options.evlist->items[r->event]->freq_hz;
}

static void count_sample(struct engine *e, struct thread *th, const struct record *r)
{
	const struct process *p = th->process;
	uint64_t cpu_ns = 0;
	bool measures;
	uint32_t count;

	if (!may_thin(e, r)) {
		count_samples(e, th, r, 1);
		return;
	}
	count = thinning_part(e->thinning, p->uid);
	measures = thinning_measures(e->thinning);
	if (measures)
		cpu_ns = clock_thread_cpu_ns();
	if (count)
		count_samples(e, th, r, count);
	/* Our own workers run as some user, who did not choose what they cost. */
	if (measures && !zygote_has(e->options.zygote, (int)p->pid))
		thinning_charge(e->thinning, p->uid, p->user, clock_thread_cpu_ns() - cpu_ns);
}

void engine_thin(struct engine *e, double cost_ns, double limit_ns)
{
	if (e->thinning)
		thinning_step(e->thinning, cost_ns, limit_ns);
}

/* Why a sample is not counted: the statistics' field, or NULL when it is. */
static uint64_t *reason_to_skip(struct engine *e, struct thread *th, const struct record *r)
{
	if (r->counts_only)
		return &e->stats.counts_only;
	if (r->event < 0 || (size_t)r->event >= e->options.evlist->count)
		return &e->stats.eventless;
	if (!th)
		return &e->stats.taskless;
	if (th->process->pid == 0 && e->has_procfs)
		return &e->stats.idle;
	if (!target_has_thread(&e->target, e->processes, th))
		return &e->stats.filtered;
	return NULL;
}

/* As perf report's --time: both ends are in. */
static bool is_outside(const struct engine *e, const struct record *r)
{
	return r->time_ns < e->options.from_ns || r->time_ns > e->options.to_ns;
}

/* Credits the counts of R to TH; NULL: to nobody. */
static void attribute(struct engine *e, struct thread *th, const struct record *r)
{
	struct attribution *a = e->attribution;
	uint32_t slot;

	if (!r->sample.read.count && !r->increase)
		return;
	slot = th ? attribution_slot(a, th) : COUNTERS_UNATTRIBUTED;
	if (r->sample.read.count)
		attribution_cpu(a, r->cpu, slot, &r->sample.read);
	if (r->increase)
		attribution_period(a, r->cpu, slot, (size_t)r->event, r->increase);
}

/* The thread of summed waits or calls, which may have ended since. */
static struct thread *waiting_thread(struct engine *e, const struct record *r)
{
	struct thread *th = process_table_find_thread(e->processes, r->tid);
	const struct process *p;

	if (!th)
		return thread_of(e, r);
	if (th->process->pid == r->pid)
		return th;
	p = process_table_find(e->processes, r->pid);
	return p ? process_table_find_past(e->processes, p->serial, r->tid) : NULL;
}

static void receive_waits(struct engine *e, const struct record *r)
{
	struct thread *th = waiting_thread(e, r);
	const struct thread *waker =
		r->waits->waker ? process_table_find_thread(e->processes, r->waits->waker) : NULL;

	if (th && r->waits->count) {
		target_ran(&e->target, th->process);
		process_thread_ran(th);
	}
	times_waits(e->times, th, waker, r);
}

static void receive_calls(struct engine *e, const struct record *r)
{
	struct thread *th = waiting_thread(e, r);

	if (th && r->calls->count)
		process_thread_ran(th);
	syscalls_summed(e->syscalls, th, r);
}

static void receive_sample(struct engine *e, const struct record *r)
{
	struct thread *th;
	uint64_t *skipped;

	if (r->waits) {
		receive_waits(e, r);
		return;
	}
	if (r->calls) {
		receive_calls(e, r);
		return;
	}
	if (r->woken_tid) { /* R is of the CPU and the thread that wake, of which nothing else may be known */
		times_wake(e->times, process_table_find_thread(e->processes, r->tid), r);
		return;
	}
	if (r->call) {
		th = r->pid == UINT32_MAX ? process_table_find_thread(e->processes, r->tid)
					  : thread_of(e, r);
		if (th)
			process_thread_ran(th);
		syscalls_receive(e->syscalls, th, r, is_outside(e, r));
		return;
	}
	if (is_outside(e, r)) {
		if (r->switched) /* a wait may last until it is inside */
			times_stack(e->times, thread_of(e, r), r);
		++*(r->counts_only ? &e->stats.counts_only : &e->stats.filtered);
		return;
	}
	th = r->unattributed ? NULL : thread_of(e, r);
	if (th) {
		target_ran(&e->target, th->process);
		process_thread_ran(th);
	}
	if (r->switched)
		times_stack(e->times, th, r);
	skipped = reason_to_skip(e, th, r);
	attribute(e, th, r);
	if (skipped)
		++*skipped;
	else
		count_sample(e, th, r);
}

static void receive_read(struct engine *e, const struct record *r)
{
	struct thread *th;

	if (is_outside(e, r))
		return;
	th = find_thread(e, r->pid, r->tid);
	if (th)
		process_thread_ran(th);
	attribution_task(e->attribution,
			 th ? attribution_slot(e->attribution, th) : COUNTERS_UNATTRIBUTED,
			 &r->read);
	if (th)
		windows_read(e->windows, r, th->process->serial, e->newest_ns);
}

static void receive_deferred(struct engine *e, const struct record *r)
{
	late_receive(e->late, r, &e->options.layout);
}

static void receive_lost(struct engine *e, const struct record *r)
{
	attribution_gap(e->attribution, r->cpu);
	if (!r->lost.count)
		return;
	times_gap(e->times, r->cpu, r->time_ns);
	syscalls_gap(e->syscalls, r->time_ns);
}

static void receive_switch(struct engine *e, const struct record *r)
{
	bool named = r->tid && r->tid != UINT32_MAX;

	struct thread *th = NULL;

	if (!e->times)
		return;
	if (named && r->pid == UINT32_MAX) /* of whom is not said, as in sched:sched_switch */
		th = process_table_find_thread(e->processes, r->tid);
	else if (named)
		th = thread_of(e, r);
	times_switch(e->times, th, r);
}

static bool is_kernel_mapping(const struct record *r)
{
	return r->cpumode == CPUMODE_KERNEL && r->mmap.pid == UINT32_MAX;
}

/*
 * perf's way to tell where the kernel is: "[kernel.kallsyms]_text", with that symbol's address in
 * the place of the offset.  Modules have a name or a path.
 */
static void receive_kernel_mmap(struct engine *e, const struct record *r)
{
	const struct record_mmap *m = &r->mmap;
	struct mapping mapping = { .start = m->start, .end = m->start + m->length };
	const char *bracket = *m->path == '[' ? strchr(m->path, ']') : NULL;

	if (mapping.end < mapping.start)
		mapping.end = UINT64_MAX;
	if (bracket && bracket[1]) {
		snprintf(e->kernel_reference, sizeof(e->kernel_reference), "%s", bracket + 1);
		e->kernel_reference_address = m->pgoff;
		mapping.path = strtab_add_n(e->names, m->path, (size_t)(bracket + 1 - m->path));
	} else {
		mapping.path = strtab_add(e->names, m->path);
	}
	resolver_add_kernel_mapping(e->resolver, &mapping);
}

static void receive_mmap(struct engine *e, const struct record *r)
{
	const struct record_mmap *m = &r->mmap;
	struct mapping mapping = { .start = m->start,
				   .end = m->start + m->length,
				   .pgoff = m->pgoff,
				   .major = m->major,
				   .minor = m->minor,
				   .inode = m->inode,
				   .inode_generation = m->inode_generation };
	struct thread *th;

	if (is_kernel_mapping(r)) {
		if (!e->has_procfs)
			receive_kernel_mmap(e, r);
		return;
	}
	if ((!m->executable && !e->data) || mapping.end < mapping.start || m->pid == UINT32_MAX)
		return;
	th = process_table_thread(e->processes, m->pid, m->tid);
	if (!th)
		return;
	mapping.path = m->path;
	mapping.build_id = build_id_of(m->build_id.bytes, m->build_id.size);
	if (m->executable)
		space_insert(process_space(e->processes, th->process, MAPS_CODE), &mapping);
	if (m->executable && jitdump_is_path(mapping.path))
		resolver_add_jitdump(e->resolver, th->process, &mapping);
	if (e->data)
		space_insert(process_space(e->processes, th->process, MAPS_ALL), &mapping);
}

static void receive_comm(struct engine *e, const struct record *r)
{
	struct process *p;

	arrive(e, r->comm.tid);
	process_table_comm(e->processes, r->comm.pid, r->comm.tid, r->comm.comm, r->comm.exec);
	if (!r->comm.exec)
		return;
	p = process_table_find(e->processes, r->comm.pid);
	if (p)
		p->exec_ns = r->time_ns;
	usage_forget(&e->usage, p);
	syscalls_exec(e->syscalls, process_table_find_thread(e->processes, r->comm.tid));
}

/* When it was, by CLOCK_MONOTONIC; without a /proc that could be newer, the record rules. */
static uint64_t change_time(const struct engine *e, const struct record *r, uint64_t rules)
{
	uint64_t time = r->task.time ? r->task.time : r->time_ns;

	return e->has_procfs && time ? time : rules;
}

/* The FORK of a process that perf found running: its mappings are told one by one. */
static void forget_space(struct engine *e, uint32_t pid)
{
	struct process *p = process_table_find(e->processes, pid);

	for (int kind = 0; p && kind < MAPS_KINDS; kind++)
		space_clear(process_space(e->processes, p, kind));
}

static void receive_fork(struct engine *e, const struct record *r)
{
	const struct task_change fork = { .pid = r->task.pid,
					  .tid = r->task.tid,
					  .ppid = r->task.ppid,
					  .ptid = r->task.ptid,
					  .time_ns = change_time(e, r, UINT64_MAX) };

	arrive(e, fork.tid);
	process_table_fork(e->processes, &fork);
	target_fork(&e->target, e->processes, &fork);
	times_start(e->times, process_table_find_thread(e->processes, fork.tid), r->time_ns);
	syscalls_start(e->syscalls, fork.tid, r->time_ns);
	if (r->task.own_space && fork.pid != fork.ppid && !e->has_procfs)
		forget_space(e, fork.pid);
	e->epoch++;
}

static void receive_exit(struct engine *e, const struct record *r)
{
	const struct task_change exit = { .pid = r->task.pid,
					  .tid = r->task.tid,
					  .time_ns = change_time(e, r, 0) };

	struct thread *th = process_table_find_thread(e->processes, exit.tid);

	cpu_of(e, r->cpu)->exiting = th;
	times_end(e->times, th, r->time_ns);
	syscalls_end(e->syscalls, exit.tid, r->time_ns);
	process_table_exit(e->processes, &exit);
	if (!th && e->has_procfs)
		engine_depart(e, exit.tid);
}

static void receive_ksymbol(struct engine *e, const struct record *r)
{
	const struct dso_kernel_symbol symbol = {
		.address = r->ksymbol.address,
		.size = r->ksymbol.length,
		.name = r->ksymbol.name,
		.gone = r->ksymbol.unregister,
	};

	resolver_add_kernel_symbol(e->resolver, &symbol);
}

typedef void record_handler(struct engine *e, const struct record *r);

/* Loss and throttling of samples are in the source's statistics already. */
static record_handler *const handlers[RECORD_TYPES] = {
	[RECORD_MMAP] = receive_mmap,       [RECORD_LOST] = receive_lost,
	[RECORD_COMM] = receive_comm,       [RECORD_EXIT] = receive_exit,
	[RECORD_FORK] = receive_fork,       [RECORD_READ] = receive_read,
	[RECORD_SAMPLE] = receive_sample,   [RECORD_MMAP2] = receive_mmap,
	[RECORD_KSYMBOL] = receive_ksymbol, [RECORD_CALLCHAIN_DEFERRED] = receive_deferred,
	[RECORD_SWITCH] = receive_switch,   [RECORD_SWITCH_CPU_WIDE] = receive_switch,
};

static void ignore(struct engine *e, const struct record *r)
{
	(void)r;
	e->stats.ignored++;
}

void engine_receive(void *engine, const struct record *r)
{
	struct engine *e = engine;
	record_handler *handle = r->type < RECORD_TYPES ? handlers[r->type] : NULL;

	e->stats.records++;
	if (r->time_ns > e->newest_ns)
		e->newest_ns = r->time_ns;
	if (r->time_ns && (!e->oldest_ns || r->time_ns < e->oldest_ns))
		e->oldest_ns = r->time_ns;
	if (e->newest_ns >= e->slice_end_ns)
		e->slice_end_ns = windows_advance(e->windows, e->newest_ns);
	handle = handle ? handle : ignore;
	handle(e, r);
	if (r->type != RECORD_SAMPLE && engine_is_recording(e))
		recorder_other(e->recorder, r);
}

void engine_stacks_sampled(struct engine *e, bool sampled)
{
	times_stacks_sampled(e->times, sampled);
}

void engine_waits_summed(struct engine *e, bool summed, uint64_t until_ns)
{
	times_summed(e->times, summed, until_ns);
}

static void ask_inlines(struct engine *e)
{
	if (e->inlines && inlines_ask(e->inlines))
		chains_forget(e->chains);
}

void engine_drained(struct engine *e, uint64_t began_ns)
{
	e->drained_ns = began_ns;
	if (e->has_procfs)
		ask_inlines(e);
	times_drained(e->times, e->newest_ns);
	syscalls_drained(e->syscalls, e->newest_ns);
	account_keep(e);
	if (engine_is_recording(e))
		recorder_round(e->recorder);
}

void engine_end_recording(struct engine *e)
{
	recorder_free(e->recorder);
	e->recorder = NULL;
	parts_choose(e);
}

int engine_symbols_fd(const struct engine *e)
{
	return dso_cache_fd(e->objects);
}

static void take_lines(struct engine *e)
{
	struct lines_answer *a;
	uint32_t object;

	while ((a = lines_take(e->lines))) {
		if (!e->sources || !sources_answer(e->sources, a))
			inlines_answer(e->inlines, a);
		lines_answer_free(a);
	}
	while (e->inlines && (object = inlines_answered(e->inlines)))
		chains_loaded(e->chains, object, false);
}

void engine_take_symbols(struct engine *e)
{
	uint32_t object;

	while ((object = dso_cache_loaded(e->objects))) {
		bool stale = resolver_loaded(e->resolver, object);

		chains_loaded(e->chains, object, stale);
	}
	if (e->lines)
		take_lines(e);
	if (!late_read(e->late))
		return;
	times_read(e->times);
	syscalls_read(e->syscalls);
}

int engine_lines_fd(const struct engine *e)
{
	return e->lines ? lines_fd(e->lines) : -1;
}

bool engine_waits_for_lines(struct engine *e)
{
	ask_inlines(e);
	return e->inlines && inlines_waiting(e->inlines);
}

/* LIMIT: so many functions at most, or 0. */
static void ask_sources(struct engine *e, size_t limit)
{
	chains_rename(e->chains); /* functions, not what stands for them */
	sources_ask(e->sources, e->histogram, limit);
}

bool engine_waits_for_sources(struct engine *e)
{
	if (e->sources && !e->has_procfs)
		ask_sources(e, 0);
	return e->sources && sources_waiting(e->sources);
}

bool engine_wants_records_soon(struct engine *e)
{
	return e->python && python_names_are_wanted(e->python);
}

bool engine_is_behind(struct engine *e)
{
	return !e->has_procfs && chains_is_behind(e->chains) && engine_waits_for_lines(e);
}

uint64_t engine_mark(struct engine *e)
{
	if (e->sources && e->has_procfs)
		ask_sources(e, SOURCES_AT_ONCE);
	return chains_mark(e->chains);
}

bool engine_waits_for_symbols(const struct engine *e, uint64_t mark)
{
	return chains_waits(e->chains, mark) || late_waits(e->late, mark);
}

void engine_zero(struct engine *e)
{
	parts_zero(e);
}

void engine_resumed(struct engine *e)
{
	times_forget(e->times);
	syscalls_gap(e->syscalls, e->newest_ns);
}

void engine_set_mode(struct engine *e, enum histogram_mode mode, double half_life_s)
{
	histogram_set_mode(e->histogram, mode, half_life_s);
	if (e->watch)
		histogram_set_mode(watch_addresses(e->watch), mode, half_life_s);
}

void engine_set_window(struct engine *e, uint64_t from_ns, uint64_t to_ns)
{
	windows_choose(e->windows, from_ns, to_ns);
}

void engine_make_frames(struct engine *e, const struct frame_key *keys, size_t count,
			uint32_t *frames)
{
	for (size_t i = 0; i < count; i++)
		frames[i] = frame_table_add(e->frames, &keys[i]);
}

struct usage_request engine_usage_request(const struct engine *e)
{
	return (struct usage_request){
		.procfs = &e->procfs,
		.clock = e->options.clock,
		.processes = e->processes,
		.now_ns = clock_monotonic_ns(e->options.clock),
	};
}

void engine_set_memory(struct engine *e, const uint32_t *pids, size_t count, bool mappings)
{
	const struct usage_request request = engine_usage_request(e);

	if (e->has_procfs)
		usage_ask(&e->usage, &request, pids, count, mappings);
}

void engine_set_groups(struct engine *e, const uint32_t *shown, size_t count, bool all)
{
	free(e->group_wish.shown);
	e->group_wish.shown = mem_array(count, sizeof(*shown));
	if (count)
		memcpy(e->group_wish.shown, shown, count * sizeof(*shown));
	e->group_wish.shown_count = count;
	e->group_wish.all = all;
}

void engine_set_threads(struct engine *e, bool threads)
{
	e->options.threads = threads;
}

void engine_set_owners(struct engine *e, enum owners owners)
{
	process_table_read_owners(e->processes, owners);
}

void engine_set_commands(struct engine *e, bool commands)
{
	e->options.commands = commands;
}

struct engine_stats engine_statistics(const struct engine *e)
{
	struct engine_stats stats = e->stats;

	stats.pending_overflow = chains_overflow(e->chains);
	if (e->inlines)
		stats.pending_overflow += inlines_overflow(e->inlines);
	stats.attribution = *attribution_statistics(e->attribution);
	stats.samples = stats.attribution.samples;
	stats.times = times_samples(e->times) + syscalls_samples(e->syscalls);
	stats.resolver = *resolver_statistics(e->resolver);
	return stats;
}
