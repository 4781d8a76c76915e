/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "symbol/lines.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>

#include "base/alloc.h"
#include "base/i18n.h"
#include "base/strtab.h"
#include "symbol/jitcode.h"
#include "symbol/jitdump.h"
#include "symbol/kcore.h"
#include "symbol/kernel.h"
#include "symbol/livecode.h"
#include "symbol/load-state.h"
#include "symbol/loader.h"
#include "symbol/object.h"
#include "symbol/symbol-source.h"

#define BYTES_MAX (512ull << 20)
#define ENTRIES_MAX 32u /* each holds one or two files open */

/* An object with its kept information; for the worker alone. */
struct entry {
	struct entry *next; /* the object used before this one */
	struct dso_key key, dump;
	char *path, *dump_path; /* owned: KEY's, DUMP's */
	struct srcline *lines;  /* NULL: it has none */
	struct object *object;  /* where code is, if not in the object of LINES; or NULL */
	/* Symbols' addresses minus that object's. */
	uint64_t code_moved;
	struct vmlinux_place lines_place; /* for a kernel; otherwise without an end */
	struct jitcode *jit;              /* for JIT code with a dump */
	char missing[512];
	struct error error; /* why it cannot be opened */
};

struct lines {
	struct lines_options options;
	struct loader *loader;
	uint64_t asked;
	struct entry *entries; /* the worker's, the last used first */
};

/* An answer and what it points to. */
struct answer {
	struct lines_answer answer; /* must be first */
	struct strtab *texts;
	struct srcline_frame *frames;
	size_t frame_count, frame_capacity;
	size_t *first; /* for each place: the index of its first frame */
	unsigned char *code;
	struct instruction *instructions;
	struct error missing, no_code;
};

struct lines_job {
	struct job job; /* must be first */
	struct lines *lines;
	struct lines_request request;
	uint64_t *addresses;   /* owned */
	struct answer *answer; /* owned until it is taken */
};

struct lines *lines_new(const struct lines_options *options)
{
	struct lines *l = mem_alloc(sizeof(*l));

	l->options = *options;
	if (!l->options.proc_root)
		l->options.proc_root = "/proc";
	if (!l->options.debug_root)
		l->options.debug_root = "/usr/lib/debug";
	if (!l->options.bytes_max)
		l->options.bytes_max = BYTES_MAX;
	l->loader = loader_new(!options->synchronous);
	return l;
}

static void entry_free(struct entry *e)
{
	srcline_close(e->lines);
	object_free(e->object);
	jitcode_free(e->jit);
	free(e->path);
	free(e->dump_path);
	free(e);
}

void lines_free(struct lines *l)
{
	struct entry *e, *next;

	if (!l || !loader_free(l->loader))
		return;
	for (e = l->entries; e; e = next) {
		next = e->next;
		entry_free(e);
	}
	free(l);
}

static bool same_object(const struct dso_key *a, const struct dso_key *b)
{
	return a->kind == b->kind && a->major == b->major && a->minor == b->minor &&
	       a->inode == b->inode && a->inode_generation == b->inode_generation &&
	       build_id_equal(&a->build_id, &b->build_id) &&
	       (a->inode || !strcmp(a->path, b->path)) && (a->kind != DSO_JIT || a->pid == b->pid);
}

/* A dump may appear later than its code, or be begun anew. */
static bool same_dump(const struct dso_key *a, const struct dso_key *b)
{
	return a->path && b->path ? same_object(a, b) : !a->path && !b->path;
}

static bool job_checkpoint(void *context)
{
	struct lines_job *job = context;

	return loader_checkpoint(job->lines->loader);
}

static const struct object *entry_object(const struct entry *e)
{
	return e->object ? e->object : e->lines ? srcline_object(e->lines) : NULL;
}

static void open_jit(struct entry *e, struct load *load)
{
	struct stat st;
	int fd;

	if (!e->dump.path)
		return;
	fd = jitdump_open(load, &st);
	if (fd >= 0)
		e->jit = jitcode_new(fd);
}

/* An ELF file with both lines and code. */
static void open_file(struct entry *e, struct load *load)
{
	e->lines = srcline_open(load);
	if (!e->lines) {
		load_open(load);
		e->object = load->object;
		load->object = NULL;
	}
	e->error = load->error;
}

/* Lines come from vmlinux; so does the code if no other source has it. */
static void open_vmlinux(struct entry *e, struct load *load, const struct vmlinux_identity *kernel)
{
	load->object = vmlinux_open(load, kernel);
	if (!load->object || !vmlinux_find_place(load, load->object, &e->lines_place)) {
		load_missing(load, "%s",
			     _("no vmlinux of this kernel, which would have its lines"));
		return;
	}
	e->lines = srcline_open(load);
	if (e->object)
		return;
	e->code_moved = e->lines_place.moved;
	e->object = e->lines ? NULL : vmlinux_open(load, kernel);
}

