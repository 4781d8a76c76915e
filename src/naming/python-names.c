/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "naming/python-names.h"

#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "base/strtab.h"
#include "base/time-share.h"
#include "naming/data.h"

#define PROGRAMS 64 /* processes that are read in turn; a power of two */
#define PLACES 4    /* of these, where one process may be */
#define THREADS 32  /* of a process; a power of two */
#define CODES 1024  /* likewise */
#define STATUS_BYTES 4096
#define PATHS_MAX 4 /* files of a process that may hold an interpreter */

#define FRESH_NS (200 * 1000 * 1000ull)  /* from a sample to the reading behind it, at most */
#define BEFORE_NS (200 * 1000 * 1000ull) /* and from the reading in front of it */
#define CODE_NS (20 * 1000 * 1000ull)    /* how long a code object is taken to be the same */
#define KEEP_NS NS_PER_S /* from a process's last sample until another has its place */
#define BURST_NS (20 * 1000 * 1000ull) /* of work on credit */
#define PROGRAM_REST 49u               /* 1 / PYTHON_SHARE - 1 */
#define TOTAL_REST 24u

#define OBJECT_BASE 0xc0000000u /* objects of code have lower numbers, as data.c's have */
#define FILES_MAX 16384u
#define FUNCTIONS_MAX (1u << 20)

/*
 * How much of the evaluator's frame around an anchor is looked at: its locals are within some 300 bytes in each
 * build that was seen.
 */
#define BELOW_BYTES 512u
#define ABOVE_BYTES 256u

struct reading {
	uint64_t at_ns; /* 0: none */
	enum python_result result;
	struct python_stack stack;
};

struct python_thread_state {
	uint32_t tid;
	uint64_t own_tid; /* in its own namespace */
	uint64_t address; /* of the interpreter's state of it; 0: not found yet */
	bool walked;      /* samples shall bring its frames */
	int newest;
	struct reading readings[2];
};

struct code_entry {
	uint64_t address, checked_ns;
	struct python_code code;
	uint32_t frame;
};

struct program {
	uint32_t serial, pid;
	uint64_t used_ns; /* its newest sample */
	uint64_t generation;
	bool found;
	struct python_runtime runtime;
	struct python_thread_state *threads[THREADS]; /* owned, or NULL */
	struct code_entry codes[CODES];
};

/* In process->python.kind. */
enum kind {
	KIND_UNKNOWN, /* nobody has looked at it */
	KIND_OTHER,   /* nothing that it maps is called Python */
	KIND_FOREIGN, /* Python, of another user */
	KIND_OWN,     /* Python that may be read */
};

struct python_names {
	struct python_names_options use;
	struct program *programs[PROGRAMS]; /* owned, or NULL */
	struct time_share share;
	struct strtab *paths;
	struct map files;     /* a path's address in PATHS to its object's number */
	struct map functions; /* the hash of file, name and line to the frame */
	uint32_t function_count;
	bool wanted;
	struct python_calls calls;
	struct python_stack walked;
};

static bool read_process(void *context, uint32_t pid, uint64_t address, void *to, size_t size)
{
	const struct iovec here = { to, size };
	const struct iovec there = { (void *)(uintptr_t)address, size };

	(void)context;
	return process_vm_readv((pid_t)pid, &here, 1, &there, 1, 0) == (ssize_t)size;
}

struct python_names *python_names_new(const struct python_names_options *options)
{
	struct python_names *n = mem_alloc(sizeof(*n));

	n->use = *options;
	if (!n->use.read)
		n->use.read = read_process;
	n->paths = strtab_new();
	n->functions.seed = hash_seed();
	return n;
}

static void stop_walking(const struct python_names *n, struct python_thread_state *t)
{
	if (t->walked)
		source_watch_python(n->use.walker, t->tid, NULL);
	t->walked = false;
}

static void forget_threads(const struct python_names *n, struct program *p)
{
	for (size_t i = 0; i < THREADS; i++) {
		if (p->threads[i])
			stop_walking(n, p->threads[i]);
		free(p->threads[i]);
		p->threads[i] = NULL;
	}
}

static void program_free(const struct python_names *n, struct program *p)
{
	if (p)
		forget_threads(n, p);
	free(p);
}

void python_names_free(struct python_names *n)
{
	if (!n)
		return;
	for (size_t i = 0; i < PROGRAMS; i++)
		program_free(n, n->programs[i]);
	map_fini(&n->files);
	map_fini(&n->functions);
	strtab_free(n->paths);
	free(n);
}

