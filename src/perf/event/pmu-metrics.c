/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "perf/event/pmu-metrics.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/i18n.h"
#include "base/scanner.h"
#include "perf/event/pmu.h"
#include "perf/event/sysfile.h"

/*
 * Formulas.  Events stand in double quotes.  "/NAME/" is an event of the PMU that the row chose.  "GLOB/NAME/" is the
 * sum of that event over all PMUs that match.  An event without "=" must be in the PMU's events/.  #slots is what
 * caps/slots says: the slots of a cycle.
 */
#define EVENT(terms) "\"/" terms "/\""
#define PERCENT(part, whole) "100 * (" part ") / (" whole ")"

/* The names of the levels, on all machines. */
#define RETIRING .name = "retiring%", .help = N_("slots of the pipeline whose operations retired")
#define BAD_SPECULATION      \
	.name = "bad-spec%", \
	.help = N_(          \
		"slots lost to wrong speculation: operations that did not retire, and recovery")
#define FRONTEND .name = "frontend%", .help = N_("slots for which the front end had no operation")
#define BACKEND \
	.name = "backend%", .help = N_("slots in which the back end could take no operation")
#define LIGHT \
	.name = "light-ops%", .help = N_("of RETIRING%: instructions of one operation, or of few")
#define HEAVY                 \
	.name = "heavy-ops%", \
	.help = N_("of RETIRING%: instructions of several operations, or microcode")
#define MISPREDICTS .name = "br-mispred%", .help = N_("of BAD-SPEC%: mispredicted branches")
#define CLEARS \
	.name = "clears%", .help = N_("of BAD-SPEC%: the pipeline was cleared for another reason")
#define LATENCY                \
	.name = "fe-latency%", \
	.help = N_("of FRONTEND%: cycles without any operation, such as cache misses of code")
#define BANDWIDTH \
	.name = "fe-bandwid%", .help = N_("of FRONTEND%: cycles with fewer operations than slots")
#define MEMORY                \
	.name = "mem-bound%", \
	.help = N_("of BACKEND%: loads and stores that wait for memory or caches")
#define CORE .name = "core-bound%", .help = N_("of BACKEND%: units of the core that are busy")

/* The thresholds of the first level: Intel's. */
#define DEEPER .deeper = "topdown-l2"

/* clang-format off */

/* Intel since Ice Lake: one counter of slots, and metrics that share another one. */
#define SLOTS EVENT("slots")
static const struct metric intel_slots_l1[] = {
	{ RETIRING, .formula = PERCENT(EVENT("topdown-retiring"), SLOTS), .hot = 70, DEEPER },
	{ BAD_SPECULATION, .formula = PERCENT(EVENT("topdown-bad-spec"), SLOTS), .hot = 15, DEEPER },
	{ FRONTEND, .formula = PERCENT(EVENT("topdown-fe-bound"), SLOTS), .hot = 15, DEEPER },
	{ BACKEND, .formula = PERCENT(EVENT("topdown-be-bound"), SLOTS), .hot = 20, DEEPER },
};

/* Since Sapphire Rapids. */
#define REST(whole, part) PERCENT(EVENT(whole) " - " EVENT(part), SLOTS)
static const struct metric intel_slots_l2[] = {
	{ LIGHT, .formula = REST("topdown-retiring", "topdown-heavy-ops"), .hot = 60 },
	{ HEAVY, .formula = PERCENT(EVENT("topdown-heavy-ops"), SLOTS), .hot = 10 },
	{ MISPREDICTS, .formula = PERCENT(EVENT("topdown-br-mispredict"), SLOTS), .hot = 10 },
	{ CLEARS, .formula = REST("topdown-bad-spec", "topdown-br-mispredict"), .hot = 10 },
	{ LATENCY, .formula = PERCENT(EVENT("topdown-fetch-lat"), SLOTS), .hot = 10 },
	{ BANDWIDTH, .formula = REST("topdown-fe-bound", "topdown-fetch-lat"), .hot = 20 },
	{ MEMORY, .formula = PERCENT(EVENT("topdown-mem-bound"), SLOTS), .hot = 20 },
	{ CORE, .formula = REST("topdown-be-bound", "topdown-mem-bound"), .hot = 10 },
};

/*
 * Before: uops_retired.retire_slots, uops_issued.any, idq_uops_not_delivered.core, int_misc.recovery_cycles and
 * the cycles of the core, which the kernel names; .scale has the width of the pipeline.
 */
