/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * Tier 2: the life of a task.  A tid may be reused.  The kernel's records in the order of time
 * decide whose it is: FORK, EXIT, and an exec by which a thread takes the tid of its process.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/alloc.h"
#include "perf/live/group-open.h"
#include "perf/live/pertask.h"

/*
 * Drains after which an ended task is released: its last records and its READs may be newer than
 * the drain that saw its EXIT.
 */
#define RELEASE_DRAINS 2

int fd_redirect(int fd, int ring_fd, const char *filter)
{
	if (fd < 0)
		return fd;
	if ((filter && ioctl(fd, PERF_EVENT_IOC_SET_FILTER, filter) < 0) ||
	    ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, ring_fd) < 0) {
		int err = -errno;

		close(fd);
		return err;
	}
	return fd;
}

void task_event_add(struct live *l, struct task *t, const struct cpu *c, int fd, int event)
{
	mem_grow((void **)&t->events, &t->event_capacity, t->event_count + 1, sizeof(*t->events));
	t->events[t->event_count++] = (struct task_event){
		.fd = fd,
		.event = event,
		.cpu = c->number,
		.id = event < 0 ? 0 : live_id_add(l, fd, event),
	};
	l->pertask->fd_count++;
}

void task_open_on(struct live *l, struct task *t, const struct cpu *c, int *err)
{
	int fd = fd_redirect(live_sideband_open(l, (int)t->tid, (int)c->number, true),
			     c->ring_fds[LANE_SIDEBAND], NULL);

	*err = fd < 0 ? fd : 0;
	if (fd < 0)
		return;
	task_event_add(l, t, c, fd, -1);
	*err = l->pertask->counting->open_on(l, t, c);
}

static void task_event_close(struct live *l, const struct task_event *e)
{
	map_remove(&l->ids, e->id);
	close(e->fd);
	l->pertask->fd_count--;
}

void task_close_on(struct live *l, struct task *t, uint32_t cpu)
{
	size_t kept = 0;

	for (size_t i = 0; i < t->event_count; i++) {
		if (t->events[i].cpu == cpu)
			task_event_close(l, &t->events[i]);
		else
			t->events[kept++] = t->events[i];
	}
	t->event_count = kept;
	if (l->pertask->counting->close_on)
		l->pertask->counting->close_on(l, t, cpu);
}

struct task *task_new(struct live *l, uint32_t pid, uint32_t tid, struct task *root)
{
	struct task *t = mem_alloc(sizeof(*t));

	t->pid = pid;
	t->tid = tid;
	t->root = root ? root : t;
	t->root->covered++;
	t->root->open++;
	t->inherited = family_counters_events(t->root);
	map_put(&l->pertask->tasks, tid, t);
	return t;
}

static void task_free(struct task *t)
{
	family_counters_free(t);
	free(t->events);
	free(t);
}

static void root_list(struct pertask *p, struct task *t)
{
	mem_grow((void **)&p->roots, &p->root_capacity, p->root_count + 1, sizeof(*p->roots));
	t->root_index = p->root_count;
	p->roots[p->root_count++] = t;
}

static void root_free(struct live *l, struct task *t)
{
	struct pertask *p = l->pertask;

	while (t->event_count)
		task_close_on(l, t, t->events[0].cpu);
	while (t->carrier_count)
		task_close_on(l, t, (uint32_t)t->carriers[0].cpu);
	p->roots[t->root_index] = p->roots[--p->root_count];
	p->roots[t->root_index]->root_index = t->root_index;
	task_free(t);
}

/* T is out of the map; its events stay while others inherit from them. */
static void task_release(struct live *l, struct task *t)
{
	if (l->pertask->counting->close)
		l->pertask->counting->close(l, t);
	if (!t->ended)
		t->ended = RELEASE_DRAINS;
	t->root->covered--;
	t->root->open -= !t->settled;
	if (t != t->root)
		task_free(t);
}

static int task_events_open(struct live *l, struct task *t)
{
	int err = 0;

	for (size_t i = 0; i < l->cpu_count && !err; i++)
		task_open_on(l, t, l->cpus[i], &err);
	return err || !l->pertask->counting->open ? err : l->pertask->counting->open(l, t);
}

