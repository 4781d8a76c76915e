/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "perf/live/tasks.h"

#include <ctype.h>
#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#define GROUP_DEPTH 32 /* of control groups in one another */

/* A directory's name as a pid; 0 when it is none. */
static uint32_t pid_parse(const char *name)
{
	unsigned long pid = 0;
	char *end;

	if (isdigit((unsigned char)*name)) {
		pid = strtoul(name, &end, 10);
		if (*end || pid > INT_MAX)
			pid = 0;
	}
	return (uint32_t)pid;
}

void tasks_of_process(const char *proc_root, uint32_t pid, task_found *found, void *context)
{
	char path[PATH_MAX];
	struct dirent *entry;
	DIR *dir;

	snprintf(path, sizeof(path), "%s/%u/task", proc_root, pid);
	dir = opendir(path);
	if (!dir)
		return;
	while ((entry = readdir(dir))) {
		uint32_t tid = pid_parse(entry->d_name);

		if (tid)
			found(context, pid, tid);
	}
	closedir(dir);
}

void tasks_of_user(const char *proc_root, uid_t uid, task_found *found, void *context)
{
	struct dirent *entry;
	DIR *dir = opendir(proc_root);

	if (!dir)
		return;
	while ((entry = readdir(dir))) {
		uint32_t pid = pid_parse(entry->d_name);
		struct stat st;

		if (pid && fstatat(dirfd(dir), entry->d_name, &st, 0) == 0 && st.st_uid == uid)
			tasks_of_process(proc_root, pid, found, context);
	}
	closedir(dir);
}

static void group_read(const char *directory, const char *proc_root, task_found *found,
		       void *context)
{
	char path[PATH_MAX];
	unsigned int pid;
	FILE *f;

	snprintf(path, sizeof(path), "%s/cgroup.procs", directory);
	f = fopen(path, "re");
	if (!f)
		return;
	while (fscanf(f, "%u", &pid) == 1)
		tasks_of_process(proc_root, pid, found, context);
	fclose(f);
}

struct walk {
	const char *proc_root;
	task_found *found;
	void *context;
};

static void groups_walk(const char *directory, const struct walk *w, int depth)
{
	char path[PATH_MAX];
	struct dirent *entry;
	DIR *dir = opendir(directory);

	if (!dir)
		return;
	group_read(directory, w->proc_root, w->found, w->context);
	while (depth && (entry = readdir(dir))) {
		int size = snprintf(path, sizeof(path), "%s/%s", directory, entry->d_name);

		if (entry->d_type == DT_DIR && *entry->d_name != '.' && (size_t)size < sizeof(path))
			groups_walk(path, w, depth - 1);
	}
	closedir(dir);
}

void tasks_of_group(const char *directory, const char *proc_root, task_found *found, void *context)
{
	const struct walk w = { proc_root, found, context };

	groups_walk(directory, &w, GROUP_DEPTH);
}
