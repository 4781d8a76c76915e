/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "proc/process-table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

#define TASK_LIMIT (1024 * 1024)

struct process_table *process_table_new(const struct procfs *procfs, struct strtab *names,
					const struct clock *clock, uint64_t memory_bytes)
{
	struct process_table *t = mem_alloc(sizeof(*t));

	t->procfs = procfs;
	t->names = names;
	t->clock = clock;
	t->users = user_table_new(names, clock, NULL);
	t->memory_bytes = memory_bytes;
	t->spaces = space_store_new(account_most(memory_bytes, ACCOUNT_MAPPINGS));
	t->greedy_uid = UINT32_MAX;
	t->refreshed_ns = clock_monotonic_ns(clock);
	t->listed_ticks = t->earlier_ticks = UINT64_MAX;
	for (size_t file = 0; file < TASK_FILES; file++)
		t->counted_since[file] = 1;
	return t;
}

void process_table_read_owners(struct process_table *t, enum owners owners)
{
	t->owners = owners;
}

static void thread_free(struct process_table *t, struct thread *th)
{
	if (map_find(&t->tids, th->tid) == th)
		map_remove(&t->tids, th->tid);
	t->tasks--;
	thread_close_files(t, th);
	mem_free(th->figures, th->counts, th);
}

static void process_free(struct process_table *t, struct process *p)
{
	if (map_find(&t->pids, p->pid) == p)
		map_remove(&t->pids, p->pid);
	for (size_t i = 0; i < p->thread_count; i++)
		thread_free(t, p->threads[i]);
	mem_free(p->threads, p->command_text, p->cgroup, p->wchan);
	for (int kind = 0; kind < MAPS_KINDS; kind++)
		space_free(p->maps[kind].space);
	free(p);
}

void process_table_free(struct process_table *t)
{
	if (!t)
		return;
	for (size_t i = 0; i < t->count; i++)
		process_free(t, t->items[i]);
	free(t->items);
	map_fini(&t->pids);
	map_fini(&t->tids);
	maps_fini(t);
	user_table_free(t->users);
	buf_fini(&t->text);
	free(t);
}

struct process *process_table_find(const struct process_table *t, uint32_t pid)
{
	return map_find(&t->pids, pid);
}

struct thread *process_table_find_thread(const struct process_table *t, uint32_t tid)
{
	return map_find(&t->tids, tid);
}

static int compare_serial(const void *serial, const void *item)
{
	const struct process *const *p = item;
	uint32_t wanted = *(const uint32_t *)serial;

	return (wanted > (*p)->serial) - (wanted < (*p)->serial);
}

/* Serial numbers grow, and processes stay in the order in which they came. */
static const struct process *find_serial(const struct process_table *t, uint32_t serial)
{
	struct process *const *found =
		t->count ? bsearch(&serial, t->items, t->count, sizeof(*t->items), compare_serial)
			 : NULL;

	return found ? *found : NULL;
}

struct thread *process_table_find_past(const struct process_table *t, uint32_t serial, uint32_t tid)
{
	struct thread *th = map_find(&t->tids, tid);
	const struct process *p;

	if (th && th->process->serial == serial)
		return th;
	p = find_serial(t, serial);
	for (size_t i = 0; p && i < p->thread_count; i++) {
		if (p->threads[i]->tid == tid)
			return p->threads[i];
	}
	return NULL;
}

size_t process_table_count(const struct process_table *t)
{
	return t->count;
}

struct process *process_table_next(const struct process_table *t, size_t *cursor)
{
	return *cursor < t->count ? t->items[(*cursor)++] : NULL;
}

uint64_t process_table_reads(const struct process_table *t)
{
	return t->reads;
}

uint64_t process_table_refused(const struct process_table *t)
{
	return t->refused;
}

static void comm_copy(char to[TASK_COMM_BYTES], const char *from)
{
	size_t length = strnlen(from, TASK_COMM_BYTES - 1);

	memmove(to, from, length);
	to[length] = '\0';
}

/* Each task takes so much beside its texts: the structures, its places in arrays and maps. */
#define PROCESS_BYTES (sizeof(struct process) + 128)
#define THREAD_BYTES (sizeof(struct thread) + 64)

static uint64_t tasks_bytes(const struct process_table *t)
{
	return t->count * PROCESS_BYTES + t->tasks * THREAD_BYTES;
}

uint64_t process_table_bytes(const struct process_table *t)
{
	return tasks_bytes(t) + t->text_bytes;
}

static uint64_t text_bytes(const struct process *p)
{
	return (p->command_text ? strlen(p->command_text) + 32 : 0) +
	       (p->cgroup ? strlen(p->cgroup) + 32 : 0);
}

