/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stddef.h>

#include "app/option-values.h"
#include "base/i18n.h"

#define FIELD(name) .offset = offsetof(struct options, name)
#define SWITCH(name) .set = value_set_switch, .format = value_format_switch, FIELD(name)
#define TEXT(name) .set = value_set_text, .format = value_format_text, FIELD(name)
#define NUMBER(name, low, high) \
	.set = value_set_number, .format = value_format_number, FIELD(name), .min = low, .max = high
#define SECONDS(name, low, high)                                                           \
	.set = value_set_seconds, .format = value_format_seconds, FIELD(name), .min = low, \
	.max = high
#define PERCENT(name, low, high)                                                           \
	.set = value_set_percent, .format = value_format_seconds, FIELD(name), .min = low, \
	.max = high

const char *const option_group_titles[OPTION_GROUPS] = {
	[GROUP_TARGET] = N_("What is profiled (default: the whole machine)"),
	[GROUP_SAMPLING] = N_("How it is measured"),
	[GROUP_RECORDING] = N_("What is kept"),
	[GROUP_DISPLAY] = N_("What is shown"),
	[GROUP_BATCH] = N_("Without a terminal"),
	[GROUP_OTHER] = N_("Other"),
};

/* clang-format off */
const struct option_row option_table[] = {
	{ .letter = 'p', .name = "pid", .argument = N_("LIST"), .group = GROUP_TARGET,
	  .help = N_("these processes: all their threads and what they start later; 1,4-7"),
	  .completion = COMPLETE_PID, TEXT(pids), .check = value_check_pids },
	{ .letter = 't', .name = "tid", .argument = N_("LIST"), .group = GROUP_TARGET,
	  .help = N_("these threads"), TEXT(tids), .check = value_check_tids },
	{ .letter = 'u', .name = "user", .argument = N_("NAME|UID"), .group = GROUP_TARGET,
	  .help = N_("the processes of this user"), .completion = COMPLETE_USER, TEXT(user) },
	{ .letter = 'C', .name = "cpu", .argument = N_("LIST"), .group = GROUP_TARGET,
	  .help = N_("what runs on these CPUs; 0,2-3"), TEXT(cpus), .check = value_check_cpus },
	{ .letter = 'G', .name = "cgroup", .argument = N_("PATH"), .group = GROUP_TARGET,
	  .help = N_("the processes of this control group"), .completion = COMPLETE_FILE,
	  TEXT(cgroup) },
	{ .letter = 'i', .name = "input", .argument = N_("FILE"), .group = GROUP_TARGET,
	  .help = N_("a perf.data recording instead of the live machine"),
	  .completion = COMPLETE_FILE, TEXT(file) },
	{ .name = "time", .argument = N_("START,STOP"), .group = GROUP_TARGET,
	  .help = N_("with -i: only what was measured between these times, in seconds as perf script "
		     "prints them; or A%-B% of it"), TEXT(time), .check = value_check_time },

	{ .letter = 'e', .name = "event", .argument = N_("EVENT[,EVENT...]"),
	  .group = GROUP_SAMPLING,
	  .help = N_("sample these events, written as for perf; may be repeated; {a,b} is a group"),
	  .completion = COMPLETE_WORDS,
	  .words = "cycles instructions cache-references cache-misses branches branch-misses "
		   "cpu-clock task-clock page-faults context-switches cpu-migrations",
	  .set = value_set_event },
	{ .name = "filter", .argument = N_("FILTER"), .group = GROUP_SAMPLING,
	  .help = N_("only what passes this filter of the tracepoint in the last -e"),
	  .set = value_set_filter },
	{ .letter = 'F', .name = "freq", .argument = N_("HZ|max"), .group = GROUP_SAMPLING,
	  .help = N_("samples a second on each CPU (default 999)"), .keep = true,
	  .completion = COMPLETE_WORDS, .words = "99 999 4000 max", .set = value_set_freq,
	  .format = value_format_freq, .min = 1, .max = 10000000 },
	{ .letter = 'c', .name = "count", .argument = N_("N"), .group = GROUP_SAMPLING,
	  .help = N_("one sample every N events, instead of a frequency"),
	  .set = value_set_period, .min = 1, .max = 1e15 },
	{ .letter = 'g', .name = "call-graph", .argument = N_("MODE"), .letter_value = "auto",
	  .group = GROUP_SAMPLING,
	  .help = N_("stacks: fp, dwarf[,SIZE], lbr, auto or none; -g alone is auto"),
	  .completion = COMPLETE_WORDS, .words = "fp dwarf lbr auto none", TEXT(call_graph),
	  .check = value_check_call_graph },
	{ .letter = 'm', .name = "mmap-pages", .argument = N_("N"), .group = GROUP_SAMPLING,
	  .help = N_("pages of each CPU's buffer, a power of two"), .keep = true,
	  .set = value_set_pages, .format = value_format_number, FIELD(mmap_pages), .min = 1,
	  .max = 65536 },
	{ .name = "max-overhead", .argument = N_("PERCENT"), .group = GROUP_SAMPLING,
	  .help = N_("measure less when it costs more of all CPUs than this (default 2); 0: never"),
	  .keep = true, PERCENT(max_overhead, 0, 100) },
	{ .name = "max-stack", .argument = N_("N"), .group = GROUP_SAMPLING,
	  .help = N_("at most N frames of a stack"), .keep = true, NUMBER(max_stack, 1, 1024) },
	{ .name = "unnamed", .argument = N_("AS"), .group = GROUP_SAMPLING,
	  .help = N_("functions of stripped programs: each a function (default), or one with their "
		     "object"),
	  .keep = true, .completion = COMPLETE_WORDS, .words = "function object", TEXT(unnamed),
	  .check = value_check_unnamed },
	{ .name = "inline", .group = GROUP_SAMPLING,
	  .help = N_("inlined functions are functions, too, where debugging information tells"),
	  .keep = true, SWITCH(inlines) },
	{ .name = "stitch", .group = GROUP_SAMPLING,
	  .help = N_("with -i: complete stacks larger than their copies by earlier ones of the thread, "
		     "as live"),
	  .keep = true, SWITCH(stitch) },

	{ .name = "record", .argument = N_("FILE"), .group = GROUP_RECORDING,
	  .help = N_("write a recording that perf report, perf script and -i read"),
	  .completion = COMPLETE_FILE, TEXT(record) },
	{ .name = "record-size", .argument = N_("N[K|M|G][,FILES]"), .group = GROUP_RECORDING,
	  .help = N_("begin the file anew at this size, and keep up to FILES of them: FILE, FILE.1, "
		     "... (default 10)"), .set = value_set_record_size },

	{ .letter = 'd', .name = "delay", .argument = N_("SECONDS"), .group = GROUP_DISPLAY,
	  .help = N_("refresh interval, 0.1 to 3600 (default 1)"), .keep = true,
	  SECONDS(delay_s, 0.1, 3600) },
	{ .letter = 'n', .name = "iterations", .argument = N_("N"), .group = GROUP_DISPLAY,
	  .help = N_("end after N refreshes"), NUMBER(iterations, 1, 1e15) },
	{ .name = "columns", .argument = N_("NAME,..."), .group = GROUP_DISPLAY,
	  .help = N_("show these columns; 'help' lists them with unit and formula; NAME=EXPRESSION "
		     "defines one, such as cpb=cycles/branches"), .keep = true,
	  TEXT(columns), .check = value_check_columns, .late = true },
	{ .letter = 's', .name = "sort", .argument = N_("KEY[,KEY...]"), .group = GROUP_DISPLAY,
	  .help = N_("sort by these columns; 'help' lists them"), .keep = true, TEXT(sort),
	  .check = value_check_sort, .late = true },
	{ .letter = 'r', .name = "reverse", .group = GROUP_DISPLAY,
	  .help = N_("sort the other way round"), .keep = true, SWITCH(reverse) },
	{ .name = "view", .argument = N_("NAME"), .group = GROUP_DISPLAY,
	  .help = N_("the view to start with, and that batch prints; 'help' lists them"),
	  .completion = COMPLETE_VIEW, TEXT(view), .check = value_check_view },
	{ .name = "cpu-level", .argument = N_("LEVEL"), .group = GROUP_DISPLAY,
	  .help = N_("the rows that the view cpus opens: cpu, core, llc, node, package or machine; auto "
		     "(default): cpu, with more than 64 CPUs node"),
	  .keep = true, .completion = COMPLETE_WORDS, .words = "auto cpu core llc node package machine",
	  TEXT(cpu_level), .check = value_check_cpu_level },
	{ .letter = 'H', .name = "threads", .group = GROUP_DISPLAY,
	  .help = N_("a row for each thread"), .keep = true, SWITCH(threads) },
	{ .letter = 'K', .name = "hide-kernel", .group = GROUP_DISPLAY,
	  .help = N_("hide kernel symbols"), .keep = true, SWITCH(hide_kernel) },
	{ .letter = 'U', .name = "hide-user", .group = GROUP_DISPLAY,
	  .help = N_("hide user symbols"), .keep = true, SWITCH(hide_user) },
	{ .name = "of-all", .group = GROUP_DISPLAY,
	  .help = N_("shares are of all samples of the event, not of what is shown of them"),
	  .keep = true, SWITCH(of_all) },
	{ .letter = 'z', .name = "zero", .group = GROUP_DISPLAY,
	  .help = N_("every interval starts at zero"), .keep = true, SWITCH(zero) },
	{ .name = "half-life", .argument = N_("SECONDS"), .group = GROUP_DISPLAY,
	  .help = N_("samples weigh half after this time (default 5)"), .keep = true,
	  SECONDS(half_life_s, 0.1, 3600) },
	{ .name = "base", .argument = N_("FILE"), .group = GROUP_DISPLAY,
	  .help = N_("compare with this recording: column DELTA%"), .completion = COMPLETE_FILE,
	  TEXT(base) },
	{ .name = "no-color", .group = GROUP_DISPLAY, .help = N_("no colours"), .keep = true,
	  SWITCH(no_color) },
	{ .name = "no-mouse", .group = GROUP_DISPLAY,
	  .help = N_("leave the mouse to the terminal, which selects text with it"),
	  .keep = true, SWITCH(no_mouse) },
	{ .name = "keys", .argument = N_("SCHEME"), .group = GROUP_DISPLAY,
	  .help = N_("what keys do where programs differ: vi (default), htop or perf"), .keep = true,
	  .completion = COMPLETE_KEYS, TEXT(keys), .check = value_check_keys },
	{ .name = "bind", .argument = N_("KEY ACTION"), .group = GROUP_DISPLAY,
	  .help = N_("what a key does, such as 'F12 kill' or 'y view-cpus'; may be repeated"), .keep = true,
	  .set = value_set_bind, .format = value_format_text, FIELD(bindings), .repeats = true },
	{ .name = "read-only", .group = GROUP_DISPLAY,
	  .help = N_("no key changes a process: neither signals nor nice values nor CPUs"), .keep = true,
	  SWITCH(read_only) },
	{ .name = "ascii", .group = GROUP_DISPLAY, .help = N_("only ASCII characters"),
	  .keep = true, SWITCH(ascii) },

	{ .letter = 'b', .name = "batch", .group = GROUP_BATCH,
	  .help = N_("print snapshots; the standard input is never read"), SWITCH(batch) },
	{ .name = "format", .argument = N_("FORMAT"), .group = GROUP_BATCH,
	  .help = N_("of what is printed; default: from the name of the output file, else text; "
		     "implies -b"),
	  .completion = COMPLETE_FORMAT, TEXT(format), .check = value_check_format },
	{ .letter = 'o', .name = "output", .argument = N_("FILE"), .group = GROUP_BATCH,
	  .help = N_("write to FILE; implies -b"), .completion = COMPLETE_FILE,
	  .set = value_set_output, FIELD(output) },
	{ .name = "table", .argument = N_("NAME"), .group = GROUP_BATCH,
	  .help = N_("which table in csv, such as processes or symbols; default: that of the view"),
	  .completion = COMPLETE_TABLE, TEXT(table), .check = value_check_table },
	{ .letter = 'l', .name = "limit", .argument = N_("N"), .group = GROUP_BATCH,
	  .help = N_("at most N rows of a table, 0 for all (default 20 processes, 40 symbols)"),
	  .keep = true, NUMBER(limit, 0, 1e9) },

	{ .name = "listen", .argument = N_("[ADDR:]PORT"), .group = GROUP_OTHER,
	  .help = N_("serve metrics to Prometheus, on this machine alone unless ADDR is given"),
	  TEXT(listen), .check = value_check_listen },
	{ .name = "list-events", .argument = N_("GLOB"), .optional = true, .group = GROUP_OTHER,
	  .help = N_("list the events of this machine and end"), .set = value_set_list_events },
	{ .name = "doctor", .group = GROUP_OTHER,
	  .help = N_("say what can be measured here, what is in the way and what would help, and end"),
	  .set = value_set_action, .min = ACTION_DOCTOR },
	{ .letter = 'v', .name = "verbose", .group = GROUP_OTHER,
	  .help = N_("say on the standard error how it is measured"), SWITCH(verbose) },
	{ .letter = 'h', .name = "help", .group = GROUP_OTHER, .help = N_("print this and end"),
	  .set = value_set_action, .min = ACTION_HELP },
	{ .letter = 'V', .name = "version", .group = GROUP_OTHER,
	  .help = N_("print the version and end"), .set = value_set_action,
	  .min = ACTION_VERSION },
	{ .name = NULL },
};
/* clang-format on */
