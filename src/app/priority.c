/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "app/priority.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <sys/resource.h>
#include <unistd.h>

static int set_policy(int policy)
{
	const bool realtime = (policy & ~SCHED_RESET_ON_FORK) == SCHED_RR;
	const struct sched_param param = { .sched_priority = realtime ? PRIORITY_REALTIME : 0 };

	return sched_setscheduler(0, policy, &param);
}

/* RLIMIT_RTTIME is over for this thread. */
static void fall_back(int number)
{
	const int saved = errno;

	(void)number;
	set_policy(SCHED_OTHER);
	errno = saved;
}

void priority_raise(pid_t workers, bool realtime)
{
	/* Others, whose limits may let them raise theirs, could not take SCHED_RESET_ON_FORK back. */
	if (geteuid() || getpriority(PRIO_PROCESS, 0) || sched_getscheduler(0) != SCHED_OTHER ||
	    setpriority(PRIO_PROCESS, 0, PRIORITY_NICE))
		return;
	if (workers > 0)
		setpriority(PRIO_PROCESS, (id_t)workers, PRIORITY_NICE);
	if (!realtime || set_policy(SCHED_RR | SCHED_RESET_ON_FORK))
		set_policy(SCHED_OTHER | SCHED_RESET_ON_FORK);
}

/* Returns true if threads fall back when they are busy. */
static bool guard(void)
{
	struct sigaction action = { .sa_handler = fall_back, .sa_flags = SA_RESTART };
	struct rlimit busy;

	sigemptyset(&action.sa_mask);
	if (getrlimit(RLIMIT_RTTIME, &busy) || busy.rlim_max <= PRIORITY_BUSY_NS / 1000)
		return false;
	busy.rlim_cur = PRIORITY_BUSY_NS / 1000;
	return !sigaction(SIGXCPU, &action, NULL) && !setrlimit(RLIMIT_RTTIME, &busy);
}

void priority_keep(void)
{
	int policy = sched_getscheduler(0);

	if (policy < 0 || !(policy & SCHED_RESET_ON_FORK))
		return;
	policy &= ~SCHED_RESET_ON_FORK;
	set_policy(policy == SCHED_RR && guard() ? SCHED_RR : SCHED_OTHER);
}
