/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unit.h"

#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/collector.h"
#include "engine/rig.h"
#include "perf/live/live.h"

/* A machine under load is slow, a collector that hangs is slower. */
#define PATIENCE_MS 20000

static struct collector *start(struct rig *rig, const struct record *records, size_t count)
{
	/* clang-format off */
	struct collector_options options = {
		.engine = { .evlist = rig->evlist, .clock = &clock_system,
			    .proc_root = rig->proc_root, .version = "test",
			    .target = rig->options.target, .mode = HISTOGRAM_CUMULATIVE },
	};
	/* clang-format on */
	struct error err = { "" };
	struct collector *c;

	rig->script.records = records;
	rig->script.count = count;
	options.source = rig->source = fake_source_new(rig->evlist, &rig->script);
	c = collector_start(&options, &err);
	if (!c)
		fail_msg("%s", err.text);
	return c;
}

static void finish(struct rig *rig, struct collector *c)
{
	snapshot_free(rig->snapshot);
	rig->snapshot = NULL;
	collector_stop(c); /* closes the source, too */
	rig->source = NULL;
	rig_fini(rig);
}

static void ask(struct rig *rig, struct collector *c)
{
	collector_request(c, NULL, 0);
	snapshot_free(rig->snapshot);
	rig->snapshot = collector_wait(c, PATIENCE_MS);
	assert_non_null(rig->snapshot);
}

UNIT_TEST(a_request_is_answered)
{
	const struct record records[] = {
		fake_comm(7, 7, 1, "seven", true),
		fake_sample(7, 7, 0, 2, 0x1000, 0),
		fake_sample(7, 7, 0, 3, 0x1000, 0),
	};
	struct rig rig;
	struct collector *c;
	struct pollfd fd;

	rig_init(&rig, "cpu-clock,page-faults", TIER_CPU_GROUP);
	c = start(&rig, records, 3);
	assert_null(collector_take(c));
	collector_request(c, NULL, 0);
	fd = (struct pollfd){ .fd = collector_fd(c), .events = POLLIN };
	assert_int_equal(poll(&fd, 1, PATIENCE_MS), 1);
	rig.snapshot = collector_take(c);
	assert_non_null(rig.snapshot);
	assert_int_equal(poll(&fd, 1, 0), 0);
	assert_null(collector_take(c));
	assert_non_null(rig_row(&rig, 7, 0));
	assert_string_equal(rig_row(&rig, 7, 0)->comm, "seven");
	assert_int_equal(rig_row(&rig, 7, 0)->samples, 2);
	assert_int_equal(rig.snapshot->iteration, 1);
	ask(&rig, c);
	assert_int_equal(rig.snapshot->iteration, 2);
	assert_int_equal(collector_state(c, NULL), 0);
	finish(&rig, c);
}

UNIT_TEST(commands_reach_the_source_in_order)
{
	struct rig rig;
	struct collector *c;

	rig_init(&rig, "cpu-clock,page-faults", TIER_CPU_GROUP);
	c = start(&rig, NULL, 0);
	collector_enable_event(c, 1, false);
	collector_enable_event(c, 0, true);
	collector_set_mode(c, HISTOGRAM_ZERO, 0);
	collector_zero(c);
	collector_suspend(c, true);
	assert_true(fake_source_told(rig.source).suspended);
	assert_int_equal(fake_source_told(rig.source).disabled, 1);
	assert_int_equal(fake_source_told(rig.source).enabled, 1);
	assert_int_equal(fake_source_told(rig.source).last_event, 0);
	collector_suspend(c, false);
	assert_false(fake_source_told(rig.source).suspended);
	for (size_t i = 2; i < 300; i++) {
		collector_enable_event(c, 1, false);
		ask(&rig, c); /* a command before a request is done when it is answered */
		assert_int_equal(fake_source_told(rig.source).disabled, i);
		assert_false(rig.snapshot->events[1].enabled);
	}
	finish(&rig, c);
}

UNIT_TEST(a_failing_source_is_told_and_still_shows_what_it_had)
{
	const struct record records[] = { fake_sample(7, 7, 0, 2, 0x1000, 0) };
	struct error err = { "" };
	struct pollfd fd;
	struct collector *c;
	struct rig rig;

	rig_init(&rig, "cpu-clock", TIER_CPU_GROUP);
	rig.script.fails_at_end = true;
	c = start(&rig, records, 1);
	fd = (struct pollfd){ .fd = collector_fd(c), .events = POLLIN };
	assert_int_equal(poll(&fd, 1, PATIENCE_MS), 1);
	assert_null(collector_take(c));
	assert_int_equal(poll(&fd, 1, 0), 1); /* the end is still to be told */
	assert_int_equal(collector_state(c, &err), -1);
	assert_non_null(strstr(err.text, "cpu-group"));
	assert_int_equal(poll(&fd, 1, 0), 0);
	assert_null(collector_wait(c, -1)); /* nothing was asked for: nothing will come */
	ask(&rig, c);
	assert_int_equal(rig.snapshot->sampling.samples, 1);
	finish(&rig, c);
}

