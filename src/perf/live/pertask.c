/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * Tier 2: tasks that we may trace, without privilege.
 *
 * Each task that was there has, on each CPU, its sampling events and a side-band event; children
 * and new threads inherit them.  All write into the two rings of the CPU, which belong to two
 * events of our own that count nothing: a ring must outlive the tasks.  The kernel's version
 * decides how values of tasks are read: family-counters.c, task-counters.c.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/i18n.h"
#include "perf/live/group-open.h"
#include "perf/live/open.h"
#include "perf/live/pertask.h"
#include "perf/live/tasks.h"
#include "perf/live/turns.h"

#define SCAN_NS NS_PER_S /* how often /proc is looked at for tasks that nobody announced */
#define FD_RESERVE 256   /* left to the rest of the program: /proc, ELF files */

/* Finding. */

static void found_add(void *context, uint32_t pid, uint32_t tid)
{
	struct pertask *p = context;

	if (map_find(&p->tasks, tid))
		return;
	mem_grow((void **)&p->found, &p->found_capacity, p->found_count + 1, sizeof(*p->found));
	p->found[p->found_count++] = (struct found){ pid, tid };
}

static void scan(struct live *l)
{
	const struct number_list *tasks = l->options.tasks;
	struct pertask *p = l->pertask;

	p->found_count = 0;
	if (l->options.mode == TARGET_CGROUP) {
		tasks_of_group(l->options.cgroup_directory, "/proc", found_add, p);
		return;
	}
	if (!tasks) {
		uid_t uid = l->options.mode == TARGET_USER ? (uid_t)l->options.uid : geteuid();

		tasks_of_user("/proc", uid, found_add, p);
		return;
	}
	for (size_t i = 0; i < tasks->count; i++) {
		if (l->options.mode == TARGET_TID)
			found_add(p, tasks->items[i], tasks->items[i]);
		else
			tasks_of_process("/proc", tasks->items[i], found_add, p);
	}
}

/* Opening. */

static size_t fd_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) < 0 || limit.rlim_cur <= 2 * FD_RESERVE)
		return FD_RESERVE;
	return (size_t)limit.rlim_cur - FD_RESERVE;
}

/* Counters of every task on every CPU are many descriptors where the tasks are all of a user. */
static bool family_counters_fits(struct live *l)
{
	struct pertask *p = l->pertask;
	size_t cpus = l->options.cpus ? l->options.cpus->count : l->online.count;
	size_t a_task = cpus * (2 + l->source.evlist->count);

	scan(l);
	return p->found_count * a_task <= p->fd_limit / 2;
}

static void layouts_carry(struct live *l)
{
	l->source.layout.sample_type |= PERF_SAMPLE_READ;
	l->source.layout.read_format = LIVE_READ_FORMAT;
	l->leader_layout.sample_type |= PERF_SAMPLE_READ;
	l->leader_layout.read_format = LIVE_READ_FORMAT;
}

static void per_task_enter(struct live *l)
{
	size_t events = live_event_room(l);
	struct pertask *p = mem_alloc(sizeof(*p));

	plan_init(&l->plan, l->source.evlist, live_event_room(l));
	p->fd_limit = fd_limit();
	p->sampled = mem_array(events, sizeof(*p->sampled));
	p->values = mem_array(3 + 2 * (events + 1), sizeof(*p->values));
	p->record = mem_alloc(sizeof(*p->record));
	p->counting = &counting_by_task;
	l->pertask = p;
	if (!family_counters_possible() || !family_counters_fits(l))
		return;
	p->counting = &counting_by_family;
	layouts_carry(l);
}

static void per_task_attr(const struct live *l, const struct evsel *e, struct perf_event_attr *attr)
{
	l->pertask->counting->attr(l, e, attr);
}

/* An event of our own that counts nothing and owns a ring. */
static int anchor_open(struct live *l, const struct cpu *c, enum lane_ring ring)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_DUMMY,
	};
	int fd;

	live_attr_finish(l, ring == LANE_SAMPLES ? &l->source.layout : &l->sideband_layout, NULL,
			 &attr);
	if (ring == LANE_SIDEBAND)
		attr.wakeup_watermark = 0;
	attr.exclude_kernel = attr.exclude_hv = l->source.user_only;
	fd = perf_open(&attr, 0, (int)c->number, -1, 0);
	if ((fd != -EACCES && fd != -EPERM) || l->source.user_only)
		return fd;
	l->source.user_only = true;
	return anchor_open(l, c, ring);
}

static int per_task_cpu_open(struct live *l, struct cpu *c)
{
	int err;

	for (int i = 0; i < LANE_RINGS; i++) {
		c->ring_fds[i] = anchor_open(l, c, i);
		if (c->ring_fds[i] < 0)
			return c->ring_fds[i];
	}
	err = live_map(l, c);
	for (size_t i = 0; i < l->pertask->root_count && !err; i++) {
		if (!l->pertask->roots[i]->ended)
			task_open_on(l, l->pertask->roots[i], c, &err);
		err = error_is_shortage(err) ? err : 0;
	}
	return err;
}