static uint64_t thread_bytes(const struct process *p)
{
	uint64_t bytes = p->thread_count * THREAD_BYTES;

	/* All have figures or none has, nearly. */
	if (p->threads[0]->figures)
		bytes += p->thread_count * sizeof(struct thread_figures);
	return bytes;
}

/* The first user over his part, if there is one; users are few, and one of them is looked for at a time. */
void process_table_count_bytes(struct process_table *t)
{
	uint64_t most = account_user(t->memory_bytes, ACCOUNT_TASKS), key = 0, bytes = 0;
	struct map users = { .seed = hash_seed() };

	t->greedy_uid = UINT32_MAX;
	t->text_bytes = 0;
	for (size_t i = 0; i < t->count; i++) {
		const struct process *p = t->items[i];
		uint64_t text = text_bytes(p);

		if (key != (uint64_t)p->uid + 1) { /* thousands in a row are of one user, mostly */
			if (key)
				map_put(&users, key, (void *)(uintptr_t)bytes);
			key = (uint64_t)p->uid + 1;
			bytes = (uintptr_t)map_find(&users, key);
		}
		bytes += text + thread_bytes(p) + PROCESS_BYTES;
		t->text_bytes += text;
		if (bytes > most)
			t->greedy_uid = p->uid;
	}
	map_fini(&users);
}

/* UID: whose it will be; UINT32_MAX: not known. */
static bool has_room(struct process_table *t, uint32_t uid)
{
	bool full =
		t->tasks >= TASK_LIMIT ||
		tasks_bytes(t) + t->text_bytes >= account_most(t->memory_bytes, ACCOUNT_TASKS) ||
		(uid != UINT32_MAX && uid == t->greedy_uid);

	t->refused += full;
	return !full;
}

bool table_has_idle_room(struct process_table *t)
{
	uint64_t part = account_user(t->memory_bytes, ACCOUNT_TASKS);
	bool full = t->tasks >= TASK_LIMIT / 4 * 3 || process_table_bytes(t) >= part / 4 * 3;

	t->refused += full;
	return !full;
}

uint32_t table_owner(const struct process_table *t, uint32_t pid)
{
	uint32_t uid = UINT32_MAX;

	if (t->greedy_uid != UINT32_MAX)
		procfs_owner(t->procfs, pid, &uid);
	return uid;
}

/* Adds a new thread to P.  Returns NULL if the table is full. */
static struct thread *table_add_thread(struct process_table *t, struct process *p, uint32_t tid)
{
	struct thread *th;

	if (p->thread_count && !has_room(t, p->uid))
		return NULL;
	/* Only an idle task has the number 0; a row with it is that of a process. */
	if (!tid && p->pid) {
		t->refused++;
		return NULL;
	}
	th = mem_alloc(sizeof(*th));
	th->tid = tid;
	th->process = p;
	th->born_at = UINT64_MAX;
	comm_copy(th->comm, p->comm);
	mem_grow((void **)&p->threads, &p->thread_capacity, p->thread_count + 1,
		 sizeof(struct thread *));
	p->threads[p->thread_count++] = th;
	p->live_threads++;
	map_put(&t->tids, tid, th);
	t->tasks++;
	return th;
}

struct process *table_add(struct process_table *t, uint32_t pid, uint32_t uid)
{
	struct process *p;

	if (!has_room(t, uid))
		return NULL;
	p = mem_alloc(sizeof(*p));
	p->pid = pid;
	p->serial = ++t->serial;
	p->command = "";
	p->user = "";
	p->uid = UINT32_MAX;
	p->owner.id = OWNER_NOBODY;
	p->shared_pages = -1;
	p->cpu_percent = -1;
	p->minor_faults = p->major_faults = -1;
	p->thread_capacity = 1;
	p->threads = mem_array(1, sizeof(struct thread *));
	table_add_thread(t, p, pid);
	counts_set(t, p, -1, true);
	map_put(&t->pids, pid, p);
	mem_grow((void **)&t->items, &t->capacity, t->count + 1, sizeof(struct process *));
	t->items[t->count++] = p;
	return p;
}

void thread_end(struct process_table *t, struct thread *th)
{
	if (th->exited)
		return;
	th->exited = true;
	th->exited_at = t->refreshes;
	th->process->live_threads--;
	thread_close_files(t, th);
	process_thread_ran(th);
}

void process_end(struct process_table *t, struct process *p)
{
	for (size_t i = 0; i < p->thread_count; i++)
		thread_end(t, p->threads[i]);
	p->exited = true;
	p->settled = false;
	p->exited_at = t->refreshes;
}

