/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/sample-snapshot.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "perf/event/event.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

struct sample_object {
	const char *path, *name;
	bool kernel;
};

static const struct sample_object objects[] = {
	{ "[kernel]", "[kernel]", true },
	{ "/tmp/load", "load", false },
	{ "/usr/lib/gcc/x86_64-linux-gnu/12/cc1plus", "cc1plus", false },
	{ "/usr/lib/x86_64-linux-gnu/libc.so.6", "libc.so.6", false },
	{ "/usr/lib/postgresql/15/bin/postgres", "postgres", false },
	{ "/opt/\033[2Jevil\n/lib\xff\xfe.so (deleted)", "lib\xff\xfe.so (deleted)", false },
	{ "/tmp/perf-5120.map", "perf-5120.map", false },
	{ "//anon", "//anon", false },
	{ "[vdso]", "[vdso]", false },
};

struct sample_symbol {
	uint8_t object;
	uint8_t flags;
	const char *raw;
};

static const struct sample_symbol symbols[] = {
	{ 1, 0, "hot_a" },
	{ 1, 0, "hot_b" },
	{ 1, 0, "main" },
	{ 2, 0, "ggc_internal_alloc" },
	{ 2, 0, "_ZN3foo3barEi" },
	{ 2, 0, "_ZNSt6vectorIiSaIiEE9push_backERKi" },
	{ 2, 0, "_ZL19cp_parser_expressionP9cp_parser" },
	{ 2, 0, "htab_find_with_hash" },
	{ 2, 0, "bitmap_set_bit" },
	{ 2, 0, "df_worklist_dataflow" },
	{ 2, 0, "pop_scope" },
	{ 2, 0, "cpp_get_token_with_location" },
	{ 3, 0, "malloc" },
	{ 3, 0, "_int_free" },
	{ 3, 0, "__memmove_avx_unaligned_erms" },
	{ 3, 0, "__strlen_avx2" },
	{ 3, 0, "qsort_r" },
	{ 3, 0, "__GI___libc_write" },
	{ 4, 0, "ExecInterpExpr" },
	{ 4, 0, "hash_search_with_hash_value" },
	{ 4, 0, "LWLockAcquire" },
	{ 4, 0, "XLogInsertRecord" },
	{ 5, 0, "\033]0;owned\a\033[2J" },
	{ 5, 0, "name\nwith\nlines" },
	{ 5, 0, "inv\xc3(alid \xff utf-8" },
	{ 5, 0, "\xe6\xbc\xa2\xe5\xad\x97\xe9\x96\xa2\xe6\x95\xb0" }, /* four wide characters */
	{ 6, 0, "LazyCompile:*tick /srv/app/timer.js:10" },
	{ 6, 0, "Interpreter" },
	{ 7, FRAME_UNKNOWN, NULL },
	{ 8, 0, "__vdso_clock_gettime" },
	{ 0, FRAME_KERNEL, "clear_page_erms" },
	{ 0, FRAME_KERNEL, "finish_task_switch.isra.0" },
	{ 0, FRAME_KERNEL, "copy_user_generic_string" },
	{ 0, FRAME_KERNEL, "__handle_mm_fault" },
	{ 0, FRAME_KERNEL, "entry_SYSCALL_64" },
	{ 0, FRAME_KERNEL, "nft_do_chain" },
	{ 0, FRAME_KERNEL, "page_fault" },
	{ 0, FRAME_KERNEL, "memcpy_erms" },
	{ 0, FRAME_KERNEL, "tcp_sendmsg_locked" },
	{ 0, FRAME_KERNEL | FRAME_UNKNOWN, NULL },
	{ 4, FRAME_UNKNOWN, NULL },
	{ 8, FRAME_PENDING, NULL },
	{ 1, 0, "_start" },
	{ 0, FRAME_KERNEL, "ret_from_fork_asm" },
	{ 2, 0, "_start" },
	{ 2, 0, "main" },
	{ 4, 0, "_start" },
	{ 4, 0, "main" },
};