#define TOTAL EVENT("topdown-total-slots")
#define RETIRED EVENT("topdown-slots-retired")
#define ISSUED EVENT("topdown-slots-issued")
#define RECOVERY EVENT("topdown-recovery-bubbles")
#define BUBBLES EVENT("topdown-fetch-bubbles")
#define BAD "(" ISSUED " - " RETIRED " + " RECOVERY ")"
#define WAITING "(" TOTAL " - " BUBBLES " - " ISSUED " - " RECOVERY ")"
static const struct metric intel_classic_l1[] = {
	{ RETIRING, .formula = PERCENT(RETIRED, TOTAL), .hot = 70, DEEPER },
	{ BAD_SPECULATION, .formula = PERCENT(BAD, TOTAL), .hot = 15, DEEPER },
	{ FRONTEND, .formula = PERCENT(BUBBLES, TOTAL), .hot = 15, DEEPER },
	{ BACKEND, .formula = PERCENT(WAITING, TOTAL), .hot = 20, DEEPER },
};

/* Skylake to Cascade Lake: the second level from events of the model. */
#define NO_UOPS EVENT("event=0x9c,umask=0x1,cmask=4")          /* idq_uops_not_delivered.cycles_0_uops_deliv.core */
#define BRANCHES_MISSED EVENT("event=0xc5")                    /* br_misp_retired.all_branches */
#define CLEARED EVENT("event=0xc3,umask=0x1,edge=1,cmask=1")   /* machine_clears.count */
#define MEMORY_STALLS EVENT("event=0xa3,umask=0x14,cmask=20")  /* cycle_activity.stalls_mem_any */
#define ALL_STALLS EVENT("event=0xa3,umask=0x4,cmask=4")       /* cycle_activity.stalls_total */
#define ON_STORES EVENT("event=0xa6,umask=0x40")               /* exe_activity.bound_on_stores */
#define ONE_PORT EVENT("event=0xa6,umask=0x2")                 /* exe_activity.1_ports_util */
#define TWO_PORTS EVENT("event=0xa6,umask=0x4")                /* exe_activity.2_ports_util */
#define FUSED EVENT("event=0xc2,umask=0x4")                    /* uops_retired.macro_fused */
#define SEVERAL "(" RETIRED " + " FUSED " - " EVENT("event=0xc0") ")"
#define BOUND_BY_MEMORY "(" MEMORY_STALLS " + " ON_STORES ") / (" ALL_STALLS " + " ONE_PORT " + " RETIRED " / " TOTAL \
	" * " TWO_PORTS " + " ON_STORES ")"
static const struct metric skylake_l2[] = {
	{ LIGHT, .formula = PERCENT(RETIRED " - " SEVERAL, TOTAL), .hot = 60 },
	{ HEAVY, .formula = PERCENT(SEVERAL, TOTAL), .hot = 10 },
	{ MISPREDICTS, .formula = PERCENT(BAD, TOTAL) " * " BRANCHES_MISSED " / (" BRANCHES_MISSED " + " CLEARED ")", .hot = 10 },
	{ CLEARS, .formula = PERCENT(BAD, TOTAL) " * " CLEARED " / (" BRANCHES_MISSED " + " CLEARED ")", .hot = 10 },
	{ LATENCY, .formula = PERCENT("4 * " NO_UOPS, TOTAL), .hot = 10 },
	{ BANDWIDTH, .formula = PERCENT(BUBBLES " - 4 * " NO_UOPS, TOTAL), .hot = 20 },
	{ MEMORY, .formula = PERCENT(WAITING, TOTAL) " * " BOUND_BY_MEMORY, .hot = 20 },
	{ CORE, .formula = PERCENT(WAITING, TOTAL) " * (1 - " BOUND_BY_MEMORY ")", .hot = 10 },
};

/* Arm: TopdownL1 of the telemetry of the Neoverse cores. */
#define ARM_SLOTS "#slots * " EVENT("cpu_cycles")
#define ARM_USED "(1 - " EVENT("stall_slot") " / (" ARM_SLOTS "))"
#define ARM_RIGHT EVENT("op_retired") " / " EVENT("op_spec")
static const struct metric arm_l1[] = {
	{ RETIRING, .formula = "100 * " ARM_RIGHT " * " ARM_USED, .hot = 70 },
	{ BAD_SPECULATION, .formula = "100 * (1 - " ARM_RIGHT ") * " ARM_USED, .hot = 15 },
	{ FRONTEND, .formula = PERCENT(EVENT("stall_slot_frontend"), ARM_SLOTS), .hot = 15 },
	{ BACKEND, .formula = PERCENT(EVENT("stall_slot_backend"), ARM_SLOTS), .hot = 20 },
};

