/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * alone: burns without a C library, so that all the code of its process keeps frame pointers but one
 * leaf: _start > turn > alone_inner, three times by recursion, > alone_leaf, for ever.
 */
#ifdef __clang__
#define HOT __attribute__((noinline, used))
#else
#define HOT __attribute__((noinline, noclone, used))
#endif

#define DEPTH 3
#define TURN 20000

HOT static unsigned long alone_leaf(unsigned long x)
{
	for (volatile unsigned long left = TURN; left; left--)
		x = x * 7 + left;
	return x;
}

HOT static unsigned long alone_inner(int depth, unsigned long x)
{
	x = depth > 1 ? alone_inner(depth - 1, x) : alone_leaf(x);
	__asm__ volatile("" : "+r"(x)); /* no tail call */
	return x + 1;
}

/* Functions of which one is ever called: a file with few of them tells little of how it was built. */
#define FRAMED(name)                                          \
	HOT static unsigned long name(unsigned long x)        \
	{                                                     \
		unsigned long sum = alone_inner(DEPTH, x);    \
                                                              \
		sum += alone_inner(DEPTH, sum + x);           \
		sum ^= alone_inner(DEPTH, sum * 3 + x);       \
		return sum + alone_inner(DEPTH, sum / 5 + x); \
	}
FRAMED(turn)
FRAMED(other_1)
FRAMED(other_2)
FRAMED(other_3)
FRAMED(other_4)
FRAMED(other_5)
FRAMED(other_6)
FRAMED(other_7)
FRAMED(other_8)
FRAMED(other_9)
FRAMED(other_10)
FRAMED(other_11)
FRAMED(other_12)

__attribute__((noreturn)) void _start(void);
void _start(void)
{
	for (unsigned long x = 1;;)
		x = turn(x);
}
