/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "perf/harness.h"

#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "perf/live/live.h"

struct tally_task *tally_of(struct tally *t, uint32_t tid)
{
	struct tally_task *task = map_find(&t->tasks, (uint64_t)tid + 1);

	if (!task) {
		task = mem_alloc(sizeof(*task));
		map_put(&t->tasks, (uint64_t)tid + 1, task);
	}
	return task;
}

void tally_fini(struct tally *t)
{
	size_t cursor = 0;
	void *task;

	while ((task = map_next(&t->tasks, &cursor)))
		free(task);
	map_fini(&t->tasks);
}

static void tally_values(struct tally *t, const struct record *r)
{
	const struct record_read *read = &r->sample.read;
	struct tally_task *task = tally_of(t, r->tid);

	for (uint32_t i = 0; i < read->count; i++) {
		uint64_t event = read->values[i].id;

		if (event >= HARNESS_EVENTS)
			continue;
		/* A counter that began again has no increase. */
		if (!t->gap[r->cpu] && !r->unattributed &&
		    read->values[i].value >= t->last[r->cpu][event])
			task->values[event] += read->values[i].value - t->last[r->cpu][event];
		t->last[r->cpu][event] = read->values[i].value;
		t->times_back += read->enabled_ns < t->last_enabled_ns[r->cpu][event];
		t->last_enabled_ns[r->cpu][event] = read->enabled_ns;
	}
	t->unattributed += r->unattributed;
	task->stacks += !r->counts_only && r->sample.callchain_count > 0;
	task->leavings += r->switched && r->sample.callchain_count > 0;
	if (read->count)
		t->gap[r->cpu] &= r->unattributed;
}

static void tally_sample(struct tally *t, const struct record *r)
{
	t->without_tid += r->tid == UINT32_MAX;
	t->disorder += r->time_ns < t->sideband_ns;
	if (r->time_ns > t->newest_sample_ns)
		t->newest_sample_ns = r->time_ns;
	tally_values(t, r);
	if (r->waits)
		tally_of(t, r->tid)->waits += r->waits->count;
	if (r->counts_only)
		return;
	t->samples++;
	t->unknown += r->event < 0;
	t->without_period += r->sample.period == 0;
	t->on_cpu[r->cpu]++;
	if (r->event < 0 || r->event >= HARNESS_EVENTS)
		return;
	tally_of(t, r->tid)->samples[r->event]++;
	tally_of(t, r->tid)->periods[r->event] += r->sample.period;
}

static void tally_read(struct tally *t, const struct record *r)
{
	struct tally_task *task = tally_of(t, r->tid);

	for (uint32_t i = 0; i < r->read.count; i++) {
		if (r->read.values[i].id >= HARNESS_EVENTS)
			continue;
		task->values[r->read.values[i].id] += r->read.values[i].value;
		task->enabled_ns[r->read.values[i].id] += r->read.enabled_ns;
	}
}

static void tally_lost(struct tally *t, const struct record *r)
{
	t->gap[r->cpu] = true;
	t->lost += r->lost.count;
	t->gaps += r->lost.count == 0;
}

static void tally_sideband(struct tally *t, const struct record *r)
{
	struct tally_task *task = tally_of(t, r->type == RECORD_FORK ? r->task.tid : r->tid);

	t->disorder += r->time_ns < t->sideband_ns || r->time_ns <= t->newest_sample_ns;
	t->sideband_ns = r->time_ns;
	task->mappings += r->type == RECORD_MMAP2;
	task->comms += r->type == RECORD_COMM;
	task->forks += r->type == RECORD_FORK;
	task->exits += r->type == RECORD_EXIT;
}

static void tally_time(struct tally *t, const struct record *r)
{
	t->programs += r->type == RECORD_BPF_EVENT;
	if (!t->oldest_ns || r->time_ns < t->oldest_ns)
		t->oldest_ns = r->time_ns;
	if (r->time_ns > t->newest_ns)
		t->newest_ns = r->time_ns;
}