/* AMD: PipelineUtilization.  Slots went to the other thread of the core, too. */
#define CYCLES EVENT("event=0x76")                    /* ls_not_halted_cyc */
#define OPS EVENT("event=0xc1")                       /* ex_ret_ops */
#define DISPATCHED EVENT("event=0xaa,umask=0x7")      /* de_src_op_disp.all */
#define NO_OPS EVENT("event=0x1a0,umask=0x1")         /* de_no_dispatch_per_slot.no_ops_from_frontend */
#define NONE_AT_ALL(width) EVENT("event=0x1a0,umask=0x1,cmask=" width)
#define STALLS EVENT("event=0x1a0,umask=0x1e")        /* de_no_dispatch_per_slot.backend_stalls */
#define OTHER_THREAD EVENT("event=0x1a0,umask=0x60")  /* de_no_dispatch_per_slot.smt_contention */
#define WRONG EVENT("event=0xc3")                     /* ex_ret_brn_misp */
#define MICROCODE EVENT("event=0x1c2")                /* ex_ret_ucode_ops */
#define LOADING EVENT("event=0xd6,umask=0xa2")        /* ex_no_retire.load_not_complete */
#define INCOMPLETE EVENT("event=0xd6,umask=0x2")      /* ex_no_retire.not_complete */
#define AMD_L1(width) \
	{ RETIRING, .formula = PERCENT(OPS, width " * " CYCLES), .hot = 70, DEEPER }, \
	{ BAD_SPECULATION, .formula = PERCENT(DISPATCHED " - " OPS, width " * " CYCLES), .hot = 15, DEEPER }, \
	{ FRONTEND, .formula = PERCENT(NO_OPS, width " * " CYCLES), .hot = 15, DEEPER }, \
	{ BACKEND, .formula = PERCENT(STALLS, width " * " CYCLES), .hot = 20, DEEPER }, \
	{ .name = "smt%", .help = N_("slots that the other thread of the core got"), \
	  .formula = PERCENT(OTHER_THREAD, width " * " CYCLES) }
#define AMD_L2(width, restarts) \
	{ LIGHT, .formula = PERCENT(OPS " - " MICROCODE, width " * " CYCLES), .hot = 60 }, \
	{ HEAVY, .formula = PERCENT(MICROCODE, width " * " CYCLES), .hot = 10 }, \
	{ MISPREDICTS, .formula = PERCENT(DISPATCHED " - " OPS, width " * " CYCLES) " * " WRONG " / (" WRONG " + " restarts ")", \
	  .hot = 10 }, \
	{ CLEARS, .formula = PERCENT(DISPATCHED " - " OPS, width " * " CYCLES) " * " restarts " / (" WRONG " + " restarts ")", \
	  .hot = 10 }, \
	{ LATENCY, .formula = PERCENT(width " * " NONE_AT_ALL(width), width " * " CYCLES), .hot = 10 }, \
	{ BANDWIDTH, .formula = PERCENT(NO_OPS " - " width " * " NONE_AT_ALL(width), width " * " CYCLES), .hot = 20 }, \
	{ MEMORY, .formula = PERCENT(STALLS, width " * " CYCLES) " * " LOADING " / " INCOMPLETE, .hot = 20 }, \
	{ CORE, .formula = PERCENT(STALLS, width " * " CYCLES) " * (1 - " LOADING " / " INCOMPLETE ")", .hot = 10 }
static const struct metric zen4_l1[] = { AMD_L1("6") };
static const struct metric zen4_l2[] = { AMD_L2("6", EVENT("event=0x96")) }; /* resyncs_or_nc_redirects */
static const struct metric zen5_l1[] = { AMD_L1("8") };
static const struct metric zen5_l2[] = { AMD_L2("8", EVENT("event=0x9f,umask=0x1")) }; /* bp_redirects.resync */

/* Joules, by the scale of the PMU; sockets are summed as their CPUs are. */
#define POWER(what) .formula = "\"power/energy-" what "/\" / interval", .form = METRIC_WATTS
static const struct metric power[] = {
	{ .name = "watts", .help = N_("watts of the packages of CPUs"), POWER("pkg") },
	{ .name = "watts-core", .help = N_("watts of their cores"), POWER("cores") },
	{ .name = "watts-ram", .help = N_("watts of memory"), POWER("ram") },
	{ .name = "watts-gpu", .help = N_("watts of the graphics unit in the package"), POWER("gpu") },
	{ .name = "watts-sys", .help = N_("watts of the whole platform"), POWER("psys") },
};