/* clang-format off */
static const struct snapshot_process processes[] = {
	{ .pid = 4123, .serial = 11, .ppid = 900, .uid = 0, .user = "root", .comm = "load",
	  .command = "/tmp/load 2", .state = 'R', .cpu_percent = 99.7, .threads = 3, .priority = 20,
	  .nice = 0, .virtual_bytes = 12582912, .resident_bytes = 3355443, .shared_bytes = 1048576,
	  .minor_faults = 12, .major_faults = 0, .voluntary_switches = 4,
	  .involuntary_switches = 210, .start_ticks = 1000000, .cpu_time_s = 61.25,
	  .read_bytes = 8192, .written_bytes = 1536000, .cancelled_bytes = 4096, .io_calls = 3120,
	  .delay_ns = 125000000,
	  .cgroup = "/user.slice", .wchan = "0", .samples = 993 },
	{ .pid = 4180, .serial = 12, .ppid = 4100, .uid = 1001, .user = "build", .comm = "cc1plus",
	  .command = "cc1plus -quiet -O2 parser.cc", .state = 'R', .cpu_percent = 97.9,
	  .threads = 9, .priority = 20, .nice = 0, .virtual_bytes = 900000000,
	  .resident_bytes = 451936256, .shared_bytes = 20000000, .minor_faults = 8123,
	  .major_faults = 2, .voluntary_switches = 31, .involuntary_switches = 188,
	  .start_ticks = 1010000, .cpu_time_s = 3725.5, .samples = 957 },
	{ .pid = 812, .serial = 3, .ppid = 1, .uid = 105, .user = "postgres", .comm = "postgres",
	  .command = "postgres: writer", .state = 'S', .cpu_percent = 1.2, .threads = 1,
	  .priority = 20, .nice = 0, .virtual_bytes = 220000000, .resident_bytes = 100768153,
	  .shared_bytes = 90000000, .minor_faults = 3, .major_faults = 0,
	  .voluntary_switches = 50, .involuntary_switches = 1, .start_ticks = 3000,
	  .cpu_time_s = 12.5, .samples = 12 },
	{ .pid = 666, .serial = 4, .ppid = 1, .uid = 1000, .user = "mallory",
	  .comm = "\033[2Jevil", .command = "\033[2J\033]0;owned\a./evil\t--x\r\nPID USER fake row",
	  .state = 'S', .cpu_percent = 0.6, .threads = 1, .priority = 20, .nice = 0,
	  .virtual_bytes = 4096, .resident_bytes = 4096, .shared_bytes = 0, .minor_faults = 0,
	  .major_faults = 0, .voluntary_switches = 9, .involuntary_switches = 0,
	  .start_ticks = 4000, .cpu_time_s = 0.5, .samples = 9 },
	{ .pid = 667, .serial = 5, .ppid = 1, .uid = 1000, .user = "mallory",
	  .comm = "a) R (b\xff\xfe", .command = "a) R (b\xff\xfe \xc3( \xf0\x9f", .state = 'S',
	  .cpu_percent = 0, .threads = 1, .priority = 39, .nice = 19, .virtual_bytes = 1048576,
	  .resident_bytes = 524288, .shared_bytes = 0, .minor_faults = 0, .major_faults = 0,
	  .voluntary_switches = 0, .involuntary_switches = 0, .start_ticks = 4001,
	  .cpu_time_s = 0, .samples = 2 },
	{ .pid = 5120, .serial = 6, .ppid = 1, .uid = 33, .user = "www-data",
	  .comm = "\xe6\xbc\xa2\xe5\xad\x97\xe3\x81\xae\xe5\x90\x8d",
	  .command = "\xe6\xbc\xa2\xe5\xad\x97\xe3\x81\xae\xe5\x90\x8d --\xc3\xa9t\xc3\xa9 "
		     "/srv/app/a-very-long-command-line/that/does/not/fit/on/any/screen/of/"
		     "ordinary/width/and/goes/on/and/on/and/on/and/on/until/it/ends.js --port=8080",
	  .state = 'S', .cpu_percent = 2.5, .threads = 11, .priority = 20, .nice = 0,
	  .virtual_bytes = 21474836480, .resident_bytes = 1288490188, .shared_bytes = 40000000,
	  .minor_faults = 77, .major_faults = 0, .voluntary_switches = 480,
	  .involuntary_switches = 3, .start_ticks = 5000, .cpu_time_s = 360000.75,
	  .samples = 20 },
	{ .pid = 1, .serial = 1, .ppid = 0, .uid = 0, .user = "root", .comm = "systemd",
	  .command = "/sbin/init", .state = 'S', .cpu_percent = 0, .threads = 1, .priority = 20,
	  .nice = 0, .virtual_bytes = 170000000, .resident_bytes = 13000000,
	  .shared_bytes = 9000000, .minor_faults = 0, .major_faults = 0, .voluntary_switches = 0,
	  .involuntary_switches = 0, .start_ticks = 10, .cpu_time_s = 9.9 },
	{ .pid = 17, .serial = 2, .ppid = 2, .uid = 0, .user = "root", .comm = "ksoftirqd/1",
	  .command = "", .kernel = true, .state = 'S', .cpu_percent = 0.1, .threads = 1,
	  .priority = -2, .nice = -20, .virtual_bytes = 0, .resident_bytes = 0,
	  .shared_bytes = 0, .minor_faults = 0, .major_faults = 0, .voluntary_switches = 5,
	  .involuntary_switches = 0, .start_ticks = 20, .cpu_time_s = 1.0, .samples = 1 },
	{ .pid = 5000, .serial = 7, .ppid = 812, .uid = 105, .user = "postgres",
	  .comm = "postgres", .command = "", .state = 'Z', .cpu_percent = 0, .threads = 1,
	  .priority = 20, .nice = 0, .virtual_bytes = 0, .resident_bytes = 0, .shared_bytes = 0,
	  .minor_faults = 0, .major_faults = 0, .voluntary_switches = 0,
	  .involuntary_switches = 0, .start_ticks = 6000, .cpu_time_s = 0.2 },
	{ .pid = 6001, .serial = 13, .ppid = 4100, .uid = 1001, .user = "build", .comm = "sh",
	  .command = "sh -c true", .exited = true, .state = 'X', .cpu_percent = 0.4, .threads = 1,
	  .priority = 20, .nice = 0, .virtual_bytes = 2600000, .resident_bytes = 900000,
	  .shared_bytes = 800000, .minor_faults = 140, .major_faults = 0,
	  .voluntary_switches = 1, .involuntary_switches = 0, .start_ticks = 1020000,
	  .cpu_time_s = 0.004, .samples = 3 },
	{ .pid = 6001, .serial = 14, .ppid = 4100, .uid = 1001, .user = "build", .comm = "sh",
	  .command = "sh -c \"$(printf '%s' second)\"", .state = 'D', .cpu_percent = NAN,
	  .threads = 1, .priority = 20, .nice = 5, .virtual_bytes = 2600000,
	  .resident_bytes = 900000, .shared_bytes = 800000, .minor_faults = -1,
	  .major_faults = -1, .voluntary_switches = -1, .involuntary_switches = -1,
	  .start_ticks = 1020050, .cpu_time_s = 0.01, .samples = 2 },
	{ .pid = 4194303, .serial = 15, .ppid = 0, .uid = UINT32_MAX, .user = "", .comm = "hidden",
	  .command = "", .state = '-', .cpu_percent = NAN, .threads = -1, .priority = -1,
	  .nice = -1, .virtual_bytes = -1, .resident_bytes = -1, .shared_bytes = -1,
	  .minor_faults = -1, .major_faults = -1, .voluntary_switches = -1,
	  .involuntary_switches = -1, .cpu_time_s = NAN, .samples = 1 },
};
/* clang-format on */

