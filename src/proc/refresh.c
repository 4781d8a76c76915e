/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "proc/cgroup.h"
#include "proc/process-table.h"

/*
 * Fills in what /proc says about the processes of the table.  After a refresh the figures of every
 * process are valid for that refresh: they were read, or are known to be unchanged.  So a
 * difference always spans one interval.  Where that chain breaks (a file that could not be read),
 * `baseline` or `switches_known` is cleared, and the next difference is unknown.
 */
#define STAT_TEXT_BYTES 2048 /* 52 numbers of at most 20 digits, and a name */
#define COMMAND_BYTES 4096
#define STATUS_BYTES 4096             /* up to CapPrm, unless a process has very many groups */
#define COMMAND_AGE_NS (5 * NS_PER_S) /* programs rewrite their command line, rarely */
#define CGROUP_BYTES 16384            /* one line with a path for each hierarchy */
#define CGROUP_AGE_NS (2 * NS_PER_S)
#define LISTED_THREADS 256        /* more are not listed for their switches alone */
#define ENDED_ASKED 100           /* if more processes ended, and more than the share below, */
#define ENDED_SHARE 4             /* asking for each costs more than listing /proc */
#define PIECE_LOOKS 16            /* the clock is read once for so many processes */
#define KERNEL_THREAD 0x00200000u /* PF_KTHREAD in stat's flags */

struct refresher {
	struct process_table *table;
	const struct refresh *how;
	uint64_t now_ns;     /* when it began */
	uint64_t piece_ns;   /* when this piece of it began */
	bool listed;         /* `seen` of the ended processes is from this refresh */
	bool delays_counted; /* the kernel counts what threads wait for I/O */
};

static bool reads_all(const struct refresh *how)
{
	return how->all && !how->sparing;
}

/* FILE: KEPT_STAT, or of the leader KEPT_PROCESS_STAT. */
static int read_stat(struct process_table *t, struct thread *th, size_t file, struct task_stat *out)
{
	uint32_t tid = file == KEPT_STAT ? th->tid : 0;
	char text[STAT_TEXT_BYTES];
	ssize_t n = thread_read_file(t, th, file, tid, "stat", text, sizeof(text));

	return n < 0 ? (int)n : task_stat_parse(text, (size_t)n, out);
}

static int read_process_stat(struct process_table *t, struct process *p, struct task_stat *out)
{
	return read_stat(t, p->threads[0], KEPT_PROCESS_STAT, out);
}

static void process_unknown(const struct process_table *t, struct process *p)
{
	p->baseline = false;
	p->cpu_percent = -1;
	p->minor_faults = p->major_faults = -1;
	p->states = microstates_unknown;
	counts_set(t, p, -1, true);
}

/* NOW - BEFORE; -1 if the count went back, because it is then another count. */
static int64_t difference(uint64_t now, uint64_t before)
{
	return now >= before ? (int64_t)(now - before) : -1;
}

/* Per cent of one CPU.  -1 if the time is shorter than a tick, which could mean 0 or anything. */
static double cpu_share(const struct process_table *t, const struct task_stat *before,
			const struct task_stat *now, uint64_t elapsed_ns)
{
	int64_t ticks = difference(now->user_ticks + now->system_ticks,
				   before->user_ticks + before->system_ticks);

	if (ticks < 0 || elapsed_ns < NS_PER_S / t->procfs->ticks_per_s)
		return -1;
	return 100.0 * (double)ticks / (double)t->procfs->ticks_per_s /
	       ((double)elapsed_ns / (double)NS_PER_S);
}

