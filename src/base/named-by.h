/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_BASE_NAMED_BY_H
#define PTOP_BASE_NAMED_BY_H

#include <stdint.h>

/*
 * The source of a function's name or, for a function without one, of its bounds.  A number fits a
 * byte.
 */
enum named_by {
	NAMED_BY_NONE, /* nothing did */
	NAMED_BY_KALLSYMS,
	NAMED_BY_SYMTAB,
	NAMED_BY_DEBUG_FILE,
	NAMED_BY_DEBUGINFOD, /* a debug file from a server */
	NAMED_BY_MINIDEBUG,
	NAMED_BY_DYNSYM,
	NAMED_BY_PCLNTAB,
	NAMED_BY_PLT,      /* made of a relocation: "read@plt" */
	NAMED_BY_CFI,      /* call frame information: bounds, and no name */
	NAMED_BY_PERF_MAP, /* of a JIT compiler */
	NAMED_BY_JITDUMP,
	NAMED_BY_KERNEL,     /* a record of the kernel: BPF programs, trampolines */
	NAMED_BY_DEBUG_INFO, /* an inlined function */
	NAMED_BY_PYTHON,     /* the interpreter of a process */
	NAMED_BY_CALLS,      /* calls that lead to it: where it begins, and no name */
	NAMED_BY_COUNT
};

/*
 * The word for it, ".symtab", "debug file", the same in all languages; _() translates it for a
 * person.  NULL for NAMED_BY_NONE and for any other number.
 */
const char *named_by_word(uint32_t named_by);

#endif