/* Rows of threads: the place of their process in the table above, and their part of it. */
static const struct {
	size_t process;
	uint32_t tid;
	const char *comm;
	double share;
} thread_rows[] = {
	{ 0, 4123, "load", 0.5 },        { 0, 4124, "load:worker", 0.3 },
	{ 0, 4125, "\033[31mred", 0.2 }, { 1, 4180, "cc1plus", 0.75 },
	{ 1, 4181, "cc1plus", 0.25 },
};

struct sample_event {
	const char *name;
	bool sampled, hardware;
	double total;
};

static const struct sample_event events_hardware[] = {
	{ "cycles", true, true, 6400000000.0 },
	{ "cache-misses", true, true, 8200000.0 },
	{ "instructions", false, true, 11712000000.0 },
	{ "cache-references", false, true, 200000000.0 },
	{ "branches", false, true, 1900000000.0 },
	{ "branch-misses", false, true, 13000000.0 },
	{ "page-faults", false, false, 8356.0 },
	{ "context-switches", false, false, 812.0 },
	{ "cpu-migrations", false, false, 3.0 },
	{ "task-clock", false, false, 1994000000.0 },
};

static const struct sample_event events_software[] = {
	{ "cpu-clock", true, false, 1998000000.0 }, { "page-faults", true, false, 8356.0 },
	{ "instructions", false, true, 0 },         { "cache-references", false, true, 0 },
	{ "cache-misses", false, true, 0 },         { "branches", false, true, 0 },
	{ "branch-misses", false, true, 0 },        { "context-switches", false, false, 812.0 },
	{ "cpu-migrations", false, false, 3.0 },    { "task-clock", false, false, 1994000000.0 },
};

