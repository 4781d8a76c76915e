/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "symbol/line-entry.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/i18n.h"
#include "symbol/jitcode.h"
#include "symbol/jitdump.h"
#include "symbol/line-kernel.h"
#include "symbol/livecode.h"
#include "symbol/object.h"
#include "symbol/symbol-source.h"
#include "symbol/vmlinux.h"

struct line_entry {
	enum dso_kind kind;
	uint32_t pid;
	char *path;            /* owned */
	struct srcline *lines; /* NULL: it has none */
	struct object *object; /* where code is, if not in the object of LINES; or NULL */
	/* Symbols' addresses minus that object's. */
	uint64_t code_moved;
	struct vmlinux_place lines_place; /* for a kernel; otherwise without an end */
	struct jitcode *jit;              /* for JIT code with a dump */
	char missing[512];
	struct error error; /* why it cannot be opened */
};

void line_entry_close(struct line_entry *e)
{
	if (!e)
		return;
	srcline_close(e->lines);
	object_free(e->object);
	jitcode_free(e->jit);
	free(e->path);
	free(e);
}

size_t line_entry_bytes(const struct line_entry *e)
{
	return e->lines ? srcline_bytes(e->lines) : 0;
}

static const struct object *entry_object(const struct line_entry *e)
{
	return e->object ? e->object : e->lines ? srcline_object(e->lines) : NULL;
}

static void open_jit(struct line_entry *e, struct load *load)
{
	int fd = load->has_file ? load->file : load->dump.path ? jitdump_open(load) : -1;

	load->has_file = false;
	if (fd >= 0)
		e->jit = jitcode_new(fd);
}

/* An ELF file with both lines and code. */
static void open_file(struct line_entry *e, struct load *load)
{
	e->lines = srcline_open(load);
	e->object = load->object;
	load->object = NULL;
	e->error = load->error;
}

/* Lines come from vmlinux; so does the code if no other source has it. */
static void open_vmlinux(struct line_entry *e, struct load *load, const struct line_kernel *k)
{
	load->object = vmlinux_open(load, &k->vmlinux);
	if (!load->object || !vmlinux_find_place(load, load->object, &k->place, &e->lines_place)) {
		load_missing(load, "%s",
			     _("no vmlinux of this kernel, which would have its lines"));
		return;
	}
	e->lines = srcline_open(load);
	e->code_moved = e->lines_place.moved;
	e->object = load->object;
	load->object = NULL;
}

/* Where its sections are not known, that has been said.  Its code is in the kernel's memory. */
static void open_module(struct line_entry *e, struct load *load, const struct line_kernel *k)
{
	char id[BUILD_ID_TEXT];

	load->object = vmlinux_open_module(load, &k->module);
	if (!load->object) {
		load_missing(load, _("stripped, and no debug file for build id %s"),
			     k->module.build_id.size ? build_id_format(&k->module.build_id, id)
						     : "-");
		return;
	}
	load->module = &k->module;
	e->lines = srcline_open(load);
	load->module = NULL;
	e->object = load->object;
	load->object = NULL;
}

struct line_entry *line_entry_open(struct load *l, const struct line_kernel *k)
{
	struct line_entry *e = mem_alloc(sizeof(*e));

	e->kind = l->key.kind;
	e->pid = l->key.pid;
	e->path = mem_strdup(l->key.path);
	if (l->key.kind == DSO_JIT)
		open_jit(e, l);
	else if (l->key.kind == DSO_KERNEL && k->is_module)
		open_module(e, l, k);
	else if (l->key.kind == DSO_KERNEL)
		open_vmlinux(e, l, k);
	else if (l->key.kind != DSO_BPF)
		open_file(e, l);
	memcpy(e->missing, l->missing, sizeof(e->missing));
	return e;
}

/* Also reads what was written since the last time. */
static void read_on(const struct line_question *q, struct line_entry *e)
{
	struct load load = { .checkpoint = q->stop, .context = q->context };

	if (e->jit)
		jitcode_read_on(e->jit, &load);
}

