/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * blocks [SECONDS]: waits in every way for about SECONDS (0.2) each, one after the other, and works
 * for as long.  Says "ready PID" and begins at a byte on stdin.  Then it says for each way how many
 * seconds of wall clock it took, and for how many of them its first thread had a CPU:
 *
 *	sleep 0.200121 0.000050
 *	...
 *	all 1.403022 0.201200
 *
 * and ends at once.  Where it may not make page faults wait, `faults` takes no time.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "workload.h"

static uint64_t seconds_ns;

static HOT void nap(uint64_t ns)
{
	struct timespec left = { (time_t)(ns / 1000000000), (long)(ns % 1000000000) };

	while (nanosleep(&left, &left) && errno == EINTR)
		;
	__asm__ volatile("");
}

/* In a process of its own, called so: what it does this one does not. */
static pid_t start(void (*function)(void *), void *argument)
{
	pid_t pid = fork();

	if (pid)
		return pid;
	prctl(PR_SET_NAME, "helper");
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	nap(seconds_ns);
	function(argument);
	_exit(0);
}

static HOT void way_sleep(void)
{
	nap(seconds_ns);
	__asm__ volatile("");
}

static void wake(void *word)
{
	__atomic_store_n((uint32_t *)word, 1, __ATOMIC_SEQ_CST);
	syscall(SYS_futex, word, FUTEX_WAKE, 1, NULL, NULL, 0);
}

static HOT void wait_word(uint32_t *word)
{
	while (!__atomic_load_n(word, __ATOMIC_SEQ_CST))
		syscall(SYS_futex, word, FUTEX_WAIT, 0, NULL, NULL, 0);
	__asm__ volatile("");
}

static HOT void way_futex(void)
{
	uint32_t *word =
		mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pid_t child = start(wake, word);

	wait_word(word);
	waitpid(child, NULL, 0);
	__asm__ volatile("");
}

static void write_byte(void *fds)
{
	if (write(((int *)fds)[1], "", 1) != 1)
		_exit(1);
}

/* Functions of the C library keep no frame pointer: these are between them and what is looked for. */
static HOT void wait_byte(int fd)
{
	char c;

	if (read(fd, &c, 1) != 1)
		exit(1);
	__asm__ volatile("");
}

static HOT void wait_child(pid_t child)
{
	if (waitpid(child, NULL, 0) != child)
		exit(1);
	__asm__ volatile("");
}

static HOT void way_pipe(void)
{
	int fds[2];
	pid_t child;

	if (pipe(fds))
		exit(1);
	child = start(write_byte, fds);
	wait_byte(fds[0]);
	waitpid(child, NULL, 0);
	__asm__ volatile("");
}

static void nothing(void *argument)
{
	(void)argument;
}

static HOT void way_child(void)
{
	wait_child(start(nothing, NULL));
	__asm__ volatile("");
}

static HOT void way_work(void)
{
	double end = clock_s(CLOCK_MONOTONIC) + (double)seconds_ns / 1e9;

	while (clock_s(CLOCK_MONOTONIC) < end)
		burn(100000);
	__asm__ volatile("");
}

/* Page faults that another thread lets wait: such are major ones. */
#define FAULTS 8

struct faults {
	char *at;
	uint64_t page;
	int fd; /* userfaultfd; -1: this user may not have one */
};

static void *answer(void *argument)
{
	struct faults *f = argument;
	struct uffd_msg message;

	while (read(f->fd, &message, sizeof(message)) == sizeof(message)) {
		struct uffdio_zeropage zero = {
			.range = { message.arg.pagefault.address & ~(f->page - 1), f->page },
		};

		nap(seconds_ns / FAULTS);
		if (ioctl(f->fd, UFFDIO_ZEROPAGE, &zero) < 0)
			_exit(1);
	}
	return NULL;
}

/* Without the flag it would take privilege, and with it only faults of user code are waited for. */
static int faults_open(struct faults *f)
{
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register range = { .mode = UFFDIO_REGISTER_MODE_MISSING };
	pthread_t thread;

	f->page = (uint64_t)sysconf(_SC_PAGESIZE);
	f->at = mmap(NULL, FAULTS * f->page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
		     -1, 0);
	range.range.start = (uintptr_t)f->at;
	range.range.len = FAULTS * f->page;
	f->fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC | UFFD_USER_MODE_ONLY);
	if (f->fd < 0 || ioctl(f->fd, UFFDIO_API, &api) || ioctl(f->fd, UFFDIO_REGISTER, &range))
		return -1;
	return pthread_create(&thread, NULL, answer, f) ? -1 : 0;
}

static HOT void touch(struct faults *f)
{
	for (uint64_t i = 0; i < FAULTS; i++)
		*(volatile char *)(f->at + i * f->page) = 1;
	__asm__ volatile("");
}

static HOT void way_faults(void)
{
	struct faults f;

	if (!faults_open(&f))
		touch(&f);
	__asm__ volatile("");
}

static void measure(int task_clock, const char *name, void (*way)(void))
{
	double wall = clock_s(CLOCK_MONOTONIC), cpu = task_clock_s(task_clock);

	way();
	printf("%s %.6f %.6f\n", name, clock_s(CLOCK_MONOTONIC) - wall,
	       task_clock_s(task_clock) - cpu);
}

int main(int argc, char **argv)
{
	int task_clock = task_clock_open();
	double wall, cpu;

	seconds_ns = (uint64_t)(number_argument(argc, argv, 1, 0.2) * 1e9);
	wait_go();
	wall = clock_s(CLOCK_MONOTONIC);
	cpu = task_clock_s(task_clock);
	measure(task_clock, "sleep", way_sleep);
	measure(task_clock, "futex", way_futex);
	measure(task_clock, "pipe", way_pipe);
	measure(task_clock, "child", way_child);
	measure(task_clock, "work", way_work);
	measure(task_clock, "faults", way_faults);
	printf("all %.6f %.6f\n", clock_s(CLOCK_MONOTONIC) - wall, task_clock_s(task_clock) - cpu);
	return 0;
}
