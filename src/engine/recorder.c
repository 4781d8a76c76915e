/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/recorder.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "perf/data/write-record.h"
#include "symbol/kernel.h"

struct recorder {
	struct recorder_options use;
	uint64_t id;       /* of the event that brings the side-band */
	struct buf kernel; /* records that tell where the kernel is */
	/*
	 * Processes whose mappings are in the file, by serial, and threads whose names are, by serial
	 * and tid.  Valid while `generation` is the writer's.
	 */
	struct map written_processes, written_threads;
	uint64_t generation;
	uint64_t last;        /* thread that was written last */
	bool written_counted; /* which events are counted, be it that nothing was */
	/*
	 * A description has no time: the reader takes it at once, before samples that it has not sorted
	 * yet.  That is right if the file says nothing else of the task.  After a loss the file may hold
	 * the task's birth, which must come first.  The description then has the time before which no
	 * more samples come, except those that a CPU was writing meanwhile.  Samples of several CPUs are
	 * out of order between two records of the side-band, so it is the time of the first of these.
	 */
	uint64_t floor_ns;
	bool after_loss;
	uint64_t newest_ns; /* of all records */
	bool ended;         /* a write has failed */
};

static uint64_t thread_key(const struct thread *th)
{
	return (uint64_t)th->process->serial << 32 | th->tid;
}

static void mark_written(struct map *written, uint64_t key)
{
	map_put(written, key, written); /* a set: any value will do */
}

/* The kernel's place. */

struct kernel_part {
	char *path;
	uint64_t start, end, reference;
};

struct recorder_kernel {
	struct kernel_part *parts;
	size_t count, capacity;
};

/* PATH is taken over. */
static void add_part(struct recorder_kernel *k, char *path, const struct kernel_place *place,
		     uint64_t reference)
{
	mem_grow((void **)&k->parts, &k->capacity, k->count + 1, sizeof(*k->parts));
	k->parts[k->count++] = (struct kernel_part){ path, place->start, place->end, reference };
}

static void add_module(void *context, const struct kernel_place *place)
{
	add_part(context, mem_printf("[%s]", place->name), place, 0);
}

struct recorder_kernel *recorder_kernel_find(const char *kallsyms, const char *modules)
{
	struct recorder_kernel *k = mem_alloc(sizeof(*k));
	struct kernel_place place;

	if (!kernel_find(kallsyms ? kallsyms : "/proc/kallsyms", &place))
		return k;
	add_part(k, mem_printf("[kernel.kallsyms]%s", place.name), &place, place.start);
	kernel_each_module(modules ? modules : "/proc/modules", add_module, k);
	return k;
}

void recorder_kernel_free(struct recorder_kernel *k)
{
	if (!k)
		return;
	for (size_t i = 0; i < k->count; i++)
		free(k->parts[i].path);
	free(k->parts);
	free(k);
}

/* The records that tell it. */
static void describe_kernel(struct recorder *r, const struct recorder_kernel *k)
{
	const struct write_stamp stamp = { .id = r->id };

	for (size_t i = 0; k && i < k->count; i++) {
		const struct kernel_part *part = &k->parts[i];
		const struct record_mmap m = { .start = part->start,
					       .pgoff = part->reference,
					       .path = part->path,
					       .length = part->end - part->start };

		write_kernel_mmap(&r->kernel, &stamp, &m);
	}
}

struct recorder *recorder_new(const struct recorder_options *options)
{
	struct recorder *r = mem_alloc(sizeof(*r));

	r->use = *options;
	r->use.kernel = NULL;
	if (!r->use.notes)
		r->use.notes = "/sys/kernel/notes";
	r->id = writer_sideband_id(options->writer);
	r->generation = UINT64_MAX;
	describe_kernel(r, options->kernel);
	return r;
}

/* Build ids of what had samples. */

static void add_kernel_id(const struct recorder *r, struct buf *ids)
{
	const struct write_build_id id = { .path = "[kernel.kallsyms]",
					   .id = kernel_build_id(r->use.notes),
					   .kernel = true };

	if (id.id.size)
		write_build_id(ids, &id);
}

static void add_build_ids(const struct recorder *r, struct buf *ids)
{
	uint32_t object = 0;

	add_kernel_id(r, ids);
	while ((object = dso_cache_next(r->use.objects, object))) {
		const struct write_build_id id = { .path = dso_path(r->use.objects, object),
						   .id = *dso_build_id(r->use.objects, object) };

		if (id.id.size)
			write_build_id(ids, &id);
	}
}

