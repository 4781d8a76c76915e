/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/target.h"

#include "proc/cgroup.h"

enum mark { MARK_UNKNOWN, MARK_OTHER, MARK_TARGET };

struct rule {
	bool listed;  /* pids of the list, and what they start */
	bool threads; /* the list has tids */
	bool user;    /* by uid, asked each time: it may change */
	bool group;   /* by cgroup, when that is news; records come of its tasks alone */
	bool all;     /* idle time and the remains of tasks, too: a recording has them as tasks */
};

static const struct rule rules[] = {
	[TARGET_SYSTEM] = { 0 },
	[TARGET_PID] = { .listed = true },
	[TARGET_TID] = { .listed = true, .threads = true },
	[TARGET_USER] = { .user = true },
	[TARGET_CPU] = { 0 },
	[TARGET_CGROUP] = { .group = true },
	[TARGET_COMMAND] = { .listed = true },
	[TARGET_FILE] = { .all = true },
};

void target_init(struct target *t, const struct source_options *options)
{
	const struct rule *rule = &rules[options->mode];

	*t = (struct target){ .mode = options->mode,
			      .tasks = options->tasks,
			      .uid = options->uid,
			      .cgroup = options->cgroup,
			      .everything =
				      !rule->listed && !rule->user && !rule->group && !rule->all };
}

static bool is_listed(const struct target *t, uint32_t task)
{
	return t->tasks && number_list_has(t->tasks, task);
}

/* Did a target start P, unseen?  Only what is found after the first scan can have been started. */
static bool parent_is_target(const struct target *t, const struct process_table *table,
			     const struct process *p)
{
	const struct process *parent;

	if (!t->settled || !p->known)
		return false;
	parent = process_table_find(table, p->stat.ppid);
	return parent && parent->mark == MARK_TARGET;
}

bool target_chose_thread(const struct target *t, const struct process_table *table,
			 struct thread *th)
{
	if (!rules[t->mode].threads)
		return target_has(t, table, th->process);
	if (th->mark == MARK_UNKNOWN)
		th->mark = is_listed(t, th->tid) ? MARK_TARGET : MARK_OTHER;
	if (th->mark == MARK_TARGET)
		th->process->mark = MARK_TARGET;
	return th->mark == MARK_TARGET;
}

static bool has_target_thread(const struct target *t, const struct process_table *table,
			      struct process *p)
{
	for (size_t i = 0; i < p->thread_count; i++) {
		if (target_has_thread(t, table, p->threads[i]))
			return true;
	}
	return false;
}

/* The newer one decides: the cgroup as it was read, or a record of it. */
static bool is_in_group(const struct target *t, struct process *p)
{
	if (p->cgroup_read)
		p->mark = cgroup_is_below(p->cgroup, t->cgroup) ? MARK_TARGET : MARK_OTHER;
	p->cgroup_read = false;
	return p->mark == MARK_TARGET;
}

void target_ran(const struct target *t, struct process *p)
{
	if (rules[t->mode].group)
		p->mark = MARK_TARGET;
}

bool target_has(const struct target *t, const struct process_table *table, struct process *p)
{
	const struct rule *rule = &rules[t->mode];

	if (!target_is_task(p->pid) && !rule->all)
		return false;
	if (rule->user)
		return p->uid != UINT32_MAX && (int64_t)p->uid == t->uid;
	if (rule->group)
		return is_in_group(t, p);
	if (!rule->listed)
		return true;
	if (rule->threads)
		return p->mark == MARK_TARGET || has_target_thread(t, table, p);
	if (p->mark == MARK_UNKNOWN) {
		bool target = is_listed(t, p->pid) || parent_is_target(t, table, p);

		if (!target && !p->known)
			return false; /* its parent may still become known */
		p->mark = target ? MARK_TARGET : MARK_OTHER;
	}
	return p->mark == MARK_TARGET;
}

static bool starter_is_target(const struct target *t, const struct process_table *table,
			      const struct task_change *fork)
{
	struct thread *thread = process_table_find_thread(table, fork->ptid);
	struct process *process = process_table_find(table, fork->ppid);

	if (rules[t->mode].threads)
		return thread ? target_has_thread(t, table, thread) : is_listed(t, fork->ptid);
	return process && target_has(t, table, process);
}

void target_fork(const struct target *t, const struct process_table *table,
		 const struct task_change *fork)
{
	const struct rule *rule = &rules[t->mode];
	struct thread *child = process_table_find_thread(table, fork->tid);
	enum mark mark;

	if (!child || !rule->listed)
		return;
	mark = starter_is_target(t, table, fork) ? MARK_TARGET : MARK_OTHER;
	if (rule->threads)
		child->mark = mark;
	if (mark == MARK_TARGET || fork->pid == fork->tid)
		child->process->mark = mark;
}