/* Memory. */

struct place_of_memory {
	struct python_names *names;
	uint32_t pid;
};

static bool read_memory(void *context, uint64_t address, void *to, size_t size)
{
	const struct place_of_memory *m = context;

	return m->names->use.read(m->names->use.context, m->pid, address, to, size);
}

/* Programs. */

/* Where the files begin that may hold the interpreter.  Their number. */
static size_t find_images(struct space *space, uint64_t images[PATHS_MAX])
{
	const char *last = NULL;
	size_t count = 0;

	for (size_t i = 0; i < space_count(space) && count < PATHS_MAX; i++) {
		const struct mapping *m = space_at(space, i);

		if (m->path == last || !python_is_name(data_short_name(m->path)))
			continue;
		last = m->path;
		images[count++] = m->start - m->pgoff;
	}
	return count;
}

/*
 * Programs of the real user alone.  A page of a mapped file may be on a file system that never answers; whoever reads it
 * waits without end, and SIGKILL does not help.  No user may do that to another.
 */
static bool may_read(const struct python_names *n, uint32_t pid)
{
	uint32_t uid;

	return !procfs_owner(n->use.procfs, pid, &uid) && uid == getuid();
}

/* Time. */

/* All together pay for what is read, and so only processes that may be read. */
static bool has_time(const struct python_names *n, const struct process *p, uint64_t now_ns)
{
	return (p->python.kind != KIND_OWN ||
		time_share_due(&n->share, BURST_NS, TOTAL_REST) <= now_ns) &&
	       time_share_due(&p->python.share, BURST_NS, PROGRAM_REST) <= now_ns;
}

static void charge(struct python_names *n, struct process *p, uint64_t began_ns)
{
	uint64_t now_ns = clock_monotonic_ns(n->use.clock);

	if (p->python.kind == KIND_OWN)
		time_share_charge(&n->share, now_ns, now_ns - began_ns, TOTAL_REST);
	time_share_charge(&p->python.share, now_ns, now_ns - began_ns, PROGRAM_REST);
}

/* Finding. */

/* A process chooses how many mappings it has and when they change.  Without time it stays what it was. */
static enum kind kind_of(struct python_names *n, struct process *p, struct space *space)
{
	uint64_t images[PATHS_MAX], began_ns;

	if (p->python.kind != KIND_UNKNOWN && p->python.generation == space_generation(space))
		return p->python.kind;
	began_ns = clock_monotonic_ns(n->use.clock);
	if (!has_time(n, p, began_ns))
		return p->python.kind;
	p->python.generation = space_generation(space);
	if (!find_images(space, images))
		p->python.kind = KIND_OTHER;
	else
		p->python.kind = may_read(n, p->pid) ? KIND_OWN : KIND_FOREIGN;
	charge(n, p, began_ns);
	return p->python.kind;
}

static void forget_what_was_read(const struct python_names *n, struct program *p)
{
	forget_threads(n, p);
	memset(p->codes, 0, sizeof(p->codes));
}

/* It may be another program's since. */
static void forget_runtime(struct program *p, struct process *process)
{
	p->found = false;
	process->python.evaluator = 0;
	process->python.part_start = process->python.part_end = 0;
}

/* The interpreter of P, by what it maps now; PROCESS gets the evaluator's part. */
static void find_runtime(struct python_names *n, struct program *p, struct process *process,
			 struct space *space)
{
	struct place_of_memory place = { n, p->pid };
	const struct python_memory memory = { read_memory, &place };
	const uint64_t was = p->found ? p->runtime.address : 0;
	struct python_evaluator e = { 0 };
	uint64_t images[PATHS_MAX];
	size_t count = find_images(space, images), i;

	p->found = false;
	for (i = 0; i < count && !p->found; i++)
		p->found = python_find(&p->runtime, &memory, images[i]) == PYTHON_OK;
	if (p->found && p->runtime.address == was)
		return;
	forget_what_was_read(n, p);
	if (p->found)
		python_evaluator_find(&e, &memory, images[i - 1]);
	process->python.evaluator = e.code.start;
	process->python.part_start = e.part.start;
	process->python.part_end = e.part.end;
}

