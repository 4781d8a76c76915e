/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_SYMBOL_DSO_H
#define PTOP_SYMBOL_DSO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "symbol/symtab.h"

/*
 * Objects that hold code ("dso") and the cache of them.  An object is what the kernel says is
 * mapped (device, inode, generation, or build id), however many processes map it; it is loaded once,
 * by the loader thread, on its first sample.  Objects live until dso_cache_free(); their symbols go
 * when there are too many and these were not used for longest, and are loaded again on demand.
 *
 * One thread, the collector, owns the cache and calls what is below.  The loader works on jobs of its
 * own; what it made becomes the object's in dso_cache_loaded(), so that states and tables change in
 * no other moment than there (and in dso_request() when the cache is synchronous).
 */
enum dso_kind {
	DSO_FILE,		/* an ELF file */
	DSO_KERNEL,		/* the kernel and its modules: one, addresses are absolute */
	DSO_VDSO,
	DSO_JIT,		/* executable memory of one process: jitdump, /tmp/perf-PID.map */
	DSO_BPF,		/* code that the kernel made while it was watched: dso_kernel_symbol() */
	DSO_FOREIGN,		/* a kernel or module that does not run here: no symbols */
	DSO_UNKNOWN,		/* no mapping there */
};

enum dso_state { DSO_NEW, DSO_LOADING, DSO_READY, DSO_FAILED };

/*
 * What a path in /proc/PID/maps or an MMAP2 record stands for: "//anon" and other memory without a
 * file may hold JIT code, "[vdso]" is itself, "[stack]" and the like are DSO_UNKNOWN.
 */
enum dso_kind dso_kind_of_path(const char *path);

/* How the loader can reach the object: any process that maps it. */
struct dso_key {
	enum dso_kind kind;
	const char *path;		/* as mapped, in that process's mount namespace; interned */
	uint32_t pid;			/* a process that maps it */
	uint32_t nspid;			/* JIT: its pid in its own namespace, 0 the same */
	uint64_t map_start, map_end;	/* there: for /proc/PID/map_files */
	uint32_t major, minor;
	uint64_t inode, inode_generation;
	uint8_t build_id[20];
	uint8_t build_id_size;
};

struct dso_cache;

struct dso_cache_options {
	const char *proc_root;		/* "/proc"; NULL the same */
	const char *debug_root;		/* "/usr/lib/debug"; NULL the same */
	const char *kallsyms;		/* "/proc/kallsyms"; NULL the same; "" none */
	const char *modules;		/* "/proc/modules"; NULL the same; "": none will come */
	bool synchronous;		/* load on first use, in this thread (recordings, tests) */
	/*
	 * Bytes of symbols that are kept; 0: 64 MiB.  Those that were used in the last half minute
	 * stay, though, up to four times as much.
	 */
	uint64_t bytes_max;
	bool complete;			/* dso_complete() has an effect */
	bool fetch;			/* it asks servers, too: see fetch.h */
};

/* Starts the loader. */
struct dso_cache *dso_cache_new(const struct dso_cache_options *options);

/*
 * Ends it, also in the middle of a huge file.  When the loader hangs in a read (a dead network file
 * system) it is left behind after two seconds, with the cache's memory.
 */
void dso_cache_free(struct dso_cache *c);

/*
 * The number of the object, made when new.  Never fails; 0 is never a number of an object.  Files are
 * the same by device, inode and generation (0: not known, then the file's name must agree) and build
 * id, JIT code by pid.  An object that could not be opened is DSO_NEW again when another process
 * maps it: request it then.
 */
uint32_t dso_cache_get(struct dso_cache *c, const struct dso_key *key);

/*
 * Asks the loader for it; no effect when it was asked before.  A JIT map is looked at again, and read
 * on when it grew, at most five times a second: ask for each refresh that has unnamed samples there.
 * So is the kernel's list when the modules are others than before, at most every five seconds, and
 * they are looked at once a second.
 */
void dso_request(struct dso_cache *c, uint32_t dso);

/* Whether code there that has no name may get one: a JIT compiler's, and a module that is loaded late. */
bool dso_may_grow(const struct dso_cache *c, uint32_t dso);

/*
 * The object is a hot one: when its symbols are incomplete, what can be done about that is done, in a
 * thread of its own.  Its debug file is fetched from a server, and what that says replaces them; or
 * dso_missing() names the package to install.  dso_cache_loaded() tells of either.  No effect when it
 * was asked before.
 */
void dso_complete(struct dso_cache *c, uint32_t dso);
bool dso_cache_completes(const struct dso_cache *c);

/*
 * The process whose JIT code DSO is maps this file, which jitdump_is_path() says is its compiler's
 * description of it: from the next dso_request() on that is read instead of a perf map.
 */
void dso_set_jitdump(struct dso_cache *c, uint32_t dso, const struct dso_key *file);

/*
 * The kernel made code, or did away with it (PERF_RECORD_KSYMBOL): BPF programs, trampolines, pages
 * of probes.  It is an object of its own, "[bpf]", which is READY from the first one on.
 */
