/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unit.h"

#include "tracer.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/personality.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>

#define DEPTH_MAX 16384
#define STACK_BYTES (1 << 20)
#define REWRITTEN_DEPTH 5 /* where an unwinding library rewrites its own frame */
#define CALL_MAX 16       /* bytes of a call instruction, at most */
#define PAGE 4096
#define COPIED_PAGES 17 /* 64 KiB, from anywhere */

/*
 * An entry of the stack: a return address at SLOT, or, below a handler, the place where a signal
 * came.
 */
struct entry {
	uint64_t address; /* as unwind_sample() has it */
	uint64_t slot;
	uint64_t saved;                /* where its function keeps it; 0 not known */
	uint64_t resume_pc, resume_sp; /* a signal's: it ends there */
	bool interrupted, other_stack;
	bool rewritten; /* its return address was, to where a handler is */
};

struct tracer {
	pid_t pid;
	const struct tracer_options *options;
	struct objects_space space;
	struct unwind_regs before, now;
	struct entry entry[DEPTH_MAX];
	size_t depth;
	uint64_t truth[DEPTH_MAX];
	char stack[STACK_BYTES];
};

static size_t read_memory(const struct tracer *t, const struct iovec *to, const struct iovec *from,
			  size_t count)
{
	ssize_t n = process_vm_readv(t->pid, to, 1, from, count, 0);

	return n > 0 ? (size_t)n : 0;
}

static size_t copy_memory(const struct tracer *t, uint64_t address, void *to, size_t size)
{
	struct iovec local = { to, size }, remote = { (void *)(uintptr_t)address, size };

	return read_memory(t, &local, &remote, 1);
}

/* Up to SIZE bytes, by one system call for some pages; one that is not there ends it. */
static size_t copy_stack(const struct tracer *t, uint64_t address, char *to, size_t size)
{
	size_t done = 0, wanted, got;

	do {
		struct iovec local = { to + done, 0 }, remote[COPIED_PAGES];
		unsigned n = 0;

		for (wanted = 0; n < COPIED_PAGES && done + wanted < size; n++) {
			uint64_t at = address + done + wanted;
			size_t part = PAGE - at % PAGE;

			part = part < size - done - wanted ? part : size - done - wanted;
			remote[n] = (struct iovec){ (void *)(uintptr_t)at, part };
			wanted += part;
		}
		local.iov_len = wanted;
		got = read_memory(t, &local, remote, n);
		done += got;
	} while (got == wanted && done < size);
	return done;
}

/* It may be signed. */
static uint64_t code_address(uint64_t word)
{
	return word & unwind_machine_regs[unwind_machine_here()].code_mask;
}

#if defined(__x86_64__)
static bool get_regs(const struct tracer *t, struct unwind_regs *r)
{
	struct user_regs_struct u;
	struct iovec v = { &u, sizeof(u) };
	uint64_t *value = r->value;

	if (ptrace(PTRACE_GETREGSET, t->pid, (void *)NT_PRSTATUS, &v) < 0)
		return false;
	r->machine = UNWIND_X86_64;
	r->known = 0xffff;
	r->pc = u.rip;
	value[0] = u.rax, value[1] = u.rdx, value[2] = u.rcx, value[3] = u.rbx;
	value[4] = u.rsi, value[5] = u.rdi, value[6] = u.rbp, value[7] = u.rsp;
	value[8] = u.r8, value[9] = u.r9, value[10] = u.r10, value[11] = u.r11;
	value[12] = u.r12, value[13] = u.r13, value[14] = u.r14, value[15] = u.r15;
	return true;
}

static uint64_t stack_pointer(const struct unwind_regs *r)
{
	return r->value[7];
}

/* Where a trap leaves the program is behind it. */
static bool pass_trap(struct tracer *t)
{
	(void)t;
	return true;
}

/* The address that the instruction left for its return; 0: it was no call. */
static uint64_t call_return(const struct tracer *t)
{
	uint64_t sp = stack_pointer(&t->now), word;

	if (sp != stack_pointer(&t->before) - 8 || t->now.pc - t->before.pc <= CALL_MAX / 8)
		return 0;
	if (copy_memory(t, sp, &word, sizeof(word)) != sizeof(word))
		return 0;
	return word > t->before.pc && word <= t->before.pc + CALL_MAX ? word : 0;
}

static bool is_gone(const struct entry *e, const struct unwind_regs *now)
{
	return stack_pointer(now) > e->slot;
}

static uint64_t saved_link(const struct tracer *t, const struct entry *e)
{
	(void)t;
	return e->slot;
}

