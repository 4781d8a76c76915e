/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_SYMBOL_LIVECODE_H
#define PTOP_SYMBOL_LIVECODE_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/*
 * Code that is in the memory of a process alone, read while it runs: process_vm_readv(2), for which one
 * needs what ptrace(2) needs.
 */
struct livecode {
	const char *proc_root;		/* "/proc" */
	uint32_t pid;
	uint64_t address;
};

/*
 * Up to SIZE bytes; how many there are, and in *MACHINE what they are for (EM_X86_64, …), by the program
 * of the process.  0 with ERR saying why.
 */
size_t livecode_read(const struct livecode *c, void *bytes, size_t size, uint16_t *machine,
		     struct error *err);

#endif
