/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * The whole machine, on the real kernel: what is counted is compared with what the workload knows of
 * itself.  Skipped where perf is not permitted.
 */
#include "unit.h"

#include <fcntl.h>
#include <linux/bpf.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "perf/harness.h"
#include "perf/live/live-state.h"
#include "perf/live/open.h"

static const struct source_options whole_machine = { .mode = TARGET_SYSTEM, .uid = -1 };

static void open_machine(struct bench *b, const char *events, uint64_t freq_hz)
{
	struct error err = { 0 };

	if (!bench_open(b, events, freq_hz, &whole_machine, &err))
		fail_msg("%s", err.text);
	assert_int_equal(b->source->tier, TIER_CPU_GROUP);
}

/* VALUE is WANT within PERCENT. */
static void assert_near(uint64_t value, uint64_t want, double percent)
{
	double difference = (double)value - (double)want;

	if (difference < 0)
		difference = -difference;
	if (difference * 100 > percent * (double)want)
		fail_msg("%llu is not within %g %% of %llu", (unsigned long long)value, percent,
			 (unsigned long long)want);
}

UNIT_TEST(page_faults_are_counted_exactly)
{
	struct rusage usage;
	struct child child;
	struct bench b;
	uint64_t faults;

	open_machine(&b, NULL, 999);
	child_start(&child, work_fault, 20000);
	child_go(&child);
	child_wait(&child, &b);
	child_end(&child, &usage);
	bench_drain(&b);
	faults = (uint64_t)(usage.ru_minflt + usage.ru_majflt);
	assert_true(faults >= 20000);
	assert_near(bench_value(&b, (uint32_t)child.pid, "page-faults"), faults, 1);
	assert_int_equal(b.tally->disorder, 0);
	assert_int_equal(b.source->stats.malformed, 0);
	bench_close(&b);
}

UNIT_TEST(time_is_attributed_to_who_used_it)
{
	const uint64_t work_ns[2] = { 400000000, 200000000 };
	struct child children[2];
	struct bench b;

	open_machine(&b, NULL, 999);
	for (int i = 0; i < 2; i++)
		child_start(&children[i], work_spin, work_ns[i]);
	for (int i = 0; i < 2; i++)
		child_go(&children[i]);
	for (int i = 0; i < 2; i++)
		child_wait(&children[i], &b);
	for (int i = 0; i < 2; i++)
		child_end(&children[i], NULL);
	bench_drain(&b);
	for (int i = 0; i < 2; i++)
		assert_near(bench_value(&b, (uint32_t)children[i].pid, "task-clock"), work_ns[i],
			    3);
	assert_int_equal(b.source->stats.lost, 0);
	assert_int_equal(b.tally->without_tid, 0);
	bench_close(&b);
}

/*
 * Two processes on one CPU that wake each other: each byte is a switch of both.  The pause between
 * keeps them below perf_event_max_sample_rate, from where on the kernel throttles.
 */
static void work_ping_pong(uint64_t pipes_of_both)
{
	int fds[2];
	char byte = 0;

	memcpy(fds, (void *)(uintptr_t)pipes_of_both, sizeof(fds));
	stay_on_cpu(0);
	for (int i = 0; i < 5000; i++) {
		if (write(fds[1], &byte, 1) != 1 || read(fds[0], &byte, 1) != 1)
			_exit(1);
		for (volatile int pause = 0; pause < 20000; pause++)
			;
	}
}

UNIT_TEST(swapping_processes_get_their_own_switches)
{
	struct child children[2];
	struct rusage usage[2];
	int a[2], c[2];
	struct bench b;

	assert_int_equal(pipe(a), 0);
	assert_int_equal(pipe(c), 0);
	open_machine(&b, NULL, 999);
	child_start(&children[0], work_ping_pong, (uintptr_t)(int[]){ a[0], c[1] });
	child_start(&children[1], work_ping_pong, (uintptr_t)(int[]){ c[0], a[1] });
	for (int i = 0; i < 2; i++)
		child_go(&children[i]);
	for (int i = 0; i < 2; i++)
		child_wait(&children[i], &b);
	for (int i = 0; i < 2; i++)
		child_end(&children[i], &usage[i]);
	bench_drain(&b);
	for (int i = 0; i < 2; i++) {
		uint64_t truth = (uint64_t)(usage[i].ru_nvcsw + usage[i].ru_nivcsw);

		assert_true(truth > 2000);
		assert_near(bench_value(&b, (uint32_t)children[i].pid, "context-switches"), truth,
			    1);
	}
	for (int i = 0; i < 2; i++) {
		close(a[i]);
		close(c[i]);
	}
	bench_close(&b);
}

