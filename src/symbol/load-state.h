/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_SYMBOL_LOAD_STATE_H
#define PTOP_SYMBOL_LOAD_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/build-id.h"
#include "base/error.h"
#include "symbol/dso-key.h"
#include "symbol/symtab.h"

/*
 * The result of a reading, in numbers: it may come from a process that is not trusted
 * (load-worker.h).
 */
#define LOAD_SOURCES_MAX 8

struct load_outcome {
	uint32_t sources[LOAD_SOURCES_MAX]; /* enum named_by, the best first */
	uint32_t source_count;
	uint32_t refused; /* enum refusal: why part of a file was not read */
	uint32_t no_elf;  /* it is no ELF file */
	uint32_t stripped;
	struct build_id build_id; /* of the opened file */
};

struct debugfile_request;
struct debugfile_path;
struct kmodule;

/*
 * The loading of one object: what the sources of symbols, which load.c calls, work on.
 */
struct load {
	struct dso_key key;  /* a copy; `path` borrowed from the cache */
	struct dso_key dump; /* for JIT code: its jitdump; `path` NULL: unknown */
	const char *proc_root, *debug_root, *kallsyms; /* borrowed */
	bool recorded;                                 /* see dso_cache_options */
	/*
	 * Called between chunks of work of at most some ten milliseconds; true: give up.  Smaller
	 * objects are loaded within the call.  NULL: never.
	 */
	bool (*checkpoint)(void *context);
	void *context;
	/*
	 * Opens a debug file for whoever may not open files, as debugfile_open_next(), which NULL means.
	 */
	int (*open)(struct load *l, struct debugfile_request *r, struct debugfile_path *path);
	/* A file that is relocatable is a module's: where its sections are; borrowed; NULL: unknown. */
	const struct kmodule *module;
	const int *holder; /* the file that names of others are relative to; borrowed; NULL: none */
	int file;          /* with `has_file`: opened, and not yet looked at; owned */
	bool has_file;     /* see load_open_file() */
	uint64_t file_bytes;            /* its size */
	struct object *object;          /* the opened file, or NULL; owned */
	struct object *fetched;         /* its debug file from a server, or NULL; owned */
	struct error error;             /* why the file could not be opened */
	struct symtab_builder *builder; /* receives the symbols; owned */
	struct load_outcome outcome;
	uint64_t cpu_ns;      /* CPU time of the workers that read for it (file-reader.h) */
	bool complete;        /* nothing is missing, whatever the sources found */
	char debug_path[512]; /* the debug file that was opened last */
	uint64_t skipped;     /* invalid lines of a list */
	char source[512];     /* see dso_symbol_source() */
	char missing[512];    /* see dso_missing() */
};

/* Returns true if the loading must end now. */
static inline bool load_checkpoint(struct load *l)
{
	return l->checkpoint && l->checkpoint(l->context);
}

/* Says what is missing; a text longer than a line is cut. */
void load_missing(struct load *l, const char *format, ...) __attribute__((format(printf, 2, 3)));

void load_missing_more(struct load *l, const char *text); /* appends "; TEXT" */

/*
 * Returns true if root or the process's own user wrote that file: anybody can write into /tmp.  If
 * the process has ended, it has no user, nor memory that could be read; the person who started ptop
 * is then taken for its user.
 */
struct stat;
bool load_trusts(const struct load *l, const struct stat *file);

/* Opens what will be read, so that it stays readable when its process ends. */
void load_open(struct load *l);

/* The same of a file (DSO_FILE), without reading any of it. */
void load_open_file(struct load *l);

/* The number of bytes to read: the loader takes the smallest job first. */
uint64_t load_cost(const struct load *l);

/*
 * The user who could choose what is read, once it is open: whoever may change a file; of JIT code, the process's.
 * LOADER_NOBODY for the rest.
 */
uint32_t load_owner(const struct load *l);

/* The part of an object that is missing because its owner rests (loader.h). */
const char *load_rest_text(void);

/* Remembers where the debug file came from; a path longer than a line is cut. */
void load_debug_path(struct load *l, const char *path);

void load_fini(struct load *l);

#endif
