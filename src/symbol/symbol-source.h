/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_SYMBOL_SYMBOL_SOURCE_H
#define PTOP_SYMBOL_SYMBOL_SOURCE_H

#include <stddef.h>
#include <stdint.h>

#include "symbol/load-state.h"

/*
 * A file of source text, as debugging information names it.  It is looked for at its path below the
 * root of the process that runs the program and, where debug files are fetched, on the server.  A
 * relative name does not say where the file is.
 */
struct source_file;

#define SOURCE_BYTES_MAX (16u << 20) /* a larger file is not read */

/*
 * Opens the file, or has it opened (L's `open`).  L gives the process, and a server is asked by the build id of PROGRAM, unless that is
 * empty.  Returns NULL if there is no such file.
 */
struct source_file *source_file_open(struct load *l, const struct build_id *program,
				     const char *path);
void source_file_close(struct source_file *f); /* NULL is allowed */

/*
 * Returns line NUMBER, from 1, without its end; *SIZE is its size in bytes.  Borrowed.  NULL if
 * there is none.
 */
const char *source_file_line(const struct source_file *f, uint32_t number, size_t *size);

#endif