static void per_task_cpu_close(struct live *l, struct cpu *c)
{
	for (size_t i = 0; i < l->pertask->root_count; i++)
		task_close_on(l, l->pertask->roots[i], c->number);
	live_unmap(l, c);
	for (int i = 0; i < LANE_RINGS; i++) {
		if (c->ring_fds[i] >= 0)
			close(c->ring_fds[i]);
	}
}

static void adopt_found(struct live *l)
{
	struct pertask *p = l->pertask;

	for (size_t i = 0; i < p->found_count; i++)
		task_adopt(l, p->found[i].pid, p->found[i].tid);
	p->found_count = 0;
}

/* These count nothing where kernel mode may not be counted: the kernel would say 0, and lie. */
static bool is_of_kernel(const struct evsel *e)
{
	return e->type == PERF_TYPE_SOFTWARE && (e->config == PERF_COUNT_SW_CONTEXT_SWITCHES ||
						 e->config == PERF_COUNT_SW_CPU_MIGRATIONS ||
						 e->config == PERF_COUNT_SW_CGROUP_SWITCHES);
}

static void refuse_kernel_events(struct live *l)
{
	for (size_t i = 0; i < l->source.evlist->count; i++) {
		if (!is_of_kernel(l->source.evlist->items[i]))
			continue;
		live_refuse(l, i, EACCES);
		l->plan.group_of[i] = GROUP_NONE;
	}
}

/* Counters of a whole socket belong to no task. */
static void refuse_uncore(struct live *l)
{
	for (size_t i = 0; i < l->source.evlist->count; i++) {
		if (!l->source.evlist->items[i]->per_cpu_only &&
		    !evsel_is_made(l->source.evlist->items[i]))
			continue;
		live_refuse(l, i, EACCES);
		l->plan.group_of[i] = GROUP_NONE;
	}
}

/* Notes how many tasks the last look at /proc could not open for lack of descriptors. */
static void note_skipped(struct live *l)
{
	struct pertask *p = l->pertask;
	char *text;

	if (p->skipped == p->noted)
		return;
	p->noted = p->skipped;
	text = mem_printf(ngettext("%zu task is not counted: no more than %zu files may be open "
				   "(`ulimit -n`).",
				   "%zu tasks are not counted: no more than %zu files may be open "
				   "(`ulimit -n`).",
				   p->skipped),
			  p->skipped, p->fd_limit + FD_RESERVE);
	live_note_of_tier(l, p->skipped ? text : NULL);
	free(text);
}

static int per_task_start(struct live *l)
{
	struct pertask *p = l->pertask;

	if (l->source.user_only)
		refuse_kernel_events(l);
	refuse_uncore(l);
	/*
	 * Counters of our own tell which groups the machine has room for before those of others
	 * count: what children have inherited by then could not be changed any more.
	 */
	turns_try(l, &(struct groups){ .pid = 0,
				       .cpu = -1,
				       .counts_only = p->counting == &counting_by_task });
	scan(l);
	adopt_found(l);
	note_skipped(l);
	if (p->root_count || (l->options.mode == TARGET_CGROUP && !p->denied && !p->skipped))
		return 0; /* an empty control group may fill up */
	return p->denied ? -EACCES : p->skipped ? -EMFILE : -ESRCH;
}

/* Counting. */

/* Marks tasks that went without an EXIT record, which was lost. */
static void mark_vanished(struct pertask *p)
{
	struct task *t;
	size_t cursor = 0;

	while ((t = map_next(&p->tasks, &cursor))) {
		if (kill((pid_t)t->tid, 0) < 0 && errno == ESRCH)
			t->ended = t->ended ? t->ended : 1;
	}
}

void task_hand_over_read(struct live *l, const struct task *t, uint64_t now_ns)
{
	struct record *r = l->pertask->record;

	r->type = RECORD_READ;
	r->cpumode = CPUMODE_USER;
	r->event = -1;
	r->pid = t->pid;
	r->tid = t->tid;
	r->time_ns = now_ns;
	live_hand_over(l, r);
}

static void per_task_draining(struct live *l)
{
	if (l->pertask->counting->draining)
		l->pertask->counting->draining(l);
}

/* Turns. */

static bool is_counting(const struct task *t)
{
	return t->root == t || t->counters.count;
}

/* All groups as the plan has them. */
static void tasks_arrange(struct live *l)
{
	struct pertask *p = l->pertask;
	struct task *t;
	size_t cursor = 0;

	l->plan.stale = false;
	while ((t = map_next(&p->tasks, &cursor))) {
		if (is_counting(t))
			p->counting->arrange(l, t);
	}
}

static void tasks_take_turns(struct live *l)
{
	struct pertask *p = l->pertask;
	struct task *t;
	size_t cursor = 0;
	int starved = -1;

	while (starved < 0 && (t = map_next(&p->tasks, &cursor))) {
		if (is_counting(t))
			starved = p->counting->starved(l, t);
	}
	if (starved >= 0)
		turns_relieve(l, (size_t)starved);
	if (l->plan.stale)
		tasks_arrange(l);
}