/* The address to which a handler returns: the first word of the frame that the kernel made. */
static uint64_t signal_return(const struct tracer *t, uint64_t *slot)
{
	uint64_t word = 0;

	*slot = stack_pointer(&t->now);
	copy_memory(t, *slot, &word, sizeof(word));
	return word;
}

static bool pass_exclusive(struct tracer *t, int *status)
{
	(void)t;
	(void)status;
	return false;
}
#elif defined(__aarch64__)
static bool get_regs(const struct tracer *t, struct unwind_regs *r)
{
	struct user_regs_struct u;
	struct iovec v = { &u, sizeof(u) };

	if (ptrace(PTRACE_GETREGSET, t->pid, (void *)NT_PRSTATUS, &v) < 0)
		return false;
	r->machine = UNWIND_AARCH64;
	r->known = UINT32_MAX;
	r->pc = u.pc;
	memcpy(r->value, u.regs, 31 * sizeof(uint64_t));
	r->value[31] = u.sp;
	return true;
}

static uint64_t stack_pointer(const struct unwind_regs *r)
{
	return r->value[31];
}

/* Where the return address went, if that was the instruction: stp or str of x30, by sp. */
static uint64_t saved_link(const struct tracer *t, const struct entry *e)
{
	uint64_t sp = stack_pointer(&t->now);
	uint32_t code;

	if (code_address(t->before.value[30]) != e->address || t->now.pc != t->before.pc + 4 ||
	    copy_memory(t, t->before.pc, &code, sizeof(code)) != sizeof(code) ||
	    (code >> 5 & 31) != 31)
		return 0;
	if ((code & 0xffc00000) == 0xa9000000) /* stp, at an offset */
		sp += (code >> 15 & 127) * 8;
	else if ((code & 0xffc0001f) == 0xf900001e) /* str, at an offset */
		return sp + (code >> 10 & 0xfff) * 8;
	else if ((code & 0xffe00c1f) == 0xf8000c1e) /* str, a push */
		return sp;
	else if ((code & 0xffc00000) != 0xa9800000) /* stp, a push */
		return 0;
	if ((code & 31) == 30)
		return sp;
	return (code >> 10 & 31) == 30 ? sp + 8 : 0;
}

/* The program is still at the trap. */
static bool pass_trap(struct tracer *t)
{
	struct user_regs_struct u;
	struct iovec v = { &u, sizeof(u) };

	if (ptrace(PTRACE_GETREGSET, t->pid, (void *)NT_PRSTATUS, &v) < 0)
		return false;
	u.pc += 4;
	return ptrace(PTRACE_SETREGSET, t->pid, (void *)NT_PRSTATUS, &v) == 0 &&
	       get_regs(t, &t->now);
}

static uint64_t call_return(const struct tracer *t)
{
	uint64_t back = t->before.pc + 4;
	uint32_t code;

	if (t->now.value[30] != back || t->now.pc == back ||
	    copy_memory(t, t->before.pc, &code, sizeof(code)) != sizeof(code))
		return 0;
	/* bl, blr */
	return (code >> 26) == 0x25 || (code & 0xfffffc1f) == 0xd63f0000 ? back : 0;
}

/* SLOT is the stack pointer at the call: a return comes back to it. */
static bool is_gone(const struct entry *e, const struct unwind_regs *now)
{
	return stack_pointer(now) > e->slot ||
	       (stack_pointer(now) == e->slot && now->pc == e->address);
}

static uint64_t signal_return(const struct tracer *t, uint64_t *slot)
{
	*slot = stack_pointer(&t->now);
	return t->now.value[30];
}
/*
 * A load that reserves (ldxr and its kind) and the store that needs it (stxr) cannot be stepped
 * between.  The trap takes the reservation away, and the loop around them never ends.
 */
#define EXCLUSIVE_WORDS 16
#define EXCLUSIVE_MASK 0x3fc00000
#define BREAKPOINT 0xd4200000
#define BREAKPOINTS 4

struct breakpoints {
	uint64_t address[BREAKPOINTS];
	uint32_t word[BREAKPOINTS];
	unsigned count;
};

static uint32_t exchange(const struct tracer *t, uint64_t address, uint32_t word)
{
	void *at = (void *)(uintptr_t)(address & ~UINT64_C(7));
	unsigned shift = address & 4 ? 32 : 0;
	uint64_t both = (uint64_t)ptrace(PTRACE_PEEKTEXT, t->pid, at, NULL);

	ptrace(PTRACE_POKETEXT, t->pid, at,
	       (void *)(uintptr_t)((both & ~(UINT64_C(0xffffffff) << shift)) | (uint64_t)word
										       << shift));
	return (uint32_t)(both >> shift);
}