#define TRAFFIC(name_, help_, formula_) { .name = name_, .help = help_, .formula = formula_, .form = METRIC_BYTES }
#define READS(formula) TRAFFIC("mem-rd/s", N_("bytes read from memory, by its controllers"), formula)
#define WRITES(formula) TRAFFIC("mem-wr/s", N_("bytes written to memory, by its controllers"), formula)
#define MEBIBYTES(event) "1048576 * \"" event "\" / interval"
static const struct metric imc_server[] = {
	READS(MEBIBYTES("uncore_imc_[0-9]*/cas_count_read/")), WRITES(MEBIBYTES("uncore_imc_[0-9]*/cas_count_write/")),
};
static const struct metric imc_free_running[] = {
	READS(MEBIBYTES("uncore_imc_free_running*/data_read/")), WRITES(MEBIBYTES("uncore_imc_free_running*/data_write/")),
};
static const struct metric imc_client[] = {
	READS(MEBIBYTES("uncore_imc/data_reads/")), WRITES(MEBIBYTES("uncore_imc/data_writes/")),
};
static const struct metric amd_umc[] = { /* umc_cas_cmd.rd, .wr */
	READS("64 * \"amd_umc_*/event=0xa,rdwrmask=0x1/\" / interval"),
	WRITES("64 * \"amd_umc_*/event=0xa,rdwrmask=0x2/\" / interval"),
};

/* Without PMUs of memory controllers: rates that proc/resctrl.h reads, under the names of info/L3_MON/mon_features. */
static const struct metric resctrl[] = {
	TRAFFIC("mem-all/s", N_("bytes between last-level caches and memory, by resctrl"), "mbm_total_bytes"),
	TRAFFIC("mem-local/s", N_("of MEM-ALL/S: memory of the own node, by resctrl"), "mbm_local_bytes"),
	{ .name = "llc-used", .help = N_("bytes held in last-level caches, by resctrl"), .formula = "llc_occupancy", .form = METRIC_SIZE },
};

enum { GROUP_TOPDOWN, GROUP_TOPDOWN_L2, GROUP_POWER, GROUP_BANDWIDTH, GROUPS };

static const struct metric_group groups[GROUPS] = {
	[GROUP_TOPDOWN] = { "topdown", N_("where the slots of the pipeline go"), false, NULL, 0 },
	[GROUP_TOPDOWN_L2] = { "topdown-l2", N_("where the slots of the pipeline go, a level deeper"), false, NULL, 0 },
	[GROUP_POWER] = { "power", N_("watts of each socket"), true, NULL, 0 },
	[GROUP_BANDWIDTH] = { "bandwidth", N_("bytes read from and written to memory, by its controllers or by resctrl"), true, NULL, 0 },
};

#define ROWS(table) .items = table, .count = sizeof(table) / sizeof(*(table))

