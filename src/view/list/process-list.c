/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "base/i18n.h"
#include "profile/snapshot.h"
#include "view/list/columns.h"
#include "view/list/list.h"
#include "view/widget/number.h"
#include "view/widget/text.h"
#include "view/widget/tree.h"

static double pid_number(const struct column_row *r)
{
	return r->process->tid ? r->process->tid : r->process->pid;
}

static double ppid_number(const struct column_row *r)
{
	return r->process->ppid;
}

static const char *user_text(const struct column_row *r)
{
	return *r->process->user ? r->process->user : NULL;
}

static const char *state_text(const struct column_row *r)
{
	static const char letters[] = "R\0S\0D\0Z\0T\0t\0I\0X\0K\0W\0P";

	for (size_t i = 0; i < sizeof(letters); i += 2) {
		if (letters[i] == r->process->state)
			return letters + i;
	}
	return NULL;
}

/* Highlights running processes, and those that wait for a device. */
static void state_draw(struct grid *g, const struct column_place *at, const struct column_row *r)
{
	const char *text = state_text(r);
	enum grid_style style = at->style;

	if (!style && !text)
		style = STYLE_DIM;
	else if (!style && *text == 'R')
		style = STYLE_GOOD;
	else if (!style && *text == 'D')
		style = STYLE_WARN;
	grid_text(g, at->row, at->column, at->width, style, text ? text : "-");
}

static double memory_number(const struct column_row *r)
{
	return 100 * number_divide(number_known(r->process->resident_bytes),
				   number_known(r->snapshot->host.memory_total_bytes));
}

/* Cycles while the task had a CPU: the speed of the clock, whatever part of the time it ran. */
static double ghz_number(const struct column_row *r)
{
	return number_divide(columns_counter(r, EVENT_CYCLES),
			     columns_counter(r, EVENT_TASK_CLOCK));
}

/* Per cent of the interval, of all its threads together. */
static double queue_number(const struct column_row *r)
{
	return 100 *
	       number_divide(number_known(r->process->delay_ns) / 1e9, r->snapshot->interval_s);
}

/* Per cent of the time in which its threads neither slept nor were stopped. */
static double active_number(const struct column_row *r)
{
	const double *percent = r->process->states_percent;

	return 100 - percent[MICROSTATE_SLEEP] - percent[MICROSTATE_STOP];
}

/* A letter for each piece of the time, '?' for what is not known. */
static void states_draw(struct grid *g, const struct column_place *at, const struct column_row *r)
{
	static const struct {
		char letter;
		enum grid_style style;
	} looks[MICROSTATES] = {
		[MICROSTATE_USER] = { 'u', STYLE_BAR_USER },
		[MICROSTATE_SYSTEM] = { 's', STYLE_BAR_SYSTEM },
		[MICROSTATE_QUEUE] = { 'q', STYLE_WARN },
		[MICROSTATE_DISK] = { 'd', STYLE_KERNEL },
		[MICROSTATE_SLEEP] = { '.', STYLE_DIM },
		[MICROSTATE_STOP] = { 't', STYLE_HOT },
	};
	const double *percent = r->process->states_percent;
	bool known = !isnan(percent[MICROSTATE_QUEUE]); /* else nothing is */
	double sum = 0;
	int used = 0;

	for (int i = 0; i < MICROSTATES; i++) {
		sum += isnan(percent[i]) ? 0 : percent[i];
		for (; used < lround(sum * at->width / 100) && used < at->width; used++)
			grid_printf(g, at->row, at->column + used, 1,
				    at->style ? at->style : looks[i].style, "%c", looks[i].letter);
	}
	for (; known && used < at->width; used++)
		grid_text(g, at->row, at->column + used, 1, at->style, "?");
	if (!known)
		grid_text(g, at->row, at->column, at->width, at->style ? at->style : STYLE_DIM,
			  "-");
}

static double past_number(const struct column_row *r)
{
	return cpu_past_mean(r->cpu_past);
}

