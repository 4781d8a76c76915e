/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_ENGINE_TARGET_H
#define PTOP_ENGINE_TARGET_H

#include <stdbool.h>

#include "perf/record/source.h"
#include "proc/process.h"

/*
 * The target: the processes or threads that were asked for, and those that they start later.
 * Records of others may come (a group counts its whole CPU); they are credited, but neither sampled
 * nor shown.  The answer for a task is kept in its mark; for a user's processes it is their present
 * uid.
 */
struct target {
	enum target_mode mode;
	const struct number_list *tasks; /* borrowed; pids or tids, or NULL */
	int64_t uid;
	const char *cgroup; /* borrowed; NULL with other modes */
	bool settled;       /* the first scan is done: unknown processes are new ones */
	bool everything;    /* target_is_everything() */
};

/* The lists of OPTIONS are borrowed. */
void target_init(struct target *t, const struct source_options *options);

/* Are all tasks shown, whatever is known of them? */
static inline bool target_is_everything(const struct target *t)
{
	return t->everything;
}

/* Is P shown?  TABLE finds its parent, for a process whose fork went unseen. */
bool target_has(const struct target *t, const struct process_table *table, struct process *p);

/* Called by target_has_thread() unless everything is shown. */
bool target_chose_thread(const struct target *t, const struct process_table *table,
			 struct thread *th);

/* A counter or a sample of P came: with a cgroup as the target only its tasks make any. */
void target_ran(const struct target *t, struct process *p);

/* After process_table_fork(): the child is shown if its parent is, whatever pid it was given. */
void target_fork(const struct target *t, const struct process_table *table,
		 const struct task_change *fork);

/* No task but idle time and the nameless remains of exiting tasks ever has these pids. */
static inline bool target_is_task(uint32_t pid)
{
	return pid != 0 && pid != UINT32_MAX;
}

/*
 * Is this thread of it shown?  All threads of a shown process are, but with TARGET_TID.  Every sample asks,
 * and mostly everything is shown.
 */
static inline bool target_has_thread(const struct target *t, const struct process_table *table,
				     struct thread *th)
{
	return t->everything ? target_is_task(th->process->pid) : target_chose_thread(t, table, th);
}

#endif