void tally_receive(void *tally, const struct record *r)
{
	static const struct {
		enum record_type type;
		void (*take)(struct tally *t, const struct record *r);
	} kinds[] = {
		{ RECORD_SAMPLE, tally_sample }, { RECORD_READ, tally_read },
		{ RECORD_LOST, tally_lost },     { RECORD_MMAP2, tally_sideband },
		{ RECORD_COMM, tally_sideband }, { RECORD_FORK, tally_sideband },
		{ RECORD_EXIT, tally_sideband },
	};

	tally_time(tally, r);
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (kinds[i].type == r->type)
			kinds[i].take(tally, r);
	}
}

bool bench_open(struct bench *b, const char *events, uint64_t freq_hz,
		const struct source_options *options, struct error *err)
{
	*b = (struct bench){ .events = evlist_new() };
	if (!events)
		evlist_add_defaults(b->events);
	else if (evlist_parse(b->events, events, err) < 0)
		return false;
	evlist_set_rate(b->events, freq_hz, 0);
	b->source = live_source_open(b->events, options, err);
	b->tally = mem_alloc(sizeof(*b->tally));
	return b->source;
}

void bench_close(struct bench *b)
{
	source_close(b->source);
	evlist_free(b->events);
	if (b->tally)
		tally_fini(b->tally);
	free(b->tally);
	*b = (struct bench){ 0 };
}

void bench_drain(struct bench *b)
{
	b->source->ops->drain(b->source, tally_receive, b->tally);
}

uint64_t bench_value(struct bench *b, uint32_t tid, const char *event)
{
	int index = evlist_find(b->events, event);

	return index < 0 ? UINT64_MAX : tally_of(b->tally, tid)->values[index];
}

static void child_run(const int go[2], const int done[2], void (*work)(uint64_t), uint64_t argument)
{
	char byte;

	prctl(PR_SET_PDEATHSIG, SIGKILL); /* a test that fails leaves nothing behind */
	close(go[1]);
	close(done[0]);
	if (read(go[0], &byte, 1) == 1)
		work(argument);
	if (write(done[1], "", 1) != 1 || read(go[0], &byte, 1) < 0)
		_exit(1);
	_exit(0);
}

void child_start(struct child *c, void (*work)(uint64_t argument), uint64_t argument)
{
	int go[2], done[2];

	if (pipe(go) < 0 || pipe(done) < 0)
		abort();
	c->pid = fork();
	if (c->pid < 0)
		abort();
	if (c->pid == 0)
		child_run(go, done, work, argument);
	close(go[0]);
	close(done[1]);
	c->go = go[1];
	c->done = done[0];
}

void child_go(struct child *c)
{
	if (write(c->go, "", 1) != 1)
		abort();
}

void child_wait(struct child *c, struct bench *b)
{
	char byte;

	for (;;) {
		struct pollfd fd = { .fd = c->done, .events = POLLIN };

		if (!b)
			poll(&fd, 1, -1);
		else if (b->source->ops->wait(b->source, 100, c->done) == 0)
			bench_drain(b);
		if (poll(&fd, 1, 0) == 1)
			break;
	}
	if (read(c->done, &byte, 1) != 1)
		abort();
}

void child_end(struct child *c, struct rusage *usage)
{
	int status;

	child_go(c);
	close(c->go);
	if (wait4(c->pid, &status, 0, usage) < 0)
		abort();
	close(c->done);
}

static uint64_t own_cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

void work_spin(uint64_t ns)
{
	uint64_t end = own_cpu_ns() + ns;

	while (own_cpu_ns() < end) {
		for (volatile int i = 0; i < 100000; i++)
			;
	}
}

void work_fault(uint64_t pages)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char *memory = mmap(NULL, pages * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			    -1, 0);

	if (memory == MAP_FAILED)
		abort();
	madvise(memory, pages * page, MADV_NOHUGEPAGE);
	for (uint64_t i = 0; i < pages; i++)
		memory[i * page] = 1;
	munmap(memory, pages * page);
}

void stay_on_cpu(unsigned cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set) < 0)
		abort();
}