/* The first row of a group that the machine can count is taken. */
static const struct variant {
	int group;
	const char *pmu;    /* a glob: that of "/NAME/"; NULL: resctrl, whose features the formulas are */
	const char *model;  /* a glob of /sys/devices/system/cpu/modalias; NULL: any */
	const char *family; /* a glob of the PMU's caps/pmu_name; NULL: any */
	bool some;          /* metrics that cannot be counted are left out; else all must be there */
	const struct metric *items;
	size_t count;
} variants[] = {
	{ GROUP_TOPDOWN, .pmu = "cpu", ROWS(intel_slots_l1) },
	{ GROUP_TOPDOWN, .pmu = "cpu_core", ROWS(intel_slots_l1) },
	{ GROUP_TOPDOWN, .pmu = "cpu", ROWS(intel_classic_l1) },
	{ GROUP_TOPDOWN, .pmu = "armv[89]_*", ROWS(arm_l1) },
	{ GROUP_TOPDOWN, .pmu = "cpu", .model = "cpu:type:x86,ven0002fam0019mod00[167A]?:*", ROWS(zen4_l1) },
	{ GROUP_TOPDOWN, .pmu = "cpu", .model = "cpu:type:x86,ven0002fam001Amod*", ROWS(zen5_l1) },
	{ GROUP_TOPDOWN_L2, .pmu = "cpu", ROWS(intel_slots_l2) },
	{ GROUP_TOPDOWN_L2, .pmu = "cpu_core", ROWS(intel_slots_l2) },
	{ GROUP_TOPDOWN_L2, .pmu = "cpu", .family = "skylake", ROWS(skylake_l2) },
	{ GROUP_TOPDOWN_L2, .pmu = "cpu", .model = "cpu:type:x86,ven0002fam0019mod00[167A]?:*", ROWS(zen4_l2) },
	{ GROUP_TOPDOWN_L2, .pmu = "cpu", .model = "cpu:type:x86,ven0002fam001Amod*", ROWS(zen5_l2) },
	{ GROUP_POWER, .pmu = "power", .some = true, ROWS(power) },
	{ GROUP_BANDWIDTH, .pmu = "uncore_imc_[0-9]*", .some = true, ROWS(imc_server) },
	{ GROUP_BANDWIDTH, .pmu = "uncore_imc_free_running*", .some = true, ROWS(imc_free_running) },
	{ GROUP_BANDWIDTH, .pmu = "uncore_imc", .some = true, ROWS(imc_client) },
	{ GROUP_BANDWIDTH, .pmu = "amd_umc_*", ROWS(amd_umc) },
	{ GROUP_BANDWIDTH, .some = true, ROWS(resctrl) },
};
/* clang-format on */

#define GROUP_ROWS 8    /* most metrics in one group */
#define SUM_LIMIT 16    /* most PMUs in a sum: steps of an expression are limited */
#define MODEL_BYTES 256 /* of a modalias that are looked at; its features come behind */

struct metrics {
	struct metric_group groups[GROUPS];
	struct metric rows[GROUPS][GROUP_ROWS];
};

/* The machine, while it is asked. */
struct asked {
	const struct event_env *env;
	const char *pmu; /* of "/NAME/" */
	char model[MODEL_BYTES];
};

/* As much of the model as there is room for; "" if the machine does not tell. */
static void read_model(struct asked *a)
{
	char *path = mem_printf("%s/devices/system/cpu/modalias",
				a->env->sysfs ? a->env->sysfs : "/sys");
	char text[65536];

	if (sysfile_read(path, text, sizeof(text)) > 0)
		memccpy(a->model, text, '\0', sizeof(a->model) - 1);
	free(path);
}

static bool has_text(const struct asked *a, const char *sub, const char *name, const char *glob)
{
	char text[PMU_TEXT_MAX];

	return pmu_read(a->env, a->pmu, sub, name, text) > 0 && !fnmatch(glob, text, 0);
}

/* An event with terms, such as "event=0x3c", is known from the model. */
static bool has_event(const struct asked *a, const char *pmu, const char *event)
{
	char text[PMU_TEXT_MAX];

	return strchr(event, '=') || pmu_read(a->env, pmu, "events/", event, text) > 0;
}

/* Appends EVENT of the PMUs that GLOB matches, as a sum.  Returns false if there are none, or too many. */
static bool add_sum(struct buf *out, const struct asked *a, const char *glob, const char *event)
{
	char **names;
	int count = pmu_names(a->env, glob, &names), found = 0;

	buf_add_char(out, '(');
	for (int i = 0; i < count; i++) {
		if (has_event(a, names[i], event) && found++ < SUM_LIMIT)
			buf_printf(out, "%s\"%s/%s/\"", found > 1 ? " + " : "", names[i], event);
	}
	buf_add_char(out, ')');
	sysfile_names_free(names, count < 0 ? 0 : count);
	return found > 0 && found <= SUM_LIMIT;
}

/* Appends what TEXT, "PMU/EVENT/" without its quotes, is on this machine.  Returns false if it has none. */
static bool add_event(struct buf *out, const struct asked *a, char *text)
{
	char *slash = strchr(text, '/'), *event = slash + 1;

	*slash = '\0';
	event[strlen(event) - 1] = '\0';
	if (*text)
		return add_sum(out, a, text, event);
	buf_printf(out, "\"%s/%s/\"", a->pmu, event);
	return has_event(a, a->pmu, event);
}

static bool add_slots(struct buf *out, const struct asked *a)
{
	char text[PMU_TEXT_MAX];
	unsigned long slots = 0;

	if (pmu_read(a->env, a->pmu, "caps/", "slots", text) > 0)
		slots = strtoul(text, NULL, 0);
	buf_printf(out, "%lu", slots);
	return slots > 0;
}

