/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_SYMBOL_SOURCE_H
#define PTOP_SYMBOL_SOURCE_H

#include <stddef.h>
#include <stdint.h>

#include "symbol/load.h"

/*
 * A file of source text, as debugging information names it: looked for below the root of the process
 * that runs the program, at its path, and, where debug files are fetched, on the server.  A relative
 * name says nothing about where it is.
 */
struct source_file;

#define SOURCE_BYTES_MAX (16u << 20)	/* a larger file is not read */

/*
 * L tells the process and the program, whose `object` is open (borrowed; NULL: no server is asked).
 * NULL when there is no such file.
 */
struct source_file *source_file_open(struct load *l, const struct object *object, const char *path);
void source_file_close(struct source_file *f);	/* NULL is allowed */

/* Line NUMBER, from 1, of *SIZE bytes, without its end; borrowed.  NULL when there is none. */
const char *source_file_line(const struct source_file *f, uint32_t number, size_t *size);

#endif
