/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * Metrics on the sysfs trees of real machines, with counts that a script says.  The arithmetic of each group is
 * compared with what the manual of that CPU says about those counts.
 */
#include "unit.h"

#include <math.h>
#include <string.h>

#include "machine.h"
#include "perf/event/pmu-metrics.h"
#include "view/expression.h"

#define CPU "sys/bus/event_source/devices/cpu/"
#define CORE "sys/bus/event_source/devices/cpu_core/"
#define ATOM "sys/bus/event_source/devices/cpu_atom/"
#define ARM "sys/bus/event_source/devices/armv8_pmuv3_0/"
#define DEVICES "sys/bus/event_source/devices/"
#define MODALIAS "sys/devices/system/cpu/modalias"
#define INTEL_FORMATS(pmu)                                                                 \
	{ pmu "format/event", "config:0-7\n" }, { pmu "format/umask", "config:8-15\n" },   \
		{ pmu "format/edge", "config:18\n" }, { pmu "format/any", "config:21\n" }, \
		{ pmu "format/inv", "config:23\n" },                                       \
	{                                                                                  \
		pmu "format/cmask", "config:24-31\n"                                       \
	}
#define SLOTS_L1(pmu)                                                         \
	{ pmu "events/slots", "event=0x00,umask=0x4\n" },                     \
		{ pmu "events/topdown-retiring", "event=0x00,umask=0x80\n" }, \
		{ pmu "events/topdown-bad-spec", "event=0x00,umask=0x81\n" }, \
		{ pmu "events/topdown-fe-bound", "event=0x00,umask=0x82\n" }, \
	{                                                                     \
		pmu "events/topdown-be-bound", "event=0x00,umask=0x83\n"      \
	}

/* A Xeon of Cascade Lake with hyper-threading: its pipeline is shared, hence any=1 and a scale of 2. */
static const struct machine_file cascade_lake[] = {
	{ MODALIAS, "cpu:type:x86,ven0000fam0006mod0055:feature:,0000,0001\n" },
	{ CPU "type", "4\n" },
	{ CPU "caps/pmu_name", "skylake\n" },
	INTEL_FORMATS(CPU),
	{ CPU "events/topdown-total-slots", "event=0x3c,umask=0x0,any=1\n" },
	{ CPU "events/topdown-total-slots.scale", "2\n" },
	{ CPU "events/topdown-slots-issued", "event=0xe,umask=0x1\n" },
	{ CPU "events/topdown-slots-retired", "event=0xc2,umask=0x2\n" },
	{ CPU "events/topdown-fetch-bubbles", "event=0x9c,umask=0x1\n" },
	{ CPU "events/topdown-recovery-bubbles", "event=0xd,umask=0x3,cmask=1,any=1\n" },
	{ CPU "events/topdown-recovery-bubbles.scale", "2\n" },
	{ DEVICES "power/type", "20\n" },
	{ DEVICES "power/cpumask", "0,20\n" },
	{ DEVICES "power/format/event", "config:0-7\n" },
	{ DEVICES "power/events/energy-pkg", "event=0x02\n" },
	{ DEVICES "power/events/energy-pkg.scale", "2.3283064365386962890625e-10\n" },
	{ DEVICES "power/events/energy-pkg.unit", "Joules\n" },
	{ DEVICES "power/events/energy-ram", "event=0x03\n" },
	{ DEVICES "power/events/energy-ram.scale", "2.3283064365386962890625e-10\n" },
	{ DEVICES "uncore_imc_0/type", "30\n" },
	{ DEVICES "uncore_imc_0/cpumask", "0,20\n" },
	{ DEVICES "uncore_imc_0/format/event", "config:0-7\n" },
	{ DEVICES "uncore_imc_0/format/umask", "config:8-15\n" },
	{ DEVICES "uncore_imc_0/events/cas_count_read", "event=0x04,umask=0x03\n" },
	{ DEVICES "uncore_imc_0/events/cas_count_read.scale", "6.103515625e-5\n" },
	{ DEVICES "uncore_imc_0/events/cas_count_write", "event=0x04,umask=0x0c\n" },
	{ DEVICES "uncore_imc_0/events/cas_count_write.scale", "6.103515625e-5\n" },
	{ DEVICES "uncore_imc_1/type", "31\n" },
	{ DEVICES "uncore_imc_1/cpumask", "0,20\n" },
	{ DEVICES "uncore_imc_1/format/event", "config:0-7\n" },
	{ DEVICES "uncore_imc_1/format/umask", "config:8-15\n" },
	{ DEVICES "uncore_imc_1/events/cas_count_read", "event=0x04,umask=0x03\n" },
	{ DEVICES "uncore_imc_1/events/cas_count_read.scale", "6.103515625e-5\n" },
	{ NULL, NULL },
};

