/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_PERF_EVENT_SYSFILE_H
#define PTOP_PERF_EVENT_SYSFILE_H

#include <stddef.h>
#include <stdint.h>

#include "base/number-list.h"

/* Small files and directories of sysfs and tracefs. */

/*
 * Reads the file at PATH into TEXT of SIZE bytes as one string without its last newline.  Its
 * length, or a negative errno: -EFBIG when it does not fit, -EINVAL when PATH is no regular file.
 */
int sysfile_read(const char *path, char *text, size_t size);

/* Reads a decimal number: 0 or a negative errno. */
int sysfile_number(const char *path, uint64_t *value);

/* Reads a list of CPUs, such as "0-3,5", into L, which is empty before.  0, or a negative errno with L empty. */
int sysfile_cpus(const char *path, struct number_list *l);

/*
 * The names in the directory at PATH that the glob PATTERN matches, sorted, without "."  names.
 * Returns their number, or a negative errno; *NAMES is owned by the caller: sysfile_names_free().
 */
int sysfile_names(const char *path, const char *pattern, char ***names);
void sysfile_names_free(char **names, int count);

#endif
