/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Screens with the metrics of a machine whose sysfs is a tree of the test's own, and whose counters say what the script says. */
#include "unit.h"

#include <math.h>

#include "perf/event/pmu-metrics.h"
#include "perf/machine.h"
#include "profile/sample-snapshot.h"
#include "view/expression.h"
#include "view/golden.h"
#include "view/view.h"

#define DEVICES "sys/bus/event_source/devices/"

static const struct machine_file server[] = {
	{ DEVICES "cpu/type", "4\n" },
	{ DEVICES "cpu/events/slots", "event=0x00,umask=0x4\n" },
	{ DEVICES "cpu/events/topdown-retiring", "event=0x00,umask=0x80\n" },
	{ DEVICES "cpu/events/topdown-bad-spec", "event=0x00,umask=0x81\n" },
	{ DEVICES "cpu/events/topdown-fe-bound", "event=0x00,umask=0x82\n" },
	{ DEVICES "cpu/events/topdown-be-bound", "event=0x00,umask=0x83\n" },
	{ DEVICES "power/type", "20\n" },
	{ DEVICES "power/cpumask", "0,4\n" },
	{ DEVICES "power/events/energy-pkg", "event=0x02\n" },
	{ "sys/fs/resctrl/info/L3_MON/mon_features",
	  "llc_occupancy\nmbm_total_bytes\nmbm_local_bytes\n" },
	{ NULL, NULL },
};

/* Events of the sample snapshot from the fifth on become these. */
#define FIRST 4
static const char *const names[] = {
	"cpu/slots/",
	"cpu/topdown-retiring/",
	"cpu/topdown-bad-spec/",
	"cpu/topdown-fe-bound/",
	"cpu/topdown-be-bound/",
	"power/energy-pkg/",
};
enum { SLOTS, RETIRING, BAD, FRONTEND, BACKEND, ENERGY, EVENTS };

struct rig {
	struct machine machine;
	struct metrics *metrics;
	struct expression_names names;
	struct snapshot *snapshot;
};

static bool find(void *context, const char *name, struct buf *canonical)
{
	(void)context;
	buf_add_str(canonical, name);
	return true;
}

static const struct metric_group *group(void *context, size_t i)
{
	return metrics_group(context, i);
}

/* Of 1000 slots, RETIRED retired and the others were lost in a ratio of 1:2:3. */
static void script(double *counters, double retired)
{
	const double values[EVENTS] = {
		1000, retired, (1000 - retired) / 6, (1000 - retired) / 3, (1000 - retired) / 2, NAN
	};

	memcpy(counters + FIRST, values, sizeof(values));
}

static void rig_init(struct rig *r)
{
	struct snapshot *s = r->snapshot = sample_snapshot(true);

	machine_init_as(&r->machine, server);
	r->metrics = metrics_new(&r->machine.env);
	r->names = (struct expression_names){ find, NULL, r->metrics, group };
	for (size_t i = 0; i < EVENTS; i++) {
		s->events[FIRST + i].name = s->events[FIRST + i].canonical = names[i];
		s->events[FIRST + i].id = EVENT_OTHER;
	}
	sample_cpus(s, 8, 2);
	for (size_t i = 0; i < s->process_count; i++)
		script(snapshot_values(s, i), (double)(100 + 70 * i));
	sample_groups(s, 0); /* the sums of their processes */
	for (size_t i = 0; i < s->cpu_count && s->cpus[i].facts.online; i++) {
		double *counters = (double *)s->cpus[i].counters;

		script(counters, (double)(800 - 100 * i));
		counters[FIRST + ENERGY] = i % 4 ? NAN : 35.5 + (double)i;
	}
	for (size_t i = 0; i < s->cpu_count; i++)
		s->cpus[i].facts.place.llc = (int32_t)(i & ~3u);
	s->cpus[0].facts.memory_rate = 3e9;
	s->cpus[0].facts.local_rate = 2e9;
	s->cpus[4].facts.memory_rate = s->cpus[4].facts.local_rate = 5e8;
	s->cpus[4].facts.held_bytes = 16 << 20;
}

static void check(const char *view, const char *columns, const char *golden)
{
	struct rig r;
	struct view_options options = { .view = view, .columns = columns };
	struct error err = { "" };
	struct grid *g = grid_new(24, 130);
	struct view *v;

	rig_init(&r);
	options.event_names = &r.names;
	v = view_new(&options, &err);
	if (!v)
		fail_msg("%s", err.text);
	view_set_snapshot(v, r.snapshot);
	view_draw(v, g);
	golden_check(g, golden);
	assert_true(!(view_extras(v) & EXTRA_CACHES) == !strstr(columns, "bandwidth"));
	view_free(v);
	grid_free(g);
	metrics_free(r.metrics);
	machine_fini(&r.machine);
}

UNIT_TEST(processes_have_a_topdown)
{
	check("processes", "topdown", "metrics-processes-130x24");
}

/* Energy is that of a package; no CPU but the one that reads it has any. */
UNIT_TEST(cpus_have_watts_too)
{
	check("cpus", "topdown,power", "metrics-cpus-130x24");
}

/* So does traffic of a cache; rows of CPUs and cores, which have no cache of their own, have none. */
UNIT_TEST(nodes_have_bandwidth)
{
	check("cpus", "bandwidth", "metrics-bandwidth-130x24");
}

UNIT_TEST(groups_have_a_topdown)
{
	check("groups", "topdown,power", "metrics-groups-130x24");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(processes_have_a_topdown),
		cmocka_unit_test(cpus_have_watts_too),
		cmocka_unit_test(nodes_have_bandwidth),
		cmocka_unit_test(groups_have_a_topdown),
	};

	if (!golden_locale()) {
		puts("no UTF-8 locale for the golden screens");
		return UNIT_SKIP;
	}
	return unit_run(tests);
}
