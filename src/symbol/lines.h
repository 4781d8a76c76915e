/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_SYMBOL_LINES_H
#define PTOP_SYMBOL_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "symbol/disassembly.h"
#include "symbol/dso.h"
#include "symbol/srcline.h"
#include "symbol/vmlinux.h"

/*
 * Source lines, inline frames and code, on request: a thread of its own reads them, so that neither
 * the screen nor the loading of symbols waits for debugging information, which may be hundreds of
 * megabytes.  It keeps what it read for the objects that were asked for last.
 *
 * One thread, the owner, calls what is below.  An object is told by a copy of its key, as
 * dso_describe() gives it: its `path` must live until the answer, or the end.
 */
struct lines;

struct lines_options {
	const char *proc_root;		/* "/proc"; NULL the same; borrowed, as the next */
	const char *debug_root;		/* "/usr/lib/debug"; NULL the same */
	/* Of the kernel, each NULL the running one's: its memory (kcore.h), and its list of symbols. */
	const char *kcore, *kallsyms;
	const struct vmlinux_identity *kernel;
	uint64_t bytes_max;		/* kept, about; 0: 512 MiB.  The newest object is always kept */
	bool local;			/* no server is asked for a kernel's vmlinux */
	bool live;			/* processes that keys tell of run: their memory can be read */
	bool synchronous;		/* answer at once, in this thread (recordings, tests) */
};

struct lines *lines_new(const struct lines_options *options);

/* Ends the thread; as dso_cache_free(), it waits two seconds at most. */
void lines_free(struct lines *l);			/* NULL is allowed */

#define LINES_ADDRESSES_MAX 65536u
#define LINES_CODE_MAX      (1u << 20)

struct lines_request {
	struct dso_key key;		/* not of kind DSO_FOREIGN, DSO_UNKNOWN */
	struct dso_key dump;		/* of JIT code, as dso_describe() has it */
	const uint64_t *addresses;	/* copied; at most LINES_ADDRESSES_MAX are looked at */
	size_t address_count;
	/*
	 * They are offsets in the file, else its symbols' addresses; of JIT code only where functions
	 * begin.
	 */
	bool offsets;
	/* The bytes of a function, too, at its own address as struct symbol has it; 0: none. */
	uint64_t code_start, code_size;	/* at most LINES_CODE_MAX are read */
	/*
	 * The function is disassembled, too, and its instructions are the addresses; their places have
	 * the text of their source lines.
	 */
	bool instructions;
};

struct lines_place {
	uint64_t address;		/* as it was asked */
	const struct srcline_frame *frames;	/* innermost first */
	size_t frame_count;		/* 0: nothing is known */
	const char *text;		/* with `instructions`: of the innermost line; NULL not found */
};

struct lines_answer {
	uint64_t id;			/* what lines_ask() returned */
	struct lines_place *places;	/* one an address, in the order that they were asked in */
	size_t place_count;
	const unsigned char *code;
	size_t code_size;		/* what the file has of it */
	uint16_t machine;		/* EM_X86_64, …: of the code; 0: not an ELF file */
	const struct instruction *instructions;
	size_t instruction_count;
	const char *no_code;		/* why there are no instructions, or not all; "" */
	bool has_lines;			/* there is debugging information */
	const char *missing;		/* why there is none, or what of it is not there; "" */
};

/* Asks; never waits.  The id that the answer will have, never 0. */
uint64_t lines_ask(struct lines *l, const struct lines_request *request);

/* Readable when there is an answer, for poll. */
int lines_fd(const struct lines *l);

/* The next answer, owned by the caller with all that it points to; NULL when there is none. */
struct lines_answer *lines_take(struct lines *l);
void lines_answer_free(struct lines_answer *a);		/* NULL is allowed */

#endif