/* The samples of each process by place: event 0, and event 1 of a fifth of it. */
static const struct {
	uint8_t process, symbol;
	uint16_t samples;
} cells[] = {
	{ 0, 0, 861 }, { 0, 1, 100 }, { 0, 2, 2 },   { 0, 30, 20 }, { 0, 34, 5 },  { 0, 39, 5 },
	{ 1, 3, 158 }, { 1, 4, 120 }, { 1, 5, 95 },  { 1, 6, 90 },  { 1, 7, 77 },  { 1, 8, 60 },
	{ 1, 9, 55 },  { 1, 10, 45 }, { 1, 11, 40 }, { 1, 12, 62 }, { 1, 13, 41 }, { 1, 14, 30 },
	{ 1, 15, 12 }, { 1, 16, 5 },  { 1, 30, 42 }, { 1, 33, 15 }, { 1, 36, 8 },  { 1, 37, 2 },
	{ 2, 18, 4 },  { 2, 19, 3 },  { 2, 20, 2 },  { 2, 21, 1 },  { 2, 40, 1 },  { 2, 38, 1 },
	{ 3, 22, 4 },  { 3, 23, 2 },  { 3, 24, 2 },  { 3, 25, 1 },  { 4, 28, 1 },  { 4, 17, 1 },
	{ 5, 26, 9 },  { 5, 27, 6 },  { 5, 28, 2 },  { 5, 29, 1 },  { 5, 32, 1 },  { 5, 35, 1 },
	{ 7, 31, 1 },  { 9, 14, 1 },  { 9, 30, 2 },  { 10, 12, 1 }, { 10, 41, 1 }, { 11, 39, 1 },
};

/*
 * Callers, the outermost first, by number in `symbols`; 255 ends them.  Each process has a path, and
 * a second one that gets two fifths of the samples of what SPLIT says.
 */
#define END 255u
#define PATH 6
static const struct {
	uint8_t process;
	uint8_t split; /* the symbol that is reached on both; END: none */
	uint8_t path[PATH], second[PATH];
} paths[] = {
	{ 0, 0, { 42, 2, END }, { 42, 2, 1, END } },
	{ 1, 12, { 44, 45, 6, 6, 6, END }, { 44, 45, 11, END } }, /* a parser that recurses */
	{ 2, END, { 46, 47, 18, END }, { END } },
	{ 3, END, { 24, END }, { END } },
	{ 4, END, { END }, { END } },
	{ 5, END, { 28, 27, 26, 27, END }, { END } },
	{ 7, END, { 43, END }, { END } },
	{ 9, 30, { 42, 2, END }, { 42, END } },
	{ 10, END, { 28, END }, { END } }, /* nobody knows where it began */
	{ 11, END, { 43, END }, { END } },
};

static enum named_by named_by(const char *raw, unsigned flags)
{
	if (!raw)
		return NAMED_BY_NONE;
	if (flags & FRAME_INLINED)
		return NAMED_BY_DEBUG_INFO;
	return flags & FRAME_KERNEL ? NAMED_BY_KALLSYMS : NAMED_BY_SYMTAB;
}

static const uint32_t *sample_frames(const struct frame_table **table)
{
	static struct frame_table *frames;
	static uint32_t numbers[COUNT(symbols)];

	*table = frames;
	if (frames)
		return numbers;
	frames = frame_table_new(NULL, 0);
	*table = frames;
	for (size_t i = 0; i < COUNT(symbols); i++) {
		const struct sample_object *o = &objects[symbols[i].object];
		struct frame_key key = { .object = symbols[i].object + 1u,
					 .symbol = (uint32_t)i,
					 .raw = symbols[i].raw,
					 .object_path = o->path,
					 .object_name = o->name,
					 .flags = symbols[i].flags,
					 .named_by = named_by(symbols[i].raw, symbols[i].flags) };

		numbers[i] = frame_table_add(frames, &key);
	}
	return numbers;
}

