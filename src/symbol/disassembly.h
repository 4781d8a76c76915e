/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_SYMBOL_DISASSEMBLY_H
#define PTOP_SYMBOL_DISASSEMBLY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/strtab.h"

/*
 * Turns bytes of code into instructions as text, by capstone.  x86 is written as by objdump and
 * perf (AT&T).  Any bytes are allowed: what is no instruction becomes a ".byte".
 */
enum instruction_flow {
	FLOW_NEXT, /* continues with the next instruction */
	FLOW_JUMP,
	FLOW_BRANCH, /* jumps to `target`; may jump there */
	FLOW_CALL,
	FLOW_RETURN,
};

struct instruction {
	uint64_t address;
	uint64_t target;  /* 0: unknown, or it has none */
	const char *text; /* mnemonic, a blank, operands; borrowed from the strtab */
	uint8_t size;     /* bytes */
	uint8_t flow;     /* enum instruction_flow */
};

#define DISASSEMBLY_MAX 65536u /* instructions; later ones are left out */

struct disassembly_request {
	uint16_t machine;          /* EM_X86_64, EM_386 or EM_AARCH64, of <elf.h> */
	const unsigned char *code; /* SIZE bytes, the first one at ADDRESS */
	size_t size;
	uint64_t address;
	bool (*stop)(void *context); /* called now and then; true: give up.  NULL: never */
	void *context;
};

/*
 * Returns an array of instructions that the caller owns; their texts are in TEXTS.  *COUNT is 0 if
 * there are none, and ERR says why: another machine, or a ptop without capstone.
 */
struct instruction *disassembly_make(const struct disassembly_request *r, struct strtab *texts,
				     size_t *count, struct error *err);

#endif
