/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * calls N: on command, calls `called` N times and writes as often to a variable, then says "done".
 * The variable's address is in hexadecimal behind the pid of the first line.
 */
#include <inttypes.h>

#include "workload.h"

static volatile uint64_t written;

HOT static uint64_t called(uint64_t x)
{
	__asm__ volatile("" : "+r"(x));
	return x + 1;
}

int main(int argc, char **argv)
{
	uint64_t count = (uint64_t)number_argument(argc, argv, 1, 12345);
	char c;

	printf("ready %d %" PRIxPTR "\n", (int)getpid(), (uintptr_t)&written);
	fflush(stdout);
	if (read(STDIN_FILENO, &c, 1) != 1)
		return 0;
	for (uint64_t i = 0; i < count; i++)
		written = called(i);
	printf("done\n");
	wait_end();
	return 0;
}