/* Where PROCESS is, or may be from TIME_NS on.  NULL: others run in all of its places, and keep them. */
static struct program **place_of(struct python_names *n, const struct process *process,
				 uint64_t time_ns)
{
	struct program **best = NULL;

	for (size_t i = 0; i < PLACES; i++) {
		struct program **at =
			&n->programs[(hash_u64(process->serial) + i) & (PROGRAMS - 1)];

		if (*at && (*at)->serial == process->serial)
			return at;
		if (!best || (*best && (!*at || (*at)->used_ns < (*best)->used_ns)))
			best = at;
	}
	return !*best || (*best)->used_ns + KEEP_NS <= time_ns ? best : NULL;
}

/*
 * The interpreter of PROCESS as it is now, or NULL.  Its mappings decide how long the search takes, so it pays for that as
 * for readings.  Until it can, nothing of it is read: the one that was known may be another by now.
 */
static struct program *program_of(struct python_names *n, struct process *process,
				  struct space *space, uint64_t time_ns)
{
	struct program **at = place_of(n, process, time_ns);
	uint64_t began_ns;

	if (!at)
		return NULL;
	if (*at && (*at)->serial != process->serial) {
		program_free(n, *at);
		*at = NULL;
	}
	if (!*at) {
		*at = mem_alloc(sizeof(**at));
		(*at)->serial = process->serial;
		(*at)->pid = process->pid;
		(*at)->generation = UINT64_MAX; /* that of no space */
	}
	(*at)->used_ns = time_ns;
	if ((*at)->generation != space_generation(space)) {
		began_ns = clock_monotonic_ns(n->use.clock);
		if (!has_time(n, process, began_ns)) {
			forget_runtime(*at, process);
			return NULL;
		}
		(*at)->generation = space_generation(space);
		find_runtime(n, *at, process, space);
		charge(n, process, began_ns);
	}
	return (*at)->found ? *at : NULL;
}

/* Readings. */

static uint64_t own_tid(const struct python_names *n, uint32_t pid, uint32_t tid)
{
	char text[STATUS_BYTES];
	struct task_status status;
	ssize_t size = procfs_read_task(n->use.procfs, pid, tid, "status", text, sizeof(text));

	if (size < 0 || task_status_parse(text, (size_t)size, &status) || !status.nspid)
		return tid;
	return status.nspid;
}

static struct python_thread_state *thread_of(const struct python_names *n, struct program *p,
					     uint32_t tid)
{
	struct python_thread_state **at = &p->threads[hash_u64(tid) & (THREADS - 1)];

	if (!*at)
		*at = mem_alloc(sizeof(**at));
	if ((*at)->tid != tid) {
		stop_walking(n, *at);
		memset(*at, 0, sizeof(**at));
		(*at)->tid = tid;
		(*at)->own_tid = own_tid(n, p->pid, tid);
	}
	return *at;
}

/* T was just read: from now on its samples bring the frames, if they can. */
static void start_walking(struct python_names *n, const struct program *p,
			  const struct python_memory *memory, struct python_thread_state *t)
{
	struct python_walk walk;

	t->walked = n->use.walker && python_walk_make(&p->runtime, memory, t->address, &walk) &&
		    !source_watch_python(n->use.walker, t->tid, &walk);
}

static enum python_result read_frames(struct python_names *n, struct program *p,
				      struct python_thread_state *t, struct python_stack *to)
{
	struct place_of_memory place = { n, p->pid };
	const struct python_memory memory = { read_memory, &place };
	enum python_result result = PYTHON_CHANGED;

	if (t->address)
		result = python_stack_read(&p->runtime, &memory, t->address, t->own_tid, to);
	if (result == PYTHON_CHANGED) {
		t->address = python_thread(&p->runtime, &memory, t->own_tid);
		result = PYTHON_NONE;
		if (t->address)
			result =
				python_stack_read(&p->runtime, &memory, t->address, t->own_tid, to);
	}
	if (result == PYTHON_OK && !t->walked)
		start_walking(n, p, &memory, t);
	return result;
}

/* Reads the frames of T, unless that was done since the sample.  False: there is no time for it. */
static bool read_behind(struct python_names *n, struct process *process, struct program *p,
			struct python_thread_state *t, uint64_t time_ns)
{
	uint64_t now_ns;
	struct reading *r;

	if (time_ns < t->readings[t->newest].at_ns)
		return true;
	now_ns = clock_monotonic_ns(n->use.clock);
	if (!has_time(n, process, now_ns))
		return false;
	t->newest = !t->newest;
	r = &t->readings[t->newest];
	r->at_ns = now_ns;
	r->result = read_frames(n, p, t, &r->stack);
	charge(n, process, now_ns);
	return true;
}

