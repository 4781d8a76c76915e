/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/i18n.h"
#include "view/list/findings.h"
#include "view/widget/number.h"

#define NS_PER_S 1e9

struct finding_facts {
	double *unnamed_percent; /* by object: samples without a name, of all samples of the event */
	double unsampled;        /* living processes of which no sample could be taken */
	double ended;            /* processes that ended in the interval */
	const char *ended_most;  /* what most of them were called; NULL none; borrowed */
	double ended_most_count;
	const struct snapshot_process *busiest; /* by CPU time; NULL: not known */
	double busy_sum;                        /* of all CPUs: percent of the time, summed up */
	size_t busy_count;                      /* of so many CPUs */
};

/* ---- Sums. */

/* The event whose samples are the shares: the first one that is sampled; -1 none. */
static int first_event(const struct snapshot *s)
{
	for (size_t i = 0; i < s->event_count; i++) {
		if (s->events[i].sampled && s->events[i].enabled && !s->events[i].time)
			return (int)i;
	}
	return -1;
}

static void sum_objects(struct finding_facts *f, const struct snapshot *s)
{
	int event = first_event(s);
	double all = 0;

	f->unnamed_percent = mem_array(s->object_count, sizeof(*f->unnamed_percent));
	for (size_t i = 0; s->object_count && i < s->cell_count; i++) {
		const struct snapshot_cell *c = &s->cells[i];
		const struct snapshot_object *o;

		if (c->event != event)
			continue;
		all += c->samples;
		if (!(frame_flags(s->frames, c->frame) & (FRAME_UNKNOWN | FRAME_UNNAMED)))
			continue;
		o = snapshot_object_find(s, frame_object(s->frames, c->frame));
		if (o)
			f->unnamed_percent[o - s->objects] += c->samples;
	}
	for (size_t i = 0; i < s->object_count; i++)
		f->unnamed_percent[i] = 100 * number_divide(f->unnamed_percent[i], all);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Finds the most frequent of COUNT names, which it sorts. */
static void find_most(struct finding_facts *f, const char **names, size_t count)
{
	size_t same = 0;

	if (count)
		qsort(names, count, sizeof(*names), by_name);
	for (size_t i = 0; i < count; i++) {
		same = i && !strcmp(names[i], names[i - 1]) ? same + 1 : 1;
		if ((double)same <= f->ended_most_count)
			continue;
		f->ended_most = names[i];
		f->ended_most_count = (double)same;
	}
}

static void sum_processes(struct finding_facts *f, const struct snapshot *s)
{
	const char **ended = mem_array(s->process_count, sizeof(*ended));
	size_t count = 0;

	for (size_t i = 0; i < s->process_count; i++) {
		const struct snapshot_process *p = &s->processes[i];

		if (p->tid)
			continue;
		if (p->exited)
			ended[count++] = p->comm;
		else if (!p->sampled)
			f->unsampled++;
		if (p->cpu_percent > 0 && (!f->busiest || p->cpu_percent > f->busiest->cpu_percent))
			f->busiest = p;
	}
	f->ended = (double)count;
	find_most(f, ended, count);
	free(ended);
}

/* Percent of the time that CPU ran something; NAN: offline, or unknown. */
static double busy_percent(const struct snapshot_cpu *cpu)
{
	return 100 - cpu->facts.idle_percent - cpu->facts.iowait_percent;
}

static void sum_cpus(struct finding_facts *f, const struct snapshot *s)
{
	for (size_t i = 0; i < s->cpu_count; i++) {
		double busy = busy_percent(&s->cpus[i]);

		if (isnan(busy))
			continue;
		f->busy_sum += busy;
		f->busy_count++;
	}
}

struct finding_facts *finding_facts_new(const struct snapshot *s)
{
	struct finding_facts *f = mem_alloc(sizeof(*f));

	sum_objects(f, s);
	sum_processes(f, s);
	sum_cpus(f, s);
	return f;
}

void finding_facts_free(struct finding_facts *f)
{
	mem_free(f->unnamed_percent, f);
}

/* ---- The machine. */

static const struct snapshot_host *host_of(const struct finding_place *at)
{
	return &at->snapshot->host;
}

static double memory_pressure(const struct finding_place *at)
{
	return host_of(at)->pressure.memory_some_percent;
}

static void memory_evidence(const struct finding_place *at, struct buf *out)
{
	const struct snapshot_host *h = host_of(at);

	if (h->pressure.memory_full_percent >= 0)
		buf_printf(out, _("all tasks wait for %.1f %% of the time"),
			   h->pressure.memory_full_percent);
	if (h->memory_total_bytes > 0 && h->memory_used_bytes >= 0)
		buf_printf(out, _("%s%.0f %% of the memory is used"), out->size ? ", " : "",
			   100 * (double)h->memory_used_bytes / (double)h->memory_total_bytes);
}

static double io_pressure(const struct finding_place *at)
{
	return host_of(at)->pressure.io_some_percent;
}

static void io_evidence(const struct finding_place *at, struct buf *out)
{
	if (host_of(at)->pressure.io_full_percent >= 0)
		buf_printf(out, _("all tasks wait for %.1f %% of the time"),
			   host_of(at)->pressure.io_full_percent);
}

static double steal(const struct finding_place *at)
{
	return host_of(at)->steal_percent;
}

static double cpu_pressure(const struct finding_place *at)
{
	return host_of(at)->pressure.cpu_some_percent;
}

static double memory_used(const struct finding_place *at)
{
	return 100 * number_divide(number_known(host_of(at)->memory_used_bytes),
				   number_known(host_of(at)->memory_total_bytes));
}

static double swap_used(const struct finding_place *at)
{
	return 100 * number_divide(number_known(host_of(at)->swap_used_bytes),
				   number_known(host_of(at)->swap_total_bytes));
}

static double ended_rate(const struct finding_place *at)
{
	return number_divide(at->facts->ended, at->snapshot->interval_s);
}

static void ended_evidence(const struct finding_place *at, struct buf *out)
{
	if (at->facts->ended_most)
		buf_printf(out, _("%.0f of %.0f were %s"), at->facts->ended_most_count,
			   at->facts->ended, at->facts->ended_most);
}

/* The tasks that could run, and the CPUs for them. */
static void runnable_evidence(const struct finding_place *at, struct buf *out)
{
	const struct snapshot_host *h = host_of(at);

	if (h->running >= 0 && h->cpus)
		buf_printf(out,
			   ngettext("%lld runnable threads on %u CPU",
				    "%lld runnable threads on %u CPUs", h->cpus),
			   (long long)h->running, h->cpus);
}

/* ---- Processes. */

static const struct snapshot_process *process_of(const struct finding_place *at)
{
	return &at->snapshot->processes[at->index];
}

static double cpu_use(const struct finding_place *at)
{
	return process_of(at)->cpu_percent;
}

/* Waits for a CPU, in percent of one CPU's time, as %CPU is; of all its threads. */
static double delay_percent(const struct finding_place *at)
{
	return 100 * number_divide(number_known(process_of(at)->delay_ns) / NS_PER_S,
				   at->snapshot->interval_s);
}

static double cpu_wanted(const struct finding_place *at)
{
	return delay_percent(at) + cpu_use(at);
}

static double cpu_wait(const struct finding_place *at)
{
	return 100 * number_divide(delay_percent(at), cpu_wanted(at));
}

static double major_rate(const struct finding_place *at)
{
	return number_divide(number_known(process_of(at)->major_faults), at->snapshot->interval_s);
}

/* By the kernel's counts, where page-faults are not counted. */
static double fault_rate(const struct finding_place *at)
{
	const struct snapshot_process *p = process_of(at);
	double faults = snapshot_counter(at->snapshot, p, EVENT_PAGE_FAULTS);

	if (isnan(faults))
		faults = number_known(p->minor_faults) + number_known(p->major_faults);
	return number_divide(faults, at->snapshot->interval_s);
}

static double switches(const struct finding_place *at)
{
	const struct snapshot_process *p = process_of(at);
	double count = snapshot_counter(at->snapshot, p, EVENT_CONTEXT_SWITCHES);

	if (isnan(count))
		count = number_known(p->voluntary_switches) + number_known(p->involuntary_switches);
	return count;
}

static double switch_rate(const struct finding_place *at)
{
	return number_divide(switches(at), at->snapshot->interval_s);
}

/* Without a switch it was in that state before the interval, and all of it.  NAN: it was not, or may not have been. */
static double uninterruptible(const struct finding_place *at)
{
	const struct snapshot_process *p = process_of(at);
	bool all = p->state == 'D' && switches(at) == 0 && !(p->cpu_percent > 0);

	return all ? at->snapshot->interval_s : NAN;
}

static void wchan_evidence(const struct finding_place *at, struct buf *out)
{
	const char *wchan = process_of(at)->wchan;

	if (wchan && *wchan && strcmp(wchan, "0"))
		buf_printf(out, _("in the kernel's %s"), wchan);
}

static double ratio(const struct finding_place *at, enum event_id above, enum event_id below)
{
	return number_divide(snapshot_counter(at->snapshot, process_of(at), above),
			     snapshot_counter(at->snapshot, process_of(at), below));
}

static double miss_percent(const struct finding_place *at)
{
	return 100 * ratio(at, EVENT_CACHE_MISSES, EVENT_CACHE_REFERENCES);
}

static double ipc(const struct finding_place *at)
{
	return ratio(at, EVENT_INSTRUCTIONS, EVENT_CYCLES);
}

/* ---- CPUs. */

static const struct cpu_facts *cpu_of(const struct finding_place *at)
{
	return &at->snapshot->cpus[at->index].facts;
}

static double busy(const struct finding_place *at)
{
	return busy_percent(&at->snapshot->cpus[at->index]);
}

/* NAN: there are none. */
static double others_idle(const struct finding_place *at)
{
	const struct finding_facts *f = at->facts;

	return 100 - number_divide(f->busy_sum - busy(at), (double)f->busy_count - 1);
}

static void busiest_evidence(const struct finding_place *at, struct buf *out)
{
	const struct snapshot_process *p = at->facts->busiest;

	if (!p)
		return;
	buf_add_str(out, _("most CPU time: "));
	finding_add_process(out, p);
	buf_printf(out, ", %.0f %%", p->cpu_percent);
}

static double interrupts(const struct finding_place *at)
{
	return cpu_of(at)->irq_percent + cpu_of(at)->softirq_percent;
}

static void interrupts_evidence(const struct finding_place *at, struct buf *out)
{
	buf_printf(out, _("%.1f %% in softirqs"), cpu_of(at)->softirq_percent);
}

/* ---- Control groups. */

static const struct group_facts *group_of(const struct finding_place *at)
{
	return at->snapshot->groups[at->index].facts;
}

static double throttled(const struct finding_place *at)
{
	return group_of(at)->throttled_percent;
}

static double group_memory(const struct finding_place *at)
{
	return 100 * number_divide(number_known(group_of(at)->memory_bytes),
				   number_known(group_of(at)->memory_max_bytes));
}

static double group_tasks(const struct finding_place *at)
{
	return 100 * number_divide(number_known(group_of(at)->pids),
				   number_known(group_of(at)->pids_max));
}

static void path_evidence(const struct finding_place *at, struct buf *out)
{
	buf_add_str(out, at->snapshot->groups[at->index].path);
}

/* ---- Objects. */

static const struct snapshot_object *object_of(const struct finding_place *at)
{
	return &at->snapshot->objects[at->index];
}

/* NAN: nothing is missing that anybody knows of. */
static double unnamed(const struct finding_place *at)
{
	const struct snapshot_object *o = object_of(at);

	return o->missing && *o->missing && !o->loading ? at->facts->unnamed_percent[at->index]
							: NAN;
}

static void missing_evidence(const struct finding_place *at, struct buf *out)
{
	buf_add_str(out, object_of(at)->missing);
}

/*
 * Files of a container name the package: it goes into a command only if it is a package's name and nothing
 * else.  The text begins as symbol/dso.c writes it: "install gcc-12-dbgsym: stripped, and …".
 */
static void install_command(const struct finding_place *at, struct buf *out)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789+-.";
	const char *intro = _("install %s: %s"), *name = object_of(at)->missing;
	size_t before = strcspn(intro, "%"), size;

	if (strncmp(name, intro, before))
		return;
	name += before;
	size = strspn(name, letters);
	if (size && *name != '-' && name[size] == ':')
		buf_printf(out, "apt install %.*s", (int)size, name);
}

