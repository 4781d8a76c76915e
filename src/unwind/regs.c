/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unwind/regs.h"

#include <stddef.h>
#include <string.h>

#define ABI_64 2 /* PERF_SAMPLE_REGS_ABI_64 */
#define PC 0xff  /* in the tables below: the program counter, without a DWARF number */
#define NONE 0xfe

/*
 * User-space addresses have 48 bits; the bits of pointer authentication above them are cleared.  A
 * program gets larger addresses (FEAT_LVA) only if it asks mmap(2) for them, and no loader does for
 * code.
 */
const struct unwind_machine_regs unwind_machine_regs[UNWIND_MACHINES] = {
	[UNWIND_X86_64] = { .sp = 7, .fp = 6, .bx = 3, .ra = 16, .code_mask = UINT64_MAX },
	[UNWIND_AARCH64] = { .sp = 31,
			     .fp = 29,
			     .bx = UNWIND_NO_REGISTER,
			     .ra = 30,
			     .links = true,
			     .code_mask = (UINT64_C(1) << 48) - 1 },
};

/* By the kernel's bit number: ax bx cx dx si di bp sp ip flags cs ss ds es fs gs r8 to r15. */
static const uint8_t x86_64_numbers[] = { 0,  3,    2,    1,    4,    5,    6,    7,
					  PC, NONE, NONE, NONE, NONE, NONE, NONE, NONE,
					  8,  9,    10,   11,   12,   13,   14,   15 };

static uint8_t number_of(enum unwind_machine machine, unsigned bit)
{
	if (machine == UNWIND_X86_64)
		return bit < sizeof(x86_64_numbers) ? x86_64_numbers[bit] : NONE;
	if (bit < UNWIND_REGISTERS) /* x0 to x30, sp, then pc: almost DWARF's own numbers */
		return bit;
	return bit == UNWIND_REGISTERS ? PC : NONE;
}

enum unwind_machine unwind_machine_of(const char *arch)
{
	if (!strcmp(arch, "x86_64"))
		return UNWIND_X86_64;
	if (!strcmp(arch, "aarch64") || !strcmp(arch, "arm64"))
		return UNWIND_AARCH64;
	return UNWIND_MACHINE_NONE;
}

enum unwind_machine unwind_machine_here(void)
{
#if defined(__x86_64__) && defined(__LP64__)
	return UNWIND_X86_64;
#elif defined(__aarch64__) && defined(__LP64__) && defined(__AARCH64EL__)
	return UNWIND_AARCH64;
#else
	return UNWIND_MACHINE_NONE;
#endif
}

/*
 * Returns false unless they are 64-bit registers of MACHINE.  *HAS_PC: the program counter is
 * there.
 */
static bool read_words(struct unwind_regs *r, enum unwind_machine machine, uint64_t abi,
		       uint64_t mask, const void *words, bool *has_pc)
{
	const char *at = words;

	*has_pc = false;
	if (machine == UNWIND_MACHINE_NONE || abi != ABI_64 || !words)
		return false;
	r->machine = machine;
	r->known = 0;
	for (; mask; mask &= mask - 1, at += sizeof(uint64_t)) {
		uint8_t number = number_of(machine, (unsigned)__builtin_ctzll(mask));

		if (number == PC) {
			memcpy(&r->pc, at, sizeof(r->pc));
			*has_pc = true;
		} else if (number != NONE) {
			memcpy(&r->value[number], at, sizeof(r->value[number]));
			r->known |= UINT32_C(1) << number;
		}
	}
	return true;
}

static bool know_frame(const struct unwind_regs *r)
{
	const struct unwind_machine_regs *m = &unwind_machine_regs[r->machine];

	return unwind_regs_know(r, m->sp) && unwind_regs_know(r, m->fp);
}

bool unwind_regs_of_sample(struct unwind_regs *r, enum unwind_machine machine, uint64_t abi,
			   uint64_t mask, const void *words)
{
	bool has_pc;

	return read_words(r, machine, abi, mask, words, &has_pc) && has_pc && know_frame(r);
}

bool unwind_regs_of_leaf(struct unwind_regs *r, enum unwind_machine machine, uint64_t abi,
			 uint64_t mask, const void *words, uint64_t pc)
{
	const struct unwind_machine_regs *m = &unwind_machine_regs[machine];
	bool has_pc;

	if (!read_words(r, machine, abi, mask, words, &has_pc) || (has_pc && r->pc != pc))
		return false;
	r->pc = pc;
	return (m->links && unwind_regs_know(r, m->ra)) || know_frame(r);
}