static void process_take_stat(struct process_table *t, struct process *p,
			      const struct task_stat *now)
{
	uint64_t now_ns = clock_monotonic_ns(t->clock);

	p->carried = p->idled;
	p->idled = false;
	if (p->baseline) {
		p->cpu_percent = cpu_share(t, &p->stat, now, now_ns - p->read_ns);
		p->minor_faults = difference(now->minor_faults, p->stat.minor_faults);
		p->major_faults = difference(now->major_faults, p->stat.major_faults);
	} else {
		process_unknown(t, p);
	}
	p->stat = *now;
	p->read_ns = now_ns;
	p->known = p->baseline = true;
	p->kernel = now->flags & KERNEL_THREAD;
	memcpy(p->comm, now->comm, sizeof(p->comm));
	memcpy(p->threads[0]->comm, now->comm, sizeof(now->comm));
}

/* Nobody's process stays nobody's, whatever a reading would tell. */
static bool owner_wanted(const struct process_table *t, struct process *p)
{
	if (t->owners == OWNERS_NONE)
		return false;
	if (p->owner.any && p->owner.id == OWNER_NOBODY) {
		p->owner.current = true;
		return false;
	}
	if (t->owners == OWNERS_NEW && p->owner.current)
		p->owner.old = true;
	return t->owners == OWNERS_ALL || !p->owner.old;
}

/*
 * A reading that fails tells nothing: the process ends.  A fork that has not made an exec was its parent's before, and
 * who has two owners is nobody's.
 */
static void process_read_owner(struct process_table *t, struct process *p)
{
	char text[STATUS_BYTES];
	uint64_t owner;
	uint32_t uid;
	ssize_t size;

	if (!owner_wanted(t, p))
		return;
	t->reads += 2;
	size = procfs_read_task(t->procfs, p->pid, 0, "status", text, sizeof(text));
	if (size < 0 || procfs_owner_of(t->procfs, p->pid, "environ", &uid) ||
	    task_status_owner(text, (size_t)size, &owner))
		return;
	if (uid != owner_uid(owner))
		owner = OWNER_NOBODY;
	if ((p->owner.any || p->owner.current) && owner != p->owner.id)
		owner = OWNER_NOBODY;
	p->owner.id = owner;
	p->owner.any = p->owner.current = true;
	p->owner.old = false;
}

/* Asked whenever it may have run: setuid(2) changes the user without a record. */
static void process_read_user(struct process_table *t, struct process *p)
{
	uint32_t uid;

	t->reads++;
	process_read_owner(t, p);
	if (procfs_owner(t->procfs, p->pid, &uid))
		return;
	p->uid = uid;
	p->user = user_name(t->users, uid);
}

void process_learn(struct process_table *t, struct process *p)
{
	struct task_stat now;

	p->tried = true;
	p->since_ns = clock_monotonic_ns(t->clock);
	if (read_process_stat(t, p, &now))
		return;
	process_take_stat(t, p, &now);
	process_read_user(t, p);
}

/* Turns NULs into spaces, except those at the end; other bytes stay as they are. */
static size_t command_join(char *text, size_t size)
{
	while (size && text[size - 1] == '\0')
		size--;
	for (char *nul = text; (nul = memchr(nul, '\0', (size_t)(text + size - nul)));)
		*nul = ' ';
	return size;
}

static void process_read_command(struct process_table *t, struct process *p)
{
	char text[COMMAND_BYTES];
	ssize_t n;

	n = process_read_locked(t, p, "cmdline", text, sizeof(text));
	p->command_ns = clock_monotonic_ns(t->clock);
	if (n == -EAGAIN) /* its user held ptop up: it is read later */
		return;
	p->command_known = true;
	t->reads++;
	if (n < 0 || (n == 0 && p->stat.state == 'Z')) /* the old text is worth more */
		return;
	n = (ssize_t)command_join(text, (size_t)n);
	if (strncmp(p->command, text, (size_t)n) || p->command[n])
		process_set_command(p, text, (size_t)n);
}

/* A value that only the process itself can change is not read again until the process runs. */
static bool may_have_run(const struct refresher *r, const struct process *p)
{
	return p->ran || r->how->all;
}

