/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "runtime/attacher.h"

#include <errno.h>
#include <linux/capability.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "worker/channel.h"
#include "worker/helper.h"
#include "worker/sandbox.h"

#define ASKED_MAX 16
#define KILL_MS (JAVA_ANSWER_MS + 1000) /* it hangs in a file of the program's */

/* For becoming users, for /proc, and for killing what became one. */
#define KEPT (1ull << CAP_SETUID | 1ull << CAP_SETGID | 1ull << CAP_SYS_PTRACE | 1ull << CAP_KILL)

/* The process tells ptop of its children in a page that both share. */
struct cost {
	_Atomic(uint64_t) ended_ns; /* CPU time of those that have ended */
	_Atomic(int) child;         /* the other one's process id; 0: none */
};

struct attacher {
	struct helper helper;
	unsigned asked;    /* without an answer */
	struct cost *cost; /* owned */
	uint64_t told_ns;
};

/* The result of the process PID; what did not end in time is killed. */
static enum java_result wait_for(pid_t pid, struct cost *cost)
{
	struct rusage used;
	int status;

	atomic_store(&cost->child, pid);
	status = helper_wait(pid, pid, KILL_MS, &used);
	if (status < 0)
		return JAVA_FAILED;
	atomic_store(&cost->child, 0);
	atomic_fetch_add(&cost->ended_ns, clock_cpu_ns_used(&used));
	if (WIFEXITED(status) && WEXITSTATUS(status) < JAVA_RESULTS)
		return WEXITSTATUS(status);
	return JAVA_SILENT;
}

static enum java_result ask(uint32_t pid, struct cost *cost)
{
	pid_t child = fork();

	if (!child) {
		munmap(cost, sizeof(*cost));
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		_exit(java_write_map("/proc", pid));
	}
	return child < 0 ? JAVA_FAILED : wait_for(child, cost);
}

static void answer_questions(int socket, struct cost *cost)
{
	struct attacher_answer answer;

	while (channel_receive(socket, &answer, sizeof(answer), NULL, 0) == sizeof(answer)) {
		uint64_t began = clock_monotonic_ns(&clock_system);

		answer.result = ask(answer.pid, cost);
		answer.took_ms =
			(uint32_t)((clock_monotonic_ns(&clock_system) - began) / (NS_PER_S / 1000));
		if (channel_send(socket, &answer, sizeof(answer), NULL))
			return;
	}
}

static void attacher_run(void *cost)
{
	const struct rlimit none = { 0, 0 };
	struct sandbox *sandbox = sandbox_new(1u << SANDBOX_ATTACHER);

	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	setrlimit(RLIMIT_CORE, &none);
	if (!sandbox_cut_capabilities(KEPT) && !sandbox_enter(sandbox, SANDBOX_ATTACHER))
		answer_questions(STDIN_FILENO, cost);
}

static const struct helper_kind kind = { .name = "ptop-attacher", .kept = 1, .run = attacher_run };

struct attacher *attacher_start(void)
{
	struct attacher *a = mem_alloc(sizeof(*a));

	a->cost = mmap(NULL, sizeof(*a->cost), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		       -1, 0);
	if (a->cost != MAP_FAILED && !helper_start(&a->helper, &kind, a->cost))
		return a;
	if (a->cost != MAP_FAILED)
		munmap(a->cost, sizeof(*a->cost));
	free(a);
	return NULL;
}

void attacher_stop(struct attacher *a)
{
	if (!a)
		return;
	close(a->helper.socket);
	kill(a->helper.pid, SIGKILL);
	while (waitpid(a->helper.pid, NULL, 0) < 0 && errno == EINTR)
		;
	munmap(a->cost, sizeof(*a->cost));
	free(a);
}

/* Between two lines of its bookkeeping a child is missing; what was told stays. */
uint64_t attacher_cpu_ns(struct attacher *a)
{
	uint64_t ns;

	if (!a)
		return 0;
	ns = clock_cpu_ns_of(a->helper.pid) + clock_cpu_ns_of(atomic_load(&a->cost->child)) +
	     atomic_load(&a->cost->ended_ns);
	if (ns > a->told_ns)
		a->told_ns = ns;
	return a->told_ns;
}

bool attacher_ask(struct attacher *a, uint32_t pid)
{
	const struct attacher_answer question = { .pid = pid };

	if (a->asked >= ASKED_MAX ||
	    channel_send(a->helper.socket, &question, sizeof(question), NULL))
		return false;
	a->asked++;
	return true;
}

bool attacher_next(struct attacher *a, struct attacher_answer *answer)
{
	if (channel_receive(a->helper.socket, answer, sizeof(*answer), NULL, MSG_DONTWAIT) !=
	    sizeof(*answer))
		return false;
	a->asked--;
	return true;
}