/* Names. */

/* The number for the object of FILE, with its own copy of that; 0: there are too many. */
static uint32_t object_of(struct python_names *n, const char **file)
{
	const char *own = strtab_find(n->paths, *file);
	uintptr_t object = own ? (uintptr_t)map_find(&n->files, (uintptr_t)own) : 0;

	if (object)
		*file = own;
	if (object || n->files.count >= FILES_MAX)
		return (uint32_t)object;
	*file = own = strtab_add(n->paths, *file);
	object = OBJECT_BASE + n->files.count;
	map_put(&n->files, (uintptr_t)own, (void *)object);
	return (uint32_t)object;
}

static uint32_t make_frame(struct python_names *n, const struct process *process, const char *name,
			   const char *file, uint32_t line)
{
	struct frame_key key = { .payer = process->uid == UINT32_MAX ? 0 : process->uid + 1,
				 .raw = name,
				 .named_by = NAMED_BY_PYTHON };
	uint32_t frame;

	key.object = object_of(n, &file);
	if (!key.object || n->function_count >= FUNCTIONS_MAX)
		return FRAME_REST;
	key.symbol = n->function_count++;
	key.object_path = file;
	key.object_name = data_short_name(file);
	frame = frame_table_add(n->use.frames, &key);
	if (frame != FRAME_REST)
		frame_set_source(n->use.frames, frame, file, line);
	return frame;
}

/* The same function has the same frame in all processes. */
static uint32_t frame_of(struct python_names *n, const struct process *process, const char *name,
			 const char *file, uint32_t line)
{
	uint64_t id = hash_bytes_seeded(n->functions.seed, name, strlen(name));
	uintptr_t frame;

	id = hash_bytes_seeded(id, file, strlen(file)) + line;
	frame = (uintptr_t)map_find(&n->functions, id);
	if (!frame) {
		frame = make_frame(n, process, name, file, line);
		map_put(&n->functions, id, (void *)frame);
	}
	return (uint32_t)frame;
}

static bool same_code(const struct python_code *a, const struct python_code *b)
{
	return a->start == b->start && a->end == b->end && a->name == b->name &&
	       a->file == b->file && a->line == b->line;
}

/* The code object at ADDRESS, with its frame; NULL: that is none. */
static const struct code_entry *code_at(struct python_names *n, const struct process *process,
					struct program *p, uint64_t address, uint64_t now_ns)
{
	struct place_of_memory place = { n, p->pid };
	const struct python_memory memory = { read_memory, &place };
	struct code_entry *e = &p->codes[hash_u64(address) & (CODES - 1)];
	char name[PYTHON_TEXT + 1], file[PYTHON_TEXT + 1];
	struct python_code code;

	if (e->address == address && now_ns - e->checked_ns < CODE_NS)
		return e;
	if (!python_code_read(&p->runtime, &memory, address, &code))
		return NULL;
	if (e->address != address || !same_code(&e->code, &code)) {
		if (!python_text_read(&p->runtime, &memory, code.name, name) ||
		    !python_text_read(&p->runtime, &memory, code.file, file))
			return NULL;
		e->frame = frame_of(n, process, name, file, code.line);
	}
	e->address = address;
	e->code = code;
	e->checked_ns = now_ns;
	return e;
}

/* Agreement. */

/* A sample, and the stack pointer of the moment when it was taken. */
struct evidence {
	const struct record_sample *sample;
	uint64_t sp;
	uint64_t inside; /* up to here entries were found whose place was not known before */
};

/* x86-64: bit 7 of the registers is the stack pointer (arch/x86/include/uapi/asm/perf_regs.h); aarch64: 31. */
#if defined(__aarch64__)
#define SP_BIT 31
#else
#define SP_BIT 7
#endif

static uint64_t register_word(const struct record_sample *s, unsigned i)
{
	uint64_t word;

	memcpy(&word, (const char *)s->user_regs + i * sizeof(word), sizeof(word));
	return word;
}

static bool evidence_of(struct evidence *e, const struct record_sample *s)
{
	if (!s->user_stack || !record_user_register(s, SP_BIT, &e->sp))
		return false;
	e->sample = s;
	e->inside = e->sp;
	return true;
}

