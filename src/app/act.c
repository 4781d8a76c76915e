/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "app/act.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/cpu.h"
#include "base/decimal.h"
#include "base/i18n.h"
#include "base/number-list.h"
#include "proc/procfs.h"
#include "proc/stat.h"

#define STAT_BYTES 1024
#define NICE_MIN (-20)
#define NICE_MAX 19

/* ioprio_set(2): glibc has no header for it. */
#define IO_OF_PROCESS 1 /* IOPRIO_WHO_PROCESS: one thread */
#define IO_CLASS_SHIFT 13
enum { IO_NONE, IO_REALTIME, IO_BEST_EFFORT, IO_IDLE };
#define IO_LEVELS 8

/* One act on one process: which, and how its failure begins. */
struct act {
	const struct ui_task *task;
	int (*cannot)(const struct ui_task *t, const char *why, struct error *err);
	struct procfs proc;
	int fd; /* of the process; -1 */
};

static int cannot_kill(const struct ui_task *t, const char *why, struct error *err)
{
	return error_set(err, _("cannot kill %u (%s): %s"), t->pid, t->comm, why);
}

static int cannot_renice(const struct ui_task *t, const char *why, struct error *err)
{
	return error_set(err, _("cannot change the nice value of %u (%s): %s"), t->pid, t->comm,
			 why);
}

static int cannot_bind(const struct ui_task *t, const char *why, struct error *err)
{
	return error_set(err, _("cannot change the CPUs of %u (%s): %s"), t->pid, t->comm, why);
}

static int cannot_order(const struct ui_task *t, const char *why, struct error *err)
{
	return error_set(err, _("cannot change the storage priority of %u (%s): %s"), t->pid,
			 t->comm, why);
}

static const char *why(int error)
{
	if (error == ESRCH)
		return _("it has ended");
	if (error == EPERM)
		return _("only its owner and root may");
	if (error == EACCES)
		return _("only root may give it more than it had");
	if (error == EINVAL)
		return _("none of these CPUs is one that it may run on");
	if (error == ENOSYS)
		return _("this kernel is older than Linux 5.3");
	return strerror(error);
}

static void act_end(struct act *a)
{
	if (a->fd >= 0)
		close(a->fd);
	if (a->proc.fd >= 0)
		procfs_close(&a->proc);
}

int act_check_start(const struct procfs *proc, const struct ui_task *t)
{
	char text[STAT_BYTES];
	struct task_stat stat;
	ssize_t size = procfs_read_task(proc, t->pid, 0, "stat", text, sizeof(text));

	if (size < 0 || task_stat_parse(text, (size_t)size, &stat) || !t->start_ticks ||
	    stat.start_ticks != t->start_ticks)
		return ESRCH;
	return 0;
}

/* Opens the process of T if it is the one that was chosen.  act_end() in any case. */
static int act_begin(struct act *a, const struct ui_task *t,
		     int (*cannot)(const struct ui_task *t, const char *why, struct error *err),
		     struct error *err)
{
	int error;

	*a = (struct act){ .task = t, .cannot = cannot, .proc.fd = -1, .fd = -1 };
	if (procfs_open(&a->proc, "/proc", err))
		return -1;
	a->fd = (int)syscall(SYS_pidfd_open, t->pid, 0);
	error = a->fd < 0 ? errno : act_check_start(&a->proc, t);
	return error ? cannot(t, why(error), err) : 0;
}

static int pidfd_send(int fd, int number)
{
	return (int)syscall(SYS_pidfd_send_signal, fd, number, NULL, 0);
}

static int act_send(const struct ui_task *t, int number, struct error *err)
{
	struct act a;
	int failed;

	if (t->kernel)
		return cannot_kill(t, _("threads of the kernel take no signals"), err);
	failed = act_begin(&a, t, cannot_kill, err);
	if (!failed && pidfd_send(a.fd, number))
		failed = cannot_kill(t, why(errno), err);
	act_end(&a);
	return failed;
}

/* Acts on one thread; returns 0 or an errno. */
typedef int thread_act(uint32_t tid, void *value);

struct walk {
	thread_act *act;
	void *value;
	int error; /* the first */
	size_t done;
};

static int walk_visit(void *context, uint32_t tid)
{
	struct walk *w = context;
	int error = w->act(tid, w->value);

	if (!error)
		w->done++;
	else if (!w->error && error != ESRCH)
		w->error = error;
	return 0;
}

/*
 * The thread that was chosen, or all threads of the process: the kernel keeps these figures by thread.  A thread that
 * begins meanwhile has those of the one that started it.
 */
static int act_on_threads(struct act *a, thread_act *act, void *value, struct error *err)
{
	const struct ui_task *t = a->task;
	struct walk w = { .act = act, .value = value };

	if (t->tid)
		w.error = act(t->tid, value);
	else
		procfs_each_task(&a->proc, t->pid, walk_visit, &w);
	if (!w.error && pidfd_send(a->fd, 0) && errno == ESRCH)
		w.error = ESRCH; /* it ended, and what had its pid is not known */
	return w.error ? a->cannot(t, why(w.error), err) : 0;
}