static void fill_host(struct snapshot_host *h)
{
	*h = (struct snapshot_host){
		.name = "build7",
		.kernel = "6.18.4",
		.arch = "x86_64",
		.cpus = 2,
		.uptime_s = 274351.0,
		.load = { 2.01, 1.77, 1.03 },
		.tasks = 142,
		.running = 2,
		.cpu_percent = 98.7,
		.user_percent = 91,
		.system_percent = 7.7,
		.idle_percent = 1.2,
		.iowait_percent = 0.1,
		.steal_percent = 0,
		.pressure = { NAN, NAN, NAN, NAN, NAN },
		.memory_total_bytes = 25125558681,
		.memory_used_bytes = 4509715660,
		.swap_total_bytes = 1073741824,
		.swap_used_bytes = 0,
		.ticks_per_s = 100,
	};
}

static void fill_sampling(struct snapshot_sampling *s, bool hardware)
{
	*s = (struct snapshot_sampling){
		.tier = "cpu-group",
		.tier_reason = "",
		.notes = "",
		.frequency_hz = 999,
		.asked_hz = 999,
		.budget_percent = 2,
		.cost_percent = 0.4,
		.samples = 2000,
		.lost = 3,
		.throttled = 1,
		.total_samples = 12000,
		.total_lost = 3,
		.unresolved_percent = 0.5,
		.unnamed_percent = 1.5,
		.stacks_complete_percent = NAN,
		.python_percent = NAN,
		.python_bpf_percent = NAN,
		.own_cpu_percent = 0.3,
		.account = { .limit = 256u << 20,
			     .resident = 80u << 20,
			     .bytes = { [ACCOUNT_SYMBOLS] = 30u << 20 } },
		.hardware = hardware,
	};
}

void sample_event(struct snapshot_event *e, const char *text)
{
	const char *modifiers = text + strcspn(text, ":");
	const struct event_info *info = event_find(text, (size_t)(modifiers - text));

	e->name = text;
	e->id = info ? event_id_of(info->type, info->config) : EVENT_OTHER;
	e->canonical = info ? info->name : text;
	e->exclude_kernel = strchr(modifiers, 'u') && !strchr(modifiers, 'k');
	e->exclude_user = strchr(modifiers, 'k') && !strchr(modifiers, 'u');
}

static void fill_events(struct snapshot *s, const struct sample_event *from, bool hardware)
{
	for (size_t i = 0; i < s->event_count; i++) {
		bool counted = hardware || !from[i].hardware;

		s->events[i] = (struct snapshot_event){
			.sampled = from[i].sampled,
			.enabled = counted,
			.samples = from[i].sampled ? (i ? 400 : 2000) : 0,
			.frequency_hz = from[i].sampled ? 999 : 0,
			.value = counted ? from[i].total : NAN,
			.running_percent = counted ? 100 : NAN,
			.idle = NAN,
			.unattributed = NAN,
			.error = counted ? NULL : "this machine has no such hardware counter",
		};
		sample_event(&s->events[i], from[i].name);
	}
	snapshot_link_counters(s);
}

/* Of some; the kernel does not count I/O of others, and nothing is known of the rest. */
static void fill_states(struct snapshot_process *p)
{
	static const struct {
		uint32_t pid;
		double percent[MICROSTATES];
	} known[] = {
		{ 4123, { 31.2, 2.1, 4.1, 0, 62.6, 0 } },  { 4180, { 80.5, 8.3, 9, 2.2, 0, 0 } },
		{ 812, { 0.9, 0.3, 0.1, 40, 58.7, 0 } },   { 666, { 0, 0, 0, 0, 0, 100 } },
		{ 5120, { 0.2, 0.1, 0.1, NAN, 99.6, 0 } }, { 1, { 0, 0.5, 0.5, 0, NAN, NAN } },
	};

	for (int i = 0; i < MICROSTATES; i++)
		p->states_percent[i] = NAN;
	for (size_t i = 0; i < COUNT(known); i++) {
		if (known[i].pid == p->pid)
			memcpy(p->states_percent, known[i].percent, sizeof(p->states_percent));
	}
}

