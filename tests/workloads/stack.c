/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * stack [SECONDS]: burns in a known stack, in the main thread main > stack_outer > stack_inner, five
 * times stack_inner by recursion, > stack_leaf, and in a second thread worker > stack_inner >
 * stack_leaf.  Built as stack-fp with frame pointers, as stack-leaf with such
 * in all but the leaf, as stack-nofp without.
 */
#include <pthread.h>

#include "workload.h"

#define DEPTH 5 /* calls of stack_inner below stack_outer */
#define TURN 20000

static double end_s;

HOT static void stack_leaf(void)
{
	volatile uint64_t used = TURN; /* or else the compiler needs no frame */

	burn(used);
	used = 0;
}

HOT static void stack_inner(int depth)
{
	if (depth > 1)
		stack_inner(depth - 1);
	else
		stack_leaf();
	__asm__ volatile(""); /* no tail call */
}

HOT static void stack_outer(void)
{
	stack_inner(DEPTH);
	__asm__ volatile("");
}

HOT static void *worker(void *unused)
{
	while (clock_s(CLOCK_MONOTONIC) < end_s) {
		stack_inner(1);
		__asm__ volatile("");
	}
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t thread;

	printf("ready %d\n", (int)getpid());
	fflush(stdout);
	end_s = clock_s(CLOCK_MONOTONIC) + number_argument(argc, argv, 1, 1);
	if (pthread_create(&thread, NULL, worker, NULL))
		return 1;
	while (clock_s(CLOCK_MONOTONIC) < end_s)
		stack_outer();
	pthread_join(thread, NULL);
	return 0;
}
