/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_SYMBOL_KSYMBOLS_H
#define PTOP_SYMBOL_KSYMBOLS_H

#include <stdbool.h>
#include <stdint.h>

#include "symbol/symtab.h"

/*
 * The code that the kernel made while it was watched (perf_event_open(2), PERF_RECORD_KSYMBOL), as
 * /proc/kallsyms would list it: "bpf_prog_6deef7357e7b4530_filter".  For one thread.
 */
struct ksymbols;

/* Limit of symbols, removed ones included until they are forgotten. */
#define KSYMBOLS_MAX 65536u

struct ksymbols *ksymbols_new(void);
void ksymbols_free(struct ksymbols *k); /* its tables stay; NULL is allowed */

/* Adds code of SIZE bytes at ADDRESS and replaces what was there.  SIZE 0 is ignored. */
void ksymbols_add(struct ksymbols *k, uint64_t address, uint64_t size, const char *name);
void ksymbols_remove(struct ksymbols *k, uint64_t address);

/* Returns true if the next table differs from the last. */
bool ksymbols_changed(const struct ksymbols *k);

/* Returns a growing table of the present code, owned by the caller. */
struct symtab *ksymbols_table(struct ksymbols *k);

#endif
