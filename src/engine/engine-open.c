/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * How an engine is made of its parts, and what is opened later: stacks, events that are added, extras.  A part gets
 * the others that it needs when it is made, so the order of engine_new() is the order of their needs.
 */
#include "engine/engine.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/spare-time.h"
#include "engine/shedding.h"
#include "engine/engine-state.h"
#include "engine/parts.h"
#include "engine/recorder.h"
#include "symbol/demangle.h"
#include "symbol/fetch.h"
#include "symbol/kernel.h"

#define FILE_CELLS (4u * 1024 * 1024)  /* a recording's counts shall be exact, */
#define FILE_NODES (16u * 1024 * 1024) /* and its stacks whole */

/* Returns true if the recording's kernel runs here.  Its mapping came before its samples. */
static bool recorded_kernel_runs(void *context, uint64_t *moved)
{
	const struct engine *e = context;
	const struct source_machine *m = e->options.machine;
	const struct kernel_identity kernel = {
		.build_id = m->kernel_build_id,
		.release = m->release,
		.hostname = m->hostname,
		.reference = e->kernel_reference,
		.reference_address = e->kernel_reference_address,
	};
	const char *kallsyms = e->options.kallsyms;

	*moved = 0;
	if (m->kernel_copy)
		return true;
	return kernel_is_running(&kernel, kallsyms ? kallsyms : "/proc/kallsyms",
				 "/sys/kernel/notes", moved);
}

static bool has_addresses(const struct evlist *l)
{
	for (size_t i = 0; i < l->count; i++) {
		if (l->items[i]->addresses)
			return true;
	}
	return false;
}

/* A copy of the recording's kernel is used instead of the running kernel. */
static void open_kernel_copy(struct engine *e)
{
	const struct source_machine *m = e->options.machine;
	char *kcore, *kallsyms;

	if (!m || !m->kernel_copy)
		return;
	kcore = mem_printf("%s/kcore", m->kernel_copy);
	kallsyms = mem_printf("%s/kallsyms", m->kernel_copy);
	e->recorded_kernel = (struct vmlinux_identity){
		.build_id = m->kernel_build_id,
		.release = m->release,
	};
	e->kcore = strtab_add(e->names, kcore);
	e->options.kallsyms = strtab_add(e->names, kallsyms);
	free(kallsyms);
	free(kcore);
}

static struct lines_options lines_options_of(const struct engine *e, bool synchronous)
{
	return (struct lines_options){
		.zygote = e->options.zygote,
		.proc_root = e->options.proc_root,
		.debug_root = e->options.debug_root,
		.synchronous = synchronous,
		.bytes_max = account_most(e->options.memory_bytes, ACCOUNT_WORKERS),
		.live = e->has_procfs,
		.spare = e->spare,
		.kcore = e->kcore,
		.kallsyms = e->options.kallsyms,
		.kernel = e->kcore ? &e->recorded_kernel : NULL,
	};
}

static void open_lines(struct engine *e)
{
	struct lines_options lines = lines_options_of(e, false);

	lines.local = true; /* all other lines would wait for the kernel's */
	if (!e->lines)
		e->lines = lines_new(&lines);
}

static void open_inlines(struct engine *e)
{
	struct inlines_options inlines = { .objects = e->objects, .frames = e->frames };

	if (!e->options.inlines)
		return;
	open_lines(e);
	inlines.lines = e->lines;
	inlines.clock = e->options.clock;
	inlines.memory_bytes = e->options.memory_bytes;
	e->inlines = inlines_new(&inlines);
}

/* A column that needs them has been chosen. */
static void open_sources(struct engine *e)
{
	struct sources_options sources = { .objects = e->objects, .frames = e->frames };

	open_lines(e);
	sources.lines = e->lines;
	e->sources = sources_new(&sources);
}