void recorder_free(struct recorder *r)
{
	struct buf ids = { 0 };

	if (!r)
		return;
	add_build_ids(r, &ids);
	writer_finish(r->use.writer, ids.bytes, ids.size);
	buf_fini(&ids);
	buf_fini(&r->kernel);
	map_fini(&r->written_processes);
	map_fini(&r->written_threads);
	free(r);
}

/* Telling. */

static void add_kernel(struct recorder *r)
{
	struct buf *b = r->kernel.size ? writer_room(r->use.writer) : NULL;

	if (b)
		buf_add(b, r->kernel.bytes, r->kernel.size);
}

static void forget_written(struct recorder *r)
{
	map_fini(&r->written_processes);
	map_fini(&r->written_threads);
	r->written_processes = r->written_threads = (struct map){ 0 };
	r->last = 0;
	r->written_counted = false;
	r->generation = writer_generation(r->use.writer);
	add_kernel(r);
}

/* Before the records that belong together; false when nothing is recorded any more. */
static bool prepare(struct recorder *r, uint64_t time_ns)
{
	struct writer *w = r->use.writer;

	if (r->ended)
		return false;
	writer_prepare(w);
	if (writer_file_is_full(w)) {
		struct buf ids = { 0 };

		add_build_ids(r, &ids);
		writer_end_file(w, ids.bytes, ids.size);
		buf_fini(&ids);
		forget_written(r);
		r->after_loss = false;
	}
	if (r->generation != writer_generation(w)) {
		r->after_loss = r->generation != UINT64_MAX;
		forget_written(r);
	}
	if (time_ns > r->newest_ns)
		r->newest_ns = time_ns;
	return true;
}

static void tell_mapping(struct recorder *r, const struct write_stamp *stamp,
			 const struct mapping *from)
{
	struct buf *b = writer_room(r->use.writer);
	const struct record_mmap m = {
		.start = from->start,
		.length = from->end - from->start,
		.pgoff = from->pgoff,
		.major = from->major,
		.minor = from->minor,
		.inode = from->inode,
		.inode_generation = from->inode_generation,
		.path = from->path,
	};

	if (b)
		write_mmap(b, stamp, &m);
}

/* A task that was gone before anybody asked for its name has none. */
static void tell_name(struct recorder *r, const struct write_stamp *stamp, const struct thread *th)
{
	struct buf *b = *th->comm ? writer_room(r->use.writer) : NULL;

	if (b)
		write_comm(b, stamp, th->comm);
	mark_written(&r->written_threads, thread_key(th));
}

/* Names and mappings of P, whose name is that of its leader, even if that one never has a sample. */
static void tell_process(struct recorder *r, struct write_stamp stamp, struct process *p)
{
	struct space *space = process_space(r->use.processes, p, MAPS_CODE);

	stamp.tid = p->pid;
	tell_name(r, &stamp, p->threads[0]);
	for (size_t i = 0; i < space_count(space); i++)
		tell_mapping(r, &stamp, space_at(space, i));
	mark_written(&r->written_processes, p->serial);
}

/* Writes what the reader needs to know of TH before a sample of it, unless that was written. */
static void tell_thread(struct recorder *r, const struct thread *th, uint32_t cpu)
{
	struct process *p = th->process;
	struct write_stamp stamp = { .pid = p->pid,
				     .tid = th->tid,
				     .cpu = cpu,
				     .id = r->id,
				     .time_ns = r->after_loss ? r->floor_ns : 0 };

	if (r->last == thread_key(th))
		return;
	if (!map_find(&r->written_processes, p->serial))
		tell_process(r, stamp, p);
	if (!map_find(&r->written_threads, thread_key(th)))
		tell_name(r, &stamp, th);
	r->last = thread_key(th);
}

void recorder_sample(struct recorder *r, const struct thread *th, const struct record *sample,
		     const uint64_t *stack, size_t count)
{
	const struct write_task task = {
		.pid = th->process->pid, .tid = th->tid, .chain = stack, .chain_count = count
	};
	struct buf *b;

	if (!writer_has_event(r->use.writer, (size_t)sample->event) || !prepare(r, sample->time_ns))
		return;
	tell_thread(r, th, sample->cpu);
	b = writer_room(r->use.writer);
	if (b && !write_sample(b, &r->use.layout, sample, &task))
		writer_sampled(r->use.writer, sample->time_ns);
}

/* A sampled event needs no counts: the periods of its samples add up to them. */
static bool counts_alone(const struct recorder *r, size_t event)
{
	return r->use.evlist->items[event]->role == EVSEL_COUNT &&
	       writer_has_event(r->use.writer, event);
}