/* ---- What is measured. */

static const struct snapshot_sampling *sampling_of(const struct finding_place *at)
{
	return &at->snapshot->sampling;
}

/* NAN: all can be sampled, or it is a recording. */
static double unsampled(const struct finding_place *at)
{
	const char *reason = sampling_of(at)->tier_reason;

	return reason && *reason ? at->facts->unsampled : NAN;
}

static void tier_evidence(const struct finding_place *at, struct buf *out)
{
	buf_add_str(out, sampling_of(at)->tier_reason);
}

static double lost(const struct finding_place *at)
{
	return (double)sampling_of(at)->lost;
}

static double lost_percent(const struct finding_place *at)
{
	return 100 * number_divide(lost(at), lost(at) + (double)sampling_of(at)->samples);
}

/* How many times slower than asked; NAN: as asked, or by a period. */
static double slowed(const struct finding_place *at)
{
	const struct snapshot_sampling *m = sampling_of(at);

	return m->frequency_hz ? (double)m->asked_hz / (double)m->frequency_hz : NAN;
}

static void slowed_evidence(const struct finding_place *at, struct buf *out)
{
	const struct snapshot_sampling *m = sampling_of(at);

	buf_printf(out, _("%llu of %llu Hz; the budget is %g %% of all CPUs"),
		   (unsigned long long)m->frequency_hz, (unsigned long long)m->asked_hz,
		   m->budget_percent);
}

