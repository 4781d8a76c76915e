/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_NAMING_RESOLVE_H
#define PTOP_NAMING_RESOLVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "naming/name.h"
#include "perf/record/record.h"
#include "proc/process.h"
#include "profile/frame.h"
#include "symbol/dso.h"

/*
 * From an address of a process to a frame: mapping, object, symbol.  The answer for (process,
 * generation of its space, address) is kept in a direct-mapped cache, so that a hot address costs
 * one comparison.  An address that no symbol covers becomes the frame of its object without a name,
 * never one of its own.
 */
struct attacher;
struct clock;
struct inlines;
struct resolver;

struct resolver_options {
	struct process_table *processes; /* all borrowed */
	const struct procfs *procfs;     /* NULL: a recording */
	struct dso_cache *objects;
	struct frame_table *frames;
	struct inlines *inlines;   /* NULL: what is inlined is not asked for */
	struct attacher *attacher; /* asks Java programs for names; NULL: nobody does */
	bool ask_java;             /* from the start, and not from resolver_ask_java() on */
	const struct clock *clock; /* with `attacher` */
	/*
	 * For a recording, which has its own kernel: returns true if that one runs here.  *MOVED gets the
	 * distance between both.  Called before the first kernel address is named, and once more
	 * if the first mapping of the kernel comes later.  NULL: it runs here.
	 */
	bool (*kernel_is_running)(void *context, uint64_t *moved);
	void *context;
	bool only_named;    /* a function without a name is none: its code is [unknown] */
	bool kernel_copied; /* what that means is a copy of a kernel that may be another one */
};

struct resolver *resolver_new(const struct resolver_options *options);
void resolver_free(struct resolver *r); /* NULL is allowed */

/* From now on Java programs are asked for the names of their code (java-names.h), if anybody can. */
void resolver_ask_java(struct resolver *r);

struct address {
	struct process *process;
	enum record_cpumode mode;
	uint64_t ip;
};

/*
 * The name of an address: a frame, or with `inlines` a list.  While its object is being loaded,
 * that is the object's frame with FRAME_PENDING; the first call asks for the object.  While the
 * functions inlined there are being asked for, it is the function's frame.  Whenever waiting may
 * bring a better answer, LATER->object is not 0, and LATER is what to ask resolver_name() for when
 * the object was loaded.
 */
struct name resolver_find(struct resolver *r, const struct address *a, struct place *later);

/* The object that P maps with M, a mapping of its SPACE. */
uint32_t resolver_object(struct resolver *r, const struct process *p, struct space *space,
			 struct mapping *m);

/*
 * The same without a process; the frame is open as long as it is being asked what is inlined there.
 */
struct name resolver_name(struct resolver *r, const struct place *place);

/*
 * The frames of a name that is no placeholder, COUNT of them, the outermost first.  Borrowed until the
 * next call, and as long as NAME lives.
 */
const uint32_t *resolver_frames(const struct resolver *r, const struct name *name, size_t *count);

/* The frame whose code it is: the innermost.  And the function that has the symbol: the outermost. */
uint32_t resolver_inner(const struct resolver *r, struct name name);
uint32_t resolver_outer(const struct resolver *r, struct name name);

/* The frame with FRAME_PENDING (or FRAME_UNKNOWN) of OBJECT. */
uint32_t resolver_nameless(struct resolver *r, uint32_t object, enum frame_flag why);

/*
 * A recording tells where its kernel and the modules are.  M's path is interned: "[kernel.kallsyms]",
 * "[nf_tables]" or that of a file.
 */
void resolver_add_kernel_mapping(struct resolver *r, const struct mapping *m);

/* P has mapped a file that jitdump_is_path() knows: it describes P's JIT code. */
void resolver_add_jitdump(struct resolver *r, const struct process *p, const struct mapping *m);

/* The kernel made code, or did away with it. */
void resolver_add_kernel_symbol(struct resolver *r, const struct dso_kernel_symbol *s);

/*
 * Gets the distance of an address from the start of the symbol that names it; false: it has no
 * name.
 */
bool resolver_offset(struct resolver *r, const struct address *a, uint64_t *offset);

/* Where an address is, named or not, at the cost of a look at the mappings; false: nowhere. */
bool resolver_place(struct resolver *r, const struct address *a, struct place *place);

/*
 * The function at PLACE, as far as its object is loaded: its range in the object's own addresses.
 * MOVED is 0 for the kernel and JIT code.  False: no symbol.
 */
struct function_range {
	uint64_t start, end;
	uint64_t moved; /* added to a place's address it is the object's own */
};
bool resolver_range(struct resolver *r, const struct place *place, struct function_range *range);

/* The function that begins at ADDRESS, one of OBJECT's own; FRAME_NONE: none is known to. */
uint32_t resolver_function_at(struct resolver *r, uint32_t object, uint64_t address);

/*
 * The frame that FRAME, a function without a name, has by its object's present symbols: a named function
 * with its first instruction, or FRAME itself.
 */
uint32_t resolver_renamed(struct resolver *r, uint32_t frame);

/* Returns true if functions of OBJECT without a name were answered. */
bool resolver_has_unnamed(const struct resolver *r, uint32_t object);

/*
 * OBJECT was loaded.  When that was not the first time, or it has code that changes, what was answered
 * before may be wrong now: then all answers go, and it is true.
 */
bool resolver_loaded(struct resolver *r, uint32_t object);

/* Returns true if OBJECT will be read later, since its owner rests: dso_rests(). */
bool resolver_rests(const struct resolver *r, uint32_t object);

/* All answers go. */
void resolver_forget(struct resolver *r);

struct resolver_stats {
	uint64_t hits, misses; /* of the cache */
	uint64_t unmapped;     /* user addresses in no mapping */
	uint64_t guests;       /* samples of a guest or hypervisor, which have no names here */
};
const struct resolver_stats *resolver_statistics(const struct resolver *r);

#endif
