/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * Without privilege: own tasks only, and nothing at all where the kernel refuses perf.  Each test
 * runs in a child that has given up what root may do, or that forbids itself the system call.
 */
#include "unit.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "perf/harness.h"
#include "perf/live/open.h"
#include "perf/live/pertask.h"

#define ORDINARY_UID 1000

#ifdef OLD_KERNEL
bool family_counters_possible(void) /* in place of src/perf/live/inherit.c */
{
	return false;
}
#endif

/* In a child's body: a failure is told by the exit status, cmocka's state is the parent's. */
#define CHECK(condition)                                                                \
	do {                                                                            \
		if (!(condition)) {                                                     \
			fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
			_exit(1);                                                       \
		}                                                                       \
	} while (0)

static void give_up_privilege(void)
{
	if (geteuid() != 0)
		return;
	CHECK(setresgid(ORDINARY_UID, ORDINARY_UID, ORDINARY_UID) == 0);
	CHECK(setresuid(ORDINARY_UID, ORDINARY_UID, ORDINARY_UID) == 0);
	CHECK(prctl(PR_SET_DUMPABLE, 1) == 0); /* else nobody may trace us, we neither */
}

/* From here on perf_event_open(2) says EACCES, as under kernel.perf_event_paranoid 3. */
static void forbid_perf(void)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_perf_event_open, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EACCES),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { .len = 4, .filter = filter };

	CHECK(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
	CHECK(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0);
}

