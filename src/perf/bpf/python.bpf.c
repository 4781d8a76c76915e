/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * Walks the frames of Python's interpreter when a sample is taken; kernel-python.h is the manual.  clang compiles it for
 * the kernel's virtual machine.
 *
 * The kernel runs it on the sampled CPU before it writes the sample, at most once at a time on each CPU.
 */
#include "perf/bpf/core-types.h"
#include <bpf/bpf_helpers.h>

#include "base/python-walk.h"

#define WRITE_SAMPLE 1 /* 0: the kernel would drop it */

/*
 * Loads the word at OFFSET of the program's context, which begins with the registers.  The verifier takes no offset that a register
 * holds, and a compiler would make one of two offsets.
 */
#define LOAD(to, context, offset) \
	asm volatile("%0 = *(u64 *)(%1 + " offset ")" : "=r"(to) : "r"(context))
#define IP_X86_64 "128"  /* struct pt_regs: ip */
#define IP_AARCH64 "256" /* struct user_pt_regs: pc */

char _license[] SEC("license") = "GPL";

const volatile uint32_t is_aarch64 = 0; /* set before it is loaded */

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, PYTHON_WALK_THREADS);
	__type(key, uint32_t);
	__type(value, struct python_walk);
} threads SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 1); /* set before it is loaded */
} walks SEC(".maps");

/* Where a CPU puts its walk together; `sequence` stays from one to the next. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, uint32_t);
	__type(value, struct python_walked);
} scratch SEC(".maps");

static __always_inline long read_word(uint64_t address, uint64_t *word)
{
	return bpf_probe_read_user(word, sizeof(*word), (const void *)address);
}

static __always_inline long read_frame(const struct python_walk *w, uint64_t *frame,
				       struct python_walked_frame *to)
{
	uint8_t mark = 0;
	uint64_t at = *frame, code = 0;

	if (read_word(at + w->frame_code, &code) || read_word(at + w->frame_previous, frame) ||
	    bpf_probe_read_user(&mark, sizeof(mark), (const void *)(at + w->frame_mark)))
		return -1;
	to->code = code & ~w->tag;
	to->file = to->name = to->line = 0;
	to->mark = mark;
	/* A frame of the interpreter's own has no code of that kind, and may have none at all. */
	read_word(to->code + w->code_file, &to->file);
	read_word(to->code + w->code_name, &to->name);
	bpf_probe_read_user(&to->line, sizeof(to->line), (const void *)(to->code + w->code_line));
	return 0;
}

static __always_inline uint32_t walk(const struct python_walk *w, struct python_walked *to)
{
	uint64_t word = 0, frame = 0;

	if (read_word(w->state + w->thread_id, &word))
		return PYTHON_WALK_UNREAD;
	if (word != w->id)
		return PYTHON_WALK_OTHER;
	if (read_word(w->state + w->thread_entry, &frame))
		return PYTHON_WALK_UNREAD;
	if (w->has_entries && frame && read_word(frame + w->entry_frame, &frame))
		return PYTHON_WALK_UNREAD;
	for (uint32_t i = 0; i < PYTHON_WALK_FRAMES; i++) {
		if (!frame)
			return PYTHON_WALKED;
		if (read_frame(w, &frame, &to->frames[i]))
			return PYTHON_WALK_UNREAD;
		to->count = i + 1;
	}
	return frame ? PYTHON_WALK_LONG : PYTHON_WALKED;
}

SEC("perf_event")
int on_sample(void *context)
{
	uint32_t first = 0, tid = (uint32_t)bpf_get_current_pid_tgid();
	const struct python_walk *w = bpf_map_lookup_elem(&threads, &tid);
	struct python_walked *to = bpf_map_lookup_elem(&scratch, &first);
	uint64_t ip;
	uint32_t count;

	if (!w || !to)
		return WRITE_SAMPLE;
	if (is_aarch64)
		LOAD(ip, context, IP_AARCH64);
	else
		LOAD(ip, context, IP_X86_64);
	to->ip = ip;
	to->time_ns = bpf_ktime_get_ns();
	to->state = w->state;
	to->cpu = bpf_get_smp_processor_id();
	to->tid = tid;
	to->count = 0;
	to->sequence++; /* also of one that finds no room: ptop sees the gap */
	to->result = walk(w, to);
	count = to->count;
	if (count <= PYTHON_WALK_FRAMES)
		bpf_ringbuf_output(&walks, to,
				   __builtin_offsetof(struct python_walked, frames) +
					   count * sizeof(*to->frames),
				   BPF_RB_NO_WAKEUP);
	return WRITE_SAMPLE;
}
