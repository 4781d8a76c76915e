/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/i18n.h"
#include "view/list/findings.h"
#include "view/widget/number.h"
#include "view/widget/text.h"

#define NS_PER_S 1e9

struct finding_facts {
	double *unnamed_percent; /* by object: samples without a name, of all samples of the event */
	double unsampled;        /* living processes of which no sample could be taken */
	double ended;            /* processes that ended in the interval */
	const char *ended_most;  /* what most of them were called; NULL none; borrowed */
	double ended_most_count;
	const struct snapshot_process *busiest; /* by CPU time; NULL: not known */
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

struct finding_facts *finding_facts_new(const struct snapshot *s)
{
	struct finding_facts *f = mem_alloc(sizeof(*f));

	sum_objects(f, s);
	sum_processes(f, s);
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
		buf_printf(out, _("%lld runnable threads on %u CPUs"), (long long)h->running,
			   h->cpus);
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

/* ---- The table. */

/* clang-format off */
const struct finding_rule finding_rules[] = {
	{ .name = "memory-pressure", .level = FINDING_BAD, .subject = FINDING_OF_MACHINE,
	  .tests = { { memory_pressure, 10, .unit = N_("percent of time"), .format = number_percent } },
	  .text = N_("some task waits for memory {1} of the time"),
	  .reason = N_("a task that waits for memory does nothing else, and its CPU use does not show it"),
	  .view = "memory", .command = "vmstat -w 1", .evidence = memory_evidence },
	{ .name = "steal", .level = FINDING_BAD, .subject = FINDING_OF_MACHINE,
	  .tests = { { steal, 5, .unit = N_("percent of time"), .format = number_percent } },
	  .text = N_("the host takes {1} of the time of the CPUs"),
	  .reason = N_("all times are longer by that, and nothing in this machine explains them"),
	  .view = "cpus", .command = "mpstat -P ALL 1" },
	{ .name = "cpu-wait", .level = FINDING_BAD, .subject = FINDING_OF_PROCESS,
	  .tests = { { cpu_wait, 20, .unit = N_("percent of the time that its threads could run"), .format = number_percent },
		     { cpu_wanted, 25, .unit = N_("percent of one CPU that they ran or waited for"), .format = number_percent } },
	  .text = N_("{name} waits for a CPU {1} of the time that it could run"),
	  .reason = N_("with a CPU of its own it would be done a fifth sooner"),
	  .view = "processes", .command = "perf sched record -- sleep 5; perf sched latency",
	  .evidence = runnable_evidence },
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
	{ .name = "io-pressure", .level = FINDING_NOTICE, .subject = FINDING_OF_MACHINE,
	  .tests = { { io_pressure, 20, .unit = N_("percent of time"), .format = number_percent } },
	  .text = N_("some task waits for I/O {1} of the time"),
	  .reason = N_("a program that reads now and then is usual; a fifth of the time is worth a look"),
	  .view = "off-cpu", .command = "iostat -xz 1", .evidence = io_evidence },
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
	{ .name = "slowed", .level = FINDING_NOTICE, .subject = FINDING_OF_MACHINE,
	  .tests = { { slowed, 2, .unit = N_("times fewer samples"), .format = number_ratio } },
	  .text = N_("samples come {1} times more rarely than was asked, to keep the budget"),
	  .reason = N_("the budget halves the frequency at least"),
	  .view = "events", .command = "ptop --max-overhead 0", .evidence = slowed_evidence },
	{ .name = NULL }
};
/* clang-format on */