static void run_apart(void (*body)(void))
{
	pid_t pid = unit_fork();
	int status;

	assert_true(pid >= 0);
	if (pid == 0) {
		body();
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	if (WIFEXITED(status) && WEXITSTATUS(status) == UNIT_SKIP)
		skip();
	assert_int_equal(status, 0);
}

/* A machine that lets everybody profile everything has no second tier to test. */
static void open_per_task(struct bench *b, const struct source_options *options)
{
	struct error err = { 0 };

	if (!bench_open(b, NULL, 999, options, &err)) {
		fprintf(stderr, "%s\n", err.text);
		_exit(1);
	}
	if (b->source->tier != TIER_PER_TASK)
		_exit(UNIT_SKIP);
}

static void near(uint64_t value, uint64_t low, uint64_t high)
{
	if (value < low || value > high)
		fprintf(stderr, "%llu is not in %llu to %llu\n", (unsigned long long)value,
			(unsigned long long)low, (unsigned long long)high);
	CHECK(value >= low && value <= high);
}

static struct rusage run_child(struct bench *b, struct child *c)
{
	struct rusage usage;

	child_go(c);
	child_wait(c, b);
	bench_drain(b);
	child_end(c, &usage);
	bench_drain(b);
	return usage;
}

static void own_tasks_body(void)
{
	struct source_options options = { .mode = TARGET_SYSTEM, .uid = -1 };
	struct child before, after, faulting;
	struct rusage usage;
	struct bench b;

	give_up_privilege();
	child_start(&before, work_spin, 200000000);
	open_per_task(&b, &options);
	CHECK(strstr(b.source->tier_reason, "perf_event_paranoid"));
	run_child(&b, &before);
	/*
	 * Tasks that fork later are followed; they wait for their counters, so that all is counted.
	 */
	child_start(&after, work_spin, 100000000);
	child_start(&faulting, work_fault, 3000);
	bench_drain(&b);
	run_child(&b, &after);
	usage = run_child(&b, &faulting);
	near(tally_of(b.tally, (uint32_t)before.pid)->samples[0], 140, 240);
	near(bench_value(&b, (uint32_t)before.pid, "task-clock"), 190000000, 400000000);
	near(tally_of(b.tally, (uint32_t)after.pid)->samples[0], 60, 130);
	/* The faults of its fork came before its counter. */
	near(bench_value(&b, (uint32_t)faulting.pid, "page-faults"), 3000,
	     (uint64_t)usage.ru_minflt);
	CHECK(tally_of(b.tally, (uint32_t)faulting.pid)->forks == 1);
	CHECK(tally_of(b.tally, 1)->samples[0] == 0);
	CHECK(b.tally->disorder == 0 && b.source->stats.malformed == 0);
	CHECK(b.tally->without_period == 0);
	bench_close(&b);
}

UNIT_TEST(own_tasks_are_profiled)
{
	run_apart(own_tasks_body);
}

/* In user mode the kernel would count no switches: absent with a reason, not 0. */
static void kernel_counts_body(void)
{
	struct source_options options = { .mode = TARGET_SYSTEM, .uid = -1 };
	struct bench b;
	int index;

	give_up_privilege();
	open_per_task(&b, &options);
	if (!b.source->user_only)
		_exit(UNIT_SKIP);
	index = evlist_find(b.events, "context-switches");
	CHECK(index >= 0 && b.events->items[index]->open_error == EACCES);
	CHECK(b.events->items[index]->why);
	bench_close(&b);
}

UNIT_TEST(what_user_mode_cannot_count_is_absent)
{
	run_apart(kernel_counts_body);
}

static void only_pid_body(void)
{
	struct number_list pids = { 0 };
	struct source_options options = { .mode = TARGET_PID, .uid = -1, .tasks = &pids };
	struct child wanted, other;
	struct error err;
	struct bench b;
	char text[16];

	give_up_privilege();
	child_start(&wanted, work_spin, 100000000);
	child_start(&other, work_spin, 100000000);
	snprintf(text, sizeof(text), "%d", (int)wanted.pid);
	CHECK(number_list_parse(&pids, text, "pid", 1, INT32_MAX, &err) == 0);
	open_per_task(&b, &options);
	run_child(&b, &other);
	run_child(&b, &wanted);
	CHECK(tally_of(b.tally, (uint32_t)wanted.pid)->samples[0] > 60);
	CHECK(tally_of(b.tally, (uint32_t)other.pid)->samples[0] == 0);
	CHECK(b.tally->samples == tally_of(b.tally, (uint32_t)wanted.pid)->samples[0]);
	bench_close(&b);
	number_list_fini(&pids);
}

UNIT_TEST(samples_of_others_do_not_come)
{
	run_apart(only_pid_body);
}

static void stopped_body(void)
{
	struct source_options options = { .mode = TARGET_SYSTEM, .uid = -1 };
	struct child during, after;
	struct bench b;

	give_up_privilege();
	child_start(&during, work_spin, 50000000);
	child_start(&after, work_spin, 100000000);
	open_per_task(&b, &options);
	CHECK(b.source->ops->set_enabled(b.source, 0, false) == 0);
	bench_drain(&b);
	run_child(&b, &during);
	CHECK(tally_of(b.tally, (uint32_t)during.pid)->samples[0] == 0);
	CHECK(bench_value(&b, (uint32_t)during.pid, b.events->items[0]->base) == 0);
	CHECK(b.source->ops->set_enabled(b.source, 0, true) == 0);
	run_child(&b, &after);
	CHECK(tally_of(b.tally, (uint32_t)after.pid)->samples[0] > 60);
	CHECK(bench_value(&b, (uint32_t)after.pid, b.events->items[0]->base) > 0);
	bench_close(&b);
}

UNIT_TEST(a_stopped_event_makes_no_samples)
{
	run_apart(stopped_body);
}

/* The process of one child, so that nothing else is counted. */
static void open_family(struct bench *b, const struct child *c, struct number_list *pids)
{
	struct source_options options = { .mode = TARGET_PID, .uid = -1, .tasks = pids };

	pids->items[0] = (uint32_t)c->pid;
	pids->count = 1;
	open_per_task(b, &options);
	if (((struct live *)b->source)->pertask->counting != &counting_by_family)
		_exit(UNIT_SKIP);
}

/* The kernel's own sum of page faults in user mode, of a process and all that it forks. */
static int family_faults_open(pid_t pid)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_PAGE_FAULTS,
		.inherit = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};
	int fd = perf_open(&attr, pid, -1, -1, 0);

	CHECK(fd >= 0);
	return fd;
}

#define FAMILY_CHILDREN 40
#define FAMILY_PAGES 500

/* Children that are gone before anybody could look at them; each has a grandchild. */
static void work_family(uint64_t count)
{
	for (uint64_t i = 0; i < count; i++) {
		pid_t pid = fork();

		if (pid == 0) {
			pid_t grandchild = fork();

			if (grandchild == 0)
				_exit(0);
			work_fault(FAMILY_PAGES);
			_exit(waitpid(grandchild, NULL, 0) != grandchild);
		}
		waitpid(pid, NULL, 0);
	}
}