static bool command_wanted(const struct refresher *r, const struct process *p)
{
	if (p->kernel || (!p->ran && !p->visible))
		return false;
	if (!p->command_known)
		return true;
	if (!may_have_run(r, p))
		return false;
	if (p->visible)
		return true;
	return r->now_ns > p->command_ns && r->now_ns - p->command_ns > COMMAND_AGE_NS;
}

void thread_check(struct process_table *t, struct thread *th, ssize_t n)
{
	if ((n == -ENOENT || n == -ESRCH) && th != th->process->threads[0])
		thread_end(t, th);
}

struct thread_lister {
	struct process_table *table;
	struct process *process;
};

static int list_thread(void *context, uint32_t tid)
{
	struct thread_lister *l = context;

	process_table_thread(l->table, l->process->pid, tid);
	return 0;
}

static void process_list_threads(struct process_table *t, struct process *p)
{
	struct thread_lister lister = { t, p };

	t->reads++;
	p->threads_listed = procfs_each_task(t->procfs, p->pid, list_thread, &lister) > 0;
}

/* All threads must be known if no record tells who ran, and at the start of a count. */
static bool threads_wanted(const struct refresher *r, const struct process *p)
{
	if (p->stat.threads <= 1)
		return false;
	if (r->how->all)
		return r->how->threads || (p->visible && p->stat.threads <= LISTED_THREADS);
	if (p->threads_listed)
		return false;
	return r->how->threads || ((p->ran || p->visible) && p->stat.threads <= LISTED_THREADS);
}

/*
 * The kernel's counts of a process are the sum over its threads.  Without records only processes on
 * screen are read.
 */
static void process_take_counts(const struct refresher *r, struct process *p)
{
	if (!p->ran && !p->visible && r->how->all) {
		process_forget_counts(r->table, p);
		return;
	}
	counts_set(r->table, p, 0, true);
	for (enum task_file file = 0; (p->ran || p->visible) && file < TASK_FILES; file++) {
		if (r->how->counts[file] || (file == TASK_SWITCHES && p->visible))
			process_read_counts(r->table, p, file, r->how->all);
		else if (file == TASK_SWITCHES)
			process_skip_counts(p, file);
	}
}

static bool shared_wanted(const struct refresher *r, const struct process *p)
{
	if (p->kernel || !(p->visible || (p->ran && r->how->shared)))
		return false;
	return p->shared_pages < 0 || may_have_run(r, p);
}

static void process_read_shared(struct process_table *t, struct process *p)
{
	char text[STAT_TEXT_BYTES];
	struct task_statm now;
	ssize_t n;

	t->reads++;
	n = procfs_read_task(t->procfs, p->pid, 0, "statm", text, sizeof(text));
	if (n >= 0 && !task_statm_parse(text, (size_t)n, &now))
		p->shared_pages = (int64_t)now.shared_pages;
}

static void figures_unknown(struct thread_figures *f)
{
	f->cpu_percent = -1;
	f->minor_faults = f->major_faults = -1;
	f->states = microstates_unknown;
}

/* Threads have figures: of those that are rows, or for what they sum up to. */
static bool figures_wanted(const struct refresher *r)
{
	return r->how->threads || r->how->states;
}

/* How TH, whose figures are of the last refresh, has spent its time until NOW_NS, when its stat was NOW. */
static struct microstates thread_states(const struct refresher *r, const struct thread *th,
					const struct task_stat *now, uint64_t now_ns)
{
	const struct thread_figures *f = th->figures;
	uint64_t from_ns = f->read_ns > th->born_ns ? f->read_ns : th->born_ns;
	struct microstate_looks looks = { .before = &f->stat,
					  .now = now,
					  .tick_ns = NS_PER_S / r->table->procfs->ticks_per_s,
					  .delays_counted = r->delays_counted };

	if (!r->how->states || !th->counts || (!f->stat.state && !th->born_ns))
		return microstates_unknown;
	looks.elapsed_ns = now_ns > from_ns ? now_ns - from_ns : 0;
	looks.run_ns = th->counts->deltas[COUNT_RUN_NS];
	looks.delay_ns = th->counts->deltas[COUNT_DELAY_NS];
	looks.voluntary_switches = th->counts->deltas[COUNT_VOLUNTARY];
	return microstates_between(&looks);
}

