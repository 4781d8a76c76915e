/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_UNWIND_REGS_H
#define PTOP_UNWIND_REGS_H

#include <stdbool.h>
#include <stdint.h>

/*
 * The registers from which a stack is unwound.  Nothing depends on the machine that ptop runs on: a
 * recording of one machine can be unwound on the other.
 */
enum unwind_machine {
	UNWIND_MACHINE_NONE, /* a machine whose stacks are not unwound */
	UNWIND_X86_64,
	UNWIND_AARCH64,
	UNWIND_MACHINES
};

/*
 * General registers by their DWARF numbers.  x86-64: System V ABI, figure 3.36 (rbp 6, rsp 7).
 * aarch64: DWARF for the Arm 64-bit Architecture, 4.1 (x29 frame pointer, x30 link register, sp
 * 31).
 */
#define UNWIND_REGISTERS 32

#define UNWIND_NO_REGISTER 0xff

struct unwind_machine_regs {
	uint8_t sp, fp;     /* DWARF numbers */
	uint8_t bx;         /* one more that frames are found by: rbx; UNWIND_NO_REGISTER: none */
	uint8_t ra;         /* the column of the return address; on aarch64 the link register */
	bool links;         /* a call leaves its return address in `ra`, not on the stack */
	uint64_t code_mask; /* of a return address that pointer authentication may have signed */
};

extern const struct unwind_machine_regs unwind_machine_regs[UNWIND_MACHINES];

struct unwind_regs {
	enum unwind_machine machine;
	uint32_t known; /* bit i: value[i] is known; the other values are undefined */
	uint64_t pc;
	uint64_t value[UNWIND_REGISTERS];
};

/* The machine for uname(2)'s word, as recordings hold it: "x86_64", "aarch64", "arm64". */
enum unwind_machine unwind_machine_of(const char *arch);

/* The machine that this program was compiled for. */
enum unwind_machine unwind_machine_here(void);

/*
 * Reads PERF_SAMPLE_REGS_USER: an unaligned word for each bit of MASK, lowest bit first.  Bit
 * numbers are those of the kernel's arch/ARCH/include/uapi/asm/perf_regs.h.
 *
 * Returns false if the program counter, the stack pointer or the frame pointer is missing, or if
 * the machine is unknown.  So it does if ABI (enum perf_sample_regs_abi) is not that of 64-bit
 * code.
 */
bool unwind_regs_of_sample(struct unwind_regs *r, enum unwind_machine machine, uint64_t abi,
			   uint64_t mask, const void *words);

/*
 * The same for unwind_leaf(), of a sample whose user-space chain begins with PC.  If a call leaves
 * its return address in a register, that register alone suffices; else the stack pointer and the
 * frame pointer must be there.  Returns false, too, if the registers have another program counter:
 * they are then of another moment (PEBS).
 */
bool unwind_regs_of_leaf(struct unwind_regs *r, enum unwind_machine machine, uint64_t abi,
			 uint64_t mask, const void *words, uint64_t pc);

static inline bool unwind_regs_know(const struct unwind_regs *r, uint8_t number)
{
	return number < UNWIND_REGISTERS && r->known >> number & 1;
}

#endif