static void open_kernel(struct entry *e, struct load *load, const struct lines_options *o)
{
	struct utsname system = { .release = "" };
	struct vmlinux_identity kernel = { .release = system.release };
	char path[4096];

	snprintf(path, sizeof(path), "%s/kcore", o->proc_root);
	e->object = kcore_open(o->kcore ? o->kcore : path, &e->error);
	if (load->key.kind == DSO_BPF)
		return;
	load->kallsyms = o->kallsyms ? o->kallsyms : "/proc/kallsyms";
	if (o->kernel)
		kernel = *o->kernel;
	else if (!uname(&system))
		kernel.build_id = kernel_build_id("/sys/kernel/notes");
	kernel.local = o->local;
	open_vmlinux(e, load, &kernel);
}

static struct entry *entry_open(struct lines_job *job)
{
	struct entry *e = mem_alloc(sizeof(*e));
	struct load load = {
		.key = job->request.key,
		.dump = job->request.dump,
		.proc_root = job->lines->options.proc_root,
		.debug_root = job->lines->options.debug_root,
		.kallsyms = "",
		.checkpoint = job_checkpoint,
		.context = job,
	};

	e->path = mem_strdup(load.key.path);
	e->key = load.key;
	e->key.path = e->path;
	e->dump = load.dump;
	e->dump_path = load.dump.path ? mem_strdup(load.dump.path) : NULL;
	e->dump.path = e->dump_path;
	if (load.key.kind == DSO_JIT)
		open_jit(e, &load);
	else if (load.key.kind == DSO_KERNEL || load.key.kind == DSO_BPF)
		open_kernel(e, &load, &job->lines->options);
	else
		open_file(e, &load);
	memcpy(e->missing, load.missing, sizeof(e->missing));
	load_fini(&load);
	return e;
}

/* Closes the objects unused for longest, so that the rest is within the limits. */
static void lines_trim(struct lines *l)
{
	uint64_t bytes = 0;
	unsigned count = 0;
	struct entry **at = &l->entries, *e;

	while ((e = *at)) {
		if (e->lines)
			bytes += srcline_bytes(e->lines);
		if (count++ && (bytes > l->options.bytes_max || count > ENTRIES_MAX)) {
			*at = e->next;
			entry_free(e);
		} else {
			at = &e->next;
		}
	}
}

/* Returns the object's entry at the head of the list, and opens it if it is new. */
static struct entry *lines_entry(struct lines_job *job)
{
	struct lines *l = job->lines;
	struct entry **at = &l->entries, *e;

	while (*at && (!same_object(&(*at)->key, &job->request.key) ||
		       !same_dump(&(*at)->dump, &job->request.dump)))
		at = &(*at)->next;
	e = *at;
	if (e)
		*at = e->next;
	else
		e = entry_open(job);
	e->next = l->entries;
	l->entries = e;
	return e;
}

/* Also reads what was written since the last time. */
static void read_on(struct lines_job *job, struct entry *e)
{
	struct load load = { .checkpoint = job_checkpoint, .context = job };

	if (e->jit)
		jitcode_read_on(e->jit, &load);
}

/* Copies the frames, because the worker may close their object before the answer is read. */
static void add_frames(struct answer *a, const struct srcline_frame *frames, size_t count)
{
	mem_grow((void **)&a->frames, &a->frame_capacity, a->frame_count + count,
		 sizeof(*a->frames));
	for (size_t i = 0; i < count; i++) {
		struct srcline_frame *f = &a->frames[a->frame_count++];

		*f = frames[i];
		if (f->function)
			f->function = strtab_add(a->texts, f->function);
		if (f->file)
			f->file = strtab_add(a->texts, f->file);
		if (f->declared_in)
			f->declared_in = strtab_add(a->texts, f->declared_in);
	}
}

/* Finds the requested function, or the function that begins at ADDRESS. */
static const struct jitfunction *jit_function(const struct lines_job *job, const struct entry *e,
					      uint64_t address)
{
	const struct lines_request *r = &job->request;

	return e->jit ? jitcode_find(e->jit, r->code_size ? r->code_start : address) : NULL;
}

static size_t find_jit_line(const struct lines_job *job, const struct entry *e, uint64_t address,
			    struct srcline_frame *frame)
{
	const struct jitfunction *f = jit_function(job, e, address);

	return f && jitcode_line(e->jit, f, address, frame);
}