/* A task that was last seen in state STAT and has not run for ELAPSED_NS.  That it can run says nothing. */
static struct microstates idle_states(const struct refresher *r, const struct task_stat *stat,
				      uint64_t elapsed_ns)
{
	const struct microstate_looks looks = { .before = stat,
						.now = stat,
						.elapsed_ns = elapsed_ns };

	if (!r->how->states || !stat->state || stat->state == 'R')
		return microstates_unknown;
	return microstates_between(&looks);
}

static void figures_idle(const struct refresher *r, struct thread_figures *f)
{
	f->states = idle_states(r, &f->stat, r->now_ns - f->read_ns);
	f->cpu_percent = 0;
	f->minor_faults = f->major_faults = 0;
	f->read_ns = r->now_ns;
	f->refresh = r->table->refreshes;
}

/* Returns TH's figures, and makes them if it has none. */
static struct thread_figures *thread_figures(const struct refresher *r, struct thread *th)
{
	struct thread_figures *f = th->figures;

	if (f)
		return f;
	f = th->figures = mem_alloc(sizeof(*f));
	if (th->born_at + 1 == r->table->refreshes) { /* they were zero */
		f->refresh = th->born_at;
		f->read_ns = r->table->refreshed_ns;
		f->baseline = true;
	}
	return f;
}

/* TH has figures, and they are valid for the last refresh. */
static bool thread_current(const struct refresher *r, const struct thread *th)
{
	const struct thread_figures *f = th->figures;

	return f && f->baseline && f->refresh + 1 == r->table->refreshes;
}

static void thread_take_stat(const struct refresher *r, struct thread *th,
			     const struct task_stat *now)
{
	uint64_t now_ns = clock_monotonic_ns(r->table->clock);
	struct thread_figures *f = thread_figures(r, th);

	if (thread_current(r, th)) {
		f->states = thread_states(r, th, now, now_ns);
		f->cpu_percent = cpu_share(r->table, &f->stat, now, now_ns - f->read_ns);
		f->minor_faults = difference(now->minor_faults, f->stat.minor_faults);
		f->major_faults = difference(now->major_faults, f->stat.major_faults);
	} else {
		figures_unknown(f);
	}
	f->stat = *now;
	f->read_ns = now_ns;
	f->refresh = r->table->refreshes;
	f->baseline = true;
	memcpy(th->comm, now->comm, sizeof(th->comm));
}

/* The only thread has the figures of its process. */
static void thread_take_process(const struct refresher *r, struct thread *th)
{
	struct thread_figures *f = thread_figures(r, th);
	const struct process *p = th->process;

	f->states = thread_current(r, th) ? thread_states(r, th, &p->stat, p->read_ns)
					  : microstates_unknown;
	f->stat = p->stat;
	f->cpu_percent = p->cpu_percent;
	f->minor_faults = p->minor_faults;
	f->major_faults = p->major_faults;
	f->read_ns = p->read_ns;
	f->refresh = r->table->refreshes;
	f->baseline = true;
}

static void thread_read_figures(const struct refresher *r, struct thread *th)
{
	struct task_stat now;
	int err;

	if (th->exited)
		return;
	if (!thread_may_have_run(th) && !r->how->all && thread_current(r, th)) {
		figures_idle(r, th->figures);
		return;
	}
	err = read_stat(r->table, th, KEPT_STAT, &now);
	thread_check(r->table, th, err);
	if (!err)
		thread_take_stat(r, th, &now);
	else if (th->figures)
		figures_unknown(th->figures);
}

static void process_read_threads(const struct refresher *r, struct process *p)
{
	if (p->stat.threads <= 1 && p->live_threads == 1 && !p->threads[0]->exited) {
		thread_take_process(r, p->threads[0]);
		return;
	}
	for (size_t i = 0; i < p->thread_count; i++)
		thread_read_figures(r, p->threads[i]);
}

