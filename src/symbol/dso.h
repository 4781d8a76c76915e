/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_SYMBOL_DSO_H
#define PTOP_SYMBOL_DSO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/build-id.h"
#include "base/error.h"
#include "symbol/dso-key.h"
#include "symbol/jit-parser.h"
#include "symbol/symtab.h"

/*
 * Objects that hold code ("dso"), and their cache.  An object is identified by what the kernel says
 * is mapped (device, inode, generation, or build id), however many processes map it.  The loader
 * thread loads it once, on its first sample.
 *
 * Objects live until dso_cache_free().  When there are too many symbols, those unused for longest
 * are dropped; they are loaded again on demand.
 *
 * One thread, the collector, owns the cache and calls the functions below.  The loader works on
 * jobs of its own.  A job's result becomes the object's in dso_cache_loaded().  So states and
 * tables change only there, and in dso_request() if the cache is synchronous.
 */
enum dso_state { DSO_NEW, DSO_LOADING, DSO_READY, DSO_FAILED };

/*
 * The kind that a path in /proc/PID/maps or in an MMAP2 record stands for.  "//anon" and other
 * memory without a file may hold JIT code.  "[vdso]" is a kind of its own.  "[stack]" and the like
 * are DSO_UNKNOWN.
 */
enum dso_kind dso_kind_of_path(const char *path);

struct dso_cache;

struct spare_time;
struct zygote;

struct dso_cache_options {
	struct zygote *zygote;  /* borrowed; its workers read the files; NULL: this process does */
	const char *proc_root;  /* "/proc"; NULL the same */
	const char *debug_root; /* "/usr/lib/debug"; NULL the same */
	const char *kallsyms;   /* "/proc/kallsyms"; NULL the same; "" none */
	const char *modules;    /* "/proc/modules"; NULL the same; "": none will be loaded */
	struct spare_time *spare; /* borrowed; what reading files takes; NULL: without limit */
	bool synchronous;         /* load on first use, in this thread (recordings, tests) */
	bool recorded; /* the BPF programs of `kallsyms` are not those of then: dso_kernel_symbol() tells these */
	jitframe_make
		*make_frames; /* for jitdumps that this process reads; NULL: without callers */
	/* Objects and their symbols have parts of this (base/account.h); 0: the default. */
	uint64_t memory_bytes;
	/*
	 * Limit of symbols in memory, in bytes; 0: half of ACCOUNT_SYMBOLS.  Symbols used in the last half
	 * minute stay, though, up to twice as much.
	 */
	uint64_t bytes_max;
	bool complete; /* dso_complete() works */
	bool fetch;    /* it also asks servers: see fetch.h */
};

/* Starts the loader. */
struct dso_cache *dso_cache_new(const struct dso_cache_options *options);

/*
 * Ends the loader, also in the middle of a huge file.  If the loader hangs in a read (a dead
 * network file system), it is left behind after two seconds, with the cache's memory.
 */
void dso_cache_free(struct dso_cache *c);

/*
 * Returns the number of the object, and makes the object if it is new.  Never fails; 0 is never
 * returned.
 *
 * Files are equal by device, inode and generation (0: unknown, then the file's name must agree) and
 * build id; JIT code by pid.  An object that could not be opened is DSO_NEW again when another
 * process maps it: request it then.
 *
 * Objects take at most ACCOUNT_OBJECTS, without their symbols, and those of one user his part of that.
 * Beyond it they are one, "[others]", without symbols, and dso_cache_merged() counts how often that was returned.
 */
uint64_t dso_cache_merged(const struct dso_cache *c);
uint32_t dso_cache_get(struct dso_cache *c, const struct dso_key *key);

/*
 * Asks the loader for the object; no effect if that was done before.
 *
 * A JIT map is looked at again, and read on if it grew, at most five times a second.  So call this
 * at each refresh with unnamed samples there.  The kernel's list is read again if its modules have
 * changed, at most every five seconds; the modules are checked once a second.
 */