static const struct machine_file sapphire_rapids[] = {
	{ MODALIAS, "cpu:type:x86,ven0000fam0006mod008F:feature:,0000,0001\n" },
	{ CPU "type", "4\n" },
	{ CPU "caps/pmu_name", "sapphire_rapids\n" },
	INTEL_FORMATS(CPU),
	SLOTS_L1(CPU),
	{ CPU "events/topdown-heavy-ops", "event=0x00,umask=0x84\n" },
	{ CPU "events/topdown-br-mispredict", "event=0x00,umask=0x85\n" },
	{ CPU "events/topdown-fetch-lat", "event=0x00,umask=0x86\n" },
	{ CPU "events/topdown-mem-bound", "event=0x00,umask=0x87\n" },
	{ NULL, NULL },
};

/* The atoms have metrics of the same names, which count something else. */
static const struct machine_file alder_lake[] = {
	{ MODALIAS, "cpu:type:x86,ven0000fam0006mod0097:feature:,0000,0001\n" },
	{ CORE "type", "4\n" },
	{ CORE "cpus", "0-15\n" },
	INTEL_FORMATS(CORE),
	SLOTS_L1(CORE),
	{ ATOM "type", "10\n" },
	{ ATOM "cpus", "16-23\n" },
	INTEL_FORMATS(ATOM),
	{ ATOM "events/topdown-retiring", "event=0xc2,umask=0x0\n" },
	{ ATOM "events/topdown-bad-spec", "event=0x73,umask=0x0\n" },
	{ ATOM "events/topdown-fe-bound", "event=0x71,umask=0x0\n" },
	{ ATOM "events/topdown-be-bound", "event=0x74,umask=0x0\n" },
	{ DEVICES "uncore_imc_free_running_0/type", "25\n" },
	{ DEVICES "uncore_imc_free_running_0/cpumask", "0\n" },
	{ DEVICES "uncore_imc_free_running_0/format/event", "config:0-7\n" },
	{ DEVICES "uncore_imc_free_running_0/format/umask", "config:8-15\n" },
	{ DEVICES "uncore_imc_free_running_0/events/data_read", "event=0xff,umask=0x20\n" },
	{ DEVICES "uncore_imc_free_running_0/events/data_read.scale", "6.103515625e-5\n" },
	{ DEVICES "uncore_imc_free_running_0/events/data_write", "event=0xff,umask=0x30\n" },
	{ NULL, NULL },
};

static const struct machine_file neoverse_v2[] = {
	{ MODALIAS, "cpu:type:aarch64:feature:,0000,0001\n" },
	{ ARM "type", "10\n" },
	{ ARM "cpus", "0-71\n" },
	{ ARM "format/event", "config:0-15\n" },
	{ ARM "caps/slots", "0x00000008\n" },
	{ ARM "events/cpu_cycles", "event=0x0011\n" },
	{ ARM "events/op_retired", "event=0x003a\n" },
	{ ARM "events/op_spec", "event=0x003b\n" },
	{ ARM "events/stall_slot_backend", "event=0x003d\n" },
	{ ARM "events/stall_slot_frontend", "event=0x003e\n" },
	{ ARM "events/stall_slot", "event=0x003f\n" },
	{ NULL, NULL },
};