static uint64_t sum_of(struct bench *b, const char *event, size_t *large)
{
	int index = evlist_find(b->events, event);
	struct tally_task *task;
	size_t cursor = 0;
	uint64_t sum = 0;

	*large = 0;
	while ((task = map_next(&b->tally->tasks, &cursor))) {
		sum += task->values[index];
		*large += task->values[index] >= FAMILY_PAGES;
	}
	return sum;
}

static void family_body(void)
{
	uint32_t pid;
	struct number_list pids = { .items = &pid };
	struct child root;
	struct bench b;
	size_t large;
	uint64_t truth;
	int fd;

	give_up_privilege();
	child_start(&root, work_family, FAMILY_CHILDREN);
	open_family(&b, &root, &pids);
	fd = family_faults_open(root.pid);
	run_child(&b, &root);
	/* With the drain after its end, as for the last snapshot of a command. */
	CHECK(read(fd, &truth, sizeof(truth)) == sizeof(truth));
	near(sum_of(&b, "page-faults", &large), truth, truth);
	near(large, FAMILY_CHILDREN, FAMILY_CHILDREN);
	for (int i = 0; i < 3; i++)
		bench_drain(&b);
	near(b.source->stats.malformed, 0, 0);
	near(((struct live *)b.source)->pertask->tasks.count, 0, 0);
	close(fd);
	bench_close(&b);
}

UNIT_TEST(a_family_is_counted_to_the_last_fault)
{
	run_apart(family_body);
}

/* Half of the counts come from a thread, half from the first one; then one only is left. */
static void *fault_in_thread(void *pages)
{
	work_fault((uint64_t)(uintptr_t)pages);
	return NULL;
}

static void work_threads(uint64_t pages)
{
	pthread_t thread;

	for (int i = 0; i < 10; i++) {
		if (pthread_create(&thread, NULL, fault_in_thread, (void *)(uintptr_t)pages))
			abort();
		pthread_join(thread, NULL);
	}
	work_fault(pages);
}

static void threads_body(void)
{
	uint32_t pid;
	struct number_list pids = { .items = &pid };
	struct child root;
	struct bench b;
	size_t large;
	uint64_t truth;
	int fd;

	give_up_privilege();
	child_start(&root, work_threads, FAMILY_PAGES);
	open_family(&b, &root, &pids);
	fd = family_faults_open(root.pid);
	child_go(&root);
	child_wait(&root, &b);
	for (int i = 0; i < 4; i++)
		bench_drain(&b);
	/* It lives, and what it did since its last tick is known all the same. */
	CHECK(read(fd, &truth, sizeof(truth)) == sizeof(truth));
	near(sum_of(&b, "page-faults", &large), truth, truth);
	near(large, 11, 11);
	near(bench_value(&b, (uint32_t)root.pid, "page-faults"), FAMILY_PAGES, FAMILY_PAGES + 200);
	child_end(&root, NULL);
	close(fd);
	bench_close(&b);
}

UNIT_TEST(threads_are_told_apart)
{
	run_apart(threads_body);
}

static void *exec_in_thread(void *unused)
{
	execl("/bin/sh", "sh", "-c", "i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done", NULL);
	return unused;
}

static void work_exec(uint64_t unused)
{
	pthread_t thread;

	(void)unused;
	if (pthread_create(&thread, NULL, exec_in_thread, NULL))
		abort();
	pthread_join(thread, NULL);
}

/* The thread's tid is gone, its counters go on under that of the process. */
static void exec_body(void)
{
	uint32_t pid;
	struct number_list pids = { .items = &pid };
	struct rusage usage;
	struct child root;
	struct bench b;
	uint64_t ran_ns, clock_ns;
	int status;

	give_up_privilege();
	child_start(&root, work_exec, 0);
	open_family(&b, &root, &pids);
	child_go(&root);
	while (wait4(root.pid, &status, WNOHANG, &usage) == 0) {
		CHECK(b.source->ops->wait(b.source, 50, -1) == 0);
		bench_drain(&b);
	}
	for (int i = 0; i < 4; i++)
		bench_drain(&b);
	ran_ns = (uint64_t)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000000u +
		 (uint64_t)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1000u;
	clock_ns = bench_value(&b, (uint32_t)root.pid, "task-clock");
	near(clock_ns, ran_ns * 8 / 10, ran_ns * 12 / 10 + 10000000);
	near(((struct live *)b.source)->pertask->tasks.count, 0, 0);
	bench_close(&b);
}

