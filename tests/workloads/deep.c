/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * deep [SECONDS]: a stack of 84 KiB: main > even > a00 > … > a39 > a4 > burn_here, or main > odd >
 * b00 > … of frames as large, by turns.  It burns a millisecond at each depth on the way down.
 */
#include "workload.h"

#define FRAME 2048 /* bytes */
#define LEVEL 600000

static uint64_t level; /* rounds at each depth, about a millisecond */

HOT static void burn_here(volatile char *used)
{
	burn(level);
	used[0] = used[FRAME - 1];
}

/* clang-format off */
#define LAST(name) \
	HOT static void name(void) { volatile char used[FRAME]; burn_here(used); __asm__ volatile(""); }
#define STEP(name, next) \
	HOT static void name(void) \
	{ volatile char used[FRAME]; burn_here(used); next(); __asm__ volatile(""); }
#define TEN(a, n) \
	STEP(a##n##9, a##n##end) STEP(a##n##8, a##n##9) STEP(a##n##7, a##n##8) STEP(a##n##6, a##n##7) \
	STEP(a##n##5, a##n##6) STEP(a##n##4, a##n##5) STEP(a##n##3, a##n##4) STEP(a##n##2, a##n##3) \
	STEP(a##n##1, a##n##2) STEP(a##n##0, a##n##1)
#define FORTY(a) \
	LAST(a##4) \
	static void (*const a##3end)(void) = a##4; TEN(a, 3) \
	static void (*const a##2end)(void) = a##30; TEN(a, 2) \
	static void (*const a##1end)(void) = a##20; TEN(a, 1) \
	static void (*const a##0end)(void) = a##10; TEN(a, 0)
/* clang-format on */

FORTY(a)
FORTY(b)

HOT static void even(void)
{
	a00();
	__asm__ volatile("");
}

HOT static void odd(void)
{
	b00();
	__asm__ volatile("");
}

int main(int argc, char **argv)
{
	double end_s = clock_s(CLOCK_MONOTONIC) + number_argument(argc, argv, 1, 1), start_s;

	printf("ready %d\n", (int)getpid());
	fflush(stdout);
	start_s = cpu_s(RUSAGE_SELF);
	burn(LEVEL);
	level = (uint64_t)(LEVEL * 1e-3 / (cpu_s(RUSAGE_SELF) - start_s + 1e-6));
	while (clock_s(CLOCK_MONOTONIC) < end_s) {
		even();
		odd();
	}
	return 0;
}
