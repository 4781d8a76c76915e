/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_SYMBOL_LOAD_H
#define PTOP_SYMBOL_LOAD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "symbol/dso.h"
#include "symbol/symtab.h"

/*
 * The loading of one object: what the sources of symbols work on.  One row of load.c's table is one
 * source; a new one (jitdump, debuginfod, pclntab) is a new row and its function.
 */
struct load {
	struct dso_key key;		/* a copy; `path` borrowed from the cache */
	struct dso_key dump;		/* of JIT code: its jitdump; `path` NULL: none is known */
	const char *proc_root, *debug_root, *kallsyms;	/* borrowed */
	/*
	 * Called between chunks of work of at most some ten milliseconds; true: give up.  Loads
	 * smaller objects in between.  NULL: never.
	 */
	bool (*checkpoint)(void *context);
	void *context;
	struct object *object;		/* the opened file, or NULL; owned */
	struct object *fetched;		/* its debug file from a server, or NULL; owned */
	struct error error;		/* why it could not be opened */
	struct symtab_builder *builder;	/* what is found goes here; owned */
	uint8_t build_id[20];		/* of the opened file */
	size_t build_id_size;		/* 0: none */
	bool complete;			/* nothing is missing, whatever the sources had */
	uint64_t skipped;		/* lines of a list that are none */
	char source[512];		/* where from: see dso_symbol_source() */
	char missing[512];		/* what is missing, and why: see dso_missing() */
};

/* True when the loading must end now. */
static inline bool load_checkpoint(struct load *l)
{
	return l->checkpoint && l->checkpoint(l->context);
}

/* Says what is missing; what is longer than a line is cut. */
void load_missing(struct load *l, const char *format, ...) __attribute__((format(printf, 2, 3)));

void load_missing_more(struct load *l, const char *text);	/* "; TEXT" behind what is there */

/* The process's own user, ptop's, or root wrote that file: anybody can write into /tmp. */
struct stat;
bool load_trusts(const struct load *l, const struct stat *file);

/* Opens what is to be read, so that it stays readable when its process ends. */
void load_open(struct load *l);

/* How much there is to read, in bytes: the loader takes the smallest first. */
uint64_t load_cost(const struct load *l);

/*
 * Reads the symbols.  The table, owned by the caller, or NULL when the object cannot be read or the
 * checkpoint said so; `missing` then says why.  Growing tables (JIT) are perfmap.h's.
 */
struct symtab *load_run(struct load *l);

void load_fini(struct load *l);

#endif