UNIT_TEST(a_file_answers_once_it_has_ended)
{
	struct record records[50];
	struct collector *c;
	struct rig rig;

	for (uint64_t i = 0; i < 50; i++)
		records[i] = fake_sample(7, 7, 0, NS_PER_S + i * NS_PER_S, 0x1000, 0);
	rig_init(&rig, "cpu-clock", TIER_FILE);
	rig.script.per_drain = 3;
	c = start(&rig, records, 50);
	ask(&rig, c);
	assert_int_equal(collector_state(c, NULL), 1);
	assert_int_equal(rig.snapshot->sampling.samples, 50);
	assert_true(rig.snapshot->interval_s == 49);
	assert_string_equal(rig.snapshot->target.mode, "file");
	assert_int_equal(rig_row(&rig, 7, 0)->threads, -1);
	finish(&rig, c);
}

UNIT_TEST(an_untaken_snapshot_is_replaced)
{
	struct collector *c;
	struct rig rig;

	rig_init(&rig, "cpu-clock", TIER_CPU_GROUP);
	c = start(&rig, NULL, 0);
	collector_request(c, NULL, 0);
	collector_suspend(c, false);
	for (uint64_t i = 0; !rig.snapshot || rig.snapshot->iteration < 3; i++)
		ask(&rig, c);
	finish(&rig, c);
	collector_stop(NULL);
}

UNIT_TEST(a_missing_proc_is_an_error)
{
	struct collector_options options = { .engine = { .clock = &clock_system,
							 .proc_root = "/nowhere" } };
	struct error err = { "" };
	struct rig rig;

	rig_init(&rig, "cpu-clock", TIER_CPU_GROUP);
	options.engine.evlist = rig.evlist;
	options.source = fake_source_new(rig.evlist, &rig.script);
	assert_null(collector_start(&options, &err));
	assert_non_null(strstr(err.text, "/nowhere"));
	rig_fini(&rig);
}

static pid_t start_spinner(void)
{
	pid_t pid = unit_fork();

	if (pid)
		return pid;
	for (;;)
		rig_hot_function();
}

/* The real thing, in whatever tier this machine and user have. */
UNIT_TEST(a_spinning_child_is_seen)
{
	struct source_options target = { .mode = TARGET_PID, .uid = -1 };
	struct collector_options options = { .engine = { .clock = &clock_system,
							 .proc_root = "/proc",
							 .mode = HISTOGRAM_CUMULATIVE } };
	struct error err = { "" };
	struct number_list pids = { 0 };
	struct collector *c;
	struct rig rig;
	char text[16];
	pid_t pid = start_spinner();

	assert_true(pid > 0);
	snprintf(text, sizeof(text), "%d", (int)pid);
	assert_int_equal(number_list_parse(&pids, text, "pid", 1, UINT32_MAX - 1, &err), 0);
	target.tasks = &pids;
	rig_init(&rig, "cpu-clock,page-faults", TIER_CPU_GROUP);
	evlist_set_rate(rig.evlist, 999, 0);
	options.engine.evlist = rig.evlist;
	options.engine.target = target;
	options.source = live_source_open(rig.evlist, &target, &err);
	if (!options.source)
		fail_msg("%s", err.text);
	rig.source = options.source;
	c = collector_start(&options, &err);
	assert_non_null(c);
	ask(&rig, c);
	for (int i = 0; i < PATIENCE_MS / 100; i++) {
		poll(NULL, 0, 100);
		ask(&rig, c);
		if (rig_samples(&rig, (uint32_t)pid, "rig_hot_function") > 50)
			break;
	}
	if (strcmp(rig.snapshot->sampling.tier, "proc") &&
	    rig_samples(&rig, (uint32_t)pid, "rig_hot_function") <= 50)
		fail_msg("%s: %llu samples, %.1f %% of them without a symbol, %.0f loading",
			 rig.snapshot->sampling.tier,
			 (unsigned long long)rig.snapshot->sampling.total_samples,
			 rig.snapshot->sampling.unresolved_percent,
			 rig_samples(&rig, (uint32_t)pid, "[loading]"));
	assert_int_equal(rig.snapshot->process_count, 1);
	assert_true(rig_row(&rig, (uint32_t)pid, 0)->cpu_percent > 0);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	finish(&rig, c);
	number_list_fini(&pids);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_request_is_answered),
		cmocka_unit_test(commands_reach_the_source_in_order),
		cmocka_unit_test(a_failing_source_is_told_and_still_shows_what_it_had),
		cmocka_unit_test(a_file_answers_once_it_has_ended),
		cmocka_unit_test(an_untaken_snapshot_is_replaced),
		cmocka_unit_test(a_missing_proc_is_an_error),
		cmocka_unit_test(a_spinning_child_is_seen),
	};

	return unit_run_retried(tests);
}