struct nice_change {
	int by, now;
	bool told; /* `now` is the first thread's */
};

static int nice_thread(uint32_t tid, void *value)
{
	struct nice_change *n = value;
	int now;

	errno = 0;
	now = getpriority(PRIO_PROCESS, tid);
	if (errno)
		return errno;
	now += n->by;
	now = now < NICE_MIN ? NICE_MIN : now > NICE_MAX ? NICE_MAX : now;
	if (setpriority(PRIO_PROCESS, tid, now))
		return errno;
	if (!n->told)
		n->now = now;
	n->told = true;
	return 0;
}

static int act_renice(const struct ui_task *t, int by, int *now, struct error *err)
{
	struct nice_change n = { .by = by };
	struct act a;
	int failed = act_begin(&a, t, cannot_renice, err);

	if (!failed)
		failed = act_on_threads(&a, nice_thread, &n, err);
	act_end(&a);
	*now = n.now;
	return failed;
}

#define CPU_BYTES CPU_ALLOC_SIZE(CPU_LIMIT)

static int bind_thread(uint32_t tid, void *value)
{
	return sched_setaffinity((pid_t)tid, CPU_BYTES, value) ? errno : 0;
}

static int act_set_cpus(const struct ui_task *t, const char *cpus, struct error *err)
{
	struct number_list list;
	cpu_set_t *set;
	struct act a;
	int failed;

	if (number_list_parse(&list, cpus, "CPU", 0, CPU_LIMIT - 1, err))
		return -1;
	set = mem_alloc(CPU_BYTES);
	for (size_t i = 0; i < list.count; i++)
		CPU_SET_S(list.items[i], CPU_BYTES, set);
	number_list_fini(&list);
	failed = act_begin(&a, t, cannot_bind, err);
	if (!failed)
		failed = act_on_threads(&a, bind_thread, set, err);
	act_end(&a);
	free(set);
	return failed;
}

static int act_get_cpus(const struct ui_task *t, struct buf *out, struct error *err)
{
	cpu_set_t *set = mem_alloc(CPU_BYTES);
	struct number_list list = { 0 };
	char *text;

	if (sched_getaffinity((pid_t)(t->tid ? t->tid : t->pid), CPU_BYTES, set)) {
		free(set);
		return cannot_bind(t, why(errno), err);
	}
	list.items = mem_array((size_t)CPU_COUNT_S(CPU_BYTES, set), sizeof(*list.items));
	for (uint32_t cpu = 0; cpu < CPU_LIMIT; cpu++) {
		if (CPU_ISSET_S(cpu, CPU_BYTES, set))
			list.items[list.count++] = cpu;
	}
	text = number_list_text(&list);
	buf_add_str(out, text);
	free(text);
	number_list_fini(&list);
	free(set);
	return 0;
}

static int order_thread(uint32_t tid, void *value)
{
	return syscall(SYS_ioprio_set, IO_OF_PROCESS, tid, *(int *)value) ? errno : 0;
}

/* "be 4", "idle", "none". */
static int parse_order(const char *text, int *order, struct error *err)
{
	uint64_t level;

	*order = IO_NONE;
	if (!strcmp(text, "none"))
		return 0;
	*order = IO_IDLE << IO_CLASS_SHIFT;
	if (!strcmp(text, "idle"))
		return 0;
	if (!strncmp(text, "be ", 3) && !decimal_parse_u64(text + 3, 0, IO_LEVELS - 1, &level)) {
		*order = IO_BEST_EFFORT << IO_CLASS_SHIFT | (int)level;
		return 0;
	}
	return error_set(err, _("'%s' is no priority: write be 0 to be 7, idle or none"), text);
}

static int act_set_io(const struct ui_task *t, const char *priority, struct error *err)
{
	struct act a;
	int order, failed;

	if (parse_order(priority, &order, err))
		return -1;
	failed = act_begin(&a, t, cannot_order, err);
	if (!failed)
		failed = act_on_threads(&a, order_thread, &order, err);
	act_end(&a);
	return failed;
}

static int act_get_io(const struct ui_task *t, struct buf *out, struct error *err)
{
	long order = syscall(SYS_ioprio_get, IO_OF_PROCESS, t->tid ? t->tid : t->pid);

	if (order < 0)
		return cannot_order(t, why(errno), err);
	if (order >> IO_CLASS_SHIFT == IO_IDLE)
		buf_add_str(out, "idle");
	else if (order >> IO_CLASS_SHIFT == IO_NONE)
		buf_add_str(out, "none");
	else
		buf_printf(out, "%s %ld", order >> IO_CLASS_SHIFT == IO_REALTIME ? "rt" : "be",
			   order % IO_LEVELS);
	return 0;
}

const struct ui_acts process_acts = {
	.send = act_send,
	.renice = act_renice,
	.set_cpus = act_set_cpus,
	.set_io = act_set_io,
	.get_cpus = act_get_cpus,
	.get_io = act_get_io,
};
