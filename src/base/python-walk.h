/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_BASE_PYTHON_WALK_H
#define PTOP_BASE_PYTHON_WALK_H

/*
 * The frames of Python's interpreter at the moment of a sample: how the kernel's program (perf/bpf/python.bpf.c) finds
 * those of one thread, and what it found.  naming/python-names.c makes the first and names the second; all between hand
 * them on.  Both compilers lay these structs out alike: members are in the order of their alignment, with no gaps.
 */
#ifdef __bpf__
typedef unsigned char uint8_t;
typedef unsigned int uint32_t;
typedef unsigned long long uint64_t;
#else
#include <stdint.h>
#endif

#define PYTHON_WALK_FRAMES 128u   /* of a thread, at most */
#define PYTHON_WALK_THREADS 2048u /* that are walked */

/* Offsets are in bytes; runtime/python.h says of what. */
struct python_walk {
	uint64_t state; /* the address of the thread's state */
	uint64_t id;    /* the word in it that tells which thread it is */
	uint64_t tag;   /* bits that a frame's word has beside the code's address */
	uint32_t thread_id, thread_entry;
	uint32_t has_entries, entry_frame; /* the thread has an entry, and that a frame */
	uint32_t frame_code, frame_previous, frame_mark;
	uint32_t code_file, code_name, code_line;
};

enum python_walked_result {
	PYTHON_WALKED,
	PYTHON_WALK_UNREAD, /* some of the memory was not there */
	PYTHON_WALK_OTHER,  /* the state is no longer this thread's */
	PYTHON_WALK_LONG,   /* there are more than PYTHON_WALK_FRAMES */
};

struct python_walked_frame {
	uint64_t code;       /* its address */
	uint64_t file, name; /* the words in it that point to these texts, */
	uint32_t line;       /* and its first line; other ones: it is other code by now */
	uint32_t mark;       /* the byte that may end a level */
};

struct python_walked {
	uint64_t time_ns; /* CLOCK_MONOTONIC */
	uint64_t ip;      /* the sample's */
	uint64_t state;   /* of the thread */
	uint32_t cpu, tid;
	uint32_t sequence; /* grows by one on each CPU */
	uint32_t result;   /* enum python_walked_result */
	uint32_t count;    /* frames, the innermost first */
	uint32_t zero;
	struct python_walked_frame frames[PYTHON_WALK_FRAMES];
};

#endif