struct dso_kernel_symbol {
	uint64_t address, size;		/* in bytes; 0 is ignored */
	const char *name;
	bool gone;
};
void dso_kernel_symbol(struct dso_cache *c, const struct dso_kernel_symbol *s);

/* The object of what was made so, if ADDRESS is in it; else 0. */
uint32_t dso_kernel_symbol_at(struct dso_cache *c, uint64_t address);

/* What a JIT compiler's dump says of the frames of the code at ADDRESS; NULL nothing.  Lives as dso_symtab(). */
struct jitframe;
struct jitframe *dso_jitframe(const struct dso_cache *c, uint32_t dso, uint64_t address);

enum dso_state dso_state(const struct dso_cache *c, uint32_t dso);
enum dso_kind dso_kind(const struct dso_cache *c, uint32_t dso);
const char *dso_path(const struct dso_cache *c, uint32_t dso);		/* full; lives as the cache */
const char *dso_name(const struct dso_cache *c, uint32_t dso);		/* last part, "[kernel]", "[vdso]" */

/*
 * NULL until READY (READY without symbols gives an empty one).  Lives, with its names, until the next
 * call of dso_cache_loaded() or dso_request(), which may bring a newer one, or drop this one: the
 * state is DSO_NEW again then.
 */
const struct symtab *dso_symtab(const struct dso_cache *c, uint32_t dso);

/*
 * What a symbol of the present table is known by for good: equal numbers of one object are the same
 * symbol, also after its table was dropped, loaded again, or replaced by a better one.
 */
uint32_t dso_symbol_id(const struct dso_cache *c, uint32_t dso, uint32_t symbol);

/*
 * Where the symbols came from: ".symtab", "debug file /usr/lib/debug/…", "debug file
 * (debuginfod)", ".gnu_debugdata",
 * ".gopclntab", ".dynsym", "kallsyms", "perf map", "jitdump"; several are joined by " + ".  "" none,
 * or not loaded yet.  Lives as the cache.
 */
const char *dso_symbol_source(const struct dso_cache *c, uint32_t dso);

/*
 * What is missing, and why: "install …: stripped, and no debug file for build id …", "cannot
 * open …".  "" when nothing is, or it was not loaded yet.  Lives as the cache.
 */
const char *dso_missing(const struct dso_cache *c, uint32_t dso);

/* Whoever asked for source lines or inlined functions says what is missing of them; "" is no news. */
void dso_set_missing_lines(struct dso_cache *c, uint32_t dso, const char *text);

/* The build id of the file that was loaded: its size in bytes, at most 20; 0 none.  Borrowed. */
size_t dso_build_id(const struct dso_cache *c, uint32_t dso, const uint8_t **id);

/*
 * All that is known of an object, for a snapshot: a copy, whose texts live as the cache.
 */
struct dso_description {
	struct dso_key key;		/* what lines.h asks for; its `path` as the texts */
	struct dso_key dump;		/* likewise, of JIT code; `path` NULL: none */
	uint32_t number;
	enum dso_state state;
	const char *path, *name;	/* dso_path(), dso_name() */
	const char *source, *missing;	/* dso_symbol_source(), dso_missing() */
	const char *missing_lines;	/* dso_set_missing_lines(); "" nothing, or nobody asked */
	uint8_t build_id[20];		/* of the file, or what a record told */
	size_t build_id_size;		/* bytes; 0: none */
	uint64_t symbols;		/* 0 until READY */
	uint64_t left_out;		/* symbols over a limit, lines that are none */
	uint64_t bytes;			/* memory that its symbols take now */
};
void dso_describe(const struct dso_cache *c, uint32_t dso, struct dso_description *d);

/*
 * What others make of an object's file, in the loader's thread and in turn with its own work: RUN
 * gets the open file and the means to find its debug file (load.h), looks at load_checkpoint(), and
 * touches nothing but W.  Then DONE gets W back in the thread of the cache's owner, from
 * dso_cache_loaded(); in dso_submit() itself when the cache is synchronous.  When the cache ends
 * before, DROP gets it instead, in whichever thread.  Both own W then.
 *
 * LOAD's `object` is NULL when the object has no file or it cannot be opened; the vdso has one.
 */
struct load;

struct dso_work {
	void (*run)(struct dso_work *w, struct load *load);
	void (*done)(struct dso_work *w);
	void (*drop)(struct dso_work *w);
};
void dso_submit(struct dso_cache *c, uint32_t dso, struct dso_work *w);

/*
 * A descriptor that is readable when something was loaded, for poll.  dso_cache_loaded() gives the
 * next object, which is READY or FAILED from then on; 0, and the descriptor cleared, when there are
 * no more.
 */
int dso_cache_fd(const struct dso_cache *c);
uint32_t dso_cache_loaded(struct dso_cache *c);

size_t dso_cache_count(const struct dso_cache *c);
uint32_t dso_cache_next(const struct dso_cache *c, uint32_t previous);	/* walks; start with 0, ends with 0 */

#endif