static void set_breakpoint(const struct tracer *t, struct breakpoints *b, uint64_t address)
{
	if (b->count == BREAKPOINTS)
		return;
	b->address[b->count] = address;
	b->word[b->count++] = exchange(t, address, BREAKPOINT);
}

/* Where b.cond, cbz or cbnz at ADDRESS goes; 0: it is none. */
static uint64_t branch_target(uint32_t word, uint64_t address)
{
	if ((word & 0xff000010) != 0x54000000 && (word & 0x7e000000) != 0x34000000)
		return 0;
	return address + (uint64_t)(((int64_t)(int32_t)(word << 8) >> 13) * 4);
}

/* Runs from a reserving load to behind its store, or to where the way between them leads out. */
static bool pass_exclusive(struct tracer *t, int *status)
{
	uint32_t words[EXCLUSIVE_WORDS];
	struct breakpoints b = { .count = 0 };
	uint64_t pc = t->now.pc;
	size_t store = 1;

	if (copy_memory(t, pc, words, sizeof(words)) != sizeof(words) ||
	    (words[0] & EXCLUSIVE_MASK) != 0x08400000)
		return false;
	while (store < EXCLUSIVE_WORDS && (words[store] & EXCLUSIVE_MASK) != 0x08000000)
		store++;
	if (store == EXCLUSIVE_WORDS)
		return false;
	set_breakpoint(t, &b, pc + 4 * (store + 1));
	for (size_t i = 1; i < store; i++) {
		uint64_t target = branch_target(words[i], pc + 4 * i);

		if (target > pc + 4 * (store + 1) || (target && target < pc))
			set_breakpoint(t, &b, target);
	}
	if (ptrace(PTRACE_CONT, t->pid, NULL, NULL) < 0 ||
	    waitpid(t->pid, status, __WALL) != t->pid)
		*status = 0;
	while (b.count--)
		exchange(t, b.address[b.count], b.word[b.count]);
	return true;
}
#else
static bool get_regs(const struct tracer *t, struct unwind_regs *r)
{
	(void)t;
	(void)r;
	return false;
}

static uint64_t stack_pointer(const struct unwind_regs *r)
{
	return r->value[0];
}

static uint64_t saved_link(const struct tracer *t, const struct entry *e)
{
	(void)t;
	(void)e;
	return 0;
}

static bool pass_trap(struct tracer *t)
{
	(void)t;
	return false;
}

static uint64_t call_return(const struct tracer *t)
{
	(void)t;
	return 0;
}

static bool is_gone(const struct entry *e, const struct unwind_regs *now)
{
	return stack_pointer(now) > e->slot;
}

static uint64_t signal_return(const struct tracer *t, uint64_t *slot)
{
	*slot = stack_pointer(&t->now);
	return 0;
}

static bool pass_exclusive(struct tracer *t, int *status)
{
	(void)t;
	(void)status;
	return false;
}
#endif

static void push(struct tracer *t, struct entry e)
{
	assert_true(t->depth < DEPTH_MAX);
	t->entry[t->depth++] = e;
}

static bool entry_ended(const struct entry *e, const struct unwind_regs *now)
{
	return e->interrupted ? now->pc == e->resume_pc && stack_pointer(now) == e->resume_sp
			      : is_gone(e, now);
}

/* The innermost signal that has just returned takes with it what its handler left. */
static void pop_signal(struct tracer *t)
{
	for (size_t i = t->depth; i-- > 0;) {
		if (!t->entry[i].interrupted)
			continue;
		if (entry_ended(&t->entry[i], &t->now))
			t->depth = i;
		return;
	}
}

/* A call whose return was rewritten ends by a jump to a handler of exceptions. */
static bool has_landed(const struct tracer *t, const struct entry *e)
{
	return stack_pointer(&t->now) >= e->slot && t->now.pc - t->before.pc > CALL_MAX;
}

/* A handler's function has the stack pointer again that it had when it called. */
static void pop_returned(struct tracer *t)
{
	bool handles = false;

	while (t->depth && !t->entry[t->depth - 1].interrupted) {
		const struct entry *e = &t->entry[t->depth - 1];
		bool gone = e->rewritten ? has_landed(t, e) : is_gone(e, &t->now);

		if (!gone && !(handles && stack_pointer(&t->now) == e->slot))
			return;
		handles |= e->rewritten;
		t->depth--;
	}
}

static void follow_link(const struct tracer *t, struct entry *e)
{
	uint64_t saved = e->interrupted ? 0 : saved_link(t, e);

	if (saved)
		e->saved = saved;
}