#define AMD_FORMATS                                                                            \
	{ CPU "type", "4\n" }, { CPU "format/event", "config:0-7,32-35\n" },                   \
		{ CPU "format/umask", "config:8-15\n" }, { CPU "format/edge", "config:18\n" }, \
		{ CPU "format/inv", "config:23\n" }, { CPU "format/cmask", "config:24-31\n" }, \
	{                                                                                      \
		CPU "events/cpu-cycles", "event=0x76\n"                                        \
	}
static const struct machine_file zen3[] = {
	{ MODALIAS, "cpu:type:x86,ven0002fam0019mod0021:feature:,0000,0001\n" },
	AMD_FORMATS,
	{ NULL, NULL },
};
/* No PMU of its controllers has a name that is known; resctrl is mounted, and cannot tell the memory of nodes. */
static const struct machine_file zen3_resctrl[] = {
	{ MODALIAS, "cpu:type:x86,ven0002fam0019mod0021:feature:,0000,0001\n" },
	AMD_FORMATS,
	{ "sys/fs/resctrl/info/L3_MON/mon_features",
	  "llc_occupancy\nmbm_total_bytes\nmbm_total_bytes_config\n" },
	{ NULL, NULL },
};
static const struct machine_file zen4[] = {
	{ MODALIAS, "cpu:type:x86,ven0002fam0019mod0061:feature:,0000,0001\n" },
	AMD_FORMATS,
	{ DEVICES "amd_umc_0/type", "40\n" },
	{ DEVICES "amd_umc_0/cpumask", "0\n" },
	{ DEVICES "amd_umc_0/format/event", "config:0-7\n" },
	{ DEVICES "amd_umc_0/format/rdwrmask", "config:8-9\n" },
	{ NULL, NULL },
};
static const struct machine_file zen5[] = {
	{ MODALIAS, "cpu:type:x86,ven0002fam001Amod0044:feature:,0000,0001\n" },
	AMD_FORMATS,
	{ NULL, NULL },
};

/* A virtual machine without counters. */
static const struct machine_file nothing[] = {
	{ MODALIAS, "cpu:type:x86,ven0002fam0019mod0011:feature:,0000,0001\n" },
	{ DEVICES "software/type", "1\n" },
	{ DEVICES "breakpoint/type", "5\n" },
	{ NULL, NULL },
};

/* What a PMU counts. */
struct count {
	uint32_t type;
	uint64_t config;
	double value;
};

static const struct event_env *env;

static bool find(void *context, const char *name, struct buf *canonical)
{
	struct evlist *l = evlist_new();
	struct error err;
	bool found = !strcmp(name, "interval");

	(void)context;
	if (!found)
		found = !evlist_parse_in(l, name, env, &err) && l->count == 1;
	if (found)
		buf_add_str(canonical, name);
	evlist_free(l);
	return found;
}

/* The interval is two seconds; an event that the script does not count is NAN. */
static double value_of(const char *name, const struct count *counts)
{
	struct evlist *l = evlist_new();
	struct error err;
	double value = NAN;

	if (!strcmp(name, "interval")) {
		evlist_free(l);
		return 2;
	}
	assert_int_equal(evlist_parse_in(l, name, env, &err), 0);
	for (size_t i = 0; counts[i].type; i++) {
		if (counts[i].type == l->items[0]->type && counts[i].config == l->items[0]->config)
			value = counts[i].value * l->items[0]->scale;
	}
	evlist_free(l);
	return value;
}

static double evaluate(const struct metric *m, const struct count *counts)
{
	const struct expression_names names = { .find = find };
	double inputs[EXPRESSION_STEPS], value;
	struct error err = { 0 };
	struct expression *e = expression_parse(m->formula, strlen(m->formula), &names, &err);

	if (!e)
		fail_msg("%s: %s", m->name, err.text);
	for (size_t i = 0; i < expression_inputs(e); i++)
		inputs[i] = value_of(expression_input(e, i), counts);
	value = expression_value(e, inputs);
	expression_free(e);
	return value;
}

static const struct metric_group *group_of(const struct metrics *m, const char *name)
{
	const struct metric_group *g;

	for (size_t i = 0; (g = metrics_group(m, i)); i++) {
		if (!strcmp(g->name, name))
			return g;
	}
	fail_msg("no group %s", name);
	return NULL;
}