/* All threads of P are known: /proc has no more, or records tell of each. */
static bool threads_complete(const struct refresher *r, const struct process *p)
{
	return p->live_threads >= p->stat.threads ||
	       (!r->how->all && (p->threads_listed || p->born));
}

static void process_sum_states(const struct refresher *r, struct process *p)
{
	p->states = threads_complete(r, p) ? microstates_none : microstates_unknown;
	for (size_t i = 0; i < p->thread_count; i++) {
		const struct thread_figures *f = p->threads[i]->figures;
		bool current = f && f->refresh == r->table->refreshes;

		if (!p->threads[i]->exited)
			microstates_add(&p->states, current ? &f->states : &microstates_unknown);
	}
}

/* Nothing tells that P has not run. */
static void process_doubt(const struct process_table *t, struct process *p)
{
	process_unknown(t, p);
	for (size_t i = 0; i < p->thread_count; i++) {
		if (p->threads[i]->figures)
			figures_unknown(p->threads[i]->figures);
	}
}

/* P did not run: nothing is read, and every difference is exactly 0.  Or it is not read although it may have run. */
static void process_idle(const struct refresher *r, struct process *p)
{
	process_close_files(r->table, p);
	if (!p->known || !p->baseline || p->ran || r->how->all) {
		process_doubt(r->table, p);
		return;
	}
	p->cpu_percent = 0;
	p->minor_faults = p->major_faults = 0;
	counts_set(r->table, p, 0, figures_wanted(r));
	p->states = p->stat.threads > 1 ? microstates_unknown
					: idle_states(r, &p->stat, r->now_ns - p->read_ns);
	p->read_ns = r->now_ns;
	p->idled = true;
	p->carried = false;
	for (size_t i = 0; figures_wanted(r) && i < p->thread_count; i++) {
		struct thread *th = p->threads[i];

		if (thread_current(r, th))
			figures_idle(r, th->figures);
	}
	if (r->how->states && p->stat.threads > 1)
		process_sum_states(r, p);
}

static bool owner_is_old(const struct refresher *r, const struct process *p)
{
	return p->owner.old && r->table->owners == OWNERS_ALL;
}

static bool user_rests(const struct refresher *r, uint32_t uid)
{
	for (size_t i = 0; i < r->how->resting_count; i++) {
		if (r->how->resting[i] == uid)
			return r->table->owners != OWNERS_ALL;
	}
	return false;
}

static bool process_wanted(const struct refresher *r, const struct process *p)
{
	if (p->visible || p->stat.state == 'Z' || !p->tried || owner_is_old(r, p))
		return true;
	if (user_rests(r, p->uid))
		return false;
	if (reads_all(r->how) || p->ran)
		return true;
	return r->how->threads && !r->how->sparing && p->known && !thread_current(r, p->threads[0]);
}

/* Another process has P's number without a record.  The caller comes to that process later. */
static void process_replace(struct process_table *t, struct process *p)
{
	process_end(t, p);
	p->settled = true;
	process_unknown(t, p);
	table_add(t, p->pid, UINT32_MAX);
}

/*
 * A listing found it, and it began after the listing before: its counts began at zero in this
 * interval.
 */
static bool listed_newborn(const struct refresher *r, const struct process *p,
			   const struct task_stat *now)
{
	return p->listed && !p->tried && now->start_ticks >= r->table->earlier_ticks;
}

static void process_read_failed(struct process_table *t, struct process *p, int err)
{
	if (p->known && (err == -ENOENT || err == -ESRCH)) {
		process_end(t, p);
		p->settled = true;
	}
	process_unknown(t, p);
	process_forget_counts(t, p);
}

