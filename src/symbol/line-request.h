/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_SYMBOL_LINE_REQUEST_H
#define PTOP_SYMBOL_LINE_REQUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "symbol/disassembly.h"
#include "symbol/dso-key.h"
#include "symbol/srcline.h"
#include "symbol/vmlinux.h"

/* Questions to lines.h, and their answers. */
struct spare_time;
struct zygote;

struct lines_options {
	struct zygote *zygote;  /* borrowed; its workers read the files; NULL: this process does */
	const char *proc_root;  /* "/proc"; NULL the same; borrowed, as the next */
	const char *debug_root; /* "/usr/lib/debug"; NULL the same */
	/*
	 * The kernel's memory (kcore.h), and its list of symbols.  NULL means the running
	 * kernel's.
	 */
	const char *kcore, *kallsyms;
	/* The running kernel's modules, and where their files are; NULL: "/sys/module", "/lib/modules". */
	const char *modules, *module_files;
	const struct vmlinux_identity *kernel;
	uint64_t
		bytes_max; /* kept, about; 0: ACCOUNT_WORKERS of the default limit.  The newest object is always kept */
	bool local;                /* do not ask a server for a kernel's vmlinux */
	bool live;                 /* the processes of the keys run: their memory can be read */
	struct spare_time *spare;  /* borrowed; what reading takes; NULL: without limit */
	bool synchronous;          /* answer at once, in this thread (recordings, tests) */
	const struct clock *clock; /* borrowed; NULL: the system's */
};

#define LINES_ADDRESSES_MAX 65536u
#define LINES_CODE_MAX (1u << 20)

struct lines_request {
	/*
	 * Not of kind DSO_FOREIGN, DSO_UNKNOWN.  For code of a kernel's module its `path` is that module,
	 * "[nf_tables]".
	 */
	struct dso_key key;
	struct dso_key dump;       /* of JIT code, as dso_describe() has it */
	const uint64_t *addresses; /* copied; at most LINES_ADDRESSES_MAX are looked at */
	size_t address_count;
	/*
	 * The addresses are offsets in the file, else addresses of its symbols.  For JIT code they
	 * may only be where functions begin.
	 */
	bool offsets;
	/* Also return the bytes of a function, at its own address as in struct symbol; 0: none. */
	uint64_t code_start, code_size; /* at most LINES_CODE_MAX are read */
	uint32_t
		owner; /* of the file, dso_owner(), or 0: only to tell early that he rests (loader.h) */
	bool urgent; /* a person waits for it: it is read even while the file's owner rests (loader.h) */
	/*
	 * Also disassemble the function; the instructions are then the addresses, and their places
	 * have the text of their source lines.
	 */
	bool instructions;
};

struct lines_place {
	uint64_t address;                   /* as in the question */
	const struct srcline_frame *frames; /* innermost first */
	size_t frame_count;                 /* 0: unknown */
	const char *text; /* with `instructions`: of the innermost line; NULL not found */
};

struct lines_answer {
	uint64_t id;                /* what lines_ask() returned */
	struct lines_place *places; /* one an address, in the order of the question */
	size_t place_count;
	const unsigned char *code;
	size_t code_size; /* the part that the file has */
	uint16_t machine; /* machine of the code, EM_X86_64, …; 0: not an ELF file */
	const struct instruction *instructions;
	size_t instruction_count;
	const char *no_code; /* why instructions are missing; "" */
	bool has_lines;      /* there is debugging information */
	/*
	 * Not 0: nothing was read, since the file's owner rests until then (CLOCK_MONOTONIC).  The places are those of the
	 * question, without frames.
	 */
	uint64_t rest_until_ns;
	const char *missing; /* why there is none, or which part is missing; "" */
};

#endif