UNIT_TEST(nothing_is_lost_at_4000_hz)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	struct child *children = calloc((size_t)cpus, sizeof(*children));
	uint64_t samples = 0;
	struct bench b;

	open_machine(&b, "cpu-clock", 4000);
	for (long i = 0; i < cpus; i++) {
		child_start(&children[i], work_spin, 500000000);
		child_go(&children[i]);
	}
	for (long i = 0; i < cpus; i++)
		child_wait(&children[i], &b);
	for (long i = 0; i < cpus; i++)
		child_end(&children[i], NULL);
	bench_drain(&b);
	for (long i = 0; i < cpus; i++)
		samples += tally_of(b.tally, (uint32_t)children[i].pid)->samples[0];
	assert_near(samples, (uint64_t)cpus * 2000, 10);
	assert_int_equal(b.source->stats.lost, 0);
	assert_int_equal(b.source->stats.lost_sideband, 0);
	assert_int_equal(b.tally->disorder, 0);
	assert_int_equal(b.tally->without_period, 0);
	free(children);
	bench_close(&b);
}

static void run_spin(struct bench *b, struct child *child, uint64_t ns)
{
	child_start(child, work_spin, ns);
	child_go(child);
	child_wait(child, b);
	child_end(child, NULL);
	bench_drain(b);
}

UNIT_TEST(a_stopped_event_makes_no_samples_and_stands_still)
{
	struct child before, during, after;
	struct bench b;

	open_machine(&b, "cpu-clock,page-faults", 999);
	run_spin(&b, &before, 50000000);
	assert_int_equal(b.tally->without_period, 0);
	assert_int_equal(b.source->ops->set_enabled(b.source, 0, false), 0);
	assert_false(b.events->items[0]->enabled);
	bench_drain(&b);
	run_spin(&b, &during, 50000000);
	assert_int_equal(b.source->ops->set_enabled(b.source, 0, true), 0);
	run_spin(&b, &after, 50000000);
	assert_true(tally_of(b.tally, (uint32_t)before.pid)->samples[0] > 30);
	assert_true(tally_of(b.tally, (uint32_t)after.pid)->samples[0] > 30);
	assert_int_equal(tally_of(b.tally, (uint32_t)during.pid)->samples[0], 0);
	assert_int_equal(bench_value(&b, (uint32_t)during.pid, "cpu-clock"), 0);
	assert_true(bench_value(&b, (uint32_t)during.pid, "page-faults") > 0);
	assert_int_equal(b.source->ops->set_enabled(b.source, 2, true), -22);
	bench_close(&b);
}

static void work_yield(uint64_t times)
{
	while (times--) {
		struct timespec nap = { .tv_nsec = 1 };

		nanosleep(&nap, NULL);
	}
}

/* The leader goes on writing, but what it counts while switched off is nobody's. */
UNIT_TEST(stopped_context_switches_stay_hidden)
{
	struct child during, after;
	struct rusage usage;
	struct bench b;
	int index;

	open_machine(&b, NULL, 999);
	index = evlist_find(b.events, "context-switches");
	assert_int_equal(b.source->ops->set_enabled(b.source, (size_t)index, false), 0);
	bench_drain(&b);
	child_start(&during, work_yield, 500);
	child_go(&during);
	child_wait(&during, &b);
	child_end(&during, NULL);
	bench_drain(&b);
	assert_int_equal(b.source->ops->set_enabled(b.source, (size_t)index, true), 0);
	child_start(&after, work_yield, 500);
	child_go(&after);
	child_wait(&after, &b);
	child_end(&after, &usage);
	bench_drain(&b);
	assert_int_equal(bench_value(&b, (uint32_t)during.pid, "context-switches"), 0);
	assert_near(bench_value(&b, (uint32_t)after.pid, "context-switches"),
		    (uint64_t)(usage.ru_nvcsw + usage.ru_nivcsw), 2);
	assert_true(bench_value(&b, (uint32_t)during.pid, "task-clock") > 0);
	bench_close(&b);
}