void task_adopt(struct live *l, uint32_t pid, uint32_t tid)
{
	struct pertask *p = l->pertask;
	struct task *t;
	int err;

	if (map_find(&p->tasks, tid))
		return;
	if (p->fd_count + p->counting->root_need(l) > p->fd_limit) {
		p->skipped++;
		return;
	}
	t = task_new(l, pid, tid, NULL);
	root_list(p, t);
	err = task_events_open(l, t);
	if (!err)
		return;
	p->skipped += error_is_shortage(err);
	p->denied += err == -EACCES || err == -EPERM;
	map_remove(&p->tasks, tid);
	task_release(l, t);
	root_free(l, t);
}

/* A task that inherits from one that we know. */
static void task_forked(struct live *l, const struct record_task *fork)
{
	struct pertask *p = l->pertask;
	struct task *parent = map_find(&p->tasks, fork->ptid);
	struct task *t = map_find(&p->tasks, fork->tid);

	if (!parent || (t && !t->ended))
		return;
	if (t) { /* the tid came back: what its former owner counted has been told by now */
		map_remove(&p->tasks, fork->tid);
		task_hand_over(l, t, fork->time);
		task_release(l, t);
	}
	t = task_new(l, fork->pid, fork->tid, parent->root);
	if (p->fd_count + p->counting->child_need(l) > p->fd_limit)
		p->skipped++;
	else if (p->counting->open)
		p->counting->open(l, t);
}

/* The thread of PID that lives on; the kernel ends all others before an exec. */
static struct task *thread_left(const struct pertask *p, uint32_t pid)
{
	struct task *t;
	size_t cursor = 0;

	while ((t = map_next(&p->tasks, &cursor))) {
		if (t->pid == pid && !t->ended)
			return t;
	}
	return NULL;
}

/* The thread that calls exec takes the tid of its process, whose first thread has ended. */
static void task_execed(struct live *l, uint32_t pid)
{
	struct pertask *p = l->pertask;
	struct task *former = map_find(&p->tasks, pid);
	struct task *t = former && !former->ended ? former : thread_left(p, pid);

	if (!t)
		return;
	if (t->tid != pid) {
		if (former) {
			task_hand_over(l, former, 0);
			map_remove(&p->tasks, pid);
			task_release(l, former);
		}
		map_remove(&p->tasks, t->tid);
		t->tid = pid;
		map_put(&p->tasks, pid, t);
	}
	p->counting->exec(t);
}

void task_follow(struct live *l, const struct record *r)
{
	struct task *t;

	if (r->type == RECORD_FORK)
		task_forked(l, &r->task);
	if (r->type == RECORD_COMM && r->comm.exec)
		task_execed(l, r->comm.pid);
	t = r->type == RECORD_EXIT ? map_find(&l->pertask->tasks, r->task.tid) : NULL;
	if (t && !t->ended)
		t->ended = 1;
}

/* Their last samples may still be in a ring, and are known by the ids of their events. */
static void roots_free(struct live *l)
{
	struct pertask *p = l->pertask;

	for (size_t i = p->root_count; i-- > 0;) {
		struct task *t = p->roots[i];

		if (t->dying)
			root_free(l, t);
		else
			t->dying = t->covered == 0;
	}
}

void tasks_release(struct live *l)
{
	struct pertask *p = l->pertask;
	struct task **ended = mem_array(p->tasks.count, sizeof(*ended));
	size_t cursor = 0, count = 0;
	struct task *t;

	while ((t = map_next(&p->tasks, &cursor))) {
		if (t->ended && t->ended++ >= RELEASE_DRAINS)
			ended[count++] = t;
	}
	for (size_t i = 0; i < count; i++) {
		map_remove(&p->tasks, ended[i]->tid);
		task_release(l, ended[i]);
	}
	free(ended);
	roots_free(l);
}

void tasks_release_all(struct live *l)
{
	struct pertask *p = l->pertask;
	size_t cursor = 0;
	struct task *t;

	while ((t = map_next(&p->tasks, &cursor)))
		t->ended = RELEASE_DRAINS;
	tasks_release(l);
	while (p->root_count)
		root_free(l, p->roots[0]);
}