void dso_request(struct dso_cache *c, uint32_t dso);

/*
 * Returns true if the object is not read, since its owner rests (loader.h).  It is DSO_FAILED, or has what was read
 * before; dso_missing() says why.  dso_request() has it read once that is over.
 */
bool dso_rests(const struct dso_cache *c, uint32_t dso);

/* Returns true if unnamed code there may get a name later: a JIT compiler's, that of a late module, or that rests. */
bool dso_may_grow(const struct dso_cache *c, uint32_t dso);

/*
 * Completes the symbols of a hot object, if they are incomplete, in a thread of its own.  The debug
 * file is fetched from a server and replaces the symbols, or dso_missing() names the package to
 * install. dso_cache_loaded() reports either.  No effect if that was done before.
 */
void dso_complete(struct dso_cache *c, uint32_t dso);
uint64_t dso_cache_cpu_ns(const struct dso_cache *c); /* CPU time of the loader */
bool dso_cache_completes(const struct dso_cache *c);

/*
 * The process with JIT code DSO maps this file, its compiler's description of the code
 * (jitdump_is_path()).  From the next dso_request() on it is read instead of a perf map.
 */
void dso_set_jitdump(struct dso_cache *c, uint32_t dso, const struct dso_key *file);

/*
 * The kernel made or removed code (PERF_RECORD_KSYMBOL): BPF programs, trampolines, pages of
 * probes.  This code is an object of its own, "[bpf]", READY from the first record on.
 */
struct dso_kernel_symbol {
	uint64_t address, size; /* in bytes; 0 is ignored */
	const char *name;
	bool gone;
};
void dso_kernel_symbol(struct dso_cache *c, const struct dso_kernel_symbol *s);

/* The object of such code if ADDRESS is in it; else 0. */
uint32_t dso_kernel_symbol_at(struct dso_cache *c, uint64_t address);

/*
 * The rules for callers of the code at ADDRESS, by a JIT compiler's dump, or NULL.  Lives as long as
 * dso_symtab().
 */
struct jitframe;
struct jitframe *dso_jitframe(const struct dso_cache *c, uint32_t dso, uint64_t address);

enum dso_state dso_state(const struct dso_cache *c, uint32_t dso);
enum dso_kind dso_kind(const struct dso_cache *c, uint32_t dso);
const char *dso_path(const struct dso_cache *c, uint32_t dso); /* full path; cache's */
const char *dso_name(const struct dso_cache *c, uint32_t dso); /* last part, "[kernel]", "[vdso]" */

/* A copy of TEXT, such as a symbol's module, that lives as long as the cache; the same for equal texts. */
const char *dso_text(struct dso_cache *c, const char *text);

/*
 * NULL until READY; READY without symbols gives an empty table.  It lives, with its names, until
 * the next dso_cache_loaded() or dso_request().  These may bring a newer table, or drop this one:
 * the state is then DSO_NEW again.
 */
const struct symtab *dso_symtab(const struct dso_cache *c, uint32_t dso);

/*
 * The lasting id of a symbol of the present table.  In one object equal ids are the same symbol,
 * also after the table was dropped, loaded again, or replaced by a better one.
 */
uint32_t dso_symbol_id(const struct dso_cache *c, uint32_t dso, uint32_t symbol);

/*
 * The sources of the symbols: ".symtab", "debug file /usr/lib/debug/…", "debug file (debuginfod)",
 * ".gnu_debugdata", ".gopclntab", ".dynsym", "kallsyms", "perf map", "jitdump".  Several are joined
 * by " + ".  "" for none, or before loading.  Lives as long as the cache.
 */
const char *dso_symbol_source(const struct dso_cache *c, uint32_t dso);

/*
 * The missing file, and the reason: "install …: stripped, and no debug file for build id …",
 * "cannot open …".  "" if nothing is missing, or before loading.  Lives as long as the cache.
 */
const char *dso_missing(const struct dso_cache *c, uint32_t dso);

