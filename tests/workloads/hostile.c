/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * hostile [SECONDS]: burns CPU under a name and with arguments that hold escape sequences, newlines,
 * parentheses, bidirectional overrides and bytes that are not UTF-8.
 */
#include <pthread.h>
#include <sys/prctl.h>

#include "workload.h"

#define NAME "a) S (\x1b[2J\n\xff"
#define ARGUMENT                                                \
	"\x1b]0;owned\x07\r\n\xc3(\xf0\x9f\xed\xa0\x80\xc2\x9b" \
	"31m\xe2\x80\xae;\"',"

HOT static void hostile_hot(uint64_t n)
{
	burn(n);
}

int main(int argc, char **argv)
{
	double end_s = clock_s(CLOCK_MONOTONIC) + number_argument(argc, argv, 1, 1);
	char *again[] = { "\x1b[31mhostile\n", argc > 1 ? argv[1] : "1", ARGUMENT, NULL };

	if (argc < 3) {
		execv("/proc/self/exe", again);
		return 1;
	}
	prctl(PR_SET_NAME, NAME);
	printf("ready %d\n", (int)getpid());
	fflush(stdout);
	while (clock_s(CLOCK_MONOTONIC) < end_s)
		hostile_hot(100000);
	return 0;
}
