/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_SYMBOL_LIVECODE_H
#define PTOP_SYMBOL_LIVECODE_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/*
 * Reads code that exists only in the memory of a process, while the process runs:
 * process_vm_readv(2), which needs the same permission as ptrace(2).  The address is what a perf map
 * claims.  So only memory that the process may execute is read, as its list of mappings says; no mapped file,
 * since a read of one may never end.
 */
struct livecode {
	const char *proc_root; /* "/proc" */
	uint32_t pid;
	uint64_t address;
};

/*
 * Reads up to SIZE bytes.  Returns their number and, in *MACHINE, the machine of the process's
 * program (EM_X86_64, …).  Returns 0 with ERR saying why.
 */
size_t livecode_read(const struct livecode *c, void *bytes, size_t size, uint16_t *machine,
		     struct error *err);

#endif