/* The word of the copy at ADDRESS; false: that is not in it. */
static bool stack_word(const struct evidence *e, uint64_t address, uint64_t *word)
{
	uint64_t offset = address - e->sp;

	if (address < e->sp || e->sample->user_stack_size < sizeof(*word) ||
	    offset > e->sample->user_stack_size - sizeof(*word))
		return false;
	memcpy(word, (const char *)e->sample->user_stack + offset, sizeof(*word));
	return true;
}

static bool points_into(uint64_t word, const struct python_code *code)
{
	return word >= code->start && word < code->end;
}

/* Returns true if a register is at least START and below END. */
static bool registers_have(const struct evidence *e, uint64_t start, uint64_t end)
{
	unsigned count = (unsigned)__builtin_popcountll(e->sample->user_regs_mask);

	for (unsigned i = 0; i < count; i++) {
		uint64_t word = register_word(e->sample, i);

		if (word >= start && word < end)
			return true;
	}
	return false;
}

/* Returns true if the evaluator's frame of ANCHOR, or with INNERMOST a register, tells that CODE runs. */
static bool stack_has(const struct evidence *e, uint64_t anchor, const struct python_code *code)
{
	uint64_t from = anchor < BELOW_BYTES ? 0 : anchor - BELOW_BYTES, word;

	for (uint64_t at = from; at < anchor + ABOVE_BYTES; at += sizeof(word)) {
		if (stack_word(e, at, &word) && points_into(word, code))
			return true;
	}
	return false;
}

/*
 * Returns true if an entry outside of those that were found runs FRAME.  Where on the stack is not known: both the
 * frame's address and one within its code are there, close together.
 */
static bool find_entry(struct evidence *e, const struct python_frame *frame,
		       const struct python_code *code)
{
	uint64_t word;

	for (uint64_t at = e->inside; stack_word(e, at, &word); at += sizeof(word)) {
		if (word == frame->address && stack_has(e, at, code)) {
			e->inside = at + sizeof(word);
			return true;
		}
	}
	return false;
}

/* Frame number I of STACK, counted from the outermost; NULL: there is none. */
static const struct python_frame *from_outside(const struct python_stack *stack, size_t i)
{
	return i < stack->frame_count ? &stack->frames[stack->frame_count - 1 - i] : NULL;
}

/* Returns true if frame I of NOW was there in the reading before the sample of TIME_NS, too. */
static bool was_there(const struct reading *before, const struct python_stack *now, size_t i,
		      uint64_t time_ns)
{
	size_t outside = now->frame_count - 1u - i;
	const struct python_frame *then;

	if (before->result != PYTHON_OK || time_ns - before->at_ns > BEFORE_NS)
		return false;
	then = from_outside(&before->stack, outside);
	return then && then->address == now->frames[i].address && then->code == now->frames[i].code;
}

/* Returns true if the innermost frame of LEVEL ran when the sample was taken; LEAF: LEVEL is the innermost one. */
static bool is_innermost(struct evidence *e, const struct python_level *level,
			 const struct python_frame *frame, const struct python_code *code,
			 bool leaf)
{
	uint64_t word;

	if (!level->anchor)
		return (leaf && registers_have(e, frame->address, frame->address + 1) &&
			(registers_have(e, code->start, code->end) || stack_has(e, e->sp, code))) ||
		       find_entry(e, frame, code);
	if (level->pointer && (!stack_word(e, level->pointer, &word) || word != frame->address))
		return false;
	return stack_has(e, level->anchor, code) ||
	       (leaf && registers_have(e, code->start, code->end));
}

struct agreement {
	struct python_names *names;
	const struct process *process;
	struct program *program;
	struct evidence evidence;
	const struct reading *before, *now;
	uint64_t time_ns; /* of the sample */
};

/* Puts the functions of level I into CALLS; false: one of them may be another by now. */
static bool take_level(struct agreement *a, size_t i, struct python_calls *calls)
{
	const struct python_stack *stack = &a->now->stack;
	const struct python_level *level = &stack->levels[i];
	bool proved = false;

	for (size_t f = level->first; f < (size_t)level->first + level->count; f++) {
		const struct code_entry *code = code_at(a->names, a->process, a->program,
							stack->frames[f].code, a->now->at_ns);

		if (!code)
			return false;
		if (f == level->first)
			proved = is_innermost(&a->evidence, level, &stack->frames[f], &code->code,
					      !i);
		if (!(f == level->first && proved) &&
		    !(f != level->first && was_there(a->before, stack, f, a->time_ns)))
			return false;
		calls->frames[f] = code->frame;
	}
	calls->ends[i] = (uint16_t)(level->first + level->count);
	return true;
}

