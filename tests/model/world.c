/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/world.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"

#define FIRST_PID 50u
#define PIDS 100u                     /* few, so that each comes back, and more than are in use */
#define STEP_NS (5 * NS_PER_S / 1000) /* between two things that happen: as a tick of 200 Hz */
#define DRAIN_NS (NS_PER_S / 5)
#define TICK_NS (NS_PER_S / 100) /* of /proc */
#define IMAGE 0x400000u
#define IMAGE_SIZE 0x10000u
#define KERNEL 0xffffffff81000000u
#define DEPTH 6
#define FOREIGN 20u /* records that one step gives another clock's time */

uint64_t dice_next(struct dice *d)
{
	uint64_t z = d->state += 0x9e3779b97f4a7c15u; /* splitmix64 */

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

uint64_t dice_below(struct dice *d, uint64_t limit)
{
	return dice_next(d) % limit;
}

/* Records: those of a drain are held, and handed over as the live source does. */

static bool is_sideband(const struct record *r)
{
	return r->type != RECORD_SAMPLE && r->type != RECORD_LOST &&
	       r->type != RECORD_SWITCH_CPU_WIDE;
}

/* A time that cannot be is that of the last drain when it leaves the source: see perf/live/handover.c. */
static void hold(struct world *w, const struct record *r)
{
	struct world_cpu *c = &w->cpus[r->cpu];
	struct record *to;

	mem_grow((void **)&w->held, &w->held_capacity, w->held_count + 1, sizeof(*w->held));
	to = &w->held[w->held_count++];
	*to = *r;
	if (!c->foreign || r->type != RECORD_SAMPLE)
		return;
	c->foreign--;
	to->estimated = true;
	to->time_ns = w->drained_ns;
}

static void hand_over(struct world *w, const struct record *r)
{
	struct source_stats *stats = &w->rig->source->stats;

	stats->samples += r->type == RECORD_SAMPLE && !r->counts_only;
	if (r->type == RECORD_LOST)
		stats->lost += r->lost.count;
	engine_receive(w->rig->engine, r);
}

/* Between two records of the side-band the samples come CPU by CPU: see perf/live/drain.c. */
static void drain(struct world *w)
{
	size_t from = 0, to;

	for (; from < w->held_count; from = to + 1) {
		for (to = from; to < w->held_count && !is_sideband(&w->held[to]);)
			to++;
		for (unsigned cpu = 0; cpu < w->cpu_count; cpu++) {
			for (size_t i = from; i < to; i++) {
				if (w->held[i].cpu == cpu)
					hand_over(w, &w->held[i]);
			}
		}
		if (to < w->held_count)
			hand_over(w, &w->held[to]);
	}
	w->held_count = 0;
	w->drained_ns = w->rig->now_ns;
	engine_drained(w->rig->engine, w->rig->now_ns);
}

static const struct world_task *task_of(const struct world *w, unsigned cpu)
{
	static const struct world_task idle = { 0 };

	return w->cpus[cpu].task < 0 ? &idle : &w->tasks[w->cpus[cpu].task];
}

/* Returns true if the record of CPU finds room; lost records are reported before the next one. */
static bool finds_room(struct world *w, unsigned cpu)
{
	struct world_cpu *c = &w->cpus[cpu];
	struct record lost;

	if (c->dropping) {
		c->dropping--;
		c->lost++;
		return false;
	}
	if (c->lost) {
		lost = fake_lost(cpu, w->rig->now_ns, c->lost);
		hold(w, &lost);
		c->lost = 0;
	}
	return true;
}

static void add_values(struct world *w, unsigned cpu, struct record *r)
{
	const struct evlist *l = w->rig->evlist;
	struct world_cpu *c = &w->cpus[cpu];

	for (size_t i = 0; i < l->count && i < WORLD_EVENTS; i++) {
		if (!evsel_is_time(l->items[i]) && !l->items[i]->removed)
			fake_value(r, i, c->values[i]);
	}
	r->sample.read.enabled_ns = c->enabled_ns;
	r->sample.read.running_ns = c->running_ns;
}

/* Stacks live as long as the drain: they are of this table. */
static void add_stack(struct world *w, struct record *r)
{
	static uint64_t stacks[8][DEPTH + 2];
	unsigned which = (unsigned)dice_below(&w->dice, 8);
	uint64_t *words = stacks[which];

	if (!words[0]) {
		words[0] = CALLCHAIN_KERNEL;
		words[1] = KERNEL + which * 64;
		words[2] = CALLCHAIN_USER;
		for (unsigned i = 3; i < DEPTH + 2; i++)
			words[i] = IMAGE + (which * i * 1000) % IMAGE_SIZE;
	}
	r->sample.callchain = words;
	r->sample.callchain_count = 4 + which % (DEPTH - 2);
	r->sample.ip = words[1];
	r->cpumode = CPUMODE_KERNEL;
}

static void sample(struct world *w, unsigned cpu, int event)
{
	const struct world_task *t = task_of(w, cpu);
	struct record r = fake_sample(t->pid, t->tid, cpu, w->rig->now_ns,
				      IMAGE + dice_below(&w->dice, IMAGE_SIZE), event);

	if (!w->rig->evlist->items[event]->enabled)
		return;
	if (w->rig->options.target.callchains)
		add_stack(w, &r);
	r.sample.period = 1 + dice_below(&w->dice, 1000000);
	add_values(w, cpu, &r);
	if (finds_room(w, cpu))
		hold(w, &r);
}

/* The task of CPU gives it up: the leader's sample, and with events of time the switch itself. */
static void leave(struct world *w, unsigned cpu, bool preempted)
{
	const struct world_task *t = task_of(w, cpu);
	struct record r = fake_switch(t->pid, t->tid, cpu, w->rig->now_ns);

	if (w->few_switches && dice_below(&w->dice, 16))
		return;
	r.switched = evlist_has_time(w->rig->evlist);
	if (r.switched)
		add_stack(w, &r);
	add_values(w, cpu, &r);
	if (finds_room(w, cpu))
		hold(w, &r);
	if (!r.switched)
		return;
	r = fake_read(t->pid, t->tid, w->rig->now_ns + 1);
	r.cpu = cpu;
	r.type = RECORD_SWITCH_CPU_WIDE;
	r.cswitch = (struct record_switch){ .out = true, .preempted = preempted };
	hold(w, &r);
}

static void come(struct world *w, unsigned cpu)
{
	const struct world_task *t = task_of(w, cpu);
	struct record r = fake_read(t->pid, t->tid, w->rig->now_ns + 2);

	r.cpu = cpu;
	r.type = RECORD_SWITCH_CPU_WIDE;
	r.cswitch = (struct record_switch){ 0 };
	if (evlist_has_time(w->rig->evlist))
		hold(w, &r);
}

/* Tasks. */

static struct world_process *process_of(struct world *w, uint32_t pid)
{
	for (size_t i = 0; i < WORLD_TASKS; i++) {
		if (w->processes[i].pid == pid)
			return &w->processes[i];
	}
	return NULL;
}

static bool is_used(const struct world *w, uint32_t tid)
{
	for (size_t i = 0; i < WORLD_TASKS; i++) {
		if (w->tasks[i].tid == tid || w->processes[i].pid == tid)
			return true;
	}
	return false;
}

static uint32_t next_tid(struct world *w)
{
	do {
		w->last_pid = FIRST_PID + (w->last_pid + 1 - FIRST_PID) % PIDS;
	} while (is_used(w, w->last_pid));
	return w->last_pid;
}

static int free_task(const struct world *w)
{
	int used = 0, found = -1;

	for (int i = 0; i < WORLD_TASKS; i++) {
		used += w->tasks[i].tid != 0;
		found = w->tasks[i].tid ? found : i;
	}
	return used < WORLD_TASKS - 8 ? found : -1;
}

static void rename_task(struct world *w, uint32_t pid, uint32_t tid, bool exec)
{
	static const char *const names[] = { "cc1", "sh", "make", "\033[2Jevil", "a b", "" };
	struct record r = fake_comm(pid, tid, w->rig->now_ns, names[dice_below(&w->dice, 6)], exec);

	hold(w, &r);
	if (!exec)
		return;
	r = fake_mmap(pid, w->rig->now_ns, IMAGE, IMAGE_SIZE,
		      dice_below(&w->dice, 2) ? "/nowhere/one" : "/nowhere/two");
	hold(w, &r);
}

/* A process, or with PID a thread of that one. */
static void begin_task(struct world *w, uint32_t pid, uint32_t parent)
{
	int i = free_task(w);
	struct world_task *t;
	struct record r;

	if (i < 0)
		return;
	t = &w->tasks[i];
	*t = (struct world_task){ .tid = next_tid(w), .cpu = -1, .began_ns = w->rig->now_ns };
	t->pid = pid ? pid : t->tid;
	if (!pid)
		*process_of(w, 0) = (struct world_process){
			.pid = t->pid,
			.began_ns = w->rig->now_ns,
			.listed = !w->hides && dice_below(&w->dice, 4),
		};
	process_of(w, t->pid)->threads++;
	r = fake_fork(t->pid, t->tid, pid ? pid : parent, w->rig->now_ns);
	hold(w, &r);
	if (!dice_below(&w->dice, 2))
		rename_task(w, t->pid, t->tid, !pid);
}

static void remove_proc(const struct world *w, uint32_t pid)
{
	char *path = mem_printf("%s/%u/stat", w->rig->proc_root, pid);

	unlink(path);
	*strrchr(path, '/') = '\0';
	rmdir(path);
	free(path);
}

static void end_task(struct world *w, int i)
{
	struct world_task *t = &w->tasks[i];
	struct world_process *p = process_of(w, t->pid);
	struct record r = fake_exit(t->pid, t->tid, w->rig->now_ns);

	r.cpu = t->cpu < 0 ? 0 : (uint32_t)t->cpu;
	hold(w, &r);
	if (t->cpu >= 0) {
		leave(w, (unsigned)t->cpu, false);
		w->cpus[t->cpu].task = -1;
		come(w, (unsigned)t->cpu);
	}
	if (!--p->threads) {
		if (p->listed)
			remove_proc(w, p->pid);
		*p = (struct world_process){ 0 };
	}
	*t = (struct world_task){ 0 };
}

static void switch_task(struct world *w, unsigned cpu)
{
	int next = (int)dice_below(&w->dice, WORLD_TASKS), old = w->cpus[cpu].task;

	leave(w, cpu, dice_below(&w->dice, 2));
	if (old >= 0) {
		w->tasks[old].cpu = -1;
		w->tasks[old].waits = dice_below(&w->dice, 2);
	}
	if (!w->tasks[next].tid || w->tasks[next].cpu >= 0)
		next = -1;
	w->cpus[cpu].task = next;
	if (next >= 0)
		w->tasks[next].cpu = (int)cpu;
	come(w, cpu);
}

/* Time. */

static size_t event_named(const struct world *w, const char *name)
{
	const struct evlist *l = w->rig->evlist;

	for (size_t i = 0; i < l->count && i < WORLD_EVENTS; i++) {
		if (!strcmp(l->items[i]->name, name))
			return i;
	}
	return WORLD_EVENTS - 1; /* nobody's */
}

static void cpu_advance(struct world *w, unsigned cpu, uint64_t ns)
{
	struct world_cpu *c = &w->cpus[cpu];

	c->enabled_ns += ns;
	c->running_ns += w->takes_turns ? ns * 3 / 4 : ns;
	c->values[event_named(w, "cpu-clock")] += ns;
	c->values[event_named(w, "task-clock")] += ns;
	if (c->task < 0) {
		c->idle_ns += ns;
		return;
	}
	c->values[event_named(w, "page-faults")] += dice_below(&w->dice, 10);
	w->tasks[c->task].ran_ns += ns;
	process_of(w, w->tasks[c->task].pid)->ran_ns += ns;
}

static void advance(struct world *w, uint64_t ns)
{
	w->rig->now_ns += ns;
	for (unsigned cpu = 0; cpu < w->cpu_count; cpu++)
		cpu_advance(w, cpu, ns);
}

/* An action of a task that runs; MANY are for it. */
static void act(struct world *w, unsigned cpu, uint64_t what)
{
	int i = w->cpus[cpu].task;
	size_t faults = event_named(w, "page-faults");

	if (what < 40 || i < 0) {
		switch_task(w, cpu);
	} else if (what < 70) {
		sample(w, cpu, 0);
	} else if (what < 80 && faults < WORLD_EVENTS - 1 &&
		   w->rig->evlist->items[faults]->role == EVSEL_SAMPLE) {
		sample(w, cpu, (int)faults);
	} else if (what < 86) {
		begin_task(w, 0, w->tasks[i].pid);
	} else if (what < 90) {
		begin_task(w, w->tasks[i].pid, 0);
	} else if (what < 94) {
		rename_task(w, w->tasks[i].pid, w->tasks[i].tid,
			    w->tasks[i].tid == w->tasks[i].pid);
	} else {
		end_task(w, i);
	}
}

static void tick_all(struct world *w)
{
	for (unsigned cpu = 0; cpu < w->cpu_count; cpu++)
		sample(w, cpu, 0);
}

void world_run(struct world *w, uint64_t ns, uint64_t seed)
{
	uint64_t end_ns = w->rig->now_ns + ns, drain_ns = w->rig->now_ns + DRAIN_NS;

	w->dice.state = seed;
	while (w->rig->now_ns < end_ns) {
		advance(w, 1 + dice_below(&w->dice, STEP_NS));
		act(w, (unsigned)dice_below(&w->dice, w->cpu_count), dice_below(&w->dice, 100));
		if (!dice_below(&w->dice, 2))
			tick_all(w);
		if (w->rig->now_ns < drain_ns)
			continue;
		drain(w);
		drain_ns = w->rig->now_ns + DRAIN_NS;
	}
	tick_all(w);
	drain(w);
	world_write_proc(w);
}

void world_drop(struct world *w, unsigned cpu, unsigned records)
{
	w->cpus[cpu % w->cpu_count].dropping = records;
}

void world_tell_time(struct world *w, unsigned cpu)
{
	w->cpus[cpu % w->cpu_count].foreign = FOREIGN;
}

void world_jump(struct world *w, uint64_t by)
{
	w->cpus[0].values[event_named(w, "page-faults")] += by;
}

/* /proc. */

static void write_file(const struct world *w, const char *name, const char *text)
{
	char *path = mem_printf("%s/%s", w->rig->proc_root, name);
	FILE *f = fopen(path, "w");

	if (f) {
		fputs(text, f);
		fclose(f);
	}
	free(path);
}

static void write_host(struct world *w)
{
	uint64_t idle_ns = 0, ns = 0;
	struct buf text = { 0 };

	for (unsigned cpu = 0; cpu < w->cpu_count; cpu++) {
		idle_ns += w->cpus[cpu].idle_ns;
		ns += w->cpus[cpu].enabled_ns;
	}
	buf_printf(&text, "cpu  %llu 0 0 %llu 0 0 0 0 0 0\n",
		   (unsigned long long)((ns - idle_ns) / TICK_NS),
		   (unsigned long long)(idle_ns / TICK_NS));
	for (unsigned cpu = 0; cpu < w->cpu_count; cpu++)
		buf_printf(&text, "cpu%u 0 0 0 0 0 0 0 0 0 0\n", cpu);
	write_file(w, "stat", text.bytes);
	buf_fini(&text);
}

static void write_process(struct world *w, struct world_process *p)
{
	uint64_t ticks = p->ran_ns / TICK_NS;
	char *path, *text;

	if (ticks == p->written_ticks && p->threads == p->written_threads)
		return;
	p->written_ticks = ticks;
	p->written_threads = p->threads;
	path = mem_printf("%s/%u", w->rig->proc_root, p->pid);
	text = mem_printf(
		"%u (some) S 1 1 1 0 -1 0 0 0 0 0 %llu 0 0 0 20 0 %u 0 %llu 1000 10 0 0 0 0 0 "
		"0 0 0 0 0 0 0 0 17 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n",
		p->pid, (unsigned long long)ticks, p->threads,
		(unsigned long long)(p->began_ns / TICK_NS));

	mkdir(path, 0700);
	free(path);
	path = mem_printf("%u/stat", p->pid);
	write_file(w, path, text);
	free(path);
	free(text);
}

void world_write_proc(struct world *w)
{
	write_host(w);
	for (size_t i = 0; i < WORLD_TASKS; i++) {
		if (w->processes[i].pid && w->processes[i].listed)
			write_process(w, &w->processes[i]);
	}
}

void world_init(struct world *w, struct rig *rig, uint64_t seed)
{
	*w = (struct world){ .rig = rig, .dice = { seed }, .last_pid = FIRST_PID };
	w->drained_ns = rig->now_ns;
	w->cpu_count = 1 + (unsigned)dice_below(&w->dice, WORLD_CPUS);
	w->hides = !dice_below(&w->dice, 4);
	w->takes_turns = !dice_below(&w->dice, 4);
	for (unsigned cpu = 0; cpu < w->cpu_count; cpu++)
		w->cpus[cpu].task = -1;
	for (int i = 0; i < 6; i++) {
		struct world_task *t = &w->tasks[i];

		t->pid = t->tid = next_tid(w);
		t->cpu = -1;
		w->processes[i] =
			(struct world_process){ .pid = t->pid, .threads = 1, .listed = true };
	}
	world_write_proc(w);
}

void world_fini(struct world *w)
{
	char *path = mem_printf("%s/stat", w->rig->proc_root);

	for (size_t i = 0; i < WORLD_TASKS; i++) {
		if (w->processes[i].pid && w->processes[i].listed)
			remove_proc(w, w->processes[i].pid);
	}
	unlink(path);
	free(path);
	free(w->held);
}
