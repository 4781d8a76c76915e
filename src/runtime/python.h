/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_RUNTIME_PYTHON_H
#define PTOP_RUNTIME_PYTHON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/python-walk.h"
#include "runtime/python-memory.h"

/*
 * The Python functions of a thread of CPython, read from the memory of its process while that runs.  So
 * anything may be there, and change between two reads: all loops and texts are bounded, and an answer is
 * only what was found, never a proof.  naming/python-names.h compares it with a sample.
 *
 * The chain begins in _PyRuntime, a variable that each build exports, stripped or not.  It lists the
 * interpreters, these their threads, and a thread has its innermost frame.  A call of a Python function by
 * another one makes a frame, but no call of the evaluator (_PyEval_EvalFrameDefault): only an entry from C
 * does.  So the frames come in levels, one for each entry.  Before 3.11 each call is an entry.
 */

/* Where a version has what, in bytes: one row each, made by doc/make-python-offsets. */
struct python_offsets {
	uint16_t version; /* 0x030b: 3.11 */
	/* Before 3.11 no variable tells the version: a function that it was the first one to export. */
	const char *first_export;
	/*
	 * Since 3.13 _PyRuntime begins with the figures of its own build (_Py_DebugOffsets).  The row then has the places
	 * there of those marked with (*), and python_find() puts the figures in.
	 */
	bool is_told;
	uint32_t
		free_threaded; /* of _PyRuntime: not 0 in a build without a lock; 0: no such builds */
	uint32_t interpreters;     /* (*) of _PyRuntime: the first interpreter */
	uint32_t interpreter_next; /* (*) of an interpreter: the next one */
	uint32_t threads;          /* (*) its first thread */
	uint32_t thread_next;      /* (*) of a thread */
	uint32_t thread_id;        /* (*) its tid, or else */
	bool has_pthreads;         /* its pthread_t, which points to where libc has the tid */
	/* (*) Its innermost cframe if there are any, or else its innermost frame. */
	uint32_t thread_entry;
	uint32_t thread_base;  /* (*) the frame with which its chain ends, no function's; 0: none */
	bool each_is_entry;    /* each frame is an entry of its own */
	bool has_cframes;      /* each entry has a structure on the C stack, */
	uint32_t cframe_frame; /* with its innermost frame */
	uint32_t cframe_previous; /* and the entry before it */
	uint32_t frame_code;      /* (*) of a frame: its code object, */
	uint32_t tag;             /* but for these bits of that word */
	uint32_t frame_previous;  /* (*) its caller */
	uint32_t frame_mark;      /* (*) a byte that is MARK in the last frame of a level, */
	uint8_t mark;             /* or, with shims, */
	bool has_shims;     /* in one more frame, which is no function and is on the C stack */
	uint32_t code_line; /* (*) of a code object: its first line */
	uint32_t code_file; /* (*) texts: the file's name */
	uint32_t code_name; /* (*) and the qualified name; before 3.11 the name */
	uint32_t
		code_bytes; /* the address of its instructions, a text of bytes; 0: they are in it: */
	uint32_t
		code_words; /* the number of instructions, of two bytes each; in a text of bytes the bytes */
	uint32_t code_start;    /* (*) the first instruction */
	uint32_t text_length;   /* (*) of a text: its number of characters */
	uint32_t text_state;    /* (*) a word with the bits below */
	uint32_t text_ascii;    /* (*) its first character if it is ASCII, */
	uint32_t text_wide;     /* or else so many bytes behind that */
	uint32_t state_kind;    /* bytes a character */
	uint32_t state_compact; /* the characters are behind the head */
	uint32_t state_ascii;
};

extern const struct python_offsets python_offsets[];
extern const size_t python_offset_count;

/* Returns true for the file's name of a program or library that may hold an interpreter: "libpython3.11.so.1.0". */
bool python_is_name(const char *name);

/* An interpreter in a process. */
struct python_runtime {
	struct python_offsets offsets; /* its own */
	uint64_t address;              /* of _PyRuntime */
};

enum python_result {
	PYTHON_OK,
	PYTHON_NONE,    /* no interpreter is there, or the thread runs no Python */
	PYTHON_VERSION, /* an interpreter of a version, or a kind, that the table lacks */
	PYTHON_CHANGED, /* a chain that is not one, or that changed meanwhile */
};

/*
 * Finds the interpreter of the ELF file that is mapped with its first byte at IMAGE, by its dynamic symbols as
 * they are in memory.  PYTHON_VERSION: or what it tells about itself cannot be so.
 */
enum python_result python_find(struct python_runtime *to, const struct python_memory *m,
			       uint64_t image);

/*
 * Where the evaluator is, and its part that stands elsewhere.  A compiler puts there what it takes for rarely used: gcc 16
 * all of Debian's 3.14 but the function's first kilobyte.  A stripped file has no name for it.
 */
struct python_evaluator {
	struct python_range code, part;
};

/*
 * False: the ELF file at IMAGE has no evaluator with such a part, or does not tell.
 *
 * Only within a function does code jump to another description of .eh_frame than its own, and not to the beginning there.
 * So the part is the description into which the evaluator jumps.
 */
bool python_evaluator_find(struct python_evaluator *to, const struct python_memory *m,
			   uint64_t image);

#define PYTHON_FRAMES 192 /* of a thread */
#define PYTHON_LEVELS 128
#define PYTHON_THREADS 1024 /* that are looked at for one */

struct python_frame {
	uint64_t address, code;
	/* A walk tells what code was there, as struct python_code has it; 0: not told. */
	uint64_t file, name;
	uint32_t line;
};

/* An entry into the evaluator, and its frames, the innermost first. */
struct python_level {
	uint64_t anchor; /* an address within the evaluator's frame of the C stack; 0: unknown */
	uint64_t
		pointer; /* where on the C stack the address of its innermost frame is; 0: nowhere */
	uint16_t first, count;
};

struct python_stack {
	struct python_frame frames[PYTHON_FRAMES];
	struct python_level levels[PYTHON_LEVELS]; /* the innermost first */
	uint16_t frame_count, level_count;
};

/* The address of the state of thread TID; 0: it has none. */
uint64_t python_thread(const struct python_runtime *r, const struct python_memory *m, uint64_t tid);

/* Reads the frames of THREAD, which must still be that of TID. */
enum python_result python_stack_read(const struct python_runtime *r, const struct python_memory *m,
				     uint64_t thread, uint64_t tid, struct python_stack *to);

/*
 * Tells in *TO how to walk the frames of THREAD, the state of a thread that python_stack_read() has just read.  False: it is
 * not there any more.
 */
bool python_walk_make(const struct python_runtime *r, const struct python_memory *m,
		      uint64_t thread, struct python_walk *to);

/* The stack of W, whose result is PYTHON_WALKED.  Frames have no address, levels no place. */
enum python_result python_walk_stack(const struct python_runtime *r, const struct python_walked *w,
				     struct python_stack *to);

#define PYTHON_TEXT 256 /* bytes of a text; the rest of a longer one is left out */

struct python_code {
	uint64_t start, end; /* of its instructions */
	uint64_t name, file; /* addresses of its texts */
	uint32_t line;       /* the first; 0: unknown */
};

/* False: nothing that could be a code object is at ADDRESS. */
bool python_code_read(const struct python_runtime *r, const struct python_memory *m,
		      uint64_t address, struct python_code *to);

/* Reads the text at ADDRESS as UTF-8.  False: that is no text. */
bool python_text_read(const struct python_runtime *r, const struct python_memory *m,
		      uint64_t address, char text[PYTHON_TEXT + 1]);

#endif
