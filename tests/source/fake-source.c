/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "source/fake-source.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>

#include "base/alloc.h"

struct fake {
	struct source source; /* first: the ops get this one's address */
	struct fake_script script;
	size_t next;
	pthread_mutex_t lock; /* guards `told` */
	struct fake_told told;
};

static int fake_wait(struct source *s, int timeout_ms, int wake_fd)
{
	struct fake *f = (struct fake *)s;
	struct pollfd fd = { .fd = wake_fd, .events = POLLIN };

	if (f->next < f->script.count)
		timeout_ms = 0;
	if (poll(&fd, 1, timeout_ms) < 0 && errno != EINTR)
		return -errno;
	return 0;
}

static void fake_account(struct source_stats *stats, const struct record *r)
{
	stats->records++;
	stats->bytes += r->size;
	if (r->type == RECORD_SAMPLE && !r->counts_only)
		stats->samples++;
	if (r->type == RECORD_LOST)
		stats->lost += r->lost.count;
	if (r->type == RECORD_THROTTLE)
		stats->throttled++;
}

static int64_t fake_drain(struct source *s, source_receiver *receive, void *context)
{
	struct fake *f = (struct fake *)s;
	size_t left = f->script.count - f->next;
	size_t count =
		f->script.per_drain && f->script.per_drain < left ? f->script.per_drain : left;

	pthread_mutex_lock(&f->lock);
	f->told.drains++;
	pthread_mutex_unlock(&f->lock);
	if (!left && f->script.fails_at_end)
		return -EIO;
	for (size_t i = 0; i < count; i++) {
		const struct record *r = &f->script.records[f->next++];

		fake_account(&s->stats, r);
		receive(context, r);
	}
	return (int64_t)count;
}

static int fake_set_enabled(struct source *s, size_t event, bool enabled)
{
	struct fake *f = (struct fake *)s;

	pthread_mutex_lock(&f->lock);
	if (enabled)
		f->told.enabled++;
	else
		f->told.disabled++;
	f->told.last_event = event;
	pthread_mutex_unlock(&f->lock);
	if (s->evlist && event < s->evlist->count)
		s->evlist->items[event]->enabled = enabled;
	return 0;
}

static int fake_suspend(struct source *s, bool suspended)
{
	struct fake *f = (struct fake *)s;

	pthread_mutex_lock(&f->lock);
	f->told.suspended = suspended;
	pthread_mutex_unlock(&f->lock);
	return 0;
}

static void fake_close(struct source *s)
{
	struct fake *f = (struct fake *)s;

	pthread_mutex_destroy(&f->lock);
	free(f);
}

static const struct source_ops fake_ops = {
	.wait = fake_wait,
	.drain = fake_drain,
	.set_enabled = fake_set_enabled,
	.suspend = fake_suspend,
	.close = fake_close,
};

struct source *fake_source_new(struct evlist *evlist, const struct fake_script *script)
{
	struct fake *f = mem_alloc(sizeof(*f));

	f->source.ops = &fake_ops;
	f->source.tier = script->tier;
	f->source.tier_reason = mem_strdup("");
	f->source.notes = mem_strdup("");
	f->source.evlist = evlist;
	f->script = *script;
	pthread_mutex_init(&f->lock, NULL);
	return &f->source;
}

struct fake_told fake_source_told(struct source *s)
{
	struct fake *f = (struct fake *)s;
	struct fake_told told;

	pthread_mutex_lock(&f->lock);
	told = f->told;
	pthread_mutex_unlock(&f->lock);
	return told;
}

static struct record fake_record(enum record_type type, uint32_t pid, uint32_t tid,
				 uint64_t time_ns)
{
	return (struct record){ .type = type,
				.size = 64,
				.cpumode = CPUMODE_USER,
				.pid = pid,
				.tid = tid,
				.time_ns = time_ns,
				.event = -1 };
}

struct record fake_comm(uint32_t pid, uint32_t tid, uint64_t time_ns, const char *comm, bool exec)
{
	struct record r = fake_record(RECORD_COMM, pid, tid, time_ns);

	r.comm = (struct record_comm){ .pid = pid, .tid = tid, .exec = exec, .comm = comm };
	return r;
}

struct record fake_mmap(uint32_t pid, uint64_t time_ns, uint64_t start, uint64_t length,
			const char *path)
{
	struct record r = fake_record(RECORD_MMAP2, pid, pid, time_ns);

	r.mmap = (struct record_mmap){ .pid = pid,
				       .tid = pid,
				       .start = start,
				       .length = length,
				       .executable = true,
				       .path = path };
	return r;
}

struct record fake_fork(uint32_t pid, uint32_t tid, uint32_t ppid, uint64_t time_ns)
{
	struct record r = fake_record(RECORD_FORK, ppid, ppid, time_ns);

	r.task = (struct record_task){
		.pid = pid, .ppid = ppid, .tid = tid, .ptid = ppid, .time = time_ns
	};
	return r;
}

struct record fake_exit(uint32_t pid, uint32_t tid, uint64_t time_ns)
{
	struct record r = fake_record(RECORD_EXIT, pid, tid, time_ns);

	r.task = (struct record_task){ .pid = pid, .tid = tid, .time = time_ns };
	return r;
}

struct record fake_lost(uint32_t cpu, uint64_t time_ns, uint64_t count)
{
	struct record r = fake_record(RECORD_LOST, 0, 0, time_ns);

	r.cpu = cpu;
	r.lost.count = count;
	return r;
}

struct record fake_sample(uint32_t pid, uint32_t tid, uint32_t cpu, uint64_t time_ns, uint64_t ip,
			  int event)
{
	struct record r = fake_record(RECORD_SAMPLE, pid, tid, time_ns);

	r.cpu = cpu;
	r.event = event;
	r.sample.ip = ip;
	r.sample.period = 1;
	return r;
}

struct record fake_switch(uint32_t pid, uint32_t tid, uint32_t cpu, uint64_t time_ns)
{
	struct record r = fake_sample(pid, tid, cpu, time_ns, 0, -1);

	r.cpumode = CPUMODE_KERNEL;
	r.counts_only = true;
	return r;
}

struct record fake_read(uint32_t pid, uint32_t tid, uint64_t time_ns)
{
	return fake_record(RECORD_READ, pid, tid, time_ns);
}

void fake_value(struct record *r, size_t event, uint64_t value)
{
	struct record_read *read = r->type == RECORD_READ ? &r->read : &r->sample.read;

	if (read->count == RECORD_READ_MAX)
		return;
	read->values[read->count].id = event;
	read->values[read->count++].value = value;
}