/* Updates all of a process that exists; NOW is its stat. */
static void process_take(const struct refresher *r, struct process *p, const struct task_stat *now)
{
	struct process_table *t = r->table;
	bool first;

	if (listed_newborn(r, p, now)) {
		p->born = p->baseline = true;
		p->read_ns = t->refreshed_ns;
		thread_is_born(p->threads[0], t->refreshes - 1, 0);
	}
	first = !p->baseline;
	p->tried = true;
	process_take_stat(t, p, now);
	if (first || may_have_run(r, p) || owner_is_old(r, p))
		process_read_user(t, p);
	if (threads_wanted(r, p))
		process_list_threads(t, p);
	process_take_counts(r, p);
	if (first)
		counts_set(r->table, p, -1, true);
	if (shared_wanted(r, p))
		process_read_shared(t, p);
	else if (p->ran)
		p->shared_pages = -1; /* it may be another by now */
	if (figures_wanted(r))
		process_read_threads(r, p);
	if (r->how->states)
		process_sum_states(r, p);
	if (command_wanted(r, p))
		process_read_command(t, p);
}

static void process_read(const struct refresher *r, struct process *p)
{
	struct task_stat now;
	int err = read_process_stat(r->table, p, &now);

	if (err) {
		p->tried = true;
		process_read_failed(r->table, p, err);
		return;
	}
	if (p->known && now.start_ticks != p->stat.start_ticks) {
		process_replace(r->table, p);
		return;
	}
	process_take(r, p, &now);
}

/*
 * P ended since the last refresh, according to the records.  If it is still in /proc, it has its
 * last figures.  It is then a zombie, which stays in the table until its parent has waited for it,
 * or it has threads that were not known here.
 */
static void process_settle(const struct refresher *r, struct process *p)
{
	struct process_table *t = r->table;
	struct task_stat now;

	p->settled = true;
	if (map_find(&t->pids, p->pid) != p || (r->listed && p->seen != t->refreshes) ||
	    read_process_stat(t, p, &now) || (p->known && now.start_ticks != p->stat.start_ticks)) {
		process_unknown(t, p);
		return;
	}
	process_revive(p);
	process_take(r, p, &now);
}

static int see_process(void *context, uint32_t pid)
{
	struct process_table *t = context;
	struct process *p = map_find(&t->pids, pid);

	if (p)
		p->seen = t->refreshes;
	return 0;
}

/* In a storm of short-lived processes, one look at each costs more than it tells. */
static void look_for_ended(struct refresher *r)
{
	struct process_table *t = r->table;
	size_t ended = 0;

	for (size_t i = 0; i < t->count; i++)
		ended += t->items[i]->exited && !t->items[i]->settled;
	if (ended <= ENDED_ASKED || ended < t->count / ENDED_SHARE)
		return;
	t->reads++;
	r->listed = procfs_each_task(t->procfs, 0, see_process, t) >= 0;
}

/* Replaces *TEXT by the SIZE bytes of WITH.  False: they are the same. */
static bool text_replace(char **text, const char *with, size_t size)
{
	if (*text && !strncmp(*text, with, size) && !(*text)[size])
		return false;
	free(*text);
	*text = mem_strndup(with, size);
	return true;
}

static void process_read_cgroup(const struct refresher *r, struct process *p)
{
	char text[CGROUP_BYTES];
	struct cgroup_path path;
	ssize_t n;

	p->cgroup_ns = r->now_ns;
	n = thread_read_file(r->table, p->threads[0], KEPT_CGROUP, 0, "cgroup", text, sizeof(text));
	if (n > 0 && cgroup_path_find(text, (size_t)n, r->how->cgroup_controller, &path) &&
	    text_replace(&p->cgroup, path.at, path.size))
		p->group = 0;
	p->cgroup_read = p->cgroup != NULL;
}

/* "0" means that it runs, or that the function is secret; then returns false. */
static bool read_wchan(const struct refresher *r, uint32_t pid, uint32_t tid,
		       char text[TASK_WCHAN_BYTES])
{
	r->table->reads++;
	return procfs_read_task(r->table->procfs, pid, tid, "wchan", text, TASK_WCHAN_BYTES) > 0 &&
	       strcmp(text, "0") != 0;
}