static void follow(struct tracer *t)
{
	uint64_t back;

	pop_signal(t);
	pop_returned(t);
	if (t->depth)
		follow_link(t, &t->entry[t->depth - 1]);
	back = call_return(t);
	if (back)
		push(t, (struct entry){ .address = back, .slot = stack_pointer(&t->now) });
}

/* The handler's first instruction is next; BEFORE is what the signal interrupted. */
static void follow_signal(struct tracer *t)
{
	uint64_t sp = stack_pointer(&t->before), slot, back;
	uint64_t distance = sp - stack_pointer(&t->now);

	push(t, (struct entry){ .address = t->before.pc + 1,
				.interrupted = true,
				.resume_pc = t->before.pc,
				.resume_sp = sp,
				.other_stack = distance > STACK_BYTES });
	back = signal_return(t, &slot);
	push(t, (struct entry){ .address = back, .slot = slot });
}

static bool is_rewritten(const struct unwind_stack *copy, const struct entry *e)
{
	uint64_t at = e->saved - copy->start, word;

	if (e->saved < copy->start || at + sizeof(word) > copy->size)
		return false;
	memcpy(&word, (const char *)copy->bytes + at, sizeof(word));
	return code_address(word) != e->address;
}

static void show(struct tracer *t)
{
	struct tracer_place p = { .regs = t->now,
				  .space = &t->space,
				  .truth = t->truth,
				  .from_start = !t->options->from_trap };
	uint64_t sp = stack_pointer(&t->now);

	p.stack = (struct unwind_stack){ .bytes = t->stack, .start = sp };
	p.stack.size = copy_stack(t, sp, t->stack, t->options->stack_bytes);
	t->truth[p.depth++] = t->now.pc;
	for (size_t i = t->depth; i-- > 0;) {
		struct entry *e = &t->entry[i];

		t->truth[p.depth++] = e->address;
		p.other_stack |= e->other_stack;
		if (p.depth < REWRITTEN_DEPTH)
			e->rewritten |= is_rewritten(&p.stack, e);
		p.rewritten |= e->rewritten;
	}
	if (!space_find(t->space.space, t->now.pc))
		objects_read_maps(&t->space, t->pid);
	t->options->receive(t->options->context, &p);
}

static int status_of(int status)
{
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* Up to the program's trap: from there on the truth is known. */
static bool run_to_trap(struct tracer *t)
{
	int status;

	return ptrace(PTRACE_CONT, t->pid, NULL, NULL) == 0 &&
	       waitpid(t->pid, &status, __WALL) == t->pid && WIFSTOPPED(status) &&
	       WSTOPSIG(status) == SIGTRAP && get_regs(t, &t->now) && pass_trap(t);
}

static void end_program(struct tracer *t)
{
	int status;

	kill(t->pid, SIGKILL);
	waitpid(t->pid, &status, __WALL);
}

static int trace(struct tracer *t, uint64_t *steps)
{
	int status, signal = 0;

	if (t->options->from_trap && !run_to_trap(t))
		return -1;
	for (*steps = 0;; ++*steps) {
		t->before = t->now;
		if ((signal || !pass_exclusive(t, &status)) &&
		    (ptrace(PTRACE_SINGLESTEP, t->pid, NULL, (void *)(intptr_t)signal) < 0 ||
		     waitpid(t->pid, &status, __WALL) != t->pid))
			return -1;
		if (!WIFSTOPPED(status))
			return status_of(status);
		if (!get_regs(t, &t->now))
			return -1;
		if (signal)
			follow_signal(t);
		else
			follow(t);
		signal = WSTOPSIG(status) == SIGTRAP ? 0 : WSTOPSIG(status);
		if (!signal && *steps % t->options->stride == 0)
			show(t);
	}
}

static void child(char *const argv[])
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	dup2(null, 0);
	dup2(null, 1);
	personality(ADDR_NO_RANDOMIZE);
	if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) == 0)
		execv(argv[0], argv);
	_exit(126);
}

int tracer_run(char *const argv[], const struct tracer_options *options, uint64_t *steps)
{
	struct tracer *t = calloc(1, sizeof(*t));
	int status, result = -1;

	t->options = options;
	t->space = (struct objects_space){ .objects = options->objects, .space = space_new(NULL) };
	t->pid = unit_fork();
	if (!t->pid)
		child(argv);
	if (waitpid(t->pid, &status, __WALL) == t->pid && WIFSTOPPED(status) &&
	    get_regs(t, &t->now)) {
		ptrace(PTRACE_SETOPTIONS, t->pid, NULL, (void *)PTRACE_O_EXITKILL);
		result = trace(t, steps);
		if (result < 0)
			end_program(t);
	}
	space_free(t->space.space);
	free(t);
	return result;
}