static void fill_values(struct snapshot *s, size_t row, double share)
{
	for (size_t i = 0; i < s->event_count; i++)
		snapshot_values(s, row)[i] = floor(s->events[i].value * share);
}

static void fill_process(struct snapshot *s, size_t row, const struct snapshot_process *from)
{
	const double *own = snapshot_values(s, row);

	s->processes[row] = *from;
	s->processes[row].counters = own;
	s->processes[row].sampled = true;
	s->processes[row].proportional_bytes = s->processes[row].swap_bytes = -1;
	s->processes[row].memory_age_s = NAN;
	fill_states(&s->processes[row]);
	fill_values(s, row, (double)from->samples / 2000);
}

static size_t fill_threads(struct snapshot *s, size_t row, size_t process)
{
	for (size_t i = 0; i < COUNT(thread_rows); i++) {
		struct snapshot_process p = processes[process];

		if (thread_rows[i].process != process)
			continue;
		p.tid = thread_rows[i].tid;
		p.comm = thread_rows[i].comm;
		p.samples = (uint64_t)((double)p.samples * thread_rows[i].share);
		p.cpu_percent *= thread_rows[i].share;
		fill_process(s, row++, &p);
	}
	return row;
}

static void fill_cells(struct snapshot *s)
{
	const uint32_t *frames = sample_frames(&s->frames);

	snapshot_alloc_cells(s, 2 * COUNT(cells));
	for (size_t i = 0; i < s->cell_count; i++) {
		size_t from = i % COUNT(cells);
		uint16_t event = i >= COUNT(cells);
		const struct snapshot_process *p = &processes[cells[from].process];
		double samples = event ? cells[from].samples / 5 : cells[from].samples;

		s->cells[i] = (struct snapshot_cell){
			.process = p->serial,
			.pid = p->pid,
			.tid = p->pid,
			.comm = p->comm,
			.frame = frames[cells[from].symbol],
			.event = event,
			.samples = samples,
			.period = samples * (event ? 5 : 1000000),
		};
	}
}

/* PATH's node, with the way into the kernel behind it when the leaf is there. */
static uint32_t path_node(struct calltree *t, const uint8_t *path, const uint32_t *frames,
			  uint8_t leaf)
{
	enum { SYSCALL = 34, KTHREAD = 43 };
	uint32_t node = CALL_ROOT;

	for (size_t i = 0; i < PATH && path[i] != END; i++)
		node = calltree_add(t, node, frames[path[i]]);
	if (symbols[leaf].flags & FRAME_KERNEL && leaf != SYSCALL && path[0] != KTHREAD)
		node = calltree_add(t, node, frames[SYSCALL]);
	return calltree_add(t, node, frames[leaf]);
}

static size_t path_of(uint8_t process)
{
	size_t i = 0;

	while (paths[i].process != process)
		i++;
	return i;
}

/* The part of the cell that came on the second path, taken out of it; none when it is 0. */
static struct snapshot_cell split_cell(struct snapshot_cell *c)
{
	struct snapshot_cell part = *c;

	if (!(c->samples > 0))
		return part;
	part.samples = floor(c->samples * 2 / 5);
	part.period = part.samples * c->period / c->samples;
	c->samples -= part.samples;
	c->period -= part.period;
	return part;
}

static void fill_stacks(struct snapshot *s)
{
	static const struct snapshot_stack_end ends[] = {
		{ "complete", "up to where it began", 1990 },
		{ "truncated", "the copy of the stack is too short", 8 },
		{ "no-rule", "nothing is known about this code", 2 },
		{ "limit", "more frames than --max-stack", 0 },
	};
	const uint32_t *frames = sample_frames(&s->frames);
	struct calltree *t = calltree_new(0);
	struct snapshot_cell *old = s->cells;
	size_t old_count = s->cell_count, count = 0;

	snapshot_alloc_cells(s, 2 * old_count);
	for (size_t i = 0; i < old_count; i++) {
		size_t from = i % COUNT(cells), path = path_of(cells[from].process);
		uint8_t leaf = cells[from].symbol;
		struct snapshot_cell part = old[i];

		if (leaf == paths[path].split)
			part = split_cell(&old[i]);
		old[i].node = path_node(t, paths[path].path, frames, leaf);
		if (cells[from].process == 5 && leaf == 35)
			old[i].node = calltree_add(t, CALL_OTHERS, frames[leaf]);
		s->cells[count++] = old[i];
		part.node = path_node(t, paths[path].second, frames, leaf);
		if (leaf == paths[path].split && part.samples > 0)
			s->cells[count++] = part;
	}
	free(old);
	s->cell_count = count;
	s->nodes = calltree_take(t, &s->node_count);
	calltree_free(t);
	s->sampling.stacks_complete_percent = 99.5;
	s->sampling.merged_stacks = 1;
	s->stack_end_count = COUNT(ends);
	s->stack_ends = mem_array(COUNT(ends), sizeof(ends[0]));
	memcpy(s->stack_ends, ends, sizeof(ends));
}