/* Finds the requested function, or the function that begins at ADDRESS. */
static const struct jitfunction *jit_function(const struct line_question *q,
					      const struct line_entry *e, uint64_t address)
{
	const struct lines_request *r = q->request;

	return e->jit ? jitcode_find(e->jit, r->code_size ? r->code_start : address) : NULL;
}

static size_t find_jit_line(const struct line_question *q, const struct line_entry *e,
			    uint64_t address, struct srcline_frame *frame)
{
	const struct jitfunction *f = jit_function(q, e, address);

	return f && jitcode_line(e->jit, f, address, frame);
}

/* An address behind the kernel's code belongs to a module, and not to the vmlinux. */
static bool is_covered(const struct line_entry *e, uint64_t address)
{
	const struct vmlinux_place *p = &e->lines_place;

	return !p->end || (address >= p->start && address < p->end);
}

static bool is_stopped(const struct line_question *q)
{
	return q->stop && q->stop(q->context);
}

/* The frames at ADDRESS; OFFSETS: it is an offset in the file. */
static size_t find_frames(const struct line_question *q, const struct line_entry *e,
			  uint64_t address, bool offsets, struct srcline_frame *frames)
{
	if (e->jit)
		return find_jit_line(q, e, address, frames);
	if (!e->lines || is_stopped(q) || !is_covered(e, address) ||
	    (offsets && !object_address_of_offset(srcline_object(e->lines), address, &address)))
		return 0;
	return srcline_find(e->lines, address - e->lines_place.moved, frames, SRCLINE_DEPTH_MAX);
}

static void find_place(const struct line_question *q, const struct line_entry *e,
		       struct line_answer *a, size_t i)
{
	const bool instructions = q->request->instructions;
	uint64_t address = instructions ? a->instructions[i].address : q->request->addresses[i];
	struct srcline_frame frames[SRCLINE_DEPTH_MAX];
	size_t count = find_frames(q, e, address, q->request->offsets && !instructions, frames);

	a->answer.places[i].address = address;
	line_answer_add(a, i, frames, count);
}

/* With instructions they are the places. */
static void find_places(const struct line_question *q, const struct line_entry *e,
			struct line_answer *a)
{
	line_answer_set_places(a, q->request->instructions ? a->answer.instruction_count
							   : q->request->address_count);
	for (size_t i = 0; i < a->answer.place_count; i++)
		find_place(q, e, a, i);
}

/* Call after the places were looked up. */
static void say_missing(struct line_answer *a, const struct line_entry *e)
{
	if (*a->missing.text)
		return;
	if (e->lines)
		srcline_missing(e->lines, &a->missing);
	else
		error_set(&a->missing, "%s", e->missing);
}

static size_t read_file_code(const struct line_question *q, const struct line_entry *e,
			     struct line_answer *a, size_t size)
{
	const struct object *o = entry_object(e);

	if (!o || !o->elf)
		return 0;
	return object_read_code(o, q->request->code_start - e->code_moved, a->code, size);
}

/* The dump has the code as the compiler made it; memory has the present code. */
static size_t read_jit_code(const struct line_question *q, const struct line_entry *e,
			    struct line_answer *a, size_t size)
{
	const struct jitfunction *f = jit_function(q, e, q->request->code_start);
	const struct livecode live = { q->options->proc_root, e->pid, q->request->code_start };
	size_t got = f ? jitcode_bytes(e->jit, f, a->code, size) : 0;

	if (got) {
		a->answer.machine = jitcode_machine(e->jit);
		return got;
	}
	if (q->options->live)
		return livecode_read(&live, a->code, size, &a->answer.machine, &a->no_code);
	error_set(&a->no_code, "%s", _(LINES_NO_JIT_CODE));
	return 0;
}

static size_t take_code(const struct line_question *q, struct line_answer *a, size_t size)
{
	size = size < q->code_size ? size : q->code_size;
	memcpy(a->code, q->code, size);
	a->answer.machine = q->machine;
	return size;
}