/* Reads it for each thread that ran; any other thread still sleeps in the same function. */
static void threads_read_wchan(const struct refresher *r, const struct process *p)
{
	for (size_t i = 0; i < p->thread_count; i++) {
		const struct thread *th = p->threads[i];
		struct thread_figures *f = th->figures;

		if (!f || th->exited || (f->wchan_tried && !th->ran && !r->how->all))
			continue;
		f->wchan_tried = true;
		if (!read_wchan(r, p->pid, th->tid, f->wchan))
			*f->wchan = '\0';
	}
}

static void process_read_wchan(const struct refresher *r, struct process *p)
{
	char text[TASK_WCHAN_BYTES];

	p->wchan_tried = true;
	if (read_wchan(r, p->pid, 0, text)) {
		text_replace(&p->wchan, text, strlen(text));
		return;
	}
	free(p->wchan);
	p->wchan = NULL;
}

static void process_read_extras(const struct refresher *r, struct process *p)
{
	bool active = p->ran || p->visible || reads_all(r->how);

	if (!r->table->procfs || process_virtual(p) || p->exited)
		return;
	if (r->how->cgroup &&
	    (!p->cgroup_ns || (active && r->now_ns - p->cgroup_ns > CGROUP_AGE_NS)))
		process_read_cgroup(r, p);
	if (r->how->wchan && (active || !p->wchan_tried))
		process_read_wchan(r, p);
	if (r->how->wchan && r->how->threads && (active || !r->how->sparing))
		threads_read_wchan(r, p);
}

static void process_refresh(const struct refresher *r, struct process *p)
{
	if (process_virtual(p) || !r->table->procfs)
		process_unknown(r->table, p);
	else if (p->exited && p->settled)
		process_unknown(r->table, p);
	else if (p->exited)
		process_settle(r, p);
	else if (process_wanted(r, p))
		process_read(r, p);
	else
		process_idle(r, p);
	process_read_extras(r, p);
	if (p->ran || p->visible) {
		for (size_t i = 0; i < p->thread_count; i++)
			p->threads[i]->ran = false;
	}
	p->active = p->ran;
	p->ran = p->visible = false;
}

/* Puts the process into the table, unread.  If it has gone, the reading will tell. */
static int list_process(void *context, uint32_t pid)
{
	struct process_table *t = context;
	struct process *p = map_find(&t->pids, pid);

	if (p && !(p->exited && p->settled))
		return 0;
	p = table_has_idle_room(t) ? table_add(t, pid, table_owner(t, pid)) : NULL;
	if (!p)
		return 0;
	p->listed = t->listings > 1;
	p->since_ns = clock_monotonic_ns(t->clock);
	return 0;
}

static uint64_t uptime_ticks(const struct process_table *t)
{
	char text[128];
	double uptime_s;
	ssize_t n = procfs_read(t->procfs, "uptime", text, sizeof(text));

	if (n < 0 || host_uptime_parse(text, (size_t)n, &uptime_s))
		return UINT64_MAX;
	return (uint64_t)(uptime_s * (double)t->procfs->ticks_per_s);
}

/* From Linux 5.14 on delays are counted on request, before that unless the kernel was told not to. */
static bool delays_counted(const struct process_table *t)
{
	char text[16];
	ssize_t n = procfs_read(t->procfs, "sys/kernel/task_delayacct", text, sizeof(text));

	return n == -ENOENT || (n > 0 && *text == '1');
}

/* Calls VISIT with every process of /proc.  Returns the number of visits, or a negative errno. */
static int64_t list_processes(struct process_table *t, procfs_visitor *visit, void *context)
{
	t->listings++;
	t->reads++;
	t->earlier_ticks = t->listed_ticks;
	t->listed_ticks = uptime_ticks(t);
	return procfs_each_task(t->procfs, 0, visit, context);
}