static struct snapshot *make(bool hardware, bool threads)
{
	struct snapshot *s = snapshot_new();
	size_t row = 0;

	s->version = "0.1.0";
	s->time_ns = SAMPLE_TIME_NS;
	s->interval_s = 1;
	s->cells_s = 1;
	s->iteration = 12;
	fill_host(&s->host);
	fill_sampling(&s->sampling, hardware);
	snapshot_alloc_events(s, COUNT(events_hardware));
	fill_events(s, hardware ? events_hardware : events_software, hardware);
	snapshot_alloc_processes(s, COUNT(processes) + (threads ? COUNT(thread_rows) : 0));
	for (size_t i = 0; i < COUNT(processes); i++) {
		fill_process(s, row++, &processes[i]);
		if (threads)
			row = fill_threads(s, row, i);
	}
	fill_cells(s);
	return s;
}

struct snapshot *sample_snapshot(bool hardware)
{
	return make(hardware, false);
}

struct snapshot *sample_snapshot_stacks(bool hardware)
{
	struct snapshot *s = make(hardware, false);

	fill_stacks(s);
	return s;
}

struct snapshot *sample_snapshot_threads(bool hardware)
{
	return make(hardware, true);
}

static struct cpu_facts cpu_facts(uint32_t i, uint32_t cpus, uint32_t nodes)
{
	struct cpu_facts f = cpu_unknown;
	double idle = 90.0 * i / cpus;

	f.number = i;
	f.place = (struct cpu_place){ .core = (int32_t)(i & ~1u),
				      .llc = (int32_t)(i & ~7u),
				      .node = (int32_t)(i / (cpus / nodes)),
				      .package = (int32_t)(i / (cpus / nodes)),
				      .type = i < cpus / 2 ? 'P' : 'E' };
	f.online = i + 1 < cpus;
	if (!f.online)
		return f;
	f.ghz = i < cpus / 2 ? 4.7 : 3.2;
	f.idle_percent = idle;
	f.iowait_percent = 2;
	f.irq_percent = 1;
	f.softirq_percent = 3;
	f.steal_percent = 0;
	f.system_percent = (94 - idle) / 4;
	f.user_percent = (94 - idle) * 3 / 4;
	return f;
}

void sample_cpus(struct snapshot *s, uint32_t cpus, uint32_t nodes)
{
	snapshot_alloc_cpus(s, cpus);
	for (uint32_t i = 0; i < cpus; i++) {
		s->cpus[i].facts = cpu_facts(i, cpus, nodes);
		for (size_t j = 0; s->cpus[i].facts.online && j < s->event_count; j++) {
			((double *)s->cpus[i].counters)[j] = 1000 + i;
			((double *)s->cpus[i].samples)[j] = i;
		}
	}
	for (size_t i = 0; i < s->cell_count; i++)
		s->cells[i].cpu = (uint16_t)(1 + i % (cpus - 1));
}

#define GIB ((int64_t)1 << 30)

