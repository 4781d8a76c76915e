/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>

#include "base/alloc.h"
#include "base/io.h"
#include "proc/process-table.h"

void process_table_keep_files(struct process_table *t, size_t limit)
{
	t->files_limit = limit;
}

static bool wants_to_keep(const struct process_table *t, const struct thread *th)
{
	return t->files_kept < t->files_limit && !th->exited &&
	       (th->process->active || t->reads_all);
}

static void files_make(struct thread *th)
{
	th->files = mem_alloc(sizeof(*th->files));
	for (size_t i = 0; i < KEPT_FILES; i++)
		th->files->fds[i] = -1;
	th->process->keeps_files = true;
}

ssize_t thread_read_file(struct process_table *t, struct thread *th, size_t file, uint32_t tid,
			 const char *name, char *buf, size_t size)
{
	uint32_t pid = th->process->pid;
	bool was_open = th->files && th->files->fds[file] >= 0;
	ssize_t n;

	t->reads++;
	if (!was_open && !wants_to_keep(t, th))
		return procfs_read_task(t->procfs, pid, tid, name, buf, size);
	if (!th->files)
		files_make(th);
	n = procfs_read_kept(t->procfs, &th->files->fds[file], pid, tid, name, buf, size);
	t->files_kept += (size_t)(th->files->fds[file] >= 0) - was_open;
	return n;
}

void thread_close_files(struct process_table *t, struct thread *th)
{
	if (!th->files)
		return;
	for (size_t i = 0; i < KEPT_FILES; i++) {
		t->files_kept -= th->files->fds[i] >= 0;
		io_close(&th->files->fds[i]);
	}
	free(th->files);
	th->files = NULL;
}

void process_close_files(struct process_table *t, struct process *p)
{
	if (!p->keeps_files)
		return;
	for (size_t i = 0; i < p->thread_count; i++)
		thread_close_files(t, p->threads[i]);
	p->keeps_files = false;
}