UNIT_TEST(suspended_nothing_is_written)
{
	struct child during, after;
	struct bench b;
	uint64_t samples;

	open_machine(&b, "cpu-clock,page-faults", 999);
	assert_int_equal(b.source->ops->set_enabled(b.source, 1, false), 0);
	assert_int_equal(b.source->ops->suspend(b.source, true), 0);
	bench_drain(&b);
	samples = b.source->stats.samples;
	run_spin(&b, &during, 50000000);
	assert_int_equal(b.source->stats.samples, samples);
	assert_int_equal(b.source->ops->suspend(b.source, false), 0);
	run_spin(&b, &after, 100000000);
	assert_true(b.tally->gaps > 0);
	assert_true(tally_of(b.tally, (uint32_t)after.pid)->samples[0] > 60);
	assert_int_equal(bench_value(&b, (uint32_t)during.pid, "cpu-clock"), 0);
	assert_int_equal(bench_value(&b, (uint32_t)after.pid, "page-faults"), 0);
	bench_close(&b);
}

UNIT_TEST(only_the_chosen_cpu_is_seen)
{
	struct number_list cpu = { 0 };
	struct source_options options = { .mode = TARGET_CPU, .uid = -1, .cpus = &cpu };
	struct child child;
	struct error err = { 0 };
	struct bench b;

	assert_int_equal(number_list_parse(&cpu, "0", "CPU", 0, 0, &err), 0);
	assert_true(bench_open(&b, "cpu-clock", 999, &options, &err));
	number_list_fini(&cpu);
	assert_int_equal(((struct live *)b.source)->cpu_count, 1);
	child_start(&child, work_spin, 100000000);
	child_go(&child);
	child_wait(&child, &b);
	child_end(&child, NULL);
	bench_drain(&b);
	for (size_t i = 1; i < HARNESS_CPUS; i++)
		assert_int_equal(b.tally->on_cpu[i], 0);
	bench_close(&b);
}

UNIT_TEST(a_full_ring_is_counted)
{
	struct source_options options = whole_machine;
	struct child child;
	struct error err = { 0 };
	struct bench b;

	options.mmap_pages = 1;
	assert_true(bench_open(&b, NULL, 999, &options, &err));
	child_start(&child, work_yield, 2000);
	child_go(&child);
	child_wait(&child, NULL); /* nobody drains */
	child_end(&child, NULL);
	bench_drain(&b);
	/* The kernel says what it lost when it has room again: that needs one more record. */
	run_spin(&b, &child, 20000000);
	assert_true(b.source->stats.lost > 1000);
	assert_int_equal(b.tally->lost, b.source->stats.lost);
	bench_close(&b);
}

static void work_exec(uint64_t unused)
{
	pid_t pid = unit_fork();

	(void)unused;
	if (pid == 0) {
		execl("/bin/true", "true", (char *)NULL);
		_exit(127);
	}
	waitpid(pid, NULL, 0);
}

UNIT_TEST(the_side_band_tells_of_new_programs)
{
	uint64_t mappings = 0, execs = 0;
	struct child child;
	struct tally_task *task;
	struct bench b;
	size_t cursor = 0;

	open_machine(&b, "cpu-clock", 999);
	child_start(&child, work_exec, 0);
	child_go(&child);
	child_wait(&child, &b);
	child_end(&child, NULL);
	bench_drain(&b);
	assert_int_equal(tally_of(b.tally, (uint32_t)child.pid)->forks, 1);
	assert_int_equal(tally_of(b.tally, (uint32_t)child.pid)->exits, 1);
	while ((task = map_next(&b.tally->tasks, &cursor))) {
		mappings += task->forks && task->comms && task->exits ? task->mappings : 0;
		execs += task->forks && task->comms && task->exits;
	}
	assert_true(execs >= 1);
	assert_true(mappings >= 2);
	assert_int_equal(b.tally->disorder, 0);
	bench_close(&b);
}

static void write_text(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
}

static void look_again(struct bench *b)
{
	((struct live *)b->source)->online_checked_ns = 0;
	bench_drain(b);
}

/* A CPU that leaves the list and comes back, as the kernel would tell it. */
UNIT_TEST(cpus_come_and_go)
{
	char path[] = "/tmp/ptop-online-XXXXXX";
	struct live *live;
	struct bench b;
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	close(fd);
	open_machine(&b, "cpu-clock", 999);
	live = (struct live *)b.source;
	if (live->cpu_count < 2) {
		bench_close(&b);
		unlink(path);
		skip();
	}
	live->online_path = path;
	write_text(path, "0\n");
	look_again(&b);
	assert_int_equal(live->cpu_count, 1);
	write_text(path, "0-1\n");
	look_again(&b);
	assert_int_equal(live->cpu_count, 2);
	assert_int_equal(live->cpus[1]->number, 1);
	write_text(path, "nonsense\n");
	look_again(&b);
	assert_int_equal(live->cpu_count, 2);
	bench_close(&b);
	unlink(path);
}