/*
 * New tasks of a scan are adopted only after a drain.  By then the FORK records of inheriting tasks
 * have been seen, so none is opened twice.
 */
static void per_task_drained(struct live *l, uint64_t now_ns)
{
	struct pertask *p = l->pertask;

	adopt_found(l);
	note_skipped(l);
	p->counting->drained(l, now_ns);
	tasks_take_turns(l);
	if (now_ns - p->scanned_ns >= SCAN_NS) {
		p->scanned_ns = now_ns;
		mark_vanished(p);
		p->skipped = 0;
		scan(l);
	}
	tasks_release(l);
}

static void per_task_sample(struct live *l, struct cpu *c, struct record *r)
{
	uint64_t event = live_event_of(l, r->id);

	r->event = event == SOURCE_NO_EVENT ? -1 : (int)event;
	r->counts_only = r->event < 0;
	if (l->pertask->counting != &counting_by_family)
		return;
	family_counters_take(l, c, r, &r->sample.read);
	r->sample.read.count = 0;
}

static void per_task_read(struct live *l, struct cpu *c, const struct record *r)
{
	family_counters_take(l, c, r, &r->read);
}

static const struct record_layout *per_task_layout(const struct live *l, const struct cpu *c,
						   const struct perf_event_header *h)
{
	(void)c;
	if (l->pertask->counting != &counting_by_family)
		return &l->source.layout;
	return family_counters_layout(l, h);
}

/* Stopping and starting. */

/* A change of one event, or of all. */
struct change {
	size_t event;
	bool on;
	uint64_t value;
};

/* ACT on all roots, and on all that have something of their own. */
static int each_task(struct live *l, const struct change *change,
		     int (*act)(struct live *l, struct task *t, const struct change *change))
{
	struct pertask *p = l->pertask;
	struct task *t;
	size_t cursor = 0;
	int err = 0;

	for (size_t i = 0; i < p->root_count && !err; i++)
		err = act(l, p->roots[i], change);
	while (!err && (t = map_next(&p->tasks, &cursor))) {
		if (t != t->root)
			err = act(l, t, change);
	}
	return err;
}

static int task_enable(struct live *l, struct task *t, const struct change *change)
{
	return l->pertask->counting->enable(l, t, change->event, change->on);
}

static int task_run(struct live *l, struct task *t, const struct change *change)
{
	return l->pertask->counting->run(l, t, change->on);
}

static int task_retune(struct live *l, struct task *t, const struct change *change)
{
	return l->pertask->counting->retune(l, t, change->event, change->value);
}

static int task_add(struct live *l, struct task *t, const struct change *change)
{
	return l->pertask->counting->add(l, t, change->event);
}

static int task_remove(struct live *l, struct task *t, const struct change *change)
{
	l->pertask->counting->remove(l, t, change->event);
	return 0;
}

static int per_task_set_enabled(struct live *l, size_t event, bool enabled)
{
	return each_task(l, &(struct change){ .event = event, .on = enabled }, task_enable);
}

static int per_task_suspend(struct live *l, bool suspended)
{
	return each_task(l, &(struct change){ .on = !suspended }, task_run);
}

/* Children that are there keep what they inherited: the kernel changes the root's events alone. */
static int per_task_retune(struct live *l, size_t event, uint64_t value)
{
	return each_task(l, &(struct change){ .event = event, .value = value }, task_retune);
}

/* As with the rate: it is inherited by what forks from now on. */
static int per_task_add(struct live *l, size_t event)
{
	l->plan.group_of[event] = GROUP_UNPLACED;
	l->pertask->sampled[event] = false;
	if (evsel_is_made(l->source.evlist->items[event]) ||
	    (l->source.user_only && is_of_kernel(l->source.evlist->items[event]))) {
		l->plan.group_of[event] = GROUP_NONE;
		return -EACCES;
	}
	return each_task(l, &(struct change){ .event = event }, task_add);
}

static void per_task_remove(struct live *l, size_t event)
{
	each_task(l, &(struct change){ .event = event }, task_remove);
}

static void per_task_leave(struct live *l)
{
	struct pertask *p = l->pertask;

	tasks_release_all(l);
	map_fini(&p->tasks);
	map_fini(&p->leaders);
	mem_free(p->roots, p->found, p->sampled, p->values, p->record, p);
	l->pertask = NULL;
}

const struct live_tier live_tier_per_task = {
	.enter = per_task_enter,
	.cpu_open = per_task_cpu_open,
	.cpu_close = per_task_cpu_close,
	.start = per_task_start,
	.attr = per_task_attr,
	.layout = per_task_layout,
	.sample = per_task_sample,
	.read = per_task_read,
	.draining = per_task_draining,
	.drained = per_task_drained,
	.sideband = task_follow,
	.set_enabled = per_task_set_enabled,
	.retune = per_task_retune,
	.add = per_task_add,
	.remove = per_task_remove,
	.suspend = per_task_suspend,
	.leave = per_task_leave,
};
