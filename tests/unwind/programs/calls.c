/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Uses of a stack in C: recursion, alloca, leaves, tail calls, pointers, the vdso, a library.  With
 * -DFROM_MAIN it traps in main(), whose callers are not followed then.  With -DSLOW_STEPS it reads
 * no clock: a reading begins anew when the kernel's tick comes meanwhile, and where a step takes as
 * long as a tick it hardly ever ends.
 */
#include <alloca.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "trap.h"

#if defined(__clang__)
#define APART __attribute__((noinline))
#else
#define APART __attribute__((noinline, noclone))
#endif

volatile int sink;

APART static int leaf(int x)
{
	return x * 7 + sink;
}

APART static int recursive(int n)
{
	return n > 1 ? recursive(n - 1) + recursive(n - 2) + leaf(n) : leaf(1);
}

APART static int tail_target(int x)
{
	sink += x;
	return recursive(x % 5);
}

APART static int tail_call(int x)
{
	sink++;
	return tail_target(x + 1);
}

APART static int with_alloca(size_t n)
{
	char *p = alloca(n);

	memset(p, sink, n);
	return leaf(p[n / 2]) + recursive(3);
}

APART static int with_array(int n)
{
	char array[n * 16 + 1];

	snprintf(array, sizeof(array), "%d", n);
	return atoi(array) + leaf(n);
}

/* A stack that is realigned: the frame's address is in memory. */
APART static int realigned(int n, int a, int b, int c, int d, int e, int f, int g)
{
	_Alignas(64) volatile char aligned[64];
	char *p = alloca((size_t)n * 8);

	memset(p, g + f, (size_t)n * 8);
	aligned[a & 63] = (char)(b + c + d + e + p[n]);
	return leaf(aligned[n & 63]) + recursive(2);
}

static int compare(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b + leaf(0) * 0;
}

APART static int callbacks(void)
{
	int n[] = { 9, 3, 7, 1, 8, 2, 6, 4, 5, 0 };

	qsort(n, sizeof(n) / sizeof(*n), sizeof(*n), compare);
	return n[3];
}

APART static int kernel_page(void)
{
	struct timespec t;

	clock_getres(CLOCK_MONOTONIC, &t);
#ifndef SLOW_STEPS
	clock_gettime(CLOCK_MONOTONIC, &t);
	clock_gettime(CLOCK_REALTIME, &t);
	t.tv_sec ^= time(NULL);
#endif
	return (int)t.tv_sec;
}

static void on_signal(int n, siginfo_t *info, void *context)
{
	(void)info;
	(void)context;
	sink += recursive(n % 4);
}

APART static int interrupted(int flags)
{
	struct sigaction a = { .sa_flags = SA_SIGINFO | flags };

	a.sa_sigaction = on_signal;
	sigaction(SIGUSR1, &a, NULL);
	kill(getpid(), SIGUSR1);
	raise(SIGUSR1);
	return leaf(sink);
}

/* As musl's libc does: nothing describes what a handler returns to. */
#if defined(__x86_64__)
void undescribed_restorer(void);
__asm__(".text\nnop\nundescribed_restorer:\nmovq $15, %rax\nsyscall\n");

APART static int interrupted_undescribed(void)
{
	struct {
		void (*handler)(int, siginfo_t *, void *);
		unsigned long flags;
		void (*restorer)(void);
		unsigned long mask;
	} action = { on_signal, SA_SIGINFO | 0x04000000, undescribed_restorer, 0 };

	syscall(SYS_rt_sigaction, SIGUSR2, &action, NULL, sizeof(action.mask));
	kill(getpid(), SIGUSR2);
	return leaf(sink);
}
#else
APART static int interrupted_undescribed(void)
{
	return leaf(sink);
}
#endif

APART static int on_other_stack(void)
{
	static char other[1 << 16];
	stack_t s = { .ss_sp = other, .ss_size = sizeof(other) };

	sigaltstack(&s, NULL);
	return interrupted(SA_ONSTACK);
}

/* Hand-written code with a description of its own: two words more, the frame pointer borrowed. */
#if defined(__x86_64__)
int assembly(int x, int (*call)(int));
__asm__(".text\n.type assembly,@function\nassembly:\n.cfi_startproc\n"
	"pushq %rbx\n.cfi_adjust_cfa_offset 8\n.cfi_rel_offset rbx, 0\n"
	"pushq %rbp\n.cfi_adjust_cfa_offset 8\n.cfi_rel_offset rbp, 0\n"
	"subq $24, %rsp\n.cfi_adjust_cfa_offset 24\n"
	"movq $12345, %rbp\n"
	"movq %rsi, %rbx\n"
	"call *%rbx\n"
	"addq %rbp, %rax\n"
	"addq $24, %rsp\n.cfi_adjust_cfa_offset -24\n"
	"popq %rbp\n.cfi_adjust_cfa_offset -8\n.cfi_restore rbp\n"
	"popq %rbx\n.cfi_adjust_cfa_offset -8\n.cfi_restore rbx\n"
	"ret\n.cfi_endproc\n.size assembly,.-assembly\n");
#elif defined(__aarch64__)
int assembly(int x, int (*call)(int));
__asm__(".text\n.type assembly,%function\nassembly:\n.cfi_startproc\n"
	"stp x19, x30, [sp, -48]!\n.cfi_def_cfa_offset 48\n.cfi_offset 19, -48\n.cfi_offset 30, "
	"-40\n"
	"str x29, [sp, 32]\n.cfi_offset 29, -16\n"
	"mov x29, 12345\n"
	"blr x1\n"
	"add x0, x0, x29\n"
	"ldr x29, [sp, 32]\n.cfi_restore 29\n"
	"ldp x19, x30, [sp], 48\n.cfi_def_cfa_offset 0\n.cfi_restore 19\n.cfi_restore 30\n"
	"ret\n.cfi_endproc\n.size assembly,.-assembly\n");
#endif

int main(void)
{
	int sum;

#ifdef FROM_MAIN
	TRAP;
#endif
	sum = recursive(6) + tail_call(3) + with_alloca(200) + with_array(9) + callbacks();
	sum += realigned(9, 1, 2, 3, 4, 5, 6, 7) + kernel_page() + assembly(3, recursive);
	sum += interrupted_undescribed() + interrupted(0) + on_other_stack();
	printf("%d %.3f\n", sum, sum / 3.0);
#ifdef FROM_MAIN
	fflush(stdout);
	_exit(0);
#endif
	return 0;
}