UNIT_TEST(what_does_not_exist_is_an_error)
{
	struct number_list list = { 0 };
	struct source_options options = { .mode = TARGET_CPU, .uid = -1, .cpus = &list };
	struct error err = { 0 };
	struct bench b;

	assert_int_equal(number_list_parse(&list, "60000", "CPU", 0, 65535, &err), 0);
	assert_false(bench_open(&b, NULL, 999, &options, &err));
	assert_non_null(strstr(err.text, "60000"));
	bench_close(&b);
	options = (struct source_options){ .mode = TARGET_PID, .uid = -1, .tasks = &list };
	list.items[0] = INT32_MAX;
	assert_false(bench_open(&b, NULL, 999, &options, &err));
	assert_non_null(strstr(err.text, "2147483647"));
	bench_close(&b);
	number_list_fini(&list);
}

/* Counters that the machine lacks are named once and cost nothing. */
UNIT_TEST(absent_counters_are_not_in_the_groups)
{
	struct live *live;
	struct error err = { 0 };
	struct bench b;
	size_t open_events = 0;

	open_machine(&b, NULL, 999);
	live = (struct live *)b.source;
	for (size_t i = 0; i < b.events->count; i++) {
		const struct evsel *e = b.events->items[i];

		assert_int_equal(e->open_error != 0, e->why != NULL);
		open_events += !e->open_error;
	}
	for (size_t i = 0; i < live->cpu_count; i++)
		assert_int_equal(live->cpus[i]->groups.items[0].count, open_events);
	if (!b.source->hardware) {
		struct bench explicit;

		assert_string_equal(b.events->items[0]->name, "cpu-clock");
		assert_false(bench_open(&explicit, "cycles", 999, &whole_machine, &err));
		assert_non_null(strstr(err.text, "cycles"));
		bench_close(&explicit);
	}
	bench_close(&b);
}

UNIT_TEST(page_faults_can_be_sampled)
{
	struct rusage usage;
	struct child child;
	struct bench b;

	open_machine(&b, "page-faults,cpu-clock", 0);
	bench_close(&b);
	open_machine(&b, "page-faults/period=1/,cpu-clock", 999);
	child_start(&child, work_fault, 1000);
	child_go(&child);
	child_wait(&child, &b);
	child_end(&child, &usage);
	bench_drain(&b);
	assert_near(tally_of(b.tally, (uint32_t)child.pid)->samples[0], (uint64_t)usage.ru_minflt,
		    5);
	assert_int_equal(b.tally->without_period, 0);
	bench_close(&b);
}

/* Behind each gap is a record whose time is that of the next sample. */
static void see_times_over_gaps(struct bench *b, uint64_t from_ns)
{
	struct child child;

	for (int i = 0; i < 20; i++) {
		assert_int_equal(b->source->ops->suspend(b->source, true), 0);
		assert_int_equal(b->source->ops->suspend(b->source, false), 0);
		child_start(&child, work_yield, 20);
		child_go(&child);
		child_wait(&child, b);
		child_end(&child, NULL);
		bench_drain(b);
	}
	assert_true(b->source->stats.foreign_times > 0);
	assert_true(b->tally->gaps > 0);
	assert_true(b->tally->oldest_ns >= from_ns);
	assert_true(b->tally->newest_ns <= clock_monotonic_ns(&clock_system));
}

/*
 * Another profiler samples the same software events, by another clock and with stacks.  The kernel
 * then writes its identifier and its time into our records, which are longer by the size of its
 * stacks.
 */