/* The newest is at the right.  A line is as high as one CPU, or as the highest figure in it. */
static void past_draw(struct grid *g, const struct column_place *at, const struct column_row *r)
{
	int points = grid_points(g), most_columns = CPU_PAST / points;
	int width = at->width < most_columns ? at->width : most_columns;
	double most = 100, parts[CPU_PAST];

	if (isnan(past_number(r))) {
		grid_text(g, at->row, at->column, at->width, at->style ? at->style : STYLE_DIM,
			  "-");
		return;
	}
	for (int i = CPU_PAST - width * points; i < CPU_PAST; i++)
		most = fmax(most, (double)r->cpu_past[i]);
	for (int i = 0; i < CPU_PAST; i++)
		parts[i] = (double)r->cpu_past[i] / most;
	for (int i = 0; i < width; i++)
		grid_graph(g, at->row, at->column + at->width - width + i,
			   at->style ? at->style : STYLE_BAR_USER,
			   parts + CPU_PAST - (width - i) * points);
}

/* The whole has unattributed time as well. */
static double wall_number(const struct column_row *r)
{
	int event = r->snapshot->counter_event[EVENT_LATENCY];

	if (event < 0)
		return NAN;
	return 100 *
	       number_divide(columns_counter(r, EVENT_LATENCY), r->snapshot->events[event].value);
}

static double samples_number(const struct column_row *r)
{
	return r->samples_percent;
}

static double switches_number(const struct column_row *r)
{
	return number_known(r->process->voluntary_switches) +
	       number_known(r->process->involuntary_switches);
}

static double nice_number(const struct column_row *r)
{
	return r->process->threads < 0 ? NAN : (double)r->process->nice;
}

static double priority_number(const struct column_row *r)
{
	return r->process->threads < 0 ? NAN : (double)r->process->priority;
}

static double start_number(const struct column_row *r)
{
	const struct snapshot_host *h = &r->snapshot->host;
	double age_s;

	if (!r->process->start_ticks || !(h->ticks_per_s > 0))
		return NAN;
	age_s = h->uptime_s - (double)r->process->start_ticks / h->ticks_per_s;
	return (double)r->snapshot->time_ns / 1e9 - age_s;
}

static const char *cgroup_text(const struct column_row *r)
{
	return r->process->container ? r->process->container : r->process->cgroup;
}

/* A thread other than the first has the process's command line, but a name of its own. */
static const char *command_text(const struct column_row *r)
{
	const struct snapshot_process *p = r->process;
	bool named = p->tid && p->tid != p->pid;

	if (r->full_command && *p->command && !named)
		return p->command;
	return *p->comm ? p->comm : NULL;
}

/* The length of the directory before the name of the program; 0: none. */
static size_t directory_size(const char *command)
{
	size_t program = strcspn(command, " "), size = 0;

	if (*command != '/')
		return 0;
	for (size_t i = 0; i < program; i++) {
		if (command[i] == '/')
			size = i + 1;
	}
	return command[size] && command[size] != ' ' ? size : 0;
}

/* Kernel threads are [in brackets] and dim; a directory that leaves no room is left out. */
static void name_draw(struct grid *g, const struct column_place *at, const struct column_row *r)
{
	const char *text = command_text(r);

	if (!text) {
		grid_text(g, at->row, at->column, at->width, STYLE_DIM, "-");
		return;
	}
	if (r->process->kernel) {
		grid_printf(g, at->row, at->column, at->width, at->style ? at->style : STYLE_DIM,
			    "[%s]", r->process->comm);
		return;
	}
	if (text_width(text) > at->width)
		text += directory_size(text);
	grid_text_cut(g, at->row, at->column, at->width, at->style, text);
}

static void command_draw(struct grid *g, const struct column_place *at, const struct column_row *r)
{
	struct column_place name = *at;
	int used = r->place ? tree_draw(g, at, r->place) : 0;

	name.column += used;
	name.width -= used;
	name_draw(g, &name, r);
}