static void open_symbols(struct engine *e)
{
	const struct engine_options *o = &e->options;
	const struct dso_cache_options objects = {
		.zygote = o->zygote,
		.proc_root = o->proc_root,
		.debug_root = o->debug_root,
		.kallsyms = o->kallsyms,
		.spare = e->spare,
		.synchronous = o->synchronous,
		.recorded = !e->has_procfs,
		.make_frames = unwind_code_rules,
		.modules = e->has_procfs ? NULL : "",
		.memory_bytes = o->memory_bytes,
		.complete = !o->synchronous,
		.fetch = fetch_is_wanted(),
	};
	struct resolver_options resolver = {
		.processes = e->processes,
		.procfs = e->has_procfs ? &e->procfs : NULL,
		.kernel_is_running = o->machine ? recorded_kernel_runs : NULL,
		.context = e,
		.kernel_copied = e->kcore != NULL,
		.attacher = o->attacher,
		.ask_java = o->ask_java,
		.clock = o->clock,
		.only_named = o->only_named,
	};

	e->frames = frame_table_new(symbol_demangle, o->memory_bytes);
	e->objects = dso_cache_new(&objects);
	open_inlines(e);
	resolver.frames = e->frames;
	resolver.objects = e->objects;
	resolver.inlines = e->inlines;
	e->resolver = resolver_new(&resolver);
	if (has_addresses(o->evlist))
		e->data = data_names_new(e->processes, e->frames, e->options.memory_bytes);
}

static void open_past(struct engine *e)
{
	const struct windows_options options = {
		.evlist = e->options.evlist,
		.clock = e->options.clock,
		.tier = e->options.tier,
		.processes = e->processes,
		.counters = e->counters,
		.attribution = e->attribution,
		.histogram = e->histogram,
		.memory_bytes = e->options.memory_bytes,
	};

	e->windows = windows_new(&options);
}

/* Functions and addresses have a part each. */
static size_t cells_of(const struct engine *e)
{
	uint64_t bytes = account_most(e->options.memory_bytes, ACCOUNT_CELLS) / 2;

	return e->has_procfs ? histogram_cells_of(bytes, e->options.evlist->count) : FILE_CELLS;
}

static size_t nodes_of(const struct engine *e)
{
	uint64_t bytes = account_most(e->options.memory_bytes, ACCOUNT_STACKS);

	return e->has_procfs ? calltree_nodes_of(bytes) : FILE_NODES;
}

static void open_profile(struct engine *e)
{
	const struct engine_options *o = &e->options;
	size_t events = o->evlist->count;

	e->histogram = histogram_new(o->cell_limit ? o->cell_limit : cells_of(e));
	histogram_set_mode(e->histogram, o->mode, o->half_life_s);
	e->counters = counters_new(events);
	e->attribution = attribution_new(e->counters);
	if (o->past)
		open_past(e);
	if (!o->symbol_counters)
		return;
	histogram_set_values(e->histogram, events);
	e->increase = attribution_increase(e->attribution);
}

static void open_watch(struct engine *e)
{
	const struct watch_options options = {
		.resolver = e->resolver,
		.objects = e->objects,
		.frames = e->frames,
		.lines = lines_options_of(e, e->options.read_code_at_once),
		.cell_limit = cells_of(e),
	};

	if (!e->options.addresses)
		return;
	e->watch = watch_new(&options);
	histogram_set_mode(watch_addresses(e->watch), e->options.mode, e->options.half_life_s);
	if (e->options.past)
		watch_keep_past(e->watch,
				window_history_new(e->options.tier, e->options.memory_bytes));
}

static void open_unwinding(struct engine *e)
{
	const struct source_machine *machine = e->options.machine;
	const struct unwinding_options options = {
		.zygote = e->options.zygote,
		.resolver = e->resolver,
		.objects = e->objects,
		.processes = e->processes,
		.clock = e->options.clock,
		.machine = machine ? unwind_machine_of(machine->arch) : unwind_machine_here(),
		.limited = e->has_procfs,
		.choose = !e->options.target.kernel_chains,
		.stitch = e->options.stitch,
		.no_copies = !e->options.target.user_stack_bytes,
		.max_frames = e->options.target.max_stack,
	};

	e->unwinding = unwinding_new(&options);
}