/* An address behind the kernel's code belongs to a module, and not to the vmlinux. */
static bool is_covered(const struct entry *e, uint64_t address)
{
	const struct vmlinux_place *p = &e->lines_place;

	return !p->end || (address >= p->start && address < p->end);
}

static void find_place(struct lines_job *job, const struct entry *e, size_t i)
{
	struct srcline_frame frames[SRCLINE_DEPTH_MAX];
	struct answer *a = job->answer;
	struct lines_place *place = &a->answer.places[i];
	uint64_t address = job->addresses[i];

	place->address = address;
	a->first[i] = a->frame_count;
	if (e->jit) {
		place->frame_count = find_jit_line(job, e, address, frames);
		add_frames(a, frames, place->frame_count);
		return;
	}
	if (!e->lines || loader_checkpoint(job->lines->loader) || !is_covered(e, address) ||
	    (job->request.offsets &&
	     !object_address_of_offset(srcline_object(e->lines), address, &address)))
		return;
	place->frame_count =
		srcline_find(e->lines, address - e->lines_place.moved, frames, SRCLINE_DEPTH_MAX);
	add_frames(a, frames, place->frame_count);
}

static void find_places(struct lines_job *job, const struct entry *e)
{
	struct answer *a = job->answer;
	size_t count = job->request.address_count;

	a->answer.place_count = count;
	a->answer.places = mem_array(count, sizeof(*a->answer.places));
	a->first = mem_array(count, sizeof(*a->first));
	for (size_t i = 0; i < count; i++)
		find_place(job, e, i);
	for (size_t i = 0; i < count && a->frames; i++)
		a->answer.places[i].frames = a->frames + a->first[i];
}

/* Call after the places were looked up. */
static void say_missing(struct answer *a, const struct entry *e)
{
	if (e->lines)
		srcline_missing(e->lines, &a->missing);
	else
		error_set(&a->missing, "%s", e->missing);
}

static size_t read_file_code(struct lines_job *job, const struct entry *e, size_t size)
{
	const struct object *o = entry_object(e);

	if (!o || !o->elf)
		return 0;
	return object_read_code(o, job->request.code_start - e->code_moved, job->answer->code,
				size);
}

/* The dump has the code as the compiler made it; memory has the present code. */
static size_t read_jit_code(struct lines_job *job, const struct entry *e, size_t size)
{
	const struct jitfunction *f = jit_function(job, e, job->request.code_start);
	struct answer *a = job->answer;
	const struct livecode live = { job->lines->options.proc_root, e->key.pid,
				       job->request.code_start };
	size_t got = f ? jitcode_bytes(e->jit, f, a->code, size) : 0;

	if (got) {
		a->answer.machine = jitcode_machine(e->jit);
		return got;
	}
	if (job->lines->options.live)
		return livecode_read(&live, a->code, size, &a->answer.machine, &a->no_code);
	error_set(&a->no_code, "%s", _("made while it ran, and in no file: addresses alone"));
	return 0;
}

static void read_code(struct lines_job *job, const struct entry *e)
{
	struct answer *a = job->answer;
	const struct object *o = entry_object(e);
	uint64_t size = job->request.code_size;

	if (o && o->elf)
		a->answer.machine = o->header.e_machine;
	if (!size)
		return;
	size = size < LINES_CODE_MAX ? size : LINES_CODE_MAX;
	a->code = mem_alloc(size);
	a->answer.code_size =
		e->key.kind == DSO_JIT ? read_jit_code(job, e, size) : read_file_code(job, e, size);
	a->answer.code = a->code;
}

/* Says why the function's bytes are missing. */
static void explain_code(struct answer *a, const struct entry *e)
{
	const struct object *o = entry_object(e);

	if (*a->no_code.text)
		return;
	if (!o && (e->key.kind == DSO_KERNEL || !*e->missing))
		a->no_code = e->error; /* a kernel's MISSING is about lines: its vmlinux */
	else if (!o)
		error_set(&a->no_code, "%s", e->missing);
	else if (!o->elf)
		error_set(&a->no_code, _("%s is no ELF file"), e->path);
	else
		error_set(&a->no_code, _("%s does not hold its code"), e->path);
}

/* Lines are looked up for the instructions. */
static void disassemble(struct lines_job *job, const struct entry *e)
{
	struct answer *a = job->answer;
	const struct disassembly_request request = {
		.machine = a->answer.machine,
		.code = a->code,
		.size = a->answer.code_size,
		.address = job->request.code_start,
		.stop = job_checkpoint,
		.context = job,
	};
	size_t count = 0;

	if (!request.size)
		explain_code(a, e);
	else
		a->instructions = disassembly_make(&request, a->texts, &count, &a->no_code);
	if (count == DISASSEMBLY_MAX)
		error_set(&a->no_code, _("only its first %u instructions"), DISASSEMBLY_MAX);
	a->answer.instructions = a->instructions;
	a->answer.instruction_count = count;
	free(job->addresses);
	job->addresses = mem_array(count, sizeof(*job->addresses));
	for (size_t i = 0; i < count; i++)
		job->addresses[i] = a->instructions[i].address;
	job->request.address_count = count;
	job->request.offsets = false;
}