struct process_scan {
	struct process_table *table;
	uint64_t start_ns, limit_ns;
};

static int scan_process(void *context, uint32_t pid)
{
	const struct process_scan *s = context;
	struct process_table *t = s->table;
	size_t before = t->count;

	t->partial = clock_monotonic_ns(t->clock) - s->start_ns > s->limit_ns;
	if (t->partial)
		return 1;
	list_process(t, pid);
	if (t->count > before)
		process_learn(t, t->items[before]);
	return 0;
}

int64_t process_table_scan_for(struct process_table *t, uint64_t limit_ns)
{
	struct process_scan scan = { t, clock_monotonic_ns(t->clock), limit_ns };
	size_t before = t->count;
	int64_t n;

	if (!t->procfs)
		return 0;
	n = list_processes(t, scan_process, &scan);
	return n < 0 ? n : (int64_t)(t->count - before);
}

int64_t process_table_scan(struct process_table *t)
{
	return process_table_scan_for(t, UINT64_MAX);
}

/* Reads the commands of processes that nobody looks at. */
static void read_other_commands(const struct refresher *r)
{
	struct process_table *t = r->table;
	uint64_t start_ns = clock_monotonic_ns(t->clock);

	for (size_t i = 0; i < t->count; i++) {
		struct process *p = t->items[i];

		if (p->command_known || p->kernel || p->exited || !p->known)
			continue;
		process_read_command(t, p);
		if (!r->how->commands && p->command_ns - start_ns > PROCESS_COMMANDS_NS)
			return;
	}
}

/*
 * Looks up the names of users for which the last refresh had no time: their processes may not be
 * read again.
 */
static void name_users(struct process_table *t)
{
	for (size_t i = 0; i < t->count; i++)
		t->items[i]->user = user_name(t->users, t->items[i]->uid);
}

/* On large machines others must not wait for the whole of it. */
static void end_piece(struct refresher *r)
{
	const struct refresh *how = r->how;

	if (!how->between || clock_monotonic_ns(r->table->clock) - r->piece_ns < REFRESH_PIECE_NS)
		return;
	how->between(how->context);
	r->piece_ns = clock_monotonic_ns(r->table->clock);
}

static void mark_visible(struct process_table *t, const struct refresh *how)
{
	for (size_t i = 0; i < how->visible_count; i++) {
		struct process *p = map_find(&t->pids, how->visible[i]);

		if (p)
			p->visible = true;
	}
}

void process_table_refresh(struct process_table *t, const struct refresh *how)
{
	struct refresher r = { .table = t, .how = how, .now_ns = clock_monotonic_ns(t->clock) };

	r.piece_ns = r.now_ns;
	t->refreshes++;
	t->reads = 0;
	t->reads_all = reads_all(how);
	memset(t->refused_pids, 0, sizeof(t->refused_pids));
	for (enum task_file file = TASK_SWITCHES + 1; file < TASK_FILES; file++) {
		if (!how->counts[file])
			t->counted_since[file] = t->refreshes + 1;
	}
	if (user_table_rewind(t->users))
		name_users(t);
	mark_visible(t, how);
	if (t->procfs && (t->partial ? t->refreshes > 1 : reads_all(how))) {
		list_processes(t, list_process, t);
		t->partial = false;
	} else if (t->procfs && how->sparing) {
		t->listed_ticks =
			uptime_ticks(t); /* whom a later listing finds may have been there before */
	}
	if (t->procfs && how->states)
		r.delays_counted = delays_counted(t);
	if (t->procfs)
		look_for_ended(&r);
	for (size_t i = 0; i < t->count; i++) { /* grows when a pid turns out to be another's */
		process_refresh(&r, t->items[i]);
		if (i % PIECE_LOOKS == 0)
			end_piece(&r);
	}
	if (t->procfs && (how->commands || t->refreshes == 1))
		read_other_commands(&r);
	t->refreshed_ns = r.now_ns;
}