static struct pieces pieces_of(const struct engine *e)
{
	return (struct pieces){
		.evlist = e->options.evlist,
		.target = &e->target,
		.processes = e->processes,
		.frames = e->frames,
		.chains = e->chains,
		.callers = &e->callers,
		.histogram = e->histogram,
		.attribution = e->attribution,
		.from_ns = e->options.from_ns,
		.to_ns = e->options.to_ns,
	};
}

/* When there is an event of time, and there are stacks. */
static void open_times(struct engine *e)
{
	struct pieces use = pieces_of(e);

	if (e->times || !e->options.target.callchains || !evlist_has_time(use.evlist))
		return;
	if (!e->data)
		e->data = data_names_new(e->processes, e->frames, e->options.memory_bytes);
	e->times = times_new(&use, e->late, e->data);
}

static void open_chains(struct engine *e)
{
	const struct chains_options options = {
		.resolver = e->resolver,
		.frames = e->frames,
		.processes = e->processes,
		.histogram = e->histogram,
		.clock = e->options.clock,
		.node_limit = nodes_of(e),
		.max_frames = e->options.target.max_stack,
	};

	e->chains = chains_new(&options);
	e->late = late_new(e->chains, e->histogram);
	e->callers = (struct callers){ .chains = e->chains,
				       .layout = &e->options.layout,
				       .branches = e->options.target.branch_stacks,
				       .leaf_only = true };
}

/* Only a copy of the stack can agree with a reading. */
static void open_python(struct engine *e)
{
	const struct python_names_options options = {
		.processes = e->processes,
		.procfs = &e->procfs,
		.frames = e->frames,
		.clock = e->options.clock,
		.walker = e->options.walker,
	};

	if (!e->options.python || !e->has_procfs || !e->options.target.user_stack_bytes)
		return;
	e->python = python_names_new(&options);
	e->callers.python = e->python;
}

static void open_syscalls(struct engine *e)
{
	const struct source_machine *m = e->options.machine;
	const struct syscalls_options options = {
		.names = e->names,
		.arch = m ? m->arch : NULL,
		.late = e->late,
		.live = e->has_procfs,
		.of_command = e->has_procfs && e->options.target.enable_on_exec,
	};
	struct pieces use = pieces_of(e);

	if (!e->syscalls)
		e->syscalls = syscalls_new(&use, &options);
}

/* When they are asked for. */
static void open_stacks(struct engine *e)
{
	const struct source_options *o = &e->options.target;

	if (!o->callchains)
		return;
	chains_take_callers(e->chains);
	if (!e->unwinding && (o->user_stack_bytes || o->leaf_callers))
		open_unwinding(e);
	open_python(e);
	late_set_unwinding(e->late, e->unwinding);
	e->callers.unwinding = e->unwinding;
	e->callers.leaf_only = false;
	open_times(e);
}

/* Stacks that wait for an object go on; the tables that found them shrink as they become idle (shedding.c). */
static void end_stacks(struct engine *e)
{
	e->callers.leaf_only = true;
	e->callers.python = NULL;
	python_names_free(e->python); /* else the kernel walks on */
	e->python = NULL;
	if (e->times)
		times_forget(e->times);
}

void engine_take_stacks(struct engine *e, const struct stack_choice *choice,
			const struct record_layout *layout)
{
	source_options_choose_stacks(&e->options.target, choice);
	e->options.layout = *layout;
	if (choice->mode == STACK_NONE)
		end_stacks(e);
	else
		open_stacks(e);
	parts_choose(e);
}

void engine_ask_java(struct engine *e)
{
	resolver_ask_java(e->resolver);
}