UNIT_TEST(another_profiler_does_not_disturb)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_CONTEXT_SWITCHES,
		.sample_period = 1,
		.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TIME | PERF_SAMPLE_CALLCHAIN,
		.use_clockid = 1,
		.clockid = CLOCK_REALTIME,
	};
	struct source_options options = whole_machine;
	struct error err = { 0 };
	struct rusage usage;
	struct child child;
	struct bench b;
	int fds[2][2];
	uint64_t from_ns = clock_monotonic_ns(&clock_system);

	options.callchains = true;
	/* The kernel asks the events in the order of a list: one of the two is before us. */
	for (int cpu = 0; cpu < 2; cpu++)
		fds[0][cpu] = perf_open(&attr, -1, cpu, -1, 0);
	assert_true(bench_open(&b, NULL, 999, &options, &err));
	for (int cpu = 0; cpu < 2; cpu++)
		fds[1][cpu] = perf_open(&attr, -1, cpu, -1, 0);
	child_start(&child, work_yield, 2000);
	child_go(&child);
	child_wait(&child, &b);
	child_end(&child, &usage);
	bench_drain(&b);
	see_times_over_gaps(&b, from_ns);
	for (int i = 0; i < 4; i++) {
		if (fds[i / 2][i % 2] >= 0)
			close(fds[i / 2][i % 2]);
	}
	assert_near(bench_value(&b, (uint32_t)child.pid, "context-switches"),
		    (uint64_t)(usage.ru_nvcsw + usage.ru_nivcsw), 2);
	assert_true(tally_of(b.tally, (uint32_t)child.pid)->samples[0] < 1000);
	assert_int_equal(b.tally->unknown, 0);
	assert_int_equal(b.source->stats.malformed, 0);
	assert_int_equal(b.source->stats.lost, 0);
	bench_close(&b);
}

/* "r0 = 0; exit": a descriptor, or -1 where that is not allowed. */
static int program_load(void)
{
	const struct bpf_insn code[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	union bpf_attr attr = {
		.prog_type = BPF_PROG_TYPE_SOCKET_FILTER,
		.insns = (uintptr_t)code,
		.insn_cnt = 2,
		.license = (uintptr_t) "GPL",
	};

	return (int)syscall(SYS_bpf, BPF_PROG_LOAD, &attr, sizeof(attr));
}

/*
 * Two others that take records of programs: the kernel adds their sample_ids to the size of ours.  It
 * asks the events in the order of a list; ours is the last one.
 */
UNIT_TEST(a_loaded_program_has_a_time)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_DUMMY,
		.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME,
		.sample_id_all = 1,
		.ksymbol = 1,
		.bpf_event = 1,
		.exclude_kernel = 1,
	};
	uint64_t from_ns = clock_monotonic_ns(&clock_system);
	int fds[HARNESS_CPUS], count = 0, program;
	struct bench b;

	open_machine(&b, NULL, 999);
	for (int cpu = 0; cpu < HARNESS_CPUS / 2; cpu++) {
		for (int i = 0; i < 2; i++)
			fds[count++] = perf_open(&attr, -1, cpu, -1, 0);
	}
	program = program_load();
	bench_drain(&b);
	for (int i = 0; i < count; i++) {
		if (fds[i] >= 0)
			close(fds[i]);
	}
	if (program >= 0) {
		close(program);
		assert_true(b.tally->programs > 0);
		assert_true(b.tally->oldest_ns >= from_ns);
		assert_true(b.tally->newest_ns <= clock_monotonic_ns(&clock_system));
		assert_int_equal(b.source->stats.foreign_times, 0);
	}
	bench_close(&b);
	if (program < 0)
		skip();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(page_faults_are_counted_exactly),
		cmocka_unit_test(time_is_attributed_to_who_used_it),
		cmocka_unit_test(swapping_processes_get_their_own_switches),
		cmocka_unit_test(nothing_is_lost_at_4000_hz),
		cmocka_unit_test(a_stopped_event_makes_no_samples_and_stands_still),
		cmocka_unit_test(stopped_context_switches_stay_hidden),
		cmocka_unit_test(suspended_nothing_is_written),
		cmocka_unit_test(only_the_chosen_cpu_is_seen),
		cmocka_unit_test(a_full_ring_is_counted),
		cmocka_unit_test(the_side_band_tells_of_new_programs),
		cmocka_unit_test(cpus_come_and_go),
		cmocka_unit_test(what_does_not_exist_is_an_error),
		cmocka_unit_test(absent_counters_are_not_in_the_groups),
		cmocka_unit_test(page_faults_can_be_sampled),
		cmocka_unit_test(another_profiler_does_not_disturb),
		cmocka_unit_test(a_loaded_program_has_a_time),
	};
	struct error err = { 0 };
	struct bench b;
	bool possible =
		bench_open(&b, NULL, 999, &whole_machine, &err) && b.source->tier == TIER_CPU_GROUP;

	if (!possible)
		printf("skipped: %s\n", b.source ? b.source->tier_reason : err.text);
	bench_close(&b);
	return possible ? unit_run_live(tests) : UNIT_SKIP;
}
