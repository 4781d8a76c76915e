/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <string.h>

#include "base/alloc.h"
#include "proc/process-table.h"

#define COUNTS_TEXT_BYTES 16384 /* status grows with CPUs and memory nodes */

static int parse_switches(const char *text, size_t size, uint64_t *out)
{
	struct task_status status;

	if (task_status_parse(text, size, &status) || status.voluntary_switches < 0 ||
	    status.involuntary_switches < 0)
		return -EBADMSG;
	out[0] = (uint64_t)status.voluntary_switches;
	out[1] = (uint64_t)status.involuntary_switches;
	return 0;
}

static int parse_delays(const char *text, size_t size, uint64_t *out)
{
	return task_schedstat_parse(text, size, &out[0], &out[1]);
}

/* Files with counts of one thread; those in /proc/PID are of the leader alone, but that of IO. */
static const struct count_file {
	const char *name;
	enum task_count first, end; /* what it counts */
	bool below_task;            /* the leader's is the one in task/PID, too */
	int (*parse)(const char *text, size_t size, uint64_t *out);
} files[TASK_FILES] = {
	[TASK_SWITCHES] = { "status", COUNT_VOLUNTARY, COUNT_READ_BYTES, false, parse_switches },
	[TASK_IO] = { "io", COUNT_READ_BYTES, COUNT_RUN_NS, true, task_io_parse },
	[TASK_DELAYS] = { "schedstat", COUNT_RUN_NS, TASK_COUNTS, false, parse_delays },
};

/*
 * The counts of TH are those of the last refresh: they were read then, or it has not run since.
 * Counts that were zero when TH was born are current in the first refresh after that.
 */
static bool counts_current(const struct process_table *t, const struct thread *th,
			   enum task_file file)
{
	uint64_t read_at = th->counts ? th->counts->read_at[file] : th->born_at + 1;

	return read_at >= t->counted_since[file];
}

static void set_deltas(int64_t deltas[TASK_COUNTS], enum task_file file, int64_t value)
{
	for (size_t i = files[file].first; i < files[file].end; i++)
		deltas[i] = value;
}

void counts_set(const struct process_table *t, struct process *p, int64_t value, bool threads)
{
	for (enum task_file file = 0; file < TASK_FILES; file++) {
		int64_t delta = t->counted_since[file] > t->refreshes ? -1 : value;

		set_deltas(p->deltas, file, delta);
		for (size_t i = 0; threads && i < p->thread_count; i++) {
			if (p->threads[i]->counts)
				set_deltas(p->threads[i]->counts->deltas, file, delta);
		}
	}
}

static struct thread_counts *thread_counts(struct thread *th)
{
	if (th->counts)
		return th->counts;
	th->counts = mem_alloc(sizeof(*th->counts));
	for (enum task_file file = 0; file < TASK_FILES; file++)
		th->counts->read_at[file] = th->born_at + 1;
	return th->counts;
}

void thread_forget_counts(struct thread *th)
{
	if (th->counts || th->born_at != UINT64_MAX)
		memset(thread_counts(th)->read_at, 0, sizeof(th->counts->read_at));
}

void process_forget_counts(const struct process_table *t, struct process *p)
{
	for (size_t i = 0; i < p->thread_count; i++)
		thread_forget_counts(p->threads[i]);
	counts_set(t, p, -1, true);
}

/* Returns 0, or a negative errno. */
static int read_file(struct process_table *t, struct thread *th, const struct count_file *f,
		     uint64_t *out)
{
	uint32_t tid = th->tid == th->process->pid && !f->below_task ? 0 : th->tid;
	char text[COUNTS_TEXT_BYTES];
	ssize_t n = thread_read_file(t, th, (size_t)(f - files), tid, f->name, text, sizeof(text));

	thread_check(t, th, n);
	if (n < 0)
		return (int)n;
	return f->parse(text, (size_t)n, out);
}

/* Brings the counts of TH up to date.  Returns false if its deltas are unknown. */
static bool thread_read_counts(struct process_table *t, struct thread *th, enum task_file file)
{
	const struct count_file *f = &files[file];
	struct thread_counts *c = thread_counts(th);
	bool known = counts_current(t, th, file);
	uint64_t now[TASK_COUNTS];

	set_deltas(c->deltas, file, -1);
	c->read_at[file] = 0;
	if (read_file(t, th, f, now))
		return false;
	for (size_t i = f->first; i < f->end; i++)
		known &= now[i - f->first] >= c->counts[i]; /* else another thread has the number */
	for (size_t i = f->first; i < f->end; i++) {
		if (known)
			c->deltas[i] = (int64_t)(now[i - f->first] - c->counts[i]);
		c->counts[i] = now[i - f->first];
	}
	c->read_at[file] = t->refreshes;
	return known;
}

void process_skip_counts(struct process *p, enum task_file file)
{
	set_deltas(p->deltas, file, -1);
	for (size_t i = 0; i < p->thread_count; i++) {
		struct thread *th = p->threads[i];

		/* Without counts only those since a birth could be current. */
		if (!thread_may_have_run(th) || (!th->counts && th->born_at == UINT64_MAX))
			continue;
		set_deltas(thread_counts(th)->deltas, file, -1);
		th->counts->read_at[file] = 0;
	}
}

void process_read_counts(struct process_table *t, struct process *p, enum task_file file, bool all)
{
	bool complete = !all || p->live_threads >= p->stat.threads;

	set_deltas(p->deltas, file, 0);
	for (size_t i = 0; i < p->thread_count; i++) {
		struct thread *th = p->threads[i];

		if (th->counts)
			set_deltas(th->counts->deltas, file, 0);
		if (th->exited || (!all && !thread_may_have_run(th) && counts_current(t, th, file)))
			continue;
		complete &= thread_read_counts(t, th, file);
		for (size_t k = files[file].first; k < files[file].end; k++)
			p->deltas[k] += th->counts->deltas[k];
	}
	if (!complete)
		set_deltas(p->deltas, file, -1);
}