void engine_grow(struct engine *e)
{
	size_t had = counters_events(e->counters), events = e->options.evlist->count;

	open_times(e);
	open_syscalls(e);
	if (!e->data && has_addresses(e->options.evlist))
		e->data = data_names_new(e->processes, e->frames, e->options.memory_bytes);
	parts_choose(e);
	if (events <= had)
		return;
	counters_grow(e->counters, events);
	attribution_grow(e->attribution);
	if (!e->increase)
		return;
	histogram_grow_values(e->histogram, events);
	if (engine_looks(e))
		histogram_grow_values(watch_addresses(e->watch), events);
	e->increase = attribution_increase(e->attribution);
}

void engine_set_extras(struct engine *e, unsigned extras)
{
	e->extras = extras;
	host_watch_cpus(&e->host, extras & (EXTRA_CPUS | EXTRA_CPU_TIMES));
	cpus_watch(&e->host.cpus_each, extras & EXTRA_CPUS, extras & EXTRA_CACHES);
	if (extras & EXTRA_SOURCES && !e->sources)
		open_sources(e);
}

static void open_recorder(struct engine *e)
{
	const struct recorder_options recorder = {
		.writer = e->options.writer,
		.evlist = e->options.evlist,
		.layout = e->options.layout,
		.processes = e->processes,
		.objects = e->objects,
		.kernel = e->options.recorded_kernel,
	};

	if (e->options.writer)
		e->recorder = recorder_new(&recorder);
}

struct engine *engine_new(const struct engine_options *options, struct error *err)
{
	const char *root = options->proc_root ? options->proc_root : "/proc";
	struct engine *e = mem_alloc(sizeof(*e));

	e->options = *options;
	e->has_procfs = options->tier != TIER_FILE;
	e->tells_cpu = record_tells_cpu(&options->layout);
	if (e->has_procfs && procfs_open(&e->procfs, root, err)) {
		free(e);
		return NULL;
	}
	e->epoch = 1;
	e->spare = e->has_procfs ? spare_time_new(&clock_system, SPARE_RATE) : NULL;
	e->began_ns = clock_monotonic_ns(options->clock);
	if (!e->options.memory_bytes)
		e->options.memory_bytes = e->has_procfs ? ACCOUNT_BYTES : ACCOUNT_BYTES_FILE;
	e->account.limit = e->has_procfs ? e->options.memory_bytes : 0;
	if (!e->options.to_ns)
		e->options.to_ns = UINT64_MAX;
	target_init(&e->target, &e->options.target);
	e->options.early &= target_is_everything(&e->target);
	host_init(&e->host, options->sys_root, options->clock);
	e->names = strtab_new();
	e->processes = process_table_new(e->has_procfs ? &e->procfs : NULL, e->names,
					 options->clock, e->options.memory_bytes);
	process_table_read_owners(e->processes, options->owners);
	process_table_spare(e->processes, e->spare);
	process_table_keep_files(e->processes, options->keep_files);
	open_kernel_copy(e);
	open_symbols(e);
	open_profile(e);
	open_watch(e);
	open_chains(e);
	open_stacks(e);
	open_syscalls(e);
	open_recorder(e);
	if (e->has_procfs && !e->recorder && !options->listener)
		e->thinning = thinning_new();
	parts_choose(e);
	engine_set_extras(e, options->extras);
	account_keep(e);
	return e;
}

void engine_free(struct engine *e)
{
	if (!e)
		return;
	engine_end_recording(e);
	usage_fini(&e->usage);
	groups_free(e->groups);
	group_list_put(e->group_places.list);
	mem_free(e->group_places.of, e->group_wish.shown);
	parts_free(e);
	resolver_free(e->resolver);
	lines_free(e->lines);
	inlines_free(e->inlines);
	sources_free(e->sources);
	frame_table_free(e->frames);
	dso_cache_free(e->objects);
	spare_time_put(e->spare);
	thinning_free(e->thinning);
	unwinding_free(e->unwinding);
	python_names_free(e->python);
	process_table_free(e->processes);
	host_fini(&e->host);
	if (e->has_procfs)
		procfs_close(&e->procfs);
	strtab_free(e->names);
	map_fini_each(&e->past, free);
	map_fini(&e->departed[0]);
	map_fini(&e->departed[1]);
	free(e->cpus);
	free(e);
}