/* clang-format off */
#define COLUMN_STATE(WHICH)                                                                     \
	.unit = N_("percent of its threads' time"), .extras = EXTRA_STATES, .width = 6,         \
	.priority = 4, .align = ALIGN_RIGHT, .type = COLUMN_NUMBER, .descending = true,         \
	.resolution = 0.1, COLUMN_FIELD(process, states_percent[MICROSTATE_##WHICH]),           \
	COLUMN_OF_SHARES

static const struct column process_columns[] = {
	{ .name = "pid", .title = "PID", .thread_title = "TID", .unit = N_("number"),
	  .help = N_("process; with threads as rows: thread"),
	  .width = 7, .priority = 1, .align = ALIGN_RIGHT, .type = COLUMN_NUMBER, .shown = true,
	  .number = pid_number, .format = number_id },
	{ .name = "user", .title = "USER", .unit = N_("name"), .help = N_("effective user"),
	  .width = 8, .grow = 4, .priority = 7, .type = COLUMN_TEXT, .shown = true,
	  .text = user_text },
	{ .name = "s", .title = "S", .unit = N_("letter"),
	  .help = N_("state: R running, S sleeping, D waiting for a device, Z zombie, T stopped, "
		     "I idle"),
	  .width = 1, .priority = 8, .type = COLUMN_TEXT, .shown = true, .text = state_text,
	  .draw = state_draw },
	{ .name = "%cpu", .title = "%CPU", .unit = N_("percent of one CPU"),
	  .help = N_("CPU time / time, over the refresh interval"),
	  .width = 5, .priority = 2, .align = ALIGN_RIGHT, .type = COLUMN_NUMBER, .shown = true,
	  .descending = true, .resolution = 0.1, .hot = 50, COLUMN_FIELD(process, cpu_percent),
	  COLUMN_OF_SHARES },
	{ .name = "cpu~", .title = "CPU~", .unit = N_("percent of one CPU"),
	  .help = N_("%CPU of the last intervals, the newest at the right, as a line: as high as one CPU, or as the "
		     "highest of them; sorts by their mean"),
	  .extras = EXTRA_CPU_PAST,
	  .width = 10, .grow = 10, .priority = 4, .type = COLUMN_NUMBER, .descending = true,
	  .resolution = 0.1, .number = past_number, .format = number_percent, .draw = past_draw },
	{ .name = "%mem", .title = "%MEM", .unit = N_("percent of memory"),
	  .help = N_("RES / physical memory"),
	  .width = 5, .priority = 10, .align = ALIGN_RIGHT, .type = COLUMN_NUMBER, .shown = true,
	  .descending = true, .resolution = 0.1, .number = memory_number,
	  COLUMN_OF_SHARES },
	{ .name = "res", .title = "RES", .unit = N_("bytes"), .help = N_("resident memory"),
	  .width = 5, .priority = 9, .align = ALIGN_RIGHT, .type = COLUMN_NUMBER, .shown = true,
	  .descending = true, COLUMN_FIELD(process, resident_bytes), .format = number_bytes },
	{ .name = "thr", .title = "THR", .unit = N_("number"), .help = N_("threads"),
	  .width = 4, .priority = 11, .align = ALIGN_RIGHT, .type = COLUMN_NUMBER, .shown = true,
	  .descending = true, COLUMN_FIELD(process, threads), .format = number_short },
	COLUMNS_OF_USE,
	{ .name = "samples%", .title = "SAMPLES%", .unit = N_("percent of samples"),
	  .help = N_("share of all samples that are shown of the event"),
	  .width = 8, .priority = 5, .align = ALIGN_RIGHT, .type = COLUMN_NUMBER, .shown = true,
	  .descending = true, .resolution = 0.1, .number = samples_number,
	  COLUMN_OF_SHARES },
	{ COLUMN_WALL, .number = wall_number, .priority = 4,
	  .help = N_("of the time that anything ran, each moment divided by how many threads ran: what "
		     "bounds the elapsed time") },
	{ COLUMN_DELTA, .unit = N_("percent points"),
	  .help = N_("its share, less the one that it has in the base: key =, --base"),
	  .priority = 1 },
	COLUMNS_OF_COUNTS,
	{ .name = "ghz", .title = "GHZ", .unit = N_("cycles per nanosecond"),
	  .help = N_("cycles / task-clock: the clock while it ran, not over the interval"),
	  .needs = COLUMN_BIT(CYCLES) | COLUMN_BIT(TASK_CLOCK),
	  .width = 4, .priority = 4, .align = ALIGN_RIGHT, .type = COLUMN_NUMBER,
	  .descending = true, .resolution = 0.01, .number = ghz_number, .format = number_ratio },
	COLUMNS_OF_RATES,
	{ .name = "minflt", .title = "MINFLT", .unit = N_("count"),
	  .help = N_("page faults without I/O in the refresh interval"),
	  .width = 6, .priority = 4, .align = ALIGN_RIGHT, .type = COLUMN_NUMBER,
	  .descending = true, COLUMN_FIELD(process, minor_faults), .format = number_count },
	{ .name = "majflt", .title = "MAJFLT", .unit = N_("count"),
	  .help = N_("page faults with I/O in the refresh interval"),
	  .width = 6, .priority = 4, .align = ALIGN_RIGHT, .type = COLUMN_NUMBER,
	  .descending = true, COLUMN_FIELD(process, major_faults), .format = number_count },
	{ .name = "csw", .title = "CSW", .unit = N_("count"),
	  .help = N_("context switches in the refresh interval"),
	  .extras = EXTRA_SWITCHES,
	  .width = 5, .priority = 4, .align = ALIGN_RIGHT, .type = COLUMN_NUMBER,
	  .descending = true, .number = switches_number, .format = number_count },
	{ .name = "read/s", .title = "READ/S", .unit = N_("bytes per second"),
	  .help = N_("what it read from storage / time, over the refresh interval"),
	  .extras = EXTRA_IO,
	  .width = 6, .priority = 4, .align = ALIGN_RIGHT, .type = COLUMN_NUMBER,
	  .descending = true, COLUMN_RATE(process, read_bytes), .format = number_bytes },
	{ .name = "write/s", .title = "WRITE/S", .unit = N_("bytes per second"),
	  .help = N_("what it wrote towards storage, in pages / time, over the refresh interval"),
	  .extras = EXTRA_IO,
	  .width = 7, .priority = 4, .align = ALIGN_RIGHT, .type = COLUMN_NUMBER,
	  .descending = true, COLUMN_RATE(process, written_bytes), .format = number_bytes },
	{ .name = "cancel/s", .title = "CANCEL/S", .unit = N_("bytes per second"),
	  .help = N_("what was dropped before it reached storage / time, over the refresh interval"),
	  .extras = EXTRA_IO,
	  .width = 8, .priority = 4, .align = ALIGN_RIGHT, .type = COLUMN_NUMBER,
	  .descending = true, COLUMN_RATE(process, cancelled_bytes), .format = number_bytes },
	{ .name = "io/s", .title = "IO/S", .unit = N_("per second"),
	  .help = N_("calls that read or write, also from and to the cache / time, over the "
		     "refresh interval"),
	  .extras = EXTRA_IO,
	  .width = 5, .priority = 4, .align = ALIGN_RIGHT, .type = COLUMN_NUMBER,
	  .descending = true, COLUMN_RATE(process, io_calls), .format = number_count },
	{ .name = "queue%", .title = "QUEUE%", .unit = N_("percent of the time"),
	  .help = N_("what its threads waited for a CPU, ready to run / time, over the refresh "
		     "interval; a wait counts when it ends"),
	  .extras = EXTRA_DELAYS,
	  .width = 6, .priority = 4, .align = ALIGN_RIGHT, .type = COLUMN_NUMBER,
	  .descending = true, .resolution = 0.1, .hot = 50, .number = queue_number,
	  COLUMN_OF_SHARES },
	{ .name = "usr%", .title = "USR%", COLUMN_STATE(USER),
	  /* xgettext:no-c-format */
	  .help = N_("on a CPU in user mode / time of all its threads, over the refresh interval; "
		     "USR% to STOP% add up to 100") },
	{ .name = "sys%", .title = "SYS%", COLUMN_STATE(SYSTEM),
	  .help = N_("on a CPU in the kernel, of its threads' time") },
	{ .name = "runq%", .title = "RUNQ%", COLUMN_STATE(QUEUE),
	  .help = N_("ready to run while something else had the CPU, of its threads' time") },
	{ .name = "disk%", .title = "DISK%", COLUMN_STATE(DISK),
	  .help = N_("waiting for I/O, state D, of its threads' time; - and part of SLEEP% where the "
		     "kernel does not count that: kernel.task_delayacct") },
	{ .name = "sleep%", .title = "SLEEP%", COLUMN_STATE(SLEEP),
	  .help = N_("waiting for anything else, of its threads' time") },
	{ .name = "stop%", .title = "STOP%", COLUMN_STATE(STOP),
	  .help = N_("stopped by a signal or a tracer, of its threads' time") },
	{ .name = "states", .title = "STATES", .unit = N_("percent of its threads' time"),
	  /* xgettext:no-c-format */
	  .help = N_("USR% to STOP% as a bar: u user, s system, q queue, d I/O, . sleep, t stopped, "
		     "? unknown; sorts by what is neither sleep nor stop"),
	  .extras = EXTRA_STATES,
	  .width = 10, .grow = 10, .priority = 4, .type = COLUMN_NUMBER, .descending = true,
	  .resolution = 0.1, .number = active_number, .format = number_percent,
	  .draw = states_draw },
	{ .name = "ppid", .title = "PPID", .unit = N_("number"), .help = N_("parent process"),
	  .width = 7, .priority = 4, .align = ALIGN_RIGHT, .type = COLUMN_NUMBER,
	  .number = ppid_number, .format = number_id },
	{ .name = "ni", .title = "NI", .unit = N_("number"), .help = N_("nice value, -20 to 19"),
	  .width = 3, .priority = 4, .align = ALIGN_RIGHT, .type = COLUMN_NUMBER,
	  .number = nice_number, .format = number_id },
	{ .name = "pr", .title = "PR", .unit = N_("number"),
	  .help = N_("the kernel's priority; below 0 real time"),
	  .width = 4, .priority = 4, .align = ALIGN_RIGHT, .type = COLUMN_NUMBER,
	  .number = priority_number, .format = number_id },
	{ .name = "virt", .title = "VIRT", .unit = N_("bytes"), .help = N_("address space"),
	  .width = 5, .priority = 4, .align = ALIGN_RIGHT, .type = COLUMN_NUMBER,
	  .descending = true, COLUMN_FIELD(process, virtual_bytes), .format = number_bytes },
	{ .name = "shr", .title = "SHR", .unit = N_("bytes"),
	  .help = N_("resident memory that files and shared mappings back"),
	  .extras = EXTRA_SHARED,
	  .width = 5, .priority = 4, .align = ALIGN_RIGHT, .type = COLUMN_NUMBER,
	  .descending = true, COLUMN_FIELD(process, shared_bytes), .format = number_bytes },
	{ .name = "pss", .title = "PSS", .unit = N_("bytes"),
	  .help = N_("resident memory, what is shared divided by those that share it"),
	  .extras = EXTRA_MEMORY,
	  .width = 5, .priority = 4, .align = ALIGN_RIGHT, .type = COLUMN_NUMBER,
	  .descending = true, COLUMN_FIELD(process, proportional_bytes), .format = number_bytes },
	{ .name = "swap", .title = "SWAP", .unit = N_("bytes"), .help = N_("what is swapped out"),
	  .extras = EXTRA_MEMORY,
	  .width = 5, .priority = 4, .align = ALIGN_RIGHT, .type = COLUMN_NUMBER,
	  .descending = true, COLUMN_FIELD(process, swap_bytes), .format = number_bytes },
	{ .name = "age", .title = "AGE", .unit = N_("seconds"),
	  .help = N_("since PSS and SWAP were read"), .extras = EXTRA_MEMORY,
	  .width = 4, .priority = 12, .align = ALIGN_RIGHT, .type = COLUMN_NUMBER,
	  COLUMN_FIELD(process, memory_age_s), .format = number_short },
	{ .name = "start", .title = "START", .unit = N_("date"),
	  .help = N_("when it began: month-day hour:minute"),
	  .width = 11, .priority = 4, .align = ALIGN_RIGHT, .type = COLUMN_NUMBER,
	  .descending = true, .number = start_number, .format = number_date },
	{ .name = "time+", .title = "TIME+", .unit = N_("minutes:seconds"),
	  .help = N_("CPU time since it began"),
	  .width = 9, .priority = 4, .align = ALIGN_RIGHT, .type = COLUMN_NUMBER,
	  .descending = true, .resolution = 0.01, COLUMN_FIELD(process, cpu_time_s),
	  .format = number_cpu_time },
	{ .name = "cgroup", .title = "CGROUP", .unit = N_("path or id"),
	  .help = N_("control group; of a container its short id"), .extras = EXTRA_CGROUP,
	  .width = 24, .grow = 16, .priority = 4, .type = COLUMN_TEXT, .text = cgroup_text },
	{ .name = "wchan", .title = "WCHAN", .unit = N_("name"),
	  .help = N_("kernel function in which it sleeps"), .extras = EXTRA_WCHAN,
	  .width = 16, .grow = 8, .priority = 4, .type = COLUMN_TEXT, COLUMN_TEXT_FIELD(process, wchan) },
	{ .name = "command", .title = "COMMAND", .unit = N_("text"),
	  .help = N_("command line; threads by name, kernel threads in brackets"),
	  .width = 0, .priority = 0, .type = COLUMN_TEXT, .shown = true, .text = command_text,
	  .draw = command_draw },
	{ .name = NULL }
};
/* clang-format on */

/* The lists. */

static size_t processes_build(struct lists *l, const struct list_kind *k)
{
	(void)k;
	lists_make_rows(l, l->scene.with_symbols);
	return l->rows.process_count;
}

static size_t processes_count(const struct lists *l, const struct list_kind *k)
{
	(void)k;
	return l->rows.process_count;
}

static void process_fill(const struct lists *l, const struct list_kind *k, size_t i,
			 struct column_row *row)
{
	const struct process_entry *e = &l->rows.processes[i];

	(void)k;
	row->process = e->process;
	row->ended = e->process->exited;
	row->samples = e->samples;
	row->base_samples = e->base_samples;
	row->shown = e->shown;
	row->samples_percent = e->samples_percent;
	row->delta_percent = e->delta_percent;
	row->cpu_past = rows_cpu_past(&l->scene.request, e);
	row->full_command = l->scene.request.full_command;
	row->place = l->scene.request.tree ? &e->place : NULL;
}

static uint64_t process_key(const struct lists *l, const struct list_kind *k, size_t i)
{
	(void)k;
	return rows_process_key(&l->rows.processes[i]);
}

static bool process_matches(const struct lists *l, const struct column_row *row, const char *text)
{
	return rows_process_matches(row->process, text, l->scene.request.full_command);
}

/* Without symbols below it, the list of processes names the whole. */
static const char *processes_note(const struct lists *l, const struct list_kind *k,
				  const char *note)
{
	const struct rows_request *q = &l->scene.request;

	(void)k;
	(void)note;
	if (q->event >= 0 && l->scene.alone && l->scene.whole)
		return l->scene.whole;
	return q->threads && !q->tree ? _("threads") : "";
}

static const char *processes_empty(const struct lists *l)
{
	if (l->scene.request.zoomed)
		return _("the process has ended; Esc goes back");
	return l->rows.process_total ? _("no process passes the filter; {filter} changes it")
				     : _("no process");
}

/* A recording has no CPU time, and the first refresh of a live machine has no difference of it. */
/* clang-format off */
static const struct column_table process_table = {
	.name = "processes", .prefix = "process.", .title = N_("Columns of processes"),
	.filter = N_("filter"), .columns = process_columns, .sort = "%cpu samples% time+",
	.extended = true, .metrics = METRICS_OF_TASKS, .tasks = true,
};

const struct list_kind list_processes = {
	.table = &process_table, .name = "processes", .build = processes_build,
	.count = processes_count, .fill = process_fill, .key = process_key,
	.matches = process_matches, .note = processes_note, .empty = processes_empty,
};
/* clang-format on */

/* The same rows in the order of the view; each list has its own selection. */
const struct list_kind list_threads = { .table = &process_table, .same = &list_processes };
const struct list_kind list_tree = { .table = &process_table, .same = &list_processes };