static double lost_sideband(const struct finding_place *at)
{
	return (double)sampling_of(at)->lost_sideband;
}

/* The cost, in budgets; NAN: not over the budget. */
static double over_budget(const struct finding_place *at)
{
	const struct snapshot_sampling *m = sampling_of(at);

	return m->over_budget ? number_divide(m->cost_percent, m->budget_percent) : NAN;
}

static void budget_evidence(const struct finding_place *at, struct buf *out)
{
	buf_printf(out, _("%.1f %% of all CPUs, of %g %%"), sampling_of(at)->cost_percent,
		   sampling_of(at)->budget_percent);
}

static double unresolved(const struct finding_place *at)
{
	return sampling_of(at)->unresolved_percent;
}

static double whole_stacks(const struct finding_place *at)
{
	return sampling_of(at)->stacks_complete_percent;
}

/* The most frequent end of stacks that are not complete, which is the first. */
static void stack_evidence(const struct finding_place *at, struct buf *out)
{
	const struct snapshot *s = at->snapshot;
	const struct snapshot_stack_end *most = NULL;

	for (size_t i = 1; i < s->stack_end_count; i++) {
		if (s->stack_ends[i].stacks && (!most || s->stack_ends[i].stacks > most->stacks))
			most = &s->stack_ends[i];
	}
	if (most)
		buf_printf(out, _("%llu: %s"), (unsigned long long)most->stacks, _(most->text));
}

