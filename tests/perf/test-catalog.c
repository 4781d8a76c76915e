/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unit.h"

#include <errno.h>

#include "machine.h"
#include "perf/live/catalog.h"
#include "perf/event/event.h"

static struct machine machine;

/* The entry of the event called `name`, and the conditions that every event must meet. */
struct seen {
	const char *name;
	size_t count, found;
	int error;
	char kind[32];
	bool has_why;
};

static void see(void *context, const struct catalog_event *e)
{
	struct seen *seen = context;

	seen->count++;
	assert_true(e->name[0] && e->kind[0]);
	/* A refusal without a reason helps nobody. */
	assert_true(!e->error || e->why[0]);
	if (strcmp(e->name, seen->name))
		return;
	seen->found++;
	seen->error = e->error;
	seen->has_why = e->why[0];
	snprintf(seen->kind, sizeof(seen->kind), "%s", e->kind);
}

static struct seen list(const char *glob, const char *name)
{
	struct seen seen = { .name = name };
	struct error err;
	size_t count = catalog_list(glob, &machine.env, see, &seen, &err);

	assert_int_equal(count, seen.count);
	assert_string_equal(err.text, "");
	return seen;
}

UNIT_TEST(lists_every_kind)
{
	static const struct {
		const char *name, *kind;
	} names[] = {
		{ "cycles", "hardware" },
		{ "page-faults", "software" },
		{ "L1-dcache-load-misses", "cache" },
		{ "cpu/mem-loads/", "PMU" },
		{ "power/energy-pkg/", "PMU" },
		{ "sched:sched_switch", "tracepoint" },
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct seen seen = list(NULL, names[i].name);

		assert_int_equal(seen.found, 1);
		assert_string_equal(seen.kind, names[i].kind);
		assert_true(seen.count > EVENT_IDS + 32);
	}
}

UNIT_TEST(leaves_out_what_is_no_event)
{
	assert_int_equal(list(NULL, "power/energy-pkg.unit/").found, 0);
	assert_int_equal(list(NULL, "sched:enable").found, 0);
	assert_int_equal(list(NULL, "ftrace:function").found, 0);
}

UNIT_TEST(an_event_that_does_not_parse_says_why)
{
	struct seen seen = list("cpu/broken/", "cpu/broken/");

	assert_int_equal(seen.found, 1);
	assert_true(seen.error && seen.has_why);
}

UNIT_TEST(a_glob_matches_all_of_a_name_a_word_a_part)
{
	assert_int_equal(list("sched:*", "sched:sched_wakeup").count, 3);
	assert_int_equal(list("sched", "sched:sched_wakeup").count, 3);
	assert_int_equal(list("*misses", "cycles").found, 0);
	assert_int_equal(list("*misses", "branch-misses").found, 1);
	assert_int_equal(list("", "cycles").found, 1);
	assert_int_equal(list("nosuchevent", "cycles").count, 0);
}

/* That kernel is older than the tracepoints of sockets. */
UNIT_TEST(bytes_of_the_network_need_their_tracepoints)
{
	assert_int_equal(list(NULL, "net-sent").error, ENOENT);
	assert_int_equal(list(NULL, "net-received").error, ENOENT);
}

UNIT_TEST(without_tracefs_the_rest_is_listed)
{
	struct event_env env = { .sysfs = machine.sysfs, .tracefs = "/nonexistent" };
	struct seen seen = { .name = "cycles" };
	struct error err;

	catalog_list("cycles", &env, see, &seen, &err);
	assert_int_equal(seen.found, 1);
	assert_non_null(strstr(err.text, "tracefs"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lists_every_kind),
		cmocka_unit_test(leaves_out_what_is_no_event),
		cmocka_unit_test(an_event_that_does_not_parse_says_why),
		cmocka_unit_test(a_glob_matches_all_of_a_name_a_word_a_part),
		cmocka_unit_test(bytes_of_the_network_need_their_tracepoints),
		cmocka_unit_test(without_tracefs_the_rest_is_listed),
	};
	int status;

	machine_init(&machine);
	status = unit_run(tests);
	machine_fini(&machine);
	return status;
}
