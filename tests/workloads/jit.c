/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * jit DIRECTORY [SECONDS]: a JIT compiler that describes its code in DIRECTORY/jit-PID.dump, as
 * tools/perf/Documentation/jitdump-specification.txt of the kernel says.  Its function jit_many
 * takes three quarters of the time, jit_few one.  Its instructions are of the lines 1, 2 and 3 of
 * DIRECTORY/jit.source, those of the others of the lines from 11 on.  In the middle jit_many is moved, and jit_few_again,
 * which was compiled over the place where it was, takes over from jit_few.
 *
 * jit DIRECTORY SECONDS frames: jit_framed, which has a frame, and in the register of frame pointers
 * something else, is called by call_code and described in the dump.  (x86-64.)
 */
#include "workload.h"

#include <elf.h>
#include <stdbool.h>
#include <sys/mman.h>

/* Counts its argument down to 0: works wherever it lies. */
#if defined(__x86_64__)
#define MACHINE EM_X86_64
#define CODE "1: sub $1, %rdi\n jne 1b\n ret\n"
#define INSTRUCTIONS    \
	{               \
		0, 4, 6 \
	}
#elif defined(__aarch64__)
#define MACHINE EM_AARCH64
#define CODE "1: subs x0, x0, #1\n b.ne 1b\n ret\n"
#define INSTRUCTIONS    \
	{               \
		0, 4, 8 \
	}
#endif

#ifdef CODE
__asm__(".text\n .globl code_begin, code_end\n code_begin:\n" CODE "code_end:\n .byte 0\n");
extern const char code_begin[], code_end[];

#define CODE_BYTES 4096u

struct header {
	uint32_t magic, version, size, machine, padding, pid;
	uint64_t time, flags;
};

struct record {
	uint32_t type, size;
	uint64_t time;
};

struct load {
	uint32_t pid, tid;
	uint64_t vma, address, size, index;
};

struct move {
	uint32_t pid, tid;
	uint64_t vma, from, to, size, index;
};

typedef void function(uint64_t n);

static uint64_t now_ns(void)
{
	return (uint64_t)(clock_s(CLOCK_MONOTONIC) * 1e9);
}

static FILE *dump_open(const char *directory)
{
	struct header h = { 0x4a695444, 1, sizeof(h), MACHINE, 0, (uint32_t)getpid(), now_ns(), 0 };
	char path[4096];
	FILE *f;

	snprintf(path, sizeof(path), "%s/jit-%d.dump", directory, (int)getpid());
	f = fopen(path, "w+");
	if (!f || fwrite(&h, sizeof(h), 1, f) != 1 || fflush(f))
		exit(1);
	/* This mapping is what tells a profiler of the file. */
	if (mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fileno(f), 0) == MAP_FAILED)
		exit(1);
	return f;
}

/* Writes the lines of the next code; the file is the same in all entries. */
static void tell_lines(FILE *f, const char *directory, const char *at, uint32_t first)
{
	static const unsigned char offsets[] = INSTRUCTIONS, same[] = { 255, 0 };
	uint64_t head[] = { (uintptr_t)at, 3 };
	struct record r = { 2, sizeof(r) + sizeof(head), now_ns() };
	char name[4096];
	size_t size;

	snprintf(name, sizeof(name), "%s/jit.source", directory);
	size = strlen(name) + 1;
	r.size += (uint32_t)(3 * 16 + size + 2 * sizeof(same));
	fwrite(&r, sizeof(r), 1, f);
	fwrite(head, sizeof(head), 1, f);
	for (uint32_t i = 0; i < 3; i++) {
		uint64_t address = (uintptr_t)at + offsets[i];
		uint32_t line[] = { first + i, 0 };

		fwrite(&address, sizeof(address), 1, f);
		fwrite(line, sizeof(line), 1, f);
		fwrite(i ? (const void *)same : name, i ? sizeof(same) : size, 1, f);
	}
}

struct code {
	const char *bytes;
	size_t size;
};

static void tell_code(FILE *f, const char *at, uint64_t index, const char *name, struct code code)
{
	struct load l = { (uint32_t)getpid(), (uint32_t)getpid(), (uintptr_t)at,
			  (uintptr_t)at,      code.size,          index };
	struct record r = { 0, (uint32_t)(sizeof(r) + sizeof(l) + strlen(name) + 1 + code.size),
			    now_ns() };

	fwrite(&r, sizeof(r), 1, f);
	fwrite(&l, sizeof(l), 1, f);
	fwrite(name, strlen(name) + 1, 1, f);
	fwrite(code.bytes, code.size, 1, f);
	fflush(f);
}

static void tell_load(FILE *f, const char *at, uint64_t index, const char *name)
{
	tell_code(f, at, index, name, (struct code){ code_begin, (size_t)(code_end - code_begin) });
}

static void tell_move(FILE *f, const char *from, const char *to, uint64_t index)
{
	struct move m = { (uint32_t)getpid(),
			  (uint32_t)getpid(),
			  (uintptr_t)to,
			  (uintptr_t)from,
			  (uintptr_t)to,
			  (uint64_t)(code_end - code_begin),
			  index };
	struct record r = { 1, sizeof(r) + sizeof(m), now_ns() };

	fwrite(&r, sizeof(r), 1, f);
	fwrite(&m, sizeof(m), 1, f);
	fflush(f);
}