static double impossible(const struct finding_place *at)
{
	double count = 0;

	for (size_t i = 0; i < at->snapshot->violation_count; i++)
		count += (double)at->snapshot->violations[i].count;
	return count;
}

static void impossible_evidence(const struct finding_place *at, struct buf *out)
{
	for (size_t i = 0; i < at->snapshot->violation_count; i++)
		buf_printf(out, "%s%s", i ? ", " : "", at->snapshot->violations[i].name);
}

/* NAN: it is off, or cannot be counted. */
static double coverage(const struct finding_place *at)
{
	const struct snapshot_event *e = &at->snapshot->events[at->index];

	return e->enabled && !e->error ? e->running_percent : NAN;
}

/* ---- The table. */

/* clang-format off */
const struct finding_rule finding_rules[] = {
	{ .name = "memory-pressure", .level = FINDING_BAD, .subject = FINDING_OF_MACHINE,
	  .tests = { { memory_pressure, 10, .unit = N_("percent of time"), .format = number_percent } },
	  .text = N_("some task waits for memory {1} of the time"),
	  .reason = N_("a task that waits for memory does nothing else, and its CPU use does not show it"),
	  .view = "memory", .command = "vmstat -w 1", .evidence = memory_evidence },
	{ .name = "group-tasks", .level = FINDING_BAD, .subject = FINDING_OF_GROUP,
	  .tests = { { group_tasks, 90, .unit = N_("percent of its limit"), .format = number_percent } },
	  .text = N_("{name} has {1} of the threads that it may have"),
	  .reason = N_("at the limit each fork fails"),
	  .view = "groups", .command = "ptop --view groups --columns tasks,tasks-max,path", .evidence = path_evidence },
	{ .name = "throttled", .level = FINDING_BAD, .subject = FINDING_OF_GROUP,
	  .tests = { { throttled, 10, .unit = N_("percent of the periods of its CPU quota"), .format = number_percent } },
	  .text = N_("{name} is stopped in {1} of the periods of its CPU quota"),
	  .reason = N_("its threads wait there although CPUs may be idle"),
	  .view = "groups", .command = "ptop --view groups --sort throt%", .evidence = path_evidence },
	{ .name = "steal", .level = FINDING_BAD, .subject = FINDING_OF_MACHINE,
	  .tests = { { steal, 5, .unit = N_("percent of time"), .format = number_percent } },
	  .text = N_("the host takes {1} of the time of the CPUs"),
	  .reason = N_("all times are longer by that, and nothing in this machine explains them"),
	  .view = "cpus", .command = "mpstat -P ALL 1" },
	{ .name = "cpu-wait", .level = FINDING_BAD, .subject = FINDING_OF_PROCESS,
	  .tests = { { cpu_wait, 20, .unit = N_("percent of its runnable time"), .format = number_percent },
		     { cpu_wanted, 25, .unit = N_("percent of one CPU that they ran or waited for"), .format = number_percent } },
	  .text = N_("{name} waits for a CPU {1} of its runnable time"),
	  .reason = N_("with a CPU of its own it would be done a fifth sooner"),
	  .view = "processes", .command = "perf sched record -- sleep 5; perf sched latency",
	  .evidence = runnable_evidence },
	{ .name = "uninterruptible", .level = FINDING_BAD, .subject = FINDING_OF_PROCESS,
	  .tests = { { uninterruptible, 0.5, .unit = N_("seconds"), .format = number_ratio } },
	  .text = N_("{name} is in state D for {1} s at least"),
	  .reason = N_("a device answers within milliseconds"),
	  .view = "processes", .command = "cat /proc/{pid}/stack", .evidence = wchan_evidence },
	{ .name = "major-faults", .level = FINDING_BAD, .subject = FINDING_OF_PROCESS,
	  .tests = { { major_rate, 50, .unit = N_("per second"), .format = number_count } },
	  .text = N_("{name} waits for storage in {1} page faults a second"),
	  .reason = N_("with a disk each of them takes milliseconds"),
	  .view = "memory", .command = "perf trace -F maj --no-syscalls -p {pid}" },
	{ .name = "own-processes", .level = FINDING_BAD, .subject = FINDING_OF_MACHINE,
	  .tests = { { unsampled, 1, .unit = N_("processes without samples"), .format = number_id } },
	  .text = N_("{1} processes have no samples"),
	  .reason = N_("ptop may not watch them"),
	  .view = "processes", .command = "ptop --doctor", .evidence = tier_evidence },
	{ .name = "lost-samples", .level = FINDING_BAD, .subject = FINDING_OF_MACHINE,
	  .tests = { { lost, 1, .unit = N_("lost samples"), .format = number_id },
		     { lost_percent, 0.1, .unit = N_("percent of samples"), .format = number_percent } },
	  .text = N_("{1} samples are lost, {2} of all"),
	  .reason = N_("columns show shares to a tenth of a percent"),
	  .view = "events", .command = "ptop --freq 99" },
	{ .name = "lost-records", .level = FINDING_BAD, .subject = FINDING_OF_MACHINE,
	  .tests = { { lost_sideband, 1, .unit = N_("lost records"), .format = number_id } },
	  .text = N_("{1} records of mappings, names and processes are lost"),
	  .reason = N_("names of what they told may be wrong"),
	  .view = "events", .command = "ptop --freq 99" },
	{ .name = "impossible", .level = FINDING_BAD, .subject = FINDING_OF_MACHINE,
	  .tests = { { impossible, 1, .unit = N_("impossible figures"), .format = number_id } },
	  .text = N_("{1} figures could not be true and are not shown"),
	  .reason = N_("that is a defect of ptop"),
	  .view = "processes", .command = "man ptop", .evidence = impossible_evidence },
	{ .name = "cpu-pressure", .level = FINDING_NOTICE, .subject = FINDING_OF_MACHINE,
	  .tests = { { cpu_pressure, 50, .unit = N_("percent of time"), .format = number_percent } },
	  .text = N_("some task waits for a CPU {1} of the time"),
	  .reason = N_("for half of the time there are more threads than CPUs"),
	  .view = "processes", .command = "perf sched record -- sleep 5; perf sched latency",
	  .evidence = runnable_evidence },
	{ .name = "io-pressure", .level = FINDING_NOTICE, .subject = FINDING_OF_MACHINE,
	  .tests = { { io_pressure, 20, .unit = N_("percent of time"), .format = number_percent } },
	  .text = N_("some task waits for I/O {1} of the time"),
	  .reason = N_("a program that reads now and then is usual; a fifth of the time is worth a look"),
	  .view = "off-cpu", .command = "iostat -xz 1", .evidence = io_evidence },
	{ .name = "memory-used", .level = FINDING_NOTICE, .subject = FINDING_OF_MACHINE,
	  .tests = { { memory_used, 95, .unit = N_("percent of the memory"), .format = number_percent } },
	  .text = N_("{1} of the memory is used"),
	  .reason = N_("little is left for files, which are then read again"),
	  .view = "memory", .command = "vmstat -w 1" },
	{ .name = "swap-used", .level = FINDING_NOTICE, .subject = FINDING_OF_MACHINE,
	  .tests = { { swap_used, 80, .unit = N_("percent of the swap"), .format = number_percent } },
	  .text = N_("{1} of the swap is used"),
	  .reason = N_("when it is full the kernel ends processes"),
	  .view = "memory", .command = "ptop --view memory --sort swap" },
	{ .name = "group-memory", .level = FINDING_NOTICE, .subject = FINDING_OF_GROUP,
	  .tests = { { group_memory, 95, .unit = N_("percent of its limit"), .format = number_percent } },
	  .text = N_("{name} has {1} of the memory that it may have"),
	  .reason = N_("at the limit it waits for memory, or the kernel ends one of its processes"),
	  .view = "groups", .command = "ptop --view groups --sort max%", .evidence = path_evidence },
	{ .name = "one-cpu", .level = FINDING_NOTICE, .subject = FINDING_OF_CPU,
	  .tests = { { busy, 95, .unit = N_("percent of time"), .format = number_percent },
		     { others_idle, 75, .unit = N_("percent of the time of the other CPUs that they idle"), .format = number_percent } },
	  .text = N_("{name} is busy {1} of the time, the others idle {2}"),
	  .reason = N_("one thread bounds the work, and more CPUs would not help"),
	  .view = "cpus", .command = "ptop --view threads -g", .evidence = busiest_evidence },
	{ .name = "interrupts", .level = FINDING_NOTICE, .subject = FINDING_OF_CPU,
	  .tests = { { interrupts, 20, .unit = N_("percent of time"), .format = number_percent } },
	  .text = N_("{name} handles interrupts {1} of the time"),
	  .reason = N_("threads on it lose that time, and it is in no process"),
	  .view = "cpus", .command = "mpstat -I SCPU 1", .evidence = interrupts_evidence },
	{ .name = "cache-misses", .level = FINDING_NOTICE, .subject = FINDING_OF_PROCESS,
	  .tests = { { miss_percent, 10, .unit = N_("percent of references"), .format = number_percent },
		     { ipc, 0.7, .below = true, .unit = N_("instructions per cycle"), .format = number_ratio },
		     { cpu_use, 25, .unit = N_("percent of one CPU"), .format = number_percent } },
	  .text = N_("{name} waits for memory: {1} of its cache references miss, {2} instructions per cycle"),
	  .reason = N_("few instructions per cycle alone may have other reasons"),
	  .view = "processes", .command = "perf stat -d -p {pid} -- sleep 5" },
	{ .name = "page-faults", .level = FINDING_NOTICE, .subject = FINDING_OF_PROCESS,
	  .tests = { { fault_rate, 20000, .unit = N_("per second"), .format = number_count } },
	  .text = N_("{name} has {1} page faults a second"),
	  .reason = N_("a page fault costs half a microsecond and more: a hundredth of a CPU"),
	  .view = "memory", .command = "perf record -e page-faults -g -p {pid} -- sleep 5" },
	{ .name = "switches", .level = FINDING_NOTICE, .subject = FINDING_OF_PROCESS,
	  .tests = { { switch_rate, 20000, .unit = N_("per second"), .format = number_count } },
	  .text = N_("{name} gives up its CPUs {1} times a second"),
	  .reason = N_("a switch costs a microsecond and more: some hundredths of a CPU"),
	  .view = "off-cpu", .command = "perf trace -s -p {pid} -- sleep 5" },
	{ .name = "short-processes", .level = FINDING_NOTICE, .subject = FINDING_OF_MACHINE,
	  .tests = { { ended_rate, 20, .unit = N_("per second"), .format = number_count } },
	  .text = N_("{1} processes a second end"),
	  .reason = N_("a start and an end cost milliseconds, which are in no row for long"),
	  .view = "processes", .command = "perf trace -a -e execve", .evidence = ended_evidence },
	{ .name = "no-names", .level = FINDING_NOTICE, .subject = FINDING_OF_OBJECT,
	  .tests = { { unnamed, 1, .unit = N_("percent of samples"), .format = number_percent } },
	  .text = N_("{name} has no names for {1} of all samples"),
	  .reason = N_("a function with a hundredth of the samples is worth its name"),
	  .view = "objects", .command = "ptop --doctor", .evidence = missing_evidence,
	  .better = install_command },
	{ .name = "unresolved", .level = FINDING_NOTICE, .subject = FINDING_OF_MACHINE,
	  .tests = { { unresolved, 10, .unit = N_("percent of samples"), .format = number_percent } },
	  .text = N_("{1} of the samples are in no known function"),
	  .reason = N_("shares of functions are too small by that"),
	  .view = "objects", .command = "ptop --doctor" },
	{ .name = "cut-stacks", .level = FINDING_NOTICE, .subject = FINDING_OF_MACHINE,
	  .tests = { { whole_stacks, 80, .below = true, .unit = N_("percent of stacks"), .format = number_percent } },
	  .text = N_("{1} of the stacks are whole"),
	  .reason = N_("callers of the others have too little"),
	  .view = "calltree", .command = "ptop --call-graph dwarf", .evidence = stack_evidence },
	{ .name = "coverage", .level = FINDING_NOTICE, .subject = FINDING_OF_EVENT,
	  .tests = { { coverage, 50, .below = true, .unit = N_("percent of time"), .format = number_percent } },
	  .text = N_("{name} has a counter {1} of the time"),
	  .reason = N_("what it counts is an estimate: the events share counters"),
	  .view = "events", .command = "ptop --list-events" },
	{ .name = "over-budget", .level = FINDING_NOTICE, .subject = FINDING_OF_MACHINE,
	  .tests = { { over_budget, 1, .unit = N_("times the budget"), .format = number_ratio } },
	  .text = N_("measuring costs {1} times the budget"),
	  .reason = N_("nothing is left that could be reduced"),
	  .view = "events", .command = "ptop --freq 99", .evidence = budget_evidence },
	{ .name = "slowed", .level = FINDING_NOTICE, .subject = FINDING_OF_MACHINE,
	  .tests = { { slowed, 2, .unit = N_("times fewer samples"), .format = number_ratio } },
	  .text = N_("samples come {1} times more rarely than was asked, to keep the budget"),
	  .reason = N_("the budget halves the frequency at least"),
	  .view = "events", .command = "ptop --max-overhead 0", .evidence = slowed_evidence },
	{ .name = NULL }
};
/* clang-format on */