struct figure {
	const char *name;
	double value;
};

/* The group NAME of the machine with FILES has just these figures. */
static void check(const struct machine_file *files, const char *name, const struct count *counts,
		  const struct figure *figures)
{
	struct machine machine;
	struct metrics *m;
	const struct metric_group *g;
	size_t i;

	machine_init_as(&machine, files);
	env = &machine.env;
	m = metrics_new(env);
	g = group_of(m, name);
	for (i = 0; figures && figures[i].name; i++) {
		assert_true(i < g->count);
		assert_string_equal(g->items[i].name, figures[i].name);
		assert_true(fabs(evaluate(&g->items[i], counts) - figures[i].value) < 1e-6);
	}
	assert_int_equal(g->count, i);
	metrics_free(m);
	machine_fini(&machine);
}

/* The values are those that the kernel makes of the register: shares of 255 of the slots. */
UNIT_TEST(slots_of_intel_divide_into_four)
{
	static const struct count counts[] = {
		{ 4, 0x400, 2550 },  { 4, 0x8000, 510 }, { 4, 0x8100, 255 }, { 4, 0x8200, 765 },
		{ 4, 0x8300, 1020 }, { 4, 0x8400, 51 },  { 4, 0x8500, 204 }, { 4, 0x8600, 255 },
		{ 4, 0x8700, 765 },  { 0, 0, 0 },
	};
	static const struct figure first[] = {
		{ "retiring%", 20 }, { "bad-spec%", 10 }, { "frontend%", 30 },
		{ "backend%", 40 },  { NULL, 0 },
	};
	static const struct figure second[] = {
		{ "light-ops%", 18 }, { "heavy-ops%", 2 },   { "br-mispred%", 8 },
		{ "clears%", 2 },     { "fe-latency%", 10 }, { "fe-bandwid%", 20 },
		{ "mem-bound%", 30 }, { "core-bound%", 10 }, { NULL, 0 },
	};

	check(sapphire_rapids, "topdown", counts, first);
	check(sapphire_rapids, "topdown-l2", counts, second);
}

UNIT_TEST(a_hybrid_cpu_has_them_for_its_large_cores)
{
	static const struct count counts[] = {
		{ 4, 0x400, 100 }, { 4, 0x8000, 70 }, { 4, 0x8100, 5 },
		{ 4, 0x8200, 10 }, { 4, 0x8300, 15 }, { 0, 0, 0 },
	};
	static const struct figure first[] = {
		{ "retiring%", 70 }, { "bad-spec%", 5 }, { "frontend%", 10 },
		{ "backend%", 15 },  { NULL, 0 },
	};

	check(alder_lake, "topdown", counts, first);
	check(alder_lake, "topdown-l2", counts, NULL);
}

/* 1000 cycles of a core of four: 4000 slots, of which 400 were bubbles, 2200 issued, 100 lost to recovery. */
UNIT_TEST(older_intel_has_the_classic_formula)
{
	static const struct count counts[] = {
		{ 4, 0x20003c, 2000 }, { 4, 0x10e, 2200 },   { 4, 0x2c2, 2000 },
		{ 4, 0x19c, 400 },     { 4, 0x120030d, 50 }, { 4, 0x400019c, 50 },
		{ 4, 0xc5, 30 },       { 4, 0x10401c3, 10 }, { 4, 0x140014a3, 300 },
		{ 4, 0x40004a3, 400 }, { 4, 0x40a6, 50 },    { 4, 0x2a6, 100 },
		{ 4, 0x4a6, 100 },     { 4, 0x4c2, 200 },    { 4, 0xc0, 1800 },
		{ 0, 0, 0 },
	};
	static const struct figure first[] = {
		{ "retiring%", 50 },  { "bad-spec%", 7.5 }, { "frontend%", 10 },
		{ "backend%", 32.5 }, { NULL, 0 },
	};
	/* (300 + 50) / (400 + 100 + 0.5 * 100 + 50) of the back end waits for memory. */
	static const struct figure second[] = {
		{ "light-ops%", 40 },
		{ "heavy-ops%", 10 },
		{ "br-mispred%", 5.625 },
		{ "clears%", 1.875 },
		{ "fe-latency%", 5 },
		{ "fe-bandwid%", 5 },
		{ "mem-bound%", 32.5 * 350 / 600 },
		{ "core-bound%", 32.5 * 250 / 600 },
		{ NULL, 0 },
	};

	check(cascade_lake, "topdown", counts, first);
	check(cascade_lake, "topdown-l2", counts, second);
}