static void run_until(double end_s, function *many, function *few)
{
	while (clock_s(CLOCK_MONOTONIC) < end_s) {
		many(300000);
		few(100000);
	}
}

#ifdef __x86_64__
/* As CODE, with a frame of 48 bytes; its counter is in rbp. */
__asm__(".globl framed_begin, framed_end\n framed_begin: push %rbp\n sub $32, %rsp\n mov %rdi, "
	"%rbp\n"
	"1: sub $1, %rbp\n jne 1b\n add $32, %rsp\n pop %rbp\n ret\n framed_end: .byte 0\n");
extern const char framed_begin[], framed_end[];

/*
 * A CIE and the description of what is in front of it: "zR", 1, -8, 16, pc-relative; CFA rsp + 8, ra
 * there - 8.  Then, behind 1, 4, 13 and 1 bytes more: 16 and rbp there, 48, 16, 8.
 */
static const unsigned char frame_info[] = {
	20,   0,  0,    0,    0,    0,    0,    0,    1,    'z', 'R',  0,    1, 0x78,
	16,   1,  0x1b, 0x0c, 7,    8,    0x90, 1,    0,    0,   28,   0,    0, 0,
	28,   0,  0,    0,    0,    0,    0,    0,    0,    0,   0,    0,    0, 0x41,
	0x0e, 16, 0x86, 2,    0x44, 0x0e, 48,   0x4d, 0x0e, 16,  0x41, 0x0e, 8, 0,
};
#define START_AT 32u /* of the description: where the code is, from here */

static void tell_frames(FILE *f, const char *at, size_t size)
{
	uint64_t sizes[] = { sizeof(frame_info) + 20, 20, 0 }; /* an .eh_frame_hdr of zeros */
	struct record r = { 4, sizeof(r) + sizeof(sizes) + sizeof(frame_info) + 20, now_ns() };
	uintptr_t place = ((uintptr_t)at + size + 7) & ~(uintptr_t)7;
	int32_t distance = (int32_t)((uintptr_t)at - (place + START_AT)), bytes = (int32_t)size;
	unsigned char info[sizeof(frame_info) + 20] = { 0 };

	memcpy(info, frame_info, sizeof(frame_info));
	memcpy(info + START_AT, &distance, sizeof(distance));
	memcpy(info + START_AT + 4, &bytes, sizeof(bytes));
	fwrite(&r, sizeof(r), 1, f);
	fwrite(sizes, sizeof(sizes), 1, f);
	fwrite(info, sizeof(info), 1, f);
}

static __attribute__((noinline)) void call_code(double end_s, function *code)
{
	while (clock_s(CLOCK_MONOTONIC) < end_s)
		code(300000);
}

static int run_frames(FILE *f, char *code, double seconds)
{
	size_t size = (size_t)(framed_end - framed_begin);

	memcpy(code, framed_begin, size);
	if (mprotect(code, CODE_BYTES, PROT_READ | PROT_EXEC))
		return 1;
	tell_frames(f, code, size);
	tell_code(f, code, 1, "jit_framed", (struct code){ framed_begin, size });
	wait_go();
	call_code(clock_s(CLOCK_MONOTONIC) + seconds, (function *)code);
	wait_end();
	return 0;
}
#else
static int run_frames(FILE *f, char *code, double seconds)
{
	(void)f, (void)code, (void)seconds;
	return 77;
}
#endif

int main(int argc, char **argv)
{
	double seconds = number_argument(argc, argv, 2, 1), start_s;
	char *code =
		mmap(NULL, CODE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *many = code, *few = code + 1024, *moved = code + 2048;
	FILE *f;

	if (argc < 2 || code == MAP_FAILED)
		return 1;
	if (argc > 3)
		return run_frames(dump_open(argv[1]), code, seconds);
	memcpy(many, code_begin, code_end - code_begin);
	memcpy(few, code_begin, code_end - code_begin);
	memcpy(moved, code_begin, code_end - code_begin);
	if (mprotect(code, CODE_BYTES, PROT_READ | PROT_EXEC))
		return 1;
	f = dump_open(argv[1]);
	tell_lines(f, argv[1], many, 1);
	tell_load(f, many, 1, "jit_many");
	tell_lines(f, argv[1], few, 11);
	tell_load(f, few, 2, "jit_few");
	wait_go();
	start_s = clock_s(CLOCK_MONOTONIC);
	run_until(start_s + seconds / 2, (function *)many, (function *)few);
	tell_move(f, many, moved, 1);
	tell_lines(f, argv[1], many, 11);
	tell_load(f, many, 3, "jit_few_again");
	run_until(start_s + seconds, (function *)moved, (function *)many);
	printf("done cpu_s=%.6f\n", cpu_s(RUSAGE_SELF));
	wait_end();
	return 0;
}
#else
int main(void)
{
	puts("unsupported machine");
	return 77;
}
#endif