/*
 * Sets the text for a missing part of the object, by the code that asked for it.  The parts: names that a
 * runtime would have to tell; source lines and inlined functions; call frame information.  "" changes nothing.
 */
enum dso_part { DSO_NAMES, DSO_LINES, DSO_CALLERS, DSO_PARTS };
void dso_set_missing(struct dso_cache *c, uint32_t dso, enum dso_part part, const char *text);
void dso_clear_missing(struct dso_cache *c, uint32_t dso, enum dso_part part);

/* The build id of the loaded file, borrowed. */
const struct build_id *dso_build_id(const struct dso_cache *c, uint32_t dso);

/*
 * A copy of all that is known of an object, for a snapshot.  Its texts live as long as the cache.
 */
struct dso_description {
	struct dso_key key;  /* the key for lines.h; `path` lives as long as the texts */
	struct dso_key dump; /* the same for JIT code; `path` NULL: none */
	uint32_t number;
	enum dso_state state;
	const char *path, *name;              /* dso_path(), dso_name() */
	const char *source, *missing;         /* dso_symbol_source(), dso_missing() */
	const char *missing_parts[DSO_PARTS]; /* dso_set_missing(); "" nothing, or never asked */
	struct build_id build_id;             /* of the file, or from a record */
	uint64_t symbols;                     /* 0 until READY */
	uint64_t left_out;                    /* symbols beyond a limit, invalid lines */
	uint64_t bytes;                       /* memory of its symbols at present */
};
void dso_describe(const struct dso_cache *c, uint32_t dso, struct dso_description *d);

/*
 * Work of other modules on an object's file, in the loader's thread, in turn with the loader's own
 * work.
 *
 * RUN gets the open file and the means to find its debug file (load.h).  It checks
 * load_checkpoint(), and touches nothing but W.  LOAD's `object` is NULL if the object has no file
 * or it cannot be opened; the vdso has one.  If the cache has a zygote, a file is only opened
 * (`has_file`), so that a worker can read it.
 *
 * DONE gets W back in the thread of the cache's owner: from dso_cache_loaded(), or within
 * dso_submit() if the cache is synchronous.  If the cache ends before, DROP gets W instead, in any
 * thread.  DONE and DROP own W.
 */
struct load;

struct dso_work {
	void (*run)(struct dso_work *w, struct load *load);
	void (*done)(struct dso_work *w);
	void (*drop)(struct dso_work *w);
	uint64_t rest_until_ns; /* for DONE: 0, or its owner rests, and RUN was not called */
};
void dso_submit(struct dso_cache *c, uint32_t dso, struct dso_work *w);

/*
 * A descriptor for poll, readable when something was loaded.  dso_cache_loaded() returns the next
 * object, which is READY or FAILED from then on.  At the end it returns 0 and clears the
 * descriptor.
 */
int dso_cache_fd(const struct dso_cache *c);
uint32_t dso_cache_loaded(struct dso_cache *c);

size_t dso_cache_count(const struct dso_cache *c);

/* Memory held, in bytes: of objects, and of their symbols, those in sealed memory counted. */
uint64_t dso_cache_object_bytes(const struct dso_cache *c);
uint64_t dso_cache_symbol_bytes(const struct dso_cache *c);

/*
 * Drops the symbols that were not used for IDLE_NS; also those unused for longest until they take less than BYTES, or
 * none is left that can be dropped.
 */
void dso_cache_shed(struct dso_cache *c, uint64_t idle_ns, uint64_t bytes);

/* The user who could choose what was read last (load_owner()); LOADER_NOBODY before anything was. */
uint32_t dso_owner(const struct dso_cache *c, uint32_t dso);

/* The user who pays for the object. */
uint32_t dso_uid(const struct dso_cache *c, uint32_t dso);
uint32_t dso_cache_next(const struct dso_cache *c,
			uint32_t previous); /* walks; start with 0, ends with 0 */

#endif