/* 8 slots a cycle: 8000, of which 2000 went to the front end's stalls and 3000 to the back end's. */
UNIT_TEST(arm_has_stalled_slots)
{
	static const struct count counts[] = {
		{ 10, 0x11, 1000 }, { 10, 0x3a, 1800 }, { 10, 0x3b, 2000 }, { 10, 0x3d, 3000 },
		{ 10, 0x3e, 2000 }, { 10, 0x3f, 5000 }, { 0, 0, 0 },
	};
	static const struct figure first[] = {
		{ "retiring%", 33.75 }, { "bad-spec%", 3.75 }, { "frontend%", 25 },
		{ "backend%", 37.5 },   { NULL, 0 },
	};

	check(neoverse_v2, "topdown", counts, first);
	check(neoverse_v2, "topdown-l2", counts, NULL);
}

/* WIDTH slots a cycle, of which one is used a cycle. */
static void check_amd(const struct machine_file *files, double width, uint64_t restarts)
{
	const struct count counts[] = {
		{ 4, 0x76, 1000 },
		{ 4, 0xc1, width * 400 },
		{ 4, 0x7aa, width * 500 },
		{ 4, 0x1000001a0, width * 200 },
		{ 4, 0x100001ea0, width * 250 },
		{ 4, 0x1000060a0, width * 50 },
		{ 4, 0xc3, 30 },
		{ 4, restarts, 10 },
		{ 4, 0x1000000c2, width * 100 },
		{ 4, 0xa2d6, 60 },
		{ 4, 0x2d6, 100 },
		{ 4, 0x1000001a0 | (uint64_t)width << 24, 50 },
		{ 0, 0, 0 },
	};
	const struct figure first[] = {
		{ "retiring%", 40 }, { "bad-spec%", 10 }, { "frontend%", 20 },
		{ "backend%", 25 },  { "smt%", 5 },       { NULL, 0 },
	};
	const struct figure second[] = {
		{ "light-ops%", 30 }, { "heavy-ops%", 10 },  { "br-mispred%", 7.5 },
		{ "clears%", 2.5 },   { "fe-latency%", 5 },  { "fe-bandwid%", 15 },
		{ "mem-bound%", 15 }, { "core-bound%", 10 }, { NULL, 0 },
	};

	check(files, "topdown", counts, first);
	check(files, "topdown-l2", counts, second);
}

UNIT_TEST(amd_has_the_utilization_of_its_pipeline)
{
	static const struct count none[] = { { 0, 0, 0 } };

	check_amd(zen4, 6, 0x96);
	check_amd(zen5, 8, 0x19f);
	check(zen3, "topdown", none, NULL);
}

/* Energy in units of 2^-32 joules, 64-byte lines in MiB; two seconds. */
UNIT_TEST(watts_and_bytes_are_by_second)
{
	static const struct count counts[] = {
		{ 20, 2, 4294967296.0 * 130 }, { 20, 3, 4294967296.0 * 15 }, { 30, 0x304, 1000 },
		{ 31, 0x304, 3000 },           { 30, 0xc04, 500 },           { 0, 0, 0 },
	};
	static const struct figure watts[] = { { "watts", 65 }, { "watts-ram", 7.5 }, { NULL, 0 } };
	static const struct figure bytes[] = { { "mem-rd/s", 4000 * 64 / 2.0 },
					       { "mem-wr/s", 500 * 64 / 2.0 },
					       { NULL, 0 } };
	static const struct count client[] = { { 25, 0x20ff, 100 },
					       { 25, 0x30ff, 3 },
					       { 0, 0, 0 } };
	static const struct figure client_bytes[] = { { "mem-rd/s", 3200 },
						      { "mem-wr/s", 3 * 1048576 / 2.0 },
						      { NULL, 0 } };
	static const struct count umc[] = { { 40, 0x10a, 100 }, { 40, 0x20a, 50 }, { 0, 0, 0 } };
	static const struct figure umc_bytes[] = { { "mem-rd/s", 3200 },
						   { "mem-wr/s", 1600 },
						   { NULL, 0 } };

	check(cascade_lake, "power", counts, watts);
	check(cascade_lake, "bandwidth", counts, bytes);
	check(alder_lake, "bandwidth", client, client_bytes);
	check(alder_lake, "power", client, NULL);
	check(zen4, "bandwidth", umc, umc_bytes);
}