/* Nothing counted is what the reader takes for granted, when he knows that somebody counts. */
static bool says_something(const struct recorder *r, const struct counter_value *v)
{
	return v->value || (v->enabled_ns && (!v->running_ns || !r->written_counted));
}

void recorder_counts(struct recorder *r, const struct thread *th,
		     const struct counter_value *counts)
{
	struct write_stamp stamp = { .pid = th->process->pid,
				     .tid = th->tid,
				     .time_ns = r->newest_ns };

	for (size_t i = 0; i < r->use.evlist->count; i++) {
		const struct write_count count = { counts[i].value, counts[i].enabled_ns,
						   counts[i].running_ns };
		struct buf *b;

		if (!counts_alone(r, i) || !says_something(r, &counts[i]) ||
		    !prepare(r, stamp.time_ns))
			continue;
		tell_thread(r, th, 0);
		stamp.id = WRITE_ID(i);
		b = writer_room(r->use.writer);
		if (b)
			write_read(b, &stamp, &count);
	}
	r->written_counted = true;
}

/*
 * A child has what its parent has: the reader copies that by the same rule, and so short-lived
 * children need no description of their own.
 */
static void tell_parent(struct recorder *r, const struct record *fork)
{
	const struct thread *parent = process_table_find_thread(r->use.processes, fork->task.ptid);

	if (parent)
		tell_thread(r, parent, fork->cpu);
}

static void learn_fork(struct recorder *r, const struct record_task *fork)
{
	const struct thread *parent = process_table_find_thread(r->use.processes, fork->ptid);
	const struct thread *child = process_table_find_thread(r->use.processes, fork->tid);

	if (!parent || !child)
		return;
	mark_written(&r->written_processes, child->process->serial);
	mark_written(&r->written_threads, thread_key(child));
}

/* A new program: its mappings follow. */
static void learn_comm(struct recorder *r, const struct record_comm *comm)
{
	const struct thread *th = process_table_find_thread(r->use.processes, comm->tid);

	if (!th)
		return;
	mark_written(&r->written_threads, thread_key(th));
	if (comm->exec)
		mark_written(&r->written_processes, th->process->serial);
}

/* Whatever has its number later is another one. */
static void learn_exit(struct recorder *r, const struct record_task *exit)
{
	const struct thread *th = process_table_find_thread(r->use.processes, exit->tid);

	if (!th || !th->exited)
		return;
	map_remove(&r->written_threads, thread_key(th));
	if (th->process->exited)
		map_remove(&r->written_processes, th->process->serial);
}

static bool is_kept(const struct record *r)
{
	static const bool kept[RECORD_TYPES] = {
		[RECORD_MMAP] = true,         [RECORD_MMAP2] = true,     [RECORD_COMM] = true,
		[RECORD_FORK] = true,         [RECORD_EXIT] = true,      [RECORD_LOST] = true,
		[RECORD_LOST_SAMPLES] = true, [RECORD_THROTTLE] = true,  [RECORD_UNTHROTTLE] = true,
		[RECORD_KSYMBOL] = true,      [RECORD_BPF_EVENT] = true,
	};

	return r->bytes && r->type < RECORD_TYPES && kept[r->type];
}

static bool is_sideband(const struct record *r)
{
	return r->type != RECORD_LOST && r->type != RECORD_LOST_SAMPLES &&
	       r->type != RECORD_THROTTLE && r->type != RECORD_UNTHROTTLE;
}

void recorder_other(struct recorder *r, const struct record *record)
{
	struct buf *b;

	if (!is_kept(record) || !prepare(r, record->time_ns))
		return;
	if (record->type == RECORD_FORK)
		tell_parent(r, record);
	b = writer_room(r->use.writer);
	if (!b || write_other(b, record, r->id))
		return;
	if (is_sideband(record))
		r->floor_ns = record->time_ns;
	if (record->type == RECORD_FORK)
		learn_fork(r, &record->task);
	else if (record->type == RECORD_COMM)
		learn_comm(r, &record->comm);
	else if (record->type == RECORD_EXIT)
		learn_exit(r, &record->task);
}

static void hand_over(struct recorder *r)
{
	struct buf ids = { 0 };

	add_build_ids(r, &ids);
	writer_hand_over(r->use.writer, ids.bytes, ids.size);
	buf_fini(&ids);
}

void recorder_round(struct recorder *r)
{
	writer_round(r->use.writer);
	if (writer_is_asked(r->use.writer))
		hand_over(r);
	r->floor_ns = r->newest_ns;
	r->ended = writer_failed(r->use.writer);
}
