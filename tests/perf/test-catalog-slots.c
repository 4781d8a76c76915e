/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The list of events on a machine with slots of the pipeline, whose kernel is scripted. */
#include "unit.h"

#include <errno.h>

#include "machine.h"
#include "perf/fake-kernel.h"
#include "perf/live/catalog.h"

#define CPU "sys/bus/event_source/devices/cpu/"

static const struct machine_file files[] = {
	{ CPU "type", "4\n" },
	{ CPU "format/event", "config:0-7\n" },
	{ CPU "format/umask", "config:8-15\n" },
	{ CPU "events/slots", "event=0x00,umask=0x4\n" },
	{ CPU "events/topdown-retiring", "event=0x00,umask=0x80\n" },
	{ CPU "events/topdown-bad-spec", "event=0x00,umask=0x81\n" },
	{ NULL, NULL },
};

struct seen {
	unsigned parts, counted, sampled, refused;
};

static void see(void *context, const struct catalog_event *e)
{
	struct seen *seen = context;

	assert_string_equal(e->kind, "PMU");
	seen->parts++;
	seen->refused += e->error == EINVAL && *e->why;
	seen->counted += !e->error && !strcmp(e->why, "can be counted, but not sampled");
	seen->sampled += !e->error && !*e->why;
}

static struct seen list_parts(struct machine *m)
{
	struct seen seen = { 0 };
	struct error err;

	catalog_list("cpu/topdown-*", &m->env, see, &seen, &err);
	assert_int_equal(seen.parts, 2);
	return seen;
}

/* The kernel counts them in a group alone that `slots` leads, and samples none. */
UNIT_TEST(parts_of_slots_are_there)
{
	struct machine m;
	struct seen seen;

	machine_init_as(&m, files);
	fake_kernel_boot();
	seen = list_parts(&m);
	assert_int_equal(seen.counted, 2);
	assert_int_equal(fake_kernel_open(-1, PERF_TYPE_RAW, 0x400), 0);
	assert_int_equal(fake_kernel_open(-1, PERF_TYPE_RAW, 0x8000), 0);
	machine_fini(&m);
}

UNIT_TEST(without_slots_their_parts_are_refused)
{
	struct machine m;

	machine_init_as(&m, files);
	fake_kernel_boot()->no_slots = true;
	assert_int_equal(list_parts(&m).refused, 2);
	machine_fini(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parts_of_slots_are_there),
		cmocka_unit_test(without_slots_their_parts_are_refused),
	};

	return unit_run(tests);
}