/* clang-format off */
static const struct snapshot_group sample_group_rows[] = {
	{ .id = 1, .parent = 0, .path = "/", .name = "/", .kind = GROUP_ROOT },
	{ .id = 2, .parent = 0, .path = "/system.slice", .name = "system.slice", .kind = GROUP_SLICE },
	{ .id = 3, .parent = 1, .path = "/system.slice/ssh.service", .name = "ssh.service",
	  .kind = GROUP_SERVICE },
	{ .id = 4, .parent = 1, .path = "/system.slice/docker-4f1c.scope",
	  .name = "\033[2Jweb\377\nsh", .kind = GROUP_CONTAINER },
	{ .id = 5, .parent = 0, .path = "/kubepods.slice", .name = "kubepods.slice", .kind = GROUP_SLICE },
	{ .id = 6, .parent = 4, .path = "/kubepods.slice/kubepods-pod1b2c.slice",
	  .name = "kube-system/coredns-5d78c9869d-abcde", .kind = GROUP_POD },
	{ .id = 7, .parent = 5, .path = "/kubepods.slice/kubepods-pod1b2c.slice/cri-containerd-a.scope",
	  .name = "kube-system/coredns-5d78c9869d-abcde/coredns", .kind = GROUP_CONTAINER },
	{ .id = 8, .parent = 5, .path = "/kubepods.slice/kubepods-pod1b2c.slice/cri-containerd-b.scope",
	  .name = "4f1c2a90b3de", .kind = GROUP_CONTAINER, .gone = true },
	{ .id = 0, .parent = 0, .path = "", .name = "[unknown]", .kind = GROUP_UNKNOWN },
};
/* clang-format on */

#define SAMPLE_GROUPS (sizeof(sample_group_rows) / sizeof(*sample_group_rows))

static struct group_facts sample_facts(size_t i)
{
	struct group_facts f = group_unknown;

	f.memory_bytes = GIB / (int64_t)(1 + i);
	f.memory_max_bytes = i % 3 ? -1 : 4 * GIB;
	f.pids = 400 / (int64_t)(1 + i);
	f.read_rate = 1e6 * (double)i;
	f.write_rate = 4096;
	f.throttled_percent = i == 6 ? 42.5 : 0;
	f.pressure.cpu_some_percent = 3.25 * (double)i;
	f.pressure.memory_some_percent = f.pressure.memory_full_percent = 0;
	f.pressure.io_some_percent = i == 3 ? 61 : 0.1;
	f.pressure.io_full_percent = i == 3 ? 40 : 0;
	return f;
}

/* The group that process I of COUNT is in. */
static size_t place_of_process(size_t i, size_t count)
{
	static const size_t places[] = { 2, 3, 6, 0, 7 };

	return i + 1 == count ? SAMPLE_GROUPS - 1 : places[i % (sizeof(places) / sizeof(*places))];
}

static void count_process(struct snapshot *s, struct snapshot_process *p, size_t place)
{
	struct snapshot_group *g = &s->groups[place];

	p->group = g->id;
	if (p->tid)
		return;
	g->processes += !p->exited;
	if (!isnan(p->cpu_percent))
		g->cpu_percent = (isnan(g->cpu_percent) ? 0 : g->cpu_percent) + p->cpu_percent;
	for (size_t i = 0; i < s->event_count; i++) {
		double *sum = &snapshot_group_values(s, place)[i];

		if (!isnan(p->counters[i]))
			*sum = (isnan(*sum) ? 0 : *sum) + p->counters[i];
	}
}

static uint32_t group_of_serial(const struct snapshot *s, uint32_t serial)
{
	for (size_t i = 0; i < s->process_count; i++) {
		if (s->processes[i].serial == serial)
			return s->processes[i].group;
	}
	return 0;
}

void sample_groups(struct snapshot *s, size_t more)
{
	snapshot_alloc_groups(s, SAMPLE_GROUPS + more);
	for (size_t i = 0; i < SAMPLE_GROUPS; i++) {
		s->groups[i] = sample_group_rows[i];
		s->groups[i].counters = s->unknown;
		s->groups[i].cpu_percent = NAN;
		s->groups[i].facts = &group_unknown;
		if (sample_group_rows[i].id && !sample_group_rows[i].gone)
			*snapshot_group_facts(s, i) = sample_facts(i);
	}
	for (size_t i = SAMPLE_GROUPS; i < SAMPLE_GROUPS + more; i++) {
		bool first = i < SAMPLE_GROUPS + 100;

		s->groups[i].id = (uint32_t)i + 100;
		s->groups[i].parent = first ? 0 : (uint32_t)i - 100;
		s->groups[i].path = "/more/group";
		s->groups[i].name = "group";
		s->groups[i].kind = GROUP_PLAIN;
	}
	for (size_t i = 0, process = 0; i < s->process_count; i++) {
		process += i && !s->processes[i].tid;
		count_process(s, &s->processes[i], place_of_process(process, s->process_count));
	}
	for (size_t i = 0; i < s->cell_count; i++)
		s->cells[i].group = group_of_serial(s, s->cells[i].process);
}