static bool agrees(struct agreement *a, struct python_calls *calls)
{
	const struct reading *now = a->now;

	if (now->result != PYTHON_OK || now->at_ns < a->time_ns ||
	    now->at_ns - a->time_ns > FRESH_NS || a->before->at_ns > a->time_ns)
		return false;
	for (size_t i = 0; i < now->stack.level_count; i++) {
		if (!take_level(a, i, calls))
			return false;
	}
	calls->entries = now->stack.level_count;
	calls->walked = false;
	return true;
}

/* Names of many functions are one text: <module>, <lambda>. */
static bool is_code_of(const struct python_code *code, const struct python_frame *frame)
{
	return code->name == frame->name && code->file == frame->file && code->line == frame->line;
}

/* Puts the functions of STACK, which was walked, into CALLS; false: some code is another one by now. */
static bool take_walked(struct python_names *n, const struct process *process, struct program *p,
			const struct python_stack *stack, struct python_calls *calls)
{
	const uint64_t now_ns = clock_monotonic_ns(n->use.clock);

	for (size_t f = 0; f < stack->frame_count; f++) {
		const struct code_entry *code =
			code_at(n, process, p, stack->frames[f].code, now_ns);

		if (!code || !is_code_of(&code->code, &stack->frames[f]))
			return false;
		calls->frames[f] = code->frame;
	}
	for (size_t i = 0; i < stack->level_count; i++)
		calls->ends[i] = (uint16_t)(stack->levels[i].first + stack->levels[i].count);
	calls->entries = stack->level_count;
	calls->walked = true;
	return true;
}

/* The functions of W.  False: the frames must be read. */
static bool find_walked(struct python_names *n, struct process *process, struct program *p,
			struct python_thread_state *t, const struct python_walked *w)
{
	const uint64_t began_ns = clock_monotonic_ns(n->use.clock);
	bool taken;

	if (!t->walked || !w || !has_time(n, process, began_ns))
		return false;
	if (w->result == PYTHON_WALK_OTHER || w->state != t->address)
		stop_walking(n, t);
	if (!t->walked || w->result != PYTHON_WALKED ||
	    python_walk_stack(&p->runtime, w, &n->walked) != PYTHON_OK)
		return false;
	taken = take_walked(n, process, p, &n->walked, &n->calls);
	charge(n, process, began_ns);
	return taken;
}

static bool find_calls(struct python_names *n, struct process *process, struct program *p,
		       struct python_thread_state *t, const struct record *r)
{
	struct agreement a = {
		.names = n, .process = process, .program = p, .time_ns = r->time_ns
	};
	uint64_t began_ns;
	bool agreed;

	if (!evidence_of(&a.evidence, &r->sample) || !read_behind(n, process, p, t, r->time_ns))
		return false;
	a.now = &t->readings[t->newest];
	a.before = &t->readings[!t->newest];
	began_ns = clock_monotonic_ns(n->use.clock);
	agreed = agrees(&a, &n->calls);
	charge(n, process, began_ns);
	return agreed;
}

bool python_names_find(struct python_names *n, struct process *process, uint32_t tid,
		       const struct record *r, const struct python_calls **calls)
{
	struct space *space = process_space(n->use.processes, process, MAPS_CODE);
	enum kind kind = kind_of(n, process, space);
	struct python_thread_state *t;
	struct program *p;

	*calls = NULL;
	if (kind != KIND_OWN)
		return kind == KIND_FOREIGN;
	p = program_of(n, process, space, r->time_ns);
	t = p ? thread_of(n, p, tid) : NULL;
	if (t && find_walked(n, process, p, t, r->python)) {
		*calls = &n->calls;
		return true;
	}
	n->wanted = true;
	if (t && find_calls(n, process, p, t, r))
		*calls = &n->calls;
	return true;
}

uint64_t python_names_address(const struct process *process, uint64_t ip)
{
	bool in_part = ip >= process->python.part_start && ip < process->python.part_end;

	return in_part ? process->python.evaluator : ip;
}

bool python_names_are_wanted(struct python_names *n)
{
	bool wanted = n->wanted;

	n->wanted = false;
	return wanted;
}