/* Another task has TH's number, so TH's end was lost.  TH may be NULL. */
static void thread_displace(struct process_table *t, struct thread *th)
{
	if (!th || th->exited)
		return;
	thread_end(t, th);
	if (!th->process->live_threads)
		process_end(t, th->process);
}

void process_revive(struct process *p)
{
	struct thread *leader = p->threads[0];

	if (leader->exited)
		p->live_threads++;
	leader->exited = false;
	p->exited = false;
}

void thread_is_born(struct thread *th, uint64_t born_at, uint64_t born_ns)
{
	th->born_at = born_at;
	th->born_ns = born_ns == UINT64_MAX ? 0 : born_ns;
}

/* A process without a record of its start; /proc describes it if it still exists. */
static struct process *process_discover(struct process_table *t, uint32_t pid)
{
	uint32_t *refused = &t->refused_pids[pid % REFUSED_PIDS];
	struct process *p;

	if (pid && *refused == pid) {
		t->refused++;
		return NULL;
	}
	p = table_add(t, pid, table_owner(t, pid));
	if (!p) {
		*refused = pid;
		return NULL;
	}
	if (process_virtual(p)) {
		comm_copy(p->comm, pid ? "exiting" : "swapper");
		if (!pid || t->procfs)
			comm_copy(p->threads[0]->comm, p->comm);
		p->kernel = true;
		p->maps[MAPS_CODE].read = p->maps[MAPS_ALL].read = true;
	} else if (t->procfs) {
		process_learn(t, p);
		if (t->refreshed_ns) /* a part of the interval is no more than that of the whole */
			p->read_ns = t->refreshed_ns;
	}
	return p;
}

struct thread *process_table_thread(struct process_table *t, uint32_t pid, uint32_t tid)
{
	struct thread *th = map_find(&t->tids, tid);
	struct process *p;

	if (th && th->process->pid == pid)
		return th;
	p = map_find(&t->pids, pid);
	if (!p)
		p = process_discover(t, pid);
	if (!p || tid == pid)
		return p ? p->threads[0] : NULL;
	thread_displace(t, th);
	th = table_add_thread(t, p, tid);
	/* In a recording a thread has the name that a record gave it, or none. */
	if (th && !t->procfs)
		th->comm[0] = '\0';
	return th;
}

void process_set_command(struct process *p, const char *text, size_t size)
{
	free(p->command_text);
	p->command_text = size ? mem_strndup(text, size) : NULL;
	p->command = p->command_text ? p->command_text : "";
}

/* Copies what a process has from its parent until it execs. */
static void process_inherit(struct process *p, const struct process *parent)
{
	p->uid = parent->uid;
	p->user = parent->user;
	if (parent->owner.current) {
		p->owner.id = parent->owner.id; /* only an exec can take it away */
		p->owner.current = true;
		p->owner.old = parent->owner.old;
	}
	p->kernel = parent->kernel;
	for (int kind = 0; kind < MAPS_KINDS; kind++) {
		p->maps[kind].read = parent->maps[kind].read;
		if (parent->maps[kind].space && parent->maps[kind].read)
			p->maps[kind].space = space_copy(parent->maps[kind].space);
	}
	process_set_command(p, parent->command, strlen(parent->command));
	p->command_known = parent->command_known;
	p->command_ns = parent->command_ns;
	if (parent->cgroup)
		p->cgroup = mem_strdup(parent->cgroup);
	p->group = parent->group;
}

static void process_fork(struct process_table *t, const struct task_change *fork)
{
	struct process *parent = map_find(&t->pids, fork->ppid);
	struct process *p = map_find(&t->pids, fork->pid);
	struct thread *forker = map_find(&t->tids, fork->ptid);

	if (p && fork->time_ns <= p->since_ns) /* /proc told the new state before the record */
		return;
	if (p && !p->exited)
		process_end(t, p);
	thread_displace(t, map_find(&t->tids, fork->tid));
	p = table_add(t, fork->pid, parent ? parent->uid : UINT32_MAX);
	if (!p)
		return;
	p->born = p->baseline = true;
	p->read_ns = t->refreshed_ns;
	p->since_ns = fork->time_ns == UINT64_MAX ? clock_monotonic_ns(t->clock) : fork->time_ns;
	p->stat.ppid = fork->ppid;
	thread_is_born(p->threads[0], t->refreshes, fork->time_ns);
	if (parent)
		process_inherit(p, parent);
	if (forker) {
		process_thread_ran(forker);
		comm_copy(p->comm, forker->comm);
		comm_copy(p->threads[0]->comm, p->comm);
	}
}

