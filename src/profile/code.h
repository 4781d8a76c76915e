/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_PROFILE_CODE_H
#define PTOP_PROFILE_CODE_H

#include <stddef.h>
#include <stdint.h>

#include "base/strtab.h"

/*
 * The instructions of one function and the source lines that they were made of: what snapshots show
 * beside the addresses of samples.  Immutable once it is filled; snapshots and the collector share it
 * by references, from any thread.  Texts are raw bytes from outside.
 */
enum code_flow { CODE_NEXT, CODE_JUMP, CODE_BRANCH, CODE_CALL, CODE_RETURN };

#define CODE_NO_LINE UINT32_MAX

struct code_instruction {
	uint64_t address; /* the object's own */
	uint64_t target;  /* of a jump, a branch, a call; 0: none, or not known */
	const char *text;
	uint32_t line;   /* index in `lines`, or CODE_NO_LINE */
	uint32_t callee; /* the frame that begins at `target`, or FRAME_NONE */
	uint8_t size;    /* bytes */
	uint8_t flow;    /* enum code_flow */
};

struct code_line {
	const char *file; /* as the compiler was told */
	uint32_t line;
	const char *label; /* "parser.c:12" */
	const char *text;  /* without the blanks around it; NULL: the file was not found */
};

struct code {
	unsigned references;
	uint64_t start, size;                  /* of the function, in bytes */
	struct code_instruction *instructions; /* by address; owned, as the others */
	size_t instruction_count;
	struct code_line *lines; /* by file and line */
	size_t line_count;
	const char *missing;  /* why there are no instructions, or not all; "" */
	const char *no_lines; /* why there are no lines; "" */
	struct strtab *texts;
};

struct code *code_new(void);           /* empty, one reference */
struct code *code_get(struct code *c); /* one more; C may be NULL */
void code_put(struct code *c);         /* one less; NULL is allowed */

/*
 * The number of the instruction that ADDRESS is in, up to the next one; SIZE_MAX when it is before
 * the first or behind the function.
 */
size_t code_find(const struct code *c, uint64_t address);

#endif