static int compare_places(const void *left, const void *right)
{
	const struct srcline_frame *x = (*(struct lines_place *const *)left)->frames;
	const struct srcline_frame *y = (*(struct lines_place *const *)right)->frames;

	return (x->file > y->file) - (x->file < y->file);
}

/* Texts are interned: places of one file have the same pointer. */
static void read_sources(struct lines_job *job, const struct entry *e, struct lines_place **places,
			 size_t count)
{
	struct answer *a = job->answer;
	struct source_file *f = NULL;
	const char *opened = NULL;
	const struct object *program = e->lines ? srcline_object(e->lines) : e->object;
	struct load load = { .key = job->request.key,
			     .proc_root = job->lines->options.proc_root,
			     .checkpoint = job_checkpoint,
			     .context = job };

	for (size_t i = 0; i < count && !loader_checkpoint(job->lines->loader); i++) {
		const struct srcline_frame *frame = places[i]->frames;
		const char *text;
		size_t size;

		if (frame->file != opened) {
			source_file_close(f);
			f = source_file_open(&load, program, frame->file);
			opened = frame->file;
		}
		text = f ? source_file_line(f, frame->line, &size) : NULL;
		if (text)
			places[i]->text = strtab_add_n(a->texts, text, size);
	}
	source_file_close(f);
}

static void find_sources(struct lines_job *job, const struct entry *e)
{
	struct lines_answer *a = &job->answer->answer;
	struct lines_place **places = mem_array(a->place_count, sizeof(*places));
	size_t count = 0;

	for (size_t i = 0; i < a->place_count; i++) {
		if (a->places[i].frame_count && a->places[i].frames->file)
			places[count++] = &a->places[i];
	}
	qsort(places, count, sizeof(*places), compare_places);
	read_sources(job, e, places, count);
	free(places);
}

static void job_prepare(struct job *j)
{
	j->cost = 1; /* all are equal: none runs within another */
}

static bool job_run(struct job *j)
{
	struct lines_job *job = (struct lines_job *)j;
	struct answer *a = job->answer;
	struct entry *e = lines_entry(job);

	read_on(job, e);
	a->answer.has_lines = e->lines || e->jit;
	read_code(job, e);
	if (job->request.instructions)
		disassemble(job, e);
	find_places(job, e);
	say_missing(a, e);
	if (job->request.instructions)
		find_sources(job, e);
	lines_trim(job->lines);
	return true;
}

static void job_drop(struct job *j)
{
	struct lines_job *job = (struct lines_job *)j;

	if (job->answer)
		lines_answer_free(&job->answer->answer);
	free(job->addresses);
	free(job);
}

uint64_t lines_ask(struct lines *l, const struct lines_request *request)
{
	struct lines_job *job = mem_alloc(sizeof(*job));
	size_t count = request->address_count;
	uint64_t id = ++l->asked;

	job->job = (struct job){
		.cost = UINT64_MAX, .prepare = job_prepare, .run = job_run, .drop = job_drop
	};
	job->lines = l;
	job->request = *request;
	count = count < LINES_ADDRESSES_MAX ? count : LINES_ADDRESSES_MAX;
	job->request.address_count = count;
	job->addresses = mem_array(count, sizeof(*job->addresses));
	if (count)
		memcpy(job->addresses, request->addresses, count * sizeof(*job->addresses));
	job->answer = mem_alloc(sizeof(*job->answer));
	job->answer->texts = strtab_new();
	job->answer->answer.id = id;
	job->answer->answer.missing = job->answer->missing.text;
	job->answer->answer.no_code = job->answer->no_code.text;
	loader_submit(l->loader, &job->job);
	return id;
}

int lines_fd(const struct lines *l)
{
	return loader_fd(l->loader);
}

struct lines_answer *lines_take(struct lines *l)
{
	struct lines_job *job = (struct lines_job *)loader_take(l->loader);
	struct answer *a;

	if (!job)
		return NULL;
	a = job->answer;
	job->answer = NULL;
	job_drop(&job->job);
	return &a->answer;
}

void lines_answer_free(struct lines_answer *answer)
{
	struct answer *a = (struct answer *)answer;

	if (!a)
		return;
	strtab_free(a->texts);
	free(a->answer.places);
	free(a->frames);
	free(a->first);
	free(a->code);
	free(a->instructions);
	free(a);
}