static void thread_fork(struct process_table *t, const struct task_change *fork)
{
	struct thread *th = map_find(&t->tids, fork->tid);
	struct thread *forker = map_find(&t->tids, fork->ptid);
	struct process *p = map_find(&t->pids, fork->pid);

	if (th && th->process == p && !th->exited)
		return;
	if (!p)
		p = process_discover(t, fork->pid);
	if (!p)
		return;
	thread_displace(t, th);
	th = table_add_thread(t, p, fork->tid);
	if (!th)
		return;
	thread_is_born(th, t->refreshes, fork->time_ns);
	if (forker) {
		process_thread_ran(forker);
		comm_copy(th->comm, forker->comm);
	}
}

void process_table_fork(struct process_table *t, const struct task_change *fork)
{
	if (t->partial)
		process_table_thread(t, fork->ppid, fork->ptid); /* the child has its name */
	if (fork->pid == fork->ppid)
		thread_fork(t, fork);
	else
		process_fork(t, fork);
}

/*
 * Starts a new program in P, run by its leader.  The kernel has ended the other threads.  If
 * another thread than the leader called exec, it got the leader's number without a record.
 */
static void process_exec(struct process_table *t, struct process *p)
{
	struct thread *leader = p->threads[0];

	if (p->live_threads > 1 || leader->exited)
		thread_forget_counts(leader);
	for (size_t i = 1; i < p->thread_count; i++)
		thread_end(t, p->threads[i]);
	process_revive(p);
	process_thread_ran(leader);
	for (int kind = 0; kind < MAPS_KINDS; kind++) {
		if (p->maps[kind].space)
			space_clear(p->maps[kind].space);
		p->maps[kind].read = true;
	}
	p->execed = true;
	p->owner.current = false;
	p->kernel = false;
	process_set_command(p, NULL, 0);
	p->command_known = false;
}

void process_table_comm(struct process_table *t, uint32_t pid, uint32_t tid, const char *comm,
			bool exec)
{
	struct thread *th = process_table_thread(t, pid, tid);
	struct process *p;

	if (!th)
		return;
	p = th->process;
	process_thread_ran(th);
	comm_copy(th->comm, comm);
	if (th == p->threads[0])
		comm_copy(p->comm, comm);
	if (exec && !process_virtual(p))
		process_exec(t, p);
}

void process_table_exit(struct process_table *t, const struct task_change *exit)
{
	struct thread *th = map_find(&t->tids, exit->tid);
	struct process *p;

	if (!th || th->exited || th->process->pid != exit->pid || process_virtual(th->process))
		return;
	p = th->process;
	/*
	 * /proc has shown the leader since then: the record is about an earlier task with its
	 * number.
	 */
	if (th == p->threads[0] && exit->time_ns && exit->time_ns < p->since_ns)
		return;
	thread_end(t, th);
	if (p->live_threads)
		return;
	process_end(t, p);
	/*
	 * A recording may have many thousands of threads.  All threads of a process born in it are
	 * known.
	 */
	for (int kind = 0; !t->procfs && p->born && kind < MAPS_KINDS; kind++) {
		space_free(p->maps[kind].space);
		p->maps[kind].space = NULL;
	}
}

static void forget_thread(struct process_table *t, struct thread *th,
			  const struct process_gone *gone)
{
	if (gone && gone->thread)
		gone->thread(gone->context, th);
	thread_free(t, th);
}

/*
 * Frees the threads of P that ended before the last refresh, or ALL; never the leader of a live P.
 */
static void forget_threads(struct process_table *t, struct process *p, bool all,
			   const struct process_gone *gone)
{
	size_t kept = 0;

	for (size_t i = 0; i < p->thread_count; i++) {
		struct thread *th = p->threads[i];

		if (all || (i && th->exited && th->exited_at < t->refreshes))
			forget_thread(t, th, gone);
		else
			p->threads[kept++] = th;
	}
	p->thread_count = kept;
}

void process_table_forget_exited(struct process_table *t, const struct process_gone *gone)
{
	size_t kept = 0;

	for (size_t i = 0; i < t->count; i++) {
		struct process *p = t->items[i];
		bool ended = p->exited && p->exited_at < t->refreshes;

		if (ended || p->thread_count > p->live_threads)
			forget_threads(t, p, ended, gone);
		if (!ended) {
			t->items[kept++] = p;
			continue;
		}
		if (gone && gone->process)
			gone->process(gone->context, p);
		process_free(t, p);
	}
	t->count = kept;
}
