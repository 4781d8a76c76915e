/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/nursery.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "worker/channel.h"
#include "worker/sandbox.h"

#define EXIT_MEMORY 3 /* the status of a worker without memory */

struct worker {
	pid_t pid;
	int socket; /* the worker's end, kept open for the last message */
	struct nursery_place *place;
};

struct nursery {
	int control, signals, parent;
	const struct nursery_work *work;
	uint64_t own_cpu_ns; /* already added to the account */
	const struct sandbox *sandbox;
	uint64_t begins_with_bytes; /* address space of a new worker */
	struct worker workers[NURSERY_WORKERS_MAX];
	size_t count;
	size_t next_place;
};

static void out_of_memory(void)
{
	_exit(EXIT_MEMORY);
}

/*
 * The settings that a worker inherits must not be a shell's choice: an ignored SIGXCPU would be no
 * limit.
 */
static void default_signals(void)
{
	for (int i = 1; i < NSIG; i++)
		signal(i, SIG_DFL);
}

/* "7312 1043 …": the first number of statm is the size in pages. */
static uint64_t address_space(void)
{
	FILE *f = fopen("/proc/self/statm", "re");
	unsigned long pages = 0;

	if (!f)
		return 256ull << 20;
	if (fscanf(f, "%lu", &pages) != 1)
		pages = 65536;
	fclose(f);
	return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

__attribute__((noreturn)) static void run_worker(struct nursery *n, int socket,
						 const struct nursery_request *r)
{
	sigset_t none;

	sandbox_close_files(socket);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	prctl(PR_SET_NAME, "ptop-worker");
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	sandbox_limit(&r->limits, n->begins_with_bytes);
	if (getppid() == n->parent && !sandbox_enter(n->sandbox, SANDBOX_WORKER))
		n->work->jobs[r->job](0);
	_exit(0);
}

/* The next place without a worker that runs; there are more places than workers. */
static struct nursery_place *take_place(struct nursery *n)
{
	struct nursery_place *place;

	do
		place = &n->work->account->places[n->next_place++ % NURSERY_PLACES];
	while (atomic_load(&place->pid));
	return place;
}

static void add_worker(struct nursery *n, const struct worker *w, uint32_t id, uint64_t fork_ns)
{
	atomic_store(&w->place->cpu_ns, fork_ns);
	atomic_store(&w->place->pid, w->pid);
	atomic_store(&w->place->id, id);
	n->workers[n->count++] = *w;
}

static void remove_worker(struct nursery *n, size_t i, uint64_t cpu_ns)
{
	struct nursery_place *place = n->workers[i].place;

	atomic_fetch_add(&place->cpu_ns, cpu_ns);
	atomic_store(&place->pid, 0);
	n->workers[i] = n->workers[--n->count];
}

static void start_worker(struct nursery *n, const struct nursery_request *r, int socket)
{
	const uint64_t began_ns = clock_process_cpu_ns();
	struct worker w = { .socket = socket };

	if (r->job >= n->work->count || n->count == NURSERY_WORKERS_MAX) {
		close(socket);
		return;
	}
	w.pid = fork();
	if (!w.pid)
		run_worker(n, socket, r);
	if (w.pid < 0) {
		close(socket);
		return;
	}
	w.place = take_place(n);
	add_worker(n, &w, r->id, clock_process_cpu_ns() - began_ns);
}

/* Returns false if ptop has closed its end. */
static bool take_request(struct nursery *n)
{
	struct nursery_request r;
	struct channel_fds fds;
	ssize_t size = channel_receive(n->control, &r, sizeof(r), &fds, MSG_DONTWAIT);

	if (size < 0)
		return size == -EAGAIN;
	if (size == sizeof(r) && fds.count == 1)
		start_worker(n, &r, fds.fds[0]);
	else
		channel_close_fds(&fds);
	return size > 0;
}

static enum worker_end end_of(int status)
{
	if (WIFEXITED(status))
		return WEXITSTATUS(status) == EXIT_MEMORY ? WORKER_TOO_LARGE : WORKER_DONE;
	switch (WTERMSIG(status)) {
	case SIGXCPU:
	case SIGALRM:
		return WORKER_TOO_SLOW;
	case SIGXFSZ:
		return WORKER_TOO_LARGE;
	case SIGKILL:
	case SIGTERM:
		return WORKER_KILLED;
	default:
		return WORKER_DAMAGED;
	}
}

/* The kernel's figures: a worker has no say in them. */
static void add_cpu(struct nursery *n, const struct rusage *used)
{
	uint64_t own_ns = clock_process_cpu_ns();

	atomic_fetch_add(&n->work->account->cpu_ns,
			 clock_cpu_ns_used(used) + own_ns - n->own_cpu_ns);
	n->own_cpu_ns = own_ns;
}

static void take_ended(struct nursery *n)
{
	struct signalfd_siginfo info;
	struct rusage used;
	int status, socket;
	pid_t pid;

	while (read(n->signals, &info, sizeof(info)) > 0)
		;
	while ((pid = wait4(-1, &status, WNOHANG, &used)) > 0) {
		struct worker_ended ended = { .tag = WORKER_ENDED, .end = end_of(status) };
		size_t i = 0;

		add_cpu(n, &used);
		while (i < n->count && n->workers[i].pid != pid)
			i++;
		if (i == n->count)
			continue;
		socket = n->workers[i].socket;
		remove_worker(n, i, clock_cpu_ns_used(&used)); /* first: it is asked for at once */
		channel_send(socket, &ended, sizeof(ended), NULL);
		if (socket >= 0)
			close(socket);
	}
}

/* A worker whose job was given up.  It may hang in a read until later; nobody listens then. */
static void kill_worker(struct worker *w)
{
	kill(w->pid, SIGKILL);
	close(w->socket);
	w->socket = -1;
}

static void serve(struct nursery *n)
{
	struct pollfd polled[2 + NURSERY_WORKERS_MAX];
	size_t count = n->count;

	/* With all places taken a request waits: workers that were given up still have to end. */
	polled[0] = (struct pollfd){ .fd = n->control,
				     .events = count < NURSERY_WORKERS_MAX ? POLLIN : 0 };
	polled[1] = (struct pollfd){ .fd = n->signals, .events = POLLIN };
	for (size_t i = 0; i < count; i++)
		polled[2 + i] = (struct pollfd){ .fd = n->workers[i].socket }; /* only POLLHUP */
	if (poll(polled, 2 + count, -1) < 0)
		return;
	for (size_t i = 0; i < count; i++)
		if (polled[2 + i].revents & (POLLHUP | POLLERR))
			kill_worker(&n->workers[i]);
	if (polled[1].revents)
		take_ended(n);
	if (polled[0].revents && !take_request(n))
		_exit(0);
}

void nursery_run(int control, int parent, const struct nursery_work *work)
{
	struct nursery n = { .control = 0, .work = work };
	sigset_t child;

	mem_on_failure(out_of_memory);
	default_signals();
	prctl(PR_SET_NAME, "ptop-zygote");
	setsid(); /* the terminal's keys are for ptop, which ends us */
	sandbox_close_files(control);
	n.begins_with_bytes = address_space();
	n.sandbox = sandbox_new(1u << SANDBOX_ZYGOTE | 1u << SANDBOX_WORKER);
	n.parent = getpid();
	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	sigprocmask(SIG_SETMASK, &child, NULL);
	n.signals = signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK);
	/* No worker inherits it. */
	if (madvise(work->account, sizeof(*work->account), MADV_DONTFORK) < 0)
		_exit(1);
	if (n.signals < 0 || sandbox_drop_privileges(parent) < 0 ||
	    sandbox_enter(n.sandbox, SANDBOX_ZYGOTE) < 0)
		_exit(1);
	for (;;)
		serve(&n);
}