/* Appends FORMULA as it is on this machine.  Returns false if that cannot be counted. */
static bool formula_expand(struct buf *out, const struct asked *a, const char *formula)
{
	static const char slots[] = "#slots";
	bool whole = true;

	while (*formula && whole) {
		size_t plain = strcspn(formula, "\"#"), size;
		char *event;

		buf_add(out, formula, plain);
		formula += plain;
		if (*formula == '#') {
			whole = add_slots(out, a);
			formula += sizeof(slots) - 1;
		} else if (*formula) {
			size = strcspn(formula + 1, "\"");
			event = mem_strndup(formula + 1, size);
			whole = add_event(out, a, event);
			free(event);
			formula += size + 2;
		}
	}
	return whole;
}

_Static_assert(sizeof(intel_slots_l2) / sizeof(*intel_slots_l2) <= GROUP_ROWS,
	       "room for each group");

static void rows_free(struct metric *rows, size_t count)
{
	for (size_t i = 0; i < count; i++)
		free((char *)rows[i].formula);
}

/* The metrics of V that A can count, into ROWS; 0 if it is another machine's. */
static size_t rows_fill(struct metric *rows, const struct asked *a, const struct variant *v)
{
	size_t count = 0;

	for (size_t i = 0; i < v->count; i++) {
		struct buf formula = { 0 };

		if (formula_expand(&formula, a, v->items[i].formula)) {
			rows[count] = v->items[i];
			rows[count++].formula = formula.bytes;
			continue;
		}
		buf_fini(&formula);
		if (!v->some) {
			rows_free(rows, count);
			return 0;
		}
	}
	return count;
}

/* The number of metrics of V on the PMU of A, into ROWS. */
static size_t rows_of_pmu(struct metric *rows, const struct asked *a, const struct variant *v)
{
	if (v->family && !has_text(a, "caps/", "pmu_name", v->family))
		return 0;
	return rows_fill(rows, a, v);
}

/*
 * The metrics of V that resctrl tells where it is mounted:
 *
 *	llc_occupancy
 *	mbm_total_bytes
 */
static size_t rows_of_resctrl(struct metric *rows, const struct asked *a, const struct variant *v)
{
	char *path = mem_printf("%s/fs/resctrl/info/L3_MON/mon_features",
				a->env->sysfs ? a->env->sysfs : "/sys");
	char text[PMU_TEXT_MAX] = "";
	size_t count = 0;

	sysfile_read(path, text, sizeof(text));
	free(path);
	for (size_t i = 0; i < v->count; i++) {
		struct scanner lines = scanner_of(text, strlen(text)), line;

		while (scanner_line(&lines, &line)) {
			if (!scanner_is(&line, v->items[i].formula))
				continue;
			rows[count] = v->items[i];
			rows[count++].formula = mem_strdup(v->items[i].formula);
			break;
		}
	}
	return count;
}

/* The group of V is that of the first PMU that matches, if that one has what it needs. */
static void variant_try(struct metrics *m, struct asked *a, const struct variant *v)
{
	struct metric_group *group = &m->groups[v->group];
	char **names;
	int found;

	if (group->count || (v->model && fnmatch(v->model, a->model, 0)))
		return;
	if (!v->pmu) {
		group->items = m->rows[v->group];
		group->count = rows_of_resctrl(m->rows[v->group], a, v);
		return;
	}
	found = pmu_names(a->env, v->pmu, &names);
	if (found > 0) {
		a->pmu = names[0];
		group->items = m->rows[v->group];
		group->count = rows_of_pmu(m->rows[v->group], a, v);
	}
	sysfile_names_free(names, found < 0 ? 0 : found);
}

struct metrics *metrics_new(const struct event_env *env)
{
	static const struct event_env machine = { 0 };
	struct metrics *m = mem_alloc(sizeof(*m));
	struct asked a = { .env = env ? env : &machine };

	memcpy(m->groups, groups, sizeof(groups));
	read_model(&a);
	for (size_t i = 0; i < sizeof(variants) / sizeof(*variants); i++)
		variant_try(m, &a, &variants[i]);
	return m;
}

void metrics_free(struct metrics *m)
{
	for (size_t i = 0; m && i < GROUPS; i++)
		rows_free(m->rows[i], m->groups[i].count);
	free(m);
}

const struct metric_group *metrics_group(const struct metrics *m, size_t i)
{
	if (i >= GROUPS)
		return NULL;
	return m ? &m->groups[i] : &groups[i];
}
