/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "app/target-check.h"

#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/i18n.h"
#include "base/decimal.h"
#include "proc/procfs.h"
#include "proc/stat.h"

#define ONLINE_PATH "/sys/devices/system/cpu/online"

void target_fini(struct target *t)
{
	number_list_fini(&t->tasks);
	number_list_fini(&t->cpus);
	cgroup_fini(&t->cgroup);
}

/* The process to which the task TID belongs, or 0 when that cannot be read. */
static uint32_t process_of(const struct procfs *proc, uint32_t tid)
{
	struct task_status status;
	char text[4096];
	ssize_t size = procfs_read_task(proc, tid, 0, "status", text, sizeof(text));

	if (size < 0 || task_status_parse(text, (size_t)size, &status))
		return 0;
	return status.tgid;
}

static bool task_exists(uint32_t id)
{
	return !kill((pid_t)id, 0) || errno == EPERM;
}

/* Leaves out of the list what does not exist. */
static void keep_existing(struct number_list *tasks, const char *what, struct buf *notes)
{
	size_t kept = 0;

	for (size_t i = 0; i < tasks->count; i++) {
		if (task_exists(tasks->items[i]))
			tasks->items[kept++] = tasks->items[i];
		else
			buf_printf(notes, _("no %s %u: going on with the others\n"), what,
				   tasks->items[i]);
	}
	tasks->count = kept;
}

/* A thread's number in place of a process's would silently profile only a part. */
static int check_leaders(const struct number_list *tasks, struct error *err)
{
	struct procfs proc;
	int failed = 0;

	if (procfs_open(&proc, "/proc", err))
		return -1;
	for (size_t i = 0; i < tasks->count && !failed; i++) {
		uint32_t tid = tasks->items[i], pid = process_of(&proc, tid);

		if (pid && pid != tid)
			failed = error_set(err,
					   _("%u is a thread of process %u: use -p %u, or "
					     "-t %u for this thread alone"),
					   tid, pid, pid, tid);
	}
	procfs_close(&proc);
	return failed;
}

static int resolve_tasks(struct target *t, const char *text, const char *what, struct buf *notes,
			 struct error *err)
{
	struct buf missing = { 0 };

	if (number_list_parse(&t->tasks, text, what, 1, INT32_MAX, err))
		return -1;
	keep_existing(&t->tasks, what, &missing);
	if (t->tasks.count && missing.size)
		buf_add(notes, missing.bytes, missing.size);
	buf_fini(&missing);
	if (!t->tasks.count)
		return error_set(err, _("no %s %s: 'ptop -b -n 1 -l 0%s' lists those that run"),
				 what, text, t->mode == TARGET_TID ? " -H" : "");
	return t->mode == TARGET_PID ? check_leaders(&t->tasks, err) : 0;
}

static int resolve_user(struct target *t, const char *text, struct error *err)
{
	const struct passwd *entry = getpwnam(text);
	uint64_t uid;

	if (entry) {
		t->uid = entry->pw_uid;
		return 0;
	}
	if (!decimal_parse_u64(text, 0, UINT32_MAX - 1, &uid)) {
		t->uid = (int64_t)uid;
		return 0;
	}
	return error_set(err, _("no user '%s': write a name of 'getent passwd', or a number"),
			 text);
}

/* The CPUs that are online, as the kernel writes them: "0-3,8\n".  "" when that cannot be read. */
static void online_cpus(char *text, size_t size)
{
	int fd = open(ONLINE_PATH, O_RDONLY | O_CLOEXEC);
	ssize_t got = fd < 0 ? -1 : read(fd, text, size - 1);

	if (fd >= 0)
		close(fd);
	text[got > 0 ? got : 0] = '\0';
	text[strcspn(text, "\n")] = '\0';
}

static int resolve_cpus(struct target *t, const char *text, struct error *err)
{
	char names[4096];
	struct number_list online;

	if (number_list_parse(&t->cpus, text, "CPU", 0, UINT16_MAX, err))
		return -1;
	online_cpus(names, sizeof(names));
	if (number_list_parse(&online, names, "CPU", 0, UINT16_MAX, NULL))
		return 0; /* no sysfs: opening the events will tell */
	for (size_t i = 0; i < t->cpus.count; i++) {
		if (number_list_has(&online, t->cpus.items[i]))
			continue;
		number_list_fini(&online);
		return error_set(err, _("CPU %u is not online: online are %s"), t->cpus.items[i],
				 names);
	}
	number_list_fini(&online);
	return 0;
}

/* By what the options say first; -C may go with any of them. */
static int resolve_what(struct target *t, const struct options *o, struct buf *notes,
			struct error *err)
{
	if (o->file) {
		t->mode = TARGET_FILE;
		return 0;
	}
	if (o->cgroup) {
		t->mode = TARGET_CGROUP;
		return cgroup_resolve(&t->cgroup, o->cgroup, err);
	}
	if (o->pids) {
		t->mode = TARGET_PID;
		return resolve_tasks(t, o->pids, "process", notes, err);
	}
	if (o->tids) {
		t->mode = TARGET_TID;
		return resolve_tasks(t, o->tids, "thread", notes, err);
	}
	if (o->user) {
		t->mode = TARGET_USER;
		return resolve_user(t, o->user, err);
	}
	if (o->command)
		t->mode = TARGET_COMMAND;
	else if (o->cpus)
		t->mode = TARGET_CPU;
	return 0;
}

int target_resolve(struct target *t, const struct options *o, struct buf *notes, struct error *err)
{
	*t = (struct target){ .mode = TARGET_SYSTEM, .uid = -1 };
	if (o->attach)
		return 0; /* it is of the server's machine */
	if (resolve_what(t, o, notes, err) || (o->cpus && resolve_cpus(t, o->cpus, err))) {
		target_fini(t);
		return -1;
	}
	return 0;
}