/* Formulas are variables then; what a machine cannot tell has no metric. */
UNIT_TEST(resctrl_tells_bytes_where_no_controller_does)
{
	struct machine machine;
	struct metrics *m;
	const struct metric_group *g;

	machine_init_as(&machine, zen3_resctrl);
	m = metrics_new(&machine.env);
	g = group_of(m, "bandwidth");
	assert_int_equal(g->count, 2);
	assert_string_equal(g->items[0].name, "mem-all/s");
	assert_string_equal(g->items[0].formula, "mbm_total_bytes");
	assert_string_equal(g->items[1].name, "llc-used");
	metrics_free(m);
	machine_fini(&machine);
	check(zen3, "bandwidth", (struct count[]){ { 0, 0, 0 } }, NULL);
}

/* Parts of an absent whole are absent, not 0. */
UNIT_TEST(a_metric_without_its_events_is_absent)
{
	static const struct count counts[] = { { 4, 0x8000, 510 }, { 0, 0, 0 } };
	struct machine machine;
	struct metrics *m;

	machine_init_as(&machine, sapphire_rapids);
	env = &machine.env;
	m = metrics_new(env);
	assert_true(isnan(evaluate(&group_of(m, "topdown")->items[0], counts)));
	metrics_free(m);
	machine_fini(&machine);
}

UNIT_TEST(a_machine_without_counters_has_the_names_alone)
{
	static const struct count none[] = { { 0, 0, 0 } };
	size_t i = 0;

	for (; metrics_group(NULL, i); i++) {
		assert_int_equal(metrics_group(NULL, i)->count, 0);
		check(nothing, metrics_group(NULL, i)->name, none, NULL);
	}
	assert_int_equal(i, 4);
}

/* A tree that lies: what it says is no slots, and events that are directories. */
UNIT_TEST(a_damaged_tree_has_none)
{
	static const struct machine_file damaged[] = {
		{ ARM "type", "10\n" },
		{ ARM "format/event", "config:0-15\n" },
		{ ARM "caps/slots", "many\n" },
		{ ARM "events/cpu_cycles", "event=0x0011\n" },
		{ ARM "events/op_retired", "event=0x003a\n" },
		{ ARM "events/op_spec", "event=0x003b\n" },
		{ ARM "events/stall_slot", "event=0x003f\n" },
		{ CPU "type", "4\n" },
		{ CPU "events/slots/x", "event=0x00,umask=0x4\n" },
		{ CPU "events/topdown-retiring", "" },
		{ NULL, NULL },
	};
	static const struct count none[] = { { 0, 0, 0 } };

	check(damaged, "topdown", none, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(slots_of_intel_divide_into_four),
		cmocka_unit_test(a_hybrid_cpu_has_them_for_its_large_cores),
		cmocka_unit_test(older_intel_has_the_classic_formula),
		cmocka_unit_test(arm_has_stalled_slots),
		cmocka_unit_test(amd_has_the_utilization_of_its_pipeline),
		cmocka_unit_test(resctrl_tells_bytes_where_no_controller_does),
		cmocka_unit_test(watts_and_bytes_are_by_second),
		cmocka_unit_test(a_metric_without_its_events_is_absent),
		cmocka_unit_test(a_machine_without_counters_has_the_names_alone),
		cmocka_unit_test(a_damaged_tree_has_none),
	};

	return unit_run(tests);
}
