/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sleepers N: N processes that sleep until stdin ends.  Says "ready PID". */
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "workload.h"

int main(int argc, char **argv)
{
	int count = (int)number_argument(argc, argv, 1, 100);
	pid_t parent = getpid();

	for (int i = 0; i < count; i++) {
		pid_t child = fork();

		if (child < 0) {
			fprintf(stderr, "sleepers: only %d of %d\n", i, count);
			return 1;
		}
		if (child == 0) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			while (getppid() == parent)
				pause();
			_exit(0);
		}
	}
	signal(SIGCHLD, SIG_IGN);
	printf("ready %d\n", (int)parent);
	wait_end();
	return 0;
}