static void read_code(const struct line_question *q, const struct line_entry *e,
		      struct line_answer *a)
{
	const struct object *o = entry_object(e);
	uint64_t size = q->request->code_size;

	if (o && o->elf)
		a->answer.machine = o->header.e_machine;
	if (!size)
		return;
	size = size < LINES_CODE_MAX ? size : LINES_CODE_MAX;
	a->code = mem_alloc(size);
	if (q->code)
		a->answer.code_size = take_code(q, a, size);
	else if (e->kind == DSO_JIT)
		a->answer.code_size = read_jit_code(q, e, a, size);
	else
		a->answer.code_size = read_file_code(q, e, a, size);
}

/* Says why the function's bytes are missing.  A kernel's MISSING is about lines: its vmlinux. */
static void explain_code(struct line_answer *a, const struct line_entry *e)
{
	const struct object *o = entry_object(e);

	if (*a->no_code.text)
		return;
	if (!o && (e->kind == DSO_KERNEL || !*e->missing))
		a->no_code = e->error;
	else if (!o)
		error_set(&a->no_code, "%s", e->missing);
	else if (!o->elf)
		error_set(&a->no_code, _("%s is no ELF file"), e->path);
	else
		error_set(&a->no_code, _("%s does not hold its code"), e->path);
}

static void disassemble(const struct line_question *q, const struct line_entry *e,
			struct line_answer *a)
{
	const struct disassembly_request request = {
		.machine = a->answer.machine,
		.code = a->code,
		.size = a->answer.code_size,
		.address = q->request->code_start,
		.stop = q->stop,
		.context = q->context,
	};
	size_t count = 0;

	if (!request.size)
		explain_code(a, e);
	else
		a->instructions = disassembly_make(&request, a->texts, &count, &a->no_code);
	if (count == DISASSEMBLY_MAX)
		error_set(&a->no_code, _("only its first %u instructions"), DISASSEMBLY_MAX);
	a->answer.instruction_count = count;
}

static int compare_places(const void *left, const void *right)
{
	const struct srcline_frame *x = (*(struct lines_place *const *)left)->frames;
	const struct srcline_frame *y = (*(struct lines_place *const *)right)->frames;

	return (x->file > y->file) - (x->file < y->file);
}

/* Texts are interned: places of one file have the same pointer. */
static void read_sources(const struct line_question *q, struct line_answer *a,
			 struct lines_place **places, size_t count)
{
	struct source_file *f = NULL;
	const char *opened = NULL;

	for (size_t i = 0; i < count && !is_stopped(q); i++) {
		const struct srcline_frame *frame = places[i]->frames;
		const char *text;
		size_t size;

		if (frame->file != opened) {
			source_file_close(f);
			f = source_file_open(q->sources, &a->program, frame->file);
			opened = frame->file;
		}
		text = f ? source_file_line(f, frame->line, &size) : NULL;
		if (text)
			places[i]->text = strtab_add_n(a->texts, text, size);
	}
	source_file_close(f);
}

/* Call when each place has its frames where they stay. */
static void find_sources(const struct line_question *q, struct line_answer *line_answer)
{
	struct lines_answer *a = &line_answer->answer;
	struct lines_place **places = mem_array(a->place_count, sizeof(*places));
	size_t count = 0;

	for (size_t i = 0; i < a->place_count; i++) {
		if (a->places[i].frame_count && a->places[i].frames->file)
			places[count++] = &a->places[i];
	}
	qsort(places, count, sizeof(*places), compare_places);
	read_sources(q, line_answer, places, count);
	free(places);
}

void line_entry_answer(struct line_entry *e, const struct line_question *q, struct line_answer *a)
{
	const struct object *program = e->lines ? srcline_object(e->lines) : e->object;

	read_on(q, e);
	a->answer.has_lines = e->lines || e->jit;
	if (program)
		a->program = object_build_id(program);
	read_code(q, e, a);
	if (q->request->instructions)
		disassemble(q, e, a);
	find_places(q, e, a);
	say_missing(a, e);
	line_answer_finish(a);
	if (q->request->instructions && q->sources)
		find_sources(q, a);
}