UNIT_TEST(an_exec_by_a_thread_is_followed)
{
	run_apart(exec_body);
}

/* A pid that is given again before the former owner is forgotten: told by hand, in one drain. */
static void reuse_body(void)
{
	uint32_t pid;
	struct number_list pids = { .items = &pid };
	struct record r = { .type = RECORD_FORK };
	struct child root;
	struct bench b;
	struct pertask *p;
	struct task *former, *next;

	give_up_privilege();
	child_start(&root, work_spin, 0);
	open_family(&b, &root, &pids);
	p = ((struct live *)b.source)->pertask;
	r.task = (struct record_task){ .pid = 7, .tid = 7, .ppid = pid, .ptid = pid };
	task_follow((struct live *)b.source, &r);
	former = map_find(&p->tasks, 7);
	CHECK(former && former->root->covered == 2);
	task_follow((struct live *)b.source, &r);
	CHECK(map_find(&p->tasks, 7) == former); /* told twice: it is there already */
	r.type = RECORD_EXIT;
	task_follow((struct live *)b.source, &r);
	CHECK(former->ended);
	r.type = RECORD_FORK;
	task_follow((struct live *)b.source, &r);
	next = map_find(&p->tasks, 7);
	CHECK(next && !next->ended && next->root->covered == 2);
	run_child(&b, &root);
	bench_close(&b);
}

UNIT_TEST(a_pid_that_comes_back_is_another_task)
{
	run_apart(reuse_body);
}

/* Many short processes: each is opened and closed again, none stays. */
static void no_leak_body(void)
{
	struct source_options options = { .mode = TARGET_SYSTEM, .uid = -1 };
	struct bench b;
	int low, high;

	give_up_privilege();
	open_per_task(&b, &options);
	low = dup(0);
	for (int i = 0; i < 50; i++) {
		struct child c;

		child_start(&c, work_spin, 0);
		run_child(&b, &c);
	}
	for (int i = 0; i < 3; i++)
		bench_drain(&b);
	high = dup(0);
	near((uint64_t)high, 0, (uint64_t)low + 20); /* others may end meanwhile */
	bench_close(&b);
}

UNIT_TEST(ended_tasks_leave_no_descriptors)
{
	run_apart(no_leak_body);
}

static void no_perf_body(void)
{
	struct source_options options = { .mode = TARGET_SYSTEM, .uid = -1 };
	struct error err = { 0 };
	struct bench b;
	int wake[2];

	forbid_perf();
	CHECK(bench_open(&b, NULL, 999, &options, &err));
	CHECK(b.source->tier == TIER_PROC);
	CHECK(b.source->tier_reason[0]);
	for (size_t i = 0; i < b.events->count; i++)
		CHECK(b.events->items[i]->open_error && b.events->items[i]->why);
	CHECK(pipe(wake) == 0);
	CHECK(write(wake[1], "", 1) == 1);
	CHECK(b.source->ops->wait(b.source, -1, wake[0]) == 0);
	CHECK(b.source->ops->drain(b.source, tally_receive, b.tally) == 0);
	bench_close(&b);
	CHECK(!bench_open(&b, "page-faults", 999, &options, &err));
	CHECK(strstr(err.text, "page-faults"));
	bench_close(&b);
}

UNIT_TEST(without_perf_there_is_a_source_that_says_why)
{
	run_apart(no_perf_body);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(own_tasks_are_profiled),
		cmocka_unit_test(what_user_mode_cannot_count_is_absent),
		cmocka_unit_test(samples_of_others_do_not_come),
		cmocka_unit_test(a_stopped_event_makes_no_samples),
		cmocka_unit_test(a_family_is_counted_to_the_last_fault),
		cmocka_unit_test(threads_are_told_apart),
		cmocka_unit_test(an_exec_by_a_thread_is_followed),
		cmocka_unit_test(a_pid_that_comes_back_is_another_task),
		cmocka_unit_test(ended_tasks_leave_no_descriptors),
		cmocka_unit_test(without_perf_there_is_a_source_that_says_why),
	};

	return unit_run_live(tests);
}
